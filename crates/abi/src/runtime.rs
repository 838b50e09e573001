//! State around a shader that changes its code.

use crate::slots::TEXTURE_SLOTS;
use crate::{Compare, LinkInfo};
use bytemuck::{Pod, Zeroable};

/// Specialisation constants of modules with [`PixelOps::generic`]. The value [`spec::DYNAMIC`], which is the default, reads
/// the mode from the system block ([`SystemRegister::PixelOps`](crate::SystemRegister::PixelOps)).
pub mod spec {
    /// Id of the alpha test: [`PixelOps::alpha_compare`](super::PixelOps::alpha_compare).
    pub const ALPHA_COMPARE: u32 = 0;
    /// Id of the fog: [`FogMode`](crate::FogMode).
    pub const FOG_MODE: u32 = 1;
    /// The mode is in the system block.
    pub const DYNAMIC: u32 = 255;
}

/// What the pixel pipeline does to a shader's result; the numbers are those of the stream's `SetPixelOps`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Pod, Zeroable)]
#[repr(C)]
pub struct PixelOps {
    /// Alpha test, a [`Compare`]; [`Compare::Always`] is off. The reference is in the system block.
    pub alpha_compare: u8,
    /// [`FogMode`](crate::FogMode). Shader model 3 has no fog of its own, and gets none.
    pub fog: u8,
    /// 1: `COLOR0` and `COLOR1` are not interpolated.
    pub flat: u8,
    /// 1: points carry texture coordinates: `TEXCOORD` inputs read the place in the point.
    pub point_sprite: u8,
    /// 1: `alpha_compare` and `fog` do not count; the module does whatever the specialisation constants ([`spec`]) or the
    /// system block say when it runs. One module then serves every alpha test and fog.
    pub generic: u8,
    /// Bit n: red, green and blue of colour output n become sRGB, for targets whose format has no sRGB view.
    pub srgb_write: u8,
    /// Colour outputs are a part of what they would be, read as signed bytes: 0 all of it, 1 what is above zero, 2 what is
    /// below, negated. For blend equations that no device has; whoever compiles the shader does it, not its front end.
    pub signed_part: u8,
    /// On devices without clip distances: how many the vertex stage hands on at the first location for them, and times 16 at the
    /// second. What is outside is thrown away.
    pub clip_distances: u8,
}

impl Default for PixelOps {
    /// Nothing is done.
    fn default() -> Self {
        Self { alpha_compare: Compare::Always as u8, ..Self::zeroed() }
    }
}

/// What the vertex pipeline adds to a shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Pod, Zeroable)]
#[repr(C)]
pub struct VertexOps {
    /// 1: points are drawn, so a size must be written: the shader's, or that of the system block where it writes none,
    /// within the limits of the system block.
    pub point_size: u8,
    /// Bit n: clip distance n is the distance to clip plane n of the system block.
    pub clip_planes: u8,
    /// 1: draws are of six vertices for each three corners of a rectangle, on devices without geometry shaders.
    pub rectangles: u8,
}

/// Texture bound to a slot. A lookup is one in what is bound, whatever the shader declares, as with most drivers on Windows
/// (Wine's `test_mismatched_sample_types` lists them).
pub mod bound {
    /// Nothing: a lookup is what the shader declares, and one in a 2D texture where it declares nothing.
    pub const NONE: u8 = 0;
    /// A cube map.
    pub const CUBE: u8 = 1;
    /// A volume.
    pub const D3: u8 = 2;
    /// A 2D texture.
    pub const D2: u8 = 3;
    /// Added: a lookup gives the first component of four texels, as ATI's "Fetch-4" does: alpha is the texel that a lookup
    /// without filter gives, red that to its right, green that below, blue that below right ("Radeon X1x00 Programming
    /// Guide"; Wine's `test_fetch4` has what drivers on Windows give). Only of 2D textures.
    pub const FETCH4: u8 = 0x20;
    /// Added to [`FETCH4`]: the component is the fourth, of formats that have alpha alone (`D3DFMT_A8`).
    pub const FETCH4_ALPHA: u8 = 0x10;
    /// Added: lookups of ps_1_0 to ps_1_3 divide the coordinates by the fourth (`D3DTTFF_PROJECTED`).
    pub const PROJECTED: u8 = 0x40;
    /// Added: depth texture that is compared with the third coordinate.
    pub const SHADOW: u8 = 0x80;
    /// The part that is the kind of texture.
    pub const KIND: u8 = 3;
}

/// State around a shader that changes its code. Zeroable bytes, so its hash is a cache key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Pod, Zeroable)]
#[repr(C)]
pub struct RuntimeInfo {
    /// Pixel shaders: what the vertex stage writes.
    pub link: LinkInfo,
    /// Pixel shaders: what is done to the result.
    pub pixel_ops: PixelOps,
    /// Vertex shaders: what is added.
    pub vertex_ops: VertexOps,
    /// What is bound to each slot ([`bound`]).
    pub textures: [u8; TEXTURE_SLOTS],
    /// 1 where what is in push constants otherwise comes from records in memory, one for each draw of a call ([`push::RECORDS`](crate::push::RECORDS)).
    pub records: u8,
}
