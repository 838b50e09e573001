//! Where the last packets of this process's guests lie in memory, for a report about a crash.
//!
//! A [`crate::Port`] notes address and length of a batch when it hands it over, and of the next one, so that recording costs a
//! few stores per batch and nothing per packet. Nothing keeps the memory: whoever reads it must expect that it is gone or holds
//! something else by then. Sequence numbers tell: [`unfinished`] and [`finished`] find what is still in order.

use crate::packets::{Header, Kind, Packet};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering::Relaxed};

/// Ports that are recorded at a time; further ones are not.
const PORTS: usize = 4;
/// Batches of a port that are remembered after they were handed over.
const SENT: usize = 4;

/// A batch in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// Where its words are; 0 for none.
    pub address: usize,
    /// How many there are; of the open batch, how many there may be.
    pub words: usize,
    /// Of the open batch the sequence number of its first packet, of others that of the last.
    pub sequence: u32,
}

/// What is known of a port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// The frame that is open.
    pub frame: u64,
    /// The batch that is being written.
    pub open: Span,
    /// Batches that were handed over, the oldest first.
    pub sent: [Span; SENT],
}

struct AtomicSpan {
    address: AtomicUsize,
    words: AtomicUsize,
    sequence: AtomicU32,
}

impl AtomicSpan {
    const fn none() -> Self {
        Self { address: AtomicUsize::new(0), words: AtomicUsize::new(0), sequence: AtomicU32::new(0) }
    }

    fn set(&self, span: Span) {
        self.address.store(span.address, Relaxed);
        self.words.store(span.words, Relaxed);
        self.sequence.store(span.sequence, Relaxed);
    }

    fn get(&self) -> Span {
        Span {
            address: self.address.load(Relaxed),
            words: self.words.load(Relaxed),
            sequence: self.sequence.load(Relaxed),
        }
    }
}

struct Slot {
    used: AtomicBool,
    frame: AtomicU64,
    open: AtomicSpan,
    sent: [AtomicSpan; SENT],
    /// Batches so far; the next one's place is this modulo [`SENT`].
    count: AtomicUsize,
}

static SLOTS: [Slot; PORTS] = [const {
    Slot {
        used: AtomicBool::new(false),
        frame: AtomicU64::new(0),
        open: AtomicSpan::none(),
        sent: [const { AtomicSpan::none() }; SENT],
        count: AtomicUsize::new(0),
    }
}; PORTS];

