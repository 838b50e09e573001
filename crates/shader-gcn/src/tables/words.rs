//! The words that rows are written in: encodings, types of operands, flags, and what sort of thing an instruction does.

/// The microcode formats: those of scalar instructions, then those that work for the lanes of exec.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
#[allow(missing_docs, reason = "the names are AMD's")]
pub enum Encoding {
    Sop2,
    Sopk,
    Sop1,
    Sopc,
    Sopp,
    Smrd,
    Vop2,
    Vop1,
    Vopc,
    Vop3,
    Vintrp,
    Ds,
    Mubuf,
    Mtbuf,
    Mimg,
    Exp,
    Flat,
}

/// What the first words of an encoding have in common.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Pattern {
    /// Bits that say that it is the encoding. Those of VOP2 and SOP2 are others' too, which come first.
    pub mask: u32,
    /// What those bits are.
    pub fixed: u32,
    /// Lowest bit of the opcode.
    pub low: u32,
    /// Bits of the opcode.
    pub width: u32,
}

impl Pattern {
    /// A first word without operands.
    pub(crate) const fn word(self, number: u16) -> u32 {
        self.fixed | (number as u32) << self.low
    }
}

impl Encoding {
    /// What its first words have in common.
    pub(crate) const fn pattern(self) -> Pattern {
        let (mask, fixed, low, width) = match self {
            Encoding::Sop2 => (0xC000_0000, 0x8000_0000, 23, 7),
            Encoding::Sopk => (0xF000_0000, 0xB000_0000, 23, 5),
            Encoding::Sop1 => (0xFF80_0000, 0xBE80_0000, 8, 8),
            Encoding::Sopc => (0xFF80_0000, 0xBF00_0000, 16, 7),
            Encoding::Sopp => (0xFF80_0000, 0xBF80_0000, 16, 7),
            Encoding::Smrd => (0xF800_0000, 0xC000_0000, 22, 5),
            Encoding::Vop2 => (0x8000_0000, 0x0000_0000, 25, 6),
            Encoding::Vop1 => (0xFE00_0000, 0x7E00_0000, 9, 8),
            Encoding::Vopc => (0xFE00_0000, 0x7C00_0000, 17, 8),
            Encoding::Vop3 => (0xFC00_0000, 0xD000_0000, 17, 9),
            Encoding::Vintrp => (0xFC00_0000, 0xC800_0000, 16, 2),
            Encoding::Ds => (0xFC00_0000, 0xD800_0000, 18, 8),
            Encoding::Mubuf => (0xFC00_0000, 0xE000_0000, 18, 7),
            Encoding::Mtbuf => (0xFC00_0000, 0xE800_0000, 16, 3),
            Encoding::Mimg => (0xFC00_0000, 0xF000_0000, 18, 7),
            Encoding::Exp => (0xFC00_0000, 0xF800_0000, 26, 0),
            Encoding::Flat => (0xFC00_0000, 0xDC00_0000, 18, 7),
        };
        Pattern { mask, fixed, low, width }
    }
}

/// Type of an operand: how many words it has, and how they are read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Ty {
    /// No operand.
    None,
    /// A word of any meaning.
    B32,
    /// A signed integer.
    I32,
    /// An unsigned integer.
    U32,
    /// A float; VOP3 may take its absolute value and negate it.
    F32,
    /// A half in the low 16 bits; VOP3 may take its absolute value and negate it.
    F16,
    /// The signed 16-bit immediate of a SOPK, as an [`Int`](crate::inst::Operand::Int).
    Simm16,
    /// The unsigned 16-bit immediate of a SOPK, as an [`Int`](crate::inst::Operand::Int).
    Uimm16,
    /// A pair of scalar registers with a bit for each lane: carries, conditions.
    Mask,
    /// Two words of any meaning, masks included.
    B64,
    /// A signed integer in two words.
    I64,
    /// An unsigned integer in two words.
    U64,
    /// A double; VOP3 may take its absolute value and negate it.
    F64,
    /// Three words.
    B96,
    /// Four words.
    B128,
    /// Eight words.
    B256,
    /// Sixteen words.
    B512,
}

impl Ty {
    /// Registers that it takes; 0 for [`Ty::None`].
    pub const fn dwords(self) -> u8 {
        match self {
            Ty::None => 0,
            Ty::B32 | Ty::I32 | Ty::U32 | Ty::F32 | Ty::F16 | Ty::Simm16 | Ty::Uimm16 => 1,
            Ty::Mask | Ty::B64 | Ty::I64 | Ty::U64 | Ty::F64 => 2,
            Ty::B96 => 3,
            Ty::B128 => 4,
            Ty::B256 => 8,
            Ty::B512 => 16,
        }
    }

