//! Frames that only clear: with a window they are presented, without one submitted.

use std::time::Instant;

use ash::vk;

use super::Result;
use super::frames::Frames;
use super::gpu::Gpu;
use super::memory::{Use, barrier};
use super::scene::Scene;
use super::window::{Swapchain, Window};

pub(crate) const NAME: &str = "clear and present";
const FRAMES: usize = 200;

/// Milliseconds of a frame without a window, until the last is submitted and until all have ended.
///
/// # Errors
/// Where Vulkan fails.
pub(crate) fn time(gpu: &Gpu, scene: &Scene, frames: &mut Frames) -> Result<[f64; 2]> {
    each(gpu, frames, |slot| {
        slot.begin(gpu)?;
        // SAFETY: the command buffer is being recorded.
        unsafe {
            scene.begin(gpu, slot.c, vk::AttachmentLoadOp::CLEAR);
            gpu.device.cmd_end_rendering(slot.c);
        }
        slot.end(gpu)?;
        slot.submit(gpu, None)
    })
}

/// The same with a window: each picture is copied to it and presented.
///
/// # Errors
/// Where Vulkan or the window fails.
pub(crate) fn time_in(gpu: &Gpu, scene: &Scene, frames: &mut Frames, window: &Window) -> Result<[f64; 2]> {
    let mut swapchain = Swapchain::new(gpu, window)?;
    let times = each(gpu, frames, |slot| {
        let next = swapchain.acquire(gpu)?;
        slot.begin(gpu)?;
        // SAFETY: the command buffer is being recorded; the picture is ours until it is presented.
        unsafe {
            let (d, c) = (&gpu.device, slot.c);
            let (target, shown) = ((scene.target.raw, scene.target.aspect), (next.image, vk::ImageAspectFlags::COLOR));
            scene.begin(gpu, c, vk::AttachmentLoadOp::CLEAR);
            d.cmd_end_rendering(c);
            barrier(d, c, target, Use::TARGET, Use::COPIED_FROM);
            barrier(d, c, shown, Use(Use::NOTHING.0, Use::TARGET.1, Use::NOTHING.2), Use::COPIED_TO);
            swapchain.blit(gpu, c, target.0, next.image);
            barrier(d, c, target, Use::COPIED_FROM, Use::TARGET);
            barrier(d, c, shown, Use::COPIED_TO, Use::PRESENTED);
        }
        slot.end(gpu)?;
        slot.submit(gpu, Some([next.acquired, next.drawn]))?;
        swapchain.present(gpu, &next)
    })?;
    swapchain.end(gpu)?;
    Ok(times)
}

/// Times frames that take turns.
fn each(gpu: &Gpu, frames: &mut Frames, mut frame: impl FnMut(&mut super::frames::Slot) -> Result) -> Result<[f64; 2]> {
    let start = Instant::now();
    for at in 0..FRAMES {
        let slot = at % frames.slots.len();
        if at >= frames.slots.len() {
            frames.slots[slot].wait_asleep(gpu)?;
        }
        frame(&mut frames.slots[slot])?;
    }
    let submitted = start.elapsed();
    frames.slots.iter().try_for_each(|slot| slot.wait_asleep(gpu))?;
    let complete = start.elapsed();
    Ok([submitted, complete].map(|time| time.as_secs_f64() * 1e3 / FRAMES as f64))
}
