//! One packet.

use super::fault::FaultKind;
use super::stream::Streams;
use super::{Bus, Context, Flip, Marker, Queue, Shared, Waiting, clear_state, long};
use crate::driver::calls;
use afterimage_gnm_types::packets::{Header, PACKETS, PRIVATE};
use afterimage_gnm_types::registers::Space;
use afterimage_gnm_types::{Opcode, decode, markers, op};

/// Words that each packet has behind its header at least.
static LEAST: [u8; 256] = {
    let mut least = [0; 256];
    let mut row = 0;
    while row < PACKETS.len() {
        least[PACKETS[row].opcode.0 as usize] = PACKETS[row].least as u8;
        row += 1;
    }
    least
};

/// What a packet acts on.
pub(super) struct Exec<'a, 'b> {
    pub(super) queue: Queue,
    pub(super) streams: &'a mut Streams,
    pub(super) wait: &'a mut Option<Waiting>,
    pub(super) context: &'a mut Context,
    pub(super) shared: &'a mut Shared,
    pub(super) bus: &'a mut Bus<'b>,
    /// Guest address of the packet.
    pub(super) address: u64,
    pub(super) opcode: Opcode,
}

impl Exec<'_, '_> {
    /// Carries a packet out.
    #[inline]
    pub(super) fn packet(&mut self, header: u32, body: &[u32]) -> Result<(), FaultKind> {
        match Header::decode(header) {
            Header::Packet { opcode, private, predicated, .. } => {
                self.opcode = opcode;
                let least = LEAST[usize::from(opcode.0)];
                if body.len() < usize::from(least) {
                    return Err(FaultKind::Short { got: body.len() as u32, least: least.into() });
                }
                if predicated && !self.context.predicate {
                    return Ok(());
                }
                match opcode {
                    op::SET_CONTEXT_REG => self.set(Space::Context, body),
                    op::SET_SH_REG => self.set(Space::Shader, body),
                    op::SET_UCONFIG_REG => self.set(Space::UserConfig, body),
                    PRIVATE => return self.private(private, body),
                    _ => return self.other(opcode, body),
                }
            }
            Header::Registers { address, .. } => self.set_from(address, body),
            Header::Filler => {}
            Header::Reserved => {
                self.streams.leave();
                self.streams.forget();
                return Err(FaultKind::Reserved(header));
            }
        }
        Ok(())
    }

