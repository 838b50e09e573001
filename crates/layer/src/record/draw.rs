//! Draws that are captured.

use super::state::{BUFFERS, VERTEX_BUFFERS};
use super::work::{COUNTERS, Captured, CounterBuffers, Work};
use super::{Pass, Recording};
use crate::below::Refused;
use crate::objects::pipelines::{Pipeline, Program};
use crate::objects::sets::Set;
use crate::scratch::Block;
use afterimage_feedback::block::{Counters, Draw, DrawKind, Request, Target, VertexBuffer};
use afterimage_feedback::table::{self, Provoking};
use ash::vk::{self, Handle as _};
use std::sync::Arc;

/// Bytes of the blocks of a draw, in their order: `Draw`, `Request`, work groups.
const BLOCKS: [u64; 3] = [size_of::<Draw>() as u64, size_of::<Request>() as u64, 16];
/// Where a `Draw` has a byte that is 0.
const NOTHING: u64 = (std::mem::offset_of!(Draw, targets) + std::mem::offset_of!(Target, pad)) as u64;
/// Bytes of the parameters of an indirect draw.
const ARGUMENTS: u64 = 16;
/// Most draws of a command that are captured where a buffer says how many there are: each is prepared and dispatched.
const MOST_DRAWS: u32 = 4096;
/// Most bytes of the list of primitives between restarts.
const MOST_LIST: u64 = 256 << 20;

/// What may be read of a vertex buffer, from an address on so many bytes: at least one, since with 0 it would not be looked at.
fn readable(range: (u64, u32), nothing: u64) -> (u64, u32) {
    if range.1 == 0 { (nothing, 1) } else { range }
}

/// Feedback that is active.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Capture {
    counters: Block,
}

/// Where the numbers of a draw are.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Numbers {
    /// In the command.
    Direct { first: u32, count: u32, vertex_offset: u32, instances: u32, first_instance: u32 },
    /// In a buffer, of so many draws.
    Indirect { buffer: vk::Buffer, offset: u64, count: u32, stride: u32 },
    /// As many vertices as bytes were captured for.
    ByteCount(ByteCount),
    /// In a buffer, of as many draws as another one says, and at most so many.
    Counted { buffer: vk::Buffer, offset: u64, counts: vk::Buffer, at: u64, most: u32, stride: u32 },
    /// At a device address: those of one draw.
    At(u64),
}

/// The parameters of `vkCmdDrawIndirectByteCountEXT`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ByteCount {
    pub(crate) instances: u32,
    pub(crate) first_instance: u32,
    pub(crate) buffer: vk::Buffer,
    pub(crate) offset: u64,
    pub(crate) counter_offset: u32,
    pub(crate) stride: u32,
}

impl Recording {
    /// Says that something in feedback is not captured.
    pub(crate) fn refuse(&self, what: &str) {
        if self.capture.is_some() {
            tracing::error!("{what}: nothing of it is captured");
        }
    }

    /// Feedback begins.
    pub(crate) fn begin_feedback(&mut self, from: CounterBuffers) {
        if self.multiview && self.pass != Pass::Outside {
            return tracing::error!("transform feedback in a render pass of several views: nothing of it is captured");
        }
        match self.arena.block(&self.active.below, &self.active.scratch, COUNTERS) {
            Ok(counters) => {
                self.capture = Some(Capture { counters });
                self.step(Work::Begin(counters, from));
            }
            Err(error) => self.failed = Some(error),
        }
    }

    /// Feedback ends.
    pub(crate) fn end_feedback(&mut self, to: CounterBuffers) {
        let Some(capture) = self.capture.take() else { return };
        for query in self.queries.clone() {
            let (values, counters) = (query.values, capture.counters);
            self.step(Work::AddQuery { values, counters, stream: query.stream });
        }
        self.step(Work::End(capture.counters, to));
    }

    /// Where the counters of feedback are that is active.
    pub(crate) fn capture_counters(&self) -> Option<Block> {
        self.capture.map(|capture| capture.counters)
    }

