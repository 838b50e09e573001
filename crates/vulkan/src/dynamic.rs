//! Dynamic state: what is set in the command buffer and is no part of pipelines. Each setter compares with what the
//! command buffer has.

use crate::pipeline;
use crate::raster;
use crate::renderer::Renderer;
use crate::sampler::compare;
use afterimage_stream::packets::{
    Cull, Fill, Rect, SetBlend, SetDepthStencil, SetRaster, SetViewport, StencilFace, StencilOp, Topology,
};
use ash::vk;

impl Renderer {
    /// Write masks of the present pixel shader.
    #[inline]
    pub(crate) fn write_masks(&self, blend: &SetBlend) -> [u8; 8] {
        let outputs = self.shading.pixel.as_ref().map_or(0, |pixel| pixel.outputs);
        pipeline::write_masks(&self.gpu.profile, blend, outputs)
    }

    #[inline]
    pub(crate) fn set_topology(&mut self, topology: Topology) {
        if self.recorded.topology != Some(topology as u32) {
            self.recorded.topology = Some(topology as u32);
            // SAFETY: the command buffer is being recorded.
            unsafe { self.gpu.raw.cmd_set_primitive_topology(self.submissions.main, raster::topology(topology)) };
        }
    }

    pub(crate) fn set_viewport(&mut self, v: SetViewport) {
        if self.recorded.viewport == Some(v) {
            return;
        }
        self.recorded.viewport = Some(v);
        // Guests' clip space has y up: the viewport is upside down.
        let viewport = vk::Viewport {
            x: v.x,
            y: v.y + v.height,
            width: v.width,
            height: -v.height,
            min_depth: v.min_depth,
            max_depth: v.max_depth,
        };
        // SAFETY: the command buffer is being recorded; the validator has checked the ranges.
        unsafe { self.gpu.raw.cmd_set_viewport(self.submissions.main, 0, &[viewport]) };
    }

    pub(crate) fn set_scissor(&mut self, rect: &Rect) {
        let none = vk::Rect2D::default();
        let rect = crate::targets::clip(rect, self.targets.extent).unwrap_or(none);
        if self.recorded.scissor != Some(rect) {
            self.recorded.scissor = Some(rect);
            // SAFETY: the rectangle lies inside of the targets.
            unsafe { self.gpu.raw.cmd_set_scissor(self.submissions.main, 0, &[rect]) };
        }
    }

    pub(crate) fn set_raster(&mut self, state: &SetRaster) {
        self.faces_apart = raster::draws_faces_apart(&self.gpu.profile, state);
        let quads = self.key.raster.line_quads();
        let (cull, front_ccw) = match (quads, self.faces_apart) {
            // Lines face front, and so do the triangles that stand for them.
            (true, _) => (Cull::None as u8, 1),
            // Of faces that are drawn apart, the front ones come first.
            (_, true) => (Cull::Back as u8, state.front_ccw),
            _ => (state.cull, state.front_ccw),
        };
        let fill = if quads { Fill::Solid as u8 } else { raster::fill(state) };
        let width = self.line_width(state.line_width);
        let (raw, cmd) = (&self.gpu.raw, self.submissions.main);
        // SAFETY: the command buffer is being recorded, and extension functions are there where the profile says so.
        unsafe {
            if self.recorded.cull != Some(cull) {
                self.recorded.cull = Some(cull);
                raw.cmd_set_cull_mode(cmd, cull_mode(cull));
            }
            if self.recorded.front_ccw != Some(front_ccw) {
                self.recorded.front_ccw = Some(front_ccw);
                let ccw = front_ccw != 0;
                raw.cmd_set_front_face(
                    cmd,
                    if ccw { vk::FrontFace::COUNTER_CLOCKWISE } else { vk::FrontFace::CLOCKWISE },
                );
            }
            if self.recorded.line_width != Some(width) {
                self.recorded.line_width = Some(width);
                raw.cmd_set_line_width(cmd, width);
            }
            let constant = state.depth_bias * self.gpu.profile.depth_bias_scale(self.targets.depth_bits);
            let bias = [state.bias_enable.into(), constant.to_bits(), state.slope_bias.to_bits()];
            if self.recorded.bias != Some(bias) {
                self.recorded.bias = Some(bias);
                raw.cmd_set_depth_bias_enable(cmd, state.bias_enable != 0);
                match &self.gpu.depth_bias {
                    Some(control) => {
                        let mut units = vk::DepthBiasRepresentationInfoEXT::default()
                            .depth_bias_representation(vk::DepthBiasRepresentationEXT::FLOAT);
                        let info = vk::DepthBiasInfoEXT::default()
                            .depth_bias_constant_factor(constant)
                            .depth_bias_slope_factor(state.slope_bias)
                            .push_next(&mut units);
                        (control.fp().cmd_set_depth_bias2_ext)(cmd, &info);
                    }
                    None => raw.cmd_set_depth_bias(cmd, constant, 0.0, state.slope_bias),
                }
            }
            let Some(d3) = &self.gpu.dynamic3 else { return };
            let has = self.gpu.profile.dynamic_state3;
            if has.polygon_mode && self.recorded.fill != Some(fill) {
                self.recorded.fill = Some(fill);
                d3.cmd_set_polygon_mode(cmd, raster::polygon_mode(&self.gpu, fill));
            }
            let clamp = state.depth_clip == 0 && self.gpu.profile.depth_clamp;
            if has.depth_clamp && self.recorded.clamp != Some(clamp) {
                self.recorded.clamp = Some(clamp);
                d3.cmd_set_depth_clamp_enable(cmd, clamp);
            }
            let samples = self.targets.formats.samples.max(1);
            if has.sample_mask && self.recorded.sample_mask != Some((state.sample_mask, samples)) {
                self.recorded.sample_mask = Some((state.sample_mask, samples));
                let samples = vk::SampleCountFlags::from_raw(samples);
                d3.cmd_set_sample_mask(cmd, samples, &[state.sample_mask]);
            }
        }
    }

