//! Memory of a guest's resources: managed textures, copies that a lost receiver makes necessary, buffers.
//!
//! A 64-bit process has it on the heap. A 32-bit program needs its two to four gigabytes of addresses for itself, so what is
//! not looked at most of the time lies in sections (memory that has no address until it is mapped), and a bounded set of
//! views of them is mapped: what is locked, and what was used last.

mod pool;
mod section;

use pool::Piece;
use section::View;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// What a program locks is aligned for any vector instruction.
const ALIGNMENT: usize = 64;
/// Less is not worth a page of its own.
const SMALL: usize = 8 << 10;

static OUTSIDE: AtomicBool = AtomicBool::new(size_of::<usize>() == 4);

/// Whether stores that may lie outside of the address space do. Holds for those that are made from now on; without a call,
/// in 32-bit processes only.
pub fn keep_outside(yes: bool) {
    OUTSIDE.store(yes, Relaxed);
}

/// Bytes of a resource. Zero at first.
pub struct Store {
    kind: Kind,
    size: usize,
    /// Locks that are held, and the view that they keep mapped.
    locks: u32,
    locked: Option<Arc<View>>,
}

enum Kind {
    Heap(Heap),
    /// The program's own.
    Program(Foreign),
    Outside {
        piece: Piece,
        /// The view that was used last, which may be mapped still.
        view: Mutex<Weak<View>>,
    },
}

/// Memory that somebody else frees.
struct Foreign(NonNull<u8>);

// SAFETY: plain memory, whose owner has promised that the store may use it.
unsafe impl Send for Foreign {}
// SAFETY: as above; shared access is through the store's borrows.
unsafe impl Sync for Foreign {}

/// A zeroed block of the heap.
struct Heap {
    pointer: NonNull<u8>,
    layout: std::alloc::Layout,
}

// SAFETY: plain memory with one owner.
unsafe impl Send for Heap {}
// SAFETY: as above; shared access is through the owner's borrows.
unsafe impl Sync for Heap {}

impl Heap {
    fn new(size: usize) -> Option<Self> {
        let layout = std::alloc::Layout::from_size_align(size.max(1), ALIGNMENT).ok()?;
        // SAFETY: the layout is not empty.
        let pointer = NonNull::new(unsafe { std::alloc::alloc_zeroed(layout) })?;
        Some(Self { pointer, layout })
    }
}

impl Drop for Heap {
    fn drop(&mut self) {
        // SAFETY: allocated in `new` with this layout.
        unsafe { std::alloc::dealloc(self.pointer.as_ptr(), self.layout) };
    }
}

impl Store {
    /// `size` zero bytes that always have an address: for what is locked in every frame. `None` where there is no memory.
    #[must_use]
    pub fn resident(size: usize) -> Option<Self> {
        Some(Self::new(Kind::Heap(Heap::new(size)?), size))
    }

    /// `size` zero bytes that need an address only while they are used (see [`keep_outside`]). `None` where there is no
    /// memory.
    #[must_use]
    pub fn zeroed(size: usize) -> Option<Self> {
        if size < SMALL || !OUTSIDE.load(Relaxed) {
            return Self::resident(size);
        }
        match Piece::new(size) {
            Some(piece) => Some(Self::new(Kind::Outside { piece, view: Mutex::default() }, size)),
            // A system that makes no sections may have addresses.
            None => Self::resident(size),
        }
    }

    /// Memory that a program owns and has a resource lie in.
    ///
    /// # Safety
    /// `size` bytes from `pointer` on are initialised and stay good for reading and writing as long as the store lives. Nobody
    /// writes to them while a [`Bytes`] of the store lives.
    #[must_use]
    pub unsafe fn of_program(pointer: NonNull<u8>, size: usize) -> Self {
        Self::new(Kind::Program(Foreign(pointer)), size)
    }

    fn new(kind: Kind, size: usize) -> Self {
        Self { kind, size, locks: 0, locked: None }
    }

    /// Bytes.
    #[must_use]
    #[inline]
    pub fn len(&self) -> usize {
        self.size
    }

    /// Whether it has no bytes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.size == 0
    }

    /// First byte, and what keeps it mapped. `None` where there are no addresses left.
    #[inline]
    fn map(&self) -> Option<(NonNull<u8>, Option<Arc<View>>)> {
        match &self.kind {
            Kind::Heap(heap) => Some((heap.pointer, None)),
            Kind::Program(memory) => Some((memory.0, None)),
            Kind::Outside { piece, view } => {
                let mut view = view.lock().unwrap_or_else(PoisonError::into_inner);
                let mapped = match view.upgrade() {
                    Some(mapped) => mapped,
                    None => {
                        let mapped = piece.map()?;
                        *view = Arc::downgrade(&mapped);
                        mapped
                    }
                };
                Some((mapped.touch(piece.offset_in_view()), Some(mapped)))
            }
        }
    }

    /// The bytes for reading, mapped for as long as the answer lives. `None` where there are no addresses left for them.
    #[must_use]
    #[inline]
    pub fn read(&self) -> Option<Bytes<'_>> {
        let (pointer, _view) = self.map()?;
        Some(Bytes { pointer, size: self.size, _view, store: PhantomData })
    }

    /// The bytes for writing, as [`Store::read`].
    #[must_use]
    #[inline]
    pub fn write(&mut self) -> Option<BytesMut<'_>> {
        let (pointer, _view) = self.map()?;
        Some(BytesMut { pointer, size: self.size, _view, store: PhantomData })
    }

    /// Locks it for a program: the address of the first byte, which stays good until [`Store::unlock`] has been called as
    /// often. `None` where there are no addresses left for it.
    #[must_use]
    #[inline]
    pub fn lock(&mut self) -> Option<*mut u8> {
        let (pointer, view) = self.map()?;
        self.locks += 1;
        self.locked = view;
        Some(pointer.as_ptr())
    }

    /// Undoes a lock; more than there are do nothing.
    #[inline]
    pub fn unlock(&mut self) {
        self.locks = self.locks.saturating_sub(1);
        if self.locks == 0 {
            self.locked = None;
        }
    }
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let place = match self.kind {
            Kind::Heap(_) => "on the heap",
            Kind::Program(_) => "of the program",
            Kind::Outside { .. } => "outside",
        };
        write!(f, "{} bytes {place}", self.size)
    }
}

