//! Texture and vertex formats of the stream. Names and bit layouts follow the Vulkan specification ("Format
//! Definition"), which every guest's formats map onto together with a component swizzle.

/// Which aspects a format has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aspects {
    /// Colour channels.
    Color,
    /// Depth only.
    Depth,
    /// Depth and stencil.
    DepthStencil,
}

/// The facts of one [`Format`].
#[derive(Clone, Copy, Debug)]
pub struct FormatInfo {
    /// Vulkan's name without the prefix.
    pub name: &'static str,
    /// Width and height of a block in texels; 1 for formats that are not compressed.
    pub block: u32,
    /// Bytes of one block (one texel where `block` is 1). For depth-stencil the bytes of a texel in uploads.
    pub bytes: u32,
    /// Colour, depth or both.
    pub aspects: Aspects,
    /// The format whose samples are decoded from sRGB, if there is one.
    pub srgb: Option<Format>,
}

macro_rules! formats {
    ($( $number:literal $name:ident $block:literal $bytes:literal $aspects:ident $($srgb:ident)? ; )*) => {
        /// Texture formats. The number is the value in packets.
        #[allow(non_camel_case_types, missing_docs, reason = "the names are Vulkan's and say what they are")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u32)]
        pub enum Format { $( $name = $number ),* }

        impl Format {
            /// Every format, in the order of the numbers.
            pub const ALL: &'static [Self] = &[ $( Self::$name ),* ];

            /// The format with this number in a packet.
            #[must_use]
            pub const fn from_bits(bits: u32) -> Option<Self> {
                match bits { $( $number => Some(Self::$name), )* _ => None }
            }

            /// The facts of this format.
            #[must_use]
            #[inline]
            pub const fn info(self) -> &'static FormatInfo {
                // Behind one another, as their numbers are: draws ask.
                const INFOS: &[FormatInfo] = &[ $( FormatInfo {
                    name: stringify!($name), block: $block, bytes: $bytes, aspects: Aspects::$aspects,
                    srgb: formats!(@srgb $($srgb)?),
                } ),* ];
                const { let mut at = 0; while at < Self::ALL.len() { assert!(Self::ALL[at] as usize == at + 1); at += 1; } }
                &INFOS[self as usize - 1]
            }
        }
    };
    (@srgb) => { None };
    (@srgb $srgb:ident) => { Some(Format::$srgb) };
}

formats! {
    // number name                block bytes aspects sRGB twin
    1  R8_UNORM                     1 1 Color;
    2  R8_SNORM                     1 1 Color;
    3  R8G8_UNORM                   1 2 Color;
    4  R8G8_SNORM                   1 2 Color;
    5  R8G8B8A8_UNORM               1 4 Color R8G8B8A8_SRGB;
    6  R8G8B8A8_SNORM               1 4 Color;
    7  R8G8B8A8_SRGB                1 4 Color;
    8  B8G8R8A8_UNORM               1 4 Color B8G8R8A8_SRGB;
    9  B8G8R8A8_SRGB                1 4 Color;
    10 B5G6R5_UNORM                 1 2 Color;
    11 A1R5G5B5_UNORM               1 2 Color;
    12 A4R4G4B4_UNORM               1 2 Color;
    13 A2R10G10B10_UNORM            1 4 Color;
    14 A2B10G10R10_UNORM            1 4 Color;
    15 R16_UNORM                    1 2 Color;
    16 R16G16_UNORM                 1 4 Color;
    17 R16G16_SNORM                 1 4 Color;
    18 R16G16B16A16_UNORM           1 8 Color;
    19 R16G16B16A16_SNORM           1 8 Color;
    20 R16_SFLOAT                   1 2 Color;
    21 R16G16_SFLOAT                1 4 Color;
    22 R16G16B16A16_SFLOAT          1 8 Color;
    23 R32_SFLOAT                   1 4 Color;
    24 R32G32_SFLOAT                1 8 Color;
    25 R32G32B32A32_SFLOAT          1 16 Color;
    26 BC1_RGBA_UNORM               4 8 Color BC1_RGBA_SRGB;
    27 BC1_RGBA_SRGB                4 8 Color;
    28 BC2_UNORM                    4 16 Color BC2_SRGB;
    29 BC2_SRGB                     4 16 Color;
    30 BC3_UNORM                    4 16 Color BC3_SRGB;
    31 BC3_SRGB                     4 16 Color;
    32 BC4_UNORM                    4 8 Color;
    33 BC5_UNORM                    4 16 Color;
    34 D16_UNORM                    1 2 Depth;
    35 D32_SFLOAT                   1 4 Depth;
    36 D24_UNORM_S8_UINT            1 4 DepthStencil;
    37 D32_SFLOAT_S8_UINT           1 8 DepthStencil;
    38 X8_D24_UNORM                 1 4 Depth;
    39 R5G6B5_UNORM                 1 2 Color;
    40 R8_UINT                      1 1 Color;
    41 R8_SINT                      1 1 Color;
    42 R8G8_UINT                    1 2 Color;
    43 R8G8_SINT                    1 2 Color;
    44 R8G8B8A8_UINT                1 4 Color;
    45 R8G8B8A8_SINT                1 4 Color;
    46 R16_SNORM                    1 2 Color;
    47 R16_UINT                     1 2 Color;
    48 R16_SINT                     1 2 Color;
    49 R16G16_UINT                  1 4 Color;
    50 R16G16_SINT                  1 4 Color;
    51 R16G16B16A16_UINT            1 8 Color;
    52 R16G16B16A16_SINT            1 8 Color;
    53 R32_UINT                     1 4 Color;
    54 R32_SINT                     1 4 Color;
    55 R32G32_UINT                  1 8 Color;
    56 R32G32_SINT                  1 8 Color;
    57 R32G32B32A32_UINT            1 16 Color;
    58 R32G32B32A32_SINT            1 16 Color;
    59 A2B10G10R10_UINT             1 4 Color;
    60 B10G11R11_UFLOAT             1 4 Color;
    61 E5B9G9R9_UFLOAT              1 4 Color;
    62 BC4_SNORM                    4 8 Color;
    63 BC5_SNORM                    4 16 Color;
    64 BC6H_UFLOAT                  4 16 Color;
    65 BC6H_SFLOAT                  4 16 Color;
    66 BC7_UNORM                    4 16 Color BC7_SRGB;
    67 BC7_SRGB                     4 16 Color;
    68 R5G5B5A1_UNORM               1 2 Color;
    69 R4G4B4A4_UNORM               1 2 Color;
    70 R64_UINT                     1 8 Color;
}

