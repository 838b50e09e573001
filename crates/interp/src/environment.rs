//! What a shader reads from outside.

use afterimage_ir::{BankDecl, ImageDecl, InputDecl, Offset, SpecDecl, TextureDecl};

/// Where in the mip chain a sample is taken.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Lod {
    /// At this level of detail.
    Level(f32),
    /// At the level that derivatives of the coordinates call for, plus a bias.
    Gradient {
        /// Difference per pixel to the right.
        dx: [f32; 3],
        /// Difference per pixel downwards.
        dy: [f32; 3],
        /// Added to the level.
        bias: f32,
    },
}

/// Operands of a texture sample in one lane.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SampleArgs {
    /// Coordinates without the layer; those that the shape does not have are 0.
    pub coord: [f32; 3],
    /// Layer of an array, not rounded yet; else 0.
    pub layer: f32,
    /// Texels by which the lookup is moved.
    pub offset: Offset,
    /// Level of detail.
    pub lod: Lod,
    /// What the texels are compared with, for shadow textures.
    pub reference: Option<f32>,
}

/// What a shader reads from outside.
pub trait Environment {
    /// Bits of an input in a lane (0 to 3). Truth values are 0 and 1.
    fn input(&self, decl: &InputDecl, lane: usize) -> [u32; 4];

    /// Bits of an input of a primitive's vertex, in the geometry stage; zeros unless an environment says otherwise.
    fn vertex_input(&self, _decl: &InputDecl, _vertex: u32) -> [u32; 4] {
        [0; 4]
    }

    /// Bits of a constant register, `index` being within the bank. Registers that the shader defines are not asked for.
    fn constant(&self, bank: &BankDecl, index: u32) -> [u32; 4];

    /// Which texture a word of a table says, as a declaration like that of textures in tables but for its slot. Unless an environment
    /// says otherwise, its lowest bits are the slot.
    fn texture_of(&self, texture: &TextureDecl, word: u32) -> TextureDecl {
        TextureDecl { slot: word as u8, ..*texture }
    }

    /// A texture sample.
    fn sample(&self, texture: &TextureDecl, args: &SampleArgs) -> [f32; 4];

    /// Bits of a texture sample: those of [`sample`](Environment::sample) unless an environment has textures of integers.
    fn sample_bits(&self, texture: &TextureDecl, args: &SampleArgs) -> [u32; 4] {
        self.sample(texture, args).map(number)
    }

    /// The first component of the four texels around a place, in the order of [`Op::Gather`](afterimage_ir::Op::Gather).
    /// Unless an environment says otherwise, its textures have one texel.
    fn gather(&self, texture: &TextureDecl, coord: [f32; 3]) -> [f32; 4] {
        let (lod, offset) = (Lod::Level(0.0), Offset::default());
        let args = SampleArgs { coord, layer: 0.0, offset, lod, reference: None };
        [self.sample(texture, &args)[0]; 4]
    }

    /// Bits of any component of the four texels around a place, or what comparing them gives. The level of detail is 0. Unless an
    /// environment says otherwise, its textures have one texel.
    fn gather_bits(&self, texture: &TextureDecl, component: u8, args: &SampleArgs) -> [u32; 4] {
        if component == 0 && args.reference.is_none() && args.offset.is_zero() {
            return self.gather(texture, args.coord).map(number);
        }
        [self.sample_bits(texture, args)[component as usize & 3]; 4]
    }

    /// Bits of a texel at whole-numbered coordinates (those that the shape does not have are 0) of a level, or of a sample.
    fn fetch(&self, _texture: &TextureDecl, _coord: [i32; 3], _level_or_sample: i32) -> [u32; 4] {
        [0; 4]
    }

    /// Width, height, and depth or layers of a level.
    fn texture_size(&self, _texture: &TextureDecl, _level: i32) -> [u32; 3] {
        [1; 3]
    }

    /// Number of levels, or of samples.
    fn texture_levels(&self, _texture: &TextureDecl) -> u32 {
        1
    }

    /// The level that derivatives of the coordinates call for: clamped to those there are, and unclamped.
    fn query_lod(&self, _texture: &TextureDecl, _dx: [f32; 3], _dy: [f32; 3]) -> [f32; 2] {
        [0.0; 2]
    }

    /// Bits of a texel of a storage image.
    fn image_load(&self, _image: &ImageDecl, _coord: [i32; 3], _sample: u32) -> [u32; 4] {
        [0; 4]
    }

    /// Sets a texel of a storage image; atomic operations set the first component alone, or the first two of
    /// `r64`, and give 0 for the others.
    fn image_store(&self, _image: &ImageDecl, _coord: [i32; 3], _sample: u32, _bits: [u32; 4]) {}

    /// Width, height, and depth or layers of a storage image; 1 each where there is none, as renderers say.
    fn image_size(&self, _image: &ImageDecl) -> [u32; 3] {
        [1; 3]
    }

    /// The word at a device address, a multiple of four.
    fn load(&self, _address: u64) -> u32 {
        0
    }

    /// Sets the word at a device address, a multiple of four.
    fn store(&self, _address: u64, _word: u32) {}

    /// Bits of a specialisation constant, truth values being 0 or 1: its default, unless an environment sets it.
    fn spec(&self, decl: &SpecDecl) -> u32 {
        decl.default
    }
}

/// Bits of a result; NaN has one pattern, as in the opcode table.
pub(crate) fn number(f: f32) -> u32 {
    if f.is_nan() { f32::NAN.to_bits() } else { f.to_bits() }
}

/// Everything reads as zero.
pub struct NoEnvironment;

impl Environment for NoEnvironment {
    fn input(&self, _: &InputDecl, _: usize) -> [u32; 4] {
        [0; 4]
    }

    fn constant(&self, _: &BankDecl, _: u32) -> [u32; 4] {
        [0; 4]
    }

    fn sample(&self, _: &TextureDecl, _: &SampleArgs) -> [f32; 4] {
        [0.0; 4]
    }
}
