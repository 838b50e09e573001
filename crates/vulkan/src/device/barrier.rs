//! Barriers over everything.

use crate::device::gpu::Gpu;
use ash::vk;

/// A barrier between everything before and everything after.
pub(crate) fn full_barrier(gpu: &Gpu, cmd: vk::CommandBuffer) {
    memory_barrier(
        gpu,
        cmd,
        (vk::PipelineStageFlags2::ALL_COMMANDS, vk::AccessFlags2::MEMORY_WRITE),
        (vk::PipelineStageFlags2::ALL_COMMANDS, vk::AccessFlags2::MEMORY_READ | vk::AccessFlags2::MEMORY_WRITE),
    );
}

/// A barrier over all memory.
pub(crate) fn memory_barrier(
    gpu: &Gpu,
    cmd: vk::CommandBuffer,
    from: (vk::PipelineStageFlags2, vk::AccessFlags2),
    to: (vk::PipelineStageFlags2, vk::AccessFlags2),
) {
    let barriers = [vk::MemoryBarrier2::default()
        .src_stage_mask(from.0)
        .src_access_mask(from.1)
        .dst_stage_mask(to.0)
        .dst_access_mask(to.1)];
    // SAFETY: the command buffer is being recorded outside of a render pass.
    unsafe { gpu.raw.cmd_pipeline_barrier2(cmd, &vk::DependencyInfo::default().memory_barriers(&barriers)) };
}
