//! Memory for what captures need: blocks that the host fills while a command buffer is recorded, and that the device reads and writes when
//! it is executed. They live until the command buffer is reset.

use crate::below::{Below, used_up};
use ash::vk;
use std::sync::{Mutex, PoisonError};

/// Bytes of a chunk, unless one block needs more.
const CHUNK: u64 = 128 << 10;
/// Most bytes of a block.
const MOST: u64 = 512 << 20;
/// Blocks begin at multiples of this.
const ALIGN: u64 = 64;
/// Chunks that are kept when nobody has them.
const KEPT: usize = 64;

/// A buffer that is mapped.
pub(crate) struct Chunk {
    buffer: vk::Buffer,
    memory: vk::DeviceMemory,
    address: u64,
    mapped: *mut u8,
    size: u64,
}

// SAFETY: mapped memory is reached by whoever has the chunk.
unsafe impl Send for Chunk {}
// SAFETY: as above.
unsafe impl Sync for Chunk {}

impl Chunk {
    pub(crate) fn new(below: &Below, size: u64) -> Result<Self, vk::Result> {
        let usage = vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS
            | vk::BufferUsageFlags::STORAGE_BUFFER
            | vk::BufferUsageFlags::INDIRECT_BUFFER
            | vk::BufferUsageFlags::TRANSFER_SRC
            | vk::BufferUsageFlags::TRANSFER_DST;
        let info = vk::BufferCreateInfo::default().size(size).usage(usage);
        let (f, device) = (&below.functions, below.device);
        let mut chunk = Self {
            buffer: vk::Buffer::null(),
            memory: vk::DeviceMemory::null(),
            address: 0,
            mapped: std::ptr::null_mut(),
            size,
        };
        // SAFETY: the device is alive, and what is created is destroyed where something fails.
        unsafe {
            (f.create_buffer)(device, &info, std::ptr::null(), &mut chunk.buffer).result().map_err(used_up)?;
            let made = chunk.back(below);
            if made.is_err() {
                chunk.destroy(below);
            }
            made.map_err(used_up)?;
        }
        Ok(chunk)
    }

    /// Gives it memory.
    ///
    /// # Safety
    /// The buffer is there, and has none.
    unsafe fn back(&mut self, below: &Below) -> Result<(), vk::Result> {
        use vk::MemoryPropertyFlags as Has;
        let (f, device) = (&below.functions, below.device);
        // SAFETY: as the caller says; all pointers are to locals.
        unsafe {
            let mut needs = vk::MemoryRequirements::default();
            (f.get_buffer_memory_requirements)(device, self.buffer, &mut needs);
            let host = Has::HOST_VISIBLE | Has::HOST_COHERENT;
            let ty = below.memory_type(needs.memory_type_bits, host, Has::DEVICE_LOCAL);
            let ty = ty.ok_or(vk::Result::ERROR_OUT_OF_DEVICE_MEMORY)?;
            let mut flags = vk::MemoryAllocateFlagsInfo::default().flags(vk::MemoryAllocateFlags::DEVICE_ADDRESS);
            let info = vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(ty);
            let info = info.push_next(&mut flags);
            (f.allocate_memory)(device, &info, std::ptr::null(), &mut self.memory).result()?;
            (f.bind_buffer_memory)(device, self.buffer, self.memory, 0).result()?;
            let mut mapped = std::ptr::null_mut();
            let flags = vk::MemoryMapFlags::empty();
            (f.map_memory)(device, self.memory, 0, vk::WHOLE_SIZE, flags, &mut mapped).result()?;
            self.mapped = mapped.cast();
            let info = vk::BufferDeviceAddressInfo::default().buffer(self.buffer);
            self.address = (f.get_buffer_device_address)(device, &info);
        }
        Ok(())
    }

    /// # Safety
    /// The device uses it no more.
    pub(crate) unsafe fn destroy(&self, below: &Below) {
        let (f, device) = (&below.functions, below.device);
        // SAFETY: as the caller says; null handles are left alone.
        unsafe {
            (f.destroy_buffer)(device, self.buffer, std::ptr::null());
            (f.free_memory)(device, self.memory, std::ptr::null());
        }
    }
}

