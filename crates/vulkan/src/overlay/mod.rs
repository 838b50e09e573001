//! Drawing over a picture on its way out: gamma and figures. Nothing here is made before something is drawn.

mod shaders;

use crate::error::{Checked, Result};
use crate::gpu::Gpu;
use crate::hud::font;
use crate::memory::{Buffer, Image, Place};
use crate::present::picture_image;
use crate::renderer::Renderer;
use crate::submit::{Trash, full_barrier};
use afterimage_stream::ObjectId;
use afterimage_stream::packets::{Rect, SetGamma};
use ash::vk;
use bytemuck::{Pod, Zeroable};
use std::sync::Arc;

/// A rectangle of pixels from the upper left, with a glyph or filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Rectangle {
    pub(crate) x: u16,
    pub(crate) y: u16,
    pub(crate) width: u16,
    pub(crate) height: u16,
    /// Number of the glyph in the font; [`Rectangle::FILLED`] is none.
    pub(crate) glyph: u32,
    /// Red to alpha.
    pub(crate) color: [u8; 4],
}

impl Rectangle {
    pub(crate) const FILLED: u32 = u32::MAX;
}

/// Push constants of the shaders.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Push {
    /// Address of the rectangles.
    rectangles: u64,
    /// Address of the font's bits, or of the picture's texels.
    data: u64,
    /// Address of three times 256 floats.
    gamma: u64,
    /// From pixels to clip space.
    scale: [f32; 2],
    /// Pixel of the picture's first texel.
    origin: [u32; 2],
    /// Texels of a row.
    pitch: u32,
    pad: u32,
}

impl Push {
    /// Bytes to each member.
    const OFFSETS: [u32; 6] = [0, 8, 16, 24, 32, 40];
}

/// An image that is drawn to.
#[derive(Clone, Copy)]
pub(crate) struct Canvas {
    pub(crate) view: vk::ImageView,
    pub(crate) format: vk::Format,
    pub(crate) extent: vk::Extent2D,
}

/// Pipelines for targets of one format.
struct Pipelines {
    format: vk::Format,
    glyphs: vk::Pipeline,
    gamma: vk::Pipeline,
}

/// A picture that waits for its gamma.
struct Between {
    width: u32,
    height: u32,
    image: Image,
    texels: Buffer,
}

/// What drawing over pictures needs.
pub(crate) struct Overlays {
    gpu: Arc<Gpu>,
    layout: vk::PipelineLayout,
    pipelines: Vec<Pipelines>,
    font: Buffer,
    between: Option<Between>,
}

impl Overlays {
    fn new(gpu: &Arc<Gpu>) -> Result<Self> {
        let words = font::bits();
        let font = Buffer::new(gpu, "font", size_of_val(&words[..]) as u64, Place::Stream)?;
        font.bytes_mut(0, size_of_val(&words[..])).copy_from_slice(bytemuck::cast_slice(&words));
        let ranges = [vk::PushConstantRange::default()
            .stage_flags(vk::ShaderStageFlags::VERTEX | vk::ShaderStageFlags::FRAGMENT)
            .size(size_of::<Push>() as u32)];
        let info = vk::PipelineLayoutCreateInfo::default().push_constant_ranges(&ranges);
        // SAFETY: valid description.
        let layout = unsafe { gpu.raw.create_pipeline_layout(&info, None) }.checked("vkCreatePipelineLayout")?;
        Ok(Self { gpu: Arc::clone(gpu), layout, pipelines: Vec::new(), font, between: None })
    }

    fn pipelines(&mut self, format: vk::Format) -> Result<&Pipelines> {
        let at = match self.pipelines.iter().position(|pipelines| pipelines.format == format) {
            Some(at) => at,
            None => {
                let glyphs = self.pipeline(format, &shaders::glyph(), true)?;
                // Listed at once, so that it is destroyed whatever comes.
                self.pipelines.push(Pipelines { format, glyphs, gamma: vk::Pipeline::null() });
                let at = self.pipelines.len() - 1;
                self.pipelines[at].gamma = self.pipeline(format, &shaders::gamma(), false)?;
                at
            }
        };
        Ok(&self.pipelines[at])
    }

    fn pipeline(&self, format: vk::Format, pixel: &[u32], blend: bool) -> Result<vk::Pipeline> {
        let raw = &self.gpu.raw;
        let mut modules = [vk::ShaderModule::null(); 2];
        let result = self.pipeline_of(&mut modules, format, pixel, blend);
        for module in modules {
            // SAFETY: the pipeline that they were made for is made, or will not be.
            unsafe { raw.destroy_shader_module(module, None) };
        }
        result
    }

