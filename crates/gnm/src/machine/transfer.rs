//! Packets that move data between memory, registers and the global data share.

use super::fault::FaultKind;
use super::wait::{Compare, Wait};
use super::{Exec, long};
use afterimage_gnm_types::registers::Space;
use afterimage_gnm_types::{Opcode, decode, op};

/// Bytes of the global data share.
pub(super) const GDS: usize = 64 << 10;

impl Exec<'_, '_> {
    /// Where a packet's offset into the global data share leads, if `size` bytes are there.
    fn gds(&self, offset: u64, size: u64) -> Result<usize, FaultKind> {
        let inside = offset.checked_add(size).is_some_and(|end| end <= GDS as u64);
        if inside { Ok(offset as usize) } else { Err(FaultKind::Value { field: "the offset in GDS", value: offset }) }
    }

    /// Reads the global data share, as shaders left it.
    pub(super) fn read_gds(&mut self, offset: u64, size: u64) -> Result<Vec<u8>, FaultKind> {
        let at = self.gds(offset, size)?;
        self.bus.graphics.before_gds_read(&mut self.shared.gds);
        Ok(self.shared.gds[at..at + size as usize].to_vec())
    }

    pub(super) fn write_gds(&mut self, offset: u64, bytes: &[u8]) -> Result<(), FaultKind> {
        let at = self.gds(offset, bytes.len() as u64)?;
        self.bus.graphics.before_gds_read(&mut self.shared.gds);
        self.shared.gds[at..at + bytes.len()].copy_from_slice(bytes);
        self.bus.graphics.gds_written(&self.shared.gds);
        Ok(())
    }

    /// Stores a register; one that has no name is told.
    pub(super) fn store(&mut self, register: u32, value: u32) {
        let unnamed = self.context.registers.set_run(register, &[value]);
        self.shared.reports.unnamed(unnamed, value);
    }

    /// `SET_..._REG`.
    #[inline]
    pub(super) fn set(&mut self, space: Space, body: &[u32]) {
        let offset = body[0] & 0xFFFF;
        let register = space.base() + 4 * offset;
        if (offset as usize) < space.words() {
            self.set_from(register, &body[1..]);
        } else {
            // It would be one of another space, or none.
            self.shared.reports.other("a register outside of its space, at", register);
        }
    }

    pub(super) fn set_from(&mut self, register: u32, values: &[u32]) {
        if let Some(unnamed) = self.context.registers.set_run(register, values) {
            let at = (unnamed - register) as usize / 4;
            self.shared.reports.unnamed(Some(unnamed), values.get(at).copied().unwrap_or(0));
        }
    }

    /// `LOAD_..._REG`: pairs of offset and count, from memory that is laid out as the registers are.
    pub(super) fn load(&mut self, opcode: Opcode, body: &[u32]) -> Result<(), FaultKind> {
        let base = long(body, 0) & 0xFFFF_FFFF_FFFC;
        let Some(space) = decode::space_of(opcode) else { return Ok(()) };
        for run in body[2..].chunks_exact(2) {
            let (offset, words) = (run[0] & 0xFFFF, run[1] & 0x3FFF);
            let mut values = vec![0u32; words as usize];
            self.bus.read(base + 4 * u64::from(offset), bytemuck::cast_slice_mut(&mut values))?;
            values.iter_mut().for_each(|value| *value = u32::from_le(*value));
            self.streams.work(words.into());
            if self.streams.is_spent(&self.shared.limits) {
                break;
            }
            self.set_from(space.base() + 4 * offset, &values);
        }
        Ok(())
    }

    /// `SET_SH_REG_OFFSET`: where the data that follows is, as user data. `REG_RMW`, `CONTEXT_REG_RMW`.
    pub(super) fn modify(&mut self, opcode: Opcode, body: &[u32]) {
        match opcode {
            op::SET_SH_REG_OFFSET => {
                let register = Space::Shader.base() + 4 * (body[0] & 0xFFFF);
                let data =
                    self.context.indirect_base.wrapping_add(4 * u64::from(op::SET_SH_REG_OFFSET::dwIbOffset.of(body)));
                self.store(register, data as u32);
                self.store(register + 4, (data >> 32) as u32 & 0xFFFF);
            }
            op::REG_RMW => {
                let register = 4 * op::REG_RMW::modAdrs.of(body);
                let operand =
                    |from: bool, word: u32| if from { self.context.registers.get(4 * (word & 0xFFFF)) } else { word };
                let and = operand(op::REG_RMW::andMaskSrc.of(body) != 0, body[1]);
                let or = operand(op::REG_RMW::orMaskSrc.of(body) != 0, body[2]);
                let value = self.context.registers.get(register) & and | or;
                self.store(register, value);
            }
            _ => {
                let register = Space::Context.base() + 4 * (body[0] & 0xFFFF);
                let value = self.context.registers.get(register) & !body[1] | body[2] & body[1];
                self.store(register, value);
            }
        }
    }

