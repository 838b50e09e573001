//! A line to an instruction.

use super::cursor::Cursor;
use super::error::AsmErrorKind::{self, Address, Compressed, Mnemonic, Modifier};
use super::operands::{
    Parsed, call, expected, export_target, format, half, hwreg, literal, message, modifier, number, operand, wait,
};
use crate::encode::EncodeError;
use crate::inst::{Buffer, Ds, Export, Fields, Flat, Image, Inst, Interp, Modifiers, Operand};
use crate::syntax::{self, Slot};
use crate::tables::{Encoding, Op, ROWS, Row, Ty};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::sync::LazyLock;

/// Rows by mnemonic.
static BY_NAME: LazyLock<FxHashMap<&'static str, &'static Row>> =
    LazyLock::new(|| ROWS.iter().map(|row| (row.name, row)).collect());

/// An instruction in the making.
pub(super) struct Builder<'a> {
    pub(super) inst: Inst,
    row: &'static Row,
    /// What a branch goes to, if that is a label.
    pub(super) label: Option<&'a str>,
    /// Where that is in the line.
    pub(super) label_at: usize,
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
        let Some(row) = BY_NAME.get(name) else { return Err(Mnemonic { found: mnemonic.to_owned(), near: None }) };
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
        Ok((Self { inst, row, label: None, label_at: 0, unused: [0; 2] }, name.len() != mnemonic.len()))
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
            self.inst.simm = wait(cursor.all())?;
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
                Err(_) if text.is_empty() => return expected("a label, or a distance in words", text),
                Err(_) => (self.label, self.label_at) = (Some(text), cursor.token_at),
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
                    None => return expected("an attribute and its component: attr0.x to attr63.w", text),
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
    pub(super) fn line(mnemonic: &str, mut cursor: Cursor<'a>) -> Result<(Self, SmallVec<[u32; 2]>), Wrong> {
        let whole = |kind: AsmErrorKind| Wrong { places: Vec::new(), kind };
        let (mut b, suffixed) = Self::new(mnemonic).map_err(whole)?;
        let returns = cursor.rest().split_whitespace().any(|word| word == "glc");
        let mut comma = false;
        let mut places: SmallVec<[(Slot, usize); 6]> = SmallVec::new();
        for (number, slot) in syntax::slots(b.row, b.inst.enc, returns).into_iter().enumerate() {
            if matches!(slot, Slot::Imm { optional: true }) && cursor.is_empty() {
                break;
            }
            let read = if comma { cursor.comma() } else { Ok(()) };
            read.map_err(|kind| Wrong::at(cursor.token_at, None, kind))?;
            let read = b.slot(slot, &mut cursor);
            read.map_err(|kind| Wrong::at(cursor.token_at, Some(number), kind))?;
            places.push((slot, cursor.token_at));
            comma = slot != Slot::ExportTarget;
        }
        while !cursor.is_empty() {
            let text = cursor.token();
            let at = cursor.token_at;
            if text.is_empty() || !b.modifier(text).map_err(|kind| Wrong::at(at, None, kind))? {
                let found = if text.is_empty() { cursor.rest().trim() } else { text };
                return Err(Wrong::at(at, None, no_modifier(mnemonic, found)));
            }
        }
        b.finish().map_err(whole)?;
        let short = b.inst.enc != Encoding::Vop3;
        if short && b.inst.mods != Modifiers::default() {
            if suffixed {
                return Err(whole(no_modifier(mnemonic, "a modifier of the long form (_e64)")));
            }
            b.inst.enc = Encoding::Vop3;
        }
        let mut words = b.inst.encode();
        if words.is_err() && short && !suffixed && b.row.vop3_number().is_some() {
            b.inst.enc = Encoding::Vop3;
            words = b.inst.encode();
        }
        let mut words = words.map_err(|error| b.unfit(error, &places))?;
        for (word, unused) in words.iter_mut().zip(b.unused) {
            *word ^= unused;
        }
        Ok((b, words))
    }

    /// The value of an operand that was read.
    fn operand_of(&self, slot: Slot) -> Option<Operand> {
        match slot {
            Slot::Dst => Some(self.inst.dst),
            Slot::Sdst => Some(self.inst.sdst),
            Slot::Src(n) | Slot::Component(n) => Some(self.inst.src[n]),
            Slot::Data if self.inst.src[3].is_some() => Some(self.inst.src[3]),
            Slot::Data => Some(self.inst.dst),
            _ => None,
        }
    }

    /// What of the line it may be that has no words.
    fn unfit(&self, error: EncodeError, slots: &[(Slot, usize)]) -> Wrong {
        let operand = match error {
            EncodeError::Operand { operand, .. } => operand,
            EncodeError::Missing { .. } if matches!(self.inst.fields, Fields::Buffer(_)) => {
                return Wrong { places: Vec::new(), kind: Address(self.row.name) };
            }
            EncodeError::Missing { .. } => Operand::None,
            _ => return Wrong { places: Vec::new(), kind: error.into() },
        };
        let equal = slots.iter().enumerate().filter(|(_, (slot, _))| self.operand_of(*slot) == Some(operand));
        let places = equal.map(|(number, (_, at))| Place { at: *at, slot: Some(number), operand }).collect();
        Wrong { places, kind: error.into() }
    }
}

/// A modifier that is none of the instruction's.
fn no_modifier(mnemonic: &str, found: &str) -> AsmErrorKind {
    Modifier { found: found.to_owned(), instruction: mnemonic.to_owned(), has: String::new() }
}

/// A place in a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// Byte of the line.
    pub(super) at: usize,
    /// Number of the operand, if it is one.
    pub(super) slot: Option<usize>,
    /// What was read there.
    pub(super) operand: Operand,
}

/// What is wrong with an instruction. What should be there instead is found for those that are told of (`explain`).
#[derive(Debug)]
pub(super) struct Wrong {
    /// Where it may be; the whole instruction if there are none.
    pub(super) places: Vec<Place>,
    pub(super) kind: AsmErrorKind,
}

impl Wrong {
    fn at(at: usize, slot: Option<usize>, kind: AsmErrorKind) -> Self {
        Self { places: vec![Place { at, slot, operand: Operand::None }], kind }
    }
}
