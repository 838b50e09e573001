//! Rings of 64-bit words with one writer and one reader. Positions count words since the epoch began and never wrap;
//! the place of a word is its position modulo the ring's size.

use super::layout::{REPLY_WORDS, at};
use crate::memory::Region;
use afterimage_stream::{ObjectId, Reply};

/// The other side's position cannot be true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{ring} ring: position {theirs} of the other side does not fit to ours, {ours}")]
pub(crate) struct BadPosition {
    ring: &'static str,
    ours: u64,
    theirs: u64,
}

/// Where a ring lies in the control block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) name: &'static str,
    pub(crate) words: u64,
    pub(crate) data: u64,
    pub(crate) head: u64,
    pub(crate) tail: u64,
}

/// The ring of packets.
pub(crate) const COMMANDS: Place = Place {
    name: "packet",
    words: super::layout::COMMAND_WORDS,
    data: at::COMMANDS,
    head: at::COMMAND_HEAD,
    tail: at::COMMAND_TAIL,
};
/// The ring of replies.
pub(crate) const REPLIES: Place =
    Place { name: "reply", words: REPLY_WORDS, data: at::REPLIES, head: at::REPLY_HEAD, tail: at::REPLY_TAIL };

impl Place {
    /// Empties the ring. Only while the other side looks away.
    pub(crate) fn reset(&self, control: &Region) {
        control.store_u64(self.head, 0);
        control.store_u64(self.tail, 0);
    }

    /// The two pieces that `count` words from `position` on consist of: offset in the control block and words.
    fn pieces(&self, position: u64, count: usize) -> [(u64, usize); 2] {
        let start = position & (self.words - 1);
        let first = count.min((self.words - start) as usize);
        [(self.data + start * 8, first), (self.data, count - first)]
    }
}

/// The writing end.
#[derive(Debug)]
pub(crate) struct Producer {
    place: Place,
    head: u64,
    /// The reader's position when last looked at.
    tail: u64,
}

impl Producer {
    pub(crate) fn new(place: Place) -> Self {
        Self { place, head: 0, tail: 0 }
    }

    /// Words that can be put now. Looks at the reader's position only if fewer than `wanted` are known to fit.
    pub(crate) fn room(&mut self, control: &Region, wanted: u64) -> Result<u64, BadPosition> {
        let room = self.place.words - (self.head - self.tail);
        if room >= wanted {
            return Ok(room);
        }
        let theirs = control.load_u64(self.place.tail);
        if theirs < self.tail || theirs > self.head {
            return Err(BadPosition { ring: self.place.name, ours: self.head, theirs });
        }
        self.tail = theirs;
        Ok(self.place.words - (self.head - self.tail))
    }

    /// Puts words that fit, without showing them yet.
    pub(crate) fn put(&mut self, control: &Region, words: &[u64]) {
        let [first, second] = self.place.pieces(self.head, words.len());
        let (front, back) = words.split_at(first.1);
        let written =
            control.write(first.0, bytemuck::cast_slice(front)) && control.write(second.0, bytemuck::cast_slice(back));
        debug_assert!(written, "the ring lies inside of the control block");
        self.head += words.len() as u64;
    }

    /// Shows what was put.
    pub(crate) fn publish(&self, control: &Region) {
        control.store_u64(self.place.head, self.head);
    }
}

/// The reading end.
#[derive(Debug)]
pub(crate) struct Consumer {
    place: Place,
    tail: u64,
    /// The writer's position when last looked at.
    head: u64,
}

impl Consumer {
    pub(crate) fn new(place: Place) -> Self {
        Self { place, tail: 0, head: 0 }
    }

    /// Words that can be taken now. Looks at the writer's position only if none are known.
    pub(crate) fn available(&mut self, control: &Region) -> Result<u64, BadPosition> {
        if self.head == self.tail {
            let theirs = control.load_u64(self.place.head);
            if theirs < self.tail || theirs - self.tail > self.place.words {
                return Err(BadPosition { ring: self.place.name, ours: self.tail, theirs });
            }
            self.head = theirs;
        }
        Ok(self.head - self.tail)
    }

