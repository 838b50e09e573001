//! Who has which processor. What C has of one is a number that is never used again, in the form of a pointer: whatever it gives us is
//! looked up, and not followed, so that a call after the end, by the wrong thread or out of a callback is told.

use crate::border::Failure;
use crate::processor::Processor;
use crate::types::{BUG, GONE, REENTERED, THREAD};
use afterimage_gnm::driver::Encoding;
use rustc_hash::FxHashMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{ThreadId, current};

/// What C has of a processor.
#[derive(Debug)]
pub enum Gnm {}

enum Slot {
    Here(Box<Processor>),
    /// A call of this thread has it.
    With(ThreadId),
    /// A call broke off in the middle of it: it can only be destroyed.
    Broken(Option<Box<Processor>>),
}

struct Entry {
    owner: ThreadId,
    slot: Slot,
}

#[derive(Default)]
struct Handles {
    made: usize,
    entries: FxHashMap<usize, Entry>,
    /// The one that calls of the console's library are for.
    used: Option<usize>,
}

static HANDLES: Mutex<Option<Handles>> = Mutex::new(None);
/// A call has ended.
static FREE: Condvar = Condvar::new();

fn lock() -> MutexGuard<'static, Option<Handles>> {
    HANDLES.lock().unwrap_or_else(PoisonError::into_inner)
}

fn gone() -> Failure {
    Failure::new(GONE, "there is no such processor: the pointer is none that was made, or it was destroyed")
}

/// Gives a processor to the calling thread.
pub(crate) fn insert(processor: Processor) -> *mut Gnm {
    let mut handles = lock();
    let handles = handles.get_or_insert_default();
    handles.made += 1;
    // No pointer of anybody's is odd and this small.
    let number = 2 * handles.made + 1;
    handles.entries.insert(number, Entry { owner: current().id(), slot: Slot::Here(Box::new(processor)) });
    std::ptr::without_provenance_mut(number)
}

/// How a call comes by its processor.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// Its owner's thread calls.
    Owner,
    /// Any thread calls, and waits for its turn.
    Turn,
}

/// A processor while a call has it: it goes back when this is dropped, unless the call broke off.
struct Taken {
    number: usize,
    processor: Option<Box<Processor>>,
}

impl Drop for Taken {
    fn drop(&mut self) {
        let mut handles = lock();
        let entry = handles.as_mut().and_then(|handles| handles.entries.get_mut(&self.number));
        let slot = match self.processor.take() {
            Some(processor) if !std::thread::panicking() => Slot::Here(processor),
            broken => Slot::Broken(broken),
        };
        if let Some(entry) = entry {
            entry.slot = slot;
        }
        FREE.notify_all();
    }
}

fn take(number: usize, way: Way) -> Result<Taken, Failure> {
    let me = current().id();
    let mut handles = lock();
    loop {
        let entry = handles.as_mut().and_then(|handles| handles.entries.get_mut(&number)).ok_or_else(gone)?;
        match entry.slot {
            Slot::With(thread) if thread == me => {
                return Err(Failure::new(REENTERED, "a callback called the processor whose call it is part of"));
            }
            Slot::Broken(_) => {
                return Err(Failure::new(BUG, "an earlier call of this processor broke off; it can only be destroyed"));
            }
            _ if way == Way::Owner && entry.owner != me => {
                let message = "the processor belongs to another thread; afterimage_gnm_adopt has it belong to this one";
                return Err(Failure::new(THREAD, message));
            }
            Slot::With(_) if way == Way::Owner => {
                return Err(Failure::new(
                    THREAD,
                    "a call of the console's library by another thread has the processor",
                ));
            }
            Slot::With(_) => handles = FREE.wait(handles).unwrap_or_else(PoisonError::into_inner),
            Slot::Here(_) => {
                let slot = std::mem::replace(&mut entry.slot, Slot::With(me));
                let Slot::Here(processor) = slot else { return Err(gone()) };
                return Ok(Taken { number, processor: Some(processor) });
            }
        }
    }
}

