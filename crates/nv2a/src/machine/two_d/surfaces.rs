//! Where 2D objects read and write (classes 0x42 and 0x62), and what their pixels are.

use super::{Refused, halves, set_dma};
use crate::machine::{Bus, Handles};
use crate::memory::DmaObject;

/// Two pieces of memory with one format.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Surfaces {
    pub(super) format: Format,
    pub(super) source: Surface,
    pub(super) destination: Surface,
}

/// A piece of memory.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Surface {
    dma: Option<DmaObject>,
    offset: u32,
    pub(super) pitch: u16,
}

impl Surfaces {
    pub(super) fn method(&mut self, method: u16, word: u32, handles: Handles<'_>) -> Result<(), Refused> {
        match method {
            0x0184 => return set_dma(&mut self.source.dma, word, handles),
            0x0188 => return set_dma(&mut self.destination.dma, word, handles),
            0x0300 => {
                let none = Refused::Argument("is no colour format; the one before stays");
                self.format = Format::of(word).ok_or(none)?;
            }
            0x0304 => (self.source.pitch, self.destination.pitch) = halves(word),
            0x0308 => self.source.offset = word,
            0x030C => self.destination.offset = word,
            _ => return Err(Refused::Method),
        }
        Ok(())
    }
}

impl Surface {
    /// Physical address of so many bytes, `x` bytes into a line; `None` where the DMA object ends.
    pub(super) fn address(&self, x: u32, line: u32, bytes: u32) -> Option<u32> {
        let offset = u64::from(self.offset) + u64::from(line) * u64::from(self.pitch) + u64::from(x);
        self.dma?.resolve(u32::try_from(offset).ok()?, bytes)
    }

    /// Brings draws into a rectangle back into memory, which is then the truth. `x` and `width` are bytes.
    pub(super) fn settle(&self, x: u32, line: u32, width: u32, lines: u32, bus: &mut Bus<'_>) {
        let Some(first) = self.address(x, line, 0) else { return };
        let size = u64::from(lines.saturating_sub(1)) * u64::from(self.pitch) + u64::from(width);
        let size = size.min(bus.memory.size().saturating_sub(first).into());
        bus.graphics.write_back(bus.memory, first, size as u32);
    }
}

/// Pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Format {
    /// Bytes of a pixel: 1, 2 or 4.
    pub(super) bytes: u32,
    /// Bits of red, green and blue; all 0 where a pixel is one number.
    pub(super) channels: [u32; 3],
    /// Bits above them that are written as 0 or 1 whatever the source says: their mask, and what is written.
    unused: (u32, u32),
}

impl Format {
    /// The format of a code of `SET_COLOR_FORMAT`.
    pub(super) fn of(code: u32) -> Option<Self> {
        let format = |bytes, channels, mask, value| Self { bytes, channels, unused: (mask, value) };
        Some(match code {
            0x01 => format(1, [0; 3], 0, 0),
            0x02 => format(2, [5; 3], 0x8000, 0),
            0x03 => format(2, [5; 3], 0x8000, 0x8000),
            0x04 => format(2, [5, 6, 5], 0, 0),
            0x05 => format(2, [0; 3], 0, 0),
            0x06 => format(4, [8; 3], 0xFF00_0000, 0),
            0x07 => format(4, [8; 3], 0xFF00_0000, 0xFF00_0000),
            0x08 => format(4, [8; 3], 0x8000_0000, 0),
            0x09 => format(4, [8; 3], 0x8000_0000, 0x8000_0000),
            0x0A => format(4, [8; 3], 0, 0),
            0x0B => format(4, [0; 3], 0, 0),
            _ => return None,
        })
    }

    /// Red, green and blue of a pixel, 8 bits each.
    pub(super) fn unpack(&self, pixel: u32) -> [u32; 3] {
        let [r, g, b] = self.channels;
        let channel = |low: u32, bits: u32| {
            let value = pixel >> low & ((1 << bits) - 1);
            match bits {
                0 => pixel & 0xFF,
                8 => value,
                // The highest bits again fill the lowest.
                bits => value << (8 - bits) | value >> (2 * bits - 8),
            }
        };
        [channel(g + b, r), channel(b, g), channel(0, b)]
    }

    /// A pixel from red, green and blue of 8 bits; the bits above them are those of `above`.
    pub(super) fn pack(&self, color: [u32; 3], above: u32) -> u32 {
        let [r, g, b] = self.channels;
        if r == 0 {
            return color[2];
        }
        let fit = |value: u32, bits: u32| value >> (8 - bits);
        let rest = above & !((1 << (r + g + b)) - 1);
        rest | fit(color[0], r) << (g + b) | fit(color[1], g) << b | fit(color[2], b)
    }

    /// The pixel as it is written.
    pub(super) fn finish(&self, pixel: u32) -> u32 {
        pixel & !self.unused.0 | self.unused.1
    }

    /// Whether pixels are written as they are.
    pub(super) fn takes_all(&self) -> bool {
        self.unused.0 == 0
    }

    /// The pixel at the start of bytes.
    pub(super) fn load(&self, bytes: &[u8]) -> u32 {
        match *bytes {
            [a, b, c, d, ..] if self.bytes == 4 => u32::from_le_bytes([a, b, c, d]),
            [a, b, ..] if self.bytes == 2 => u16::from_le_bytes([a, b]).into(),
            [a, ..] => a.into(),
            [] => 0,
        }
    }

    /// Stores a pixel at the start of bytes, which must be long enough.
    pub(super) fn store(&self, bytes: &mut [u8], pixel: u32) {
        let size = self.bytes as usize;
        bytes[..size].copy_from_slice(&pixel.to_le_bytes()[..size]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_come_back() {
        for (code, pixel) in [(0x04, 0xFACE), (0x02, 0x7ACE), (0x0A, 0x8012_3456)] {
            let format = Format::of(code).unwrap();
            assert_eq!(format.finish(format.pack(format.unpack(pixel), pixel)), pixel);
        }
        assert_eq!(Format::of(0x04).unwrap().unpack(0xF81F), [255, 0, 255]);
        assert_eq!(Format::of(0x07).unwrap().finish(0x0012_3456), 0xFF12_3456);
        assert_eq!(Format::of(0x06).unwrap().finish(0x7712_3456), 0x0012_3456);
        assert_eq!(Format::of(0x0C), None);
    }
}
