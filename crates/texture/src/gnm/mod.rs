//! Surfaces of the PlayStation 4's GPU: where every element of an image lies in memory, and copies between there and rows.
//!
//! An *element* is a texel, or a block of a compressed format. A tile mode (`gnm_types::tiling`) puts 8 x 8 elements (and 4 or
//! 8 slices, of thick modes) into a micro tile, whose order `micro` knows; 1D modes have micro tiles one after the other, and
//! the others spread them over pipes and banks, which `address` computes. [`Layout`] has the levels of an image,
//! [`Layout::detile`] and [`Layout::tile`] copy. [`TileMask`] has the places of what is kept of each tile of a target.
//!
//! Source: `docs/sources/gnm.md#tile-modes` (rules of Mesa's addrlib, MIT, read for its behaviour).

mod address;
mod copy;
mod masks;
mod plan;

pub use address::{MacroTiles, Rules};
pub use copy::{Pitch, Slices};
pub use masks::TileMask;
pub use plan::{Arrangement, Description, Layout, Level};

/// Elements along the edge of a micro tile.
pub const EDGE: u32 = 8;
/// The longest side of a surface, in texels.
pub const MAX_EDGE: u32 = 16384;
/// Most bytes of a surface.
pub const MAX_BYTES: u64 = 1 << 31;

/// What is wrong with a surface, or with a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The table has no such entry.
    #[error("tile mode {0} does not exist")]
    TileMode(u32),
    /// Not 8, 16, 32, 64 or 128.
    #[error("elements of {0} bits are not 8, 16, 32, 64 or 128 bits large")]
    Bits(u32),
    /// Not 1, 2, 4, 8 or 16; or more than one with levels or slices of a volume.
    #[error("{0} samples a texel are not supported here")]
    Samples(u32),
    /// No side may be 0 or more than [`MAX_EDGE`].
    #[error("{0} x {1} x {2} texels and {3} layers are none, or too many")]
    Size(u32, u32, u32, u32),
    /// More levels than halving the sides gives.
    #[error("{0} levels are none, or too many")]
    Levels(u32),
    /// The pitch is less than the width, or no multiple of what the tile mode asks for.
    #[error("a pitch of {pitch} elements does not do for {width} in tile mode {mode}")]
    Pitch {
        /// Elements from line to line.
        pitch: u32,
        /// Elements of a line.
        width: u32,
        /// Index of the tile mode.
        mode: u32,
    },
    /// More than [`MAX_BYTES`].
    #[error("{0} bytes are too many for a surface")]
    Bytes(u64),
    /// A level, layer, slice or sample that is not there.
    #[error("the surface has no {0} {1}")]
    Part(&'static str, u32),
    /// Too little memory was given.
    #[error("{what} has {got} bytes where {wanted} are needed")]
    Memory {
        /// Which memory.
        what: &'static str,
        /// Its bytes.
        got: usize,
        /// Bytes needed.
        wanted: u64,
    },
}

#[cfg(test)]
mod tests;