    fn other(&mut self, opcode: Opcode, body: &[u32]) -> Result<(), FaultKind> {
        match opcode {
            op::NOP => self.nop(body),
            op::SET_CONFIG_REG => self.set(Space::Config, body),
            op::LOAD_CONTEXT_REG | op::LOAD_SH_REG | op::LOAD_UCONFIG_REG | op::LOAD_CONFIG_REG => {
                return self.load(opcode, body);
            }
            op::SET_SH_REG_OFFSET | op::REG_RMW | op::CONTEXT_REG_RMW => self.modify(opcode, body),
            op::INDEX_TYPE | op::INDEX_BASE | op::INDEX_BUFFER_SIZE | op::NUM_INSTANCES | op::SET_BASE => {
                self.draw_state(opcode, body);
            }
            op::DRAW_INDEX_2 | op::DRAW_INDEX_OFFSET_2 | op::DRAW_INDEX_AUTO => return self.draw_direct(opcode, body),
            op::DRAW_INDIRECT | op::DRAW_INDEX_INDIRECT => return self.draw_indirect(opcode, body),
            op::DRAW_INDIRECT_MULTI | op::DRAW_INDEX_INDIRECT_MULTI | op::DRAW_INDEX_INDIRECT_COUNT_MULTI => {
                return self.draw_multi(opcode, body);
            }
            op::DISPATCH_DIRECT => self.dispatch_direct(body),
            op::DISPATCH_INDIRECT => return self.dispatch_indirect(body),
            op::INDIRECT_BUFFER => return self.indirect_buffer(body),
            op::INDIRECT_BUFFER_CONST => return self.indirect_buffer_const(body),
            op::COND_EXEC => return self.cond_exec(body),
            op::PRED_EXEC => self.pred_exec(body),
            op::SET_PREDICATION => return self.set_predication(body),
            op::WAIT_REG_MEM => return self.wait_reg_mem(body),
            op::MEM_SEMAPHORE => return self.mem_semaphore(body),
            op::REWIND => self.rewind(body),
            op::WRITE_CONST_RAM
            | op::LOAD_CONST_RAM
            | op::DUMP_CONST_RAM
            | op::INCREMENT_CE_COUNTER
            | op::INCREMENT_DE_COUNTER
            | op::WAIT_ON_CE_COUNTER
            | op::WAIT_ON_DE_COUNTER_DIFF => return self.constant(opcode, body),
            op::WRITE_DATA => return self.write_data(body),
            op::COPY_DATA | op::COPY_DW => return self.copy_data(opcode, body),
            op::DMA_DATA => return self.dma_data(body),
            op::CP_DMA => return self.cp_dma(body),
            op::ATOMIC => return self.atomic(body),
            op::ATOMIC_GDS => return self.atomic_gds(body),
            op::OCCLUSION_QUERY => return self.occlusion_query(body),
            op::COND_WRITE => return self.cond_write(body),
            op::EVENT_WRITE => return self.event_write(body),
            op::EVENT_WRITE_EOP => return self.event_write_eop(body),
            op::EVENT_WRITE_EOS => return self.event_write_eos(body),
            op::RELEASE_MEM => return self.release_mem(body),
            op::ACQUIRE_MEM | op::SURFACE_SYNC => {
                self.bus.graphics.flush(&mut self.context.registers, self.bus.memory);
            }
            op::STRMOUT_BUFFER_UPDATE => return self.stream_out(body),
            op::CLEAR_STATE => clear_state::clear(&mut self.context.registers),
            // What is read ahead may be stale.
            op::PFP_SYNC_ME => self.streams.forget(),
            // Which state is kept in memory, where a preamble is, and whose turn it is: nothing that a program can see.
            op::CONTEXT_CONTROL | op::PREAMBLE_CNTL | op::SWITCH_BUFFER | op::SET_QUEUE_REG => {}
            _ => self.shared.reports.opcode(self.queue, opcode, self.address),
        }
        Ok(())
    }

    /// `NOP`: what a program or its library says besides.
    fn nop(&mut self, body: &[u32]) {
        let Some((&code, rest)) = body.split_first() else { return };
        let marker = match code {
            markers::PUSH_MARKER | markers::PUSH_COLOR_MARKER => Marker::Push(decode::marker_text(rest)),
            markers::POP_MARKER => Marker::Pop,
            markers::SET_MARKER => Marker::Set(decode::marker_text(rest)),
            markers::PATCHED_FLIP => {
                if let [handle, buffer, mode, _, _, low, high, ..] = *rest {
                    let argument = long(rest, 3);
                    let flip = Flip { handle, buffer, mode, argument };
                    self.bus.graphics.flip(self.bus.memory, &flip);
                    // The buffer was shown: who waits for it goes on.
                    let label = u64::from(low) | u64::from(high) << 32;
                    if label != 0 && self.bus.write(label & !7, &0u64.to_le_bytes()).is_err() {
                        self.shared.reports.other("the label of a flip at", low);
                    }
                }
                return;
            }
            _ => return,
        };
        self.bus.graphics.marker(&marker);
    }

    /// One of our own packets: the call that it carries, as the hardware's packets.
    fn private(&mut self, operation: u8, body: &[u32]) -> Result<(), FaultKind> {
        let unknown = FaultKind::Private { operation, words: body.len() as u32 };
        let mut words = [0; calls::LONGEST];
        let words = calls::expand(operation, body, &mut words).ok_or(unknown)?;
        let mut rest = words;
        while let Some((&header, behind)) = rest.split_first() {
            let count = (Header::decode(header).count() as usize).min(behind.len());
            let (body, behind) = behind.split_at(count);
            self.packet(header, body)?;
            rest = behind;
        }
        Ok(())
    }
}
