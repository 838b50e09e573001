//! A window of SDL2's, as the sample programs open it, and pictures for it.

use std::ffi::{CStr, c_char, c_int, c_void};

use ash::vk::Handle as _;
use ash::{khr, vk};

use super::gpu::Gpu;
use super::{Result, SIZE};

type Init = unsafe extern "C" fn(u32) -> c_int;
type Create = unsafe extern "C" fn(*const c_char, c_int, c_int, c_int, c_int, u32) -> *mut c_void;
type Extensions = unsafe extern "C" fn(*mut c_void, *mut u32, *mut *const c_char) -> c_int;
type Surface = unsafe extern "C" fn(*mut c_void, u64, *mut u64) -> c_int;

const INIT_VIDEO: u32 = 0x20;
const CENTRED: c_int = 0x2fff_0000;
const FOR_VULKAN: u32 = 0x1000_0000;

/// A window.
pub(crate) struct Window {
    library: *mut c_void,
    window: *mut c_void,
}

impl Window {
    /// Opens one.
    ///
    /// # Errors
    /// Where there is no SDL2, or no display.
    pub(crate) fn open() -> Result<Self> {
        // SAFETY: SDL2 is as safe to load as any library that the program links; its functions have these types.
        unsafe {
            let library = libc::dlopen(c"libSDL2-2.0.so.0".as_ptr(), libc::RTLD_NOW | libc::RTLD_GLOBAL);
            if library.is_null() {
                return Err("--window needs SDL2 (Debian: apt-get install libsdl2-2.0-0)".into());
            }
            if function::<Init>(library, c"SDL_Init")?(INIT_VIDEO) != 0 {
                return Err("SDL_Init failed: is there a display?".into());
            }
            let create = function::<Create>(library, c"SDL_CreateWindow")?;
            let window = create(c"floor".as_ptr(), CENTRED, CENTRED, SIZE as c_int, SIZE as c_int, FOR_VULKAN);
            if window.is_null() { Err("SDL_CreateWindow failed".into()) } else { Ok(Self { library, window }) }
        }
    }

    /// The instance extensions that it takes.
    ///
    /// # Errors
    /// Where SDL2 does not say.
    pub(crate) fn extensions(&self) -> Result<Vec<*const c_char>> {
        // SAFETY: the window is SDL's; it writes as many names as it counted, which live as long as the library.
        unsafe {
            let ask = function::<Extensions>(self.library, c"SDL_Vulkan_GetInstanceExtensions")?;
            let mut count = 0;
            if ask(self.window, &mut count, std::ptr::null_mut()) == 0 {
                return Err("SDL_Vulkan_GetInstanceExtensions failed".into());
            }
            let mut names = vec![std::ptr::null(); count as usize];
            if ask(self.window, &mut count, names.as_mut_ptr()) == 0 {
                return Err("SDL_Vulkan_GetInstanceExtensions failed".into());
            }
            Ok(names)
        }
    }

    fn surface(&self, gpu: &Gpu) -> Result<vk::SurfaceKHR> {
        let mut surface = 0;
        // SAFETY: window and instance live as long as the process.
        let made = unsafe {
            let create = function::<Surface>(self.library, c"SDL_Vulkan_CreateSurface")?;
            create(self.window, gpu.instance.handle().as_raw(), &mut surface)
        };
        if made == 0 { Err("SDL_Vulkan_CreateSurface failed".into()) } else { Ok(vk::SurfaceKHR::from_raw(surface)) }
    }
}

/// A function of a library.
///
/// # Safety
/// `F` is the type of the function of this name.
unsafe fn function<F: Copy>(library: *mut c_void, name: &CStr) -> Result<F> {
    const { assert!(size_of::<F>() == size_of::<*mut c_void>(), "a function is as large as a pointer") };
    // SAFETY: the library is loaded; the caller vouches for the type.
    unsafe {
        let address = libc::dlsym(library, name.as_ptr());
        if address.is_null() {
            return Err(format!("SDL2 has no {}", name.to_string_lossy()).into());
        }
        Ok(std::mem::transmute_copy(&address))
    }
}

/// A picture that is the program's until it is presented.
pub(crate) struct Next {
    index: u32,
    pub(crate) image: vk::Image,
    /// Signalled when it may be drawn to.
    pub(crate) acquired: vk::Semaphore,
    /// To be signalled when it is drawn.
    pub(crate) drawn: vk::Semaphore,
}

/// The pictures of a window.
pub(crate) struct Swapchain {
    device: khr::swapchain::Device,
    raw: vk::SwapchainKHR,
    images: Vec<vk::Image>,
    drawn: Vec<vk::Semaphore>,
    /// One more than there are pictures, so that the next is not waited with any more.
    acquired: Vec<vk::Semaphore>,
    frame: usize,
    extent: vk::Extent2D,
}

