//! `cargo xtask soak`: whether a long session leaves memory as it was, in the program and in the viewer.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use xtask::build::{self, Profile, Tree, Width};
use xtask::setup;
use xtask::step::{self, Context, Failure, Progress, Result};
use xtask::workspace::Workspace;

use crate::matrix::End;
use crate::wine::Wine;

/// Bytes of a MiB.
const MIB: f64 = 1048576.0;
/// How long a program may take to start and to end besides what it was asked for.
const PATIENCE: Duration = Duration::from_secs(300);
/// What a process that draws may add after its warm-up in ten minutes, or less, in MiB. It still meets new shaders then, and lavapipe takes about a
/// megabyte for a pipeline: 45 in a run of 20 s, 100 in ten minutes. What the program makes and drops takes that in seconds.
const DRAWING_GROWTH: f64 = 128.0;
/// Likewise of what draws for a program in a run of less than a minute, which it may take to start: it has 370 to 490 in all.
const STARTING_GROWTH: f64 = 512.0;
/// Likewise of a program that another process draws for: 7 in either.
const PROGRAM_GROWTH: f64 = 32.0;
/// What the addresses of one may grow by, in MiB: in 64 bit a slot for uploads besides, which it maps when it first runs so far ahead of who
/// draws. That may be late, and is in use only where it is written to.
const fn addresses_growth(width: Width) -> f64 {
    match width {
        Width::W64 => PROGRAM_GROWTH + 128.0,
        Width::W32 => PROGRAM_GROWTH,
    }
}

/// Arguments of `soak`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Seconds for each way.
    #[arg(long, default_value_t = 600)]
    seconds: u32,
    /// How the program runs.
    #[arg(long, value_enum, default_value_t = Which::All)]
    way: Which,
    /// Kill the viewer in the middle, and go on with a new one.
    #[arg(long)]
    kill: bool,
    /// Of the random choices.
    #[arg(long, default_value_t = 1)]
    seed: u32,
    /// Build as the tests do: quicker to build, slower to run.
    #[arg(long)]
    dev: bool,
    /// A tree as `cargo xtask dist` makes, instead of building one.
    #[arg(long, value_name = "FOLDER", conflicts_with = "dev")]
    tree: Option<PathBuf>,
}

/// Which ways to run the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Which {
    /// Natively, rendering in its own process.
    Native,
    /// 64 bit under Wine, through the viewer.
    W64,
    /// 32 bit under Wine, through the viewer.
    W32,
    /// All of these.
    All,
}

/// One way to run the program: without a width, natively.
pub(crate) type Way = Option<Width>;

fn name(way: Way) -> &'static str {
    match way {
        None => "native",
        Some(Width::W64) => "64 bit",
        Some(Width::W32) => "32 bit",
    }
}

/// What one process had at one moment.
#[derive(Debug, Clone, Copy)]
struct Sample {
    seconds: f64,
    mib: f64,
}

/// One measured quantity over a run.
#[derive(Debug, Clone)]
pub(crate) struct Series {
    /// What it is.
    what: &'static str,
    /// MiB that it may grow by after the warm-up in ten minutes, or less.
    most: f64,
    samples: Vec<Sample>,
}

impl Series {
    /// Samples after the warm-up: half of the run, at most a minute.
    fn warm(&self) -> &[Sample] {
        let begin = self.samples.first().map_or(0.0, |first| first.seconds);
        let end = self.samples.last().map_or(0.0, |last| last.seconds);
        let start = begin + ((end - begin) / 2.0).min(60.0);
        let first = self.samples.iter().position(|sample| sample.seconds >= start).unwrap_or(0);
        &self.samples[first..]
    }

    fn at(&self, seconds: f64) -> Option<f64> {
        let nearest =
            self.samples.iter().min_by(|a, b| (a.seconds - seconds).abs().total_cmp(&(b.seconds - seconds).abs()))?;
        ((nearest.seconds - seconds).abs() < 20.0).then_some(nearest.mib)
    }

    /// Last value after the warm-up minus the first, in MiB.
    fn growth(&self) -> f64 {
        let warm = self.warm();
        warm.last().zip(warm.first()).map_or(0.0, |(last, first)| last.mib - first.mib)
    }

    /// Most MiB that it may grow by in a run of this length.
    fn allowed(&self) -> f64 {
        let end = self.samples.last().map_or(0.0, |last| last.seconds);
        self.most * (end / 600.0).max(1.0)
    }

