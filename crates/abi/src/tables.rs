//! Tables of textures and samplers that a shader looks into by itself: what an entry is in memory.
//!
//! A table is an object of the stream; the renderer writes its entries, and shaders of guests whose descriptors lie in memory get its
//! address as that of a buffer, in the registers behind those of buffers ([`crate::slots::TABLES`]).

use crate::Table;

/// Bytes of an entry, four words.
pub const ENTRY_BYTES: u32 = 16;
/// Most entries of a table.
pub const MOST_ENTRIES: u32 = 1 << 16;

/// Words of an entry that are the guest's: what it is found by.
pub const TAG: [u8; 2] = [0, 1];
/// The word that says which texture and sampler it is, as those of slots do: see [`crate::push::TEXTURES`].
pub const WORD: u8 = 2;
/// The word that says what it is: [`what`], and the guest's value from [`VALUE_BIT`] on.
pub const WHAT: u8 = 3;

/// First bit of the guest's own value in [`WHAT`].
pub const VALUE_BIT: u32 = 8;
/// Most that the value can be.
pub const MOST_VALUE: u32 = (1 << (32 - VALUE_BIT)) - 1;
/// Bits of [`WHAT`] that the renderer writes.
pub const OWN: u32 = (1 << VALUE_BIT) - 1;

/// The renderer's part of [`WHAT`] where there is a texture: the descriptor table that it is in, and what its texels are to shaders (0 floats,
/// 1 unsigned, 2 signed integers). What a shader takes out of an entry where it is another is undefined, and where it is 0 nothing.
#[must_use]
pub const fn what(table: Table, kind: u8) -> u32 {
    1 << 7 | (kind as u32 & 3) << 3 | table as u32
}

const _: () = assert!(Table::COUNT <= 8);
