//! Y'CbCr textures.
//!
//! The coefficients are those of BT.601 with limited range, but each product is rounded to an integer by itself, and three of
//! the four products of chroma only to even ones. Measured on the golden pictures of the YUY2 and UYVY formats (37,497
//! combinations of Y', Cb and Cr, by the authors of hakuX), where it is exact.

use crate::field::{replicate, word};

/// How Y', Cb, Cr and alpha share the words of a format. `YA` is the luma of the left one of two texels, `YB` of the right.
#[allow(non_camel_case_types, missing_docs, reason = "the names are the hardware's: components from the top bit down")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chroma {
    CR8YB8CB8YA8,
    YB8CR8YA8CB8,
    A8CR8CB8Y8,
    /// Six bits of each, four of alpha. The order is as the name says; no picture has confirmed it.
    A4V6YB6A4U6YA6,
}

impl Chroma {
    /// Y', Cb, Cr and alpha of a texel in the word that it shares with its neighbour. `odd` is the right one of two.
    #[must_use]
    #[inline(always)]
    pub fn components(self, word: u32, odd: bool) -> [u32; 4] {
        let byte = |at: u32| word >> at & 0xFF;
        let six = |at: u32| replicate(word >> at & 0x3F, 6);
        match (self, odd) {
            (Self::CR8YB8CB8YA8, false) => [byte(0), byte(8), byte(24), 255],
            (Self::CR8YB8CB8YA8, true) => [byte(16), byte(8), byte(24), 255],
            (Self::YB8CR8YA8CB8, false) => [byte(8), byte(0), byte(16), 255],
            (Self::YB8CR8YA8CB8, true) => [byte(24), byte(0), byte(16), 255],
            (Self::A8CR8CB8Y8, _) => [byte(0), byte(8), byte(16), byte(24)],
            (Self::A4V6YB6A4U6YA6, false) => [six(0), six(6), six(22), replicate(word >> 12 & 15, 4)],
            (Self::A4V6YB6A4U6YA6, true) => [six(16), six(6), six(22), replicate(word >> 28, 4)],
        }
    }

    /// Texels in one word.
    #[must_use]
    pub const fn texels_per_word(self) -> u32 {
        if matches!(self, Self::A8CR8CB8Y8) { 1 } else { 2 }
    }

    /// A texel as 0xAARRGGBB. Without conversion of colour spaces red is Cr, green Y' and blue Cb.
    #[must_use]
    #[inline(always)]
    pub fn texel(self, word: u32, odd: bool, convert: bool) -> u32 {
        let [y, cb, cr, alpha] = self.components(word, odd);
        let [r, g, b] = if convert { rgb(y, cb, cr) } else { [cr, y, cb] };
        alpha << 24 | r << 16 | g << 8 | b
    }

    /// Decodes a row of words to texels 0xAARRGGBB.
    pub(super) fn row(self, words: &[u8], texels: &mut [u8], convert: bool) {
        // The two formats that occur have loops of their own.
        match (self, convert) {
            (Self::CR8YB8CB8YA8, true) => row::<2>(words, texels, |w, odd| Self::CR8YB8CB8YA8.texel(w, odd, true)),
            (Self::YB8CR8YA8CB8, true) => row::<2>(words, texels, |w, odd| Self::YB8CR8YA8CB8.texel(w, odd, true)),
            (Self::A8CR8CB8Y8, _) => row::<1>(words, texels, |w, odd| self.texel(w, odd, convert)),
            _ => row::<2>(words, texels, |w, odd| self.texel(w, odd, convert)),
        }
    }
}

/// Decodes words with `PER_WORD` texels each.
#[inline(always)]
fn row<const PER_WORD: usize>(words: &[u8], texels: &mut [u8], texel: impl Fn(u32, bool) -> u32) {
    for (out, word) in texels.chunks_mut(4 * PER_WORD).zip(words.chunks_exact(4).map(word)) {
        for (number, out) in out.chunks_exact_mut(4).enumerate() {
            out.copy_from_slice(&texel(word, number == 1).to_le_bytes());
        }
    }
}

/// Red, green and blue.
#[inline(always)]
fn rgb(y: u32, cb: u32, cr: u32) -> [u32; 3] {
    let (c, d, e) = (y as i32 - 16, cb as i32 - 128, cr as i32 - 128);
    let luma = (298 * c - 96) >> 8;
    let red = luma + 2 * ((409 * e + 127) >> 9);
    let green = luma + 2 * ((-50 * d + 254) >> 8) + 2 * ((-104 * e + 248) >> 8) + 1;
    let blue = luma + ((516 * d) >> 8);
    [red, green, blue].map(|component| component.clamp(0, 255) as u32)
}

#[cfg(test)]
mod tests {
    use super::Chroma;

    #[test]
    fn two_texels_share_their_chroma() {
        let word = 0x1122_3344;
        assert_eq!(Chroma::CR8YB8CB8YA8.components(word, false), [0x44, 0x33, 0x11, 255]);
        assert_eq!(Chroma::CR8YB8CB8YA8.components(word, true), [0x22, 0x33, 0x11, 255]);
        assert_eq!(Chroma::YB8CR8YA8CB8.components(word, false), [0x33, 0x44, 0x22, 255]);
        assert_eq!(Chroma::YB8CR8YA8CB8.components(word, true), [0x11, 0x44, 0x22, 255]);
        assert_eq!(Chroma::CR8YB8CB8YA8.texel(word, true, false), 0xFF11_2233);
        // A 15, V 63, YB 0, A 8, U 32, YA 63.
        let word = 15 << 28 | 63 << 22 | 8 << 12 | 32 << 6 | 63;
        assert_eq!(Chroma::A4V6YB6A4U6YA6.components(word, false), [255, 130, 255, 0x88]);
        assert_eq!(Chroma::A4V6YB6A4U6YA6.components(word, true), [0, 130, 255, 255]);
    }

    #[test]
    fn greys_colours_and_the_ends_of_the_range() {
        let rgb = |y: u32, cb: u32, cr: u32| Chroma::A8CR8CB8Y8.texel(cr << 16 | cb << 8 | y, false, true);
        for y in 0..256 {
            let [r, g, b] = [16, 8, 0].map(|at| (rgb(y, 128, 128) >> at & 255) as i32);
            assert!((r - b).abs() <= 1 && (g - r).abs() <= 1, "grey {y} is {r} {g} {b}");
        }
        assert_eq!(rgb(255, 128, 128), 0x00FF_FFFF);
        assert_eq!(rgb(0, 128, 128), 0x0000_0000);
        // BT.601's red is Y' 81, Cb 90, Cr 240.
        let [r, g, b] = [16, 8, 0].map(|at| rgb(81, 90, 240) >> at & 255);
        assert!(r >= 253 && g <= 2 && b <= 2, "{r} {g} {b}");
    }
}
