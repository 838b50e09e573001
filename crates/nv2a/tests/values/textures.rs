//! Textures: every format in every shape that the hardware has for it, every level, signs, colour keys, palettes, address modes.

use super::texels::{self, Expected};
use super::{COLOR, TEXTURE, draw, picture, rig::Rig, source};
use afterimage_nv2a::machine::{Attributes, PrimitiveKind};
use afterimage_nv2a::memory::GuestMemory;
use afterimage_nv2a_types::method;
use afterimage_texture::nv2a::{Decode, Layout, TextureFormat};

const SIZE: u32 = 8;
const PALETTE: u32 = 0x38_0000;
/// `SET_TEXTURE_FORMAT`: of DMA object A, a border colour.
const A: u32 = 1;
const BORDER_COLOR: u32 = 8;
const CUBE: u32 = 4;
/// `SET_TEXTURE_CONTROL0`: on, up to the last level.
const ENABLE: u32 = 1 << 30;
const ALL_LEVELS: u32 = 0xFFF << 6;
/// `SET_SHADER_STAGE_PROGRAM` of stage 0.
const PROJECT_2D: u32 = 1;
const PROJECT_3D: u32 = 2;
const CUBE_MAP: u32 = 3;
/// Bytes between a cube's faces are multiples of this.
const FACES: u32 = 128;
/// Texels of a border on each side.
const BORDER: u32 = 4;

/// A texture of a few texels, and where its texels lie, once more as plain arithmetic.
#[derive(Clone, Copy, Debug)]
struct Shape {
    /// `SET_TEXTURE_FORMAT`'s dimensions.
    dimensions: u32,
    cube: bool,
    /// It brings texels around its own.
    border: bool,
    /// Logarithms of its sides.
    log2: [u32; 3],
    levels: u32,
}

const FLAT: Shape = Shape { dimensions: 2, cube: false, border: false, log2: [3, 3, 0], levels: 4 };
const SWIZZLED: &[Shape] = &[
    Shape { dimensions: 1, log2: [3, 0, 0], ..FLAT },
    FLAT,
    Shape { log2: [3, 1, 0], ..FLAT },
    Shape { log2: [1, 3, 0], levels: 1, ..FLAT },
    Shape { dimensions: 3, log2: [3, 2, 2], ..FLAT },
    Shape { dimensions: 3, log2: [1, 3, 3], levels: 1, ..FLAT },
    Shape { cube: true, ..FLAT },
    Shape { border: true, levels: 1, ..FLAT },
    Shape { dimensions: 1, border: true, log2: [3, 0, 0], levels: 1, ..FLAT },
    Shape { dimensions: 3, border: true, log2: [3, 2, 2], levels: 1, ..FLAT },
];
const LINEAR: &[Shape] = &[Shape { levels: 1, ..FLAT }, Shape { dimensions: 1, log2: [3, 0, 0], levels: 1, ..FLAT }];

impl Shape {
    fn sides(&self, level: u32) -> [u32; 3] {
        self.log2.map(|side| (1 << side >> level).max(1))
    }

    /// Sides as they are stored.
    fn stored(&self, level: u32) -> [u32; 3] {
        let mut sides = self.sides(level);
        if self.border {
            sides[..self.dimensions as usize].iter_mut().for_each(|side| *side = (*side * 2).max(16));
        }
        sides
    }

    fn level_bytes(&self, format: TextureFormat, level: u32) -> u32 {
        let [width, height, depth] = self.stored(level);
        let info = format.info();
        match info.layout {
            Layout::Blocks => width.div_ceil(4) * height.div_ceil(4) * depth * info.bytes,
            Layout::Swizzled | Layout::Linear => width * height * depth * info.bytes,
        }
    }

    fn faces(&self) -> u32 {
        if self.cube { 6 } else { 1 }
    }

    /// Bytes from the texture's first to a level of a face.
    fn offset(&self, format: TextureFormat, face: u32, level: u32) -> u32 {
        let levels = |count: u32| (0..count).map(|level| self.level_bytes(format, level)).sum::<u32>();
        face * levels(self.levels).next_multiple_of(FACES) + levels(level)
    }

    fn bytes(&self, format: TextureFormat) -> u32 {
        self.offset(format, self.faces(), 0).max(self.offset(format, 0, self.levels))
    }

