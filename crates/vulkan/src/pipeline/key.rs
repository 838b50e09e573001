//! Graphics pipelines: the key, what one is made from, creation.
//!
//! The key holds numbers only: each part (vertex layout, target formats, blending) is interned when its group changes,
//! so a draw that switches pipelines hashes a few words. What Vulkan 1.3 and VK_EXT_extended_dynamic_state3 make
//! dynamic is not in the key.

use crate::device::gpu::Gpu;
use crate::device::profile::Profile;
use crate::error::{Checked, Result};
use crate::pipeline::raster::{LINES, Raster, logic_op, polygon_mode};
use crate::pipeline::shaders::Variant;
use crate::pipeline::{line_quads, rects};
use afterimage_shader::spec;
use afterimage_stream::VERTEX_BUFFERS;
use afterimage_stream::packets::{BlendFactor, BlendOp, BlendTarget, LineMode, SetBlend, SetRaster};
use ash::vk;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::hash::Hash;

/// A pipeline's key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    /// Number of the vertex shader's variant.
    pub(crate) vertex: u32,
    /// Number of the pixel shader's variant, or [`Key::NONE`].
    pub(crate) pixel: u32,
    /// Number of the guest's geometry shader, or [`Key::NONE`].
    pub(crate) geometry: u32,
    /// Number of the vertex layout.
    pub(crate) input: u32,
    /// Number of the target formats.
    pub(crate) targets: u32,
    /// Number of the blend state; 0 where it is dynamic.
    pub(crate) blend: u32,
    /// Sample mask; 0 where it is dynamic.
    pub(crate) sample_mask: u32,
    /// The part of rasterising that is no dynamic state.
    pub(crate) raster: Raster,
    /// Alpha test and fog that a generic pixel module is specialised for; 0 where it is not.
    pub(crate) spec: Spec,
}

impl Key {
    /// No shader.
    pub(crate) const NONE: u32 = u32::MAX;
    /// Of no draw yet.
    pub(crate) const EMPTY: Self = Self {
        vertex: Self::NONE,
        pixel: Self::NONE,
        geometry: Self::NONE,
        input: 0,
        targets: 0,
        blend: 0,
        sample_mask: 0,
        raster: Raster::NONE,
        spec: Spec::DYNAMIC,
    };

    /// The surroundings of a pixel shader: what else its pipeline has.
    pub(crate) fn without_pixel_shader(&self) -> Self {
        Self { pixel: Self::NONE, spec: Spec::DYNAMIC, ..*self }
    }

    /// The sample mask; 0 where it is dynamic.
    #[inline]
    pub(crate) fn sample_mask(profile: &Profile, state: &SetRaster) -> u32 {
        if profile.dynamic_state3.sample_mask { 0 } else { state.sample_mask }
    }
}

/// Values of a generic pixel module's specialisation constants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Spec(u32);

impl Spec {
    /// The module reads what to do when it runs.
    pub(crate) const DYNAMIC: Self = Self(0);

    /// Alpha test and fog of a draw, for a module that has these constants (a bit per number).
    pub(crate) fn new(constants: u32, alpha_compare: u8, fog: u8) -> Self {
        let value = |id, value| if constants >> id & 1 != 0 { u32::from(value) } else { 0 };
        Self(1 << 16 | value(spec::FOG_MODE, fog) << 8 | value(spec::ALPHA_COMPARE, alpha_compare))
    }

    /// As it was given out by [`Spec::bits`]. `None` where no draw has such values.
    pub(crate) fn from_bits(bits: u32) -> Option<Self> {
        (bits == 0 || bits >> 16 == 1).then_some(Self(bits))
    }

    pub(crate) fn bits(self) -> u32 {
        self.0
    }

    /// The constants, by number.
    fn values(self) -> [u32; 2] {
        let mut values = [0; 2];
        values[spec::ALPHA_COMPARE as usize] = self.0 & 0xff;
        values[spec::FOG_MODE as usize] = self.0 >> 8 & 0xff;
        values
    }
}

/// Formats of the targets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct TargetFormats {
    pub(crate) colors: [vk::Format; 8],
    pub(crate) depth: vk::Format,
    pub(crate) samples: u32,
}

