//! Bytes that packets carry, as far as the model needs them: shader code, vertices, indices.

use crate::Place;
use crate::store::{Store, Stored};
use afterimage_stream::packets::{CreateBuffer, Effect, Extent};
use afterimage_stream::{Arena, Created, ObjectId, ObjectKind, Packet, State, UploadRef};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_128;

/// Largest piece that is kept of one packet.
const LARGEST: u32 = 256 << 20;
/// Bytes that are tried to be read at once where nothing says how many there are.
const STEP: usize = 64 << 10;

/// New bytes of a buffer.
#[derive(Debug)]
struct Write {
    place: Place,
    offset: u64,
    /// `None` where they are not kept.
    bytes: Option<Stored>,
    size: u64,
}

/// Whether draws may read a buffer's bytes as vertices or indices.
fn is_input(state: &State, id: ObjectId) -> bool {
    let usage = CreateBuffer::VERTEX | CreateBuffer::INDEX;
    matches!(state.objects.get(id), Some(Created::Buffer(buffer)) if buffer.usage & usage != 0)
}

/// What is kept.
#[derive(Debug)]
pub(crate) struct Data {
    store: Store,
    known: FxHashMap<u128, Stored>,
    left: usize,
    /// Bytes that may still be looked at where nothing says how many are meant.
    looks: usize,
    /// In the order of places.
    writes: FxHashMap<ObjectId, Vec<Write>>,
    /// Of bindings that name uploaded bytes: by place of the packet and slot; the index buffer is slot 16.
    uploads: FxHashMap<(Place, usize), Stored>,
    /// Writes of all buffers.
    written: usize,
}

/// Slot of [`Data::upload`] of the index buffer.
pub(crate) const INDICES: usize = afterimage_stream::VERTEX_BUFFERS;

impl Data {
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            store: Store::new(),
            known: FxHashMap::default(),
            left: limit,
            looks: limit.saturating_mul(4),
            writes: FxHashMap::default(),
            uploads: FxHashMap::default(),
            written: 0,
        }
    }

    /// How many writes and uploads are known, and pieces of bytes.
    pub(crate) fn notes(&self) -> usize {
        self.written + self.uploads.len() + self.known.len()
    }

    /// The bytes of a range, if they are there and there is room for them.
    pub(crate) fn bytes(&mut self, arena: &dyn Arena, range: UploadRef) -> Option<Arc<[u8]>> {
        let stored = self.range(arena, range)?;
        self.store.get(&stored)
    }

    /// The same, stored.
    fn range(&mut self, arena: &dyn Arena, range: UploadRef) -> Option<Stored> {
        if range.size > LARGEST || range.size as usize > self.left {
            return None;
        }
        // Nothing says yet that the bytes are there: take memory as they come.
        let mut bytes = Vec::new();
        while bytes.len() < range.size as usize {
            let at = bytes.len();
            let count = (range.size as usize - at).min(1 << 20);
            bytes.resize(at + count, 0);
            if !arena.copy_out(&range, at as u32, &mut bytes[at..]) {
                return None;
            }
        }
        self.keep(bytes)
    }

    fn keep(&mut self, bytes: Vec<u8>) -> Option<Stored> {
        let hash = xxh3_128(&bytes);
        if let Some(known) = self.known.get(&hash) {
            return Some(known.clone());
        }
        self.left = self.left.checked_sub(bytes.len())?;
        let kept = self.store.put(bytes);
        self.known.insert(hash, kept.clone());
        Some(kept)
    }

    /// Notes what a packet brings.
    pub(crate) fn packet(&mut self, place: Place, packet: &Packet<'_>, arena: &dyn Arena, state: &State) {
        let mut uploaded = None;
        packet.effects(|effect| match effect {
            Effect::Uploads(range) => uploaded = Some(range),
            // The id may have been another buffer's; what that one held is not in this one.
            Effect::Creates { id, .. } if self.writes.contains_key(&id) => self.write(place, id, 0, u64::MAX, None),
            Effect::Writes(part, extent) if is_input(state, part.id) => {
                // What the GPU writes is not in the capture, and what was there before must not be taken for it.
                let bytes = uploaded.and_then(|range| self.range(arena, range));
                let (offset, size) = match extent {
                    Extent::Bytes { offset, size, .. } => (offset, size),
                    Extent::Texels(_) | Extent::Some => (0, u64::MAX),
                };
                self.write(place, part.id, offset, size, bytes);
            }
            Effect::Binds { slot, source, offset, size } => self.bound(place, slot, source, offset, size, arena),
            Effect::Creates { .. } | Effect::Writes(..) => {}
            Effect::Declares(_)
            | Effect::Describes(_)
            | Effect::Destroys(_)
            | Effect::Answers(_)
            | Effect::Reads(_)
            | Effect::Outputs(_)
            | Effect::Draws { .. }
            | Effect::Dispatches(_)
            | Effect::Clears(..)
            | Effect::Feedback { .. } => {}
        });
    }

    fn write(&mut self, place: Place, id: ObjectId, offset: u64, size: u64, bytes: Option<Stored>) {
        self.written += 1;
        self.writes.entry(id).or_default().push(Write { place, offset, bytes, size });
    }

    fn bound(&mut self, place: Place, slot: usize, id: ObjectId, offset: u64, size: u64, arena: &dyn Arena) {
        if id.kind() != Some(ObjectKind::Upload) {
            return;
        }
        let most = if size == 0 { LARGEST as usize } else { usize::try_from(size).unwrap_or(usize::MAX) };
        let range = UploadRef { slot: id.serial(), size: u32::MAX, offset };
        let (mut bytes, mut step) = (Vec::new(), STEP);
        let most = most.min(self.left).min(LARGEST as usize);
        let most = if size == 0 { most.min(self.looks) } else { most };
        while bytes.len() < most && step > 0 {
            let at = bytes.len();
            bytes.resize((at + step).min(most), 0);
            if !arena.copy_out(&range, at as u32, &mut bytes[at..]) {
                bytes.truncate(at);
                step /= 2;
            }
        }
        if size == 0 {
            self.looks -= bytes.len();
        }
        if let Some(kept) = self.keep(bytes) {
            self.uploads.insert((place, slot), kept);
        }
    }

    /// The uploaded bytes that a packet bound to a slot.
    pub(crate) fn upload(&self, place: Place, slot: usize) -> Option<Arc<[u8]>> {
        self.store.get(self.uploads.get(&(place, slot))?)
    }

    /// What was written to a buffer, in order.
    fn writes(&self, id: ObjectId) -> &[Write] {
        self.writes.get(&id).map_or(&[][..], |writes| writes)
    }
}

