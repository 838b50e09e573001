//! Draws like the last one. Most change constants, a texture, a state, or where vertices lie, and nothing that targets, shaders and copies
//! come of: these are applied here, each by itself, and nothing else is looked at. Whatever is not as simple is left to the other way
//! ([`draw`](crate::execute::draw)), for which all that changed is dirty still.

use crate::execute::draw::{BLENDING, CONSTANTS, Call, MOST_VERTICES, TEXTURES, groups};
use crate::execute::variants::{chosen, draws_in_parts, made_of, sampler_bit, shape_of};
use crate::pipeline::shaders::TextureArgument;
use crate::renderer::{MOST_DRAWS, OUTSTANDING_LIMIT, Renderer};
use crate::resources::sampler::Sampler;
use crate::resources::texture::Texture;
use crate::state::bound::{Plain, Prepared, Recorded, Sampled};
use crate::state::indices::{is_strip, primitive};
use afterimage_abi::metal::vertex_buffer;
use afterimage_metal_calls::{Device, DrawCount, IndexType, Indices, PrimitiveType, Queue, Stage};
use afterimage_shader::bound;
use afterimage_stream::host::level;
use afterimage_stream::packets::{CreateTexture, Cull, Fill, TextureBinding, Topology};
use afterimage_stream::{Group, Groups, Host, ObjectKind, TEXTURE_SLOTS};

/// What may have changed since the last draw.
const AGAIN: Groups = groups(&[
    Group::Aside,
    Group::Shapes,
    Group::PixelOps,
    Group::Part,
    Group::BlendKey,
    Group::Drawable,
    Group::Readable,
    Group::Topology,
    Group::Viewport,
    Group::Scissor,
    Group::Raster,
    Group::DepthStencil,
    Group::Blend,
    Group::VertexBuffers,
    Group::IndexBuffer,
    Group::Lines,
    Group::VertexConstants,
    Group::PixelConstants,
    Group::SystemConstants,
    Group::Textures,
    Group::Push,
    Group::Counting,
    Group::Feedback,
]);
/// What the viewport is in.
const VIEWPORT: Groups = groups(&[Group::Viewport, Group::Drawable]);

impl<D: Device> Renderer<D> {
    /// Draws where the last draw was like this one. False where it was not: then nothing was drawn.
    #[inline(always)]
    pub(crate) fn draw_again(&mut self, call: &Call) -> bool {
        let Some(plain) = &self.bound.recorded.plain else { return false };
        if plain.topology != call.topology || call.instances != 1 || call.first_instance != 0 {
            return false;
        }
        let dirty = self.state.tracker.dirty().intersect(level::DRAW);
        if !dirty.is_empty() && !self.apply_again(dirty) {
            return false;
        }
        if call.indexed { self.encode_indexed_again(call) } else { self.encode_again(call) }
    }

    /// Notes that the encoder has all that a draw needed, and nothing of it was made for that draw alone.
    pub(crate) fn note_plain(&mut self, topology: Topology, drawn: PrimitiveType, fill: Fill, prepared: &mut Prepared) {
        let last = self.state.raster.provoking != 0 && topology != Topology::PointList;
        let own =
            self.applies_everything || self.reads_targets() || self.bound.part != 0 || self.feedback.running.is_some();
        if last || own || !self.bound.targets.open || primitive(topology) != Some(drawn) || !prepared.simple {
            return;
        }
        let Some(end) = self.end_of_vertices(prepared) else { return };
        if let (Some(number), true) = (prepared.pipeline, self.state.blend_targets.is_empty()) {
            prepared.recent.keep(*self.state.blend, prepared.key.blends, number);
        }
        self.bound.recorded.plain = Some(Plain { topology, primitive: drawn, fill, end });
    }

    /// Vertices that every buffer has which advances by them; none where one of them must be copied.
    fn end_of_vertices(&self, prepared: &Prepared) -> Option<u64> {
        prepared.input.slots.iter().try_fold(u64::MAX, |end, slot| {
            let elements = slot.elements(self.binding(slot.slot)?.size);
            (elements > 0).then_some(if slot.divisor.is_none() { end.min(elements) } else { end })
        })
    }

