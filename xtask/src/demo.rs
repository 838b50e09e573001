//! `cargo xtask demo`: the sample programs, every way there is, scenes of the PlayStation 4, and shaders in every
//! language, as a table and a page.

use std::path::Path;

use crate::build::{self, Profile, Tree, Width};
use crate::gnm::scenes;
use crate::matrix::{self, End};
use crate::programs;
use crate::report;
use crate::setup::{self, Machine};
use crate::shaders;
use crate::step::{Failure, Result};
use crate::wine::Wine;
use crate::wine::place::{Place, Release};
use crate::workspace::Workspace;

/// Arguments of `demo`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Only the native half, even where Wine and mingw are there.
    #[arg(long)]
    native_only: bool,
    /// Watch with the validation layers; any message is a failure.
    #[arg(long)]
    validate: bool,
    /// Build as the tests do: quicker to build, slower to run.
    #[arg(long)]
    dev: bool,
}

/// The command itself.
///
/// # Errors
/// When something cannot be built, or a program or its pictures go wrong.
pub(crate) fn main(ws: &Workspace, args: &Args) -> Result {
    let machine = setup::ensure(ws, &setup::Args { native_only: args.native_only, check: false })?;
    let profile = if args.dev { Profile::Dev } else { Profile::Release };
    let tree = build::tree(ws, &machine, profile)?;
    let out = ws.target.join("demo");
    let wine = Wine::start(ws, &machine, &tree)?;
    let rows = matrix::run(ws, &tree, &wine, &out, args.validate)?;
    let notes: Vec<String> =
        machine.missing.iter().map(|missing| format!("{}: {}", missing.what, missing.why)).collect();
    let shaders = shaders::translate(ws, &tree)?;
    let scenes = scenes::draw(ws, &tree, profile, &out.join("gnm"))?;
    let engines = engines(ws, &machine, &tree, &out.join("programs"))?;
    report::write(&rows, &scenes, &shaders, &engines, &out, &notes)?;
    report::print(&rows, &ws.root);
    programs::print(&engines);
    println!("{}; all on one: {}", scenes.summary(), scenes.sheet.display());
    for count in shaders.counts() {
        println!("shaders: {count}");
    }
    println!("all pictures: {}", out.join("index.html").display());
    let drawn = || rows.iter().map(|row| &row.end).chain(engines.iter().map(|row| &row.end));
    let ends = || drawn().chain(scenes.scenes.iter().map(|scene| &scene.end));
    let bad = ends().filter(|end| matches!(end, End::Bad(_))).count();
    if bad > 0 {
        return Err(Failure::new("the demo", format!("{bad} of {} runs went wrong", ends().count()))
            .advise("the table says which, and why"));
    }
    Ok(())
}

/// Engines from a package registry, 64 bit, beside WineD3D.
fn engines(ws: &Workspace, machine: &Machine, tree: &Tree, out: &Path) -> Result<Vec<programs::Row>> {
    if let Some(why) = machine.no_windows() {
        println!("skipped: engines from a package registry: {why}");
        return Ok(Vec::new());
    }
    let place = Place::prepare(ws, Release::Host)?;
    programs::run(ws, tree, &place, &[Width::W64], &[], out)
}
