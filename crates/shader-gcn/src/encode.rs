//! An instruction to its words: the inverse of `decode`. Fields that mean nothing are zero.

use crate::inst::{Fields, Inst, Operand};
use crate::tables::{Encoding, Kind, Op, Row, Ty, flag};
use smallvec::{SmallVec, smallvec};

/// Why an instruction has no words.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum EncodeError {
    /// The instruction has no such encoding.
    #[error("{} has no {enc:?} encoding", op.name())]
    Encoding {
        /// The instruction.
        op: Op,
        /// The encoding asked for.
        enc: Encoding,
    },
    /// An operand does not fit its field.
    #[error("{} cannot have {operand} here", op.name())]
    Operand {
        /// The instruction.
        op: Op,
        /// The operand.
        operand: Operand,
    },
    /// An operand is not there.
    #[error("{} lacks an operand", op.name())]
    Missing {
        /// The instruction.
        op: Op,
    },
    /// There is place for one literal.
    #[error("{} has two literals that differ", op.name())]
    Literals {
        /// The instruction.
        op: Op,
    },
}

struct Encoder<'a> {
    inst: &'a Inst,
    row: &'static Row,
    /// The first word without operands.
    first: u32,
    literal: Option<u32>,
}

impl Encoder<'_> {
    /// Whether every operand that the instruction has is there. What is not would be encoded as register 0.
    fn is_complete(&self) -> bool {
        let (inst, row) = (self.inst, self.row);
        let [address, resource, third, stored] = inst.src.map(Operand::is_some);
        let data = stored || inst.dst.is_some();
        match inst.fields {
            _ if row.kind == Kind::Control => true,
            Fields::Buffer(f) => address == (f.idxen || f.offen || f.addr64) && resource && third && data,
            Fields::Image(_) => address && resource && third == row.kind.has_sampler() && data,
            Fields::Flat(_) => address && (resource || inst.dst.is_some()),
            Fields::Export(f) => (0..4).all(|n| inst.src[n].is_some() == f.has_source(n)),
            _ => {
                let is_there = |(ty, operand): (&Ty, &Operand)| (*ty != Ty::None) == operand.is_some();
                row.dst.iter().zip(&[inst.dst, inst.sdst]).all(is_there) && row.src.iter().zip(&inst.src).all(is_there)
            }
        }
    }

    fn bad<T>(&self, operand: Operand) -> Result<T, EncodeError> {
        Err(EncodeError::Operand { op: self.inst.op, operand })
    }

    /// A scalar register, seven bits; 0 where there is none.
    fn register(&self, operand: Operand) -> Result<u32, EncodeError> {
        match operand.scalar_code() {
            Some(code) => Ok(u32::from(code)),
            None if operand == Operand::None => Ok(0),
            None => self.bad(operand),
        }
    }

    /// A scalar register whose number is a multiple of `step`, by its quotient.
    fn aligned(&self, operand: Operand, step: u32) -> Result<u32, EncodeError> {
        match self.register(operand)? {
            code if code % step == 0 => Ok(code / step),
            _ => self.bad(operand),
        }
    }

    fn vgpr(&self, operand: Operand) -> Result<u32, EncodeError> {
        match operand {
            Operand::Vgpr(n) => Ok(u32::from(n)),
            Operand::None => Ok(0),
            _ => self.bad(operand),
        }
    }

    /// A source without a literal, nine bits.
    fn plain(&self, operand: Operand) -> Result<u32, EncodeError> {
        match operand.code() {
            Some(code) if !matches!(operand, Operand::Literal(_)) => Ok(u32::from(code)),
            None if operand == Operand::None => Ok(0),
            _ => self.bad(operand),
        }
    }

    /// A source that may be a literal.
    fn source(&mut self, operand: Operand) -> Result<u32, EncodeError> {
        let Operand::Literal(word) = operand else { return self.plain(operand) };
        match self.literal.replace(word) {
            Some(other) if other != word => Err(EncodeError::Literals { op: self.inst.op }),
            _ => Ok(255),
        }
    }

    /// A source in eight bits, which has no vector register.
    fn scalar(&mut self, operand: Operand) -> Result<u32, EncodeError> {
        match self.source(operand)? {
            code @ 0..=255 => Ok(code),
            _ => self.bad(operand),
        }
    }

    fn vector_dst(&self) -> Result<u32, EncodeError> {
        if self.row.flags & flag::SCALAR_DST != 0 || self.row.encoding == Encoding::Vopc {
            self.register(self.inst.dst)
        } else {
            self.vgpr(self.inst.dst)
        }
    }

    /// A mask that the encoding has no field for.
    fn vcc(&self, operand: Operand, ty: Ty) -> Result<(), EncodeError> {
        match ty {
            Ty::Mask if operand != Operand::VccLo => self.bad(operand),
            _ => Ok(()),
        }
    }

    fn sopk(&mut self) -> Result<u32, EncodeError> {
        let (inst, row) = (self.inst, self.row);
        let mut register = inst.dst;
        for (&operand, ty) in inst.src.iter().zip(row.src) {
            match ty {
                Ty::None | Ty::Simm16 | Ty::Uimm16 => {}
                _ if inst.op == Op::SSetregImm32B32 => match operand {
                    Operand::Literal(word) => self.literal = Some(word),
                    _ => return self.bad(operand),
                },
                _ if register == Operand::None || register == operand => register = operand,
                _ => return self.bad(operand),
            }
        }
        Ok(self.first | self.register(register)? << 16 | u32::from(inst.simm))
    }

    fn smrd(&mut self) -> Result<u32, EncodeError> {
        let [base, offset, ..] = self.inst.src;
        let offset = match offset {
            Operand::Int(offset @ 0..=255) => 1 << 8 | offset as u32,
            Operand::Literal(word) => {
                self.literal = Some(word);
                255
            }
            offset => self.register(offset)?,
        };
        // Without a base the offset means nothing.
        let offset = if base.is_some() { offset } else { 0 };
        let dst = self.register(self.inst.dst)?;
        Ok(self.first | dst << 15 | self.aligned(base, 2)? << 9 | offset)
    }

    fn vop2(&mut self) -> Result<u32, EncodeError> {
        let (inst, row) = (self.inst, self.row);
        let [first, mut second, third, _] = inst.src;
        self.vcc(inst.sdst, row.dst[1])?;
        self.vcc(third, row.src[2])?;
        let literal = match inst.op {
            Op::VMadmkF32 => {
                let literal = second;
                second = third;
                literal
            }
            Op::VMadakF32 => third,
            _ => Operand::None,
        };
        match literal {
            Operand::None => {}
            Operand::Literal(_) => _ = self.source(literal)?,
            _ => return self.bad(literal),
        }
        let second = if row.flags & flag::SCALAR_SRC1 != 0 {
            match self.plain(second)? {
                code @ 0..=255 => code,
                _ => return self.bad(second),
            }
        } else {
            self.vgpr(second)?
        };
        Ok(self.first | self.vector_dst()? << 17 | second << 9 | self.source(first)?)
    }

    fn vop3(&self) -> Result<[u32; 2], EncodeError> {
        let inst = self.inst;
        self.vcc(inst.src[3], self.row.src[3])?;
        let mut word = self.first | self.vector_dst()?;
        word |= if self.row.is_vop3b() {
            self.register(inst.sdst)? << 8
        } else {
            u32::from(inst.mods.abs & 7) << 8 | u32::from(inst.mods.clamp) << 11
        };
        let mut second = u32::from(inst.mods.omod & 3) << 27 | u32::from(inst.mods.neg & 7) << 29;
        for (n, &operand) in inst.src.iter().take(3).enumerate() {
            second |= self.plain(operand)? << (9 * n);
        }
        Ok([word, second])
    }

    /// The second word of an instruction of vector registers: two to four of them, lowest first.
    fn registers(&self, operands: [Operand; 4]) -> Result<u32, EncodeError> {
        let mut word = 0;
        for (n, operand) in operands.into_iter().enumerate() {
            word |= self.vgpr(operand)? << (8 * n);
        }
        Ok(word)
    }

    /// The two words of the memory, export and interpolation encodings.
    fn memory(&self) -> Result<SmallVec<[u32; 2]>, EncodeError> {
        let inst = self.inst;
        let [a, b, c, d] = inst.src;
        let data = if d.is_some() { d } else { inst.dst };
        Ok(match inst.fields {
            Fields::Interp(f) => {
                let source = if a.is_some() { self.vgpr(a)? } else { u32::from(f.parameter) };
                let attribute = u32::from(f.attr & 63) << 10 | u32::from(f.chan & 3) << 8;
                smallvec![self.first | self.vgpr(inst.dst)? << 18 | attribute | source]
            }
            Fields::Ds(f) => smallvec![
                self.first | u32::from(f.gds) << 17 | u32::from(f.offset()),
                self.registers([a, b, c, inst.dst])?,
            ],
            Fields::Buffer(f) => {
                let flags = u32::from(f.offen) << 12
                    | u32::from(f.idxen) << 13
                    | u32::from(f.glc) << 14
                    | u32::from(f.addr64) << 15
                    | u32::from(f.offset & 0xFFF);
                let format = if inst.enc == Encoding::Mubuf {
                    u32::from(f.lds) << 16
                } else {
                    u32::from(f.nfmt & 7) << 23 | u32::from(f.dfmt & 15) << 19
                };
                let soffset = match self.plain(c)? {
                    code @ 0..=255 => code,
                    _ => return self.bad(c),
                };
                let second = soffset << 24
                    | u32::from(f.tfe) << 23
                    | u32::from(f.slc) << 22
                    | self.aligned(b, 4)? << 16
                    | self.registers([a, data, Operand::None, Operand::None])?;
                smallvec![self.first | format | flags, second]
            }
            Fields::Image(f) => {
                let flags = u32::from(f.dmask & 15) << 8
                    | u32::from(f.unorm) << 12
                    | u32::from(f.glc) << 13
                    | u32::from(f.da) << 14
                    | u32::from(f.r128) << 15
                    | u32::from(f.tfe) << 16
                    | u32::from(f.lwe) << 17
                    | u32::from(f.slc) << 25;
                let second = self.aligned(c, 4)? << 21
                    | self.aligned(b, 4)? << 16
                    | self.registers([a, data, Operand::None, Operand::None])?;
                smallvec![self.first | flags, second]
            }
            Fields::Flat(f) => smallvec![
                self.first | u32::from(f.slc) << 17 | u32::from(f.glc) << 16,
                self.registers([a, b, Operand::None, inst.dst])? | u32::from(f.tfe) << 23,
            ],
            Fields::Export(f) => {
                let flags = u32::from(f.compr) << 10 | u32::from(f.done) << 11 | u32::from(f.vm) << 12;
                smallvec![
                    self.first | flags | u32::from(f.target & 63) << 4 | u32::from(f.en & 15),
                    self.registers(inst.src)?,
                ]
            }
            Fields::None => return Err(EncodeError::Encoding { op: inst.op, enc: inst.enc }),
        })
    }
}

