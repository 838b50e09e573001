//! Draws: applying dirty groups, recording.
//!
//! Only [`afterimage_stream::State::dirty`] says what changed. What is recorded is compared with what the command buffer
//! already has ([`Recorded`]), so a group that was set to the same value costs a comparison.

use crate::descriptors::{PUSH_STAGES, PUSH_TEXTURES, SlotKey, Table, word};
use crate::error::Result;
use crate::gpu::Gpu;
use crate::pipeline::{self, Attribute, Blend, Key, VertexLayout};
use crate::renderer::Renderer;
use crate::sampler::compare;
use crate::shaders::Variant;
use afterimage_stream::packets::{
    CreateTexture, Cull, Draw, DrawIndexed, SetBlend, SetDepthStencil, SetViewport, StencilFace, StencilOp, Topology,
    VertexAttribute,
};
use afterimage_stream::{Created, Group, Groups, ObjectId, ObjectKind, TEXTURE_SLOTS, VERTEX_BUFFERS, VertexFormat};
use ash::vk;
use std::sync::Arc;

/// The binding that feeds attributes without a buffer.
const DEFAULT_BINDING: u32 = VERTEX_BUFFERS as u32;
/// Words of push constants.
const PUSH_WORDS: usize = crate::descriptors::PUSH_BYTES as usize / 4;

/// What the command buffer being recorded has. `None`, or a value that nothing equals, where it has nothing yet.
#[derive(Default)]
pub(crate) struct Recorded {
    pipeline: vk::Pipeline,
    viewport: Option<SetViewport>,
    scissor: Option<vk::Rect2D>,
    cull: Option<(u8, u8)>,
    topology: Option<u32>,
    fill: Option<u8>,
    clamp: Option<bool>,
    bias: Option<[u32; 3]>,
    sample_mask: Option<(u32, u32)>,
    depth_stencil: Option<SetDepthStencil>,
    depth_there: Option<bool>,
    blend_enable: Option<(u8, u32)>,
    equation: Option<([u8; 6], u32)>,
    write_masks: Option<([u8; 8], u32)>,
    blend_constant: Option<[u32; 4]>,
    slot_key: Option<SlotKey>,
    descriptors_bound: bool,
    default_buffer_bound: bool,
}

impl Recorded {
    /// Whether a set of the slots profile is bound.
    pub(crate) fn has_slots(&self) -> bool {
        self.slot_key.is_some()
    }
}

/// Shaders of the draws, and what depends on them.
#[derive(Default)]
pub(crate) struct Shading {
    pub(crate) vertex: Option<Arc<Variant>>,
    pub(crate) pixel: Option<Arc<Variant>>,
    /// State around the shaders.
    pub(crate) runtime: afterimage_shader::RuntimeInfo,
    /// Bit per texture slot that either shader samples.
    used: u32,
    /// Which table each slot is read from.
    tables: u64,
    /// Words of the textures bound, whether a shader reads them or not.
    words: [u32; TEXTURE_SLOTS],
    /// The table that each bound texture is in.
    bound: [u8; TEXTURE_SLOTS],
}

/// What a vertex layout asks of the buffer in a slot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Needs {
    /// Alignment of offset and stride, a power of two; 0 where nothing is read.
    align: u32,
    /// Bytes from the start of a vertex to the end of its last attribute.
    extent: u32,
}

/// Draws with equal state that are recorded together.
#[derive(Default)]
pub(crate) struct Pending {
    plain: Vec<vk::MultiDrawInfoEXT>,
    indexed: Vec<vk::MultiDrawIndexedInfoEXT>,
    instances: u32,
}

/// What a draw is ready for without applying anything.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Ready {
    /// Topology, or `u32::MAX` where something must be applied first.
    topology: u32,
    /// Whether draws are dropped because something they need is missing.
    skip: bool,
}

/// Vertices that one draw may have over all instances: more than any program draws, less than hangs a GPU.
const MOST_VERTICES: u64 = 1 << 24;
/// Vertices of a draw that reads no vertex buffer.
const MOST_WITHOUT_BUFFERS: u32 = 1 << 20;

/// Instances that a draw of `count` vertices may have.
#[inline]
fn instances(wanted: u32, count: u32) -> u32 {
    if wanted <= 1 { wanted } else { (u64::from(wanted)).min(MOST_VERTICES / u64::from(count.max(1))) as u32 }
}

impl Ready {
    pub(crate) const NO: Self = Self { topology: u32::MAX, skip: false };
}

