//! Assembler text to tokens. It reads what [`crate::disasm`] writes and what the assembler of the DirectX SDK accepted
//! for the same models; `;` and `//` start comments. Used by tests, by our own sample programs and on the command line.

use crate::encode::encode;
use crate::error::ParseError;
use crate::instruction::{ControlBits, Declaration, Dst, Instruction, Register, Relative, Src, Swizzle};
use crate::parse::{MAX_TOKENS, Program};
use crate::tables::{
    Comparison, Control, END, NAMED_REGISTERS, Opcode, Operand, REGISTERS, RESULT_MODIFIERS, RESULT_SHIFTS,
    RegisterType, SourceModifier, Stage, TextureDimension, Usage, Version,
};

/// Why text is not a shader.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AsmError {
    /// A line that cannot be read.
    #[error("line {line}: {what}")]
    Syntax {
        /// Line, from 1.
        line: usize,
        /// What is wrong, naming the word.
        what: String,
    },
    /// A line that reads, but is no valid instruction.
    #[error("line {line}: {source}")]
    Invalid {
        /// Line, from 1.
        line: usize,
        /// What the token parser says.
        source: ParseError,
    },
}

/// Assembles a shader. The result has passed the checks of [`Program::parse`].
///
/// # Errors
/// The first line that is wrong.
pub fn assemble(text: &str) -> Result<Vec<u32>, AsmError> {
    let mut tokens = Vec::new();
    let mut version = None;
    let mut places = Vec::new();
    let mut last_line = 1;
    for (index, line) in text.lines().enumerate() {
        let line = line.split(';').next().unwrap_or_default();
        let line = line.split("//").next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        last_line = index + 1;
        let syntax = |what| AsmError::Syntax { line: index + 1, what };
        match version {
            None => {
                let read = parse_version(line).ok_or_else(|| {
                    syntax(format!("`{line}` is no shader version; the first line is one such as vs_2_0 or ps_3_0"))
                })?;
                tokens.push(read.token());
                version = Some(read);
            }
            Some(version) => {
                places.push((tokens.len(), index + 1));
                let instruction = parse_instruction(line, version).map_err(syntax)?;
                encode(&instruction, version, &mut tokens);
            }
        }
        if tokens.len() > MAX_TOKENS {
            return Err(syntax(format!("the shader is longer than {MAX_TOKENS} tokens")));
        }
    }
    tokens.push(END);
    let checked = Program::parse(&tokens);
    checked.map_err(|source| {
        let before = places.iter().rev().find(|(at, _)| *at <= source.offset as usize);
        AsmError::Invalid { line: before.map_or(last_line, |(_, line)| *line), source }
    })?;
    Ok(tokens)
}

fn parse_version(text: &str) -> Option<Version> {
    let text = text.replace('.', "_");
    Version::ALL.into_iter().find(|version| version.to_string() == text)
}

type Parsed<T> = Result<T, String>;

