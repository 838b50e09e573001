//! What is handed to the command processor: command buffers, flips, compute queues.

use super::{CallError, Driver, Words, halves};
use crate::machine::{Graphics, Machine, QUEUES, QueueError, Stop};
use crate::memory::{GuestMemory, Unmapped};
use afterimage_gnm_types::packets::Header;
use afterimage_gnm_types::{markers, op};

/// A compute queue that was mapped: 1 to 56.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct QueueId(
    /// The number that the library gives out.
    pub u32,
);

/// A flip that comes behind command buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlipRequest {
    /// Handle of the video output.
    pub handle: u32,
    /// Index of the buffer.
    pub buffer: u32,
    /// When.
    pub mode: u32,
    /// What the program wants to hear again.
    pub argument: u64,
}

/// Why something was not submitted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SubmitError {
    /// The queue refuses it.
    #[error(transparent)]
    Queue(#[from] QueueError),
    /// Memory that is not there.
    #[error(transparent)]
    Unmapped(#[from] Unmapped),
    /// A flip of an output that is not there.
    #[error(transparent)]
    Call(#[from] CallError),
    /// Nothing is there to submit.
    #[error("there is no command buffer to submit")]
    Nothing,
    /// There are not as many constant as draw command buffers.
    #[error("{constants} constant command buffers for {draws} draw command buffers: as many or none are possible")]
    Pairs {
        /// Draw command buffers.
        draws: usize,
        /// Constant command buffers.
        constants: usize,
    },
    /// The last command buffer has no room for a flip at its end.
    #[error("the command buffer at {address:#x} does not end with room for a flip: 64 words from prepare_flip")]
    NoFlip {
        /// Its guest address.
        address: u64,
    },
    /// A compute queue that was not mapped.
    #[error("no compute queue has the number {0}")]
    Id(u32),
}

impl FlipRequest {
    /// Words of the room for a flip.
    pub const WORDS: usize = 64;

    /// Makes room for a flip: the last words of a command buffer that is submitted with one.
    ///
    /// # Panics
    /// If it is not [`FlipRequest::WORDS`] words.
    pub fn prepare(cmd: &mut [u32]) {
        assert_eq!(cmd.len(), Self::WORDS, "the room for a flip has 64 words");
        cmd.fill(0);
        cmd[0] = Header::packet(op::NOP, Self::WORDS as u32 - 1);
        cmd[1] = markers::PREPARE_FLIP;
    }

    /// What takes the place of the room: the label is 1 from here to the flip, and what the room asked for comes behind.
    fn patch(&self, room: &[u32; Self::WORDS], label: u64) -> Result<[u32; Self::WORDS], CallError> {
        let mut out = [0; Self::WORDS];
        let after = {
            let mut after = [0; 6];
            let mut words = Words::new(&mut after);
            match room[1] {
                markers::PREPARE_FLIP_LABEL => {
                    words.packet(op::WRITE_DATA, 0, &[0x500, room[2] & !3, room[3], room[4]])?;
                }
                markers::PREPARE_FLIP_INTERRUPT_LABEL => {
                    let event = (room[5] & 0x3F) + 0x500 + ((room[6] & 0x3F) << 12);
                    let high = room[3] & 0xFFFF | 0x2200_0000;
                    words.packet(op::EVENT_WRITE_EOP, 0, &[event, room[2] & !3, high, room[4], 0])?;
                }
                markers::PREPARE_FLIP_INTERRUPT => {
                    let event = (room[5] & 0x3F) + 0x500 + ((room[6] & 0x3F) << 12);
                    words.packet(op::EVENT_WRITE_EOP, 0, &[event, 0, 0x0100_0000, 0, 0])?;
                }
                _ => {}
            }
            let written = words.len();
            after[..written].to_vec()
        };
        let [low, high] = halves(label);
        let [argument_low, argument_high] = halves(self.argument);
        let end = Self::WORDS - after.len();
        let mut words = Words::new(&mut out[..end]);
        words.packet(op::WRITE_DATA, 0, &[0x500, low & !3, high, 1])?;
        let mut nop = vec![0; end - words.len() - 1];
        let fields =
            [markers::PATCHED_FLIP, self.handle, self.buffer, self.mode, argument_low, argument_high, low & !3, high];
        nop[..fields.len()].copy_from_slice(&fields);
        words.packet(op::NOP, 0, &nop)?;
        out[end..].copy_from_slice(&after);
        Ok(out)
    }
}

impl Driver {
    /// Submits draw command buffers, and the constant command buffers that go with them, or none. Each is a guest address and bytes;
    /// a constant command buffer of no bytes is none. Nothing runs before [`Machine::run`].
    ///
    /// # Errors
    /// If a size is none that can be, or the ring is full. Buffers before that are submitted.
    pub fn submit_command_buffers(
        &self,
        machine: &mut Machine,
        draws: &[(u64, u64)],
        constants: &[(u64, u64)],
    ) -> Result<(), SubmitError> {
        if draws.is_empty() {
            return Err(SubmitError::Nothing);
        }
        if !constants.is_empty() && constants.len() != draws.len() {
            return Err(SubmitError::Pairs { draws: draws.len(), constants: constants.len() });
        }
        for (index, &draw) in draws.iter().enumerate() {
            let constant = constants.get(index).copied().filter(|constant| constant.1 != 0);
            machine.submit(draw, constant)?;
        }
        Ok(())
    }

    /// The same, and a flip behind them: the last draw command buffer must end with room for it ([`FlipRequest::prepare`]).
    ///
    /// # Errors
    /// As [`Driver::submit_command_buffers`]; also if there is no room, or no such output.
    pub fn submit_and_flip_command_buffers(
        &self,
        machine: &mut Machine,
        memory: &mut dyn GuestMemory,
        draws: &[(u64, u64)],
        constants: &[(u64, u64)],
        flip: FlipRequest,
    ) -> Result<(), SubmitError> {
        let &(address, bytes) = draws.last().ok_or(SubmitError::Nothing)?;
        let size = 4 * FlipRequest::WORDS as u64;
        let missing = SubmitError::NoFlip { address };
        let at = address + bytes.checked_sub(size).ok_or(missing.clone())?;
        let mut room = [0u32; FlipRequest::WORDS];
        memory.read(at, bytemuck::cast_slice_mut(&mut room))?;
        let room = room.map(u32::from_le);
        if room[0] != Header::packet(op::NOP, FlipRequest::WORDS as u32 - 1) || !markers::is_prepared_flip(room[1]) {
            return Err(missing);
        }
        let words = flip.patch(&room, self.label(flip.handle, flip.buffer)?)?;
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        memory.write(at, &bytes)?;
        self.submit_command_buffers(machine, draws, constants)
    }

    /// A frame is submitted: everything runs.
    pub fn submit_done(
        &self,
        machine: &mut Machine,
        memory: &mut dyn GuestMemory,
        graphics: &mut dyn Graphics,
    ) -> Stop {
        machine.run(memory, graphics)
    }

    /// Maps a compute queue: a ring of words, a power of two, at a guest address that is a multiple of 256, and where its read
    /// pointer goes.
    ///
    /// # Errors
    /// If there is no such queue, it is mapped, or the ring cannot lie there.
    pub fn map_compute_queue(
        &mut self,
        machine: &mut Machine,
        pipe: u32,
        queue: u32,
        ring: u64,
        words: u32,
        read_pointer: u64,
    ) -> Result<QueueId, SubmitError> {
        machine.map_queue(pipe, queue, ring, words, read_pointer)?;
        let place = pipe * u32::from(QUEUES) + queue;
        self.queues[place as usize] = Some((pipe, queue));
        Ok(QueueId(place + 1))
    }

    fn queue(&self, QueueId(id): QueueId) -> Result<(usize, u32, u32), SubmitError> {
        let place = id.wrapping_sub(1) as usize;
        let (pipe, queue) = self.queues.get(place).copied().flatten().ok_or(SubmitError::Id(id))?;
        Ok((place, pipe, queue))
    }

    /// Takes a compute queue away.
    ///
    /// # Errors
    /// If it is not there.
    pub fn unmap_compute_queue(&mut self, machine: &mut Machine, id: QueueId) -> Result<(), SubmitError> {
        let (place, pipe, queue) = self.queue(id)?;
        self.queues[place] = None;
        Ok(machine.unmap_queue(pipe, queue)?)
    }

    /// The doorbell of a compute queue: commands are complete up to this word; 0 is the ring's end.
    ///
    /// # Errors
    /// If it is not there, or has no such word.
    pub fn ding_dong(&self, machine: &mut Machine, id: QueueId, offset: u32) -> Result<(), SubmitError> {
        let (_, pipe, queue) = self.queue(id)?;
        Ok(machine.set_write_pointer(pipe, queue, offset)?)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{CommandBuffer, Encoding};
    use super::*;
    use crate::machine::{Dispatch, Draw, Flip, Queue, Registers};
    use crate::memory::Regions;

    const LABELS: u64 = 0x8000;

    #[derive(Default)]
    struct Flips {
        flips: Vec<(Flip, Option<u32>)>,
        interrupts: u32,
    }

    impl Graphics for Flips {
        fn draw(&mut self, _registers: &mut Registers, _memory: &mut dyn GuestMemory, _draw: &Draw) {}
        fn dispatch(&mut self, _: Queue, _: &mut Registers, _: &mut dyn GuestMemory, _: &Dispatch) {}
        fn before_cpu_reads(&mut self, _memory: &mut dyn GuestMemory, _address: u64, _size: u64) {}
        fn cpu_wrote(&mut self, _address: u64, _size: u64) {}
        fn passed_samples(&mut self) -> u64 {
            0
        }
        fn stream_out_offset(&mut self, _buffer: u32) -> u32 {
            0
        }
        fn set_stream_out_offset(&mut self, _buffer: u32, _offset: u32) {}
        fn flip(&mut self, memory: &mut dyn GuestMemory, flip: &Flip) {
            self.flips.push((*flip, memory.word(LABELS + 8 * u64::from(flip.buffer))));
        }
        fn interrupt(&mut self, _queue: Queue) {
            self.interrupts += 1;
        }
        fn submit(&mut self) {}
    }

    fn world() -> (Machine, Regions, Flips, Driver) {
        let mut memory = Regions::default();
        memory.map(0, 0x10_0000).unwrap();
        let mut driver = Driver::new(Encoding::Pm4);
        driver.register_output(5, LABELS);
        (Machine::new(), memory, Flips::default(), driver)
    }

    const FLIP: FlipRequest = FlipRequest { handle: 5, buffer: 2, mode: 1, argument: 0x1_0000_0009 };

    #[test]
    fn a_flip_holds_its_label_until_it_is_shown() {
        let (mut machine, mut memory, mut flips, driver) = world();
        let mut buffer = CommandBuffer::new();
        buffer.prepare_flip();
        driver.insert_wait_flip_done(buffer.reserve(7), 5, 2).unwrap();
        buffer.prepare_flip();
        buffer.store(&mut memory, 0x1000).unwrap();
        let draws = [(0x1000, 256), (0x1100, buffer.bytes() - 256)];
        driver.submit_and_flip_command_buffers(&mut machine, &mut memory, &draws, &[], FLIP).unwrap();
        assert_eq!(driver.submit_done(&mut machine, &mut memory, &mut flips), Stop::Idle);
        assert_eq!(machine.take_faults(), []);
        let flip = Flip { handle: 5, buffer: 2, mode: 1, argument: 0x1_0000_0009 };
        assert_eq!(flips.flips, [(flip, Some(1))]);
        assert_eq!(memory.word(LABELS + 16), Some(0));
    }

    #[test]
    fn what_the_room_of_a_flip_asks_for_comes_behind_it() {
        for (code, label, interrupts) in [
            (markers::PREPARE_FLIP, 0, 0),
            (markers::PREPARE_FLIP_LABEL, 77, 0),
            (markers::PREPARE_FLIP_INTERRUPT, 0, 1),
            (markers::PREPARE_FLIP_INTERRUPT_LABEL, 77, 1),
        ] {
            let (mut machine, mut memory, mut flips, driver) = world();
            let mut buffer = CommandBuffer::new();
            buffer.prepare_flip();
            buffer.store(&mut memory, 0x1000).unwrap();
            for (at, word) in (1..).zip([code, 0x9000, 0, 77, 40, 0]) {
                memory.write(0x1000 + 4 * at, &u32::to_le_bytes(word)).unwrap();
            }
            let draws = [(0x1000, buffer.bytes())];
            driver.submit_and_flip_command_buffers(&mut machine, &mut memory, &draws, &[], FLIP).unwrap();
            driver.submit_done(&mut machine, &mut memory, &mut flips);
            assert_eq!(machine.take_faults(), []);
            assert_eq!((flips.flips.len(), memory.word(0x9000), flips.interrupts), (1, Some(label), interrupts));
        }
    }

    #[test]
    fn what_cannot_be_submitted_is_refused_with_a_reason() {
        let (mut machine, mut memory, _, mut driver) = world();
        let refused = |driver: &Driver, machine: &mut Machine, draws: &[(u64, u64)], constants: &[(u64, u64)]| {
            driver.submit_command_buffers(machine, draws, constants).unwrap_err()
        };
        assert_eq!(refused(&driver, &mut machine, &[], &[]), SubmitError::Nothing);
        for bytes in [0, 6, 1 << 22] {
            let error = QueueError::Size { bytes };
            assert_eq!(refused(&driver, &mut machine, &[(0, bytes)], &[]), error.into());
        }
        let pairs = SubmitError::Pairs { draws: 1, constants: 2 };
        assert_eq!(refused(&driver, &mut machine, &[(0, 4)], &[(0, 4), (0, 4)]), pairs);
        let flip = |driver: &Driver, machine: &mut Machine, memory: &mut Regions, bytes| {
            driver.submit_and_flip_command_buffers(machine, memory, &[(0x1000, bytes)], &[], FLIP).unwrap_err()
        };
        assert_eq!(flip(&driver, &mut machine, &mut memory, 8), SubmitError::NoFlip { address: 0x1000 });
        assert_eq!(flip(&driver, &mut machine, &mut memory, 256), SubmitError::NoFlip { address: 0x1000 });
        assert!(driver.map_compute_queue(&mut machine, 7, 0, 0, 16, 0).is_err());
        assert!(driver.map_compute_queue(&mut machine, 0, 0, 4, 16, 0).is_err());
        assert!(driver.map_compute_queue(&mut machine, 0, 0, 0, 17, 0).is_err());
        let id = driver.map_compute_queue(&mut machine, 6, 7, 0, 16, 0).unwrap();
        assert_eq!(id, QueueId(56));
        assert!(driver.ding_dong(&mut machine, id, 17).is_err());
        driver.unmap_compute_queue(&mut machine, id).unwrap();
        assert_eq!(driver.ding_dong(&mut machine, id, 1), Err(SubmitError::Id(56)));
        while machine.submit((0, 4), None).is_ok() {}
        assert_eq!(machine.submit((0, 4), None), Err(QueueError::Full(2)));
    }
}
