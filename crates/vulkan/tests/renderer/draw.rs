//! Draws and clears: what ends up in the pixels.

use crate::common::*;
use afterimage_stream::packets::*;
use afterimage_stream::{Format, Kind, ObjectId, ObjectKind};

#[test]
fn clear_fills_the_target() {
    let mut guest = Guest::new();
    guest.target(Format::R8G8B8A8_UNORM, 16, 8);
    // Whole 255ths: devices round halves as they like.
    guest.clear(Clear::COLOR, [1.0, 0.2, 0.4, 0.6], 1.0, 0);
    let pixels = guest.pixels();
    assert_eq!(pixels.count([255, 51, 102, 153]), 16 * 8);
    guest.finish();
}

#[test]
fn clear_of_rectangles_leaves_the_rest() {
    let mut guest = Guest::new();
    guest.target(Format::R8G8B8A8_UNORM, 16, 16);
    guest.clear(Clear::COLOR, RED, 1.0, 0);
    let rects = [
        Rect { x: 2, y: 3, width: 4, height: 5 },
        Rect { x: -5, y: 14, width: 100, height: 100 },
        Rect { x: 40, y: 0, width: 3, height: 3 },
    ];
    guest
        .encoder
        .push_tail(&Clear { flags: Clear::COLOR, count: 3, color: GREEN, ..bytemuck::Zeroable::zeroed() }, &rects);
    let pixels = guest.pixels();
    assert_eq!(pixels.count(rgba(GREEN)), 4 * 5 + 2 * 16);
    assert_eq!(pixels.at(2, 3), rgba(GREEN));
    assert_eq!(pixels.at(1, 3), rgba(RED));
    guest.finish();
}

#[test]
fn a_triangle_has_its_corner_up() {
    let mut guest = Guest::new();
    guest.target(Format::R8G8B8A8_UNORM, 32, 32);
    guest.clear(Clear::COLOR, BLACK, 1.0, 0);
    guest.shaders(VERTEX, COLOR);
    guest.layout();
    // Covers the upper left half: y is up in clip space.
    guest.vertices(&[vertex(-1.0, -1.0, 0.5, RED), vertex(-1.0, 1.0, 0.5, RED), vertex(1.0, 1.0, 0.5, RED)]);
    guest.draw(Topology::TriangleList, 0, 3);
    let pixels = guest.pixels();
    assert_eq!(pixels.at(1, 1), rgba(RED));
    assert_eq!(pixels.at(30, 30), rgba(BLACK));
    assert_eq!(pixels.count(rgba(RED)) + pixels.count(rgba(BLACK)), 32 * 32);
    guest.finish();
}

#[test]
fn indices_choose_vertices_and_are_clamped() {
    for bytes in [2u32, 4] {
        let mut guest = Guest::new();
        guest.target(Format::R8G8B8A8_UNORM, 8, 8);
        guest.clear(Clear::COLOR, BLACK, 1.0, 0);
        guest.shaders(VERTEX, COLOR);
        guest.layout();
        let mut vertices = vec![vertex(0.0, 0.0, 0.0, RED); 3];
        vertices.extend(full(0.5, GREEN));
        guest.vertices(&vertices);
        let indices: Vec<u32> = vec![9, 0, 1, 2, 3, 4, 5];
        let data = match bytes {
            2 => bytemuck::cast_slice(&indices.iter().map(|&i| i as u16).collect::<Vec<_>>()).to_vec(),
            _ => bytemuck::cast_slice(&indices).to_vec(),
        };
        let source = guest.buffer(CreateBuffer::INDEX, &data);
        guest.encoder.push(&SetIndexBuffer { source, index_bytes: bytes as u16, restart: 0, offset: 0, size: 0 });
        // More indices than the buffer holds: those that are there are drawn.
        let topology = Topology::TriangleList as u32;
        guest.encoder.push(&DrawIndexed {
            topology,
            first: 1,
            count: 999,
            instances: 1,
            base_vertex: 3,
            first_instance: 0,
        });
        assert_eq!(guest.pixels().count(rgba(GREEN)), 64, "{bytes} bytes per index");
        guest.finish();
    }
}

#[test]
fn a_fan_and_a_strip_cover_the_same() {
    for (topology, order) in [(Topology::TriangleFan, [0, 1, 2, 3]), (Topology::TriangleStrip, [0, 1, 3, 2])] {
        let mut guest = Guest::new();
        guest.target(Format::R8G8B8A8_UNORM, 8, 8);
        guest.clear(Clear::COLOR, BLACK, 1.0, 0);
        guest.shaders(VERTEX, COLOR);
        guest.layout();
        let corners = [(-1.0, -1.0), (-1.0, 1.0), (1.0, 1.0), (1.0, -1.0)];
        let vertices = order.map(|i: usize| vertex(corners[i].0, corners[i].1, 0.5, BLUE));
        guest.vertices(&vertices);
        guest.draw(topology, 0, 4);
        assert_eq!(guest.pixels().count(rgba(BLUE)), 64, "{topology:?}");
        guest.finish();
    }
}

