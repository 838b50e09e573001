//! Pixel shaders that interpolate by themselves, from what each vertex has, in perspective.

use crate::draws::POSITION_COLOR;
use crate::rig::{Encoding, Pixel, Scene, records};
use afterimage_gnm_types::{reg, value::*};

const SIZE: [u32; 2] = [96, 64];

/// Position, and an attribute, of which the second and the third vertex have more than the first.
const VERTICES: [[[f32; 4]; 2]; 3] = [
    [[-0.9, 0.9, 0.5, 1.0], [0.1, 0.0, 0.2, 0.0]],
    [[3.5, 2.8, 2.0, 4.0], [0.5, 1.0, 0.3, 0.5]],
    [[-0.7, -1.6, 1.0, 2.0], [0.8, 0.2, 0.9, 1.0]],
];

/// Weights of the vertices in the middles of pixels, as the hardware has them with and without perspective, where all of the pixel is
/// covered.
fn weights(x: u32, y: u32) -> Option<[[f32; 3]; 2]> {
    let [width, height] = SIZE.map(|size| size as f32);
    let at = VERTICES.map(|[[x, y, _, w], _]| [(x / w + 1.0) / 2.0 * width, (1.0 - y / w) / 2.0 * height]);
    let area = |[a, b, c]: [[f32; 2]; 3]| (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]);
    let middle = [x as f32 + 0.5, y as f32 + 0.5];
    let part = |n: usize| {
        let mut corners = at;
        corners[n] = middle;
        area(corners) / area(at)
    };
    let linear = [0, 1, 2].map(part);
    if linear.iter().any(|part| *part < 0.03) {
        return None;
    }
    let over_w = [0, 1, 2].map(|n| linear[n] / VERTICES[n][0][3]);
    let sum: f32 = over_w.iter().sum();
    Some([over_w.map(|part| part / sum), linear])
}

fn attribute(weights: [f32; 3], component: usize) -> f32 {
    (0..3).map(|n| weights[n] * VERTICES[n][1][component]).sum()
}

/// Draws the triangle with a program, which has perspective weights in v[0:1] and others in v[2:3], and compares what it puts out where
/// all of a pixel is covered. `last`: the last vertex provokes.
fn draws(program: &str, last: bool, wanted: impl Fn([[f32; 3]; 2]) -> [f32; 3]) {
    for encoding in [Encoding::Standard, Encoding::Private] {
        let mut scene = Scene::new(encoding);
        let [width, height] = SIZE;
        let target = scene.target(width, height);
        scene.color(0, &target);
        scene.screen(width, height, 15);
        if last {
            scene.set(reg::PA_SU_SC_MODE_CNTL, &[reg::PA_SU_SC_MODE_CNTL::PROVOKING_VTX_LAST.bits(1)]);
        }
        let vertices = scene.put(VERTICES.as_flattened().as_flattened());
        let (vertex, pixel) = (scene.program(POSITION_COLOR), scene.program(program));
        scene.vertex(vertex, 1, &records(vertices, 32, 3, BUF_DATA_FORMAT_32_32_32_32).0);
        scene.pixel(pixel, Pixel { exports: 9, inputs: 1, values: 0x22 }, &[]);
        scene.draw(DI_PT_TRILIST, 3);
        let mut ran = scene.run();
        let picture = ran.picture(&target);
        ran.finish();
        let mut looked = 0;
        for (at, pixel) in (0..width * height).zip(picture.chunks(4)) {
            let (x, y) = (at % width, at / width);
            let Some(weights) = weights(x, y) else { continue };
            looked += 1;
            for (got, wanted) in pixel.iter().zip(wanted(weights)) {
                let apart = (f32::from(*got) - 255.0 * wanted).abs();
                assert!(apart < 1.2, "{encoding:?}: pixel {x}, {y} is {pixel:?}, where {} is wanted", 255.0 * wanted);
            }
        }
        assert!(looked > 500, "{looked} pixels");
    }
}

#[test]
fn pixels_have_what_each_vertex_has() {
    let program = "
        s_mov_b32 m0, s16
        v_interp_mov_f32 v4, p0, attr0.x
        v_interp_mov_f32 v5, p10, attr0.x
        v_interp_mov_f32 v6, p20, attr0.x
        v_mov_b32 v7, 1.0
        exp mrt0 v4, v5, v6, v7 done vm
        s_endpgm";
    let [a, b, c] = VERTICES.map(|[_, attribute]| attribute[0]);
    draws(program, false, |_| [a, b - a, c - a]);
}

#[test]
fn pixels_weigh_vertices_by_themselves() {
    // What the weights are, and an attribute with half of each.
    let program = "
        s_mov_b32 m0, s16
        v_mul_f32 v8, 0.5, v0
        v_mul_f32 v9, 0.5, v1
        v_interp_p1_f32 v4, v8, attr0.y
        v_interp_p2_f32 v4, v9, attr0.y
        v_mov_b32 v7, 1.0
        exp mrt0 v0, v1, v4, v7 done vm
        s_endpgm";
    let first = VERTICES[0][1][1];
    let half = |[smooth, _]: [[f32; 3]; 2]| first + (attribute(smooth, 1) - first) / 2.0;
    draws(program, false, |weights| [weights[0][1], weights[0][2], half(weights)]);
}

#[test]
fn the_first_vertex_is_the_one_that_provokes() {
    let program = "
        s_mov_b32 m0, s16
        v_interp_mov_f32 v4, p0, attr0.w
        v_mov_b32 v7, 1.0
        exp mrt0 v4, v0, v1, v7 done vm
        s_endpgm";
    draws(program, true, |[smooth, _]| [VERTICES[2][1][3], smooth[0], smooth[1]]);
}

#[test]
fn an_attribute_is_interpolated_with_and_without_perspective() {
    let program = "
        s_mov_b32 m0, s16
        v_interp_p1_f32 v4, v0, attr0.x
        v_interp_p2_f32 v4, v1, attr0.x
        v_interp_p1_f32 v5, v2, attr0.x
        v_interp_p2_f32 v5, v3, attr0.x
        v_interp_p1_f32 v6, v2, attr0.z
        v_interp_p2_f32 v6, v3, attr0.z
        v_mov_b32 v7, 1.0
        exp mrt0 v4, v5, v6, v7 done vm
        s_endpgm";
    draws(program, false, |[smooth, linear]| [attribute(smooth, 0), attribute(linear, 0), attribute(linear, 2)]);
    let apart = weights(40, 30).map(|[smooth, linear]| (attribute(smooth, 0) - attribute(linear, 0)).abs());
    assert!(apart.is_some_and(|apart| apart > 0.05), "the two ways differ: {apart:?}");
}
