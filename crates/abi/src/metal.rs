//! Where shaders in Metal's language find their buffers: indices in the argument table of the stage.

use crate::{Stage, slots};

/// The stage's constants, segment after segment.
pub const CONSTANTS: u32 = 0;
/// The system block.
pub const SYSTEM: u32 = 1;
/// The system values of a lowered transform feedback.
pub const FEEDBACK: u32 = 2;
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
