//! The tile modes of the console, which `TILING_INDEX` of images and `TILE_MODE_INDEX` of targets select.
//!
//! Source: `docs/sources/gnm.md#tile-modes` (Linux `drivers/gpu/drm/radeon/cik.c`, the branch for 8 pipes, MIT; the console's own
//! entries as shadPS4 and GPCS4 agree on them).

/// A tile mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TileMode {
    /// How tiles are arranged: [`crate::enums::ARRAY_MODE`].
    pub array: u8,
    /// The order of elements in a micro tile: [`crate::enums::MICRO_TILE_MODE`].
    pub micro: u8,
    /// Which address bits select a pipe: [`crate::enums::PIPE_CONFIG`].
    pub pipe: u8,
    /// Bytes after which a tile of depth is split.
    pub tile_split: u16,
    /// Samples after which a tile of colour is split.
    pub sample_split: u8,
    /// The word of the hardware's table, without the bits of the newer console.
    pub word: u32,
}

/// A macro tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MacroMode {
    /// Tiles of a bank side by side.
    pub bank_width: u8,
    /// Tiles of a bank one above the other.
    pub bank_height: u8,
    /// How much wider than high a macro tile is, in banks.
    pub aspect: u8,
    /// Banks.
    pub banks: u8,
}

macro_rules! tile_modes {
    ($( $index:literal $array:literal $micro:literal $pipe:literal $split:literal $samples:literal $word:literal; )*) => {
        /// The tile modes; none where the table has no entry.
        pub const TILE_MODES: [Option<TileMode>; 32] = {
            let mut modes = [None; 32];
            $( modes[$index] = Some(TileMode {
                array: $array, micro: $micro, pipe: $pipe, tile_split: $split, sample_split: $samples, word: $word,
            }); )*
            modes
        };
    };
}

tile_modes! {
    // index array micro pipe tile split, sample split, word
     0  4 2 12   64 1 0x0080_0310;
     1  4 2 12  128 1 0x0080_0B10;
     2  4 2 12  256 1 0x0080_1310;
     3  4 2 12  512 1 0x0080_1B10;
     4  4 2 12 1024 1 0x0080_2310;
     5  2 2 12   64 1 0x0080_0308;
     6  6 2 12  256 1 0x0080_1318;
     7  6 2 12 1024 1 0x0080_2318;
     8  1 0 12   64 1 0x0000_0304;
     9  2 0 12   64 1 0x0000_0308;
    10  4 0 12   64 2 0x0200_0310;
    11  5 0 10   64 2 0x0200_0294;
    12  6 0 12   64 2 0x0200_0318;
    13  2 1 12   64 1 0x0040_0308;
    14  4 1 12   64 2 0x0240_0310;
    15 12 1 10   64 2 0x0240_02B0;
    16  5 1 10   64 2 0x0240_0294;
    17  6 1 12   64 2 0x0240_0318;
    18 11 1 12   64 2 0x0240_032C;
    19  3 4 12   64 1 0x0100_030C;
    20  7 4 12   64 1 0x0100_031C;
    21 13 4 10   64 1 0x0100_02B4;
    22  9 4 10   64 1 0x0100_02A4;
    23 10 4 12   64 1 0x0100_0328;
    24 15 4 10   64 1 0x0100_02BC;
    25  8 4 12   64 1 0x0100_0320;
    26 14 4 10   64 1 0x0100_02B8;
    31  0 0  0   64 1 0x0000_0000;
}

/// The macro tiles, the second half for partially resident array modes.
pub const MACRO_MODES: [MacroMode; 16] = {
    const fn row(bank_width: u8, bank_height: u8, aspect: u8, banks: u8) -> MacroMode {
        MacroMode { bank_width, bank_height, aspect, banks }
    }
    [
        row(1, 4, 4, 16),
        row(1, 2, 2, 16),
        row(1, 1, 2, 16),
        row(1, 1, 2, 16),
        row(1, 1, 1, 8),
        row(1, 1, 1, 4),
        row(1, 1, 1, 2),
        row(1, 1, 1, 2),
        row(1, 8, 4, 16),
        row(1, 4, 4, 16),
        row(1, 2, 2, 16),
        row(1, 1, 2, 16),
        row(1, 1, 1, 8),
        row(1, 1, 1, 4),
        row(1, 1, 1, 2),
        row(1, 1, 1, 2),
    ]
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_say_what_the_rows_say() {
        for (index, mode) in TILE_MODES.iter().enumerate().filter_map(|(index, mode)| Some((index, mode.as_ref()?))) {
            let bits = |low: u32, width: u32| mode.word >> low & ((1 << width) - 1);
            assert_eq!(bits(2, 4), u32::from(mode.array), "{index}");
            assert_eq!(bits(6, 5), u32::from(mode.pipe), "{index}");
            assert_eq!(64 << bits(11, 3), u32::from(mode.tile_split), "{index}");
            assert_eq!(bits(22, 3), u32::from(mode.micro), "{index}");
            assert_eq!(1 << bits(25, 2), u32::from(mode.sample_split), "{index}");
        }
    }
}
