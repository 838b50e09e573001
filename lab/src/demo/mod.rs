//! `cargo xtask demo`: samples of every guest in every way there is, what is done with their captures, scenes of the PlayStation 4,
//! transform feedback, and shaders in every language, as a table and a page.

mod browser;
mod captures;
mod page;
mod window;
mod words;

use std::path::Path;

use xtask::build::{self, Profile, Tree, Width};
use xtask::setup::{self, Machine};
use xtask::step::{Context, Failure, Result};
use xtask::workspace::Workspace;

use crate::feedback;
use crate::gnm::scenes;
use crate::matrix::{self, End};
use crate::programs;
use crate::report;
use crate::shaders;
use crate::wine::Wine;
use crate::wine::place::{Place, Release};
use page::Section;
pub(crate) use page::texts;

/// Arguments of `demo`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Only these parts; all if none is named.
    #[arg(value_enum)]
    parts: Vec<Part>,
    /// Only the native half, even where Wine and mingw are there.
    #[arg(long)]
    native_only: bool,
    /// Watch with the validation layers; any message is a failure.
    #[arg(long)]
    validate: bool,
    /// Build as the tests do: quicker to build, slower to run.
    #[arg(long)]
    dev: bool,
    /// Use what was built by the last run.
    #[arg(long)]
    no_build: bool,
}

/// What the demo shows, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    /// The sample programs in every way.
    Samples,
    /// A capture of a sample of each guest, and everything that is done with captures.
    Captures,
    /// Engines that others wrote, beside WineD3D.
    Engines,
    /// Scenes of the PlayStation 4.
    Gnm,
    /// Transform feedback without hardware.
    Feedback,
    /// Shaders in every language.
    Shaders,
    /// Figures over pictures, devices, configuration.
    Words,
}

/// The command itself.
///
/// # Errors
/// When something cannot be built, or a program or its pictures go wrong.
pub(crate) fn main(ws: &Workspace, args: &Args) -> Result {
    let machine = setup::ensure(ws, &setup::Args { native_only: args.native_only, check: false })?;
    let profile = if args.dev { Profile::Dev } else { Profile::Release };
    let tree = if args.no_build { build::built(ws, &machine, profile) } else { build::tree(ws, &machine, profile)? };
    let out = ws.target.join("demo");
    std::fs::create_dir_all(&out).doing(format!("creating {}", out.display()))?;
    let wanted = |part| args.parts.is_empty() || args.parts.contains(&part);
    let mut sections: Vec<Section> = Vec::new();
    if wanted(Part::Samples) {
        let wine = Wine::start(ws, &machine, &tree)?;
        let rows = matrix::run(ws, &tree, &wine, &out.join("samples"), args.validate)?;
        report::print(&rows, &ws.root);
        report::write(&rows, &out.join("results.json"), &out)?;
        sections.push(page::samples(&rows, &out));
    }
    if wanted(Part::Captures) {
        sections.push(captures::section(ws, &tree, &out, args.validate)?);
    }
    if wanted(Part::Engines) {
        let engines = engines(ws, &machine, &tree, &out.join("programs"))?;
        programs::print(&engines);
        sections.extend(page::engines(&engines, &out));
    }
    if wanted(Part::Gnm) {
        let scenes = scenes::draw(ws, &tree, profile, &out.join("gnm"))?;
        sections.push(page::scenes(&scenes, &out));
    }
    if wanted(Part::Feedback) {
        let particles = feedback::particles(ws, &tree, profile, &out.join("xfb"))?;
        sections.push(page::particles(&particles, &out));
    }
    if wanted(Part::Shaders) {
        let shaders = shaders::translate(ws, &tree)?;
        sections.push(page::shaders(&shaders));
    }
    if wanted(Part::Words) {
        sections.push(words::section(ws, &tree, &out)?);
    }
    let notes: Vec<String> =
        machine.missing.iter().map(|missing| format!("{}: {}", missing.what, missing.why)).collect();
    page::write(&sections, &notes, &out)?;
    println!();
    for line in sections.iter().flat_map(|section| &section.lines) {
        println!("{line}");
    }
    println!("all pictures: {}", out.join("index.html").display());
    let ends = || sections.iter().flat_map(|section| &section.ends);
    let bad = ends().filter(|end| matches!(end, End::Bad(_))).count();
    if bad > 0 {
        return Err(Failure::new("the demo", format!("{bad} of {} runs went wrong", ends().count()))
            .advise("the lines above and the page say which, and why"));
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
