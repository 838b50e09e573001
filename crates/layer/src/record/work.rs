//! What is done before a render pass for the captures in it.

use super::state::{BUFFERS, DescriptorBuffers, Saved};
use super::{Condition, Recording};
use crate::active::Active;
use crate::objects::pipelines::Program;
use crate::objects::sets::{self, Set};
use crate::scratch::Block;
use ash::vk::{self, AccessFlags as Access, PipelineStageFlags as Stage};
use std::sync::Arc;

/// Bytes of `Counters`.
pub(crate) const COUNTERS: u64 = 80;

/// Where the bytes of each buffer are that were captured: a counter buffer, and a byte in it.
pub(crate) type CounterBuffers = [Option<(vk::Buffer, u64)>; BUFFERS];

/// A captured draw.
pub(crate) struct Captured {
    pub(crate) program: Arc<Program>,
    /// Address of the `Request`.
    pub(crate) request: u64,
    /// Where the work groups are.
    pub(crate) groups: Block,
    /// Sets by number.
    pub(crate) sets: Vec<(u32, Set)>,
    /// The descriptor buffers that they lie in.
    pub(crate) descriptor_buffers: DescriptorBuffers,
    /// All push constants.
    pub(crate) push: Vec<u8>,
    /// On which it is drawn.
    pub(crate) condition: Option<Condition>,
}

/// A step.
pub(crate) enum Work {
    /// Feedback begins: with these bytes captured, or none.
    Begin(Block, CounterBuffers),
    /// A draw is captured.
    Draw(Box<Captured>),
    /// Feedback ends, and says how many bytes were captured.
    End(Block, CounterBuffers),
    /// All of what a secondary command buffer captures.
    Secondary(vk::CommandBuffer),
    /// What was captured before is read by draws that are captured behind.
    Barrier,
    /// The vertices of a draw of what was captured: from the `Draw` that a request fills into an indirect draw's parameters.
    Count { request: u64, vertices: Block, arguments: Block },
    /// Parameters of draws are copied: from an address, as many as the number at another one says, to a third.
    Limit { from: u64, count: u64, to: u64, stride: u32, words: u32, most: u32 },
    /// A query begins, with nothing, less what is in the counters.
    BeginQuery { values: Block, counters: Option<Block>, stream: u32 },
    /// What is in the counters is added to a query.
    AddQuery { values: Block, counters: Block, stream: u32 },
}

impl Work {
    /// What it is, in words.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Begin(..) => "vkCmdBeginTransformFeedbackEXT",
            Self::Draw(_) => "the capture of a draw",
            Self::End(..) => "vkCmdEndTransformFeedbackEXT",
            Self::Secondary(_) => "what a secondary command buffer captures",
            Self::Barrier => "a barrier",
            Self::Count { .. } => "vkCmdDrawIndirectByteCountEXT",
            Self::Limit { .. } => "vkCmdDrawIndirectCount",
            Self::BeginQuery { .. } | Self::AddQuery { .. } => "a query",
        }
    }
}

/// Whether there is anything to do. Barriers alone are nothing.
pub(crate) fn is_any(work: &[Work]) -> bool {
    work.iter().any(|step| !matches!(step, Work::Barrier))
}

/// Records commands of the layer's own.
struct Emit<'a> {
    active: &'a Active,
    buffer: vk::CommandBuffer,
    /// Prepared draws whose dispatch has not come yet: they need no barriers between each other.
    prepared: Vec<&'a Captured>,
    /// Descriptor buffers that are bound, and whether offsets in them were set.
    descriptor_buffers: DescriptorBuffers,
    offsets: bool,
}

