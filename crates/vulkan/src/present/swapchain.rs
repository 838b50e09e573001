//! Windows: surfaces and swapchains.

use crate::device::gpu::Gpu;
use crate::device::instance::Instance;
use crate::device::memory::ImageView;
use crate::error::{Checked, Error, Result};
use crate::present::presenter::plain_view;
use afterimage_stream::packets::PresentTarget;
use ash::{khr, vk};
use std::collections::VecDeque;
use std::sync::Arc;

/// Makes the surface of a present target's window. `None`: this target has no window here, its frames are not shown.
///
/// Called on the render thread when a target is declared with a window it did not have before. The surface must fit the
/// instance; the renderer destroys it.
pub type SurfaceFactory =
    Box<dyn FnMut(&PresentTarget, &Instance) -> Option<std::result::Result<vk::SurfaceKHR, String>> + Send>;

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
    pub(crate) images: Vec<vk::Image>,
    pub(crate) format: vk::Format,
    /// Views of the images that something was drawn over.
    views: Vec<Option<ImageView>>,
    /// Signalled when an image is ready to be shown, by image.
    pub(crate) drawn: Vec<vk::Semaphore>,
    acquires: VecDeque<Acquire>,
    pub(crate) extent: vk::Extent2D,
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
    pub(crate) fn acquire(
        &mut self,
        vsync: bool,
        current: u64,
        completed: u64,
    ) -> Result<Option<(u32, vk::Semaphore)>> {
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
    pub(crate) fn view(&mut self, image: u32) -> Result<vk::ImageView> {
        let view = match self.views[image as usize].take() {
            Some(view) => view,
            None => plain_view(&self.gpu, self.images[image as usize], self.format)?,
        };
        Ok(self.views[image as usize].insert(view).raw)
    }

    pub(crate) fn show(&mut self, image: u32) -> Result {
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