impl Chunk {
    /// A part of it.
    pub(crate) fn block(&self, at: u64, bytes: u64) -> Block {
        assert!(at + bytes <= self.size, "a block is inside");
        // SAFETY: the block lies inside of the chunk.
        let mapped = unsafe { self.mapped.add(at as usize) };
        Block { buffer: self.buffer, offset: at, address: self.address + at, mapped, bytes }
    }

    pub(crate) fn buffer(&self) -> vk::Buffer {
        self.buffer
    }
}

/// Chunks that nobody has.
#[derive(Default)]
pub(crate) struct Scratch {
    free: Mutex<Vec<Chunk>>,
}

impl Scratch {
    fn take(&self, below: &Below) -> Result<Chunk, vk::Result> {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner).pop();
        free.map_or_else(|| Chunk::new(below, CHUNK), Ok)
    }

    /// Destroys all of them.
    ///
    /// # Safety
    /// The device is idle, and every arena is cleared.
    pub(crate) unsafe fn destroy(&self, below: &Below) {
        for chunk in self.free.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            // SAFETY: as the caller says.
            unsafe { chunk.destroy(below) };
        }
    }
}

/// A piece of a chunk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    pub(crate) buffer: vk::Buffer,
    pub(crate) offset: u64,
    /// Device address of the first byte.
    pub(crate) address: u64,
    mapped: *mut u8,
    bytes: u64,
}

// SAFETY: mapped memory is reached by whoever has the block.
unsafe impl Send for Block {}
// SAFETY: as above.
unsafe impl Sync for Block {}

impl Block {
    /// Fills it, from a byte on.
    pub(crate) fn write<T: bytemuck::Pod>(&self, at: u64, value: &T) {
        let bytes = bytemuck::bytes_of(value);
        assert!(at + bytes.len() as u64 <= self.bytes, "a block has room for what is made for it");
        // SAFETY: it is mapped memory of as many bytes, which the device does not use while the command buffer is recorded.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.mapped.add(at as usize), bytes.len()) };
    }

    /// A number in it.
    pub(crate) fn read(&self, at: u64) -> u64 {
        assert!(at + 8 <= self.bytes, "a number is inside");
        // SAFETY: it is mapped memory of as many bytes, which the device has written before the host waited for it.
        unsafe { self.mapped.add(at as usize).cast::<u64>().read_unaligned() }
    }

    /// A part of it.
    pub(crate) fn part(&self, at: u64, bytes: u64) -> Self {
        assert!(at + bytes <= self.bytes, "a part is inside");
        // SAFETY: as above.
        let mapped = unsafe { self.mapped.add(at as usize) };
        Self { buffer: self.buffer, offset: self.offset + at, address: self.address + at, mapped, bytes }
    }
}

/// Chunks of a command buffer.
#[derive(Default)]
pub(crate) struct Arena {
    chunks: Vec<Chunk>,
    used: u64,
}

impl Arena {
    /// A block of so many bytes.
    ///
    /// # Errors
    /// When there is no memory.
    pub(crate) fn block(&mut self, below: &Below, scratch: &Scratch, bytes: u64) -> Result<Block, vk::Result> {
        if bytes > MOST {
            return Err(vk::Result::ERROR_OUT_OF_DEVICE_MEMORY);
        }
        let mut at = self.used.next_multiple_of(ALIGN);
        if self.chunks.last().is_none_or(|chunk| at + bytes > chunk.size) {
            let chunk = if bytes > CHUNK { Chunk::new(below, bytes)? } else { scratch.take(below)? };
            self.chunks.push(chunk);
            at = 0;
        }
        self.used = at + bytes;
        let Some(chunk) = self.chunks.last() else { return Err(vk::Result::ERROR_OUT_OF_DEVICE_MEMORY) };
        Ok(chunk.block(at, bytes))
    }

    /// Gives everything back.
    ///
    /// # Safety
    /// The device uses none of it any more.
    pub(crate) unsafe fn clear(&mut self, below: &Below, scratch: &Scratch) {
        self.used = 0;
        if self.chunks.is_empty() {
            return;
        }
        let mut free = scratch.free.lock().unwrap_or_else(PoisonError::into_inner);
        for chunk in self.chunks.drain(..) {
            if chunk.size == CHUNK && free.len() < KEPT {
                free.push(chunk);
            } else {
                // SAFETY: as the caller says.
                unsafe { chunk.destroy(below) };
            }
        }
    }
}
