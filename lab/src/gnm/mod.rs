//! `cargo xtask gnm`: test material for the GNM guest, and other people's; and its part of the benchmarks and the demo.

pub(crate) mod bench;
pub(crate) mod corpus;
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
    /// Run other people's shaders: SPIRV-Cross's, glslang's and piglit's tests, through RADV and then through all of ours.
    ///
    /// The packages are Debian's, kept in the cache folder. glslang makes SPIR-V of their shaders, both of RADV's compilers gfx7 code of
    /// that, and each becomes a recording (target/gnm/corpus/recordings/NAME.COMPILER.gcap) whose memory begins and ends inside of
    /// pages. It is played as `afterimage replay` plays it: every shader that is sent is compiled and shown to spirv-val, and a compute
    /// shader's memory is held against what the original SPIR-V leaves on the same device. Prints how many came how far, and why no
    /// further. Fails if a shader fails that crates/gcn-corpus/known.txt does not name, or one that it names does not.
    ///
    /// One shader again, with its recording kept: cargo xtask gnm corpus --only piglit.tests.spec.NAME, then
    /// afterimage inspect target/gnm/corpus/recordings/NAME.aco.gcap
    Corpus(corpus::Args),
}

/// The command itself.
///
/// # Errors
/// When a step fails, or the files are not as they should be.
pub(crate) fn main(ws: &Workspace, args: &Args) -> Result {
    match &args.command {
        Chore::Shaders(args) => shaders::main(ws, args),
        Chore::Corpus(args) => corpus::main(ws, args),
    }
}
