//! A program's windows: `SDL_Window`s.

use core::ffi::{c_int, c_void};

use afterimage_d3d9_types::{HWND, POINT};

use super::super::{Area, CanvasMemory, Mode};
use super::modes::{Mode2, Mode3, Output, nearest_2, nearest_3};
use super::sdl;

/// The drawable size of a window in pixels; `None` without a window or without SDL.
pub(crate) fn client_size(window: HWND) -> Option<(u32, u32)> {
    /// The same in SDL 2 and SDL 3, but for a truth value returned by the latter, which may be ignored.
    type GetSize = unsafe extern "C" fn(*mut c_void, *mut c_int, *mut c_int);
    if window == 0 {
        return None;
    }
    // SAFETY: SDL's functions of these names have this type.
    let size = unsafe { sdl::function::<GetSize>(c"SDL_GetWindowSizeInPixels") };
    // SAFETY: as above.
    let size = size.or_else(|| unsafe { sdl::function(c"SDL_GetWindowSize") })?;
    let (mut width, mut height) = (0, 0);
    // SAFETY: the program's window.
    unsafe { size(window as *mut c_void, &mut width, &mut height) };
    Some((u32::try_from(width).ok()?, u32::try_from(height).ok()?))
}

/// There is no screen that a program could read, so none that a window has a place on.
pub(crate) fn client_origin(_window: HWND) -> Option<POINT> {
    None
}

/// See [`client_origin`].
pub(crate) fn copy_screen(_to: &CanvasMemory, _from: Area) {}

/// The X11 window of a window: SDL's stay between the program and SDL, so the viewer shows such programs in its own.
pub(crate) fn x11_window(_window: HWND) -> Option<u32> {
    None
}

/// SDL has no menus.
pub(crate) fn has_menu(_window: HWND) -> bool {
    false
}

/// SDL's windows are drawn into by Vulkan.
pub(crate) fn blit(_window: HWND, _picture: &afterimage_d3d9::Locked, _size: (u32, u32)) {}

/// SDL keeps the screen saver away from full-screen windows by itself.
pub(crate) struct Awake;

/// SDL shows and raises windows by itself.
pub(crate) fn activate(_window: HWND) -> Awake {
    Awake
}

/// Whether a window fills the screen: `true` with a mode of its own, or the desktop's where SDL refuses it.
fn set_full_screen(window: HWND, mode: Option<Mode>) {
    let Some(output) = Output::all().into_iter().next().filter(|_| window != 0) else { return };
    let window = window as *mut c_void;
    if sdl::is_version_3() {
        type SetMode = unsafe extern "C" fn(*mut c_void, *const Mode3) -> bool;
        type Set = unsafe extern "C" fn(*mut c_void, bool) -> bool;
        // SAFETY: SDL 3's functions of these names have these types.
        let (set_mode, set) = unsafe {
            (sdl::function::<SetMode>(c"SDL_SetWindowFullscreenMode"), sdl::function::<Set>(c"SDL_SetWindowFullscreen"))
        };
        let (Some(set_mode), Some(set)) = (set_mode, set) else { return };
        let chosen = mode.and_then(|mode| nearest_3(&output, mode)).unwrap_or(core::ptr::null());
        // SAFETY: the program's window, and a mode that SDL keeps, or null for the desktop's.
        unsafe {
            set_mode(window, chosen);
            set(window, mode.is_some());
        }
    } else {
        const FULL_SCREEN: u32 = 1;
        const FULL_SCREEN_DESKTOP: u32 = 0x1001;
        type SetMode = unsafe extern "C" fn(*mut c_void, *const Mode2) -> c_int;
        type Set = unsafe extern "C" fn(*mut c_void, u32) -> c_int;
        // SAFETY: SDL 2's functions of these names have these types.
        let (set_mode, set) = unsafe {
            (sdl::function::<SetMode>(c"SDL_SetWindowDisplayMode"), sdl::function::<Set>(c"SDL_SetWindowFullscreen"))
        };
        let (Some(set_mode), Some(set)) = (set_mode, set) else { return };
        let chosen = mode.and_then(|mode| nearest_2(&output, mode));
        // SAFETY: the program's window, and a mode of SDL's.
        unsafe {
            let accepted = chosen.is_some_and(|chosen| set_mode(window, &chosen) == 0 && set(window, FULL_SCREEN) == 0);
            if !accepted {
                set(window, if mode.is_some() { FULL_SCREEN_DESKTOP } else { 0 });
            }
        }
    }
}

/// What a window was before it became a full-screen one: SDL knows it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Before;

impl Before {
    /// Makes it an ordinary window again.
    #[allow(clippy::unused_self, reason = "Windows has something to remember")]
    pub(crate) fn restore(self, window: HWND, _wholly: bool) {
        set_full_screen(window, None);
    }
}

/// Has a window fill the screen.
pub(crate) fn make_full_screen(window: HWND, _area: Area, mode: Mode) -> Before {
    set_full_screen(window, Some(mode));
    Before
}

/// Gives a full-screen window another mode.
pub(crate) fn resize_full_screen(window: HWND, _area: Area, mode: Mode) {
    set_full_screen(window, Some(mode));
}

/// SDL does that by itself.
pub(crate) fn refit(_window: HWND, _area: Area) {}

/// SDL does that by itself.
pub(crate) fn minimize(_window: HWND) {}

/// There are no window procedures: SDL's events are between the program and SDL.
pub(crate) struct Hook;

impl Hook {
    /// None.
    pub(crate) fn new(_window: HWND, _listener: std::sync::Arc<dyn super::super::Listener>) -> Option<Self> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_window_has_no_size() {
        assert_eq!(client_size(0), None);
    }
}
