//! Runs push buffers: decodes their words into registers and actions. Knows nothing of the host.
//!
//! * `word`, `pusher`: what a push buffer says, and who follows it; `walk` only looks.
//! * `instance`: handles and objects. `registers`: what the processor sees at the device's addresses. `tiles`: memory whose
//!   lines are not one after the other.
//! * `kelvin`: the 3D class. `two_d`: blits, copies, lines and what they depend on.
//! * `scanout`: the picture that the display shows.

mod graphics;
mod instance;
mod kelvin;
mod pusher;
mod registers;
mod scanout;
mod tiles;
mod two_d;
mod unknown;
mod walk;
mod word;

pub use graphics::{Attributes, Dma, Graphics, Kelvin, Part, Primitive, PrimitiveKind};
pub use pusher::{Fault, Limits, PusherError, PusherState};
pub use registers::register;
pub use scanout::{DisplayMode, Picture, PixelFormat};
pub use walk::{Step, Walk, What};
pub use word::{Header, Word};

use crate::memory::{DmaObject, GuestMemory};
use instance::{Address, Instance};
use kelvin::Engine;
use pusher::{Budget, HEAVY};
use registers::Registers;
use tiles::Tiles;
use two_d::{Refused, TwoD};
use unknown::Unknown;

/// Class of the 3D engine.
pub(crate) const KELVIN: u8 = 0x97;

/// Why the machine stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// GET is PUT.
    Idle,
    /// An interrupt waits for the processor: [`Machine::acknowledge`] it, or write its bit to PGRAPH's interrupt register.
    Interrupt(Interrupt),
    /// `FLIP_STALL`: nothing goes on before [`Machine::vertical_blank`].
    FlipStall,
}

/// What the graphics processor wants the processor to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interrupt {
    /// `NO_OPERATION` with an argument: a software method.
    Software {
        /// Subchannel that it came on.
        subchannel: u8,
        /// The argument.
        code: u32,
        /// `SET_ZSTENCIL_CLEAR_VALUE` and `SET_COLOR_CLEAR_VALUE`, where programs leave its parameters.
        parameters: [u32; 2],
    },
    /// `NOTIFY` that asked to be told.
    Notify {
        /// Subchannel that it came on.
        subchannel: u8,
    },
}

/// Memory and graphics during a call.
struct Bus<'a> {
    memory: &'a mut dyn GuestMemory,
    graphics: &'a mut dyn Graphics,
    tiles: Tiles,
    /// Whether the machine wrote memory since the pusher last read it.
    wrote: bool,
    /// Words that methods moved besides those of the push buffer, which count against [`Limits::words`].
    work: u64,
}

impl Bus<'_> {
    /// Reads what the processor would see: draws into the range come back first.
    fn read(&mut self, address: u32, out: &mut [u8]) -> bool {
        self.graphics.write_back(self.memory, address, out.len() as u32);
        self.memory.read(address, out).is_ok()
    }

    /// Writes through a DMA object; false, and nothing happens, where its limit or memory ends.
    fn write_dma(&mut self, dma: Option<DmaObject>, offset: u32, bytes: &[u8]) -> bool {
        let Some(address) = dma.and_then(|dma| dma.resolve(offset, bytes.len() as u32)) else { return false };
        self.wrote = true;
        // What was drawn around it is not lost when its page changes.
        self.graphics.write_back(self.memory, address, bytes.len() as u32);
        self.memory.write(address, bytes).is_ok()
    }
}

/// What handles mean now.
#[derive(Clone, Copy)]
struct Handles<'a> {
    instance: &'a Instance,
    ramht: u32,
}

impl Handles<'_> {
    fn find(&self, handle: u32) -> Option<Address> {
        self.instance.find(self.ramht, handle)
    }

    fn dma(&self, handle: u32) -> Option<DmaObject> {
        self.find(handle).and_then(|address| self.instance.dma(address))
    }
}

/// What is bound to a subchannel.
#[derive(Clone, Copy, Debug, Default)]
enum Binding {
    #[default]
    Nothing,
    Kelvin,
    TwoD(Address),
    /// A class that is not known.
    Other(u8),
}

/// The window of memory that holds the push buffer.
#[derive(Clone, Copy, Debug)]
struct PushBuffer {
    address: u32,
    limit: u64,
}

