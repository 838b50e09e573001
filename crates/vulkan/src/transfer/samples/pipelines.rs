//! The pipelines that move samples, each made when it is first needed.

use crate::device::gpu::Gpu;
use crate::error::{Checked, Result};
use crate::transfer::depth;
use crate::transfer::samples::{Part, Push, shaders};
use ash::vk;
use std::collections::VecDeque;
use std::sync::Arc;

/// Stages that read the push constants.
pub(crate) const STAGES: vk::ShaderStageFlags =
    vk::ShaderStageFlags::from_raw(vk::ShaderStageFlags::COMPUTE.as_raw() | vk::ShaderStageFlags::FRAGMENT.as_raw());

/// Everything of Vulkan's that moves samples.
pub(crate) struct Movers {
    gpu: Arc<Gpu>,
    set_layout: vk::DescriptorSetLayout,
    pub(crate) layout: vk::PipelineLayout,
    readers: Vec<(Part, vk::Pipeline)>,
    writers: Vec<(Part, vk::Format, u8, vk::Pipeline)>,
    /// Pools of one set each, with the submissions that use them.
    pools: VecDeque<(u64, vk::DescriptorPool)>,
}

impl Movers {
    pub(crate) fn new(gpu: Arc<Gpu>) -> Result<Self> {
        let (set_layout, layout) = (vk::DescriptorSetLayout::null(), vk::PipelineLayout::null());
        let (readers, writers, pools) = (Vec::new(), Vec::new(), VecDeque::new());
        let mut movers = Self { gpu, set_layout, layout, readers, writers, pools };
        let bindings = [vk::DescriptorSetLayoutBinding::default()
            .descriptor_type(vk::DescriptorType::SAMPLED_IMAGE)
            .descriptor_count(1)
            .stage_flags(vk::ShaderStageFlags::COMPUTE)];
        let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        let raw = &movers.gpu.raw;
        // SAFETY: valid description.
        movers.set_layout =
            unsafe { raw.create_descriptor_set_layout(&info, None) }.checked("vkCreateDescriptorSetLayout")?;
        let sets = [movers.set_layout];
        let ranges = [vk::PushConstantRange::default().stage_flags(STAGES).size(size_of::<Push>() as u32)];
        let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&sets).push_constant_ranges(&ranges);
        // SAFETY: valid description.
        movers.layout = unsafe { raw.create_pipeline_layout(&info, None) }.checked("vkCreatePipelineLayout")?;
        Ok(movers)
    }

    /// A descriptor set with an image, for the submission `current`.
    pub(crate) fn set(
        &mut self,
        view: vk::ImageView,
        image_layout: vk::ImageLayout,
        current: u64,
        completed: u64,
    ) -> Result<vk::DescriptorSet> {
        let raw = &self.gpu.raw;
        let pool = match self.pools.front() {
            Some(&(number, pool)) if number <= completed => {
                self.pools.pop_front();
                // SAFETY: the submission that used its set has completed.
                let reset = unsafe { raw.reset_descriptor_pool(pool, vk::DescriptorPoolResetFlags::empty()) };
                reset.checked("vkResetDescriptorPool")?;
                pool
            }
            _ => {
                let sizes =
                    [vk::DescriptorPoolSize::default().ty(vk::DescriptorType::SAMPLED_IMAGE).descriptor_count(1)];
                let info = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&sizes);
                // SAFETY: valid description.
                unsafe { raw.create_descriptor_pool(&info, None) }.checked("vkCreateDescriptorPool")?
            }
        };
        self.pools.push_back((current, pool));
        let layouts = [self.set_layout];
        let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts);
        // SAFETY: the pool has room for one set of this layout.
        let set = unsafe { raw.allocate_descriptor_sets(&info) }.checked("vkAllocateDescriptorSets")?[0];
        let images = [vk::DescriptorImageInfo::default().image_view(view).image_layout(image_layout)];
        let write = [vk::WriteDescriptorSet::default()
            .dst_set(set)
            .descriptor_type(vk::DescriptorType::SAMPLED_IMAGE)
            .image_info(&images)];
        // SAFETY: set and view are alive, and no submission uses the set yet.
        unsafe { raw.update_descriptor_sets(&write, &[]) };
        Ok(set)
    }

    /// Of [`shaders::read`].
    pub(crate) fn reader(&mut self, part: Part) -> Result<vk::Pipeline> {
        if let Some((_, pipeline)) = self.readers.iter().find(|(of, _)| *of == part) {
            return Ok(*pipeline);
        }
        let raw = &self.gpu.raw;
        let module = self.module(&shaders::read(part))?;
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .module(module)
            .stage(vk::ShaderStageFlags::COMPUTE)
            .name(c"main");
        let info = [vk::ComputePipelineCreateInfo::default().stage(stage).layout(self.layout)];
        // SAFETY: valid description; the module goes when the pipeline has been made.
        let made = unsafe {
            let made = raw.create_compute_pipelines(vk::PipelineCache::null(), &info, None);
            raw.destroy_shader_module(module, None);
            made
        };
        let pipeline = made.map_err(|(_, error)| error).checked("vkCreateComputePipelines")?[0];
        self.readers.push((part, pipeline));
        Ok(pipeline)
    }

    /// Of [`shaders::write`], for images of a format and so many samples.
    pub(crate) fn writer(&mut self, part: Part, kind: vk::Format, samples: u8) -> Result<vk::Pipeline> {
        let wanted = (part, kind, samples);
        if let Some(found) = self.writers.iter().find(|(part, kind, samples, _)| (*part, *kind, *samples) == wanted) {
            return Ok(found.3);
        }
        let mut modules = [vk::ShaderModule::null(); 2];
        let made = self.write_pipeline(&mut modules, part, kind, samples);
        for module in modules {
            // SAFETY: the pipeline that they were made for is made, or will not be.
            unsafe { self.gpu.raw.destroy_shader_module(module, None) };
        }
        let pipeline = made?;
        self.writers.push((part, kind, samples, pipeline));
        Ok(pipeline)
    }

    fn write_pipeline(
        &self,
        modules: &mut [vk::ShaderModule; 2],
        part: Part,
        kind: vk::Format,
        samples: u8,
    ) -> Result<vk::Pipeline> {
        for (module, words) in modules.iter_mut().zip([shaders::vertex(), shaders::write(part)]) {
            *module = self.module(&words)?;
        }
        let stages = [(modules[0], vk::ShaderStageFlags::VERTEX), (modules[1], vk::ShaderStageFlags::FRAGMENT)].map(
            |(module, stage)| vk::PipelineShaderStageCreateInfo::default().module(module).stage(stage).name(c"main"),
        );
        let input = vk::PipelineVertexInputStateCreateInfo::default();
        let assembly =
            vk::PipelineInputAssemblyStateCreateInfo::default().topology(vk::PrimitiveTopology::TRIANGLE_LIST);
        let viewport = vk::PipelineViewportStateCreateInfo::default().viewport_count(1).scissor_count(1);
        let raster = vk::PipelineRasterizationStateCreateInfo::default().line_width(1.0);
        let multisample = vk::PipelineMultisampleStateCreateInfo::default()
            .rasterization_samples(vk::SampleCountFlags::from_raw(samples.into()))
            .sample_shading_enable(true)
            .min_sample_shading(1.0);
        let replace = vk::StencilOpState {
            pass_op: vk::StencilOp::REPLACE,
            compare_op: vk::CompareOp::ALWAYS,
            reference: 0xff,
            ..vk::StencilOpState::default()
        };
        let depth_stencil = vk::PipelineDepthStencilStateCreateInfo::default()
            .depth_test_enable(part == Part::Depth)
            .depth_write_enable(part == Part::Depth)
            .depth_compare_op(vk::CompareOp::ALWAYS)
            .stencil_test_enable(part == Part::Stencil)
            .front(replace)
            .back(replace);
        let attachments =
            [vk::PipelineColorBlendAttachmentState::default().color_write_mask(vk::ColorComponentFlags::RGBA)];
        let is_color = matches!(part, Part::Color(_));
        let mut blend = vk::PipelineColorBlendStateCreateInfo::default();
        let formats = [kind];
        let mut rendering = vk::PipelineRenderingCreateInfo::default();
        if is_color {
            blend = blend.attachments(&attachments);
            rendering = rendering.color_attachment_formats(&formats);
        } else {
            rendering = rendering.depth_attachment_format(kind);
            if depth::has_stencil(kind) {
                rendering = rendering.stencil_attachment_format(kind);
            }
        }
        let dynamic = [vk::DynamicState::VIEWPORT, vk::DynamicState::SCISSOR, vk::DynamicState::STENCIL_WRITE_MASK];
        // The mask is no one else's.
        let used = if part == Part::Stencil { 3 } else { 2 };
        let dynamic = vk::PipelineDynamicStateCreateInfo::default().dynamic_states(&dynamic[..used]);
        let info = [vk::GraphicsPipelineCreateInfo::default()
            .stages(&stages)
            .vertex_input_state(&input)
            .input_assembly_state(&assembly)
            .viewport_state(&viewport)
            .rasterization_state(&raster)
            .multisample_state(&multisample)
            .depth_stencil_state(&depth_stencil)
            .color_blend_state(&blend)
            .dynamic_state(&dynamic)
            .layout(self.layout)
            .push_next(&mut rendering)];
        // SAFETY: valid description; the modules live until the caller has the pipeline.
        let made = unsafe { self.gpu.raw.create_graphics_pipelines(vk::PipelineCache::null(), &info, None) };
        made.map(|pipelines| pipelines[0]).map_err(|(_, error)| error).checked("vkCreateGraphicsPipelines")
    }

    fn module(&self, words: &[u32]) -> Result<vk::ShaderModule> {
        let info = vk::ShaderModuleCreateInfo::default().code(words);
        // SAFETY: the words are a valid module, as `spirv-val` says of them in a test.
        unsafe { self.gpu.raw.create_shader_module(&info, None) }.checked("vkCreateShaderModule")
    }
}

impl Drop for Movers {
    fn drop(&mut self) {
        let readers = self.readers.drain(..).map(|(_, pipeline)| pipeline);
        // SAFETY: the renderer waits for the device before it drops its parts.
        unsafe {
            for pipeline in readers.chain(self.writers.drain(..).map(|(_, _, _, pipeline)| pipeline)) {
                self.gpu.raw.destroy_pipeline(pipeline, None);
            }
            for (_, pool) in self.pools.drain(..) {
                self.gpu.raw.destroy_descriptor_pool(pool, None);
            }
            self.gpu.raw.destroy_pipeline_layout(self.layout, None);
            self.gpu.raw.destroy_descriptor_set_layout(self.set_layout, None);
        }
    }
}
