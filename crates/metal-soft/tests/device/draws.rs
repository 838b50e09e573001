//! Draws, against pixels that were computed by hand.

use crate::kit::*;
use afterimage_metal_calls::*;

#[test]
fn a_triangle_over_everything() {
    if !there_is_clang() {
        return;
    }
    let mut kit = Kit::new();
    let target = kit.target(PixelFormat::BGRA8Unorm, [5, 3]);
    let pipeline = kit.pipeline(&PipelineOf::new(PLAIN, "everything", "plain", PixelFormat::BGRA8Unorm));
    kit.begin(&target);
    kit.queue.set_render_pipeline(&pipeline);
    kit.everything([1.0, 0.5, 0.25, 0.0], 0.5);
    kit.end();
    kit.fine();
    assert_eq!(kit.pixels(&target, [5, 3]), [[64, 128, 255, 0]; 15]);
}

#[test]
fn a_textured_quad() {
    if !there_is_clang() {
        return;
    }
    const TEXTURED: &str = r#"
#include <metal_stdlib>
using namespace metal;
struct In { float2 at [[attribute(0)]]; float4 tint [[attribute(3)]]; };
struct Out { float4 position [[position]]; float2 uv [[user(locn0)]]; float4 tint [[user(locn1)]]; };
vertex Out corners(In in [[stage_in]])
{
    return { float4(in.at * 2.0f - 1.0f, 0.0f, 1.0f), float2(in.at.x, 1.0f - in.at.y), in.tint };
}
struct From { float4 tint [[user(locn1)]]; float2 uv [[user(locn0)]]; };
fragment float4 textured(From in [[stage_in]], texture2d<float> image [[texture(2)]], sampler s [[sampler(1)]])
{
    return image.sample(s, in.uv) * in.tint;
}
"#;
    let mut kit = Kit::new();
    let image = kit.target(PixelFormat::RGBA8Unorm, [2, 2]);
    kit.fill(&image, 0, 0, [2, 2, 1], 8, &[255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 255, 255, 255, 128]);
    let mut of = PipelineOf::new(TEXTURED, "corners", "textured", PixelFormat::RGBA8Unorm);
    of.input = VertexDescriptor {
        attributes: vec![
            Attribute { location: 0, format: VertexFormat::Float2, offset: 0, buffer: 30 },
            Attribute { location: 3, format: VertexFormat::UChar4Normalized, offset: 8, buffer: 30 },
        ],
        layouts: vec![Layout { buffer: 30, stride: 12, step: StepFunction::PerVertex }],
    };
    let pipeline = kit.pipeline(&of);
    let mut vertices = Vec::new();
    for [x, y] in [[0f32, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]] {
        vertices.extend([x.to_le_bytes(), y.to_le_bytes(), [255, 255, 255, 255]].as_flattened());
    }
    let vertices = kit.buffer(&vertices);
    let sampler = kit.device.new_sampler(&SamplerDescriptor {
        min: Filter::Nearest,
        mag: Filter::Nearest,
        mip: MipFilter::NotMipmapped,
        address: [AddressMode::ClampToEdge; 3],
        border: BorderColor::TransparentBlack,
        anisotropy: 1,
        lod: [0f32.to_bits(), 1000f32.to_bits()],
        compare: None,
    });
    let sampler = sampler.unwrap();
    let target = kit.target(PixelFormat::RGBA8Unorm, [4, 4]);
    kit.begin(&target);
    kit.queue.set_render_pipeline(&pipeline);
    kit.queue.set_buffer(Stage::Vertex, 30, &vertices, 0);
    kit.queue.set_texture(Stage::Fragment, 2, &image);
    kit.queue.set_sampler(Stage::Fragment, 1, &sampler);
    kit.draw(PrimitiveType::TriangleStrip, 4);
    kit.end();
    kit.fine();
    let (r, g, b, w) = ([255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255], [255, 255, 255, 128]);
    let expected = [r, r, g, g, r, r, g, g, b, b, w, w, b, b, w, w];
    assert_eq!(kit.pixels(&target, [4, 4]), expected);
}