/// Does the work, and puts back what it has disturbed.
///
/// # Safety
/// The command buffer is being recorded, and outside of render passes; what the work names is valid, and so is what was bound.
pub(super) unsafe fn emit(active: &Active, buffer: vk::CommandBuffer, work: &[Work], saved: &Saved) {
    let descriptor_buffers = Arc::clone(&saved.descriptor_buffers);
    let mut emit = Emit { active, buffer, prepared: Vec::new(), descriptor_buffers, offsets: false };
    let own = Stage::COMPUTE_SHADER | Stage::TRANSFER | Stage::DRAW_INDIRECT;
    // SAFETY: as the caller says.
    unsafe {
        // Whatever the draws read has been written, and whatever they write is no longer read.
        emit.barrier(
            (Stage::ALL_COMMANDS, Access::MEMORY_READ | Access::MEMORY_WRITE),
            (own, Access::MEMORY_READ | Access::MEMORY_WRITE),
        );
        emit.all(work);
        emit.dispatch();
        emit.barrier(
            (own, Access::SHADER_WRITE | Access::TRANSFER_WRITE),
            (Stage::ALL_COMMANDS | Stage::HOST, Access::MEMORY_READ | Access::MEMORY_WRITE),
        );
        emit.restore(saved);
    }
}

impl<'a> Emit<'a> {
    /// # Safety
    /// As for [`emit`], as all that follow.
    unsafe fn barrier(&self, before: (Stage, Access), after: (Stage, Access)) {
        let barrier = vk::MemoryBarrier::default().src_access_mask(before.1).dst_access_mask(after.1);
        let (none, null) = (vk::DependencyFlags::empty(), std::ptr::null());
        if let Some(record) = self.active.commands.pipeline_barrier {
            // SAFETY: as the caller says.
            unsafe { record(self.buffer, before.0, after.0, none, 1, &barrier, 0, null, 0, std::ptr::null()) };
        }
    }

    /// Puts back what the work has disturbed.
    unsafe fn restore(&self, saved: &Saved) {
        let Saved { compute, push, descriptor_buffers, in_buffers } = saved;
        let (buffer, commands, point) = (self.buffer, &self.active.commands, vk::PipelineBindPoint::COMPUTE);
        // SAFETY: as the caller says.
        unsafe {
            if self.descriptor_buffers != *descriptor_buffers {
                sets::bind_buffers(commands, buffer, descriptor_buffers);
            }
            // Offsets go with the buffers; and lavapipe sets them for all stages of a set layout, whatever the bind point.
            for (number, set) in in_buffers.iter().filter(|_| self.offsets) {
                set.bind(commands, buffer, vk::PipelineBindPoint::GRAPHICS, set.layout, *number);
            }
            if let (Some(bind), false) = (commands.bind_pipeline, compute.pipeline == vk::Pipeline::null()) {
                bind(buffer, point, compute.pipeline);
            }
            for (number, set) in (0..).zip(&compute.sets) {
                if let Some(set) = set {
                    set.bind(commands, buffer, point, set.layout, number);
                }
            }
            for &(layout, stages, offset, size) in &push.ranges {
                if let Some(set) = commands.push_constants {
                    set(buffer, layout, stages, offset, size, push.bytes[offset as usize..].as_ptr());
                }
            }
        }
    }

    unsafe fn all(&mut self, work: &'a [Work]) {
        // SAFETY: as the caller says.
        unsafe {
            for step in work {
                match step {
                    Work::Begin(counters, from) => self.begin(counters, from),
                    Work::Draw(draw) => self.prepare(draw),
                    Work::End(counters, to) => self.end(counters, to),
                    Work::Barrier => {
                        self.dispatch();
                        self.between();
                    }
                    Work::Count { request, vertices, arguments } => self.count(*request, vertices, arguments),
                    Work::Limit { from, count, to, stride, words, most } => {
                        self.dispatch();
                        self.limit([*from, *count, *to], [*stride, *words, *most]);
                    }
                    Work::BeginQuery { values, counters, stream } => {
                        self.dispatch();
                        self.between();
                        let f = &self.active.below.functions;
                        (f.cmd_fill_buffer)(self.buffer, values.buffer, values.offset, 16, 0);
                        if let Some(counters) = counters {
                            self.add(values, counters, *stream, true);
                        }
                    }
                    Work::AddQuery { values, counters, stream } => {
                        self.dispatch();
                        self.add(values, counters, *stream, false);
                    }
                    Work::Secondary(other) => {
                        if let Some(other) = Recording::read(*other) {
                            self.all(&other.work);
                        }
                    }
                }
            }
        }
    }

