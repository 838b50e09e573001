//! Instructions as the decoder gives them: operands by name, fields by name, and what they read and write.

use crate::tables::{Atomic, Encoding, Kind, Op, Ty, flag};
use smallvec::SmallVec;

/// Scalar registers by number.
pub(crate) const SGPRS: u8 = 104;
/// Scalar code of `vcc_lo`.
pub(crate) const VCC: u8 = 106;
/// Scalar code of `m0`.
pub(crate) const M0: u8 = 124;
/// Scalar code of `exec_lo`.
pub(crate) const EXEC: u8 = 126;

/// An operand: a register (the first of several if it has more words), or a constant.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Operand {
    /// There is none.
    #[default]
    None,
    /// Scalar register 0 to 103.
    Sgpr(u8),
    /// Base of the flat scratch aperture, low half: its size.
    FlatScratchLo,
    /// High half: its offset.
    FlatScratchHi,
    /// The vector condition code, lanes 0 to 31.
    VccLo,
    /// Lanes 32 to 63.
    VccHi,
    /// Trap base address, low half.
    TbaLo,
    /// High half.
    TbaHi,
    /// Trap memory address, low half.
    TmaLo,
    /// High half.
    TmaHi,
    /// Trap temporary 0 to 11.
    Ttmp(u8),
    /// The memory register.
    M0,
    /// The execution mask, lanes 0 to 31.
    ExecLo,
    /// Lanes 32 to 63.
    ExecHi,
    /// An integer: inline (-16 to 64), or the immediate of a SOPK as its type extends it, or an SMRD's offset (0 to 255 words).
    Int(i32),
    /// An inline float, by the bits of its single: [`Operand::constant`] knows what it is in other types.
    Float(u32),
    /// The word behind the instruction.
    Literal(u32),
    /// 1 if vcc is 0, else 0.
    Vccz,
    /// 1 if exec is 0, else 0.
    Execz,
    /// scc, 0 or 1.
    Scc,
    /// The word in the data share that M0 names.
    LdsDirect,
    /// The wave that leaves its ordered section; of gfx9, and in code for gfx7 that Mesa's compiler writes.
    PopsExitingWaveId,
    /// Vector register.
    Vgpr(u8),
}

/// The inline floats: code 240 and so on.
pub(crate) const FLOATS: [f32; 8] = [0.5, -0.5, 1.0, -1.0, 2.0, -2.0, 4.0, -4.0];

impl Operand {
    /// The operand of a 9-bit source code; none for codes without a meaning, and for 255, whose word is elsewhere.
    #[inline]
    pub fn from_code(code: u16) -> Option<Operand> {
        Some(match code {
            256..=511 => Operand::Vgpr((code - 256) as u8),
            0..=127 => return Operand::from_scalar_code(code as u8),
            128..=192 => Operand::Int(i32::from(code) - 128),
            193..=208 => Operand::Int(192 - i32::from(code)),
            239 => Operand::PopsExitingWaveId,
            240..=247 => Operand::Float(FLOATS[usize::from(code - 240)].to_bits()),
            251 => Operand::Vccz,
            252 => Operand::Execz,
            253 => Operand::Scc,
            254 => Operand::LdsDirect,
            _ => return None,
        })
    }

    /// The scalar register of a code 0 to 127.
    #[inline]
    pub fn from_scalar_code(code: u8) -> Option<Operand> {
        Some(match code {
            0..=103 => Operand::Sgpr(code),
            104 => Operand::FlatScratchLo,
            105 => Operand::FlatScratchHi,
            106 => Operand::VccLo,
            107 => Operand::VccHi,
            108 => Operand::TbaLo,
            109 => Operand::TbaHi,
            110 => Operand::TmaLo,
            111 => Operand::TmaHi,
            112..=123 => Operand::Ttmp(code - 112),
            124 => Operand::M0,
            126 => Operand::ExecLo,
            127 => Operand::ExecHi,
            _ => return None,
        })
    }

