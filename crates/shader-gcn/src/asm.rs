//! Text to words. The text is the disassembler's and `llvm-mc`'s: an instruction or `.long WORD` per line, labels in front,
//! comments behind `//` or `;`.

use crate::encode::EncodeError;
use crate::inst::{Buffer, Ds, Export, Fields, Flat, Image, Inst, Interp, Modifiers, Operand};
use crate::syntax::{self, Modifier, Slot};
use crate::tables::{Encoding, Op, ROWS, Row, Ty};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::sync::LazyLock;

/// Why text is no code.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {kind}")]
pub struct AsmError {
    /// Line, from 1 on.
    pub line: usize,
    /// What is wrong.
    pub kind: AsmErrorKind,
}

/// What is wrong with a line.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum AsmErrorKind {
    /// The mnemonic is none.
    #[error("{0:?} is no gfx7 instruction")]
    Mnemonic(String),
    /// Something else is there than what should be.
    #[error("{found:?} is where {wanted} should be")]
    Expected {
        /// What should be there.
        wanted: &'static str,
        /// What is there, empty at the end of the line.
        found: String,
    },
    /// A modifier that the instruction does not have.
    #[error("{0:?} is no modifier of the instruction")]
    Modifier(String),
    /// A number that is too great.
    #[error("{name} is at most {max}")]
    Range {
        /// What the number is of.
        name: &'static str,
        /// Its greatest value.
        max: u32,
    },
    /// The sources of a compressed export differ within a pair.
    #[error("a compressed export has one register for each two components")]
    Compressed,
    /// The instruction cannot be written like that.
    #[error(transparent)]
    Encode(#[from] EncodeError),
    /// A label that is nowhere, or twice.
    #[error("the label {0:?} is not there just once")]
    Label(String),
    /// A branch that is too far.
    #[error("the branch to {0:?} goes further than 32767 words")]
    Far(String),
}

use AsmErrorKind::*;

type Parsed<T> = Result<T, AsmErrorKind>;

fn expected<T>(wanted: &'static str, found: &str) -> Parsed<T> {
    Err(Expected { wanted, found: found.to_owned() })
}

/// What is left of a line.
struct Cursor<'a> {
    rest: &'a str,
}

impl<'a> Cursor<'a> {
    /// Up to a space or comma outside of brackets; empty at the end and in front of a comma.
    fn token(&mut self) -> &'a str {
        self.rest = self.rest.trim_start();
        let mut depth = 0usize;
        let mut bars = false;
        let end = self.rest.char_indices().find(|&(_, c)| {
            match c {
                '(' | '[' => depth += 1,
                ')' | ']' => depth = depth.saturating_sub(1),
                '|' => bars = !bars,
                _ => {}
            }
            depth == 0 && !bars && (c == ',' || c.is_whitespace())
        });
        let (token, rest) = self.rest.split_at(end.map_or(self.rest.len(), |(at, _)| at));
        self.rest = rest;
        token
    }

    fn comma(&mut self) -> Parsed<()> {
        match self.rest.trim_start().strip_prefix(',') {
            Some(rest) => {
                self.rest = rest;
                Ok(())
            }
            None => expected("a comma", self.rest.trim_start()),
        }
    }

    fn is_empty(&self) -> bool {
        self.rest.trim().is_empty()
    }
}

/// A whole number, decimal or hexadecimal, within 64 bits.
fn number(text: &str) -> Option<i64> {
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
    let value = match digits.strip_prefix("0x") {
        Some(hex) => i64::try_from(u64::from_str_radix(hex, 16).ok()?).ok()?,
        None if digits.starts_with(|c: char| c.is_ascii_digit()) => digits.parse().ok()?,
        None => return None,
    };
    Some(if negative { -value } else { value })
}

/// A number that fits 16 bits, signed or not.
fn half(text: &str) -> Parsed<u16> {
    match number(text) {
        Some(value @ -0x8000..=0xFFFF) => Ok(value as u16),
        _ => expected("a number of 16 bits", text),
    }
}

