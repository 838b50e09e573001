//! Targets of the formats that older consoles have: what is drawn and blended reads back as the guest's words.

use crate::common::*;
use afterimage_stream::packets::*;
use afterimage_stream::{Format, FormatFeatures, ObjectId, Reply};

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
        Format::R5G5B5A1_UNORM => {
            ((bits(r, 5) << 11 | bits(g, 5) << 6 | bits(b, 5) << 1 | bits(a, 1)) as u16).to_le_bytes().to_vec()
        }
        Format::A4R4G4B4_UNORM => {
            ((bits(a, 4) << 12 | bits(r, 4) << 8 | bits(g, 4) << 4 | bits(b, 4)) as u16).to_le_bytes().to_vec()
        }
        Format::R4G4B4A4_UNORM => {
            ((bits(r, 4) << 12 | bits(g, 4) << 8 | bits(b, 4) << 4 | bits(a, 4)) as u16).to_le_bytes().to_vec()
        }
        Format::R8_UNORM => vec![bits(r, 8) as u8],
        Format::R8G8_UNORM => vec![bits(r, 8) as u8, bits(g, 8) as u8],
        Format::B8G8R8A8_UNORM => [b, g, r, a].map(|value| bits(value, 8) as u8).to_vec(),
        other => panic!("{other:?}"),
    }
}

const FORMATS: [Format; 9] = [
    Format::R5G6B5_UNORM,
    Format::B5G6R5_UNORM,
    Format::A1R5G5B5_UNORM,
    Format::R5G5B5A1_UNORM,
    Format::A4R4G4B4_UNORM,
    Format::R4G4B4A4_UNORM,
    Format::R8_UNORM,
    Format::R8G8_UNORM,
    Format::B8G8R8A8_UNORM,
];

#[test]
fn small_targets_are_drawn_blended_and_read_back() {
    for format in FORMATS {
        let mut guest = Guest::new();
        let features = guest.renderer.device_info().features(format);
        let target = FormatFeatures::TARGET | FormatFeatures::BLEND | FormatFeatures::SAMPLED;
        if features & target != target {
            // NVIDIA's devices draw to only one of the two orders of 5-6-5, which is that of consoles; few draw to all of the others.
            const RARE: [Format; 4] =
                [Format::B5G6R5_UNORM, Format::R5G5B5A1_UNORM, Format::A4R4G4B4_UNORM, Format::R4G4B4A4_UNORM];
            assert!(RARE.contains(&format), "{format:?} cannot be a target on this device");
            continue;
        }
        let id = guest.texture(format, 4, 4, 1, CreateTexture::TARGET);
        guest.bind(id, ObjectId::NONE);
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
        guest.encoder.push_tail(&SetBlend { enable: 1, write_masks: [15; 8], ..factors }, &[]);
        guest.draw_now(&full(0.5, [0.0, 1.0, 0.0, 1.0]));
        assert_eq!(guest.read(id, format, 0, 0, [4, 4]), texel(format, [1.0; 4]).repeat(16), "{format:?}");
        guest.finish();
    }
}

#[test]
fn words_of_the_guest_survive_a_round_trip_and_are_sampled_in_order() {
    let words_of_16_bits =
        FORMATS.into_iter().filter(|format| format.info().bytes == 2 && *format != Format::R8G8_UNORM);
    for (format, usage) in words_of_16_bits.flat_map(|format| [(format, CreateTexture::TARGET), (format, 0)]) {
        let mut guest = Guest::new();
        let features = guest.renderer.device_info().features(format);
        let needed = if usage == 0 { FormatFeatures::SAMPLED } else { FormatFeatures::TARGET };
        if features & needed == 0 {
            continue;
        }
        guest.target(Format::R8G8B8A8_UNORM, 1, 1);
        guest.shaders(VERTEX, TEXTURE);
        guest.layout();
        let words: Vec<u8> = (0..=u16::MAX).flat_map(u16::to_le_bytes).collect();
        let id = guest.texture(format, 256, 256, 1, usage);
        guest.update_texture(id, 0, 0, [256, 256], 512, &words);
        assert_eq!(guest.read(id, format, 0, 0, [256, 256]), words);
        let sampler = guest.sampler(sampling(Filter::Nearest));
        for color in [[1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 1.0], [0.0, 0.0, 1.0, 1.0]] {
            let one = guest.texture(format, 1, 1, 1, usage);
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

/// Textures of every format that the device has, with this many samples and layers.
fn textures(guest: &mut Guest, samples: u8, levels: u32) -> Vec<(Format, ObjectId)> {
    let mut textures = Vec::new();
    for &format in Format::ALL {
        let usage = if samples > 1 { CreateTexture::TARGET } else { 0 };
        let plain = plain(format, 8, 8, levels);
        let id = guest.texture_with(CreateTexture { usage, samples, layers: 2, ..plain });
        guest.try_run().unwrap();
        if guest.replies.drain(..).all(|reply| !matches!(reply, Reply::Error { .. })) {
            textures.push((format, id));
        }
    }
    textures
}

#[test]
fn every_pair_of_formats_is_blitted_or_refused() {
    let mut guest = Guest::new();
    let plain = textures(&mut guest, 1, 2);
    let sampled = textures(&mut guest, 4, 1);
    assert!(plain.len() > 40 && sampled.len() > 20, "{} and {} formats", plain.len(), sampled.len());
    let whole = Rect { x: 0, y: 0, width: 8, height: 8 };
    let part = Rect { x: 0, y: 0, width: 4, height: 4 };
    let view = |texture, layer| View { texture, level: 0, layer };
    let mut done = 0;
    for (index, (from, src)) in plain.iter().chain(&sampled).enumerate() {
        let alike = |to: Format| from.is_integer() == to.is_integer() && from.is_depth() == to.is_depth();
        for wanted in [true, false] {
            let mut blits = 0;
            // lavapipe compiles a shader for each pair that it blits: of those every sixteenth, all formats among them.
            let tried = |at: usize| !wanted || (at + index).is_multiple_of(16);
            for (_, (_, dst)) in plain.iter().enumerate().filter(|(at, (to, _))| alike(*to) == wanted && tried(*at)) {
                // Of one size, and of another; from the second layer.
                for dst_rect in [whole, part] {
                    let (src, dst, filter) = (view(*src, 1), view(*dst, 0), Filter::Linear as u32);
                    guest.encoder.push(&Blit { src, dst, src_rect: whole, dst_rect, filter, pad: 0 });
                    blits += 1;
                }
            }
            guest.try_run().unwrap();
            let refused = guest.replies.drain(..).filter(|reply| matches!(reply, Reply::Error { .. })).count();
            assert!(wanted || refused == blits, "{from:?}: {refused} of {blits}");
            done += blits - refused;
        }
    }
    assert!(done > 100, "{done} blits were done");
    guest.finish();
}

#[test]
fn every_format_makes_its_levels_and_is_shown_or_refused() {
    let mut guest = Guest::new();
    for (_, id) in textures(&mut guest, 1, 2).into_iter().chain(textures(&mut guest, 4, 1)) {
        guest.encoder.push(&GenerateMips { id, filter: Filter::Linear as u32 });
        guest.present(id);
        guest.try_run().unwrap();
    }
    guest.finish();
}
