//! S3TC as NV2A decodes it.
//!
//! DXT1's target has 5, 6 and 5 bits (`L_DXT1_A1R5G5B5`), and what it gives is dithered: instead of the colour of the
//! palette, a component becomes the value near it that leaves a given remainder, by the texel's place in its block. DXT3 and
//! DXT5 (`A8R8G8B8`) are not dithered. Measured on the golden pictures of Texture_DXT and Texture_format, where it is exact.

use crate::block::{Block, Color, Texels};

/// The remainders of red and blue modulo 8, of green modulo 4, by the texel's number in its block.
const DITHER: [[u8; 16]; 3] = [
    [3, 7, 4, 0, 5, 1, 6, 2, 0, 4, 7, 3, 2, 6, 1, 5],
    [0, 2, 3, 1, 3, 1, 2, 0, 2, 0, 1, 3, 1, 3, 0, 2],
    [2, 6, 1, 5, 0, 4, 7, 3, 5, 1, 6, 2, 3, 7, 4, 0],
];

/// The texels of a block; missing bytes are 0.
pub(super) fn decode(block: Block, bytes: &[u8]) -> Texels {
    match block {
        Block::Bc1 => Block::Bc1.decode(bytes, dithered),
        Block::Bc2 => Block::Bc2.decode(bytes, |_, color| color),
        Block::Bc3 => Block::Bc3.decode(bytes, |_, color| color),
    }
}

#[inline(always)]
fn dithered(texel: usize, [red, green, blue]: Color) -> Color {
    let of = |steps: &[[u8; 256]; 8], component: usize, value: u32| {
        u32::from(steps[usize::from(DITHER[component][texel])][value as usize & 0xFF])
    };
    [of(&STEPS_OF_8, 0, red), of(&STEPS_OF_4, 1, green), of(&STEPS_OF_8, 2, blue)]
}

/// [`dither`] of every value, by remainder.
static STEPS_OF_8: [[u8; 256]; 8] = steps(8);
static STEPS_OF_4: [[u8; 256]; 8] = steps(4);

const fn steps(step: u32) -> [[u8; 256]; 8] {
    let mut table = [[0; 256]; 8];
    let mut i = 0;
    while i < 8 * 256 {
        table[i / 256][i % 256] = dither(i as u32 % 256, i as u32 / 256 % step, step) as u8;
        i += 1;
    }
    table
}

/// The one of the `step` values around `value` that leaves `remainder`; 0 or 255 where that is beyond what the lowest or
/// highest code but one can give.
const fn dither(value: u32, remainder: u32, step: u32) -> u32 {
    let half = step / 2;
    // Moved up by a multiple of the step, so that nothing is negative.
    let lowest = value + step - half;
    let result = (lowest + (remainder + step - lowest % step) % step).saturating_sub(step);
    if result < step + half - 1 {
        0
    } else if result > 254 - half {
        255
    } else {
        result
    }
}

#[cfg(test)]
mod tests {
    use super::{decode, dither};
    use crate::block::Block;

    /// Blocks of the texture of Texture_DXT/DXT1_plasma_alpha_dxt1, and their texels in the golden picture.
    #[test]
    fn blocks_are_as_the_console_shows_them() {
        let shown = |block: u64| decode(Block::Bc1, &block.to_be_bytes()).map(|texel| texel & 0x00FF_FFFF);
        assert_eq!(
            shown(0xF462_5423_D5ED_AE0A),
            [
                0x2368A2, 0x1F6AA6, 0x2467A1, 0x3865A5, 0x1D67A8, 0x3965A4, 0x4E62A7, 0x3A64A3, //
                0x5062A5, 0x3464A1, 0x4F61A6, 0x4B5FA2, 0x4A61A3, 0x4E5FA7, 0x615CA4, 0x655EA8,
            ]
        );
        assert_eq!(
            shown(0xED6B_E65C_F0E8_7B5E),
            [
                0x6B7C6A, 0x677E6E, 0x5C9341, 0x609145, 0x6D7B68, 0x618954, 0x668657, 0x629443, //
                0x609245, 0x648859, 0x5F9146, 0x5B9F32, 0x62895B, 0x5E9347, 0x599C34, 0x5D9E30,
            ]
        );
    }

    #[test]
    fn black_and_white_stay_flat() {
        for (color, expected) in [(0x0000_u16, 0xFF00_0000), (0xFFFF, 0xFFFF_FFFF)] {
            let [low, high] = color.to_le_bytes();
            assert_eq!(decode(Block::Bc1, &[low, high, low, high, 0, 0, 0, 0]), [expected; 16]);
        }
    }

    #[test]
    fn a_grey_block_has_as_many_values_as_its_step() {
        let grey = 0x8410_u16.to_le_bytes();
        let texels = decode(Block::Bc1, &[grey[0], grey[1], 0, 0, 0, 0, 0, 0]);
        let values = |shift: u32| {
            let mut values = texels.map(|texel| texel >> shift & 255).to_vec();
            values.sort_unstable();
            values.dedup();
            values
        };
        assert_eq!(values(16), (128..136).collect::<Vec<_>>(), "red, 132 without dither");
        assert_eq!(values(8), (128..132).collect::<Vec<_>>(), "green, 130 without dither");
    }

    #[test]
    fn only_these_values_come_out() {
        let all = |step: u32| {
            let mut values: Vec<u32> = (0..256).flat_map(|v| (0..step).map(move |r| dither(v, r, step))).collect();
            values.sort_unstable();
            values.dedup();
            values
        };
        let five = all(8);
        assert_eq!((five[..3].to_vec(), five[five.len() - 2..].to_vec()), (vec![0, 11, 12], vec![250, 255]));
        let six = all(4);
        assert_eq!((six[..3].to_vec(), six[six.len() - 2..].to_vec()), (vec![0, 5, 6], vec![252, 255]));
    }

    #[test]
    fn other_formats_are_not_dithered() {
        let mut bytes = [0xFF; 16];
        bytes[8..].copy_from_slice(&[0x10, 0x84, 0, 0, 0, 0, 0, 0]);
        assert_eq!(decode(Block::Bc2, &bytes), [0xFF84_8284; 16]);
    }
}
