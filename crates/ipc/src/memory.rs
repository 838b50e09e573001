//! Memory that another thread, process or device reads and writes at the same time: no references into it, every
//! access atomic or an instruction of the processor, every range checked here.

use std::any::Any;
use std::ptr::NonNull;
use std::sync::atomic::{
    AtomicU8, AtomicU32, AtomicU64, AtomicUsize,
    Ordering::{Acquire, Relaxed, Release},
};

const WORD: usize = size_of::<usize>();
/// Copies of so many words and more are one instruction, where the processor has one.
#[cfg(any(target_arch = "x86_64", target_arch = "x86"))]
const MANY_WORDS: usize = 64;

/// Copies words with the processor's own instruction: 16.5 GB/s on the H200's host, where word by word gives 7, since it
/// reads no line that it is going to write.
///
/// # Safety
/// `from` is valid for reads of so many words, and `to` for writes.
#[cfg(target_arch = "x86_64")]
unsafe fn copy_many(from: *const usize, to: *mut usize, words: usize) {
    // SAFETY: the caller's. To the compiler the memory is touched behind its back, as by another thread, so what others write
    // at the same time garbles bytes and does nothing else.
    unsafe {
        std::arch::asm!("rep movsq", inout("rcx") words => _, inout("rdi") to => _, inout("rsi") from => _,
            options(nostack, preserves_flags));
    }
}

/// As for 64 bits. The compiler keeps `esi` for itself, so it is lent and given back.
///
/// # Safety
/// `from` is valid for reads of so many words, and `to` for writes.
#[cfg(target_arch = "x86")]
unsafe fn copy_many(from: *const usize, to: *mut usize, words: usize) {
    // SAFETY: as above.
    unsafe {
        std::arch::asm!("xchg {from}, esi", "rep movsd", "mov esi, {from}", from = inout(reg) from => _,
            inout("ecx") words => _, inout("edi") to => _, options(nostack, preserves_flags));
    }
}

/// A range of memory that others write too. Copies in and out; never lends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Region {
    pointer: NonNull<u8>,
    bytes: u64,
}

// SAFETY: every access goes through atomics, so any thread may make it at any time.
unsafe impl Send for Region {}
// SAFETY: as above.
unsafe impl Sync for Region {}