    /// The width that a line gets on this device.
    #[inline]
    fn line_width(&mut self, wanted: f32) -> f32 {
        // Triangles that stand for lines have any width.
        let wanted = if wanted == 0.0 || self.key.raster.line_quads() { 1.0 } else { wanted };
        let [least, most] = self.gpu.profile.line_widths;
        if wanted < least || wanted > most {
            self.warn_once("line width", &format!("lines of {wanted} pixels (the device has {least} to {most})"));
        }
        wanted.clamp(least, most)
    }

    /// Turns from the front faces of a draw, which are filled in one way, to its back faces, or back.
    pub(crate) fn set_face(&mut self, back: bool) {
        let (raw, cmd, state) = (&self.gpu.raw, self.submissions.main, &self.state.raster);
        let (cull, fill) = if back { (Cull::Front, state.fill_back) } else { (Cull::Back, state.fill) };
        // SAFETY: the command buffer is being recorded; both pipelines live as long as the renderer.
        unsafe {
            raw.cmd_set_cull_mode(cmd, cull_mode(cull as u8));
            match &self.gpu.dynamic3 {
                Some(d3) if self.gpu.profile.dynamic_state3.polygon_mode => {
                    d3.cmd_set_polygon_mode(cmd, raster::polygon_mode(&self.gpu, fill));
                }
                _ => {
                    let pipeline = if back { self.back_pipeline } else { self.recorded.pipeline };
                    raw.cmd_bind_pipeline(cmd, vk::PipelineBindPoint::GRAPHICS, pipeline);
                }
            }
        }
    }

    pub(crate) fn set_depth_stencil(&mut self, mut state: SetDepthStencil) {
        let there = self.targets.formats.depth != vk::Format::UNDEFINED;
        if !there {
            state.depth_test = 0;
        }
        if self.targets.formats.stencil() == vk::Format::UNDEFINED {
            state.stencil_test = 0;
        }
        let was = self.recorded.depth_stencil.replace(state);
        if was == Some(state) && self.recorded.depth_there == Some(there) {
            return;
        }
        self.recorded.depth_there = Some(there);
        let (raw, cmd) = (&self.gpu.raw, self.submissions.main);
        let changed = |field: fn(&SetDepthStencil) -> [u8; 2]| was.is_none_or(|was| field(&was) != field(&state));
        // SAFETY: the command buffer is being recorded.
        unsafe {
            if changed(|s| [s.depth_test, 0]) {
                raw.cmd_set_depth_test_enable(cmd, state.depth_test != 0);
            }
            if changed(|s| [s.depth_write, s.depth_test]) {
                raw.cmd_set_depth_write_enable(cmd, state.depth_write != 0 && state.depth_test != 0);
            }
            if changed(|s| [s.depth_compare, 0]) {
                raw.cmd_set_depth_compare_op(cmd, compare(state.depth_compare));
            }
            if changed(|s| [s.stencil_test, 0]) {
                raw.cmd_set_stencil_test_enable(cmd, state.stencil_test != 0);
            }
            let both = vk::StencilFaceFlags::FRONT_AND_BACK;
            if was.is_none_or(|was| (was.front, was.back) != (state.front, state.back)) {
                for (face, ops) in
                    [(vk::StencilFaceFlags::FRONT, state.front), (vk::StencilFaceFlags::BACK, state.back)]
                {
                    let StencilFace { compare: function, fail, depth_fail, pass } = ops;
                    let (fail, depth_fail, pass) = (stencil_op(fail), stencil_op(depth_fail), stencil_op(pass));
                    raw.cmd_set_stencil_op(cmd, face, fail, pass, depth_fail, compare(function));
                }
            }
            if changed(|s| [s.read_mask, 0]) {
                raw.cmd_set_stencil_compare_mask(cmd, both, state.read_mask.into());
            }
            if changed(|s| [s.write_mask, 0]) {
                raw.cmd_set_stencil_write_mask(cmd, both, state.write_mask.into());
            }
            if changed(|s| [s.reference, 0]) {
                raw.cmd_set_stencil_reference(cmd, both, state.reference.into());
            }
        }
    }

