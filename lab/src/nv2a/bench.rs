//! `cargo xtask bench nv2a`: what the benchmarks of the NV2A say, in the units that people ask for, and recordings drawn.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use serde_json::json;
use xtask::build;
use xtask::setup;
use xtask::step::{self, Context, Result};
use xtask::workspace::Workspace;

use crate::bench::figures::{self, Figure, GIGABYTES, MILLIONS, ONES, figure};

/// The benchmarks of the crates that belong to it.
pub(crate) const BENCHES: [&str; 3] = ["nv2a", "nv2a_draws", "texture"];

/// Recordings that are drawn.
const DRAWN: &str = "recordings, drawn";

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
    figure("nv2a", "recording, read and run without drawing", "recordings/s", ONES),
    figure("nv2a_recordings", DRAWN, "recordings/s", ONES),
];

/// Draws all recordings if they are there, then prints the figures from the JSON files in `out`.
///
/// # Errors
/// When the program does not build or a recording cannot be drawn.
pub(crate) fn finish(ws: &Workspace, out: &Path) -> Result {
    draw(ws, out)?;
    figures::head("NV2A");
    figures::print(FIGURES, out);
    Ok(())
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
    setup::ensure(ws, &setup::Args::native())?;
    let mut replay = Command::new(build::afterimage(ws)?);
    replay.arg("replay").args(&recordings).env("AFTERIMAGE_VALIDATE", "0");
    let start = Instant::now();
    step::run(ws, &mut replay, &format!("drawing {} recordings", recordings.len()), "")?;
    let ns = start.elapsed().as_nanos() as f64 / recordings.len() as f64;
    let mut measured = figures::cases(&out.join("nv2a.json")).into_iter();
    let baseline = measured.find(|case| case.name == "recording, read and run without drawing");
    let ratio = baseline.map_or(1.0, |baseline| ns / baseline.ns);
    let report = json!({ "bench": "nv2a_recordings", "cases": [{ "name": DRAWN, "ns": ns, "ratio": ratio }] });
    std::fs::write(&file, format!("{report:#}\n")).doing(format!("writing {}", file.display()))
}
