//! Packets that decide what is followed next: command buffers, conditions, waits.

use super::fault::FaultKind;
use super::stream::Stream;
use super::wait::{Compare, Wait};
use super::{Exec, Queue, long};
use afterimage_gnm_types::op;

impl Exec<'_, '_> {
    /// Waits, unless it is over at once.
    pub(super) fn wait_for(&mut self, wait: Wait) {
        if !wait.is_over(self.bus, self.context, self.shared) {
            *self.wait = Some(super::Waiting { wait, address: self.address, opcode: self.opcode });
        }
    }

    /// `INDIRECT_BUFFER` enters a command buffer, or goes on in it.
    pub(super) fn indirect_buffer(&mut self, body: &[u32]) -> Result<(), FaultKind> {
        use op::INDIRECT_BUFFER as packet;
        let (address, words) = (long(body, 0) & 0xFFFF_FFFF_FFFC, packet::ibSize.of(body));
        let chain = packet::chain.of(body) != 0;
        if words == 0 && !chain {
            return Ok(());
        }
        self.streams.enter(Stream { address, words }, chain, &self.shared.limits)?;
        self.streams.forget();
        Ok(())
    }

    /// `INDIRECT_BUFFER_CONST`: of the draw engine one that the constant engine follows.
    pub(super) fn indirect_buffer_const(&mut self, body: &[u32]) -> Result<(), FaultKind> {
        if self.queue != Queue::Graphics {
            return self.indirect_buffer(body);
        }
        let (address, words) = (long(body, 0) & 0xFFFF_FFFF_FFFC, op::INDIRECT_BUFFER_CONST::ibSize.of(body));
        /// Buffers that wait for the constant engine; far more than anyone has.
        const MOST: usize = 4096;
        let buffers = &mut self.shared.constants.buffers;
        if buffers.len() >= MOST {
            return Err(FaultKind::Value { field: "the number of waiting constant buffers", value: MOST as u64 });
        }
        buffers.push_back((address, words));
        Ok(())
    }

    /// `COND_EXEC`: words that are skipped if memory holds 0.
    pub(super) fn cond_exec(&mut self, body: &[u32]) -> Result<(), FaultKind> {
        // The newer form has a word more.
        let words = body.last().copied().unwrap_or(0) & 0x3FFF;
        let address = long(body, 0) & if body.len() > 3 { !3 } else { 0xFFFF_FFFF_FFFC };
        if self.bus.word(address)? == 0 {
            self.streams.skip(words);
        }
        Ok(())
    }

    /// `PRED_EXEC`: words that only some of several graphics processors follow; this is the first.
    pub(super) fn pred_exec(&mut self, body: &[u32]) {
        if op::PRED_EXEC::deviceSelect.of(body) & 1 == 0 {
            self.streams.skip(op::PRED_EXEC::execCount.of(body));
        }
    }

    /// `SET_PREDICATION`: whether packets with the predicate bit are followed from now on.
    pub(super) fn set_predication(&mut self, body: &[u32]) -> Result<(), FaultKind> {
        use op::SET_PREDICATION as packet;
        let address = u64::from(body[0] & !0xF) | u64::from(packet::startAddrHi.of(body)) << 32;
        let visible = match packet::predOp.of(body) {
            0 => {
                self.context.predicate = true;
                self.context.predicate_sum = 0;
                return Ok(());
            }
            1 => {
                let passed = self.samples_between(address)?;
                if packet::continueBit.of(body) == 0 {
                    self.context.predicate_sum = 0;
                }
                self.context.predicate_sum = self.context.predicate_sum.saturating_add(passed);
                self.context.predicate_sum != 0
            }
            // Primitives that were written and that were needed, at the begin and at the end: visible if there was room.
            2 => {
                let [a, b, c, d] = [0, 8, 16, 24].map(|offset| self.bus.long(address + offset));
                let (written, needed) = (c?.wrapping_sub(a?), d?.wrapping_sub(b?));
                written == needed
            }
            3 => self.bus.long(address)? != 0,
            other => return Err(FaultKind::Value { field: "predOp", value: other.into() }),
        };
        self.context.predicate = visible == (packet::predicationBoolean.of(body) != 0);
        Ok(())
    }

    /// `WAIT_REG_MEM`.
    pub(super) fn wait_reg_mem(&mut self, body: &[u32]) -> Result<(), FaultKind> {
        use op::WAIT_REG_MEM as packet;
        let compare = Compare { function: packet::function.of(body), mask: body[4], reference: body[3] };
        let address = long(body, 1);
        match packet::memSpace.of(body) {
            0 => {
                let register = 4 * (address as u32 & 0xFFFF);
                self.wait_for(Wait::Register { register, compare });
            }
            _ => {
                let address = address & 0xFFFF_FFFF_FFFC;
                self.bus.word(address)?;
                self.wait_for(Wait::Memory { address, compare });
            }
        }
        Ok(())
    }

    /// `MEM_SEMAPHORE`: a count that is raised, or taken one from as soon as it is not 0.
    pub(super) fn mem_semaphore(&mut self, body: &[u32]) -> Result<(), FaultKind> {
        use op::MEM_SEMAPHORE as packet;
        let address = (u64::from(body[0]) | u64::from(packet::addrHi.of(body)) << 32) & !7;
        let count = self.bus.long(address)?;
        match packet::semSel.of(body) {
            6 => {
                let next = if packet::signalType.of(body) == 0 { count.saturating_add(1) } else { 1 };
                self.bus.write(address, &next.to_le_bytes())?;
            }
            7 => self.wait_for(Wait::Semaphore { address }),
            other => return Err(FaultKind::Value { field: "semSel", value: other.into() }),
        }
        Ok(())
    }

    /// `REWIND`: goes on when its own word in memory says so, and reads what comes behind it anew.
    pub(super) fn rewind(&mut self, body: &[u32]) {
        /// In the word: what comes behind it is complete.
        const VALID: u32 = 1 << 31;
        self.streams.forget();
        if body[0] & VALID == 0 {
            let compare = Compare { function: 3, mask: VALID, reference: VALID };
            self.wait_for(Wait::Memory { address: self.address + 4, compare });
        }
    }
}
