//! Packets that set a group of state, one per group, and what they are made of.

use super::check::{Checked, all_below, both_finite, byte, elements, finite, limits, number, positive};
#[allow(unused_imports, reason = "the documentation names the enumerations of some fields")]
use super::*;
use crate::{Cause, ObjectId};
use afterimage_abi::slots::COLOR_TARGETS;
use bytemuck::{Pod, Zeroable};

/// One subresource of a texture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct View {
    /// The texture, or none.
    pub texture: ObjectId,
    /// Mip level.
    pub level: u16,
    /// Layer (cube face) or depth slice.
    pub layer: u16,
}

/// Body of [`Kind::SetRenderTargets`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct SetRenderTargets {
    /// Colour targets; shader output n goes to entry n.
    pub color: [View; 8],
    /// Depth-stencil target.
    pub depth: View,
    /// Bit n: what goes to colour target n is encoded to sRGB: by the format's twin, or, for formats without one of at most ten
    /// bits a channel, in the shader. Others are written as they are.
    pub srgb: u32,
    /// Layers from that of each view on, of which the vertex stage's layer chooses; 0 counts as 1.
    pub layers: u32,
}

/// Body of [`Kind::SetViewport`]. Window coordinates, y down; clip space y up, z 0 to w.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct SetViewport {
    /// Left edge in pixels.
    pub x: f32,
    /// Top edge in pixels.
    pub y: f32,
    /// Pixels.
    pub width: f32,
    /// Pixels.
    pub height: f32,
    /// Depth of clip z = 0, in 0..1.
    pub min_depth: f32,
    /// Depth of clip z = w, in 0..1.
    pub max_depth: f32,
}

impl SetViewport {
    /// Checks what the packet alone can tell.
    #[inline]
    pub(crate) fn check(&self) -> Checked {
        finite("viewport", &[self.x, self.y, self.width, self.height, self.min_depth, self.max_depth])?;
        for depth in [self.min_depth, self.max_depth] {
            if !(0.0..=1.0).contains(&depth) {
                return Err(Cause::Range { field: "min_depth", value: depth.to_bits().into(), limit: 1 });
            }
        }
        Ok(())
    }
}

/// A rectangle in pixels or texels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Rect {
    /// Left edge.
    pub x: i32,
    /// Top edge.
    pub y: i32,
    /// Width.
    pub width: u32,
    /// Height.
    pub height: u32,
}

impl Rect {
    /// Whether nothing is in it.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.width == 0 || self.height == 0
    }
}

/// Body of [`Kind::SetScissor`]. Pixels outside are dropped; a huge rectangle means off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct SetScissor {
    /// The rectangle.
    pub rect: Rect,
}

/// Body of [`Kind::SetViewports`]: the tail is viewports 1 and further, of which the vertex stage's viewport index chooses. None, or no more
/// than the device has ([`crate::DeviceFeatures::VIEWPORTS`]): what lies beyond is drawn with the first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct SetViewports {
    /// Number of viewports beside the first, at most 15.
    pub count: u32,
    /// Zero.
    pub pad: u32,
}

/// A viewport beside the first: an element of [`SetViewports`]' tail.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct FurtherViewport {
    /// The viewport.
    pub viewport: SetViewport,
    /// Pixels outside are dropped; [`SetScissor`] is of the first viewport alone.
    pub scissor: Rect,
}

/// Body of [`Kind::SetDepthBounds`]: before the depth test of a pixel, that of the depth stored there. Where the device has no such test
/// ([`crate::DeviceFeatures::DEPTH_BOUNDS`]), there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct SetDepthBounds {
    /// 1: pixels where the stored depth is not from `min` to `max` are dropped.
    pub enable: u32,
    /// 0 to 1.
    pub min: f32,
    /// 0 to 1.
    pub max: f32,
    /// Zero.
    pub pad: u32,
}