    /// `masks` are those of [`Renderer::write_masks`].
    pub(crate) fn set_blend(&mut self, state: &SetBlend, masks: [u8; 8]) {
        let (raw, cmd) = (&self.gpu.raw, self.submissions.main);
        if let Some(d2) = &self.gpu.dynamic2
            && self.recorded.logic_op != Some(state.logic_op)
        {
            self.recorded.logic_op = Some(state.logic_op);
            // SAFETY: the command buffer is being recorded, and the extension is enabled.
            unsafe { d2.cmd_set_logic_op(cmd, raster::logic_op(state.logic_op)) };
        }
        let constant = state.constant.map(f32::to_bits);
        // Constants and equation say nothing while blending is off.
        let blends = state.enable != 0;
        if self.recorded.blend_constant != Some(constant) && (blends || self.recorded.blend_constant.is_none()) {
            self.recorded.blend_constant = Some(constant);
            // SAFETY: the command buffer is being recorded.
            unsafe { raw.cmd_set_blend_constants(cmd, &state.constant) };
        }
        if !self.gpu.profile.dynamic_state3.blend {
            return;
        }
        let Some(d3) = &self.gpu.dynamic3 else { return };
        // Every pipeline has as many attachments as the targets have. Those without any want the state all the same.
        let count = self.targets.formats.color_count().max(1) as u32;
        let n = count as usize;
        // SAFETY: the command buffer is being recorded, and the extension is enabled.
        unsafe {
            let enable = if blends { self.targets.blendable } else { 0 };
            if self.recorded.blend_enable != Some((enable, count)) {
                self.recorded.blend_enable = Some((enable, count));
                let enable: [_; 8] = std::array::from_fn(|index| vk::Bool32::from(enable >> index & 1 != 0));
                d3.cmd_set_color_blend_enable(cmd, 0, &enable[..n]);
            }
            let equation = pipeline::equation(state);
            if self.recorded.equation != Some((equation, count))
                && (blends || self.recorded.equation.is_none_or(|e| e.1 != count))
            {
                self.recorded.equation = Some((equation, count));
                let equation = self.equation(equation);
                d3.cmd_set_color_blend_equation(cmd, 0, &[equation; 8][..n]);
            }
            if self.recorded.write_masks != Some((masks, count)) {
                self.recorded.write_masks = Some((masks, count));
                let flags = masks.map(|mask| vk::ColorComponentFlags::from_raw(mask.into()));
                d3.cmd_set_color_write_mask(cmd, 0, &flags[..n]);
            }
        }
    }
}

impl Renderer {
    fn equation(&self, [src, dst, op, src_alpha, dst_alpha, alpha_op]: [u8; 6]) -> vk::ColorBlendEquationEXT {
        vk::ColorBlendEquationEXT {
            src_color_blend_factor: pipeline::factor(&self.gpu, src),
            dst_color_blend_factor: pipeline::factor(&self.gpu, dst),
            color_blend_op: pipeline::blend_op(op),
            src_alpha_blend_factor: pipeline::factor(&self.gpu, src_alpha),
            dst_alpha_blend_factor: pipeline::factor(&self.gpu, dst_alpha),
            alpha_blend_op: pipeline::blend_op(alpha_op),
        }
    }

    /// Sets what the first targets have of their own, over what [`Renderer::set_blend`] has set of all.
    pub(crate) fn set_blend_targets(&mut self) {
        let Some(d3) = self.gpu.dynamic3.as_ref().filter(|_| self.gpu.profile.dynamic_state3.blend) else { return };
        let cmd = self.submissions.main;
        let outputs = self.shading.pixel.as_ref().map_or(0, |pixel| pixel.outputs);
        let count = self.targets.formats.color_count();
        let own = pipeline::targets_of(&self.gpu.profile, &self.state.blend_targets, outputs).take(count);
        for (index, target) in own.enumerate() {
            let enable = target.enable & self.targets.blendable >> index & 1;
            let equation = self.equation(pipeline::equation_of(&target));
            let mask = vk::ColorComponentFlags::from_raw(target.write_mask.into());
            // SAFETY: the command buffer is being recorded, and the extension is enabled.
            unsafe {
                d3.cmd_set_color_blend_enable(cmd, index as u32, &[enable.into()]);
                d3.cmd_set_color_blend_equation(cmd, index as u32, &[equation]);
                d3.cmd_set_color_write_mask(cmd, index as u32, &[mask]);
            }
        }
        (self.recorded.blend_enable, self.recorded.equation, self.recorded.write_masks) = (None, None, None);
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
