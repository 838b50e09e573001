//! Random modules, written as Metal shaders and run: they compute what the interpreter computes.

mod judge;

use afterimage_interp::{Environment, SampleArgs};
use afterimage_ir::*;
use afterimage_msl::{Options, emit};
use afterimage_passes::{FloatRules, float_rules, optimize};
use judge::Judge;

/// Varyings that differ from lane to lane, two banks, textures that show where and how they were read.
struct World(u32);

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
            _ => [lane as u32; 4],
        }
    }

    fn constant(&self, bank: &BankDecl, index: u32) -> [u32; 4] {
        match bank.id {
            0 => [0, 1, 2, 3].map(|i| float(self.0 * 31 + index * 7 + i).to_bits()),
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

#[test]
fn random_shaders_agree() {
    let mut judge = Judge::new();
    let mut state = 0x0123_4567_89ab_cdef_u64;
    for round in 0..400 {
        let bytes: Vec<u8> = (0..2500)
            .map(|_| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                (state >> 24) as u8
            })
            .collect();
        let mut module = generate(if round % 3 == 0 { Stage::Vertex } else { Stage::Pixel }, &bytes);
        // As written by a front end, but for the float rules; or after the pipeline.
        match round % 4 {
            0 => float_rules::run(&mut module, FloatRules::Strict),
            1 => optimize(&mut module, &afterimage_passes::Options { float_rules: FloatRules::Relaxed }),
            _ => optimize(&mut module, &afterimage_passes::Options { float_rules: FloatRules::Strict }),
        }
        verify(&module).unwrap();
        let artifact = emit(&module, &Options::default()).unwrap_or_else(|e| panic!("{e}\n{module}"));
        judge.add(&format!("round {round}"), &module, &artifact, &[&World(0), &World(1), &World(round)]);
    }
    let report = judge.run();
    report.assert();
    assert!(report.diverged * 4 < report.runs, "too many runs were not compared");
}
