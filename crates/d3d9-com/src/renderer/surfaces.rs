//! Surfaces of the program's windows, for the renderer in this process.

use afterimage_stream::packets::{PresentTarget, WindowKind};
use afterimage_vulkan::ash::vk;
use afterimage_vulkan::{Instance, SurfaceFactory};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Makes surfaces of windows of this process.
pub(super) fn factory() -> SurfaceFactory {
    Box::new(surface)
}

/// The surface of a target's window; `None` where it has no window.
fn surface(target: &PresentTarget, instance: &Instance) -> Option<Result<vk::SurfaceKHR, String>> {
    let window = usize::try_from(target.window).ok()?;
    if [WindowKind::Headless as u32, WindowKind::Blit as u32].contains(&target.window_kind) {
        return None;
    }
    let surface = of_window(window, instance);
    if surface.is_err() {
        refused().push(window);
    }
    Some(surface)
}

/// Windows that Vulkan has refused.
static REFUSED: Mutex<Vec<usize>> = Mutex::new(Vec::new());

fn refused() -> MutexGuard<'static, Vec<usize>> {
    REFUSED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether Vulkan has refused a window.
pub(crate) fn is_refused(window: u64) -> bool {
    usize::try_from(window).is_ok_and(|window| refused().contains(&window))
}

#[cfg(not(windows))]
fn of_window(window: usize, instance: &Instance) -> Result<vk::SurfaceKHR, String> {
    use afterimage_vulkan::ash::vk::Handle as _;
    let instance = instance.raw.handle().as_raw() as *mut core::ffi::c_void;
    // SAFETY: the window is the program's, which has promised to keep it as long as its device; the instance is open.
    let surface = unsafe { crate::platform::vulkan_surface(window, instance) }?;
    Ok(vk::SurfaceKHR::from_raw(surface))
}

#[cfg(windows)]
fn of_window(window: usize, instance: &Instance) -> Result<vk::SurfaceKHR, String> {
    use afterimage_vulkan::raw_window_handle as handles;
    use core::num::NonZeroIsize;
    let window = NonZeroIsize::new(window as isize).ok_or("no window")?;
    let mut window = handles::Win32WindowHandle::new(window);
    window.hinstance = NonZeroIsize::new(crate::platform::module());
    let display = handles::RawDisplayHandle::Windows(handles::WindowsDisplayHandle::new());
    // SAFETY: the window is the program's, which has promised to keep it as long as its device.
    let surface = unsafe { afterimage_vulkan::surface_for_window(instance, display, window.into()) };
    surface.map_err(|error| error.to_string())
}
