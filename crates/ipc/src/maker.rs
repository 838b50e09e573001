//! Arena slots made on a thread of their own, before the guest needs them: drivers take milliseconds for memory that the GPU reads.

use crate::memory::{SlotFactory, SlotMemory};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

/// Makes slots, and has at most one in the making.
pub(crate) struct Maker {
    factory: Arc<Mutex<Box<dyn SlotFactory>>>,
    spare: Option<JoinHandle<Option<SlotMemory>>>,
}

fn allocate(factory: &Mutex<Box<dyn SlotFactory>>, bytes: u64) -> Option<SlotMemory> {
    factory.lock().unwrap_or_else(PoisonError::into_inner).allocate(bytes)
}

/// Has the system map every page: while the guest writes them one after the other, that takes as long as the writing.
fn touch(slot: &SlotMemory) {
    const PAGE: usize = 4096;
    for at in (0..slot.region.bytes()).step_by(PAGE) {
        let _inside = slot.region.write(at, &[0]);
    }
}

impl Maker {
    pub(crate) fn new(factory: Box<dyn SlotFactory>) -> Self {
        Self { factory: Arc::new(Mutex::new(factory)), spare: None }
    }

    /// Begins to make a slot, unless there is one in the making.
    pub(crate) fn make_spare(&mut self, bytes: u64) {
        if self.spare.is_none() {
            let factory = Arc::clone(&self.factory);
            let thread = std::thread::Builder::new().name("upload slots".to_owned());
            let make = move || allocate(&factory, bytes).inspect(touch);
            // Without a thread, it is made when it is needed.
            self.spare = thread.spawn(make).ok();
        }
    }

    /// Whether a slot is being made, and is not there yet.
    pub(crate) fn is_busy(&self) -> bool {
        self.spare.as_ref().is_some_and(|spare| !spare.is_finished())
    }

    /// A slot: the one in the making, which may have less bytes than are asked for, else one that is made now. `None` if there
    /// is no memory.
    pub(crate) fn make(&mut self, bytes: u64) -> Option<SlotMemory> {
        let spare = self.spare.take().and_then(|spare| spare.join().ok().flatten());
        spare.or_else(|| allocate(&self.factory, bytes))
    }
}

impl Drop for Maker {
    fn drop(&mut self) {
        // The code of a library that is unloaded must not run any more.
        self.spare.take().map(JoinHandle::join);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::HeapSlots;

    #[test]
    fn a_spare_is_taken_before_another_slot_is_made() {
        let mut maker = Maker::new(Box::new(HeapSlots));
        maker.make_spare(64);
        maker.make_spare(4096);
        assert_eq!(maker.make(128).map(|slot| slot.region.bytes()), Some(64));
        assert_eq!(maker.make(128).map(|slot| slot.region.bytes()), Some(128));
        maker.make_spare(64);
    }
}
