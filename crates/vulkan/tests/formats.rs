//! Targets of the formats that older consoles have: what is drawn and blended reads back as the guest's words.

mod common;

use afterimage_stream::packets::*;
use afterimage_stream::{Format, FormatFeatures};
use common::*;

/// A colour as one texel of the format, nearest.
fn texel(format: Format, color: [f32; 4]) -> Vec<u8> {
    let bits = |value: f32, bits: u32| (value * ((1u32 << bits) - 1) as f32).round() as u32;
    let [r, g, b, a] = color;
    match format {
        Format::R5G6B5_UNORM => ((bits(r, 5) << 11 | bits(g, 6) << 5 | bits(b, 5)) as u16).to_le_bytes().to_vec(),
        Format::B5G6R5_UNORM => ((bits(b, 5) << 11 | bits(g, 6) << 5 | bits(r, 5)) as u16).to_le_bytes().to_vec(),
        Format::A1R5G5B5_UNORM => {
            ((bits(a, 1) << 15 | bits(r, 5) << 10 | bits(g, 5) << 5 | bits(b, 5)) as u16).to_le_bytes().to_vec()
        }
        Format::R8_UNORM => vec![bits(r, 8) as u8],
        Format::R8G8_UNORM => vec![bits(r, 8) as u8, bits(g, 8) as u8],
        Format::B8G8R8A8_UNORM => [b, g, r, a].map(|value| bits(value, 8) as u8).to_vec(),
        other => panic!("{other:?}"),
    }
}

const FORMATS: [Format; 6] = [
    Format::R5G6B5_UNORM,
    Format::B5G6R5_UNORM,
    Format::A1R5G5B5_UNORM,
    Format::R8_UNORM,
    Format::R8G8_UNORM,
    Format::B8G8R8A8_UNORM,
];

#[test]
fn small_targets_are_drawn_blended_and_read_back() {
    for format in FORMATS {
        let mut guest = Guest::new();
        let features = guest.renderer.device_info().features(format);
        let target = FormatFeatures::TARGET | FormatFeatures::BLEND;
        assert_eq!(features & FormatFeatures::SAMPLED, FormatFeatures::SAMPLED, "{format:?}");
        if features & target != target {
            // NVIDIA's devices draw to only one of the two orders of 5-6-5, which is that of consoles.
            assert_eq!(format, Format::B5G6R5_UNORM, "cannot be a target on this device");
            continue;
        }
        let id = guest.texture(format, 4, 4, 1, CreateTexture::TARGET);
        guest.bind(id, afterimage_stream::ObjectId::NONE);
        guest.viewport(4, 4);
        guest.shaders(VERTEX, COLOR);
        guest.layout();
        // Values that every format here has exactly.
        guest.clear(Clear::COLOR, [0.0, 1.0, 0.0, 0.0], 1.0, 0);
        assert_eq!(guest.read(id, format, 0, 0, [4, 4]), texel(format, [0.0, 1.0, 0.0, 0.0]).repeat(16), "{format:?}");
        guest.draw_now(&full(0.5, [1.0, 0.0, 1.0, 1.0]));
        let drawn = texel(format, [1.0, 0.0, 1.0, 1.0]);
        assert_eq!(guest.read(id, format, 0, 0, [4, 4]), drawn.repeat(16), "{format:?}");
        let (one, add) = (BlendFactor::One as u8, BlendOp::Add as u8);
        let factors = SetBlend { src_color: one, dst_color: one, color_op: add, src_alpha: one, ..SetBlend::default() };
        guest.encoder.push(&SetBlend { enable: 1, write_masks: [15; 8], ..factors });
        guest.draw_now(&full(0.5, [0.0, 1.0, 0.0, 1.0]));
        assert_eq!(guest.read(id, format, 0, 0, [4, 4]), texel(format, [1.0; 4]).repeat(16), "{format:?}");
        guest.finish();
    }
}

#[test]
fn words_of_the_guest_survive_a_round_trip_and_are_sampled_in_order() {
    for format in [Format::R5G6B5_UNORM, Format::A1R5G5B5_UNORM] {
        let mut guest = Guest::new();
        guest.target(Format::R8G8B8A8_UNORM, 1, 1);
        guest.shaders(VERTEX, TEXTURE);
        guest.layout();
        let words: Vec<u8> = (0..=u16::MAX).flat_map(u16::to_le_bytes).collect();
        let id = guest.texture(format, 256, 256, 1, CreateTexture::TARGET);
        guest.update_texture(id, 0, 0, [256, 256], 512, &words);
        assert_eq!(guest.read(id, format, 0, 0, [256, 256]), words);
        let sampler = guest.sampler(sampling(Filter::Nearest));
        for color in [[1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 1.0], [0.0, 0.0, 1.0, 1.0]] {
            let one = guest.texture(format, 1, 1, 1, 0);
            let mut bytes = texel(format, color);
            bytes.resize(4, 0);
            guest.update_texture(one, 0, 0, [1, 1], 4, &bytes);
            guest.bind_texture(0, one, sampler);
            guest.draw_now(&full(0.5, RED));
            assert_eq!(guest.pixels().at(0, 0), rgba(color), "{format:?}");
        }
        guest.finish();
    }
}
