//! Clears of some channels, of some stencil bits, within rectangles, in targets of several formats.

use crate::common::*;
use afterimage_stream::packets::*;
use afterimage_stream::{Format, ObjectKind, Reply};
use afterimage_vulkan::Without;
use bytemuck::Zeroable;

fn profiles() -> [Without; 2] {
    [Without::default(), Without { dynamic_state3: true, raster_options: true, ..Without::default() }]
}

#[test]
fn channels_are_cleared_one_by_one() {
    for without in profiles() {
        let mut guest = Guest::with(without);
        guest.target(Format::R8G8B8A8_UNORM, 8, 8);
        guest.clear(Clear::COLOR, [0.2, 0.4, 0.6, 0.8], 1.0, 0);
        let mut expected = [51, 102, 153, 204];
        for (channel, flag) in [Clear::RED, Clear::GREEN, Clear::BLUE, Clear::ALPHA].into_iter().enumerate() {
            guest.clear(flag, [1.0; 4], 1.0, 0);
            expected[channel] = 255;
            assert_eq!(guest.pixels().count(expected), 64, "{expected:?}");
        }
        guest.clear(Clear::RED | Clear::GREEN | Clear::BLUE | Clear::ALPHA, GREEN, 1.0, 0);
        assert_eq!(guest.pixels().count(rgba(GREEN)), 64);
        guest.finish();
    }
}

#[test]
fn rectangles_limit_a_partial_clear_and_draws_go_on_as_before() {
    for without in profiles() {
        let mut guest = Guest::with(without);
        guest.target(Format::R8G8B8A8_UNORM, 8, 8);
        guest.encoder.push(&SetScissor { rect: Rect { x: 0, y: 0, width: 8, height: 6 } });
        guest.encoder.push(&SetRaster {
            cull: Cull::None as u8,
            depth_clip: 1,
            sample_mask: u32::MAX,
            ..Default::default()
        });
        guest.clear(Clear::COLOR, BLACK, 1.0, 0);
        guest.shaders(VERTEX, CONSTANT);
        guest.layout();
        guest.pixel_constant(0, RED);
        let strips = [quad([-1.0, 0.0], [-1.0, 1.0], 0.5, RED), quad([0.75, 1.0], [-1.0, 1.0], 0.5, RED)];
        guest.vertices(strips.as_flattened());
        guest.draw(Topology::TriangleList, 0, 6);
        let rects = [Rect { x: 2, y: 0, width: 4, height: 8 }, Rect { x: -4, y: 7, width: 5, height: 9 }];
        let body = Clear { flags: Clear::GREEN, count: 2, color: [1.0; 4], ..Clear::zeroed() };
        guest.encoder.push_tail(&body, &rects);
        // The scissor does not apply to a clear; the state of the draw before applies to the next one.
        guest.draw(Topology::TriangleList, 6, 6);
        let pixels = guest.pixels();
        let yellow = [255, 255, 0, 255];
        assert_eq!(
            (pixels.at(1, 5), pixels.at(2, 5), pixels.at(3, 5), pixels.at(4, 5)),
            (rgba(RED), yellow, yellow, rgba(GREEN))
        );
        assert_eq!((pixels.at(5, 7), pixels.at(6, 7), pixels.at(0, 7)), (rgba(GREEN), rgba(BLACK), rgba(GREEN)));
        assert_eq!((pixels.at(7, 5), pixels.at(7, 6)), (rgba(RED), rgba(BLACK)));
        guest.finish();
    }
}

