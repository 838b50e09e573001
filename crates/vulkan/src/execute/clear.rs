//! Clears: at the start of a pass, by Vulkan's own command within one, or by a draw where only some channels or stencil
//! bits go.

use crate::commands::list::Call;
use crate::error::{Error, Result};
use crate::pipeline::key;
use crate::pipeline::key::{Blend, Key, Spec, VertexLayout};
use crate::pipeline::raster::{Raster, TRIANGLES};
use crate::renderer::Renderer;
use crate::state::targets::{Attachment, Load, Targets, clip};
use afterimage_abi::push;
use afterimage_shader::{Language, RuntimeInfo, Stage};
use afterimage_stream::ObjectId;
use afterimage_stream::host::level;
use afterimage_stream::packets::{
    Clear, Compare, Rect, SetBlend, SetDepthBounds, SetDepthStencil, SetRaster, SetViewport, StencilFace, StencilOp,
    Topology,
};
use ash::vk;
use smallvec::SmallVec;

/// A triangle over everything, from the vertex number alone.
const EVERYWHERE: &str = r#"vertex "clear" {
  input in0 : i32 vertex_index smooth
  output out0 : f32x4 position
  v0: i32 = load_input in0
  v1: f32 = i2f v0
  v2: f32 = const 1.0
  v3: f32 = const 2.0
  v4: f32 = const 4.0
  v5: f32 = fsub v3, v1
  v6: f32 = fmul v1, v5
  v7: f32 = fmul v6, v4
  v8: f32 = fsub v7, v2
  v9: f32 = fsub v1, v2
  v10: f32 = fmul v1, v9
  v11: f32 = fmul v10, v3
  v12: f32 = fsub v11, v2
  v13: f32x2 = const 0.0, 1.0
  v14: f32x4 = construct v8, v12, v13
  store_output out0, v14
  return
}"#;

/// Writes the first constant to this many targets.
fn one_color(targets: usize) -> String {
    let outputs: String = (0..targets).map(|n| format!("  output out{n} : f32x4 location {n}\n")).collect();
    let stores: String = (0..targets).map(|n| format!("  store_output out{n}, v0\n")).collect();
    format!("pixel \"clear\" {{\n{outputs}  bank c0 stage 3 [1]\n  v0: f32x4 = load_const c0[0]\n{stores}  return\n}}")
}

/// What a [`Clear`] leaves as it is, though it clears a part of the same texels.
#[derive(Clone, Copy)]
struct Part {
    /// Channels that are cleared, as in [`SetBlend::write_masks`]; 0 for none.
    channels: u8,
    /// Stencil bits that are cleared; 0 for none.
    stencil: u8,
}

impl Renderer {
    /// [`Clear`].
    pub(crate) fn clear(&mut self, body: &Clear, rects: &[Rect]) -> Result {
        self.apply(level::CLEAR, None)?;
        self.flush_draws();
        if self.bound.targets.is_empty() {
            return Ok(());
        }
        let mut part = Part { channels: body.channels(), stencil: 0 };
        let mut load = Load {
            flags: body.flags & Clear::DEPTH,
            color: body.color,
            depth: body.depth.clamp(0.0, 1.0),
            stencil: body.stencil.into(),
        };
        if part.channels == 15 {
            load.flags |= Clear::COLOR;
            part.channels = 0;
        }
        if body.flags & Clear::STENCIL != 0 {
            match body.stencil_keep {
                0 => load.flags |= Clear::STENCIL,
                keep => part.stencil = !keep,
            }
        }
        if let Some((depth, format)) = self.bound.targets.aside {
            self.end_pass();
            let all = std::mem::take(&mut self.bound.targets);
            let result = self.clear_depth((depth, format), all.formats.samples, load, part, rects);
            self.bound.targets = all;
            result?;
        }
        let extent = self.bound.targets.extent;
        if rects.is_empty() && self.bound.targets.all().any(|a| a.extent != extent) {
            return self.clear_one_by_one(load, part);
        }
        self.clear_targets(load, part, rects)
    }

    /// Clears the bound targets: `load` as a whole, and of the rest `part`.
    fn clear_targets(&mut self, load: Load, part: Part, rects: &[Rect]) -> Result {
        if load.flags != 0 {
            if rects.is_empty() && !self.bound.targets.open {
                self.begin_pass(load);
            } else {
                self.clear_within(load, rects);
            }
        }
        if part.channels != 0 || part.stencil != 0 { self.clear_part(load, part, rects) } else { Ok(()) }
    }

