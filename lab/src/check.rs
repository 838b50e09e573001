//! The laboratory's parts of `cargo xtask test`: the samples in every way, keys, recordings, and others' tests.

use std::path::PathBuf;

use xtask::build::{self, Profile};
use xtask::score::Score;
use xtask::setup;
use xtask::step::{self, Result};
use xtask::workspace::Workspace;

use crate::blit;
use crate::conformance;
use crate::endings;
use crate::gnm;
use crate::images;
use crate::installed;
use crate::keys;
use crate::killed;
use crate::matrix::{self, End};
use crate::messages;
use crate::metal;
use crate::nv2a;
use crate::patched;
use crate::report;
use crate::soak;
use crate::wine::Wine;

/// Arguments of `check`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// What to check.
    #[arg(value_enum, required = true)]
    parts: Vec<Part>,
    /// Where to write how many checks passed, failed and were skipped.
    #[arg(long, value_name = "FILE")]
    score: PathBuf,
}

/// As in `cargo xtask test`, which calls each so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    Samples,
    Install,
    Keys,
    Messages,
    Blit,
    Nv2a,
    Gnm,
    Conformance,
    Metal,
}

impl Part {
    /// Whether programs run in the prefixes of all samples, whose servers end with each such part.
    fn uses_our_prefixes(self) -> bool {
        matches!(self, Self::Samples | Self::Keys | Self::Messages | Self::Blit)
    }
}

/// The command itself: goes on after a failure, which is in the score.
///
/// # Errors
/// When the score cannot be written.
pub(crate) fn main(ws: &Workspace, args: &Args) -> Result {
    let machine = setup::found(ws);
    let checked = |part: Part| {
        let mut score = Score::default();
        let result = match part {
            Part::Samples => samples(ws, &machine, &mut score),
            Part::Install => install(ws, &machine, &mut score),
            Part::Keys => press_keys(ws, &machine, &mut score),
            Part::Messages => told(ws, &machine, &mut score),
            Part::Blit => blits(ws, &machine, &mut score),
            Part::Nv2a => recordings(ws, &mut score),
            Part::Gnm => shaders(ws, &mut score),
            Part::Conformance => suites(ws, &machine, &mut score),
            Part::Metal => on_metal(ws, &machine, &mut score),
        };
        if let Err(failure) = result {
            score.add(Err(failure));
        }
        score
    };
    let (alone, beside): (Vec<Part>, Vec<Part>) = args.parts.iter().partition(|part| part.uses_our_prefixes());
    let (installs, beside): (Vec<Part>, Vec<Part>) = beside.into_iter().partition(|part| *part == Part::Install);
    let mut score = Score::default();
    alone.into_iter().for_each(|part| score.join(checked(part)));
    // Wine's services start and end while this waits.
    for all in
        step::side_by_side(&[installs, beside], |parts| parts.iter().map(|part| checked(*part)).collect::<Vec<_>>())
    {
        all.into_iter().for_each(|one| score.join(one));
    }
    score.write(&args.score)
}

fn count(score: &mut Score, end: &End) {
    match end {
        End::Good => score.passed += 1,
        End::Skipped(_) => score.skipped += 1,
        End::Bad(_) => score.failed += 1,
    }
}

fn recordings(ws: &Workspace, score: &mut Score) -> Result {
    match nv2a::test(ws)? {
        nv2a::Tested::Absent => score.skipped += 1,
        nv2a::Tested::Done => score.passed += 1,
    }
    Ok(())
}

/// Captures of every kind, by the renderer on Metal.
fn on_metal(ws: &Workspace, machine: &setup::Machine, score: &mut Score) -> Result {
    metal::test(ws, machine)?;
    score.passed += 1;
    Ok(())
}

/// Other people's shaders.
fn shaders(ws: &Workspace, score: &mut Score) -> Result {
    match gnm::corpus::test(ws)? {
        gnm::corpus::Tested::Absent(why) => {
            println!("skipped: other people's shaders: {why}");
            score.skipped += 1;
        }
        gnm::corpus::Tested::Done => score.passed += 1,
    }
    Ok(())
}

fn suites(ws: &Workspace, machine: &setup::Machine, score: &mut Score) -> Result {
    match conformance::test(ws, machine)? {
        conformance::Tested::Absent(why) => {
            println!("skipped: Wine's tests: {why}");
            score.skipped += 1;
        }
        conformance::Tested::Done => score.passed += 1,
    }
    Ok(())
}

