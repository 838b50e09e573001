//! Blending, depth, stencil, several targets, queries, dynamic buffers.

use crate::common::*;
use afterimage_stream::packets::*;
use afterimage_stream::{Format, ObjectId, ObjectKind, Reply};
use afterimage_vulkan::Without;

/// With blending in dynamic state, and in the pipeline.
fn profiles() -> [Without; 2] {
    [Without::default(), Without { dynamic_state3: true, multi_draw: true, ..Without::default() }]
}

fn colored(without: Without) -> Guest {
    let mut guest = Guest::with(without);
    guest.target(Format::R8G8B8A8_UNORM, 8, 8);
    guest.clear(Clear::COLOR, BLACK, 1.0, 0);
    guest.shaders(VERTEX, COLOR);
    guest.layout();
    guest
}

fn blend(src: BlendFactor, dst: BlendFactor, op: BlendOp) -> SetBlend {
    SetBlend {
        enable: 1,
        src_color: src as u8,
        dst_color: dst as u8,
        color_op: op as u8,
        src_alpha: BlendFactor::One as u8,
        dst_alpha: BlendFactor::Zero as u8,
        write_masks: [15; 8],
        ..Default::default()
    }
}

#[test]
fn blending_and_write_masks() {
    for without in profiles() {
        let mut guest = colored(without);
        guest.clear(Clear::COLOR, [0.2, 0.4, 0.0, 1.0], 1.0, 0);
        guest.encoder.push_tail(&blend(BlendFactor::SrcAlpha, BlendFactor::One, BlendOp::Add), &[]);
        guest.draw_now(&full(0.5, [1.0, 0.0, 0.4, 0.6]));
        assert_eq!(guest.pixels().at(4, 4), [204, 102, 61, 153]);
        guest.encoder.push_tail(&blend(BlendFactor::One, BlendFactor::One, BlendOp::ReverseSubtract), &[]);
        guest.draw_now(&full(0.5, [0.2, 0.2, 0.0, 1.0]));
        assert_eq!(guest.pixels().at(4, 4), [153, 51, 61, 255]);
        guest.encoder.push_tail(&SetBlend { write_masks: [0b0101; 8], ..Default::default() }, &[]);
        guest.draw_now(&full(0.5, [1.0, 1.0, 1.0, 0.0]));
        assert_eq!(guest.pixels().at(4, 4), [255, 51, 255, 255]);
        let mut constant = blend(BlendFactor::ConstantColor, BlendFactor::Zero, BlendOp::Add);
        constant.constant = [0.0, 1.0, 0.4, 1.0];
        guest.encoder.push_tail(&constant, &[]);
        guest.draw_now(&full(0.5, [1.0, 1.0, 1.0, 0.0]));
        assert_eq!(guest.pixels().at(4, 4), [0, 255, 102, 0]);
        guest.finish();
    }
}

fn depth(compare: Compare, write: bool) -> SetDepthStencil {
    SetDepthStencil { depth_test: 1, depth_write: write.into(), depth_compare: compare as u8, ..Default::default() }
}

#[test]
fn depth_tests() {
    for format in [Format::D16_UNORM, Format::D24_UNORM_S8_UINT, Format::D32_SFLOAT, Format::X8_D24_UNORM] {
        let mut guest = colored(Without::default());
        let screen = guest.pixels_target();
        let buffer = guest.texture(format, 8, 8, 1, CreateTexture::TARGET);
        guest.bind(screen, buffer);
        guest.clear(Clear::DEPTH, BLACK, 1.0, 0);
        guest.encoder.push(&depth(Compare::Less, true));
        guest.draw_now(&full(0.5, RED));
        guest.draw_now(&full(0.7, GREEN));
        assert_eq!(guest.pixels().count(rgba(RED)), 64, "{format:?}");
        guest.encoder.push(&depth(Compare::Greater, false));
        guest.draw_now(&full(0.7, GREEN));
        guest.draw_now(&full(0.6, BLUE));
        assert_eq!(guest.pixels().count(rgba(BLUE)), 64, "{format:?}: depth was not written");
        guest.finish();
    }
}

