//! Buffers and memory: lowered shaders reach both by address.

use super::{Answer, pass_on};
use crate::chain::Chain;
use crate::devices::Device;
use crate::objects::buffers::{Buffer, usage, usage2};
use ash::vk::{self, Handle as _};

/// A buffer's create info as the driver is asked for it. The chain lives as long as what is made of it.
///
/// # Safety
/// The structure is the program's.
unsafe fn adapted<'a>(info: &vk::BufferCreateInfo<'a>, chain: &mut Chain) -> vk::BufferCreateInfo<'a> {
    if let Some(wide) = chain.get::<vk::BufferUsageFlags2CreateInfoKHR<'_>>() {
        wide.usage = usage2(wide.usage);
    }
    vk::BufferCreateInfo { usage: usage(info.usage), p_next: chain.head(), ..*info }
}

unsafe extern "system" fn create_buffer(
    device: vk::Device,
    info: *const vk::BufferCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    buffer: *mut vk::Buffer,
) -> vk::Result {
    // SAFETY: the program's arguments are as the specification of the function has them, here and below.
    unsafe {
        let Some(active) = Device::active(device) else {
            return pass_on!(device, c"vkCreateBuffer": vk::PFN_vkCreateBuffer, (device, info, allocator, buffer), vk::Result::ERROR_INITIALIZATION_FAILED);
        };
        let mut chain = Chain::copy((*info).p_next);
        let changed = adapted(&*info, &mut chain);
        let result = (active.below.functions.create_buffer)(device, &changed, allocator, buffer);
        if result == vk::Result::SUCCESS {
            active.buffers.insert((*buffer).as_raw(), Buffer { handle: *buffer, size: (*info).size });
        }
        result
    }
}

unsafe extern "system" fn destroy_buffer(
    device: vk::Device,
    buffer: vk::Buffer,
    allocator: *const vk::AllocationCallbacks<'_>,
) {
    // SAFETY: as above.
    unsafe {
        let Some(active) = Device::active(device) else {
            return pass_on!(device, c"vkDestroyBuffer": vk::PFN_vkDestroyBuffer, (device, buffer, allocator), ());
        };
        active.buffers.remove(buffer.as_raw());
        (active.below.functions.destroy_buffer)(device, buffer, allocator);
    }
}

unsafe extern "system" fn get_device_buffer_memory_requirements(
    device: vk::Device,
    info: *const vk::DeviceBufferMemoryRequirements<'_>,
    needs: *mut vk::MemoryRequirements2<'_>,
) {
    // SAFETY: as above; the driver was asked whether it has the function, by either name.
    unsafe {
        let Some(known) = Device::of(device.as_raw()) else { return };
        let names = [c"vkGetDeviceBufferMemoryRequirements", c"vkGetDeviceBufferMemoryRequirementsKHR"];
        let Some(found) = names.into_iter().find_map(|name| known.next(name)) else { return };
        let get =
            std::mem::transmute::<unsafe extern "system" fn(), vk::PFN_vkGetDeviceBufferMemoryRequirements>(found);
        if known.active.is_none() {
            return get(device, info, needs);
        }
        let create = &*(*info).p_create_info;
        let mut chain = Chain::copy(create.p_next);
        let changed = adapted(create, &mut chain);
        get(device, &vk::DeviceBufferMemoryRequirements { p_create_info: &changed, ..*info }, needs);
    }
}

unsafe extern "system" fn allocate_memory(
    device: vk::Device,
    info: *const vk::MemoryAllocateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    memory: *mut vk::DeviceMemory,
) -> vk::Result {
    // SAFETY: as above.
    unsafe {
        let Some(active) = Device::active(device) else {
            return pass_on!(device, c"vkAllocateMemory": vk::PFN_vkAllocateMemory, (device, info, allocator, memory), vk::Result::ERROR_INITIALIZATION_FAILED);
        };
        let allocate = active.below.functions.allocate_memory;
        let ty = active.below.memory.memory_types.get((*info).memory_type_index as usize);
        // What no buffer of ours can lie in stays as it is.
        let other = vk::MemoryPropertyFlags::PROTECTED | vk::MemoryPropertyFlags::LAZILY_ALLOCATED;
        if ty.is_some_and(|ty| ty.property_flags.intersects(other)) {
            return allocate(device, info, allocator, memory);
        }
        let mut chain = Chain::copy((*info).p_next);
        if let Some(flags) = chain.get::<vk::MemoryAllocateFlagsInfo<'_>>() {
            flags.flags |= vk::MemoryAllocateFlags::DEVICE_ADDRESS;
        } else {
            chain.push(&vk::MemoryAllocateFlagsInfo::default().flags(vk::MemoryAllocateFlags::DEVICE_ADDRESS));
        }
        let changed = vk::MemoryAllocateInfo { p_next: chain.head(), ..*info };
        allocate(device, &changed, allocator, memory)
    }
}

pub(super) const ANSWERS: &[Answer] = &[
    (c"vkCreateBuffer", create_buffer as *const ()),
    (c"vkDestroyBuffer", destroy_buffer as *const ()),
    (c"vkGetDeviceBufferMemoryRequirements", get_device_buffer_memory_requirements as *const ()),
    (c"vkGetDeviceBufferMemoryRequirementsKHR", get_device_buffer_memory_requirements as *const ()),
    (c"vkAllocateMemory", allocate_memory as *const ()),
];
