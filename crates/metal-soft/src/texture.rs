//! Textures and views: where texels are, reading and writing one.

use std::sync::{Arc, Mutex, PoisonError};

use afterimage_metal_calls::{PixelFormat, Swizzle, TextureDescriptor, TextureType, TextureView};

use crate::bc;
use crate::memory::{Memory, Turn};
use crate::texel::{self, Rounding};

/// A level of a texture.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Level {
    /// The first byte of its first slice.
    pub(crate) offset: u64,
    /// In texels.
    pub(crate) size: [u32; 3],
    /// In blocks.
    pub(crate) blocks: [u32; 3],
    /// Bytes of a slice.
    pub(crate) slice: u64,
}

/// What views of a texture share.
#[derive(Debug)]
pub(crate) struct Texels {
    pub(crate) memory: Memory,
    pub(crate) descriptor: TextureDescriptor,
    pub(crate) levels: Vec<Level>,
    /// Layers times faces.
    pub(crate) slices: u32,
    pub(crate) label: Mutex<String>,
}

/// `MTLTexture`: a texture, or a view of one.
#[derive(Clone, Debug)]
pub struct SoftTexture {
    pub(crate) texels: Arc<Texels>,
    /// Levels and slices are those of the texture; the format is the view's.
    pub(crate) view: TextureView,
}

/// Faces of a texture.
pub(crate) const fn faces(ty: TextureType) -> u32 {
    match ty {
        TextureType::Cube | TextureType::CubeArray => 6,
        _ => 1,
    }
}

/// The size of a level.
pub(crate) fn level_size(size: [u32; 3], level: u32) -> [u32; 3] {
    size.map(|s| s.checked_shr(level).unwrap_or(0).max(1))
}

/// What is in a texture that nobody wrote to.
const NOTHING: u8 = 0xcd;

impl Texels {
    /// A texture of a descriptor that was checked, if there is room.
    pub(crate) fn new(descriptor: &TextureDescriptor) -> Option<Self> {
        let block = descriptor.format.block();
        let mut levels = Vec::new();
        let mut offset = 0u64;
        let slices = descriptor.layers * faces(descriptor.ty);
        for level in 0..descriptor.levels {
            let size = level_size(descriptor.size, level);
            let blocks = [size[0].div_ceil(block), size[1].div_ceil(block), size[2]];
            let texels = u64::from(blocks[0]) * u64::from(blocks[1]) * u64::from(blocks[2]);
            let slice = texels.checked_mul(u64::from(descriptor.format.bytes() * descriptor.samples))?;
            levels.push(Level { offset, size, blocks, slice });
            offset = offset.checked_add(slice.checked_mul(u64::from(slices))?)?;
        }
        let memory = Memory::new(offset)?;
        memory.fill(&Turn::take(), 0, offset, NOTHING);
        let label = Mutex::new(descriptor.label.clone());
        Some(Self { memory, descriptor: descriptor.clone(), levels, slices, label })
    }

    /// Where a block is.
    pub(crate) fn at(&self, level: u32, slice: u32, block: [u32; 3], sample: u32) -> Option<u64> {
        let found = self.levels.get(level as usize)?;
        let outside = (0..3).any(|i| block[i] >= found.blocks[i]);
        if outside || slice >= self.slices || sample >= self.descriptor.samples {
            return None;
        }
        let row = u64::from(block[2]) * u64::from(found.blocks[1]) + u64::from(block[1]);
        let texel = row * u64::from(found.blocks[0]) + u64::from(block[0]);
        let index = texel * u64::from(self.descriptor.samples) + u64::from(sample);
        let bytes = u64::from(self.descriptor.format.bytes());
        Some(found.offset + u64::from(slice) * found.slice + index * bytes)
    }

    pub(crate) fn label(&self) -> String {
        self.label.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// A texel of a view.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Place {
    pub(crate) level: u32,
    pub(crate) slice: u32,
    pub(crate) at: [u32; 3],
    pub(crate) sample: u32,
}

impl SoftTexture {
    /// The texture itself.
    pub(crate) fn whole(texels: Texels) -> Self {
        let descriptor = &texels.descriptor;
        let view = TextureView {
            format: descriptor.format,
            ty: descriptor.ty,
            levels: [0, descriptor.levels],
            slices: [0, texels.slices],
            swizzle: Swizzle::IDENTITY,
        };
        Self { texels: Arc::new(texels), view }
    }

