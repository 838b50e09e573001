//! What a translated shader of the corpus reads: the memory of its world, one piece behind the other, and what the pipeline brings.

use afterimage_gcn_corpus::{Place, World};
use afterimage_interp::{Environment, SampleArgs};
use afterimage_ir::{BankDecl, InputAt, InputDecl, Kind, TextureDecl};

use crate::rig::interpret::within;
use crate::rig::translate::Translated;

/// Where the memory begins.
pub const BASE: u64 = 0x12_3400_0000;
/// Bytes that each piece begins at a multiple of.
const ALIGN: usize = 256;

/// The surroundings of a shader.
pub struct Around<'a> {
    shader: &'a Translated,
    places: &'a [Place],
    /// Where each piece lies.
    addresses: Vec<u64>,
}

/// The surroundings, and the words of the memory in which all pieces lie.
pub fn around<'a>(shader: &'a Translated, world: &'a World) -> (Around<'a>, Vec<u32>) {
    let (mut words, mut addresses) = (Vec::new(), Vec::new());
    for place in &world.places {
        words.resize(words.len().next_multiple_of(ALIGN / 4), 0);
        addresses.push(BASE + words.len() as u64 * 4);
        words.extend(&place.words);
    }
    (Around { shader, places: &world.places, addresses }, words)
}

/// A number that looks random.
fn mixed(seed: u32) -> u32 {
    let x = seed.wrapping_mul(0x9E37_79B1) ^ 0x5bd1_e995;
    (x ^ x >> 15).wrapping_mul(0x85EB_CA6B) >> 8
}

/// A multiple of a sixteenth between -4 and 4.
fn ordinary(seed: u32) -> f32 {
    f32::from(mixed(seed) as u8) / 32.0 - 4.0
}

impl Environment for Around<'_> {
    fn input(&self, decl: &InputDecl, lane: usize) -> [u32; 4] {
        let lane = lane as u32;
        match decl.at {
            InputAt::VertexIndex => [lane, 0, 0, 0],
            InputAt::FragCoord => [10.5 + (lane & 1) as f32, 20.5 + (lane >> 1) as f32, 0.25, 0.5].map(f32::to_bits),
            InputAt::FrontFacing => [1, 0, 0, 0],
            _ if decl.ty.kind == Kind::Float => {
                let location = if let InputAt::Location(location) = decl.at { u32::from(location) } else { 99 };
                [0, 1, 2, 3].map(|n| (ordinary(location * 4 + n) + 0.125 * (lane & 1) as f32).to_bits())
            }
            _ => [0; 4],
        }
    }

    fn constant(&self, bank: &BankDecl, index: u32) -> [u32; 4] {
        self.shader.constant(bank.id, index, &|bound| {
            within(self.places, bound).map_or((0, 0), |(place, offset, bytes)| (self.addresses[place] + offset, bytes))
        })
    }

    fn sample(&self, texture: &TextureDecl, args: &SampleArgs) -> [f32; 4] {
        let sum: f32 = args.coord.iter().filter(|c| c.is_finite()).sum();
        [sum, f32::from(texture.slot), args.reference.unwrap_or(0.5), 1.0]
    }
}
