//! What belongs to a handle, found without a lock: every recorded command asks.
//!
//! A table of open addressing. Who looks something up reads, and waits for nobody; who adds or takes away holds a lock that no reader
//! knows. A table that is too small is replaced by one of twice the size; the old one stays for readers that are still in it, so all
//! tables together have less than twice the slots of the last.

use std::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// No handle: the slot was never used.
const EMPTY: u64 = 0;
/// No handle: what was here is gone, and others may lie behind it.
const GONE: u64 = u64::MAX;
/// Slots of the first table.
const FIRST: usize = 64;

struct Slot<T> {
    key: AtomicU64,
    value: AtomicPtr<T>,
}

struct Table<T> {
    slots: Box<[Slot<T>]>,
}

impl<T> Table<T> {
    fn new(slots: usize) -> Self {
        let slot = || Slot { key: AtomicU64::new(EMPTY), value: AtomicPtr::default() };
        Self { slots: std::iter::repeat_with(slot).take(slots).collect() }
    }

    /// The slots in which a key may be, in their order: its own first.
    fn probe(&self, key: u64) -> impl Iterator<Item = &Slot<T>> {
        let mask = self.slots.len() - 1;
        // Handles are addresses or small numbers: Fibonacci hashing spreads both.
        let first = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize;
        (0..self.slots.len()).map(move |n| &self.slots[(first + n) & mask])
    }

    fn find(&self, key: u64) -> Option<&Slot<T>> {
        for slot in self.probe(key) {
            match slot.key.load(Ordering::Acquire) {
                EMPTY => return None,
                found if found == key => return Some(slot),
                _ => {}
            }
        }
        None
    }

    fn put(&self, key: u64, value: *mut T) {
        for slot in self.probe(key) {
            if matches!(slot.key.load(Ordering::Relaxed), EMPTY | GONE) {
                slot.value.store(value, Ordering::Relaxed);
                slot.key.store(key, Ordering::Release);
                return;
            }
        }
    }
}

/// Values by handle.
pub(crate) struct Handles<T> {
    now: AtomicPtr<Table<T>>,
    used: AtomicUsize,
    /// All tables that there were, the last one being the one that is used.
    #[allow(clippy::vec_box, reason = "readers have the addresses of tables")]
    all: Mutex<Vec<Box<Table<T>>>>,
}

// SAFETY: values are boxed, given out by reference, and taken back by whoever takes the handle away.
unsafe impl<T: Send + Sync> Sync for Handles<T> {}
// SAFETY: as above.
unsafe impl<T: Send> Send for Handles<T> {}

impl<T> Handles<T> {
    pub(crate) const fn new() -> Self {
        Self { now: AtomicPtr::new(std::ptr::null_mut()), used: AtomicUsize::new(0), all: Mutex::new(Vec::new()) }
    }

    /// What belongs to a handle.
    ///
    /// # Safety
    /// Nobody takes the handle away as long as the reference is used: Vulkan asks that of programs, for a handle that a command is given. So nobody
    /// releases the tables, either, which is done when there are no handles any more.
    pub(crate) unsafe fn get(&self, key: u64) -> Option<&T> {
        let table = self.now.load(Ordering::Acquire);
        // SAFETY: tables live as long as there are handles.
        let slot = unsafe { table.as_ref() }?.find(key)?;
        // SAFETY: a key has its value until it is taken away.
        unsafe { slot.value.load(Ordering::Relaxed).as_ref() }
    }

    /// Likewise, to be changed.
    ///
    /// # Safety
    /// As for [`Handles::get`], and nobody else uses what belongs to the handle.
    #[allow(clippy::mut_from_ref, reason = "the caller is the only one who has it")]
    pub(crate) unsafe fn get_mut(&self, key: u64) -> Option<&mut T> {
        let table = self.now.load(Ordering::Acquire);
        // SAFETY: as in `get`, and as the caller says.
        unsafe { table.as_ref()?.find(key)?.value.load(Ordering::Relaxed).as_mut() }
    }