#[test]
fn attributes_without_a_buffer_read_the_default() {
    let mut guest = Guest::new();
    guest.target(Format::R8G8B8A8_UNORM, 8, 8);
    guest.clear(Clear::COLOR, RED, 1.0, 0);
    guest.shaders(VERTEX, COLOR);
    let id = guest.id(ObjectKind::VertexInput);
    let format = afterimage_stream::VertexFormat::R32G32B32A32_SFLOAT as u8;
    let attribute = VertexAttribute { location: 0, slot: 0, format, per_instance: 0, offset: 0, divisor: 0 };
    guest.encoder.push_tail(&CreateVertexInput { id, count: 1 }, &[attribute]);
    guest.encoder.push(&SetVertexInput { id, pad: 0 });
    guest.vertices(&full(0.5, GREEN));
    guest.draw(Topology::TriangleList, 0, 6);
    assert_eq!(guest.pixels().count([0, 0, 0, 255]), 64);
    guest.finish();
}

#[test]
fn constants_change_between_draws() {
    let mut guest = Guest::new();
    guest.target(Format::R8G8B8A8_UNORM, 16, 4);
    guest.clear(Clear::COLOR, BLACK, 1.0, 0);
    guest.shaders(VERTEX, CONSTANT);
    guest.layout();
    let vertices: Vec<_> =
        (0..4).flat_map(|i| quad([-1.0 + i as f32 * 0.5, -0.5 + i as f32 * 0.5], [-1.0, 1.0], 0.5, RED)).collect();
    guest.vertices(&vertices);
    let colors = [RED, GREEN, BLUE, [1.0, 1.0, 0.0, 0.0]];
    for (i, color) in colors.into_iter().enumerate() {
        guest.pixel_constant(0, color);
        guest.draw(Topology::TriangleList, i as u32 * 6, 6);
    }
    let pixels = guest.pixels();
    for (i, color) in colors.into_iter().enumerate() {
        assert_eq!(pixels.at(i as u32 * 4 + 1, 2), rgba(color));
        assert_eq!(pixels.count(rgba(color)), 16);
    }
    guest.finish();
}

#[test]
fn scissor_and_viewport_bound_the_draw() {
    let mut guest = Guest::new();
    guest.target(Format::R8G8B8A8_UNORM, 16, 16);
    guest.clear(Clear::COLOR, BLACK, 1.0, 0);
    guest.shaders(VERTEX, COLOR);
    guest.layout();
    guest.vertices(&full(0.5, RED));
    guest.encoder.push(&SetScissor { rect: Rect { x: -4, y: 2, width: 8, height: 100 } });
    guest.draw(Topology::TriangleList, 0, 6);
    let all = Rect { x: 0, y: 0, width: i32::MAX as u32, height: i32::MAX as u32 };
    guest.encoder.push(&SetScissor { rect: all });
    guest.encoder.push(&SetViewport { x: 8.0, y: 0.0, width: 4.0, height: 6.0, min_depth: 0.0, max_depth: 1.0 });
    guest.vertices(&full(0.5, GREEN));
    guest.draw(Topology::TriangleList, 0, 6);
    // Nothing can be seen through these.
    guest.encoder.push(&SetViewport { x: 0.0, y: 0.0, width: 0.0, height: 6.0, min_depth: 0.0, max_depth: 1.0 });
    guest.draw(Topology::TriangleList, 0, 6);
    guest.viewport(16, 16);
    guest.encoder.push(&SetScissor { rect: Rect { x: 40, y: 0, width: 8, height: 8 } });
    guest.draw(Topology::TriangleList, 0, 6);
    let pixels = guest.pixels();
    assert_eq!(pixels.count(rgba(RED)), 4 * 14);
    assert_eq!(pixels.count(rgba(GREEN)), 4 * 6);
    assert_eq!(pixels.at(8, 0), rgba(GREEN));
    guest.finish();
}

