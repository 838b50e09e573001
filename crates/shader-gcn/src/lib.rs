//! GCN shaders of the second generation (gfx7, "Sea Islands"), as the PlayStation 4 has them, to IR.
//!
//! `docs/gnm.md` has the picture of it. [`Program::parse`] decodes words by the one table in `tables`; [`resources`] finds
//! what a program reads by following its scalar loads back to user data; [`lift`] makes IR of it.
#![forbid(unsafe_code)]

mod analyzed;
mod asm;
pub mod binary;
mod decode;
mod disasm;
pub mod emitted;
mod encode;
pub mod fetch;
pub mod file;
#[cfg(feature = "generate")]
pub mod generate;
pub mod inst;
pub mod io;
mod lift;
mod parse;
mod resources;
pub mod slots;
mod syntax;
pub mod tables;

pub use analyzed::resources;
pub use asm::{AsmError, AsmErrorKind, AsmErrors, MOST_ERRORS, assemble};
pub use encode::EncodeError;
pub use inst::{Inst, Operand};
pub use lift::{LiftError, Reason, clip_distances, lift};
pub use parse::{MAX_WORDS, ParseError, Program, code_length};
pub use tables::Op;

/// Compiles and runs the example in `README.md`.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
