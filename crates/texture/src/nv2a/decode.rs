//! Textures to host texels.
//!
//! Bits are widened before anything is filtered, as the hardware does it, so the host samples what the hardware samples.
//! The work goes strip by strip: a few rows are taken out of their order, then decoded while they are in the cache.

use super::{ColorKey, Decode, Layout, Level, Texture, TextureFormat, dxt, texture_format};
use crate::Error;
use crate::field::word;
use crate::plane::{Order, Plane};
use crate::swizzle::{Pitch, Region};
use std::borrow::Cow;

/// What decoded texels are; the names are Vulkan's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HostFormat {
    /// Words 0xAARRGGBB.
    B8G8R8A8Unorm,
    /// Four unsigned integers of 16 bits: red, green, blue, alpha. Signed components of 16 bits are raised by 32768, so that they
    /// and others keep all bits.
    R16G16B16A16Unorm,
    /// Four signed integers of 16 bits: red, green, blue, alpha. For textures with signed components, which are in units of 1/128
    /// here where the guest has eight bits or less: -128 is filtered like other numbers.
    R16G16B16A16Snorm,
    /// A depth in depth-buffer units: an integer's value, or what the guest's float stands for.
    R32Sfloat,
}

/// Which components are signed (SET_TEXTURE_FILTER, bits 28 to 31). They are two's complement; what is looked up is in units of 2/255,
/// from -1 to 254/255, as the golden pictures of Texture_signed_component_tests show. Fields of less than eight bits are widened before.
#[allow(missing_docs, reason = "the components say what they are")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Signs {
    pub alpha: bool,
    pub red: bool,
    pub green: bool,
    pub blue: bool,
}

/// What a texture's texels depend on besides its memory.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'a> {
    /// The palette's entries, A8R8G8B8: 256, 128, 64 or 32 of them. Indices beyond the last one begin again with the first
    /// (no picture shows what the hardware does).
    pub palette: &'a [u32],
    /// Signed components.
    pub signs: Signs,
    /// A colour key.
    pub key: Option<ColorKey>,
    /// Whether Y'CbCr becomes RGB (SET_CONTROL0, bits 31 to 28).
    pub convert_color_space: bool,
}

/// A decoded level of one face: rows without space between them, then slices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Image {
    /// What its texels are.
    pub format: HostFormat,
    /// Width, height and depth, with a stored border.
    pub size: [u32; 3],
}

impl HostFormat {
    /// Bytes of a texel.
    #[must_use]
    pub const fn bytes(self) -> u32 {
        match self {
            Self::B8G8R8A8Unorm | Self::R32Sfloat => 4,
            Self::R16G16B16A16Unorm | Self::R16G16B16A16Snorm => 8,
        }
    }

    /// What textures of this format become.
    #[must_use]
    pub const fn of(format: TextureFormat, signs: Signs) -> Self {
        match format.info().decode {
            Decode::Depth(_) => Self::R32Sfloat,
            Decode::Wide(_) => Self::R16G16B16A16Unorm,
            _ if signs.any() => Self::R16G16B16A16Snorm,
            _ => Self::B8G8R8A8Unorm,
        }
    }
}

impl Signs {
    /// The bits of SET_TEXTURE_FILTER.
    #[must_use]
    pub fn from_filter(filter: u32) -> Self {
        let bit = |at: u32| filter >> at & 1 == 1;
        Self { alpha: bit(28), red: bit(29), green: bit(30), blue: bit(31) }
    }

    /// Whether any component is signed.
    #[must_use]
    pub const fn any(self) -> bool {
        self.alpha || self.red || self.green || self.blue
    }

    /// In the order of fields: red, green, blue, alpha.
    pub const fn rgba(self) -> [bool; 4] {
        [self.red, self.green, self.blue, self.alpha]
    }
}

/// Rows that are decoded at a time.
const STRIP: u32 = 8;

/// Decodes a level of a face. `memory` begins at the texture's offset; what is behind its end reads as 0. `out` is made as long
/// as the image.
///
/// # Errors
/// If there is no such face or level.
pub fn decode(
    texture: &Texture,
    face: u32,
    level: u32,
    memory: &[u8],
    options: &Options<'_>,
    out: &mut Vec<u8>,
) -> Result<Image, Error> {
    if face >= texture.faces() {
        return Err(Error::Index { what: "face", index: face, count: texture.faces() });
    }
    let level = texture.level(level)?;
    let format = HostFormat::of(texture.format(), options.signs);
    let texels: usize = level.size.iter().map(|&side| side as usize).product();
    out.resize(texels * format.bytes() as usize, 0);
    if texels == 0 {
        return Ok(Image { format, size: level.size });
    }
    let start = texture.face_bytes() * u64::from(face) + level.offset;
    let memory = usize::try_from(start).ok().and_then(|start| memory.get(start..)).unwrap_or_default();
    match texture.format().info().layout {
        Layout::Blocks => blocks(texture, &level, &whole(memory, &level), options, out),
        Layout::Swizzled => plain(texture, &level, &whole(memory, &level), options, out)?,
        Layout::Linear => plain(texture, &level, memory, options, out)?,
    }
    Ok(Image { format, size: level.size })
}

