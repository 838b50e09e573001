//! Formats of surfaces. Source: `facts/nv2a.md`, section 6.

use afterimage_stream::Format;

macro_rules! color_formats {
    ($( $number:literal $name:ident $bytes:literal $host:ident $alpha:literal; )*) => {
        /// Formats of colour surfaces; the number is that in `SET_SURFACE_FORMAT`.
        #[allow(non_camel_case_types, reason = "the names are the hardware's")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub(crate) enum ColorFormat { $( $name = $number ),* }

        impl ColorFormat {
            /// The format with this number.
            pub(crate) fn from_bits(bits: u32) -> Option<Self> {
                match bits { $( $number => Some(Self::$name), )* _ => None }
            }

            /// Bytes of a pixel in memory.
            pub(crate) fn bytes(self) -> u32 {
                match self { $( Self::$name => $bytes, )* }
            }

            /// The host's format.
            pub(crate) fn host(self) -> Format {
                match self { $( Self::$name => Format::$host, )* }
            }

            /// Whether alpha is stored.
            pub(crate) fn has_alpha(self) -> bool {
                match self { $( Self::$name => $alpha, )* }
            }
        }
    };
}

color_formats! {
    // number name          bytes host            alpha
    0x1 X1R5G5B5_Z1R5G5B5       2 B8G8R8A8_UNORM  false;
    0x2 X1R5G5B5_O1R5G5B5       2 B8G8R8A8_UNORM  false;
    0x3 R5G6B5                  2 B8G8R8A8_UNORM  false;
    0x4 X8R8G8B8_Z8R8G8B8       4 B8G8R8A8_UNORM  false;
    0x5 X8R8G8B8_O8R8G8B8       4 B8G8R8A8_UNORM  false;
    0x6 X1A7R8G8B8_Z1A7R8G8B8   4 B8G8R8A8_UNORM  true;
    0x7 X1A7R8G8B8_O1A7R8G8B8   4 B8G8R8A8_UNORM  true;
    0x8 A8R8G8B8                4 B8G8R8A8_UNORM  true;
    0x9 B8                      1 B8G8R8A8_UNORM  false;
    0xA G8B8                    2 B8G8R8A8_UNORM  false;
}

/// Formats of zeta surfaces; the number is that in `SET_SURFACE_FORMAT`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub(crate) enum ZetaFormat {
    /// Sixteen bits of depth.
    Z16 = 1,
    /// Depth in the high 24 bits, stencil in the low eight.
    Z24S8 = 2,
}

impl ZetaFormat {
    /// The format with this number.
    pub(crate) fn from_bits(bits: u32) -> Option<Self> {
        match bits {
            1 => Some(Self::Z16),
            2 => Some(Self::Z24S8),
            _ => None,
        }
    }

    /// Bytes of a pixel in memory.
    pub(crate) fn bytes(self) -> u32 {
        match self {
            Self::Z16 => 2,
            Self::Z24S8 => 4,
        }
    }

    /// The host's format.
    pub(crate) fn host(self) -> Format {
        match self {
            Self::Z16 => Format::D16_UNORM,
            Self::Z24S8 => Format::D24_UNORM_S8_UINT,
        }
    }

    /// The largest depth value, as an integer.
    pub(crate) fn max_depth(self) -> u32 {
        match self {
            Self::Z16 => 0xFFFF,
            Self::Z24S8 => 0xFF_FFFF,
        }
    }

    /// Whether there is a stencil.
    pub(crate) fn has_stencil(self) -> bool {
        self == Self::Z24S8
    }
}
