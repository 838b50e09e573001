//! The constant engine: its memory, and the counters that keep it and the draw engine apart.

use super::archive::kept;
use super::fault::FaultKind;
use super::wait::Wait;
use super::{Exec, long};
use afterimage_gnm_types::{Opcode, op};
use std::collections::VecDeque;

/// Bytes of the constant engine's memory.
const RAM: usize = 48 << 10;

/// What constant and draw engine share.
#[derive(Debug)]
pub(super) struct Constants {
    ram: Box<[u32]>,
    constant_count: u64,
    draw_count: u64,
    /// Command buffers that wait for the constant engine: address and words.
    pub(super) buffers: VecDeque<(u64, u32)>,
}

kept!(Constants { ram, constant_count, draw_count, buffers });

impl Default for Constants {
    fn default() -> Self {
        Self { ram: vec![0; RAM / 4].into(), constant_count: 0, draw_count: 0, buffers: VecDeque::new() }
    }
}

impl Constants {
    /// How far the constant engine is ahead of the draw engine.
    pub(super) fn ahead(&self) -> i64 {
        self.constant_count.wrapping_sub(self.draw_count) as i64
    }

    /// The draw engine has used what it waited for.
    pub(super) fn count_draw(&mut self) {
        self.draw_count = self.draw_count.wrapping_add(1);
    }

    /// A new pair of command buffers begins while the constant engine has nothing to do.
    pub(super) fn reset_counters(&mut self) {
        (self.constant_count, self.draw_count) = (0, 0);
    }

    /// Words of the memory; the offset is in bytes.
    fn range(&self, offset: u32, words: usize) -> Result<std::ops::Range<usize>, FaultKind> {
        let first = offset as usize / 4;
        let end = first.saturating_add(words);
        let inside = offset.is_multiple_of(4) && end <= self.ram.len();
        let fault = FaultKind::Value { field: "the end in constant RAM", value: 4 * end as u64 };
        if inside { Ok(first..end) } else { Err(fault) }
    }
}

impl Exec<'_, '_> {
    /// Packets of the constant engine, and those of the draw engine that wait for it.
    pub(super) fn constant(&mut self, opcode: Opcode, body: &[u32]) -> Result<(), FaultKind> {
        let constants = &mut self.shared.constants;
        match opcode {
            op::WRITE_CONST_RAM => {
                let values = &body[1..];
                let range = constants.range(op::WRITE_CONST_RAM::offset.of(body), values.len())?;
                constants.ram[range].copy_from_slice(values);
            }
            op::LOAD_CONST_RAM => {
                let words = op::LOAD_CONST_RAM::numDwords.of(body) as usize;
                let range = constants.range(op::LOAD_CONST_RAM::offset.of(body), words)?;
                let mut values = vec![0u32; words];
                self.bus.read(long(body, 0) & !3, bytemuck::cast_slice_mut(&mut values))?;
                for (word, value) in self.shared.constants.ram[range].iter_mut().zip(values) {
                    *word = u32::from_le(value);
                }
                self.streams.work(words as u64);
            }
            op::DUMP_CONST_RAM => {
                let words = op::DUMP_CONST_RAM::numDwords.of(body) as usize;
                let range = constants.range(op::DUMP_CONST_RAM::offset.of(body), words)?;
                self.bus.write_words(long(body, 2), &constants.ram[range])?;
                self.streams.work(words as u64);
            }
            op::INCREMENT_CE_COUNTER => constants.constant_count = constants.constant_count.wrapping_add(1),
            op::INCREMENT_DE_COUNTER => constants.count_draw(),
            op::WAIT_ON_CE_COUNTER => self.wait_for(Wait::ConstantCounter),
            _ => self.wait_for(Wait::DrawCounter { difference: op::WAIT_ON_DE_COUNTER_DIFF::counterDiff.of(body) }),
        }
        Ok(())
    }
}
