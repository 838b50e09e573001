//! Draws.

use crate::both;
use crate::rig::{Pixel, Scene, Target, linear_sampler, records, texture};
use afterimage_gnm_types::{ImageDescriptor, op, reg, value::*};

/// Reads a position and a colour of a vertex in `v0` from a V# in s[0:3], and passes both on.
pub(crate) const POSITION_COLOR: &str = "
    buffer_load_format_xyzw v[4:7], v0, s[0:3], 0 idxen
    buffer_load_format_xyzw v[8:11], v0, s[0:3], 0 idxen offset:16
    s_waitcnt vmcnt(0)
    exp pos0 v4, v5, v6, v7 done
    exp param0 v8, v9, v10, v11
    s_endpgm
";

/// Puts out the first input.
pub(crate) const INPUT: &str = "
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
pub(crate) type Vertex = [[f32; 4]; 2];

pub(crate) const TRIANGLE: [Vertex; 3] = [
    [[0.0, 0.8, 0.5, 1.0], [1.0, 0.0, 0.0, 1.0]],
    [[0.8, -0.8, 0.5, 1.0], [0.0, 1.0, 0.0, 1.0]],
    [[-0.8, -0.8, 0.5, 1.0], [0.0, 0.0, 1.0, 1.0]],
];

/// All that a draw of the triangle's three vertices needs.
pub(crate) fn triangle_state(scene: &mut Scene, target: &Target) {
    scene.color(0, target);
    scene.screen(target.width, target.height, 15);
    let vertices = scene.put(TRIANGLE.as_flattened().as_flattened());
    let (vertex, pixel) = (scene.program(POSITION_COLOR), scene.program(INPUT));
    scene.vertex(vertex, 1, &records(vertices, 32, 3, BUF_DATA_FORMAT_32_32_32_32).0);
    scene.pixel(pixel, Pixel::new(1), &[]);
}

/// Draws a triangle into a target.
pub(crate) fn triangle(scene: &mut Scene, target: &Target) {
    triangle_state(scene, target);
    scene.draw(DI_PT_TRILIST, 3);
}

/// Draws the mean of two textures over a target.
pub(crate) fn over_the_screen(scene: &mut Scene, target: &Target, images: [ImageDescriptor; 2]) {
    scene.color(0, target);
    scene.screen(target.width, target.height, 15);
    let table: Vec<u32> = images.into_iter().flat_map(|image| image.0).chain(linear_sampler().0).collect();
    let table = scene.put(&table);
    let (vertex, pixel) = (scene.program(SCREEN), scene.program(MEAN));
    scene.vertex(vertex, 1, &[0]);
    scene.pixel(pixel, Pixel::new(1), &[table as u32, (table >> 32) as u32]);
    scene.draw(DI_PT_TRISTRIP, 4);
}

#[test]
fn a_triangle() {
    both("triangle", |scene| {
        let target = scene.target(128, 96);
        triangle(scene, &target);
        target
    });
}

/// A fetch shader: positions and texture coordinates, by V#s in a table at s[2:3].
const FETCH: &str = "
    s_load_dwordx4 s[8:11], s[2:3], 0x0
    s_load_dwordx4 s[12:15], s[2:3], 0x4
    s_waitcnt lgkmcnt(0)
    buffer_load_format_xyzw v[4:7], v0, s[8:11], 0 idxen
    buffer_load_format_xy v[8:9], v0, s[12:15], 0 idxen
    s_waitcnt 0x0
    s_setpc_b64 s[0:1]
";

/// Calls the fetch shader, multiplies the position by a matrix whose rows lie in a constant buffer at s[4:7].
const TRANSFORM: &str = "
    s_swappc_b64 s[0:1], s[0:1]
    s_buffer_load_dwordx8 s[16:23], s[4:7], 0x0
    s_buffer_load_dwordx8 s[24:31], s[4:7], 0x8
    s_waitcnt lgkmcnt(0)
    v_mul_f32 v10, s16, v4
    v_mac_f32 v10, s17, v5
    v_mac_f32 v10, s18, v6
    v_mac_f32 v10, s19, v7
    v_mul_f32 v11, s20, v4
    v_mac_f32 v11, s21, v5
    v_mac_f32 v11, s22, v6
    v_mac_f32 v11, s23, v7
    v_mul_f32 v12, s24, v4
    v_mac_f32 v12, s25, v5
    v_mac_f32 v12, s26, v6
    v_mac_f32 v12, s27, v7
    v_mul_f32 v13, s28, v4
    v_mac_f32 v13, s29, v5
    v_mac_f32 v13, s30, v6
    v_mac_f32 v13, s31, v7
    exp pos0 v10, v11, v12, v13 done
    exp param0 v8, v9, v9, v9
    s_endpgm
