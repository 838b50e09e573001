//! Dispatches on a device: the resources of a world made there, descriptors of any kind, and what memory holds afterwards.

use afterimage_gcn_corpus::header::{Image, Shape};
use afterimage_gcn_corpus::reflect::reflect;
use afterimage_gcn_corpus::{Format, Header, Kind, World};
use ash::vk;
use std::ffi::CString;

use super::device::{Buffer, Gpu, Result};

/// An image of the world on the device.
struct Texels {
    what: Image,
    image: vk::Image,
    memory: vk::DeviceMemory,
}

/// The resources of a world on the device.
struct Things<'a> {
    gpu: &'a Gpu,
    header: &'a Header,
    /// One for each place of the world; those of images have what is copied to them, and from them at the end.
    buffers: Vec<(Buffer, u64)>,
    /// By resource.
    images: Vec<Option<Texels>>,
    views: Vec<vk::ImageView>,
    buffer_views: Vec<vk::BufferView>,
    samplers: Vec<vk::Sampler>,
}

/// What a descriptor says.
enum Bind {
    Buffer(vk::DescriptorType, vk::Buffer),
    Texels(vk::DescriptorType, vk::BufferView),
    Image(vk::DescriptorType, vk::ImageView, vk::Sampler),
}

/// A binding with its elements.
struct Binding {
    set: usize,
    binding: u32,
    elements: Vec<Bind>,
}

/// A dispatch.
struct Dispatch<'a> {
    words: &'a [u32],
    bindings: &'a [Binding],
    push: &'a [u32],
    constants: &'a [(u32, u32)],
    groups: [u32; 3],
}

fn bytes(words: &[u32]) -> &[u8] {
    bytemuck::cast_slice(words)
}

fn vulkan(format: Format) -> vk::Format {
    vk::Format::from_raw(format.vulkan)
}

fn aspect(format: Format) -> vk::ImageAspectFlags {
    if format.name == "d32" { vk::ImageAspectFlags::DEPTH } else { vk::ImageAspectFlags::COLOR }
}

impl Bind {
    fn kind(&self) -> vk::DescriptorType {
        match self {
            Bind::Buffer(kind, _) | Bind::Texels(kind, _) | Bind::Image(kind, ..) => *kind,
        }
    }
}

