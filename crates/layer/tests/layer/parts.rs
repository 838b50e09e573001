//! What scenes are made of.

use ash::vk::{self, ShaderStageFlags as Stages};

/// A word that nothing is captured over.
pub(crate) const UNTOUCHED: u32 = 0xdead_beef;

pub(crate) fn bytes(words: impl IntoIterator<Item = u32>) -> Vec<u8> {
    words.into_iter().flat_map(u32::to_le_bytes).collect()
}

pub(crate) fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

/// So many bytes that nothing is captured over.
pub(crate) fn untouched(size: usize) -> Vec<u8> {
    bytes(std::iter::repeat_n(UNTOUCHED, size / 4))
}

/// Shaders that most scenes draw with, by their places in [`SOURCES`].
pub(crate) const NUMBERS: usize = 0;
pub(crate) const GIVEN: usize = 1;
pub(crate) const STREAMS: usize = 2;
pub(crate) const PAINT: usize = 3;
pub(crate) const SOURCES: [&[u8]; 4] = [
    include_bytes!("shaders/numbers.vert.spv"),
    include_bytes!("shaders/given.vert.spv"),
    include_bytes!("shaders/streams.geom.spv"),
    include_bytes!("shaders/number.frag.spv"),
];

/// The stages of these shaders.
pub(crate) const STAGES: [Stages; 4] = [Stages::VERTEX, Stages::VERTEX, Stages::GEOMETRY, Stages::FRAGMENT];

/// A module.
///
/// # Errors
/// When it cannot be created, as of all that is created here.
pub(crate) fn module(d: &ash::Device, source: &[u8]) -> Result<vk::ShaderModule, vk::Result> {
    let code = words(source);
    // SAFETY: as in the client, here and below.
    unsafe { d.create_shader_module(&vk::ShaderModuleCreateInfo::default().code(&code), None) }
}

/// A stage of a pipeline.
pub(crate) fn stage(stage: Stages, module: vk::ShaderModule) -> vk::PipelineShaderStageCreateInfo<'static> {
    vk::PipelineShaderStageCreateInfo::default().stage(stage).module(module).name(c"main")
}

/// The layout of a set with these bindings, of a descriptor each.
pub(crate) fn set_layout(
    d: &ash::Device,
    flags: vk::DescriptorSetLayoutCreateFlags,
    bindings: &[(u32, vk::DescriptorType, Stages)],
) -> Result<vk::DescriptorSetLayout, vk::Result> {
    let binding = |&(n, ty, stages): &(u32, vk::DescriptorType, Stages)| {
        vk::DescriptorSetLayoutBinding::default().binding(n).descriptor_type(ty).descriptor_count(1).stage_flags(stages)
    };
    let bindings: Vec<_> = bindings.iter().map(binding).collect();
    let info = vk::DescriptorSetLayoutCreateInfo::default().flags(flags).bindings(&bindings);
    // SAFETY: as above.
    unsafe { d.create_descriptor_set_layout(&info, None) }
}

/// A layout of sets alone.
pub(crate) fn layout(d: &ash::Device, sets: &[vk::DescriptorSetLayout]) -> Result<vk::PipelineLayout, vk::Result> {
    // SAFETY: as above.
    unsafe { d.create_pipeline_layout(&vk::PipelineLayoutCreateInfo::default().set_layouts(sets), None) }
}

/// In a rendering of one pixel without attachments.
pub(crate) fn rendering(d: &ash::Device, c: vk::CommandBuffer, inside: impl FnOnce()) {
    let area = vk::Rect2D { extent: vk::Extent2D { width: 1, height: 1 }, ..Default::default() };
    // SAFETY: as above.
    unsafe {
        d.cmd_begin_rendering(c, &vk::RenderingInfo::default().render_area(area).layer_count(1));
        inside();
        d.cmd_end_rendering(c);
    }
}

/// Everything that was written is there for whatever follows, and for the program.
pub(crate) fn wait_for_all(d: &ash::Device, c: vk::CommandBuffer) {
    use vk::{AccessFlags as Access, PipelineStageFlags as Stage};
    let barrier = [vk::MemoryBarrier::default()
        .src_access_mask(Access::MEMORY_WRITE)
        .dst_access_mask(Access::MEMORY_READ | Access::MEMORY_WRITE)];
    let (all, none) = (Stage::ALL_COMMANDS, vk::DependencyFlags::empty());
    // SAFETY: as above.
    unsafe { d.cmd_pipeline_barrier(c, all, all | Stage::HOST, none, &barrier, &[], &[]) };
}