/// `name(arguments)`.
fn call<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.strip_prefix(name)?.trim_start().strip_prefix('(')?.strip_suffix(')')
}

/// `v3`, `v[3:4]`: the number of the first register.
fn register(text: &str, file: &str) -> Option<u8> {
    let text = text.strip_prefix(file)?;
    match text.strip_prefix('[') {
        Some(range) => range.strip_suffix(']')?.split(':').next()?.trim().parse().ok(),
        None if text.starts_with(|c: char| c.is_ascii_digit()) => text.parse().ok(),
        None => None,
    }
}

/// A register or constant of a type.
fn operand(text: &str, ty: Ty) -> Parsed<Operand> {
    let named = syntax::NAMES
        .iter()
        .chain(&syntax::PAIRS)
        .find(|(name, _)| *name == text || name.strip_prefix("src_").is_some_and(|short| short == text));
    if let Some((_, operand)) = named {
        return Ok(*operand);
    }
    let found = register(text, "v").map(Operand::Vgpr).or_else(|| match register(text, "s") {
        Some(n) => (n <= 103).then_some(Operand::Sgpr(n)),
        None => register(text, "ttmp").filter(|n| *n <= 11).map(Operand::Ttmp),
    });
    if let Some(operand) = found {
        return Ok(operand);
    }
    let word = |text| {
        number(text).and_then(|value| u32::try_from(value).or_else(|_| i32::try_from(value).map(|n| n as u32)).ok())
    };
    if let Some(word) = call(text, "lit").and_then(word) {
        return Ok(Operand::Literal(word));
    }
    if let Some(value @ -16..=64) = number(text) {
        return Ok(Operand::Int(value as i32));
    }
    if let Some(word) = word(text) {
        return Ok(syntax::inline(word, ty).unwrap_or(Operand::Literal(word)));
    }
    match text.parse::<f64>() {
        Ok(value) if text.contains('.') => {
            let float = Operand::Float((value as f32).to_bits());
            Ok(match ty {
                _ if float.code().is_some() && f64::from(value as f32) == value => float,
                Ty::F64 => Operand::Literal((value.to_bits() >> 32) as u32),
                _ => Operand::Literal((value as f32).to_bits()),
            })
        }
        _ => expected("a register or constant", text),
    }
}

/// An inline constant as the literal of the same value.
fn literal(operand: Operand) -> Operand {
    match operand {
        Operand::Int(value) => Operand::Literal(value as u32),
        Operand::Float(bits) => Operand::Literal(bits),
        other => other,
    }
}

/// Bits of `s_waitcnt`.
fn wait(text: &str) -> Parsed<u16> {
    if let Some(simm) = number(text.trim()) {
        return u16::try_from(simm).or_else(|_| expected("a number of 16 bits", text));
    }
    let mut simm = syntax::NO_WAIT;
    for part in text.split([' ', '&', ',']).filter(|part| !part.is_empty()) {
        let counter = syntax::COUNTERS.iter().find_map(|counter| Some((counter, call(part, counter.0)?)));
        let Some((&(name, low, max), count)) = counter else { return expected("a counter", part) };
        match number(count).and_then(|count| u16::try_from(count).ok()) {
            Some(count) if count <= max => simm = simm & !(max << low) | count << low,
            _ => return Err(Range { name, max: max.into() }),
        }
    }
    Ok(simm)
}

fn message(text: &str) -> Parsed<u16> {
    let Some(arguments) = call(text, "sendmsg") else { return half(text) };
    let mut parts = arguments.split(',').map(str::trim);
    let name = parts.next().unwrap_or_default();
    let id = syntax::MESSAGES.iter().find(|(_, known)| *known == name).map(|(id, _)| *id);
    let Some(id) = id.or_else(|| number(name).and_then(|id| u16::try_from(id).ok()).filter(|id| *id < 16)) else {
        return expected("a message", name);
    };
    let op = match parts.next() {
        None => 0,
        Some(op) => match syntax::GS_OPS.iter().position(|known| *known == op) {
            Some(op) => op as u16,
            None => return expected("an operation of the message", op),
        },
    };
    match parts.next().map_or(Some(0), number) {
        Some(stream @ 0..=3) => Ok(id | op << 4 | (stream as u16) << 8),
        _ => Err(Range { name: "the stream", max: 3 }),
    }
}

