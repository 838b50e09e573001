//! Native platforms: an `HWND` is an `SDL_Window`.
//!
//! SDL is not linked: a program that passes a window has loaded it, so its functions are looked up by name. The two that
//! are used have the same parameters in SDL 2 and SDL 3.

use core::ffi::{CStr, c_int, c_void};

use afterimage_d3d9_types::{HMONITOR, HWND};

use super::Mode;

/// What the display shows now. Without a display server's help, the mode that programs cope with best.
pub(crate) fn current_mode() -> Mode {
    Mode { width: 1920, height: 1080, refresh: 60 }
}

/// Every mode of the display, ascending. SDL programs choose among SDL's; these are the sizes a window may have.
pub(crate) fn modes() -> Vec<Mode> {
    let sizes = [(640, 480), (800, 600), (1024, 768), (1280, 720), (1280, 1024), (1600, 900), (1920, 1080)];
    sizes.map(|(width, height)| Mode { width, height, refresh: 60 }).into()
}

/// The monitor's handle. Never 0, which would mean that there is no such adapter.
pub(crate) fn monitor() -> HMONITOR {
    1
}

/// The drawable size of a window in pixels; `None` without a window or without SDL.
pub(crate) fn client_size(window: HWND) -> Option<(u32, u32)> {
    if window == 0 {
        return None;
    }
    let size = sdl(c"SDL_GetWindowSizeInPixels").or_else(|| sdl(c"SDL_GetWindowSize"))?;
    let (mut width, mut height) = (0, 0);
    // SAFETY: the program's window, and SDL's function of that name. SDL 3 also returns a truth value, which may be ignored.
    unsafe { size(window as *mut c_void, &mut width, &mut height) };
    Some((u32::try_from(width).ok()?, u32::try_from(height).ok()?))
}

type GetSize = unsafe extern "C" fn(*mut c_void, *mut c_int, *mut c_int);

fn sdl(name: &CStr) -> Option<GetSize> {
    // SAFETY: looking a name up among the libraries that the process has loaded.
    let address = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    // SAFETY: SDL's functions of these names take a window and two places for numbers.
    (!address.is_null()).then(|| unsafe { core::mem::transmute::<*mut c_void, GetSize>(address) })
}

/// Moves the mouse pointer: SDL programs do that with SDL.
pub(crate) fn set_cursor_position(_x: i32, _y: i32) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_window_has_no_size() {
        assert_eq!(client_size(0), None);
    }

    #[test]
    fn the_current_mode_is_among_the_modes() {
        let modes = modes();
        assert!(modes.contains(&current_mode()) && modes.is_sorted());
    }
}