#[test]
fn depth_bias_is_in_units_of_depth() {
    for format in [Format::D16_UNORM, Format::D24_UNORM_S8_UINT, Format::D32_SFLOAT] {
        let mut guest = colored(Without::default());
        let screen = guest.pixels_target();
        let buffer = guest.texture(format, 8, 8, 1, CreateTexture::TARGET);
        guest.bind(screen, buffer);
        guest.clear(Clear::DEPTH, BLACK, 0.75, 0);
        guest.encoder.push(&depth(Compare::Less, true));
        let raster = SetRaster { depth_clip: 1, bias_enable: 1, sample_mask: u32::MAX, ..Default::default() };
        guest.encoder.push(&SetRaster { depth_bias: 0.2, ..raster });
        guest.draw_now(&full(0.6, RED));
        assert_eq!(guest.pixels().count(rgba(RED)), 0, "{format:?}: 0.8 is behind");
        guest.encoder.push(&SetRaster { depth_bias: 0.1, ..raster });
        guest.draw_now(&full(0.6, GREEN));
        assert_eq!(guest.pixels().count(rgba(GREEN)), 64, "{format:?}: 0.7 is in front");
        guest.finish();
    }
}

#[test]
fn stencil_counts_and_masks() {
    let mut guest = colored(Without::default());
    let screen = guest.pixels_target();
    let buffer = guest.texture(Format::D24_UNORM_S8_UINT, 8, 8, 1, CreateTexture::TARGET);
    guest.bind(screen, buffer);
    guest.clear(Clear::DEPTH | Clear::STENCIL, BLACK, 1.0, 3);
    let face = |compare: Compare, pass: StencilOp| StencilFace {
        compare: compare as u8,
        pass: pass as u8,
        ..Default::default()
    };
    let stencil = |face, reference| SetDepthStencil {
        stencil_test: 1,
        front: face,
        back: face,
        reference,
        read_mask: 0xff,
        write_mask: 0xff,
        ..Default::default()
    };
    guest.encoder.push(&stencil(face(Compare::Always, StencilOp::IncrementWrap), 0));
    guest.draw_now(&quad([-1.0, 0.0], [-1.0, 1.0], 0.5, RED));
    guest.encoder.push(&stencil(face(Compare::Equal, StencilOp::Keep), 4));
    guest.draw_now(&full(0.5, GREEN));
    let pixels = guest.pixels();
    assert_eq!((pixels.count(rgba(GREEN)), pixels.count(rgba(BLACK))), (32, 32));
    guest.finish();
}

const TWO: &str = r#"pixel "two" {
  input in0 : f32x4 location 0 smooth
  output out0 : f32x4 location 0
  output out1 : f32x4 location 1
  v0: f32x4 = load_input in0
  v1: f32x4 = swizzle v0.bgra
  store_output out0, v0
  store_output out1, v1
  return
}"#;

#[test]
fn several_targets_and_outputs_that_are_not_written() {
    for without in profiles() {
        let mut guest = colored(without);
        let first = guest.pixels_target();
        let second = guest.texture(Format::B8G8R8A8_UNORM, 8, 8, 1, CreateTexture::TARGET);
        let third = guest.texture(Format::R8G8B8A8_UNORM, 8, 8, 1, CreateTexture::TARGET);
        let mut targets = SetRenderTargets::default();
        targets.color[0].texture = first;
        targets.color[1].texture = second;
        targets.color[3].texture = third;
        guest.encoder.push(&targets);
        guest.clear(Clear::COLOR, GREEN, 1.0, 0);
        guest.shaders(VERTEX, &TWO.replace("bgra", "zyxw"));
        guest.draw_now(&full(0.5, RED));
        assert_eq!(guest.pixels().count(rgba(RED)), 64);
        let texels = guest.read(second, Format::B8G8R8A8_UNORM, 0, 0, [8, 8]);
        assert!(texels.chunks_exact(4).all(|texel| texel == [255, 0, 0, 255]), "blue, with blue first");
        let texels = guest.read(third, Format::R8G8B8A8_UNORM, 0, 0, [8, 8]);
        assert!(texels.chunks_exact(4).all(|texel| texel == rgba(GREEN)), "no output goes there");
        guest.finish();
    }
}

