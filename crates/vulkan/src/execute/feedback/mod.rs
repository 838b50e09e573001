//! Captures: draws write what their shaders say is captured into buffers.
//!
//! [`native`] has VK_EXT_transform_feedback do it. Where a device lacks that, or nothing shall rest on it, [`lowered`] does it with
//! shaders that store what they capture, behind the draws themselves, which draw as ever. Both give the same bytes, counters and
//! queries. Here is what they have in common: which buffers, what a captured draw is, and what must wait for what.
//!
//! Draws whose numbers are in buffers go through [`arguments`] in either case.

pub(crate) mod arguments;
pub(crate) mod bind;
pub(crate) mod fetching;
pub(crate) mod lowered;
pub(crate) mod native;
pub(crate) mod progress;

use crate::error::Result;
use crate::feedback::{FeedbackDraw, Indices, Numbers, Range, Ranges, row};
use crate::pipeline::prediction::Rest;
use crate::renderer::Renderer;
use crate::state::draw::{MOST_VERTICES, instances};
use afterimage_shader::feedback::table::Provoking;
use afterimage_state::trace;
use afterimage_stream::packets::{
    BeginFeedback, CounterRef, Draw, DrawByteCount, DrawIndexed, DrawIndirect, EndFeedback, FeedbackBuffer, Topology,
};
use afterimage_stream::{FEEDBACK_BUFFERS, Group, Groups, Host, ObjectId, ObjectKind};
use ash::vk;

impl Renderer {
    /// The bytes that a feedback buffer has.
    fn feedback_range(&self, bound: &FeedbackBuffer) -> Option<Range> {
        let size = if bound.size == 0 { u64::MAX } else { bound.size };
        self.range_of(bound.buffer, bound.offset, size)
    }

    /// A range of a storage buffer, as far as there is one.
    fn range_of(&self, id: ObjectId, offset: u64, size: u64) -> Option<Range> {
        let buffer = if id.is_none() { None } else { self.resources.buffers.get(id) }?;
        let own = buffer.own.as_ref()?;
        let rest = buffer.desc.size.checked_sub(offset).filter(|&rest| rest > 0)?;
        Some(Range { id, buffer: own.raw, offset, size: size.min(rest), address: own.address + offset })
    }

    fn counters(&self, counters: &[CounterRef; FEEDBACK_BUFFERS]) -> Ranges {
        counters.map(|counter| self.range_of(counter.buffer, counter.offset, 4))
    }

    /// Ends the pass, and sees to it that commands behind this one find what they read written, and nothing that they write still
    /// wanted. `(id, whether it is written)`.
    pub(crate) fn order_ranges(&mut self, accesses: impl Iterator<Item = (Option<Range>, bool)>) {
        let accesses: smallvec::SmallVec<[_; 12]> =
            accesses.filter_map(|(range, writes)| Some((range?.id, writes))).filter(|(id, _)| !id.is_none()).collect();
        self.order_buffers(&accesses);
    }

    /// [`BeginFeedback`].
    pub(crate) fn begin_feedback(&mut self, body: &BeginFeedback) -> Result {
        let bound = self.state.feedback_buffers;
        let buffers = bound.map(|bound| self.feedback_range(&bound));
        let counters = self.counters(&body.counters);
        let read = counters.into_iter().map(|range| (range, false));
        self.order_ranges(read.chain(buffers.into_iter().map(|range| (range, true))));
        self.feedback.running = Some(buffers);
        let native = self.feedback.native.is_some();
        self.feedback.lowering = !native;
        self.feedback.active.set(true, &mut self.state.tracker);
        if native { self.begin_native(&counters) } else { self.begin_lowered(&counters) }
    }

    /// [`EndFeedback`].
    pub(crate) fn end_feedback(&mut self, body: &EndFeedback) -> Result {
        // The feedback is still there when its last pass ends.
        self.end_pass();
        let Some(buffers) = self.feedback.running.take() else { return Ok(()) };
        self.feedback.lowering = false;
        self.feedback.active.set(false, &mut self.state.tracker);
        let mut counters = self.counters(&body.counters);
        for (counter, buffer) in counters.iter_mut().zip(&buffers) {
            counter.take_if(|_| buffer.is_none());
        }
        // What is captured, and how much, is behind a barrier for all that comes.
        self.recorder.order.written = true;
        self.order_ranges(counters.into_iter().map(|range| (range, true)));
        if self.feedback.native.is_some() { self.end_native(&counters) } else { self.end_lowered(&counters) }
    }

