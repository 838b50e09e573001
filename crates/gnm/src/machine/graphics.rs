//! What the machine hands to whoever draws, and what it asks of it.

use crate::memory::GuestMemory;
use afterimage_gnm_types::Registers;
use std::ops::Range;

/// Where a draw's indices come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Indices {
    /// 0, 1, 2 and so on.
    Auto,
    /// Memory.
    Memory {
        /// Guest address of the first index.
        address: u64,
        /// How wide indices are.
        kind: IndexKind,
        /// Indices that there are from there on; those behind them are 0.
        available: u32,
    },
}

/// How wide indices are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum IndexKind {
    /// 16 bits.
    U16 = 0,
    /// 32 bits.
    U32 = 1,
    /// 8 bits.
    U8 = 2,
}

impl IndexKind {
    /// Bytes of an index.
    #[must_use]
    pub const fn bytes(self) -> u64 {
        match self {
            Self::U8 => 1,
            Self::U16 => 2,
            Self::U32 => 4,
        }
    }
}

/// A draw. All else is in the registers: `VGT_PRIMITIVE_TYPE`, `VGT_INDX_OFFSET`, user data. What an indirect draw puts into user
/// data is there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Draw {
    /// Where indices come from.
    pub indices: Indices,
    /// Indices, or vertices without indices.
    pub count: u32,
    /// Instances, at least 1.
    pub instances: u32,
    /// Number of the draw among those of one packet.
    pub number: u32,
    /// The count of vertices is that of a stream-out buffer (`VGT_STRMOUT_DRAW_OPAQUE_OFFSET` and the
    /// two registers behind it); `count` is 0.
    pub opaque: bool,
}

/// A dispatch. The program, its group size and user data are in the registers, which are those of the queue it came on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dispatch {
    /// Number of the first group in x, y and z.
    pub first: [u32; 3],
    /// Groups from there on in x, y and z, all at least 1.
    pub groups: [u32; 3],
    /// Lanes of the last group in x, y and z, if that has fewer than others.
    pub last: Option<[u32; 3]>,
    /// `COMPUTE_DISPATCH_INITIATOR` as the packet has it.
    pub initiator: u32,
}

/// A queue: what commands come on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Queue {
    /// The graphics ring, draw engine.
    Graphics,
    /// The graphics ring, constant engine.
    Constant,
    /// A compute ring.
    Compute {
        /// 0 to 6.
        pipe: u8,
        /// 0 to 7.
        queue: u8,
    },
}

impl std::fmt::Display for Queue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Graphics => f.write_str("graphics ring"),
            Self::Constant => f.write_str("constant engine"),
            Self::Compute { pipe, queue } => write!(f, "compute ring {pipe}.{queue}"),
        }
    }
}

/// A flip that the program put into its commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flip {
    /// Handle of the video output.
    pub handle: u32,
    /// Index of the buffer that is to be shown.
    pub buffer: u32,
    /// When.
    pub mode: u32,
    /// What the program wants to hear again.
    pub argument: u64,
}

/// What the program says about its commands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Marker {
    /// A scope begins.
    Push(String),
    /// A scope ends.
    Pop,
    /// A point.
    Set(String),
}

/// Draws for the machine. Everything happens in the order of the calls; what is in host memory comes back into guest memory
/// when [`Graphics::before_cpu_reads`] asks for it.
pub trait Graphics {
    /// Draws. `registers.tracker` says what changed; whoever applies a group takes its mark away.
    fn draw(&mut self, registers: &mut Registers, memory: &mut dyn GuestMemory, draw: &Draw);

    /// Runs a compute shader. The registers are those of the queue, each of which has its own: the tracker is about this queue only.
    fn dispatch(&mut self, queue: Queue, registers: &mut Registers, memory: &mut dyn GuestMemory, dispatch: &Dispatch);

    /// Whatever was drawn or stored into this range goes into guest memory before this returns. Called before the command
    /// processor or the program reads it.
    fn before_cpu_reads(&mut self, memory: &mut dyn GuestMemory, address: u64, size: u64);

    /// The command processor or the program wrote this range of guest memory, whose pages have new generations.
    fn cpu_wrote(&mut self, address: u64, size: u64);

    /// Copies bytes, as DMA does. True if it was done, for whoever asks by [`Graphics::before_cpu_reads`]; false if the machine is to do
    /// it in guest memory.
    fn copy(&mut self, memory: &mut dyn GuestMemory, from: u64, to: u64, size: u64) -> bool {
        let _ = (memory, from, to, size);
        false
    }

    /// Fills bytes with a word, as DMA does. True if it was done, as of [`Graphics::copy`].
    fn fill(&mut self, memory: &mut dyn GuestMemory, to: u64, size: u64, word: u32) -> bool {
        let _ = (memory, to, size, word);
        false
    }

    /// The caches that hold what shaders and targets wrote are flushed: `FLUSH` events, `ACQUIRE_MEM`, `SURFACE_SYNC`.
    fn flush(&mut self, registers: &mut Registers, memory: &mut dyn GuestMemory) {
        let _ = (registers, memory);
    }

    /// Samples that passed the depth test since the machine began, of the draws before, as `ZPASS_DONE` counts them.
    fn passed_samples(&mut self) -> u64;

    /// Bytes that stream-out wrote into a buffer, 0 to 3, since its offset was set.
    fn stream_out_offset(&mut self, buffer: u32) -> u32;

    /// Stream-out into a buffer, 0 to 3, goes on at this offset, in bytes.
    fn set_stream_out_offset(&mut self, buffer: u32, offset: u32);

    /// What shaders did to the global data share, 64 KiB, goes into `gds`: the command processor reads it.
    fn before_gds_read(&mut self, gds: &mut [u8]) {
        let _ = gds;
    }

    /// The command processor wrote these bytes of the global data share, of which `gds` is all.
    fn gds_written(&mut self, gds: &[u8], written: Range<usize>) {
        let _ = (gds, written);
    }

    /// The display shows a buffer, after all that came before.
    fn flip(&mut self, memory: &mut dyn GuestMemory, flip: &Flip);

    /// An interrupt of a queue: the processor is told that everything before has happened.
    fn interrupt(&mut self, queue: Queue) {
        let _ = queue;
    }

    /// A marker of the program.
    fn marker(&mut self, marker: &Marker) {
        let _ = marker;
    }

    /// A frame ends, or the queues have nothing more to do: a chance to hand batches over.
    fn submit(&mut self);
}

/// Draws nothing and counts nothing, for those who only want commands to be followed: registers and memory become what they do
/// without shaders.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoGraphics;

impl Graphics for NoGraphics {
    fn draw(&mut self, registers: &mut Registers, _memory: &mut dyn GuestMemory, _draw: &Draw) {
        registers.tracker.take();
    }

    fn dispatch(&mut self, _: Queue, registers: &mut Registers, _: &mut dyn GuestMemory, _: &Dispatch) {
        registers.tracker.take();
    }

    fn before_cpu_reads(&mut self, _memory: &mut dyn GuestMemory, _address: u64, _size: u64) {}

    fn cpu_wrote(&mut self, _address: u64, _size: u64) {}

    fn passed_samples(&mut self) -> u64 {
        0
    }

    fn stream_out_offset(&mut self, _buffer: u32) -> u32 {
        0
    }

    fn set_stream_out_offset(&mut self, _buffer: u32, _offset: u32) {}

    fn flip(&mut self, _memory: &mut dyn GuestMemory, _flip: &Flip) {}

    fn submit(&mut self) {}
}
