//! Which pipe, bank and offset a micro tile of a macro-tiled surface has.
//!
//! Pipe and bank are sums (exclusive or) of bits of the tile's column, row and slice; the offset is a sum of what column, row
//! and slice add. So a copy computes the columns of a surface once and each row once, and a tile's place is two additions.

use super::EDGE;
use afterimage_gnm_types::enums::value as v;
use afterimage_gnm_types::tiling::{MACRO_MODES, TileMode};

/// Pipes of the console's GPU.
const PIPES: u32 = 8;
/// Bits of a pipe's number.
const PIPE_BITS: u32 = 3;
/// Bytes that lie together in a pipe.
pub(super) const INTERLEAVE: u32 = 256;
/// Bytes of a DRAM row, beyond which no tile may go without being split.
const DRAM_ROW: u32 = 1024;

/// The macro tiles of a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MacroTiles {
    /// Elements.
    pub width: u32,
    /// Elements.
    pub height: u32,
    banks: u32,
    bank_width: u32,
    bank_height: u32,
    /// Bytes of a tile, or of a part of it where tiles are split.
    pub tile_bytes: u32,
    /// Parts of a tile.
    pub splits: u32,
    /// `ADDR_SURF_P8_32x32_16x16`, else `ADDR_SURF_P8_32x32_8x16`.
    wide_pipes: bool,
    /// Pipe and bank repeat with every macro tile.
    repeats: bool,
    rotation: Rotation,
    /// Every part of a split tile goes to another bank.
    rotates_splits: bool,
    bank_swizzle: u32,
    thickness: u32,
}

/// How slices are rotated over pipes and banks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rotation {
    None,
    Banks,
    PipesAndBanks,
}

/// What a column, row or slice of tiles adds to a place: pipe and bank together (exclusive or), and bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Part {
    pub(super) select: u32,
    pub(super) offset: u64,
}

impl MacroTiles {
    pub(super) fn new(
        mode: TileMode,
        array: u32,
        thickness: u32,
        element: u32,
        samples: u32,
        bank_swizzle: u32,
    ) -> Self {
        let tile_1x = EDGE * EDGE * thickness * element;
        let depth = u32::from(mode.micro) == v::ADDR_SURF_DEPTH_MICRO_TILING;
        let wanted =
            if depth { u32::from(mode.tile_split) } else { (u32::from(mode.sample_split) * tile_1x).max(INTERLEAVE) };
        let split = wanted.min(DRAM_ROW);
        let resident = matches!(
            array,
            v::ARRAY_PRT_TILED_THIN1
                | v::ARRAY_PRT_2D_TILED_THIN1
                | v::ARRAY_PRT_TILED_THICK
                | v::ARRAY_PRT_2D_TILED_THICK
                | v::ARRAY_PRT_3D_TILED_THIN1
                | v::ARRAY_PRT_3D_TILED_THICK
        );
        let index = (split.min(samples * tile_1x) / 64).ilog2() as usize + if resident { 8 } else { 0 };
        let shape = MACRO_MODES[index.min(MACRO_MODES.len() - 1)];
        let [bank_width, bank_height, aspect, banks] =
            [shape.bank_width, shape.bank_height, shape.aspect, shape.banks].map(u32::from);
        let whole = tile_1x * samples;
        let splits = if thickness == 1 && whole > split { whole / split } else { 1 };
        Self {
            width: EDGE * bank_width * PIPES * aspect,
            height: EDGE * bank_height * banks / aspect,
            banks,
            bank_width,
            bank_height,
            tile_bytes: whole / splits,
            splits,
            wide_pipes: u32::from(mode.pipe) == v::ADDR_SURF_P8_32x32_16x16,
            repeats: resident,
            rotation: match array {
                v::ARRAY_2D_TILED_THIN1 | v::ARRAY_2D_TILED_THICK | v::ARRAY_2D_TILED_XTHICK => Rotation::Banks,
                v::ARRAY_3D_TILED_THIN1 | v::ARRAY_3D_TILED_THICK | v::ARRAY_3D_TILED_XTHICK => Rotation::PipesAndBanks,
                _ => Rotation::None,
            },
            rotates_splits: matches!(
                array,
                v::ARRAY_2D_TILED_THIN1
                    | v::ARRAY_3D_TILED_THIN1
                    | v::ARRAY_PRT_2D_TILED_THIN1
                    | v::ARRAY_PRT_3D_TILED_THIN1
            ),
            bank_swizzle,
            thickness,
        }
    }

    /// Bytes of a macro tile in one bank of one pipe.
    fn macro_bytes(&self) -> u64 {
        u64::from(self.tile_bytes) * u64::from(self.width / EDGE) * u64::from(self.height / EDGE)
            / u64::from(PIPES * self.banks)
    }

    /// What a surface's address is a multiple of, in bytes.
    pub(super) fn alignment(&self) -> u64 {
        u64::from(self.tile_bytes * self.bank_width * self.bank_height * PIPES * self.banks)
    }

    /// What column `x` of tiles adds.
    pub(super) fn column(&self, x: u32) -> Part {
        let across = self.width / EDGE;
        let near = if self.repeats { x % across } else { x };
        let bit = |n: u32| near >> n & 1;
        let pipe = if self.wide_pipes { [bit(0) ^ bit(1), bit(1), bit(2)] } else { [bit(1) ^ bit(2), bit(0), bit(2)] };
        let far = near / (self.bank_width * PIPES);
        let bank = far & (self.banks - 1);
        Part {
            select: pipe[0] | pipe[1] << 1 | pipe[2] << 2 | bank << PIPE_BITS,
            offset: u64::from(x / across) * self.macro_bytes()
                + u64::from(x / PIPES % self.bank_width) * u64::from(self.tile_bytes),
        }
    }

