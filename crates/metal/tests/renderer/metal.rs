//! What Metal lacks, and what is made of it: each draw against one that Metal does by itself, or against pixels that are known.

use crate::common::*;
use afterimage_metal_calls::Family;
use afterimage_metal_soft::SoftDevice;
use afterimage_stream::packets::*;
use afterimage_stream::{Format, VertexFormat};
use std::sync::{Arc, Mutex};

/// Pictures: size, texels.
type Shown = Arc<Mutex<Vec<([u32; 2], Vec<u8>)>>>;

/// A target of 16 by 16 pixels, black, with shaders that pass colours through.
fn black() -> Guest {
    let mut guest = Guest::new();
    guest.target(Format::R8G8B8A8_UNORM, 16, 16);
    guest.clear(Clear::COLOR, BLACK, 1.0, 0);
    guest.shaders(VERTEX, COLOR);
    guest.layout();
    guest
}

/// A ring of corners around the middle, each of another colour.
fn corners() -> Vec<Vertex> {
    let colors = [RED, GREEN, BLUE, [1.0, 1.0, 0.0, 1.0], [0.0, 1.0, 1.0, 1.0]];
    let places = [[0.0, 0.0], [-0.9, -0.8], [-0.7, 0.9], [0.8, 0.7], [0.9, -0.6]];
    places.iter().zip(colors).map(|([x, y], color)| vertex(*x, *y, 0.5, color)).collect()
}

fn drawn(topology: Topology, indices: &[u32], bytes: u16, restart: u16) -> Vec<[u8; 4]> {
    let mut guest = black();
    guest.vertices(&corners());
    guest.draw_indices(topology, indices, bytes, restart);
    let pixels = guest.pixels().pixels;
    guest.finish();
    pixels
}

/// Whether pictures are the same within a level: a triangle whose corners come in another order is interpolated from another one.
fn are_alike(some: &[[u8; 4]], others: &[[u8; 4]]) -> bool {
    let near = |(a, b): (&u8, &u8)| a.abs_diff(*b) <= 1;
    some.len() == others.len() && some.iter().flatten().zip(others.iter().flatten()).all(near)
}

#[test]
fn fans_bytes_and_restarts_are_lists_to_metal() {
    let list = drawn(Topology::TriangleList, &[1, 2, 0, 2, 3, 0, 3, 4, 0], 4, 0);
    assert!(list.iter().filter(|pixel| **pixel != [0, 0, 0, 255]).count() > 100);
    for bytes in [1, 2, 4] {
        let fan = drawn(Topology::TriangleFan, &[0, 1, 2, 3, 4], bytes, 0);
        assert!(are_alike(&fan, &list), "a fan, {bytes} bytes");
        let none = (u64::from(u32::MAX) >> (32 - 8 * u32::from(bytes))) as u32;
        let parts = [0, 1, 2, 3, none, 0, 3, 4];
        assert!(are_alike(&drawn(Topology::TriangleFan, &parts, bytes, 1), &list), "two fans, {bytes} bytes");
        let parts = [1, 2, 0, 2, none, 2, 3, 0, 3, 4, 0];
        assert_eq!(drawn(Topology::TriangleList, &parts, bytes, 1), list, "a list, {bytes} bytes");
    }
    let strips = drawn(Topology::TriangleStrip, &[1, 2, 0, 3, 4], 2, 0);
    assert!(are_alike(&drawn(Topology::TriangleStrip, &[1, 2, 0, 3, 0xffff, 3, 0, 4], 2, 1), &strips));
}