/// The graphics processor, without the drawing.
///
/// It owns no memory and draws nothing: both are handed to it with each call that needs them. One channel is there, whose
/// doorbell is at USER.
#[derive(Debug)]
pub struct Machine {
    /// What [`Machine::run`] may do before it gives up.
    pub limits: Limits,
    /// What the display is set to, which the processor tells the video encoder and not us.
    pub display: DisplayMode,
    pusher: PusherState,
    /// What a stop left of the limits.
    left: Option<Budget>,
    push_buffer: PushBuffer,
    block: Vec<u32>,
    instance: Instance,
    /// Where handles are looked up.
    ramht: u32,
    registers: Registers,
    tiles: Tiles,
    subchannels: [Binding; 8],
    /// The one that methods came on last.
    subchannel: u8,
    /// The processor took the class away from the object there: its methods do nothing.
    without_class: bool,
    kelvin: Engine,
    two_d: TwoD,
    interrupt: Option<Interrupt>,
    flip_stalled: bool,
    unknown: Unknown,
}

impl Default for Machine {
    fn default() -> Self {
        Self::new()
    }
}

impl Machine {
    /// The machine after reset.
    #[must_use]
    pub fn new() -> Self {
        Self {
            limits: Limits::default(),
            display: DisplayMode::default(),
            pusher: PusherState::default(),
            left: None,
            push_buffer: PushBuffer { address: 0, limit: u32::MAX.into() },
            block: vec![0; pusher::BLOCK],
            instance: Instance::new(),
            ramht: 0,
            registers: Registers::default(),
            tiles: Tiles::default(),
            subchannels: [Binding::default(); 8],
            subchannel: 0,
            without_class: false,
            kelvin: Engine::default(),
            two_d: TwoD::default(),
            interrupt: None,
            flip_stalled: false,
            unknown: Unknown::default(),
        }
    }

    /// Runs the push buffer until GET is PUT, or until something has to be done outside. A run that was stopped goes on with
    /// the next call.
    ///
    /// # Errors
    /// If a word cannot be followed. The words before it were executed; GET stands on it, and stands there with the next call.
    pub fn run(&mut self, memory: &mut dyn GuestMemory, graphics: &mut dyn Graphics) -> Result<Stop, PusherError> {
        let mut bus = Bus { memory, graphics, tiles: self.tiles, wrote: false, work: 0 };
        let mut block = std::mem::take(&mut self.block);
        let result = self.push(&mut bus, &mut block);
        self.block = block;
        if let Err(error) = &result {
            self.registers.pusher_error(error.fault);
        }
        result
    }

    /// Where the pusher is.
    #[must_use]
    pub fn pusher(&self) -> PusherState {
        self.pusher
    }

    /// Sets GET and PUT, as the processor does with the doorbell. Bits 1 and 0 do not exist. Pending arguments persist.
    pub fn set_pusher(&mut self, get: u32, put: u32) {
        self.pusher.get = get & !3;
        self.set_put(put);
    }

    /// More is to be done: the limits count anew.
    fn set_put(&mut self, put: u32) {
        self.pusher.put = put & !3;
        self.left = None;
    }

