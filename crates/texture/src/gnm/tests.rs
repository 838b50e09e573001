//! Every element of every mode lies where the equations say, which are written down here once more, bit by bit.

use super::{Description, Layout, Pitch, Slices};
use afterimage_gnm_types::tiling::{MACRO_MODES, TILE_MODES};
use proptest::prelude::*;

/// `docs/sources/gnm.md#tile-modes`, as it stands: bytes from the begin of a level of the mode's own array mode.
fn equations(mode: usize, bpp: u32, samples: u32, pitch: u32, height: u32, [x, y, z]: [u32; 3], s: u32) -> u64 {
    let row = TILE_MODES[mode].expect("a mode of the table");
    let (array, micro) = (row.array, row.micro);
    let th = match array {
        3 | 7 | 9 | 10 | 13 | 15 => 4,
        8 | 14 => 8,
        _ => 1,
    };
    let slices_of = |z: u32| u64::from(z / th);
    let bit = |value: u32, n: u32| value >> n & 1;
    let (x0, x1, x2) = (bit(x, 0), bit(x, 1), bit(x, 2));
    let (y0, y1, y2) = (bit(y, 0), bit(y, 1), bit(y, 2));
    let (z0, z1, z2) = (bit(z, 0), bit(z, 1), bit(z, 2));
    let order: Vec<u32> = match (th > 1, micro, bpp) {
        (false, 0, 8) => vec![x0, x1, x2, y1, y0, y2],
        (false, 0, 16) => vec![x0, x1, x2, y0, y1, y2],
        (false, 0, 32) => vec![x0, x1, y0, x2, y1, y2],
        (false, 0, 64) => vec![x0, y0, x1, x2, y1, y2],
        (false, 0, _) => vec![y0, x0, x1, x2, y1, y2],
        (false, ..) => vec![x0, y0, x1, y1, x2, y2],
        (true, _, 8 | 16) => vec![x0, y0, x1, y1, z0, z1, x2, y2],
        (true, _, 32) => vec![x0, y0, x1, z0, y1, z1, x2, y2],
        (true, ..) => vec![x0, y0, z0, x1, y1, z1, x2, y2],
    };
    let mut index: u32 = order.iter().enumerate().map(|(n, bit)| bit << n).sum();
    if th == 8 {
        index += z2 << 8;
    }
    let tile_bytes_1x = 64 * th * bpp / 8;
    let mut tile_bytes = tile_bytes_1x * samples;
    let mut e = if micro == 2 { (index * samples + s) * bpp / 8 } else { (s * tile_bytes_1x * 8 + index * bpp) / 8 };
    if matches!(array, 2 | 3) {
        let slice_bytes = u64::from(pitch * height) * u64::from(th * bpp / 8 * samples);
        let tile = (y / 8) * (pitch / 8) + x / 8;
        return slices_of(z) * slice_bytes + u64::from(tile * tile_bytes) + u64::from(e);
    }
    let wanted =
        if micro == 2 { u32::from(row.tile_split) } else { 256.max(u32::from(row.sample_split) * tile_bytes_1x) };
    let split = wanted.min(1024);
    let prt = matches!(array, 5 | 6 | 9 | 10 | 11 | 15);
    let index = (split.min(samples * tile_bytes_1x) / 64).ilog2() + if prt { 8 } else { 0 };
    let shape = MACRO_MODES[index as usize];
    let (bw, bh) = (u32::from(shape.bank_width), u32::from(shape.bank_height));
    let (aspect, banks) = (u32::from(shape.aspect), u32::from(shape.banks));
    let (mut splits, mut t) = (1, 0);
    if th == 1 && tile_bytes > split {
        splits = tile_bytes / split;
        t = e / split;
        e %= split;
        tile_bytes = split;
    }
    let (mw, mh) = (8 * bw * 8 * aspect, 8 * bh * banks / aspect);
    let macro_bytes = u64::from(tile_bytes * (mw / 8) * (mh / 8) / (8 * banks));
    let per_slice = u64::from((pitch / mw) * (height / mh));
    let number = u64::from((y / mh) * (pitch / mw) + x / mw);
    let offset = macro_bytes * per_slice * (u64::from(t) + u64::from(splits) * slices_of(z))
        + number * macro_bytes
        + u64::from((((y / 8) % bh) * bw + ((x / 8) / 8) % bw) * tile_bytes)
        + u64::from(e);
    let (px, py) = if prt { (x % mw, y % mh) } else { (x, y) };
    let (x3, x4, x5) = (bit(px, 3), bit(px, 4), bit(px, 5));
    let (y3, y4, y5) = (bit(py, 3), bit(py, 4), bit(py, 5));
    let mut pipe = if row.pipe == 12 {
        (x3 ^ y3 ^ x4) | (x4 ^ y4) << 1 | (x5 ^ y5) << 2
    } else {
        (x4 ^ y3 ^ x5) | (x3 ^ y4) << 1 | (x5 ^ y5) << 2
    };
    let (bx, by) = ((px / 8) / (bw * 8), (py / 8) / bh);
    let (a, b) = (|n| bit(bx, n), |n| bit(by, n));
    let mut bank = match banks {
        16 => (a(0) ^ b(3)) | (a(1) ^ b(2) ^ b(3)) << 1 | (a(2) ^ b(1)) << 2 | (a(3) ^ b(0)) << 3,
        8 => (a(0) ^ b(2)) | (a(1) ^ b(1) ^ b(2)) << 1 | (a(2) ^ b(0)) << 2,
        4 => (a(0) ^ b(1)) | (a(1) ^ b(0)) << 1,
        _ => a(0) ^ b(0),
    };
    match array {
        4 | 7 | 8 => bank ^= (banks / 2 - 1) * (z / th),
        12..=14 => {
            pipe ^= 3 * (z / th) % 8;
            bank ^= 3 * (z / th) / 8;
        }
        _ => {}
    }
    if matches!(array, 4 | 6 | 11 | 12) {
        bank ^= (banks / 2 + 1) * t;
    }
    bank %= banks;
    offset & 255 | u64::from(pipe) << 8 | u64::from(bank) << 11 | (offset >> 8) << (11 + banks.ilog2())
}

