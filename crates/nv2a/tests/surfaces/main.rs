//! Clears of surfaces through the renderer: memory in, memory out. (Draws need shaders; the recordings have those.)

#[allow(dead_code, reason = "the draws' and textures' tests use the rest")]
mod rig;

use afterimage_nv2a::memory::GuestMemory;
use afterimage_nv2a_types::method;
use afterimage_stream::Kind;
use rig::Rig;

const COLOR: u32 = 0x10_0000;
const ZETA: u32 = 0x20_0000;
/// Bits of `CLEAR_SURFACE`.
const DEPTH: u32 = 1;
const STENCIL: u32 = 2;
const RGBA: u32 = 0xF0;

/// `SET_SURFACE_FORMAT` of a surface by pitch.
fn by_pitch(color: u32, zeta: u32) -> u32 {
    0x100 | zeta << 4 | color
}

fn swizzled(color: u32, log2_width: u32, log2_height: u32) -> u32 {
    log2_height << 24 | log2_width << 16 | 0x200 | 0x20 | color
}

#[test]
fn a_cleared_rectangle_is_in_memory_in_every_format() {
    // Format, clear value, bytes of a pixel, what a pixel is then.
    let cases = [
        (1, 0xFFFF_8123, 2, 0x0123),
        (2, 0x0123, 2, 0x8123),
        (3, 0xABCD, 2, 0xABCD),
        (4, 0x1122_3344, 4, 0x0022_3344),
        (5, 0x1122_3344, 4, 0xFF22_3344),
        (6, 0xFF22_3344, 4, 0x7F22_3344),
        (7, 0x0022_3344, 4, 0x8022_3344),
        (8, 0x8122_3344, 4, 0x8122_3344),
        (9, 0x44, 1, 0x44),
        (10, 0x3344, 2, 0x3344),
    ];
    let mut rig = Rig::new();
    for (format, value, bytes, pixel) in cases {
        rig.fill(COLOR, 64 * 16, 0x5A);
        rig.surface(by_pitch(format, 2), [16, 16], [64, 64]);
        rig.clear(RGBA, value, 0, [2, 3, 5, 4]);
        rig.graphics.write_back(&mut rig.memory, COLOR, 64 * 16);
        let at = |x: u32, y: u32| rig.pixel(COLOR + 64 * y + x * bytes, bytes);
        for (x, y) in [(2, 3), (6, 6), (4, 5)] {
            assert_eq!(at(x, y), pixel, "format {format}: {x}, {y}");
        }
        let untouched = 0x5A5A_5A5A >> (32 - 8 * bytes);
        for (x, y) in [(1, 3), (7, 3), (2, 2), (6, 7), (15, 15)] {
            assert_eq!(at(x, y), untouched, "format {format}: {x}, {y}");
        }
    }
    rig.finish();
}

#[test]
fn only_the_named_channels_are_cleared() {
    let mut rig = Rig::new();
    rig.fill(COLOR, 64 * 16, 0x11);
    rig.surface(by_pitch(8, 2), [16, 16], [64, 64]);
    rig.clear(0x20, 0xFFFF_FFFF, 0, [0, 0, 16, 16]);
    assert_eq!(rig.written(COLOR), 0x1111_FF11, "green");
    rig.clear(0x90, 0x2233_4455, 0, [0, 0, 16, 16]);
    assert_eq!(rig.written(COLOR), 0x2233_FF11, "red and alpha");
    rig.finish();
}

#[test]
fn depth_and_stencil_are_cleared_apart() {
    let mut rig = Rig::new();
    rig.fill(ZETA, 64 * 16, 0x11);
    rig.surface(by_pitch(8, 2), [16, 16], [64, 64]);
    rig.clear(DEPTH, 0, 0xABCD_EF77, [0, 0, 16, 8]);
    rig.clear(STENCIL, 0, 0x0000_0042, [0, 4, 16, 8]);
    assert_eq!(rig.written(ZETA), 0xABCD_EF11);
    assert_eq!(rig.written(ZETA + 64 * 4), 0xABCD_EF42);
    assert_eq!(rig.written(ZETA + 64 * 8), 0x1111_1142);
    assert_eq!(rig.written(ZETA + 64 * 12), 0x1111_1111);
    for depth in [0, 1, 2, 0x12_3457, 0x7F_FFFF, 0x80_0000, 0x80_0001, 0xC3_A5F1, 0xFF_FFFE, 0xFF_FFFF] {
        rig.clear(DEPTH, 0, depth << 8, [0, 15, 16, 1]);
        assert_eq!(rig.written(ZETA + 64 * 15), depth << 8 | 0x11, "every depth is kept");
    }
    rig.surface(by_pitch(8, 1), [16, 16], [64, 64]);
    rig.clear(DEPTH | STENCIL, 0, 0xFFFF_8001, [0, 0, 16, 1]);
    assert_eq!(rig.written(ZETA), 0x8001_8001);
    assert_eq!(rig.written(ZETA + 32), 0xABCD_EF11, "a row has 16 depths of two bytes");
    rig.finish();
}