    /// Slope of the line through all samples after the warm-up, in MiB an hour.
    fn slope(&self) -> f64 {
        let warm = self.warm();
        let count = warm.len().max(1) as f64;
        let mean = |of: fn(&Sample) -> f64| warm.iter().map(of).sum::<f64>() / count;
        let (x, y) = (mean(|sample| sample.seconds), mean(|sample| sample.mib));
        let over = warm.iter().map(|sample| (sample.seconds - x) * (sample.mib - y)).sum::<f64>();
        let under = warm.iter().map(|sample| (sample.seconds - x).powi(2)).sum::<f64>();
        if under > 0.0 { over / under * 3600.0 } else { 0.0 }
    }

    fn row(&self) -> String {
        let warm = self.warm();
        let value = |sample: Option<&Sample>| sample.map_or(f64::NAN, |sample| sample.mib);
        let largest = self.samples.iter().map(|sample| sample.mib).fold(0.0, f64::max);
        let at = |minutes: f64| self.at(minutes * 60.0).map_or_else(|| "–".to_owned(), |mib| format!("{mib:.0}"));
        format!(
            "  {:<24} {:>8.0} {:>8.0} {:>8.0} {:>10.1} {:>12.0}   {:>6} {:>6} {:>6}",
            self.what,
            value(warm.first()),
            value(warm.last()),
            largest,
            self.growth(),
            self.slope(),
            at(1.0),
            at(5.0),
            at(10.0)
        )
    }
}

/// A run.
#[derive(Debug)]
pub(crate) struct Run {
    way: Way,
    /// Frames drawn, resources made, and frames that met a lost device.
    counts: (u64, u64, u64),
    series: Vec<Series>,
}

impl Run {
    /// Whether memory stayed where it was.
    fn judge(&self) -> Result {
        match self.series.iter().find(|series| series.growth() > series.allowed()) {
            Some(worst) => {
                let growth: Vec<_> = self.series.iter().map(|s| format!("{} {:+.0}", s.what, s.growth())).collect();
                let told =
                    format!("grew by more than {:.0} MiB after the warm-up: {}", worst.allowed(), growth.join(", "));
                Err(Failure::new(worst.what, told))
            }
            None => Ok(()),
        }
    }
}

/// The command itself.
///
/// # Errors
/// When something cannot be built, a run goes wrong, or memory grows.
pub(crate) fn main(ws: &Workspace, args: &Args) -> Result {
    let native_only = args.way == Which::Native;
    let machine = setup::ensure(ws, &setup::Args { native_only, ..setup::Args::default() })?;
    let tree = match &args.tree {
        Some(folder) => Tree::existing(folder),
        None => build::tree(ws, &machine, if args.dev { Profile::Dev } else { Profile::Release })?,
    };
    let wine = Wine::start(ws, &machine, &tree)?;
    let ways: &[Way] = match args.way {
        Which::Native => &[None],
        Which::W64 => &[Some(Width::W64)],
        Which::W32 => &[Some(Width::W32)],
        Which::All => &[None, Some(Width::W64), Some(Width::W32)],
    };
    let mut failed = 0;
    for &way in ways {
        match way.and_then(|width| wine.denied(width)) {
            Some(End::Skipped(why) | End::Bad(why)) => {
                println!("{}: skipped, {why}", name(way));
                continue;
            }
            Some(End::Good) | None => {}
        }
        let asked = Asked { seconds: args.seconds, seed: args.seed, kill: args.kill && way.is_some() };
        let progress = Progress::start(format!("soak, {}", name(way)));
        let result = run(ws, &tree, &wine, way, asked, &progress);
        progress.finish(&result.as_ref().map(drop).map_err(|failure| Failure::new("soak", failure.summary())));
        match result {
            Ok(run) => {
                print(&run);
                if let Err(failure) = run.judge() {
                    eprintln!("{failure}");
                    failed += 1;
                }
            }
            Err(failure) => {
                eprintln!("{failure}");
                failed += 1;
            }
        }
    }
    if failed == 0 { Ok(()) } else { Err(Failure::new("soak", format!("{failed} runs went wrong"))) }
}

/// A short run in every way, for `cargo xtask test`: it must end well, and nothing may grow by more than chance does. The
/// viewer of the 32-bit one is killed in its middle.
pub(crate) fn test(ws: &Workspace, tree: &Tree, wine: &Wine) -> Vec<(String, End)> {
    step::side_by_side(&[Some(Width::W32), None, Some(Width::W64)], |&way| {
        let label = format!("soak, {}", name(way));
        if let Some(end) = way.and_then(|width| wine.denied(width)) {
            return (label, end);
        }
        let progress = Progress::start(label.clone());
        let kill = way == Some(Width::W32);
        // Twenty seconds for each viewer: the second has to start, too.
        let asked = Asked { seconds: if kill { 40 } else { 20 }, seed: 1, kill };
        let result = run(ws, tree, wine, way, asked, &progress).and_then(|run| run.judge());
        progress.finish(&result);
        (label, End::told(result))
    })
}

