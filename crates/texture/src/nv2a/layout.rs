//! Where the levels, faces and slices of a texture lie.
//!
//! Levels follow one another without padding; each face of a cube begins at a multiple of 128 bytes.
//! (`docs/sources/nv2a.md#textures`.)
//!
//! A texture that brings its own border (border source "texture") keeps four more texels at each end of every side. Since the
//! sides of what is stored must be powers of two, it is stored twice as large, and at least 16 texels wide; texel 0 is the
//! stored texel 4, and what is stored behind the border is never read. (nxdk_pgraph_tests' Texture_border makes its textures
//! so, and the console's pictures show them.) Levels are taken to obey the same rule each; no picture has a border and levels.
//! Textures by pitch have a border of no other texels than those around them.

use super::{Decode, Layout, TextureFormat};
use crate::plane::{Order, Plane};
use crate::swizzle::Morton;
use crate::{Error, MAX_SIDE, MAX_TEXELS};

/// Texels of a border at each end of a side.
pub const BORDER: u32 = 4;

/// The stored sides of a texture with a border are not shorter.
const MIN_STORED: u32 = 16;

/// What the faces of a cube are aligned to, in bytes.
const FACE_ALIGNMENT: u64 = 128;

/// A texture in guest memory, checked: [`Texture::from_registers`] makes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Texture {
    format: TextureFormat,
    dimensions: u32,
    cube: bool,
    border: bool,
    size: [u32; 3],
    levels: u32,
    pitch: u32,
}

/// One level of a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// Width, height and depth as stored: with the border and what is behind it.
    pub size: [u32; 3],
    /// Bytes from the beginning of its face.
    pub offset: u64,
    /// Bytes of one face of it.
    pub bytes: u64,
}

impl Texture {
    /// What the registers of a texture stage describe: SET_TEXTURE_FORMAT, SET_TEXTURE_CONTROL1 and
    /// SET_TEXTURE_IMAGE_RECT.
    ///
    /// # Errors
    /// If there is no such format or shape, or it is larger than what is supported.
    pub fn from_registers(format: u32, control1: u32, image_rect: u32) -> Result<Self, Error> {
        let code = format >> 8 & 0xFF;
        let dimensions = format >> 4 & 0xF;
        let cube = format & 4 != 0;
        let border = format & 8 == 0;
        let format_of = match (TextureFormat::from_code(code).ok_or(Error::TextureFormat(code))?, dimensions) {
            // Volumes have no components of 16 bits (golden pictures of Volume_texture).
            (TextureFormat::SZ_R16B16, 3) => TextureFormat::SZ_A8R8G8B8,
            (TextureFormat::SZ_Y16, 3) => TextureFormat::SZ_Y16_VOLUME,
            (format, _) => format,
        };
        if !(1..=3).contains(&dimensions) {
            return Err(Error::Dimensions(dimensions));
        }
        let shape = |what| Error::Shape { format: format_of.info().name, what };
        let (size, levels) = if format_of.info().layout == Layout::Linear {
            if cube || dimensions == 3 {
                return Err(shape("a cube or a volume, being by pitch"));
            }
            ([image_rect >> 16, if dimensions == 1 { 1 } else { image_rect & 0xFFFF }, 1], 1)
        } else {
            let log2 = [20, 24, 28].map(|at| format >> at & 0xF);
            let log2 = [0, 1, 2].map(|i| if (i as u32) < dimensions { log2[i] } else { 0 });
            if cube && (dimensions != 2 || log2[0] != log2[1]) {
                return Err(shape("a cube, not being square"));
            }
            let longest = log2[0].max(log2[1]).max(log2[2]);
            (log2.map(|bits| 1 << bits), (format >> 16 & 0xF).clamp(1, longest + 1))
        };
        let texture = Self { format: format_of, dimensions, cube, border, size, levels, pitch: control1 >> 16 };
        let [width, height, depth] = texture.stored(0);
        let texels = u64::from(width) * u64::from(height) * u64::from(depth);
        if [width, height, depth].iter().any(|&side| side > MAX_SIDE) || texels > MAX_TEXELS {
            return Err(Error::TooLarge(width, height, depth));
        }
        Ok(texture)
    }

    /// The format of its texels.
    #[must_use]
    pub const fn format(&self) -> TextureFormat {
        self.format
    }

    /// 1, 2 or 3.
    #[must_use]
    pub const fn dimensions(&self) -> u32 {
        self.dimensions
    }

