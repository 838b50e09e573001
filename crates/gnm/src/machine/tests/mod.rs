//! What the machine does, seen by those who draw and by memory.

mod flow;
mod packets;
mod streams;

use super::*;
use crate::driver::CommandBuffer;
use crate::memory::{GuestMemory, Regions};

/// Where command buffers lie, 1 MiB apart.
pub(super) const BUFFERS: u64 = 0x10_0000_0000;
/// Memory for everything else.
pub(super) const DATA: u64 = 0x20_0000_0000;

/// What was asked of it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Asked {
    Draw(Draw),
    Dispatch(Queue, Dispatch),
    Flush,
    Flip(Flip),
    Interrupt(Queue),
    Marker(Marker),
    StreamOut(u32, u32),
}

/// Draws nothing, and remembers what it was asked.
#[derive(Debug, Default)]
pub(super) struct Log {
    pub(super) asked: Vec<Asked>,
    /// Vertex user data at each draw.
    pub(super) user: Vec<[u32; 4]>,
    pub(super) passed: u64,
    /// Ranges that were to be read and are not mapped.
    pub(super) read: Vec<(u64, u64)>,
}

impl Graphics for Log {
    fn draw(&mut self, registers: &mut Registers, _memory: &mut dyn GuestMemory, draw: &Draw) {
        self.asked.push(Asked::Draw(*draw));
        self.user.push(registers.array(afterimage_gnm_types::reg::SPI_SHADER_USER_DATA_VS_0));
        self.passed += 10;
        registers.tracker.take();
    }

    fn dispatch(&mut self, queue: Queue, _: &mut Registers, _: &mut dyn GuestMemory, dispatch: &Dispatch) {
        self.asked.push(Asked::Dispatch(queue, *dispatch));
    }

    fn before_cpu_reads(&mut self, memory: &mut dyn GuestMemory, address: u64, size: u64) {
        if memory.mapped(address, size) != size {
            self.read.push((address, size));
        }
    }

    fn cpu_wrote(&mut self, _address: u64, _size: u64) {}

    fn flush(&mut self, _registers: &mut Registers, _memory: &mut dyn GuestMemory) {
        self.asked.push(Asked::Flush);
    }

    fn passed_samples(&mut self) -> u64 {
        self.passed
    }

    fn stream_out_offset(&mut self, buffer: u32) -> u32 {
        0x100 * (buffer + 1)
    }

    fn set_stream_out_offset(&mut self, buffer: u32, offset: u32) {
        self.asked.push(Asked::StreamOut(buffer, offset));
    }

    fn flip(&mut self, _memory: &mut dyn GuestMemory, flip: &Flip) {
        self.asked.push(Asked::Flip(*flip));
    }

    fn interrupt(&mut self, queue: Queue) {
        self.asked.push(Asked::Interrupt(queue));
    }

    fn marker(&mut self, marker: &Marker) {
        self.asked.push(Asked::Marker(marker.clone()));
    }

    fn submit(&mut self) {}
}

/// A machine with memory.
#[derive(Debug)]
pub(super) struct World {
    pub(super) machine: Machine,
    pub(super) memory: Regions,
    pub(super) log: Log,
}

impl World {
    pub(super) fn new() -> Self {
        let mut memory = Regions::default();
        memory.map(BUFFERS, 0x100_0000).unwrap();
        memory.map(DATA, 0x10_0000).unwrap();
        Self { machine: Machine::new(), memory, log: Log::default() }
    }

    /// Where the nth command buffer lies.
    pub(super) fn at(n: u64) -> u64 {
        BUFFERS + n * 0x10_0000
    }

    /// Puts words where the nth command buffer lies: address and bytes.
    pub(super) fn put(&mut self, n: u64, buffer: &CommandBuffer) -> (u64, u64) {
        buffer.store(&mut self.memory, Self::at(n)).unwrap();
        (Self::at(n), buffer.bytes())
    }

    /// Runs a command buffer on the graphics ring.
    pub(super) fn run(&mut self, buffer: &CommandBuffer) -> Stop {
        let draw = self.put(0, buffer);
        self.machine.submit(draw, None).unwrap();
        self.machine.run(&mut self.memory, &mut self.log)
    }

    /// Runs a command buffer, in which nothing may go wrong.
    pub(super) fn run_well(&mut self, buffer: &CommandBuffer) {
        assert_eq!(self.run(buffer), Stop::Idle);
        assert_eq!(self.machine.take_faults(), []);
    }

    pub(super) fn word(&self, offset: u64) -> u32 {
        self.memory.word(DATA + offset).unwrap()
    }

    pub(super) fn set(&mut self, offset: u64, words: &[u32]) {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.memory.write(DATA + offset, &bytes).unwrap();
    }

    pub(super) fn faults(&mut self) -> Vec<String> {
        self.machine.take_faults().iter().map(ToString::to_string).collect()
    }

    pub(super) fn draws(&self) -> Vec<Draw> {
        self.log
            .asked
            .iter()
            .filter_map(|asked| if let Asked::Draw(draw) = asked { Some(*draw) } else { None })
            .collect()
    }
}

/// Low and high half.
pub(super) fn halves(address: u64) -> [u32; 2] {
    [address as u32, (address >> 32) as u32]
}

/// Body of an INDIRECT_BUFFER.
pub(super) fn enter((address, bytes): (u64, u64), chain: bool) -> [u32; 3] {
    let [low, high] = halves(address);
    [low, high, (bytes / 4) as u32 | u32::from(chain) << 20]
}
