//! Direct3D's formats and what each is in the stream. One row per format.
//!
//! Facts: the published documentation of `D3DFORMAT` for the bits in memory, the Vulkan specification for those of the
//! host formats. FOURCC formats that drivers added (`INTZ`, `DF16`, `DF24`, `NULL`, `ATI1`, `ATI2`) follow the vendors'
//! published notes.
//!
//! `old` ones are textures of early hardware alone: the capabilities that drivers of later hardware told (and Wine's, which say
//! why: with 24-bit textures Battlefield 1942 has no text) lack them, so programs were not tried with them.
//!
//! No rows: D32, D15S1 and D24X4S4, whose depth or stencil has a number of bits that no host has, so that what is drawn
//! with them would differ; MULTI2_ARGB8, A1 and BINARYBUFFER, which no driver has; and what drivers added of which
//! nothing is there: RAWZ needs pixel shaders that are rewritten for it, R2VB draws into vertex buffers.

use afterimage_config::Values;
use afterimage_d3d9_types::*;
use afterimage_stream::packets::Swizzle;
use afterimage_stream::{DeviceInfo, Format, FormatFeatures};
use afterimage_texture::d3d9::Convert;

pub(crate) use crate::texel::color;

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
    /// Width and height of a block in texels; 1 x 1 for formats where each texel stands alone.
    pub block: [u32; 2],
    /// Bytes of a block in this process's memory.
    pub bytes: u32,
    /// How it becomes its host format, where the host has none of the same bits.
    pub convert: Option<Convert>,
    /// Host formats that can stand for it, the best first.
    pub hosts: &'static [Format],
    /// What sampling returns for red, green, blue and alpha.
    pub swizzle: [u8; 4],
    /// Whether it has alpha of its own; where not, destination alpha is one.
    pub alpha: bool,
    /// Whether drivers let programs render to it (colour formats).
    pub target: bool,
    /// Only surfaces that stand alone have it, not textures.
    pub surface_only: bool,
    /// Added by drivers: Direct3D itself does not know what its texels are.
    pub vendor: bool,
    /// It can hold the normals of a bump map.
    pub bump: bool,
    /// Textures of it were early hardware's; they are there where the user asks for them.
    pub old: bool,
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
        matches!(self.format, D3DFMT_D24S8 | D3DFMT_D24FS8 | INTZ)
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
        width.div_ceil(self.block[0]).saturating_mul(self.bytes)
    }

    /// Rows of blocks that `height` texels take; with chroma in planes of its own, the rows of luma and chroma.
    #[must_use]
    pub fn rows(&self, height: u32) -> u32 {
        let rows = height.div_ceil(self.block[1]);
        if self.is_planar() { rows.saturating_mul(3) } else { rows }
    }

    /// Whether there are textures of it, which the GPU samples; `wanted` are the old formats that the user asks for.
    #[must_use]
    pub fn has_textures(&self, wanted: &[D3DFORMAT]) -> bool {
        !self.surface_only && (!self.old || wanted.contains(&self.format))
    }

    /// Whether texels are in blocks of more than one.
    #[must_use]
    pub fn has_blocks(&self) -> bool {
        self.block != [1, 1]
    }

    /// Whether chroma lies in planes of its own.
    #[must_use]
    pub fn is_planar(&self) -> bool {
        self.convert.is_some_and(Convert::is_planar)
    }

    /// Whether it is compressed in a way that Direct3D does not know: it takes such texels for single bytes in rows.
    #[must_use]
    pub fn is_opaque(&self) -> bool {
        self.vendor && self.has_blocks() && self.convert.is_none()
    }

    /// What locks and memory are addressed by: the size of a block in texels and in bytes.
    #[must_use]
    pub fn unit(&self) -> ([u32; 2], u32) {
        if self.is_opaque() || self.is_planar() { ([1, 1], 1) } else { (self.block, self.bytes) }
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
/// Y'CbCr 4:2:0 in two planes.
pub(crate) const NV12: D3DFORMAT = fourcc(*b"NV12");
/// Y'CbCr 4:2:0 in three planes.
pub(crate) const YV12: D3DFORMAT = fourcc(*b"YV12");

const R: u8 = Swizzle::Red as u8;
const G: u8 = Swizzle::Green as u8;
const B: u8 = Swizzle::Blue as u8;
const A: u8 = Swizzle::Alpha as u8;
const O: u8 = Swizzle::Zero as u8;
const I: u8 = Swizzle::One as u8;

macro_rules! formats {
    ($( $name:ident $kind:ident $block:tt $bytes:literal [$($host:ident),*] $($convert:ident)?
        [$r:ident $g:ident $b:ident $a:ident] $($flag:ident)* ; )*) => {
        /// Every format that we know.
        pub(crate) static FORMATS: &[FormatRow] = &[$( FormatRow {
            format: $name,
            name: stringify!($name),
            kind: FormatKind::$kind,
            block: $block,
            bytes: $bytes,
            convert: formats!(@convert $($convert)?),
            hosts: &[$(Format::$host),*],
            swizzle: [$r, $g, $b, $a],
            alpha: formats!(@has alpha $($flag)*),
            target: formats!(@has target $($flag)*),
            surface_only: formats!(@has surface $($flag)*),
            vendor: formats!(@has vendor $($flag)*),
            bump: formats!(@has bump $($flag)*),
            old: formats!(@has old $($flag)*),
        } ),*];
    };
    (@convert) => { None };
    (@convert $convert:ident) => { Some(Convert::$convert) };
    (@has alpha alpha $($rest:ident)*) => { true };
    (@has target target $($rest:ident)*) => { true };
    (@has surface surface $($rest:ident)*) => { true };
    (@has vendor vendor $($rest:ident)*) => { true };
    (@has bump bump $($rest:ident)*) => { true };
    (@has old old $($rest:ident)*) => { true };
    (@has $what:ident $flag:ident $($rest:ident)*) => { formats!(@has $what $($rest)*) };
    (@has $what:ident) => { false };
}

formats! {
    // name             kind     block bytes hosts, conversion                          sampled as  flags
    D3DFMT_A8R8G8B8      Color   [1, 1] 4  [B8G8R8A8_UNORM]                             [R G B A]   alpha target;
    D3DFMT_X8R8G8B8      Color   [1, 1] 4  [B8G8R8A8_UNORM]                             [R G B I]   target;
    D3DFMT_R8G8B8        Color   [1, 1] 3  [B8G8R8A8_UNORM] R8G8B8                      [R G B I]   old;
    D3DFMT_A8B8G8R8      Color   [1, 1] 4  [R8G8B8A8_UNORM]                             [R G B A]   alpha target;
    D3DFMT_X8B8G8R8      Color   [1, 1] 4  [R8G8B8A8_UNORM]                             [R G B I]   target;
    D3DFMT_R5G6B5        Color   [1, 1] 2  [R5G6B5_UNORM]                               [R G B I]   target;
    D3DFMT_X1R5G5B5      Color   [1, 1] 2  [A1R5G5B5_UNORM]                             [R G B I]   target;
    D3DFMT_A1R5G5B5      Color   [1, 1] 2  [A1R5G5B5_UNORM]                             [R G B A]   alpha target;
    D3DFMT_A4R4G4B4      Color   [1, 1] 2  [A4R4G4B4_UNORM]                             [R G B A]   alpha;
    D3DFMT_X4R4G4B4      Color   [1, 1] 2  [A4R4G4B4_UNORM]                             [R G B I]   ;
    D3DFMT_R3G3B2        Color   [1, 1] 1  [B8G8R8A8_UNORM] R3G3B2                      [R G B I]   old;
    D3DFMT_A8R3G3B2      Color   [1, 1] 2  [B8G8R8A8_UNORM] A8R3G3B2                    [R G B A]   alpha old;
    D3DFMT_A2R10G10B10   Color   [1, 1] 4  [A2R10G10B10_UNORM]                          [R G B A]   alpha target;
    D3DFMT_A2B10G10R10   Color   [1, 1] 4  [A2B10G10R10_UNORM]                          [R G B A]   alpha target;
    D3DFMT_P8            Color   [1, 1] 1  [B8G8R8A8_UNORM] P8                          [R G B A]   old;
    D3DFMT_A8P8          Color   [1, 1] 2  [B8G8R8A8_UNORM] A8P8                        [R G B A]   alpha old;
    D3DFMT_A8            Color   [1, 1] 1  [R8_UNORM]                                   [O O O R]   alpha;
    D3DFMT_L8            Color   [1, 1] 1  [R8_UNORM]                                   [R R R I]   target;
    D3DFMT_A8L8          Color   [1, 1] 2  [R8G8_UNORM]                                 [R R R G]   alpha;
    D3DFMT_A4L4          Color   [1, 1] 1  [R8G8_UNORM] A4L4                            [R R R G]   alpha old;
    D3DFMT_L16           Color   [1, 1] 2  [R16_UNORM]                                  [R R R I]   target;
    D3DFMT_V8U8          Color   [1, 1] 2  [R8G8_SNORM]                                 [R G I I]   bump;
    D3DFMT_CxV8U8        Color   [1, 1] 2  [R16G16B16A16_SNORM] CxV8U8                  [R G B I]   bump old;
    D3DFMT_L6V5U5        Color   [1, 1] 2  [R16G16B16A16_SNORM] L6V5U5                  [R G B I]   bump;
    D3DFMT_X8L8V8U8      Color   [1, 1] 4  [R16G16B16A16_SNORM] X8L8V8U8                [R G B I]   bump;
    D3DFMT_Q8W8V8U8      Color   [1, 1] 4  [R8G8B8A8_SNORM]                             [R G B A]   alpha bump;
    D3DFMT_V16U16        Color   [1, 1] 4  [R16G16_SNORM]                               [R G I I]   bump;
    D3DFMT_A2W10V10U10   Color   [1, 1] 4  [R16G16B16A16_SNORM] A2W10V10U10             [R G B A]   alpha bump;
    D3DFMT_Q16W16V16U16  Color   [1, 1] 8  [R16G16B16A16_SNORM]                         [R G B A]   alpha bump;
    D3DFMT_G16R16        Color   [1, 1] 4  [R16G16_UNORM]                               [R G I I]   target;
    D3DFMT_A16B16G16R16  Color   [1, 1] 8  [R16G16B16A16_UNORM]                         [R G B A]   alpha target;
    D3DFMT_R16F          Color   [1, 1] 2  [R16_SFLOAT]                                 [R I I I]   target;
    D3DFMT_G16R16F       Color   [1, 1] 4  [R16G16_SFLOAT]                              [R G I I]   target;
    D3DFMT_A16B16G16R16F Color   [1, 1] 8  [R16G16B16A16_SFLOAT]                        [R G B A]   alpha target;
    D3DFMT_R32F          Color   [1, 1] 4  [R32_SFLOAT]                                 [R I I I]   target;
    D3DFMT_G32R32F       Color   [1, 1] 8  [R32G32_SFLOAT]                              [R G I I]   target;
    D3DFMT_A32B32G32R32F Color   [1, 1] 16 [R32G32B32A32_SFLOAT]                        [R G B A]   alpha target;
    D3DFMT_DXT1          Color   [4, 4] 8  [BC1_RGBA_UNORM]                             [R G B A]   alpha;
    D3DFMT_DXT2          Color   [4, 4] 16 [BC2_UNORM]                                  [R G B A]   alpha;
    D3DFMT_DXT3          Color   [4, 4] 16 [BC2_UNORM]                                  [R G B A]   alpha;
    D3DFMT_DXT4          Color   [4, 4] 16 [BC3_UNORM]                                  [R G B A]   alpha;
    D3DFMT_DXT5          Color   [4, 4] 16 [BC3_UNORM]                                  [R G B A]   alpha;
    ATI1                 Color   [4, 4] 8  [BC4_UNORM]                                  [R R R R]   vendor;
    // The first block is green, the second red.
    ATI2                 Color   [4, 4] 16 [BC5_UNORM]                                  [G R I I]   vendor;
    D3DFMT_R8G8_B8G8     Color   [2, 1] 4  [B8G8R8A8_UNORM] R8G8B8G8                    [R G B I]   ;
    D3DFMT_G8R8_G8B8     Color   [2, 1] 4  [B8G8R8A8_UNORM] G8R8G8B8                    [R G B I]   ;
    D3DFMT_UYVY          Color   [2, 1] 4  [B8G8R8A8_UNORM] Uyvy                        [R G B I]   surface;
    D3DFMT_YUY2          Color   [2, 1] 4  [B8G8R8A8_UNORM] Yuy2                        [R G B I]   surface;
    NV12                 Color   [2, 2] 2  [B8G8R8A8_UNORM] Nv12                        [R G B I]   surface vendor;
    YV12                 Color   [2, 2] 2  [B8G8R8A8_UNORM] Yv12                        [R G B I]   surface vendor;
    D3DFMT_D16           Depth   [1, 1] 2  [D16_UNORM, D32_SFLOAT]                      [R R R R]   ;
    D3DFMT_D16_LOCKABLE  Depth   [1, 1] 2  [D16_UNORM]                                  [R R R R]   ;
    D3DFMT_D24S8         Depth   [1, 1] 4  [D24_UNORM_S8_UINT, D32_SFLOAT_S8_UINT]      [R R R R]   ;
    D3DFMT_D24X8         Depth   [1, 1] 4  [X8_D24_UNORM, D24_UNORM_S8_UINT, D32_SFLOAT] [R R R R]  ;
    D3DFMT_D24FS8        Depth   [1, 1] 4  [D32_SFLOAT_S8_UINT]                         [R R R R]   ;
    D3DFMT_D32F_LOCKABLE Depth   [1, 1] 4  [D32_SFLOAT]                                 [R R R R]   ;
    DF16        ReadableDepth    [1, 1] 2  [D16_UNORM, D32_SFLOAT]                      [R O O I]   vendor;
    DF24        ReadableDepth    [1, 1] 4  [X8_D24_UNORM, D24_UNORM_S8_UINT, D32_SFLOAT] [R O O I]  vendor;
    INTZ        ReadableDepth    [1, 1] 4  [D24_UNORM_S8_UINT, D32_SFLOAT_S8_UINT]      [R R R R]   vendor;
    NULL                 Null    [1, 1] 4  []                                           [O O O I]   target vendor;
}

/// Whether targets of a host format can be written as sRGB: it has such a twin, or so few bits that the receiver's shaders
/// encode it.
pub(crate) fn encodes_srgb(host: Format) -> bool {
    use Format as F;
    let small = matches!(
        host,
        F::R8_UNORM | F::R8G8_UNORM | F::R5G6B5_UNORM | F::A1R5G5B5_UNORM | F::A2R10G10B10_UNORM | F::A2B10G10R10_UNORM
    );
    small || host.info().srgb.is_some()
}

/// The old formats that the user asks for.
pub(crate) fn wanted(values: &Values) -> Vec<D3DFORMAT> {
    let named = |name: &str| FORMATS.iter().find(|row| row.old && row.name.strip_prefix("D3DFMT_") == Some(name));
    values.old_formats.iter().filter_map(|format| Some(named(format.name())?.format)).collect()
}

/// The row of a format, if we know it.
#[must_use]
pub fn format_row(format: D3DFORMAT) -> Option<&'static FormatRow> {
    FORMATS.iter().find(|row| row.format == format)
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
                let info = host.info();
                match row.convert {
                    Some(convert) => {
                        assert_eq!((1, info.bytes as usize), (info.block, convert.bytes()), "{}", row.name);
                    }
                    None if row.is_depth() => {}
                    None => assert_eq!(([info.block; 2], info.bytes), (row.block, row.bytes), "{}", row.name),
                }
            }
        }
    }

    #[test]
    fn the_user_can_ask_for_every_old_format() {
        let asked = <afterimage_config::OldFormat as afterimage_config::Words>::ALL.to_vec();
        let mut wanted = wanted(&Values { old_formats: asked, ..Values::default() });
        let mut old: Vec<D3DFORMAT> = FORMATS.iter().filter(|row| row.old).map(|row| row.format).collect();
        wanted.sort_unstable();
        old.sort_unstable();
        assert_eq!(wanted, old);
    }

    #[test]
    fn what_is_converted_is_no_target() {
        assert!(FORMATS.iter().all(|row| row.convert.is_none() || !row.target));
    }
}
