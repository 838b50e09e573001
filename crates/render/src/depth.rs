//! Depth-stencil texels in the stream's packed form: `D16` 2 bytes; `X8_D24` depth in the low 24 bits; `D24S8` depth in the low 24 bits,
//! stencil in the high 8; `D32` a float; `D32S8` a float, then a byte of stencil and three of nothing.

use afterimage_stream::Format;

/// Largest value of 24-bit depth.
pub const MAX_24: f64 = 0xff_ffff as f64;

/// Depth and stencil of a packed texel.
pub fn read(format: Format, texel: &[u8]) -> (f64, u8) {
    let word = |at: usize| u32::from_le_bytes([texel[at], texel[at + 1], texel[at + 2], texel[at + 3]]);
    match format {
        Format::D16_UNORM => (f64::from(u16::from_le_bytes([texel[0], texel[1]])) / 65535.0, 0),
        Format::D32_SFLOAT => (f32::from_bits(word(0)).into(), 0),
        Format::D32_SFLOAT_S8_UINT => (f32::from_bits(word(0)).into(), texel[4]),
        _ => (f64::from(word(0) & 0xff_ffff) / MAX_24, (word(0) >> 24) as u8),
    }
}
