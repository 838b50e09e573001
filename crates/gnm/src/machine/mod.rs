//! Runs command buffers: decodes their words into registers and actions. Knows nothing of the host.
//!
//! * `ring` is where commands come from, `engine` takes them from there, `stream` follows them through command buffers, `wait` is
//!   what stops them.
//! * `exec` says what each packet is; `registers`, `control`, `draws`, `transfer`, `dma`, `atomics`, `events`, `constants` carry
//!   packets out; `statistics` counts draws and dispatches.
//! * `fault` is what goes wrong; `saved` is the state as bytes, `archive` what these are written to.

mod archive;
mod atomics;
mod bus;
mod clear_state;
mod constants;
mod control;
mod dma;
mod draws;
mod engine;
mod events;
mod exec;
mod fault;
mod graphics;
mod registers;
mod ring;
mod saved;
mod statistics;
mod stream;
#[cfg(test)]
mod tests;
mod transfer;
mod wait;

pub use afterimage_gnm_types::Registers;
pub use archive::StateError;
pub use fault::{Fault, FaultKind, Limits};
pub use graphics::{Dispatch, Draw, Flip, Graphics, IndexKind, Indices, Marker, NoGraphics, Queue};

use crate::memory::GuestMemory;
use afterimage_gnm_types::op;
pub(crate) use archive::{Archive, Kept, kept};
use bus::Bus;
use constants::Constants;
use engine::{ComputeQueue, Engine, Waiting};
use exec::Exec;
use fault::Reports;
use ring::{ComputeRing, GraphicsRing};
use statistics::Statistics;
use stream::Stream;

/// Compute pipes.
pub const PIPES: u8 = 7;
/// Compute rings of a pipe.
pub const QUEUES: u8 = 8;
/// Most words of a command buffer.
pub const LARGEST_BUFFER: u32 = 0xF_FFFF;
/// A 64-bit number of two words, low first.
fn long(body: &[u32], at: usize) -> u64 {
    let word = |at: usize| u64::from(body.get(at).copied().unwrap_or(0));
    word(at) | word(at + 1) << 32
}

/// Registers and what belongs to them; each ring has its own.
#[derive(Debug)]
struct Context {
    registers: Registers,
    /// Where indirect draws have their parts, by `SET_BASE`.
    indirect_base: u64,
    /// Whether packets with the predicate bit are followed.
    predicate: bool,
    /// Samples that were counted over several predications.
    predicate_sum: u64,
    /// What the last `ATOMIC` found.
    atomic_result: u64,
    /// What the last `ATOMIC_GDS` found.
    gds_atomic_result: u64,
}

impl Default for Context {
    fn default() -> Self {
        let registers = Registers::new();
        Self { registers, indirect_base: 0, predicate: true, predicate_sum: 0, atomic_result: 0, gds_atomic_result: 0 }
    }
}

/// What all queues share.
#[derive(Debug)]
struct Shared {
    limits: Limits,
    constants: Constants,
    gds: Box<[u8]>,
    statistics: Statistics,
    reports: Reports,
    time: u64,
}

/// Why the machine stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Every queue has done what it had.
    Idle,
    /// Some queues wait for memory that only the processor can change, and the others have nothing to do. The next run looks
    /// again; [`Machine::skip_waits`] goes on without.
    Waiting(Vec<WaitInfo>),
}

/// What a queue waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitInfo {
    /// The queue.
    pub queue: Queue,
    /// Guest address of the packet that waits.
    pub address: u64,
    /// For what, for people.
    pub reason: String,
}

/// Why something was not given to a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QueueError {
    /// The graphics ring is full: run the machine.
    #[error("the graphics ring has no room for {0} more command buffers; run the machine first")]
    Full(usize),
    /// A command buffer of no words, or of more than 20 bits can say.
    #[error("a command buffer of {bytes} bytes cannot be submitted: 4 to 4194300 in whole words are possible")]
    Size {
        /// Its bytes.
        bytes: u64,
    },
    /// A pipe that there is not.
    #[error("there is no compute pipe {0}: 0 to 6 are possible")]
    Pipe(u32),
    /// A ring that there is not.
    #[error("there is no compute ring {0} of a pipe: 0 to 7 are possible")]
    Queue(u32),
    /// A ring that does not lie at a multiple of 256 bytes.
    #[error("a compute ring cannot lie at {0:#x}: a multiple of 256 is possible")]
    RingAddress(u64),
    /// A ring whose size is no power of two.
    #[error("a compute ring cannot have {0} words: a power of two up to 2^20 is possible")]
    RingSize(u32),
    /// A read pointer that does not lie at a multiple of 4 bytes.
    #[error("the read pointer of a compute ring cannot lie at {0:#x}: a multiple of 4 is possible")]
    ReadPointer(u64),
    /// The ring is there already.
    #[error("compute ring {pipe}.{queue} is mapped already")]
    Mapped {
        /// Its pipe.
        pipe: u8,
        /// Its number in the pipe.
        queue: u8,
    },
    /// The ring is not there.
    #[error("compute ring {pipe}.{queue} is not mapped")]
    NotMapped {
        /// Its pipe.
        pipe: u8,
        /// Its number in the pipe.
        queue: u8,
    },
    /// An offset behind the ring's end.
    #[error("a compute ring of {words} words has no word {offset}")]
    Offset {
        /// Words of the ring.
        words: u32,
        /// The offset, in words.
        offset: u32,
    },
}

