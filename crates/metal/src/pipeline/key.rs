//! What a pipeline is chosen by.

use crate::pipeline::shaders::Spec;
use afterimage_metal_calls::{
    BlendFactor as Factor, BlendOperation, Blending, DepthStencilDescriptor, PixelFormat, StencilDescriptor,
    StencilOperation, TopologyClass, WriteMask,
};
use afterimage_stream::packets::{
    BlendFactor, BlendOp, BlendTarget, Compare, LogicOp, SetBlend, SetDepthStencil, StencilFace, StencilOp,
};
use std::hash::{Hash, Hasher};

/// Formats of a pass's attachments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct TargetFormats {
    pub(crate) colors: [Option<PixelFormat>; 8],
    pub(crate) depth: Option<PixelFormat>,
    /// Samples of all of them; 0 where there are none.
    pub(crate) samples: u8,
}

impl TargetFormats {
    /// The format for stencil, which is that of depth where that has both.
    pub(crate) fn stencil(&self) -> Option<PixelFormat> {
        self.depth.filter(|format| format.has_stencil())
    }

    /// Colour targets up to the last one.
    pub(crate) fn color_count(&self) -> usize {
        self.colors.iter().rposition(Option::is_some).map_or(0, |last| last + 1)
    }
}

/// Blending and write mask of a target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Blend {
    pub(crate) blending: Option<[Blending; 2]>,
    pub(crate) write: WriteMask,
}

/// Draws that change blending look for another pipeline each: a target is one word to the hash, not eleven.
impl Hash for Blend {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let add = |bits: u64, field: u8| bits << 8 | u64::from(field);
        let of = |bits: u64, blending: &Blending| {
            [blending.operation as u8, blending.source as u8, blending.destination as u8].into_iter().fold(bits, add)
        };
        let write = self.write.into_iter().fold(0, |bits, on| bits << 1 | u64::from(on));
        let blending = self.blending.map_or(u64::from(u8::MAX), |blending| blending.iter().fold(0, of));
        state.write_u64(blending << 4 | write);
    }
}

/// What a pipeline of a guest's draw is chosen by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    /// Numbers of variants.
    pub(crate) vertex: u32,
    pub(crate) pixel: Option<u32>,
    pub(crate) spec: Spec,
    /// Number of the vertex layout.
    pub(crate) input: u32,
    pub(crate) targets: TargetFormats,
    pub(crate) blends: [Blend; 8],
    pub(crate) alpha_to_coverage: bool,
    /// Whether nothing is rasterised.
    pub(crate) discard: bool,
    /// The samples of pixels that are drawn to, all bits for all of them.
    pub(crate) sample_mask: u16,
    /// The logical operation, where the device does one.
    pub(crate) logic: LogicOp,
    pub(crate) topology: Topology,
}

/// A class of primitives, with an order of hashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Topology {
    Point,
    Line,
    Triangle,
    /// Triangles of lists of rectangles.
    Rect,
}

impl Topology {
    /// Metal's class. Where a size of points is written though there are none, Metal is not told what there is.
    pub(crate) fn class(self, writes_point_size: bool) -> TopologyClass {
        match self {
            Self::Point => TopologyClass::Point,
            _ if writes_point_size => TopologyClass::Unspecified,
            Self::Line => TopologyClass::Line,
            Self::Triangle | Self::Rect => TopologyClass::Triangle,
        }
    }
}

/// Write mask from the stream's bits.
fn mask(bits: u8) -> WriteMask {
    [0, 1, 2, 3].map(|channel| bits >> channel & 1 != 0)
}

/// Blending and masks of the targets. `outputs` has a bit for each that the pixel shader writes, `blendable` for each whose format
/// blends.
pub(crate) fn blends(state: &SetBlend, own: &[BlendTarget], outputs: u32, blendable: u8) -> [Blend; 8] {
    let mut blends = [Blend::default(); 8];
    for (index, blend) in blends.iter_mut().enumerate().filter(|(index, _)| outputs >> index & 1 != 0) {
        let target = own.get(index).copied().unwrap_or(BlendTarget {
            enable: state.enable,
            src_color: state.src_color,
            dst_color: state.dst_color,
            color_op: state.color_op,
            src_alpha: state.src_alpha,
            dst_alpha: state.dst_alpha,
            alpha_op: state.alpha_op,
            write_mask: state.write_masks[index],
        });
        let enabled = target.enable != 0 && blendable >> index & 1 != 0 && state.logic_op == 0;
        blend.write = mask(target.write_mask);
        blend.blending = enabled.then(|| {
            [
                blending(target.color_op, target.src_color, target.dst_color),
                blending(target.alpha_op, target.src_alpha, target.dst_alpha),
            ]
        });
    }
    blends
}

