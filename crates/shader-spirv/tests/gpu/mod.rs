//! Draws a pair of SPIR-V shaders with any descriptors and reads two colour targets back. Nothing else: no windows, no caches,
//! and all but the textures is made anew for each picture.

use ash::vk;

/// Pixels of the targets.
pub(crate) const WIDTH: u32 = 16;
/// Pixels of the targets.
pub(crate) const HEIGHT: u32 = 16;
/// Bytes of a vertex: two vectors of floats, one of integers, at locations 0 to 2.
const VERTEX: u32 = 48;
/// Nanoseconds that a picture may take.
const PATIENCE: u64 = 20_000_000_000;

/// The textures that there are. The bits are made of coordinates, so that each texel is another colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(usize)]
pub(crate) enum Texture {
    /// 4 x 4 texels with two levels.
    Flat,
    /// Another one.
    Other,
    Cube,
    Solid,
    /// Depths.
    Shade,
}

impl Texture {
    const ALL: [Texture; 5] = [Texture::Flat, Texture::Other, Texture::Cube, Texture::Solid, Texture::Shade];
}

/// What is bound.
pub(crate) enum Resource<'a> {
    Uniform(&'a [u8]),
    Combined(Texture),
    Images(Vec<Texture>),
    /// Whether each compares.
    Samplers(Vec<bool>),
}