impl Renderer {
    #[inline]
    fn prepare(&mut self, topology: u32) -> bool {
        if !(self.ready.topology == topology && self.targets.open && self.state.dirty.is_empty()) {
            self.apply(topology);
        }
        self.draws += 1;
        if self.ready.skip {
            self.skipped_draws += 1;
        }
        !self.ready.skip
    }

    /// [`Draw`].
    #[inline]
    pub(crate) fn draw(&mut self, body: &Draw) {
        if !self.prepare(body.topology) {
            return;
        }
        // Vertices outside of every buffer are all alike and make no primitive with an area.
        let count = body.count.min(self.vertex_limit.saturating_sub(body.first));
        let instances = instances(body.instances, count);
        if count == 0 || instances == 0 {
            return;
        }
        if self.pending.instances != instances || !self.pending.indexed.is_empty() {
            self.flush_draws();
            self.pending.instances = instances;
        }
        self.pending.plain.push(vk::MultiDrawInfoEXT { first_vertex: body.first, vertex_count: count });
    }

    /// [`DrawIndexed`].
    #[inline]
    pub(crate) fn draw_indexed(&mut self, body: &DrawIndexed) {
        if !self.prepare(body.topology) {
            return;
        }
        // Vulkan wants the range inside of the buffer, robust or not.
        let limit = self.index_limit;
        let count = body.count.min(limit.saturating_sub(body.first));
        let instances = instances(body.instances, count);
        if count == 0 || instances == 0 {
            return;
        }
        if self.pending.instances != instances || !self.pending.plain.is_empty() {
            self.flush_draws();
            self.pending.instances = instances;
        }
        self.pending.indexed.push(vk::MultiDrawIndexedInfoEXT {
            first_index: body.first,
            index_count: count,
            vertex_offset: body.base_vertex,
        });
    }

    /// Records the draws collected so far.
    #[inline]
    pub(crate) fn flush_draws(&mut self) {
        if !self.pending.plain.is_empty() || !self.pending.indexed.is_empty() {
            self.record_draws();
        }
    }

    fn record_draws(&mut self) {
        let (raw, cmd, instances) = (&self.gpu.raw, self.submissions.main, self.pending.instances);
        let most = self.gpu.profile.multi_draw.max(1) as usize;
        let stride = |size: usize| size as u32;
        // SAFETY: a pass is open and everything a draw needs is bound (`apply`); the counts are within the limits.
        unsafe {
            for draws in self.pending.plain.chunks(most) {
                match (&self.gpu.multi_draw, draws) {
                    (Some(multi), [_, _, ..]) => (multi.fp().cmd_draw_multi_ext)(
                        cmd,
                        draws.len() as u32,
                        draws.as_ptr(),
                        instances,
                        0,
                        stride(size_of::<vk::MultiDrawInfoEXT>()),
                    ),
                    _ => draws.iter().for_each(|d| raw.cmd_draw(cmd, d.vertex_count, instances, d.first_vertex, 0)),
                }
            }
            for draws in self.pending.indexed.chunks(most) {
                match (&self.gpu.multi_draw, draws) {
                    (Some(multi), [_, _, ..]) => (multi.fp().cmd_draw_multi_indexed_ext)(
                        cmd,
                        draws.len() as u32,
                        draws.as_ptr(),
                        instances,
                        0,
                        stride(size_of::<vk::MultiDrawIndexedInfoEXT>()),
                        std::ptr::null(),
                    ),
                    _ => draws.iter().for_each(|d| {
                        raw.cmd_draw_indexed(cmd, d.index_count, instances, d.first_index, d.vertex_offset, 0);
                    }),
                }
            }
        }
        self.pending.plain.clear();
        self.pending.indexed.clear();
    }

    /// Applies what is dirty and makes everything ready for draws of a topology.
    fn apply(&mut self, topology: u32) {
        self.flush_draws();
        let result = self.try_apply(Topology::of(topology as u8));
        let skip = result.unwrap_or_else(|error| {
            self.fail(error);
            true
        });
        self.ready = Ready { topology, skip };
    }

    /// As [`Renderer::apply`]; true if draws must be dropped.
    fn try_apply(&mut self, topology: Topology) -> Result<bool> {
        self.resolve_targets()?;
        let dirty = self.state.dirty.take();
        let skip = self.apply_groups(topology, dirty);
        if !matches!(skip, Ok(false)) {
            // Something is missing and the rest was left: the next draw must look at all of it again.
            self.state.dirty = Groups::all();
            self.state.dirty.clear(Group::RenderTargets);
            self.state.dirty_textures = u32::MAX;
            self.variants_dirty = true;
        }
        skip
    }