    /// Code 0 to 127 of a scalar register: the index of a file of all of them, in which registers of several words are
    /// neighbours.
    #[inline]
    pub fn scalar_code(self) -> Option<u8> {
        Some(match self {
            Operand::Sgpr(n) => n,
            Operand::FlatScratchLo => 104,
            Operand::FlatScratchHi => 105,
            Operand::VccLo => 106,
            Operand::VccHi => 107,
            Operand::TbaLo => 108,
            Operand::TbaHi => 109,
            Operand::TmaLo => 110,
            Operand::TmaHi => 111,
            Operand::Ttmp(n) => 112 + n,
            Operand::M0 => 124,
            Operand::ExecLo => 126,
            Operand::ExecHi => 127,
            _ => return None,
        })
    }

    /// The 9-bit source code; 255 for a literal, and none for integers that are not inline.
    pub fn code(self) -> Option<u16> {
        Some(match self {
            Operand::Vgpr(n) => 256 + u16::from(n),
            Operand::Int(n @ 0..=64) => 128 + n as u16,
            Operand::Int(n @ -16..=-1) => (192 - n) as u16,
            Operand::Float(bits) => 240 + FLOATS.iter().position(|float| float.to_bits() == bits)? as u16,
            Operand::Literal(_) => 255,
            Operand::Vccz => 251,
            Operand::Execz => 252,
            Operand::Scc => 253,
            Operand::LdsDirect => 254,
            Operand::PopsExitingWaveId => 239,
            _ => return self.scalar_code().map(u16::from),
        })
    }

    /// Whether there is one.
    #[inline]
    pub fn is_some(self) -> bool {
        self != Operand::None
    }

    /// The vector register's number.
    #[inline]
    pub fn vgpr(self) -> Option<u8> {
        match self {
            Operand::Vgpr(n) => Some(n),
            _ => None,
        }
    }

    /// The register of word `n` of an operand that starts here; none beyond the file's end, and for constants.
    pub fn word(self, n: u8) -> Option<Operand> {
        match self {
            Operand::Vgpr(first) => first.checked_add(n).map(Operand::Vgpr),
            _ => self.scalar_code()?.checked_add(n).and_then(Operand::from_scalar_code),
        }
    }

    /// The value of a constant in a type, low word first in 64 bits; none for registers. Integers are extended with their
    /// sign, literals with it for [`Ty::I64`] only, inline floats have the type's own form; a literal is the high word of an
    /// [`Ty::F64`].
    pub fn constant(self, ty: Ty) -> Option<u64> {
        let wide = ty.dwords() == 2;
        Some(match self {
            Operand::Int(n) if wide => i64::from(n) as u64,
            Operand::Int(n) => u64::from(n as u32),
            Operand::Float(bits) if wide => f64::from(f32::from_bits(bits)).to_bits(),
            Operand::Float(bits) => u64::from(bits),
            Operand::Literal(word) if ty == Ty::F64 => u64::from(word) << 32,
            Operand::Literal(word) if ty == Ty::I64 => i64::from(word as i32) as u64,
            Operand::Literal(word) => u64::from(word),
            _ => return None,
        })
    }
}

/// What a VOP3 does to its operands. Of `abs` and `neg`, bit n is source n's; absolute values come before negation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Modifiers {
    /// Sources whose absolute value is read.
    pub abs: u8,
    /// Sources that are negated.
    pub neg: u8,
    /// The result is multiplied: 0 by one, 1 by two, 2 by four, 3 by a half.
    pub omod: u8,
    /// The result is clamped to 0..1, after the multiplication.
    pub clamp: bool,
}

/// Fields that only some encodings have. Registers among them are in [`Inst::dst`] and [`Inst::src`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Fields {
    /// None of these.
    #[default]
    None,
    /// DS.
    Ds(Ds),
    /// MUBUF and MTBUF.
    Buffer(Buffer),
    /// MIMG.
    Image(Image),
    /// FLAT.
    Flat(Flat),
    /// EXP.
    Export(Export),
    /// VINTRP.
    Interp(Interp),
}

