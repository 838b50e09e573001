//! No pass changes what the interpreter computes.

#[path = "../kept/mod.rs"]
mod kept;

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

fn compare(module: &Module, before: &[Outcome], after: &[Outcome]) -> Result<(), String> {
    for (index, (before, after)) in before.iter().zip(after).enumerate() {
        kept::compare(module, before, after).map_err(|what| format!("world {index}: {what}"))?;
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
                let same = outcomes(module).and_then(|outcomes| compare(module, &expected, &outcomes));
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