/// The bytes of a level, with zeros behind the end of memory.
fn whole<'a>(memory: &'a [u8], level: &Level) -> Cow<'a, [u8]> {
    match memory.get(..level.bytes as usize) {
        Some(bytes) => Cow::Borrowed(bytes),
        None => {
            let mut bytes = memory.to_vec();
            bytes.resize(level.bytes as usize, 0);
            Cow::Owned(bytes)
        }
    }
}

/// Decodes texels that are not in blocks.
fn plain(texture: &Texture, level: &Level, bytes: &[u8], options: &Options<'_>, out: &mut [u8]) -> Result<(), Error> {
    let [width, height, _] = level.size;
    let mut plane = texture.plane(level)?;
    let mut row = Row::new(texture.format(), options, width);
    if let Decode::YCbCr(chroma) = texture.format().info().decode {
        // Words with two texels are read whole.
        plane.bytes *= chroma.texels_per_word();
        plane.size[0] = width.div_ceil(chroma.texels_per_word());
    }
    if row.is_copy() && bytes.len() as u64 >= plane.span() {
        return plane.read(bytes, Region::all(level.size), out, Pitch::tight(width, height, plane.bytes));
    }
    let row_bytes = plane.size[0] as usize * plane.bytes as usize;
    let out_bytes = width as usize * HostFormat::of(texture.format(), options.signs).bytes() as usize;
    let mut strip = vec![0; row_bytes * STRIP.min(height) as usize];
    for (number, out) in out.chunks_mut(out_bytes * height as usize).enumerate() {
        for y in (0..height).step_by(STRIP as usize) {
            let rows = STRIP.min(height - y);
            read(&plane, bytes, [0, y, number as u32], rows, &mut strip)?;
            let out = out[y as usize * out_bytes..].chunks_exact_mut(out_bytes);
            for (raw, out) in strip.chunks_exact(row_bytes).take(rows as usize).zip(out) {
                row.decode(raw, out);
            }
        }
    }
    Ok(())
}

/// Takes a few rows of a slice out of the plane. Rows by pitch may be beyond the end of memory, and are zeros there.
fn read(plane: &Plane, bytes: &[u8], origin: [u32; 3], rows: u32, strip: &mut [u8]) -> Result<(), Error> {
    let Order::Pitch(pitch) = plane.order else {
        let region = Region { origin, size: [plane.size[0], rows, 1] };
        return plane.read(bytes, region, strip, Pitch::tight(plane.size[0], rows, plane.bytes));
    };
    let lines = strip.chunks_exact_mut((plane.size[0] * plane.bytes) as usize);
    for (y, line) in (origin[1]..origin[1] + rows).zip(lines) {
        let start = u64::from(y) * u64::from(pitch);
        let there = usize::try_from(start).ok().and_then(|start| bytes.get(start..)).unwrap_or_default();
        let there = &there[..there.len().min(line.len())];
        let (copied, missing) = line.split_at_mut(there.len());
        copied.copy_from_slice(there);
        missing.fill(0);
    }
    Ok(())
}

/// How rows of a texture are decoded.
struct Row<'a> {
    format: TextureFormat,
    options: &'a Options<'a>,
    /// What each byte stands for in a texture with a palette.
    palette: [u32; 256],
    /// A row of words 0xAARRGGBB on their way.
    colors: Vec<u8>,
}

impl<'a> Row<'a> {
    fn new(format: TextureFormat, options: &'a Options<'a>, width: u32) -> Self {
        let entries = options.palette;
        let palette = std::array::from_fn(|i| if entries.is_empty() { 0 } else { entries[i % entries.len()] });
        Self { format, options, palette, colors: vec![0; width as usize * 4] }
    }

    /// Whether texels are on the host as they are in memory.
    fn is_copy(&self) -> bool {
        matches!(self.format, TextureFormat::SZ_A8R8G8B8 | TextureFormat::LU_IMAGE_A8R8G8B8) && !self.is_changed()
    }

    /// Whether signs or a colour key change what the format alone gives.
    fn is_changed(&self) -> bool {
        self.options.signs.any() || self.options.key.is_some_and(ColorKey::changes_texels)
    }