#[test]
fn depth_bounds_are_metals_where_it_has_them() {
    let mut guest = Guest::on(SoftDevice::new(Family::Apple9));
    guest.target(Format::R8G8B8A8_UNORM, 16, 16);
    guest.shaders(VERTEX, COLOR);
    guest.layout();
    let screen = guest.pixels_target();
    let buffer = guest.texture(Format::D32_SFLOAT, 16, 16, 1, CreateTexture::TARGET);
    guest.bind(screen, buffer);
    guest.clear(Clear::COLOR | Clear::DEPTH, BLACK, 0.5, 0);
    let part = |flags, color, x, width| {
        let clear = Clear { flags, count: 1, color, depth: 0.875, ..bytemuck::Zeroable::zeroed() };
        (clear, Rect { x, y: 0, width, height: 16 })
    };
    let (clear, left) = part(Clear::DEPTH, BLACK, 0, 6);
    guest.encoder.push_tail(&clear, &[left]);
    // All of it in one pass, one draw after the other; what is drawn lies outside of all bounds.
    let bounds = |min, max| SetDepthBounds { enable: 1, min, max, pad: 0 };
    for (bounds, color) in [(bounds(0.75, 1.0), RED), (bounds(0.0, 0.25), BLUE), (bounds(0.75, 0.25), BLUE)] {
        guest.encoder.push(&bounds);
        guest.draw_now(&full(0.05, color));
    }
    // Clears have none.
    guest.encoder.push(&bounds(0.0, 0.25));
    let (clear, right) = part(Clear::COLOR, GREEN, 14, 2);
    guest.encoder.push_tail(&clear, &[right]);
    // They are as they were behind it.
    guest.draw_now(&full(0.05, BLUE));
    let pixels = guest.pixels();
    let count = |color| pixels.count(rgba(color));
    assert_eq!([RED, GREEN, BLUE, BLACK].map(count), [6 * 16, 2 * 16, 0, 8 * 16]);
    guest.encoder.push(&SetDepthBounds { enable: 0, ..bounds(0.0, 0.25) });
    guest.draw_now(&full(0.05, BLUE));
    assert_eq!(guest.pixels().count(rgba(BLUE)), 256);
    guest.finish();
}

#[test]
fn neighbours_are_no_part_of_a_primitive() {
    let list = drawn(Topology::TriangleList, &[1, 2, 3, 3, 4, 0], 4, 0);
    assert_eq!(drawn(Topology::TriangleListAdjacency, &[1, 0, 2, 0, 3, 0, 3, 1, 4, 1, 0, 1], 2, 0), list);
    let strip = drawn(Topology::TriangleStrip, &[1, 2, 4, 3], 2, 0);
    assert_eq!(drawn(Topology::TriangleStripAdjacency, &[1, 0, 2, 0, 4, 0, 3, 0], 2, 0), strip);
    let lines = drawn(Topology::LineList, &[1, 2, 3, 4], 2, 0);
    assert!(lines.iter().any(|pixel| *pixel != [0, 0, 0, 255]));
    assert_eq!(drawn(Topology::LineListAdjacency, &[0, 1, 2, 0, 0, 3, 4, 0], 1, 0), lines);
    let strip = drawn(Topology::LineStrip, &[1, 2, 3], 2, 0);
    assert_eq!(drawn(Topology::LineStripAdjacency, &[0, 1, 2, 3, 0], 2, 0), strip);
}

#[test]
fn the_greatest_index_may_be_a_vertex() {
    // 65,536 vertices, of which the last one is a corner.
    let mut guest = black();
    let mut vertices = vec![vertex(0.0, 0.0, 0.5, RED); 0x10000];
    vertices[1] = vertex(-1.0, -1.0, 0.5, GREEN);
    vertices[2] = vertex(-1.0, 1.0, 0.5, GREEN);
    vertices[0xffff] = vertex(1.0, 1.0, 0.5, GREEN);
    guest.vertices(&vertices);
    guest.draw_indices(Topology::TriangleList, &[1, 2, 0xffff], 2, 0);
    let list = guest.pixels();
    assert!(list.count(rgba(GREEN)) > 100);
    guest.clear(Clear::COLOR, BLACK, 1.0, 0);
    guest.draw_indices(Topology::TriangleStrip, &[1, 2, 0xffff], 2, 0);
    assert_eq!(guest.pixels().pixels, list.pixels);
    guest.finish();
}

#[test]
fn indices_beyond_the_vertices_read_zeros() {
    let mut guest = black();
    guest.vertices(&full(0.5, GREEN));
    // The third corner is at (0, 0, 0, 0), which is nowhere; the second triangle is drawn.
    guest.draw_indices(Topology::TriangleList, &[0, 1, 70_000, 3, 4, 5], 4, 0);
    let half = guest.pixels().count(rgba(GREEN));
    assert!((100..156).contains(&half), "{half}");
    guest.finish();
}

