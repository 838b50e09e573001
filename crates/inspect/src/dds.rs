//! DirectDraw Surface files: a texture with every level, face and slice in one file, which image programs open.
//!
//! Always with the extension of Direct3D 10, whose numbers tell sRGB, integers and the later compressed formats apart. Source: the
//! structures `DDS_HEADER` and `DDS_HEADER_DXT10` and the numbers of `DXGI_FORMAT`, as Microsoft's documentation has them.

use afterimage_stream::Format;
use afterimage_stream::packets::{CreateTexture, Dimension};

/// The number of `DXGI_FORMAT` whose texels lie in memory as these do. `None` where there is none.
fn dxgi(format: Format) -> Option<u32> {
    use Format::*;
    Some(match format {
        R32G32B32A32_SFLOAT => 2,
        R32G32B32A32_UINT => 3,
        R32G32B32A32_SINT => 4,
        R16G16B16A16_SFLOAT => 10,
        R16G16B16A16_UNORM => 11,
        R16G16B16A16_UINT => 12,
        R16G16B16A16_SNORM => 13,
        R16G16B16A16_SINT => 14,
        R32G32_SFLOAT => 16,
        R32G32_UINT => 17,
        R32G32_SINT => 18,
        D32_SFLOAT_S8_UINT => 20,
        A2B10G10R10_UNORM => 24,
        A2B10G10R10_UINT => 25,
        B10G11R11_UFLOAT => 26,
        R8G8B8A8_UNORM => 28,
        R8G8B8A8_SRGB => 29,
        R8G8B8A8_UINT => 30,
        R8G8B8A8_SNORM => 31,
        R8G8B8A8_SINT => 32,
        R16G16_SFLOAT => 34,
        R16G16_UNORM => 35,
        R16G16_UINT => 36,
        R16G16_SNORM => 37,
        R16G16_SINT => 38,
        D32_SFLOAT => 40,
        R32_SFLOAT => 41,
        R32_UINT => 42,
        R32_SINT => 43,
        D24_UNORM_S8_UINT => 45,
        X8_D24_UNORM => 46,
        R8G8_UNORM => 49,
        R8G8_UINT => 50,
        R8G8_SNORM => 51,
        R8G8_SINT => 52,
        R16_SFLOAT => 54,
        D16_UNORM => 55,
        R16_UNORM => 56,
        R16_UINT => 57,
        R16_SNORM => 58,
        R16_SINT => 59,
        R8_UNORM => 61,
        R8_UINT => 62,
        R8_SNORM => 63,
        R8_SINT => 64,
        E5B9G9R9_UFLOAT => 67,
        BC1_RGBA_UNORM => 71,
        BC1_RGBA_SRGB => 72,
        BC2_UNORM => 74,
        BC2_SRGB => 75,
        BC3_UNORM => 77,
        BC3_SRGB => 78,
        BC4_UNORM => 80,
        BC4_SNORM => 81,
        BC5_UNORM => 83,
        BC5_SNORM => 84,
        R5G6B5_UNORM => 85,
        A1R5G5B5_UNORM => 86,
        B8G8R8A8_UNORM => 87,
        B8G8R8A8_SRGB => 91,
        BC6H_UFLOAT => 95,
        BC6H_SFLOAT => 96,
        BC7_UNORM => 98,
        BC7_SRGB => 99,
        A4R4G4B4_UNORM => 115,
        // Their channels lie the other way round, which no number says.
        B5G6R5_UNORM | R5G5B5A1_UNORM | R4G4B4A4_UNORM | A2R10G10B10_UNORM => return None,
    })
}

/// What stands before the texels of a texture in a DirectDraw Surface file. They follow in the order of
/// [`subresources`](crate::subresources). `None` where the format has no number there.
#[must_use]
pub fn dds_header(texture: &CreateTexture, format: Format) -> Option<Vec<u8>> {
    const CAPS_HEIGHT_WIDTH_FORMAT: u32 = 0x1007;
    const PITCH: u32 = 8;
    const LEVELS: u32 = 0x2_0000;
    const LINEAR_SIZE: u32 = 0x8_0000;
    const DEPTH: u32 = 0x80_0000;
    let number = dxgi(format)?;
    let deep = texture.dimension == Dimension::D3 as u8;
    let cube = texture.dimension == Dimension::Cube as u8;
    let (measure, size) = match format.info().block {
        1 => (PITCH, format.row_bytes(texture.width)),
        _ => (LINEAR_SIZE, u32::try_from(format.packed_size(texture.width, texture.height)).unwrap_or(u32::MAX)),
    };
    let more = texture.levels > 1 || texture.layers > 1 || deep;
    let mut words = vec![
        u32::from_le_bytes(*b"DDS "),
        124,
        CAPS_HEIGHT_WIDTH_FORMAT | LEVELS | measure | if deep { DEPTH } else { 0 },
        texture.height,
        texture.width,
        size,
        texture.depth.max(1),
        texture.levels,
    ];
    words.extend([0; 11]);
    // The pixel format: 32 bytes, a four-character code, and nothing else.
    words.extend([32, 4, u32::from_le_bytes(*b"DX10"), 0, 0, 0, 0, 0]);
    // A texture; complex, with levels.
    words.push(0x1000 | if more { 8 } else { 0 } | if texture.levels > 1 { 0x40_0000 } else { 0 });
    // All faces of a cube, or a volume.
    words.push(if cube { 0xFE00 } else { 0 } | if deep { 0x20_0000 } else { 0 });
    words.extend([0; 3]);
    let layers = if cube { texture.layers / 6 } else { texture.layers };
    words.extend([number, if deep { 4 } else { 3 }, if cube { 4 } else { 0 }, layers.max(1), 0]);
    Some(words.iter().flat_map(|word| word.to_le_bytes()).collect())
}