fn blending(op: u8, source: u8, destination: u8) -> Blending {
    let operation = match BlendOp::of(op) {
        BlendOp::Add | BlendOp::SignedAdd => BlendOperation::Add,
        BlendOp::Subtract => BlendOperation::Subtract,
        BlendOp::ReverseSubtract | BlendOp::SignedReverseSubtract => BlendOperation::ReverseSubtract,
        BlendOp::Min => BlendOperation::Min,
        BlendOp::Max => BlendOperation::Max,
    };
    Blending { operation, source: factor(source), destination: factor(destination) }
}

fn factor(bits: u8) -> Factor {
    match BlendFactor::of(bits) {
        BlendFactor::Zero => Factor::Zero,
        BlendFactor::One => Factor::One,
        BlendFactor::SrcColor => Factor::SourceColor,
        BlendFactor::OneMinusSrcColor => Factor::OneMinusSourceColor,
        BlendFactor::DstColor => Factor::DestinationColor,
        BlendFactor::OneMinusDstColor => Factor::OneMinusDestinationColor,
        BlendFactor::SrcAlpha => Factor::SourceAlpha,
        BlendFactor::OneMinusSrcAlpha => Factor::OneMinusSourceAlpha,
        BlendFactor::DstAlpha => Factor::DestinationAlpha,
        BlendFactor::OneMinusDstAlpha => Factor::OneMinusDestinationAlpha,
        BlendFactor::ConstantColor => Factor::BlendColor,
        BlendFactor::OneMinusConstantColor => Factor::OneMinusBlendColor,
        BlendFactor::ConstantAlpha => Factor::BlendAlpha,
        BlendFactor::OneMinusConstantAlpha => Factor::OneMinusBlendAlpha,
        BlendFactor::SrcAlphaSaturate => Factor::SourceAlphaSaturated,
        BlendFactor::Src1Color => Factor::Source1Color,
        BlendFactor::OneMinusSrc1Color => Factor::OneMinusSource1Color,
        BlendFactor::Src1Alpha => Factor::Source1Alpha,
        BlendFactor::OneMinusSrc1Alpha => Factor::OneMinusSource1Alpha,
    }
}

/// Depth and stencil tests of a state that asks for none which the targets have nothing for.
pub(crate) fn tests(state: &SetDepthStencil) -> DepthStencilDescriptor {
    let depth = state.depth_test != 0;
    let compare = if depth { state.depth_compare } else { Compare::Always as u8 };
    let face = |face: StencilFace, read_mask: u8, write_mask: u8| {
        (state.stencil_test != 0).then(|| StencilDescriptor {
            compare: crate::resources::sampler::compare(face.compare),
            fail: stencil_operation(face.fail),
            depth_fail: stencil_operation(face.depth_fail),
            pass: stencil_operation(face.pass),
            read_mask: read_mask.into(),
            write_mask: write_mask.into(),
        })
    };
    let own = state.own_back;
    let [back_read, back_write] = match own.enable {
        0 => [state.read_mask, state.write_mask],
        _ => [own.read_mask, own.write_mask],
    };
    DepthStencilDescriptor {
        compare: crate::resources::sampler::compare(compare),
        write: depth && state.depth_write != 0,
        front: face(state.front, state.read_mask, state.write_mask),
        back: face(state.back, back_read, back_write),
    }
}

fn stencil_operation(bits: u8) -> StencilOperation {
    match StencilOp::of(bits) {
        StencilOp::Keep => StencilOperation::Keep,
        StencilOp::Zero => StencilOperation::Zero,
        StencilOp::Replace => StencilOperation::Replace,
        StencilOp::IncrementClamp => StencilOperation::IncrementClamp,
        StencilOp::DecrementClamp => StencilOperation::DecrementClamp,
        StencilOp::Invert => StencilOperation::Invert,
        StencilOp::IncrementWrap => StencilOperation::IncrementWrap,
        StencilOp::DecrementWrap => StencilOperation::DecrementWrap,
    }
}
