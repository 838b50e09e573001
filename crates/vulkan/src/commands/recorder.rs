//! What is being recorded, and how far it has come.

use crate::commands::submit::Submissions;
use crate::device::gpu::Gpu;
use crate::error::Result;
use afterimage_render::order::Order;
use afterimage_render::own_process::OwnProcess;
use ash::vk;
use std::sync::Arc;

/// Draws that a GPU with nothing to do gets at once. A submission and the state anew take the CPU 8 us, the time of 70 draws.
const EARLY_DRAWS: u64 = 1000;

/// Bytes of uploads that count as a draw: 4 MB go to the GPU at once.
const BYTES_OF_DRAW: u64 = 4096;

/// Command buffers, the order of what is in them, and counts of draws.
pub(crate) struct Recorder {
    pub(crate) submissions: Submissions,
    pub(crate) order: Order,
    /// Groups of markers that are open.
    pub(crate) groups: u32,
    pub(crate) draws: u64,
    /// What `draws` was at the last submission.
    pub(crate) draws_submitted: u64,
    /// Bytes of uploads since then.
    pub(crate) uploaded: u64,
    /// See [`crate::Renderer::submit_early`].
    pub(crate) early_draws: u64,
    pub(crate) skipped_draws: u64,
}

impl Recorder {
    /// Nothing is recorded yet.
    ///
    /// # Errors
    /// Where Vulkan refuses something basic.
    pub(crate) fn new(gpu: &Arc<Gpu>, own_process: Option<&OwnProcess>) -> Result<Self> {
        let discrete = gpu.profile.kind == vk::PhysicalDeviceType::DISCRETE_GPU;
        Ok(Self {
            submissions: Submissions::new(gpu, own_process)?,
            order: Order::default(),
            groups: 0,
            draws: 0,
            draws_submitted: 0,
            uploaded: 0,
            early_draws: if discrete { EARLY_DRAWS } else { u64::MAX },
            skipped_draws: 0,
        })
    }

    /// Whether so much was recorded that a GPU with nothing to do should get it.
    pub(crate) fn has_much(&self) -> bool {
        (self.draws - self.draws_submitted).saturating_add(self.uploaded / BYTES_OF_DRAW) >= self.early_draws
    }

    /// The command buffer that is recorded in order.
    #[inline]
    pub(crate) fn main(&mut self) -> vk::CommandBuffer {
        self.submissions.main_used = true;
        self.submissions.main
    }
}
