//! For those who have a console, and want its graphics processor.

use crate::machine::{Fault, Graphics, Machine, QueueError, StateError, Stop};
use crate::memory::GuestMemory;
use crate::translate::{Display, Picture, PictureError, Translator};
use afterimage_stream::Link;
use std::path::Path;

/// The graphics processor: a [`Machine`] with the memory that it works on and a [`Translator`] that draws for it.
///
/// An emulator gives it its own memory, says which buffers its video output has ([`Gpu::register_display`]), hands command buffers
/// over with [`Gpu::submit`] and has them done with [`Gpu::run`]. What shaders stored into buffers is in memory when that returns.
/// What was drawn into images is not: before the processor reads such memory, [`Gpu::write_back`] brings it there.
/// `examples/gnm_embedder.rs` shows it all.
pub struct Gpu<M> {
    /// The machine, for what the functions here do not reach: compute rings, registers, limits.
    pub machine: Machine,
    /// The console's memory.
    pub memory: M,
    /// Who draws.
    pub graphics: Translator,
}

impl<M: GuestMemory> Gpu<M> {
    /// The graphics processor after reset, drawing through a link of the stream. `name` is the program's, for logs and captures.
    pub fn new(memory: M, link: Box<dyn Link>, name: &str) -> Self {
        Self { machine: Machine::new(), memory, graphics: Translator::new(link, name) }
    }

    /// The graphics processor after reset, drawing with Vulkan on a thread of its own. `name` is the program's, for logs and captures.
    ///
    /// The device and the rest are as the user has configured them (`docs/configuration.md`). Dropping the graphics processor waits until
    /// everything is drawn.
    ///
    /// ```no_run
    /// use afterimage_gnm::Gpu;
    /// use afterimage_gnm::memory::Regions;
    ///
    /// let mut memory = Regions::default();
    /// memory.map(0x10_0000_0000, 16 << 20)?;
    /// let gpu = Gpu::with_renderer(memory, "my emulator")?;
    /// # Ok::<_, Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Where no Vulkan device fits.
    #[cfg(feature = "renderer")]
    pub fn with_renderer(memory: M, name: &str) -> Result<Self, afterimage_vulkan::Error> {
        use afterimage_vulkan::{Options, Renderer};
        let link = Renderer::new(Options::from_env())?.on_thread(afterimage_ipc::ArenaConfig::from_env())?;
        Ok(Self::new(memory, Box::new(link), name))
    }

    /// Puts a draw command buffer into the graphics ring, with the constant command buffer that goes with it: guest addresses
    /// and bytes. [`Gpu::run`] does them.
    ///
    /// # Errors
    /// If a size is none that can be, or the ring is full.
    pub fn submit(&mut self, draw: (u64, u64), constant: Option<(u64, u64)>) -> Result<(), QueueError> {
        self.machine.submit(draw, constant)
    }

    /// Runs every queue until all are idle, or wait for something that the processor has to do.
    pub fn run(&mut self) -> Stop {
        self.graphics.begin();
        let stop = self.machine.run(&mut self.memory, &mut self.graphics);
        self.graphics.store_everything(&mut self.memory);
        stop
    }

    /// The state of the machine and of what draws for it, between two runs. All that was drawn or stored is in memory when this returns:
    /// memory, which is not in it, has to be saved after it.
    pub fn save(&mut self) -> Vec<u8> {
        let saved = self.graphics.saved(&mut self.memory, self.machine.gds());
        self.machine.save_with(saved)
    }

    /// Goes on with a state that was saved. Memory must hold what it held then, whoever holds it.
    ///
    /// # Errors
    /// If the bytes are no saved state; everything is as it was then.
    pub fn load(&mut self, bytes: &[u8]) -> Result<(), StateError> {
        let saved = self.machine.load_with(bytes)?;
        self.graphics.restore(saved, self.machine.gds());
        Ok(())
    }

    /// What could not be done since the last call: which queue, packet and address, and why.
    pub fn faults(&mut self) -> Vec<Fault> {
        self.machine.take_faults()
    }

    /// Whatever was drawn into this range of memory is there when this returns.
    pub fn write_back(&mut self, address: u64, size: u64) {
        self.graphics.before_cpu_reads(&mut self.memory, address, size);
    }

    /// Says which buffer a video output's handle and index are, as `sceVideoOutRegisterBuffers` does.
    pub fn register_display(&mut self, handle: u32, buffer: u32, display: Display) {
        self.graphics.register_display(handle, buffer, display);
    }

    /// The buffer of the last flip that was among the commands.
    #[must_use]
    pub fn shown(&self) -> Option<Display> {
        self.graphics.shown()
    }

    /// Shows a buffer on the receiver's screen, and ends the frame: for flips that do not come with the commands.
    pub fn flip(&mut self, display: &Display) {
        self.graphics.show_display(&mut self.memory, display);
    }

    /// Asks whoever draws to capture the next `frames` frames to a file, for `afterimage replay`. A frame ends when a buffer is
    /// shown. False if the link's receiver takes no such requests.
    pub fn capture_frames(&mut self, path: &Path, frames: u64) -> bool {
        self.graphics.capture_frames(path, frames)
    }

    /// What a buffer holds, as the GPU left it.
    ///
    /// # Errors
    /// If its format is not supported, or it is not mapped.
    pub fn picture(&mut self, display: &Display) -> Result<Picture, PictureError> {
        self.graphics.picture(&mut self.memory, display)
    }
}
