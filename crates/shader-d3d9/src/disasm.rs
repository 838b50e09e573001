//! Instructions to the text of the Direct3D 9 assembler. [`crate::asm`] reads it back to the same instructions.

use crate::ctab::ConstantTable;
use crate::error::ParseError;
use crate::instruction::{
    COMPONENTS, ControlBits, Declaration, Dst, Instruction, MaskText, Register, Relative, Src, Swizzle,
};
use crate::parse::{Comment, Program};
use crate::tables::{Flow, NAMED_REGISTERS, Opcode, Operand, RESULT_MODIFIERS, RESULT_SHIFTS};
use std::fmt::{self, Display, Write};

/// Disassembles a shader.
///
/// # Errors
/// Those of [`Program::parse`].
pub fn disassemble(tokens: &[u32]) -> Result<String, ParseError> {
    Ok(Program::parse(tokens)?.to_string())
}

impl Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.version)?;
        let mut depth = 1usize;
        let mut comments = self.comments.iter().peekable();
        for (index, instruction) in self.instructions.iter().enumerate() {
            while let Some(comment) = comments.next_if(|comment| comment.before as usize <= index) {
                write_comment(f, comment)?;
            }
            let flow = instruction.op.info().flow;
            if matches!(flow, Flow::Close | Flow::Else) {
                depth = depth.saturating_sub(1).max(1);
            }
            let indent = if instruction.op == Opcode::Label { 0 } else { depth };
            writeln!(f, "{:1$}{2}", "", indent * 4, instruction)?;
            if matches!(flow, Flow::Open | Flow::Else) {
                depth += 1;
            }
        }
        comments.try_for_each(|comment| write_comment(f, comment))
    }
}

/// A constant table as the constants that it has, text as it is, and of other comments what they are.
fn write_comment(f: &mut fmt::Formatter<'_>, comment: &Comment) -> fmt::Result {
    let words = &comment.words;
    if let Some(table) = ConstantTable::parse(words) {
        writeln!(f, "    // {}, {}", table.creator, table.target)?;
        return table.constants.iter().try_for_each(|constant| writeln!(f, "    //   {constant}"));
    }
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let text = &bytes[..bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1)];
    let is_text = |byte: &u8| *byte == b' ' || byte.is_ascii_graphic();
    match std::str::from_utf8(text) {
        Ok(line) if !line.is_empty() && text.iter().all(is_text) => writeln!(f, "    // {line}"),
        _ => {
            let name = text.get(..4).filter(|name| name.iter().all(u8::is_ascii_alphanumeric));
            let name = name.and_then(|name| std::str::from_utf8(name).ok()).unwrap_or("data");
            writeln!(f, "    // {name}, {} tokens", words.len())
        }
    }
}

/// One line of assembler text, without indentation.
impl Display for Instruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let i = self;
        if i.coissue {
            f.write_str("+ ")?;
        }
        if let Some(predicate) = &i.predicate {
            write!(f, "({}) ", SrcText(predicate))?;
        }
        f.write_str(i.op.info().name)?;
        match i.control {
            ControlBits::None => {}
            ControlBits::Comparison(comparison) => write!(f, "_{}", comparison.text())?,
            ControlBits::Project => f.write_char('p')?,
            ControlBits::Bias => f.write_char('b')?,
        }
        match i.declaration {
            Some(Declaration::Semantic(usage, 0)) => write!(f, "_{}", usage.text())?,
            Some(Declaration::Semantic(usage, index)) => write!(f, "_{}{index}", usage.text())?,
            Some(Declaration::Sampler(Some(dimension))) => write!(f, "_{}", dimension.text())?,
            _ => {}
        }
        if let Some(dst) = &i.dst {
            if let Some((_, suffix)) = RESULT_SHIFTS.iter().find(|(shift, _)| *shift == dst.shift) {
                f.write_str(suffix)?;
            }
            for (bit, suffix) in RESULT_MODIFIERS {
                if dst.modifiers & bit != 0 {
                    f.write_str(suffix)?;
                }
            }
        }
        let mut separator = " ";
        let mut srcs = i.srcs.iter();
        for operand in i.op.info().operands {
            if *operand == Operand::Usage {
                continue;
            }
            f.write_str(separator)?;
            separator = ", ";
            match operand {
                operand if operand.is_dst() => i.dst.iter().try_for_each(|dst| write!(f, "{}", DstText(dst)))?,
                Operand::Floats => list(f, i.immediate.map(FloatText))?,
                Operand::Ints => list(f, i.immediate.map(u32::cast_signed))?,
                Operand::Flag => match i.immediate[0] {
                    0 => f.write_str("false")?,
                    1 => f.write_str("true")?,
                    other => write!(f, "{other}")?,
                },
                _ => srcs.next().iter().try_for_each(|src| write!(f, "{}", SrcText(src)))?,
            }
        }
        Ok(())
    }
}

fn list<T: Display>(f: &mut fmt::Formatter<'_>, items: [T; 4]) -> fmt::Result {
    let [x, y, z, w] = items;
    write!(f, "{x}, {y}, {z}, {w}")
}

/// A float that reads back to the same bits: decimal, or the bits in hexadecimal where decimal would lose them.
struct FloatText(u32);

impl Display for FloatText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = f32::from_bits(self.0);
        match value.is_finite() {
            true => write!(f, "{value:?}"),
            false => write!(f, "{:#010x}", self.0),
        }
    }
}

impl Display for Register {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = NAMED_REGISTERS.iter().find(|(ty, number, _)| (*ty, *number) == (self.ty, self.number));
        if let (Some((_, _, name)), None) = (named, self.relative) {
            return f.write_str(name);
        }
        f.write_str(self.ty.info().name)?;
        match self.relative {
            None => return write!(f, "{}", self.number),
            Some(Relative::Address(component)) => write!(f, "[a0.{}", COMPONENTS[component as usize & 3])?,
            Some(Relative::Loop) => f.write_str("[aL")?,
        }
        match self.number {
            0 => f.write_char(']'),
            number => write!(f, " + {number}]"),
        }
    }
}

struct DstText<'a>(&'a Dst);

impl Display for DstText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.register)?;
        match self.0.mask {
            0xF => Ok(()),
            mask => MaskText(mask).fmt(f),
        }
    }
}

struct SrcText<'a>(&'a Src);

impl Display for SrcText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (before, after) = self.0.modifier.text().split_once('%').unwrap_or_default();
        write!(f, "{before}{}{after}", self.0.register)?;
        write_swizzle(f, self.0)
    }
}

fn write_swizzle(f: &mut fmt::Formatter<'_>, src: &Src) -> fmt::Result {
    // Registers without components keep whatever bits compilers leave there, so any but the usual is shown.
    match src.swizzle {
        Swizzle::IDENTITY => Ok(()),
        swizzle => {
            f.write_char('.')?;
            let shown = if swizzle.replicated().is_some() { 1 } else { 4 };
            (0..shown).try_for_each(|i| f.write_char(COMPONENTS[swizzle.component(i)]))
        }
    }
}
