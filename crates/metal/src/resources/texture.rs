//! Textures of the stream: one of Metal's, the views of it that shaders and passes have asked for, and which parts have no texels yet.

use crate::device::format::{Choice, IDENTITY, choice, features};
use crate::error::{Error, Result};
use afterimage_ir::Dim;
use afterimage_metal_calls::{
    Device, Facts, PixelFormat, Serial, StorageMode, Swizzle, TextureDescriptor, TextureType, TextureUsage, TextureView,
};
use afterimage_stream::packets::{CreateTexture, CreateView, Dimension, Swizzle as StreamSwizzle};
use afterimage_stream::{Format, FormatFeatures, ObjectId};
use smallvec::SmallVec;

/// What a texture is to a shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Shape {
    D2,
    D2Array,
    Cube,
    D3,
    D2Ms,
    CubeArray,
}

impl Shape {
    /// What a shader declares; `None` for arrays of textures with samples.
    pub(crate) fn of(dim: Dim) -> Option<Self> {
        match dim {
            Dim::D2 => Some(Self::D2),
            Dim::D2Array => Some(Self::D2Array),
            Dim::Cube => Some(Self::Cube),
            Dim::CubeArray => Some(Self::CubeArray),
            Dim::D3 => Some(Self::D3),
            Dim::D2Ms => Some(Self::D2Ms),
            Dim::D2MsArray => None,
        }
    }

    /// What a shader declares of a storage image, to which faces are layers.
    pub(crate) fn of_image(dim: Dim) -> Option<Self> {
        match dim {
            Dim::D2 => Some(Self::D2),
            Dim::D2Array | Dim::Cube | Dim::CubeArray => Some(Self::D2Array),
            Dim::D3 => Some(Self::D3),
            Dim::D2Ms | Dim::D2MsArray => None,
        }
    }

    /// Metal's type of it.
    pub(crate) fn texture_type(self) -> TextureType {
        match self {
            Self::D2 => TextureType::D2,
            Self::D2Array => TextureType::D2Array,
            Self::Cube => TextureType::Cube,
            Self::D3 => TextureType::D3,
            Self::D2Ms => TextureType::D2Multisample,
            Self::CubeArray => TextureType::CubeArray,
        }
    }
}

/// A view of one level for shaders that store: the level, the layer and the shape that it has, and the view.
type Stored<T> = (u16, u16, Shape, T);

/// A texture, or a view of one.
#[derive(Debug)]
pub(crate) struct Texture<D: Device> {
    /// As created; of a view the texture that it is like.
    pub(crate) desc: CreateTexture,
    pub(crate) format: Format,
    pub(crate) choice: Choice,
    /// What it is to shaders.
    shape: Shape,
    kind: u8,
    /// What has the texels: the source's, of a view.
    pub(crate) raw: D::Texture,
    /// Format and type of `raw`.
    raw_format: PixelFormat,
    raw_type: TextureType,
    /// What `raw` was made of; none of views.
    like: Option<Box<TextureDescriptor>>,
    /// Of a view the texture that it shows, and its first level and layer there.
    pub(crate) source: Option<ObjectId>,
    base: [u16; 2],
    /// Whether texels may be changed atomically.
    pub(crate) atomic: bool,
    /// Views for sampling, by shape and whether sRGB is decoded.
    sampled: SmallVec<[(Shape, bool, D::Texture); 1]>,
    /// Levels for shaders that store.
    stored: SmallVec<[Stored<D::Texture>; 0]>,
    /// The whole texture in other formats, to be drawn into.
    targets: SmallVec<[(PixelFormat, D::Texture); 0]>,
    /// By layer and level, whether it has no texels yet; empty where all have.
    blank: Vec<bool>,
    /// The last command buffer that uses it.
    pub(crate) last_used: Serial,
}