    /// `WRITE_DATA`.
    pub(super) fn write_data(&mut self, body: &[u32]) -> Result<(), FaultKind> {
        use op::WRITE_DATA as packet;
        let (address, values) = (long(body, 1), &body[3..]);
        let one = packet::wrOneAddr.of(body) != 0;
        let last = values.last().map_or(&values[..0], std::slice::from_ref);
        match packet::dstSel.of(body) {
            0 if one => values.iter().for_each(|value| self.store(4 * (address as u32 & 0xFFFF), *value)),
            0 => self.set_from(4 * (address as u32 & 0xFFFF), values),
            1 | 2 | 5 => self.bus.write_words(address, if one { last } else { values })?,
            3 => {
                let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
                self.write_gds(address, &bytes)?;
            }
            other => return Err(FaultKind::Value { field: "dstSel", value: other.into() }),
        }
        Ok(())
    }

    /// `COPY_DATA`, `COPY_DW`: one word or two.
    pub(super) fn copy_data(&mut self, opcode: Opcode, body: &[u32]) -> Result<(), FaultKind> {
        use op::COPY_DATA as packet;
        let (from, to) = (long(body, 1), long(body, 3));
        let (source, target, wide) = if opcode == op::COPY_DATA {
            (packet::srcSel.of(body), packet::dstSel.of(body), packet::countSel.of(body) != 0)
        } else {
            (op::COPY_DW::srcSel.of(body), op::COPY_DW::dstSel.of(body), false)
        };
        let register = |address: u64| 4 * (address as u32 & 0xFFFF);
        let value = match source {
            0 => {
                let [low, high] = self.context.registers.array::<2>(register(from));
                u64::from(low) | u64::from(high) << 32
            }
            1 | 2 if wide => self.bus.long(from)?,
            1 | 2 => self.bus.word(from)?.into(),
            3 => {
                let bytes = self.read_gds(from, if wide { 8 } else { 4 })?;
                bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte))
            }
            5 => from,
            6 => self.context.atomic_result,
            9 => self.shared.time,
            other => return Err(FaultKind::Value { field: "srcSel", value: other.into() }),
        };
        let size = if wide { 8 } else { 4 };
        match target {
            0 => {
                self.store(register(to), value as u32);
                if wide {
                    self.store(register(to).saturating_add(4), (value >> 32) as u32);
                }
            }
            1 | 2 | 5 => self.bus.write(to & !3, &value.to_le_bytes()[..size])?,
            3 => self.write_gds(to, &value.to_le_bytes()[..size])?,
            other => return Err(FaultKind::Value { field: "dstSel", value: other.into() }),
        }
        Ok(())
    }

    /// `DMA_DATA`.
    pub(super) fn dma_data(&mut self, body: &[u32]) -> Result<(), FaultKind> {
        use op::DMA_DATA as packet;
        let registers = (packet::sas.of(body) != 0, packet::das.of(body) != 0);
        let fixed = (packet::saic.of(body) != 0, packet::daic.of(body) != 0);
        let source = End::new(packet::srcSel.of(body), long(body, 1), registers.0, fixed.0, true)?;
        let target = End::new(packet::dstSel.of(body), long(body, 3), registers.1, fixed.1, false)?;
        self.dma(source, target, packet::byteCount.of(body))
    }

    /// `CP_DMA`, the older form.
    pub(super) fn cp_dma(&mut self, body: &[u32]) -> Result<(), FaultKind> {
        use op::CP_DMA as packet;
        let command = |bit: u32| body[4] >> bit & 1 != 0;
        let from = u64::from(body[0]) | u64::from(packet::srcAddrHi.of(body)) << 32;
        let source = End::new(packet::srcSel.of(body), from, command(26), command(28), true)?;
        let target = End::new(packet::dstSel.of(body), long(body, 2), command(27), command(29), false)?;
        self.dma(source, target, body[4] & 0x1F_FFFF)
    }

    fn dma(&mut self, source: End, target: End, size: u32) -> Result<(), FaultKind> {
        let size = u64::from(size);
        self.streams.work(size / 4);
        if size == 0 || matches!(target, End::Nowhere) {
            return Ok(());
        }
        let (graphics, memory) = (&mut self.bus.graphics, &mut *self.bus.memory);
        let done = match (source, target) {
            (End::Memory(from), End::Memory(to)) if graphics.copy(memory, from, to, size) => Some(to),
            (End::Data(word), End::Memory(to)) if graphics.fill(memory, to, size, word) => Some(to),
            _ => None,
        };
        if let Some(to) = done {
            self.bus.wrote(to, size);
            return Ok(());
        }
        let bytes = match source {
            End::Memory(from) => {
                let mut bytes = vec![0; size as usize];
                self.bus.read(from, &mut bytes)?;
                bytes
            }
            End::Gds(from) => self.read_gds(from, size)?,
            End::Data(word) => word.to_le_bytes().into_iter().cycle().take(size as usize).collect(),
            End::Registers(register, fixed) => {
                let step = |word: u32| if fixed { register } else { register.saturating_add(4 * word) };
                let words = (0..size.div_ceil(4) as u32).map(|word| self.context.registers.get(step(word)));
                words.flat_map(u32::to_le_bytes).take(size as usize).collect()
            }
            End::Nowhere => return Ok(()),
        };
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

    /// `ATOMIC`. Source of the numbers: Mesa 25.0.7, `src/amd/common/sid.h`, and PAL's `TC_OP` enumeration.
    pub(super) fn atomic(&mut self, body: &[u32]) -> Result<(), FaultKind> {
        use op::ATOMIC as packet;
        let address = long(body, 1) & !3;
        let operation = packet::atomOp.of(body) & 63;
        let wide = operation >= 32;
        let (data, compare) = (long(body, 3), long(body, 5));
        let old = if wide { self.bus.long(address)? } else { self.bus.word(address)?.into() };
        let unknown = FaultKind::Value { field: "atomOp", value: operation.into() };
        let (bits, data, compare) =
            if wide { (64, data, compare) } else { (32, data & 0xFFFF_FFFF, compare & 0xFFFF_FFFF) };
        let signed = |value: u64| ((value << (64 - bits)) as i64) >> (64 - bits);
        let new = match operation & 31 {
            7 => data,
            8 if packet::command.of(body) == 1 => {
                self.context.atomic_result = old;
                self.wait_for(Wait::Exchange { address, compare, value: data, wide });
                return Ok(());
            }
            8 => {
                if old == compare {
                    data
                } else {
                    old
                }
            }
            15 => old.wrapping_add(data),
            16 => old.wrapping_sub(data),
            17 => {
                if signed(data) < signed(old) {
                    data
                } else {
                    old
                }
            }
            18 => old.min(data),
            19 => {
                if signed(data) > signed(old) {
                    data
                } else {
                    old
                }
            }
            20 => old.max(data),
            21 => old & data,
            22 => old | data,
            23 => old ^ data,
            24 => {
                if old >= data {
                    0
                } else {
                    old + 1
                }
            }
            25 => {
                if old == 0 || old > data {
                    data
                } else {
                    old - 1
                }
            }
            _ => return Err(unknown),
        };
        self.context.atomic_result = old;
        self.bus.write(address, &new.to_le_bytes()[..bits / 8])?;
        Ok(())
    }

    /// `COND_WRITE`: a write if a comparison holds.
    pub(super) fn cond_write(&mut self, body: &[u32]) -> Result<(), FaultKind> {
        use op::COND_WRITE as packet;
        let register = |address: u64| 4 * (address as u32 & 0xFFFF);
        let compare = Compare { function: packet::function.of(body), mask: body[4], reference: body[3] };
        let (from, to) = (long(body, 1), long(body, 5));
        let value = match packet::pollSpace.of(body) {
            0 => self.context.registers.get(register(from)),
            _ => self.bus.word(from)?,
        };
        if !compare.holds(value) {
            return Ok(());
        }
        match packet::writeSpace.of(body) {
            0 => self.store(register(to), body[7]),
            _ => self.bus.write_words(to, &body[7..8])?,
        }
        Ok(())
    }
}

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
            0 | 3 if register => Self::Registers(4 * (address as u32 & 0xFFFF), fixed),
            0 | 3 => Self::Memory(address),
            1 => Self::Gds(address),
            2 if source => Self::Data(address as u32),
            2 => Self::Nowhere,
            _ => return Err(FaultKind::Value { field: "srcSel or dstSel", value: select.into() }),
        })
    }
}
