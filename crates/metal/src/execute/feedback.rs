//! Captures: draws write what their shaders say is captured into buffers.
//!
//! Metal has no transform feedback. Behind each draw that is captured a kernel runs, which the pass [`feedback`](afterimage_shader::feedback)
//! makes of its vertex shader: it fetches vertices by itself and stores what is captured. The CPU plans each of them, and where numbers are
//! in buffers waits for these.

use crate::error::Result;
use crate::execute::bindings::write_addresses;
use crate::execute::draw::{Call, MOST_VERTICES};
use crate::pipeline::captures::Captured;
use crate::renderer::Renderer;
use crate::state::feedback::{Range, primitives, row};
use crate::state::indices::read;
use crate::state::vertices::Input;
use afterimage_abi::{metal, slots};
use afterimage_metal_calls::{Device, Queue, Stage};
use afterimage_render::constants::{system_block, write};
use afterimage_shader::feedback::block::{Counters, Draw, Request};
use afterimage_shader::feedback::table::{Provoking, Row};
use afterimage_shader::feedback::{Options, Plan, plan, plan_list};
use afterimage_stream::packets::{
    BeginFeedback, CounterRef, EndFeedback, FeedbackBuffer, Stage as Guest, TextureBinding, Topology,
};
use afterimage_stream::{FEEDBACK_BUFFERS, ObjectId};
use smallvec::SmallVec;

/// Indices that a draw with restarts among them may have: each may be a primitive, with 8 bytes in the list of those.
const MOST_RESTARTS: u32 = 1 << 22;

/// What a kernel reaches by address: buffers, and whether it writes them.
pub(crate) type Reached<B> = SmallVec<[(B, bool); 16]>;

/// What kernels that run vertex shaders are asked of a draw.
#[derive(Debug)]
pub(crate) struct Asked<B> {
    pub(crate) request: Request,
    /// Primitives in the list of those, where there are restarts.
    listed: Option<u32>,
    /// What the draw has of indices.
    pub(crate) reached: Reached<B>,
}

impl<B> Asked<B> {
    /// The plan, with `counters` before it.
    fn planned(&self, counters: &Counters) -> Option<Plan> {
        match self.listed {
            Some(primitives) => plan_list(&self.request, counters, primitives),
            None => plan(&self.request, counters),
        }
    }

    /// The plan for all primitives, whatever there is room for.
    pub(crate) fn planned_whole(&self) -> Option<Plan> {
        let request = Request { strides: [0; FEEDBACK_BUFFERS], ..self.request };
        match self.listed {
            Some(primitives) => plan_list(&request, &Counters::default(), primitives),
            None => plan(&request, &Counters::default()),
        }
    }
}

/// A kernel that is to run.
pub(crate) struct Running<'a, D: Device> {
    /// Of its variant.
    pub(crate) number: u32,
    pub(crate) kernel: &'a D::ComputePipeline,
    /// For debuggers.
    pub(crate) label: &'static str,
}

impl<D: Device> Renderer<D> {
    /// The bytes that a feedback buffer has.
    fn feedback_range(&self, bound: &FeedbackBuffer) -> Option<Range> {
        if bound.buffer.is_none() {
            return None;
        }
        let buffer = self.resources.buffers.get(bound.buffer)?;
        let rest = buffer.desc.size.checked_sub(bound.offset).filter(|rest| *rest > 0)?;
        let size = if bound.size == 0 { rest } else { bound.size.min(rest) };
        Some(Range { id: bound.buffer, address: self.device.gpu_address(&buffer.raw) + bound.offset, size })
    }

    /// [`BeginFeedback`].
    pub(crate) fn begin_feedback(&mut self, body: &BeginFeedback) -> Result {
        if !self.device.facts().addresses {
            return Err(self.unsupported("captures of vertices"));
        }
        let bound = self.state.feedback_buffers;
        self.bound.recorded.plain = None;
        self.feedback.running = Some(bound.map(|bound| self.feedback_range(&bound)));
        for (number, CounterRef { buffer, offset, .. }) in body.counters.into_iter().enumerate() {
            let bytes = if buffer.is_none() { None } else { self.words_of(buffer, offset, 1)?.first().copied() };
            self.feedback.counters.bytes[number] = bytes.unwrap_or(0);
        }
        Ok(())
    }

