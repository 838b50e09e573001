//! Vertex and index input: the layout as the vertex shader reads it, buffers bound for it.

use crate::commands::list::Call;
use crate::pipeline::shaders::Variant;
use crate::renderer::Renderer;
use crate::state::apply::differs;
use crate::state::vertices::{Bound, DEFAULT_BINDING, Indices, Input, NO_BUFFER_LIMITS, Needs, bits, layout_of};
use afterimage_state::{Effect, trace};
use afterimage_stream::host::{IndexBufferStates, VertexBufferStates};
use afterimage_stream::packets::VertexAttribute;
use afterimage_stream::{Created, Group, Host, ObjectId, ObjectKind};
use ash::vk;
use std::sync::Arc;

impl Renderer {
    /// The vertex layout as the vertex shader reads it: its number, and what draws read of it.
    pub(crate) fn wanted_input(&mut self) -> (u32, Input) {
        trace::read_result::<Host>(Group::Variants);
        trace::read(Host::VERTEX_INPUT_OBJECT.only());
        let inputs = self.bound.shading.vertex.as_ref().map_or(0, |vertex| vertex.inputs);
        let id = self.state.vertex_input.id;
        let attributes: &[VertexAttribute] = match self.state.objects.get(id) {
            Some(Created::VertexInput(attributes)) if !id.is_none() => attributes,
            _ => &[],
        };
        let (layout, needs) = layout_of(attributes, inputs);
        let buffers = || layout.bindings.iter().filter(|binding| binding.0 < DEFAULT_BINDING);
        let input = Input {
            slots: buffers().fold(0, |slots, (slot, _)| slots | 1 << slot),
            by_instance: buffers()
                .filter(|(_, divisor)| divisor.is_some())
                .fold(0, |slots, (slot, _)| slots | 1 << slot),
            needs,
            default: layout.bindings.is_empty() || !layout.reads_buffers_only(),
        };
        (self.programs.pipelines.inputs.number(&layout), input)
    }

    /// [`Group::VertexInput`].
    pub(crate) fn apply_vertex_input(&mut self) -> Effect {
        let before = (self.bound.key.input, self.bound.input);
        (self.bound.key.input, self.bound.input) = self.wanted_input();
        Effect::of((self.bound.key.input, self.bound.input) != before)
    }

    pub(crate) fn bind_default_buffer(&mut self) {
        if !std::mem::replace(&mut self.bound.recorded.default_buffer_bound, true) {
            self.flush_draws();
            self.stats.calls.made += 1;
            let (buffer, size) = (self.resources.default_vertex.raw, self.resources.default_vertex.size);
            self.recorder.call(Call::VertexBuffer { slot: DEFAULT_BINDING, stride: 0, buffer, offset: 0, size });
        }
    }

    /// What is bound to a slot that the layout reads.
    #[inline]
    fn wanted_vertices(&mut self, slot: usize) -> Bound {
        let state = Host::VERTEX_BUFFER.at(slot as u32);
        trace::read(state.plus(VertexBufferStates::MEMORY));
        trace::read(state.plus(VertexBufferStates::UPLOAD));
        let binding = self.state.vertex_buffers[slot];
        let (buffer, offset, size, stride) =
            match self.vertex_source(binding.source, binding.offset, binding.size, self.bound.vertex_uploads[slot]) {
                Some((buffer, offset, size)) => self.adapt(slot, (buffer, offset, size), binding.stride),
                None => (self.resources.default_vertex.raw, 0, self.resources.default_vertex.size, 0),
            };
        Bound { input: self.bound.key.input, buffer, offset, size, stride }
    }

    /// [`Group::VertexBuffers`]: binds those that changed and that the layout reads.
    pub(crate) fn apply_vertex_buffers(&mut self) -> Effect {
        trace::read_result::<Host>(Group::VertexInput);
        self.commands();
        if self.bound.input.default {
            self.bind_default_buffer();
        }
        (self.bound.vertex_limit, self.bound.vertex_base) = (0, 0);
        for slot in bits(self.bound.input.slots) {
            let bound = self.wanted_vertices(slot);
            // A last vertex that is cut off may still be read in part.
            let vertices = bound.size.checked_div(bound.stride).map_or(0, |vertices| vertices + 1);
            self.bound.vertex_limit = self.bound.vertex_limit.max(u32::try_from(vertices).unwrap_or(u32::MAX));
            if self.bound.recorded.vertices[slot] == Some(bound) {
                continue;
            }
            if let Some(base) = self.vertex_base(slot, &bound) {
                self.bound.vertex_base = base;
                continue;
            }
            self.bind_vertices(slot, bound);
        }
        // What is captured is so many vertices, wherever they are read from.
        if self.bound.vertex_limit == 0 || self.feedback.is_native() {
            self.bound.vertex_limit = NO_BUFFER_LIMITS;
        }
        Effect::Same
    }

