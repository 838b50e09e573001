//! What the rigs' pictures have in common: pipelines of two shaders, and targets that are drawn to as a whole.

use ash::vk;

use super::device::{Gpu, Image, Result};

/// Two shaders, and what the rigs differ in. Viewport, scissor and front face are dynamic: [`Gpu::begin`] sets them.
pub(crate) struct Pipeline<'a> {
    pub(crate) layout: vk::PipelineLayout,
    pub(crate) vertex: &'a [u32],
    pub(crate) pixel: &'a [u32],
    /// Specialisation constants: number, bits.
    pub(crate) specs: &'a [(u32, u32)],
    /// Format and offset of the vertex attribute at each location.
    pub(crate) attributes: &'a [(vk::Format, u32)],
    /// Bytes of a vertex.
    pub(crate) stride: u32,
    pub(crate) topology: vk::PrimitiveTopology,
    /// Formats of the colour targets.
    pub(crate) colors: &'a [vk::Format],
    /// Format of the depth target, which takes every depth.
    pub(crate) depth: Option<vk::Format>,
}

impl Gpu {
    /// # Safety
    /// Both modules are valid SPIR-V for the layout, which is of this device.
    pub(crate) unsafe fn pipeline(&self, p: &Pipeline<'_>) -> Result<vk::Pipeline> {
        let d = &self.device;
        let values: Vec<u32> = p.specs.iter().map(|spec| spec.1).collect();
        let entries: Vec<_> = (0..)
            .zip(p.specs)
            .map(|(n, spec)| vk::SpecializationMapEntry { constant_id: spec.0, offset: n * 4, size: 4 })
            .collect();
        let special = vk::SpecializationInfo::default().map_entries(&entries).data(bytemuck::cast_slice(&values));
        let bindings = [vk::VertexInputBindingDescription::default().stride(p.stride)];
        let attributes: Vec<_> = (0..)
            .zip(p.attributes)
            .map(|(n, at)| vk::VertexInputAttributeDescription::default().location(n).format(at.0).offset(at.1))
            .collect();
        let mut input = vk::PipelineVertexInputStateCreateInfo::default();
        if !attributes.is_empty() {
            input = input.vertex_binding_descriptions(&bindings).vertex_attribute_descriptions(&attributes);
        }
        let assembly = vk::PipelineInputAssemblyStateCreateInfo::default().topology(p.topology);
        let viewport = vk::PipelineViewportStateCreateInfo::default().viewport_count(1).scissor_count(1);
        let raster = vk::PipelineRasterizationStateCreateInfo::default().line_width(1.0);
        let samples =
            vk::PipelineMultisampleStateCreateInfo::default().rasterization_samples(vk::SampleCountFlags::TYPE_1);
        let depth = vk::PipelineDepthStencilStateCreateInfo::default()
            .depth_test_enable(p.depth.is_some())
            .depth_write_enable(p.depth.is_some())
            .depth_compare_op(vk::CompareOp::ALWAYS);
        let write = vk::PipelineColorBlendAttachmentState::default().color_write_mask(vk::ColorComponentFlags::RGBA);
        let writes = vec![write; p.colors.len()];
        let blend = vk::PipelineColorBlendStateCreateInfo::default().attachments(&writes);
        let dynamic = [vk::DynamicState::VIEWPORT, vk::DynamicState::SCISSOR, vk::DynamicState::FRONT_FACE];
        let dynamic = vk::PipelineDynamicStateCreateInfo::default().dynamic_states(&dynamic);
        let mut rendering = vk::PipelineRenderingCreateInfo::default()
            .color_attachment_formats(p.colors)
            .depth_attachment_format(p.depth.unwrap_or_default());
        // SAFETY: all pointers are to locals that live through the calls; for modules and layout see above.
        unsafe {
            let module = |words| d.create_shader_module(&vk::ShaderModuleCreateInfo::default().code(words), None);
            let (vertex, pixel) = (module(p.vertex)?, module(p.pixel)?);
            let stage = |module, stage| {
                let info = vk::PipelineShaderStageCreateInfo::default().module(module).stage(stage).name(c"main");
                info.specialization_info(&special)
            };
            let stages = [stage(vertex, vk::ShaderStageFlags::VERTEX), stage(pixel, vk::ShaderStageFlags::FRAGMENT)];
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
                .layout(p.layout)
                .push_next(&mut rendering);
            let made = d.create_graphics_pipelines(vk::PipelineCache::null(), &[info], None);
            d.destroy_shader_module(vertex, None);
            d.destroy_shader_module(pixel, None);
            Ok(made.map_err(|(_, e)| e)?[0])
        }
    }

    /// Begins to draw to all of the targets, colours cleared to `clear` in every component, depth to 1.
    ///
    /// # Safety
    /// `c` is being recorded, outside of rendering. There is a colour target, the targets are of one size and live until `c`
    /// has run.
    pub(crate) unsafe fn begin(&self, c: vk::CommandBuffer, colors: &[&Image], depth: Option<&Image>, clear: f32) {
        let d = &self.device;
        let attachment = |target: &Image, clear| {
            vk::RenderingAttachmentInfo::default()
                .image_view(target.view)
                .image_layout(vk::ImageLayout::GENERAL)
                .load_op(vk::AttachmentLoadOp::CLEAR)
                .store_op(vk::AttachmentStoreOp::STORE)
                .clear_value(clear)
        };
        let vk::Extent3D { width, height, .. } = colors[0].shape.extent;
        let clear = vk::ClearValue { color: vk::ClearColorValue { float32: [clear; 4] } };
        let colors: Vec<_> = colors.iter().map(|target| attachment(target, clear)).collect();
        let clear = vk::ClearValue { depth_stencil: vk::ClearDepthStencilValue { depth: 1.0, stencil: 0 } };
        let depth = depth.map(|target| attachment(target, clear)).unwrap_or_default();
        let area = vk::Rect2D { extent: vk::Extent2D { width, height }, ..Default::default() };
        let rendering = vk::RenderingInfo::default()
            .render_area(area)
            .layer_count(1)
            .color_attachments(&colors)
            .depth_attachment(&depth);
        let viewport =
            vk::Viewport { width: width as f32, height: height as f32, max_depth: 1.0, ..Default::default() };
        // SAFETY: see above.
        unsafe {
            d.cmd_begin_rendering(c, &rendering);
            d.cmd_set_viewport(c, 0, &[viewport]);
            d.cmd_set_scissor(c, 0, &[area]);
            d.cmd_set_front_face(c, vk::FrontFace::COUNTER_CLOCKWISE);
        }
    }
}
