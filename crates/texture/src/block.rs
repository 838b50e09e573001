//! S3TC blocks of 4 x 4 texels: what their bits say. How the colours between the ends are rounded is the GPU's.

use crate::field::replicate;

/// A format of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Block {
    /// DXT1: colours with one bit of alpha, 8 bytes.
    Bc1,
    /// DXT2 and 3: explicit alpha of four bits, 16 bytes.
    Bc2,
    /// DXT4 and 5: interpolated alpha, 16 bytes.
    Bc3,
}

/// Red, green, blue.
pub type Color = [u32; 3];

/// Sixteen texels of a block in rows, as words 0xAARRGGBB.
pub type Texels = [u32; 16];

impl Block {
    /// Bytes of a block.
    #[must_use]
    pub const fn bytes(self) -> u32 {
        match self {
            Self::Bc1 => 8,
            Self::Bc2 | Self::Bc3 => 16,
        }
    }

    /// The texels of a block; missing bytes are 0. Ends of colours are widened by repeating their bits, what lies between
    /// ends is rounded to the nearest, and each colour goes through `finish` with its number in the block.
    #[must_use]
    #[inline(always)]
    pub fn decode(self, bytes: &[u8], finish: impl Fn(usize, Color) -> Color) -> Texels {
        let word = |at: usize| {
            bytes.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |bytes| u64::from_le_bytes(*bytes))
        };
        let (alpha, color) = if self == Self::Bc1 { (0, word(0)) } else { (word(0), word(8)) };
        let colors = palette(color, self == Self::Bc1);
        let alphas = if self == Self::Bc3 { interpolated(alpha) } else { [0; 8] };
        std::array::from_fn(|texel| {
            let (color, opaque) = colors[(color >> (32 + 2 * texel) & 3) as usize];
            let alpha = match self {
                Self::Bc1 => opaque,
                Self::Bc2 => (alpha >> (4 * texel) & 15) as u32 * 17,
                Self::Bc3 => alphas[(alpha >> (16 + 3 * texel) & 7) as usize],
            };
            let [r, g, b] = if alpha == 0 && self == Self::Bc1 { color } else { finish(texel, color) };
            alpha << 24 | r << 16 | g << 8 | b
        })
    }
}

/// The four colours of a block with their alpha. The fourth is transparent where a DXT1 block puts its ends in rising order.
fn palette(block: u64, may_be_transparent: bool) -> [(Color, u32); 4] {
    let ends = [block as u32 & 0xFFFF, (block >> 16) as u32 & 0xFFFF];
    let [first, second]: [Color; 2] =
        ends.map(|end| [replicate(end >> 11, 5), replicate(end >> 5 & 63, 6), replicate(end & 31, 5)]);
    let mix =
        |a: u32, b: u32| -> Color { std::array::from_fn(|i| (a * first[i] + b * second[i] + (a + b) / 2) / (a + b)) };
    let between = if may_be_transparent && ends[0] <= ends[1] {
        [(mix(1, 1), 255), ([0; 3], 0)]
    } else {
        [(mix(2, 1), 255), (mix(1, 2), 255)]
    };
    [(first, 255), (second, 255), between[0], between[1]]
}

/// The eight alphas of a DXT5 block.
fn interpolated(block: u64) -> [u32; 8] {
    let (first, second) = (block as u32 & 255, (block >> 8) as u32 & 255);
    let steps = if first > second { 7 } else { 5 };
    std::array::from_fn(|i| match i as u32 {
        0 => first,
        1 => second,
        6 if steps == 5 => 0,
        7 if steps == 5 => 255,
        i => ((steps + 1 - i) * first + (i - 1) * second + steps / 2) / steps,
    })
}

#[cfg(test)]
mod tests {
    use super::{Block, Texels};

    fn decode(block: Block, bytes: &[u8]) -> Texels {
        block.decode(bytes, |_, color| color)
    }

    #[test]
    fn ends_in_falling_order_have_two_colours_between_them() {
        // Red and blue; the texels of the first row are the four colours.
        let texels = decode(Block::Bc1, &[0x00, 0xF8, 0x1F, 0x00, 0b1110_0100, 0, 0, 0]);
        assert_eq!(texels[..5], [0xFFFF_0000, 0xFF00_00FF, 0xFFAA_0055, 0xFF55_00AA, 0xFFFF_0000]);
    }

    #[test]
    fn ends_in_rising_order_have_a_hole() {
        let block = [0x1F, 0x00, 0x00, 0xF8, 0b1110_0100, 0, 0, 0];
        assert_eq!(decode(Block::Bc1, &block)[..4], [0xFF00_00FF, 0xFFFF_0000, 0xFF80_0080, 0]);
        let mut with_alpha = [0xFF; 16];
        with_alpha[8..].copy_from_slice(&block);
        assert_eq!(decode(Block::Bc2, &with_alpha)[3], 0xFFAA_0055, "only DXT1 has holes");
    }

    #[test]
    fn alpha_is_explicit_or_between_two_ends() {
        let mut bytes = [0; 16];
        bytes[..2].copy_from_slice(&[0x5A, 0x0F]);
        assert_eq!(decode(Block::Bc2, &bytes).map(|texel| texel >> 24)[..4], [0xAA, 0x55, 0xFF, 0]);

        let codes: u64 = (0..8).map(|i| i << (3 * i)).sum();
        let alphas = |first: u8, second: u8| {
            let mut bytes = [0; 16];
            bytes[..8].copy_from_slice(&(codes << 16 | u64::from(second) << 8 | u64::from(first)).to_le_bytes());
            decode(Block::Bc3, &bytes).map(|texel| texel >> 24)
        };
        assert_eq!(alphas(255, 3)[..8], [255, 3, 219, 183, 147, 111, 75, 39]);
        assert_eq!(alphas(3, 255)[..8], [3, 255, 53, 104, 154, 205, 0, 255]);
    }

    #[test]
    fn missing_bytes_are_zero() {
        assert_eq!(decode(Block::Bc3, &[]), [0; 16]);
        assert_eq!(decode(Block::Bc1, &[0; 7]), [0xFF00_0000; 16]);
    }
}
