//! What texts declare.

use crate::text::{Access, Interface, Interpolation, Scalar, Shape, Stage, parse};

const TEXT: &str = r#"
// vertex void nothing() in a comment
#define A \
    vertex void nothing()
#include <metal_stdlib>
using namespace metal;
constant bool shiny [[function_constant(3)]];
constant float table[2] = { 1.0f, 2.0f };
struct In { float4 at [[attribute(0)]]; uint2 id [[attribute(5)]]; };
struct Out
{
    float4 position [[position, invariant]];
    float clip [[clip_distance]] [6];
    float2 a, b;
    int c [[user(loc3), flat]];
    float size [[point_size]];
};
static inline float twice(float a) { return a * 2.0f; }
vertex Out first(In in [[stage_in]], uint id [[vertex_id]], constant float4* constants [[buffer(0)]],
                 device uint* words [[buffer(2)]], device const float& one [[buffer(3)]])
{
    Out out = {};
    return out;
}
struct Color { half4 color [[color(1)]]; float4 second [[color(0), index(1)]]; float z [[depth(less)]]; };
[[early_fragment_tests]]
fragment Color second(Out in [[stage_in]], texture2d_array<float> a [[texture(1)]],
                      array<texture2d<uint, access::read_write>, 3> b [[texture(4)]], sampler s [[sampler(2)]])
{
    if (shiny) discard_fragment();
    return { half4(a.sample(s, in.a, 0)), float4(b[0].read(uint2(0))), 0.5f };
}
[[max_total_threads_per_threadgroup(8)]]
kernel void third(uint3 id [[thread_position_in_threadgroup]])
{
    threadgroup uint shared[8];
    threadgroup uint* pointer = shared;
    pointer[id.x] = table[0];
}
"#;

#[test]
fn a_vertex_function() {
    let program = parse(TEXT);
    assert_eq!(program.functions.iter().map(|f| f.name.as_str()).collect::<Vec<_>>(), ["first", "second", "third"]);
    let (of, _) = Interface::of(&program, "first").unwrap();
    assert_eq!(of.stage, Stage::Vertex);
    assert_eq!(
        of.attributes.iter().map(|a| (a.location, a.ty.scalar, a.ty.lanes)).collect::<Vec<_>>(),
        [(0, Scalar::Float, 4), (5, Scalar::UInt, 2)]
    );
    assert_eq!(of.outputs.iter().map(|o| o.key.as_str()).collect::<Vec<_>>(), ["a", "b", "loc3"]);
    assert!(of.position && of.point_size && of.clip_distances == 6 && !of.layer);
    let buffers: Vec<_> = of.buffers.iter().map(|b| (b.index, b.constant, b.writable, b.used)).collect();
    assert_eq!(buffers, [(0, true, false, false), (2, false, true, false), (3, false, false, false)]);
}

#[test]
fn a_fragment_function() {
    let program = parse(TEXT);
    let (of, _) = Interface::of(&program, "second").unwrap();
    assert_eq!(of.inputs.iter().map(|i| i.key.as_str()).collect::<Vec<_>>(), ["a", "b", "loc3"]);
    assert_eq!(of.inputs[2].interpolation, Interpolation::Flat);
    assert_eq!(of.colors.iter().map(|c| (c.target, c.second)).collect::<Vec<_>>(), [(1, false), (0, true)]);
    assert!(of.depth && of.early_tests && of.discards && of.side_effects && !of.per_sample);
    let textures: Vec<_> = of.textures.iter().map(|t| (t.index, t.count, t.shape, t.scalar, t.access)).collect();
    assert_eq!(
        textures,
        [(1, 1, Shape::D2Array, Scalar::Float, Access::Sample), (4, 3, Shape::D2, Scalar::UInt, Access::ReadWrite)]
    );
    assert_eq!(of.samplers, [(2, "s".to_owned(), true)]);
}

#[test]
fn what_threadgroups_share_is_one_variable() {
    let program = parse(TEXT);
    assert!(program.plain.contains("static uint shared[8]") && program.plain.contains("threadgroup uint* pointer"));
    assert!(program.plain.contains("constant bool shiny  = soft::constant_3;"), "{}", program.plain);
    assert!(!program.plain.contains("[["));
    let (of, _) = Interface::of(&program, "third").unwrap();
    assert_eq!((of.stage, of.max_threads), (Stage::Kernel, Some(8)));
    assert_eq!(program.plain.lines().count(), TEXT.lines().count());
}

#[test]
fn what_is_not_known_is_named() {
    let error = |text: &str| Interface::of(&parse(text), "f").unwrap_err();
    assert_eq!(error("kernel void g() {}"), "there is no function `f`");
    assert!(error("kernel void f(threadgroup float* a [[threadgroup(0)]]) {}").contains("threadgroup"));
    assert!(error("kernel void f(texture9d<float> a [[texture(0)]]) {}").contains("texture9d"));
    assert!(error("kernel void f(float a) {}").contains("no attribute"));
}