    /// Copies `count` available words to the end of `out` and gives their room back.
    pub(crate) fn take(&mut self, control: &Region, count: usize, out: &mut Vec<u64>) {
        let start = out.len();
        out.resize(start + count, 0);
        let [first, second] = self.place.pieces(self.tail, count);
        let (front, back) = out[start..].split_at_mut(first.1);
        let read = control.read(first.0, bytemuck::cast_slice_mut(front))
            && control.read(second.0, bytemuck::cast_slice_mut(back));
        debug_assert!(read, "the ring lies inside of the control block");
        self.tail += count as u64;
        control.store_u64(self.place.tail, self.tail);
    }
}

/// Batches are preceded by one word: this, and the number of words.
const BATCH: u64 = 0xba7c << 48;
/// Words of the largest batch: 8 MiB. A guest splits larger ones between packets.
pub(crate) const BATCH_LIMIT: u64 = 1 << 20;

/// The word before a batch.
pub(crate) fn batch_word(words: usize) -> u64 {
    debug_assert!(words as u64 <= BATCH_LIMIT);
    BATCH | words as u64
}

/// What is wrong with the words in the packet ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BadRing {
    #[error(transparent)]
    Position(#[from] BadPosition),
    #[error(
        "packet ring: word {position} is {word:#018x}, expected the start of a batch of at most {BATCH_LIMIT} words"
    )]
    Start { position: u64, word: u64 },
}

/// Puts batches together from the packet ring.
#[derive(Debug)]
pub(crate) struct BatchReader {
    ring: Consumer,
    batch: Vec<u64>,
    /// Words of the batch that is being collected.
    wanted: Option<usize>,
}

impl BatchReader {
    pub(crate) fn new() -> Self {
        Self { ring: Consumer::new(COMMANDS), batch: Vec::new(), wanted: None }
    }

    /// The next whole batch if it is there. Memory grows only with words that have arrived.
    pub(crate) fn next(&mut self, control: &Region) -> Result<Option<Vec<u64>>, BadRing> {
        loop {
            let wanted = match self.wanted {
                Some(wanted) => wanted,
                None => {
                    if self.ring.available(control)? == 0 {
                        return Ok(None);
                    }
                    let position = self.ring.tail;
                    self.batch.clear();
                    self.ring.take(control, 1, &mut self.batch);
                    let word = self.batch.pop().unwrap_or_default();
                    let words = word ^ BATCH;
                    if words > BATCH_LIMIT {
                        return Err(BadRing::Start { position, word });
                    }
                    *self.wanted.insert(words as usize)
                }
            };
            let missing = wanted - self.batch.len();
            if missing == 0 {
                self.wanted = None;
                return Ok(Some(std::mem::take(&mut self.batch)));
            }
            let available = self.ring.available(control)? as usize;
            if available == 0 {
                return Ok(None);
            }
            self.ring.take(control, missing.min(available), &mut self.batch);
        }
    }

    /// Memory for the next batch.
    pub(crate) fn recycle(&mut self, mut batch: Vec<u64>) {
        if self.wanted.is_none() && batch.capacity() > self.batch.capacity() {
            batch.clear();
            self.batch = batch;
        }
    }
}

/// Words of one reply.
pub(crate) const REPLY: usize = 4;

/// A reply as words.
#[cfg(any(unix, test))]
pub(crate) fn encode_reply(reply: Reply) -> [u64; REPLY] {
    match reply {
        Reply::FrameDone { frame } => [1, frame, 0, 0],
        Reply::Query { id, token, value } => [2, u64::from(id.0), token, value],
        Reply::ReadBack { token, ok } => [3, token, u64::from(ok), 0],
        Reply::Error { sequence } => [4, u64::from(sequence), 0, 0],
    }
}

/// The reply that four words are; `None` for an unknown kind.
pub(crate) fn decode_reply(words: &[u64]) -> Option<Reply> {
    Some(match *words {
        [1, frame, ..] => Reply::FrameDone { frame },
        [2, id, token, value] => Reply::Query { id: ObjectId(id as u32), token, value },
        [3, token, ok, ..] => Reply::ReadBack { token, ok: ok != 0 },
        [4, sequence, ..] => Reply::Error { sequence: sequence as u32 },
        _ => return None,
    })
}

