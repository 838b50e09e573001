//! A processor of an embedder's: machine, memory and translator, and who is told what happens.

use crate::border::{Failure, argument, c_text, text};
use crate::memory::{self, Memory};
use crate::types::{self, ARGUMENT, DEVICE, Options, Scanout};
use afterimage_gnm::Gpu;
use afterimage_gnm::driver::{Driver, Encoding, embedded};
use afterimage_gnm::machine::{Dispatch, Draw, Flip, Graphics, Marker, QUEUES, Queue, Registers, Stop};
use afterimage_gnm::memory::GuestMemory;
use afterimage_gnm::translate::Translator;
use afterimage_ipc::ArenaConfig;
use afterimage_vulkan::{EXPORT_FORMAT, ExportKind, Exports, Options as Rendering, Renderer};
use std::ffi::c_void;
use std::os::fd::IntoRawFd as _;

/// A processor.
pub(crate) struct Processor {
    pub(crate) gpu: Gpu<Memory>,
    pub(crate) driver: Driver,
    listener: Listener,
    exports: Option<Exports>,
}

/// Who is told what happens.
#[derive(Clone, Copy)]
struct Listener {
    user: *mut c_void,
    flipped: Option<types::Flipped>,
    interrupted: Option<types::Interrupted>,
    told: Option<types::Told>,
}

// SAFETY: the pointer is only given back to the embedder's callbacks, by the thread that makes a call; the header says so.
unsafe impl Send for Listener {}

impl Listener {
    fn tell(&self, what: u32, said: &str) {
        if let Some(told) = self.told {
            let said = c_text(said);
            // SAFETY: the header says what the callback gets, and the embedder that it is one.
            unsafe { told(self.user, what, said.as_ptr()) };
        }
    }
}

/// The number of a queue: 0 the graphics ring, 1 to 56 the compute rings, as in recordings.
fn number(queue: Queue) -> u32 {
    match queue {
        Queue::Graphics => types::GRAPHICS,
        Queue::Constant => types::CONSTANT,
        Queue::Compute { pipe, queue } => 1 + u32::from(pipe) * u32::from(QUEUES) + u32::from(queue),
    }
}

/// The translator, and somebody who is told of flips and interrupts.
struct Heard<'a> {
    graphics: &'a mut Translator,
    listener: Listener,
}

impl Graphics for Heard<'_> {
    fn draw(&mut self, registers: &mut Registers, memory: &mut dyn GuestMemory, draw: &Draw) {
        self.graphics.draw(registers, memory, draw);
    }

    fn dispatch(&mut self, queue: Queue, registers: &mut Registers, memory: &mut dyn GuestMemory, dispatch: &Dispatch) {
        self.graphics.dispatch(queue, registers, memory, dispatch);
    }

    fn before_cpu_reads(&mut self, memory: &mut dyn GuestMemory, address: u64, size: u64) {
        self.graphics.before_cpu_reads(memory, address, size);
    }

    fn cpu_wrote(&mut self, address: u64, size: u64) {
        self.graphics.cpu_wrote(address, size);
    }

    fn copy(&mut self, memory: &mut dyn GuestMemory, from: u64, to: u64, size: u64) -> bool {
        self.graphics.copy(memory, from, to, size)
    }

    fn fill(&mut self, memory: &mut dyn GuestMemory, to: u64, size: u64, word: u32) -> bool {
        self.graphics.fill(memory, to, size, word)
    }

    fn flush(&mut self, registers: &mut Registers, memory: &mut dyn GuestMemory) {
        self.graphics.flush(registers, memory);
    }

    fn passed_samples(&mut self) -> u64 {
        self.graphics.passed_samples()
    }

    fn stream_out_offset(&mut self, buffer: u32) -> u32 {
        self.graphics.stream_out_offset(buffer)
    }

    fn set_stream_out_offset(&mut self, buffer: u32, offset: u32) {
        self.graphics.set_stream_out_offset(buffer, offset);
    }

    fn before_gds_read(&mut self, gds: &mut [u8]) {
        self.graphics.before_gds_read(gds);
    }

    fn gds_written(&mut self, gds: &[u8], written: std::ops::Range<usize>) {
        self.graphics.gds_written(gds, written);
    }

    fn flip(&mut self, memory: &mut dyn GuestMemory, flip: &Flip) {
        self.graphics.flip(memory, flip);
        if let Some(flipped) = self.listener.flipped {
            let Flip { handle, buffer, mode, argument } = *flip;
            let flip = types::Flip { handle, buffer, mode, pad: 0, argument };
            // SAFETY: as of `tell`.
            unsafe { flipped(self.listener.user, &raw const flip) };
        }
    }

    fn interrupt(&mut self, queue: Queue) {
        self.graphics.interrupt(queue);
        if let Some(interrupted) = self.listener.interrupted {
            // SAFETY: as of `tell`.
            unsafe { interrupted(self.listener.user, number(queue)) };
        }
    }

    fn marker(&mut self, marker: &Marker) {
        self.graphics.marker(marker);
    }

    fn submit(&mut self) {
        self.graphics.submit();
    }
}

