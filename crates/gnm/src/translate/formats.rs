//! Formats of images and colour targets, as the host has them.
//!
//! GCN counts components from the lowest bit of a texel; a row says which channel of the host's format each of them is.
//! Source: `facts/gnm.md`, section 6; bit orders of Vulkan's packed formats.

use afterimage_gnm_types::value::*;
use afterimage_shader_gcn::io::TargetKind;
use afterimage_stream::Format;
use afterimage_stream::packets::Swizzle;

/// A format of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct HostFormat {
    /// The format, without sRGB.
    pub(super) format: Format,
    /// Channel of the host's format that is each component.
    components: [u8; 4],
    /// How shaders see it.
    pub(super) kind: TargetKind,
    /// Whether colours are encoded in sRGB.
    pub(super) srgb: bool,
}

const RGBA: [u8; 4] = [0, 1, 2, 3];
const BGRA: [u8; 4] = [2, 1, 0, 3];
const ABGR: [u8; 4] = [3, 2, 1, 0];

macro_rules! image_formats {
    ($( $data:ident $num:ident => $format:ident $components:ident; )*) => {
        /// Data format, number format, and what they are on the host.
        const IMAGES: &[(u32, u32, Format, [u8; 4])] = &[ $( ($data, $num, Format::$format, $components) ),* ];
    };
}

