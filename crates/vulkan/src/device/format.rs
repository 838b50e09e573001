//! How each format of the stream is done with Vulkan's formats. Bit layouts: Vulkan specification, "Format Definition".

use crate::device::instance::Instance;
use afterimage_stream::{Aspects, Format, FormatFeatures, VertexFormat};
use ash::vk;

/// What stands in for a format that a device lacks.
#[derive(Clone, Copy)]
struct Fallback {
    format: vk::Format,
    /// Which channel of the replacement holds red, green, blue and alpha, as stream swizzle numbers.
    channels: [u8; 4],
}

const IDENTITY: [u8; 4] = [0, 1, 2, 3];

/// One row per stream format: its Vulkan format, and what may replace it.
fn row(format: Format) -> (vk::Format, Option<Fallback>) {
    use vk::Format as V;
    let depth = |format| Some(Fallback { format, channels: IDENTITY });
    match format {
        Format::R8_UNORM => (V::R8_UNORM, None),
        Format::R8_SNORM => (V::R8_SNORM, None),
        Format::R8G8_UNORM => (V::R8G8_UNORM, None),
        Format::R8G8_SNORM => (V::R8G8_SNORM, None),
        Format::R8G8B8A8_UNORM => (V::R8G8B8A8_UNORM, None),
        Format::R8G8B8A8_SNORM => (V::R8G8B8A8_SNORM, None),
        Format::R8G8B8A8_SRGB => (V::R8G8B8A8_SRGB, None),
        Format::B8G8R8A8_UNORM => (V::B8G8R8A8_UNORM, None),
        Format::B8G8R8A8_SRGB => (V::B8G8R8A8_SRGB, None),
        Format::B5G6R5_UNORM => (V::B5G6R5_UNORM_PACK16, None),
        Format::A1R5G5B5_UNORM => (V::A1R5G5B5_UNORM_PACK16, None),
        // B4G4R4A4 has alpha where A4R4G4B4 has blue, and so on down the nibbles.
        Format::A4R4G4B4_UNORM => {
            (V::A4R4G4B4_UNORM_PACK16, Some(Fallback { format: V::B4G4R4A4_UNORM_PACK16, channels: [1, 0, 3, 2] }))
        }
        Format::A2R10G10B10_UNORM => (V::A2R10G10B10_UNORM_PACK32, None),
        Format::A2B10G10R10_UNORM => (V::A2B10G10R10_UNORM_PACK32, None),
        Format::R16_UNORM => (V::R16_UNORM, None),
        Format::R16G16_UNORM => (V::R16G16_UNORM, None),
        Format::R16G16_SNORM => (V::R16G16_SNORM, None),
        Format::R16G16B16A16_UNORM => (V::R16G16B16A16_UNORM, None),
        Format::R16G16B16A16_SNORM => (V::R16G16B16A16_SNORM, None),
        Format::R16_SFLOAT => (V::R16_SFLOAT, None),
        Format::R16G16_SFLOAT => (V::R16G16_SFLOAT, None),
        Format::R16G16B16A16_SFLOAT => (V::R16G16B16A16_SFLOAT, None),
        Format::R32_SFLOAT => (V::R32_SFLOAT, None),
        Format::R32G32_SFLOAT => (V::R32G32_SFLOAT, None),
        Format::R32G32B32A32_SFLOAT => (V::R32G32B32A32_SFLOAT, None),
        Format::BC1_RGBA_UNORM => (V::BC1_RGBA_UNORM_BLOCK, None),
        Format::BC1_RGBA_SRGB => (V::BC1_RGBA_SRGB_BLOCK, None),
        Format::BC2_UNORM => (V::BC2_UNORM_BLOCK, None),
        Format::BC2_SRGB => (V::BC2_SRGB_BLOCK, None),
        Format::BC3_UNORM => (V::BC3_UNORM_BLOCK, None),
        Format::BC3_SRGB => (V::BC3_SRGB_BLOCK, None),
        Format::BC4_UNORM => (V::BC4_UNORM_BLOCK, None),
        Format::BC5_UNORM => (V::BC5_UNORM_BLOCK, None),
        Format::D16_UNORM => (V::D16_UNORM, depth(V::D32_SFLOAT)),
        Format::D32_SFLOAT => (V::D32_SFLOAT, None),
        Format::D24_UNORM_S8_UINT => (V::D24_UNORM_S8_UINT, depth(V::D32_SFLOAT_S8_UINT)),
        Format::D32_SFLOAT_S8_UINT => (V::D32_SFLOAT_S8_UINT, depth(V::D24_UNORM_S8_UINT)),
        Format::R5G6B5_UNORM => (V::R5G6B5_UNORM_PACK16, None),
        Format::R8_UINT => (V::R8_UINT, None),
        Format::R8_SINT => (V::R8_SINT, None),
        Format::R8G8_UINT => (V::R8G8_UINT, None),
        Format::R8G8_SINT => (V::R8G8_SINT, None),
        Format::R8G8B8A8_UINT => (V::R8G8B8A8_UINT, None),
        Format::R8G8B8A8_SINT => (V::R8G8B8A8_SINT, None),
        Format::R16_SNORM => (V::R16_SNORM, None),
        Format::R16_UINT => (V::R16_UINT, None),
        Format::R16_SINT => (V::R16_SINT, None),
        Format::R16G16_UINT => (V::R16G16_UINT, None),
        Format::R16G16_SINT => (V::R16G16_SINT, None),
        Format::R16G16B16A16_UINT => (V::R16G16B16A16_UINT, None),
        Format::R16G16B16A16_SINT => (V::R16G16B16A16_SINT, None),
        Format::R32_UINT => (V::R32_UINT, None),
        Format::R32_SINT => (V::R32_SINT, None),
        Format::R32G32_UINT => (V::R32G32_UINT, None),
        Format::R32G32_SINT => (V::R32G32_SINT, None),
        Format::R32G32B32A32_UINT => (V::R32G32B32A32_UINT, None),
        Format::R32G32B32A32_SINT => (V::R32G32B32A32_SINT, None),
        Format::A2B10G10R10_UINT => (V::A2B10G10R10_UINT_PACK32, None),
        Format::B10G11R11_UFLOAT => (V::B10G11R11_UFLOAT_PACK32, None),
        Format::E5B9G9R9_UFLOAT => (V::E5B9G9R9_UFLOAT_PACK32, None),
        Format::BC4_SNORM => (V::BC4_SNORM_BLOCK, None),
        Format::BC5_SNORM => (V::BC5_SNORM_BLOCK, None),
        Format::BC6H_UFLOAT => (V::BC6H_UFLOAT_BLOCK, None),
        Format::BC6H_SFLOAT => (V::BC6H_SFLOAT_BLOCK, None),
        Format::BC7_UNORM => (V::BC7_UNORM_BLOCK, None),
        Format::BC7_SRGB => (V::BC7_SRGB_BLOCK, None),
        Format::R5G5B5A1_UNORM => (V::R5G5B5A1_UNORM_PACK16, None),
        Format::R4G4B4A4_UNORM => (V::R4G4B4A4_UNORM_PACK16, None),
        Format::R64_UINT => (V::R64_UINT, None),
        Format::X8_D24_UNORM => (V::X8_D24_UNORM_PACK32, depth(V::D32_SFLOAT)),
    }
}

