//! Dynamic state: what is set in the command buffer and is no part of pipelines. Each setter compares with what the
//! command buffer has.

use crate::commands::list::{Call, rect_words, viewport_words};
use crate::device::gpu::Gpu;
use crate::pipeline::{key, raster};
use crate::renderer::Renderer;
use crate::resources::sampler::compare;
use crate::state::dynamic::DynamicBlend;
use afterimage_render::dynamic::{DynamicRaster, DynamicTests, PackedRaster};
use afterimage_state::{Effect, trace};
use afterimage_stream::host::RasterStates;
use afterimage_stream::packets::{
    Cull, Fill, FurtherViewport, SetBlend, SetDepthBounds, SetDepthStencil, SetRaster, SetViewport, StencilFace,
    StencilOp, Topology,
};
use afterimage_stream::{Group, Host, VIEWPORTS};
use ash::vk;
use smallvec::SmallVec;

/// What dynamic state comes of.
pub(crate) const RASTER: [u32; 2] = [RasterStates::FACES, RasterStates::PRIMITIVES];

impl Renderer {
    /// Write masks of the present pixel shader.
    #[inline(always)]
    pub(crate) fn write_masks(&self, blend: &SetBlend) -> [u8; 8] {
        key::written_masks(&self.gpu.profile, blend, self.bound.shading.written)
    }

    /// [`Group::Topology`].
    pub(crate) fn apply_topology(&mut self) -> Effect {
        self.commands();
        let topology = Topology::of(*self.bound.topology as u8);
        let restart = self.restarts(topology);
        if !restart && self.state.index_buffer.restart != 0 {
            self.warn_once(
                "restart",
                "lists with an index that begins anew (the device does not look for it in lists)",
            );
        }
        self.set_topology(topology, restart);
        Effect::Same
    }

    /// Whether the greatest index begins anew with a topology.
    pub(crate) fn restarts(&self, topology: Topology) -> bool {
        use Topology as T;
        let strip = matches!(
            topology,
            T::LineStrip | T::TriangleStrip | T::TriangleFan | T::LineStripAdjacency | T::TriangleStripAdjacency
        );
        self.state.index_buffer.restart != 0 && (strip || self.gpu.profile.list_restart)
    }

    #[inline]
    pub(crate) fn set_topology(&mut self, topology: Topology, restart: bool) {
        if self.bound.recorded.restart != Some(restart) {
            self.bound.recorded.restart = Some(restart);
            self.stats.calls.made += 1;
            self.recorder.call(Call::Restart(restart));
        }
        if self.bound.recorded.topology != Some(topology as u32) {
            self.bound.recorded.topology = Some(topology as u32);
            self.stats.calls.made += 1;
            self.recorder.call(Call::Topology(raster::topology(topology)));
        }
    }

    /// [`Group::Viewport`].
    pub(crate) fn apply_viewport(&mut self) -> Effect {
        self.commands();
        let viewport = *self.state.viewport;
        if self.further_viewports() == 0 {
            self.set_viewport(viewport);
        } else {
            self.set_viewports(viewport);
        }
        Effect::Same
    }

    /// How many viewports there are beside the first.
    #[inline(always)]
    pub(crate) fn further_viewports(&self) -> usize {
        let wanted = self.state.viewports.len();
        if self.gpu.profile.shaders.output_viewport { wanted } else { 0 }
    }

    #[cold]
    fn set_viewports(&mut self, first: SetViewport) {
        let further = self.state.viewports.iter().map(|further| further.viewport);
        let all: SmallVec<[SetViewport; VIEWPORTS]> = std::iter::once(first).chain(further).collect();
        if self.bound.recorded.viewport == Some(first) && self.bound.recorded.viewports == all[1..] {
            return;
        }
        (self.bound.recorded.viewport, self.bound.recorded.viewports) = (Some(first), all[1..].to_vec());
        self.stats.calls.made += 1;
        let words: Vec<u32> = all.iter().flat_map(|v| viewport_words(&self.host_viewport(v))).collect();
        let at = self.recorder.store(words);
        self.recorder.call(Call::Viewports { at, count: all.len() as u8 });
    }

