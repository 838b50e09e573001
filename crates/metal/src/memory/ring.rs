//! Rings of memory that the CPU writes and the GPU reads once.

use crate::error::Result;
use afterimage_metal_calls::{BufferDescriptor, Device, Serial, StorageMode};
use std::collections::VecDeque;

/// Bytes of a chunk that holds several pieces.
const CHUNK: u64 = 1 << 20;

/// Chunks that are kept though nothing is in them.
const KEPT: usize = 16;

/// A piece of memory.
#[derive(Clone, Debug)]
pub(crate) struct Slice<D: Device> {
    /// The buffer that it lies in.
    pub(crate) buffer: D::Buffer,
    /// Where it begins, in bytes.
    pub(crate) offset: u64,
}

#[derive(Debug)]
struct Chunk<D: Device> {
    buffer: D::Buffer,
    size: u64,
    used: u64,
}

/// Pieces one behind the other, in chunks that come back when the GPU is done with them.
#[derive(Debug)]
pub(crate) struct Ring<D: Device> {
    label: &'static str,
    open: Option<Chunk<D>>,
    /// With the command buffer that used them last.
    full: VecDeque<(Serial, Chunk<D>)>,
    free: Vec<Chunk<D>>,
    /// Bytes of chunks that the GPU may read.
    outstanding: u64,
}

impl<D: Device> Ring<D> {
    /// What lasts until [`Ring::end_frame`].
    pub(crate) const FRAME: Serial = Serial::MAX;

    /// An empty one.
    pub(crate) fn new(label: &'static str) -> Self {
        Self { label, open: None, full: VecDeque::new(), free: Vec::new(), outstanding: 0 }
    }

    /// Bytes that the GPU may still read.
    pub(crate) fn outstanding(&self) -> u64 {
        self.outstanding
    }

    /// Copies bytes to a piece at a multiple of `align`, a power of two. It is used by command buffers up to `current`, or by those of
    /// the frame ([`Ring::FRAME`]).
    pub(crate) fn put(
        &mut self,
        device: &D,
        bytes: &[u8],
        align: u64,
        current: Serial,
        completed: Serial,
    ) -> Result<Slice<D>> {
        let slice = self.alloc(device, bytes.len() as u64, align, current, completed)?;
        device.write(&slice.buffer, slice.offset, bytes)?;
        Ok(slice)
    }

    /// A piece without contents, likewise.
    pub(crate) fn alloc(
        &mut self,
        device: &D,
        len: u64,
        align: u64,
        current: Serial,
        completed: Serial,
    ) -> Result<Slice<D>> {
        let len = len.max(1);
        if let Some(open) = &mut self.open {
            let offset = open.used.next_multiple_of(align);
            if offset + len <= open.size {
                open.used = offset + len;
                return Ok(Slice { buffer: open.buffer.clone(), offset });
            }
        }
        self.reclaim(completed);
        let size = len.max(CHUNK);
        let chunk = match self.free.iter().position(|chunk| chunk.size == size) {
            Some(at) => self.free.swap_remove(at),
            None => {
                let descriptor =
                    BufferDescriptor { length: size, storage: StorageMode::Shared, label: self.label.to_owned() };
                Chunk { buffer: device.new_buffer(&descriptor)?, size, used: 0 }
            }
        };
        self.outstanding += size;
        let slice = Slice { buffer: chunk.buffer.clone(), offset: 0 };
        let chunk = Chunk { used: len, ..chunk };
        // What is large has a chunk of its own, and the open one stays.
        let full = if size > CHUNK { Some(chunk) } else { self.open.replace(chunk) };
        if let Some(full) = full {
            self.full.push_back((current, full));
        }
        Ok(slice)
    }

    /// Pieces of the frame are used up to a command buffer and no further.
    pub(crate) fn end_frame(&mut self, serial: Serial) {
        if let Some(open) = self.open.take() {
            self.full.push_back((serial, open));
        }
        for (last, _) in &mut self.full {
            *last = (*last).min(serial);
        }
    }

    /// Takes back what the GPU is done with.
    pub(crate) fn reclaim(&mut self, completed: Serial) {
        while self.full.front().is_some_and(|(last, _)| *last <= completed) {
            let Some((_, chunk)) = self.full.pop_front() else { break };
            self.outstanding = self.outstanding.saturating_sub(chunk.size);
            if chunk.size == CHUNK && self.free.len() < KEPT {
                self.free.push(chunk);
            }
        }
    }
}
