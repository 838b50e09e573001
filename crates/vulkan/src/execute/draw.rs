//! Draws, and what the command buffer has.

use crate::commands::list::Call;
use crate::commands::recorder::Recorder;
use crate::device::gpu::Gpu;
use crate::pipeline::prediction::Rest;
use crate::pipeline::raster;
use crate::renderer::Renderer;
use crate::resources::descriptors::PUSH_LINES;
use crate::resources::layouts::PUSH_STAGES;
use crate::state::bound::ALL_PUSH_WORDS;
use crate::state::draw::{MOST_VERTICES, Pending, Recorded, instances};
use crate::state::vertices::NO_BUFFER_LIMITS;
use afterimage_state::trace;
use afterimage_stream::host::level;
use afterimage_stream::packets::{Draw, DrawIndexed};
use afterimage_stream::{Group, Host};
use ash::vk;
use std::ops::Range;

/// Push constants of a run, after which it is recorded, so that the GPU and whoever plays calls get something to do.
const LONGEST_RUN: usize = 256;

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
        if self.applies_everything || self.state.tracker.dirty().touches(level::DRAW.except(level::RUN)) {
            self.flush_draws();
        }
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
        self.bound.push_range = ALL_PUSH_WORDS;
        self.state.tracker.mark_all();
    }

    /// What follows is recorded unless the command buffer has it already.
    #[inline]
    pub(crate) fn commands(&mut self) {
        trace::read(Host::COMMANDS.only());
    }

    /// The command buffer is a new one, or has something else than draws of the guest left in it.
    pub(crate) fn commands_changed(&mut self) {
        self.state.tracker.changed(Host::COMMANDS.only());
    }

    /// What draws record must be recorded again: the command buffer has something else, or nothing.
    pub(crate) fn disturbed(&mut self) {
        self.bound.recorded = Recorded::default();
        self.bound.push_range = ALL_PUSH_WORDS;
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
        let (first, count) = match self.draws_corners() {
            false => (body.first, count),
            true if body.first.is_multiple_of(3) => {
                (body.first.saturating_mul(2), (count.min(MOST_VERTICES as u32 / 2) / 3) * 6)
            }
            true => return self.warn_of_rectangles(),
        };
        let instances = (instances(body.instances, count), body.first_instance);
        if count == 0 || instances.0 == 0 {
            return;
        }
        if self.bound.pending.instances != instances || !self.bound.pending.indexed.is_empty() {
            self.flush_draws();
            self.bound.pending.instances = instances;
        }
        let first_vertex = first.saturating_add(self.bound.vertex_base);
        self.bound.pending.plain.push(vk::MultiDrawInfoEXT { first_vertex, vertex_count: count });
        self.drawn();
    }

    /// Whether the vertex shader makes the corners of rectangles, six vertices of three each, as there are no geometry shaders.
    #[inline]
    fn draws_corners(&self) -> bool {
        self.bound.shading.runtime.vertex_ops.rectangles != 0
    }

    #[cold]
    fn warn_of_rectangles(&mut self) {
        self.recorder.skipped_draws += 1;
        let what = "lists of rectangles with indices, from buffers, or from another vertex on than a third one (the device has no \
                    geometry shaders)";
        self.warn_once("rectangles", what);
    }

    /// A draw waits; where faces are drawn apart it does not, so that all faces have the same push constants. Draws that read what they
    /// draw to come in passes of their own: each finds what those before it drew at its place, as with Direct3D's drivers on Windows.
    /// What it finds of a place that it draws itself first is open.
    #[inline]
    fn drawn(&mut self) {
        self.recorder.draws_wait = true;
        if self.bound.reads_target {
            self.end_pass();
        } else if self.bound.pending.blocks.len() >= LONGEST_RUN || self.draws_faces_apart() {
            self.record_draws();
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
        if self.draws_corners() {
            return self.warn_of_rectangles();
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
            vertex_offset: body.base_vertex.saturating_add_unsigned(self.bound.vertex_base),
        });
        self.drawn();
    }

    /// Records the draws collected so far.
    #[inline]
    pub(crate) fn flush_draws(&mut self) {
        if self.bound.pending.len() > 0 {
            self.record_draws();
        }
    }

    fn record_draws(&mut self) {
        self.recorder.draws_wait = false;
        if !self.record_merged() {
            self.record_faces(Self::record_run);
            self.bound.pending.clear();
        }
        self.recorder.draws_are_listed();
    }

    /// Records the draws collected so far, and the push constants of what is recorded next.
    pub(crate) fn flush_push(&mut self) {
        self.flush_draws();
        if !self.bound.pending.blocks.is_empty() {
            self.record_run();
            self.bound.pending.clear();
        }
        self.bind_unmerged();
    }

    /// Whether front and back faces are drawn one after the other.
    #[inline]
    fn draws_faces_apart(&self) -> bool {
        self.bound.recorded.raster.is_some_and(|raster| raster.back_fill().is_some())
            && self.bound.key.raster.class() == raster::TRIANGLES
    }

    /// Records draws, twice where front and back faces are drawn apart.
    fn record_faces(&mut self, record: impl Fn(&mut Self)) {
        record(self);
        if self.draws_faces_apart() {
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
        if self.draws_corners() {
            return self.warn_of_rectangles();
        }
        self.recorder.draws += u64::from(count - 1);
        self.flush_push();
        self.bind_vertices_in_place();
        self.record_faces(|r| {
            let (cmd, raw, (buffer, mut offset)) = (r.recorder.main(), &r.gpu.raw, commands);
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
        if self.bound.reads_target {
            self.end_pass();
        }
    }

    /// Records a run: push constants, and what is drawn with them.
    fn record_run(&mut self) {
        if self.bound.pending.len() > 0 {
            self.bind_unmerged();
        }
        let Self { gpu, recorder, bound, stats, resources, .. } = self;
        let (run, recorded) = (&bound.pending, &mut bound.recorded);
        let first = run.blocks.first().map_or(run.len(), |block| block.draw as usize);
        list_draws(gpu, recorder, run, 0..first);
        for (at, block) in run.blocks.iter().enumerate() {
            let (words, (first, end)) = (run.words_of(block), block.range);
            recorded.push[usize::from(first)..usize::from(end)].copy_from_slice(words);
            stats.calls.made += 1;
            list_push(gpu, recorder, resources.descriptors.plain.raw, first, words);
            let end = run.blocks.get(at + 1).map_or(run.len(), |next| next.draw as usize);
            list_draws(gpu, recorder, run, block.draw as usize..end);
        }
    }
}

/// Lists push constants from a word on, with a layout of draws, which all have the same.
#[inline]
pub(crate) fn list_push(gpu: &Gpu, recorder: &mut Recorder, layout: vk::PipelineLayout, first: u16, words: &[u32]) {
    let lines = (PUSH_LINES as u16).saturating_sub(first).min(words.len() as u16);
    let (plain, lines) = words.split_at(lines.into());
    let mut list = |stages, first, words: &[u32]| {
        if !words.is_empty() {
            let at = recorder.store(words.iter().copied());
            // The words lie inside of the layout's range for these stages.
            recorder.call(Call::Push { layout, stages, first, count: words.len() as u16, at });
        }
    };
    list(PUSH_STAGES, first, plain);
    if gpu.profile.geometry_shader {
        list(vk::ShaderStageFlags::GEOMETRY, first.max(PUSH_LINES as u16), lines);
    }
}

/// Lists draws of a run that nothing changes between.
#[inline]
fn list_draws(gpu: &Gpu, recorder: &mut Recorder, run: &Pending, part: Range<usize>) {
    let (instances, first_instance) = run.instances;
    let plain = |d: &vk::MultiDrawInfoEXT| {
        Call::Draw(vk::DrawIndirectCommand {
            vertex_count: d.vertex_count,
            instance_count: instances,
            first_vertex: d.first_vertex,
            first_instance,
        })
    };
    let indexed = |d: &vk::MultiDrawIndexedInfoEXT| {
        Call::DrawIndexed(vk::DrawIndexedIndirectCommand {
            index_count: d.index_count,
            instance_count: instances,
            first_index: d.first_index,
            vertex_offset: d.vertex_offset,
            first_instance,
        })
    };
    // lavapipe 22.3 draws an instance of all draws before the next one.
    let multi = gpu.multi_draw.is_some() && instances == 1;
    // A run has draws of one kind.
    if !multi || part.len() == 1 {
        run.plain.get(part.clone()).unwrap_or_default().iter().for_each(|draw| recorder.call(plain(draw)));
        run.indexed.get(part).unwrap_or_default().iter().for_each(|draw| recorder.call(indexed(draw)));
        return;
    }
    list_multi(gpu, recorder, run, part, |_, _| {});
}

/// Lists draws of a run in as few calls as the device can; `before` is asked before each, with the number of its draws.
pub(crate) fn list_multi(
    gpu: &Gpu,
    recorder: &mut Recorder,
    run: &Pending,
    part: Range<usize>,
    mut before: impl FnMut(&mut Recorder, usize),
) {
    let (instances, first_instance) = run.instances;
    let most = gpu.profile.multi_draw.max(1) as usize;
    for draws in run.plain.get(part.clone()).unwrap_or_default().chunks(most) {
        before(recorder, draws.len());
        let at = recorder.store(draws.iter().flat_map(|d| [d.first_vertex, d.vertex_count]));
        recorder.call(Call::DrawMulti { at, count: draws.len() as u32, instances, first_instance });
    }
    for draws in run.indexed.get(part).unwrap_or_default().chunks(most) {
        before(recorder, draws.len());
        let at = recorder.store(draws.iter().flat_map(|d| [d.first_index, d.index_count, d.vertex_offset as u32]));
        recorder.call(Call::DrawMultiIndexed { at, count: draws.len() as u32, instances, first_instance });
    }
}