#[test]
fn vertices_that_lie_otherwise_are_copied() {
    // Strides of 27 bytes, the position behind an odd number of them.
    let mut bytes = vec![0u8; 5];
    for vertex in full(0.5, GREEN) {
        bytes.extend([7, 7, 7]);
        bytes.extend(bytemuck::bytes_of(&vertex.position));
        bytes.extend([0, 255, 0, 255]);
        bytes.extend([9; 4]);
    }
    let mut guest = black();
    let id = guest.buffer(CreateBuffer::VERTEX, &bytes);
    guest.layout_of(&[
        VertexAttribute::per_vertex(0, 3, VertexFormat::R32G32B32A32_SFLOAT, 3),
        VertexAttribute::per_vertex(1, 3, VertexFormat::R8G8B8A8_UNORM, 19),
    ]);
    let binding = VertexBuffer { source: id, stride: 27, offset: 5, size: 0 };
    guest.encoder.push_tail(&SetVertexBuffers { first: 3, count: 1 }, &[binding]);
    guest.draw(Topology::TriangleList, 0, 6);
    assert_eq!(guest.pixels().count(rgba(GREEN)), 256);
    guest.finish();
}

#[test]
fn a_stride_of_nothing_and_steps_of_instances() {
    let mut guest = black();
    let quads: Vec<Vertex> = quad([-1.0, -0.5], [-1.0, 1.0], 0.5, BLACK).into();
    guest.vertices(&quads);
    let colors = guest.buffer(CreateBuffer::VERTEX, bytemuck::cast_slice(&[RED, GREEN]));
    let color = |per_instance: u8, divisor: u16| VertexAttribute {
        per_instance,
        divisor,
        ..VertexAttribute::per_vertex(1, 1, VertexFormat::R32G32B32A32_SFLOAT, 0)
    };
    for (stride, per_instance, divisor, expected) in
        [(0, 0, 0, RED), (16, 1, 0, GREEN), (16, 1, 1, GREEN), (16, 1, 2, RED)]
    {
        guest.layout_of(&[
            VertexAttribute::per_vertex(0, 0, VertexFormat::R32G32B32A32_SFLOAT, 0),
            color(per_instance, divisor),
        ]);
        let binding = VertexBuffer { source: colors, stride, offset: 0, size: 0 };
        guest.encoder.push_tail(&SetVertexBuffers { first: 1, count: 1 }, &[binding]);
        let topology = Topology::TriangleList as u32;
        guest.encoder.push(&Draw { topology, first: 0, count: 6, instances: 2, first_instance: 0, pad: 0 });
        assert_eq!(guest.pixels().at(1, 8), rgba(expected), "stride {stride}, divisor {divisor}");
    }
    guest.finish();
}

#[test]
fn pictures_come_with_gamma() {
    let mut guest = Guest::new();
    let shown = Shown::default();
    let sink = Arc::clone(&shown);
    guest.renderer.set_picture_sink(Some(Box::new(move |picture| {
        sink.lock().unwrap().push(([picture.width, picture.height], picture.rgba.to_vec()));
    })));
    let target = guest.target(Format::B8G8R8A8_UNORM, 5, 3);
    guest.clear(Clear::COLOR, [1.0, 0.2, 0.4, 0.6], 1.0, 0);
    guest.present(target);
    // Upside down.
    let steps: Vec<u16> = (0..3).flat_map(|_| (0..256u32).map(|step| (65535 - step * 257) as u16)).collect();
    let id = guest.target;
    guest.encoder.push_tail(&SetGamma { id, count: 768 }, &steps);
    guest.present(target);
    guest.run();
    guest.finish();
    let shown = shown.lock().unwrap();
    assert_eq!(shown.len(), 2);
    assert!(shown.iter().all(|(size, _)| *size == [5, 3]));
    assert_eq!(shown[0].1, [255, 51, 102, 153].repeat(15));
    assert_eq!(shown[1].1, [0, 204, 153, 153].repeat(15));
}

