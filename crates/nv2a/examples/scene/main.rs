//! A scene drawn by the Xbox's Direct3D, all the way to a picture:
//!
//! ```text
//! Device ──> push buffer in memory ──> Machine ──> Translator ──> renderer ──> memory ──> PNG
//! ```
//!
//! `cargo run -p afterimage-nv2a --example scene -- pictures` writes `pictures/frame-000001.png` and so on.
#![forbid(unsafe_code)]

mod console;
#[path = "../../../../samples/frames.rs"]
mod frames;
mod scene;
mod shapes;

use afterimage_vulkan::{Options, Renderer};
use console::Console;
use frames::Frames;
use scene::{PITCH, SIZE, Scene};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let frames = Frames::begin("scene", "the calls of the Xbox's Direct3D")?;
    let mut console = Console::new(Renderer::new(Options::from_env())?, "scene");
    let mut device = console.device()?;
    let mut scene = Scene::new(&mut console, &mut device)?;
    for frame in 1..=frames.count {
        scene.draw(&mut console, &mut device, frame)?;
        if frames.wants(frame) {
            let picture = console.picture(scene.buffer(frame), SIZE, PITCH)?;
            frames.write(frame, [picture.width, picture.height], &picture.rgba)?;
        }
    }
    Frames::end(console.finish())
}
