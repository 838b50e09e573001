//! Upload data in memory: for keyframes that are being written, and for captures that are being read.

use crate::Limits;
use crate::blob::{Blob, Lately};
use afterimage_stream::{Arena, UploadRef};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// An arena that only grows, for packets that are made here and not by a guest: keyframes and tests.
#[derive(Clone, Debug, Default)]
pub struct MemoryArena {
    bytes: Vec<u8>,
}

impl MemoryArena {
    /// Adds bytes, aligned to 16.
    ///
    /// # Panics
    /// With 4 GiB or more in one piece, which no packet can name.
    pub fn push(&mut self, bytes: &[u8]) -> UploadRef {
        let size = u32::try_from(bytes.len()).expect("an upload is smaller than 4 GiB");
        self.bytes.resize(self.bytes.len().next_multiple_of(16), 0);
        let offset = self.bytes.len() as u64;
        self.bytes.extend_from_slice(bytes);
        UploadRef { slot: 0, size, offset }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.bytes.clear();
    }
}

impl Arena for MemoryArena {
    fn slot_size(&self, slot: u32) -> Option<u64> {
        (slot == 0).then_some(self.bytes.len() as u64)
    }

    fn copy_out(&self, range: &UploadRef, at: u32, out: &mut [u8]) -> bool {
        let Some(start) = start(range, at, out.len()) else { return false };
        let bytes = usize::try_from(start).ok().and_then(|start| self.bytes.get(start..)?.get(..out.len()));
        match bytes {
            Some(bytes) if range.slot == 0 => out.copy_from_slice(bytes),
            _ => return false,
        }
        true
    }

    fn copy_in(&self, _: &UploadRef, _: u32, _: &[u8]) -> bool {
        false
    }
}

/// Offset in the slot of the part of a range that starts `at` bytes in, if `len` bytes from there are inside of it.
fn start(range: &UploadRef, at: u32, len: usize) -> Option<u64> {
    let end = u64::from(at).checked_add(len as u64)?;
    range.offset.checked_add(end)?;
    (end <= u64::from(range.size)).then(|| range.offset + u64::from(at))
}

/// The arena of a capture that is being replayed: what its guest had in the slots, as far as packets used it.
///
/// A slot is a map of pieces, not a block of memory: a damaged capture that puts one byte at the end of the address
/// space costs one byte.
#[derive(Debug)]
pub struct ReplayArena {
    slots: BTreeMap<u32, BTreeMap<u64, Piece>>,
    pieces: usize,
    most: usize,
    frame: u64,
    lately: Mutex<Lately>,
}

impl Default for ReplayArena {
    fn default() -> Self {
        Self::new(Limits::DEFAULT.pieces)
    }
}

/// Part of a blob. Pieces of a slot never overlap.
#[derive(Clone, Debug)]
struct Piece {
    blob: Blob,
    /// First byte of the blob that counts.
    first: usize,
    bytes: usize,
    frame: u64,
}

impl Piece {
    /// The piece from `offset` of its slot on, for one that starts at `start`.
    fn from(&self, start: u64, offset: u64) -> Self {
        let skip = (offset - start) as usize;
        Self { first: self.first + skip, bytes: self.bytes - skip, ..self.clone() }
    }
}

impl ReplayArena {
    /// Slots look this large; a read of bytes that nothing was put at fails.
    const SLOT_BYTES: u64 = 1 << 40;
    /// Slots that can exist.
    pub(crate) const SLOTS: u32 = 256;

    /// For so many pieces.
    pub(crate) fn new(most: usize) -> Self {
        Self { slots: BTreeMap::new(), pieces: 0, most, frame: 0, lately: Mutex::default() }
    }

    /// Whether no other piece can be put there.
    pub(crate) fn is_full(&self) -> bool {
        self.pieces >= self.most
    }

    /// Puts a piece at `offset`, over what was there. False if that is outside of any slot, or too many are
    /// there.
    pub(crate) fn place(&mut self, slot: u32, offset: u64, bytes: Blob) -> bool {
        let Some(end) = offset.checked_add(bytes.len() as u64).filter(|&end| end <= Self::SLOT_BYTES) else {
            return false;
        };
        if slot >= Self::SLOTS || self.is_full() {
            return false;
        }
        // At most this many are added here; `end_frame` counts anew.
        self.pieces += 2;
        self.cut(slot, offset..end);
        if end > offset {
            let piece = Piece { first: 0, bytes: bytes.len(), blob: bytes, frame: self.frame };
            self.slots.entry(slot).or_default().insert(offset, piece);
        }
        true
    }

    /// Takes away what lies in `range` of a slot.
    pub(crate) fn cut(&mut self, slot: u32, range: Range<u64>) {
        let (offset, end) = (range.start, range.end);
        let Some(pieces) = self.slots.get_mut(&slot) else { return };
        let reach = |start: u64, piece: &Piece| start + piece.bytes as u64;
        // At most one piece starts below and reaches in; it keeps its front, and its back if it reaches through.
        if let Some((&start, piece)) = pieces.range_mut(..offset).next_back()
            && reach(start, piece) > offset
        {
            let back = (reach(start, piece) > end).then(|| piece.from(start, end));
            piece.bytes = (offset - start) as usize;
            pieces.extend(back.map(|back| (end, back)));
        }
        while let Some((&start, piece)) = pieces.range(offset..end).next() {
            let back = (reach(start, piece) > end).then(|| piece.from(start, end));
            pieces.remove(&start);
            pieces.extend(back.map(|back| (end, back)));
        }
    }

