//! The laboratory: what `cargo xtask` does with Wine, displays, other implementations, recordings and benchmarks.
//!
//! It is called through `cargo xtask`, which knows its commands ([`laboratory::COMMANDS`]).

#![forbid(unsafe_code)]

mod bench;
mod blit;
mod check;
mod conformance;
mod demo;
mod display;
mod endings;
mod feedback;
mod gnm;
mod images;
mod installed;
mod keys;
mod killed;
mod matrix;
mod messages;
mod metal;
mod misses;
mod newcomer;
mod nv2a;
mod on_metal;
mod patched;
mod picture;
mod piglit;
mod programs;
mod replays;
mod report;
mod shaders;
mod soak;
mod validate;
mod wine;

use std::process::ExitCode;

use clap::{Command, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use xtask::laboratory;
use xtask::workspace::Workspace;

/// The laboratory behind `cargo xtask`.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", version, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Chore,
}

// What each does is said in `xtask::laboratory`, since the help of `cargo xtask` says it too.
#[derive(Debug, Subcommand)]
enum Chore {
    Demo(demo::Args),
    Validate,
    Bench(bench::Args),
    Nv2a(nv2a::Args),
    Metal(metal::Args),
    Gnm(gnm::Args),
    Soak(soak::Args),
    Conformance(conformance::Args),
    Programs(programs::Args),
    XfbCases(feedback::Args),
    Piglit(piglit::Args),
    Replays(replays::Args),
    Newcomer(newcomer::Args),
    // For `cargo xtask test`.
    #[command(hide = true)]
    Check(check::Args),
    // For `cargo xtask bless`.
    #[command(hide = true)]
    Images,
}

fn command_line() -> Command {
    laboratory::COMMANDS.iter().fold(Cli::command(), |cli, row| {
        let text = if row.more.is_empty() { row.about.to_owned() } else { format!("{}\n\n{}", row.about, row.more) };
        cli.mut_subcommand(row.name, |command| command.about(row.about).long_about(text))
    })
}

fn main() -> ExitCode {
    let cli = Cli::from_arg_matches(&command_line().get_matches()).unwrap_or_else(|error| error.exit());
    let ws = Workspace::find();
    let result = match cli.command {
        Chore::Demo(args) => demo::main(&ws, &args),
        Chore::Validate => validate::main(&ws),
        Chore::Bench(args) => bench::main(&ws, &args),
        Chore::Nv2a(args) => nv2a::main(&ws, &args),
        Chore::Metal(args) => metal::main(&ws, &args),
        Chore::Gnm(args) => gnm::main(&ws, &args),
        Chore::Soak(args) => soak::main(&ws, &args),
        Chore::Conformance(args) => conformance::main(&ws, &args),
        Chore::Programs(args) => programs::main(&ws, &args),
        Chore::XfbCases(args) => feedback::main(&ws, &args),
        Chore::Piglit(args) => piglit::main(&ws, &args),
        Chore::Replays(args) => replays::main(&ws, &args),
        Chore::Newcomer(args) => newcomer::main(&ws, &args),
        Chore::Check(args) => check::main(&ws, &args),
        Chore::Images => images::bless(&ws),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("\n{failure}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use super::laboratory::COMMANDS;

    /// Also: each row is a command here, and each command that is shown has a row.
    #[test]
    fn the_command_line_is_well_formed() {
        let cli = super::command_line();
        let shown: Vec<&str> =
            cli.get_subcommands().filter(|command| !command.is_hide_set()).map(|command| command.get_name()).collect();
        let mut rows: Vec<&str> = COMMANDS.iter().map(|row| row.name).collect();
        assert!(shown.iter().all(|name| rows.contains(name)), "{shown:?} {rows:?}");
        rows.retain(|name| !shown.contains(name));
        assert!(rows.is_empty(), "{rows:?}");
        cli.debug_assert();
    }
}
