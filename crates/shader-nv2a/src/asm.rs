//! Text to instructions.
//!
//! A line is an instruction: an opcode of the MAC, `+`, an opcode of the ILU, or one of them alone (an ILU `mov` alone begins
//! with `+`). Destinations stand before the sources: a temporary, an output or constant, or both, each with its mask.
//!
//! ```text
//! xvs_1_1
//!     mad R0.xyz, oT0, v0, c[1].xyzw, -R1 + rcp R1.w, R0.w
//!     arl A0.x, v1.x
//!     mov oPos, c[A0.x + 12]
//! ```
//!
//! Upper and lower case are the same, `;` and `//` begin comments, the first line may be left out, `c1` is `c[1]`, and a
//! swizzle that is too short repeats its last component. `R12` is the position. What one instruction cannot hold is an error:
//! two inputs, two constants, two outputs, an ILU temporary other than `R1` beside a MAC opcode. `_` is the destination of a
//! result that goes nowhere.

use crate::disasm::{COMPONENTS, VERSION};
use crate::instruction::{Instruction, Mask, Register, Source, Target, Unit, Write};
use crate::parse::Program;
use crate::tables::{Ilu, Mac, Output, Slot, TEMP_PAIRED, TEMP_POSITION};
use afterimage_nv2a_types::{ATTRIBUTES, CONSTANT_SLOTS, PROGRAM_SLOTS};
use smallvec::SmallVec;

/// Why text is not a program. Lines and columns count from 1, columns in characters.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {what}")]
pub struct AsmError {
    /// Line.
    pub line: usize,
    /// Column.
    pub column: usize,
    /// What is wrong and what was expected, naming the word.
    pub what: String,
}

/// Assembles a program.
///
/// # Errors
/// The first thing that is wrong.
pub fn assemble(text: &str) -> Result<Program, AsmError> {
    let mut instructions = Vec::new();
    let mut last = (1, 1);
    for (index, line) in text.lines().enumerate() {
        let code = line.find(';').into_iter().chain(line.find("//")).min().map_or(line, |comment| &line[..comment]);
        let lower = code.to_ascii_lowercase();
        let mut cursor = Cursor { line: &lower, at: 0 };
        cursor.blank();
        let place = |at: usize| (index + 1, lower[..at].chars().count() + 1);
        last = place(cursor.at);
        let word = cursor.rest().trim_end();
        if word.is_empty() || instructions.is_empty() && word.replace('.', "_") == VERSION {
            continue;
        }
        let error = |Mistake { at, what }: Mistake| {
            let (line, column) = place(at);
            AsmError { line, column, what }
        };
        if instructions.len() == PROGRAM_SLOTS {
            return Err(error(cursor.mistake(format!("a program has at most {PROGRAM_SLOTS} instructions"))));
        }
        instructions.push(instruction(&mut cursor).map_err(error)?);
    }
    if instructions.is_empty() {
        let what = "expected an instruction such as `mov oPos, v0`, found the end of the text".to_owned();
        return Err(AsmError { line: last.0, column: last.1, what });
    }
    Ok(Program { instructions, flags: 0 })
}

/// What is wrong at a byte of the line.
struct Mistake {
    at: usize,
    what: String,
}

type Parsed<T> = Result<T, Mistake>;

/// A place in a line, which is in lower case.
#[derive(Clone, Copy)]
struct Cursor<'a> {
    line: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    fn rest(&self) -> &'a str {
        &self.line[self.at..]
    }

    fn blank(&mut self) {
        self.at = self.line.len() - self.rest().trim_start().len();
    }

    fn mistake(&self, what: String) -> Mistake {
        Mistake { at: self.at, what }
    }

    fn expected(&self, what: &str) -> Mistake {
        let rest = self.rest();
        let end = rest.find(|c: char| c.is_whitespace() || c == ',').unwrap_or(rest.len());
        self.mistake(match rest.chars().next() {
            None => format!("expected {what}, found the end of the line"),
            Some(c) if end == 0 => format!("expected {what}, found `{c}`"),
            Some(_) => format!("expected {what}, found `{}`", &rest[..end]),
        })
    }

    /// Takes `text` if it stands here, and the blanks behind it.
    fn take(&mut self, text: &str) -> bool {
        let here = self.rest().starts_with(text);
        if here {
            self.at += text.len();
            self.blank();
        }
        here
    }

    fn word(&mut self, fits: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c| !fits(c)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// A number below `count`.
    fn number(&mut self, what: &str, count: usize) -> Parsed<u8> {
        let start = *self;
        let number = self.word(|c| c.is_ascii_digit()).parse::<usize>().map_err(|_| start.expected("a number"))?;
        match u8::try_from(number) {
            Ok(small) if number < count => Ok(small),
            _ => Err(start.mistake(format!("there is no {what} {number}; they end at {}", count - 1))),
        }
    }
}