    /// One viewport.
    pub(crate) fn set_viewport(&mut self, v: SetViewport) {
        if self.bound.recorded.viewport == Some(v) && self.bound.recorded.viewports.is_empty() {
            return;
        }
        self.bound.recorded.viewport = Some(v);
        self.bound.recorded.viewports.clear();
        self.stats.calls.made += 1;
        let viewport = self.host_viewport(&v);
        // The validator has checked the depths, the rest is within the device's bounds.
        self.recorder.call(Call::Viewport(viewport));
    }

    fn host_viewport(&self, v: &SetViewport) -> vk::Viewport {
        // Guests' clip space has y up: the viewport is upside down.
        let viewport = vk::Viewport {
            x: v.x,
            y: v.y + v.height,
            // Where nothing is rasterised there may be nothing to rasterise to.
            width: v.width.max(1.0),
            height: -v.height,
            min_depth: v.min_depth,
            max_depth: v.max_depth,
        };
        // Of several, those that are empty lie beside the targets.
        let is_empty = v.width <= 0.0 || v.height <= 0.0;
        self.within_bounds(if is_empty { vk::Viewport { x: -2.0, ..viewport } } else { viewport })
    }

    /// The nearest viewport that the device has. Those of guests are within the bounds of all devices unless they lie far outside of
    /// every target.
    fn within_bounds(&self, v: vk::Viewport) -> vk::Viewport {
        let limits = &self.gpu.profile.limits;
        let ([widest, highest], [low, high]) = (limits.max_viewport_dimensions, limits.viewport_bounds_range);
        let width = v.width.min(widest as f32);
        let height = v.height.max(-(highest as f32));
        let x = v.x.min(high - width).max(low);
        let y = v.y.min(high).max(low - height);
        if (x, y, width, height) != (v.x, v.y, v.width, v.height) {
            tracing::warn!(
                "a viewport is outside of the device's bounds, {low} to {high}, and is moved into them: {v:?}"
            );
        }
        vk::Viewport { x, y, width, height, ..v }
    }

    /// The scissor rectangle, inside of the targets.
    pub(crate) fn scissor(&self) -> vk::Rect2D {
        trace::read_result::<Host>(Group::Targets);
        crate::state::targets::clip(&self.state.scissor.rect, self.bound.targets.extent).unwrap_or_default()
    }

    /// The scissor rectangles of further viewports, inside of the targets.
    pub(crate) fn further_scissors(&self) -> Vec<vk::Rect2D> {
        trace::read_result::<Host>(Group::Targets);
        let clip = |further: &FurtherViewport| {
            crate::state::targets::clip(&further.scissor, self.bound.targets.extent).unwrap_or_default()
        };
        self.state.viewports.iter().take(self.further_viewports()).map(clip).collect()
    }

    /// [`Group::Scissor`].
    pub(crate) fn apply_scissor(&mut self) -> Effect {
        self.commands();
        let rect = self.scissor();
        let further = if self.further_viewports() == 0 { Vec::new() } else { self.further_scissors() };
        if self.bound.recorded.scissor != Some(rect) || self.bound.recorded.scissors != further {
            self.stats.calls.made += 1;
            // Inside of the targets.
            if further.is_empty() {
                self.recorder.call(Call::Scissor(rect));
            } else {
                let at = self.recorder.store(std::iter::once(&rect).chain(&further).flat_map(rect_words));
                self.recorder.call(Call::Scissors { at, count: 1 + further.len() as u8 });
            }
            (self.bound.recorded.scissor, self.bound.recorded.scissors) = (Some(rect), further);
        }
        Effect::Same
    }

    /// Rasterising as far as it is dynamic state.
    #[inline(always)]
    pub(crate) fn dynamic_raster(&mut self, state: &SetRaster) -> DynamicRaster {
        trace::read_result::<Host>(Group::RasterKey);
        trace::read_result::<Host>(Group::Targets);
        // What is drawn twice would be captured twice.
        let faces_apart = raster::draws_faces_apart(&self.gpu.profile, state) && !self.feedback.is_native();
        let quads = self.bound.key.raster.line_quads();
        let (cull, front_ccw) = match (quads, faces_apart) {
            // Lines face front, and so do the triangles that stand for them.
            (true, _) => (Cull::None as u8, 1),
            // Of faces that are drawn apart, the front ones come first.
            (_, true) => (Cull::Back as u8, state.front_ccw),
            _ => (state.cull, state.front_ccw),
        };
        let constant = match state.depth_bias {
            0.0 => 0.0,
            bias => bias * self.gpu.profile.depth_bias_scale(self.bound.targets.depth_bits),
        };
        DynamicRaster {
            back_fill: faces_apart.then_some(state.fill_back),
            discard: state.discard != 0,
            cull,
            front_ccw,
            fill: if quads { Fill::Solid as u8 } else { raster::fill(state) },
            clamp: state.depth_clip == 0 && self.gpu.profile.depth_clamp,
            line_width: self.line_width(state.line_width),
            bias: [u32::from(state.bias_enable != 0), constant.to_bits(), state.slope_bias.to_bits()],
            sample_mask: (state.sample_mask, self.bound.targets.formats.samples.max(1)),
        }
    }