    /// Applies what is dirty. False where that takes more: what was applied until then is recorded, and all of it dirty still.
    #[inline(never)]
    fn apply_again(&mut self, dirty: Groups) -> bool {
        if !dirty.except(AGAIN).is_empty() || self.uploads.outstanding() > OUTSTANDING_LIMIT {
            return false;
        }
        if dirty.touches(BLENDING) && !self.blend_again() {
            return false;
        }
        if dirty.touches(TEXTURES) && !self.textures_again() {
            return false;
        }
        if dirty.contains(Group::VertexBuffers) && !self.vertices_again() {
            return false;
        }
        if dirty.contains(Group::Aside) && self.bound.targets.small_depth
            || dirty.contains(Group::PixelOps) && !self.ops_again()
        {
            return false;
        }
        if dirty.contains(Group::DepthStencil) && (self.nothing_is_within() || self.set_tests().is_err()) {
            return false;
        }
        if dirty.contains(Group::Raster) && !self.raster_again() {
            return false;
        }
        if dirty.contains(Group::Scissor) {
            let Some(scissor) = self.scissor() else { return false };
            self.set_scissor(scissor);
        }
        if dirty.touches(VIEWPORT) {
            if !self.has_viewport() {
                return false;
            }
            self.set_viewport();
        }
        if dirty.touches(CONSTANTS.except(TEXTURES)) && !self.constants_again(dirty) {
            return false;
        }
        self.state.tracker.take();
        true
    }

    /// Another blend state, for which there is a pipeline already.
    #[inline(always)]
    fn blend_again(&mut self) -> bool {
        let Self { state, prepared, bound, .. } = self;
        let Some(prepared) = prepared else { return false };
        if !state.blend_targets.is_empty() || draws_in_parts(&state.blend) {
            return false;
        }
        let Some((_, blends, number)) = prepared.recent.find(&state.blend) else { return false };
        let number = *number;
        if bound.recorded.pipeline != Some(number) {
            (prepared.key.blends, prepared.pipeline) = (*blends, Some(number));
            let shaders = (prepared.vertex, prepared.pixel);
            self.set_pipeline(number, shaders);
        }
        self.set_blend_color();
        true
    }

    /// Other textures, which are to shaders what those before were.
    #[inline(always)]
    fn textures_again(&mut self) -> bool {
        let Self { state, resources, bound, prepared, commands, .. } = self;
        let Some(prepared) = prepared else { return false };
        let current = commands.current();
        let mut changed = state.tracker.instances(Host::TEXTURE) & ((1 << TEXTURE_SLOTS) - 1);
        while changed != 0 {
            let slot = changed.trailing_zeros() as usize;
            changed &= changed - 1;
            let binding = state.textures[slot];
            let mut texture =
                if binding.texture.is_none() { None } else { resources.textures.get_mut(binding.texture) };
            let sampler = resources.samplers.get(binding.sampler);
            let shape = bound.runtime.textures[slot];
            if shape_of(texture.as_deref(), sampler, shape) != shape || shape & bound::FETCH4 != 0 {
                return false;
            }
            if resources.made_samplers {
                let (stage, bit) = sampler_bit(slot);
                if made_of(texture.as_deref(), sampler) != chosen(bound.samplers[stage], bit) {
                    return false;
                }
            }
            for (stage, argument) in prepared.textures.iter().filter(|(_, argument)| argument.slot == slot) {
                let Some(texture) = texture.as_deref_mut() else { return false };
                let is_target = texture.desc.usage & CreateTexture::TARGET != 0
                    && bound.targets.all().any(|attachment| attachment.root == binding.texture);
                if texture.source.is_some() || texture.has_blanks() || is_target {
                    return false;
                }
                texture.last_used = current;
                let bound = (&mut bound.recorded, *stage, argument);
                if !bind_again(&mut commands.queue, bound, binding, texture, sampler) {
                    return false;
                }
            }
        }
        state.tracker.take_instances(Host::TEXTURE, u64::MAX);
        true
    }

