//! Buffers that stay mapped, rings in them, and images.

use ash::vk;

use super::Result;
use super::gpu::Gpu;

/// A buffer that stays mapped.
pub(crate) struct Buffer {
    pub(crate) raw: vk::Buffer,
    /// Where the device finds it.
    pub(crate) address: u64,
    mapped: *mut u8,
    size: usize,
}

/// Where a buffer should lie.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// Beside the device if the host can write there, else the host's.
    Device,
    /// The host's.
    Host,
}

impl Buffer {
    /// Makes one for all that the cases do with buffers.
    ///
    /// # Errors
    /// Where there is no memory.
    pub(crate) fn new(gpu: &Gpu, size: usize, place: Place) -> Result<Self> {
        use vk::{BufferUsageFlags as Usage, MemoryPropertyFlags as Memory};
        let usage = Usage::VERTEX_BUFFER
            | Usage::INDIRECT_BUFFER
            | Usage::TRANSFER_SRC
            | Usage::TRANSFER_DST
            | Usage::SHADER_DEVICE_ADDRESS;
        let info = vk::BufferCreateInfo::default().size(size as u64).usage(usage);
        let mapped = Memory::HOST_VISIBLE | Memory::HOST_COHERENT;
        // SAFETY: the device lives as long as the process, as does everything made of it here; the memory fits the buffer and is
        // bound once.
        unsafe {
            let raw = gpu.device.create_buffer(&info, None)?;
            let needs = gpu.device.get_buffer_memory_requirements(raw);
            let near = gpu.memory_type(needs.memory_type_bits, mapped | Memory::DEVICE_LOCAL);
            let near = near.filter(|_| place == Place::Device);
            let kind = near.or_else(|| gpu.memory_type(needs.memory_type_bits, mapped)).ok_or("no memory is mapped")?;
            let mut flags = vk::MemoryAllocateFlagsInfo::default().flags(vk::MemoryAllocateFlags::DEVICE_ADDRESS);
            let info = vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(kind);
            let memory = gpu.device.allocate_memory(&info.push_next(&mut flags), None)?;
            gpu.device.bind_buffer_memory(raw, memory, 0)?;
            let mapped = gpu.device.map_memory(memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty())?.cast();
            let info = vk::BufferDeviceAddressInfo::default().buffer(raw);
            Ok(Self { raw, address: gpu.device.get_buffer_device_address(&info), mapped, size })
        }
    }

    /// Writes bytes at a place.
    ///
    /// # Panics
    /// If they reach past the end.
    #[inline]
    pub(crate) fn write(&self, at: usize, bytes: &[u8]) {
        assert!(bytes.len() <= self.size && at <= self.size - bytes.len(), "a write past the end of a buffer");
        // SAFETY: inside of the mapping, which nobody else writes; the device has no command that reads there now.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.mapped.add(at), bytes.len()) }
    }

    /// Fills a part with a byte.
    ///
    /// # Panics
    /// If it reaches past the end.
    pub(crate) fn fill(&self, at: usize, bytes: usize, value: u8) {
        assert!(bytes <= self.size && at <= self.size - bytes, "a write past the end of a buffer");
        // SAFETY: as above.
        unsafe { std::ptr::write_bytes(self.mapped.add(at), value, bytes) }
    }

    /// What the device has written at the start.
    ///
    /// # Panics
    /// If there is less.
    pub(crate) fn read(&self, bytes: usize) -> Vec<u8> {
        assert!(bytes <= self.size, "a read past the end of a buffer");
        // SAFETY: inside of the mapping, and the device has finished.
        unsafe { std::slice::from_raw_parts(self.mapped, bytes) }.to_vec()
    }
}

/// A buffer that is written from its start in each frame.
pub(crate) struct Ring {
    pub(crate) buffer: Buffer,
    at: usize,
}

impl Ring {
    /// Makes one.
    ///
    /// # Errors
    /// Where there is no memory.
    pub(crate) fn new(gpu: &Gpu, size: usize) -> Result<Self> {
        Ok(Self { buffer: Buffer::new(gpu, size, Place::Device)?, at: 0 })
    }

    /// Forgets what is in it.
    pub(crate) fn restart(&mut self) {
        self.at = 0;
    }

    /// Appends bytes, and says at which offset they are.
    #[inline]
    pub(crate) fn put(&mut self, bytes: &[u8]) -> usize {
        let at = self.at;
        self.buffer.write(at, bytes);
        self.at += bytes.len();
        at
    }

    /// Appends bytes, and says at which address they are.
    #[inline]
    pub(crate) fn put_for_address(&mut self, bytes: &[u8]) -> u64 {
        self.buffer.address + self.put(bytes) as u64
    }

    /// The offset of what is appended next.
    pub(crate) fn next(&self) -> usize {
        self.at
    }
}

/// An image with a view of all of it.
pub(crate) struct Image {
    pub(crate) raw: vk::Image,
    pub(crate) view: vk::ImageView,
    pub(crate) aspect: vk::ImageAspectFlags,
}

