//! The floor's parts: a device, what is drawn, how each case records its draws, and the clock.

mod arguments;
mod cases;
mod check;
mod empty;
mod frames;
mod gpu;
mod memory;
mod merged;
mod new_shaders;
mod relock;
mod report;
mod scene;
mod shaders;
mod window;

pub(crate) use arguments::{Arguments, USAGE};

use cases::Case;
use frames::Frames;
use gpu::Gpu;
use report::Report;
use scene::Scene;
use window::Window;

/// What goes wrong here ends the program with a sentence.
pub(crate) type Result<T = ()> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Edge of the target, in pixels.
const SIZE: u32 = 64;
/// Frames before those that are timed.
const WARM_UP: u32 = 3;

/// Measures every case that is asked for.
///
/// # Errors
/// Where Vulkan fails or lacks what all cases need, where a draw does not draw, and where validation layers say something.
pub(crate) fn run(arguments: &Arguments) -> Result {
    let window = if arguments.window { Some(Window::open()?) } else { None };
    let gpu = Gpu::open(arguments, window.as_ref())?;
    let mut report = Report::new(&gpu.name, arguments);
    let mut frames = Frames::new(&gpu, arguments.draws)?;
    let scene = Scene::new(&gpu, &mut frames)?;
    check::draws_are_drawn(&gpu, &scene, &mut frames, arguments)?;
    for case in Case::ALL {
        if !arguments.wants(case.name()) {
            continue;
        }
        if let Some(why) = case.lacks(&gpu) {
            report.left_out(case.name(), why);
            continue;
        }
        let [record, complete] = frames.time(&gpu, &scene, case, arguments)?;
        report.case(case.name(), "us/draw", record, complete);
    }
    if arguments.wants(new_shaders::NAME) {
        let [record, complete] = new_shaders::time(&gpu, &scene, &mut frames)?;
        report.case(new_shaders::NAME, "ms", record, complete);
    }
    if arguments.wants(relock::NAME) {
        let [record, complete] = relock::time(&gpu, &scene, &mut frames)?;
        report.case(relock::NAME, "MB/s", record, complete);
    }
    if arguments.wants(empty::NAME) {
        let [record, complete] = match &window {
            None => empty::time(&gpu, &scene, &mut frames)?,
            Some(window) => empty::time_in(&gpu, &scene, &mut frames, window)?,
        };
        report.case(empty::NAME, "ms", record, complete);
    }
    report.finish(arguments)?;
    gpu.said_nothing()
}