/// What to draw.
pub(crate) struct Scene<'a> {
    pub(crate) vertex: &'a [u32],
    pub(crate) pixel: &'a [u32],
    /// Set, binding and what is there.
    pub(crate) bindings: Vec<(u32, u32, Resource<'a>)>,
    pub(crate) push: [u8; 128],
    /// Registers whose addresses go into the push constants at bytes 0 and 8.
    pub(crate) registers: Option<[&'a [[u32; 4]]; 2]>,
    /// Vertices for points; without, one triangle.
    pub(crate) points: Option<&'a [u8]>,
    /// Specialisation constants.
    pub(crate) specs: &'a [(u32, u32)],
}

/// Bits of each target's pixels.
pub(crate) type Picture = [Vec<[u32; 4]>; 2];

const FORMATS: [vk::Format; 2] = [vk::Format::R32G32B32A32_SFLOAT, vk::Format::R32G32B32A32_UINT];
const BOTH: vk::ShaderStageFlags =
    vk::ShaderStageFlags::from_raw(vk::ShaderStageFlags::VERTEX.as_raw() | vk::ShaderStageFlags::FRAGMENT.as_raw());

struct Image {
    image: vk::Image,
    memory: vk::DeviceMemory,
    view: vk::ImageView,
}

struct Buffer {
    buffer: vk::Buffer,
    memory: vk::DeviceMemory,
    size: u64,
}

type Result<T> = std::result::Result<T, vk::Result>;

pub(crate) struct Gpu {
    _entry: ash::Entry,
    instance: ash::Instance,
    device: ash::Device,
    queue: vk::Queue,
    memory: vk::PhysicalDeviceMemoryProperties,
    pool: vk::CommandPool,
    textures: Vec<Image>,
    samplers: [vk::Sampler; 2],
}

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
        // SAFETY: all pointers in the structures here are to locals that live through the calls, and every handle comes from
        // the instance or device that it is used with.
        unsafe {
            let instance = entry.create_instance(&info, None).map_err(say)?;
            let physical = instance
                .enumerate_physical_devices()
                .map_err(say)?
                .into_iter()
                .find(|&p| instance.get_physical_device_properties(p).api_version >= vk::API_VERSION_1_3)
                .ok_or("none found")?;
            let features = vk::PhysicalDeviceFeatures::default().shader_clip_distance(true);
            let mut features12 = vk::PhysicalDeviceVulkan12Features::default().buffer_device_address(true);
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
            let edge = vk::SamplerAddressMode::REPEAT;
            let sampler = vk::SamplerCreateInfo::default()
                .address_mode_u(edge)
                .address_mode_v(edge)
                .address_mode_w(edge)
                .mag_filter(vk::Filter::NEAREST)
                .min_filter(vk::Filter::NEAREST)
                .mipmap_mode(vk::SamplerMipmapMode::NEAREST)
                .max_lod(8.0);
            let compare = sampler.compare_enable(true).compare_op(vk::CompareOp::LESS);
            let samplers = [
                device.create_sampler(&sampler, None).map_err(say)?,
                device.create_sampler(&compare, None).map_err(say)?,
            ];
            let mut gpu = Gpu {
                queue: device.get_device_queue(family, 0),
                memory: instance.get_physical_device_memory_properties(physical),
                _entry: entry,
                instance,
                device,
                pool,
                textures: Vec::new(),
                samplers,
            };
            for texture in Texture::ALL {
                let image = gpu.texture(texture).map_err(say)?;
                gpu.textures.push(image);
            }
            Ok(gpu)
        }
    }

    fn memory_type(&self, bits: u32, flags: vk::MemoryPropertyFlags) -> u32 {
        let fits = |(i, t): (usize, &vk::MemoryType)| bits >> i & 1 != 0 && t.property_flags.contains(flags);
        self.memory.memory_types_as_slice().iter().enumerate().position(fits).expect("memory for buffers and images")
            as u32
    }

    /// A buffer with these bytes, and its address.
    fn buffer(&self, bytes: &[u8], size: u64, usage: vk::BufferUsageFlags) -> Result<(Buffer, u64)> {
        let usage = usage | vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS;
        let size = size.max(bytes.len() as u64).max(16);
        let info = vk::BufferCreateInfo::default().size(size).usage(usage);
        // SAFETY: the memory is bound once, to the buffer that it was allocated for, and the mapping is as long as the bytes.
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
            let at = self.device.map_memory(memory, 0, size, vk::MemoryMapFlags::empty())?;
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), at.cast(), bytes.len());
            self.device.unmap_memory(memory);
            let address = self.device.get_buffer_device_address(&vk::BufferDeviceAddressInfo::default().buffer(buffer));
            Ok((Buffer { buffer, memory, size }, address))
        }
    }

    fn image(
        &self,
        format: vk::Format,
        extent: vk::Extent3D,
        levels: u32,
        view: vk::ImageViewType,
        usage: vk::ImageUsageFlags,
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
                .subresource_range(range(format));
            Ok(Image { image, memory, view: self.device.create_image_view(&info, None)? })
        }
    }

    fn texture(&self, texture: Texture) -> Result<Image> {
        let (format, side, depth, levels, layers, view) = match texture {
            Texture::Flat | Texture::Other => (vk::Format::R8G8B8A8_UNORM, 4, 1, 2, 1, vk::ImageViewType::TYPE_2D),
            Texture::Cube => (vk::Format::R8G8B8A8_UNORM, 2, 1, 1, 6, vk::ImageViewType::CUBE),
            Texture::Solid => (vk::Format::R8G8B8A8_UNORM, 2, 2, 1, 1, vk::ImageViewType::TYPE_3D),
            Texture::Shade => (vk::Format::D32_SFLOAT, 4, 1, 1, 1, vk::ImageViewType::TYPE_2D),
        };
        let extent = vk::Extent3D { width: side, height: side, depth };
        let usage = vk::ImageUsageFlags::SAMPLED | vk::ImageUsageFlags::TRANSFER_DST;
        let image = self.image(format, extent, levels, view, usage)?;
        let mut bytes = Vec::new();
        let mut copies = Vec::new();
        for level in 0..levels {
            let side = side >> level;
            let aspect = if format == vk::Format::D32_SFLOAT {
                vk::ImageAspectFlags::DEPTH
            } else {
                vk::ImageAspectFlags::COLOR
            };
            let layers_of =
                vk::ImageSubresourceLayers::default().aspect_mask(aspect).mip_level(level).layer_count(layers);
            copies.push(
                vk::BufferImageCopy::default()
                    .buffer_offset(bytes.len() as u64)
                    .image_subresource(layers_of)
                    .image_extent(vk::Extent3D { width: side, height: side, depth }),
            );
            for texel in 0..side * side * depth * layers {
                let number = texel * 7 + level * 91 + texture as u32 * 53;
                let word = if texture == Texture::Shade {
                    ((number % 16) as f32 / 16.0).to_bits()
                } else {
                    number.wrapping_mul(2_654_435_761)
                };
                bytes.extend_from_slice(&word.to_le_bytes());
            }
        }
        let (staging, _) = self.buffer(&bytes, 0, vk::BufferUsageFlags::TRANSFER_SRC)?;
        self.submit(|c| {
            self.general(c, &image, format);
            // SAFETY: the command buffer is being recorded, and the copies are within buffer and image.
            unsafe {
                self.device.cmd_copy_buffer_to_image(c, staging.buffer, image.image, vk::ImageLayout::GENERAL, &copies);
            }
            self.barrier(c);
        })?;
        self.free(vec![], vec![staging]);
        Ok(image)
    }

    /// Records commands, runs them and waits for their end.
    fn submit(&self, record: impl FnOnce(vk::CommandBuffer)) -> Result<()> {
        let d = &self.device;
        let info = vk::CommandBufferAllocateInfo::default().command_pool(self.pool).command_buffer_count(1);
        // SAFETY: the command buffer is this function's own and is freed after its end.
        unsafe {
            let c = d.allocate_command_buffers(&info)?[0];
            d.begin_command_buffer(c, &vk::CommandBufferBeginInfo::default())?;
            record(c);
            d.end_command_buffer(c)?;
            let fence = d.create_fence(&vk::FenceCreateInfo::default(), None)?;
            let commands = [c];
            d.queue_submit(self.queue, &[vk::SubmitInfo::default().command_buffers(&commands)], fence)?;
            d.wait_for_fences(&[fence], true, PATIENCE)?;
            d.destroy_fence(fence, None);
            d.free_command_buffers(self.pool, &commands);
        }
        Ok(())
    }

    fn general(&self, c: vk::CommandBuffer, image: &Image, format: vk::Format) {
        let barrier = [vk::ImageMemoryBarrier2::default()
            .src_stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS)
            .dst_stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS)
            .dst_access_mask(vk::AccessFlags2::MEMORY_READ | vk::AccessFlags2::MEMORY_WRITE)
            .new_layout(vk::ImageLayout::GENERAL)
            .image(image.image)
            .subresource_range(range(format))];
        // SAFETY: the command buffer is being recorded, outside of rendering.
        unsafe { self.device.cmd_pipeline_barrier2(c, &vk::DependencyInfo::default().image_memory_barriers(&barrier)) };
    }

    fn barrier(&self, c: vk::CommandBuffer) {
        let all = vk::PipelineStageFlags2::ALL_COMMANDS;
        let barrier = [vk::MemoryBarrier2::default()
            .src_stage_mask(all)
            .src_access_mask(vk::AccessFlags2::MEMORY_WRITE)
            .dst_stage_mask(all)
            .dst_access_mask(vk::AccessFlags2::MEMORY_READ | vk::AccessFlags2::MEMORY_WRITE)];
        // SAFETY: the command buffer is being recorded, outside of rendering.
        unsafe { self.device.cmd_pipeline_barrier2(c, &vk::DependencyInfo::default().memory_barriers(&barrier)) };
    }

    fn free(&self, images: Vec<Image>, buffers: Vec<Buffer>) {
        // SAFETY: nothing on the queue uses them any more: every submission was waited for.
        unsafe {
            for image in images {
                self.device.destroy_image_view(image.view, None);
                self.device.destroy_image(image.image, None);
                self.device.free_memory(image.memory, None);
            }
            for buffer in buffers {
                self.device.destroy_buffer(buffer.buffer, None);
                self.device.free_memory(buffer.memory, None);
            }
        }
    }

    /// Draws the scene and returns the bits of each target's pixels.
    pub(crate) fn draw(&self, scene: &Scene<'_>) -> Picture {
        self.try_draw(scene).unwrap_or_else(|e| panic!("drawing: {e}"))
    }

    fn try_draw(&self, scene: &Scene<'_>) -> Result<Picture> {
        let d = &self.device;
        let mut buffers = Vec::new();
        let mut push = scene.push;
        if let Some(registers) = scene.registers {
            for (stage, registers) in registers.into_iter().enumerate() {
                let (buffer, address) =
                    self.buffer(bytemuck::cast_slice(registers), 0, vk::BufferUsageFlags::empty())?;
                push[stage * 8..][..8].copy_from_slice(&address.to_le_bytes());
                buffers.push(buffer);
            }
        }
        let vertices = match scene.points {
            Some(bytes) => Some(self.buffer(bytes, 0, vk::BufferUsageFlags::VERTEX_BUFFER)?.0),
            None => None,
        };
        let extent = vk::Extent3D { width: WIDTH, height: HEIGHT, depth: 1 };
        let usage = vk::ImageUsageFlags::COLOR_ATTACHMENT | vk::ImageUsageFlags::TRANSFER_SRC;
        let mut targets = Vec::new();
        for format in FORMATS {
            let image = self.image(format, extent, 1, vk::ImageViewType::TYPE_2D, usage)?;
            let size = u64::from(WIDTH * HEIGHT) * 16;
            targets.push((image, self.buffer(&[], size, vk::BufferUsageFlags::TRANSFER_DST)?.0));
        }
        // SAFETY: every object below is made from this device, used in the order that Vulkan asks for, and destroyed after the
        // queue is idle; the modules are valid SPIR-V.
        unsafe {
            let (layouts, pool, sets) = self.descriptors(scene, &mut buffers)?;
            let ranges = [vk::PushConstantRange::default().stage_flags(BOTH).size(128)];
            let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&layouts).push_constant_ranges(&ranges);
            let layout = d.create_pipeline_layout(&info, None)?;
            let pipeline = self.pipeline(scene, layout)?;
            self.submit(|c| {
                for ((image, _), format) in targets.iter().zip(FORMATS) {
                    self.general(c, image, format);
                }
                let area = vk::Rect2D { extent: vk::Extent2D { width: WIDTH, height: HEIGHT }, ..Default::default() };
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
                if !sets.is_empty() {
                    d.cmd_bind_descriptor_sets(c, vk::PipelineBindPoint::GRAPHICS, layout, 0, &sets, &[]);
                }
                d.cmd_push_constants(c, layout, BOTH, 0, &push);
                match (&vertices, scene.points) {
                    (Some(buffer), Some(bytes)) => {
                        d.cmd_bind_vertex_buffers(c, 0, &[buffer.buffer], &[0]);
                        d.cmd_draw(c, bytes.len() as u32 / VERTEX, 2, 0, 0);
                    }
                    _ => d.cmd_draw(c, 3, 1, 0, 0),
                }
                d.cmd_end_rendering(c);
                self.barrier(c);
                for (image, buffer) in &targets {
                    let layers =
                        vk::ImageSubresourceLayers::default().aspect_mask(vk::ImageAspectFlags::COLOR).layer_count(1);
                    let copy = vk::BufferImageCopy::default().image_subresource(layers).image_extent(extent);
                    d.cmd_copy_image_to_buffer(c, image.image, vk::ImageLayout::GENERAL, buffer.buffer, &[copy]);
                }
            })?;
            let mut picture = Picture::default();
            for ((_, buffer), pixels) in targets.iter().zip(&mut picture) {
                let at = d.map_memory(buffer.memory, 0, buffer.size, vk::MemoryMapFlags::empty())?;
                *pixels = std::slice::from_raw_parts(at.cast::<[u32; 4]>(), (WIDTH * HEIGHT) as usize).to_vec();
                d.unmap_memory(buffer.memory);
            }
            d.destroy_pipeline(pipeline, None);
            d.destroy_pipeline_layout(layout, None);
            d.destroy_descriptor_pool(pool, None);
            layouts.iter().for_each(|&layout| d.destroy_descriptor_set_layout(layout, None));
            let (images, read): (Vec<Image>, Vec<Buffer>) = targets.into_iter().unzip();
            buffers.extend(read.into_iter().chain(vertices));
            self.free(images, buffers);
            Ok(picture)
        }
    }

    /// Sets 0 up to the last that the scene has.
    fn descriptors(
        &self,
        scene: &Scene<'_>,
        buffers: &mut Vec<Buffer>,
    ) -> Result<(Vec<vk::DescriptorSetLayout>, vk::DescriptorPool, Vec<vk::DescriptorSet>)> {
        let d = &self.device;
        let kind = |resource: &Resource<'_>| match resource {
            Resource::Uniform(_) => (vk::DescriptorType::UNIFORM_BUFFER, 1),
            Resource::Combined(_) => (vk::DescriptorType::COMBINED_IMAGE_SAMPLER, 1),
            Resource::Images(all) => (vk::DescriptorType::SAMPLED_IMAGE, all.len()),
            Resource::Samplers(all) => (vk::DescriptorType::SAMPLER, all.len()),
        };
        let count = scene.bindings.iter().map(|b| b.0 + 1).max().unwrap_or(0);
        let types = [
            vk::DescriptorType::UNIFORM_BUFFER,
            vk::DescriptorType::COMBINED_IMAGE_SAMPLER,
            vk::DescriptorType::SAMPLED_IMAGE,
            vk::DescriptorType::SAMPLER,
        ];
        let sizes = types.map(|ty| vk::DescriptorPoolSize { ty, descriptor_count: 64 });
        let mut layouts = Vec::new();
        // SAFETY: all pointers are to locals that live through the calls.
        unsafe {
            for set in 0..count {
                let bindings: Vec<_> = scene
                    .bindings
                    .iter()
                    .filter(|b| b.0 == set)
                    .map(|(_, binding, resource)| {
                        let (ty, count) = kind(resource);
                        vk::DescriptorSetLayoutBinding::default()
                            .binding(*binding)
                            .descriptor_type(ty)
                            .descriptor_count(count as u32)
                            .stage_flags(BOTH)
                    })
                    .collect();
                let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
                layouts.push(d.create_descriptor_set_layout(&info, None)?);
            }
            let info = vk::DescriptorPoolCreateInfo::default().max_sets(count.max(1)).pool_sizes(&sizes);
            let pool = d.create_descriptor_pool(&info, None)?;
            let mut sets = Vec::new();
            if count > 0 {
                let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts);
                sets = d.allocate_descriptor_sets(&info)?;
            }
            for (set, binding, resource) in &scene.bindings {
                let image = |texture: Texture, sampler: bool| {
                    vk::DescriptorImageInfo::default()
                        .image_view(self.textures[texture as usize].view)
                        .image_layout(vk::ImageLayout::GENERAL)
                        .sampler(self.samplers[sampler as usize])
                };
                let images: Vec<vk::DescriptorImageInfo> = match resource {
                    Resource::Uniform(_) => Vec::new(),
                    Resource::Combined(texture) => vec![image(*texture, *texture == Texture::Shade)],
                    Resource::Images(all) => all.iter().map(|&texture| image(texture, false)).collect(),
                    Resource::Samplers(all) => all.iter().map(|&compare| image(Texture::Flat, compare)).collect(),
                };
                let mut uniform = Vec::new();
                if let Resource::Uniform(bytes) = resource {
                    let (buffer, _) = self.buffer(bytes, 0, vk::BufferUsageFlags::UNIFORM_BUFFER)?;
                    uniform.push(vk::DescriptorBufferInfo::default().buffer(buffer.buffer).range(vk::WHOLE_SIZE));
                    buffers.push(buffer);
                }
                let mut write = vk::WriteDescriptorSet::default()
                    .dst_set(sets[*set as usize])
                    .dst_binding(*binding)
                    .descriptor_type(kind(resource).0);
                write = if uniform.is_empty() { write.image_info(&images) } else { write.buffer_info(&uniform) };
                d.update_descriptor_sets(&[write], &[]);
            }
            Ok((layouts, pool, sets))
        }
    }

    fn pipeline(&self, scene: &Scene<'_>, layout: vk::PipelineLayout) -> Result<vk::Pipeline> {
        let d = &self.device;
        let entries: Vec<_> = scene
            .specs
            .iter()
            .zip(0..)
            .map(|(&(id, _), at)| vk::SpecializationMapEntry { constant_id: id, offset: at * 4, size: 4 })
            .collect();
        let values: Vec<u32> = scene.specs.iter().map(|spec| spec.1).collect();
        let special = vk::SpecializationInfo::default().map_entries(&entries).data(bytemuck::cast_slice(&values));
        // SAFETY: all pointers are to locals that live through the calls.
        unsafe {
            let module = |words| d.create_shader_module(&vk::ShaderModuleCreateInfo::default().code(words), None);
            let (vertex, pixel) = (module(scene.vertex)?, module(scene.pixel)?);
            let stage = |module, stage| {
                vk::PipelineShaderStageCreateInfo::default()
                    .module(module)
                    .stage(stage)
                    .name(c"main")
                    .specialization_info(&special)
            };
            let stages = [stage(vertex, vk::ShaderStageFlags::VERTEX), stage(pixel, vk::ShaderStageFlags::FRAGMENT)];
            let attributes = [
                (vk::Format::R32G32B32A32_SFLOAT, 0),
                (vk::Format::R32G32B32A32_SFLOAT, 16),
                (vk::Format::R32G32B32A32_SINT, 32),
            ];
            let attributes: Vec<_> = attributes
                .into_iter()
                .zip(0..)
                .map(|((format, offset), location)| vk::VertexInputAttributeDescription {
                    location,
                    binding: 0,
                    format,
                    offset,
                })
                .collect();
            let bindings = [vk::VertexInputBindingDescription::default().stride(VERTEX)];
            let mut input = vk::PipelineVertexInputStateCreateInfo::default();
            let mut topology = vk::PrimitiveTopology::TRIANGLE_LIST;
            if scene.points.is_some() {
                input = input.vertex_attribute_descriptions(&attributes).vertex_binding_descriptions(&bindings);
                topology = vk::PrimitiveTopology::POINT_LIST;
            }
            let assembly = vk::PipelineInputAssemblyStateCreateInfo::default().topology(topology);
            let size = vk::Extent2D { width: WIDTH, height: HEIGHT };
            let viewports =
                [vk::Viewport { width: WIDTH as f32, height: HEIGHT as f32, max_depth: 1.0, ..Default::default() }];
            let scissors = [vk::Rect2D { extent: size, ..Default::default() }];
            let viewport = vk::PipelineViewportStateCreateInfo::default().viewports(&viewports).scissors(&scissors);
            let raster = vk::PipelineRasterizationStateCreateInfo::default().line_width(1.0);
            let samples =
                vk::PipelineMultisampleStateCreateInfo::default().rasterization_samples(vk::SampleCountFlags::TYPE_1);
            let write =
                vk::PipelineColorBlendAttachmentState::default().color_write_mask(vk::ColorComponentFlags::RGBA);
            let writes = [write; 2];
            let blend = vk::PipelineColorBlendStateCreateInfo::default().attachments(&writes);
            let mut rendering = vk::PipelineRenderingCreateInfo::default().color_attachment_formats(&FORMATS);
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
        let textures = std::mem::take(&mut self.textures);
        self.free(textures, Vec::new());
        // SAFETY: every submission was waited for, and nothing else is left of the device.
        unsafe {
            self.samplers.iter().for_each(|&sampler| self.device.destroy_sampler(sampler, None));
            self.device.destroy_command_pool(self.pool, None);
            self.device.destroy_device(None);
            self.instance.destroy_instance(None);
        }
    }
}

fn range(format: vk::Format) -> vk::ImageSubresourceRange {
    let depth = format == vk::Format::D32_SFLOAT;
    vk::ImageSubresourceRange::default()
        .aspect_mask(if depth { vk::ImageAspectFlags::DEPTH } else { vk::ImageAspectFlags::COLOR })
        .level_count(vk::REMAINING_MIP_LEVELS)
        .layer_count(vk::REMAINING_ARRAY_LAYERS)
}