/// How a device does one stream format.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Choice {
    /// The format of images.
    pub(crate) format: vk::Format,
    /// See [`Fallback::channels`].
    pub(crate) channels: [u8; 4],
    /// [`FormatFeatures`] bits; 0 where the device cannot do it at all.
    pub(crate) features: u32,
    /// Whether another format stands in.
    pub(crate) replaced: bool,
}

/// How a device does a format, where it is to do without some of Vulkan's.
pub(crate) fn choose(
    instance: &Instance,
    device: vk::PhysicalDevice,
    format: Format,
    without: &[vk::Format],
) -> Choice {
    let is_depth = format.is_depth();
    let features = |candidate: vk::Format| {
        if without.contains(&candidate) {
            return 0;
        }
        // SAFETY: the handle is one of the instance's.
        let properties = unsafe { instance.raw.get_physical_device_format_properties(device, candidate) };
        bits(properties.optimal_tiling_features, is_depth)
    };
    let (own, fallback) = row(format);
    let mut own_features = features(own);
    let mut needed = if is_depth { FormatFeatures::DEPTH } else { FormatFeatures::SAMPLED };
    if kind_of(format) == LONG {
        // Shaders have such texels in storage images alone.
        needed = FormatFeatures::STORAGE | FormatFeatures::STORAGE_ATOMIC;
        own_features &= needed;
    }
    if own_features & needed == needed {
        return Choice { format: own, channels: IDENTITY, features: own_features, replaced: false };
    }
    if let Some(fallback) = fallback {
        let found = features(fallback.format);
        if found & needed == needed {
            // A target whose channels are elsewhere would be written wrongly: it can only be sampled.
            let blits = FormatFeatures::BLIT | FormatFeatures::BLIT_SOURCE;
            let targets = FormatFeatures::TARGET | FormatFeatures::BLEND | blits;
            let found = if fallback.channels == IDENTITY { found } else { found & !targets };
            return Choice { format: fallback.format, channels: fallback.channels, features: found, replaced: true };
        }
    }
    Choice { format: own, channels: IDENTITY, features: 0, replaced: false }
}

