//! Memory that the GPU alone reaches, for what one call leaves to the next.

use crate::error::Result;
use afterimage_metal_calls::{BufferDescriptor, Device, StorageMode};

/// The least that is made.
const LEAST: u64 = 1 << 16;

/// A buffer that grows. What was in it before is over when it is asked for again: the GPU does one after the other.
#[derive(Debug)]
pub(crate) struct Room<D: Device> {
    label: &'static str,
    buffer: Option<(D::Buffer, u64)>,
}

impl<D: Device> Room<D> {
    pub(crate) fn new(label: &'static str) -> Self {
        Self { label, buffer: None }
    }

    /// Memory for so many bytes.
    ///
    /// # Errors
    /// Where there is none.
    pub(crate) fn of(&mut self, device: &D, bytes: u64) -> Result<D::Buffer> {
        if let Some((buffer, _)) = self.buffer.as_ref().filter(|(_, size)| *size >= bytes) {
            return Ok(buffer.clone());
        }
        let length = bytes.next_power_of_two().max(LEAST);
        let label = self.label.to_owned();
        let buffer = device.new_buffer(&BufferDescriptor { length, storage: StorageMode::Private, label })?;
        self.buffer = Some((buffer.clone(), length));
        Ok(buffer)
    }
}
