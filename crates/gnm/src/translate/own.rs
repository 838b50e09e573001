//! Buffers of the host's, which stand for no guest memory: lists and rings of what runs in front of a draw.

use super::Translator;
use afterimage_stream::packets::*;
use afterimage_stream::{ObjectId, ObjectKind, Port, PortError};

/// Bytes that a buffer has at least.
const LEAST_BYTES: u64 = 64 << 10;
/// Bytes that are written or read back at once.
const AT_ONCE: usize = 16 << 20;

/// What a buffer is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// Vertices that export shaders, and passes that capture, run for.
    Vertices,
    /// Primitives that geometry shaders run for.
    Primitives,
    /// The ring between export and geometry shaders.
    Inputs,
    /// The ring behind geometry shaders.
    Outputs,
    /// What geometry shaders say of their vertices.
    Log,
    /// The data share of local, hull and domain programs, or of on-chip geometry shaders.
    Share,
    /// Vertices of patches.
    Corners,
    /// Points that the tessellator made.
    Points,
    /// Indices of what a geometry shader put out: how many there are in front of each lane and of each group, the indices, and the draw.
    EmittedOfLanes,
    EmittedOfGroups,
    EmittedIndices,
    EmittedArguments,
    /// The global data share.
    GlobalShare,
}

/// A buffer that grows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Own {
    pub(super) id: ObjectId,
    pub(super) size: u64,
}

impl Default for Own {
    fn default() -> Self {
        Self { id: ObjectId::NONE, size: 0 }
    }
}

/// The buffers, by what they are for.
#[derive(Debug, Default)]
pub(super) struct Owned([Own; Use::GlobalShare as usize + 1]);

impl Owned {
    /// The receiver is gone.
    pub(super) fn forget(&mut self, port: &mut Port) {
        let owned = std::mem::take(self).0.into_iter().filter(|own| own.id != ObjectId::NONE);
        owned.for_each(|own| port.recycle(own.id));
    }

    /// A buffer as it is.
    pub(super) fn get(&self, what: Use) -> Own {
        self.0[what as usize]
    }
}

impl Translator {
    /// A buffer of at least a size. What was in it is lost if it has to grow.
    pub(super) fn own_buffer(&mut self, what: Use, wanted: u64) -> Result<ObjectId, PortError> {
        let own = &mut self.owned.0[what as usize];
        if own.size >= wanted && own.id != ObjectId::NONE {
            return Ok(own.id);
        }
        let old = std::mem::take(own);
        if old.id != ObjectId::NONE {
            self.destroy_buffer(old.id);
        }
        let size = wanted.max(LEAST_BYTES).next_power_of_two();
        let id = self.port.allocate(ObjectKind::Buffer)?;
        let indices = if what == Use::EmittedIndices { CreateBuffer::INDEX } else { 0 };
        self.port.push(&CreateBuffer { id, usage: CreateBuffer::STORAGE | indices, size });
        self.owned.0[what as usize] = Own { id, size };
        Ok(id)
    }

    /// A buffer with these bytes at its begin.
    pub(super) fn own_bytes(&mut self, what: Use, bytes: &[u8]) -> Result<StorageBinding, PortError> {
        let size = bytes.len() as u64;
        let id = self.own_buffer(what, size)?;
        for (part, bytes) in bytes.chunks(AT_ONCE).enumerate() {
            let data = self.port.upload_bytes(bytes)?;
            self.port.push(&UpdateBuffer { id, flags: 0, offset: (part * AT_ONCE) as u64, data });
        }
        Ok(StorageBinding { buffer: id, word: 0, offset: 0, size })
    }

    /// Waits for bytes that a buffer has from an offset on.
    pub(super) fn read_buffer(&mut self, id: ObjectId, offset: u64, bytes: &mut [u8]) -> Result<(), PortError> {
        for (part, bytes) in bytes.chunks_mut(AT_ONCE).enumerate() {
            let data = self.port.upload(bytes.len() as u32, 16)?;
            let token = self.port.token();
            self.port.push(&ReadBuffer { id, pad: 0, offset: offset + (part * AT_ONCE) as u64, token, data });
            if self.port.wait(token)? == 0 {
                return Err(PortError::Token(token));
            }
            self.port.read(&data, 0, bytes);
        }
        Ok(())
    }
}