impl SetDepthBounds {
    /// Checks what the packet alone can tell.
    pub(crate) fn check(&self) -> Checked {
        number("enable", self.enable, 1)?;
        positive("min", self.min, 1.0)?;
        positive("max", self.max, 1.0)
    }
}

/// Body of [`Kind::SetRaster`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct SetRaster {
    /// [`Cull`].
    pub cull: u8,
    /// 1: counter-clockwise triangles (in window space, y down) face front.
    pub front_ccw: u8,
    /// [`Fill`] of front faces.
    pub fill: u8,
    /// [`Fill`] of back faces. Where it is not that of front faces and no face is culled, each draw draws its front faces
    /// first, then its back faces.
    pub fill_back: u8,
    /// 0: depth is clamped instead of clipped.
    pub depth_clip: u8,
    /// 1: `depth_bias` and `slope_bias` apply.
    pub bias_enable: u8,
    /// [`LineMode`].
    pub line_mode: u8,
    /// [`Provoking`].
    pub provoking: u8,
    /// Constant depth bias in units of depth 0..1 (not of the format's steps).
    pub depth_bias: f32,
    /// Slope-scaled depth bias.
    pub slope_bias: f32,
    /// Point size where the shader writes none, pixels.
    pub point_size: f32,
    /// Bit n: sample n may be written.
    pub sample_mask: u32,
    /// Smallest point size, pixels.
    pub point_size_min: f32,
    /// Largest point size, pixels; 0 is the device's.
    pub point_size_max: f32,
    /// Width of lines, pixels; 0 counts as 1, and the device's range limits it.
    pub line_width: f32,
    /// 1: alpha of the first colour target says how many of a pixel's samples are written. Only where there are several.
    pub alpha_to_coverage: u8,
    /// 1: nothing is rasterised. What shaders store and capture is.
    pub discard: u8,
    /// Zero.
    pub pad: [u8; 2],
}

impl SetRaster {
    /// Bits of fields in the first of the five words that the body is.
    pub(crate) const CULL: u64 = u64::from_ne_bytes([0xff, 0, 0, 0, 0, 0, 0, 0]);
    /// The fields that are dynamic state and no part of pipelines: `cull`, `front_ccw`, `bias_enable`.
    pub(crate) const FACES: u64 = u64::from_ne_bytes([0xff, 0xff, 0, 0, 0, 0xff, 0, 0]);
    /// `depth_clip` and `bias_enable`, which any byte is good for.
    const ANY: u64 = u64::from_ne_bytes([0, 0, 0, 0, 0xff, 0xff, 0, 0]);

    /// Checks what the packet alone can tell.
    #[inline(always)]
    pub(crate) fn check(&self) -> Checked {
        const FIRST: u64 = limits([
            Cull::ALL.len(),
            2,
            Fill::ALL.len(),
            Fill::ALL.len(),
            1,
            1,
            LineMode::ALL.len(),
            Provoking::ALL.len(),
        ]);
        let words: &[u64; 5] = bytemuck::cast_ref(self);
        let floats = both_finite(words[1])
            & both_finite(words[3])
            & self.point_size.is_finite()
            & (self.line_width.to_bits() <= f32::MAX.to_bits());
        let flags = (self.alpha_to_coverage | self.discard) < 2;
        // A word at a time, and by name where something is wrong.
        if all_below(words[0] & !Self::ANY, FIRST) & floats & flags { Ok(()) } else { self.check_each() }
    }

    #[cold]
    #[inline(never)]
    fn check_each(&self) -> Checked {
        byte("cull", self.cull, Cull::ALL.len())?;
        byte("front_ccw", self.front_ccw, 2)?;
        byte("fill", self.fill, Fill::ALL.len())?;
        byte("fill_back", self.fill_back, Fill::ALL.len())?;
        byte("line_mode", self.line_mode, LineMode::ALL.len())?;
        byte("provoking", self.provoking, Provoking::ALL.len())?;
        byte("alpha_to_coverage", self.alpha_to_coverage, 2)?;
        byte("discard", self.discard, 2)?;
        positive("line_width", self.line_width, f32::MAX)?;
        finite("point_size", &[self.point_size, self.point_size_min, self.point_size_max])?;
        finite("depth_bias", &[self.depth_bias, self.slope_bias])
    }
}

