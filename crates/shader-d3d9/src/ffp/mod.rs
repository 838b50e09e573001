//! The fixed-function pipeline as shaders: keys that a guest fills from its state, and the IR that they mean.
//!
//! A key is plain bytes: it is the "code" of a shader in the stream, its hash is its identity, and zero is a valid key
//! of either kind. Everything that changes from draw to draw without changing the code (matrices, colours, lights) is a
//! constant instead, see [`crate::banks`]. Numbers are those of Direct3D (`D3DTOP_*`, `D3DTA_*`, `D3DMCS_*`,
//! `D3DLIGHTTYPE`, `D3DTSS_TCI_*`, `D3DTTFF_*`), so that a guest copies states without looking at them.

mod coordinates;
mod lighting;
mod pixel;
mod vertex;

pub use pixel::lift_fixed_pixel;
pub use vertex::lift_fixed_vertex;

use crate::tables::Usage;
use bytemuck::{Pod, Zeroable};

/// Texture stages.
pub const STAGES: usize = 8;
/// Lights that one draw can have.
pub const LIGHTS: usize = 8;

/// Vertex inputs of the fixed-function vertex stage; the number is the input location and the bit in
/// [`FixedVertexKey::inputs`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum FixedInput {
    /// Position, or the pre-transformed position.
    Position = 0,
    /// Blend weights.
    BlendWeight = 1,
    /// Blend indices.
    BlendIndices = 2,
    /// Normal.
    Normal = 3,
    /// Point size.
    PointSize = 4,
    /// Diffuse colour (`COLOR0`).
    Diffuse = 5,
    /// Specular colour (`COLOR1`); its alpha is the vertex fog factor where fog is not computed.
    Specular = 6,
    /// Texture coordinate 0; the others follow.
    TexCoord0 = 7,
    /// Second position, of tweening (`POSITION1`).
    Position1 = 15,
    /// Second normal, of tweening (`NORMAL1`).
    Normal1 = 16,
    /// Tangent; this and what follows are inputs of pre-transformed vertices alone, see `FixedVertexKey::passed`.
    Tangent = 17,
    /// Binormal.
    Binormal = 18,
    /// Fog factor.
    Fog = 19,
    /// Depth.
    Depth = 20,
}

impl FixedInput {
    /// Location of texture coordinate `set`, 0 to 7.
    pub const fn tex_coord(set: u8) -> u8 {
        Self::TexCoord0 as u8 + (set & 7)
    }
}

/// Elements that pre-transformed vertices hand to a pixel shader of model 3, beside colours and texture coordinates (Wine's
/// `pretransformed_varying_test` has what Windows does).
const PASSED: [(Usage, FixedInput); 7] = [
    (Usage::BlendWeight, FixedInput::BlendWeight),
    (Usage::BlendIndices, FixedInput::BlendIndices),
    (Usage::Normal, FixedInput::Normal),
    (Usage::Tangent, FixedInput::Tangent),
    (Usage::Binormal, FixedInput::Binormal),
    (Usage::Fog, FixedInput::Fog),
    (Usage::Depth, FixedInput::Depth),
];

/// What the fixed-function vertex stage does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Pod, Zeroable)]
#[repr(C)]
pub struct FixedVertexKey {
    /// [`FixedVertexKey::PRETRANSFORMED`] and its like.
    pub flags: u32,
    /// Bit [`FixedInput`] is set for each input that the vertex declaration has.
    pub inputs: u32,
    /// `D3DRS_DIFFUSEMATERIALSOURCE` (0 if `D3DRS_COLORVERTEX` is off).
    pub diffuse_source: u8,
    /// `D3DRS_AMBIENTMATERIALSOURCE`.
    pub ambient_source: u8,
    /// `D3DRS_SPECULARMATERIALSOURCE`.
    pub specular_source: u8,
    /// `D3DRS_EMISSIVEMATERIALSOURCE`.
    pub emissive_source: u8,
    /// `D3DRS_FOGVERTEXMODE` if fog is on and table fog is off: 0 none (the factor is the specular alpha), 1 exp,
    /// 2 exp2, 3 linear.
    pub fog_mode: u8,
    /// `D3DRS_VERTEXBLEND`: number of weights, 0 to 3 (more count as 3); one matrix more is blended. 0 without
    /// [`Self::INDEXED_BLEND`] is no blending.
    pub blend_weights: u8,
    /// Zero.
    pub pad: [u8; 2],
    /// `D3DLIGHTTYPE` of the enabled lights in order, without gaps; 0 ends the list.
    pub lights: [u8; LIGHTS],
    /// Texture coordinates of each stage.
    pub tex_coords: [TexCoordKey; STAGES],
}

/// Where a stage's texture coordinates come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Pod, Zeroable)]
#[repr(C)]
pub struct TexCoordKey {
    /// 1 if the stage needs coordinates at all.
    pub used: u8,
    /// Low half of `D3DTSS_TEXCOORDINDEX`: the vertex's coordinate set, 0 to 7.
    pub set: u8,
    /// High half of `D3DTSS_TEXCOORDINDEX` (`D3DTSS_TCI_*` >> 16).
    pub generation: u8,
    /// `D3DTSS_TEXTURETRANSFORMFLAGS`: low bits are the count, 0 off; `0x80` instead of `D3DTTFF_PROJECTED`.
    pub transform: u8,
    /// Components of the coordinate set in the vertex declaration, 1 to 4; 0 if it has no such set.
    pub components: u8,
    /// Zero.
    pub pad: [u8; 3],
}

