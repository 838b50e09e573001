//! How many things can be bound, and where those of a stage begin.

/// Texture slots of the pixel stage: 0 to 15.
pub const PIXEL_TEXTURES: usize = 16;
/// Texture slots of the vertex stage, which geometry shaders share. They are behind those of the pixel stage: 16 to 19.
pub const VERTEX_TEXTURES: usize = 4;
/// First texture slot of the vertex stage.
pub const FIRST_VERTEX_TEXTURE: usize = PIXEL_TEXTURES;
/// Texture slots of draws.
pub const TEXTURE_SLOTS: usize = PIXEL_TEXTURES + VERTEX_TEXTURES;
/// Texture slots of compute shaders, which are counted on from [`TEXTURE_SLOTS`]: 20 to 39. Vertex shaders that run as compute
/// shaders have their own slots first: see [`compute_slot`].
pub const COMPUTE_SLOTS: usize = TEXTURE_SLOTS;
/// Vertex buffer slots.
pub const VERTEX_BUFFERS: usize = 16;
/// Vertex attributes; an attribute's location in the shader is below this too.
pub const VERTEX_ATTRIBUTES: usize = 32;
/// Colour targets, and so locations of colour outputs.
pub const COLOR_TARGETS: usize = 8;
/// Storage buffers of a stage.
pub const STORAGE_BUFFERS: usize = 64;
/// Tables of textures of a stage ([`crate::tables`]). Their registers are behind those of its storage buffers.
pub const TABLES: usize = 16;
/// First of them.
pub const FIRST_TABLE: usize = STORAGE_BUFFERS;
/// Registers of a stage's bank of buffers: storage buffers and tables.
pub const STORAGE: usize = STORAGE_BUFFERS + TABLES;
/// Storage images of a stage.
pub const STORAGE_IMAGES: usize = 64;
/// Buffers that captures of vertices write.
pub const FEEDBACK_BUFFERS: usize = 4;
/// Viewports.
pub const VIEWPORTS: usize = 16;
/// User clip planes.
pub const CLIP_PLANES: usize = 6;

/// Where a texture slot of draws is in a compute shader that was a vertex or geometry shader: the vertex stage's own come first.
#[must_use]
pub const fn compute_slot(slot: usize) -> usize {
    TEXTURE_SLOTS
        + match slot.checked_sub(FIRST_VERTEX_TEXTURE) {
            Some(own) => own,
            None => VERTEX_TEXTURES + slot,
        }
}

/// The slot of draws that [`compute_slot`] has made this of; none for a slot that is not of compute shaders.
#[must_use]
pub const fn draw_slot(compute: usize) -> Option<usize> {
    let Some(place) = compute.checked_sub(TEXTURE_SLOTS) else { return None };
    Some(match place.checked_sub(VERTEX_TEXTURES) {
        Some(slot) => slot,
        None => FIRST_VERTEX_TEXTURE + place,
    })
}

const _: () = {
    let mut slot = 0;
    while slot < TEXTURE_SLOTS {
        let compute = compute_slot(slot);
        assert!(compute >= TEXTURE_SLOTS && compute < TEXTURE_SLOTS + COMPUTE_SLOTS);
        assert!(matches!(draw_slot(compute), Some(there) if there == slot));
        slot += 1;
    }
};
