//! What is known of a draw before anything is done for it, and why one is given up.

use super::levels::{DRAW, DRAW_PIXELS};
use super::primitives::MOST_INDICES;
use super::states::{self, Copies};
use super::targets;
use afterimage_gnm_types::{Groups, View, reg};
use afterimage_stream::packets::Topology;
use afterimage_stream::{ObjectId, PortError};

/// What `CB_COLOR_CONTROL.MODE` says of draws.
pub(super) mod mode {
    pub(in super::super) const NORMAL: u32 = 1;
    pub(in super::super) const ELIMINATE_FAST_CLEAR: u32 = 2;
    pub(in super::super) const RESOLVE: u32 = 3;
    pub(in super::super) const FMASK_DECOMPRESS: u32 = 5;
    pub(in super::super) const DCC_DECOMPRESS: u32 = 6;
}

/// How vertices come to a draw.
pub(super) enum Vertices {
    /// In order, from the first on.
    Plain(Topology),
    /// Through the indices that are bound.
    Indexed(Topology, u32, u32),
    /// Through them, as a buffer says.
    Indirect(Topology, ObjectId),
}

impl Vertices {
    /// What is drawn.
    pub(super) fn topology(&self) -> Topology {
        let (Self::Plain(topology) | Self::Indexed(topology, ..) | Self::Indirect(topology, _)) = self;
        *topology
    }
}

/// Why a draw was given up.
#[derive(Debug, thiserror::Error)]
pub(super) enum DrawError {
    #[error(transparent)]
    Port(#[from] PortError),
    #[error("{0} indices are more than the {MOST_INDICES} that are made for one draw")]
    Indices(u32),
    #[error("a geometry shader's {vertices} vertices and {primitives} primitives are more than one draw may have here")]
    Geometry { vertices: u64, primitives: u64 },
    #[error("tessellation: {0}")]
    Tessellation(String),
}

/// Whether pixels have a shader: something is exported, or fragments are dropped.
fn has_pixel_stage(registers: &View) -> bool {
    if registers.program(reg::SPI_SHADER_PGM_LO_PS) == 0 {
        return false;
    }
    let colors = registers.field(reg::CB_COLOR_CONTROL::MODE) == mode::NORMAL
        && (0..8).any(|n| targets::write_mask(registers, n) != 0);
    let control = registers.get(reg::DB_SHADER_CONTROL);
    use reg::DB_SHADER_CONTROL as D;
    let others = [D::Z_EXPORT_ENABLE, D::KILL_ENABLE, D::MASK_EXPORT_ENABLE, D::EXEC_ON_NOOP, D::EXEC_ON_HIER_FAIL];
    colors || others.iter().any(|field| field.is_set(control))
}

/// How a draw is done.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Plan {
    /// `VGT_SHADER_STAGES_EN`.
    pub(super) stages: u32,
    /// `VGT_PRIMITIVE_TYPE.PRIM_TYPE`.
    pub(super) primitive: u32,
    /// `CB_COLOR_CONTROL.MODE`.
    pub(super) color_mode: u32,
    /// Whether depth or stencil is copied.
    pub(super) copies: Copies,
    /// Whether nothing is to be rasterised.
    pub(super) kills: bool,
    pub(super) has_pixels: bool,
    pub(super) draws_only: bool,
    /// `VGT_INDX_OFFSET`.
    pub(super) base: u32,
    pub(super) point_size: f32,
}

impl Plan {
    /// The groups that such a draw needs.
    pub(super) fn level(&self) -> Groups {
        if self.has_pixels { DRAW_PIXELS } else { DRAW }
    }
}

/// How draws are done with these registers.
pub(super) fn plan(registers: &View) -> Plan {
    let copies = Copies::of(registers);
    Plan {
        stages: registers.get(reg::VGT_SHADER_STAGES_EN),
        primitive: registers.field(reg::VGT_PRIMITIVE_TYPE::PRIM_TYPE),
        color_mode: registers.field(reg::CB_COLOR_CONTROL::MODE),
        copies,
        kills: registers.is_set(reg::PA_CL_CLIP_CNTL::DX_RASTERIZATION_KILL),
        has_pixels: !copies.any() && has_pixel_stage(registers),
        draws_only: !copies.any() && draws_only(registers),
        base: registers.get(reg::VGT_INDX_OFFSET),
        point_size: states::point_size(registers),
    }
}

/// Whether a draw does nothing but draw: it neither clears the depth target nor captures vertices.
fn draws_only(registers: &View) -> bool {
    use reg::DB_RENDER_CONTROL as R;
    let clears = R::DEPTH_CLEAR_ENABLE.bits(1) | R::STENCIL_CLEAR_ENABLE.bits(1);
    use reg::VGT_STRMOUT_CONFIG as C;
    let captures =
        C::STREAMOUT_0_EN.bits(1) | C::STREAMOUT_1_EN.bits(1) | C::STREAMOUT_2_EN.bits(1) | C::STREAMOUT_3_EN.bits(1);
    registers.get(reg::DB_RENDER_CONTROL) & clears == 0 && registers.get(reg::VGT_STRMOUT_CONFIG) & captures == 0
}
