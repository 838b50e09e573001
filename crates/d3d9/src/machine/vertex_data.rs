//! Vertices as numbers: what the processor reads of streams and writes into vertices when vertex processing, or the
//! evaluation of patches, is its work.

use afterimage_d3d9_types::*;
use afterimage_stream::VertexFormat;
use half::f16;
use smallvec::SmallVec;

/// The bytes of one vertex element.
pub(crate) type Element = SmallVec<[u8; 16]>;

/// A whole number of `bits` bits with a sign, at the bottom of `value`.
fn signed(value: u32, bits: u32) -> f32 {
    let unused = 32 - bits;
    ((value << unused) as i32 >> unused) as f32
}

/// An element as the shader gets it: components that the format does not have are 0, and the fourth is 1. Bytes that are
/// not there count as 0.
pub(crate) fn decode(format: VertexFormat, bytes: &[u8]) -> [f32; 4] {
    use VertexFormat as F;
    let byte = |at: usize| f32::from(bytes.get(at).copied().unwrap_or(0));
    let word = |at: usize| {
        let byte = |at: usize| bytes.get(at).copied().unwrap_or(0);
        u16::from_le_bytes([byte(2 * at), byte(2 * at + 1)])
    };
    let short = |at: usize| f32::from(word(at) as i16);
    let dword = |at: usize| u32::from(word(2 * at)) | u32::from(word(2 * at + 1)) << 16;
    let float = |at: usize| f32::from_bits(dword(at));
    let half = |at: usize| f16::from_bits(word(at)).to_f32();
    let normal = |at: usize| (short(at) / 32_767.0).max(-1.0);
    let fraction = |at: usize| f32::from(word(at)) / 65_535.0;
    let tenth = |at: u32| dword(0) >> (10 * at) & 0x3ff;
    let two = |of: &dyn Fn(usize) -> f32| [of(0), of(1), 0.0, 1.0];
    let four = |of: &dyn Fn(usize) -> f32| [of(0), of(1), of(2), of(3)];
    match format {
        F::R32_SFLOAT => [float(0), 0.0, 0.0, 1.0],
        F::R32G32_SFLOAT => two(&float),
        F::R32G32B32_SFLOAT => [float(0), float(1), float(2), 1.0],
        F::R32G32B32A32_SFLOAT => four(&float),
        F::B8G8R8A8_UNORM => [byte(2), byte(1), byte(0), byte(3)].map(|value| value / 255.0),
        F::R8G8B8A8_UNORM => four(&|at| byte(at) / 255.0),
        F::R8G8B8A8_USCALED => four(&byte),
        F::R16G16_SSCALED => two(&short),
        F::R16G16B16A16_SSCALED => four(&short),
        F::R16G16_SNORM => two(&normal),
        F::R16G16B16A16_SNORM => four(&normal),
        F::R16G16_UNORM => two(&fraction),
        F::R16G16B16A16_UNORM => four(&fraction),
        F::A2B10G10R10_USCALED => [tenth(0) as f32, tenth(1) as f32, tenth(2) as f32, 1.0],
        F::A2B10G10R10_SNORM => {
            let part = |at| (signed(tenth(at), 10) / 511.0).max(-1.0);
            [part(0), part(1), part(2), 1.0]
        }
        F::R16G16_SFLOAT => two(&half),
        F::R16G16B16A16_SFLOAT => four(&half),
    }
}

