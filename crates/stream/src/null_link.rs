//! A link whose other end does nothing, to measure what a guest's side costs.

use crate::{DeviceInfo, Link, LinkError, Reply, UploadRef};

/// Bytes of the arena.
const ARENA: usize = 64 << 20;

/// A receiver that takes every batch and never answers. Its arena of 64 MiB starts over with each frame, and when it is full.
#[derive(Debug)]
pub struct NullLink {
    info: DeviceInfo,
    arena: Vec<u8>,
    used: u32,
}

impl NullLink {
    /// A link to a device that says this of itself.
    #[must_use]
    pub fn new(info: DeviceInfo) -> Self {
        Self { info, arena: vec![0; ARENA], used: 0 }
    }
}

impl Link for NullLink {
    fn submit(&mut self, batch: &mut Vec<u64>) -> Result<(), LinkError> {
        std::hint::black_box(&*batch);
        batch.clear();
        Ok(())
    }

    fn alloc(&mut self, size: u32, align: u32) -> Result<UploadRef, LinkError> {
        let mut offset = self.used.next_multiple_of(align);
        if offset as usize + size as usize > self.arena.len() {
            offset = 0;
        }
        self.used = offset + size;
        Ok(UploadRef { slot: 0, size, offset: offset.into() })
    }

    fn write(&mut self, range: &UploadRef, at: u32, bytes: &[u8]) {
        let start = range.offset as usize + at as usize;
        self.arena[start..start + bytes.len()].copy_from_slice(bytes);
    }

    fn read(&mut self, _: &UploadRef, _: u32, _: &mut [u8]) {}

    fn end_frame(&mut self, _: u64) -> Result<(), LinkError> {
        self.used = 0;
        Ok(())
    }

    fn poll(&mut self) -> Option<Reply> {
        None
    }

    fn wait(&mut self) -> Result<Reply, LinkError> {
        Err(LinkError::Lost)
    }

    fn epoch(&mut self) -> u32 {
        1
    }

    fn device(&self) -> &DeviceInfo {
        &self.info
    }
}
