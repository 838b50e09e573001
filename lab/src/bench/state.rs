//! `cargo xtask bench state`: what state tracking saves: figures of samples and recordings, and their draws a second with it and with
//! everything applied at every draw (`AFTERIMAGE_APPLY_ALL`).

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use serde_json::{Value, json};
use xtask::build;
use xtask::setup;
use xtask::step::{self, Context, Failure, Progress, Result};
use xtask::workspace::Workspace;

use crate::nv2a;

/// The benchmark of the crate, which runs before.
pub(crate) const BENCHES: [&str; 1] = ["state"];

/// Sample programs, by what they draw most.
const SAMPLES: [&str; 4] = ["scene", "targets", "features", "teapot"];
/// Frames of a sample.
const FRAMES: &str = "60";
/// Recordings that are drawn, out of all that there are.
const RECORDINGS: usize = 24;
/// Runs of each kind; the quickest counts, since noise only ever adds.
const RUNS: usize = 3;

/// What a run says of itself.
#[derive(Default)]
struct Run {
    seconds: f64,
    draws: u64,
    guest: Value,
    host: Value,
}

impl Run {
    /// Adds the figures of a renderer.
    fn add(&mut self, stats: &Value) {
        self.draws += stats["draws"].as_u64().unwrap_or(0);
        for (sum, name) in [(&mut self.guest, "guest_state"), (&mut self.host, "renderer_state")] {
            for (field, count) in stats[name].as_object().into_iter().flatten() {
                sum[field] = json!(sum[field].as_u64().unwrap_or(0) + count.as_u64().unwrap_or(0));
            }
        }
    }

    fn draws_a_second(&self) -> f64 {
        self.draws as f64 / self.seconds.max(1e-9)
    }
}

/// The quickest runs with tracking and without.
struct Pair {
    name: String,
    tracked: Run,
    all: Run,
}

/// Draws everything, prints the tables, and writes `state_effect.json` into `out`.
///
/// # Errors
/// When something does not build, or a run fails.
pub(crate) fn finish(ws: &Workspace, out: &Path) -> Result {
    setup::ensure(ws, &setup::Args::native())?;
    let tree = build::library(ws)?;
    let program = build::afterimage(ws)?;
    let mut pairs = Vec::new();
    for sample in SAMPLES {
        pairs.push(pair(sample, |mode| one_sample(&tree.native_sample(sample), mode, out))?);
    }
    let folder = nv2a::beside(ws);
    let recordings = nv2a::recordings(&folder);
    if recordings.is_empty() {
        println!("no recordings are drawn: {}", nv2a::absent(&folder).summary());
    } else {
        let some: Vec<&PathBuf> = recordings.iter().step_by(recordings.len().div_ceil(RECORDINGS).max(1)).collect();
        let name = format!("{} NV2A recordings", some.len());
        pairs.push(pair(&name, |mode| replay(&program, &some, mode))?);
    }
    print(&pairs);
    let file = out.join("state_effect.json");
    let run = |run: &Run| json!({ "draws": run.draws, "seconds": run.seconds, "guest_state": run.guest, "renderer_state": run.host });
    let cases: Vec<Value> =
        pairs.iter().map(|p| json!({ "name": p.name, "tracked": run(&p.tracked), "all": run(&p.all) })).collect();
    std::fs::write(&file, format!("{:#}\n", json!({ "bench": "state_effect", "cases": cases })))
        .doing(format!("writing {}", file.display()))
}

/// Runs both kinds in turn, so that noise hits both.
fn pair(name: &str, mut one: impl FnMut(&str) -> Result<Run>) -> Result<Pair> {
    let progress = Progress::start(name.to_owned());
    let mut best: [Option<Run>; 2] = [None, None];
    let result = (0..RUNS).try_for_each(|_| {
        for (best, mode) in best.iter_mut().zip(["off", "on"]) {
            let run = one(mode)?;
            if best.as_ref().is_none_or(|best| run.seconds < best.seconds) {
                *best = Some(run);
            }
        }
        Ok(())
    });
    progress.finish(&result);
    result?;
    let [tracked, all] = best.map(Option::unwrap_or_default);
    Ok(Pair { name: name.to_owned(), tracked, all })
}

fn settings(command: &mut Command, apply_all: &str) {
    command
        .env("AFTERIMAGE_RENDERER", "in-process")
        .env("AFTERIMAGE_VALIDATE", "0")
        .env("AFTERIMAGE_CHECK_STATE", "off")
        .env("AFTERIMAGE_APPLY_ALL", apply_all);
}

fn one_sample(program: &Path, apply_all: &str, out: &Path) -> Result<Run> {
    let stats = out.join("state-sample.json");
    let mut command = Command::new(program);
    command.args(["--frames", FRAMES]).env("AFTERIMAGE_STATS", &stats);
    settings(&mut command, apply_all);
    step::output(&mut command, "the sample")?;
    let text = std::fs::read_to_string(&stats).doing(format!("reading {}", stats.display()))?;
    let stats: Value = serde_json::from_str(&text).doing("reading the figures of the sample")?;
    let number = |name: &str| stats[name].as_f64().unwrap_or(0.0);
    let mut run = Run { seconds: number("ms_per_frame") * number("frames") / 1000.0, ..Run::default() };
    run.add(&stats);
    Ok(run)
}

fn replay(program: &Path, recordings: &[&PathBuf], apply_all: &str) -> Result<Run> {
    let mut command = Command::new(program);
    command.args(["replay", "--jobs", "1", "--stats", "-"]).args(recordings);
    settings(&mut command, apply_all);
    let start = Instant::now();
    let text = step::output(&mut command, "drawing recordings")?;
    let mut run = Run { seconds: start.elapsed().as_secs_f64(), ..Run::default() };
    let all: Value = serde_json::from_str(&text).doing("reading the figures of the recordings")?;
    let all = all.as_array().ok_or_else(|| Failure::new("the figures of the recordings", "are no list".to_owned()))?;
    all.iter().for_each(|stats| run.add(stats));
    Ok(run)
}

fn print(pairs: &[Pair]) {
    println!("\n{:<24}{:>14}{:>18}{:>8}", "draws a second", "tracked", "all applied", "x");
    for Pair { name, tracked, all } in pairs {
        let [tracked, all] = [tracked, all].map(Run::draws_a_second);
        println!("{name:<24}{tracked:>14.0}{all:>18.0}{:>8.2}", tracked / all);
    }
    for (title, part) in [("guest, a draw", 0), ("renderer, a draw", 1)] {
        println!(
            "\n{title:<24}{:>10}{:>12}{:>10}{:>12}{:>22}{:>14}",
            "writes", "filtered", "marked", "applied", "of them unchanged", "all applied"
        );
        for Pair { name, tracked, all } in pairs {
            let of = |run: &Run, field: &str| {
                let figures = if part == 0 { &run.guest } else { &run.host };
                let count = |field: &str| figures[field].as_f64().unwrap_or(0.0);
                count(field) / count("draws").max(1.0)
            };
            let figure = |field: &str| of(tracked, field);
            println!(
                "{name:<24}{:>10.2}{:>12.2}{:>10.2}{:>12.2}{:>22.2}{:>14.2}",
                figure("filtered") + figure("marked"),
                figure("filtered"),
                figure("marked"),
                figure("applied"),
                figure("unchanged"),
                of(all, "applied"),
            );
        }
    }
}
