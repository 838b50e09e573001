//! SPIR-V front end: parser, disassembler, lifter.
//!
//! * [`tables`]: instructions and enumerants; one row each.
//! * [`parse`]: words to instructions, with every length and id checked.
//! * [`disasm`]: instructions to text.
//! * [`lift()`]: vertex and fragment shaders to IR; [`io`] says what becomes of blocks and textures.
//!
//! Covered is what GLSL and HLSL compilers write for vertex, geometry and fragment shaders that read uniform blocks, push
//! constants, storage buffers and sampled textures, and have their outputs captured. Everything else is refused with the name of
//! what is missing ([`LiftErrorKind`]).
#![forbid(unsafe_code)]

pub mod disasm;
pub mod error;
pub mod io;
pub mod lift;
pub mod parse;
pub mod tables;
mod types;

pub use disasm::disassemble;
pub use error::{ParseError, ParseErrorKind};
pub use lift::{LiftError, LiftErrorKind, Lifted, Options, lift, lift_after};
pub use parse::{Program, words_from_bytes};

/// Fuzz entry: bytes to IR and text. Nothing may panic, and what is lifted must be valid.
///
/// # Panics
/// When a lifted module does not verify, which is what fuzzing looks for.
pub fn fuzz(bytes: &[u8]) {
    let Ok(program) = Program::from_bytes(&bytes[..bytes.len() & !3]) else { return };
    assert!(!disasm::disassemble_program(&program).is_empty(), "every module has a header");
    for stage in [afterimage_ir::Stage::Vertex, afterimage_ir::Stage::Geometry, afterimage_ir::Stage::Pixel] {
        match lift(&program, &Options { entry: None, stage: Some(stage) }) {
            Ok(lifted) => assert_eq!(afterimage_ir::verify(&lifted.module), Ok(()), "what is lifted is valid"),
            Err(error) => assert!(!error.to_string().is_empty(), "an error says something"),
        }
    }
}

/// Compiles and runs the example in `README.md`.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
