//! Windows: monitors, windows and GDI.
//!
//! * `sys`: the system's functions.
//! * `modes`: monitors and display modes.
//! * `window`, `hook`: the program's windows, and their messages.
//! * `keys`: which keys were pressed.
//! * `cursor`, `canvas`: the mouse pointer; device contexts.

mod canvas;
mod cursor;
mod hook;
mod keys;
mod memory_context;
mod modes;
mod sys;
mod window;

pub(crate) use canvas::*;
pub(crate) use cursor::*;
pub(crate) use hook::Hook;
pub(crate) use keys::pressed_keys;
pub(crate) use modes::Output;
pub(crate) use window::*;

use crate::refresh::Ticks;

/// The program's module handle.
#[cfg(feature = "in-process")]
pub(crate) fn module() -> isize {
    // SAFETY: null asks for the program itself.
    unsafe { sys::GetModuleHandleW(core::ptr::null()) }
}

/// The system's clock of high resolution, which programs read too.
pub(crate) fn ticks() -> Ticks {
    let mut ticks = Ticks { now: 0, frequency: 1 };
    // SAFETY: good for one number each; neither can fail since Windows XP.
    unsafe {
        sys::QueryPerformanceCounter(&mut ticks.now);
        sys::QueryPerformanceFrequency(&mut ticks.frequency);
    }
    ticks
}
