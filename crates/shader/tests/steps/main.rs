//! Every shader of the corpus through every step: it parses, the IR verifies, no pass changes what the interpreter computes,
//! `spirv-val` finds nothing, and the driver computes what the interpreter does.

#[path = "../corpus/mod.rs"]
mod corpus;
mod coverage;
mod passes;
mod valid;
mod world;

use afterimage_shader::{FloatRules, Language, Profile, RuntimeInfo, Shader};
use corpus::Entry;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The checked shader of an entry, and the state that it is compiled for.
fn shader(entry: &Entry) -> Result<(Shader, RuntimeInfo), String> {
    let shader = Shader::new(Language::D3d9, bytemuck::cast_slice(&entry.tokens)).map_err(|e| format!("parse: {e}"))?;
    let runtime = RuntimeInfo { link: shader.own_link(), textures: [entry.bound; 20], ..RuntimeInfo::default() };
    Ok((shader, runtime))
}

/// What the corpus is compiled for.
fn profile(float_rules: FloatRules) -> Profile {
    Profile { bindless: false, float_rules, debug_names: false }
}

/// Runs a step for every entry on all processors and says how many there were; fails with every entry that the step says
/// something about.
fn every_entry(step: &str, entries: &[Entry], check: impl Fn(&Entry) -> Result<(), String> + Sync) {
    let start = std::time::Instant::now();
    let (next, failed) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(entry) = entries.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(error) = check(entry) {
                        failed.lock().expect("nothing panics with it").push((entry, error));
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().expect("nothing panics with it");
    println!("{step}: {} shaders in {:.1} s, {} fail", entries.len(), start.elapsed().as_secs_f32(), failed.len());
    let Some((entry, error)) = failed.first() else { return };
    let names: Vec<String> =
        failed.iter().map(|(entry, error)| format!("{}: {}", entry.name, first_line(error))).collect();
    let text = afterimage_shader_d3d9::disassemble(&entry.tokens).unwrap_or_else(|error| error.to_string());
    panic!(
        "{step}: {} shaders fail\n{}\n\nthe first, {}:\n{text}\n{error}",
        failed.len(),
        names.join("\n"),
        entry.name
    );
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}