impl TargetFormats {
    /// Colour targets up to the last one that is there.
    pub(crate) fn color_count(&self) -> usize {
        self.colors.iter().rposition(|&format| format != vk::Format::UNDEFINED).map_or(0, |last| last + 1)
    }

    pub(crate) fn stencil(&self) -> vk::Format {
        match self.depth {
            vk::Format::D24_UNORM_S8_UINT | vk::Format::D32_SFLOAT_S8_UINT => self.depth,
            _ => vk::Format::UNDEFINED,
        }
    }
}

/// A vertex attribute as Vulkan wants it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Attribute {
    pub(crate) location: u32,
    pub(crate) binding: u32,
    pub(crate) format: vk::Format,
    pub(crate) offset: u32,
}

/// A vertex layout: what the shader reads of it. Strides are dynamic.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct VertexLayout {
    pub(crate) attributes: SmallVec<[Attribute; 16]>,
    /// Binding, and its divisor if it advances per instance.
    pub(crate) bindings: SmallVec<[(u32, Option<u32>); 8]>,
}

impl VertexLayout {
    /// Whether there is an attribute for each of these inputs, a bit per location.
    pub(crate) fn feeds(&self, inputs: u32) -> bool {
        let there = self.attributes.iter().fold(0, |mask, attribute| mask | 1 << (attribute.location & 31));
        inputs & !there == 0
    }

    /// Whether a vertex buffer feeds every attribute.
    pub(crate) fn reads_buffers_only(&self) -> bool {
        self.bindings.iter().all(|(binding, _)| *binding < VERTEX_BUFFERS as u32)
    }

    fn attributes(&self) -> SmallVec<[vk::VertexInputAttributeDescription; 16]> {
        let description = |a: &Attribute| {
            let place = vk::VertexInputAttributeDescription::default().location(a.location).binding(a.binding);
            place.format(a.format).offset(a.offset)
        };
        self.attributes.iter().map(description).collect()
    }

    fn bindings(&self) -> SmallVec<[vk::VertexInputBindingDescription; 8]> {
        let description = |&(binding, divisor): &(u32, Option<u32>)| {
            let rate = if divisor.is_some() { vk::VertexInputRate::INSTANCE } else { vk::VertexInputRate::VERTEX };
            vk::VertexInputBindingDescription::default().binding(binding).input_rate(rate)
        };
        self.bindings.iter().map(description).collect()
    }

    /// Of bindings whose vertices stay for more than one instance.
    fn divisors(&self) -> SmallVec<[vk::VertexInputBindingDivisorDescriptionEXT; 8]> {
        let longer =
            self.bindings.iter().filter_map(|&(binding, divisor)| Some((binding, divisor.filter(|&d| d > 1)?)));
        longer
            .map(|(binding, d)| vk::VertexInputBindingDivisorDescriptionEXT::default().binding(binding).divisor(d))
            .collect()
    }
}

/// Blending where it is part of the pipeline.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Blend {
    pub(crate) enable: bool,
    /// Factors and operations as in [`SetBlend`].
    pub(crate) equation: [u8; 6],
    /// Two targets' masks per byte would do, but nothing is gained.
    pub(crate) masks: [u8; 8],
    /// Targets that have blending of their own, from the first on.
    pub(crate) each: SmallVec<[BlendTarget; 0]>,
}

impl Blend {
    pub(crate) fn new(state: &SetBlend, masks: [u8; 8]) -> Self {
        Self { enable: state.enable != 0, equation: equation(state), masks, each: SmallVec::new() }
    }

    /// The same with blending of their own for the first targets, of which the shader writes `outputs`.
    pub(crate) fn with(mut self, profile: &Profile, targets: &[BlendTarget], outputs: u32) -> Self {
        self.each = targets_of(profile, targets, outputs).collect();
        self
    }
}

/// Blending of targets that have their own, as the device can do it: without what the shader does not write, and of equal ones where
/// it cannot tell targets apart.
pub(crate) fn targets_of(
    profile: &Profile,
    targets: &[BlendTarget],
    outputs: u32,
) -> impl Iterator<Item = BlendTarget> {
    let first = targets.first().copied().filter(|_| !profile.independent_blend);
    targets.iter().enumerate().map(move |(index, target)| {
        let target = first.unwrap_or(*target);
        let written = first.is_some() || outputs >> index & 1 != 0;
        BlendTarget { write_mask: if written { target.write_mask } else { 0 }, ..target }
    })
}

