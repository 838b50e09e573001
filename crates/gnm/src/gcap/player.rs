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
                graphics.before_cpu_reads(&mut self.memory, address, size);
                // The reader has checked the range.
                let _mapped = self.memory.map(address, size);
                graphics.cpu_wrote(address, size);
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

#[cfg(test)]
mod tests {
    use super::super::Writer;
    use super::*;
    use crate::driver::CommandBuffer;
    use crate::machine::{Dispatch, Draw, FaultKind, Flip, Registers};
    use afterimage_gnm_types::op;
    use std::io::Cursor;

    #[derive(Default)]
    struct Calls(Vec<Queue>);

    impl Graphics for Calls {
        fn draw(&mut self, _registers: &mut Registers, _memory: &mut dyn GuestMemory, _draw: &Draw) {
            self.0.push(Queue::Graphics);
        }
        fn dispatch(&mut self, queue: Queue, _: &mut Registers, _: &mut dyn GuestMemory, _: &Dispatch) {
            self.0.push(queue);
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

    #[test]
    fn records_are_carried_out_and_what_cannot_be_done_is_told() {
        let mut draw = CommandBuffer::new();
        draw.packet(op::WAIT_REG_MEM, &[0x13, 0x9000, 0, 1, u32::MAX, 10]);
        draw.packet(op::DRAW_INDEX_INDIRECT, &[0, 0, 0, 0]);
        draw.packet(op::DRAW_INDEX_AUTO, &[3, 2]);
        draw.packet(op::WRITE_DATA, &[0x500, 0x9000, 0, 0xABCD]);
        let mut compute = CommandBuffer::new();
        compute.packet(op::DISPATCH_DIRECT, &[1, 1, 1, 1]);
        let bytes = |buffer: &CommandBuffer| buffer.words().iter().flat_map(|word| word.to_le_bytes()).collect();
        let submit = |queue, address, buffer: &CommandBuffer| {
            Record::Submit(Submission { queue, draw: (address, buffer.bytes()), constant: (0, 0) })
        };
        let dump = Dump { address: 0x9000, size: 4, name: "label".into() };
        let mut writer = Writer::new(Vec::new()).unwrap();
        for record in [
            Record::Map { address: 0x9000, size: 0x1000 },
            Record::Memory { address: 0x2_0000_0000, bytes: bytes(&draw) },
            Record::Memory { address: 0x3_0000_0000, bytes: bytes(&compute) },
            submit(0, 0x2_0000_0000, &draw),
            submit(20, 0x3_0000_0000, &compute),
            Record::Dump(dump.clone()),
        ] {
            writer.record(&record).unwrap();
        }
        let mut player = Player::new(Reader::new(Cursor::new(writer.finish().unwrap())).unwrap());
        let mut calls = Calls::default();
        let Some(Event::Ran { queue: Queue::Graphics, faults }) = player.step(&mut calls).unwrap() else { panic!() };
        assert!(matches!(faults[0].kind, FaultKind::NeverTrue(_)) && matches!(faults[1].kind, FaultKind::Unmapped(_)));
        assert_eq!((faults.len(), faults[1].address), (2, 0x2_0000_001C));
        let queue = Queue::Compute { pipe: 2, queue: 3 };
        assert_eq!(player.step(&mut calls).unwrap(), Some(Event::Ran { queue, faults: vec![] }));
        assert_eq!(calls.0, [Queue::Graphics, queue]);
        assert_eq!(player.step(&mut calls).unwrap(), Some(Event::Dump(dump)));
        assert_eq!(player.memory.word(0x9000), Some(0xABCD));
        assert_eq!(player.step(&mut calls).unwrap(), None);
    }
}
