//! What all cases draw with: targets, textures, pipelines, and a triangle that is clipped.

use ash::vk;

use super::frames::Frames;
use super::gpu::Gpu;
use super::memory::{Buffer, Image, Place, Use, barrier};
use super::shaders::{self, PUSHED_TEXTURE, TEXTURES};
use super::{Result, SIZE};

/// A vertex, as in `bench_d3d9`.
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(crate) struct Vertex {
    position: [f32; 4],
    color: u32,
    texcoord: [f32; 2],
}

/// Bytes of a vertex.
pub(crate) const STRIDE: usize = size_of::<Vertex>();

const fn vertex(x: f32, y: f32) -> Vertex {
    Vertex { position: [x, y, 0.0, 1.0], color: u32::MAX, texcoord: [x, y] }
}

/// A triangle: where it lies in the buffer that does not change, and its corners.
pub(crate) struct Triangle {
    pub(crate) first: u32,
    pub(crate) corners: [Vertex; 3],
}

/// Outside of the clip volume, so that nothing is filled.
pub(crate) const OUTSIDE: Triangle =
    Triangle { first: 0, corners: [vertex(5.0, 5.0), vertex(5.0, 5.1), vertex(5.1, 5.0)] };
/// Over the middle of the target, to see that draws draw.
pub(crate) const INSIDE: Triangle =
    Triangle { first: 3, corners: [vertex(-0.5, -0.5), vertex(-0.5, 0.7), vertex(0.7, -0.5)] };

/// What a frame begins with, as bytes.
pub(crate) const CLEAR: [u8; 4] = [0x20, 0x30, 0x40, 0xff];
/// Textures that the cases change between.
pub(crate) const SMALL: u32 = 16;
/// The number of the texture that is filled anew.
pub(crate) const LARGE: u32 = SMALL;
/// Its edge.
pub(crate) const LARGE_SIZE: u32 = 512;

const TARGET_FORMAT: vk::Format = vk::Format::R8G8B8A8_UNORM;
/// Where constants that are zero lie, behind both triangles.
const ZEROS: usize = 256;

/// Everything that is made once.
pub(crate) struct Scene {
    pub(crate) target: Image,
    depth: Image,
    pub(crate) large: Image,
    still: Buffer,
    set: vk::DescriptorSet,
    pub(crate) layout: vk::PipelineLayout,
    pub(crate) plain: vk::Pipeline,
    /// The pipeline that reads a record for each draw.
    pub(crate) recorded: Option<vk::Pipeline>,
}

impl Scene {
    /// Makes it.
    ///
    /// # Errors
    /// Where Vulkan fails.
    pub(crate) fn new(gpu: &Gpu, frames: &mut Frames) -> Result<Self> {
        use vk::ImageUsageFlags as Usage;
        let target = Image::new(gpu, TARGET_FORMAT, SIZE, Usage::COLOR_ATTACHMENT | Usage::TRANSFER_SRC)?;
        let depth = Image::new(gpu, gpu.depth_format, SIZE, Usage::DEPTH_STENCIL_ATTACHMENT)?;
        let sampled = Usage::SAMPLED | Usage::TRANSFER_DST;
        let small = (0..SMALL).map(|_| Image::new(gpu, TARGET_FORMAT, 16, sampled)).collect::<Result<Vec<_>>>()?;
        let large = Image::new(gpu, TARGET_FORMAT, LARGE_SIZE, sampled)?;
        let still = Buffer::new(gpu, ZEROS + 128, Place::Device)?;
        for triangle in [&OUTSIDE, &INSIDE] {
            still.write(triangle.first as usize * STRIDE, bytemuck::bytes_of(&triangle.corners));
        }
        still.fill(ZEROS, 128, 0);
        fill(gpu, frames, &small, &large)?;
        let (layout, set) = layout(gpu, &small, &large)?;
        let plain = pipeline(gpu, layout, &shaders::vertex(false), &shaders::pixel(false, 1.0))?;
        let recorded = match gpu.multi {
            Some(_) => Some(pipeline(gpu, layout, &shaders::vertex(true), &shaders::pixel(true, 1.0))?),
            None => None,
        };
        let scene = Self { target, depth, large, still, set, layout, plain, recorded };
        // SAFETY: the command buffer is being recorded, and nothing has used the targets.
        frames.once(gpu, |c| unsafe {
            let d = &gpu.device;
            barrier(d, c, (scene.target.raw, scene.target.aspect), Use::NOTHING, Use::TARGET);
            barrier(d, c, (scene.depth.raw, scene.depth.aspect), Use::NOTHING, Use::DEPTH);
            scene.begin_rendering(gpu, c, vk::AttachmentLoadOp::CLEAR);
            d.cmd_end_rendering(c);
        })?;
        Ok(scene)
    }

