//! Surfaces of windows: the one place where the viewer touches what Rust cannot check.
#![allow(unsafe_code, reason = "a surface lives on a window that another thread owns")]

use afterimage_vulkan::{Instance, ash::vk, surface_for_window};
use std::num::NonZeroU32;
use std::ptr::NonNull;
use winit::raw_window_handle::{
    HasDisplayHandle, HasWindowHandle, RawDisplayHandle, RawWindowHandle, XcbDisplayHandle, XcbWindowHandle,
};
use winit::window::Window;
use x11rb::xcb_ffi::XCBConnection;

/// What a surface is made from.
///
/// Of our windows: the user interface keeps the window until [`crate::program::Event::Left`] has said that the program's renderer, and
/// every surface with it, is gone. It keeps the display's connection until the server, and every program with it, has
/// ended.
///
/// Of a program's window: the connection lives as long as the viewer. The window is only a number, which the X server looks
/// up at each request; when the program has closed it, requests fail and Vulkan says that the surface is lost.
#[derive(Clone, Copy)]
pub(crate) struct Handles {
    display: RawDisplayHandle,
    window: RawWindowHandle,
}

// SAFETY: the handles are names that Vulkan's surface functions take on any thread; winit has called XInitThreads, XCB
// needs nothing of the kind, and both things live as long as described above.
unsafe impl Send for Handles {}

impl Handles {
    /// Those of a window.
    pub(crate) fn of(window: &Window) -> Result<Self, String> {
        let display = window.display_handle().map_err(|error| error.to_string())?.as_raw();
        let window = window.window_handle().map_err(|error| error.to_string())?.as_raw();
        Ok(Self { display, window })
    }

    /// Those of an X11 window that a program has opened.
    pub(crate) fn of_program(connection: &'static XCBConnection, screen: i32, window: NonZeroU32) -> Self {
        let display = XcbDisplayHandle::new(NonNull::new(connection.get_raw_xcb_connection()), screen);
        Self { display: display.into(), window: XcbWindowHandle::new(window).into() }
    }
}

/// Makes a surface.
pub(crate) fn make(instance: &Instance, handles: Handles) -> Result<vk::SurfaceKHR, String> {
    // SAFETY: the handles stay good as long as the surface, as described at `Handles`.
    unsafe { surface_for_window(instance, handles.display, handles.window) }.map_err(|error| error.to_string())
}
