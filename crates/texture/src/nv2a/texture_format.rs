//! The colour formats of textures (SET_TEXTURE_FORMAT, bits 15 to 8).
//!
//! Sources: codes and names from nxdk's register names, and from Cxbx-Reloaded's list for those that no header of nxdk
//! names (0x26, 0x2A to 0x2D, 0x2F, 0x32 to 0x34, 0x36 to 0x39, 0x3D, 0x3E). Which bits feed which component is from the
//! golden pictures of the suite Texture_format: Y16 has red 1; R16B16, R8B8 and G8B8 fill four components from two.

use super::depth::Depth;
use super::ycbcr::Chroma;
use crate::block::Block;
use crate::field::Field::{self, One};
use crate::field::{argb, bits};

/// How texels of a format lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Morton order; sides are powers of two; has mip levels, faces and slices.
    Swizzled,
    /// Rows by pitch; one level of any size, addressed in texels.
    Linear,
    /// Rows of blocks of 4 x 4 texels; sides are powers of two; has mip levels, faces and slices.
    Blocks,
}

/// What the bits of a texel mean. Fields are in the order red, green, blue, alpha.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decode {
    /// Components of at most eight bits.
    Color([Field; 4]),
    /// Components of sixteen bits.
    Wide([Field; 4]),
    /// An index into the palette.
    Palette,
    /// S3TC.
    Block(Block),
    /// Y'CbCr; two texels may share their chroma.
    YCbCr(Chroma),
    /// A depth, for comparisons with shadows.
    Depth(Depth),
}

/// The row of a [`TextureFormat`].
#[derive(Clone, Copy, Debug)]
pub struct TextureFormatInfo {
    /// The name behind `NV097_SET_TEXTURE_FORMAT_COLOR_`.
    pub name: &'static str,
    /// The order in memory.
    pub layout: Layout,
    /// Bytes of a texel, or of a block.
    pub bytes: u32,
    /// The bits of a texel.
    pub decode: Decode,
}

macro_rules! texture_formats {
    ($( $code:literal $name:ident $layout:ident $bytes:literal $decode:expr; )*) => {
        /// A colour format of textures. The number is the one in SET_TEXTURE_FORMAT; from 0x100 on those that only volumes have.
        #[allow(non_camel_case_types, missing_docs, reason = "the names are the hardware's and say what they are")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u16)]
        pub enum TextureFormat { $( $name = $code ),* }

        impl TextureFormat {
            /// Every format, in the order of the codes.
            pub const ALL: &'static [Self] = &[ $( Self::$name ),* ];

            /// The format with this code, if there is one.
            #[must_use]
            pub const fn from_code(code: u32) -> Option<Self> {
                match code { $( $code => Some(Self::$name), )* _ => None }
            }

            /// The facts of this format.
            #[must_use]
            pub const fn info(self) -> TextureFormatInfo {
                match self { $( Self::$name => TextureFormatInfo {
                    name: stringify!($name), layout: Layout::$layout, bytes: $bytes, decode: $decode,
                }, )* }
            }
        }

        /// The function that makes words 0xAARRGGBB of a row of texels of this format, if it has components of at most
        /// eight bits. One function is compiled for each row, with its shifts and masks as constants.
        pub(super) const fn color_row(format: TextureFormat) -> fn(&[u8], &mut [u8]) {
            match format { $( TextureFormat::$name => super::color_row::color_row::<$code>, )* }
        }
    };
}

const Y8: Decode = Decode::Color([bits(0, 8), bits(0, 8), bits(0, 8), One]);
const AY8: Decode = Decode::Color([bits(0, 8), bits(0, 8), bits(0, 8), bits(0, 8)]);
const A8: Decode = Decode::Color([One, One, One, bits(0, 8)]);
const A8Y8: Decode = Decode::Color([bits(0, 8), bits(0, 8), bits(0, 8), bits(8, 8)]);
const G8B8: Decode = Decode::Color([bits(0, 8), bits(8, 8), bits(0, 8), bits(8, 8)]);
const R8B8: Decode = Decode::Color([bits(8, 8), bits(0, 8), bits(0, 8), bits(8, 8)]);
const A1R5G5B5: Decode = Decode::Color([bits(10, 5), bits(5, 5), bits(0, 5), bits(15, 1)]);
const X1R5G5B5: Decode = Decode::Color([bits(10, 5), bits(5, 5), bits(0, 5), One]);
const R5G5B5A1: Decode = Decode::Color([bits(11, 5), bits(6, 5), bits(1, 5), bits(0, 1)]);
const A4R4G4B4: Decode = Decode::Color([bits(8, 4), bits(4, 4), bits(0, 4), bits(12, 4)]);
const R4G4B4A4: Decode = Decode::Color([bits(12, 4), bits(8, 4), bits(4, 4), bits(0, 4)]);
const R5G6B5: Decode = Decode::Color([bits(11, 5), bits(5, 6), bits(0, 5), One]);
const R6G5B5: Decode = Decode::Color([bits(10, 6), bits(5, 5), bits(0, 5), One]);
const A8R8G8B8: Decode = Decode::Color([bits(16, 8), bits(8, 8), bits(0, 8), bits(24, 8)]);
const X8R8G8B8: Decode = Decode::Color([bits(16, 8), bits(8, 8), bits(0, 8), One]);
const A8B8G8R8: Decode = Decode::Color([bits(0, 8), bits(8, 8), bits(16, 8), bits(24, 8)]);
const B8G8R8A8: Decode = Decode::Color([bits(8, 8), bits(16, 8), bits(24, 8), bits(0, 8)]);
const R8G8B8A8: Decode = Decode::Color([bits(24, 8), bits(16, 8), bits(8, 8), bits(0, 8)]);
const Y16: Decode = Decode::Wide([One, bits(0, 16), bits(0, 16), One]);
const Y16_VOLUME: Decode = Decode::Color([One, bits(8, 8), bits(0, 8), One]);
const R16B16: Decode = Decode::Wide([bits(16, 16), bits(0, 16), bits(0, 16), bits(16, 16)]);

