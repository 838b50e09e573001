//! Packets that set registers.

use super::{Context, Exec, Shared, fault::FaultKind, long};
use afterimage_gnm_types::packets::PREDICATE;
use afterimage_gnm_types::registers::Space;
use afterimage_gnm_types::{Opcode, decode, op};

/// The space that a packet sets registers of, if it is one of the three that most packets are and nothing decides about it.
#[inline]
pub(super) fn space_set_by(header: u32) -> Option<Space> {
    /// Type, opcode, and whether predication decides.
    const LOOKED_AT: u32 = 3 << 30 | 0xFF << 8 | PREDICATE;
    const fn header_of(opcode: Opcode) -> u32 {
        3 << 30 | (opcode.0 as u32) << 8
    }
    const CONTEXT: u32 = header_of(op::SET_CONTEXT_REG);
    const SHADER: u32 = header_of(op::SET_SH_REG);
    const USER_CONFIG: u32 = header_of(op::SET_UCONFIG_REG);
    match header & LOOKED_AT {
        CONTEXT => Some(Space::Context),
        SHADER => Some(Space::Shader),
        USER_CONFIG => Some(Space::UserConfig),
        _ => None,
    }
}

/// The register of a space at an offset in words of 16 bits; none, which is told, where another space would be.
#[inline]
fn register_at(shared: &mut Shared, space: Space, offset: u32) -> Option<u32> {
    let offset = offset & 0xFFFF;
    let register = space.base() + 4 * offset;
    if (offset as usize) < space.words() {
        return Some(register);
    }
    shared.reports.other("a register outside of its space, at", register);
    None
}

#[inline]
fn set_from(context: &mut Context, shared: &mut Shared, register: u32, values: &[u32]) {
    if let Some(unnamed) = context.registers.set_run(register, values) {
        let at = (unnamed - register) as usize / 4;
        shared.reports.register(unnamed, values.get(at).copied().unwrap_or(0));
    }
}

/// `SET_..._REG`, whose body has a word at least.
#[inline]
pub(super) fn set(context: &mut Context, shared: &mut Shared, space: Space, body: &[u32]) {
    if let Some(register) = register_at(shared, space, body[0]) {
        set_from(context, shared, register, &body[1..]);
    }
}

impl Exec<'_, '_> {
    /// `SET_..._REG`.
    pub(super) fn set(&mut self, space: Space, body: &[u32]) {
        set(self.context, self.shared, space, body);
    }

    /// Stores a register; one that has no name is told.
    pub(super) fn store(&mut self, register: u32, value: u32) {
        self.set_from(register, &[value]);
    }

    /// Stores registers from one on; those that have no name are told.
    pub(super) fn set_from(&mut self, register: u32, values: &[u32]) {
        set_from(self.context, self.shared, register, values);
    }

    /// The register of a space at an offset; none where another space would be.
    pub(super) fn register_at(&mut self, space: Space, offset: u32) -> Option<u32> {
        register_at(self.shared, space, offset)
    }

    /// `LOAD_..._REG`: pairs of offset and count, from memory that is laid out as the registers are.
    pub(super) fn load(&mut self, opcode: Opcode, body: &[u32]) -> Result<(), FaultKind> {
        let base = long(body, 0) & 0xFFFF_FFFF_FFFC;
        let Some(space) = decode::space_of(opcode) else { return Ok(()) };
        for run in body[2..].chunks_exact(2) {
            let (offset, words) = (run[0] & 0xFFFF, run[1] & 0x3FFF);
            let Some(register) = self.register_at(space, offset) else { continue };
            self.streams.work(words.into());
            if self.streams.is_spent(&self.shared.limits) {
                break;
            }
            let mut values = vec![0u32; words as usize];
            self.bus.read(base + 4 * u64::from(offset), bytemuck::cast_slice_mut(&mut values))?;
            values.iter_mut().for_each(|value| *value = u32::from_le(*value));
            self.set_from(register, &values);
        }
        Ok(())
    }

    /// `SET_SH_REG_OFFSET`: where the data that follows is, as user data. `REG_RMW`, `CONTEXT_REG_RMW`.
    pub(super) fn modify(&mut self, opcode: Opcode, body: &[u32]) {
        match opcode {
            op::SET_SH_REG_OFFSET => {
                let Some(register) = self.register_at(Space::Shader, body[0]) else { return };
                let offset = 4 * u64::from(op::SET_SH_REG_OFFSET::dwIbOffset.of(body));
                let data = self.context.indirect_base.wrapping_add(offset);
                self.set_from(register, &[data as u32, (data >> 32) as u32 & 0xFFFF]);
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
                let Some(register) = self.register_at(Space::Context, body[0]) else { return };
                let value = self.context.registers.get(register) & !body[1] | body[2] & body[1];
                self.store(register, value);
            }
        }
    }
}