/// One face's stencil state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct StencilFace {
    /// [`Compare`]: reference OP stored.
    pub compare: u8,
    /// [`StencilOp`] when the stencil test fails.
    pub fail: u8,
    /// [`StencilOp`] when the depth test fails.
    pub depth_fail: u8,
    /// [`StencilOp`] when both pass.
    pub pass: u8,
}

/// Body of [`Kind::SetDepthStencil`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct SetDepthStencil {
    /// 1: depth is tested (and, if `depth_write`, written).
    pub depth_test: u8,
    /// 1: depth is written.
    pub depth_write: u8,
    /// [`Compare`].
    pub depth_compare: u8,
    /// 1: stencil is tested and written.
    pub stencil_test: u8,
    /// Front faces.
    pub front: StencilFace,
    /// Back faces.
    pub back: StencilFace,
    /// Reference value.
    pub reference: u8,
    /// Bits that are compared.
    pub read_mask: u8,
    /// Bits that are written.
    pub write_mask: u8,
    /// Zero.
    pub pad: u8,
    /// What back faces have instead of these three.
    pub own_back: StencilBack,
}

impl SetDepthStencil {
    /// Bits of [`SetDepthStencil::depth_test`] in the first of the three words that the body is.
    pub const DEPTH_TEST: u64 = u64::from_ne_bytes([0xff, 0, 0, 0, 0, 0, 0, 0]);
    /// Bits of [`SetDepthStencil::stencil_test`], likewise.
    pub const STENCIL_TEST: u64 = u64::from_ne_bytes([0, 0, 0, 0xff, 0, 0, 0, 0]);

    /// Checks what the packet alone can tell.
    #[inline(always)]
    pub(crate) fn check(&self) -> Checked {
        const COMPARE: usize = Compare::ALL.len();
        const OP: usize = StencilOp::ALL.len();
        // Of the first word the second half and the comparison, of the second the first half, of the third the first byte.
        const FIRST: u64 = limits([1, 1, COMPARE, 1, COMPARE, OP, OP, OP]);
        const COUNTS: u64 = u64::from_ne_bytes([0, 0, 0xff, 0, 0xff, 0xff, 0xff, 0xff]);
        const BACK: u64 = limits([COMPARE, OP, OP, OP, 1, 1, 1, 1]);
        const FACE: u64 = u64::from_ne_bytes([0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]);
        let words: &[u64; 3] = bytemuck::cast_ref(self);
        let fine = all_below(words[0] & COUNTS, FIRST) & all_below(words[1] & FACE, BACK) & (self.own_back.enable < 2);
        if fine { Ok(()) } else { self.check_each() }
    }

    #[cold]
    #[inline(never)]
    fn check_each(&self) -> Checked {
        byte("depth_compare", self.depth_compare, Compare::ALL.len())?;
        for face in [self.front, self.back] {
            byte("compare", face.compare, Compare::ALL.len())?;
            byte("fail", face.fail, StencilOp::ALL.len())?;
            byte("depth_fail", face.depth_fail, StencilOp::ALL.len())?;
            byte("pass", face.pass, StencilOp::ALL.len())?;
        }
        byte("enable", self.own_back.enable, 2)
    }
}

/// Reference value and masks of back faces, where they are not those of front faces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct StencilBack {
    /// 1: back faces have these values; 0: those of the front.
    pub enable: u8,
    /// Reference value.
    pub reference: u8,
    /// Bits that are compared.
    pub read_mask: u8,
    /// Bits that are written.
    pub write_mask: u8,
    /// Zero.
    pub pad: [u8; 4],
}

