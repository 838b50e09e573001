//! Draws and dispatches.

use super::fault::FaultKind;
use super::{Dispatch, Draw, Exec, IndexKind, Indices, long};
use afterimage_gnm_types::registers::Space;
use afterimage_gnm_types::{Opcode, op, reg, value};

/// Words that a draw counts as, for the limits.
const WORK: u64 = 64;

/// Where the parts of an indirect draw go.
struct Indirect {
    indexed: bool,
    /// Register of the first vertex, of the first instance, and of the number of the draw.
    places: [Option<u32>; 3],
}

impl Exec<'_, '_> {
    /// `INDEX_TYPE`, `INDEX_BASE`, `INDEX_BUFFER_SIZE`, `NUM_INSTANCES`, `SET_BASE`.
    pub(super) fn draw_state(&mut self, opcode: Opcode, body: &[u32]) {
        let registers = &mut self.context.registers;
        match opcode {
            op::INDEX_TYPE => {
                registers.set(reg::VGT_INDEX_TYPE, op::INDEX_TYPE::indexType.of(body));
                registers.set(reg::VGT_DMA_INDEX_TYPE, body[0]);
                if op::INDEX_TYPE::swapMode.of(body) != 0 {
                    self.shared.reports.other("a swap of indices, mode", op::INDEX_TYPE::swapMode.of(body));
                }
            }
            op::INDEX_BASE => {
                registers.set(reg::VGT_DMA_BASE, op::INDEX_BASE::addrLo.of(body));
                registers.set(reg::VGT_DMA_BASE_HI, op::INDEX_BASE::addrHi.of(body));
            }
            op::INDEX_BUFFER_SIZE => {
                registers.set(reg::VGT_DMA_MAX_SIZE, body[0]);
            }
            op::NUM_INSTANCES => {
                registers.set(reg::VGT_NUM_INSTANCES, body[0]);
            }
            // SET_BASE
            _ => match op::SET_BASE::baseIndex.of(body) {
                1 => self.context.indirect_base = long(body, 1) & 0xFFFF_FFFF_FFFF,
                other => self.shared.reports.other("SET_BASE of index", other),
            },
        }
    }

    fn index_kind(&self) -> Result<IndexKind, FaultKind> {
        match self.context.registers.get(reg::VGT_INDEX_TYPE) {
            value::VGT_INDEX_16 => Ok(IndexKind::U16),
            value::VGT_INDEX_32 => Ok(IndexKind::U32),
            value::VGT_INDEX_8 => Ok(IndexKind::U8),
            other => Err(FaultKind::Value { field: "VGT_INDEX_TYPE", value: other.into() }),
        }
    }

    /// Indices from the base on, without the first `skip`.
    fn indices(&self, skip: u32, most: u32) -> Result<Indices, FaultKind> {
        let kind = self.index_kind()?;
        let registers = &self.context.registers;
        let high = u64::from(registers.get(reg::VGT_DMA_BASE_HI) & 0xFFFF);
        let base = u64::from(registers.get(reg::VGT_DMA_BASE)) | high << 32;
        let address = base.wrapping_add(u64::from(skip) * kind.bytes()) & 0xFFFF_FFFF_FFFF;
        Ok(Indices::Memory { address, kind, available: most.saturating_sub(skip) })
    }

    fn draw(&mut self, draw: Draw) {
        self.streams.work(WORK);
        if draw.instances == 0 || draw.count == 0 && !draw.opaque {
            return;
        }
        let registers = &mut self.context.registers;
        registers.set(reg::VGT_NUM_INDICES, draw.count);
        self.shared.statistics.draw(registers, draw.count, draw.instances);
        self.bus.graphics.draw(registers, self.bus.memory, &draw);
    }

    /// `DRAW_INDEX_2`, `DRAW_INDEX_OFFSET_2`, `DRAW_INDEX_AUTO`.
    pub(super) fn draw_direct(&mut self, opcode: Opcode, body: &[u32]) -> Result<(), FaultKind> {
        let registers = &mut self.context.registers;
        // The hardware takes no instances for one.
        let instances = registers.get(reg::VGT_NUM_INSTANCES).max(1);
        let (indices, count, initiator) = match opcode {
            op::DRAW_INDEX_2 => {
                registers.set(reg::VGT_DMA_BASE, op::DRAW_INDEX_2::indexBaseLo.of(body));
                registers.set(reg::VGT_DMA_BASE_HI, op::DRAW_INDEX_2::indexBaseHi.of(body));
                registers.set(reg::VGT_DMA_MAX_SIZE, body[0]);
                (self.indices(0, body[0])?, body[3], body[4])
            }
            op::DRAW_INDEX_OFFSET_2 => (self.indices(body[1], body[0].saturating_add(body[1]))?, body[2], body[3]),
            _ => (Indices::Auto, body[0], body[1]),
        };
        self.context.registers.set(reg::VGT_DRAW_INITIATOR, initiator);
        let opaque = reg::VGT_DRAW_INITIATOR::USE_OPAQUE.is_set(initiator);
        let count = if opaque { 0 } else { count };
        self.draw(Draw { indices, count, instances, number: 0, opaque });
        Ok(())
    }

    /// `DRAW_INDIRECT`, `DRAW_INDEX_INDIRECT`: one draw whose parts are in memory.
    pub(super) fn draw_indirect(&mut self, opcode: Opcode, body: &[u32]) -> Result<(), FaultKind> {
        let indexed = opcode == op::DRAW_INDEX_INDIRECT;
        self.context.registers.set(reg::VGT_DRAW_INITIATOR, body[3]);
        let indirect = Indirect { indexed, places: self.places(body, 0) };
        let address = self.context.indirect_base.wrapping_add(body[0].into());
        self.draw_from(&indirect, address, 0)
    }

