//! The replay hash: one number for all that a frame asks to be drawn.

use crate::packets::{Packet, SetIndexBuffer, VertexBuffer};
use crate::{Arena, Kind, Located, ObjectId, ObjectKind};
use xxhash_rust::xxh3::Xxh3;

/// Bytes of upload data that are hashed at a time.
const PIECE: usize = 64 << 10;

/// Hashes packets as they pass. Two frames with equal hashes asked for the same work on the same data; the sequence
/// numbers and the frame number are left out, so that the same frame hashes the same wherever it stands.
///
/// Upload data counts by its content, not by its place in the arena.
#[derive(Default)]
pub struct ReplayHash {
    state: Xxh3,
}

impl ReplayHash {
    /// Adds a packet and the upload data it refers to.
    pub fn packet(&mut self, located: &Located<'_>, batch: &[u64], arena: &dyn Arena) {
        let words = &batch[located.at + 1..located.at + usize::from(located.header.units)];
        self.state.update(&(located.packet.kind() as u16).to_le_bytes());
        match located.packet {
            Packet::SetVertexBuffers(body, bindings) => {
                self.state.update(bytemuck::bytes_of(body));
                for binding in bindings {
                    let place = Self::place(binding.source, binding.offset);
                    self.state.update(bytemuck::bytes_of(&VertexBuffer {
                        source: place.0,
                        offset: place.1,
                        ..*binding
                    }));
                }
            }
            Packet::SetIndexBuffer(body) => {
                let place = Self::place(body.source, body.offset);
                self.state.update(bytemuck::bytes_of(&SetIndexBuffer { source: place.0, offset: place.1, ..*body }));
            }
            _ => {
                let words = match located.packet.kind() {
                    Kind::BeginFrame | Kind::StateFigures => &[],
                    Kind::Present => &words[1..],
                    // Where data lies says nothing.
                    _ if located.packet.data().is_some() => &words[..words.len() - Packet::DATA_WORDS],
                    _ => words,
                };
                self.state.update(bytemuck::cast_slice(words));
            }
        }
        let mut piece = Vec::new();
        located.packet.uploads(arena, |range| {
            let mut at = 0;
            while at < range.size {
                piece.resize((range.size - at).min(PIECE as u32) as usize, 0);
                if !arena.copy_out(&range, at, &mut piece) {
                    return;
                }
                self.data(&piece);
                at += piece.len() as u32;
            }
        });
    }

    /// A source and its offset; for upload data neither says anything.
    fn place(source: ObjectId, offset: u64) -> (ObjectId, u64) {
        match source.kind() {
            Some(ObjectKind::Upload) => (ObjectId::new(ObjectKind::Upload, 0), 0),
            _ => (source, offset),
        }
    }

    fn data(&mut self, bytes: &[u8]) {
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
