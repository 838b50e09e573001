//! A Vulkan device for tests: buffers, images, and submissions that are waited for. What is drawn on it is up to each rig.

// Not every rig uses all of it.
#![allow(dead_code, reason = "each test uses a part")]

use std::ffi::CStr;

use afterimage_spirv::{Features, Options};
use ash::vk;

pub(crate) type Result<T> = std::result::Result<T, vk::Result>;

/// What a call says when the device will do nothing more.
pub(crate) const LOST: vk::Result = vk::Result::ERROR_DEVICE_LOST;

pub(crate) struct Gpu {
    entry: ash::Entry,
    pub(crate) device: ash::Device,
    queue: vk::Queue,
    memory: vk::PhysicalDeviceMemoryProperties,
    pool: vk::CommandPool,
    /// What the device can do.
    pub(crate) options: Options,
    /// Lanes of a subgroup.
    pub(crate) subgroup: u32,
    /// Lanes of a work group, and bytes of its memory, at most.
    pub(crate) group: (u32, u32),
    /// Transform feedback, if the device has it.
    pub(crate) feedback: Option<ash::ext::transform_feedback::Device>,
    /// Whether pipelines may have the last vertex provoke, and feedback has their vertices in that order.
    pub(crate) provoking_last: bool,
    pub(crate) name: String,
}

pub(crate) struct Buffer {
    pub(crate) buffer: vk::Buffer,
    memory: vk::DeviceMemory,
    size: u64,
}

/// What an image is like.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) format: vk::Format,
    pub(crate) view: vk::ImageViewType,
    pub(crate) extent: vk::Extent3D,
    pub(crate) levels: u32,
    pub(crate) usage: vk::ImageUsageFlags,
}

pub(crate) struct Image {
    pub(crate) image: vk::Image,
    memory: vk::DeviceMemory,
    pub(crate) view: vk::ImageView,
    pub(crate) shape: Shape,
}

impl Shape {
    /// Something to draw to, and to be copied out.
    pub(crate) fn target(format: vk::Format, width: u32, height: u32) -> Shape {
        let attachment = if format == vk::Format::D32_SFLOAT {
            vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT
        } else {
            vk::ImageUsageFlags::COLOR_ATTACHMENT
        };
        let (extent, usage) =
            (vk::Extent3D { width, height, depth: 1 }, attachment | vk::ImageUsageFlags::TRANSFER_SRC);
        Shape { format, view: vk::ImageViewType::TYPE_2D, extent, levels: 1, usage }
    }

    /// Something to look up, as high and deep as wide.
    pub(crate) fn texture(format: vk::Format, view: vk::ImageViewType, side: u32, levels: u32) -> Shape {
        let depth = if view == vk::ImageViewType::TYPE_3D { side } else { 1 };
        let extent = vk::Extent3D { width: side, height: side, depth };
        Shape { format, view, extent, levels, usage: vk::ImageUsageFlags::SAMPLED | vk::ImageUsageFlags::TRANSFER_DST }
    }

    pub(crate) fn layers(&self) -> u32 {
        if self.view == vk::ImageViewType::CUBE { 6 } else { 1 }
    }

    /// All of it.
    pub(crate) fn range(&self) -> vk::ImageSubresourceRange {
        vk::ImageSubresourceRange::default()
            .aspect_mask(self.aspect())
            .level_count(self.levels)
            .layer_count(self.layers())
    }

    /// Level `level` with all layers.
    pub(crate) fn level(&self, level: u32) -> vk::ImageSubresourceLayers {
        let layers = vk::ImageSubresourceLayers::default().aspect_mask(self.aspect()).mip_level(level);
        layers.layer_count(self.layers())
    }

    fn aspect(&self) -> vk::ImageAspectFlags {
        match self.format {
            vk::Format::D32_SFLOAT => vk::ImageAspectFlags::DEPTH,
            _ => vk::ImageAspectFlags::COLOR,
        }
    }
}

impl Gpu {
    /// Whether the driver rounds doubles as it should: Mesa's lavapipe, up to 22.3 at least, does eight at once, for which CPUs without
    /// AVX-512 have no instruction, and goes by 32-bit integers then, so that large numbers are not rounded and small ones lose their
    /// sign.
    pub(crate) fn rounds_doubles(&self) -> bool {
        #[cfg(target_arch = "x86_64")]
        let can = std::arch::is_x86_feature_detected!("avx512f");
        #[cfg(not(target_arch = "x86_64"))]
        let can = false;
        can || !self.name.starts_with("llvmpipe")
    }

