//! `cargo xtask bench d3d9 --floor`: ours beside what the driver itself costs, and beside native libraries of others.
//!
//! The floor is `crates/vulkan/benches/floor.rs`, plain Vulkan for each case, without and with merged draws. All run in turn, round by
//! round, so that what the machine does meanwhile falls on each; the figures are medians over the rounds. All are with a window or
//! all without, and each has caches of its own.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use xtask::build::{self, Tree};
use xtask::setup;
use xtask::step::{self, Context, Failure, Progress, Result};
use xtask::workspace::Workspace;

use super::d3d9::{self, SAMPLE};
use super::measured::{Case, Run, mib};
use super::parts::Parts;
use crate::display::Display;

/// Variables that name a folder for what is kept between runs: ours, DXVK's, and those of drivers.
const CACHES: [&str; 6] = [
    "AFTERIMAGE_CACHE_DIR",
    "DXVK_STATE_CACHE_PATH",
    "DXVK_SHADER_CACHE_PATH",
    "MESA_SHADER_CACHE_DIR",
    "XDG_CACHE_HOME",
    "__GL_SHADER_DISK_CACHE_PATH",
];
/// Ours, in tables.
const OURS: &str = "afterimage";

/// Arguments of `bench d3d9 --floor`.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(super) struct Args {
    /// d3d9: natively, beside plain Vulkan, without and with merged draws.
    #[arg(long)]
    floor: bool,
    /// d3d9 --floor: also beside this native libd3d9.so of others, several times if wanted.
    #[arg(long = "peer", value_name = "[NAME=]PATH", requires = "floor")]
    peers: Vec<Peer>,
    /// d3d9 --floor: how often each runs, in turn.
    #[arg(long, default_value_t = 3, value_name = "N", requires = "floor", value_parser = clap::value_parser!(u32).range(1..=99))]
    rounds: u32,
    /// d3d9 --floor: all with a window (SDL 2's) instead of all without.
    #[arg(long, requires = "floor")]
    window: bool,
    /// d3d9 --floor: what caches know when a round begins.
    #[arg(long, value_enum, default_value = "warm", requires = "floor")]
    caches: Caches,
    /// d3d9 --floor: a floor built earlier (target/bench/parts/floor), instead of building it.
    #[arg(long, value_name = "PATH", requires = "floor")]
    floor_program: Option<PathBuf>,
}

impl Args {
    /// Whether this is asked for.
    pub(super) fn wanted(&self) -> bool {
        self.floor
    }
}

/// What caches know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Caches {
    /// Nothing: they are emptied before each run.
    Cold,
    /// What a run before the first round left there.
    Warm,
}

impl Caches {
    fn name(self) -> &'static str {
        match self {
            Self::Cold => "cold",
            Self::Warm => "warm",
        }
    }
}

/// A library of others.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Peer {
    name: String,
    library: PathBuf,
}

impl std::str::FromStr for Peer {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let (name, library) = text.split_once('=').map_or((None, text), |(name, path)| (Some(name), path));
        let library = PathBuf::from(library);
        let stem = || library.file_name().map(|file| file.to_string_lossy().into_owned());
        match name.map(str::to_owned).or_else(stem) {
            Some(name) if !name.is_empty() => Ok(Self { name, library }),
            _ => Err("it takes the path of a library, with NAME= before it if wanted".to_owned()),
        }
    }
}

/// Who runs, and what it has measured so far.
struct Contestant {
    name: String,
    program: PathBuf,
    words: Vec<&'static str>,
    /// Folders in which it finds libraries before others.
    libraries: Vec<PathBuf>,
    /// Its own: caches, and the file with its figures.
    folder: PathBuf,
    /// Whether the comparison goes on without it.
    may_fail: bool,
    rounds: Vec<Run>,
}

/// What all have in common.
struct Race<'a> {
    args: &'a d3d9::Args,
    display: Option<Display>,
}

