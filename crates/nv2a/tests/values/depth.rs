//! Depth buffers: what each format keeps of a depth, and every comparison with it.

use super::{COLOR, ZETA, rectangle, rig::Rig, source};
use afterimage_nv2a::memory::GuestMemory;
use afterimage_nv2a_types::method;
use afterimage_texture::nv2a::depth::{float_16, float_24};

const SIZE: u32 = 8;
const Z16: u32 = 1;
const Z24S8: u32 = 2;
const ALWAYS: u32 = 0x207;
const FLOAT: u32 = 1 << 12;
const W_BUFFER: u32 = 1 << 16;

/// A depth buffer of a format, cleared to zeros.
fn scene(format: u32, control: u32) -> Rig {
    let mut rig = Rig::on_screen(SIZE, source::DIFFUSE);
    let bytes = if format == Z16 { 2 } else { 4 };
    rig.surface(0x108 | format << 4, [SIZE, SIZE], [4 * SIZE, bytes * SIZE]);
    for (at, value) in [
        (method::SET_CONTROL0, 1 << 20 | control),
        (method::SET_DEPTH_TEST_ENABLE, 1),
        (method::SET_DEPTH_MASK, 1),
        (method::SET_DEPTH_FUNC, ALWAYS),
        (method::SET_CLIP_MAX, f32::MAX.to_bits()),
    ] {
        rig.set(at, value);
    }
    rig.clear(0xF3, 0, 0, [0, 0, SIZE, SIZE]);
    rig
}

/// Draws a column for each depth, which is z, or w in a W buffer.
fn columns(rig: &mut Rig, control: u32, depths: [f32; 8]) {
    for (x, depth) in (0..SIZE).zip(depths) {
        rectangle(rig, [x as f32, 0.0, x as f32 + 1.0, SIZE as f32], |vertex| {
            vertex[0][if control & W_BUFFER != 0 { 3 } else { 2 }] = depth;
            vertex[3] = [1.0; 4];
        });
    }
}

#[test]
fn every_format_keeps_the_next_depth_below() {
    let cases = [
        (
            Z16,
            0,
            [0.0, 0.75, 1.0, 255.5, 32767.0, 32767.75, 65535.0, 70000.0],
            [0, 0, 1, 255, 32767, 32767, 65535, 65535],
        ),
        (
            Z24S8,
            0,
            [0.0, 0.75, 1.0, 255.5, 8_388_607.0, 8_388_608.0, 16_777_215.0, 2e7],
            [0, 0, 1, 255, 0x7F_FFFF, 0x80_0000, 0xFF_FFFF, 0xFF_FFFF],
        ),
        (
            Z16,
            FLOAT,
            [0.0, float_16(1), float_16(0xFFF), float_16(0x1000), 1.0001, 1.5, 511.9375, 1e9],
            [0, 0, 0, 0x1000, 0x7000, 0x7800, 0xFFFF, 0xFFFF],
        ),
        (
            Z24S8,
            FLOAT,
            [0.0, 1e-40, float_24(0x2_0000), 1.0, 1.000_001, float_24(0x7F_0001), 65536.5, 1e30],
            [0, 0, 0x2_0000, 0x7F_0000, 0x7F_0000, 0x7F_0001, 0x8F_0000, 0xE2_93E5],
        ),
        (
            Z16,
            W_BUFFER,
            [0.5, 1.0, 2.25, 255.5, 4096.0, 32767.75, 65535.0, 70000.0],
            [0, 1, 2, 255, 4096, 32767, 65535, 65535],
        ),
    ];
    for (format, control, depths, expected) in cases {
        let mut rig = scene(format, control);
        columns(&mut rig, control, depths);
        let bytes = if format == Z16 { 2 } else { 4 };
        rig.graphics.write_back(&mut rig.memory, ZETA, bytes * SIZE * SIZE);
        for (x, (depth, expected)) in (0..).zip(depths.into_iter().zip(expected)) {
            let word = rig.pixel(ZETA + bytes * (3 * SIZE + x), bytes);
            let kept = if format == Z16 { word } else { word >> 8 };
            // Hosts' quotients of w are off by a little.
            let room = if control & W_BUFFER != 0 { 1 } else { 0 };
            let what = format!("format {format}, control {control:#x}: {depth}");
            assert!(kept.abs_diff(expected) <= room, "{what}: {kept:#x}, not {expected:#x}");
        }
        rig.finish();
    }
}

#[test]
fn every_comparison_in_every_format() {
    for (format, control) in [(Z16, 0), (Z24S8, 0), (Z16, FLOAT), (Z24S8, FLOAT)] {
        let mut rig = scene(format, control);
        for function in 0x200..=0x207 {
            rig.set(method::SET_DEPTH_FUNC, ALWAYS);
            columns(&mut rig, control, [100.0; 8]);
            rig.clear(0xF0, 0, 0, [0, 0, SIZE, SIZE]);
            rig.set(method::SET_DEPTH_FUNC, function);
            let depths = [50.0, 100.0, 150.0, 100.0, 50.0, 150.0, 100.0, 100.0];
            columns(&mut rig, control, depths);
            rig.graphics.write_back(&mut rig.memory, COLOR, 4 * SIZE * SIZE);
            for (x, depth) in (0..).zip(depths) {
                let passes = [
                    false,
                    depth < 100.0,
                    depth == 100.0,
                    depth <= 100.0,
                    depth > 100.0,
                    depth != 100.0,
                    depth >= 100.0,
                    true,
                ][(function & 7) as usize];
                let pixel = rig.memory.word(COLOR + 4 * (3 * SIZE + x)).expect("inside of memory");
                assert_eq!(
                    pixel != 0,
                    passes,
                    "format {format}, control {control:#x}, function {function:#x}: {depth}"
                );
            }
        }
        rig.finish();
    }
}
