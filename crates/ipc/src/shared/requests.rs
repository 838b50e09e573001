//! What a person at the program's keyboard wants of the viewer: keys that the guest saw pressed in the program's own window.
//!
//! One word of the file counts them: captures in its lower half, pictures in its upper one. A viewer takes the word as it finds it for
//! nothing wanted, so no request is ever met twice, by it or by the next one.

use super::layout::at;
use crate::memory::{Region, SlotMemory};
use std::sync::{Arc, Mutex, PoisonError};

/// As many requests of one program are met: far more than anybody makes, so that a program cannot fill the viewer's disk.
const LIMIT: u32 = 1000;

/// The guest's end: asks the viewer, whichever is there. From any thread.
#[derive(Debug)]
pub struct Requests {
    control: Arc<SlotMemory>,
    word: Mutex<u32>,
}

impl Requests {
    pub(super) fn new(control: Arc<SlotMemory>) -> Self {
        Self { control, word: Mutex::new(0) }
    }

    /// A capture of the next frame is wanted.
    pub fn capture(&self) {
        self.change(|captures, pictures| (captures.wrapping_add(1), pictures));
    }

    /// A picture of the next frame is wanted.
    pub fn picture(&self) {
        self.change(|captures, pictures| (captures, pictures.wrapping_add(1)));
    }

    fn change(&self, change: impl Fn(u16, u16) -> (u16, u16)) {
        let mut word = self.word.lock().unwrap_or_else(PoisonError::into_inner);
        let (captures, pictures) = change(*word as u16, (*word >> 16) as u16);
        *word = u32::from(captures) | u32::from(pictures) << 16;
        self.control.region.store_u32(at::REQUESTS, *word);
    }
}

/// What is wanted of the viewer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// A capture of the next frame.
    pub capture: bool,
    /// A picture of the next frame.
    pub picture: bool,
}

/// The viewer's end.
#[cfg_attr(not(unix), allow(dead_code, reason = "viewers run on Unix"))]
#[derive(Debug, Default)]
pub(super) struct Heard {
    word: u32,
    count: u32,
}

#[cfg_attr(not(unix), allow(dead_code, reason = "viewers run on Unix"))]
impl Heard {
    /// Nothing that was wanted before now is.
    pub(super) fn forget(&mut self, control: &Region) {
        self.word = control.load_u32(at::REQUESTS);
    }

    /// What has been wanted since this was last asked.
    pub(super) fn wanted(&mut self, control: &Region) -> Wanted {
        let word = control.load_u32(at::REQUESTS);
        let changed = word ^ self.word;
        if changed == 0 || self.count == LIMIT {
            return Wanted::default();
        }
        self.word = word;
        self.count += 1;
        Wanted { capture: changed as u16 != 0, picture: changed >> 16 != 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::super::layout::GRANULE;
    use super::*;
    use crate::{HeapSlots, SlotFactory};

    const NOTHING: Wanted = Wanted { capture: false, picture: false };

    #[test]
    fn a_wish_is_heard_once_and_by_one_viewer() {
        let control = Arc::new(HeapSlots.allocate(GRANULE).unwrap());
        let requests = Requests::new(Arc::clone(&control));
        let mut viewer = Heard::default();
        viewer.forget(&control.region);
        assert_eq!(viewer.wanted(&control.region), NOTHING);
        requests.capture();
        assert_eq!(viewer.wanted(&control.region), Wanted { capture: true, picture: false });
        assert_eq!(viewer.wanted(&control.region), NOTHING);
        requests.picture();
        requests.capture();
        let mut next = Heard::default();
        next.forget(&control.region);
        assert_eq!(next.wanted(&control.region), NOTHING);
        assert_eq!(viewer.wanted(&control.region), Wanted { capture: true, picture: true });
        // The halves do not run into each other.
        for _ in 0..1 << 16 {
            requests.capture();
        }
        assert_eq!(next.wanted(&control.region), NOTHING);
        requests.picture();
        assert_eq!(next.wanted(&control.region), Wanted { capture: false, picture: true });
    }

    #[test]
    fn a_program_that_wants_without_end_is_heard_no_longer() {
        let control = HeapSlots.allocate(GRANULE).unwrap().region;
        let mut viewer = Heard::default();
        let heard = (1..5000).filter(|word| {
            control.store_u32(at::REQUESTS, *word);
            viewer.wanted(&control).capture
        });
        assert_eq!(heard.count(), LIMIT as usize);
    }
}