/// Runs all in turn, prints the table, and writes `d3d9-floor.json`.
///
/// # Errors
/// When something does not build, or ours or the floor does not run. A peer that does not run is left out with a line.
pub(super) fn run(ws: &Workspace, args: &d3d9::Args, out: &Path) -> Result {
    let d3d9::Args { draws, frames, tree, floor: Args { window, caches, rounds, .. }, .. } = args;
    let tree = match tree {
        Some(folder) => Tree::existing(folder),
        None => {
            setup::ensure(ws, &setup::Args::native())?;
            build::library(ws)?
        }
    };
    let parts = match &args.floor.floor_program {
        Some(floor) => Parts::existing(floor)?,
        None => Parts::build(ws, out)?,
    };
    let out = out.join("floor");
    let mut contestants = contestants(&args.floor, &tree, &parts, &out)?;
    let nowhere = ["DISPLAY", "WAYLAND_DISPLAY"].iter().all(|name| std::env::var_os(name).is_none());
    let display = if *window && nowhere { Some(Display::start()?) } else { None };
    let race = Race { args, display };
    if *caches == Caches::Warm {
        race.round(&mut contestants, "filling caches")?;
        contestants.iter_mut().for_each(|contestant| contestant.rounds.clear());
    }
    for round in 1..=*rounds {
        race.round(&mut contestants, &format!("round {round} of {rounds}"))?;
    }
    let medians: Vec<(String, Run)> =
        contestants.iter().filter_map(|c| Some((c.name.clone(), Run::median(&c.rounds)?))).collect();
    let with = if *window { "with" } else { "without" };
    let caches = caches.name();
    let title = format!("native, all {with} a window, caches {caches}, medians of {rounds} rounds");
    print!("{}", table(&title, &medians));
    if !window {
        println!("  without a window Present shows nothing, and that of DXVK does not even end a frame");
    }
    println!("{}", losses(&medians, args.floor.peers.iter().map(|peer| peer.name.as_str())));
    let runs: Vec<Value> = contestants.iter().filter_map(|contestant| as_json(contestant, &medians)).collect();
    let report = json!({
        "bench": "d3d9-floor", "draws": draws, "frames": frames, "window": window, "caches": caches, "rounds": rounds,
        "runs": runs,
    });
    let json = out.with_file_name("d3d9-floor.json");
    std::fs::write(&json, format!("{report:#}\n")).doing(format!("writing {}", json.display()))?;
    println!("written: {}", json.display());
    Ok(())
}

/// The floor twice, ours, and the peers.
fn contestants(args: &Args, tree: &Tree, parts: &Parts, out: &Path) -> Result<Vec<Contestant>> {
    let contestant = |name: &str, program: PathBuf, words: &[&'static str]| {
        let words = words.iter().copied().chain(args.window.then_some("--window")).collect();
        let word = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
        let folder = out.join(name.chars().map(word).collect::<String>());
        let (name, libraries, rounds) = (name.to_owned(), Vec::new(), Vec::new());
        Contestant { name, program, words, libraries, folder, may_fail: false, rounds }
    };
    let program = tree.native_sample(SAMPLE);
    let mut all = vec![
        contestant("floor", parts.floor.clone(), &[]),
        contestant("floor, merged", parts.floor.clone(), &["--merged"]),
        contestant(OURS, program.clone(), &[]),
    ];
    for peer in &args.peers {
        let library = std::fs::canonicalize(&peer.library).doing(format!("finding {}", peer.library.display()))?;
        let mut contestant = contestant(&peer.name, PathBuf::new(), &[]);
        if all.iter().any(|other| other.folder == contestant.folder) {
            return Err(Failure::new("--peer", format!("two are called {}: NAME=PATH names them", peer.name)));
        }
        contestant.program = seat(&contestant.folder, &program, &library)?;
        contestant.libraries.extend(library.parent().map(Path::to_path_buf));
        if !args.window {
            contestant.libraries.push(parts.without_window.clone());
        }
        contestant.may_fail = true;
        all.push(contestant);
    }
    Ok(all)
}

/// Lays the program where it finds a peer's library as it finds ours in a tree: two folders up.
fn seat(folder: &Path, program: &Path, library: &Path) -> Result<PathBuf> {
    let seated = Tree::existing(&folder.join("tree")).native_sample(SAMPLE);
    build::copy(program, &seated)?;
    build::copy(library, &folder.join("tree/libd3d9.so"))?;
    Ok(seated)
}