    fn pipeline_of(
        &self,
        modules: &mut [vk::ShaderModule; 2],
        format: vk::Format,
        pixel: &[u32],
        blend: bool,
    ) -> Result<vk::Pipeline> {
        let raw = &self.gpu.raw;
        for (module, words) in modules.iter_mut().zip([&shaders::vertex()[..], pixel]) {
            let info = vk::ShaderModuleCreateInfo::default().code(words);
            // SAFETY: the words are a valid module, as `spirv-val` says of them in a test.
            *module = unsafe { raw.create_shader_module(&info, None) }.checked("vkCreateShaderModule")?;
        }
        let stages = [(modules[0], vk::ShaderStageFlags::VERTEX), (modules[1], vk::ShaderStageFlags::FRAGMENT)].map(
            |(module, stage)| vk::PipelineShaderStageCreateInfo::default().module(module).stage(stage).name(c"main"),
        );
        let input = vk::PipelineVertexInputStateCreateInfo::default();
        let assembly =
            vk::PipelineInputAssemblyStateCreateInfo::default().topology(vk::PrimitiveTopology::TRIANGLE_STRIP);
        let viewport = vk::PipelineViewportStateCreateInfo::default().viewport_count(1).scissor_count(1);
        let raster = vk::PipelineRasterizationStateCreateInfo::default().line_width(1.0);
        let samples =
            vk::PipelineMultisampleStateCreateInfo::default().rasterization_samples(vk::SampleCountFlags::TYPE_1);
        let attachments = [vk::PipelineColorBlendAttachmentState::default()
            .blend_enable(blend)
            .src_color_blend_factor(vk::BlendFactor::SRC_ALPHA)
            .dst_color_blend_factor(vk::BlendFactor::ONE_MINUS_SRC_ALPHA)
            .src_alpha_blend_factor(vk::BlendFactor::ZERO)
            .dst_alpha_blend_factor(vk::BlendFactor::ONE)
            .color_write_mask(vk::ColorComponentFlags::RGBA)];
        let blending = vk::PipelineColorBlendStateCreateInfo::default().attachments(&attachments);
        let dynamic = [vk::DynamicState::VIEWPORT, vk::DynamicState::SCISSOR];
        let dynamic = vk::PipelineDynamicStateCreateInfo::default().dynamic_states(&dynamic);
        let formats = [format];
        let mut rendering = vk::PipelineRenderingCreateInfo::default().color_attachment_formats(&formats);
        let info = [vk::GraphicsPipelineCreateInfo::default()
            .stages(&stages)
            .vertex_input_state(&input)
            .input_assembly_state(&assembly)
            .viewport_state(&viewport)
            .rasterization_state(&raster)
            .multisample_state(&samples)
            .color_blend_state(&blending)
            .dynamic_state(&dynamic)
            .layout(self.layout)
            .push_next(&mut rendering)];
        // SAFETY: valid description; the modules live until the caller has the pipeline.
        let made = unsafe { raw.create_graphics_pipelines(vk::PipelineCache::null(), &info, None) };
        made.map(|pipelines| pipelines[0]).map_err(|(_, error)| error).checked("vkCreateGraphicsPipelines")
    }
}

impl Drop for Overlays {
    fn drop(&mut self) {
        // SAFETY: the renderer waits for the device before it drops its parts.
        unsafe {
            for pipelines in &self.pipelines {
                self.gpu.raw.destroy_pipeline(pipelines.glyphs, None);
                self.gpu.raw.destroy_pipeline(pipelines.gamma, None);
            }
            self.gpu.raw.destroy_pipeline_layout(self.layout, None);
        }
    }
}

impl Renderer {
    fn overlays(&mut self) -> Result<&mut Overlays> {
        let overlays = match self.presenter.overlays.take() {
            Some(overlays) => overlays,
            None => Box::new(Overlays::new(&self.gpu)?),
        };
        Ok(self.presenter.overlays.insert(overlays))
    }

    /// Draws rectangles. The image is in the layout of colour attachments.
    pub(crate) fn draw_rectangles(&mut self, canvas: Canvas, rectangles: &[Rectangle]) -> Result {
        if rectangles.is_empty() {
            return Ok(());
        }
        let overlays = self.overlays()?;
        let (layout, font) = (overlays.layout, overlays.font.address);
        let pipeline = overlays.pipelines(canvas.format)?.glyphs;
        let push = Push { data: font, ..Push::zeroed() };
        self.draw_over(canvas, rectangles, vk::AttachmentLoadOp::LOAD, (pipeline, layout), push)
    }

