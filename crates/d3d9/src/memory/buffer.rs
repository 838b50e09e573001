//! Vertex and index buffers.

use super::titled;
use afterimage_d3d9_types::*;
use afterimage_ipc::store::Store;
use afterimage_stream::ObjectId;

/// A vertex or index buffer with its bytes in this process.
#[derive(Debug)]
pub(crate) struct Buffer {
    /// Its object in the stream.
    pub(crate) id: ObjectId,
    /// `D3DFMT_VERTEXDATA`, `D3DFMT_INDEX16` or `D3DFMT_INDEX32`.
    pub(crate) format: D3DFORMAT,
    pub(crate) usage: u32,
    pub(crate) pool: D3DPOOL,
    pub(crate) fvf: u32,
    pub(crate) bytes: Store,
    /// Nested locks, the range that they cover so far, and whether it was written.
    pub(crate) locks: u32,
    pub(crate) written: std::ops::Range<u32>,
    /// `UpdateBuffer` flags of the locks.
    pub(crate) update: u32,
    /// Whether a program has ever locked it: until then no bytes need to be sent.
    pub(crate) filled: bool,
    /// The receiver's object can be captured into, and read.
    pub(crate) storage: bool,
    /// Around the bytes that the GPU has written and that are others here.
    pub(crate) newer: std::ops::Range<u32>,
    /// How often vertices have been processed into it since the program last looked at its bytes.
    pub(crate) unseen: u8,
    /// What the program calls it.
    pub(crate) name: Option<Box<str>>,
}

impl Buffer {
    pub(crate) fn is_index(&self) -> bool {
        self.format != D3DFMT_VERTEXDATA
    }

    /// What it is in a few words, for captures: as [`Image::title`](super::Image::title).
    pub(crate) fn title(&self) -> String {
        let pool = name_of("D3DPOOL", self.pool).unwrap_or("?");
        let kind = if self.is_index() { "index" } else { "vertex" };
        titled(self.name.as_deref(), format!("{kind} buffer, {pool}"))
    }

    pub(crate) fn size(&self) -> u32 {
        self.bytes.len() as u32
    }

    /// Bytes of an index; 0 for vertices.
    pub(crate) fn index_bytes(&self) -> u32 {
        match self.format {
            D3DFMT_INDEX16 => 2,
            D3DFMT_INDEX32 => 4,
            _ => 0,
        }
    }
}
