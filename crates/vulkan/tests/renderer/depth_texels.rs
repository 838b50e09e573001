//! Depth and stencil between the guest's integers and the device: no bit may change on the way.

use crate::common::*;
use afterimage_stream::packets::*;
use afterimage_stream::{Format, ObjectId, ObjectKind};
use bytemuck::Zeroable;

const MAX_24: u32 = 0xff_ffff;

/// Integers of `bits` bits: the edges, powers of two and their neighbours, and a spread.
fn integers(bits: u32, count: usize) -> Vec<u32> {
    let max = (1u64 << bits) as u32 - 1;
    let powers = (0..bits).flat_map(|bit| [(1u32 << bit) - 1, 1 << bit, (1 << bit) + 1]);
    let mut all: Vec<u32> = powers.chain([max / 2, max - 2, max - 1, max]).map(|value| value & max).collect();
    let mut value = 12_345u32;
    while all.len() < count {
        value = value.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        all.push(value >> (32 - bits));
    }
    all.truncate(count);
    all
}

#[test]
fn texels_come_back_as_they_went() {
    let words = integers(24, 1024).into_iter().enumerate().map(|(n, depth)| depth | (n as u32 & 0xff) << 24);
    let words: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
    let halves: Vec<u8> = integers(16, 1024).into_iter().flat_map(|value| (value as u16).to_le_bytes()).collect();
    for (format, texels) in [(Format::D24_UNORM_S8_UINT, words), (Format::D16_UNORM, halves)] {
        let mut guest = Guest::new();
        let row = format.row_bytes(32);
        let id = guest.texture(format, 32, 32, 1, CreateTexture::TARGET);
        guest.update_texture(id, 0, 0, [32, 32], row, &texels);
        assert_eq!(guest.read(id, format, 0, 0, [32, 32]), texels, "{format:?}");
        // A part, from rows that lie further apart, while the texture is in use.
        let pitch = row + 8;
        let part: Vec<u8> = texels.iter().rev().copied().cycle().take((pitch * 5) as usize).collect();
        let data = guest.upload(&part);
        let body = UpdateTexture {
            id,
            x: 3,
            y: 7,
            width: 9,
            height: 5,
            depth: 1,
            row_pitch: pitch,
            data,
            ..UpdateTexture::zeroed()
        };
        guest.encoder.push(&body);
        let mut expected = texels.clone();
        let bytes = format.info().bytes as usize;
        for y in 0..5 {
            let at = (y + 7) * row as usize + 3 * bytes;
            expected[at..at + 9 * bytes].copy_from_slice(&part[y * pitch as usize..][..9 * bytes]);
        }
        assert_eq!(guest.read(id, format, 0, 0, [32, 32]), expected, "{format:?}");
        guest.finish();
    }
}

/// Depth from the first constant.
const DEPTH: &str = r#"pixel "depth" {
  output out0 : f32 frag_depth
  bank c0 "c" stage 3 [224]
  v0: f32x4 = load_const c0[0]
  v1: f32 = swizzle v0.x
  store_output out0, v1
  return
}"#;

fn depth_only(guest: &mut Guest, format: Format, size: u32) -> ObjectId {
    let id = guest.texture(format, size, size, 1, CreateTexture::TARGET);
    guest.bind(ObjectId::NONE, id);
    guest.viewport(size, size);
    guest.clear(Clear::DEPTH, BLACK, 0.0, 0);
    let always = Compare::Always as u8;
    guest.encoder.push(&SetDepthStencil { depth_test: 1, depth_write: 1, depth_compare: always, ..Default::default() });
    guest.layout();
    id
}

#[test]
fn depth_that_shaders_write_is_the_integer_that_they_mean() {
    for (format, bits) in [(Format::D24_UNORM_S8_UINT, 24), (Format::D16_UNORM, 16)] {
        let mut guest = Guest::new();
        let id = depth_only(&mut guest, format, 32);
        guest.shaders(VERTEX, DEPTH);
        let (values, max) = (integers(bits, 256), (1u64 << bits) as u32 - 1);
        for (n, value) in values.iter().enumerate() {
            let (x, y) = ((n % 32) as f32, (n / 32) as f32);
            let edge = |at: f32| [at / 16.0 - 1.0, (at + 1.0) / 16.0 - 1.0];
            guest.pixel_constant(0, [(f64::from(*value) / f64::from(max)) as f32, 0.0, 0.0, 0.0]);
            guest.draw_now(&quad(edge(x), edge(y).map(|y| -y), 0.5, RED));
        }
        let texels = guest.read(id, format, 0, 0, [32, 32]);
        let bytes = format.info().bytes as usize;
        for (n, value) in values.iter().enumerate() {
            let mut word = [0; 4];
            word[..bytes].copy_from_slice(&texels[n * bytes..][..bytes]);
            assert_eq!(u32::from_le_bytes(word) & max, *value, "{format:?}");
        }
        guest.finish();
    }
}

#[test]
fn interpolated_and_cleared_depth_is_rounded_to_the_nearest_integer() {
    let mut guest = Guest::new();
    let id = depth_only(&mut guest, Format::D24_UNORM_S8_UINT, 4);
    guest.shaders(VERTEX, COLOR);
    for value in [0u32, 1, 2, 0x7f_ffff, 0x80_0000, 0x80_0001, 0xab_cdef, MAX_24 - 1, MAX_24] {
        let depth = (f64::from(value) / f64::from(MAX_24)) as f32;
        guest.draw_now(&full(depth, RED));
        let drawn = guest.read(id, Format::D24_UNORM_S8_UINT, 0, 0, [4, 4]);
        guest.clear(Clear::DEPTH, BLACK, depth, 0);
        let cleared = guest.read(id, Format::D24_UNORM_S8_UINT, 0, 0, [4, 4]);
        for (what, texels) in [("drawn", drawn), ("cleared", cleared)] {
            let found = u32::from_le_bytes(texels[..4].try_into().unwrap()) & MAX_24;
            assert_eq!(found, value, "{what}");
        }
    }
    guest.finish();
}

