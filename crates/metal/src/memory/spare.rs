//! Memory that was replaced while the GPU may use it, for when it is done with that.

use afterimage_metal_calls::Serial;
use std::collections::VecDeque;

/// Bytes that may wait for the GPU.
const MOST_WAITING: u64 = 256 << 20;

/// Bytes that are kept though the GPU is done with them.
const MOST_KEPT: u64 = 64 << 20;

/// Objects of memory, each with what it is like, its bytes, and the last command buffer that uses it.
#[derive(Debug)]
pub(crate) struct Spare<K, T> {
    /// By command buffer.
    all: VecDeque<(Serial, K, u64, T)>,
    bytes: u64,
}

impl<K, T> Default for Spare<K, T> {
    fn default() -> Self {
        Self { all: VecDeque::new(), bytes: 0 }
    }
}

impl<K: PartialEq, T> Spare<K, T> {
    /// Takes what a command buffer uses last; none before it does later.
    pub(crate) fn give(&mut self, serial: Serial, like: K, bytes: u64, object: T) {
        self.bytes += bytes;
        self.all.push_back((serial, like, bytes, object));
    }

    /// One that is like this, and that the GPU is done with.
    pub(crate) fn take(&mut self, like: &K, completed: Serial) -> Option<T> {
        let mut done = self.all.iter().take_while(|(serial, ..)| *serial <= completed);
        let at = done.position(|(_, other, ..)| other == like)?;
        let (_, _, bytes, object) = self.all.remove(at)?;
        self.bytes -= bytes;
        Some(object)
    }

    /// Whether so many bytes more may wait. Lets go of what nobody has asked for.
    pub(crate) fn has_room(&mut self, bytes: u64, completed: Serial) -> bool {
        while self.bytes > MOST_KEPT
            && let Some((_, _, bytes, _)) = self.all.pop_front_if(|(serial, ..)| *serial <= completed)
        {
            self.bytes -= bytes;
        }
        self.bytes.saturating_add(bytes) <= MOST_WAITING
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_gpu_is_done_with_comes_back() {
        let mut spare = Spare::default();
        spare.give(1, "small", 16, 'a');
        spare.give(2, "small", 16, 'b');
        spare.give(2, "large", 64, 'c');
        assert_eq!(spare.take(&"small", 0), None);
        assert_eq!(spare.take(&"large", 1), None);
        assert_eq!([spare.take(&"small", 2), spare.take(&"large", 2)], [Some('a'), Some('c')]);
        assert_eq!((spare.bytes, spare.all.len()), (16, 1));
    }

    #[test]
    fn no_more_waits_than_there_may() {
        let mut spare = Spare::default();
        assert!(spare.has_room(MOST_WAITING, 0) && !spare.has_room(MOST_WAITING + 1, 0));
        spare.give(1, (), MOST_KEPT, 'a');
        spare.give(2, (), MOST_WAITING - MOST_KEPT, 'b');
        assert!(!spare.has_room(1, 0));
        assert!(spare.has_room(MOST_KEPT, 1), "the first is let go of");
        assert_eq!(spare.take(&(), 2), Some('b'));
        spare.give(3, (), MOST_KEPT, 'c');
        assert!(spare.has_room(0, 3));
        assert_eq!(spare.take(&(), 3), Some('c'), "so much is kept");
    }
}
