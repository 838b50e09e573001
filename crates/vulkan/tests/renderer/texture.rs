//! Textures: uploads, sampling, mip levels, copies, resolves.

use crate::common::*;
use afterimage_stream::packets::*;
use afterimage_stream::{Format, ObjectId};
use afterimage_vulkan::Without;

/// Every way in which shaders reach textures.
fn profiles() -> [Without; 2] {
    [Without::default(), Without { bindless: true, ..Without::default() }]
}

fn checker() -> Vec<u8> {
    [RED, GREEN, BLUE, [1.0, 1.0, 1.0, 1.0]].iter().flat_map(|&color| rgba(color)).collect()
}

/// A guest that is about to draw slot 0 over a 4x4 target.
fn textured(without: Without) -> Guest {
    let mut guest = Guest::with(without);
    guest.target(Format::R8G8B8A8_UNORM, 4, 4);
    guest.clear(Clear::COLOR, BLACK, 1.0, 0);
    guest.shaders(VERTEX, TEXTURE);
    guest.layout();
    guest.vertices(&full(0.5, RED));
    guest
}

fn draw(guest: &mut Guest) -> Pixels {
    guest.draw(Topology::TriangleList, 0, 6);
    guest.pixels()
}

#[test]
fn texels_land_where_they_belong() {
    for without in profiles() {
        let mut guest = textured(without);
        let texture = guest.texture(Format::R8G8B8A8_UNORM, 2, 2, 1, 0);
        guest.update_texture(texture, 0, 0, [2, 2], 8, &checker());
        let sampler = guest.sampler(sampling(Filter::Nearest));
        guest.bind_texture(0, texture, sampler);
        let pixels = draw(&mut guest);
        assert_eq!(pixels.at(0, 0), rgba(RED));
        assert_eq!(pixels.at(3, 1), rgba(GREEN));
        assert_eq!(pixels.at(0, 3), rgba(BLUE));
        assert_eq!(pixels.at(2, 2), [255; 4]);
        guest.finish();
    }
}

#[test]
fn nothing_bound_reads_opaque_black_and_new_textures_are_zero() {
    for without in profiles() {
        let mut guest = textured(without);
        guest.clear(Clear::COLOR, RED, 1.0, 0);
        assert_eq!(draw(&mut guest).count([0, 0, 0, 255]), 16);
        let texture = guest.texture(Format::BC3_UNORM, 8, 8, 4, 0);
        let sampler = guest.sampler(sampling(Filter::Linear));
        guest.bind_texture(0, texture, sampler);
        assert_eq!(draw(&mut guest).count([0, 0, 0, 0]), 16);
        guest.finish();
    }
}

/// Direct3D's drivers on Windows let draws read what they draw to, and each finds what those before it drew.
#[test]
fn a_target_that_is_read_has_what_was_drawn_before() {
    let brighter = TEXTURE.replace(
        "store_output out0, v2",
        "v3: f32x4 = const 0.25, 0.25, 0.25, 0.25\n  v4: f32x4 = fadd v2, v3\n  store_output out0, v4",
    );
    for without in profiles() {
        let mut guest = textured(without);
        guest.clear(Clear::COLOR, [1.0 / 255.0; 4], 1.0, 0);
        guest.shaders(VERTEX, &brighter);
        let sampler = guest.sampler(sampling(Filter::Nearest));
        guest.bind_texture(0, guest.pixels_target(), sampler);
        // Three draws of one state, and one with another behind it.
        for _ in 0..3 {
            guest.draw(Topology::TriangleList, 0, 6);
        }
        assert_eq!(guest.pixels().count([193; 4]), 16);
        guest.vertices(&quad([-1.0, 0.0], [-1.0, 1.0], 0.5, RED));
        let pixels = draw(&mut guest);
        assert_eq!((pixels.count([255; 4]), pixels.count([193; 4])), (8, 8));
        guest.finish();
    }
}