impl Processor {
    /// Opens the device, and makes a processor as the options say.
    ///
    /// # Safety
    /// What `options` point at is there, and its callbacks are what the header says.
    pub(crate) unsafe fn new(options: &Options) -> Result<Self, Failure> {
        let Options { size, user, flipped, interrupted, told, name, scanout, encoding, .. } = *options;
        if size != size_of::<Options>() {
            let ours = size_of::<Options>();
            return Err(argument(format!("options: size is {size}; of this version it is {ours}")));
        }
        let encoding = match encoding {
            types::PM4 => Encoding::Pm4,
            types::PRIVATE => Encoding::Private,
            other => return Err(argument(format!("options: encoding {other} is neither 0 nor 1"))),
        };
        let scanout = match scanout {
            types::SCANOUT_NONE => None,
            types::SCANOUT_OPAQUE_FD => Some(ExportKind::OpaqueFd),
            types::SCANOUT_DMA_BUF => Some(ExportKind::DmaBuf),
            other => return Err(argument(format!("options: scanout {other} is none of 0 to 2"))),
        };
        // SAFETY: the caller says so.
        let name = if name.is_null() { "gnm" } else { unsafe { text(name, "options: name")? } };
        let mut memory = memory::of(options).map_err(|message| Failure::new(ARGUMENT, message))?;
        if let Memory::Ours(regions) = &mut memory {
            // What the console's kernel does before a program draws; that it can be mapped is known.
            let _mapped = embedded::map(regions);
        }
        // Of an embedder's memory, it may be that nothing is there.
        let _installed = embedded::install(&mut memory);
        let device = |error: afterimage_vulkan::Error| Failure::new(DEVICE, error);
        let mut renderer = Renderer::new(Rendering::from_env()).map_err(device)?;
        let exports = scanout.map(|kind| renderer.export_pictures(kind)).transpose().map_err(device)?;
        let link = renderer.on_thread(ArenaConfig::from_env()).map_err(device)?;
        Ok(Self {
            gpu: Gpu::new(memory, Box::new(link), name),
            driver: Driver::new(encoding),
            listener: Listener { user, flipped, interrupted, told },
            exports,
        })
    }

    /// Runs every queue until all are idle or wait, and tells what could not be done.
    pub(crate) fn run(&mut self) -> Stop {
        let Self { gpu, listener, .. } = self;
        gpu.graphics.begin();
        let mut heard = Heard { graphics: &mut gpu.graphics, listener: *listener };
        let stop = gpu.machine.run(&mut gpu.memory, &mut heard);
        gpu.graphics.store_everything(&mut gpu.memory);
        for fault in gpu.faults() {
            listener.tell(types::FAULT, &fault.to_string());
        }
        if let Stop::Waiting(waits) = &stop {
            for wait in waits {
                listener.tell(types::WAIT, &format!("{} at {:#x}: {}", wait.queue, wait.address, wait.reason));
            }
        }
        stop
    }

    /// The newest picture that was shown, in an image of the device's, if there is one.
    pub(crate) fn scanout(&mut self) -> Result<Option<Scanout>, Failure> {
        let completed = self.gpu.graphics.finish_frames();
        let Some(exports) = &self.exports else {
            return Err(argument("the processor was made without scanout: options.scanout says which kind"));
        };
        let taken = exports.take(completed).map_err(|error| Failure::new(DEVICE, error))?;
        Ok(taken.map(|picture| Scanout {
            kind: match picture.kind {
                ExportKind::OpaqueFd => types::SCANOUT_OPAQUE_FD,
                ExportKind::DmaBuf => types::SCANOUT_DMA_BUF,
            },
            fd: picture.fd.into_raw_fd(),
            image: picture.image,
            frame: picture.frame,
            width: picture.size[0],
            height: picture.size[1],
            format: EXPORT_FORMAT.as_raw() as u32,
            usage: ExportKind::USAGE.as_raw(),
            bytes: picture.bytes,
            memory_type: picture.memory_type,
            pad: 0,
            offset: picture.layout[0],
            pitch: picture.layout[1],
            device_uuid: picture.uuids[0],
            driver_uuid: picture.uuids[1],
        }))
    }

    /// Gives an image back.
    pub(crate) fn release(&mut self, image: u64) -> Result<(), Failure> {
        let given = self.exports.as_ref().is_some_and(|exports| exports.release(image));
        if given { Ok(()) } else { Err(argument(format!("image {image} was not handed out"))) }
    }
}
