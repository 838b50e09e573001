//! The gfx7 instruction set as one table: a row per instruction, from which the decoder, the disassembler, the assembler, the
//! resource finder and the lifter derive what they know.
//!
//! A row reads `Variant: Encoding number "mnemonic", destinations <- sources, [flags], Kind => "what it does";`. Types of
//! operands are [`Ty`]'s, flags those of [`flag`]. In the words about a row, `a`, `b`, `c` are the sources in order, `d` the
//! destination, `m` what memory had.
//!
//! Sources: `docs/sources/gcn.md#instructions` (opcode numbers from Mesa's `aco_opcodes.py`); AMD's "Sea Islands Series Instruction
//! Set Architecture"; operand sizes and the rows that Mesa lacks from LLVM's AMDGPU instruction definitions, as `llvm-mc
//! -mcpu=bonaire` assembles them; semantics from CLRX's `GcnInstr*.md`.

mod words;

pub use words::{Atomic, Compare, Condition, Encoding, Kind, SampleForm, TexelForm, Ty, flag};

use words::Atomic::*;
use words::Compare::*;
use words::Condition::*;
use words::Kind::*;
use words::{BIAS, CLAMP, COARSE, COMPARE, DERIVATIVES, LEVEL, LEVEL_ZERO, MIP, OFFSET, PACKED, SIGNED};

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The instruction.
    pub op: Op,
    /// Its own encoding; VOP1, VOP2 and VOPC have a VOP3 form besides.
    pub encoding: Encoding,
    /// Its number in that encoding.
    pub number: u16,
    /// AMD's mnemonic, without `_e32` and `_e64`.
    pub name: &'static str,
    /// Destinations: that of the `dst` field, and a mask.
    pub dst: [Ty; 2],
    /// Sources. Of MUBUF, MTBUF and MIMG the data; see [`Inst::src`](crate::inst::Inst::src) for the rest.
    pub src: [Ty; 4],
    /// [`flag`] bits.
    pub flags: u16,
    /// What sort of thing it does.
    pub kind: Kind,
    /// What it does.
    pub doc: &'static str,
}

const fn types<const N: usize>(given: &[Ty]) -> [Ty; N] {
    let mut out = [Ty::None; N];
    let mut i = 0;
    while i < given.len() {
        out[i] = given[i];
        i += 1;
    }
    out
}

macro_rules! ops {
    ($($variant:ident: $enc:ident $number:literal $name:literal, $($dst:ident)* <- $($src:ident)*, [$($flag:ident)*],
       $kind:expr => $doc:literal;)*) => {
        /// An instruction of the set, whichever of its encodings it has.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
        #[repr(u16)]
        pub enum Op { $(#[doc = concat!("```text\n", $name, ": ", $doc, "\n```")] $variant),* }

        /// The table, in the order of [`Op`].
        pub static ROWS: &[Row] = &[$(Row {
            op: Op::$variant,
            encoding: Encoding::$enc,
            number: $number,
            name: $name,
            dst: types(&[$(Ty::$dst),*]),
            src: types(&[$(Ty::$src),*]),
            flags: 0 $(| flag::$flag)*,
            kind: $kind,
            doc: $doc,
        }),*];
    };
}

/// Collects the rows of every file, then makes the table of them.
macro_rules! chain {
    ([] $($rows:tt)*) => { ops! { $($rows)* } };
    ([$first:ident $($rest:ident)*] $($rows:tt)*) => { $first! { [$($rest)*] $($rows)* } };
}

#[macro_use]
mod scalar;
#[macro_use]
mod vector;
#[macro_use]
mod compare;
#[macro_use]
mod share;
#[macro_use]
mod buffer;
#[macro_use]
mod image;

chain! { [scalar vector compare share buffer image] }

impl Op {
    /// The row.
    #[inline]
    pub fn row(self) -> &'static Row {
        &ROWS[self as usize]
    }

    /// AMD's mnemonic, without `_e32` and `_e64`.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// What sort of thing it does.
    #[inline]
    pub fn kind(self) -> Kind {
        self.row().kind
    }

    /// Whether the row has one of these [`flag`] bits.
    #[inline]
    pub fn has(self, flags: u16) -> bool {
        self.row().flags & flags != 0
    }
}

impl Row {
    /// Number in the VOP3 encoding, if the instruction has that form.
    pub const fn vop3_number(&self) -> Option<u16> {
        if self.flags & flag::SHORT_ONLY != 0 {
            return None;
        }
        match self.encoding {
            Encoding::Vop3 | Encoding::Vopc => Some(self.number),
            Encoding::Vop2 => Some(self.number + 256),
            Encoding::Vop1 => Some(self.number + 384),
            _ => None,
        }
    }

    /// Whether the VOP3 form is VOP3b: a mask destination takes the place of absolute values and clamp.
    pub const fn is_vop3b(&self) -> bool {
        matches!(self.dst[1], Ty::Mask)
    }
}

/// Numbers of an encoding: VOP3 has 9 bits, the others at most 8.
const NUMBERS: usize = 512;
const ENCODINGS: usize = 17;

/// Rows by encoding and number, 0 for none, else one more than the index.
static BY_NUMBER: [[u16; NUMBERS]; ENCODINGS] = {
    let mut out = [[0; NUMBERS]; ENCODINGS];
    let mut i = 0;
    while i < ROWS.len() {
        let row = &ROWS[i];
        assert!(row.op as usize == i);
        let slot = &mut out[row.encoding as usize][row.number as usize];
        assert!(*slot == 0, "two rows of one number");
        *slot = i as u16 + 1;
        if !matches!(row.encoding, Encoding::Vop3)
            && let Some(number) = row.vop3_number()
        {
            let slot = &mut out[Encoding::Vop3 as usize][number as usize];
            assert!(*slot == 0, "two rows of one VOP3 number");
            *slot = i as u16 + 1;
        }
        i += 1;
    }
    out
};

/// The row with this number in an encoding. VOP3 has the rows of VOP1, VOP2 and VOPC too, from 384, 256 and 0 on.
#[inline]
pub fn row(encoding: Encoding, number: u16) -> Option<&'static Row> {
    match BY_NUMBER[encoding as usize].get(number as usize)? {
        0 => None,
        index => ROWS.get(*index as usize - 1),
    }
}
