//! Direct3D 9 shader front end: token parser, disassembler, assembler, lifter, fixed function.
//!
//! * [`tables`]: opcodes, registers, modifiers, usages; one row each.
//! * [`rules`], [`validate`]: what may stand where in an instruction, and in a shader.
//! * [`refusals`]: every such rule, and who refuses what breaks it.
//! * [`parse`]: tokens to [`instruction::Instruction`]s, with every field checked.
//! * [`encode`], [`disasm`], [`asm`]: instructions to tokens, to assembler text, and text back to tokens.
//! * [`ctab`]: names and types of constants, in comments.
//! * [`signature()`]: what a guest needs to know of a shader without compiling it.
#![forbid(unsafe_code)]

pub mod asm;
pub mod banks;
pub mod ctab;
pub mod disasm;
pub mod encode;
pub mod error;
pub mod ffp;
#[cfg(feature = "generate")]
mod generate;
pub mod instruction;
pub mod io;
pub mod lift;
pub mod parse;
mod pixel_ops;
pub mod refusals;
pub mod rules;
pub mod signature;
pub mod tables;
pub mod validate;
mod vertex_ops;

pub use asm::{AsmError, assemble};
pub use banks::{Bank, FixedPixelRegister, FixedVertexRegister, SystemRegister};
pub use disasm::disassemble;
pub use error::{ParseError, ParseErrorKind};
pub use ffp::{FixedInput, FixedPixelKey, FixedStage, FixedVertexKey, TexCoordKey};
#[cfg(feature = "generate")]
pub use generate::generate;
pub use io::{LinkInfo, PixelOps, RuntimeInfo, VertexOps};
pub use lift::{LiftError, LiftErrorKind, lift};
pub use parse::{Constants, Decoder, Program, token_length, tokens_from_bytes};
pub use refusals::{Refused, Rule, RuleSet};
pub use signature::{Signature, check, signature, signature_with};

/// Compiles and runs the example in `README.md`.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
