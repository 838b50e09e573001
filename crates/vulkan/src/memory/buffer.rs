//! Buffers of the stream.
//!
//! A `DYNAMIC` buffer lives in mapped memory: discarding renames it to another backing, so the CPU never waits and
//! nothing is copied twice. Any other buffer lives near the GPU and is updated by copies.

use crate::device::gpu::Gpu;
use crate::device::memory::{Buffer, Place};
use crate::error::Result;
use afterimage_stream::packets::CreateBuffer;
use ash::vk;
use std::collections::VecDeque;
use std::sync::Arc;

/// The memory that a buffer has at present. There is one of each: it is the buffer's, or the pool's.
pub(crate) struct Backing {
    pub(crate) buffer: vk::Buffer,
    pub(crate) offset: u64,
    /// First byte, where mapped; null otherwise.
    pub(crate) mapped: *mut u8,
}

// SAFETY: the pointer is into memory that the pool or the buffer owns for as long as the backing is used.
unsafe impl Send for Backing {}

impl Backing {
    /// Bytes that the GPU does not read at this time (never used, or the guest vouches for them).
    pub(crate) fn bytes_mut(&mut self, offset: u64, len: usize) -> &mut [u8] {
        // SAFETY: the validator has checked offset and length against the buffer's size, which the backing has. A backing cannot be
        // copied, so nobody else has these bytes, and the GPU does not write mapped buffers.
        unsafe { std::slice::from_raw_parts_mut(self.mapped.add(offset as usize), len) }
    }

    /// Bytes as the CPU wrote them.
    pub(crate) fn bytes(&self, offset: u64, len: usize) -> &[u8] {
        // SAFETY: as above; the bytes are written through `&mut self` alone.
        unsafe { std::slice::from_raw_parts(self.mapped.add(offset as usize), len) }
    }
}

/// A buffer.
pub(crate) struct GuestBuffer {
    pub(crate) desc: CreateBuffer,
    pub(crate) backing: Backing,
    /// Own memory, where it is not the pool's.
    pub(crate) own: Option<Buffer>,
    /// Last submission whose `main` commands use the backing.
    pub(crate) last_used: u64,
    /// Submission whose `before` commands wrote the range below.
    pub(crate) copied: u64,
    pub(crate) copied_range: (u64, u64),
    /// When shaders and copies last read and wrote it.
    pub(crate) order: afterimage_render::touched::Touched,
}

impl GuestBuffer {
    pub(crate) fn is_dynamic(&self) -> bool {
        !self.backing.mapped.is_null()
    }
}

/// Smallest and largest size class of the pool: 256 bytes and 1 MiB. Larger buffers have their own memory per backing.
const SMALLEST: u32 = 8;

const LARGEST: u32 = 20;

/// Backings of dynamic buffers, by power of two.
pub(crate) struct DynamicPool {
    gpu: Arc<Gpu>,
    /// Free backings with the last submission that used each, oldest first.
    free: [VecDeque<(u64, Backing)>; (LARGEST - SMALLEST + 1) as usize],
    blocks: Vec<Buffer>,
    /// Bytes of all blocks.
    pub(crate) bytes: u64,
}

impl DynamicPool {
    pub(crate) fn new(gpu: &Arc<Gpu>) -> Self {
        Self { gpu: Arc::clone(gpu), free: Default::default(), blocks: Vec::new(), bytes: 0 }
    }

    fn class(size: u64) -> Option<usize> {
        let bits = size.max(1).next_power_of_two().ilog2().max(SMALLEST);
        (bits <= LARGEST).then_some((bits - SMALLEST) as usize)
    }

    /// A backing that the GPU does not use. `None` where the size has no class.
    pub(crate) fn take(&mut self, size: u64, completed: u64) -> Result<Option<Backing>> {
        let Some(class) = Self::class(size) else { return Ok(None) };
        if let Some((_, backing)) = self.free[class].pop_front_if(|(submission, _)| *submission <= completed) {
            return Ok(Some(backing));
        }
        let each = 1u64 << (class as u32 + SMALLEST);
        let count = (1 << 18 >> (class as u32 + SMALLEST)).max(4u64);
        let block = Buffer::new(&self.gpu, "dynamic buffers", each * count, Place::Stream)?;
        self.bytes += block.size;
        let backing = |i: u64| Backing {
            buffer: block.raw,
            offset: i * each,
            // SAFETY: i is below `count`, so the offset lies inside of the block.
            mapped: unsafe { block.mapped.add((i * each) as usize) },
        };
        for i in (1..count).rev() {
            self.free[class].push_front((0, backing(i)));
        }
        let first = backing(0);
        self.blocks.push(block);
        Ok(Some(first))
    }

    /// Gives a backing back, free when `submission` has completed.
    pub(crate) fn give(&mut self, size: u64, submission: u64, backing: Backing) {
        if let Some(class) = Self::class(size) {
            self.free[class].push_back((submission, backing));
        }
    }
}

impl GuestBuffer {
    pub(crate) fn new(gpu: &Arc<Gpu>, pool: &mut DynamicPool, desc: &CreateBuffer, completed: u64) -> Result<Self> {
        // What shaders know by its address stays where it is.
        let dynamic = desc.usage & (CreateBuffer::DYNAMIC | CreateBuffer::STORAGE) == CreateBuffer::DYNAMIC;
        let pooled = if dynamic { pool.take(desc.size, completed)? } else { None };
        let (backing, own) = match pooled {
            Some(backing) => (backing, None),
            None => {
                let place = if dynamic { Place::Stream } else { Place::Device };
                let own = Buffer::new(gpu, &desc.id.to_string(), desc.size, place)?;
                // Memory near the GPU may be mapped too, but then the CPU does not read or write it behind our back.
                let mapped = if dynamic { own.mapped } else { std::ptr::null_mut() };
                (Backing { buffer: own.raw, offset: 0, mapped }, Some(own))
            }
        };
        Ok(Self { desc: *desc, backing, own, last_used: 0, copied: 0, copied_range: (0, 0), order: Default::default() })
    }
}

/// Memory that discards and uploads may hold before the renderer waits for the GPU to catch up.
pub(crate) const OUTSTANDING_LIMIT: u64 = 512 << 20;
