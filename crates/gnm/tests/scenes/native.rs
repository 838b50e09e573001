//! Pipelines of the corpus as Vulkan has them: their own SPIR-V, drawn and captured by the device itself.

#[path = "../../../spirv/tests/gpu/device.rs"]
pub(crate) mod device;

use afterimage_gcn_corpus::{Kind, Program, Stage};
use ash::vk;
use device::{Gpu, Image, Result, Shape};
use std::sync::Mutex;

/// Words of buffers that nothing was captured to.
pub(crate) const UNTOUCHED: u32 = 0x7F7F_7F7F;
/// Buffers of transform feedback.
const BUFFERS: usize = 4;

/// What is drawn.
pub(crate) struct Job<'a> {
    pub(crate) program: &'a Program,
    pub(crate) topology: vk::PrimitiveTopology,
    pub(crate) vertices: &'a [u32],
    pub(crate) instances: u32,
    pub(crate) size: [u32; 2],
    /// Six or one.
    pub(crate) layers: u32,
    /// Bytes of each buffer.
    pub(crate) room: u32,
    /// Whether something is captured.
    pub(crate) captures: bool,
}

/// What came out.
pub(crate) struct Drawn {
    /// Four bytes a pixel, layer by layer.
    pub(crate) pixels: Vec<u8>,
    /// What each buffer holds.
    pub(crate) captured: Vec<Vec<u32>>,
    /// How many bytes of each were written.
    pub(crate) filled: Vec<u32>,
}

