//! The demo's renderer on Metal: a sample's capture, drawn by it on a software Metal, beside what Vulkan draws of it.

use std::path::Path;
use std::process::Command;

use xtask::build::Tree;
use xtask::step::{self, Context, Failure, Result};
use xtask::workspace::Workspace;

use super::page::{Figure, Section, figures, mark};
use crate::matrix::End;
use crate::metal::drawn::{EXACT, LEVELS, SAME};
use crate::picture::Picture;

/// The sample, and the frame that is drawn.
const SAMPLE: &str = "teapot";
const FRAME: &str = "20";

/// Captures a frame, and draws it twice. Without clang, with which the software Metal runs shaders, it says so.
///
/// # Errors
/// When a program cannot be started, or draws nothing.
pub(super) fn section(ws: &Workspace, tree: &Tree, out: &Path) -> Result<Section> {
    let (html, end) = if step::on_path("clang++-14") || step::on_path("clang++") {
        drawn(ws, tree, out)?
    } else {
        (String::new(), End::Skipped("no clang, which the software Metal runs shaders with".to_owned()))
    };
    let line = match &end {
        End::Good => "Metal: as Vulkan draws it".to_owned(),
        End::Skipped(why) | End::Bad(why) => format!("Metal: {why}"),
    };
    Ok(Section {
        id: "metal",
        title: "Metal",
        what: format!(
            "A renderer for Macs, tried without one: a frame of a sample, captured and drawn by Vulkan and by the renderer on Metal. Its \
             calls go to a Metal in software, which compiles the text of shaders with clang and refuses what Apple's validation layer \
             refuses: {}. <code>afterimage replay --renderer metal-soft FILE -o FOLDER</code>",
            mark(&end, "the same picture, but for rounding")
        ),
        html,
        ends: vec![end],
        lines: vec![line],
    })
}

fn drawn(ws: &Workspace, tree: &Tree, out: &Path) -> Result<(String, End)> {
    let folder = out.join("metal");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).doing(format!("creating {}", folder.display()))?;
    let capture = folder.join(SAMPLE).with_extension("aftercap");
    let mut program = Command::new("timeout");
    program.args(["-k", "5", "60"]).arg(tree.native_sample(SAMPLE)).args(["--frames", "21"]);
    program.env("AFTERIMAGE_RENDERER", "in-process").env("AFTERIMAGE_VALIDATE", "0");
    program.env("AFTERIMAGE_CAPTURE_FRAMES", FRAME).env("AFTERIMAGE_CAPTURE_FILE", &capture);
    step::run(ws, &mut program, &format!("capturing {SAMPLE}"), "")?;
    let draw = |renderer: &str| -> Result<(std::path::PathBuf, Picture)> {
        let pictures = folder.join(renderer);
        let mut replay = Command::new(tree.afterimage());
        replay.args(["replay", "--renderer", renderer]).arg(&capture).arg("-o").arg(&pictures).env(EXACT.0, EXACT.1);
        step::run(ws, &mut replay, &format!("{SAMPLE} on {renderer}"), "")?;
        let all = crate::picture::in_folder(&pictures);
        let first =
            all.first().ok_or_else(|| Failure::new("the demo of Metal", format!("{renderer} draws nothing")))?;
        Ok((first.clone(), Picture::read(first)?))
    };
    let ((vulkan, of_vulkan), (metal, of_metal)) = (draw("vulkan")?, draw("metal-soft")?);
    let Some((difference, within, same)) = of_vulkan.compare(&of_metal, LEVELS) else {
        return Ok((String::new(), End::Bad("the pictures have two sizes".to_owned())));
    };
    let file = folder.join("difference.png");
    difference.write(&file)?;
    let percent = |part: f64| format!("{:.2} %", part * 100.0);
    let end = if within >= SAME {
        End::Good
    } else {
        End::Bad(format!("{} of the pixels are within {LEVELS} level of Vulkan's", percent(within)))
    };
    let caption = format!("{} the same, {} within {LEVELS} of 255 levels", percent(same), percent(within));
    let shown = [
        Figure::new(vulkan, "Vulkan", "Mesa's driver for CPUs, or this machine's"),
        Figure::new(metal, "Metal", "a software Metal"),
        Figure::new(file, "what differs", caption),
    ];
    Ok((figures("three", &shown, out), end))
}