image_formats! {
    IMG_DATA_FORMAT_8 IMG_NUM_FORMAT_UNORM => R8_UNORM RGBA;
    IMG_DATA_FORMAT_8 IMG_NUM_FORMAT_SNORM => R8_SNORM RGBA;
    IMG_DATA_FORMAT_8 IMG_NUM_FORMAT_UINT => R8_UINT RGBA;
    IMG_DATA_FORMAT_8 IMG_NUM_FORMAT_SINT => R8_SINT RGBA;
    IMG_DATA_FORMAT_16 IMG_NUM_FORMAT_UNORM => R16_UNORM RGBA;
    IMG_DATA_FORMAT_16 IMG_NUM_FORMAT_SNORM => R16_SNORM RGBA;
    IMG_DATA_FORMAT_16 IMG_NUM_FORMAT_UINT => R16_UINT RGBA;
    IMG_DATA_FORMAT_16 IMG_NUM_FORMAT_SINT => R16_SINT RGBA;
    IMG_DATA_FORMAT_16 IMG_NUM_FORMAT_FLOAT => R16_SFLOAT RGBA;
    IMG_DATA_FORMAT_8_8 IMG_NUM_FORMAT_UNORM => R8G8_UNORM RGBA;
    IMG_DATA_FORMAT_8_8 IMG_NUM_FORMAT_SNORM => R8G8_SNORM RGBA;
    IMG_DATA_FORMAT_8_8 IMG_NUM_FORMAT_UINT => R8G8_UINT RGBA;
    IMG_DATA_FORMAT_8_8 IMG_NUM_FORMAT_SINT => R8G8_SINT RGBA;
    IMG_DATA_FORMAT_32 IMG_NUM_FORMAT_UINT => R32_UINT RGBA;
    IMG_DATA_FORMAT_32 IMG_NUM_FORMAT_SINT => R32_SINT RGBA;
    IMG_DATA_FORMAT_32 IMG_NUM_FORMAT_FLOAT => R32_SFLOAT RGBA;
    IMG_DATA_FORMAT_16_16 IMG_NUM_FORMAT_UNORM => R16G16_UNORM RGBA;
    IMG_DATA_FORMAT_16_16 IMG_NUM_FORMAT_SNORM => R16G16_SNORM RGBA;
    IMG_DATA_FORMAT_16_16 IMG_NUM_FORMAT_UINT => R16G16_UINT RGBA;
    IMG_DATA_FORMAT_16_16 IMG_NUM_FORMAT_SINT => R16G16_SINT RGBA;
    IMG_DATA_FORMAT_16_16 IMG_NUM_FORMAT_FLOAT => R16G16_SFLOAT RGBA;
    IMG_DATA_FORMAT_10_11_11 IMG_NUM_FORMAT_FLOAT => B10G11R11_UFLOAT RGBA;
    IMG_DATA_FORMAT_2_10_10_10 IMG_NUM_FORMAT_UNORM => A2B10G10R10_UNORM RGBA;
    IMG_DATA_FORMAT_2_10_10_10 IMG_NUM_FORMAT_UINT => A2B10G10R10_UINT RGBA;
    IMG_DATA_FORMAT_8_8_8_8 IMG_NUM_FORMAT_UNORM => R8G8B8A8_UNORM RGBA;
    IMG_DATA_FORMAT_8_8_8_8 IMG_NUM_FORMAT_SNORM => R8G8B8A8_SNORM RGBA;
    IMG_DATA_FORMAT_8_8_8_8 IMG_NUM_FORMAT_UINT => R8G8B8A8_UINT RGBA;
    IMG_DATA_FORMAT_8_8_8_8 IMG_NUM_FORMAT_SINT => R8G8B8A8_SINT RGBA;
    IMG_DATA_FORMAT_32_32 IMG_NUM_FORMAT_UINT => R32G32_UINT RGBA;
    IMG_DATA_FORMAT_32_32 IMG_NUM_FORMAT_SINT => R32G32_SINT RGBA;
    IMG_DATA_FORMAT_32_32 IMG_NUM_FORMAT_FLOAT => R32G32_SFLOAT RGBA;
    IMG_DATA_FORMAT_16_16_16_16 IMG_NUM_FORMAT_UNORM => R16G16B16A16_UNORM RGBA;
    IMG_DATA_FORMAT_16_16_16_16 IMG_NUM_FORMAT_SNORM => R16G16B16A16_SNORM RGBA;
    IMG_DATA_FORMAT_16_16_16_16 IMG_NUM_FORMAT_UINT => R16G16B16A16_UINT RGBA;
    IMG_DATA_FORMAT_16_16_16_16 IMG_NUM_FORMAT_SINT => R16G16B16A16_SINT RGBA;
    IMG_DATA_FORMAT_16_16_16_16 IMG_NUM_FORMAT_SNORM_OGL => R16G16B16A16_SNORM RGBA;
    IMG_DATA_FORMAT_16_16_16_16 IMG_NUM_FORMAT_FLOAT => R16G16B16A16_SFLOAT RGBA;
    IMG_DATA_FORMAT_32_32_32_32 IMG_NUM_FORMAT_UINT => R32G32B32A32_UINT RGBA;
    IMG_DATA_FORMAT_32_32_32_32 IMG_NUM_FORMAT_SINT => R32G32B32A32_SINT RGBA;
    IMG_DATA_FORMAT_32_32_32_32 IMG_NUM_FORMAT_FLOAT => R32G32B32A32_SFLOAT RGBA;
    IMG_DATA_FORMAT_5_6_5 IMG_NUM_FORMAT_UNORM => B5G6R5_UNORM RGBA;
    IMG_DATA_FORMAT_1_5_5_5 IMG_NUM_FORMAT_UNORM => A1R5G5B5_UNORM BGRA;
    IMG_DATA_FORMAT_5_5_5_1 IMG_NUM_FORMAT_UNORM => R5G5B5A1_UNORM ABGR;
    IMG_DATA_FORMAT_4_4_4_4 IMG_NUM_FORMAT_UNORM => A4R4G4B4_UNORM BGRA;
    IMG_DATA_FORMAT_5_9_9_9 IMG_NUM_FORMAT_FLOAT => E5B9G9R9_UFLOAT RGBA;
    IMG_DATA_FORMAT_BC1 IMG_NUM_FORMAT_UNORM => BC1_RGBA_UNORM RGBA;
    IMG_DATA_FORMAT_BC2 IMG_NUM_FORMAT_UNORM => BC2_UNORM RGBA;
    IMG_DATA_FORMAT_BC3 IMG_NUM_FORMAT_UNORM => BC3_UNORM RGBA;
    IMG_DATA_FORMAT_BC4 IMG_NUM_FORMAT_UNORM => BC4_UNORM RGBA;
    IMG_DATA_FORMAT_BC4 IMG_NUM_FORMAT_SNORM => BC4_SNORM RGBA;
    IMG_DATA_FORMAT_BC5 IMG_NUM_FORMAT_UNORM => BC5_UNORM RGBA;
    IMG_DATA_FORMAT_BC5 IMG_NUM_FORMAT_SNORM => BC5_SNORM RGBA;
    IMG_DATA_FORMAT_BC6 IMG_NUM_FORMAT_UNORM => BC6H_UFLOAT RGBA;
    IMG_DATA_FORMAT_BC6 IMG_NUM_FORMAT_SNORM => BC6H_SFLOAT RGBA;
    IMG_DATA_FORMAT_BC7 IMG_NUM_FORMAT_UNORM => BC7_UNORM RGBA;
}

