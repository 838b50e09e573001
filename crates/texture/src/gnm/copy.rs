//! Copies between a surface in memory and rows of elements.

use super::address::{INTERLEAVE, Part};
use super::plan::{Arrangement, Layout, Level};
use super::{EDGE, Error};
use crate::micro::{self, CHUNK, Chunks, Order, ROWS, Run, Tile, Words};
use std::ops::Range;

/// What of a level is copied: slices of one sample, every line of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slices {
    /// Level.
    pub level: u32,
    /// Slices of a volume, or layers.
    pub slices: Range<u32>,
    /// Sample.
    pub sample: u32,
}

impl Slices {
    /// One slice or layer of a level, sample 0.
    pub fn one(level: u32, slice: u32) -> Self {
        Self { level, slices: slice..slice.saturating_add(1), sample: 0 }
    }
}

/// How rows of elements lie in memory of our own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pitch {
    /// Bytes from one line to the next.
    pub line: usize,
    /// Bytes from one slice to the next.
    pub slice: usize,
}

/// Tiles side by side. Each lies in `count` runs of `length` bytes, one after the other.
struct Strip {
    /// Where the runs begin, tile after tile.
    runs: Vec<usize>,
    count: usize,
    length: usize,
    /// Where the rows of the first tile begin.
    rows: usize,
    pitch: Pitch,
    /// Elements of a line, all tiles together; lines.
    size: [usize; 2],
    /// Slices of the tiles that are copied.
    slices: Range<u32>,
}

/// Copies tiles out of a surface.
type Detile = fn(&[u8], &Strip, &mut [u8]);
/// Copies tiles into a surface.
type TileRows = fn(&mut [u8], &Strip, &[u8]);

/// The bytes of a tile, out of its runs.
#[inline(always)]
fn gather<const TILE: usize>(surface: &[u8], runs: &[usize], length: usize) -> [u8; TILE] {
    let mut tile = [0; TILE];
    for (to, at) in tile.chunks_exact_mut(length).zip(runs) {
        to.copy_from_slice(&surface[*at..at + length]);
    }
    tile
}

impl Strip {
    /// Tiles of which every row is there, if the lines in the rows do not overlap.
    fn whole(&self, row: usize) -> usize {
        let [across, down] = self.size;
        if down == ROWS && self.pitch.line * ROWS >= across * row { across / ROWS } else { 0 }
    }
}

fn detile<const BYTES: usize, const ROW: usize, const TILE: usize, const ORDER: u8, const CHUNKS: usize>(
    surface: &[u8],
    strip: &Strip,
    rows: &mut [u8],
) {
    let run = |at: usize| surface[at..].first_chunk().unwrap_or(&[0; TILE]);
    let chunk = |at: usize| surface[at..].first_chunk().unwrap_or(&[0; CHUNK]);
    match (strip.count, strip.length) {
        (1, _) => detile_each::<BYTES, ROW, TILE, ORDER, 1, _>(strip, rows, |[at]| Run(run(*at))),
        (count, CHUNK) if count == CHUNKS => {
            detile_each::<BYTES, ROW, TILE, ORDER, CHUNKS, _>(strip, rows, |runs| Chunks(runs.map(chunk)));
        }
        (count, length) => {
            let tiles = strip.runs.chunks_exact(count);
            for (number, runs) in tiles.enumerate() {
                let tile = gather::<TILE>(surface, runs, length);
                for (n, z) in strip.slices.clone().enumerate() {
                    detile_part::<BYTES, ROW, TILE, ORDER>(&Run(&tile), strip, [number, n], z, rows);
                }
            }
        }
    }
}

/// Takes apart tiles that lie in `COUNT` runs each, which `tile` finds.
#[inline(always)]
fn detile_each<
    const BYTES: usize,
    const ROW: usize,
    const TILE: usize,
    const ORDER: u8,
    const COUNT: usize,
    W: Words,
