//! Metal layers of windows.

use core::ffi::c_void;

use afterimage_d3d9_types::HWND;

use super::sdl;

/// The `CAMetalLayer` of a view that SDL puts over a window, and keeps as long as the window. Source: SDL's `SDL_metal.h`, the same in
/// versions 2 and 3.
///
/// # Errors
/// What SDL says.
///
/// # Safety
/// The window is good.
pub(crate) unsafe fn metal_layer(window: HWND) -> Result<*mut c_void, String> {
    type OfPointer = unsafe extern "C" fn(*mut c_void) -> *mut c_void;
    let missing = "SDL is not loaded, or was built without Metal";
    // SAFETY: SDL's functions of these names have this type.
    let functions =
        unsafe { [sdl::function::<OfPointer>(c"SDL_Metal_CreateView"), sdl::function(c"SDL_Metal_GetLayer")] };
    let [Some(create), Some(layer_of)] = functions else { return Err(missing.to_owned()) };
    // SAFETY: the caller vouches for the window.
    let view = unsafe { create(window as *mut c_void) };
    if view.is_null() {
        return Err(sdl::error());
    }
    // SAFETY: the view that SDL just made.
    let layer = unsafe { layer_of(view) };
    if layer.is_null() { Err(sdl::error()) } else { Ok(layer) }
}
