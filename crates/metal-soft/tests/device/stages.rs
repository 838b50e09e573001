//! What the stages are given and give: attributes, instances, written depth and stencil, tests before and behind the fragment function.

use crate::kit::*;
use afterimage_metal_calls::*;
use afterimage_metal_soft::*;

const FORMAT: PixelFormat = PixelFormat::RGBA32Float;

/// Writes what it was given to a buffer, at the number of the call, and draws nothing.
const FETCH: &str = r#"
#include <metal_stdlib>
using namespace metal;
struct In { float4 a [[attribute(0)]]; float2 b [[attribute(1)]]; int2 c [[attribute(2)]]; uint4 d [[attribute(3)]]; };
struct Row { float4 a; float2 b; int2 c; uint4 d; };
vertex void fetch(In in [[stage_in]], uint id [[vertex_id]], uint instance [[instance_id]], uint base [[base_vertex]],
                  uint first [[base_instance]], device Row* out [[buffer(7)]])
{
    out[(instance - first) * 2 + id - base] = { in.a, in.b, in.c, in.d };
}
"#;

#[test]
fn attributes_and_steps() {
    if !there_is_clang() {
        return;
    }
    let mut kit = Kit::new();
    let mut of = PipelineOf::new(FETCH, "fetch", "", FORMAT);
    (of.fragment, of.colors, of.rasterization) = (None, vec![], false);
    let attribute = |location, format, buffer| Attribute { location, format, offset: 0, buffer };
    of.input.attributes = vec![
        attribute(0, VertexFormat::UChar4NormalizedBgra, 1),
        attribute(1, VertexFormat::Short2, 2),
        attribute(2, VertexFormat::Short2, 3),
        attribute(3, VertexFormat::UInt, 4),
    ];
    of.input.layouts =
        [StepFunction::PerVertex, StepFunction::PerInstance(1), StepFunction::PerInstance(2), StepFunction::Constant]
            .into_iter()
            .zip(1..)
            .map(|(step, buffer)| Layout { buffer, stride: 4, step })
            .collect();
    let pipeline = kit.pipeline(&of);
    // By vertex from 3 on, by instance from 1 on.
    let a = kit.buffer(&[[0; 4], [0; 4], [0; 4], [255, 0, 51, 102], [0, 255, 0, 0]].concat());
    let shorts = |values: &[i16]| values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
    let b = kit.buffer(&shorts(&[0, 0, -3, 4, 5, -6, 7, 8]));
    let c = kit.buffer(&shorts(&[0, 0, -1, -2, -3, -4]));
    let d = kit.words(&[9]);
    let out = kit.empty(48 * 6);
    kit.queue.begin_render(&RenderPass {
        label: "fetch",
        colors: &[],
        depth: None,
        stencil: None,
        layers: 0,
        without_attachments: Some([4, 4, 1]),
        visibility: None,
    });
    kit.queue.set_render_pipeline(&pipeline);
    for (index, buffer) in [(1, &a), (2, &b), (3, &c), (4, &d), (7, &out)] {
        kit.queue.set_buffer(Stage::Vertex, index, buffer, 0);
    }
    kit.queue.draw(PrimitiveType::Point, DrawCount { first: 3, count: 2, instances: 3, base_instance: 1 });
    kit.end();
    kit.fine();
    let words = kit.words_of(&out, 72);
    for (n, row) in words.chunks(12).enumerate() {
        let (instance, vertex) = (n / 2, n % 2);
        let floats: Vec<f32> = row[..6].iter().map(|w| f32::from_bits(*w)).collect();
        let color = [[0.2, 0.0, 1.0, 0.4], [0.0, 1.0, 0.0, 0.0]][vertex];
        assert!(floats[..4].iter().zip(color).all(|(f, e)| (f - e).abs() < 1e-6), "{n}: {floats:?}");
        assert_eq!(floats[4..], [[-3.0, 4.0], [5.0, -6.0], [7.0, 8.0]][instance], "{n}");
        let c = [[-1, -2], [-1, -2], [-3, -4]][instance].map(|v: i32| v as u32);
        assert_eq!(row[6..8], c, "{n}");
        assert_eq!(row[8..], [9, 0, 0, 1], "{n}");
    }
}

