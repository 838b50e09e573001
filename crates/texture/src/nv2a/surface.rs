//! Surfaces: colour and depth buffers in guest memory (SET_SURFACE_FORMAT).
//!
//! Sources: `docs/sources/nv2a.md#surfaces` (nxdk's names). The host keeps colour as words 0xAARRGGBB; what is stored in fewer bits
//! loses the lowest, as golden pictures of Blend_surface show. X1A7R8G8B8 keeps alpha 255 as 127 below its X bit, as a golden
//! picture of Surface_format shows.

use crate::Error;
use crate::field::Field::{self, One, Zero};
use crate::field::{argb, bits, texel, word};
use crate::plane::{Order, Plane};
use crate::swizzle::{Morton, Pitch, Region};

/// The row of a [`ColorFormat`].
#[derive(Clone, Copy, Debug)]
struct ColorRow {
    name: &'static str,
    bytes: u32,
    /// Red, green, blue, alpha in a pixel. A component without bits reads as the row says.
    fields: [Field; 4],
    /// Bits that are always set in memory.
    ones: u32,
}

macro_rules! color_formats {
    ($( $code:literal $name:ident $bytes:literal $ones:literal [$r:expr, $g:expr, $b:expr, $a:expr]; )*) => {
        /// A format of colour surfaces. The number is the one in SET_SURFACE_FORMAT, bits 3 to 0. `Z` after the second
        /// underscore: the bits that are no component are stored as zeros; `O`: as ones.
        #[allow(non_camel_case_types, missing_docs, reason = "the names are the hardware's and say what they are")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum ColorFormat { $( $name = $code ),* }

        impl ColorFormat {
            /// Every format, in the order of the codes.
            pub const ALL: &'static [Self] = &[ $( Self::$name ),* ];

            /// The format with this code.
            ///
            /// # Errors
            /// [`Error::ColorFormat`] if there is none; 0 is none.
            pub const fn from_code(code: u32) -> Result<Self, Error> {
                match code { $( $code => Ok(Self::$name), )* _ => Err(Error::ColorFormat(code)) }
            }

            /// The functions that encode and decode rows; one is compiled for each format.
            const fn rows(self) -> (fn(&[u8], &mut [u8]), fn(&[u8], &mut [u8])) {
                match self { $( Self::$name => (encode_row::<$code>, decode_row::<$code>), )* }
            }

            const fn row(self) -> ColorRow {
                match self { $( Self::$name => ColorRow {
                    name: stringify!($name), bytes: $bytes, ones: $ones, fields: [$r, $g, $b, $a],
                }, )* }
            }
        }
    };
}

color_formats! {
    // code name             bytes ones       red         green       blue        alpha
    1  X1R5G5B5_Z1R5G5B5     2 0x0000      [bits(10, 5), bits(5, 5), bits(0, 5), One];
    2  X1R5G5B5_O1R5G5B5     2 0x8000      [bits(10, 5), bits(5, 5), bits(0, 5), One];
    3  R5G6B5                2 0x0000      [bits(11, 5), bits(5, 6), bits(0, 5), One];
    4  X8R8G8B8_Z8R8G8B8     4 0x0000_0000 [bits(16, 8), bits(8, 8), bits(0, 8), One];
    5  X8R8G8B8_O8R8G8B8     4 0xFF00_0000 [bits(16, 8), bits(8, 8), bits(0, 8), One];
    6  X1A7R8G8B8_Z1A7R8G8B8 4 0x0000_0000 [bits(16, 8), bits(8, 8), bits(0, 8), bits(24, 7)];
    7  X1A7R8G8B8_O1A7R8G8B8 4 0x8000_0000 [bits(16, 8), bits(8, 8), bits(0, 8), bits(24, 7)];
    8  A8R8G8B8              4 0x0000_0000 [bits(16, 8), bits(8, 8), bits(0, 8), bits(24, 8)];
    9  B8                    1 0x00        [Zero,        Zero,       bits(0, 8), One];
    10 G8B8                  2 0x0000      [Zero,        bits(8, 8), bits(0, 8), One];
}

