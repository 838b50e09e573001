//! Everything that RADV compiled for the corpus as Metal gets it: what was written compiles, and computes what the interpreter does,
//! memory and all. What the judge has no functions for (waves, storage images, most textures) is compiled by the software Metal, whose own
//! tests and those of the renderer run such shaders.
//!
//! What the writer refuses is listed in `radv/metal.txt`, by name, with the shaders: one that is refused and not listed, or listed and
//! not refused so, fails the test; `AFTERIMAGE_BLESS=1` writes the list anew.
#![allow(unreachable_pub, dead_code, reason = "modules of another test, of which this one uses a part")]

#[path = "../../../msl/tests/judge/mod.rs"]
mod judge;
#[path = "../rig"]
mod rig {
    pub mod interpret;
    mod source;
    pub mod translate;
}
mod soft;
mod world;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use afterimage_gcn_corpus::{World, folder, programs};
use afterimage_msl::{EmitError, Options, emit};
use judge::{Judge, Memory};
use rig::translate::translate;

/// What the contents of memory come from.
const SEED: u32 = 1;
/// Lanes of the waves that shaders are written for, which is not known: those of kernels tell each other through the group's memory, as the
/// renderer on Metal has it.
const WAVE: u32 = 0;
/// Programs whose lanes tell each other by memory without a barrier, as those of a wave can that run in step: a group is one wave, so RADV
/// left the barrier out. The judge's lanes run one after the other up to barriers. They are compiled alone.
const IN_STEP: &[&str] = &["barriers_memory"];
/// The first line of the list.
const HEAD: &str = "# What of the corpus is refused on Metal: the name of what it lacks, and the shaders (name, compiler, stage). Written by\n\
                    # AFTERIMAGE_BLESS=1 cargo test -p afterimage-shader-gcn --test metal\n";

#[test]
fn metal_shaders_compute_what_the_interpreter_does() {
    if let Err(message) = afterimage_metal_soft::compiler() {
        assert!(std::env::var_os("CI").is_none(), "{message}");
        eprintln!("{message}: nothing is tested");
        return;
    }
    let only = std::env::var("AFTERIMAGE_ONLY").ok();
    let mut programs = programs().unwrap_or_else(|error| panic!("{error}"));
    assert!(programs.len() >= 150, "only {} programs are there", programs.len());
    programs.retain(|program| only.as_ref().is_none_or(|only| program.name.starts_with(only)));
    let (mut judge, mut refused, mut count) = (Judge::new(), BTreeMap::<String, Vec<String>>::new(), 0);
    let mut for_soft = Vec::new();
    for program in &programs {
        let world = World::new(&program.name, &program.header, SEED);
        for &compiler in program.compilers() {
            let compiled = program.compiled(compiler).unwrap_or_else(|error| panic!("{error}"));
            for shader in &compiled.shaders {
                let name = format!("{}.{compiler}.{}", program.name, shader.stage);
                count += 1;
                let world = world.with_code(shader);
                let translated = translate(program, shader, &world).unwrap_or_else(|error| panic!("{name}: {error}"));
                let mut module = translated.module.clone();
                assert!(afterimage_passes::wave_order::run(&mut module, WAVE), "{name}: no memory is left for waves");
                assert!(afterimage_passes::guest_waves::run(&mut module, WAVE), "{name}: no memory is left for waves");
                let artifact = match emit(&module, &Options::default()) {
                    Ok(artifact) => artifact,
                    Err(EmitError::Unsupported(what)) => {
                        refused.entry(what.to_owned()).or_default().push(name);
                        continue;
                    }
                    Err(error) => panic!("{name}: {error}"),
                };
                if IN_STEP.contains(&program.name.as_str()) {
                    judge.compile(&name, &module, &artifact);
                    continue;
                }
                if !judge::knows(&module) {
                    for_soft.push((name, artifact));
                    continue;
                }
                let (around, words) = world::around(&translated, &world);
                let mut memory = Memory { base: world::BASE, words };
                judge.add_on(&name, &module, &artifact, &around, &mut memory, program.header.groups);
            }
        }
    }
    let report = judge.run();
    let lacking: usize = refused.values().map(Vec::len).sum();
    let (compiled, wrong) = soft::compile(&for_soft);
    println!(
        "{count} shaders, {lacking} refused, {} judged, {compiled} compiled by the software Metal",
        report.shaders
    );
    assert!(wrong.is_empty(), "{} are wrong\n{}", wrong.len(), wrong[..wrong.len().min(5)].join("\n"));
    report.assert();
    assert_eq!(report.endless, 0);
    if only.is_none() {
        assert!(compiled >= 70, "only {compiled} are for the software Metal");
        compare(&refused);
    }
}

/// Holds what was refused to the list.
fn compare(refused: &BTreeMap<String, Vec<String>>) {
    let mut text = HEAD.to_owned();
    for (what, shaders) in refused {
        writeln!(text, "{what}: {}", shaders.join(" ")).expect("text");
    }
    let path = folder().join("metal.txt");
    if std::env::var_os("AFTERIMAGE_BLESS").is_some_and(|value| value == "1") {
        std::fs::write(&path, text).expect("the list can be written");
        return;
    }
    let known = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    assert!(known == text, "{} is not what is refused:\n{text}", path.display());
}
