//! Instructions to text, in the form that SPIRV-Tools made usual: `%result = OpName %type operands`.

use std::fmt::Write as _;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::error::ParseError;
use crate::parse::{Instruction, Program, string};
use crate::tables::*;

/// Column of the instructions, where the names of their results leave room.
const COLUMN: usize = 19;
/// Most letters of a name: a long one that is used often would make much text of few words.
const LONGEST: usize = 64;

/// The text of a module: a line per instruction behind a header in comments. Types of literals are looked up, so constants
/// read as numbers. Ids are called by their `OpName`, else simple types by what they are, else by their number.
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
    let names = Names::of(program);
    for instruction in &program.instructions {
        let mut line = String::new();
        let result =
            if instruction.result == 0 { String::new() } else { format!("{} = ", names.id(instruction.result)) };
        let _ = write!(line, "{result:>COLUMN$}{}", instruction.row.name);
        program.visit_operands(instruction, |letter, words| {
            if letter != 'r' && !words.is_empty() {
                line.push(' ');
                line.push_str(&operand(program, &names, instruction, letter, words));
            }
        });
        text.push_str(&line);
        text.push('\n');
    }
    text
}

/// What ids are called.
#[derive(Default)]
struct Names {
    names: FxHashMap<u32, String>,
    taken: FxHashSet<String>,
}

impl Names {
    fn of(program: &Program) -> Names {
        let mut names = Names::default();
        for instruction in program.instructions.iter().filter(|i| i.opcode() == op::Name) {
            if let [id, text @ ..] = program.operands(instruction) {
                names.add(*id, &string(text));
            }
        }
        // Types are declared before they are used in others.
        for instruction in &program.instructions {
            let name = match (instruction.opcode(), program.operands(instruction)) {
                (op::TypeVoid, _) => "void".to_owned(),
                (op::TypeBool, _) => "bool".to_owned(),
                (op::TypeInt, [width, sign]) => match (width, sign) {
                    (32, 0) => "uint".to_owned(),
                    (32, _) => "int".to_owned(),
                    (_, 0) => format!("uint{width}"),
                    _ => format!("int{width}"),
                },
                (op::TypeFloat, [32]) => "float".to_owned(),
                (op::TypeFloat, [width]) => format!("float{width}"),
                (op::TypeVector, [of, lanes]) => format!("v{lanes}{}", &names.id(*of)[1..]),
                (op::TypePointer, [class, to]) => match storage::name(*class) {
                    Some(class) => format!("_ptr_{class}_{}", &names.id(*to)[1..]),
                    None => continue,
                },
                _ => continue,
            };
            if !names.names.contains_key(&instruction.result) {
                names.add(instruction.result, &name);
            }
        }
        names
    }

    /// Names an id. Modules may use any text any number of times, so it is made a word, and different from all others.
    fn add(&mut self, id: u32, text: &str) {
        let mut word: String =
            text.chars().take(LONGEST).map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        // A number would be another id.
        if word.bytes().all(|byte| byte.is_ascii_digit()) {
            word.insert(0, '_');
        }
        if !self.taken.insert(word.clone()) {
            // Ids are named once each, so this is free, or made so.
            word = format!("{word}_{}", self.names.len());
            while !self.taken.insert(word.clone()) {
                word.push('_');
            }
        }
        self.names.insert(id, word);
    }

    fn id(&self, id: u32) -> String {
        self.names.get(&id).map_or_else(|| format!("%{id}"), |name| format!("%{name}"))
    }
}

fn operand(program: &Program, names: &Names, instruction: &Instruction, letter: char, words: &[u32]) -> String {
    let Some(&word) = words.first() else { return String::new() };
    match letter {
        't' | 'i' => names.id(word),
        's' => quoted(&string(words)),
        'v' => literal(program, instruction.ty, words),
        'S' => storage::text(word),
        'D' => decoration::text(word),
        'B' => builtin::text(word),
        'M' => mode::text(word),
        'E' => model::text(word),
        'C' => capability::text(word),
        'd' => dim::text(word),
        'f' => format::text(word),
        'A' => addressing::text(word),
        'Y' => memory_model::text(word),
        'w' => language::text(word),
        // The only set whose instructions have names here.
        'x' if instruction.opcode() == op::ExtInst => glsl::text(word),
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
        Some((op::TypeFloat, [32])) => float(bits, f32::from_bits(bits as u32), 23, 8),
        Some((op::TypeFloat, [64])) => float(bits, f64::from_bits(bits), 52, 11),
        Some((op::TypeInt, [64, 1])) => (bits as i64).to_string(),
        Some((op::TypeInt, [_, 1])) => (bits as u32 as i32).to_string(),
        _ => bits.to_string(),
    }
}

/// A float of so many bits of fraction and exponent: the shortest text that means it, and where decimal text has none
/// (infinity, NaN) or assemblers round it (denormals), hexadecimal.
fn float(bits: u64, value: impl std::fmt::Debug, fraction: u32, exponent: u32) -> String {
    let most = (1 << exponent) - 1;
    let (sign, biased) = (bits >> (fraction + exponent) & 1, bits >> fraction & most);
    let digits = (bits & ((1 << fraction) - 1)) << (fraction.next_multiple_of(4) - fraction);
    if (1..most).contains(&biased) || (biased, digits) == (0, 0) {
        let text = format!("{value:?}");
        return text.strip_suffix(".0").unwrap_or(&text).to_owned();
    }
    let sign = if sign == 0 { "" } else { "-" };
    let (whole, power) = if biased == 0 { (0, 2 - (1i64 << (exponent - 1))) } else { (1, 1i64 << (exponent - 1)) };
    let width = fraction.div_ceil(4) as usize;
    format!("{sign}0x{whole}.{digits:0width$x}p{power:+}")
}

#[cfg(test)]
mod tests {
    use super::float;

    #[test]
    fn floats_keep_their_bits() {
        for (bits, text) in [
            (0x3F80_0000, "1"),
            (0x8000_0000, "-0"),
            (0x3DCC_CCCD, "0.1"),
            (0x7F7F_FFFF, "3.4028235e38"),
            (0x7F80_0000, "0x1.000000p+128"),
            (0xFFC0_0000, "-0x1.800000p+128"),
            (0x0000_0001, "0x0.000002p-126"),
        ] {
            assert_eq!(float(bits, f32::from_bits(bits as u32), 23, 8), text);
        }
        assert_eq!(float(f64::INFINITY.to_bits(), f64::INFINITY, 52, 11), "0x1.0000000000000p+1024");
        assert_eq!(float(1, f64::from_bits(1), 52, 11), "0x0.0000000000001p-1022");
    }
}