/// Reads arbitrary bytes as the control block of a shared file: header, slot table, both rings. For fuzzing; must never
/// panic, hang or read outside. Returns the number of words that came out of the packet ring.
pub fn fuzz_ring(bytes: &[u8]) -> usize {
    use super::layout::{CONTROL_BYTES, Fixed, slot_entry};
    use crate::{HeapSlots, MAX_SLOTS, SlotFactory};
    let Some(memory) = HeapSlots.allocate(CONTROL_BYTES) else { return 0 };
    let control = memory.region;
    // The first 4 KiB are the header and its words, the rest goes to where the packet ring starts.
    let (header, ring) = bytes.split_at(bytes.len().min(4096));
    let ring = &ring[..ring.len().min((COMMANDS.words * 8) as usize)];
    let _fits = control.write(0, header) && control.write(at::COMMANDS, ring);
    let _header = Fixed::read(&control).map(|fixed| fixed.program());
    for slot in 0..=MAX_SLOTS as u32 {
        let _entry = slot_entry(&control, slot);
    }
    let mut total = 0;
    let mut batches = BatchReader::new();
    while let Ok(Some(batch)) = batches.next(&control) {
        total += batch.len();
        for located in afterimage_stream::Reader::new(&batch) {
            let _packet = located.map(|located| located.packet.kind());
        }
        batches.recycle(batch);
    }
    let mut replies = Consumer::new(REPLIES);
    let mut words = Vec::new();
    while replies.available(&control).is_ok_and(|available| available >= REPLY as u64) {
        words.clear();
        replies.take(&control, REPLY, &mut words);
        let _reply = decode_reply(&words);
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{HeapSlots, SlotFactory};
    use proptest::prelude::*;

    #[test]
    fn replies_round_trip() {
        for reply in [
            Reply::FrameDone { frame: u64::MAX },
            Reply::Query { id: ObjectId(0x0600_0001), token: 7, value: 1 << 40 },
            Reply::ReadBack { token: 3, ok: true },
            Reply::ReadBack { token: 3, ok: false },
            Reply::Error { sequence: 99 },
        ] {
            assert_eq!(decode_reply(&encode_reply(reply)), Some(reply));
        }
        assert_eq!(decode_reply(&[5, 0, 0, 0]), None);
    }

    #[test]
    fn positions_that_cannot_be_are_errors() {
        let memory = HeapSlots.allocate(super::super::layout::CONTROL_BYTES).unwrap();
        let control = memory.region;
        control.store_u64(COMMANDS.head, COMMANDS.words + 1);
        assert!(matches!(BatchReader::new().next(&control), Err(BadRing::Position(_))));
        control.store_u64(COMMANDS.head, 1);
        assert!(matches!(BatchReader::new().next(&control), Err(BadRing::Start { position: 0, word: 0 })));
        let mut producer = Producer::new(COMMANDS);
        control.store_u64(COMMANDS.tail, 1);
        assert!(producer.room(&control, COMMANDS.words + 1).is_err(), "the reader cannot be ahead");
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn garbage_never_panics(header in prop::collection::vec(any::<u8>(), 4096), ring in prop::collection::vec(any::<u8>(), 0..4096), head in 0u64..600) {
            let mut bytes = header;
            bytes[at::COMMAND_HEAD as usize..][..8].copy_from_slice(&head.to_le_bytes());
            bytes[at::REPLY_HEAD as usize..][..8].copy_from_slice(&(head * 7).to_le_bytes());
            bytes.extend(ring);
            fuzz_ring(&bytes);
        }

        #[test]
        fn batches_come_out_as_they_went_in(sizes in prop::collection::vec(0usize..5000, 1..200)) {
            let memory = HeapSlots.allocate(super::super::layout::CONTROL_BYTES).unwrap();
            let control = memory.region;
            // A ring of 4096 words makes every batch wrap or wait.
            let place = Place { words: 4096, ..COMMANDS };
            let mut producer = Producer::new(place);
            let mut reader = BatchReader { ring: Consumer::new(place), batch: Vec::new(), wanted: None };
            let mut next = 0u64;
            for size in sizes {
                let batch: Vec<u64> = (next..next + size as u64).collect();
                next += size as u64;
                let mut rest: Vec<u64> = vec![batch_word(size)];
                rest.extend(&batch);
                let mut rest = &rest[..];
                let mut got = None;
                while got.is_none() {
                    let room = producer.room(&control, rest.len() as u64).unwrap().min(rest.len() as u64) as usize;
                    producer.put(&control, &rest[..room]);
                    producer.publish(&control);
                    rest = &rest[room..];
                    got = reader.next(&control).unwrap();
                }
                let got = got.unwrap();
                prop_assert_eq!(&got, &batch);
                reader.recycle(got);
            }
        }
    }
}
