//! Tiles of 8 x 8 elements (and 4 or 8 slices): the order of their elements, and tiles taken apart and put together in words
//! of eight bytes. The first Xbox's swizzled images consist of them as the PlayStation 4's surfaces do.
//!
//! The index of an element in its tile has the bits of x, y and z in an order that depends on the element's size. A word of a
//! tile has elements of one row, or, of small elements in thin and thick order, of two rows. Of large elements two words go
//! together.

/// The order of elements in a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// The PlayStation 4's for scanning out.
    Display,
    /// x and y bits in turn: Morton order. Also of depth, whose samples lie side by side.
    Thin,
    /// Slices in turn too.
    Thick,
}

/// Rows of a tile.
pub(crate) const ROWS: usize = 8;

/// A coordinate's bit.
#[derive(Clone, Copy)]
enum Bit {
    X(u32),
    Y(u32),
    Z(u32),
}
use Bit::{X, Y, Z};

/// The bits of an element's index, the lowest first.
const fn bits(order: Order, bytes: u32) -> [Bit; 9] {
    let (z0, z1, z2) = (Z(0), Z(1), Z(2));
    match (order, bytes) {
        (Order::Display, 1) => [X(0), X(1), X(2), Y(1), Y(0), Y(2), z0, z1, z2],
        (Order::Display, 2) => [X(0), X(1), X(2), Y(0), Y(1), Y(2), z0, z1, z2],
        (Order::Display, 4) => [X(0), X(1), Y(0), X(2), Y(1), Y(2), z0, z1, z2],
        (Order::Display, 8) => [X(0), Y(0), X(1), X(2), Y(1), Y(2), z0, z1, z2],
        (Order::Display, _) => [Y(0), X(0), X(1), X(2), Y(1), Y(2), z0, z1, z2],
        (Order::Thin, _) => [X(0), Y(0), X(1), Y(1), X(2), Y(2), z0, z1, z2],
        (Order::Thick, 1 | 2) => [X(0), Y(0), X(1), Y(1), z0, z1, X(2), Y(2), z2],
        (Order::Thick, 4) => [X(0), Y(0), X(1), z0, Y(1), z1, X(2), Y(2), z2],
        (Order::Thick, _) => [X(0), Y(0), z0, X(1), Y(1), z1, X(2), Y(2), z2],
    }
}

/// The axis (x, y or z) and its bit of each bit of an element's index, the lowest first.
pub(crate) fn coordinate_bits(order: Order, bytes: u32) -> [(usize, u32); 9] {
    bits(order, bytes).map(|bit| match bit {
        X(bit) => (0, bit),
        Y(bit) => (1, bit),
        Z(bit) => (2, bit),
    })
}

/// Index of an element in its tile.
pub(crate) const fn index(order: Order, bytes: u32, at: [u32; 3]) -> u32 {
    let bits = bits(order, bytes);
    let (mut index, mut n) = (0, 0);
    while n < bits.len() {
        let bit = match bits[n] {
            X(bit) => at[0] >> bit,
            Y(bit) => at[1] >> bit,
            Z(bit) => at[2] >> bit,
        };
        index |= (bit & 1) << n;
        n += 1;
    }
    index
}

/// The bytes of a tile.
pub(crate) trait Words {
    /// Word `at`, which is inside.
    fn word(&self, at: usize) -> u64;
    /// Words `at` and behind it; `at` is even.
    fn pair(&self, at: usize) -> u128;
}

/// A tile in one run of memory.
pub(crate) struct Run<'a, const TILE: usize>(pub(crate) &'a [u8; TILE]);

impl<const TILE: usize> Words for Run<'_, TILE> {
    #[inline(always)]
    fn word(&self, at: usize) -> u64 {
        get(self.0, at)
    }

    #[inline(always)]
    fn pair(&self, at: usize) -> u128 {
        get_pair(self.0, at)
    }
}

/// Bytes of a [`Chunks`]' run.
pub(crate) const CHUNK: usize = 256;