    /// A draw, which is captured if feedback is active.
    pub(crate) fn draw(&mut self, numbers: Numbers, indexed: bool) {
        if !self.queries.is_empty() || self.capture.is_some() {
            let (captured, queries) = (self.capture.is_some(), self.queries.len());
            tracing::trace!(
                "{:?}: draw {numbers:?} on {:?}, captured: {captured}, queries: {queries}",
                self.buffer,
                self.condition
            );
        }
        if self.capture.is_some() {
            self.draw_captured(numbers, indexed);
        }
    }

    /// A draw of as many vertices as bytes were captured for: an indirect one, whose number is worked out before the render pass.
    pub(crate) fn draw_byte_count(&mut self, bytes: ByteCount) {
        let counted = match (self.pass, self.hazard) {
            (Pass::Begun(why), _) => {
                Err(Refused::Why(format!("a draw of what was captured behind {why} in its render pass")))
            }
            (_, Some(hazard)) => Err(Refused::Why(format!("a draw of what was captured behind {hazard}"))),
            (_, None) => self.count(bytes),
        };
        let arguments = match counted {
            Ok(arguments) => arguments,
            Err(Refused::Why(why)) => return tracing::error!("{why}: nothing is drawn"),
            Err(Refused::Failed(error)) => {
                self.failed = Some(error);
                return;
            }
        };
        self.draw(Numbers::ByteCount(bytes), false);
        self.give(Box::new(move |commands, buffer| {
            if let Some(draw) = commands.draw_indirect {
                // SAFETY: the command buffer is being recorded; the block lives until it is reset.
                unsafe { draw(buffer, arguments.buffer, arguments.offset, 1, 0) };
            }
        }));
    }

    /// Works out the vertices of a draw: a `VkDrawIndirectCommand`.
    fn count(&mut self, bytes: ByteCount) -> Result<Block, Refused> {
        self.active.prepare()?;
        if bytes.first_instance != 0 && !self.active.offer.first_instance {
            return Err(Refused::Why("an indirect draw from another instance on than the first".to_owned()));
        }
        let row = table::row(0).map(|row| row.words(Provoking::First)).unwrap_or_default();
        let size = BLOCKS.iter().sum::<u64>() + COUNTERS + ARGUMENTS;
        let blocks = self.arena.block(&self.active.below, &self.active.scratch, size)?;
        let mut at = 0;
        let mut part = |bytes| {
            at += bytes;
            blocks.part(at - bytes, bytes)
        };
        let [draw, asked, groups] = BLOCKS.map(&mut part);
        let (counters, arguments) = (part(COUNTERS), part(ARGUMENTS));
        let mut request = Request {
            row,
            counters: counters.address,
            draw: draw.address,
            groups: groups.address,
            ..Request::default()
        };
        // SAFETY: what is named is alive.
        unsafe { self.request_numbers(&mut request, Numbers::ByteCount(bytes))? };
        draw.write(0, &Draw::default());
        asked.write(0, &request);
        counters.write(0, &Counters::default());
        arguments.write(0, &[0u32, bytes.instances, 0, bytes.first_instance]);
        let vertices = draw.part(std::mem::offset_of!(Draw, vertices) as u64, 4);
        self.step(Work::Count { request: asked.address, vertices, arguments });
        Ok(arguments)
    }

    /// Copies the parameters of draws of which a buffer says how many there are, so that those beyond draw nothing: where they are.
    fn limit(&mut self, places: [(vk::Buffer, u64); 2], most: u32, stride: u32, words: u32) -> Result<u64, Refused> {
        if most > MOST_DRAWS {
            return Err(Refused::Why(format!("at most {most} draws in a command")));
        }
        self.active.limit()?;
        let addresses = places.map(|(buffer, offset)| {
            let known = self.active.buffers.get(buffer.as_raw());
            // SAFETY: what is named is alive.
            known.map(|buffer| unsafe { buffer.range(&self.active.below, offset, vk::WHOLE_SIZE) }.0)
        });
        let [Some(from), Some(count)] = addresses else {
            return Err(Refused::Why("a buffer that is not known".to_owned()));
        };
        let bytes = 4 * u64::from(words) * u64::from(most.max(1));
        let to = self.arena.block(&self.active.below, &self.active.scratch, bytes)?.address;
        self.step(Work::Limit { from, count, to, stride: stride / 4, words, most });
        Ok(to)
    }

