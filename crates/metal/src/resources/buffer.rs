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
    /// Whether the GPU writes it: what the CPU reads of it is old until all is done.
    pub(crate) gpu_written: bool,
    /// Another one for each change of its bytes: what was found in them is found again.
    pub(crate) version: u64,
}

impl<D: Device> Buffer<D> {
    /// Makes one. Its bytes are undefined to the stream, and zero here.
    pub(crate) fn new(device: &D, desc: &CreateBuffer, version: u64) -> Result<Self> {
        let raw = Self::memory(device, desc)?;
        Ok(Self { desc: *desc, raw, last_used: 0, gpu_written: false, version })
    }

    fn memory(device: &D, desc: &CreateBuffer) -> Result<D::Buffer> {
        // Vertices and indices that are read in whole words may end in the midst of one.
        let length = desc.size.next_multiple_of(4).max(4);
        Ok(device.new_buffer(&BufferDescriptor { length, storage: StorageMode::Shared, label: desc.id.to_string() })?)
    }

    /// Other memory, with the bytes copied where they are kept.
    pub(crate) fn rename(&mut self, device: &D, keep: bool) -> Result {
        let new = Self::memory(device, &self.desc)?;
        if keep {
            let mut bytes = vec![0; self.desc.size as usize];
            device.read(&self.raw, 0, &mut bytes)?;
            device.write(&new, 0, &bytes)?;
        }
        (self.raw, self.last_used, self.gpu_written) = (new, 0, false);
        Ok(())
    }
}