    /// Begins rendering after what was drawn before.
    ///
    /// # Safety
    /// `c` is being recorded, outside of rendering.
    pub(crate) unsafe fn begin(&self, gpu: &Gpu, c: vk::CommandBuffer, load: vk::AttachmentLoadOp) {
        let d = &gpu.device;
        // SAFETY: the caller vouches for the command buffer; the rest lives as long as the process.
        unsafe {
            barrier(d, c, (self.target.raw, self.target.aspect), Use::TARGET, Use::TARGET);
            barrier(d, c, (self.depth.raw, self.depth.aspect), Use::DEPTH, Use::DEPTH);
            self.begin_rendering(gpu, c, load);
        }
    }

    /// Begins rendering to both targets, which are cleared together.
    ///
    /// # Safety
    /// As [`Scene::begin`].
    unsafe fn begin_rendering(&self, gpu: &Gpu, c: vk::CommandBuffer, load: vk::AttachmentLoadOp) {
        let color = vk::ClearColorValue { float32: CLEAR.map(|byte| f32::from(byte) / 255.0) };
        let depth = vk::ClearDepthStencilValue { depth: 1.0, stencil: 0 };
        let attachment = |view, layout, clear_value| {
            vk::RenderingAttachmentInfo::default()
                .image_view(view)
                .image_layout(layout)
                .load_op(load)
                .store_op(vk::AttachmentStoreOp::STORE)
                .clear_value(clear_value)
        };
        let colors = [attachment(self.target.view, Use::TARGET.0, vk::ClearValue { color })];
        let depth = attachment(self.depth.view, Use::DEPTH.0, vk::ClearValue { depth_stencil: depth });
        let info = vk::RenderingInfo::default()
            .render_area(vk::Rect2D { extent: EXTENT, ..Default::default() })
            .layer_count(1)
            .color_attachments(&colors)
            .depth_attachment(&depth)
            .stencil_attachment(&depth);
        // SAFETY: the caller vouches for the command buffer.
        unsafe { gpu.device.cmd_begin_rendering(c, &info) }
    }

    /// Binds and sets all that a case may change.
    ///
    /// # Safety
    /// `c` is being recorded.
    pub(crate) unsafe fn bind(&self, gpu: &Gpu, c: vk::CommandBuffer) {
        let d = &gpu.device;
        let viewport = vk::Viewport { width: SIZE as f32, height: SIZE as f32, max_depth: 1.0, ..Default::default() };
        // SAFETY: the caller vouches for the command buffer.
        unsafe {
            d.cmd_set_viewport(c, 0, &[viewport]);
            d.cmd_set_scissor(c, 0, &[vk::Rect2D { extent: EXTENT, ..Default::default() }]);
            d.cmd_set_cull_mode(c, vk::CullModeFlags::NONE);
            d.cmd_set_depth_write_enable(c, true);
            d.cmd_set_depth_compare_op(c, vk::CompareOp::LESS_OR_EQUAL);
            if let Some(blending) = &gpu.blending {
                blending.cmd_set_color_blend_enable(c, 0, &[vk::FALSE]);
                blending.cmd_set_color_blend_equation(c, 0, &[equation(vk::BlendFactor::ONE)]);
            }
            d.cmd_bind_pipeline(c, vk::PipelineBindPoint::GRAPHICS, self.plain);
            d.cmd_bind_descriptor_sets(c, vk::PipelineBindPoint::GRAPHICS, self.layout, 0, &[self.set], &[]);
            d.cmd_bind_vertex_buffers(c, 0, &[self.still.raw], &[0]);
            self.push_address(gpu, c, self.zeros());
            self.push_texture(gpu, c, 0);
        }
    }

    /// Pushes the address of what the vertex shader reads.
    ///
    /// # Safety
    /// `c` is being recorded.
    #[inline]
    pub(crate) unsafe fn push_address(&self, gpu: &Gpu, c: vk::CommandBuffer, address: u64) {
        let bytes = address.to_ne_bytes();
        // SAFETY: the caller vouches for the command buffer; the layout has this range.
        unsafe { gpu.device.cmd_push_constants(c, self.layout, vk::ShaderStageFlags::VERTEX, 0, &bytes) }
    }

    /// Pushes the number of the texture.
    ///
    /// # Safety
    /// `c` is being recorded.
    #[inline]
    pub(crate) unsafe fn push_texture(&self, gpu: &Gpu, c: vk::CommandBuffer, texture: u32) {
        let bytes = texture.to_ne_bytes();
        let stage = vk::ShaderStageFlags::FRAGMENT;
        // SAFETY: as above.
        unsafe { gpu.device.cmd_push_constants(c, self.layout, stage, PUSHED_TEXTURE, &bytes) }
    }

