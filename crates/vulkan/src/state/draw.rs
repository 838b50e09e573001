//! What the command buffer has of what draws need, and draws that wait to be recorded together.

use crate::pipeline::key::Key;
use crate::pipeline::raster::Raster;
use crate::resources::descriptors::{ImageKey, SlotKey};
use crate::state::dynamic::{DynamicBlend, DynamicRaster, DynamicTests};
use crate::state::vertices::{Bound, Indices};
use afterimage_abi::SystemRegister;
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
    pub(crate) topology: Option<u32>,
    pub(crate) restart: Option<bool>,
    pub(crate) viewport: Option<SetViewport>,
    pub(crate) scissor: Option<vk::Rect2D>,
    pub(crate) raster: Option<DynamicRaster>,
    pub(crate) tests: Option<DynamicTests>,
    pub(crate) blend: Option<DynamicBlend>,
    pub(crate) vertices: [Option<Bound>; VERTEX_BUFFERS],
    pub(crate) indices: Option<Indices>,
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

/// Draws with equal state that are recorded together.
#[derive(Default)]
pub(crate) struct Pending {
    pub(crate) plain: Vec<vk::MultiDrawInfoEXT>,
    pub(crate) indexed: Vec<vk::MultiDrawIndexedInfoEXT>,
    /// Instances, and the first of them.
    pub(crate) instances: (u32, u32),
}

/// Vertices that one draw may have over all instances: more than any program draws, less than hangs a GPU.
pub(crate) const MOST_VERTICES: u64 = 1 << 24;

/// Instances that a draw of `count` vertices may have.
#[inline]
pub(crate) fn instances(wanted: u32, count: u32) -> u32 {
    if wanted <= 1 { wanted } else { (u64::from(wanted)).min(MOST_VERTICES / u64::from(count.max(1))) as u32 }
}
