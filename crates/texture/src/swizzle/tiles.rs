//! Swizzled tiles of 8 x 8 texels, taken apart and put together in words of eight bytes.
//!
//! A tile of an image with sides of at least eight is one run of memory. A word of it has 4 x 2 texels of one byte, 2 x 2 of
//! two, or 2 x 1 of four, so rows come out of two words by shifts and masks, without a look-up for each texel.

use super::{Region, deposit, next};

/// Texels of a tile's side.
pub(super) const SIDE: u32 = 8;

/// [`SIDE`] for arrays: the rows of a tile.
const ROWS: usize = SIDE as usize;

/// How a tile of texels of one size is taken apart. `ROW` is the bytes of a tile's row, `TILE` of all of it.
pub(super) trait Texels<const ROW: usize, const TILE: usize> {
    /// A tile to its rows.
    fn apart(tile: &[u8; TILE], rows: [&mut [u8; ROW]; ROWS]);
    /// Rows to their tile.
    fn together(rows: [&[u8; ROW]; ROWS], tile: &mut [u8; TILE]);
}

/// Copies whole tiles out of `image`. `rows` begins with the first texel of `region`.
pub(super) fn unswizzle<T: Texels<ROW, TILE>, const ROW: usize, const TILE: usize>(
    masks: [u32; 3],
    image: &[u8],
    region: Region,
    rows: &mut [u8],
    pitch: usize,
) {
    let tiles = image.as_chunks::<TILE>().0;
    let across = (region.size[0] / SIDE) as usize;
    for strip in strips(masks, region) {
        let lines = rows[strip.number * pitch * ROWS..].chunks_mut(pitch);
        let mut lines = lines.map(|line| line[..across * ROW].as_chunks_mut::<ROW>().0.iter_mut());
        let mut lines: [_; ROWS] = std::array::from_fn(|_| lines.next().unwrap_or_default());
        for index in strip.tiles.take(across) {
            let [Some(a), Some(b), Some(c), Some(d), Some(e), Some(f), Some(g), Some(h)] =
                lines.each_mut().map(Iterator::next)
            else {
                return;
            };
            T::apart(&tiles[index], [a, b, c, d, e, f, g, h]);
        }
    }
}

/// Copies whole tiles into `image`. `rows` begins with the first texel of `region`.
pub(super) fn swizzle<T: Texels<ROW, TILE>, const ROW: usize, const TILE: usize>(
    masks: [u32; 3],
    rows: &[u8],
    pitch: usize,
    image: &mut [u8],
    region: Region,
) {
    let tiles = image.as_chunks_mut::<TILE>().0;
    let across = (region.size[0] / SIDE) as usize;
    for strip in strips(masks, region) {
        let lines = rows[strip.number * pitch * ROWS..].chunks(pitch);
        let mut lines = lines.map(|line| line[..across * ROW].as_chunks::<ROW>().0.iter());
        let mut lines: [_; ROWS] = std::array::from_fn(|_| lines.next().unwrap_or_default());
        for index in strip.tiles.take(across) {
            let [Some(a), Some(b), Some(c), Some(d), Some(e), Some(f), Some(g), Some(h)] =
                lines.each_mut().map(Iterator::next)
            else {
                return;
            };
            T::together([a, b, c, d, e, f, g, h], &mut tiles[index]);
        }
    }
}

/// A row of tiles.
struct Strip<I> {
    /// Its number from the region's top.
    number: usize,
    /// The tiles' numbers in memory from the region's left side on, without end.
    tiles: I,
}

/// The rows of tiles of a region.
fn strips(masks: [u32; 3], region: Region) -> impl Iterator<Item = Strip<impl Iterator<Item = usize>>> {
    // The six lowest bits of an index belong to the texels inside a tile.
    let [x_mask, y_mask, _] = masks.map(|mask| mask >> (2 * SIDE.ilog2()));
    let left = deposit(region.origin[0] / SIDE, x_mask);
    let top = deposit(region.origin[1] / SIDE, y_mask);
    let downwards = std::iter::successors(Some(top), move |&y| Some(next(y, y_mask)));
    downwards.take((region.size[1] / SIDE) as usize).enumerate().map(move |(number, y)| {
        let across = std::iter::successors(Some(left), move |&x| Some(next(x, x_mask)));
        Strip { number, tiles: across.map(move |x| (y | x) as usize) }
    })
}

/// Word `at` of a run of memory.
#[inline(always)]
fn get<const SIZE: usize>(bytes: &[u8; SIZE], at: usize) -> u64 {
    bytes.as_chunks().0.get(at).map_or(0, |word| u64::from_le_bytes(*word))
}

