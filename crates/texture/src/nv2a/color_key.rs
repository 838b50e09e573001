//! Colour keys: texels that equal a given one are made transparent, or their pixels are not drawn.

use super::{Decode, TextureFormat};

/// What becomes of texels that equal the key (SET_TEXTURE_CONTROL0, bits 1 and 0).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KeyMode {
    /// Nothing.
    Off,
    /// Their alpha is 0.
    Alpha,
    /// All their components are 0.
    Color,
    /// The pixel that samples them is not drawn, whether the combiners use the texture or not. That is the pixel stage's
    /// work: [`ColorKey::expanded`] is what it has to compare with.
    Kill,
}

/// A colour key of a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColorKey {
    /// A texel in the texture's format (SET_COLOR_KEY_COLOR).
    pub key: u32,
    /// What becomes of texels that equal it.
    pub mode: KeyMode,
}

impl KeyMode {
    /// The mode in the low bits of SET_TEXTURE_CONTROL0.
    #[must_use]
    pub const fn from_control0(control0: u32) -> Self {
        match control0 & 3 {
            0 => Self::Off,
            1 => Self::Alpha,
            2 => Self::Color,
            _ => Self::Kill,
        }
    }
}

impl ColorKey {
    /// Whether a texel equals the key. Bits that mean nothing (the X of X8R8G8B8) are not compared. Texels of other formats
    /// than those with plain components of at most eight bits, or a palette, never do.
    #[must_use]
    pub fn matches(self, format: TextureFormat, texel: u32) -> bool {
        let info = format.info();
        let bits = u32::MAX >> (32 - 8 * info.bytes.clamp(1, 4));
        matches!(info.decode, Decode::Color(_) | Decode::Palette) && (texel ^ self.key) & format.mask() & bits == 0
    }

    /// The key as a decoded texel 0xAARRGGBB, and the bits of it that count; for formats of components of at most eight bits.
    #[must_use]
    pub fn expanded(self, format: TextureFormat) -> Option<(u32, u32)> {
        Some((format.color(self.key)?, format.color(u32::MAX)? ^ format.color(0)?))
    }

    /// What becomes of the texel `decoded` (0xAARRGGBB) that is `texel` in memory.
    pub(super) fn apply(self, format: TextureFormat, texel: u32, decoded: u32) -> u32 {
        match self.mode {
            KeyMode::Alpha if self.matches(format, texel) => decoded & 0x00FF_FFFF,
            KeyMode::Color if self.matches(format, texel) => 0,
            _ => decoded,
        }
    }

    /// Whether texels have to be compared when they are decoded.
    pub(super) const fn changes_texels(self) -> bool {
        matches!(self.mode, KeyMode::Alpha | KeyMode::Color)
    }
}

#[cfg(test)]
mod tests {
    use super::{ColorKey, KeyMode};
    use crate::nv2a::TextureFormat;

    #[test]
    fn bits_that_mean_nothing_are_not_compared() {
        let key = ColorKey { key: 0x1234_5678, mode: KeyMode::from_control0(0x4000_0001) };
        assert_eq!(key.mode, KeyMode::Alpha);
        assert!(key.matches(TextureFormat::SZ_X8R8G8B8, 0xFF34_5678));
        assert!(!key.matches(TextureFormat::SZ_A8R8G8B8, 0xFF34_5678));
        assert!(key.matches(TextureFormat::SZ_A1R5G5B5, 0x5678));
        assert!(key.matches(TextureFormat::SZ_X1R5G5B5, 0xD678));
        assert!(key.matches(TextureFormat::SZ_I8_A8R8G8B8, 0x78));
        assert!(!key.matches(TextureFormat::LC_IMAGE_CR8YB8CB8YA8, key.key), "two texels share its words");
    }

    #[test]
    fn the_pixel_stage_compares_decoded_texels() {
        let key = ColorKey { key: 0x7C1F, mode: KeyMode::Kill };
        assert_eq!(key.expanded(TextureFormat::LU_IMAGE_X1R5G5B5), Some((0xFFFF_00FF, 0x00FF_FFFF)));
        assert_eq!(key.expanded(TextureFormat::LU_IMAGE_A1R5G5B5), Some((0x00FF_00FF, 0xFFFF_FFFF)));
        assert_eq!(key.expanded(TextureFormat::SZ_Y16), None);
        assert_eq!(key.apply(TextureFormat::LU_IMAGE_A1R5G5B5, 0x7C1F, 0x1234_5678), 0x1234_5678);
    }

    #[test]
    fn matching_texels_lose_alpha_or_all() {
        let key = |mode| ColorKey { key: 0xF1FF_00FF, mode };
        let format = TextureFormat::LU_IMAGE_A8R8G8B8;
        assert_eq!(key(KeyMode::Alpha).apply(format, 0xF1FF_00FF, 0xF1FF_00FF), 0x00FF_00FF);
        assert_eq!(key(KeyMode::Color).apply(format, 0xF1FF_00FF, 0xF1FF_00FF), 0);
        assert_eq!(key(KeyMode::Color).apply(format, 0xF0FF_00FF, 0xF0FF_00FF), 0xF0FF_00FF);
        assert_eq!(key(KeyMode::Off).apply(format, 0xF1FF_00FF, 0xF1FF_00FF), 0xF1FF_00FF);
    }
}
