//! Transform feedback on devices without transform feedback: a dispatch per draw, of the vertex shader in a form that stores what it captures.
//!
//! While the host knows how far feedback has come it plans each draw itself. Where it does not (the feedback goes on from a counter in
//! a buffer, or a draw's numbers are in one, or there are restarts among its indices) a dispatch of one group, `prepare`, plans on the
//! device, counts there, and says how many groups the one behind it has. From then on the feedback's counters are the device's.

use crate::device::memory::{Buffer, Place};
use crate::error::Result;
use crate::feedback::bind::Accesses;
use crate::feedback::programs::{Program, Programs, Stages};
use crate::feedback::{FeedbackDraw, Indices, Numbers, Ranges};
use crate::memory::ring::Slice;
use crate::renderer::Renderer;
use crate::resources::trash::Trash;
use afterimage_shader::feedback;
use afterimage_shader::feedback::block::{Counters, Draw, DrawKind, Request};
use afterimage_shader::feedback::table::Provoking;
use afterimage_shader::feedback::{Form, plan};
use afterimage_stream::FEEDBACK_BUFFERS;
use ash::vk;
use std::sync::Arc;

/// Indices that a draw with restarts among them may have: each may be a primitive, with 8 bytes in the list of those.
const MOST_RESTARTS: u32 = 1 << 24;

/// Where things lie in a slice of the ring for a draw that is captured with the device's numbers, in bytes: behind its [`Draw`] what
/// prepares it is asked, the work groups, and for geometry shaders where they store, and counters that nobody wants.
const REQUEST: u64 = size_of::<Draw>() as u64;

const GROUPS: u64 = REQUEST + size_of::<Request>() as u64;

const STORED: u64 = GROUPS + 16;

const UNUSED: u64 = STORED + size_of::<Request>() as u64;

const DEVICE_BLOCKS: usize = UNUSED as usize + size_of::<Counters>();

/// Blocks begin at a cache line, as constants do.
pub(crate) const ALIGN: u64 = 64;

/// What a draw asks, but for where its counters and lists are.
fn request(buffers: &Ranges, call: &FeedbackDraw, strides: [u32; FEEDBACK_BUFFERS]) -> Request {
    let mut request = Request { row: call.row.words(call.provoking), strides, ..Request::default() };
    match call.numbers {
        Numbers::Direct { first, count, vertex_offset, instances, first_instance } => {
            (request.first, request.count, request.vertex_offset) = (first, count, vertex_offset);
            (request.instances, request.first_instance) = (instances, first_instance);
        }
        Numbers::Indirect(range) => {
            (request.kind, request.arguments) = (DrawKind::Indirect as u32, range.address);
        }
    }
    if let Some(Indices { range, bytes, restart }) = call.indices {
        request.indices = range.address;
        request.index_size = u32::try_from(range.size).unwrap_or(u32::MAX);
        (request.index_bytes, request.restart) = (bytes, restart.into());
    }
    for (number, range) in buffers.iter().enumerate() {
        let Some(range) = range else { continue };
        request.buffers[number] = range.address;
        request.sizes[number] = u32::try_from(range.size).unwrap_or(u32::MAX);
    }
    request
}

impl Renderer {
    /// Feedback begins with as many bytes in its buffers as `counters` say, with none where there is no counter. No pass is open; what
    /// wrote the counters is behind a barrier, and the buffers may be written.
    pub(crate) fn begin_lowered(&mut self, counters: &Ranges) -> Result {
        let lowered = &mut self.feedback.lowered;
        let programs = || Programs::new(self.programs.pipelines.maker(), Arc::clone(&self.programs.library.workers));
        lowered.programs.get_or_insert_with(programs).expect();
        (lowered.bytes, lowered.epoch) = (Some([0; FEEDBACK_BUFFERS]), 0);
        if counters.iter().all(Option::is_none) {
            return Ok(());
        }
        lowered.bytes = None;
        self.set_counters([0; FEEDBACK_BUFFERS])?;
        let (target, _) = self.device_counters()?;
        let cmd = self.recorder.main();
        for (number, counter) in (0..).zip(counters) {
            let Some(from) = counter else { continue };
            let region = [vk::BufferCopy { src_offset: from.offset, dst_offset: number * 4, size: 4 }];
            // SAFETY: no pass is open; everything before has a barrier behind it; both buffers have the word, and are alive until
            // the submission has completed.
            unsafe { self.gpu.raw.cmd_copy_buffer(cmd, from.buffer, target, &region) };
        }
        self.begin_epoch();
        Ok(())
    }

