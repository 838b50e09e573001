//! Graphics pipelines from what keys say: whole ones, the four parts that VK_EXT_graphics_pipeline_library knows, and links of these.

use crate::device::gpu::Gpu;
use crate::error::{Checked, Error, Result};
use crate::pipeline::key::{Fixed, Spec, blend_op, equation_of, factor};
use crate::pipeline::raster::{LINES, logic_op, polygon_mode};
use crate::pipeline::shaders::Variant;
use crate::pipeline::{corners, line_quads, rects};
use afterimage_stream::packets::LineMode;
use ash::vk;
use smallvec::SmallVec;

/// Which part it is.
pub(crate) use ash::vk::GraphicsPipelineLibraryFlagsEXT as Part;

/// States that are always dynamic: those of Vulkan 1.3 core.
const DYNAMIC: &[vk::DynamicState] = &[
    vk::DynamicState::VIEWPORT_WITH_COUNT,
    vk::DynamicState::SCISSOR_WITH_COUNT,
    vk::DynamicState::CULL_MODE,
    vk::DynamicState::FRONT_FACE,
    vk::DynamicState::PRIMITIVE_TOPOLOGY,
    vk::DynamicState::PRIMITIVE_RESTART_ENABLE,
    vk::DynamicState::RASTERIZER_DISCARD_ENABLE,
    vk::DynamicState::VERTEX_INPUT_BINDING_STRIDE,
    vk::DynamicState::DEPTH_TEST_ENABLE,
    vk::DynamicState::DEPTH_WRITE_ENABLE,
    vk::DynamicState::DEPTH_COMPARE_OP,
    vk::DynamicState::STENCIL_TEST_ENABLE,
    vk::DynamicState::STENCIL_OP,
    vk::DynamicState::STENCIL_COMPARE_MASK,
    vk::DynamicState::STENCIL_WRITE_MASK,
    vk::DynamicState::STENCIL_REFERENCE,
    vk::DynamicState::DEPTH_BIAS_ENABLE,
    vk::DynamicState::DEPTH_BIAS,
    vk::DynamicState::BLEND_CONSTANTS,
    vk::DynamicState::LINE_WIDTH,
];

/// All states that are dynamic on a device.
fn dynamic_states(gpu: &Gpu) -> SmallVec<[vk::DynamicState; 32]> {
    let mut dynamic = SmallVec::from_slice(DYNAMIC);
    if gpu.profile.depth_bounds {
        dynamic.extend([vk::DynamicState::DEPTH_BOUNDS_TEST_ENABLE, vk::DynamicState::DEPTH_BOUNDS]);
    }
    let d3 = gpu.profile.dynamic_state3;
    if d3.blend {
        dynamic.extend([
            vk::DynamicState::COLOR_BLEND_ENABLE_EXT,
            vk::DynamicState::COLOR_BLEND_EQUATION_EXT,
            vk::DynamicState::COLOR_WRITE_MASK_EXT,
        ]);
    }
    dynamic.extend(gpu.profile.dynamic_logic_op.then_some(vk::DynamicState::LOGIC_OP_EXT));
    dynamic.extend(d3.polygon_mode.then_some(vk::DynamicState::POLYGON_MODE_EXT));
    dynamic.extend(d3.sample_mask.then_some(vk::DynamicState::SAMPLE_MASK_EXT));
    dynamic.extend(d3.depth_clamp.then_some(vk::DynamicState::DEPTH_CLAMP_ENABLE_EXT));
    dynamic
}

/// How each colour target is blended.
fn attachments(gpu: &Gpu, d: &Fixed) -> SmallVec<[vk::PipelineColorBlendAttachmentState; 8]> {
    let attachment = |i: usize| {
        let own = d.blend.each.get(i);
        let [src, dst, op, src_alpha, dst_alpha, alpha_op] = own.map_or(d.blend.equation, equation_of);
        let enable = own.map_or(d.blend.enable, |own| own.enable != 0);
        let mask = own.map_or(d.blend.masks[i], |own| own.write_mask);
        vk::PipelineColorBlendAttachmentState::default()
            .blend_enable(enable && gpu.profile.blends(d.targets.colors[i]))
            .src_color_blend_factor(factor(gpu, src))
            .dst_color_blend_factor(factor(gpu, dst))
            .color_blend_op(blend_op(op))
            .src_alpha_blend_factor(factor(gpu, src_alpha))
            .dst_alpha_blend_factor(factor(gpu, dst_alpha))
            .alpha_blend_op(blend_op(alpha_op))
            .color_write_mask(vk::ColorComponentFlags::from_raw(u32::from(mask)))
    };
    (0..d.targets.color_count()).map(attachment).collect()
}

