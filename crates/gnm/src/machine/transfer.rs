//! Packets that move words between memory, registers and the global data share.

use super::fault::FaultKind;
use super::wait::Compare;
use super::{Exec, long};
use afterimage_gnm_types::{Opcode, op};

/// Bytes of the global data share.
pub(super) const GDS: usize = afterimage_shader_gcn::io::GLOBAL_SHARE;

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
        self.bus.graphics.gds_written(&self.shared.gds, at..at + bytes.len());
        Ok(())
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
            // 8 would be a second number, of operations that change two.
            7 => self.context.gds_atomic_result,
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
