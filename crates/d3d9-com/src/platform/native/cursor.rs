//! The mouse pointer, which SDL draws.

use core::ffi::{c_int, c_void};

use super::sdl;

/// Moves the mouse pointer, in screen coordinates.
pub(crate) fn set_cursor_position(x: i32, y: i32) {
    if sdl::is_version_3() {
        type Warp = unsafe extern "C" fn(f32, f32) -> bool;
        // SAFETY: SDL 3's function of this name has this type, and takes no pointers.
        unsafe { sdl::function::<Warp>(c"SDL_WarpMouseGlobal").map(|warp| warp(x as f32, y as f32)) };
    } else {
        type Warp = unsafe extern "C" fn(c_int, c_int) -> c_int;
        // SAFETY: SDL 2's function of this name has this type, and takes no pointers.
        unsafe { sdl::function::<Warp>(c"SDL_WarpMouseGlobal").map(|warp| warp(x, y)) };
    }
}

/// A picture for the mouse pointer.
pub(crate) struct Pointer(*mut c_void);

// SAFETY: a handle that only SDL looks behind, and the device lets one thread at a time use it.
unsafe impl Send for Pointer {}

type Free = unsafe extern "C" fn(*mut c_void);

impl Pointer {
    /// Makes one of pixels with alpha, A8R8G8B8; `None` without SDL, or where it refuses.
    pub(crate) fn new(width: u32, height: u32, hot_spot: (u32, u32), pixels: &[u32]) -> Option<Self> {
        type Create = unsafe extern "C" fn(*mut c_void, c_int, c_int) -> *mut c_void;
        /// `SDL_PIXELFORMAT_ARGB8888` of both versions.
        const ARGB8888: u32 = 0x1636_2004;
        let (w, h) = (c_int::try_from(width).ok()?, c_int::try_from(height).ok()?);
        if pixels.len() != width as usize * height as usize {
            return None;
        }
        let (bytes, pitch) = (pixels.as_ptr().cast_mut().cast::<c_void>(), w.checked_mul(4)?);
        // SAFETY: each version's functions of these names have these types; the surface only reads, and goes before the
        // pixels do.
        unsafe {
            let (surface, free) = if sdl::is_version_3() {
                type From = unsafe extern "C" fn(c_int, c_int, u32, *mut c_void, c_int) -> *mut c_void;
                let from = sdl::function::<From>(c"SDL_CreateSurfaceFrom")?;
                (from(w, h, ARGB8888, bytes, pitch), sdl::function::<Free>(c"SDL_DestroySurface")?)
            } else {
                type From = unsafe extern "C" fn(*mut c_void, c_int, c_int, c_int, c_int, u32) -> *mut c_void;
                let from = sdl::function::<From>(c"SDL_CreateRGBSurfaceWithFormatFrom")?;
                (from(bytes, w, h, 32, pitch, ARGB8888), sdl::function::<Free>(c"SDL_FreeSurface")?)
            };
            if surface.is_null() {
                return None;
            }
            let create = sdl::function::<Create>(c"SDL_CreateColorCursor");
            let cursor = create.map(|create| create(surface, hot_spot.0 as c_int, hot_spot.1 as c_int));
            free(surface);
            cursor.filter(|cursor| !cursor.is_null()).map(Self)
        }
    }

    /// Shows or hides the pointer.
    pub(crate) fn show(&self, show: bool) {
        type Set = unsafe extern "C" fn(*mut c_void);
        // SAFETY: SDL's functions of these names have these types, but for results that may be ignored.
        unsafe {
            if show && let Some(set) = sdl::function::<Set>(c"SDL_SetCursor") {
                set(self.0);
            }
            if sdl::is_version_3() {
                let name = if show { c"SDL_ShowCursor" } else { c"SDL_HideCursor" };
                sdl::function::<unsafe extern "C" fn() -> bool>(name).map(|change| change());
            } else {
                type Show = unsafe extern "C" fn(c_int) -> c_int;
                sdl::function::<Show>(c"SDL_ShowCursor").map(|change| change(show.into()));
            }
        }
    }
}

impl Drop for Pointer {
    fn drop(&mut self) {
        let name = if sdl::is_version_3() { c"SDL_DestroyCursor" } else { c"SDL_FreeCursor" };
        // SAFETY: made in `new` by the same SDL.
        unsafe { sdl::function::<Free>(name).map(|free| free(self.0)) };
    }
}
