//! Tiles of 8 x 8 elements (and 4 or 8 slices): the order of their elements, and tiles taken apart and put together in words
//! of eight bytes. The first Xbox's swizzled images consist of them as the PlayStation 4's surfaces do.
//!
//! The index of an element in its tile has the bits of x, y and z in an order that depends on the element's size. A word of a
//! tile has elements of one row, or, of small elements in thin and thick order, of two rows. Of large elements two words go
//! together.

mod quads;

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

/// Two words.
type Pair = [u8; 2 * WORD];

/// The bytes of a tile.
pub(crate) trait Words {
    /// Word `at`, which is inside.
    fn word(&self, at: usize) -> u64;
    /// Words `at` and behind it; `at` is even.
    fn pair(&self, at: usize) -> Pair;
}

/// A tile in one run of memory.
pub(crate) struct Run<'a, const TILE: usize>(pub(crate) &'a [u8; TILE]);

impl<const TILE: usize> Words for Run<'_, TILE> {
    #[inline(always)]
    fn word(&self, at: usize) -> u64 {
        get(self.0, at)
    }

    #[inline(always)]
    fn pair(&self, at: usize) -> Pair {
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
    fn pair(&self, at: usize) -> Pair {
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
fn get_pair(bytes: &[u8], word: usize) -> Pair {
    bytes.as_chunks().0.get(word / 2).copied().unwrap_or_default()
}

#[inline(always)]
fn put_pair(bytes: &mut [u8], word: usize, value: Pair) {
    if let Some(place) = bytes.as_chunks_mut().0.get_mut(word / 2) {
        *place = value;
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
            words[y][1] = index(Self::KIND, BYTES as u32, [6, y as u32, 0]) as usize * BYTES / WORD;
            y += 1;
        }
        words
    };
    /// Of elements of one byte: the word with which each cell of 4 x 4 begins.
    const CELLS: [[usize; 2]; 2] = [[Self::cell(0, 0), Self::cell(1, 0)], [Self::cell(0, 1), Self::cell(1, 1)]];
    /// The word with which a cell of 4 x 4 elements begins.
    const fn cell(x: u32, y: u32) -> usize {
        index(Self::KIND, BYTES as u32, [4 * x, 4 * y, 0]) as usize * BYTES / WORD
    }

    /// The bits of a word's place in the tile that its slice gives; the other bits are those of [`Self::WORDS`]. Only thick
    /// tiles have any: others are read at places that the compiler knows.
    const SLICES: usize = match Self::KIND {
        Order::Thick => Self::FIRST[7] % (TILE / WORD),
        _ => 0,
    };
    /// The first word of each slice.
    const FIRST: [usize; 8] = {
        let mut words = [0; 8];
        let mut z = 0;
        while z < words.len() {
            words[z] = index(Self::KIND, BYTES as u32, [0, 0, z as u32]) as usize * BYTES / WORD;
            z += 1;
        }
        words
    };

    /// The place of the first word of slice `z`.
    #[inline(always)]
    fn slice(z: u32) -> usize {
        Self::FIRST[z as usize % Self::FIRST.len()] & Self::SLICES
    }

    /// Writes the rows of slice `z` of a tile.
    #[inline(always)]
    pub(crate) fn detile(tile: &impl Words, z: u32, [a, b, c, d, e, f, g, h]: [&mut [u8; ROW]; ROWS]) {
        let base = Self::slice(z);
        if Self::QUADS && BYTES == 1 {
            let [[left, right], [low_left, low_right]] = Self::CELLS;
            let rows = quads::detile(tile.pair(base | left), tile.pair(base | right));
            put(a, 0, rows.0);
            put(b, 0, rows.1);
            put(c, 0, rows.2);
            put(d, 0, rows.3);
            let rows = quads::detile(tile.pair(base | low_left), tile.pair(base | low_right));
            put(e, 0, rows.0);
            put(f, 0, rows.1);
            put(g, 0, rows.2);
            put(h, 0, rows.3);
            return;
        }
        // Calls, not a loop: the compiler then knows every place.
        Self::detile_pair(tile, base, 0, a, b);
        Self::detile_pair(tile, base, 2, c, d);
        Self::detile_pair(tile, base, 4, e, f);
        Self::detile_pair(tile, base, 6, g, h);
    }

    /// Writes rows `y` and `y + 1`.
    #[inline(always)]
    fn detile_pair(tile: &impl Words, base: usize, y: usize, upper: &mut [u8; ROW], lower: &mut [u8; ROW]) {
        let word = |at: usize| tile.word(base | at);
        if Self::QUADS {
            for half in 0..2 {
                let [left, right] = [Self::WORDS[y][half], Self::SECOND[y][half]].map(word);
                put(upper, half, left & LOW | right << 32);
                put(lower, half, left >> 32 | right & !LOW);
            }
        } else {
            for (row, words) in [(upper, &Self::WORDS[y]), (lower, &Self::WORDS[y + 1])] {
                if BYTES >= WORD {
                    for n in (0..ROW / WORD).step_by(2) {
                        put_pair(row, n, tile.pair(base | words[n]));
                    }
                } else {
                    for (n, at) in words.iter().enumerate().take(ROW / WORD) {
                        put(row, n, word(*at));
                    }
                }
            }
        }
    }

    /// Puts rows into slice `z` of a tile.
    #[inline(always)]
    pub(crate) fn tile_rows(rows: [&[u8; ROW]; ROWS], z: u32, tile: &mut [u8; TILE]) {
        let base = Self::slice(z);
        if Self::QUADS && BYTES == 1 {
            let [a, b, c, d, e, f, g, h] = rows;
            let [[left, right], [low_left, low_right]] = Self::CELLS;
            let cells = quads::tile_rows(get(a, 0), get(b, 0), get(c, 0), get(d, 0));
            put_pair(tile, base | left, cells.0);
            put_pair(tile, base | right, cells.1);
            let cells = quads::tile_rows(get(e, 0), get(f, 0), get(g, 0), get(h, 0));
            put_pair(tile, base | low_left, cells.0);
            put_pair(tile, base | low_right, cells.1);
            return;
        }
        let [a, b, c, d, e, f, g, h] = rows;
        Self::tile_pair(a, b, tile, base, 0);
        Self::tile_pair(c, d, tile, base, 2);
        Self::tile_pair(e, f, tile, base, 4);
        Self::tile_pair(g, h, tile, base, 6);
    }

    /// Puts rows `y` and `y + 1` into a tile.
    #[inline(always)]
    fn tile_pair(upper: &[u8; ROW], lower: &[u8; ROW], tile: &mut [u8; TILE], base: usize, y: usize) {
        if Self::QUADS {
            for half in 0..2 {
                let (upper, lower) = (get(upper, half), get(lower, half));
                put(tile, base | Self::WORDS[y][half], upper & LOW | lower << 32);
                put(tile, base | Self::SECOND[y][half], upper >> 32 | lower & !LOW);
            }
        } else {
            for (row, words) in [(upper, &Self::WORDS[y]), (lower, &Self::WORDS[y + 1])] {
                if BYTES >= WORD {
                    for n in (0..ROW / WORD).step_by(2) {
                        put_pair(tile, base | words[n], get_pair(row, n));
                    }
                } else {
                    for (n, at) in words.iter().enumerate().take(ROW / WORD) {
                        put(tile, base | at, get(row, n));
                    }
                }
            }
        }
    }
}