const OUTPUTS: &str = r#"
#include <metal_stdlib>
using namespace metal;
struct Out { float4 position [[position]]; };
vertex Out everything(uint id [[vertex_id]])
{
    return { float4(id & 1 ? 3.0f : -1.0f, id & 2 ? -3.0f : 1.0f, 0.5f, 1.0f) };
}
struct Deep { float4 color [[color(0)]]; float depth [[depth(any)]]; uint stencil [[stencil]]; };
fragment Deep deep(float4 at [[position]])
{
    return { float4(1.0f), at.x < 1.0f ? 0.25f : 0.75f, 5u };
}
fragment float4 late(device atomic_uint* count [[buffer(0)]])
{
    atomic_fetch_add_explicit(count, 1u, memory_order_relaxed);
    return float4(1.0f);
}
[[early_fragment_tests]]
fragment float4 early(device atomic_uint* count [[buffer(0)]])
{
    atomic_fetch_add_explicit(count, 1u, memory_order_relaxed);
    return float4(1.0f);
}
fragment float4 thrown(float4 at [[position]])
{
    if (at.x < 1.0f) discard_fragment();
    return float4(1.0f);
}
"#;

fn state(kit: &Kit, compare: CompareFunction, stencil: bool) -> SoftDepthStencil {
    let rule = StencilDescriptor {
        compare: CompareFunction::Always,
        fail: StencilOperation::Keep,
        depth_fail: StencilOperation::Keep,
        pass: StencilOperation::Replace,
        read_mask: 0xff,
        write_mask: 0xff,
    };
    let rule = stencil.then_some(rule);
    kit.device.new_depth_stencil(&DepthStencilDescriptor { compare, write: true, front: rule, back: rule }).unwrap()
}

/// Draws everything with a fragment function at depth 0.5 over depth 1: colours and depths of a row of two pixels, and stencil.
fn drawn(
    name: &str,
    compare: CompareFunction,
    count: Option<&SoftBuffer>,
    kit: &mut Kit,
) -> ([f32; 2], [f32; 2], Vec<u8>) {
    let format = PixelFormat::Depth32Float_Stencil8;
    let (target, depth) = (kit.target(FORMAT, [2, 1]), kit.target(format, [2, 1]));
    let mut of = PipelineOf::new(OUTPUTS, "everything", name, FORMAT);
    (of.depth, of.stencil) = (Some(format), Some(format));
    let pipeline = kit.pipeline(&of);
    let state = state(kit, compare, true);
    kit.begin_with(&[&target], Some(&depth), Some(&depth), None);
    kit.queue.set_render_pipeline(&pipeline);
    kit.queue.set_depth_stencil(&state);
    kit.queue.set_stencil_references(StencilReferences { front: 3, back: 4 });
    if let Some(count) = count {
        kit.queue.set_buffer(Stage::Fragment, 0, count, 0);
    }
    kit.draw(PrimitiveType::Triangle, 3);
    kit.end();
    kit.fine();
    let floats = |bytes: Vec<u8>, step: usize| {
        let words: Vec<f32> = bytes.as_chunks().0.iter().map(|w| f32::from_le_bytes(*w)).collect();
        [words[0], words[step]]
    };
    let colors = floats(kit.texels(&target, [2, 1], 16, Aspect::All), 4);
    let depths = floats(kit.texels(&depth, [2, 1], 4, Aspect::Depth), 1);
    (colors, depths, kit.texels(&depth, [2, 1], 1, Aspect::Stencil))
}

#[test]
fn depth_and_stencil_that_fragments_give() {
    if !there_is_clang() {
        return;
    }
    let mut kit = Kit::new();
    let found = drawn("deep", CompareFunction::Less, None, &mut kit);
    assert_eq!(found, ([1.0, 1.0], [0.25, 0.75], vec![5, 5]));
    assert_eq!(drawn("deep", CompareFunction::Greater, None, &mut kit), ([0.0, 0.0], [1.0, 1.0], vec![0, 0]));
}

#[test]
fn what_is_thrown_away_leaves_nothing() {
    if !there_is_clang() {
        return;
    }
    let mut kit = Kit::new();
    assert_eq!(drawn("thrown", CompareFunction::Less, None, &mut kit), ([0.0, 1.0], [1.0, 0.5], vec![0, 3]));
}

