//! Releases: what `cargo xtask dist` makes, and whether it is right.
//!
//! The tree is staged once ([`stage`]) out of what [`xtask::build`] built; the archives and the Debian package are made of it.
//! `docs/release.md` says what is in it, and is its first page.

#![forbid(unsafe_code)]

mod archive;
mod bare;
mod changes;
mod check;
mod copyright;
mod crates;
mod deb;
mod debug;
mod files;
mod licences;
mod links;
mod macos;
mod pages;
mod selftest;
mod stage;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Command, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use xtask::build::{self, Profile, Tree, Windows};
use xtask::laboratory::RELEASE_COMMANDS;
use xtask::macos::Target;
use xtask::score::Score;
use xtask::setup;
use xtask::step::{Failure, Result};
use xtask::workspace::Workspace;

use stage::Release;

/// What makes releases, behind `cargo xtask`.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", version, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Chore,
}

// What each does is said in `xtask::laboratory`, since the help of `cargo xtask` says it too.
#[derive(Debug, Subcommand)]
enum Chore {
    Dist(Dist),
    Selftest(Selftest),
    // For `cargo xtask test`.
    #[command(hide = true)]
    Check(Check),
}

/// Arguments of `dist`.
#[derive(Debug, clap::Args)]
struct Dist {
    /// Of what the tests build: soon done, but slower and larger than what users get. In target/packages-dev.
    #[arg(long)]
    dev: bool,
    /// Of a tree that was built before, such as target/dist, instead of building one.
    #[arg(long, value_name = "DIR")]
    tree: Option<PathBuf>,
    /// Then see whether all is right, and install it in a bare Debian.
    #[arg(long)]
    check: bool,
    /// For Macs: aarch64-apple-darwin or x86_64-apple-darwin. In target/packages-macos.
    #[arg(long, value_name = "TRIPLE", conflicts_with_all = ["tree", "check"])]
    target: Option<Target>,
}

/// Arguments of `selftest`.
#[derive(Debug, clap::Args)]
struct Selftest {
    /// Of a tree that was built before, such as target/dist, instead of what the tests build.
    #[arg(long, value_name = "DIR")]
    tree: Option<PathBuf>,
    /// Where it goes: a folder that is empty or not there. [default: where the tree's `afterimage` looks for it]
    #[arg(long, short, value_name = "DIR")]
    output: Option<PathBuf>,
}

/// Arguments of `check`.
#[derive(Debug, clap::Args)]
struct Check {
    /// Where to write how many checks passed, failed and were skipped.
    #[arg(long, value_name = "FILE")]
    score: PathBuf,
}

fn command_line() -> Command {
    RELEASE_COMMANDS.iter().fold(Cli::command(), |cli, row| {
        let text = format!("{}\n\n{}", row.about, row.more);
        cli.mut_subcommand(row.name, |command| command.about(row.about).long_about(text))
    })
}

fn main() -> ExitCode {
    let cli = Cli::from_arg_matches(&command_line().get_matches()).unwrap_or_else(|error| error.exit());
    let ws = Workspace::find();
    let result = match cli.command {
        Chore::Dist(args) => dist(&ws, &args),
        Chore::Selftest(args) => material(&ws, &args),
        Chore::Check(args) => tested(&ws).write(&args.score),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("\n{failure}");
            ExitCode::FAILURE
        }
    }
}

fn dist(ws: &Workspace, args: &Dist) -> Result {
    let profile = if args.dev { Profile::Dev } else { Profile::Release };
    if let Some(target) = args.target {
        return macos::make(ws, target, profile);
    }
    let tree = match &args.tree {
        Some(folder) => Tree::existing(folder),
        None => build::tree(ws, &setup::ensure(ws, &setup::Args::default())?, profile)?,
    };
    let release = make(ws, &tree, profile)?;
    release.list();
    if args.check {
        let mut score = Score::default();
        check::all(ws, &tree, &release, &mut score);
        println!("{} checks passed, {} failed, {} skipped", score.passed, score.failed, score.skipped);
        if score.failed > 0 {
            return Err(Failure::new("checking the release", format!("{} checks failed", score.failed)));
        }
    }
    match &release.windows {
        Windows::Built => Ok(()),
        Windows::Impossible(why) => {
            println!("without the Windows half: {why}");
            Ok(())
        }
        Windows::Broken(why) => Err(Failure::new("building the Windows half", why)),
    }
}

/// The self-test's material alone.
fn material(ws: &Workspace, args: &Selftest) -> Result {
    let tree = match &args.tree {
        Some(folder) => Tree::existing(folder),
        None => build::native(ws, Profile::Dev)?,
    };
    let folder = args.output.clone().unwrap_or_else(|| tree.root().join(selftest::FOLDER));
    let bytes = match &args.output {
        Some(folder) => selftest::make(ws, &tree, folder)?,
        None => selftest::add(ws, &tree)?,
    };
    println!("{}: {:.1} MB", folder.display(), bytes as f64 / 1e6);
    Ok(())
}

/// A release of what the tests built, checked: a release build alone takes longer than all the tests.
fn tested(ws: &Workspace) -> Score {
    let mut score = Score::default();
    let tree = build::tree(ws, &setup::found(ws), Profile::Dev);
    match tree.and_then(|tree| Ok((make(ws, &tree, Profile::Dev)?, tree))) {
        Ok((release, tree)) => check::all(ws, &tree, &release, &mut score),
        Err(failure) => score.add(Err(failure)),
    }
    score
}

/// Stages, and packs.
fn make(ws: &Workspace, tree: &Tree, profile: Profile) -> Result<Release> {
    selftest::add(ws, tree)?;
    let release = stage::stage(ws, tree, profile, stage::folder(ws, profile))?;
    archive::pack(ws, &release, &release.tree, &release.archive())?;
    archive::pack(ws, &release, &release.debug, &release.debug_archive())?;
    deb::pack(ws, &release)?;
    Ok(release)
}

#[cfg(test)]
mod tests {
    use super::RELEASE_COMMANDS;

    /// Also: each row is a command here, and each command that is shown has a row.
    #[test]
    fn the_command_line_is_well_formed() {
        let cli = super::command_line();
        let shown = cli.get_subcommands().filter(|command| !command.is_hide_set()).map(|command| command.get_name());
        assert!(shown.eq(RELEASE_COMMANDS.iter().map(|row| row.name)));
        cli.debug_assert();
    }
}