#[test]
fn clears_stay_inside_of_the_surface_clip() {
    let mut rig = Rig::new();
    rig.surface(by_pitch(8, 2), [16, 16], [64, 64]);
    rig.set(method::SET_SURFACE_CLIP_HORIZONTAL, 8 << 16 | 4);
    rig.set(method::SET_SURFACE_CLIP_VERTICAL, 2 << 16 | 3);
    rig.clear(RGBA, u32::MAX, 0, [0, 0, 640, 480]);
    rig.graphics.write_back(&mut rig.memory, COLOR, 0x1000);
    let lit: Vec<u32> = (0..1024).filter(|word| rig.memory.word(COLOR + 4 * word) == Some(u32::MAX)).collect();
    let expected: Vec<u32> = [3, 4].into_iter().flat_map(|y| (4..12).map(move |x| 16 * y + x)).collect();
    assert_eq!(lit, expected);
    rig.finish();
}

#[test]
fn anti_aliased_surfaces_have_more_samples() {
    let mut rig = Rig::new();
    for (mode, [across, down]) in [(1, [2, 1]), (2, [2, 2])] {
        rig.fill(COLOR, 0x4000, 0);
        rig.surface(by_pitch(8, 2) | mode << 12, [8, 8], [128, 128]);
        rig.clear(RGBA, u32::MAX, 0, [1, 2, 3, 1]);
        rig.graphics.write_back(&mut rig.memory, COLOR, 0x4000);
        let lit = |x: u32, y: u32| rig.memory.word(COLOR + 128 * y + 4 * x) == Some(u32::MAX);
        let count = (0..32).flat_map(|y| (0..32).map(move |x| (x, y))).filter(|(x, y)| lit(*x, *y)).count() as u32;
        assert_eq!(count, 3 * across * down);
        assert!(lit(across, 2 * down) && lit(4 * across - 1, 3 * down - 1));
    }
    rig.finish();
}

#[test]
fn swizzled_surfaces_are_in_morton_order() {
    let mut rig = Rig::new();
    rig.fill(COLOR, 0x1000, 0);
    rig.surface(swizzled(8, 4, 3), [640, 480], [64, 64]);
    rig.clear(RGBA, 0x0102_0304, 0, [3, 5, 1, 1]);
    rig.graphics.write_back(&mut rig.memory, COLOR, 0x1000);
    // x = 0011, y = 101: from the top x3 y2 x2 y1 x1 y0 x0.
    let lit: Vec<u32> = (0..1024).filter(|word| rig.memory.word(COLOR + 4 * word) != Some(0)).collect();
    assert_eq!(lit, [0b010_0111]);
    rig.finish();
}

#[test]
fn memory_is_the_truth_between_formats() {
    let mut rig = Rig::new();
    rig.surface(by_pitch(8, 2), [16, 16], [64, 64]);
    rig.clear(RGBA, 0x1234_5678, 0, [0, 0, 16, 16]);
    // The same memory, with two bytes a pixel and rows half as long: pixels 0 and 1 are one of the others.
    rig.surface(by_pitch(3, 2), [32, 32], [64, 64]);
    rig.clear(RGBA, 0xFFFF, 0, [0, 0, 1, 1]);
    rig.surface(by_pitch(8, 2), [16, 16], [64, 64]);
    rig.clear(0x10, 0x00AA_0000, 0, [0, 0, 2, 1]);
    assert_eq!(rig.written(COLOR), 0x12AA_FFFF);
    assert_eq!(rig.written(COLOR + 4), 0x12AA_5678);
    assert_eq!(rig.written(COLOR + 8), 0x1234_5678);
    // The colour surface's memory as a zeta surface.
    rig.set(method::SET_SURFACE_ZETA_OFFSET, COLOR);
    rig.clear(STENCIL, 0, 0xEE, [2, 0, 1, 1]);
    assert_eq!(rig.written(COLOR + 8), 0x1234_56EE);
    rig.finish();
}

#[test]
fn nothing_moves_within_one_format() {
    let mut rig = Rig::new();
    let moves = [Kind::ReadBack, Kind::UpdateTexture, Kind::Blit];
    rig.surface(by_pitch(8, 2), [16, 16], [64, 64]);
    rig.clear(RGBA | DEPTH, 1, 0, [0, 0, 16, 16]);
    assert_eq!(rig.sent(moves), [0, 2, 0], "colour and zeta come from memory once");
    for n in 0..10 {
        rig.surface(by_pitch(8, 2), [16 - n, 16], [64, 64]);
        rig.clear(RGBA | DEPTH, n, n, [0, 0, 16, 16]);
    }
    assert_eq!(rig.sent(moves), [0, 0, 0]);
    rig.graphics.write_back(&mut rig.memory, COLOR, 64);
    rig.graphics.write_back(&mut rig.memory, COLOR, 64);
    assert_eq!(rig.sent(moves), [1, 0, 0], "what was written is not written again");
    rig.clear(RGBA | DEPTH, 1, 0, [0, 0, 16, 16]);
    assert_eq!(rig.sent(moves), [0, 0, 0], "a write back of our own is no write of the processor");
    rig.finish();
}