    /// The words between GET and PUT as they are now, without running them.
    #[must_use]
    pub fn walk<'a>(&self, memory: &'a dyn GuestMemory) -> Walk<'a> {
        Walk::new(memory, self.push_buffer, self.pusher, self.limits)
    }

    /// The class of the object that a handle names now, if it names one.
    #[must_use]
    pub fn class_of(&self, handle: u32) -> Option<u8> {
        let address = self.instance.find(self.ramht, handle)?;
        Some(self.instance.class(address))
    }

    /// The Kelvin object: registers, DMA objects, current attributes.
    #[must_use]
    pub fn kelvin(&self) -> &Kelvin {
        &self.kelvin.kelvin
    }

    /// The same, to change it from outside of a push buffer.
    #[must_use]
    pub fn kelvin_mut(&mut self) -> &mut Kelvin {
        &mut self.kelvin.kelvin
    }

    /// The processor has done what an interrupt asked for.
    pub fn acknowledge(&mut self) {
        self.interrupt = None;
    }

    /// The display has shown a picture: the flip's read index goes on, which ends a stall.
    pub fn vertical_blank(&mut self) {
        self.registers.vertical_blank();
        self.kelvin.vertical_blank();
        self.flip_stalled &= self.kelvin.flip_waits();
    }

    /// Goes on behind a `FLIP_STALL` that no vertical blank ends.
    pub fn end_stall(&mut self) {
        self.flip_stalled = false;
    }

    /// Nanoseconds since the console was switched on, which go into reports and notifies.
    pub fn set_time(&mut self, nanoseconds: u64) {
        self.kelvin.time = nanoseconds;
    }

    fn stopped(&self) -> Option<Stop> {
        match self.interrupt {
            Some(interrupt) => Some(Stop::Interrupt(interrupt)),
            None => self.flip_stalled.then_some(Stop::FlipStall),
        }
    }

    /// Hands arguments to the object on their subchannel: how many of them it took, at least one.
    #[inline]
    fn execute(&mut self, bus: &mut Bus<'_>, header: Header, arguments: &[u32]) -> usize {
        /// Methods below this are PFIFO's own.
        const FIRST_METHOD: u16 = 0x100;
        if header.method < FIRST_METHOD {
            bus.work += HEAVY;
            self.fifo_method(header, arguments[0]);
            return 1;
        }
        if self.without_class {
            if header.subchannel == self.subchannel {
                return arguments.len();
            }
            // An object of another subchannel comes with its class.
            self.without_class = false;
        }
        self.subchannel = header.subchannel;
        let handles = Handles { instance: &self.instance, ramht: self.ramht };
        match self.subchannels[usize::from(header.subchannel)] {
            Binding::Kelvin => {
                let outcome = self.kelvin.run(header, arguments, bus, handles, &mut self.unknown);
                if let Some(stop) = outcome.stop {
                    match stop {
                        Stop::Interrupt(interrupt) => self.interrupt = Some(interrupt),
                        Stop::FlipStall => self.flip_stalled = true,
                        Stop::Idle => {}
                    }
                }
                outcome.used
            }
            Binding::TwoD(address) => {
                let class = self.instance.class(address);
                // Handles are looked for, and notifications written.
                const FIRST_LIGHT: u16 = 0x2FC;
                bus.work += if header.method < FIRST_LIGHT { HEAVY } else { 0 };
                match self.two_d.method(address, header.method, arguments[0], bus, handles) {
                    Ok(()) => {}
                    Err(Refused::Method) => self.unknown.method(class, header.method, arguments[0]),
                    Err(Refused::Argument(why)) => self.unknown.argument(class, header.method, arguments[0], why),
                }
                1
            }
            Binding::Nothing => {
                self.unknown.unbound(header.subchannel, header.method, arguments[0]);
                arguments.len()
            }
            Binding::Other(class) => {
                self.unknown.method(class, header.method, arguments[0]);
                1
            }
        }
    }

    /// Methods that PFIFO executes itself.
    fn fifo_method(&mut self, header: Header, argument: u32) {
        const SET_OBJECT: u16 = 0x0000;
        const SET_REFERENCE: u16 = 0x0050;
        match header.method {
            SET_OBJECT => self.bind(header.subchannel, argument),
            SET_REFERENCE => self.registers.set(register::PFIFO_CACHE1_REF, argument),
            method => self.unknown.method(0, method, argument),
        }
    }

    /// Binds the object that a handle names to a subchannel.
    fn bind(&mut self, subchannel: u8, handle: u32) {
        let found = self.instance.find(self.ramht, handle);
        let binding = match found.map(|address| (address, self.instance.class(address))) {
            None => {
                self.unknown.handle(handle);
                Binding::Nothing
            }
            Some((_, KELVIN)) => Binding::Kelvin,
            Some((address, class)) if self.two_d.create(address, class) => Binding::TwoD(address),
            Some((_, class)) => {
                self.unknown.class(class);
                Binding::Other(class)
            }
        };
        self.subchannels[usize::from(subchannel)] = binding;
        self.without_class &= subchannel != self.subchannel;
    }

    /// Class of the object that methods came to last; 0 without one.
    fn class(&self) -> u8 {
        match self.subchannels[usize::from(self.subchannel)] {
            _ if self.without_class => 0,
            Binding::Nothing => 0,
            Binding::Kelvin => KELVIN,
            Binding::TwoD(address) => self.instance.class(address),
            Binding::Other(class) => class,
        }
    }
}
