//! What becomes of fragments: depth, stencil, blending, masks, samples, counts, load and store actions.

use crate::kit::*;
use afterimage_metal_calls::*;

const FORMAT: PixelFormat = PixelFormat::RGBA8Unorm;
const KEEP: StencilDescriptor = StencilDescriptor {
    compare: CompareFunction::Always,
    fail: StencilOperation::Keep,
    depth_fail: StencilOperation::Keep,
    pass: StencilOperation::Keep,
    read_mask: 0xff,
    write_mask: 0xff,
};

fn depth_state(
    kit: &Kit,
    compare: CompareFunction,
    write: bool,
    stencil: Option<StencilDescriptor>,
) -> afterimage_metal_soft::SoftDepthStencil {
    kit.device.new_depth_stencil(&DepthStencilDescriptor { compare, write, front: stencil, back: stencil }).unwrap()
}

#[test]
fn every_depth_test() {
    if !there_is_clang() {
        return;
    }
    use CompareFunction::*;
    for format in [PixelFormat::Depth16Unorm, PixelFormat::Depth32Float, PixelFormat::Depth32Float_Stencil8] {
        let mut kit = Kit::new();
        let (target, depth) = (kit.target(FORMAT, [1, 1]), kit.target(format, [1, 1]));
        let mut of = PipelineOf::new(PLAIN, "everything", "plain", FORMAT);
        of.depth = Some(format);
        let pipeline = kit.pipeline(&of);
        for (compare, passes) in [
            (Never, [false, false, false]),
            (Less, [true, false, false]),
            (Equal, [false, true, false]),
            (LessEqual, [true, true, false]),
            (Greater, [false, false, true]),
            (NotEqual, [true, false, true]),
            (GreaterEqual, [false, true, true]),
            (Always, [true, true, true]),
        ] {
            for (n, z) in [0.25, 0.5, 0.75].into_iter().enumerate() {
                kit.begin_with(&[&target], Some(&depth), None, None);
                kit.queue.set_render_pipeline(&pipeline);
                let (first, second) = (depth_state(&kit, Always, true, None), depth_state(&kit, compare, true, None));
                kit.queue.set_depth_stencil(&first);
                kit.everything([0.0; 4], 0.5);
                kit.queue.set_depth_stencil(&second);
                kit.everything([1.0; 4], z);
                kit.end();
                kit.fine();
                assert_eq!(kit.pixels(&target, [1, 1])[0] == [255; 4], passes[n], "{compare:?} {z}");
                let bytes = kit.texels(
                    &depth,
                    [1, 1],
                    if format == PixelFormat::Depth16Unorm { 2 } else { 4 },
                    if format.has_stencil() { Aspect::Depth } else { Aspect::All },
                );
                let z = if passes[n] { z } else { 0.5 };
                let expected = match format {
                    PixelFormat::Depth16Unorm => ((z * 65535.0).round() as u16).to_le_bytes().to_vec(),
                    _ => z.to_le_bytes().to_vec(),
                };
                assert_eq!(bytes, expected, "{compare:?} {z}");
            }
        }
    }
}

#[test]
fn depth_bounds_are_of_what_is_stored() {
    if !there_is_clang() {
        return;
    }
    for format in [PixelFormat::Depth16Unorm, PixelFormat::Depth32Float, PixelFormat::Depth32Float_Stencil8] {
        // With a state for depth, and with that of a new encoder.
        for stated in [false, true] {
            let mut kit = Kit::of(Family::Apple9);
            let (target, depth) = (kit.target(FORMAT, [1, 1]), kit.target(format, [1, 1]));
            let mut of = PipelineOf::new(PLAIN, "everything", "plain", FORMAT);
            of.depth = Some(format);
            let pipeline = kit.pipeline(&of);
            // Depth is 1 from the clear; what is drawn lies before it.
            for (bounds, passes) in [([0.0, 1.0], true), ([0.5, 1.0], true), ([1.0, 1.0], true), ([0.0, 0.75], false)] {
                kit.begin_with(&[&target], Some(&depth), None, None);
                kit.queue.set_render_pipeline(&pipeline);
                if stated {
                    let state = depth_state(&kit, CompareFunction::Less, true, None);
                    kit.queue.set_depth_stencil(&state);
                }
                kit.queue.set_depth_bounds(bounds);
                kit.everything([1.0; 4], 0.25);
                kit.end();
                kit.fine();
                assert_eq!(kit.pixels(&target, [1, 1])[0] == [255; 4], passes, "{format:?} {stated} {bounds:?}");
            }
            for wrong in [[0.5, 0.25], [-1.0, 0.5], [0.5, 2.0], [f32::NAN, 1.0]] {
                kit.begin_with(&[&target], Some(&depth), None, None);
                kit.queue.set_depth_bounds(wrong);
                kit.end();
                assert!(kit.wrong().contains("not 0 to 1 and in order"), "{wrong:?}");
            }
        }
    }
}

