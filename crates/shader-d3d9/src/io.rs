//! Semantics to locations, and what else a shader needs to know of the pipeline around it.
//!
//! The rules of the shader ABI: varyings have fixed locations by semantic (`COLOR0` 0, `COLOR1` 1, `TEXCOORD0`..`7`
//! 2..9, `FOG` 10); other semantics get 11 on, in the order of the vertex shader's outputs. A pixel input that the vertex
//! shader does not write reads 0, `COLOR0` reads 1.

use crate::ffp::{FixedPixelKey, FixedVertexKey, STAGES};
use crate::signature::{Element, Signature};
use crate::tables::Usage;
use bytemuck::{Pod, Zeroable};

/// First location of semantics that have no fixed one.
pub const FIRST_EXTRA: u8 = 11;
/// Most semantics without a fixed location; vs_3_0 has 12 output registers, each of which may be split.
pub const MAX_EXTRA: usize = 20;
/// Location of the fog factor.
pub const FOG_LOCATION: u8 = 10;

/// The fixed location of a varying, if its semantic has one.
pub const fn fixed_location(usage: Usage, index: u8) -> Option<u8> {
    match (usage, index) {
        (Usage::Color, 0..=1) => Some(index),
        (Usage::TexCoord, 0..=7) => Some(2 + index),
        (Usage::Fog, 0) => Some(FOG_LOCATION),
        _ => None,
    }
}

/// A semantic without a fixed location.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Pod, Zeroable)]
#[repr(C)]
pub struct Extra {
    /// [`Usage`] as a number, plus one; 0 marks an entry that is not in use.
    pub usage: u8,
    /// Semantic index.
    pub index: u8,
}

impl Extra {
    fn new(usage: Usage, index: u8) -> Self {
        Self { usage: usage as u8 + 1, index }
    }
}

/// What the vertex stage writes, which the pixel stage is compiled against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Pod, Zeroable)]
#[repr(C)]
pub struct LinkInfo {
    /// Bit n: location n (0 to 10) is written.
    pub mask: u32,
    /// Semantics at [`FIRST_EXTRA`] on.
    pub extra: [Extra; MAX_EXTRA],
}

impl LinkInfo {
    /// What a vertex shader writes.
    pub fn of_vertex_shader(signature: &Signature) -> Self {
        let varyings = signature.outputs.iter().filter(|e| !is_system_output(e));
        Self::of(varyings.map(|e| (e.usage, e.index)))
    }

    /// What the fixed-function vertex stage writes.
    pub fn of_fixed_vertex(key: &FixedVertexKey) -> Self {
        let coords = (0..STAGES as u8).filter(|i| key.tex_coords[usize::from(*i)].used != 0);
        let colors = [0, 1].into_iter().filter(|index| key.writes_color(*index)).map(|index| (Usage::Color, index));
        let fixed = colors.chain([(Usage::Fog, 0)]);
        let passed = key.passed().map(|(usage, _)| (usage, 0));
        Self::of(fixed.chain(coords.map(|i| (Usage::TexCoord, i))).chain(passed))
    }

    /// As if the vertex stage wrote all that a pixel shader reads; for translating a shader alone.
    pub fn of_pixel_shader(signature: &Signature) -> Self {
        let mut link = Self::of(signature.inputs.iter().map(|e| (e.usage, e.index)));
        link.mask = (1 << FIRST_EXTRA) - 1;
        link
    }

    fn of(semantics: impl Iterator<Item = (Usage, u8)>) -> Self {
        let mut link = Self::default();
        for (usage, index) in semantics {
            match fixed_location(usage, index) {
                Some(location) => link.mask |= 1 << location,
                None => link.add_extra(Extra::new(usage, index)),
            }
        }
        link
    }

    fn add_extra(&mut self, extra: Extra) {
        if !self.extra.contains(&extra)
            && let Some(free) = self.extra.iter_mut().find(|e| e.usage == 0)
        {
            *free = extra;
        }
    }

    /// Location at which the vertex stage writes a semantic; `None` if it does not.
    pub fn location(&self, usage: Usage, index: u8) -> Option<u8> {
        match fixed_location(usage, index) {
            Some(location) => (self.mask >> location & 1 != 0).then_some(location),
            None => {
                let at = self.extra.iter().position(|e| *e == Extra::new(usage, index))?;
                Some(FIRST_EXTRA + at as u8)
            }
        }
    }

