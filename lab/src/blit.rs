//! Windows programs whose pictures come back from the renderer and are drawn into their windows by GDI: under a viewer that draws into no
//! window, also one that draws with Metal, as on a Mac, and in their own process. What a window shows is a picture that was drawn, to the last pixel.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use xtask::build::{Tree, Width};
use xtask::step::{Context, Failure, Progress, Result};
use xtask::workspace::Workspace;

use crate::keys::hand::Hand;
use crate::matrix::End;
use crate::picture::{self, Picture};
use crate::wine::Wine;

const SAMPLE: &str = "scene";
/// Frames a second: each is there for a while.
const RATE: &str = "5";
/// The program's window.
const SIZE: (u16, u16) = (224, 168);
/// How long a picture may take to come, and how long nothing must come where it is not wanted.
const PATIENCE: Duration = Duration::from_secs(120);
/// Frames that are drawn before a window without a picture is believed.
const ENOUGH: usize = 10;

/// How it went in one way.
pub(crate) struct Row {
    /// Which.
    pub(crate) way: String,
    /// How that ended.
    pub(crate) end: End,
}

/// The way in which a viewer draws with the software Metal.
const METAL: &str = "metal-soft";

/// Programs of each width, drawn by a viewer, by one with Metal, and by themselves.
pub(crate) fn run(ws: &Workspace, tree: &Tree, wine: &Wine) -> Vec<Row> {
    let ways =
        Width::ALL.into_iter().flat_map(|width| ["viewer", METAL, "in-process"].map(|renderer| (width, renderer)));
    let row = |(width, renderer): (Width, &str)| {
        let way = format!("{} bit, {renderer}", width.bits());
        let denied = wine.denied(width).or_else(|| (renderer == "in-process").then(|| wine.denied_vulkan(width))?);
        if let Some(end) = denied {
            return Row { way, end };
        }
        let progress = Progress::start(format!("pictures by GDI: {way}"));
        let out = ws.target.join("test-blit").join(format!("{}-{renderer}", width.bits()));
        let _ = std::fs::remove_dir_all(&out);
        let result = shown(tree, wine, width, renderer, &out);
        progress.finish(&result);
        Row { way, end: End::told(result) }
    };
    ways.map(row).collect()
}

/// A process that does not outlive us.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn shown(tree: &Tree, wine: &Wine, width: Width, renderer: &str, out: &Path) -> Result {
    let hand = Hand::connect(wine.display())?;
    let forced = looked_at(tree, wine, (width, renderer, "on"), &hand, &out.join("on"))?;
    if !forced {
        return Err(Failure::new(
            "a window that is drawn into by GDI",
            "it shows none of the pictures that were drawn",
        ));
    }
    // A viewer without windows has nothing else to draw into: what was seen came by GDI.
    if renderer != "in-process" && looked_at(tree, wine, (width, renderer, "off"), &hand, &out.join("off"))? {
        return Err(Failure::new("a window that nobody draws into", "it shows a picture"));
    }
    Ok(())
}

/// Whether the program's window shows one of the pictures that were drawn.
fn looked_at(tree: &Tree, wine: &Wine, way: (Width, &str, &str), hand: &Hand, out: &Path) -> Result<bool> {
    let (width, renderer, setting) = way;
    let shots = out.join("shots");
    std::fs::create_dir_all(out.join("link")).doing(format!("creating {}", out.display()))?;
    let exe = out.join("program.exe");
    xtask::build::copy(&tree.windows_sample(SAMPLE, width), &exe)?;
    xtask::build::copy(&tree.root().join(width.folder()).join("d3d9.dll"), &out.join("d3d9.dll"))?;
    let output = |name: &str| File::create(out.join(name)).doing(format!("creating {name}"));
    let viewer = (renderer != "in-process").then(|| {
        let mut viewer = Command::new(tree.viewer());
        viewer.args(["--headless", "--once", "-o"]).arg(&shots).env("AFTERIMAGE_DIR", out.join("link"));
        if renderer == METAL {
            viewer.env("AFTERIMAGE_GRAPHICS", METAL);
        }
        viewer.stdin(Stdio::null()).stdout(Stdio::null()).stderr(output("viewer.log")?);
        viewer.spawn().doing("starting the viewer").map(Running)
    });
    let _viewer = viewer.transpose()?;
    let mut program = Command::new("wine");
    program.arg(&exe).args(["--frames", "100000", "--width", &SIZE.0.to_string(), "--height", &SIZE.1.to_string()]);
    wine.environment(&mut program, width);
    program.env("WINEDLLOVERRIDES", "mscoree,mshtml=;d3d9=n").env("AFTERIMAGE_DIR", out.join("link")).current_dir(out);
    program
        .env("AFTERIMAGE_RENDERER", if renderer == METAL { "viewer" } else { renderer })
        .env("AFTERIMAGE_SOFT_PRESENT", setting)
        .env("AFTERIMAGE_FPS_LIMIT", RATE);
    if renderer == "in-process" {
        program.env("AFTERIMAGE_SCREENSHOTS", &shots).env("AFTERIMAGE_VALIDATE", "0");
    }
    program.stdin(Stdio::null()).stdout(output("output")?).stderr(output("log")?);
    let mut program = Running(program.spawn().doing("starting a Windows program")?);
    let start = Instant::now();
    let mut seen: Vec<PathBuf> = Vec::new();
    while start.elapsed() < PATIENCE {
        if let Some(status) = program.0.try_wait().doing("looking after a Windows program")? {
            let advice = format!("see {}", out.join("log").display());
            return Err(Failure::new("a Windows program", format!("it has ended, {status}")).advise(advice));
        }
        let window = hand.window(SIZE).and_then(|window| hand.shown(window));
        seen = picture::in_folder(&shots);
        // What is in the window is not far behind.
        for file in seen.iter().rev().take(ENOUGH) {
            if window.is_some() && window == Picture::read(file).ok() {
                return Ok(true);
            }
        }
        if setting == "off" && seen.len() > ENOUGH {
            return Ok(false);
        }
        std::thread::sleep(Duration::from_millis(30));
    }
    Err(Failure::new("a window of this size", format!("not within {} s; {} frames", PATIENCE.as_secs(), seen.len())))
}
