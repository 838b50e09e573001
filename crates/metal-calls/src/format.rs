//! Pixel formats, as a table.

use crate::{Facts, Family};

/// What shaders see of a texel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// Floats, normalised or not.
    Float,
    /// `uint`.
    UInt,
    /// `int`.
    Int,
    /// Depth: a float.
    Depth,
    /// Depth and stencil.
    DepthStencil,
    /// Stencil: `uint`.
    Stencil,
}

/// What can be done with a format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Caps {
    /// Shaders sample it with filters.
    pub filter: bool,
    /// Shaders write it.
    pub write: bool,
    /// It can be a colour attachment, or one of depth or stencil.
    pub render: bool,
    /// It can be blended.
    pub blend: bool,
    /// It can have samples.
    pub multisample: bool,
    /// Its samples can be resolved.
    pub resolve: bool,
    /// Shaders change it atomically.
    pub atomic: bool,
    /// There is such a thing at all.
    pub exists: bool,
}

impl Caps {
    /// From the letters of the tables.
    const fn of(letters: &str) -> Self {
        let mut caps = Self {
            filter: false,
            write: false,
            render: false,
            blend: false,
            multisample: false,
            resolve: false,
            atomic: false,
            exists: !letters.is_empty(),
        };
        let letters = letters.as_bytes();
        let mut at = 0;
        while at < letters.len() {
            match letters[at] {
                b'F' => caps.filter = true,
                b'W' => caps.write = true,
                b'C' => caps.render = true,
                b'B' => caps.blend = true,
                b'M' => caps.multisample = true,
                b'R' => caps.resolve = true,
                b'A' => caps.atomic = true,
                b'-' => {}
                _ => panic!("a letter of the table"),
            }
            at += 1;
        }
        caps
    }

    /// What either has.
    const fn or(self, other: Self) -> Self {
        Self {
            filter: self.filter | other.filter,
            write: self.write | other.write,
            render: self.render | other.render,
            blend: self.blend | other.blend,
            multisample: self.multisample | other.multisample,
            resolve: self.resolve | other.resolve,
            atomic: self.atomic | other.atomic,
            exists: self.exists | other.exists,
        }
    }
}

macro_rules! formats {
    ($( $number:literal $name:ident $block:literal $bytes:literal $class:ident $apple7:literal $apple9:literal $mac2:literal; )*) => {
        /// `MTLPixelFormat`, with Metal's numbers.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u32)]
        #[expect(missing_docs, non_camel_case_types, reason = "Metal's names")]
        pub enum PixelFormat { $( $name = $number ),* }

        impl PixelFormat {
            /// Every format of the table.
            pub const ALL: &'static [Self] = &[ $( Self::$name ),* ];

            /// Metal's name.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $( Self::$name => stringify!($name), )* }
            }

            /// Texels along the edge of a block; 1 where texels are apart.
            #[must_use]
            pub const fn block(self) -> u32 {
                match self { $( Self::$name => $block, )* }
            }

            /// Bytes of a texel or block.
            #[must_use]
            pub const fn bytes(self) -> u32 {
                match self { $( Self::$name => $bytes, )* }
            }

            /// What shaders see of it.
            #[must_use]
            pub const fn class(self) -> Class {
                match self { $( Self::$name => Class::$class, )* }
            }

            /// The columns of the tables: Apple7 and 8, Apple9, Mac2.
            const fn columns(self) -> [Caps; 3] {
                match self { $( Self::$name => const { [Caps::of($apple7), Caps::of($apple9), Caps::of($mac2)] }, )* }
            }
        }
    };
}