>(
    strip: &Strip,
    rows: &mut [u8],
    tile: impl Fn(&[usize; COUNT]) -> W,
) {
    let tiles = strip.runs.as_chunks::<COUNT>().0;
    let (whole, rest) = tiles.split_at(strip.whole(ROW).min(tiles.len()));
    for (n, z) in strip.slices.clone().enumerate() {
        let mut lines = rows[strip.rows + n * strip.pitch.slice..].chunks_mut(strip.pitch.line.max(1));
        let lines: [&mut [[u8; ROW]]; ROWS] =
            std::array::from_fn(|_| lines.next().unwrap_or_default().as_chunks_mut().0);
        let [a, b, c, d, e, f, g, h] = lines;
        // All of one length, so that the loop checks one place only.
        let count = whole.len();
        let (a, b, c, d) = (&mut a[..count], &mut b[..count], &mut c[..count], &mut d[..count]);
        let (e, f, g, h) = (&mut e[..count], &mut f[..count], &mut g[..count], &mut h[..count]);
        for (number, runs) in whole.iter().enumerate() {
            let cells = [
                &mut a[number],
                &mut b[number],
                &mut c[number],
                &mut d[number],
                &mut e[number],
                &mut f[number],
                &mut g[number],
                &mut h[number],
            ];
            Tile::<BYTES, ROW, TILE, ORDER>::detile(&tile(runs), z, cells);
        }
    }
    for (number, runs) in rest.iter().enumerate() {
        for (n, z) in strip.slices.clone().enumerate() {
            let at = [whole.len() + number, n];
            detile_part::<BYTES, ROW, TILE, ORDER>(&tile(runs), strip, at, z, rows);
        }
    }
}

/// Takes slice `z` of a tile apart, of which not everything may be wanted. It is tile `number` of the strip, and the slice is
/// the `n`th of those in the rows.
#[inline(never)]
fn detile_part<const BYTES: usize, const ROW: usize, const TILE: usize, const ORDER: u8>(
    tile: &impl Words,
    strip: &Strip,
    [number, n]: [usize; 2],
    z: u32,
    rows: &mut [u8],
) {
    let [across, down] = strip.size;
    let mut lines = [[0; ROW]; ROWS];
    Tile::<BYTES, ROW, TILE, ORDER>::detile(tile, z, lines.each_mut());
    let bytes = (across - number * ROWS).min(ROWS) * BYTES;
    let at = strip.rows + n * strip.pitch.slice + number * ROW;
    for (y, line) in lines.iter().enumerate().take(down) {
        let at = at + y * strip.pitch.line;
        rows[at..at + bytes].copy_from_slice(&line[..bytes]);
    }
}

fn tile_rows<const BYTES: usize, const ROW: usize, const TILE: usize, const ORDER: u8, const CHUNKS: usize>(
    surface: &mut [u8],
    strip: &Strip,
    rows: &[u8],
) {
    let [across, down] = strip.size;
    let every_slice = strip.slices.len() * ROW * ROWS == TILE;
    let mut whole = [0; TILE];
    for (number, runs) in strip.runs.chunks_exact(strip.count).enumerate() {
        let bytes = (across - number * ROWS).min(ROWS) * BYTES;
        let at = strip.rows + number * ROW;
        if bytes < ROW || down < ROWS || !every_slice {
            // What is beside the level's elements stays.
            let mut tile = gather::<TILE>(surface, runs, strip.length);
            for (n, z) in strip.slices.clone().enumerate() {
                let mut lines = [[0; ROW]; ROWS];
                Tile::<BYTES, ROW, TILE, ORDER>::detile(&Run(&tile), z, lines.each_mut());
                for (y, line) in lines.iter_mut().enumerate().take(down) {
                    let at = at + n * strip.pitch.slice + y * strip.pitch.line;
                    line[..bytes].copy_from_slice(&rows[at..at + bytes]);
                }
                Tile::<BYTES, ROW, TILE, ORDER>::tile_rows(lines.each_ref(), z, &mut tile);
            }
            scatter(&tile, surface, runs, strip.length);
        } else if let [run] = runs
            && let Some(tile) = surface[*run..].first_chunk_mut()
        {
            tile_whole::<BYTES, ROW, TILE, ORDER>(strip, rows, at, tile);
        } else {
            tile_whole::<BYTES, ROW, TILE, ORDER>(strip, rows, at, &mut whole);
            match strip.length {
                CHUNK => scatter(&whole, surface, runs, CHUNK),
                length => scatter(&whole, surface, runs, length),
            }
        }
    }
}