/// A port's place among the recorded ones, if there was one left.
pub(crate) struct Recorder(Option<&'static Slot>);

impl Recorder {
    pub(crate) fn new() -> Self {
        let free = |slot: &&Slot| slot.used.compare_exchange(false, true, Relaxed, Relaxed).is_ok();
        let slot = SLOTS.iter().find(free);
        if let Some(slot) = slot {
            slot.open.set(Span::default());
            slot.sent.iter().for_each(|span| span.set(Span::default()));
            slot.count.store(0, Relaxed);
        }
        Self(slot)
    }

    /// A batch is about to be handed over, and `last` is the sequence number of its last packet.
    pub(crate) fn sent(&self, batch: &[u64], last: u32) {
        let Some(slot) = self.0 else { return };
        let count = slot.count.load(Relaxed);
        slot.sent[count % SENT].set(Span { address: batch.as_ptr().addr(), words: batch.len(), sequence: last });
        slot.count.store(count.wrapping_add(1), Relaxed);
    }

    /// A batch is begun, whose first packet will have the sequence number `first`.
    pub(crate) fn open(&self, batch: &Vec<u64>, first: u32) {
        let Some(slot) = self.0 else { return };
        slot.open.set(Span { address: batch.as_ptr().addr(), words: batch.capacity(), sequence: first });
    }

    /// A frame is begun.
    pub(crate) fn frame(&self, frame: u64) {
        if let Some(slot) = self.0 {
            slot.frame.store(frame, Relaxed);
        }
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        if let Some(slot) = self.0 {
            slot.used.store(false, Relaxed);
        }
    }
}

/// What is known of the ports there are. Takes no lock and allocates nothing.
pub fn records() -> impl Iterator<Item = Record> {
    SLOTS.iter().filter(|slot| slot.used.load(Relaxed)).map(|slot| {
        let count = slot.count.load(Relaxed);
        Record {
            frame: slot.frame.load(Relaxed),
            open: slot.open.get(),
            sent: std::array::from_fn(|index| slot.sent[(count.wrapping_add(index)) % SENT].get()),
        }
    })
}

/// The packet at a word, if it is one with this sequence number: its words.
fn packet_at(words: &[u64], at: usize, sequence: u32) -> Option<usize> {
    let header: Header = bytemuck::cast(*words.get(at)?);
    let units = usize::from(header.units);
    let body = words.get(at + 1..at.checked_add(units)?)?;
    let kind = Kind::from_bits(header.kind)?;
    (header.sequence == sequence && Packet::decode(kind, body).is_ok()).then_some(units)
}

/// The packets numbered from `first` on at the start of `words`: how many words they have, and the number after them.
fn run(words: &[u64], first: u32) -> (usize, u32) {
    let (mut at, mut sequence) = (0, first);
    while let Some(units) = packet_at(words, at, sequence) {
        at += units;
        sequence = sequence.wrapping_add(1);
    }
    (at, sequence)
}

/// How many words at the start of `words` are packets numbered from `first` on: the part of the open batch that is written.
#[must_use]
pub fn unfinished(words: &[u64], first: u32) -> usize {
    run(words, first).0
}

/// Where the packets begin that lead without a gap to the end of `words` and to the packet numbered `last`: 0 for a batch that
/// is as it was, more for one whose start has been written over, the length for one of which nothing is left.
#[must_use]
pub fn finished(words: &[u64], last: u32) -> usize {
    // Going back from the end would be ambiguous; each start is tried, and most fail at their first word.
    let leads_to_end = |start: usize| {
        let header: Header = bytemuck::cast(words[start]);
        let left = words.len() - start;
        // A packet has a word at least.
        if last.wrapping_sub(header.sequence) as usize >= left {
            return false;
        }
        let (length, after) = run(&words[start..], header.sequence);
        length == left && after == last.wrapping_add(1)
    };
    (0..words.len()).find(|&start| leads_to_end(start)).unwrap_or(words.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Encoder;
    use crate::packets::BeginFrame;
    use proptest::prelude::*;

    fn batch(count: u64) -> (Vec<u64>, u32) {
        let mut encoder = Encoder::new();
        for frame in 0..count {
            encoder.push(&BeginFrame { frame });
        }
        (encoder.batch().clone(), count as u32)
    }

    #[test]
    fn what_is_written_ends_where_the_numbers_do() {
        let (mut words, _) = batch(5);
        let old = words.clone();
        // A vector that was used before: behind what is written lies what was.
        words.extend(&old[2..]);
        assert_eq!(unfinished(&words, 1), old.len());
        assert_eq!(unfinished(&words, 2), 0);
        assert_eq!(unfinished(&[], 1), 0);
    }

    #[test]
    fn the_rest_of_a_batch_that_is_written_over_is_found() {
        let (words, last) = batch(10);
        assert_eq!(finished(&words, last), 0);
        let mut over = words.clone();
        over[..7].fill(u64::MAX);
        // Packets have two words each: the first whole one begins at 8.
        assert_eq!(finished(&over, last), 8);
        assert_eq!(finished(&words, last + 1), words.len());
        over.fill(0);
        assert_eq!(finished(&over, last), over.len());
    }

    proptest! {
        /// Whatever lies there by now, nothing fails, and what is found is in order.
        #[test]
        fn any_memory_is_read(words in prop::collection::vec(prop_oneof![any::<u64>(), 0u64..4, Just(0x0000_0005_0002_0002)], 0..60), number in 0u32..8) {
            prop_assert!(unfinished(&words, number) <= words.len());
            let start = finished(&words, number);
            prop_assert!(start <= words.len());
        }
    }
}
