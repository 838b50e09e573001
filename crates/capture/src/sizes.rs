//! How large the parts of a capture are.

use crate::chunk::{TAGS, Tag};

/// Chunks of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChunkSizes {
    /// How many.
    pub count: u64,
    /// Bytes in the file, with headers.
    pub stored: u64,
    /// Bytes unpacked, without headers.
    pub raw: u64,
}

/// What a reader has read of a capture, by kind; chunks that are damaged do not count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    chunks: [ChunkSizes; TAGS.len()],
    /// Pieces of data that are stored.
    pub blobs: u64,
    /// Their bytes, unpacked.
    pub blob_bytes: u64,
    /// Times that packets refer to a piece of data.
    pub places: u64,
    /// Bytes that they refer to: what is more than [`Sizes::blob_bytes`] was there already.
    pub placed_bytes: u64,
    /// Bytes of packets.
    pub packet_bytes: u64,
}

impl Sizes {
    /// Every kind of chunk by its tag, such as `FRAM`.
    pub fn chunks(&self) -> impl Iterator<Item = (&'static str, ChunkSizes)> {
        TAGS.iter().zip(self.chunks).map(|((_, name), sizes)| (std::str::from_utf8(name).unwrap_or(""), sizes))
    }

    pub(crate) fn chunk(&mut self, tag: Tag, stored: u64, raw: usize) {
        let place = TAGS.iter().position(|(other, _)| *other == tag);
        if let Some(sizes) = place.and_then(|place| self.chunks.get_mut(place)) {
            sizes.count += 1;
            sizes.stored += stored;
            sizes.raw += raw as u64;
        }
    }
}
