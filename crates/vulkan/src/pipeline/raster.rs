//! Rasteriser state: what of it is part of a pipeline, and Vulkan's names for it.

use crate::device::gpu::Gpu;
use crate::device::profile::Profile;
use afterimage_stream::packets::{Cull, Fill, LineMode, LogicOp, SetRaster, Topology};
use ash::vk;

pub(crate) const LINES: u32 = 1;

pub(crate) const TRIANGLES: u32 = 2;

/// Points, lines or triangles: within a class the topology is dynamic.
pub(crate) fn class(topology: Topology) -> u32 {
    match topology {
        Topology::PointList => 0,
        Topology::LineList | Topology::LineStrip | Topology::LineListAdjacency | Topology::LineStripAdjacency => LINES,
        Topology::TriangleList
        | Topology::TriangleStrip
        | Topology::TriangleFan
        | Topology::RectList
        | Topology::TriangleListAdjacency
        | Topology::TriangleStripAdjacency => TRIANGLES,
    }
}

/// A Vulkan topology.
pub(crate) fn topology(topology: Topology) -> vk::PrimitiveTopology {
    match topology {
        Topology::PointList => vk::PrimitiveTopology::POINT_LIST,
        Topology::LineList => vk::PrimitiveTopology::LINE_LIST,
        Topology::LineStrip => vk::PrimitiveTopology::LINE_STRIP,
        Topology::TriangleList | Topology::RectList => vk::PrimitiveTopology::TRIANGLE_LIST,
        Topology::TriangleStrip => vk::PrimitiveTopology::TRIANGLE_STRIP,
        Topology::TriangleFan => vk::PrimitiveTopology::TRIANGLE_FAN,
        Topology::LineListAdjacency => vk::PrimitiveTopology::LINE_LIST_WITH_ADJACENCY,
        Topology::LineStripAdjacency => vk::PrimitiveTopology::LINE_STRIP_WITH_ADJACENCY,
        Topology::TriangleListAdjacency => vk::PrimitiveTopology::TRIANGLE_LIST_WITH_ADJACENCY,
        Topology::TriangleStripAdjacency => vk::PrimitiveTopology::TRIANGLE_STRIP_WITH_ADJACENCY,
    }
}

/// Rasteriser state that is part of a pipeline, and the logical operation. What is dynamic, and what the device lacks, is 0.
///
/// | bits | what |
/// |---|---|
/// | 0 to 7 | [`class`] of the topology |
/// | 8, 9 | [`Fill`] |
/// | 10 | depth is clamped |
/// | 11 | the last vertex provokes |
/// | 12 to 14 | [`LineMode`], where lines are drawn |
/// | 15 | triangles are corners of rectangles |
/// | 16 to 20 | [`LogicOp`]; [`Raster::SOME_OP`] where only that there is one is part of the pipeline |
/// | 21 | alpha to coverage |
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Raster(u32);

impl Raster {
    /// Of no draw yet.
    pub(crate) const NONE: Self = Self(0);
    /// Stands for every logical operation where which one it is is dynamic.
    const SOME_OP: u8 = LogicOp::Copy as u8;

    #[inline]
    pub(crate) fn new(profile: &Profile, state: &SetRaster, logic_op: u8, class: u32) -> Self {
        let d3 = profile.dynamic_state3;
        let fill = fill(state);
        let lines = class == LINES || (class == TRIANGLES && (fill == LINE || state.fill_back == LINE));
        let coverage = u32::from(state.alpha_to_coverage) & 1;
        // Vulkan has alpha to coverage with two of the modes only.
        let mode = match LineMode::of(state.line_mode) {
            LineMode::Quad if class == LINES && profile.geometry_shader => LineMode::Quad,
            LineMode::Smooth if lines && profile.smooth_lines && coverage == 0 => LineMode::Smooth,
            LineMode::Rectangular | LineMode::Quad | LineMode::Smooth if lines && profile.rectangular_lines => {
                LineMode::Rectangular
            }
            LineMode::Bresenham if lines && profile.bresenham_lines && coverage == 0 => LineMode::Bresenham,
            _ => LineMode::Default,
        };
        let op = match logic_op {
            0 => 0,
            _ if !profile.logic_op => 0,
            _ if profile.dynamic_logic_op => Self::SOME_OP,
            op => op,
        };
        let clamp = !d3.depth_clamp && state.depth_clip == 0 && profile.depth_clamp;
        let last = state.provoking != 0 && profile.provoking_last;
        // Triangles that stand for lines are not made of lines themselves.
        let fill = if mode == LineMode::Quad { Fill::Solid as u8 } else { fill };
        let raster = Self(
            class
                | u32::from(clamp) << 10
                | u32::from(last) << 11
                | (mode as u32) << 12
                | u32::from(op) << 16
                | coverage << 21,
        );
        raster.filled(profile, fill)
    }

    /// The same with triangles filled in another way.
    #[inline]
    pub(crate) fn filled(self, profile: &Profile, fill: u8) -> Self {
        let fill = if profile.dynamic_state3.polygon_mode { 0 } else { u32::from(fill) };
        Self(self.0 & !(3 << 8) | fill << 8)
    }

