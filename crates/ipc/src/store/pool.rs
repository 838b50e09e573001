//! Pieces of sections, handed out by the page, and which views of them are mapped.

use super::section::{GRANULE, Section, View};
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Pieces are whole pages.
const PAGE: u64 = 4 << 10;
/// Bytes of a section that many pieces share: textures by the thousand must not be handles by the thousand.
const SHARED: u64 = 16 << 20;
/// Pieces from this size on have a section of their own, which goes when they do.
const LARGE: u64 = 4 << 20;
/// Bytes that may stay mapped without being locked.
const MAPPED: u64 = 64 << 20;

/// A part of a section, given back when dropped.
pub(super) struct Piece {
    section: Arc<Section>,
    offset: u64,
    bytes: u64,
}

impl Piece {
    /// `size` zero bytes. `None` where the system has no memory for them.
    pub(super) fn new(size: usize) -> Option<Self> {
        let bytes = u64::try_from(size).ok()?.max(1).checked_next_multiple_of(PAGE)?;
        if bytes >= LARGE {
            let section = Arc::new(section(bytes.checked_next_multiple_of(GRANULE)?)?);
            return Some(Self { section, offset: 0, bytes });
        }
        let (section, offset, used) = lock(&SECTIONS).take(bytes)?;
        let piece = Self { section, offset, bytes };
        if used {
            let view = piece.map()?;
            let start = view.touch(piece.offset_in_view());
            // SAFETY: the view holds all bytes of the piece, which nobody else has.
            unsafe { start.write_bytes(0, bytes as usize) };
        }
        Some(piece)
    }

    /// Where the piece begins in its view.
    #[inline]
    pub(super) fn offset_in_view(&self) -> usize {
        (self.offset % GRANULE) as usize
    }

    /// Maps it, unmapping what was not used for long. `None` where there are no addresses left.
    pub(super) fn map(&self) -> Option<Arc<View>> {
        let start = self.offset / GRANULE * GRANULE;
        let end = (self.offset + self.bytes).next_multiple_of(GRANULE).min(self.section.bytes());
        let mut views = lock(&VIEWS);
        views.make_room(MAPPED.saturating_sub(end - start));
        let view = View::new(&self.section, start, end - start).or_else(|_| {
            views.make_room(0);
            View::new(&self.section, start, end - start)
        });
        let view = view.inspect_err(|error| tracing::warn!(bytes = self.bytes, %error, "no addresses for a resource"));
        let view = Arc::new(view.ok()?);
        views.mapped += view.len();
        views.list.push_back(Arc::clone(&view));
        Some(view)
    }
}

impl Drop for Piece {
    fn drop(&mut self) {
        if self.bytes < LARGE {
            lock(&SECTIONS).give(&self.section, self.offset, self.bytes);
        }
    }
}

fn section(bytes: u64) -> Option<Section> {
    let made = Section::new(bytes);
    made.inspect_err(|error| tracing::warn!(bytes, %error, "no memory for resources outside of the address space")).ok()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

static SECTIONS: Mutex<Sections> = Mutex::new(Sections { list: Vec::new() });
static VIEWS: Mutex<Views> = Mutex::new(Views { list: VecDeque::new(), mapped: 0 });

/// The sections that pieces share.
struct Sections {
    list: Vec<Shared>,
}

struct Shared {
    section: Arc<Section>,
    /// Free ranges: offset and bytes.
    free: BTreeMap<u64, u64>,
    /// Offset from which on nothing was ever handed out, so that it is zero still.
    fresh: u64,
}

impl Shared {
    fn is_empty(&self) -> bool {
        self.free.get(&0) == Some(&SHARED)
    }

    /// The first free range that is large enough: where the piece begins, and whether it was in use before.
    fn take(&mut self, bytes: u64) -> Option<(u64, bool)> {
        let (&offset, &room) = self.free.iter().find(|(_, room)| **room >= bytes)?;
        self.free.remove(&offset);
        if room > bytes {
            self.free.insert(offset + bytes, room - bytes);
        }
        let used = offset < self.fresh;
        self.fresh = self.fresh.max(offset + bytes);
        Some((offset, used))
    }

    fn give(&mut self, mut offset: u64, mut bytes: u64) {
        if let Some((&before, &room)) = self.free.range(..offset).next_back()
            && before + room == offset
        {
            self.free.remove(&before);
            (offset, bytes) = (before, room + bytes);
        }
        if let Some(room) = self.free.remove(&(offset + bytes)) {
            bytes += room;
        }
        self.free.insert(offset, bytes);
    }
}

impl Sections {
    fn take(&mut self, bytes: u64) -> Option<(Arc<Section>, u64, bool)> {
        for shared in &mut self.list {
            if let Some((offset, used)) = shared.take(bytes) {
                return Some((Arc::clone(&shared.section), offset, used));
            }
        }
        let section = Arc::new(section(SHARED)?);
        let mut shared = Shared { section, free: BTreeMap::from([(0, SHARED)]), fresh: 0 };
        let taken = shared.take(bytes).map(|(offset, used)| (Arc::clone(&shared.section), offset, used));
        self.list.push(shared);
        taken
    }

    /// Takes a piece back. One section without pieces is kept for the next; more are let go.
    fn give(&mut self, section: &Arc<Section>, offset: u64, bytes: u64) {
        let Some(index) = self.list.iter().position(|shared| Arc::ptr_eq(&shared.section, section)) else { return };
        self.list[index].give(offset, bytes);
        if self.list[index].is_empty() && self.list.iter().filter(|shared| shared.is_empty()).count() > 1 {
            self.list.swap_remove(index);
        }
    }
}

/// What is mapped. A view that is locked stays mapped when it leaves the list.
struct Views {
    list: VecDeque<Arc<View>>,
    mapped: u64,
}

impl Views {
    /// Lets go of views until at most `limit` bytes are mapped: those that were not used for a round, first.
    fn make_room(&mut self, limit: u64) {
        while self.mapped > limit
            && let Some(view) = self.list.pop_front()
        {
            if limit > 0 && view.was_used() {
                self.list.push_back(view);
                continue;
            }
            self.mapped -= view.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_ranges_join() {
        let section = Arc::new(Section::new(SHARED).unwrap());
        let mut shared = Shared { section, free: BTreeMap::from([(0, SHARED)]), fresh: 0 };
        let places: Vec<u64> = (0..4).map(|_| shared.take(PAGE).unwrap().0).collect();
        assert_eq!(places, [0, PAGE, 2 * PAGE, 3 * PAGE]);
        shared.give(PAGE, PAGE);
        shared.give(3 * PAGE, PAGE);
        assert_eq!(shared.take(2 * PAGE), Some((3 * PAGE, true)), "a part was in use");
        shared.give(3 * PAGE, 2 * PAGE);
        shared.give(2 * PAGE, PAGE);
        shared.give(0, PAGE);
        assert!(shared.is_empty());
        assert_eq!(shared.take(SHARED + PAGE), None);
    }
}
