//! What the command buffer has of what draws need, and draws that wait to be recorded together.

use crate::pipeline::key::Key;
use crate::pipeline::raster::Raster;
use crate::resources::descriptors::{ImageKey, SlotKey};
use crate::state::dynamic::{DynamicBlend, DynamicRaster, DynamicTests};
use crate::state::vertices::{Bound, Indices};
use afterimage_abi::{SystemRegister, push};
use afterimage_stream::VERTEX_BUFFERS;
use afterimage_stream::packets::SetViewport;
use ash::vk;

/// The system block.
pub(crate) type SystemBlock = [[u32; 4]; SystemRegister::COUNT as usize];

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
    pub(crate) raster: Option<DynamicRaster>,
    pub(crate) tests: Option<DynamicTests>,
    pub(crate) blend: Option<DynamicBlend>,
    pub(crate) vertices: [Option<Bound>; VERTEX_BUFFERS],
    pub(crate) indices: Option<Indices>,
    pub(crate) push: Option<PushWords>,
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
}

/// Push constants of the draws of a run from one on.
#[derive(Clone, Copy)]
pub(crate) struct Block {
    pub(crate) first: usize,
    pub(crate) words: PushWords,
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
    pub(crate) fn clear(&mut self) {
        self.plain.clear();
        self.indexed.clear();
        self.blocks.clear();
    }

    /// Sets the push constants of the next draw.
    #[inline]
    pub(crate) fn set_push(&mut self, words: &PushWords) {
        let first = self.len();
        match self.blocks.last_mut() {
            Some(last) if last.first == first => last.words = *words,
            _ => self.blocks.push(Block { first, words: *words }),
        }
    }
}

/// Vertices that one draw may have over all instances: more than any program draws, less than hangs a GPU.
pub(crate) const MOST_VERTICES: u64 = 1 << 24;

/// Instances that a draw of `count` vertices may have.
#[inline]
pub(crate) fn instances(wanted: u32, count: u32) -> u32 {
    if wanted <= 1 { wanted } else { (u64::from(wanted)).min(MOST_VERTICES / u64::from(count.max(1))) as u32 }
}
