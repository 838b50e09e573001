//! Draws a pair of SPIR-V shaders with any descriptors and reads two colour targets back. Nothing else: no windows, no caches,
//! and all but the textures is made anew for each picture.

#[path = "../../../spirv/tests/gpu/device.rs"]
mod device;
#[path = "../../../spirv/tests/gpu/pipeline.rs"]
mod pipeline;

use ash::vk;
use device::{Buffer, Image, Result, Shape};
use pipeline::Pipeline;

/// Pixels of the targets.
pub(crate) const WIDTH: u32 = 16;
/// Pixels of the targets.
pub(crate) const HEIGHT: u32 = 16;
/// Bytes of a vertex: two vectors of floats, one of integers, at locations 0 to 2.
const VERTEX: u32 = 48;
const ATTRIBUTES: [(vk::Format, u32); 3] =
    [(vk::Format::R32G32B32A32_SFLOAT, 0), (vk::Format::R32G32B32A32_SFLOAT, 16), (vk::Format::R32G32B32A32_SINT, 32)];

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

/// Buffers that are captured into, and the bytes of each.
const CAPTURES: usize = 4;
const CAPTURED: usize = 4096;

/// Bits of each target's pixels.
pub(crate) type Picture = [Vec<[u32; 4]>; 2];

const FORMATS: [vk::Format; 2] = [vk::Format::R32G32B32A32_SFLOAT, vk::Format::R32G32B32A32_UINT];
const BOTH: vk::ShaderStageFlags =
    vk::ShaderStageFlags::from_raw(vk::ShaderStageFlags::VERTEX.as_raw() | vk::ShaderStageFlags::FRAGMENT.as_raw());

/// The device and what all scenes share.
pub(crate) struct Gpu {
    base: device::Gpu,
    textures: Vec<Image>,
    samplers: [vk::Sampler; 2],
}

impl Gpu {
    pub(crate) fn new() -> Gpu {
        let base = device::Gpu::new();
        Gpu::open(base).unwrap_or_else(|e| panic!("the driver: {e}"))
    }

    fn open(base: device::Gpu) -> Result<Gpu> {
        let edge = vk::SamplerAddressMode::REPEAT;
        let plain = vk::SamplerCreateInfo::default()
            .address_mode_u(edge)
            .address_mode_v(edge)
            .address_mode_w(edge)
            .mag_filter(vk::Filter::NEAREST)
            .min_filter(vk::Filter::NEAREST)
            .mipmap_mode(vk::SamplerMipmapMode::NEAREST)
            .max_lod(8.0);
        let compare = plain.compare_enable(true).compare_op(vk::CompareOp::LESS);
        let sampler = |info| {
            // SAFETY: the sampler is of this device, and destroyed before it.
            unsafe { base.device.create_sampler(info, None) }
        };
        let samplers = [sampler(&plain)?, sampler(&compare)?];
        let textures = Texture::ALL.into_iter().map(|texture| filled(&base, texture)).collect::<Result<_>>()?;
        Ok(Gpu { base, textures, samplers })
    }

    /// Draws the scene and returns the bits of each target's pixels.
    pub(crate) fn draw(&self, scene: &Scene<'_>) -> Picture {
        self.try_draw(scene, None).unwrap_or_else(|e| panic!("drawing: {e}"))
    }

    /// Draws the scene and returns what transform feedback captures of it; nothing where the device has none.
    pub(crate) fn capture(&self, scene: &Scene<'_>) -> Option<Vec<Vec<u32>>> {
        let mut captured = Vec::new();
        self.base.feedback.as_ref()?;
        self.try_draw(scene, Some(&mut captured)).unwrap_or_else(|e| panic!("capturing: {e}"));
        Some(captured)
    }

