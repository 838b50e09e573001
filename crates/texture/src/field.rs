//! Bit fields of a texel and how they become components of eight bits.

/// Where a component of a texel comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// Always 0.
    Zero,
    /// Always the largest value.
    One,
    /// `count` bits (1 to 16) from bit `at` up of the texel, read as a little-endian word.
    Bits {
        /// Lowest bit.
        at: u8,
        /// Number of bits.
        count: u8,
    },
}

/// A [`Field::Bits`], short enough for rows of tables.
#[must_use]
pub const fn bits(at: u8, count: u8) -> Field {
    Field::Bits { at, count }
}

/// Red, green, blue and alpha of a texel as a word 0xAARRGGBB.
#[must_use]
#[inline(always)]
pub const fn argb([red, green, blue, alpha]: [Field; 4], texel: u32) -> u32 {
    alpha.to_8(texel) << 24 | red.to_8(texel) << 16 | green.to_8(texel) << 8 | blue.to_8(texel)
}

/// The bits of a texel that hold the components of a word 0xAARRGGBB.
#[must_use]
#[inline(always)]
pub const fn texel([red, green, blue, alpha]: [Field; 4], argb: u32) -> u32 {
    let upper = red.from_8(argb >> 16 & 0xFF) | green.from_8(argb >> 8 & 0xFF);
    upper | blue.from_8(argb & 0xFF) | alpha.from_8(argb >> 24)
}

/// A texel of up to four bytes as a word.
#[inline(always)]
pub(crate) fn word(bytes: &[u8]) -> u32 {
    let mut word = [0; 4];
    for (to, from) in word.iter_mut().zip(bytes) {
        *to = *from;
    }
    u32::from_le_bytes(word)
}

/// Repeats the `count` bits of `value` downwards until eight are full: 5 bits abcde become abcdeabc. Bits beyond eight are
/// dropped from below.
#[must_use]
#[inline(always)]
pub const fn replicate(value: u32, count: u32) -> u32 {
    match count {
        0 => 0,
        1..=3 => value * 255 / ((1 << count) - 1),
        4..=7 => value << (8 - count) | value >> (2 * count - 8),
        _ => value >> (count - 8),
    }
}

/// The upper `count` (at most 8) bits of `value` of 8 bits: an NV2A loses the others when it stores a component, as the picture
/// Blend_surface/X_Z1RGB5_Add_SrcA_DstA of a console shows.
#[must_use]
#[inline(always)]
pub const fn narrow(value: u32, count: u32) -> u32 {
    value >> (8 - count)
}

impl Field {
    /// The bits of the texel that this field takes.
    #[must_use]
    pub const fn mask(self) -> u32 {
        match self {
            Self::Zero | Self::One => 0,
            Self::Bits { at, count } => ((1 << count) - 1) << at,
        }
    }

    /// The component as 8 bits.
    #[must_use]
    #[inline(always)]
    pub const fn to_8(self, texel: u32) -> u32 {
        match self {
            Self::Zero => 0,
            Self::One => 0xFF,
            Self::Bits { at, count } => replicate(texel >> at & ((1 << count) - 1), count as u32),
        }
    }

    /// The component as 16 bits; fields are of 8 or 16 bits here.
    #[must_use]
    pub const fn to_16(self, texel: u32) -> u32 {
        match self {
            Self::Zero => 0,
            Self::One => 0xFFFF,
            Self::Bits { at, count: 16 } => texel >> at & 0xFFFF,
            Self::Bits { .. } => self.to_8(texel) * 0x101,
        }
    }

    /// The bits of a texel that hold this component of 8 bits.
    #[must_use]
    #[inline(always)]
    pub const fn from_8(self, component: u32) -> u32 {
        match self {
            Self::Zero | Self::One => 0,
            Self::Bits { at, count } => narrow(component, count as u32) << at,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{bits, narrow, replicate};

    #[test]
    fn narrow_fields_repeat_their_bits() {
        // The values that tell repeated bits from v * 255 / 31 rounded.
        assert_eq!([3, 7, 24, 28].map(|v| replicate(v, 5)), [24, 57, 198, 231]);
        assert_eq!([11, 12, 15, 48, 52].map(|v| replicate(v, 6)), [44, 48, 60, 195, 211]);
        assert_eq!([0, 1].map(|v| replicate(v, 1)), [0, 255]);
        assert_eq!([0, 7, 15].map(|v| replicate(v, 4)), [0, 0x77, 255]);
        assert_eq!([0, 1, 64, 127].map(|v| replicate(v, 7)), [0, 2, 129, 255]);
    }

    #[test]
    fn what_is_widened_narrows_to_itself() {
        for count in 1..=8 {
            for value in 0..1 << count {
                assert_eq!(narrow(replicate(value, count), count), value, "{value} of {count} bits");
            }
        }
    }

    #[test]
    fn a_field_is_found_at_its_place() {
        let green = bits(5, 6);
        assert_eq!(green.mask(), 0x07E0);
        assert_eq!(green.to_8(!0x07E0), 0);
        assert_eq!(green.to_8(0x07E0), 255);
        assert_eq!(green.from_8(255), 0x07E0);
    }
}
