//! `cargo xtask demo`: samples of every guest in every way there is, what is done with their captures, scenes of the PlayStation 4,
//! transform feedback, and shaders in every language, as a table and a page that grows with every step.

mod browser;
mod captures;
mod metal;
mod page;
mod steps;
mod window;
mod words;

use std::path::PathBuf;
use std::thread::JoinHandle;
use std::time::Instant;

use xtask::build::{self, Profile, Tree};
use xtask::setup::{self, Machine};
use xtask::step::{Context, Failure, Result};
use xtask::workspace::Workspace;

use crate::matrix::{End, Runs};
use page::Section;
pub(crate) use page::texts;
use steps::{Step, Times};

/// Arguments of `demo`.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Args {
    /// Only these parts.
    #[arg(value_enum)]
    parts: Vec<Part>,
    /// Also what takes long: captures and all that is done with them, engines of others, transform feedback.
    #[arg(long, conflicts_with = "parts")]
    all: bool,
    /// Only the native half, even where Wine and mingw are there.
    #[arg(long)]
    native_only: bool,
    /// Watch with the validation layers; any message is a failure.
    #[arg(long)]
    validate: bool,
    /// Build what users get: slower to build, quicker to run.
    #[arg(long)]
    release: bool,
    /// Use what was built by the last run.
    #[arg(long)]
    no_build: bool,
    /// Install what is missing without asking.
    #[arg(long, short)]
    yes: bool,
}

/// What the demo shows, in the order of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
enum Part {
    /// The sample programs in every way.
    Samples,
    /// Scenes of the PlayStation 4.
    Gnm,
    /// Shaders in every language.
    Shaders,
    /// Figures over pictures, devices, configuration.
    Words,
    /// A sample as the renderer on Metal draws it.
    Metal,
    /// A capture of a sample of each guest, and everything that is done with captures.
    Captures,
    /// Engines that others wrote, beside WineD3D.
    Engines,
    /// Transform feedback without hardware.
    Feedback,
}

/// What the steps share.
struct Demo {
    ws: Workspace,
    args: Args,
    machine: Machine,
    /// What is being installed.
    installing: Option<JoinHandle<Result<Machine>>>,
    profile: Profile,
    tree: Tree,
    out: PathBuf,
    runs: Option<Runs>,
    sections: Vec<(Part, Section)>,
    start: Instant,
    /// Minutes until the page had its first picture.
    first_picture: Option<f32>,
}

/// The command itself.
///
/// # Errors
/// When something cannot be built, or a program or its pictures go wrong.
pub(crate) fn main(ws: &Workspace, args: &Args) -> Result {
    let start = Instant::now();
    let asked = setup::Args { native_only: args.native_only, yes: args.yes, ..setup::Args::default() };
    let plan = setup::plan(ws, &asked)?;
    let profile = if args.release { Profile::Release } else { Profile::Dev };
    let (machine, installing) = if profile == Profile::Dev && !args.no_build && !args.validate {
        // What the first pictures need while the library is built, which needs nothing of it; the rest while there is more to see.
        let (first, rest) = plan.split();
        let machine = std::thread::scope(|scope| {
            // The first step does it again, in no time, and says what is wrong with it.
            scope.spawn(|| build::first_library(ws).ok());
            first.carry_out(ws)
        })?;
        let ws = ws.clone();
        (machine, Some(std::thread::spawn(move || rest.carry_out(&ws))))
    } else {
        (plan.carry_out(ws)?, None)
    };
    let tree = build::built(ws, &machine, profile);
    let out = ws.target.join("demo");
    std::fs::create_dir_all(&out).doing(format!("creating {}", out.display()))?;
    let (sections, runs, first_picture) = (Vec::new(), None, None);
    let (ws, args) = (ws.clone(), args.clone());
    let mut demo = Demo { ws, args, machine, installing, profile, tree, out, runs, sections, start, first_picture };
    let todo: Vec<&Step> = steps::STEPS.iter().filter(|step| step.is_wanted(&demo.args)).collect();
    let mut times = Times::read(&demo.out);
    for (at, step) in todo.iter().enumerate() {
        demo.show(&times.to_come(&todo[at..]))?;
        if step.needs_all() {
            demo.settle()?;
        }
        let begun = Instant::now();
        (step.run)(&mut demo)?;
        times.took(step, begun.elapsed());
    }
    demo.settle()?;
    demo.show(&[])?;
    times.write(&demo.out)?;
    demo.end()
}

impl Demo {
    /// Waits until everything is installed.
    ///
    /// # Errors
    /// When something is missing that nothing works without.
    fn settle(&mut self) -> Result {
        let Some(installing) = self.installing.take() else { return Ok(()) };
        let machine = installing.join().unwrap_or_else(|_| Err(Failure::new("set-up", "it panicked")))?;
        self.machine.missing.extend(machine.missing);
        Ok(())
    }

    /// Adds a section to the page, or puts it in the place of what was there.
    fn put(&mut self, part: Part, section: Section) {
        self.sections.retain(|(other, old)| *other != part || old.id != section.id);
        self.sections.push((part, section));
        self.sections.sort_by_key(|(part, _)| *part);
    }

    /// Writes the page, with the steps to come and the seconds that they take.
    fn show(&mut self, to_come: &[(&str, u32)]) -> Result {
        let lost = self.machine.missing.iter();
        let notes: Vec<String> = lost.map(|missing| format!("{}: {}", missing.what, missing.why)).collect();
        let page = page::write(self.sections.iter().map(|(_, section)| section), &notes, to_come, &self.out)?;
        if self.first_picture.is_none() && !self.sections.is_empty() {
            self.first_picture = Some(self.minutes());
            println!("the first pictures, and soon more: {}", page.display());
        }
        Ok(())
    }

    fn minutes(&self) -> f32 {
        self.start.elapsed().as_secs_f32() / 60.0
    }

    /// Says what there is, and whether all went well.
    fn end(&self) -> Result {
        println!();
        for line in self.sections.iter().flat_map(|(_, section)| &section.lines) {
            println!("{line}");
        }
        if let Some(first) = self.first_picture {
            println!("first pictures after {first:.1} minutes, all after {:.1}", self.minutes());
        }
        if self.args.parts.is_empty() && !self.args.all {
            println!("captures, engines of others and transform feedback: cargo xtask demo --all");
        }
        println!("all pictures: {}", self.out.join("index.html").display());
        let ends = || self.sections.iter().flat_map(|(_, section)| &section.ends);
        let bad = ends().filter(|end| matches!(end, End::Bad(_))).count();
        if bad > 0 {
            return Err(Failure::new("the demo", format!("{bad} of {} runs went wrong", ends().count()))
                .advise("the lines above and the page say which, and why"));
        }
        Ok(())
    }
}
