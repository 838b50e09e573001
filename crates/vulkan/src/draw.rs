//! Draws: applying dirty groups, recording.
//!
//! Only [`afterimage_stream::State::dirty`] says what changed. What is recorded is compared with what the command buffer
//! already has ([`Recorded`]), so a group that was set to the same value costs a comparison.

use crate::ahead::Rest;
use crate::descriptors::{ImageKey, SlotKey};
use crate::error::Result;
use crate::layouts::{Layout, Reach};
use crate::pipeline::{Blend, Key, Spec};
use crate::profile::Profile;
use crate::raster::{self, Raster};
use crate::renderer::Renderer;
use crate::shaders::Variant;
use crate::workers::Urgency;
use afterimage_shader::{RuntimeInfo, bound};
use afterimage_stream::packets::{
    Draw, DrawIndexed, LineMode, SetDepthStencil, SetPixelOps, SetViewport, Stage, Topology,
};
use afterimage_stream::{Group, Groups, TEXTURE_SLOTS};
use ash::vk;
use std::sync::Arc;

/// What the command buffer being recorded has. `None`, or a value that nothing equals, where it has nothing yet.
#[derive(Default)]
pub(crate) struct Recorded {
    pub(crate) pipeline: vk::Pipeline,
    pub(crate) viewport: Option<SetViewport>,
    pub(crate) scissor: Option<vk::Rect2D>,
    pub(crate) cull: Option<u8>,
    pub(crate) front_ccw: Option<u8>,
    pub(crate) topology: Option<u32>,
    pub(crate) fill: Option<u8>,
    pub(crate) line_width: Option<f32>,
    pub(crate) logic_op: Option<u8>,
    pub(crate) clamp: Option<bool>,
    pub(crate) bias: Option<[u32; 3]>,
    pub(crate) sample_mask: Option<(u32, u32)>,
    pub(crate) depth_stencil: Option<SetDepthStencil>,
    pub(crate) depth_there: Option<bool>,
    pub(crate) blend_enable: Option<(u8, u32)>,
    pub(crate) equation: Option<([u8; 6], u32)>,
    pub(crate) write_masks: Option<([u8; 8], u32)>,
    pub(crate) blend_constant: Option<[u32; 4]>,
    pub(crate) slot_key: Option<SlotKey>,
    pub(crate) image_key: Option<ImageKey>,
    /// The layout that sets were last bound with.
    pub(crate) layout: vk::PipelineLayout,
    pub(crate) compute: crate::compute::Recorded,
    pub(crate) descriptors_bound: bool,
    pub(crate) default_buffer_bound: bool,
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
    pub(crate) runtime: RuntimeInfo,
    /// Bit per texture slot that either shader samples.
    pub(crate) used: u32,
    /// Which table each slot is read from, three bits each, and what its texels are to the shader, two bits each.
    pub(crate) tables: u64,
    pub(crate) kinds: u64,
    /// What both shaders reach.
    pub(crate) reach: Reach,
    /// The layout for that; none is the plain one.
    pub(crate) layout: Option<Layout>,
    /// Whether either shader writes buffers by address, or storage images.
    pub(crate) stores: bool,
    /// Words of the textures bound, whether a shader reads them or not.
    pub(crate) words: [u32; TEXTURE_SLOTS],
    /// The table that each bound texture is in, and from bit 3 on its kind.
    pub(crate) bound: [u8; TEXTURE_SLOTS],
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
    fn prepare(&mut self, topology: u32, rest: Rest<'_>) -> bool {
        if !(self.ready.topology == topology && self.targets.open && self.state.dirty.is_empty()) {
            self.apply(topology, rest);
        }
        self.draws += 1;
        if self.ready.skip {
            self.skipped_draws += 1;
        }
        !self.ready.skip
    }

    /// [`Draw`].
    #[inline]
    pub(crate) fn draw(&mut self, body: &Draw, rest: Rest<'_>) {
        self.draw_part(body, rest);
        if self.in_parts {
            self.draw_second_part(|renderer| renderer.draw_part(body, rest));
        }
    }