    #[cold]
    fn draw_captured(&mut self, numbers: Numbers, indexed: bool) {
        let Some(capture) = self.capture else { return };
        if let Pass::Begun(why) = self.pass {
            return self.refuse(&format!("a draw behind {why} in its render pass"));
        }
        if let Some(unknown) = self.unknown {
            return self.refuse(&format!("a draw behind {}", unknown.to_string_lossy()));
        }
        if let Some(hazard) = self.hazard {
            return self.refuse(&format!("a draw behind {hazard}"));
        }
        let Some(pipeline) = self.active.pipelines.get(self.state.graphics.pipeline.as_raw()) else {
            return self.refuse("a draw without a pipeline that captures");
        };
        let cache = vk::PipelineCache::null();
        let program = pipeline.program(&self.active.below, cache, &self.state.input, self.state.provoking);
        let done = program.and_then(|program| match numbers {
            Numbers::Direct { .. } | Numbers::ByteCount(_) | Numbers::At(_) => {
                self.capture_one(&pipeline, program, capture, numbers, indexed)
            }
            Numbers::Counted { buffer, offset, counts, at, most, stride } => {
                let words = if indexed { 5 } else { 4 };
                self.limit([(buffer, offset), (counts, at)], most, stride, words).and_then(|arguments| {
                    (0..u64::from(most)).try_for_each(|n| {
                        let one = Numbers::At(arguments + 4 * u64::from(words) * n);
                        self.capture_one(&pipeline, Arc::clone(&program), capture, one, indexed)
                    })
                })
            }
            Numbers::Indirect { buffer, offset, count, stride } => (0..u64::from(count)).try_for_each(|n| {
                let offset = offset + n * u64::from(stride);
                let one = Numbers::Indirect { buffer, offset, count: 1, stride };
                self.capture_one(&pipeline, Arc::clone(&program), capture, one, indexed)
            }),
        });
        match done {
            Ok(()) => {}
            Err(Refused::Why(why)) => self.refuse(&why),
            Err(Refused::Failed(error)) => self.failed = Some(error),
        }
    }

    fn capture_one(
        &mut self,
        pipeline: &Pipeline,
        program: Arc<Program>,
        capture: Capture,
        numbers: Numbers,
        indexed: bool,
    ) -> Result<(), Refused> {
        self.active.prepare()?;
        let topology = pipeline.topology.unwrap_or(self.state.topology);
        let row = table::row(topology.as_raw() as u32);
        let row = row.ok_or_else(|| Refused::Why(format!("{topology:?}")))?;
        let last = pipeline.provoking.unwrap_or(self.state.provoking) == vk::ProvokingVertexModeEXT::LAST_VERTEX;
        let mut request = Request {
            row: row.words(if last { Provoking::Last } else { Provoking::First }),
            strides: program.uses.strides,
            counters: capture.counters.address,
            ..Request::default()
        };
        // SAFETY: what is bound is alive.
        unsafe {
            self.request_numbers(&mut request, numbers)?;
            if indexed {
                self.request_indices(&mut request, pipeline, numbers)?;
            }
            self.request_targets(&mut request);
        }
        let geometry = program.uses.geometry;
        let more = if geometry { BLOCKS[1] + COUNTERS } else { 0 };
        let size = BLOCKS.iter().sum::<u64>() + more;
        let blocks = self.arena.block(&self.active.below, &self.active.scratch, size)?;
        let draw = blocks.part(0, BLOCKS[0]);
        let (asked, groups) = (blocks.part(BLOCKS[0], BLOCKS[1]), blocks.part(BLOCKS[0] + BLOCKS[1], BLOCKS[2]));
        (request.draw, request.groups) = (draw.address, groups.address);
        // SAFETY: as above.
        let vertex_buffers = unsafe { self.vertex_buffers(pipeline, &program, draw.address + NOTHING) };
        let mut own = 0;
        if geometry {
            // What is drawn is asked with counters that nobody looks at; where it goes, and how far it has come, the shader reads itself.
            let at = size - more;
            let (goes, nobody) = (blocks.part(at, BLOCKS[1]), blocks.part(at + BLOCKS[1], COUNTERS));
            goes.write(0, &request);
            nobody.write(0, &Counters::default());
            own = goes.address;
            (request.counters, request.strides) = (nobody.address, Default::default());
        }
        draw.write(0, &Draw { vertex_buffers, request: own, ..Draw::default() });
        asked.write(0, &request);
        let captured = Captured {
            sets: self.sets(&program),
            descriptor_buffers: Arc::clone(&self.state.descriptor_buffers),
            push: self.push(pipeline, &program, draw.address),
            program,
            request: asked.address,
            groups,
            condition: self.condition,
        };
        self.work.push(Work::Draw(Box::new(captured)));
        Ok(())
    }

