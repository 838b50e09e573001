//! Windows: surfaces and swapchains.

use crate::error::{Checked, Error, Result};
use crate::gpu::Gpu;
use crate::instance::Instance;
use crate::memory::ImageView;
use crate::present::{Outgoing, plain_view};
use crate::renderer::Renderer;
use crate::targets::clip;
use afterimage_stream::packets::{Present, PresentTarget, Rect};
use ash::{khr, vk};
use raw_window_handle::{RawDisplayHandle, RawWindowHandle};
use std::collections::VecDeque;
use std::sync::Arc;

/// Makes the surface of a present target's window. `None`: this target has no window here, its frames are not shown.
///
/// Called on the render thread when a target is declared with a window it did not have before. The surface must fit the
/// instance; the renderer destroys it.
pub type SurfaceFactory =
    Box<dyn FnMut(&PresentTarget, &Instance) -> Option<std::result::Result<vk::SurfaceKHR, String>> + Send>;

/// Makes a surface for a window of the system.
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
    let has = |name: &std::ffi::CStr| {
        // SAFETY: the instance is alive.
        unsafe { entry.get_instance_proc_addr(raw.handle(), name.as_ptr()) }.is_some()
    };
    let lacks = |what: &str| Error::Surface(format!("this Vulkan has no {what} surfaces"));
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

/// A semaphore that an image's acquisition signals, and the submission that waits for it.
struct Acquire {
    semaphore: vk::Semaphore,
    submission: u64,
}

/// A window's images.
pub(crate) struct Swapchain {
    gpu: Arc<Gpu>,
    surfaces: khr::surface::Instance,
    surface: vk::SurfaceKHR,
    raw: vk::SwapchainKHR,
    images: Vec<vk::Image>,
    format: vk::Format,
    /// Views of the images that something was drawn over.
    views: Vec<Option<ImageView>>,
    /// Signalled when an image is ready to be shown, by image.
    drawn: Vec<vk::Semaphore>,
    acquires: VecDeque<Acquire>,
    extent: vk::Extent2D,
    vsync: bool,
    /// It has to be made anew.
    pub(crate) stale: bool,
    /// Size that the target was declared with: what a surface without a size of its own gets.
    pub(crate) wanted: vk::Extent2D,
}

impl Swapchain {
    /// Takes a surface over.
    pub(crate) fn new(gpu: &Arc<Gpu>, surface: vk::SurfaceKHR, wanted: vk::Extent2D) -> Result<Self> {
        let surfaces = khr::surface::Instance::new(&gpu.instance.entry, &gpu.instance.raw);
        let chain = Self {
            gpu: Arc::clone(gpu),
            surfaces,
            surface,
            raw: vk::SwapchainKHR::null(),
            images: Vec::new(),
            format: vk::Format::UNDEFINED,
            views: Vec::new(),
            drawn: Vec::new(),
            acquires: VecDeque::new(),
            extent: vk::Extent2D::default(),
            vsync: true,
            stale: true,
            wanted,
        };
        let family = gpu.profile.queue_family;
        // SAFETY: the surface is one of the instance's.
        let shown = unsafe { chain.surfaces.get_physical_device_surface_support(gpu.physical, family, surface) };
        if gpu.swapchain.is_none() || !shown.checked("vkGetPhysicalDeviceSurfaceSupportKHR")? {
            return Err(Error::Surface(format!("{} cannot show pictures in it", gpu.profile.name)));
        }
        Ok(chain)
    }

    /// The window may have another size now.
    pub(crate) fn set_wanted(&mut self, wanted: vk::Extent2D) {
        self.stale |= (self.wanted.width, self.wanted.height) != (wanted.width, wanted.height);
        self.wanted = wanted;
    }

    /// Makes the swapchain anew; false where the window has no area at present.
    fn recreate(&mut self, vsync: bool) -> Result<bool> {
        let Some(device) = &self.gpu.swapchain else { return Ok(false) };
        let physical = self.gpu.physical;
        // SAFETY: the surface is alive.
        let (caps, formats, modes) = unsafe {
            (
                self.surfaces
                    .get_physical_device_surface_capabilities(physical, self.surface)
                    .checked("vkGetPhysicalDeviceSurfaceCapabilitiesKHR")?,
                self.surfaces
                    .get_physical_device_surface_formats(physical, self.surface)
                    .checked("vkGetPhysicalDeviceSurfaceFormatsKHR")?,
                self.surfaces
                    .get_physical_device_surface_present_modes(physical, self.surface)
                    .checked("vkGetPhysicalDeviceSurfacePresentModesKHR")?,
            )
        };
        let extent = if caps.current_extent.width == u32::MAX {
            let (low, high) = (caps.min_image_extent, caps.max_image_extent);
            vk::Extent2D {
                width: self.wanted.width.clamp(low.width, high.width.max(low.width)),
                height: self.wanted.height.clamp(low.height, high.height.max(low.height)),
            }
        } else {
            caps.current_extent
        };
        if extent.width == 0 || extent.height == 0 {
            return Ok(false);
        }
        let liked = [vk::Format::B8G8R8A8_UNORM, vk::Format::R8G8B8A8_UNORM, vk::Format::A2B10G10R10_UNORM_PACK32];
        let format = liked
            .iter()
            .find_map(|&liked| formats.iter().find(|found| found.format == liked))
            .or(formats.first())
            .ok_or_else(|| Error::Surface("it has no formats".into()))?;
        let wanted_modes: &[vk::PresentModeKHR] = if vsync {
            &[vk::PresentModeKHR::FIFO]
        } else {
            &[vk::PresentModeKHR::IMMEDIATE, vk::PresentModeKHR::MAILBOX, vk::PresentModeKHR::FIFO]
        };
        let mode = wanted_modes.iter().find(|mode| modes.contains(mode)).copied().unwrap_or(vk::PresentModeKHR::FIFO);
        let most = if caps.max_image_count == 0 { u32::MAX } else { caps.max_image_count };
        let alpha = if caps.supported_composite_alpha.contains(vk::CompositeAlphaFlagsKHR::OPAQUE) {
            vk::CompositeAlphaFlagsKHR::OPAQUE
        } else {
            vk::CompositeAlphaFlagsKHR::INHERIT
        };
        let old = self.raw;
        let info = vk::SwapchainCreateInfoKHR::default()
            .surface(self.surface)
            .min_image_count((caps.min_image_count + 1).min(most))
            .image_format(format.format)
            .image_color_space(format.color_space)
            .image_extent(extent)
            .image_array_layers(1)
            .image_usage(vk::ImageUsageFlags::TRANSFER_DST | vk::ImageUsageFlags::COLOR_ATTACHMENT)
            .pre_transform(caps.current_transform)
            .composite_alpha(alpha)
            .present_mode(mode)
            .clipped(true)
            .old_swapchain(old);
        // SAFETY: the description fits what the surface can do.
        self.raw = unsafe { device.create_swapchain(&info, None) }.checked("vkCreateSwapchainKHR")?;
        self.gpu.wait_idle();
        self.views.clear();
        // SAFETY: the device is idle, so nothing uses the old images.
        unsafe { device.destroy_swapchain(old, None) };
        // SAFETY: the swapchain was just made.
        self.images = unsafe { device.get_swapchain_images(self.raw) }.checked("vkGetSwapchainImagesKHR")?;
        self.views.resize_with(self.images.len(), || None);
        self.format = format.format;
        while self.drawn.len() < self.images.len() {
            self.drawn.push(make_semaphore(&self.gpu)?);
        }
        (self.extent, self.vsync, self.stale) = (extent, vsync, false);
        Ok(true)
    }