impl<'a> Things<'a> {
    /// Makes the resources.
    fn new(gpu: &'a Gpu, header: &'a Header, world: &World) -> Result<Things<'a>> {
        let d = &gpu.device;
        let usage = vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS
            | vk::BufferUsageFlags::STORAGE_BUFFER
            | vk::BufferUsageFlags::UNIFORM_BUFFER
            | vk::BufferUsageFlags::UNIFORM_TEXEL_BUFFER
            | vk::BufferUsageFlags::STORAGE_TEXEL_BUFFER
            | vk::BufferUsageFlags::TRANSFER_SRC
            | vk::BufferUsageFlags::TRANSFER_DST;
        let mut things = Things {
            gpu,
            header,
            buffers: Vec::new(),
            images: Vec::new(),
            views: Vec::new(),
            buffer_views: Vec::new(),
            samplers: Vec::new(),
        };
        for place in &world.places {
            let buffer = gpu.filled(bytes(&place.words), usage)?;
            let info = vk::BufferDeviceAddressInfo::default().buffer(buffer.buffer);
            // SAFETY: the buffer was made for it.
            let address = unsafe { d.get_buffer_device_address(&info) };
            things.buffers.push((buffer, address));
            let Some(resource) = place.resource.map(|at| header.resources[at]) else { continue };
            let image = match resource.kind {
                Kind::Image(what) => Some(things.image(what, vk::ImageUsageFlags::STORAGE)?),
                Kind::Texture(what, _) | Kind::Sampled(what) | Kind::Input(what) => {
                    Some(things.image(what, vk::ImageUsageFlags::SAMPLED)?)
                }
                Kind::Buffer
                | Kind::Uniform
                | Kind::TexelBuffer(_)
                | Kind::TexelImage(_)
                | Kind::Sampler(_)
                | Kind::Vertices { .. } => None,
            };
            things.images.push(image);
        }
        things.copy(true)?;
        Ok(things)
    }

    fn image(&self, what: Image, usage: vk::ImageUsageFlags) -> Result<Texels> {
        let [width, height, depth] = what.size;
        let (kind, flags) = match what.shape {
            Shape::D1 | Shape::D1Array => (vk::ImageType::TYPE_1D, vk::ImageCreateFlags::empty()),
            Shape::D3 => (vk::ImageType::TYPE_3D, vk::ImageCreateFlags::empty()),
            Shape::Cube => (vk::ImageType::TYPE_2D, vk::ImageCreateFlags::CUBE_COMPATIBLE),
            _ => (vk::ImageType::TYPE_2D, vk::ImageCreateFlags::empty()),
        };
        let info = vk::ImageCreateInfo::default()
            .flags(flags)
            .image_type(kind)
            .format(vulkan(what.format))
            .extent(vk::Extent3D { width, height, depth })
            .mip_levels(what.levels)
            .array_layers(what.layers)
            .samples(vk::SampleCountFlags::TYPE_1)
            .usage(usage | vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST);
        // SAFETY: the device is valid, and the memory is bound once, to the image that it was allocated for.
        unsafe {
            let d = &self.gpu.device;
            let image = d.create_image(&info, None)?;
            let need = d.get_image_memory_requirements(image);
            let kind = self.gpu.memory_type(need.memory_type_bits, vk::MemoryPropertyFlags::empty());
            let info = vk::MemoryAllocateInfo::default().allocation_size(need.size).memory_type_index(kind);
            let memory = d.allocate_memory(&info, None)?;
            d.bind_image_memory(image, memory, 0)?;
            Ok(Texels { what, image, memory })
        }
    }

    /// Copies between images and their buffers, one way or the other.
    fn copy(&self, to_images: bool) -> Result<()> {
        let d = &self.gpu.device;
        self.gpu.submit(|c| {
            for (texels, (buffer, _)) in self.images.iter().zip(&self.buffers) {
                let Some(Texels { what, image, .. }) = texels else { continue };
                let mut offset = 0;
                let copies: Vec<_> = (0..what.levels)
                    .map(|level| {
                        let [width, height, depth] = what.level(level);
                        let layers = vk::ImageSubresourceLayers::default()
                            .aspect_mask(aspect(what.format))
                            .mip_level(level)
                            .layer_count(what.layers);
                        let copy = vk::BufferImageCopy::default()
                            .buffer_offset(offset)
                            .image_subresource(layers)
                            .image_extent(vk::Extent3D { width, height, depth });
                        offset += u64::from(width * height * depth * what.layers * what.format.bytes);
                        copy
                    })
                    .collect();
                let range = vk::ImageSubresourceRange::default()
                    .aspect_mask(aspect(what.format))
                    .level_count(what.levels)
                    .layer_count(what.layers);
                let all = vk::PipelineStageFlags2::ALL_COMMANDS;
                let barrier = [vk::ImageMemoryBarrier2::default()
                    .src_stage_mask(all)
                    .dst_stage_mask(all)
                    .src_access_mask(vk::AccessFlags2::MEMORY_WRITE)
                    .dst_access_mask(vk::AccessFlags2::MEMORY_READ | vk::AccessFlags2::MEMORY_WRITE)
                    .old_layout(if to_images { vk::ImageLayout::UNDEFINED } else { vk::ImageLayout::GENERAL })
                    .new_layout(vk::ImageLayout::GENERAL)
                    .image(*image)
                    .subresource_range(range)];
                let info = vk::DependencyInfo::default().image_memory_barriers(&barrier);
                let layout = vk::ImageLayout::GENERAL;
                // SAFETY: the copies lie within the buffer and the image, which live until the submission is done.
                unsafe {
                    d.cmd_pipeline_barrier2(c, &info);
                    if to_images {
                        d.cmd_copy_buffer_to_image(c, buffer.buffer, *image, layout, &copies);
                    } else {
                        d.cmd_copy_image_to_buffer(c, *image, layout, buffer.buffer, &copies);
                    }
                    self.gpu.barrier(c);
                }
            }
        })
    }

    /// A view of the image of a resource.
    fn view(&mut self, resource: usize) -> Option<Result<vk::ImageView>> {
        let Texels { what, image, .. } = self.images.get(resource)?.as_ref()?;
        let kind = match what.shape {
            Shape::D1 => vk::ImageViewType::TYPE_1D,
            Shape::D1Array => vk::ImageViewType::TYPE_1D_ARRAY,
            Shape::D2 => vk::ImageViewType::TYPE_2D,
            Shape::D3 => vk::ImageViewType::TYPE_3D,
            Shape::Cube if what.layers > 6 => vk::ImageViewType::CUBE_ARRAY,
            Shape::Cube => vk::ImageViewType::CUBE,
            Shape::D2Samples => vk::ImageViewType::TYPE_2D,
            Shape::D2SamplesArray => vk::ImageViewType::TYPE_2D_ARRAY,
            Shape::D2Array => vk::ImageViewType::TYPE_2D_ARRAY,
        };
        let range = vk::ImageSubresourceRange::default()
            .aspect_mask(aspect(what.format))
            .level_count(what.levels)
            .layer_count(what.layers);
        let info = vk::ImageViewCreateInfo::default().image(*image).view_type(kind).format(vulkan(what.format));
        // SAFETY: the image is valid.
        let view = unsafe { self.gpu.device.create_image_view(&info.subresource_range(range), None) };
        Some(view.inspect(|view| self.views.push(*view)))
    }

    /// The sampler of a resource.
    fn sampler(&mut self, resource: usize) -> Result<vk::Sampler> {
        let how = match self.header.resources[resource].kind {
            Kind::Texture(_, how) | Kind::Sampler(how) => Some(how),
            _ => None,
        };
        let linear = how.is_some_and(|how| how.linear);
        let filter = if linear { vk::Filter::LINEAR } else { vk::Filter::NEAREST };
        let mips = if linear { vk::SamplerMipmapMode::LINEAR } else { vk::SamplerMipmapMode::NEAREST };
        let address = match how.map_or(2, |how| how.address) {
            0 => vk::SamplerAddressMode::REPEAT,
            1 => vk::SamplerAddressMode::MIRRORED_REPEAT,
            6 => vk::SamplerAddressMode::CLAMP_TO_BORDER,
            _ => vk::SamplerAddressMode::CLAMP_TO_EDGE,
        };
        let info = vk::SamplerCreateInfo::default()
            .mag_filter(filter)
            .min_filter(filter)
            .mipmap_mode(mips)
            .address_mode_u(address)
            .address_mode_v(address)
            .address_mode_w(address)
            .max_lod(15.0)
            .border_color(vk::BorderColor::FLOAT_OPAQUE_WHITE)
            .compare_enable(how.is_some_and(|how| how.compare))
            .compare_op(vk::CompareOp::LESS_OR_EQUAL);
        // SAFETY: the device is valid.
        let sampler = unsafe { self.gpu.device.create_sampler(&info, None) }?;
        self.samplers.push(sampler);
        Ok(sampler)
    }

    /// The descriptors that the program's own SPIR-V has.
    fn original(&mut self) -> Result<Vec<Binding>> {
        let mut bindings = Vec::new();
        for (at, resource) in self.header.resources.iter().enumerate() {
            let buffer = self.buffers[at].0.buffer;
            let texels = |things: &mut Self, kind, format| -> Result<Bind> {
                let info = vk::BufferViewCreateInfo::default().buffer(buffer).format(vulkan(format));
                // SAFETY: the buffer is valid and has texels of the format.
                let view = unsafe { things.gpu.device.create_buffer_view(&info.range(resource.bytes.into()), None)? };
                things.buffer_views.push(view);
                Ok(Bind::Texels(kind, view))
            };
            let bind = match resource.kind {
                Kind::Buffer => Bind::Buffer(vk::DescriptorType::STORAGE_BUFFER, buffer),
                Kind::Uniform => Bind::Buffer(vk::DescriptorType::UNIFORM_BUFFER, buffer),
                Kind::TexelBuffer(format) => texels(self, vk::DescriptorType::UNIFORM_TEXEL_BUFFER, format)?,
                Kind::TexelImage(format) => texels(self, vk::DescriptorType::STORAGE_TEXEL_BUFFER, format)?,
                Kind::Image(_) => {
                    let Some(view) = self.view(at) else { continue };
                    Bind::Image(vk::DescriptorType::STORAGE_IMAGE, view?, vk::Sampler::null())
                }
                Kind::Texture(..) => {
                    let Some(view) = self.view(at) else { continue };
                    Bind::Image(vk::DescriptorType::COMBINED_IMAGE_SAMPLER, view?, self.sampler(at)?)
                }
                Kind::Sampled(_) => {
                    let Some(view) = self.view(at) else { continue };
                    Bind::Image(vk::DescriptorType::SAMPLED_IMAGE, view?, vk::Sampler::null())
                }
                Kind::Sampler(_) => Bind::Image(vk::DescriptorType::SAMPLER, vk::ImageView::null(), self.sampler(at)?),
                // Those of graphics.
                Kind::Input(_) | Kind::Vertices { .. } => continue,
            };
            let (set, binding) = (resource.set as usize, resource.binding);
            match bindings.last_mut().filter(|last: &&mut Binding| (last.set, last.binding) == (set, binding)) {
                Some(array) => array.elements.push(bind),
                None => bindings.push(Binding { set, binding, elements: vec![bind] }),
            }
        }
        Ok(bindings)
    }

    /// Runs a shader, and gives what the resources hold then.
    ///
    /// # Safety
    /// The shader is valid SPIR-V for these descriptors and push constants.
    unsafe fn run(&self, job: &Dispatch<'_>) -> Result<Vec<Vec<u32>>> {
        let d = &self.gpu.device;
        let stages = vk::ShaderStageFlags::COMPUTE;
        // SAFETY: everything that is made here is destroyed after the submission is done; for the shader see above.
        unsafe {
            let mut layouts = Vec::new();
            let last = job.bindings.iter().map(|binding| binding.set).max().unwrap_or(0);
            for set in 0..=last {
                let bindings: Vec<_> = job
                    .bindings
                    .iter()
                    .filter(|binding| binding.set == set)
                    .map(|binding| {
                        vk::DescriptorSetLayoutBinding::default()
                            .binding(binding.binding)
                            .descriptor_type(binding.elements[0].kind())
                            .descriptor_count(binding.elements.len() as u32)
                            .stage_flags(stages)
                    })
                    .collect();
                let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
                layouts.push(d.create_descriptor_set_layout(&info, None)?);
            }
            let range = [vk::PushConstantRange { stage_flags: stages, offset: 0, size: job.push.len() as u32 * 4 }];
            let mut info = vk::PipelineLayoutCreateInfo::default().set_layouts(&layouts);
            if !job.push.is_empty() {
                info = info.push_constant_ranges(&range);
            }
            let layout = d.create_pipeline_layout(&info, None)?;
            let entry = reflect(job.words).map_or_else(|_| "main".to_owned(), |interface| interface.entry);
            let entry = CString::new(entry).unwrap_or_default();
            let module = d.create_shader_module(&vk::ShaderModuleCreateInfo::default().code(job.words), None)?;
            let values: Vec<u32> = job.constants.iter().map(|constant| constant.1).collect();
            let entries: Vec<_> = (0..)
                .zip(job.constants)
                .map(|(n, constant)| vk::SpecializationMapEntry { constant_id: constant.0, offset: n * 4, size: 4 })
                .collect();
            let special = vk::SpecializationInfo::default().map_entries(&entries).data(bytes(&values));
            let stage = vk::PipelineShaderStageCreateInfo::default()
                .stage(stages)
                .module(module)
                .name(&entry)
                .specialization_info(&special);
            let info = vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout);
            let made = d.create_compute_pipelines(vk::PipelineCache::null(), &[info], None);
            let pipeline = made.map_err(|(_, e)| e)?[0];
            let sizes: Vec<_> = job
                .bindings
                .iter()
                .map(|binding| vk::DescriptorPoolSize {
                    ty: binding.elements[0].kind(),
                    descriptor_count: binding.elements.len() as u32,
                })
                .collect();
            let info = vk::DescriptorPoolCreateInfo::default().max_sets(last as u32 + 1).pool_sizes(&sizes);
            let pool = d.create_descriptor_pool(&info, None)?;
            let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts);
            let sets = d.allocate_descriptor_sets(&info)?;
            for binding in job.bindings {
                for (element, bind) in (0..).zip(&binding.elements) {
                    let write = vk::WriteDescriptorSet::default()
                        .dst_set(sets[binding.set])
                        .dst_binding(binding.binding)
                        .dst_array_element(element)
                        .descriptor_type(bind.kind());
                    let general = vk::ImageLayout::GENERAL;
                    match bind {
                        Bind::Buffer(_, buffer) => {
                            let info = [vk::DescriptorBufferInfo::default().buffer(*buffer).range(vk::WHOLE_SIZE)];
                            d.update_descriptor_sets(&[write.buffer_info(&info)], &[]);
                        }
                        Bind::Texels(_, view) => {
                            d.update_descriptor_sets(&[write.texel_buffer_view(std::slice::from_ref(view))], &[]);
                        }
                        Bind::Image(_, view, sampler) => {
                            let info = [vk::DescriptorImageInfo::default()
                                .image_view(*view)
                                .sampler(*sampler)
                                .image_layout(general)];
                            d.update_descriptor_sets(&[write.image_info(&info)], &[]);
                        }
                    }
                }
            }
            self.gpu.submit(|c| {
                d.cmd_bind_pipeline(c, vk::PipelineBindPoint::COMPUTE, pipeline);
                d.cmd_bind_descriptor_sets(c, vk::PipelineBindPoint::COMPUTE, layout, 0, &sets, &[]);
                if !job.push.is_empty() {
                    d.cmd_push_constants(c, layout, stages, 0, bytes(job.push));
                }
                let [x, y, z] = job.groups;
                d.cmd_dispatch(c, x, y, z);
                self.gpu.barrier(c);
            })?;
            d.destroy_descriptor_pool(pool, None);
            d.destroy_pipeline(pipeline, None);
            d.destroy_shader_module(module, None);
            d.destroy_pipeline_layout(layout, None);
            layouts.into_iter().for_each(|layout| d.destroy_descriptor_set_layout(layout, None));
        }
        self.copy(false)?;
        let sizes = self.header.resources.iter().map(|resource| resource.bytes as usize / 4);
        sizes
            .zip(&self.buffers)
            .map(|(size, (buffer, _))| {
                let mut words = self.gpu.read(buffer)?;
                words.truncate(size);
                Ok(words)
            })
            .collect()
    }
}

