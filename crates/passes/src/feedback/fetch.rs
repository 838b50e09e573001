//! Formats of vertex attributes, and the code that reads them from memory.

use std::mem::offset_of;

use afterimage_ir::{Builder, Kind, Type, Value};

use super::block::{Draw, VERTEX_BUFFERS, VertexBuffer};
use super::code::{Code, System};
use super::{Attribute, FeedbackError};

/// What the numbers of a format are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Number {
    /// Floats of 16, 32 or 64 bits.
    Float,
    /// 0 to 1.
    Unorm,
    /// -1 to 1.
    Snorm,
    /// Whole numbers as floats.
    Uscaled,
    /// Signed whole numbers as floats.
    Sscaled,
    /// Whole numbers.
    Uint,
    /// Signed whole numbers.
    Sint,
}

/// Where the components of a format are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Layout {
    /// One after the other.
    Components {
        /// How many, 1 to 4.
        count: u8,
        /// Bits of each: 8, 16, 32 or 64.
        bits: u8,
    },
    /// Three of 10 bits and one of 2, from the lowest bits of a word on.
    Packed1010102,
}

/// A format of an attribute. What the shader reads beyond it is (0, 0, 0, 1).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Fetch {
    /// What its numbers are.
    pub number: Number,
    /// Where its components are.
    pub layout: Layout,
    /// Whether the first and the third component change places.
    pub bgra: bool,
}

/// Numbers of `VkFormat`, by families of formats that follow each other: the first, components, bits, whether blue comes first.
const FAMILIES: [(u32, u8, u8, bool); 19] = [
    (9, 1, 8, false),
    (16, 2, 8, false),
    (23, 3, 8, false),
    (30, 3, 8, true),
    (37, 4, 8, false),
    (44, 4, 8, true),
    (51, 4, 8, false),
    (58, 0, 0, true),
    (64, 0, 0, false),
    (70, 1, 16, false),
    (77, 2, 16, false),
    (84, 3, 16, false),
    (91, 4, 16, false),
    (98, 1, 32, false),
    (101, 2, 32, false),
    (104, 3, 32, false),
    (107, 4, 32, false),
    (110, 1, 64, false),
    (113, 2, 64, false),
];
/// The families behind, of three and four components of 64 bits, and the first number that is in none.
const WIDEST: [u32; 3] = [116, 119, 122];

impl Fetch {
    /// `count` (1 to 4) components of `bits` (8, 16, 32, 64) one after the other.
    pub const fn new(number: Number, count: u8, bits: u8) -> Self {
        Self { number, layout: Layout::Components { count, bits }, bgra: false }
    }

    /// The format that has this number in Vulkan; none for those that are not made for vertices.
    pub fn from_vulkan(format: u32) -> Option<Self> {
        use Number::{Float, Sint, Snorm, Sscaled, Uint, Unorm, Uscaled};
        let (first, count, bits, bgra) = match format {
            _ if format >= WIDEST[2] => return None,
            _ if format >= WIDEST[1] => (WIDEST[1], 4, 64, false),
            _ if format >= WIDEST[0] => (WIDEST[0], 3, 64, false),
            _ => *FAMILIES.iter().rev().find(|family| family.0 <= format)?,
        };
        // What comes seventh of 8 bits is sRGB.
        let numbers: &[Number] = match bits {
            32 | 64 => &[Uint, Sint, Float],
            16 => &[Unorm, Snorm, Uscaled, Sscaled, Uint, Sint, Float],
            _ => &[Unorm, Snorm, Uscaled, Sscaled, Uint, Sint],
        };
        let number = *numbers.get((format - first) as usize)?;
        let layout = if bits == 0 { Layout::Packed1010102 } else { Layout::Components { count, bits } };
        Some(Self { number, layout, bgra })
    }

    /// Bytes of an attribute.
    pub fn bytes(self) -> u32 {
        match self.layout {
            Layout::Components { count, bits } => u32::from(count) * u32::from(bits) / 8,
            Layout::Packed1010102 => 4,
        }
    }

