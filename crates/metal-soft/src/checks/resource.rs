//! Buffers, textures, views and samplers.

use afterimage_metal_calls::{
    BufferDescriptor, Class, Facts, PixelFormat, SamplerDescriptor, StorageMode, Swizzle, TextureDescriptor,
    TextureType, TextureView,
};

use super::Faults;
use crate::device::is_memoryless;
use crate::objects::SoftBuffer;
use crate::texture::{SoftTexture, faces};

pub(crate) fn buffer(facts: &Facts, of: &BufferDescriptor) -> Vec<String> {
    let mut faults = Faults::default();
    faults.must(of.length > 0, || "length is 0".to_owned());
    faults.must(of.length <= facts.max_buffer, || {
        format!("length ({}) is greater than maxBufferLength ({})", of.length, facts.max_buffer)
    });
    faults.must(!is_memoryless(of.storage), || "buffers cannot be memoryless".to_owned());
    faults.0
}

pub(crate) fn contents(of: &SoftBuffer, offset: u64, size: usize) -> Vec<String> {
    let mut faults = Faults::default();
    faults.must(!of.is_private(), || format!("`{}` is private: it has no contents", of.label()));
    let inside = offset.checked_add(size as u64).is_some_and(|end| end <= of.length());
    faults.must(inside, || format!("`{}` has {} bytes; {size} from {offset} on are outside", of.label(), of.length()));
    faults.0
}

const fn is_multisample(ty: TextureType) -> bool {
    matches!(ty, TextureType::D2Multisample | TextureType::D2MultisampleArray)
}

const fn is_array(ty: TextureType) -> bool {
    matches!(ty, TextureType::D1Array | TextureType::D2Array | TextureType::D2MultisampleArray | TextureType::CubeArray)
}

const fn is_depth(class: Class) -> bool {
    matches!(class, Class::Depth | Class::DepthStencil | Class::Stencil)
}

pub(crate) fn texture(facts: &Facts, of: &TextureDescriptor) -> Vec<String> {
    let mut faults = Faults::default();
    let (limits, name) = (&facts.limits, of.format.name());
    let caps = of.format.caps(facts);
    faults.must(caps.exists, || format!("pixelFormat {name} is not available on this device"));
    let stencil = of.format == PixelFormat::X32_Stencil8;
    faults.must(!stencil, || format!("{name} is of views of textures with depth and stencil only"));
    let is_3d = of.ty == TextureType::D3;
    let most = if is_3d { limits.texture_edge_3d } else { limits.texture_edge };
    for (edge, size) in ["width", "height", "depth"].into_iter().zip(of.size) {
        faults.must(size > 0, || format!("{edge} is 0"));
        faults.must(size <= most, || format!("{edge} ({size}) is greater than the maximum allowed size of {most}"));
    }
    let [width, height, depth] = of.size;
    let is_1d = matches!(of.ty, TextureType::D1 | TextureType::D1Array);
    faults.must(!is_1d || height == 1, || format!("height ({height}) of a 1D texture is not 1"));
    faults.must(is_3d || depth == 1, || format!("depth ({depth}) of a texture that is not 3D is not 1"));
    faults.must(faces(of.ty) == 1 || width == height, || format!("a cube of {width} by {height}"));
    faults.must(of.layers > 0 && (is_array(of.ty) || of.layers == 1), || {
        format!("arrayLength ({}) of a {:?}", of.layers, of.ty)
    });
    let layers = limits.texture_layers;
    faults.must(of.layers <= layers, || format!("arrayLength ({}) is greater than {layers}", of.layers));
    let edge = width.max(height).max(if is_3d { depth } else { 1 }).max(1);
    let most = if is_multisample(of.ty) || is_1d { 1 } else { edge.ilog2() + 1 };
    faults.must((1..=most).contains(&of.levels), || {
        format!("mipmapLevelCount ({}) is not 1 to {most} of a {:?} of {width} by {height}", of.levels, of.ty)
    });
    samples(&mut faults, facts, of);
    faults.must(of.format.block() == 1 || !(is_1d || is_multisample(of.ty)), || {
        format!("{name} is compressed: no {:?}", of.ty)
    });
    faults.must(!is_depth(of.format.class()) || !(is_1d || is_3d), || {
        format!("{name} has depth or stencil: no {:?}", of.ty)
    });
    usage(&mut faults, facts, of);
    faults.0
}

fn samples(faults: &mut Faults, facts: &Facts, of: &TextureDescriptor) {
    let samples = of.samples;
    faults.must(samples > 0 && is_multisample(of.ty) == (samples > 1), || {
        format!("sampleCount ({samples}) of a {:?}", of.ty)
    });
    let known = samples.is_power_of_two() && facts.samples >> samples.trailing_zeros().min(31) & 1 == 1;
    faults.must(known, || format!("sampleCount ({samples}) is not supported by this device"));
    let caps = of.format.caps(facts);
    faults.must(samples <= 1 || caps.multisample, || format!("{} cannot be multisampled", of.format.name()));
    let private = of.storage == StorageMode::Private || of.storage == StorageMode::Memoryless;
    faults.must(samples <= 1 || facts.family.is_apple() || private, || {
        "multisampled textures must be private on this device".to_owned()
    });
}

