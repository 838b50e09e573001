//! `cargo xtask bench nv2a`: what the benchmarks of the NV2A say, in the units that people ask for, and recordings drawn.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use serde_json::{Value, json};

use crate::build;
use crate::setup;
use crate::step::{self, Context, Result};
use crate::workspace::Workspace;

/// The benchmarks of the crates that belong to it.
pub(crate) const BENCHES: [&str; 3] = ["nv2a", "nv2a_draws", "texture"];

/// Recordings that are drawn.
const DRAWN: &str = "recordings, drawn";

/// A figure: the benchmark, its case, the unit, and how many of that in a second are 1 over one nanosecond.
struct Figure {
    bench: &'static str,
    case: &'static str,
    unit: &'static str,
    scale: f64,
}

const MILLIONS: f64 = 1e3;
/// Of cases that take a MiB.
const GIGABYTES: f64 = 1_048_576.0;

const fn figure(bench: &'static str, case: &'static str, unit: &'static str, scale: f64) -> Figure {
    Figure { bench, case, unit, scale }
}

const FIGURES: &[Figure] = &[
    figure("nv2a", "run with state tracking, what a draw sets", "M arguments/s", MILLIONS),
    figure("nv2a", "run with state tracking, 32 arguments a header", "M arguments/s", MILLIONS),
    figure("nv2a", "run with state tracking, 8 arguments a header", "M arguments/s", MILLIONS),
    figure("nv2a", "run with state tracking, 1 argument a header", "M arguments/s", MILLIONS),
    figure("nv2a", "immediate vertex, colour and position", "M vertices/s", MILLIONS),
    figure("nv2a_draws", "draws of four vertices", "M draws/s", MILLIONS),
    figure("nv2a_draws", "draws with a new constant and combiner factor", "M draws/s", MILLIONS),
    figure("texture", "unswizzle 8 bits", "GB/s", GIGABYTES),
    figure("texture", "unswizzle 16 bits", "GB/s", GIGABYTES),
    figure("texture", "unswizzle 32 bits", "GB/s", GIGABYTES),
    figure("nv2a", "recording, read and run without drawing", "recordings/s", 1e9),
    figure("nv2a_recordings", DRAWN, "recordings/s", 1e9),
];

/// Draws all recordings if they are there, then prints the figures from the JSON files in `out`.
///
/// # Errors
/// When the program does not build or a recording cannot be drawn.
pub(crate) fn finish(ws: &Workspace, out: &Path) -> Result {
    draw(ws, out)?;
    println!("\n{:<52}{:>10}  {:<14}{:>14}", "NV2A", "a second", "unit", "x baseline");
    for Figure { bench, case, unit, scale } in FIGURES {
        let measured = case_of(&out.join(format!("{bench}.json")), case);
        match measured.as_ref().and_then(|measured| Some((measured["ns"].as_f64()?, measured["ratio"].as_f64()?))) {
            Some((ns, ratio)) => println!("{case:<52}{:>10.2}  {unit:<14}{ratio:>14.2}", scale / ns),
            None => println!("{case:<52}{:>10}  {unit:<14}", "–"),
        }
    }
    Ok(())
}

/// A case of a benchmark.
fn case_of(json: &Path, name: &str) -> Option<Value> {
    let report: Value = serde_json::from_str(&std::fs::read_to_string(json).ok()?).ok()?;
    report["cases"].as_array()?.iter().find(|case| case["name"] == name).cloned()
}

/// Draws the recordings with the release program, as many at a time as there are cores. The baseline is running them without.
fn draw(ws: &Workspace, out: &Path) -> Result {
    let file = out.join("nv2a_recordings.json");
    let _ = std::fs::remove_file(&file);
    let folder = super::beside(ws);
    let recordings = super::recordings(&folder);
    if recordings.is_empty() {
        println!("no recordings are drawn: {}", super::absent(&folder).summary());
        return Ok(());
    }
    setup::ensure(ws, &setup::Args { native_only: true, check: false })?;
    let mut replay = Command::new(build::afterimage(ws)?);
    replay.arg("replay").args(&recordings).env("AFTERIMAGE_VALIDATE", "0");
    let start = Instant::now();
    step::run(ws, &mut replay, &format!("drawing {} recordings", recordings.len()), "")?;
    let ns = start.elapsed().as_nanos() as f64 / recordings.len() as f64;
    let baseline = case_of(&out.join("nv2a.json"), "recording, read and run without drawing");
    let ratio = baseline.and_then(|case| case["ns"].as_f64()).map_or(1.0, |baseline| ns / baseline);
    let report = json!({ "bench": "nv2a_recordings", "cases": [{ "name": DRAWN, "ns": ns, "ratio": ratio }] });
    std::fs::write(&file, format!("{report:#}\n")).doing(format!("writing {}", file.display()))
}