#[test]
fn targets_of_different_sizes_are_cleared_whole() {
    let mut guest = colored(Without::default());
    let small = guest.texture(Format::R8G8B8A8_UNORM, 4, 4, 1, CreateTexture::TARGET);
    let large = guest.texture(Format::D32_SFLOAT, 16, 16, 1, CreateTexture::TARGET);
    guest.bind(small, large);
    guest.clear(Clear::COLOR | Clear::DEPTH, RED, 0.5, 0);
    let depths = guest.read(large, Format::D32_SFLOAT, 0, 0, [16, 16]);
    assert!(depths.chunks_exact(4).all(|texel| texel == 0.5f32.to_le_bytes()));
    let texels = guest.read(small, Format::R8G8B8A8_UNORM, 0, 0, [4, 4]);
    assert!(texels.chunks_exact(4).all(|texel| texel == rgba(RED)));
    guest.finish();
}

#[test]
fn occlusion_counts_samples_across_passes() {
    let mut guest = colored(Without::default());
    let screen = guest.pixels_target();
    let (outer, inner) = (guest.id(ObjectKind::Query), guest.id(ObjectKind::Query));
    for id in [outer, inner] {
        guest.encoder.push(&CreateQuery { id, kind: QueryKind::Occlusion as u32 });
    }
    guest.draw_now(&full(0.5, RED));
    guest.encoder.push(&BeginQuery { id: outer, pad: 0 });
    guest.draw_now(&quad([-1.0, 0.0], [-1.0, 1.0], 0.5, RED));
    guest.encoder.push(&BeginQuery { id: inner, pad: 0 });
    guest.draw_now(&quad([-1.0, -0.75], [0.75, 1.0], 0.5, RED));
    guest.encoder.push(&EndQuery { id: inner, pad: 0, token: 7 });
    // Another pass, and another submission.
    let other = guest.texture(Format::R8G8B8A8_UNORM, 8, 8, 1, CreateTexture::TARGET);
    guest.bind(other, ObjectId::NONE);
    guest.draw_now(&quad([-1.0, 1.0], [0.75, 1.0], 0.5, RED));
    guest.pixels();
    guest.bind(screen, ObjectId::NONE);
    guest.draw_now(&quad([-1.0, -0.75], [-1.0, 1.0], 0.5, RED));
    guest.encoder.push(&EndQuery { id: outer, pad: 0, token: 8 });
    guest.pixels();
    let value = |token| {
        guest.replies.iter().find_map(|reply| match *reply {
            Reply::Query { token: t, value, .. } if t == token => Some(value),
            _ => None,
        })
    };
    assert_eq!((value(7), value(8)), (Some(1), Some(32 + 1 + 8 + 8)));
    guest.finish();
}

#[test]
fn primitives_are_counted_before_and_behind_clipping() {
    if !HAS.primitives {
        return;
    }
    let mut guest = colored(Without::default());
    assert_eq!(guest.renderer.device_info().pipeline_statistics, 1, "the test's device counts");
    let (id, samples) = (guest.id(ObjectKind::Query), guest.id(ObjectKind::Query));
    guest.encoder.push(&CreateQuery { id, kind: QueryKind::Primitives as u32 });
    guest.encoder.push(&CreateQuery { id: samples, kind: QueryKind::Occlusion as u32 });
    guest.draw_now(&full(0.5, RED));
    guest.encoder.push(&BeginQuery { id, pad: 0 });
    guest.draw_now(&quad([-1.0, 0.0], [-1.0, 1.0], 0.5, RED));
    // Both kinds at once, and over a submission.
    guest.encoder.push(&BeginQuery { id: samples, pad: 0 });
    guest.draw_now(&quad([-1.0, -0.75], [0.75, 1.0], 0.5, RED));
    guest.pixels();
    // Beyond the far plane: it comes and does not leave.
    guest.draw_now(&full(2.0, RED));
    guest.encoder.push(&EndQuery { id: samples, pad: 0, token: 1 });
    guest.encoder.push(&EndQuery { id, pad: 0, token: 2 });
    guest.draw_now(&full(0.5, RED));
    guest.pixels();
    let value = |token| {
        guest.replies.iter().find_map(|reply| match *reply {
            Reply::Query { token: t, value, .. } if t == token => Some(value),
            _ => None,
        })
    };
    let both = value(2).unwrap();
    // lavapipe does not count those that leave.
    assert!(value(1) == Some(1) && both as u32 == 6 && [0, 4].contains(&(both >> 32)), "{both:x}");
    guest.finish();
}