    /// The first device with Vulkan 1.3.
    pub(crate) fn new() -> Gpu {
        Gpu::open().unwrap_or_else(|e| panic!("no Vulkan 1.3 device ({e}): run `cargo xtask setup`"))
    }

    fn open() -> std::result::Result<Gpu, String> {
        let say = |e: vk::Result| e.to_string();
        // SAFETY: the loader is kept in the result for as long as what comes from it.
        let entry = unsafe { ash::Entry::load() }.map_err(|e| e.to_string())?;
        let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
        let info = vk::InstanceCreateInfo::default().application_info(&application);
        // SAFETY: all pointers in `info` are to locals that live through the call.
        let instance = unsafe { entry.create_instance(&info, None) }.map_err(say)?;
        // SAFETY: the instance is valid here and in every call below; results are used only with it.
        unsafe {
            let physical = instance
                .enumerate_physical_devices()
                .map_err(say)?
                .into_iter()
                .find(|&p| instance.get_physical_device_properties(p).api_version >= vk::API_VERSION_1_3)
                .ok_or("none found")?;
            let properties = instance.get_physical_device_properties(physical);
            let name = CStr::from_ptr(properties.device_name.as_ptr()).to_string_lossy().into_owned();
            let mut has12 = vk::PhysicalDeviceVulkan12Features::default();
            let mut has = vk::PhysicalDeviceFeatures2::default().push_next(&mut has12);
            instance.get_physical_device_features2(physical, &mut has);
            let mut properties12 = vk::PhysicalDeviceVulkan12Properties::default();
            let mut properties2 = vk::PhysicalDeviceProperties2::default().push_next(&mut properties12);
            instance.get_physical_device_properties2(physical, &mut properties2);
            // Without it a driver may compute as if there were no NaN, as NVIDIA's does in `fminc` and `fmaxc`.
            let preserve = properties12.shader_signed_zero_inf_nan_preserve_float32 != 0;
            let (dynamic, clip) =
                (has.features.shader_sampled_image_array_dynamic_indexing, has.features.shader_clip_distance);
            let vk::PhysicalDeviceFeatures {
                shader_float64,
                shader_int64,
                geometry_shader,
                tessellation_shader,
                vertex_pipeline_stores_and_atomics,
                ..
            } = has.features;
            let bindless = dynamic & has12.runtime_descriptor_array & has12.descriptor_binding_partially_bound != 0;
            let mut subgroup = vk::PhysicalDeviceVulkan11Properties::default();
            let mut properties2 = vk::PhysicalDeviceProperties2::default().push_next(&mut subgroup);
            instance.get_physical_device_properties2(physical, &mut properties2);
            let float64 = shader_float64 != 0;
            let int64 = shader_int64 & has12.shader_buffer_int64_atomics != 0;
            let shared_int64 = shader_int64 & has12.shader_shared_int64_atomics != 0;
            let there = instance.enumerate_device_extension_properties(physical).map_err(say)?;
            let has_extension = |name| there.iter().any(|extension| extension.extension_name_as_c_str() == Ok(name));
            let texels = ash::ext::shader_image_atomic_int64::NAME;
            let mut longs = vk::PhysicalDeviceShaderImageAtomicInt64FeaturesEXT::default();
            if has_extension(texels) {
                let mut all = vk::PhysicalDeviceFeatures2::default().push_next(&mut longs);
                instance.get_physical_device_features2(physical, &mut all);
            }
            let image_int64 = shader_int64 & longs.shader_image_int64_atomics != 0;
            let limits = properties.limits;
            // What is beyond the end of a buffer is not somebody else's memory, as little as for the guest.
            let features = vk::PhysicalDeviceFeatures::default()
                .robust_buffer_access(true)
                .geometry_shader(geometry_shader != 0)
                .tessellation_shader(tessellation_shader != 0)
                .vertex_pipeline_stores_and_atomics(vertex_pipeline_stores_and_atomics != 0)
                .shader_sampled_image_array_dynamic_indexing(bindless)
                .shader_clip_distance(clip != 0)
                .shader_float64(float64)
                .shader_int64(int64 || shared_int64 || image_int64)
                .shader_storage_image_read_without_format(true)
                .shader_storage_image_write_without_format(true);
            let mut features12 = vk::PhysicalDeviceVulkan12Features::default()
                .buffer_device_address(true)
                .shader_buffer_int64_atomics(int64)
                .shader_shared_int64_atomics(shared_int64)
                .runtime_descriptor_array(bindless)
                .descriptor_binding_partially_bound(bindless);
            let mut features13 = vk::PhysicalDeviceVulkan13Features::default()
                .dynamic_rendering(true)
                .synchronization2(true)
                .shader_demote_to_helper_invocation(true);
            let family = instance
                .get_physical_device_queue_family_properties(physical)
                .iter()
                .position(|f| f.queue_flags.contains(vk::QueueFlags::GRAPHICS))
                .ok_or("no graphics queue")? as u32;
            let queues = [vk::DeviceQueueCreateInfo::default().queue_family_index(family).queue_priorities(&[1.0])];
            let (captures, orders) = (ash::ext::transform_feedback::NAME, ash::ext::provoking_vertex::NAME);
            let has_feedback = has_extension(captures);
            let mut provoking = vk::PhysicalDeviceProvokingVertexFeaturesEXT::default();
            if has_extension(orders) {
                let mut all = vk::PhysicalDeviceFeatures2::default().push_next(&mut provoking);
                instance.get_physical_device_features2(physical, &mut all);
            }
            let provoking_last =
                provoking.provoking_vertex_last & provoking.transform_feedback_preserves_provoking_vertex != 0;
            let mut extensions = if has_feedback { vec![captures.as_ptr()] } else { Vec::new() };
            extensions.extend(provoking_last.then_some(orders.as_ptr()));
            extensions.extend(image_int64.then_some(texels.as_ptr()));
            let mut streams = vk::PhysicalDeviceTransformFeedbackFeaturesEXT::default()
                .transform_feedback(has_feedback)
                .geometry_streams(has_feedback);
            let mut info = vk::DeviceCreateInfo::default()
                .queue_create_infos(&queues)
                .enabled_features(&features)
                .enabled_extension_names(&extensions)
                .push_next(&mut features12)
                .push_next(&mut features13);
            if has_feedback {
                info = info.push_next(&mut streams);
            }
            let mut provoking = vk::PhysicalDeviceProvokingVertexFeaturesEXT::default()
                .provoking_vertex_last(true)
                .transform_feedback_preserves_provoking_vertex(true);
            if provoking_last {
                info = info.push_next(&mut provoking);
            }
            let mut longs =
                vk::PhysicalDeviceShaderImageAtomicInt64FeaturesEXT::default().shader_image_int64_atomics(true);
            if image_int64 {
                info = info.push_next(&mut longs);
            }
            let shuffle = subgroup.subgroup_supported_operations.contains(vk::SubgroupFeatureFlags::SHUFFLE);
            let vertex_layer = has12.shader_output_layer & has12.shader_output_viewport_index != 0;
            let features = Features {
                float64,
                int64_atomics: int64,
                shared_int64_atomics: shared_int64,
                image_int64_atomics: image_int64,
                shuffle,
                vertex_layer,
                stencil_export: false,
                interlock: false,
                geometry: geometry_shader != 0,
                streams: has_feedback,
                tables: false,
                feedback: has_feedback,
            };
            let device = instance.create_device(physical, &info, None).map_err(say)?;
            let feedback = has_feedback.then(|| ash::ext::transform_feedback::Device::new(&instance, &device));
            let pool = vk::CommandPoolCreateInfo::default().queue_family_index(family);
            let pool = device.create_command_pool(&pool, None).map_err(say)?;
            Ok(Gpu {
                queue: device.get_device_queue(family, 0),
                memory: instance.get_physical_device_memory_properties(physical),
                subgroup: subgroup.subgroup_size,
                group: (limits.max_compute_work_group_invocations, limits.max_compute_shared_memory_size),
                feedback,
                provoking_last,
                options: Options { bindless, preserve, debug_names: false, features },
                entry,
                device,
                pool,
                name,
            })
        }
    }

