//! What the tests' shaders read, and random bytes to make shaders of.

// Not every test uses all of it.
#![allow(dead_code)]

use afterimage_interp::{Environment, SampleArgs};
use afterimage_ir::{BankDecl, BankSource, GeneratedMemory, InputAt, InputDecl, Kind, SpecDecl, TextureDecl};

/// Varyings that differ from lane to lane, two banks, an address, textures that show where and how they were read.
pub(crate) struct World(pub(crate) u32);

/// Where the shaders' memory begins: pages before a place where the low half of addresses wraps.
pub(crate) const BASE: u64 = 0x1_ffff_f000;
/// Bytes of it.
pub(crate) const BYTES: usize = 0x6000;
/// The address in the bank of that: what is added to its low half carries.
pub(crate) const ADDRESS: u64 = 0x1_ffff_ff00;

fn float(seed: u32) -> f32 {
    const VALUES: [f32; 16] =
        [0.0, 1.0, -1.0, 0.5, 2.5, -3.75, 7.0, -0.0, 1e10, -1e-10, 3.0, 0.25, f32::INFINITY, -2.0, f32::NAN, 100.0];
    VALUES[(seed.wrapping_mul(0x9E37_79B1) >> 28) as usize]
}

impl Environment for World {
    fn input(&self, decl: &InputDecl, lane: usize) -> [u32; 4] {
        match decl.at {
            InputAt::Location(n) => {
                [0, 1, 2, 3].map(|i| float(self.0 + u32::from(n) * 16 + lane as u32 * 4 + i).to_bits())
            }
            InputAt::FrontFacing => [lane as u32 & 1, 0, 0, 0],
            InputAt::VertexIndex | InputAt::InstanceIndex => [lane as u32 + self.0 % 3; 4],
            InputAt::FragCoord => [lane as f32 + 0.5, 7.5, 0.25, 0.5].map(f32::to_bits),
            InputAt::PointCoord => [0.25, lane as f32 * 0.25, 0.0, 0.0].map(f32::to_bits),
            // The writer refuses the others by name.
            _ => [0; 4],
        }
    }

    fn constant(&self, bank: &BankDecl, index: u32) -> [u32; 4] {
        let floats = matches!(bank.source, BankSource::Stage | BankSource::System);
        match bank.id {
            GeneratedMemory::BANK => [ADDRESS as u32, (ADDRESS >> 32) as u32, 0, 0],
            0 if floats => [0, 1, 2, 3].map(|i| float(self.0 * 31 + index * 7 + i).to_bits()),
            _ => [0, 1, 2, 3].map(|i| (index * 3 + i + self.0) % 7),
        }
    }

    fn sample(&self, texture: &TextureDecl, args: &SampleArgs) -> [f32; 4] {
        let finite = |f: f32| if f.is_finite() { f } else { 0.75 };
        let sum: f32 = args.coord.iter().map(|&c| finite(c)).sum();
        [finite(sum), f32::from(texture.slot), args.reference.map_or(0.5, finite), 1.0]
    }

    fn spec(&self, decl: &SpecDecl) -> u32 {
        match decl.kind {
            _ if self.0 < 2 => decl.default,
            Kind::Float => 3.0f32.to_bits(),
            _ => 1,
        }
    }
}

/// Bytes from a fixed seed: the tests are about breadth, and a failure prints the module.
pub(crate) struct Bytes(u64);

impl Bytes {
    pub(crate) fn new() -> Bytes {
        Bytes(0x0123_4567_89ab_cdef)
    }

    pub(crate) fn next(&mut self) -> u8 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 24) as u8
    }

    pub(crate) fn take(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.next()).collect()
    }
}