    /// [`EndFeedback`].
    pub(crate) fn end_feedback(&mut self, body: &EndFeedback) -> Result {
        let Some(buffers) = self.feedback.running.take() else { return Ok(()) };
        for (number, CounterRef { buffer, offset, .. }) in body.counters.into_iter().enumerate() {
            if !buffer.is_none() && buffers[number].is_some() {
                let bytes = self.feedback.counters.bytes[number];
                self.copy_to_buffer(buffer, offset, &bytes.to_le_bytes())?;
            }
        }
        Ok(())
    }

    /// A frame ends: captures do not go on.
    pub(crate) fn end_frame_of_feedback(&mut self) -> Result {
        if self.feedback.running.is_some() {
            tracing::warn!("a frame ends in the middle of feedback, which ends with it");
            return self.end_feedback(&EndFeedback::default());
        }
        Ok(())
    }

    /// Whether nothing comes of a draw but what is captured of it.
    pub(crate) fn is_only_captured(&self) -> bool {
        self.feedback.running.is_some() && self.state.raster.discard != 0
    }

    /// What kernels that run vertex shaders fetch, and from where.
    pub(crate) fn fetched(&self) -> (Input, Options) {
        let input = self.wanted_input(u32::MAX);
        let mut options = Options::default();
        for slot in &input.slots {
            options.attributes.extend(slot.fetched(slot.is_odd_to_kernels()));
        }
        (input, options)
    }

    /// The convention of the pipeline.
    pub(crate) fn provoking(&self) -> Provoking {
        if self.state.raster.provoking == 0 { Provoking::First } else { Provoking::Last }
    }

    /// What is asked of a draw, without buffers that it would be captured to. `None` where it has nothing to draw.
    pub(crate) fn asked(&mut self, call: &Call, row: &'static Row) -> Result<Option<Asked<D::Buffer>>> {
        let provoking = self.provoking();
        let mut asked = Asked {
            request: Request { row: row.words(provoking), ..Request::default() },
            listed: None,
            reached: SmallVec::new(),
        };
        let request = &mut asked.request;
        let mut count = u64::from(call.count).min(MOST_VERTICES);
        (request.first, request.first_instance) = (call.first, call.first_instance);
        if call.indexed {
            let Some((bytes, width)) = self.index_source() else { return Ok(None) };
            count = count.min((bytes.size / width as u64).saturating_sub(call.first.into()));
            request.vertex_offset = call.base_vertex as u32;
            request.indices = self.device.gpu_address(&bytes.slice.buffer) + bytes.slice.offset;
            request.index_size = u32::try_from(bytes.size).unwrap_or(u32::MAX);
            request.index_bytes = width as u32;
            if self.state.index_buffer.restart != 0 {
                if count > MOST_RESTARTS.into() {
                    self.warn_once("draws of more than 4,194,304 indices with restarts, where kernels fetch vertices,");
                    return Ok(None);
                }
                let all = self.read_bytes(&bytes, u64::from(call.first) * width as u64, count * width as u64)?;
                let list = primitives(row, read(&all, width, true));
                let slice = self.put(bytemuck::cast_slice(&list), 16)?;
                request.list = self.device.gpu_address(&slice.buffer) + slice.offset;
                asked.reached.push((slice.buffer, false));
                asked.listed = Some(list.len() as u32);
            }
            if let Some(buffer) = self.resources.buffers.get_mut(bytes.buffer).filter(|_| !bytes.buffer.is_none()) {
                buffer.last_used = self.commands.current();
            }
            asked.reached.push((bytes.slice.buffer, false));
        }
        request.count = count as u32;
        request.instances = match call.instances {
            0 | 1 => call.instances,
            wanted => u64::from(wanted).min(MOST_VERTICES / count.max(1)) as u32,
        };
        Ok(Some(asked))
    }

