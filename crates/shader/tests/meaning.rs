//! The passes may not change what the interpreter computes for Direct3D 9 shaders, generated ones above all.

use afterimage_interp::{Environment, Interpreter, Outcome, SampleArgs};
use afterimage_ir::{BankDecl, InputAt, InputDecl, Module, TextureDecl};
use afterimage_passes::{FloatRules, Options, optimize};
use afterimage_shader::{Language, PixelOps, RuntimeInfo, Shader, VertexOps};
use afterimage_shader_d3d9::tables::{Opcode, Version};
use afterimage_shader_d3d9::{FixedPixelKey, FixedVertexKey, generate};
use proptest::collection::vec;
use proptest::prelude::*;

/// Values that matter: small numbers of both signs, zeros, now and then infinity.
struct World;

fn value(seed: u32) -> f32 {
    const VALUES: [f32; 16] =
        [0.0, 1.0, -1.0, 0.5, 2.0, -0.25, 3.0, 0.75, -2.0, 0.125, 4.0, -0.0, 1.5, 0.9, f32::INFINITY, -3.5];
    VALUES[(seed.wrapping_mul(0x9E37_79B1) >> 28) as usize]
}

impl Environment for World {
    fn input(&self, decl: &InputDecl, lane: usize) -> [u32; 4] {
        match decl.at {
            InputAt::Location(location) => {
                [0, 1, 2, 3].map(|i| value(u32::from(location) * 16 + lane as u32 * 4 + i).to_bits())
            }
            InputAt::FrontFacing => [lane as u32 & 1, 0, 0, 0],
            _ => [lane as f32 + 0.5, 7.5, 0.25, 0.5].map(f32::to_bits),
        }
    }

    fn constant(&self, bank: &BankDecl, index: u32) -> [u32; 4] {
        // The second and third bank of each stage hold integers and truth values.
        if matches!(bank.id, 1 | 2 | 4 | 5) {
            return [index % 5, index % 3, 1, 0];
        }
        [0, 1, 2, 3].map(|i| value(index * 7 + i + u32::from(bank.id) * 1000).to_bits())
    }

    fn sample(&self, texture: &TextureDecl, args: &SampleArgs) -> [f32; 4] {
        [args.coord[0].fract(), args.coord[1].fract(), f32::from(texture.slot), args.reference.unwrap_or(1.0)]
    }
}

fn run(module: &Module) -> Option<Outcome> {
    Interpreter::new(module).expect("verified").step_limit(200_000).run(&World).ok()
}

/// Bits, but every NaN is the same.
fn bits(word: u32) -> u32 {
    if f32::from_bits(word).is_nan() { 0x7FC0_0000 } else { word }
}

fn same(shader: &Shader, runtime: &RuntimeInfo) -> Result<(), TestCaseError> {
    let Ok(lifted) = shader.lift(runtime) else { return Ok(()) };
    let Some(before) = run(&lifted) else { return Ok(()) };
    let mut optimized = lifted.clone();
    optimize(&mut optimized, &Options { float_rules: FloatRules::Strict });
    let after = run(&optimized).ok_or_else(|| TestCaseError::fail("the optimized shader does not end"))?;
    prop_assert_eq!(before.demoted, after.demoted, "{}\n{}", lifted, optimized);
    for (index, decl) in lifted.outputs.iter().enumerate() {
        let covered = (0..4).filter(|lane| !before.demoted[*lane]);
        for lane in covered {
            let [old, new] = [&before, &after].map(|outcome| outcome.outputs[index][lane].map(bits));
            prop_assert_eq!(old, new, "{} in lane {}\n{}\n{}", &decl.name, lane, lifted, optimized);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn passes_keep_the_meaning_of_shaders(version in 0..Version::ALL.len(), bytes in vec(any::<u8>(), 0..1000)) {
        let mut program = generate(Version::ALL[version], &bytes);
        // Derivatives where the lanes of a quad go different ways may be anything.
        program.instructions.retain(|i| !matches!(i.op, Opcode::Dsx | Opcode::Dsy));
        let tokens = program.encode();
        let shader = Shader::new(Language::D3d9, bytemuck::cast_slice(&tokens));
        let shader = shader.map_err(|error| TestCaseError::fail(error.to_string()))?;
        same(&shader, &RuntimeInfo { link: shader.own_link(), ..RuntimeInfo::default() })?;
    }

    #[test]
    fn passes_keep_the_meaning_of_fixed_stages(bytes in any::<[u8; 200]>(), fog in 0..5u8, compare in 0..8u8) {
        let keys = [
            (Language::FixedVertex, &bytes[..size_of::<FixedVertexKey>()]),
            (Language::FixedPixel, &bytes[..size_of::<FixedPixelKey>()]),
        ];
        for (language, code) in keys {
            let shader = Shader::new(language, code).map_err(|error| TestCaseError::fail(error.to_string()))?;
            let runtime = RuntimeInfo {
                link: shader.own_link(),
                pixel_ops: PixelOps { alpha_compare: compare, fog, ..PixelOps::default() },
                vertex_ops: VertexOps { point_size: 1, clip_planes: bytes[0] },
                ..RuntimeInfo::default()
            };
            same(&shader, &runtime)?;
        }
    }
}
