//! Which buffers lowered feedback reads and writes.

use crate::feedback::{FeedbackDraw, Numbers};
use afterimage_stream::ObjectId;
use smallvec::SmallVec;

/// What a draw reads beside its blocks.
#[derive(Default)]
pub(crate) struct Accesses {
    pub(crate) buffers: SmallVec<[ObjectId; 16]>,
    pub(crate) textures: SmallVec<[ObjectId; 4]>,
}

impl Accesses {
    pub(crate) fn of(call: &FeedbackDraw) -> Self {
        let mut accesses = Self::default();
        accesses.buffers.extend(call.indices.map(|indices| indices.range.id).filter(|id| !id.is_none()));
        if let Numbers::Indirect(range) = call.numbers
            && !range.id.is_none()
        {
            accesses.buffers.push(range.id);
        }
        accesses
    }
}
