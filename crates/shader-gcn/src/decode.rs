//! Words to an instruction. Where the fields lie: AMD's "Sea Islands Series Instruction Set Architecture", chapter on
//! microcode formats; `docs/sources/gcn.md#encodings`.

use crate::inst::{Buffer, Ds, Export, Fields, Flat, Image, Inst, Interp, Operand};
use crate::parse::ParseError;
use crate::tables::{self, Encoding, Kind, Op, Row, Ty, flag};

/// The source code of a literal.
pub(crate) const LITERAL: u16 = 255;

/// Bits `high` to `low` of a word.
const fn bits(word: u32, high: u32, low: u32) -> u32 {
    word >> low & (u32::MAX >> (31 - high + low))
}

const fn byte(word: u32, low: u32) -> u8 {
    (word >> low) as u8
}

const fn bit(word: u32, n: u32) -> bool {
    word >> n & 1 != 0
}

/// The encoding of a first word, and the number of its opcode.
#[inline]
fn encoding(word: u32) -> Option<(Encoding, u32)> {
    Some(match word >> 26 {
        0..=0x1F if word >> 25 == 0x3F => (Encoding::Vop1, bits(word, 16, 9)),
        0..=0x1F if word >> 25 == 0x3E => (Encoding::Vopc, bits(word, 24, 17)),
        0..=0x1F => (Encoding::Vop2, bits(word, 30, 25)),
        0x20..=0x2F => match word >> 23 {
            0x17F => (Encoding::Sopp, bits(word, 22, 16)),
            0x17E => (Encoding::Sopc, bits(word, 22, 16)),
            0x17D => (Encoding::Sop1, bits(word, 15, 8)),
            0x160..=0x17C => (Encoding::Sopk, bits(word, 27, 23)),
            _ => (Encoding::Sop2, bits(word, 29, 23)),
        },
        0x30 | 0x31 => (Encoding::Smrd, bits(word, 26, 22)),
        0x32 => (Encoding::Vintrp, bits(word, 17, 16)),
        0x34 => (Encoding::Vop3, bits(word, 25, 17)),
        0x36 => (Encoding::Ds, bits(word, 25, 18)),
        0x37 => (Encoding::Flat, bits(word, 24, 18)),
        0x38 => (Encoding::Mubuf, bits(word, 24, 18)),
        0x3A => (Encoding::Mtbuf, bits(word, 18, 16)),
        0x3C => (Encoding::Mimg, bits(word, 24, 18)),
        0x3E => (Encoding::Exp, 0),
        _ => return None,
    })
}

/// An instruction in the making: the words behind the first, and what has been taken of them.
struct Decoder<'a> {
    words: &'a [u32],
    inst: Inst,
}