    fn apply_groups(&mut self, topology: Topology, dirty: Groups) -> Result<bool> {
        let mut check = 0;
        if dirty.contains(Group::Textures) {
            check = std::mem::take(&mut self.state.dirty_textures);
            self.take_textures(check);
        }
        let points = u8::from(topology == Topology::PointList);
        if points != self.shading.runtime.vertex_ops.point_size {
            self.shading.runtime.vertex_ops.point_size = points;
            self.variants_dirty = true;
        }
        if dirty.contains(Group::PixelOps) {
            let ops = &self.state.pixel_ops;
            let runtime = &mut self.shading.runtime;
            runtime.pixel_ops.alpha_compare = ops.alpha_compare;
            runtime.pixel_ops.fog = ops.fog;
            runtime.pixel_ops.flat = ops.flat;
            runtime.pixel_ops.point_sprite = ops.point_sprite;
            let planes = self.gpu.profile.limits.max_clip_distances.min(6);
            let planes = if self.gpu.profile.clip_distance { (1u32 << planes) - 1 } else { 0 };
            runtime.vertex_ops.clip_planes = ops.clip_planes & planes as u8;
            self.variants_dirty = true;
        }
        let (mut vertex_input, mut constants) = (dirty.contains(Group::VertexInput), [false; 3]);
        if dirty.contains(Group::Shaders) || self.variants_dirty {
            self.variants_dirty = false;
            if self.take_shaders() {
                check = u32::MAX;
                vertex_input = true;
                constants = [true; 3];
            }
        }
        if std::mem::take(&mut self.recheck_textures) {
            check = u32::MAX;
        }
        for slot in bits(check & self.shading.used) {
            self.touch_texture(self.state.textures[slot].texture)?;
        }
        if vertex_input {
            self.take_vertex_input();
        }
        if dirty.contains(Group::VertexBuffers) {
            self.bind_vertex_buffers();
        }
        if dirty.contains(Group::IndexBuffer) {
            self.bind_index_buffer();
        }
        let raster = dirty.contains(Group::Raster);
        let blend = dirty.contains(Group::Blend) || constants[1];
        self.update_key(topology, raster, blend);
        let viewport = self.state.viewport;
        let Some(vertex) = self.shading.vertex.clone() else { return Ok(true) };
        if self.targets.is_empty() || viewport.width <= 0.0 || viewport.height <= 0.0 {
            return Ok(true);
        }
        self.open_pass();
        let cmd = self.main();
        if std::mem::take(&mut self.key_dirty) || self.recorded.pipeline == vk::Pipeline::null() {
            let pixel = self.shading.pixel.as_ref().map(|variant| variant.module);
            let Some(pipeline) = self.pipelines.get(&self.key, || (vertex.module, pixel)) else {
                // The next draw must look again, or it would be drawn with the pipeline before.
                self.key_dirty = true;
                return Ok(true);
            };
            if pipeline != self.recorded.pipeline {
                self.recorded.pipeline = pipeline;
                // SAFETY: the command buffer is being recorded; the pipeline lives as long as the renderer.
                unsafe { self.gpu.raw.cmd_bind_pipeline(cmd, vk::PipelineBindPoint::GRAPHICS, pipeline) };
            }
        }
        self.set_topology(topology);
        if dirty.contains(Group::Viewport) {
            self.set_viewport(viewport);
        }
        if dirty.contains(Group::Scissor) {
            self.set_scissor();
        }
        if raster {
            self.set_raster();
        }
        if dirty.contains(Group::DepthStencil) {
            self.set_depth_stencil();
        }
        if blend {
            self.set_blend();
        }
        if dirty.contains(Group::VertexConstants) || constants[0] {
            self.push_constants_of(&vertex, 0)?;
        }
        if dirty.contains(Group::PixelConstants) || constants[1] {
            if let Some(pixel) = self.shading.pixel.clone() {
                self.push_constants_of(&pixel, 2)?;
            }
        }
        let system = vertex.system || self.shading.pixel.as_ref().is_some_and(|pixel| pixel.system);
        if system && (dirty.contains(Group::SystemConstants) || raster || constants[2]) {
            self.push_system_constants()?;
        }
        self.bind_textures(check)?;
        self.push();
        self.begin_segment();
        Ok(false)
    }