    fn set(&self, rig: &mut Rig, format: TextureFormat) {
        let [width, height, depth] = self.log2;
        let flags = A | if self.cube { CUBE } else { 0 } | if self.border { 0 } else { BORDER_COLOR };
        let sizes = depth << 28 | height << 24 | width << 20 | self.levels << 16;
        rig.set(method::SET_TEXTURE_FORMAT, sizes | (format as u32 & 0xFF) << 8 | self.dimensions << 4 | flags);
        let [width, height, _] = self.sides(0);
        rig.set(method::SET_TEXTURE_CONTROL1, (width * format.info().bytes) << 16);
        rig.set(method::SET_TEXTURE_IMAGE_RECT, width << 16 | height);
        let mode = match (self.cube, self.dimensions) {
            (true, _) => CUBE_MAP,
            (false, 3) => PROJECT_3D,
            (false, _) => PROJECT_2D,
        };
        rig.set(method::SET_SHADER_STAGE_PROGRAM, mode);
    }

    /// What a texel should be shown as. `bytes` are those of its level.
    fn expected(&self, format: TextureFormat, bytes: &[u8], level: u32, texel: [u32; 3], palette: &[u32]) -> Expected {
        let stored = self.stored(level);
        let first = if self.border { BORDER } else { 0 };
        let texel: [u32; 3] =
            std::array::from_fn(|side| texel[side] + if side < self.dimensions as usize { first } else { 0 });
        let [x, y, z] = texel;
        let info = format.info();
        let word = |at: u32, count: u32| {
            (0..count).fold(0, |word, byte| word | u32::from(bytes[(at + byte) as usize]) << (8 * byte))
        };
        match (info.layout, info.decode) {
            (Layout::Blocks, _) => {
                // Up to four slices share a column of blocks.
                let [across, down, together] = [stored[0].div_ceil(4), stored[1].div_ceil(4), stored[2].min(4)];
                let block = ((z / together * down + y / 4) * across + x / 4) * together + z % together;
                let at = (block * info.bytes) as usize;
                texels::in_block(format, &bytes[at..at + info.bytes as usize], (y % 4 * 4 + x % 4) as usize)
            }
            (_, Decode::YCbCr(chroma)) if chroma.texels_per_word() == 2 => {
                let at = y * stored[0] * info.bytes + x / 2 * 4;
                texels::shared(format, word(at, 4), x % 2 == 1)
            }
            (Layout::Linear, _) => texels::plain(format, word((y * stored[0] + x) * info.bytes, info.bytes), palette),
            (Layout::Swizzled, _) => {
                // Bits of the coordinates in turn, until a side has no more.
                let (mut at, mut bit) = (0, 0);
                for of_side in 0..16 {
                    for side in 0..3 {
                        if 1 << of_side < stored[side] {
                            at |= (texel[side] >> of_side & 1) << bit;
                            bit += 1;
                        }
                    }
                }
                let texel = word(at * info.bytes, info.bytes);
                match format {
                    // Volumes have no components of sixteen bits.
                    TextureFormat::SZ_Y16 if self.dimensions == 3 => ([255, (texel >> 8) as u8, texel as u8, 255], 0),
                    TextureFormat::SZ_R16B16 if self.dimensions == 3 => {
                        texels::plain(TextureFormat::SZ_A8R8G8B8, texel, palette)
                    }
                    format => texels::plain(format, texel, palette),
                }
            }
        }
    }
}

/// A scene that draws what stage 0 looks up.
fn scene() -> Rig {
    let mut rig = Rig::on_screen(SIZE, source::TEXTURE_0);
    for (at, value) in [
        (method::SET_TEXTURE_CONTROL0, ENABLE | ALL_LEVELS),
        (method::SET_TEXTURE_OFFSET, TEXTURE),
        (method::SET_TEXTURE_ADDRESS, 0x03_0303),
        (method::SET_TEXTURE_FILTER, NEAREST),
    ] {
        rig.set(at, value);
    }
    rig
}

/// `SET_TEXTURE_FILTER`: the nearest texel of the nearest level.
const NEAREST: u32 = 0x0103_0000;

