//! The error of the microcode parser.

/// Why microcode is not a program. Names the slot of program memory and the field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("slot {slot}: {kind}")]
pub struct ParseError {
    /// Slot of program memory, or place in the code in instructions.
    pub slot: usize,
    /// What is wrong.
    pub kind: ParseErrorKind,
}

/// What is wrong with an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseErrorKind {
    /// The program starts beyond the memory.
    #[error("program memory has {slots} slots, so no program starts here")]
    Start {
        /// Slots that there are.
        slots: usize,
    },
    /// A source that an opcode reads, and whose kind is none.
    #[error("{field} has the value {value}, which is none of 1 (temporary), 2 (input), 3 (constant)")]
    Source {
        /// Name of the field.
        field: &'static str,
        /// Its value.
        value: u8,
    },
    /// A register that does not exist.
    #[error("{field} has the value {value}; {file} has {count} registers")]
    Register {
        /// Name of the field.
        field: &'static str,
        /// Its value.
        value: u8,
        /// What the registers are.
        file: &'static str,
        /// How many there are.
        count: u8,
    },
    /// An output register that does not exist.
    #[error("the output address has the value {0}, which is no output register")]
    Output(u8),
    /// A file whose size is no whole number of instructions.
    #[error("the microcode has {bytes} bytes, which is no whole number of instructions of 16 bytes")]
    Unaligned {
        /// Its size.
        bytes: usize,
    },
    /// Code whose size is no whole number of instructions.
    #[error("the code has {bytes} bytes, which is no header of {header} and whole instructions of 16")]
    Size {
        /// Its size.
        bytes: usize,
        /// Bytes of the header.
        header: usize,
    },
    /// Code with flags that are not known.
    #[error("the code's flags are {0:#x}, some of which are not known")]
    Flags(u32),
    /// Code without instructions, or with more than there are slots.
    #[error("the code has {0} instructions; a program has 1 to {max}", max = afterimage_nv2a_types::PROGRAM_SLOTS)]
    Count(usize),
}
