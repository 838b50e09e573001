//! What a shader reads from outside.

use afterimage_ir::{BankDecl, InputDecl, SpecDecl, TextureDecl};

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
    /// Coordinates; those that the shape does not have are 0.
    pub coord: [f32; 3],
    /// Level of detail.
    pub lod: Lod,
    /// What the texels are compared with, for shadow textures.
    pub reference: Option<f32>,
}

/// What a shader reads from outside.
pub trait Environment {
    /// Bits of an input in a lane (0 to 3). Truth values are 0 and 1.
    fn input(&self, decl: &InputDecl, lane: usize) -> [u32; 4];

    /// Bits of a constant register, `index` being within the bank. Registers that the shader defines are not asked for.
    fn constant(&self, bank: &BankDecl, index: u32) -> [u32; 4];

    /// A texture sample.
    fn sample(&self, texture: &TextureDecl, args: &SampleArgs) -> [f32; 4];

    /// The first component of the four texels around a place, in the order of [`Op::Gather`](afterimage_ir::Op::Gather).
    /// Unless an environment says otherwise, its textures have one texel.
    fn gather(&self, texture: &TextureDecl, coord: [f32; 3]) -> [f32; 4] {
        let args = SampleArgs { coord, lod: Lod::Level(0.0), reference: None };
        [self.sample(texture, &args)[0]; 4]
    }

    /// Bits of a specialisation constant, truth values being 0 or 1: its default, unless an environment sets it.
    fn spec(&self, decl: &SpecDecl) -> u32 {
        decl.default
    }
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