    /// A frame has ended: what lay here before the last one is not used any more.
    pub(crate) fn end_frame(&mut self) {
        self.frame += 1;
        let keep = self.frame - 1;
        for pieces in self.slots.values_mut() {
            pieces.retain(|_, piece| piece.frame >= keep);
        }
        self.pieces = self.slots.values().map(BTreeMap::len).sum();
    }

    /// Copies what lies in `range` of a slot; false if part of it is missing.
    fn read(&self, slot: u32, range: Range<u64>, out: &mut [u8]) -> bool {
        let Some(pieces) = self.slots.get(&slot) else { return false };
        let mut lately = self.lately.lock().unwrap_or_else(PoisonError::into_inner);
        let mut at = range.start;
        while at < range.end {
            let Some((start, piece)) = pieces.range(..=at).next_back() else { return false };
            let inside = (at - start) as usize;
            if inside >= piece.bytes {
                return false;
            }
            let count = (piece.bytes - inside).min((range.end - at) as usize);
            let done = (at - range.start) as usize;
            if !piece.blob.copy(&mut lately, piece.first + inside, &mut out[done..done + count]) {
                return false;
            }
            at += count as u64;
        }
        true
    }
}

impl Arena for ReplayArena {
    fn slot_size(&self, slot: u32) -> Option<u64> {
        (slot < Self::SLOTS).then_some(Self::SLOT_BYTES)
    }

    fn copy_out(&self, range: &UploadRef, at: u32, out: &mut [u8]) -> bool {
        match start(range, at, out.len()) {
            Some(start) => out.is_empty() || self.read(range.slot, start..start + out.len() as u64, out),
            None => false,
        }
    }

    /// Read backs have no reader in a replay.
    fn copy_in(&self, range: &UploadRef, at: u32, bytes: &[u8]) -> bool {
        range.slot < Self::SLOTS && start(range, at, bytes.len()).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(offset: u64, size: u32) -> UploadRef {
        UploadRef { slot: 1, size, offset }
    }

    #[test]
    fn a_range_that_ends_beyond_all_offsets_is_not_there() {
        let arena = ReplayArena::default();
        assert!(!arena.copy_out(&range(u64::MAX - 3, 8), 0, &mut [0; 8]));
        assert!(!arena.copy_out(&range(u64::MAX, 8), 4, &mut [0; 4]));
        assert!(!arena.copy_in(&range(u64::MAX - 3, 8), 0, &[0; 8]));
    }

    #[test]
    fn pieces_join_and_newer_ones_win() {
        let mut arena = ReplayArena::default();
        assert!(arena.place(1, 0, Blob::from([1; 8])));
        assert!(arena.place(1, 8, Blob::from([2; 8])));
        let mut out = [0; 12];
        assert!(arena.copy_out(&range(0, 16), 2, &mut out));
        assert_eq!(out, [1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2]);
        assert!(arena.place(1, 4, Blob::from([3; 8])));
        let mut all = [0; 16];
        assert!(arena.copy_out(&range(0, 12), 0, &mut all[..12]));
        assert_eq!(all[..12], [1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 3, 3]);
        assert!(arena.copy_out(&range(8, 8), 0, &mut all[..8]));
        assert_eq!(all[..8], [3, 3, 3, 3, 2, 2, 2, 2]);
        assert!(arena.place(1, 5, Blob::from([4; 1])));
        assert!(arena.copy_out(&range(3, 4), 0, &mut all[..4]));
        assert_eq!(all[..4], [1, 3, 4, 3]);
        assert!(!arena.copy_out(&range(12, 8), 0, &mut all[..8]), "bytes 16 to 19 were never there");
    }

    #[test]
    fn the_end_of_the_address_space_costs_nothing() {
        let mut arena = ReplayArena::default();
        assert!(!arena.place(1, u64::MAX, Blob::from([1; 8])));
        assert!(arena.place(1, ReplayArena::SLOT_BYTES - 8, Blob::from([1; 8])));
        assert!(!arena.place(ReplayArena::SLOTS, 0, Blob::from([1; 8])));
        assert!(!arena.copy_out(&range(u64::MAX - 2, 8), 4, &mut [0; 4]));
    }

    #[test]
    fn pieces_of_old_frames_go() {
        let mut arena = ReplayArena::default();
        arena.place(1, 0, Blob::from([1; 8]));
        arena.end_frame();
        assert!(arena.copy_out(&range(0, 8), 0, &mut [0; 8]));
        arena.end_frame();
        assert!(!arena.copy_out(&range(0, 8), 0, &mut [0; 8]));
    }
}
