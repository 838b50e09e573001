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

use clap::{Parser, Subcommand};
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