    /// Words and dimensions of the textures in the slots of `mask`.
    fn take_textures(&mut self, mask: u32) {
        for slot in bits(mask & ((1 << TEXTURE_SLOTS) - 1)) {
            let binding = self.state.textures[slot];
            let sampler = self.samplers.get(binding.sampler);
            let mut shape = 0;
            let word = match self.textures.get(binding.texture) {
                Some(texture) if !binding.texture.is_none() => {
                    let index = match sampler {
                        Some(sampler) if sampler.desc.srgb != 0 => texture.srgb_index,
                        _ => texture.index,
                    };
                    shape = texture.desc.dimension;
                    if texture.format.is_depth() && sampler.is_some_and(|sampler| sampler.desc.compare_enable != 0) {
                        shape |= afterimage_shader::bound::SHADOW;
                    }
                    word(index, sampler.map_or(0, |sampler| sampler.index))
                }
                _ => 0,
            };
            self.shading.words[slot] = word;
            self.shading.bound[slot] = shape & 3;
            if self.shading.runtime.textures[slot] != shape {
                self.shading.runtime.textures[slot] = shape;
                self.variants_dirty = true;
            }
        }
    }

    /// The variants of the bound shaders for the state around them; true if one of them changed.
    fn take_shaders(&mut self) -> bool {
        let bound = self.state.shaders;
        let runtime = &mut self.shading.runtime;
        let vertex = self.shaders.get_mut(bound.vertex).and_then(|shader| {
            runtime.link = shader.shader.as_ref().map(|shader| shader.link()).unwrap_or_default();
            self.library.number(shader, runtime)
        });
        let pixel = match self.shaders.get_mut(bound.pixel) {
            Some(shader) if !bound.pixel.is_none() => self.library.number(shader, runtime).map(Some),
            _ => Some(None),
        };
        let (Some(vertex), Some(pixel)) = (vertex, pixel) else {
            // One of them is no shader: nothing can be drawn.
            self.shading.vertex = None;
            self.key.vertex = Key::NONE;
            return true;
        };
        let pixel = pixel.unwrap_or(Key::NONE);
        if self.key.vertex == vertex && self.key.pixel == pixel && self.shading.vertex.is_some() {
            return false;
        }
        self.key.vertex = vertex;
        self.key.pixel = pixel;
        self.key_dirty = true;
        let shading = &mut self.shading;
        shading.vertex = self.library.variant(vertex);
        shading.pixel = if pixel == Key::NONE { None } else { self.library.variant(pixel) };
        if pixel != Key::NONE && shading.pixel.is_none() {
            shading.vertex = None;
        }
        shading.used = 0;
        shading.tables = 0;
        for variant in shading.vertex.iter().chain(&shading.pixel) {
            shading.used |= variant.textures;
            shading.tables |= variant.tables;
        }
        true
    }

    /// The vertex layout as the vertex shader reads it.
    fn take_vertex_input(&mut self) {
        let Some(vertex) = &self.shading.vertex else { return };
        let id = self.state.vertex_input.id;
        let attributes: &[VertexAttribute] = match self.state.objects.get(id) {
            Some(Created::VertexInput(attributes)) if !id.is_none() => attributes,
            _ => &[],
        };
        let mut layout = VertexLayout::default();
        let mut needs = [Needs::default(); VERTEX_BUFFERS];
        let mut missing = vertex.inputs;
        for attribute in attributes {
            let bit = 1u32.checked_shl(attribute.location.into()).unwrap_or(0);
            if missing & bit == 0 || attribute.slot == VertexAttribute::DEFAULT {
                continue;
            }
            missing &= !bit;
            let Some(format) = VertexFormat::from_bits(attribute.format) else { continue };
            let binding = u32::from(attribute.slot);
            // What Vulkan asks for; where a guest does otherwise something is drawn wrong, but nothing breaks.
            let align = crate::format::vertex_alignment(format);
            let offset = u32::from(attribute.offset) & !(align - 1);
            if let Some(needs) = needs.get_mut(usize::from(attribute.slot)) {
                needs.align = needs.align.max(align);
                needs.extent = needs.extent.max(offset + format.bytes());
            }
            layout.attributes.push(Attribute {
                location: attribute.location.into(),
                binding,
                format: crate::format::vertex(format),
                offset,
            });
            if !layout.bindings.iter().any(|(other, _)| *other == binding) {
                let divisor = (attribute.per_instance != 0).then_some(u32::from(attribute.divisor));
                layout.bindings.push((binding, divisor));
            }
        }
        for location in bits(missing) {
            layout.attributes.push(Attribute {
                location: location as u32,
                binding: DEFAULT_BINDING,
                format: vk::Format::R32G32B32A32_SFLOAT,
                offset: 0,
            });
        }
        if missing != 0 {
            layout.bindings.push((DEFAULT_BINDING, None));
            self.bind_default_buffer();
        }
        self.layout_slots = layout.bindings.iter().filter(|b| b.0 < DEFAULT_BINDING).fold(0, |m, b| m | 1 << b.0);
        self.layout_default = missing != 0;
        let number = self.pipelines.inputs.number(&layout);
        if number != self.key.input {
            self.key.input = number;
            self.key_dirty = true;
        }
        if needs != self.layout_needs {
            self.layout_needs = needs;
            // Strides and offsets are adapted to the layout.
            self.state.dirty_vertex_buffers |= self.layout_slots;
        }
        // Slots that the layout before did not read may not be bound yet.
        self.state.dirty_vertex_buffers |= self.layout_slots & !self.bound_slots;
        self.bind_vertex_buffers();
    }

