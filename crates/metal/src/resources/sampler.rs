//! Samplers.

use crate::error::Result;
use afterimage_metal_calls::{
    AddressMode, BorderColor, CompareFunction, Device, Filter as MetalFilter, MipFilter, SamplerDescriptor,
};
use afterimage_stream::packets::{Address, Compare, CreateSampler, Filter};

/// A sampler.
#[derive(Debug)]
pub(crate) struct Sampler<D: Device> {
    pub(crate) desc: CreateSampler,
    pub(crate) raw: D::Sampler,
    /// The same with a white border, where shaders make the border.
    pub(crate) white: Option<D::Sampler>,
    /// Whether shaders add a bias.
    pub(crate) biased: bool,
    /// Whether shaders take the least or greatest texel.
    pub(crate) reduced: bool,
}

impl<D: Device> Sampler<D> {
    pub(crate) fn new(device: &D, body: &CreateSampler) -> Result<Self> {
        let mut descriptor = descriptor(body);
        let (made, reduced) = (makes_border(body), reduces(body));
        if reduced {
            (descriptor.min, descriptor.mag, descriptor.mip) =
                (MetalFilter::Nearest, MetalFilter::Nearest, MipFilter::Nearest);
            descriptor.anisotropy = 1;
        }
        if made {
            descriptor.border = BorderColor::TransparentBlack;
        }
        let raw = device.new_sampler(&descriptor)?;
        descriptor.border = BorderColor::OpaqueWhite;
        let white = if made { Some(device.new_sampler(&descriptor)?) } else { None };
        Ok(Self { desc: *body, raw, white, biased: body.lod_bias != 0.0, reduced })
    }
}

/// A sampler in Metal's words. Metal has no bias of the level of detail before its tenth family, and three border colours: shaders have
/// the rest ([`afterimage_shader::msl::Samplers`]), and what is lost is [said](lost).
pub(crate) fn descriptor(body: &CreateSampler) -> SamplerDescriptor {
    let filter = |bits: u8| match Filter::of(bits) {
        Filter::Nearest => MetalFilter::Nearest,
        Filter::Linear => MetalFilter::Linear,
    };
    let address = body.address.map(|bits| match Address::of(bits) {
        Address::Repeat => AddressMode::Repeat,
        Address::Mirror => AddressMode::MirrorRepeat,
        Address::ClampToEdge => AddressMode::ClampToEdge,
        Address::ClampToBorder => AddressMode::ClampToBorderColor,
        Address::MirrorOnce => AddressMode::MirrorClampToEdge,
    });
    let min_lod = body.min_lod.clamp(0.0, 16.0);
    let mip = match (body.mipmapped, Filter::of(body.mip)) {
        // One level: the most detailed that may be used. Without a filter between levels Metal would always take the first.
        (0, _) | (_, Filter::Nearest) => MipFilter::Nearest,
        (_, Filter::Linear) => MipFilter::Linear,
    };
    // A quarter lets the magnification filter still be told from the minification filter, as the Vulkan specification ("Mapping of OpenGL
    // to Vulkan filter modes") has it.
    let max_lod = if body.mipmapped != 0 { body.max_lod.max(min_lod) } else { min_lod + 0.25 };
    SamplerDescriptor {
        min: filter(body.min),
        mag: filter(body.mag),
        mip,
        address,
        border: border(body).0,
        anisotropy: body.max_anisotropy.clamp(1.0, 16.0) as u32,
        lod: [min_lod.to_bits(), max_lod.to_bits()],
        compare: (body.compare_enable != 0).then(|| compare(body.compare)),
    }
}

/// What of a sampler Metal does not do.
pub(crate) fn lost(body: &CreateSampler) -> Option<&'static str> {
    if uses_other_border(body) && !makes_border(body) && !reduces(body) {
        return Some("borders other than black and white where lookups look for what is equal");
    }
    (reduces(body) && uses_other_border(body))
        .then_some("borders other than black and white of filters that take the least or greatest texel")
}