    /// The address of constants that are zero.
    pub(crate) fn zeros(&self) -> u64 {
        self.still.address + ZEROS as u64
    }
}

const EXTENT: vk::Extent2D = vk::Extent2D { width: SIZE, height: SIZE };

/// What is blended: `source` times the pixel, and nothing of the target.
pub(crate) fn equation(source: vk::BlendFactor) -> vk::ColorBlendEquationEXT {
    vk::ColorBlendEquationEXT {
        src_color_blend_factor: source,
        dst_color_blend_factor: vk::BlendFactor::ZERO,
        color_blend_op: vk::BlendOp::ADD,
        src_alpha_blend_factor: source,
        dst_alpha_blend_factor: vk::BlendFactor::ZERO,
        alpha_blend_op: vk::BlendOp::ADD,
    }
}

/// Gives the textures their texels: each small one another grey.
fn fill(gpu: &Gpu, frames: &mut Frames, small: &[Image], large: &Image) -> Result {
    let large_bytes = (LARGE_SIZE * LARGE_SIZE * 4) as usize;
    let staging = Buffer::new(gpu, large_bytes + small.len() * 1024, Place::Host)?;
    staging.fill(0, large_bytes, 0x80);
    for at in 0..small.len() {
        staging.fill(large_bytes + at * 1024, 1024, (at * 16) as u8);
    }
    // SAFETY: the command buffer is being recorded, and the staging buffer lives until it has run.
    frames.once(gpu, |c| unsafe {
        upload(gpu, c, &staging, 0, large, LARGE_SIZE, Use::NOTHING);
        for (at, image) in small.iter().enumerate() {
            upload(gpu, c, &staging, large_bytes + at * 1024, image, 16, Use::NOTHING);
        }
    })
}

/// Copies texels to an image, which is sampled afterwards.
///
/// # Safety
/// `c` is being recorded outside of rendering; the buffer has that many texels there.
pub(crate) unsafe fn upload(
    gpu: &Gpu,
    c: vk::CommandBuffer,
    from: &Buffer,
    offset: usize,
    to: &Image,
    size: u32,
    before: Use,
) {
    let layers = vk::ImageSubresourceLayers { aspect_mask: to.aspect, layer_count: 1, ..Default::default() };
    let region = vk::BufferImageCopy::default()
        .buffer_offset(offset as u64)
        .image_subresource(layers)
        .image_extent(vk::Extent3D { width: size, height: size, depth: 1 });
    // All of it is written: what was there may go.
    let before = Use(vk::ImageLayout::UNDEFINED, before.1, before.2);
    let image = (to.raw, to.aspect);
    // SAFETY: the caller vouches for the command buffer, and that the texels are there.
    unsafe {
        barrier(&gpu.device, c, image, before, Use::COPIED_TO);
        gpu.device.cmd_copy_buffer_to_image(c, from.raw, to.raw, Use::COPIED_TO.0, &[region]);
        barrier(&gpu.device, c, image, Use::COPIED_TO, Use::SAMPLED);
    }
}

/// The layout of both pipelines, and the one set with every texture.
fn layout(gpu: &Gpu, small: &[Image], large: &Image) -> Result<(vk::PipelineLayout, vk::DescriptorSet)> {
    let kind = vk::DescriptorType::COMBINED_IMAGE_SAMPLER;
    let bindings = [vk::DescriptorSetLayoutBinding::default()
        .descriptor_type(kind)
        .descriptor_count(TEXTURES)
        .stage_flags(vk::ShaderStageFlags::FRAGMENT)];
    let sizes = [vk::DescriptorPoolSize { ty: kind, descriptor_count: TEXTURES }];
    let ranges = [
        vk::PushConstantRange { stage_flags: vk::ShaderStageFlags::VERTEX, offset: 0, size: 8 },
        vk::PushConstantRange { stage_flags: vk::ShaderStageFlags::FRAGMENT, offset: PUSHED_TEXTURE, size: 4 },
    ];
    // SAFETY: every pointer lives through its call, and what is made lives as long as the process.
    unsafe {
        let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        let sets = [gpu.device.create_descriptor_set_layout(&info, None)?];
        let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&sets).push_constant_ranges(&ranges);
        let layout = gpu.device.create_pipeline_layout(&info, None)?;
        let info = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&sizes);
        let pool = gpu.device.create_descriptor_pool(&info, None)?;
        let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&sets);
        let set = gpu.device.allocate_descriptor_sets(&info)?[0];
        let sampler = gpu.device.create_sampler(&vk::SamplerCreateInfo::default(), None)?;
        let infos: Vec<_> = (0..TEXTURES as usize)
            .map(|at| vk::DescriptorImageInfo {
                sampler,
                image_view: small.get(at).unwrap_or(large).view,
                image_layout: Use::SAMPLED.0,
            })
            .collect();
        let write = vk::WriteDescriptorSet::default().dst_set(set).descriptor_type(kind).image_info(&infos);
        gpu.device.update_descriptor_sets(&[write], &[]);
        Ok((layout, set))
    }
}