/// The bytes of a [`Store`] while they are mapped.
pub struct Bytes<'a> {
    pointer: NonNull<u8>,
    size: usize,
    _view: Option<Arc<View>>,
    store: PhantomData<&'a Store>,
}

impl Deref for Bytes<'_> {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        // SAFETY: the store is borrowed, so the block stays, as does the view, which is held; all bytes are initialised.
        unsafe { std::slice::from_raw_parts(self.pointer.as_ptr(), self.size) }
    }
}

/// The bytes of a [`Store`] while they are mapped, for writing.
pub struct BytesMut<'a> {
    pointer: NonNull<u8>,
    size: usize,
    _view: Option<Arc<View>>,
    store: PhantomData<&'a mut Store>,
}

impl Deref for BytesMut<'_> {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        // SAFETY: as in `Bytes::deref`.
        unsafe { std::slice::from_raw_parts(self.pointer.as_ptr(), self.size) }
    }
}

impl DerefMut for BytesMut<'_> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: as in `Bytes::deref`, and the store is borrowed for writing, so nobody else has a reference into it.
        unsafe { std::slice::from_raw_parts_mut(self.pointer.as_ptr(), self.size) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outside(size: usize) -> Store {
        Store::new(Kind::Outside { piece: Piece::new(size).unwrap(), view: Mutex::default() }, size)
    }

    #[test]
    fn bytes_survive_being_unmapped() {
        // More than may be mapped at once, of sizes that share pages and of some that fill sections of their own.
        let sizes = [9 << 10, 100_000, 3 << 20, 20 << 20];
        let mut stores: Vec<Store> = (0..40).map(|index| outside(sizes[index % sizes.len()])).collect();
        for (index, store) in stores.iter_mut().enumerate() {
            let mut bytes = store.write().unwrap();
            assert!(bytes.iter().all(|&byte| byte == 0));
            bytes.fill(index as u8 + 1);
            assert!(bytes.as_ptr().addr().is_multiple_of(ALIGNMENT));
        }
        for (index, store) in stores.iter_mut().enumerate() {
            assert!(store.read().unwrap().iter().all(|&byte| byte == index as u8 + 1), "store {index}");
        }
    }

    #[test]
    fn memory_of_a_program_is_used_where_it_is() {
        let mut memory = [1u8, 2, 3];
        let pointer = NonNull::from(&mut memory).cast();
        // SAFETY: the array lives until the end and is not touched before.
        let mut store = unsafe { Store::of_program(pointer, 3) };
        assert_eq!(store.lock(), Some(pointer.as_ptr()));
        store.unlock();
        store.write().unwrap()[1] = 9;
        drop(store);
        assert_eq!(memory, [1, 9, 3]);
    }

    #[test]
    fn what_is_locked_keeps_its_address() {
        let mut store = outside(1 << 20);
        let first = store.lock().unwrap();
        let second = store.lock().unwrap();
        assert_eq!(first, second);
        store.unlock();
        // Everything that is not locked loses its address in here.
        let mut others: Vec<Store> = (0..8).map(|_| outside(30 << 20)).collect();
        for other in &mut others {
            other.write().unwrap()[0] = 1;
        }
        // SAFETY: locked once still.
        unsafe { first.write(7) };
        assert_eq!(store.lock().unwrap(), first);
        store.unlock();
        store.unlock();
        store.unlock();
        assert_eq!(store.read().unwrap()[0], 7);
    }

    #[test]
    fn what_is_given_back_is_zero_for_the_next() {
        for round in 0..50 {
            let mut stores: Vec<Store> =
                (0..10).map(|index| outside((index * 7919 + round * 104_729) % 400_000 + 1)).collect();
            for store in &mut stores {
                let mut bytes = store.write().unwrap();
                assert!(bytes.iter().all(|&byte| byte == 0));
                bytes.fill(0xff);
            }
            stores.swap(0, 7);
            stores.truncate(5);
        }
    }

    #[test]
    fn sizes_that_cannot_be_are_refused() {
        assert!(Store::resident(usize::MAX).is_none());
        assert!(Store::zeroed(usize::MAX - 100).is_none());
        assert!(Piece::new(usize::MAX - 100).is_none());
        let none = Store::resident(0).unwrap();
        assert!(none.is_empty() && none.read().unwrap().is_empty());
    }
}