/// Puts a tile together of rows that are all there. The first begins at byte `at`.
#[inline(always)]
fn tile_whole<const BYTES: usize, const ROW: usize, const TILE: usize, const ORDER: u8>(
    strip: &Strip,
    rows: &[u8],
    at: usize,
    tile: &mut [u8; TILE],
) {
    for (n, z) in strip.slices.clone().enumerate() {
        let at = at + n * strip.pitch.slice;
        let line = |y: usize| rows[at + y * strip.pitch.line..].first_chunk().unwrap_or(&[0; ROW]);
        Tile::<BYTES, ROW, TILE, ORDER>::tile_rows(std::array::from_fn(line), z, tile);
    }
}

/// The bytes of a tile into its runs.
#[inline(always)]
fn scatter<const TILE: usize>(tile: &[u8; TILE], surface: &mut [u8], runs: &[usize], length: usize) {
    for (from, at) in tile.chunks_exact(length).zip(runs) {
        surface[*at..at + length].copy_from_slice(from);
    }
}

/// The instance of a function for tiles of this level: by bytes of an element, order and slices.
macro_rules! instance {
    ($function:ident, $element:expr, $level:expr) => {
        instance!(@ $function, $element, $level, 1 8 1, 2 16 1, 4 32 1, 8 64 2, 16 128 4)
    };
    (@ $function:ident, $element:expr, $level:expr, $($bytes:literal $row:literal $chunks:literal),*) => {
        match ($element, $level.order, $level.thickness) {
            $(
                ($bytes, Order::Display, _) => $function::<$bytes, $row, { $row * 8 }, 0, $chunks>,
                ($bytes, Order::Thin, _) => $function::<$bytes, $row, { $row * 8 }, 1, $chunks>,
                ($bytes, Order::Thick, 4) => $function::<$bytes, $row, { $row * 8 * 4 }, 2, { $row * 8 * 4 / CHUNK }>,
                ($bytes, Order::Thick, _) => $function::<$bytes, $row, { $row * 8 * 8 }, 2, { $row * 8 * 8 / CHUNK }>,
            )*
            (bytes, ..) => return Err(Error::Bits(bytes * 8)),
        }
    };
}

impl Layout {
    /// Copies elements out of a surface, whose first byte is `surface`'s first. `rows` begins with the first line of the first
    /// slice.
    ///
    /// # Errors
    /// A level, slice or sample that is not there; memory that is too small.
    pub fn detile(&self, part: &Slices, surface: &[u8], rows: &mut [u8], pitch: Pitch) -> Result<(), Error> {
        let level = self.check(part, surface.len(), rows.len(), pitch)?;
        let element = self.element as usize;
        match level.arrangement {
            Arrangement::Linear => self.lines(level, part, pitch, |at, to, count| {
                rows[to..to + count].copy_from_slice(&surface[at..at + count]);
            }),
            _ if self.samples > 1 && self.samples_inside => self.elements(level, part, pitch, |at, to| {
                rows[to..to + element].copy_from_slice(&surface[at..at + element]);
            }),
            _ => {
                let copy: Detile = instance!(detile, self.element, level);
                self.strips(level, part, pitch, |strip| copy(surface, strip, rows));
            }
        }
        Ok(())
    }

