//! Where primitives are drawn: viewport, scissor, culling, strips, lines, points, clipping, layers.

use crate::kit::*;
use afterimage_metal_calls::*;

const FORMAT: PixelFormat = PixelFormat::RGBA8Unorm;
const RED: [f32; 4] = [1.0, 0.0, 0.0, 1.0];

/// Draws corners in a target of eight by eight, after `set`; the picture.
fn drawn(primitive: PrimitiveType, corners: &[[f32; 2]], set: impl FnOnce(&mut Kit)) -> Vec<String> {
    let mut kit = Kit::new();
    let target = kit.target(FORMAT, [8, 8]);
    let pipeline = kit.pipeline(&PipelineOf::new(PLAIN, "corners", "color", FORMAT));
    let vertices = kit.floats(&at_pixels([8.0; 2], corners, RED));
    kit.begin(&target);
    kit.queue.set_render_pipeline(&pipeline);
    kit.queue.set_buffer(Stage::Vertex, 0, &vertices, 0);
    set(&mut kit);
    kit.draw(primitive, corners.len() as u32);
    kit.end();
    kit.fine();
    picture(&kit.pixels(&target, [8, 8]), 8, 0)
}

const CLOCKWISE: [[f32; 2]; 3] = [[1.0, 1.0], [5.0, 1.0], [1.0, 5.0]];
const TRIANGLE: [&str; 8] =
    ["........", ".###....", ".##.....", ".#......", "........", "........", "........", "........"];
const NOTHING: [&str; 8] = ["........"; 8];

#[test]
fn y_is_down_in_the_picture() {
    if there_is_clang() {
        // The middle of the long edge's pixels is on the edge, which is right or at the bottom: not drawn.
        assert_eq!(drawn(PrimitiveType::Triangle, &CLOCKWISE, |_| {}), TRIANGLE);
    }
}

#[test]
fn culling_and_winding() {
    if !there_is_clang() {
        return;
    }
    let mut turned = CLOCKWISE;
    turned.reverse();
    for (corners, is_clockwise) in [(CLOCKWISE, true), (turned, false)] {
        for winding in [Winding::Clockwise, Winding::CounterClockwise] {
            for cull in [CullMode::None, CullMode::Front, CullMode::Back] {
                let front = is_clockwise == (winding == Winding::Clockwise);
                let there = match cull {
                    CullMode::None => true,
                    CullMode::Front => !front,
                    CullMode::Back => front,
                };
                let found = drawn(PrimitiveType::Triangle, &corners, |kit| {
                    kit.queue.set_winding(winding);
                    kit.queue.set_cull_mode(cull);
                });
                assert_eq!(found, if there { TRIANGLE } else { NOTHING }, "{winding:?} {cull:?}");
            }
        }
    }
}

#[test]
fn scissor_and_viewport() {
    if !there_is_clang() {
        return;
    }
    let everything = [[0.0, 0.0], [16.0, 0.0], [0.0, 16.0]];
    let found = drawn(PrimitiveType::Triangle, &everything, |kit| {
        kit.queue.set_scissor(ScissorRect { origin: [2, 3], size: [3, 1] });
    });
    assert_eq!(found[3], "..###...");
    assert!(found.iter().enumerate().all(|(n, row)| n == 3 || row == NOTHING[0]));
    // What is outside of the viewport is cut.
    let found = drawn(PrimitiveType::Triangle, &everything, |kit| {
        kit.queue.set_viewport(Viewport { origin: [4.0, 4.0], size: [2.0, 2.0], depth: [0.0, 1.0] });
    });
    assert_eq!(found[3..7], ["........", "....##..", "....##..", "........"]);
}

/// Everything in the viewport of the instance's number, in a colour that says which one the fragment function sees.
const CHOOSES: &str = r#"
#include <metal_stdlib>
using namespace metal;

struct Out { float4 position [[position]]; uint viewport [[viewport_array_index]]; };
struct In { float4 position [[position]]; uint viewport [[viewport_array_index]]; };