    /// Puts something in for a handle that has nothing.
    pub(crate) fn insert(&self, key: u64, value: T) {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        let used = self.used.load(Ordering::Relaxed) + 1;
        if all.last().is_none_or(|table| 2 * used > table.slots.len()) {
            let table = Box::new(Table::new(all.last().map_or(FIRST, |table| 2 * table.slots.len())));
            for slot in all.last().into_iter().flat_map(|table| &table.slots) {
                let key = slot.key.load(Ordering::Relaxed);
                if !matches!(key, EMPTY | GONE) {
                    table.put(key, slot.value.load(Ordering::Relaxed));
                }
            }
            self.now.store((&raw const *table).cast_mut(), Ordering::Release);
            all.push(table);
        }
        if let Some(table) = all.last() {
            table.put(key, Box::into_raw(Box::new(value)));
        }
        self.used.store(used, Ordering::Relaxed);
    }

    /// Frees the tables, if no handle has anything, and does something more before anybody puts something in again. Nobody may be in
    /// [`Handles::get`] then.
    pub(crate) fn release(&self, more: impl FnOnce()) {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        if self.used.load(Ordering::Relaxed) == 0 {
            self.now.store(std::ptr::null_mut(), Ordering::Release);
            *all = Vec::new();
            more();
        }
    }

    /// Takes out what belongs to a handle.
    pub(crate) fn remove(&self, key: u64) -> Option<Box<T>> {
        let all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        let slot = all.last()?.find(key)?;
        let value = slot.value.load(Ordering::Relaxed);
        slot.key.store(GONE, Ordering::Release);
        self.used.fetch_sub(1, Ordering::Relaxed);
        // SAFETY: it was boxed when it was put in, and only one who holds the lock finds it here.
        (!value.is_null()).then(|| unsafe { Box::from_raw(value) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_put_in_is_found_until_it_is_taken_out() {
        let handles = Handles::new();
        // SAFETY: nothing is taken away while a reference is used, here and below.
        assert!(unsafe { handles.get(0x7000) }.is_none());
        for n in 1..=1000u64 {
            handles.insert(n << 12, n);
        }
        for n in 1..=1000 {
            // SAFETY: as above.
            assert_eq!(unsafe { handles.get(n << 12) }, Some(&n));
        }
        for n in (1..=1000).step_by(2) {
            assert_eq!(handles.remove(n << 12).as_deref(), Some(&n));
        }
        // SAFETY: as above.
        let found = |n: u64| unsafe { handles.get(n << 12) }.copied();
        assert!((1..=1000).all(|n| found(n) == (n % 2 == 0).then_some(n)));
        assert!(handles.remove(4096).is_none());
        let slots = || handles.all.lock().unwrap().last().unwrap().slots.len();
        let before = slots();
        // Many that come and go need no more room.
        for n in 0..100_000u64 {
            handles.insert(0x1_0000_0000 + (n << 4), n);
            assert_eq!(handles.remove(0x1_0000_0000 + (n << 4)).as_deref(), Some(&n));
        }
        assert_eq!(slots(), before);
        let released = || {
            let mut more = false;
            handles.release(|| more = true);
            more
        };
        assert!(!released(), "there are handles");
        assert!((2..=1000).step_by(2).all(|n| handles.remove(n << 12).is_some()));
        assert!(released() && handles.all.lock().unwrap().is_empty());
        // SAFETY: as above.
        assert!(unsafe { handles.get(4096) }.is_none() && handles.remove(4096).is_none());
        handles.insert(4096, 7);
        // SAFETY: as above.
        assert_eq!(unsafe { handles.get(4096) }, Some(&7));
        assert_eq!(handles.remove(4096).as_deref(), Some(&7));
    }

    #[test]
    fn readers_find_theirs_while_others_come_and_go() {
        let handles = Handles::new();
        for n in 1..=16u64 {
            handles.insert(n, n);
        }
        std::thread::scope(|scope| {
            for own in 1..=4u64 {
                let handles = &handles;
                scope.spawn(move || {
                    for n in 0..20_000u64 {
                        // SAFETY: only this thread takes it away.
                        assert_eq!(unsafe { handles.get(own) }, Some(&own));
                        handles.insert(own << 40 | n, n);
                        if n >= 100 {
                            assert!(handles.remove(own << 40 | (n - 100)).is_some());
                        }
                    }
                    (19_900..20_000).for_each(|n| assert!(handles.remove(own << 40 | n).is_some()));
                });
            }
        });
        assert_eq!(handles.used.load(Ordering::Relaxed), 16);
        (1..=16).for_each(|n| assert!(handles.remove(n).is_some()));
    }
}