    /// Copies elements into a surface. What is beside them stays.
    ///
    /// # Errors
    /// As [`Layout::detile`].
    pub fn tile(&self, part: &Slices, rows: &[u8], pitch: Pitch, surface: &mut [u8]) -> Result<(), Error> {
        let level = self.check(part, surface.len(), rows.len(), pitch)?;
        let element = self.element as usize;
        match level.arrangement {
            Arrangement::Linear => self.lines(level, part, pitch, |at, to, count| {
                surface[at..at + count].copy_from_slice(&rows[to..to + count]);
            }),
            _ if self.samples > 1 && self.samples_inside => self.elements(level, part, pitch, |at, to| {
                surface[at..at + element].copy_from_slice(&rows[to..to + element]);
            }),
            _ => {
                let copy: TileRows = instance!(tile_rows, self.element, level);
                self.strips(level, part, pitch, |strip| copy(surface, strip, rows));
            }
        }
        Ok(())
    }

    /// Bytes from the surface's begin to an element, of coordinates `at`: column, line, slice.
    ///
    /// # Errors
    /// A level, element or sample that is not there.
    pub fn offset_of(&self, level: u32, at: [u32; 3], sample: u32) -> Result<u64, Error> {
        let level = self.level_at(level)?;
        for (what, at, end) in
            [("column", at[0], level.pitch), ("line", at[1], level.lines), ("slice", at[2], level.slices)]
        {
            if at >= end {
                return Err(Error::Part(what, at));
            }
        }
        if sample >= self.samples {
            return Err(Error::Part("sample", sample));
        }
        Ok(level.offset + self.within(level, at, sample))
    }

    /// Bytes from a level's begin to an element that it has.
    fn within(&self, level: &Level, [x, y, z]: [u32; 3], sample: u32) -> u64 {
        if level.arrangement == Arrangement::Linear {
            let line = u64::from(sample * level.slices + z) * u64::from(level.lines) + u64::from(y);
            return (line * u64::from(level.pitch) + u64::from(x)) * u64::from(self.element);
        }
        let index = micro::index(level.order, self.element, [x % EDGE, y % EDGE, z % level.thickness]);
        let inside = if self.samples_inside {
            (index * self.samples + sample) * self.element
        } else {
            (sample * EDGE * EDGE * level.thickness + index) * self.element
        };
        let [x, y] = [x, y].map(|at| at / EDGE);
        match level.arrangement {
            Arrangement::Macro(tiles) => {
                let (split, inside) = (inside / tiles.tile_bytes, inside % tiles.tile_bytes);
                let slice = tiles.slice(z, split, level.pitch, level.lines);
                tiles.place([tiles.column(x), tiles.row(y, level.pitch), slice], inside.into())
            }
            _ => {
                let tile = u64::from(y * (level.pitch / EDGE) + x) * u64::from(self.tile_bytes(level));
                let slab = u64::from(z / level.thickness) * level.slice_bytes * u64::from(level.thickness);
                slab + tile + u64::from(inside)
            }
        }
    }

    fn check(&self, part: &Slices, surface: usize, rows: usize, pitch: Pitch) -> Result<&Level, Error> {
        let level = self.level_at(part.level)?;
        if part.slices.end > level.slices || part.slices.is_empty() {
            return Err(Error::Part("slice", part.slices.end.max(part.slices.start)));
        }
        if part.sample >= self.samples {
            return Err(Error::Part("sample", part.sample));
        }
        let memory = |what, got: usize, wanted: u64| match got as u64 >= wanted {
            true => Ok(()),
            false => Err(Error::Memory { what, got, wanted }),
        };
        memory("the surface", surface, self.bytes)?;
        let row = u64::from(level.width * self.element);
        let slices = part.slices.len() as u64 - 1;
        let wanted = (pitch.slice as u64)
            .saturating_mul(slices)
            .saturating_add((pitch.line as u64).saturating_mul(u64::from(level.height) - 1))
            .saturating_add(row);
        memory("the memory for rows", rows, wanted)?;
        Ok(level)
    }

