//! Formats: bytes to words and back.

use afterimage_metal_calls::PixelFormat;
use proptest::prelude::*;

use crate::bc;
use crate::texel::{Kind, Rounding, decode, encode, fields, set_stencil, stencil};

fn floats(words: [u32; 4]) -> [f32; 4] {
    words.map(f32::from_bits)
}

fn encoded(format: PixelFormat, words: [f32; 4], rounding: Rounding) -> Vec<u8> {
    let mut bytes = vec![0; format.bytes() as usize];
    encode(format, words.map(f32::to_bits), rounding, &mut bytes);
    bytes
}

proptest! {
    #[test]
    fn what_was_decoded_encodes_to_the_same(bytes in proptest::array::uniform16(0u8..)) {
        for format in PixelFormat::ALL.iter().copied().filter(|f| fields(*f).0 != Kind::Block) {
            let count = format.bytes() as usize;
            let words = decode(format, &bytes[..count]);
            let is_float = !matches!(fields(format).0, Kind::Uint | Kind::Sint);
            prop_assume!(!is_float || !words.iter().any(|w| f32::from_bits(*w).is_nan()));
            for rounding in [Rounding::Even, Rounding::Up] {
                let mut again = bytes;
                encode(format, words, rounding, &mut again[..count]);
                // There may be two numbers for one: the least of signed ones, and shared exponents.
                prop_assert_eq!(decode(format, &again[..count]), words, "{}", format.name());
                if matches!(fields(format).0, Kind::Unorm | Kind::Uint | Kind::Sint | Kind::Srgb) {
                    prop_assert_eq!(&again, &bytes, "{}", format.name());
                }
            }
        }
    }

    #[test]
    fn small_floats_are_the_nearest(value in 1e-6f32..60000.0) {
        for (format, most) in [(PixelFormat::RG11B10Float, 65024.0f64), (PixelFormat::RGB9E5Float, 65408.0)] {
            let [r, g, b, _] = floats(decode(format, &encoded(format, [value; 4], Rounding::Even)));
            let (bits, least) = if format == PixelFormat::RGB9E5Float { ([8; 3], -16.0) } else { ([6, 6, 5], -14.0) };
            for (got, bits) in [r, g, b].into_iter().zip(bits) {
                let step = f64::from(value.log2().floor().max(least) - bits as f32).exp2();
                let far = (f64::from(got) - f64::from(value)).abs();
                prop_assert!(far <= step * 0.5001 || f64::from(value) > most * 0.98, "{}: {value} {got}", format.name());
            }
        }
    }
}

#[test]
fn bits_are_where_metal_has_them() {
    let rows: &[(PixelFormat, [f32; 4], &[u8])] = &[
        (PixelFormat::B5G6R5Unorm, [1.0, 0.0, 0.0, 1.0], &[0x00, 0xf8]),
        (PixelFormat::B5G6R5Unorm, [0.0, 0.0, 1.0, 1.0], &[0x1f, 0x00]),
        (PixelFormat::BGR5A1Unorm, [1.0, 0.0, 0.0, 0.0], &[0x00, 0x7c]),
        (PixelFormat::BGR5A1Unorm, [0.0, 0.0, 0.0, 1.0], &[0x00, 0x80]),
        (PixelFormat::A1BGR5Unorm, [1.0, 0.0, 0.0, 0.0], &[0x00, 0xf8]),
        (PixelFormat::A1BGR5Unorm, [0.0, 0.0, 1.0, 1.0], &[0x3f, 0x00]),
        (PixelFormat::ABGR4Unorm, [1.0, 0.0, 0.0, 0.0], &[0x00, 0xf0]),
        (PixelFormat::BGRA8Unorm, [1.0, 0.5, 0.0, 0.25], &[0, 128, 255, 64]),
        (PixelFormat::RGB10A2Unorm, [1.0, 0.0, 0.0, 0.0], &[0xff, 0x03, 0, 0]),
        (PixelFormat::BGR10A2Unorm, [1.0, 0.0, 0.0, 1.0], &[0, 0, 0xf0, 0xff]),
        (PixelFormat::A8Unorm, [0.0, 0.0, 0.0, 1.0], &[255]),
        (PixelFormat::RG11B10Float, [1.0, 0.0, 0.0, 1.0], &[0xc0, 0x03, 0, 0]),
        (PixelFormat::R16Float, [1.0, 0.0, 0.0, 1.0], &[0, 0x3c]),
        (PixelFormat::R8Snorm, [-1.0, 0.0, 0.0, 1.0], &[0x81]),
    ];
    for (format, words, bytes) in rows {
        assert_eq!(encoded(*format, *words, Rounding::Even), *bytes, "{} {words:?}", format.name());
    }
}

