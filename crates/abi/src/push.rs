//! The push constants: one block of 128 bytes for every pipeline. Places are bytes; [`word`] makes words of them.
//!
//! | bytes | what |
//! |---|---|
//! | 0, 8 | `u64` address of the vertex stage's constants; of the pixel or compute stage's |
//! | 16 | of the system block ([`SystemRegister`](crate::SystemRegister)) |
//! | 24 | of the geometry stage's constants |
//! | 32 | `u32` for each texture slot: bits 0 to 19 the texture's index, bits 20 to 31 the sampler's |
//! | 112 | three floats for lines made of triangles: their width, width and height of the viewport in pixels |
//!
//! Draws that are recorded in one call have a block each in memory: a record. Then byte 0 has the address of the first record, and the rest
//! is not read; the shaders find theirs by the draw's number, which the vertex stage hands to the pixel stage
//! ([`varyings::DRAW`](crate::varyings::DRAW)).
//!
//! The system values of a lowered transform feedback are where the other stage of a pair has its constants: [`feedback`].

use crate::{Stage, slots};

/// Bytes of the block: what every device has.
pub const BYTES: u32 = 128;
/// Address of the system block.
pub const SYSTEM: u32 = 16;
/// Address of records.
pub const RECORDS: u32 = 0;
/// First texture slot's word.
pub const TEXTURES: u32 = 32;
/// Bits of a texture slot's word that hold the texture's index; those above hold the sampler's.
pub const TEXTURE_INDEX_BITS: u32 = 20;
/// What the geometry shader of lines reads; no shader of a guest does.
pub const LINES: u32 = 112;

/// Address of a stage's constants.
#[must_use]
pub const fn constants(stage: Stage) -> u32 {
    match stage {
        Stage::Vertex => 0,
        Stage::Pixel | Stage::Compute => 8,
        Stage::Geometry => 24,
    }
}

/// Address of the system values of a lowered transform feedback, for shaders of a stage.
#[must_use]
pub const fn feedback(stage: Stage) -> u32 {
    match stage {
        Stage::Vertex | Stage::Geometry => constants(Stage::Pixel),
        Stage::Pixel | Stage::Compute => constants(Stage::Vertex),
    }
}

/// The `u32` of the block at which a byte is.
#[must_use]
pub const fn word(byte: u32) -> usize {
    assert!(byte.is_multiple_of(4));
    byte as usize / 4
}

const _: () = {
    assert!(SYSTEM >= constants(Stage::Pixel) + 8 && constants(Stage::Geometry) >= SYSTEM + 8);
    assert!(TEXTURES >= constants(Stage::Geometry) + 8);
    assert!(LINES as usize >= TEXTURES as usize + 4 * slots::TEXTURE_SLOTS && LINES + 16 <= BYTES);
    assert!(slots::COMPUTE_SLOTS <= slots::TEXTURE_SLOTS);
    let mut stage = 0;
    while stage < Stage::ALL.len() {
        assert!(feedback(Stage::ALL[stage]) != constants(Stage::ALL[stage]));
        stage += 1;
    }
};
