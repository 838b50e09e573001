//! What is measured draws nothing that could be seen, so it is seen beforehand that the same draws do draw, were they not clipped.

use ash::vk;

use super::cases::Case;
use super::frames::Frames;
use super::gpu::{Gpu, Multi};
use super::memory::{Buffer, Place, Use, barrier};
use super::scene::{CLEAR, INSIDE, OUTSIDE, Scene, Triangle};
use super::{Arguments, Result, SIZE};

/// Draws of a case that are looked at: every depth comparison is among them.
pub(crate) const CHECKED: u32 = 8;

/// Draws each case's frame with a triangle in the middle, one by one and in runs, and with the one that is clipped.
///
/// # Errors
/// Where a picture is not what it must be.
pub(crate) fn draws_are_drawn(gpu: &Gpu, scene: &Scene, frames: &mut Frames, arguments: &Arguments) -> Result {
    let buffer = Buffer::new(gpu, (SIZE * SIZE * 4) as usize, Place::Host)?;
    let wanted = |case: &Case| arguments.wants(case.name()) && case.lacks(gpu).is_none();
    for case in Case::ALL.into_iter().filter(wanted) {
        let mut picture = |multi: Option<&Multi>, triangle: &Triangle| -> Result<Vec<u8>> {
            let slot = &mut frames.slots[0];
            slot.record(gpu, multi, scene, case, triangle, CHECKED)?;
            slot.submit(gpu, None)?;
            slot.wait(gpu)?;
            frames.once(gpu, |c| {
                // SAFETY: the command buffer is being recorded, and the buffer has room.
                unsafe { read_back(gpu, scene, c, &buffer) }
            })?;
            Ok(buffer.read((SIZE * SIZE * 4) as usize))
        };
        let plain = picture(None, &INSIDE)?;
        let clipped = picture(gpu.multi.as_ref(), &OUTSIDE)?;
        let [drawn, corner, outside] = [pixel(&plain, SIZE / 2), pixel(&plain, 0), pixel(&clipped, SIZE / 2)];
        if drawn == CLEAR || corner != CLEAR || outside != CLEAR {
            return Err(format!(
                "{}: the draws do not draw: {drawn:02x?} in the middle, {corner:02x?} in the corner, {outside:02x?} clipped",
                case.name()
            )
            .into());
        }
        if gpu.multi.is_some() && picture(gpu.multi.as_ref(), &INSIDE)? != plain {
            return Err(format!("{}: merged draws draw something else", case.name()).into());
        }
    }
    Ok(())
}

/// The pixel at this row and column.
fn pixel(picture: &[u8], at: u32) -> [u8; 4] {
    let start = ((at * SIZE + at) * 4) as usize;
    [0, 1, 2, 3].map(|channel| picture[start + channel])
}

/// Copies the target.
///
/// # Safety
/// `c` is being recorded, outside of rendering; the buffer has room.
unsafe fn read_back(gpu: &Gpu, scene: &Scene, c: vk::CommandBuffer, to: &Buffer) {
    let image = (scene.target.raw, scene.target.aspect);
    let layers = vk::ImageSubresourceLayers { aspect_mask: image.1, layer_count: 1, ..Default::default() };
    let region = vk::BufferImageCopy::default().image_subresource(layers).image_extent(vk::Extent3D {
        width: SIZE,
        height: SIZE,
        depth: 1,
    });
    let written = vk::MemoryBarrier2::default()
        .src_stage_mask(vk::PipelineStageFlags2::COPY)
        .src_access_mask(vk::AccessFlags2::TRANSFER_WRITE)
        .dst_stage_mask(vk::PipelineStageFlags2::HOST)
        .dst_access_mask(vk::AccessFlags2::HOST_READ);
    // SAFETY: the caller vouches for the command buffer and the room.
    unsafe {
        barrier(&gpu.device, c, image, Use::TARGET, Use::COPIED_FROM);
        gpu.device.cmd_copy_image_to_buffer(c, image.0, Use::COPIED_FROM.0, to.raw, &[region]);
        barrier(&gpu.device, c, image, Use::COPIED_FROM, Use::TARGET);
        gpu.device.cmd_pipeline_barrier2(c, &vk::DependencyInfo::default().memory_barriers(&[written]));
    }
}
