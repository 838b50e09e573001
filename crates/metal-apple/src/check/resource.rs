//! Buffers, textures, views and samplers.

use super::Faults;
use afterimage_metal_calls::{
    BufferDescriptor, Class, Facts, Family, PixelFormat, Result, SamplerDescriptor, StorageMode, Swizzle,
    TextureDescriptor, TextureType, TextureUsage, TextureView,
};

/// What a texture, or a view of one, is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Texture {
    pub(crate) ty: TextureType,
    pub(crate) format: PixelFormat,
    /// Of the first level.
    pub(crate) size: [u32; 3],
    pub(crate) levels: u32,
    pub(crate) samples: u32,
    /// Layers of an array, six of them for each cube; 1 of all others.
    pub(crate) slices: u32,
    pub(crate) usage: TextureUsage,
    pub(crate) storage: StorageMode,
    /// A view that changes components.
    pub(crate) swizzled: bool,
    /// Of a layer whose pictures can only be drawn into.
    pub(crate) framebuffer_only: bool,
    /// Which texture's memory it is: any number that no other texture has.
    pub(crate) root: usize,
    /// Where in that its first level and slice are.
    pub(crate) base: [u32; 2],
}

impl Texture {
    /// What a descriptor makes, but for [`Self::root`].
    pub(crate) fn of(descriptor: &TextureDescriptor) -> Self {
        let layers = descriptor.layers;
        Self {
            ty: descriptor.ty,
            format: descriptor.format,
            size: descriptor.size,
            levels: descriptor.levels,
            samples: descriptor.samples,
            slices: if is_cube(descriptor.ty) { layers.saturating_mul(6) } else { layers },
            usage: descriptor.usage,
            storage: descriptor.storage,
            swizzled: false,
            framebuffer_only: false,
            root: 0,
            base: [0, 0],
        }
    }

    /// What a view of it is.
    pub(crate) fn seen(&self, view: &TextureView) -> Self {
        Self {
            ty: view.ty,
            format: view.format,
            size: self.level(view.levels[0]),
            levels: view.levels[1],
            slices: view.slices[1],
            swizzled: self.swizzled || view.swizzle != Swizzle::IDENTITY,
            base: [self.base[0] + view.levels[0], self.base[1] + view.slices[0]],
            ..*self
        }
    }

    /// Width, height and depth of a level.
    pub(crate) fn level(&self, level: u32) -> [u32; 3] {
        self.size.map(|edge| edge.checked_shr(level).unwrap_or(0).max(1))
    }
}

const fn is_cube(ty: TextureType) -> bool {
    matches!(ty, TextureType::Cube | TextureType::CubeArray)
}

const fn is_array(ty: TextureType) -> bool {
    matches!(ty, TextureType::D1Array | TextureType::D2Array | TextureType::D2MultisampleArray | TextureType::CubeArray)
}

const fn is_multisample(ty: TextureType) -> bool {
    matches!(ty, TextureType::D2Multisample | TextureType::D2MultisampleArray)
}

/// Whether a number of samples is among those of a device.
pub(super) fn has_samples(facts: &Facts, samples: u32) -> bool {
    samples.is_power_of_two() && facts.samples & samples != 0
}

/// `newBufferWithLength:options:`.
pub(crate) fn buffer(descriptor: &BufferDescriptor, facts: &Facts) -> Result {
    let mut faults = Faults::default();
    let (length, most) = (descriptor.length, facts.max_buffer);
    faults.unless((1..=most).contains(&length), || format!("length {length} is not 1 to {most}"));
    faults.unless(descriptor.storage != StorageMode::Memoryless, || "no buffer is memoryless".into());
    faults.done("newBufferWithLength")
}

/// `newTextureWithDescriptor:`.
pub(crate) fn texture(descriptor: &TextureDescriptor, facts: &Facts) -> Result {
    let TextureDescriptor { ty, format, size, levels, samples, layers, usage, storage, .. } = *descriptor;
    let (limits, caps, apple) = (&facts.limits, format.caps(facts), facts.family.is_apple());
    let (one, three) = (matches!(ty, TextureType::D1 | TextureType::D1Array), ty == TextureType::D3);
    let mut faults = Faults::default();
    let most = if three { limits.texture_edge_3d } else { limits.texture_edge };
    for (name, edge) in ["width", "height", "depth"].into_iter().zip(size) {
        faults.unless((1..=most).contains(&edge), || format!("{name} {edge} is not 1 to {most}"));
    }
    faults.unless(!one || size[1] == 1, || format!("height {} of a 1D texture is not 1", size[1]));
    faults.unless(three || size[2] == 1, || format!("depth {} of a texture that is not 3D is not 1", size[2]));
    faults.unless(!is_cube(ty) || size[0] == size[1], || format!("faces of {} by {}", size[0], size[1]));
    let most = if is_array(ty) { limits.texture_layers } else { 1 };
    faults.unless((1..=most).contains(&layers), || format!("{layers} layers, not 1 to {most}"));
    let edge = size.into_iter().max().unwrap_or(1).max(1);
    let most = if one || is_multisample(ty) { 1 } else { edge.ilog2() + 1 };
    faults.unless((1..=most).contains(&levels), || format!("{levels} levels, not 1 to {most}"));
    if is_multisample(ty) {
        faults.unless(samples > 1 && has_samples(facts, samples), || format!("the device has no {samples} samples"));
        faults.unless(caps.multisample, || format!("{} has no samples", format.name()));
    } else {
        faults.unless(samples == 1, || format!("{samples} samples of a texture without"));
    }
    faults.unless(caps.exists && format != PixelFormat::X32_Stencil8, || {
        format!("the device has no textures of {}", format.name())
    });
    let compressed = format.block() > 1;
    let is_depth = format.has_depth() || format.has_stencil();
    faults.unless(!(compressed || is_depth) || !one, || format!("a 1D texture of {}", format.name()));
    faults.unless(!is_depth || !three, || format!("a 3D texture of {}", format.name()));
    faults.unless(!usage.target || (caps.render && !one), || format!("{} in this shape is no target", format.name()));
    faults.unless(!usage.write || caps.write, || format!("shaders cannot write {}", format.name()));
    faults.unless(!(usage.write || usage.atomic) || samples == 1, || "no shader writes samples".into());
    faults.unless(!usage.atomic || caps.atomic, || format!("{} has no atomics", format.name()));
    match storage {
        StorageMode::Memoryless => {
            faults.unless(apple, || "memoryless on a GPU without tiles".into());
            let TextureUsage { read, write, atomic, target, views } = usage;
            faults.unless(target && !(read || write || atomic || views), || "memoryless and not only a target".into());
        }
        StorageMode::Shared => {
            let private = is_depth || is_multisample(ty);
            faults.unless(apple || !private, || "depth, stencil and samples are private on this device".into());
        }
        StorageMode::Private => {}
    }
    faults.done("newTextureWithDescriptor")
}