/// Body of [`Kind::SetBlend`]; the tail is one element for each of the first targets, none to have all as the body says. Targets past
/// the tail, constant and logical operation are those of the body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct SetBlend {
    /// 1: blending is on for every target.
    pub enable: u8,
    /// [`BlendFactor`].
    pub src_color: u8,
    /// [`BlendFactor`].
    pub dst_color: u8,
    /// [`BlendOp`].
    pub color_op: u8,
    /// [`BlendFactor`].
    pub src_alpha: u8,
    /// [`BlendFactor`].
    pub dst_alpha: u8,
    /// [`BlendOp`].
    pub alpha_op: u8,
    /// [`LogicOp`]: unless it is off, nothing is blended.
    pub logic_op: u8,
    /// Per colour target: bits 0 to 3 write red to alpha.
    pub write_masks: [u8; 8],
    /// Red to alpha of the constant blend factors.
    pub constant: [f32; 4],
    /// Number of targets that blend in a way of their own, at most 8.
    pub count: u32,
    /// Zero.
    pub pad: u32,
}

impl SetBlend {
    /// Checks what the packet alone can tell.
    #[inline(always)]
    pub(crate) fn check(&self, targets: &[BlendTarget]) -> Checked {
        const FACTOR: usize = BlendFactor::ALL.len();
        // Of those that read targets as signed both must be the same.
        const PLAIN: usize = BlendOp::SignedAdd as usize;
        const FIRST: u64 = limits([1, FACTOR, FACTOR, PLAIN, FACTOR, FACTOR, PLAIN, LogicOp::ALL.len()]);
        const ENABLE: u64 = u64::from_ne_bytes([0xff, 0, 0, 0, 0, 0, 0, 0]);
        let words: &[u64; 5] = bytemuck::cast_ref(self);
        let fine = all_below(words[0] & !ENABLE, FIRST) & (self.count == 0) & targets.is_empty();
        if fine { Ok(()) } else { self.check_each(targets) }
    }

    #[cold]
    #[inline(never)]
    fn check_each(&self, targets: &[BlendTarget]) -> Checked {
        for factor in [self.src_color, self.dst_color, self.src_alpha, self.dst_alpha] {
            byte("factor", factor, BlendFactor::ALL.len())?;
        }
        byte("color_op", self.color_op, BlendOp::ALL.len())?;
        byte("alpha_op", self.alpha_op, BlendOp::ALL.len())?;
        let signed = |op| BlendOp::of(op).is_signed();
        if (signed(self.color_op) || signed(self.alpha_op)) && self.color_op != self.alpha_op {
            let (value, limit) = (self.alpha_op.into(), self.color_op.into());
            return Err(Cause::Range { field: "alpha_op", value, limit });
        }
        byte("logic_op", self.logic_op, LogicOp::ALL.len())?;
        elements(0u32, self.count, COLOR_TARGETS)?;
        targets.iter().try_for_each(BlendTarget::check)
    }
}

/// Blending of one target: an element of [`SetBlend`]'s tail. The fields are as in [`SetBlend`], whose signed operations
/// there are not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Pod, Zeroable)]
#[repr(C)]
pub struct BlendTarget {
    /// 1: blending is on.
    pub enable: u8,
    /// [`BlendFactor`].
    pub src_color: u8,
    /// [`BlendFactor`].
    pub dst_color: u8,
    /// [`BlendOp`].
    pub color_op: u8,
    /// [`BlendFactor`].
    pub src_alpha: u8,
    /// [`BlendFactor`].
    pub dst_alpha: u8,
    /// [`BlendOp`].
    pub alpha_op: u8,
    /// Bits 0 to 3 write red to alpha.
    pub write_mask: u8,
}

impl BlendTarget {
    /// Checks what the packet alone can tell.
    #[inline]
    pub(crate) fn check(&self) -> Checked {
        byte("enable", self.enable, 2)?;
        for factor in [self.src_color, self.dst_color, self.src_alpha, self.dst_alpha] {
            byte("factor", factor, BlendFactor::ALL.len())?;
        }
        byte("color_op", self.color_op, BlendOp::SignedAdd as usize)?;
        byte("alpha_op", self.alpha_op, BlendOp::SignedAdd as usize)?;
        byte("write_mask", self.write_mask, 16)
    }
}

