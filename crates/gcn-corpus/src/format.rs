//! Texel formats that the corpus uses: Vulkan's number of each, and how a gfx7 descriptor says it.
//!
//! Numbers: Vulkan's `VkFormat`; `IMG_DATA_FORMAT`, `IMG_NUM_FORMAT` and `SQ_SEL` of AMD's Sea Islands register reference.

/// What a channel holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Channel {
    Unorm = 0,
    Snorm = 1,
    Uint = 4,
    Sint = 5,
    Float = 7,
}

/// A texel format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Format {
    /// As headers name it.
    pub name: &'static str,
    /// Bytes of a texel.
    pub bytes: u32,
    /// `VkFormat`.
    pub vulkan: i32,
    /// `DATA_FORMAT` of a descriptor.
    pub data: u32,
    /// `NUM_FORMAT` of a descriptor.
    pub channel: Channel,
    /// `DST_SEL_X..W` of a descriptor, three bits each.
    pub select: u32,
}

const X: u32 = 4 | 1 << 9;
const XY: u32 = 4 | 5 << 3 | 1 << 9;
const XYZ: u32 = 4 | 5 << 3 | 6 << 6 | 1 << 9;
const XYZW: u32 = 4 | 5 << 3 | 6 << 6 | 7 << 9;
const ZYXW: u32 = 6 | 5 << 3 | 4 << 6 | 7 << 9;

macro_rules! formats {
    ($($name:literal $bytes:literal $vulkan:literal $data:literal $channel:ident $select:ident;)+) => {
        /// Every format.
        pub const FORMATS: &[Format] = &[$(Format {
            name: $name, bytes: $bytes, vulkan: $vulkan, data: $data, channel: Channel::$channel, select: $select,
        },)+];
    };
}

// name, bytes, VkFormat, DATA_FORMAT, NUM_FORMAT, DST_SEL
formats! {
    "rgba32f" 16 109 14 Float XYZW;
    "rgb32f" 12 106 13 Float XYZ;
    "rg32f" 8 103 11 Float XY;
    "r32f" 4 100 4 Float X;
    "rgba32ui" 16 107 14 Uint XYZW;
    "rg32ui" 8 101 11 Uint XY;
    "r32ui" 4 98 4 Uint X;
    "rgba32i" 16 108 14 Sint XYZW;
    "r32i" 4 99 4 Sint X;
    "rgba16f" 8 97 12 Float XYZW;
    "rg16f" 4 83 5 Float XY;
    "r16f" 2 76 2 Float X;
    "rgba16ui" 8 95 12 Uint XYZW;
    "rgba16i" 8 96 12 Sint XYZW;
    "rg16ui" 4 81 5 Uint XY;
    "rg16i" 4 82 5 Sint XY;
    "r16ui" 2 74 2 Uint X;
    "rgba16" 8 91 12 Unorm XYZW;
    "rgba16snorm" 8 92 12 Snorm XYZW;
    "rg16" 4 77 5 Unorm XY;
    "rg16snorm" 4 78 5 Snorm XY;
    "rgba8" 4 37 10 Unorm XYZW;
    "bgra8" 4 44 10 Unorm ZYXW;
    "rgba8snorm" 4 38 10 Snorm XYZW;
    "rgba8ui" 4 41 10 Uint XYZW;
    "rgba8i" 4 42 10 Sint XYZW;
    "rg8" 2 16 3 Unorm XY;
    "r8" 1 9 1 Unorm X;
    "r8ui" 1 13 1 Uint X;
    "rgb10a2" 4 64 9 Unorm XYZW;
    "rgb10a2ui" 4 68 9 Uint XYZW;
    "r11g11b10f" 4 122 6 Float XYZ;
    "rg32i" 8 102 11 Sint XY;
    "r16i" 2 75 2 Sint X;
    "r16" 2 70 2 Unorm X;
    "r16snorm" 2 71 2 Snorm X;
    "rg8ui" 2 20 3 Uint XY;
    "rg8i" 2 21 3 Sint XY;
    "rg8snorm" 2 17 3 Snorm XY;
    "r8i" 1 14 1 Sint X;
    "r8snorm" 1 10 1 Snorm X;
    "d32" 4 126 4 Float X;
}

impl Format {
    /// The format of a name.
    pub fn named(name: &str) -> Option<Format> {
        FORMATS.iter().copied().find(|format| format.name == name)
    }
}
