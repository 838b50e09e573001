//! The command line.

mod shader;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Afterimage: draws the commands and shaders of dead graphics stacks with Vulkan.
#[derive(Debug, Parser)]
#[command(version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Shader(shader::Args),
}

fn main() -> ExitCode {
    let Command::Shader(args) = Cli::parse().command;
    match shader::run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("afterimage: {error}");
            ExitCode::FAILURE
        }
    }
}