impl ColorFormat {
    /// The name behind `NV097_SET_SURFACE_FORMAT_COLOR_LE_`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// Bytes of a pixel.
    #[must_use]
    pub const fn bytes(self) -> u32 {
        self.row().bytes
    }

    /// The pixel in memory for a colour 0xAARRGGBB.
    #[must_use]
    pub const fn encode(self, color: u32) -> u32 {
        self.row().ones | texel(self.row().fields, color)
    }

    /// The colour 0xAARRGGBB of a pixel in memory. Alpha without bits is 255, other components without bits are 0.
    #[must_use]
    pub const fn decode(self, pixel: u32) -> u32 {
        argb(self.row().fields, pixel)
    }

    /// Bits of a pixel that are no component. Draws give them the value that [`Self::encode`] does.
    #[must_use]
    pub const fn rest(self) -> u32 {
        match self {
            Self::X1R5G5B5_Z1R5G5B5 | Self::X1R5G5B5_O1R5G5B5 => 0x8000,
            Self::X8R8G8B8_Z8R8G8B8 | Self::X8R8G8B8_O8R8G8B8 => 0xFF00_0000,
            Self::X1A7R8G8B8_Z1A7R8G8B8 | Self::X1A7R8G8B8_O1A7R8G8B8 => 0x8000_0000,
            Self::R5G6B5 | Self::A8R8G8B8 | Self::B8 | Self::G8B8 => 0,
        }
    }

    /// Whether any of these pixels has bits that are no component as draws do not leave them.
    #[must_use]
    pub fn has_stray_bits(self, pixels: &[u8]) -> bool {
        let (rest, drawn) = (self.rest(), self.row().ones);
        rest != 0 && pixels.chunks_exact(self.bytes() as usize).any(|pixel| word(pixel) & rest != drawn)
    }

    /// Whether colours 0xAARRGGBB are in memory as they are.
    #[must_use]
    pub const fn is_copy(self) -> bool {
        matches!(self, Self::A8R8G8B8)
    }
}

/// A row of the table by its code, for constants.
struct Coded<const CODE: u32>;

impl<const CODE: u32> Coded<CODE> {
    const ROW: ColorRow = match ColorFormat::from_code(CODE) {
        Ok(format) => format.row(),
        Err(_) => panic!("a code of the table"),
    };
}

/// Colours 0xAARRGGBB to pixels.
fn encode_row<const CODE: u32>(colors: &[u8], pixels: &mut [u8]) {
    let bytes = const { Coded::<CODE>::ROW.bytes as usize };
    for (pixel, color) in pixels.chunks_exact_mut(bytes).zip(colors.chunks_exact(4)) {
        let encoded = const { Coded::<CODE>::ROW.ones } | texel(const { Coded::<CODE>::ROW.fields }, word(color));
        pixel.copy_from_slice(&encoded.to_le_bytes()[..bytes]);
    }
}

/// Pixels to colours 0xAARRGGBB.
fn decode_row<const CODE: u32>(pixels: &[u8], colors: &mut [u8]) {
    let pixels = pixels.chunks_exact(const { Coded::<CODE>::ROW.bytes as usize });
    for (color, pixel) in colors.chunks_exact_mut(4).zip(pixels) {
        color.copy_from_slice(&argb(const { Coded::<CODE>::ROW.fields }, word(pixel)).to_le_bytes());
    }
}

/// A format of depth surfaces. The number is the one in SET_SURFACE_FORMAT, bits 7 to 4.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum ZetaFormat {
    /// 16 bits of depth.
    Z16 = 1,
    /// 24 bits of depth above 8 of stencil.
    Z24S8 = 2,
}

impl ZetaFormat {
    /// The format with this code.
    ///
    /// # Errors
    /// [`Error::ZetaFormat`] if there is none; 0 is none.
    pub const fn from_code(code: u32) -> Result<Self, Error> {
        match code {
            1 => Ok(Self::Z16),
            2 => Ok(Self::Z24S8),
            _ => Err(Error::ZetaFormat(code)),
        }
    }

