//! Bits of a word.

use crate::enums::Names;

/// Bits of a register. Made by the rows of [`crate::rows`]: `reg::DB_DEPTH_CONTROL::ZFUNC`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Byte address of the register's first instance.
    pub register: u32,
    /// The lowest bit.
    pub low: u8,
    /// Bits, 1 to 32.
    pub width: u8,
}

impl Field {
    /// The field of a word.
    #[must_use]
    #[inline]
    pub const fn of(self, word: u32) -> u32 {
        word >> self.low & mask(self.width)
    }

    /// Whether any bit of the field is set in a word.
    #[must_use]
    #[inline]
    pub const fn is_set(self, word: u32) -> bool {
        self.of(word) != 0
    }

    /// A word with only this field, holding the low bits of `value`.
    #[must_use]
    #[inline]
    pub const fn bits(self, value: u32) -> u32 {
        (value & mask(self.width)) << self.low
    }

    /// `word` with this field replaced by the low bits of `value`.
    #[must_use]
    #[inline]
    pub const fn put(self, word: u32, value: u32) -> u32 {
        word & !(mask(self.width) << self.low) | self.bits(value)
    }
}

/// The lowest bits, 1 to 32.
#[must_use]
#[inline]
pub const fn mask(width: u8) -> u32 {
    u32::MAX >> (32 - width)
}

/// A field with its name, as printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldRow {
    /// The hardware's name.
    pub name: &'static str,
    /// The lowest bit.
    pub low: u8,
    /// Bits, 1 to 32.
    pub width: u8,
    /// Names of its values.
    pub names: Option<&'static Names>,
}

impl FieldRow {
    /// The field of a word.
    #[must_use]
    pub const fn of(&self, word: u32) -> u32 {
        word >> self.low & mask(self.width)
    }
}

/// A list of [`FieldRow`]: `NAME low width [NAMES]`, separated by commas.
#[macro_export]
#[doc(hidden)]
macro_rules! field_rows {
    ($( $field:ident $low:literal $width:literal $($names:ident)? ),*) => {
        &[ $( $crate::field::FieldRow {
            name: stringify!($field), low: $low, width: $width, names: $crate::field_rows!(@names $($names)?),
        } ),* ]
    };
    (@names) => { None };
    (@names $names:ident) => { Some(&$crate::enums::$names) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_its_bits_only() {
        let field = Field { register: 0, low: 4, width: 3 };
        assert_eq!((field.of(0xFF), field.bits(9), field.put(0xFFFF, 2)), (7, 0x10, 0xFFAF));
        let all = Field { register: 0, low: 0, width: 32 };
        assert_eq!((all.of(u32::MAX), all.put(5, 6)), (u32::MAX, 6));
    }
}