#[test]
fn a_small_depth_buffer_limits_draws_only_where_it_is_used() {
    let mut guest = colored(Without::default());
    let color = guest.pixels_target();
    let depth = guest.texture(Format::D16_UNORM, 4, 4, 1, CreateTexture::TARGET);
    guest.bind(color, depth);
    // A clear is of each target as large as it is.
    guest.clear(Clear::COLOR | Clear::DEPTH, BLACK, 0.25, 0);
    guest.draw_now(&full(0.5, RED));
    assert_eq!(guest.pixels().count(rgba(RED)), 64);
    let state = SetDepthStencil { depth_test: 1, depth_compare: Compare::Less as u8, ..SetDepthStencil::default() };
    guest.encoder.push(&state);
    guest.draw_now(&full(0.5, GREEN));
    assert_eq!(guest.pixels().count(rgba(GREEN)), 0, "behind what was cleared to 0.25");
    guest.draw_now(&full(0.125, GREEN));
    assert_eq!(guest.pixels().count(rgba(GREEN)), 16);
    guest.encoder.push(&SetDepthStencil::default());
    guest.draw_now(&full(0.5, BLUE));
    assert_eq!(guest.pixels().count(rgba(BLUE)), 64);
    // While it is aside, and the colours stay.
    guest.clear(Clear::DEPTH, BLACK, 1.0, 0);
    guest.encoder.push(&state);
    guest.draw_now(&full(0.5, GREEN));
    assert_eq!((guest.pixels().count(rgba(GREEN)), guest.pixels().count(rgba(BLUE))), (16, 48));
    guest.finish();
}

#[test]
fn events_timestamps_and_frames_are_answered() {
    let mut guest = colored(Without::default());
    let screen = guest.pixels_target();
    let (event, time) = (guest.id(ObjectKind::Query), guest.id(ObjectKind::Query));
    guest.encoder.push(&CreateQuery { id: event, kind: QueryKind::Event as u32 });
    guest.encoder.push(&CreateQuery { id: time, kind: QueryKind::Timestamp as u32 });
    guest.encoder.push(&EndQuery { id: time, pad: 0, token: 1 });
    guest.draw_now(&full(0.5, RED));
    guest.encoder.push(&EndQuery { id: time, pad: 0, token: 2 });
    guest.encoder.push(&EndQuery { id: event, pad: 0, token: 3 });
    guest.present(screen);
    guest.pixels();
    let values: Vec<_> = guest
        .replies
        .iter()
        .filter_map(|reply| match *reply {
            Reply::Query { token, value, .. } => Some((token, value)),
            _ => None,
        })
        .collect();
    assert_eq!(values.iter().map(|(token, _)| *token).collect::<Vec<_>>(), [1, 2, 3]);
    assert!(values[0].1 <= values[1].1 && values[2].1 == 1, "{values:?}");
    assert!(guest.replies.contains(&Reply::FrameDone { frame: 1 }));
    guest.finish();
}

