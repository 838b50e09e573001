//! Constants and textures as shaders find them: blocks, shapes, sets of descriptors.

use crate::resources::layouts::Table;
use crate::resources::objects::GuestSampler;
use crate::resources::texture::Texture;
use afterimage_shader::bound;
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
