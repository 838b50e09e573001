//! A scene drawn by calls of the PlayStation 4's graphics library, all the way to a picture:
//!
//! ```text
//! CommandBuffer in memory ──> Gpu (command processor, GCN code) ──> renderer ──> memory ──> PNG
//! ```
//!
//! `cargo run -p afterimage-gnm --example water -- pictures` writes `pictures/frame-000001.png` and so on.
#![forbid(unsafe_code)]

mod console;
#[path = "../../../../samples/frames.rs"]
mod frames;
mod programs;
mod scene;
mod shapes;

use afterimage_vulkan::{Options, Renderer};
use console::Console;
use frames::Frames;
use scene::Scene;
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let frames = Frames::begin("water", "command buffers and GCN code")?;
    let mut console = Console::new(Renderer::new(Options::from_env())?, "water")?;
    let scene = Scene::new(&mut console)?;
    for frame in 1..=frames.count {
        scene.draw(&mut console, frame)?;
        if frames.wants(frame) {
            let picture = console.gpu.picture(&scene.display(frame))?;
            frames.write(frame, [picture.width, picture.height], &picture.rgba)?;
        }
    }
    Frames::end(console.finish())
}