/// Each draw must see the texels of its time, whether the upload went before the pass or broke it.
#[test]
fn uploads_between_draws_are_in_order() {
    for without in profiles() {
        let mut guest = textured(without);
        let texture = guest.texture(Format::B8G8R8A8_UNORM, 1, 1, 1, 0);
        let sampler = guest.sampler(sampling(Filter::Nearest));
        for (i, color) in [RED, GREEN, BLUE].into_iter().enumerate() {
            let [r, g, b, a] = rgba(color);
            guest.update_texture(texture, 0, 0, [1, 1], 4, &[b, g, r, a]);
            guest.bind_texture(0, texture, sampler);
            guest.encoder.push(&SetScissor { rect: Rect { x: i as i32, y: 0, width: 1, height: 4 } });
            guest.draw(Topology::TriangleList, 0, 6);
        }
        let pixels = guest.pixels();
        for (i, color) in [RED, GREEN, BLUE].into_iter().enumerate() {
            assert_eq!(pixels.at(i as u32, 2), rgba(color), "draw {i}");
        }
        guest.finish();
    }
}

#[test]
fn rows_with_a_pitch_and_parts_of_a_level() {
    let mut guest = textured(Without::default());
    let texture = guest.texture(Format::R8G8B8A8_UNORM, 4, 4, 1, 0);
    let mut data = vec![0xee; 40];
    data[..8].copy_from_slice(&[1, 2, 3, 4, 5, 6, 7, 8]);
    data[20..28].copy_from_slice(&[9, 10, 11, 12, 13, 14, 15, 16]);
    let data = guest.upload(&data);
    let zero: UpdateTexture = bytemuck::Zeroable::zeroed();
    guest.encoder.push(&UpdateTexture {
        id: texture,
        x: 1,
        y: 2,
        width: 2,
        height: 2,
        depth: 1,
        row_pitch: 20,
        data,
        ..zero
    });
    let texels = guest.read(texture, Format::R8G8B8A8_UNORM, 0, 0, [4, 4]);
    let mut expected = vec![0; 64];
    expected[2 * 16 + 4..2 * 16 + 12].copy_from_slice(&[1, 2, 3, 4, 5, 6, 7, 8]);
    expected[3 * 16 + 4..3 * 16 + 12].copy_from_slice(&[9, 10, 11, 12, 13, 14, 15, 16]);
    assert_eq!(texels, expected);
    guest.finish();
}

#[test]
fn swizzles_and_srgb() {
    for without in profiles() {
        let mut guest = textured(without);
        let red = Swizzle::Red as u8;
        let texture = guest.texture_with(CreateTexture {
            swizzle: [red, red, red, Swizzle::One as u8],
            ..plain(Format::R8_UNORM, 1, 1, 1)
        });
        guest.update_texture(texture, 0, 0, [1, 1], 4, &[100, 0, 0, 0]);
        let linear = guest.sampler(sampling(Filter::Nearest));
        guest.bind_texture(0, texture, linear);
        assert_eq!(draw(&mut guest).count([100, 100, 100, 255]), 16);
        let texture = guest.texture(Format::R8G8B8A8_UNORM, 1, 1, 1, 0);
        guest.update_texture(texture, 0, 0, [1, 1], 4, &[188, 0, 255, 128]);
        let srgb = guest.sampler(CreateSampler { srgb: 1, ..sampling(Filter::Nearest) });
        guest.bind_texture(0, texture, srgb);
        let pixel = draw(&mut guest).at(1, 1);
        // 188 of sRGB is half the light.
        assert!(pixel[0].abs_diff(128) <= 1 && pixel[1..] == [0, 255, 128], "{pixel:?}");
        guest.finish();
    }
}

