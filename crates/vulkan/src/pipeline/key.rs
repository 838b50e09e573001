//! Graphics pipelines: the key, and what one is made from.
//!
//! The key holds numbers only: each part (vertex layout, target formats, blending) is interned when its group changes,
//! so a draw that switches pipelines hashes a few words. What Vulkan 1.3 and VK_EXT_extended_dynamic_state3 make
//! dynamic is not in the key.

use crate::device::gpu::Gpu;
use crate::device::profile::Profile;
use crate::pipeline::raster::Raster;
use afterimage_shader::spec;
use afterimage_stream::VERTEX_BUFFERS;
use afterimage_stream::packets::{BlendFactor, BlendOp, BlendTarget, SetBlend, SetRaster};
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
    pub(super) fn values(self) -> [u32; 2] {
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
        let [first, others @ ..] = &self.colors;
        // Mostly there is one.
        if others.iter().fold(0, |bits, format| bits | format.as_raw()) == vk::Format::UNDEFINED.as_raw() {
            return usize::from(*first != vk::Format::UNDEFINED);
        }
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

    pub(super) fn attributes(&self) -> SmallVec<[vk::VertexInputAttributeDescription; 16]> {
        let description = |a: &Attribute| {
            let place = vk::VertexInputAttributeDescription::default().location(a.location).binding(a.binding);
            place.format(a.format).offset(a.offset)
        };
        self.attributes.iter().map(description).collect()
    }

    pub(super) fn bindings(&self) -> SmallVec<[vk::VertexInputBindingDescription; 8]> {
        let description = |&(binding, divisor): &(u32, Option<u32>)| {
            let rate = if divisor.is_some() { vk::VertexInputRate::INSTANCE } else { vk::VertexInputRate::VERTEX };
            vk::VertexInputBindingDescription::default().binding(binding).input_rate(rate)
        };
        self.bindings.iter().map(description).collect()
    }

    /// Of bindings whose vertices stay for more than one instance.
    pub(super) fn divisors(&self) -> SmallVec<[vk::VertexInputBindingDivisorDescriptionEXT; 8]> {
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

/// The same in a word, as [`packed`] has it.
#[inline(always)]
pub(crate) fn equation_word(blend: &SetBlend) -> u64 {
    // They are bytes 1 to 6 of the body.
    let words: &[u64; 5] = bytemuck::cast_ref(blend);
    u64::from_le(words[0]) >> 8 & 0xffff_ffff_ffff
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
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
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
    written_masks(profile, blend, masks_of(outputs))
}

/// The same of what [`masks_of`] says of the outputs.
#[inline(always)]
pub(crate) fn written_masks(profile: &Profile, blend: &SetBlend, written: u64) -> [u8; 8] {
    let masks = (u64::from_le_bytes(blend.write_masks) & written).to_le_bytes();
    if profile.independent_blend { masks } else { [masks[0]; 8] }
}

/// A byte of 15 for each of the first eight bits that is set. In one word: byte by byte it was a sixth of what a change of
/// state took.
#[inline]
pub(crate) fn masks_of(outputs: u32) -> u64 {
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
