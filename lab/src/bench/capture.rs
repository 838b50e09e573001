//! `cargo xtask bench capture`: what capturing costs a running sample of each guest, how large captures are, and how fast they
//! replay.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use xtask::build::{self, Profile, Tree};
use xtask::samples::{SAMPLES, Sample};
use xtask::setup;
use xtask::step::{self, Context, Failure, Progress, Result};
use xtask::workspace::Workspace;

/// Frames that a sample draws.
const FRAMES: u64 = 300;
/// The first frame that is captured: what is made at the start is in the keyframe.
const FROM: u64 = 2;
/// Runs of each kind; the quickest counts, since noise only ever adds.
const RUNS: usize = 3;

/// Figures of a sample, times in milliseconds a frame.
struct Measured {
    sample: &'static Sample,
    live: f64,
    captured: f64,
    replayed: f64,
    bytes_a_frame: f64,
}

/// Runs everything, prints the table, and writes `capture.json` into `out`.
///
/// # Errors
/// When something does not build, or a run fails.
pub(crate) fn finish(ws: &Workspace, out: &Path) -> Result {
    let machine = setup::ensure(ws, &setup::Args::native())?;
    let tree = build::tree(ws, &machine, Profile::Release)?;
    let folder = out.join("capture");
    std::fs::create_dir_all(&folder).doing(format!("creating {}", folder.display()))?;
    let mut all = Vec::new();
    for sample in &SAMPLES {
        let progress = Progress::start(sample.to_string());
        let result = measure(sample, &tree, &folder);
        progress.finish(&result);
        all.push(result?);
    }
    print(&all);
    let case = |m: &Measured| {
        json!({
            "guest": m.sample.guest, "name": m.sample.name, "live_ms": m.live, "captured_ms": m.captured, "replayed_ms": m.replayed,
            "bytes_per_frame": m.bytes_a_frame,
        })
    };
    let cases: Vec<Value> = all.iter().map(case).collect();
    let file = out.join("capture.json");
    std::fs::write(&file, format!("{:#}\n", json!({ "bench": "capture", "cases": cases })))
        .doing(format!("writing {}", file.display()))
}

fn measure(sample: &'static Sample, tree: &Tree, folder: &Path) -> Result<Measured> {
    let capture = folder.join(format!("{}.aftercap", sample.name));
    let stats = folder.join("stats.json");
    let (mut live, mut captured, mut replayed) = (f64::MAX, f64::MAX, f64::MAX);
    // In turn, so that noise hits all of them.
    for _ in 0..RUNS {
        let run = || {
            let mut command = Command::new(sample.program(tree));
            sample.arguments(&mut command, FRAMES, &folder.join("pictures"));
            command
        };
        live = live.min(frame_time(run(), &stats)?);
        let mut capturing = run();
        capturing.env("AFTERIMAGE_CAPTURE_FRAMES", format!("{FROM}-{FRAMES}")).env("AFTERIMAGE_CAPTURE_FILE", &capture);
        captured = captured.min(frame_time(capturing, &stats)?);
        let mut replay = Command::new(tree.afterimage());
        replay.arg("replay").arg(&capture).arg("--stats").arg(&stats);
        replayed = replayed.min(frame_time(replay, &stats)?);
    }
    let bytes = std::fs::metadata(&capture).doing(format!("reading {}", capture.display()))?.len();
    let bytes_a_frame = bytes as f64 / (FRAMES - FROM + 1) as f64;
    Ok(Measured { sample, live, captured, replayed, bytes_a_frame })
}

/// Milliseconds a frame of a run, as its renderer says.
fn frame_time(mut command: Command, stats: &Path) -> Result<f64> {
    command
        .env("AFTERIMAGE_RENDERER", "in-process")
        .env("AFTERIMAGE_VALIDATE", "0")
        .env("AFTERIMAGE_CHECK_STATE", "off")
        .env("AFTERIMAGE_STATS", stats);
    step::output(&mut command, "the sample")?;
    let text = std::fs::read_to_string(stats).doing(format!("reading {}", stats.display()))?;
    let figures: Value = serde_json::from_str(&text).doing("reading the figures of the sample")?;
    let time = figures["ms_per_frame"].as_f64().filter(|time| *time > 0.0);
    time.ok_or_else(|| Failure::new(step::line_of(&command), "its figures have no frame time"))
}

fn print(all: &[Measured]) {
    println!(
        "\n{:<28}{:>12}{:>14}{:>8}{:>14}{:>14}{:>8}",
        "capturing", "ms a frame", "captured", "x", "MB a frame", "replay, ms", "x"
    );
    for m in all {
        println!(
            "{:<28}{:>12.3}{:>14.3}{:>8.3}{:>14.4}{:>14.3}{:>8.2}",
            m.sample.to_string(),
            m.live,
            m.captured,
            m.captured / m.live,
            m.bytes_a_frame / 1e6,
            m.replayed,
            m.live / m.replayed
        );
    }
}
