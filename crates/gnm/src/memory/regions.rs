//! Memory of our own, mapped where somebody maps it.

use super::{ADDRESS_BITS, GuestMemory, PAGE, Unmapped};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Bytes that are allocated together.
const CHUNK: u64 = 1 << 16;
const PAGES: usize = (CHUNK / PAGE) as usize;

/// Why a range was not mapped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MapError {
    /// It reaches beyond 48 bits.
    #[error("{size:#x} bytes at guest address {address:#x} reach beyond 48 bits")]
    Range {
        /// First byte.
        address: u64,
        /// Bytes.
        size: u64,
    },
}

#[derive(Clone, Debug)]
struct Chunk {
    bytes: Box<[u8]>,
    generations: [u64; PAGES],
}

/// Memory that is mapped in ranges. What is mapped reads as zeros and costs nothing before it is written.
#[derive(Clone, Debug)]
pub struct Regions {
    /// First byte to the one behind the last, apart from each other.
    ranges: BTreeMap<u64, u64>,
    chunks: FxHashMap<u64, Chunk>,
    clock: u64,
    limit: u64,
}

impl Default for Regions {
    fn default() -> Self {
        Self::new(Self::CONSOLE)
    }
}

impl Regions {
    /// Bytes of a console's memory.
    pub const CONSOLE: u64 = 8 << 30;

    /// Nothing is mapped. No more than `limit` bytes will ever hold something, whatever is mapped: writes beyond that fail.
    #[must_use]
    pub fn new(limit: u64) -> Self {
        Self { ranges: BTreeMap::new(), chunks: FxHashMap::default(), clock: 0, limit }
    }

    /// Maps a range; what of it was mapped already stays as it is.
    ///
    /// # Errors
    /// If it reaches beyond 48 bits.
    pub fn map(&mut self, address: u64, size: u64) -> Result<(), MapError> {
        let end = address.checked_add(size).filter(|end| *end <= 1 << ADDRESS_BITS);
        let (mut start, mut end) = (address, end.ok_or(MapError::Range { address, size })?);
        if size == 0 {
            return Ok(());
        }
        // Ranges that touch become one.
        while let Some((&first, &behind)) = self.ranges.range(..=end).next_back().filter(|range| *range.1 >= start) {
            self.ranges.remove(&first);
            (start, end) = (start.min(first), end.max(behind));
        }
        self.ranges.insert(start, end);
        Ok(())
    }

    /// The ranges, ascending: first byte, and the one behind the last.
    pub fn ranges(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.ranges.iter().map(|(&start, &end)| (start, end))
    }

    fn check(&self, address: u64, size: usize) -> Result<(), Unmapped> {
        let size = size as u64;
        if self.mapped(address, size) == size { Ok(()) } else { Err(Unmapped { address, size }) }
    }
}

/// Cuts a range at the borders of chunks: the chunk, the first byte in it, and the range of the buffer.
fn pieces(address: u64, size: usize) -> impl Iterator<Item = (u64, usize, std::ops::Range<usize>)> {
    let mut done = 0;
    std::iter::from_fn(move || {
        if done == size {
            return None;
        }
        let at = address + done as u64;
        let first = (at % CHUNK) as usize;
        let take = (CHUNK as usize - first).min(size - done);
        let range = done..done + take;
        done += take;
        Some((at / CHUNK, first, range))
    })
}

impl GuestMemory for Regions {
    fn ranges(&self) -> Vec<std::ops::Range<u64>> {
        Regions::ranges(self).map(|(start, end)| start..end).collect()
    }

    fn read(&self, address: u64, out: &mut [u8]) -> Result<(), Unmapped> {
        self.check(address, out.len())?;
        for (chunk, first, range) in pieces(address, out.len()) {
            let out = &mut out[range];
            match self.chunks.get(&chunk) {
                Some(chunk) => out.copy_from_slice(&chunk.bytes[first..first + out.len()]),
                None => out.fill(0),
            }
        }
        Ok(())
    }

    fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), Unmapped> {
        self.check(address, bytes.len())?;
        let refused = Unmapped { address, size: bytes.len() as u64 };
        let new = pieces(address, bytes.len()).filter(|(chunk, ..)| !self.chunks.contains_key(chunk)).count();
        if (self.chunks.len() + new) as u64 > self.limit / CHUNK {
            return Err(refused);
        }
        self.clock += 1;
        for (chunk, first, range) in pieces(address, bytes.len()) {
            let empty = || Chunk { bytes: vec![0; CHUNK as usize].into(), generations: [0; PAGES] };
            let chunk = self.chunks.entry(chunk).or_insert_with(empty);
            let end = first + range.len();
            chunk.bytes[first..end].copy_from_slice(&bytes[range]);
            chunk.generations[first / PAGE as usize..end.div_ceil(PAGE as usize)].fill(self.clock);
        }
        Ok(())
    }

    fn mapped(&self, address: u64, most: u64) -> u64 {
        let range = self.ranges.range(..=address).next_back();
        range.map_or(0, |(_, &end)| end.saturating_sub(address).min(most))
    }

    fn unmapped(&self, address: u64, most: u64) -> u64 {
        if self.mapped(address, 1) > 0 {
            return 0;
        }
        self.ranges.range(address..).next().map_or(most, |(&start, _)| (start - address).min(most))
    }

    // Only what is mapped is ever in a chunk.
    fn generation(&self, address: u64, size: u64) -> u64 {
        let size = size.min((1 << ADDRESS_BITS) - address.min(1 << ADDRESS_BITS));
        if size == 0 {
            return 0;
        }
        let newest = |chunk: &Chunk, first: u64, end: u64| {
            let pages = (first / PAGE) as usize..end.div_ceil(PAGE) as usize;
            chunk.generations[pages].iter().copied().max().unwrap_or(0)
        };
        let end = address + size;
        let (first, last) = (address / CHUNK, (end - 1) / CHUNK);
        let of = |index: u64, chunk: &Chunk| {
            let base = index * CHUNK;
            newest(chunk, address.max(base) - base, end.min(base + CHUNK) - base)
        };
        // Whichever are fewer: the range's chunks, or those that hold something.
        if last - first < self.chunks.len() as u64 {
            (first..=last).filter_map(|index| Some(of(index, self.chunks.get(&index)?))).max().unwrap_or(0)
        } else {
            let inside = self.chunks.iter().filter(|(index, _)| (first..=last).contains(index));
            inside.map(|(&index, chunk)| of(index, chunk)).max().unwrap_or(0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_that_touch_become_one() {
        let mut memory = Regions::default();
        for (address, size) in [(0x1000, 0x1000), (0x4000, 0x10), (0x2000, 0x1000), (0x2800, 0x1800), (0x9000, 0)] {
            memory.map(address, size).unwrap();
        }
        assert_eq!(memory.ranges().collect::<Vec<_>>(), [(0x1000, 0x4010)]);
        assert_eq!((memory.mapped(0x1800, 0x100), memory.mapped(0x4008, 0x100)), (0x100, 8));
        assert_eq!((memory.mapped(0x4010, 1), memory.mapped(0xFFF, 1)), (0, 0));
        assert!(memory.map(u64::MAX, 2).is_err() && memory.map(1 << 48, 1).is_err());
        memory.map(0, 1 << 48).unwrap();
        assert_eq!(memory.ranges().count(), 1);
    }

    #[test]
    fn what_is_written_is_read_across_chunks_and_shows_in_its_pages_only() {
        let mut memory = Regions::default();
        memory.map(0x1_0000, 0x3_0000).unwrap();
        let bytes: Vec<u8> = (0..0x1_1000u32).map(|i| i as u8).collect();
        memory.write(0x1_FF00, &bytes).unwrap();
        let mut back = vec![0; bytes.len()];
        memory.read(0x1_FF00, &mut back).unwrap();
        assert_eq!(back, bytes);
        assert_eq!(memory.word(0x1_0000), Some(0));
        assert_eq!(memory.generation(0, 0x1_F000), 0, "nothing was written there");
        assert_eq!(memory.generation(0, u64::MAX), memory.generation(0x1_F000, PAGE));
        assert_eq!(memory.generation(u64::MAX, u64::MAX), 0);
        let (first, last) = (memory.generation(0x1_F000, PAGE), memory.generation(0x3_F000, PAGE));
        assert!(first > 0 && last == 0);
        memory.write(0x2_0000, &[1]).unwrap();
        assert_eq!(memory.generation(0x1_F000, PAGE), first);
        assert!(memory.generation(0x1_0000, 0x3_0000) > first);
    }

    #[test]
    fn ranges_begin_and_end_anywhere() {
        let mut memory = Regions::default();
        let ranges = [0x1001..0x1010, 0x1011..0x1F03, 0x5FFF..0x7001];
        for range in &ranges {
            memory.map(range.start, range.end - range.start).unwrap();
            memory.write(range.start, &vec![7; (range.end - range.start) as usize]).unwrap();
        }
        assert_eq!(memory.parts(0..1 << 48), ranges);
        assert_eq!(memory.parts(0x1008..0x6000), [0x1008..0x1010, 0x1011..0x1F03, 0x5FFF..0x6000]);
        assert_eq!(memory.parts(0x1F03..0x5FFF), []);
        assert_eq!((memory.unmapped(0x1002, 9), memory.unmapped(0x1010, 9), memory.unmapped(0x8000, 9)), (0, 1, 9));
        // A page that begins with nothing has what was written behind.
        assert!(memory.generation(0x1000, PAGE) > 0 && memory.generation(0x5000, PAGE) > 0);
        let before = memory.generation(0x1000, PAGE);
        memory.write(0x1F02, &[8]).unwrap();
        assert!(memory.generation(0x1000, PAGE) > before);
    }

    #[test]
    fn nothing_happens_where_nothing_is_mapped_or_too_much_would_be_held() {
        let mut memory = Regions::new(2 * CHUNK);
        memory.map(0x10, 0x10).unwrap();
        assert_eq!(memory.write(0x1C, &[1; 8]), Err(Unmapped { address: 0x1C, size: 8 }));
        assert_eq!(memory.word(0x1C), Some(0));
        assert!(memory.read(u64::MAX - 1, &mut [0; 4]).is_err());
        memory.map(0, 1 << 40).unwrap();
        memory.write(0, &[1]).unwrap();
        memory.write(1 << 39, &[1]).unwrap();
        assert!(memory.write(1 << 38, &[1]).is_err());
        assert_eq!(memory.word(1 << 38), Some(0));
        assert_eq!(memory.generation(0, 1 << 40), 2);
    }
}
