//! Direct3D's formats and what each is in the stream. One row per format.
//!
//! Facts: the published documentation of `D3DFORMAT` for the bits in memory, the Vulkan specification for those of the
//! host formats. FOURCC formats that drivers added (`INTZ`, `DF16`, `DF24`, `NULL`, `ATI1`, `ATI2`) follow the vendors'
//! published notes.

use afterimage_d3d9_types::*;
use afterimage_stream::packets::Swizzle;
use afterimage_stream::{DeviceInfo, Format, FormatFeatures};

/// What a format is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormatKind {
    /// Colour texels.
    Color,
    /// Depth, or depth and stencil. Sampled as a texture it compares, as drivers do.
    Depth,
    /// Depth whose stored value a shader can read (`INTZ` and its like).
    ReadableDepth,
    /// A colour target without memory (`NULL`).
    Null,
}

/// One row of the format table.
#[derive(Clone, Copy, Debug)]
pub struct FormatRow {
    /// Direct3D's number.
    pub format: D3DFORMAT,
    /// Its name, for logs.
    pub name: &'static str,
    /// What it is for.
    pub kind: FormatKind,
    /// Edge of a block in texels; 1 for formats that are not compressed.
    pub block: u32,
    /// Bytes of a block in this process's memory.
    pub bytes: u32,
    /// Host formats that can stand for it, the best first.
    pub hosts: &'static [Format],
    /// What sampling returns for red, green, blue and alpha.
    pub swizzle: [u8; 4],
    /// Whether it has alpha of its own; where not, destination alpha is one.
    pub alpha: bool,
    /// Whether drivers let programs render to it (colour formats).
    pub target: bool,
}

impl FormatRow {
    /// The host format on a device, for uses that need all of `features`.
    #[must_use]
    pub fn host(&self, info: &DeviceInfo, features: u32) -> Option<Format> {
        self.hosts.iter().copied().find(|&host| info.features(host) & features == features)
    }

    /// Whether it is a depth format of either kind.
    #[must_use]
    pub fn is_depth(&self) -> bool {
        matches!(self.kind, FormatKind::Depth | FormatKind::ReadableDepth)
    }

    /// Whether it has stencil.
    #[must_use]
    pub fn has_stencil(&self) -> bool {
        matches!(self.format, D3DFMT_D24S8 | D3DFMT_D24FS8 | D3DFMT_D24X4S4 | D3DFMT_D15S1 | INTZ)
    }

    /// Host features that a texture of this format needs.
    #[must_use]
    pub fn sampled(&self) -> u32 {
        FormatFeatures::SAMPLED
    }

    /// Host features that a target of this format needs.
    #[must_use]
    pub fn rendered(&self) -> u32 {
        if self.is_depth() { FormatFeatures::DEPTH } else { FormatFeatures::TARGET }
    }

    /// Bytes of a packed row of `width` texels.
    #[must_use]
    pub fn row_bytes(&self, width: u32) -> u32 {
        width.div_ceil(self.block).saturating_mul(self.bytes)
    }

    /// Rows of blocks that `height` texels take.
    #[must_use]
    pub fn rows(&self, height: u32) -> u32 {
        height.div_ceil(self.block)
    }
}

/// Readable depth of 24 bits with stencil.
pub(crate) const INTZ: D3DFORMAT = fourcc(*b"INTZ");
/// Readable depth of 16 bits.
pub(crate) const DF16: D3DFORMAT = fourcc(*b"DF16");
/// Readable depth of 24 bits.
pub(crate) const DF24: D3DFORMAT = fourcc(*b"DF24");
/// A colour target without memory.
pub(crate) const NULL: D3DFORMAT = fourcc(*b"NULL");
/// One block-compressed channel.
pub(crate) const ATI1: D3DFORMAT = fourcc(*b"ATI1");
/// Two block-compressed channels.
pub(crate) const ATI2: D3DFORMAT = fourcc(*b"ATI2");

const R: u8 = Swizzle::Red as u8;
const G: u8 = Swizzle::Green as u8;
const B: u8 = Swizzle::Blue as u8;
const A: u8 = Swizzle::Alpha as u8;
const O: u8 = Swizzle::Zero as u8;
const I: u8 = Swizzle::One as u8;

