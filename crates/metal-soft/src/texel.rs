//! Texels: bytes to words and back, as a table of the bits of each format.
//!
//! Words of a texel are red, green, blue and alpha: the bits of floats, or integers. Depth is in the first. Source of conversions: Metal
//! Shading Language Specification, 8.7.

use std::sync::LazyLock;

use afterimage_metal_calls::PixelFormat;

/// What the bits of a component are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Unorm,
    /// As sRGB, but for alpha.
    Srgb,
    Snorm,
    Uint,
    Sint,
    /// 32 or 16 bits, or without sign 11 or 10.
    Float,
    /// Three of nine bits, and five that they have in common.
    Shared,
    /// A block of texels.
    Block,
}

/// Where components are: first bit and number of bits, 0 of those that are not there.
type Fields = [(u32, u32); 4];

const NO: (u32, u32) = (0, 0);

const fn even(count: usize, bits: u32) -> Fields {
    let mut out = [NO; 4];
    let mut i = 0;
    while i < count {
        out[i] = (i as u32 * bits, bits);
        i += 1;
    }
    out
}

/// The bits of a format.
pub(crate) const fn fields(format: PixelFormat) -> (Kind, Fields) {
    use PixelFormat::*;
    match format {
        A8Unorm => (Kind::Unorm, [NO, NO, NO, (0, 8)]),
        R8Unorm => (Kind::Unorm, even(1, 8)),
        R8Snorm => (Kind::Snorm, even(1, 8)),
        R8Uint => (Kind::Uint, even(1, 8)),
        R8Sint => (Kind::Sint, even(1, 8)),
        R16Unorm => (Kind::Unorm, even(1, 16)),
        R16Snorm => (Kind::Snorm, even(1, 16)),
        R16Uint => (Kind::Uint, even(1, 16)),
        R16Sint => (Kind::Sint, even(1, 16)),
        R16Float => (Kind::Float, even(1, 16)),
        RG8Unorm => (Kind::Unorm, even(2, 8)),
        RG8Snorm => (Kind::Snorm, even(2, 8)),
        RG8Uint => (Kind::Uint, even(2, 8)),
        RG8Sint => (Kind::Sint, even(2, 8)),
        B5G6R5Unorm => (Kind::Unorm, [(11, 5), (5, 6), (0, 5), NO]),
        A1BGR5Unorm => (Kind::Unorm, [(11, 5), (6, 5), (1, 5), (0, 1)]),
        ABGR4Unorm => (Kind::Unorm, [(12, 4), (8, 4), (4, 4), (0, 4)]),
        BGR5A1Unorm => (Kind::Unorm, [(10, 5), (5, 5), (0, 5), (15, 1)]),
        R32Uint => (Kind::Uint, even(1, 32)),
        R32Sint => (Kind::Sint, even(1, 32)),
        R32Float => (Kind::Float, even(1, 32)),
        RG16Unorm => (Kind::Unorm, even(2, 16)),
        RG16Snorm => (Kind::Snorm, even(2, 16)),
        RG16Uint => (Kind::Uint, even(2, 16)),
        RG16Sint => (Kind::Sint, even(2, 16)),
        RG16Float => (Kind::Float, even(2, 16)),
        RGBA8Unorm => (Kind::Unorm, even(4, 8)),
        RGBA8Unorm_sRGB => (Kind::Srgb, even(4, 8)),
        RGBA8Snorm => (Kind::Snorm, even(4, 8)),
        RGBA8Uint => (Kind::Uint, even(4, 8)),
        RGBA8Sint => (Kind::Sint, even(4, 8)),
        BGRA8Unorm => (Kind::Unorm, [(16, 8), (8, 8), (0, 8), (24, 8)]),
        BGRA8Unorm_sRGB => (Kind::Srgb, [(16, 8), (8, 8), (0, 8), (24, 8)]),
        RGB10A2Unorm => (Kind::Unorm, [(0, 10), (10, 10), (20, 10), (30, 2)]),
        RGB10A2Uint => (Kind::Uint, [(0, 10), (10, 10), (20, 10), (30, 2)]),
        BGR10A2Unorm => (Kind::Unorm, [(20, 10), (10, 10), (0, 10), (30, 2)]),
        RG11B10Float => (Kind::Float, [(0, 11), (11, 11), (22, 10), NO]),
        RGB9E5Float => (Kind::Shared, [(0, 9), (9, 9), (18, 9), NO]),
        RG32Uint => (Kind::Uint, even(2, 32)),
        RG32Sint => (Kind::Sint, even(2, 32)),
        RG32Float => (Kind::Float, even(2, 32)),
        RGBA16Unorm => (Kind::Unorm, even(4, 16)),
        RGBA16Snorm => (Kind::Snorm, even(4, 16)),
        RGBA16Uint => (Kind::Uint, even(4, 16)),
        RGBA16Sint => (Kind::Sint, even(4, 16)),
        RGBA16Float => (Kind::Float, even(4, 16)),
        RGBA32Uint => (Kind::Uint, even(4, 32)),
        RGBA32Sint => (Kind::Sint, even(4, 32)),
        RGBA32Float => (Kind::Float, even(4, 32)),
        BC1_RGBA | BC1_RGBA_sRGB | BC2_RGBA | BC2_RGBA_sRGB | BC3_RGBA | BC3_RGBA_sRGB | BC4_RUnorm | BC4_RSnorm
        | BC5_RGUnorm | BC5_RGSnorm | BC6H_RGBFloat | BC6H_RGBUfloat | BC7_RGBAUnorm | BC7_RGBAUnorm_sRGB => {
            (Kind::Block, [NO; 4])
        }
        Depth16Unorm => (Kind::Unorm, even(1, 16)),
        Depth32Float | Depth32Float_Stencil8 => (Kind::Float, even(1, 32)),
        Depth24Unorm_Stencil8 => (Kind::Unorm, even(1, 24)),
        Stencil8 => (Kind::Uint, even(1, 8)),
        X32_Stencil8 => (Kind::Uint, [(32, 8), NO, NO, NO]),
    }
}