impl Decoder<'_> {
    fn bad(&self, code: u16) -> ParseError {
        ParseError::Operand { at: self.inst.at, op: self.inst.op, code }
    }

    /// The next word.
    fn take(&mut self) -> Result<u32, ParseError> {
        let word = self.words.get(usize::from(self.inst.words)).copied();
        self.inst.words += 1;
        word.ok_or(ParseError::Truncated { at: self.inst.at.saturating_add(u32::from(self.inst.words) - 1) })
    }

    /// The literal: the word behind the first, however many sources name it.
    fn literal(&mut self) -> Result<Operand, ParseError> {
        match self.inst.words {
            1 => self.take(),
            _ => Ok(self.words[1]),
        }
        .map(Operand::Literal)
    }

    fn register(&self, code: u32) -> Result<Operand, ParseError> {
        Operand::from_scalar_code(code as u8).ok_or_else(|| self.bad(code as u16))
    }

    /// A source of an encoding that may have a literal.
    fn source(&mut self, code: u32) -> Result<Operand, ParseError> {
        match code as u16 {
            LITERAL => self.literal(),
            code => Operand::from_code(code).ok_or_else(|| self.bad(code)),
        }
    }

    /// A source of an encoding that may not.
    fn plain(&self, code: u32) -> Result<Operand, ParseError> {
        Operand::from_code(code as u16).ok_or_else(|| self.bad(code as u16))
    }

    /// Scalar sources of SOP1, SOP2 and SOPC.
    fn scalar_sources(&mut self, word: u32, row: &Row) -> Result<(), ParseError> {
        for n in 0..2 {
            if row.src[n] != Ty::None {
                self.inst.src[n] = self.source(bits(word, 8 * n as u32 + 7, 8 * n as u32))?;
            }
        }
        Ok(())
    }

    fn sopk(&mut self, word: u32, row: &Row) -> Result<(), ParseError> {
        let register = self.register(bits(word, 22, 16));
        self.inst.simm = word as u16;
        if row.dst[0] != Ty::None {
            self.inst.dst = register.clone()?;
        }
        for n in 0..2 {
            self.inst.src[n] = match row.src[n] {
                Ty::None => Operand::None,
                Ty::Simm16 => Operand::Int(i32::from(word as i16)),
                Ty::Uimm16 => Operand::Int(i32::from(word as u16)),
                _ if row.op == Op::SSetregImm32B32 => self.literal()?,
                _ => register.clone()?,
            };
        }
        Ok(())
    }

    fn smrd(&mut self, word: u32, row: &Row) -> Result<(), ParseError> {
        if row.dst[0] != Ty::None {
            self.inst.dst = self.register(bits(word, 21, 15))?;
        }
        if row.src[0] != Ty::None {
            self.inst.src[0] = self.register(bits(word, 14, 9) * 2)?;
            self.inst.src[1] = match bits(word, 7, 0) {
                offset if bit(word, 8) => Operand::Int(offset as i32),
                code if code == u32::from(LITERAL) => self.literal()?,
                code => self.register(code).map_err(|_| self.bad(code as u16))?,
            };
        }
        Ok(())
    }

    /// The destination of VOP1, VOP2 and VOP3.
    fn vector_dst(&mut self, code: u32, row: &Row) -> Result<(), ParseError> {
        self.inst.dst = match row.dst[0] {
            Ty::None => Operand::None,
            _ if row.flags & flag::SCALAR_DST != 0 || row.encoding == Encoding::Vopc => Operand::from_code(code as u16)
                .filter(|o| o.scalar_code().is_some())
                .ok_or_else(|| self.bad(code as u16))?,
            _ => Operand::Vgpr(code as u8),
        };
        Ok(())
    }

    fn vop1(&mut self, word: u32, row: &Row) -> Result<(), ParseError> {
        self.vector_dst(bits(word, 24, 17), row)?;
        if row.src[0] != Ty::None {
            self.inst.src[0] = self.source(bits(word, 8, 0))?;
        }
        Ok(())
    }

    fn vop2(&mut self, word: u32, row: &Row) -> Result<(), ParseError> {
        self.vector_dst(bits(word, 24, 17), row)?;
        let code = bits(word, 16, 9);
        let second = if row.flags & flag::SCALAR_SRC1 != 0 { self.plain(code)? } else { Operand::Vgpr(code as u8) };
        let first = self.source(bits(word, 8, 0))?;
        let [a, b, c, _] = &mut self.inst.src;
        (*a, *b) = (first, second);
        if row.dst[1] == Ty::Mask {
            self.inst.sdst = Operand::VccLo;
        }
        if row.src[2] == Ty::Mask {
            *c = Operand::VccLo;
        }
        match row.op {
            Op::VMadmkF32 => {
                let literal = self.literal()?;
                self.inst.src = [first, literal, second, Operand::None];
            }
            Op::VMadakF32 => self.inst.src[2] = self.literal()?,
            _ => {}
        }
        Ok(())
    }

    fn vop3(&mut self, word: u32, row: &Row) -> Result<(), ParseError> {
        let second = self.take()?;
        self.vector_dst(bits(word, 7, 0), row)?;
        let mut sources = 0;
        for n in 0..3 {
            if row.src[n] != Ty::None {
                self.inst.src[n] = self.plain(bits(second, 9 * n as u32 + 8, 9 * n as u32))?;
                sources |= 1 << n;
            }
        }
        if row.src[3] == Ty::Mask {
            self.inst.src[3] = Operand::VccLo;
        }
        let mods = &mut self.inst.mods;
        mods.neg = byte(second, 29) & sources;
        mods.omod = bits(second, 28, 27) as u8;
        if row.is_vop3b() {
            self.inst.sdst = self.register(bits(word, 14, 8))?;
        } else {
            mods.abs = bits(word, 10, 8) as u8 & sources;
            mods.clamp = bit(word, 11);
        }
        Ok(())
    }

    fn vintrp(&mut self, word: u32, row: &Row) -> Result<(), ParseError> {
        let mut fields = Interp { attr: bits(word, 15, 10) as u8, chan: bits(word, 9, 8) as u8, parameter: 0 };
        self.inst.dst = Operand::Vgpr(byte(word, 18));
        match row.src[0] {
            Ty::None if byte(word, 0) > 2 => return Err(self.bad(u16::from(byte(word, 0)))),
            Ty::None => fields.parameter = byte(word, 0),
            _ => self.inst.src[0] = Operand::Vgpr(byte(word, 0)),
        }
        self.inst.fields = Fields::Interp(fields);
        Ok(())
    }

    fn ds(&mut self, word: u32, row: &Row) -> Result<(), ParseError> {
        let second = self.take()?;
        if row.dst[0] != Ty::None {
            self.inst.dst = Operand::Vgpr(byte(second, 24));
        }
        for n in 0..3 {
            if row.src[n] != Ty::None {
                self.inst.src[n] = Operand::Vgpr(byte(second, 8 * n as u32));
            }
        }
        self.inst.fields = Fields::Ds(Ds { offset0: byte(word, 0), offset1: byte(word, 8), gds: bit(word, 17) });
        Ok(())
    }

    fn buffer(&mut self, word: u32, row: &Row) -> Result<(), ParseError> {
        let second = self.take()?;
        let typed = row.encoding == Encoding::Mtbuf;
        let fields = Buffer {
            offset: bits(word, 11, 0) as u16,
            offen: bit(word, 12),
            idxen: bit(word, 13),
            addr64: bit(word, 15),
            glc: bit(word, 14),
            slc: bit(second, 22),
            lds: !typed && bit(word, 16),
            tfe: bit(second, 23),
            dfmt: if typed { bits(word, 22, 19) as u8 } else { 0 },
            nfmt: if typed { bits(word, 25, 23) as u8 } else { 0 },
        };
        self.inst.fields = Fields::Buffer(fields);
        if row.kind == Kind::Control {
            self.inst.fields = Fields::Buffer(Buffer::default());
            return Ok(());
        }
        if fields.addr64 || fields.idxen || fields.offen {
            self.inst.src[0] = Operand::Vgpr(byte(second, 0));
        }
        self.inst.src[1] = self.register(bits(second, 20, 16) * 4)?;
        self.inst.src[2] = self.plain(bits(second, 31, 24))?;
        let (dst, data) = row.kind.data(Operand::Vgpr(byte(second, 8)), fields.glc);
        (self.inst.dst, self.inst.src[3]) = if fields.lds { (data, dst) } else { (dst, data) };
        Ok(())
    }

    fn image(&mut self, word: u32, row: &Row) -> Result<(), ParseError> {
        let second = self.take()?;
        let fields = Image {
            dmask: bits(word, 11, 8) as u8,
            unorm: bit(word, 12),
            glc: bit(word, 13),
            slc: bit(word, 25),
            da: bit(word, 14),
            r128: bit(word, 15),
            tfe: bit(word, 16),
            lwe: bit(word, 17),
        };
        self.inst.fields = Fields::Image(fields);
        self.inst.src[0] = Operand::Vgpr(byte(second, 0));
        self.inst.src[1] = self.register(bits(second, 20, 16) * 4)?;
        if row.kind.has_sampler() {
            self.inst.src[2] = self.register(bits(second, 25, 21) * 4)?;
        }
        (self.inst.dst, self.inst.src[3]) = row.kind.data(Operand::Vgpr(byte(second, 8)), fields.glc);
        Ok(())
    }

    fn flat(&mut self, word: u32, row: &Row) -> Result<(), ParseError> {
        let second = self.take()?;
        let fields = Flat { glc: bit(word, 16), slc: bit(word, 17), tfe: bit(second, 23) };
        self.inst.fields = Fields::Flat(fields);
        let (dst, data) = row.kind.data(Operand::Vgpr(0), fields.glc);
        self.inst.src[0] = Operand::Vgpr(byte(second, 0));
        if data.is_some() {
            self.inst.src[1] = Operand::Vgpr(byte(second, 8));
        }
        if dst.is_some() {
            self.inst.dst = Operand::Vgpr(byte(second, 24));
        }
        Ok(())
    }

    fn export(&mut self, word: u32) -> Result<(), ParseError> {
        let second = self.take()?;
        let fields = Export {
            target: bits(word, 9, 4) as u8,
            en: bits(word, 3, 0) as u8,
            compr: bit(word, 10),
            done: bit(word, 11),
            vm: bit(word, 12),
        };
        self.inst.fields = Fields::Export(fields);
        for n in 0..4 {
            if fields.has_source(n) {
                self.inst.src[n] = Operand::Vgpr(byte(second, 8 * n as u32));
            }
        }
        Ok(())
    }
}

