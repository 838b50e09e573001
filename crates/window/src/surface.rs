//! Surfaces of windows: the one place that touches what Rust cannot check.

use afterimage_vulkan::{Instance, ash::vk, surface_for_window};
use std::num::NonZeroU32;
use std::ptr::NonNull;
use winit::raw_window_handle::{
    HasDisplayHandle, HasWindowHandle, RawDisplayHandle, RawWindowHandle, XcbDisplayHandle, XcbWindowHandle,
};
use winit::window::Window;
use x11rb::xcb_ffi::XCBConnection;

/// The number that a window has at the X server: its name for other processes.
///
/// # Errors
/// The window is none of X11.
pub fn number(window: &Window) -> Result<u32, String> {
    match window.window_handle().map_err(|error| error.to_string())?.as_raw() {
        RawWindowHandle::Xlib(window) => u32::try_from(window.window).map_err(|error| error.to_string()),
        RawWindowHandle::Xcb(window) => Ok(window.window.get()),
        other => Err(format!("windows of {other:?} are not known")),
    }
}

/// What a surface is made from: a connection to an X server that lives as long as the process, and the number of a window.
///
/// The server looks the number up at each request. When the window is gone, requests fail and Vulkan says that the surface is lost;
/// whoever owns the window keeps it nevertheless until the renderer, and every surface with it, is gone.
#[derive(Clone, Copy, Debug)]
pub struct Handles {
    display: RawDisplayHandle,
    window: RawWindowHandle,
}

// SAFETY: the handles are names that Vulkan's surface functions take on any thread: winit has called XInitThreads, and XCB needs
// nothing of the kind.
unsafe impl Send for Handles {}

impl Handles {
    /// Those of a window of ours.
    ///
    /// # Errors
    /// The window is none of X11.
    pub fn of(window: &Window) -> Result<Self, String> {
        let display = window.display_handle().map_err(|error| error.to_string())?.as_raw();
        let window = window.window_handle().map_err(|error| error.to_string())?.as_raw();
        // winit keeps its connection to an X server for the life of the process. Of others that is not so.
        match display {
            RawDisplayHandle::Xlib(_) | RawDisplayHandle::Xcb(_) => Ok(Self { display, window }),
            other => Err(format!("windows of {other:?} are not known")),
        }
    }

    /// Those of an X11 window that another program has opened.
    #[must_use]
    pub fn of_program(connection: &'static XCBConnection, screen: i32, window: NonZeroU32) -> Self {
        let display = XcbDisplayHandle::new(NonNull::new(connection.get_raw_xcb_connection()), screen);
        Self { display: display.into(), window: XcbWindowHandle::new(window).into() }
    }

    /// Makes a surface.
    ///
    /// # Errors
    /// Vulkan refuses the window, or knows no such windows.
    pub fn surface(self, instance: &Instance) -> Result<vk::SurfaceKHR, String> {
        // SAFETY: the connection lives as long as the process, and the window is a number that the server checks.
        unsafe { surface_for_window(instance, self.display, self.window) }.map_err(|error| error.to_string())
    }
}