/// An operand, before it is known whether it is read or written.
struct Operand {
    at: usize,
    negate: bool,
    place: Place,
    relative: bool,
    /// What stands behind the point: up to four components.
    components: SmallVec<[u8; 4]>,
}

#[derive(Clone, Copy, PartialEq)]
enum Place {
    Register(Register),
    Output(Output),
    Nothing,
}

fn instruction(cursor: &mut Cursor<'_>) -> Parsed<Instruction> {
    let mut i = Instruction::default();
    if !cursor.take("+") {
        let start = *cursor;
        let name = cursor.word(|c| c.is_ascii_alphanumeric());
        cursor.blank();
        if let Some(mac) = Mac::ALL.iter().copied().find(|mac| mac.name() == name) {
            i.mac = mac;
            operation(cursor, &mut i, Unit::Mac, mac.sources(), mac.name())?;
        } else if let Some(ilu) = Ilu::ALL.iter().copied().find(|ilu| ilu.name() == name) {
            i.ilu = ilu;
            operation(cursor, &mut i, Unit::Ilu, ilu.sources(), ilu.name())?;
        } else {
            return Err(start.expected("an opcode such as mov, mad, dp4 or rcp"));
        }
        if cursor.rest().is_empty() {
            return Ok(i);
        }
        let plus = *cursor;
        if !cursor.take("+") {
            return Err(cursor.expected("`,`, `+` or the end of the line"));
        }
        if i.ilu != Ilu::Nop {
            return Err(plus.mistake("the opcode of the MAC stands before that of the ILU".to_owned()));
        }
    }
    let start = *cursor;
    let name = cursor.word(|c| c.is_ascii_alphanumeric());
    cursor.blank();
    let ilu = Ilu::ALL.iter().copied().find(|ilu| ilu.name() == name && *ilu != Ilu::Nop);
    i.ilu = ilu.ok_or_else(|| start.expected("an opcode of the ILU: mov, rcp, rcc, rsq, exp, log or lit"))?;
    let (slots, name) = (i.ilu.sources(), i.ilu.name());
    operation(cursor, &mut i, Unit::Ilu, slots, name)?;
    if !cursor.rest().is_empty() {
        return Err(cursor.expected("the end of the line"));
    }
    if i.is_paired() && i.mac_temp.is_some_and(|(temp, _)| temp == TEMP_PAIRED) {
        return Err(start.mistake("beside an opcode of the ILU, the MAC cannot write R1".to_owned()));
    }
    Ok(i)
}

/// Reads the operands of one unit's opcode.
fn operation(cursor: &mut Cursor<'_>, i: &mut Instruction, unit: Unit, slots: &[Slot], name: &str) -> Parsed<()> {
    let start = *cursor;
    let mut operands: SmallVec<[Operand; 5]> = SmallVec::new();
    if !cursor.rest().is_empty() && !cursor.rest().starts_with('+') {
        operands.push(operand(cursor)?);
        while cursor.take(",") {
            operands.push(operand(cursor)?);
        }
    }
    if slots.is_empty() {
        return if operands.is_empty() { Ok(()) } else { Err(start.mistake(format!("`{name}` has no operands"))) };
    }
    let Some(destinations @ 1..=2) = operands.len().checked_sub(slots.len()) else {
        let (least, found) = (slots.len() + 1, operands.len());
        let what = format!("`{name}` takes {least} or {} operands, destinations first, found {found}", least + 1);
        return Err(start.mistake(what));
    };
    let mut operands = operands.into_iter();
    for destination in operands.by_ref().take(destinations) {
        write(i, unit, destination)?;
    }
    for (slot, source) in slots.iter().zip(operands) {
        read(i, unit, *slot, source)?;
    }
    Ok(())
}