impl<D: Device> Texture<D> {
    /// Makes one.
    ///
    /// # Errors
    /// What the device does not have.
    pub(crate) fn new(device: &D, desc: &CreateTexture) -> Result<Self> {
        let facts = device.facts();
        let unsupported = |what: String| Error::Unsupported { device: facts.name.clone(), what };
        let format = Format::from_bits(desc.format).ok_or_else(|| unsupported(format!("format {}", desc.format)))?;
        let name = format.info().name;
        let has = features(facts, format);
        let is_target = desc.usage & CreateTexture::TARGET != 0;
        let needed = match (is_target, format.is_depth()) {
            (true, true) => FormatFeatures::DEPTH,
            (true, false) => FormatFeatures::TARGET,
            (false, _) => FormatFeatures::SAMPLED,
        };
        if has & needed == 0 {
            return Err(unsupported(format!("{name} as a {}", if is_target { "target" } else { "texture" })));
        }
        let is_stored = desc.usage & CreateTexture::STORAGE != 0;
        if is_stored && has & FormatFeatures::STORAGE == 0 {
            return Err(unsupported(format!("{name} as a storage image")));
        }
        if is_stored && desc.samples > 1 {
            return Err(unsupported("storage images of several samples".to_owned()));
        }
        if desc.shared != 0 {
            return Err(unsupported("textures that guests share".to_owned()));
        }
        let choice = choice(facts, format, is_target || is_stored);
        check_size(facts, desc, choice.pixel).map_err(|what| unsupported(format!("{name}: {what}")))?;
        let ty = texture_type(desc);
        // Views of an sRGB twin need no permission on Apple's GPUs, and do on others.
        let twin = format.info().srgb.is_some() && !facts.family.is_apple();
        let atomic = is_stored
            && desc.samples <= 1
            && facts.has_texel_atomics()
            && choice.pixel.bytes() == 4
            && choice.pixel.caps(facts).atomic;
        let usage = TextureUsage {
            read: true,
            write: is_stored,
            atomic,
            target: is_target,
            views: desc.usage & CreateTexture::VIEWS != 0 || twin,
        };
        let array = matches!(ty, TextureType::D2Array | TextureType::D2MultisampleArray | TextureType::CubeArray);
        let layers = match ty {
            TextureType::CubeArray => desc.layers / 6,
            _ if array => desc.layers,
            _ => 1,
        };
        let like = TextureDescriptor {
            ty,
            format: choice.pixel,
            size: [desc.width, desc.height, desc.depth],
            levels: desc.levels,
            samples: desc.samples.into(),
            layers,
            usage,
            storage: StorageMode::Private,
            label: desc.id.to_string(),
        };
        let raw = device.new_texture(&like)?;
        Ok(Self {
            desc: *desc,
            format,
            choice,
            shape: shape_of(desc),
            kind: kind_of(format),
            raw,
            raw_format: choice.pixel,
            raw_type: ty,
            like: Some(Box::new(like)),
            source: None,
            base: [0; 2],
            atomic,
            sampled: SmallVec::new(),
            stored: SmallVec::new(),
            targets: SmallVec::new(),
            blank: vec![true; (desc.levels * desc.layers) as usize],
            last_used: 0,
        })
    }

    /// A view of a texture; `desc` is what it is like.
    pub(crate) fn of_view(device: &D, body: &CreateView, desc: &CreateTexture, source: &Self) -> Result<Self> {
        let format = Format::from_bits(desc.format).unwrap_or(source.format);
        let written = source.desc.usage & (CreateTexture::TARGET | CreateTexture::STORAGE) != 0;
        let choice = choice(device.facts(), format, written);
        if format != source.format
            && (features(device.facts(), format) == 0 || choice.expanded != source.choice.expanded)
        {
            let what = format!("{} seen as {}", source.format.info().name, format.info().name);
            return Err(Error::Unsupported { device: device.facts().name.clone(), what });
        }
        Ok(Self {
            desc: *desc,
            format,
            choice,
            shape: shape_of(desc),
            kind: kind_of(format),
            raw: source.raw.clone(),
            raw_format: source.raw_format,
            raw_type: source.raw_type,
            like: None,
            source: Some(body.source),
            base: [body.level, body.layer],
            atomic: source.atomic && choice.pixel.caps(device.facts()).atomic,
            sampled: SmallVec::new(),
            stored: SmallVec::new(),
            targets: SmallVec::new(),
            blank: Vec::new(),
            last_used: 0,
        })
    }