/// A pipeline of two shaders, everything that the cases change dynamic.
///
/// # Errors
/// Where Vulkan fails.
pub(crate) fn pipeline(gpu: &Gpu, layout: vk::PipelineLayout, vertex: &[u32], pixel: &[u32]) -> Result<vk::Pipeline> {
    let bindings = [vk::VertexInputBindingDescription::default().stride(STRIDE as u32)];
    let attribute = |location, format, offset| {
        vk::VertexInputAttributeDescription::default().location(location).format(format).offset(offset)
    };
    let attributes = [
        attribute(0, vk::Format::R32G32B32A32_SFLOAT, 0),
        attribute(1, vk::Format::R8G8B8A8_UNORM, 16),
        attribute(2, vk::Format::R32G32_SFLOAT, 20),
    ];
    let input = vk::PipelineVertexInputStateCreateInfo::default()
        .vertex_binding_descriptions(&bindings)
        .vertex_attribute_descriptions(&attributes);
    let assembly = vk::PipelineInputAssemblyStateCreateInfo::default().topology(vk::PrimitiveTopology::TRIANGLE_LIST);
    let viewport = vk::PipelineViewportStateCreateInfo::default().viewport_count(1).scissor_count(1);
    let raster = vk::PipelineRasterizationStateCreateInfo::default().line_width(1.0);
    let samples = vk::PipelineMultisampleStateCreateInfo::default().rasterization_samples(vk::SampleCountFlags::TYPE_1);
    let depth = vk::PipelineDepthStencilStateCreateInfo::default().depth_test_enable(true);
    let attachment = [vk::PipelineColorBlendAttachmentState::default().color_write_mask(vk::ColorComponentFlags::RGBA)];
    let blend = vk::PipelineColorBlendStateCreateInfo::default().attachments(&attachment);
    let mut states = vec![
        vk::DynamicState::VIEWPORT,
        vk::DynamicState::SCISSOR,
        vk::DynamicState::CULL_MODE,
        vk::DynamicState::DEPTH_WRITE_ENABLE,
        vk::DynamicState::DEPTH_COMPARE_OP,
    ];
    if gpu.blending.is_some() {
        states.extend([vk::DynamicState::COLOR_BLEND_ENABLE_EXT, vk::DynamicState::COLOR_BLEND_EQUATION_EXT]);
    }
    let dynamic = vk::PipelineDynamicStateCreateInfo::default().dynamic_states(&states);
    let colors = [TARGET_FORMAT];
    let mut rendering = vk::PipelineRenderingCreateInfo::default()
        .color_attachment_formats(&colors)
        .depth_attachment_format(gpu.depth_format)
        .stencil_attachment_format(gpu.depth_format);
    // SAFETY: every pointer lives through its call; the modules are valid, as `--validate` shows.
    unsafe {
        let module = |words| gpu.device.create_shader_module(&vk::ShaderModuleCreateInfo::default().code(words), None);
        let modules = [module(vertex)?, module(pixel)?];
        let kinds = [vk::ShaderStageFlags::VERTEX, vk::ShaderStageFlags::FRAGMENT];
        let stage =
            |at: usize| vk::PipelineShaderStageCreateInfo::default().module(modules[at]).stage(kinds[at]).name(c"main");
        let stages = [stage(0), stage(1)];
        let info = vk::GraphicsPipelineCreateInfo::default()
            .stages(&stages)
            .vertex_input_state(&input)
            .input_assembly_state(&assembly)
            .viewport_state(&viewport)
            .rasterization_state(&raster)
            .multisample_state(&samples)
            .depth_stencil_state(&depth)
            .color_blend_state(&blend)
            .dynamic_state(&dynamic)
            .layout(layout)
            .push_next(&mut rendering);
        let made = gpu.device.create_graphics_pipelines(vk::PipelineCache::null(), &[info], None);
        modules.into_iter().for_each(|module| gpu.device.destroy_shader_module(module, None));
        Ok(made.map_err(|(_, error)| error)?[0])
    }
}
