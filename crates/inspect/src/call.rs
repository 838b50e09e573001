//! Calls: the packets that do something.

use afterimage_stream::{CallKind, Kind};

/// Where a packet is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// Number of the batch, from 0; those of the keyframe count.
    pub batch: u32,
    /// Word of the packet's header in it.
    pub word: u32,
}

/// A packet that does something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// Number in the capture, from 0.
    pub number: u64,
    /// The guest's number of the frame it belongs to.
    pub frame: u64,
    /// Number in the frame, from 0.
    pub in_frame: u64,
    /// What it does.
    pub kind: CallKind,
    /// Which packet it is.
    pub packet: Kind,
    /// Sequence number of the packet.
    pub sequence: u32,
    /// Where the packet is.
    pub place: Place,
}

/// A frame of a capture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The guest's number.
    pub number: u64,
    /// Its calls.
    pub calls: std::ops::Range<u64>,
    /// Where its `BeginFrame` is.
    pub place: Place,
    /// Whether its end is in the capture.
    pub complete: bool,
}
