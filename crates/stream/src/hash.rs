//! The replay hash: one number for all that a frame asks to be drawn.

use crate::{Kind, Located};
use xxhash_rust::xxh3::Xxh3;

/// Hashes packets as they pass. Two frames with equal hashes asked for the same work on the same data; the sequence
/// numbers and the frame number are left out, so that the same frame hashes the same wherever it stands.
///
/// Upload references are hashed by their content through [`ReplayHash::data`], not by their place in the arena.
#[derive(Default)]
pub struct ReplayHash {
    state: Xxh3,
}

impl ReplayHash {
    /// Adds a packet: its kind and every word of its body and tail except for frame numbers and upload references.
    pub fn packet(&mut self, located: &Located<'_>, batch: &[u64]) {
        let kind = located.packet.kind();
        let words = &batch[located.at + 1..located.at + usize::from(located.header.units)];
        // The words at the end of these bodies are where the data lay, which says nothing about the picture.
        let place = match kind {
            Kind::UpdateBuffer | Kind::UpdateTexture | Kind::CreateShader | Kind::ReadBack => 2,
            _ => 0,
        };
        let words = match kind {
            Kind::BeginFrame => &[],
            Kind::Present => &words[1..],
            _ => &words[..words.len() - place],
        };
        self.state.update(&(kind as u16).to_le_bytes());
        self.state.update(bytemuck::cast_slice(words));
    }

    /// Adds uploaded bytes.
    pub fn data(&mut self, bytes: &[u8]) {
        self.state.update(bytes);
    }

    /// The hash of what was added, and a new start.
    pub fn finish(&mut self) -> u64 {
        let hash = self.state.digest();
        self.state.reset();
        hash
    }
}

impl std::fmt::Debug for ReplayHash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ReplayHash").field("so_far", &self.state.digest()).finish()
    }
}
