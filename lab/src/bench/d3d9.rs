//! `cargo xtask bench d3d9`: what a draw costs, natively and under Wine, beside WineD3D and Debian's DXVK in the same run.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use xtask::build::{self, Profile, Tree, Width};
use xtask::setup;
use xtask::step::{self, Context, Failure, Progress, Result};
use xtask::workspace::Workspace;

use super::floor;
use super::measured::Run;
use crate::wine::place::{Layer, Place, Release};
use crate::wine::seat::Seat;

/// The program.
pub(super) const SAMPLE: &str = "bench_d3d9";
/// Seconds after which a program is ended.
const LIMIT: &str = "600";
/// What the app thread may spend on a draw, in microseconds.
const BARS: &[(&str, f64)] = &[("same state", 0.1), ("texture, 8 constants, 4 states", 0.4)];

/// Arguments of `bench d3d9`.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(super) struct Args {
    /// d3d9: draws per frame.
    #[arg(long, default_value_t = 1000)]
    pub(super) draws: u32,
    /// d3d9: frames per case.
    #[arg(long, default_value_t = 60)]
    pub(super) frames: u32,
    /// d3d9: only cases with this in their names.
    #[arg(long, value_name = "PART")]
    only: Option<String>,
    /// d3d9: only there [default: everywhere].
    #[arg(long = "in", value_enum, value_delimiter = ',', value_name = "WHERE")]
    settings: Vec<Setting>,
    /// d3d9, under Wine: only these implementations [default: all].
    #[arg(long, value_enum, value_delimiter = ',')]
    layers: Vec<Layer>,
    /// d3d9: which Wine [default: trixie's where it was made already, else this machine's].
    #[arg(long, value_enum)]
    wine: Option<Release>,
    /// d3d9: a tree as `cargo xtask dist` makes, instead of building one.
    #[arg(long, value_name = "FOLDER")]
    pub(super) tree: Option<PathBuf>,
    #[command(flatten)]
    pub(super) floor: floor::Args,
}

/// Where the program runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Setting {
    /// On Linux, linked with libd3d9.so.
    Native,
    /// Under Wine, 64 bit.
    Wine64,
    /// Under Wine, 32 bit.
    Wine32,
}

impl Setting {
    const ALL: [Self; 3] = [Self::Native, Self::Wine64, Self::Wine32];

    fn width(self) -> Option<Width> {
        match self {
            Self::Native => None,
            Self::Wine64 => Some(Width::W64),
            Self::Wine32 => Some(Width::W32),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Wine64 => "wine64",
            Self::Wine32 => "wine32",
        }
    }
}

/// What one implementation does in one setting.
#[derive(Debug)]
struct Measured {
    layer: Layer,
    run: Run,
}

/// Runs the benchmark everywhere, prints a table for each setting, and writes `d3d9.json`.
///
/// # Errors
/// When something does not build, or one of ours does not run. A peer that cannot be had is left out with a line.
pub(super) fn run(ws: &Workspace, args: &Args, out: &Path) -> Result {
    if args.floor.wanted() {
        if args.settings.iter().any(|setting| *setting != Setting::Native) {
            return Err(Failure::new("bench d3d9 --floor", "it compares native programs: --in native"));
        }
        return floor::run(ws, args, out);
    }
    let settings = if args.settings.is_empty() { &Setting::ALL } else { args.settings.as_slice() };
    let native_only = settings == [Setting::Native];
    let machine = setup::ensure(ws, &setup::Args { native_only, ..setup::Args::default() })?;
    let tree = match &args.tree {
        Some(folder) => Tree::existing(folder),
        None if native_only => build::library(ws)?,
        None => build::tree(ws, &machine, Profile::Release)?,
    };
    let mut report = Vec::new();
    let mut lost = Vec::new();
    for &setting in settings {
        let (title, measured) = match setting.width() {
            None => ("native".to_owned(), vec![native(args, &tree, out)?]),
            Some(width) => {
                let denied = if width == Width::W64 { machine.no_windows() } else { machine.no_windows32() };
                if let Some(why) = denied.filter(|_| args.tree.is_none()) {
                    println!("{}: skipped: {why}", setting.name());
                    continue;
                }
                let place = Place::prepare(ws, args.wine.unwrap_or_else(|| Place::best(ws)))?;
                let title = format!("{} bit, Wine {}", width.bits(), place.version);
                (title, UnderWine { ws, args, tree: &tree, place: &place, width, out }.all()?)
            }
        };
        print!("{}", table(&title, &measured));
        lost.extend(losses(&title, &measured));
        report.extend(measured.iter().map(|m| as_json(setting, &title, m)));
    }
    let json = out.join("d3d9.json");
    let text = json!({ "bench": "d3d9", "draws": args.draws, "frames": args.frames, "runs": report });
    std::fs::write(&json, format!("{text:#}\n")).doing(format!("writing {}", json.display()))?;
    println!("\n{}", if lost.is_empty() { "no case loses".to_owned() } else { lost.join("\n") });
    println!("written: {}", json.display());
    Ok(())
}

