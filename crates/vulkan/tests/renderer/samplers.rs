//! What samplers say about levels, borders and slanted views, each by a picture.

use crate::common::*;
use afterimage_stream::packets::*;
use afterimage_stream::{DeviceFeatures, Format, ObjectId};
use afterimage_vulkan::Without;

/// One colour per level of an 8 x 8 texture.
const LEVELS: [[u8; 4]; 4] = [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255], [255, 255, 255, 255]];

/// A guest that shows the texture over a target as large as its first level, so that level 0 fits exactly.
fn levels() -> (Guest, ObjectId) {
    let mut guest = Guest::new();
    guest.target(Format::R8G8B8A8_UNORM, 8, 8);
    guest.shaders(VERTEX, TEXTURE);
    guest.layout();
    let texture = guest.texture(Format::R8G8B8A8_UNORM, 8, 8, 4, 0);
    for (level, color) in LEVELS.iter().enumerate() {
        let edge = 8 >> level;
        guest.update_texture(texture, level as u16, 0, [edge, edge], 4 * edge, &color.repeat((edge * edge) as usize));
    }
    (guest, texture)
}

fn shown(guest: &mut Guest, texture: ObjectId, sampler: CreateSampler) -> [u8; 4] {
    let sampler = guest.sampler(sampler);
    guest.bind_texture(0, texture, sampler);
    guest.draw_now(&full(0.5, RED));
    guest.pixels().at(4, 4)
}

#[test]
fn levels_are_chosen_within_both_limits_and_by_bias() {
    if !HAS.sampler_options {
        return;
    }
    let (mut guest, texture) = levels();
    let plain = sampling(Filter::Nearest);
    let mut level = |sampler| {
        let color = shown(&mut guest, texture, sampler);
        LEVELS.iter().position(|&other| other == color).unwrap_or_else(|| panic!("{color:?}"))
    };
    assert_eq!(level(plain), 0);
    assert_eq!(level(CreateSampler { lod_bias: 2.0, ..plain }), 2);
    assert_eq!(level(CreateSampler { lod_bias: 2.0, max_lod: 1.0, ..plain }), 1);
    assert_eq!(level(CreateSampler { lod_bias: 9.0, ..plain }), 3, "there are no more");
    assert_eq!(level(CreateSampler { min_lod: 1.0, ..plain }), 1);
    assert_eq!(level(CreateSampler { min_lod: 3.0, max_lod: 1.0, ..plain }), 3, "the smaller limit counts");
    assert_eq!(level(CreateSampler { lod_bias: 3.0, max_lod: 0.0, ..plain }), 0);
    assert_eq!(level(CreateSampler { lod_bias: 2.0, mipmapped: 0, ..plain }), 0, "no levels at all");
    let between = shown(&mut guest, texture, CreateSampler { lod_bias: 0.5, ..sampling(Filter::Linear) });
    assert!(between[0].abs_diff(128) <= 4 && between[1].abs_diff(128) <= 4, "{between:?}: half of two levels");
    guest.finish();
}

#[test]
fn a_border_has_any_color() {
    if !HAS.sampler_options {
        return;
    }
    let mut guest = Guest::new();
    guest.target(Format::R8G8B8A8_UNORM, 8, 8);
    guest.shaders(VERTEX, TEXTURE);
    guest.layout();
    let texture = guest.texture(Format::R8G8B8A8_UNORM, 1, 1, 1, 0);
    guest.update_texture(texture, 0, 0, [1, 1], 4, &rgba(GREEN));
    let address = [Address::ClampToBorder as u8; 3];
    let border = [0.2, 0.4, 0.6, 0.8];
    let sampler = guest.sampler(CreateSampler { address, border, ..sampling(Filter::Nearest) });
    guest.bind_texture(0, texture, sampler);
    let mut vertices = full(0.5, RED);
    vertices.iter_mut().for_each(|v| v.texcoord = v.texcoord.map(|at| at * 2.0));
    guest.draw_now(&vertices);
    let pixels = guest.pixels();
    assert_eq!(
        (pixels.at(3, 3), pixels.at(4, 3), pixels.at(7, 7)),
        (rgba(GREEN), [51, 102, 153, 204], [51, 102, 153, 204])
    );
    guest.finish();
}

