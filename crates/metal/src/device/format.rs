//! How each format of the stream is done with Metal's formats.
//!
//! Metal's packed names run from the low bits up, where the stream's run from the high bits down. Sources: Metal Feature Set Tables
//! (2025), `MTLPixelFormat` in Apple's headers, the Vulkan specification's "Format Definition" for the stream's bits.

use crate::transfer::expand::is_small;
use afterimage_metal_calls::{Facts, PixelFormat, Swizzle, VertexFormat as Attribute};
use afterimage_shader::feedback::{Fetch, Layout, Number};
use afterimage_stream::{Format, FormatFeatures, VertexFormat};

/// How a stream format is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    /// The format of textures.
    pub(crate) pixel: PixelFormat,
    /// Where the stream's red, green, blue and alpha lie in it.
    pub(crate) channels: [Swizzle; 4],
    /// Whether texels have other bits than the stream's: see [`crate::transfer::expand`].
    pub(crate) expanded: bool,
}

/// How a device does a format, for textures that are drawn or stored into (`written`) or are not. Macs by Intel have no texels of 16 bits
/// with several components; what is written has its channels where Metal has them, since only what is read can be swizzled.
pub(crate) fn choice(facts: &Facts, format: Format, written: bool) -> Choice {
    let choice = row(format);
    let fits = choice.pixel.caps(facts).exists && (choice.channels == IDENTITY || !written);
    if fits || !is_small(format) {
        return choice;
    }
    Choice { pixel: PixelFormat::BGRA8Unorm, channels: IDENTITY, expanded: true }
}

/// Channels where Metal has them, too.
pub(crate) const IDENTITY: [Swizzle; 4] = Swizzle::IDENTITY;

/// One row for each format. Depth of 24 bits becomes a float, which holds every value of 24 bits: Apple's GPUs have nothing else.
const fn row(format: Format) -> Choice {
    use PixelFormat as P;
    use Swizzle::{Alpha, Blue, Green, Red};
    let pixel = match format {
        Format::R8_UNORM => P::R8Unorm,
        Format::R8_SNORM => P::R8Snorm,
        Format::R8G8_UNORM => P::RG8Unorm,
        Format::R8G8_SNORM => P::RG8Snorm,
        Format::R8G8B8A8_UNORM => P::RGBA8Unorm,
        Format::R8G8B8A8_SNORM => P::RGBA8Snorm,
        Format::R8G8B8A8_SRGB => P::RGBA8Unorm_sRGB,
        Format::B8G8R8A8_UNORM => P::BGRA8Unorm,
        Format::B8G8R8A8_SRGB => P::BGRA8Unorm_sRGB,
        Format::R5G6B5_UNORM | Format::B5G6R5_UNORM => P::B5G6R5Unorm,
        Format::A1R5G5B5_UNORM => P::BGR5A1Unorm,
        Format::R5G5B5A1_UNORM => P::A1BGR5Unorm,
        Format::R4G4B4A4_UNORM | Format::A4R4G4B4_UNORM => P::ABGR4Unorm,
        Format::A2R10G10B10_UNORM => P::BGR10A2Unorm,
        Format::A2B10G10R10_UNORM => P::RGB10A2Unorm,
        Format::A2B10G10R10_UINT => P::RGB10A2Uint,
        Format::R16_UNORM => P::R16Unorm,
        Format::R16_SNORM => P::R16Snorm,
        Format::R16G16_UNORM => P::RG16Unorm,
        Format::R16G16_SNORM => P::RG16Snorm,
        Format::R16G16B16A16_UNORM => P::RGBA16Unorm,
        Format::R16G16B16A16_SNORM => P::RGBA16Snorm,
        Format::R16_SFLOAT => P::R16Float,
        Format::R16G16_SFLOAT => P::RG16Float,
        Format::R16G16B16A16_SFLOAT => P::RGBA16Float,
        Format::R32_SFLOAT => P::R32Float,
        Format::R32G32_SFLOAT => P::RG32Float,
        Format::R32G32B32A32_SFLOAT => P::RGBA32Float,
        Format::BC1_RGBA_UNORM => P::BC1_RGBA,
        Format::BC1_RGBA_SRGB => P::BC1_RGBA_sRGB,
        Format::BC2_UNORM => P::BC2_RGBA,
        Format::BC2_SRGB => P::BC2_RGBA_sRGB,
        Format::BC3_UNORM => P::BC3_RGBA,
        Format::BC3_SRGB => P::BC3_RGBA_sRGB,
        Format::BC4_UNORM => P::BC4_RUnorm,
        Format::BC4_SNORM => P::BC4_RSnorm,
        Format::BC5_UNORM => P::BC5_RGUnorm,
        Format::BC5_SNORM => P::BC5_RGSnorm,
        Format::BC6H_UFLOAT => P::BC6H_RGBUfloat,
        Format::BC6H_SFLOAT => P::BC6H_RGBFloat,
        Format::BC7_UNORM => P::BC7_RGBAUnorm,
        Format::BC7_SRGB => P::BC7_RGBAUnorm_sRGB,
        Format::D16_UNORM => P::Depth16Unorm,
        Format::X8_D24_UNORM | Format::D32_SFLOAT => P::Depth32Float,
        Format::D24_UNORM_S8_UINT | Format::D32_SFLOAT_S8_UINT => P::Depth32Float_Stencil8,
        Format::R8_UINT => P::R8Uint,
        Format::R8_SINT => P::R8Sint,
        Format::R8G8_UINT => P::RG8Uint,
        Format::R8G8_SINT => P::RG8Sint,
        Format::R8G8B8A8_UINT => P::RGBA8Uint,
        Format::R8G8B8A8_SINT => P::RGBA8Sint,
        Format::R16_UINT => P::R16Uint,
        Format::R16_SINT => P::R16Sint,
        Format::R16G16_UINT => P::RG16Uint,
        Format::R16G16_SINT => P::RG16Sint,
        Format::R16G16B16A16_UINT => P::RGBA16Uint,
        Format::R16G16B16A16_SINT => P::RGBA16Sint,
        Format::R32_UINT => P::R32Uint,
        Format::R32_SINT => P::R32Sint,
        // No texels of 64 bits are there ([`features`]).
        Format::R32G32_UINT | Format::R64_UINT => P::RG32Uint,
        Format::R32G32_SINT => P::RG32Sint,
        Format::R32G32B32A32_UINT => P::RGBA32Uint,
        Format::R32G32B32A32_SINT => P::RGBA32Sint,
        Format::B10G11R11_UFLOAT => P::RG11B10Float,
        Format::E5B9G9R9_UFLOAT => P::RGB9E5Float,
    };
    let channels = match format {
        Format::B5G6R5_UNORM => [Blue, Green, Red, Alpha],
        Format::A4R4G4B4_UNORM => [Green, Blue, Alpha, Red],
        _ => IDENTITY,
    };
    Choice { pixel, channels, expanded: false }
}