vertex Out chooses(uint id [[vertex_id]], uint instance [[instance_id]])
{
    Out out;
    out.position = float4(id & 1 ? 3.0f : -1.0f, id & 2 ? -3.0f : 1.0f, 0.0f, 1.0f);
    out.viewport = instance;
    return out;
}

fragment float4 seen(In in [[stage_in]])
{
    return float4(in.viewport == 0 ? 1.0f : 0.0f, in.viewport == 1 ? 1.0f : 0.0f, 0.0f, 1.0f);
}
"#;

#[test]
fn vertex_functions_choose_viewports() {
    if !there_is_clang() {
        return;
    }
    let mut kit = Kit::new();
    let target = kit.target(FORMAT, [8, 8]);
    let mut of = PipelineOf::new(CHOOSES, "chooses", "seen", FORMAT);
    assert!(kit.try_pipeline(&of).unwrap_err().to_string().contains("[[viewport_array_index]] needs"));
    of.topology = TopologyClass::Triangle;
    let pipeline = kit.pipeline(&of);
    kit.begin(&target);
    kit.queue.set_render_pipeline(&pipeline);
    let at = |origin| Viewport { origin, size: [3.0, 2.0], depth: [0.0, 1.0] };
    kit.queue.set_viewports(&[at([0.0, 0.0]), at([4.0, 4.0])]);
    let whole = ScissorRect { origin: [0; 2], size: [8; 2] };
    kit.queue.set_scissors(&[whole, ScissorRect { size: [6, 8], ..whole }]);
    // The third has no viewport: it is the first.
    kit.queue.draw(PrimitiveType::Triangle, DrawCount { first: 0, count: 3, instances: 1, base_instance: 1 });
    kit.queue.draw(PrimitiveType::Triangle, DrawCount { first: 0, count: 3, instances: 1, base_instance: 2 });
    kit.end();
    kit.fine();
    let pixels = kit.pixels(&target, [8, 8]);
    let [first, second] = [0, 1].map(|channel| picture(&pixels, 8, channel));
    assert_eq!(first[..3], ["###.....", "###.....", "........"]);
    assert_eq!(second[3..7], ["........", "....##..", "....##..", "........"]);
    let count = |picture: &[String]| picture.join("").matches('#').count();
    assert_eq!((count(&first), count(&second)), (6, 4));
}

#[test]
fn strips_and_lists() {
    if !there_is_clang() {
        return;
    }
    let corners = [[1.0, 1.0], [3.0, 1.0], [1.0, 3.0], [3.0, 3.0], [1.0, 5.0]];
    let found = drawn(PrimitiveType::TriangleStrip, &corners, |kit| kit.queue.set_cull_mode(CullMode::Back));
    assert_eq!(found[..5], ["........", ".##.....", ".##.....", ".#......", "........"]);
    let lines = [[1.5, 1.5], [4.5, 1.5], [4.5, 4.5]];
    assert_eq!(drawn(PrimitiveType::Line, &lines[..2], |_| {})[1], ".###....");
    let strip = drawn(PrimitiveType::LineStrip, &lines, |_| {});
    assert_eq!(strip[1..5], [".####...", "....#...", "....#...", "........"]);
}

#[test]
fn edges_of_triangles() {
    if !there_is_clang() {
        return;
    }
    let corners = [[1.5, 1.5], [5.5, 1.5], [1.5, 5.5]];
    let found = drawn(PrimitiveType::Triangle, &corners, |kit| kit.queue.set_fill_mode(FillMode::Lines));
    assert_eq!(found[1..6], [".####...", ".#..#...", ".#.#....", ".##.....", ".#......"]);
}