#[test]
fn stencil_bits_that_are_kept_stay() {
    for without in profiles() {
        let mut guest = Guest::with(without);
        let color = guest.target(Format::R8G8B8A8_UNORM, 4, 4);
        let depth = guest.texture(Format::D24_UNORM_S8_UINT, 4, 4, 1, CreateTexture::TARGET);
        guest.bind(color, depth);
        guest.clear(Clear::COLOR | Clear::DEPTH | Clear::STENCIL, BLACK, 0.5, 0b1100_0101);
        let flags = Clear::STENCIL | Clear::DEPTH | Clear::BLUE;
        let body =
            Clear { flags, color: [1.0; 4], depth: 1.0, stencil: 0b1010, stencil_keep: 0b1111_0000, ..Clear::zeroed() };
        guest.encoder.push_tail(&body, &[]);
        let texels = guest.read(depth, Format::D24_UNORM_S8_UINT, 0, 0, [4, 4]);
        assert!(texels.chunks_exact(4).all(|t| t == [0xff, 0xff, 0xff, 0b1100_1010]), "{texels:x?}");
        assert_eq!(guest.pixels().count(rgba(BLUE)), 16);
        // Without a stencil buffer there is nothing to do.
        guest.bind(color, afterimage_stream::ObjectId::NONE);
        guest.encoder.push_tail(&Clear { flags: Clear::STENCIL, stencil_keep: 1, ..Clear::zeroed() }, &[]);
        guest.run();
        guest.finish();
    }
}

#[test]
fn targets_of_several_formats_and_sizes() {
    for without in profiles() {
        let mut guest = Guest::with(without);
        let formats = [Format::R5G6B5_UNORM, Format::A1R5G5B5_UNORM, Format::R8_UNORM, Format::B8G8R8A8_UNORM];
        let ids = formats.map(|format| guest.texture(format, 4, 4, 1, CreateTexture::TARGET));
        let large = guest.texture(Format::R8G8B8A8_UNORM, 8, 8, 1, CreateTexture::TARGET);
        let mut targets = SetRenderTargets::default();
        for (slot, id) in ids.into_iter().enumerate() {
            targets.color[slot].texture = id;
        }
        targets.color[5].texture = large;
        guest.encoder.push(&targets);
        guest.clear(Clear::COLOR, [1.0, 1.0, 1.0, 1.0], 1.0, 0);
        guest.clear(Clear::GREEN | Clear::ALPHA, [0.0; 4], 1.0, 0);
        let word = |bytes: Vec<u8>| u16::from_le_bytes([bytes[0], bytes[1]]);
        assert_eq!(word(guest.read(ids[0], formats[0], 0, 0, [4, 4])), 0xf81f);
        assert_eq!(word(guest.read(ids[1], formats[1], 0, 0, [4, 4])), 0x7c1f);
        assert_eq!(guest.read(ids[2], formats[2], 0, 0, [4, 4]), [255; 16]);
        assert_eq!(guest.read(ids[3], formats[3], 0, 0, [4, 4])[..4], [255, 0, 255, 0]);
        let texels = guest.read(large, Format::R8G8B8A8_UNORM, 0, 0, [8, 8]);
        assert!(texels.chunks_exact(4).all(|texel| texel == [255, 0, 255, 0]), "all of the larger one");
        guest.finish();
    }
}

#[test]
fn a_partial_clear_is_not_counted() {
    let mut guest = Guest::new();
    guest.target(Format::R8G8B8A8_UNORM, 8, 8);
    guest.clear(Clear::COLOR, BLACK, 1.0, 0);
    guest.shaders(VERTEX, COLOR);
    guest.layout();
    let id = guest.id(ObjectKind::Query);
    guest.encoder.push(&CreateQuery { id, kind: QueryKind::Occlusion as u32 });
    guest.encoder.push(&BeginQuery { id, pad: 0 });
    guest.draw_now(&quad([-1.0, 0.0], [-1.0, 1.0], 0.5, RED));
    guest.clear(Clear::GREEN, GREEN, 1.0, 0);
    guest.draw_now(&quad([-1.0, 0.0], [-1.0, 0.0], 0.5, RED));
    guest.encoder.push(&EndQuery { id, pad: 0, token: 5 });
    guest.pixels();
    assert!(guest.replies.contains(&Reply::Query { id, token: 5, value: 32 + 16 }), "{:?}", guest.replies);
    guest.finish();
}
