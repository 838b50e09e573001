//! Transform feedback: what is captured, and where it goes.

pub(crate) mod arguments;
pub(crate) mod bind;
pub(crate) mod fetching;
pub(crate) mod lowered;
pub(crate) mod native;
pub(crate) mod programs;
pub(crate) mod progress;

use crate::feedback::arguments::Arguments;
use crate::feedback::lowered::Lowered;
use crate::feedback::native::Native;
use afterimage_shader::feedback::table;
use afterimage_shader::feedback::table::{Provoking, Row};
use afterimage_state::Tracked;
use afterimage_stream::packets::Topology;
use afterimage_stream::{FEEDBACK_BUFFERS, Host, ObjectId};
use ash::vk;

/// A range of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    /// The stream's buffer; none for memory of the renderer, or of uploads.
    pub(crate) id: ObjectId,
    pub(crate) buffer: vk::Buffer,
    pub(crate) offset: u64,
    /// Bytes.
    pub(crate) size: u64,
    /// Device address of the first byte.
    pub(crate) address: u64,
}

/// By number of the feedback buffer.
pub(crate) type Ranges = [Option<Range>; FEEDBACK_BUFFERS];

/// The indices of a captured draw.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Indices {
    /// From the first index on, as far as there are any.
    pub(crate) range: Range,
    /// 1, 2 or 4.
    pub(crate) bytes: u32,
    /// Whether the greatest index begins a new run.
    pub(crate) restart: bool,
}

/// Where the numbers of a captured draw are.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Numbers {
    /// Here, already limited to what a draw may have.
    Direct {
        /// First vertex, or first index.
        first: u32,
        /// Vertices, or indices, of which there are as many.
        count: u32,
        /// Added to every index.
        vertex_offset: u32,
        instances: u32,
        first_instance: u32,
    },
    /// A `VkDrawIndirectCommand` (`VkDrawIndexedIndirectCommand` where there are indices) that [`arguments`] wrote, limited likewise. Draws of
    /// byte counts are these, too.
    Indirect(Range),
}

/// A draw whose vertices are captured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FeedbackDraw {
    pub(crate) row: &'static Row,
    pub(crate) provoking: Provoking,
    pub(crate) numbers: Numbers,
    pub(crate) indices: Option<Indices>,
}

/// What a renderer has of feedback.
pub(crate) struct Feedback {
    /// Whether feedback runs.
    pub(crate) active: Tracked<bool, Host>,
    /// The buffers that what runs writes.
    pub(crate) running: Option<Ranges>,
    /// Whether each draw must be captured by [`lowered`].
    pub(crate) lowering: bool,
    /// With hardware; else all is lowered.
    pub(crate) native: Option<Native>,
    pub(crate) lowered: Lowered,
    pub(crate) arguments: Arguments,
}

impl Feedback {
    pub(crate) fn new(gpu: &std::sync::Arc<crate::Gpu>) -> Self {
        Self {
            active: Tracked::new(Host::FEEDBACK.only(), false),
            running: None,
            lowering: false,
            native: Native::new(gpu),
            lowered: Lowered::default(),
            arguments: Arguments::default(),
        }
    }

    /// What ran is over, as everything of its stream is.
    pub(crate) fn stop(&mut self) {
        (self.running, self.lowering) = (None, false);
        self.active = Tracked::new(Host::FEEDBACK.only(), false);
    }

    /// Whether feedback runs that the device does itself.
    pub(crate) fn is_native(&self) -> bool {
        *self.active && self.native.is_some()
    }
}

/// The row of a topology in the table of what is captured. None for those that only hosts have, which are not captured.
pub(crate) fn row(topology: Topology) -> Option<&'static Row> {
    match topology {
        Topology::RectList => None,
        other => table::row(crate::pipeline::raster::topology(other).as_raw() as u32),
    }
}
