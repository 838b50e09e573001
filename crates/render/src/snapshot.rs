//! Keyframes: packets that build the present state from nothing, with what is in buffers and textures.

use afterimage_capture::MemoryArena;
use afterimage_stream::packets::{BeginQuery, CreateShader, CreateTexture, UpdateBuffer, UpdateTexture};
use afterimage_stream::{Created, Encoder, ObjectId, State};
use bytemuck::Zeroable;

/// The largest piece of data that one update packet carries.
const PIECE: usize = 64 << 20;

/// What a renderer has of objects, once the GPU has given it out.
pub trait Contents {
    /// A buffer's bytes; `None` of one that has none.
    fn buffer(&self, id: ObjectId, size: usize) -> Option<&[u8]>;

    /// A shader's code.
    fn code(&self, id: ObjectId) -> Option<&[u8]>;

    /// Hands out the texels of a texture in updates, see [`plane`] and [`samples`]. Parts without texels are left out.
    fn texels(&self, id: ObjectId, texture: &CreateTexture, each: &mut dyn FnMut(UpdateTexture, &[u8]));
}

/// An update of a level and layer that has no place and no data yet.
#[must_use]
pub fn part(id: ObjectId, level: u16, layer: u16) -> UpdateTexture {
    UpdateTexture { id, level, layer, ..UpdateTexture::zeroed() }
}

/// Hands out plane `z` of a part, with rows of `row_pitch` bytes.
pub fn plane(
    at: &UpdateTexture,
    z: u32,
    ([width, height], row_pitch): ([u32; 2], u32),
    texels: &[u8],
    each: &mut dyn FnMut(UpdateTexture, &[u8]),
) {
    each(UpdateTexture { z, width, height, depth: 1, row_pitch, ..*at }, texels);
}

/// Hands out the samples of a part, whose `depth` counts them: all texels of the first sample, then of the second.
pub fn samples(
    at: &UpdateTexture,
    ([width, height], depth): ([u32; 2], u32),
    texels: &[u8],
    each: &mut dyn FnMut(UpdateTexture, &[u8]),
) {
    let sample = texels.len() / depth.max(1) as usize;
    let row = sample / height.max(1) as usize;
    if row == 0 {
        return;
    }
    // All samples of some rows.
    let rows = (PIECE / (row * depth as usize)).clamp(1, height as usize);
    for y in (0..height).step_by(rows) {
        let height = (height - y).min(rows as u32);
        let part = y as usize * row..(y + height) as usize * row;
        let pieces: Vec<u8> = texels.chunks_exact(sample).flat_map(|texels| &texels[part.clone()]).copied().collect();
        let (row_pitch, slice_pitch) = (row as u32, part.len() as u32);
        each(UpdateTexture { y, width, height, depth, row_pitch, slice_pitch, ..*at }, &pieces);
    }
}

/// Packets that build a state from nothing, with contents, and the arena that they refer to. `open` are queries that have begun.
pub fn write(
    state: &State,
    contents: &dyn Contents,
    open: impl IntoIterator<Item = ObjectId>,
) -> (Vec<u64>, MemoryArena) {
    let mut arena = MemoryArena::default();
    let mut encoder = Encoder::new();
    state.write(&mut encoder, |id, created, out| match created {
        Created::Buffer(body) => {
            let Some(bytes) = contents.buffer(id, body.size as usize) else { return };
            for (index, piece) in bytes.chunks(PIECE).enumerate() {
                let data = arena.push(piece);
                out.push(&UpdateBuffer { id, flags: 0, offset: (index * PIECE) as u64, data });
            }
        }
        Created::Texture(texture) => contents.texels(id, texture, &mut |body, texels| {
            let data = arena.push(texels);
            out.push(&UpdateTexture { data, ..body });
        }),
        Created::Shader(body) => {
            let Some(code) = contents.code(id) else { return };
            let code = arena.push(code);
            out.push(&CreateShader { code, ..**body });
        }
        _ => {}
    });
    for id in open {
        encoder.push(&BeginQuery { id, pad: 0 });
    }
    (std::mem::take(encoder.batch()), arena)
}
