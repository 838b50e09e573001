//! Queries: those of transform feedback are the layer's.

use super::{Answer, pass_on};
use crate::devices::Device;
use crate::objects::queries::{Asked, Queries};
use crate::record::{ActiveQuery, Pass, Recording};
use ash::vk::{self, Handle as _};
use std::ffi::c_void;
use std::sync::Arc;

unsafe extern "system" fn create_query_pool(
    device: vk::Device,
    info: *const vk::QueryPoolCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    pool: *mut vk::QueryPool,
) -> vk::Result {
    // SAFETY: the program's arguments are as the specification of the function has them, here and below.
    unsafe {
        let create =
            pass_on!(@find device, c"vkCreateQueryPool": vk::PFN_vkCreateQueryPool, vk::Result::ERROR_DEVICE_LOST);
        let Some(active) =
            Device::active(device).filter(|_| (*info).query_type == vk::QueryType::TRANSFORM_FEEDBACK_STREAM_EXT)
        else {
            return create(device, info, allocator, pool);
        };
        let queries = match Queries::new(&active.below, (*info).query_count) {
            Ok(queries) => queries,
            Err(error) => return error,
        };
        let changed = vk::QueryPoolCreateInfo { query_type: vk::QueryType::TIMESTAMP, ..*info };
        let result = create(device, &changed, allocator, pool);
        if result == vk::Result::SUCCESS {
            active.queries.insert((*pool).as_raw(), Arc::new(queries));
        } else {
            queries.destroy(&active.below);
        }
        result
    }
}

unsafe extern "system" fn destroy_query_pool(
    device: vk::Device,
    pool: vk::QueryPool,
    allocator: *const vk::AllocationCallbacks<'_>,
) {
    // SAFETY: as above.
    unsafe {
        let destroy = pass_on!(@find device, c"vkDestroyQueryPool": vk::PFN_vkDestroyQueryPool);
        if let Some(active) = Device::active(device)
            && let Some(queries) = active.queries.remove(pool.as_raw())
        {
            queries.destroy(&active.below);
        }
        destroy(device, pool, allocator);
    }
}

unsafe extern "system" fn get_query_pool_results(
    device: vk::Device,
    pool: vk::QueryPool,
    first: u32,
    count: u32,
    bytes: usize,
    data: *mut c_void,
    stride: u64,
    flags: vk::QueryResultFlags,
) -> vk::Result {
    // SAFETY: as above.
    unsafe {
        let get = pass_on!(@find device, c"vkGetQueryPoolResults": vk::PFN_vkGetQueryPoolResults, vk::Result::ERROR_DEVICE_LOST);
        let Some(queries) = Device::active(device).and_then(|active| active.queries.get(pool.as_raw())) else {
            return get(device, pool, first, count, bytes, data, stride, flags);
        };
        // Which of them have values.
        let mut times = vec![[0u64; 2]; count as usize];
        let whether = vk::QueryResultFlags::TYPE_64
            | vk::QueryResultFlags::WITH_AVAILABILITY
            | (flags & vk::QueryResultFlags::WAIT);
        let (size, at) = (16 * count as usize, times.as_mut_ptr().cast());
        let result = get(device, pool, first, count, size, at, 16, whether);
        if !matches!(result, vk::Result::SUCCESS | vk::Result::NOT_READY) {
            return result;
        }
        let there: Vec<bool> = times.iter().map(|time| time[1] != 0).collect();
        let asked = Asked { first, count, stride, flags };
        if queries.answer(&asked, &there, data.cast()) { vk::Result::SUCCESS } else { vk::Result::NOT_READY }
    }
}

unsafe extern "system" fn copy_query_pool_results(
    buffer: vk::CommandBuffer,
    pool: vk::QueryPool,
    first: u32,
    count: u32,
    to: vk::Buffer,
    offset: u64,
    stride: u64,
    flags: vk::QueryResultFlags,
) {
    // SAFETY: as above.
    unsafe {
        let copy = pass_on!(@find buffer, c"vkCmdCopyQueryPoolResults": vk::PFN_vkCmdCopyQueryPoolResults);
        let recording = Recording::of(buffer);
        let queries = recording.as_ref().and_then(|recording| recording.active.queries.get(pool.as_raw()));
        let (Some(recording), Some(queries)) = (recording, queries) else {
            return copy(buffer, pool, first, count, to, offset, stride, flags);
        };
        let asked = Asked { first, count, stride, flags };
        recording.copy_queries(pool, &queries, &asked, to, offset, copy);
    }
}

