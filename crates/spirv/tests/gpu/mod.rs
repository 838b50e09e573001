//! Draws rows of pixels with a shader pair of the shader ABI and reads the bits of the colour targets back. Nothing else: no
//! windows, no caches, and everything is made anew for each picture.

use std::ffi::CStr;

use afterimage_spirv::Options;
use ash::vk;

/// A texture of one texel in every slot of its kind.
pub(crate) const TEXEL: [f32; 4] = [0.25, 0.5, 0.75, 1.0];
/// Bytes of the push constants.
const PUSH: u32 = 128;
const SLOTS: u32 = 20;

/// What to draw.
pub(crate) struct Draw<'a> {
    pub(crate) vertex: &'a [u32],
    pub(crate) pixel: &'a [u32],
    pub(crate) vertex_constants: &'a [[u32; 4]],
    pub(crate) pixel_constants: &'a [[u32; 4]],
    /// Pixels in the row.
    pub(crate) width: u32,
    /// Formats of the colour targets, 16 bytes per pixel.
    pub(crate) formats: &'a [vk::Format],
}

/// What few tests need besides.
#[derive(Clone, Copy, Default)]
pub(crate) struct Extra<'a> {
    /// Specialisation constants of the pixel shader: number, bits.
    pub(crate) specs: &'a [(u32, u32)],
    /// The levels of a square 2D texture in place of the one of a single texel, the largest first.
    pub(crate) levels: &'a [Vec<[f32; 4]>],
}

pub(crate) struct Gpu {
    _entry: ash::Entry,
    instance: ash::Instance,
    pub(crate) device: ash::Device,
    queue: vk::Queue,
    memory: vk::PhysicalDeviceMemoryProperties,
    pool: vk::CommandPool,
    /// What the device can do.
    pub(crate) options: Options,
    pub(crate) name: String,
}

pub(crate) struct Buffer {
    pub(crate) buffer: vk::Buffer,
    pub(crate) memory: vk::DeviceMemory,
    pub(crate) size: u64,
}

struct Image {
    image: vk::Image,
    memory: vk::DeviceMemory,
    view: vk::ImageView,
}

type Result<T> = std::result::Result<T, vk::Result>;

