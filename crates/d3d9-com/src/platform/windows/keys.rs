//! Keys, as the system keeps their state, which also tells of presses that are over ([`Presses`]).
//!
//! `GetAsyncKeyState` is asked, of F10, F12 and Shift only, and only while a window of this process is the active one. It takes no message from
//! the program, no hook, hot key or raw input, of which a program has only one; it tells any thread, and of programs that want raw input and
//! no messages of keys. What it does take is its own bit "pressed since somebody last asked" from a program that asks for it of these keys.
//! (`GetKeyState` would not. But under Wine its other bit, which turns with each press, turns twice where it is asked before the program gets
//! the key's message, and a press is seen twice or never. `GetKeyboardState` knows only of messages that the asking thread got.)

use std::sync::atomic::{AtomicI64, Ordering};

use super::super::Keys;
use super::super::presses::Presses;
use super::sys::*;

const VK_F10: i32 = 0x79;
const VK_F12: i32 = 0x7b;
/// Left and right: of the two together Wine does not tell that they were pressed and let go.
const VK_SHIFTS: [i32; 2] = [0xa0, 0xa1];

/// What was pressed since the last call while a window of this process is the active one. Wine's server is asked, which takes
/// microseconds: not at every present of a fast program.
pub(crate) fn pressed_keys() -> Keys {
    static PRESSES: Presses = Presses::new();
    static LOOKED: AtomicI64 = AtomicI64::new(0);
    let ticks = super::ticks();
    if ticks.now.wrapping_sub(LOOKED.load(Ordering::Relaxed)).unsigned_abs() < ticks.frequency.unsigned_abs() / 100 {
        return Keys::default();
    }
    LOOKED.store(ticks.now, Ordering::Relaxed);
    if !is_active() {
        // Another program may ask for the same bit.
        PRESSES.forget();
        return Keys::default();
    }
    // SAFETY: takes any key.
    let state = |key| unsafe { GetAsyncKeyState(key) };
    PRESSES.poll([state(VK_F10), state(VK_F12), VK_SHIFTS.map(state).iter().fold(0, |all, one| all | one)])
}

fn is_active() -> bool {
    let mut process = 0;
    // SAFETY: takes any window, and none; good for one number.
    unsafe { GetWindowThreadProcessId(GetForegroundWindow(), &mut process) };
    process == std::process::id()
}
