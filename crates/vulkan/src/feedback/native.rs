//! What native feedback needs.

use crate::device::gpu::Gpu;
use crate::device::memory::Buffer;
use ash::vk;
use std::sync::Arc;

/// Bytes behind the counters that are bound where feedback leaves out a buffer before its last: Vulkan wants a buffer for each number
/// that has a counter's place, and takes no null. Nothing is written there.
pub(crate) const SPARE: u64 = 16;

/// The state of the device's transform feedback.
pub(crate) struct Native {
    /// Bytes captured into each buffer, while the feedback is put off, and [`SPARE`]. Made when first wanted.
    pub(crate) counters: Option<Buffer>,
    /// Whether it goes on in the pass that is open.
    pub(crate) open: bool,
}

impl Native {
    /// None where the device cannot do it.
    pub(crate) fn new(gpu: &Arc<Gpu>) -> Option<Self> {
        gpu.feedback.is_some().then_some(Self { counters: None, open: false })
    }
}

/// Number of counters up to the last of a buffer that is bound: Vulkan takes no more.
pub(crate) fn bound(counters: &[vk::Buffer]) -> u32 {
    counters.iter().rposition(|counter| *counter != vk::Buffer::null()).map_or(0, |last| last as u32 + 1)
}
