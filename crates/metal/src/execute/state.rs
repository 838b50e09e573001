//! Dynamic state: each is set where the encoder has another.

use crate::error::Result;
use crate::renderer::Renderer;
use crate::state::bound::Fills;
use crate::state::targets::clip;
use afterimage_metal_calls::{
    CullMode, DepthClipMode, Device, FillMode, PixelFormat, Queue, ScissorRect, StencilReferences, Viewport, Winding,
};
use afterimage_render::dynamic::{DynamicRaster, DynamicTests, PackedRaster};
use afterimage_stream::packets::{Cull, Fill, Rect, SetViewport};

/// The constant part of a depth bias, for a format: Metal multiplies it with the format's smallest step, that of floats in [0.5, 1) where
/// depth is a float (Apple, `setDepthBias:slopeScale:clamp:`), and the stream has it in units of depth.
pub(crate) fn bias_scale(format: Option<PixelFormat>) -> f32 {
    match format {
        Some(PixelFormat::Depth16Unorm) => 65536.0,
        _ => 16_777_216.0,
    }
}

/// Of several viewports and scissor rectangles those that have no pixel lie beside the targets.
const NOWHERE: (Viewport, ScissorRect) =
    (Viewport { origin: [-2.0, 0.0], size: [1.0; 2], depth: [0.0, 1.0] }, ScissorRect { origin: [0; 2], size: [1; 2] });

/// Bounds of depth that are no test: those of a new encoder.
pub(crate) const ALL_DEPTHS: [f32; 2] = [0.0, 1.0];

fn viewport_of(viewport: &SetViewport) -> Viewport {
    Viewport {
        origin: [viewport.x.into(), viewport.y.into()],
        size: [viewport.width.into(), viewport.height.into()],
        depth: [viewport.min_depth.into(), viewport.max_depth.into()],
    }
}

impl<D: Device> Renderer<D> {
    /// The part of the targets that is drawn to; none where there is none.
    pub(crate) fn scissor(&self) -> Option<ScissorRect> {
        let extent = if self.bound.targets.is_empty() { [1, 1] } else { self.bound.targets.extent };
        let rect: Rect = self.state.scissor.rect;
        let several = !self.state.viewports.is_empty();
        clip(&rect, extent).or(several.then_some(NOWHERE.1))
    }

    /// What bounds there are of the depth that is stored.
    #[inline(always)]
    fn depth_bounds(&self) -> Option<[f32; 2]> {
        let bounds = &*self.state.depth_bounds;
        (bounds.enable != 0 && self.bound.targets.depth.is_some()).then_some([bounds.min, bounds.max])
    }

    /// Whether no depth is within its bounds, which Metal does not take.
    #[inline(always)]
    pub(crate) fn nothing_is_within(&self) -> bool {
        self.depth_bounds().is_some_and(|[least, most]| least > most) && self.device.facts().depth_bounds
    }

    /// Whether lines have another width than a pixel.
    pub(crate) fn has_wide_lines(&self) -> bool {
        !matches!(self.state.raster.line_width, 0.0 | 1.0)
    }

    /// Whether there is a viewport that has pixels.
    #[inline(always)]
    pub(crate) fn has_viewport(&self) -> bool {
        let has_pixels = |viewport: &SetViewport| viewport.width > 0.0 && viewport.height > 0.0;
        has_pixels(&self.state.viewport) || self.state.viewports.iter().any(|further| has_pixels(&further.viewport))
    }

    /// Depth and stencil tests, and the references.
    #[inline(always)]
    pub(crate) fn set_tests(&mut self) -> Result {
        if self.state.depth_bounds.enable != 0 || self.bound.recorded.depth_bounds.is_some() {
            self.set_depth_bounds();
        }
        let mut state = *self.state.depth_stencil;
        if self.bound.part == 1 {
            (state.depth_write, state.write_mask, state.own_back.write_mask) = (0, 0, 0);
        }
        let targets = &self.bound.targets;
        let tests = DynamicTests::new(state, targets.depth.is_some(), targets.formats.stencil().is_some());
        let recorded = &mut self.bound.recorded;
        if recorded.tests == Some(tests) {
            return Ok(());
        }
        let made = self.pipelines.tests(&self.device, tests)?;
        if recorded.tests.is_none_or(|before| before.without_references() != tests.without_references()) {
            self.commands.queue.set_depth_stencil(made);
        }
        recorded.tests = Some(tests);
        let state = tests.state();
        if state.stencil_test != 0 {
            let front = state.reference;
            let back = if state.own_back.enable != 0 { state.own_back.reference } else { front };
            let references = StencilReferences { front: front.into(), back: back.into() };
            if recorded.references != Some(references) {
                self.commands.queue.set_stencil_references(references);
                recorded.references = Some(references);
            }
        }
        Ok(())
    }

    /// Everything else.
    pub(crate) fn set_state(&mut self, scissor: ScissorRect, fills: Fills) {
        self.set_viewport();
        self.set_scissor(scissor);
        self.set_blend_color();
        match fills {
            Fills::Same(fill) => self.set_raster(Cull::of(self.state.raster.cull), fill),
            Fills::One(cull, fill) => self.set_raster(cull, fill),
            // Back faces come behind.
            Fills::Apart(front, _) => self.set_raster(Cull::Back, front),
        }
    }