/// Words of a command buffer of so many bytes, if they can be submitted.
fn words_of(bytes: u64) -> Result<u32, QueueError> {
    let words = u32::try_from(bytes / 4).ok().filter(|words| (1..=LARGEST_BUFFER).contains(words));
    words.filter(|_| bytes.is_multiple_of(4)).ok_or(QueueError::Size { bytes })
}

/// The command processor.
///
/// It owns no memory and draws nothing: both are handed to it with each call that needs them.
#[derive(Debug)]
pub struct Machine {
    shared: Shared,
    ring: GraphicsRing,
    context: Context,
    draw: Engine,
    constant: Engine,
    compute: [Option<Box<ComputeQueue>>; PIPES as usize * QUEUES as usize],
}

impl Default for Machine {
    fn default() -> Self {
        Self::new()
    }
}

impl Machine {
    /// The machine after reset: context registers are clear.
    #[must_use]
    pub fn new() -> Self {
        let mut context = Context::default();
        clear_state::clear(&mut context.registers);
        let shared = Shared {
            limits: Limits::default(),
            constants: Constants::default(),
            gds: vec![0; transfer::GDS].into(),
            statistics: Statistics::default(),
            reports: Reports::default(),
            time: 0,
        };
        Self {
            shared,
            ring: GraphicsRing::default(),
            context,
            draw: Engine::new(Queue::Graphics),
            constant: Engine::new(Queue::Constant),
            compute: [const { None }; PIPES as usize * QUEUES as usize],
        }
    }

    /// What a submission may do before it is given up.
    pub fn set_limits(&mut self, limits: Limits) {
        self.shared.limits = limits;
    }

    /// The clock that end-of-pipe events write, in ticks of 100 MHz.
    pub fn set_time(&mut self, ticks: u64) {
        self.shared.time = ticks;
    }

    /// Registers of the graphics ring.
    #[must_use]
    pub fn registers(&self) -> &Registers {
        &self.context.registers
    }

    /// The same, to change them from outside of a command buffer.
    pub fn registers_mut(&mut self) -> &mut Registers {
        &mut self.context.registers
    }

    /// Registers of a compute ring, if it is mapped.
    #[must_use]
    pub fn compute_registers(&self, pipe: u8, queue: u8) -> Option<&Registers> {
        let place = usize::from(pipe) * usize::from(QUEUES) + usize::from(queue);
        let queue = self.compute.get(place)?.as_ref()?;
        Some(&queue.context.registers)
    }

    /// What could not be done since the last call, 256 of them at most.
    pub fn take_faults(&mut self) -> Vec<Fault> {
        self.shared.reports.take()
    }

    /// Puts a draw command buffer into the graphics ring, and the constant command buffer that goes with it, if there is one.
    /// Addresses are guest addresses, sizes bytes.
    ///
    /// # Errors
    /// If a size is none that can be, or the ring is full.
    pub fn submit(&mut self, draw: (u64, u64), constant: Option<(u64, u64)>) -> Result<(), QueueError> {
        let draw = (draw.0, words_of(draw.1)?);
        let constant = constant.map(|(address, bytes)| Ok((address, words_of(bytes)?))).transpose()?;
        if self.ring.room() < 2 {
            return Err(QueueError::Full(2));
        }
        if let Some((address, words)) = constant {
            self.ring.push(op::INDIRECT_BUFFER_CONST, address, words);
        }
        self.ring.push(op::INDIRECT_BUFFER, draw.0, draw.1);
        Ok(())
    }

    /// Gives a command buffer to a compute queue, mapped or not, as if its ring entered it. An address, and bytes.
    ///
    /// # Errors
    /// If there is no such queue, or the size is none that can be.
    pub fn submit_compute(&mut self, pipe: u32, queue: u32, buffer: (u64, u64)) -> Result<(), QueueError> {
        let (place, pipe, queue) = Self::place(pipe, queue)?;
        let words = words_of(buffer.1)?;
        let queue = self.compute[place].get_or_insert_with(|| Box::new(ComputeQueue::new(pipe, queue)));
        queue.buffers.push_back((buffer.0, words));
        Ok(())
    }

    fn place(pipe: u32, queue: u32) -> Result<(usize, u8, u8), QueueError> {
        let pipe = u8::try_from(pipe).ok().filter(|pipe| *pipe < PIPES).ok_or(QueueError::Pipe(pipe))?;
        let queue = u8::try_from(queue).ok().filter(|queue| *queue < QUEUES).ok_or(QueueError::Queue(queue))?;
        Ok((usize::from(pipe) * usize::from(QUEUES) + usize::from(queue), pipe, queue))
    }