/// What is drawn in, where it is not nothing.
#[derive(Clone, Copy)]
pub(crate) enum Target {
    /// Dynamic rendering without attachments.
    Nothing,
    /// Dynamic rendering to a square picture with so many pixels on a side, which a fragment shader paints.
    Picture(u32, vk::ShaderModule),
    /// Dynamic rendering without attachments, of several views.
    Views(u32),
    /// A subpass without attachments.
    Subpass(vk::RenderPass, u32),
}

/// A pipeline that draws what has one attribute, of two words.
#[derive(Clone, Copy)]
pub(crate) struct Drawn<'a> {
    pub(crate) layout: vk::PipelineLayout,
    /// All but the one that paints.
    pub(crate) stages: &'a [vk::PipelineShaderStageCreateInfo<'a>],
    pub(crate) topology: vk::PrimitiveTopology,
    /// Bytes from vertex to vertex.
    pub(crate) stride: u32,
    pub(crate) flags: vk::PipelineCreateFlags,
    /// Vertex input is dynamic state.
    pub(crate) dynamic: bool,
    pub(crate) target: Target,
}

impl<'a> Drawn<'a> {
    /// Points, not to be seen.
    pub(crate) fn points(layout: vk::PipelineLayout, stages: &'a [vk::PipelineShaderStageCreateInfo<'a>]) -> Self {
        Self {
            layout,
            stages,
            topology: vk::PrimitiveTopology::POINT_LIST,
            stride: 8,
            flags: vk::PipelineCreateFlags::empty(),
            dynamic: false,
            target: Target::Nothing,
        }
    }

    fn views(&self) -> u32 {
        if let Target::Views(views) = self.target { views } else { 0 }
    }

    /// Everything that a pipeline is created by.
    pub(crate) fn with<T>(&self, create: impl FnOnce(vk::GraphicsPipelineCreateInfo<'_>) -> T) -> T {
        let bindings = [vk::VertexInputBindingDescription { binding: 0, stride: self.stride, ..Default::default() }];
        let attributes =
            [vk::VertexInputAttributeDescription { format: vk::Format::R32G32_UINT, ..Default::default() }];
        let input = vk::PipelineVertexInputStateCreateInfo::default()
            .vertex_binding_descriptions(&bindings)
            .vertex_attribute_descriptions(&attributes);
        let assembly = vk::PipelineInputAssemblyStateCreateInfo::default().topology(self.topology);
        let (side, painted) = match self.target {
            Target::Picture(side, module) => (side, Some(stage(Stages::FRAGMENT, module))),
            Target::Nothing | Target::Views(_) | Target::Subpass(..) => (1, None),
        };
        let stages: Vec<_> = self.stages.iter().copied().chain(painted).collect();
        let viewport = [vk::Viewport { width: side as f32, height: side as f32, max_depth: 1.0, ..Default::default() }];
        let scissor = [vk::Rect2D { extent: vk::Extent2D { width: side, height: side }, ..Default::default() }];
        let viewport = vk::PipelineViewportStateCreateInfo::default().viewports(&viewport).scissors(&scissor);
        let raster = vk::PipelineRasterizationStateCreateInfo::default()
            .rasterizer_discard_enable(painted.is_none())
            .line_width(1.0);
        let samples =
            vk::PipelineMultisampleStateCreateInfo::default().rasterization_samples(vk::SampleCountFlags::TYPE_1);
        let depth = vk::PipelineDepthStencilStateCreateInfo::default();
        let blend = [vk::PipelineColorBlendAttachmentState::default().color_write_mask(vk::ColorComponentFlags::RGBA)];
        let attachments = usize::from(painted.is_some());
        let blend = vk::PipelineColorBlendStateCreateInfo::default().attachments(&blend[..attachments]);
        let states = [vk::DynamicState::VERTEX_INPUT_EXT];
        let states = vk::PipelineDynamicStateCreateInfo::default().dynamic_states(&states[..usize::from(self.dynamic)]);
        let formats = [vk::Format::R8G8B8A8_UNORM];
        let mut rendering = vk::PipelineRenderingCreateInfo::default()
            .view_mask(self.views())
            .color_attachment_formats(&formats[..attachments]);
        let info = vk::GraphicsPipelineCreateInfo::default()
            .flags(self.flags)
            .stages(&stages)
            .vertex_input_state(&input)
            .input_assembly_state(&assembly)
            .viewport_state(&viewport)
            .rasterization_state(&raster)
            .multisample_state(&samples)
            .depth_stencil_state(&depth)
            .color_blend_state(&blend)
            .dynamic_state(&states)
            .layout(self.layout);
        create(match self.target {
            Target::Subpass(pass, subpass) => info.render_pass(pass).subpass(subpass),
            Target::Nothing | Target::Picture(..) | Target::Views(_) => info.push_next(&mut rendering),
        })
    }

    /// The pipeline.
    pub(crate) fn pipeline(&self, d: &ash::Device) -> Result<vk::Pipeline, vk::Result> {
        self.with(|info| create(d, info))
    }

    /// The pipeline, linked of libraries, which stand before it.
    pub(crate) fn linked(&self, d: &ash::Device) -> Result<Vec<vk::Pipeline>, vk::Result> {
        use vk::GraphicsPipelineLibraryFlagsEXT as Subset;
        let library = |subset| {
            self.with(|all| {
                let mut of = vk::GraphicsPipelineLibraryCreateInfoEXT::default().flags(subset);
                let mut views = vk::PipelineRenderingCreateInfo::default().view_mask(self.views());
                let mut some = vk::GraphicsPipelineCreateInfo {
                    flags: all.flags | vk::PipelineCreateFlags::LIBRARY_KHR,
                    p_dynamic_state: all.p_dynamic_state,
                    layout: all.layout,
                    ..Default::default()
                };
                let before = self.stages.len() as u32;
                match subset {
                    Subset::VERTEX_INPUT_INTERFACE => {
                        some.p_vertex_input_state = all.p_vertex_input_state;
                        some.p_input_assembly_state = all.p_input_assembly_state;
                    }
                    Subset::PRE_RASTERIZATION_SHADERS => {
                        (some.p_stages, some.stage_count) = (all.p_stages, before);
                        some.p_viewport_state = all.p_viewport_state;
                        some.p_rasterization_state = all.p_rasterization_state;
                        some = some.push_next(&mut views);
                    }
                    // (Where nothing is seen, these two could be left out; the validation layer of Debian 12 does not survive that.)
                    Subset::FRAGMENT_SHADER => {
                        // The one that paints stands behind the others.
                        (some.p_stages, some.stage_count) =
                            (all.p_stages.wrapping_add(self.stages.len()), all.stage_count - before);
                        some.p_depth_stencil_state = all.p_depth_stencil_state;
                        some.p_multisample_state = all.p_multisample_state;
                        some = some.push_next(&mut views);
                    }
                    _ => {
                        some.p_next = all.p_next;
                        some.p_color_blend_state = all.p_color_blend_state;
                        some.p_multisample_state = all.p_multisample_state;
                    }
                }
                create(d, some.push_next(&mut of))
            })
        };
        let mut made = Vec::new();
        for subset in [
            Subset::VERTEX_INPUT_INTERFACE,
            Subset::PRE_RASTERIZATION_SHADERS,
            Subset::FRAGMENT_SHADER,
            Subset::FRAGMENT_OUTPUT_INTERFACE,
        ] {
            made.push(library(subset)?);
        }
        let mut link = vk::PipelineLibraryCreateInfoKHR::default().libraries(&made);
        let linked = create(d, vk::GraphicsPipelineCreateInfo::default().layout(self.layout).push_next(&mut link))?;
        made.push(linked);
        Ok(made)
    }
}

fn create(d: &ash::Device, info: vk::GraphicsPipelineCreateInfo<'_>) -> Result<vk::Pipeline, vk::Result> {
    // SAFETY: as above.
    let made = unsafe { d.create_graphics_pipelines(vk::PipelineCache::null(), &[info], None) };
    made.map(|made| made[0]).map_err(|(made, error)| {
        assert!(made.iter().all(|pipeline| *pipeline == vk::Pipeline::null()), "there is no pipeline: {error}");
        error
    })
}
