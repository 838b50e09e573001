//! Draws, and what the command buffer has.

use crate::pipeline::prediction::Rest;
use crate::pipeline::raster;
use crate::renderer::Renderer;
use crate::state::draw::{MOST_VERTICES, Recorded, instances};
use crate::state::vertices::NO_BUFFER_LIMITS;
use afterimage_state::trace;
use afterimage_stream::host::level;
use afterimage_stream::packets::{Draw, DrawIndexed};
use afterimage_stream::{Group, Host};
use ash::vk;

impl Renderer {
    /// Makes everything ready for draws of a topology. False where they must be dropped.
    #[inline]
    fn prepare(&mut self, topology: u32, rest: Rest<'_>) -> bool {
        if *self.bound.topology != topology {
            self.bound.topology.set(topology, &mut self.state.tracker);
        }
        self.recorder.draws += 1;
        self.stats.calls.of_all += self.stats.calls.of_draw;
        if !self.state.tracker.dirty().touches(level::DRAW) {
            self.check_applied(level::DRAW);
            return true;
        }
        let drawn = self.prepare_all(rest);
        self.recorder.skipped_draws += u64::from(!drawn);
        drawn
    }

    /// Whether nothing of a draw is wanted but what is captured in its place, for which everything is ready then.
    #[cold]
    pub(crate) fn feedback_alone(&mut self, topology: u32, rest: Rest<'_>) -> bool {
        if self.state.raster.discard == 0 {
            return false;
        }
        if *self.bound.topology != topology {
            self.bound.topology.set(topology, &mut self.state.tracker);
        }
        self.flush_draws();
        let applied = self.apply(level::FEEDBACK, Some(rest)).unwrap_or_else(|error| {
            self.fail(error);
            false
        });
        // What stores besides is drawn as well.
        let alone = applied && self.bound.shading.vertex.as_ref().is_some_and(|vertex| !vertex.stores);
        self.recorder.draws += u64::from(alone);
        alone
    }

    fn prepare_all(&mut self, rest: Rest<'_>) -> bool {
        self.flush_draws();
        if self.recorder.order.pass_stores {
            self.end_pass();
        }
        if self.applies_everything {
            self.forget();
        }
        let drawn = self.apply(level::DRAW, Some(rest)).unwrap_or_else(|error| {
            self.fail(error);
            false
        });
        if self.applies_everything {
            // So that the next draw comes here, too.
            self.state.tracker.mark(Group::Push);
        }
        drawn
    }

    /// Everything has to be applied, and recorded, again.
    pub(crate) fn forget(&mut self) {
        self.bound.recorded = Recorded::default();
        self.bound.push_range = (0, self.bound.push.len());
        self.state.tracker.mark_all();
    }

    /// The command buffer, for what is recorded unless it has that already.
    #[inline]
    pub(crate) fn commands(&mut self) -> vk::CommandBuffer {
        trace::read(Host::COMMANDS.only());
        self.recorder.main()
    }

    /// The command buffer is a new one, or has something else than draws of the guest left in it.
    pub(crate) fn commands_changed(&mut self) {
        self.state.tracker.changed(Host::COMMANDS.only());
    }

    /// What draws record must be recorded again: the command buffer has something else, or nothing.
    pub(crate) fn disturbed(&mut self) {
        self.bound.recorded = Recorded::default();
        self.bound.push_range = (0, self.bound.push.len());
        self.commands_changed();
    }

    /// [`Draw`].
    #[inline(always)]
    pub(crate) fn draw(&mut self, body: &Draw, rest: Rest<'_>) {
        if self.feedback.lowering && self.feedback_alone(body.topology, rest) {
            return self.lower_plain(body);
        }
        self.draw_part(body, rest);
        if self.bound.in_parts {
            self.draw_second_part(|renderer| renderer.draw_part(body, rest));
        }
        if self.feedback.lowering {
            self.lower_plain(body);
        }
    }

    #[inline]
    fn draw_part(&mut self, body: &Draw, rest: Rest<'_>) {
        if !self.prepare(body.topology, rest) {
            return;
        }
        // Vertices outside of every buffer are all alike and make no primitive with an area.
        let count = match self.bound.vertex_limit {
            NO_BUFFER_LIMITS => body.count.min(MOST_VERTICES as u32),
            limit => body.count.min(limit.saturating_sub(body.first)),
        };
        let instances = (instances(body.instances, count), body.first_instance);
        if count == 0 || instances.0 == 0 {
            return;
        }
        if self.bound.pending.instances != instances || !self.bound.pending.indexed.is_empty() {
            self.flush_draws();
            self.bound.pending.instances = instances;
        }
        self.bound.pending.plain.push(vk::MultiDrawInfoEXT { first_vertex: body.first, vertex_count: count });
        self.part_draws();
    }

    /// Draws that read what they draw to come in passes of their own: each finds what those before it drew at its place, as with
    /// Direct3D's drivers on Windows. What it finds of a place that it draws itself first is open.
    #[inline]
    fn part_draws(&mut self) {
        if self.bound.reads_target {
            self.end_pass();
        }
    }

    /// [`DrawIndexed`].
    #[inline(always)]
    pub(crate) fn draw_indexed(&mut self, body: &DrawIndexed, rest: Rest<'_>) {
        if self.feedback.lowering && self.feedback_alone(body.topology, rest) {
            return self.lower_indexed(body);
        }
        self.draw_indexed_part(body, rest);
        if self.bound.in_parts {
            self.draw_second_part(|renderer| renderer.draw_indexed_part(body, rest));
        }
        if self.feedback.lowering {
            self.lower_indexed(body);
        }
    }