    unsafe fn begin(&mut self, counters: &Block, from: &CounterBuffers) {
        let f = &self.active.below.functions;
        // SAFETY: as the caller says.
        unsafe {
            self.dispatch();
            // What was captured before into the same counters is done.
            self.between();
            (f.cmd_fill_buffer)(self.buffer, counters.buffer, counters.offset, COUNTERS, 0);
            if from.iter().any(Option::is_some) {
                let transfer = (Stage::TRANSFER, Access::TRANSFER_WRITE);
                self.barrier(transfer, transfer);
            }
            for (n, from) in (0..).zip(from) {
                if let Some((buffer, offset)) = *from {
                    let copy = vk::BufferCopy { src_offset: offset, dst_offset: counters.offset + 4 * n, size: 4 };
                    (f.cmd_copy_buffer)(self.buffer, buffer, counters.buffer, 1, &copy);
                }
            }
            self.between();
        }
    }

    unsafe fn end(&mut self, counters: &Block, to: &CounterBuffers) {
        let f = &self.active.below.functions;
        // SAFETY: as the caller says.
        unsafe {
            self.dispatch();
            if to.iter().all(Option::is_none) {
                return;
            }
            self.between();
            for (n, to) in (0..).zip(to) {
                if let Some((buffer, offset)) = *to {
                    let copy = vk::BufferCopy { src_offset: counters.offset + 4 * n, dst_offset: offset, size: 4 };
                    (f.cmd_copy_buffer)(self.buffer, counters.buffer, buffer, 1, &copy);
                }
            }
        }
    }

    /// Adds what is in the counters of a stream to the values of a query, or takes it off.
    unsafe fn add(&self, values: &Block, counters: &Block, stream: u32, off: bool) {
        let Ok(add) = self.active.add() else { return };
        let mut push = [0; 24];
        push[..8].copy_from_slice(&counters.address.to_le_bytes());
        push[8..16].copy_from_slice(&values.address.to_le_bytes());
        push[16..20].copy_from_slice(&stream.to_le_bytes());
        push[20..].copy_from_slice(&u32::from(off).to_le_bytes());
        // SAFETY: as the caller says.
        unsafe {
            self.between();
            self.bind(add.pipeline);
            self.push(add.layout, &push);
            (self.active.below.functions.cmd_dispatch)(self.buffer, 1, 1, 1);
            self.between();
        }
    }

    /// Copies parameters of draws.
    unsafe fn limit(&self, addresses: [u64; 3], numbers: [u32; 3]) {
        let Ok(limit) = self.active.limit() else { return };
        let mut push = Vec::with_capacity(36);
        addresses.iter().for_each(|address| push.extend(address.to_le_bytes()));
        numbers.iter().for_each(|number| push.extend(number.to_le_bytes()));
        // SAFETY: as the caller says.
        unsafe {
            self.between();
            self.bind(limit.pipeline);
            self.push(limit.layout, &push);
            (self.active.below.functions.cmd_dispatch)(self.buffer, numbers[2].div_ceil(64), 1, 1);
            self.between();
        }
    }

    /// Works out how many vertices were captured.
    unsafe fn count(&mut self, request: u64, vertices: &Block, arguments: &Block) {
        let Ok(prepare) = self.active.prepare() else { return };
        let f = &self.active.below.functions;
        // SAFETY: as the caller says.
        unsafe {
            self.dispatch();
            self.between();
            self.bind(prepare.pipeline);
            self.push(prepare.layout, &request.to_le_bytes());
            (f.cmd_dispatch)(self.buffer, 1, 1, 1);
            self.between();
            let copy = vk::BufferCopy { src_offset: vertices.offset, dst_offset: arguments.offset, size: 4 };
            (f.cmd_copy_buffer)(self.buffer, vertices.buffer, arguments.buffer, 1, &copy);
            self.between();
        }
    }