/// Begins a query of a stream.
unsafe fn begin_of(
    buffer: vk::CommandBuffer,
    pool: vk::QueryPool,
    query: u32,
    flags: vk::QueryControlFlags,
    stream: u32,
) {
    // SAFETY: as above.
    unsafe {
        let Some(recording) = Recording::of(buffer) else { return };
        let queries = recording.active.queries.get(pool.as_raw());
        let Some(values) = queries.and_then(|queries| queries.block(query)) else {
            if stream != 0 {
                tracing::error!("vkCmdBeginQueryIndexedEXT of a query that has no streams, with stream {stream}");
            }
            return recording.give(Box::new(move |commands, buffer| {
                if let Some(command) = commands.begin_query {
                    command(buffer, pool, query, flags);
                }
            }));
        };
        recording.begin_query(ActiveQuery { pool, query, stream, values });
    }
}

/// Ends it.
unsafe fn end_of(buffer: vk::CommandBuffer, pool: vk::QueryPool, query: u32) {
    // SAFETY: as above.
    unsafe {
        let Some(recording) = Recording::of(buffer) else { return };
        if recording.end_query(pool, query) {
            return;
        }
        recording.give(Box::new(move |commands, buffer| {
            if let Some(command) = commands.end_query {
                command(buffer, pool, query);
            }
        }));
    }
}

pub(super) unsafe extern "system" fn begin_query(
    buffer: vk::CommandBuffer,
    pool: vk::QueryPool,
    query: u32,
    flags: vk::QueryControlFlags,
) {
    // SAFETY: as above.
    unsafe { begin_of(buffer, pool, query, flags, 0) };
}

pub(super) unsafe extern "system" fn end_query(buffer: vk::CommandBuffer, pool: vk::QueryPool, query: u32) {
    // SAFETY: as above.
    unsafe { end_of(buffer, pool, query) };
}

pub(super) unsafe extern "system" fn begin_query_indexed(
    buffer: vk::CommandBuffer,
    pool: vk::QueryPool,
    query: u32,
    flags: vk::QueryControlFlags,
    index: u32,
) {
    // SAFETY: as above.
    unsafe { begin_of(buffer, pool, query, flags, index) };
}

pub(super) unsafe extern "system" fn end_query_indexed(
    buffer: vk::CommandBuffer,
    pool: vk::QueryPool,
    query: u32,
    _: u32,
) {
    // SAFETY: as above.
    unsafe { end_of(buffer, pool, query) };
}

pub(super) unsafe extern "system" fn write_timestamp(
    buffer: vk::CommandBuffer,
    stage: vk::PipelineStageFlags,
    pool: vk::QueryPool,
    query: u32,
) {
    // SAFETY: as above.
    unsafe {
        let Some(recording) = Recording::of(buffer) else { return };
        // Of one stage: what captures is done before the next command begins.
        let feedback = stage == vk::PipelineStageFlags::TRANSFORM_FEEDBACK_EXT;
        let stage = if feedback { vk::PipelineStageFlags::VERTEX_SHADER } else { stage };
        recording.give(Box::new(move |commands, buffer| {
            if let Some(command) = commands.write_timestamp {
                command(buffer, stage, pool, query);
            }
        }));
    }
}

pub(super) unsafe extern "system" fn write_timestamp2(
    buffer: vk::CommandBuffer,
    stage: vk::PipelineStageFlags2,
    pool: vk::QueryPool,
    query: u32,
) {
    // SAFETY: as above.
    unsafe {
        let Some(recording) = Recording::of(buffer) else { return };
        let feedback = stage == vk::PipelineStageFlags2::TRANSFORM_FEEDBACK_EXT;
        let stage = if feedback { vk::PipelineStageFlags2::VERTEX_SHADER } else { stage };
        recording.give(Box::new(move |commands, buffer| {
            if let Some(command) = commands.write_timestamp2 {
                command(buffer, stage, pool, query);
            }
        }));
    }
}