    /// Locations that it takes.
    pub fn locations(self) -> u8 {
        if self.bytes() > 16 { 2 } else { 1 }
    }

    fn check(self) -> Result<(), &'static str> {
        match (self.layout, self.number) {
            (Layout::Components { count, .. }, _) if !(1..=4).contains(&count) => Err("has 1 to 4 components"),
            (Layout::Components { bits: 16 | 32 | 64, .. }, Number::Float) => Ok(()),
            (Layout::Components { bits: 64, .. }, Number::Uint | Number::Sint) => Ok(()),
            (Layout::Components { bits: 32, .. }, Number::Uint | Number::Sint) => Ok(()),
            (Layout::Components { bits: 8 | 16, .. }, number) if number != Number::Float => Ok(()),
            (Layout::Packed1010102, number) if number != Number::Float => Ok(()),
            _ => Err("has components of a size that such numbers do not have"),
        }
    }
}

impl Attribute {
    /// Whether it can be.
    pub(super) fn check(&self) -> Result<(), FeedbackError> {
        let bad = |reason| FeedbackError::BadAttribute { location: self.location, reason };
        if self.slot != Self::DEFAULT && usize::from(self.slot) >= VERTEX_BUFFERS {
            return Err(bad("is in a buffer beyond those that there are"));
        }
        self.fetch.check().map_err(bad)
    }
}

/// What part `part` (the second is that of 64-bit formats alone) of an attribute gives the shader: four components.
pub(super) fn fetch(b: &mut Builder, draw: System, attribute: &Attribute, part: u8, element: Value) -> Value {
    let is_float = !matches!(attribute.fetch.number, Number::Uint | Number::Sint);
    if attribute.slot == Attribute::DEFAULT {
        return complete(b, attribute.fetch, &[], is_float);
    }
    let Layout::Components { bits, count } = attribute.fetch.layout else {
        let word = words(b, draw, attribute, 0, element);
        let fields = [(0, 10), (10, 10), (20, 10), (30, 2)];
        let parts = fields.map(|(first, bits)| field(b, attribute.fetch.number, word, first, bits));
        return complete(b, attribute.fetch, &parts, is_float);
    };
    let words = words(b, draw, attribute, part, element);
    if bits == 64 {
        let there = b.ty(words).lanes;
        let mut parts: Vec<Value> = (0..there).map(|n| b.extract(words, n)).collect();
        parts.resize_with(4, || b.int(0));
        return b.construct(&parts);
    }
    let mut parts = Vec::with_capacity(4);
    for n in 0..count {
        let first = u32::from(n) * u32::from(bits);
        let word = b.extract(words, (first / 32) as u8);
        parts.push(field(b, attribute.fetch.number, word, first % 32, bits.into()));
    }
    complete(b, attribute.fetch, &parts, is_float)
}

/// The components that there are, in the shader's order, and (0, 0, 0, 1) for the others.
fn complete(b: &mut Builder, fetch: Fetch, there: &[Value], is_float: bool) -> Value {
    let mut parts = there.to_vec();
    if fetch.bgra && parts.len() > 2 {
        parts.swap(0, 2);
    }
    for n in parts.len()..4 {
        let one = if is_float { 1f32.to_bits() } else { 1 };
        let ty = if is_float { Type::F32 } else { Type::I32 };
        parts.push(b.const_bits(ty, [if n == 3 { one } else { 0 }; 4]));
    }
    b.construct(&parts)
}