/// Where the stencil is in a texel: its first bit.
pub(crate) const fn stencil_shift(format: PixelFormat) -> Option<u32> {
    match format {
        PixelFormat::Stencil8 => Some(0),
        PixelFormat::Depth24Unorm_Stencil8 => Some(24),
        PixelFormat::Depth32Float_Stencil8 | PixelFormat::X32_Stencil8 => Some(32),
        _ => None,
    }
}

/// How what lies between two numbers becomes one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rounding {
    /// What shaders write: to the even one.
    Even,
    /// What is drawn: away from zero.
    Up,
}

/// The bytes of a texel as a number.
pub(crate) fn bits_of(bytes: &[u8]) -> u128 {
    bytes.iter().rev().fold(0, |bits, byte| bits << 8 | u128::from(*byte))
}

/// What sRGB is as light.
pub(crate) fn from_srgb(c: f64) -> f64 {
    if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
}

/// What light is as sRGB.
pub(crate) fn to_srgb(c: f64) -> f64 {
    if c < 0.003_130_8 { c * 12.92 } else { 1.055 * c.powf(1.0 / 2.4) - 0.055 }
}

/// The eight bits of sRGB as floats.
pub(crate) static SRGB: LazyLock<[f32; 256]> =
    LazyLock::new(|| std::array::from_fn(|n| from_srgb(n as f64 / 255.0) as f32));

/// Floats of few bits without sign: five of exponent, the rest of mantissa.
fn small_float(bits: u32, count: u32) -> f32 {
    let mantissa = count - 5;
    // A half has ten bits of mantissa.
    half::f16::from_bits((bits << (10 - mantissa)) as u16).to_f32()
}

fn to_small_float(value: f32, count: u32) -> u32 {
    let mantissa = count - 5;
    let greatest = (0x1f << mantissa) - 1;
    if value.is_nan() {
        return (0x1f << mantissa) | 1;
    }
    if value <= 0.0 {
        return 0;
    }
    if value.is_infinite() {
        return 0x1f << mantissa;
    }
    // In units of the last place of its exponent, to the even one.
    let exponent = (value.log2().floor() as i32).clamp(-14, 15);
    let unit = f64::from(exponent - mantissa as i32).exp2();
    let units = (f64::from(value) / unit).round_ties_even() as u64;
    // One more than all ones goes on in the next exponent by itself.
    let below =
        if units < 1 << mantissa { units } else { (((exponent + 15) as u64) << mantissa) + units - (1 << mantissa) };
    (below as u32).min(greatest)
}

fn to_shared(rgb: [f32; 3]) -> u32 {
    // Source: OpenGL, EXT_texture_shared_exponent.
    const GREATEST: f32 = 65408.0;
    let c = rgb.map(|c| if c > 0.0 { c.min(GREATEST) } else { 0.0 });
    let most = c[0].max(c[1]).max(c[2]);
    let mut exponent = (most.log2().floor().max(-16.0) as i32) + 16;
    let scale = |exponent: i32| f64::from(exponent - 15 - 9).exp2();
    if (f64::from(most) / scale(exponent) + 0.5).floor() as i64 == 1 << 9 {
        exponent += 1;
    }
    let field = |c: f32| (f64::from(c) / scale(exponent) + 0.5).floor() as u32;
    field(c[0]) | field(c[1]) << 9 | field(c[2]) << 18 | (exponent as u32) << 27
}

