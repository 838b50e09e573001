//! How far feedback has come: counters, and points of them that queries read.

use crate::device::gpu::Gpu;
use crate::device::memory::{Buffer, Place};
use crate::error::{Error, Result};
use afterimage_shader::feedback::block::{Counters, STREAMS};
use ash::vk;
use std::sync::Arc;

/// Primitives of each stream: all that there were, and those that were captured, as [`Counters`] has them.
type Primitives = [[u64; STREAMS]; 2];

pub(crate) const POINT_BYTES: u64 = size_of::<Primitives>() as u64;

/// Points of a buffer that they are copied to.
const POINTS: u64 = 64;

/// The device's counters as they once were, where the host reads them.
#[derive(Clone)]
pub(crate) struct Copied {
    pub(crate) buffer: Arc<Buffer>,
    pub(crate) offset: u64,
}

/// How many primitives there had been at some moment.
#[derive(Clone, Default)]
pub(crate) struct Point {
    pub(crate) host: Primitives,
    /// None while the device has not counted.
    pub(crate) device: Option<Copied>,
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

/// What feedback has come to.
#[derive(Default)]
pub(crate) struct Progress {
    pub(crate) host: Primitives,
    /// [`Counters`], made when first wanted.
    pub(crate) device: Option<Buffer>,
    /// Draws that the device has counted.
    pub(crate) device_draws: u64,
    /// What was copied last, and [`Self::device_draws`] of that moment.
    pub(crate) last: Option<(u64, Copied)>,
    chunks: Vec<Chunk>,
}

impl Progress {
    /// The host has counted a draw: its counters before and after.
    pub(crate) fn add(&mut self, before: &Counters, after: &Counters) {
        let kinds = [(before.needed, after.needed), (before.written, after.written)];
        for (sums, (before, after)) in self.host.iter_mut().zip(kinds) {
            for ((sum, before), after) in sums.iter_mut().zip(before).zip(after) {
                *sum = sum.wrapping_add(after.wrapping_sub(before));
            }
        }
    }

    /// The device counts a draw.
    pub(crate) fn device_counts(&mut self) {
        self.device_draws += 1;
    }

    /// Room for a point that submission `current` copies.
    pub(crate) fn room(&mut self, gpu: &Arc<Gpu>, current: u64, completed: u64) -> Result<Copied> {
        if self.chunks.last().is_none_or(|chunk| chunk.used == POINTS) {
            let idle = |chunk: &Chunk| Arc::strong_count(&chunk.buffer) == 1 && chunk.submission <= completed;
            let chunk = match self.chunks.iter().position(idle) {
                Some(idle) => Chunk { used: 0, ..self.chunks.swap_remove(idle) },
                None => {
                    let buffer = Buffer::new(gpu, "points of feedback", POINTS * POINT_BYTES, Place::ReadBack)?;
                    Chunk { buffer: Arc::new(buffer), used: 0, submission: 0 }
                }
            };
            self.chunks.push(chunk);
        }
        let Some(chunk) = self.chunks.last_mut() else {
            return Err(Error::Vulkan { call: "points of feedback", result: vk::Result::ERROR_UNKNOWN });
        };
        let offset = chunk.used * POINT_BYTES;
        (chunk.used, chunk.submission) = (chunk.used + 1, current);
        Ok(Copied { buffer: Arc::clone(&chunk.buffer), offset })
    }
}
