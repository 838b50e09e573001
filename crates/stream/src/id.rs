//! Object ids: `(kind << 24) | serial`, handed out per kind, reused only when both sides have let go.

use bytemuck::{Pod, Zeroable};
use std::collections::VecDeque;
use std::fmt;

/// What an [`ObjectId`] names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum ObjectKind {
    /// A linear buffer: vertices, indices, later storage.
    Buffer = 1,
    /// A texture or render target of any dimension.
    Texture = 2,
    /// A sampler description.
    Sampler = 3,
    /// A shader in the guest's own code.
    Shader = 4,
    /// A vertex input layout.
    VertexInput = 5,
    /// A query.
    Query = 6,
    /// A present target: a window or a headless picture sink.
    Target = 7,
    /// A table of textures and samplers.
    Table = 8,
    /// Not an object: the serial is an upload arena slot. Used where a binding may name a buffer or fresh upload data.
    Upload = 0xff,
}

impl ObjectKind {
    /// Every kind that is created and destroyed by packets.
    pub const OBJECTS: [Self; 8] = [
        Self::Buffer,
        Self::Texture,
        Self::Sampler,
        Self::Shader,
        Self::VertexInput,
        Self::Query,
        Self::Target,
        Self::Table,
    ];
    /// Places of an array by kind.
    pub(crate) const PLACES: usize = 16;

    /// Its place in an array by kind.
    pub(crate) const fn place(self) -> usize {
        self as usize & (Self::PLACES - 1)
    }

    /// The kind with this number.
    #[must_use]
    pub const fn from_bits(bits: u8) -> Option<Self> {
        Some(match bits {
            1 => Self::Buffer,
            2 => Self::Texture,
            3 => Self::Sampler,
            4 => Self::Shader,
            5 => Self::VertexInput,
            6 => Self::Query,
            7 => Self::Target,
            8 => Self::Table,
            0xff => Self::Upload,
            _ => return None,
        })
    }
}

/// Names one object in the stream. The zero id is "none".
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Pod, Zeroable)]
#[repr(transparent)]
pub struct ObjectId(pub u32);

impl ObjectId {
    /// No object.
    pub const NONE: Self = Self(0);
    /// Serials are 24 bits wide.
    pub const MAX_SERIAL: u32 = 0x00ff_ffff;

    /// Puts an id together; the serial is masked to 24 bits.
    #[must_use]
    pub const fn new(kind: ObjectKind, serial: u32) -> Self {
        Self(((kind as u32) << 24) | (serial & Self::MAX_SERIAL))
    }

    /// The kind, or `None` if the kind bits name none.
    #[must_use]
    pub const fn kind(self) -> Option<ObjectKind> {
        ObjectKind::from_bits((self.0 >> 24) as u8)
    }

    /// The serial within the kind.
    #[must_use]
    pub const fn serial(self) -> u32 {
        self.0 & Self::MAX_SERIAL
    }

    /// Whether this is [`ObjectId::NONE`].
    #[must_use]
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }
}

impl fmt::Debug for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind() {
            _ if self.is_none() => f.write_str("none"),
            Some(kind) => write!(f, "{kind:?}#{}", self.serial()),
            None => write!(f, "id {:#010x}", self.0),
        }
    }
}

/// Hands out the ids of one guest. A freed id waits until the frame in which it was destroyed has completed on the
/// receiving side, so a late reply can never meet a new object under an old name.
#[derive(Debug, Default)]
pub struct IdAllocator {
    next: [u32; ObjectKind::PLACES],
    reusable: [Vec<u32>; ObjectKind::PLACES],
    waiting: VecDeque<(u64, ObjectId)>,
}

impl IdAllocator {
    /// A fresh id of `kind`, or `None` when all 2^24 - 1 serials are alive or waiting.
    pub fn allocate(&mut self, kind: ObjectKind) -> Option<ObjectId> {
        let slot = kind.place();
        if let Some(serial) = self.reusable[slot].pop() {
            return Some(ObjectId::new(kind, serial));
        }
        if self.next[slot] == ObjectId::MAX_SERIAL {
            return None;
        }
        self.next[slot] += 1;
        Some(ObjectId::new(kind, self.next[slot]))
    }

    /// The guest destroyed `id` during `frame`.
    pub fn free(&mut self, id: ObjectId, frame: u64) {
        self.waiting.push_back((frame, id));
    }

    /// The receiver has completed every frame up to and including `frame`.
    pub fn completed(&mut self, frame: u64) {
        while let Some(&(freed_in, id)) = self.waiting.front()
            && freed_in <= frame
        {
            self.waiting.pop_front();
            if let Some(kind) = id.kind() {
                self.reusable[kind.place()].push(id.serial());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_reused_only_after_its_frame_completed() {
        let mut ids = IdAllocator::default();
        let a = ids.allocate(ObjectKind::Texture).unwrap();
        assert_eq!((a.kind(), a.serial()), (Some(ObjectKind::Texture), 1));
        ids.free(a, 5);
        ids.completed(4);
        assert_eq!(ids.allocate(ObjectKind::Texture).unwrap().serial(), 2);
        ids.completed(5);
        assert_eq!(ids.allocate(ObjectKind::Texture).unwrap(), a);
    }

    #[test]
    fn a_long_session_makes_more_objects_than_there_are_serials() {
        let mut ids = IdAllocator::default();
        let kept = ids.allocate(ObjectKind::Buffer).unwrap();
        let mut largest = 0;
        for frame in 0..(ObjectId::MAX_SERIAL / 100 + 1000).into() {
            for _ in 0..100 {
                let id = ids.allocate(ObjectKind::Buffer).unwrap();
                assert_ne!(id, kept);
                largest = largest.max(id.serial());
                ids.free(id, frame);
            }
            // The receiver is two frames behind.
            ids.completed(u64::saturating_sub(frame, 2));
        }
        assert_eq!(largest, 1 + 300, "three frames' objects wait at most");
    }

    #[test]
    fn no_id_is_given_out_when_all_are_alive_and_one_that_dies_is_enough() {
        let mut ids = IdAllocator::default();
        let mut last = ObjectId::NONE;
        for _ in 0..ObjectId::MAX_SERIAL {
            last = ids.allocate(ObjectKind::Shader).unwrap();
        }
        assert_eq!((last.serial(), ids.allocate(ObjectKind::Shader)), (ObjectId::MAX_SERIAL, None));
        assert!(ids.allocate(ObjectKind::Query).is_some(), "other kinds have serials of their own");
        ids.free(last, 9);
        assert_eq!(ids.allocate(ObjectKind::Shader), None);
        ids.completed(9);
        assert_eq!(ids.allocate(ObjectKind::Shader), Some(last));
    }
}