#[test]
fn dynamic_buffers_are_renamed_and_written_in_place() {
    let mut guest = colored(Without::default());
    let id = guest.id(ObjectKind::Buffer);
    let size = 12 * size_of::<Vertex>() as u64;
    guest.encoder.push(&CreateBuffer { id, usage: CreateBuffer::VERTEX | CreateBuffer::DYNAMIC, size });
    guest.bind_vertices(id, 0, 0);
    let write = |guest: &mut Guest, flags, at: u64, vertices: &[Vertex]| {
        let data = guest.upload(bytemuck::cast_slice(vertices));
        guest.encoder.push(&UpdateBuffer { id, flags, offset: at * size_of::<Vertex>() as u64, data });
    };
    // Each draw keeps what it was drawn with, though all is executed later.
    write(&mut guest, UpdateBuffer::DISCARD, 0, &quad([-1.0, -0.5], [-1.0, 1.0], 0.5, RED));
    guest.draw(Topology::TriangleList, 0, 6);
    write(&mut guest, UpdateBuffer::NO_OVERWRITE, 6, &quad([-0.5, 0.0], [-1.0, 1.0], 0.5, GREEN));
    guest.draw(Topology::TriangleList, 6, 6);
    write(&mut guest, UpdateBuffer::DISCARD, 0, &quad([0.0, 0.5], [-1.0, 1.0], 0.5, BLUE));
    guest.draw(Topology::TriangleList, 0, 6);
    // Neither flag: the rest of the buffer stays, and earlier draws are not disturbed.
    write(&mut guest, 0, 6, &quad([0.5, 1.0], [-1.0, 1.0], 0.5, RED));
    guest.draw(Topology::TriangleList, 0, 12);
    let pixels = guest.pixels();
    assert_eq!((pixels.count(rgba(RED)), pixels.count(rgba(GREEN)), pixels.count(rgba(BLUE))), (32, 16, 16));
    assert_eq!(pixels.at(0, 0), rgba(RED));
    guest.finish();
}

#[test]
fn static_buffers_change_between_draws() {
    let mut guest = colored(Without::default());
    let id = guest.vertices(&quad([-1.0, 0.0], [-1.0, 1.0], 0.5, RED));
    guest.draw(Topology::TriangleList, 0, 6);
    let data = guest.upload(bytemuck::cast_slice(&quad([0.0, 1.0], [-1.0, 1.0], 0.5, BLUE)));
    guest.encoder.push(&UpdateBuffer { id, flags: 0, offset: 0, data });
    guest.draw(Topology::TriangleList, 0, 6);
    let pixels = guest.pixels();
    assert_eq!((pixels.count(rgba(RED)), pixels.count(rgba(BLUE))), (32, 32));
    guest.finish();
}

#[test]
fn a_wireframe_is_not_filled() {
    for without in profiles() {
        let mut guest = colored(without);
        let raster = SetRaster {
            fill: Fill::Line as u8,
            fill_back: Fill::Line as u8,
            depth_clip: 1,
            sample_mask: u32::MAX,
            ..Default::default()
        };
        guest.encoder.push(&raster);
        guest.draw_now(&quad([-0.9, 0.9], [-0.9, 0.9], 0.5, RED));
        let count = guest.pixels().count(rgba(RED));
        assert!(count > 16 && count < 60, "{count}");
        guest.encoder.push(&SetRaster { fill: Fill::Solid as u8, fill_back: Fill::Solid as u8, ..raster });
        guest.draw_now(&full(0.5, RED));
        assert_eq!(guest.pixels().count(rgba(RED)), 64);
        guest.finish();
    }
}

#[test]
fn depth_bounds_are_of_what_is_stored() {
    for format in [Format::D16_UNORM, Format::D32_SFLOAT, Format::D32_SFLOAT_S8_UINT] {
        let mut guest = colored(Without::default());
        let screen = guest.pixels_target();
        let buffer = guest.texture(format, 8, 8, 1, CreateTexture::TARGET);
        guest.bind(screen, buffer);
        guest.clear(Clear::DEPTH, BLACK, 0.5, 0);
        let left = Rect { x: 0, y: 0, width: 3, height: 8 };
        let clear = Clear { flags: Clear::DEPTH, count: 1, depth: 0.8, ..bytemuck::Zeroable::zeroed() };
        guest.encoder.push_tail(&clear, &[left]);
        let has = guest.renderer.device_info().features & afterimage_stream::DeviceFeatures::DEPTH_BOUNDS != 0;
        let mut drawn = |bounds: SetDepthBounds, color| {
            guest.encoder.push(&bounds);
            // What is drawn lies outside of all bounds; nothing is tested but the bounds.
            guest.draw_now(&full(0.05, color));
            guest.pixels().count(rgba(color))
        };
        let bounds = |min, max| SetDepthBounds { enable: 1, min, max, pad: 0 };
        let of = |count: usize| if has { count } else { 64 };
        assert_eq!(drawn(bounds(0.4, 0.6), RED), of(40), "{format:?}");
        assert_eq!(drawn(bounds(0.7, 1.0), GREEN), of(24), "{format:?}");
        assert_eq!(drawn(bounds(0.0, 0.25), BLUE), of(0), "{format:?}");
        assert_eq!(drawn(bounds(0.6, 0.4), BLUE), of(0), "{format:?}");
        assert_eq!(drawn(SetDepthBounds { enable: 0, ..bounds(0.0, 0.25) }, BLUE), 64, "{format:?}");
        guest.finish();
    }
}