/// Fields of DS. What the offsets mean is in the row's flags ([`flag::TWO_OFFSETS`]).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Ds {
    /// Bits 7:0.
    pub offset0: u8,
    /// Bits 15:8.
    pub offset1: u8,
    /// The global data share, not the group's.
    pub gds: bool,
}

impl Ds {
    /// Both as one offset in bytes, for instructions of one address.
    pub fn offset(self) -> u16 {
        u16::from_le_bytes([self.offset0, self.offset1])
    }
}

/// Fields of MUBUF and MTBUF.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Buffer {
    /// Bytes, 0 to 4095.
    pub offset: u16,
    /// A byte offset is in the address, behind the index if there is one.
    pub offen: bool,
    /// An index is in the address, first.
    pub idxen: bool,
    /// The address is 64 bits and takes the place of the descriptor's (MUBUF and MTBUF of gfx6 and gfx7).
    pub addr64: bool,
    /// Globally coherent; an atomic operation gives what memory had.
    pub glc: bool,
    /// Streaming.
    pub slc: bool,
    /// The data goes to the data share, at M0 (MUBUF).
    pub lds: bool,
    /// A word of residency follows the data.
    pub tfe: bool,
    /// Data format (MTBUF).
    pub dfmt: u8,
    /// Number format (MTBUF).
    pub nfmt: u8,
}

/// Fields of MIMG.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Image {
    /// Components that data has words for, x lowest.
    pub dmask: u8,
    /// Coordinates are in texels.
    pub unorm: bool,
    /// Globally coherent; an atomic operation gives what memory had.
    pub glc: bool,
    /// Streaming.
    pub slc: bool,
    /// The image is an array: a slice or face follows the coordinates.
    pub da: bool,
    /// The descriptor has four words.
    pub r128: bool,
    /// A word of residency follows the data.
    pub tfe: bool,
    /// Warns of an unmapped level.
    pub lwe: bool,
}

/// Fields of FLAT.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Flat {
    /// Globally coherent; an atomic operation gives what memory had.
    pub glc: bool,
    /// Streaming.
    pub slc: bool,
    /// A word of residency follows the data.
    pub tfe: bool,
}

/// Fields of EXP.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Export {
    /// 0 to 7 colour, 8 depth, 9 nothing, 12 to 15 position, 32 to 63 parameter.
    pub target: u8,
    /// Components that are written. Compressed: two bits for each source, of which the lower counts.
    pub en: u8,
    /// Two sources of two 16-bit components each.
    pub compr: bool,
    /// The last export of its sort.
    pub done: bool,
    /// exec says which pixels are alive.
    pub vm: bool,
}

impl Export {
    /// Whether source `n` is read: register n's component, or when compressed two components of registers 0 and 1.
    pub fn has_source(self, n: usize) -> bool {
        if self.compr { n < 2 && self.en >> (2 * n) & 3 != 0 } else { n < 4 && self.en >> n & 1 != 0 }
    }
}

/// Fields of VINTRP. [`Op::VInterpMovF32`] has no source but a parameter.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Interp {
    /// Attribute, 0 to 63.
    pub attr: u8,
    /// Component, 0 to 3.
    pub chan: u8,
    /// Which value is moved: 0 P10, 1 P20, 2 P0 (of [`Op::VInterpMovF32`] only).
    pub parameter: u8,
}