#[test]
fn stencil_operations_and_masks() {
    if !there_is_clang() {
        return;
    }
    use StencilOperation::*;
    let mut kit = Kit::new();
    let format = PixelFormat::Depth32Float_Stencil8;
    let (target, depth) = (kit.target(FORMAT, [1, 1]), kit.target(format, [1, 1]));
    let mut of = PipelineOf::new(PLAIN, "everything", "plain", FORMAT);
    (of.depth, of.stencil) = (Some(format), Some(format));
    let pipeline = kit.pipeline(&of);
    let set = StencilDescriptor { pass: Replace, ..KEEP };
    let rows = [
        (Keep, 0xfe, 0xfe),
        (Zero, 0xfe, 0),
        (Replace, 0xfe, 0x35),
        (IncrementClamp, 0xff, 0xff),
        (IncrementWrap, 0xff, 0),
        (DecrementClamp, 0, 0),
        (DecrementWrap, 0, 0xff),
        (Invert, 0xf0, 0x0f),
    ];
    for (operation, before, after) in rows {
        for place in 0..3 {
            // Where stencil fails, depth fails, or both pass.
            let mut rule = KEEP;
            let (compare, z) = match place {
                0 => (CompareFunction::Never, 0.25),
                1 => (CompareFunction::Always, 0.75),
                _ => (CompareFunction::Always, 0.25),
            };
            rule.compare = compare;
            match place {
                0 => rule.fail = operation,
                1 => rule.depth_fail = operation,
                _ => rule.pass = operation,
            }
            rule.write_mask = 0x7f;
            kit.begin_with(&[&target], Some(&depth), Some(&depth), None);
            kit.queue.set_render_pipeline(&pipeline);
            let (first, second) = (
                depth_state(&kit, CompareFunction::Always, true, Some(set)),
                depth_state(&kit, CompareFunction::Less, true, Some(rule)),
            );
            kit.queue.set_depth_stencil(&first);
            kit.queue.set_stencil_references(StencilReferences { front: before, back: before });
            kit.everything([0.0; 4], 0.5);
            kit.queue.set_depth_stencil(&second);
            kit.queue.set_stencil_references(StencilReferences { front: 0x35, back: 0x35 });
            kit.everything([1.0; 4], z);
            kit.end();
            kit.fine();
            let expected = (before & 0x80 | after & 0x7f) as u8;
            assert_eq!(kit.texels(&depth, [1, 1], 1, Aspect::Stencil), [expected], "{operation:?} at {place}");
            assert_eq!(kit.pixels(&target, [1, 1])[0][0], if place == 2 { 255 } else { 0 });
        }
    }
}