    /// Whether it is a float of any size.
    pub const fn is_float(self) -> bool {
        matches!(self, Ty::F16 | Ty::F32 | Ty::F64)
    }
}

/// What a row says beside its operands: bits of [`Row::flags`](super::Row::flags).
pub mod flag {
    /// scc is a source.
    pub const READS_SCC: u16 = 1;
    /// scc is a result.
    pub const WRITES_SCC: u16 = 1 << 1;
    /// vcc is a source that no field names.
    pub const READS_VCC: u16 = 1 << 2;
    /// exec is a source, beyond that vector instructions work for its lanes.
    pub const READS_EXEC: u16 = 1 << 3;
    /// exec is a result.
    pub const WRITES_EXEC: u16 = 1 << 4;
    /// M0 is a source that no field names. (The data share reads its limit from there.)
    pub const READS_M0: u16 = 1 << 5;
    /// The destination is a source too.
    pub const READS_DST: u16 = 1 << 6;
    /// A vector instruction whose destination is a scalar register.
    pub const SCALAR_DST: u16 = 1 << 7;
    /// A vector instruction that works whatever exec is.
    pub const IGNORES_EXEC: u16 = 1 << 8;
    /// It has no VOP3 form.
    pub const SHORT_ONLY: u16 = 1 << 9;
    /// An access of the data share that gives what memory had.
    pub const RETURNS: u16 = 1 << 10;
    /// The data share's two offsets count elements and name two places; otherwise they are one of 16 bits, in bytes.
    pub const TWO_OFFSETS: u16 = 1 << 11;
    /// The two offsets count 64 elements.
    pub const STRIDE64: u16 = 1 << 12;
    /// The second operand is read from the data share, at the address plus the signed words in `offset1` (bits 6:0 and sign 7).
    pub const SECOND_SOURCE: u16 = 1 << 13;
    /// The second source of a VOP2 is a scalar register or constant.
    pub const SCALAR_SRC1: u16 = 1 << 14;
}

/// Comparisons, of scalars and of lanes. Those of integers have no NaN to think of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the names are AMD's")]
pub enum Compare {
    /// Never.
    False,
    Lt,
    Eq,
    Le,
    Gt,
    /// Less or greater: of integers, not equal.
    Lg,
    Ge,
    /// Neither is NaN.
    Ordered,
    /// Either is NaN.
    Unordered,
    Nge,
    Nlg,
    Ngt,
    Nle,
    Neq,
    Nlt,
    /// Always.
    True,
}

/// When a branch is taken.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the names are AMD's")]
pub enum Condition {
    Always,
    Scc0,
    Scc1,
    Vccz,
    Vccnz,
    Execz,
    Execnz,
    /// A bit of the debugger, never set.
    Debug,
}

/// What an atomic operation puts into memory; the rows have the formulas.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the names are AMD's")]
pub enum Atomic {
    Swap,
    /// The data share's data are the comparand and then the value, other memory's the value and then the comparand.
    CmpSwap,
    Add,
    Sub,
    /// Data minus memory.
    Rsub,
    Smin,
    Umin,
    Smax,
    Umax,
    And,
    Or,
    Xor,
    /// Up to the data, then 0.
    Inc,
    /// Down to 0, then the data.
    Dec,
    /// As [`Atomic::CmpSwap`], comparing floats.
    FcmpSwap,
    Fmin,
    Fmax,
    /// Bits of the first data cleared, those of the second set.
    Mskor,
    /// Subtracts the first data, or adds the second where that would be below 0.
    Wrap,
    /// Words whose top bit is set in the data.
    CondSwap,
}

/// Form of an image load or store: bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TexelForm(pub(super) u8);

pub(super) const MIP: u8 = 1;
pub(super) const PACKED: u8 = 2;
pub(super) const SIGNED: u8 = 4;

impl TexelForm {
    /// The level follows the coordinates.
    pub const fn mip(self) -> bool {
        self.0 & MIP != 0
    }

    /// The texel's bits, without conversion.
    pub const fn packed(self) -> bool {
        self.0 & PACKED != 0
    }

    /// Packed, and with the sign.
    pub const fn signed(self) -> bool {
        self.0 & SIGNED != 0
    }
}