    pub(crate) fn format(&self) -> PixelFormat {
        self.view.format
    }

    pub(crate) fn samples(&self) -> u32 {
        self.texels.descriptor.samples
    }

    /// The size of a level of the view.
    pub(crate) fn size(&self, level: u32) -> [u32; 3] {
        self.texels.levels.get((self.view.levels[0] + level) as usize).map_or([0; 3], |l| l.size)
    }

    /// Layers as shaders count them.
    pub(crate) fn layers(&self) -> u32 {
        self.view.slices[1] / faces(self.view.ty)
    }

    /// The bytes of a texel's block, which is where, if it is inside.
    pub(crate) fn bytes(&self, turn: &Turn, place: Place, bytes: &mut [u8; 16]) -> Option<u64> {
        if place.level >= self.view.levels[1] || place.slice >= self.view.slices[1] {
            return None;
        }
        let (level, slice) = (self.view.levels[0] + place.level, self.view.slices[0] + place.slice);
        let size = self.texels.levels.get(level as usize)?.size;
        if (0..3).any(|i| place.at[i] >= size[i]) {
            return None;
        }
        let block = self.format().block();
        let at = self.texels.at(level, slice, [place.at[0] / block, place.at[1] / block, place.at[2]], place.sample)?;
        let count = self.format().bytes() as usize;
        self.texels.memory.read(turn, at, &mut bytes[..count]).then_some(at)
    }

    /// The words of a texel that is inside, without the view's swizzle.
    pub(crate) fn plain(&self, turn: &Turn, place: Place) -> Option<[u32; 4]> {
        let mut bytes = [0; 16];
        self.bytes(turn, place, &mut bytes)?;
        let format = self.format();
        let count = format.bytes() as usize;
        Some(if format.block() > 1 {
            bc::decode(format, &bytes[..count], place.at[0], place.at[1])
        } else {
            texel::decode(format, &bytes[..count])
        })
    }

    /// Through the view's swizzle.
    pub(crate) fn swizzled(&self, words: [u32; 4]) -> [u32; 4] {
        if self.view.swizzle == Swizzle::IDENTITY {
            return words;
        }
        let (kind, _) = texel::fields(self.format());
        let one = if matches!(kind, texel::Kind::Uint | texel::Kind::Sint) { 1 } else { 1f32.to_bits() };
        self.view.swizzle.map(|s| match s {
            Swizzle::Zero => 0,
            Swizzle::One => one,
            Swizzle::Red => words[0],
            Swizzle::Green => words[1],
            Swizzle::Blue => words[2],
            Swizzle::Alpha => words[3],
        })
    }

    /// What a shader reads: zero outside, with the alpha that the format has where it has none.
    pub(crate) fn read(&self, turn: &Turn, place: Place) -> [u32; 4] {
        self.swizzled(self.plain(turn, place).unwrap_or_else(|| self.outside()))
    }

    /// What is outside of the texture.
    pub(crate) fn outside(&self) -> [u32; 4] {
        let (kind, fields) = texel::fields(self.format());
        let one = if matches!(kind, texel::Kind::Uint | texel::Kind::Sint) { 1 } else { 1f32.to_bits() };
        let has_alpha = fields[3].1 > 0 || matches!(self.format().name().get(..3), Some("BC1" | "BC2" | "BC3" | "BC7"));
        [0, 0, 0, if has_alpha { 0 } else { one }]
    }

    /// Writes a texel; nothing outside.
    pub(crate) fn write(&self, turn: &Turn, place: Place, words: [u32; 4]) {
        let mut bytes = [0; 16];
        let Some(at) = self.bytes(turn, place, &mut bytes) else { return };
        let count = self.format().bytes() as usize;
        texel::encode(self.format(), words, Rounding::Even, &mut bytes[..count]);
        self.texels.memory.write(turn, at, &bytes[..count]);
    }
}