impl Race<'_> {
    /// Each once. Who may fail and does is out of the race.
    fn round(&self, contestants: &mut Vec<Contestant>, what: &str) -> Result {
        let mut out = Vec::new();
        for (at, contestant) in contestants.iter_mut().enumerate() {
            let progress = Progress::start(format!("{what}: {}", contestant.name));
            let result = self.once(contestant);
            progress.finish(&result);
            match result {
                Ok(run) => contestant.rounds.push(run),
                Err(failure) if contestant.may_fail => {
                    println!("{}: left out: {}", contestant.name, failure.summary());
                    out.push(at);
                }
                Err(failure) => return Err(failure),
            }
        }
        out.into_iter().rev().for_each(|at| drop(contestants.remove(at)));
        Ok(())
    }

    fn once(&self, contestant: &Contestant) -> Result<Run> {
        let caches = contestant.folder.join("caches");
        let json = contestant.folder.join("result.json");
        if self.args.floor.caches == Caches::Cold {
            let _ = std::fs::remove_dir_all(&caches);
        }
        let _ = std::fs::remove_file(&json);
        std::fs::create_dir_all(&caches).doing(format!("creating {}", caches.display()))?;
        let mut program = Command::new(&contestant.program);
        d3d9::arguments(&mut program, self.args);
        program.args(&contestant.words).arg("--json").arg(&json);
        for name in CACHES {
            program.env(name, &caches);
        }
        program.env("AFTERIMAGE_RENDERER", "in-process").env("AFTERIMAGE_VALIDATE", "0");
        // NVIDIA's keeps nothing for root unless it is told to.
        program.env("__GL_SHADER_DISK_CACHE", "1");
        program.env("DXVK_WSI_DRIVER", "SDL2").env("DXVK_LOG_PATH", "none");
        if !contestant.libraries.is_empty() {
            let before = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
            let folders = contestant.libraries.iter().cloned().chain(std::env::split_paths(&before));
            program.env("LD_LIBRARY_PATH", std::env::join_paths(folders).doing("naming folders of libraries")?);
        }
        if let Some(display) = &self.display {
            program.env("DISPLAY", display.name());
        }
        step::output(&mut program, &contestant.name)?;
        Run::read(&json)
    }
}

/// The first column is what the others are compared with. Cases are those of all, in the order in which they are met.
fn table(title: &str, runs: &[(String, Run)]) -> String {
    const WIDTH: usize = 38;
    let mut text = format!("\n{title}: app thread | complete (times the floor)\n{:<36}{:<9}", "", "");
    for (name, _) in runs {
        let _ = write!(text, "{name:<WIDTH$}");
    }
    text.push('\n');
    let Some((_, floor)) = runs.first() else { return text };
    let mut cases: Vec<&Case> = Vec::new();
    for case in runs.iter().flat_map(|(_, run)| &run.cases) {
        if cases.iter().all(|known| known.name != case.name) {
            cases.push(case);
        }
    }
    for Case { name, unit, .. } in cases {
        let _ = write!(text, "{name:<36}{unit:<9}");
        let base = floor.case(name);
        for (at, (_, run)) in runs.iter().enumerate() {
            let base = base.filter(|_| at != 0);
            let cell = run.case(name).map_or_else(|| "–".to_owned(), |case| cell(case, base));
            let _ = write!(text, "{cell:<WIDTH$}");
        }
        text.push('\n');
    }
    let _ = write!(text, "{:<36}{:<9}", "peak memory", "MiB");
    for (_, run) in runs {
        let cell = run.peak_kib.map_or_else(|| "–".to_owned(), |kib| format!("{:.1}", mib(kib)));
        let _ = write!(text, "{cell:<WIDTH$}");
    }
    text.push('\n');
    for (name, run) in runs {
        let _ = writeln!(text, "  {name}: {}", run.adapter);
    }
    text
}

/// Where ours is slower than a peer, a line each.
fn losses<'a>(runs: &[(String, Run)], peers: impl Iterator<Item = &'a str>) -> String {
    let find = |wanted: &str| runs.iter().find(|(name, _)| name == wanted).map(|(_, run)| run);
    let Some(ours) = find(OURS) else { return String::new() };
    let mut lines = Vec::new();
    for (name, peer) in peers.filter_map(|name| Some((name, find(name)?))) {
        for case in &ours.cases {
            let Some(theirs) = peer.case(&case.name) else { continue };
            for (part, mine, their, times) in [
                ("app thread", case.app, theirs.app, theirs.times(|case| case.app, case)),
                ("complete", case.complete, theirs.complete, theirs.times(|case| case.complete, case)),
            ] {
                if times < 1.0 {
                    let Case { name: what, unit, .. } = case;
                    lines.push(format!("loses: {what}: {part} {mine:.3} {unit} against {their:.3} of {name}"));
                }
            }
        }
    }
    if lines.is_empty() { "no case loses to a peer".to_owned() } else { lines.join("\n") }
}

/// Both figures, each with its ratio to a baseline if there is one.
fn cell(case: &Case, base: Option<&Case>) -> String {
    let part = |figure: fn(&Case) -> f64| {
        let ratio = base.map_or_else(String::new, |base| format!(" ({:.2}x)", case.times(figure, base)));
        format!("{:.3}{ratio}", figure(case))
    };
    format!("{} | {}", part(|case| case.app), part(|case| case.complete))
}

