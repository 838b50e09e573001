//! SSA shader IR: types, the opcode table, builder, text printer and parser, verifier, control-flow utilities.
//!
//! `docs/ir.md` is the introduction; [`Builder`] is where front ends begin and [`OPCODES`] is the truth about opcodes.
#![forbid(unsafe_code)]

pub mod bindings;
mod builder;
mod entity;
mod error;
mod eval;
mod exact;
mod feedback;
#[cfg(feature = "generate")]
mod generate;
mod geometry;
mod lex;
mod module;
mod opcode;
mod parse;
mod print;
mod reflection;
mod table;
mod types;
mod verify;

pub use afterimage_abi::Table;
pub use builder::{BuildError, Builder, Level, Primitives, TextureRef};
pub use entity::{Bank, Image, Input, Inst, Output, Region, Spec, Texture, Value, Var};
pub use error::VerifyError;
pub use eval::evaluate;
pub use exact::exact;
pub use feedback::{FEEDBACK_BUFFERS, FEEDBACK_STREAMS, FeedbackDecl, FeedbackUse, MAX_FEEDBACK_STRIDE};
#[cfg(feature = "generate")]
pub use generate::{GeneratedMemory, generate, generate_of};
pub use geometry::{GeometryDecl, InputPrimitive, MAX_GEOMETRY_INVOCATIONS, MAX_GEOMETRY_VERTICES, OutputPrimitive};
pub use module::*;
pub use opcode::{Flags, ImmKind, Meaning, OPCODES, Op, OpInfo, Pattern};
pub use parse::{ParseError, parse};
pub use reflection::{ConstDef, ImageUse, InputUse, OutputUse, Reflection, Segment, SpecUse, TextureUse, Uses, uses};
pub use types::{Kind, Mask, Swizzle, Type};
pub use verify::verify;

/// The example in `docs/ir.md` is compiled and run with the documentation's tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/ir.md")]
struct Introduction;

/// Fuzz entry: text to module, checked and printed. Nothing may panic, and what prints must read back to the same text.
///
/// # Panics
/// When the text form of a valid module does not survive a round trip, which is what fuzzing looks for.
pub fn fuzz(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(module) = parse(text) else { return };
    let printed = module.to_string();
    if verify(&module).is_ok() {
        let again = parse(&printed).expect("a valid module's text must parse");
        assert_eq!(printed, again.to_string(), "the text form must round-trip");
        assert_eq!(verify(&again), Ok(()), "a valid module must stay valid");
    }
}

/// Compiles and runs the example in `README.md`.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
