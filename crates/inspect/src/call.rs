//! Calls: the packets that do something, and what is told by them: frames, moments.

use afterimage_stream::{CallKind, Kind};
use std::fmt;

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

/// When something happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Moment {
    /// In the keyframe, or before the first frame: it was there.
    Keyframe,
    /// Before the call of this number.
    Before(u64),
}

impl Moment {
    pub(crate) fn at(keyframe: bool, next: u64) -> Self {
        if keyframe { Self::Keyframe } else { Self::Before(next) }
    }

    /// Whether it happened before a call.
    #[must_use]
    pub fn is_before(self, call: u64) -> bool {
        match self {
            Self::Keyframe => true,
            Self::Before(next) => next <= call,
        }
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Keyframe => f.write_str("keyframe"),
            Self::Before(call) => write!(f, "before call {call}"),
        }
    }
}
