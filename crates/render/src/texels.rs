//! What a texture holds, for people: texels of any format as numbers, and as a picture.

use crate::depth;
use afterimage_stream::Format;
use afterimage_stream::packets::View;

/// What a subresource of a texture holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Texels {
    /// The subresource.
    pub view: View,
    /// The texture's format.
    pub format: Format,
    /// Texels.
    pub width: u32,
    /// Texels.
    pub height: u32,
    /// Format of `bytes`: the texture's, or floats where that is compressed.
    layout: Format,
    bytes: Vec<u8>,
    /// Where the format is compressed: what `bytes` were decoded from.
    blocks: Option<Vec<u8>>,
}

/// How the numbers of a channel are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Unorm,
    Snorm,
    Uint,
    Sint,
    Float,
    Srgb,
}

/// Channels of an uncompressed colour format: red to alpha by number, first bit, bits.
struct Channels {
    kind: Kind,
    places: Vec<(usize, u32, u32)>,
}

impl Channels {
    /// What Vulkan's name of a format says. Channels of whole bytes follow each other in memory; others are packed into a word, with
    /// the first in its highest bits.
    fn of(format: Format) -> Self {
        let (name, kind) = format.info().name.split_once('_').unwrap_or_default();
        let kind = match kind {
            "SNORM" => Kind::Snorm,
            "UINT" => Kind::Uint,
            "SINT" => Kind::Sint,
            "SFLOAT" | "UFLOAT" => Kind::Float,
            "SRGB" => Kind::Srgb,
            _ => Kind::Unorm,
        };
        let mut places = Vec::new();
        let mut rest = name;
        while let Some(letter) = rest.chars().next() {
            let digits = rest[1..].find(|c: char| !c.is_ascii_digit()).map_or(rest.len(), |end| end + 1);
            let bits: u32 = rest[1..digits].parse().unwrap_or(0);
            if let Some(channel) = "RGBA".find(letter) {
                places.push((channel, 0, bits));
            }
            rest = &rest[digits..];
        }
        let in_bytes = places.iter().all(|(_, _, bits)| bits.is_multiple_of(8));
        let mut at = 0;
        if in_bytes {
            for place in &mut places {
                place.1 = at;
                at += place.2;
            }
        } else {
            for place in places.iter_mut().rev() {
                place.1 = at;
                at += place.2;
            }
        }
        Self { kind, places }
    }

    fn texel(&self, bytes: &[u8]) -> [f32; 4] {
        let mut texel = [0.0, 0.0, 0.0, 1.0];
        for &(channel, first, bits) in &self.places {
            // A channel lies in at most four bytes of sixteen, and packed ones in one word.
            let from = (first / 8) as usize;
            let mut word = [0; 8];
            let part = &bytes[from..bytes.len().min(from + 8)];
            word[..part.len()].copy_from_slice(part);
            let value = (u64::from_le_bytes(word) >> (first % 8)) & ((1 << bits) - 1);
            texel[channel] = self.number(value, bits);
        }
        texel
    }

    fn number(&self, value: u64, bits: u32) -> f32 {
        let signed = ((value << (64 - bits)) as i64) >> (64 - bits);
        let most = ((1u64 << bits) - 1) as f64;
        match self.kind {
            // What is stored, undecoded.
            Kind::Unorm | Kind::Srgb => (value as f64 / most) as f32,
            Kind::Snorm => (signed as f64 / ((1u64 << (bits - 1)) - 1) as f64).max(-1.0) as f32,
            Kind::Uint => value as f32,
            Kind::Sint => signed as f32,
            Kind::Float => match bits {
                32 => f32::from_bits(value as u32),
                16 => small_float(value as u32 & 0x7fff, 10) * if value & 0x8000 != 0 { -1.0 } else { 1.0 },
                _ => small_float(value as u32, bits - 5),
            },
        }
    }
}

/// A float of five bits of exponent and so many of mantissa, without sign.
fn small_float(bits: u32, mantissa: u32) -> f32 {
    let (exponent, fraction) = (bits >> mantissa, bits & ((1 << mantissa) - 1));
    let fraction = fraction as f32 / (1u32 << mantissa) as f32;
    match exponent {
        0 => fraction * 2f32.powi(-14),
        31 if fraction == 0.0 => f32::INFINITY,
        31 => f32::NAN,
        _ => (1.0 + fraction) * 2f32.powi(exponent as i32 - 15),
    }
}

impl Texels {
    /// What a renderer has read of a subresource of a format: `bytes` of the format `layout`, rows packed, and of compressed formats the
    /// blocks that these were decoded from, where they are the texture's own.
    #[must_use]
    pub fn new(
        view: View,
        format: Format,
        [width, height]: [u32; 2],
        (layout, bytes): (Format, Vec<u8>),
        blocks: Option<Vec<u8>>,
    ) -> Self {
        Self { view, format, width, height, layout, bytes, blocks }
    }