fn hwreg(text: &str) -> Parsed<u16> {
    let Some(arguments) = call(text, "hwreg") else { return half(text) };
    let mut parts = arguments.split(',').map(str::trim);
    let name = parts.next().unwrap_or_default();
    let id = syntax::HWREGS.iter().position(|known| *known == name).map(|n| n as i64 + 1).or_else(|| number(name));
    match (id, parts.next().map_or(Some(0), number), parts.next().map_or(Some(32), number)) {
        (Some(id @ 0..=63), Some(offset @ 0..=31), Some(size @ 1..=32)) => {
            Ok((id | offset << 6 | (size - 1) << 11) as u16)
        }
        _ => expected("a hardware register, a bit and a size", text),
    }
}

fn export_target(text: &str) -> Parsed<u8> {
    if let Some((_, number)) = syntax::TARGET_NAMES.iter().find(|(name, _)| *name == text) {
        return Ok(*number);
    }
    for (name, first, count) in syntax::TARGETS {
        if let Some(n) = text.strip_prefix(name).and_then(|n| n.parse::<u8>().ok())
            && n < count
        {
            return Ok(first + n);
        }
    }
    match text.strip_prefix(syntax::TARGET_INVALID).and_then(|n| n.parse::<u8>().ok()) {
        Some(n @ 0..=63) => Ok(n),
        _ => expected("an export target", text),
    }
}

/// Data and number format of MTBUF: by names in brackets, or as one number.
fn format(text: &str) -> Parsed<(u8, u8)> {
    let Some(names) = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) else {
        return match number(text) {
            Some(both @ 0..=127) => Ok((both as u8 & 15, (both >> 4) as u8)),
            _ => Err(Range { name: "format", max: 127 }),
        };
    };
    let (mut dfmt, mut nfmt) = (syntax::DEFAULT_DATA_FORMAT, 0);
    for name in names.split(',').map(str::trim) {
        let of = |prefix, table: &[&str]| {
            let name = name.strip_prefix(prefix)?;
            table.iter().position(|known| *known == name).map(|n| n as u8)
        };
        match (of(syntax::DATA_FORMAT, &syntax::DATA_FORMATS), of(syntax::NUM_FORMAT, &syntax::NUM_FORMATS)) {
            (Some(n), _) => dfmt = n,
            (_, Some(n)) => nfmt = n,
            _ => return expected("a data or number format", name),
        }
    }
    Ok((dfmt, nfmt))
}

/// Whether a modifier was set.
fn modifier<T>(fields: &mut T, table: &[Modifier<T>], text: &str) -> Parsed<bool> {
    let (name, value) = text.split_once(':').map_or((text, None), |(name, value)| (name, Some(value)));
    let Some(modifier) = table.iter().find(|modifier| modifier.name == name) else { return Ok(false) };
    let value = match (value, modifier.max) {
        (None, None) => 1,
        (Some(value), Some(max)) => match number(value).and_then(|value| u32::try_from(value).ok()) {
            Some(value) if value <= max => value,
            _ => return Err(Range { name: modifier.name, max }),
        },
        _ => return Ok(false),
    };
    (modifier.set)(fields, value);
    Ok(true)
}

/// Rows by mnemonic.
static BY_NAME: LazyLock<FxHashMap<&'static str, &'static Row>> =
    LazyLock::new(|| ROWS.iter().map(|row| (row.name, row)).collect());

/// An instruction in the making.
struct Builder<'a> {
    inst: Inst,
    row: &'static Row,
    /// What a branch goes to, if that is a label.
    label: Option<&'a str>,
    /// Bits that mean nothing, of the first two words.
    unused: [u32; 2],
}