    fn bind_default_buffer(&mut self) {
        if !std::mem::replace(&mut self.recorded.default_buffer_bound, true) {
            let cmd = self.main();
            // SAFETY: the buffer lives as long as the renderer.
            unsafe {
                let (buffers, zero) = ([self.default_vertex.raw], [0]);
                self.gpu.raw.cmd_bind_vertex_buffers2(cmd, DEFAULT_BINDING, &buffers, &zero, None, Some(&zero));
            }
        }
    }

    /// Binds the vertex buffers that changed and that the layout reads.
    fn bind_vertex_buffers(&mut self) {
        let mask = self.state.dirty_vertex_buffers & self.layout_slots;
        for slot in bits(mask) {
            let binding = self.state.vertex_buffers[slot];
            let (buffer, offset, size, stride) =
                match self.vertex_source(binding.source, binding.offset, binding.size, self.vertex_uploads[slot]) {
                    Some((buffer, offset, size)) => self.adapt(slot, (buffer, offset, size), binding.stride),
                    None => (self.default_vertex.raw, 0, self.default_vertex.size, 0),
                };
            // A last vertex that is cut off may still be read in part.
            let vertices = size.checked_div(stride).map_or(0, |vertices| vertices + 1);
            self.slot_vertices[slot] = u32::try_from(vertices).unwrap_or(u32::MAX);
            let cmd = self.main();
            // SAFETY: the buffer is alive until this submission has completed, and the range lies inside of it.
            unsafe {
                self.gpu.raw.cmd_bind_vertex_buffers2(
                    cmd,
                    slot as u32,
                    &[buffer],
                    &[offset],
                    Some(&[size]),
                    Some(&[stride]),
                );
            }
        }
        self.state.dirty_vertex_buffers &= !mask;
        self.bound_slots |= mask;
        self.vertex_limit = bits(self.layout_slots).map(|slot| self.slot_vertices[slot]).max().unwrap_or(0);
        if self.vertex_limit == 0 {
            self.vertex_limit = MOST_WITHOUT_BUFFERS;
        }
    }

    /// A binding whose offset and stride are as Vulkan wants them for the layout.
    #[inline]
    fn adapt(
        &mut self,
        slot: usize,
        (buffer, offset, size): (vk::Buffer, u64, u64),
        stride: u32,
    ) -> (vk::Buffer, u64, u64, u64) {
        let Needs { align, extent } = self.layout_needs[slot];
        let mask = align.max(1) - 1;
        let fine = (offset as u32 | stride) & mask == 0 && (stride == 0 || stride >= extent);
        if fine {
            return (buffer, offset, size, stride.into());
        }
        self.warn_once("vertex buffer", "offsets and strides that are not aligned, or strides shorter than a vertex");
        let stride = if stride == 0 { 0 } else { stride.max(extent).next_multiple_of(align.max(1)) };
        let skipped = offset & u64::from(mask);
        (buffer, offset - skipped, size + skipped, stride.into())
    }