impl Swapchain {
    /// Makes one that waits for no screen, if the window allows that.
    ///
    /// # Errors
    /// Where the device does not present there, or Vulkan fails.
    pub(crate) fn new(gpu: &Gpu, window: &Window) -> Result<Self> {
        let surface = window.surface(gpu)?;
        let surfaces = khr::surface::Instance::new(&gpu.entry, &gpu.instance);
        let device = khr::swapchain::Device::new(&gpu.instance, &gpu.device);
        // SAFETY: device and surface are of this instance and live as long as the process.
        unsafe {
            if !surfaces.get_physical_device_surface_support(gpu.physical, gpu.family, surface)? {
                return Err("the device does not present to this window".into());
            }
            let can = surfaces.get_physical_device_surface_capabilities(gpu.physical, surface)?;
            let format = surfaces.get_physical_device_surface_formats(gpu.physical, surface)?[0];
            let modes = surfaces.get_physical_device_surface_present_modes(gpu.physical, surface)?;
            let mode = [vk::PresentModeKHR::IMMEDIATE, vk::PresentModeKHR::MAILBOX];
            let mode = mode.into_iter().find(|mode| modes.contains(mode)).unwrap_or(vk::PresentModeKHR::FIFO);
            let extent = match can.current_extent.width {
                u32::MAX => vk::Extent2D { width: SIZE, height: SIZE },
                _ => can.current_extent,
            };
            let most = if can.max_image_count == 0 { u32::MAX } else { can.max_image_count };
            let info = vk::SwapchainCreateInfoKHR::default()
                .surface(surface)
                .min_image_count((can.min_image_count + 1).min(most))
                .image_format(format.format)
                .image_color_space(format.color_space)
                .image_extent(extent)
                .image_array_layers(1)
                .image_usage(vk::ImageUsageFlags::TRANSFER_DST)
                .pre_transform(can.current_transform)
                .composite_alpha(vk::CompositeAlphaFlagsKHR::OPAQUE)
                .present_mode(mode)
                .clipped(true);
            let raw = device.create_swapchain(&info, None)?;
            let images = device.get_swapchain_images(raw)?;
            let semaphores = |count: usize| {
                let make = |_| gpu.device.create_semaphore(&vk::SemaphoreCreateInfo::default(), None);
                (0..count).map(make).collect::<std::result::Result<Vec<_>, _>>()
            };
            let (drawn, acquired) = (semaphores(images.len())?, semaphores(images.len() + 1)?);
            Ok(Self { device, raw, images, drawn, acquired, frame: 0, extent })
        }
    }

    /// The next picture.
    ///
    /// # Errors
    /// Where Vulkan fails.
    pub(crate) fn acquire(&mut self, _gpu: &Gpu) -> Result<Next> {
        let acquired = self.acquired[self.frame % self.acquired.len()];
        self.frame += 1;
        // SAFETY: the semaphore is not in use: more pictures than there are were acquired since.
        let (index, _) = unsafe { self.device.acquire_next_image(self.raw, u64::MAX, acquired, vk::Fence::null()) }?;
        let at = index as usize;
        Ok(Next { index, image: self.images[at], acquired, drawn: self.drawn[at] })
    }

    /// Records that a picture becomes the target's.
    ///
    /// # Safety
    /// `c` is being recorded outside of rendering, and both images are in the layouts of copies.
    pub(crate) unsafe fn blit(&self, gpu: &Gpu, c: vk::CommandBuffer, from: vk::Image, to: vk::Image) {
        let layers = vk::ImageSubresourceLayers {
            aspect_mask: vk::ImageAspectFlags::COLOR,
            layer_count: 1,
            ..Default::default()
        };
        let corner = |width: u32, height: u32| vk::Offset3D { x: width as i32, y: height as i32, z: 1 };
        let region = vk::ImageBlit::default()
            .src_subresource(layers)
            .dst_subresource(layers)
            .src_offsets([vk::Offset3D::default(), corner(SIZE, SIZE)])
            .dst_offsets([vk::Offset3D::default(), corner(self.extent.width, self.extent.height)]);
        let [source, target] = [vk::ImageLayout::TRANSFER_SRC_OPTIMAL, vk::ImageLayout::TRANSFER_DST_OPTIMAL];
        // SAFETY: the caller vouches for command buffer and images.
        unsafe { gpu.device.cmd_blit_image(c, from, source, to, target, &[region], vk::Filter::NEAREST) }
    }

    /// Presents it.
    ///
    /// # Errors
    /// Where Vulkan fails.
    pub(crate) fn present(&self, gpu: &Gpu, next: &Next) -> Result {
        let (wait, chains, indices) = ([next.drawn], [self.raw], [next.index]);
        let info = vk::PresentInfoKHR::default().wait_semaphores(&wait).swapchains(&chains).image_indices(&indices);
        // SAFETY: the picture was acquired, and what signals the semaphore is submitted.
        unsafe { self.device.queue_present(gpu.queue, &info) }?;
        Ok(())
    }

    /// Waits until nothing is on its way to the window.
    ///
    /// # Errors
    /// Where Vulkan fails.
    pub(crate) fn end(self, gpu: &Gpu) -> Result {
        // SAFETY: no other thread uses the queue.
        unsafe {
            gpu.device.device_wait_idle()?;
            self.device.destroy_swapchain(self.raw, None);
        }
        Ok(())
    }
}
