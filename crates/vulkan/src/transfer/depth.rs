//! Depth-stencil texels: the stream's packed form and Vulkan's separate aspects.
//!
//! The former is in `afterimage_render::depth`. Vulkan copies 2 bytes for `D16`, 4 for all other depth aspects, 1 for stencil.

use afterimage_render::depth::{MAX_24, read};
use afterimage_stream::Format;
use ash::vk;

/// Bytes of one texel of the depth aspect in a buffer.
pub(crate) fn aspect_bytes(format: vk::Format) -> usize {
    if format == vk::Format::D16_UNORM { 2 } else { 4 }
}

/// Whether a Vulkan format has a stencil aspect.
pub(crate) fn has_stencil(format: vk::Format) -> bool {
    matches!(format, vk::Format::D24_UNORM_S8_UINT | vk::Format::D32_SFLOAT_S8_UINT)
}

/// Packed texels to separate aspects of the Vulkan format `kind`.
pub(crate) fn split(format: Format, kind: vk::Format, texels: &[u8], depths: &mut [u8], stencils: &mut [u8]) {
    let size = format.info().bytes as usize;
    let out = aspect_bytes(kind);
    for ((texel, depth), stencil) in texels.chunks_exact(size).zip(depths.chunks_exact_mut(out)).zip(stencils) {
        let (value, bits) = read(format, texel);
        *stencil = bits;
        match kind {
            vk::Format::D16_UNORM => {
                depth.copy_from_slice(&((value.clamp(0.0, 1.0) * 65535.0).round() as u16).to_le_bytes());
            }
            vk::Format::D24_UNORM_S8_UINT | vk::Format::X8_D24_UNORM_PACK32 => {
                depth.copy_from_slice(&((value.clamp(0.0, 1.0) * MAX_24).round() as u32).to_le_bytes());
            }
            _ => depth.copy_from_slice(&(value as f32).to_le_bytes()),
        }
    }
}

/// Separate aspects of the Vulkan format `kind` to packed texels.
pub(crate) fn join(format: Format, kind: vk::Format, depths: &[u8], stencils: &[u8], texels: &mut [u8]) {
    let size = format.info().bytes as usize;
    let from = aspect_bytes(kind);
    match (format, kind) {
        // The same numbers on both sides.
        (Format::D16_UNORM, vk::Format::D16_UNORM) | (Format::D32_SFLOAT, vk::Format::D32_SFLOAT) => {
            return texels.copy_from_slice(&depths[..texels.len()]);
        }
        (Format::D24_UNORM_S8_UINT, vk::Format::D24_UNORM_S8_UINT) => {
            for ((texel, depth), stencil) in texels.as_chunks_mut().0.iter_mut().zip(depths.as_chunks().0).zip(stencils)
            {
                let [low, middle, high, _]: [u8; 4] = *depth;
                *texel = [low, middle, high, *stencil];
            }
            return;
        }
        _ => {}
    }
    for (index, (texel, depth)) in texels.chunks_exact_mut(size).zip(depths.chunks_exact(from)).enumerate() {
        let stencil = stencils.get(index).copied().unwrap_or(0);
        let value = match kind {
            vk::Format::D16_UNORM => f64::from(u16::from_le_bytes([depth[0], depth[1]])) / 65535.0,
            _ => {
                let word = u32::from_le_bytes([depth[0], depth[1], depth[2], depth[3]]);
                match kind {
                    vk::Format::D24_UNORM_S8_UINT | vk::Format::X8_D24_UNORM_PACK32 => {
                        f64::from(word & 0xff_ffff) / MAX_24
                    }
                    _ => f32::from_bits(word).into(),
                }
            }
        };
        match format {
            Format::D16_UNORM => {
                texel.copy_from_slice(&((value.clamp(0.0, 1.0) * 65535.0).round() as u16).to_le_bytes());
            }
            Format::D32_SFLOAT => texel.copy_from_slice(&(value as f32).to_le_bytes()),
            Format::D32_SFLOAT_S8_UINT => {
                texel[..4].copy_from_slice(&(value as f32).to_le_bytes());
                texel[4..].copy_from_slice(&[stencil, 0, 0, 0]);
            }
            _ => {
                let word = (value.clamp(0.0, 1.0) * MAX_24).round() as u32 | u32::from(stencil) << 24;
                texel.copy_from_slice(&word.to_le_bytes());
            }
        }
    }
}

/// A float of which devices make this 24-bit depth, whether they round or cut off.
pub(crate) fn float_of_24(depth: u32) -> f32 {
    let near = (f64::from(depth) / MAX_24) as f32;
    if near * (MAX_24 as f32) < depth as f32 { near.next_up() } else { near }
}

/// The 24-bit depth that a shader has read as this float. `coarse` is [`crate::Profile::coarse_depth_reads`]; then 0xfffffe and
/// 0xffffff are the same float, which is taken for the second.
pub(crate) fn depth_of_24(value: f32, coarse: bool) -> u32 {
    let near = (f64::from(value.clamp(0.0, 1.0)) * MAX_24).round() as u32;
    let read = |depth: u32| depth as f32 * (1.0 / MAX_24) as f32;
    if !coarse || near == MAX_24 as u32 || read(near) == value {
        return near;
    }
    (1..=2).map(|less| near.saturating_sub(less)).find(|depth| read(*depth) == value).unwrap_or(near)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_hold_every_24_bit_integer() {
        for value in 0..=0xff_ffffu32 {
            let depth = (f64::from(value) / MAX_24) as f32;
            assert_eq!((f64::from(depth) * MAX_24).round() as u32, value);
        }
    }

    #[test]
    fn shaders_move_every_24_bit_integer() {
        for depth in 0..=0xff_ffffu32 {
            let value = float_of_24(depth);
            assert_eq!((f64::from(value) * MAX_24).round() as u32, depth, "rounded");
            assert_eq!((value * MAX_24 as f32) as u32, depth, "cut off");
            assert_eq!(depth_of_24((f64::from(depth) / MAX_24) as f32, false), depth);
            let coarse = depth_of_24(depth as f32 * (1.0 / MAX_24) as f32, true);
            assert_eq!(coarse, if depth == 0xff_fffe { 0xff_ffff } else { depth }, "coarse");
        }
    }

    #[test]
    fn packed_texels_survive_a_round_trip() {
        let cases: [(Format, vk::Format, &[u8]); 4] = [
            (Format::D16_UNORM, vk::Format::D16_UNORM, &[0x34, 0x12, 0xff, 0xff]),
            (Format::D24_UNORM_S8_UINT, vk::Format::D24_UNORM_S8_UINT, &[1, 2, 3, 4, 0xff, 0xff, 0xff, 9]),
            (Format::D24_UNORM_S8_UINT, vk::Format::D32_SFLOAT_S8_UINT, &[0, 0, 0x80, 4, 0xff, 0xff, 0xff, 9]),
            (Format::D32_SFLOAT, vk::Format::D32_SFLOAT, &[0, 0, 0x80, 0x3f]),
        ];
        for (format, kind, texels) in cases {
            let count = texels.len() / format.info().bytes as usize;
            let mut depths = vec![0; count * aspect_bytes(kind)];
            let mut stencils = vec![0; count];
            split(format, kind, texels, &mut depths, &mut stencils);
            let mut back = vec![0; texels.len()];
            join(format, kind, &depths, &stencils, &mut back);
            assert_eq!(back, texels, "{format:?} as {kind:?}");
        }
    }
}