    /// The same for a topology of its class.
    #[inline]
    pub(crate) fn of(self, profile: &Profile, topology: Topology) -> Self {
        let rects = topology == Topology::RectList && profile.geometry_shader;
        Self(self.0 & !(1 << 15) | u32::from(rects) << 15)
    }

    /// Whether a geometry shader makes rectangles of triangles.
    #[inline]
    pub(crate) fn rects(self) -> bool {
        self.0 >> 15 & 1 != 0
    }

    /// What of it the part of vertex stages depends on.
    pub(crate) fn of_vertices(self) -> Self {
        Self(self.0 & (0x7f << 8))
    }

    /// What of it the part of targets depends on.
    pub(crate) fn of_targets(self) -> Self {
        Self(self.0 & (0x3f << 16))
    }

    /// As it was given out by [`Raster::bits`], or anything else: see [`Raster::fits`].
    pub(crate) fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    pub(crate) fn bits(self) -> u32 {
        self.0
    }

    /// Whether a device can be asked for this.
    pub(crate) fn fits(self, profile: &Profile) -> bool {
        let lines = match self.line_mode() {
            Some(LineMode::Default) => true,
            Some(LineMode::Rectangular) => profile.rectangular_lines,
            Some(LineMode::Bresenham) => profile.bresenham_lines && !self.alpha_to_coverage(),
            Some(LineMode::Smooth) => profile.smooth_lines && !self.alpha_to_coverage(),
            Some(LineMode::Quad) => profile.geometry_shader && self.class() == LINES,
            None => false,
        };
        self.0 >> 22 == 0
            && self.class() <= TRIANGLES
            && (!self.rects() || (profile.geometry_shader && self.class() == TRIANGLES))
            && (!self.clamp() || profile.depth_clamp)
            && (!self.provoking_last() || profile.provoking_last)
            && lines
            && (self.logic_op() == 0 || profile.logic_op)
            && LogicOp::from_bits(self.logic_op()).is_some()
    }

    #[inline]
    pub(crate) fn class(self) -> u32 {
        self.0 & 0xff
    }

    pub(crate) fn fill(self) -> u8 {
        (self.0 >> 8 & 3) as u8
    }

    pub(crate) fn clamp(self) -> bool {
        self.0 >> 10 & 1 != 0
    }

    /// Whether triangles are drawn in place of lines.
    #[inline]
    pub(crate) fn line_quads(self) -> bool {
        self.line_mode() == Some(LineMode::Quad)
    }

    pub(crate) fn provoking_last(self) -> bool {
        self.0 >> 11 & 1 != 0
    }

    /// Whether alpha says how many samples are written, where there are several.
    pub(crate) fn alpha_to_coverage(self) -> bool {
        self.0 >> 21 & 1 != 0
    }

    pub(crate) fn line_mode(self) -> Option<LineMode> {
        LineMode::from_bits((self.0 >> 12 & 7) as u8)
    }

    pub(crate) fn logic_op(self) -> u8 {
        (self.0 >> 16 & 31) as u8
    }
}

const LINE: u8 = Fill::Line as u8;

/// How the triangles that are drawn are filled; the front faces where both are drawn.
#[inline]
pub(crate) fn fill(state: &SetRaster) -> u8 {
    if state.cull == Cull::Front as u8 { state.fill_back } else { state.fill }
}

/// Whether front and back faces must be drawn apart because they are filled in different ways.
#[inline]
pub(crate) fn draws_faces_apart(profile: &Profile, state: &SetRaster) -> bool {
    state.fill != state.fill_back && state.cull == Cull::None as u8 && profile.fill_modes
}

/// A Vulkan logical operation.
pub(crate) fn logic_op(bits: u8) -> vk::LogicOp {
    match LogicOp::of(bits) {
        LogicOp::Clear => vk::LogicOp::CLEAR,
        LogicOp::And => vk::LogicOp::AND,
        LogicOp::AndReverse => vk::LogicOp::AND_REVERSE,
        LogicOp::Off | LogicOp::Copy => vk::LogicOp::COPY,
        LogicOp::AndInverted => vk::LogicOp::AND_INVERTED,
        LogicOp::NoOp => vk::LogicOp::NO_OP,
        LogicOp::Xor => vk::LogicOp::XOR,
        LogicOp::Or => vk::LogicOp::OR,
        LogicOp::Nor => vk::LogicOp::NOR,
        LogicOp::Equivalent => vk::LogicOp::EQUIVALENT,
        LogicOp::Invert => vk::LogicOp::INVERT,
        LogicOp::OrReverse => vk::LogicOp::OR_REVERSE,
        LogicOp::CopyInverted => vk::LogicOp::COPY_INVERTED,
        LogicOp::OrInverted => vk::LogicOp::OR_INVERTED,
        LogicOp::Nand => vk::LogicOp::NAND,
        LogicOp::Set => vk::LogicOp::SET,
    }
}

/// A Vulkan polygon mode.
pub(crate) fn polygon_mode(gpu: &Gpu, fill: u8) -> vk::PolygonMode {
    match Fill::of(fill) {
        Fill::Line if gpu.profile.fill_modes => vk::PolygonMode::LINE,
        Fill::Point if gpu.profile.fill_modes => vk::PolygonMode::POINT,
        _ => vk::PolygonMode::FILL,
    }
}
