//! Instructions to text, in the form that SPIRV-Tools made usual: `%result = OpName %type operands`.

use std::fmt::Write as _;

use crate::error::ParseError;
use crate::parse::{Program, for_each_operand, string};
use crate::tables::*;

/// The text of a module: a line per instruction behind a header in comments. Types of literals are looked up, so constants
/// read as numbers; ids are numbers, names stand in the module's `OpName` lines.
///
/// # Errors
/// When the words are no module.
pub fn disassemble(words: &[u32]) -> Result<String, ParseError> {
    Program::parse(words).map(|program| disassemble_program(&program))
}

/// As [`disassemble`], of a module that has been read.
pub fn disassemble_program(program: &Program) -> String {
    let (major, minor) = (program.version >> 16, program.version >> 8 & 0xff);
    let mut text = format!(
        "; SPIR-V\n; Version: {major}.{minor}\n; Generator: {:#010x}\n; Bound: {}\n",
        program.generator, program.bound
    );
    // Results are set off so that the names of the instructions stand below each other.
    let width = program.bound.to_string().len() + 4;
    for instruction in &program.instructions {
        let mut line = String::new();
        let result = if instruction.result == 0 { String::new() } else { format!("%{} = ", instruction.result) };
        let _ = write!(line, "{result:>width$}{}", instruction.row.name);
        let done: Result<(), std::convert::Infallible> =
            for_each_operand(instruction.row, program.all_operands(instruction), &mut |letter, _, words| {
                if letter != 'r' && !words.is_empty() {
                    line.push(' ');
                    line.push_str(&operand(program, instruction.ty, instruction.opcode(), letter, words));
                }
                Ok(())
            });
        let Ok(()) = done;
        text.push_str(&line);
        text.push('\n');
    }
    text
}

fn operand(program: &Program, ty: u32, opcode: u16, letter: char, words: &[u32]) -> String {
    let Some(&word) = words.first() else { return String::new() };
    let named = |name: Option<&'static str>| name.map_or_else(|| word.to_string(), str::to_owned);
    match letter {
        't' | 'i' => format!("%{word}"),
        's' => quoted(&string(words)),
        'v' => literal(program, ty, words),
        'S' => named(storage::name(word)),
        'D' => named(decoration::name(word)),
        'B' => named(builtin::name(word)),
        'M' => named(mode::name(word)),
        'E' => named(model::name(word)),
        'C' => named(capability::name(word)),
        'd' => named(dim::name(word)),
        'f' => named(format::name(word)),
        'A' => named(addressing::name(word)),
        'Y' => named(memory_model::name(word)),
        'w' => named(language::name(word)),
        // The only set whose instructions have names here.
        'x' if opcode == op::ExtInst => named(glsl::name(word)),
        'o' => {
            let name = u16::try_from(word).ok().and_then(row).map(|row| &row.name[2..]);
            name.map_or_else(|| word.to_string(), str::to_owned)
        }
        'F' => mask(function::ALL, word),
        'L' => mask(loop_control::ALL, word),
        'l' => mask(selection::ALL, word),
        'm' => mask(access::ALL, word),
        'I' => mask(image_operand::ALL, word),
        _ => word.to_string(),
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

fn mask(names: &[(&str, u32)], value: u32) -> String {
    let known: Vec<&str> = names.iter().filter(|row| value & row.1 != 0).map(|row| row.0).collect();
    let rest = names.iter().fold(value, |rest, row| rest & !row.1);
    match (known.is_empty(), rest) {
        (true, 0) => "None".to_owned(),
        (_, 0) => known.join("|"),
        _ => format!("{value:#x}"),
    }
}

/// A number in the type of the constant.
fn literal(program: &Program, ty: u32, words: &[u32]) -> String {
    let bits = words.iter().take(2).rev().fold(0u64, |bits, &word| bits << 32 | u64::from(word));
    let definition = program.definition(ty).map(|number| &program.instructions[number]);
    match definition.map(|d| (d.opcode(), program.operands(d))) {
        Some((op::TypeFloat, [32])) => float(f64::from(f32::from_bits(bits as u32)), f32::from_bits(bits as u32), bits),
        Some((op::TypeFloat, [64])) => float(f64::from_bits(bits), f64::from_bits(bits), bits),
        Some((op::TypeInt, [64, 1])) => (bits as i64).to_string(),
        Some((op::TypeInt, [_, 1])) => (bits as u32 as i32).to_string(),
        _ => bits.to_string(),
    }
}

/// The shortest text of a float; its bits where text cannot say them.
fn float(value: f64, short: impl std::fmt::Display, bits: u64) -> String {
    if value.is_finite() { short.to_string() } else { format!("{bits:#x}") }
}
