//! Vulkan buffers and images with their memory, freed when dropped.

use crate::device::gpu::Gpu;
use crate::error::{Checked, Result};
use ash::vk;
use gpu_allocator::MemoryLocation;
use gpu_allocator::vulkan::Allocation;
use std::sync::Arc;

/// Where a buffer's memory should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Near the GPU, not mapped.
    Device,
    /// Written by the CPU in small pieces, read by the GPU once: mapped, in system memory.
    Stream,
    /// Written by the CPU in whole cache lines and in order, never read by it, and read by the GPU in the middle of draws:
    /// mapped, near the GPU where that can be. 2,000 draws with constants each take the GPU 25 us with those here and 60 with
    /// those in system memory (H200), and the CPU the same.
    Near,
    /// Written by the GPU, read by the CPU: mapped, cached if it can be.
    ReadBack,
}

impl Place {
    fn location(self) -> MemoryLocation {
        match self {
            Self::Device => MemoryLocation::GpuOnly,
            Self::Near => MemoryLocation::CpuToGpu,
            Self::Stream | Self::ReadBack => MemoryLocation::GpuToCpu,
        }
    }
}

/// A buffer with its own memory. Every buffer can be anything: usage bits cost nothing on the drivers we know.
pub(crate) struct Buffer {
    gpu: Arc<Gpu>,
    pub(crate) raw: vk::Buffer,
    pub(crate) size: u64,
    /// First byte, where mapped; null otherwise.
    pub(crate) mapped: *mut u8,
    /// Device address of the first byte.
    pub(crate) address: u64,
    memory: Option<Allocation>,
}

// SAFETY: the mapped pointer is plain memory owned by this value; whoever writes through it says why it may.
unsafe impl Send for Buffer {}

// SAFETY: shared use reads the handles only; writes through `mapped` are unsafe blocks of their own.
unsafe impl Sync for Buffer {}

impl Buffer {
    pub(crate) fn new(gpu: &Arc<Gpu>, name: &str, size: u64, place: Place) -> Result<Self> {
        use vk::BufferUsageFlags as Usage;
        let feedback = match gpu.feedback {
            Some(_) => Usage::TRANSFORM_FEEDBACK_BUFFER_EXT | Usage::TRANSFORM_FEEDBACK_COUNTER_BUFFER_EXT,
            None => Usage::empty(),
        };
        let info = vk::BufferCreateInfo::default().size(size.max(16)).usage(
            feedback
                | Usage::VERTEX_BUFFER
                | Usage::INDEX_BUFFER
                | Usage::INDIRECT_BUFFER
                | Usage::TRANSFER_SRC
                | Usage::TRANSFER_DST
                | Usage::STORAGE_BUFFER
                | Usage::SHADER_DEVICE_ADDRESS,
        );
        // SAFETY: the description is valid for any size above zero.
        let raw = unsafe { gpu.raw.create_buffer(&info, None) }.checked("vkCreateBuffer")?;
        let mut buffer =
            Self { gpu: Arc::clone(gpu), raw, size, mapped: std::ptr::null_mut(), address: 0, memory: None };
        // SAFETY: the buffer was just made by this device.
        let requirements = unsafe { gpu.raw.get_buffer_memory_requirements(raw) };
        let memory = gpu.allocate(name, requirements, place.location(), true)?;
        buffer.mapped = memory.mapped_ptr().map_or(std::ptr::null_mut(), |pointer| pointer.as_ptr().cast());
        // SAFETY: memory and offset come from the allocator for these requirements; the buffer is unbound.
        let bound = unsafe { gpu.raw.bind_buffer_memory(raw, memory.memory(), memory.offset()) };
        buffer.memory = Some(memory);
        bound.checked("vkBindBufferMemory")?;
        let info = vk::BufferDeviceAddressInfo::default().buffer(raw);
        // SAFETY: the buffer has the address usage and memory.
        buffer.address = unsafe { gpu.raw.get_buffer_device_address(&info) };
        gpu.name(raw, name);
        Ok(buffer)
    }