    /// `DRAW_INDIRECT_MULTI` and its like: many of them, one after the other.
    pub(super) fn draw_multi(&mut self, opcode: Opcode, body: &[u32]) -> Result<(), FaultKind> {
        use op::DRAW_INDIRECT_MULTI as packet;
        let indexed = opcode != op::DRAW_INDIRECT_MULTI;
        self.context.registers.set(reg::VGT_DRAW_INITIATOR, body[8]);
        let number = if packet::drawIndexEnable.of(body) != 0 { packet::drawIndexLoc.of(body) } else { 0 };
        let indirect = Indirect { indexed, places: self.places(body, number) };
        let mut count = packet::count.of(body);
        if packet::countIndirectEnable.of(body) != 0 {
            count = count.min(self.bus.word(long(body, 5))?);
        }
        let base = self.context.indirect_base.wrapping_add(body[0].into());
        for draw in 0..count {
            if self.streams.is_spent(&self.shared.limits) {
                break;
            }
            let offset = u64::from(draw) * u64::from(packet::stride.of(body));
            self.draw_from(&indirect, base.wrapping_add(offset), draw)?;
        }
        Ok(())
    }

    fn draw_from(&mut self, indirect: &Indirect, address: u64, number: u32) -> Result<(), FaultKind> {
        let (count, instances, skip, first_vertex, first_instance) = if indirect.indexed {
            let [count, instances, skip, vertex, instance] = self.bus.words::<5>(address)?;
            (count, instances, skip, vertex, instance)
        } else {
            let [count, instances, vertex, instance] = self.bus.words::<4>(address)?;
            (count, instances, 0, vertex, instance)
        };
        let registers = &mut self.context.registers;
        for (place, value) in indirect.places.into_iter().zip([first_vertex, first_instance, number]) {
            if let Some(place) = place {
                registers.set(place, value);
            }
        }
        registers.set(reg::VGT_NUM_INSTANCES, instances);
        let most = registers.get(reg::VGT_DMA_MAX_SIZE);
        let indices = if indirect.indexed { self.indices(skip, most)? } else { Indices::Auto };
        self.draw(Draw { indices, count, instances, number, opaque: false });
        Ok(())
    }

    /// `DISPATCH_DIRECT`.
    pub(super) fn dispatch_direct(&mut self, body: &[u32]) {
        self.dispatch([body[0], body[1], body[2]], body[3]);
    }

    /// `DISPATCH_INDIRECT`: of the graphics ring with an offset, of compute rings with an address.
    pub(super) fn dispatch_indirect(&mut self, body: &[u32]) -> Result<(), FaultKind> {
        let (address, initiator) = match *body {
            [low, high, initiator, ..] => (u64::from(low) | u64::from(high) << 32, initiator),
            _ => (self.context.indirect_base.wrapping_add(body[0].into()), body[1]),
        };
        let groups = self.bus.words::<3>(address)?;
        self.dispatch(groups, initiator);
        Ok(())
    }

    fn dispatch(&mut self, groups: [u32; 3], initiator: u32) {
        use reg::COMPUTE_DISPATCH_INITIATOR as field;
        self.streams.work(WORK);
        let registers = &mut self.context.registers;
        registers.set_run(reg::COMPUTE_DIM_X, &groups);
        registers.set(reg::COMPUTE_DISPATCH_INITIATOR, initiator);
        if !field::COMPUTE_SHADER_EN.is_set(initiator) {
            return;
        }
        let lanes: [u32; 3] = std::array::from_fn(|axis| registers.get_nth(reg::COMPUTE_NUM_THREAD_X, axis as u32, 4));
        let [full, partial] = [lanes.map(|lanes| (lanes & 0xFFFF).max(1)), lanes.map(|lanes| lanes >> 16)];
        let first = match field::FORCE_START_AT_000.is_set(initiator) {
            true => [0; 3],
            false => registers.array(reg::COMPUTE_START_X),
        };
        let in_lanes = field::USE_THREAD_DIMENSIONS.is_set(initiator);
        // The numbers are where groups end, wherever they begin.
        let ends: [u32; 3] =
            std::array::from_fn(|axis| if in_lanes { groups[axis].div_ceil(full[axis]) } else { groups[axis] });
        let rest: [u32; 3] = std::array::from_fn(|axis| {
            let beyond = if in_lanes { groups[axis] % full[axis] } else { partial[axis] };
            if beyond == 0 { full[axis] } else { beyond.min(full[axis]) }
        });
        let last = (field::PARTIAL_TG_EN.is_set(initiator) && rest != full).then_some(rest);
        let groups: [u32; 3] = std::array::from_fn(|axis| ends[axis].saturating_sub(first[axis]));
        if groups.contains(&0) {
            return;
        }
        let all =
            |axis: usize| u64::from(groups[axis] - 1) * u64::from(full[axis]) + u64::from(last.unwrap_or(full)[axis]);
        let lanes = (0..3).fold(1u64, |lanes, axis| lanes.saturating_mul(all(axis)));
        self.shared.statistics.dispatch(registers, lanes);
        let dispatch = Dispatch { first, groups, last, initiator };
        self.bus.graphics.dispatch(self.queue, registers, self.bus.memory, &dispatch);
    }

    /// Registers that an indirect draw's parts go to; an offset of 0 is none.
    fn places(&mut self, body: &[u32], number: u32) -> [Option<u32>; 3] {
        let offsets = [op::DRAW_INDIRECT::baseVtxLoc.of(body), op::DRAW_INDIRECT::startInstLoc.of(body), number];
        offsets.map(|offset| if offset == 0 { None } else { self.register_at(Space::Shader, offset) })
    }
}
