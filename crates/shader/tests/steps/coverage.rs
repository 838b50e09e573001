//! The corpus holds what the tables call legal.

use crate::corpus::{self, Change, Entry, changes, plain, rows};
use afterimage_shader_d3d9::instruction::{ControlBits, Declaration, Instruction, Relative, Swizzle};
use afterimage_shader_d3d9::tables::{Opcode, RESULT_MODIFIERS, RESULT_SHIFTS, RegisterType, SourceModifier, Version};
use afterimage_shader_d3d9::{Program, assemble};
use std::collections::{BTreeMap, HashSet};

/// Facts about an instruction; the same words for what is there and for what there must be.
fn facts(i: &Instruction) -> Vec<String> {
    let mut facts = vec!["plain".to_owned()];
    for src in i.srcs.iter() {
        if src.modifier != SourceModifier::None {
            facts.push(src.modifier.text().to_owned());
        }
        match (src.swizzle, src.swizzle.replicated()) {
            (Swizzle::IDENTITY, _) => {}
            (_, Some(component)) => facts.push(format!("replicate {component}")),
            _ => facts.push("swizzle".to_owned()),
        }
        let file = src.register.ty.info().name;
        facts.push(match src.register.relative {
            None => format!("source {file}"),
            Some(Relative::Address(component)) => format!("{file}[a0.{component}]"),
            Some(Relative::Loop) => format!("{file}[aL]"),
        });
        if src.register.ty == RegisterType::Sampler {
            facts.push(format!("sampler {}", src.register.number));
        }
    }
    if let Some(dst) = &i.dst {
        facts.push(format!("mask {:x}", dst.mask));
        let modifiers = RESULT_MODIFIERS.iter().filter(|(bit, _)| dst.modifiers & bit != 0);
        facts.extend(modifiers.map(|(_, text)| (*text).to_owned()));
        facts.extend(RESULT_SHIFTS.iter().filter(|(shift, _)| *shift == dst.shift).map(|(_, text)| (*text).to_owned()));
    }
    if let Some(predicate) = &i.predicate {
        facts.push(format!("predicate {}", predicate.modifier.text()));
    }
    if i.coissue {
        facts.push("co-issue".to_owned());
    }
    match i.control {
        ControlBits::None => {}
        ControlBits::Comparison(comparison) => facts.push(comparison.text().to_owned()),
        control => facts.push(format!("{control:?}")),
    }
    if let Some(Declaration::Semantic(usage, _)) = i.declaration {
        facts.push(usage.text().to_owned());
    }
    facts
}

/// Facts that the change of an opcode's shader must bring into the corpus.
fn facts_of(op: Opcode, version: Version, change: Change) -> Vec<String> {
    let (program, place) = plain(op, version);
    let plain = program.instructions[place];
    let with = facts(&change.apply(&plain, version));
    let without = facts(&plain);
    with.into_iter().filter(|fact| !without.contains(fact)).collect()
}

/// What is in the corpus: opcode, version, fact.
fn present(entries: &[Entry]) -> HashSet<(Opcode, Version, String)> {
    let mut present = HashSet::new();
    for entry in entries {
        let program = Program::parse(&entry.tokens).unwrap_or_else(|error| panic!("{}: {error}", entry.name));
        for instruction in &program.instructions {
            for fact in facts(instruction) {
                present.insert((instruction.op, program.version, fact));
            }
        }
    }
    present
}

