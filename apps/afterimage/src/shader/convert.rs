//! `afterimage shader asm` and `disasm`: Direct3D 9 assembler text and tokens, and SPIR-V as text.

use super::error::Why;
use super::io::{self, Content};
use super::kind::From;
use afterimage_shader::CompileError;
use afterimage_shader_d3d9::{Program, assemble, tokens_from_bytes};
use afterimage_shader_spirv as spirv;
use clap::Parser;
use std::path::PathBuf;

/// Options of both.
#[derive(Debug, Parser)]
pub(super) struct Args {
    /// File to read; - is standard input.
    pub(super) input: PathBuf,
    /// File to write; - is standard output.
    #[arg(short, long, default_value = "-")]
    output: PathBuf,
}

pub(super) fn asm(args: &Args) -> Result<(), Why> {
    let bytes = io::read(&args.input)?;
    let tokens = assemble(io::text(&bytes)?)?;
    io::write(&args.output, &Content::words(&tokens))
}

pub(super) fn disasm(args: &Args) -> Result<(), Why> {
    let bytes = io::read(&args.input)?;
    let from = From::of_path(&args.input).map_or_else(|| From::of_content(&bytes), Ok)?;
    io::write(&args.output, &Content::Text(text(from, &bytes)?))
}

/// The tokens of a Direct3D 9 shader.
pub(super) fn tokens(from: From, bytes: &[u8]) -> Result<Vec<u32>, Why> {
    match from {
        From::D3d9 => Ok(tokens_from_bytes(bytes)?),
        From::Asm => Ok(assemble(io::text(bytes)?)?),
        _ => Err(Why::NoDisassembly),
    }
}

/// A shader in its own assembler text.
pub(super) fn text(from: From, bytes: &[u8]) -> Result<String, Why> {
    if from == From::Spirv {
        let program = spirv::Program::from_bytes(bytes).map_err(CompileError::from)?;
        return Ok(spirv::disasm::disassemble_program(&program));
    }
    Ok(Program::parse(&tokens(from, bytes)?)?.to_string())
}