    /// Bytes of a pixel.
    #[must_use]
    pub const fn bytes(self) -> u32 {
        match self {
            Self::Z16 => 2,
            Self::Z24S8 => 4,
        }
    }

    /// Bits of depth.
    #[must_use]
    pub const fn depth_bits(self) -> u32 {
        match self {
            Self::Z16 => 16,
            Self::Z24S8 => 24,
        }
    }

    /// Depth and stencil of a pixel.
    #[must_use]
    pub const fn split(self, pixel: u32) -> (u32, u8) {
        match self {
            Self::Z16 => (pixel & 0xFFFF, 0),
            Self::Z24S8 => (pixel >> 8, pixel as u8),
        }
    }

    /// The pixel of a depth and stencil; bits that it has no room for are dropped.
    #[must_use]
    pub const fn join(self, depth: u32, stencil: u8) -> u32 {
        match self {
            Self::Z16 => depth & 0xFFFF,
            Self::Z24S8 => depth << 8 | stencil as u32,
        }
    }
}

/// A surface in guest memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Surface {
    plane: Plane,
}

impl Surface {
    /// A surface by pitch: `width` x `height` pixels of `bytes`, rows that begin `pitch` bytes apart.
    ///
    /// # Errors
    /// [`Error::TooLarge`].
    pub fn by_pitch(bytes: u32, width: u32, height: u32, pitch: u32) -> Result<Self, Error> {
        if width > crate::MAX_SIDE || height > crate::MAX_SIDE {
            return Err(Error::TooLarge(width, height, 1));
        }
        Ok(Self { plane: Plane { bytes, size: [width, height, 1], order: Order::Pitch(pitch) } })
    }

    /// A swizzled surface with sides of 2 to the power of these.
    ///
    /// # Errors
    /// [`Error::TooLarge`].
    pub fn swizzled(bytes: u32, log2_width: u32, log2_height: u32) -> Result<Self, Error> {
        let morton = Morton::new([log2_width, log2_height, 0])?;
        Ok(Self { plane: Plane { bytes, size: morton.size(), order: Order::Swizzled(morton) } })
    }

    /// Where its pixels lie.
    #[must_use]
    pub const fn plane(&self) -> &Plane {
        &self.plane
    }

    /// Writes a rectangle of colours 0xAARRGGBB, in rows `pitch` bytes apart from the rectangle's first pixel on, into
    /// `memory`, which begins with the surface.
    ///
    /// # Errors
    /// If the rectangle leaves the surface, or memory or `colors` is too short.
    pub fn store(
        &self,
        format: ColorFormat,
        colors: &[u8],
        pitch: usize,
        memory: &mut [u8],
        region: Region,
    ) -> Result<(), Error> {
        let rows = self.rows(format, region, colors.len(), pitch)?;
        if format.is_copy() {
            return self.plane.write(colors, Pitch { row: pitch, slice: 0 }, memory, region);
        }
        let mut strip = vec![0; rows.strip_bytes];
        for strip_region in rows.strips(region) {
            let lines = colors[(strip_region.origin[1] - region.origin[1]) as usize * pitch..].chunks(pitch.max(1));
            for (out, line) in strip.chunks_exact_mut(rows.pixel_bytes).zip(lines) {
                format.rows().0(line, out);
            }
            self.plane.write(&strip, Pitch { row: rows.pixel_bytes, slice: 0 }, memory, strip_region)?;
        }
        Ok(())
    }