#[test]
fn every_opcode_version_and_modifier_is_there() {
    let entries = corpus::all();
    let present = present(&entries);
    let (mut missing, mut pairs, mut required) = (Vec::new(), 0, 0);
    for version in Version::ALL {
        for row in rows(version) {
            pairs += 1;
            if !present.contains(&(row.op, version, "plain".to_owned())) {
                missing.push(format!("{version} {}", row.name));
            }
            for change in changes(row.op, version).into_iter().filter(|change| change.is_legal(row.op, version)) {
                for fact in facts_of(row.op, version, change) {
                    required += 1;
                    if !present.contains(&(row.op, version, fact.clone())) {
                        missing.push(format!("{version} {}: {fact}", row.name));
                    }
                }
            }
        }
    }
    let mut by_version = BTreeMap::new();
    for entry in &entries {
        let version = Version::from_token(entry.tokens[0]).map_or_else(String::new, |version| version.to_string());
        *by_version.entry(version).or_insert(0) += 1;
    }
    println!("{} entries: {by_version:?}", entries.len());
    println!("{pairs} opcodes in versions, {required} facts about them required, {} there", present.len());
    assert!(missing.is_empty(), "not in the corpus:\n{}", missing.join("\n"));
    assert!(pairs > 600 && required > 5000, "the tables have shrunk, or the parser takes less");
}

/// What the reference allows beyond doubt, so that a parser which takes nothing does not pass for one that is covered.
#[test]
fn the_parser_takes_what_the_reference_allows() {
    let entries = corpus::all();
    let present = present(&entries);
    let every = |op, versions: &[Version], list: &[&str]| {
        for version in versions {
            for fact in list {
                assert!(present.contains(&(op, *version, (*fact).to_owned())), "{version} {op:?} {fact}");
            }
        }
    };
    let ps_1 = [Version::ps(1, 1), Version::ps(1, 2), Version::ps(1, 3), Version::ps(1, 4)];
    every(
        Opcode::Mad,
        &ps_1,
        &["-%", "%_bias", "-%_bias", "%_bx2", "-%_bx2", "1-%", "_x2", "_x4", "_d2", "_sat", "co-issue"],
    );
    every(Opcode::Add, &[Version::ps(1, 4)], &["%_x2", "-%_x2", "_x8", "_d4", "_d8", "replicate 0", "replicate 1"]);
    let from_2x = [Version::vs(2, 1), Version::ps(2, 1), Version::vs(3, 0), Version::ps(3, 0)];
    every(Opcode::Mul, &from_2x, &["-%", "predicate %", "predicate !%", "swizzle", "mask 7"]);
    every(Opcode::IfC, &from_2x, &["gt", "eq", "ge", "lt", "ne", "le"]);
    every(Opcode::SetP, &from_2x, &["gt", "eq", "ge", "lt", "ne", "le"]);
    every(Opcode::Add, &[Version::vs(3, 0), Version::ps(3, 0)], &["%_abs", "-%_abs", "_sat"]);
    every(Opcode::Mov, &[Version::ps(2, 0), Version::ps(3, 0)], &["_sat", "_pp"]);
    every(Opcode::Add, &[Version::vs(1, 1), Version::vs(2, 0), Version::vs(3, 0)], &["c[a0.0]"]);
    every(Opcode::Add, &[Version::vs(2, 0), Version::vs(3, 0)], &["c[a0.3]", "c[aL]"]);
    every(Opcode::Add, &[Version::vs(3, 0), Version::ps(3, 0)], &["v[aL]"]);
    every(Opcode::TexLd, &[Version::ps(2, 0), Version::ps(3, 0)], &["Project", "Bias", "sampler 1", "sampler 2"]);
}

/// Text and tokens say the same.
#[test]
fn text_and_back_is_the_same_shader() {
    for entry in corpus::all() {
        let program = Program::parse(&entry.tokens).unwrap_or_else(|error| panic!("{}: {error}", entry.name));
        let text = program.to_string();
        let again = assemble(&text).unwrap_or_else(|error| panic!("{}: {error}\n{text}", entry.name));
        // Comments are not in the text, and the tokens of HLSL have them.
        let again = Program::parse(&again).unwrap_or_else(|error| panic!("{}: {error}", entry.name));
        let plain = |program: &Program| {
            let mut instructions = program.instructions.clone();
            instructions.iter_mut().for_each(|instruction| instruction.offset = 0);
            instructions
        };
        assert_eq!(plain(&again), plain(&program), "{}\n{text}", entry.name);
    }
}