    /// Rectangles as Vulkan has them; none means all.
    fn cleared(&self, rects: &[Rect]) -> SmallVec<[vk::Rect2D; 8]> {
        let extent = self.bound.targets.extent;
        if rects.is_empty() {
            return SmallVec::from_slice(&[vk::Rect2D { offset: vk::Offset2D::default(), extent }]);
        }
        rects.iter().filter_map(|rect| clip(rect, extent)).collect()
    }

    fn clear_within(&mut self, load: Load, rects: &[Rect]) {
        self.open_pass();
        let rects = self.cleared(rects);
        let layer_count = self.bound.targets.layers.max(1);
        let whole = |rect| vk::ClearRect { rect, base_array_layer: 0, layer_count };
        let rects: SmallVec<[_; 8]> = rects.into_iter().map(whole).collect();
        if rects.is_empty() {
            return;
        }
        let mut clears = SmallVec::<[vk::ClearAttachment; 9]>::new();
        if load.flags & Clear::COLOR != 0 {
            for (index, _) in self.bound.targets.colors.iter().enumerate().filter(|(_, a)| a.is_some()) {
                clears.push(vk::ClearAttachment {
                    aspect_mask: vk::ImageAspectFlags::COLOR,
                    color_attachment: index as u32,
                    clear_value: vk::ClearValue { color: load.color_of(self.bound.targets.kinds[index]) },
                });
            }
        }
        let mut aspect_mask = vk::ImageAspectFlags::empty();
        if load.flags & Clear::DEPTH != 0 && self.bound.targets.depth.is_some() {
            aspect_mask |= vk::ImageAspectFlags::DEPTH;
        }
        if load.flags & Clear::STENCIL != 0 && self.bound.targets.formats.stencil() != vk::Format::UNDEFINED {
            aspect_mask |= vk::ImageAspectFlags::STENCIL;
        }
        if !aspect_mask.is_empty() {
            let depth_stencil = vk::ClearDepthStencilValue { depth: load.depth, stencil: load.stencil };
            let clear_value = vk::ClearValue { depth_stencil };
            clears.push(vk::ClearAttachment { aspect_mask, color_attachment: 0, clear_value });
        }
        if !clears.is_empty() {
            // SAFETY: a pass is open; the rectangles lie inside of its area.
            unsafe { self.gpu.raw.cmd_clear_attachments(self.recorder.main(), &clears, &rects) };
        }
    }

    /// Clears targets of different sizes, each in a pass of its own.
    fn clear_one_by_one(&mut self, load: Load, part: Part) -> Result {
        self.end_pass();
        let all = std::mem::take(&mut self.bound.targets);
        let mut result = Ok(());
        for (index, color) in all.colors.iter().enumerate() {
            let Some(color) = color else { continue };
            self.bound.targets = Targets { extent: color.extent, layers: all.layers, ..Targets::default() };
            self.bound.targets.kinds[0] = all.kinds[index];
            self.bound.targets.blendable = all.blendable >> index & 1;
            self.bound.targets.colors[0] = Some(*color);
            self.bound.targets.formats.colors[0] = all.formats.colors[index];
            self.bound.targets.formats.samples = all.formats.samples;
            let load = Load { flags: load.flags & Clear::COLOR, ..load };
            result = result.and(self.clear_targets(load, Part { stencil: 0, ..part }, &[]));
            self.end_pass();
        }
        if let Some(depth) = all.depth {
            let depth = (depth, all.formats.depth);
            result = result.and(self.clear_depth(depth, all.formats.samples, load, part, &[]));
        }
        self.bound.targets = all;
        result
    }

    /// Clears a depth-stencil target alone, in a pass of its own. [`Renderer::targets`] is not what it was after that.
    fn clear_depth(
        &mut self,
        (depth, format): (Attachment, vk::Format),
        samples: u32,
        load: Load,
        part: Part,
        rects: &[Rect],
    ) -> Result {
        let layers = self.bound.targets.layers;
        self.bound.targets = Targets { extent: depth.extent, depth: Some(depth), layers, ..Targets::default() };
        self.bound.targets.formats.depth = format;
        self.bound.targets.formats.samples = samples;
        let load = Load { flags: load.flags & !Clear::COLOR, ..load };
        let result = self.clear_targets(load, Part { channels: 0, ..part }, rects);
        self.end_pass();
        result
    }