    /// Width, height and depth of the first level in texels, without a border. 0 is possible by pitch.
    #[must_use]
    pub const fn size(&self) -> [u32; 3] {
        self.size
    }

    /// Mip levels, at least 1.
    #[must_use]
    pub const fn levels(&self) -> u32 {
        self.levels
    }

    /// 6 of a cube, otherwise 1.
    #[must_use]
    pub const fn faces(&self) -> u32 {
        if self.cube { 6 } else { 1 }
    }

    /// Bytes from row to row of a texture by pitch; other formats do not use it.
    #[must_use]
    pub const fn pitch(&self) -> u32 {
        self.pitch
    }

    /// Whether it brings texels for its border: then its first texel is the stored texel [`BORDER`] of each side that it has
    /// ([`Self::dimensions`]).
    #[must_use]
    pub const fn has_stored_border(&self) -> bool {
        self.border && !matches!(self.format.info().layout, Layout::Linear)
    }

    /// A level.
    ///
    /// # Errors
    /// If there is no such level.
    pub fn level(&self, level: u32) -> Result<Level, Error> {
        if level >= self.levels {
            return Err(Error::Index { what: "level", index: level, count: self.levels });
        }
        let offset = (0..level).map(|before| self.level_bytes(before)).sum();
        Ok(Level { size: self.stored(level), offset, bytes: self.level_bytes(level) })
    }

    /// Bytes from face to face.
    #[must_use]
    pub fn face_bytes(&self) -> u64 {
        let bytes: u64 = (0..self.levels).map(|level| self.level_bytes(level)).sum();
        if self.cube { bytes.next_multiple_of(FACE_ALIGNMENT) } else { bytes }
    }

