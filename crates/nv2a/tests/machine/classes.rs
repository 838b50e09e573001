//! The 2D classes.

use crate::rig::{ALL, Call, Rig, warnings};

const SURFACES: u32 = 0x20;
const BLIT: u32 = 0x21;
const CLIP: u32 = 0x22;
const ROP: u32 = 0x23;
const PATTERN: u32 = 0x24;
const BETA: u32 = 0x25;
const BETA4: u32 = 0x26;
const COPY: u32 = 0x27;
const LINE: u32 = 0x28;
const NULL: u32 = 0x29;

const SOURCE: u32 = 0x1000;
const DESTINATION: u32 = 0x4000;
const PITCH: u32 = 64;

/// Every class on a subchannel of its own, a blit that copies words of 32 bits.
fn rig() -> Rig {
    let mut rig = Rig::new();
    let classes =
        [(SURFACES, 0x62), (BLIT, 0x9F), (CLIP, 0x19), (ROP, 0x43), (PATTERN, 0x44), (BETA, 0x12), (BETA4, 0x72)];
    for (handle, class) in classes.into_iter().chain([(COPY, 0x39), (LINE, 0x5C), (NULL, 0x30)]) {
        rig.object(handle, class);
    }
    rig.push(1, 0, &[SURFACES]);
    rig.push(2, 0, &[BLIT]);
    rig.push(1, 0x184, &[ALL, ALL]);
    rig.push(1, 0x300, &[0x0A, PITCH << 16 | PITCH, SOURCE, DESTINATION]);
    rig.push(2, 0x19C, &[SURFACES]);
    rig
}

/// Sets the value of an object on subchannel 3 and refers to it from the blit.
fn value(rig: &mut Rig, handle: u32, value: u32, reference: u16) {
    rig.push(3, 0, &[handle]);
    rig.push(3, 0x300, &[value]);
    rig.push(2, reference, &[handle]);
}

/// Blits rectangles of corner and size.
fn blit(rig: &mut Rig, operation: u32, from: [u32; 2], to: [u32; 2], size: [u32; 2]) {
    let pair = |[low, high]: [u32; 2]| high << 16 | low;
    rig.push(2, 0x2FC, &[operation, pair(from), pair(to), pair(size)]);
    rig.finish();
}

fn at(rig: &Rig, x: u32, y: u32) -> u32 {
    rig.word(DESTINATION + y * PITCH + x * 4)
}

fn source(rig: &mut Rig) {
    for y in 0..8 {
        let line: Vec<u32> = (0..16).map(|x| 0xA000_0000 | y << 8 | x).collect();
        rig.write(SOURCE + y * PITCH, &line);
    }
}

#[test]
fn a_rectangle_is_copied_and_settled_before() {
    let mut rig = rig();
    source(&mut rig);
    blit(&mut rig, 3, [2, 1], [4, 3], [3, 2]);
    assert_eq!([at(&rig, 4, 3), at(&rig, 6, 4)], [0xA000_0102, 0xA000_0204]);
    assert_eq!([at(&rig, 3, 3), at(&rig, 7, 3), at(&rig, 4, 2), at(&rig, 4, 5)], [0; 4]);
    let settled =
        [Call::WriteBack(SOURCE + PITCH + 8, PITCH + 12), Call::WriteBack(DESTINATION + 3 * PITCH + 16, PITCH + 12)];
    assert_eq!(rig.log.0, settled);
}

#[test]
fn the_clip_rectangle_limits_a_blit_unless_it_is_null() {
    let mut rig = rig();
    source(&mut rig);
    rig.push(3, 0, &[CLIP]);
    rig.push(3, 0x300, &[1 << 16 | 1, 1 << 16 | 2]);
    rig.push(2, 0x188, &[CLIP]);
    blit(&mut rig, 3, [0, 0], [0, 0], [8, 8]);
    assert_eq!([at(&rig, 1, 1), at(&rig, 2, 1)], [0xA000_0101, 0xA000_0102]);
    assert_eq!([at(&rig, 0, 1), at(&rig, 3, 1), at(&rig, 1, 0), at(&rig, 1, 2)], [0; 4]);
    rig.push(2, 0x188, &[NULL]);
    blit(&mut rig, 3, [0, 0], [0, 0], [8, 8]);
    assert_eq!(at(&rig, 7, 7), 0xA000_0707);
}

