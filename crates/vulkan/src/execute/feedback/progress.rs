//! How far lowered feedback has come: in each buffer, and in primitives for queries.
//!
//! What the host knows it counts itself. Where it does not, counters in device memory go on, which `prepare` adds to. Those of
//! primitives never begin anew: a query is a difference of two [points](Point), of the host's part and of the device's.

use crate::device::memory::{Buffer, Place};
use crate::error::Result;
use crate::feedback::progress::{POINT_BYTES, Point};
use crate::renderer::Renderer;
use afterimage_shader::feedback::block::{Counters, STREAMS};
use ash::vk;
use std::mem::offset_of;

const PRIMITIVES: u64 = offset_of!(Counters, needed) as u64;

const _: () = assert!(offset_of!(Counters, written) == offset_of!(Counters, needed) + 8 * STREAMS);

impl Renderer {
    /// The device's counters: buffer and address. Zeros when they are made.
    pub(crate) fn device_counters(&mut self) -> Result<(vk::Buffer, u64)> {
        let progress = &mut self.feedback.lowered.progress;
        if progress.device.is_none() {
            let buffer = Buffer::new(&self.gpu, "counters of feedback", size_of::<Counters>() as u64, Place::Device)?;
            let cmd = self.recorder.submissions.before()?;
            // SAFETY: the command buffer is being recorded outside of a pass, and runs before everything that uses the buffer.
            unsafe { self.gpu.raw.cmd_fill_buffer(cmd, buffer.raw, 0, vk::WHOLE_SIZE, 0) };
            progress.device = Some(buffer);
        }
        Ok(progress.device.as_ref().map_or_else(Default::default, |buffer| (buffer.raw, buffer.address)))
    }

    /// How many primitives there have been so far. Ends the pass.
    pub(crate) fn feedback_point(&mut self) -> Result<Point> {
        let (current, completed) = (self.recorder.submissions.current, self.recorder.submissions.completed);
        let progress = &mut self.feedback.lowered.progress;
        let host = progress.host;
        if progress.device_draws == 0 {
            return Ok(Point { host, device: None });
        }
        if let Some((_, copied)) = progress.last.as_ref().filter(|(draws, _)| *draws == progress.device_draws) {
            return Ok(Point { host, device: Some(copied.clone()) });
        }
        let copied = progress.room(&self.gpu, current, completed)?;
        progress.last = Some((progress.device_draws, copied.clone()));
        let (counters, _) = self.device_counters()?;
        self.end_pass();
        let region = [vk::BufferCopy { src_offset: PRIMITIVES, dst_offset: copied.offset, size: POINT_BYTES }];
        let cmd = self.recorder.main();
        // SAFETY: no pass is open; the counters have all been written before the last barrier, and both buffers are long enough.
        unsafe { self.gpu.raw.cmd_copy_buffer(cmd, counters, copied.buffer.raw, &region) };
        self.host_barrier(cmd);
        self.feedback.lowered.held = self.recorder.order.epoch;
        Ok(Point { host, device: Some(copied) })
    }
}