/// What a program's own SPIR-V leaves in memory.
///
/// # Errors
/// When the device does not run it.
pub(crate) fn original(gpu: &Gpu, header: &Header, world: &World, words: &[u32]) -> Result<Vec<Vec<u32>>> {
    let mut things = Things::new(gpu, header, world)?;
    let bindings = things.original()?;
    let push = header.pushed(|at| things.buffers[at].1);
    let job = Dispatch { words, bindings: &bindings, push: &push, constants: &header.constants, groups: header.groups };
    // SAFETY: the descriptors and push constants are those that the header says the shader has.
    unsafe { things.run(&job) }
}

impl Drop for Things<'_> {
    fn drop(&mut self) {
        let d = &self.gpu.device;
        // SAFETY: submissions are waited for, so nothing uses any of it any more.
        unsafe {
            self.samplers.drain(..).for_each(|sampler| d.destroy_sampler(sampler, None));
            self.views.drain(..).for_each(|view| d.destroy_image_view(view, None));
            self.buffer_views.drain(..).for_each(|view| d.destroy_buffer_view(view, None));
            for texels in self.images.drain(..).flatten() {
                d.destroy_image(texels.image, None);
                d.free_memory(texels.memory, None);
            }
        }
        self.buffers.drain(..).for_each(|(buffer, _)| self.gpu.free(buffer));
    }
}