fn print(run: &Run) {
    let (frames, resources, lost) = run.counts;
    println!("{}: {frames} frames, {resources} resources made, {lost} frames met a lost device; MiB:", name(run.way));
    println!(
        "  {:<24} {:>8} {:>8} {:>8} {:>10} {:>12}   {:>6} {:>6} {:>6}",
        "", "start", "end", "largest", "growth", "an hour", "1 min", "5 min", "10 min"
    );
    for series in &run.series {
        println!("{}", series.row());
    }
}

/// What a run is asked to do.
#[derive(Debug, Clone, Copy)]
struct Asked {
    seconds: u32,
    seed: u32,
    kill: bool,
}

/// A process that does not outlive us.
struct Guarded(Child);

impl Drop for Guarded {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn run(ws: &Workspace, tree: &Tree, wine: &Wine, way: Way, asked: Asked, progress: &Progress) -> Result<Run> {
    let out = ws.target.join("soak").join(name(way).replace(' ', "-"));
    let _ = std::fs::remove_dir_all(&out);
    let link = out.join("link");
    std::fs::create_dir_all(&link).doing(format!("creating {}", link.display()))?;
    let json = out.join("memory.json");
    let interval = (asked.seconds / 60).clamp(1, 10);
    let mut viewer = way.map(|_| start_viewer(tree, &link)).transpose()?;
    let mut program = match way {
        None => Command::new(tree.native_sample("soak")),
        Some(width) => {
            let exe = out.join("soak.exe");
            build::copy(&tree.windows_sample("soak", width), &exe)?;
            build::copy(&tree.root().join(width.folder()).join("d3d9.dll"), &out.join("d3d9.dll"))?;
            let mut wrapped = Command::new("wine");
            wrapped.arg(exe);
            wine.environment(&mut wrapped, width);
            wrapped.env("WINEDLLOVERRIDES", "mscoree,mshtml=;d3d9=n");
            // What Wine says where it gives a program up: the status alone does not tell.
            wrapped.env("WINEDEBUG", "-all,err+seh,err+virtual,err+thread,err+process,err+sync");
            wrapped
        }
    };
    program.current_dir(&out).args(["--json", "memory.json", "--interval", &interval.to_string()]);
    program.args(["--seconds", &asked.seconds.to_string(), "--seed", &asked.seed.to_string()]);
    program
        .env("AFTERIMAGE_RENDERER", if way.is_some() { "viewer" } else { "in-process" })
        .env("AFTERIMAGE_DIR", &link);
    let errors = out.join("errors.txt");
    let file = std::fs::File::create(&errors).doing(format!("creating {}", errors.display()))?;
    program.stdin(Stdio::null()).stdout(Stdio::null()).stderr(file);
    let mut program = Guarded(program.spawn().doing("starting the program")?);