impl Region {
    /// # Safety
    /// `pointer` is valid for reads and writes of `bytes` bytes for as long as this value or a copy of it is used,
    /// aligned to 8, and nothing in this process holds a reference into it.
    pub(crate) unsafe fn new(pointer: NonNull<u8>, bytes: u64) -> Self {
        assert!(pointer.addr().get().is_multiple_of(8), "shared memory must be aligned to 8 bytes");
        Self { pointer, bytes }
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(crate) fn pointer(&self) -> NonNull<u8> {
        self.pointer
    }

    fn offset(&self, at: u64, len: usize) -> Option<NonNull<u8>> {
        let end = at.checked_add(len as u64)?;
        // SAFETY: the offset lies inside of the region, which `new`'s caller promised to be one valid range.
        (end <= self.bytes).then(|| unsafe { self.pointer.add(at as usize) })
    }

    /// A place for a single word. `at` is one of the layout's constants, so anything else is an error of ours.
    fn word(&self, at: u64, len: usize) -> NonNull<u8> {
        assert!(at.is_multiple_of(len as u64), "words of the layout are aligned");
        self.offset(at, len).expect("words of the layout lie inside of the control block")
    }

    /// A word that another side publishes: what was written before it is seen after it.
    pub(crate) fn load_u32(&self, at: u64) -> u32 {
        // SAFETY: `word` checked range and alignment.
        unsafe { AtomicU32::from_ptr(self.word(at, 4).cast().as_ptr()) }.load(Acquire)
    }

    /// Publishes a word and all that was written before it.
    pub(crate) fn store_u32(&self, at: u64, value: u32) {
        // SAFETY: as above.
        unsafe { AtomicU32::from_ptr(self.word(at, 4).cast().as_ptr()) }.store(value, Release);
    }

    /// As [`Region::load_u32`].
    pub(crate) fn load_u64(&self, at: u64) -> u64 {
        // SAFETY: as above.
        unsafe { AtomicU64::from_ptr(self.word(at, 8).cast().as_ptr()) }.load(Acquire)
    }

    /// As [`Region::store_u32`].
    pub(crate) fn store_u64(&self, at: u64, value: u64) {
        // SAFETY: as above.
        unsafe { AtomicU64::from_ptr(self.word(at, 8).cast().as_ptr()) }.store(value, Release);
    }

    /// Copies `out.len()` bytes at `at` into `out`; false (and `out` untouched) if they are not all inside.
    #[must_use]
    pub(crate) fn read(&self, at: u64, out: &mut [u8]) -> bool {
        let Some(start) = self.offset(at, out.len()) else { return false };
        let head = start.align_offset(WORD).min(out.len());
        let (first, rest) = out.split_at_mut(head);
        let (words, last) = rest.as_chunks_mut::<WORD>();
        let tail = head + words.len() * WORD;
        for (index, byte) in first.iter_mut().enumerate() {
            // SAFETY: index is below the length that `offset` checked.
            *byte = unsafe { AtomicU8::from_ptr(start.add(index).as_ptr()) }.load(Relaxed);
        }
        // SAFETY: `head` bytes on, the pointer is aligned to a word, and `words` fit into the checked length.
        let source = unsafe { start.add(head) }.cast::<usize>();
        #[cfg(any(target_arch = "x86_64", target_arch = "x86"))]
        let words = if words.len() >= MANY_WORDS {
            // SAFETY: as above; nobody else has `out`.
            unsafe { copy_many(source.as_ptr(), words.as_mut_ptr().cast(), words.len()) };
            &mut []
        } else {
            words
        };
        for (index, word) in words.iter_mut().enumerate() {
            // SAFETY: as above.
            *word = unsafe { AtomicUsize::from_ptr(source.add(index).as_ptr()) }.load(Relaxed).to_ne_bytes();
        }
        for (index, byte) in last.iter_mut().enumerate() {
            // SAFETY: `tail + index` is below the length that `offset` checked.
            *byte = unsafe { AtomicU8::from_ptr(start.add(tail + index).as_ptr()) }.load(Relaxed);
        }
        true
    }

    /// Copies `bytes` to `at`; false (and nothing written) if they do not all fit.
    #[must_use]
    pub(crate) fn write(&self, at: u64, bytes: &[u8]) -> bool {
        let Some(start) = self.offset(at, bytes.len()) else { return false };
        let head = start.align_offset(WORD).min(bytes.len());
        let (first, rest) = bytes.split_at(head);
        let (words, last) = rest.as_chunks::<WORD>();
        let tail = head + words.len() * WORD;
        for (index, &byte) in first.iter().enumerate() {
            // SAFETY: index is below the length that `offset` checked.
            unsafe { AtomicU8::from_ptr(start.add(index).as_ptr()) }.store(byte, Relaxed);
        }
        // SAFETY: `head` bytes on, the pointer is aligned to a word, and `words` fit into the checked length.
        let target = unsafe { start.add(head) }.cast::<usize>();
        #[cfg(any(target_arch = "x86_64", target_arch = "x86"))]
        let words = if words.len() >= MANY_WORDS {
            // SAFETY: as above.
            unsafe { copy_many(words.as_ptr().cast(), target.as_ptr(), words.len()) };
            &[]
        } else {
            words
        };
        for (index, &word) in words.iter().enumerate() {
            // SAFETY: as above.
            unsafe { AtomicUsize::from_ptr(target.add(index).as_ptr()) }.store(usize::from_ne_bytes(word), Relaxed);
        }
        for (index, &byte) in last.iter().enumerate() {
            // SAFETY: `tail + index` is below the length that `offset` checked.
            unsafe { AtomicU8::from_ptr(start.add(tail + index).as_ptr()) }.store(byte, Relaxed);
        }
        true
    }
}

/// Bytes around a page that is read and has no address yet, of which those get theirs that are in memory.
const AROUND: usize = 64 << 10;

/// The memory of one arena slot, with whatever keeps it alive.
pub struct SlotMemory {
    pub(crate) region: Region,
    pub(crate) device: Option<u64>,
    _owner: Box<dyn Any + Send + Sync>,
}

impl SlotMemory {
    /// Describes a slot. `device` is the token that [`afterimage_stream::Arena::device_slot`] (of a slot in a shared file
    /// [`afterimage_stream::Arena::source_slot`]) will answer: how the executor finds the device buffer that is this memory.
    ///
    /// # Safety
    /// `pointer` is aligned to 8 and valid for reads and writes of `bytes` bytes from any thread until `owner` has been
    /// dropped; no references into it exist while it is in use here.
    pub unsafe fn new(
        pointer: NonNull<u8>,
        bytes: u64,
        device: Option<u64>,
        owner: Box<dyn Any + Send + Sync>,
    ) -> Self {
        // SAFETY: the caller's promise is the one that `Region::new` asks for, since `owner` lives as long as `self`.
        Self { region: unsafe { Region::new(pointer, bytes) }, device, _owner: owner }
    }

    /// The first byte.
    #[must_use]
    pub fn pointer(&self) -> NonNull<u8> {
        self.region.pointer()
    }

    /// Bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.region.bytes()
    }

    /// The same slot under a token.
    #[must_use]
    pub(crate) fn with_token(self, token: u64) -> Self {
        Self { device: Some(token), ..self }
    }

