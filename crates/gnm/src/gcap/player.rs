//! Carries the records of a recording out.

use super::{Dump, GcapError, Located, Picture, Reader, Record, Submission};
use crate::driver::embedded;
use crate::machine::{Fault, Graphics, Machine, Queue, QueueError, Stop};
use crate::memory::{GuestMemory, Regions, Unmapped};

/// What a record did, as far as somebody may care.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// Command buffers ran to their end. What could not be done was left out.
    Ran {
        /// The queue.
        queue: Queue,
        /// What could not be done.
        faults: Vec<Fault>,
    },
    /// Command buffers could not be submitted.
    Refused(QueueError),
    /// The processor's write was refused: more memory would hold something than there is.
    Write(Unmapped),
    /// A buffer is shown. What was drawn into it is where the graphics keep it: [`Graphics::before_cpu_reads`] brings it into memory.
    Flip(Picture),
    /// Memory is to be kept. What was drawn and stored is in it now.
    Dump(Dump),
}

/// Plays a recording on a machine with memory of its own.
#[derive(Debug)]
pub struct Player {
    reader: Reader,
    /// The machine.
    pub machine: Machine,
    /// The console's memory.
    pub memory: Regions,
}

impl Player {
    /// A machine after reset, and memory with nothing but the library's own shaders.
    #[must_use]
    pub fn new(reader: Reader) -> Self {
        let mut memory = Regions::default();
        // Nothing is there that could be in the way.
        let _installed = embedded::map(&mut memory).map(|()| embedded::install(&mut memory));
        Self { reader, machine: Machine::new(), memory }
    }

    /// Carries records out until one does something that is not only a write; `None` at the end.
    ///
    /// # Errors
    /// If the file is damaged; what came before is done.
    pub fn step(&mut self, graphics: &mut dyn Graphics) -> Result<Option<Event>, GcapError> {
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
    pub fn read(&mut self) -> Result<Option<Located>, GcapError> {
        self.reader.next_record()
    }

    /// Carries a record out.
    pub fn apply(&mut self, record: Record, graphics: &mut dyn Graphics) -> Option<Event> {
        match record {
            Record::Memory { address, bytes } => self.write(graphics, address, &bytes).err().map(Event::Write),
            Record::Map { address, size } => {
                // The reader has checked the range.
                let _mapped = self.memory.map(address, size);
                None
            }
            Record::Submit(submission) => Some(self.submit(&submission, graphics)),
            Record::Flip(picture) => Some(Event::Flip(picture)),
            Record::Dump(dump) => {
                graphics.before_cpu_reads(&mut self.memory, dump.address, dump.size);
                Some(Event::Dump(dump))
            }
        }
    }

    /// The processor writes: what was drawn around it comes into memory first.
    fn write(&mut self, graphics: &mut dyn Graphics, address: u64, bytes: &[u8]) -> Result<(), Unmapped> {
        let size = bytes.len() as u64;
        // The reader has checked the range.
        let _mapped = self.memory.map(address, size);
        graphics.before_cpu_reads(&mut self.memory, address, size);
        self.memory.write(address, bytes)?;
        graphics.cpu_wrote(address, size);
        Ok(())
    }

    fn submit(&mut self, submission: &Submission, graphics: &mut dyn Graphics) -> Event {
        let constant = Some(submission.constant).filter(|constant| constant.1 != 0);
        let queue = submission.queue().unwrap_or(Queue::Graphics);
        let submitted = match queue {
            Queue::Compute { pipe, queue } => self.machine.submit_compute(pipe.into(), queue.into(), submission.draw),
            _ => self.machine.submit(submission.draw, constant),
        };
        if let Err(error) = submitted {
            return Event::Refused(error);
        }
        // No processor is there to make a wait come true.
        while let Stop::Waiting(_) = self.machine.run(&mut self.memory, graphics) {
            self.machine.skip_waits();
        }
        Event::Ran { queue, faults: self.machine.take_faults() }
    }
}
