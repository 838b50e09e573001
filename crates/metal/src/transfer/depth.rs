//! Depth-stencil texels: the stream's packed form and Metal's separate planes.
//!
//! Stream: `D16` 2 bytes; `X8_D24` depth in the low 24 bits; `D24S8` depth in the low 24 bits, stencil in the high 8; `D32` a float; `D32S8`
//! a float, then a byte of stencil and three of nothing. Metal copies 2 bytes of `Depth16Unorm`, a float of the others, 1 of stencil
//! (`MTLBlitOption`).

use afterimage_metal_calls::PixelFormat;
use afterimage_stream::Format;

/// Largest value of 24-bit depth.
const MAX_24: f64 = 0xff_ffff as f64;

/// Bytes of one texel of the depth plane in a buffer.
pub(crate) const fn plane_bytes(pixel: PixelFormat) -> u32 {
    if matches!(pixel, PixelFormat::Depth16Unorm) { 2 } else { 4 }
}

/// Packed texels to planes of depth and stencil.
pub(crate) fn split(format: Format, texels: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let size = format.info().bytes as usize;
    let (mut depths, mut stencils) = (Vec::with_capacity(texels.len()), Vec::new());
    for texel in texels.chunks_exact(size) {
        let word = |at: usize| u32::from_le_bytes([texel[at], texel[at + 1], texel[at + 2], texel[at + 3]]);
        match format {
            Format::D16_UNORM => depths.extend_from_slice(texel),
            Format::D32_SFLOAT => depths.extend_from_slice(texel),
            Format::D32_SFLOAT_S8_UINT => {
                depths.extend_from_slice(&texel[..4]);
                stencils.push(texel[4]);
            }
            _ => {
                depths.extend_from_slice(&((f64::from(word(0) & 0xff_ffff) / MAX_24) as f32).to_le_bytes());
                stencils.push((word(0) >> 24) as u8);
            }
        }
    }
    (depths, stencils)
}

/// Planes of depth and, where there is one, stencil to packed texels.
pub(crate) fn join(format: Format, depths: &[u8], stencils: &[u8]) -> Vec<u8> {
    if matches!(format, Format::D16_UNORM | Format::D32_SFLOAT) {
        return depths.to_vec();
    }
    let mut texels = Vec::with_capacity(depths.len() * 2);
    for (index, depth) in depths.as_chunks::<4>().0.iter().enumerate() {
        let stencil = stencils.get(index).copied().unwrap_or(0);
        if format == Format::D32_SFLOAT_S8_UINT {
            texels.extend_from_slice(depth);
            texels.extend_from_slice(&[stencil, 0, 0, 0]);
        } else {
            let value = (f64::from(f32::from_le_bytes(*depth)).clamp(0.0, 1.0) * MAX_24).round() as u32;
            texels.extend_from_slice(&(value | u32::from(stencil) << 24).to_le_bytes());
        }
    }
    texels
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_texels_survive_a_round_trip() {
        let cases: [(Format, &[u8]); 5] = [
            (Format::D16_UNORM, &[0x34, 0x12, 0xff, 0xff]),
            (Format::D24_UNORM_S8_UINT, &[1, 2, 3, 4, 0xff, 0xff, 0xff, 9, 0, 0, 0x80, 4]),
            (Format::X8_D24_UNORM, &[1, 2, 3, 0]),
            (Format::D32_SFLOAT, &[0, 0, 0x80, 0x3f]),
            (Format::D32_SFLOAT_S8_UINT, &[0, 0, 0x80, 0x3f, 7, 0, 0, 0]),
        ];
        for (format, texels) in cases {
            let (depths, stencils) = split(format, texels);
            assert_eq!(join(format, &depths, &stencils), texels, "{format:?}");
        }
    }
}
