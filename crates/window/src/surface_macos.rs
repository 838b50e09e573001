//! Surfaces of AppKit's windows: layers that are drawn into.

use afterimage_metal_apple::Device;
use afterimage_vulkan::{Instance, ash::vk, surface_for_layer};
use raw_window_metal::Layer;
use std::ffi::c_void;
use std::ptr::NonNull;
use winit::raw_window_handle::{HasWindowHandle, RawWindowHandle};
use winit::window::Window;

/// The number that a window has for other processes.
///
/// # Errors
/// Always: a window of AppKit's is drawn into by its own process alone.
pub fn number(_: &Window) -> Result<u32, String> {
    Err("on macOS no other process can draw into a window".into())
}

/// What a surface is made from: a `CAMetalLayer` over the window's view, which stays for the life of the process.
#[derive(Clone, Copy, Debug)]
pub struct Handles {
    layer: NonNull<c_void>,
}

// SAFETY: Core Animation's layers may be used by any thread, and nobody releases this one.
unsafe impl Send for Handles {}

impl Handles {
    /// Those of a window of ours. On the main thread, where windows are.
    ///
    /// # Errors
    /// The window is none of AppKit's.
    pub fn of(window: &Window) -> Result<Self, String> {
        match window.window_handle().map_err(|error| error.to_string())?.as_raw() {
            RawWindowHandle::AppKit(handle) => {
                // SAFETY: the view of a window that is there; winit gives it out on the main thread alone.
                let layer = unsafe { Layer::from_ns_view(handle.ns_view) };
                Ok(Self { layer: layer.into_raw() })
            }
            other => Err(format!("windows of {other:?} are not known")),
        }
    }

    /// The layer for Metal, instead of a surface.
    ///
    /// # Errors
    /// Metal refuses it.
    pub fn layer(self, device: &Device) -> Result<afterimage_metal_apple::Layer, String> {
        // SAFETY: nobody releases the layer.
        unsafe { afterimage_metal_apple::Layer::of_layer(device, self.layer.as_ptr()) }
            .map_err(|error| error.to_string())
    }

    /// Makes a surface.
    ///
    /// # Errors
    /// Vulkan refuses the layer, or knows none.
    pub fn surface(self, instance: &Instance) -> Result<vk::SurfaceKHR, String> {
        // SAFETY: nobody releases the layer.
        unsafe { surface_for_layer(instance, self.layer) }.map_err(|error| error.to_string())
    }
}
