//! Draws.

use crate::both;
use crate::rig::{Pixel, linear_sampler, records, texture};
use afterimage_gnm_types::{reg, value::*};

/// Reads a position and a colour of a vertex in `v0` from a V# in s[0:3], and passes both on.
const POSITION_COLOR: &str = "
    buffer_load_format_xyzw v[4:7], v0, s[0:3], 0 idxen
    buffer_load_format_xyzw v[8:11], v0, s[0:3], 0 idxen offset:16
    s_waitcnt vmcnt(0)
    exp pos0 v4, v5, v6, v7 done
    exp param0 v8, v9, v10, v11
    s_endpgm
";

/// Puts out the first input.
const INPUT: &str = "
    s_mov_b32 m0, s16
    v_interp_p1_f32 v2, v0, attr0.x
    v_interp_p2_f32 v2, v1, attr0.x
    v_interp_p1_f32 v3, v0, attr0.y
    v_interp_p2_f32 v3, v1, attr0.y
    v_interp_p1_f32 v4, v0, attr0.z
    v_interp_p2_f32 v4, v1, attr0.z
    v_interp_p1_f32 v5, v0, attr0.w
    v_interp_p2_f32 v5, v1, attr0.w
    exp mrt0 v2, v3, v4, v5 done vm
    s_endpgm
";

/// A vertex: position and colour.
type Vertex = [[f32; 4]; 2];

const TRIANGLE: [Vertex; 3] = [
    [[0.0, 0.8, 0.5, 1.0], [1.0, 0.0, 0.0, 1.0]],
    [[0.8, -0.8, 0.5, 1.0], [0.0, 1.0, 0.0, 1.0]],
    [[-0.8, -0.8, 0.5, 1.0], [0.0, 0.0, 1.0, 1.0]],
];

#[test]
fn a_triangle() {
    both("triangle", |scene| {
        let target = scene.target(128, 96);
        scene.color(0, &target);
        scene.screen(128, 96, 15);
        let vertices = scene.put(TRIANGLE.as_flattened().as_flattened());
        let (vertex, pixel) = (scene.program(POSITION_COLOR), scene.program(INPUT));
        scene.vertex(vertex, 1, &records(vertices, 32, 3, BUF_DATA_FORMAT_32_32_32_32).0);
        scene.pixel(pixel, Pixel::new(1), &[]);
        scene.draw(DI_PT_TRILIST, 3);
        target
    });
}
