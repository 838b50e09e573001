//! `cargo xtask test`: everything that must hold before a change goes in; with `--quick`, what is quick of it.

use std::sync::mpsc;
use std::time::Instant;

use xtask::build;
use xtask::laboratory::{self, Program};
use xtask::macos;
use xtask::score::Score;
use xtask::setup;
use xtask::step::{self, Context as _, Failure, Result};
use xtask::workspace::Workspace;

use crate::crates;
use crate::deny;
use crate::fuzz;

/// Arguments of `test`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Only these parts; all if none is named.
    #[arg(value_enum)]
    parts: Vec<Part>,
    /// Only formatting, clippy and the crates' tests without those that take long, need Wine or a browser: what fits into
    /// 5 minutes on 2 cores where everything is built. Says what it leaves out.
    #[arg(long, conflicts_with = "parts")]
    quick: bool,
    /// Install what is missing without asking.
    #[arg(long, short)]
    yes: bool,
    /// Seconds for each fuzz target.
    #[arg(long, default_value_t = 6)]
    fuzz_seconds: u32,
}

/// What the test command does, in this order, but for what only compiles: that is done beside the rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    /// Formatting.
    Fmt,
    /// Clippy, without a warning.
    Clippy,
    /// The documentation of crates that can be published, without a link that leads nowhere.
    Docs,
    /// Licences, versions and sources of dependencies.
    Deny,
    /// The tests of all crates.
    Crates,
    /// The sample programs in every way, compared pixel by pixel, and with their viewer killed.
    Samples,
    /// `afterimage install` in Wine prefixes: programs run by plain Wine, and the prefix as it was afterwards.
    Install,
    /// Keys pressed in the windows of Windows programs.
    Keys,
    /// What programs say where nothing can draw, and windows where there is no display.
    Messages,
    /// Pictures that Windows programs draw into their windows by GDI.
    Blit,
    /// Recordings of an Xbox's push buffers against the console's pictures, if they are there.
    Nv2a,
    /// Some of other people's shaders as the PlayStation 4's, if RADV is there.
    Gnm,
    /// Some of Wine's Direct3D 9 tests, if Wine is there.
    Conformance,
    /// Captures of every kind drawn by the renderer on Metal, on a software Metal, against Vulkan's pictures.
    Metal,
    /// The types of what is built for macOS.
    Macos,
    /// The release: its tree, archive and Debian package, made of what the tests built, and installed in a bare Debian.
    Package,
    /// The fuzz targets.
    Fuzz,
}

/// The parts of `--quick`.
const QUICK: [Part; 3] = [Part::Fmt, Part::Clippy, Part::Crates];
/// The parts that the laboratory does, and their names in `lab/src/check.rs`.
const LABORATORY: [(Part, &str); 9] = [
    (Part::Samples, "samples"),
    (Part::Install, "install"),
    (Part::Keys, "keys"),
    (Part::Messages, "messages"),
    (Part::Blit, "blit"),
    (Part::Nv2a, "nv2a"),
    (Part::Gnm, "gnm"),
    (Part::Conformance, "conformance"),
    (Part::Metal, "metal"),
];

/// Has lavapipe compile shaders without optimising them, which is most of what it does otherwise: tests draw little with each of many. What it
/// draws is the same.
pub(crate) const UNOPTIMISED: (&str, &str) = ("GALLIVM_PERF", "nopt");

