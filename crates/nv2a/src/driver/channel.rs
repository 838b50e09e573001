//! What the driver needs of the machine: its memory, and that it runs the push buffer.

use super::DriverError;
use crate::memory::GuestMemory;

/// The way to the graphics processor.
pub trait Channel {
    /// The console's memory.
    fn memory(&mut self) -> &mut dyn GuestMemory;

    /// Sets PUT, and returns when everything before it has been fetched.
    ///
    /// # Errors
    /// [`DriverError::Pusher`] when the pusher stops at a word it cannot run.
    fn kick(&mut self, put: u32) -> Result<(), DriverError>;
}

/// Handles by which push buffers of this driver name objects.
pub mod handle {
    /// The Kelvin object.
    pub const KELVIN: u32 = 0x0000_0097;
    /// DMA object over all of memory.
    pub const MEMORY: u32 = 0x0000_0003;
}

const PRAMIN: u32 = 0x70_0000;
const PFIFO_RAMHT: u32 = 0x2210;
/// Where the hash table lies in instance memory; 4 KiB of it.
const RAMHT_BASE: u32 = 0x1_0000;
/// Where the two objects lie in instance memory.
const KELVIN_INSTANCE: u32 = 0x1_2000;
const MEMORY_INSTANCE: u32 = 0x1_2010;

/// Writes the objects that push buffers of this driver use into instance memory, through `write(offset, value)` of MMIO
/// registers, as a console's kernel does before a program starts: the hash table, a Kelvin object, and a DMA object over
/// `memory` bytes.
pub fn initialize(memory: u32, mut write: impl FnMut(u32, u32)) {
    const GRAPHICS: u32 = 1 << 16;
    const VALID: u32 = 1 << 31;
    write(PFIFO_RAMHT, RAMHT_BASE >> 8);
    for (entry, (handle, instance)) in
        [(handle::KELVIN, KELVIN_INSTANCE), (handle::MEMORY, MEMORY_INSTANCE)].into_iter().enumerate()
    {
        let at = PRAMIN + RAMHT_BASE + 8 * entry as u32;
        write(at, handle);
        write(at + 4, instance >> 4 | GRAPHICS | VALID);
    }
    write(PRAMIN + KELVIN_INSTANCE, 0x97);
    // Read and write, linear, in the shared memory, from address 0.
    write(PRAMIN + MEMORY_INSTANCE, 0x3D | 1 << 13);
    write(PRAMIN + MEMORY_INSTANCE + 4, memory.saturating_sub(1));
    write(PRAMIN + MEMORY_INSTANCE + 8, 3);
}