impl<'a> Builder<'a> {
    fn new(mnemonic: &str) -> Parsed<(Self, bool)> {
        let (name, enc) = match (mnemonic.strip_suffix("_e64"), mnemonic.strip_suffix("_e32")) {
            (Some(name), _) => (name, Some(Encoding::Vop3)),
            (_, Some(name)) => (name, None),
            _ => (mnemonic, None),
        };
        let Some(row) = BY_NAME.get(name) else { return Err(Mnemonic(mnemonic.to_owned())) };
        let fields = match row.encoding {
            Encoding::Vintrp => Fields::Interp(Interp::default()),
            Encoding::Ds => Fields::Ds(Ds::default()),
            Encoding::Mubuf => Fields::Buffer(Buffer::default()),
            Encoding::Mtbuf => Fields::Buffer(Buffer { dfmt: syntax::DEFAULT_DATA_FORMAT, ..Buffer::default() }),
            Encoding::Mimg => Fields::Image(Image::default()),
            Encoding::Exp => Fields::Export(Export::default()),
            Encoding::Flat => Fields::Flat(Flat::default()),
            _ => Fields::None,
        };
        let inst = Inst { fields, ..Inst::blank(row.op, enc.unwrap_or(row.encoding)) };
        Ok((Self { inst, row, label: None, unused: [0; 2] }, name.len() != mnemonic.len()))
    }

    fn source(&mut self, n: usize, text: &str) -> Parsed<()> {
        let ty = self.inst.src_ty(n);
        let (neg, text) = match call(text, "neg") {
            Some(inner) => (true, inner),
            None => match text.strip_prefix('-') {
                Some(inner) if !inner.starts_with(|c: char| c.is_ascii_digit()) => (true, inner),
                _ => (false, text),
            },
        };
        let bars = text.strip_prefix('|').and_then(|inner| inner.strip_suffix('|'));
        self.inst.mods.neg |= u8::from(neg) << n;
        self.inst.mods.abs |= u8::from(bars.is_some()) << n;
        let text = bars.unwrap_or(text);
        self.inst.src[n] = match (self.inst.enc, ty) {
            (Encoding::Sopk, Ty::Simm16 | Ty::Uimm16) => {
                self.inst.simm = half(text)?;
                let simm = self.inst.simm;
                Operand::Int(if ty == Ty::Simm16 { i32::from(simm as i16) } else { i32::from(simm) })
            }
            (Encoding::Smrd, _) if n == 1 => match operand(text, ty)? {
                Operand::Int(offset @ 0..) => Operand::Int(offset),
                Operand::Literal(word) if word < 256 && !text.starts_with("lit") => Operand::Int(word as i32),
                other => literal(other),
            },
            _ if self.literal_source() == Some(n) => literal(operand(text, ty)?),
            _ => operand(text, ty)?,
        };
        Ok(())
    }

    /// The source that is always a literal.
    fn literal_source(&self) -> Option<usize> {
        match self.inst.op {
            Op::SSetregImm32B32 => Some(0),
            Op::VMadmkF32 => Some(1),
            Op::VMadakF32 => Some(2),
            _ => None,
        }
    }