impl Recording {
    /// A query begins: its values are none, less what feedback that is active has captured.
    pub(crate) fn begin_query(&mut self, query: ActiveQuery) {
        if let Err(error) = self.active.add() {
            self.failed = Some(error);
        }
        let counters = self.capture_counters();
        self.step(crate::record::work::Work::BeginQuery { values: query.values, counters, stream: query.stream });
        self.queries.push(query);
    }

    /// A query ends. Whether it is one of the layer's.
    pub(crate) fn end_query(&mut self, pool: vk::QueryPool, query: u32) -> bool {
        let Some(at) = self.queries.iter().position(|known| (known.pool, known.query) == (pool, query)) else {
            return false;
        };
        let known = self.queries.remove(at);
        if let Some(counters) = self.capture_counters() {
            self.step(crate::record::work::Work::AddQuery { values: known.values, counters, stream: known.stream });
        }
        // Behind what captures, whose last barrier waits in all stages.
        self.give(Box::new(move |commands, buffer| {
            if let Some(command) = commands.write_timestamp {
                let stage = vk::PipelineStageFlags::BOTTOM_OF_PIPE;
                // SAFETY: the command buffer is being recorded, and the pool valid.
                unsafe { command(buffer, stage, pool, query) };
            }
        }));
        true
    }

    /// Copies values of queries, outside of render passes.
    ///
    /// # Safety
    /// The command buffer is being recorded, and what is named is valid.
    unsafe fn copy_queries(
        &mut self,
        pool: vk::QueryPool,
        queries: &Queries,
        asked: &Asked,
        to: vk::Buffer,
        offset: u64,
        copy: vk::PFN_vkCmdCopyQueryPoolResults,
    ) {
        use vk::{AccessFlags as Access, PipelineStageFlags as Stage};
        debug_assert!(self.pass == Pass::Outside, "queries are copied outside of render passes");
        let f = &self.active.below.functions;
        let barrier = |stage: Stage, access: Access| {
            let barrier = [vk::MemoryBarrier::default().src_access_mask(access).dst_access_mask(Access::TRANSFER_READ)];
            let (none, after) = (vk::DependencyFlags::empty(), Stage::TRANSFER);
            let Some(record) = self.active.commands.pipeline_barrier else { return };
            // SAFETY: as the caller says.
            unsafe {
                let (null, images) = (std::ptr::null(), std::ptr::null());
                record(self.buffer, stage, after, none, 1, barrier.as_ptr(), 0, null, 0, images);
            }
        };
        // SAFETY: as the caller says.
        unsafe {
            barrier(Stage::ALL_COMMANDS, Access::MEMORY_WRITE);
            let copies = queries.copies(asked, offset);
            (f.cmd_copy_buffer)(self.buffer, queries.buffer(), to, copies.len() as u32, copies.as_ptr());
            if !asked.flags.contains(vk::QueryResultFlags::WITH_AVAILABILITY) {
                return;
            }
            let whether = match self.arena.block(&self.active.below, &self.active.scratch, 16 * u64::from(asked.count))
            {
                Ok(block) => block,
                Err(error) => {
                    self.failed = Some(error);
                    return;
                }
            };
            let flags = vk::QueryResultFlags::TYPE_64
                | vk::QueryResultFlags::WITH_AVAILABILITY
                | (asked.flags & vk::QueryResultFlags::WAIT);
            copy(self.buffer, pool, asked.first, asked.count, whether.buffer, whether.offset, 16, flags);
            barrier(Stage::TRANSFER, Access::TRANSFER_WRITE);
            let copies = queries.copies_of_whether(asked, &whether, offset);
            (f.cmd_copy_buffer)(self.buffer, whether.buffer, to, copies.len() as u32, copies.as_ptr());
        }
    }
}

pub(super) const ANSWERS: &[Answer] = &[
    (c"vkCreateQueryPool", create_query_pool as *const ()),
    (c"vkDestroyQueryPool", destroy_query_pool as *const ()),
    (c"vkGetQueryPoolResults", get_query_pool_results as *const ()),
    (c"vkCmdCopyQueryPoolResults", copy_query_pool_results as *const ()),
];
