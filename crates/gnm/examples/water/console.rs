//! A console without a kernel: memory, and a graphics processor whose packets a renderer of this process executes.

use afterimage_gnm::Gpu;
use afterimage_gnm::driver::{CommandBuffer, embedded};
use afterimage_gnm::machine::Stop;
use afterimage_gnm::memory::{GuestMemory, Regions, Unmapped};
use afterimage_ipc::{ArenaConfig, in_process};
use afterimage_vulkan::Renderer;
use bytemuck::Pod;
use std::error::Error;
use std::thread::JoinHandle;

/// Guest address of the first byte of memory.
const MEMORY: u64 = 0x10_0000_0000;
/// Bytes of it.
const SIZE: u64 = 32 << 20;

/// The graphics processor with its memory, and the thread that renders.
pub(crate) struct Console {
    pub(crate) gpu: Gpu<Regions>,
    rendering: JoinHandle<u64>,
    /// First address that nothing lies at.
    free: u64,
}

impl Console {
    /// A console whose pictures the renderer draws on a thread of its own.
    pub(crate) fn new(mut renderer: Renderer, name: &str) -> Result<Self, Box<dyn Error>> {
        let slots = Box::new(renderer.slot_factory());
        let (link, mut receiver) = in_process::pair(ArenaConfig::default(), renderer.device_info(), slots);
        let link = link.with_captures(renderer.capture_requests());
        let rendering = std::thread::spawn(move || {
            in_process::serve(&mut receiver, &mut renderer);
            renderer.validation_messages()
        });
        let mut memory = Regions::default();
        memory.map(MEMORY, SIZE)?;
        // What the kernel does before a program draws.
        embedded::map(&mut memory)?;
        embedded::install(&mut memory)?;
        Ok(Self { gpu: Gpu::new(memory, Box::new(link), name), rendering, free: MEMORY })
    }

    /// Memory for a resource: its address.
    pub(crate) fn allocate(&mut self, bytes: u64, alignment: u64) -> Result<u64, Unmapped> {
        let address = self.free.next_multiple_of(alignment);
        self.free = address + bytes;
        if self.free > MEMORY + SIZE { Err(Unmapped { address, size: bytes }) } else { Ok(address) }
    }

    /// A resource with something in it: its address.
    pub(crate) fn store<T: Pod>(&mut self, data: &[T]) -> Result<u64, Unmapped> {
        let bytes: &[u8] = bytemuck::cast_slice(data);
        let address = self.allocate(bytes.len() as u64, 256)?;
        self.gpu.memory.write(address, bytes)?;
        Ok(address)
    }

    /// A program of GCN code: its address.
    pub(crate) fn program(&mut self, text: &str) -> Result<u64, Box<dyn Error>> {
        Ok(self.store(&afterimage_shader_gcn::assemble(text)?)?)
    }

    /// Runs commands that are written to an address.
    pub(crate) fn run(&mut self, commands: &CommandBuffer, address: u64) -> Result<(), Box<dyn Error>> {
        commands.store(&mut self.gpu.memory, address)?;
        self.gpu.submit((address, commands.bytes()), None)?;
        if let Stop::Waiting(waits) = self.gpu.run() {
            return Err(format!("the commands wait for something that nobody does: {waits:?}").into());
        }
        match self.gpu.faults().first() {
            Some(fault) => Err(fault.to_string().into()),
            None => Ok(()),
        }
    }

    /// Switches off: how many messages the validation layer had.
    pub(crate) fn finish(self) -> std::thread::Result<u64> {
        drop(self.gpu);
        self.rendering.join()
    }
}
