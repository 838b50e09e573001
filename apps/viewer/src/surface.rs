//! Surfaces of our windows: the one place where the viewer touches what Rust cannot check.
#![allow(unsafe_code, reason = "a surface lives on a window that another thread owns")]

use afterimage_vulkan::{Instance, ash::vk, surface_for_window};
use winit::raw_window_handle::{HasDisplayHandle, HasWindowHandle, RawDisplayHandle, RawWindowHandle};
use winit::window::Window;

/// What a surface is made from.
///
/// The user interface keeps the window until [`crate::program::Event::Left`] has said that the program's renderer, and
/// every surface with it, is gone. It keeps the display's connection until the server, and every program with it, has
/// ended.
#[derive(Clone, Copy)]
pub(crate) struct Handles {
    display: RawDisplayHandle,
    window: RawWindowHandle,
}

// SAFETY: the handles are names that Vulkan's surface functions take on any thread; winit has called XInitThreads, and
// both things live as long as described above.
unsafe impl Send for Handles {}

impl Handles {
    /// Those of a window.
    pub(crate) fn of(window: &Window) -> Result<Self, String> {
        let display = window.display_handle().map_err(|error| error.to_string())?.as_raw();
        let window = window.window_handle().map_err(|error| error.to_string())?.as_raw();
        Ok(Self { display, window })
    }
}

/// Makes a surface.
pub(crate) fn make(instance: &Instance, handles: Handles) -> Result<vk::SurfaceKHR, String> {
    // SAFETY: the window outlives the surface, as described at `Handles`.
    unsafe { surface_for_window(instance, handles.display, handles.window) }.map_err(|error| error.to_string())
}
