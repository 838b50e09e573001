//! What samplers say about levels, borders and slanted views, each by a picture.

use crate::common::*;
use afterimage_stream::packets::*;
use afterimage_stream::{Format, ObjectId};

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
