//! DMA objects. Source: `docs/sources/nv2a.md#memory-and-objects`.

/// What a DMA object allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DmaClass {
    /// 0x02.
    Read,
    /// 0x03.
    Write,
    /// 0x3D.
    ReadWrite,
}

/// What memory a DMA object points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DmaTarget {
    /// Memory of the graphics processor, which on the console is the shared memory.
    Nvm,
    /// The same, through a tiled region.
    NvmTiled,
    /// PCI.
    Pci,
    /// AGP, the shared memory on the console.
    Agp,
}

/// A window into memory. Offsets that methods give are relative to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DmaObject {
    /// What it allows.
    pub class: DmaClass,
    /// Which memory.
    pub target: DmaTarget,
    /// Physical address of its first byte.
    pub address: u32,
    /// Offset of its last byte.
    pub limit: u32,
}

impl DmaObject {
    /// The object in three words of instance memory, if they are one.
    #[must_use]
    pub fn from_words(words: [u32; 3]) -> Option<Self> {
        let [flags, limit, frame] = words;
        let class = match flags & 0xFFF {
            0x02 => DmaClass::Read,
            0x03 => DmaClass::Write,
            0x3D => DmaClass::ReadWrite,
            _ => return None,
        };
        let target = [DmaTarget::Nvm, DmaTarget::NvmTiled, DmaTarget::Pci, DmaTarget::Agp][(flags >> 16 & 3) as usize];
        let address = (frame & 0xFFFF_F000).wrapping_add(flags >> 20) & 0x03FF_FFFF;
        Some(Self { class, target, address, limit })
    }

    /// Physical address of `size` bytes at an offset; `None` where they reach beyond the limit.
    #[must_use]
    pub fn resolve(&self, offset: u32, size: u32) -> Option<u32> {
        let last = u64::from(offset) + u64::from(size).max(1) - 1;
        let inside = last <= u64::from(self.limit);
        inside.then(|| self.address.checked_add(offset)).flatten()
    }
}