/// An instruction.
///
/// Operands are in `dst`, `sdst` and `src` whatever the encoding:
///
/// | encoding | `dst` | `sdst` | `src` |
/// |---|---|---|---|
/// | SOP, VOP, VINTRP | the destination: a mask for VOPC | carry or flag mask of VOP3b, and of VOP2 with carry: vcc | in the row's order; those that no field names (vcc of carry, select and `v_div_fmas`) too |
/// | SOPK | | | the destination if it is read, then the immediate as an integer |
/// | SMRD | data | | base (a pair or a V#), offset in words ([`Operand::Int`], [`Operand::Literal`]) or in bytes (a register) |
/// | DS | data | | address, data, data |
/// | MUBUF, MTBUF | loaded data, or what an atomic with `glc` gives | | address, V#, scalar offset, stored data (and the unused data field of a load to the data share) |
/// | MIMG | as MUBUF | | address, T#, S# (samples only), stored data |
/// | FLAT | as MUBUF | | address, stored data |
/// | EXP | | | a register per component, none where not enabled |
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Inst {
    /// Index of its first word in the code.
    pub at: u32,
    /// Words: 1 or 2.
    pub words: u8,
    /// What it is.
    pub op: Op,
    /// How it is written: the row's encoding, or VOP3.
    pub enc: Encoding,
    /// Destination.
    pub dst: Operand,
    /// Second destination: a mask.
    pub sdst: Operand,
    /// Sources.
    pub src: [Operand; 4],
    /// What VOP3 does to them.
    pub mods: Modifiers,
    /// The immediate of SOPK and SOPP as it is written.
    pub simm: u16,
    /// Fields of the memory, export and interpolation encodings.
    pub fields: Fields,
}

impl Kind {
    /// Where the data register of MUBUF, MTBUF, MIMG and FLAT goes: destination, source.
    pub(crate) fn data(self, register: Operand, glc: bool) -> (Operand, Operand) {
        match self {
            Kind::Control => (Operand::None, Operand::None),
            Kind::Store { .. } | Kind::StoreFormat { .. } | Kind::ImageStore(_) => (Operand::None, register),
            Kind::Atomic(_) if glc => (register, register),
            Kind::Atomic(_) => (Operand::None, register),
            _ => (register, Operand::None),
        }
    }
}

/// Registers next to each other.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Registers {
    /// The first, scalar or vector.
    pub first: Operand,
    /// How many.
    pub count: u8,
}

impl Inst {
    /// An instruction without operands, at the beginning of the code.
    pub(crate) fn blank(op: Op, enc: Encoding) -> Inst {
        Inst {
            at: 0,
            words: 1,
            op,
            enc,
            dst: Operand::None,
            sdst: Operand::None,
            src: [Operand::None; 4],
            mods: Modifiers::default(),
            simm: 0,
            fields: Fields::None,
        }
    }

    /// Index of the word behind it.
    #[inline]
    pub fn next(&self) -> u32 {
        self.at + u32::from(self.words)
    }

    /// What sort of thing it does.
    #[inline]
    pub fn kind(&self) -> Kind {
        self.op.kind()
    }

    /// Whether its row has one of these [`flag`] bits.
    #[inline]
    pub fn has(&self, flags: u16) -> bool {
        self.op.has(flags)
    }

    /// Whether it works for the lanes of exec: VOP, VINTRP, DS, MUBUF, MTBUF, MIMG, FLAT and EXP.
    pub fn is_vector(&self) -> bool {
        self.enc >= Encoding::Vop2
    }

    /// Word index that a relative branch goes to, which may lie outside of the code; none for other instructions.
    pub fn target(&self) -> Option<i64> {
        (matches!(self.kind(), Kind::Branch(_)) || self.op == Op::SCbranchIFork)
            .then(|| i64::from(self.next()) + i64::from(self.simm as i16))
    }

    /// Whether nothing behind it is reached through it.
    pub fn ends_block(&self) -> bool {
        matches!(self.kind(), Kind::End | Kind::Jump | Kind::Branch(crate::tables::Condition::Always))
    }

    /// DS fields.
    pub fn ds(&self) -> Option<Ds> {
        if let Fields::Ds(fields) = self.fields { Some(fields) } else { None }
    }