#[test]
fn stencil_of_both_faces() {
    if !there_is_clang() {
        return;
    }
    let mut kit = Kit::new();
    let (target, stencil) = (kit.target(FORMAT, [1, 1]), kit.target(PixelFormat::Stencil8, [1, 1]));
    let mut of = PipelineOf::new(PLAIN, "everything", "plain", FORMAT);
    of.stencil = Some(PixelFormat::Stencil8);
    let pipeline = kit.pipeline(&of);
    let (front, back) = (
        StencilDescriptor { pass: StencilOperation::Replace, ..KEEP },
        StencilDescriptor { pass: StencilOperation::Invert, ..KEEP },
    );
    let state =
        DepthStencilDescriptor { compare: CompareFunction::Always, write: false, front: Some(front), back: Some(back) };
    let state = kit.device.new_depth_stencil(&state).unwrap();
    for (winding, expected) in [(Winding::Clockwise, 7), (Winding::CounterClockwise, 255)] {
        kit.begin_with(&[&target], None, Some(&stencil), None);
        kit.queue.set_render_pipeline(&pipeline);
        kit.queue.set_depth_stencil(&state);
        kit.queue.set_winding(winding);
        kit.queue.set_stencil_references(StencilReferences { front: 7, back: 9 });
        kit.everything([0.0; 4], 0.5);
        kit.end();
        kit.fine();
        assert_eq!(kit.texels(&stencil, [1, 1], 1, Aspect::All), [expected]);
    }
}

#[test]
fn depth_bias() {
    if !there_is_clang() {
        return;
    }
    let mut kit = Kit::new();
    for (format, z, constant, slope, clamp, expected) in [
        (PixelFormat::Depth32Float, 0.5f32, 4.0f32, 0.0, 0.0, 0.5 + 4.0 * 2f32.powi(-24)),
        (PixelFormat::Depth32Float, 0.25, 4.0, 0.0, 0.0, 0.25 + 4.0 * 2f32.powi(-25)),
        (PixelFormat::Depth16Unorm, 0.5, 3.0, 0.0, 0.0, 0.5 + 3.0 / 65536.0),
        (PixelFormat::Depth32Float, 0.5, 1048576.0, 0.0, 0.01, 0.51),
        (PixelFormat::Depth32Float, 0.5, 0.0, 7.0, 0.0, 0.5),
    ] {
        let (target, depth) = (kit.target(FORMAT, [1, 1]), kit.target(format, [1, 1]));
        let mut of = PipelineOf::new(PLAIN, "everything", "plain", FORMAT);
        of.depth = Some(format);
        let pipeline = kit.pipeline(&of);
        let state = depth_state(&kit, CompareFunction::Always, true, None);
        kit.begin_with(&[&target], Some(&depth), None, None);
        kit.queue.set_render_pipeline(&pipeline);
        kit.queue.set_depth_stencil(&state);
        kit.queue.set_depth_bias(constant, slope, clamp);
        kit.everything([0.0; 4], z);
        kit.end();
        kit.fine();
        let bytes = kit.texels(&depth, [1, 1], u64::from(format.bytes()), Aspect::All);
        let found = match *bytes {
            [a, b] => f32::from(u16::from_le_bytes([a, b])) / 65535.0,
            _ => f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]),
        };
        assert!(
            (found - expected).abs() < if bytes.len() == 2 { 1e-5 } else { 1e-8 },
            "{format:?}: {found}, not {expected}"
        );
    }
}

