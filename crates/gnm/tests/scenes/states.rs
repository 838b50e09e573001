//! What draws depend on besides shaders: kinds of primitives and indices, samples, counts.

use crate::both;
use crate::draws::{INPUT, POSITION_COLOR, Vertex, cleared_depth, triangle_state};
use crate::rig::{Encoding, Pixel, Scene, Target, records};
use afterimage_gnm::driver::calls;
use afterimage_gnm_types::{op, reg, value::*};

#[test]
fn indices_have_8_16_and_32_bits() {
    let indices: [(u32, &[u8]); 3] =
        [(0, &[2, 0, 0, 0, 1, 0]), (1, &[2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0]), (2, &[2, 0, 1])];
    for (kind, bytes) in indices {
        both("triangle", |scene| {
            let target = scene.target(128, 96);
            triangle_state(scene, &target);
            let at = scene.put(bytes);
            scene.set(reg::VGT_PRIMITIVE_TYPE, &[DI_PT_TRILIST]);
            scene.packet(op::INDEX_TYPE, &[kind]);
            let index_address = [at as u32, (at >> 32) as u32];
            scene.call(&calls::DrawIndex { index_count: 3, index_address, flags: 0, kind: 0 });
            target
        });
    }
}

#[test]
fn every_kind_of_primitive() {
    both("primitives", |scene| {
        let target = scene.target(256, 192);
        scene.color(0, &target);
        scene.screen(256, 192, 15);
        // Up and down to the right; neither vertices in a row nor every other ones lie on a line.
        let vertices: Vec<Vertex> = (0..12u8)
            .map(|n| {
                let (x, y) = (f32::from(n) / 6.0 - 0.92, [-0.7, 0.7, 0.1, 0.5][usize::from(n % 4)]);
                [[x, y, 0.5, 1.0], [1.0 - f32::from(n) / 12.0, f32::from(n) / 12.0, f32::from(n % 3) / 2.0, 1.0]]
            })
            .collect();
        let address = scene.put(vertices.as_flattened().as_flattened());
        let (vertex, pixel) = (scene.program(POSITION_COLOR), scene.program(INPUT));
        scene.vertex(vertex, 1, &records(address, 32, 12, BUF_DATA_FORMAT_32_32_32_32).0);
        scene.pixel(pixel, Pixel::new(1), &[]);
        // Points of four pixels.
        scene.set(reg::PA_SU_POINT_SIZE, &[0x0020_0020]);
        let kinds = [1, 2, 3, 4, 5, 6, 10, 11, 12, 13, 17, 18, 19, 20, 21];
        for (n, kind) in (0u8..).zip(kinds) {
            let (column, row) = (f32::from(n % 4), f32::from(n / 4));
            let (x, y) = (64.0 * column + 32.0, 48.0 * row + 24.0);
            scene.set_floats(reg::PA_CL_VPORT_XSCALE, &[30.0, x, -22.0, y, 1.0, 0.0]);
            scene.draw(kind, 12);
        }
        target
    });
}

#[test]
fn samples_that_pass_are_counted() {
    for encoding in [Encoding::Standard, Encoding::Private] {
        let mut scene = Scene::new(encoding);
        let target = scene.target(128, 96);
        triangle_state(&mut scene, &target);
        use reg::DB_COUNT_CONTROL as C;
        scene.set(reg::DB_COUNT_CONTROL, &[C::PERFECT_ZPASS_COUNTS.bits(1) | C::ZPASS_ENABLE.bits(1)]);
        let counts = scene.alloc(16 * 8, 16);
        let count = |scene: &mut Scene, at: u64| {
            scene.packet(op::EVENT_WRITE, &[ZPASS_DONE | 1 << 8, at as u32, (at >> 32) as u32]);
        };
        count(&mut scene, counts);
        scene.draw(DI_PT_TRILIST, 3);
        count(&mut scene, counts + 8);
        let mut ran = scene.run();
        let read = ran.read(counts, 16);
        let lit = ran.picture(&target).as_chunks::<4>().0.iter().filter(|pixel| pixel[3] != 0).count() as u64;
        ran.finish();
        let [begin, end] = [0, 8].map(|at| u64::from_le_bytes(read[at..at + 8].try_into().unwrap()));
        assert_eq!((begin >> 63, end >> 63), (1, 1), "they were written");
        assert!(lit > 1000);
        assert_eq!(end - begin, lit);
    }
}