/// The words of a texel that is no block.
pub(crate) fn decode(format: PixelFormat, bytes: &[u8]) -> [u32; 4] {
    let bits = bits_of(bytes);
    let (kind, fields) = fields(format);
    let one = if matches!(kind, Kind::Uint | Kind::Sint) { 1 } else { 1f32.to_bits() };
    let mut out = [0, 0, 0, one];
    if kind == Kind::Shared {
        let scale = f64::from((bits >> 27 & 31) as i32 - 15 - 9).exp2();
        for (to, (at, count)) in out.iter_mut().zip(fields).take(3) {
            *to = ((f64::from((bits >> at) as u32 & ((1 << count) - 1)) * scale) as f32).to_bits();
        }
        return out;
    }
    for (n, (at, count)) in fields.into_iter().enumerate().filter(|(_, (_, count))| *count > 0) {
        let most = u32::MAX >> (32 - count);
        let field = (bits >> at) as u32 & most;
        let signed = ((field << (32 - count)) as i32) >> (32 - count);
        out[n] = match kind {
            Kind::Uint => field,
            Kind::Sint => signed as u32,
            Kind::Srgb if n < 3 => SRGB[field as usize & 255].to_bits(),
            Kind::Unorm | Kind::Srgb => ((f64::from(field) / f64::from(most)) as f32).to_bits(),
            Kind::Snorm => (f64::from(signed) / f64::from(most >> 1)).max(-1.0).to_f32_bits(),
            Kind::Float => match count {
                32 => field,
                16 => half::f16::from_bits(field as u16).to_f32().to_bits(),
                _ => small_float(field, count).to_bits(),
            },
            Kind::Shared | Kind::Block => 0,
        };
    }
    out
}

trait ToBits {
    fn to_f32_bits(self) -> u32;
}

impl ToBits for f64 {
    fn to_f32_bits(self) -> u32 {
        (self as f32).to_bits()
    }
}

/// The bits of a component.
fn field(kind: Kind, count: u32, is_alpha: bool, word: u32, rounding: Rounding) -> u32 {
    let most = u32::MAX >> (32 - count);
    let value = f32::from_bits(word);
    let round = |v: f64| match rounding {
        Rounding::Even => v.round_ties_even(),
        Rounding::Up => v.round(),
    };
    match kind {
        Kind::Uint => word.min(most),
        Kind::Sint => {
            let least = -(i64::from(most >> 1)) - 1;
            i64::from(word as i32).clamp(least, i64::from(most >> 1)) as u32 & most
        }
        Kind::Unorm | Kind::Srgb => {
            let mut value = if value.is_nan() { 0.0 } else { f64::from(value).clamp(0.0, 1.0) };
            if kind == Kind::Srgb && !is_alpha {
                value = to_srgb(value);
            }
            round(value * f64::from(most)) as u32
        }
        Kind::Snorm => {
            let value = if value.is_nan() { 0.0 } else { f64::from(value).clamp(-1.0, 1.0) };
            round(value * f64::from(most >> 1)) as i32 as u32 & most
        }
        Kind::Float => match count {
            32 => word,
            16 => u32::from(half::f16::from_f32(value).to_bits()),
            _ => to_small_float(value, count),
        },
        Kind::Shared | Kind::Block => 0,
    }
}

/// The bytes of a texel that is no block; of others nothing is changed. Bits of stencil stay.
pub(crate) fn encode(format: PixelFormat, words: [u32; 4], rounding: Rounding, bytes: &mut [u8]) {
    let (kind, fields) = fields(format);
    let mut bits = bits_of(bytes);
    if kind == Kind::Block {
        return;
    }
    if kind == Kind::Shared {
        bits = u128::from(to_shared([words[0], words[1], words[2]].map(f32::from_bits)));
    }
    for (n, (at, count)) in fields.into_iter().enumerate().filter(|(_, (_, count))| *count > 0) {
        if kind != Kind::Shared {
            let mask = u128::from(u32::MAX >> (32 - count)) << at;
            let new = u128::from(field(kind, count, n == 3, words[n], rounding)) << at;
            bits = bits & !mask | new & mask;
        }
    }
    for (n, byte) in bytes.iter_mut().enumerate() {
        *byte = (bits >> (8 * n)) as u8;
    }
}

/// The stencil in the bytes of a texel.
pub(crate) fn stencil(format: PixelFormat, bytes: &[u8]) -> u8 {
    stencil_shift(format).and_then(|shift| bytes.get(shift as usize / 8)).copied().unwrap_or(0)
}

/// Sets the stencil in the bytes of a texel.
pub(crate) fn set_stencil(format: PixelFormat, bytes: &mut [u8], value: u8) {
    if let Some(byte) = stencil_shift(format).and_then(|shift| bytes.get_mut(shift as usize / 8)) {
        *byte = value;
    }
}