impl Image {
    /// Makes one of a level.
    ///
    /// # Errors
    /// Where there is no memory.
    pub(crate) fn new(gpu: &Gpu, format: vk::Format, size: u32, usage: vk::ImageUsageFlags) -> Result<Self> {
        let aspect = match usage.contains(vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT) {
            true => vk::ImageAspectFlags::DEPTH | vk::ImageAspectFlags::STENCIL,
            false => vk::ImageAspectFlags::COLOR,
        };
        let info = vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(format)
            .extent(vk::Extent3D { width: size, height: size, depth: 1 })
            .mip_levels(1)
            .array_layers(1)
            .samples(vk::SampleCountFlags::TYPE_1)
            .usage(usage);
        let range = vk::ImageSubresourceRange::default().aspect_mask(aspect).level_count(1).layer_count(1);
        // SAFETY: as for buffers.
        unsafe {
            let raw = gpu.device.create_image(&info, None)?;
            let needs = gpu.device.get_image_memory_requirements(raw);
            let kind = gpu.memory_type(needs.memory_type_bits, vk::MemoryPropertyFlags::DEVICE_LOCAL);
            let kind = kind.ok_or("no memory is the device's")?;
            let info = vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(kind);
            gpu.device.bind_image_memory(raw, gpu.device.allocate_memory(&info, None)?, 0)?;
            let info = vk::ImageViewCreateInfo::default()
                .image(raw)
                .view_type(vk::ImageViewType::TYPE_2D)
                .format(format)
                .subresource_range(range);
            Ok(Self { raw, view: gpu.device.create_image_view(&info, None)?, aspect })
        }
    }
}

/// A use of an image, as barriers say it.
#[derive(Clone, Copy)]
pub(crate) struct Use(pub(crate) vk::ImageLayout, pub(crate) vk::PipelineStageFlags2, pub(crate) vk::AccessFlags2);

impl Use {
    pub(crate) const NOTHING: Self =
        Self(vk::ImageLayout::UNDEFINED, vk::PipelineStageFlags2::NONE, vk::AccessFlags2::NONE);
    pub(crate) const SAMPLED: Self = Self(
        vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL,
        vk::PipelineStageFlags2::FRAGMENT_SHADER,
        vk::AccessFlags2::SHADER_SAMPLED_READ,
    );
    pub(crate) const COPIED_TO: Self =
        Self(vk::ImageLayout::TRANSFER_DST_OPTIMAL, vk::PipelineStageFlags2::COPY, vk::AccessFlags2::TRANSFER_WRITE);
    pub(crate) const COPIED_FROM: Self =
        Self(vk::ImageLayout::TRANSFER_SRC_OPTIMAL, vk::PipelineStageFlags2::COPY, vk::AccessFlags2::TRANSFER_READ);
    pub(crate) const TARGET: Self = Self(
        vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL,
        vk::PipelineStageFlags2::COLOR_ATTACHMENT_OUTPUT,
        vk::AccessFlags2::from_raw(
            vk::AccessFlags2::COLOR_ATTACHMENT_READ.as_raw() | vk::AccessFlags2::COLOR_ATTACHMENT_WRITE.as_raw(),
        ),
    );
    pub(crate) const DEPTH: Self = Self(
        vk::ImageLayout::DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
        vk::PipelineStageFlags2::from_raw(
            vk::PipelineStageFlags2::EARLY_FRAGMENT_TESTS.as_raw()
                | vk::PipelineStageFlags2::LATE_FRAGMENT_TESTS.as_raw(),
        ),
        vk::AccessFlags2::from_raw(
            vk::AccessFlags2::DEPTH_STENCIL_ATTACHMENT_READ.as_raw()
                | vk::AccessFlags2::DEPTH_STENCIL_ATTACHMENT_WRITE.as_raw(),
        ),
    );
    pub(crate) const PRESENTED: Self =
        Self(vk::ImageLayout::PRESENT_SRC_KHR, vk::PipelineStageFlags2::NONE, vk::AccessFlags2::NONE);
}

/// Records a barrier of an image between two uses.
///
/// # Safety
/// `c` is being recorded outside of rendering, and the image is one of the device's that lives until it has run.
pub(crate) unsafe fn barrier(
    device: &ash::Device,
    c: vk::CommandBuffer,
    (image, aspect): (vk::Image, vk::ImageAspectFlags),
    from: Use,
    to: Use,
) {
    let range = vk::ImageSubresourceRange::default().aspect_mask(aspect).level_count(1).layer_count(1);
    let barriers = [vk::ImageMemoryBarrier2::default()
        .image(image)
        .subresource_range(range)
        .old_layout(from.0)
        .new_layout(to.0)
        .src_stage_mask(from.1)
        .dst_stage_mask(to.1)
        .src_access_mask(from.2)
        .dst_access_mask(to.2)
        .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
        .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)];
    // SAFETY: the caller vouches for command buffer and image.
    unsafe { device.cmd_pipeline_barrier2(c, &vk::DependencyInfo::default().image_memory_barriers(&barriers)) }
}