#[test]
fn blending_in_every_form() {
    if !there_is_clang() {
        return;
    }
    use BlendFactor::*;
    let (source, there, constant) =
        ([0.5f32, 0.25, 1.0, 0.5], [0.25f32, 0.5, 0.125, 0.75], [0.25f32, 0.5, 0.75, 0.125]);
    // Each factor, of colour and of alpha.
    let factor = |f: BlendFactor, n: usize| match f {
        Zero => 0.0,
        One => 1.0,
        SourceColor => source[n],
        OneMinusSourceColor => 1.0 - source[n],
        SourceAlpha => source[3],
        OneMinusSourceAlpha => 1.0 - source[3],
        DestinationColor => there[n],
        OneMinusDestinationColor => 1.0 - there[n],
        DestinationAlpha => there[3],
        OneMinusDestinationAlpha => 1.0 - there[3],
        SourceAlphaSaturated => {
            if n == 3 {
                1.0
            } else {
                0.25
            }
        }
        BlendColor => constant[n],
        OneMinusBlendColor => 1.0 - constant[n],
        BlendAlpha => constant[3],
        _ => 1.0 - constant[3],
    };
    let all = [
        Zero,
        One,
        SourceColor,
        OneMinusSourceColor,
        SourceAlpha,
        OneMinusSourceAlpha,
        DestinationColor,
        OneMinusDestinationColor,
        DestinationAlpha,
        OneMinusDestinationAlpha,
        SourceAlphaSaturated,
        BlendColor,
        OneMinusBlendColor,
        BlendAlpha,
        OneMinusBlendAlpha,
    ];
    let operations = [
        BlendOperation::Add,
        BlendOperation::Subtract,
        BlendOperation::ReverseSubtract,
        BlendOperation::Min,
        BlendOperation::Max,
    ];
    let mut kit = Kit::new();
    let format = PixelFormat::RGBA32Float;
    let target = kit.target(format, [1, 1]);
    for (n, f) in all.into_iter().enumerate() {
        let operation = operations[n % 5];
        let other = all[(n * 7 + 3) % all.len()];
        let rule = Blending { operation, source: f, destination: other };
        let mut of = PipelineOf::new(PLAIN, "everything", "plain", format);
        let first = kit.pipeline(&of);
        of.colors[0] = Some(ColorTarget { format, blending: Some([rule; 2]), write: [true; 4] });
        let second = kit.pipeline(&of);
        kit.begin(&target);
        kit.queue.set_render_pipeline(&first);
        kit.everything(there, 0.5);
        kit.queue.set_render_pipeline(&second);
        kit.queue.set_blend_color(constant);
        kit.everything(source, 0.5);
        kit.end();
        kit.fine();
        let bytes = kit.texels(&target, [1, 1], 16, Aspect::All);
        for (n, word) in bytes.as_chunks().0.iter().enumerate() {
            let (s, d) = (source[n] * factor(f, n), there[n] * factor(other, n));
            let expected = match operation {
                BlendOperation::Add => s + d,
                BlendOperation::Subtract => s - d,
                BlendOperation::ReverseSubtract => d - s,
                BlendOperation::Min => source[n].min(there[n]),
                BlendOperation::Max => source[n].max(there[n]),
            };
            assert_eq!(f32::from_le_bytes(*word), expected, "{operation:?} {f:?} {other:?} of {n}");
        }
    }
}

const DUAL: &str = r#"
#include <metal_stdlib>
using namespace metal;
struct Out { float4 position [[position]]; };
vertex Out everything(uint id [[vertex_id]])
{
    return { float4(id & 1 ? 3.0f : -1.0f, id & 2 ? -3.0f : 1.0f, 0.0f, 1.0f) };
}
struct Colors { float4 first [[color(0), index(0)]]; float4 second [[color(0), index(1)]]; };
fragment Colors two()
{
    return { float4(0.5f), float4(1.0f, 0.5f, 0.25f, 0.0f) };
}
"#;

#[test]
fn two_sources_and_masks() {
    if !there_is_clang() {
        return;
    }
    let mut kit = Kit::new();
    let format = PixelFormat::BGRA8Unorm;
    let target = kit.target(format, [1, 1]);
    let rule =
        Blending { operation: BlendOperation::Add, source: BlendFactor::Source1Color, destination: BlendFactor::Zero };
    let mut of = PipelineOf::new(DUAL, "everything", "two", format);
    of.colors[0] = Some(ColorTarget { format, blending: Some([rule; 2]), write: [true, false, true, true] });
    let pipeline = kit.pipeline(&of);
    let color = ColorAttachment {
        target: Subresource { texture: &target, level: 0, slice: 0, depth_plane: 0 },
        resolve: None,
        load: LoadAction::Clear([1.0, 0.2, 1.0, 1.0]),
        store: StoreAction::Store,
    };
    kit.queue.begin_render(&RenderPass {
        label: "masks",
        colors: &[Some(color)],
        depth: None,
        stencil: None,
        layers: 0,
        without_attachments: None,
        visibility: None,
    });
    kit.queue.set_render_pipeline(&pipeline);
    kit.draw(PrimitiveType::Triangle, 3);
    kit.end();
    kit.fine();
    // 0.5, what was there (0.2), 0.125 and 0, in the order of the bytes blue first.
    assert_eq!(kit.pixels(&target, [1, 1]), [[32, 51, 128, 0]]);
}