fn parse_instruction(line: &str, version: Version) -> Parsed<Instruction> {
    let (coissue, line) = match line.strip_prefix('+') {
        Some(rest) => (true, rest.trim_start()),
        None => (false, line),
    };
    let (predicate, line) = match line.strip_prefix('(') {
        Some(rest) => {
            let (predicate, rest) = rest.split_once(')').ok_or("the predicate's `)` is missing")?;
            (Some(parse_src(predicate.trim(), version)?), rest.trim_start())
        }
        None => (None, line),
    };
    let (mnemonic, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let operands: Vec<&str> =
        if rest.trim().is_empty() { Vec::new() } else { rest.split(',').map(str::trim).collect() };
    let (mut instruction, dst_form) = parse_mnemonic(mnemonic, operands.len(), version)?;
    instruction.coissue = coissue;
    instruction.predicate = predicate;

    let info = instruction.op.info();
    let mut words = operands.iter();
    let mut next = || words.next().copied().ok_or_else(|| format!("`{}` needs more operands", info.name));
    for operand in info.operands {
        match operand {
            Operand::Usage => {}
            operand if operand.is_dst() => {
                let dst = parse_dst(next()?, version)?;
                instruction.dst = Some(Dst { shift: dst_form.0, modifiers: dst_form.1, ..dst });
            }
            Operand::Floats => {
                for word in &mut instruction.immediate {
                    *word = parse_float(next()?)?;
                }
            }
            Operand::Ints => {
                for word in &mut instruction.immediate {
                    let text = next()?;
                    let value: i32 = text.parse().map_err(|_| format!("`{text}` is no integer"))?;
                    *word = value.cast_unsigned();
                }
            }
            Operand::Flag => {
                instruction.immediate[0] = match next()? {
                    "true" => 1,
                    "false" => 0,
                    text => text.parse().map_err(|_| format!("`{text}` is neither true nor false"))?,
                }
            }
            _ => instruction.srcs.push(parse_src(next()?, version)?),
        }
    }
    if let Some(extra) = words.next() {
        return Err(format!("`{extra}` is one operand too many for `{}`", info.name));
    }
    if instruction.op == Opcode::Dcl && instruction.declaration.is_none() {
        let sampler = instruction.dst.is_some_and(|dst| dst.register.ty == RegisterType::Sampler);
        instruction.declaration = Some(if sampler { Declaration::Sampler(None) } else { Declaration::Plain });
    }
    Ok(instruction)
}

/// Reads an opcode with its suffixes: the instruction, and shift and modifiers of its destination.
fn parse_mnemonic(text: &str, operands: usize, version: Version) -> Parsed<(Instruction, (i8, u32))> {
    let mut parts = text.split('_');
    let base = parts.next().unwrap_or_default();
    let mut control = ControlBits::None;
    let mut declaration = None;
    let (mut shift, mut modifiers) = (0, 0);
    for part in parts {
        let comparison = Comparison::ALL.iter().find(|(_, text)| *text == part);
        let suffix = |text: &str| text.strip_prefix('_') == Some(part);
        if base == "dcl" && declaration.is_none() {
            declaration = parse_declaration(part);
            if declaration.is_some() {
                continue;
            }
        }
        if let Some((comparison, _)) = comparison {
            control = ControlBits::Comparison(*comparison);
        } else if let Some((value, _)) = RESULT_SHIFTS.iter().find(|(_, text)| suffix(text)) {
            shift = *value;
        } else if let Some((bit, _)) = RESULT_MODIFIERS.iter().find(|(_, text)| suffix(text)) {
            modifiers |= bit;
        } else {
            return Err(format!("`_{part}` of `{text}` is not known"));
        }
    }
    let name = match base {
        "texldp" => {
            control = ControlBits::Project;
            "texld"
        }
        "texldb" => {
            control = ControlBits::Bias;
            "texld"
        }
        other => other,
    };
    let named = || Opcode::TABLE.iter().filter(|row| row.name == name);
    let compares = matches!(control, ControlBits::Comparison(_));
    let fits =
        |row: &&crate::tables::OpcodeInfo| row.exists_in(version) && compares == (row.control == Control::Comparison);
    let row = named().find(fits).ok_or_else(|| match named().next() {
        Some(_) => format!("`{text}` with {operands} operands does not exist in {version}"),
        None => format!("opcode `{base}` is not known"),
    })?;
    let mut instruction = Instruction::new(row.op);
    instruction.control = control;
    instruction.declaration = declaration;
    Ok((instruction, (shift, modifiers)))
}

fn parse_declaration(text: &str) -> Option<Declaration> {
    if let Some((dimension, _)) = TextureDimension::ALL.iter().find(|(_, name)| *name == text) {
        return Some(Declaration::Sampler(Some(*dimension)));
    }
    let name = text.trim_end_matches(|c: char| c.is_ascii_digit());
    let index = match &text[name.len()..] {
        "" => 0,
        digits => digits.parse().ok().filter(|index| *index < 16)?,
    };
    let (usage, _) = Usage::ALL.iter().find(|(_, usage)| *usage == name)?;
    Some(Declaration::Semantic(*usage, index))
}

fn parse_float(text: &str) -> Parsed<u32> {
    if let Some(hex) = text.strip_prefix("0x") {
        return u32::from_str_radix(hex, 16).map_err(|_| format!("`{text}` is no 32-bit number"));
    }
    text.trim_end_matches('f').parse().map(f32::to_bits).map_err(|_| format!("`{text}` is no number"))
}

/// Reads a register, with what follows it (`.xyz`, `_bx2.x`).
fn parse_register(text: &str, version: Version) -> Parsed<(Register, &str)> {
    for (ty, number, name) in NAMED_REGISTERS {
        if ty.info().count(version) > *number
            && let Some(rest) = text.strip_prefix(name)
            && !rest.starts_with(|c: char| c.is_ascii_alphanumeric())
        {
            return Ok((Register::new(*ty, *number), rest));
        }
    }
    let unknown = || format!("`{text}` is no register of {version}");
    let name_end = text.find(|c: char| !c.is_ascii_alphabetic()).ok_or_else(unknown)?;
    let (name, rest) = text.split_at(name_end);
    let row = REGISTERS
        .iter()
        .find(|row| row.name == name && row.count(version) != 0 && row.stage.is_none_or(|stage| stage == version.stage))
        .ok_or_else(unknown)?;
    if let Some(inside) = rest.strip_prefix('[') {
        let (inside, rest) = inside.split_once(']').ok_or_else(|| format!("`]` is missing in `{text}`"))?;
        let (relative, number) = parse_relative(inside).ok_or_else(|| format!("`[{inside}]` is no register index"))?;
        return Ok((Register { ty: row.ty, number, relative }, rest));
    }
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let number = rest[..digits].parse().map_err(|_| unknown())?;
    Ok((Register::new(row.ty, number), &rest[digits..]))
}

fn parse_relative(inside: &str) -> Option<(Option<Relative>, u16)> {
    let (mut relative, mut number) = (None, 0);
    for term in inside.split('+').map(str::trim) {
        if term == "aL" {
            relative = Some(Relative::Loop);
        } else if let Some(component) = term.strip_prefix("a0") {
            let component =
                if component.is_empty() { 0 } else { parse_component(component.strip_prefix('.')?.chars().next()?)? };
            relative = Some(Relative::Address(component));
        } else {
            number = term.parse().ok()?;
        }
    }
    Some((relative, number))
}

fn parse_component(c: char) -> Option<u8> {
    match c {
        'x' | 'r' => Some(0),
        'y' | 'g' => Some(1),
        'z' | 'b' => Some(2),
        'w' | 'a' => Some(3),
        _ => None,
    }
}

fn parse_dst(text: &str, version: Version) -> Parsed<Dst> {
    let (register, rest) = parse_register(text, version)?;
    let mut dst = Dst::new(register);
    match rest {
        "" => {}
        "._" => dst.mask = 0,
        _ => {
            dst.mask = 0;
            let mask = rest.strip_prefix('.').ok_or_else(|| format!("`{rest}` of `{text}` is no write mask"))?;
            for c in mask.chars() {
                let component = parse_component(c).ok_or_else(|| format!("`{mask}` is no write mask"))?;
                // A mask is a set in the order of the components, so `.yx` is a slip of the pen.
                if dst.mask >> component != 0 {
                    return Err(format!("`{mask}`: the components of a write mask stand in order, each once"));
                }
                dst.mask |= 1 << component;
            }
        }
    }
    Ok(dst)
}

fn parse_src(text: &str, version: Version) -> Parsed<Src> {
    let (prefix, rest) = ["1-", "-", "!"]
        .iter()
        .find_map(|prefix| text.strip_prefix(prefix).map(|rest| (*prefix, rest)))
        .unwrap_or(("", text));
    let (register, rest) = parse_register(rest.trim_start(), version)?;
    let (suffix, swizzle) = rest.split_once('.').unwrap_or((rest, ""));
    // The SDK's texture coordinate names for the same divisions.
    let suffix = match suffix {
        "_db" => "_dz",
        "_da" => "_dw",
        other => other,
    };
    let modifier = SourceModifier::ALL
        .iter()
        .find(|(_, text)| text.split_once('%') == Some((prefix, suffix)))
        .ok_or_else(|| format!("`{text}`: the modifier `{prefix}{suffix}` is not known"))?;
    Ok(Src { register, swizzle: parse_swizzle(swizzle, register, version)?, modifier: modifier.0 })
}

fn parse_swizzle(text: &str, register: Register, version: Version) -> Parsed<Swizzle> {
    if text.is_empty() {
        return Ok(Swizzle::IDENTITY);
    }
    let error = || format!("`.{text}` after `{register}` is no swizzle in {version}");
    let components: Vec<u8> = text.chars().map(parse_component).collect::<Option<_>>().ok_or_else(error)?;
    let last = *components.last().ok_or_else(error)?;
    if components.len() > 4 {
        return Err(error());
    }
    let bits = (0..4).map(|i| components.get(i).copied().unwrap_or(last) << (2 * i));
    Ok(Swizzle(bits.fold(0, |all, bits| all | bits)))
}

/// The stage that a text's first line names; for callers that must know before they assemble.
pub fn stage_of(text: &str) -> Option<Stage> {
    text.lines().map(str::trim).find_map(parse_version).map(|version| version.stage)
}
