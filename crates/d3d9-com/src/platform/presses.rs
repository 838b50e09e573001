//! Presses of keys, out of what Windows says of each to one that looks now and then (`GetAsyncKeyState`): whether it is down, and whether it
//! was pressed since somebody last looked.

use std::sync::atomic::{AtomicU8, Ordering};

use super::Keys;

/// Bits of a key's state.
const DOWN: i16 = i16::MIN;
const PRESSED: i16 = 1;
/// There was a look before.
const KNOWN: u8 = 1 << 7;

/// The states at the last look.
pub(super) struct Presses(AtomicU8);

impl Presses {
    /// Before the first look.
    pub(super) const fn new() -> Self {
        Self(AtomicU8::new(0))
    }

    /// Nobody looks for a while: what is pressed then is for somebody else.
    pub(super) fn forget(&self) {
        self.0.store(0, Ordering::Relaxed);
    }

    /// What was pressed since the last look. Presses between two looks are one; a key that is held counts once, however often it repeats.
    /// Shift says which of two things the picture's key is for.
    pub(super) fn poll(&self, [capture, picture, shift]: [i16; 3]) -> Keys {
        let is_down = |state: i16| u8::from(state & DOWN != 0);
        let before = self.0.swap(KNOWN | is_down(picture) << 1 | is_down(capture), Ordering::Relaxed);
        let is_pressed = |at: u8, state: i16| before >> at & 1 == 0 && state & (DOWN | PRESSED) != 0;
        if before & KNOWN == 0 {
            return Keys::default();
        }
        let (picture, shift) = (is_pressed(1, picture), shift & (DOWN | PRESSED) != 0);
        Keys { capture: is_pressed(0, capture), picture: picture && !shift, overlay: picture && shift }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presses_are_seen_once_however_short() {
        let presses = Presses::new();
        let poll = |capture, picture| {
            let keys = presses.poll([capture, picture, 0]);
            assert!(!keys.overlay);
            (keys.capture, keys.picture)
        };
        assert_eq!(poll(PRESSED, DOWN | PRESSED), (false, false), "what was before the first look");
        assert_eq!(poll(0, DOWN | PRESSED), (false, false), "held, and repeated");
        assert_eq!(poll(PRESSED, PRESSED), (true, false), "pressed and let go; let go after it repeated");
        assert_eq!(poll(PRESSED, PRESSED), (true, true), "the same again");
        assert_eq!(poll(DOWN, DOWN | PRESSED), (true, true), "somebody else saw that it was pressed, but it is down");
        assert_eq!(poll(0x7ffe, 0), (false, false), "other bits say nothing");
        presses.forget();
        assert_eq!(poll(PRESSED, DOWN), (false, false), "what was pressed while nobody looked");
        assert_eq!(poll(PRESSED, DOWN), (true, false));
        poll(0, 0);
        let keys = |shift| presses.poll([0, PRESSED, shift]);
        assert_eq!(keys(DOWN), Keys { overlay: true, ..Keys::default() });
        assert_eq!(keys(PRESSED), Keys { overlay: true, ..Keys::default() }, "let go again before the look");
        assert_eq!(keys(0), Keys { picture: true, ..Keys::default() });
    }
}