texture_formats! {
    // code name           layout  bytes bits
    0x00 SZ_Y8                        Swizzled 1 Y8;
    0x01 SZ_AY8                       Swizzled 1 AY8;
    0x02 SZ_A1R5G5B5                  Swizzled 2 A1R5G5B5;
    0x03 SZ_X1R5G5B5                  Swizzled 2 X1R5G5B5;
    0x04 SZ_A4R4G4B4                  Swizzled 2 A4R4G4B4;
    0x05 SZ_R5G6B5                    Swizzled 2 R5G6B5;
    0x06 SZ_A8R8G8B8                  Swizzled 4 A8R8G8B8;
    0x07 SZ_X8R8G8B8                  Swizzled 4 X8R8G8B8;
    0x0B SZ_I8_A8R8G8B8               Swizzled 1 Decode::Palette;
    0x0C L_DXT1_A1R5G5B5              Blocks   8 Decode::Block(Block::Bc1);
    0x0E L_DXT23_A8R8G8B8             Blocks  16 Decode::Block(Block::Bc2);
    0x0F L_DXT45_A8R8G8B8             Blocks  16 Decode::Block(Block::Bc3);
    0x10 LU_IMAGE_A1R5G5B5            Linear   2 A1R5G5B5;
    0x11 LU_IMAGE_R5G6B5              Linear   2 R5G6B5;
    0x12 LU_IMAGE_A8R8G8B8            Linear   4 A8R8G8B8;
    0x13 LU_IMAGE_Y8                  Linear   1 Y8;
    0x16 LU_IMAGE_R8B8                Linear   2 R8B8;
    0x17 LU_IMAGE_G8B8                Linear   2 G8B8;
    0x19 SZ_A8                        Swizzled 1 A8;
    0x1A SZ_A8Y8                      Swizzled 2 A8Y8;
    0x1B LU_IMAGE_AY8                 Linear   1 AY8;
    0x1C LU_IMAGE_X1R5G5B5            Linear   2 X1R5G5B5;
    0x1D LU_IMAGE_A4R4G4B4            Linear   2 A4R4G4B4;
    0x1E LU_IMAGE_X8R8G8B8            Linear   4 X8R8G8B8;
    0x1F LU_IMAGE_A8                  Linear   1 A8;
    0x20 LU_IMAGE_A8Y8                Linear   2 A8Y8;
    0x24 LC_IMAGE_CR8YB8CB8YA8        Linear   2 Decode::YCbCr(Chroma::CR8YB8CB8YA8);
    0x25 LC_IMAGE_YB8CR8YA8CB8        Linear   2 Decode::YCbCr(Chroma::YB8CR8YA8CB8);
    0x26 LU_IMAGE_A8CR8CB8Y8          Linear   4 Decode::YCbCr(Chroma::A8CR8CB8Y8);
    0x27 SZ_R6G5B5                    Swizzled 2 R6G5B5;
    0x28 SZ_G8B8                      Swizzled 2 G8B8;
    0x29 SZ_R8B8                      Swizzled 2 R8B8;
    0x2A SZ_DEPTH_X8_Y24_FIXED        Swizzled 4 Decode::Depth(Depth::Y24Fixed);
    0x2B SZ_DEPTH_X8_Y24_FLOAT        Swizzled 4 Decode::Depth(Depth::Y24Float);
    0x2C SZ_DEPTH_Y16_FIXED           Swizzled 2 Decode::Depth(Depth::Y16Fixed);
    0x2D SZ_DEPTH_Y16_FLOAT           Swizzled 2 Decode::Depth(Depth::Y16Float);
    0x2E LU_IMAGE_DEPTH_X8_Y24_FIXED  Linear   4 Decode::Depth(Depth::Y24Fixed);
    0x2F LU_IMAGE_DEPTH_X8_Y24_FLOAT  Linear   4 Decode::Depth(Depth::Y24Float);
    0x30 LU_IMAGE_DEPTH_Y16_FIXED     Linear   2 Decode::Depth(Depth::Y16Fixed);
    0x31 LU_IMAGE_DEPTH_Y16_FLOAT     Linear   2 Decode::Depth(Depth::Y16Float);
    0x32 SZ_Y16                       Swizzled 2 Y16;
    0x33 SZ_R16B16                    Swizzled 4 R16B16;
    0x34 LC_IMAGE_A4V6YB6A4U6YA6      Linear   2 Decode::YCbCr(Chroma::A4V6YB6A4U6YA6);
    0x35 LU_IMAGE_Y16                 Linear   2 Y16;
    0x36 LU_IMAGE_R16B16              Linear   4 R16B16;
    0x37 LU_IMAGE_R6G5B5              Linear   2 R6G5B5;
    0x38 SZ_R5G5B5A1                  Swizzled 2 R5G5B5A1;
    0x39 SZ_R4G4B4A4                  Swizzled 2 R4G4B4A4;
    0x3A SZ_A8B8G8R8                  Swizzled 4 A8B8G8R8;
    0x3B SZ_B8G8R8A8                  Swizzled 4 B8G8R8A8;
    0x3C SZ_R8G8B8A8                  Swizzled 4 R8G8B8A8;
    0x3D LU_IMAGE_R5G5B5A1            Linear   2 R5G5B5A1;
    0x3E LU_IMAGE_R4G4B4A4            Linear   2 R4G4B4A4;
    0x3F LU_IMAGE_A8B8G8R8            Linear   4 A8B8G8R8;
    0x40 LU_IMAGE_B8G8R8A8            Linear   4 B8G8R8A8;
    0x41 LU_IMAGE_R8G8B8A8            Linear   4 R8G8B8A8;
    0x132 SZ_Y16_VOLUME               Swizzled 2 Y16_VOLUME;
}

