//! Vertex arrays: how attributes lie in memory, and their conversion to floats.
//!
//! Source: `docs/sources/nv2a.md#vertices`. A component count of 7 stands for three components x, y and w (`FLOAT2H` of the
//! Xbox's Direct3D).

use crate::machine::Kelvin;
use crate::memory::DmaObject;
use afterimage_nv2a_types::{ATTRIBUTES, method};
use smallvec::SmallVec;

/// What an attribute has where its array has no components.
const MISSING: [f32; 4] = [0.0, 0.0, 0.0, 1.0];
/// Component count of x, y and w.
const XYW: u32 = 7;

macro_rules! types {
    ($( $(#[$doc:meta])* $number:literal $name:ident $bytes:literal; )*) => {
        /// Types of components; the number is that in `SET_VERTEX_DATA_ARRAY_FORMAT`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub(in crate::translate) enum ComponentType { $( $(#[$doc])* $name = $number ),* }

        impl ComponentType {
            fn from_bits(bits: u32) -> Option<Self> {
                match bits { $( $number => Some(Self::$name), )* _ => None }
            }

            /// Bytes of a component.
            fn bytes(self) -> u32 {
                match self { $( Self::$name => $bytes, )* }
            }
        }
    };
}

types! {
    /// Bytes in Direct3D's order (blue, green, red, alpha), 0 to 1.
    0 D3dColor 1;
    /// Signed 16 bits, -1 to 1.
    1 NormalizedShort 2;
    /// IEEE singles.
    2 Float 4;
    /// Bytes in order, 0 to 1.
    4 Bytes 1;
    /// Signed 16 bits.
    5 Short 2;
    /// Signed 11, 11 and 10 bits in a word, -1 to 1.
    6 Packed 4;
}

/// The array of one attribute.
#[derive(Clone, Copy, Debug)]
pub(in crate::translate) struct Array {
    /// Which attribute.
    pub(in crate::translate) slot: u8,
    component: ComponentType,
    /// 1 to 4, or 7.
    count: u32,
    /// Bytes from vertex to vertex.
    stride: u32,
    /// The window of memory that the array is in.
    object: Option<DmaObject>,
    /// Of vertex 0 in it.
    offset: u32,
}

/// The arrays of all attributes that have one, in the order of their slots.
pub(in crate::translate) type Arrays = SmallVec<[Array; ATTRIBUTES]>;

/// Reads the registers. `unknown` gets the number of every type that does not exist.
pub(in crate::translate) fn arrays(kelvin: &Kelvin, mut unknown: impl FnMut(u32)) -> Arrays {
    let array = |slot: u16| {
        let format = kelvin.registers.get(method::SET_VERTEX_DATA_ARRAY_FORMAT + 4 * slot);
        let count = format >> 4 & 0xF;
        if count == 0 {
            return None;
        }
        let Some(component) = ComponentType::from_bits(format & 0xF) else {
            unknown(format & 0xF);
            return None;
        };
        let offset = kelvin.registers.get(method::SET_VERTEX_DATA_ARRAY_OFFSET + 4 * slot);
        let object = if offset >> 31 == 0 { kelvin.dma.vertex_a } else { kelvin.dma.vertex_b };
        let count = if count == XYW { XYW } else { count.min(4) };
        Some(Array { slot: slot as u8, component, count, stride: format >> 8, object, offset: offset & 0x7FFF_FFFF })
    };
    (0..ATTRIBUTES as u16).filter_map(array).collect()
}

impl Array {
    /// Bytes of the attribute.
    pub(super) fn bytes(&self) -> u32 {
        self.component.bytes() * if self.count == XYW { 3 } else { self.count }
    }

    /// Bytes that the attribute takes in `INLINE_ARRAY`.
    pub(super) fn inline_bytes(&self) -> u32 {
        self.bytes().next_multiple_of(4)
    }

    /// Bytes from vertex to vertex.
    pub(super) fn stride(&self) -> u32 {
        self.stride
    }

    /// Physical address of a vertex, and of how many from there on all bytes are inside of the window, at most `count`.
    pub(super) fn locate(&self, first: u32, count: u32) -> Option<(u32, u32)> {
        let object = self.object?;
        let offset = u64::from(self.offset) + u64::from(first) * u64::from(self.stride);
        let room = (u64::from(object.limit) + 1).checked_sub(offset)?.checked_sub(self.bytes().into())?;
        let address = u32::try_from(u64::from(object.address) + offset).ok()?;
        let fit = if self.stride == 0 { u64::MAX } else { room / u64::from(self.stride) + 1 };
        Some((address, fit.min(count.into()) as u32))
    }

    /// Converts `count` vertices, which lie `stride` bytes apart in `from`, to every `step`th element of `to`. Stops where
    /// either ends.
    pub(super) fn convert(&self, from: &[u8], stride: usize, to: &mut [[f32; 4]], step: usize, count: usize) {
        use ComponentType as C;
        // One loop for each type and count: nothing is decided per vertex.
        macro_rules! each {
            ($bytes:literal, $convert:expr) => {
                run::<$bytes>(from, stride, to, step, count, $convert)
            };
        }
        match (self.component, self.count) {
            (C::Float, 1) => each!(4, |b| fill([float(b, 0)])),
            (C::Float, 2) => each!(8, |b| fill([float(b, 0), float(b, 1)])),
            (C::Float, 3) => each!(12, |b| fill([float(b, 0), float(b, 1), float(b, 2)])),
            (C::Float, XYW) => each!(12, |b| [float(b, 0), float(b, 1), 0.0, float(b, 2)]),
            (C::Float, _) => each!(16, |b| [float(b, 0), float(b, 1), float(b, 2), float(b, 3)]),
            (C::NormalizedShort, 1) => each!(2, |b| fill([normalized(b, 0)])),
            (C::NormalizedShort, 2) => each!(4, |b| fill([normalized(b, 0), normalized(b, 1)])),
            (C::NormalizedShort, 3) => each!(6, |b| fill([normalized(b, 0), normalized(b, 1), normalized(b, 2)])),
            (C::NormalizedShort, XYW) => each!(6, |b| [normalized(b, 0), normalized(b, 1), 0.0, normalized(b, 2)]),
            (C::NormalizedShort, _) => each!(8, |b| fill([0, 1, 2, 3].map(|i| normalized(b, i)))),
            (C::Short, 1) => each!(2, |b| fill([short(b, 0)])),
            (C::Short, 2) => each!(4, |b| fill([short(b, 0), short(b, 1)])),
            (C::Short, 3) => each!(6, |b| fill([short(b, 0), short(b, 1), short(b, 2)])),
            (C::Short, XYW) => each!(6, |b| [short(b, 0), short(b, 1), 0.0, short(b, 2)]),
            (C::Short, _) => each!(8, |b| fill([0, 1, 2, 3].map(|i| short(b, i)))),
            (C::Bytes, 1) => each!(1, |b| fill([byte(b, 0)])),
            (C::Bytes, 2) => each!(2, |b| fill([byte(b, 0), byte(b, 1)])),
            (C::Bytes, 3) => each!(3, |b| fill([byte(b, 0), byte(b, 1), byte(b, 2)])),
            (C::Bytes, XYW) => each!(3, |b| [byte(b, 0), byte(b, 1), 0.0, byte(b, 2)]),
            (C::Bytes, _) => each!(4, |b| fill([0, 1, 2, 3].map(|i| byte(b, i)))),
            (C::D3dColor, 4) => each!(4, |b| fill([2, 1, 0, 3].map(|i| byte(b, i)))),
            (C::D3dColor, 3 | XYW) => each!(3, |b| fill([2, 1, 0].map(|i| byte(b, i)))),
            (C::D3dColor, 2) => each!(2, |b| [0.0, byte(b, 1), byte(b, 0), 1.0]),
            (C::D3dColor, _) => each!(1, |b| [0.0, 0.0, byte(b, 0), 1.0]),
            (C::Packed, _) => each!(4, |b| packed(u32::from_le_bytes(*b))),
        }
    }

    /// The attribute in bytes; what is cut off counts as missing.
    pub(super) fn value(&self, from: &[u8]) -> [f32; 4] {
        let mut value = [MISSING];
        self.convert(from, 0, &mut value, 1, 1);
        value[0]
    }
}

/// An attribute that lies beyond its window or the memory.
pub(super) const NOTHING: [f32; 4] = MISSING;

#[inline(always)]
fn run<const BYTES: usize>(
    from: &[u8],
    stride: usize,
    to: &mut [[f32; 4]],
    step: usize,
    count: usize,
    convert: impl Fn(&[u8; BYTES]) -> [f32; 4],
) {
    let mut at = 0;
    for to in to.iter_mut().step_by(step).take(count) {
        let Some(bytes) = from.get(at..).and_then(|rest| rest.first_chunk::<BYTES>()) else { return };
        *to = convert(bytes);
        at += stride;
    }
}

#[inline(always)]
fn fill<const N: usize>(components: [f32; N]) -> [f32; 4] {
    std::array::from_fn(|i| components.get(i).copied().unwrap_or(MISSING[i]))
}

#[inline(always)]
fn float<const N: usize>(bytes: &[u8; N], i: usize) -> f32 {
    f32::from_le_bytes([bytes[4 * i], bytes[4 * i + 1], bytes[4 * i + 2], bytes[4 * i + 3]])
}

#[inline(always)]
fn short<const N: usize>(bytes: &[u8; N], i: usize) -> f32 {
    f32::from(i16::from_le_bytes([bytes[2 * i], bytes[2 * i + 1]]))
}

#[inline(always)]
fn normalized<const N: usize>(bytes: &[u8; N], i: usize) -> f32 {
    (short(bytes, i) / 32767.0).max(-1.0)
}

#[inline(always)]
fn byte<const N: usize>(bytes: &[u8; N], i: usize) -> f32 {
    f32::from(bytes[i]) / 255.0
}

/// Signed 11, 11 and 10 bits from the lowest on.
fn packed(word: u32) -> [f32; 4] {
    let field = |shift: u32, bits: u32, largest: f32| {
        let value = ((word << shift) as i32) >> (32 - bits);
        (value as f32 / largest).max(-1.0)
    };
    [field(21, 11, 1023.0), field(10, 11, 1023.0), field(0, 10, 511.0), 1.0]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn array(component: ComponentType, count: u32) -> Array {
        Array { slot: 0, component, count, stride: 0, object: None, offset: 0 }
    }

    #[test]
    fn types_and_missing_components() {
        use ComponentType as C;
        let floats: Vec<u8> = [0.5f32, -2.0, 3.0, 4.0].iter().flat_map(|f| f.to_le_bytes()).collect();
        assert_eq!(array(C::Float, 1).value(&floats), [0.5, 0.0, 0.0, 1.0]);
        assert_eq!(array(C::Float, 3).value(&floats), [0.5, -2.0, 3.0, 1.0]);
        assert_eq!(array(C::Float, XYW).value(&floats), [0.5, -2.0, 0.0, 3.0]);
        assert_eq!(array(C::Float, 4).value(&floats), [0.5, -2.0, 3.0, 4.0]);
        assert_eq!(array(C::Float, 4).value(&floats[..15]), MISSING, "cut off");
        let shorts: Vec<u8> = [32767i16, -32768, -32767, 1].iter().flat_map(|s| s.to_le_bytes()).collect();
        assert_eq!(array(C::Short, 2).value(&shorts), [32767.0, -32768.0, 0.0, 1.0]);
        assert_eq!(array(C::NormalizedShort, 3).value(&shorts), [1.0, -1.0, -1.0, 1.0]);
        let bytes = [0, 51, 255, 102];
        assert_eq!(array(C::Bytes, 4).value(&bytes), [0.0, 0.2, 1.0, 0.4]);
        assert_eq!(array(C::D3dColor, 4).value(&bytes), [1.0, 0.2, 0.0, 0.4]);
        let word = 0x3FF | 0x400 << 11 | 0x1FF << 22;
        assert_eq!(array(C::Packed, 1).value(&u32::to_le_bytes(word)), [1.0, -1.0, 1.0, 1.0]);
    }

    #[test]
    fn vertices_beyond_the_window_do_not_count() {
        let object = DmaObject::from_words([0x3D, 99, 0x1000]).unwrap();
        let array = Array { stride: 16, offset: 10, object: Some(object), ..array(ComponentType::Float, 3) };
        assert_eq!(array.locate(0, 100), Some((0x100A, 5)), "bytes 10 to 86, of 100");
        assert_eq!(array.locate(4, 100), Some((0x104A, 1)));
        assert_eq!(array.locate(6, 100), None);
        assert_eq!(array.locate(u32::MAX, 1), None);
        assert_eq!(Array { stride: 0, ..array }.locate(u32::MAX, 7), Some((0x100A, 7)));
    }
}