    /// Has the system map pages that are in its memory already, many at a time, before each is waited for on its own: Linux maps
    /// [`AROUND`] for one that is read.
    pub(crate) fn touch(&self) {
        for at in (0..self.region.bytes()).step_by(AROUND) {
            let mut byte = [0];
            let _inside = self.region.read(at, &mut byte);
        }
    }
}

impl std::fmt::Debug for SlotMemory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SlotMemory").field("bytes", &self.region.bytes).field("device", &self.device).finish()
    }
}

/// Makes the memory of arena slots. Called on the guest's thread, and on one that makes slots ahead.
pub trait SlotFactory: Send {
    /// Memory of at least `bytes` bytes, or `None` if there is none: the arena then waits for frames instead of
    /// growing.
    fn allocate(&mut self, bytes: u64) -> Option<SlotMemory>;

    /// Bytes that a slot has at most unless one upload needs more; `u64::MAX`: what [`ArenaConfig`](crate::ArenaConfig) says.
    fn most_bytes(&self) -> u64;
}

/// Lets a device copy out of slots that lie in a shared file.
pub trait SlotImporter: Send + std::fmt::Debug {
    /// The slot with the token that [`afterimage_stream::Arena::source_slot`] will answer, or as it came where the device cannot.
    fn import(&mut self, slot: SlotMemory) -> SlotMemory;
}

/// Slots in ordinary memory, for receivers that copy uploads.
#[derive(Clone, Copy, Debug, Default)]
pub struct HeapSlots;

struct HeapBlock {
    pointer: NonNull<u8>,
    layout: std::alloc::Layout,
}

// SAFETY: the block is plain memory; it is only freed through its one owner.
unsafe impl Send for HeapBlock {}
// SAFETY: as above; shared access is none at all.
unsafe impl Sync for HeapBlock {}

impl Drop for HeapBlock {
    fn drop(&mut self) {
        // SAFETY: allocated in `HeapSlots::allocate` with this layout.
        unsafe { std::alloc::dealloc(self.pointer.as_ptr(), self.layout) };
    }
}

impl SlotFactory for HeapSlots {
    fn allocate(&mut self, bytes: u64) -> Option<SlotMemory> {
        let layout = std::alloc::Layout::from_size_align(usize::try_from(bytes.max(8)).ok()?, 64).ok()?;
        // SAFETY: the layout is not empty.
        let pointer = NonNull::new(unsafe { std::alloc::alloc_zeroed(layout) })?;
        let block = Box::new(HeapBlock { pointer, layout });
        // SAFETY: the block is valid, aligned to 64 and lives until its owner is dropped.
        Some(unsafe { SlotMemory::new(pointer, bytes, None, block) })
    }

    fn most_bytes(&self) -> u64 {
        u64::MAX
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_alignment_round_trips_and_nothing_outside_is_touched() {
        let memory = HeapSlots.allocate(64).unwrap();
        let region = memory.region;
        for at in 0..24u64 {
            for len in 0..=40usize {
                assert!(region.write(0, &[0xee; 64]));
                let data: Vec<u8> = (1..=len as u8).collect();
                assert!(region.write(at, &data));
                let mut all = [0; 64];
                assert!(region.read(0, &mut all));
                let at = at as usize;
                assert_eq!(&all[at..at + len], &data[..]);
                assert!(all[..at].iter().chain(&all[at + len..]).all(|&byte| byte == 0xee));
                let mut back = vec![0; len];
                assert!(region.read(at as u64, &mut back));
                assert_eq!(back, data);
            }
        }
    }

    #[test]
    fn long_copies_round_trip_too() {
        let memory = HeapSlots.allocate(4096).unwrap();
        let region = memory.region;
        let data: Vec<u8> = (0..4096u32).map(|at| (at % 251) as u8).collect();
        for (at, len) in [(0, 512), (1, 511), (3, 2000), (8, 4088), (4095, 1), (5, 519), (7, 527)] {
            assert!(region.write(0, &[0xee; 4096]));
            assert!(region.write(at as u64, &data[..len]));
            let mut all = [0; 4096];
            assert!(region.read(0, &mut all));
            assert_eq!(&all[at..at + len], &data[..len]);
            assert!(all[..at].iter().chain(&all[at + len..]).all(|&byte| byte == 0xee));
            let mut back = vec![0; len + 3];
            assert!(region.read(at as u64, &mut back[3..]), "to any alignment");
            assert_eq!(&back[3..], &data[..len]);
        }
    }

    #[test]
    fn ranges_outside_are_refused() {
        let memory = HeapSlots.allocate(64).unwrap();
        let region = memory.region;
        assert!(!region.write(60, &[0; 5]));
        assert!(!region.read(u64::MAX, &mut [0; 2]));
        assert!(!region.read(64, &mut [0; 1]));
        assert!(region.read(64, &mut []));
    }
}
