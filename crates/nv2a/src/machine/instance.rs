//! Instance memory (PRAMIN): the hash table of handles, DMA objects, graphics objects. Source:
//! `docs/sources/nv2a.md#memory-and-objects`.

use crate::memory::DmaObject;

/// Bytes of the window that the processor sees.
pub(super) const SIZE: u32 = 0x10_0000;

/// Instance memory, a space of its own here; on the console it is the top of RAM.
#[derive(Debug)]
pub(super) struct Instance {
    words: Box<[u32]>,
}

/// An object that a handle names: its address in instance memory, in units of 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Address(pub(super) u16);

impl Instance {
    pub(super) fn new() -> Self {
        Self { words: vec![0; SIZE as usize / 4].into_boxed_slice() }
    }

    /// The word at a byte offset; 0 beyond the end.
    pub(super) fn get(&self, offset: u32) -> u32 {
        self.words.get(offset as usize / 4).copied().unwrap_or(0)
    }

    /// Stores a word; nothing happens beyond the end.
    pub(super) fn set(&mut self, offset: u32, value: u32) {
        if let Some(word) = self.words.get_mut(offset as usize / 4) {
            *word = value;
        }
    }

    /// Looks a handle up in the hash table that the register RAMHT describes. Every entry is looked at, so that where the
    /// driver put one does not matter.
    pub(super) fn find(&self, ramht: u32, handle: u32) -> Option<Address> {
        const VALID: u32 = 1 << 31;
        let base = (ramht & 0x1F0) << 8;
        let size = 0x1000 << (ramht >> 16 & 3);
        let table = self.words.get(base as usize / 4..)?;
        let entries = table.chunks_exact(2).take(size as usize / 8);
        let entry = entries.into_iter().find(|entry| entry[0] == handle && entry[1] & VALID != 0)?;
        Some(Address(entry[1] as u16))
    }

    /// Class of the graphics object at an address.
    pub(super) fn class(&self, address: Address) -> u8 {
        self.get(u32::from(address.0) * 16) as u8
    }

    /// The DMA object at an address, if it is one.
    pub(super) fn dma(&self, address: Address) -> Option<DmaObject> {
        let offset = u32::from(address.0) * 16;
        DmaObject::from_words([self.get(offset), self.get(offset + 4), self.get(offset + 8)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handle_is_found_wherever_it_stands_and_only_if_it_is_valid() {
        let mut instance = Instance::new();
        let ramht = 0x0300_0100;
        instance.set(0x10FF8, 7);
        instance.set(0x10FFC, 0x8000_1118);
        instance.set(0x10010, 8);
        instance.set(0x10014, 0x1119);
        assert_eq!(instance.find(ramht, 7), Some(Address(0x1118)));
        assert_eq!(instance.find(ramht, 8), None);
        instance.set(0x11180, 0x0001_0097);
        assert_eq!(instance.class(Address(0x1118)), 0x97);
        assert_eq!(instance.dma(Address(0x1118)), None);
        instance.set(0x11180, 0x2B03D);
        instance.set(0x11184, 0x1F);
        instance.set(0x11188, 0x03FD_D003);
        let dma = instance.dma(Address(0x1118)).unwrap();
        assert_eq!((dma.address, dma.limit), (0x03FD_D000, 0x1F));
        assert_eq!(instance.get(SIZE), 0);
        instance.set(u32::MAX, 1);
    }
}