#[test]
fn samples_are_resolved() {
    both("samples", |scene| {
        let many = Target { tile_mode: 14, ..scene.target(128, 128) };
        // Four samples need four times the room.
        scene.alloc(128 * 128 * 4 * 3, 256);
        let one = Target { tile_mode: 14, ..scene.target(128, 128) };
        triangle_state(scene, &many);
        use reg::CB_COLOR0_ATTRIB as A;
        let attrib = A::TILE_MODE_INDEX.bits(14) | A::NUM_SAMPLES.bits(2) | A::NUM_FRAGMENTS.bits(2);
        scene.set(reg::CB_COLOR0_ATTRIB, &[attrib]);
        scene.set(reg::PA_SC_AA_CONFIG, &[reg::PA_SC_AA_CONFIG::MSAA_NUM_SAMPLES.bits(2)]);
        scene.draw(DI_PT_TRILIST, 3);
        scene.color(1, &one);
        scene.set(reg::CB_COLOR_CONTROL, &[reg::CB_COLOR_CONTROL::MODE.bits(3)]);
        scene.draw(DI_PT_RECTLIST, 3);
        one
    });
}

#[test]
fn the_part_of_a_picture_that_scissors_leave_is_drawn() {
    both("scissors", |scene| {
        let target = scene.target(128, 96);
        triangle_state(scene, &target);
        scene.set(reg::PA_SC_GENERIC_SCISSOR_TL, &[1 << 31 | 20 << 16 | 40, 70 << 16 | 100]);
        scene.set(reg::PA_SC_WINDOW_SCISSOR_TL, &[1 << 31 | 30 << 16, 96 << 16 | 90]);
        scene.draw(DI_PT_TRILIST, 3);
        target
    });
}

#[test]
fn clip_rectangles_leave_a_part() {
    both("clip_rectangles", |scene| {
        let target = scene.target(128, 96);
        triangle_state(scene, &target);
        // What lies in the first rectangle, or in the second, which goes on where the first ends.
        scene.set(reg::PA_SC_CLIPRECT_0_TL, &[20 << 16 | 30, 70 << 16 | 60, 20 << 16 | 60, 70 << 16 | 100]);
        scene.set(reg::PA_SC_CLIPRECT_RULE, &[0xEEEE]);
        scene.draw(DI_PT_TRILIST, 3);
        target
    });
}

#[test]
fn a_viewport_can_be_mirrored() {
    both("mirrored", |scene| {
        let target = scene.target(128, 96);
        triangle_state(scene, &target);
        scene.set_floats(reg::PA_CL_VPORT_XSCALE, &[-64.0, 64.0, -48.0, 48.0, 1.0, 0.0]);
        // The triangle is clockwise where nothing is mirrored, and faces front as it is here.
        scene.set(reg::PA_SU_SC_MODE_CNTL, &[reg::PA_SU_SC_MODE_CNTL::CULL_BACK.bits(1)]);
        scene.draw(DI_PT_TRILIST, 3);
        target
    });
}