    #[inline]
    fn draw_part(&mut self, body: &Draw, rest: Rest<'_>) {
        if !self.prepare(body.topology, rest) {
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
    pub(crate) fn draw_indexed(&mut self, body: &DrawIndexed, rest: Rest<'_>) {
        self.draw_indexed_part(body, rest);
        if self.in_parts {
            self.draw_second_part(|renderer| renderer.draw_indexed_part(body, rest));
        }
    }

    #[inline]
    fn draw_indexed_part(&mut self, body: &DrawIndexed, rest: Rest<'_>) {
        if !self.prepare(body.topology, rest) {
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
        self.record_pending();
        if self.faces_apart && self.key.raster.class() == raster::TRIANGLES {
            self.set_face(true);
            self.record_pending();
            self.set_face(false);
        }
        self.pending.plain.clear();
        self.pending.indexed.clear();
    }

    fn record_pending(&self) {
        let (raw, cmd, instances) = (&self.gpu.raw, self.submissions.main, self.pending.instances);
        // One draw between changes is what most programs do most.
        match (&self.pending.plain[..], &self.pending.indexed[..]) {
            ([d], []) => {
                // SAFETY: a pass is open and everything a draw needs is bound (`apply`).
                return unsafe { raw.cmd_draw(cmd, d.vertex_count, instances, d.first_vertex, 0) };
            }
            ([], [d]) => {
                // SAFETY: as above.
                return unsafe {
                    raw.cmd_draw_indexed(cmd, d.index_count, instances, d.first_index, d.vertex_offset, 0);
                };
            }
            _ => {}
        }
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
    }

    /// Applies what is dirty and makes everything ready for draws of a topology.
    fn apply(&mut self, topology: u32, rest: Rest<'_>) {
        self.flush_draws();
        if self.ready == (Ready { topology, skip: false }) && matches!(self.apply_registers(), Ok(true)) {
            return;
        }
        let result = self.try_apply(Topology::of(topology as u8), rest);
        let skip = result.unwrap_or_else(|error| {
            self.fail(error);
            true
        });
        self.ready = Ready { topology, skip };
    }

    /// What most draws differ in: constants, and textures of the same shapes. False, or an error, where there is more to
    /// apply; nothing is lost then.
    fn apply_registers(&mut self) -> Result<bool> {
        let mut dirty = self.state.dirty;
        let vertex = dirty.clear(Group::VertexConstants);
        let pixel = dirty.clear(Group::PixelConstants);
        dirty.clear(Group::ComputeConstants);
        let textures = dirty.clear(Group::Textures);
        let more = self.variants_dirty || self.key_dirty || self.recheck_textures || self.in_parts;
        let more = more || self.shading.stores || self.order.pass_stores;
        if !dirty.is_empty() || more || !self.targets.open {
            return Ok(false);
        }
        let check = self.state.dirty_textures;
        if textures {
            self.take_textures(check);
            for slot in bits(check & self.shading.used) {
                self.touch_texture(self.state.textures[slot].texture)?;
                if self.gathers(slot) {
                    return Ok(false);
                }
            }
            if self.variants_dirty || !self.targets.open {
                return Ok(false);
            }
        }
        if vertex {
            self.push_constants_of(Stage::Vertex)?;
        }
        if pixel {
            self.push_constants_of(Stage::Pixel)?;
        }
        if textures {
            self.bind_textures(check)?;
            self.state.dirty_textures = 0;
        }
        self.state.dirty = dirty;
        self.push();
        self.begin_segment();
        Ok(true)
    }

    /// As [`Renderer::apply`]; true if draws must be dropped.
    fn try_apply(&mut self, topology: Topology, rest: Rest<'_>) -> Result<bool> {
        if self.targets.small_depth && self.state.dirty.contains(Group::DepthStencil) {
            // Whether it limits the draws depends on what is tested.
            self.state.dirty.mark(Group::RenderTargets);
        }
        self.resolve_targets()?;
        let dirty = self.state.dirty.take();
        let skip = self.apply_groups(topology, dirty, rest);
        if !matches!(skip, Ok(false)) {
            // Something is missing and the rest was left: the next draw must look at all of it again.
            self.state.dirty = Groups::all();
            self.state.dirty.clear(Group::RenderTargets);
            self.state.dirty_textures = u32::MAX;
            self.variants_dirty = true;
        }
        skip
    }

    fn apply_groups(&mut self, topology: Topology, dirty: Groups, rest: Rest<'_>) -> Result<bool> {
        let mut check = 0;
        if dirty.contains(Group::Textures) {
            check = std::mem::take(&mut self.state.dirty_textures);
            self.take_textures(check);
        }
        let points = u8::from(topology == Topology::PointList);
        if points != self.shading.runtime.vertex_ops.point_size {
            let runtime = &mut self.shading.runtime;
            runtime.vertex_ops.point_size = points;
            runtime.pixel_ops.point_sprite = self.state.pixel_ops.point_sprite & points;
            self.variants_dirty = true;
        }
        let part = if dirty.contains(Group::Blend) { self.take_part() } else { false };
        if dirty.contains(Group::PixelOps) {
            apply_pixel_ops(&mut self.shading.runtime, &self.gpu.profile, &self.state.pixel_ops);
            self.variants_dirty = true;
        }
        let (mut vertex_input, mut constants) = (dirty.contains(Group::VertexInput), [false; 3]);
        if dirty.contains(Group::Shaders) || self.variants_dirty {
            self.variants_dirty = false;
            if self.take_shaders(rest) {
                check = u32::MAX;
                vertex_input = true;
                constants = [true; 3];
            }
            self.take_spec();
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
        let mut raster = dirty.contains(Group::Raster);
        let blend = dirty.contains(Group::Blend) || constants[1];
        let quads = self.key.raster.line_quads();
        self.update_key(topology, raster, blend);
        let line_quads = self.key.raster.line_quads();
        raster |= line_quads != quads;
        if line_quads && (raster || dirty.contains(Group::Viewport)) {
            self.push_lines();
        }
        let viewport = self.state.viewport;
        let Some(vertex) = &self.shading.vertex else { return Ok(true) };
        let mut system = vertex.system;
        if self.targets.is_empty() || viewport.width <= 0.0 || viewport.height <= 0.0 {
            return Ok(true);
        }
        let images = self.take_storage_images(dirty.contains(Group::StorageImages) || constants[0])?;
        if self.order.pass_stores {
            self.end_pass();
        }
        self.open_pass();
        if self.shading.stores {
            (self.order.written, self.order.pass_stores) = (true, true);
        }
        let cmd = self.main();
        if std::mem::take(&mut self.key_dirty) || self.recorded.pipeline == vk::Pipeline::null() {
            let Some(pipeline) = self.find_pipeline(self.key, rest) else {
                // The next draw must look again, or it would be drawn with the pipeline before.
                self.key_dirty = true;
                return Ok(true);
            };
            if !self.find_back_pipeline(rest) {
                self.key_dirty = true;
                return Ok(true);
            }
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
            let rect = self.state.scissor.rect;
            self.set_scissor(&rect);
        }
        if raster {
            let state = self.state.raster;
            self.set_raster(&state);
        }
        let first_part = self.in_parts && !self.second_part;
        if dirty.contains(Group::DepthStencil) || part {
            let mut state = self.state.depth_stencil;
            if first_part {
                // The second part is tested against the same, and leaves what the draw leaves.
                (state.depth_write, state.write_mask) = (0, 0);
            }
            self.set_depth_stencil(state);
        }
        if blend {
            let state = self.blend();
            let masks = self.write_masks(&state);
            self.set_blend(&state, masks);
            if !self.state.blend_targets.is_empty() {
                self.set_blend_targets();
            }
        }
        if dirty.contains(Group::VertexConstants) || constants[0] {
            self.push_constants_of(Stage::Vertex)?;
        }
        if dirty.contains(Group::PixelConstants) || constants[1] {
            self.push_constants_of(Stage::Pixel)?;
        }
        system |= self.shading.pixel.as_ref().is_some_and(|pixel| pixel.system);
        let texels = bits(check & self.shading.used).any(|slot| self.gathers(slot));
        if system && (dirty.contains(Group::SystemConstants) || raster || texels || constants[2]) {
            self.push_system_constants()?;
        }
        self.bind_textures(check)?;
        if let Some(key) = images {
            self.bind_storage_images(key)?;
        }
        self.push();
        if first_part {
            // Only the second part is counted.
            self.end_segment();
        } else {
            self.begin_segment();
        }
        Ok(false)
    }

    /// The pipeline of the key. Where only a specialised one is missing, the general one draws until it is there.
    #[inline]
    fn find_pipeline(&mut self, key: Key, rest: Rest<'_>) -> Option<vk::Pipeline> {
        match self.pipelines.get(&key) {
            Some(found) => found,
            None => self.new_pipeline(key, rest),
        }
    }

    /// Where triangles' back faces are filled in another way, and how is part of the pipeline: finds theirs. False if it is missing.
    #[inline]
    fn find_back_pipeline(&mut self, rest: Rest<'_>) -> bool {
        let profile = &self.gpu.profile;
        let state = &self.state.raster;
        let has_faces = self.key.raster.class() == raster::TRIANGLES;
        if !has_faces || profile.dynamic_state3.polygon_mode || !raster::draws_faces_apart(profile, state) {
            return true;
        }
        let key = Key { raster: self.key.raster.filled(profile, state.fill_back), ..self.key };
        self.find_pipeline(key, rest).is_some_and(|pipeline| {
            self.back_pipeline = pipeline;
            true
        })
    }

    #[cold]
    fn new_pipeline(&mut self, mut key: Key, rest: Rest<'_>) -> Option<vk::Pipeline> {
        if key.spec != Spec::DYNAMIC && !self.pipelines.is_ready(&key) {
            self.pipelines.prepare(&key, &self.library, Urgency::Guess);
            key.spec = Spec::DYNAMIC;
            if let Some(found) = self.pipelines.get(&key) {
                return found;
            }
        }
        if !self.pipelines.is_ready(&key) {
            self.look_ahead(rest);
            if self.options.skip_unready {
                self.pipelines.prepare(&key, &self.library, Urgency::Soon);
                return None;
            }
        }
        self.guess_generic();
        self.pipelines.wait(&key, &self.library)
    }

    /// The variants of the bound shaders for the state around them; true if one of them changed.
    fn take_shaders(&mut self, rest: Rest<'_>) -> bool {
        let bound = self.state.shaders;
        let ops = &self.state.pixel_ops;
        let pixel = self.shaders.get(bound.pixel).and_then(|guest| guest.shader.as_ref());
        let generic = pixel.is_some_and(|pixel| pixel.wants_generic(ops.alpha_compare, ops.fog));
        self.generic_seen |= generic;
        let runtime = &mut self.shading.runtime;
        runtime.pixel_ops.generic = generic.into();
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
        if !self.library.is_ready(vertex) || (pixel != Key::NONE && !self.library.is_ready(pixel)) {
            self.look_ahead(rest);
            if self.options.skip_unready {
                self.shading.vertex = None;
                return true;
            }
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
        shading.kinds = 0;
        shading.stores = false;
        let mut reach = Reach::PLAIN;
        for variant in shading.vertex.iter().chain(&shading.pixel) {
            shading.used |= variant.textures;
            shading.tables |= variant.tables;
            shading.kinds |= variant.kinds;
            shading.stores |= variant.stores;
            reach = reach.with(variant.reach.tables(), variant.reach.images);
        }
        if shading.reach != reach {
            shading.reach = reach;
            // Where there is none, the pipeline cannot be made either.
            shading.layout = self.descriptors.layouts.get(reach).ok();
        }
        true
    }

    /// What a generic pixel module is specialised for.
    fn take_spec(&mut self) {
        let specs = self.shading.pixel.as_ref().map_or(0, |pixel| pixel.specs);
        let ops = &self.state.pixel_ops;
        let spec = if specs == 0 { Spec::DYNAMIC } else { Spec::new(specs, ops.alpha_compare, ops.fog) };
        if self.key.spec != spec {
            self.key.spec = spec;
            self.key_dirty = true;
        }
    }

    /// The parts of the key that are not interned elsewhere.
    fn update_key(&mut self, topology: Topology, raster: bool, blend: bool) {
        let class = raster::class(topology);
        let d3 = self.gpu.profile.dynamic_state3;
        let rects = topology == Topology::RectList && self.gpu.profile.geometry_shader;
        if raster || blend || self.key.raster.class() != class || rects != self.key.raster.rects() {
            let (profile, state) = (&self.gpu.profile, &self.state.raster);
            let part = Raster::new(profile, state, self.state.blend.logic_op, class).of(profile, topology);
            let mask = Key::sample_mask(profile, state);
            if (self.key.raster, self.key.sample_mask) != (part, mask) {
                (self.key.raster, self.key.sample_mask) = (part, mask);
                self.key_dirty = true;
            }
            self.warn_of_lacks();
            if topology == Topology::RectList && !rects {
                self.warn_once("rectangles", "lists of rectangles (the device has no geometry shaders)");
            }
        }
        if blend && !d3.blend {
            let state = self.blend();
            let mut part = Blend::new(&state, self.write_masks(&state));
            if !self.state.blend_targets.is_empty() {
                let outputs = self.shading.pixel.as_ref().map_or(0, |pixel| pixel.outputs);
                part = part.with(&self.gpu.profile, &self.state.blend_targets, outputs);
            }
            let number = self.pipelines.blends.number(&part);
            if number != self.key.blend {
                self.key.blend = number;
                self.key_dirty = true;
            }
        }
    }

    /// Says once what the state asks for and the device does not have.
    fn warn_of_lacks(&mut self) {
        let (profile, state) = (&self.gpu.profile, &self.state.raster);
        let lines = state.line_mode == LineMode::Quad as u8 && !profile.geometry_shader;
        let provoking = state.provoking != 0 && !profile.provoking_last;
        let logic = self.state.blend.logic_op != 0 && !profile.logic_op;
        if lines {
            self.warn_once("line mode", "lines as two triangles (the device has no geometry shaders)");
        }
        if provoking {
            self.warn_once("provoking vertex", "flat colours of last vertices (the device takes the first ones')");
        }
        if logic {
            self.warn_once("logical operations", "draws with them (the device has none)");
        }
    }
}

/// The part of the state around shaders that a [`SetPixelOps`] says, but for alpha test and fog: those are not in the
/// modules, see [`Shader::wants_generic`](afterimage_shader::Shader::wants_generic). `vertex_ops.point_size` is known.
pub(crate) fn apply_pixel_ops(runtime: &mut RuntimeInfo, profile: &Profile, ops: &SetPixelOps) {
    runtime.pixel_ops.alpha_compare = ops.alpha_compare;
    runtime.pixel_ops.fog = ops.fog;
    runtime.pixel_ops.flat = ops.flat;
    // Only points have a place in the point.
    runtime.pixel_ops.point_sprite = ops.point_sprite & runtime.vertex_ops.point_size;
    let planes = profile.limits.max_clip_distances.min(6);
    let planes = if profile.clip_distance { (1u32 << planes) - 1 } else { 0 };
    runtime.vertex_ops.clip_planes = ops.clip_planes & planes as u8;
    for (slot, texture) in runtime.textures.iter_mut().enumerate().take(8) {
        let projected = if ops.projected >> slot & 1 != 0 { bound::PROJECTED } else { 0 };
        *texture = *texture & !bound::PROJECTED | projected;
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