    /// [`Group::Raster`].
    pub(crate) fn apply_raster(&mut self) -> Effect {
        self.commands();
        let state = *self.state.raster.parts(RASTER);
        let raster = self.dynamic_raster(&state);
        self.set_raster(raster);
        Effect::Same
    }

    #[inline(always)]
    pub(crate) fn set_raster(&mut self, new: DynamicRaster) {
        let packed = PackedRaster::from(new);
        let PackedRaster { faces, line_width, bias, sample_mask } = packed.differing(self.bound.recorded.raster);
        if faces | line_width | bias | sample_mask == 0 {
            return;
        }
        self.bound.recorded.raster = Some(packed);
        let (made, recorder) = (&mut self.stats.calls.made, &mut self.recorder);
        let mut call = |call: Call| {
            *made += 1;
            recorder.call(call);
        };
        if faces & PackedRaster::DISCARD != 0 {
            call(Call::Discard(new.discard));
        }
        if faces & PackedRaster::CULL != 0 {
            call(Call::Cull(cull_mode(new.cull)));
        }
        if faces & PackedRaster::FRONT_CCW != 0 {
            let ccw = new.front_ccw != 0;
            call(Call::FrontFace(if ccw { vk::FrontFace::COUNTER_CLOCKWISE } else { vk::FrontFace::CLOCKWISE }));
        }
        if line_width != 0 {
            call(Call::LineWidth(new.line_width));
        }
        let [enable, constant, slope] = new.bias;
        if faces & PackedRaster::BIAS != 0 {
            call(Call::DepthBiasEnable(enable != 0));
        }
        if bias != 0 {
            call(Call::DepthBias([constant, slope].map(f32::from_bits)));
        }
        let has = self.gpu.profile.dynamic_state3;
        if has.polygon_mode & (faces & PackedRaster::FILL != 0) {
            call(Call::PolygonMode(raster::polygon_mode(&self.gpu, new.fill)));
        }
        if has.depth_clamp & (faces & PackedRaster::CLAMP != 0) {
            call(Call::DepthClamp(new.clamp));
        }
        if has.sample_mask & (sample_mask != 0) {
            let (mask, samples) = new.sample_mask;
            call(Call::SampleMask(vk::SampleCountFlags::from_raw(samples), mask));
        }
    }

    /// The width that a line gets on this device. Triangles that stand for lines have any width.
    #[inline(always)]
    fn line_width(&mut self, wanted: f32) -> f32 {
        let is_one = wanted == 0.0 || wanted == 1.0 || self.bound.key.raster.line_quads();
        if is_one { 1.0 } else { self.wide_line(wanted) }
    }

    #[cold]
    #[inline(never)]
    fn wide_line(&mut self, wanted: f32) -> f32 {
        let [least, most] = self.gpu.profile.line_widths;
        if wanted < least || wanted > most {
            self.warn_once("line width", &format!("lines of {wanted} pixels (the device has {least} to {most})"));
        }
        wanted.clamp(least, most)
    }

    /// Turns from the front faces of a draw, which are filled in one way, to its back faces, or back.
    pub(crate) fn set_face(&mut self, back: bool) {
        // The state may be another by now, that of draws to come.
        let raster = self.bound.recorded.raster.map(PackedRaster::get);
        let Some(DynamicRaster { fill, back_fill: Some(back_fill), .. }) = raster else { return };
        let (cull, fill) = if back { (Cull::Front, back_fill) } else { (Cull::Back, fill) };
        self.recorder.call(Call::Cull(cull_mode(cull as u8)));
        self.recorder.call(if self.gpu.profile.dynamic_state3.polygon_mode {
            Call::PolygonMode(raster::polygon_mode(&self.gpu, fill))
        } else {
            Call::Pipeline(if back { self.bound.back_pipeline } else { self.bound.recorded.pipeline })
        });
    }

