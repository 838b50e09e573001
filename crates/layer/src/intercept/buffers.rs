//! Command buffers and their pools.

use super::{Answer, list, pass_on};
use crate::chain;
use crate::devices::Device;
use crate::record::{Pass, Recording};
use ash::vk::{self, Handle as _};

unsafe extern "system" fn allocate_command_buffers(
    device: vk::Device,
    info: *const vk::CommandBufferAllocateInfo<'_>,
    buffers: *mut vk::CommandBuffer,
) -> vk::Result {
    // SAFETY: the program's arguments are as the specification of the function has them, here and below.
    unsafe {
        let Some(active) = Device::active(device) else {
            return pass_on!(device, c"vkAllocateCommandBuffers": vk::PFN_vkAllocateCommandBuffers, (device, info, buffers), vk::Result::ERROR_INITIALIZATION_FAILED);
        };
        let result = (active.below.functions.allocate_command_buffers)(device, info, buffers);
        if result == vk::Result::SUCCESS {
            let (pool, made) = ((*info).command_pool, list(buffers, (*info).command_buffer_count));
            made.iter().for_each(|buffer| Recording::add(active, *buffer, (*info).level));
            let mut all = active.pools.remove(pool.as_raw()).unwrap_or_default();
            all.extend_from_slice(made);
            active.pools.insert(pool.as_raw(), all);
        }
        result
    }
}

unsafe extern "system" fn free_command_buffers(
    device: vk::Device,
    pool: vk::CommandPool,
    count: u32,
    buffers: *const vk::CommandBuffer,
) {
    // SAFETY: as above.
    unsafe {
        let Some(active) = Device::active(device) else {
            return pass_on!(device, c"vkFreeCommandBuffers": vk::PFN_vkFreeCommandBuffers, (device, pool, count, buffers), ());
        };
        let gone = list(buffers, count);
        for buffer in gone.iter().filter(|buffer| !buffer.is_null()) {
            Recording::remove(*buffer);
        }
        if let Some(mut all) = active.pools.remove(pool.as_raw()) {
            all.retain(|buffer| !gone.contains(buffer));
            active.pools.insert(pool.as_raw(), all);
        }
        (active.below.functions.free_command_buffers)(device, pool, count, buffers);
    }
}

unsafe extern "system" fn destroy_command_pool(
    device: vk::Device,
    pool: vk::CommandPool,
    allocator: *const vk::AllocationCallbacks<'_>,
) {
    // SAFETY: as above.
    unsafe {
        let Some(active) = Device::active(device) else {
            return pass_on!(device, c"vkDestroyCommandPool": vk::PFN_vkDestroyCommandPool, (device, pool, allocator), ());
        };
        active.pools.remove(pool.as_raw()).unwrap_or_default().into_iter().for_each(|buffer| Recording::remove(buffer));
        (active.below.functions.destroy_command_pool)(device, pool, allocator);
    }
}

unsafe extern "system" fn reset_command_pool(
    device: vk::Device,
    pool: vk::CommandPool,
    flags: vk::CommandPoolResetFlags,
) -> vk::Result {
    // SAFETY: as above.
    unsafe {
        let Some(active) = Device::active(device) else {
            return pass_on!(device, c"vkResetCommandPool": vk::PFN_vkResetCommandPool, (device, pool, flags), vk::Result::ERROR_INITIALIZATION_FAILED);
        };
        let result = (active.below.functions.reset_command_pool)(device, pool, flags);
        // Otherwise what was recorded may still be there.
        if result == vk::Result::SUCCESS {
            for buffer in active.pools.get(pool.as_raw()).unwrap_or_default() {
                if let Some(recording) = Recording::of(buffer) {
                    recording.reset(Pass::Outside);
                }
            }
        }
        result
    }
}

unsafe extern "system" fn begin_command_buffer(
    buffer: vk::CommandBuffer,
    info: *const vk::CommandBufferBeginInfo<'_>,
) -> vk::Result {
    // SAFETY: as above.
    unsafe {
        let Some(recording) = Recording::of(buffer) else {
            return pass_on!(buffer, c"vkBeginCommandBuffer": vk::PFN_vkBeginCommandBuffer, (buffer, info), vk::Result::ERROR_INITIALIZATION_FAILED);
        };
        let result = (recording.active.below.functions.begin_command_buffer)(buffer, info);
        if result != vk::Result::SUCCESS {
            return result;
        }
        // Of a primary command buffer the flag is not looked at.
        let inside = recording.level == vk::CommandBufferLevel::SECONDARY
            && (*info).flags.contains(vk::CommandBufferUsageFlags::RENDER_PASS_CONTINUE);
        recording.reset(if inside { Pass::Inherited } else { Pass::Outside });
        if let Some(inherited) = (*info).p_inheritance_info.as_ref().filter(|_| inside) {
            let rendering = chain::find::<vk::CommandBufferInheritanceRenderingInfo<'_>>(inherited.p_next);
            let views = rendering.map_or(0, |rendering| rendering.view_mask);
            recording.enter(inherited.render_pass, views, inherited.subpass);
        }
        result
    }
}

unsafe extern "system" fn end_command_buffer(buffer: vk::CommandBuffer) -> vk::Result {
    // SAFETY: as above.
    unsafe {
        let Some(recording) = Recording::of(buffer) else {
            return pass_on!(buffer, c"vkEndCommandBuffer": vk::PFN_vkEndCommandBuffer, (buffer), vk::Result::ERROR_INITIALIZATION_FAILED);
        };
        recording.flush();
        let result = (recording.active.below.functions.end_command_buffer)(buffer);
        match recording.failed.take() {
            Some(error) if result == vk::Result::SUCCESS => error,
            _ => result,
        }
    }
}

unsafe extern "system" fn reset_command_buffer(
    buffer: vk::CommandBuffer,
    flags: vk::CommandBufferResetFlags,
) -> vk::Result {
    // SAFETY: as above.
    unsafe {
        let Some(recording) = Recording::of(buffer) else {
            return pass_on!(buffer, c"vkResetCommandBuffer": vk::PFN_vkResetCommandBuffer, (buffer, flags), vk::Result::ERROR_INITIALIZATION_FAILED);
        };
        let result = (recording.active.below.functions.reset_command_buffer)(buffer, flags);
        if result == vk::Result::SUCCESS {
            recording.reset(Pass::Outside);
        }
        result
    }
}

pub(super) const ANSWERS: &[Answer] = &[
    (c"vkAllocateCommandBuffers", allocate_command_buffers as *const ()),
    (c"vkFreeCommandBuffers", free_command_buffers as *const ()),
    (c"vkDestroyCommandPool", destroy_command_pool as *const ()),
    (c"vkResetCommandPool", reset_command_pool as *const ()),
    (c"vkBeginCommandBuffer", begin_command_buffer as *const ()),
    (c"vkEndCommandBuffer", end_command_buffer as *const ()),
    (c"vkResetCommandBuffer", reset_command_buffer as *const ()),
];