macro_rules! formats {
    ($( $name:ident $kind:ident $block:literal $bytes:literal [$($host:ident),*] [$r:ident $g:ident $b:ident $a:ident]
        $($flag:ident)* ; )*) => {
        /// Every format that we know.
        pub(crate) static FORMATS: &[FormatRow] = &[$( FormatRow {
            format: $name,
            name: stringify!($name),
            kind: FormatKind::$kind,
            block: $block,
            bytes: $bytes,
            hosts: &[$(Format::$host),*],
            swizzle: [$r, $g, $b, $a],
            alpha: formats!(@has alpha $($flag)*),
            target: formats!(@has target $($flag)*),
        } ),*];
    };
    (@has alpha alpha $($rest:ident)*) => { true };
    (@has target target $($rest:ident)*) => { true };
    (@has $what:ident $flag:ident $($rest:ident)*) => { formats!(@has $what $($rest)*) };
    (@has $what:ident) => { false };
}

formats! {
    // name             kind    block bytes hosts                                       sampled as  flags
    D3DFMT_A8R8G8B8      Color   1 4  [B8G8R8A8_UNORM]                                  [R G B A]   alpha target;
    D3DFMT_X8R8G8B8      Color   1 4  [B8G8R8A8_UNORM]                                  [R G B I]   target;
    D3DFMT_A8B8G8R8      Color   1 4  [R8G8B8A8_UNORM]                                  [R G B A]   alpha target;
    D3DFMT_X8B8G8R8      Color   1 4  [R8G8B8A8_UNORM]                                  [R G B I]   target;
    // The host's packed 565 has blue in the high bits.
    D3DFMT_R5G6B5        Color   1 2  [B5G6R5_UNORM]                                    [B G R I]   ;
    D3DFMT_X1R5G5B5      Color   1 2  [A1R5G5B5_UNORM]                                  [R G B I]   target;
    D3DFMT_A1R5G5B5      Color   1 2  [A1R5G5B5_UNORM]                                  [R G B A]   alpha target;
    D3DFMT_A4R4G4B4      Color   1 2  [A4R4G4B4_UNORM]                                  [R G B A]   alpha;
    D3DFMT_X4R4G4B4      Color   1 2  [A4R4G4B4_UNORM]                                  [R G B I]   ;
    D3DFMT_A2R10G10B10   Color   1 4  [A2R10G10B10_UNORM]                               [R G B A]   alpha target;
    D3DFMT_A2B10G10R10   Color   1 4  [A2B10G10R10_UNORM]                               [R G B A]   alpha target;
    D3DFMT_A8            Color   1 1  [R8_UNORM]                                        [O O O R]   alpha;
    D3DFMT_L8            Color   1 1  [R8_UNORM]                                        [R R R I]   target;
    D3DFMT_A8L8          Color   1 2  [R8G8_UNORM]                                      [R R R G]   alpha;
    D3DFMT_L16           Color   1 2  [R16_UNORM]                                       [R R R I]   target;
    D3DFMT_V8U8          Color   1 2  [R8G8_SNORM]                                      [R G I I]   ;
    D3DFMT_Q8W8V8U8      Color   1 4  [R8G8B8A8_SNORM]                                  [R G B A]   alpha;
    D3DFMT_V16U16        Color   1 4  [R16G16_SNORM]                                    [R G I I]   ;
    D3DFMT_Q16W16V16U16  Color   1 8  [R16G16B16A16_SNORM]                              [R G B A]   alpha;
    D3DFMT_G16R16        Color   1 4  [R16G16_UNORM]                                    [R G I I]   target;
    D3DFMT_A16B16G16R16  Color   1 8  [R16G16B16A16_UNORM]                              [R G B A]   alpha target;
    D3DFMT_R16F          Color   1 2  [R16_SFLOAT]                                      [R I I I]   target;
    D3DFMT_G16R16F       Color   1 4  [R16G16_SFLOAT]                                   [R G I I]   target;
    D3DFMT_A16B16G16R16F Color   1 8  [R16G16B16A16_SFLOAT]                             [R G B A]   alpha target;
    D3DFMT_R32F          Color   1 4  [R32_SFLOAT]                                      [R I I I]   target;
    D3DFMT_G32R32F       Color   1 8  [R32G32_SFLOAT]                                   [R G I I]   target;
    D3DFMT_A32B32G32R32F Color   1 16 [R32G32B32A32_SFLOAT]                             [R G B A]   alpha target;
    D3DFMT_DXT1          Color   4 8  [BC1_RGBA_UNORM]                                  [R G B A]   alpha;
    D3DFMT_DXT2          Color   4 16 [BC2_UNORM]                                       [R G B A]   alpha;
    D3DFMT_DXT3          Color   4 16 [BC2_UNORM]                                       [R G B A]   alpha;
    D3DFMT_DXT4          Color   4 16 [BC3_UNORM]                                       [R G B A]   alpha;
    D3DFMT_DXT5          Color   4 16 [BC3_UNORM]                                       [R G B A]   alpha;
    ATI1                 Color   4 8  [BC4_UNORM]                                       [R R R I]   ;
    // The first block is green, the second red.
    ATI2                 Color   4 16 [BC5_UNORM]                                       [G R I I]   ;
    D3DFMT_D16           Depth   1 2  [D16_UNORM, D32_SFLOAT]                           [R R R R]   ;
    D3DFMT_D16_LOCKABLE  Depth   1 2  [D16_UNORM]                                       [R R R R]   ;
    D3DFMT_D24S8         Depth   1 4  [D24_UNORM_S8_UINT, D32_SFLOAT_S8_UINT]           [R R R R]   ;
    D3DFMT_D24X8         Depth   1 4  [X8_D24_UNORM, D24_UNORM_S8_UINT, D32_SFLOAT]     [R R R R]   ;
    D3DFMT_D24FS8        Depth   1 4  [D32_SFLOAT_S8_UINT]                              [R R R R]   ;
    D3DFMT_D32F_LOCKABLE Depth   1 4  [D32_SFLOAT]                                      [R R R R]   ;
    DF16        ReadableDepth    1 2  [D16_UNORM, D32_SFLOAT]                           [R R R R]   ;
    DF24        ReadableDepth    1 4  [X8_D24_UNORM, D24_UNORM_S8_UINT, D32_SFLOAT]     [R R R R]   ;
    INTZ        ReadableDepth    1 4  [D24_UNORM_S8_UINT, D32_SFLOAT_S8_UINT]           [R R R R]   ;
    NULL                 Null    1 4  []                                                [O O O I]   target;
}

