//! Swizzled tiles of 8 x 8 texels, taken apart and put together in words of eight bytes.
//!
//! A tile of an image with sides of at least eight is one run of memory. A word of it has 4 x 2 texels of one byte, 2 x 2 of
//! two, or 2 x 1 of four, so rows come out of two words by shifts and masks, without a look-up for each texel.

use super::{Region, deposit, next};

/// Texels of a tile's side.
pub(super) const SIDE: u32 = 8;

/// Texels of a tile.
const TEXELS: usize = (SIDE * SIDE) as usize;

/// A tile of texels of up to four bytes, as words; of smaller texels the first words.
type Words = [u64; 32];

/// Copies whole tiles out of `image`. `rows` begins with the first texel of `region`.
pub(super) fn unswizzle<const BYTES: usize>(
    masks: [u32; 3],
    image: &[u8],
    region: Region,
    rows: &mut [u8],
    pitch: usize,
) {
    let width = region.size[0] as usize * BYTES;
    for_each_strip(masks, region, |strip, y, mut x, x_mask| {
        let strip = &mut rows[strip * pitch * SIDE as usize..];
        let mut lines = strip.chunks_mut(pitch).map(|line| line[..width].chunks_exact_mut(SIDE as usize * BYTES));
        let mut lines: [_; SIDE as usize] =
            std::array::from_fn(|_| lines.next().unwrap_or_else(|| [].chunks_exact_mut(SIDE as usize * BYTES)));
        for _ in 0..region.size[0] / SIDE {
            let from = (y | x) as usize * BYTES;
            let tile = load::<BYTES>(&image[from..from + TEXELS * BYTES]);
            let mut out = lines.each_mut().map(|line| line.next().unwrap_or_default());
            match BYTES {
                1 => out_of_1(&tile, &mut out),
                2 => out_of_2(&tile, &mut out),
                _ => out_of_4(&tile, &mut out),
            }
            x = next(x, x_mask);
        }
    });
}

/// Copies whole tiles into `image`. `rows` begins with the first texel of `region`.
pub(super) fn swizzle<const BYTES: usize>(
    masks: [u32; 3],
    rows: &[u8],
    pitch: usize,
    image: &mut [u8],
    region: Region,
) {
    let width = region.size[0] as usize * BYTES;
    for_each_strip(masks, region, |strip, y, mut x, x_mask| {
        let strip = &rows[strip * pitch * SIDE as usize..];
        let mut lines = strip.chunks(pitch).map(|line| line[..width].chunks_exact(SIDE as usize * BYTES));
        let mut lines: [_; SIDE as usize] =
            std::array::from_fn(|_| lines.next().unwrap_or_else(|| [].chunks_exact(SIDE as usize * BYTES)));
        for _ in 0..region.size[0] / SIDE {
            let from = lines.each_mut().map(|line| line.next().unwrap_or_default());
            let tile = match BYTES {
                1 => into_1(&from),
                2 => into_2(&from),
                _ => into_4(&from),
            };
            let to = (y | x) as usize * BYTES;
            for (bytes, word) in image[to..to + TEXELS * BYTES].chunks_exact_mut(8).zip(tile) {
                bytes.copy_from_slice(&word.to_le_bytes());
            }
            x = next(x, x_mask);
        }
    });
}

/// Calls `strip` with the number of each row of tiles, the index of its texels without that of x, the spread x of its first
/// tile, and the mask with which the spread x of the next tile follows.
fn for_each_strip(masks: [u32; 3], region: Region, mut strip: impl FnMut(usize, u32, u32, u32)) {
    // The bits of an index below a tile's belong to the texels inside it.
    let of_tiles = |mask: u32| mask & !(TEXELS as u32 - 1);
    let (x_mask, y_mask) = (of_tiles(masks[0]), of_tiles(masks[1]));
    let x = deposit(region.origin[0] / SIDE, x_mask);
    let mut y = deposit(region.origin[1] / SIDE, y_mask);
    for number in 0..region.size[1] / SIDE {
        strip(number as usize, y, x, x_mask);
        y = next(y, y_mask);
    }
}

