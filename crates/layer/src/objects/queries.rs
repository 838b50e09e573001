//! Pools of transform feedback queries.
//!
//! The driver has no such queries. A pool of timestamps, of as many, stands in their place: it is what the program's handle names, a timestamp
//! says that a query has its values, and resetting one resets the other. The values are in memory of the layer's, where shaders add to them.

use crate::below::Below;
use crate::scratch::{Block, Chunk};
use ash::vk;

/// Bytes of a query: primitives written, and needed.
const BYTES: u64 = 16;

/// Values of a pool of transform feedback queries.
pub(crate) struct Queries {
    values: Chunk,
    count: u32,
}

/// What a program asks of queries.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked {
    pub(crate) first: u32,
    pub(crate) count: u32,
    pub(crate) stride: u64,
    pub(crate) flags: vk::QueryResultFlags,
}

impl Asked {
    /// Bytes of a number.
    pub(crate) fn bytes(&self) -> usize {
        if self.flags.contains(vk::QueryResultFlags::TYPE_64) { 8 } else { 4 }
    }

    /// Places of the answer of query `n` of those that are asked for: of its two values, and of whether it has them.
    fn places(&self, n: u32) -> [usize; 3] {
        let at = (self.stride * u64::from(n)) as usize;
        [0, 1, 2].map(|number| at + number * self.bytes())
    }
}

impl Queries {
    /// # Errors
    /// When there is no memory.
    pub(crate) fn new(below: &Below, count: u32) -> Result<Self, vk::Result> {
        let values = Chunk::new(below, BYTES * u64::from(count.max(1)))?;
        Ok(Self { values, count })
    }

    /// Where the values of a query are.
    pub(crate) fn block(&self, query: u32) -> Option<Block> {
        (query < self.count).then(|| self.values.block(BYTES * u64::from(query), BYTES))
    }

    /// Writes answers. `there` says which queries have values. Whether all of them do.
    ///
    /// # Safety
    /// `to` has room for what is asked, and the device writes none of the values.
    pub(crate) unsafe fn answer(&self, asked: &Asked, there: &[bool], to: *mut u8) -> bool {
        let flags = asked.flags;
        for (n, &there) in (0..asked.count).zip(there) {
            let Some(block) = self.block(asked.first + n) else { continue };
            let put = |at: usize, number: u64| {
                // SAFETY: as the caller says; of a little-endian number the first half is the lower one.
                unsafe { std::ptr::copy_nonoverlapping(number.to_le_bytes().as_ptr(), to.add(at), asked.bytes()) };
            };
            let [written, needed, whether] = asked.places(n);
            if there || flags.contains(vk::QueryResultFlags::PARTIAL) {
                // What a query has so far may be nothing.
                put(written, if there { block.read(0) } else { 0 });
                put(needed, if there { block.read(8) } else { 0 });
            }
            if flags.contains(vk::QueryResultFlags::WITH_AVAILABILITY) {
                put(whether, u64::from(there));
            }
        }
        there.iter().all(|there| *there)
    }

    /// Copies of the device's that write answers: source and target of each.
    pub(crate) fn copies(&self, asked: &Asked, offset: u64) -> Vec<vk::BufferCopy> {
        let mut copies = Vec::new();
        for n in 0..asked.count {
            let Some(block) = self.block(asked.first + n) else { continue };
            let [written, needed, _] = asked.places(n);
            for (from, to) in [(0, written), (8, needed)] {
                copies.push(vk::BufferCopy {
                    src_offset: block.offset + from,
                    dst_offset: offset + to as u64,
                    size: asked.bytes() as u64,
                });
            }
        }
        copies
    }

    /// Likewise of whether queries have values, which is the second of two numbers of 8 bytes in `from`.
    pub(crate) fn copies_of_whether(&self, asked: &Asked, from: &Block, offset: u64) -> Vec<vk::BufferCopy> {
        let copy = |n| vk::BufferCopy {
            src_offset: from.offset + 16 * u64::from(n) + 8,
            dst_offset: offset + asked.places(n)[2] as u64,
            size: asked.bytes() as u64,
        };
        (0..asked.count).map(copy).collect()
    }

    /// The buffer of the values.
    pub(crate) fn buffer(&self) -> vk::Buffer {
        self.values.buffer()
    }

    /// # Safety
    /// The device uses it no more.
    pub(crate) unsafe fn destroy(&self, below: &Below) {
        // SAFETY: as the caller says.
        unsafe { self.values.destroy(below) };
    }
}
