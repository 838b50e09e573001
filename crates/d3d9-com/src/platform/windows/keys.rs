//! Keys, as the system keeps their state, which also tells of presses that are over ([`Turns`]).
//!
//! `GetKeyState` takes nothing from the program: no message, no hook, hot key or raw input, of which a program has only one, and not the
//! bit of `GetAsyncKeyState` that says "pressed since somebody last asked". Under Wine it tells a thread without windows, too, and of
//! programs that want raw input and no messages of keys. (`GetKeyboardState` does neither.)

use std::sync::atomic::{AtomicI64, Ordering};

use super::super::Keys;
use super::super::turns::Turns;
use super::sys::*;

const VK_F10: i32 = 0x79;
const VK_F12: i32 = 0x7b;

/// What was pressed since the last call while a window of this process is the active one. Wine's server is asked, which takes
/// microseconds: not at every present of a fast program.
pub(crate) fn pressed_keys() -> Keys {
    static TURNS: Turns = Turns::new();
    static LOOKED: AtomicI64 = AtomicI64::new(0);
    let ticks = super::ticks();
    if ticks.now.wrapping_sub(LOOKED.load(Ordering::Relaxed)).unsigned_abs() < ticks.frequency.unsigned_abs() / 100 {
        return Keys::default();
    }
    LOOKED.store(ticks.now, Ordering::Relaxed);
    // SAFETY: takes any key.
    let keys = TURNS.look([VK_F10, VK_F12].map(|key| unsafe { GetKeyState(key) }));
    if keys != Keys::default() && is_active() { keys } else { Keys::default() }
}

fn is_active() -> bool {
    let mut process = 0;
    // SAFETY: takes any window, and none; good for one number.
    unsafe { GetWindowThreadProcessId(GetForegroundWindow(), &mut process) };
    process == std::process::id()
}
