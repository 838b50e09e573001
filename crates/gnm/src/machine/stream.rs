//! Command buffers that are inside of each other, and the words of the innermost.

use super::archive::{Archive, Kept, StateError, kept};
use super::fault::FaultKind;
use super::{Bus, Limits};
use crate::memory::Unmapped;
use afterimage_gnm_types::packets::Header;
use std::ops::Range;

/// Words that are read at once, unless a packet is longer.
const BLOCK: u32 = 0x800;

/// What is left of a command buffer.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stream {
    /// Guest address of the next word.
    pub(super) address: u64,
    /// Words.
    pub(super) words: u32,
}

/// Command buffers that were entered, the innermost last, and words of the innermost that were read ahead.
#[derive(Debug, Default)]
pub(super) struct Streams {
    stack: Vec<Stream>,
    block: Vec<u32>,
    /// Guest address of the block's first word.
    start: u64,
    /// Words followed and buffers entered since the ring's command.
    words: u64,
    jumps: u32,
    /// The block counts for nothing, also if somebody has taken it.
    forgotten: bool,
}

/// The next packet, or why there is none.
pub(super) enum Next {
    /// A packet: its address, its header, and where its body is in [`Streams::body`].
    Packet { address: u64, header: u32, body: Range<usize> },
    /// Every buffer is at its end.
    End,
    /// The innermost buffer cannot be followed; it was left.
    Fault { address: u64, kind: FaultKind },
    /// Too many words; every buffer was left.
    TooMany { address: u64 },
}

kept!(Stream { address, words });

impl Kept for Streams {
    fn keep(&mut self, archive: &mut Archive<'_>) -> Result<(), StateError> {
        self.stack.keep(archive)?;
        self.words.keep(archive)?;
        self.jumps.keep(archive)?;
        self.forget();
        Ok(())
    }
}

impl Streams {
    /// Whether nothing is left of any buffer.
    pub(super) fn is_empty(&self) -> bool {
        self.stack.iter().all(|stream| stream.words == 0)
    }

    /// A new command of the ring: the limits count anew.
    pub(super) fn begin(&mut self, stream: Stream) {
        (self.words, self.jumps) = (0, 0);
        self.stack.clear();
        self.stack.push(stream);
        self.forget();
    }

    /// Leaves everything.
    pub(super) fn abandon(&mut self) {
        self.stack.clear();
        self.forget();
    }

    /// Reads nothing ahead any more: memory changed.
    pub(super) fn forget(&mut self) {
        self.block.clear();
        self.forgotten = true;
    }

    /// Counts work besides the words of packets.
    pub(super) fn work(&mut self, words: u64) {
        self.words = self.words.saturating_add(words);
    }

    /// Enters a buffer; `chain` leaves the innermost for it.
    pub(super) fn enter(&mut self, stream: Stream, chain: bool, limits: &Limits) -> Result<(), FaultKind> {
        if chain {
            self.stack.pop();
        } else {
            // A buffer that has nothing more to say needs not be come back to.
            while self.stack.last().is_some_and(|stream| stream.words == 0) {
                self.stack.pop();
            }
        }
        if self.jumps >= limits.jumps {
            self.abandon();
            return Err(FaultKind::EndlessJumps { target: stream.address, jumps: self.jumps });
        }
        if self.stack.len() >= limits.depth {
            return Err(FaultKind::Depth { target: stream.address, depth: self.stack.len() + 1 });
        }
        self.jumps += 1;
        self.stack.push(stream);
        Ok(())
    }

    /// The body of a packet that [`Streams::next`] gave out.
    #[inline]
    pub(super) fn body(&self, body: Range<usize>) -> &[u32] {
        &self.block[body]
    }

    /// Skips words of the innermost buffer, as many as there are.
    pub(super) fn skip(&mut self, words: u32) {
        if let Some(stream) = self.stack.last_mut() {
            let words = words.min(stream.words);
            stream.address += 4 * u64::from(words);
            stream.words -= words;
        }
    }

    /// Takes the words of a packet that [`Streams::next`] gave out, so that the packet can change the streams; give them back
    /// with [`Streams::give`].
    pub(super) fn take(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.block)
    }

    /// Gives back what [`Streams::take`] took; it counts for nothing if what was written meanwhile lies in it, or if the packet
    /// forgot what was read ahead.
    #[inline]
    pub(super) fn give(&mut self, block: Vec<u32>, written: Option<Range<u64>>) {
        let range = self.start..self.start + 4 * block.len() as u64;
        self.block = block;
        let stale = written.is_some_and(|written| written.start < range.end && range.start < written.end);
        if stale || std::mem::take(&mut self.forgotten) {
            self.block.clear();
        }
    }

    /// Whether more was done than may be.
    pub(super) fn is_spent(&self, limits: &Limits) -> bool {
        self.words > limits.words
    }

    /// Leaves the innermost buffer.
    pub(super) fn leave(&mut self) {
        self.stack.pop();
    }

    /// Goes to the next packet.
    pub(super) fn next(&mut self, bus: &mut Bus<'_>, limits: &Limits) -> Next {
        loop {
            let Some(&Stream { address, words }) = self.stack.last() else { return Next::End };
            if words == 0 {
                self.stack.pop();
                continue;
            }
            if self.is_spent(limits) {
                self.abandon();
                return Next::TooMany { address };
            }
            let Some(at) = self.find(bus, address, words) else {
                let kind = FaultKind::Unmapped(Unmapped { address, size: 4 * u64::from(words) });
                self.stack.pop();
                return Next::Fault { address, kind };
            };
            let header = self.block[at];
            let wanted = 1 + Header::decode(header).count();
            if wanted > words {
                self.stack.pop();
                return Next::Fault { address, kind: FaultKind::Truncated { wanted, left: words } };
            }
            let inside = (at + wanted as usize <= self.block.len()).then_some(at);
            let Some(at) = inside.or_else(|| self.read(bus, address, wanted, words)) else {
                let kind = FaultKind::Unmapped(Unmapped { address, size: 4 * u64::from(wanted) });
                self.stack.pop();
                return Next::Fault { address, kind };
            };
            self.skip(wanted);
            self.words += u64::from(wanted);
            return Next::Packet { address, header, body: at + 1..at + wanted as usize };
        }
    }

    /// Where the next word of the innermost buffer is in the block, which is read if it is not.
    #[inline]
    fn find(&mut self, bus: &mut Bus<'_>, address: u64, left: u32) -> Option<usize> {
        let ahead = address.wrapping_sub(self.start) / 4;
        if address >= self.start && ahead < self.block.len() as u64 {
            return Some(ahead as usize);
        }
        self.read(bus, address, 1, left)
    }

    fn read(&mut self, bus: &mut Bus<'_>, address: u64, wanted: u32, left: u32) -> Option<usize> {
        // What a buffer holds that is mapped only in part is followed that far.
        let size = bus.memory.mapped(address, 4 * u64::from(left.min(wanted.max(BLOCK)))) & !3;
        if size < 4 * u64::from(wanted) {
            return None;
        }
        self.block.resize(size as usize / 4, 0);
        (self.start, self.forgotten) = (address, false);
        let read = bus.read(address, bytemuck::cast_slice_mut(&mut self.block));
        if read.is_err() {
            self.forget();
            return None;
        }
        for word in &mut self.block {
            *word = u32::from_le(*word);
        }
        Some(0)
    }
}
