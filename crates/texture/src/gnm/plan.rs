//! The levels of a surface: how large each is in memory, where it begins, and in which order its tiles lie.

use super::address::MacroTiles;
use super::{EDGE, Error, MAX_BYTES, MAX_EDGE};
use crate::micro::{self, Order};
use afterimage_gnm_types::enums::value as v;
use afterimage_gnm_types::tiling::{TILE_MODES, TileMode};

/// What a descriptor or a target's registers say of a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Description {
    /// Index in the table of tile modes, 0 to 31.
    pub tile_mode: u32,
    /// Bits of an element: 8, 16, 32, 64 or 128. (Three times 32 bits is linear, and three elements wide.)
    pub bits: u32,
    /// Texels along the edge of an element: 1, or 4 of compressed formats.
    pub block: u32,
    /// Texels of level 0.
    pub width: u32,
    /// Texels of level 0.
    pub height: u32,
    /// Slices of level 0 of a volume; 1 of everything else.
    pub depth: u32,
    /// Layers, six for each cube; 1 of volumes.
    pub layers: u32,
    /// Levels.
    pub levels: u32,
    /// Samples of a texel.
    pub samples: u32,
    /// Texels from one line of level 0 to the next; 0 is what the tile mode asks for at least.
    pub pitch: u32,
    /// Levels and layers lie as if sizes were powers of two.
    pub pow2_pad: bool,
    /// The surface's bank swizzle, from its address.
    pub bank_swizzle: u32,
}

impl Description {
    /// A single 2D level of so many bits.
    pub fn flat(tile_mode: u32, bits: u32, width: u32, height: u32) -> Self {
        Self {
            tile_mode,
            bits,
            block: 1,
            width,
            height,
            depth: 1,
            layers: 1,
            levels: 1,
            samples: 1,
            pitch: 0,
            pow2_pad: false,
            bank_swizzle: 0,
        }
    }
}

/// How the elements of a level are arranged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrangement {
    /// Line by line.
    Linear,
    /// Micro tiles one after the other.
    Micro,
    /// Micro tiles spread over pipes and banks.
    Macro(MacroTiles),
}

/// One level of a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// Bytes from the surface's begin to its first element.
    pub offset: u64,
    /// Elements of a line.
    pub width: u32,
    /// Lines of elements.
    pub height: u32,
    /// Slices: of a volume's level, else layers.
    pub slices: u32,
    /// Elements from one line to the next, padding included.
    pub pitch: u32,
    /// Lines, padding included.
    pub lines: u32,
    /// Bytes of a slice; of as many slices as a tile is thick, divided by their number.
    pub slice_bytes: u64,
    /// Slices of a tile: 1, 4 or 8.
    pub thickness: u32,
    /// How its tiles lie.
    pub arrangement: Arrangement,
    pub(super) order: Order,
}

impl Level {
    /// Which axis (0 to 2 for x, y, z) and which bit of it each bit of an element's index in its micro tile is, the lowest
    /// first, for elements of so many bytes.
    #[must_use]
    pub fn element_bits(&self, bytes: u32) -> Vec<(usize, u32)> {
        let bits = micro::coordinate_bits(self.order, bytes);
        bits.into_iter().filter(|&(axis, bit)| axis != 2 || 1 << bit < self.thickness).collect()
    }
}

/// Where every element of a surface lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Bytes of an element.
    pub element: u32,
    /// Samples of a texel.
    pub samples: u32,
    /// Bytes of the whole surface.
    pub bytes: u64,
    /// What the surface's address is a multiple of, in bytes.
    pub alignment: u64,
    /// Samples lie side by side in each element's place, as those of depth do.
    pub samples_inside: bool,
    levels: Vec<Level>,
}