    /// Draws over the rectangles what only a part of the texels' bits gets.
    fn clear_part(&mut self, load: Load, part: Part, rects: &[Rect]) -> Result {
        let formats = self.bound.targets.formats;
        let stencil = if formats.stencil() == vk::Format::UNDEFINED { 0 } else { part.stencil };
        let colors = if part.channels == 0 { 0 } else { formats.color_count() };
        if colors == 0 && stencil == 0 {
            return Ok(());
        }
        let raster = SetRaster { depth_clip: 1, sample_mask: u32::MAX, ..SetRaster::default() };
        let blend = SetBlend { write_masks: [part.channels; 8], ..SetBlend::default() };
        let masks = key::write_masks(&self.gpu.profile, &blend, (1u32 << colors) - 1);
        let pipeline = self.part_pipeline(colors, &raster, &blend, masks)?;

        if self.is_feedback_open() {
            // A capture has one pipeline.
            self.end_pass();
        }
        self.open_pass();
        // What a clear touches is not counted.
        self.end_segment();
        (self.bound.recorded.pipeline, self.bound.recorded.key) = (pipeline, None);
        // It lives as long as the renderer.
        self.recorder.call(Call::Pipeline(pipeline));
        self.bind_default_buffer();
        self.set_topology(Topology::TriangleList, false);
        let (width, height) = (self.bound.targets.extent.width as f32, self.bound.targets.extent.height as f32);
        self.set_viewport(SetViewport { x: 0.0, y: 0.0, width, height, min_depth: 0.0, max_depth: 1.0 });
        let raster = self.dynamic_raster(&raster);
        self.set_raster(raster);
        let replace = StencilOp::Replace as u8;
        let face = StencilFace { compare: Compare::Always as u8, fail: replace, depth_fail: replace, pass: replace };
        let tests = SetDepthStencil {
            stencil_test: u8::from(stencil != 0),
            front: face,
            back: face,
            reference: load.stencil as u8,
            write_mask: stencil,
            ..SetDepthStencil::default()
        };
        self.set_tests(self.tests_of(tests));
        self.set_depth_bounds(SetDepthBounds::default());
        self.set_blend(self.blend_of(&blend, masks));
        let mut constants = self.memory.constants.alloc(
            16,
            16,
            self.recorder.submissions.current,
            self.recorder.submissions.completed,
        )?;
        constants.bytes_mut().copy_from_slice(bytemuck::bytes_of(&load.color));
        self.set_address(push::constants(Stage::Pixel), constants.address);
        self.stage_push();
        self.flush_push();
        let cmd = self.recorder.main();
        for rect in self.cleared(rects) {
            self.bound.recorded.scissor = Some(rect);
            self.bound.recorded.scissors.clear();
            // SAFETY: a pass is open, all dynamic state is set, and the rectangle lies inside of the targets.
            unsafe {
                self.gpu.raw.cmd_set_scissor_with_count(cmd, &[rect]);
                self.gpu.raw.cmd_draw(cmd, 3, 1, 0, 0);
            }
        }

        // The next draw has other ideas of all this. (About vertex buffers see `Bound`; and llvmpipe does not give push constants to
        // stages that the pipeline before did not have.)
        (self.bound.recorded.vertices, self.bound.recorded.lines) = Default::default();
        self.commands_changed();
        Ok(())
    }

    /// The pipeline that writes one colour to so many targets, which is made when it is first wanted.
    fn part_pipeline(
        &mut self,
        colors: usize,
        raster: &SetRaster,
        blend: &SetBlend,
        masks: [u8; 8],
    ) -> Result<vk::Pipeline> {
        let mut shader = |text: &str| {
            let shader = self.programs.library.parse(Language::Ir as u32, text.as_bytes()).ok()?;
            Some(self.programs.library.find(&shader, ObjectId::NONE, &RuntimeInfo::default()))
        };
        let vertex = shader(EVERYWHERE);
        let pixel = if colors == 0 { Some(Key::NONE) } else { shader(&one_color(colors)) };
        let impossible = || {
            let what = "a clear of some channels or stencil bits".to_owned();
            Error::Unsupported { device: self.gpu.profile.name.clone(), what }
        };
        let (Some(vertex), Some(pixel)) = (vertex, pixel) else { return Err(impossible()) };
        let profile = &self.gpu.profile;
        let blend = if profile.dynamic_state3.blend {
            0
        } else {
            self.programs.pipelines.blends.number(&Blend::new(blend, masks))
        };
        let key = Key {
            vertex,
            pixel,
            geometry: Key::NONE,
            input: self.programs.pipelines.inputs.number(&VertexLayout::default()),
            targets: self.programs.pipelines.targets.number(&self.bound.targets.formats),
            blend,
            sample_mask: Key::sample_mask(profile, raster),
            raster: Raster::new(profile, raster, 0, TRIANGLES),
            spec: Spec::DYNAMIC,
        };
        let found = self
            .programs
            .pipelines
            .get(&key)
            .unwrap_or_else(|| self.programs.pipelines.wait(&key, &self.programs.library));
        found.ok_or_else(impossible)
    }
}
