//! What Metal refuses: each rule is broken once, and kept once.

#[path = "../kit/mod.rs"]
mod kit;

mod blits;
mod creation;
mod encoders;
mod passes;
mod pipelines;

use afterimage_metal_calls::*;
use kit::*;

pub(crate) fn faults<T: std::fmt::Debug>(result: Result<T>) -> String {
    match result {
        Ok(_) => String::new(),
        Err(Error::Refused { faults, .. }) => faults.join("\n"),
        Err(other) => format!("{other:?}"),
    }
}

/// What is changed, and what is then said; nothing where nothing is wrong.
pub(crate) type Row<D> = (fn(&mut D), &'static str);

/// A table of rules.
pub(crate) fn rows<D>(make: impl Fn(fn(&mut D)) -> String, rows: &[Row<D>]) {
    for (n, (change, text)) in rows.iter().enumerate() {
        let found = make(*change);
        assert_eq!(found.is_empty(), text.is_empty(), "row {n}: `{text}`, found `{found}`");
        assert!(found.contains(text), "row {n}: `{text}`, found `{found}`");
    }
}

pub(crate) const DRAW: DrawCount = DrawCount { first: 0, count: 3, instances: 1, base_instance: 0 };

pub(crate) const SHADERS: &str = r#"
#include <metal_stdlib>
using namespace metal;
struct In { float4 at [[attribute(0)]]; uint id [[attribute(1)]]; };
struct Out { float4 position [[position]]; float4 color [[user(a)]]; };
vertex Out fetched(In in [[stage_in]], constant float4& offset [[buffer(2)]])
{
    return { in.at + offset, float4(in.id) };
}
struct Sized { float4 position [[position]]; float size [[point_size]]; };
vertex Sized sized(uint id [[vertex_id]])
{
    return { float4(id), 1.0f };
}
struct Layered { float4 position [[position]]; uint layer [[render_target_array_index]]; };
vertex Layered layered(uint id [[vertex_id]])
{
    return { float4(id), id };
}
vertex float4 plain(uint id [[vertex_id]])
{
    return float4(id);
}
vertex void nothing(device uint* out [[buffer(0)]])
{
    out[0] = 1;
}
struct From { float4 color [[user(a)]]; };
fragment float4 colored(From in [[stage_in]])
{
    return in.color;
}
struct Missing { float4 color [[user(b)]]; };
fragment float4 missing(Missing in [[stage_in]])
{
    return in.color;
}
struct Other { float2 color [[user(a)]]; };
fragment float4 other(Other in [[stage_in]])
{
    return in.color.xyxy;
}
fragment float4 one() { return float4(1.0f); }
fragment uint4 integers() { return uint4(1); }
struct Deep { float4 color [[color(0)]]; float depth [[depth(any)]]; };
fragment Deep deep() { return { float4(1.0f), 0.5f }; }
struct Bound { float4 values[3]; };
fragment float4 bound(constant Bound& values [[buffer(3)]], device const float4* more [[buffer(4)]], constant uint* unused [[buffer(5)]],
                      texture2d<float> image [[texture(0)]], texture2d<uint> integers [[texture(1)]], sampler s [[sampler(2)]])
{
    return values.values[0] + more[0] + image.sample(s, float2(0.5f)) + float(integers.read(uint2(0)).x);
}
fragment float4 writes(texture2d<float, access::write> image [[texture(0)]])
{
    image.write(float4(1.0f), uint2(0));
    return float4(1.0f);
}
[[max_total_threads_per_threadgroup(8)]]
kernel void kernel_of_8(device uint* out [[buffer(0)]]) { out[0] = 1; }
[[max_total_threads_per_threadgroup(2000)]]
kernel void too_many(device uint* out [[buffer(0)]]) { out[0] = 1; }
"#;

pub(crate) const FORMAT: PixelFormat = PixelFormat::RGBA8Unorm;

pub(crate) fn fetched_input() -> VertexDescriptor {
    VertexDescriptor {
        attributes: vec![
            Attribute { location: 0, format: VertexFormat::Float3, offset: 0, buffer: 0 },
            Attribute { location: 1, format: VertexFormat::UInt, offset: 12, buffer: 0 },
        ],
        layouts: vec![Layout { buffer: 0, stride: 16, step: StepFunction::PerVertex }],
    }
}

pub(crate) fn fetched() -> PipelineOf<'static> {
    let mut of = PipelineOf::new(SHADERS, "fetched", "colored", FORMAT);
    of.input = fetched_input();
    of
}

pub(crate) const OVER: Blending =
    Blending { operation: BlendOperation::Add, source: BlendFactor::One, destination: BlendFactor::Zero };
