//! Registers as whoever applies them sees them.

use crate::field::Field;
use crate::groups::GnmStates;
use crate::places::{WORDS, index};
use afterimage_state::{State, trace};

/// What may be read of a register file: the values of registers, and not what of them is dirty. What a draw applies is made by
/// functions of a view, so equal registers always give the same. Addresses are byte addresses, as in [`crate::reg`].
#[derive(Clone, Debug)]
pub struct View {
    pub(crate) words: Box<[u32; WORDS]>,
}

impl View {
    /// A register; 0 where there is none.
    #[must_use]
    #[inline]
    pub fn get(&self, address: u32) -> u32 {
        let Some(at) = index(address) else { return 0 };
        trace::read(State::<GnmStates>::of(at as u32));
        self.words[at]
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