/// Bytes without a pattern.
fn noise(count: u32, seed: u32) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9E37_79B9) | 1;
    (0..count)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            (state >> 11) as u8
        })
        .collect()
}

/// Draws over the whole surface, with texture coordinates for its upper left, upper right and lower left corner.
fn cover(rig: &mut Rig, [origin, right, below]: [[f32; 3]; 3]) {
    let side = SIZE as f32;
    let corner = |x: f32, y: f32| {
        let mut attributes: Attributes = [[0.0, 0.0, 0.0, 1.0]; 16];
        attributes[0] = [x * side, y * side, 0.0, 1.0];
        let at = |i: usize| origin[i] + x * (right[i] - origin[i]) + y * (below[i] - origin[i]);
        attributes[9] = [at(0), at(1), at(2), 1.0];
        attributes
    };
    draw(rig, PrimitiveKind::Quads, vec![corner(0.0, 0.0), corner(1.0, 0.0), corner(1.0, 1.0), corner(0.0, 1.0)]);
}

/// The direction of a place on a cube's face, -1 to 1 to the right and down.
fn direction(face: u32, s: f32, t: f32) -> [f32; 3] {
    match face {
        0 => [1.0, -t, -s],
        1 => [-1.0, -t, s],
        2 => [s, 1.0, t],
        3 => [s, -1.0, -t],
        4 => [s, -t, 1.0],
        _ => [-s, -t, -1.0],
    }
}

/// Shows a slice, or a face, of a texture once over the surface.
fn show(rig: &mut Rig, shape: &Shape, format: TextureFormat, level: u32, slice: u32) -> Vec<u32> {
    if shape.cube {
        let corners = [[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0]];
        cover(rig, corners.map(|[s, t]| direction(slice, s, t)));
    } else {
        let depth = (slice as f32 + 0.5) / shape.sides(level)[2] as f32;
        let [width, height] = match format.info().layout {
            Layout::Linear => [shape.sides(0)[0] as f32, shape.sides(0)[1] as f32],
            Layout::Swizzled | Layout::Blocks => [1.0; 2],
        };
        cover(rig, [[0.0, 0.0, depth], [width, 0.0, depth], [0.0, height, depth]]);
    }
    picture(rig, SIZE)
}

fn check(shown: u32, (expected, room): Expected, what: impl Fn() -> String) {
    let [blue, green, red, alpha] = shown.to_le_bytes();
    let shown = [red, green, blue, alpha];
    let is_near = shown.iter().zip(expected).all(|(a, b)| a.abs_diff(b) <= room);
    assert!(is_near, "{}: {shown:02x?}, not {expected:02x?}", what());
}

/// Formats with a colour, and the shapes that each has.
fn colors() -> impl Iterator<Item = (TextureFormat, &'static [Shape])> {
    // A format of volumes alone is the one of its own code in two dimensions.
    let formats = TextureFormat::ALL.iter().copied().filter(|format| (*format as u32) < 0x100);
    formats
        .filter(|format| !matches!(format.info().decode, Decode::Depth(_)))
        .map(|format| (format, if format.info().layout == Layout::Linear { LINEAR } else { SWIZZLED }))
}

#[test]
fn every_texel_of_every_format_in_every_shape_and_level() {
    let mut rig = scene();
    let palette = palette(&mut rig, 256, 0);
    let mut shapes = 0;
    for (format, shape) in colors().flat_map(|(format, shapes)| shapes.iter().map(move |shape| (format, shape))) {
        let memory = noise(shape.bytes(format), format as u32 + shapes);
        shapes += 1;
        rig.memory.write(TEXTURE, &memory).expect("inside of memory");
        shape.set(&mut rig, format);
        for level in 0..shape.levels.min(shape.log2.into_iter().max().unwrap_or(0) + 1) {
            // That level alone.
            rig.set(method::SET_TEXTURE_CONTROL0, ENABLE | level << 26 | level << 14);
            let [width, height, depth] = shape.sides(level);
            for slice in 0..depth.max(shape.faces()) {
                let (face, z) = if shape.cube { (slice, 0) } else { (0, slice) };
                let shown = show(&mut rig, shape, format, level, slice);
                let bytes = &memory[shape.offset(format, face, level) as usize..];
                for (i, pixel) in (0..).zip(shown) {
                    let texel = [i % SIZE * width / SIZE, i / SIZE * height / SIZE, z];
                    let expected = shape.expected(format, bytes, level, texel, &palette);
                    check(pixel, expected, || {
                        format!("{format:?}, {shape:?}, level {level}, slice {slice}, {texel:?}")
                    });
                }
            }
        }
    }
    assert_eq!(shapes, 288, "27 formats in {} shapes and the rest in {}", SWIZZLED.len(), LINEAR.len());
    rig.finish();
}