    fn decode(&mut self, raw: &[u8], out: &mut [u8]) {
        let signs = self.options.signs;
        let words = raw.chunks_exact(self.format.info().bytes as usize).map(word);
        match self.format.info().decode {
            Decode::Wide(fields) => {
                for (out, word) in out.chunks_exact_mut(8).zip(words) {
                    let components = fields.map(|field| field.to_16(word));
                    let raise = |component: u32, signed| component as u16 ^ if signed { 0x8000 } else { 0 };
                    put_wide(out, each(components, signs, raise));
                }
            }
            Decode::Depth(depth) => {
                for (out, word) in out.chunks_exact_mut(4).zip(words) {
                    out.copy_from_slice(&depth.value(word).to_le_bytes());
                }
            }
            _ if !self.is_changed() => self.decode_colors(raw, out),
            _ => {
                let mut colors = std::mem::take(&mut self.colors);
                self.decode_colors(raw, &mut colors);
                let key =
                    |(color, raw)| self.options.key.map_or(color, |key: ColorKey| key.apply(self.format, raw, color));
                put_colors(colors.chunks_exact(4).map(word).zip(words).map(key), signs, out);
                self.colors = colors;
            }
        }
    }

    /// Decodes texels with components of at most eight bits to words 0xAARRGGBB.
    fn decode_colors(&self, raw: &[u8], out: &mut [u8]) {
        match self.format.info().decode {
            Decode::Palette => {
                for (out, &index) in out.chunks_exact_mut(4).zip(raw) {
                    out.copy_from_slice(&self.palette[usize::from(index)].to_le_bytes());
                }
            }
            Decode::YCbCr(chroma) => chroma.row(raw, out, self.options.convert_color_space),
            _ => texture_format::color_row(self.format)(raw, out),
        }
    }
}

/// Writes words 0xAARRGGBB, or what they are with signed components.
fn put_colors(texels: impl Iterator<Item = u32>, signs: Signs, out: &mut [u8]) {
    if signs.any() {
        for (out, texel) in out.chunks_exact_mut(8).zip(texels) {
            put_wide(out, each([16, 8, 0, 24].map(|at| texel >> at & 0xFF), signs, snorm_of_8));
        }
    } else {
        for (out, texel) in out.chunks_exact_mut(4).zip(texels) {
            out.copy_from_slice(&texel.to_le_bytes());
        }
    }
}

/// Red, green, blue and alpha, each with whether it is signed.
fn each(components: [u32; 4], signs: Signs, convert: fn(u32, bool) -> u16) -> [u16; 4] {
    let signs = signs.rgba();
    std::array::from_fn(|i| convert(components[i], signs[i]))
}

/// Writes four components of 16 bits.
fn put_wide(out: &mut [u8], components: [u16; 4]) {
    for (out, component) in out.chunks_exact_mut(2).zip(components) {
        out.copy_from_slice(&component.to_le_bytes());
    }
}

/// A component of eight bits as a signed one of 16: -128 is -1.
fn snorm_of_8(component: u32, signed: bool) -> u16 {
    let part = if signed { f32::from(component as u8 as i8) / 128.0 } else { component as f32 / 255.0 };
    (part * 32767.0).round() as i16 as u16
}

/// Decodes blocks. In a volume every four slices (or as many as there are) share a column of blocks: the blocks of the slices
/// follow one another (VTC).
fn blocks(texture: &Texture, level: &Level, bytes: &[u8], options: &Options<'_>, out: &mut [u8]) {
    let Decode::Block(block) = texture.format().info().decode else { return };
    let [width, height, depth] = level.size.map(|side| side as usize);
    let texel_bytes = HostFormat::of(texture.format(), options.signs).bytes() as usize;
    let (across, down, together) = (width.div_ceil(4), height.div_ceil(4), depth.min(4));
    let mut blocks = bytes.chunks_exact(block.bytes() as usize);
    for group in 0..depth.div_ceil(together) {
        for y in 0..down {
            for x in 0..across {
                for z in (group * together..).take(together) {
                    let Some(bytes) = blocks.next() else { return };
                    let texels = dxt::decode(block, bytes);
                    for (dy, row) in texels.chunks_exact(4).enumerate().take(height - y * 4) {
                        let at = ((z * height + y * 4 + dy) * width + x * 4) * texel_bytes;
                        let columns = (width - x * 4).min(4);
                        let out = &mut out[at..at + columns * texel_bytes];
                        put_colors(row.iter().copied(), options.signs, out);
                    }
                }
            }
        }
    }
}
