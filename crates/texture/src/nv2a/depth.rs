//! Depths: integers of 16 or 24 bits, or small floats without a sign.
//!
//! A float of 16 bits has 4 bits of exponent with a bias of 7 and 12 of fraction, so it ends at 511.9375; one of 24 bits is
//! the upper part of a 32-bit float below its sign, with 8 and 16 bits. What has the least exponent of its format is stored as
//! zero. (`docs/sources/nv2a.md#surfaces`; xemu; the golden pictures of
//! Depth_buffer and Texture_shadow_comparator.)

/// What a depth is kept as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Depth {
    /// 16 bits, an integer.
    Y16Fixed,
    /// 16 bits, a float.
    Y16Float,
    /// The upper 24 bits of a word, an integer.
    Y24Fixed,
    /// The upper 24 bits of a word, a float.
    Y24Float,
}

impl Depth {
    /// The depth in a texel: an integer's value, so that all of them are in depth-buffer units.
    #[must_use]
    pub const fn value(self, texel: u32) -> f32 {
        match self {
            Self::Y16Fixed => (texel & 0xFFFF) as f32,
            Self::Y16Float => float_16(texel),
            Self::Y24Fixed => (texel >> 8) as f32,
            Self::Y24Float => float_24(texel >> 8),
        }
    }

    /// Bytes of a texel.
    #[must_use]
    pub const fn bytes(self) -> u32 {
        match self {
            Self::Y16Fixed | Self::Y16Float => 2,
            Self::Y24Fixed | Self::Y24Float => 4,
        }
    }
}

/// The largest depth of a 16-bit float.
pub const FLOAT_16_MAX: f32 = 511.9375;

/// The value of a 16-bit float; bits above are not looked at.
#[must_use]
pub const fn float_16(bits: u32) -> f32 {
    let bits = bits & 0xFFFF;
    if bits == 0 { 0.0 } else { f32::from_bits((bits << 11) + 0x3C00_0000) }
}

/// The value of a 24-bit float; bits above are not looked at.
#[must_use]
pub const fn float_24(bits: u32) -> f32 {
    let bits = (bits & 0xFF_FFFF) << 7;
    if bits < f32::MIN_POSITIVE.to_bits() { 0.0 } else { f32::from_bits(bits) }
}

/// The 16-bit float below `value`, clamped to what there is: 0 for what is not positive, too small or no number.
#[must_use]
pub fn to_float_16(value: f32) -> u32 {
    if value >= FLOAT_16_MAX {
        return 0xFFFF;
    }
    if value.is_nan() || value < float_16(0x1000) {
        return 0;
    }
    (value.to_bits() - 0x3C00_0000) >> 11
}

/// The 24-bit float below `value`: 0 for what is not positive, too small or no number.
#[must_use]
pub fn to_float_24(value: f32) -> u32 {
    if value >= f32::MIN_POSITIVE { value.to_bits() >> 7 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::{Depth, FLOAT_16_MAX, float_16, float_24, to_float_16, to_float_24};

    #[test]
    fn floats_have_their_range() {
        assert_eq!(float_16(0xFFFF), FLOAT_16_MAX);
        assert_eq!(float_16(0x7000), 1.0);
        assert_eq!(float_16(0x7800), 1.5);
        assert_eq!(float_24(0x3F_8000 << 1), 1.0);
        assert!(float_24(0xFE_FFFF) > 1e38);
        assert_eq!(Depth::Y24Fixed.value(0x1234_56FF), f32::from_bits(0x4991_A2B0));
        assert_eq!(Depth::Y16Fixed.value(0xFFFF_8000), 32768.0);
    }

    #[test]
    fn every_float_is_its_own() {
        for bits in 0x1000..=0xFFFF {
            assert_eq!(to_float_16(float_16(bits)), bits);
        }
        for bits in (0x1_0000..=0xFE_FFFF).step_by(97) {
            assert_eq!(to_float_24(float_24(bits)), bits);
        }
    }

    #[test]
    fn what_is_no_depth_is_clamped() {
        for value in [f32::NAN, -1.0, -0.0, f32::NEG_INFINITY, 1e-30] {
            assert_eq!(to_float_16(value), 0, "{value}");
        }
        assert_eq!(to_float_16(f32::INFINITY), 0xFFFF);
        assert_eq!(to_float_24(f32::NAN), 0);
        assert_eq!((to_float_24(-3.0), to_float_24(f32::from_bits(0x7F_FFFF))), (0, 0));
        assert_eq!((to_float_16(float_16(0xFFF)), to_float_16(float_16(0x1000))), (0, 0x1000));
        assert_eq!((float_24(0xFFFF), float_24(0x1_0000)), (0.0, f32::MIN_POSITIVE));
    }
}