    /// Reads a rectangle as colours 0xAARRGGBB into rows `pitch` bytes apart from the rectangle's first pixel on, out of
    /// `memory`, which begins with the surface.
    ///
    /// # Errors
    /// If the rectangle leaves the surface, or memory or `colors` is too short.
    pub fn load(
        &self,
        format: ColorFormat,
        memory: &[u8],
        region: Region,
        colors: &mut [u8],
        pitch: usize,
    ) -> Result<(), Error> {
        let rows = self.rows(format, region, colors.len(), pitch)?;
        if format.is_copy() {
            return self.plane.read(memory, region, colors, Pitch { row: pitch, slice: 0 });
        }
        let mut strip = vec![0; rows.strip_bytes];
        for strip_region in rows.strips(region) {
            self.plane.read(memory, strip_region, &mut strip, Pitch { row: rows.pixel_bytes, slice: 0 })?;
            let lines = colors[(strip_region.origin[1] - region.origin[1]) as usize * pitch..].chunks_mut(pitch.max(1));
            let strip = strip.chunks_exact(rows.pixel_bytes).take(strip_region.size[1] as usize);
            for (pixels, line) in strip.zip(lines) {
                format.rows().1(pixels, line);
            }
        }
        Ok(())
    }

    /// How a rectangle is taken strip by strip.
    fn rows(&self, format: ColorFormat, region: Region, colors: usize, pitch: usize) -> Result<Rows, Error> {
        if format.bytes() != self.plane.bytes {
            return Err(Error::TexelSize(format.bytes()));
        }
        region.check(self.plane.size)?;
        let [width, height, _] = region.size;
        if !region.is_empty() {
            Pitch { row: pitch, slice: 0 }.check(region.size, 4, colors)?;
        }
        let pixel_bytes = (width * format.bytes()) as usize;
        Ok(Rows { pixel_bytes, strip_bytes: pixel_bytes * STRIP.min(height) as usize })
    }
}

/// Rows that are encoded at a time.
const STRIP: u32 = 8;

/// How a rectangle is taken strip by strip.
struct Rows {
    /// Bytes of a row of its pixels.
    pixel_bytes: usize,
    /// Bytes of the rows of a strip.
    strip_bytes: usize,
}