/// A value as an element of a `D3DDECLTYPE_*`, limited to what that can hold; none for a type that does not exist.
pub(crate) fn encode(ty: u8, [x, y, z, w]: [f32; 4]) -> Option<Element> {
    let floats = |values: &[f32]| values.iter().flat_map(|value| value.to_le_bytes()).collect();
    let bytes = |values: [f32; 4]| values.into_iter().map(|value| value.round_ties_even() as u8).collect();
    let shorts = |values: &[f32], scale: f32| {
        let whole = |value: &f32| (value * scale).round_ties_even() as i16;
        values.iter().flat_map(|value| whole(value).to_le_bytes()).collect()
    };
    let fractions = |values: &[f32]| {
        let whole = |value: &f32| (value * 65_535.0).round_ties_even() as u16;
        values.iter().flat_map(|value| whole(value).to_le_bytes()).collect()
    };
    let halves =
        |values: &[f32]| values.iter().flat_map(|value| f16::from_f32(*value).to_bits().to_le_bytes()).collect();
    let packed = |part: &dyn Fn(f32) -> u32| {
        let parts = [x, y, z].map(|value| part(value) & 0x3ff);
        (parts[0] | parts[1] << 10 | parts[2] << 20).to_le_bytes().into_iter().collect()
    };
    Some(match u32::from(ty) {
        D3DDECLTYPE_FLOAT1 => floats(&[x]),
        D3DDECLTYPE_FLOAT2 => floats(&[x, y]),
        D3DDECLTYPE_FLOAT3 => floats(&[x, y, z]),
        D3DDECLTYPE_FLOAT4 => floats(&[x, y, z, w]),
        D3DDECLTYPE_D3DCOLOR => bytes([z, y, x, w].map(|value| value * 255.0)),
        D3DDECLTYPE_UBYTE4 => bytes([x, y, z, w]),
        D3DDECLTYPE_UBYTE4N => bytes([x, y, z, w].map(|value| value * 255.0)),
        D3DDECLTYPE_SHORT2 => shorts(&[x, y], 1.0),
        D3DDECLTYPE_SHORT4 => shorts(&[x, y, z, w], 1.0),
        D3DDECLTYPE_SHORT2N => shorts(&[x, y], 32_767.0),
        D3DDECLTYPE_SHORT4N => shorts(&[x, y, z, w], 32_767.0),
        D3DDECLTYPE_USHORT2N => fractions(&[x, y]),
        D3DDECLTYPE_USHORT4N => fractions(&[x, y, z, w]),
        D3DDECLTYPE_UDEC3 => packed(&|value| value.round_ties_even().clamp(0.0, 1023.0) as u32),
        D3DDECLTYPE_DEC3N => packed(&|value| (value * 511.0).round_ties_even().clamp(-511.0, 511.0) as i32 as u32),
        D3DDECLTYPE_FLOAT16_2 => halves(&[x, y]),
        D3DDECLTYPE_FLOAT16_4 => halves(&[x, y, z, w]),
        _ => return None,
    })
}

/// A stream whose vertices are read here.
#[derive(Clone, Copy, Default)]
pub(crate) struct VertexSource<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) offset: u64,
    pub(crate) stride: u64,
}

impl VertexSource<'_> {
    /// An element of a vertex; zero past the end of the buffer.
    pub(crate) fn read(&self, vertex: u64, offset: u16, format: VertexFormat) -> [f32; 4] {
        let start = vertex.saturating_mul(self.stride).saturating_add(self.offset + u64::from(offset));
        decode(format, usize::try_from(start).ok().and_then(|start| self.bytes.get(start..)).unwrap_or(&[]))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{components, decl_type};
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        // Values that every type has: whole ones for those that count, parts of one for the others.
        for ty in D3DDECLTYPE_FLOAT1..=D3DDECLTYPE_FLOAT16_4 {
            let ty = ty as u8;
            let (format, size) = decl_type(ty).unwrap();
            let whole = decode(format, &[1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])[0] == 1.0;
            let value = if whole { [3.0, 5.0, 7.0, 2.0] } else { [1.0, 0.0, 1.0, 1.0] };
            let bytes = encode(ty, value).unwrap();
            assert_eq!(bytes.len(), size as usize, "type {ty}");
            let got = decode(format, &bytes);
            let count = usize::from(components(ty));
            assert_eq!(got[..count], value[..count], "type {ty}");
            let missing = [0.0, 0.0, 0.0, 1.0];
            assert_eq!(got[count..], missing[count..], "type {ty}");
        }
        assert_eq!(encode(D3DDECLTYPE_UNUSED as u8, [0.0; 4]), None);
    }

    #[test]
    fn values_beyond_a_type_are_its_ends() {
        let element = |ty: u32, value: f32| encode(ty as u8, [value; 4]).unwrap().to_vec();
        assert_eq!(element(D3DDECLTYPE_D3DCOLOR, 7.0), [255; 4]);
        assert_eq!(element(D3DDECLTYPE_D3DCOLOR, f32::NAN), [0; 4]);
        assert_eq!(element(D3DDECLTYPE_SHORT2, 1e9), [0xff, 0x7f, 0xff, 0x7f]);
        assert_eq!(element(D3DDECLTYPE_USHORT2N, -1.0), [0; 4]);
        assert_eq!(element(D3DDECLTYPE_UDEC3, 5000.0), [0xff, 0xff, 0xff, 0x3f]);
        assert_eq!(decode(VertexFormat::A2B10G10R10_SNORM, &element(D3DDECLTYPE_DEC3N, -9.0)), [-1.0, -1.0, -1.0, 1.0]);
        assert_eq!(decode(VertexFormat::R32G32_SFLOAT, &[]), [0.0, 0.0, 0.0, 1.0]);
    }
}