/// The row of a format, if we know it.
#[must_use]
pub fn format_row(format: D3DFORMAT) -> Option<&'static FormatRow> {
    FORMATS.iter().find(|row| row.format == format)
}

/// A colour as floats, red to alpha.
pub(crate) fn color(color: D3DCOLOR) -> [f32; 4] {
    let [blue, green, red, alpha] = color.to_le_bytes();
    [red, green, blue, alpha].map(|channel| f32::from(channel) / 255.0)
}

/// A value from 0 to 1 as a 16-bit float. Such values have no special cases but zero and those below the smallest
/// normal number, which become zero.
fn half(value: f32) -> u16 {
    let bits = value.to_bits();
    let exponent = (bits >> 23) as i32 - 127;
    if exponent < -14 {
        return 0;
    }
    let rounded = (bits & 0x7f_ffff) + 0xfff + (bits >> 13 & 1);
    (((exponent + 15) << 10) as u32 + (rounded >> 13)) as u16
}

/// A colour as one texel of a format, for the formats that are not compressed and not signed.
pub(crate) fn texel(format: D3DFORMAT, value: D3DCOLOR) -> Option<[u8; 16]> {
    let [blue, green, red, alpha] = value.to_le_bytes();
    let floats = color(value);
    let mut out = [0; 16];
    let mut put = |at: usize, bytes: &[u8]| out[at..at + bytes.len()].copy_from_slice(bytes);
    let bits = |value: u8, count: u32| u16::from(value) >> (8 - count);
    let wide = |value: u8, count: u32| (f32::from(value) / 255.0 * ((1u32 << count) - 1) as f32 + 0.5) as u32;
    match format {
        D3DFMT_A8R8G8B8 | D3DFMT_X8R8G8B8 => put(0, &[blue, green, red, alpha]),
        D3DFMT_A8B8G8R8 | D3DFMT_X8B8G8R8 => put(0, &[red, green, blue, alpha]),
        D3DFMT_R5G6B5 => put(0, &(bits(red, 5) << 11 | bits(green, 6) << 5 | bits(blue, 5)).to_le_bytes()),
        D3DFMT_A1R5G5B5 | D3DFMT_X1R5G5B5 => {
            let alpha = if format == D3DFMT_A1R5G5B5 { bits(alpha, 1) } else { 0 };
            put(0, &(alpha << 15 | bits(red, 5) << 10 | bits(green, 5) << 5 | bits(blue, 5)).to_le_bytes());
        }
        D3DFMT_A4R4G4B4 | D3DFMT_X4R4G4B4 => {
            let alpha = if format == D3DFMT_A4R4G4B4 { bits(alpha, 4) } else { 0 };
            put(0, &(alpha << 12 | bits(red, 4) << 8 | bits(green, 4) << 4 | bits(blue, 4)).to_le_bytes());
        }
        D3DFMT_A2R10G10B10 => {
            let word = wide(alpha, 2) << 30 | wide(red, 10) << 20 | wide(green, 10) << 10 | wide(blue, 10);
            put(0, &word.to_le_bytes());
        }
        D3DFMT_A2B10G10R10 => {
            let word = wide(alpha, 2) << 30 | wide(blue, 10) << 20 | wide(green, 10) << 10 | wide(red, 10);
            put(0, &word.to_le_bytes());
        }
        D3DFMT_L8 => put(0, &[red]),
        D3DFMT_A8 => put(0, &[alpha]),
        D3DFMT_A8L8 => put(0, &[red, alpha]),
        D3DFMT_L16 => put(0, &(wide(red, 16) as u16).to_le_bytes()),
        D3DFMT_G16R16 | D3DFMT_A16B16G16R16 => {
            let channels = if format == D3DFMT_G16R16 { 2 } else { 4 };
            for (index, &channel) in [red, green, blue, alpha][..channels].iter().enumerate() {
                put(index * 2, &(wide(channel, 16) as u16).to_le_bytes());
            }
        }
        D3DFMT_R16F | D3DFMT_G16R16F | D3DFMT_A16B16G16R16F => {
            let channels = [1, 2, 4][(format - D3DFMT_R16F) as usize];
            for (index, &channel) in floats[..channels].iter().enumerate() {
                put(index * 2, &half(channel).to_le_bytes());
            }
        }
        D3DFMT_R32F | D3DFMT_G32R32F | D3DFMT_A32B32G32R32F => {
            let channels = [1, 2, 4][(format - D3DFMT_R32F) as usize];
            for (index, &channel) in floats[..channels].iter().enumerate() {
                put(index * 4, &channel.to_le_bytes());
            }
        }
        _ => return None,
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_unique_and_take_as_many_bytes_as_their_hosts() {
        for (index, row) in FORMATS.iter().enumerate() {
            assert!(FORMATS[..index].iter().all(|other| other.format != row.format), "{}", row.name);
            for host in row.hosts {
                assert_eq!(host.is_depth(), row.is_depth(), "{}", row.name);
                if !row.is_depth() {
                    assert_eq!((host.info().block, host.info().bytes), (row.block, row.bytes), "{}", row.name);
                }
            }
        }
    }

    #[test]
    fn halves_round_to_nearest() {
        for (value, bits) in [(0.0, 0), (1.0, 0x3c00), (0.5, 0x3800), (1.0 / 3.0, 0x3555), (2.0 / 3.0, 0x3955)] {
            assert_eq!(half(value), bits, "{value}");
        }
        // Rounding up may carry into the exponent.
        assert_eq!(half(0.999_99), 0x3c00);
    }

    #[test]
    fn texels_fit_their_formats() {
        for row in FORMATS.iter().filter(|row| row.target && row.kind == FormatKind::Color) {
            let texel = texel(row.format, 0xffff_ffff).unwrap();
            assert!(texel[row.bytes as usize..].iter().all(|byte| *byte == 0), "{}", row.name);
        }
        assert_eq!(texel(D3DFMT_G16R16, 0x00ff_0000).unwrap()[..4], [0xff, 0xff, 0, 0]);
    }

    #[test]
    fn colors_are_argb() {
        assert_eq!(color(0xff00_8000), [0.0, 128.0 / 255.0, 0.0, 1.0]);
    }
}