    /// Whether the CPU can write it directly.
    pub(crate) fn is_mapped(&self) -> bool {
        !self.mapped.is_null()
    }

    /// Bytes of a mapped buffer, for reading after the GPU is done with it.
    pub(crate) fn bytes(&self, offset: u64, len: usize) -> &[u8] {
        assert!(self.is_mapped() && offset + len as u64 <= self.size, "range outside of the buffer");
        // SAFETY: the range was checked, and the caller has waited for the GPU's writes.
        unsafe { std::slice::from_raw_parts(self.mapped.add(offset as usize), len) }
    }

    /// Bytes of a mapped buffer that neither GPU nor CPU use at this time, for writing.
    pub(crate) fn bytes_mut(&mut self, offset: u64, len: usize) -> &mut [u8] {
        assert!(self.is_mapped() && offset + len as u64 <= self.size, "range outside of the buffer");
        // SAFETY: the range was checked, and whoever has the buffer writes it alone.
        unsafe { std::slice::from_raw_parts_mut(self.mapped.add(offset as usize), len) }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: whoever drops a buffer has waited for the GPU (see `submit::Submissions::retire`).
        unsafe { self.gpu.raw.destroy_buffer(self.raw, None) };
        if let Some(memory) = self.memory.take() {
            self.gpu.free(memory);
        }
    }
}

/// Gives the system what the heap has free, when dropped. A driver takes a megabyte for a pipeline in many small pieces, and
/// glibc keeps what was freed, in an arena per thread, until somebody asks.
pub(crate) struct HeapTrim;

impl Drop for HeapTrim {
    fn drop(&mut self) {
        #[cfg(all(target_os = "linux", target_env = "gnu"))]
        // SAFETY: glibc locks its arenas.
        unsafe {
            libc::malloc_trim(0);
        }
    }
}

/// An image with its own memory.
pub(crate) struct Image {
    gpu: Arc<Gpu>,
    pub(crate) raw: vk::Image,
    memory: Option<Allocation>,
}

impl Image {
    pub(crate) fn new(gpu: &Arc<Gpu>, name: &str, info: &vk::ImageCreateInfo<'_>) -> Result<Self> {
        // SAFETY: the caller's description was checked against the device's format and limits.
        let raw = unsafe { gpu.raw.create_image(info, None) }.checked("vkCreateImage")?;
        let mut image = Self { gpu: Arc::clone(gpu), raw, memory: None };
        // SAFETY: the image was just made by this device.
        let requirements = unsafe { gpu.raw.get_image_memory_requirements(raw) };
        let memory = gpu.allocate(name, requirements, MemoryLocation::GpuOnly, false)?;
        // SAFETY: memory and offset come from the allocator for these requirements; the image is unbound.
        let bound = unsafe { gpu.raw.bind_image_memory(raw, memory.memory(), memory.offset()) };
        image.memory = Some(memory);
        bound.checked("vkBindImageMemory")?;
        gpu.name(raw, name);
        Ok(image)
    }
}

impl Drop for Image {
    fn drop(&mut self) {
        // SAFETY: whoever drops an image has waited for the GPU (see `submit::Submissions::retire`).
        unsafe { self.gpu.raw.destroy_image(self.raw, None) };
        if let Some(memory) = self.memory.take() {
            self.gpu.free(memory);
        }
    }
}

/// A view of an image.
pub(crate) struct ImageView {
    gpu: Arc<Gpu>,
    pub(crate) raw: vk::ImageView,
}

impl ImageView {
    pub(crate) fn new(gpu: &Arc<Gpu>, info: &vk::ImageViewCreateInfo<'_>) -> Result<Self> {
        // SAFETY: the caller's description fits the image.
        let raw = unsafe { gpu.raw.create_image_view(info, None) }.checked("vkCreateImageView")?;
        Ok(Self { gpu: Arc::clone(gpu), raw })
    }
}

impl Drop for ImageView {
    fn drop(&mut self) {
        // SAFETY: whoever drops a view has waited for the GPU (see `submit::Submissions::retire`).
        unsafe { self.gpu.raw.destroy_image_view(self.raw, None) };
    }
}
