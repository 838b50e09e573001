//! Tiled regions of memory (PFB).
//!
//! Inside of a region lines are not one after the other but in tiles, and both processors see lines all the same. So memory
//! holds lines while a region is on, and becomes what the chips hold when it goes off.
//!
//! Source: the golden of Image_blit/BlitBeyondWidth, which shows a region of pitch 2560 after it went off. A tile is 256 bytes
//! by 16 lines; tiles lie in rows, and of every second row the neighbours change places. A tile has four groups of four
//! lines, a group four blocks of 64 bytes by 4 lines, and the four 16-byte units of a block's line are rotated by a number
//! that depends on the group.

use super::{Bus, Graphics, register};
use crate::memory::GuestMemory;

/// Regions that there are.
const REGIONS: usize = 8;
/// Bytes of a tile's line, lines of a tile, bytes of a tile.
const WIDTH: usize = 256;
const HEIGHT: usize = 16;
const TILE: usize = WIDTH * HEIGHT;
/// By how many units the lines of each group are rotated.
const ROTATION: [usize; 4] = [0, 2, 3, 1];

/// A region that is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Region {
    /// Physical address of its first byte.
    start: u32,
    /// Physical address behind its last.
    end: u32,
    /// Bytes of a line, a multiple of the tile's.
    pitch: u32,
    /// Which rows of tiles are swapped: the even ones, or the odd.
    even: bool,
}

/// The registers of all regions, and which are on.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tiles {
    /// Address and flags, limit, pitch, status.
    words: [[u32; 4]; REGIONS],
}

impl Tiles {
    /// Registers, as offsets of the device's addresses.
    pub(super) const REGISTERS: std::ops::Range<u32> = register::PFB_TILE..register::PFB_TILE + 16 * REGIONS as u32;

    pub(super) fn get(&self, offset: u32) -> u32 {
        let (region, word) = Self::place(offset);
        self.words[region][word]
    }

    /// Writes a register. What is in memory goes along.
    pub(super) fn set(&mut self, offset: u32, value: u32, memory: &mut dyn GuestMemory, graphics: &mut dyn Graphics) {
        let (region, word) = Self::place(offset);
        let before = self.region(region);
        self.words[region][word] = value;
        let after = self.region(region);
        if before != after {
            if let Some(region) = before {
                region.convert(memory, graphics, Direction::Off);
            }
            if let Some(region) = after {
                region.convert(memory, graphics, Direction::On);
            }
        }
    }

    /// Physical address behind the region that an address is in.
    pub(super) fn end_of(&self, address: u32) -> Option<u32> {
        let regions = (0..REGIONS).filter_map(|region| self.region(region));
        regions.into_iter().find(|region| (region.start..region.end).contains(&address)).map(|region| region.end)
    }

    fn place(offset: u32) -> (usize, usize) {
        let word = (offset.wrapping_sub(register::PFB_TILE) / 4) as usize % (4 * REGIONS);
        (word / 4, word % 4)
    }

    fn region(&self, index: usize) -> Option<Region> {
        let [address, limit, pitch, _] = self.words[index];
        let (on, even) = (address & 1 != 0, address & 2 != 0);
        let (start, end) = (address & 0xFFFF_C000, (limit | 0x3FFF).checked_add(1)?);
        let pitch = pitch & 0xFFFF;
        (on && start < end && pitch > 0 && pitch % WIDTH as u32 == 0).then_some(Region { start, end, pitch, even })
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    On,
    Off,
}

impl Region {
    /// Turns lines into tiles or back, row of tiles by row.
    fn convert(&self, memory: &mut dyn GuestMemory, graphics: &mut dyn Graphics, direction: Direction) {
        let end = self.end.min(memory.size());
        graphics.write_back(memory, self.start, end.saturating_sub(self.start));
        let row = self.pitch as usize * HEIGHT;
        let (mut from, mut to) = (vec![0; row], vec![0; row]);
        let mut address = self.start;
        let mut number = 0;
        while end.saturating_sub(address) as usize >= row {
            let swap = usize::from((number % 2 == 0) == self.even);
            // Nothing is nothing in every order.
            if memory.read(address, &mut from).is_ok() && from.iter().any(|&byte| byte != 0) {
                self.convert_row(&from, &mut to, swap, direction);
                // The range was just read.
                let _written = memory.write(address, &to);
            }
            address += row as u32;
            number += 1;
        }
    }

