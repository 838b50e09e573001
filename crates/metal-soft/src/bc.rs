//! Blocks of four by four texels, decoded. Source: Microsoft, "Block Compression (Direct3D 10)".

use afterimage_metal_calls::PixelFormat;

use crate::bptc;
use crate::texel::SRGB;

/// 0 to 255 of red, green and blue of 5, 6 and 5 bits, as fractions.
fn color565(c: u16) -> [f32; 3] {
    [f32::from(c >> 11 & 31) / 31.0, f32::from(c >> 5 & 63) / 63.0, f32::from(c & 31) / 31.0]
}

/// The colour of a texel of a block of colours; of BC1 it may have no alpha.
fn color(block: &[u8], at: u32, bc1: bool) -> [f32; 4] {
    let word = |n: usize| u16::from_le_bytes([block[n], block[n + 1]]);
    let (a, b) = (word(0), word(2));
    let indices = u32::from_le_bytes([block[4], block[5], block[6], block[7]]);
    let [first, second] = [color565(a), color565(b)];
    let mix = |by: f32| -> [f32; 4] {
        let c: [f32; 3] = std::array::from_fn(|i| first[i] + (second[i] - first[i]) * by);
        [c[0], c[1], c[2], 1.0]
    };
    match (indices >> (2 * at) & 3, !bc1 || a > b) {
        (0, _) => mix(0.0),
        (1, _) => mix(1.0),
        (2, true) => mix(1.0 / 3.0),
        (3, true) => mix(2.0 / 3.0),
        (2, false) => mix(0.5),
        _ => [0.0; 4],
    }
}

/// A component of a texel of a block of one, with or without sign.
fn single(block: &[u8], at: u32, signed: bool) -> f32 {
    let end = |n: usize| match signed {
        false => f32::from(block[n]) / 255.0,
        true => (f32::from(block[n] as i8) / 127.0).max(-1.0),
    };
    let more = if signed { (block[0] as i8) > (block[1] as i8) } else { block[0] > block[1] };
    let indices = (2..8).rev().fold(0u64, |bits, n| bits << 8 | u64::from(block[n]));
    let index = (indices >> (3 * at) & 7) as u8;
    let (a, b) = (end(0), end(1));
    match (index, more) {
        (0, _) => a,
        (1, _) => b,
        (_, true) => (a * f32::from(8 - index) + b * f32::from(index - 1)) / 7.0,
        (6, false) => {
            if signed {
                -1.0
            } else {
                0.0
            }
        }
        (7, false) => 1.0,
        (_, false) => (a * f32::from(6 - index) + b * f32::from(index - 1)) / 5.0,
    }
}

/// The words of a texel of a block.
pub(crate) fn decode(format: PixelFormat, block: &[u8], x: u32, y: u32) -> [u32; 4] {
    use PixelFormat::*;
    let at = (y & 3) * 4 + (x & 3);
    let mut out = match format {
        BC1_RGBA | BC1_RGBA_sRGB if block.len() >= 8 => color(block, at, true),
        BC2_RGBA | BC2_RGBA_sRGB if block.len() >= 16 => {
            let mut out = color(&block[8..], at, false);
            out[3] = f32::from(block[at as usize / 2] >> (4 * (at & 1)) & 15) / 15.0;
            out
        }
        BC3_RGBA | BC3_RGBA_sRGB if block.len() >= 16 => {
            let mut out = color(&block[8..], at, false);
            out[3] = single(block, at, false);
            out
        }
        BC4_RUnorm | BC4_RSnorm if block.len() >= 8 => [single(block, at, format == BC4_RSnorm), 0.0, 0.0, 1.0],
        BC5_RGUnorm | BC5_RGSnorm if block.len() >= 16 => {
            let signed = format == BC5_RGSnorm;
            [single(block, at, signed), single(&block[8..], at, signed), 0.0, 1.0]
        }
        BC6H_RGBFloat | BC6H_RGBUfloat if let Ok(block) = block.try_into() => {
            let rgb = bptc::bc6h(block, at, format == BC6H_RGBFloat).map(|bits| half::f16::from_bits(bits).to_f32());
            [rgb[0], rgb[1], rgb[2], 1.0]
        }
        BC7_RGBAUnorm | BC7_RGBAUnorm_sRGB if let Ok(block) = block.try_into() => {
            bptc::bc7(block, at).map(|value| f32::from(value) / 255.0)
        }
        _ => [0.0, 0.0, 0.0, 1.0],
    };
    if format.is_srgb() {
        for c in &mut out[..3] {
            *c = SRGB[(*c * 255.0).round() as usize & 255];
        }
    }
    out.map(f32::to_bits)
}
