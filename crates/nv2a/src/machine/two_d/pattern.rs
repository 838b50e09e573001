//! Patterns (class 0x44): the third operand of raster operations.

use super::Refused;

/// Eight lines of eight colours, or two colours and 64 bits.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    shape: u32,
    colored: bool,
    mono_colors: [u32; 2],
    mono: [u32; 2],
    colors: [u32; 64],
    /// Whether bit 7 of a byte is its leftmost pixel.
    cga6: bool,
}

impl Default for Pattern {
    /// All pixels are set, in white.
    fn default() -> Self {
        let (mono_colors, mono) = ([0, u32::MAX], [u32::MAX; 2]);
        Self { shape: 0, colored: false, mono_colors, mono, colors: [u32::MAX; 64], cga6: true }
    }
}

impl Pattern {
    pub(super) fn method(&mut self, method: u16, word: u32) -> Result<(), Refused> {
        let index = |first: u16| usize::from((method - first) / 4);
        match method {
            // Colours are taken as they are: those of the surface.
            0x0300 => {}
            0x0304 => self.cga6 = word == 1,
            0x0308 => self.shape = word,
            0x030C => self.colored = word == 2,
            0x0310 | 0x0314 => self.mono_colors[index(0x0310)] = word,
            0x0318 | 0x031C => self.mono[index(0x0318)] = word,
            // Four, two or one colour a word.
            0x0400..=0x043C => self.put(4 * index(0x0400), &word.to_le_bytes().map(u32::from)),
            0x0500..=0x057C => self.put(2 * index(0x0500), &[word & 0xFFFF, word >> 16]),
            0x0600..=0x067C => self.put(2 * index(0x0600), &[word & 0xFFFF, word >> 16]),
            0x0700..=0x07FC => self.put(index(0x0700), &[word]),
            _ => return Err(Refused::Method),
        }
        Ok(())
    }

    fn put(&mut self, first: usize, colors: &[u32]) {
        self.colors[first..first + colors.len()].copy_from_slice(colors);
    }

    /// The pattern's colour at a pixel of the destination.
    pub(super) fn at(&self, x: u32, y: u32) -> u32 {
        let place = match self.shape {
            1 => x % 64,
            2 => y % 64,
            _ => y % 8 * 8 + x % 8,
        };
        if self.colored {
            return self.colors[place as usize];
        }
        let bit = if self.cga6 { place ^ 7 } else { place };
        self.mono_colors[(self.mono[(bit / 32) as usize] >> (bit % 32) & 1) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_choose_between_two_colours() {
        let mut pattern = Pattern::default();
        assert_eq!(pattern.at(3, 3), u32::MAX);
        for (method, word) in [(0x310, 1), (0x314, 2), (0x318, 0x0000_0180), (0x31C, 0)] {
            assert_eq!(pattern.method(method, word), Ok(()));
        }
        assert_eq!((pattern.at(0, 0), pattern.at(7, 1), pattern.at(1, 0)), (2, 2, 1));
        assert_eq!(pattern.method(0x304, 2), Ok(()));
        assert_eq!((pattern.at(7, 0), pattern.at(8, 9)), (2, 2));
        assert_eq!((pattern.method(0x30C, 2), pattern.method(0x57C, 0x0007_0008)), (Ok(()), Ok(())));
        assert_eq!((pattern.at(6, 7), pattern.at(15, 15)), (8, 7));
        assert_eq!(pattern.method(0x800, 0), Err(Refused::Method));
    }
}
