//! The console's memory, and what the graphics processor calls a DMA object: a window into it.

mod dma;
mod ram;

pub use dma::{DmaClass, DmaObject, DmaTarget};
pub use ram::Ram;

/// Bytes of a page, the unit in which changes are noticed.
pub const PAGE: u32 = 4096;

/// An access that reaches beyond the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{size} bytes at physical address {address:#010x} reach beyond the memory's {memory:#x} bytes")]
pub struct OutOfRange {
    /// First byte.
    pub address: u32,
    /// Bytes asked for.
    pub size: u32,
    /// Bytes that there are.
    pub memory: u32,
}

/// Physical memory that processor and graphics share. An emulator implements it for its own memory; [`Ram`] is one of ours.
pub trait GuestMemory {
    /// Bytes of memory.
    fn size(&self) -> u32;

    /// Copies bytes out.
    ///
    /// # Errors
    /// If the range reaches beyond the memory; nothing is copied then.
    fn read(&self, address: u32, out: &mut [u8]) -> Result<(), OutOfRange>;

    /// Copies bytes in, and gives the pages a new generation.
    ///
    /// # Errors
    /// If the range reaches beyond the memory; nothing is copied then.
    fn write(&mut self, address: u32, bytes: &[u8]) -> Result<(), OutOfRange>;

    /// A number that is larger whenever a page of the range was written since the last time: the newest generation of the
    /// range's pages. Pages beyond the memory do not count. An implementation that cannot tell returns a new number each time.
    fn generation(&self, address: u32, size: u32) -> u64;

    /// A little-endian word; `None` beyond the memory.
    fn word(&self, address: u32) -> Option<u32> {
        let mut bytes = [0; 4];
        self.read(address, &mut bytes).ok()?;
        Some(u32::from_le_bytes(bytes))
    }
}