    /// Does something on a condition.
    unsafe fn on(&self, condition: Option<Condition>, action: impl Fn()) {
        let Some(condition) = condition else { return action() };
        // SAFETY: as the caller says.
        unsafe {
            let stage = Stage::CONDITIONAL_RENDERING_EXT;
            self.barrier((Stage::ALL_COMMANDS, Access::MEMORY_WRITE), (stage, Access::CONDITIONAL_RENDERING_READ_EXT));
            condition.begin(&self.active.commands, self.buffer);
            action();
            if let Some(end) = self.active.commands.end_conditional_rendering_ext {
                end(self.buffer);
            }
        }
    }

    /// A barrier between steps of the work.
    unsafe fn between(&self) {
        let own = Stage::COMPUTE_SHADER | Stage::TRANSFER;
        let written = Access::SHADER_WRITE | Access::TRANSFER_WRITE;
        let all = written | Access::SHADER_READ | Access::TRANSFER_READ;
        // SAFETY: as the caller says.
        unsafe { self.barrier((own, written), (own, all)) };
    }

    unsafe fn push(&self, layout: vk::PipelineLayout, bytes: &[u8]) {
        if let Some(push) = self.active.commands.push_constants {
            let stages = vk::ShaderStageFlags::COMPUTE;
            // SAFETY: as the caller says.
            unsafe { push(self.buffer, layout, stages, 0, bytes.len() as u32, bytes.as_ptr()) };
        }
    }

    unsafe fn bind(&self, pipeline: vk::Pipeline) {
        if let Some(bind) = self.active.commands.bind_pipeline {
            // SAFETY: as the caller says.
            unsafe { bind(self.buffer, vk::PipelineBindPoint::COMPUTE, pipeline) };
        }
    }

    unsafe fn prepare(&mut self, draw: &'a Captured) {
        let Ok(prepare) = self.active.prepare() else { return };
        // SAFETY: as the caller says.
        unsafe {
            // It adds to the counters of the one before.
            if !self.prepared.is_empty() {
                self.between();
            }
            self.bind(prepare.pipeline);
            self.push(prepare.layout, &draw.request.to_le_bytes());
            self.on(draw.condition, || (self.active.below.functions.cmd_dispatch)(self.buffer, 1, 1, 1));
        }
        self.prepared.push(draw);
    }

    /// Captures what was prepared.
    unsafe fn dispatch(&mut self) {
        if self.prepared.is_empty() {
            return;
        }
        let (point, commands) = (vk::PipelineBindPoint::COMPUTE, &self.active.commands);
        // SAFETY: as the caller says.
        unsafe {
            self.barrier(
                (Stage::COMPUTE_SHADER, Access::SHADER_WRITE),
                (
                    Stage::COMPUTE_SHADER | Stage::DRAW_INDIRECT,
                    Access::SHADER_READ | Access::SHADER_WRITE | Access::INDIRECT_COMMAND_READ,
                ),
            );
            let mut bound = vk::Pipeline::null();
            for draw in std::mem::take(&mut self.prepared) {
                let Program { pipeline, layout, .. } = *draw.program;
                if pipeline != bound {
                    self.bind(pipeline);
                    bound = pipeline;
                }
                let in_buffers = draw.sets.iter().any(|(_, set)| set.is_in_buffer());
                self.offsets |= in_buffers;
                if in_buffers && self.descriptor_buffers != draw.descriptor_buffers {
                    sets::bind_buffers(commands, self.buffer, &draw.descriptor_buffers);
                    self.descriptor_buffers = Arc::clone(&draw.descriptor_buffers);
                }
                for (number, set) in &draw.sets {
                    set.bind(commands, self.buffer, point, layout, *number);
                }
                self.push(layout, &draw.push);
                let f = &self.active.below.functions;
                if draw.program.uses.geometry {
                    // It goes on where the one before it has come to.
                    self.between();
                    self.on(draw.condition, || (f.cmd_dispatch)(self.buffer, 1, 1, 1));
                    self.between();
                } else {
                    let groups = draw.groups;
                    self.on(draw.condition, || (f.cmd_dispatch_indirect)(self.buffer, groups.buffer, groups.offset));
                }
            }
        }
    }
}