fn write(i: &mut Instruction, unit: Unit, operand: Operand) -> Parsed<()> {
    let Operand { at, negate, place, relative, ref components } = operand;
    let wrong = |what: &str| Err(Mistake { at, what: what.to_owned() });
    if negate || relative {
        return wrong("a destination has neither a sign nor a relative index");
    }
    let lanes = components.iter().fold(0u8, |mask, lane| mask | 1 << lane);
    if components.windows(2).any(|pair| pair[0] >= pair[1]) {
        return wrong("a mask names components once, in the order x, y, z, w");
    }
    let mask = if lanes == 0 { Mask::XYZW } else { Mask(lanes) };
    if i.mac == Mac::Arl && unit == Unit::Mac {
        return match place {
            Place::Output(Output::Address) if mask.0 == 1 => Ok(()),
            _ => wrong("`arl` writes A0.x and nothing else"),
        };
    }
    let target = match place {
        Place::Register(Register::Temp(number)) => {
            let paired = unit == Unit::Ilu && i.mac != Mac::Nop;
            if paired && number != TEMP_PAIRED {
                return wrong("beside an opcode of the MAC, the ILU writes no temporary but R1");
            }
            let temp = if unit == Unit::Mac { &mut i.mac_temp } else { &mut i.ilu_temp };
            if temp.replace((number, mask)).is_some() {
                return wrong("an opcode writes one temporary");
            }
            return Ok(());
        }
        Place::Register(Register::Input(_)) => return wrong("inputs cannot be written"),
        Place::Register(Register::Constant(slot)) => Target::Constant(slot),
        Place::Output(output) => Target::Output(output),
        Place::Nothing => return Ok(()),
    };
    if i.write.replace(Write { target, mask, unit }).is_some() {
        return wrong("an instruction writes one output or constant");
    }
    Ok(())
}

fn read(i: &mut Instruction, unit: Unit, slot: Slot, operand: Operand) -> Parsed<()> {
    let Operand { at, negate, place, relative, components } = operand;
    let wrong = |what: &str| Err(Mistake { at, what: what.to_owned() });
    let Place::Register(register) = place else {
        return wrong("this cannot be read; R12 is the position");
    };
    let lane = |index: usize| match components.get(index).or(components.last()) {
        Some(lane) => *lane,
        None => index as u8,
    };
    let mut swizzle = [lane(0), lane(1), lane(2), lane(3)];
    let scalar = match unit {
        Unit::Mac => i.mac == Mac::Arl,
        Unit::Ilu => i.ilu.is_scalar(),
    };
    if scalar {
        swizzle = [swizzle[0]; 4];
    }
    for other in i.reads() {
        match (register, other) {
            (Register::Input(a), Register::Input(b)) if a != b => return wrong("an instruction reads one input"),
            (Register::Constant(a), Register::Constant(b)) if a != b || relative != i.relative => {
                return wrong("an instruction reads one constant");
            }
            _ => {}
        }
    }
    i.relative |= relative;
    let source = Source { register, swizzle, negate };
    match &mut i.sources[slot as usize] {
        // The ILU reads what the MAC adds.
        Some(known) => {
            let same = Source { swizzle: known.swizzle, ..source } == *known;
            if !same || swizzle[0] != known.swizzle[0] || !scalar && swizzle != known.swizzle {
                return wrong("the ILU reads the last source of the MAC's `add` or `mad`, so they must be the same");
            }
        }
        none => *none = Some(source),
    }
    Ok(())
}

fn operand(cursor: &mut Cursor<'_>) -> Parsed<Operand> {
    let start = *cursor;
    let negate = cursor.take("-");
    let mut relative = false;
    let begin = *cursor;
    let name = cursor.word(|c| c.is_ascii_alphabetic());
    let place = match name {
        "" if cursor.take("_") => Place::Nothing,
        "r" => Place::Register(Register::Temp(cursor.number("temporary", usize::from(TEMP_POSITION) + 1)?)),
        "v" => Place::Register(Register::Input(cursor.number("input", ATTRIBUTES)?)),
        "c" => {
            let bracket = cursor.take("[");
            relative = bracket && cursor.take("a0.x");
            cursor.blank();
            let number = match relative {
                true if cursor.take("+") => cursor.number("constant", 256)?,
                true => 0,
                false => cursor.number("constant", CONSTANT_SLOTS)?,
            };
            cursor.blank();
            if bracket && !cursor.take("]") {
                return Err(cursor.expected("`]`"));
            }
            Place::Register(Register::Constant(number))
        }
        _ => {
            *cursor = begin;
            let name = cursor.word(|c| c.is_ascii_alphanumeric());
            let output = Output::ALL.iter().copied().find(|output| output.name().eq_ignore_ascii_case(name));
            Place::Output(output.ok_or_else(|| begin.expected("a register such as R0, v0, c[0] or oPos"))?)
        }
    };
    let mut components = SmallVec::new();
    if cursor.take(".") {
        let start = *cursor;
        for letter in cursor.word(|c| c.is_ascii_alphanumeric()).chars() {
            let lane = COMPONENTS.iter().position(|component| *component == letter);
            components.push(lane.ok_or_else(|| start.expected("components: x, y, z, w"))? as u8);
        }
        if !(1..=4).contains(&components.len()) {
            return Err(start.expected("one to four components"));
        }
    }
    cursor.blank();
    Ok(Operand { at: start.at, negate, place, relative, components })
}
