//! Everything that constants, uploads and dynamic buffers lie in.

use crate::device::gpu::Gpu;
use crate::device::memory::Place;
use crate::memory::buffer::DynamicPool;
use crate::memory::ring::Ring;
use crate::memory::slots::Slots;
use std::sync::Arc;

/// Bytes of a chunk of the constants ring and of the upload rings.
const CONSTANTS_CHUNK: u64 = 1 << 20;
const UPLOADS_CHUNK: u64 = 4 << 20;

/// What constants, uploads and dynamic buffers lie in.
pub(crate) struct Memory {
    pub(crate) constants: Ring,
    pub(crate) uploads: Ring,
    /// Uploads that vertex and index bindings read until the frame ends.
    pub(crate) frame_uploads: Ring,
    /// Bytes of uploads that the frame's bindings have read.
    pub(crate) frame_upload_bytes: u64,
    pub(crate) slots: Slots,
    pub(crate) dynamic: DynamicPool,
    /// Bytes of the dynamic pool when the renderer last waited for the GPU because of it.
    pub(crate) dynamic_floor: u64,
    /// Bytes of large buffers renamed since the last wait.
    pub(crate) large_renames: u64,
}

impl Memory {
    pub(crate) fn new(gpu: &Arc<Gpu>) -> Self {
        Self {
            constants: Ring::new(gpu, "constants", Place::Near, CONSTANTS_CHUNK),
            uploads: Ring::new(gpu, "uploads", Place::Stream, UPLOADS_CHUNK),
            frame_uploads: Ring::new(gpu, "frame uploads", Place::Stream, UPLOADS_CHUNK),
            frame_upload_bytes: 0,
            slots: Slots::default(),
            dynamic: DynamicPool::new(gpu),
            dynamic_floor: 0,
            large_renames: 0,
        }
    }
}
