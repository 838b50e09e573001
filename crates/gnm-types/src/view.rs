//! Registers as whoever applies them sees them.

use crate::field::Field;
use crate::groups::Group;
use crate::registers::{WORDS, index};
use crate::rows::row_of;
use std::cell::RefCell;
use std::collections::BTreeSet;

/// What may be read of a register file: the values of registers, and not what of them is dirty. What a draw applies is made by
/// functions of a view, so equal registers always give the same. Addresses are byte addresses, as in [`crate::reg`].
#[derive(Clone, Debug)]
pub struct View {
    pub(crate) words: Box<[u32; WORDS]>,
    /// Addresses that were read, where somebody wants to know them.
    pub(crate) read: Option<RefCell<BTreeSet<u32>>>,
}

impl View {
    /// A copy that notes which registers are read, for tests and checks.
    #[must_use]
    pub fn traced(&self) -> Self {
        Self { words: self.words.clone(), read: Some(RefCell::default()) }
    }

    /// Registers that were read since [`View::traced`] or the last call of this, in order: each with its group, if it is state.
    #[must_use]
    pub fn take_reads(&self) -> Vec<(u32, Option<Group>)> {
        let read = self.read.as_ref().map(RefCell::take).unwrap_or_default();
        read.into_iter().map(|address| (address, row_of(address).and_then(|(row, _)| row.group))).collect()
    }

    /// A register; 0 where there is none.
    #[must_use]
    #[inline]
    pub fn get(&self, address: u32) -> u32 {
        if let Some(read) = &self.read {
            read.borrow_mut().insert(address);
        }
        index(address).map_or(0, |at| self.words[at])
    }

    /// Instance `n` of a register whose instances lie `stride` bytes apart.
    #[must_use]
    #[inline]
    pub fn get_nth(&self, address: u32, n: u32, stride: u32) -> u32 {
        self.get(address.saturating_add(n.saturating_mul(stride)))
    }

    /// A register as an IEEE single.
    #[must_use]
    #[inline]
    pub fn float(&self, address: u32) -> f32 {
        f32::from_bits(self.get(address))
    }

    /// `N` registers from an address on.
    #[must_use]
    #[inline]
    pub fn array<const N: usize>(&self, address: u32) -> [u32; N] {
        std::array::from_fn(|i| self.get(address.saturating_add(4 * i as u32)))
    }

    /// A field of its register.
    #[must_use]
    #[inline]
    pub fn field(&self, field: Field) -> u32 {
        field.of(self.get(field.register))
    }

    /// A field of instance `n` of its register, whose instances lie `stride` bytes apart.
    #[must_use]
    #[inline]
    pub fn field_nth(&self, field: Field, n: u32, stride: u32) -> u32 {
        field.of(self.get_nth(field.register, n, stride))
    }

    /// Whether any bit of a field is set.
    #[must_use]
    #[inline]
    pub fn is_set(&self, field: Field) -> bool {
        self.field(field) != 0
    }

    /// A 64-bit address from a register that holds bits 39 to 8, and the bits from 40 on in the one behind it.
    #[must_use]
    #[inline]
    pub fn program(&self, low: u32) -> u64 {
        u64::from(self.get(low)) << 8 | u64::from(self.get(low.saturating_add(4)) & 0xFF) << 40
    }
}

#[cfg(test)]
mod tests {
    use crate::{Group, Registers, reg};

    #[test]
    fn a_traced_view_knows_what_was_read() {
        let mut registers = Registers::new();
        registers.set(reg::CB_BLEND_RED, 7);
        let view = registers.traced();
        assert_eq!((view.get(reg::CB_BLEND_RED), view.get(0x28FFC)), (7, 0));
        assert!(!view.is_set(reg::DB_DEPTH_CONTROL::Z_ENABLE));
        let blend = (reg::CB_BLEND_RED, Some(Group::BlendConstants));
        assert_eq!(view.take_reads(), [blend, (reg::DB_DEPTH_CONTROL, Some(Group::DepthStencil)), (0x28FFC, None)]);
        assert_eq!(view.take_reads(), []);
        assert_eq!(registers.take_reads(), []);
    }
}