    /// The next image and the semaphore that says when it may be drawn to. `None`: nothing can be shown now.
    fn acquire(&mut self, vsync: bool, current: u64, completed: u64) -> Result<Option<(u32, vk::Semaphore)>> {
        for _attempt in 0..2 {
            if (self.stale || self.vsync != vsync || self.raw == vk::SwapchainKHR::null()) && !self.recreate(vsync)? {
                return Ok(None);
            }
            let Some(device) = &self.gpu.swapchain else { return Ok(None) };
            let semaphore = match self.acquires.front() {
                Some(acquire) if acquire.submission <= completed => acquire.semaphore,
                _ => {
                    let semaphore = make_semaphore(&self.gpu)?;
                    self.acquires.push_front(Acquire { semaphore, submission: 0 });
                    semaphore
                }
            };
            // A compositor that shows nothing for a second will not show this frame either.
            let timeout = 1_000_000_000;
            // SAFETY: nothing waits for the semaphore any more.
            match unsafe { device.acquire_next_image(self.raw, timeout, semaphore, vk::Fence::null()) } {
                Ok((image, suboptimal)) => {
                    self.stale |= suboptimal;
                    self.acquires.pop_front();
                    self.acquires.push_back(Acquire { semaphore, submission: current });
                    return Ok(Some((image, semaphore)));
                }
                Err(vk::Result::ERROR_OUT_OF_DATE_KHR) => self.stale = true,
                Err(vk::Result::TIMEOUT | vk::Result::NOT_READY) => return Ok(None),
                Err(error) => return Err(error).checked("vkAcquireNextImageKHR"),
            }
        }
        Ok(None)
    }

    /// The view of an image.
    fn view(&mut self, image: u32) -> Result<vk::ImageView> {
        let view = match self.views[image as usize].take() {
            Some(view) => view,
            None => plain_view(&self.gpu, self.images[image as usize], self.format)?,
        };
        Ok(self.views[image as usize].insert(view).raw)
    }

    fn show(&mut self, image: u32) -> Result {
        let Some(device) = &self.gpu.swapchain else { return Ok(()) };
        let (semaphores, swapchains, images) = ([self.drawn[image as usize]], [self.raw], [image]);
        let info =
            vk::PresentInfoKHR::default().wait_semaphores(&semaphores).swapchains(&swapchains).image_indices(&images);
        let queue = self.gpu.queue();
        // SAFETY: nobody else uses the queue while the guard lives; the image was acquired and drawn.
        match unsafe { device.queue_present(*queue, &info) } {
            Ok(suboptimal) => self.stale |= suboptimal,
            Err(vk::Result::ERROR_OUT_OF_DATE_KHR) => self.stale = true,
            Err(error) => return Err(error).checked("vkQueuePresentKHR"),
        }
        Ok(())
    }
}

fn make_semaphore(gpu: &Gpu) -> Result<vk::Semaphore> {
    // SAFETY: valid description.
    unsafe { gpu.raw.create_semaphore(&vk::SemaphoreCreateInfo::default(), None) }.checked("vkCreateSemaphore")
}

impl Drop for Swapchain {
    fn drop(&mut self) {
        self.gpu.wait_idle();
        self.views.clear();
        // SAFETY: the device is idle.
        unsafe {
            for semaphore in self.drawn.drain(..).chain(self.acquires.drain(..).map(|acquire| acquire.semaphore)) {
                self.gpu.raw.destroy_semaphore(semaphore, None);
            }
            if let Some(device) = &self.gpu.swapchain {
                device.destroy_swapchain(self.raw, None);
            }
            self.surfaces.destroy_surface(self.surface, None);
        }
    }
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
        let (current, completed) = (self.submissions.current, self.submissions.completed);
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
        let figures = self.presenter.figures(false, extent);
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