    /// Whether it accesses the group's data share: DS, save what exchanges values between lanes and the global share, loads into it, and
    /// the operand out of it.
    pub fn accesses_share(&self) -> bool {
        let shares = self.op != Op::DsSwizzleB32 && self.op != Op::DsNop && self.ds().is_some_and(|ds| !ds.gds);
        shares || self.loads_share() || self.src.contains(&Operand::LdsDirect)
    }

    /// Whether it only reads from there.
    pub fn reads_share(&self) -> bool {
        let loads = self.enc == Encoding::Ds && matches!(self.kind(), Kind::Load { .. });
        self.accesses_share() && !self.loads_share() && (loads || self.enc != Encoding::Ds)
    }

    /// Whether it loads from a buffer into it.
    pub fn loads_share(&self) -> bool {
        self.buffer().is_some_and(|buffer| buffer.lds)
    }

    /// Whether it accesses the global data share.
    pub fn accesses_global_share(&self) -> bool {
        matches!(self.kind(), Kind::Load { .. } | Kind::Store { .. } | Kind::Atomic(_) | Kind::Counter)
            && self.op != Op::DsOrderedCount
            && self.ds().is_some_and(|ds| ds.gds)
    }

    /// Whether it loads what others, beyond its compute unit, may just have stored: `glc`.
    pub fn loads_shared_memory(&self) -> bool {
        let glc = self.buffer().is_some_and(|fields| fields.glc) || self.flat().is_some_and(|fields| fields.glc);
        glc && matches!(self.kind(), Kind::Load { .. } | Kind::LoadFormat { .. })
    }

    /// Whether it names vector registers by M0.
    pub fn indexes_registers(&self) -> bool {
        matches!(self.op, Op::VMovreldB32 | Op::VMovrelsB32 | Op::VMovrelsdB32)
    }

    /// MUBUF and MTBUF fields.
    pub fn buffer(&self) -> Option<Buffer> {
        if let Fields::Buffer(fields) = self.fields { Some(fields) } else { None }
    }

    /// MIMG fields.
    pub fn image(&self) -> Option<Image> {
        if let Fields::Image(fields) = self.fields { Some(fields) } else { None }
    }

    /// Whether it accesses memory at addresses that lanes compute: FLAT, and MUBUF with `addr64`.
    pub fn is_by_address(&self) -> bool {
        match self.fields {
            Fields::Flat(_) => true,
            Fields::Buffer(fields) => fields.addr64 && !matches!(self.kind(), Kind::Control),
            _ => false,
        }
    }

    /// FLAT fields.
    pub fn flat(&self) -> Option<Flat> {
        if let Fields::Flat(fields) = self.fields { Some(fields) } else { None }
    }

    /// EXP fields.
    pub fn export(&self) -> Option<Export> {
        if let Fields::Export(fields) = self.fields { Some(fields) } else { None }
    }

    /// VINTRP fields.
    pub fn interp(&self) -> Option<Interp> {
        if let Fields::Interp(fields) = self.fields { Some(fields) } else { None }
    }

    /// First address register of MUBUF, MTBUF, MIMG, FLAT and DS, if there is one.
    pub fn vaddr(&self) -> Option<u8> {
        self.src[0].vgpr()
    }

    /// First data register of MUBUF, MTBUF and MIMG: what is loaded, or stored.
    pub fn vdata(&self) -> Option<u8> {
        self.src[3].vgpr().or(self.dst.vgpr())
    }

    /// V# or T# of MUBUF, MTBUF, MIMG: its first register.
    pub fn srsrc(&self) -> Operand {
        self.src[1]
    }

    /// Scalar byte offset of MUBUF, MTBUF: a register or an inline integer.
    pub fn soffset(&self) -> Operand {
        self.src[2]
    }

    /// S# of MIMG: its first register, or none.
    pub fn ssamp(&self) -> Operand {
        self.src[2]
    }

    /// Whether a MUBUF, MTBUF, MIMG, FLAT or DS atomic operation gives what memory had.
    pub fn returns(&self) -> bool {
        self.dst.is_some()
    }