#[test]
fn anisotropy_keeps_what_lies_across_the_slope() {
    let mut guest = Guest::new();
    guest.target(Format::R8G8B8A8_UNORM, 16, 16);
    guest.shaders(VERTEX, TEXTURE);
    guest.layout();
    // Stripes along v, which the levels lose; 8 texels of v per pixel, one of u.
    let texture = guest.texture(Format::R8G8B8A8_UNORM, 128, 128, 8, 0);
    let row: Vec<u8> = (0..128).flat_map(|x| if x % 8 < 4 { rgba(RED) } else { rgba(GREEN) }).collect();
    guest.update_texture(texture, 0, 0, [128, 128], 512, &row.repeat(128));
    guest.encoder.push(&GenerateMips { id: texture, filter: Filter::Linear as u32 });
    let mut contrast = |max_anisotropy| {
        let sampler = guest.sampler(CreateSampler { max_anisotropy, ..sampling(Filter::Linear) });
        guest.bind_texture(0, texture, sampler);
        let mut vertices = full(0.5, RED);
        vertices.iter_mut().for_each(|v| v.texcoord[0] *= 0.125);
        guest.draw_now(&vertices);
        let pixels = guest.pixels();
        let reds = (0..16).map(|x| pixels.at(x, 8)[0]);
        reds.clone().max().unwrap() - reds.min().unwrap()
    };
    let (without, with) = (contrast(1.0), contrast(16.0));
    assert!(without < 64 && with > 192, "{without} {with}");
    guest.finish();
}

/// A lookup that compares with the first constant.
const COMPARED: &str = r#"pixel "compared" {
  input in0 : f32x4 location 2 smooth
  output out0 : f32x4 location 0
  bank c0 "c" stage 3 [224]
  texture t0 slot 0 2d shadow
  v0: f32x4 = load_input in0
  v1: f32x2 = swizzle v0.xy
  v2: f32x4 = load_const c0[0]
  v3: f32 = swizzle v2.x
  v4: f32x4 = sample t0, v1, v3
  v5: f32 = swizzle v4.x
  v6: f32x4 = swizzle v5.xxxx
  store_output out0, v6
  return
}"#;

/// Zero is compared as the sampler says; where there is none either, what is no greater holds.
#[test]
fn comparisons_without_a_texture_are_with_zero() {
    for without in [Without::default(), Without { bindless: true, ..Without::default() }] {
        let mut guest = Guest::with(without);
        guest.target(Format::R8G8B8A8_UNORM, 8, 8);
        guest.shaders(VERTEX, COMPARED);
        guest.layout();
        for compare in Compare::ALL.iter().copied().map(Some).chain([None]) {
            let sampler = compare.map_or(ObjectId::NONE, |compare| {
                let desc = CreateSampler { compare_enable: 1, compare: compare as u8, ..sampling(Filter::Nearest) };
                guest.sampler(desc)
            });
            guest.bind_texture(0, ObjectId::NONE, sampler);
            for reference in [0.0f32, 0.25, 1.0] {
                guest.clear(Clear::COLOR, [0.5; 4], 1.0, 0);
                guest.pixel_constant(0, [reference, 0.0, 0.0, 0.0]);
                guest.draw_now(&full(0.5, RED));
                let holds = match compare.unwrap_or(Compare::LessEqual) {
                    Compare::Never => false,
                    Compare::Less => reference < 0.0,
                    Compare::Equal => reference == 0.0,
                    Compare::LessEqual => reference <= 0.0,
                    Compare::Greater => reference > 0.0,
                    Compare::NotEqual => reference != 0.0,
                    Compare::GreaterEqual => reference >= 0.0,
                    Compare::Always => true,
                };
                let found = guest.pixels().at(3, 3);
                assert_eq!(found, [255 * u8::from(holds); 4], "{compare:?} of {reference}, {without:?}");
            }
        }
        guest.finish();
    }
}

