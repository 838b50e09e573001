//! Constants and textures as shaders find them: blocks, shapes, sets of descriptors.

use crate::pipeline::shaders::Variant;
use crate::resources::layouts::Table;
use crate::resources::objects::GuestSampler;
use crate::resources::texture::Texture;
use afterimage_shader::bound;
use afterimage_stream::State;
use afterimage_stream::packets::Swizzle;

/// What shaders are compiled for where this is bound; `before` is what it was for the slot.
#[inline]
pub(crate) fn shape_of(texture: Option<&Texture>, sampler: Option<&GuestSampler>, before: u8) -> u8 {
    // Projection is a matter of the pixel operations.
    let projected = before & bound::PROJECTED;
    // There is nothing of every shape: what was compiled for the texture before serves.
    let Some(texture) = texture else { return projected | before & bound::KIND };
    let mut shape = match texture.table() {
        Table::Cube | Table::CubeArray => bound::CUBE,
        Table::D3 => bound::D3,
        _ => bound::D2,
    };
    if texture.format.is_depth() && sampler.is_some_and(|sampler| sampler.desc.compare_enable != 0) {
        shape |= bound::SHADOW;
    }
    if shape == bound::D2 && sampler.is_some_and(|sampler| sampler.desc.gather != 0) {
        shape |= bound::FETCH4;
        let [red, .., alpha] = texture.desc.swizzle;
        if red != Swizzle::Red as u8 && alpha == Swizzle::Red as u8 {
            shape |= bound::FETCH4_ALPHA;
        }
    }
    shape | projected
}

/// Lays a variant's constants out one segment after the other.
#[inline]
pub(crate) fn write_constants(state: &State, variant: &Variant, block: &mut [u8]) {
    let mut bytes = &mut *block;
    for segment in &variant.segments {
        let registers = &state.bank(usize::from(segment.bank))[segment.first as usize..][..segment.count as usize];
        let (part, rest) = bytes.split_at_mut(size_of_val(registers));
        // No call: they are mostly a few.
        for (place, register) in part.as_chunks_mut::<16>().0.iter_mut().zip(registers) {
            *place = bytemuck::cast(*register);
        }
        bytes = rest;
    }
    for (offset, value) in &variant.defs {
        block[*offset..*offset + 16].copy_from_slice(bytemuck::bytes_of(value));
    }
}
