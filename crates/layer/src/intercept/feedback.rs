//! The extension's own commands.

use super::list;
use crate::record::state::{BUFFERS, Target};
use crate::record::{ByteCount, Recording};
use ash::vk;
use std::ffi::CStr;

/// Their names.
pub(super) const NAMES: &[&CStr] = &[
    c"vkCmdBindTransformFeedbackBuffersEXT",
    c"vkCmdBeginTransformFeedbackEXT",
    c"vkCmdEndTransformFeedbackEXT",
    c"vkCmdBeginQueryIndexedEXT",
    c"vkCmdEndQueryIndexedEXT",
    c"vkCmdDrawIndirectByteCountEXT",
];

pub(super) unsafe extern "system" fn bind_buffers(
    buffer: vk::CommandBuffer,
    first: u32,
    count: u32,
    buffers: *const vk::Buffer,
    offsets: *const u64,
    sizes: *const u64,
) {
    // SAFETY: the program's arguments are as the specification of the command has them.
    unsafe {
        let Some(recording) = Recording::of(buffer) else { return };
        let sizes = list(sizes, count);
        for (n, (&buffer, &offset)) in list(buffers, count).iter().zip(list(offsets, count)).enumerate() {
            if let Some(to) = recording.state.targets.get_mut(first as usize + n) {
                *to = Some(Target { buffer, offset, size: sizes.get(n).copied().unwrap_or(vk::WHOLE_SIZE) });
            }
        }
    }
}

/// Counter buffers by number.
///
/// # Safety
/// There are so many, or none.
unsafe fn counters(
    first: u32,
    count: u32,
    buffers: *const vk::Buffer,
    offsets: *const u64,
) -> [Option<(vk::Buffer, u64)>; BUFFERS] {
    let mut found = [None; BUFFERS];
    // SAFETY: as the caller says.
    let (buffers, offsets) = unsafe { (list(buffers, count), list(offsets, count)) };
    for (n, &buffer) in buffers.iter().enumerate() {
        if let Some(to) = found.get_mut(first as usize + n)
            && buffer != vk::Buffer::null()
        {
            *to = Some((buffer, offsets.get(n).copied().unwrap_or(0)));
        }
    }
    found
}

/// Begin and end are written alike.
macro_rules! with_counters {
    ($($name:ident = $recorded:ident;)*) => { $(
        pub(super) unsafe extern "system" fn $name(
            buffer: vk::CommandBuffer,
            first: u32,
            count: u32,
            buffers: *const vk::Buffer,
            offsets: *const u64,
        ) {
            // SAFETY: as above.
            unsafe {
                if let Some(recording) = Recording::of(buffer) {
                    recording.$recorded(counters(first, count, buffers, offsets));
                }
            }
        }
    )* };
}

with_counters! {
    begin = begin_feedback;
    end = end_feedback;
}

pub(super) unsafe extern "system" fn draw_byte_count(
    buffer: vk::CommandBuffer,
    instances: u32,
    first_instance: u32,
    counter: vk::Buffer,
    offset: u64,
    counter_offset: u32,
    stride: u32,
) {
    // SAFETY: as above.
    unsafe {
        if let Some(recording) = Recording::of(buffer) {
            let bytes = ByteCount { instances, first_instance, buffer: counter, offset, counter_offset, stride };
            recording.draw_byte_count(bytes);
        }
    }
}
