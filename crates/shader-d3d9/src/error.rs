//! The error of the token parser.

use crate::instruction::{MaskText, Register};
use crate::refusals::Rule;
use crate::tables::Version;

/// Why a token stream is not a shader. Names the place, the opcode and the field.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("token {offset}{}: {kind}", OpcodeName(*.opcode))]
pub struct ParseError {
    /// Place in 32-bit tokens from the version token.
    pub offset: u32,
    /// Mnemonic of the instruction, where it is known.
    pub opcode: Option<&'static str>,
    /// The rule that it breaks.
    pub rule: Rule,
    /// What is wrong.
    pub kind: ParseErrorKind,
}

/// A rule that is broken, and how.
pub(crate) type Broken = (Rule, ParseErrorKind);

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
    #[error("version token {token:#010x} is no Direct3D 9 shader model (0xfffe0100 to 0xffff0300)")]
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
    /// A write mask that the opcode does not take.
    #[error("write mask {} is not possible here{}", MaskText(*.mask), MaskList(*.allowed))]
    Mask {
        /// Mask in the token.
        mask: u8,
        /// Bit n: mask n is possible.
        allowed: u16,
    },
    /// A source of which one component is read, and the swizzle does not say which.
    #[error("{field}: the swizzle must name one component, such as .x")]
    Swizzle {
        /// Name of the operand.
        field: &'static str,
    },
    /// A register without the `dcl` that this model demands.
    #[error("{field}: {register} is not declared (a dcl is missing above)")]
    Undeclared {
        /// Name of the operand.
        field: &'static str,
        /// The register.
        register: Register,
    },
    /// A second `dcl` of the same components.
    #[error("{register} has been declared already")]
    Redeclared {
        /// The register.
        register: Register,
    },
    /// `aL` outside of a loop.
    #[error("aL is used outside of a loop")]
    NoLoop,
    /// A result over a source of a matrix opcode.
    #[error("the destination of a matrix opcode cannot be one of its sources")]
    MatrixOverlap,
    /// A call of a label that does not exist.
    #[error("there is no label l{label}")]
    UndefinedLabel {
        /// Its number.
        label: u16,
    },
    /// A second label of the same number.
    #[error("label l{label} stands here a second time")]
    LabelTwice {
        /// Its number.
        label: u16,
    },
    /// A call of a subroutine that stands before it, as all recursion would be.
    #[error("l{label} stands before this call; only calls of later subroutines are possible")]
    BackwardCall {
        /// Its number.
        label: u16,
    },
    /// Calls nested too deeply.
    #[error("calls are nested deeper than {limit}")]
    CallDepth {
        /// Depth that is allowed.
        limit: u8,
    },
    /// A row of a texture matrix without the rows before it.
    #[error("texm3x2 and texm3x3 opcodes need their pads right before them")]
    MissingPad,
    /// A row of a texture matrix in a register that is not behind that of the row before.
    #[error("the rows of texm3x2 and texm3x3 opcodes must be in consecutive registers")]
    PadRegisters,
    /// A texture opcode of ps_1_x behind arithmetic.
    #[error("texture opcodes must stand before all arithmetic (of their phase)")]
    TextureOrder,
    /// A second `phase`.
    #[error("there can be one phase instruction")]
    Phases,
    /// A co-issued instruction without a partner.
    #[error("only an arithmetic instruction of ps_1_x can be paired, with one arithmetic instruction right before it")]
    Pair,
}

/// The possible masks, if they are few.
struct MaskList(u16);

impl std::fmt::Display for MaskList {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.0.count_ones() > 3 {
            return f.write_str(", which has no w");
        }
        let mut separator = "; it must be ";
        for mask in (0..16).filter(|mask| self.0 >> mask & 1 != 0) {
            write!(f, "{separator}{}", MaskText(mask))?;
            separator = " or ";
        }
        Ok(())
    }
}