    /// # Safety
    /// The buffer of arguments is alive.
    unsafe fn request_numbers(&self, request: &mut Request, numbers: Numbers) -> Result<(), Refused> {
        match numbers {
            Numbers::Direct { first, count, vertex_offset, instances, first_instance } => {
                (request.kind, request.first, request.count) = (DrawKind::Direct as u32, first, count);
                (request.vertex_offset, request.instances) = (vertex_offset, instances);
                request.first_instance = first_instance;
            }
            Numbers::Indirect { buffer, offset, .. } => {
                let arguments = self.active.buffers.get(buffer.as_raw());
                let arguments = arguments.ok_or_else(|| Refused::Why("a buffer that is not known".to_owned()))?;
                request.kind = DrawKind::Indirect as u32;
                // SAFETY: as the caller says.
                (request.arguments, _) = unsafe { arguments.range(&self.active.below, offset, vk::WHOLE_SIZE) };
            }
            Numbers::At(address) => (request.kind, request.arguments) = (DrawKind::Indirect as u32, address),
            Numbers::Counted { .. } => return Err(Refused::Why("draws of which the number is not known".to_owned())),
            Numbers::ByteCount(bytes) => {
                let counter = self.active.buffers.get(bytes.buffer.as_raw());
                let counter = counter.ok_or_else(|| Refused::Why("a buffer that is not known".to_owned()))?;
                request.kind = DrawKind::ByteCount as u32;
                (request.instances, request.first_instance) = (bytes.instances, bytes.first_instance);
                (request.counter_offset, request.counter_stride) = (bytes.counter_offset, bytes.stride);
                // SAFETY: as the caller says.
                (request.arguments, _) = unsafe { counter.range(&self.active.below, bytes.offset, vk::WHOLE_SIZE) };
            }
        }
        Ok(())
    }

    /// # Safety
    /// The index buffer is alive.
    unsafe fn request_indices(
        &mut self,
        request: &mut Request,
        pipeline: &Pipeline,
        numbers: Numbers,
    ) -> Result<(), Refused> {
        let bound = self.state.indices.filter(|indices| indices.buffer != vk::Buffer::null());
        let Some(indices) = bound else { return Err(Refused::Why("no indices are bound".to_owned())) };
        request.index_bytes = match indices.ty {
            vk::IndexType::UINT8_KHR => 1,
            vk::IndexType::UINT16 => 2,
            vk::IndexType::UINT32 => 4,
            ty => return Err(Refused::Why(format!("indices of {ty:?}"))),
        };
        if let Some(buffer) = self.active.buffers.get(indices.buffer.as_raw()) {
            // SAFETY: as the caller says.
            let range = unsafe { buffer.range(&self.active.below, indices.offset, indices.size) };
            (request.indices, request.index_size) = range;
        }
        if pipeline.restart.unwrap_or(self.state.restart) {
            request.restart = 1;
            let there = request.index_size / request.index_bytes;
            let most = match numbers {
                Numbers::Direct { count, .. } => count.min(there),
                Numbers::Indirect { .. } | Numbers::ByteCount(_) | Numbers::Counted { .. } | Numbers::At(_) => there,
            };
            let bytes = 8 * u64::from(most.max(1));
            if bytes > MOST_LIST {
                return Err(Refused::Why(format!("an indirect draw with restarts among {there} indices")));
            }
            let list = self.arena.block(&self.active.below, &self.active.scratch, bytes)?;
            (request.list, request.list_room) = (list.address, most);
        }
        Ok(())
    }