#[test]
fn tests_before_and_behind_the_function() {
    if !there_is_clang() {
        return;
    }
    let mut kit = Kit::new();
    // What fails the test has run all the same, unless the tests are said to be early.
    for (name, compare, expected) in [
        ("late", CompareFunction::Less, 2),
        ("late", CompareFunction::Greater, 2),
        ("early", CompareFunction::Less, 2),
        ("early", CompareFunction::Greater, 0),
    ] {
        let count = kit.words(&[0]);
        drawn(name, compare, Some(&count), &mut kit);
        assert_eq!(kit.words_of(&count, 1), [expected], "{name} {compare:?}");
    }
}

#[test]
fn texels_that_lie_apart_in_every_shape() {
    // Blits: what goes in comes out, of every format that has texels, layers, levels and planes.
    let mut kit = Kit::new();
    for format in PixelFormat::ALL.iter().copied() {
        let caps = format.caps(kit.device.facts());
        if !caps.exists || format.has_stencil() {
            continue;
        }
        let (block, bytes) = (format.block(), format.bytes());
        let size = [8, 4];
        let texture = kit.texture(format, size, |d| {
            (d.ty, d.layers, d.levels, d.usage.target) = (TextureType::D2Array, 2, 2, false);
        });
        for level in 0..2 {
            for slice in 0..2 {
                let [width, height] = size.map(|s| s >> level);
                let row = width.div_ceil(block) * bytes;
                let count = row * height.div_ceil(block);
                let data: Vec<u8> = (0..count).map(|n| (n * 7 + level * 3 + slice * 5) as u8).collect();
                kit.fill(&texture, level, slice, [width, height, 1], row.into(), &data);
                let out = kit.empty(u64::from(count));
                kit.queue.begin_blit("read");
                let region = Region { slice, level, origin: [0; 3], size: [width, height, 1] };
                let layout = BufferLayout { offset: 0, bytes_per_row: row.into(), bytes_per_image: 0 };
                kit.queue.copy_texture_to_buffer(&texture, region, Aspect::All, &out, layout);
                kit.queue.end_encoding();
                kit.queue.commit();
                kit.fine();
                assert_eq!(kit.bytes_of(&out, 0, count as usize), data, "{} {level} {slice}", format.name());
            }
        }
        // And from one texture to another.
        let other = kit.texture(format, size, |d| d.usage.target = false);
        let whole = Region { slice: 0, level: 0, origin: [0; 3], size: [8, 4, 1] };
        kit.queue.begin_blit("copy");
        kit.queue.copy_texture(&texture, Region { slice: 1, ..whole }, &other, whole);
        kit.end();
        kit.fine();
        let texel = u64::from(bytes) / u64::from(block);
        if block == 1 {
            let (from, to) = (
                kit.texels_of(&texture, 0, 1, [8, 4, 1], texel, Aspect::All),
                kit.texels(&other, size, texel, Aspect::All),
            );
            assert_eq!(from, to, "{}", format.name());
        }
    }
}

/// Two fragment functions whose text differs in an attribute only, which is no code.
#[test]
fn the_same_code_with_other_attributes_is_another_function() {
    if !there_is_clang() {
        return;
    }
    let source = |flat: &str| {
        format!(
            "#include <metal_stdlib>\nusing namespace metal;\n\
             struct Out {{ float4 p [[position]]; float4 c [[user(c)]]; }};\n\
             vertex Out v(uint n [[vertex_id]])\n{{\n\
                 float2 at = float2(n == 1 ? 3.0f : -1.0f, n == 2 ? -3.0f : 1.0f);\n\
                 return {{ float4(at, 0.0f, 1.0f), float4(n == 0 ? 0.0f : 1.0f) }};\n}}\n\
             struct In {{ float4 c [[user(c){flat}]]; }};\n\
             fragment float4 f(In in [[stage_in]]) {{ return in.c; }}\n"
        )
    };
    let mut kit = Kit::new();
    // The far corner, where two vertices count most: the first has 0.
    for (flat, white) in [("", true), (", flat", false), ("", true)] {
        let source = source(flat);
        let target = kit.target(PixelFormat::RGBA8Unorm, [4, 4]);
        let pipeline = kit.pipeline(&PipelineOf::new(&source, "v", "f", PixelFormat::RGBA8Unorm));
        kit.begin(&target);
        kit.queue.set_render_pipeline(&pipeline);
        kit.draw(PrimitiveType::Triangle, 3);
        kit.end();
        kit.fine();
        let last = kit.pixels(&target, [4, 4])[15];
        assert_eq!(last[0] > 200, white, "{flat}: {last:?}");
    }
}