#[test]
fn a_border_is_compared_with() {
    if !HAS.sampler_options {
        return;
    }
    const TEXEL: f32 = 0.6;
    const BORDER: f32 = 0.25;
    let mut guest = Guest::new();
    guest.target(Format::R8G8B8A8_UNORM, 8, 8);
    guest.shaders(VERTEX, COMPARED);
    guest.layout();
    let texture = guest.texture(Format::D16_UNORM, 1, 1, 1, CreateTexture::TARGET);
    guest.update_texture(texture, 0, 0, [1, 1], 2, &((TEXEL * 65535.0) as u16).to_le_bytes());
    let mut vertices = full(0.5, RED);
    vertices.iter_mut().for_each(|v| v.texcoord = v.texcoord.map(|at| at * 2.0));
    for compare in
        [Compare::Never, Compare::Less, Compare::LessEqual, Compare::Greater, Compare::GreaterEqual, Compare::Always]
    {
        let holds = |reference: f32, texel: f32| match compare {
            Compare::Never => false,
            Compare::Less | Compare::LessEqual => reference < texel,
            Compare::Greater | Compare::GreaterEqual => reference > texel,
            _ => true,
        };
        for filter in [Filter::Nearest, Filter::Linear] {
            let sampler = guest.sampler(CreateSampler {
                address: [Address::ClampToBorder as u8; 3],
                border: [BORDER, 0.9, 0.9, 0.9],
                compare_enable: 1,
                compare: compare as u8,
                ..sampling(filter)
            });
            guest.bind_texture(0, texture, sampler);
            for reference in [0.05, 0.4, 0.9, 1.0] {
                guest.pixel_constant(0, [reference, 0.0, 0.0, 0.0]);
                guest.draw_now(&vertices);
                let pixels = guest.pixels();
                for (x, y) in [(3, 3), (1, 2), (4, 3), (5, 4), (7, 7)] {
                    // How much of the texel is in the lookup.
                    let along = |at: u32| {
                        let at = (at as f32 + 0.5) / 4.0;
                        if filter == Filter::Linear {
                            (1.0 - (at - 0.5).abs()).max(0.0)
                        } else {
                            f32::from(u8::from(at < 1.0))
                        }
                    };
                    let part = along(x) * along(y);
                    let [inside, outside] = [TEXEL, BORDER].map(|texel| f32::from(u8::from(holds(reference, texel))));
                    let wanted = 255.0 * (part * inside + (1.0 - part) * outside);
                    let found = f32::from(pixels.at(x, y)[0]);
                    assert!(
                        (found - wanted).abs() < 4.0,
                        "{compare:?}, {filter:?}, {reference} at {x}, {y}: {found}, not {wanted}"
                    );
                }
            }
        }
    }
    guest.finish();
}

#[test]
fn a_filter_takes_the_least_or_the_greatest_texel() {
    let mut guest = Guest::new();
    if guest.renderer.device_info().features & DeviceFeatures::MINIMUM_FILTER == 0 {
        return;
    }
    // Four texels and one, over a target of four times as many pixels, and levels chosen by a bias.
    guest.target(Format::R8G8B8A8_UNORM, 8, 8);
    guest.shaders(VERTEX, TEXTURE);
    guest.layout();
    let texture = guest.texture(Format::R8G8B8A8_UNORM, 2, 2, 2, 0);
    let texels = [[10u8, 200, 30, 255], [60, 100, 90, 128], [40, 150, 70, 200], [90, 50, 20, 64]];
    let small = [5, 120, 250, 100];
    guest.update_texture(texture, 0, 0, [2, 2], 8, texels.as_flattened());
    guest.update_texture(texture, 1, 0, [1, 1], 4, &small);
    for (flags, pick) in [(CreateSampler::MINIMUM, u8::min as fn(u8, u8) -> u8), (CreateSampler::MAXIMUM, u8::max)] {
        let of = |all: &[[u8; 4]]| -> [u8; 4] {
            std::array::from_fn(|lane| all.iter().map(|texel| texel[lane]).reduce(pick).unwrap())
        };
        let plain = CreateSampler { flags, address: [Address::ClampToEdge as u8; 3], ..sampling(Filter::Linear) };
        let mut drawn = |sampler| {
            let sampler = guest.sampler(sampler);
            guest.bind_texture(0, texture, sampler);
            guest.draw_now(&full(0.5, RED));
            guest.pixels()
        };
        // One level: a corner, along an edge, all of them.
        let pixels = drawn(CreateSampler { mipmapped: 0, ..plain });
        assert_eq!(pixels.at(0, 0), texels[0]);
        assert_eq!(pixels.at(3, 0), of(&texels[..2]));
        assert_eq!(pixels.at(0, 4), of(&[texels[0], texels[2]]));
        assert_eq!(pixels.at(4, 3), of(&texels));
        // The nearest texels of both levels.
        let nearest = CreateSampler { min: Filter::Nearest as u8, mag: Filter::Nearest as u8, ..plain };
        // Of the level of detail -2 this makes 1/2.
        let pixels = drawn(CreateSampler { lod_bias: 2.5, ..nearest });
        assert_eq!(pixels.at(3, 0), of(&[texels[0], small]));
        assert_eq!(pixels.at(4, 7), of(&[texels[3], small]));
        // And all of all.
        let pixels = drawn(CreateSampler { lod_bias: 2.5, ..plain });
        assert_eq!(pixels.at(4, 3), of(&[&texels[..], &[small]].concat()));
    }
    guest.finish();
}