/// The command itself. Goes on after a failure, so that one run shows all.
///
/// # Errors
/// When anything fails.
pub(crate) fn main(ws: &Workspace, args: &Args) -> Result {
    let start = Instant::now();
    let plan = setup::plan(ws, &setup::Args { native_only: args.quick, yes: args.yes, ..setup::Args::default() })?;
    let mut score = Score::default();
    let named: &[Part] = if args.quick { &QUICK } else { &args.parts };
    let wanted = |part| named.is_empty() || named.contains(&part);
    std::thread::scope(|scope| -> Result {
        let (done, set_up) = mpsc::channel();
        // Compilers need nothing of what is installed meanwhile, and what they leave of the machine is for other compilers.
        let beside = scope.spawn(move || {
            let installed = plan.carry_out(ws);
            let well = installed.is_ok();
            let _nobody_waits_who_has_failed = done.send(installed);
            if well { compiled_beside(ws, wanted) } else { Score::default() }
        });
        if wanted(Part::Fmt) {
            score.add(checked(ws, &["fmt", "--all", "--check"], "formatting", "run `cargo fmt --all`"));
        }
        if wanted(Part::Clippy) {
            let clippy = ["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"];
            score.add(checked(ws, &clippy, "clippy", "run `cargo clippy --workspace --all-targets`"));
        }
        set_up.recv().unwrap_or_else(|_| Err(Failure::new("set-up", "it panicked")))?;
        if wanted(Part::Docs) {
            score.add(documented(ws));
        }
        if wanted(Part::Deny) {
            match deny::check(ws) {
                Ok(deny::Checked::Well { advisories }) => {
                    println!("{}", deny::said(advisories));
                    score.passed += 1;
                }
                Ok(deny::Checked::Absent(why)) => {
                    println!("skipped: licences of dependencies: {why}");
                    score.skipped += 1;
                }
                Err(failure) => score.add(Err(failure)),
            }
        }
        if wanted(Part::Crates) {
            crates::test(ws, if args.quick { crates::Extent::Quick } else { crates::Extent::All }, &mut score)?;
        }
        let rooms: Vec<&str> = LABORATORY.iter().filter(|(part, _)| wanted(*part)).map(|(_, name)| *name).collect();
        if !rooms.is_empty() {
            score_of(ws, Program::Laboratory, &rooms, &mut score);
        }
        if wanted(Part::Package) {
            score_of(ws, Program::Release, &[], &mut score);
        }
        score.join(beside.join().unwrap_or(Score { failed: 1, ..Score::default() }));
        Ok(())
    })?;
    if wanted(Part::Fuzz) {
        match fuzz::run(ws, &[], args.fuzz_seconds, fuzz::Seed::Same, fuzz::Watch::Plain) {
            Ok((good, bad)) => {
                score.passed += good;
                score.failed += bad;
            }
            Err(failure) => score.add(Err(failure)),
        }
    }
    let minutes = start.elapsed().as_secs_f32() / 60.0;
    println!("{} passed, {} failed, {} skipped ({minutes:.1} min)", score.passed, score.failed, score.skipped);
    if score.failed == 0 { Ok(()) } else { Err(Failure::new("the tests", format!("{} failed", score.failed))) }
}

/// What only compiles, each in a target folder of its own, so that it waits for no other cargo: in the order in which it is needed, and with what
/// all else leaves of the machine, which waits for much.
fn compiled_beside(ws: &Workspace, wanted: impl Fn(Part) -> bool) -> Score {
    step::give_way();
    let mut score = Score::default();
    if LABORATORY.iter().any(|(part, _)| wanted(*part) && !matches!(part, Part::Nv2a | Part::Gnm)) {
        let _told_by_who_needs_them = build::windows_ahead(ws, &setup::found(ws));
    }
    if wanted(Part::Fuzz) {
        let _told_when_they_are_run = fuzz::build(ws);
    }
    if wanted(Part::Macos) {
        match macos::check(ws) {
            Ok(None) => score.passed += 1,
            Ok(Some(why)) => {
                println!("skipped: what is for macOS: {why}");
                score.skipped += 1;
            }
            Err(failure) => score.add(Err(failure)),
        }
    }
    score
}

fn checked(ws: &Workspace, arguments: &[&str], what: &str, advice: &str) -> Result {
    step::run(ws, build::cargo(ws).args(arguments), what, advice).map(drop)
}

/// Crates with a version in the root's manifest are those that can be published.
fn documented(ws: &Workspace) -> Result {
    let path = ws.root.join("Cargo.toml");
    let manifest = std::fs::read_to_string(&path).doing(format!("reading {}", path.display()))?;
    let ours = manifest.lines().filter(|line| line.contains("path = ") && line.contains("version = "));
    let mut cargo = build::cargo(ws);
    cargo.args(["doc", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings");
    for name in ours.filter_map(|line| line.split_once(" =")) {
        cargo.args(["-p", name.0]);
    }
    step::run(ws, &mut cargo, "documentation", "a link in a comment leads nowhere, or to what users do not see")
        .map(drop)
}

/// Has another program check its parts, with its output on the terminal.
fn score_of(ws: &Workspace, program: Program, parts: &[&str], score: &mut Score) {
    match checked_by(ws, program, parts) {
        Ok(there) => score.join(there),
        Err(failure) => score.add(Err(failure)),
    }
}

fn checked_by(ws: &Workspace, program: Program, parts: &[&str]) -> Result<Score> {
    let file = ws.target.join("test-score");
    let _ = std::fs::remove_file(&file);
    let mut command = laboratory::command(ws, program)?;
    command.current_dir(&ws.root).arg("check").args(parts).arg("--score").arg(&file);
    command.env(UNOPTIMISED.0, UNOPTIMISED.1);
    let status = command.status();
    // What it cannot do is in the score; without one it ended too early.
    Score::read(&file).map_err(|failure| Failure {
        command: Some(step::line_of(&command)),
        ..Failure::new(
            "the checks of another program",
            status.map_or_else(|error| error.to_string(), |how| format!("{how}; {}", failure.summary())),
        )
    })
}
