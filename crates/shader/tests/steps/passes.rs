//! No pass changes what the interpreter computes.

use crate::world::{WORLDS, World};
use crate::{corpus, every_entry, shader};
use afterimage_interp::{Interpreter, Outcome};
use afterimage_ir::{Module, Stage, verify};
use afterimage_passes::{FloatRules, Options, optimize_observed};

/// What a module computes in every world.
fn outcomes(module: &Module) -> Result<Vec<Outcome>, String> {
    let interpreter = Interpreter::new(module).map_err(|e| format!("verify: {e}\n{module}"))?;
    let mut outcomes = Vec::new();
    for index in 0..WORLDS {
        // One quad of each world: what is the same for one set of random numbers is for the next.
        let world = World::new(index, module.stage, index % World::quads(module.stage));
        outcomes.push(interpreter.run(&world).map_err(|e| format!("interpreter: {e}\n{module}"))?);
    }
    Ok(outcomes)
}

/// Bits, but every NaN is the same.
fn bits(word: u32) -> u32 {
    if f32::from_bits(word).is_nan() { f32::NAN.to_bits() } else { word }
}

fn compare(before: &[Outcome], after: &[Outcome]) -> Result<(), String> {
    for (index, (before, after)) in before.iter().zip(after).enumerate() {
        if before.demoted != after.demoted {
            return Err(format!("world {index}: discards {:?}, not {:?}", after.demoted, before.demoted));
        }
        for (output, (before_lanes, after_lanes)) in before.outputs.iter().zip(&after.outputs).enumerate() {
            for lane in (0..4).filter(|lane| !before.demoted[*lane]) {
                let (old, new) = (before_lanes[lane].map(bits), after_lanes[lane].map(bits));
                if old != new {
                    let [old, new] = [old, new].map(|words| words.map(f32::from_bits));
                    return Err(format!("world {index}: output {output} in lane {lane} is {new:?}, not {old:?}"));
                }
            }
        }
    }
    Ok(())
}

#[test]
fn no_pass_changes_the_result() {
    every_entry("passes", &corpus::all(), |entry| {
        let (shader, runtime) = shader(entry)?;
        let lifted = shader.lift(&runtime).map_err(|e| format!("lift: {e}"))?;
        verify(&lifted).map_err(|e| format!("verify: {e}\n{lifted}"))?;
        let expected = outcomes(&lifted)?;
        let mut wrong = Ok(());
        let mut before = lifted.clone();
        let mut module = lifted;
        optimize_observed(&mut module, &Options { float_rules: FloatRules::Strict }, &mut |name, module| {
            if wrong.is_ok() {
                let same = outcomes(module).and_then(|outcomes| compare(&expected, &outcomes));
                wrong = same.map_err(|e| format!("{name}: {e}\nbefore the pass:\n{before}\nafter it:\n{module}"));
                before = module.clone();
            }
        });
        // Nothing of a shader may be lost: a corpus of shaders without results would prove nothing.
        if module.outputs.is_empty() && module.stage == Stage::Pixel {
            return Err("the shader has no output".to_owned());
        }
        wrong
    });
}
