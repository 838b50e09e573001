//! Memory that shaders reach by its address, and whose turn it is to use it.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::cell::OnceCell;
use std::ptr::NonNull;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What memory begins at a multiple of, in bytes.
const ALIGNMENT: usize = 256;

/// Bytes of the stack of a shader's lane.
pub(crate) const STACK: usize = 256 << 10;

/// Lanes that run at once.
pub(crate) const MOST_LANES: usize = 1024;

/// What the one who has the turn may use.
#[derive(Debug)]
pub(crate) struct Scratch {
    stacks: OnceCell<Option<Memory>>,
}

/// One thread of the process at a time runs shaders, or reads or writes what they reach: who holds this.
#[derive(Debug)]
pub(crate) struct Turn(MutexGuard<'static, Scratch>);

static TURN: Mutex<Scratch> = Mutex::new(Scratch { stacks: OnceCell::new() });

impl Turn {
    /// Waits for it.
    pub(crate) fn take() -> Self {
        Self(TURN.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Stacks for [`MOST_LANES`], if there is room for them.
    pub(crate) fn stacks(&self) -> Option<*mut u8> {
        let stacks = self.0.stacks.get_or_init(|| Memory::new((STACK * MOST_LANES) as u64));
        stacks.as_ref().map(|m| m.at.as_ptr())
    }
}

/// Bytes at an address, zero at first.
#[derive(Debug)]
pub(crate) struct Memory {
    at: NonNull<u8>,
    length: usize,
}

// SAFETY: it is an allocation of its own, which no thread keeps references into: every access takes the turn.
unsafe impl Send for Memory {}
// SAFETY: as above.
unsafe impl Sync for Memory {}

impl Memory {
    fn layout(length: usize) -> Option<Layout> {
        Layout::from_size_align(length.max(1).checked_next_multiple_of(ALIGNMENT)?, ALIGNMENT).ok()
    }

    /// So many bytes, if there is room for them.
    pub(crate) fn new(length: u64) -> Option<Self> {
        let length = usize::try_from(length).ok()?;
        let layout = Self::layout(length)?;
        // SAFETY: the layout has a size that is not zero.
        let at = NonNull::new(unsafe { alloc_zeroed(layout) })?;
        Some(Self { at, length })
    }

    pub(crate) fn length(&self) -> u64 {
        self.length as u64
    }

    /// Where it is.
    pub(crate) fn address(&self) -> u64 {
        self.at.as_ptr() as u64
    }

    /// Whether so many bytes from an offset on are inside.
    fn inside(&self, offset: u64, size: usize) -> Option<usize> {
        let offset = usize::try_from(offset).ok()?;
        (offset.checked_add(size)? <= self.length).then_some(offset)
    }

    /// Reads; whether all of it is inside.
    pub(crate) fn read(&self, _turn: &Turn, offset: u64, to: &mut [u8]) -> bool {
        let Some(offset) = self.inside(offset, to.len()) else { return false };
        // SAFETY: the bytes are inside of the allocation, and nobody else uses it while this has the turn. `to` is no part of it, since
        // nothing gives references into it.
        unsafe { self.at.as_ptr().add(offset).copy_to_nonoverlapping(to.as_mut_ptr(), to.len()) };
        true
    }

    /// Writes; whether all of it is inside.
    pub(crate) fn write(&self, _turn: &Turn, offset: u64, from: &[u8]) -> bool {
        let Some(offset) = self.inside(offset, from.len()) else { return false };
        // SAFETY: as above.
        unsafe { self.at.as_ptr().add(offset).copy_from_nonoverlapping(from.as_ptr(), from.len()) };
        true
    }

    /// Fills; whether all of it is inside.
    pub(crate) fn fill(&self, _turn: &Turn, offset: u64, size: u64, value: u8) -> bool {
        let Ok(size) = usize::try_from(size) else { return false };
        let Some(offset) = self.inside(offset, size) else { return false };
        // SAFETY: as above.
        unsafe { self.at.as_ptr().add(offset).write_bytes(value, size) };
        true
    }

    /// A word, if it is inside.
    pub(crate) fn word(&self, turn: &Turn, offset: u64) -> Option<u32> {
        let mut bytes = [0; 4];
        self.read(turn, offset, &mut bytes).then(|| u32::from_le_bytes(bytes))
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if let Some(layout) = Self::layout(self.length) {
            // SAFETY: it was allocated with this layout.
            unsafe { dealloc(self.at.as_ptr(), layout) };
        }
    }
}
