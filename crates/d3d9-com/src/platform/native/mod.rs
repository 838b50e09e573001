//! Native platforms: an `HWND` is an `SDL_Window`.
//!
//! SDL is not linked: a program that passes a window has loaded it, so its functions are looked up by name.

use core::ffi::{CStr, c_char, c_int, c_void};

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
    /// The same in SDL 2 and SDL 3, but for a truth value returned by the latter, which may be ignored.
    type GetSize = unsafe extern "C" fn(*mut c_void, *mut c_int, *mut c_int);
    if window == 0 {
        return None;
    }
    let size = sdl(c"SDL_GetWindowSizeInPixels").or_else(|| sdl(c"SDL_GetWindowSize"))?;
    // SAFETY: SDL's functions of these names have this type.
    let size = unsafe { core::mem::transmute::<*mut c_void, GetSize>(size) };
    let (mut width, mut height) = (0, 0);
    // SAFETY: the program's window.
    unsafe { size(window as *mut c_void, &mut width, &mut height) };
    Some((u32::try_from(width).ok()?, u32::try_from(height).ok()?))
}

/// The X11 window of a window: SDL's stay between the program and SDL, so the viewer shows such programs in its own.
pub(crate) fn x11_window(_window: HWND) -> Option<u32> {
    None
}

/// Full screen is between the program and SDL.
pub(crate) fn cover_screen(_window: HWND) {}

/// Moves the mouse pointer: SDL programs do that with SDL.
pub(crate) fn set_cursor_position(_x: i32, _y: i32) {}

/// A picture for the mouse pointer. SDL programs set theirs with SDL.
pub(crate) struct Pointer;

impl Pointer {
    /// Not done yet natively.
    pub(crate) fn new(_width: u32, _height: u32, _hot_spot: (u32, u32), _pixels: &[u32]) -> Option<Self> {
        crate::abi::log_once!("IDirect3DDevice9::SetCursorProperties is not done yet for native programs; it fails");
        None
    }

    /// Shows or hides the pointer.
    pub(crate) fn show(&self, _show: bool) {}
}

/// A device context over a surface's memory, which only Windows has.
pub(crate) struct Canvas;

impl Canvas {
    /// Not there natively.
    pub(crate) fn new(_canvas: &super::CanvasMemory) -> Option<Self> {
        crate::abi::log_once!("IDirect3DSurface9::GetDC: native platforms have no device contexts; it fails");
        None
    }

    /// The handle.
    pub(crate) fn handle(&self) -> afterimage_d3d9_types::HDC {
        0
    }

    /// Copies what was drawn to the surface.
    pub(crate) fn copy_back(&self, _canvas: &super::CanvasMemory) {}
}

/// Makes a `VkSurfaceKHR` of a window for a `VkInstance`.
///
/// # Errors
/// What SDL says, for example that the window was not made with `SDL_WINDOW_VULKAN`.
///
/// # Safety
/// The window and the instance are good.
#[cfg(feature = "in-process")]
pub(crate) unsafe fn vulkan_surface(window: HWND, instance: *mut c_void) -> Result<u64, String> {
    type Sdl2 = unsafe extern "C" fn(*mut c_void, *mut c_void, *mut u64) -> c_int;
    type Sdl3 = unsafe extern "C" fn(*mut c_void, *mut c_void, *const c_void, *mut u64) -> bool;
    let create = sdl(c"SDL_Vulkan_CreateSurface").ok_or("SDL is not loaded, or was built without Vulkan")?;
    let mut surface = 0;
    // Only SDL 3 has properties.
    let made = if sdl(c"SDL_GetWindowProperties").is_some() {
        // SAFETY: SDL 3's function of this name has this type.
        let create = unsafe { core::mem::transmute::<*mut c_void, Sdl3>(create) };
        // SAFETY: the caller vouches for window and instance.
        unsafe { create(window as *mut c_void, instance, core::ptr::null(), &mut surface) }
    } else {
        // SAFETY: SDL 2's function of this name has this type.
        let create = unsafe { core::mem::transmute::<*mut c_void, Sdl2>(create) };
        // SAFETY: the caller vouches for window and instance.
        unsafe { create(window as *mut c_void, instance, &mut surface) != 0 }
    };
    if made { Ok(surface) } else { Err(sdl_error()) }
}

#[cfg(feature = "in-process")]
fn sdl_error() -> String {
    type GetError = unsafe extern "C" fn() -> *const c_char;
    let Some(error) = sdl(c"SDL_GetError") else { return "SDL does not say why".into() };
    // SAFETY: SDL's function of this name has this type and returns a string.
    let text = unsafe { CStr::from_ptr(core::mem::transmute::<*mut c_void, GetError>(error)()) };
    text.to_string_lossy().into_owned()
}

/// A function of the SDL that the process has loaded, if any.
fn sdl(name: &CStr) -> Option<*mut c_void> {
    let find = |library: *mut c_void| {
        // SAFETY: looking a name up in a loaded library, or in all of them.
        let address = unsafe { libc::dlsym(library, name.as_ptr()) };
        (!address.is_null()).then_some(address)
    };
    let loaded = |library: &CStr| {
        // SAFETY: asks for a library that is loaded already; loads none.
        let library = unsafe { libc::dlopen(library.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
        (!library.is_null()).then_some(library)
    };
    // A program may have loaded SDL for itself alone (`RTLD_LOCAL`).
    let names = [c"libSDL3.so.0", c"libSDL2-2.0.so.0", c"libSDL3.0.dylib", c"libSDL2-2.0.0.dylib"];
    find(libc::RTLD_DEFAULT).or_else(|| names.into_iter().filter_map(loaded).find_map(find))
}

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
