//! For those who have a console, and want its graphics processor.

use crate::machine::{Graphics, Machine, Picture, PusherError, Stop};
use crate::memory::{GuestMemory, OutOfRange};
use crate::translate::Translator;
use std::path::Path;

/// An NV2A: a [`Machine`] with the memory that it works on and whoever draws for it.
///
/// An emulator gives it its own memory, passes the processor's accesses to 0xFD000000 on to [`Nv2a::read_register`] and
/// [`Nv2a::write_register`], and calls [`Nv2a::run`] after a write to the doorbell. Before the processor reads memory that may
/// have been drawn to, [`Nv2a::write_back`] brings it up to date. `examples/nv2a_embedder.rs` shows it all.
#[derive(Debug)]
pub struct Nv2a<M, G> {
    /// The machine, for what the functions here do not reach.
    pub machine: Machine,
    /// The console's memory.
    pub memory: M,
    /// Who draws.
    pub graphics: G,
}

impl<M: GuestMemory, G: Graphics> Nv2a<M, G> {
    /// The graphics processor after reset.
    pub fn new(memory: M, graphics: G) -> Self {
        Self { machine: Machine::new(), memory, graphics }
    }

    /// The processor reads a register; `offset` counts from 0xFD000000.
    #[must_use]
    pub fn read_register(&self, offset: u32) -> u32 {
        self.machine.read_register(offset)
    }

    /// The processor writes a register.
    pub fn write_register(&mut self, offset: u32, value: u32) {
        self.machine.write_register(&mut self.memory, &mut self.graphics, offset, value);
    }

    /// Runs the push buffer until GET is PUT, or until the processor has to do something.
    ///
    /// # Errors
    /// If the push buffer cannot be followed.
    pub fn run(&mut self) -> Result<Stop, PusherError> {
        self.machine.run(&mut self.memory, &mut self.graphics)
    }

    /// The display has shown a picture: ends stalls of flips and raises PCRTC's interrupt.
    pub fn vertical_blank(&mut self) {
        self.machine.vertical_blank();
    }

    /// The picture that the display shows.
    ///
    /// # Errors
    /// If it reaches beyond the memory.
    pub fn scanout(&mut self) -> Result<Picture, OutOfRange> {
        self.machine.scanout(&mut self.memory, &mut self.graphics)
    }

    /// Whatever was drawn into this range of physical memory is there when this returns.
    pub fn write_back(&mut self, address: u32, size: u32) {
        self.graphics.write_back(&mut self.memory, address, size);
    }
}

impl<M: GuestMemory> Nv2a<M, Translator> {
    /// The graphics processor after reset, drawing with Vulkan on a thread of its own. `name` is the program's, for logs and captures.
    ///
    /// The device and the rest are as the user has configured them (`docs/configuration.md`). Dropping the graphics processor waits until
    /// everything is drawn.
    ///
    /// ```no_run
    /// use afterimage_nv2a::Nv2a;
    /// use afterimage_nv2a::memory::Ram;
    ///
    /// let nv2a = Nv2a::with_renderer(Ram::new(Ram::XBOX), "my emulator")?;
    /// # Ok::<_, afterimage_nv2a::RendererError>(())
    /// ```
    ///
    /// # Errors
    /// Where no Vulkan device fits.
    #[cfg(feature = "renderer")]
    pub fn with_renderer(memory: M, name: &str) -> Result<Self, afterimage_vulkan::Error> {
        use afterimage_vulkan::{Options, Renderer};
        let link = Renderer::new(Options::from_env())?.on_thread(afterimage_ipc::ArenaConfig::from_env())?;
        Ok(Self::new(memory, Translator::new(Box::new(link), name)))
    }

    /// Asks whoever draws to capture the next `frames` frames to a file, for `afterimage replay`. False if the link's
    /// receiver takes no such requests.
    pub fn capture_frames(&mut self, path: &Path, frames: u64) -> bool {
        self.graphics.capture_frames(path, frames)
    }
}