    fn try_draw(&self, scene: &Scene<'_>, captured: Option<&mut Vec<Vec<u32>>>) -> Result<Picture> {
        let (base, d) = (&self.base, &self.base.device);
        let mut buffers = Vec::new();
        let mut push = scene.push;
        // SAFETY: every object is made from this device, used in the order that Vulkan asks for, and destroyed after the queue is
        // idle; the modules are valid SPIR-V.
        unsafe {
            for (stage, registers) in scene.registers.into_iter().flatten().enumerate() {
                let (buffer, address) = base.registers(registers)?;
                push[stage * 8..][..8].copy_from_slice(&address.to_le_bytes());
                buffers.push(buffer);
            }
            let vertices =
                scene.points.map(|bytes| base.filled(bytes, vk::BufferUsageFlags::VERTEX_BUFFER)).transpose()?;
            let mut targets = Vec::new();
            for format in FORMATS {
                let image = base.image(Shape::target(format, WIDTH, HEIGHT))?;
                let size = u64::from(WIDTH * HEIGHT) * 16;
                targets.push((image, base.buffer(size, vk::BufferUsageFlags::TRANSFER_DST)?));
            }
            let (layouts, pool, sets) = self.descriptors(scene, &mut buffers)?;
            let ranges = [vk::PushConstantRange::default().stage_flags(BOTH).size(128)];
            let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&layouts).push_constant_ranges(&ranges);
            let layout = d.create_pipeline_layout(&info, None)?;
            let (attributes, topology) = match scene.points {
                Some(_) => (&ATTRIBUTES[..], vk::PrimitiveTopology::POINT_LIST),
                None => (&[][..], vk::PrimitiveTopology::TRIANGLE_LIST),
            };
            let pipeline = base.pipeline(&Pipeline {
                layout,
                vertex: scene.vertex,
                pixel: scene.pixel,
                specs: scene.specs,
                attributes,
                stride: VERTEX,
                topology,
                colors: &FORMATS,
                depth: None,
            })?;
            let usage = vk::BufferUsageFlags::TRANSFORM_FEEDBACK_BUFFER_EXT;
            let mut captures = Vec::new();
            for _ in 0..if captured.is_some() { CAPTURES } else { 0 } {
                captures.push(base.filled(&[0xa5; CAPTURED], usage)?);
            }
            base.submit(|c| {
                targets.iter().for_each(|(image, _)| base.to_general(c, image));
                let colors: Vec<&Image> = targets.iter().map(|(image, _)| image).collect();
                base.begin(c, &colors, None, 0.0);
                d.cmd_bind_pipeline(c, vk::PipelineBindPoint::GRAPHICS, pipeline);
                if !sets.is_empty() {
                    d.cmd_bind_descriptor_sets(c, vk::PipelineBindPoint::GRAPHICS, layout, 0, &sets, &[]);
                }
                d.cmd_push_constants(c, layout, BOTH, 0, &push);
                let feedback = base.feedback.as_ref().filter(|_| !captures.is_empty()).map(|feedback| feedback.fp());
                if let Some(feedback) = feedback {
                    let (all, zeros) = (captures.iter().map(|b| b.buffer).collect::<Vec<_>>(), [0; CAPTURES]);
                    let (count, sizes) = (CAPTURES as u32, [CAPTURED as u64; CAPTURES]);
                    let bind = feedback.cmd_bind_transform_feedback_buffers_ext;
                    bind(c, 0, count, all.as_ptr(), zeros.as_ptr(), sizes.as_ptr());
                    (feedback.cmd_begin_transform_feedback_ext)(c, 0, 0, std::ptr::null(), std::ptr::null());
                }
                match (&vertices, scene.points) {
                    (Some(buffer), Some(bytes)) => {
                        d.cmd_bind_vertex_buffers(c, 0, &[buffer.buffer], &[0]);
                        d.cmd_draw(c, bytes.len() as u32 / VERTEX, 2, 0, 0);
                    }
                    _ => d.cmd_draw(c, 3, 1, 0, 0),
                }
                if let Some(feedback) = feedback {
                    (feedback.cmd_end_transform_feedback_ext)(c, 0, 0, std::ptr::null(), std::ptr::null());
                }
                d.cmd_end_rendering(c);
                base.barrier(c);
                targets.iter().for_each(|(image, buffer)| base.copy_out(c, image, buffer, 0));
            })?;
            let mut picture = Picture::default();
            for ((_, buffer), pixels) in targets.iter().zip(&mut picture) {
                *pixels = base.read(buffer)?.as_chunks().0.to_vec();
            }
            if let Some(captured) = captured {
                *captured = captures.iter().map(|buffer| base.read(buffer)).collect::<Result<_>>()?;
            }
            captures.into_iter().for_each(|buffer| base.free(buffer));
            d.destroy_pipeline(pipeline, None);
            d.destroy_pipeline_layout(layout, None);
            d.destroy_descriptor_pool(pool, None);
            layouts.iter().for_each(|&layout| d.destroy_descriptor_set_layout(layout, None));
            let (images, read): (Vec<Image>, Vec<Buffer>) = targets.into_iter().unzip();
            images.into_iter().for_each(|image| base.free_image(image));
            buffers.into_iter().chain(read).chain(vertices).for_each(|buffer| base.free(buffer));
            Ok(picture)
        }
    }

    /// Sets 0 up to the last that the scene has.
    fn descriptors(
        &self,
        scene: &Scene<'_>,
        buffers: &mut Vec<Buffer>,
    ) -> Result<(Vec<vk::DescriptorSetLayout>, vk::DescriptorPool, Vec<vk::DescriptorSet>)> {
        let d = &self.base.device;
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
                    let buffer = self.base.filled(bytes, vk::BufferUsageFlags::UNIFORM_BUFFER)?;
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
}

impl Drop for Gpu {
    fn drop(&mut self) {
        // SAFETY: every submission was waited for, and nothing uses them any more.
        unsafe {
            self.textures.drain(..).for_each(|texture| self.base.free_image(texture));
            self.samplers.iter().for_each(|&sampler| self.base.device.destroy_sampler(sampler, None));
        }
    }
}

/// The texture with its texels.
fn filled(base: &device::Gpu, texture: Texture) -> Result<Image> {
    let (format, side, levels, view) = match texture {
        Texture::Flat | Texture::Other => (vk::Format::R8G8B8A8_UNORM, 4, 2, vk::ImageViewType::TYPE_2D),
        Texture::Cube => (vk::Format::R8G8B8A8_UNORM, 2, 1, vk::ImageViewType::CUBE),
        Texture::Solid => (vk::Format::R8G8B8A8_UNORM, 2, 1, vk::ImageViewType::TYPE_3D),
        Texture::Shade => (vk::Format::D32_SFLOAT, 4, 1, vk::ImageViewType::TYPE_2D),
    };
    let shape = Shape::texture(format, view, side, levels);
    let mut texels: Vec<u32> = Vec::new();
    let mut copies = Vec::new();
    for level in 0..levels {
        let extent = vk::Extent3D { width: side >> level, height: side >> level, ..shape.extent };
        copies.push(
            vk::BufferImageCopy::default()
                .buffer_offset(texels.len() as u64 * 4)
                .image_subresource(shape.level(level))
                .image_extent(extent),
        );
        for texel in 0..extent.width * extent.height * extent.depth * shape.layers() {
            let number = texel * 7 + level * 91 + texture as u32 * 53;
            texels.push(match texture {
                Texture::Shade => ((number % 16) as f32 / 16.0).to_bits(),
                _ => number.wrapping_mul(2_654_435_761),
            });
        }
    }
    // SAFETY: the copies are within the texels and the image.
    unsafe { base.texture(shape, bytemuck::cast_slice(&texels), &copies) }
}
