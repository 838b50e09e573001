//! Every shader of the corpus through every step: it parses, the IR verifies and means what the shader reference says, no pass
//! changes what the interpreter computes, `spirv-val` finds nothing, the driver computes what the interpreter does, and so does
//! the Metal shader. And what the tables do not call legal is refused.
//!
//! `world.rs` is what all of them read.

#[path = "../../../shader-d3d9/tests/cases/mod.rs"]
mod cases;
#[path = "../corpus/mod.rs"]
mod corpus;
#[path = "../../../spirv/tests/gpu/mod.rs"]
mod gpu;
#[path = "../../../msl/tests/judge/mod.rs"]
mod judge;
#[path = "../../../spirv/tests/judges/mod.rs"]
mod judges;

mod coverage;
mod driver;
mod illegal;
mod lifted;
mod machine;
mod metal;
mod passes;
mod reference;
mod rig;
mod states;
mod valid;
mod world;

use afterimage_shader::{FloatRules, Language, Profile, RuntimeInfo, Shader};
use corpus::Entry;
use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// The checked shader of an entry, and the state that it is compiled for.
fn shader(entry: &Entry) -> Result<(Shader, RuntimeInfo), String> {
    let shader = Shader::new(Language::D3d9, bytemuck::cast_slice(&entry.tokens)).map_err(|e| format!("parse: {e}"))?;
    let runtime = RuntimeInfo { link: shader.own_link(), ..entry.runtime };
    Ok((shader, runtime))
}

/// What the corpus is compiled for.
fn profile(float_rules: FloatRules) -> Profile {
    Profile { float_rules, preserve: true, debug_names: false, ..Profile::default() }
}

/// The entries that become different SPIR-V; of equal ones the first. (That equal code means what each of them means, the
/// passes' step shows.)
fn distinct(entries: Vec<Entry>) -> Vec<Entry> {
    let mut seen = HashSet::new();
    let profile = profile(FloatRules::Strict);
    let different = |entry: &Entry| {
        let compiled = shader(entry).ok().and_then(|(shader, runtime)| shader.compile(&profile, &runtime).ok());
        // What cannot be compiled is for the step to complain about.
        compiled.is_none_or(|artifact| seen.insert((artifact.words, format!("{:?}", artifact.reflection))))
    };
    entries.into_iter().filter(different).collect()
}

/// Runs a step for every entry on all processors and says how many there were; fails with every entry that the step says
/// something about.
fn every_entry(step: &str, entries: &[Entry], check: impl Fn(&Entry) -> Result<(), String> + Sync) {
    let start = Instant::now();
    let (next, failed) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(entry) = entries.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let checked = catch_unwind(AssertUnwindSafe(|| check(entry)));
                    if let Err(error) = checked.unwrap_or_else(|_| Err("panics, see above".to_owned())) {
                        failed.lock().expect("nothing panics with it").push((entry.clone(), error));
                    }
                }
            });
        }
    });
    report(step, entries.len(), start, failed.into_inner().expect("nothing panics with it"));
}

/// Says how many shaders a step had, and fails if some did not pass.
fn report(step: &str, count: usize, start: Instant, mut failed: Vec<(Entry, String)>) {
    failed.sort_by(|a, b| a.0.name.cmp(&b.0.name));
    println!("{step}: {count} shaders in {:.1} s, {} fail", start.elapsed().as_secs_f32(), failed.len());
    let Some((entry, error)) = failed.first() else { return };
    let names = failed.iter().map(|(entry, error)| format!("{}: {}", entry.name, error.lines().next().unwrap_or("")));
    let names: Vec<String> = names.collect();
    let text = afterimage_shader_d3d9::disassemble(&entry.tokens).unwrap_or_else(|error| error.to_string());
    panic!("{step}: {} shaders fail\n{}\n\nthe first, {}:\n{text}\n{error}", names.len(), names.join("\n"), entry.name);
}
