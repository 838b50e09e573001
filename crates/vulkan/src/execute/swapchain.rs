//! Windows: what they show, and surfaces of windows.

use crate::device::instance::Instance;
use crate::error::{Checked, Error, Result};
use crate::present::presenter::Outgoing;
use crate::present::swapchain::Swapchain;
use crate::renderer::Renderer;
use crate::state::targets::clip;
use afterimage_stream::packets::{Present, Rect};
use ash::{ext, khr, vk};
use raw_window_handle::{RawDisplayHandle, RawWindowHandle};
use std::ffi::{CStr, c_void};
use std::ptr::NonNull;

/// Makes a surface for a window of the system. On macOS that is a layer: see [`surface_for_layer`].
///
/// # Errors
/// Where the instance lacks the extension for that kind of window, or Vulkan refuses.
///
/// # Safety
/// Both handles are valid and outlive the surface.
pub unsafe fn surface_for_window(
    instance: &Instance,
    display: RawDisplayHandle,
    window: RawWindowHandle,
) -> Result<vk::SurfaceKHR> {
    let (entry, raw) = (&instance.entry, &instance.raw);
    let has = |name| has(instance, name);
    // SAFETY: the caller vouches for the handles; the extension's function is there in each branch.
    unsafe {
        match (display, window) {
            (RawDisplayHandle::Xlib(d), RawWindowHandle::Xlib(w)) => {
                if !has(c"vkCreateXlibSurfaceKHR") {
                    return Err(lacks("Xlib"));
                }
                let dpy = d.display.map_or(std::ptr::null_mut(), |display| display.as_ptr().cast());
                let info = vk::XlibSurfaceCreateInfoKHR::default().dpy(dpy).window(w.window);
                khr::xlib_surface::Instance::new(entry, raw).create_xlib_surface(&info, None)
            }
            (RawDisplayHandle::Xcb(d), RawWindowHandle::Xcb(w)) => {
                if !has(c"vkCreateXcbSurfaceKHR") {
                    return Err(lacks("XCB"));
                }
                let connection = d.connection.map_or(std::ptr::null_mut(), |c| c.as_ptr().cast());
                let info = vk::XcbSurfaceCreateInfoKHR::default().connection(connection).window(w.window.get());
                khr::xcb_surface::Instance::new(entry, raw).create_xcb_surface(&info, None)
            }
            (RawDisplayHandle::Wayland(d), RawWindowHandle::Wayland(w)) => {
                if !has(c"vkCreateWaylandSurfaceKHR") {
                    return Err(lacks("Wayland"));
                }
                let info = vk::WaylandSurfaceCreateInfoKHR::default()
                    .display(d.display.as_ptr().cast())
                    .surface(w.surface.as_ptr().cast());
                khr::wayland_surface::Instance::new(entry, raw).create_wayland_surface(&info, None)
            }
            (RawDisplayHandle::Windows(_), RawWindowHandle::Win32(w)) => {
                if !has(c"vkCreateWin32SurfaceKHR") {
                    return Err(lacks("Win32"));
                }
                let info = vk::Win32SurfaceCreateInfoKHR::default()
                    .hwnd(w.hwnd.get())
                    .hinstance(w.hinstance.map_or(0, |hinstance| hinstance.get()));
                khr::win32_surface::Instance::new(entry, raw).create_win32_surface(&info, None)
            }
            (_, window) => return Err(Error::Surface(format!("windows like {window:?} are not known"))),
        }
    }
    .checked("vkCreate*SurfaceKHR")
}

/// Makes a surface for a `CAMetalLayer` of Apple's systems.
///
/// # Errors
/// As [`surface_for_window`].
///
/// # Safety
/// The layer outlives the surface.
pub unsafe fn surface_for_layer(instance: &Instance, layer: NonNull<c_void>) -> Result<vk::SurfaceKHR> {
    if !has(instance, c"vkCreateMetalSurfaceEXT") {
        return Err(lacks("Metal"));
    }
    let info = vk::MetalSurfaceCreateInfoEXT::default().layer(layer.as_ptr().cast());
    // SAFETY: the caller vouches for the layer; the extension's function is there.
    unsafe { ext::metal_surface::Instance::new(&instance.entry, &instance.raw).create_metal_surface(&info, None) }
        .checked("vkCreateMetalSurfaceEXT")
}

fn has(instance: &Instance, function: &CStr) -> bool {
    // SAFETY: the instance is alive.
    unsafe { instance.entry.get_instance_proc_addr(instance.raw.handle(), function.as_ptr()) }.is_some()
}

fn lacks(what: &str) -> Error {
    Error::Surface(format!("this Vulkan has no {what} surfaces"))
}

impl Renderer {
    /// Shows a frame in its target's window and submits; the number of the submission. `None`: there is no window, or
    /// nothing can be shown in it now, and nothing was submitted.
    pub(crate) fn show(&mut self, body: &Present) -> Result<Option<u64>> {
        let Some(mut chain) = self.presenter.take_swapchain(body.target) else { return Ok(None) };
        let result = self.show_in(&mut chain, body);
        let keep = match result {
            Ok(_) => true,
            Err(Error::Vulkan { result: vk::Result::ERROR_SURFACE_LOST_KHR, .. }) => false,
            Err(_) => true,
        };
        if keep {
            self.presenter.put_swapchain(body.target, chain);
            result
        } else {
            // As when a program that ends closes its window before its device.
            tracing::info!("{}: its window is gone", body.target);
            Ok(None)
        }
    }

    fn show_in(&mut self, chain: &mut Swapchain, body: &Present) -> Result<Option<u64>> {
        let Some(from) = self.shown(body) else { return Ok(None) };
        let (current, completed) = (self.recorder.submissions.current, self.recorder.submissions.completed);
        let Some((index, acquired)) = chain.acquire(body.interval > 0, current, completed)? else { return Ok(None) };
        let image = chain.images[index as usize];
        let extent = chain.extent;
        let whole = Rect { x: 0, y: 0, width: extent.width, height: extent.height };
        let to = if body.dst.is_empty() {
            whole
        } else {
            clip(&body.dst, extent).map_or(whole, |rect| Rect {
                x: rect.offset.x,
                y: rect.offset.y,
                width: rect.extent.width,
                height: rect.extent.height,
            })
        };
        let figures = self.presenter.pictures.figures(false, [extent.width, extent.height]);
        let end = vk::ImageLayout::PRESENT_SRC_KHR;
        let outgoing = Outgoing { image, format: chain.format, extent, to, figures, end };
        self.draw_out(body, from, outgoing, |_| chain.view(index))?;
        let wait =
            [vk::SemaphoreSubmitInfo::default().semaphore(acquired).stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS)];
        let number = self.submit_with(&wait, &[chain.drawn[index as usize]])?;
        chain.show(index)?;
        Ok(Some(number))
    }
}
