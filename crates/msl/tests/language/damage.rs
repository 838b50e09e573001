//! Modules that no front end would build: whatever the verifier lets through is written, or refused with a reason; and what is
//! written is right.

use crate::judge::Judge;
use crate::world::{Bytes, World};
use afterimage_interp::{Environment, SampleArgs};
use afterimage_ir::{BankDecl, InputAt, InputDecl, Op, TextureDecl, parse, verify};
use afterimage_msl::{EmitError, Options, emit};
use afterimage_passes::{FloatRules, optimize};

const EVERYTHING: &str = include_str!("../../../ir/tests/everything.air");
const MEMORY: [&str; 2] = [include_str!("../filetests/kernel.air"), include_str!("../filetests/device_memory.air")];

/// Every primitive faces the viewer, with which the loop of the example ends.
struct Facing(World);

impl Environment for Facing {
    fn input(&self, decl: &InputDecl, lane: usize) -> [u32; 4] {
        if decl.at == InputAt::FrontFacing { [1; 4] } else { self.0.input(decl, lane) }
    }

    fn constant(&self, bank: &BankDecl, index: u32) -> [u32; 4] {
        self.0.constant(bank, index)
    }

    fn sample(&self, texture: &TextureDecl, args: &SampleArgs) -> [f32; 4] {
        self.0.sample(texture, args)
    }
}

/// The text with some lines lost, doubled, or with another number at their end.
fn damaged(text: &str, random: &mut Bytes) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for _ in 0..1 + random.next() % 4 {
        let at = random.next() as usize % lines.len();
        match random.next() % 3 {
            0 => {
                lines.remove(at);
            }
            1 => {
                let to = random.next() as usize % lines.len();
                let line = lines[at].clone();
                lines.insert(to, line);
            }
            _ => {
                // One of its numbers.
                let line = &lines[at];
                let begins = |i: &usize| {
                    line.as_bytes()[*i].is_ascii_digit() && !line[..*i].ends_with(|c: char| c.is_ascii_digit())
                };
                let numbers: Vec<usize> =
                    (0..line.len()).filter(|&i| line.is_char_boundary(i)).filter(begins).collect();
                if !numbers.is_empty() {
                    let place = numbers[random.next() as usize % numbers.len()];
                    let rest = line[place..].trim_start_matches(|c: char| c.is_ascii_digit());
                    lines[at] = format!("{}{}{rest}", &line[..place], random.next() % 40);
                }
            }
        }
    }
    lines.join("\n")
}

#[test]
fn what_verifies_is_written() {
    let mut random = Bytes::new();
    let mut judge = Judge::new();
    let (mut written, mut refused) = (0, 0);
    for _ in 0..10000 {
        let Ok(mut module) = parse(&damaged(EVERYTHING, &mut random)) else { continue };
        if verify(&module).is_err() {
            continue;
        }
        optimize(&mut module, &afterimage_passes::Options { float_rules: FloatRules::Strict });
        match emit(&module, &Options::default()) {
            Ok(artifact) => {
                written += 1;
                // Nobody may come to a place that cannot be reached.
                let mut open = false;
                module.for_each_inst(|_, inst| open |= inst.op == Op::Unreachable);
                if written % 8 == 0 && !open {
                    judge.add(
                        &format!("module {written}"),
                        &module,
                        &artifact,
                        &[&Facing(World(0)), &Facing(World(6))],
                    );
                }
            }
            Err(EmitError::Binding(_)) => refused += 1,
            Err(error) => panic!("{error}\n{module}"),
        }
    }
    assert!(written > 400 && refused > 0, "{written} were written, {refused} refused");
    let report = judge.run();
    report.assert();
    assert!(report.shaders == 0 || report.runs > 20, "only {} runs were judged", report.runs);
}

/// Shaders on memory are compiled only: damaged addresses are not checked, and lanes may race.
#[test]
fn what_verifies_on_memory_compiles() {
    let mut random = Bytes::new();
    let mut judge = Judge::new();
    let (mut written, mut refused) = (0, 0);
    for round in 0..20000 {
        let text = MEMORY[round % 2].split("; ----").next().unwrap();
        let Ok(module) = parse(&damaged(text, &mut random)) else { continue };
        if verify(&module).is_err() {
            continue;
        }
        match emit(&module, &Options::default()) {
            Ok(artifact) => {
                written += 1;
                if written % 8 == 0 {
                    judge.compile(&format!("module {written}"), &module, &artifact);
                }
            }
            Err(EmitError::Binding(_)) => refused += 1,
            Err(error) => panic!("{error}\n{module}"),
        }
    }
    assert!(written > 400 && refused > 0, "{written} were written, {refused} refused");
    judge.run().assert();
}

/// What a module calls its own is not taken for what the written functions are called.
#[test]
fn names_do_not_hide_functions() {
    let mut judge = Judge::new();
    let words = ["device_word", "store_shared", "atomic_add_shared", "shared", "threadgroup_barrier"];
    for turn in 0..words.len() {
        let mut text = MEMORY[0].split("; ----").next().unwrap().to_owned();
        for (n, name) in ["local_id", "lane", "workgroup_id", "workgroup_count", "table"].iter().enumerate() {
            text = text.replace(&format!("\"{name}\""), &format!("\"{}\"", words[(n + turn) % words.len()]));
        }
        let module = parse(&text).unwrap();
        let artifact = emit(&module, &Options::default()).unwrap();
        assert!(artifact.bindings.iter().any(|b| b.name == "device_word_"), "{}", artifact.source);
        judge.compile(&format!("turn {turn}"), &module, &artifact);
    }
    judge.run().assert();
}

#[test]
fn names_of_functions_are_checked() {
    let module = parse(EVERYTHING).unwrap();
    for entry in ["", "main", "float4", "a b", "f(", "_f", "a__b"] {
        let options = Options { entry: entry.to_owned(), ..Options::default() };
        assert_eq!(emit(&module, &options), Err(EmitError::Entry(entry.to_owned())));
    }
}