    /// Captures a draw.
    #[cold]
    pub(crate) fn capture(&mut self, call: &Call) -> Result {
        let Some(buffers) = self.feedback.running else { return Ok(()) };
        let points = call.topology == Topology::PointList;
        let (_, options) = self.fetched();
        let provoking = self.provoking();
        let Some(captured) = self.wanted_capture(points, &options, provoking) else { return Ok(()) };
        let Some(row) = row(call.topology) else {
            self.warn_once("captures of lists of rectangles");
            return Ok(());
        };
        let strides = captured.strides;
        if strides.iter().zip(&buffers).any(|(stride, bound)| *stride != 0 && bound.is_none()) {
            self.warn_once("captures into buffers that are not bound");
            return Ok(());
        }
        let Some(mut asked) = self.asked(call, row)? else { return Ok(()) };
        asked.request.strides = strides;
        let current = self.commands.current();
        for (number, range) in buffers.iter().enumerate() {
            let Some(range) = range else { continue };
            asked.request.buffers[number] = range.address;
            asked.request.sizes[number] = u32::try_from(range.size).unwrap_or(u32::MAX);
            if let Some(buffer) = self.resources.buffers.get_mut(range.id).filter(|_| strides[number] != 0) {
                buffer.last_used = current;
                asked.reached.push((buffer.raw.clone(), true));
            }
        }
        if captured.geometry {
            // Of what goes into a geometry shader nothing is limited by the room for what comes out, nor counted.
            let Some(plan) = asked.planned_whole() else { return Ok(()) };
            return self.capture_geometry(&captured, plan.draw, asked.request, asked.reached);
        }
        let counters = self.feedback.counters;
        let Some(Plan { draw, groups, counters }) = asked.planned(&counters) else { return Ok(()) };
        if groups[0] > 0 {
            self.run_capture(&captured, draw, groups, asked.reached)?;
        }
        self.feedback.counters = counters;
        Ok(())
    }

    /// What a geometry shader emits is known when it has run: one group for all of the draw, for which the CPU waits.
    fn capture_geometry(
        &mut self,
        captured: &Captured<D>,
        mut draw: Draw,
        mut request: Request,
        mut reached: Reached<D::Buffer>,
    ) -> Result {
        let counters = self.feedback.counters;
        let slice = self.put(bytemuck::bytes_of(&counters), 16)?;
        request.counters = self.device.gpu_address(&slice.buffer) + slice.offset;
        let asked = self.put(bytemuck::bytes_of(&request), 16)?;
        draw.request = self.device.gpu_address(&asked.buffer) + asked.offset;
        reached.push((asked.buffer, false));
        reached.push((slice.buffer.clone(), true));
        self.run_capture(captured, draw, [1, 1, 1], reached)?;
        let serial = self.submit()?;
        self.commands.wait(serial)?;
        let mut bytes = [0; size_of::<Counters>()];
        self.device.read(&slice.buffer, slice.offset, &mut bytes)?;
        self.feedback.counters = bytemuck::pod_read_unaligned(&bytes);
        Ok(())
    }

    /// Runs a kernel that captures.
    fn run_capture(
        &mut self,
        captured: &Captured<D>,
        mut draw: Draw,
        groups: [u32; 3],
        mut reached: Reached<D::Buffer>,
    ) -> Result {
        let input = self.wanted_input(u32::MAX);
        self.fetch_from(&input, &mut draw, &mut reached)?;
        let kernel = Running { number: captured.number, kernel: &captured.kernel, label: "captured vertices" };
        self.run_kernel(&kernel, bytemuck::bytes_of(&draw), groups, &reached)?;
        let written: SmallVec<[ObjectId; FEEDBACK_BUFFERS]> =
            self.feedback.running.iter().flatten().flatten().map(|range| range.id).collect();
        for id in written {
            self.written(id);
        }
        Ok(())
    }