    let start = Instant::now();
    let limit = Duration::from_secs(asked.seconds.into()) + PATIENCE;
    let mut resident = [
        Series {
            what: "program, resident",
            most: if way.is_some() { PROGRAM_GROWTH } else { DRAWING_GROWTH },
            samples: Vec::new(),
        },
        Series {
            what: "viewer, resident",
            most: if asked.seconds < 60 { STARTING_GROWTH } else { DRAWING_GROWTH },
            samples: Vec::new(),
        },
    ];
    let mut kill = asked.kill;
    let status = loop {
        if let Some(status) = program.0.try_wait().doing("waiting for the program")? {
            break status;
        }
        if start.elapsed() > limit {
            return Err(Failure::new("the program", "did not end in time"));
        }
        let seconds = start.elapsed().as_secs_f64();
        progress.now(&format!("{seconds:.0} of {} s", asked.seconds));
        let processes = [Some(program.0.id()), viewer.as_ref().map(|viewer| viewer.0.id())];
        for (series, process) in resident.iter_mut().zip(processes) {
            if let Some(mib) = process.and_then(resident_mib_of_tree) {
                series.samples.push(Sample { seconds, mib });
            }
        }
        if kill && start.elapsed().as_secs() >= u64::from(asked.seconds) / 2 {
            kill = false;
            drop(viewer.take());
            viewer = Some(start_viewer(tree, &link)?);
            // The new one has a warm-up of its own.
            resident[1].samples.clear();
        }
        std::thread::sleep(Duration::from_secs(interval.into()).min(Duration::from_secs(1)));
    };
    if !status.success() {
        let lines = |path: &Path, most| {
            let text = std::fs::read_to_string(path).unwrap_or_default();
            let lines: Vec<_> = text.lines().rev().take(most).map(str::to_owned).collect();
            lines.into_iter().rev().collect::<Vec<_>>().join("\n")
        };
        let seconds = start.elapsed().as_secs();
        let told = format!("{status} after {seconds} s; its last report: {}\n{}", lines(&json, 1), lines(&errors, 5));
        return Err(Failure::new("the program", told).advise(format!("{} has more", errors.display())));
    }
    let mut run = told(way, &json)?;
    run.series.splice(0..0, resident.into_iter().filter(|series| !series.samples.is_empty()));
    Ok(run)
}

fn start_viewer(tree: &Tree, link: &Path) -> Result<Guarded> {
    let mut command = Command::new(tree.viewer());
    command.arg("--headless").env("AFTERIMAGE_DIR", link);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().map(Guarded).doing("starting the viewer")
}

/// Resident memory of a process and of those that it has started, in MiB: the viewer has other processes draw.
fn resident_mib_of_tree(process: u32) -> Option<f64> {
    let all: Vec<Resident> =
        std::fs::read_dir("/proc").ok()?.flatten().filter_map(|entry| Resident::read(&entry)).collect();
    let mut sum = all.iter().find(|one| one.process == process)?.mib;
    let mut parents = vec![process];
    while let Some(parent) = parents.pop() {
        for child in all.iter().filter(|one| one.parent == parent) {
            sum += child.mib;
            parents.push(child.process);
        }
    }
    Some(sum)
}

/// What a process has now, as Linux says it in `/proc`.
struct Resident {
    process: u32,
    parent: u32,
    mib: f64,
}

impl Resident {
    fn read(entry: &std::fs::DirEntry) -> Option<Self> {
        let process = entry.file_name().to_str()?.parse().ok()?;
        let status = std::fs::read_to_string(entry.path().join("status")).ok()?;
        let field = |name| status.lines().find_map(|line: &str| line.strip_prefix(name))?.split_whitespace().next();
        // One that is ending has none any more.
        let kib = field("VmRSS:").map_or(Some(0.0), |kib| kib.parse().ok())?;
        Some(Self { process, parent: field("PPid:")?.parse().ok()?, mib: kib / 1024.0 })
    }
}

/// What the program said of itself.
fn told(way: Way, path: &PathBuf) -> Result<Run> {
    let text = std::fs::read_to_string(path).doing(format!("reading {}", path.display()))?;
    let lines: Vec<Value> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let last = lines.last().ok_or_else(|| Failure::new(path.display().to_string(), "the program said nothing"))?;
    let count = |field: &str| last[field].as_u64().unwrap_or(0);
    let series = |what, most, field: &str| {
        let sample =
            |line: &Value| Some(Sample { seconds: line["seconds"].as_f64()?, mib: line[field].as_f64()? / MIB });
        Series { what, most, samples: lines.iter().filter_map(sample).collect() }
    };
    Ok(Run {
        way,
        counts: (count("frames"), count("resources"), count("lost")),
        // Natively the heap reserves it for each thread, in pieces of 64 MiB.
        series: vec![series("program, address space", way.map_or(f64::INFINITY, addresses_growth), "space")],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_process_has_started_counts_too() {
        let mut child = Guarded(Command::new("sleep").arg("60").spawn().expect("a process"));
        let (own, all) = (std::process::id(), |process| resident_mib_of_tree(process).expect("it runs"));
        assert!(all(own) > all(child.0.id()) && all(child.0.id()) > 0.0);
        child.0.kill().expect("it runs");
        child.0.wait().expect("it was started");
        assert_eq!(resident_mib_of_tree(child.0.id()), None);
    }

    #[test]
    fn growth_is_what_comes_after_the_warm_up() {
        let mib =
            |second: u32| if second < 20 { f64::from(second) * 10.0 } else { 200.0 + f64::from(second - 20) / 60.0 };
        let samples = (0..=100).map(|second| Sample { seconds: second.into(), mib: mib(second) }).collect();
        let series = Series { what: "", most: 1.0, samples };
        assert!((series.growth() - 50.0 / 60.0).abs() < 1e-9);
        assert!((series.slope() - 60.0).abs() < 1e-6, "a MiB a minute");
        assert_eq!(series.at(60.0), Some(200.0 + 40.0 / 60.0));
        assert_eq!(series.at(300.0), None);
        let run = |most| Run { way: None, counts: (0, 0, 0), series: vec![Series { most, ..series.clone() }] };
        assert!(run(0.9).judge().is_ok() && run(0.8).judge().is_err());
    }
}