/// The viewport of the number of the instance; the second lane of the colour is it, too.
const CHOOSES: &str = r#"vertex "chooses" {
  input in0 : f32x4 location 0 smooth
  input in1 : i32 instance_index smooth
  output out0 : f32x4 position
  output out1 : f32x4 location 0
  output out2 : i32 viewport_index
  v0: f32x4 = load_input in0
  v1: i32 = load_input in1
  v2: f32 = i2f v1
  v3: f32 = const 0.0625
  v4: f32 = fmul v2, v3
  v5: f32x2 = const 1.0, 0.0
  v6: f32 = swizzle v5.x
  v7: f32 = swizzle v5.y
  v8: f32x4 = construct v6, v4, v7, v6
  store_output out0, v0
  store_output out1, v8
  store_output out2, v1
  return
}"#;

#[test]
fn vertex_shaders_choose_viewports() {
    for without in profiles() {
        let mut guest = Guest::with(without);
        if guest.renderer.device_info().features & afterimage_stream::DeviceFeatures::VIEWPORTS == 0 {
            continue;
        }
        guest.target(Format::R8G8B8A8_UNORM, 16, 16);
        guest.clear(Clear::COLOR, BLACK, 1.0, 0);
        guest.shaders(CHOOSES, COLOR);
        guest.layout();
        // A square of three pixels for each; those of the second row lose a column to the scissor, the last has no extent.
        let place = |n: u32| [n % 4 * 4, n / 4 * 4];
        let viewport = |n: u32| {
            let [x, y] = place(n).map(|at| at as f32);
            let edge = if n == 15 { 0.0 } else { 3.0 };
            SetViewport { x, y, width: edge, height: edge, min_depth: 0.0, max_depth: 1.0 }
        };
        let scissor = |n: u32| {
            let [x, y] = place(n).map(|at| at as i32);
            Rect { x, y, width: if n / 4 == 1 { 2 } else { 4 }, height: 4 }
        };
        let further: Vec<_> = (1..16).map(|n| FurtherViewport { viewport: viewport(n), scissor: scissor(n) }).collect();
        guest.encoder.push(&viewport(0));
        guest.encoder.push(&SetScissor { rect: scissor(0) });
        guest.encoder.push_tail(&SetViewports { count: 15, pad: 0 }, &further);
        let source = guest.vertices(&full(0.5, RED));
        guest.bind_vertices(source, 0, 0);
        let draw = Draw {
            topology: Topology::TriangleList as u32,
            first: 0,
            count: 6,
            instances: 16,
            first_instance: 0,
            pad: 0,
        };
        guest.encoder.push(&draw);
        let pixels = guest.pixels();
        for (x, y) in (0..16).flat_map(|y| (0..16).map(move |x| (x, y))) {
            let n = y / 4 * 4 + x / 4;
            let columns = if n / 4 == 1 { 2 } else { 3 };
            let drawn = x % 4 < columns && y % 4 < 3 && n < 15;
            let expected = if drawn { [255, (n * 255 / 16) as u8, 0, 255] } else { [0, 0, 0, 255] };
            let found = pixels.at(x, y);
            let near = found.iter().zip(expected).all(|(found, expected)| found.abs_diff(expected) < 2);
            assert!(near && (found[0] == 255) == drawn, "{x} {y}: {found:?}, not {expected:?}");
        }
        // Whoever wants one again has it.
        guest.encoder.push_tail(&SetViewports::default(), &[]);
        guest.viewport(16, 16);
        guest.encoder.push(&SetScissor { rect: Rect { x: 0, y: 0, width: 16, height: 16 } });
        guest.shaders(VERTEX, COLOR);
        guest.draw_now(&full(0.5, GREEN));
        assert_eq!(guest.pixels().count(rgba(GREEN)), 256);
        guest.finish();
    }
}
