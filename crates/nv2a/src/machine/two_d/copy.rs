//! Memory to memory (class 0x39): lines of bytes between two DMA objects.

use super::blit::OUTSIDE;
use super::{Refused, set_dma};
use crate::machine::{Bus, HEAVY, Handles};
use crate::memory::DmaObject;

/// One side of a copy.
#[derive(Clone, Copy, Debug, Default)]
struct Side {
    dma: Option<DmaObject>,
    offset: u32,
    pitch: u32,
    /// Bytes from one element to the next: 1, 2 or 4.
    step: u32,
}

/// The object.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Copy {
    input: Side,
    output: Side,
    line_length: u32,
    line_count: u32,
}

/// Bytes of one copy at most: an Xbox's memory.
const MOST: u64 = 64 << 20;

impl Copy {
    pub(super) fn method(
        &mut self,
        method: u16,
        word: u32,
        bus: &mut Bus<'_>,
        handles: Handles<'_>,
    ) -> Result<(), Refused> {
        match method {
            0x0184 => return set_dma(&mut self.input.dma, word, handles),
            0x0188 => return set_dma(&mut self.output.dma, word, handles),
            0x030C => self.input.offset = word,
            0x0310 => self.output.offset = word,
            0x0314 => self.input.pitch = word,
            0x0318 => self.output.pitch = word,
            0x031C => self.line_length = word,
            0x0320 => self.line_count = word,
            0x0324 => (self.input.step, self.output.step) = (word & 0xFF, word >> 8 & 0xFF),
            0x0328 => return self.run(bus),
            _ => return Err(Refused::Method),
        }
        Ok(())
    }

    /// Copies the lines, as far as both DMA objects and memory reach.
    fn run(&self, bus: &mut Bus<'_>) -> Result<(), Refused> {
        let (Some(input), Some(output)) = (self.input.dma, self.output.dma) else {
            return Err(Refused::Argument("has no DMA object to read or to write: nothing is copied"));
        };
        let (from, to) = (self.input.step.clamp(1, 4) as usize, self.output.step.clamp(1, 4) as usize);
        let elements = self.line_length as usize;
        if (u64::from(self.line_length) + 1) * u64::from(self.line_count) > MOST {
            return Err(Refused::Argument("is to copy more than there is memory: nothing is copied"));
        }
        bus.wrote = true;
        bus.work += HEAVY;
        let mut whole = true;
        for line in 0..self.line_count {
            let offset = |side: &Side| side.offset.wrapping_add(side.pitch.wrapping_mul(line));
            let read = input.resolve(offset(&self.input), (elements * from) as u32);
            let write = output.resolve(offset(&self.output), (elements * to) as u32);
            bus.work += 1 + elements as u64 / 4;
            let (Some(read), Some(write)) = (read, write) else {
                whole = false;
                continue;
            };
            if elements * from.max(to) > bus.memory.size() as usize {
                whole = false;
                continue;
            }
            let (mut bytes, mut under) = (vec![0; elements * from], vec![0; elements * to]);
            if !bus.read(read, &mut bytes) || !bus.read(write, &mut under) {
                whole = false;
                continue;
            }
            for (under, bytes) in under.chunks_exact_mut(to).zip(bytes.chunks_exact(from)) {
                let element = from.min(to);
                under[..element].copy_from_slice(&bytes[..element]);
            }
            // The range was just read.
            let _written = bus.memory.write(write, &under);
        }
        if whole { Ok(()) } else { Err(OUTSIDE) }
    }
}
