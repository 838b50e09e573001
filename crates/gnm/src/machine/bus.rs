//! Memory and graphics during a call.

use super::Graphics;
use crate::memory::{GuestMemory, Unmapped};
use std::ops::Range;

/// Memory and graphics, and what was written since the last look.
pub(super) struct Bus<'a> {
    pub(super) memory: &'a mut dyn GuestMemory,
    pub(super) graphics: &'a mut dyn Graphics,
    pub(super) written: Option<Range<u64>>,
}

impl Bus<'_> {
    /// An error where a range is not all mapped: graphics are not asked about such a one.
    pub(super) fn check(&self, address: u64, size: u64) -> Result<(), Unmapped> {
        if self.memory.mapped(address, size) == size { Ok(()) } else { Err(Unmapped { address, size }) }
    }

    /// Reads what the processor would see: what was drawn into the range comes back first.
    pub(super) fn read(&mut self, address: u64, out: &mut [u8]) -> Result<(), Unmapped> {
        self.check(address, out.len() as u64)?;
        self.graphics.before_cpu_reads(self.memory, address, out.len() as u64);
        self.memory.read(address, out)
    }

    /// `N` words, of an address whose low two bits do not count.
    pub(super) fn words<const N: usize>(&mut self, address: u64) -> Result<[u32; N], Unmapped> {
        let mut words = [0u32; N];
        self.read(address & !3, bytemuck::cast_slice_mut(&mut words))?;
        Ok(words.map(u32::from_le))
    }

    /// A word.
    pub(super) fn word(&mut self, address: u64) -> Result<u32, Unmapped> {
        self.words::<1>(address).map(|[word]| word)
    }

    /// Two words, low first.
    pub(super) fn long(&mut self, address: u64) -> Result<u64, Unmapped> {
        self.words::<2>(address).map(|[low, high]| u64::from(low) | u64::from(high) << 32)
    }

    /// Writes what the processor would see: what was drawn around it is not lost when its page changes.
    pub(super) fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), Unmapped> {
        let size = bytes.len() as u64;
        if size == 0 {
            return Ok(());
        }
        self.check(address, size)?;
        self.graphics.before_cpu_reads(self.memory, address, size);
        self.memory.write(address, bytes)?;
        self.wrote(address, size);
        Ok(())
    }

    /// Writes words to an address whose low two bits do not count.
    pub(super) fn write_words(&mut self, address: u64, words: &[u32]) -> Result<(), Unmapped> {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.write(address & !3, &bytes)
    }

    /// Notes that memory changed.
    pub(super) fn wrote(&mut self, address: u64, size: u64) {
        self.graphics.cpu_wrote(address, size);
        self.stored(address, size);
    }

    /// Notes that memory is other than it was, though only graphics have it yet.
    pub(super) fn stored(&mut self, address: u64, size: u64) {
        let end = address.saturating_add(size);
        let (low, high) =
            self.written.as_ref().map_or((address, end), |old| (old.start.min(address), old.end.max(end)));
        self.written = Some(low..high);
    }
}