#[inline(always)]
fn put<const SIZE: usize>(bytes: &mut [u8; SIZE], at: usize, word: u64) {
    if let Some(place) = bytes.as_chunks_mut().0.get_mut(at) {
        *place = word.to_le_bytes();
    }
}

/// The word of a tile that these bits choose, the lowest first.
const fn choose<const BITS: usize>(bits: [usize; BITS]) -> usize {
    let (mut index, mut bit) = (0, 0);
    while bit < BITS {
        index |= bits[bit] << bit;
        bit += 1;
    }
    index
}

/// Texels of one byte. Words are chosen by y1, x2, y2.
pub(super) struct One;

/// In a word of [`One`] the upper row's pairs of texels are at bits 0 and 32, the lower row's at 16 and 48.
const PAIRS: u64 = 0x0000_FFFF_0000_FFFF;

/// The low half of a word.
const LOW: u64 = 0xFFFF_FFFF;

const fn squeeze(word: u64) -> u64 {
    let pairs = word & PAIRS;
    (pairs | pairs >> 16) & LOW
}

const fn stretch(half: u64) -> u64 {
    let half = half & LOW;
    (half | half << 16) & PAIRS
}

impl Texels<8, 64> for One {
    #[inline(always)]
    fn apart(tile: &[u8; 64], rows: [&mut [u8; 8]; ROWS]) {
        for (pair, [upper, lower]) in pairs(rows) {
            let [left, right] = [0, 1].map(|x| get(tile, choose([pair & 1, x, pair >> 1])));
            put(upper, 0, squeeze(left) | squeeze(right) << 32);
            put(lower, 0, squeeze(left >> 16) | squeeze(right >> 16) << 32);
        }
    }

    #[inline(always)]
    fn together(rows: [&[u8; 8]; ROWS], tile: &mut [u8; 64]) {
        for (pair, [upper, lower]) in pairs(rows) {
            let (upper, lower) = (get(upper, 0), get(lower, 0));
            put(tile, choose([pair & 1, 0, pair >> 1]), stretch(upper) | stretch(lower) << 16);
            put(tile, choose([pair & 1, 1, pair >> 1]), stretch(upper >> 32) | stretch(lower >> 32) << 16);
        }
    }
}

/// Texels of two bytes. Words are chosen by x1, y1, x2, y2; their low half is of the upper row.
pub(super) struct Two;

impl Texels<16, 128> for Two {
    #[inline(always)]
    fn apart(tile: &[u8; 128], rows: [&mut [u8; 16]; ROWS]) {
        for (pair, [upper, lower]) in pairs(rows) {
            for half in 0..2 {
                let [left, right] = [0, 1].map(|x| get(tile, choose([x, pair & 1, half, pair >> 1])));
                put(upper, half, left & LOW | right << 32);
                put(lower, half, left >> 32 | right & !LOW);
            }
        }
    }

    #[inline(always)]
    fn together(rows: [&[u8; 16]; ROWS], tile: &mut [u8; 128]) {
        for (pair, [upper, lower]) in pairs(rows) {
            for half in 0..2 {
                let (upper, lower) = (get(upper, half), get(lower, half));
                put(tile, choose([0, pair & 1, half, pair >> 1]), upper & LOW | lower << 32);
                put(tile, choose([1, pair & 1, half, pair >> 1]), upper >> 32 | lower & !LOW);
            }
        }
    }
}

/// Texels of four bytes. Words are chosen by y0, x1, y1, x2, y2.
pub(super) struct Four;

impl Texels<32, 256> for Four {
    #[inline(always)]
    fn apart(tile: &[u8; 256], rows: [&mut [u8; 32]; ROWS]) {
        for (y, row) in rows.into_iter().enumerate() {
            for x in 0..4 {
                put(row, x, get(tile, choose([y & 1, x & 1, y >> 1 & 1, x >> 1, y >> 2])));
            }
        }
    }

    #[inline(always)]
    fn together(rows: [&[u8; 32]; ROWS], tile: &mut [u8; 256]) {
        for (y, row) in rows.into_iter().enumerate() {
            for x in 0..4 {
                put(tile, choose([y & 1, x & 1, y >> 1 & 1, x >> 1, y >> 2]), get(row, x));
            }
        }
    }
}

/// Every two rows with the number of the pair.
#[inline(always)]
fn pairs<T>([a, b, c, d, e, f, g, h]: [T; ROWS]) -> impl Iterator<Item = (usize, [T; 2])> {
    [[a, b], [c, d], [e, f], [g, h]].into_iter().enumerate()
}