fn word(bytes: &[u8]) -> u64 {
    bytes.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

#[inline(always)]
fn load<const BYTES: usize>(bytes: &[u8]) -> Words {
    let mut words = [0; 32];
    for (to, from) in words[..TEXELS * BYTES / 8].iter_mut().zip(bytes.chunks_exact(8)) {
        *to = word(from);
    }
    words
}

#[inline(always)]
fn put(line: &mut [u8], at: usize, word: u64) {
    if let Some(place) = line.get_mut(at * 8..at * 8 + 8) {
        place.copy_from_slice(&word.to_le_bytes());
    }
}

/// Which word of a tile has x bits and y bits of these: bit 0 and 1 of each are the lowest that choose a word.
const fn choose(bits: [usize; 5]) -> usize {
    bits[0] | bits[1] << 1 | bits[2] << 2 | bits[3] << 3 | bits[4] << 4
}

/// Two rows of eight texels of one byte out of the two words that have them, and back again: 16-bit pairs of the upper row
/// are at bits 0 and 32, those of the lower row at 16 and 48.
const PAIRS: u64 = 0x0000_FFFF_0000_FFFF;

const fn squeeze(word: u64) -> u64 {
    let pairs = word & PAIRS;
    (pairs | pairs >> 16) & 0xFFFF_FFFF
}

const fn stretch(half: u64) -> u64 {
    let half = half & 0xFFFF_FFFF;
    (half | half << 16) & PAIRS
}

#[inline(always)]
fn out_of_1(tile: &Words, lines: &mut [&mut [u8]; SIDE as usize]) {
    for pair in 0..4 {
        let (left, right) =
            (tile[choose([pair & 1, 0, pair >> 1, 0, 0])], tile[choose([pair & 1, 1, pair >> 1, 0, 0])]);
        put(lines[pair * 2], 0, squeeze(left) | squeeze(right) << 32);
        put(lines[pair * 2 + 1], 0, squeeze(left >> 16) | squeeze(right >> 16) << 32);
    }
}

#[inline(always)]
fn into_1(lines: &[&[u8]; SIDE as usize]) -> Words {
    let mut tile = [0; 32];
    for pair in 0..4 {
        let (upper, lower) = (word(lines[pair * 2]), word(lines[pair * 2 + 1]));
        tile[choose([pair & 1, 0, pair >> 1, 0, 0])] = stretch(upper) | stretch(lower) << 16;
        tile[choose([pair & 1, 1, pair >> 1, 0, 0])] = stretch(upper >> 32) | stretch(lower >> 32) << 16;
    }
    tile
}

const LOW: u64 = 0xFFFF_FFFF;

#[inline(always)]
fn out_of_2(tile: &Words, lines: &mut [&mut [u8]; SIDE as usize]) {
    for pair in 0..4 {
        for half in 0..2 {
            let at = |x| tile[choose([x, pair & 1, half, pair >> 1, 0])];
            let (left, right) = (at(0), at(1));
            put(lines[pair * 2], half, left & LOW | right << 32);
            put(lines[pair * 2 + 1], half, left >> 32 | right & !LOW);
        }
    }
}

#[inline(always)]
fn into_2(lines: &[&[u8]; SIDE as usize]) -> Words {
    let mut tile = [0; 32];
    for pair in 0..4 {
        for half in 0..2 {
            let at = |line: usize| word(&lines[line][half * 8..]);
            let (upper, lower) = (at(pair * 2), at(pair * 2 + 1));
            tile[choose([0, pair & 1, half, pair >> 1, 0])] = upper & LOW | lower << 32;
            tile[choose([1, pair & 1, half, pair >> 1, 0])] = upper >> 32 | lower & !LOW;
        }
    }
    tile
}

#[inline(always)]
fn out_of_4(tile: &Words, lines: &mut [&mut [u8]; SIDE as usize]) {
    for (y, line) in lines.iter_mut().enumerate() {
        for x in 0..4 {
            put(line, x, tile[choose([y & 1, x & 1, y >> 1 & 1, x >> 1, y >> 2])]);
        }
    }
}

#[inline(always)]
fn into_4(lines: &[&[u8]; SIDE as usize]) -> Words {
    let mut tile = [0; 32];
    for (y, line) in lines.iter().enumerate() {
        for x in 0..4 {
            tile[choose([y & 1, x & 1, y >> 1 & 1, x >> 1, y >> 2])] = word(&line[x * 8..]);
        }
    }
    tile
}