/// The equation bytes of a blend state.
pub(crate) fn equation(blend: &SetBlend) -> [u8; 6] {
    [blend.src_color, blend.dst_color, blend.color_op, blend.src_alpha, blend.dst_alpha, blend.alpha_op]
}

/// Equation bytes in a word, the first in the lowest.
#[inline]
pub(crate) fn packed([a, b, c, d, e, f]: [u8; 6]) -> u64 {
    u64::from_le_bytes([a, b, c, d, e, f, 0, 0])
}

/// The equation bytes of a target's own blending.
pub(crate) fn equation_of(blend: &BlendTarget) -> [u8; 6] {
    [blend.src_color, blend.dst_color, blend.color_op, blend.src_alpha, blend.dst_alpha, blend.alpha_op]
}

/// Gives equal values equal numbers.
pub(crate) struct Interner<T> {
    numbers: FxHashMap<T, u32>,
    values: Vec<T>,
}

impl<T: Clone + Eq + Hash> Interner<T> {
    pub(crate) fn number(&mut self, value: &T) -> u32 {
        if let Some(&number) = self.numbers.get(value) {
            return number;
        }
        let number = self.values.len() as u32;
        self.numbers.insert(value.clone(), number);
        self.values.push(value.clone());
        number
    }

    pub(crate) fn get(&self, number: u32) -> &T {
        &self.values[number as usize]
    }
}

impl<T> Default for Interner<T> {
    fn default() -> Self {
        Self { numbers: FxHashMap::default(), values: Vec::new() }
    }
}

/// The fixed part of what a pipeline is made from; owned, so that another thread can do it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Fixed {
    pub(crate) layout: VertexLayout,
    pub(crate) targets: TargetFormats,
    pub(crate) blend: Blend,
    /// See [`Key`].
    pub(crate) sample_mask: u32,
    pub(crate) raster: Raster,
    pub(crate) spec: Spec,
}

/// Write masks of a draw, without the targets that the shader does not write: Vulkan leaves their values undefined.
pub(crate) fn write_masks(profile: &Profile, blend: &SetBlend, outputs: u32) -> [u8; 8] {
    let masks = (u64::from_le_bytes(blend.write_masks) & masks_of(outputs)).to_le_bytes();
    if profile.independent_blend { masks } else { [masks[0]; 8] }
}

/// A byte of 15 for each of the first eight bits that is set. In one word: byte by byte it was a sixth of what a change of
/// state took.
#[inline]
fn masks_of(outputs: u32) -> u64 {
    const EACH: u64 = u64::from_le_bytes([1; 8]);
    // Byte `n` has bit `n`, then its highest bit where that is set.
    let own = (u64::from(outputs & 0xff) * EACH) & 0x8040_2010_0804_0201;
    let set = (((own & (EACH * 0x7f)) + EACH * 0x7f) | own) & (EACH * 0x80);
    (set >> 7) * 15
}

/// A Vulkan blend factor.
pub(crate) fn factor(gpu: &Gpu, bits: u8) -> vk::BlendFactor {
    use vk::BlendFactor as V;
    match BlendFactor::of(bits) {
        BlendFactor::Zero => V::ZERO,
        BlendFactor::One => V::ONE,
        BlendFactor::SrcColor => V::SRC_COLOR,
        BlendFactor::OneMinusSrcColor => V::ONE_MINUS_SRC_COLOR,
        BlendFactor::DstColor => V::DST_COLOR,
        BlendFactor::OneMinusDstColor => V::ONE_MINUS_DST_COLOR,
        BlendFactor::SrcAlpha => V::SRC_ALPHA,
        BlendFactor::OneMinusSrcAlpha => V::ONE_MINUS_SRC_ALPHA,
        BlendFactor::DstAlpha => V::DST_ALPHA,
        BlendFactor::OneMinusDstAlpha => V::ONE_MINUS_DST_ALPHA,
        BlendFactor::ConstantColor => V::CONSTANT_COLOR,
        BlendFactor::OneMinusConstantColor => V::ONE_MINUS_CONSTANT_COLOR,
        BlendFactor::ConstantAlpha => V::CONSTANT_ALPHA,
        BlendFactor::OneMinusConstantAlpha => V::ONE_MINUS_CONSTANT_ALPHA,
        BlendFactor::SrcAlphaSaturate => V::SRC_ALPHA_SATURATE,
        BlendFactor::Src1Color if gpu.profile.dual_source => V::SRC1_COLOR,
        BlendFactor::OneMinusSrc1Color if gpu.profile.dual_source => V::ONE_MINUS_SRC1_COLOR,
        BlendFactor::Src1Alpha if gpu.profile.dual_source => V::SRC1_ALPHA,
        BlendFactor::OneMinusSrc1Alpha if gpu.profile.dual_source => V::ONE_MINUS_SRC1_ALPHA,
        BlendFactor::Src1Color | BlendFactor::Src1Alpha => V::ONE,
        BlendFactor::OneMinusSrc1Color | BlendFactor::OneMinusSrc1Alpha => V::ZERO,
    }
}

