//! What GCN code costs on its way to instructions and to text, in words: every compute shader of the corpus, one after the
//! other. The baseline is the hash of as many bytes. Then what shaders cost on their way to SPIR-V, of every stage that becomes
//! one of the host's by itself; the baseline is parsing them.

#[path = "../tests/rig/source.rs"]
mod source;

use afterimage_bench::Bench;
use afterimage_gcn_corpus::{World, programs};
use afterimage_passes::{FloatRules, optimize};
use afterimage_shader_gcn::io::{HwStage, Source};
use afterimage_shader_gcn::{Inst, Program, assemble, code_length, lift, resources};
use afterimage_spirv::{Artifact, Features, Options, emit};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::hint::black_box;

/// The code of every compute shader.
fn shaders() -> std::io::Result<Vec<Vec<u32>>> {
    let mut out = Vec::new();
    for program in programs().map_err(std::io::Error::other)? {
        for &compiler in program.compilers() {
            let compiled = program.compiled(compiler).map_err(std::io::Error::other)?;
            let compute = compiled.shaders.into_iter().filter(|shader| shader.stage == "cs");
            out.extend(compute.map(|shader| shader.words()));
        }
    }
    Ok(out)
}

/// What the translation of a shader gets, of all that are translated; and how many are not.
fn sources() -> std::io::Result<(Vec<Source>, usize)> {
    let (mut out, mut refused) = (Vec::new(), 0);
    for program in programs().map_err(std::io::Error::other)? {
        let world = World::new(&program.name, &program.header, 1);
        for &compiler in program.compilers() {
            for shader in &program.compiled(compiler).map_err(std::io::Error::other)?.shaders {
                match source::source(&program, shader, &world.with_code(shader)) {
                    Ok((source, ..)) if spirv(&source).is_some() => out.push(source),
                    _ => refused += 1,
                }
            }
        }
    }
    Ok((out, refused))
}

/// From code to SPIR-V, with everything that a new shader needs.
fn spirv(source: &Source) -> Option<Artifact> {
    black_box(resources(source).ok()?);
    let mut module = lift(source).ok()?;
    optimize(&mut module, &afterimage_passes::Options { float_rules: FloatRules::Strict });
    emit(&module, &Options { bindless: true, preserve: true, debug_names: false, features: Features::ALL }).ok()
}

fn main() -> std::io::Result<()> {
    let shaders = shaders()?;
    let programs: Vec<Program> = shaders
        .iter()
        .map(|words| Program::parse(words, HwStage::Cs))
        .collect::<Result<_, _>>()
        .map_err(std::io::Error::other)?;
    let texts: Vec<String> = programs.iter().map(Program::to_string).collect();
    let words: usize = programs.iter().map(|program| program.words().len()).sum();
    println!("{words} words of {} shaders", shaders.len());

    let mut bench = Bench::new("shader_gcn");
    bench.case("hash", words, || {
        for words in &shaders {
            let mut hash = DefaultHasher::new();
            black_box(words).hash(&mut hash);
            black_box(hash.finish());
        }
    });
    bench.case("decode", words, || {
        for program in &programs {
            let (words, mut at) = (program.words(), 0);
            while at < words.len() {
                match black_box(Inst::decode(&words[at..], at as u32)) {
                    Ok(inst) => at = inst.next() as usize,
                    Err(_) => at += 1,
                }
            }
        }
    });
    bench.case("parse", words, || {
        shaders.iter().for_each(|words| drop(black_box(Program::parse(black_box(words), HwStage::Cs))));
    });
    bench.case("length", words, || {
        for words in &shaders {
            _ = black_box(code_length(|n| words.get(n).copied()));
        }
    });
    bench.case("encode", words, || {
        programs.iter().flat_map(Program::insts).for_each(|inst| drop(black_box(inst.encode())));
    });
    bench.case("disassemble", words, || {
        programs.iter().for_each(|program| drop(black_box(program.to_string())));
    });
    bench.case("assemble", words, || texts.iter().for_each(|text| drop(black_box(assemble(black_box(text))))));

    let (sources, refused) = sources()?;
    println!("{} shaders to SPIR-V, {refused} of the corpus are refused", sources.len());
    bench.new_baseline();
    bench.case("shaders parsed", sources.len(), || {
        sources.iter().for_each(|source| drop(black_box(Program::parse(&source.code, source.stage))));
    });
    bench.case("shaders to resources", sources.len(), || {
        sources.iter().for_each(|source| drop(black_box(resources(source))));
    });
    bench.case("shaders to IR", sources.len(), || sources.iter().for_each(|source| drop(black_box(lift(source)))));
    bench.case("shaders to SPIR-V", sources.len(), || sources.iter().for_each(|source| drop(black_box(spirv(source)))));
    bench.finish()
}
