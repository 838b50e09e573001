//! What the state around a pixel shader changes in the picture: fog by w, limits of point sizes, projected and fourfold
//! lookups, sRGB of targets without a view for it.

use crate::common::*;
use afterimage_stream::Format;
use afterimage_stream::packets::*;

/// Colours are passed on as colour and as texture coordinates.
const PASS: &str = "vs_2_0\ndcl_position v0\ndcl_color v1\nmov oPos, v0\nmov oD0, v1\nmov oT0, v1";
const DIFFUSE: &str = "ps_2_0\ndcl v0\nmov oC0, v0";
const TEXTURE: &str = "ps_2_0\ndcl t0\ndcl_2d s0\ntexld r0, t0, s0\nmov oC0, r0";

fn guest(format: Format, vertex: &str, pixel: &str) -> Guest {
    let mut guest = Guest::new();
    guest.target(format, 16, 16);
    guest.clear(Clear::COLOR, BLACK, 1.0, 0);
    let vertex = guest.d3d9_shader(Stage::Vertex, vertex);
    let pixel = guest.d3d9_shader(Stage::Pixel, pixel);
    guest.encoder.push(&SetShaders { vertex, pixel, ..SetShaders::default() });
    guest.layout();
    guest
}

fn ops() -> SetPixelOps {
    SetPixelOps { alpha_compare: Compare::Always as u8, ..Default::default() }
}

#[test]
fn fog_goes_by_depth_or_by_w() {
    let scaled = "vs_2_0\ndef c0, 4, 4, 4, 4\ndcl_position v0\ndcl_color v1\nmul oPos, v0, c0\nmov oD0, v1";
    let mut guest = guest(Format::R8G8B8A8_UNORM, scaled, DIFFUSE);
    // Depth is a quarter and w four.
    for (mode, end, fogged) in [(FogMode::Linear, 1.0, 64), (FogMode::LinearW, 16.0, 64), (FogMode::LinearW, 8.0, 128)]
    {
        let fog = SetPixelOps { fog: mode as u8, fog_end: end, fog_color: BLUE, ..ops() };
        guest.encoder.push(&fog);
        guest.draw_now(&full(0.25, RED));
        let [red, _, blue, _] = guest.pixels().at(8, 8);
        assert!(blue.abs_diff(fogged) <= 1 && red.abs_diff(255 - fogged) <= 1, "{mode:?} {end}: {red} {blue}");
    }
    guest.finish();
}

#[test]
fn point_sizes_stay_within_their_limits() {
    // The program writes a size of its own, the state's counts where it does not.
    let own = format!("vs_2_0\ndef c0, 8, 8, 8, 8{}\nmov oPts, c0.x", PASS.trim_start_matches("vs_2_0"));
    let none = own.replace("8, 8, 8, 8", "0, 0, 0, 0");
    let limits = [(1.0, 0.0, 64), (1.0, 4.0, 16), (10.0, 64.0, 100)];
    // A size of nothing is less than any device has, and draws nothing.
    let nothing = [(0.0, 0.0, 0), (0.5, 0.0, 1), (2.0, 0.0, 4)];
    for (text, asked, expected) in
        [(PASS, 8.0, limits), (&own, 1.0, limits), (PASS, 0.0, nothing), (&none, 8.0, nothing)]
    {
        let mut guest = guest(Format::R8G8B8A8_UNORM, text, DIFFUSE);
        for (min, max, pixels) in expected {
            guest.clear(Clear::COLOR, BLACK, 1.0, 0);
            guest.encoder.push(&SetRaster {
                depth_clip: 1,
                sample_mask: u32::MAX,
                point_size: asked,
                point_size_min: min,
                point_size_max: max,
                ..Default::default()
            });
            guest.vertices(&[vertex(0.0, 0.0, 0.5, GREEN)]);
            guest.draw(Topology::PointList, 0, 1);
            assert_eq!(guest.pixels().count(rgba(GREEN)), pixels, "{text}\n{min} to {max}");
        }
        guest.finish();
    }
}