/// Red from the depth, times a factor.
const SHOW: &str = r#"pixel "show" {
  input in0 : f32x4 location 2 smooth
  output out0 : f32x4 location 0
  texture t0 slot 0 2d
  v0: f32x4 = load_input in0
  v1: f32x2 = swizzle v0.xy
  v2: f32x4 = sample t0, v1
  v3: f32 = swizzle v2.x
  v4: f32x4 = swizzle v3.xxxx
  store_output out0, v4
  return
}"#;

#[test]
fn depth_is_sampled_with_its_precision() {
    let mut guest = Guest::new();
    let target = guest.texture(Format::R32_SFLOAT, 16, 16, 1, CreateTexture::TARGET);
    guest.bind(target, ObjectId::NONE);
    guest.viewport(16, 16);
    guest.shaders(VERTEX, SHOW);
    guest.layout();
    let values = integers(24, 256);
    let texels: Vec<u8> = values.iter().flat_map(|value| (value | 0x5500_0000).to_le_bytes()).collect();
    let depth = guest.texture(Format::D24_UNORM_S8_UINT, 16, 16, 1, CreateTexture::TARGET);
    guest.update_texture(depth, 0, 0, [16, 16], 64, &texels);
    let sampler = guest.sampler(sampling(Filter::Nearest));
    guest.bind_texture(0, depth, sampler);
    guest.draw_now(&full(0.5, RED));
    let picture = guest.read(target, Format::R32_SFLOAT, 0, 0, [16, 16]);
    for (value, texel) in values.iter().zip(picture.chunks_exact(4)) {
        let found = f32::from_le_bytes(texel.try_into().unwrap());
        // Devices convert in 32-bit floats: the result may be the neighbour's (llvmpipe gives 1/2 for 0x7fffff).
        let integer = (f64::from(found) * f64::from(MAX_24)).round() as u32;
        assert!(integer.abs_diff(*value) <= 1, "{integer:#x} for {value:#x}");
    }
    guest.finish();
}

#[test]
fn occlusion_counts_are_exact_over_many_draws() {
    let mut guest = Guest::new();
    let color = guest.target(Format::R8G8B8A8_UNORM, 64, 64);
    let depth = guest.texture(Format::D24_UNORM_S8_UINT, 64, 64, 1, CreateTexture::TARGET);
    guest.bind(color, depth);
    guest.clear(Clear::COLOR | Clear::DEPTH, BLACK, 0.5, 0);
    guest.shaders(VERTEX, COLOR);
    guest.layout();
    let less = Compare::Less as u8;
    guest.encoder.push(&SetDepthStencil { depth_test: 1, depth_write: 0, depth_compare: less, ..Default::default() });
    let id = guest.id(ObjectKind::Query);
    guest.encoder.push(&CreateQuery { id, kind: QueryKind::Occlusion as u32 });
    guest.encoder.push(&BeginQuery { id, pad: 0 });
    let mut expected = 0;
    for n in 1..=32u32 {
        // Columns 0 to 2n, in front or behind.
        let right = n as f32 / 16.0 - 1.0;
        let front = n % 3 != 0;
        guest.draw_now(&quad([-1.0, right], [-1.0, 1.0], if front { 0.25 } else { 0.75 }, RED));
        expected += if front { u64::from(2 * n) * 64 } else { 0 };
        if n % 8 == 0 {
            // Other state, a clear and another submission between the draws.
            guest.clear(Clear::COLOR, BLUE, 1.0, 0);
            guest.encoder.push(&SetRaster {
                cull: 0,
                depth_clip: (n / 8 % 2) as u8,
                sample_mask: u32::MAX,
                ..Default::default()
            });
            guest.pixels();
        }
    }
    guest.encoder.push(&EndQuery { id, pad: 0, token: 9 });
    guest.pixels();
    let found = guest.replies.iter().find_map(|reply| match *reply {
        afterimage_stream::Reply::Query { token: 9, value, .. } => Some(value),
        _ => None,
    });
    assert_eq!(found, Some(expected));
    guest.finish();
}

#[test]
fn depth_is_every_channel_where_the_swizzle_says_so() {
    let mut guest = Guest::new();
    guest.target(Format::R8G8B8A8_UNORM, 8, 8);
    guest.shaders(VERTEX, TEXTURE);
    guest.layout();
    let sampler = guest.sampler(sampling(Filter::Nearest));
    let mut drawn = |swizzle: [Swizzle; 4], depth: u16| {
        let texture = guest.texture_with(CreateTexture {
            swizzle: swizzle.map(|component| component as u8),
            usage: CreateTexture::TARGET,
            ..plain(Format::D16_UNORM, 1, 1, 1)
        });
        guest.update_texture(texture, 0, 0, [1, 1], 2, &depth.to_le_bytes());
        guest.bind_texture(0, texture, sampler);
        guest.draw_now(&full(0.5, RED));
        guest.pixels().at(4, 4)
    };
    // Twice, and one behind the other: shaders are made for it, and for others.
    let plain_one = [Swizzle::Red, Swizzle::Green, Swizzle::Blue, Swizzle::Alpha];
    assert_eq!(drawn([Swizzle::Red; 4], 0x6666), [102; 4]);
    assert_eq!(drawn(plain_one, 0x3333)[0], 51);
    assert_eq!(drawn([Swizzle::Red; 4], 0x3333), [51; 4]);
    guest.finish();
}
