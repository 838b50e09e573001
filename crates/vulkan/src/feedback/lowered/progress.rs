//! How far lowered captures have come: in each buffer, and in primitives for queries.
//!
//! What the host knows it counts itself. Where it does not, counters in device memory go on, which `prepare` adds to. Those of
//! primitives never begin anew: a query is a difference of two [points](Point), of the host's part and of the device's.

use crate::error::{Error, Result};
use crate::gpu::Gpu;
use crate::memory::{Buffer, Place};
use crate::renderer::Renderer;
use afterimage_shader::feedback::block::{Counters, STREAMS};
use ash::vk;
use std::mem::offset_of;
use std::sync::Arc;

/// Primitives of each stream: all that there were, and those that were captured, as [`Counters`] has them.
type Primitives = [[u64; STREAMS]; 2];

const PRIMITIVES: u64 = offset_of!(Counters, needed) as u64;
const POINT_BYTES: u64 = size_of::<Primitives>() as u64;
const _: () = assert!(offset_of!(Counters, written) == offset_of!(Counters, needed) + 8 * STREAMS);
/// Points of a buffer that they are copied to.
const POINTS: u64 = 64;

/// The device's counters as they once were, where the host reads them.
#[derive(Clone)]
struct Copied {
    buffer: Arc<Buffer>,
    offset: u64,
}

/// How many primitives there had been at some moment.
#[derive(Clone, Default)]
pub(crate) struct Point {
    host: Primitives,
    /// None while the device has not counted.
    device: Option<Copied>,
}

impl Point {
    /// Primitives of a stream between two points: all that there were if `needed`, else those captured. The submission of the later point
    /// has completed.
    pub(crate) fn until(&self, later: &Self, stream: usize, needed: bool) -> u64 {
        let kind = usize::from(!needed);
        later.value(kind, stream).wrapping_sub(self.value(kind, stream))
    }

    fn value(&self, kind: usize, stream: usize) -> u64 {
        let device = self.device.as_ref().map_or(0, |Copied { buffer, offset }| {
            let at = (kind * STREAMS + stream) as u64 * 8;
            buffer.bytes(offset + at, 8).try_into().map_or(0, u64::from_le_bytes)
        });
        self.host[kind][stream].wrapping_add(device)
    }
}

/// A buffer that points are copied to.
struct Chunk {
    buffer: Arc<Buffer>,
    used: u64,
    /// The last submission that copied to it.
    submission: u64,
}

/// What captures have come to.
#[derive(Default)]
pub(super) struct Progress {
    host: Primitives,
    /// [`Counters`], made when first wanted.
    device: Option<Buffer>,
    /// Draws that the device has counted.
    device_draws: u64,
    /// What was copied last, and [`Self::device_draws`] of that moment.
    last: Option<(u64, Copied)>,
    chunks: Vec<Chunk>,
}

impl Progress {
    /// The host has counted a draw: its counters before and after.
    pub(super) fn add(&mut self, before: &Counters, after: &Counters) {
        let kinds = [(before.needed, after.needed), (before.written, after.written)];
        for (sums, (before, after)) in self.host.iter_mut().zip(kinds) {
            for ((sum, before), after) in sums.iter_mut().zip(before).zip(after) {
                *sum = sum.wrapping_add(after.wrapping_sub(before));
            }
        }
    }

    /// The device counts a draw.
    pub(super) fn device_counts(&mut self) {
        self.device_draws += 1;
    }

    /// Room for a point that submission `current` copies.
    fn room(&mut self, gpu: &Arc<Gpu>, current: u64, completed: u64) -> Result<Copied> {
        if self.chunks.last().is_none_or(|chunk| chunk.used == POINTS) {
            let idle = |chunk: &Chunk| Arc::strong_count(&chunk.buffer) == 1 && chunk.submission <= completed;
            let chunk = match self.chunks.iter().position(idle) {
                Some(idle) => Chunk { used: 0, ..self.chunks.swap_remove(idle) },
                None => {
                    let buffer = Buffer::new(gpu, "points of captures", POINTS * POINT_BYTES, Place::ReadBack)?;
                    Chunk { buffer: Arc::new(buffer), used: 0, submission: 0 }
                }
            };
            self.chunks.push(chunk);
        }
        let Some(chunk) = self.chunks.last_mut() else {
            return Err(Error::Vulkan { call: "points of captures", result: vk::Result::ERROR_UNKNOWN });
        };
        let offset = chunk.used * POINT_BYTES;
        (chunk.used, chunk.submission) = (chunk.used + 1, current);
        Ok(Copied { buffer: Arc::clone(&chunk.buffer), offset })
    }
}

impl Renderer {
    /// The device's counters: buffer and address. Zeros when they are made.
    pub(super) fn device_counters(&mut self) -> Result<(vk::Buffer, u64)> {
        let progress = &mut self.feedback.lowered.progress;
        if progress.device.is_none() {
            let buffer = Buffer::new(&self.gpu, "counters of captures", size_of::<Counters>() as u64, Place::Device)?;
            let cmd = self.submissions.before()?;
            // SAFETY: the command buffer is being recorded outside of a pass, and runs before everything that uses the buffer.
            unsafe { self.gpu.raw.cmd_fill_buffer(cmd, buffer.raw, 0, vk::WHOLE_SIZE, 0) };
            progress.device = Some(buffer);
        }
        Ok(progress.device.as_ref().map_or_else(Default::default, |buffer| (buffer.raw, buffer.address)))
    }

    /// How many primitives there have been so far. Ends the pass.
    pub(crate) fn capture_point(&mut self) -> Result<Point> {
        let (current, completed) = (self.submissions.current, self.submissions.completed);
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
        let cmd = self.main();
        // SAFETY: no pass is open; the counters have all been written before the last barrier, and both buffers are long enough.
        unsafe { self.gpu.raw.cmd_copy_buffer(cmd, counters, copied.buffer.raw, &region) };
        self.host_barrier(cmd);
        self.feedback.lowered.held = self.order.epoch;
        Ok(Point { host, device: Some(copied) })
    }
}