/// What the program is told in every setting.
pub(super) fn arguments(command: &mut Command, args: &Args) {
    command.args(["--draws", &args.draws.to_string(), "--frames", &args.frames.to_string()]);
    if let Some(only) = &args.only {
        command.args(["--only", only]);
    }
}

fn native(args: &Args, tree: &Tree, out: &Path) -> Result<Measured> {
    let json = out.join("d3d9-native.json");
    let mut program = Command::new(tree.native_sample(SAMPLE));
    arguments(&mut program, args);
    program.arg("--json").arg(&json).env("AFTERIMAGE_RENDERER", "in-process").env("AFTERIMAGE_VALIDATE", "0");
    let progress = Progress::start("native");
    let result = step::output(&mut program, "the benchmark").and_then(|_| Run::read(&json));
    progress.finish(&result);
    Ok(Measured { layer: Layer::InProcess, run: result? })
}

/// A run under Wine of one width.
struct UnderWine<'a> {
    ws: &'a Workspace,
    args: &'a Args,
    tree: &'a Tree,
    place: &'a Place,
    width: Width,
    out: &'a Path,
}

impl UnderWine<'_> {
    /// One implementation after the other. Of ours, each has to run; a peer may be missing.
    fn all(&self) -> Result<Vec<Measured>> {
        let mut seat = Seat::take(self.ws, self.place, self.width, false)?;
        let all: Vec<Layer> = Layer::OURS.into_iter().chain(Layer::PEERS).collect();
        let layers = if self.args.layers.is_empty() { &all } else { &self.args.layers };
        let mut measured = Vec::new();
        for &layer in layers {
            let title = format!("{} ({} bit, Wine {})", layer.name(), self.width.bits(), self.place.version);
            if let Some(why) = layer.lacks(self.place, self.width) {
                println!("{title}: skipped: {why}");
                continue;
            }
            let progress = Progress::start(title.clone());
            let result = self.one(layer, &mut seat, &title, &progress);
            progress.finish(&result);
            match result {
                Ok(one) => measured.push(one),
                Err(failure) if Layer::PEERS.contains(&layer) => println!("{title}: left out: {}", failure.summary()),
                Err(failure) => return Err(failure),
            }
        }
        Ok(measured)
    }

    fn one(&self, layer: Layer, seat: &mut Seat, title: &str, progress: &Progress) -> Result<Measured> {
        let folder = self.out.join(format!("d3d9-{}-{}", self.width.bits(), layer.name()));
        std::fs::create_dir_all(&folder).doing(format!("creating {}", folder.display()))?;
        build::copy(&self.tree.windows_sample(SAMPLE, self.width), &folder.join("bench.exe"))?;
        self.place.lay(layer, self.tree, self.width, &folder)?;
        let json = folder.join("result.json");
        let _ = std::fs::remove_file(&json);
        let mut command = seat.program(self.tree, layer, LIMIT, &folder, "bench.exe")?;
        arguments(&mut command, self.args);
        command.args(["--json", "result.json"]);
        step::run_in(self.ws, &mut command, title, "", progress)?;
        Ok(Measured { layer, run: Run::read(&json)? })
    }
}

