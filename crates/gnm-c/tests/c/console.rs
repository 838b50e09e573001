//! The console that the sample's scene is drawn on, which keeps what its processor did as records.

use afterimage_gnm::Gpu;
use afterimage_gnm::driver::{CommandBuffer, embedded};
use afterimage_gnm::gcap::{Picture, Record, Submission};
use afterimage_gnm::machine::Stop;
use afterimage_gnm::memory::{GuestMemory, Regions, Unmapped};
use afterimage_gnm::translate::Display;
use bytemuck::Pod;
use std::cell::Cell;
use std::error::Error;
use std::ops::Range;

/// Guest address of the first byte of memory.
const MEMORY: u64 = 0x10_0000_0000;
/// Bytes of it.
const SIZE: u64 = 32 << 20;

/// Memory that notes what the processor writes.
pub(crate) struct Noted {
    memory: Regions,
    written: Vec<Record>,
    /// The graphics processor writes.
    runs: Cell<bool>,
}

impl GuestMemory for Noted {
    fn read(&self, address: u64, out: &mut [u8]) -> Result<(), Unmapped> {
        self.memory.read(address, out)
    }

    fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), Unmapped> {
        if !self.runs.get() {
            self.written.push(Record::Memory { address, bytes: bytes.to_vec() });
        }
        self.memory.write(address, bytes)
    }

    fn mapped(&self, address: u64, most: u64) -> u64 {
        self.memory.mapped(address, most)
    }

    fn unmapped(&self, address: u64, most: u64) -> u64 {
        self.memory.unmapped(address, most)
    }

    fn generation(&self, address: u64, size: u64) -> u64 {
        self.memory.generation(address, size)
    }

    fn ranges(&self) -> Vec<Range<u64>> {
        GuestMemory::ranges(&self.memory)
    }
}

/// The graphics processor with its memory.
pub(crate) struct Console {
    pub(crate) gpu: Gpu<Noted>,
    free: u64,
}

impl Console {
    pub(crate) fn new() -> Result<Self, Box<dyn Error>> {
        let mut memory = Noted { memory: Regions::default(), written: Vec::new(), runs: Cell::new(false) };
        memory.memory.map(MEMORY, SIZE)?;
        memory.written.push(Record::Map { address: MEMORY, size: SIZE });
        embedded::map(&mut memory.memory)?;
        memory.written.push(Record::Map { address: embedded::ADDRESS, size: embedded::SIZE });
        embedded::install(&mut memory)?;
        Ok(Self { gpu: Gpu::with_renderer(memory, "recorded")?, free: MEMORY })
    }

    pub(crate) fn allocate(&mut self, bytes: u64, alignment: u64) -> Result<u64, Unmapped> {
        let address = self.free.next_multiple_of(alignment);
        self.free = address + bytes;
        if self.free > MEMORY + SIZE { Err(Unmapped { address, size: bytes }) } else { Ok(address) }
    }

    pub(crate) fn store<T: Pod>(&mut self, data: &[T]) -> Result<u64, Unmapped> {
        let bytes: &[u8] = bytemuck::cast_slice(data);
        let address = self.allocate(bytes.len() as u64, 256)?;
        self.gpu.memory.write(address, bytes)?;
        Ok(address)
    }

    pub(crate) fn program(&mut self, text: &str) -> Result<u64, Box<dyn Error>> {
        Ok(self.store(&afterimage_shader_gcn::assemble(text)?)?)
    }

    pub(crate) fn run(&mut self, commands: &CommandBuffer, address: u64) -> Result<(), Box<dyn Error>> {
        commands.store(&mut self.gpu.memory, address)?;
        let draw = (address, commands.bytes());
        self.gpu.memory.written.push(Record::Submit(Submission { queue: 0, draw, constant: (0, 0) }));
        self.gpu.submit(draw, None)?;
        self.gpu.memory.runs.set(true);
        let stop = self.gpu.run();
        self.gpu.memory.runs.set(false);
        assert_eq!((stop, self.gpu.faults()), (Stop::Idle, Vec::new()));
        Ok(())
    }

    /// A buffer is shown.
    pub(crate) fn flip(&mut self, display: &Display, name: &str) {
        let Display { address, width, height, pitch, format, tile_mode: tiling, .. } = *display;
        let picture = Picture { address, width, height, pitch, format, tiling, name: name.to_owned() };
        self.gpu.memory.written.push(Record::Flip(picture));
    }

    /// What happened since the last call.
    pub(crate) fn records(&mut self) -> Vec<Record> {
        std::mem::take(&mut self.gpu.memory.written)
    }
}