#[test]
fn a_shader_may_write_depth_that_nobody_keeps() {
    let mut guest = black();
    let pixel = "pixel \"depth\" {\n  input in0 : f32x4 location 0 smooth\n  output out0 : f32x4 location 0\n  output out1 : f32 frag_depth\n  v0: f32x4 = load_input in0\n  v1: f32 = swizzle v0.x\n  store_output out0, v0\n  store_output out1, v1\n  return\n}";
    guest.shaders(VERTEX, pixel);
    guest.vertices(&full(0.5, GREEN));
    guest.draw(Topology::TriangleList, 0, 6);
    assert_eq!(guest.pixels().count(rgba(GREEN)), 256);
    guest.finish();
}

#[test]
fn what_is_not_there_is_refused_by_name_and_the_rest_goes_on() {
    let mut guest = black();
    guest.encoder.push(&BeginFeedback::default());
    guest.encoder.push(&EndFeedback::default());
    guest.vertices(&full(0.5, GREEN));
    let culls = "vertex \"culls\" {\n  output out0 : f32x4 position\n  output out1 : f32 cull_distance 0\n  v0: f32x4 = const 0.0, 0.0, 0.0, 1.0\n  v1: f32 = const 1.0\n  store_output out0, v0\n  store_output out1, v1\n  return\n}";
    guest.shaders(culls, COLOR);
    guest.draw(Topology::TriangleList, 0, 3);
    guest.try_run().unwrap();
    guest.replies.clear();
    guest.shaders(VERTEX, COLOR);
    guest.draw(Topology::TriangleList, 0, 6);
    assert_eq!(guest.pixels().count(rgba(GREEN)), 256);
    assert_eq!((guest.renderer.draws(), guest.renderer.skipped_draws()), (2, 1), "Metal has no culling distances");
    guest.finish();
}

#[test]
fn some_samples_of_pixels_are_drawn_to() {
    for pixel in [true, false] {
        let mut guest = Guest::new();
        let format = Format::R8G8B8A8_UNORM;
        let single = guest.target(format, 8, 8);
        let many =
            guest.texture_with(CreateTexture { samples: 4, usage: CreateTexture::TARGET, ..plain(format, 8, 8, 1) });
        let depth = Format::D32_SFLOAT;
        let depth =
            guest.texture_with(CreateTexture { samples: 4, usage: CreateTexture::TARGET, ..plain(depth, 8, 8, 1) });
        guest.bind(many, depth);
        guest.shaders(VERTEX, COLOR);
        guest.layout();
        for (mask, samples) in [(0b1111u32, 4u8), (0b0110, 2), (0b1000, 1), (u32::MAX << 4, 0)] {
            guest.clear(Clear::COLOR | Clear::DEPTH, BLACK, 1.0, 0);
            let raster = SetRaster { depth_clip: 1, sample_mask: mask, ..SetRaster::default() };
            guest.encoder.push(&raster);
            let tests = SetDepthStencil { depth_test: 1, depth_write: 1, ..SetDepthStencil::default() };
            guest.encoder.push(&SetDepthStencil { depth_compare: Compare::Less as u8, ..tests });
            if !pixel {
                // Nothing but depth is drawn; where that is, the next draw is.
                let vertex = guest.shader(Stage::Vertex, VERTEX);
                guest.encoder.push(&SetShaders { vertex, ..SetShaders::default() });
                guest.draw_now(&full(0.25, RED));
                guest.shaders(VERTEX, COLOR);
                guest.encoder.push(&SetRaster { sample_mask: u32::MAX, ..raster });
                guest.encoder.push(&SetDepthStencil { depth_compare: Compare::Greater as u8, ..tests });
            }
            guest.draw_now(&full(0.5, RED));
            let view = |texture| View { texture, level: 0, layer: 0 };
            let rect = Rect { x: 0, y: 0, width: 8, height: 8 };
            let (src, dst) = (view(many), view(single));
            guest.encoder.push(&Blit { src, dst, src_rect: rect, dst_rect: rect, filter: 0, pad: 0 });
            let red = (f32::from(samples) * 255.0 / 4.0).round() as i32;
            let found = guest.pixels().at(3, 4);
            assert!((i32::from(found[0]) - red).abs() <= 1, "{mask:b}: {found:?}, with a pixel shader: {pixel}");
        }
        guest.finish();
    }
}

