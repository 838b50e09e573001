//! What lowered feedback needs.

use crate::device::memory::Buffer;
use crate::feedback::fetching::Fetching;
use crate::feedback::programs::Programs;
use crate::feedback::progress::Progress;
use afterimage_stream::FEEDBACK_BUFFERS;

/// Transform feedback without the device's help.
#[derive(Default)]
pub(crate) struct Lowered {
    /// Made when the first capture begins.
    pub(crate) programs: Option<Programs>,
    /// Bytes that the feedback that runs has in each buffer, while the host knows.
    pub(crate) bytes: Option<[u32; FEEDBACK_BUFFERS]>,
    /// The epoch of its last dispatch: in it others of its own need not wait, since each has a range of its own.
    pub(crate) epoch: u64,
    pub(crate) progress: Progress,
    pub(crate) fetching: Fetching,
    /// Primitives of a draw with restarts, for as long as it takes.
    pub(crate) list: Option<Buffer>,
    /// The epoch in which something reads the list or the counters: what prepares the next draw waits.
    pub(crate) held: u64,
}
