//! Runs of draws that differ in push constants alone (other constants, other textures) as one call, whose draws find their constants and
//! textures in records ([`afterimage_abi::push`]).

use crate::commands::list::Call;
use crate::error::Result;
use crate::execute::draw::{list_multi, list_push};
use crate::memory::ring::Slice;
use crate::pipeline::key::Key;
use crate::renderer::Renderer;
use crate::state::draw::{Merged, PushWords};
use afterimage_abi::{push, varyings};
use afterimage_render::workers::Urgency;
use ash::vk;

/// Blocks of push constants from which on one call is worth another pipeline.
const SHORTEST: usize = 8;

/// Draws of one call. Where more have the same push constants, few records would be many times in memory.
const LONGEST: usize = 1024;

/// Bytes of a record.
const RECORD: usize = push::BYTES as usize;

/// Words of the push constants that have the address of records.
const RECORDS: (usize, usize) = (push::word(push::RECORDS), push::word(push::RECORDS) + 2);

impl Renderer {
    /// Records the run that waits as one call, and takes it. False where it must be recorded draw by draw, also until workers have made the
    /// pipeline for it.
    #[inline]
    pub(crate) fn record_merged(&mut self) -> bool {
        self.merges && self.bound.pending.blocks.len() >= SHORTEST && self.can_merge() && self.merge()
    }

    fn merge(&mut self) -> bool {
        let Some(pipeline) = self.merged_pipeline() else { return false };
        let (records, last) = match self.write_records() {
            Ok(written) => written,
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
        let Self { gpu, recorder, bound, stats, resources, .. } = self;
        let run = &mut bound.pending;
        recorder.merged_draws += run.len() as u64;
        let mut address = records.address;
        list_multi(gpu, recorder, run, 0..run.len(), |recorder, draws| {
            stats.calls.made += 1;
            let words = [address as u32, (address >> 32) as u32];
            list_push(gpu, recorder, resources.descriptors.plain.raw, RECORDS.0 as u16, &words);
            address += (draws * RECORD) as u64;
        });
        // What the next draw has is in the last record, and nothing of it was pushed; in the place of some there is an address.
        let ranges = run.blocks.iter().map(|block| (usize::from(block.range.0), usize::from(block.range.1)));
        let range = ranges.fold(RECORDS, |all, own| (all.0.min(own.0), all.1.max(own.1)));
        run.clear();
        run.set_push(range, &last);
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
    fn can_merge(&self) -> bool {
        let (bound, raster) = (&self.bound, self.bound.key.raster);
        // An instance of all draws may come before the next one, and geometry shaders between the stages hand no number on.
        bound.pending.instances.0 == 1
            && bound.pending.len() <= LONGEST
            && bound.key.geometry == Key::NONE
            && !raster.line_quads()
            && !raster.rects()
            && bound.recorded.raster.is_some_and(|raster| raster.back_fill().is_none())
            && bound.shading.pixel.as_ref().is_none_or(|pixel| pixel.corners.is_empty())
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

    /// Writes a record for each draw. The last one's words are returned, too.
    fn write_records(&mut self) -> Result<(Slice, PushWords)> {
        let (current, completed) = (self.recorder.submissions.current, self.recorder.submissions.completed);
        let run = &self.bound.pending;
        let mut records = self.memory.constants.alloc(run.len() * RECORD, RECORD as u64, current, completed)?;
        let mut words = self.bound.recorded.push;
        let (places, _) = records.bytes_mut().as_chunks_mut::<RECORD>();
        let mut blocks = run.blocks.iter().peekable();
        for (draw, place) in places.iter_mut().enumerate() {
            while let Some(block) = blocks.next_if(|block| block.draw as usize <= draw) {
                words[block.range.0.into()..block.range.1.into()].copy_from_slice(run.words_of(block));
            }
            *place = bytemuck::cast(words);
        }
        // That of a draw to come, for which the run does not wait.
        blocks.for_each(|block| {
            words[block.range.0.into()..block.range.1.into()].copy_from_slice(run.words_of(block));
        });
        Ok((records, words))
    }
}