    /// In which format the bytes of a view are that a renderer has read of a texture of format `root`: floats of a compressed one, and
    /// else the view's where its texels are as large.
    #[must_use]
    pub fn layout(format: Format, root: Format) -> Format {
        match root.info().block > 1 {
            true => Format::R32G32B32A32_SFLOAT,
            false if format.info().block == 1 && format.info().bytes == root.info().bytes => format,
            false => root,
        }
    }

    /// Texels of a format that is not compressed, from rows that are packed; `None` of others, and where bytes are missing.
    #[must_use]
    pub fn of_bytes(format: Format, [width, height]: [u32; 2], bytes: &[u8]) -> Option<Self> {
        let whole = format.info().block == 1 && bytes.len() == format.packed_size(width, height) as usize;
        let texels = || Self {
            view: View::default(),
            format,
            width,
            height,
            layout: format,
            bytes: bytes.to_vec(),
            blocks: None,
        };
        whole.then(texels)
    }

    /// Texels in rows from the top: red, green, blue and alpha; missing colours are 0, missing alpha is 1. Values are those of
    /// the format; sRGB formats give what is stored, undecoded. Depth is in the red channel, stencil in the green one.
    #[must_use]
    pub fn texels(&self) -> Vec<[f32; 4]> {
        let size = self.layout.info().bytes as usize;
        if self.layout.is_depth() {
            let texel = |bytes| {
                let (depth, stencil) = depth::read(self.layout, bytes);
                [depth as f32, f32::from(stencil), 0.0, 1.0]
            };
            return self.bytes.chunks_exact(size).map(texel).collect();
        }
        if self.layout == Format::E5B9G9R9_UFLOAT {
            return self.bytes.as_chunks().0.iter().map(|bytes| shared_exponent(u32::from_le_bytes(*bytes))).collect();
        }
        let channels = Channels::of(self.layout);
        if self.layout != self.format && self.format.info().name.ends_with("_SRGB") {
            // The device decoded the blocks.
            let texels = self.bytes.chunks_exact(size).map(|bytes| channels.texel(bytes));
            return texels.map(|[r, g, b, a]| [encode(r), encode(g), encode(b), a]).collect();
        }
        self.bytes.chunks_exact(size).map(|bytes| channels.texel(bytes)).collect()
    }

    /// The texels as they lie in memory, rows packed; of compressed formats the blocks, as they were uploaded. `None` where a view
    /// has another format than its texture, with texels of another size.
    #[must_use]
    pub fn bytes(&self) -> Option<&[u8]> {
        match &self.blocks {
            Some(blocks) => Some(blocks),
            None => (self.layout == self.format).then_some(&self.bytes),
        }
    }

    /// As a picture: red, green, blue and alpha in a byte each. Floats are clamped to 0 to 1, signed values go from black at -1 to
    /// white at 1, integers are scaled by the largest there is, and depth is grey from the nearest to the farthest there is.
    #[must_use]
    pub fn rgba(&self) -> Vec<u8> {
        match self.layout {
            Format::R8G8B8A8_UNORM | Format::R8G8B8A8_SRGB => return self.bytes.clone(),
            Format::B8G8R8A8_UNORM | Format::B8G8R8A8_SRGB => {
                let mut rgba = self.bytes.clone();
                rgba.as_chunks_mut::<4>().0.iter_mut().for_each(|texel| texel.swap(0, 2));
                return rgba;
            }
            _ => {}
        }
        if self.layout.is_depth() {
            return self.depth_rgba();
        }
        let texels = self.texels();
        let name = self.layout.info().name;
        let (scale, offset) = if self.layout.is_integer() {
            let most = texels.iter().flat_map(|texel| &texel[..3]).fold(0f32, |most, value| most.max(value.abs()));
            (1.0 / most.max(1.0), 0.0)
        } else if name.ends_with("_SNORM") || self.format.info().name.ends_with("_SNORM") {
            (0.5, 0.5)
        } else {
            (1.0, 0.0)
        };
        // Single channels are grey.
        let grey = name.starts_with('R') && !name.contains('G');
        let color = |value: f32| byte(value * scale + offset);
        texels
            .iter()
            .flat_map(|&[r, g, b, a]| match grey {
                true => [color(r), color(r), color(r), 255],
                false => [color(r), color(g), color(b), byte(a)],
            })
            .collect()
    }

    fn depth_rgba(&self) -> Vec<u8> {
        let size = self.layout.info().bytes as usize;
        let depths: Vec<f32> =
            self.bytes.chunks_exact(size).map(|bytes| depth::read(self.layout, bytes).0 as f32).collect();
        let (mut near, mut far) = (f32::INFINITY, f32::NEG_INFINITY);
        for &depth in depths.iter().filter(|depth| depth.is_finite()) {
            (near, far) = (near.min(depth), far.max(depth));
        }
        let (base, scale) = if far > near { (near, 1.0 / (far - near)) } else { (0.0, 1.0) };
        greys(depths.into_iter().map(|depth| byte((depth - base) * scale)), self.bytes.len() / size)
    }

