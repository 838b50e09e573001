//! `cargo xtask bless`: writes what is generated: the samples' shader header, the first inputs of the fuzz target, the opcodes
//! in docs/ir.md, the expected output inside of the text tests, and the pictures in docs/images.

use xtask::step::{self, Context as _, Failure, Result};
use xtask::workspace::Workspace;
use xtask::{build, laboratory};

/// Arguments of `bless`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Only these packages' tests (`afterimage-ir`, ...); all if none is named.
    packages: Vec<String>,
    /// Only the samples' pictures in docs/images.
    #[arg(long, conflicts_with = "packages")]
    images: bool,
}

/// The command itself.
///
/// # Errors
/// When a shader does not assemble, or a test fails that is not about expected output.
pub(crate) fn main(ws: &Workspace, args: &Args) -> Result {
    if args.images {
        return images(ws);
    }
    shaders(ws)?;
    let mut cargo = build::cargo(ws);
    cargo.args(["test", "--no-fail-fast"]).env("AFTERIMAGE_BLESS", "1");
    if args.packages.is_empty() {
        cargo.arg("--workspace");
    }
    for package in &args.packages {
        cargo.args(["-p", package]);
    }
    step::run(ws, &mut cargo, "writing the expected output of the tests", "")?;
    if args.packages.is_empty() {
        images(ws)?;
    }
    println!("look at the changes with `git diff` before you commit them");
    Ok(())
}

/// Has the laboratory run the samples and write their pictures.
fn images(ws: &Workspace) -> Result {
    let mut command = laboratory::command(ws, laboratory::Program::Laboratory)?;
    let status = command.current_dir(&ws.root).arg("images").status().doing("starting the laboratory")?;
    let failed = || Failure::new("writing docs/images", "it says above what is wrong");
    if status.success() { Ok(()) } else { Err(failed()) }
}

/// Assembles the samples' shaders.
fn shaders(ws: &Workspace) -> Result {
    let mut cargo = build::cargo(ws);
    cargo.args([
        "run",
        "--quiet",
        "-p",
        "xtask",
        "--example",
        "assemble",
        "--",
        "samples/shaders",
        "fuzz/seeds/shader_tokens",
    ]);
    step::run(ws, &mut cargo, "assembling the samples' shaders", "").map(drop)
}