impl Gpu {
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
            let dynamic = has.features.shader_sampled_image_array_dynamic_indexing;
            let bindless = dynamic & has12.runtime_descriptor_array & has12.descriptor_binding_partially_bound != 0;
            let features = vk::PhysicalDeviceFeatures::default()
                .shader_sampled_image_array_dynamic_indexing(bindless)
                .image_cube_array(false);
            let mut features12 = vk::PhysicalDeviceVulkan12Features::default()
                .buffer_device_address(true)
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
            let info = vk::DeviceCreateInfo::default()
                .queue_create_infos(&queues)
                .enabled_features(&features)
                .push_next(&mut features12)
                .push_next(&mut features13);
            let device = instance.create_device(physical, &info, None).map_err(say)?;
            let pool = vk::CommandPoolCreateInfo::default().queue_family_index(family);
            let pool = device.create_command_pool(&pool, None).map_err(say)?;
            Ok(Gpu {
                queue: device.get_device_queue(family, 0),
                memory: instance.get_physical_device_memory_properties(physical),
                options: Options { bindless, debug_names: false },
                _entry: entry,
                instance,
                device,
                pool,
                name,
            })
        }
    }

    /// Draws the row and returns the bits of each target's pixels.
    pub(crate) fn draw(&self, draw: &Draw<'_>) -> Vec<Vec<[u32; 4]>> {
        self.draw_with(draw, Extra::default())
    }

    /// As [`draw`](Gpu::draw), with what few tests need.
    pub(crate) fn draw_with(&self, draw: &Draw<'_>, extra: Extra<'_>) -> Vec<Vec<[u32; 4]>> {
        // SAFETY: every object below is made from this device, used in the order that Vulkan asks for, and destroyed after the
        // queue is idle.
        unsafe { self.try_draw(draw, extra) }.unwrap_or_else(|e| panic!("{}: {e}", self.name))
    }

    pub(crate) unsafe fn memory_type(&self, bits: u32, flags: vk::MemoryPropertyFlags) -> u32 {
        self.memory
            .memory_types_as_slice()
            .iter()
            .enumerate()
            .position(|(i, t)| bits >> i & 1 != 0 && t.property_flags.contains(flags))
            .expect("memory for buffers and images") as u32
    }

    pub(crate) unsafe fn buffer(&self, size: u64, usage: vk::BufferUsageFlags) -> Result<Buffer> {
        let info = vk::BufferCreateInfo::default().size(size.max(16)).usage(usage);
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
            Ok(Buffer { buffer, memory, size: size.max(16) })
        }
    }

    /// A buffer with these words.
    pub(crate) unsafe fn filled(&self, words: &[u32], usage: vk::BufferUsageFlags) -> Result<Buffer> {
        // SAFETY: the mapping is as long as the slice, and ends before the memory is used.
        unsafe {
            let buffer = self.buffer(words.len() as u64 * 4, usage)?;
            let at = self.device.map_memory(buffer.memory, 0, buffer.size, vk::MemoryMapFlags::empty())?;
            std::ptr::copy_nonoverlapping(words.as_ptr(), at.cast(), words.len());
            self.device.unmap_memory(buffer.memory);
            Ok(buffer)
        }
    }

    /// A buffer of registers and its address.
    unsafe fn registers(&self, registers: &[[u32; 4]]) -> Result<(Buffer, u64)> {
        // SAFETY: see `filled`.
        unsafe {
            let buffer = self.filled(registers.as_flattened(), vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS)?;
            let info = vk::BufferDeviceAddressInfo::default().buffer(buffer.buffer);
            let address = self.device.get_buffer_device_address(&info);
            Ok((buffer, address))
        }
    }

    /// What the device has written to a buffer.
    pub(crate) unsafe fn read(&self, buffer: &Buffer) -> Result<Vec<u32>> {
        // SAFETY: the memory is as long as the buffer, and nothing writes to it any more.
        unsafe {
            let at = self.device.map_memory(buffer.memory, 0, buffer.size, vk::MemoryMapFlags::empty())?;
            let words = std::slice::from_raw_parts(at.cast::<u32>(), buffer.size as usize / 4).to_vec();
            self.device.unmap_memory(buffer.memory);
            Ok(words)
        }
    }

    pub(crate) unsafe fn free(&self, buffer: Buffer) {
        // SAFETY: nothing uses the buffer any more.
        unsafe {
            self.device.destroy_buffer(buffer.buffer, None);
            self.device.free_memory(buffer.memory, None);
        }
    }

    /// Runs the commands that `record` records, and waits for them.
    pub(crate) unsafe fn submit(&self, record: impl FnOnce(vk::CommandBuffer)) -> Result<()> {
        let d = &self.device;
        // SAFETY: the command buffer is used once, and freed when the queue is idle.
        unsafe {
            let info = vk::CommandBufferAllocateInfo::default().command_pool(self.pool).command_buffer_count(1);
            let commands = d.allocate_command_buffers(&info)?;
            d.begin_command_buffer(commands[0], &vk::CommandBufferBeginInfo::default())?;
            record(commands[0]);
            d.end_command_buffer(commands[0])?;
            let submit = vk::SubmitInfo::default().command_buffers(&commands);
            d.queue_submit(self.queue, &[submit], vk::Fence::null())?;
            d.queue_wait_idle(self.queue)?;
            d.free_command_buffers(self.pool, &commands);
            Ok(())
        }
    }

    unsafe fn image(
        &self,
        format: vk::Format,
        extent: vk::Extent3D,
        view: vk::ImageViewType,
        usage: vk::ImageUsageFlags,
        levels: u32,
    ) -> Result<Image> {
        let cube = view == vk::ImageViewType::CUBE;
        let layers = if cube { 6 } else { 1 };
        let kind = if view == vk::ImageViewType::TYPE_3D { vk::ImageType::TYPE_3D } else { vk::ImageType::TYPE_2D };
        let info = vk::ImageCreateInfo::default()
            .flags(if cube { vk::ImageCreateFlags::CUBE_COMPATIBLE } else { vk::ImageCreateFlags::empty() })
            .image_type(kind)
            .format(format)
            .extent(extent)
            .mip_levels(levels)
            .array_layers(layers)
            .samples(vk::SampleCountFlags::TYPE_1)
            .usage(usage);
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
                .view_type(view)
                .format(format)
                .subresource_range(range(format, layers));
            Ok(Image { image, memory, view: self.device.create_image_view(&info, None)? })
        }
    }

    unsafe fn try_draw(&self, draw: &Draw<'_>, extra: Extra<'_>) -> Result<Vec<Vec<[u32; 4]>>> {
        let d = &self.device;
        // SAFETY: see `draw`.
        unsafe {
            let square = |side| vk::Extent3D { width: side, height: side, depth: 1 };
            let one = square(1);
            let levels = extra.levels.len() as u32;
            let side = extra.levels.first().map_or(1, |texels| texels.len().isqrt() as u32);
            let sampled = vk::ImageUsageFlags::SAMPLED | vk::ImageUsageFlags::TRANSFER_DST;
            let color = vk::Format::R32G32B32A32_SFLOAT;
            let textures = [
                self.image(color, square(side), vk::ImageViewType::TYPE_2D, sampled, levels.max(1))?,
                self.image(color, one, vk::ImageViewType::CUBE, sampled, 1)?,
                self.image(color, one, vk::ImageViewType::TYPE_3D, sampled, 1)?,
                self.image(vk::Format::D32_SFLOAT, one, vk::ImageViewType::TYPE_2D, sampled, 1)?,
            ];
            let texels: Vec<u32> = extra.levels.iter().flatten().flatten().map(|f| f.to_bits()).collect();
            let texels = self.filled(&texels, vk::BufferUsageFlags::TRANSFER_SRC)?;
            let clamp = vk::SamplerAddressMode::CLAMP_TO_EDGE;
            let sampler = vk::SamplerCreateInfo::default().address_mode_u(clamp).address_mode_v(clamp);
            let sampler = sampler.address_mode_w(clamp).max_lod(vk::LOD_CLAMP_NONE);
            let compare = sampler.compare_enable(true).compare_op(vk::CompareOp::ALWAYS);
            let samplers = [d.create_sampler(&sampler, None)?, d.create_sampler(&compare, None)?];
            let (set_layout, set_pool, set) = self.descriptors(&textures, samplers)?;
            let layouts = [set_layout];
            let both = vk::ShaderStageFlags::VERTEX | vk::ShaderStageFlags::FRAGMENT;
            let push = [vk::PushConstantRange::default().stage_flags(both).size(PUSH)];
            let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&layouts).push_constant_ranges(&push);
            let layout = d.create_pipeline_layout(&info, None)?;
            let pipeline = self.pipeline(draw, extra.specs, layout)?;
            let (vertex_buffer, vertex_address) = self.registers(draw.vertex_constants)?;
            let (pixel_buffer, pixel_address) = self.registers(draw.pixel_constants)?;

            let extent = vk::Extent3D { width: draw.width, height: 1, depth: 1 };
            let usage = vk::ImageUsageFlags::COLOR_ATTACHMENT | vk::ImageUsageFlags::TRANSFER_SRC;
            let mut targets = Vec::new();
            for &format in draw.formats {
                let image = self.image(format, extent, vk::ImageViewType::TYPE_2D, usage, 1)?;
                targets.push((image, self.buffer(draw.width as u64 * 16, vk::BufferUsageFlags::TRANSFER_DST)?));
            }

            self.submit(|c| {
                let general = |image: &Image, format, layers| {
                    let barrier = [vk::ImageMemoryBarrier2::default()
                        .src_stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS)
                        .dst_stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS)
                        .dst_access_mask(vk::AccessFlags2::MEMORY_READ | vk::AccessFlags2::MEMORY_WRITE)
                        .new_layout(vk::ImageLayout::GENERAL)
                        .image(image.image)
                        .subresource_range(range(format, layers))];
                    d.cmd_pipeline_barrier2(c, &vk::DependencyInfo::default().image_memory_barriers(&barrier));
                };
                for (i, texture) in textures.iter().enumerate() {
                    let (format, layers) =
                        (if i == 3 { vk::Format::D32_SFLOAT } else { color }, if i == 1 { 6 } else { 1 });
                    general(texture, format, layers);
                    let ranges = [range(format, layers)];
                    let layout = vk::ImageLayout::GENERAL;
                    if i == 0 && levels > 0 {
                        let mut offset = 0;
                        for (level, texels_of) in (0..).zip(extra.levels) {
                            let layers = vk::ImageSubresourceLayers::default()
                                .aspect_mask(vk::ImageAspectFlags::COLOR)
                                .mip_level(level)
                                .layer_count(1);
                            let copy = vk::BufferImageCopy::default()
                                .buffer_offset(offset)
                                .image_subresource(layers)
                                .image_extent(square((side >> level).max(1)));
                            d.cmd_copy_buffer_to_image(c, texels.buffer, texture.image, layout, &[copy]);
                            offset += texels_of.len() as u64 * 16;
                        }
                    } else if i == 3 {
                        let value = vk::ClearDepthStencilValue { depth: 0.5, stencil: 0 };
                        d.cmd_clear_depth_stencil_image(c, texture.image, layout, &value, &ranges);
                    } else {
                        let value = vk::ClearColorValue { float32: TEXEL };
                        d.cmd_clear_color_image(c, texture.image, layout, &value, &ranges);
                    }
                }
                for ((image, _), &format) in targets.iter().zip(draw.formats) {
                    general(image, format, 1);
                }
                self.barrier(c);
                let area = vk::Rect2D {
                    offset: vk::Offset2D::default(),
                    extent: vk::Extent2D { width: draw.width, height: 1 },
                };
                let attachments: Vec<_> = targets
                    .iter()
                    .map(|(image, _)| {
                        vk::RenderingAttachmentInfo::default()
                            .image_view(image.view)
                            .image_layout(vk::ImageLayout::GENERAL)
                            .load_op(vk::AttachmentLoadOp::CLEAR)
                            .store_op(vk::AttachmentStoreOp::STORE)
                    })
                    .collect();
                let rendering =
                    vk::RenderingInfo::default().render_area(area).layer_count(1).color_attachments(&attachments);
                d.cmd_begin_rendering(c, &rendering);
                d.cmd_bind_pipeline(c, vk::PipelineBindPoint::GRAPHICS, pipeline);
                d.cmd_bind_descriptor_sets(c, vk::PipelineBindPoint::GRAPHICS, layout, 0, &[set], &[]);
                let mut words = [0u32; PUSH as usize / 4];
                words[0..2].copy_from_slice(bytemuck::cast_slice(&[vertex_address]));
                words[2..4].copy_from_slice(bytemuck::cast_slice(&[pixel_address]));
                for slot in 0..SLOTS {
                    // The compare sampler is the last one, for the slot of the shadow texture.
                    words[8 + slot as usize] = slot | slot << afterimage_spirv::TEXTURE_INDEX_BITS;
                }
                d.cmd_push_constants(c, layout, both, 0, bytemuck::cast_slice(&words));
                d.cmd_draw(c, 3, 1, 0, 0);
                d.cmd_end_rendering(c);
                self.barrier(c);
                for (image, buffer) in &targets {
                    let layers =
                        vk::ImageSubresourceLayers::default().aspect_mask(vk::ImageAspectFlags::COLOR).layer_count(1);
                    let copy = vk::BufferImageCopy::default().image_subresource(layers).image_extent(extent);
                    d.cmd_copy_image_to_buffer(c, image.image, vk::ImageLayout::GENERAL, buffer.buffer, &[copy]);
                }
            })?;
            let pictures = targets.iter().map(|(_, buffer)| Ok(self.read(buffer)?.as_chunks().0.to_vec()));
            let pictures = pictures.collect::<Result<Vec<_>>>()?;

            d.destroy_pipeline(pipeline, None);
            d.destroy_pipeline_layout(layout, None);
            d.destroy_descriptor_pool(set_pool, None);
            d.destroy_descriptor_set_layout(set_layout, None);
            samplers.iter().for_each(|&s| d.destroy_sampler(s, None));
            let (images, buffers): (Vec<Image>, Vec<Buffer>) = targets.into_iter().unzip();
            for image in images.into_iter().chain(textures) {
                d.destroy_image_view(image.view, None);
                d.destroy_image(image.image, None);
                d.free_memory(image.memory, None);
            }
            buffers.into_iter().chain([vertex_buffer, pixel_buffer, texels]).for_each(|buffer| self.free(buffer));
            Ok(pictures)
        }
    }

    pub(crate) unsafe fn barrier(&self, c: vk::CommandBuffer) {
        let all = vk::PipelineStageFlags2::ALL_COMMANDS;
        let barrier = [vk::MemoryBarrier2::default()
            .src_stage_mask(all)
            .src_access_mask(vk::AccessFlags2::MEMORY_WRITE)
            .dst_stage_mask(all)
            .dst_access_mask(vk::AccessFlags2::MEMORY_READ | vk::AccessFlags2::MEMORY_WRITE)];
        let info = vk::DependencyInfo::default().memory_barriers(&barrier);
        // SAFETY: the command buffer is being recorded, outside of rendering.
        unsafe { self.device.cmd_pipeline_barrier2(c, &info) };
    }

    /// Descriptor set 0 of the shader ABI. In slot 3 there is the shadow texture, elsewhere the plain ones.
    unsafe fn descriptors(
        &self,
        textures: &[Image; 4],
        samplers: [vk::Sampler; 2],
    ) -> Result<(vk::DescriptorSetLayout, vk::DescriptorPool, vk::DescriptorSet)> {
        let d = &self.device;
        let (image, sampler) = (vk::DescriptorType::SAMPLED_IMAGE, vk::DescriptorType::SAMPLER);
        let bindings: Vec<_> = [image, image, image, sampler]
            .into_iter()
            .zip(0..)
            .map(|(ty, binding)| {
                vk::DescriptorSetLayoutBinding::default()
                    .binding(binding)
                    .descriptor_type(ty)
                    .descriptor_count(SLOTS)
                    .stage_flags(vk::ShaderStageFlags::VERTEX | vk::ShaderStageFlags::FRAGMENT)
            })
            .collect();
        let sizes = [
            vk::DescriptorPoolSize { ty: image, descriptor_count: 3 * SLOTS },
            vk::DescriptorPoolSize { ty: sampler, descriptor_count: SLOTS },
        ];
        // SAFETY: see `draw`.
        unsafe {
            let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
            let layout = d.create_descriptor_set_layout(&info, None)?;
            let info = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&sizes);
            let pool = d.create_descriptor_pool(&info, None)?;
            let layouts = [layout];
            let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts);
            let set = d.allocate_descriptor_sets(&info)?[0];
            for slot in 0..SLOTS {
                let shadow = slot % 16 == 3;
                let flat = if shadow { &textures[3] } else { &textures[0] };
                for (binding, view) in [flat.view, textures[1].view, textures[2].view].into_iter().enumerate() {
                    let info =
                        [vk::DescriptorImageInfo::default().image_view(view).image_layout(vk::ImageLayout::GENERAL)];
                    let write = vk::WriteDescriptorSet::default()
                        .dst_set(set)
                        .dst_binding(binding as u32)
                        .dst_array_element(slot)
                        .descriptor_type(image)
                        .image_info(&info);
                    d.update_descriptor_sets(&[write], &[]);
                }
                let info = [vk::DescriptorImageInfo::default().sampler(samplers[shadow as usize])];
                let write = vk::WriteDescriptorSet::default()
                    .dst_set(set)
                    .dst_binding(3)
                    .dst_array_element(slot)
                    .descriptor_type(sampler)
                    .image_info(&info);
                d.update_descriptor_sets(&[write], &[]);
            }
            Ok((layout, pool, set))
        }
    }

    unsafe fn pipeline(
        &self,
        draw: &Draw<'_>,
        specs: &[(u32, u32)],
        layout: vk::PipelineLayout,
    ) -> Result<vk::Pipeline> {
        let d = &self.device;
        // SAFETY: see `draw`; the modules are valid SPIR-V, which `validate.rs` checks.
        unsafe {
            let module = |words| d.create_shader_module(&vk::ShaderModuleCreateInfo::default().code(words), None);
            let (vertex, pixel) = (module(draw.vertex)?, module(draw.pixel)?);
            let stage =
                |module, stage| vk::PipelineShaderStageCreateInfo::default().module(module).stage(stage).name(c"main");
            let values: Vec<u32> = specs.iter().map(|spec| spec.1).collect();
            let entries: Vec<_> = (0..)
                .zip(specs)
                .map(|(n, spec)| vk::SpecializationMapEntry { constant_id: spec.0, offset: n * 4, size: 4 })
                .collect();
            let special = vk::SpecializationInfo::default().map_entries(&entries).data(bytemuck::cast_slice(&values));
            let stages = [
                stage(vertex, vk::ShaderStageFlags::VERTEX),
                stage(pixel, vk::ShaderStageFlags::FRAGMENT).specialization_info(&special),
            ];
            let input = vk::PipelineVertexInputStateCreateInfo::default();
            let assembly =
                vk::PipelineInputAssemblyStateCreateInfo::default().topology(vk::PrimitiveTopology::TRIANGLE_LIST);
            let extent = vk::Extent2D { width: draw.width, height: 1 };
            let viewports =
                [vk::Viewport { width: draw.width as f32, height: 1.0, max_depth: 1.0, ..Default::default() }];
            let scissors = [vk::Rect2D { extent, ..Default::default() }];
            let viewport = vk::PipelineViewportStateCreateInfo::default().viewports(&viewports).scissors(&scissors);
            let raster = vk::PipelineRasterizationStateCreateInfo::default().line_width(1.0);
            let samples =
                vk::PipelineMultisampleStateCreateInfo::default().rasterization_samples(vk::SampleCountFlags::TYPE_1);
            let write =
                vk::PipelineColorBlendAttachmentState::default().color_write_mask(vk::ColorComponentFlags::RGBA);
            let writes = vec![write; draw.formats.len()];
            let blend = vk::PipelineColorBlendStateCreateInfo::default().attachments(&writes);
            let mut rendering = vk::PipelineRenderingCreateInfo::default().color_attachment_formats(draw.formats);
            let info = vk::GraphicsPipelineCreateInfo::default()
                .stages(&stages)
                .vertex_input_state(&input)
                .input_assembly_state(&assembly)
                .viewport_state(&viewport)
                .rasterization_state(&raster)
                .multisample_state(&samples)
                .color_blend_state(&blend)
                .layout(layout)
                .push_next(&mut rendering);
            let made = d.create_graphics_pipelines(vk::PipelineCache::null(), &[info], None);
            d.destroy_shader_module(vertex, None);
            d.destroy_shader_module(pixel, None);
            Ok(made.map_err(|(_, e)| e)?[0])
        }
    }
}

impl Drop for Gpu {
    fn drop(&mut self) {
        // SAFETY: the queue is idle after every draw, and nothing else is left of the device.
        unsafe {
            self.device.destroy_command_pool(self.pool, None);
            self.device.destroy_device(None);
            self.instance.destroy_instance(None);
        }
    }
}

fn range(format: vk::Format, layers: u32) -> vk::ImageSubresourceRange {
    let depth = format == vk::Format::D32_SFLOAT;
    vk::ImageSubresourceRange::default()
        .aspect_mask(if depth { vk::ImageAspectFlags::DEPTH } else { vk::ImageAspectFlags::COLOR })
        .level_count(vk::REMAINING_MIP_LEVELS)
        .layer_count(layers)
}
