//! Instructions, and back to words.

pub use afterimage_ir::Mask;

use crate::tables::{self, Ilu, Mac, Output, Slot, Words};

/// What a source reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Register {
    /// `R0` to `R11`; `R12` is the position.
    Temp(u8),
    /// `v0` to `v15`.
    Input(u8),
    /// Slot of constant memory; below 192 unless the instruction addresses it relative to `A0.x`.
    Constant(u8),
}

/// A source operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    /// The register.
    pub register: Register,
    /// Component, 0 to 3, that each of x, y, z, w reads.
    pub swizzle: [u8; 4],
    /// The signs are turned over, after the swizzle.
    pub negate: bool,
}

impl Source {
    /// A register as it is.
    pub const fn new(register: Register) -> Self {
        Self { register, swizzle: [0, 1, 2, 3], negate: false }
    }
}

/// What takes a result, besides a temporary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// An output register.
    Output(Output),
    /// Slot of constant memory, 0 to 191.
    Constant(u8),
}

/// One of the two units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Multiply and accumulate.
    Mac,
    /// Inverse logic.
    Ilu,
}

/// A write besides that of a temporary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Write {
    /// What is written.
    pub target: Target,
    /// Components, at least one.
    pub mask: Mask,
    /// Whose result.
    pub unit: Unit,
}

/// An instruction: up to two opcodes, which read all their sources before either writes. Only what has an effect is kept, so
/// that instructions which do the same are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// Opcode of the MAC.
    pub mac: Mac,
    /// Opcode of the ILU.
    pub ilu: Ilu,
    /// The sources A, B, C; `None` where no opcode reads it.
    pub sources: [Option<Source>; 3],
    /// The temporary that the MAC writes, if it does.
    pub mac_temp: Option<(u8, Mask)>,
    /// The temporary that the ILU writes, if it does: `R1` beside a MAC opcode.
    pub ilu_temp: Option<(u8, Mask)>,
    /// What else is written.
    pub write: Option<Write>,
    /// Constants are read at their index plus `A0.x`.
    pub relative: bool,
}

impl Default for Instruction {
    /// Nothing.
    fn default() -> Self {
        Self {
            mac: Mac::Nop,
            ilu: Ilu::Nop,
            sources: [None; 3],
            mac_temp: None,
            ilu_temp: None,
            write: None,
            relative: false,
        }
    }
}

impl Instruction {
    /// A source that an opcode reads.
    pub fn source(&self, slot: Slot) -> Option<&Source> {
        self.sources[slot as usize].as_ref()
    }

    /// Registers that are read.
    pub fn reads(&self) -> impl Iterator<Item = Register> + '_ {
        self.sources.iter().flatten().map(|source| source.register)
    }

    /// Whether both units work: then the ILU's temporary is `R1`.
    pub fn is_paired(&self) -> bool {
        self.mac != Mac::Nop && self.ilu != Ilu::Nop
    }

    /// The instruction as words; fields without effect are zero. `last` is the final bit.
    pub fn encode(&self, last: bool) -> Words {
        use tables::*;
        let mut words = [0; 4];
        let w = &mut words;
        ILU.set(w, self.ilu as u8);
        MAC.set(w, self.mac as u8);
        let fields =
            [(A_NEGATE, A_SWIZZLE, A_SOURCE), (B_NEGATE, B_SWIZZLE, B_SOURCE), (C_NEGATE, C_SWIZZLE, C_SOURCE)];
        let (mut constant, mut input) = (None, None);
        for (index, (negate, swizzle, kind)) in fields.into_iter().enumerate() {
            let Some(source) = &self.sources[index] else { continue };
            negate.set(w, source.negate.into());
            swizzle.set(w, source.swizzle.iter().fold(0, |bits, lane| bits << 2 | (lane & 3)));
            match source.register {
                Register::Temp(number) => {
                    kind.set(w, SOURCE_TEMP);
                    match index {
                        0 => A_TEMP.set(w, number),
                        1 => B_TEMP.set(w, number),
                        _ => {
                            C_TEMP_HIGH.set(w, number >> 2);
                            C_TEMP_LOW.set(w, number);
                        }
                    }
                }
                Register::Input(number) => {
                    kind.set(w, SOURCE_INPUT);
                    input = Some(number);
                }
                Register::Constant(number) => {
                    kind.set(w, SOURCE_CONSTANT);
                    constant = Some(number);
                }
            }
        }
        CONSTANT.set(w, constant.unwrap_or_default());
        INPUT.set(w, input.unwrap_or_default());
        if let Some((temp, mask)) = self.mac_temp {
            TEMP.set(w, temp);
            MAC_MASK.set(w, reversed(mask.0));
        }
        if let Some((temp, mask)) = self.ilu_temp {
            // Beside a MAC opcode it is `R1` whatever the field says, which is the MAC's.
            if !self.is_paired() {
                TEMP.set(w, temp);
            } else if self.mac_temp.is_none() {
                TEMP.set(w, TEMP_PAIRED);
            }
            ILU_MASK.set(w, reversed(mask.0));
        }
        match self.write {
            Some(Write { target, mask, unit }) => {
                OUTPUT_MASK.set(w, reversed(mask.0));
                OUTPUT_UNIT.set(w, u8::from(unit == Unit::Ilu));
                match target {
                    Target::Output(output) => {
                        OUTPUT_BANK.set(w, 1);
                        OUTPUT_ADDRESS.set(w, output as u8);
                    }
                    Target::Constant(slot) => OUTPUT_ADDRESS.set(w, slot),
                }
            }
            // What assemblers leave where nothing is written.
            None => {
                OUTPUT_BANK.set(w, 1);
                OUTPUT_ADDRESS.set(w, 0xFF);
            }
        }
        RELATIVE.set(w, self.relative.into());
        FINAL.set(w, last.into());
        words
    }
}

/// A source that reads a temporary.
pub(crate) const SOURCE_TEMP: u8 = 1;
/// A source that reads an input.
pub(crate) const SOURCE_INPUT: u8 = 2;
/// A source that reads a constant.
pub(crate) const SOURCE_CONSTANT: u8 = 3;

/// A mask of the microcode, which has x as bit 3, as ours, which has it as bit 0; and back.
pub(crate) const fn reversed(mask: u8) -> u8 {
    (mask & 0xF).reverse_bits() >> 4
}