#[test]
fn faces_are_culled_by_winding() {
    for (cull, ccw, drawn) in
        [(Cull::Back, 0, true), (Cull::Back, 1, false), (Cull::Front, 0, false), (Cull::None, 1, true)]
    {
        let mut guest = Guest::new();
        guest.target(Format::R8G8B8A8_UNORM, 8, 8);
        guest.clear(Clear::COLOR, BLACK, 1.0, 0);
        guest.shaders(VERTEX, COLOR);
        guest.layout();
        // Lower left, upper left, upper right: clockwise as seen.
        guest.vertices(&full(0.5, RED));
        let raster =
            SetRaster { cull: cull as u8, front_ccw: ccw, depth_clip: 1, sample_mask: u32::MAX, ..Default::default() };
        guest.encoder.push(&raster);
        guest.draw(Topology::TriangleList, 0, 6);
        assert_eq!(guest.pixels().count(rgba(RED)), if drawn { 64 } else { 0 }, "{cull:?} {ccw}");
        guest.finish();
    }
}

#[test]
fn fresh_vertices_per_draw() {
    let mut guest = Guest::new();
    guest.target(Format::R8G8B8A8_UNORM, 16, 16);
    guest.clear(Clear::COLOR, BLACK, 1.0, 0);
    guest.shaders(VERTEX, COLOR);
    guest.layout();
    guest.draw_now(&quad([-1.0, 0.0], [-1.0, 1.0], 0.5, RED));
    guest.draw_now(&quad([0.0, 1.0], [-1.0, 1.0], 0.5, BLUE));
    let pixels = guest.pixels();
    assert_eq!((pixels.count(rgba(RED)), pixels.count(rgba(BLUE))), (128, 128));
    guest.finish();
}

/// The limit of the document that this project follows was 8,192.
#[test]
fn every_one_of_8256_draws_is_drawn() {
    let mut guest = Guest::new();
    guest.target(Format::R8G8B8A8_UNORM, 96, 86);
    guest.clear(Clear::COLOR, BLACK, 1.0, 0);
    guest.shaders(VERTEX, COLOR);
    guest.layout();
    let mut vertices = Vec::new();
    for i in 0..8256u32 {
        let (x, y) = ((i % 96) as f32 / 48.0 - 1.0, 1.0 - (i / 96) as f32 / 43.0);
        let color = if i % 2 == 0 { RED } else { GREEN };
        vertices.extend(quad([x, x + 1.0 / 48.0], [y - 1.0 / 43.0, y], 0.5, color));
    }
    guest.vertices(&vertices);
    for i in 0..8256 {
        // Half of them in runs, half with a change between.
        if i > 4000 {
            guest.pixel_constant(1, [i as f32; 4]);
        }
        guest.draw(Topology::TriangleList, i * 6, 6);
    }
    let pixels = guest.pixels();
    assert_eq!((pixels.count(rgba(RED)), pixels.count(rgba(GREEN))), (4128, 4128));
    assert_eq!((guest.renderer.draws(), guest.renderer.skipped_draws()), (8256, 0));
    guest.finish();
}

#[test]
fn a_damaged_packet_costs_only_itself() {
    let mut guest = Guest::new();
    guest.target(Format::R8G8B8A8_UNORM, 8, 8);
    guest.clear(Clear::COLOR, BLACK, 1.0, 0);
    guest.shaders(VERTEX, COLOR);
    guest.layout();
    guest.vertices(&full(0.5, RED));
    guest.draw(Topology::TriangleList, 0, 6);
    // Names a texture that does not exist.
    guest.bind_texture(0, ObjectId::new(ObjectKind::Texture, 77), ObjectId::NONE);
    guest.encoder.push(&Draw { topology: 99, first: 0, count: 3, instances: 1, first_instance: 0, pad: 0 });
    let error = guest.try_run().unwrap_err();
    assert_eq!(error.kind, Some(Kind::SetTextures));
    guest.replies.clear();
    assert_eq!(guest.pixels().count(rgba(RED)), 64);
    guest.finish();
}

#[test]
fn a_shader_that_cannot_be_compiled_costs_only_its_draws() {
    let mut guest = Guest::new();
    guest.target(Format::R8G8B8A8_UNORM, 8, 8);
    guest.clear(Clear::COLOR, BLACK, 1.0, 0);
    guest.layout();
    guest.vertices(&full(0.5, RED));
    guest.shaders(VERTEX, "pixel \"broken\" { nonsense }");
    guest.draw(Topology::TriangleList, 0, 6);
    guest.draw(Topology::TriangleList, 0, 6);
    assert_eq!(guest.pixels().count(rgba(BLACK)), 64);
    assert_eq!(guest.renderer.skipped_draws(), 2);
    guest.shaders(VERTEX, COLOR);
    guest.draw(Topology::TriangleList, 0, 6);
    assert_eq!(guest.pixels().count(rgba(RED)), 64);
    guest.finish();
}