impl Format {
    /// Bytes that `width` x `height` texels take when rows of blocks are packed, saturating.
    #[must_use]
    pub fn packed_size(self, width: u32, height: u32) -> u64 {
        u64::from(self.row_bytes(width)).saturating_mul(u64::from(self.rows(height)))
    }

    /// Bytes of one packed row of blocks, saturating.
    #[must_use]
    pub fn row_bytes(self, width: u32) -> u32 {
        width.div_ceil(self.info().block).saturating_mul(self.info().bytes)
    }

    /// Rows of blocks that `height` texels take.
    #[must_use]
    pub fn rows(self, height: u32) -> u32 {
        height.div_ceil(self.info().block)
    }

    /// Whether this format has a depth aspect.
    #[must_use]
    pub fn is_depth(self) -> bool {
        !matches!(self.info().aspects, Aspects::Color)
    }

    /// Whether samples are integers.
    #[must_use]
    pub fn is_integer(self) -> bool {
        let name = self.info().name;
        matches!(self.info().aspects, Aspects::Color) && (name.ends_with("_UINT") || name.ends_with("_SINT"))
    }

    /// Whether a sample has one channel: depth, or red alone.
    #[must_use]
    pub fn is_single_channel(self) -> bool {
        use Format::*;
        self.is_depth() || matches!(self, R8_UNORM | R8_SNORM | R16_UNORM | R16_SFLOAT | R32_SFLOAT | BC4_UNORM)
    }
}

macro_rules! vertex_formats {
    ($( $number:literal $name:ident $bytes:literal ; )*) => {
        /// Formats of vertex attributes. The number is the value in packets.
        #[allow(non_camel_case_types, missing_docs, reason = "the names are Vulkan's and say what they are")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum VertexFormat { $( $name = $number ),* }

        impl VertexFormat {
            /// Every format, in the order of the numbers.
            pub const ALL: &'static [Self] = &[ $( Self::$name ),* ];

            /// The format with this number in a packet.
            #[must_use]
            pub const fn from_bits(bits: u8) -> Option<Self> {
                match bits { $( $number => Some(Self::$name), )* _ => None }
            }

            /// Bytes of one attribute.
            #[must_use]
            pub const fn bytes(self) -> u32 {
                match self { $( Self::$name => $bytes, )* }
            }
        }
    };
}

vertex_formats! {
    1  R32_SFLOAT 4;
    2  R32G32_SFLOAT 8;
    3  R32G32B32_SFLOAT 12;
    4  R32G32B32A32_SFLOAT 16;
    5  B8G8R8A8_UNORM 4;
    6  R8G8B8A8_UNORM 4;
    7  R8G8B8A8_USCALED 4;
    8  R16G16_SSCALED 4;
    9  R16G16B16A16_SSCALED 8;
    10 R16G16_SNORM 4;
    11 R16G16B16A16_SNORM 8;
    12 R16G16_UNORM 4;
    13 R16G16B16A16_UNORM 8;
    14 A2B10G10R10_USCALED 4;
    15 A2B10G10R10_SNORM 4;
    16 R16G16_SFLOAT 4;
    17 R16G16B16A16_SFLOAT 8;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_round_trip_and_twins_have_equal_size() {
        for &format in Format::ALL {
            assert_eq!(Format::from_bits(format as u32), Some(format));
            if let Some(srgb) = format.info().srgb {
                assert_eq!((srgb.info().block, srgb.info().bytes), (format.info().block, format.info().bytes));
            }
        }
        for &format in VertexFormat::ALL {
            assert_eq!(VertexFormat::from_bits(format as u8), Some(format));
        }
        assert_eq!(Format::from_bits(0), None);
        assert_eq!(Format::BC1_RGBA_UNORM.packed_size(5, 5), 4 * 8);
    }
}
