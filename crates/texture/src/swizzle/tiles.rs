//! Swizzled images of whole tiles of 8 x 8 texels. A tile of an image with sides of at least eight is one run of memory.

use super::{Region, deposit, next};
use crate::micro::{Order, ROWS, Run, Tile};

/// Texels of a tile's side.
pub(super) const SIDE: u32 = ROWS as u32;

/// Morton order, as [`Tile`] numbers it.
const THIN: u8 = Order::Thin as u8;

/// Copies whole tiles out of `image`. `rows` begins with the first texel of `region`.
pub(super) fn unswizzle<const BYTES: usize, const ROW: usize, const TILE: usize>(
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
            Tile::<BYTES, ROW, TILE, THIN>::detile(&Run(&tiles[index]), 0, [a, b, c, d, e, f, g, h]);
        }
    }
}

/// Copies whole tiles into `image`. `rows` begins with the first texel of `region`.
pub(super) fn swizzle<const BYTES: usize, const ROW: usize, const TILE: usize>(
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
            Tile::<BYTES, ROW, TILE, THIN>::tile_rows([a, b, c, d, e, f, g, h], 0, &mut tiles[index]);
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