impl Inst {
    /// The instruction as words, whatever `at` and `words` say.
    ///
    /// # Errors
    /// When an operand has no place in the encoding.
    pub fn encode(&self) -> Result<SmallVec<[u32; 2]>, EncodeError> {
        let row = self.op.row();
        let number = match self.enc {
            Encoding::Vop3 => row.vop3_number(),
            enc => Some(row.number).filter(|_| enc == row.encoding),
        };
        let number = number.ok_or(EncodeError::Encoding { op: self.op, enc: self.enc })?;
        let mut e = Encoder { inst: self, row, first: self.enc.pattern().word(number), literal: None };
        if !e.is_complete() {
            return Err(EncodeError::Missing { op: self.op });
        }
        let [a, b, ..] = self.src;
        let word = match self.enc {
            Encoding::Sop2 => {
                let sources = e.scalar(b)? << 8 | e.scalar(a)?;
                e.first | e.register(self.dst)? << 16 | sources
            }
            Encoding::Sop1 => e.first | e.register(self.dst)? << 16 | e.scalar(a)?,
            Encoding::Sopc => e.first | e.scalar(b)? << 8 | e.scalar(a)?,
            Encoding::Sopp => e.first | u32::from(self.simm),
            Encoding::Sopk => e.sopk()?,
            Encoding::Smrd => e.smrd()?,
            Encoding::Vop1 => e.first | e.vector_dst()? << 17 | e.source(a)?,
            Encoding::Vop2 => e.vop2()?,
            Encoding::Vop3 => return e.vop3().map(|words| words.into_iter().collect()),
            Encoding::Vopc => {
                e.vcc(self.dst, Ty::Mask)?;
                e.first | e.vgpr(b)? << 9 | e.source(a)?
            }
            _ => return e.memory(),
        };
        let mut words: SmallVec<[u32; 2]> = smallvec![word];
        words.extend(e.literal);
        Ok(words)
    }
}