";

/// Samples a texture whose T# and S# lie in a table at s[0:1] with the first input, into 16-bit floats.
const SAMPLE: &str = "
    s_mov_b32 m0, s16
    s_load_dwordx8 s[20:27], s[0:1], 0x0
    s_load_dwordx4 s[28:31], s[0:1], 0x8
    v_interp_p1_f32 v2, v0, attr0.x
    v_interp_p2_f32 v2, v1, attr0.x
    v_interp_p1_f32 v3, v0, attr0.y
    v_interp_p2_f32 v3, v1, attr0.y
    s_waitcnt lgkmcnt(0)
    image_sample v[4:7], v[2:3], s[20:27], s[28:31] dmask:0xf
    s_waitcnt vmcnt(0)
    v_cvt_pkrtz_f16_f32 v4, v4, v5
    v_cvt_pkrtz_f16_f32 v5, v6, v7
    exp mrt0 v4, v4, v5, v5 done compr vm
    s_endpgm
";

/// Half floats to the first target.
const HALVES: Pixel = Pixel { exports: 4, inputs: 1, values: 2 };

/// A checkerboard with a gradient, 32 x 32.
pub(crate) fn board() -> Vec<[u8; 4]> {
    let texel = |x: u32, y: u32| {
        let light = if (x / 4 + y / 4).is_multiple_of(2) { 255 } else { 60 };
        [(light * x / 31) as u8, (light * y / 31) as u8, light as u8, 255]
    };
    (0..32 * 32).map(|at| texel(at % 32, at / 32)).collect()
}

/// Depth of 32-bit floats, cleared to 1 by a rectangle; where it lies.
pub(crate) fn cleared_depth(scene: &mut Scene, width: u32, height: u32) -> u64 {
    use reg::DB_Z_INFO as Z;
    // With what its tiles have beyond.
    let bytes = 4 * width.next_multiple_of(64) * height.next_multiple_of(64);
    let at = scene.alloc(u64::from(bytes), 64 << 10);
    scene.set(reg::DB_Z_INFO, &[Z::FORMAT.bits(Z_32_FLOAT) | Z::TILE_MODE_INDEX.bits(2)]);
    scene.set(reg::DB_Z_READ_BASE, &[(at >> 8) as u32, 0, (at >> 8) as u32, 0]);
    scene.set(reg::DB_DEPTH_SIZE, &[(width / 8 - 1) | (height / 8 - 1) << 11, width * height / 64 - 1]);
    scene.set_floats(reg::DB_DEPTH_CLEAR, &[1.0]);
    scene.set(reg::DB_RENDER_CONTROL, &[1]);
    scene.set(reg::CB_TARGET_MASK, &[0]);
    scene.draw(DI_PT_RECTLIST, 3);
    scene.set(reg::DB_RENDER_CONTROL, &[0]);
    scene.set(reg::CB_TARGET_MASK, &[15]);
    at
}

/// A cube: a position and texture coordinates for each corner of each face, and the indices of its triangles.
pub(crate) fn cube() -> (Vec<[f32; 4]>, Vec<[f32; 2]>, Vec<u16>) {
    let (mut positions, mut coordinates, mut indices) = (Vec::new(), Vec::new(), Vec::new());
    for axis in 0..3 {
        for side in [-1.0f32, 1.0] {
            let first = positions.len() as u16;
            for (u, v) in [(-1.0f32, -1.0f32), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
                let mut position = [0.0, 0.0, 0.0, 1.0];
                (position[axis], position[(axis + 1) % 3], position[(axis + 2) % 3]) = (side, u * side, v);
                positions.push(position);
                coordinates.push([(u + 1.0) / 2.0, (v + 1.0) / 2.0]);
            }
            indices.extend([0, 1, 2, 0, 2, 3].map(|corner| first + corner));
        }
    }
    (positions, coordinates, indices)
}