impl Inst {
    /// Decodes the instruction that starts with the first of `words`, which has index `at` in the code. Two words are
    /// enough for any.
    ///
    /// # Errors
    /// When there is no such instruction, an operand has a code without a meaning, or the words end within it.
    #[inline]
    pub fn decode(words: &[u32], at: u32) -> Result<Inst, ParseError> {
        let &word = words.first().ok_or(ParseError::Truncated { at })?;
        let unknown = ParseError::Unknown { at, word };
        let (enc, number) = encoding(word).ok_or(unknown.clone())?;
        let row = tables::row(enc, number as u16).ok_or(unknown)?;
        let inst = Inst { at, ..Inst::blank(row.op, enc) };
        let mut d = Decoder { words, inst };
        match enc {
            Encoding::Sop2 | Encoding::Sop1 => {
                if row.dst[0] != Ty::None {
                    d.inst.dst = d.register(bits(word, 22, 16))?;
                }
                d.scalar_sources(word, row)?;
            }
            Encoding::Sopc => d.scalar_sources(word, row)?,
            Encoding::Sopp => d.inst.simm = word as u16,
            Encoding::Sopk => d.sopk(word, row)?,
            Encoding::Smrd => d.smrd(word, row)?,
            Encoding::Vop1 => d.vop1(word, row)?,
            Encoding::Vop2 => d.vop2(word, row)?,
            Encoding::Vopc => {
                d.inst.dst = Operand::VccLo;
                d.inst.src[0] = d.source(bits(word, 8, 0))?;
                d.inst.src[1] = Operand::Vgpr(byte(word, 9));
            }
            Encoding::Vop3 => d.vop3(word, row)?,
            Encoding::Vintrp => d.vintrp(word, row)?,
            Encoding::Ds => d.ds(word, row)?,
            Encoding::Mubuf | Encoding::Mtbuf => d.buffer(word, row)?,
            Encoding::Mimg => d.image(word, row)?,
            Encoding::Flat => d.flat(word, row)?,
            Encoding::Exp => d.export(word)?,
        }
        Ok(d.inst)
    }
}