fn tiled_modes() -> impl Iterator<Item = usize> {
    (0..32).filter(|mode| TILE_MODES[*mode].is_some_and(|row| row.array > 1))
}

const BITS: [u32; 5] = [8, 16, 32, 64, 128];

#[test]
fn every_element_lies_where_the_equations_say() {
    for mode in tiled_modes() {
        for bits in BITS {
            for samples in [1, 4] {
                let description = Description { layers: 9, samples, ..Description::flat(mode as u32, bits, 200, 150) };
                let layout = Layout::new(&description).expect("a surface");
                let level = *layout.level_at(0).expect("a level");
                let mut seen = vec![false; (layout.bytes / u64::from(bits / 8)) as usize];
                for z in [0, 5] {
                    for (y, x) in (0..level.lines).flat_map(|y| (0..level.pitch).map(move |x| (y, x))) {
                        for sample in 0..samples {
                            let at = layout.offset_of(0, [x, y, z], sample).expect("an element");
                            let wanted = equations(mode, bits, samples, level.pitch, level.lines, [x, y, z], sample);
                            assert_eq!(at, wanted, "mode {mode}, {bits} bits, {samples} samples, {x} {y} {z} {sample}");
                            let place = &mut seen[(at / u64::from(bits / 8)) as usize];
                            assert!(!*place, "two elements at {at} of mode {mode}");
                            *place = true;
                        }
                    }
                }
            }
        }
    }
}

fn noise(bytes: usize, seed: u64) -> Vec<u8> {
    let mut state = seed | 1;
    let step = |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    (0..bytes).map(step).collect()
}

