//! Packets with a copy of the data that they refer to, so that they can be written later and elsewhere.

use afterimage_stream::{Arena, Reader, UploadRef};
use std::time::Duration;

/// Most bytes that are asked of an arena at once: a range that promises more than there is costs no more than this.
const STEP: usize = 8 << 20;

/// A batch and its data.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
    /// The packets.
    pub(crate) words: Vec<u64>,
    /// When the frame began that they begin, if one does and that is known.
    pub(crate) time: Option<Duration>,
    /// What they refer to, in their order; how much of each there was.
    ranges: Vec<(UploadRef, usize)>,
    /// The bytes of the ranges one after the other, of which `used` count. It is never cleared, only overwritten.
    bytes: Vec<u8>,
    used: usize,
}

impl Gathered {
    /// Takes packets over.
    pub(crate) fn fill(&mut self, words: &[u64], arena: &dyn Arena) {
        self.words.clear();
        self.time = None;
        self.ranges.clear();
        self.used = 0;
        self.words.extend_from_slice(words);
        for located in Reader::new(words).flatten() {
            located.packet.uploads(arena, |range| self.copy(range, arena));
        }
    }

    /// Copies a range, or as much of its start as the arena has.
    fn copy(&mut self, range: UploadRef, arena: &dyn Arena) {
        let (start, size) = (self.used, range.size as usize);
        let mut step = STEP;
        while self.used - start < size && step > 0 {
            let at = self.used - start;
            let count = step.min(size - at);
            if self.bytes.len() < self.used + count {
                self.bytes.resize(self.used + count, 0);
            }
            if arena.copy_out(&range, at as u32, &mut self.bytes[self.used..self.used + count]) {
                self.used += count;
            } else {
                step = count / 2;
            }
        }
        self.ranges.push((range, self.used - start));
    }

    /// Each range that the packets refer to, and the bytes that were there of it.
    pub(crate) fn ranges(&self) -> impl Iterator<Item = (UploadRef, &[u8])> {
        let mut rest = &self.bytes[..self.used];
        self.ranges.iter().map(move |&(range, count)| {
            let (bytes, after) = rest.split_at(count);
            rest = after;
            (range, bytes)
        })
    }

    /// Bytes of memory that its content takes.
    pub(crate) fn size(&self) -> usize {
        self.words.len() * 8 + self.used
    }

    /// Bytes of memory that it keeps for the next content.
    pub(crate) fn room(&self) -> usize {
        self.words.capacity() * 8 + self.bytes.capacity()
    }
}