/// The table of one setting; the first column's implementation is what the others are compared with.
fn table(title: &str, measured: &[Measured]) -> String {
    let Some(first) = measured.first() else { return String::new() };
    let mut text =
        format!("\n{title}: app thread | complete (times {} in complete)\n{:<36}{:<9}", first.layer.name(), "", "");
    for one in measured {
        let _ = write!(text, "{:<28}", one.layer.name());
    }
    text.push('\n');
    for case in &first.run.cases {
        let _ = write!(text, "{:<36}{:<9}", case.name, case.unit);
        for one in measured {
            let cell = one.run.case(&case.name).map_or_else(
                || "–".to_owned(),
                |theirs| {
                    let ratio = theirs.times(|case| case.complete, case);
                    let ratio = if one.layer == first.layer { String::new() } else { format!(" ({ratio:.2}x)") };
                    format!("{:.3} | {:.3}{ratio}", theirs.app, theirs.complete)
                },
            );
            let _ = write!(text, "{cell:<28}");
        }
        text.push('\n');
    }
    for one in measured {
        let _ = writeln!(text, "  {}: {}, {}", one.layer.name(), one.run.adapter, one.run.memory());
    }
    text
}

/// The cases where one of ours is slower than a peer, or slower than it may be.
fn losses(title: &str, measured: &[Measured]) -> Vec<String> {
    let mut lost = Vec::new();
    for ours in measured.iter().filter(|one| one.layer.is_ours()) {
        let who = format!("{title}, {}", ours.layer.name());
        for case in &ours.run.cases {
            for peer in measured.iter().filter(|one| Layer::PEERS.contains(&one.layer)) {
                let Some(theirs) = peer.run.case(&case.name) else { continue };
                let peer = peer.layer.name();
                for (part, mine, their, times) in [
                    ("app thread", case.app, theirs.app, theirs.times(|case| case.app, case)),
                    ("complete", case.complete, theirs.complete, theirs.times(|case| case.complete, case)),
                ] {
                    if times < 1.0 {
                        lost.push(format!(
                            "loses: {who}: {}: {part} {mine:.3} {} against {their:.3} of {peer}",
                            case.name, case.unit
                        ));
                    }
                }
            }
            if let Some((_, bar)) = BARS.iter().find(|(name, bar)| *name == case.name && case.app > *bar) {
                lost.push(format!("over the bar: {who}: {}: app thread {:.3} of {bar} us", case.name, case.app));
            }
        }
    }
    lost
}

fn as_json(setting: Setting, title: &str, measured: &Measured) -> Value {
    let mut value = measured.run.as_json();
    value["in"] = setting.name().into();
    value["title"] = title.into();
    value["layer"] = measured.layer.name().into();
    value
}

#[cfg(test)]
mod tests {
    use super::{Measured, losses, table};
    use crate::bench::measured::{Case, Run};
    use crate::wine::place::Layer;

    fn measured(layer: Layer, app: f64, complete: f64, rate: f64) -> Measured {
        let case = |name: &str, unit: &str, app, complete| Case {
            name: name.to_owned(),
            unit: unit.to_owned(),
            app,
            complete,
        };
        let cases = vec![case("same state", "us/draw", app, complete), case("relock", "MB/s", rate, rate)];
        Measured { layer, run: Run { adapter: "A".to_owned(), peak_kib: Some(2048), cases } }
    }

    #[test]
    fn ours_loses_where_a_peer_is_quicker_or_a_bar_is_passed() {
        let fast = [measured(Layer::InProcess, 0.02, 1.0, 900.0), measured(Layer::Dxvk, 0.08, 1.5, 600.0)];
        assert!(losses("here", &fast).is_empty());
        let text = table("here", &fast);
        assert!(text.contains("0.080 | 1.500 (1.50x)"), "{text}");
        assert!(text.contains("in-process: A, peak memory 2.0 MiB"), "{text}");
        let slow = [measured(Layer::Viewer, 0.2, 2.0, 500.0), measured(Layer::WineD3d, 0.3, 1.5, 600.0)];
        let lost = losses("here", &slow);
        assert_eq!(lost[0], "loses: here, viewer: same state: complete 2.000 us/draw against 1.500 of wined3d");
        assert_eq!(lost[1], "over the bar: here, viewer: same state: app thread 0.200 of 0.1 us");
        assert_eq!(lost.len(), 4, "a rate is better where it is higher: {lost:?}");
    }
}