    fn slot(&mut self, slot: Slot, cursor: &mut Cursor<'a>) -> Parsed<()> {
        if slot == Slot::Wait {
            self.inst.simm = wait(std::mem::take(&mut cursor.rest))?;
            return Ok(());
        }
        let text = cursor.token();
        match slot {
            Slot::Dst => self.inst.dst = operand(text, Ty::None)?,
            Slot::Sdst => self.inst.sdst = operand(text, Ty::None)?,
            Slot::Src(n) => self.source(n, text)?,
            Slot::Data => self.inst.src[3] = operand(text, Ty::None)?,
            Slot::Imm { .. } => self.inst.simm = half(text)?,
            Slot::Target => match half(text) {
                Ok(simm) => self.inst.simm = simm,
                Err(_) => self.label = Some(text),
            },
            Slot::Wait => {}
            Slot::Message => self.inst.simm = message(text)?,
            Slot::Hwreg => self.inst.simm = hwreg(text)?,
            Slot::Parameter => match syntax::PARAMETERS.iter().position(|name| *name == text) {
                Some(n) => self.interp(|fields| fields.parameter = n as u8),
                None => return expected("p10, p20 or p0", text),
            },
            Slot::Attribute => {
                let parts = text.strip_prefix("attr").and_then(|text| text.split_once('.'));
                let parsed = parts.and_then(|(attr, chan)| {
                    let chan = ["x", "y", "z", "w"].iter().position(|name| *name == chan)?;
                    Some((attr.parse::<u8>().ok().filter(|attr| *attr < 64)?, chan as u8))
                });
                match parsed {
                    Some((attr, chan)) => self.interp(|fields| (fields.attr, fields.chan) = (attr, chan)),
                    None => return expected("an attribute and its component", text),
                }
            }
            Slot::ExportTarget => {
                let target = export_target(text)?;
                self.export(|fields| fields.target = target);
            }
            Slot::Component(n) => {
                let register = operand(text, Ty::None)?;
                self.inst.src[n] = register;
                self.export(|fields| fields.en |= u8::from(register.is_some()) << n);
            }
        }
        Ok(())
    }

    fn interp(&mut self, set: impl FnOnce(&mut Interp)) {
        if let Fields::Interp(fields) = &mut self.inst.fields {
            set(fields);
        }
    }

    fn export(&mut self, set: impl FnOnce(&mut Export)) {
        if let Fields::Export(fields) = &mut self.inst.fields {
            set(fields);
        }
    }

    fn modifier(&mut self, text: &str) -> Parsed<bool> {
        if let Some(bits) = text.strip_prefix(syntax::UNUSED) {
            let mut parts = bits.split(':').map(|part| number(part).and_then(|word| u32::try_from(word).ok()));
            self.unused = match (parts.next().flatten(), parts.next().flatten()) {
                (Some(first), Some(second)) => [first, second],
                _ => return expected("bits of two words", bits),
            };
            return Ok(true);
        }
        if let Encoding::Vop1 | Encoding::Vop2 | Encoding::Vopc | Encoding::Vop3 = self.inst.enc {
            match (text, syntax::OMOD.iter().position(|name| *name == text)) {
                ("clamp", _) => self.inst.mods.clamp = true,
                (_, Some(omod)) => self.inst.mods.omod = omod as u8,
                _ => return Ok(false),
            }
            return Ok(true);
        }
        match &mut self.inst.fields {
            Fields::None | Fields::Interp(_) => Ok(false),
            Fields::Ds(fields) => modifier(fields, syntax::ds_modifiers(self.row), text),
            Fields::Buffer(fields) if self.inst.enc == Encoding::Mtbuf && text.starts_with("format:") => {
                (fields.dfmt, fields.nfmt) = format(&text["format:".len()..])?;
                Ok(true)
            }
            Fields::Buffer(fields) if self.inst.enc == Encoding::Mtbuf => modifier(fields, syntax::TYPED, text),
            Fields::Buffer(fields) => modifier(fields, syntax::BUFFER, text),
            Fields::Image(fields) => modifier(fields, syntax::IMAGE, text),
            Fields::Flat(fields) => modifier(fields, syntax::FLAT, text),
            Fields::Export(fields) => modifier(fields, syntax::EXPORT, text),
        }
    }

    /// What follows from the whole line: where data goes, which masks no field names.
    fn finish(&mut self) -> Parsed<()> {
        let inst = &mut self.inst;
        let data = inst.src[3];
        if let Fields::Buffer(Buffer { glc, .. }) | Fields::Image(Image { glc, .. }) = inst.fields {
            let lds = matches!(inst.fields, Fields::Buffer(Buffer { lds: true, .. }));
            (inst.dst, inst.src[3]) = self.row.kind.data(data, glc);
            if lds {
                (inst.dst, inst.src[3]) = (Operand::None, data);
            }
        }
        if let Fields::Export(Export { compr: true, .. }) = inst.fields {
            let pair = |a: Operand, b: Operand| match (a, b) {
                (a, Operand::None) => Ok(a),
                (Operand::None, b) => Ok(b),
                (a, b) if a == b => Ok(a),
                _ => Err(Compressed),
            };
            let [a, b, c, d] = inst.src;
            inst.src = [pair(a, b)?, pair(c, d)?, Operand::None, Operand::None];
        }
        if self.row.src[3] == Ty::Mask {
            inst.src[3] = Operand::VccLo;
        }
        if inst.enc == Encoding::Sopk && self.row.dst[0] != Ty::None && self.row.src[1] != Ty::None {
            inst.src[0] = inst.dst;
        }
        Ok(())
    }