#[test]
fn halves_of_a_step_go_up_or_to_the_even_one() {
    let half = [0.0, 0.0, 0.0, 0.5];
    assert_eq!(encoded(PixelFormat::A1BGR5Unorm, half, Rounding::Up), [1, 0]);
    assert_eq!(encoded(PixelFormat::A1BGR5Unorm, half, Rounding::Even), [0, 0]);
}

#[test]
fn srgb_is_decoded_and_encoded() {
    let bytes = encoded(PixelFormat::RGBA8Unorm_sRGB, [0.5, 0.0, 1.0, 0.5], Rounding::Up);
    assert_eq!(bytes, [188, 0, 255, 128]);
    let words = floats(decode(PixelFormat::RGBA8Unorm_sRGB, &[188, 10, 255, 128]));
    assert!((words[0] - 0.502_886_5).abs() < 1e-6 && (words[1] - 0.003_035_27).abs() < 1e-7, "{words:?}");
}

#[test]
fn depth_and_stencil_keep_out_of_each_others_bits() {
    for format in [PixelFormat::Depth24Unorm_Stencil8, PixelFormat::Depth32Float_Stencil8] {
        let mut bytes = vec![0; format.bytes() as usize];
        set_stencil(format, &mut bytes, 0xa5);
        encode(format, [0.5f32.to_bits(); 4], Rounding::Up, &mut bytes);
        assert_eq!(stencil(format, &bytes), 0xa5);
        assert!((floats(decode(format, &bytes))[0] - 0.5).abs() < 1e-6);
    }
}

#[test]
fn blocks_of_colours() {
    // Red and blue: ends, thirds; in the other order the middle, and nothing.
    let block = |a: u16, b: u16| {
        let [a, b] = [a.to_le_bytes(), b.to_le_bytes()];
        [a[0], a[1], b[0], b[1], 0b11_10_01_00, 0, 0, 0]
    };
    let texel = |block: &[u8], x| floats(bc::decode(PixelFormat::BC1_RGBA, block, x, 0));
    let four = block(0xf800, 0x001f);
    assert_eq!(texel(&four, 0), [1.0, 0.0, 0.0, 1.0]);
    assert_eq!(texel(&four, 1), [0.0, 0.0, 1.0, 1.0]);
    assert!((texel(&four, 2)[0] - 2.0 / 3.0).abs() < 1e-6);
    let three = block(0x001f, 0xf800);
    assert_eq!(texel(&three, 2), [0.5, 0.0, 0.5, 1.0]);
    assert_eq!(texel(&three, 3), [0.0; 4]);
    // Alpha of BC3 and of BC2, and the fixed ends of BC4.
    let mut bc3 = [0; 16];
    bc3[..3].copy_from_slice(&[255, 0, 0b10_001_000]);
    assert_eq!(floats(bc::decode(PixelFormat::BC3_RGBA, &bc3, 0, 0))[3], 1.0);
    assert_eq!(floats(bc::decode(PixelFormat::BC3_RGBA, &bc3, 1, 0))[3], 0.0);
    assert!((floats(bc::decode(PixelFormat::BC3_RGBA, &bc3, 2, 0))[3] - 6.0 / 7.0).abs() < 1e-6);
    let mut bc2 = [0; 16];
    bc2[0] = 0xf3;
    assert_eq!(floats(bc::decode(PixelFormat::BC2_RGBA, &bc2, 0, 0))[3], 0.2);
    assert_eq!(floats(bc::decode(PixelFormat::BC2_RGBA, &bc2, 1, 0))[3], 1.0);
    let mut bc4 = [0, 255, 0b10_111_110, 0, 0, 0, 0, 0];
    bc4[2] = 0b00_111_110;
    assert_eq!(floats(bc::decode(PixelFormat::BC4_RUnorm, &bc4, 0, 0))[0], 0.0);
    assert_eq!(floats(bc::decode(PixelFormat::BC4_RUnorm, &bc4, 1, 0))[0], 1.0);
}
