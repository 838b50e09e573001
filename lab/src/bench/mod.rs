//! `cargo xtask bench [NAME]`: benchmarks, each with ratios to a baseline of the same run, and JSON in `target/bench/`.
//!
//! `d3d9` is a program (`samples/bench_d3d9.cpp`) that runs natively and under Wine, `nv2a` and `gnm` all that is about these
//! guests, `state` also what tracking saves samples and recordings, `capture` what capturing costs samples; every other name is a
//! `benches/NAME.rs` of a crate.

mod capture;
mod d3d9;
pub(crate) mod figures;
mod floor;
mod measured;
mod parts;
mod state;

use std::process::Command;

use xtask::build;
use xtask::step::{self, Context, Failure, Result};
use xtask::workspace::Workspace;

use crate::feedback;
use crate::gnm;
use crate::nv2a;

/// The benchmarks that are programs.
const D3D9: &str = "d3d9";
const CAPTURE: &str = "capture";
/// The benchmarks that stand for several.
const NV2A: &str = "nv2a";
const GNM: &str = "gnm";
const STATE: &str = "state";
/// Transform feedback, whose figures are a table of their own.
const XFB: &str = "xfb";

/// Arguments of `bench`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Which benchmark; all if none is named.
    name: Option<String>,
    /// Say which benchmarks there are.
    #[arg(long)]
    list: bool,
    #[command(flatten)]
    d3d9: d3d9::Args,
}

/// The command itself.
///
/// # Errors
/// When there is no such benchmark, or it does not build or run.
pub(crate) fn main(ws: &Workspace, args: &Args) -> Result {
    let out = ws.target.join("bench");
    std::fs::create_dir_all(&out).doing(format!("creating {}", out.display()))?;
    if args.name.as_deref() == Some(D3D9) && !args.list {
        // With what was built elsewhere, this takes no source tree.
        return d3d9::run(ws, &args.d3d9, &out);
    }
    let crates = in_crates(ws)?;
    let names: Vec<&str> = [D3D9, CAPTURE].into_iter().chain(crates.iter().map(|(_, name)| name.as_str())).collect();
    if args.list {
        println!("{}", names.join("\n"));
        return Ok(());
    }
    if let Some(unknown) = args.name.as_deref().filter(|name| !names.contains(name)) {
        return Err(Failure::new("the benchmark", format!("there is no `{unknown}`; there are {}", names.join(", "))));
    }
    let wanted = |name: &str| args.name.as_deref().is_none_or(|wanted| wanted == name || group(wanted).contains(&name));
    for (package, name) in crates.iter().filter(|(_, name)| wanted(name)) {
        let json = out.join(format!("{name}.json"));
        let mut cargo = build::cargo(ws);
        cargo.args(["bench", "--quiet", "-p", package, "--bench", name]).env("AFTERIMAGE_BENCH_JSON", &json);
        watch(&mut cargo, name)?;
        println!("written: {}", json.display());
    }
    if wanted(NV2A) {
        nv2a::bench::finish(ws, &out)?;
    }
    if wanted(GNM) {
        gnm::bench::finish(&out);
    }
    if wanted(XFB) {
        feedback::finish(&out);
    }
    if wanted(STATE) {
        state::finish(ws, &out)?;
    }
    if wanted(CAPTURE) {
        capture::finish(ws, &out)?;
    }
    if wanted(D3D9) { d3d9::run(ws, &args.d3d9, &out) } else { Ok(()) }
}

/// The benchmarks that a name stands for besides itself.
fn group(name: &str) -> &'static [&'static str] {
    match name {
        NV2A => &nv2a::bench::BENCHES,
        GNM => &gnm::bench::BENCHES,
        STATE => &state::BENCHES,
        _ => &[],
    }
}

/// Every `benches/NAME.rs`, with its package.
fn in_crates(ws: &Workspace) -> Result<Vec<(String, String)>> {
    let folder = ws.root.join("crates");
    let mut found = Vec::new();
    for entry in std::fs::read_dir(&folder).doing(format!("reading {}", folder.display()))?.flatten() {
        let package = format!("afterimage-{}", entry.file_name().to_string_lossy());
        let benches = std::fs::read_dir(entry.path().join("benches")).into_iter().flatten().flatten();
        for file in benches.map(|file| file.path()).filter(|path| path.extension().is_some_and(|ext| ext == "rs")) {
            let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            if name != D3D9 {
                found.push((package.clone(), name));
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Runs a benchmark with its output on the terminal.
fn watch(command: &mut Command, name: &str) -> Result {
    let line = step::line_of(command);
    let status = command.status().doing(format!("starting {line}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(Failure::new(format!("the benchmark {name}"), format!("{line}: {status}")))
    }
}
