//! `cargo xtask`: what a clone of Afterimage can be asked to do. Set-up, tests and fuzzing are here; what needs a
//! laboratory is handed on to `lab`, and what makes releases to `release` ([`laboratory`]).

#![forbid(unsafe_code)]

mod bless;
mod crates;
mod deny;
mod fuzz;
mod quick;
mod runner;
mod test;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Command, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use xtask::laboratory::{self, Program};
use xtask::setup;
use xtask::step::Result;
use xtask::workspace::Workspace;

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
    /// Set up, and check everything: formatting, clippy, tests, the samples in every way, the fuzz targets.
    ///
    /// Devices are opened with the validation layers, and any message of theirs is a failure.
    Test(test::Args),
    /// Write generated files and the expected output inside of the text tests anew.
    Bless(bless::Args),
    /// Fuzz everything that reads bytes from elsewhere.
    Fuzz(fuzz::Args),
    /// Check licences, versions, sources and known faults of what we are built of, as deny.toml says.
    Deny,
}

/// The command line with all commands in its help.
fn command_line() -> Command {
    let rows = Program::ALL.iter().flat_map(|program| program.rows());
    rows.fold(Cli::command(), |cli, row| cli.subcommand(Command::new(row.name).about(row.about)))
}

fn main() -> ExitCode {
    let ws = Workspace::find();
    let line: Vec<OsString> = std::env::args_os().skip(1).collect();
    let result = match laboratory::handed_on(&line) {
        Some((program, line)) => laboratory::run(&ws, program, &line),
        None if line.first().is_some_and(|word| word == runner::COMMAND) => runner::run(&line[1..]),
        None => run(&ws).map(|()| ExitCode::SUCCESS),
    };
    match result {
        Ok(code) => code,
        Err(failure) => {
            eprintln!("\n{failure}");
            ExitCode::FAILURE
        }
    }
}

fn run(ws: &Workspace) -> Result {
    let cli = Cli::from_arg_matches(&command_line().get_matches()).unwrap_or_else(|error| error.exit());
    match cli.command {
        Chore::Setup(args) => setup::main(ws, &args),
        Chore::Test(args) => test::main(ws, &args),
        Chore::Bless(args) => bless::main(ws, &args),
        Chore::Fuzz(args) => fuzz::main(ws, &args),
        Chore::Deny => deny::main(ws),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_command_line_is_well_formed() {
        super::command_line().debug_assert();
    }
}
