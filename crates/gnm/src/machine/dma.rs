//! `DMA_DATA`, and `CP_DMA`, its older form.

use super::fault::FaultKind;
use super::{Exec, long};
use afterimage_gnm_types::op;

/// Where DMA reads or writes.
#[derive(Clone, Copy, Debug)]
enum End {
    Memory(u64),
    Gds(u64),
    /// One word, again and again.
    Data(u32),
    /// From this byte address on, or it alone.
    Registers(u32, bool),
    Nowhere,
}

impl End {
    fn new(select: u32, address: u64, register: bool, fixed: bool, source: bool) -> Result<Self, FaultKind> {
        let address = address & 0xFFFF_FFFF_FFFF;
        Ok(match select {
            // Of registers byte addresses too, unlike other packets: libraries warm caches with a copy to 0x3022C.
            0 | 3 if register => Self::Registers(address as u32 & 0x3_FFFC, fixed),
            0 | 3 => Self::Memory(address),
            1 => Self::Gds(address),
            2 if source => Self::Data(address as u32),
            2 => Self::Nowhere,
            _ => return Err(FaultKind::Value { field: "srcSel or dstSel", value: select.into() }),
        })
    }
}

impl Exec<'_, '_> {
    /// `DMA_DATA`.
    pub(super) fn dma_data(&mut self, body: &[u32]) -> Result<(), FaultKind> {
        use op::DMA_DATA as packet;
        let registers = (packet::sas.of(body) != 0, packet::das.of(body) != 0);
        let fixed = (packet::saic.of(body) != 0, packet::daic.of(body) != 0);
        let source = End::new(packet::srcSel.of(body), long(body, 1), registers.0, fixed.0, true)?;
        let target = End::new(packet::dstSel.of(body), long(body, 3), registers.1, fixed.1, false)?;
        self.dma(source, target, packet::byteCount.of(body))
    }

    /// `CP_DMA`.
    pub(super) fn cp_dma(&mut self, body: &[u32]) -> Result<(), FaultKind> {
        use op::CP_DMA as packet;
        let command = |bit: u32| body[4] >> bit & 1 != 0;
        let from = u64::from(body[0]) | u64::from(packet::srcAddrHi.of(body)) << 32;
        let source = End::new(packet::srcSel.of(body), from, command(26), command(28), true)?;
        let target = End::new(packet::dstSel.of(body), long(body, 2), command(27), command(29), false)?;
        self.dma(source, target, body[4] & 0x1F_FFFF)
    }

    fn dma(&mut self, mut source: End, target: End, size: u32) -> Result<(), FaultKind> {
        let mut size = u64::from(size);
        self.streams.work(size / 4);
        if size == 0 || matches!(target, End::Nowhere) {
            return Ok(());
        }
        if let (End::Memory(from), End::Registers(_, true)) = (&mut source, target) {
            // Only the last word stays in a register; the others were read for the caches' sake.
            let before = size.saturating_sub(4);
            (*from, size) = (*from + before, size - before);
        }
        // Before anything is made room for.
        for end in [source, target] {
            if let End::Memory(address) = end {
                self.bus.check(address, size)?;
            }
        }
        let (graphics, memory) = (&mut self.bus.graphics, &mut *self.bus.memory);
        let done = match (source, target) {
            (End::Memory(from), End::Memory(to)) if graphics.copy(memory, from, to, size) => Some(to),
            (End::Data(word), End::Memory(to)) if graphics.fill(memory, to, size, word) => Some(to),
            _ => None,
        };
        if let Some(to) = done {
            self.bus.stored(to, size);
            return Ok(());
        }
        let bytes = self.dma_source(source, size)?;
        match target {
            End::Memory(to) => self.bus.write(to, &bytes)?,
            End::Gds(to) => self.write_gds(to, &bytes)?,
            End::Registers(register, fixed) => {
                let words: Vec<u32> = bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
                match (fixed, words.last()) {
                    (true, Some(&last)) => self.store(register, last),
                    _ => self.set_from(register, &words),
                }
            }
            End::Data(_) | End::Nowhere => {}
        }
        Ok(())
    }

    fn dma_source(&mut self, source: End, size: u64) -> Result<Vec<u8>, FaultKind> {
        let mut bytes = vec![0; size as usize];
        match source {
            End::Memory(from) => self.bus.read(from, &mut bytes)?,
            End::Gds(from) => return self.read_gds(from, size),
            End::Data(word) => {
                bytes.chunks_mut(4).for_each(|chunk| chunk.copy_from_slice(&word.to_le_bytes()[..chunk.len()]));
            }
            End::Registers(register, fixed) => {
                for (chunk, word) in bytes.chunks_mut(4).zip(0u32..) {
                    let register = if fixed { register } else { register.saturating_add(4 * word) };
                    let value = self.context.registers.get(register);
                    chunk.copy_from_slice(&value.to_le_bytes()[..chunk.len()]);
                }
            }
            End::Nowhere => {}
        }
        Ok(bytes)
    }
}