    /// Where a vertex or index source is: buffer, offset, bytes. `upload` is where its bytes lie if they were uploaded.
    fn vertex_source(
        &mut self,
        source: ObjectId,
        offset: u64,
        size: u64,
        upload: Option<(vk::Buffer, u64, u64)>,
    ) -> Option<(vk::Buffer, u64, u64)> {
        let current = self.submissions.current;
        match source.kind() {
            Some(ObjectKind::Buffer) => {
                let buffer = self.buffers.get_mut(source)?;
                buffer.last_used = current;
                let rest = buffer.desc.size.checked_sub(offset).filter(|&rest| rest > 0)?;
                let size = if size == 0 { rest } else { size.min(rest) };
                Some((buffer.backing.buffer, buffer.backing.offset + offset, size))
            }
            Some(ObjectKind::Upload) => upload,
            _ => None,
        }
    }

    fn bind_index_buffer(&mut self) {
        let body = self.state.index_buffer;
        let wide = body.index_bytes == 4;
        let found = self.vertex_source(body.source, body.offset, body.size, self.index_upload);
        let Some((buffer, offset, size)) = found else {
            self.index_limit = 0;
            return;
        };
        self.index_limit = u32::try_from(size / u64::from(body.index_bytes.max(1))).unwrap_or(u32::MAX);
        let kind = if wide { vk::IndexType::UINT32 } else { vk::IndexType::UINT16 };
        let cmd = self.main();
        // SAFETY: as for vertex buffers; the validator has checked the offset's alignment.
        unsafe { self.gpu.raw.cmd_bind_index_buffer(cmd, buffer, offset, kind) };
    }

    /// The parts of the key that are not interned elsewhere.
    fn update_key(&mut self, topology: Topology, raster: bool, blend: bool) {
        let class = pipeline::class(topology);
        let d3 = self.gpu.profile.dynamic_state3;
        if raster || self.key.raster & 0xff != class {
            let state = &self.state.raster;
            let fill = if d3.polygon_mode { 0 } else { state.fill };
            let clamp = !d3.depth_clamp && state.depth_clip == 0 && self.gpu.profile.depth_clamp;
            let part = Key::raster(class, fill, clamp);
            let mask = if d3.sample_mask { 0 } else { state.sample_mask };
            if (self.key.raster, self.key.sample_mask) != (part, mask) {
                (self.key.raster, self.key.sample_mask) = (part, mask);
                self.key_dirty = true;
            }
        }
        if blend && !d3.blend {
            let part = Blend {
                enable: self.state.blend.enable != 0,
                equation: pipeline::equation(&self.state.blend),
                masks: self.write_masks(&self.state.blend),
            };
            let number = self.pipelines.blends.number(&part);
            if number != self.key.blend {
                self.key.blend = number;
                self.key_dirty = true;
            }
        }
    }

    /// Write masks, without the targets that the shader does not write: Vulkan leaves their values undefined.
    fn write_masks(&self, blend: &SetBlend) -> [u8; 8] {
        let outputs = self.shading.pixel.as_ref().map_or(0, |pixel| pixel.outputs);
        let mut masks = blend.write_masks;
        for (index, mask) in masks.iter_mut().enumerate() {
            *mask = if outputs >> index & 1 != 0 { *mask & 15 } else { 0 };
        }
        if !self.gpu.profile.independent_blend {
            masks = [masks[0]; 8];
        }
        masks
    }

    #[inline]
    fn set_topology(&mut self, topology: Topology) {
        if self.recorded.topology != Some(topology as u32) {
            self.recorded.topology = Some(topology as u32);
            // SAFETY: the command buffer is being recorded.
            unsafe { self.gpu.raw.cmd_set_primitive_topology(self.submissions.main, pipeline::topology(topology)) };
        }
    }