    /// Maps a compute ring: its words lie at a guest address, and its read pointer, in bytes, at another, or at 0 for nowhere.
    ///
    /// # Errors
    /// If there is no such ring, or it cannot lie there.
    pub fn map_queue(
        &mut self,
        pipe: u32,
        queue: u32,
        address: u64,
        words: u32,
        read_pointer: u64,
    ) -> Result<(), QueueError> {
        let (place, pipe, queue) = Self::place(pipe, queue)?;
        ComputeRing::check(address, words, read_pointer)?;
        let slot = self.compute[place].get_or_insert_with(|| Box::new(ComputeQueue::new(pipe, queue)));
        if slot.ring.is_some() {
            return Err(QueueError::Mapped { pipe, queue });
        }
        slot.ring = Some(ComputeRing { address, words, read_pointer, read: 0, write: 0, running: 0 });
        Ok(())
    }

    /// Takes a compute ring away, with all that it still had.
    ///
    /// # Errors
    /// If it is not there.
    pub fn unmap_queue(&mut self, pipe: u32, queue: u32) -> Result<(), QueueError> {
        let (place, pipe, queue) = Self::place(pipe, queue)?;
        let mapped = self.compute[place].take_if(|slot| slot.ring.is_some());
        mapped.map(drop).ok_or(QueueError::NotMapped { pipe, queue })
    }

    /// The doorbell of a compute ring: commands are complete up to this word; 0 is the ring's end.
    ///
    /// # Errors
    /// If the ring is not there, or has no such word.
    pub fn set_write_pointer(&mut self, pipe: u32, queue: u32, offset: u32) -> Result<(), QueueError> {
        let (place, pipe, queue) = Self::place(pipe, queue)?;
        let ring = self.compute[place].as_mut().and_then(|slot| slot.ring.as_mut());
        let ring = ring.ok_or(QueueError::NotMapped { pipe, queue })?;
        if offset > ring.words {
            return Err(QueueError::Offset { words: ring.words, offset });
        }
        ring.write = if offset == 0 { ring.words } else { offset };
        Ok(())
    }

    /// Runs every queue until all are idle or wait. They take turns.
    pub fn run(&mut self, memory: &mut dyn GuestMemory, graphics: &mut dyn Graphics) -> Stop {
        let mut bus = Bus { memory, graphics, written: None };
        loop {
            while self.round(&mut bus) {}
            if self.is_idle() {
                break;
            }
            // Nobody got anywhere. What no processor can change is skipped; the rest may still come true.
            let mut skipped = false;
            for engine in Self::engines(&mut self.draw, &mut self.constant, &mut self.compute) {
                if engine.waiting.is_some_and(|waiting| !waiting.wait.is_outside()) {
                    engine.skip_wait(&mut self.shared);
                    skipped = true;
                }
            }
            if !skipped {
                break;
            }
        }
        bus.graphics.submit();
        let waiting: Vec<WaitInfo> = Self::engines(&mut self.draw, &mut self.constant, &mut self.compute)
            .filter_map(|engine| {
                let Waiting { wait, address, .. } = engine.waiting?;
                Some(WaitInfo { queue: engine.queue, address, reason: wait.to_string() })
            })
            .collect();
        if waiting.is_empty() { Stop::Idle } else { Stop::Waiting(waiting) }
    }

    fn engines<'a>(
        draw: &'a mut Engine,
        constant: &'a mut Engine,
        compute: &'a mut [Option<Box<ComputeQueue>>],
    ) -> impl Iterator<Item = &'a mut Engine> {
        [draw, constant].into_iter().chain(compute.iter_mut().flatten().map(|queue| &mut queue.engine))
    }

    /// One turn of every queue. Whether any got anywhere.
    fn round(&mut self, bus: &mut Bus<'_>) -> bool {
        let Self { shared, ring, context, draw, constant, compute } = self;
        let mut progress = false;
        if constant.is_done()
            && let Some((address, words)) = shared.constants.buffers.pop_front()
        {
            constant.streams.begin(Stream { address, words });
            progress = true;
        }
        progress |= constant.turn(context, shared, bus);
        progress |= draw.turn(context, shared, bus);
        if draw.is_done()
            && let Some((for_constants, address, words)) = ring.pop()
        {
            progress = true;
            if for_constants {
                if constant.is_done() && shared.constants.buffers.is_empty() {
                    shared.constants.reset_counters();
                }
                shared.constants.buffers.push_back((address, words));
            } else {
                draw.streams.begin(Stream { address, words });
            }
        }
        for queue in compute.iter_mut().flatten() {
            progress |= queue.turn(shared, bus);
        }
        progress
    }

    /// Whether every queue has done what it had.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.ring.is_empty()
            && self.draw.is_done()
            && self.constant.is_done()
            && self.shared.constants.buffers.is_empty()
            && self.compute.iter().flatten().all(|queue| queue.is_idle())
    }

    /// Every queue goes on behind what it waits for, which is told as a fault: nobody will make it true.
    pub fn skip_waits(&mut self) {
        for engine in Self::engines(&mut self.draw, &mut self.constant, &mut self.compute) {
            engine.skip_wait(&mut self.shared);
        }
    }
}
