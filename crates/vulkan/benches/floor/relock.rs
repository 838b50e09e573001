//! A texture that is filled anew before every draw: through mapped memory, two halves of which take turns.

use std::time::Instant;

use ash::vk;

use super::frames::Frames;
use super::gpu::Gpu;
use super::memory::{Buffer, Place, Use};
use super::scene::{LARGE, LARGE_SIZE, OUTSIDE, Scene, upload};
use super::{Result, WARM_UP};

pub(crate) const NAME: &str = "relock 512x512 managed and draw";
const ROUNDS: u32 = 64;
/// Rounds of a submission.
const BATCH: u32 = 8;
const BYTES: usize = (LARGE_SIZE * LARGE_SIZE * 4) as usize;

/// Megabytes in a second, until the last is submitted and until all is drawn.
///
/// # Errors
/// Where Vulkan fails.
pub(crate) fn time(gpu: &Gpu, scene: &Scene, frames: &mut Frames) -> Result<[f64; 2]> {
    let staging = Buffer::new(gpu, BYTES * 2 * BATCH as usize, Place::Host)?;
    batch(gpu, scene, frames, &staging, 0, WARM_UP)?;
    frames.slots[0].wait(gpu)?;
    let start = Instant::now();
    for at in 0..ROUNDS / BATCH {
        let half = at as usize % 2;
        if at >= 2 {
            frames.slots[half].wait_asleep(gpu)?;
        }
        batch(gpu, scene, frames, &staging, half, BATCH)?;
    }
    let submitted = start.elapsed();
    frames.slots.iter().try_for_each(|slot| slot.wait_asleep(gpu))?;
    let complete = start.elapsed();
    let megabytes = f64::from(ROUNDS) * BYTES as f64 / 1e6;
    Ok([submitted, complete].map(|time| megabytes / time.as_secs_f64()))
}

/// Submits some rounds from a half of the memory.
fn batch(gpu: &Gpu, scene: &Scene, frames: &mut Frames, staging: &Buffer, half: usize, rounds: u32) -> Result {
    let slot = &mut frames.slots[half];
    slot.begin(gpu)?;
    // SAFETY: the command buffer is being recorded, and what read this half of the memory has ended.
    unsafe {
        scene.bind(gpu, slot.c);
        scene.push_texture(gpu, slot.c, LARGE);
        for round in 0..rounds {
            let at = (half * BATCH as usize + round as usize) * BYTES;
            staging.fill(at, BYTES, round as u8);
            upload(gpu, slot.c, staging, at, &scene.large, LARGE_SIZE, Use::SAMPLED);
            scene.begin(gpu, slot.c, vk::AttachmentLoadOp::LOAD);
            gpu.device.cmd_draw(slot.c, 3, 1, OUTSIDE.first, 0);
            gpu.device.cmd_end_rendering(slot.c);
        }
    }
    slot.end(gpu)?;
    slot.submit(gpu, None)
}