/// Writes a palette of so many entries and sets it.
fn palette(rig: &mut Rig, entries: u32, length: u32) -> Vec<u32> {
    let bytes = noise(4 * entries, 77 + entries);
    rig.memory.write(PALETTE, &bytes).expect("inside of memory");
    rig.set(method::SET_TEXTURE_PALETTE, PALETTE | length << 2);
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
}

#[test]
fn every_length_of_a_palette() {
    let mut rig = scene();
    FLAT.set(&mut rig, TextureFormat::SZ_I8_A8R8G8B8);
    // All indices, 64 at a time.
    for (length, entries) in [(0, 256), (1, 128), (2, 64), (3, 32)] {
        let palette = palette(&mut rig, entries, length);
        for first in (0..256).step_by(64) {
            let indices: Vec<u8> = (0..64).map(|n| (first + n) as u8).collect();
            rig.memory.write(TEXTURE, &indices).expect("inside of memory");
            let shown = show(&mut rig, &FLAT, TextureFormat::SZ_I8_A8R8G8B8, 0, 0);
            for (i, pixel) in (0..).zip(shown) {
                let texel = [i % SIZE, i / SIZE, 0];
                let expected = FLAT.expected(TextureFormat::SZ_I8_A8R8G8B8, &indices, 0, texel, &palette);
                check(pixel, expected, || format!("{entries} entries, texel {texel:?}"));
            }
        }
    }
    rig.finish();
}

#[test]
fn every_conversion_of_colour_space() {
    let mut rig = scene();
    let linear = LINEAR[0];
    for (format, _) in colors().filter(|(format, _)| matches!(format.info().decode, Decode::YCbCr(_))) {
        let memory = noise(linear.bytes(format), 5);
        rig.memory.write(TEXTURE, &memory).expect("inside of memory");
        linear.set(&mut rig, format);
        for convert in [false, true] {
            rig.set(method::SET_CONTROL0, 0x0010_0001 | u32::from(convert) << 28);
            for (i, pixel) in (0..).zip(show(&mut rig, &linear, format, 0, 0)) {
                let expected = linear.expected(format, &memory, 0, [i % SIZE, i / SIZE, 0], &[0]);
                let expected = if convert { texels::converted(expected) } else { expected };
                check(pixel, expected, || format!("{format:?}, {convert}, texel {i}"));
            }
        }
    }
    rig.finish();
}

#[test]
fn every_set_of_signed_components_of_every_format() {
    let mut rig = scene();
    let palette = palette(&mut rig, 256, 0);
    for (format, shapes) in colors() {
        let shape = Shape { levels: 1, ..if format.info().layout == Layout::Linear { shapes[0] } else { FLAT } };
        let memory = noise(shape.bytes(format), 9);
        rig.memory.write(TEXTURE, &memory).expect("inside of memory");
        shape.set(&mut rig, format);
        for signs in 0..16 {
            rig.set(method::SET_TEXTURE_FILTER, NEAREST | signs << 28);
            for (i, pixel) in (0..).zip(show(&mut rig, &shape, format, 0, 0)) {
                let (mut expected, room) = shape.expected(format, &memory, 0, [i % SIZE, i / SIZE, 0], &palette);
                // Alpha, red, green, blue; what is below zero is not shown.
                for (bit, channel) in [(0, 3), (1, 0), (2, 1), (3, 2)] {
                    let level = expected[channel];
                    if signs >> bit & 1 != 0 {
                        expected[channel] = if level < 128 { 2 * level } else { 0 };
                    }
                }
                let room = if signs == 0 { room } else { 2 * room + 1 };
                check(pixel, (expected, room), || format!("{format:?}, signs {signs:#x}, texel {i}"));
            }
        }
    }
    rig.finish();
}

