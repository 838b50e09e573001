//! The console's memory, which processor and graphics share.

mod regions;

use std::ops::Range;

pub use regions::{MapError, Regions};

/// Bytes of a page, the unit in which changes are noticed.
pub const PAGE: u64 = 4096;
/// Addresses have 48 bits.
pub const ADDRESS_BITS: u32 = 48;

/// An access to memory that is not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{size:#x} bytes at guest address {address:#x} are not all mapped")]
pub struct Unmapped {
    /// First byte.
    pub address: u64,
    /// Bytes asked for.
    pub size: u64,
}

/// Memory that processor and graphics share. An emulator implements it for its own memory; [`Regions`] is one of ours.
pub trait GuestMemory {
    /// Copies bytes out.
    ///
    /// # Errors
    /// If some of them are not mapped; what `out` holds then is not defined.
    fn read(&self, address: u64, out: &mut [u8]) -> Result<(), Unmapped>;

    /// Copies bytes in, and gives their pages a new generation.
    ///
    /// # Errors
    /// If some of them are not mapped; nothing is copied then.
    fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), Unmapped>;

    /// Bytes from `address` on that are mapped without a gap, `most` at most.
    fn mapped(&self, address: u64, most: u64) -> u64;

    /// Bytes from `address` on that are not mapped, `most` at most: what is mapped begins and ends anywhere.
    fn unmapped(&self, address: u64, most: u64) -> u64;

    /// A number that is larger whenever a page of the range was written since the last time: the newest generation of the
    /// range's pages. A page counts if any byte of it is mapped. An implementation that cannot tell returns a new number each time.
    fn generation(&self, address: u64, size: u64) -> u64;

    /// What is mapped, in order of addresses and apart from each other. Only programs that access memory by its address (FLAT) need it:
    /// they see nothing of what is not in it, and each range in it is in a host buffer while they run.
    fn ranges(&self) -> Vec<Range<u64>> {
        Vec::new()
    }

    /// The parts of a range that are mapped, in order.
    fn parts(&self, range: Range<u64>) -> Vec<Range<u64>> {
        let (mut at, mut parts) = (range.start, Vec::new());
        while at < range.end {
            let end = at + self.mapped(at, range.end - at);
            if at < end {
                parts.push(at..end);
            }
            let gap = self.unmapped(end, range.end - end);
            // One that has neither would be asked forever.
            at = end + if at == end { gap.max(1) } else { gap };
        }
        parts
    }

    /// A little-endian word; `None` where it is not mapped.
    fn word(&self, address: u64) -> Option<u32> {
        let mut bytes = [0; 4];
        self.read(address, &mut bytes).ok()?;
        Some(u32::from_le_bytes(bytes))
    }
}