impl TextureFormat {
    /// The texel `word` as 0xAARRGGBB, if this format has components of at most eight bits.
    #[must_use]
    pub const fn color(self, word: u32) -> Option<u32> {
        match self.info().decode {
            Decode::Color(fields) => Some(argb(fields, word)),
            _ => None,
        }
    }

    /// The bits of a texel that mean something. All of them for what are no plain components.
    #[must_use]
    pub fn mask(self) -> u32 {
        match self.info().decode {
            Decode::Color(fields) | Decode::Wide(fields) => fields.iter().fold(0, |mask, field| mask | field.mask()),
            _ => u32::MAX,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Layout, TextureFormat};

    #[test]
    fn codes_and_names_agree_with_layouts() {
        for &format in TextureFormat::ALL {
            let info = format.info();
            assert_eq!(TextureFormat::from_code(format as u32), Some(format), "{}", info.name);
            let expected = match info.name.split('_').next() {
                Some("SZ") => Layout::Swizzled,
                Some("L") => Layout::Blocks,
                Some("LU" | "LC") => Layout::Linear,
                other => panic!("{} begins with {other:?}", info.name),
            };
            assert_eq!(info.layout, expected, "{}", info.name);
        }
        assert_eq!(TextureFormat::from_code(0x08), None);
        assert_eq!(TextureFormat::from_code(0x142), None);
    }

    #[test]
    fn components_come_from_their_bits() {
        let texel = |code, word| TextureFormat::from_code(code).and_then(|format| format.color(word));
        assert_eq!(texel(0x00, 0x9C), Some(0xFF9C_9C9C), "Y8");
        assert_eq!(texel(0x01, 0x9C), Some(0x9C9C_9C9C), "AY8");
        assert_eq!(texel(0x19, 0x9C), Some(0x9CFF_FFFF), "A8");
        assert_eq!(texel(0x1A, 0x409C), Some(0x409C_9C9C), "A8Y8");
        assert_eq!(texel(0x28, 0x409C), Some(0x409C_409C), "G8B8");
        assert_eq!(texel(0x29, 0x409C), Some(0x4040_9C9C), "R8B8");
        assert_eq!(texel(0x02, 0x7C00), Some(0x00FF_0000), "A1R5G5B5");
        assert_eq!(texel(0x03, 0x03E0), Some(0xFF00_FF00), "X1R5G5B5");
        assert_eq!(texel(0x27, 0xFC1F), Some(0xFFFF_00FF), "R6G5B5");
        assert_eq!(texel(0x38, 0xF800), Some(0x00FF_0000), "R5G5B5A1");
        assert_eq!(texel(0x3A, 0x1234_5678), Some(0x1278_5634), "A8B8G8R8");
        assert_eq!(texel(0x3B, 0x1234_5678), Some(0x7856_3412), "B8G8R8A8");
        assert_eq!(texel(0x3C, 0x1234_5678), Some(0x7812_3456), "R8G8B8A8");
        assert_eq!(texel(0x35, 0), None, "Y16 has components of sixteen bits");
    }

    #[test]
    fn unused_bits_are_known() {
        assert_eq!(TextureFormat::SZ_X8R8G8B8.mask(), 0x00FF_FFFF);
        assert_eq!(TextureFormat::LU_IMAGE_X1R5G5B5.mask(), 0x7FFF);
        assert_eq!(TextureFormat::SZ_A4R4G4B4.mask(), 0xFFFF);
    }
}
