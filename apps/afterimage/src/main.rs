//! The command line.

mod about;
mod config;
mod diff;
mod dump;
mod files;
mod gnm;
mod info;
mod inspect;
mod install;
mod manual;
mod nv2a;
mod outputs;
mod own_process;
mod pe;
mod pool;
mod program;
mod replay;
mod report;
mod run;
mod selftest;
mod shader;
mod stage;
mod trim;
mod wine;

use afterimage_capture::CaptureError;
use afterimage_log::{Log, Writer};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::Path;
use std::process::ExitCode;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// Draws the commands and shaders of dead graphics stacks with Vulkan.
///
/// Examples:
///   afterimage run game.exe                         run a Direct3D 9 program
///   afterimage run --capture 100-102 c.aftercap game.exe
///   afterimage install ~/.wine                      have every program of a Wine prefix draw with it
///   afterimage replay c.aftercap -o pictures        draw what was captured
///   afterimage report c.aftercap -o report.html     the same as a page to read or to attach to a bug
///   afterimage inspect c.aftercap state --call 1742 what was asked for, call by call
///   afterimage inspect scene.kcap.gz | less         read a recording of a console's command buffers
///   afterimage trim c.aftercap -o draw.aftercap --calls 1742
///   afterimage diff goldens pictures -o report      compare pictures with golden ones
///   afterimage info                                 devices, and what is missing
///   afterimage selftest                             whether this machine draws right, as a page to send
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
    Install(install::Args),
    Uninstall(install::UninstallArgs),
    /// Start the viewer, which shows what programs draw. `afterimage view --help` lists its options.
    #[command(disable_help_flag = true)]
    View {
        /// Options of the viewer.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    Replay(replay::Args),
    Report(report::Args),
    Dump(dump::Args),
    Trim(trim::Args),
    Diff(diff::Args),
    Inspect(inspect::Args),
    Info(info::Args),
    Selftest(selftest::Args),
    Config(config::Args),
    Shader(shader::Args),
    Completions(manual::Completions),
    Manual(manual::Manual),
}

impl Command {
    /// Whether it draws what strangers made, and so needs a process of its own; and whether into windows.
    fn draws(&self) -> Option<bool> {
        match self {
            Self::Replay(args) => args.is_confined().then_some(args.window),
            Self::Report(_) | Self::Trim(_) | Self::Diff(_) => Some(false),
            Self::Inspect(args) => args.draws().then_some(false),
            Self::Run(_) | Self::View { .. } | Self::Dump(_) | Self::Info(_) => None,
            Self::Install(_) | Self::Uninstall(_) | Self::Config(_) | Self::Shader(_) => None,
            // What it draws, it has others draw.
            Self::Selftest(_) | Self::Completions(_) | Self::Manual(_) => None,
        }
    }
}

/// What a command could not do, for a person.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Failure(String);

impl Failure {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// A file that cannot be read as a capture, and what to do about it.
    pub(crate) fn capture(path: &Path, error: &CaptureError) -> Self {
        let name = path.display();
        let again = "capture it again (F10, AFTERIMAGE_CAPTURE_FRAMES)";
        Self(match error {
            CaptureError::Io { .. } if path.is_dir() => format!("{name} is a folder; name a capture (.aftercap) in it"),
            CaptureError::Io { source, .. } if source.kind() == ErrorKind::NotFound => format!("{name} does not exist"),
            CaptureError::Io { source, .. } => format!("reading {name}: {source}"),
            CaptureError::Magic => format!("{name} is no capture: it does not begin as .aftercap files do"),
            CaptureError::Truncated { .. } if path.metadata().is_ok_and(|data| data.len() == 0) => {
                format!("{name} is empty; {again}")
            }
            CaptureError::Truncated { .. } => format!("{name}: {error}; nothing of it can be shown, {again}"),
            _ => format!("{name}: {error}"),
        })
    }

    pub(crate) fn file(what: &str, path: &Path, error: std::io::Error) -> Self {
        Self(format!("{what} {}: {error}", path.display()))
    }
}

pub(crate) use outputs::say;

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
    let colour = anstream::AutoStream::choice(&std::io::stderr()) != anstream::ColorChoice::Never;
    tracing_subscriber::registry()
        .with(afterimage_log::filter(afterimage_config::settings(), "winit=error"))
        .with(Log::new(vec![Writer::new(std::io::stderr(), colour)]).of_process())
        .with(report::Keeper)
        .init();
    let matches = Cli::command().get_matches();
    let command = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit()).command;
    if let Err(refused) = outputs::check(&matches) {
        complain(&refused.to_string());
        return ExitCode::from(refused.code);
    }
    if let Some(display) = command.draws() {
        match own_process::divide(&matches, display) {
            Ok(None) => {}
            Ok(Some(code)) => return code,
            Err(failure) => {
                complain(&failure.to_string());
                return ExitCode::FAILURE;
            }
        }
    }
    // `run` tells of the program's configuration, and `config` of the one that it is asked about.
    if !matches!(command, Command::Config(_) | Command::Run(_)) {
        afterimage_log::tell(afterimage_config::settings());
    }
    let result = match command {
        Command::Run(args) => run::run(&args),
        Command::View { arguments } => Err(run::view(&arguments)),
        Command::Install(args) => install::install(&args).map(|()| ExitCode::SUCCESS),
        Command::Uninstall(args) => install::uninstall(&args).map(|()| ExitCode::SUCCESS),
        Command::Replay(args) => replay::replay(&args),
        Command::Report(args) => report::run(&args),
        Command::Dump(args) => dump::dump(&args).map(|()| ExitCode::SUCCESS),
        Command::Trim(args) => trim::run(&args).map(|()| ExitCode::SUCCESS),
        Command::Diff(args) => Ok(diff::run(&args)),
        Command::Inspect(args) => inspect::inspect(&args),
        Command::Info(args) => info::info(&args).map(|()| ExitCode::SUCCESS),
        Command::Selftest(args) => selftest::run(&args),
        Command::Config(args) => config::run(&args),
        Command::Shader(args) => Ok(shader::run(&args)),
        Command::Completions(args) => {
            manual::completions(&args);
            Ok(ExitCode::SUCCESS)
        }
        Command::Manual(args) => manual::manual(&args).map(|()| ExitCode::SUCCESS),
    };
    afterimage_log::finish();
    let code = result.unwrap_or_else(|failure| {
        complain(&failure.to_string());
        ExitCode::FAILURE
    });
    match outputs::lost() {
        Some(why) => {
            complain(&why);
            ExitCode::from(outputs::LOST)
        }
        None => code,
    }
}

#[cfg(test)]
mod tests {
    use super::Cli;
    use clap::{Command, CommandFactory};

    /// Columns of a terminal that is not known, as clap has it.
    const COLUMNS: usize = 100;

    /// Texts of commands are printed line by line, so a line that is too long would be broken in its middle.
    #[test]
    fn texts_of_commands_fit_a_terminal() {
        fn check(command: &Command) {
            let about = command.get_long_about().map(ToString::to_string).unwrap_or_default();
            // Lines of examples and tables begin with blanks and stay whole.
            let long = about.lines().find(|line| line.len() > COLUMNS && !line.starts_with("  "));
            assert_eq!(long, None, "`{}` has a line of more than {COLUMNS} columns", command.get_name());
            command.get_subcommands().for_each(check);
        }
        let cli = Cli::command();
        cli.clone().debug_assert();
        check(&cli);
    }
}