/// Shaders of a pipeline or of a part of one.
#[derive(Clone, Copy, Default)]
pub(crate) struct Stages<'a> {
    pub(crate) vertex: Option<&'a Variant>,
    pub(crate) pixel: Option<&'a Variant>,
    /// The guest's.
    pub(crate) geometry: Option<&'a Variant>,
}

/// Makes a pipeline, or one of its four parts, for which the other parts' state says nothing. Any thread may call it.
pub(crate) fn create(
    gpu: &Gpu,
    layout: vk::PipelineLayout,
    cache: vk::PipelineCache,
    d: &Fixed,
    shaders: Stages<'_>,
    part: Option<Part>,
) -> Result<vk::Pipeline> {
    let Stages { vertex, pixel, geometry: guest_geometry } = shaders;
    let stage = |variant: &Variant, stage| {
        vk::PipelineShaderStageCreateInfo::default().module(variant.module).stage(stage).name(c"main")
    };
    let values = d.spec.values();
    let entries: [_; 2] = std::array::from_fn(|index| {
        vk::SpecializationMapEntry::default().constant_id(index as u32).offset(index as u32 * 4).size(4)
    });
    let specialization = vk::SpecializationInfo::default().map_entries(&entries).data(bytemuck::cast_slice(&values));
    let mut stages = SmallVec::<[_; 4]>::new();
    stages.extend(vertex.map(|vertex| stage(vertex, vk::ShaderStageFlags::VERTEX)));
    let varyings: &[_] = pixel.map_or(&[], |pixel| &pixel.varyings);
    if let Some(geometry) = guest_geometry {
        stages.push(stage(geometry, vk::ShaderStageFlags::GEOMETRY));
    }
    let corners = pixel.is_some_and(|pixel| !pixel.corners.is_empty());
    // Geometry shaders cannot read the layer and the viewport of a vertex.
    let layered = vertex.is_some_and(|vertex| vertex.layered);
    if corners && (guest_geometry.is_some() || layered || d.raster.line_quads() || d.raster.rects()) {
        let what = "what each vertex has, for the pixels of rectangles, lines of a width, geometry shaders, layers and viewports";
        return Err(Error::Unsupported { device: "the renderer".to_owned(), what: what.to_owned() });
    }
    if corners && !gpu.profile.geometry_shader {
        let what = "geometry shaders, for pixels that read what each vertex has".to_owned();
        return Err(Error::Unsupported { device: gpu.profile.name.clone(), what });
    }
    let geometry = match (d.raster.line_quads(), d.raster.rects(), vertex, pixel) {
        (true, ..) => Some(line_quads::Shader::new(gpu, &line_quads::words(varyings))?),
        (_, true, ..) => Some(line_quads::Shader::new(gpu, &rects::words(varyings))?),
        (.., Some(vertex), Some(pixel)) if corners => {
            let words = corners::words(&corners::Interface {
                given: &vertex.gives,
                read: varyings,
                corners: &pixel.corners,
                class: d.raster.class(),
                provoking_last: d.raster.provoking_last(),
                distances: vertex.distances,
                // Without the device's leave the geometry shader may not write it.
                point_size: vertex.point_size && gpu.profile.adjacency,
                primitive: pixel.primitive,
            });
            Some(line_quads::Shader::new(gpu, &words)?)
        }
        _ => None,
    };
    if let Some(shader) = &geometry {
        let stage = vk::ShaderStageFlags::GEOMETRY;
        stages.push(vk::PipelineShaderStageCreateInfo::default().module(shader.module).stage(stage).name(c"main"));
    }
    if let Some(pixel) = pixel {
        let stage = stage(pixel, vk::ShaderStageFlags::FRAGMENT);
        stages.push(if d.spec == Spec::DYNAMIC { stage } else { stage.specialization_info(&specialization) });
    }
    let (attributes, bindings, divisors) = (d.layout.attributes(), d.layout.bindings(), d.layout.divisors());
    let mut divisor_state =
        vk::PipelineVertexInputDivisorStateCreateInfoEXT::default().vertex_binding_divisors(&divisors);
    let mut input = vk::PipelineVertexInputStateCreateInfo::default()
        .vertex_attribute_descriptions(&attributes)
        .vertex_binding_descriptions(&bindings);
    if !divisors.is_empty() && gpu.profile.divisor {
        input = input.push_next(&mut divisor_state);
    }
    let assembly = vk::PipelineInputAssemblyStateCreateInfo::default().topology(match d.raster.class() {
        0 => vk::PrimitiveTopology::POINT_LIST,
        LINES => vk::PrimitiveTopology::LINE_LIST,
        _ => vk::PrimitiveTopology::TRIANGLE_LIST,
    });
    // How many there are is dynamic state.
    let viewport = vk::PipelineViewportStateCreateInfo::default();
    let mut last = vk::PipelineRasterizationProvokingVertexStateCreateInfoEXT::default()
        .provoking_vertex_mode(vk::ProvokingVertexModeEXT::LAST_VERTEX);
    let line_mode = d.raster.line_mode().unwrap_or(LineMode::Default);
    let mut lines =
        vk::PipelineRasterizationLineStateCreateInfoKHR::default().line_rasterization_mode(match line_mode {
            LineMode::Default | LineMode::Quad => vk::LineRasterizationModeKHR::DEFAULT,
            LineMode::Rectangular => vk::LineRasterizationModeKHR::RECTANGULAR,
            LineMode::Bresenham => vk::LineRasterizationModeKHR::BRESENHAM,
            LineMode::Smooth => vk::LineRasterizationModeKHR::RECTANGULAR_SMOOTH,
        });
    let mut raster = vk::PipelineRasterizationStateCreateInfo::default()
        .polygon_mode(polygon_mode(gpu, d.raster.fill()))
        .depth_clamp_enable(d.raster.clamp())
        .line_width(1.0);
    if d.raster.provoking_last() {
        raster = raster.push_next(&mut last);
    }
    if matches!(line_mode, LineMode::Rectangular | LineMode::Bresenham | LineMode::Smooth) {
        raster = raster.push_next(&mut lines);
    }
    let mask = [d.sample_mask];
    let mut samples = vk::PipelineMultisampleStateCreateInfo::default()
        .rasterization_samples(vk::SampleCountFlags::from_raw(d.targets.samples.max(1)))
        .alpha_to_coverage_enable(d.raster.alpha_to_coverage() && d.targets.samples > 1);
    if !gpu.profile.dynamic_state3.sample_mask {
        samples = samples.sample_mask(&mask);
    }
    let depth = vk::PipelineDepthStencilStateCreateInfo::default();
    let blends = attachments(gpu, d);
    let blend = vk::PipelineColorBlendStateCreateInfo::default()
        .attachments(&blends)
        .logic_op_enable(d.raster.logic_op() != 0)
        .logic_op(logic_op(d.raster.logic_op()));
    let dynamic = dynamic_states(gpu);
    let dynamic = vk::PipelineDynamicStateCreateInfo::default().dynamic_states(&dynamic);
    let mut rendering = vk::PipelineRenderingCreateInfo::default()
        .color_attachment_formats(&d.targets.colors[..blends.len()])
        .depth_attachment_format(d.targets.depth)
        .stencil_attachment_format(d.targets.stencil());
    let mut library = vk::GraphicsPipelineLibraryCreateInfoEXT::default();
    let mut info = vk::GraphicsPipelineCreateInfo::default().stages(&stages).dynamic_state(&dynamic).layout(layout);
    if let Some(part) = part {
        library = library.flags(part);
        info = info.flags(vk::PipelineCreateFlags::LIBRARY_KHR).push_next(&mut library);
    }
    let has = |own| part.is_none_or(|part| part == own);
    if has(Part::VERTEX_INPUT_INTERFACE) {
        info = info.vertex_input_state(&input).input_assembly_state(&assembly);
    }
    if has(Part::PRE_RASTERIZATION_SHADERS) {
        info = info.viewport_state(&viewport).rasterization_state(&raster);
    }
    if has(Part::FRAGMENT_SHADER) {
        info = info.depth_stencil_state(&depth);
    }
    if has(Part::FRAGMENT_OUTPUT_INTERFACE) {
        info = info.multisample_state(&samples).color_blend_state(&blend).push_next(&mut rendering);
    }
    submit(gpu, cache, &info)
}

/// Makes a pipeline of its four parts, without the compiler. Any thread may call it.
pub(crate) fn link(gpu: &Gpu, layout: vk::PipelineLayout, parts: &[vk::Pipeline; 4]) -> Result<vk::Pipeline> {
    let mut libraries = vk::PipelineLibraryCreateInfoKHR::default().libraries(parts);
    let info = vk::GraphicsPipelineCreateInfo::default().layout(layout).push_next(&mut libraries);
    submit(gpu, vk::PipelineCache::null(), &info)
}

fn submit(gpu: &Gpu, cache: vk::PipelineCache, info: &vk::GraphicsPipelineCreateInfo<'_>) -> Result<vk::Pipeline> {
    // SAFETY: modules, parts, layout and cache are alive, and every pointer lives as long as the caller's `info`.
    let result = unsafe { gpu.raw.create_graphics_pipelines(cache, std::slice::from_ref(info), None) };
    Ok(result.map_err(|(_, error)| error).checked("vkCreateGraphicsPipelines")?[0])
}
