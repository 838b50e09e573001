//! What a shader of the corpus (`tests/corpus`) costs on its way from tokens to SPIR-V and to Metal's language: the whole way,
//! where on it the time goes, and how large the results are. The baseline is reading a shader's signature, which is what a
//! guest does when it creates one. A shader that is rejected fails the benchmark.
#![forbid(unsafe_code)]

#[path = "../tests/corpus/mod.rs"]
mod corpus;

use afterimage_bench::Bench;
use afterimage_ir::{Module, verify};
use afterimage_passes::{FloatRules, Options, optimize, optimize_observed};
use afterimage_shader::{Compiler, DiskCache, Language, Profile, RuntimeInfo, Shader, msl};
use afterimage_shader_d3d9::{Program, signature};
use corpus::Entry;
use std::hint::black_box;
use std::time::{Duration, Instant};

const PROFILE: Profile = Profile {
    bindless: true,
    float_rules: FloatRules::Strict,
    preserve: true,
    debug_names: false,
    clip_varyings: None,
    wave: 32,
    features: afterimage_shader::Features::ALL,
};
const SPIRV: afterimage_spirv::Options = afterimage_spirv::Options {
    bindless: true,
    preserve: true,
    debug_names: false,
    features: afterimage_spirv::Features::ALL,
};

/// A shader in all its forms.
struct Prepared {
    entry: Entry,
    shader: Shader,
    runtime: RuntimeInfo,
    /// After all passes.
    module: Module,
}

fn prepare(entry: Entry) -> Result<Prepared, String> {
    let error = |e: &dyn std::fmt::Display| format!("{}: {e}", entry.name);
    let shader = shader(&entry.tokens).map_err(|e| error(&e))?;
    let runtime = RuntimeInfo { link: shader.own_link(), ..entry.runtime };
    let module = shader.module(&PROFILE, &runtime).map_err(|e| error(&e))?;
    shader.compile(&PROFILE, &runtime).map_err(|e| error(&e))?;
    shader.compile_msl(&PROFILE, &runtime).map_err(|e| error(&e))?;
    Ok(Prepared { entry, shader, runtime, module })
}

fn shader(tokens: &[u32]) -> Result<Shader, afterimage_shader::CompileError> {
    Shader::new(Language::D3d9, bytemuck::cast_slice(tokens))
}

fn to_spirv(p: &Prepared) -> usize {
    let compiled = shader(&p.entry.tokens).and_then(|shader| shader.compile(&PROFILE, &p.runtime));
    compiled.map_or(0, |artifact| artifact.words.len() * 4)
}

fn to_msl(p: &Prepared) -> usize {
    let compiled = shader(&p.entry.tokens).and_then(|shader| shader.compile_msl(&PROFILE, &p.runtime));
    compiled.map_or(0, |artifact| artifact.source.len())
}