/// Slices of a tile.
const fn thickness(array: u32) -> u32 {
    match array {
        v::ARRAY_1D_TILED_THICK
        | v::ARRAY_2D_TILED_THICK
        | v::ARRAY_PRT_TILED_THICK
        | v::ARRAY_PRT_2D_TILED_THICK
        | v::ARRAY_3D_TILED_THICK
        | v::ARRAY_PRT_3D_TILED_THICK => 4,
        v::ARRAY_2D_TILED_XTHICK | v::ARRAY_3D_TILED_XTHICK => 8,
        _ => 1,
    }
}

/// The array mode of the level that is smaller than a macro tile.
const fn without_macro_tiles(array: u32) -> u32 {
    if thickness(array) > 1 { v::ARRAY_1D_TILED_THICK } else { v::ARRAY_1D_TILED_THIN1 }
}

/// The array mode of a volume's level with fewer slices than a tile has.
const fn thinner(array: u32) -> u32 {
    match array {
        v::ARRAY_1D_TILED_THICK => v::ARRAY_1D_TILED_THIN1,
        v::ARRAY_2D_TILED_THICK | v::ARRAY_2D_TILED_XTHICK => v::ARRAY_2D_TILED_THIN1,
        v::ARRAY_3D_TILED_THICK | v::ARRAY_3D_TILED_XTHICK => v::ARRAY_3D_TILED_THIN1,
        v::ARRAY_PRT_TILED_THICK => v::ARRAY_PRT_TILED_THIN1,
        v::ARRAY_PRT_2D_TILED_THICK => v::ARRAY_PRT_2D_TILED_THIN1,
        v::ARRAY_PRT_3D_TILED_THICK => v::ARRAY_PRT_3D_TILED_THIN1,
        other => other,
    }
}

impl Layout {
    /// The layout of a surface.
    ///
    /// # Errors
    /// What the description has that no surface can have.
    pub fn new(description: &Description) -> Result<Self, Error> {
        let &Description { tile_mode, bits, block, width, height, depth, layers, levels, samples, .. } = description;
        let mode = TILE_MODES.get(tile_mode as usize).copied().flatten().ok_or(Error::TileMode(tile_mode))?;
        if !matches!(bits, 8 | 16 | 32 | 64 | 128) {
            return Err(Error::Bits(bits));
        }
        if [width, height, depth, layers].iter().any(|side| !(1..=MAX_EDGE).contains(side)) || !matches!(block, 1 | 4) {
            return Err(Error::Size(width, height, depth, layers));
        }
        if levels == 0 || levels > width.max(height).max(depth).ilog2() + 1 {
            return Err(Error::Levels(levels));
        }
        if !matches!(samples, 1 | 2 | 4 | 8 | 16) || samples > 1 && (levels > 1 || depth > 1) {
            return Err(Error::Samples(samples));
        }
        let element = bits / 8;
        let mut layout = Self {
            element,
            samples,
            bytes: 0,
            alignment: 256,
            samples_inside: u32::from(mode.micro) == v::ADDR_SURF_DEPTH_MICRO_TILING,
            levels: Vec::with_capacity(levels as usize),
        };
        let mut offset = 0_u64;
        let mut array = u32::from(mode.array);
        for number in 0..levels {
            let (level, align) = layout.level(description, mode, &mut array, number)?;
            offset = offset.next_multiple_of(align);
            layout.alignment = layout.alignment.max(if number == 0 { align } else { 1 });
            layout.levels.push(Level { offset, ..level });
            let slices = padded_slices(description, number, &level);
            offset = offset.saturating_add(level.slice_bytes.saturating_mul(u64::from(slices)));
            if offset > MAX_BYTES {
                return Err(Error::Bytes(offset));
            }
        }
        layout.bytes = offset;
        Ok(layout)
    }

