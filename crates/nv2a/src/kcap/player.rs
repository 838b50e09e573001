//! Carries the records of a recording out.

use super::{Frame, KcapError, Located, Reader, Record};
use crate::machine::{Graphics, Interrupt, Machine, PusherError, Stop};
use crate::memory::{GuestMemory, Ram};

/// What a record did, as far as somebody may care.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// The push buffer ran; the last interrupt that it raised.
    Ran(Option<Interrupt>),
    /// The push buffer could not be followed. The next record goes on.
    Fault(PusherError),
    /// The run before ended with this software method when it was recorded.
    Software {
        /// Its argument.
        code: u32,
        /// Its parameters.
        parameters: [u32; 2],
    },
    /// The program saves a picture. What was drawn into it is in memory now.
    Frame(Frame),
}

/// Plays a recording on a machine with memory of its own.
#[derive(Debug)]
pub struct Player {
    reader: Reader,
    /// The machine.
    pub machine: Machine,
    /// The console's memory.
    pub memory: Ram,
}

impl Player {
    /// A machine after reset, and memory of zeros.
    #[must_use]
    pub fn new(reader: Reader) -> Self {
        Self { reader, machine: Machine::new(), memory: Ram::new(Ram::XBOX) }
    }

    /// Carries records out until one does something that is not only a write; `None` at the end.
    ///
    /// # Errors
    /// If the file is damaged; what came before is done.
    pub fn step(&mut self, graphics: &mut dyn Graphics) -> Result<Option<Event>, KcapError> {
        while let Some(located) = self.read()? {
            if let Some(event) = self.apply(located.record, graphics) {
                return Ok(Some(event));
            }
        }
        Ok(None)
    }

    /// The next record, for [`Player::apply`].
    ///
    /// # Errors
    /// If the file is damaged.
    pub fn read(&mut self) -> Result<Option<Located>, KcapError> {
        self.reader.next_record()
    }

    /// Carries a record out.
    pub fn apply(&mut self, record: Record, graphics: &mut dyn Graphics) -> Option<Event> {
        match record {
            Record::Memory { address, bytes } => self.write(graphics, address, &bytes),
            Record::Fill { address, size, word } => {
                const CHUNK: u32 = 1 << 16;
                graphics.write_back(&mut self.memory, address, size);
                let bytes = word.to_le_bytes().repeat(CHUNK.min(size) as usize / 4);
                for at in (0..size).step_by(CHUNK as usize) {
                    let chunk = &bytes[..CHUNK.min(size - at) as usize];
                    // The reader has checked the range.
                    let _written = self.memory.write(address + at, chunk);
                }
            }
            Record::Register { offset, value } => {
                self.machine.write_register(&mut self.memory, graphics, offset, value);
            }
            Record::Execute { get, put } => {
                self.machine.set_pusher(get, put);
                return Some(self.run(graphics).map_or_else(Event::Fault, Event::Ran));
            }
            Record::Software { code, parameters } => return Some(Event::Software { code, parameters }),
            Record::Frame(frame) => {
                graphics.write_back(&mut self.memory, frame.address, frame.size());
                return Some(Event::Frame(frame));
            }
        }
        None
    }

    /// The processor writes: what was drawn around it comes into memory first.
    fn write(&mut self, graphics: &mut dyn Graphics, address: u32, bytes: &[u8]) {
        graphics.write_back(&mut self.memory, address, bytes.len() as u32);
        // The reader has checked the range.
        let _written = self.memory.write(address, bytes);
    }

    /// Runs to PUT, or until the machine's limits are used up: the processor's part of interrupts is in records, and the display shows pictures at once.
    fn run(&mut self, graphics: &mut dyn Graphics) -> Result<Option<Interrupt>, PusherError> {
        let mut last = None;
        loop {
            match self.machine.run(&mut self.memory, graphics)? {
                Stop::Idle => return Ok(last),
                Stop::Interrupt(interrupt) => {
                    self.machine.acknowledge();
                    last = Some(interrupt);
                }
                Stop::FlipStall => {
                    self.machine.vertical_blank();
                    self.machine.end_stall();
                }
            }
        }
    }
}
