//! A scene drawn by calls of the PlayStation 4's graphics library, all the way to a picture:
//!
//! ```text
//! CommandBuffer in memory ──> Gpu (command processor, GCN code) ──> renderer ──> memory ──> PNG
//! ```
//!
//! `cargo run -p afterimage-gnm --example water -- pictures` writes `pictures/frame-000001.png` and so on.
#![forbid(unsafe_code)]

mod console;
mod programs;
mod scene;
mod shapes;

use afterimage_gnm::translate::Picture;
use afterimage_vulkan::{FrameSet, Options, Renderer};
use console::Console;
use scene::Scene;
use std::error::Error;
use std::path::{Path, PathBuf};

const USAGE: &str = "usage: water [--frames N] [--shots A,B,C-D] DIR

Draws N frames (60) of a scene by command buffers and GCN code, and writes those named by --shots (all), as the display
would show them, as DIR/frame-NNNNNN.png. The variables of `afterimage run` hold here, too: AFTERIMAGE_CAPTURE_FRAMES and
AFTERIMAGE_CAPTURE_FILE make a capture for `afterimage replay`.";

/// What the command line says.
struct Arguments {
    frames: u32,
    shots: Option<FrameSet>,
    folder: PathBuf,
}

fn arguments() -> Option<Arguments> {
    let (mut frames, mut shots, mut folder) = (60, None, None);
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--frames" => frames = words.next()?.parse().ok()?,
            "--shots" => shots = Some(FrameSet::parse(&words.next()?)?),
            _ if word.starts_with('-') || folder.is_some() => return None,
            _ => folder = Some(PathBuf::from(word)),
        }
    }
    Some(Arguments { frames, shots, folder: folder? })
}

fn main() -> Result<(), Box<dyn Error>> {
    tracing_subscriber::fmt().with_writer(std::io::stderr).with_max_level(tracing::Level::WARN).without_time().init();
    let Some(arguments) = arguments() else {
        eprintln!("{USAGE}");
        std::process::exit(2);
    };
    std::fs::create_dir_all(&arguments.folder)?;
    let mut console = Console::new(Renderer::new(Options::from_env())?, "water")?;
    let scene = Scene::new(&mut console)?;
    for frame in 1..=arguments.frames {
        scene.draw(&mut console, frame)?;
        if arguments.shots.as_ref().is_none_or(|shots| shots.contains(frame.into())) {
            let picture = console.gpu.picture(&scene.display(frame))?;
            write_png(&arguments.folder.join(format!("frame-{frame:06}.png")), &picture)?;
        }
    }
    match console.finish() {
        Ok(0) => Ok(()),
        Ok(messages) => Err(format!("the validation layer had {messages} messages").into()),
        Err(_) => Err("the render thread broke off".into()),
    }
}

fn write_png(path: &Path, picture: &Picture) -> Result<(), Box<dyn Error>> {
    let file = std::io::BufWriter::new(std::fs::File::create(path)?);
    let mut encoder = png::Encoder::new(file, picture.width, picture.height);
    encoder.set_color(png::ColorType::Rgba);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&picture.rgba)?;
    Ok(writer.finish()?)
}
