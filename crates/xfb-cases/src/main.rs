//! `cargo xtask xfb-cases`: answers cases of transform feedback, and compares the ways to run them.
#![forbid(unsafe_code)]

use std::fmt::Display;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use afterimage_vulkan::{Options, Without};
use afterimage_xfb_cases::case::{Case, skipped};
use afterimage_xfb_cases::generate;
use afterimage_xfb_cases::run::{Path, RunError, Runner, Settings, compare, pieces};
use afterimage_xfb_cases::scene;
use clap::Parser;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::Value;

/// Run transform-feedback cases: other people's, or those of the harness.
///
/// With IN.json and -o, answers each case of the file (its format is at the head of crates/xfb-cases/src/lib.rs). With --all, runs all the small cases
/// that there are and random ones on every path, and compares what they leave in memory, counters and queries to the last byte; with
/// --compare, does the same with the cases of a file. The first case in which two paths differ is written as a file that can be given
/// back. The device is chosen as for everything else (AFTERIMAGE_DEVICE).
#[derive(Debug, Parser)]
#[command(name = "cargo xtask xfb-cases", version, arg_required_else_help = true)]
struct Args {
    /// Cases: {"cases": [...]}.
    #[arg(value_name = "IN.json", required_unless_present_any = ["all", "scene"])]
    input: Option<PathBuf>,
    /// Where the answers go. When comparing: where the case that differs goes (xfb-difference.json).
    #[arg(short, long, value_name = "OUT.json")]
    output: Option<PathBuf>,
    /// What answers the cases.
    #[arg(long, value_enum, default_value = "lowered")]
    path: Path,
    /// Compare the paths on the harness's own cases.
    #[arg(long, conflicts_with = "input")]
    all: bool,
    /// Compare the paths on the cases of the file.
    #[arg(long, conflicts_with = "all")]
    compare: bool,
    /// What is compared, with the first of them.
    #[arg(long, value_enum, value_delimiter = ',', default_values = ["model", "interp", "interp-scatter", "native", "lowered", "lowered-scatter"])]
    paths: Vec<Path>,
    /// Random cases of --all.
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    random: usize,
    /// Which random cases.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Write the cases of --all to this file instead of running them.
    #[arg(long, value_name = "FILE", requires = "all")]
    write: Option<PathBuf>,
    /// Draw particles that move from capture to capture, natively and lowered, into this folder; the pictures must be equal.
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["input", "all", "compare"])]
    scene: Option<PathBuf>,
    /// Cases of a submission. With 1, the case that hangs a device is known.
    #[arg(long, value_name = "N", default_value_t = 256)]
    batch: usize,
    /// How long the device may take for a submission.
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    limit: u64,
    /// Watch with the validation layer; any message is a failure.
    #[arg(long)]
    validate: bool,
}

type Result<T = ()> = std::result::Result<T, String>;

fn main() -> ExitCode {
    let level = std::env::var("RUST_LOG").ok().and_then(|text| text.parse().ok());
    let level = level.unwrap_or(tracing_subscriber::filter::LevelFilter::WARN);
    tracing_subscriber::fmt().with_max_level(level).with_writer(std::io::stderr).init();
    let args = Args::parse();
    let done = match &args.scene {
        Some(folder) => scene(folder, args.validate),
        None if args.all || args.compare => compared(&args),
        None => answered(&args),
    };
    // A device that hangs has a thread that does not end, so the process ends here.
    std::process::exit(match done {
        Ok(()) => 0,
        Err(error) => {
            eprintln!("error: {error}");
            1
        }
    })
}

fn cases(args: &Args) -> Result<Vec<Case>> {
    let Some(input) = &args.input else {
        let mut cases = generate::exhaustive();
        let random = generate::random(args.seed, args.random);
        let first = cases.len();
        cases.extend(random.into_iter().enumerate().map(|(n, case)| Case { id: Value::from(first + n), ..case }));
        return Ok(cases);
    };
    let named = |error: &dyn Display| format!("{}: {error}", input.display());
    let text = std::fs::read_to_string(input).map_err(|error| named(&error))?;
    Case::all_of(&text).map_err(|error| named(&error))
}

fn settings(args: &Args) -> Settings {
    Settings { batch: args.batch, limit: Duration::from_secs(args.limit.max(1)), validate: args.validate }
}

fn write(file: &std::path::Path, text: &str) -> Result {
    std::fs::write(file, text).map_err(|error| format!("{}: {error}", file.display()))
}

