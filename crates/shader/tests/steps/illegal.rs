//! What the tables do not call legal the validator refuses, and the error names the instruction. (The front end's own tests have the words
//! of each error.)

use crate::corpus::{Change, changes, in_another_version, plain, rows};
use afterimage_shader_d3d9::tables::{Opcode, OpcodeInfo, Version};
use afterimage_shader_d3d9::{Constants, Decoder, ParseError, ParseErrorKind, Program};
use std::collections::BTreeMap;

/// The error of a program with one wrong instruction, if it is one of that instruction.
fn error_at(program: &Program, place: usize) -> Result<ParseError, String> {
    let tokens = program.encode();
    // Where the instructions lie after the change.
    let starts = |program: &Program, end: usize| {
        let instructions = program.instructions[..end].to_vec();
        Program { instructions, ..program.clone() }.encode().len() - 1
    };
    let within = starts(program, place)..starts(program, place + 1);
    let mut strict = Decoder::strict(&tokens, Constants::OfModel).map_err(|error| error.to_string())?;
    match strict.find_map(Result::err) {
        None => Err("is accepted".to_owned()),
        Some(error) if !within.contains(&(error.offset as usize)) => {
            Err(format!("is refused elsewhere than in tokens {within:?}: {error}"))
        }
        Some(error) => Ok(error),
    }
}

fn name(version: Version, info: &OpcodeInfo) -> String {
    format!("{version} {} ({:?})", info.name, info.op)
}

#[test]
fn illegal_changes_are_refused_where_they_are() {
    let (mut wrong, mut reasons) = (Vec::new(), BTreeMap::new());
    for version in Version::ALL {
        for info in rows(version) {
            let (program, place) = plain(info.op, version);
            for change in changes(info.op, version).into_iter().filter(|change| !change.is_legal(info.op, version)) {
                let mut program = program.clone();
                let changed = change.apply(&program.instructions[place], version);
                if changed == program.instructions[place] {
                    continue;
                }
                program.instructions[place] = changed;
                match error_at(&program, place) {
                    Ok(error) => *reasons.entry(reason(&error.kind)).or_insert(0) += 1,
                    Err(what) => wrong.push(format!("{}: {change:?} {what}", name(version, info))),
                }
            }
        }
    }
    println!("illegal changes: {reasons:?}");
    assert!(wrong.is_empty(), "{} illegal changes\n{}", wrong.len(), wrong.join("\n"));
    assert!(reasons.values().sum::<i32>() > 3000, "the tables allow nearly everything");
}

#[test]
fn opcodes_of_other_versions_are_refused() {
    let (mut wrong, mut refused) = (Vec::new(), 0);
    for version in Version::ALL {
        for info in Opcode::TABLE.iter().filter(|info| !info.exists_in(version)) {
            // Another row may have the number in this version.
            if rows(version).any(|row| row.number == info.number) {
                continue;
            }
            let (program, place) = in_another_version(info.op, version);
            match error_at(&program, place) {
                Ok(ParseError { kind: ParseErrorKind::OpcodeVersion { number, version: v }, .. })
                    if (number, v) == (info.number, version) =>
                {
                    refused += 1;
                }
                Ok(error) => wrong.push(format!("{}: {error}", name(version, info))),
                Err(what) => wrong.push(format!("{} {what}", name(version, info))),
            }
        }
    }
    println!("opcodes of other versions: {refused}");
    assert!(wrong.is_empty(), "{} opcodes\n{}", wrong.len(), wrong.join("\n"));
    assert!(refused > 300, "nearly every opcode exists everywhere");
}

/// The name of an error's kind.
fn reason(kind: &ParseErrorKind) -> String {
    let text = format!("{kind:?}");
    text.split([' ', '{', '(']).next().unwrap_or_default().to_owned()
}

/// A change that is legal in one version and not in another, to see that both tests look at the same thing.
#[test]
fn legality_depends_on_the_version() {
    let partial = Change::Result(afterimage_shader_d3d9::tables::DST_PARTIAL_PRECISION);
    assert!(partial.is_legal(Opcode::Add, Version::ps(2, 0)) && !partial.is_legal(Opcode::Add, Version::vs(2, 0)));
}
