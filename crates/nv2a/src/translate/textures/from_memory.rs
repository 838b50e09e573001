//! Textures that are decoded out of memory.

use super::Key;
use crate::memory::{GuestMemory, OutOfRange};
use crate::translate::Translator;
use afterimage_stream::packets::*;
use afterimage_stream::{Format, ObjectId, ObjectKind, PortError};
use afterimage_texture::nv2a::{self, BORDER, HostFormat, Options, Texture};

/// A texture that was decoded.
#[derive(Debug)]
pub(super) struct Decoded {
    pub(super) id: ObjectId,
    /// Generations of its memory and of its palette's.
    generations: [u64; 2],
    /// Bytes of the host's texture.
    pub(super) bytes: u64,
    /// The draw that last used it.
    pub(super) used: u64,
}

/// Why a texture cannot be decoded.
#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error(transparent)]
    Memory(#[from] OutOfRange),
    #[error(transparent)]
    Texels(#[from] afterimage_texture::Error),
    #[error(transparent)]
    Port(#[from] PortError),
}

/// The stream's format of decoded texels.
pub(super) fn host_format(format: HostFormat) -> Format {
    match format {
        HostFormat::B8G8R8A8Unorm => Format::B8G8R8A8_UNORM,
        HostFormat::R16G16B16A16Unorm => Format::R16G16B16A16_UNORM,
        HostFormat::R16G16B16A16Snorm => Format::R16G16B16A16_SNORM,
        HostFormat::R32Sfloat => Format::R32_SFLOAT,
    }
}

/// What the host's texture is: faces with a border of their own lose it, since directions cannot point there.
struct Shape {
    texture: Texture,
    dimension: Dimension,
    size: [u32; 3],
    /// First texel that is taken of what is stored.
    origin: u32,
    levels: u32,
}

impl Shape {
    fn of(texture: Texture) -> Result<Self, afterimage_texture::Error> {
        let dimension = match (texture.faces(), texture.dimensions()) {
            (6, _) => Dimension::Cube,
            (_, 3) => Dimension::D3,
            _ => Dimension::D2,
        };
        let cropped = dimension == Dimension::Cube && texture.has_stored_border();
        let size = if cropped { texture.size() } else { texture.level(0)?.size };
        // Levels whose border keeps them from being half as large are left out.
        let halves = |level: &u32| {
            cropped || texture.level(*level).is_ok_and(|l| l.size == size.map(|side| (side >> level).max(1)))
        };
        let levels = (0..texture.levels()).take_while(halves).count() as u32;
        Ok(Self { texture, dimension, size, origin: if cropped { BORDER } else { 0 }, levels })
    }

    /// Bytes of all levels and faces.
    fn bytes(&self, format: Format) -> u64 {
        let level = |level: u32| {
            let [width, height, depth] = self.size.map(|side| (side >> level).max(1));
            format.packed_size(width, height) * u64::from(depth)
        };
        (0..self.levels).map(level).sum::<u64>() * u64::from(self.texture.faces())
    }
}

impl Translator {
    /// The host's texture for what memory holds.
    pub(super) fn texture_of_memory(&mut self, memory: &mut dyn GuestMemory, key: &Key) -> Result<ObjectId, Error> {
        let texture = key.texture()?;
        let size = (texture.bytes().min(key.room.into()) as u32).min(memory.size().saturating_sub(key.address));
        self.store(memory, key.address, size, |_| true);
        if let Some((address, entries)) = key.palette {
            self.store(memory, address, 4 * entries, |_| true);
        }
        let palette = key.palette.map_or(0, |(address, entries)| memory.generation(address, 4 * entries));
        let generations = [memory.generation(key.address, size), palette];
        let used = self.textures.clock;
        let known = self.textures.decoded.get_mut(key).map(|decoded| {
            decoded.used = used;
            (decoded.id, std::mem::replace(&mut decoded.generations, generations) == generations)
        });
        if let Some((id, true)) = known {
            return Ok(id);
        }
        let shape = Shape::of(texture)?;
        let id = match known {
            Some((id, _)) => id,
            None => {
                let format = host_format(HostFormat::of(texture.format(), key.signs()));
                let id = self.create_texture(&shape, format)?;
                self.port.name(id, &format!("{:?} texture at {:#x}", texture.format(), key.address));
                let bytes = shape.bytes(format);
                self.textures.bytes += bytes;
                self.textures.decoded.insert(*key, Decoded { id, generations, bytes, used });
                id
            }
        };
        tracing::debug!(%id, ?key, "texture from memory");
        let mut bytes = vec![0; size as usize];
        memory.read(key.address, &mut bytes)?;
        let palette = read_palette(memory, key)?;
        let options =
            Options { palette: &palette, signs: key.signs(), key: key.color_key(), convert_color_space: key.convert };
        for face in 0..texture.faces() {
            for level in 0..shape.levels {
                self.upload_level(id, &shape, face, level, &bytes, &options)?;
            }
        }
        Ok(id)
    }

    fn create_texture(&mut self, shape: &Shape, format: Format) -> Result<ObjectId, PortError> {
        let id = self.port.allocate(ObjectKind::Texture)?;
        self.port.push(&CreateTexture {
            depth: shape.size[2],
            levels: shape.levels,
            layers: shape.texture.faces(),
            dimension: shape.dimension as u8,
            ..CreateTexture::plain(id, format, [shape.size[0], shape.size[1]])
        });
        Ok(id)
    }

    fn upload_level(
        &mut self,
        id: ObjectId,
        shape: &Shape,
        face: u32,
        level: u32,
        memory: &[u8],
        options: &Options<'_>,
    ) -> Result<(), Error> {
        let image = nv2a::decode(&shape.texture, face, level, memory, options, &mut self.textures.texels)?;
        let [width, height, depth] = shape.size.map(|side| (side >> level).max(1));
        let texel = image.format.bytes();
        let row_pitch = image.size[0] * texel;
        let first = (shape.origin * row_pitch + shape.origin * texel) as usize;
        let data = self.port.upload_bytes(&self.textures.texels[first.min(self.textures.texels.len())..])?;
        self.port.push(&UpdateTexture {
            id,
            level: level as u16,
            layer: face as u16,
            x: 0,
            y: 0,
            z: 0,
            width,
            height,
            depth,
            row_pitch,
            slice_pitch: row_pitch * image.size[1],
            data,
        });
        self.port.flush_if_due();
        Ok(())
    }
}

/// The entries of a texture's palette; none if it has none.
fn read_palette(memory: &dyn GuestMemory, key: &Key) -> Result<Vec<u32>, OutOfRange> {
    let Some((address, entries)) = key.palette else { return Ok(Vec::new()) };
    let mut bytes = vec![0; 4 * entries as usize];
    memory.read(address, &mut bytes)?;
    Ok(bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect())
}