    /// # Safety
    /// The buffers that are captured into are alive.
    unsafe fn request_targets(&self, request: &mut Request) {
        for (n, target) in self.state.targets.iter().enumerate() {
            if let Some(target) = target
                && let Some(buffer) = self.active.buffers.get(target.buffer.as_raw())
            {
                // SAFETY: as the caller says.
                let range = unsafe { buffer.range(&self.active.below, target.offset, target.size) };
                (request.buffers[n], request.sizes[n]) = range;
            }
        }
    }

    /// Of what is not bound nothing may be read: it is a byte that is 0, of which no attribute is more than that.
    ///
    /// # Safety
    /// The vertex buffers are alive.
    unsafe fn vertex_buffers(
        &self,
        pipeline: &Pipeline,
        program: &Program,
        nothing: u64,
    ) -> [VertexBuffer; VERTEX_BUFFERS] {
        let mut all = [VertexBuffer::default(); VERTEX_BUFFERS];
        let input = pipeline.input.as_ref().unwrap_or(&self.state.input);
        for slot in program.uses.slots() {
            let (Some(to), Some(bound)) = (all.get_mut(usize::from(slot)), self.state.vertices.get(usize::from(slot)))
            else {
                continue;
            };
            let fixed = input.bindings.iter().find(|binding| binding.binding == slot.into());
            let fixed = fixed.map_or(0, |binding| binding.stride);
            to.stride = if pipeline.dynamic_strides { bound.stride } else { fixed };
            if let Some(buffer) = self.active.buffers.get(bound.buffer.as_raw()) {
                // SAFETY: as the caller says.
                (to.address, to.bytes) = unsafe { buffer.range(&self.active.below, bound.offset, bound.size) };
            }
            (to.address, to.bytes) = readable((to.address, to.bytes), nothing);
        }
        all
    }

    /// The sets that the lowered shader reads.
    fn sets(&self, program: &Program) -> Vec<(u32, Set)> {
        let bound = (0..).zip(&self.state.graphics.sets).filter(|(number, _)| program.sets.contains(number));
        bound.filter_map(|(number, set)| set.as_ref().map(|set| (number, set.clone()))).collect()
    }

    /// Push constants, with the address of the draw's block.
    fn push(&self, pipeline: &Pipeline, program: &Program, draw: u64) -> Vec<u8> {
        let at = program.uses.push as usize;
        let mut push = self.state.push.bytes.clone();
        push.resize(pipeline.layout.push as usize + 8, 0);
        push[at..at + 8].copy_from_slice(&draw.to_le_bytes());
        push
    }
}

const _: () = assert!(BUFFERS == afterimage_feedback::block::BUFFERS);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_bound_is_a_byte_that_is_zero() {
        assert_eq!(readable((0, 0), 7), (7, 1));
        assert_eq!(readable((4096, 20), 7), (4096, 20));
        let full = Draw {
            row: [u32::MAX; 4],
            indices: u64::MAX,
            targets: [Target { address: u64::MAX, ..Target::default() }; BUFFERS],
            vertex_buffers: [VertexBuffer { address: u64::MAX, stride: u32::MAX, bytes: u32::MAX }; VERTEX_BUFFERS],
            ..Draw::default()
        };
        assert_eq!(bytemuck::bytes_of(&full)[NOTHING as usize], 0);
    }
}