    /// The device counts this feedback from here on.
    fn set_counters(&mut self, bytes: [u32; FEEDBACK_BUFFERS]) -> Result {
        let (target, _) = self.device_counters()?;
        self.begin_epoch();
        let cmd = self.recorder.main();
        // SAFETY: no pass is open, and everything that used the counters has a barrier behind it.
        unsafe { self.gpu.raw.cmd_update_buffer(cmd, target, 0, bytemuck::bytes_of(&bytes)) };
        self.begin_epoch();
        Ok(())
    }

    /// Feedback ends: the bytes in its buffers go to `counters`. No pass is open; what reads or wrote the counters' places is behind a
    /// barrier.
    pub(crate) fn end_lowered(&mut self, counters: &Ranges) -> Result {
        for (number, counter) in counters.iter().enumerate() {
            let Some(to) = counter else { continue };
            match self.feedback.lowered.bytes {
                Some(bytes) => {
                    let (cmd, bytes) = (self.recorder.main(), bytes[number].to_le_bytes());
                    // SAFETY: no pass is open; the buffer has the word, and is alive until the submission has completed.
                    unsafe { self.gpu.raw.cmd_update_buffer(cmd, to.buffer, to.offset, &bytes) };
                }
                None => {
                    let (source, _) = self.device_counters()?;
                    let region = [vk::BufferCopy { src_offset: number as u64 * 4, dst_offset: to.offset, size: 4 }];
                    let cmd = self.recorder.main();
                    // SAFETY: as above; there was a barrier behind the last draw that was prepared.
                    unsafe { self.gpu.raw.cmd_copy_buffer(cmd, source, to.buffer, &region) };
                    self.feedback.lowered.held = self.recorder.order.epoch;
                }
            }
        }
        Ok(())
    }

    /// The shaders that are set. `None` where one of them is no shader.
    fn feedback_stages(&self, provoking: Provoking) -> Option<Stages> {
        let bound = *self.state.shaders;
        let shader = |id| self.programs.shaders.get(id).and_then(|guest| guest.shader.clone());
        let vertex = shader(bound.vertex)?;
        Some(match bound.geometry.is_none() {
            true => Stages { vertex, id: bound.vertex, geometry: None },
            false => Stages { vertex, id: bound.geometry, geometry: Some((shader(bound.geometry)?, provoking)) },
        })
    }

    /// Whether a draw is captured by a vertex shader that scatters, which only measurements ask for.
    fn scatters(&self, call: &FeedbackDraw) -> bool {
        let asked = self.options.feedback_form == Form::Scatter && self.gpu.profile.shaders.vertex_stores;
        let restarts = call.indices.is_some_and(|indices| indices.restart);
        let known = self.feedback.lowered.bytes.is_some() && !restarts;
        // A single vertex is no strip.
        asked
            && known
            && self.state.shaders.geometry.is_none()
            && matches!(call.numbers, Numbers::Direct { count: 2.., .. })
    }