#[test]
fn every_colour_key_of_every_format_with_and_without_alpha_kill() {
    const BACKGROUND: u32 = 0x1234_5678;
    let mut rig = scene();
    let palette = palette(&mut rig, 256, 0);
    for (format, shapes) in colors() {
        let shape = Shape { levels: 1, ..if format.info().layout == Layout::Linear { shapes[0] } else { FLAT } };
        let memory = noise(shape.bytes(format), 21);
        rig.memory.write(TEXTURE, &memory).expect("inside of memory");
        shape.set(&mut rig, format);
        // The format's first texel, with ones where it has no bits.
        let bytes = format.info().bytes.min(4) as usize;
        let first = memory[..bytes].iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte));
        let has_key = matches!(format.info().decode, Decode::Color(_));
        let is_index = format.info().decode == Decode::Palette;
        for (mode, kill) in (0..4).flat_map(|mode| [(mode, false), (mode, true)]) {
            rig.set(method::SET_TEXTURE_CONTROL0, ENABLE | ALL_LEVELS | u32::from(kill) << 2 | mode);
            rig.set(method::SET_COLOR_KEY_COLOR, first | if bytes < 4 { u32::MAX << (8 * bytes) } else { 0 });
            rig.clear(0xF0, BACKGROUND, 0, [0, 0, SIZE, SIZE]);
            let shown = show(&mut rig, &shape, format, 0, 0);
            for (i, pixel) in (0..).zip(shown) {
                let texel = [i % SIZE, i / SIZE, 0];
                let (mut expected, mut room) = shape.expected(format, &memory, 0, texel, &palette);
                let is_key = (has_key || mode != 3 && is_index)
                    && expected == shape.expected(format, &memory, 0, [0; 3], &palette).0;
                match (is_key, mode) {
                    (true, 1) => expected[3] = 0,
                    (true, 2) => expected = [0; 4],
                    _ => {}
                }
                if is_key && mode == 3 || kill && expected[3] == 0 {
                    let [blue, green, red, alpha] = BACKGROUND.to_le_bytes();
                    (expected, room) = ([red, green, blue, alpha], 0);
                }
                check(pixel, (expected, room), || format!("{format:?}, mode {mode}, kill {kill}, texel {i}"));
            }
        }
    }
    rig.finish();
}

/// Where a place along a side is, in texels of that side, by an address mode; none: the border.
fn addressed(mode: u32, place: i32, side: i32) -> Option<u32> {
    let at = match mode {
        1 => place.rem_euclid(side),
        2 => {
            let place = place.rem_euclid(2 * side);
            place.min(2 * side - 1 - place)
        }
        4 if !(0..side).contains(&place) => return None,
        _ => place.clamp(0, side - 1),
    };
    Some(at as u32)
}

#[test]
fn every_address_mode_of_every_coordinate() {
    const BORDER: u32 = 0x8070_6050;
    const CUBE: Shape = Shape { dimensions: 3, log2: [1, 1, 1], levels: 1, ..FLAT };
    let format = TextureFormat::SZ_A8R8G8B8;
    let mut rig = scene();
    let memory = noise(CUBE.bytes(format), 3);
    rig.memory.write(TEXTURE, &memory).expect("inside of memory");
    rig.set(method::SET_TEXTURE_BORDER_COLOR, BORDER);
    CUBE.set(&mut rig, format);
    for modes in (1..6).flat_map(|u| (1..6).flat_map(move |v| (1..6).map(move |p| [u, v, p]))) {
        rig.set(method::SET_TEXTURE_ADDRESS, modes[2] << 16 | modes[1] << 8 | modes[0]);
        for slice in -3..5 {
            // Texels -3 to 4 of two.
            let (start, end, depth) = (-1.5, 2.5, (slice as f32 + 0.5) / 2.0);
            cover(&mut rig, [[start, start, depth], [end, start, depth], [start, end, depth]]);
            for (i, pixel) in (0..).zip(picture(&mut rig, SIZE)) {
                let place = [i % 8 - 3, i / 8 - 3, slice];
                let texel: [_; 3] = std::array::from_fn(|side| addressed(modes[side], place[side], 2));
                let expected = match texel {
                    [Some(x), Some(y), Some(z)] => CUBE.expected(format, &memory, 0, [x, y, z], &[0]),
                    _ => ([0x70, 0x60, 0x50, 0x80], 0),
                };
                check(pixel, expected, || format!("modes {modes:?}, texel {place:?}"));
            }
        }
    }
    rig.finish();
}

