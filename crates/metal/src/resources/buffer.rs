//! Buffers of the stream: memory that the CPU writes too, which is another where the GPU still reads it.

use crate::error::Result;
use afterimage_metal_calls::{BufferDescriptor, Device, Serial, StorageMode};
use afterimage_stream::packets::CreateBuffer;

/// A buffer.
#[derive(Debug)]
pub(crate) struct Buffer<D: Device> {
    pub(crate) desc: CreateBuffer,
    pub(crate) raw: D::Buffer,
    /// The last command buffer that uses it.
    pub(crate) last_used: Serial,
    /// The last one that was preceded by a copy to it.
    pub(crate) last_copied: Serial,
    /// Whether the GPU writes it: what the CPU reads of it is old until all is done.
    pub(crate) gpu_written: bool,
    /// Another one for other memory.
    pub(crate) memory: u64,
    /// Another one for each change of its bytes: what was found in them is found again.
    pub(crate) version: u64,
}

impl<D: Device> Buffer<D> {
    /// Makes one. Its bytes are undefined to the stream, and zero here.
    pub(crate) fn new(device: &D, desc: &CreateBuffer, version: u64) -> Result<Self> {
        let raw = Self::memory(device, desc)?;
        Ok(Self { desc: *desc, raw, last_used: 0, last_copied: 0, gpu_written: false, memory: version, version })
    }

    /// Whether the GPU may be using it.
    #[inline]
    pub(crate) fn is_busy(&self, completed: Serial) -> bool {
        self.last_used.max(self.last_copied) > completed
    }

    /// Bytes of its memory.
    pub(crate) fn length(desc: &CreateBuffer) -> u64 {
        // Vertices and indices that are read in whole words may end in the midst of one.
        desc.size.next_multiple_of(4).max(4)
    }

    fn memory(device: &D, desc: &CreateBuffer) -> Result<D::Buffer> {
        let length = Self::length(desc);
        Ok(device.new_buffer(&BufferDescriptor { length, storage: StorageMode::Shared, label: desc.id.to_string() })?)
    }

    /// Gives it other memory with this number, `spare` if that is some, and with the bytes copied where they are kept; what it had before.
    pub(crate) fn rename(
        &mut self,
        device: &D,
        spare: Option<D::Buffer>,
        keep: bool,
        memory: u64,
    ) -> Result<D::Buffer> {
        let new = match spare {
            Some(spare) => spare,
            None => Self::memory(device, &self.desc)?,
        };
        if keep {
            let size = self.desc.size as usize;
            let mut bytes = vec![0; size];
            device.read(&self.raw, 0, &mut bytes)?;
            device.write(&new, 0, &bytes)?;
        }
        (self.last_used, self.last_copied, self.gpu_written) = (0, 0, false);
        (self.memory, self.version) = (memory, memory);
        Ok(std::mem::replace(&mut self.raw, new))
    }
}