/// [`FormatFeatures`] bits of a format on a device; 0 where it cannot do it at all.
pub(crate) fn features(facts: &Facts, format: Format) -> u32 {
    let [read, written] = [false, true].map(|written| choice(facts, format, written).pixel.caps(facts));
    if !read.exists || format == Format::R64_UINT {
        return 0;
    }
    let (depth, color) = (format.is_depth(), !format.is_depth());
    // Those that have two forms are no targets of blits unless they are targets.
    let one_form = choice(facts, format, false) == choice(facts, format, true);
    let rows = [
        (true, FormatFeatures::SAMPLED | FormatFeatures::VERTEX_TEXTURE),
        (read.filter, FormatFeatures::LINEAR),
        (written.write && color, FormatFeatures::STORAGE),
        (written.render && color, FormatFeatures::TARGET),
        (written.blend && color, FormatFeatures::BLEND),
        (written.render && depth, FormatFeatures::DEPTH),
        ((read.filter && one_form) || depth, FormatFeatures::BLIT_SOURCE),
        ((read.filter && written.render && one_form) || depth, FormatFeatures::BLIT),
    ];
    rows.iter().filter(|(there, _)| *there).fold(0, |bits, (_, bit)| bits | bit)
}

/// Whether sRGB must be encoded before a target of this format is written: it has few bits and no sRGB view.
pub(crate) const fn encoded_by_shader(pixel: PixelFormat) -> bool {
    use PixelFormat as P;
    matches!(
        pixel,
        P::R8Unorm
            | P::RG8Unorm
            | P::RGBA8Unorm
            | P::BGRA8Unorm
            | P::B5G6R5Unorm
            | P::BGR5A1Unorm
            | P::ABGR4Unorm
            | P::BGR10A2Unorm
            | P::RGB10A2Unorm
    )
}

