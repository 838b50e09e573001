//! The error of the token parser.

use crate::tables::Version;

/// Why a token stream is not a shader. Names the place, the opcode and the field.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("token {offset}{}: {kind}", OpcodeName(*.opcode))]
pub struct ParseError {
    /// Place in 32-bit tokens from the version token.
    pub offset: u32,
    /// Mnemonic of the instruction, where it is known.
    pub opcode: Option<&'static str>,
    /// What is wrong.
    pub kind: ParseErrorKind,
}

struct OpcodeName(Option<&'static str>);

impl std::fmt::Display for OpcodeName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.map_or(Ok(()), |name| write!(f, " ({name})"))
    }
}

/// What is wrong with a token.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseErrorKind {
    /// The stream ends inside the shader.
    #[error("the code ends here; an end token 0x0000ffff is missing")]
    Truncated,
    /// The shader is longer than any real one.
    #[error("no end token within {} tokens", crate::parse::MAX_TOKENS)]
    TooLong,
    /// The code's size is no multiple of four bytes.
    #[error("the code is {bytes} bytes long, which is no whole number of 32-bit tokens")]
    Unaligned {
        /// Size of the code.
        bytes: usize,
    },
    /// The first token is no version that this crate reads.
    #[error("version token {token:#010x} is no Direct3D 9 shader model (0xfffe0101 to 0xffff0300)")]
    Version {
        /// The token.
        token: u32,
    },
    /// The opcode number is in no table.
    #[error("opcode number {number} is not known")]
    UnknownOpcode {
        /// Bits 0 to 15.
        number: u16,
    },
    /// The opcode exists, but not in this model.
    #[error("this opcode (number {number}) does not exist in {version}")]
    OpcodeVersion {
        /// Bits 0 to 15.
        number: u16,
        /// Shader model.
        version: Version,
    },
    /// The length field does not fit the operands.
    #[error("instruction length field is {field} tokens, but the operands take {expected}")]
    Length {
        /// Bits 24 to 27.
        field: u32,
        /// Tokens that the operands take.
        expected: u32,
    },
    /// A field has a value that is not assigned, or not in this model.
    #[error("{field} has the value {value:#x}, which {version} does not have")]
    Field {
        /// Name of the field.
        field: &'static str,
        /// Its value.
        value: u32,
        /// Shader model.
        version: Version,
    },
    /// A register number outside its file.
    #[error("{field}: register number {number} of `{file}` is out of range ({version} has {count})")]
    RegisterNumber {
        /// Name of the operand.
        field: &'static str,
        /// Register file.
        file: &'static str,
        /// Number in the token.
        number: u32,
        /// Registers in the file.
        count: u16,
        /// Shader model.
        version: Version,
    },
    /// A register file where it may not stand.
    #[error("{field}: register `{file}` cannot be used here")]
    RegisterUse {
        /// Name of the operand.
        field: &'static str,
        /// Register file.
        file: &'static str,
    },
    /// Relative addressing of or by a register that does not allow it.
    #[error("{field}: relative addressing of `{file}` is not possible here")]
    Relative {
        /// Name of the operand.
        field: &'static str,
        /// Register file.
        file: &'static str,
    },
    /// `else`, `endif`, `endloop`, `break`... without its opening instruction.
    #[error("no block is open that this instruction could continue or close")]
    Unopened,
    /// A block is still open at a subroutine border or at the end.
    #[error("{opened} blocks are still open here")]
    Unclosed {
        /// How many.
        opened: u32,
    },
    /// Blocks nested too deeply.
    #[error("flow control is nested deeper than {limit}")]
    Nesting {
        /// Depth that is allowed.
        limit: u32,
    },
}
