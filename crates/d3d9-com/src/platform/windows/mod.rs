//! Windows: monitors, windows and GDI.
//!
//! * `sys`: the system's functions.
//! * `modes`: monitors and display modes.
//! * `window`, `hook`: the program's windows, and their messages.
//! * `keys`: which keys were pressed; `message`: a message box.
//! * `cursor`, `canvas`, `blit`: the mouse pointer; device contexts; pictures by GDI.

mod blit;
mod canvas;
mod cursor;
mod hook;
mod keys;
mod memory_context;
mod message;
mod modes;
mod sys;
mod window;

pub(crate) use blit::{blit, has_menu};
pub(crate) use canvas::*;
pub(crate) use cursor::*;
pub(crate) use hook::Hook;
pub(crate) use keys::pressed_keys;
pub(crate) use message::ask_again;
pub(crate) use modes::Output;
pub(crate) use window::*;

use crate::refresh::Ticks;

/// The program's module handle.
#[cfg(feature = "in-process")]
pub(crate) fn module() -> isize {
    // SAFETY: null asks for the program itself.
    unsafe { sys::GetModuleHandleW(core::ptr::null()) }
}

/// The file that this library was loaded from, for the log.
pub(crate) fn library() -> Option<String> {
    /// By an address in the library, and without one reference more: `GET_MODULE_HANDLE_EX_FLAG_*`.
    const FROM_ADDRESS: u32 = 4;
    const UNCHANGED: u32 = 2;
    let (mut module, mut name) = (0, [0u16; 1024]);
    let address: *const u16 = (library as fn() -> Option<String> as *const ()).cast();
    // SAFETY: with this flag the name is any address; there is room for a handle, and for as much of a name as is said.
    let length = unsafe {
        if sys::GetModuleHandleExW(FROM_ADDRESS | UNCHANGED, address, &mut module) == 0 {
            return None;
        }
        sys::GetModuleFileNameW(module, name.as_mut_ptr(), name.len() as u32)
    };
    name.get(..length as usize).filter(|name| !name.is_empty()).map(String::from_utf16_lossy)
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