    fn set_viewport(&mut self, v: SetViewport) {
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

    fn set_scissor(&mut self) {
        let none = vk::Rect2D::default();
        let rect = crate::targets::clip(&self.state.scissor.rect, self.targets.extent).unwrap_or(none);
        if self.recorded.scissor != Some(rect) {
            self.recorded.scissor = Some(rect);
            // SAFETY: the rectangle lies inside of the targets.
            unsafe { self.gpu.raw.cmd_set_scissor(self.submissions.main, 0, &[rect]) };
        }
    }

    fn set_raster(&mut self) {
        let (raw, cmd, state) = (&self.gpu.raw, self.submissions.main, self.state.raster);
        // SAFETY: the command buffer is being recorded, and extension functions are there where the profile says so.
        unsafe {
            if self.recorded.cull != Some((state.cull, state.front_ccw)) {
                self.recorded.cull = Some((state.cull, state.front_ccw));
                raw.cmd_set_cull_mode(
                    cmd,
                    match Cull::of(state.cull) {
                        Cull::None => vk::CullModeFlags::NONE,
                        Cull::Front => vk::CullModeFlags::FRONT,
                        Cull::Back => vk::CullModeFlags::BACK,
                    },
                );
                let ccw = state.front_ccw != 0;
                raw.cmd_set_front_face(
                    cmd,
                    if ccw { vk::FrontFace::COUNTER_CLOCKWISE } else { vk::FrontFace::CLOCKWISE },
                );
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
            if has.polygon_mode && self.recorded.fill != Some(state.fill) {
                self.recorded.fill = Some(state.fill);
                d3.cmd_set_polygon_mode(cmd, pipeline::polygon_mode(&self.gpu, state.fill));
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

    fn set_depth_stencil(&mut self) {
        let there = self.targets.formats.depth != vk::Format::UNDEFINED;
        let mut state = self.state.depth_stencil;
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

    fn set_blend(&mut self) {
        let (raw, cmd, state) = (&self.gpu.raw, self.submissions.main, self.state.blend);
        let constant = state.constant.map(f32::to_bits);
        if self.recorded.blend_constant != Some(constant) {
            self.recorded.blend_constant = Some(constant);
            // SAFETY: the command buffer is being recorded.
            unsafe { raw.cmd_set_blend_constants(cmd, &state.constant) };
        }
        if !self.gpu.profile.dynamic_state3.blend {
            return;
        }
        let Some(d3) = &self.gpu.dynamic3 else { return };
        // Every pipeline has as many attachments as the targets have.
        let count = self.targets.formats.color_count() as u32;
        if count == 0 {
            return;
        }
        let n = count as usize;
        // SAFETY: the command buffer is being recorded, and the extension is enabled.
        unsafe {
            if self.recorded.blend_enable != Some((state.enable, count)) {
                self.recorded.blend_enable = Some((state.enable, count));
                d3.cmd_set_color_blend_enable(cmd, 0, &[vk::Bool32::from(state.enable != 0); 8][..n]);
            }
            // The equation says nothing while blending is off.
            let equation = pipeline::equation(&state);
            if self.recorded.equation != Some((equation, count))
                && (state.enable != 0 || self.recorded.equation.is_none_or(|e| e.1 != count))
            {
                self.recorded.equation = Some((equation, count));
                let [src, dst, op, src_alpha, dst_alpha, alpha_op] = equation;
                let equation = vk::ColorBlendEquationEXT {
                    src_color_blend_factor: pipeline::factor(&self.gpu, src),
                    dst_color_blend_factor: pipeline::factor(&self.gpu, dst),
                    color_blend_op: pipeline::blend_op(op),
                    src_alpha_blend_factor: pipeline::factor(&self.gpu, src_alpha),
                    dst_alpha_blend_factor: pipeline::factor(&self.gpu, dst_alpha),
                    alpha_blend_op: pipeline::blend_op(alpha_op),
                };
                d3.cmd_set_color_blend_equation(cmd, 0, &[equation; 8][..n]);
            }
            let masks = self.write_masks(&state);
            if self.recorded.write_masks != Some((masks, count)) {
                self.recorded.write_masks = Some((masks, count));
                let flags = masks.map(|mask| vk::ColorComponentFlags::from_raw(mask.into()));
                d3.cmd_set_color_write_mask(cmd, 0, &flags[..n]);
            }
        }
    }

    /// Copies a stage's constants to the ring; their address goes to word `at` of the push constants.
    fn push_constants_of(&mut self, variant: &Variant, at: usize) -> Result {
        if variant.constant_bytes == 0 {
            return Ok(());
        }
        let slice =
            self.constants.alloc(variant.constant_bytes, 16, self.submissions.current, self.submissions.completed)?;
        let mut bytes = slice.bytes();
        for segment in &variant.segments {
            let bank = self.state.bank(usize::from(segment.bank));
            let registers = &bank[segment.first as usize..][..segment.count as usize];
            let (part, rest) = bytes.split_at_mut(size_of_val(registers));
            part.copy_from_slice(bytemuck::cast_slice(registers));
            bytes = rest;
        }
        for (offset, value) in &variant.defs {
            slice.bytes()[*offset..*offset + 16].copy_from_slice(bytemuck::bytes_of(value));
        }
        self.set_address(at, slice.address);
        Ok(())
    }

    /// The system block: alpha reference, fog, point size, clip planes (`afterimage_shader_d3d9::banks::SystemRegister`).
    fn push_system_constants(&mut self) -> Result {
        const REGISTERS: usize = 14;
        let ops = &self.state.pixel_ops;
        let mut block = [[0f32; 4]; REGISTERS];
        block[0][0] = ops.alpha_ref;
        block[1] = ops.fog_color;
        let range = ops.fog_end - ops.fog_start;
        block[2] = [ops.fog_start, ops.fog_end, if range == 0.0 { 0.0 } else { 1.0 / range }, 0.0];
        block[3][0] = self.state.raster.point_size.clamp(1.0, self.gpu.profile.limits.point_size_range[1].max(1.0));
        let planes: &[[f32; 4]] = bytemuck::cast_slice(&self.state.bank(8)[8..REGISTERS]);
        block[8..].copy_from_slice(planes);
        let bytes: &[u8] = bytemuck::cast_slice(&block);
        let slice = self.constants.alloc(bytes.len(), 16, self.submissions.current, self.submissions.completed)?;
        slice.bytes().copy_from_slice(bytes);
        self.set_address(4, slice.address);
        Ok(())
    }

    #[inline]
    fn set_address(&mut self, at: usize, address: u64) {
        self.push[at] = address as u32;
        self.push[at + 1] = (address >> 32) as u32;
        self.push_range = (self.push_range.0.min(at), self.push_range.1.max(at + 2));
    }

    /// Puts the words of the textures that changed and that a shader reads into the push constants, or binds their set.
    fn bind_textures(&mut self, check: u32) -> Result {
        let shading = &self.shading;
        let word_of = |slot: usize| {
            // A texture of another shape than the shader reads is as good as none.
            let wanted = (shading.tables >> (2 * slot) & 3) as u8;
            if shading.bound[slot] == wanted { shading.words[slot] } else { 0 }
        };
        if let Some((_, set)) = self.descriptors.bindless {
            if !std::mem::replace(&mut self.recorded.descriptors_bound, true) {
                bind_set(&self.gpu, self.submissions.main, self.descriptors.pipeline_layout, set);
            }
            for slot in bits(check & shading.used) {
                let (at, word) = (PUSH_TEXTURES + slot, word_of(slot));
                if self.push[at] != word {
                    self.push[at] = word;
                    self.push_range = (self.push_range.0.min(at), self.push_range.1.max(at + 1));
                }
            }
            return Ok(());
        }
        if shading.used == 0 || (check & shading.used == 0 && self.recorded.slot_key.is_some()) {
            return Ok(());
        }
        let mut key = SlotKey { words: [0; TEXTURE_SLOTS], tables: shading.tables };
        for slot in bits(shading.used) {
            key.words[slot] = word_of(slot);
        }
        if self.recorded.slot_key != Some(key) {
            let (current, completed) = (self.submissions.current, self.submissions.completed);
            let set = self.descriptors.slot_set(&key, current, completed)?;
            bind_set(&self.gpu, self.submissions.main, self.descriptors.pipeline_layout, set);
            self.recorded.slot_key = Some(key);
        }
        Ok(())
    }

    /// Records the push constants that changed.
    #[inline]
    fn push(&mut self) {
        let (first, end) = std::mem::replace(&mut self.push_range, (PUSH_WORDS, 0));
        if first < end {
            let bytes: &[u8] = bytemuck::cast_slice(&self.push[first..end]);
            // SAFETY: the range lies inside of the layout's push constants.
            unsafe {
                let layout = self.descriptors.pipeline_layout;
                self.gpu.raw.cmd_push_constants(self.submissions.main, layout, PUSH_STAGES, first as u32 * 4, bytes);
            }
        }
    }
}

fn bind_set(gpu: &Gpu, cmd: vk::CommandBuffer, layout: vk::PipelineLayout, set: vk::DescriptorSet) {
    // SAFETY: set and layout are alive until the submission has completed.
    unsafe {
        gpu.raw.cmd_bind_descriptor_sets(cmd, vk::PipelineBindPoint::GRAPHICS, layout, 0, &[set], &[]);
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

/// Numbers of the bits that are set.
#[inline]
pub(crate) fn bits(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (mask != 0).then(|| {
            let bit = mask.trailing_zeros() as usize;
            mask &= mask - 1;
            bit
        })
    })
}

/// The table that a texture's view is in.
pub(crate) fn table(desc: &CreateTexture) -> Table {
    match desc.dimension {
        1 => Table::Cube,
        2 => Table::D3,
        _ => Table::D2,
    }
}
