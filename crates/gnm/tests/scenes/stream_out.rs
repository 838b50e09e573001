//! Stream-out: vertices go into a buffer, and another draw has them from there.

use crate::both;
use crate::draws::{INPUT, POSITION_COLOR};
use crate::rig::{Pixel, Scene, records};
use afterimage_gnm::driver::calls;
use afterimage_gnm_types::{op, reg, value::*};

/// Reads a position and a colour through s[0:3], halves the position and moves it by the number of the instance, and captures
/// both into the buffer of s[4:7], as compilers have it: lanes below the count in s16, from the index in s17 and the word in s18
/// on.
const FEEDBACK: &str = "
    buffer_load_format_xyzw v[4:7], v0, s[0:3], 0 idxen
    buffer_load_format_xyzw v[8:11], v0, s[0:3], 0 idxen offset:16
    v_cvt_f32_u32 v13, v3
    v_mbcnt_lo_u32_b32 v12, -1, 0
    s_bfe_u32 s20, s16, 0x70010
    v_mbcnt_hi_u32_b32 v12, -1, v12
    s_waitcnt vmcnt(0)
    v_mul_f32 v4, 0.5, v4
    v_mul_f32 v5, 0.5, v5
    v_add_f32 v4, v4, v13
    v_add_f32 v4, -0.5, v4
    v_cmp_gt_i32 vcc, s20, v12
    s_and_saveexec_b64 s[22:23], vcc
    v_add_i32 v12, vcc, s17, v12
    v_lshlrev_b32 v12, 5, v12
    s_lshl_b32 s21, s18, 2
    buffer_store_dwordx4 v[4:7], v12, s[4:7], s21 offen
    buffer_store_dwordx4 v[8:11], v12, s[4:7], s21 offen offset:16
    s_mov_b64 exec, s[22:23]
    exp pos0 v4, v5, v6, v7 done
    exp param0 v8, v9, v10, v11
    s_endpgm
";

/// Room in the buffer, in vertices of 32 bytes.
const ROOM: u32 = 17;

/// Sets the program up that captures, with its vertices.
fn capturing(scene: &mut Scene, vertices: &[[f32; 4]], buffer: u64) {
    let at = scene.put(vertices.as_flattened());
    let program = scene.program(FEEDBACK);
    // 16 user SGPRs, then those of stream-out with one buffer.
    let regs =
        [(program >> 8) as u32, (program >> 40) as u32, 3 << 24 | 0xC0 << 12, 16 << 1 | 1 << 8 | 1 << 12, 0, 4, 0];
    scene.call(&calls::SetVsShader { regs, modifier: 0 });
    let source = records(at, 32, vertices.len() as u32 / 2, BUF_DATA_FORMAT_32_32_32_32);
    let out = records(buffer, 0, 32 * ROOM, BUF_DATA_FORMAT_32);
    scene.set(reg::SPI_SHADER_USER_DATA_VS_0, &[source.0, out.0].concat());
}

/// Captures a strip of the vertices that it is given, from the first or backwards by indices, and draws what was captured.
fn captured_and_drawn(indexed: bool) {
    both("stream_out", |scene| {
        let target = scene.target(128, 64);
        scene.color(0, &target);
        scene.screen(target.width, target.height, 15);
        let buffer = scene.room(u64::from(32 * ROOM));
        scene.set(reg::VGT_STRMOUT_CONFIG, &[1]);
        scene.set(reg::VGT_STRMOUT_BUFFER_CONFIG, &[1]);
        scene.set(reg::VGT_STRMOUT_BUFFER_SIZE_0, &[8 * ROOM, 8]);
        // From the beginning on; nothing is drawn.
        scene.packet(op::STRMOUT_BUFFER_UPDATE, &[0, 0, 0, 0, 0]);
        use reg::PA_CL_CLIP_CNTL as C;
        scene.set(reg::PA_CL_CLIP_CNTL, &[C::DX_CLIP_SPACE_DEF.bits(1) | C::DX_RASTERIZATION_KILL.bits(1)]);
        // A strip's two triangles in each of two instances: 12 vertices.
        let strip = [
            [-0.9, -0.9, 0.5, 1.0],
            [1.0, 0.0, 0.0, 1.0],
            [-0.9, 0.9, 0.5, 1.0],
            [0.0, 1.0, 0.0, 1.0],
            [0.1, -0.9, 0.5, 1.0],
            [0.0, 0.0, 1.0, 1.0],
            [0.1, 0.9, 0.5, 1.0],
            [1.0, 1.0, 0.0, 1.0],
        ];
        if indexed {
            let backwards: Vec<_> = strip.as_chunks::<2>().0.iter().rev().copied().collect();
            capturing(scene, backwards.as_flattened(), buffer);
            scene.packet(op::NUM_INSTANCES, &[2]);
            scene.draw_indexed(DI_PT_TRISTRIP, &[3, 2, 1, 0]);
        } else {
            capturing(scene, &strip, buffer);
            scene.packet(op::NUM_INSTANCES, &[2]);
            scene.draw(DI_PT_TRISTRIP, 4);
        }
        // Then triangles, of which the first has room.
        let triangles = [
            [0.2, -0.9, 0.5, 1.0],
            [1.0, 1.0, 1.0, 1.0],
            [0.9, -0.9, 0.5, 1.0],
            [1.0, 0.0, 1.0, 1.0],
            [0.5, 0.9, 0.5, 1.0],
            [0.0, 1.0, 1.0, 1.0],
        ];
        capturing(scene, &triangles, buffer);
        scene.packet(op::NUM_INSTANCES, &[2]);
        scene.draw(DI_PT_TRILIST, 3);
        // How much there is goes to memory, and from there to the draw.
        let filled = scene.room(4);
        let [low, high] = [filled as u32, (filled >> 32) as u32];
        scene.packet(op::STRMOUT_BUFFER_UPDATE, &[1 | 3 << 1 | 1 << 7, low, high, 0, 0]);
        scene.packet(op::COPY_DATA, &[1, low, high, reg::VGT_STRMOUT_DRAW_OPAQUE_BUFFER_FILLED_SIZE / 4, 0]);
        scene.set(reg::VGT_STRMOUT_DRAW_OPAQUE_VERTEX_STRIDE, &[32]);
        scene.set(reg::VGT_STRMOUT_CONFIG, &[0]);
        scene.set(reg::PA_CL_CLIP_CNTL, &[C::DX_CLIP_SPACE_DEF.bits(1)]);
        scene.packet(op::NUM_INSTANCES, &[1]);
        let (vertex, pixel) = (scene.program(POSITION_COLOR), scene.program(INPUT));
        scene.vertex(vertex, 1, &records(buffer, 32, ROOM, BUF_DATA_FORMAT_32_32_32_32).0);
        scene.pixel(pixel, Pixel::new(1), &[]);
        scene.set(reg::VGT_PRIMITIVE_TYPE, &[DI_PT_TRILIST]);
        use reg::VGT_DRAW_INITIATOR as I;
        scene.packet(op::DRAW_INDEX_AUTO, &[0, I::SOURCE_SELECT.bits(2) | I::USE_OPAQUE.bits(1)]);
        target
    });
}

#[test]
fn what_is_captured_is_drawn() {
    captured_and_drawn(false);
}

#[test]
fn what_is_captured_by_indices_is_drawn() {
    captured_and_drawn(true);
}
