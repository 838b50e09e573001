//! Formats of attributes, each read at every alignment that it may have, and what its numbers become.

use afterimage_ir::{FeedbackDecl, Output, parse};
use afterimage_passes::feedback::block::{Draw, VertexBuffer};
use afterimage_passes::feedback::table::{Provoking, TABLE};
use afterimage_passes::feedback::{Attribute, Fetch, Form, Layout, Number, Options, Step, lower};

use crate::rig::{Memory, capture};

/// A component, computed in 64 bits.
fn number(number: Number, bits: u32, raw: u32) -> f64 {
    let signed = f64::from((raw << (32 - bits)) as i32 >> (32 - bits));
    let most = f64::from(u32::MAX >> (32 - bits));
    match number {
        Number::Unorm => f64::from(raw) / most,
        Number::Snorm => (signed / f64::from(u32::MAX >> (33 - bits))).max(-1.0),
        Number::Uscaled | Number::Uint => f64::from(raw),
        Number::Sscaled | Number::Sint => signed,
        Number::Float if bits == 32 => f32::from_bits(raw).into(),
        Number::Float => {
            let (exponent, mantissa) = ((raw >> 10 & 31) as i32, f64::from(raw & 1023));
            let size = match exponent {
                0 => mantissa / 1024.0 * 2f64.powi(-14),
                31 => f64::INFINITY,
                _ => (1.0 + mantissa / 1024.0) * 2f64.powi(exponent - 15),
            };
            if raw >> 15 == 0 { size } else { -size }
        }
    }
}

/// What the shader is given of the element at `at`: four numbers.
fn expected(fetch: Fetch, bytes: &[u8], at: usize) -> [f64; 4] {
    let mut four = [0.0, 0.0, 0.0, 1.0];
    let little = |bytes: &[u8]| bytes.iter().rev().fold(0u32, |all, &byte| all << 8 | u32::from(byte));
    match fetch.layout {
        Layout::Components { count, bits } => {
            let size = usize::from(bits) / 8;
            for n in 0..usize::from(count) {
                four[n] = number(fetch.number, bits.into(), little(&bytes[at + n * size..][..size]));
            }
        }
        Layout::Packed1010102 => {
            let word = little(&bytes[at..at + 4]);
            for (n, bits) in [10, 10, 10, 2].into_iter().enumerate() {
                four[n] = number(fetch.number, bits, word >> (10 * n) & (u32::MAX >> (32 - bits)));
            }
        }
    }
    if fetch.bgra {
        four.swap(0, 2);
    }
    four
}

/// The words that a shader which copies its input captures of elements 0, 1, 2, the last of which is not wholly there.
fn copied(fetch: Fetch, ty: &str, bytes: &[u8], stride: u32, offset: u32, skew: usize) -> [[u32; 4]; 3] {
    let text = format!(
        "vertex {{
  input in0 \"a\" : {ty} location 2 smooth
  output out0 \"o\" : {ty} location 0
  v0: {ty} = load_input in0
  store_output out0, v0
  return
}}"
    );
    let mut module = parse(&text).unwrap();
    let lanes = module.outputs[0].ty.lanes;
    let captured = FeedbackDecl { output: Output(0), component: 0, lanes, buffer: 0, stream: 0, stride: 16, offset: 0 };
    module.feedback.push(captured);
    let attribute = Attribute { location: 2, slot: 3, fetch, offset, step: Step::Vertex };
    let options = Options { form: Form::Gather, attributes: vec![attribute] };
    let lowered = lower(&module, &options).unwrap();
    let mut memory = Memory::default();
    let mut draw = Draw::new(&TABLE[0], Provoking::First);
    (draw.vertices, draw.primitives, draw.captured) = (3, 3, 3);
    let target = memory.room(12, true);
    draw.targets[0].address = target;
    let address = memory.bytes(bytes, skew);
    draw.vertex_buffers[3] = VertexBuffer { address, stride, bytes: bytes.len() as u32 };
    let at = memory.block(&draw);
    capture(&lowered, Form::Gather, &memory, at, [1; 3], 1);
    let words = memory.words(target);
    [0, 4, 8].map(|at| words[at..at + 4].try_into().unwrap())
}

