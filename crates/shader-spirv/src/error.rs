//! The error of the parser.

use crate::tables::MAGIC;

/// Why words are no SPIR-V module. Names the place, the instruction and the operand.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("word {offset}{}: {kind}", At(*.opcode))]
pub struct ParseError {
    /// Place in 32-bit words from the magic number.
    pub offset: u32,
    /// Name of the instruction, where it is known.
    pub opcode: Option<&'static str>,
    /// What is wrong.
    pub kind: ParseErrorKind,
}

/// An instruction's name in parentheses, for messages.
pub(crate) struct At(pub(crate) Option<&'static str>);

impl std::fmt::Display for At {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.map_or(Ok(()), |name| write!(f, " ({name})"))
    }
}

/// What is wrong with a word.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseErrorKind {
    /// The size is no whole number of words.
    #[error("the module is {bytes} bytes long, which is no whole number of 32-bit words")]
    Unaligned {
        /// Size given.
        bytes: usize,
    },
    /// The module ends inside its header or an instruction.
    #[error("the module ends here, {missing} words too early")]
    Truncated {
        /// Words that should follow.
        missing: u32,
    },
    /// More words than any real shader.
    #[error("the module has {words} words; at most {} are read", crate::parse::MAX_WORDS)]
    TooLong {
        /// Words given.
        words: usize,
    },
    /// The first word is not the magic number in either byte order.
    #[error("the magic number is {found:#010x}, but SPIR-V begins with {MAGIC:#010x}")]
    Magic {
        /// The word.
        found: u32,
    },
    /// A version that this crate does not know.
    #[error("version word {word:#010x}; SPIR-V 1.0 (0x00010000) to 1.6 (0x00010600) can be read")]
    Version {
        /// The word.
        word: u32,
    },
    /// The bound on ids is 0 or above the limit of the specification.
    #[error("the bound on ids is {bound}; it must be 1 to {}", crate::parse::MAX_BOUND)]
    Bound {
        /// The word.
        bound: u32,
    },
    /// An instruction whose length is 0.
    #[error("an instruction of length 0")]
    Length,
    /// An opcode without a row.
    #[error("opcode {number} is in no table")]
    UnknownOpcode {
        /// The number.
        number: u16,
    },
    /// An operand that must be there is not.
    #[error("operand {operand} ({what}) is missing")]
    MissingOperand {
        /// Number of the operand, from 1.
        operand: u32,
        /// What it is.
        what: &'static str,
    },
    /// More words than the instruction has operands.
    #[error("{words} words too many")]
    ExtraOperands {
        /// How many.
        words: u32,
    },
    /// An id that is 0 or not below the bound.
    #[error("operand {operand} ({what}): id {id} is not within 1 to {}", .bound - 1)]
    Id {
        /// Number of the operand, from 1.
        operand: u32,
        /// What it is.
        what: &'static str,
        /// The id.
        id: u32,
        /// The module's bound.
        bound: u32,
    },
    /// A result id that another instruction has.
    #[error("id %{id} is already the result of the instruction at word {first}")]
    Duplicate {
        /// The id.
        id: u32,
        /// Where it was defined.
        first: u32,
    },
    /// A string without its end.
    #[error("operand {operand}: the string does not end")]
    String {
        /// Number of the operand, from 1.
        operand: u32,
    },
}
