//! Draws in two parts, for blend equations that no device has: those that read what is drawn as signed.
//!
//! The shaders of the first part write what is above zero, those of the second what is below, without its sign; one part is
//! added to the target, the other subtracted ([`afterimage_shader::PixelOps::signed_part`]). Such draws are rare enough to
//! apply their state twice.

use crate::renderer::Renderer;
use afterimage_state::{Effect, trace};
use afterimage_stream::packets::{BlendFactor, BlendOp, SetBlend};
use afterimage_stream::{Group, Host};

/// Whether draws must be drawn in two parts, since the device cannot read what it blends as signed.
#[inline]
fn draws_in_parts(blend: &SetBlend) -> bool {
    blend.enable != 0 && blend.logic_op == 0 && BlendOp::of(blend.color_op).is_signed()
}

/// The blend state that draws a part of the fragments: 1 what is above zero, 2 what is below, without its sign; 0 is all, and
/// changes nothing. See [`afterimage_shader::PixelOps::signed_part`].
#[inline]
fn blend_of_part(blend: &SetBlend, part: u8) -> SetBlend {
    let add = match (part, BlendOp::of(blend.color_op)) {
        (1, BlendOp::SignedAdd) | (2, BlendOp::SignedReverseSubtract) => true,
        (1 | 2, _) => false,
        _ => return *blend,
    };
    let op = if add { BlendOp::Add } else { BlendOp::ReverseSubtract } as u8;
    let one = BlendFactor::One as u8;
    SetBlend { src_color: one, dst_color: one, color_op: op, src_alpha: one, dst_alpha: one, alpha_op: op, ..*blend }
}

impl Renderer {
    /// Draws again, for the second part of the fragments. What a draw's own primitives cover several times gets all of the
    /// first part before any of the second.
    #[cold]
    pub(crate) fn draw_second_part(&mut self, draw: impl FnOnce(&mut Self)) {
        let counts = (self.recorder.draws, self.recorder.skipped_draws);
        self.bound.second_part.set(true, &mut self.state.tracker);
        draw(self);
        self.flush_draws();
        self.bound.second_part.set(false, &mut self.state.tracker);
        (self.recorder.draws, self.recorder.skipped_draws) = counts;
    }

    /// The part that comes: 1 or 2, or 0 where draws are drawn as a whole.
    pub(crate) fn part(&self) -> u8 {
        // What is drawn twice would be captured twice.
        let once = self.feedback.is_native();
        let in_parts = draws_in_parts(&self.state.blend) && self.state.blend_targets.is_empty() && !once;
        if in_parts { 1 + u8::from(*self.bound.second_part) } else { 0 }
    }

    /// [`Group::Part`].
    pub(crate) fn apply_part(&mut self) -> Effect {
        let part = self.part();
        self.bound.in_parts = part != 0;
        Effect::of(std::mem::replace(&mut self.bound.shading.runtime.pixel_ops.signed_part, part) != part)
    }

    /// Whether the first of two parts is drawn.
    pub(crate) fn is_first_part(&self) -> bool {
        self.part_drawn() == 1
    }

    /// The part that is drawn, as [`Renderer::part`] says.
    #[inline(always)]
    pub(crate) fn part_drawn(&self) -> u8 {
        trace::read_result::<Host>(Group::Part);
        self.bound.shading.runtime.pixel_ops.signed_part
    }

    /// The blend state of the part that is drawn.
    pub(crate) fn blend(&self) -> SetBlend {
        blend_of_part(&self.state.blend, self.part_drawn())
    }
}
