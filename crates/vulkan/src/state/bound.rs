//! What is bound for the next draw or dispatch, and what the command buffer has of it.

use crate::memory::ring::Slice;
use crate::pipeline::compute::Computing;
use crate::pipeline::key::Key;
use crate::pipeline::raster::Raster;
use crate::state::draw::{Merged, Pending, PushWords, Recorded};
use crate::state::targets::Targets;
use crate::state::variants::Shading;
use crate::state::vertices::Input;
use afterimage_abi::push;
use afterimage_state::Tracked;
use afterimage_stream::{Host, VERTEX_BUFFERS};
use ash::vk;

/// What the guest's state comes to for Vulkan: each part is what one group of states was applied to.
pub(crate) struct Bound {
    pub(crate) targets: Targets,
    pub(crate) recorded: Recorded,
    pub(crate) shading: Shading,
    pub(crate) key: Key,
    /// The part of the key of back faces, where they are filled in another way and how is in the pipeline.
    pub(crate) back_raster: Option<Raster>,
    /// What is dispatched.
    pub(crate) computing: Computing,
    /// What the last draw said.
    pub(crate) topology: Tracked<u32, Host>,
    /// Whether the depth-stencil target is smaller than a colour target, and put aside.
    pub(crate) small_depth: bool,
    pub(crate) depth_aside: bool,
    pub(crate) pending: Pending,
    /// What runs were last drawn with in one call.
    pub(crate) merged: Option<Merged>,
    /// Whether draws are drawn in two parts, and which one is being drawn: see [`crate::execute::signed_blend`].
    pub(crate) in_parts: bool,
    /// The bound shaders look up what they draw to.
    pub(crate) reads_target: bool,
    pub(crate) second_part: Tracked<bool, Host>,
    /// The pipeline for back faces, where there is one.
    pub(crate) back_pipeline: vk::Pipeline,
    /// Where the constants of each stage lie.
    pub(crate) blocks: [Option<Slice>; 3],
    pub(crate) push: PushWords,
    /// Words of `push` that the draws so far do not have: first and end.
    pub(crate) push_range: (usize, usize),
    /// Where uploaded vertices and indices of the current bindings lie.
    pub(crate) vertex_uploads: [Option<(vk::Buffer, u64, u64)>; VERTEX_BUFFERS],
    pub(crate) index_upload: Option<(vk::Buffer, u64, u64)>,
    /// Indices in the bound index buffer.
    pub(crate) index_limit: u32,
    /// Vertices that a draw can read.
    pub(crate) vertex_limit: u32,
    /// Vertices from where the command buffer has the vertex buffer to where it is bound.
    pub(crate) vertex_base: u32,
    /// What draws read of the vertex layout.
    pub(crate) input: Input,
}

/// Every word of push constants.
pub(crate) const ALL_PUSH_WORDS: (usize, usize) = (0, push::word(push::BYTES));

impl Default for Bound {
    fn default() -> Self {
        Self {
            targets: Targets::default(),
            recorded: Recorded::default(),
            shading: Shading::default(),
            key: Key::EMPTY,
            back_raster: None,
            computing: Computing::default(),
            topology: Tracked::new(Host::TOPOLOGY.only(), 0),
            small_depth: false,
            depth_aside: false,
            pending: Pending::default(),
            merged: None,
            in_parts: false,
            reads_target: false,
            second_part: Tracked::new(Host::SECOND_PART.only(), false),
            back_pipeline: vk::Pipeline::null(),
            blocks: [const { None }; 3],
            push: PushWords::default(),
            push_range: ALL_PUSH_WORDS,
            vertex_uploads: [None; VERTEX_BUFFERS],
            index_upload: None,
            index_limit: 0,
            vertex_limit: 0,
            vertex_base: 0,
            input: Input::default(),
        }
    }
}

impl Bound {
    /// Nothing is bound any more. What the command buffer has stays known.
    pub(crate) fn unbind(&mut self) {
        self.targets = Targets::default();
        self.shading = Shading::default();
        (self.key, self.merged) = (Key::EMPTY, None);
        (self.computing, self.blocks) = (Computing::default(), [const { None }; 3]);
        (self.in_parts, self.small_depth, self.depth_aside) = (false, false, false);
        self.reads_target = false;
        (self.vertex_uploads, self.index_upload) = ([None; VERTEX_BUFFERS], None);
        (self.index_limit, self.vertex_limit, self.input) = (0, 0, Input::default());
    }
}
