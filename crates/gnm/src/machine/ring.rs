//! Rings: where the processor puts commands, with a read and a write pointer.

use super::QueueError;
use super::archive::{Archive, Kept, StateError, size};
use afterimage_gnm_types::packets::Header;
use afterimage_gnm_types::{Opcode, op};

/// Words of the graphics ring.
const WORDS: usize = 0x1000;
/// Words of a command of the graphics ring: INDIRECT_BUFFER or INDIRECT_BUFFER_CONST.
const COMMAND: usize = 4;

/// The graphics ring: commands that enter command buffers. The kernel's memory, not the program's.
#[derive(Debug)]
pub(super) struct GraphicsRing {
    words: Box<[u32; WORDS]>,
    read: usize,
    write: usize,
}

impl Default for GraphicsRing {
    fn default() -> Self {
        Self { words: Box::new([0; WORDS]), read: 0, write: 0 }
    }
}

impl Kept for GraphicsRing {
    fn keep(&mut self, archive: &mut Archive<'_>) -> Result<(), StateError> {
        self.words.keep(archive)?;
        for (place, what) in
            [(&mut self.read, "the ring's read pointer"), (&mut self.write, "the ring's write pointer")]
        {
            size(place, WORDS - COMMAND, what, archive)?;
            if !place.is_multiple_of(COMMAND) {
                return Err(StateError::Value { what, value: *place as u64 });
            }
        }
        Ok(())
    }
}

impl GraphicsRing {
    /// Commands that it has room for.
    pub(super) fn room(&self) -> usize {
        // The write pointer may not come to lie where the read pointer is by going round.
        (WORDS - 1 - (self.write + WORDS - self.read) % WORDS) / COMMAND
    }

    pub(super) fn is_empty(&self) -> bool {
        self.read == self.write
    }

    /// Puts a command in, for which there must be room.
    pub(super) fn push(&mut self, opcode: Opcode, address: u64, words: u32) {
        let command = [Header::packet(opcode, 3), address as u32, (address >> 32) as u32 & 0xFFFF, words & 0xF_FFFF];
        self.words[self.write..self.write + COMMAND].copy_from_slice(&command);
        self.write = (self.write + COMMAND) % WORDS;
    }

    /// The next command: whether it is for the constant engine, address and words of the command buffer.
    pub(super) fn pop(&mut self) -> Option<(bool, u64, u32)> {
        if self.is_empty() {
            return None;
        }
        let [header, low, high, words] = self.words[self.read..].first_chunk().copied()?;
        self.read = (self.read + COMMAND) % WORDS;
        let constant = header == Header::packet(op::INDIRECT_BUFFER_CONST, 3);
        Some((constant, u64::from(low) | u64::from(high) << 32, words))
    }
}

/// A compute ring in the program's memory.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ComputeRing {
    /// Guest address of its first word.
    pub(super) address: u64,
    /// Words, a power of two.
    pub(super) words: u32,
    /// Guest address of the read pointer, which is in bytes.
    pub(super) read_pointer: u64,
    /// In words.
    pub(super) read: u32,
    /// In words; the ring's size at its end.
    pub(super) write: u32,
    /// Words that are being followed.
    pub(super) running: u32,
}

impl Kept for ComputeRing {
    fn keep(&mut self, archive: &mut Archive<'_>) -> Result<(), StateError> {
        let Self { address, words, read_pointer, read, write, running } = self;
        address.keep(archive)?;
        words.keep(archive)?;
        read_pointer.keep(archive)?;
        read.keep(archive)?;
        write.keep(archive)?;
        running.keep(archive)?;
        Self::check(*address, *words, *read_pointer)
            .map_err(|_| StateError::Value { what: "a compute ring's address", value: *address })?;
        let end = if *write >= *read { *write } else { *words };
        let inside = *read < *words && *write <= *words && *running <= end - *read;
        if inside { Ok(()) } else { Err(StateError::Value { what: "a compute ring's pointer", value: (*read).into() }) }
    }
}

impl ComputeRing {
    /// Whether a ring can lie there.
    pub(super) fn check(address: u64, words: u32, read_pointer: u64) -> Result<(), QueueError> {
        if !address.is_multiple_of(256) || address >= 1 << crate::memory::ADDRESS_BITS {
            return Err(QueueError::RingAddress(address));
        }
        if !words.is_power_of_two() || words > 1 << 20 {
            return Err(QueueError::RingSize(words));
        }
        if !read_pointer.is_multiple_of(4) {
            return Err(QueueError::ReadPointer(read_pointer));
        }
        Ok(())
    }

    /// Words from the read pointer on that can be followed without going round: where, and how many.
    pub(super) fn segment(&self) -> Option<(u64, u32)> {
        let end = if self.write >= self.read { self.write } else { self.words };
        let words = end - self.read;
        (words > 0).then(|| (self.address + 4 * u64::from(self.read), words))
    }

    /// What was being followed is done.
    pub(super) fn finish(&mut self) {
        self.read += std::mem::take(&mut self.running);
        if self.read == self.words {
            if self.write == self.words {
                self.write = 0;
            }
            self.read = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_graphics_ring_goes_round() {
        let mut ring = GraphicsRing::default();
        let room = ring.room();
        assert_eq!(room, 1023);
        for i in 0..5000u32 {
            ring.push(op::INDIRECT_BUFFER, 0x12_3456_0000 + u64::from(i), i);
            ring.push(op::INDIRECT_BUFFER_CONST, 4, 1);
            assert_eq!(ring.pop(), Some((false, 0x12_3456_0000 + u64::from(i), i)));
            assert_eq!(ring.pop(), Some((true, 4, 1)));
            assert!(ring.is_empty() && ring.room() == room);
        }
    }

    #[test]
    fn a_compute_ring_is_followed_up_to_its_end_and_from_its_start() {
        let mut ring = ComputeRing { address: 0x1000, words: 16, read_pointer: 0, read: 12, write: 4, running: 0 };
        assert_eq!(ring.segment(), Some((0x1030, 4)));
        ring.running = 4;
        ring.finish();
        assert_eq!(ring.segment(), Some((0x1000, 4)));
        ring.running = 4;
        ring.finish();
        assert_eq!(ring.segment(), None);
        ring.write = 16;
        assert_eq!(ring.segment(), Some((0x1010, 12)));
        ring.running = 12;
        ring.finish();
        assert_eq!((ring.segment(), ring.read), (None, 0));
    }
}