fn run<R>(number: usize, way: Way, call: impl FnOnce(&mut Processor) -> Result<R, Failure>) -> Result<R, Failure> {
    let mut taken = take(number, way)?;
    taken.processor.as_deref_mut().map_or_else(|| Err(gone()), call)
}

/// A call of the thread that a processor belongs to.
pub(crate) fn with<R>(gnm: *const Gnm, call: impl FnOnce(&mut Processor) -> Result<R, Failure>) -> Result<R, Failure> {
    run(gnm.addr(), Way::Owner, call)
}

/// A call of the console's library, by any thread, on the processor that they are for.
pub(crate) fn with_used<R>(call: impl FnOnce(&mut Processor) -> Result<R, Failure>) -> Result<R, Failure> {
    let none = "no processor is there for the console's library: afterimage_gnm_use says which is";
    let used = lock().as_ref().and_then(|handles| handles.used).ok_or_else(|| Failure::new(GONE, none))?;
    run(used, Way::Turn, call)
}

/// Has calls of the console's library be for a processor, or for none; how they are written for it.
pub(crate) fn use_for_library(gnm: *const Gnm) -> Result<Encoding, Failure> {
    let used = (!gnm.is_null()).then(|| gnm.addr());
    let encoding = if used.is_some() { with(gnm, |processor| Ok(processor.driver.encoding))? } else { Encoding::Pm4 };
    lock().get_or_insert_default().used = used;
    Ok(encoding)
}

/// Has a processor belong to the calling thread.
pub(crate) fn adopt(gnm: *const Gnm) -> Result<(), Failure> {
    let mut handles = lock();
    let entry = handles.as_mut().and_then(|handles| handles.entries.get_mut(&gnm.addr())).ok_or_else(gone)?;
    match entry.slot {
        Slot::With(thread) if thread == current().id() => {
            Err(Failure::new(REENTERED, "a callback called the processor whose call it is part of"))
        }
        Slot::With(_) => Err(Failure::new(THREAD, "a call of another thread has the processor")),
        Slot::Here(_) | Slot::Broken(_) => {
            entry.owner = current().id();
            Ok(())
        }
    }
}

/// Takes a processor out; whoever has it lets it go.
pub(crate) fn remove(gnm: *const Gnm) -> Result<Option<Box<Processor>>, Failure> {
    let number = gnm.addr();
    let broken = {
        let mut handles = lock();
        let entry = handles.as_mut().and_then(|handles| handles.entries.get_mut(&number)).ok_or_else(gone)?;
        match &mut entry.slot {
            Slot::Broken(processor) if entry.owner == current().id() => Some(processor.take()),
            Slot::Broken(_) | Slot::Here(_) | Slot::With(_) => None,
        }
    };
    let processor = match broken {
        Some(processor) => processor,
        None => take(number, Way::Owner)?.processor.take(),
    };
    let mut handles = lock();
    if let Some(handles) = handles.as_mut() {
        handles.entries.remove(&number);
        handles.used = handles.used.filter(|used| *used != number);
    }
    Ok(processor)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::border::guarded;
    use crate::types::{OK, Options, VERSION};
    use crate::{afterimage_gnm_create, afterimage_gnm_destroy, afterimage_gnm_run};
    use std::ptr;

    #[test]
    fn a_call_that_breaks_off_is_told_and_the_processor_can_only_be_destroyed() {
        // SAFETY: zeros are what the header says they are.
        let options = Options { size: size_of::<Options>(), ..unsafe { std::mem::zeroed() } };
        let mut gnm = ptr::null_mut();
        // SAFETY: the pointers are right.
        assert_eq!(unsafe { afterimage_gnm_create(VERSION, &options, &mut gnm) }, OK);
        let broken = guarded(|| with(gnm, |_| -> Result<(), Failure> { panic!("as a bug would") }));
        assert_eq!(broken, BUG);
        // SAFETY: NULL is allowed.
        assert_eq!(unsafe { afterimage_gnm_run(gnm, ptr::null_mut()) }, BUG);
        assert_eq!((afterimage_gnm_destroy(gnm), afterimage_gnm_destroy(gnm)), (OK, GONE));
    }
}