/// Rows of a matrix that turns the cube, moves it away and projects it.
pub(crate) fn camera() -> [[f32; 4]; 4] {
    let (turn, tilt) = (0.6f32, 0.5f32);
    let turned = [[turn.cos(), 0.0, turn.sin()], [0.0, 1.0, 0.0], [-turn.sin(), 0.0, turn.cos()]];
    let tilted = |row: [f32; 3]| {
        let [x, y, z] = row;
        [x, y * tilt.cos() - z * tilt.sin(), y * tilt.sin() + z * tilt.cos()]
    };
    let rows: Vec<[f32; 3]> = {
        let columns: Vec<[f32; 3]> =
            (0..3).map(|column| tilted([turned[0][column], turned[1][column], turned[2][column]])).collect();
        (0..3).map(|row| [columns[0][row], columns[1][row], columns[2][row]]).collect()
    };
    let away = 4.0;
    let (near, far) = (1.0f32, 10.0f32);
    let depth = far / (far - near);
    let [x, y, z] = [rows[0], rows[1], rows[2]];
    [
        [x[0] * 1.5, x[1] * 1.5, x[2] * 1.5, 0.0],
        [y[0] * 2.0, y[1] * 2.0, y[2] * 2.0, 0.0],
        [z[0] * depth, z[1] * depth, z[2] * depth, (away - near) * depth],
        [z[0], z[1], z[2], away],
    ]
}

#[test]
fn a_textured_cube_with_depth() {
    both("cube", |scene| {
        let target = scene.target(128, 96);
        scene.color(0, &target);
        scene.screen(128, 96, 15);
        cleared_depth(scene, 128, 128);
        use reg::DB_DEPTH_CONTROL as D;
        scene.set(reg::DB_DEPTH_CONTROL, &[D::Z_ENABLE.bits(1) | D::Z_WRITE_ENABLE.bits(1) | D::ZFUNC.bits(FRAG_LESS)]);
        let (positions, coordinates, indices) = cube();
        let (positions, coordinates) = (scene.put(&positions), scene.put(&coordinates));
        let buffers = [
            records(positions, 16, 24, BUF_DATA_FORMAT_32_32_32_32).0,
            records(coordinates, 8, 24, BUF_DATA_FORMAT_32_32).0,
        ];
        let buffers = scene.put(buffers.as_flattened());
        let matrix = scene.put(camera().as_flattened());
        let texels = scene.texels(&board());
        let image = texture(texels, [32, 32], IMG_DATA_FORMAT_8_8_8_8, IMG_NUM_FORMAT_UNORM);
        let table: Vec<u32> = image.0.into_iter().chain(linear_sampler().0).collect();
        let table = scene.put(&table);
        let (fetch, vertex, pixel) = (scene.program(FETCH), scene.program(TRANSFORM), scene.program(SAMPLE));
        let halves = |address: u64| [address as u32, (address >> 32) as u32];
        let constants = records(matrix, 0, 64, BUF_DATA_FORMAT_32_32_32_32).0;
        let user: Vec<u32> = halves(fetch).into_iter().chain(halves(buffers)).chain(constants).collect();
        scene.vertex(vertex, 1, &user);
        scene.pixel(pixel, HALVES, &halves(table));
        scene.draw_indexed(DI_PT_TRILIST, &indices);
        target
    });
}

#[test]
fn blending_adds_what_is_there_by_alpha_and_quads_and_strips_are_drawn() {
    both("blend", |scene| {
        let target = scene.target(128, 96);
        scene.color(0, &target);
        scene.screen(128, 96, 15);
        let corner = |x: f32, y: f32, color: [f32; 4]| [[x, y, 0.0, 1.0], color];
        let (gray, red, green) = ([0.3, 0.3, 0.3, 1.0], [1.0, 0.0, 0.0, 0.5], [0.0, 1.0, 0.0, 0.25]);
        let vertices: Vec<Vertex> = vec![
            // A rectangle of three corners over everything.
            corner(-1.0, -1.0, gray),
            corner(1.0, -1.0, gray),
            corner(-1.0, 1.0, gray),
            // A quad.
            corner(-0.8, -0.6, red),
            corner(0.3, -0.6, red),
            corner(0.3, 0.6, red),
            corner(-0.8, 0.6, red),
            // A strip of quads.
            corner(-0.2, -0.8, green),
            corner(-0.2, 0.8, green),
            corner(0.4, -0.4, green),
            corner(0.4, 0.4, green),
            corner(0.9, -0.8, green),
            corner(0.9, 0.8, green),
        ];
        let address = scene.put(vertices.as_flattened().as_flattened());
        let (vertex, pixel) = (scene.program(POSITION_COLOR), scene.program(INPUT));
        let from = |first: u64| records(address + 32 * first, 32, 13, BUF_DATA_FORMAT_32_32_32_32).0;
        scene.vertex(vertex, 1, &from(0));
        scene.pixel(pixel, Pixel::new(1), &[]);
        scene.draw(DI_PT_RECTLIST, 3);
        use reg::CB_BLEND0_CONTROL as B;
        let over = B::ENABLE.bits(1)
            | B::COLOR_SRCBLEND.bits(BLEND_SRC_ALPHA)
            | B::COLOR_DESTBLEND.bits(BLEND_ONE_MINUS_SRC_ALPHA);
        scene.set(reg::CB_BLEND0_CONTROL, &[over]);
        scene.vertex(vertex, 1, &from(3));
        scene.draw(DI_PT_QUADLIST, 4);
        scene.vertex(vertex, 1, &from(7));
        scene.draw(DI_PT_QUADSTRIP, 6);
        target
    });
}

