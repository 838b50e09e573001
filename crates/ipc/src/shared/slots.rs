//! The guest's view of the arena slots: mapped when they are used, so that a 32-bit program with little address space
//! left can still upload more than fits into it.

use super::layout::{CONTROL_BYTES, GRANULE};
use super::map;
use crate::arena::MAPPED_IN_32_BITS;
use crate::memory::Region;
use crate::{SlotFactory, SlotMemory};
use std::collections::VecDeque;
use std::fs::File;
use std::io;

/// Bytes of slots that are mapped at once.
const MAPPED: u64 = if size_of::<usize>() == 8 { u64::MAX } else { MAPPED_IN_32_BITS };

/// Makes slots at the end of the file. Their tokens are their offsets in it.
pub(super) struct FileSlots {
    file: File,
    end: u64,
}

impl FileSlots {
    /// # Errors
    /// Where the system has no other descriptor for the file.
    pub(super) fn new(file: &File) -> io::Result<Self> {
        Ok(Self { file: file.try_clone()?, end: CONTROL_BYTES })
    }

    fn make(&mut self, bytes: u64) -> io::Result<SlotMemory> {
        let start = self.end.next_multiple_of(GRANULE);
        map::fill(&self.file, start, start + bytes)?;
        let memory = map::map(&self.file, start, bytes)?;
        memory.touch();
        // Of a file on a disk the first write to each page is another fault, by which the system learns of it.
        (0..bytes).step_by(PAGE).for_each(|at| _ = memory.region.write(at, &[0]));
        self.end = start + bytes;
        Ok(memory.with_token(start))
    }
}

impl SlotFactory for FileSlots {
    fn allocate(&mut self, bytes: u64) -> Option<SlotMemory> {
        self.make(bytes).inspect_err(|error| tracing::warn!(bytes, %error, "the shared file cannot grow")).ok()
    }

    fn most_bytes(&self) -> u64 {
        u64::MAX
    }
}

/// Bytes of the smallest pages.
const PAGE: usize = 4096;

struct Slot {
    offset: u64,
    bytes: u64,
    memory: Option<SlotMemory>,
}

/// Every slot, some of them mapped.
pub(super) struct Slots {
    slots: Vec<Slot>,
    /// Mapped ones in the order of their mapping.
    order: VecDeque<u32>,
    mapped: u64,
    limit: u64,
}

impl Slots {
    pub(super) fn new() -> Self {
        Self { slots: Vec::new(), order: VecDeque::new(), mapped: 0, limit: MAPPED }
    }

    /// Adds a slot of the file, which is mapped.
    pub(super) fn add(&mut self, offset: u64, memory: SlotMemory) {
        let bytes = memory.bytes();
        self.make_room(bytes);
        self.slots.push(Slot { offset, bytes, memory: Some(memory) });
        self.order.push_back(self.slots.len() as u32 - 1);
        self.mapped += bytes;
    }

    /// Unmaps what was mapped first until so many bytes may be mapped.
    fn make_room(&mut self, bytes: u64) {
        while self.mapped + bytes > self.limit
            && let Some(oldest) = self.order.pop_front()
        {
            self.mapped -= self.slots[oldest as usize].bytes;
            self.slots[oldest as usize].memory = None;
        }
    }

    /// The memory of a slot; `None` if there is no such slot, or it cannot be mapped now.
    #[inline]
    pub(super) fn region(&mut self, file: &File, slot: u32) -> Option<Region> {
        match self.slots.get(slot as usize)? {
            Slot { memory: Some(memory), .. } => Some(memory.region),
            _ => self.map(file, slot).inspect_err(|error| tracing::error!(slot, %error, "an upload is lost")).ok(),
        }
    }

    #[cold]
    fn map(&mut self, file: &File, slot: u32) -> io::Result<Region> {
        let (offset, bytes) = (self.slots[slot as usize].offset, self.slots[slot as usize].bytes);
        self.make_room(bytes);
        let memory = map::map(file, offset, bytes)?;
        let region = memory.region;
        self.slots[slot as usize].memory = Some(memory);
        self.order.push_back(slot);
        self.mapped += bytes;
        Ok(region)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_slots_than_may_be_mapped() {
        let file = tempfile::tempfile().unwrap();
        let bytes = 64 << 10;
        let mut slots = Slots { limit: 2 * bytes, ..Slots::new() };
        let mut maker = FileSlots::new(&file).unwrap();
        for slot in 0..10 {
            let memory = maker.allocate(bytes).unwrap();
            assert_eq!(memory.device, Some(CONTROL_BYTES + slot * bytes));
            slots.add(memory.device.unwrap(), memory);
        }
        assert_eq!(file.metadata().unwrap().len(), CONTROL_BYTES + 10 * bytes);
        for round in 0..3u8 {
            for slot in [0, 9, 3, 3, 0, 5] {
                assert!(slots.region(&file, slot).unwrap().write(7, &[slot as u8 + round]));
                assert!(slots.mapped <= 2 * bytes);
            }
            for slot in [0u32, 3, 5, 9] {
                let mut byte = [0];
                assert!(slots.region(&file, slot).unwrap().read(7, &mut byte));
                assert_eq!(byte, [slot as u8 + round]);
            }
        }
        assert!(slots.region(&file, 10).is_none());
    }
}
