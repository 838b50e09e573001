//! The console's memory: an embedder's, behind callbacks, or one of ours.

use crate::types::{Options, Range};
use afterimage_gnm::memory::{ADDRESS_BITS, GuestMemory, Regions, Unmapped};
use std::cell::Cell;
use std::ffi::c_void;

/// Addresses end there.
const END: u64 = 1 << ADDRESS_BITS;
/// Mapped ranges that are looked at for one answer.
const MOST: usize = 1 << 16;

/// Memory of an embedder.
pub(crate) struct Theirs {
    callbacks: Callbacks,
    /// What is told instead of generations where nobody has any.
    clock: Cell<u64>,
}

/// The callbacks, all of which are there.
#[derive(Clone, Copy)]
struct Callbacks {
    user: *mut c_void,
    read: crate::types::Read,
    write: crate::types::Write,
    next_range: crate::types::NextRange,
    generation: Option<crate::types::Generation>,
}

// SAFETY: the pointer is only given back to the embedder's callbacks, by the thread that makes a call; the header says so.
unsafe impl Send for Callbacks {}

/// The console's memory.
pub(crate) enum Memory {
    Ours(Regions),
    Theirs(Theirs),
}

/// What a struct of options says of memory: callbacks, none of them, or some, which is an error.
pub(crate) fn of(options: &Options) -> Result<Memory, &'static str> {
    match (options.read, options.write, options.next_range, options.generation) {
        (None, None, None, None) => Ok(Memory::Ours(Regions::default())),
        (Some(read), Some(write), Some(next_range), generation) => {
            let callbacks = Callbacks { user: options.user, read, write, next_range, generation };
            Ok(Memory::Theirs(Theirs { callbacks, clock: Cell::new(0) }))
        }
        _ => Err("options: read, write and next_range are NULL together (memory of our own), or none of them is"),
    }
}

impl Theirs {
    /// The mapped range that an address is in, or the first behind it.
    fn next(&self, address: u64) -> Option<Range> {
        if address >= END {
            return None;
        }
        let Callbacks { user, next_range, .. } = self.callbacks;
        let mut range = Range { start: 0, end: 0 };
        // SAFETY: the header says what the callback gets, and the embedder that it is one.
        let found = unsafe { next_range(user, address, &raw mut range) } != 0;
        let range = Range { start: range.start, end: range.end.min(END) };
        if found && (range.end <= address || range.start >= range.end) {
            tracing::error!(
                "next_range({address:#x}) gave {:#x} to {:#x}, which neither has that address nor is behind it",
                range.start,
                range.end
            );
            return None;
        }
        found.then_some(range)
    }
}

/// Whether bytes are where addresses are.
fn inside(address: u64, size: usize) -> Result<(), Unmapped> {
    let end = address.checked_add(size as u64).filter(|end| *end <= END);
    end.map(|_| ()).ok_or(Unmapped { address, size: size as u64 })
}

impl GuestMemory for Theirs {
    fn read(&self, address: u64, out: &mut [u8]) -> Result<(), Unmapped> {
        inside(address, out.len())?;
        if out.is_empty() {
            return Ok(());
        }
        let Callbacks { user, read, .. } = self.callbacks;
        // SAFETY: as of `next`; there is room for so many bytes.
        let done = unsafe { read(user, address, out.as_mut_ptr().cast(), out.len()) } != 0;
        if done { Ok(()) } else { Err(Unmapped { address, size: out.len() as u64 }) }
    }

    fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), Unmapped> {
        inside(address, bytes.len())?;
        if bytes.is_empty() {
            return Ok(());
        }
        let Callbacks { user, write, .. } = self.callbacks;
        // SAFETY: as of `next`; there are so many bytes.
        let done = unsafe { write(user, address, bytes.as_ptr().cast(), bytes.len()) } != 0;
        if done { Ok(()) } else { Err(Unmapped { address, size: bytes.len() as u64 }) }
    }

    fn mapped(&self, address: u64, most: u64) -> u64 {
        let mut end = address;
        // Ranges that touch are one, however the embedder has them.
        for _ in 0..MOST {
            match self.next(end).filter(|range| range.start <= end) {
                Some(range) => end = range.end,
                None => break,
            }
            if end - address >= most {
                break;
            }
        }
        (end - address).min(most)
    }

    fn unmapped(&self, address: u64, most: u64) -> u64 {
        self.next(address).map_or(most, |range| range.start.saturating_sub(address).min(most))
    }

    fn generation(&self, address: u64, size: u64) -> u64 {
        let Callbacks { user, generation, .. } = self.callbacks;
        match generation {
            // SAFETY: as of `next`.
            Some(generation) => unsafe { generation(user, address, size) },
            None => {
                self.clock.set(self.clock.get() + 1);
                self.clock.get()
            }
        }
    }

    fn ranges(&self) -> Vec<std::ops::Range<u64>> {
        let mut at = 0;
        let next = || {
            let range = self.next(at)?;
            at = range.end;
            Some(range.start..range.end)
        };
        std::iter::from_fn(next).take(MOST).collect()
    }
}

macro_rules! either {
    ($memory:expr, $of:pat => $call:expr) => {
        match $memory {
            Memory::Ours($of) => $call,
            Memory::Theirs($of) => $call,
        }
    };
}

impl GuestMemory for Memory {
    fn read(&self, address: u64, out: &mut [u8]) -> Result<(), Unmapped> {
        either!(self, of => of.read(address, out))
    }

    fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), Unmapped> {
        either!(self, of => of.write(address, bytes))
    }

    fn mapped(&self, address: u64, most: u64) -> u64 {
        either!(self, of => of.mapped(address, most))
    }

    fn unmapped(&self, address: u64, most: u64) -> u64 {
        either!(self, of => of.unmapped(address, most))
    }

    fn generation(&self, address: u64, size: u64) -> u64 {
        either!(self, of => of.generation(address, size))
    }

    fn ranges(&self) -> Vec<std::ops::Range<u64>> {
        either!(self, of => GuestMemory::ranges(of))
    }
}