fn bits(found: vk::FormatFeatureFlags, is_depth: bool) -> u32 {
    use vk::FormatFeatureFlags as F;
    let rows = [
        (F::SAMPLED_IMAGE, FormatFeatures::SAMPLED | FormatFeatures::VERTEX_TEXTURE),
        (F::SAMPLED_IMAGE_FILTER_LINEAR, FormatFeatures::LINEAR),
        (F::COLOR_ATTACHMENT, FormatFeatures::TARGET),
        (F::COLOR_ATTACHMENT_BLEND, FormatFeatures::BLEND),
        (F::DEPTH_STENCIL_ATTACHMENT, FormatFeatures::DEPTH),
        (F::STORAGE_IMAGE, FormatFeatures::STORAGE),
        (F::STORAGE_IMAGE_ATOMIC, FormatFeatures::STORAGE_ATOMIC),
    ];
    let mut bits = rows.iter().filter(|(flag, _)| found.contains(*flag)).fold(0, |bits, (_, bit)| bits | bit);
    if found.contains(F::BLIT_SRC) && (is_depth || found.contains(F::SAMPLED_IMAGE_FILTER_LINEAR)) {
        bits |= FormatFeatures::BLIT_SOURCE;
        bits |= if found.contains(F::BLIT_DST) { FormatFeatures::BLIT } else { 0 };
    }
    bits
}

/// Image aspects of a format.
pub(crate) fn aspects(format: Format) -> vk::ImageAspectFlags {
    match format.info().aspects {
        Aspects::Color => vk::ImageAspectFlags::COLOR,
        Aspects::Depth => vk::ImageAspectFlags::DEPTH,
        Aspects::DepthStencil => vk::ImageAspectFlags::DEPTH | vk::ImageAspectFlags::STENCIL,
    }
}

/// Alignment of a vertex attribute's address: that of a component, or of the whole where it is packed.
pub(crate) fn vertex_alignment(format: VertexFormat) -> u32 {
    match format {
        VertexFormat::B8G8R8A8_UNORM | VertexFormat::R8G8B8A8_UNORM | VertexFormat::R8G8B8A8_USCALED => 1,
        VertexFormat::R16G16_SSCALED
        | VertexFormat::R16G16B16A16_SSCALED
        | VertexFormat::R16G16_SNORM
        | VertexFormat::R16G16B16A16_SNORM
        | VertexFormat::R16G16_UNORM
        | VertexFormat::R16G16B16A16_UNORM
        | VertexFormat::R16G16_SFLOAT
        | VertexFormat::R16G16B16A16_SFLOAT => 2,
        VertexFormat::R32_SFLOAT
        | VertexFormat::R32G32_SFLOAT
        | VertexFormat::R32G32B32_SFLOAT
        | VertexFormat::R32G32B32A32_SFLOAT
        | VertexFormat::A2B10G10R10_USCALED
        | VertexFormat::A2B10G10R10_SNORM => 4,
    }
}

/// The Vulkan format of a vertex attribute.
pub(crate) fn vertex(format: VertexFormat) -> vk::Format {
    use vk::Format as V;
    match format {
        VertexFormat::R32_SFLOAT => V::R32_SFLOAT,
        VertexFormat::R32G32_SFLOAT => V::R32G32_SFLOAT,
        VertexFormat::R32G32B32_SFLOAT => V::R32G32B32_SFLOAT,
        VertexFormat::R32G32B32A32_SFLOAT => V::R32G32B32A32_SFLOAT,
        VertexFormat::B8G8R8A8_UNORM => V::B8G8R8A8_UNORM,
        VertexFormat::R8G8B8A8_UNORM => V::R8G8B8A8_UNORM,
        VertexFormat::R8G8B8A8_USCALED => V::R8G8B8A8_USCALED,
        VertexFormat::R16G16_SSCALED => V::R16G16_SSCALED,
        VertexFormat::R16G16B16A16_SSCALED => V::R16G16B16A16_SSCALED,
        VertexFormat::R16G16_SNORM => V::R16G16_SNORM,
        VertexFormat::R16G16B16A16_SNORM => V::R16G16B16A16_SNORM,
        VertexFormat::R16G16_UNORM => V::R16G16_UNORM,
        VertexFormat::R16G16B16A16_UNORM => V::R16G16B16A16_UNORM,
        VertexFormat::A2B10G10R10_USCALED => V::A2B10G10R10_USCALED_PACK32,
        VertexFormat::A2B10G10R10_SNORM => V::A2B10G10R10_SNORM_PACK32,
        VertexFormat::R16G16_SFLOAT => V::R16G16_SFLOAT,
        VertexFormat::R16G16B16A16_SFLOAT => V::R16G16B16A16_SFLOAT,
    }
}

/// What texels are to shaders that are 64-bit numbers: none of `afterimage_ir::Component`.
pub(crate) const LONG: u8 = 3;

/// What texels of a format are to shaders: the numbers of `afterimage_ir::Component`, or [`LONG`].
pub(crate) fn kind_of(format: Format) -> u8 {
    if format == Format::R64_UINT {
        return LONG;
    }
    let name = format.info().name;
    match format.is_integer() {
        true => 1 + u8::from(name.ends_with("_SINT")),
        false => 0,
    }
}