    /// The viewport; if there are several, all of them and their parts of the targets.
    #[inline]
    pub(crate) fn set_viewport(&mut self) {
        if !self.state.viewports.is_empty() {
            return self.set_viewports();
        }
        let viewport = viewport_of(&self.state.viewport);
        let recorded = &mut self.bound.recorded;
        if recorded.viewport.replace(viewport) != Some(viewport) {
            recorded.viewports = Default::default();
            self.commands.queue.set_viewport(viewport);
        }
    }

    /// The part of the targets that is drawn to; with several viewports as [`Self::set_viewport`].
    #[inline]
    pub(crate) fn set_scissor(&mut self, scissor: ScissorRect) {
        if !self.state.viewports.is_empty() {
            return self.set_viewports();
        }
        if self.bound.recorded.scissor.replace(scissor) != Some(scissor) {
            self.commands.queue.set_scissor(scissor);
        }
    }

    #[cold]
    fn set_viewports(&mut self) {
        let extent = self.bound.targets.extent;
        let first = (*self.state.viewport, self.state.scissor.rect);
        let further = self.state.viewports.iter().map(|further| (further.viewport, further.scissor));
        let wanted: (Vec<Viewport>, Vec<ScissorRect>) = std::iter::once(first)
            .chain(further)
            .map(|(viewport, rect)| match clip(&rect, extent) {
                Some(rect) if viewport.width > 0.0 && viewport.height > 0.0 => (viewport_of(&viewport), rect),
                _ => NOWHERE,
            })
            .unzip();
        let recorded = &mut self.bound.recorded;
        if recorded.viewports == wanted {
            return;
        }
        self.commands.queue.set_viewports(&wanted.0);
        self.commands.queue.set_scissors(&wanted.1);
        (recorded.viewport, recorded.scissor, recorded.viewports) = (None, None, wanted);
    }

    /// Bounds of the depth that is stored. They are in order: other draws are not made.
    #[cold]
    fn set_depth_bounds(&mut self) {
        let wanted = self.depth_bounds().unwrap_or(ALL_DEPTHS);
        let recorded = &mut self.bound.recorded.depth_bounds;
        if recorded.unwrap_or(ALL_DEPTHS) == wanted {
            return;
        }
        if !self.device.facts().depth_bounds {
            self.warn_once("depth bounds");
            return;
        }
        *recorded = Some(wanted);
        self.commands.queue.set_depth_bounds(wanted);
    }

    #[inline(always)]
    pub(crate) fn set_blend_color(&mut self) {
        let blends = self.state.blend.enable != 0 || !self.state.blend_targets.is_empty();
        let constant = self.state.blend.constant;
        let bits = constant.map(f32::to_bits);
        if blends && self.bound.recorded.blend_color.replace(bits) != Some(bits) {
            self.commands.queue.set_blend_color(constant);
        }
    }

    /// Which faces are drawn, and how.
    #[inline(always)]
    pub(crate) fn set_raster(&mut self, cull: Cull, fill: Fill) {
        let raster = &*self.state.raster;
        let bias = match raster.bias_enable {
            0 => [0.0; 2],
            _ => [raster.depth_bias * bias_scale(self.bound.targets.formats.depth), raster.slope_bias],
        };
        let packed = PackedRaster::from(DynamicRaster {
            back_fill: None,
            discard: false,
            cull: cull as u8,
            front_ccw: u8::from(raster.front_ccw != 0),
            fill: u8::from(fill == Fill::Line),
            clamp: raster.depth_clip == 0,
            line_width: 1.0,
            bias: [0, bias[0].to_bits(), bias[1].to_bits()],
            sample_mask: (0, 0),
        });
        let (queue, recorded) = (&mut self.commands.queue, &mut self.bound.recorded);
        let PackedRaster { faces, bias: biases, .. } = packed.differing(recorded.raster);
        if faces | biases == 0 {
            return;
        }
        recorded.raster = Some(packed);
        if faces & PackedRaster::CULL != 0 {
            queue.set_cull_mode(match cull {
                Cull::None => CullMode::None,
                Cull::Front => CullMode::Front,
                Cull::Back => CullMode::Back,
            });
        }
        if faces & PackedRaster::FRONT_CCW != 0 {
            queue.set_winding(if raster.front_ccw != 0 { Winding::CounterClockwise } else { Winding::Clockwise });
        }
        if faces & PackedRaster::FILL != 0 {
            queue.set_fill_mode(if fill == Fill::Line { FillMode::Lines } else { FillMode::Fill });
        }
        if faces & PackedRaster::CLAMP != 0 {
            queue.set_depth_clip(if raster.depth_clip != 0 { DepthClipMode::Clip } else { DepthClipMode::Clamp });
        }
        if biases != 0 {
            queue.set_depth_bias(bias[0], bias[1], 0.0);
        }
    }
}
