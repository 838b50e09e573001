//! Copies between buffers, and draws that a buffer says.

use crate::error::Result;
use crate::execute::draw::Call;
use crate::renderer::Renderer;
use afterimage_metal_calls::{Device, Queue};
use afterimage_stream::ObjectId;
use afterimage_stream::packets::{CopyBuffer, DrawByteCount, DrawIndirect, FillBuffer, Topology};

/// Bytes of a pattern that is copied again and again.
const PATTERN: u64 = 64 << 10;

impl<D: Device> Renderer<D> {
    /// The GPU writes a buffer in the command buffer that is being written.
    pub(crate) fn written(&mut self, id: ObjectId) {
        let (version, current) = (self.next_version(), self.commands.current());
        if let Some(buffer) = self.resources.buffers.get_mut(id) {
            (buffer.last_used, buffer.version, buffer.gpu_written) = (current, version, true);
        }
        self.state.memory_changed(id);
    }

    /// Copies bytes between buffers; no pass may be open. Macs by Intel copy whole words alone: what is none the CPU waits for and copies.
    pub(crate) fn copy_bytes(&mut self, from: (&D::Buffer, u64), to: (&D::Buffer, u64), size: u64) -> Result {
        let words = [from.1, to.1, size].iter().all(|value| value.is_multiple_of(4));
        if words || self.device.facts().family.is_apple() {
            self.commands.blit().copy_buffer(from.0, from.1, to.0, to.1, size);
            return Ok(());
        }
        let serial = self.submit()?;
        self.commands.wait(serial)?;
        let mut bytes = vec![0; size as usize];
        self.device.read(from.0, from.1, &mut bytes)?;
        Ok(self.device.write(to.0, to.1, &bytes)?)
    }

    /// [`CopyBuffer`].
    pub(crate) fn copy_buffers(&mut self, body: &CopyBuffer) -> Result {
        self.end_pass();
        let current = self.commands.current();
        let Some(source) = self.resources.buffers.get_mut(body.src) else { return Ok(()) };
        source.last_used = current;
        let from = source.raw.clone();
        let Some(target) = self.resources.buffers.get(body.dst) else { return Ok(()) };
        let to = target.raw.clone();
        self.copy_bytes((&from, body.src_offset), (&to, body.dst_offset), body.size)?;
        self.written(body.dst);
        Ok(())
    }

    /// [`FillBuffer`].
    pub(crate) fn fill_buffer(&mut self, body: &FillBuffer) -> Result {
        self.end_pass();
        let Some(buffer) = self.resources.buffers.get(body.id) else { return Ok(()) };
        let raw = buffer.raw.clone();
        let [first, rest @ ..] = body.value.to_le_bytes();
        if rest == [first; 3] {
            self.commands.blit().fill_buffer(&raw, body.offset, body.size, first);
        } else {
            let pattern = vec![body.value; (body.size.min(PATTERN) / 4) as usize];
            let slice = self.put(bytemuck::cast_slice(&pattern), 16)?;
            let queue = self.commands.blit();
            let mut at = 0;
            while at < body.size {
                let size = PATTERN.min(body.size - at);
                queue.copy_buffer(&slice.buffer, slice.offset, &raw, body.offset + at, size);
                at += size;
            }
        }
        self.written(body.id);
        Ok(())
    }

    /// Words of a buffer as they are once all that was encoded is done.
    pub(crate) fn words_of(&mut self, id: ObjectId, offset: u64, count: usize) -> Result<Vec<u32>> {
        let serial = self.submit()?;
        self.commands.wait(serial)?;
        let mut words = vec![0u32; count];
        if let Some(buffer) = self.resources.buffers.get(id) {
            self.device.read(&buffer.raw, offset, bytemuck::cast_slice_mut(&mut words))?;
        }
        Ok(words)
    }

    /// [`DrawIndirect`]. What the buffer says may not be taken at its word, so the CPU waits for it and draws that.
    pub(crate) fn draw_indirect(&mut self, body: &DrawIndirect) -> Result {
        let (words, stride) = (body.bytes() as usize / 4, if body.count > 1 { body.stride } else { 0 });
        let all = stride as usize / 4 * (body.count as usize - 1) + words;
        let read = self.words_of(body.buffer, body.offset, all)?;
        for draw in 0..body.count as usize {
            let Some(words) = read.get(draw * stride as usize / 4..).and_then(|rest| rest.get(..words)) else { break };
            let indexed = body.indexed != 0;
            let [count, instances, first, ..] = *words else { break };
            let (base_vertex, first_instance) = match (indexed, words) {
                (true, [.., base, instance]) => (*base as i32, *instance),
                (_, [.., instance]) => (0, *instance),
                _ => break,
            };
            let topology = Topology::of(body.topology as u8);
            self.draw_call(&Call { topology, indexed, first, count, base_vertex, instances, first_instance });
        }
        Ok(())
    }

    /// [`DrawByteCount`], likewise.
    pub(crate) fn draw_byte_count(&mut self, body: &DrawByteCount) -> Result {
        let bytes = self.words_of(body.counter, body.offset, 1)?.first().copied().unwrap_or(0);
        let count = bytes.saturating_sub(body.counter_offset) / body.stride.max(1);
        let topology = Topology::of(body.topology as u8);
        let (instances, first_instance) = (body.instances, body.first_instance);
        self.draw_call(&Call { topology, indexed: false, first: 0, count, base_vertex: 0, instances, first_instance });
        Ok(())
    }
}