/// Whether a view can be of another shape than its texture.
fn is_seen_as(from: TextureType, to: TextureType) -> bool {
    use TextureType::{Cube, CubeArray, D1, D1Array, D2, D2Array, D2Multisample, D2MultisampleArray, D3};
    match from {
        D1 | D1Array => matches!(to, D1 | D1Array),
        D2 | D2Array | Cube | CubeArray => matches!(to, D2 | D2Array | Cube | CubeArray),
        D2Multisample | D2MultisampleArray => matches!(to, D2Multisample | D2MultisampleArray),
        D3 => to == D3,
    }
}

/// Formats that differ in sRGB or the order of components alone have the same.
fn kin(format: PixelFormat) -> PixelFormat {
    use PixelFormat as F;
    match format {
        F::RGBA8Unorm_sRGB | F::BGRA8Unorm | F::BGRA8Unorm_sRGB => F::RGBA8Unorm,
        F::BGR10A2Unorm => F::RGB10A2Unorm,
        F::BC1_RGBA_sRGB => F::BC1_RGBA,
        F::BC2_RGBA_sRGB => F::BC2_RGBA,
        F::BC3_RGBA_sRGB => F::BC3_RGBA,
        F::BC7_RGBAUnorm_sRGB => F::BC7_RGBAUnorm,
        other => other,
    }
}

/// `newTextureViewWithPixelFormat:textureType:levels:slices:swizzle:`.
pub(crate) fn view(texture: &Texture, view: &TextureView, facts: &Facts) -> Result {
    let mut faults = Faults::default();
    let (from, to) = (texture.format, view.format);
    faults.unless(!texture.framebuffer_only, || "a layer's picture has no views".into());
    for (name, [first, count], of) in [("levels", view.levels, texture.levels), ("slices", view.slices, texture.slices)]
    {
        faults.unless(count > 0 && super::fits(first.into(), count.into(), of.into()), || {
            format!("{count} {name} from {first} on of {of}")
        });
    }
    let count = view.slices[1];
    let slices = match view.ty {
        TextureType::Cube => count == 6,
        TextureType::CubeArray => count.is_multiple_of(6),
        ty => is_array(ty) || count == 1,
    };
    faults.unless(slices, || format!("{count} slices in a view of {:?}", view.ty));
    faults.unless(is_seen_as(texture.ty, view.ty), || format!("{:?} seen as {:?}", texture.ty, view.ty));
    if from != to {
        let stencil = (from, to) == (PixelFormat::Depth32Float_Stencil8, PixelFormat::X32_Stencil8);
        let colors = |format: PixelFormat| matches!(format.class(), Class::Float | Class::UInt | Class::Int);
        let alike = from.bytes() == to.bytes() && from.block() == to.block() && colors(from) && colors(to);
        faults.unless(stencil || alike, || format!("{} seen as {}", from.name(), to.name()));
        faults.unless(to.caps(facts).exists, || format!("the device has no {}", to.name()));
        let free = facts.family != Family::Mac2 && kin(from) == kin(to);
        faults.unless(texture.usage.views || free || stencil, || {
            format!("{} seen as {} without usage for views", from.name(), to.name())
        });
    }
    faults.done("newTextureViewWithPixelFormat")
}

/// `newSamplerStateWithDescriptor:`.
pub(crate) fn sampler(descriptor: &SamplerDescriptor, facts: &Facts) -> Result {
    let mut faults = Faults::default();
    let (anisotropy, most) = (descriptor.anisotropy, facts.limits.sampler_anisotropy);
    faults.unless((1..=most).contains(&anisotropy), || format!("anisotropy {anisotropy} is not 1 to {most}"));
    let [least, greatest] = descriptor.lod.map(f32::from_bits);
    faults.unless(least <= greatest, || format!("levels of detail from {least} to {greatest}"));
    faults.done("newSamplerStateWithDescriptor")
}
