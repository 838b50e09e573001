//! Vertex and index buffers: creation, and how their bytes get to the receiver.

use super::Device;
use crate::error::{Error, Result};
use crate::handle::BufferId;
use crate::memory::Buffer;
use afterimage_d3d9_types::*;
use afterimage_ipc::store::Store;
use afterimage_stream::ObjectKind;
use afterimage_stream::packets::{CreateBuffer, UpdateBuffer};

/// Largest buffer: what the stream takes.
const MAX_BUFFER: u32 = 1 << 30;

impl Device {
    /// `CreateVertexBuffer`.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] for no bytes or a pool that cannot be.
    pub fn create_vertex_buffer(&mut self, length: u32, usage: u32, fvf: u32, pool: D3DPOOL) -> Result<BufferId> {
        self.create_buffer(length, usage, fvf, D3DFMT_VERTEXDATA, pool)
    }

    /// `CreateIndexBuffer`.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] for no bytes, a format that is no index format, or a pool that cannot be.
    pub fn create_index_buffer(
        &mut self,
        length: u32,
        usage: u32,
        format: D3DFORMAT,
        pool: D3DPOOL,
    ) -> Result<BufferId> {
        if !matches!(format, D3DFMT_INDEX16 | D3DFMT_INDEX32) {
            return Err(Error::InvalidCall);
        }
        self.create_buffer(length, usage, 0, format, pool)
    }

    fn create_buffer(
        &mut self,
        length: u32,
        usage: u32,
        fvf: u32,
        format: D3DFORMAT,
        pool: D3DPOOL,
    ) -> Result<BufferId> {
        let pool_fits = match pool {
            D3DPOOL_DEFAULT | D3DPOOL_SYSTEMMEM => true,
            D3DPOOL_MANAGED => usage & D3DUSAGE_DYNAMIC == 0 && !self.extended,
            _ => false,
        };
        let usage_fits = usage & (D3DUSAGE_RENDERTARGET | D3DUSAGE_DEPTHSTENCIL | D3DUSAGE_AUTOGENMIPMAP) == 0;
        if length == 0 || length > MAX_BUFFER || !pool_fits || !usage_fits {
            return Err(Error::InvalidCall);
        }
        // What is locked in every frame keeps its address.
        let often = usage & D3DUSAGE_DYNAMIC != 0;
        let bytes = if often { Store::resident(length as usize) } else { Store::zeroed(length as usize) };
        let bytes = bytes.ok_or(Error::OutOfMemory)?;
        let buffer = Buffer {
            id: self.port.allocate(ObjectKind::Buffer)?,
            format,
            usage,
            pool,
            fvf,
            bytes,
            locks: 0,
            written: 0..0,
            update: 0,
            filled: false,
            storage: false,
            newer: 0..0,
            unseen: u8::MAX,
            name: None,
        };
        let id = self.objects.buffers.insert(buffer, true);
        self.create_buffer_object(id);
        self.port.flush_if_due();
        Ok(id)
    }

    /// Creates a buffer in the stream.
    pub(crate) fn create_buffer_object(&mut self, id: BufferId) {
        let Some(buffer) = self.objects.buffers.get(id) else { return };
        let kind = if buffer.is_index() { CreateBuffer::INDEX } else { CreateBuffer::VERTEX };
        let lies = if buffer.storage {
            CreateBuffer::STORAGE
        } else if buffer.usage & D3DUSAGE_DYNAMIC != 0 || buffer.pool == D3DPOOL_SYSTEMMEM {
            CreateBuffer::DYNAMIC
        } else {
            0
        };
        self.port.push(&CreateBuffer { id: buffer.id, usage: kind | lies, size: buffer.size().into() });
        self.port.name(buffer.id, &buffer.title());
    }

    /// Sends a range of a buffer's bytes.
    pub(crate) fn send_buffer(&mut self, id: BufferId, range: std::ops::Range<u32>, flags: u32) {
        let Some(buffer) = self.objects.buffers.get(id) else { return };
        let Some(all) = buffer.bytes.read() else { return self.late_buffers.push(id) };
        let Some(bytes) = all.get(range.start as usize..range.end as usize) else { return };
        if bytes.is_empty() || self.port.is_lost() {
            return;
        }
        match self.port.upload_bytes(bytes) {
            Ok(data) => {
                self.port.push(&UpdateBuffer { id: buffer.id, flags, offset: range.start.into(), data });
                self.port.flush_if_due();
            }
            Err(_) => self.late_buffers.push(id),
        }
    }

    /// A new frame has new room: what did not fit into the last one goes now, or when it is drawn with.
    pub(crate) fn catch_up(&mut self) {
        let mut buffers = std::mem::take(&mut self.late_buffers);
        buffers.sort_unstable();
        buffers.dedup();
        for id in buffers {
            self.upload_buffer(id);
        }
        if std::mem::take(&mut self.late) {
            self.registers.touch_textures();
        }
    }

    /// Sends all of a buffer that was ever filled.
    pub(crate) fn upload_buffer(&mut self, id: BufferId) {
        if let Some(buffer) = self.objects.buffers.get(id)
            && buffer.filled
        {
            let size = buffer.size();
            self.send_buffer(id, 0..size, UpdateBuffer::DISCARD);
        }
    }
}
