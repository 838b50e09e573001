//! Textures whose memory is a surface.

use super::Key;
use crate::memory::GuestMemory;
use crate::translate::Translator;
use crate::translate::surfaces::{Arrangement, Samples};
use afterimage_stream::packets::*;
use afterimage_stream::{Format, ObjectId, ObjectKind};
use afterimage_texture::field::Field;
use afterimage_texture::nv2a::{ColorFormat, Decode, Layout, Texture, TextureFormat};
use std::collections::hash_map::Entry;

/// A copy of a surface, with its components in the texture's order.
#[derive(Debug)]
pub(super) struct Copied {
    pub(super) id: ObjectId,
    /// The surface, and its change that was copied.
    of: (ObjectId, u64),
    /// Where its components are in the surface.
    swizzle: [u8; 4],
    /// Bytes of the host's texture.
    pub(super) bytes: u64,
    /// The draw that last used it.
    pub(super) used: u64,
}

/// Where a texture's components are in a surface's image, if all of them are there: its pixels have eight bits for each
/// component, and what of a pixel is no component is as draws leave it, or (`stray`) only memory has it.
fn components(surface: ColorFormat, stray: bool, texture: TextureFormat) -> Option<[u8; 4]> {
    use Swizzle::{Alpha, Blue, Green, One, Red, Zero};
    let bytes: &[Swizzle] = match surface {
        ColorFormat::A8R8G8B8 => &[Blue, Green, Red, Alpha],
        ColorFormat::X8R8G8B8_Z8R8G8B8 | ColorFormat::X8R8G8B8_O8R8G8B8 if stray => &[Blue, Green, Red],
        ColorFormat::X8R8G8B8_Z8R8G8B8 => &[Blue, Green, Red, Zero],
        ColorFormat::X8R8G8B8_O8R8G8B8 => &[Blue, Green, Red, One],
        ColorFormat::G8B8 => &[Blue, Green],
        ColorFormat::B8 => &[Blue],
        _ => return None,
    };
    let info = texture.info();
    let Decode::Color(fields) = info.decode else { return None };
    if info.bytes != surface.bytes() {
        return None;
    }
    let mut swizzle = [0; 4];
    for (to, field) in swizzle.iter_mut().zip(fields) {
        *to = match field {
            Field::Zero => Zero as u8,
            Field::One => One as u8,
            Field::Bits { at, count: 8 } if at % 8 == 0 => *bytes.get(usize::from(at / 8))? as u8,
            Field::Bits { .. } => return None,
        };
    }
    Some(swizzle)
}

/// Whether a surface's pixels lie where the texture's texels do.
fn same_place(texture: &Texture, arrangement: Arrangement, surface: [u32; 2]) -> bool {
    let [width, height, _] = texture.size();
    match (texture.format().info().layout, arrangement) {
        (Layout::Linear, Arrangement::Pitch(pitch)) => {
            (texture.pitch() == pitch || height == 1) && width <= surface[0] && height <= surface[1]
        }
        (Layout::Swizzled, Arrangement::Swizzled(..)) => [width, height] == surface,
        _ => false,
    }
}

impl Translator {
    /// The host's texture for what a surface holds, if one fits.
    pub(super) fn texture_of_surface(&mut self, memory: &mut dyn GuestMemory, key: &Key) -> Option<ObjectId> {
        let texture = key.texture().ok()?;
        let plain = texture.levels() == 1
            && texture.faces() == 1
            && texture.dimensions() < 3
            && !texture.has_stored_border()
            && !key.signs().any()
            && key.color_key().is_none()
            && texture.bytes() <= key.room.into();
        if !plain {
            return None;
        }
        let (layout, swizzle) = self.surfaces.iter().find_map(|surface| {
            let Samples::Color(format) = surface.layout.samples else { return None };
            let fits = surface.layout.address == key.address
                && same_place(&texture, surface.layout.arrangement, surface.size)
                && surface.is_newest(memory);
            Some((surface.layout, components(format, surface.stray, texture.format()).filter(|_| fits)?))
        })?;
        // What other surfaces drew there since would be newer; then memory is.
        self.store(memory, key.address, texture.bytes() as u32, |other| other.layout != layout);
        let surface = self.surfaces.iter().find(|surface| surface.layout == layout)?;
        if !surface.is_newest(memory) {
            return None;
        }
        let [width, height, _] = texture.size();
        let (id, change, whole) = (surface.id, surface.change, surface.size == [width, height]);
        if whole && swizzle == CreateTexture::IDENTITY && !self.surfaces.is_bound(id) {
            return Some(id);
        }
        self.copy_of_surface(key, (id, change), [width, height], swizzle)
    }

