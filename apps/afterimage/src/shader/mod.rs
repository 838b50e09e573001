//! `afterimage shader`: translates, disassembles and assembles shaders, and takes transform feedback out of them.

mod batch;
mod convert;
mod error;
mod feedback;
mod gcn;
mod io;
mod kind;
mod reflect;
mod stream;
mod tool;
mod translate;

pub(crate) use stream::code as stream_code;

use crate::Failure;
use afterimage_shader_gcn::file::ShaderFile;
use clap::{Parser, Subcommand};
use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::process::ExitCode;

/// Translate, disassemble and assemble shaders.
#[derive(Debug, Parser)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    Translate(translate::Args),
    /// Turn Direct3D 9 shader tokens, NV2A microcode, GCN code or SPIR-V into assembler text.
    Disasm(convert::Args),
    /// Turn assembler text into Direct3D 9 shader tokens, NV2A microcode or GCN code.
    Asm(convert::Args),
    #[command(visible_alias = "xfb")]
    Feedback(feedback::Args),
}

/// Whether a file begins as a shader file of the PlayStation 4 does.
pub(crate) fn is_console_file(path: &Path) -> bool {
    let mut front = Vec::new();
    let read = File::open(path).and_then(|file| file.take(64).read_to_end(&mut front));
    read.is_ok() && ShaderFile::is_file(&front)
}

/// Such a file as text: what its header and footer say, and its code.
pub(crate) fn console_file(path: &Path) -> Result<String, Failure> {
    let failed = |why: error::Why| Failure::new(format!("{}: {why}", path.display()));
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(io::LARGEST + 1).read_to_end(&mut bytes));
    read.map_err(|error| failed(error::Why::Read(error)))?;
    if bytes.len() as u64 > io::LARGEST {
        return Err(failed(error::Why::TooLarge));
    }
    gcn::text(&bytes).map_err(failed)
}

/// Runs `afterimage shader ...` and says on standard error what went wrong.
pub(crate) fn run(args: &Args) -> ExitCode {
    let (input, result) = match &args.action {
        Action::Translate(args) => return batch::run(args),
        Action::Disasm(args) => (&args.input, convert::disasm(args)),
        Action::Asm(args) => (&args.input, convert::asm(args)),
        Action::Feedback(args) => (&args.input, feedback::run(args)),
    };
    let code = match result {
        Ok(()) => error::Code::Done,
        Err(why) => {
            crate::complain(&format!("{}: {why}", io::name(input)));
            why.code()
        }
    };
    code.into()
}
