//! `cargo xtask gnm`: test material for the GNM guest; and its part of the benchmarks and the demo.

pub(crate) mod bench;
pub(crate) mod scenes;
mod shaders;

use xtask::step::Result;
use xtask::workspace::Workspace;

/// Arguments of `gnm`.
#[derive(Debug, clap::Args)]
#[command(arg_required_else_help = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Chore,
}

#[derive(Debug, clap::Subcommand)]
enum Chore {
    /// Compile the GLSL in crates/shader-gcn/tests/radv to gfx7 code, with RADV's device without hardware.
    ///
    /// With glslang of this machine, and Mesa 25.0.7 of a Debian trixie in the cache folder, which is made if it is not there (as
    /// root). What is written beside the sources is SPIR-V, and code with listing and registers of both of RADV's compilers.
    Shaders(shaders::Args),
}

/// The command itself.
///
/// # Errors
/// When a step fails, or the files are not as they should be.
pub(crate) fn main(ws: &Workspace, args: &Args) -> Result {
    match &args.command {
        Chore::Shaders(args) => shaders::main(ws, args),
    }
}