#[test]
fn samples_are_updated_one_by_one() {
    let mut guest = Guest::new();
    for format in [Format::R8G8B8A8_UNORM, Format::R32_UINT, Format::D24_UNORM_S8_UINT] {
        let single = guest.texture(format, 4, 2, 1, CreateTexture::TARGET);
        let many =
            guest.texture_with(CreateTexture { samples: 4, usage: CreateTexture::TARGET, ..plain(format, 4, 2, 1) });
        // All of it, and then a part that begins in its middle.
        for (x, width, first) in [(0u32, 4u32, 10u8), (1, 2, 90)] {
            let texels: Vec<u8> =
                (0..4 * 2 * width).flat_map(|texel| [first + (texel / (2 * width)) as u8 * 20; 4]).collect();
            let data = guest.upload(&texels);
            let (row_pitch, slice_pitch) = (4 * width, 4 * width * 2);
            let body = UpdateTexture {
                id: many,
                level: 0,
                layer: 0,
                x,
                y: 0,
                z: 0,
                width,
                height: 2,
                depth: 4,
                row_pitch,
                slice_pitch,
                data,
            };
            guest.encoder.push(&body);
        }
        let view = |texture| View { texture, level: 0, layer: 0 };
        let rect = Rect { x: 0, y: 0, width: 4, height: 2 };
        let (src, dst) = (view(many), view(single));
        if format == Format::R32_UINT {
            // Integers do not resolve: that nothing is wrong is all that can be seen.
            guest.run();
            continue;
        }
        guest.encoder.push(&Blit { src, dst, src_rect: rect, dst_rect: rect, filter: 0, pad: 0 });
        let texels = guest.read(single, format, 0, 0, [4, 2]);
        // The mean of colours' samples; of depth the first one.
        let wanted = if format.is_depth() { [10, 90] } else { [40, 120] };
        for (at, texel) in texels.chunks(4).enumerate() {
            let wanted = wanted[usize::from((1..3).contains(&(at % 4)))];
            assert!(texel[..3].iter().all(|found| found.abs_diff(wanted) <= 1), "{format:?} {at}: {texel:?}, {wanted}");
        }
    }
    guest.finish();
}

#[test]
fn logical_operations_are_of_the_bits_of_a_format() {
    // Of channels of five, six and eight bits.
    let mut guest = Guest::new();
    guest.target(Format::R8G8B8A8_UNORM, 4, 4);
    for (format, texel) in [(Format::R5G6B5_UNORM, 2), (Format::A1R5G5B5_UNORM, 2), (Format::R8G8B8A8_UNORM, 4)] {
        let target = guest.texture(format, 4, 4, 1, CreateTexture::TARGET);
        guest.bind(target, afterimage_stream::ObjectId::NONE);
        guest.clear(Clear::COLOR, [0.0, 1.0, 0.0, 0.0], 1.0, 0);
        guest.shaders(VERTEX, COLOR);
        guest.layout();
        let blend = SetBlend { logic_op: LogicOp::Invert as u8, write_masks: [15; 8], ..SetBlend::default() };
        guest.encoder.push_tail(&blend, &[]);
        guest.draw_now(&full(0.5, RED));
        let texels = guest.read(target, format, 0, 0, [4, 4]);
        let wanted: &[u8] = match format {
            Format::R5G6B5_UNORM => &[0x1f, 0xf8],
            Format::A1R5G5B5_UNORM => &[0x1f, 0xfc],
            _ => &[255, 0, 255, 255],
        };
        assert!(texels.chunks(texel).all(|found| found == wanted), "{format:?}: {texels:x?}");
        guest.encoder.push_tail(&SetBlend { write_masks: [15; 8], ..SetBlend::default() }, &[]);
    }
    guest.finish();
}

