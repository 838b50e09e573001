//! A console without a kernel: an NV2A with memory of its own, whose packets a renderer of this process executes.

use afterimage_ipc::{ArenaConfig, in_process};
use afterimage_nv2a::Nv2a;
use afterimage_nv2a::driver::{self, Channel, Device, DriverError};
use afterimage_nv2a::machine::{DisplayMode, Picture, PixelFormat, Stop, register};
use afterimage_nv2a::memory::{GuestMemory, OutOfRange, Ram};
use afterimage_nv2a::translate::Translator;
use afterimage_vulkan::Renderer;
use std::thread::JoinHandle;

/// Bytes of the push buffer's ring.
const RING: u32 = 256 * 1024;
/// Resources start at multiples of this: the strictest wish of the hardware, that of surfaces and textures.
const ALIGNMENT: u32 = 256;

/// The graphics processor with its memory, and the thread that renders.
pub(crate) struct Console {
    pub(crate) nv2a: Nv2a<Ram, Translator>,
    rendering: JoinHandle<u64>,
    /// First address that nothing lies at.
    free: u32,
}

impl Console {
    /// A console whose pictures the renderer draws on a thread of its own.
    pub(crate) fn new(mut renderer: Renderer, name: &str) -> Self {
        let slots = Box::new(renderer.slot_factory());
        let (link, mut receiver) = in_process::pair(ArenaConfig::default(), renderer.device_info(), slots);
        let link = link.with_captures(renderer.capture_requests());
        let rendering = std::thread::spawn(move || {
            in_process::serve(&mut receiver, &mut renderer);
            renderer.validation_messages()
        });
        let nv2a = Nv2a::new(Ram::new(Ram::XBOX), Translator::new(Box::new(link), name));
        Self { nv2a, rendering, free: ALIGNMENT }
    }

    /// What the kernel and Direct3D do before a program draws: objects in instance memory, a ring, GET and PUT at its start.
    pub(crate) fn device(&mut self) -> Result<Device, DriverError> {
        let device = Device::new(self.allocate(RING)?, RING)?;
        driver::initialize(Ram::XBOX, |offset, value| self.nv2a.write_register(offset, value));
        self.nv2a.write_register(register::USER_DMA_GET, device.ring_start());
        self.nv2a.write_register(register::USER_DMA_PUT, device.ring_start());
        Ok(device)
    }

    /// Physical memory for a resource.
    pub(crate) fn allocate(&mut self, bytes: u32) -> Result<u32, OutOfRange> {
        let (address, memory) = (self.free, Ram::XBOX);
        let end = address.checked_add(bytes).filter(|end| *end <= memory - ALIGNMENT);
        self.free = end.ok_or(OutOfRange { address, size: bytes, memory })?.next_multiple_of(ALIGNMENT);
        Ok(address)
    }

    /// A resource with these bytes: its address.
    pub(crate) fn store(&mut self, bytes: &[u8]) -> Result<u32, OutOfRange> {
        let address = self.allocate(bytes.len() as u32)?;
        self.nv2a.memory.write(address, bytes)?;
        Ok(address)
    }

    /// The picture of 32-bit pixels at an address, as the display shows it.
    pub(crate) fn picture(
        &mut self,
        address: u32,
        [width, height]: [u32; 2],
        pitch: u32,
    ) -> Result<Picture, OutOfRange> {
        self.nv2a.machine.display = DisplayMode { width, height, pitch, format: PixelFormat::X8R8G8B8 };
        self.nv2a.write_register(register::PCRTC_START, address);
        self.nv2a.scanout()
    }

    /// Switches off: how many messages the validation layer had.
    pub(crate) fn finish(self) -> std::thread::Result<u64> {
        drop(self.nv2a);
        self.rendering.join()
    }
}

impl Channel for Console {
    fn memory(&mut self) -> &mut dyn GuestMemory {
        &mut self.nv2a.memory
    }

    fn kick(&mut self, put: u32) -> Result<(), DriverError> {
        self.nv2a.write_register(register::USER_DMA_PUT, put);
        loop {
            match self.nv2a.run().map_err(|error| DriverError::Pusher(error.to_string()))? {
                Stop::Idle => return Ok(()),
                Stop::Interrupt(_) => self.nv2a.machine.acknowledge(),
                // No display is waited for: it has always just shown the picture.
                Stop::FlipStall => {
                    self.nv2a.vertical_blank();
                    self.nv2a.machine.end_stall();
                }
            }
        }
    }
}