/// How shaders see a number format.
fn kind(num: u32) -> TargetKind {
    match num {
        IMG_NUM_FORMAT_UINT => TargetKind::Uint,
        IMG_NUM_FORMAT_SINT => TargetKind::Sint,
        _ => TargetKind::Float,
    }
}

/// The host's format for `IMG_DATA_FORMAT` and `IMG_NUM_FORMAT`.
pub(super) fn image(data: u32, num: u32) -> Option<HostFormat> {
    let srgb = num == IMG_NUM_FORMAT_SRGB;
    let number = if srgb { IMG_NUM_FORMAT_UNORM } else { num };
    let (.., format, components) = IMAGES.iter().find(|row| (row.0, row.1) == (data, number))?;
    Some(HostFormat { format: *format, components: *components, kind: kind(num), srgb })
}

/// The host's format for `COLOR_FORMAT` and `SURFACE_NUMBER`, which count as those of images do but for sRGB.
pub(super) fn color(format: u32, number: u32) -> Option<HostFormat> {
    let number = if number == NUMBER_SRGB { IMG_NUM_FORMAT_SRGB } else { number };
    image(format, number).filter(|_| format <= COLOR_4_4_4_4)
}

impl HostFormat {
    /// The same with red and blue exchanged in memory, where the host has that: [`SWAP_ALT`] of four bytes.
    pub(super) fn exchanged(self) -> Option<Self> {
        (self.format == Format::R8G8B8A8_UNORM).then_some(Self {
            format: Format::B8G8R8A8_UNORM,
            components: BGRA,
            ..self
        })
    }

    /// The swizzle of a view for `DST_SEL_X..W`.
    pub(super) fn swizzle(self, select: [u32; 4]) -> [u8; 4] {
        select.map(|select| match select {
            SQ_SEL_1 => Swizzle::One as u8,
            SQ_SEL_X..=SQ_SEL_W => self.components[(select - SQ_SEL_X) as usize],
            _ => Swizzle::Zero as u8,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_unique_and_sizes_are_those_of_the_data_format() {
        for (at, row) in IMAGES.iter().enumerate() {
            assert!(IMAGES[..at].iter().all(|other| (other.0, other.1) != (row.0, row.1)));
        }
        let selects = [SQ_SEL_Z, SQ_SEL_Y, SQ_SEL_X, SQ_SEL_1];
        let bytes = image(IMG_DATA_FORMAT_8_8_8_8, IMG_NUM_FORMAT_SRGB).unwrap();
        assert!(bytes.srgb && bytes.format == Format::R8G8B8A8_UNORM);
        assert_eq!(bytes.swizzle(selects), [2, 1, 0, Swizzle::One as u8]);
        assert_eq!(bytes.exchanged().unwrap().swizzle(selects), [0, 1, 2, Swizzle::One as u8]);
        assert_eq!(color(COLOR_8_8_8_8, NUMBER_SRGB), Some(bytes));
        assert_eq!(color(IMG_DATA_FORMAT_BC1, NUMBER_UNORM), None);
    }
}