/// Bytes of writes that are at hand, at most; more where one has more.
const AT_HAND: usize = 16 << 20;

/// Which of the writes to buffers are still to be seen at a place.
#[derive(Debug, Default)]
pub(crate) struct Contents {
    buffers: FxHashMap<ObjectId, Pieces>,
    at_hand: RefCell<AtHand>,
}

/// Writes that were read.
#[derive(Debug, Default)]
struct AtHand {
    /// By buffer and number.
    writes: FxHashMap<(ObjectId, usize), Arc<[u8]>>,
    /// Bytes of them all.
    size: usize,
}

/// Of one buffer.
#[derive(Debug, Default)]
struct Pieces {
    /// Writes that are in it.
    taken: usize,
    /// By first byte: the byte behind the last one, and the write that they are of.
    pieces: BTreeMap<u64, (u64, usize)>,
}

impl Pieces {
    fn put(&mut self, start: u64, end: u64, write: usize) {
        if start >= end {
            return;
        }
        // What begins before may reach into it, or over it.
        if let Some((&first, &(last, old))) = self.pieces.range(..start).next_back()
            && last > start
        {
            self.pieces.insert(first, (start, old));
            if last > end {
                self.pieces.insert(end, (last, old));
            }
        }
        while let Some((&first, &(last, old))) = self.pieces.range(start..end).next() {
            self.pieces.remove(&first);
            if last > end {
                self.pieces.insert(end, (last, old));
            }
        }
        self.pieces.insert(start, (end, write));
    }
}

impl Contents {
    /// Makes ready what a buffer holds at a place.
    pub(crate) fn prepare(&mut self, data: &Data, id: ObjectId, place: Place) {
        let writes = data.writes(id);
        let count = writes.partition_point(|write| write.place < place);
        let buffer = self.buffers.entry(id).or_default();
        if buffer.taken > count {
            *buffer = Pieces::default();
        }
        for (at, write) in writes.iter().enumerate().take(count).skip(buffer.taken) {
            buffer.put(write.offset, write.offset.saturating_add(write.size), at);
        }
        buffer.taken = count;
    }

    /// Copies bytes of a write; `None` where it has not as many.
    fn copy(&self, data: &Data, write: (ObjectId, usize), stored: &Stored, from: usize, out: &mut [u8]) -> Option<()> {
        let range = from..from.checked_add(out.len())?;
        if let Stored::Memory(bytes) = stored {
            out.copy_from_slice(bytes.get(range)?);
            return Some(());
        }
        let mut at_hand = self.at_hand.borrow_mut();
        if !at_hand.writes.contains_key(&write) {
            if at_hand.size + stored.len() > AT_HAND {
                *at_hand = AtHand::default();
            }
            at_hand.writes.insert(write, data.store.get(stored)?);
            at_hand.size += stored.len();
        }
        out.copy_from_slice(at_hand.writes.get(&write)?.get(range)?);
        Some(())
    }

    /// Reads from a buffer that has been made ready; whether all of the bytes are known.
    pub(crate) fn read(&self, data: &Data, id: ObjectId, mut at: u64, mut out: &mut [u8]) -> bool {
        let (Some(buffer), writes) = (self.buffers.get(&id), data.writes(id)) else { return false };
        while !out.is_empty() {
            let piece = buffer.pieces.range(..=at).next_back().filter(|(_, (end, _))| *end > at);
            let Some((_, &(end, write))) = piece else { return false };
            let count = usize::try_from(end - at).unwrap_or(usize::MAX).min(out.len());
            let (now, rest) = out.split_at_mut(count);
            let copied = writes.get(write).and_then(|one| {
                let from = usize::try_from(at - one.offset).ok()?;
                self.copy(data, (id, write), one.bytes.as_ref()?, from, now)
            });
            if copied.is_none() {
                return false;
            }
            (out, at) = (rest, at + count as u64);
        }
        true
    }
}
