//! Set-up, demo, test, bless, bench, fuzz, gnm, nv2a, dist and validate: everything that a clone of Afterimage can be asked to do.

#![forbid(unsafe_code)]

mod bench;
mod bless;
mod build;
#[cfg(test)]
mod citations;
mod conformance;
mod demo;
mod deny;
mod display;
mod dist;
mod endings;
mod fuzz;
mod gnm;
mod images;
mod keys;
mod killed;
#[cfg(test)]
mod layers;
mod matrix;
#[cfg(test)]
mod numbers;
mod nv2a;
mod picture;
mod programs;
mod replays;
mod report;
mod samples;
#[cfg(test)]
mod security;
mod setup;
mod shaders;
mod soak;
mod step;
mod test;
mod validate;
mod wine;
mod workspace;
mod xfb;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use workspace::Workspace;

/// The chores of Afterimage. `cargo xtask demo` shows it at work, `cargo xtask test` proves it.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", version, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Chore,
}

#[derive(Debug, Subcommand)]
enum Chore {
    /// Install what is missing: a Vulkan driver, validation layers, mingw, Wine, the Windows target of Rust.
    ///
    /// Works as root on Debian; elsewhere, and for other users, it prints the commands instead. Nothing that is there
    /// already is touched, and a second run takes no time. `demo` and `test` do this by themselves.
    Setup(setup::Args),
    /// Set up, build, run the sample programs in every way there is, and show their pictures.
    ///
    /// Each program runs natively in one process, as a 64-bit and a 32-bit Windows program under Wine through shared
    /// memory, and from a capture; the pictures must be the same. Results: a table, and target/demo/index.html.
    Demo(demo::Args),
    /// Set up, and check everything: formatting, clippy, tests, the samples in every way, the fuzz targets.
    ///
    /// Devices are opened with the validation layers, and any message of theirs is a failure.
    Test(test::Args),
    /// Write generated files and the expected output inside of the text tests anew.
    Bless(bless::Args),
    /// Measure: `d3d9` (what a draw costs), and every crate's benchmarks.
    Bench(bench::Args),
    /// Fuzz everything that reads bytes from elsewhere.
    Fuzz(fuzz::Args),
    /// Draw recordings of an Xbox's push buffers, and compare them with the console's own pictures.
    ///
    /// Says how many match, and writes target/nv2a/report/index.html with golden, picture and difference. Fails if a picture
    /// that docs/nv2a-misses.md does not name misses its golden one, or one that it names matches.
    Nv2a(nv2a::Args),
    /// Make test material for the PlayStation 4's command buffers and shaders.
    Gnm(gnm::Args),
    /// Create, use and release resources of every kind for a while, and say what memory grows.
    ///
    /// Runs natively, and as a 64-bit and a 32-bit Windows program under Wine through the viewer, and prints resident memory of
    /// both processes and the program's address space.
    Soak(soak::Args),
    /// Run other people's tests: Wine's own for Direct3D 9, D3DX and HLSL, each sub-test in a process of its own.
    ///
    /// Built out of Debian's source package in the cache folder; in process and through the viewer, 64 and 32 bit, beside
    /// WineD3D and DXVK. Fails if a sub-test that docs/SUITE-conformance.md does not name is not clean, or one that it
    /// names is.
    Conformance(conformance::Args),
    /// Run engines from a package registry, and compare what they draw through us with what they draw through WineD3D.
    ///
    /// Panda3D, SDL2, pygame, ANGLE and Qt Quick as Windows wheels from PyPI, in versions whose sums are known, kept in the cache folder.
    Programs(programs::Args),
    /// Run cases of transform feedback: IN.json -o OUT.json [--path lowered|native|interp], or all of the harness's: --all.
    ///
    /// The program behind it builds first, and has the options: `cargo xtask xfb-cases --help`.
    XfbCases(xfb::Args),
    /// Capture the samples of every guest, from the first frame and from the 500th on, and compare what the captures replay to.
    ///
    /// The pictures must be those that were shown, here and with --trixie by another driver. Captures that were made on another
    /// machine are compared with the pictures of that machine: --also.
    Replays(replays::Args),
    /// Check licences, versions, sources and known faults of what we are built of, as deny.toml says.
    Deny,
    /// Build the release tree in target/dist: DLLs, library, headers, programs, samples, licences.
    Dist,
    /// Run the samples and their captures under the Vulkan validation layers.
    Validate,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let ws = Workspace::find();
    let result = match cli.command {
        Chore::Setup(args) => setup::main(&ws, &args),
        Chore::Demo(args) => demo::main(&ws, &args),
        Chore::Test(args) => test::main(&ws, &args),
        Chore::Bless(args) => bless::main(&ws, &args),
        Chore::Bench(args) => bench::main(&ws, &args),
        Chore::Fuzz(args) => fuzz::main(&ws, &args),
        Chore::Gnm(args) => gnm::main(&ws, &args),
        Chore::Nv2a(args) => nv2a::main(&ws, &args),
        Chore::Soak(args) => soak::main(&ws, &args),
        Chore::Conformance(args) => conformance::main(&ws, &args),
        Chore::Programs(args) => programs::main(&ws, &args),
        Chore::XfbCases(args) => xfb::main(&ws, &args),
        Chore::Replays(args) => replays::main(&ws, &args),
        Chore::Deny => deny::main(&ws),
        Chore::Dist => dist::main(&ws),
        Chore::Validate => validate::main(&ws),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("\n{failure}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        super::Cli::command().debug_assert();
    }
}