    /// Other vertices of the same layout.
    #[inline(always)]
    fn vertices_again(&mut self) -> bool {
        let Self { state, resources, bound, prepared, commands, .. } = self;
        let (Some(prepared), Some(plain)) = (prepared, &mut bound.recorded.plain) else { return false };
        if prepared.input.reads_default() {
            return false;
        }
        let current = commands.current();
        let mut end = u64::MAX;
        for slot in &prepared.input.slots {
            let binding = &state.vertex_buffers[slot.slot];
            let (raw, offset, size, memory) = match binding.source.kind() {
                Some(ObjectKind::Buffer) => {
                    let Some(buffer) = resources.buffers.get_mut(binding.source) else { return false };
                    let Some(rest) = buffer.desc.size.checked_sub(binding.offset) else { return false };
                    buffer.last_used = current;
                    let size = if binding.size == 0 { rest } else { binding.size.min(rest) };
                    (&buffer.raw, binding.offset, size, buffer.memory)
                }
                Some(ObjectKind::Upload) => {
                    let Some(upload) = &bound.vertex_uploads[slot.slot] else { return false };
                    (&upload.slice.buffer, upload.slice.offset, upload.size, upload.version)
                }
                _ => return false,
            };
            let elements = slot.elements(size);
            if !slot.is_like(binding.stride, offset) || elements == 0 {
                return false;
            }
            if slot.divisor.is_none() {
                end = end.min(elements);
            }
            let place = &mut bound.recorded.vertices[slot.slot];
            let (before, index) = (place.replace((memory, offset)), vertex_buffer(slot.slot as u32));
            match before {
                Some((of, at)) if of == memory => {
                    if at != offset {
                        commands.queue.set_buffer_offset(Stage::Vertex, index, offset);
                    }
                }
                _ => commands.queue.set_buffer(Stage::Vertex, index, raw, offset),
            }
        }
        plain.end = end;
        true
    }

    /// Whether nothing is chosen by what changed of the pixel operations.
    fn ops_again(&self) -> bool {
        self.prepared.as_ref().is_some_and(|prepared| prepared.ops == self.chosen_ops())
    }

    /// What is chosen by of the pixel operations: all but references and the parameters of fog.
    pub(crate) fn chosen_ops(&self) -> u64 {
        let words: &[u64; 5] = bytemuck::cast_ref(&*self.state.pixel_ops);
        words[0]
    }

    /// Other faces, or another bias.
    #[inline(always)]
    fn raster_again(&mut self) -> bool {
        let Some(plain) = &self.bound.recorded.plain else { return false };
        // Lines may be wide now.
        if matches!(plain.primitive, PrimitiveType::Line | PrimitiveType::LineStrip) {
            return false;
        }
        let fill = plain.fill;
        self.set_raster(Cull::of(self.state.raster.cull), fill);
        true
    }

    /// Other constants.
    #[inline(always)]
    fn constants_again(&mut self, dirty: Groups) -> bool {
        let Some(prepared) = &self.prepared else { return false };
        let shaders = (prepared.vertex, prepared.pixel);
        // Sizes of texels are not among them, or shapes would have been others.
        self.bind_constants(shaders, dirty.except(TEXTURES)).is_ok()
    }

    /// A draw without indices.
    #[inline(always)]
    fn encode_again(&mut self, call: &Call) -> bool {
        let Some(plain) = &self.bound.recorded.plain else { return false };
        let inside = u64::from(call.first) + u64::from(call.count) <= plain.end;
        let (Ok(first), true) = (i32::try_from(call.first), inside && self.commands.draws < MOST_DRAWS) else {
            return false;
        };
        if call.count == 0 || u64::from(call.count) > MOST_VERTICES {
            return false;
        }
        self.commands.draws += 1;
        let count = DrawCount { first, count: call.count, instances: 1, base_instance: 0 };
        self.commands.queue.draw(plain.primitive, count);
        true
    }

