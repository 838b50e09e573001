//! `afterimage shader asm` and `disasm`: Direct3D 9 assembler text and tokens, NV2A microcode and its text, GCN code and its text,
//! and SPIR-V as text.

use super::error::Why;
use super::gcn;
use super::io::{self, Content};
use super::kind::From;
use afterimage_shader::CompileError;
use afterimage_shader_d3d9::{Program, assemble, tokens_from_bytes};
use afterimage_shader_nv2a as nv2a;
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
    /// What the input is. Without this it goes by extension, else by content.
    #[arg(long, value_enum)]
    from: Option<From>,
}

impl Args {
    fn from(&self, bytes: &[u8]) -> Result<From, Why> {
        self.from.or_else(|| From::of_path(&self.input)).map_or_else(|| From::of_content(bytes), Ok)
    }
}

pub(super) fn asm(args: &Args) -> Result<(), Why> {
    let bytes = io::read(&args.input)?;
    let text = io::text(&bytes)?;
    // Text of which nothing is known is for the assembler to find fault with.
    let words = match args.from(&bytes) {
        Ok(From::Nv2a) => nv2a::assemble(text)?.words().flatten().collect(),
        Ok(From::Gcn) => afterimage_shader_gcn::assemble(text)?,
        Ok(_) | Err(Why::Unknown) => assemble(text)?,
        Err(why) => return Err(why),
    };
    io::write(&args.output, &Content::words(&words))
}

pub(super) fn disasm(args: &Args) -> Result<(), Why> {
    let bytes = io::read(&args.input)?;
    let from = args.from(&bytes)?;
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

/// A program of NV2A microcode, out of words or text.
pub(super) fn microcode(bytes: &[u8]) -> Result<nv2a::Program, Why> {
    // Words have zero bytes, text has none.
    if bytes.contains(&0) {
        let memory = nv2a::parse::memory_from_bytes(bytes).map_err(CompileError::from)?;
        return Ok(nv2a::Program::parse(&memory, 0).map_err(CompileError::from)?);
    }
    Ok(nv2a::assemble(io::text(bytes)?)?)
}

/// A shader in its own assembler text.
pub(super) fn text(from: From, bytes: &[u8]) -> Result<String, Why> {
    if from == From::Spirv {
        let program = spirv::Program::from_bytes(bytes).map_err(CompileError::from)?;
        return Ok(spirv::disasm::disassemble_program(&program));
    }
    if from == From::Nv2a {
        return Ok(microcode(bytes)?.to_string());
    }
    if from == From::Gcn {
        return gcn::text(bytes);
    }
    Ok(Program::parse(&tokens(from, bytes)?)?.to_string())
}