/// Form of a sample or gather: which words the address has. They come in the order of the methods here, the coordinates (with
/// the slice or face last) before [`SampleForm::level`] and [`SampleForm::clamp`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SampleForm(pub(super) u8);

pub(super) const OFFSET: u8 = 1;
pub(super) const BIAS: u8 = 2;
pub(super) const COMPARE: u8 = 4;
pub(super) const DERIVATIVES: u8 = 8;
pub(super) const COARSE: u8 = 16;
pub(super) const LEVEL: u8 = 32;
pub(super) const LEVEL_ZERO: u8 = 64;
pub(super) const CLAMP: u8 = 128;

impl SampleForm {
    /// A word of texel offsets: six bits each for x, y, z, in bits 5:0, 13:8, 21:16.
    pub const fn offset(self) -> bool {
        self.0 & OFFSET != 0
    }

    /// A bias of the level.
    pub const fn bias(self) -> bool {
        self.0 & BIAS != 0
    }

    /// A reference value that depth is compared with.
    pub const fn compare(self) -> bool {
        self.0 & COMPARE != 0
    }

    /// Derivatives: for each dimension by x, then for each by y.
    pub const fn derivatives(self) -> bool {
        self.0 & DERIVATIVES != 0
    }

    /// The derivatives are for the quad.
    pub const fn coarse(self) -> bool {
        self.0 & COARSE != 0
    }

    /// A level, after the coordinates.
    pub const fn level(self) -> bool {
        self.0 & LEVEL != 0
    }

    /// Level 0, without a word for it.
    pub const fn level_zero(self) -> bool {
        self.0 & LEVEL_ZERO != 0
    }

    /// A least level, after the coordinates.
    pub const fn clamp(self) -> bool {
        self.0 & CLAMP != 0
    }

    /// Words of the address for an image of so many dimensions that are derived (1 to 3) and so many coordinates (slice and
    /// face included).
    pub const fn address_dwords(self, dimensions: u8, coordinates: u8) -> u8 {
        (self.0 & (OFFSET | BIAS | COMPARE | LEVEL | CLAMP)).count_ones() as u8
            + if self.derivatives() { 2 * dimensions } else { 0 }
            + coordinates
    }
}

/// What sort of thing an instruction does, for those who treat sorts alike.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// Destinations from sources; the opcode says how.
    Alu,
    /// Comparison: into scc, or into a mask by lane.
    Compare(Compare),
    /// Test of a float's class, into a mask.
    Class,
    /// Jump to [`Inst::target`](crate::inst::Inst::target) on a condition.
    Branch(Condition),
    /// Jump to an address in registers.
    Jump,
    /// Call of an address in registers.
    Call,
    /// Branches with a stack of exec masks.
    Fork,
    /// End of the program.
    End,
    /// Waits, messages, caches: nothing that a register gets.
    Control,
    /// Reads whole words by a scalar address.
    ScalarLoad {
        /// Through a V#, with its limit.
        buffer: bool,
    },
    /// Reads memory for each lane: this many bytes per element, widened to a word if fewer.
    Load {
        /// 1, 2, 4, 8, 12 or 16.
        bytes: u8,
        /// Widened with the sign.
        signed: bool,
    },
    /// Writes memory for each lane: so many low bytes per element.
    Store {
        /// 1, 2, 4, 8, 12 or 16.
        bytes: u8,
    },
    /// Reads components in the format of the descriptor (MUBUF) or instruction (MTBUF).
    LoadFormat {
        /// 1 to 4.
        components: u8,
    },
    /// Writes components in the format of the descriptor (MUBUF) or instruction (MTBUF).
    StoreFormat {
        /// 1 to 4.
        components: u8,
    },
    /// Atomic operation on memory, the data share or an image.
    Atomic(Atomic),
    /// A counter of the data share for the whole wave.
    Counter,
    /// Global wave sync.
    Gws,
    /// Reads a texel.
    ImageLoad(TexelForm),
    /// Writes a texel.
    ImageStore(TexelForm),
    /// Filtered sample.
    Sample(SampleForm),
    /// One component, the lowest of `dmask`, of four texels.
    Gather(SampleForm),
    /// Size of a level.
    ImageSize,
    /// Level that would be sampled.
    ImageLod,
    /// Attribute of a pixel.
    Interpolate,
    /// Export.
    Export,
}

impl Kind {
    /// Whether an image instruction has an S#.
    pub const fn has_sampler(self) -> bool {
        matches!(self, Kind::Sample(_) | Kind::Gather(_) | Kind::ImageLod)
    }
}
