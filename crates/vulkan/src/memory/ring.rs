//! Memory that the CPU writes once and the GPU reads in the same submission: constants, small uploads.

use crate::device::gpu::Gpu;
use crate::device::memory::{Buffer, Place};
use crate::error::Result;
use ash::vk;
use std::collections::VecDeque;
use std::sync::Arc;

/// A freshly reserved range. There is one of each, and who has it may write its bytes until the submission.
pub(crate) struct Slice {
    pub(crate) buffer: vk::Buffer,
    pub(crate) offset: u64,
    pub(crate) address: u64,
    pub(crate) len: usize,
    mapped: *mut u8,
}

// SAFETY: the pointer is into memory of the ring, which lives until the submission has completed.
unsafe impl Send for Slice {}

impl Slice {
    /// The bytes, to be written before the submission.
    #[inline]
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: `Ring::alloc` checked the range against its buffer and hands it out only once per submission. A slice cannot be
        // copied, so this is the only reference, and the GPU does not write there.
        unsafe { std::slice::from_raw_parts_mut(self.mapped, self.len) }
    }

    /// The bytes as they were written, while the submission is being recorded.
    pub(crate) fn bytes(&self) -> &[u8] {
        // SAFETY: as above; the bytes are written through `&mut self` alone.
        unsafe { std::slice::from_raw_parts(self.mapped, self.len) }
    }
}

/// A chain of mapped buffers, each filled from its start and reused when its last submission has completed.
pub(crate) struct Ring {
    gpu: Arc<Gpu>,
    name: &'static str,
    place: Place,
    chunk_size: u64,
    chunk: Option<Buffer>,
    at: u64,
    used: VecDeque<(u64, Buffer)>,
}

impl Ring {
    /// In place of a submission's number: until [`Ring::end_frame`].
    pub(crate) const FRAME: u64 = u64::MAX;

    pub(crate) fn new(gpu: &Arc<Gpu>, name: &'static str, place: Place, chunk_size: u64) -> Self {
        Self { gpu: Arc::clone(gpu), name, place, chunk_size, chunk: None, at: 0, used: VecDeque::new() }
    }

    /// Reserves bytes for the submission `current`; `completed` is the last that the GPU has done.
    #[inline]
    pub(crate) fn alloc(&mut self, len: usize, align: u64, current: u64, completed: u64) -> Result<Slice> {
        let mut start = self.at.next_multiple_of(align);
        let fits = |chunk: &&Buffer| start + len as u64 <= chunk.size;
        let chunk = match self.chunk.as_ref().filter(fits) {
            Some(chunk) => chunk,
            None => {
                start = 0;
                self.next_chunk(len, current, completed)?
            }
        };
        let slice = Slice {
            buffer: chunk.raw,
            offset: start,
            address: chunk.address + start,
            len,
            // SAFETY: the range lies inside of the chunk, which was just checked, or made for it.
            mapped: unsafe { chunk.mapped.add(start as usize) },
        };
        self.at = start + len as u64;
        Ok(slice)
    }

    /// Begins a chunk of at least so many bytes.
    #[cold]
    fn next_chunk(&mut self, len: usize, current: u64, completed: u64) -> Result<&Buffer> {
        if let Some(old) = self.chunk.take() {
            self.used.push_back((current, old));
        }
        let fits = |buffer: &Buffer| buffer.size >= len as u64;
        let chunk = match self.used.front() {
            Some((number, buffer)) if *number <= completed && fits(buffer) => self.used.pop_front().map(|(_, b)| b),
            _ => None,
        };
        // Chunks that were made for one large upload are let go when their turn comes.
        while self.used.front().is_some_and(|(number, b)| *number <= completed && b.size > self.chunk_size) {
            self.used.pop_front();
        }
        let chunk = match chunk {
            Some(chunk) => chunk,
            None => Buffer::new(&self.gpu, self.name, self.chunk_size.max(len as u64), self.place)?,
        };
        Ok(self.chunk.insert(chunk))
    }

    /// Chunks that were reserved for as long as the frame lasts (`current` was [`Ring::FRAME`]) are free once submission
    /// `last` has completed.
    pub(crate) fn end_frame(&mut self, last: u64) {
        if let Some(chunk) = self.chunk.take() {
            self.used.push_back((Self::FRAME, chunk));
        }
        self.used.iter_mut().filter(|(number, _)| *number == Self::FRAME).for_each(|(number, _)| *number = last);
    }

    /// Bytes of all chunks that the GPU has not let go.
    pub(crate) fn outstanding(&self) -> u64 {
        self.used.iter().map(|(_, buffer)| buffer.size).sum()
    }
}

// SAFETY: the mapped pointers belong to buffers that the ring owns.
unsafe impl Send for Ring {}
