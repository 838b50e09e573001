//! Whether the passes keep what a shader computes: the interpreter's result before and after them. The tests and the fuzz targets
//! share it.

use afterimage_interp::{Environment, Interpreter, Outcome, SampleArgs};
use afterimage_ir::{BankDecl, InputAt, InputDecl, Module, TextureDecl};
use afterimage_passes::{FloatRules, Options, optimize};

/// Most steps of a shader that is looked at.
const STEPS: u64 = 200_000;
/// Most steps of it once it is optimised: float rules become several instructions each.
const STEPS_AFTER: u64 = 16 * STEPS;

/// What shaders read: small numbers of both signs, zeros, now and then infinity.
struct World;

fn value(seed: u32) -> u32 {
    const VALUES: [f32; 16] =
        [0.0, 1.0, -1.0, 0.5, 2.0, -0.25, 3.0, 0.75, -2.0, 0.125, 4.0, -0.0, 1.5, 0.9, f32::INFINITY, -3.5];
    VALUES[(seed.wrapping_mul(0x9E37_79B1) >> 28) as usize].to_bits()
}

impl Environment for World {
    fn input(&self, decl: &InputDecl, lane: usize) -> [u32; 4] {
        match decl.at {
            InputAt::Location(location) => [0, 1, 2, 3].map(|i| value(u32::from(location) * 16 + lane as u32 * 4 + i)),
            InputAt::FrontFacing => [lane as u32 & 1, 0, 0, 0],
            _ => [lane as f32 + 0.5, 7.5, 0.25, 0.5].map(f32::to_bits),
        }
    }

    fn constant(&self, bank: &BankDecl, index: u32) -> [u32; 4] {
        // The second and third bank of each stage of Direct3D hold integers and truth values.
        if matches!(bank.id, 1 | 2 | 4 | 5) {
            return [index % 5, index % 3, 1, 0];
        }
        [0, 1, 2, 3].map(|i| value(index * 7 + i + u32::from(bank.id) * 1000))
    }

    fn sample(&self, texture: &TextureDecl, args: &SampleArgs) -> [f32; 4] {
        [args.coord[0].fract(), args.coord[1].fract(), f32::from(texture.slot), args.reference.unwrap_or(1.0)]
    }
}

fn run(module: &Module, steps: u64) -> Option<Outcome> {
    Interpreter::new(module).expect("verified").step_limit(steps).run(&World).ok()
}

/// Bits, but every NaN is the same.
fn bits(word: u32) -> u32 {
    if f32::from_bits(word).is_nan() { f32::NAN.to_bits() } else { word }
}

/// Whether a module gave the same in two runs, pixels that are thrown away apart.
pub(crate) fn compare(module: &Module, before: &Outcome, after: &Outcome) -> Result<(), String> {
    if before.demoted != after.demoted {
        return Err(format!("discards {:?}, not {:?}", after.demoted, before.demoted));
    }
    for (index, decl) in module.outputs.iter().enumerate() {
        for lane in (0..4).filter(|lane| !before.demoted[*lane]) {
            let [old, new] = [before, after].map(|outcome| outcome.outputs[index][lane].map(bits));
            if old != new {
                let [old, new] = [old, new].map(|words| words.map(f32::from_bits));
                return Err(format!("output {index} ({}) in lane {lane} is {new:?}, not {old:?}", decl.name));
            }
        }
    }
    Ok(())
}

/// Whether a module computes the same bits once it is optimised strictly. One that does not end is not looked at.
#[allow(dead_code, reason = "one of the tests that share this has worlds of its own")]
pub(crate) fn kept(module: &Module) -> Result<(), String> {
    let Some(before) = run(module, STEPS) else { return Ok(()) };
    let mut optimized = module.clone();
    optimize(&mut optimized, &Options { float_rules: FloatRules::Strict });
    let same = match run(&optimized, STEPS_AFTER) {
        Some(after) => compare(module, &before, &after),
        None => Err("what ends does not end once it is optimised".to_owned()),
    };
    same.map_err(|what| format!("{what}\n{module}\n{optimized}"))
}