/// A tile in runs of 256 bytes.
pub(crate) struct Chunks<'a, const COUNT: usize>(pub(crate) [&'a [u8; CHUNK]; COUNT]);

impl<const COUNT: usize> Words for Chunks<'_, COUNT> {
    #[inline(always)]
    fn word(&self, at: usize) -> u64 {
        get(self.0[at / (CHUNK / WORD) % COUNT], at % (CHUNK / WORD))
    }

    #[inline(always)]
    fn pair(&self, at: usize) -> u128 {
        get_pair(self.0[at / (CHUNK / WORD) % COUNT], at % (CHUNK / WORD))
    }
}

/// A tile of elements of one size and order. `ROW` is the bytes of its row, `TILE` of all of it. `ORDER` is [`Order`] as a
/// number.
pub(crate) struct Tile<const BYTES: usize, const ROW: usize, const TILE: usize, const ORDER: u8>;

/// Bytes of a word.
const WORD: usize = 8;
/// The low half of a word.
const LOW: u64 = 0xFFFF_FFFF;
/// In a word of 4 x 2 bytes the upper row's pairs are at bits 0 and 32, the lower row's at 16 and 48.
const PAIRS: u64 = 0x0000_FFFF_0000_FFFF;

const fn squeeze(word: u64) -> u64 {
    let pairs = word & PAIRS;
    (pairs | pairs >> 16) & LOW
}

const fn stretch(half: u64) -> u64 {
    let half = half & LOW;
    (half | half << 16) & PAIRS
}

#[inline(always)]
fn get(bytes: &[u8], word: usize) -> u64 {
    bytes.as_chunks::<WORD>().0.get(word).map_or(0, |word| u64::from_le_bytes(*word))
}

#[inline(always)]
fn put(bytes: &mut [u8], word: usize, value: u64) {
    if let Some(place) = bytes.as_chunks_mut::<WORD>().0.get_mut(word) {
        *place = value.to_le_bytes();
    }
}

#[inline(always)]
fn get_pair(bytes: &[u8], word: usize) -> u128 {
    bytes.as_chunks::<{ 2 * WORD }>().0.get(word / 2).map_or(0, |pair| u128::from_le_bytes(*pair))
}

#[inline(always)]
fn put_pair(bytes: &mut [u8], word: usize, value: u128) {
    if let Some(place) = bytes.as_chunks_mut::<{ 2 * WORD }>().0.get_mut(word / 2) {
        *place = value.to_le_bytes();
    }
}

impl<const BYTES: usize, const ROW: usize, const TILE: usize, const ORDER: u8> Tile<BYTES, ROW, TILE, ORDER> {
    const KIND: Order = match ORDER {
        0 => Order::Display,
        1 => Order::Thin,
        _ => Order::Thick,
    };
    /// Words have elements of two rows.
    const QUADS: bool = BYTES <= 2 && !matches!(Self::KIND, Order::Display);
    /// The word of each row that has bytes `8 * n` on of it, or of the two rows.
    const WORDS: [[usize; 16]; ROWS] = {
        let mut words = [[0; 16]; ROWS];
        let mut y = 0;
        while y < ROWS {
            let mut n = 0;
            while n < ROW / WORD {
                let byte = n * WORD;
                let at = [(byte / BYTES) as u32, y as u32, 0];
                words[y][n] = (index(Self::KIND, BYTES as u32, at) as usize * BYTES + byte % BYTES) / WORD;
                n += 1;
            }
            y += 1;
        }
        words
    };
    /// Of elements of two bytes in two rows: the words of columns 2 and 6.
    const SECOND: [[usize; 2]; ROWS] = {
        let mut words = [[0; 2]; ROWS];
        let mut y = 0;
        while y < ROWS {
            words[y][0] = index(Self::KIND, BYTES as u32, [2, y as u32, 0]) as usize * BYTES / WORD;
            words[y][1] =
                index(Self::KIND, BYTES as u32, [if BYTES == 1 { 4 } else { 6 }, y as u32, 0]) as usize * BYTES / WORD;
            y += 1;
        }
        words
    };

