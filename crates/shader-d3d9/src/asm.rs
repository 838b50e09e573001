//! Assembler text to tokens. It reads what [`crate::disasm`] writes and the language of the DirectX SDK's assemblers
//! (`D3DXAssembleShader`, `vsa`, `psa`) without its preprocessor: upper and lower case are the same, `vs.1.1` is `vs_1_1`,
//! `c3[a0.x]` is `c[a0.x + 3]`, and `;`, `//` and `/* */` are comments.

use crate::encode::encode;
use crate::error::ParseError;
use crate::instruction::{ControlBits, Declaration, Dst, Instruction, Register, Relative, Src, Swizzle};
use crate::parse::{MAX_TOKENS, Program};
use crate::tables::{
    Comparison, Control, END, NAMED_REGISTERS, Opcode, Operand, REGISTERS, RESULT_MODIFIERS, RESULT_SHIFTS,
    RegisterType, SourceModifier, TextureDimension, Usage, Version,
};
use smallvec::SmallVec;

/// Why text is not a shader. Lines and columns count from 1, columns in characters.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AsmError {
    /// Text that cannot be read.
    #[error("line {line}, column {column}: {what}")]
    Syntax {
        /// Line.
        line: usize,
        /// Column.
        column: usize,
        /// What is wrong and what was expected, naming the word.
        what: String,
    },
    /// A line that reads, but is no valid instruction.
    #[error("line {line}, column {column}: {source}")]
    Invalid {
        /// Line.
        line: usize,
        /// Column of the operand, or of the opcode where the whole instruction is wrong.
        column: usize,
        /// What the token parser says.
        source: ParseError,
    },
}

/// Assembles a shader. The result has passed the checks of [`Program::parse`].
///
/// # Errors
/// The first thing that is wrong.
pub fn assemble(text: &str) -> Result<Vec<u32>, AsmError> {
    let text = without_comments(text);
    let mut tokens = Vec::new();
    let mut version = None;
    // Token offset, line and column of every instruction and operand.
    let mut places = Vec::new();
    let mut last = (1, 1);
    for (index, line) in text.lines().enumerate() {
        let mut cursor = Cursor { line, at: 0 };
        cursor.blank();
        if cursor.rest().is_empty() {
            continue;
        }
        last = (index + 1, cursor.column());
        let syntax = |Mistake { at, what }: Mistake| AsmError::Syntax {
            line: index + 1,
            column: line[..at].chars().count() + 1,
            what,
        };
        match version {
            None => {
                let read = parse_version(cursor.rest()).ok_or_else(|| {
                    let what = "expected a shader version such as vs_2_0 or ps_3_0 before everything else, found";
                    syntax(cursor.mistake(format!("{what} `{}`", cursor.rest().trim_end())))
                })?;
                tokens.push(read.token());
                version = Some(read);
            }
            Some(version) => {
                let start = tokens.len();
                let (instruction, columns) = parse_instruction(&mut cursor, version).map_err(syntax)?;
                encode(&instruction, version, &mut tokens);
                let operands = operand_offsets(&instruction, version).map(|offset| start + offset);
                places.extend(std::iter::once(start).chain(operands).zip(columns).map(|(at, c)| (at, index + 1, c)));
            }
        }
        if tokens.len() > MAX_TOKENS {
            return Err(syntax(cursor.mistake(format!("the shader is longer than {MAX_TOKENS} tokens"))));
        }
    }
    if version.is_none() {
        let what = "expected a shader version such as vs_2_0 or ps_3_0, found the end of the text".to_owned();
        return Err(AsmError::Syntax { line: last.0, column: last.1, what });
    }
    tokens.push(END);
    Program::parse(&tokens).map_err(|source| {
        let offset = source.offset as usize;
        let at_end = offset + 1 >= tokens.len();
        let place = places.iter().rev().find(|(at, ..)| *at <= offset && !at_end);
        let (line, column) = place.map_or(last, |(_, line, column)| (*line, *column));
        AsmError::Invalid { line, column, source }
    })?;
    Ok(tokens)
}

/// The text in lower case with blanks for comments, so that places stay what they are.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let comment = if rest.starts_with(';') || rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some(inside) = rest.strip_prefix("/*") {
            inside.find("*/").map_or(rest.len(), |end| end + 4)
        } else {
            out.push(c.to_ascii_lowercase());
            rest = &rest[c.len_utf8()..];
            continue;
        };
        out.extend(rest[..comment].chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
        rest = &rest[comment..];
    }
    out
}

fn parse_version(text: &str) -> Option<Version> {
    let text = text.trim_end().replace('.', "_");
    Version::ALL.into_iter().find(|version| version.to_string() == text)
}