/// The sample programs in every way, under the validation layers.
fn samples(ws: &Workspace, machine: &setup::Machine, score: &mut Score) -> Result {
    let tree = build::tree(ws, machine, Profile::Dev)?;
    let wine = Wine::start(ws, machine, &tree)?;
    let rows = matrix::run(ws, &tree, &wine, &ws.target.join("test-samples"), true)?;
    score.add(images::check(ws, &rows));
    let killed = killed::run(ws, &tree, &wine);
    let ended = endings::run(ws, &tree, &wine);
    let patched = patched::run(ws, &tree, &wine);
    let soaked = soak::test(ws, &tree, &wine);
    let ends = rows.iter().map(|row| &row.end).chain(killed.iter().map(|row| &row.end));
    let ends = ends.chain(ended.iter().map(|row| &row.end));
    let ends = ends.chain(patched.iter().map(|row| &row.end));
    let ends = ends.chain(soaked.iter().map(|(_, end)| end));
    ends.for_each(|end| count(score, end));
    report::print(&rows, &ws.root);
    for row in killed {
        let (word, how) = match row.end {
            End::Good => ("ok", "the program went on, and a new viewer shows whole frames".to_owned()),
            End::Skipped(why) => ("skipped", why),
            End::Bad(why) => ("FAILED", why),
        };
        println!("{word} viewer killed under {}: {how}", row.program);
    }
    for row in ended {
        let what = format!("programs that end without releasing a device, {} bit", row.width.bits());
        match row.end {
            End::Good => println!("ok {what}: told from those that are killed"),
            End::Skipped(why) => println!("skipped {what}: {why}"),
            End::Bad(why) => println!("FAILED {what}: {why}"),
        }
    }
    for row in patched {
        let what = format!("programs that follow null pointers, {} bit", row.width.bits());
        match row.end {
            End::Good => println!("ok {what}: they go on where a crash patch says so, and nowhere else"),
            End::Skipped(why) => println!("skipped {what}: {why}"),
            End::Bad(why) => println!("FAILED {what}: {why}"),
        }
    }
    for (what, end) in soaked {
        match end {
            End::Good => println!("ok {what}: memory stays where it was"),
            End::Skipped(why) => println!("skipped {what}: {why}"),
            End::Bad(why) => println!("FAILED {what}: {why}"),
        }
    }
    Ok(())
}

/// Our library in Wine's prefixes, and out of them.
fn install(ws: &Workspace, machine: &setup::Machine, score: &mut Score) -> Result {
    let tree = build::tree(ws, machine, Profile::Dev)?;
    let wine = Wine::start(ws, machine, &tree)?;
    for row in installed::run(ws, &tree, &wine) {
        count(score, &row.end);
        row.skipped.iter().for_each(|why| println!("skipped in a {}: {why}", row.prefix));
        score.skipped += row.skipped.len();
        match row.end {
            End::Good => println!("ok a {}: programs draw with us, and it is what it was when we are out", row.prefix),
            End::Skipped(why) => println!("skipped a {}: {why}", row.prefix),
            End::Bad(why) => println!("FAILED a {}: {why}", row.prefix),
        }
    }
    Ok(())
}

/// Keys in the windows of Windows programs, whoever renders them.
fn press_keys(ws: &Workspace, machine: &setup::Machine, score: &mut Score) -> Result {
    let tree = build::tree(ws, machine, Profile::Dev)?;
    let wine = Wine::start(ws, machine, &tree)?;
    for row in keys::run(ws, &tree, &wine) {
        count(score, &row.end);
        match row.end {
            End::Good => println!("ok keys in a program's window, {}: what was shown is kept", row.way),
            End::Skipped(why) => println!("skipped keys in a program's window, {}: {why}", row.way),
            End::Bad(why) => println!("FAILED keys in a program's window, {}: {why}", row.way),
        }
    }
    Ok(())
}

/// What is said where nothing can draw, and programs with windows where there is no display.
fn told(ws: &Workspace, machine: &setup::Machine, score: &mut Score) -> Result {
    let tree = build::tree(ws, machine, Profile::Dev)?;
    let wine = Wine::start(ws, machine, &tree)?;
    for row in messages::run(ws, &tree, &wine) {
        count(score, &row.end);
        match row.end {
            End::Good => println!("ok {}", row.what),
            End::Skipped(why) => println!("skipped {}: {why}", row.what),
            End::Bad(why) => println!("FAILED {}: {why}", row.what),
        }
    }
    Ok(())
}

/// Pictures that are drawn into windows by GDI.
fn blits(ws: &Workspace, machine: &setup::Machine, score: &mut Score) -> Result {
    let tree = build::tree(ws, machine, Profile::Dev)?;
    let wine = Wine::start(ws, machine, &tree)?;
    for row in blit::run(ws, &tree, &wine) {
        count(score, &row.end);
        match row.end {
            End::Good => println!("ok pictures by GDI, {}: the window shows what was drawn", row.way),
            End::Skipped(why) => println!("skipped pictures by GDI, {}: {why}", row.way),
            End::Bad(why) => println!("FAILED pictures by GDI, {}: {why}", row.way),
        }
    }
    Ok(())
}
