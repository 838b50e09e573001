//! The demo's rest: figures over a picture, devices, the configuration.

use std::path::Path;
use std::process::Command;

use xtask::build::Tree;
use xtask::step::{self, Context, Failure, Result};
use xtask::workspace::Workspace;

use super::page::{Figure, Section, figures, texts};
use crate::matrix::End;
use crate::picture::Picture;

/// Where the figures lie: pixels from the left and the top.
const HUD: [u32; 2] = [320, 240];

/// Draws the teapot with figures over it, and asks the program what there is.
///
/// # Errors
/// When a program cannot be started.
pub(super) fn section(ws: &Workspace, tree: &Tree, out: &Path) -> Result<Section> {
    let folder = out.join("hud");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).doing(format!("creating {}", folder.display()))?;
    let draw = |name: &str, hud: &str| -> Result<Picture> {
        let mut command = Command::new("timeout");
        command.args(["-k", "5", "60"]).arg(tree.native_sample("teapot")).args(["--frames", "20"]);
        command.env("AFTERIMAGE_RENDERER", "in-process").env("AFTERIMAGE_HUD", hud).env("AFTERIMAGE_VALIDATE", "0");
        command.env("AFTERIMAGE_SCREENSHOTS", folder.join(name)).env("AFTERIMAGE_SCREENSHOT_FRAMES", "20");
        step::run(ws, &mut command, &format!("the teapot, figures {name}"), "")?;
        Picture::read(&folder.join(name).join("frame-000020.png"))
    };
    let (plain, over) = (draw("off", "")?, draw("on", "full,pictures")?);
    let end = match plain.difference(&over) {
        Some(_) if plain.part(HUD, [640, 480]) == over.part(HUD, [640, 480]) => End::Good,
        Some(difference) => End::Bad(format!("figures lie where they should not: {difference}")),
        None => End::Bad("no figures are to be seen".to_owned()),
    };
    let said = |arguments: &[&str]| -> Result<(String, String)> {
        let mut command = Command::new(tree.afterimage());
        command.args(arguments).env("AFTERIMAGE_HUD", "fps,frametimes");
        let text = step::output(&mut command, "asking afterimage")?;
        if text.trim().is_empty() {
            return Err(Failure::new("asking afterimage", "it says nothing"));
        }
        Ok((format!("<code>afterimage {}</code>", arguments.join(" ")), text))
    };
    let picture = |name: &str| folder.join(name).join("frame-000020.png");
    let shown = [
        Figure::new(picture("on"), "figures over the picture", "<code>AFTERIMAGE_HUD=full,pictures</code>"),
        Figure::new(picture("off"), "without", "what captures hold in both cases"),
    ];
    let words = [said(&["info"])?, said(&["config", "--changed", "game.exe"])?, said(&["config", "--explain", "hud"])?];
    let line = match &end {
        End::Bad(why) => format!("figures over pictures: {why}"),
        _ => "figures over pictures: only where they belong".to_owned(),
    };
    Ok(Section {
        id: "words",
        title: "Figures, devices, settings",
        what: "Figures are drawn over windows, and over pictures if they are asked for. Settings come from a file with prose in it, for \
               all programs or for one by its name, or from the environment."
            .to_owned(),
        html: figures("two", &shown, out) + &texts(&words),
        ends: vec![end],
        lines: vec![line],
    })
}
