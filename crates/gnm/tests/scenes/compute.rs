//! Compute.

use crate::rig::{Encoding, Scene, Target, records, texture};
use crate::{both, draws};
use afterimage_gnm::driver::calls;
use afterimage_gnm_types::{op, reg, value::*};

/// Writes the square of its own number into a buffer at s[0:3], in groups of 64.
const SQUARES: &str = "
    s_lshl_b32 s20, s16, 6
    v_add_i32 v4, vcc, s20, v0
    v_mul_u32_u24 v5, v4, v4
    v_lshlrev_b32 v6, 2, v4
    buffer_store_dword v5, v6, s[0:3], 0 offen
    s_endpgm
";

#[test]
fn what_a_shader_stores_is_in_memory() {
    for encoding in [Encoding::Standard, Encoding::Private] {
        let mut scene = Scene::new(encoding);
        let out = scene.room(1024);
        let program = scene.program(SQUARES);
        scene.dispatch(program, [64, 1, 1], &records(out, 0, 4 * 192, BUF_DATA_FORMAT_32).0, [4, 1, 1]);
        let mut ran = scene.run();
        let words: Vec<u32> = ran.read(out, 1024).as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
        ran.finish();
        // What lies behind the descriptor's end is not written.
        let expected: Vec<u32> = (0..256).map(|at| if at < 192 { at * at } else { 0 }).collect();
        assert_eq!(words, expected);
    }
}

/// Reads a texel of the T# at s[0:7], and writes one minus its colours into the T# at s[8:15]; groups of 8 x 8.
const INVERT: &str = "
    s_lshl_b32 s20, s16, 3
    s_lshl_b32 s21, s17, 3
    v_add_i32 v4, vcc, s20, v0
    v_add_i32 v5, vcc, s21, v1
    image_load v[8:11], v[4:5], s[0:7] dmask:0xf unorm
    s_waitcnt vmcnt(0)
    v_sub_f32 v8, 1.0, v8
    v_sub_f32 v9, 1.0, v9
    v_sub_f32 v10, 1.0, v10
    v_mov_b32 v11, 1.0
    image_store v[8:11], v[4:5], s[8:15] dmask:0xf unorm
    s_endpgm
";

#[test]
fn a_picture_is_changed_by_a_compute_shader() {
    both("invert", |scene| {
        let drawn = Target { tile_mode: 14, ..scene.target(128, 128) };
        let last = Target { tile_mode: 10, ..scene.target(128, 128) };
        draws::triangle(scene, &drawn);
        let program = scene.program(INVERT);
        let user: Vec<u32> = drawn.texture().0.into_iter().chain(last.texture().0).collect();
        scene.dispatch(program, [8, 8, 1], &user, [16, 16, 1]);
        last
    });
}

/// Writes a gradient of 64 x 64 texels into a buffer at s[0:3]; groups of 8 x 8.
const GRADIENT: &str = "
    s_lshl_b32 s20, s16, 3
    s_lshl_b32 s21, s17, 3
    v_add_i32 v4, vcc, s20, v0
    v_add_i32 v5, vcc, s21, v1
    v_lshlrev_b32 v6, 2, v4
    v_lshlrev_b32 v7, 2, v5
    v_lshlrev_b32 v7, 8, v7
    v_or_b32 v6, v6, v7
    v_or_b32 v6, 0xff400000, v6
    v_lshlrev_b32 v8, 6, v5
    v_add_i32 v8, vcc, v8, v4
    v_lshlrev_b32 v8, 2, v8
    buffer_store_dword v6, v8, s[0:3], 0 offen
    s_endpgm
";

#[test]
fn what_a_shader_stored_into_a_buffer_is_a_texture() {
    both("gradient", |scene| {
        let texels = scene.alloc(64 * 64 * 4, 256);
        let program = scene.program(GRADIENT);
        scene.dispatch(program, [8, 8, 1], &records(texels, 0, 64 * 64 * 4, BUF_DATA_FORMAT_32).0, [8, 8, 1]);
        let target = scene.target(128, 96);
        let image = texture(texels, [64, 64], IMG_DATA_FORMAT_8_8_8_8, IMG_NUM_FORMAT_UNORM);
        draws::over_the_screen(scene, &target, [image; 2]);
        target
    });
}

/// Stores the four words of a draw without indices at s[0:3]: three vertices, one instance.
const ARGUMENTS: &str = "
    v_mov_b32 v4, 3
    v_mov_b32 v5, 1
    v_mov_b32 v6, 0
    v_mov_b32 v7, 0
    buffer_store_dwordx4 v[4:7], off, s[0:3], 0
    s_endpgm
";

#[test]
fn a_draw_has_the_counts_that_a_shader_stored() {
    both("triangle", |scene| {
        let arguments = scene.room(16);
        let program = scene.program(ARGUMENTS);
        scene.dispatch(program, [1, 1, 1], &records(arguments, 0, 16, BUF_DATA_FORMAT_32).0, [1, 1, 1]);
        let target = scene.target(128, 96);
        draws::triangle_state(scene, &target);
        scene.packet(op::SET_BASE, &[1, arguments as u32, (arguments >> 32) as u32]);
        scene.set(reg::VGT_PRIMITIVE_TYPE, &[DI_PT_TRILIST]);
        scene.call(&calls::DrawIndirect { data_offset: 0, stage: 2, vertex_sgpr: 0, instance_sgpr: 0, flags: 0 });
        target
    });
}
