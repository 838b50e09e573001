//! DirectDraw Surface files: a texture with every level, face and slice in one file, which image programs open.
//!
//! Always with the extension of Direct3D 10, whose formats tell sRGB, integers and the later compressed formats apart. Source of what
//! each of them is: the names of `DXGI_FORMAT`, as Microsoft's documentation has them.

use afterimage_stream::Format;
use afterimage_stream::packets::{CreateTexture, Dimension};
use ddsfile::{AlphaMode, Caps2, D3D10ResourceDimension, DxgiFormat, Header, Header10};

/// The format of DXGI whose texels lie in memory as these do. `None` where there is none.
fn dxgi(format: Format) -> Option<DxgiFormat> {
    use DxgiFormat as D;
    use Format::*;
    Some(match format {
        R32G32B32A32_SFLOAT => D::R32G32B32A32_Float,
        R32G32B32A32_UINT => D::R32G32B32A32_UInt,
        R32G32B32A32_SINT => D::R32G32B32A32_SInt,
        R16G16B16A16_SFLOAT => D::R16G16B16A16_Float,
        R16G16B16A16_UNORM => D::R16G16B16A16_UNorm,
        R16G16B16A16_UINT => D::R16G16B16A16_UInt,
        R16G16B16A16_SNORM => D::R16G16B16A16_SNorm,
        R16G16B16A16_SINT => D::R16G16B16A16_SInt,
        R32G32_SFLOAT => D::R32G32_Float,
        R32G32_UINT => D::R32G32_UInt,
        R32G32_SINT => D::R32G32_SInt,
        D32_SFLOAT_S8_UINT => D::D32_Float_S8X24_UInt,
        A2B10G10R10_UNORM => D::R10G10B10A2_UNorm,
        A2B10G10R10_UINT => D::R10G10B10A2_UInt,
        B10G11R11_UFLOAT => D::R11G11B10_Float,
        R8G8B8A8_UNORM => D::R8G8B8A8_UNorm,
        R8G8B8A8_SRGB => D::R8G8B8A8_UNorm_sRGB,
        R8G8B8A8_UINT => D::R8G8B8A8_UInt,
        R8G8B8A8_SNORM => D::R8G8B8A8_SNorm,
        R8G8B8A8_SINT => D::R8G8B8A8_SInt,
        R16G16_SFLOAT => D::R16G16_Float,
        R16G16_UNORM => D::R16G16_UNorm,
        R16G16_UINT => D::R16G16_UInt,
        R16G16_SNORM => D::R16G16_SNorm,
        R16G16_SINT => D::R16G16_SInt,
        D32_SFLOAT => D::D32_Float,
        R32_SFLOAT => D::R32_Float,
        R32_UINT => D::R32_UInt,
        R32_SINT => D::R32_SInt,
        D24_UNORM_S8_UINT => D::D24_UNorm_S8_UInt,
        X8_D24_UNORM => D::R24_UNorm_X8_Typeless,
        R8G8_UNORM => D::R8G8_UNorm,
        R8G8_UINT => D::R8G8_UInt,
        R8G8_SNORM => D::R8G8_SNorm,
        R8G8_SINT => D::R8G8_SInt,
        R16_SFLOAT => D::R16_Float,
        D16_UNORM => D::D16_UNorm,
        R16_UNORM => D::R16_UNorm,
        R16_UINT => D::R16_UInt,
        R16_SNORM => D::R16_SNorm,
        R16_SINT => D::R16_SInt,
        R8_UNORM => D::R8_UNorm,
        R8_UINT => D::R8_UInt,
        R8_SNORM => D::R8_SNorm,
        R8_SINT => D::R8_SInt,
        E5B9G9R9_UFLOAT => D::R9G9B9E5_SharedExp,
        BC1_RGBA_UNORM => D::BC1_UNorm,
        BC1_RGBA_SRGB => D::BC1_UNorm_sRGB,
        BC2_UNORM => D::BC2_UNorm,
        BC2_SRGB => D::BC2_UNorm_sRGB,
        BC3_UNORM => D::BC3_UNorm,
        BC3_SRGB => D::BC3_UNorm_sRGB,
        BC4_UNORM => D::BC4_UNorm,
        BC4_SNORM => D::BC4_SNorm,
        BC5_UNORM => D::BC5_UNorm,
        BC5_SNORM => D::BC5_SNorm,
        R5G6B5_UNORM => D::B5G6R5_UNorm,
        A1R5G5B5_UNORM => D::B5G5R5A1_UNorm,
        B8G8R8A8_UNORM => D::B8G8R8A8_UNorm,
        B8G8R8A8_SRGB => D::B8G8R8A8_UNorm_sRGB,
        BC6H_UFLOAT => D::BC6H_UF16,
        BC6H_SFLOAT => D::BC6H_SF16,
        BC7_UNORM => D::BC7_UNorm,
        BC7_SRGB => D::BC7_UNorm_sRGB,
        A4R4G4B4_UNORM => D::B4G4R4A4_UNorm,
        // Their channels lie the other way round, which no format of DXGI says; or they are numbers that none has.
        B5G6R5_UNORM | R5G5B5A1_UNORM | R4G4B4A4_UNORM | A2R10G10B10_UNORM | R64_UINT => return None,
    })
}

/// What stands before the texels of a texture in a DirectDraw Surface file. They follow in the order of
/// [`subresources`](crate::subresources). `None` where the format is none of DXGI's, or a level is larger than such a file can say.
#[must_use]
pub fn dds_header(texture: &CreateTexture, format: Format) -> Option<Vec<u8>> {
    let dxgi = dxgi(format)?;
    let deep = texture.dimension == Dimension::D3 as u8;
    let cube = texture.dimension == Dimension::Cube as u8;
    let depth = if deep { texture.depth.max(1) } else { 1 };
    let level = format.packed_size(texture.width, texture.height).checked_mul(depth.into())?;
    u32::try_from(level).ok()?;
    let mut kind = Caps2::empty();
    kind.set(Caps2::VOLUME, deep);
    kind.set(Caps2::CUBEMAP | Caps2::CUBEMAP_ALLFACES, cube);
    let (levels, layers) = (Some(texture.levels), Some(texture.layers));
    let header = Header::new_dxgi(texture.height, texture.width, Some(depth), dxgi, levels, layers, Some(kind)).ok()?;
    let dimension = if deep { D3D10ResourceDimension::Texture3D } else { D3D10ResourceDimension::Texture2D };
    let elements = if cube { texture.layers / 6 } else { texture.layers };
    let more = Header10::new(dxgi, cube, dimension, elements.max(1), AlphaMode::Unknown);
    let mut bytes = b"DDS ".to_vec();
    header.write(&mut bytes).ok()?;
    more.write(&mut bytes).ok()?;
    Some(bytes)
}
