//! Presses of keys, out of the state that Windows keeps of each (`GetKeyState`): whether it is down, and a bit that turns whenever it is pressed.

use std::sync::atomic::{AtomicU8, Ordering};

use super::Keys;

/// Bits of a key's state.
const DOWN: i16 = i16::MIN;
const TURNS: i16 = 1;
/// There was a look before.
const KNOWN: u8 = 1 << 7;

/// The states at the last look.
pub(super) struct Turns(AtomicU8);

impl Turns {
    /// Before the first look.
    pub(super) const fn new() -> Self {
        Self(AtomicU8::new(0))
    }

    /// What was pressed since the last look. Two presses between two looks are none if the key is up again: the second turns the
    /// bit back.
    pub(super) fn look(&self, [capture, picture]: [i16; 2]) -> Keys {
        let bits = |state: i16| u8::from(state & TURNS != 0) << 1 | u8::from(state & DOWN != 0);
        let now = KNOWN | bits(picture) << 2 | bits(capture);
        let before = self.0.swap(now, Ordering::Relaxed);
        if before & KNOWN == 0 {
            return Keys::default();
        }
        let is_pressed = |at: u8| {
            let (before, now) = (before >> at & 3, now >> at & 3);
            (before ^ now) & 2 != 0 || (!before & now) & 1 != 0
        };
        Keys { capture: is_pressed(0), picture: is_pressed(2) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presses_are_seen_once_however_short() {
        let turns = Turns::new();
        let look = |capture, picture| {
            let keys = turns.look([capture, picture]);
            (keys.capture, keys.picture)
        };
        assert_eq!(look(TURNS, DOWN), (false, false), "what was before the first look");
        assert_eq!(look(TURNS, DOWN), (false, false), "held");
        assert_eq!(look(0, 0), (true, false), "pressed and let go; let go");
        assert_eq!(look(DOWN | TURNS, 0), (true, false));
        assert_eq!(look(TURNS, TURNS), (false, true));
        assert_eq!(look(DOWN | TURNS, TURNS | DOWN), (true, true), "twice, the second time held");
        assert_eq!(look(TURNS | 0x7ffe, TURNS), (false, false), "other bits say nothing");
    }
}