/// Where operands begin, in tokens from the instruction token, in the order of the text: predicate, destination, sources.
fn operand_offsets(i: &Instruction, version: Version) -> impl Iterator<Item = usize> {
    let mut offsets: SmallVec<[usize; 8]> = SmallVec::new();
    let size = |register: &Register| 1 + usize::from(register.relative.is_some() && version.has_lengths());
    let mut at = 1 + usize::from(i.op == Opcode::Dcl);
    if let Some(dst) = &i.dst {
        let predicate = at + size(&dst.register);
        offsets.extend(i.predicate.is_some().then_some(predicate));
        offsets.push(at);
        at = predicate + usize::from(i.predicate.is_some());
    }
    for src in i.srcs.iter() {
        offsets.push(at);
        at += size(&src.register);
    }
    offsets.into_iter()
}

/// What is wrong at a byte of the line.
struct Mistake {
    at: usize,
    what: String,
}

type Parsed<T> = Result<T, Mistake>;

/// A place in a line.
#[derive(Clone, Copy)]
struct Cursor<'a> {
    line: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    fn rest(&self) -> &'a str {
        &self.line[self.at..]
    }

    fn column(&self) -> usize {
        self.line[..self.at].chars().count() + 1
    }

    fn blank(&mut self) {
        self.at = self.line.len() - self.rest().trim_start().len();
    }

    fn mistake(&self, what: String) -> Mistake {
        Mistake { at: self.at, what }
    }

    /// The word at the cursor as an error shows it.
    fn found(&self) -> String {
        let rest = self.rest();
        let end = rest.find(|c: char| c.is_whitespace() || c == ',').unwrap_or(rest.len());
        match rest.trim_start() {
            "" => "the end of the line".to_owned(),
            _ if end == 0 => format!("`{}`", rest.chars().next().unwrap_or_default()),
            _ => format!("`{}`", &rest[..end]),
        }
    }

    fn expected(&self, what: &str) -> Mistake {
        self.mistake(format!("expected {what}, found {}", self.found()))
    }

    /// Takes `text` if it stands here.
    fn take(&mut self, text: &str) -> bool {
        let here = self.rest().starts_with(text);
        self.at += if here { text.len() } else { 0 };
        here
    }

    fn take_while(&mut self, mut fits: impl FnMut(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c| !fits(c)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    fn number(&mut self) -> Parsed<u16> {
        let start = *self;
        self.take_while(|c| c.is_ascii_digit()).parse().map_err(|_| start.expected("a register number"))
    }
}

/// Reads a line; also gives the columns of the opcode and of each operand.
fn parse_instruction(cursor: &mut Cursor, version: Version) -> Parsed<(Instruction, SmallVec<[usize; 8]>)> {
    let mut columns: SmallVec<[usize; 8]> = SmallVec::new();
    let coissue = cursor.take("+");
    cursor.blank();
    let mut predicate = None;
    columns.push(cursor.column());
    if cursor.take("(") {
        cursor.blank();
        columns.push(cursor.column());
        predicate = Some(parse_src(cursor, version)?);
        cursor.blank();
        if !cursor.take(")") {
            return Err(cursor.expected("`)` behind the predicate"));
        }
        cursor.blank();
        columns[0] = cursor.column();
    }
    let (mut instruction, (shift, modifiers)) = parse_mnemonic(cursor, version)?;
    instruction.coissue = coissue;
    instruction.predicate = predicate;

    let info = instruction.op.info();
    let mut first = true;
    let mut next = |cursor: &mut Cursor| {
        cursor.blank();
        if !std::mem::take(&mut first) {
            if !cursor.take(",") {
                return Err(cursor.expected(&format!("`,` and another operand of `{}`", info.name)));
            }
            cursor.blank();
        }
        Ok(cursor.column())
    };
    for operand in info.operands {
        match operand {
            Operand::Usage => {}
            operand if operand.is_dst() => {
                columns.push(next(cursor)?);
                instruction.dst = Some(Dst { shift, modifiers, ..parse_dst(cursor, version)? });
            }
            Operand::Floats | Operand::Ints => {
                for word in &mut instruction.immediate {
                    next(cursor)?;
                    *word = if *operand == Operand::Floats { parse_float(cursor)? } else { parse_int(cursor)? };
                }
            }
            Operand::Flag => {
                next(cursor)?;
                let start = *cursor;
                instruction.immediate[0] = match cursor.take_while(|c| c.is_ascii_alphanumeric()) {
                    "true" => 1,
                    "false" => 0,
                    text => text.parse().map_err(|_| start.expected("true or false"))?,
                }
            }
            _ => {
                columns.push(next(cursor)?);
                instruction.srcs.push(parse_src(cursor, version)?);
            }
        }
    }
    cursor.blank();
    if !cursor.rest().is_empty() {
        return Err(cursor.expected("the end of the line"));
    }
    if instruction.op == Opcode::Dcl && instruction.declaration.is_none() {
        let sampler = instruction.dst.is_some_and(|dst| dst.register.ty == RegisterType::Sampler);
        instruction.declaration = Some(if sampler { Declaration::Sampler(None) } else { Declaration::Plain });
    }
    Ok((instruction, columns))
}

/// Reads an opcode with its suffixes: the instruction, and shift and modifiers of its destination.
fn parse_mnemonic(cursor: &mut Cursor, version: Version) -> Parsed<(Instruction, (i8, u32))> {
    let start = *cursor;
    let base = cursor.take_while(|c| c.is_ascii_alphanumeric());
    let mut control = ControlBits::None;
    let mut declaration = None;
    let (mut shift, mut modifiers) = (0, 0);
    loop {
        let part = *cursor;
        if !cursor.take("_") {
            break;
        }
        let text = cursor.take_while(|c| c.is_ascii_alphanumeric());
        let suffix = |full: &str| full.strip_prefix('_') == Some(text);
        if base == "dcl" && declaration.is_none() {
            declaration = parse_declaration(text);
            if declaration.is_some() {
                continue;
            }
        }
        if let Some((comparison, _)) = Comparison::ALL.iter().find(|(_, name)| *name == text) {
            control = ControlBits::Comparison(*comparison);
        } else if let Some((value, _)) = RESULT_SHIFTS.iter().find(|(_, name)| suffix(name)) {
            shift = *value;
        } else if let Some((bit, _)) = RESULT_MODIFIERS.iter().find(|(_, name)| suffix(name)) {
            modifiers |= bit;
        } else {
            let known = match base {
                "dcl" => "a usage, a texture dimension, _pp or _centroid",
                _ => "a comparison (_gt...), a shift (_x2...), _sat or _pp",
            };
            return Err(part.mistake(format!("expected {known} behind `{base}`, found `_{text}`")));
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
    let row = named().find(|row| row.is_taken_in(version) && compares == (row.control == Control::Comparison));
    let row = row.ok_or_else(|| match named().next() {
        Some(_) => start.mistake(format!("`{}` does not exist in {version}", &start.rest()[..cursor.at - start.at])),
        None => start.expected("an opcode"),
    })?;
    let follows = cursor.rest().chars().next();
    if follows.is_some_and(|c| !c.is_whitespace()) {
        return Err(cursor.expected("a blank behind the opcode"));
    }
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

/// The characters of a number, with its sign.
fn number_text<'a>(cursor: &mut Cursor<'a>) -> &'a str {
    let mut before = ' ';
    cursor.take_while(|c| {
        let sign = matches!(c, '+' | '-') && matches!(before, ' ' | 'e');
        before = c;
        sign || c.is_ascii_alphanumeric() || c == '.'
    })
}

fn parse_float(cursor: &mut Cursor) -> Parsed<u32> {
    let start = *cursor;
    let text = number_text(cursor);
    let bits = match text.strip_prefix("0x") {
        Some(hex) => u32::from_str_radix(hex, 16).ok(),
        None => text.trim_end_matches('f').parse().map(f32::to_bits).ok(),
    };
    bits.ok_or_else(|| start.expected("a number"))
}

fn parse_int(cursor: &mut Cursor) -> Parsed<u32> {
    let start = *cursor;
    let text = number_text(cursor);
    let value = match text.strip_prefix("0x") {
        Some(hex) => u32::from_str_radix(hex, 16).ok(),
        None => text.parse().map(i32::cast_unsigned).ok(),
    };
    value.ok_or_else(|| start.expected("an integer of 32 bits"))
}

fn parse_register(cursor: &mut Cursor, version: Version) -> Parsed<Register> {
    let start = *cursor;
    for (ty, number, name) in NAMED_REGISTERS {
        let exists = ty.info().count(version) > *number && ty.info().stage.is_none_or(|stage| stage == version.stage);
        let here = cursor.rest().get(..name.len()).is_some_and(|text| text.eq_ignore_ascii_case(name));
        let longer = || cursor.rest()[name.len()..].starts_with(|c: char| c.is_ascii_alphanumeric() || c == '[');
        if exists && here && !longer() {
            cursor.at += name.len();
            return Ok(Register::new(*ty, *number));
        }
    }
    let name = cursor.take_while(|c| c.is_ascii_alphabetic());
    let row = REGISTERS
        .iter()
        .filter(|row| row.count(version) != 0 && row.stage.is_none_or(|stage| stage == version.stage))
        .find(|row| row.name.eq_ignore_ascii_case(name))
        .ok_or_else(|| start.expected(&format!("a register of {version}")))?;
    let indexed = cursor.rest().starts_with('[');
    let mut register = Register::new(row.ty, if indexed { 0 } else { cursor.number()? });
    if cursor.take("[") {
        parse_index(cursor, &mut register)?;
    }
    Ok(register)
}

/// Reads what stands in brackets and is added to the register's number: `a0.x`, `aL`, numbers.
fn parse_index(cursor: &mut Cursor, register: &mut Register) -> Parsed<()> {
    loop {
        cursor.blank();
        let start = *cursor;
        if cursor.take("al") {
            register.relative = Some(Relative::Loop);
        } else if cursor.take("a0") {
            let mut x = 0;
            if cursor.take(".") {
                let mut letters = cursor.take_while(|c| c.is_ascii_alphanumeric()).chars();
                let one = letters.next().and_then(component).filter(|_| letters.next().is_none());
                x = one.ok_or_else(|| start.expected("a0 with one component, such as a0.x"))?;
            }
            register.relative = Some(Relative::Address(x));
        } else {
            let number = cursor.number().map_err(|_| start.expected("a0.x, aL or a register number"))?;
            let sum = register.number.checked_add(number);
            register.number = sum.ok_or_else(|| start.mistake("the register number is too large".to_owned()))?;
        }
        cursor.blank();
        if cursor.take("]") {
            return Ok(());
        }
        if !cursor.take("+") {
            return Err(cursor.expected("`+` or `]`"));
        }
    }
}

fn component(c: char) -> Option<u8> {
    match c {
        'x' | 'r' => Some(0),
        'y' | 'g' => Some(1),
        'z' | 'b' => Some(2),
        'w' | 'a' => Some(3),
        _ => None,
    }
}

fn parse_dst(cursor: &mut Cursor, version: Version) -> Parsed<Dst> {
    let mut dst = Dst::new(parse_register(cursor, version)?);
    let start = *cursor;
    if !cursor.take(".") {
        return Ok(dst);
    }
    dst.mask = 0;
    if cursor.take("_") {
        return Ok(dst);
    }
    for c in cursor.take_while(|c| c.is_ascii_alphanumeric()).chars() {
        let component = component(c).ok_or_else(|| start.expected("a write mask of x, y, z, w"))?;
        // A mask is a set in the order of the components, so `.yx` is a slip of the pen.
        if dst.mask >> component != 0 {
            return Err(start.expected("the components of a write mask in order, each once"));
        }
        dst.mask |= 1 << component;
    }
    if dst.mask == 0 { Err(start.expected("a write mask of x, y, z, w")) } else { Ok(dst) }
}

fn parse_src(cursor: &mut Cursor, version: Version) -> Parsed<Src> {
    let start = *cursor;
    let prefix = if cursor.take("-") {
        "-"
    } else if cursor.take("!") {
        "!"
    } else if cursor.take("1") {
        cursor.blank();
        if !cursor.take("-") {
            return Err(start.expected("a source: a register, or 1- and a register"));
        }
        "1-"
    } else {
        ""
    };
    cursor.blank();
    let register = parse_register(cursor, version)?;
    let mut swizzle = Swizzle::IDENTITY;
    let mut suffix = "";
    // Either may come first.
    for _ in 0..2 {
        let here = *cursor;
        if cursor.take(".") {
            swizzle = parse_swizzle(cursor).ok_or_else(|| here.expected("a swizzle of one to four components"))?;
        } else if cursor.take("_") {
            cursor.take_while(|c| c.is_ascii_alphanumeric());
            suffix = &here.line[here.at..cursor.at];
        }
    }
    // The SDK has two names for each division.
    let canonical = match suffix {
        "_db" => "_dz",
        "_da" => "_dw",
        other => other,
    };
    let modifier = SourceModifier::ALL.iter().find(|(_, text)| text.split_once('%') == Some((prefix, canonical)));
    let what = || format!("there is no source modifier `{prefix}{suffix}`; expected one such as `-`, `_bx2` or `_abs`");
    let modifier = modifier.ok_or_else(|| start.mistake(what()))?;
    Ok(Src { register, swizzle, modifier: modifier.0 })
}

/// Fewer than four components repeat the last one.
fn parse_swizzle(cursor: &mut Cursor) -> Option<Swizzle> {
    let text = cursor.take_while(|c| c.is_ascii_alphanumeric());
    let components: SmallVec<[u8; 4]> = text.chars().take(5).map(component).collect::<Option<_>>()?;
    let last = *components.last().filter(|_| components.len() <= 4)?;
    let bits = (0..4).map(|i| components.get(i).copied().unwrap_or(last) << (2 * i));
    Some(Swizzle(bits.fold(0, |all, bits| all | bits)))
}