fn main() -> std::io::Result<()> {
    let (mut all, mut rejected) = (Vec::new(), Vec::new());
    for entry in corpus::all() {
        match prepare(entry) {
            Ok(prepared) => all.push(prepared),
            Err(error) => rejected.push(error),
        }
    }
    let hlsl: Vec<&Prepared> = all.iter().filter(|p| p.entry.name.starts_with("hlsl")).collect();
    println!("{} shaders, {} of them HLSL; {} rejected", all.len(), hlsl.len(), rejected.len());

    let mut bench = Bench::new("shader");
    let count = all.len();
    bench.case("signature", count, || all.iter().filter(|p| signature(&p.entry.tokens).is_ok()).count());
    bench.case("create", count, || all.iter().filter(|p| shader(&p.entry.tokens).is_ok()).count());
    bench.case("cache key", count, || all.iter().fold(0, |sum, p| sum ^ p.shader.key(&PROFILE, &p.runtime).0));
    bench.case("tokens to SPIR-V", count, || all.iter().map(to_spirv).sum::<usize>());
    bench.case("tokens to MSL", count, || all.iter().map(to_msl).sum::<usize>());
    bench.case("tokens to SPIR-V, HLSL alone", hlsl.len(), || hlsl.iter().map(|p| to_spirv(p)).sum::<usize>());
    bench.case("tokens to MSL, HLSL alone", hlsl.len(), || hlsl.iter().map(|p| to_msl(p)).sum::<usize>());
    bench.case("parse", count, || all.iter().filter(|p| Program::parse(&p.entry.tokens).is_ok()).count());
    bench.case("lift", count, || all.iter().filter(|p| p.shader.lift(&p.runtime).is_ok()).count());
    let lifted: Vec<Module> = all.iter().filter_map(|p| p.shader.lift(&p.runtime).ok()).collect();
    bench.case("verify", count, || lifted.iter().filter(|module| verify(module).is_ok()).count());
    bench.case("passes, and a copy of the module", count, || {
        lifted.iter().for_each(|module| {
            optimize(black_box(&mut module.clone()), &Options { float_rules: PROFILE.float_rules });
        });
    });
    bench.case("write SPIR-V", count, || {
        all.iter().filter(|p| afterimage_spirv::emit(&p.module, &SPIRV).is_ok()).count()
    });
    bench.case("write MSL", count, || {
        all.iter().filter(|p| msl::emit(&p.module, &msl::Options::default()).is_ok()).count()
    });
    let dir = std::env::temp_dir().join(format!("afterimage-bench-{}", std::process::id()));
    let compiler = Compiler { profile: PROFILE, cache: Some(DiskCache::open(&dir)?) };
    // A few are enough: the files of all would be the file system's benchmark.
    let few: Vec<&Prepared> = all.iter().step_by(count.div_ceil(200)).collect();
    bench.case("disk cache hit", few.len(), || {
        few.iter().filter(|p| compiler.compile(&p.shader, &p.runtime).is_ok()).count()
    });
    std::fs::remove_dir_all(&dir)?;
    shares("all", all.iter());
    shares("HLSL", hlsl.iter().copied());
    sizes("all", all.iter());
    sizes("HLSL", hlsl.iter().copied());
    bench.finish()?;
    match rejected.is_empty() {
        true => Ok(()),
        false => Err(std::io::Error::other(format!("rejected:\n{}", rejected.join("\n")))),
    }
}

/// Prints what part of the way from tokens to SPIR-V each step takes. The median of a few rounds, each over all shaders.
fn shares<'a>(what: &str, shaders: impl Iterator<Item = &'a Prepared> + Clone) {
    const ROUNDS: usize = 5;
    let mut steps: Vec<(&'static str, Vec<Duration>)> = Vec::new();
    for round in 0..ROUNDS {
        for p in shaders.clone() {
            let mut at = Instant::now();
            let mut step = 0;
            let mut took = |name: &'static str| {
                let now = Instant::now();
                if steps.len() <= step {
                    steps.push((name, vec![Duration::ZERO; ROUNDS]));
                }
                steps[step].1[round] += now - at;
                step += 1;
                at = Instant::now();
            };
            let Ok(shader) = shader(&p.entry.tokens) else { continue };
            took("parse and signature");
            let Ok(mut module) = shader.lift(&p.runtime) else { continue };
            took("lift");
            let _ = black_box(verify(&module));
            took("verify");
            let options = Options { float_rules: PROFILE.float_rules };
            optimize_observed(&mut module, &options, &mut |name, _| took(name));
            let _ = black_box(afterimage_spirv::emit(&module, &SPIRV));
            took("write SPIR-V");
        }
    }
    let medians: Vec<(&str, f64)> = steps
        .into_iter()
        .map(|(name, mut rounds)| {
            rounds.sort_unstable();
            (name, rounds[ROUNDS / 2].as_secs_f64())
        })
        .collect();
    let (total, count) = (medians.iter().map(|(_, time)| time).sum::<f64>(), shaders.count());
    println!("where the time goes, {what}: {:.1} us a shader", total * 1e6 / count as f64);
    for (name, time) in medians {
        println!("  {name:<22} {:>6.2} us {:>5.1} %", time * 1e6 / count as f64, time * 100.0 / total);
    }
}

fn sizes<'a>(what: &str, shaders: impl Iterator<Item = &'a Prepared> + Clone) {
    let tokens: usize = shaders.clone().map(|p| p.entry.tokens.len() * 4).sum();
    let (spirv, metal): (usize, usize) = (shaders.clone().map(to_spirv).sum(), shaders.map(to_msl).sum());
    println!("bytes, {what}: {tokens} of tokens become {spirv} of SPIR-V and {metal} of MSL");
}