/// The number in `bits` (2 to 32) bits of a word.
fn field(b: &mut Builder, number: Number, word: Value, first: u32, bits: u32) -> Value {
    if bits == 32 {
        return if number == Number::Float { b.cast(word, Kind::Float) } else { word };
    }
    let (at, count) = (b.int(first), b.int(bits));
    let signed = matches!(number, Number::Snorm | Number::Sscaled | Number::Sint);
    let field = if signed { b.ibfe(word, at, count) } else { b.ubfe(word, at, count) };
    match number {
        Number::Float => b.h2f(field),
        Number::Uint | Number::Sint => field,
        Number::Uscaled => b.u2f(field),
        Number::Sscaled => b.i2f(field),
        Number::Unorm => {
            let (whole, unit) = (b.u2f(field), b.f32(1.0 / ((1u32 << bits) - 1) as f32));
            b.fmul(whole, unit)
        }
        Number::Snorm => {
            let (whole, unit) = (b.i2f(field), b.f32(1.0 / ((1u32 << (bits - 1)) - 1) as f32));
            let (scaled, least) = (b.fmul(whole, unit), b.f32(-1.0));
            b.fmax(scaled, least)
        }
    }
}

/// The words of part `part` of element `element`, the first component in the lowest bits; zeros where it is not wholly in its buffer.
fn words(b: &mut Builder, draw: System, attribute: &Attribute, part: u8, element: Value) -> Value {
    let size = attribute.fetch.bytes();
    let skipped = 16 * u32::from(part);
    let lanes = (size - skipped).min(16).div_ceil(4) as u8;
    let buffer = offset_of!(Draw, vertex_buffers) + usize::from(attribute.slot) * size_of::<VertexBuffer>();
    let base = draw.wide(b, buffer + offset_of!(VertexBuffer, address));
    let stride = draw.word(b, buffer + offset_of!(VertexBuffer, stride));
    let bytes = draw.word(b, buffer + offset_of!(VertexBuffer, bytes));
    let offset = b.int(attribute.offset);
    let from = b.wide_mul(element, stride);
    let from = b.wide_add(from, offset);
    let (low, high, size_of_it, zero) = (b.extract(from, 0), b.extract(from, 1), b.int(size), b.int(0));
    let last = b.isub(bytes, size_of_it);
    let (has_room, before_end, is_low) = (b.ule(size_of_it, bytes), b.ule(low, last), b.ieq(high, zero));
    let inside = b.band(has_room, before_end);
    let inside = b.band(inside, is_low);
    b.if_else(
        inside,
        |b| {
            let skipped = b.int(skipped);
            let low = b.iadd(low, skipped);
            let address = b.wide_add(base, low);
            match attribute.fetch.layout {
                Layout::Components { bits: 8 | 16, count } => unaligned(b, address, size, count == 1),
                _ => b.load_words(address, lanes),
            }
        },
        |b| b.const_bits(Type::new(Kind::Int, lanes), [0; 4]),
    )
}

/// `size` (1 to 8) bytes from any address on, as words. `within`: they do not reach over a word's end.
fn unaligned(b: &mut Builder, address: Value, size: u32, within: bool) -> Value {
    let (low, high) = (b.extract(address, 0), b.extract(address, 1));
    let (three, all_but, one) = (b.int(3), b.int(!3), b.int(1));
    let (byte, base) = (b.iand(low, three), b.iand(low, all_but));
    let base = b.construct(&[base, high]);
    let bit = b.ishl(byte, three);
    if within {
        let word = b.load_words(base, 1);
        return b.ushr(word, bit);
    }
    let lanes = size.div_ceil(4) as u8;
    let here = b.load_words(base, lanes);
    // The word behind, unless the last byte is before it.
    let (end, two) = (b.int(size - 1), b.int(2));
    let end = b.iadd(byte, end);
    let end = b.ushr(end, two);
    let end = b.ishl(end, two);
    let behind = b.wide_add(base, end);
    let behind = b.load_words(behind, 1);
    let most = b.int(31);
    let back = b.isub(most, bit);
    let mut parts = Vec::with_capacity(2);
    for n in 0..lanes {
        let word = b.extract(here, n);
        let next = if n + 1 < lanes { b.extract(here, n + 1) } else { behind };
        let word = b.ushr(word, bit);
        let next = b.ishl(next, one);
        let next = b.ishl(next, back);
        parts.push(b.ior(word, next));
    }
    b.construct(&parts)
}