    /// Depth and stencil tests of draws.
    #[inline(always)]
    pub(crate) fn tests(&self) -> DynamicTests {
        if self.is_first_part() { self.tests_of_first_part() } else { self.tests_of(*self.state.depth_stencil) }
    }

    #[cold]
    #[inline(never)]
    fn tests_of_first_part(&self) -> DynamicTests {
        let mut state = *self.state.depth_stencil;
        // The second part is tested against the same, and leaves what the draw leaves.
        (state.depth_write, state.write_mask, state.own_back.write_mask) = (0, 0, 0);
        self.tests_of(state)
    }

    /// Those of tests that the targets can be tested by.
    #[inline(always)]
    pub(crate) fn tests_of(&self, state: SetDepthStencil) -> DynamicTests {
        trace::read_result::<Host>(Group::Targets);
        let formats = &self.bound.targets.formats;
        let (depth, stencil) = (formats.depth, formats.stencil());
        DynamicTests::new(state, depth != vk::Format::UNDEFINED, stencil != vk::Format::UNDEFINED)
    }

    /// [`Group::DepthStencil`].
    pub(crate) fn apply_depth_stencil(&mut self) -> Effect {
        self.commands();
        let tests = self.tests();
        self.set_tests(tests);
        let bounds = *self.state.depth_bounds;
        self.set_depth_bounds(bounds);
        Effect::Same
    }

    /// Sets depth bounds, where the device has them.
    #[inline(always)]
    pub(crate) fn set_depth_bounds(&mut self, bounds: SetDepthBounds) {
        if self.bound.recorded.depth_bounds != Some(bounds) {
            self.put_depth_bounds(bounds);
        }
    }

    #[cold]
    fn put_depth_bounds(&mut self, bounds: SetDepthBounds) {
        let before = self.bound.recorded.depth_bounds.replace(bounds);
        let on = bounds.enable != 0;
        if !self.gpu.profile.depth_bounds {
            if on {
                self.warn_once("depth bounds", "pixels outside of them (the device has no depthBounds)");
            }
            return;
        }
        if before.is_none_or(|before| (before.enable != 0) != on) {
            self.stats.calls.made += 1;
            self.recorder.call(Call::DepthBoundsTest(on));
        }
        let range = |bounds: SetDepthBounds| [bounds.min, bounds.max];
        if before.is_none_or(|before| range(before) != range(bounds)) {
            self.stats.calls.made += 1;
            self.recorder.call(Call::DepthBounds(range(bounds)));
        }
    }

    #[inline(always)]
    pub(crate) fn set_tests(&mut self, tests: DynamicTests) {
        let before = self.bound.recorded.tests;
        if before == Some(tests) {
            return;
        }
        self.bound.recorded.tests = Some(tests);
        let state = tests.state();
        let (all, was) = (before.is_none(), before.map_or(state, DynamicTests::state));
        let (back, back_changed) = (state.own_back, was.own_back != state.own_back);
        let (made, recorder) = (&mut self.stats.calls.made, &mut self.recorder);
        let mut set = |differs: bool, call: Call| {
            if all | differs {
                *made += 1;
                recorder.call(call);
            }
        };
        let written = |state: &SetDepthStencil| state.depth_write != 0 && state.depth_test != 0;
        set(was.depth_test != state.depth_test, Call::DepthTest(state.depth_test != 0));
        set(written(&was) != written(&state), Call::DepthWrite(written(&state)));
        set(was.depth_compare != state.depth_compare, Call::DepthCompare(compare(state.depth_compare)));
        set(was.stencil_test != state.stencil_test, Call::StencilTest(state.stencil_test != 0));
        let (front, both) = (vk::StencilFaceFlags::FRONT, vk::StencilFaceFlags::FRONT_AND_BACK);
        for (face, old, new) in [(front, was.front, state.front), (vk::StencilFaceFlags::BACK, was.back, state.back)] {
            set(old != new, stencil_ops(face, new));
        }
        let mask = (was.read_mask != state.read_mask) | back_changed;
        set(mask, Call::StencilCompareMask(both, state.read_mask.into()));
        let mask = (was.write_mask != state.write_mask) | back_changed;
        set(mask, Call::StencilWriteMask(both, state.write_mask.into()));
        let value = (was.reference != state.reference) | back_changed;
        set(value, Call::StencilReference(both, state.reference.into()));
        if back.enable != 0 {
            let face = vk::StencilFaceFlags::BACK;
            recorder.call(Call::StencilCompareMask(face, back.read_mask.into()));
            recorder.call(Call::StencilWriteMask(face, back.write_mask.into()));
            recorder.call(Call::StencilReference(face, back.reference.into()));
        }
    }