/// Answers the cases of a file.
fn answered(args: &Args) -> Result {
    let output = args.output.as_deref().ok_or("where do the answers go? -o OUT.json")?;
    let cases = cases(args)?;
    let runnable: Vec<Case> = cases.iter().filter(|case| case.stage == 0).cloned().collect();
    let mut runner = Runner::open(args.path, &settings(args)).map_err(|error| error.to_string())?;
    let bar = Bar::new(runner.name(), runnable.len());
    let mut answered = Vec::with_capacity(runnable.len());
    for piece in pieces(&runnable) {
        let before = answered.len();
        let ran = runner.run(piece, &mut |done| bar.at(before + done)).map_err(|error| error.to_string())?;
        answered.extend(piece.iter().zip(&ran).map(|(case, ran)| ran.answer(case).to_string()));
    }
    let mut answered = answered.into_iter();
    let answer = |case: &Case| {
        let answer = if case.stage == 0 { answered.next() } else { None };
        answer.unwrap_or_else(|| skipped(case).to_string())
    };
    let answers: Vec<String> = cases.iter().map(answer).collect();
    write(output, &format!("{{\"cases\": [\n{}\n]}}\n", answers.join(",\n")))?;
    bar.end(&format!("{} answered, {} skipped", runnable.len(), cases.len() - runnable.len()));
    runner.close().map_err(|error| error.to_string())
}

/// Compares paths.
fn compared(args: &Args) -> Result {
    let mut cases = cases(args)?;
    if let Some(file) = &args.write {
        return write(file, &Case::file(&cases));
    }
    cases.retain(|case| case.stage == 0);
    let mut runners = Vec::new();
    for &path in &args.paths {
        match Runner::open(path, &settings(args)) {
            Ok(runner) => runners.push(runner),
            Err(error @ RunError::Gpu { .. }) if path == Path::Native => eprintln!("skipped: {error}"),
            Err(error) => return Err(error.to_string()),
        }
    }
    let names: Vec<String> = runners.iter().map(Runner::name).collect();
    let bar = Bar::new(names.join(" = "), cases.len());
    let difference = compare(&mut runners, &cases, &mut |done| bar.at(done)).map_err(|error| error.to_string())?;
    if let Some(difference) = difference {
        let file = args.output.clone().unwrap_or_else(|| PathBuf::from("xfb-difference.json"));
        write(&file, &Case::file(&[difference.case]))?;
        let again = format!("cargo xtask xfb-cases {} --compare", file.display());
        return Err(format!("{}\n  the case: {}\n  once more: {again}", difference.how, file.display()));
    }
    let times = runners.iter().map(|r| format!("{} {:.1} s", r.path().name(), r.took.as_secs_f32()));
    let times = times.collect::<Vec<_>>().join(", ");
    bar.end(&format!("{} cases, equal to the last byte; {times}", cases.len()));
    runners.into_iter().try_for_each(|runner| runner.close().map_err(|error| error.to_string()))
}

/// Draws the scene on both paths.
fn scene(folder: &std::path::Path, validate: bool) -> Result {
    let named = |file: &std::path::Path, error: &dyn Display| format!("{}: {error}", file.display());
    std::fs::create_dir_all(folder).map_err(|error| named(folder, &error))?;
    let mut pictures = Vec::new();
    for (name, transform_feedback) in [("native", false), ("lowered", true)] {
        let options = Options::from_env();
        let (without, validate) = (Without { transform_feedback, ..options.without }, options.validate || validate);
        match scene::draw(Options { cache_dir: None, without, validate, ..options }) {
            Ok(pixels) => {
                let file = folder.join(format!("{name}.png"));
                let [width, height] = scene::SIZE;
                let png = std::fs::File::create(&file).map_err(|error| named(&file, &error))?;
                let mut encoder = png::Encoder::new(std::io::BufWriter::new(png), width, height);
                encoder.set_color(png::ColorType::Rgba);
                let written = encoder.write_header().and_then(|mut writer| writer.write_image_data(&pixels));
                written.map_err(|error| named(&file, &error))?;
                println!("written: {}", file.display());
                pictures.push(pixels);
            }
            Err(error) if !transform_feedback => println!("skipped: native: {error}"),
            Err(error) => return Err(format!("{name}: {error}")),
        }
    }
    match &pictures[..] {
        [native, lowered] if native != lowered => Err("the native and the lowered picture differ".to_owned()),
        _ => Ok(()),
    }
}

/// Progress: a bar on a terminal, a line at the end in a log.
struct Bar {
    bar: ProgressBar,
    what: String,
    start: Instant,
}

impl Bar {
    fn new(what: String, cases: usize) -> Self {
        let bar = if std::io::stderr().is_terminal() { ProgressBar::new(cases as u64) } else { ProgressBar::hidden() };
        if let Ok(style) =
            ProgressStyle::with_template("{bar:30.cyan} {pos}/{len} cases {elapsed:.dim}, {eta:.dim} to go  {msg}")
        {
            bar.set_style(style);
        }
        bar.set_message(what.clone());
        Self { bar, what, start: Instant::now() }
    }

    fn at(&self, done: usize) {
        self.bar.set_position(done as u64);
    }

    fn end(&self, note: &str) {
        self.bar.finish_and_clear();
        eprintln!("{}: {note} ({:.1} s)", self.what, self.start.elapsed().as_secs_f32());
    }
}
