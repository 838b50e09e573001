//! Where what the GPU keeps of each tile of a target lies: CMASK, four bits for 8 x 8 pixels of colour, and HTILE, a word for as many of
//! depth.
//!
//! The console's eight pipes have their tiles apart, in runs of [`INTERLEAVE`] bytes. Within a pipe come blocks of 4 x 4 tiles, of which
//! it has two, in pairs side by side; linear masks have them line by line through the surface, others line by line through parts of the
//! surface that a pipe's cache holds, which follow one another.
//!
//! Source: rules of Mesa's addrlib (`ComputeCmaskInfo`, `ComputeHtileInfo`, `HwlComputeXmaskAddrFromCoord` and what they call, for the
//! generation; MIT), read for their behaviour.

use super::EDGE;
use super::address::INTERLEAVE;
use afterimage_gnm_types::enums::value as v;
use afterimage_gnm_types::tiling::TILE_MODES;

const PIPES: u64 = 8;
/// Tiles along the edge of a block.
const BLOCK: u32 = 4;

/// What is kept of each tile of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TileMask {
    /// Bits of a tile.
    bits: u32,
    /// Tiles, with padding.
    columns: u32,
    rows: u32,
    /// Tiles of a part that follows another in one piece.
    part: [u32; 2],
    /// `ADDR_SURF_P8_32x32_16x16`, else `ADDR_SURF_P8_32x32_8x16`.
    wide_pipes: bool,
}

impl TileMask {
    /// CMASK of a target of so many pixels from line to line and lines.
    #[must_use]
    pub fn cmask(tile_mode: u32, linear: bool, pitch: u32, lines: u32) -> Self {
        let mut mask = Self::new(4, [64, 32], tile_mode, linear, pitch, lines);
        // A slice fills runs of all pipes.
        while !linear_bytes(&mask).is_multiple_of(PIPES * u64::from(INTERLEAVE)) {
            mask.rows += if linear { 8 } else { 32 };
        }
        mask
    }

    /// HTILE of a target of so many pixels from line to line and lines.
    #[must_use]
    pub fn htile(tile_mode: u32, linear: bool, pitch: u32, lines: u32) -> Self {
        Self::new(32, [64, 64], tile_mode, linear, pitch, lines)
    }

    fn new(bits: u32, cached: [u32; 2], tile_mode: u32, linear: bool, pitch: u32, lines: u32) -> Self {
        let padding = if linear { [8; 2] } else { cached };
        let [columns, rows] = [(pitch, padding[0]), (lines, padding[1])]
            .map(|(size, to)| size.div_ceil(EDGE).max(1).next_multiple_of(to));
        let pipe = TILE_MODES.get(tile_mode as usize).copied().flatten().map(|mode| u32::from(mode.pipe));
        Self {
            bits,
            columns,
            rows,
            part: if linear { [columns, rows] } else { cached },
            wide_pipes: pipe != Some(v::ADDR_SURF_P8_32x32_8x16),
        }
    }

    /// Bytes of a slice, with padding.
    #[must_use]
    pub fn slice_bytes(&self) -> u64 {
        linear_bytes(self).next_multiple_of(PIPES * u64::from(INTERLEAVE))
    }

    /// The bit at which a tile begins in its slice.
    #[must_use]
    pub fn bit(&self, x: u32, y: u32) -> u64 {
        let bit = |value: u32, n: u32| value >> n & 1;
        let [across, down] = self.part;
        let (number, [x_in, y_in]) = (y / down * (self.columns / across) + x / across, [x % across, y % down]);
        let block = y_in / BLOCK * (across / BLOCK) + x_in / BLOCK;
        let second = bit(x, 1) ^ if self.wide_pipes { bit(y, 0) } else { bit(y, 1) };
        // Of a pair of blocks a pipe has four tiles.
        let within = ((2 * block) & !3) + second + 2 * bit(x, 1);
        let of_part = u64::from(across) * u64::from(down) / PIPES;
        let tile = u64::from(number) * of_part + u64::from(within);
        let pipe = match self.wide_pipes {
            true => [bit(x, 0) ^ bit(x, 1) ^ bit(y, 0), bit(x, 1) ^ bit(y, 1), bit(x, 2) ^ bit(y, 2)],
            false => [bit(x, 1) ^ bit(x, 2) ^ bit(y, 0), bit(x, 0) ^ bit(y, 1), bit(x, 2) ^ bit(y, 2)],
        };
        let pipe = u64::from(pipe[0] | pipe[1] << 1 | pipe[2] << 2);
        let (run, at) = (u64::from(INTERLEAVE) * 8, tile * u64::from(self.bits));
        at % run + pipe * run + at / run * run * PIPES
    }
}

fn linear_bytes(mask: &TileMask) -> u64 {
    u64::from(mask.columns) * u64::from(mask.rows) * u64::from(mask.bits) / 8
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each tile has its own place, and together they fill the slice.
    #[test]
    fn no_two_tiles_have_the_same_place() {
        for (tile_mode, linear, [pitch, lines]) in [14, 10, 2]
            .into_iter()
            .flat_map(|mode| [false, true].map(move |linear| (mode, linear)))
            .flat_map(|(mode, linear)| {
                [[8, 8], [64, 64], [512, 256], [520, 264], [1920, 1088], [72, 2000]].map(|size| (mode, linear, size))
            })
        {
            for mask in
                [TileMask::cmask(tile_mode, linear, pitch, lines), TileMask::htile(tile_mode, linear, pitch, lines)]
            {
                let tiles = (0..mask.rows).flat_map(|y| (0..mask.columns).map(move |x| (x, y)));
                let mut places: Vec<u64> = tiles.map(|(x, y)| mask.bit(x, y)).collect();
                places.sort_unstable();
                let expected: Vec<u64> = (0..places.len() as u64).map(|tile| tile * u64::from(mask.bits)).collect();
                assert!(places.windows(2).all(|pair| pair[0] < pair[1]), "{mask:?}");
                assert!(*places.last().unwrap() < mask.slice_bytes() * 8, "{mask:?}");
                if mask.slice_bytes() == linear_bytes(&mask) && !linear {
                    assert!(places == expected, "{mask:?}");
                }
            }
        }
    }

    #[test]
    fn slices_are_as_large_as_their_registers_say() {
        // CB_COLOR_CMASK_SLICE counts parts of 128 x 128 pixels, 128 bytes each.
        assert_eq!(TileMask::cmask(14, false, 1920, 1080).slice_bytes(), 2048 * 1280 / 64 / 2);
        assert_eq!(TileMask::cmask(14, false, 100, 100).slice_bytes(), 2048);
        assert_eq!(TileMask::htile(2, false, 1920, 1080).slice_bytes(), 2048 * 1536 / 64 * 4);
        assert_eq!(TileMask::htile(2, true, 64, 64).slice_bytes(), 2048);
    }
}
