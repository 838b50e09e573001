//! Samplers of the stream as Vulkan samplers.

use crate::device::gpu::Gpu;
use crate::error::{Checked, Result};
use afterimage_stream::packets::{Address, Compare, CreateSampler, Filter};
use ash::vk;
use std::sync::Arc;

/// A Vulkan sampler, destroyed when dropped.
pub(crate) struct Sampler {
    gpu: Arc<Gpu>,
    pub(crate) raw: vk::Sampler,
}

impl Sampler {
    pub(crate) fn new(gpu: &Arc<Gpu>, body: &CreateSampler) -> Result<Self> {
        let profile = &gpu.profile;
        let address = |index: usize| match Address::of(body.address[index]) {
            Address::Repeat => vk::SamplerAddressMode::REPEAT,
            Address::Mirror => vk::SamplerAddressMode::MIRRORED_REPEAT,
            Address::ClampToEdge => vk::SamplerAddressMode::CLAMP_TO_EDGE,
            Address::ClampToBorder => vk::SamplerAddressMode::CLAMP_TO_BORDER,
            Address::MirrorOnce if profile.mirror_clamp => vk::SamplerAddressMode::MIRROR_CLAMP_TO_EDGE,
            Address::MirrorOnce => vk::SamplerAddressMode::CLAMP_TO_EDGE,
        };
        let filter = |bits: u8| match Filter::of(bits) {
            Filter::Nearest => vk::Filter::NEAREST,
            Filter::Linear => vk::Filter::LINEAR,
        };
        let mip = match Filter::of(body.mip) {
            Filter::Nearest => vk::SamplerMipmapMode::NEAREST,
            Filter::Linear => vk::SamplerMipmapMode::LINEAR,
        };
        let min_lod = body.min_lod.clamp(0.0, 16.0);
        let limit = profile.limits.max_sampler_lod_bias;
        let anisotropic = profile.anisotropy && body.max_anisotropy > 1.0;
        let uses_border = body.address.iter().any(|&a| Address::of(a) == Address::ClampToBorder);
        let integer = body.flags & CreateSampler::INTEGER_BORDER != 0;
        let words = body.border.map(f32::to_bits);
        let mut custom = vk::SamplerCustomBorderColorCreateInfoEXT::default().custom_border_color(if integer {
            vk::ClearColorValue { uint32: words }
        } else {
            vk::ClearColorValue { float32: body.border }
        });
        let is_custom = uses_border && profile.custom_border_color;
        let (border, is_custom) = if integer { integers(words, is_custom) } else { border(body.border, is_custom) };
        let mut reduction = vk::SamplerReductionModeCreateInfo::default().reduction_mode(match body.flags {
            flags if flags & CreateSampler::MINIMUM != 0 => vk::SamplerReductionMode::MIN,
            flags if flags & CreateSampler::MAXIMUM != 0 => vk::SamplerReductionMode::MAX,
            _ => vk::SamplerReductionMode::WEIGHTED_AVERAGE,
        });
        let mut info = vk::SamplerCreateInfo::default()
            .mag_filter(filter(body.mag))
            .min_filter(filter(body.min))
            .mipmap_mode(mip)
            .address_mode_u(address(0))
            .address_mode_v(address(1))
            .address_mode_w(address(2))
            .mip_lod_bias(body.lod_bias.clamp(-limit, limit))
            .anisotropy_enable(anisotropic)
            .max_anisotropy(body.max_anisotropy.clamp(1.0, profile.limits.max_sampler_anisotropy.max(1.0)))
            .compare_enable(body.compare_enable != 0)
            .compare_op(compare(body.compare))
            .min_lod(min_lod)
            // A quarter lets the magnification filter still be told from the minification filter, as OpenGL's mapping
            // of samplers without mipmaps in the Vulkan specification ("Mapping of OpenGL to Vulkan filter modes") does.
            .max_lod(if body.mipmapped != 0 { body.max_lod.max(min_lod) } else { min_lod + 0.25 })
            .border_color(border);
        if is_custom {
            info = info.push_next(&mut custom);
        }
        // Neither goes with comparisons.
        let reduces = profile.minimum_filter && body.compare_enable == 0;
        if reduces && reduction.reduction_mode != vk::SamplerReductionMode::WEIGHTED_AVERAGE {
            info = info.push_next(&mut reduction);
        }
        // SAFETY: every field is in the range that the features and limits allow.
        let raw = unsafe { gpu.raw.create_sampler(&info, None) }.checked("vkCreateSampler")?;
        gpu.name(raw, &body.id.to_string());
        Ok(Self { gpu: Arc::clone(gpu), raw })
    }
}

impl Drop for Sampler {
    fn drop(&mut self) {
        // SAFETY: whoever drops a sampler has waited for the GPU (see `submit::Submissions::retire`).
        unsafe { self.gpu.raw.destroy_sampler(self.raw, None) };
    }
}

/// The built-in border colour nearest to the one asked for, or the custom one.
fn border(color: [f32; 4], custom: bool) -> (vk::BorderColor, bool) {
    match color {
        [0.0, 0.0, 0.0, 0.0] => (vk::BorderColor::FLOAT_TRANSPARENT_BLACK, false),
        [0.0, 0.0, 0.0, 1.0] => (vk::BorderColor::FLOAT_OPAQUE_BLACK, false),
        [1.0, 1.0, 1.0, 1.0] => (vk::BorderColor::FLOAT_OPAQUE_WHITE, false),
        _ if custom => (vk::BorderColor::FLOAT_CUSTOM_EXT, true),
        [_, _, _, a] if a < 0.5 => (vk::BorderColor::FLOAT_TRANSPARENT_BLACK, false),
        [r, g, b, _] if r + g + b > 1.5 => (vk::BorderColor::FLOAT_OPAQUE_WHITE, false),
        _ => (vk::BorderColor::FLOAT_OPAQUE_BLACK, false),
    }
}

/// The same, for textures of integers.
fn integers(color: [u32; 4], custom: bool) -> (vk::BorderColor, bool) {
    match color {
        [0, 0, 0, 0] => (vk::BorderColor::INT_TRANSPARENT_BLACK, false),
        [0, 0, 0, 1] => (vk::BorderColor::INT_OPAQUE_BLACK, false),
        [1, 1, 1, 1] => (vk::BorderColor::INT_OPAQUE_WHITE, false),
        _ if custom => (vk::BorderColor::INT_CUSTOM_EXT, true),
        [.., 0] => (vk::BorderColor::INT_TRANSPARENT_BLACK, false),
        [0, 0, 0, _] => (vk::BorderColor::INT_OPAQUE_BLACK, false),
        _ => (vk::BorderColor::INT_OPAQUE_WHITE, false),
    }
}

/// A comparison function.
#[inline]
pub(crate) fn compare(bits: u8) -> vk::CompareOp {
    match Compare::of(bits) {
        Compare::Never => vk::CompareOp::NEVER,
        Compare::Less => vk::CompareOp::LESS,
        Compare::Equal => vk::CompareOp::EQUAL,
        Compare::LessEqual => vk::CompareOp::LESS_OR_EQUAL,
        Compare::Greater => vk::CompareOp::GREATER,
        Compare::NotEqual => vk::CompareOp::NOT_EQUAL,
        Compare::GreaterEqual => vk::CompareOp::GREATER_OR_EQUAL,
        Compare::Always => vk::CompareOp::ALWAYS,
    }
}