    /// Type of the destination. That of an image's data is [`Ty::B32`]: [`Inst::dst_dwords`] has the count.
    #[inline]
    pub fn dst_ty(&self) -> Ty {
        if self.enc == Encoding::Mimg { Ty::B32 } else { self.op.row().dst[0] }
    }

    /// Type of a source. That of an image's data and address and of a buffer's address is [`Ty::B32`]: [`Inst::src_dwords`]
    /// has the count.
    pub fn src_ty(&self, n: usize) -> Ty {
        let types = &self.op.row().src;
        match (self.fields, n) {
            (Fields::Buffer(_), 1) => Ty::B128,
            (Fields::Buffer(_), 0 | 2) | (Fields::Image(_), 0 | 3) => Ty::B32,
            (Fields::Buffer(_), _) => types[0],
            (Fields::Image(image), 1) => {
                if image.r128 {
                    Ty::B128
                } else {
                    Ty::B256
                }
            }
            (Fields::Image(_), _) => Ty::B128,
            (Fields::Export(_), _) => Ty::B32,
            _ => types.get(n).copied().unwrap_or(Ty::None),
        }
    }

    /// Words of the destination, the residency word included; 0 without one.
    pub fn dst_dwords(&self) -> u8 {
        if self.dst == Operand::None {
            return 0;
        }
        match self.fields {
            Fields::Image(image) => {
                // The comparand does not come back.
                let compared = matches!(self.kind(), Kind::Atomic(Atomic::CmpSwap | Atomic::FcmpSwap));
                u8::from(image.tfe) + self.image_dwords(image).div_ceil(1 + u8::from(compared))
            }
            Fields::Buffer(Buffer { tfe, .. }) | Fields::Flat(Flat { tfe, .. }) => {
                u8::from(tfe) + self.dst_ty().dwords()
            }
            _ => self.dst_ty().dwords(),
        }
    }

    /// Words of data that an image instruction gives or takes.
    fn image_dwords(&self, image: Image) -> u8 {
        match self.kind() {
            Kind::Gather(_) => 4,
            _ => (image.dmask.count_ones() as u8).max(1),
        }
    }

    /// Words of a source; 0 without one. Of an image's address, the words in front of the coordinates and one coordinate: how
    /// many more there are is up to the descriptor ([`crate::tables::SampleForm::address_dwords`]).
    pub fn src_dwords(&self, n: usize) -> u8 {
        if self.src.get(n).is_none_or(|src| !src.is_some()) {
            return 0;
        }
        match (self.fields, n) {
            (Fields::Buffer(b), 0) => u8::from(b.addr64) * 2 + u8::from(b.idxen) + u8::from(b.offen),
            (Fields::Image(_), 0) => match self.kind() {
                Kind::Sample(form) | Kind::Gather(form) => form.address_dwords(1, 1),
                _ => 1,
            },
            (Fields::Image(image), 3) => self.image_dwords(image),
            _ => self.src_ty(n).dwords(),
        }
    }

    /// Registers that it reads by its fields: sources, and the destination where that is a source too. Constants are left
    /// out, and so are scc, M0, exec where only the flags say so.
    pub fn reads(&self) -> SmallVec<[Registers; 5]> {
        let mut out = SmallVec::new();
        let mut push = |first: Operand, count: u8| {
            if first.vgpr().is_some() || first.scalar_code().is_some() {
                out.push(Registers { first, count });
            }
        };
        for n in 0..self.src.len() {
            push(self.src[n], self.src_dwords(n));
        }
        if self.has(flag::READS_DST) {
            push(self.dst, self.dst_dwords());
        }
        out
    }

    /// Registers that it writes by its fields: destinations.
    #[inline]
    pub fn writes(&self) -> impl Iterator<Item = Registers> + use<> {
        let dst = Registers { first: self.dst, count: self.dst_dwords() };
        let sdst = Registers { first: self.sdst, count: 2 };
        [dst, sdst].into_iter().filter(|registers| registers.first.is_some())
    }
}