    /// A frame ends: feedback does not go on.
    pub(crate) fn end_frame_of_feedback(&mut self) -> Result {
        if self.feedback.running.is_some() {
            tracing::warn!("a frame ends in the middle of feedback, which ends with it");
            return self.end_feedback(&EndFeedback::default());
        }
        Ok(())
    }

    /// What is captured from: the last shader before the pixel's.
    fn capturing(&self) -> Option<&crate::pipeline::shaders::Variant> {
        self.bound.shading.geometry.as_deref().or(self.bound.shading.vertex.as_deref())
    }

    /// Whether the device may have to capture draws: feedback runs, and the shader says what is captured.
    #[inline]
    pub(crate) fn may_write_feedback(&self) -> bool {
        if !self.feedback.is_native() {
            return false;
        }
        trace::read_result::<Host>(Group::Variants);
        self.capturing().is_some_and(|variant| variant.feedback_strides != [0; FEEDBACK_BUFFERS])
    }

    /// Whether the device captures draws.
    pub(crate) fn feedback_is_native(&self) -> bool {
        if !self.may_write_feedback() {
            return false;
        }
        trace::read_result::<Host>(Group::RasterKey);
        self.writes_feedback()
    }

    /// Whether the shaders say that anything is captured that can be: each buffer that they write must be bound.
    fn writes_feedback(&self) -> bool {
        let Some(vertex) = self.capturing() else { return false };
        let strides = vertex.feedback_strides;
        if strides == [0; FEEDBACK_BUFFERS] || self.bound.key.raster.rects() {
            return false;
        }
        let bound = self.feedback.running.unwrap_or([None; FEEDBACK_BUFFERS]);
        strides.iter().zip(&bound).all(|(stride, bound)| *stride == 0 || bound.is_some())
    }

    /// Says once what of a captured draw is not captured.
    fn warn_of_feedback(&mut self, topology: Topology) {
        let Some(vertex) = self.capturing() else { return };
        if vertex.feedback_strides == [0; FEEDBACK_BUFFERS] {
            return;
        }
        if row(topology).is_none() {
            self.warn_once("transform feedback", "lists of rectangles (they cannot be captured)");
        } else if !self.writes_feedback() {
            self.warn_once("transform feedback", "draws that capture into a buffer which is not bound");
        }
    }

    /// The indices that are bound, as feedback reads them.
    fn feedback_indices(&mut self) -> Option<Indices> {
        let body = *self.state.index_buffer;
        let (buffer, offset, size) =
            self.vertex_source(body.source, body.offset, body.size, self.bound.index_upload)?;
        let address = self.address_of(buffer) + offset;
        let id = if body.source.kind() == Some(ObjectKind::Buffer) { body.source } else { ObjectId::NONE };
        let range = Range { id, buffer, offset, size, address };
        Some(Indices { range, bytes: body.index_bytes.into(), restart: body.restart != 0 })
    }

    /// Device address of a buffer's first byte.
    pub(crate) fn address_of(&self, buffer: vk::Buffer) -> u64 {
        let info = vk::BufferDeviceAddressInfo::default().buffer(buffer);
        // SAFETY: every buffer of the renderer is made with the usage for it and has memory.
        unsafe { self.gpu.raw.get_buffer_device_address(&info) }
    }