#[test]
fn mip_levels_are_made_and_chosen() {
    for without in profiles() {
        let mut guest = textured(without);
        let texture = guest.texture(Format::R8G8B8A8_UNORM, 4, 4, 3, 0);
        let rows: Vec<u8> =
            (0..16).flat_map(|i| if i % 2 == 0 { [255, 0, 0, 255] } else { [0, 0, 255, 255] }).collect();
        guest.update_texture(texture, 0, 0, [4, 4], 16, &rows);
        guest.encoder.push(&GenerateMips { id: texture, filter: Filter::Linear as u32 });
        for (level, size) in [(1, 2), (2, 1)] {
            for texel in guest.read(texture, Format::R8G8B8A8_UNORM, level, 0, [size, size]).chunks_exact(4) {
                assert!(texel[0].abs_diff(128) <= 1 && texel[2].abs_diff(128) <= 1, "level {level}: {texel:?}");
            }
        }
        let sampler = guest.sampler(CreateSampler { min_lod: 2.0, ..sampling(Filter::Nearest) });
        guest.bind_texture(0, texture, sampler);
        let pixel = draw(&mut guest).at(0, 0);
        assert!(pixel[0].abs_diff(128) <= 1, "{pixel:?}");
        let sampler = guest.sampler(CreateSampler { mipmapped: 0, ..sampling(Filter::Nearest) });
        guest.bind_texture(0, texture, sampler);
        assert_eq!(draw(&mut guest).at(0, 0), rgba(RED));
        guest.finish();
    }
}

const CUBE: &str = r#"pixel "cube" {
  input in0 : f32x4 location 0 smooth
  output out0 : f32x4 location 0
  texture t0 slot 3 cube
  v0: f32x4 = load_input in0
  v1: f32x3 = swizzle v0.xyz
  v2: f32x4 = sample t0, v1
  store_output out0, v2
  return
}"#;

#[test]
fn faces_of_a_cube() {
    for without in profiles() {
        let mut guest = Guest::with(without);
        guest.target(Format::R8G8B8A8_UNORM, 4, 4);
        guest.shaders(VERTEX, CUBE);
        guest.layout();
        let cube =
            CreateTexture { layers: 6, dimension: Dimension::Cube as u8, ..plain(Format::R8G8B8A8_UNORM, 2, 2, 1) };
        let texture = guest.texture_with(cube);
        for face in 0..6 {
            guest.update_texture(texture, 0, face, [2, 2], 8, &[face as u8 * 10, 1, 2, 3].repeat(4));
        }
        let sampler = guest.sampler(sampling(Filter::Nearest));
        guest.bind_texture(3, texture, sampler);
        let directions =
            [[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, -1.0]];
        for (face, [x, y, z]) in directions.into_iter().enumerate() {
            guest.draw_now(&full(0.5, [x, y, z, 0.0]));
            assert_eq!(guest.pixels().count([face as u8 * 10, 1, 2, 3]), 16, "face {face}");
        }
        guest.finish();
    }
}

const VOLUME: &str = r#"pixel "volume" {
  input in0 : f32x4 location 0 smooth
  output out0 : f32x4 location 0
  texture t0 slot 0 3d
  v0: f32x4 = load_input in0
  v1: f32x3 = swizzle v0.xyz
  v2: f32x4 = sample t0, v1
  store_output out0, v2
  return
}"#;

