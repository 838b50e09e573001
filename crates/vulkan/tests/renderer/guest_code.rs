//! Guest code of Direct3D 9, and what pipelines of its time do around it: alpha test, fog, point sizes, clip planes.

use crate::common::*;
use afterimage_stream::packets::*;
use afterimage_stream::{Format, ObjectId, ObjectKind};
use afterimage_vulkan::Without;

/// Language number of Direct3D 9's tokens.
const D3D9: u32 = 1;

const PASS: &str = "vs_2_0\ndcl_position v0\ndcl_color v1\nmov oPos, v0\nmov oD0, v1";
const DIFFUSE: &str = "ps_2_0\ndcl v0\nmov oC0, v0";

fn tokens(guest: &mut Guest, stage: Stage, text: &str) -> ObjectId {
    let tokens = afterimage_shader_d3d9::assemble(text).unwrap();
    let id = guest.id(ObjectKind::Shader);
    let code = guest.upload(bytemuck::cast_slice(&tokens));
    guest.encoder.push(&CreateShader { id, stage: stage as u32, language: D3D9, pad: 0, code });
    id
}

fn guest(vertex: &str, pixel: &str) -> Guest {
    prepared(Guest::new(), vertex, pixel)
}

fn prepared(mut guest: Guest, vertex: &str, pixel: &str) -> Guest {
    guest.target(Format::R8G8B8A8_UNORM, 16, 16);
    guest.clear(Clear::COLOR, BLACK, 1.0, 0);
    let vertex = tokens(&mut guest, Stage::Vertex, vertex);
    let pixel = tokens(&mut guest, Stage::Pixel, pixel);
    guest.encoder.push(&SetShaders { vertex, pixel, ..SetShaders::default() });
    guest.layout();
    guest
}

fn ops() -> SetPixelOps {
    SetPixelOps { alpha_compare: Compare::Always as u8, ..Default::default() }
}

#[test]
fn tokens_are_translated_and_constants_reach_them() {
    let mut guest =
        guest("vs_2_0\ndcl_position v0\nadd oPos, v0, c5", "ps_2_0\ndef c1, 0, 0.6, 0, 0\nadd r0, c0, c1\nmov oC0, r0");
    let values = [0.5f32, 0.0, 0.0, 0.0].map(f32::to_bits);
    guest.encoder.push_tail(&SetConstants { bank: 0, first: 5, count: 1 }, &[values]);
    guest.pixel_constant(0, [1.0, 0.0, 0.0, 1.0]);
    guest.draw_now(&quad([-1.0, 0.0], [-1.0, 1.0], 0.5, RED));
    let pixels = guest.pixels();
    assert_eq!(pixels.count([255, 153, 0, 255]), 8 * 16);
    assert_eq!((pixels.at(4, 8), pixels.at(3, 8)), ([255, 153, 0, 255], rgba(BLACK)), "moved to the right");
    guest.finish();
}

#[test]
fn alpha_test_variants() {
    let mut guest = guest(PASS, DIFFUSE);
    let cases = [
        (Compare::Greater, 0.4, true),
        (Compare::Greater, 0.7, false),
        (Compare::Less, 0.7, true),
        (Compare::Never, 0.0, false),
    ];
    for (compare, alpha_ref, drawn) in cases {
        guest.clear(Clear::COLOR, BLACK, 1.0, 0);
        guest.encoder.push(&SetPixelOps { alpha_compare: compare as u8, alpha_ref, ..ops() });
        guest.draw_now(&full(0.5, [1.0, 0.0, 0.0, 0.6]));
        assert_eq!(guest.pixels().count([255, 0, 0, 153]), if drawn { 256 } else { 0 }, "{compare:?} {alpha_ref}");
    }
    guest.finish();
}

#[test]
fn fog_by_depth() {
    let mut guest = guest(PASS, DIFFUSE);
    let fog = SetPixelOps { fog: FogMode::Linear as u8, fog_start: 0.0, fog_end: 1.0, fog_color: BLUE, ..ops() };
    guest.encoder.push(&fog);
    guest.draw_now(&full(0.25, RED));
    let [r, _, b, _] = guest.pixels().at(8, 8);
    assert!(r.abs_diff(191) <= 1 && b.abs_diff(64) <= 1, "a quarter of fog: {r} {b}");
    guest.finish();
}

#[test]
fn points_have_the_size_of_the_state() {
    let mut guest = guest(PASS, DIFFUSE);
    for (size, count) in [(1.0, 1), (4.0, 16), (6.0, 36)] {
        guest.clear(Clear::COLOR, BLACK, 1.0, 0);
        let raster = SetRaster { depth_clip: 1, sample_mask: u32::MAX, point_size: size, ..Default::default() };
        guest.encoder.push(&raster);
        // The centre of the pixel at 8, 8 for odd sizes, its corner for even ones.
        let at = if size == 1.0 { 0.5 / 8.0 } else { 0.0 };
        guest.vertices(&[vertex(at, -at, 0.5, GREEN)]);
        guest.draw(Topology::PointList, 0, 1);
        // Triangles in between must not have a size.
        guest.draw(Topology::TriangleList, 0, 0);
        assert_eq!(guest.pixels().count(rgba(GREEN)), count, "size {size}");
    }
    guest.finish();
}

#[test]
fn clip_planes_cut() {
    // With clip distances, and by pixel shaders where there are none: what KosmicKrisp lacks, with geometry shaders.
    let without = Without { beyond_kosmickrisp: true, ..Without::default() };
    for device in [Guest::new(), Guest::with(without)] {
        let mut guest = prepared(device, PASS, DIFFUSE);
        // What stays: x >= 0; then a strip of each side is cut off, a quarter, an eighth and so on; all of it.
        let planes = [
            [1.0f32, 0.0, 0.0, 0.0],
            [1.0, 0.0, 0.0, 0.75],
            [-1.0, 0.0, 0.0, 0.5],
            [0.0, 1.0, 0.0, 0.875],
            [0.0, -1.0, 0.0, 0.25],
            [0.0, 0.0, 1.0, 0.0],
        ];
        let planes = planes.map(|plane| plane.map(f32::to_bits));
        guest.encoder.push_tail(&SetConstants { bank: 8, first: 8, count: 6 }, &planes);
        for (mask, drawn) in
            [(1, 128), (2, 14 * 16), (0b00110, 10 * 16), (0b11110, 10 * 9), (0b111110, 90), (0b111111, 4 * 9)]
        {
            guest.clear(Clear::COLOR, BLACK, 1.0, 0);
            guest.encoder.push(&SetPixelOps { clip_planes: mask, ..ops() });
            guest.draw_now(&full(0.5, RED));
            let pixels = guest.pixels();
            assert_eq!(pixels.count(rgba(RED)), drawn, "planes {mask:#b}");
        }
        guest.finish();
    }
}