#[test]
fn unused_bits_are_written_as_the_format_says() {
    for (format, expected) in [(0x06, 0x0000_0101), (0x07, 0xFF00_0101), (0x0A, 0xA000_0101)] {
        let mut rig = rig();
        source(&mut rig);
        rig.push(1, 0x300, &[format]);
        blit(&mut rig, 3, [1, 1], [0, 0], [1, 1]);
        assert_eq!(at(&rig, 0, 0), expected);
    }
}

#[test]
fn operations_combine_source_destination_and_factors() {
    let (s, d) = (0x80FF_8040, 0x4020_40FF);
    let run = |operation: u32, prepare: &dyn Fn(&mut Rig)| {
        let mut rig = rig();
        rig.write(SOURCE, &[s]);
        rig.write(DESTINATION, &[d]);
        prepare(&mut rig);
        blit(&mut rig, operation, [0, 0], [0, 0], [1, 1]);
        at(&rig, 0, 0)
    };
    assert_eq!(run(1, &|rig| value(rig, ROP, 0x66, 0x190)), s ^ d);
    let pattern = |rig: &mut Rig| {
        value(rig, ROP, 0xF0, 0x190);
        rig.push(3, 0, &[PATTERN]);
        rig.push(3, 0x304, &[1, 0, 1, 5, 6, 0x80, 0]);
        rig.push(2, 0x18C, &[PATTERN]);
    };
    assert_eq!(run(1, &pattern), 6, "its first pixel is set");
    // Beta 0x40000000 is 128 of 255.
    let half = |s: u32, d: u32| (s * 128 + d * 127) / 255;
    let blended = 0x8000_0000 | half(0xFF, 0x20) << 16 | half(0x80, 0x40) << 8 | half(0x40, 0xFF);
    assert_eq!(run(2, &|rig| value(rig, BETA, 0x4000_0000, 0x194)), blended);
    assert_eq!(run(2, &|rig| value(rig, BETA, 0x8000_0000, 0x194)) & 0xFF_FFFF, d & 0xFF_FFFF, "negative is nothing");
    assert_eq!(run(4, &|rig| value(rig, BETA4, 0xFF80_FF00, 0x198)), 0x8080_8000);
    let left = |value: u32| value * (255 - 0x80) / 255;
    let premultiplied =
        0x8000_0000 | (0xFF + left(0x20)).min(255) << 16 | (0x80 + left(0x40)) << 8 | (0x40 + left(0xFF));
    assert_eq!(run(5, &|rig| value(rig, BETA4, u32::MAX, 0x198)), premultiplied);
    assert_eq!(run(0, &|_| {}), s);
    assert_eq!(run(9, &|_| {}), s, "an operation that is not known leaves the one before");
}

#[test]
fn what_is_not_carried_out_is_said_with_its_reason() {
    let mut rig = rig();
    rig.finish();
    rig.push(2, 0x184, &[ROP]);
    rig.push(2, 0x18C, &[0x77]);
    rig.push(2, 0x2FC, &[9]);
    rig.push(2, 0x19C, &[NULL]);
    rig.push(2, 0x308, &[1 << 16 | 1]);
    rig.push(2, 0x104, &[0]);
    rig.push(2, 0x500, &[0]);
    rig.push(4, 0, &[COPY]);
    rig.push(4, 0x328, &[0]);
    rig.push(4, 0x184, &[0x77]);
    let said = warnings(|| rig.finish());
    let expected = [
        "SET_COLOR_KEY 0x0184: 0x00000023 is not supported: colour keys change nothing",
        "SET_PATTERN 0x018c: 0x00000077 is the handle of no object",
        "SET_OPERATION 0x02fc: 0x00000009 is no operation; the one before stays",
        "SIZE 0x0308: 0x00010001 has no surfaces object: nothing is drawn",
        "NOTIFY 0x0104: 0x00000000 has no DMA object to write into",
        "class 0x9f has no method 0x0500 that is known",
        "BUFFER_NOTIFY 0x0328: 0x00000000 has no DMA object to read or to write: nothing is copied",
        "SET_DMA_IN 0x0184: 0x00000077 is the handle of no DMA object",
    ];
    let lines: Vec<_> = said.lines().collect();
    assert_eq!(lines.len(), expected.len(), "{said}");
    assert!(lines.iter().zip(expected).all(|(line, text)| line.contains(text)), "{said}");
}

