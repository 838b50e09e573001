//! Set-up, demo, test, bless, bench, dist and validate: everything that a clone of Afterimage can be asked to do.

#![forbid(unsafe_code)]

mod setup;
mod step;
mod workspace;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use workspace::Workspace;

/// The chores of Afterimage. `cargo xtask demo` shows it at work, `cargo xtask test` proves it.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", version, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Chore,
}

#[derive(Debug, Subcommand)]
enum Chore {
    /// Install what is missing: a Vulkan driver, validation layers, mingw, Wine, the Windows target of Rust.
    ///
    /// Works as root on Debian; elsewhere, and for other users, it prints the commands instead. Nothing that is there
    /// already is touched, and a second run takes no time. `demo` and `test` do this by themselves.
    Setup(setup::Args),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let ws = Workspace::find();
    let result = match cli.command {
        Chore::Setup(args) => setup::main(&ws, &args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("\n{failure}");
            ExitCode::FAILURE
        }
    }
}