/// Copies a part in both directions and compares with element by element.
fn copies_agree(description: &Description, part: &Slices) {
    let layout = Layout::new(description).expect("a surface");
    let level = *layout.level_at(part.level).expect("a level");
    let element = layout.element as usize;
    let line = level.width as usize * element + 5;
    let pitch = Pitch { line, slice: line * level.height as usize + 3 };
    let surface = noise(layout.bytes as usize, 1);
    let mut rows = vec![0xAA; pitch.slice * part.slices.len()];
    layout.detile(part, &surface, &mut rows, pitch).expect("a copy");
    let mut seen = vec![0xAA; rows.len()];
    let each = |copy: &mut dyn FnMut(usize, usize)| {
        for (n, z) in part.slices.clone().enumerate() {
            for (y, x) in (0..level.height).flat_map(|y| (0..level.width).map(move |x| (y, x))) {
                let at = layout.offset_of(part.level, [x, y, z], part.sample).expect("an element") as usize;
                copy(at, n * pitch.slice + y as usize * pitch.line + x as usize * element);
            }
        }
    };
    each(&mut |at, to| seen[to..to + element].copy_from_slice(&surface[at..at + element]));
    assert!(rows == seen, "detile: {description:?} {part:?}");

    let rows = noise(rows.len(), 2);
    let mut tiled = surface.clone();
    layout.tile(part, &rows, pitch, &mut tiled).expect("a copy");
    let mut wanted = surface;
    each(&mut |at, to| wanted[at..at + element].copy_from_slice(&rows[to..to + element]));
    assert!(tiled == wanted, "tile: {description:?} {part:?}");
}

#[test]
fn copies_are_element_by_element() {
    for mode in (0..32).filter(|mode| TILE_MODES[*mode].is_some()) {
        for bits in BITS {
            for (width, height) in [(64, 64), (77, 43), (5, 3)] {
                let flat = Description::flat(mode as u32, bits, width, height);
                copies_agree(&flat, &Slices::one(0, 0));
                copies_agree(&Description { layers: 6, ..flat }, &Slices { level: 0, slices: 1..6, sample: 0 });
                let samples = Description { samples: 4, ..flat };
                copies_agree(&samples, &Slices { sample: 3, ..Slices::one(0, 0) });
            }
        }
    }
}

#[test]
fn levels_follow_one_another() {
    for mode in [8, 9, 10, 13, 14, 19, 20] {
        for block in [1, 4] {
            let flat = Description { block, levels: 7, layers: 3, ..Description::flat(mode, 64, 100, 72) };
            for pow2_pad in [false, true] {
                let description = Description { pow2_pad, ..flat };
                let layout = Layout::new(&description).expect("a surface");
                let mut end = 0;
                for (number, level) in layout.levels().iter().enumerate() {
                    assert!(level.offset >= end && level.offset % 256 == 0, "{description:?}");
                    end = level.offset + level.slice_bytes * u64::from(level.slices);
                    assert!(end <= layout.bytes);
                    copies_agree(&description, &Slices { level: number as u32, slices: 0..3, sample: 0 });
                }
            }
        }
        let volume = Description { depth: 20, levels: 5, pow2_pad: true, ..Description::flat(mode, 32, 64, 64) };
        for level in 0..5 {
            copies_agree(&volume, &Slices { level, slices: 0..20 >> level, sample: 0 });
        }
    }
}

#[test]
fn sizes_are_the_hardware_s() {
    // Mode 14, 32 bits: pitch 128, height 64, base 32 KiB.
    let layout = Layout::new(&Description::flat(14, 32, 1, 1)).expect("a surface");
    let level = layout.levels()[0];
    assert_eq!((level.pitch, level.lines, layout.alignment), (128, 64, 32 << 10));
}

proptest! {
    #[test]
    fn nothing_panics(
        mode in 0_u32..40, bits in prop::sample::select(vec![0_u32, 8, 32, 64, 96, 128, u32::MAX]),
        sides in prop::array::uniform4(prop::sample::select(vec![0_u32, 1, 3, 8, 65, 16384, u32::MAX])),
        levels in 0_u32..17, samples in 0_u32..17, pitch in prop::sample::select(vec![0_u32, 1, 8, 64, 4096, u32::MAX]),
        pow2_pad: bool, block in prop::sample::select(vec![0_u32, 1, 4]), bank_swizzle: u32,
    ) {
        let [width, height, depth, layers] = sides;
        let description = Description {
            tile_mode: mode, bits, block, width, height, depth, layers, levels, samples, pitch, pow2_pad, bank_swizzle,
        };
        if let Ok(layout) = Layout::new(&description) {
            let mut rows = [0; 64];
            let pitch = Pitch { line: 8, slice: 8 };
            let _ = layout.detile(&Slices::one(levels, 0), &[0; 64], &mut rows, pitch);
            let _ = layout.offset_of(0, [1, 2, 0], 0);
        }
    }
}
