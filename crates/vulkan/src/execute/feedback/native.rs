//! Transform feedback by VK_EXT_transform_feedback.
//!
//! Vulkan has feedback begin and end inside of one render pass and with one pipeline. The stream's feedback goes on across both: whenever
//! the pass ends, the feedback is put off, with the bytes captured so far in counters of ours, and goes on in the next pass. The
//! passes of captured draws end, as those of draws that store do, wherever state changes.

use crate::device::memory::{Buffer, Place};
use crate::error::Result;
use crate::feedback::Ranges;
use crate::feedback::native::{SPARE, bound};
use crate::renderer::Renderer;
use afterimage_state::{Effect, trace};
use afterimage_stream::{FEEDBACK_BUFFERS, Group, Host};
use ash::vk;

/// Bytes of the counters.
const COUNTERS: u64 = 4 * FEEDBACK_BUFFERS as u64;

impl Renderer {
    /// Feedback begins with as many bytes in its buffers as `counters` say. No pass is open, and what wrote the counters is behind a
    /// barrier.
    pub(crate) fn begin_native(&mut self, counters: &Ranges) -> Result {
        let Some(native) = &mut self.feedback.native else { return Ok(()) };
        if native.counters.is_none() {
            native.counters = Some(Buffer::new(&self.gpu, "counters of feedback", COUNTERS + SPARE, Place::Device)?);
        }
        let Some(own) = native.counters.as_ref().map(|own| own.raw) else { return Ok(()) };
        // The last feedback's end may still read them.
        self.begin_epoch();
        let cmd = self.recorder.main();
        for (at, counter) in (0..).step_by(4).zip(counters) {
            // SAFETY: no pass is open; both buffers have the bytes, and live until the submission has completed.
            unsafe {
                match counter {
                    Some(from) => {
                        let region = [vk::BufferCopy { src_offset: from.offset, dst_offset: at, size: 4 }];
                        self.gpu.raw.cmd_copy_buffer(cmd, from.buffer, own, &region);
                    }
                    None => self.gpu.raw.cmd_fill_buffer(cmd, own, at, 4, 0),
                }
            }
        }
        self.recorder.order.written = true;
        Ok(())
    }

    /// Feedback ends: the bytes in its buffers go to `counters`. No pass is open.
    pub(crate) fn end_native(&mut self, counters: &Ranges) -> Result {
        let own = self.feedback.native.as_ref().and_then(|native| native.counters.as_ref());
        let Some(own) = own.map(|own| own.raw) else { return Ok(()) };
        if counters.iter().all(Option::is_none) {
            return Ok(());
        }
        self.begin_epoch();
        let cmd = self.recorder.main();
        for (at, counter) in (0..).step_by(4).zip(counters) {
            let Some(to) = counter else { continue };
            let region = [vk::BufferCopy { src_offset: at, dst_offset: to.offset, size: 4 }];
            // SAFETY: as above.
            unsafe { self.gpu.raw.cmd_copy_buffer(cmd, own, to.buffer, &region) };
        }
        self.recorder.order.written = true;
        Ok(())
    }

    /// Whether draws are captured in the pass that is open.
    pub(crate) fn is_feedback_open(&self) -> bool {
        self.feedback.native.as_ref().is_some_and(|native| native.open)
    }

    /// [`Group::Feedback`]: the feedback goes on in the pass.
    pub(crate) fn apply_feedback(&mut self) -> Effect {
        self.commands();
        trace::read(Host::PASS.only());
        trace::read_result::<Host>(Group::Pass);
        trace::read_result::<Host>(Group::Pipeline);
        if !self.feedback_is_native() || self.is_feedback_open() {
            return Effect::Same;
        }
        let Some(buffers) = self.feedback.running else { return Effect::Same };
        let current = self.recorder.submissions.current;
        let counters = buffers.map(|range| self.own_counter(range.is_some()));
        let (bound, spare) = (bound(&counters), self.own_counter(true));
        let Some(native) = &mut self.feedback.native else { return Effect::Same };
        native.open = true;
        let offsets = [0, 4, 8, 12];
        self.stats.calls.made += 1;
        self.begin_feedback_segments();
        let cmd = self.recorder.main();
        let Some(feedback) = &self.gpu.feedback else { return Effect::Same };
        let most = self.gpu.profile.transform_feedback.map_or(0, |feedback| feedback.most_bytes);
        let (mut targets, mut starts, mut sizes) =
            ([spare; FEEDBACK_BUFFERS], [COUNTERS; FEEDBACK_BUFFERS], [SPARE; FEEDBACK_BUFFERS]);
        for (number, range) in buffers.iter().enumerate() {
            let Some(range) = range else { continue };
            (targets[number], starts[number], sizes[number]) = (range.buffer, range.offset, range.size.min(most));
            if let Some(buffer) = self.resources.buffers.get_mut(range.id) {
                buffer.last_used = current;
                buffer.order.note(self.recorder.order.epoch, true);
            }
        }
        if bound > 0 {
            // SAFETY: no feedback is active in the command buffer; the validator has checked ranges and alignment, and the buffers are
            // not destroyed before the feedback ends. Buffers up to the last that is bound are all there.
            unsafe {
                let bind = feedback.fp().cmd_bind_transform_feedback_buffers_ext;
                bind(cmd, 0, bound, targets.as_ptr(), starts.as_ptr(), sizes.as_ptr());
            }
        }
        // SAFETY: a pass is open and a pipeline that captures is bound; what is in the counters is behind the barrier of the pass.
        unsafe {
            (feedback.fp().cmd_begin_transform_feedback_ext)(cmd, 0, bound, counters.as_ptr(), offsets.as_ptr());
        }
        Effect::Same
    }

    /// Whether feedback goes on as it should, for those who compute it again.
    pub(crate) fn feedback_differs(&self) -> Option<String> {
        crate::state::apply::differs(&self.feedback_is_native(), &self.is_feedback_open())
    }

    /// Our counter of a buffer, if that is captured into.
    fn own_counter(&self, there: bool) -> vk::Buffer {
        let own = self.feedback.native.as_ref().and_then(|native| native.counters.as_ref()).filter(|_| there);
        own.map_or(vk::Buffer::null(), |own| own.raw)
    }

    /// The pass is about to end: what is captured is put off.
    pub(crate) fn put_off_feedback(&mut self) {
        if !self.is_feedback_open() {
            return;
        }
        let Some(buffers) = self.feedback.running else { return };
        let counters = buffers.map(|range| self.own_counter(range.is_some()));
        let bound = bound(&counters);
        let offsets = [0, 4, 8, 12];
        let cmd = self.recorder.main();
        let Some((native, feedback)) = self.feedback.native.as_mut().zip(self.gpu.feedback.as_ref()) else { return };
        native.open = false;
        // SAFETY: the feedback was begun in this pass.
        unsafe {
            (feedback.fp().cmd_end_transform_feedback_ext)(cmd, 0, bound, counters.as_ptr(), offsets.as_ptr());
        }
        self.end_feedback_segments();
        self.recorder.order.written = true;
    }
}
