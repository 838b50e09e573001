//! `cargo xtask xfb-cases`: cases of transform feedback, run by the program of the crate `xfb-cases`, which has the options; and what
//! `cargo xtask bench xfb` says.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use xtask::build::{self, Profile, Tree};
use xtask::step::{self, Context, Failure, Result};
use xtask::workspace::Workspace;

use crate::bench::figures::{self, MILLIONS, Measured};
use crate::matrix::End;

/// Arguments of `xfb-cases`.
#[derive(Debug, clap::Args)]
#[command(disable_help_flag = true)]
pub(crate) struct Args {
    /// IN.json -o OUT.json [--path lowered|native|layer|interp], or --all, or --help for the rest.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENTS")]
    arguments: Vec<OsString>,
}

/// The command itself.
///
/// # Errors
/// When the program does not build, or says that something is wrong.
pub(crate) fn main(ws: &Workspace, args: &Args) -> Result {
    let mut command = Command::new(program(ws, Profile::Release)?);
    let layered = |argument: &OsString| argument.to_string_lossy().split(',').any(|path| path == "layer");
    if args.arguments.iter().any(layered) {
        layer(ws, Profile::Release, &mut command)?;
    }
    // In the caller's folder, since the names of files are the caller's.
    let status = command.args(&args.arguments).status().doing("starting xfb-cases")?;
    if status.success() {
        return Ok(());
    }
    let why = "it says above what is wrong";
    Err(Failure { command: Some(step::line_of(&command)), ..Failure::new("running cases of transform feedback", why) })
}

/// Builds the Vulkan layer, and says to a command where it is and that it answers on every device.
///
/// # Errors
/// When it does not build, or its manifest cannot be written.
pub(crate) fn layer(ws: &Workspace, profile: Profile, command: &mut Command) -> Result {
    let mut cargo = build::cargo(ws);
    cargo.args(["build", "-p", "afterimage-layer"]);
    let built = match profile {
        Profile::Dev => "debug",
        Profile::Release => {
            cargo.arg("--release");
            "release"
        }
    };
    step::run(ws, &mut cargo, "building the Vulkan layer", "")?;
    let name = "VkLayer_afterimage_transform_feedback.json";
    let folder = ws.target.join("layer");
    let library = ws.target.join(built).join("libafterimage_layer.so");
    let manifest =
        std::fs::read_to_string(ws.root.join("crates/layer/manifest").join(name)).doing("reading the manifest")?;
    let manifest = manifest.replace("../../../lib/afterimage/libafterimage_layer.so", &library.display().to_string());
    std::fs::create_dir_all(&folder).doing("making a folder for the manifest")?;
    std::fs::write(folder.join(name), manifest).doing("writing the manifest")?;
    command.env("VK_ADD_LAYER_PATH", folder).env("AFTERIMAGE_XFB", "force");
    Ok(())
}

fn program(ws: &Workspace, profile: Profile) -> Result<PathBuf> {
    let mut cargo = build::cargo(ws);
    cargo.args(["build", "--bin", "xfb-cases"]);
    let folder = match profile {
        Profile::Dev => {
            cargo.arg("--workspace");
            "debug"
        }
        Profile::Release => {
            cargo.args(["--release", "-p", "afterimage-xfb-cases"]);
            "release"
        }
    };
    step::run(ws, &mut cargo, "building xfb-cases", "")?;
    Ok(ws.target.join(folder).join("xfb-cases"))
}

/// The demo's particles, which move from capture to capture.
pub(crate) struct Particles {
    /// Pictures, by how captures are made.
    pub(crate) pictures: Vec<PathBuf>,
    /// A shader and what becomes of it, each under its title.
    pub(crate) texts: Vec<(String, String)>,
    /// Whether they are equal.
    pub(crate) end: End,
}

/// Draws them into the folder `out`.
///
/// # Errors
/// When the program does not build.
pub(crate) fn particles(ws: &Workspace, tree: &Tree, profile: Profile, out: &Path) -> Result<Particles> {
    let _ = std::fs::remove_dir_all(out);
    let mut command = Command::new(program(ws, profile)?);
    command.arg("--scene").arg(out);
    let drawn = step::run(ws, &mut command, "drawing particles that are captured", "");
    let pictures = ["native", "lowered"].map(|name| out.join(format!("{name}.png")));
    let pictures = pictures.into_iter().filter(|picture| picture.is_file()).collect();
    let said = |arguments: &[&str]| {
        let mut command = Command::new(tree.afterimage());
        command.current_dir(&ws.root).arg("shader").args(arguments);
        step::output(&mut command, "lowering a shader")
    };
    let source = SHOWN.trim_end_matches(".spv");
    let text = std::fs::read_to_string(ws.root.join(source)).doing(format!("reading {source}"))?;
    let texts = vec![
        (format!("<b>GLSL</b> <code>{source}</code>"), text),
        (
            format!("<b>lowered, in our IR</b> <code>afterimage shader feedback {SHOWN} --to ir</code>"),
            said(&["feedback", SHOWN, "--to", "ir"])?,
        ),
        (
            format!("<b>what it has to be given</b> <code>afterimage shader feedback {SHOWN} --layout</code>"),
            said(&["feedback", SHOWN, "--layout"])?,
        ),
    ];
    Ok(Particles { pictures, texts, end: drawn.map_or_else(|failure| End::Bad(failure.summary()), |_| End::Good) })
}

/// The shader that is shown: SPIR-V, beside its source.
const SHOWN: &str = "crates/feedback/tests/shaders/waves.vert.spv";

impl Particles {
    /// A line for the terminal.
    pub(crate) fn summary(&self) -> String {
        match &self.end {
            End::Bad(why) => format!("transform feedback: particles: {why}"),
            _ => format!("transform feedback: particles have the same pixels in {} pictures", self.pictures.len()),
        }
    }
}

/// Prints what the benchmark wrote into `out`: draws by their vertices, ways to capture them side by side.
pub(crate) fn finish(out: &Path) {
    let cases = figures::cases(&out.join("xfb.json"));
    let (mut draws, mut ways): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    for (draw, way) in cases.iter().filter_map(|case| case.name.split_once(", ")) {
        if !draws.contains(&draw) {
            draws.push(draw);
        }
        if !ways.contains(&way) {
            ways.push(way);
        }
    }
    // By topology, then by size: the benchmark measures the other way round.
    draws.sort_by_key(|draw| draw.split_once(" of ").map(|(name, _)| name));
    let first = ways.first().copied().unwrap_or_default();
    println!("\nM vertices a second (x the time of {first})");
    println!("{:<24}{}", "", ways.iter().map(|way| format!("{way:>24}")).collect::<String>());
    for draw in draws {
        let cell = |way: &&str| {
            let name = format!("{draw}, {way}");
            let cell = |Measured { ns, ratio, .. }: &Measured| format!("{:.3} ({ratio:.2})", MILLIONS / ns);
            let cell = cases.iter().find(|case| case.name == name).map_or_else(|| "–".to_owned(), cell);
            format!("{cell:>24}")
        };
        println!("{draw:<24}{}", ways.iter().map(cell).collect::<String>());
    }
}