impl TexCoordKey {
    /// `D3DTTFF_PROJECTED` in [`TexCoordKey::transform`].
    pub const PROJECTED: u8 = 0x80;
}

impl FixedVertexKey {
    /// Vertices are pre-transformed (`D3DFVF_XYZRHW`, `POSITIONT`).
    pub const PRETRANSFORMED: u32 = 1 << 0;
    /// `D3DRS_LIGHTING`.
    pub const LIGHTING: u32 = 1 << 1;
    /// `D3DRS_NORMALIZENORMALS`.
    pub const NORMALIZE_NORMALS: u32 = 1 << 2;
    /// `D3DRS_LOCALVIEWER`.
    pub const LOCAL_VIEWER: u32 = 1 << 3;
    /// `D3DRS_SPECULARENABLE`.
    pub const SPECULAR: u32 = 1 << 4;
    /// `D3DRS_RANGEFOGENABLE`.
    pub const RANGE_FOG: u32 = 1 << 5;
    /// `D3DRS_INDEXEDVERTEXBLENDENABLE` with a `D3DRS_VERTEXBLEND` other than `D3DVBF_DISABLE` and `D3DVBF_TWEENING`: the
    /// blend indices (whole numbers, 0 to 255) choose the matrices. Without blend indices in the vertex, no effect.
    pub const INDEXED_BLEND: u32 = 1 << 6;
    /// `D3DRS_POINTSCALEENABLE`.
    pub const POINT_SCALE: u32 = 1 << 7;
    /// `D3DVBF_TWEENING`: between position and normal, and the second ones where the vertex has them.
    pub const TWEENING: u32 = 1 << 8;

    /// The program's own pixel shader runs: pre-transformed vertices hand it whatever they have.
    pub const PASSES: u32 = 1 << 9;
    /// Inputs that nothing else reads.
    pub const ONLY_PASSED: u32 = 0xf << FixedInput::Tangent as u32;

    /// What goes through the stage as it is.
    pub(crate) fn passed(&self) -> impl Iterator<Item = (Usage, FixedInput)> + use<> {
        let inputs = if self.has(Self::PRETRANSFORMED) && self.has(Self::PASSES) { self.inputs } else { 0 };
        PASSED.into_iter().filter(move |(_, input)| inputs >> *input as u8 & 1 != 0)
    }

    /// True if a flag is set.
    pub const fn has(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }

    /// True if the vertex declaration has the input.
    pub const fn has_input(&self, location: u8) -> bool {
        self.inputs >> (location & 31) & 1 != 0
    }

    /// True if a colour may differ from vertex to vertex: without light and a colour of their own, the first is white and the
    /// second black, as what a pixel shader reads where the vertex stage writes nothing.
    pub(crate) fn writes_color(&self, index: u8) -> bool {
        let lit = self.has(Self::LIGHTING) && !self.has(Self::PRETRANSFORMED);
        lit || self.has_input(FixedInput::Diffuse as u8 + index)
    }

    /// True if blend indices choose the matrices.
    pub(crate) fn blends_by_index(&self) -> bool {
        self.has(Self::INDEXED_BLEND) && self.has_input(FixedInput::BlendIndices as u8)
    }
}

/// What the fixed-function pixel stage does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Pod, Zeroable)]
#[repr(C)]
pub struct FixedPixelKey {
    /// The stages; the first whose colour operation is `D3DTOP_DISABLE` (or 0) ends the list.
    pub stages: [FixedStage; STAGES],
    /// [`FixedPixelKey::SPECULAR`].
    pub flags: u32,
}

/// One texture stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Pod, Zeroable)]
#[repr(C)]
pub struct FixedStage {
    /// `D3DTSS_COLOROP`.
    pub color_op: u8,
    /// `D3DTSS_COLORARG0`, `1`, `2`.
    pub color_args: [u8; 3],
    /// `D3DTSS_ALPHAOP`.
    pub alpha_op: u8,
    /// `D3DTSS_ALPHAARG0`, `1`, `2`.
    pub alpha_args: [u8; 3],
    /// 1 if `D3DTSS_RESULTARG` is `D3DTA_TEMP`.
    pub result_temp: u8,
    /// Texture that is bound: 0 none, 1 2D, 2 cube, 3 volume.
    pub texture: u8,
    /// 1 for `D3DTTFF_PROJECTED`: the coordinates are divided by the fourth, where the vertex stage puts the divisor.
    pub projected: u8,
    /// Zero.
    pub pad: u8,
}

impl FixedPixelKey {
    /// `D3DRS_SPECULARENABLE`: the specular colour is added at the end.
    pub const SPECULAR: u32 = 1 << 0;

    /// The stages that run.
    pub fn active(&self) -> impl Iterator<Item = &FixedStage> {
        self.stages.iter().take_while(|stage| stage.color_op > 1)
    }
}