    /// What it is made of and how many bytes that are, if it has one level and layer, nothing draws or stores into it, and other memory will
    /// do as well.
    pub(crate) fn replaceable(&self) -> Option<(&TextureDescriptor, u64)> {
        const MORE: u8 = CreateTexture::TARGET | CreateTexture::STORAGE;
        let desc = &self.desc;
        if desc.levels != 1 || desc.layers != 1 || desc.samples > 1 || desc.usage & MORE != 0 {
            return None;
        }
        let pixel = self.choice.pixel;
        let blocks = u64::from(desc.width.div_ceil(pixel.block())) * u64::from(desc.height.div_ceil(pixel.block()));
        Some((self.like.as_deref()?, blocks * u64::from(desc.depth) * u64::from(pixel.bytes())))
    }

    /// Gives it other memory; what it had before. What views there were is gone.
    pub(crate) fn rename(&mut self, raw: D::Texture) -> D::Texture {
        self.sampled.clear();
        self.stored.clear();
        self.targets.clear();
        self.last_used = 0;
        std::mem::replace(&mut self.raw, raw)
    }

    /// A level and layer as those of the texture that has the texels.
    pub(crate) fn place(&self, level: u16, layer: u16) -> (u16, u16) {
        (self.base[0].saturating_add(level), self.base[1].saturating_add(layer))
    }

    /// Whether layers of views are planes of a volume.
    pub(crate) fn is_3d(&self) -> bool {
        Dimension::of(self.desc.dimension) == Dimension::D3
    }

    /// Width, height and depth of a level.
    pub(crate) fn extent(&self, level: u32) -> [u32; 3] {
        [self.desc.width, self.desc.height, self.desc.depth].map(|edge| edge.checked_shr(level).unwrap_or(0).max(1))
    }

    /// What texels are to shaders: 0 floats, 1 unsigned, 2 signed integers.
    #[inline]
    pub(crate) fn kind(&self) -> u8 {
        self.kind
    }

    /// Its format with or without encoding to sRGB.
    pub(crate) fn pixel(&self, facts: &Facts, srgb: bool) -> PixelFormat {
        match self.format.info().srgb {
            // No format of two forms has a twin.
            Some(twin) if srgb => choice(facts, twin, false).pixel,
            _ => self.choice.pixel,
        }
    }

    /// The shape of it by itself.
    #[inline]
    pub(crate) fn shape(&self) -> Shape {
        self.shape
    }

    /// The texture as a shader samples it, made at the first time. `None` where it has nothing of that shape.
    pub(crate) fn sampled(&mut self, device: &D, shape: Shape, srgb: bool) -> Result<Option<&D::Texture>> {
        let own = self.shape();
        let fits = own == shape
            || matches!(
                (own, shape),
                (Shape::D2Array, Shape::D2)
                    | (Shape::D2, Shape::D2Array)
                    | (Shape::CubeArray, Shape::Cube)
                    | (Shape::Cube, Shape::CubeArray)
            );
        if !fits {
            return Ok(None);
        }
        let srgb = srgb && self.format.info().srgb.is_some();
        if let Some(at) = self.sampled.iter().position(|(other, decodes, _)| (*other, *decodes) == (shape, srgb)) {
            return Ok(self.sampled.get(at).map(|(_, _, view)| view));
        }
        let view = self.new_view(device, shape, self.pixel(device.facts(), srgb), self.swizzle())?;
        self.sampled.push((shape, srgb, view));
        Ok(self.sampled.last().map(|(_, _, view)| view))
    }