    /// Blending as far as it is dynamic state.
    #[inline(always)]
    pub(crate) fn dynamic_blend(&self) -> DynamicBlend {
        trace::read_result::<Host>(Group::Targets);
        trace::read_result::<Host>(Group::Variants);
        let part = self.part_drawn();
        let mut blend = if part == 0 {
            let state = &*self.state.blend;
            self.blend_of(state, self.write_masks(state))
        } else {
            let state = self.blend();
            self.blend_of(&state, self.write_masks(&state))
        };
        if !self.state.blend_targets.is_empty() && self.gpu.profile.dynamic_state3.blend {
            let outputs = self.bound.shading.pixel.as_ref().map_or(0, |pixel| pixel.outputs);
            let own = key::targets_of(&self.gpu.profile, &self.state.blend_targets, outputs);
            let mut equations = Box::new([blend.equation; 8]);
            for (index, target) in own.take(self.bound.targets.formats.color_count()).enumerate() {
                let enable = target.enable & self.bound.targets.blendable >> index & 1;
                blend.enable = blend.enable & !(1 << index) | enable << index;
                equations[index] = key::packed(key::equation_of(&target));
                let mask = |mask: u8| u64::from(mask) << (8 * index);
                blend.masks = blend.masks & !mask(u8::MAX) | mask(target.write_mask);
            }
            blend.own = Some(equations);
        }
        blend
    }

    /// Of a blend state that all targets have; `masks` are those of [`Renderer::write_masks`].
    #[inline(always)]
    pub(crate) fn blend_of(&self, state: &SetBlend, masks: [u8; 8]) -> DynamicBlend {
        let words: &[u64; 5] = bytemuck::cast_ref(state);
        let (logic_op, constant, blends) = (state.logic_op, [words[2], words[3]], state.enable != 0);
        if !self.gpu.profile.dynamic_state3.blend {
            return DynamicBlend { logic_op, constant, blends, ..DynamicBlend::default() };
        }
        // Every pipeline has as many attachments as the targets have. Those without any want the state all the same.
        let count = self.bound.targets.formats.color_count().max(1) as u8;
        DynamicBlend {
            logic_op,
            constant,
            count,
            blends,
            enable: if blends { self.bound.targets.blendable } else { 0 },
            equation: key::equation_word(state),
            own: None,
            masks: DynamicBlend::masks(masks, count),
        }
    }

    /// The calls that make the command buffer have a blend state: bits of [`DynamicBlend`].
    #[inline(always)]
    pub(crate) fn blend_calls(&self, new: &DynamicBlend) -> u8 {
        let call = |call: u8, is_made: bool| if is_made { call } else { 0 };
        let all = self.bound.recorded.blend.is_none();
        let old = self.bound.recorded.blend.as_ref().unwrap_or(new);
        // Constants and equations say nothing while blending is off.
        let blends = new.blends || new.enable != 0;
        let mut calls =
            call(DynamicBlend::LOGIC_OP, self.gpu.dynamic2.is_some() & (all | (old.logic_op != new.logic_op)));
        calls |= call(DynamicBlend::CONSTANT, all | (blends && old.constant != new.constant));
        if !self.gpu.profile.dynamic_state3.blend {
            return calls;
        }
        let all = all | (old.count != new.count);
        calls |= call(DynamicBlend::ENABLE, all | (old.enable != new.enable));
        let equations = (old.equation != new.equation) | (old.own != new.own);
        calls |= call(DynamicBlend::EQUATIONS, all | (blends & equations));
        calls | call(DynamicBlend::MASKS, all | (old.masks != new.masks))
    }

