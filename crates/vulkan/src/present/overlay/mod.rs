//! Drawing over a picture on its way out: gamma and figures. Nothing here is made before something is drawn.

pub(crate) mod shaders;

use crate::device::gpu::Gpu;
use crate::device::memory::{Buffer, Image, Place};
use crate::error::{Checked, Result};
use afterimage_render::hud::font;
use ash::vk;
use bytemuck::{Pod, Zeroable};
use std::sync::Arc;

/// Push constants of the shaders.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Push {
    /// Address of the rectangles.
    pub(crate) rectangles: u64,
    /// Address of the font's bits, or of the picture's texels.
    pub(crate) data: u64,
    /// Address of three times 256 floats.
    pub(crate) gamma: u64,
    /// From pixels to clip space.
    pub(crate) scale: [f32; 2],
    /// Pixel of the picture's first texel.
    pub(crate) origin: [u32; 2],
    /// Texels of a row.
    pub(crate) pitch: u32,
    pub(crate) pad: u32,
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
pub(crate) struct Pipelines {
    format: vk::Format,
    pub(crate) glyphs: vk::Pipeline,
    pub(crate) gamma: vk::Pipeline,
}

/// A picture that waits for its gamma.
pub(crate) struct Between {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) image: Image,
    pub(crate) texels: Buffer,
}

/// What drawing over pictures needs.
pub(crate) struct Overlays {
    gpu: Arc<Gpu>,
    pub(crate) layout: vk::PipelineLayout,
    pipelines: Vec<Pipelines>,
    pub(crate) font: Buffer,
    pub(crate) between: Option<Between>,
}

impl Overlays {
    pub(crate) fn new(gpu: &Arc<Gpu>) -> Result<Self> {
        let words = font::bits();
        let mut font = Buffer::new(gpu, "font", size_of_val(&words[..]) as u64, Place::Stream)?;
        font.bytes_mut(0, size_of_val(&words[..])).copy_from_slice(bytemuck::cast_slice(&words));
        let ranges = [vk::PushConstantRange::default()
            .stage_flags(vk::ShaderStageFlags::VERTEX | vk::ShaderStageFlags::FRAGMENT)
            .size(size_of::<Push>() as u32)];
        let info = vk::PipelineLayoutCreateInfo::default().push_constant_ranges(&ranges);
        // SAFETY: valid description.
        let layout = unsafe { gpu.raw.create_pipeline_layout(&info, None) }.checked("vkCreatePipelineLayout")?;
        Ok(Self { gpu: Arc::clone(gpu), layout, pipelines: Vec::new(), font, between: None })
    }

    pub(crate) fn pipelines(&mut self, format: vk::Format) -> Result<&Pipelines> {
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