#[test]
fn triangles_have_no_place_in_a_point() {
    let mut guest = guest(Format::R8G8B8A8_UNORM, PASS, "ps_2_0\ndcl t0\nmov oC0, t0");
    guest.encoder.push(&SetPixelOps { point_sprite: 1, ..ops() });
    guest.draw_now(&full(0.5, GREEN));
    assert_eq!(guest.pixels().count(rgba(GREEN)), 256);
    guest.finish();
}

/// A texture of two by two texels of one channel each, in slot 0: 10 and 20 above 30 and 40.
fn four_texels(guest: &mut Guest, sampler: CreateSampler) {
    let red = Swizzle::Red as u8;
    let swizzle = [red, red, red, Swizzle::One as u8];
    let texture = guest.texture_with(CreateTexture { swizzle, ..plain(Format::R8_UNORM, 2, 2, 1) });
    guest.update_texture(texture, 0, 0, [2, 2], 4, &[10, 20, 0, 0, 30, 40, 0, 0]);
    let sampler = guest.sampler(sampler);
    guest.bind_texture(0, texture, sampler);
}

#[test]
fn a_fourfold_lookup_has_the_texels_around_a_place() {
    for (gather, place, expected) in [
        (0, 0.45, [10, 10, 10, 255]),
        // Anywhere in the texel that a lookup without filter gives.
        (1, 0.05, [20, 30, 40, 10]),
        (1, 0.25, [20, 30, 40, 10]),
        (1, 0.45, [20, 30, 40, 10]),
    ] {
        let mut guest = guest(Format::R8G8B8A8_UNORM, PASS, TEXTURE);
        four_texels(&mut guest, CreateSampler { gather, ..sampling(Filter::Nearest) });
        guest.draw_now(&full(0.5, [place, place, 0.0, 1.0]));
        assert_eq!(guest.pixels().count(expected), 256, "{gather}, {place}: {:?}", guest.pixels().at(0, 0));
        guest.finish();
    }
}

#[test]
fn old_shaders_project_where_the_state_says() {
    for (text, projected, expected) in [
        ("ps_1_1\ntex t0\nmov r0, t0", 0, 10),
        ("ps_1_1\ntex t0\nmov r0, t0", 1, 20),
        // Later ones say themselves.
        (TEXTURE, 1, 10),
    ] {
        let mut guest = guest(Format::R8G8B8A8_UNORM, PASS, text);
        four_texels(&mut guest, sampling(Filter::Nearest));
        guest.encoder.push(&SetPixelOps { projected, ..ops() });
        // A place in the left half, or with the fourth divided out in the right.
        guest.draw_now(&full(0.5, [0.4, 0.1, 0.0, 0.5]));
        assert_eq!(guest.pixels().count([expected, expected, expected, 255]), 256, "{text} {projected}");
        guest.finish();
    }
}

#[test]
fn targets_without_an_srgb_view_are_encoded_in_the_shader() {
    for (format, srgb, expected) in [
        // A fifth of the light is 0.4845 of sRGB: of 1023 steps, of 255.
        (Format::A2B10G10R10_UNORM, 0, 205),
        (Format::A2B10G10R10_UNORM, 1, 496),
        (Format::R8G8B8A8_UNORM, 0, 51),
        (Format::R8G8B8A8_UNORM, 1, 124),
    ] {
        let mut guest = guest(format, PASS, DIFFUSE);
        let mut targets = SetRenderTargets { srgb, ..Default::default() };
        targets.color[0].texture = guest.pixels_target();
        guest.encoder.push(&targets);
        guest.draw_now(&full(0.5, [0.2, 0.0, 1.0, 1.0]));
        let word = u32::from_le_bytes(guest.pixels().at(3, 3));
        let red = word & if format == Format::R8G8B8A8_UNORM { 0xff } else { 0x3ff };
        assert!(red.abs_diff(expected) <= 2, "{format:?} {srgb}: {red}");
        guest.finish();
    }
}
