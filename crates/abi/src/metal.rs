//! Where shaders in Metal's language find their buffers: indices in the argument table of the stage.

use crate::{Stage, slots};

/// The stage's constants, segment after segment.
pub const CONSTANTS: u32 = 0;
/// The system block.
pub const SYSTEM: u32 = 1;
/// The system values of a lowered transform feedback.
pub const FEEDBACK: u32 = 2;
/// What samplers have that Metal's have not, where shaders ask: two registers for each texture.
pub const SAMPLERS: u32 = 13;
/// The storage buffer of bank 0; those of other banks follow.
pub const STORAGE: u32 = 3;

/// First texture slot of a stage, which is number 0 in its argument tables of textures and samplers.
#[must_use]
pub const fn first_texture(stage: Stage) -> usize {
    match stage {
        Stage::Vertex => slots::FIRST_VERTEX_TEXTURE,
        Stage::Compute => slots::TEXTURE_SLOTS,
        Stage::Pixel | Stage::Geometry => 0,
    }
}

/// The storage image of slot 0 in the table of textures; the others follow.
pub const IMAGES: u32 = slots::TEXTURE_SLOTS as u32;

/// The last index of a stage's argument table of buffers. Source: Apple, Metal Feature Set Tables, 2025: 31 of them.
pub const LAST_BUFFER: u32 = 30;

/// Where the vertices of a slot are in the vertex stage's table: from the end on, so that they meet the buffers of shaders only where
/// both are many.
#[must_use]
pub const fn vertex_buffer(slot: u32) -> u32 {
    LAST_BUFFER - slot
}

/// Where attributes without a buffer find theirs.
pub const NO_VERTICES: u32 = vertex_buffer(slots::VERTEX_BUFFERS as u32);

/// Whether a vertex shader whose own buffers end before `end` leaves the vertices of these slots (a bit each) where they are.
#[must_use]
pub const fn leaves_vertices(end: u32, slots: u32) -> bool {
    slots == 0 || end <= vertex_buffer(31 - slots.leading_zeros())
}

const _: () = {
    assert!(SAMPLERS == NO_VERTICES - 1);
    assert!(NO_VERTICES > STORAGE, "vertices of every slot have room beside constants and a few banks");
    assert!(leaves_vertices(STORAGE + 20, 0b1111) && !leaves_vertices(STORAGE + 20, 1 << 15));
};