fn words(bytes: &[u32]) -> Vec<u8> {
    bytes.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Draws, with y down.
pub(crate) fn draw(job: &Job<'_>) -> Drawn {
    // One after the other: the device's command pool is for one thread.
    static GPU: Mutex<Option<Gpu>> = Mutex::new(None);
    let mut gpu = GPU.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let gpu = gpu.get_or_insert_with(Gpu::new);
    draw_on(gpu, job).unwrap_or_else(|error| panic!("{} on {}: {error}", job.program.name, gpu.name))
}

/// The pipeline, with its layout.
fn pipeline(gpu: &Gpu, job: &Job<'_>) -> Result<(vk::Pipeline, vk::PipelineLayout)> {
    let (d, header) = (&gpu.device, &job.program.header);
    let attributes: Vec<_> = header
        .attributes
        .iter()
        .map(|attribute| vk::VertexInputAttributeDescription {
            location: attribute.location,
            binding: attribute.binding,
            format: vk::Format::from_raw(attribute.format.vulkan),
            offset: attribute.offset,
        })
        .collect();
    let stride = header.resources.iter().find_map(|resource| match resource.kind {
        Kind::Vertices { stride, .. } => Some(stride),
        _ => None,
    });
    let buffers = [vk::VertexInputBindingDescription {
        binding: 0,
        stride: stride.unwrap_or(16),
        input_rate: vk::VertexInputRate::VERTEX,
    }];
    let input = vk::PipelineVertexInputStateCreateInfo::default()
        .vertex_attribute_descriptions(&attributes)
        .vertex_binding_descriptions(&buffers);
    let assembly = vk::PipelineInputAssemblyStateCreateInfo::default().topology(job.topology);
    let patch = vk::PipelineTessellationStateCreateInfo::default().patch_control_points(header.patch.max(1));
    let [width, height] = job.size;
    let viewports =
        [vk::Viewport { width: width as f32, height: height as f32, max_depth: 1.0, ..vk::Viewport::default() }];
    let scissors = [vk::Rect2D { extent: vk::Extent2D { width, height }, ..vk::Rect2D::default() }];
    let viewport = vk::PipelineViewportStateCreateInfo::default().viewports(&viewports).scissors(&scissors);
    let raster = vk::PipelineRasterizationStateCreateInfo::default().line_width(1.0);
    let samples = vk::PipelineMultisampleStateCreateInfo::default().rasterization_samples(vk::SampleCountFlags::TYPE_1);
    let blends = [vk::PipelineColorBlendAttachmentState::default().color_write_mask(vk::ColorComponentFlags::RGBA)];
    let blend = vk::PipelineColorBlendStateCreateInfo::default().attachments(&blends);
    let formats = [vk::Format::R8G8B8A8_UNORM];
    let mut rendering = vk::PipelineRenderingCreateInfo::default().color_attachment_formats(&formats);
    let flags = |stage| match stage {
        Stage::Vert => vk::ShaderStageFlags::VERTEX,
        Stage::Tesc => vk::ShaderStageFlags::TESSELLATION_CONTROL,
        Stage::Tese => vk::ShaderStageFlags::TESSELLATION_EVALUATION,
        Stage::Geom => vk::ShaderStageFlags::GEOMETRY,
        _ => vk::ShaderStageFlags::FRAGMENT,
    };
    // SAFETY: all pointers are to locals that live through the calls, and glslang's output is valid SPIR-V.
    unsafe {
        let layout = d.create_pipeline_layout(&vk::PipelineLayoutCreateInfo::default(), None)?;
        let mut stages = Vec::new();
        for &stage in &job.program.stages {
            let code = job.program.spirv(stage).unwrap_or_else(|error| panic!("{error}"));
            let module = d.create_shader_module(&vk::ShaderModuleCreateInfo::default().code(&code), None)?;
            let info = vk::PipelineShaderStageCreateInfo::default().stage(flags(stage)).module(module);
            stages.push(info.name(c"main"));
        }
        let info = vk::GraphicsPipelineCreateInfo::default()
            .stages(&stages)
            .vertex_input_state(&input)
            .input_assembly_state(&assembly)
            .tessellation_state(&patch)
            .viewport_state(&viewport)
            .rasterization_state(&raster)
            .multisample_state(&samples)
            .color_blend_state(&blend)
            .layout(layout)
            .push_next(&mut rendering);
        let made = d.create_graphics_pipelines(vk::PipelineCache::null(), &[info], None);
        stages.iter().for_each(|stage| d.destroy_shader_module(stage.module, None));
        Ok((made.map_err(|(_, error)| error)?[0], layout))
    }
}

/// A target, and the view that is drawn to.
fn target(gpu: &Gpu, job: &Job<'_>) -> Result<(Image, vk::ImageView)> {
    let [width, height] = job.size;
    let mut shape = Shape::target(vk::Format::R8G8B8A8_UNORM, width, height);
    if job.layers > 1 {
        // What has six layers.
        shape.view = vk::ImageViewType::CUBE;
    }
    let image = gpu.image(shape)?;
    let info = vk::ImageViewCreateInfo::default()
        .image(image.image)
        .view_type(vk::ImageViewType::TYPE_2D_ARRAY)
        .format(shape.format)
        .subresource_range(shape.range());
    // SAFETY: the image is valid.
    let view = unsafe { gpu.device.create_image_view(&info, None)? };
    Ok((image, view))
}

fn draw_on(gpu: &Gpu, job: &Job<'_>) -> Result<Drawn> {
    let d = &gpu.device;
    let (pipeline, layout) = pipeline(gpu, job)?;
    let (image, view) = target(gpu, job)?;
    let [width, height] = job.size;
    let vertices = gpu.filled(&words(job.vertices), vk::BufferUsageFlags::VERTEX_BUFFER)?;
    let bytes = u64::from(width * height * 4 * job.layers);
    let out = gpu.buffer(bytes, vk::BufferUsageFlags::TRANSFER_DST)?;
    let untouched = words(&vec![UNTOUCHED; job.room as usize / 4]);
    let capture = vk::BufferUsageFlags::TRANSFORM_FEEDBACK_BUFFER_EXT;
    let buffers = (0..BUFFERS).map(|_| gpu.filled(&untouched, capture)).collect::<Result<Vec<_>>>()?;
    let counts = gpu.filled(&[0; 4 * BUFFERS], vk::BufferUsageFlags::TRANSFORM_FEEDBACK_COUNTER_BUFFER_EXT)?;
    let feedback = job.captures.then(|| gpu.feedback.as_ref().expect("transform feedback")).map(|feedback| {
        let handles: Vec<_> = buffers.iter().map(|buffer| buffer.buffer).collect();
        (feedback, handles, [counts.buffer; BUFFERS], [0, 4, 8, 12u64])
    });
    let stride = job.program.header.resources.iter().find_map(|resource| match resource.kind {
        Kind::Vertices { stride, .. } => Some(stride),
        _ => None,
    });
    let count = 4 * job.vertices.len() as u32 / stride.unwrap_or(16);
    // SAFETY: everything lives until the submission is done, and has room for what is read and written.
    gpu.submit(|c| unsafe {
        gpu.to_general(c, &image);
        let attachment = [vk::RenderingAttachmentInfo::default()
            .image_view(view)
            .image_layout(vk::ImageLayout::GENERAL)
            .load_op(vk::AttachmentLoadOp::CLEAR)
            .store_op(vk::AttachmentStoreOp::STORE)];
        let area = vk::Rect2D { extent: vk::Extent2D { width, height }, ..Default::default() };
        let rendering =
            vk::RenderingInfo::default().render_area(area).layer_count(job.layers).color_attachments(&attachment);
        d.cmd_begin_rendering(c, &rendering);
        d.cmd_bind_pipeline(c, vk::PipelineBindPoint::GRAPHICS, pipeline);
        d.cmd_bind_vertex_buffers(c, 0, &[vertices.buffer], &[0]);
        if let Some((feedback, handles, ..)) = &feedback {
            let sizes = [u64::from(job.room); BUFFERS];
            let count = BUFFERS as u32;
            let starts = [0; BUFFERS];
            let bind = feedback.fp().cmd_bind_transform_feedback_buffers_ext;
            bind(c, 0, count, handles.as_ptr(), starts.as_ptr(), sizes.as_ptr());
            (feedback.fp().cmd_begin_transform_feedback_ext)(c, 0, 0, std::ptr::null(), std::ptr::null());
        }
        d.cmd_draw(c, count, job.instances, 0, 0);
        if let Some((feedback, _, counters, offsets)) = &feedback {
            let end = feedback.fp().cmd_end_transform_feedback_ext;
            end(c, 0, BUFFERS as u32, counters.as_ptr(), offsets.as_ptr());
        }
        d.cmd_end_rendering(c);
        gpu.barrier(c);
        gpu.copy_out(c, &image, &out, 0);
        gpu.barrier(c);
    })?;
    let mut pixels = words(&gpu.read(&out)?);
    pixels.truncate(bytes as usize);
    let captured = buffers.iter().map(|buffer| gpu.read(buffer)).collect::<Result<_>>()?;
    let filled = gpu.read(&counts)?;
    // SAFETY: the submission is done.
    unsafe {
        d.destroy_image_view(view, None);
        d.destroy_pipeline(pipeline, None);
        d.destroy_pipeline_layout(layout, None);
    }
    gpu.free_image(image);
    [vertices, out, counts].into_iter().chain(buffers).for_each(|buffer| gpu.free(buffer));
    Ok(Drawn { pixels, captured, filled })
}