#[test]
fn slices_of_a_volume_and_textures_of_another_shape() {
    for without in profiles() {
        let mut guest = Guest::with(without);
        guest.target(Format::R8G8B8A8_UNORM, 4, 4);
        guest.shaders(VERTEX, VOLUME);
        guest.layout();
        let volume =
            CreateTexture { depth: 4, dimension: Dimension::D3 as u8, ..plain(Format::R8G8B8A8_UNORM, 2, 2, 2) };
        let texture = guest.texture_with(volume);
        let data: Vec<u8> = (0..4u8).flat_map(|z| [z * 50, 9, 8, 7].repeat(4)).collect();
        let data = guest.upload(&data);
        let zero: UpdateTexture = bytemuck::Zeroable::zeroed();
        guest.encoder.push(&UpdateTexture {
            id: texture,
            width: 2,
            height: 2,
            depth: 4,
            row_pitch: 8,
            slice_pitch: 16,
            data,
            ..zero
        });
        let sampler = guest.sampler(sampling(Filter::Nearest));
        guest.bind_texture(0, texture, sampler);
        for z in 0..4u8 {
            guest.draw_now(&full(0.5, [0.5, 0.5, f32::from(z) / 4.0 + 0.125, 0.0]));
            assert_eq!(guest.pixels().count([z * 50, 9, 8, 7]), 16, "slice {z}");
        }
        let flat = guest.texture(Format::R8G8B8A8_UNORM, 1, 1, 1, 0);
        guest.update_texture(flat, 0, 0, [1, 1], 4, &[255; 4]);
        guest.bind_texture(0, flat, sampler);
        guest.draw_now(&full(0.5, RED));
        assert_eq!(guest.pixels().count([0, 0, 0, 255]), 16, "a 2D texture where a volume is read");
        guest.finish();
    }
}

#[test]
fn drawing_into_a_level_of_a_texture_and_reading_it() {
    for without in profiles() {
        let mut guest = textured(without);
        let screen = guest.pixels_target();
        let texture = guest.texture(Format::R8G8B8A8_UNORM, 8, 8, 2, CreateTexture::TARGET);
        let sampler = guest.sampler(CreateSampler { min_lod: 1.0, ..sampling(Filter::Nearest) });
        let mut targets = SetRenderTargets::default();
        targets.color[0] = View { texture, level: 1, layer: 0 };
        guest.encoder.push(&targets);
        guest.clear(Clear::COLOR, BLUE, 1.0, 0);
        guest.bind(screen, ObjectId::NONE);
        guest.bind_texture(0, texture, sampler);
        assert_eq!(draw(&mut guest).count(rgba(BLUE)), 16);
        // And again, with the texture bound all the time.
        guest.encoder.push(&targets);
        guest.clear(Clear::COLOR, GREEN, 1.0, 0);
        guest.bind(screen, ObjectId::NONE);
        assert_eq!(draw(&mut guest).count(rgba(GREEN)), 16);
        guest.finish();
    }
}

/// What a pixel reads is undefined; that it hangs or breaks a rule of Vulkan is not.
#[test]
fn a_texture_may_be_bound_while_it_is_drawn_to() {
    for without in profiles() {
        let mut guest = textured(without);
        let screen = guest.pixels_target();
        let sampler = guest.sampler(sampling(Filter::Nearest));
        guest.bind_texture(0, screen, sampler);
        draw(&mut guest);
        draw(&mut guest);
        guest.finish();
    }
}

#[test]
fn blits_copy_scale_and_convert() {
    let mut guest = Guest::new();
    let source = guest.texture(Format::R8G8B8A8_UNORM, 2, 2, 1, 0);
    guest.update_texture(source, 0, 0, [2, 2], 8, &checker());
    let copy = guest.texture(Format::R8G8B8A8_UNORM, 4, 4, 1, 0);
    let blit = |src, src_rect, dst, dst_rect| Blit {
        src: View { texture: src, level: 0, layer: 0 },
        dst: View { texture: dst, level: 0, layer: 0 },
        src_rect,
        dst_rect,
        filter: Filter::Nearest as u32,
        pad: 0,
    };
    let rect = |x, y, width, height| Rect { x, y, width, height };
    guest.encoder.push(&blit(source, rect(1, 0, 1, 2), copy, rect(3, 1, 1, 2)));
    let texels = guest.read(copy, Format::R8G8B8A8_UNORM, 0, 0, [4, 4]);
    assert_eq!(texels[(4 + 3) * 4..][..4], rgba(GREEN));
    assert_eq!(texels[(8 + 3) * 4..][..4], [255; 4]);
    assert_eq!(texels.iter().filter(|&&byte| byte != 0).count(), 2 + 4);
    let large = guest.texture(Format::B8G8R8A8_UNORM, 8, 8, 1, CreateTexture::TARGET);
    guest.encoder.push(&blit(source, rect(0, 0, 2, 2), large, rect(0, 0, 8, 8)));
    let texels = guest.read(large, Format::B8G8R8A8_UNORM, 0, 0, [8, 8]);
    assert_eq!(texels[..4], [0, 0, 255, 255], "red, with blue first");
    assert_eq!(texels[(7 * 8) * 4..][..4], [255, 0, 0, 255]);
    guest.finish();
}

