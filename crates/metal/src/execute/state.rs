//! Dynamic state: each is set where the encoder has another.

use crate::error::Result;
use crate::pipeline::key;
use crate::renderer::Renderer;
use crate::state::bound::Fills;
use crate::state::targets::clip;
use afterimage_metal_calls::{
    CullMode, DepthClipMode, Device, FillMode, PixelFormat, Queue, ScissorRect, StencilReferences, Viewport, Winding,
};
use afterimage_stream::packets::{Cull, Fill, Rect};

/// The constant part of a depth bias, for a format: Metal multiplies it with the format's smallest step, that of floats in [0.5, 1) where
/// depth is a float (Apple, `setDepthBias:slopeScale:clamp:`), and the stream has it in units of depth.
pub(crate) fn bias_scale(format: Option<PixelFormat>) -> f32 {
    match format {
        Some(PixelFormat::Depth16Unorm) => 65536.0,
        _ => 16_777_216.0,
    }
}

impl<D: Device> Renderer<D> {
    /// The part of the targets that is drawn to; none where there is none.
    pub(crate) fn scissor(&self) -> Option<ScissorRect> {
        let extent = if self.bound.targets.is_empty() { [1, 1] } else { self.bound.targets.extent };
        let rect: Rect = self.state.scissor.rect;
        clip(&rect, extent)
    }

    /// Depth and stencil tests, and the references.
    pub(crate) fn set_tests(&mut self) -> Result {
        let mut state = *self.state.depth_stencil;
        if self.bound.part == 1 {
            (state.depth_write, state.write_mask, state.own_back.write_mask) = (0, 0, 0);
        }
        let formats = &self.bound.targets.formats;
        let tests = key::tests(&state, self.bound.targets.depth.is_some(), formats.stencil().is_some());
        if self.bound.recorded.tests != Some(tests) {
            let made = self.pipelines.depth_stencil(&self.device, &tests)?;
            self.commands.queue.set_depth_stencil(&made);
            self.bound.recorded.tests = Some(tests);
        }
        if tests.front.is_some() {
            let front = state.reference;
            let back = if state.own_back.enable != 0 { state.own_back.reference } else { front };
            let references = StencilReferences { front: front.into(), back: back.into() };
            if self.bound.recorded.references != Some(references) {
                self.commands.queue.set_stencil_references(references);
                self.bound.recorded.references = Some(references);
            }
        }
        Ok(())
    }

    /// Everything else.
    pub(crate) fn set_state(&mut self, scissor: ScissorRect, fills: Fills) {
        let (raster, viewport) = (*self.state.raster, *self.state.viewport);
        let blends = self.state.blend.enable != 0 || !self.state.blend_targets.is_empty();
        let constant = self.state.blend.constant;
        let format = self.bound.targets.formats.depth;
        let (queue, recorded) = (&mut self.commands.queue, &mut self.bound.recorded);
        let viewport = Viewport {
            origin: [viewport.x.into(), viewport.y.into()],
            size: [viewport.width.into(), viewport.height.into()],
            depth: [viewport.min_depth.into(), viewport.max_depth.into()],
        };
        if recorded.viewport.replace(viewport) != Some(viewport) {
            queue.set_viewport(viewport);
        }
        if recorded.scissor.replace(scissor) != Some(scissor) {
            queue.set_scissor(scissor);
        }
        let winding = if raster.front_ccw != 0 { Winding::CounterClockwise } else { Winding::Clockwise };
        if recorded.winding.replace(winding) != Some(winding) {
            queue.set_winding(winding);
        }
        let clip = if raster.depth_clip != 0 { DepthClipMode::Clip } else { DepthClipMode::Clamp };
        if recorded.clip.replace(clip) != Some(clip) {
            queue.set_depth_clip(clip);
        }
        let bias = match raster.bias_enable {
            0 => [0.0; 2],
            _ => [raster.depth_bias * bias_scale(format), raster.slope_bias],
        };
        let bits = bias.map(f32::to_bits);
        if recorded.bias.replace(bits) != Some(bits) {
            queue.set_depth_bias(bias[0], bias[1], 0.0);
        }
        let bits = constant.map(f32::to_bits);
        if blends && recorded.blend_color.replace(bits) != Some(bits) {
            queue.set_blend_color(constant);
        }
        match fills {
            Fills::Same(fill) => self.set_faces(Cull::of(raster.cull), fill),
            Fills::One(cull, fill) => self.set_faces(cull, fill),
            // Each is set before it is drawn.
            Fills::Apart(..) => {}
        }
    }

    /// Which faces are drawn, and how.
    pub(crate) fn set_faces(&mut self, cull: Cull, fill: Fill) {
        let (queue, recorded) = (&mut self.commands.queue, &mut self.bound.recorded);
        let cull = match cull {
            Cull::None => CullMode::None,
            Cull::Front => CullMode::Front,
            Cull::Back => CullMode::Back,
        };
        if recorded.cull.replace(cull) != Some(cull) {
            queue.set_cull_mode(cull);
        }
        let fill = if fill == Fill::Line { FillMode::Lines } else { FillMode::Fill };
        if recorded.fill.replace(fill) != Some(fill) {
            queue.set_fill_mode(fill);
        }
    }
}
