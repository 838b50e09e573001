//! Vertex and index buffers.

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
}

impl Buffer {
    pub(crate) fn is_index(&self) -> bool {
        self.format != D3DFMT_VERTEXDATA
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