    /// Captures a draw that has been drawn: the state around shaders ([`Renderer::shading`]) is that of the draw. No pass is open. The
    /// shader writes buffers that are all bound.
    pub(crate) fn draw_lowered(&mut self, buffers: &Ranges, call: &FeedbackDraw) -> Result {
        self.find_fetching();
        self.note_shaders();
        let scatters = self.scatters(call);
        let Some(stages) = self.feedback_stages(call.provoking) else { return Ok(()) };
        let (lowered, runtime) = (&mut self.feedback.lowered, &self.bound.shading.runtime);
        lowered.fetching.options.form = if scatters { Form::Scatter } else { Form::Gather };
        let programs = lowered.programs.as_mut();
        let found = programs.and_then(|programs| programs.capture(&stages, runtime, &lowered.fetching.options));
        let Some(slot) = found else {
            self.recorder.skipped_draws += 1;
            return Ok(());
        };
        let Some(program) = slot.program() else { return Ok(()) };
        let strides = program.variant.feedback_strides;
        if strides.iter().zip(buffers).any(|(stride, bound)| *stride != 0 && bound.is_none()) {
            return Ok(());
        }
        let request = request(buffers, call, strides);
        if stages.geometry.is_some() {
            return self.feedback_on_device(program, buffers, call, request, true);
        }
        let known = self.feedback.lowered.bytes.map(|bytes| Counters { bytes, ..Counters::default() });
        let planned = known.and_then(|before| Some((before, plan(&request, &before)?)));
        let Some((before, planned)) = planned else {
            return self.feedback_on_device(program, buffers, call, request, false);
        };
        if planned.groups[0] > 0 {
            self.plan_feedback(program, buffers, call, &planned)?;
        }
        let lowered = &mut self.feedback.lowered;
        lowered.progress.add(&before, &planned.counters);
        lowered.bytes = Some(planned.counters.bytes);
        Ok(())
    }

    /// A draw whose numbers the host knows: one dispatch.
    fn plan_feedback(
        &mut self,
        program: &Program,
        buffers: &Ranges,
        call: &FeedbackDraw,
        planned: &feedback::Plan,
    ) -> Result {
        let (mut draw, mut accesses) = (planned.draw, Accesses::of(call));
        self.fill_vertex_buffers(&mut draw, &mut accesses);
        let mut slice = self.block(size_of::<Draw>())?;
        slice.bytes_mut().copy_from_slice(bytemuck::bytes_of(&draw));
        self.order_feedback(program, buffers, &mut accesses)?;
        self.bind_feedback(program, slice.address)?;
        if program.scatters {
            self.draw_scattering(planned.draw.vertices, call);
            self.note_feedback(buffers, accesses);
            return Ok(());
        }
        let ([x, y, z], cmd) = (planned.groups, self.recorder.main());
        // SAFETY: no pass is open; pipeline, sets and push constants are as the shader's reflection says; the groups are within every
        // device's limits, and what they store is within the ranges that were planned for.
        unsafe { self.gpu.raw.cmd_dispatch(cmd, x, y, z) };
        self.note_feedback(buffers, accesses);
        Ok(())
    }

    /// Draws with the pipeline that was bound: an invocation per vertex, of which nothing else comes.
    fn draw_scattering(&mut self, vertices: u32, call: &FeedbackDraw) {
        let Numbers::Direct { instances, .. } = call.numbers else { return };
        let one = vk::Extent2D { width: 1, height: 1 };
        let area = vk::Rect2D { offset: vk::Offset2D::default(), extent: one };
        let info = vk::RenderingInfo::default().render_area(area).layer_count(1);
        let cmd = self.recorder.main();
        // SAFETY: no pass is open; pipeline, sets and push constants are as the shader's reflection says, and what it stores is within
        // the ranges that were planned for.
        unsafe {
            self.gpu.raw.cmd_begin_rendering(cmd, &info);
            self.gpu.raw.cmd_draw(cmd, vertices, instances, 0, 0);
            self.gpu.raw.cmd_end_rendering(cmd);
        }
        self.forget();
    }