    /// What row `y` of tiles adds, in a surface of so many elements from line to line.
    pub(super) fn row(&self, y: u32, pitch: u32) -> Part {
        let down = self.height / EDGE;
        let near = if self.repeats { y % down } else { y };
        let far = near / self.bank_height;
        let bit = |n: u32| far >> n & 1;
        let bank = match self.banks {
            16 => bit(3) | (bit(2) ^ bit(3)) << 1 | bit(1) << 2 | bit(0) << 3,
            8 => bit(2) | (bit(1) ^ bit(2)) << 1 | bit(0) << 2,
            4 => bit(1) | bit(0) << 1,
            _ => bit(0),
        };
        Part {
            select: (near % PIPES) | (bank << PIPE_BITS),
            offset: u64::from(y / down) * u64::from(pitch / self.width) * self.macro_bytes()
                + u64::from(y % self.bank_height * self.bank_width) * u64::from(self.tile_bytes),
        }
    }

    /// What part `t` of the tiles of slice `z` adds, in slices of so many elements.
    pub(super) fn slice(&self, z: u32, t: u32, pitch: u32, lines: u32) -> Part {
        let slab = z / self.thickness;
        let macros = u64::from(pitch / self.width) * u64::from(lines / self.height);
        let (pipe, rotated) = match self.rotation {
            Rotation::None => (0, 0),
            Rotation::Banks => (0, (self.banks / 2 - 1) * slab),
            Rotation::PipesAndBanks => (3 * slab % PIPES, 3 * slab / PIPES),
        };
        let split = if self.rotates_splits { (self.banks / 2 + 1) * t } else { 0 };
        let bank = (rotated.wrapping_add(self.bank_swizzle) ^ split) & (self.banks - 1);
        Part {
            select: pipe | bank << PIPE_BITS,
            offset: self.macro_bytes() * macros * (u64::from(t) + u64::from(self.splits) * u64::from(slab)),
        }
    }

    /// Where byte `within` of a part of a tile lies that these add up to.
    pub(super) fn place(&self, parts: [Part; 3], within: u64) -> u64 {
        let select = u64::from(parts[0].select ^ parts[1].select ^ parts[2].select);
        let offset = parts[0].offset + parts[1].offset + parts[2].offset + within;
        let interleave = u64::from(INTERLEAVE);
        (offset % interleave)
            | (select << INTERLEAVE.ilog2())
            | (offset / interleave) << (INTERLEAVE.ilog2() + PIPE_BITS + self.banks.ilog2())
    }

    /// The same as lists of bits, for who computes it elsewhere: the shaders that copy.
    #[must_use]
    pub fn rules(&self) -> Rules {
        let column = match self.wide_pipes {
            true => [(0, 0), (1, 0), (1, 1), (2, 2)],
            false => [(1, 0), (2, 0), (0, 1), (2, 2)],
        };
        let bits = self.banks.ilog2();
        let mut banks: Vec<_> = (0..bits).map(|bit| (false, bit, bit)).collect();
        banks.extend((0..bits).map(|bit| (true, bits - 1 - bit, bit)));
        // Where there are three bits and more, the row's highest also turns the second lowest.
        if bits > 2 {
            banks.push((true, bits - 1, 1));
        }
        Rules {
            column,
            banks,
            repeats: self.repeats,
            bank_column: self.bank_width * PIPES,
            bank_row: self.bank_height,
            bank_width: self.bank_width,
            bank_count: self.banks,
            bank_swizzle: self.bank_swizzle & (self.banks - 1),
            turns_pipes: self.rotation == Rotation::PipesAndBanks,
            slice_turn: match self.rotation {
                Rotation::None => 0,
                Rotation::Banks => self.banks / 2 - 1,
                Rotation::PipesAndBanks => 3,
            },
            split_turn: if self.rotates_splits { self.banks / 2 + 1 } else { 0 },
            macro_bytes: self.macro_bytes() as u32,
            interleave_bits: INTERLEAVE.ilog2(),
            select_bits: PIPE_BITS + self.banks.ilog2(),
        }
    }
}

/// [`MacroTiles`] as lists of bits. Columns, rows and slices are counted in micro tiles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Bits of the column, and which bit of the pipe each turns. The row's turn the bit of their own number.
    pub column: [(u32, u32); 4],
    /// Bits of the bank's column, or of its row (true), and which bit of the bank each turns.
    pub banks: Vec<(bool, u32, u32)>,
    /// Pipe and bank repeat with every macro tile.
    pub repeats: bool,
    /// Micro tiles of a bank's column.
    pub bank_column: u32,
    /// Micro tiles of a bank's row.
    pub bank_row: u32,
    /// Micro tiles side by side in a bank.
    pub bank_width: u32,
    /// Banks: 2 to 16.
    pub bank_count: u32,
    /// What is added to the bank of every tile.
    pub bank_swizzle: u32,
    /// What the slice turns goes to the pipe first, and what is beyond it to the bank.
    pub turns_pipes: bool,
    /// How far a slice turns.
    pub slice_turn: u32,
    /// How far a part of a split tile turns the bank.
    pub split_turn: u32,
    /// Bytes of a macro tile in a bank of a pipe.
    pub macro_bytes: u32,
    /// Bits of the byte in what lies together in a pipe.
    pub interleave_bits: u32,
    /// Bits of pipe and bank together.
    pub select_bits: u32,
}
