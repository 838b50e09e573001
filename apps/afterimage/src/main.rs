//! The command line.

mod config;
mod diff;
mod files;
mod gnm;
mod info;
mod nv2a;
mod pool;
mod program;
mod replay;
mod run;
mod shader;
mod stage;
mod wine;

use clap::{Parser, Subcommand};
use std::ffi::OsString;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

/// Draws the commands and shaders of dead graphics stacks with Vulkan.
///
/// Examples:
///   afterimage run game.exe                         run a Direct3D 9 program
///   afterimage run --capture 100-102 c.aftercap game.exe
///   afterimage replay c.aftercap -o pictures        draw what was captured
///   afterimage inspect scene.kcap.gz | less         read a recording of a console's command buffers
///   afterimage diff goldens pictures -o report      compare pictures with golden ones
///   afterimage info                                 devices, and what is missing
///   afterimage config --changed game.exe            what is configured for a program, and where
#[derive(Debug, Parser)]
#[command(version, verbatim_doc_comment)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Run(run::Args),
    /// Start the viewer, which shows what programs draw. `afterimage view --help` lists its options.
    #[command(disable_help_flag = true)]
    View {
        /// Options of the viewer.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    Replay(replay::Args),
    Dump(replay::DumpArgs),
    Diff(diff::Args),
    Inspect(nv2a::InspectArgs),
    Info(info::Args),
    Config(config::Args),
    Shader(shader::Args),
}

/// What a command could not do, for a person.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Failure(String);

impl Failure {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    pub(crate) fn file(what: &str, path: &Path, error: std::io::Error) -> Self {
        Self(format!("{what} {}: {error}", path.display()))
    }
}

/// Writes to standard output. A reader that has seen enough (`afterimage info | head`) is no failure.
pub(crate) fn say(text: &str) {
    let _enough = std::io::stdout().write_all(text.as_bytes());
}

/// Says on standard error what went wrong; in colour on a terminal, unless `NO_COLOR` is set.
pub(crate) fn complain(text: &str) {
    let bad = anstyle::AnsiColor::Red.on_default().bold();
    anstream::eprintln!("{bad}afterimage:{bad:#} {text}");
}

impl From<files::NotFound> for Failure {
    fn from(error: files::NotFound) -> Self {
        Self(error.to_string())
    }
}

fn main() -> ExitCode {
    let log = &afterimage_config::settings().log;
    let filter = format!("winit=error,{log}").parse::<tracing_subscriber::EnvFilter>();
    let bad = filter.as_ref().err().map(|error| format!("log = {log}: {error}"));
    tracing_subscriber::fmt()
        .with_env_filter(filter.unwrap_or_else(|_| "warn,winit=error".into()))
        .with_writer(std::io::stderr)
        .with_ansi(anstream::AutoStream::choice(&std::io::stderr()) != anstream::ColorChoice::Never)
        .without_time()
        .init();
    let command = Cli::parse().command;
    // `config` and `run` tell about problems in their own way: that of the program which is asked about.
    if !matches!(command, Command::Config(_) | Command::Run(_)) {
        afterimage_config::settings().problems.iter().for_each(|problem| tracing::warn!("{problem}"));
    }
    if let Some(bad) = bad {
        tracing::warn!("{bad}");
    }
    let result = match command {
        Command::Run(args) => run::run(&args),
        Command::View { arguments } => Err(run::view(&arguments)),
        Command::Replay(args) => replay::replay(&args),
        Command::Dump(args) => replay::dump_file(&args).map(|()| ExitCode::SUCCESS),
        Command::Diff(args) => Ok(diff::run(&args)),
        Command::Inspect(args) => nv2a::inspect(&args),
        Command::Info(args) => info::info(&args).map(|()| ExitCode::SUCCESS),
        Command::Config(args) => config::run(&args),
        Command::Shader(args) => Ok(shader::run(&args)),
    };
    result.unwrap_or_else(|failure| {
        complain(&failure.to_string());
        ExitCode::FAILURE
    })
}