#[test]
fn the_processor_and_the_surface_see_each_others_writes() {
    let mut rig = Rig::new();
    rig.surface(by_pitch(8, 2), [16, 256], [64, 64]);
    rig.clear(RGBA, 0x1111_1111, 0, [0, 0, 16, 256]);
    // Page 1 of the surface's four is the processor's, the others are drawn.
    rig.fill(COLOR + 0x1000, 0x1000, 0x22);
    rig.clear(RGBA, 0x3333_3333, 0, [0, 64, 1, 1]);
    let words = [0, 0xFFC, 0x1000, 0x1004, 0x1FFC, 0x2000, 0x3FFC].map(|at| rig.written(COLOR + at));
    let [one, two, three] = [0x1111_1111, 0x2222_2222, 0x3333_3333];
    assert_eq!(words, [one, one, three, two, two, one, one]);
    rig.fill(COLOR, 4, 0x44);
    assert_eq!(rig.written(COLOR), 0x4444_4444, "what the processor wrote last stays");
    rig.finish();
}

#[test]
fn surfaces_in_one_page_do_not_disturb_each_other() {
    let mut rig = Rig::new();
    let next = COLOR + 64 * 8;
    rig.surface(by_pitch(8, 2), [16, 8], [64, 64]);
    rig.clear(RGBA, 0x1111_1111, 0, [0, 0, 16, 8]);
    rig.set(method::SET_SURFACE_COLOR_OFFSET, next);
    rig.clear(RGBA, 0x2222_2222, 0, [0, 0, 16, 8]);
    assert_eq!(rig.written(COLOR), 0x1111_1111);
    assert_eq!(rig.written(next), 0x2222_2222, "storing the first was no write of the processor to the second");
    rig.finish();
}

#[test]
fn larger_clips_make_larger_surfaces() {
    let mut rig = Rig::new();
    rig.surface(by_pitch(8, 2), [4, 4], [64, 64]);
    rig.clear(RGBA, 0x1111_1111, 0, [0, 0, 16, 16]);
    rig.surface(by_pitch(8, 2), [16, 16], [64, 64]);
    rig.clear(RGBA, 0x2222_2222, 0, [4, 0, 16, 1]);
    assert_eq!([0, 12, 16, 60, 64, 80].map(|at| rig.written(COLOR + at)), {
        let (one, two) = (0x1111_1111, 0x2222_2222);
        [one, one, two, two, one, 0]
    });
    rig.finish();
}

#[test]
fn what_is_beyond_memory_goes_nowhere() {
    let mut rig = Rig::new();
    let end = rig.memory.size();
    rig.surface(by_pitch(8, 2), [16, 16], [64, 64]);
    rig.set(method::SET_SURFACE_COLOR_OFFSET, end - 100);
    rig.clear(RGBA, u32::MAX, 0, [0, 0, 16, 16]);
    assert_eq!(rig.written(end - 100), u32::MAX, "the first row is there");
    assert_eq!(rig.written(end - 40), u32::MAX);
    assert_eq!(rig.written(end - 36), 0, "a second one is not");
    for (register, value) in [
        (method::SET_SURFACE_COLOR_OFFSET, end),
        (method::SET_SURFACE_COLOR_OFFSET, u32::MAX),
        (method::SET_SURFACE_PITCH, 0),
        (method::SET_SURFACE_FORMAT, u32::MAX),
        (method::SET_SURFACE_FORMAT, 0),
        (method::SET_SURFACE_FORMAT, swizzled(8, 12, 12)),
        (method::SET_SURFACE_FORMAT, swizzled(8, 255, 255)),
        (method::SET_SURFACE_CLIP_HORIZONTAL, u32::MAX),
        (method::SET_SURFACE_CLIP_HORIZONTAL, 0),
    ] {
        rig.surface(by_pitch(8, 2), [16, 16], [64, 64]);
        rig.set(register, value);
        rig.clear(RGBA | DEPTH | STENCIL, 0, 0, [0, 0, 65536, 65536]);
    }
    rig.graphics.write_back(&mut rig.memory, 0, u32::MAX);
    rig.finish();
}

#[test]
fn surfaces_and_frames_without_end() {
    let mut rig = Rig::new();
    for n in 0..200u32 {
        rig.surface(by_pitch(8, 2), [16, 16], [64, 64]);
        rig.set(method::SET_SURFACE_COLOR_OFFSET, n * 0x1000);
        rig.clear(RGBA, n, 0, [0, 0, 16, 16]);
        rig.graphics.flush();
    }
    for n in 0..200 {
        assert_eq!(rig.written(n * 0x1000), n);
    }
    rig.finish();
}