    /// Words that slice `z` of the tile lies further on.
    #[inline(always)]
    fn slice(z: u32) -> usize {
        // Only thick tiles have slices: others are read at places that the compiler knows.
        if matches!(Self::KIND, Order::Thick) {
            index(Self::KIND, BYTES as u32, [0, 0, z]) as usize * BYTES / WORD
        } else {
            0
        }
    }

    /// Writes the rows of slice `z` of a tile.
    #[inline(always)]
    pub(crate) fn apart(tile: &impl Words, z: u32, rows: [&mut [u8; ROW]; ROWS]) {
        let base = Self::slice(z);
        let word = |at: usize| tile.word((base + at) % (TILE / WORD));
        if Self::QUADS {
            for (pair, [upper, lower]) in pairs(rows) {
                let y = 2 * pair;
                if BYTES == 1 {
                    let [left, right] = [Self::WORDS[y][0], Self::SECOND[y][1]].map(word);
                    put(upper, 0, squeeze(left) | squeeze(right) << 32);
                    put(lower, 0, squeeze(left >> 16) | squeeze(right >> 16) << 32);
                } else {
                    for half in 0..2 {
                        let [left, right] = [Self::WORDS[y][half], Self::SECOND[y][half]].map(word);
                        put(upper, half, left & LOW | right << 32);
                        put(lower, half, left >> 32 | right & !LOW);
                    }
                }
            }
        } else if BYTES >= WORD {
            for (row, words) in rows.into_iter().zip(&Self::WORDS) {
                for n in (0..ROW / WORD).step_by(2) {
                    put_pair(row, n, tile.pair((base + words[n]) % (TILE / WORD)));
                }
            }
        } else {
            for (row, words) in rows.into_iter().zip(&Self::WORDS) {
                for (n, at) in words.iter().enumerate().take(ROW / WORD) {
                    put(row, n, word(*at));
                }
            }
        }
    }

    /// Puts rows into slice `z` of a tile.
    #[inline(always)]
    pub(crate) fn together(rows: [&[u8; ROW]; ROWS], z: u32, tile: &mut [u8; TILE]) {
        let base = Self::slice(z);
        if BYTES >= WORD {
            for (row, words) in rows.into_iter().zip(&Self::WORDS) {
                for n in (0..ROW / WORD).step_by(2) {
                    put_pair(tile, (base + words[n]) % (TILE / WORD), get_pair(row, n));
                }
            }
            return;
        }
        let mut word = |at: usize, value: u64| put(tile, (base + at) % (TILE / WORD), value);
        if Self::QUADS {
            for (pair, [upper, lower]) in pairs(rows) {
                let y = 2 * pair;
                if BYTES == 1 {
                    let (upper, lower) = (get(upper, 0), get(lower, 0));
                    word(Self::WORDS[y][0], stretch(upper) | stretch(lower) << 16);
                    word(Self::SECOND[y][1], stretch(upper >> 32) | stretch(lower >> 32) << 16);
                } else {
                    for half in 0..2 {
                        let (upper, lower) = (get(upper, half), get(lower, half));
                        word(Self::WORDS[y][half], upper & LOW | lower << 32);
                        word(Self::SECOND[y][half], upper >> 32 | lower & !LOW);
                    }
                }
            }
        } else {
            for (row, words) in rows.into_iter().zip(&Self::WORDS) {
                for (n, at) in words.iter().enumerate().take(ROW / WORD) {
                    word(*at, get(row, n));
                }
            }
        }
    }
}

/// Every two rows with the number of the pair.
#[inline(always)]
fn pairs<T>([a, b, c, d, e, f, g, h]: [T; ROWS]) -> impl Iterator<Item = (usize, [T; 2])> {
    [[a, b], [c, d], [e, f], [g, h]].into_iter().enumerate()
}
