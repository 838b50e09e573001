//! Values to the words of vertex elements, as IR.

use afterimage_d3d9_types::*;
use afterimage_ir::{Builder, Kind, Type, Value};
use smallvec::{SmallVec, smallvec};

/// The words of an element.
pub(super) type Words = SmallVec<[Value; 4]>;

/// Whole numbers of the first `lanes` components times `scale`, at the bottom of their words: `least` to `most`, and below zero only
/// the lower `bits` bits.
fn whole(b: &mut Builder, value: Value, lanes: u8, scale: f32, (least, most): (i32, i32), bits: u32) -> Words {
    let lane = |b: &mut Builder, lane| {
        let value = b.extract(value, lane);
        let value = if scale == 1.0 {
            value
        } else {
            let scale = b.f32(scale);
            b.fmul(value, scale)
        };
        let value = b.fround(value);
        // What does not fit into 32 bits is their limits already.
        let value = b.f2i(value);
        let [least, most] = [least, most].map(|limit| b.i32(limit));
        let value = b.imax(value, least);
        let value = b.imin(value, most);
        let mask = b.i32(((1u64 << bits) - 1) as i32);
        b.iand(value, mask)
    };
    (0..lanes).map(|at| lane(b, at)).collect()
}

/// Fields of `bits` bits each, the first lowest, in words.
fn fields(b: &mut Builder, parts: &[Value], bits: u32) -> Words {
    let each = (32 / bits) as usize;
    let word = |b: &mut Builder, parts: &[Value]| {
        let mut word = parts[0];
        for (at, part) in (1i32..).zip(&parts[1..]) {
            let shift = b.i32(at * bits as i32);
            let part = b.ishl(*part, shift);
            word = b.ior(word, part);
        }
        word
    };
    parts.chunks(each).map(|parts| word(b, parts)).collect()
}

/// The words of a value of four floats as an element of a `D3DDECLTYPE_*`, limited to what that can hold; none for a type that does not
/// exist.
pub(super) fn words(b: &mut Builder, ty: u8, value: Value) -> Words {
    const BYTE: (i32, i32) = (0, 255);
    const SHORT: (i32, i32) = (-32_768, 32_767);
    const USHORT: (i32, i32) = (0, 65_535);
    let floats = |b: &mut Builder, lanes: u8| -> Words {
        let words = b.cast(value, Kind::Int);
        (0..lanes).map(|lane| b.extract(words, lane)).collect()
    };
    let halves = |b: &mut Builder, lanes: u8| {
        let halves = b.f2h(value);
        let parts: Words = (0..lanes).map(|lane| b.extract(halves, lane)).collect();
        fields(b, &parts, 16)
    };
    let (lanes, scale, range, bits) = match u32::from(ty) {
        D3DDECLTYPE_FLOAT1 => return floats(b, 1),
        D3DDECLTYPE_FLOAT2 => return floats(b, 2),
        D3DDECLTYPE_FLOAT3 => return floats(b, 3),
        D3DDECLTYPE_FLOAT4 => return floats(b, 4),
        D3DDECLTYPE_FLOAT16_2 => return halves(b, 2),
        D3DDECLTYPE_FLOAT16_4 => return halves(b, 4),
        D3DDECLTYPE_D3DCOLOR | D3DDECLTYPE_UBYTE4N => (4, 255.0, BYTE, 8),
        D3DDECLTYPE_UBYTE4 => (4, 1.0, BYTE, 8),
        D3DDECLTYPE_SHORT2 => (2, 1.0, SHORT, 16),
        D3DDECLTYPE_SHORT4 => (4, 1.0, SHORT, 16),
        D3DDECLTYPE_SHORT2N => (2, 32_767.0, SHORT, 16),
        D3DDECLTYPE_SHORT4N => (4, 32_767.0, SHORT, 16),
        D3DDECLTYPE_USHORT2N => (2, 65_535.0, USHORT, 16),
        D3DDECLTYPE_USHORT4N => (4, 65_535.0, USHORT, 16),
        D3DDECLTYPE_UDEC3 => (3, 1.0, (0, 1023), 10),
        D3DDECLTYPE_DEC3N => (3, 511.0, (-511, 511), 10),
        _ => return smallvec![],
    };
    let mut parts = whole(b, value, lanes, scale, range, bits);
    if u32::from(ty) == D3DDECLTYPE_D3DCOLOR {
        parts.swap(0, 2);
    }
    fields(b, &parts, bits)
}

/// A value of `lanes` whole numbers.
pub(super) const fn integers(lanes: u8) -> Type {
    Type::new(Kind::Int, lanes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::{components, decl_type, decode};
    use afterimage_interp::{Interpreter, NoEnvironment};
    use afterimage_ir::{OutputAt, OutputDecl, Stage};
    use afterimage_stream::VertexFormat;
    use half::f16;

    /// A value as an element, in Rust.
    fn encode(ty: u8, [x, y, z, w]: [f32; 4]) -> Option<SmallVec<[u8; 16]>> {
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

    /// The bytes that the IR makes of a value.
    fn packed(ty: u8, value: [f32; 4]) -> Vec<u8> {
        let mut b = Builder::new(Stage::Vertex);
        let value = b.f32x4(value);
        let words = words(&mut b, ty, value);
        let count = words.len() as u8;
        let word = b.construct(&words);
        let at = OutputAt::Location(0);
        let out = b.output(OutputDecl { name: "words".to_owned(), ty: integers(count), at, semantic: None });
        b.store_output(out, word);
        let module = b.finish().unwrap();
        let outcome = Interpreter::new(&module).unwrap().run(&NoEnvironment).unwrap();
        outcome.outputs[0][0][..usize::from(count)].iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    #[test]
    fn words_are_what_the_processor_writes() {
        let values = [
            [0.0, 0.25, 0.5, 1.0],
            [-1.0, -0.25, 2.0, 300.0],
            [0.1, 0.3, 0.7, 0.9],
            [1e9, -1e9, f32::INFINITY, f32::NEG_INFINITY],
            [f32::NAN, 0.5 / 255.0, 1.5 / 255.0, 511.5],
            [1023.0, 40_000.0, -40_000.0, 65_535.0],
        ];
        for ty in D3DDECLTYPE_FLOAT1..=D3DDECLTYPE_FLOAT16_4 {
            for value in values {
                let expected = encode(ty as u8, value).unwrap();
                assert_eq!(packed(ty as u8, value), expected.to_vec(), "type {ty} of {value:?}");
            }
        }
    }

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