#[test]
fn a_picture_moves_over_itself() {
    for (from, to) in [([0, 0], [0, 1]), ([0, 1], [0, 0]), ([0, 0], [1, 0])] {
        let mut rig = rig();
        source(&mut rig);
        rig.push(1, 0x30C, &[SOURCE]);
        blit(&mut rig, 3, from, to, [4, 4]);
        for y in 0..4 {
            for x in 0..4 {
                let word = rig.word(SOURCE + (to[1] + y) * PITCH + (to[0] + x) * 4);
                assert_eq!(word, 0xA000_0000 | (from[1] + y) << 8 | (from[0] + x));
            }
        }
    }
}

#[test]
fn a_blit_ends_with_its_memory() {
    let mut rig = rig();
    source(&mut rig);
    rig.dma(0x40, DESTINATION, 2 * PITCH - 1);
    rig.push(1, 0x188, &[0x40]);
    rig.push(1, 0x30C, &[0]);
    let said = warnings(|| blit(&mut rig, 3, [0, 0], [0, 0], [16, 8]));
    assert!(said.contains("lines outside are left out"), "{said}");
    assert_eq!([at(&rig, 15, 1), at(&rig, 0, 2)], [0xA000_010F, 0]);
    // Sizes and places without sense end too.
    blit(&mut rig, 3, [0xFFFF, 0xFFFF], [0xFFFF, 0xFFFF], [0xFFFF, 0xFFFF]);
}

#[test]
fn a_blit_stays_inside_of_its_tiled_region() {
    use afterimage_nv2a::machine::register::PFB_TILE;
    let mut rig = rig();
    for (word, value) in [(8, 256), (4, 0x1_3FFF), (0, 0x1_0003)] {
        rig.register(PFB_TILE + word, value);
    }
    rig.write(0x1_4000, &[0xCCCC_CCCC]);
    source(&mut rig);
    rig.push(1, 0x304, &[256 << 16 | PITCH, SOURCE, 0x1_0000]);
    blit(&mut rig, 3, [0, 0], [0, 60], [16, 8]);
    assert_eq!(rig.word(0x1_0000 + 63 * 256), 0xA000_0300);
    assert_eq!(rig.word(0x1_4000), 0xCCCC_CCCC);
}

#[test]
fn memory_is_copied_line_by_line() {
    let mut rig = rig();
    source(&mut rig);
    rig.push(4, 0, &[COPY]);
    rig.push(4, 0x184, &[ALL, ALL]);
    rig.push(4, 0x30C, &[SOURCE, DESTINATION, PITCH, 16, 12, 3, 0x0101, 0]);
    rig.finish();
    assert_eq!(
        [0, 8, 12, 16, 40].map(|at| rig.word(DESTINATION + at)),
        [0xA000_0000, 0xA000_0002, 0, 0xA000_0100, 0xA000_0202]
    );
    // Every second byte of the source.
    rig.push(4, 0x324, &[0x0102, 0]);
    rig.finish();
    assert_eq!(rig.word(DESTINATION), 0x0001_0000);
    // More than there can be.
    for (length, count) in [(u32::MAX, u32::MAX), (0, u32::MAX), (64 << 20, 0), ((64 << 20) - 1, 1)] {
        rig.push(4, 0x31C, &[length, count, 0x0404, 0]);
        rig.finish();
    }
}

#[test]
fn a_line_has_both_its_ends_in_the_colour_of_its_format() {
    let mut rig = rig();
    rig.push(5, 0, &[LINE]);
    rig.push(5, 0x198, &[SURFACES]);
    rig.push(5, 0x2FC, &[3, 2, 0x03E0]);
    rig.push(5, 0x400, &[1 << 16 | 1, 5 << 16 | 3]);
    rig.finish();
    let set: Vec<_> = (0..8).flat_map(|y| (0..8).map(move |x| (x, y))).filter(|&(x, y)| at(&rig, x, y) != 0).collect();
    assert_eq!(set, [(1, 1), (1, 2), (2, 3), (2, 4), (3, 5)].map(|(x, y): (u32, u32)| (x, y)));
    assert_eq!(at(&rig, 1, 1), 0x0000_FF00);
}