#[test]
fn borders_of_any_colour_are_filtered_and_biases_are_added() {
    let mut guest = Guest::new();
    guest.target(Format::R8G8B8A8_UNORM, 16, 16);
    guest.shaders(VERTEX, TEXTURE);
    guest.layout();
    let texture = guest.texture(Format::R8G8B8A8_UNORM, 1, 1, 1, 0);
    guest.update_texture(texture, 0, 0, [1, 1], 4, &rgba([1.0; 4]));
    let address = [Address::ClampToBorder as u8; 3];
    let border = [0.0, 0.5, 1.0, 0.25];
    let sampler = guest.sampler(CreateSampler { address, border, ..sampling(Filter::Linear) });
    guest.bind_texture(0, texture, sampler);
    let mut vertices = full(0.5, RED);
    // From half a texel before the texture to half a texel behind it: half the border at its edges.
    vertices.iter_mut().for_each(|v| v.texcoord = v.texcoord.map(|at| at * 2.0 - 0.5));
    guest.draw_now(&vertices);
    let pixels = guest.pixels();
    for x in 0..16u32 {
        let at = (f64::from(x) + 0.5) / 8.0 - 0.5;
        // In the middle of v all weight of that axis is the texel's.
        let y = 7;
        let v = (f64::from(y) + 0.5) / 8.0 - 0.5;
        let inside = (1.0 - (at - 0.5).abs()).max(0.0) * (1.0 - (v - 0.5).abs()).max(0.0);
        let expected = border.map(|border| ((inside + (1.0 - inside) * f64::from(border)) * 255.0) as i32);
        let found = pixels.at(x, y);
        for (found, expected) in found.iter().zip(expected) {
            assert!((i32::from(*found) - expected).abs() <= 2, "{x}: {found} and not {expected}");
        }
    }
    guest.finish();
}

#[test]
fn rectangles_have_a_fourth_corner() {
    let mut guest = black();
    // Corners at (-1, 1), (0, 1), (-1, 0), and so on to the lower right: the upper left quarter, then the lower right.
    let vertex = "vertex \"rects\" {\n  input in0 : i32 vertex_index smooth\n  output out0 : f32x4 position\n  output out1 : f32x4 location 0\n  v0: i32 = load_input in0\n  v1: i32 = const 3\n  v2: i32 = udiv v0, v1\n  v3: i32 = umod v0, v1\n  v4: i32 = const 1\n  v5: i32 = const 2\n  v6: i32 = iand v3, v4\n  v7: i32 = ushr v3, v4\n  v8: f32 = i2f v6\n  v9: f32 = i2f v7\n  v10: f32 = i2f v2\n  v11: f32 = const 1.0\n  v12: f32 = const 0.5\n  v13: f32 = fadd v8, v10\n  v14: f32 = fsub v13, v11\n  v15: f32 = fadd v9, v10\n  v16: f32 = fsub v11, v15\n  v17: f32x4 = construct v14, v16, v12, v11\n  v18: f32x4 = construct v8, v9, v10, v11\n  store_output out0, v17\n  store_output out1, v18\n  return\n}";
    guest.shaders(vertex, COLOR);
    guest.draw(Topology::RectList, 3, 3);
    guest.draw(Topology::RectList, 0, 5);
    let pixels = guest.pixels();
    assert_eq!(pixels.count([0, 0, 0, 255]), 128, "two quarters");
    let near = |x: u32, y: u32, expected: [u8; 4]| {
        let there = pixels.at(x, y);
        assert!(there.iter().zip(expected).all(|(a, b)| a.abs_diff(b) < 18), "{x}, {y}: {there:?}");
    };
    near(0, 0, [0, 0, 0, 255]);
    near(7, 7, [255, 255, 0, 255]);
    near(8, 8, [0, 0, 255, 255]);
    near(15, 15, [255, 255, 255, 255]);
    near(15, 8, [255, 0, 255, 255]);
    guest.finish();
}