// Source: Metal Feature Set Tables, 2025, "Texture capabilities by pixel format"; letters: F filter, W write, C colour (or depth, stencil)
// attachment, B blend, M multisampled, R resolve, A atomic, - reading alone. BC is there on every Mac.
formats! {
    // number name              block bytes class   Apple7,8    Apple9     Mac2
    1   A8Unorm                 1 1  Float          "FWCBMR"    "FWCBMR"   "FWCBMR";
    10  R8Unorm                 1 1  Float          "FWCBMR"    "FWCBMR"   "FWCBMR";
    12  R8Snorm                 1 1  Float          "FWCBMR"    "FWCBMR"   "FWCBMR";
    13  R8Uint                  1 1  UInt           "WCM"       "WCM"      "WCM";
    14  R8Sint                  1 1  Int            "WCM"       "WCM"      "WCM";
    20  R16Unorm                1 2  Float          "FWCBMR"    "FWCBMR"   "FWCBMR";
    22  R16Snorm                1 2  Float          "FWCBMR"    "FWCBMR"   "FWCBMR";
    23  R16Uint                 1 2  UInt           "WCM"       "WCM"      "WCM";
    24  R16Sint                 1 2  Int            "WCM"       "WCM"      "WCM";
    25  R16Float                1 2  Float          "FWCBMR"    "FWCBMR"   "FWCBMR";
    30  RG8Unorm                1 2  Float          "FWCBMR"    "FWCBMR"   "FWCBMR";
    32  RG8Snorm                1 2  Float          "FWCBMR"    "FWCBMR"   "FWCBMR";
    33  RG8Uint                 1 2  UInt           "WCM"       "WCM"      "WCM";
    34  RG8Sint                 1 2  Int            "WCM"       "WCM"      "WCM";
    40  B5G6R5Unorm             1 2  Float          "FCBMR"     "FCBMR"    "";
    41  A1BGR5Unorm             1 2  Float          "FCBMR"     "FCBMR"    "";
    42  ABGR4Unorm              1 2  Float          "FCBMR"     "FCBMR"    "";
    43  BGR5A1Unorm             1 2  Float          "FCBMR"     "FCBMR"    "";
    53  R32Uint                 1 4  UInt           "WCA"       "WCA"      "WCMA";
    54  R32Sint                 1 4  Int            "WCA"       "WCA"      "WCMA";
    55  R32Float                1 4  Float          "WCBM"      "FWCBMR"   "FWCBMR";
    60  RG16Unorm               1 4  Float          "FWCBMR"    "FWCBMR"   "FWCBMR";
    62  RG16Snorm               1 4  Float          "FWCBMR"    "FWCBMR"   "FWCBMR";
    63  RG16Uint                1 4  UInt           "WCM"       "WCM"      "WCM";
    64  RG16Sint                1 4  Int            "WCM"       "WCM"      "WCM";
    65  RG16Float               1 4  Float          "FWCBMR"    "FWCBMR"   "FWCBMR";
    70  RGBA8Unorm              1 4  Float          "FWCBMR"    "FWCBMR"   "FWCBMR";
    71  RGBA8Unorm_sRGB         1 4  Float          "FWCBMR"    "FWCBMR"   "FCBMR";
    72  RGBA8Snorm              1 4  Float          "FWCBMR"    "FWCBMR"   "FWCBMR";
    73  RGBA8Uint               1 4  UInt           "WCM"       "WCM"      "WCM";
    74  RGBA8Sint               1 4  Int            "WCM"       "WCM"      "WCM";
    80  BGRA8Unorm              1 4  Float          "FWCBMR"    "FWCBMR"   "FWCBMR";
    81  BGRA8Unorm_sRGB         1 4  Float          "FWCBMR"    "FWCBMR"   "FCBMR";
    90  RGB10A2Unorm            1 4  Float          "FWCBMR"    "FWCBMR"   "FWCBMR";
    91  RGB10A2Uint             1 4  UInt           "WCM"       "WCM"      "WCM";
    92  RG11B10Float            1 4  Float          "FWCBMR"    "FWCBMR"   "FWCBMR";
    93  RGB9E5Float             1 4  Float          "FWCBMR"    "FWCBMR"   "F";
    94  BGR10A2Unorm            1 4  Float          "FWCBMR"    "FWCBMR"   "FWCBMR";
    103 RG32Uint                1 8  UInt           "WCM"       "WCMA"     "WCM";
    104 RG32Sint                1 8  Int            "WCM"       "WCM"      "WCM";
    105 RG32Float               1 8  Float          "WCBM"      "FWCBMR"   "FWCBMR";
    110 RGBA16Unorm             1 8  Float          "FWCBMR"    "FWCBMR"   "FWCBMR";
    112 RGBA16Snorm             1 8  Float          "FWCBMR"    "FWCBMR"   "FWCBMR";
    113 RGBA16Uint              1 8  UInt           "WCM"       "WCM"      "WCM";
    114 RGBA16Sint              1 8  Int            "WCM"       "WCM"      "WCM";
    115 RGBA16Float             1 8  Float          "FWCBMR"    "FWCBMR"   "FWCBMR";
    123 RGBA32Uint              1 16 UInt           "WC"        "WC"       "WCM";
    124 RGBA32Sint              1 16 Int            "WC"        "WC"       "WCM";
    125 RGBA32Float             1 16 Float          "WCBM"      "FWCBMR"   "FWCBMR";
    130 BC1_RGBA                4 8  Float          "F"         "F"        "F";
    131 BC1_RGBA_sRGB           4 8  Float          "F"         "F"        "F";
    132 BC2_RGBA                4 16 Float          "F"         "F"        "F";
    133 BC2_RGBA_sRGB           4 16 Float          "F"         "F"        "F";
    134 BC3_RGBA                4 16 Float          "F"         "F"        "F";
    135 BC3_RGBA_sRGB           4 16 Float          "F"         "F"        "F";
    140 BC4_RUnorm              4 8  Float          "F"         "F"        "F";
    141 BC4_RSnorm              4 8  Float          "F"         "F"        "F";
    142 BC5_RGUnorm             4 16 Float          "F"         "F"        "F";
    143 BC5_RGSnorm             4 16 Float          "F"         "F"        "F";
    150 BC6H_RGBFloat           4 16 Float          "F"         "F"        "F";
    151 BC6H_RGBUfloat          4 16 Float          "F"         "F"        "F";
    152 BC7_RGBAUnorm           4 16 Float          "F"         "F"        "F";
    153 BC7_RGBAUnorm_sRGB      4 16 Float          "F"         "F"        "F";
    250 Depth16Unorm            1 2  Depth          "FCMR"      "FCMR"     "FCMR";
    252 Depth32Float            1 4  Depth          "CMR"       "FCMR"     "FCMR";
    253 Stencil8                1 1  Stencil        "CMR"       "CMR"      "";
    255 Depth24Unorm_Stencil8   1 4  DepthStencil   ""          ""         "FCMR";
    260 Depth32Float_Stencil8   1 8  DepthStencil   "CMR"       "FCMR"     "FCMR";
    261 X32_Stencil8            1 8  Stencil        "M"         "M"        "M";
}

