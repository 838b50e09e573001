//! Comparisons with depth textures: every function, every format, as a volume lookup, which has a reference, and as a plain one.

use super::{COLOR, TEXTURE, picture, rectangle, rig::Rig, source};
use afterimage_nv2a::memory::GuestMemory;
use afterimage_nv2a_types::method;
use afterimage_texture::nv2a::depth::{Depth, FLOAT_16_MAX, float_16, float_24, to_float_16, to_float_24};
use afterimage_texture::nv2a::{Decode, Layout, TextureFormat};

const SIZE: u32 = 8;
/// `SET_SHADER_STAGE_PROGRAM` of stage 0.
const PLAIN: u32 = 1;
const VOLUME: u32 = 2;

/// Texels of a format, and references around them.
fn numbers(depth: Depth) -> ([u32; 8], [f32; 8]) {
    match depth {
        Depth::Y16Fixed => (
            [0, 1, 0xFF, 0x7FFE, 0x7FFF, 0x8000, 0xFFFE, 0xFFFF],
            [-1.0, 0.75, 1.0, 255.5, 32767.0, 32767.75, 65535.0, 70000.0],
        ),
        Depth::Y24Fixed => (
            [0, 1, 0xFF, 0x7F_FFFE, 0x7F_FFFF, 0x80_0000, 0xFF_FFFE, 0xFF_FFFF],
            [-1.0, 0.75, 1.0, 255.5, 8_388_607.0, 8_388_607.5, 16_777_215.0, 2e7],
        ),
        Depth::Y16Float => (
            [0, 1, 0x1234, 0x6FFF, 0x7000, 0x7001, 0xFFFE, 0xFFFF],
            [-1.0, float_16(0xFFF), float_16(0x1234) * 1.0001, 1.0, 1.0001, float_16(0x7001), FLOAT_16_MAX, 1e30],
        ),
        Depth::Y24Float => (
            [0, 0xFFFF, 0x1_0000, 0x7E_FFFF, 0x7F_0000, 0x7F_0001, 0xFE_FFFE, 0xFE_FFFF],
            [-1.0, 1e-40, f32::MIN_POSITIVE, 1.0, 1.000_001, float_24(0x7F_0001), float_24(0xFE_FFFE), f32::MAX],
        ),
    }
}

/// What the format keeps of a depth, as bits that compare as the depths do.
fn kept(depth: Depth, value: f32) -> u32 {
    match depth {
        Depth::Y16Fixed => value.clamp(0.0, 65535.0) as u32,
        Depth::Y24Fixed => value.clamp(0.0, 16_777_215.0) as u32,
        Depth::Y16Float => to_float_16(value),
        Depth::Y24Float => to_float_24(value),
    }
}

/// `r function texel`, by the numbers of `SET_SHADOW_COMPARE_FUNC`.
fn passes(function: u32, r: u32, texel: u32) -> bool {
    [false, r > texel, r == texel, r >= texel, r < texel, r != texel, r <= texel, true][function as usize]
}

/// A depth texture of eight columns, one texel each.
fn texture(rig: &mut Rig, format: TextureFormat, depth: Depth, texels: [u32; 8]) {
    let bytes = depth.bytes();
    let spread = |n: u32| n & 1 | (n & 2) << 1 | (n & 4) << 2;
    for (x, y) in (0..64).map(|i| (i % SIZE, i / SIZE)) {
        let is_linear = format.info().layout == Layout::Linear;
        let at = if is_linear { y * SIZE + x } else { spread(x) | spread(y) << 1 };
        // What lies below the 24 bits does not count.
        let word = if bytes == 4 { texels[x as usize] << 8 | 0xA5 } else { texels[x as usize] };
        rig.memory.write(TEXTURE + bytes * at, &word.to_le_bytes()[..bytes as usize]).expect("inside of memory");
    }
    rig.set(method::SET_TEXTURE_FORMAT, 3 << 24 | 3 << 20 | 1 << 16 | (format as u32) << 8 | 0x29);
    rig.set(method::SET_TEXTURE_CONTROL1, (bytes * SIZE) << 16);
    rig.set(method::SET_TEXTURE_IMAGE_RECT, SIZE << 16 | SIZE);
}

#[test]
fn every_function_compares_r_with_the_texel_in_every_format() {
    let mut rig = Rig::on_screen(SIZE, source::TEXTURE_0);
    for (at, value) in [
        (method::SET_TEXTURE_CONTROL0, 1 << 30),
        (method::SET_TEXTURE_OFFSET, TEXTURE),
        (method::SET_TEXTURE_ADDRESS, 0x03_0303),
        (method::SET_TEXTURE_FILTER, 0x0101_0000),
    ] {
        rig.set(at, value);
    }
    let mut formats = 0;
    for &format in TextureFormat::ALL {
        let Decode::Depth(depth) = format.info().decode else { continue };
        formats += 1;
        let (texels, references) = numbers(depth);
        texture(&mut rig, format, depth, texels);
        let end = if format.info().layout == Layout::Linear { SIZE as f32 } else { 1.0 };
        for (mode, function) in [PLAIN, VOLUME].into_iter().flat_map(|mode| (0..8).map(move |f| (mode, f))) {
            rig.set(method::SET_SHADER_STAGE_PROGRAM, mode);
            rig.set(method::SET_SHADOW_COMPARE_FUNC, function);
            for (y, r) in (0..SIZE).zip(references) {
                let side = SIZE as f32;
                rectangle(&mut rig, [0.0, y as f32, side, y as f32 + 1.0], |vertex| {
                    let [x, y] = [vertex[0][0], vertex[0][1]].map(|place| place / side * end);
                    // Twice everything: r, too, is divided by q.
                    vertex[9] = [2.0 * x, 2.0 * y, if r.abs() < 1e38 { 2.0 * r } else { r }, 2.0];
                    if r.abs() >= 1e38 {
                        vertex[9] = [x, y, r, 1.0];
                    }
                });
            }
            let picture = picture(&mut rig, SIZE);
            for (i, pixel) in picture.into_iter().enumerate() {
                let texel = texels[i % 8];
                // The texels that are no normal numbers are zero.
                let texel = if depth == Depth::Y24Float && texel < 0x1_0000 { 0 } else { texel };
                let r = if mode == VOLUME { references[i / 8] } else { 0.0 };
                let expected = if passes(function, kept(depth, r), texel) { u32::MAX } else { 0 };
                let what = format!("{format:?}, function {function}, mode {mode}: {r} with {texel:#x}");
                assert_eq!(pixel, expected, "{what}");
            }
        }
    }
    assert_eq!(formats, 8);
    assert_eq!(rig.pixel(COLOR, 4), 0xFFFF_FFFF, "always");
    rig.finish();
}