    /// Bytes of all of it.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.face_bytes() * u64::from(self.faces())
    }

    /// The texels of a level of a format that is not made of blocks.
    pub(super) fn plane(&self, level: &Level) -> Result<Plane, Error> {
        let order = match self.format.info().layout {
            Layout::Swizzled => Order::Swizzled(Morton::new(level.size.map(u32::ilog2))?),
            Layout::Linear | Layout::Blocks => Order::Pitch(self.pitch),
        };
        Ok(Plane { bytes: self.format.info().bytes, size: level.size, order })
    }

    /// Sides as they are stored.
    fn stored(&self, level: u32) -> [u32; 3] {
        let mut sides = self.size;
        for (i, side) in sides.iter_mut().enumerate() {
            *side = if self.levels == 1 { *side } else { (*side >> level).max(1) };
            if self.has_stored_border() && (i as u32) < self.dimensions {
                *side = side.saturating_mul(2).max(MIN_STORED);
            }
        }
        sides
    }

    /// Bytes of one face of a level, as far as it is read.
    fn level_bytes(&self, level: u32) -> u64 {
        let [width, height, depth] = self.stored(level).map(u64::from);
        let info = self.format.info();
        let bytes = u64::from(info.bytes);
        match info.layout {
            Layout::Swizzled => width * height * depth * bytes,
            Layout::Blocks => width.div_ceil(4) * height.div_ceil(4) * depth * bytes,
            Layout::Linear if width == 0 || height == 0 => 0,
            Layout::Linear => (height - 1) * u64::from(self.pitch) + self.row_bytes(width),
        }
    }

    /// Bytes of a row of a texture by pitch. The last texel of a row with an odd number of them is in a whole word, if words
    /// are shared.
    fn row_bytes(&self, width: u64) -> u64 {
        match self.format.info().decode {
            Decode::YCbCr(chroma) => {
                width.next_multiple_of(u64::from(chroma.texels_per_word())) * u64::from(self.format.info().bytes)
            }
            _ => width * u64::from(self.format.info().bytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Texture;
    use crate::Error;
    use crate::nv2a::TextureFormat;

    /// SET_TEXTURE_FORMAT with a border colour.
    fn word(code: u32, dimensions: u32, levels: u32, log2: [u32; 3]) -> u32 {
        log2[2] << 28 | log2[1] << 24 | log2[0] << 20 | levels << 16 | code << 8 | dimensions << 4 | 8 | 1
    }

    fn texture(format: u32) -> Texture {
        Texture::from_registers(format, 0, 0).expect("a texture")
    }

    #[test]
    fn levels_follow_without_padding() {
        let texture = texture(word(0x06, 2, 9, [3, 5, 7]));
        assert_eq!(texture.size(), [8, 32, 1]);
        assert_eq!(texture.levels(), 6, "as many as the longer side has");
        let offsets: Vec<_> = (0..6).map(|i| texture.level(i).expect("a level").offset).collect();
        assert_eq!(offsets, [0, 1024, 1280, 1344, 1360, 1368]);
        assert_eq!(texture.level(5).expect("a level").size, [1, 1, 1]);
        assert_eq!(texture.bytes(), 1372);
        assert_eq!(texture.level(6), Err(Error::Index { what: "level", index: 6, count: 6 }));
    }

    #[test]
    fn volumes_have_no_wide_components() {
        assert_eq!(texture(word(0x33, 3, 1, [2, 2, 2])).format(), TextureFormat::SZ_A8R8G8B8);
        assert_eq!(texture(word(0x33, 2, 1, [2, 2, 0])).format(), TextureFormat::SZ_R16B16);
        let y16 = texture(word(0x32, 3, 1, [2, 2, 2])).format();
        assert_eq!(y16.color(0x1234), Some(0xFFFF_1234), "red is one, then the bytes");
        assert_eq!(texture(word(0x32, 2, 1, [2, 2, 0])).format(), TextureFormat::SZ_Y16);
    }

    #[test]
    fn faces_begin_at_multiples_of_128_bytes() {
        let cube = texture(word(0x06, 2, 3, [2, 2, 0]) | 4);
        assert_eq!((cube.faces(), cube.face_bytes(), cube.bytes()), (6, 128, 768));
        let odd = Texture::from_registers(word(0x06, 2, 1, [2, 3, 0]) | 4, 0, 0);
        assert!(matches!(odd, Err(Error::Shape { .. })), "{odd:?}");
    }

    #[test]
    fn small_levels_of_blocks_take_whole_blocks() {
        let texture = texture(word(0x0C, 2, 4, [3, 3, 0]));
        let bytes: Vec<_> = (0..4).map(|i| texture.level(i).expect("a level").bytes).collect();
        assert_eq!(bytes, [32, 8, 8, 8]);
    }

    #[test]
    fn a_stored_border_makes_a_texture_twice_as_large() {
        let bordered = |log2| texture(word(0x06, 2, 1, log2) & !8).level(0).expect("a level").size;
        assert_eq!(bordered([5, 5, 0]), [64, 64, 1]);
        assert_eq!(bordered([0, 3, 0]), [16, 16, 1]);
        let volume = texture(word(0x06, 3, 1, [3, 1, 2]) & !8);
        assert_eq!(volume.level(0).expect("a level").size, [16, 16, 16]);
        let by_pitch = Texture::from_registers(word(0x12, 2, 1, [0; 3]) & !8, (640 * 4) << 16, 640 << 16 | 480);
        assert_eq!(by_pitch.expect("a texture").level(0).expect("a level").size, [640, 480, 1]);
    }

    #[test]
    fn a_texture_by_pitch_has_any_size() {
        let texture = Texture::from_registers(word(0x12, 2, 5, [9; 3]), 100 << 16, 7 << 16 | 3).expect("a texture");
        assert_eq!((texture.size(), texture.levels(), texture.bytes()), ([7, 3, 1], 1, 228));
        let shared = Texture::from_registers(word(0x24, 2, 1, [0; 3]), 100 << 16, 7 << 16 | 2).expect("a texture");
        assert_eq!(shared.bytes(), 116);
        let nothing = Texture::from_registers(word(0x12, 2, 1, [0; 3]), 100 << 16, 0).expect("a texture");
        assert_eq!(nothing.bytes(), 0);
    }

    #[test]
    fn what_cannot_be_is_an_error() {
        let error = |format, rect| Texture::from_registers(format, 0, rect).expect_err("no texture");
        assert_eq!(error(word(0x08, 2, 1, [3; 3]), 0), Error::TextureFormat(8));
        assert_eq!(error(word(0x06, 0, 1, [3; 3]), 0), Error::Dimensions(0));
        assert_eq!(error(word(0x06, 4, 1, [3; 3]), 0), Error::Dimensions(4));
        assert!(matches!(error(word(0x12, 3, 1, [3; 3]), 1 << 16 | 1), Error::Shape { .. }));
        assert_eq!(error(word(0x06, 2, 1, [13, 0, 0]), 0), Error::TooLarge(8192, 1, 1));
        assert_eq!(error(word(0x06, 3, 1, [9, 9, 9]), 0), Error::TooLarge(512, 512, 512));
        assert_eq!(error(word(0x12, 2, 1, [0; 3]), u32::MAX), Error::TooLarge(65535, 65535, 1));
    }
}