    /// The stencil values as a picture in grey: 16 a step, so that small numbers are seen. `None` without stencil.
    #[must_use]
    pub fn stencil_rgba(&self) -> Option<Vec<u8>> {
        let has = matches!(self.layout, Format::D24_UNORM_S8_UINT | Format::D32_SFLOAT_S8_UINT);
        let size = self.layout.info().bytes as usize;
        let stencils = self.bytes.chunks_exact(size).map(|bytes| depth::read(self.layout, bytes).1);
        has.then(|| greys(stencils.map(|stencil| stencil.saturating_mul(16)), self.bytes.len() / size))
    }
}

/// A part of one as a byte.
fn byte(value: f32) -> u8 {
    (value.clamp(0.0, 1.0) * 255.0).round() as u8
}

/// A picture of so many texels in grey.
fn greys(greys: impl Iterator<Item = u8>, count: usize) -> Vec<u8> {
    let mut rgba = Vec::with_capacity(count * 4);
    greys.for_each(|grey| rgba.extend_from_slice(&[grey, grey, grey, 255]));
    rgba
}

/// A linear value as sRGB stores it.
fn encode(linear: f32) -> f32 {
    if linear <= 0.003_130_8 { linear * 12.92 } else { 1.055 * linear.powf(1.0 / 2.4) - 0.055 }
}

/// Three mantissas of nine bits and their exponent.
fn shared_exponent(word: u32) -> [f32; 4] {
    let scale = 2f32.powi((word >> 27) as i32 - 24);
    let channel = |at: u32| ((word >> at) & 0x1ff) as f32 * scale;
    [channel(0), channel(9), channel(18), 1.0]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(format: Format, bytes: &[u8]) -> Texels {
        let width = bytes.len() as u32 / format.info().bytes;
        Texels { view: View::default(), format, width, height: 1, layout: format, bytes: bytes.to_vec(), blocks: None }
    }

    #[test]
    fn texels_are_what_the_names_say() {
        let one = |format, bytes: &[u8]| look(format, bytes).texels()[0];
        assert_eq!(one(Format::B5G6R5_UNORM, &0xf800u16.to_le_bytes()), [0.0, 0.0, 1.0, 1.0], "blue is on top");
        assert_eq!(one(Format::R5G6B5_UNORM, &0xf800u16.to_le_bytes()), [1.0, 0.0, 0.0, 1.0]);
        assert_eq!(one(Format::A1R5G5B5_UNORM, &0x83e0u16.to_le_bytes()), [0.0, 1.0, 0.0, 1.0]);
        assert_eq!(one(Format::A2B10G10R10_UNORM, &0xc000_03ffu32.to_le_bytes()), [1.0, 0.0, 0.0, 1.0]);
        assert_eq!(one(Format::R8G8_SNORM, &[0x81, 0x7f]), [-1.0, 1.0, 0.0, 1.0]);
        assert_eq!(one(Format::R16_SFLOAT, &0xc000u16.to_le_bytes()), [-2.0, 0.0, 0.0, 1.0]);
        assert_eq!(one(Format::B10G11R11_UFLOAT, &0x3c0u32.to_le_bytes()), [1.0, 0.0, 0.0, 1.0]);
        assert_eq!(one(Format::E5B9G9R9_UFLOAT, &(16u32 << 27 | 0x100).to_le_bytes()), [1.0, 0.0, 0.0, 1.0]);
        assert_eq!(one(Format::R32G32_SINT, &[0xff, 0xff, 0xff, 0xff, 7, 0, 0, 0]), [-1.0, 7.0, 0.0, 1.0]);
        let mut floats = [0; 16];
        floats[12..].copy_from_slice(&0.5f32.to_le_bytes());
        assert_eq!(one(Format::R32G32B32A32_SFLOAT, &floats), [0.0, 0.0, 0.0, 0.5]);
    }

    #[test]
    fn every_plain_format_has_its_bits() {
        for &format in Format::ALL {
            let info = format.info();
            if info.block == 1 && !format.is_depth() && format != Format::E5B9G9R9_UFLOAT {
                let bits: u32 = Channels::of(format).places.iter().map(|place| place.2).sum();
                assert_eq!(bits, info.bytes * 8, "{}", info.name);
            }
        }
    }

    #[test]
    fn depth_is_stretched_and_stencil_is_apart() {
        let texels: Vec<u8> = [(0x01u32 << 24) | 0x80_0000, 0x02ff_ffff].iter().flat_map(|t| t.to_le_bytes()).collect();
        let look = look(Format::D24_UNORM_S8_UINT, &texels);
        assert_eq!(look.rgba(), [0, 0, 0, 255, 255, 255, 255, 255]);
        assert_eq!(look.stencil_rgba().unwrap(), [16, 16, 16, 255, 32, 32, 32, 255]);
    }
}