    #[inline]
    fn draw_indexed_part(&mut self, body: &DrawIndexed, rest: Rest<'_>) {
        if !self.prepare(body.topology, rest) {
            return;
        }
        // Vulkan wants the range inside of the buffer, robust or not.
        let limit = self.bound.index_limit;
        let count = body.count.min(limit.saturating_sub(body.first));
        let instances = (instances(body.instances, count), body.first_instance);
        if count == 0 || instances.0 == 0 {
            return;
        }
        if self.bound.pending.instances != instances || !self.bound.pending.plain.is_empty() {
            self.flush_draws();
            self.bound.pending.instances = instances;
        }
        self.bound.pending.indexed.push(vk::MultiDrawIndexedInfoEXT {
            first_index: body.first,
            index_count: count,
            vertex_offset: body.base_vertex,
        });
        self.part_draws();
    }

    /// Records the draws collected so far.
    #[inline]
    pub(crate) fn flush_draws(&mut self) {
        if !self.bound.pending.plain.is_empty() || !self.bound.pending.indexed.is_empty() {
            self.record_draws();
        }
    }

    fn record_draws(&mut self) {
        self.record_faces(Self::record_pending);
        self.bound.pending.plain.clear();
        self.bound.pending.indexed.clear();
    }

    /// Records draws, twice where front and back faces are drawn apart.
    fn record_faces(&mut self, record: impl Fn(&Self)) {
        record(self);
        if self.bound.recorded.raster.is_some_and(|raster| raster.back_fill.is_some())
            && self.bound.key.raster.class() == raster::TRIANGLES
        {
            self.set_face(true);
            record(self);
            self.set_face(false);
        }
    }

    /// Draws what `count` commands in a buffer say, which are valid and behind a barrier.
    pub(crate) fn record_indirect(
        &mut self,
        topology: u32,
        commands: (vk::Buffer, u64),
        count: u32,
        indexed: bool,
        rest: Rest<'_>,
    ) {
        if !self.prepare(topology, rest) {
            return;
        }
        self.recorder.draws += u64::from(count - 1);
        self.flush_draws();
        self.record_faces(|r| {
            let (raw, cmd, (buffer, mut offset)) = (&r.gpu.raw, r.recorder.submissions.main, commands);
            for _ in 0..count {
                // SAFETY: a pass is open and everything a draw needs is bound (`prepare`); the buffer has the commands.
                unsafe {
                    if indexed {
                        raw.cmd_draw_indexed_indirect(cmd, buffer, offset, 1, 0);
                    } else {
                        raw.cmd_draw_indirect(cmd, buffer, offset, 1, 0);
                    }
                }
                offset += if indexed { 20 } else { 16 };
            }
        });
        self.part_draws();
    }

    fn record_pending(&self) {
        let (raw, cmd, (instances, first_instance)) =
            (&self.gpu.raw, self.recorder.submissions.main, self.bound.pending.instances);
        // One draw between changes is what most programs do most.
        match (&self.bound.pending.plain[..], &self.bound.pending.indexed[..]) {
            ([d], []) => {
                // SAFETY: a pass is open and everything a draw needs is bound (`prepare`).
                return unsafe { raw.cmd_draw(cmd, d.vertex_count, instances, d.first_vertex, first_instance) };
            }
            ([], [d]) => {
                // SAFETY: as above.
                return unsafe {
                    raw.cmd_draw_indexed(cmd, d.index_count, instances, d.first_index, d.vertex_offset, first_instance);
                };
            }
            _ => {}
        }
        let most = self.gpu.profile.multi_draw.max(1) as usize;
        // lavapipe 22.3 draws an instance of all draws before the next one.
        let multi = self.gpu.multi_draw.as_ref().filter(|_| instances == 1);
        let stride = |size: usize| size as u32;
        // SAFETY: a pass is open and everything a draw needs is bound (`prepare`); the counts are within the limits.
        unsafe {
            for draws in self.bound.pending.plain.chunks(most) {
                match (multi, draws) {
                    (Some(multi), [_, _, ..]) => (multi.fp().cmd_draw_multi_ext)(
                        cmd,
                        draws.len() as u32,
                        draws.as_ptr(),
                        instances,
                        first_instance,
                        stride(size_of::<vk::MultiDrawInfoEXT>()),
                    ),
                    _ => draws
                        .iter()
                        .for_each(|d| raw.cmd_draw(cmd, d.vertex_count, instances, d.first_vertex, first_instance)),
                }
            }
            for draws in self.bound.pending.indexed.chunks(most) {
                match (multi, draws) {
                    (Some(multi), [_, _, ..]) => (multi.fp().cmd_draw_multi_indexed_ext)(
                        cmd,
                        draws.len() as u32,
                        draws.as_ptr(),
                        instances,
                        first_instance,
                        stride(size_of::<vk::MultiDrawIndexedInfoEXT>()),
                        std::ptr::null(),
                    ),
                    _ => draws.iter().for_each(|d| {
                        raw.cmd_draw_indexed(
                            cmd,
                            d.index_count,
                            instances,
                            d.first_index,
                            d.vertex_offset,
                            first_instance,
                        );
                    }),
                }
            }
        }
    }
}