    /// Calls `copy` with place in the surface, place in the rows, and bytes of every line.
    fn lines(&self, level: &Level, part: &Slices, pitch: Pitch, mut copy: impl FnMut(usize, usize, usize)) {
        let count = (level.width * self.element) as usize;
        for (n, z) in part.slices.clone().enumerate() {
            for y in 0..level.height {
                let at = level.offset + self.within(level, [0, y, z], part.sample);
                copy(at as usize, n * pitch.slice + y as usize * pitch.line, count);
            }
        }
    }

    /// Calls `copy` with place in the surface and place in the rows of every element.
    fn elements(&self, level: &Level, part: &Slices, pitch: Pitch, mut copy: impl FnMut(usize, usize)) {
        for (n, z) in part.slices.clone().enumerate() {
            for y in 0..level.height {
                let line = n * pitch.slice + y as usize * pitch.line;
                for x in 0..level.width {
                    let at = level.offset + self.within(level, [x, y, z], part.sample);
                    copy(at as usize, line + (x * self.element) as usize);
                }
            }
        }
    }

    /// Calls `copy` with every row of tiles.
    fn strips(&self, level: &Level, part: &Slices, pitch: Pitch, mut copy: impl FnMut(&Strip)) {
        let bytes = EDGE * EDGE * level.thickness * self.element;
        // Bytes of the tile in front of this sample's.
        let ahead = part.sample * bytes;
        let columns = level.width.div_ceil(EDGE);
        let length = match level.arrangement {
            Arrangement::Macro(tiles) => bytes.min(tiles.tile_bytes).min(INTERLEAVE),
            _ => bytes,
        };
        let mut strip = Strip {
            runs: Vec::new(),
            count: (bytes / length) as usize,
            length: length as usize,
            rows: 0,
            pitch,
            size: [level.width as usize, 0],
            slices: 0..0,
        };
        let across: Vec<Part> = match level.arrangement {
            Arrangement::Macro(tiles) => (0..columns).map(|x| tiles.column(x)).collect(),
            _ => Vec::new(),
        };
        let mut z = part.slices.start;
        while z < part.slices.end {
            let slab = z - z % level.thickness;
            let end = part.slices.end.min(slab + level.thickness);
            strip.slices = z - slab..end - slab;
            for y in 0..level.height.div_ceil(EDGE) {
                strip.rows = (z - part.slices.start) as usize * pitch.slice + y as usize * ROWS * pitch.line;
                strip.size[1] = (level.height - y * EDGE).min(EDGE) as usize;
                strip.runs.clear();
                if let Arrangement::Macro(tiles) = level.arrangement {
                    let row = tiles.row(y, level.pitch);
                    for n in 0..strip.count as u32 {
                        // What the run's part of its tile adds, and where it is in that.
                        let at = ahead + n * length;
                        let slice = tiles.slice(slab, at / tiles.tile_bytes, level.pitch, level.lines);
                        let inside = u64::from(at % tiles.tile_bytes);
                        let place =
                            |column: &Part| (level.offset + tiles.place([*column, row, slice], inside)) as usize;
                        if strip.count == 1 {
                            strip.runs.extend(across.iter().map(place));
                        } else {
                            strip.runs.resize(across.len() * strip.count, 0);
                            let runs = strip.runs.iter_mut().skip(n as usize).step_by(strip.count);
                            runs.zip(&across).for_each(|(run, column)| *run = place(column));
                        }
                    }
                } else {
                    let first = level.offset + self.within(level, [0, y * EDGE, slab], 0) + u64::from(ahead);
                    let step = u64::from(self.tile_bytes(level));
                    strip.runs.extend((0..u64::from(columns)).map(|x| (first + x * step) as usize));
                }
                copy(&strip);
            }
            z = end;
        }
    }
}
