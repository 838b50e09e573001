//! NV2A shader front end: what the vertex engine and the pixel pipeline compute, as IR.
//!
//! * Transform microcode: [`tables`], [`instruction`], [`parse`], [`disasm`], [`asm`], [`lift`](mod@lift), and
//!   [`run`](mod@run), which executes it on the CPU.
//! * [`fixed`]: fixed-function transform and lighting.
//! * [`pixel`]: texture shader, register combiners, final combiner, and the tests on a pixel.
//! * [`io`]: where the stages meet. [`banks`]: where constants live.
#![forbid(unsafe_code)]

pub mod asm;
pub mod banks;
pub mod disasm;
pub mod error;
pub mod fixed;
#[cfg(feature = "generate")]
mod generate;
pub mod instruction;
pub mod io;
pub mod lift;
pub mod parse;
pub mod pixel;
pub mod run;
pub mod tables;

pub use asm::{AsmError, assemble};
pub use error::{ParseError, ParseErrorKind};
#[cfg(feature = "generate")]
pub use generate::{generate, output_registers};
pub use lift::lift;
pub use parse::Program;
pub use run::{Outputs, run};

/// Compiles and runs the example in `README.md`.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