/// The same as [`POSITION_COLOR`], moved by the number of the instance, which dims the colour.
const INSTANCES: &str = "
    buffer_load_format_xyzw v[4:7], v0, s[0:3], 0 idxen
    buffer_load_format_xyzw v[8:11], v0, s[0:3], 0 idxen offset:16
    v_cvt_f32_u32 v12, v3
    s_waitcnt vmcnt(0)
    v_mul_f32 v4, 0.5, v4
    v_mul_f32 v5, 0.5, v5
    v_mac_f32 v4, 0x3e99999a, v12
    v_mac_f32 v5, 0x3e99999a, v12
    v_add_f32 v4, -0.5, v4
    v_add_f32 v5, -0.5, v5
    v_mul_f32 v13, 0xbe800000, v12
    v_add_f32 v8, 1.0, v13
    exp pos0 v4, v5, v6, v7 done
    exp param0 v8, v9, v10, v11
    s_endpgm
";

#[test]
fn instances_have_numbers_and_indices_of_strips_restart() {
    both("instances", |scene| {
        let target = scene.target(128, 96);
        scene.color(0, &target);
        scene.screen(128, 96, 15);
        let square = |x: f32| {
            let corner = move |u: f32, v: f32| [[x + u, v, 0.0, 1.0], [1.0, 0.5 + v, 0.2, 1.0]];
            [corner(-0.3, -0.4), corner(-0.3, 0.4), corner(0.3, -0.4), corner(0.3, 0.4)]
        };
        let vertices: Vec<Vertex> = [square(-0.5), square(0.5)].concat();
        let address = scene.put(vertices.as_flattened().as_flattened());
        let (vertex, pixel) = (scene.program(INSTANCES), scene.program(INPUT));
        scene.vertex(vertex, 1, &records(address, 32, 8, BUF_DATA_FORMAT_32_32_32_32).0);
        scene.pixel(pixel, Pixel::new(1), &[]);
        scene.set(reg::VGT_MULTI_PRIM_IB_RESET_EN, &[1]);
        scene.set(reg::VGT_MULTI_PRIM_IB_RESET_INDX, &[0xFFFF]);
        scene.packet(op::NUM_INSTANCES, &[3]);
        scene.draw_indexed(DI_PT_TRISTRIP, &[0, 1, 2, 3, 0xFFFF, 4, 5, 6, 7]);
        target
    });
}

/// Puts the first input into the first target, and it with red and blue exchanged into the second.
const TWO_TARGETS: &str = "
    s_mov_b32 m0, s16
    v_interp_p1_f32 v2, v0, attr0.x
    v_interp_p2_f32 v2, v1, attr0.x
    v_interp_p1_f32 v3, v0, attr0.y
    v_interp_p2_f32 v3, v1, attr0.y
    v_interp_p1_f32 v4, v0, attr0.z
    v_interp_p2_f32 v4, v1, attr0.z
    v_mov_b32 v5, 1.0
    exp mrt0 v2, v3, v4, v5
    exp mrt1 v4, v3, v2, v5 done vm
    s_endpgm
";

/// Passes on a rectangle over the screen, with texture coordinates.
pub(crate) const SCREEN: &str = "
    v_and_b32 v4, 1, v0
    v_lshrrev_b32 v5, 1, v0
    v_cvt_f32_u32 v4, v4
    v_cvt_f32_u32 v5, v5
    v_mad_f32 v6, v4, 2.0, -1.0
    v_mad_f32 v7, v5, -2.0, 1.0
    v_mov_b32 v8, 0
    v_mov_b32 v9, 1.0
    exp pos0 v6, v7, v8, v9 done
    exp param0 v4, v5, v8, v8
    s_endpgm
";