impl Rows {
    /// The strips of a rectangle; none of an empty one.
    fn strips(&self, region: Region) -> impl Iterator<Item = Region> {
        let height = if region.is_empty() { 0 } else { region.size[1] };
        (0..height).step_by(STRIP as usize).map(move |y| {
            let [x, top, _] = region.origin;
            Region::rectangle(x, top + y, region.size[0], STRIP.min(height - y))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{ColorFormat, Surface, ZetaFormat};
    use crate::Error;
    use crate::swizzle::Region;
    use proptest::prelude::*;

    #[test]
    fn colours_lose_their_lowest_bits_and_unused_bits_are_filled() {
        let encode = |code, color| ColorFormat::from_code(code).expect("a format").encode(color);
        assert_eq!(encode(1, 0xFFFF_FFFF), 0x7FFF);
        assert_eq!(encode(2, 0x0000_0000), 0x8000);
        assert_eq!(encode(3, 0xFF1F_071F), 3 << 11 | 1 << 5 | 3);
        assert_eq!(encode(4, 0xABCD_EF01), 0x00CD_EF01);
        assert_eq!(encode(5, 0xABCD_EF01), 0xFFCD_EF01);
        assert_eq!(encode(6, 0xFFCD_EF01), 0x7FCD_EF01);
        assert_eq!(encode(7, 0x00CD_EF01), 0x80CD_EF01);
        assert_eq!(encode(8, 0xABCD_EF01), 0xABCD_EF01);
        assert_eq!(encode(9, 0xABCD_EF01), 0x01);
        assert_eq!(encode(10, 0xABCD_EF01), 0xEF01);
        assert_eq!(ColorFormat::from_code(0), Err(Error::ColorFormat(0)));
        assert_eq!(ColorFormat::from_code(11), Err(Error::ColorFormat(11)));
    }

    #[test]
    fn what_is_decoded_encodes_to_itself() {
        for &format in ColorFormat::ALL {
            let used = format.encode(0xFFFF_FFFF) & !format.encode(0);
            for pixel in (0..=u32::MAX).step_by(0x10_1013).map(|pixel| pixel & used | format.encode(0)) {
                assert_eq!(format.encode(format.decode(pixel)), pixel, "{} {pixel:#x}", format.name());
            }
        }
    }

    #[test]
    fn depth_is_above_stencil() {
        let format = ZetaFormat::from_code(2).expect("a format");
        assert_eq!(format.split(0x1234_5678), (0x12_3456, 0x78));
        assert_eq!(format.join(0xFF12_3456, 0x78), 0x1234_5678);
        assert_eq!(ZetaFormat::Z16.split(0x1234_5678), (0x5678, 0));
        assert_eq!(ZetaFormat::from_code(0), Err(Error::ZetaFormat(0)));
    }

    proptest! {
        #[test]
        fn surfaces_come_back(
            code in 1..11_u32,
            swizzled in any::<bool>(),
            rectangle in [0..17_u32, 0..17_u32, 0..33_u32, 0..33_u32],
            gap in 0..5_usize,
            seed in any::<u32>(),
        ) {
            let format = ColorFormat::from_code(code).expect("a format");
            let surface = if swizzled {
                Surface::swizzled(format.bytes(), 5, 5)
            } else {
                Surface::by_pitch(format.bytes(), 32, 32, 32 * format.bytes() + gap as u32)
            }.expect("small");
            let [x, y, width, height] = rectangle;
            let region = Region::rectangle(x, y, width.min(32 - x), height.min(32 - y));
            let pitch = region.size[0] as usize * 4 + gap;
            let colors: Vec<u8> =
                (0..pitch * region.size[1] as usize).map(|i| (i as u32).wrapping_mul(seed | 1).to_be_bytes()[1]).collect();
            let mut memory = vec![0x5A; 8192];
            surface.store(format, &colors, pitch, &mut memory, region).expect("inside");
            let mut again = vec![0; colors.len()];
            surface.load(format, &memory, region, &mut again, pitch).expect("inside");
            for (row, (stored, loaded)) in colors.chunks(pitch.max(1)).zip(again.chunks(pitch.max(1))).enumerate() {
                for i in 0..region.size[0] as usize {
                    let color = |row: &[u8]| u32::from_le_bytes([row[i * 4], row[i * 4 + 1], row[i * 4 + 2], row[i * 4 + 3]]);
                    prop_assert_eq!(format.decode(format.encode(color(stored))), color(loaded), "row {}, pixel {}", row, i);
                }
            }
            // Nothing beside the rectangle was written: the complement reads as before.
            let all = Region::all([32, 32, 1]);
            let mut whole = vec![0; 32 * 32 * 4];
            surface.load(format, &memory, all, &mut whole, 128).expect("inside");
            let untouched = format.decode(0x5A5A_5A5A);
            for (i, pixel) in whole.chunks_exact(4).enumerate() {
                let (px, py) = (i as u32 % 32, i as u32 / 32);
                let inside = px >= x && py >= y && px < x + region.size[0] && py < y + region.size[1];
                let pixel = u32::from_le_bytes([pixel[0], pixel[1], pixel[2], pixel[3]]);
                prop_assert!(inside || pixel == untouched, "pixel {} {}", px, py);
            }
        }
    }

    #[test]
    fn short_memory_and_wrong_sizes_are_errors() {
        let surface = Surface::by_pitch(2, 4, 4, 8).expect("small");
        let all = Region::all([4, 4, 1]);
        let mut colors = [0; 64];
        assert!(surface.load(ColorFormat::R5G6B5, &[0; 31], all, &mut colors, 16).is_err());
        assert!(surface.load(ColorFormat::R5G6B5, &[0; 32], all, &mut colors[..63], 16).is_err());
        assert!(surface.load(ColorFormat::R5G6B5, &[0; 32], all, &mut colors, usize::MAX).is_err());
        assert!(surface.load(ColorFormat::A8R8G8B8, &[0; 64], all, &mut colors, 16).is_err());
        assert!(surface.store(ColorFormat::R5G6B5, &colors, 16, &mut [0; 31], all).is_err());
        assert!(surface.store(ColorFormat::R5G6B5, &colors, 16, &mut [0; 32], Region::rectangle(1, 0, 4, 4)).is_err());
        assert!(Surface::by_pitch(4, 5000, 1, 20000).is_err());
        assert!(Surface::swizzled(4, 20, 20).is_err());
    }
}