#[test]
fn what_is_neither_loaded_nor_stored_is_ugly() {
    if !there_is_clang() {
        return;
    }
    let mut kit = Kit::new();
    let target = kit.target(FORMAT, [2, 1]);
    let rows = [
        (LoadAction::Clear([0.0, 1.0, 0.0, 1.0]), StoreAction::Store, [0, 255, 0, 255]),
        (LoadAction::Load, StoreAction::Store, [0, 255, 0, 255]),
        (LoadAction::DontCare, StoreAction::Store, [255, 0, 255, 255]),
        (LoadAction::Clear([0.0; 4]), StoreAction::DontCare, [255, 0, 255, 255]),
    ];
    for (load, store, expected) in rows {
        let target_of = Subresource { texture: &target, level: 0, slice: 0, depth_plane: 0 };
        kit.queue.begin_render(&RenderPass {
            label: "actions",
            colors: &[Some(ColorAttachment { target: target_of, resolve: None, load, store })],
            depth: None,
            stencil: None,
            layers: 0,
            without_attachments: None,
            visibility: None,
        });
        kit.end();
        kit.fine();
        assert_eq!(kit.pixels(&target, [2, 1]), [expected; 2], "{load:?} {store:?}");
    }
}

#[test]
fn samples_are_covered_one_by_one_and_resolved() {
    if !there_is_clang() {
        return;
    }
    for (samples, expected) in [(2, [255, 128, 0]), (4, [255, 128, 0])] {
        let mut kit = Kit::new();
        let many = kit.texture(FORMAT, [3, 2], |d| (d.ty, d.samples) = (TextureType::D2Multisample, samples));
        let target = kit.target(FORMAT, [3, 2]);
        let mut of = PipelineOf::new(PLAIN, "corners", "color", FORMAT);
        of.samples = samples;
        let pipeline = kit.pipeline(&of);
        // To the middle of the second pixel: half of its samples.
        let corners = [[0.0, 0.0], [1.5, 0.0], [0.0, 2.0], [1.5, 2.0]];
        let vertices = kit.floats(&at_pixels([3.0, 2.0], &corners, [1.0; 4]));
        let at = |texture| Subresource { texture, level: 0, slice: 0, depth_plane: 0 };
        let color = ColorAttachment {
            target: at(&many),
            resolve: Some(at(&target)),
            load: LoadAction::Clear([0.0; 4]),
            store: StoreAction::MultisampleResolve,
        };
        kit.queue.begin_render(&RenderPass {
            label: "samples",
            colors: &[Some(color)],
            depth: None,
            stencil: None,
            layers: 0,
            without_attachments: None,
            visibility: None,
        });
        kit.queue.set_render_pipeline(&pipeline);
        kit.queue.set_buffer(Stage::Vertex, 0, &vertices, 0);
        kit.draw(PrimitiveType::TriangleStrip, 4);
        kit.end();
        kit.fine();
        let row: Vec<u8> = kit.pixels(&target, [3, 2])[..3].iter().map(|p| p[0]).collect();
        assert_eq!(row, expected, "{samples}");
    }
}

const SAMPLES: &str = r#"
#include <metal_stdlib>
using namespace metal;
struct Out { float4 position [[position]]; };
vertex Out everything(uint id [[vertex_id]])
{
    return { float4(id & 1 ? 3.0f : -1.0f, id & 2 ? -3.0f : 1.0f, 0.0f, 1.0f) };
}
fragment float4 each(uint sample [[sample_id]], float4 at [[position]])
{
    return float4(sample, at.x * 16.0f, at.y * 16.0f, 255.0f) / 255.0f;
}
fragment float4 alpha(constant float& a [[buffer(0)]])
{
    return float4(1.0f, 1.0f, 1.0f, a);
}
struct Masked { float4 color [[color(0)]]; uint mask [[sample_mask]]; };
fragment Masked masked()
{
    return { float4(1.0f), 5u };
}
fragment float4 read(texture2d_ms<float> samples [[texture(0)]], float4 at [[position]])
{
    float4 out = float4(0);
    for (uint n = 0; n < samples.get_num_samples(); n++) {
        out[n] = samples.read(uint2(at.xy), n).x;
    }
    return out;
}
fragment float4 all(texture2d_ms<float> samples [[texture(0)]], constant uint& n [[buffer(0)]])
{
    return samples.read(uint2(0), n);
}
"#;