    /// One line's instruction.
    fn line(mnemonic: &str, rest: &'a str) -> Parsed<(Self, SmallVec<[u32; 2]>)> {
        let (mut b, suffixed) = Self::new(mnemonic)?;
        let mut cursor = Cursor { rest };
        let returns = rest.split_whitespace().any(|word| word == "glc");
        let mut comma = false;
        for slot in syntax::slots(b.row, b.inst.enc, returns) {
            if matches!(slot, Slot::Imm { optional: true }) && cursor.is_empty() {
                break;
            }
            if comma {
                cursor.comma()?;
            }
            b.slot(slot, &mut cursor)?;
            comma = slot != Slot::ExportTarget;
        }
        while !cursor.is_empty() {
            let text = cursor.token();
            if text.is_empty() || !b.modifier(text)? {
                return Err(Modifier(if text.is_empty() { cursor.rest.trim() } else { text }.to_owned()));
            }
        }
        b.finish()?;
        let short = b.inst.enc != Encoding::Vop3;
        if short && b.inst.mods != Modifiers::default() {
            if suffixed {
                return Err(Modifier("a modifier of the long form".to_owned()));
            }
            b.inst.enc = Encoding::Vop3;
        }
        let mut words = b.inst.encode();
        if words.is_err() && short && !suffixed && b.row.vop3_number().is_some() {
            b.inst.enc = Encoding::Vop3;
            words = b.inst.encode();
        }
        let mut words = words?;
        for (word, unused) in words.iter_mut().zip(b.unused) {
            *word ^= unused;
        }
        Ok((b, words))
    }
}

/// Assembles text: instructions and `.long WORD`, one per line, labels (`name:`) in front of them.
///
/// # Errors
/// The first line that is neither.
pub fn assemble(text: &str) -> Result<Vec<u32>, AsmError> {
    let mut words: Vec<u32> = Vec::new();
    let mut labels: FxHashMap<&str, usize> = FxHashMap::default();
    let mut branches = Vec::new();
    for (n, line) in text.lines().enumerate() {
        let error = |kind| AsmError { line: n + 1, kind };
        let mut line = line.split("//").next().unwrap_or_default().split(';').next().unwrap_or_default().trim();
        while let Some((label, rest)) = line.split_once(':')
            && !label.contains(|c: char| c.is_whitespace() || c == ',')
        {
            if labels.insert(label, words.len()).is_some() {
                return Err(error(Label(label.to_owned())));
            }
            line = rest.trim_start();
        }
        if line.is_empty() {
            continue;
        }
        let (mnemonic, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        if mnemonic == ".long" {
            match number(rest.trim()).and_then(|word| u32::try_from(word).ok()) {
                Some(word) => words.push(word),
                None => return Err(error(Expected { wanted: "a word", found: rest.to_owned() })),
            }
            continue;
        }
        let (builder, new) = Builder::line(mnemonic, rest).map_err(error)?;
        if let Some(label) = builder.label {
            branches.push((n + 1, words.len(), words.len() + new.len(), label));
        }
        words.extend(new);
    }
    for (line, at, next, label) in branches {
        let error = |kind: fn(String) -> AsmErrorKind| AsmError { line, kind: kind(label.to_owned()) };
        let target = *labels.get(label).ok_or_else(|| error(Label))?;
        let distance = i16::try_from(target as i64 - next as i64).map_err(|_| error(Far))?;
        words[at] |= u32::from(distance as u16);
    }
    Ok(words)
}