    /// A draw with indices that were looked at before.
    #[inline(always)]
    fn encode_indexed_again(&mut self, call: &Call) -> bool {
        let Self { state, resources, bound, commands, index_facts, .. } = self;
        let Some(plain) = &bound.recorded.plain else { return false };
        let body = &*state.index_buffer;
        let (width, ty) = match body.index_bytes {
            2 => (2, IndexType::UInt16),
            4 => (4, IndexType::UInt32),
            _ => return false,
        };
        let (raw, offset, size, version) = match body.source.kind() {
            Some(ObjectKind::Buffer) => {
                let Some(buffer) = resources.buffers.get_mut(body.source) else { return false };
                let Some(rest) = buffer.desc.size.checked_sub(body.offset) else { return false };
                buffer.last_used = commands.current();
                (&buffer.raw, body.offset, if body.size == 0 { rest } else { body.size.min(rest) }, buffer.version)
            }
            Some(ObjectKind::Upload) => {
                let Some(upload) = &bound.index_upload else { return false };
                (&upload.slice.buffer, upload.slice.offset, upload.size, upload.version)
            }
            _ => return false,
        };
        let (at, len) = (u64::from(call.first) * width, u64::from(call.count) * width);
        let offset = offset + at;
        let restart = body.restart != 0;
        let Some((most, has_greatest)) = index_facts.get(&(version, offset, len, width << 1 | u64::from(restart)))
        else {
            return false;
        };
        let vertices = i64::from(*most) + i64::from(call.base_vertex);
        let fits = call.base_vertex >= 0 && vertices.cast_unsigned() < plain.end && at + len <= size;
        let greatest_is_fine = !has_greatest || restart && is_strip(call.topology);
        let some = call.count > 0 && u64::from(call.count) <= MOST_VERTICES && commands.draws < MOST_DRAWS;
        if !(fits && greatest_is_fine && some && offset.is_multiple_of(width)) {
            return false;
        }
        commands.draws += 1;
        let count = DrawCount { first: call.base_vertex, count: call.count, instances: 1, base_instance: 0 };
        commands.queue.draw_indexed(plain.primitive, count, Indices { buffer: raw, offset, ty });
        true
    }
}

/// Binds a texture of the right shape, and its sampler, where the encoder has others. False where it must be made first.
#[inline(always)]
fn bind_again<D: Device>(
    queue: &mut D::Queue,
    (recorded, stage, argument): (&mut Recorded, Stage, &TextureArgument),
    binding: TextureBinding,
    texture: &Texture<D>,
    sampler: Option<&Sampler<D>>,
) -> bool {
    let Some(place) = recorded.textures[usize::from(stage == Stage::Fragment)].get_mut(argument.index as usize) else {
        return false;
    };
    let srgb = sampler.is_some_and(|sampler| sampler.desc.srgb != 0);
    let fits = texture.kind() == argument.kind && (!argument.shadow || texture.format.is_depth());
    let (Some(sampler), Some(view), true) = (sampler, texture.sampled_before(argument.shape, srgb), fits) else {
        return false;
    };
    let sampled =
        Sampled { texture: binding.texture, sampler: binding.sampler, snapshot: 0, argument: argument.word() };
    let before = place.replace(sampled);
    if before == Some(sampled) {
        return true;
    }
    queue.set_texture(stage, argument.index, view);
    if before.is_none_or(|before| (before.sampler, before.argument) != (sampled.sampler, sampled.argument)) {
        if let Some(index) = argument.sampler {
            queue.set_sampler(stage, index, &sampler.raw);
        }
        if let Some(index) = argument.white {
            queue.set_sampler(stage, index, sampler.white.as_ref().unwrap_or(&sampler.raw));
        }
    }
    true
}