    /// Blits a part of a texture into a part of an image as [`Renderer::blit_out`] does, through gamma. The image is in the layout of
    /// colour attachments; what is around the part is black.
    pub(crate) fn draw_with_gamma(
        &mut self,
        id: ObjectId,
        from: Rect,
        canvas: Canvas,
        to: Rect,
        steps: &[u16],
    ) -> Result {
        let (current, completed) = (self.submissions.current, self.submissions.completed);
        let ramp = self.constants.alloc(SetGamma::STEPS * 4, 16, current, completed)?;
        for (bytes, step) in ramp.bytes().chunks_exact_mut(4).zip(steps) {
            bytes.copy_from_slice(&(f32::from(*step) / 65_535.0).to_le_bytes());
        }
        let gpu = Arc::clone(&self.gpu);
        let overlays = self.overlays()?;
        let (layout, pipeline) = (overlays.layout, overlays.pipelines(canvas.format)?.gamma);
        let fits = |between: &Between| (between.width, between.height) == (to.width, to.height);
        let between = match overlays.between.take() {
            Some(between) if fits(&between) => between,
            old => {
                let extent = vk::Extent2D { width: to.width, height: to.height };
                let bytes = u64::from(to.width) * u64::from(to.height) * 4;
                if let Some(old) = old {
                    self.submissions.discard(Trash::Image(old.image.into()));
                    self.submissions.discard(Trash::Buffer(old.texels));
                }
                Between {
                    width: to.width,
                    height: to.height,
                    image: picture_image(&gpu, "before gamma", extent, vk::ImageUsageFlags::empty())?,
                    texels: Buffer::new(&gpu, "before gamma", bytes, Place::Device)?,
                }
            }
        };
        let (image, texels, address) = (between.image.raw, between.texels.raw, between.texels.address);
        self.overlays()?.between = Some(between);
        let (source, target) = (vk::ImageLayout::TRANSFER_SRC_OPTIMAL, vk::ImageLayout::TRANSFER_DST_OPTIMAL);
        self.end_pass();
        let cmd = self.main();
        self.image_barrier(cmd, image, vk::ImageLayout::UNDEFINED, target);
        let whole = Rect { x: 0, y: 0, width: to.width, height: to.height };
        self.blit_out(id, from, image, target, whole)?;
        let cmd = self.main();
        self.image_barrier(cmd, image, target, source);
        let layers = vk::ImageSubresourceLayers::default().aspect_mask(vk::ImageAspectFlags::COLOR).layer_count(1);
        let region = [vk::BufferImageCopy::default().image_subresource(layers).image_extent(vk::Extent3D {
            width: to.width,
            height: to.height,
            depth: 1,
        })];
        // SAFETY: the image has this size and layout, the buffer as many bytes.
        unsafe { gpu.raw.cmd_copy_image_to_buffer(cmd, image, source, texels, &region) };
        full_barrier(&gpu, cmd);
        let narrow = |edge: u32| edge.min(u16::MAX.into()) as u16;
        let rectangle = Rectangle {
            x: narrow(to.x as u32),
            y: narrow(to.y as u32),
            width: narrow(to.width),
            height: narrow(to.height),
            glyph: Rectangle::FILLED,
            color: [255; 4],
        };
        let push = Push {
            data: address,
            gamma: ramp.address,
            origin: [to.x as u32, to.y as u32],
            pitch: to.width,
            ..Push::zeroed()
        };
        self.draw_over(canvas, &[rectangle], vk::AttachmentLoadOp::CLEAR, (pipeline, layout), push)
    }

    fn draw_over(
        &mut self,
        canvas: Canvas,
        rectangles: &[Rectangle],
        load: vk::AttachmentLoadOp,
        (pipeline, layout): (vk::Pipeline, vk::PipelineLayout),
        push: Push,
    ) -> Result {
        let (current, completed) = (self.submissions.current, self.submissions.completed);
        let slice = self.constants.alloc(size_of_val(rectangles), 16, current, completed)?;
        slice.bytes().copy_from_slice(bytemuck::cast_slice(rectangles));
        let extent = canvas.extent;
        let push =
            Push { rectangles: slice.address, scale: [2.0 / extent.width as f32, 2.0 / extent.height as f32], ..push };
        self.end_pass();
        let cmd = self.main();
        let black = vk::ClearValue { color: vk::ClearColorValue { float32: [0.0, 0.0, 0.0, 1.0] } };
        let attachment = [vk::RenderingAttachmentInfo::default()
            .image_view(canvas.view)
            .image_layout(vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL)
            .load_op(load)
            .store_op(vk::AttachmentStoreOp::STORE)
            .clear_value(black)];
        let area = vk::Rect2D { offset: vk::Offset2D::default(), extent };
        let info = vk::RenderingInfo::default().render_area(area).layer_count(1).color_attachments(&attachment);
        let viewport = vk::Viewport {
            x: 0.0,
            y: 0.0,
            width: extent.width as f32,
            height: extent.height as f32,
            min_depth: 0.0,
            max_depth: 1.0,
        };
        let stages = vk::ShaderStageFlags::VERTEX | vk::ShaderStageFlags::FRAGMENT;
        let raw = &self.gpu.raw;
        // SAFETY: no pass is open; the view is alive and in the layout named; what the addresses name lives until the
        // submission has completed.
        unsafe {
            raw.cmd_begin_rendering(cmd, &info);
            raw.cmd_bind_pipeline(cmd, vk::PipelineBindPoint::GRAPHICS, pipeline);
            raw.cmd_set_viewport(cmd, 0, &[viewport]);
            raw.cmd_set_scissor(cmd, 0, &[area]);
            raw.cmd_push_constants(cmd, layout, stages, 0, bytemuck::bytes_of(&push));
            raw.cmd_draw(cmd, 4, rectangles.len() as u32, 0, 0);
            raw.cmd_end_rendering(cmd);
        }
        Ok(())
    }
}