    fn convert_row(&self, from: &[u8], to: &mut [u8], swap: usize, direction: Direction) {
        const UNIT: usize = 16;
        let tiles = self.pitch as usize / WIDTH;
        for unit in 0..from.len() / UNIT {
            let tiled = unit * UNIT;
            let (tile, rest) = (tiled / TILE, tiled % TILE / UNIT);
            let (group, block, line, at) = (rest / 64, rest / 16 % 4, rest / 4 % 4, rest % 4);
            // The last tile of an odd number has no neighbour.
            let column = if tile ^ swap < tiles { tile ^ swap } else { tile };
            let x = column * WIDTH + block * 64 + (at + ROTATION[group]) % 4 * UNIT;
            let linear = (group * 4 + line) * self.pitch as usize + x;
            let (read, write) = if direction == Direction::On { (tiled, linear) } else { (linear, tiled) };
            to[write..write + UNIT].copy_from_slice(&from[read..read + UNIT]);
        }
    }
}

impl Bus<'_> {
    /// How many of so many bytes at an address may be written for a surface that begins at `surface`: none leave its region.
    pub(super) fn inside_tiles(&self, surface: u32, address: u32, size: u32) -> u32 {
        self.tiles.end_of(surface).map_or(size, |end| end.saturating_sub(address).min(size))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::{Kelvin, Primitive};
    use crate::memory::Ram;

    struct Nothing;

    impl Graphics for Nothing {
        fn draw(&mut self, _: &mut Kelvin, _: &mut dyn GuestMemory, _: &Primitive) {}
        fn clear(&mut self, _: &mut Kelvin, _: &mut dyn GuestMemory, _: u32) {}
        fn write_back(&mut self, _: &mut dyn GuestMemory, _: u32, _: u32) {}
        fn reset_pixel_count(&mut self) {}
        fn pixel_count(&mut self) -> u32 {
            0
        }
        fn flush(&mut self) {}
    }

    #[test]
    fn a_region_that_goes_off_shows_tiles_and_comes_back() {
        let mut memory = Ram::new(1 << 20);
        let mut tiles = Tiles::default();
        let set = |tiles: &mut Tiles, memory: &mut Ram, word: u32, value| {
            tiles.set(register::PFB_TILE + 16 + 4 * word, value, memory, &mut Nothing);
        };
        let lines: Vec<u8> = (0..0x4_0000u32 / 4).flat_map(|i| (i * 4 + 1).to_le_bytes()).collect();
        memory.write(0x4000, &lines[..0x1_4000]).unwrap();
        set(&mut tiles, &mut memory, 2, 2560);
        set(&mut tiles, &mut memory, 1, 0x4000 + 0x1_4000 - 1);
        let raw = memory.clone();
        set(&mut tiles, &mut memory, 0, 0x4003);
        // The picture is that of lines now; written again, its tiles are where the console has them.
        memory.write(0x4000, &lines[..0x1_4000]).unwrap();
        assert_eq!(tiles.end_of(0x5000), Some(0x1_8000));
        set(&mut tiles, &mut memory, 0, 0x4002);
        let at = |memory: &Ram, offset: u32| memory.word(0x4000 + offset).unwrap() - 1;
        // Row 0 is swapped: the first tile is the second column's.
        assert_eq!(at(&memory, 0), 256);
        // Group 1: lines 4 to 7, rotated by two units.
        assert_eq!(at(&memory, 0x400), 4 * 2560 + 256 + 32);
        assert_eq!(at(&memory, 0x440), 5 * 2560 + 256 + 32);
        // Row 1 is not.
        assert_eq!(at(&memory, 16 * 2560), 16 * 2560);
        set(&mut tiles, &mut memory, 0, 0x4003);
        assert_eq!(memory.slice(0x4000, 0x1_4000), Some(&lines[..0x1_4000]));
        assert_eq!(raw.slice(0x4000, 0x1_4000), memory.slice(0x4000, 0x1_4000));
    }

    #[test]
    fn wild_registers_do_nothing() {
        let mut memory = Ram::new(1 << 16);
        let mut tiles = Tiles::default();
        for offset in Tiles::REGISTERS.step_by(4) {
            tiles.set(offset, u32::MAX, &mut memory, &mut Nothing);
        }
        assert_eq!(tiles.end_of(0), None);
        for value in [0x1_0001, 0xFFFF_FF03, 0x0000_0001] {
            for word in [0, 4, 8] {
                tiles.set(register::PFB_TILE + word, value, &mut memory, &mut Nothing);
            }
        }
    }
}
