//! Vertex buffers: bound where they lie, or copied where Metal does not take them so.

use crate::error::Result;
use crate::execute::indices::Bytes;
use crate::memory::ring::{Ring, Slice};
use crate::renderer::Renderer;
use crate::state::vertices::{Binding, Copied, Input, Slot, input};
use afterimage_abi::metal::{NO_VERTICES, vertex_buffer};
use afterimage_metal_calls::{Device, DrawCount, Queue, Stage};
use afterimage_stream::packets::VertexAttribute;
use afterimage_stream::{Created, VERTEX_BUFFERS};
use smallvec::SmallVec;

/// Most bytes of a copy.
const MOST_COPIED: u64 = 256 << 20;

/// What is bound to a slot: where, and a number that says whether it is another.
pub(crate) type Source<D> = (usize, Slice<D>, u64);

impl<D: Device> Renderer<D> {
    /// What a slot is bound to.
    pub(crate) fn binding(&self, slot: usize) -> Option<Bytes<D>> {
        let binding = self.state.vertex_buffers[slot];
        self.bytes_of(binding.source, binding.offset, binding.size, self.bound.vertex_uploads[slot].as_ref())
    }

    /// What a vertex shader with these inputs reads.
    #[inline(never)]
    pub(crate) fn wanted_input(&self, inputs: u32) -> Input {
        let id = self.state.vertex_input.id;
        let attributes: &[VertexAttribute] = match self.state.objects.get(id) {
            Some(Created::VertexInput(attributes)) if !id.is_none() => attributes,
            _ => &[],
        };
        let used =
            attributes.iter().fold(0, |used, attribute| used | 1u64.checked_shl(attribute.slot.into()).unwrap_or(0));
        let mut bindings = [None; VERTEX_BUFFERS];
        for (slot, binding) in bindings.iter_mut().enumerate().filter(|(slot, _)| used >> slot & 1 != 0) {
            let stride = self.state.vertex_buffers[slot].stride;
            *binding = self.binding(slot).map(|bytes| Binding { stride, offset: bytes.slice.offset });
        }
        input(attributes, inputs, &bindings, &self.device.facts().limits)
    }

    /// Vertices that the longest buffer has, one cut off counted; none where no buffer advances by vertices.
    pub(crate) fn vertex_limit(&self, input: &Input) -> Option<u64> {
        let by_vertex = input.slots.iter().filter(|slot| slot.divisor.is_none());
        let limits = by_vertex.map(|slot| match self.binding(slot.slot).map(|bytes| slot.elements(bytes.size)) {
            Some(u64::MAX) => None,
            elements => Some(elements.unwrap_or(0) + 1),
        });
        { limits }.try_fold(0, |most, limit| Some(most.max(limit?))).filter(|limit| *limit > 0)
    }

    /// Finds what is bound for a draw that reads so many vertices; bit per slot that is a copy.
    pub(crate) fn ready_vertices(
        &mut self,
        input: &Input,
        needed: u64,
        count: &DrawCount,
    ) -> Result<(u32, SmallVec<[Source<D>; 4]>)> {
        let (mut copies, mut sources) = (0, SmallVec::new());
        let current = self.commands.current();
        for slot in &input.slots {
            let Some(bytes) = self.binding(slot.slot) else { continue };
            let needed = match slot.divisor {
                None => needed,
                Some(rate) => u64::from(count.base_instance) + u64::from(count.instances.div_ceil(rate)),
            };
            if slot.lies_well(bytes.size, needed) {
                if let Some(buffer) = self.resources.buffers.get_mut(bytes.buffer).filter(|_| !bytes.buffer.is_none()) {
                    buffer.last_used = current;
                }
                sources.push((slot.slot, bytes.slice, bytes.memory));
                continue;
            }
            copies |= 1 << slot.slot;
            let (slice, version) = self.copied(slot, &bytes, needed)?;
            sources.push((slot.slot, slice, version));
        }
        Ok((copies, sources))
    }

    /// A copy of a binding with so many elements at least.
    pub(crate) fn copied(&mut self, slot: &Slot, bytes: &Bytes<D>, needed: u64) -> Result<(Slice<D>, u64)> {
        let key = (bytes.version, bytes.slice.offset, bytes.size);
        let found =
            self.vertex_copies.iter().find(|copy| copy.key == key && copy.elements >= needed && copy.slot == *slot);
        if let Some(found) = found {
            return Ok((found.slice.clone(), found.version));
        }
        let size = needed.saturating_mul(slot.copied_stride().into());
        if size > MOST_COPIED {
            return Err(self.unsupported(format!("a copy of {needed} vertices that do not lie as Metal wants them")));
        }
        self.count_frame_upload(size)?;
        let all = self.read_bytes(bytes, 0, slot.bytes(needed))?;
        let copy = slot.copy(&all, needed as usize);
        let slice = self.frame_uploads.put(&self.device, &copy, 16, Ring::<D>::FRAME, self.commands.completed)?;
        let version = self.next_version();
        self.vertex_copies.push(Copied { key, slot: slot.clone(), elements: needed, slice: slice.clone(), version });
        Ok((slice, version))
    }

    /// Binds what the encoder does not have.
    pub(crate) fn bind_vertices(&mut self, sources: &[Source<D>], default: bool) {
        if default && !std::mem::replace(&mut self.bound.recorded.default_vertices, true) {
            let vertex = &self.resources.nulls.vertex;
            self.commands.queue.set_buffer(Stage::Vertex, NO_VERTICES, vertex, 0);
        }
        for (slot, slice, version) in sources {
            let place = Some((*version, slice.offset));
            if std::mem::replace(&mut self.bound.recorded.vertices[*slot], place) != place {
                self.commands.queue.set_buffer(Stage::Vertex, vertex_buffer(*slot as u32), &slice.buffer, slice.offset);
            }
        }
    }
}