    /// The same, if it was made before.
    #[inline]
    pub(crate) fn sampled_before(&self, shape: Shape, srgb: bool) -> Option<&D::Texture> {
        let srgb = srgb && self.format.info().srgb.is_some();
        let found = self.sampled.iter().find(|(other, decodes, _)| (*other, *decodes) == (shape, srgb));
        found.map(|(.., view)| view)
    }

    fn new_view(&self, device: &D, shape: Shape, format: PixelFormat, swizzle: [Swizzle; 4]) -> Result<D::Texture> {
        let ty = match shape.texture_type() {
            TextureType::D2Multisample if self.raw_type == TextureType::D2MultisampleArray && self.desc.layers > 1 => {
                TextureType::D2MultisampleArray
            }
            ty => ty,
        };
        let layers = match shape {
            Shape::D2 => 1,
            Shape::Cube => 6,
            Shape::D3 => 1,
            _ => self.desc.layers,
        };
        let whole = self.source.is_none() && (ty, format, layers) == (self.raw_type, self.raw_format, self.desc.layers);
        if whole && swizzle == IDENTITY {
            return Ok(self.raw.clone());
        }
        let view = TextureView {
            format,
            ty,
            levels: [self.base[0].into(), self.desc.levels],
            slices: [self.base[1].into(), layers],
            swizzle,
        };
        Ok(device.new_view(&self.raw, &view)?)
    }

    /// A level as a shader stores to it, made at the first time. `None` where it has nothing of that shape.
    pub(crate) fn stored(&mut self, device: &D, level: u16, layer: u16, shape: Shape) -> Result<Option<&D::Texture>> {
        if (shape == Shape::D3) != self.is_3d() || self.desc.usage & CreateTexture::STORAGE == 0 {
            return Ok(None);
        }
        let layer = if self.is_3d() { 0 } else { layer };
        let key = (level, layer, shape);
        if let Some(at) = self.stored.iter().position(|(level, layer, shape, _)| (*level, *layer, *shape) == key) {
            return Ok(self.stored.get(at).map(|(.., view)| view));
        }
        let layers = if shape == Shape::D2Array { self.desc.layers.saturating_sub(layer.into()) } else { 1 };
        let (first_level, first_layer) = self.place(level, layer);
        let view = TextureView {
            format: self.choice.pixel,
            ty: shape.texture_type(),
            levels: [first_level.into(), 1],
            slices: [first_layer.into(), layers],
            swizzle: IDENTITY,
        };
        let view = device.new_view(&self.raw, &view)?;
        self.stored.push((level, layer, shape, view));
        Ok(self.stored.last().map(|(.., view)| view))
    }

    /// Whether shaders make every channel of red: depth has no swizzle.
    pub(crate) fn is_spread(&self) -> bool {
        let red = |component: u8| matches!(StreamSwizzle::of(component), StreamSwizzle::Red);
        self.format.is_depth() && self.desc.swizzle.iter().all(|component| red(*component))
    }

    /// Where what sampling returns comes from. Depth has no swizzle.
    fn swizzle(&self) -> [Swizzle; 4] {
        if self.format.is_depth() {
            return IDENTITY;
        }
        self.desc.swizzle.map(|component| match StreamSwizzle::of(component) {
            StreamSwizzle::Red => self.choice.channels[0],
            StreamSwizzle::Green => self.choice.channels[1],
            StreamSwizzle::Blue => self.choice.channels[2],
            StreamSwizzle::Alpha => self.choice.channels[3],
            StreamSwizzle::Zero => Swizzle::Zero,
            StreamSwizzle::One => Swizzle::One,
        })
    }

    /// The whole texture that has the texels, in a format to be drawn into. Levels and layers are its own.
    pub(crate) fn target(&mut self, device: &D, pixel: PixelFormat) -> Result<D::Texture> {
        if pixel == self.raw_format {
            return Ok(self.raw.clone());
        }
        if let Some((_, view)) = self.targets.iter().find(|(other, _)| *other == pixel) {
            return Ok(view.clone());
        }
        let view = TextureView {
            format: pixel,
            ty: self.raw_type,
            levels: [0, self.desc.levels + u32::from(self.base[0])],
            slices: [0, if self.is_3d() { 1 } else { self.desc.layers + u32::from(self.base[1]) }],
            swizzle: IDENTITY,
        };
        let view = device.new_view(&self.raw, &view)?;
        self.targets.push((pixel, view.clone()));
        Ok(view)
    }