#[test]
fn strips_begin_anew_at_the_greatest_index() {
    if !there_is_clang() {
        return;
    }
    for wide in [false, true] {
        let mut kit = Kit::new();
        let target = kit.target(FORMAT, [8, 8]);
        let pipeline = kit.pipeline(&PipelineOf::new(PLAIN, "corners", "color", FORMAT));
        let corners = [[9.0, 9.0], [0.0, 0.0], [2.0, 0.0], [0.0, 2.0], [4.0, 4.0], [6.0, 4.0], [4.0, 6.0]];
        let vertices = kit.floats(&at_pixels([8.0; 2], &corners, RED));
        let gap = if wide { u32::MAX } else { 0xffff };
        let ids = [0, 1, 2, gap, 3, 4, 5];
        let indices = if wide {
            kit.words(&ids)
        } else {
            kit.buffer(&ids.iter().flat_map(|i| (*i as u16).to_le_bytes()).collect::<Vec<u8>>())
        };
        kit.begin(&target);
        kit.queue.set_render_pipeline(&pipeline);
        kit.queue.set_buffer(Stage::Vertex, 0, &vertices, 0);
        let ty = if wide { IndexType::UInt32 } else { IndexType::UInt16 };
        let count = DrawCount { first: 1, count: 7, instances: 1, base_instance: 0 };
        kit.queue.draw_indexed(PrimitiveType::TriangleStrip, count, Indices { buffer: &indices, offset: 0, ty });
        kit.end();
        kit.fine();
        let found = picture(&kit.pixels(&target, [8, 8]), 8, 0);
        assert_eq!(found[..6], ["#.......", "........", "........", "........", "....#...", "........"]);
    }
}

const POINTS: &str = r#"
#include <metal_stdlib>
using namespace metal;
struct Out { float4 position [[position]]; float size [[point_size]]; };
vertex Out points(uint id [[vertex_id]], constant float4* data [[buffer(0)]])
{
    return { float4(data[id].xy, 0.0f, 1.0f), data[id].z };
}
fragment float4 where(float2 at [[point_coord]])
{
    return float4(at, 0.0f, 1.0f);
}
"#;

#[test]
fn points_and_their_coordinates() {
    if !there_is_clang() {
        return;
    }
    let mut kit = Kit::new();
    let target = kit.target(FORMAT, [8, 8]);
    let mut of = PipelineOf::new(POINTS, "points", "where", FORMAT);
    of.topology = TopologyClass::Point;
    let pipeline = kit.pipeline(&of);
    // At 4, 4 with four pixels, and at 0, 0 with two, of which one is in the picture.
    let data = kit.floats(&[0.0, 0.0, 4.0, 0.0, -1.0, 1.0, 2.0, 0.0]);
    kit.begin(&target);
    kit.queue.set_render_pipeline(&pipeline);
    kit.queue.set_buffer(Stage::Vertex, 0, &data, 0);
    kit.draw(PrimitiveType::Point, 2);
    kit.end();
    kit.fine();
    let pixels = kit.pixels(&target, [8, 8]);
    let shape = picture(&pixels, 8, 3);
    assert_eq!(shape, ["#.......", "........", "..####..", "..####..", "..####..", "..####..", "........", "........"]);
    // Eighths: 1/8 is 31.875, 3/8 95.625.
    assert_eq!(pixels[2 * 8 + 2], [32, 32, 0, 255]);
    assert_eq!(pixels[2 * 8 + 5], [223, 32, 0, 255]);
    assert_eq!(pixels[4 * 8 + 3], [96, 159, 0, 255]);
    assert_eq!(pixels[0], [191, 191, 0, 255]);
}

