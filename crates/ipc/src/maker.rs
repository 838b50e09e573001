//! Arena slots made on a thread of their own, before the guest needs them: drivers take milliseconds for memory that the GPU reads.

use crate::memory::{SlotFactory, SlotMemory};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How long the end of a process waits for a slot in the making.
const PATIENCE: Duration = Duration::from_secs(10);

/// Who makes slots; nobody once the process ends.
type Factory = Mutex<Option<Box<dyn SlotFactory>>>;

/// Makes slots, and has at most one in the making.
pub(crate) struct Maker {
    factory: Arc<Factory>,
    spare: Option<JoinHandle<Option<SlotMemory>>>,
}

/// A slot. While it is made the factory is locked.
fn allocate(factory: &Factory, bytes: u64) -> Option<SlotMemory> {
    factory.lock().unwrap_or_else(PoisonError::into_inner).as_mut()?.allocate(bytes)
}

impl Maker {
    pub(crate) fn new(factory: Box<dyn SlotFactory>) -> Self {
        Self { factory: Arc::new(Mutex::new(Some(factory))), spare: None }
    }

    /// Begins to make a slot, unless there is one in the making.
    pub(crate) fn make_spare(&mut self, bytes: u64) {
        if self.spare.is_none() {
            let factory = Arc::clone(&self.factory);
            let thread = std::thread::Builder::new().name("upload slots".to_owned());
            // Without a thread, it is made when it is needed.
            self.spare = thread.spawn(move || allocate(&factory, bytes)).ok();
        }
    }

    /// Begins to make a slot, unless there is one in the making. False where it is there, or the thread to make it is not.
    pub(crate) fn is_making(&mut self, bytes: u64) -> bool {
        self.make_spare(bytes);
        self.spare.as_ref().is_some_and(|spare| !spare.is_finished())
    }

    /// A slot: the one in the making, which may have less bytes than are asked for, else one that is made now. `None` if there
    /// is no memory.
    pub(crate) fn make(&mut self, bytes: u64) -> Option<SlotMemory> {
        let spare = self.spare.take().and_then(|spare| spare.join().ok().flatten());
        spare.or_else(|| allocate(&self.factory, bytes))
    }

    /// What waits for a slot in the making, and sees to it that no other is made: for the end of the process, when the driver is
    /// taken down.
    pub(crate) fn closing(&self) -> impl Fn() + Send + Sync + 'static {
        let factory = Arc::clone(&self.factory);
        move || {
            let start = Instant::now();
            while start.elapsed() < PATIENCE {
                if let Ok(mut factory) = factory.try_lock() {
                    *factory = None;
                    return;
                }
                std::thread::sleep(Duration::from_millis(1));
            }
        }
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
        while maker.is_making(4096) {
            std::thread::yield_now();
        }
        assert_eq!(maker.make(128).map(|slot| slot.region.bytes()), Some(64));
        assert_eq!(maker.make(128).map(|slot| slot.region.bytes()), Some(128));
        maker.make_spare(64);
    }

    #[test]
    fn nothing_is_made_once_the_process_ends() {
        let mut maker = Maker::new(Box::new(HeapSlots));
        maker.make_spare(64 << 20);
        let close = maker.closing();
        close();
        // It was made, or was not begun.
        let spare = maker.make(64);
        assert!(spare.is_none_or(|slot| slot.region.bytes() == 64 << 20));
        maker.make_spare(64);
        assert!(maker.make(64).is_none());
        close();
    }
}
