//! The extension's own commands.

use super::list;
use crate::record::Recording;
use crate::record::state::{BUFFERS, Target};
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

pub(super) unsafe extern "system" fn begin(
    buffer: vk::CommandBuffer,
    first: u32,
    count: u32,
    buffers: *const vk::Buffer,
    offsets: *const u64,
) {
    // SAFETY: as above.
    unsafe {
        if let Some(recording) = Recording::of(buffer) {
            recording.begin_feedback(counters(first, count, buffers, offsets));
        }
    }
}

pub(super) unsafe extern "system" fn end(
    buffer: vk::CommandBuffer,
    first: u32,
    count: u32,
    buffers: *const vk::Buffer,
    offsets: *const u64,
) {
    // SAFETY: as above.
    unsafe {
        if let Some(recording) = Recording::of(buffer) {
            recording.end_feedback(counters(first, count, buffers, offsets));
        }
    }
}

pub(super) unsafe extern "system" fn draw_byte_count(
    _: vk::CommandBuffer,
    _: u32,
    _: u32,
    _: vk::Buffer,
    _: u64,
    _: u32,
    _: u32,
) {
    tracing::error!("vkCmdDrawIndirectByteCountEXT: nothing is drawn; transformFeedbackDraw says that it cannot be");
}

pub(super) unsafe extern "system" fn begin_query_indexed(
    buffer: vk::CommandBuffer,
    pool: vk::QueryPool,
    query: u32,
    flags: vk::QueryControlFlags,
    index: u32,
) {
    if index != 0 {
        tracing::error!("vkCmdBeginQueryIndexedEXT of stream {index}: there is one stream");
        return;
    }
    // SAFETY: as above.
    unsafe {
        let Some(recording) = Recording::of(buffer) else { return };
        recording.give(Box::new(move |commands, buffer| {
            if let Some(command) = commands.begin_query {
                command(buffer, pool, query, flags);
            }
        }));
    }
}

pub(super) unsafe extern "system" fn end_query_indexed(
    buffer: vk::CommandBuffer,
    pool: vk::QueryPool,
    query: u32,
    index: u32,
) {
    if index != 0 {
        return;
    }
    // SAFETY: as above.
    unsafe {
        let Some(recording) = Recording::of(buffer) else { return };
        recording.give(Box::new(move |commands, buffer| {
            if let Some(command) = commands.end_query {
                command(buffer, pool, query);
            }
        }));
    }
}