    /// Says where the vertices are that are fetched.
    pub(crate) fn fetch_from(&mut self, input: &Input, draw: &mut Draw, reached: &mut Reached<D::Buffer>) -> Result {
        for slot in &input.slots {
            let Some(bytes) = self.binding(slot.slot) else { continue };
            let is_copy = slot.is_odd_to_kernels();
            let (slice, size) = match is_copy {
                false => (bytes.slice, bytes.size),
                true => {
                    let there = if slot.elements(bytes.size) == u64::MAX { 1 } else { slot.elements(bytes.size) + 1 };
                    let (slice, _) = self.copied(slot, &bytes, there)?;
                    (slice, there * u64::from(slot.copied_stride()))
                }
            };
            let place = &mut draw.vertex_buffers[slot.slot];
            place.address = self.device.gpu_address(&slice.buffer) + slice.offset;
            (place.stride, place.bytes) = (slot.fetched_stride(is_copy), u32::try_from(size).unwrap_or(u32::MAX));
            if let Some(buffer) = self.resources.buffers.get_mut(bytes.buffer).filter(|_| !bytes.buffer.is_none()) {
                buffer.last_used = self.commands.current();
            }
            reached.push((slice.buffer, false));
        }
        Ok(())
    }

    /// Runs a kernel that was made of shaders of the vertex stage, told `block` as system values.
    pub(crate) fn run_kernel(
        &mut self,
        running: &Running<'_, D>,
        block: &[u8],
        groups: [u32; 3],
        reached: &[(D::Buffer, bool)],
    ) -> Result {
        let Some(variant) = self.library.variant(running.number) else { return Ok(()) };
        let textures = variant.textures.clone();
        let bound = |renderer: &Self, slot: usize| -> TextureBinding {
            let place = slots::draw_slot(slots::TEXTURE_SLOTS + slot);
            place.and_then(|slot| renderer.state.textures.all().get(slot).copied()).unwrap_or_default()
        };
        for argument in &textures {
            let texture = bound(self, argument.slot).texture;
            self.make_live(texture)?;
        }
        self.end_pass();
        let (version, current) = (self.next_version(), self.commands.current());
        let points = [1.0, self.device.facts().limits.point_size as f32];
        let Some(variant) = self.library.variant(running.number) else { return Ok(()) };
        let system = variant.system.then(|| system_block(&self.state, &self.halves(), points));
        let (group, has_constants, suspect) = (variant.group, variant.constant_bytes > 0, variant.suspect);
        let mut constants = vec![0; variant.constant_bytes];
        write(&self.state, &variant.segments, &variant.defs, &mut constants);
        let Self { device, state, resources, .. } = self;
        let of = (Guest::Vertex, false);
        let used = write_addresses(device, state, resources, (current, version), of, variant, &mut constants);
        self.commands.works.suspect(suspect);
        let queue = self.commands.compute(running.label);
        queue.set_compute_pipeline(running.kernel);
        reached.iter().for_each(|(buffer, writes)| queue.use_buffer(Stage::Kernel, buffer, *writes));
        used.iter().for_each(|buffer| queue.use_buffer(Stage::Kernel, buffer, false));
        self.set_bytes(Stage::Kernel, metal::FEEDBACK, block)?;
        if has_constants {
            self.set_bytes(Stage::Kernel, metal::CONSTANTS, &constants)?;
        }
        if let Some(system) = system {
            self.set_bytes(Stage::Kernel, metal::SYSTEM, bytemuck::cast_slice(&system))?;
        }
        for argument in textures {
            let binding = bound(self, argument.slot);
            self.bind_texture(Stage::Kernel, argument, binding)?;
        }
        self.commands.queue.dispatch(groups, group);
        self.commands.draws += 1;
        Ok(())
    }
}