    /// A copy of a surface's first `width` x `height` samples, made anew if the surface has changed.
    fn copy_of_surface(
        &mut self,
        key: &Key,
        of: (ObjectId, u64),
        [width, height]: [u32; 2],
        swizzle: [u8; 4],
    ) -> Option<ObjectId> {
        let used = self.textures.clock;
        // The surface there may have become one of another format.
        if let Entry::Occupied(copied) = self.textures.copied.entry(*key)
            && copied.get().swizzle != swizzle
        {
            let Copied { id, bytes, .. } = copied.remove();
            self.textures.bytes -= bytes;
            self.destroy_texture(id);
        }
        if !self.textures.copied.contains_key(key) {
            let id = self.port.allocate(ObjectKind::Texture).ok()?;
            let format = Format::B8G8R8A8_UNORM;
            self.port.push(&CreateTexture { swizzle, ..CreateTexture::plain(id, format, [width, height]) });
            self.port.name(id, &format!("texture at {:#x}, of a surface", key.address));
            let bytes = format.packed_size(width, height);
            self.textures.bytes += bytes;
            self.textures.copied.insert(*key, Copied { id, of: (ObjectId::NONE, 0), swizzle, bytes, used });
        }
        let copied = self.textures.copied.get_mut(key)?;
        copied.used = used;
        if std::mem::replace(&mut copied.of, of) != of {
            tracing::debug!(id = %copied.id, of = %of.0, "texture from surface");
            let view = |texture| View { texture, ..View::default() };
            let rect = Rect { x: 0, y: 0, width, height };
            let (src, dst) = (view(of.0), view(copied.id));
            self.port.push(&Blit { src, dst, src_rect: rect, dst_rect: rect, filter: Filter::Nearest as u32, pad: 0 });
        }
        Some(copied.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_are_found_by_their_bytes() {
        use ColorFormat as S;
        use TextureFormat as T;
        assert_eq!(components(S::A8R8G8B8, false, T::LU_IMAGE_A8R8G8B8), Some(CreateTexture::IDENTITY));
        assert_eq!(components(S::A8R8G8B8, false, T::SZ_X8R8G8B8), Some([0, 1, 2, 5]));
        assert_eq!(components(S::X8R8G8B8_Z8R8G8B8, false, T::SZ_A8R8G8B8), Some([0, 1, 2, 4]));
        assert_eq!(components(S::X8R8G8B8_O8R8G8B8, false, T::SZ_X8R8G8B8), Some([0, 1, 2, 5]));
        assert_eq!(components(S::X8R8G8B8_O8R8G8B8, false, T::SZ_A8R8G8B8), Some([0, 1, 2, 5]));
        assert_eq!(
            components(S::X8R8G8B8_O8R8G8B8, true, T::SZ_A8R8G8B8),
            None,
            "what was not drawn is as memory has it"
        );
        assert_eq!(components(S::A8R8G8B8, false, T::LU_IMAGE_A8B8G8R8), Some([2, 1, 0, 3]));
        assert_eq!(components(S::B8, false, T::SZ_Y8), Some([2, 2, 2, 5]));
        assert_eq!(components(S::A8R8G8B8, false, T::LU_IMAGE_R5G6B5), None);
        assert_eq!(components(S::R5G6B5, false, T::LU_IMAGE_R5G6B5), None, "the image has more bits than memory");
    }
}