/// How an attribute is read; `None` where Metal has no such thing and the CPU makes four floats of it.
pub(crate) const fn attribute(format: VertexFormat) -> Option<Attribute> {
    Some(match format {
        VertexFormat::R32_SFLOAT => Attribute::Float,
        VertexFormat::R32G32_SFLOAT => Attribute::Float2,
        VertexFormat::R32G32B32_SFLOAT => Attribute::Float3,
        VertexFormat::R32G32B32A32_SFLOAT => Attribute::Float4,
        VertexFormat::B8G8R8A8_UNORM => Attribute::UChar4NormalizedBgra,
        VertexFormat::R8G8B8A8_UNORM => Attribute::UChar4Normalized,
        VertexFormat::R8G8B8A8_USCALED => Attribute::UChar4,
        VertexFormat::R16G16_SSCALED => Attribute::Short2,
        VertexFormat::R16G16B16A16_SSCALED => Attribute::Short4,
        VertexFormat::R16G16_SNORM => Attribute::Short2Normalized,
        VertexFormat::R16G16B16A16_SNORM => Attribute::Short4Normalized,
        VertexFormat::R16G16_UNORM => Attribute::UShort2Normalized,
        VertexFormat::R16G16B16A16_UNORM => Attribute::UShort4Normalized,
        VertexFormat::A2B10G10R10_SNORM => Attribute::Int1010102Normalized,
        VertexFormat::R16G16_SFLOAT => Attribute::Half2,
        VertexFormat::R16G16B16A16_SFLOAT => Attribute::Half4,
        VertexFormat::A2B10G10R10_USCALED => return None,
    })
}

/// How a kernel that captures vertices reads an attribute.
pub(crate) const fn fetch(format: VertexFormat) -> Fetch {
    use Number::{Float, Snorm, Sscaled, Unorm, Uscaled};
    let (number, count, bits) = match format {
        VertexFormat::R32_SFLOAT => (Float, 1, 32),
        VertexFormat::R32G32_SFLOAT => (Float, 2, 32),
        VertexFormat::R32G32B32_SFLOAT => (Float, 3, 32),
        VertexFormat::R32G32B32A32_SFLOAT => (Float, 4, 32),
        VertexFormat::B8G8R8A8_UNORM => {
            return Fetch { number: Unorm, layout: Layout::Components { count: 4, bits: 8 }, bgra: true };
        }
        VertexFormat::R8G8B8A8_UNORM => (Unorm, 4, 8),
        VertexFormat::R8G8B8A8_USCALED => (Uscaled, 4, 8),
        VertexFormat::R16G16_SSCALED => (Sscaled, 2, 16),
        VertexFormat::R16G16B16A16_SSCALED => (Sscaled, 4, 16),
        VertexFormat::R16G16_SNORM => (Snorm, 2, 16),
        VertexFormat::R16G16B16A16_SNORM => (Snorm, 4, 16),
        VertexFormat::R16G16_UNORM => (Unorm, 2, 16),
        VertexFormat::R16G16B16A16_UNORM => (Unorm, 4, 16),
        VertexFormat::R16G16_SFLOAT => (Float, 2, 16),
        VertexFormat::R16G16B16A16_SFLOAT => (Float, 4, 16),
        VertexFormat::A2B10G10R10_USCALED => {
            return Fetch { number: Uscaled, layout: Layout::Packed1010102, bgra: false };
        }
        VertexFormat::A2B10G10R10_SNORM => return Fetch { number: Snorm, layout: Layout::Packed1010102, bgra: false },
    };
    Fetch::new(number, count, bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texels_have_as_many_bytes_as_the_streams() {
        for &format in Format::ALL {
            let (pixel, info) = (row(format).pixel, format.info());
            assert_eq!(pixel.block(), info.block, "{}", info.name);
            assert_eq!(pixel.has_depth(), format.is_depth(), "{}", info.name);
            if !format.is_depth() {
                assert_eq!(pixel.bytes(), info.bytes, "{}", info.name);
            }
            if let Some(srgb) = info.srgb {
                assert!(row(srgb).pixel.is_srgb() && !pixel.is_srgb(), "{}", info.name);
            }
        }
        for &format in VertexFormat::ALL {
            assert!(attribute(format).is_none_or(|own| own.bytes() == format.bytes()), "{format:?}");
            assert_eq!(fetch(format).bytes(), format.bytes(), "{format:?}");
        }
    }
}