#[test]
fn near_far_and_clamping() {
    if !there_is_clang() {
        return;
    }
    // A triangle over everything whose depth goes from -1 at the left to 2 at the right: what is between 0 and 1 is there.
    let mut kit = Kit::new();
    let target = kit.target(FORMAT, [6, 2]);
    let depth = kit.target(PixelFormat::Depth32Float, [6, 2]);
    let mut of = PipelineOf::new(PLAIN, "corners", "color", FORMAT);
    of.depth = Some(PixelFormat::Depth32Float);
    let pipeline = kit.pipeline(&of);
    let state = DepthStencilDescriptor { compare: CompareFunction::Always, write: true, front: None, back: None };
    let state = kit.device.new_depth_stencil(&state).unwrap();
    let mut corners = at_pixels([6.0, 2.0], &[[0.0, 0.0], [12.0, 0.0], [0.0, 4.0]], RED);
    (corners[2], corners[10], corners[18]) = (-1.0, 5.0, -1.0);
    let vertices = kit.floats(&corners);
    for clip in [DepthClipMode::Clip, DepthClipMode::Clamp] {
        kit.begin_with(&[&target], Some(&depth), None, None);
        kit.queue.set_render_pipeline(&pipeline);
        kit.queue.set_depth_stencil(&state);
        kit.queue.set_depth_clip(clip);
        kit.queue.set_buffer(Stage::Vertex, 0, &vertices, 0);
        kit.draw(PrimitiveType::Triangle, 3);
        kit.end();
        kit.fine();
        let found = picture(&kit.pixels(&target, [6, 2]), 6, 0);
        let depths = kit.texels(&depth, [6, 2], 4, Aspect::All);
        let depths: Vec<f32> = depths.as_chunks().0.iter().map(|w| f32::from_le_bytes(*w)).collect();
        // At pixel n it is -0.75 + n / 2.
        if clip == DepthClipMode::Clip {
            assert_eq!(found, ["..##..", "..##.."]);
            assert_eq!(depths[..6], [1.0, 1.0, 0.25, 0.75, 1.0, 1.0]);
        } else {
            assert_eq!(found, ["######", "######"]);
            assert_eq!(depths[..6], [0.0, 0.0, 0.25, 0.75, 1.0, 1.0]);
        }
    }
}

const CLIPPED: &str = r#"
#include <metal_stdlib>
using namespace metal;
struct Out { float4 position [[position]]; float clip [[clip_distance]] [2]; float x; float line [[center_no_perspective]]; };
vertex Out everything(uint id [[vertex_id]])
{
    Out out = {};
    float2 uv = float2(id & 1 ? 2.0f : 0.0f, id & 2 ? 2.0f : 0.0f);
    float w = 1.0f + uv.x;
    out.position = float4(uv.x * 2.0f - 1.0f, 1.0f - uv.y * 2.0f, 0.0f, 1.0f) * w;
    out.clip[0] = uv.x - 0.25f;
    out.clip[1] = 1.0f;
    out.x = uv.x;
    out.line = uv.x;
    return out;
}
struct In { float x; float line [[center_no_perspective]]; };
fragment float4 values(In in [[stage_in]], float4 at [[position]])
{
    return float4(in.x, in.line, at.w, at.x);
}
"#;

#[test]
fn clip_distances_and_perspective() {
    if !there_is_clang() {
        return;
    }
    let mut kit = Kit::new();
    let format = PixelFormat::RGBA32Float;
    let target = kit.target(format, [8, 1]);
    let pipeline = kit.pipeline(&PipelineOf::new(CLIPPED, "everything", "values", format));
    kit.begin(&target);
    kit.queue.set_render_pipeline(&pipeline);
    kit.draw(PrimitiveType::Triangle, 3);
    kit.end();
    kit.fine();
    let bytes = kit.texels(&target, [8, 1], 16, Aspect::All);
    let words: Vec<f32> = bytes.as_chunks().0.iter().map(|w| f32::from_le_bytes(*w)).collect();
    for (n, texel) in words.chunks(4).enumerate() {
        // Along the picture s goes from 0 to 1; w is 1 at s = 0 and 3 at s = 2, so 1/w is linear from 1 to 1/3.
        let s = (n as f32 + 0.5) / 8.0;
        let over_w = 1.0 - s / 3.0;
        let x = s / 3.0 / over_w;
        if x < 0.25 {
            assert_eq!(texel, [0.0; 4], "{n}");
            continue;
        }
        let expected = [x, s, over_w, n as f32 + 0.5];
        for (found, expected) in texel.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-6, "{n}: {texel:?}, not {expected}");
        }
    }
}

const FLAT: &str = r#"
#include <metal_stdlib>
using namespace metal;
struct Out { float4 position [[position]]; uint id [[flat]]; float4 color [[flat]]; };
vertex Out corners(uint id [[vertex_id]], uint instance [[instance_id]], constant float4* at [[buffer(0)]])
{
    return { float4(at[id].xy, 0.0f, 1.0f), id, float4(instance, id, 0.0f, 0.0f) / 255.0f };
}
struct In { float4 color [[flat]]; uint id [[flat]]; };
struct Colors { float4 a [[color(0)]]; uint b [[color(1)]]; };
fragment Colors first(In in [[stage_in]], uint primitive [[primitive_id]])
{
    return { in.color, in.id * 16u + primitive };
}
"#;