/// Whether shaders take the least or greatest of the texels that are mixed otherwise.
fn reduces(body: &CreateSampler) -> bool {
    let takes = body.flags & (CreateSampler::MINIMUM | CreateSampler::MAXIMUM) != 0;
    let mixes = [body.min, body.mag].map(Filter::of).contains(&Filter::Linear)
        || body.mipmapped != 0 && Filter::of(body.mip) == Filter::Linear;
    takes && mixes && body.compare_enable == 0
}

/// What shaders that take the least or greatest texel are told of the sampler, whose descriptor is that of the filter it replaces.
pub(crate) fn reduction(body: &CreateSampler) -> [f32; 4] {
    let sign = if body.flags & CreateSampler::MINIMUM != 0 { -1.0 } else { 1.0 };
    let linear = |filter: u8, bit: u8| if Filter::of(filter) == Filter::Linear { bit } else { 0 };
    let levels = if body.mipmapped != 0 { linear(body.mip, 4) } else { 0 };
    let [least, most] = descriptor(body).lod.map(f32::from_bits);
    [sign, (linear(body.mag, 1) | linear(body.min, 2) | levels).into(), least, most]
}

/// Whether lookups may find a border that Metal does not have.
fn uses_other_border(body: &CreateSampler) -> bool {
    let uses_border = body.address.iter().any(|bits| Address::of(*bits) == Address::ClampToBorder);
    uses_border && !border(body).1
}

/// Whether shaders make the border of two lookups: not where a border of 0 and one of 1 may compare alike and another one otherwise.
fn makes_border(body: &CreateSampler) -> bool {
    let tells = !matches!(Compare::of(body.compare), Compare::Equal | Compare::NotEqual);
    uses_other_border(body) && !reduces(body) && (body.compare_enable == 0 || tells)
}

/// What a comparison gives for a reference that is less than the texel, equal to it, and greater.
pub(crate) fn holds(bits: u8) -> [f32; 3] {
    let [less, equal, greater] = match Compare::of(bits) {
        Compare::Never => [0, 0, 0],
        Compare::Less => [1, 0, 0],
        Compare::Equal => [0, 1, 0],
        Compare::LessEqual => [1, 1, 0],
        Compare::Greater => [0, 0, 1],
        Compare::NotEqual => [1, 0, 1],
        Compare::GreaterEqual => [0, 1, 1],
        Compare::Always => [1, 1, 1],
    };
    [less, equal, greater].map(|holds: u8| holds.into())
}

/// The border nearest to the one asked for, and whether it is that.
fn border(body: &CreateSampler) -> (BorderColor, bool) {
    let color = match body.flags & CreateSampler::INTEGER_BORDER {
        0 => body.border,
        _ => body.border.map(|channel| channel.to_bits() as f32),
    };
    match color {
        [0.0, 0.0, 0.0, 0.0] => (BorderColor::TransparentBlack, true),
        [0.0, 0.0, 0.0, 1.0] => (BorderColor::OpaqueBlack, true),
        [1.0, 1.0, 1.0, 1.0] => (BorderColor::OpaqueWhite, true),
        [_, _, _, alpha] if alpha < 0.5 => (BorderColor::TransparentBlack, false),
        [red, green, blue, _] if red + green + blue > 1.5 => (BorderColor::OpaqueWhite, false),
        _ => (BorderColor::OpaqueBlack, false),
    }
}

/// A comparison function.
pub(crate) fn compare(bits: u8) -> CompareFunction {
    match Compare::of(bits) {
        Compare::Never => CompareFunction::Never,
        Compare::Less => CompareFunction::Less,
        Compare::Equal => CompareFunction::Equal,
        Compare::LessEqual => CompareFunction::LessEqual,
        Compare::Greater => CompareFunction::Greater,
        Compare::NotEqual => CompareFunction::NotEqual,
        Compare::GreaterEqual => CompareFunction::GreaterEqual,
        Compare::Always => CompareFunction::Always,
    }
}