/// A Vulkan blend operation.
pub(crate) fn blend_op(bits: u8) -> vk::BlendOp {
    match BlendOp::of(bits) {
        BlendOp::Add | BlendOp::SignedAdd => vk::BlendOp::ADD,
        BlendOp::Subtract => vk::BlendOp::SUBTRACT,
        BlendOp::ReverseSubtract | BlendOp::SignedReverseSubtract => vk::BlendOp::REVERSE_SUBTRACT,
        BlendOp::Min => vk::BlendOp::MIN,
        BlendOp::Max => vk::BlendOp::MAX,
    }
}

/// States that are always dynamic: those of Vulkan 1.3 core.
const DYNAMIC: &[vk::DynamicState] = &[
    vk::DynamicState::VIEWPORT,
    vk::DynamicState::SCISSOR,
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
fn dynamic_states(gpu: &Gpu) -> SmallVec<[vk::DynamicState; 24]> {
    let mut dynamic = SmallVec::from_slice(DYNAMIC);
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

/// Makes a pipeline. Any thread may call it.
pub(crate) fn create(
    gpu: &Gpu,
    layout: vk::PipelineLayout,
    cache: vk::PipelineCache,
    d: &Fixed,
    vertex: &Variant,
    pixel: Option<&Variant>,
    guest_geometry: Option<&Variant>,
) -> Result<vk::Pipeline> {
    let stage = |variant: &Variant, stage| {
        vk::PipelineShaderStageCreateInfo::default().module(variant.module).stage(stage).name(c"main")
    };
    let values = d.spec.values();
    let entries: [_; 2] = std::array::from_fn(|index| {
        vk::SpecializationMapEntry::default().constant_id(index as u32).offset(index as u32 * 4).size(4)
    });
    let specialization = vk::SpecializationInfo::default().map_entries(&entries).data(bytemuck::cast_slice(&values));
    let mut stages = SmallVec::<[_; 4]>::new();
    stages.push(stage(vertex, vk::ShaderStageFlags::VERTEX));
    let varyings: &[_] = pixel.map_or(&[], |pixel| &pixel.varyings);
    if let Some(geometry) = guest_geometry {
        stages.push(stage(geometry, vk::ShaderStageFlags::GEOMETRY));
    }
    let geometry = match (d.raster.line_quads(), d.raster.rects()) {
        (true, _) => Some(line_quads::Shader::new(gpu, &line_quads::words(varyings))?),
        (_, true) => Some(line_quads::Shader::new(gpu, &rects::words(varyings))?),
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
    let viewport = vk::PipelineViewportStateCreateInfo::default().viewport_count(1).scissor_count(1);
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
    // SAFETY: modules, layout and cache are alive, and every pointer lives until the call returns.
    let result = unsafe { gpu.raw.create_graphics_pipelines(cache, &[info], None) };
    let pipeline = result.map_err(|(_, error)| error).checked("vkCreateGraphicsPipelines")?[0];
    Ok(pipeline)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_output_has_its_mask() {
        for outputs in 0..=0x1ff_u32 {
            let masks = masks_of(outputs).to_le_bytes();
            let wanted: [u8; 8] = std::array::from_fn(|index| if outputs >> index & 1 != 0 { 15 } else { 0 });
            assert_eq!(masks, wanted, "{outputs:#b}");
        }
    }
}