fn usage(faults: &mut Faults, facts: &Facts, of: &TextureDescriptor) {
    let (caps, name) = (of.format.caps(facts), of.format.name());
    faults
        .must(!of.usage.target || caps.render, || format!("{name} cannot be rendered to: MTLTextureUsageRenderTarget"));
    faults.must(!of.usage.write || caps.write, || format!("{name} cannot be written: MTLTextureUsageShaderWrite"));
    faults.must(!of.usage.atomic || caps.atomic, || format!("{name} has no atomics: MTLTextureUsageShaderAtomic"));
    let is_1d = matches!(of.ty, TextureType::D1 | TextureType::D1Array);
    faults.must(!of.usage.target || !is_1d, || "1D textures cannot be rendered to".to_owned());
    faults.must(!of.usage.write || of.samples == 1, || "multisampled textures cannot be written".to_owned());
    if of.storage == StorageMode::Memoryless {
        faults.must(facts.family.is_apple(), || "this device has no memoryless textures".to_owned());
        faults.must(of.usage.target, || "a memoryless texture that is no render target".to_owned());
        let other = of.usage.read || of.usage.write || of.usage.views;
        faults.must(!other, || "a memoryless texture is nothing but a render target".to_owned());
    }
    if is_depth(of.format.class()) && !facts.family.is_apple() {
        faults.must(of.storage == StorageMode::Private, || format!("{name} must be private on this device"));
    }
}

/// What a format and its twins that need no flag have in common: the order of components, and whether they are sRGB.
fn family_of(format: PixelFormat) -> PixelFormat {
    use PixelFormat::*;
    match format {
        RGBA8Unorm_sRGB | BGRA8Unorm | BGRA8Unorm_sRGB => RGBA8Unorm,
        BC1_RGBA_sRGB => BC1_RGBA,
        BC2_RGBA_sRGB => BC2_RGBA,
        BC3_RGBA_sRGB => BC3_RGBA,
        BC7_RGBAUnorm_sRGB => BC7_RGBAUnorm,
        other => other,
    }
}

pub(crate) fn view(facts: &Facts, of: &SoftTexture, view: &TextureView) -> Vec<String> {
    let mut faults = Faults::default();
    let (texture, name) = (&of.texels.descriptor, view.format.name());
    let from = of.view.format;
    faults.must(view.format.caps(facts).exists, || format!("pixelFormat {name} is not available on this device"));
    let stencil = from == PixelFormat::Depth32Float_Stencil8 && view.format == PixelFormat::X32_Stencil8;
    if view.format != from {
        let same = view.format.bytes() == from.bytes() && view.format.block() == from.block();
        faults.must(same, || format!("{name} has texels of another size than {}", from.name()));
        let depth = is_depth(from.class()) || is_depth(view.format.class());
        faults.must(!depth || stencil, || format!("{} has no view as {name}", from.name()));
        // Macs without Apple's families want the flag for these, too.
        let twins = family_of(view.format) == family_of(from) && facts.family.is_apple();
        faults.must(texture.usage.views || twins || (stencil && facts.family.is_apple()), || {
            format!("a view as {name} of {} needs MTLTextureUsagePixelFormatView", from.name())
        });
    }
    let inside =
        |range: [u32; 2], of: [u32; 2]| range[1] > 0 && u64::from(range[0]) + u64::from(range[1]) <= u64::from(of[1]);
    faults.must(inside(view.levels, of.view.levels), || {
        format!("levels {:?} are outside of the texture's {}", view.levels, of.view.levels[1])
    });
    faults.must(inside(view.slices, of.view.slices), || {
        format!("slices {:?} are outside of the texture's {}", view.slices, of.view.slices[1])
    });
    let shape = |ty| match ty {
        TextureType::D1 | TextureType::D1Array => 0,
        TextureType::D2Multisample | TextureType::D2MultisampleArray => 1,
        TextureType::D3 => 2,
        _ => 3,
    };
    faults.must(shape(view.ty) == shape(of.view.ty), || format!("a {:?} has no view as {:?}", of.view.ty, view.ty));
    let slices = match view.ty {
        TextureType::Cube => view.slices[1] == 6,
        TextureType::CubeArray => view.slices[1].is_multiple_of(6),
        ty => is_array(ty) || view.slices[1] == 1,
    };
    faults.must(slices, || format!("{} slices of a {:?}", view.slices[1], view.ty));
    let cube = faces(view.ty) == 6 && texture.size[0] != texture.size[1];
    faults.must(!cube, || "a cube that is not square".to_owned());
    if view.swizzle != Swizzle::IDENTITY {
        faults.must(!is_depth(from.class()), || format!("{} cannot be swizzled", from.name()));
        faults.must(texture.samples == 1, || "multisampled textures cannot be swizzled".to_owned());
    }
    faults.must(!is_memoryless(texture.storage), || "a memoryless texture has no views".to_owned());
    faults.0
}

pub(crate) fn sampler(facts: &Facts, of: &SamplerDescriptor) -> Vec<String> {
    let mut faults = Faults::default();
    let most = facts.limits.sampler_anisotropy;
    faults
        .must((1..=most).contains(&of.anisotropy), || format!("maxAnisotropy ({}) is not 1 to {most}", of.anisotropy));
    let [least, greatest] = of.lod.map(f32::from_bits);
    faults.must(least >= 0.0 && least <= greatest, || format!("lodMinClamp ({least}), lodMaxClamp ({greatest})"));
    faults.0
}