    /// What vertex fog goes by: the fog factor, or the alpha of the specular colour where the vertex stage writes no
    /// factor. With neither there is nothing but fog.
    pub fn fog(&self) -> Option<(Usage, u8)> {
        [(Usage::Fog, 0), (Usage::Color, 1)].into_iter().find(|(usage, index)| self.location(*usage, *index).is_some())
    }

    /// The part of the link that a pixel shader with these inputs can see, so that vertex shaders which differ in
    /// other outputs share pixel shaders. `reads_fog`: there may be vertex fog.
    #[must_use]
    pub fn seen_by(&self, inputs: impl Iterator<Item = (Usage, u8)>, reads_fog: bool) -> Self {
        let mut seen = Self::default();
        for (usage, index) in inputs.chain(self.fog().filter(|_| reads_fog)) {
            match (self.location(usage, index), fixed_location(usage, index)) {
                (Some(location), Some(_)) => seen.mask |= 1 << location,
                (Some(location), None) => seen.extra[usize::from(location - FIRST_EXTRA)] = Extra::new(usage, index),
                (None, _) => {}
            }
        }
        seen
    }
}

/// True for vertex outputs that are no varyings: position and point size.
pub fn is_system_output(element: &Element) -> bool {
    matches!((element.usage, element.index), (Usage::Position | Usage::PositionT | Usage::PSize, 0))
}

/// Fog of [`PixelOps::fog`]; the numbers of the stream's `FogMode`.
///
/// Table fog goes by the depth of the pixel (0 to 1) or by its w, the distance along the view; Direct3D takes w where the
/// projection matrix is not affine, so the guest decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum FogMode {
    /// No fog.
    None = 0,
    /// `1 / e^(depth * density)`, per pixel.
    Exp = 1,
    /// `1 / e^((depth * density)^2)`, per pixel.
    Exp2 = 2,
    /// `(end - depth) / (end - start)`, per pixel.
    Linear = 3,
    /// The vertex stage's fog output is the factor.
    Vertex = 4,
    /// [`Self::Exp`] of w.
    ExpW = 5,
    /// [`Self::Exp2`] of w.
    Exp2W = 6,
    /// [`Self::Linear`] of w.
    LinearW = 7,
}

/// `PixelOps::alpha_compare` where there is no alpha test; the stream's `Compare::Always`.
pub const COMPARE_ALWAYS: u8 = 7;

/// Specialisation constants of modules with [`PixelOps::generic`]. The value [`spec::DYNAMIC`], which is the default, reads
/// the mode from the system block ([`SystemRegister::PixelOps`](crate::SystemRegister::PixelOps)).
pub mod spec {
    /// Id of the alpha test: [`PixelOps::alpha_compare`](super::PixelOps::alpha_compare).
    pub const ALPHA_COMPARE: u32 = 0;
    /// Id of the fog: [`FogMode`](super::FogMode).
    pub const FOG_MODE: u32 = 1;
    /// The mode is in the system block.
    pub const DYNAMIC: u32 = 255;
}

/// What the pixel pipeline does to a shader's result; the numbers are those of the stream's `SetPixelOps`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Pod, Zeroable)]
#[repr(C)]
pub struct PixelOps {
    /// Alpha test, the stream's `Compare`: 0 never, 1 less, 2 equal, 3 less or equal, 4 greater, 5 not equal, 6 greater
    /// or equal, 7 always (off). The reference is in the system block.
    pub alpha_compare: u8,
    /// [`FogMode`]. Shader model 3 has no fog of its own, and gets none.
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
    /// Zero.
    pub pad: u8,
}

impl Default for PixelOps {
    /// Nothing is done.
    fn default() -> Self {
        Self { alpha_compare: COMPARE_ALWAYS, ..Self::zeroed() }
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

/// Texture slots: 16 of the pixel stage, then 4 of the vertex stage.
pub const TEXTURE_SLOTS: usize = 20;

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
    /// Zero.
    pub pad: [u8; 2],
}

/// Semantics that the fixed-function pixel stage reads.
pub fn fixed_pixel_inputs(key: &FixedPixelKey) -> impl Iterator<Item = (Usage, u8)> {
    let coords = (0..key.active().count() as u8).map(|i| (Usage::TexCoord, i));
    [(Usage::Color, 0), (Usage::Color, 1)].into_iter().chain(coords)
}
