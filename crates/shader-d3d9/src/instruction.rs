//! Decoded instructions: what [`crate::parse`] yields and [`crate::asm`] encodes.

use crate::tables::{
    Comparison, DST_CENTROID, DST_SATURATE, Opcode, RegisterType, SourceModifier, TextureDimension, Usage,
};
use std::fmt::Write as _;

/// A register, perhaps addressed relative to `a0` or `aL`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Register {
    /// Register file.
    pub ty: RegisterType,
    /// Number in the file; with relative addressing, the offset.
    pub number: u16,
    /// Relative addressing.
    pub relative: Option<Relative>,
}

impl Register {
    /// A register that is addressed directly.
    pub const fn new(ty: RegisterType, number: u16) -> Self {
        Self { ty, number, relative: None }
    }
}

/// The register that is added to a register number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relative {
    /// Component 0 to 3 of `a0`.
    Address(u8),
    /// `aL`.
    Loop,
}

/// Four 2-bit component numbers, the first component in the low bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Swizzle(pub u8);

impl Swizzle {
    /// `.xyzw`.
    pub const IDENTITY: Self = Self(0b11_10_01_00);

    /// The same component four times.
    pub const fn replicate(component: u8) -> Self {
        Self((component & 3) * 0b01_01_01_01)
    }

    /// Source component (0 to 3) of component `index` (0 to 3).
    pub const fn component(self, index: usize) -> usize {
        (self.0 >> (2 * (index & 3)) & 3) as usize
    }

    /// The component if all four are the same.
    pub fn replicated(self) -> Option<u8> {
        (self == Self::replicate(self.0)).then_some(self.0 & 3)
    }
}

/// A destination operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dst {
    /// The register.
    pub register: Register,
    /// Write mask, bit 0 is x.
    pub mask: u8,
    /// `D3DSPDM_*` bits in their place in the token (see [`crate::tables::RESULT_MODIFIERS`]).
    pub modifiers: u32,
    /// Result shift of ps_1_x as a power of two, -8 to 7.
    pub shift: i8,
}

/// Component names, in the order of write masks and swizzles.
pub(crate) const COMPONENTS: [char; 4] = ['x', 'y', 'z', 'w'];

/// A write mask with its point. No assembler writes an empty one, but tokens can hold it.
pub(crate) struct MaskText(pub(crate) u8);

impl std::fmt::Display for MaskText {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.0 == 0 { "._" } else { "." })?;
        (0..4).filter(|i| self.0 >> i & 1 != 0).try_for_each(|i| f.write_char(COMPONENTS[i]))
    }
}

impl Dst {
    /// The register with all components written and no modifier.
    pub const fn new(register: Register) -> Self {
        Self { register, mask: 0xF, modifiers: 0, shift: 0 }
    }

    /// `_sat`.
    pub const fn saturate(&self) -> bool {
        self.modifiers & DST_SATURATE != 0
    }

    /// `_centroid`.
    pub const fn centroid(&self) -> bool {
        self.modifiers & DST_CENTROID != 0
    }
}

/// A source operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Src {
    /// The register.
    pub register: Register,
    /// Component selection.
    pub swizzle: Swizzle,
    /// Modifier, applied after the swizzle.
    pub modifier: SourceModifier,
}

impl Src {
    /// The register as it is.
    pub const fn new(register: Register) -> Self {
        Self { register, swizzle: Swizzle::IDENTITY, modifier: SourceModifier::None }
    }
}

/// Most sources an instruction has (`texldd`).
pub const MAX_SOURCES: usize = 4;

/// The sources of an instruction, without an allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sources {
    list: [Src; MAX_SOURCES],
    count: u8,
}

impl Sources {
    /// No source.
    pub const NONE: Self = Self { list: [Src::new(Register::new(RegisterType::Temp, 0)); MAX_SOURCES], count: 0 };

    /// Adds a source. Every row of the opcode table has at most [`MAX_SOURCES`]; a further one is dropped.
    pub fn push(&mut self, src: Src) {
        if let Some(slot) = self.list.get_mut(usize::from(self.count)) {
            *slot = src;
            self.count += 1;
        }
    }
}

impl std::ops::Deref for Sources {
    type Target = [Src];
    fn deref(&self) -> &[Src] {
        &self.list[..usize::from(self.count)]
    }
}

/// What a `dcl` says of its register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Declaration {
    /// A semantic, with its index 0 to 15.
    Semantic(Usage, u8),
    /// The texture dimension of a sampler; `None` if the token leaves it open.
    Sampler(Option<TextureDimension>),
    /// Nothing: the inputs of ps_2_0, `vPos` and `vFace`.
    Plain,
}

/// What the control bits of an instruction token say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ControlBits {
    /// Nothing.
    None,
    /// The comparison of `ifc`, `breakc`, `setp`.
    Comparison(Comparison),
    /// `texldp`.
    Project,
    /// `texldb`.
    Bias,
}

/// One instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// Place of the instruction token, in 32-bit tokens from the version token.
    pub offset: u32,
    /// The opcode.
    pub op: Opcode,
    /// Control bits.
    pub control: ControlBits,
    /// Predicate source: `p0` with swizzle and perhaps `!`.
    pub predicate: Option<Src>,
    /// Issued together with the instruction before (ps_1_x).
    pub coissue: bool,
    /// Destination.
    pub dst: Option<Dst>,
    /// Sources in the order of the assembler.
    pub srcs: Sources,
    /// Declaration of `dcl`.
    pub declaration: Option<Declaration>,
    /// Raw words of `def`, `defi` (four) and `defb` (the first).
    pub immediate: [u32; 4],
}

impl Instruction {
    /// An instruction without operands.
    pub const fn new(op: Opcode) -> Self {
        Self {
            offset: 0,
            op,
            control: ControlBits::None,
            predicate: None,
            coissue: false,
            dst: None,
            srcs: Sources::NONE,
            declaration: None,
            immediate: [0; 4],
        }
    }

    /// Adds a destination.
    #[must_use]
    pub const fn dst(mut self, dst: Dst) -> Self {
        self.dst = Some(dst);
        self
    }

    /// Adds a source.
    #[must_use]
    pub fn src(mut self, src: Src) -> Self {
        self.srcs.push(src);
        self
    }
}
