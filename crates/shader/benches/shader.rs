//! What a shader costs from tokens to SPIR-V, per shader of the corpus (the front end's filetests and the sample
//! programs' shaders), against reading its signature, which is what a guest does when it creates one.
#![forbid(unsafe_code)]

use afterimage_bench::Bench;
use afterimage_shader::{Compiler, DiskCache, Language, Profile, RuntimeInfo, Shader};
use afterimage_shader_d3d9::{Program, assemble, signature};
use std::path::Path;

fn corpus() -> std::io::Result<Vec<Vec<u32>>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut shaders = Vec::new();
    for folder in ["../shader-d3d9/tests/filetests", "../../samples/shaders"] {
        for entry in std::fs::read_dir(root.join(folder))? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "asm") {
                let text = std::fs::read_to_string(&path)?;
                shaders.push(
                    assemble(&text).map_err(|error| std::io::Error::other(format!("{}: {error}", path.display())))?,
                );
            }
        }
    }
    Ok(shaders)
}

fn main() -> std::io::Result<()> {
    let tokens = corpus()?;
    let count = tokens.len();
    let profile = Profile { debug_names: false, bindless: true, ..Profile::default() };
    let new = |tokens: &Vec<u32>| Shader::new(Language::D3d9, bytemuck::cast_slice(tokens)).ok();
    let shaders: Vec<(Shader, RuntimeInfo)> = tokens
        .iter()
        .filter_map(new)
        .map(|shader| {
            let runtime = RuntimeInfo { link: shader.own_link(), ..RuntimeInfo::default() };
            (shader, runtime)
        })
        .collect();
    let dir = std::env::temp_dir().join(format!("afterimage-bench-{}", std::process::id()));
    let compiler = Compiler { profile, cache: Some(DiskCache::open(&dir)?) };

    let mut bench = Bench::new("shader");
    bench.case("signature", count, || tokens.iter().filter(|tokens| signature(tokens).is_ok()).count());
    bench.case("parse", count, || tokens.iter().filter_map(|tokens| Program::parse(tokens).ok()).count());
    bench.case("create", count, || tokens.iter().filter_map(new).count());
    bench.case("cache key", count, || shaders.iter().fold(0, |sum, (s, runtime)| sum ^ s.key(&profile, runtime).0));
    bench.case("lift", count, || shaders.iter().filter_map(|(s, runtime)| s.lift(runtime).ok()).count());
    bench.case("compile: IR, passes, SPIR-V", count, || {
        shaders.iter().filter_map(|(s, runtime)| s.compile(&profile, runtime).ok()).count()
    });
    bench.case("tokens to SPIR-V", count, || {
        let compiled = tokens
            .iter()
            .zip(&shaders)
            .filter_map(|(tokens, (_, runtime))| new(tokens)?.compile(&profile, runtime).ok());
        compiled.count()
    });
    bench.case("tokens to MSL", count, || {
        let compiled = tokens
            .iter()
            .zip(&shaders)
            .filter_map(|(tokens, (_, runtime))| new(tokens)?.compile_msl(&profile, runtime).ok());
        compiled.count()
    });
    bench.case("disk cache hit", count, || {
        shaders.iter().filter_map(|(s, runtime)| compiler.compile(s, runtime).ok()).count()
    });
    std::fs::remove_dir_all(&dir)?;
    bench.finish()
}