/// The mean of two textures, whose T#s lie in a table at s[0:1] in front of one S#.
const MEAN: &str = "
    s_mov_b32 m0, s16
    s_load_dwordx8 s[20:27], s[0:1], 0x0
    s_load_dwordx8 s[28:35], s[0:1], 0x8
    s_load_dwordx4 s[36:39], s[0:1], 0x10
    v_interp_p1_f32 v2, v0, attr0.x
    v_interp_p2_f32 v2, v1, attr0.x
    v_interp_p1_f32 v3, v0, attr0.y
    v_interp_p2_f32 v3, v1, attr0.y
    s_waitcnt lgkmcnt(0)
    image_sample v[4:7], v[2:3], s[20:27], s[36:39] dmask:0xf
    image_sample v[8:11], v[2:3], s[28:35], s[36:39] dmask:0xf
    s_waitcnt vmcnt(0)
    v_add_f32 v4, v4, v8
    v_add_f32 v5, v5, v9
    v_add_f32 v6, v6, v10
    v_mul_f32 v4, 0.5, v4
    v_mul_f32 v5, 0.5, v5
    v_mul_f32 v6, 0.5, v6
    v_mov_b32 v7, 1.0
    exp mrt0 v4, v5, v6, v7 done vm
    s_endpgm
";

#[test]
fn two_targets_are_drawn_to_and_become_textures() {
    both("targets", |scene| {
        let targets = [14, 10].map(|tile_mode| Target { tile_mode, ..scene.target(128, 128) });
        let last = scene.target(128, 96);
        scene.color(0, &targets[0]);
        scene.color(1, &targets[1]);
        scene.screen(128, 128, 0xFF);
        let vertices = scene.put(TRIANGLE.as_flattened().as_flattened());
        let (vertex, pixel) = (scene.program(POSITION_COLOR), scene.program(TWO_TARGETS));
        scene.vertex(vertex, 1, &records(vertices, 32, 3, BUF_DATA_FORMAT_32_32_32_32).0);
        scene.pixel(pixel, Pixel { exports: 0x99, ..Pixel::new(1) }, &[]);
        scene.draw(DI_PT_TRILIST, 3);
        over_the_screen(scene, &last, targets.map(|target| target.texture()));
        last
    });
}

/// Lights the normal that is the first input by the direction in s[0:2], and a little from everywhere.
const LIT: &str = "
    s_mov_b32 m0, s16
    v_interp_p1_f32 v2, v0, attr0.x
    v_interp_p2_f32 v2, v1, attr0.x
    v_interp_p1_f32 v3, v0, attr0.y
    v_interp_p2_f32 v3, v1, attr0.y
    v_interp_p1_f32 v4, v0, attr0.z
    v_interp_p2_f32 v4, v1, attr0.z
    v_mul_f32 v5, s0, v2
    v_mac_f32 v5, s1, v3
    v_mac_f32 v5, s2, v4
    v_max_f32 v5, 0, v5
    v_add_f32 v5, 0x3e19999a, v5
    v_mul_f32 v6, 0.5, v5
    v_mov_b32 v7, 1.0
    exp mrt0 v5, v5, v6, v7 done vm
    s_endpgm
";

#[test]
fn a_lit_cube_without_its_back_faces() {
    both("lit", |scene| {
        let target = scene.target(128, 96);
        scene.color(0, &target);
        scene.screen(128, 96, 15);
        let (positions, _, indices) = cube();
        // Four corners of each face, in the order of the axes.
        let normals: Vec<[f32; 3]> = (0..24)
            .map(|corner| {
                let mut normal = [0.0; 3];
                normal[corner / 8] = if corner / 4 % 2 == 0 { -1.0 } else { 1.0 };
                normal
            })
            .collect();
        let (positions, normals) = (scene.put(&positions), scene.put(normals.as_flattened()));
        let buffers = [
            records(positions, 16, 24, BUF_DATA_FORMAT_32_32_32_32).0,
            records(normals, 12, 24, BUF_DATA_FORMAT_32_32_32).0,
        ];
        let buffers = scene.put(buffers.as_flattened());
        let matrix = scene.put(camera().as_flattened());
        let fetch = scene.program(&FETCH.replace("xy v[8:9]", "xyz v[14:16]"));
        let vertex = scene.program(&TRANSFORM.replace("v8, v9, v9, v9", "v14, v15, v16, v16"));
        let pixel = scene.program(LIT);
        let halves = |address: u64| [address as u32, (address >> 32) as u32];
        let constants = records(matrix, 0, 64, BUF_DATA_FORMAT_32_32_32_32).0;
        let user: Vec<u32> = halves(fetch).into_iter().chain(halves(buffers)).chain(constants).collect();
        scene.vertex(vertex, 1, &user);
        scene.pixel(pixel, Pixel::new(1), &[-0.2f32, -0.5, -0.8].map(f32::to_bits));
        use reg::PA_SU_SC_MODE_CNTL as M;
        scene.set(reg::PA_SU_SC_MODE_CNTL, &[M::CULL_BACK.bits(1) | M::FACE.bits(1)]);
        scene.draw_indexed(DI_PT_TRILIST, &indices);
        target
    });
}
