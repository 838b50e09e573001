//! Draws the shaders of the corpus with the driver, many in one submission: a vertex shader as a row of points whose varyings
//! the pixels show, a pixel shader over two rows of pixels; once for every world.

use crate::gpu::{Buffer, Gpu, Image, Pipeline, Result, Shape};
use crate::world::{SIZE, VERTICES, WIDTH, WORLDS, World};
use afterimage_abi::push::TEXTURE_INDEX_BITS;
use afterimage_ir::{Dim, Stage};
use afterimage_shader_d3d9::Bank;
use ash::vk;
use std::collections::HashMap;

/// Colour targets of a draw.
pub(crate) const TARGETS: usize = 8;
/// Location of the attribute that the vertices' own places come from.
pub(crate) const PLACE: u8 = 31;
const LOCATIONS: u32 = 32;
const SLOTS: u32 = 20;
/// Registers of a system block.
const SYSTEM: u32 = 32;
const COLOR: vk::Format = vk::Format::R32G32B32A32_SFLOAT;
const DEPTH: vk::Format = vk::Format::D32_SFLOAT;
/// Pixels of a picture: all worlds below each other.
const EXTENT: vk::Extent2D = vk::Extent2D { width: 16, height: 2 * WORLDS };
const PIXELS: usize = (EXTENT.width * EXTENT.height) as usize;
/// What a pixel holds that nothing was drawn to.
pub(crate) const CLEAR: f32 = 12345.0;

/// A pair of shaders to draw in every world.
pub(crate) struct Job {
    /// The stage that is looked at, which says what is drawn.
    pub(crate) stage: Stage,
    pub(crate) vertex: Vec<u32>,
    pub(crate) pixel: Vec<u32>,
    /// Constants of the stage that is looked at, in each world.
    pub(crate) constants: Vec<Vec<[u32; 4]>>,
    /// Texture slots hold depth textures with compare samplers.
    pub(crate) shadow: bool,
}

/// What a job drew.
pub(crate) struct Picture {
    colors: Vec<Vec<[u32; 4]>>,
    depth: Vec<u32>,
}

impl Picture {
    /// A pixel of a target, at its place in a world's part of the picture.
    pub(crate) fn color(&self, target: usize, world: &World, (x, y): (u32, u32)) -> [u32; 4] {
        self.colors[target][at(world, x, y)]
    }

    /// Depth of a pixel.
    pub(crate) fn depth(&self, world: &World, (x, y): (u32, u32)) -> u32 {
        self.depth[at(world, x, y)]
    }
}

fn at(world: &World, x: u32, y: u32) -> usize {
    ((world.index * 2 + y) * EXTENT.width + x) as usize
}

fn target(format: vk::Format) -> Shape {
    Shape::target(format, EXTENT.width, EXTENT.height)
}

fn texture(dim: Dim, slot: u32, format: vk::Format) -> Shape {
    let view = match dim {
        Dim::D2 => vk::ImageViewType::TYPE_2D,
        Dim::Cube => vk::ImageViewType::CUBE,
        Dim::D3 => vk::ImageViewType::TYPE_3D,
        other => unreachable!("Direct3D 9 has no {}", other.name()),
    };
    Shape::texture(format, view, SIZE, if format == DEPTH { 1 } else { World::levels(dim, slot) })
}

/// Everything that all draws share.
pub(crate) struct Rig {
    pub(crate) gpu: Gpu,
    set_layout: vk::DescriptorSetLayout,
    set_pool: vk::DescriptorPool,
    layout: vk::PipelineLayout,
    /// Plain textures, and depth textures.
    sets: [vk::DescriptorSet; 2],
    samplers: [vk::Sampler; 2],
    textures: Vec<Image>,
    targets: Vec<Image>,
    /// Vertices of the vertex jobs and of the pixel jobs, in each world.
    vertices: [Vec<Buffer>; 2],
}

impl Rig {
    pub(crate) fn new() -> Self {
        let gpu = Gpu::new();
        Self::open(gpu).unwrap_or_else(|e| panic!("the driver: {e}"))
    }