    fn index(&self, level: u32, layer: u32) -> usize {
        let layer = if self.is_3d() { 0 } else { layer };
        (layer * self.desc.levels + level) as usize
    }

    /// Whether a level and layer has no texels yet.
    pub(crate) fn is_blank(&self, level: u32, layer: u32) -> bool {
        self.blank.get(self.index(level, layer)).copied().unwrap_or(false)
    }

    /// Whether any has none.
    pub(crate) fn has_blanks(&self) -> bool {
        !self.blank.is_empty()
    }

    /// Levels and layers that have none.
    pub(crate) fn blanks(&self) -> Vec<(u32, u32)> {
        let place = |at: usize| (at as u32 % self.desc.levels, at as u32 / self.desc.levels);
        self.blank.iter().enumerate().filter(|(_, blank)| **blank).map(|(at, _)| place(at)).collect()
    }

    /// A level and layer has texels now.
    pub(crate) fn filled(&mut self, level: u32, layer: u32) {
        let index = self.index(level, layer);
        if let Some(blank) = self.blank.get_mut(index) {
            *blank = false;
            if !self.blank.contains(&true) {
                self.blank = Vec::new();
            }
        }
    }
}

fn shape_of(desc: &CreateTexture) -> Shape {
    match (Dimension::of(desc.dimension), desc.layers) {
        (Dimension::D3, _) => Shape::D3,
        (Dimension::Cube, 6) => Shape::Cube,
        (Dimension::Cube, _) => Shape::CubeArray,
        (Dimension::D2, _) if desc.samples > 1 => Shape::D2Ms,
        (Dimension::D2, 1) => Shape::D2,
        (Dimension::D2, _) => Shape::D2Array,
    }
}

/// What texels of a format are to shaders.
pub(crate) fn kind_of(format: Format) -> u8 {
    match format.is_integer() {
        true => 1 + u8::from(format.info().name.ends_with("_SINT")),
        false => 0,
    }
}

fn texture_type(desc: &CreateTexture) -> TextureType {
    match (Dimension::of(desc.dimension), desc.layers, desc.samples) {
        (Dimension::D3, ..) => TextureType::D3,
        (Dimension::Cube, 6, _) => TextureType::Cube,
        (Dimension::Cube, ..) => TextureType::CubeArray,
        (Dimension::D2, 1, 1) => TextureType::D2,
        (Dimension::D2, _, 1) => TextureType::D2Array,
        (Dimension::D2, 1, _) => TextureType::D2Multisample,
        (Dimension::D2, ..) => TextureType::D2MultisampleArray,
    }
}

/// Whether the device has textures of the size, in words where not.
fn check_size(facts: &Facts, desc: &CreateTexture, pixel: PixelFormat) -> std::result::Result<(), String> {
    let (limits, d3) = (facts.limits, Dimension::of(desc.dimension) == Dimension::D3);
    let most = if d3 { limits.texture_edge_3d } else { limits.texture_edge };
    if [desc.width, desc.height, desc.depth].iter().any(|edge| *edge > most) || desc.layers > limits.texture_layers {
        return Err(format!("{}x{}x{} texels, {} layers", desc.width, desc.height, desc.depth, desc.layers));
    }
    let caps = pixel.caps(facts);
    let bit = u32::from(desc.samples).trailing_zeros();
    if desc.samples > 1 && !(caps.multisample && facts.samples >> bit & 1 != 0) {
        return Err(format!("{} samples", desc.samples));
    }
    if d3 && (pixel.has_depth() || pixel.block() > 1 && !facts.family.is_apple()) {
        return Err("volumes".to_owned());
    }
    Ok(())
}