    pub(crate) fn memory_type(&self, bits: u32, flags: vk::MemoryPropertyFlags) -> u32 {
        let fits = |(i, t): (usize, &vk::MemoryType)| bits >> i & 1 != 0 && t.property_flags.contains(flags);
        let types = self.memory.memory_types_as_slice();
        types.iter().enumerate().position(fits).expect("memory for buffers and images") as u32
    }

    /// A buffer whose memory the host can read and write.
    pub(crate) fn buffer(&self, size: u64, usage: vk::BufferUsageFlags) -> Result<Buffer> {
        let size = size.max(16);
        let info = vk::BufferCreateInfo::default().size(size).usage(usage);
        // SAFETY: the device is valid, and the memory is bound once, to the buffer that it was allocated for.
        unsafe {
            let buffer = self.device.create_buffer(&info, None)?;
            let need = self.device.get_buffer_memory_requirements(buffer);
            let host = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
            let mut flags = vk::MemoryAllocateFlagsInfo::default().flags(vk::MemoryAllocateFlags::DEVICE_ADDRESS);
            let info = vk::MemoryAllocateInfo::default()
                .allocation_size(need.size)
                .memory_type_index(self.memory_type(need.memory_type_bits, host))
                .push_next(&mut flags);
            let memory = self.device.allocate_memory(&info, None)?;
            self.device.bind_buffer_memory(buffer, memory, 0)?;
            Ok(Buffer { buffer, memory, size })
        }
    }