#[test]
fn multisampled_targets_are_resolved() {
    let mut guest = Guest::new();
    let screen = guest.target(Format::R8G8B8A8_UNORM, 8, 8);
    let samples = CreateTexture { samples: 4, usage: CreateTexture::TARGET, ..plain(Format::R8G8B8A8_UNORM, 8, 8, 1) };
    let color = guest.texture_with(samples);
    let depth = guest.texture_with(CreateTexture { format: Format::D24_UNORM_S8_UINT as u32, ..samples });
    guest.bind(color, depth);
    guest.clear(Clear::COLOR | Clear::DEPTH | Clear::STENCIL, BLACK, 1.0, 0);
    guest.shaders(VERTEX, COLOR);
    guest.layout();
    guest.encoder.push(&SetDepthStencil {
        depth_test: 1,
        depth_write: 1,
        depth_compare: Compare::LessEqual as u8,
        ..Default::default()
    });
    guest.vertices(&[vertex(-1.0, -1.0, 0.25, RED), vertex(-1.0, 1.0, 0.25, RED), vertex(1.0, 1.0, 0.25, RED)]);
    guest.draw(Topology::TriangleList, 0, 3);
    let whole = Rect { x: 0, y: 0, width: 8, height: 8 };
    let view = |texture| View { texture, level: 0, layer: 0 };
    guest.encoder.push(&Blit {
        src: view(color),
        dst: view(screen),
        src_rect: whole,
        dst_rect: whole,
        filter: 0,
        pad: 0,
    });
    let pixels = guest.pixels();
    assert_eq!(pixels.at(1, 1), rgba(RED));
    assert_eq!(pixels.at(6, 6 + 1), rgba(BLACK));
    let edge = pixels.at(3, 4)[0];
    assert!((64..255).contains(&edge), "the edge is smooth: {edge}");
    let single = guest.texture(Format::D24_UNORM_S8_UINT, 8, 8, 1, CreateTexture::TARGET);
    guest.encoder.push(&Blit {
        src: view(depth),
        dst: view(single),
        src_rect: whole,
        dst_rect: whole,
        filter: 0,
        pad: 0,
    });
    let depths = guest.read(single, Format::D24_UNORM_S8_UINT, 0, 0, [8, 8]);
    let at = |x: usize, y: usize| u32::from_le_bytes(depths[(y * 8 + x) * 4..][..4].try_into().unwrap()) & 0xff_ffff;
    assert!(at(1, 0).abs_diff(0x40_0000) <= 2 && at(7, 7) == 0xff_ffff, "{:x} {:x}", at(1, 0), at(7, 7));
    guest.finish();
}

#[test]
fn depth_texels_go_up_and_come_back() {
    let mut guest = Guest::new();
    for (format, texel) in [
        (Format::D16_UNORM, vec![0x34, 0x12]),
        (Format::D32_SFLOAT, 0.375f32.to_le_bytes().to_vec()),
        (Format::D24_UNORM_S8_UINT, vec![0, 0, 0x40, 0x5a]),
    ] {
        let texture = guest.texture(format, 4, 2, 1, CreateTexture::TARGET);
        let data = texel.repeat(8);
        guest.update_texture(texture, 0, 0, [4, 2], format.row_bytes(4), &data);
        assert_eq!(guest.read(texture, format, 0, 0, [4, 2]), data, "{format:?}");
    }
    guest.finish();
}