    /// [`Group::Blend`].
    pub(crate) fn apply_blend(&mut self) -> Effect {
        self.commands();
        let blend = self.dynamic_blend();
        self.set_blend(blend);
        Effect::Same
    }

    #[inline(always)]
    pub(crate) fn set_blend(&mut self, new: DynamicBlend) {
        let calls = self.blend_calls(&new);
        let (gpu, recorder) = (&self.gpu, &mut self.recorder);
        let kept = self.bound.recorded.blend.get_or_insert_default();
        (kept.blends, kept.count) = (new.blends, new.count);
        if calls == 0 {
            return;
        }
        self.stats.calls.made += u64::from(calls.count_ones());
        let has = |call: u8| calls & call != 0;
        if has(DynamicBlend::LOGIC_OP) {
            kept.logic_op = new.logic_op;
            recorder.call(Call::LogicOp(raster::logic_op(new.logic_op)));
        }
        if has(DynamicBlend::CONSTANT) {
            kept.constant = new.constant;
            recorder.call(Call::BlendConstants(bytemuck::cast(new.constant)));
        }
        if has(DynamicBlend::ENABLE) {
            kept.enable = new.enable;
            recorder.call(Call::BlendEnable(new.count, new.enable));
        }
        if has(DynamicBlend::EQUATIONS) {
            (kept.equation, kept.own) = (new.equation, new.own);
            match &kept.own {
                None => {
                    let equation = vulkan_equation(gpu, new.equation);
                    recorder.call(Call::BlendEquation { first: 0, count: new.count, equation });
                }
                Some(own) => {
                    let mut first = 0;
                    for alike in own[..usize::from(new.count).min(8)].chunk_by(|one, other| one == other) {
                        let (count, equation) = (alike.len() as u8, vulkan_equation(gpu, alike[0]));
                        recorder.call(Call::BlendEquation { first, count, equation });
                        first += count;
                    }
                }
            }
        }
        if has(DynamicBlend::MASKS) {
            kept.masks = new.masks;
            recorder.call(Call::WriteMasks(new.count, new.masks));
        }
    }
}

fn stencil_ops(face: vk::StencilFaceFlags, ops: StencilFace) -> Call {
    let StencilFace { compare: function, fail, depth_fail, pass } = ops;
    Call::StencilOp(face, [fail, pass, depth_fail].map(stencil_op), compare(function))
}

/// Vulkan's equation of [`key::packed`] bytes.
#[inline(always)]
fn vulkan_equation(gpu: &Gpu, packed: u64) -> vk::ColorBlendEquationEXT {
    let [src, dst, op, src_alpha, dst_alpha, alpha_op, ..] = packed.to_le_bytes();
    vk::ColorBlendEquationEXT {
        src_color_blend_factor: key::factor(gpu, src),
        dst_color_blend_factor: key::factor(gpu, dst),
        color_blend_op: key::blend_op(op),
        src_alpha_blend_factor: key::factor(gpu, src_alpha),
        dst_alpha_blend_factor: key::factor(gpu, dst_alpha),
        alpha_blend_op: key::blend_op(alpha_op),
    }
}

fn cull_mode(bits: u8) -> vk::CullModeFlags {
    match Cull::of(bits) {
        Cull::None => vk::CullModeFlags::NONE,
        Cull::Front => vk::CullModeFlags::FRONT,
        Cull::Back => vk::CullModeFlags::BACK,
    }
}

fn stencil_op(bits: u8) -> vk::StencilOp {
    match StencilOp::of(bits) {
        StencilOp::Keep => vk::StencilOp::KEEP,
        StencilOp::Zero => vk::StencilOp::ZERO,
        StencilOp::Replace => vk::StencilOp::REPLACE,
        StencilOp::IncrementClamp => vk::StencilOp::INCREMENT_AND_CLAMP,
        StencilOp::DecrementClamp => vk::StencilOp::DECREMENT_AND_CLAMP,
        StencilOp::Invert => vk::StencilOp::INVERT,
        StencilOp::IncrementWrap => vk::StencilOp::INCREMENT_AND_WRAP,
        StencilOp::DecrementWrap => vk::StencilOp::DECREMENT_AND_WRAP,
    }
}