/// Medians with ratios to the floor, and each round as it was.
fn as_json(contestant: &Contestant, medians: &[(String, Run)]) -> Option<Value> {
    let (_, floor) = medians.first()?;
    let (name, run) = medians.iter().find(|(name, _)| *name == contestant.name)?;
    let mut value = run.as_json();
    value["name"] = name.as_str().into();
    value["rounds"] = contestant.rounds.iter().map(Run::as_json).collect();
    for (at, case) in run.cases.iter().enumerate() {
        if let Some(base) = floor.case(&case.name) {
            value["cases"][at]["app_times_floor"] = case.times(|case| case.app, base).into();
            value["cases"][at]["complete_times_floor"] = case.times(|case| case.complete, base).into();
        }
    }
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::{Args, Caches, Contestant, OURS, Peer, as_json, losses, table};
    use crate::bench::measured::{Case, Run};
    use clap::Parser;
    use std::path::{Path, PathBuf};

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        args: Args,
    }

    fn parse(line: &str) -> Result<Args, String> {
        let words = std::iter::once("bench").chain(line.split_whitespace());
        Line::try_parse_from(words).map(|line| line.args).map_err(|error| error.to_string())
    }

    #[test]
    fn options_say_who_runs_and_how() {
        let args = parse("").unwrap();
        assert!(!args.wanted());
        let args = parse("--floor --rounds 5 --caches cold --window --peer DXVK=/a/b.so --peer /c/libd3d9.so").unwrap();
        assert!(args.wanted() && args.window && args.rounds == 5 && args.caches == Caches::Cold);
        let peer = |name: &str, path: &str| Peer { name: name.to_owned(), library: PathBuf::from(path) };
        assert_eq!(args.peers, [peer("DXVK", "/a/b.so"), peer("libd3d9.so", "/c/libd3d9.so")]);
        for wrong in ["--peer /a.so", "--floor --rounds 0", "--floor --peer =/a.so", "--floor --peer ="] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }

    fn run(draw: f64, rate: Option<f64>) -> Run {
        let case = |name: &str, unit: &str, figure| Case {
            name: name.into(),
            unit: unit.into(),
            app: figure,
            complete: figure * 2.0,
        };
        let rate = rate.map(|rate| case("relock", "MB/s", rate));
        let cases = std::iter::once(case("same state", "us/draw", draw)).chain(rate).collect();
        Run { adapter: "A".to_owned(), peak_kib: Some(3 * 1024), cases }
    }

    #[test]
    fn the_table_has_ratios_to_its_first_column() {
        let runs = [("floor".to_owned(), run(0.1, None)), ("ours".to_owned(), run(0.25, Some(500.0)))];
        let text = table("here", &runs);
        let row = |name: &str| text.lines().find(|line| line.starts_with(name)).unwrap_or_default();
        assert!(row("same state").contains("0.100 | 0.200  "), "{text}");
        assert!(row("same state").contains("0.250 (2.50x) | 0.500 (2.50x)"), "{text}");
        // The floor left it out: a figure without a ratio.
        assert!(row("relock").contains("–  ") && row("relock").contains("500.000 | 1000.000  "), "{text}");
        assert!(row("peak memory").contains("3.0"), "{text}");
        assert!(table("here", &[]).contains("here"));
    }

    #[test]
    fn ours_loses_to_peers_alone() {
        let runs = [
            ("floor".to_owned(), run(0.1, Some(900.0))),
            (OURS.to_owned(), run(0.25, Some(500.0))),
            ("DXVK".to_owned(), run(0.5, Some(600.0))),
        ];
        assert_eq!(
            losses(&runs, ["DXVK", "left out"].into_iter()),
            "loses: relock: app thread 500.000 MB/s against 600.000 of DXVK\n\
             loses: relock: complete 1000.000 MB/s against 1200.000 of DXVK"
        );
        assert_eq!(losses(&runs, [].into_iter()), "no case loses to a peer");
    }

    #[test]
    fn the_report_has_ratios_and_every_round() {
        let rounds = vec![run(0.3, Some(100.0)), run(0.3, Some(100.0))];
        let medians = [("floor".to_owned(), run(0.1, Some(200.0))), ("ours".to_owned(), Run::median(&rounds).unwrap())];
        let (name, folder) = ("ours".to_owned(), Path::new("/ours").to_owned());
        let (program, words, libraries) = (PathBuf::new(), Vec::new(), Vec::new());
        let ours = Contestant { name, program, words, libraries, folder, may_fail: false, rounds };
        let value = as_json(&ours, &medians).unwrap();
        let ratio = |at: usize| value["cases"][at]["complete_times_floor"].as_f64().unwrap();
        assert!((ratio(0) - 3.0).abs() < 1e-9 && (ratio(1) - 2.0).abs() < 1e-9, "{value:#}");
        assert_eq!(value["rounds"].as_array().map(Vec::len), Some(2));
        let other = Contestant { name: "other".to_owned(), ..ours };
        assert!(as_json(&other, &medians).is_none());
    }
}