    /// A buffer with these bytes.
    pub(crate) fn filled(&self, bytes: &[u8], usage: vk::BufferUsageFlags) -> Result<Buffer> {
        let buffer = self.buffer(bytes.len() as u64, usage)?;
        // SAFETY: the mapping is as long as the slice, and ends before the memory is used.
        unsafe {
            let at = self.device.map_memory(buffer.memory, 0, buffer.size, vk::MemoryMapFlags::empty())?;
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), at.cast(), bytes.len());
            self.device.unmap_memory(buffer.memory);
            Ok(buffer)
        }
    }

    /// A buffer of registers and its address.
    pub(crate) fn registers(&self, registers: &[[u32; 4]]) -> Result<(Buffer, u64)> {
        let usage = vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS;
        let buffer = self.filled(bytemuck::cast_slice(registers), usage)?;
        let info = vk::BufferDeviceAddressInfo::default().buffer(buffer.buffer);
        // SAFETY: the buffer was made for it.
        let address = unsafe { self.device.get_buffer_device_address(&info) };
        Ok((buffer, address))
    }

    /// What the device has written to a buffer.
    pub(crate) fn read(&self, buffer: &Buffer) -> Result<Vec<u32>> {
        // SAFETY: the memory is as long as the buffer, and nothing writes to it: submissions are waited for.
        unsafe {
            let at = self.device.map_memory(buffer.memory, 0, buffer.size, vk::MemoryMapFlags::empty())?;
            let words = std::slice::from_raw_parts(at.cast::<u32>(), buffer.size as usize / 4).to_vec();
            self.device.unmap_memory(buffer.memory);
            Ok(words)
        }
    }

    /// Destroys a buffer.
    pub(crate) fn free(&self, buffer: Buffer) {
        // SAFETY: submissions are waited for, so nothing uses the buffer any more.
        unsafe {
            self.device.destroy_buffer(buffer.buffer, None);
            self.device.free_memory(buffer.memory, None);
        }
    }

    /// An image of nothing yet.
    pub(crate) fn image(&self, shape: Shape) -> Result<Image> {
        let cube = shape.view == vk::ImageViewType::CUBE;
        let volume = shape.view == vk::ImageViewType::TYPE_3D;
        let info = vk::ImageCreateInfo::default()
            .flags(if cube { vk::ImageCreateFlags::CUBE_COMPATIBLE } else { vk::ImageCreateFlags::empty() })
            .image_type(if volume { vk::ImageType::TYPE_3D } else { vk::ImageType::TYPE_2D })
            .format(shape.format)
            .extent(shape.extent)
            .mip_levels(shape.levels)
            .array_layers(shape.layers())
            .samples(vk::SampleCountFlags::TYPE_1)
            .usage(shape.usage);
        // SAFETY: as for buffers.
        unsafe {
            let image = self.device.create_image(&info, None)?;
            let need = self.device.get_image_memory_requirements(image);
            let info = vk::MemoryAllocateInfo::default()
                .allocation_size(need.size)
                .memory_type_index(self.memory_type(need.memory_type_bits, vk::MemoryPropertyFlags::empty()));
            let memory = self.device.allocate_memory(&info, None)?;
            self.device.bind_image_memory(image, memory, 0)?;
            let info = vk::ImageViewCreateInfo::default()
                .image(image)
                .view_type(shape.view)
                .format(shape.format)
                .subresource_range(shape.range());
            Ok(Image { image, memory, view: self.device.create_image_view(&info, None)?, shape })
        }
    }

    /// An image with the bytes that the copies put into it, in the layout `GENERAL`.
    ///
    /// # Safety
    /// The copies are within the bytes and the image.
    pub(crate) unsafe fn texture(&self, shape: Shape, bytes: &[u8], copies: &[vk::BufferImageCopy]) -> Result<Image> {
        let image = self.image(shape)?;
        let staging = self.filled(bytes, vk::BufferUsageFlags::TRANSFER_SRC)?;
        // SAFETY: see above; the buffer is freed after the submission is done.
        self.submit(|c| unsafe {
            self.to_general(c, &image);
            let layout = vk::ImageLayout::GENERAL;
            self.device.cmd_copy_buffer_to_image(c, staging.buffer, image.image, layout, copies);
            self.barrier(c);
        })?;
        self.free(staging);
        Ok(image)
    }

    /// Destroys an image.
    pub(crate) fn free_image(&self, image: Image) {
        // SAFETY: submissions are waited for, so nothing uses the image any more.
        unsafe {
            self.device.destroy_image_view(image.view, None);
            self.device.destroy_image(image.image, None);
            self.device.free_memory(image.memory, None);
        }
    }

    /// Runs the commands that `record` records, and waits for them, but not for ever.
    pub(crate) fn submit(&self, record: impl FnOnce(vk::CommandBuffer)) -> Result<()> {
        /// Nanoseconds: more than any of the tests' work takes on two busy cores.
        const PATIENCE: u64 = 120_000_000_000;
        let d = &self.device;
        // SAFETY: the command buffer and the fence are used once, and freed when the fence is signalled; where it never is, both are
        // left behind.
        unsafe {
            let info = vk::CommandBufferAllocateInfo::default().command_pool(self.pool).command_buffer_count(1);
            let commands = d.allocate_command_buffers(&info)?;
            d.begin_command_buffer(commands[0], &vk::CommandBufferBeginInfo::default())?;
            record(commands[0]);
            d.end_command_buffer(commands[0])?;
            let submit = vk::SubmitInfo::default().command_buffers(&commands);
            let fence = d.create_fence(&vk::FenceCreateInfo::default(), None)?;
            d.queue_submit(self.queue, &[submit], fence)?;
            d.wait_for_fences(&[fence], true, PATIENCE)?;
            d.destroy_fence(fence, None);
            d.free_command_buffers(self.pool, &commands);
            Ok(())
        }
    }

    /// Brings a new image into the layout `GENERAL`.
    ///
    /// # Safety
    /// `c` is being recorded, outside of rendering.
    pub(crate) unsafe fn to_general(&self, c: vk::CommandBuffer, image: &Image) {
        let barrier = [vk::ImageMemoryBarrier2::default()
            .src_stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS)
            .dst_stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS)
            .dst_access_mask(vk::AccessFlags2::MEMORY_READ | vk::AccessFlags2::MEMORY_WRITE)
            .new_layout(vk::ImageLayout::GENERAL)
            .image(image.image)
            .subresource_range(image.shape.range())];
        let info = vk::DependencyInfo::default().image_memory_barriers(&barrier);
        // SAFETY: see above.
        unsafe { self.device.cmd_pipeline_barrier2(c, &info) };
    }

    /// Lets what follows see what was written.
    ///
    /// # Safety
    /// `c` is being recorded, outside of rendering.
    pub(crate) unsafe fn barrier(&self, c: vk::CommandBuffer) {
        let all = vk::PipelineStageFlags2::ALL_COMMANDS;
        let barrier = [vk::MemoryBarrier2::default()
            .src_stage_mask(all)
            .src_access_mask(vk::AccessFlags2::MEMORY_WRITE)
            .dst_stage_mask(all)
            .dst_access_mask(vk::AccessFlags2::MEMORY_READ | vk::AccessFlags2::MEMORY_WRITE)];
        let info = vk::DependencyInfo::default().memory_barriers(&barrier);
        // SAFETY: see above.
        unsafe { self.device.cmd_pipeline_barrier2(c, &info) };
    }

    /// Copies the first level of a target to a buffer.
    ///
    /// # Safety
    /// `c` is being recorded, outside of rendering, and the buffer has room.
    pub(crate) unsafe fn copy_out(&self, c: vk::CommandBuffer, image: &Image, buffer: &Buffer, offset: u64) {
        let copy = vk::BufferImageCopy::default()
            .buffer_offset(offset)
            .image_subresource(image.shape.level(0))
            .image_extent(image.shape.extent);
        let layout = vk::ImageLayout::GENERAL;
        // SAFETY: see above.
        unsafe { self.device.cmd_copy_image_to_buffer(c, image.image, layout, buffer.buffer, &[copy]) };
    }
}

impl Drop for Gpu {
    fn drop(&mut self) {
        // Loader and instance stay: NVIDIA's driver must not be unloaded before the threads that used it have ended.
        std::mem::forget(self.entry.clone());
        // SAFETY: the queue is idle after every submission, and nothing else is left of the device.
        unsafe {
            self.device.destroy_command_pool(self.pool, None);
            self.device.destroy_device(None);
        }
    }
}
