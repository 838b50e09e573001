//! Vulkan surfaces of windows.

use core::ffi::{CStr, c_int, c_void};

use afterimage_d3d9_types::HWND;

use super::sdl;

/// Makes a `VkSurfaceKHR` of a window for a `VkInstance`.
///
/// # Errors
/// What SDL says, for example that the window was not made with `SDL_WINDOW_VULKAN`.
///
/// # Safety
/// The window and the instance are good.
pub(crate) unsafe fn vulkan_surface(window: HWND, instance: *mut c_void) -> Result<u64, String> {
    type Sdl2 = unsafe extern "C" fn(*mut c_void, *mut c_void, *mut u64) -> c_int;
    type Sdl3 = unsafe extern "C" fn(*mut c_void, *mut c_void, *const c_void, *mut u64) -> bool;
    const NAME: &CStr = c"SDL_Vulkan_CreateSurface";
    let missing = "SDL is not loaded, or was built without Vulkan";
    let (window, mut surface) = (window as *mut c_void, 0);
    let made = if sdl::is_version_3() {
        // SAFETY: SDL 3's function of this name has this type.
        let create = unsafe { sdl::function::<Sdl3>(NAME) }.ok_or(missing)?;
        // SAFETY: the caller vouches for window and instance.
        unsafe { create(window, instance, core::ptr::null(), &mut surface) }
    } else {
        // SAFETY: SDL 2's function of this name has this type.
        let create = unsafe { sdl::function::<Sdl2>(NAME) }.ok_or(missing)?;
        // SAFETY: the caller vouches for window and instance.
        unsafe { create(window, instance, &mut surface) != 0 }
    };
    if made { Ok(surface) } else { Err(sdl::error()) }
}