#[test]
fn flat_values_are_those_of_the_first_vertex() {
    if !there_is_clang() {
        return;
    }
    let mut kit = Kit::new();
    let (target, ids) = (kit.target(FORMAT, [4, 4]), kit.target(PixelFormat::R32Uint, [4, 4]));
    let mut of = PipelineOf::new(FLAT, "corners", "first", FORMAT);
    of.colors.push(Some(plain_target(PixelFormat::R32Uint)));
    let pipeline = kit.pipeline(&of);
    let at: Vec<f32> =
        [[-1.0, 1.0], [1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]].iter().flat_map(|[x, y]| [*x, *y, 0.0, 0.0]).collect();
    let buffer = kit.floats(&at);
    kit.begin_with(&[&target, &ids], None, None, None);
    kit.queue.set_render_pipeline(&pipeline);
    kit.queue.set_buffer(Stage::Vertex, 0, &buffer, 0);
    kit.queue.draw(PrimitiveType::TriangleStrip, DrawCount { first: 0, count: 4, instances: 2, base_instance: 5 });
    kit.end();
    kit.fine();
    let pixels = kit.pixels(&target, [4, 4]);
    let bytes = kit.texels(&ids, [4, 4], 4, Aspect::All);
    let ids: Vec<u32> = bytes.as_chunks().0.iter().map(|w| u32::from_le_bytes(*w)).collect();
    // The upper left triangle begins at vertex 0, the lower right one at vertex 1. The second instance is on top.
    assert_eq!((pixels[0], ids[0]), ([6, 0, 0, 0], 0));
    assert_eq!((pixels[15], ids[15]), ([6, 1, 0, 0], 17));
}

const LAYERS: &str = r#"
#include <metal_stdlib>
using namespace metal;
struct Out { float4 position [[position]]; uint layer [[render_target_array_index]]; };
vertex Out everything(uint id [[vertex_id]], uint instance [[instance_id]])
{
    float2 uv = float2(id & 1 ? 2.0f : 0.0f, id & 2 ? 2.0f : 0.0f);
    return { float4(uv.x * 2.0f - 1.0f, 1.0f - uv.y * 2.0f, 0.0f, 1.0f), instance };
}
fragment float4 layer(uint layer [[render_target_array_index]])
{
    return float4(layer + 1, 0, 0, 255) / 255.0f;
}
"#;

#[test]
fn layers_that_vertices_choose() {
    if !there_is_clang() {
        return;
    }
    let mut kit = Kit::new();
    let target = kit.texture(FORMAT, [2, 2], |d| (d.ty, d.layers) = (TextureType::D2Array, 3));
    let mut of = PipelineOf::new(LAYERS, "everything", "layer", FORMAT);
    of.topology = TopologyClass::Triangle;
    let pipeline = kit.pipeline(&of);
    let color = ColorAttachment {
        target: Subresource { texture: &target, level: 0, slice: 0, depth_plane: 0 },
        resolve: None,
        load: LoadAction::Clear([0.0; 4]),
        store: StoreAction::Store,
    };
    kit.queue.begin_render(&RenderPass {
        label: "layers",
        colors: &[Some(color)],
        depth: None,
        stencil: None,
        layers: 3,
        without_attachments: None,
        visibility: None,
    });
    kit.queue.set_render_pipeline(&pipeline);
    // The fourth is not there: it is the first.
    kit.queue.draw(PrimitiveType::Triangle, DrawCount { first: 0, count: 3, instances: 4, base_instance: 0 });
    kit.end();
    kit.fine();
    for (slice, expected) in [1, 2, 3].into_iter().enumerate() {
        let bytes = kit.texels_of(&target, 0, slice as u32, [2, 2, 1], 4, Aspect::All);
        assert_eq!(bytes[..4], [expected, 0, 0, 255]);
    }
}