/// What the four samples of a pixel are after a draw.
fn four(fragment: &str, change: impl FnOnce(&mut PipelineOf<'_>), alpha: f32) -> Vec<[u8; 4]> {
    let mut kit = Kit::new();
    let many = kit.texture(FORMAT, [1, 1], |d| (d.ty, d.samples) = (TextureType::D2Multisample, 4));
    let mut of = PipelineOf::new(SAMPLES, "everything", fragment, FORMAT);
    of.samples = 4;
    change(&mut of);
    let pipeline = kit.pipeline(&of);
    kit.begin(&many);
    kit.queue.set_render_pipeline(&pipeline);
    kit.queue.set_bytes(Stage::Fragment, 0, &alpha.to_le_bytes());
    kit.draw(PrimitiveType::Triangle, 3);
    kit.end();
    kit.fine();
    let target = kit.target(FORMAT, [1, 1]);
    let pipeline = kit.pipeline(&PipelineOf::new(SAMPLES, "everything", "all", FORMAT));
    (0..4u32)
        .map(|n| {
            kit.begin(&target);
            kit.queue.set_render_pipeline(&pipeline);
            kit.queue.set_texture(Stage::Fragment, 0, &many);
            kit.queue.set_bytes(Stage::Fragment, 0, &n.to_le_bytes());
            kit.draw(PrimitiveType::Triangle, 3);
            kit.end();
            kit.fine();
            kit.pixels(&target, [1, 1])[0]
        })
        .collect()
}

#[test]
fn functions_that_run_for_each_sample() {
    if there_is_clang() {
        // Direct3D's standard positions, in sixteenths.
        assert_eq!(four("each", |_| {}, 0.0), [[0, 6, 2, 255], [1, 14, 6, 255], [2, 2, 10, 255], [3, 10, 14, 255]]);
    }
}

#[test]
fn coverage_of_alpha_and_masks() {
    if !there_is_clang() {
        return;
    }
    let covered = |samples: Vec<[u8; 4]>| samples.iter().map(|s| s[0] / 255).collect::<Vec<u8>>();
    for (alpha, count) in [(0.0, 0), (0.25, 1), (0.5, 2), (1.0, 4)] {
        let found = covered(four("alpha", |of| of.alpha_to_coverage = true, alpha));
        assert_eq!(found.iter().sum::<u8>(), count, "{alpha}");
    }
    assert_eq!(covered(four("masked", |_| {}, 0.0)), [1, 0, 1, 0]);
    let both = four("alpha", |of| (of.alpha_to_coverage, of.alpha_to_one) = (true, true), 0.5);
    assert_eq!(both.iter().filter(|s| **s == [255; 4]).count(), 2);
}

#[test]
fn visibility_counts_what_passes() {
    if !there_is_clang() {
        return;
    }
    let mut kit = Kit::new();
    let (target, depth) = (kit.target(FORMAT, [4, 4]), kit.target(PixelFormat::Depth32Float, [4, 4]));
    let mut of = PipelineOf::new(PLAIN, "everything", "plain", FORMAT);
    of.depth = Some(PixelFormat::Depth32Float);
    let pipeline = kit.pipeline(&of);
    let state = depth_state(&kit, CompareFunction::Less, true, None);
    let counts = kit.buffer(&[0xff; 40]);
    kit.begin_with(&[&target], Some(&depth), None, Some(&counts));
    kit.queue.set_render_pipeline(&pipeline);
    kit.queue.set_depth_stencil(&state);
    kit.queue.set_visibility(VisibilityMode::Counting, 0);
    kit.everything([0.0; 4], 0.5);
    kit.queue.set_visibility(VisibilityMode::Counting, 8);
    kit.everything([0.0; 4], 0.75);
    kit.queue.set_visibility(VisibilityMode::Boolean, 16);
    kit.queue.set_scissor(ScissorRect { origin: [0, 0], size: [3, 1] });
    kit.everything([0.0; 4], 0.25);
    kit.queue.set_visibility(VisibilityMode::Disabled, 0);
    kit.everything([0.0; 4], 0.2);
    kit.queue.set_visibility(VisibilityMode::Counting, 24);
    kit.end();
    kit.fine();
    let bytes = kit.bytes_of(&counts, 0, 40);
    let found: Vec<u64> = bytes.as_chunks().0.iter().map(|w| u64::from_le_bytes(*w)).collect();
    assert_eq!(found, [16, 0, 1, 0, u64::MAX]);
}

#[test]
fn indirect_draws() {
    if !there_is_clang() {
        return;
    }
    let mut kit = Kit::new();
    let target = kit.target(FORMAT, [8, 8]);
    let pipeline = kit.pipeline(&PipelineOf::new(PLAIN, "corners", "color", FORMAT));
    let corners = [[9.0, 9.0], [0.0, 0.0], [2.0, 0.0], [0.0, 2.0]];
    let vertices = kit.floats(&at_pixels([8.0; 2], &corners, [1.0; 4]));
    let arguments = kit.words(&[77, 3, 1, 1, 0, 3, 1, 2, 1, 0]);
    let indices = kit.words(&[9, 9, 0, 1, 2]);
    for indexed in [false, true] {
        kit.begin(&target);
        kit.queue.set_render_pipeline(&pipeline);
        kit.queue.set_buffer(Stage::Vertex, 0, &vertices, 0);
        if indexed {
            let source = Indices { buffer: &indices, offset: 0, ty: IndexType::UInt32 };
            kit.queue.draw_indexed_indirect(PrimitiveType::Triangle, source, &arguments, 20);
        } else {
            kit.queue.draw_indirect(PrimitiveType::Triangle, &arguments, 4);
        }
        kit.end();
        kit.fine();
        let found = picture(&kit.pixels(&target, [8, 8]), 8, 0);
        assert_eq!(found[..2], ["#.......", "........"]);
    }
}

#[test]
fn what_a_pass_draws_is_read_after_it() {
    if !there_is_clang() {
        return;
    }
    const FEEDBACK: &str = r#"
#include <metal_stdlib>
using namespace metal;
struct Out { float4 position [[position]]; };
vertex Out everything(uint id [[vertex_id]])
{
    return { float4(id & 1 ? 3.0f : -1.0f, id & 2 ? -3.0f : 1.0f, 0.0f, 1.0f) };
}
fragment float4 more(texture2d<float> before [[texture(0)]], float4 at [[position]])
{
    return before.read(uint2(at.xy)) + 0.25f;
}
fragment float4 fetched(float4 before [[color(0)]])
{
    return before + 0.25f;
}
"#;
    let mut kit = Kit::new();
    let target = kit.target(FORMAT, [1, 1]);
    for (fragment, expected) in [("more", 64), ("fetched", 128)] {
        let pipeline = kit.pipeline(&PipelineOf::new(FEEDBACK, "everything", fragment, FORMAT));
        kit.fill(&target, 0, 0, [1, 1, 1], 4, &[0; 4]);
        kit.begin(&target);
        kit.queue.set_render_pipeline(&pipeline);
        kit.queue.set_texture(Stage::Fragment, 0, &target);
        kit.draw(PrimitiveType::Triangle, 3);
        kit.draw(PrimitiveType::Triangle, 3);
        kit.end();
        kit.fine();
        assert_eq!(kit.pixels(&target, [1, 1])[0][0], expected, "{fragment}");
    }
}