/// Body of [`Kind::SetPixelOps`]: what older pipelines do to a pixel shader's result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct SetPixelOps {
    /// [`Compare`] of alpha against `alpha_ref`; [`Compare::Always`] is off.
    pub alpha_compare: u8,
    /// [`FogMode`].
    pub fog: u8,
    /// 1: colours are not interpolated.
    pub flat: u8,
    /// 1: points carry texture coordinates across their area.
    pub point_sprite: u8,
    /// Bit n: user clip plane n (system constants) is on.
    pub clip_planes: u8,
    /// Bit n: shaders whose lookups do not say so divide the coordinates of pixel slot n by the fourth.
    pub projected: u8,
    /// Zero.
    pub pad: [u8; 2],
    /// 0 to 1.
    pub alpha_ref: f32,
    /// Fog start, or density for the exponential modes.
    pub fog_start: f32,
    /// Fog end.
    pub fog_end: f32,
    /// Zero.
    pub pad2: f32,
    /// Red to alpha.
    pub fog_color: [f32; 4],
}

impl SetPixelOps {
    /// Checks what the packet alone can tell.
    #[inline]
    pub(crate) fn check(&self) -> Checked {
        byte("alpha_compare", self.alpha_compare, Compare::ALL.len())?;
        byte("fog", self.fog, FogMode::ALL.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytemuck::{bytes_of, bytes_of_mut};

    /// Bits of floats that a check might take for others.
    const FLOATS: [u32; 9] =
        [0, 0x8000_0000, 1, 0x7f7f_ffff, 0xff7f_ffff, 0x7f80_0000, 0xff80_0000, 0x7f80_0001, 0xffff_ffff];

    /// Every byte of a body has every value, and every four of them those of [`FLOATS`]: how many each way of checking refuses.
    fn checks_agree<T: Pod + Default>(check: impl Fn(&T) -> Checked, each: impl Fn(&T) -> Checked) -> usize {
        let mut refused = 0;
        let mut compare = |body: &T| {
            let said = check(body);
            assert_eq!(said, each(body), "{:?}", bytes_of(body));
            refused += usize::from(said.is_err());
        };
        for at in 0..size_of::<T>() {
            for value in 0..=u8::MAX {
                let mut body = T::default();
                bytes_of_mut(&mut body)[at] = value;
                compare(&body);
                // Carries of one byte must not excuse, or accuse, its neighbours.
                for other in [at.wrapping_sub(1), at + 1].into_iter().filter(|other| *other < size_of::<T>()) {
                    for beside in [1, 0x7f, 0x80, 0xff] {
                        let mut body = body;
                        bytes_of_mut(&mut body)[other] = beside;
                        compare(&body);
                    }
                }
            }
        }
        for at in (0..size_of::<T>()).step_by(4) {
            for bits in FLOATS {
                let mut body = T::default();
                bytes_of_mut(&mut body)[at..at + 4].copy_from_slice(&bits.to_ne_bytes());
                compare(&body);
            }
        }
        refused
    }

    #[test]
    fn words_are_checked_as_their_fields_are() {
        assert!(checks_agree(SetRaster::check, SetRaster::check_each) > 1000);
        assert!(checks_agree(SetDepthStencil::check, SetDepthStencil::check_each) > 1000);
        assert!(checks_agree(|blend: &SetBlend| blend.check(&[]), |blend| blend.check_each(&[])) > 1000);
        let signed = BlendOp::ALL.iter().position(|op| op.is_signed());
        assert_eq!(signed, Some(BlendOp::SignedAdd as usize), "what is below is checked in one word");
        let bad = BlendTarget { color_op: u8::MAX, ..BlendTarget::default() };
        assert!(SetBlend { count: 1, ..SetBlend::default() }.check(&[bad]).is_err());
    }
}
