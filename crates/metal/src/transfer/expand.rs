//! Texels of 16 bits where Metal has none like them: textures hold 8 bits of each component, and the CPU converts on the way in and out.

use afterimage_stream::Format;

/// Where blue, green, red and alpha lie in a texel: lowest bit, and number of bits; 0 bits are full.
const fn fields(format: Format) -> Option<[(u32, u32); 4]> {
    Some(match format {
        Format::R5G6B5_UNORM => [(0, 5), (5, 6), (11, 5), (0, 0)],
        Format::B5G6R5_UNORM => [(11, 5), (5, 6), (0, 5), (0, 0)],
        Format::A1R5G5B5_UNORM => [(0, 5), (5, 5), (10, 5), (15, 1)],
        Format::R5G5B5A1_UNORM => [(1, 5), (6, 5), (11, 5), (0, 1)],
        Format::A4R4G4B4_UNORM => [(0, 4), (4, 4), (8, 4), (12, 4)],
        Format::R4G4B4A4_UNORM => [(4, 4), (8, 4), (12, 4), (0, 4)],
        _ => return None,
    })
}

/// Whether texels of a format can be held with 8 bits of each component.
pub(crate) const fn is_small(format: Format) -> bool {
    fields(format).is_some()
}

/// Texels with blue, green, red and alpha of 8 bits each.
pub(crate) fn expand(format: Format, texels: &[u8]) -> Vec<u8> {
    let fields = fields(format).unwrap_or([(0, 0); 4]);
    let texel = |bytes: &[u8; 2]| {
        let word = u32::from(u16::from_le_bytes(*bytes));
        fields.map(|(shift, bits)| match (1u32 << bits) - 1 {
            0 => 255,
            most => ((word >> shift & most) * 255 + most / 2).div_euclid(most) as u8,
        })
    };
    texels.as_chunks::<2>().0.iter().flat_map(texel).collect()
}

/// The other way, to the nearest value.
pub(crate) fn pack(format: Format, texels: &[u8]) -> Vec<u8> {
    let fields = fields(format).unwrap_or([(0, 0); 4]);
    let texel = |components: &[u8; 4]| {
        let word = fields.iter().zip(components).fold(0, |word, ((shift, bits), component)| {
            let most = (1u32 << bits) - 1;
            word | (((u32::from(*component) * most + 127) / 255) << shift)
        });
        (word as u16).to_le_bytes()
    };
    texels.as_chunks::<4>().0.iter().flat_map(texel).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_texel_survives() {
        let all: Vec<u8> = (0..=u16::MAX).flat_map(u16::to_le_bytes).collect();
        for &format in Format::ALL.iter().filter(|format| is_small(**format)) {
            assert_eq!(format.info().bytes, 2);
            assert_eq!(pack(format, &expand(format, &all)), all, "{format:?}");
        }
        assert_eq!(expand(Format::R5G6B5_UNORM, &[0x00, 0xf8]), [0, 0, 255, 255]);
        assert_eq!(expand(Format::A4R4G4B4_UNORM, &[0x0f, 0x80]), [255, 0, 0, 136]);
    }
}