    /// Captures a draw that has been drawn, where that takes commands of its own.
    fn lower_draw(&mut self, topology: u32, numbers: Numbers, indexed: bool) {
        let topology = Topology::of(topology as u8);
        self.warn_of_feedback(topology);
        let (Some(buffers), Some(row)) = (self.feedback.running, row(topology)) else { return };
        let shaders = Groups::of_bits(1 << Group::Variants as u8);
        let missing = self.state.tracker.dirty().touches(shaders);
        let captures = match missing {
            // What is known is of the last draw then. A geometry shader that the device cannot draw with may be captured from.
            true => !self.state.shaders.geometry.is_none(),
            false => self.writes_feedback() && self.geometry_fits(),
        };
        if !captures {
            return;
        }
        let provoking = if self.state.raster.provoking == 0 { Provoking::First } else { Provoking::Last };
        let indices = if indexed { self.feedback_indices() } else { None };
        if indexed && indices.is_none() {
            return;
        }
        self.end_pass();
        let draw = FeedbackDraw { row, provoking, numbers, indices };
        if let Err(error) = self.draw_lowered(&buffers, &draw) {
            self.fail(error);
        }
        let (current, epoch) = (self.recorder.submissions.current, self.recorder.order.epoch);
        for range in buffers.iter().flatten() {
            if let Some(buffer) = self.resources.buffers.get_mut(range.id) {
                buffer.last_used = current;
                buffer.order.note(epoch, true);
            }
        }
        self.recorder.order.written = true;
    }

    /// Captures a [`Draw`].
    #[cold]
    pub(crate) fn lower_plain(&mut self, body: &Draw) {
        let count = body.count.min(MOST_VERTICES as u32);
        let numbers = Numbers::Direct {
            first: body.first,
            count,
            vertex_offset: 0,
            instances: instances(body.instances, count),
            first_instance: body.first_instance,
        };
        self.lower_draw(body.topology, numbers, false);
    }

    /// Captures a [`DrawIndexed`].
    #[cold]
    pub(crate) fn lower_indexed(&mut self, body: &DrawIndexed) {
        let size = self.feedback_indices().map_or(0, |indices| indices.range.size / u64::from(indices.bytes.max(1)));
        let limit = u32::try_from(size).unwrap_or(u32::MAX);
        let count = body.count.min(limit.saturating_sub(body.first)).min(MOST_VERTICES as u32);
        let numbers = Numbers::Direct {
            first: body.first,
            count,
            vertex_offset: body.base_vertex as u32,
            instances: instances(body.instances, count),
            first_instance: body.first_instance,
        };
        self.lower_draw(body.topology, numbers, true);
    }

    /// [`DrawIndirect`].
    pub(crate) fn draw_indirect(&mut self, body: &DrawIndirect, rest: Rest<'_>) -> Result {
        let Some(from) = self.range_of(body.buffer, body.offset, u64::MAX) else { return Ok(()) };
        let indexed = body.indexed != 0;
        let indices = if indexed { self.feedback_indices() } else { None };
        let what = crate::feedback::arguments::What::Draws { stride: body.stride, indices };
        let limited = self.limited_arguments(from, body.count, what)?;
        self.draw_arguments(body.topology, limited, body.count, indexed, rest);
        Ok(())
    }

    /// [`DrawByteCount`].
    pub(crate) fn draw_byte_count(&mut self, body: &DrawByteCount, rest: Rest<'_>) -> Result {
        let Some(from) = self.range_of(body.counter, body.offset, 4) else { return Ok(()) };
        let DrawByteCount { instances, first_instance, counter_offset, stride, .. } = *body;
        let what = crate::feedback::arguments::What::Bytes { counter_offset, stride, instances, first_instance };
        let limited = self.limited_arguments(from, 1, what)?;
        self.draw_arguments(body.topology, limited, 1, false, rest);
        Ok(())
    }

    /// Draws what [`arguments`] wrote.
    fn draw_arguments(&mut self, topology: u32, limited: Range, count: u32, indexed: bool, rest: Rest<'_>) {
        let commands = (limited.buffer, limited.offset);
        if !(self.feedback.lowering && self.feedback_alone(topology, rest)) {
            self.record_indirect(topology, commands, count, indexed, rest);
            if self.bound.in_parts {
                self.draw_second_part(|renderer| renderer.record_indirect(topology, commands, count, indexed, rest));
            }
        }
        if self.feedback.lowering {
            let each = crate::feedback::arguments::bytes(indexed);
            for number in 0..u64::from(count) {
                let at = number * each;
                let (offset, address) = (limited.offset + at, limited.address + at);
                let range = Range { offset, address, size: each, ..limited };
                self.lower_draw(topology, Numbers::Indirect(range), indexed);
            }
        }
    }
}
