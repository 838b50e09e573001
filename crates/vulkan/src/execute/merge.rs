//! Runs of draws that differ in push constants alone (other constants, other textures) as one call, whose draws find their constants and
//! textures in records ([`afterimage_abi::push`]).

use crate::commands::list::Call;
use crate::error::Result;
use crate::memory::ring::Slice;
use crate::pipeline::key::Key;
use crate::renderer::Renderer;
use crate::resources::descriptors::PUSH_LINES;
use crate::resources::layouts::PUSH_STAGES;
use crate::state::draw::{Pending, PushWords};
use afterimage_abi::{push, varyings};
use afterimage_render::workers::Urgency;
use ash::vk;

/// Blocks of push constants from which on one call is worth another pipeline.
const SHORTEST: usize = 8;

/// Bytes of a record.
const RECORD: usize = push::BYTES as usize;

/// The pipeline of a key whose shaders read records.
#[derive(Clone, Copy)]
pub(crate) struct Merged {
    /// The key of the pipeline whose shaders read push constants.
    of: Key,
    /// The other one's; none where shaders cannot read records.
    key: Option<Key>,
}

impl Renderer {
    /// Records a run as one call. False where it must be recorded draw by draw, also until workers have made the pipeline for it.
    pub(crate) fn record_merged(&mut self, run: &Pending) -> bool {
        if !self.merges || run.blocks.len() < SHORTEST || !self.can_merge(run) {
            return false;
        }
        let Some(pipeline) = self.merged_pipeline() else { return false };
        let records = match self.write_records(run) {
            Ok(Some(records)) => records,
            Ok(None) => return false,
            Err(error) => {
                self.fail(error);
                return false;
            }
        };
        if self.bound.recorded.merged != Some(pipeline) {
            self.bound.recorded.merged = Some(pipeline);
            self.stats.calls.made += 1;
            // It lives as long as the renderer.
            self.recorder.call(Call::Pipeline(pipeline));
        }
        self.recorder.merged_draws += run.len() as u64;
        let most = self.gpu.profile.multi_draw.max(1) as usize;
        let (instances, first_instance) = run.instances;
        let mut address = records.address;
        for draws in run.plain.chunks(most) {
            self.push_records(address);
            address += (draws.len() * RECORD) as u64;
            let at = self.recorder.store(draws.iter().flat_map(|d| [d.first_vertex, d.vertex_count]));
            self.recorder.call(Call::DrawMulti { at, count: draws.len() as u32, instances, first_instance });
        }
        for draws in run.indexed.chunks(most) {
            self.push_records(address);
            address += (draws.len() * RECORD) as u64;
            let words = draws.iter().flat_map(|d| [d.first_index, d.index_count, d.vertex_offset as u32]);
            let at = self.recorder.store(words);
            self.recorder.call(Call::DrawMultiIndexed { at, count: draws.len() as u32, instances, first_instance });
        }
        true
    }

    /// Binds the pipeline whose shaders read push constants, where the other one is bound.
    #[inline]
    pub(crate) fn bind_unmerged(&mut self) {
        if self.bound.recorded.merged.take().is_some() {
            self.stats.calls.made += 1;
            self.recorder.call(Call::Pipeline(self.bound.recorded.pipeline));
        }
    }

    /// Whether a call that has all draws of a run draws what one for each does, in their order.
    fn can_merge(&self, run: &Pending) -> bool {
        let (bound, raster) = (&self.bound, self.bound.key.raster);
        // An instance of all draws may come before the next one, and geometry shaders between the stages hand no number on.
        run.instances.0 == 1
            && bound.key.geometry == Key::NONE
            && !raster.line_quads()
            && !raster.rects()
            && bound.recorded.raster.is_some_and(|raster| raster.back_fill.is_none())
            && !bound.shading.stores
            && !self.feedback.is_native()
            && !self.feedback.lowering
    }

    fn merged_pipeline(&mut self) -> Option<vk::Pipeline> {
        let of = self.bound.key;
        let merged = match self.bound.merged {
            Some(merged) if merged.of == of => merged,
            _ => Merged { of, key: self.merged_key() },
        };
        self.bound.merged = Some(merged);
        let (key, pipelines, library) = (merged.key?, &mut self.programs.pipelines, &self.programs.library);
        match pipelines.get(&key) {
            Some(found) => found,
            None if pipelines.is_ready(&key) => pipelines.wait(&key, library),
            None => {
                pipelines.prepare(&key, library, Urgency::Likely);
                None
            }
        }
    }

    fn merged_key(&mut self) -> Option<Key> {
        let shading = &self.bound.shading;
        let own = shading.vertex.iter().flat_map(|vertex| &vertex.gives);
        let mut taken = own.chain(shading.pixel.iter().flat_map(|pixel| &pixel.varyings));
        if taken.any(|varying| varying.location == u32::from(varyings::DRAW)) {
            return None;
        }
        let of = self.bound.key;
        let library = &mut self.programs.library;
        let vertex = library.with_records(of.vertex)?;
        let pixel = if of.pixel == Key::NONE { Key::NONE } else { library.with_records(of.pixel)? };
        Some(Key { vertex, pixel, ..of })
    }

    /// Writes a record for each draw. `None` where nobody knows what the first ones have.
    fn write_records(&mut self, run: &Pending) -> Result<Option<Slice>> {
        let (current, completed) = (self.recorder.submissions.current, self.recorder.submissions.completed);
        let first = match run.blocks.first() {
            Some(block) if block.first == 0 => &block.words,
            _ => match &self.bound.recorded.push {
                Some(words) => words,
                None => return Ok(None),
            },
        };
        let mut records = self.memory.constants.alloc(run.len() * RECORD, RECORD as u64, current, completed)?;
        let (mut places, _) = records.bytes_mut().as_chunks_mut::<RECORD>();
        let mut words = first;
        let ends = run.blocks.iter().map(|block| block.first).chain([run.len()]);
        let mut blocks = run.blocks.iter();
        let mut at = 0;
        for end in ends {
            let (own, rest) = places.split_at_mut(end - at);
            own.iter_mut().for_each(|place| *place = bytemuck::cast(*words));
            (places, at) = (rest, end);
            words = blocks.next().map_or(words, |block| &block.words);
        }
        Ok(Some(records))
    }

    fn push_records(&mut self, address: u64) {
        const AT: usize = push::word(push::RECORDS);
        const { assert!(AT + 2 <= PUSH_LINES) };
        let mut words = PushWords::default();
        (words[AT], words[AT + 1]) = (address as u32, (address >> 32) as u32);
        if let Some(there) = &mut self.bound.recorded.push {
            there[AT..AT + 2].copy_from_slice(&words[AT..AT + 2]);
        }
        self.stats.calls.made += 1;
        self.push_words(PUSH_STAGES, &words[..AT + 2], AT);
    }
}
