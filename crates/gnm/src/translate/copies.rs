//! Copies and fills of memory of which host buffers have something newer: done there, so that nobody waits for what shaders stored.

use super::Translator;
use super::ranges::overlap;
use crate::memory::GuestMemory;
use afterimage_stream::PortError;
use afterimage_stream::packets::*;
use std::ops::Range;

impl Translator {
    /// Copies bytes. Whether it was done.
    pub(super) fn copy_buffers(&mut self, memory: &mut dyn GuestMemory, from: Range<u64>, to: Range<u64>) -> bool {
        let newer = self.buffers.is_newer(&from) || self.buffers.is_newer(&to);
        if !newer || overlap(&from, &to) {
            return false;
        }
        let done = self.copy_ready(memory, &from, &to);
        self.said(done)
    }

    fn copy_ready(
        &mut self,
        memory: &mut dyn GuestMemory,
        from: &Range<u64>,
        to: &Range<u64>,
    ) -> Result<bool, PortError> {
        for range in [from, to] {
            self.cover(memory, range)?;
        }
        for range in [from, to] {
            self.refresh_buffer(memory, range)?;
        }
        let places = self.buffers.at(from.start).zip(self.buffers.at(to.start));
        let Some(((src, src_offset), (dst, dst_offset))) = places else { return Ok(false) };
        self.port.push(&CopyBuffer { src, dst, src_offset, dst_offset, size: from.end - from.start });
        self.buffers.mark_written(to);
        Ok(true)
    }

    /// Fills bytes with a word. Whether it was done.
    pub(super) fn fill_buffers(&mut self, memory: &mut dyn GuestMemory, to: Range<u64>, word: u32) -> bool {
        let in_words = to.start.is_multiple_of(4) && to.end.is_multiple_of(4);
        if !in_words || !self.buffers.is_newer(&to) {
            return false;
        }
        let done = self.fill_ready(memory, &to, word);
        self.said(done)
    }

    fn fill_ready(&mut self, memory: &mut dyn GuestMemory, to: &Range<u64>, word: u32) -> Result<bool, PortError> {
        self.cover(memory, to)?;
        self.refresh_buffer(memory, to)?;
        let Some((id, offset)) = self.buffers.at(to.start) else { return Ok(false) };
        self.port.push(&FillBuffer { id, value: word, offset, size: to.end - to.start });
        self.buffers.mark_written(to);
        Ok(true)
    }

    /// What could not be done here is done in memory.
    fn said(&mut self, done: Result<bool, PortError>) -> bool {
        done.unwrap_or_else(|error| {
            self.once.warn(format!("a copy of memory: {error}; it is done by the processor"));
            false
        })
    }
}
