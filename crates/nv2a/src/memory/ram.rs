//! Memory of our own.

use super::{GuestMemory, OutOfRange, PAGE};

/// Memory with a generation per page.
#[derive(Clone, Debug)]
pub struct Ram {
    bytes: Vec<u8>,
    pages: Vec<u64>,
    clock: u64,
}

impl Ram {
    /// Bytes of an Xbox's memory.
    pub const XBOX: u32 = 0x0400_0000;

    /// Memory of zeros. `size` is rounded up to whole pages.
    #[must_use]
    pub fn new(size: u32) -> Self {
        let pages = size.div_ceil(PAGE) as usize;
        Self { bytes: vec![0; pages * PAGE as usize], pages: vec![0; pages], clock: 0 }
    }

    /// The bytes of a range, if it is inside.
    #[must_use]
    pub fn slice(&self, address: u32, size: u32) -> Option<&[u8]> {
        self.bytes.get(address as usize..)?.get(..size as usize)
    }

    fn range(&self, address: u32, size: usize) -> Result<std::ops::Range<usize>, OutOfRange> {
        let start = address as usize;
        match start.checked_add(size) {
            Some(end) if end <= self.bytes.len() => Ok(start..end),
            _ => Err(OutOfRange { address, size: u32::try_from(size).unwrap_or(u32::MAX), memory: self.size() }),
        }
    }

    fn pages(&self, address: u32, size: u32) -> std::ops::Range<usize> {
        let end = (u64::from(address) + u64::from(size)).div_ceil(PAGE.into()) as usize;
        let end = end.min(self.pages.len());
        ((address / PAGE) as usize).min(end)..end
    }
}

impl GuestMemory for Ram {
    fn size(&self) -> u32 {
        self.bytes.len() as u32
    }

    fn read(&self, address: u32, out: &mut [u8]) -> Result<(), OutOfRange> {
        let range = self.range(address, out.len())?;
        out.copy_from_slice(&self.bytes[range]);
        Ok(())
    }

    fn write(&mut self, address: u32, bytes: &[u8]) -> Result<(), OutOfRange> {
        let range = self.range(address, bytes.len())?;
        self.bytes[range].copy_from_slice(bytes);
        self.clock += 1;
        let pages = self.pages(address, bytes.len() as u32);
        self.pages[pages].fill(self.clock);
        Ok(())
    }

    fn generation(&self, address: u32, size: u32) -> u64 {
        self.pages[self.pages(address, size)].iter().copied().max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_show_in_the_generation_of_their_pages_only() {
        let mut ram = Ram::new(3 * PAGE);
        let (first, second) = (ram.generation(0, PAGE), ram.generation(PAGE, PAGE));
        ram.write(PAGE - 1, &[1, 2]).unwrap();
        assert!(ram.generation(0, 1) > first && ram.generation(PAGE, PAGE) > second);
        assert_eq!(ram.generation(2 * PAGE, PAGE), 0);
        assert_eq!(ram.word(PAGE - 2), Some(0x0002_0100));
        assert_eq!(ram.generation(u32::MAX, u32::MAX), 0);
    }

    #[test]
    fn nothing_happens_beyond_the_end() {
        let mut ram = Ram::new(PAGE);
        assert!(ram.write(PAGE - 1, &[1, 2]).is_err());
        assert_eq!(ram.slice(PAGE - 1, 1), Some(&[0][..]));
        let error = ram.read(u32::MAX, &mut [0; 8]).unwrap_err();
        assert_eq!(error, OutOfRange { address: u32::MAX, size: 8, memory: PAGE });
    }
}