    fn open(gpu: Gpu) -> Result<Self> {
        let d = &gpu.device;
        // SAFETY: every object is made from this device and used in the order that Vulkan asks for.
        unsafe {
            let types = [vk::DescriptorType::SAMPLED_IMAGE, vk::DescriptorType::SAMPLER];
            let both = vk::ShaderStageFlags::VERTEX | vk::ShaderStageFlags::FRAGMENT;
            let bindings: Vec<_> = (0..4)
                .map(|binding| {
                    vk::DescriptorSetLayoutBinding::default()
                        .binding(binding)
                        .descriptor_type(types[usize::from(binding == 3)])
                        .descriptor_count(SLOTS)
                        .stage_flags(both)
                })
                .collect();
            let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
            let set_layout = d.create_descriptor_set_layout(&info, None)?;
            let sizes = [(types[0], 6 * SLOTS), (types[1], 2 * SLOTS)]
                .map(|(ty, descriptor_count)| vk::DescriptorPoolSize { ty, descriptor_count });
            let info = vk::DescriptorPoolCreateInfo::default().max_sets(2).pool_sizes(&sizes);
            let set_pool = d.create_descriptor_pool(&info, None)?;
            let layouts = [set_layout; 2];
            let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(set_pool).set_layouts(&layouts);
            let sets = d.allocate_descriptor_sets(&info)?;
            let push = [vk::PushConstantRange::default().stage_flags(both).size(128)];
            let layouts = [set_layout];
            let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&layouts).push_constant_ranges(&push);
            let layout = d.create_pipeline_layout(&info, None)?;
            let sampler = vk::SamplerCreateInfo::default().max_lod(vk::LOD_CLAMP_NONE);
            let compare = sampler.compare_enable(true).compare_op(vk::CompareOp::LESS_OR_EQUAL);
            let samplers = [d.create_sampler(&sampler, None)?, d.create_sampler(&compare, None)?];
            let mut rig = Self {
                set_layout,
                set_pool,
                layout,
                sets: [sets[0], sets[1]],
                samplers,
                textures: Vec::new(),
                targets: Vec::new(),
                vertices: [Vec::new(), Vec::new()],
                gpu,
            };
            rig.fill()?;
            Ok(rig)
        }
    }

    /// Textures, targets and vertices.
    fn fill(&mut self) -> Result<()> {
        let mut kinds: Vec<_> = (0..SLOTS).map(|slot| (Dim::D2, slot, COLOR)).collect();
        kinds.extend([(Dim::Cube, 0, COLOR), (Dim::D3, 0, COLOR), (Dim::D2, 0, DEPTH)]);
        for (dim, slot, format) in kinds {
            let texture = self.texture(dim, slot, format)?;
            self.textures.push(texture);
        }
        for slot in 0..SLOTS {
            let [cube, volume, depth] = [0, 1, 2].map(|at| self.textures[SLOTS as usize + at].view);
            for (set, flat) in [self.textures[slot as usize].view, depth].into_iter().enumerate() {
                for (binding, view) in [flat, cube, volume].into_iter().enumerate() {
                    let info = vk::DescriptorImageInfo::default().image_view(view);
                    let info = info.image_layout(vk::ImageLayout::GENERAL);
                    self.describe(set, binding as u32, slot, vk::DescriptorType::SAMPLED_IMAGE, info);
                }
                let info = vk::DescriptorImageInfo::default().sampler(self.samplers[set]);
                self.describe(set, 3, slot, vk::DescriptorType::SAMPLER, info);
            }
        }
        for _ in 0..TARGETS {
            let target = self.gpu.image(target(COLOR))?;
            self.targets.push(target);
        }
        let depth = self.gpu.image(target(DEPTH))?;
        self.targets.push(depth);
        let usage = vk::BufferUsageFlags::VERTEX_BUFFER;
        for world in 0..WORLDS {
            let (points, corners) = (point_vertices(world), corner_vertices(world));
            self.vertices[0].push(self.gpu.filled(bytemuck::cast_slice(&points), usage)?);
            self.vertices[1].push(self.gpu.filled(bytemuck::cast_slice(&corners), usage)?);
        }
        self.gpu.submit(|c| {
            // SAFETY: `c` is being recorded, outside of rendering.
            self.targets.iter().for_each(|target| unsafe { self.gpu.to_general(c, target) });
        })
    }

    fn describe(&self, set: usize, binding: u32, slot: u32, ty: vk::DescriptorType, info: vk::DescriptorImageInfo) {
        let info = [info];
        let write = vk::WriteDescriptorSet::default()
            .dst_set(self.sets[set])
            .dst_binding(binding)
            .dst_array_element(slot)
            .descriptor_type(ty)
            .image_info(&info);
        // SAFETY: the set has that binding and element, and nothing uses it yet.
        unsafe { self.gpu.device.update_descriptor_sets(&[write], &[]) };
    }

    /// A texture with the world's texels.
    fn texture(&self, dim: Dim, slot: u32, format: vk::Format) -> Result<Image> {
        let shape = texture(dim, slot, format);
        let mut texels: Vec<u32> = Vec::new();
        let mut copies = Vec::new();
        for level in 0..shape.levels {
            let size = SIZE >> level;
            let depth = if dim == Dim::D3 { size } else { 1 };
            for layer in 0..shape.layers() {
                let subresource = vk::ImageSubresourceLayers::default()
                    .aspect_mask(shape.range().aspect_mask)
                    .mip_level(level)
                    .base_array_layer(layer)
                    .layer_count(1);
                copies.push(
                    vk::BufferImageCopy::default()
                        .buffer_offset(texels.len() as u64 * 4)
                        .image_subresource(subresource)
                        .image_extent(vk::Extent3D { width: size, height: size, depth }),
                );
                for at in 0..size * size * depth {
                    let place = [at % size, at / size % size, at / size / size];
                    if format == DEPTH {
                        texels.push(World::depth_texel(place[0], place[1]).to_bits());
                    } else {
                        texels.extend(World::texel(dim, slot, level, layer, place).map(f32::to_bits));
                    }
                }
            }
        }
        // SAFETY: the copies are within the texels and the image.
        unsafe { self.gpu.texture(shape, bytemuck::cast_slice(&texels), &copies) }
    }

    /// Draws the jobs in one submission.
    pub(crate) fn draw(&self, jobs: &[Job]) -> Vec<Picture> {
        self.try_draw(jobs).unwrap_or_else(|e| panic!("{}: {e}", self.gpu.name))
    }

    fn try_draw(&self, jobs: &[Job]) -> Result<Vec<Picture>> {
        // All constants of all jobs in one buffer; first the system blocks of the worlds.
        let system = |world| (0..SYSTEM).map(move |n| World::register(world, Bank::System as u8, n));
        let mut registers: Vec<[u32; 4]> = (0..WORLDS).flat_map(system).collect();
        let mut places = HashMap::new();
        for (number, job) in jobs.iter().enumerate() {
            for (world, constants) in job.constants.iter().enumerate() {
                places.insert((number, world), registers.len() as u64 * 16);
                registers.extend(constants);
            }
        }
        let (constants, base) = self.gpu.registers(&registers)?;
        let pipelines = jobs.iter().map(|job| self.pipeline(job)).collect::<Result<Vec<_>>>()?;
        let picture = (PIXELS * 16 * TARGETS + PIXELS * 4) as u64;
        let pictures = self.gpu.buffer(picture * jobs.len() as u64, vk::BufferUsageFlags::TRANSFER_DST)?;
        // SAFETY: `c` is being recorded, outside of rendering, and the buffer has room for all pictures.
        self.gpu.submit(|c| unsafe {
            for (number, (job, pipeline)) in jobs.iter().zip(&pipelines).enumerate() {
                let address = |world: u32| base + places[&(number, world as usize)];
                self.record(c, job, *pipeline, base, &address);
                self.gpu.barrier(c);
                for (n, target) in self.targets.iter().enumerate() {
                    let place = number as u64 * picture + (n * PIXELS * 16) as u64;
                    self.gpu.copy_out(c, target, &pictures, place);
                }
                self.gpu.barrier(c);
            }
        })?;
        let words = self.gpu.read(&pictures)?;
        let drawn = words.chunks_exact(picture as usize / 4).take(jobs.len()).map(|words| {
            let (colors, depth) = words.split_at(PIXELS * 4 * TARGETS);
            let colors = colors.chunks_exact(PIXELS * 4).map(|target| target.as_chunks::<4>().0.to_vec()).collect();
            Picture { colors, depth: depth.to_vec() }
        });
        let drawn = drawn.collect();
        // SAFETY: the submission is done.
        pipelines.into_iter().for_each(|pipeline| unsafe { self.gpu.device.destroy_pipeline(pipeline, None) });
        self.gpu.free(constants);
        self.gpu.free(pictures);
        Ok(drawn)
    }

    /// Draws a job in every world.
    ///
    /// # Safety
    /// `c` is being recorded, outside of rendering, and the pipeline is of this rig's layout.
    unsafe fn record(
        &self,
        c: vk::CommandBuffer,
        job: &Job,
        pipeline: vk::Pipeline,
        system: u64,
        address: &dyn Fn(u32) -> u64,
    ) {
        let d = &self.gpu.device;
        let colors: Vec<&Image> = self.targets[..TARGETS].iter().collect();
        let points = job.stage == Stage::Vertex;
        let both = vk::ShaderStageFlags::VERTEX | vk::ShaderStageFlags::FRAGMENT;
        // SAFETY: see above; sets, targets and vertices live as long as the rig.
        unsafe {
            self.gpu.begin(c, &colors, Some(&self.targets[TARGETS]), CLEAR);
            d.cmd_bind_pipeline(c, vk::PipelineBindPoint::GRAPHICS, pipeline);
            let sets = [self.sets[usize::from(job.shadow)]];
            d.cmd_bind_descriptor_sets(c, vk::PipelineBindPoint::GRAPHICS, self.layout, 0, &sets, &[]);
            for world in 0..WORLDS {
                let mut words = [0u32; 32];
                words[..6].copy_from_slice(bytemuck::cast_slice(&[
                    address(world),
                    address(world),
                    system + u64::from(world * SYSTEM * 16),
                ]));
                for slot in 0..SLOTS {
                    words[8 + slot as usize] = slot | slot << TEXTURE_INDEX_BITS;
                }
                d.cmd_push_constants(c, self.layout, both, 0, bytemuck::cast_slice(&words));
                let (width, height) = if points { (VERTICES, 1) } else { (WIDTH, 2) };
                let viewport = vk::Viewport {
                    y: (world * 2) as f32,
                    width: width as f32,
                    height: height as f32,
                    max_depth: 1.0,
                    ..Default::default()
                };
                let offset = vk::Offset2D { x: 0, y: world as i32 * 2 };
                d.cmd_set_viewport(c, 0, &[viewport]);
                d.cmd_set_scissor(c, 0, &[vk::Rect2D { offset, extent: vk::Extent2D { width, height } }]);
                let front = World::is_front(world);
                // On the screen the corners go round clockwise.
                let face = if front { vk::FrontFace::CLOCKWISE } else { vk::FrontFace::COUNTER_CLOCKWISE };
                d.cmd_set_front_face(c, face);
                let vertices = &self.vertices[usize::from(!points)][world as usize];
                d.cmd_bind_vertex_buffers(c, 0, &[vertices.buffer], &[0]);
                d.cmd_draw(c, if points { VERTICES } else { 3 }, 1, 0, 0);
            }
            d.cmd_end_rendering(c);
        }
    }

    fn pipeline(&self, job: &Job) -> Result<vk::Pipeline> {
        let attributes: Vec<_> = (0..LOCATIONS).map(|location| (COLOR, location * 16)).collect();
        let pipeline = Pipeline {
            layout: self.layout,
            vertex: &job.vertex,
            pixel: &job.pixel,
            specs: &[],
            attributes: &attributes,
            stride: LOCATIONS * 16,
            topology: match job.stage {
                Stage::Vertex => vk::PrimitiveTopology::POINT_LIST,
                _ => vk::PrimitiveTopology::TRIANGLE_LIST,
            },
            colors: &[COLOR; TARGETS],
            depth: Some(DEPTH),
        };
        // SAFETY: the modules are valid SPIR-V, which `valid.rs` checks.
        unsafe { self.gpu.pipeline(&pipeline) }
    }
}