#[test]
fn stencils_of_both_faces_have_their_own_values() {
    both("stencil_faces", |scene| {
        let target = scene.target(128, 96);
        scene.color(0, &target);
        scene.screen(128, 96, 15);
        let corner = |x: f32, y: f32, color| [[x, y, 0.5, 1.0], color];
        let mut vertices: Vec<Vertex> = Vec::new();
        let white = [1.0; 4];
        // Counter-clockwise, which is front; clockwise; counter-clockwise over both.
        vertices.extend([(-0.9, -0.8), (-0.1, -0.8), (-0.5, 0.8)].map(|(x, y)| corner(x, y, white)));
        vertices.extend([(0.1, -0.8), (0.5, 0.8), (0.9, -0.8)].map(|(x, y)| corner(x, y, white)));
        vertices.extend([(-0.8, -0.9), (0.8, -0.9), (0.0, 0.3)].map(|(x, y)| corner(x, y, white)));
        let probes: [(u32, [f32; 4]); 6] = [
            (1, [1.0, 0.0, 0.0, 1.0]),
            (6, [0.0, 1.0, 0.0, 1.0]),
            (1 ^ 5, [0.0, 0.0, 1.0, 1.0]),
            (6 ^ 5, [1.0, 1.0, 0.0, 1.0]),
            (5, [0.0, 1.0, 1.0, 1.0]),
            (0, [0.3, 0.3, 0.3, 1.0]),
        ];
        for (_, color) in probes {
            vertices.extend([(-1.0, -1.0), (3.0, -1.0), (-1.0, 3.0)].map(|(x, y)| corner(x, y, color)));
        }
        let address = scene.put(vertices.as_flattened().as_flattened());
        let (vertex, pixel) = (scene.program(POSITION_COLOR), scene.program(INPUT));
        scene.vertex(vertex, 1, &records(address, 32, vertices.len() as u32, BUF_DATA_FORMAT_32_32_32_32).0);
        scene.pixel(pixel, Pixel::new(1), &[]);
        // Counter-clockwise is front.
        scene.set(reg::PA_SU_SC_MODE_CNTL, &[0]);
        let stencil = scene.alloc(256 * 256, 64 << 10);
        scene.set(reg::DB_STENCIL_CLEAR, &[0]);
        scene.set(
            reg::DB_STENCIL_INFO,
            &[reg::DB_STENCIL_INFO::FORMAT.bits(1) | reg::DB_STENCIL_INFO::TILE_MODE_INDEX.bits(2)],
        );
        let depth = cleared_depth(scene, 256, 256);
        scene.set(reg::DB_Z_READ_BASE, &[depth, stencil, depth, stencil].map(|at| (at >> 8) as u32));
        let clears = [reg::DB_RENDER_CONTROL::DEPTH_CLEAR_ENABLE, reg::DB_RENDER_CONTROL::STENCIL_CLEAR_ENABLE];
        scene.set(reg::DB_RENDER_CONTROL, &[clears[0].bits(1) | clears[1].bits(1)]);
        scene.set(reg::CB_TARGET_MASK, &[0]);
        scene.draw(DI_PT_RECTLIST, 3);
        scene.set(reg::DB_RENDER_CONTROL, &[0]);
        use reg::{DB_DEPTH_CONTROL as D, DB_STENCIL_CONTROL as S};
        let tests = D::STENCIL_ENABLE.bits(1) | D::BACKFACE_ENABLE.bits(1);
        let always = D::STENCILFUNC.bits(FRAG_ALWAYS) | D::STENCILFUNC_BF.bits(FRAG_ALWAYS);
        let mut draw = |control: u32, ops: u32, values: [u32; 2], first: u32, count: u32| {
            scene.set(reg::DB_DEPTH_CONTROL, &[tests | control]);
            scene.set(reg::DB_STENCIL_CONTROL, &[ops]);
            // The value that is compared, masks of comparison and writes, the operation's value.
            scene.set(reg::DB_STENCILREFMASK, &values);
            scene.set(reg::VGT_INDX_OFFSET, &[first]);
            scene.draw(DI_PT_TRILIST, count);
            scene.set(reg::CB_TARGET_MASK, &[if first < 6 { 0 } else { 15 }]);
        };
        // Front faces put 1, back ones set bits 1 and 2; then bits 0 and 2 are turned over.
        let ops = S::STENCILZPASS.bits(STENCIL_REPLACE_TEST) | S::STENCILZPASS_BF.bits(STENCIL_OR);
        draw(always, ops, [0x00FF_FF01, 0x06FF_FF09], 0, 6);
        draw(always, S::STENCILZPASS.bits(STENCIL_XOR), [0x05FF_FF00, 0x00FF_FF00], 6, 3);
        for (n, (value, _)) in probes.iter().enumerate() {
            let equal = D::STENCILFUNC.bits(FRAG_EQUAL) | D::STENCILFUNC_BF.bits(FRAG_NEVER);
            draw(equal, 0, [0x0000_FF00 | value; 2], 9 + 3 * n as u32, 3);
        }
        target
    });
}
