//! Blending.

use afterimage_metal_calls::{BlendFactor, BlendOperation, Blending, ColorTarget};

use crate::texel::{self, Kind, Rounding};

/// What a factor is: of a colour's component, or of alpha with component 3.
fn factor(of: BlendFactor, n: usize, source: [f32; 4], second: [f32; 4], there: [f32; 4], constant: [f32; 4]) -> f32 {
    match of {
        BlendFactor::Zero => 0.0,
        BlendFactor::One => 1.0,
        BlendFactor::SourceColor => source[n],
        BlendFactor::OneMinusSourceColor => 1.0 - source[n],
        BlendFactor::SourceAlpha => source[3],
        BlendFactor::OneMinusSourceAlpha => 1.0 - source[3],
        BlendFactor::DestinationColor => there[n],
        BlendFactor::OneMinusDestinationColor => 1.0 - there[n],
        BlendFactor::DestinationAlpha => there[3],
        BlendFactor::OneMinusDestinationAlpha => 1.0 - there[3],
        BlendFactor::SourceAlphaSaturated if n == 3 => 1.0,
        BlendFactor::SourceAlphaSaturated => source[3].min(1.0 - there[3]),
        BlendFactor::BlendColor => constant[n],
        BlendFactor::OneMinusBlendColor => 1.0 - constant[n],
        BlendFactor::BlendAlpha => constant[3],
        BlendFactor::OneMinusBlendAlpha => 1.0 - constant[3],
        BlendFactor::Source1Color => second[n],
        BlendFactor::OneMinusSource1Color => 1.0 - second[n],
        BlendFactor::Source1Alpha => second[3],
        BlendFactor::OneMinusSource1Alpha => 1.0 - second[3],
    }
}

/// Blends floats.
pub(crate) fn blend(
    by: [Blending; 2],
    source: [f32; 4],
    second: [f32; 4],
    there: [f32; 4],
    constant: [f32; 4],
) -> [f32; 4] {
    std::array::from_fn(|n| {
        let Blending { operation, source: s, destination: d } = by[usize::from(n == 3)];
        let f = |of| factor(of, n, source, second, there, constant);
        let (s, d) = (source[n] * f(s), there[n] * f(d));
        match operation {
            BlendOperation::Add => s + d,
            BlendOperation::Subtract => s - d,
            BlendOperation::ReverseSubtract => d - s,
            BlendOperation::Min => source[n].min(there[n]),
            BlendOperation::Max => source[n].max(there[n]),
        }
    })
}

/// Writes a colour to a sample of a target.
pub(crate) fn write(target: &ColorTarget, color: [u32; 4], second: [u32; 4], constant: [f32; 4], bytes: &mut [u8]) {
    let format = target.format;
    let old = texel::decode(format, bytes);
    let mut new = color;
    if let Some(by) = target.blending {
        // What the format cannot keep does not blend.
        let (least, most) = match texel::fields(format).0 {
            Kind::Unorm | Kind::Srgb => (0.0, 1.0),
            Kind::Snorm => (-1.0, 1.0),
            _ => (f32::NEG_INFINITY, f32::INFINITY),
        };
        let limited = |c: f32| if c.is_nan() && most == 1.0 { 0.0 } else { c.max(least).min(most) };
        let limit = |words: [u32; 4]| {
            words.map(|w| if least.is_finite() { limited(f32::from_bits(w)) } else { f32::from_bits(w) })
        };
        let constant = if least.is_finite() { constant.map(limited) } else { constant };
        new = blend(by, limit(color), limit(second), old.map(f32::from_bits), constant).map(f32::to_bits);
    }
    if target.write == [true; 4] {
        texel::encode(format, new, Rounding::Up, bytes);
        return;
    }
    if target.write == [false; 4] {
        return;
    }
    let words = std::array::from_fn(|n| if target.write[n] { new[n] } else { old[n] });
    let mut encoded = [0; 16];
    let encoded = &mut encoded[..bytes.len()];
    encoded.copy_from_slice(bytes);
    texel::encode(format, words, Rounding::Up, encoded);
    // What is masked keeps its bits, whatever encoding makes of it.
    let (kind, fields) = texel::fields(format);
    if kind == Kind::Shared {
        bytes.copy_from_slice(encoded);
        return;
    }
    let mask = (0..4).filter(|&n| target.write[n] && fields[n].1 > 0);
    let mask = mask.fold(0u128, |m, n| m | u128::from(u32::MAX >> (32 - fields[n].1)) << fields[n].0);
    let bits = texel::bits_of(bytes) & !mask | texel::bits_of(encoded) & mask;
    for (n, byte) in bytes.iter_mut().enumerate() {
        *byte = (bits >> (8 * n)) as u8;
    }
}