    /// A level, but for its offset, and the alignment of that. `array` goes on to the next level, which may need a simpler one.
    fn level(
        &self,
        description: &Description,
        mode: TileMode,
        array: &mut u32,
        number: u32,
    ) -> Result<(Level, u64), Error> {
        let &Description { tile_mode, block, samples, layers, .. } = description;
        let element = self.element;
        let minified = |side: u32| (side >> number).max(1);
        let [width, height] = [description.width, description.height].map(|side| minified(side).div_ceil(block));
        let volume = description.depth > 1;
        let slices = if volume { minified(description.depth) } else { layers };
        let pow2 = |side: u32| if description.pow2_pad && number > 0 { side.next_power_of_two() } else { side };
        // Smaller levels follow the pitch of the first.
        let base = if description.pitch == 0 { description.width } else { description.pitch };
        let mut pitch = pow2(minified(base)).div_ceil(block).max(width);
        let mut lines = pow2(minified(description.height)).div_ceil(block);
        if number > 0 && volume && slices < thickness(*array) {
            *array = thinner(*array);
        }
        let mut arrangement = self.arrangement(mode, *array, description.bank_swizzle);
        if let Arrangement::Macro(tiles) = arrangement
            && number > 0
            && (pitch < tiles.width || lines < tiles.height)
        {
            *array = without_macro_tiles(*array);
            arrangement = self.arrangement(mode, *array, description.bank_swizzle);
        }
        let thickness = thickness(*array);
        let order = match u32::from(mode.micro) {
            _ if thickness > 1 => Order::Thick,
            v::ADDR_SURF_DISPLAY_MICRO_TILING => Order::Display,
            _ => Order::Thin,
        };
        let general = u32::from(mode.array) == v::ARRAY_LINEAR_GENERAL;
        let (across, down, align) = match arrangement {
            Arrangement::Linear if general => (1, 1, u64::from(element)),
            Arrangement::Linear => ((64 / element).max(8), 1, 256),
            Arrangement::Micro => (EDGE, EDGE, 256),
            Arrangement::Macro(tiles) => (tiles.width, tiles.height, tiles.alignment()),
        };
        if number == 0 && description.pitch != 0 && (pitch < width || pitch % across != 0) {
            return Err(Error::Pitch { pitch, width, mode: tile_mode });
        }
        pitch = pitch.next_multiple_of(across);
        lines = lines.next_multiple_of(down);
        let slice_bytes = u64::from(pitch) * u64::from(lines) * u64::from(element) * u64::from(samples);
        let level =
            Level { offset: 0, width, height, slices, pitch, lines, slice_bytes, thickness, arrangement, order };
        Ok((level, align))
    }

    fn arrangement(&self, mode: TileMode, array: u32, bank_swizzle: u32) -> Arrangement {
        match array {
            v::ARRAY_LINEAR_GENERAL | v::ARRAY_LINEAR_ALIGNED => Arrangement::Linear,
            v::ARRAY_1D_TILED_THIN1 | v::ARRAY_1D_TILED_THICK => Arrangement::Micro,
            _ => Arrangement::Macro(MacroTiles::new(
                mode,
                array,
                thickness(array),
                self.element,
                self.samples,
                bank_swizzle,
            )),
        }
    }

    /// The levels, the largest first.
    pub fn levels(&self) -> &[Level] {
        &self.levels
    }

    /// A level.
    ///
    /// # Errors
    /// When there is none of that number.
    pub fn level_at(&self, number: u32) -> Result<&Level, Error> {
        self.levels.get(number as usize).ok_or(Error::Part("level", number))
    }

    /// Bytes of a micro tile, all samples and slices of it.
    pub(super) fn tile_bytes(&self, level: &Level) -> u32 {
        EDGE * EDGE * level.thickness * self.element * self.samples
    }
}

/// Slices that a level has in memory.
fn padded_slices(description: &Description, number: u32, level: &Level) -> u32 {
    let padded = description.pow2_pad && (number > 0 || description.levels > 1);
    let slices = if padded { level.slices.next_power_of_two() } else { level.slices };
    slices.next_multiple_of(level.thickness)
}
