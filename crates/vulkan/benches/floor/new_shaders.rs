//! Pixel shaders that nobody has seen: a pipeline and a draw with each. What a driver's cache knows it does not compile.

use std::time::Instant;

use ash::vk;

use super::Result;
use super::frames::Frames;
use super::gpu::Gpu;
use super::scene::{OUTSIDE, Scene, pipeline};
use super::shaders;

pub(crate) const NAME: &str = "new pixel shader and first draw";
const SHADERS: u32 = 64;

/// Milliseconds of a shader, without and with the drawing.
///
/// # Errors
/// Where Vulkan fails.
pub(crate) fn time(gpu: &Gpu, scene: &Scene, frames: &mut Frames) -> Result<[f64; 2]> {
    let slot = &mut frames.slots[0];
    let vertex = shaders::vertex(false);
    let codes: Vec<_> = (0..SHADERS).map(|index| shaders::pixel(false, 1.0 + index as f32 * 0.001)).collect();
    let mut made = Vec::new();
    let start = Instant::now();
    slot.begin(gpu)?;
    // SAFETY: the command buffer is being recorded.
    unsafe {
        scene.begin(gpu, slot.c, vk::AttachmentLoadOp::CLEAR);
        scene.bind(gpu, slot.c);
        for code in &codes {
            let pipeline = pipeline(gpu, scene.layout, &vertex, code)?;
            made.push(pipeline);
            gpu.device.cmd_bind_pipeline(slot.c, vk::PipelineBindPoint::GRAPHICS, pipeline);
            gpu.device.cmd_draw(slot.c, 3, 1, OUTSIDE.first, 0);
        }
        gpu.device.cmd_end_rendering(slot.c);
    }
    slot.end(gpu)?;
    slot.submit(gpu, None)?;
    let submitted = start.elapsed();
    slot.wait(gpu)?;
    let complete = start.elapsed();
    // SAFETY: what draws with them has ended.
    made.into_iter().for_each(|pipeline| unsafe { gpu.device.destroy_pipeline(pipeline, None) });
    Ok([submitted, complete].map(|time| time.as_secs_f64() * 1e3 / f64::from(SHADERS)))
}
