//! What can be wrong with a stream.

use crate::{Budget, Kind, ObjectId};

/// A packet that was rejected, and where it is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: packet {} (sequence {sequence}, byte {offset} of the batch): {cause}", kind.map_or("stream", Kind::name), index)]
pub struct StreamError {
    /// Number of the packet in the batch, from 0.
    pub index: usize,
    /// Byte offset of its header in the batch.
    pub offset: usize,
    /// Its sequence number as sent.
    pub sequence: u32,
    /// Its kind, where that could be read.
    pub kind: Option<Kind>,
    /// What is wrong.
    pub cause: Cause,
}

/// Why a packet was rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Cause {
    /// The batch ends inside of the packet.
    #[error("truncated: {wanted} words declared, {have} left; the sender must submit whole packets")]
    Truncated {
        /// Words the header declares.
        wanted: usize,
        /// Words left.
        have: usize,
    },
    /// No packet has this number.
    #[error("unknown packet kind {0:#06x}")]
    UnknownKind(u16),
    /// The header's size is not what body and count ask for.
    #[error("size of {have} words after the header, {wanted} expected")]
    WrongSize {
        /// Words expected after the header.
        wanted: usize,
        /// Words there.
        have: usize,
    },
    /// The sequence number does not follow the last one.
    #[error("sequence number does not follow {last}")]
    Sequence {
        /// The last good sequence number.
        last: u32,
    },
    /// A field names an object that does not live.
    #[error("field {field}: {id} does not exist")]
    Missing {
        /// Name of the field.
        field: &'static str,
        /// The id.
        id: ObjectId,
    },
    /// A field names an object of another kind.
    #[error("field {field}: {id} is of the wrong kind")]
    WrongKind {
        /// Name of the field.
        field: &'static str,
        /// The id.
        id: ObjectId,
    },
    /// An id is created a second time.
    #[error("field {field}: {id} exists already")]
    Exists {
        /// Name of the field.
        field: &'static str,
        /// The id.
        id: ObjectId,
    },
    /// The object is what another one is made of.
    #[error("field {field}: {id} has views, which must be destroyed first")]
    HasViews {
        /// Name of the field.
        field: &'static str,
        /// The id.
        id: ObjectId,
    },
    /// The object is written by transform feedback that runs.
    #[error("field {field}: {id} is written by transform feedback, which must end first")]
    WrittenByFeedback {
        /// Name of the field.
        field: &'static str,
        /// The id.
        id: ObjectId,
    },
    /// Transform feedback runs, or does not.
    #[error("transform feedback {}", if *.running { "runs: it must end first" } else { "must begin first" })]
    Feedback {
        /// Whether it runs.
        running: bool,
    },
    /// An upload reference leaves the arena.
    #[error("field {field}: {size} bytes at {offset} of arena slot {slot} are out of range")]
    UploadRange {
        /// Name of the field.
        field: &'static str,
        /// Arena slot.
        slot: u32,
        /// Bytes.
        size: u64,
        /// First byte.
        offset: u64,
    },
    /// A number is out of its range.
    #[error("field {field}: {value} is out of range (limit {limit})")]
    Range {
        /// Name of the field.
        field: &'static str,
        /// The value sent.
        value: u64,
        /// The largest (or only) value allowed.
        limit: u64,
    },
    /// [`crate::packets::Present`] with another number than the frame that began, or without one.
    #[error("frame {frame} presented, but frame {open:?} is open")]
    FrameMismatch {
        /// Number in the packet.
        frame: u64,
        /// Number of the frame that began.
        open: Option<u64>,
    },
    /// The stream was made for another version of the packets.
    #[error(
        "stream version {have}, this build reads version {wanted}: use matching builds of the library and the viewer"
    )]
    Version {
        /// The sender's.
        have: u32,
        /// Ours.
        wanted: u32,
    },
    /// The stream asks for more than it may have: the packet is dropped, the stream goes on.
    #[error("{}{asked} {} asked for, the budget for {} ({}) is {limit}",
        if id.is_none() { String::new() } else { format!("{id}: ") }, budget.row().unit, budget.row().name, budget.row().span)]
    Budget {
        /// What there is too much of.
        budget: Budget,
        /// The object that it is for, if it is for one.
        id: ObjectId,
        /// How much there would be.
        asked: u64,
        /// How much there may be.
        limit: u64,
    },
}