impl Drop for Rig {
    fn drop(&mut self) {
        let d = &self.gpu.device;
        // SAFETY: every submission is waited for, and nothing is used afterwards.
        unsafe {
            let images = self.textures.drain(..).chain(self.targets.drain(..));
            images.for_each(|image| self.gpu.free_image(image));
            self.vertices.iter_mut().flat_map(|vertices| vertices.drain(..)).for_each(|buffer| self.gpu.free(buffer));
            self.samplers.iter().for_each(|sampler| d.destroy_sampler(*sampler, None));
            d.destroy_pipeline_layout(self.layout, None);
            d.destroy_descriptor_pool(self.set_pool, None);
            d.destroy_descriptor_set_layout(self.set_layout, None);
        }
    }
}

/// A vertex: its attributes at all locations but [`PLACE`], and its own place.
fn vertex(attribute: impl Fn(u8) -> [u32; 4], place: [f32; 4]) -> Vec<u32> {
    (0..PLACE).flat_map(attribute).chain(place.map(f32::to_bits)).collect()
}

/// Points in the middle of the pixels of a row.
fn point_vertices(world: u32) -> Vec<u32> {
    let place = |n: u32| [(2.0 * n as f32 + 1.0) / VERTICES as f32 - 1.0, 0.0, crate::world::DEPTH, 1.0];
    (0..VERTICES).flat_map(|n| vertex(|location| World::attribute(world, location, n), place(n))).collect()
}

/// A triangle over everything.
fn corner_vertices(world: u32) -> Vec<u32> {
    let (w, h) = (WIDTH as f32, 2.0);
    let corners = [(0.0, 0.0), (2.0 * w, 0.0), (0.0, 2.0 * h)];
    let place = |(x, y): (f32, f32)| [x / w * 2.0 - 1.0, y / h * 2.0 - 1.0, crate::world::DEPTH, 1.0];
    let varying = |location, (x, y)| World::varying(world, location, x, y).map(f32::to_bits);
    corners.into_iter().flat_map(|corner| vertex(|location| varying(location, corner), place(corner))).collect()
}