#[test]
fn every_filter_larger_and_smaller_than_its_texels() {
    let mut rig = scene();
    let format = TextureFormat::SZ_Y8;
    FLAT.set(&mut rig, format);
    // Columns of black and white in the first level, then a grey for each: the lowest bit of a texel's place is its column's.
    let mut memory = Vec::new();
    for (level, grey) in (0..).zip([None, Some(0x40), Some(0xA0), Some(0xF0)]) {
        let bytes = FLAT.level_bytes(format, level);
        memory.extend((0..bytes).map(|at| grey.unwrap_or(if at & 1 == 0 { 0 } else { 255 })));
    }
    rig.memory.write(TEXTURE, &memory).expect("inside of memory");
    rig.set(method::SET_TEXTURE_ADDRESS, 0x01_0101);
    for (min, mag) in (1..=6).flat_map(|min| [1, 2, 4].map(|mag| (min, mag))) {
        rig.set(method::SET_TEXTURE_FILTER, mag << 24 | min << 16);
        let mut shown = |texels: f32| {
            let end = texels / 8.0;
            cover(&mut rig, [[0.0; 3], [end, 0.0, 0.0], [0.0, end, 0.0]]);
            f32::from(picture(&mut rig, SIZE)[3] as u8)
        };
        // A texel is four pixels wide: pixel 3 is at 7/8 of texel 0, three eighths of the way to the next.
        let is_mixed = mag == 2;
        let expected = if is_mixed { 255.0 * 0.375 } else { 0.0 };
        let level = shown(2.0);
        assert!((level - expected).abs() <= 2.0, "magnified by {mag}, {min}: {level}, not {expected}");
        // Three texels to a pixel: between levels 1 and 2, nearer to 2. Pixel 3 is in the middle of texel 10, which is white or black.
        let part = 3.0f32.log2() - 1.0;
        let expected = match min {
            1 | 2 => 0.0,
            3 | 4 => f32::from(0xA0u8),
            _ => f32::from(0x40u8) + part * f32::from(0x60u8),
        };
        let level = shown(24.0);
        assert!((level - expected).abs() <= 4.0, "minified by {min}: {level}, not {expected}");
    }
    rig.finish();
}

#[test]
fn codes_without_a_format_and_shapes_that_are_none_are_black() {
    let mut rig = scene();
    rig.memory.write(TEXTURE, &[0xFF; 4096]).expect("inside of memory");
    for code in 0..256 {
        let known = TextureFormat::from_code(code);
        for (dimensions, cube) in (0..16).flat_map(|dimensions| [(dimensions, 0), (dimensions, CUBE)]) {
            let is_linear = known.is_some_and(|format| format.info().layout == Layout::Linear);
            let fits = match dimensions {
                1 => cube == 0,
                2 => cube == 0 || !is_linear,
                3 => cube == 0 && !is_linear,
                _ => false,
            };
            if known.is_some() && fits {
                continue;
            }
            let sizes = 3 << 24 | 3 << 20 | 1 << 16;
            rig.set(method::SET_TEXTURE_FORMAT, sizes | code << 8 | dimensions << 4 | A | BORDER_COLOR | cube);
            rig.set(method::SET_TEXTURE_CONTROL1, 32 << 16);
            rig.set(method::SET_TEXTURE_IMAGE_RECT, 8 << 16 | 8);
            let mode = [PROJECT_2D, PROJECT_3D, CUBE_MAP][(code % 3) as usize];
            rig.set(method::SET_SHADER_STAGE_PROGRAM, mode);
            rig.clear(0xF0, u32::MAX, 0, [0, 0, SIZE, SIZE]);
            cover(&mut rig, [[0.0; 3], [1.0, 0.0, 0.5], [0.0, 1.0, 0.5]]);
            assert_eq!(
                rig.written(COLOR + 4) & 0xFF_FFFF,
                0,
                "format {code:#x}, {dimensions}, cube {cube}, mode {mode}"
            );
        }
    }
    rig.finish();
}
