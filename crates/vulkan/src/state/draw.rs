//! What the command buffer has of what draws need, and draws that wait to be recorded together.

use crate::pipeline::key::Key;
use crate::pipeline::raster::Raster;
use crate::resources::descriptors::{ImageKey, SlotKey};
use crate::state::dynamic::DynamicBlend;
use crate::state::vertices::{Bound, Indices};
use afterimage_abi::push;
use afterimage_render::constants::SystemBlock;
use afterimage_render::dynamic::{DynamicTests, PackedRaster};
use afterimage_stream::VERTEX_BUFFERS;
use afterimage_stream::packets::{SetDepthBounds, SetViewport};
use ash::vk;

/// What the command buffer being recorded has. `None`, or a value that nothing equals, where it has nothing yet.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Recorded {
    /// What the pipeline was chosen by; back faces filled in another way have this for their part.
    pub(crate) key: Option<(Key, Option<Raster>)>,
    pub(crate) pipeline: vk::Pipeline,
    /// The one that is bound in its place, whose shaders read records.
    pub(crate) merged: Option<vk::Pipeline>,
    pub(crate) topology: Option<u32>,
    pub(crate) restart: Option<bool>,
    pub(crate) viewport: Option<SetViewport>,
    pub(crate) scissor: Option<vk::Rect2D>,
    /// Of viewports beside the first.
    pub(crate) viewports: Vec<SetViewport>,
    pub(crate) scissors: Vec<vk::Rect2D>,
    pub(crate) depth_bounds: Option<SetDepthBounds>,
    pub(crate) raster: Option<PackedRaster>,
    pub(crate) tests: Option<DynamicTests>,
    pub(crate) blend: Option<DynamicBlend>,
    pub(crate) vertices: [Option<Bound>; VERTEX_BUFFERS],
    pub(crate) indices: Option<Indices>,
    /// Push constants, as far as they were recorded for draws: see [`Bound::push_range`](crate::state::bound::Bound).
    pub(crate) push: PushWords,
    /// Push constants of lines made of triangles.
    pub(crate) lines: Option<[u32; 4]>,
    pub(crate) system: Option<SystemBlock>,
    pub(crate) slot_key: Option<SlotKey>,
    pub(crate) image_key: Option<ImageKey>,
    /// The layout that sets were last bound with.
    pub(crate) layout: vk::PipelineLayout,
    pub(crate) compute: crate::pipeline::compute::Recorded,
    pub(crate) descriptors_bound: bool,
    pub(crate) default_buffer_bound: bool,
}

impl Recorded {
    /// Whether a set of the slots profile is bound.
    pub(crate) fn has_slots(&self) -> bool {
        self.slot_key.is_some()
    }
}

/// A run of draws that are recorded together: what they need is equal but for push constants.
#[derive(Default)]
pub(crate) struct Pending {
    pub(crate) plain: Vec<vk::MultiDrawInfoEXT>,
    pub(crate) indexed: Vec<vk::MultiDrawIndexedInfoEXT>,
    /// Instances, and the first of them.
    pub(crate) instances: (u32, u32),
    /// Push constants that the command buffer does not have, in the order of the draws.
    pub(crate) blocks: Vec<Block>,
    /// Those of all blocks.
    words: Vec<u32>,
}

/// Push constants that are others from a draw of a run on.
#[derive(Clone, Copy)]
pub(crate) struct Block {
    pub(crate) draw: u32,
    /// The first word, and the one behind the last.
    pub(crate) range: (u16, u16),
    /// Where they are.
    at: u32,
}

/// The push constants of draws.
pub(crate) type PushWords = [u32; push::word(push::BYTES)];

impl Pending {
    /// Draws that wait.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.plain.len() + self.indexed.len()
    }

    /// Makes room for another run.
    #[inline]
    pub(crate) fn clear(&mut self) {
        self.plain.clear();
        self.indexed.clear();
        self.blocks.clear();
        self.words.clear();
    }

    /// Sets push constants of the next draw, all that are in a range of words.
    #[inline]
    pub(crate) fn set_push(&mut self, (mut first, mut end): (usize, usize), words: &PushWords) {
        let draw = self.len() as u32;
        if let Some(last) = self.blocks.pop_if(|last| last.draw == draw) {
            (first, end) = (first.min(last.range.0.into()), end.max(last.range.1.into()));
            self.words.truncate(last.at as usize);
        }
        self.blocks.push(Block { draw, range: (first as u16, end as u16), at: self.words.len() as u32 });
        self.words.extend_from_slice(&words[first..end]);
    }

    /// The words of a block.
    #[inline]
    pub(crate) fn words_of(&self, block: &Block) -> &[u32] {
        &self.words[block.at as usize..][..usize::from(block.range.1 - block.range.0)]
    }
}

/// The pipeline of a key whose shaders read records.
#[derive(Clone, Copy)]
pub(crate) struct Merged {
    /// The key of the pipeline whose shaders read push constants.
    pub(crate) of: Key,
    /// The other one's; none where shaders cannot read records.
    pub(crate) key: Option<Key>,
}

/// Vertices that one draw may have over all instances: more than any program draws, less than hangs a GPU.
pub(crate) const MOST_VERTICES: u64 = 1 << 24;

/// Instances that a draw of `count` vertices may have.
#[inline]
pub(crate) fn instances(wanted: u32, count: u32) -> u32 {
    if wanted <= 1 { wanted } else { (u64::from(wanted)).min(MOST_VERTICES / u64::from(count.max(1))) as u32 }
}
