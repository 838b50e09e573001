//! `afterimage completions` and `afterimage manual`: what shells and `man` know of the command line.

use crate::{Cli, Failure, outputs, say};
use afterimage_manual::Shell;
use clap::{CommandFactory, Parser};
use std::path::PathBuf;

/// Print completions of this command line for a shell.
///
/// Releases bring those of bash, zsh and fish along; the Debian package puts them where shells look.
///
/// Examples:
///   afterimage completions bash > ~/.local/share/bash-completion/completions/afterimage
///   afterimage completions zsh > ~/.zfunc/_afterimage     with ~/.zfunc in fpath
///   afterimage completions fish > ~/.config/fish/completions/afterimage.fish
#[derive(Debug, Parser)]
#[command(verbatim_doc_comment)]
pub(crate) struct Completions {
    /// The shell.
    shell: Shell,
}

/// Write the manual pages of this program into a folder, one for each command.
///
/// Releases bring them along.
///
/// Examples:
///   afterimage manual pages && man -l pages/afterimage-replay.1
#[derive(Debug, Parser)]
#[command(verbatim_doc_comment)]
pub(crate) struct Manual {
    /// The folder, which is made if it is not there.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

/// The first command.
pub(crate) fn completions(args: &Completions) {
    say(&String::from_utf8_lossy(&afterimage_manual::completions(Cli::command(), args.shell)));
}

/// The second.
pub(crate) fn manual(args: &Manual) -> Result<(), Failure> {
    let pages = afterimage_manual::pages(Cli::command()).map_err(|error| Failure::new(format!("manual: {error}")))?;
    outputs::fill(&args.folder, false).map_err(|error| Failure::file("making", &args.folder, error))?;
    for page in pages {
        outputs::write(&args.folder.join(page.file), &String::from_utf8_lossy(&page.text))?;
    }
    Ok(())
}