    fn bind_vertices(&mut self, slot: usize, bound: Bound) {
        self.flush_draws();
        self.bound.recorded.vertices[slot] = Some(bound);
        self.stats.calls.made += 1;
        let Bound { buffer, offset, size, stride, .. } = bound;
        // The buffer is alive until this submission has completed, and the range lies inside of it.
        let (slot, stride) = (slot as u32, stride as u32);
        self.recorder.call(Call::VertexBuffer { slot, stride, buffer, offset, size });
    }

    /// Binds vertices where they are, for draws that cannot begin at another one.
    pub(crate) fn bind_vertices_in_place(&mut self) {
        if std::mem::take(&mut self.bound.vertex_base) > 0 {
            for slot in bits(self.bound.input.slots) {
                let bound = self.wanted_vertices(slot);
                self.bind_vertices(slot, bound);
            }
        }
    }

    /// Vertices that draws may begin later, instead of binding the only buffer at another place. Not where shaders see the number of a
    /// vertex, or the buffer has something for each instance.
    #[inline]
    fn vertex_base(&self, slot: usize, bound: &Bound) -> Option<u32> {
        let (input, numbered) = (&self.bound.input, |vertex: &Arc<Variant>| vertex.numbered);
        if input.slots.count_ones() != 1
            || input.by_instance != 0
            || self.bound.shading.vertex.as_ref().is_none_or(numbered)
            || self.feedback.is_native()
            || self.feedback.lowering
        {
            return None;
        }
        bound.vertices_behind(self.bound.recorded.vertices[slot].as_ref()?)
    }

    /// A slot that has another buffer than it should.
    pub(crate) fn vertex_buffers_differ(&mut self) -> Option<String> {
        let default = self.bound.input.default && !self.bound.recorded.default_buffer_bound;
        bits(self.bound.input.slots)
            .find_map(|slot| {
                let bound = self.wanted_vertices(slot);
                if self.bound.vertex_base > 0 && self.vertex_base(slot, &bound) == Some(self.bound.vertex_base) {
                    return None;
                }
                differs(&Some(bound), &self.bound.recorded.vertices[slot]).map(|what| format!("slot {slot}: {what}"))
            })
            .or_else(|| default.then(|| "the default buffer".to_owned()))
    }

    /// A binding whose offset and stride are as Vulkan wants them for the layout.
    #[inline]
    pub(crate) fn adapt(
        &mut self,
        slot: usize,
        (buffer, offset, size): (vk::Buffer, u64, u64),
        stride: u32,
    ) -> (vk::Buffer, u64, u64, u64) {
        let Needs { align, extent } = self.bound.input.needs[slot];
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
    pub(crate) fn vertex_source(
        &mut self,
        source: ObjectId,
        offset: u64,
        size: u64,
        upload: Option<(vk::Buffer, u64, u64)>,
    ) -> Option<(vk::Buffer, u64, u64)> {
        let current = self.recorder.submissions.current;
        match source.kind() {
            Some(ObjectKind::Buffer) => {
                let buffer = self.resources.buffers.get_mut(source)?;
                buffer.last_used = current;
                let rest = buffer.desc.size.checked_sub(offset).filter(|&rest| rest > 0)?;
                let size = if size == 0 { rest } else { size.min(rest) };
                Some((buffer.backing.buffer, buffer.backing.offset + offset, size))
            }
            Some(ObjectKind::Upload) => upload,
            _ => None,
        }
    }

    /// The index buffer; `None` where there is none to read.
    pub(crate) fn wanted_indices(&mut self) -> Option<Indices> {
        trace::read(Host::INDEX_BUFFER.only().plus(IndexBufferStates::MEMORY));
        trace::read(Host::INDEX_BUFFER.only().plus(IndexBufferStates::UPLOAD));
        let body = *self.state.index_buffer;
        let (buffer, offset, size) =
            self.vertex_source(body.source, body.offset, body.size, self.bound.index_upload)?;
        let limit = u32::try_from(size / u64::from(body.index_bytes.max(1))).unwrap_or(u32::MAX);
        let kind = match body.index_bytes {
            1 if self.gpu.profile.small_indices => vk::IndexType::UINT8_EXT,
            1 => {
                self.warn_once("indices", "draws with indices of 8 bits (the device has none)");
                return None;
            }
            4 => vk::IndexType::UINT32,
            _ => vk::IndexType::UINT16,
        };
        Some(Indices { buffer, offset, kind, limit })
    }

    /// [`Group::IndexBuffer`].
    pub(crate) fn apply_index_buffer(&mut self) -> Effect {
        self.commands();
        let indices = self.wanted_indices();
        self.bound.index_limit = indices.map_or(0, |indices| indices.limit);
        if let Some(Indices { buffer, offset, kind, .. }) = indices.filter(|_| self.bound.recorded.indices != indices) {
            self.stats.calls.made += 1;
            // As for vertex buffers; the validator has checked the offset's alignment.
            self.recorder.call(Call::IndexBuffer { buffer, offset, kind });
        }
        self.bound.recorded.indices = indices;
        Effect::Same
    }
}