#[test]
fn every_format_of_vulkan_up_to_64_bits() {
    let mut known = 0;
    for format in 0..130 {
        let Some(fetch) = Fetch::from_vulkan(format) else { continue };
        known += 1;
        let (bits, size) = match fetch.layout {
            Layout::Components { bits, .. } => (u32::from(bits), fetch.bytes()),
            Layout::Packed1010102 => (32, 4),
        };
        if bits == 64 {
            continue;
        }
        let unit = bits as usize / 8;
        for skew in (0..4).step_by(unit.min(4)) {
            let (stride, offset) = (size + bits / 8, bits / 8);
            let bytes: Vec<u8> = (0..3 * stride + offset - 1).map(|n| (n * 89 + format * 7) as u8 & 0xbf).collect();
            let integers = matches!(fetch.number, Number::Uint | Number::Sint);
            let ty = if integers { "i32x4" } else { "f32x4" };
            let found = copied(fetch, ty, &bytes, stride, offset, skew);
            for (n, found) in found.into_iter().enumerate() {
                let at = (n as u32 * stride + offset) as usize;
                let inside = at + size as usize <= bytes.len();
                let mut want = if inside { expected(fetch, &bytes, at) } else { expected(fetch, &[0; 16], 0) };
                let signed = fetch.number == Number::Sint;
                let found = found.map(|bits| match (integers, signed) {
                    (true, true) => f64::from(bits as i32),
                    (true, false) => f64::from(bits),
                    _ => f64::from(f32::from_bits(bits)),
                });
                // Half a unit of what a float of this size has.
                for (found, want) in found.into_iter().zip(&mut want) {
                    let near = (found - *want).abs() <= want.abs() * f64::from(f32::EPSILON);
                    assert!(near || found == *want, "format {format} skew {skew} element {n}: {found} is not {want}");
                }
            }
        }
    }
    // Of 113 numbers, less those of sRGB: six of 8 bits and two of 10.
    assert_eq!(known, 9 * 6 - 2 * 6 + 2 * 6 + 4 * 7 + 4 * 3 + 4 * 3);
}

#[test]
fn the_greatest_normalised_number_is_one() {
    let full = [0xffu8; 16];
    for (count, bits) in [(4, 8), (4, 16)] {
        let found = copied(Fetch::new(Number::Unorm, count, bits), "f32x4", &full, 0, 0, 0);
        assert_eq!(found[0].map(f32::from_bits), [1.0; 4]);
    }
    let packed = Fetch { number: Number::Unorm, layout: Layout::Packed1010102, bgra: false };
    assert_eq!(copied(packed, "f32x4", &full, 0, 0, 0)[0].map(f32::from_bits), [1.0; 4]);
    for (bits, most) in [(8, 0x7fu16 | 0x7f00), (16, 0x7fff)] {
        let bytes: Vec<u8> = std::iter::repeat_n(most.to_le_bytes(), 4).flatten().collect();
        let found = copied(Fetch::new(Number::Snorm, 4, bits), "f32x4", &bytes, 0, 0, 0);
        assert_eq!(found[0].map(f32::from_bits), [1.0; 4]);
    }
}

/// Elements so far behind that 32 bits would lead back to the first.
#[test]
fn offsets_do_not_wrap() {
    let found = copied(Fetch::new(Number::Uint, 4, 32), "i32x4", &[7; 16], 1 << 31, 0, 0);
    assert_eq!(found, [[0x0707_0707; 4], [0; 4], [0; 4]]);
    let found = copied(Fetch::new(Number::Uint, 4, 32), "i32x4", &[7; 16], u32::MAX, 1, 0);
    assert_eq!(found, [[0; 4]; 3]);
}

#[test]
fn doubles_are_pairs_and_take_two_locations() {
    let bytes: Vec<u8> = (0..64).collect();
    let word = |at: u8| u32::from_le_bytes([at, at + 1, at + 2, at + 3]);
    let pair = copied(Fetch::new(Number::Float, 1, 64), "i32x2", &bytes, 24, 8, 0);
    assert_eq!(pair[1][..2], [word(32), word(36)]);
    let two = copied(Fetch::new(Number::Uint, 2, 64), "b32x4", &bytes, 16, 0, 4);
    assert_eq!(two[2], [word(32), word(36), word(40), word(44)]);
    // Three in two locations: the second part is what location 2 reads here, if the attribute is at 1.
    let wide = Fetch::new(Number::Float, 3, 64);
    assert_eq!((wide.bytes(), wide.locations(), Fetch::from_vulkan(118)), (24, 2, Some(wide)));
}

#[test]
fn formats_have_vulkans_numbers() {
    use Number::{Float, Snorm, Sscaled, Uint, Unorm};
    let bgra = Fetch { bgra: true, ..Fetch::new(Unorm, 4, 8) };
    let packed = |number| Fetch { number, layout: Layout::Packed1010102, bgra: false };
    for (format, fetch) in [
        (9, Fetch::new(Unorm, 1, 8)),
        (44, bgra),
        (51, Fetch::new(Unorm, 4, 8)),
        (58, Fetch { bgra: true, ..packed(Unorm) }),
        (65, packed(Snorm)),
        (76, Fetch::new(Float, 1, 16)),
        (80, Fetch::new(Sscaled, 2, 16)),
        (97, Fetch::new(Float, 4, 16)),
        (98, Fetch::new(Uint, 1, 32)),
        (106, Fetch::new(Float, 3, 32)),
        (109, Fetch::new(Float, 4, 32)),
        (121, Fetch::new(Float, 4, 64)),
    ] {
        assert_eq!(Fetch::from_vulkan(format), Some(fetch), "{format}");
    }
    assert_eq!([0, 8, 15, 43, 122].map(Fetch::from_vulkan), [None; 5]);
}