impl PixelFormat {
    /// What a device can do with it.
    #[must_use]
    pub fn caps(self, device: &Facts) -> Caps {
        let [apple7, apple9, mac2] = self.columns();
        let mut caps = match device.family {
            Family::Mac2 => mac2,
            Family::Apple7 | Family::Apple8 => apple7.or(mac2),
            Family::Apple9 => apple9.or(mac2),
        };
        let is_float32 = matches!(self, Self::R32Float | Self::RG32Float | Self::RGBA32Float);
        caps.filter &= device.float32_filtering || !is_float32;
        if !device.msaa32 && is_float32 {
            (caps.multisample, caps.resolve) = (false, false);
        }
        let there = match self {
            Self::Depth24Unorm_Stencil8 => device.depth24,
            _ => device.bc || self.block() == 1,
        };
        if there { caps } else { Caps::default() }
    }

    /// Whether shaders may read and write a texture of it in one argument (`access::read_write`), on devices whose
    /// `readWriteTextureSupport` is of tier 2, as that of every Mac with Metal 3 is. Source: Metal Feature Set Tables, 2025, "Read-write
    /// texture support".
    #[must_use]
    pub const fn read_write(self) -> bool {
        matches!(
            self,
            Self::R32Uint
                | Self::R32Sint
                | Self::R32Float
                | Self::RGBA32Uint
                | Self::RGBA32Sint
                | Self::RGBA32Float
                | Self::RGBA16Uint
                | Self::RGBA16Sint
                | Self::RGBA16Float
                | Self::RGBA8Unorm
                | Self::RGBA8Uint
                | Self::RGBA8Sint
                | Self::R16Uint
                | Self::R16Sint
                | Self::R16Float
                | Self::R8Unorm
                | Self::R8Uint
                | Self::R8Sint
        )
    }

    /// Whether it has depth.
    #[must_use]
    pub const fn has_depth(self) -> bool {
        matches!(self.class(), Class::Depth | Class::DepthStencil)
    }

    /// Whether it has stencil.
    #[must_use]
    pub const fn has_stencil(self) -> bool {
        matches!(self.class(), Class::Stencil | Class::DepthStencil)
    }

    /// Whether its colours are kept as sRGB.
    #[must_use]
    pub const fn is_srgb(self) -> bool {
        matches!(
            self,
            Self::RGBA8Unorm_sRGB
                | Self::BGRA8Unorm_sRGB
                | Self::BC1_RGBA_sRGB
                | Self::BC2_RGBA_sRGB
                | Self::BC3_RGBA_sRGB
                | Self::BC7_RGBAUnorm_sRGB
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_is_on_some_family_and_can_do_something() {
        for format in PixelFormat::ALL {
            assert!(format.columns().iter().any(|caps| caps.exists), "{}", format.name());
            assert!(format.bytes() > 0 && [1, 4].contains(&format.block()), "{}", format.name());
            for caps in format.columns() {
                assert!(caps.render || !(caps.blend || caps.resolve), "{}: only what is drawn into", format.name());
            }
        }
    }
}