#[test]
fn rectangles_of_attributes_have_a_fourth_corner_also_by_indices() {
    // Colours at the corners: the fourth has what the second has more than the first, and the third.
    let corner = |x: f32, y: f32, color: [f32; 4]| vertex(x, y, 0.5, color);
    let rectangle = |x: f32, y: f32| {
        [corner(x, y, [0.0, 0.0, 0.0, 1.0]), corner(x + 1.0, y, RED), corner(x, y - 1.0, [0.0, 0.0, 1.0, 1.0])]
    };
    let vertices = [rectangle(-1.0, 1.0), rectangle(0.0, 0.0)].concat();
    let check = |pixels: &Pixels| {
        let near = |x: u32, y: u32, expected: [u8; 4]| {
            let there = pixels.at(x, y);
            assert!(there.iter().zip(expected).all(|(a, b)| a.abs_diff(b) < 18), "{x}, {y}: {there:?}");
        };
        near(0, 0, [0, 0, 0, 255]);
        near(7, 0, [255, 0, 0, 255]);
        near(7, 7, [255, 0, 255, 255]);
        near(0, 7, [0, 0, 255, 255]);
        near(15, 15, [255, 0, 255, 255]);
        assert_eq!((pixels.at(12, 4), pixels.at(4, 12)), ([0, 255, 0, 255], [0, 255, 0, 255]));
    };
    let mut guest = black();
    guest.clear(Clear::COLOR, GREEN, 1.0, 0);
    guest.vertices(&vertices);
    guest.draw(Topology::RectList, 0, 6);
    check(&guest.pixels());
    guest.clear(Clear::COLOR, GREEN, 1.0, 0);
    guest.draw_indices(Topology::RectList, &[3, 4, 5, 0, 1, 2], 2, 0);
    check(&guest.pixels());
    // From within a rectangle on: of the six vertices the last three.
    let mut moved = vec![vertices[0]];
    moved.extend(&vertices);
    guest.clear(Clear::COLOR, GREEN, 1.0, 0);
    guest.vertices(&moved);
    guest.draw(Topology::RectList, 1, 6);
    check(&guest.pixels());
    guest.finish();
}

#[test]
fn lines_become_wide_and_narrow_again_between_draws() {
    let mut guest = black();
    let line: Vec<Vertex> = [-0.8, 0.8].map(|x| vertex(x, 1.0 / 16.0, 0.5, GREEN)).into();
    guest.vertices(&line);
    let mut rows = |line_width: f32| {
        guest.clear(Clear::COLOR, BLACK, 1.0, 0);
        guest.encoder.push(&SetRaster { depth_clip: 1, sample_mask: u32::MAX, line_width, ..SetRaster::default() });
        guest.draw(Topology::LineList, 0, 2);
        guest.draw(Topology::LineList, 0, 2);
        let pixels = guest.pixels();
        (0..16).filter(|y| pixels.at(8, *y) == rgba(GREEN)).count()
    };
    assert_eq!([1.0, 5.0, 0.0, 3.0, 1.0].map(&mut rows), [1, 5, 1, 3, 1]);
    guest.finish();
}

#[test]
fn a_buffer_says_what_is_drawn() {
    let topology = Topology::TriangleList as u32;
    let mut guest = black();
    guest.vertices(&full(0.5, GREEN));
    let said = guest.words(&[77, 3, 1, 0, 0, 6, 1, 0, 0]);
    let buffer = said;
    guest.encoder.push(&DrawIndirect { topology, indexed: 0, buffer, count: 1, offset: 20, stride: 0, pad: 0 });
    assert_eq!(guest.pixels().count(rgba(GREEN)), 256);

    guest.clear(Clear::COLOR, BLACK, 1.0, 0);
    let indices = guest.buffer(CreateBuffer::INDEX, bytemuck::cast_slice(&[9u16, 0, 1, 2, 3, 4, 5]));
    guest.encoder.push(&SetIndexBuffer { source: indices, index_bytes: 2, restart: 0, offset: 0, size: 0 });
    // Two draws of a triangle each, the second beyond what there is.
    let buffer = guest.words(&[3, 1, 1, 0, 0, 300, 1, 4, 0, 0]);
    guest.encoder.push(&DrawIndirect { topology, indexed: 1, buffer, count: 2, offset: 0, stride: 20, pad: 0 });
    assert_eq!(guest.pixels().count(rgba(GREEN)), 256);

    guest.clear(Clear::COLOR, BLACK, 1.0, 0);
    let counter = guest.words(&[0, 100 + 6 * size_of::<Vertex>() as u32]);
    let stride = size_of::<Vertex>() as u32;
    let draw =
        DrawByteCount { topology, instances: 1, first_instance: 0, counter, offset: 4, counter_offset: 100, stride };
    guest.encoder.push(&draw);
    assert_eq!(guest.pixels().count(rgba(GREEN)), 256);
    assert_eq!(guest.renderer.draws(), 4);
    guest.finish();
}