    /// A draw whose numbers only the device knows, or with restarts, or one with a geometry shader, which is one work group for all of
    /// it: how much a primitive `emits` is known when its shader has run.
    fn feedback_on_device(
        &mut self,
        program: &Program,
        buffers: &Ranges,
        call: &FeedbackDraw,
        mut request: Request,
        emits: bool,
    ) -> Result {
        let mut stored = request;
        let mut known = None;
        if emits {
            // Of what goes into a geometry shader nothing is limited by the room for what comes out, nor counted.
            (request.strides, request.sizes, request.buffers) = Default::default();
            known = plan(&request, &Counters::default()).map(|planned| planned.draw);
        }
        let programs = self.feedback.lowered.programs.as_ref();
        let prepare = if known.is_some() { None } else { programs.and_then(Programs::prepare) };
        let prepare = prepare.as_ref().and_then(|slot| slot.program());
        if known.is_none() && prepare.is_none() {
            self.recorder.skipped_draws += 1;
            return Ok(());
        }
        let restarts = request.restart != 0;
        if restarts {
            let there = request.index_size.checked_div(request.index_bytes).unwrap_or(0);
            let most = match call.numbers {
                Numbers::Direct { count, .. } => count.min(there),
                Numbers::Indirect(_) => there.min(MOST_RESTARTS),
            };
            if most > MOST_RESTARTS {
                self.warn_once("transform feedback with restarts", "draws of more than 16,777,216 indices");
                return Ok(());
            }
            (request.list, request.list_room) = (self.list(most)?, most);
        }
        if let Some(bytes) = self.feedback.lowered.bytes.take() {
            self.set_counters(bytes)?;
        }
        let mut draw = known.unwrap_or(Draw { row: request.row, ..Draw::default() });
        let mut accesses = Accesses::of(call);
        self.fill_vertex_buffers(&mut draw, &mut accesses);
        let mut slice = self.block(DEVICE_BLOCKS)?;
        (_, stored.counters) = self.device_counters()?;
        request.counters = if emits { slice.address + UNUSED } else { stored.counters };
        (request.draw, request.groups) = (slice.address, slice.address + GROUPS);
        draw.request = if emits { slice.address + STORED } else { 0 };
        let bytes = slice.bytes_mut();
        bytes.fill(0);
        bytes[..REQUEST as usize].copy_from_slice(bytemuck::bytes_of(&draw));
        bytes[REQUEST as usize..GROUPS as usize].copy_from_slice(bytemuck::bytes_of(&request));
        bytes[STORED as usize..UNUSED as usize].copy_from_slice(bytemuck::bytes_of(&stored));
        self.order_feedback(program, buffers, &mut accesses)?;
        if self.feedback.lowered.held == self.recorder.order.epoch {
            self.begin_epoch();
        }
        if let Some(prepare) = prepare {
            self.bind_feedback(prepare, slice.address + REQUEST)?;
            let cmd = self.recorder.main();
            // SAFETY: as for draws that the host plans; the request's addresses are of memory that is alive until the submission has
            // completed, and as long as it says.
            unsafe { self.gpu.raw.cmd_dispatch(cmd, 1, 1, 1) };
            self.begin_epoch();
        }
        self.feedback.lowered.progress.device_counts();
        self.bind_feedback(program, slice.address)?;
        let cmd = self.recorder.main();
        // SAFETY: as above; `prepare` keeps the groups within every device's limits, and three words of them are in the slice.
        unsafe {
            match emits {
                true => self.gpu.raw.cmd_dispatch(cmd, 1, 1, 1),
                false => self.gpu.raw.cmd_dispatch_indirect(cmd, slice.buffer, slice.offset + GROUPS),
            }
        }
        if restarts {
            self.feedback.lowered.held = self.recorder.order.epoch;
        }
        if emits {
            // It has counted.
            self.begin_epoch();
        }
        self.note_feedback(buffers, accesses);
        Ok(())
    }

    /// Room for a block of system values.
    fn block(&mut self, bytes: usize) -> Result<Slice> {
        self.memory.constants.alloc(
            bytes,
            ALIGN,
            self.recorder.submissions.current,
            self.recorder.submissions.completed,
        )
    }

    /// Room for the list of a draw with restarts: its address.
    fn list(&mut self, entries: u32) -> Result<u64> {
        let bytes = u64::from(entries.max(1)).next_power_of_two().max(1 << 13) * 8;
        let list = &mut self.feedback.lowered.list;
        if list.as_ref().is_none_or(|list| list.size < bytes) {
            let fresh = Buffer::new(&self.gpu, "primitives between restarts", bytes, Place::Device)?;
            if let Some(old) = list.replace(fresh) {
                self.recorder.submissions.discard(Trash::Buffer(old));
            }
        }
        Ok(self.feedback.lowered.list.as_ref().map_or(0, |list| list.address))
    }
}
