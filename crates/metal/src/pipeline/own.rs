//! Shaders of our own: clears of parts, copies that scale or convert, pictures.
//!
//! All of them draw one triangle that covers everything; the scissor says what of it counts. Buffer 0 of the fragment stage, and of the
//! vertex stage in clears, has what [`Clear`] and [`Copy`] say.

use crate::pipeline::over;
use std::fmt::Write;

/// A shader of our own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Own {
    /// Writes one colour to the targets of these kinds (0 floats, 1 unsigned, 2 signed integers, 3 none), and depth that the vertex has.
    Clear([u8; 8]),
    /// Writes texels of a source.
    Copy(Source),
    /// Writes texels of a source with gamma.
    Present(Source),
    /// Writes each sample of pixels from a layer of its own.
    Samples(Layers),
    /// Writes one sample of pixels, whose number is the third of buffer 0, to pixels with one.
    Sample(Layers),
    /// Blends rectangles over what is there.
    Glyphs,
}

/// What has samples in layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Layers {
    /// Colours: 0 floats, 1 unsigned, 2 signed integers.
    Color(u8),
    /// Depth in floats, and whether another array of unsigned integers has stencil.
    Depth(bool),
}

/// What texels are copied from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Source {
    /// A level of a texture of floats, sampled.
    Float,
    /// A plane of a volume of floats, sampled.
    Volume,
    /// A level of unsigned integers.
    UInt,
    /// A level of signed integers.
    Int,
    /// A level of depth, written as depth.
    Depth,
    /// The average of a texel's samples.
    Samples(u8),
    /// The first sample of depth.
    DepthSample,
}

/// What copies read of buffer 0: three registers.
#[derive(Clone, Copy, Debug, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(crate) struct Copy {
    /// Texels of the source for a pixel.
    pub(crate) scale: [f32; 2],
    /// Texel of the source for pixel 0.
    pub(crate) origin: [f32; 2],
    /// What a texel is of the whole, and where the plane of a volume is.
    pub(crate) inverse: [f32; 3],
    /// Zero.
    pub(crate) pad: f32,
}

const HEAD: &str = "#include <metal_stdlib>\nusing namespace metal;\n\n";

impl Own {
    /// Source of its vertex function, `corner`.
    pub(crate) fn vertex(self) -> String {
        let mut text = HEAD.to_owned();
        if self == Self::Glyphs {
            return text + &over::vertex();
        }
        text.push_str("struct corner_out\n{\n    float4 position [[position]];\n};\n\n");
        let (argument, depth) = match self {
            Self::Clear(_) => (",\n                         constant float4* data [[buffer(0)]]", "data[1].x"),
            _ => ("", "0.0"),
        };
        let _ = write!(
            text,
            "vertex corner_out corner(uint number [[vertex_id]]{argument})\n{{\n    corner_out out = {{}};\n    \
             float x = number == 1u ? 3.0 : -1.0;\n    float y = number == 2u ? 3.0 : -1.0;\n    \
             out.position = float4(x, y, {depth}, 1.0);\n    return out;\n}}\n"
        );
        text
    }

    /// Source of its fragment function, `texel`; none where it writes no more than depth that the vertex has.
    pub(crate) fn fragment(self) -> Option<String> {
        let mut text = HEAD.to_owned();
        match self {
            Self::Clear(kinds) => {
                let outputs = kinds.iter().enumerate().filter(|(_, kind)| **kind < 3);
                outputs.clone().next()?;
                text.push_str("struct texel_out\n{\n");
                for (index, kind) in outputs.clone() {
                    let _ = writeln!(text, "    {} color{index} [[color({index})]];", vector(*kind));
                }
                text.push_str(
                    "};\n\nfragment texel_out texel(constant float4* data [[buffer(0)]])\n{\n    texel_out out = {};\n",
                );
                for (index, kind) in outputs {
                    let _ = writeln!(text, "    out.color{index} = {}(data[0]);", vector(*kind));
                }
            }
            Self::Copy(source) => {
                let depth = matches!(source, Source::Depth | Source::DepthSample);
                let member = match source {
                    _ if depth => "float depth [[depth(any)]]",
                    Source::UInt => "uint4 color [[color(0)]]",
                    Source::Int => "int4 color [[color(0)]]",
                    _ => "float4 color [[color(0)]]",
                };
                let _ = write!(text, "struct texel_out\n{{\n    {member};\n}};\n\n");
                begin(&mut text, source, "");
                let _ = writeln!(
                    text,
                    "    out.{} = value{};",
                    if depth { "depth" } else { "color" },
                    if depth { ".x" } else { "" }
                );
            }
            Self::Glyphs => return Some(text + &over::fragment()),
            Self::Sample(layers) => {
                sample(&mut text, layers);
            }
            Self::Samples(layers) => {
                let (output, more) = match layers {
                    Layers::Color(0) => ("    float4 color [[color(0)]];\n", ["float", ""]),
                    Layers::Color(1) => ("    uint4 color [[color(0)]];\n", ["uint", ""]),
                    Layers::Color(_) => ("    int4 color [[color(0)]];\n", ["int", ""]),
                    Layers::Depth(false) => ("    float depth [[depth(any)]];\n", ["float", ""]),
                    Layers::Depth(true) => (
                        "    float depth [[depth(any)]];\n    uint stencil [[stencil]];\n",
                        ["float", ",\n                         texture2d_array<uint> stencils [[texture(1)]]"],
                    ),
                };
                let [ty, stencils] = more;
                let _ = write!(
                    text,
                    "struct texel_out\n{{\n{output}}};\n\nfragment texel_out texel(float4 position [[position]],\n                         \
                     uint sample [[sample_id]],\n                         texture2d_array<{ty}> source [[texture(0)]]{stencils},\n                         \
                     constant float4* data [[buffer(0)]])\n{{\n    texel_out out = {{}};\n    uint2 at = uint2(position.xy - data[0].xy);\n"
                );
                text.push_str(match layers {
                    Layers::Color(_) => "    out.color = source.read(at, sample);\n",
                    Layers::Depth(_) => "    out.depth = source.read(at, sample).x;\n",
                });
                if layers == Layers::Depth(true) {
                    text.push_str("    out.stencil = stencils.read(at, sample).x;\n");
                }
            }
            Self::Present(source) => {
                text.push_str("struct texel_out\n{\n    float4 color [[color(0)]];\n};\n\n");
                begin(&mut text, source, ",\n                         constant float4* gamma [[buffer(1)]]");
                text.push_str(
                    "    uint4 step = uint4(clamp(value, float4(0.0), float4(1.0)) * 255.0 + 0.5);\n    \
                     out.color = float4(gamma[step.x].x, gamma[step.y].y, gamma[step.z].z, value.w);\n",
                );
            }
        }
        text.push_str("    return out;\n}\n");
        Some(text)
    }
}

/// Writes all but the end of the function that takes one sample.
fn sample(text: &mut String, layers: Layers) {
    let (output, ty, stencils) = match layers {
        Layers::Color(kind) => (format!("{} color [[color(0)]];\n", vector(kind)), texture_ms(kind), false),
        Layers::Depth(false) => ("float depth [[depth(any)]];\n".to_owned(), "depth2d_ms<float>", false),
        Layers::Depth(true) => {
            ("float depth [[depth(any)]];\n    uint stencil [[stencil]];\n".to_owned(), "depth2d_ms<float>", true)
        }
    };
    let more = if stencils { ",\n                         texture2d_ms<uint> stencils [[texture(1)]]" } else { "" };
    let member = if matches!(layers, Layers::Color(_)) { "color" } else { "depth" };
    let _ = write!(
        text,
        "struct texel_out\n{{\n    {output}}};\n\nfragment texel_out texel(float4 position [[position]],\n                         \
         {ty} source [[texture(0)]]{more},\n                         constant float4* data [[buffer(0)]])\n{{\n    \
         texel_out out = {{}};\n    uint2 at = uint2(position.xy);\n    uint number = uint(data[0].z);\n    \
         out.{member} = source.read(at, number);\n"
    );
    if stencils {
        text.push_str("    out.stencil = stencils.read(at, number).x;\n");
    }
}

fn texture_ms(kind: u8) -> &'static str {
    match kind {
        0 => "texture2d_ms<float>",
        1 => "texture2d_ms<uint>",
        _ => "texture2d_ms<int>",
    }
}

fn vector(kind: u8) -> &'static str {
    match kind {
        0 => "float4",
        1 => "uint4",
        _ => "int4",
    }
}

/// Writes the function's head, and what makes `value` the source's texel.
fn begin(text: &mut String, source: Source, more: &str) {
    let (ty, samples) = match source {
        Source::Float => ("texture2d<float>", true),
        Source::Volume => ("texture3d<float>", true),
        Source::UInt => ("texture2d<uint>", false),
        Source::Int => ("texture2d<int>", false),
        Source::Depth => ("depth2d<float>", true),
        Source::Samples(_) => ("texture2d_ms<float>", false),
        Source::DepthSample => ("depth2d_ms<float>", false),
    };
    let sampler = if samples { ",\n                         sampler filter [[sampler(0)]]" } else { "" };
    let _ = write!(
        text,
        "fragment texel_out texel(float4 position [[position]],\n                         {ty} source [[texture(0)]]{sampler},\n                         \
         constant float4* data [[buffer(0)]]{more})\n{{\n    texel_out out = {{}};\n    \
         float2 at = position.xy * data[0].xy + data[0].zw;\n"
    );
    match source {
        Source::Float => text.push_str("    float4 value = source.sample(filter, at * data[1].xy, level(0.0));\n"),
        Source::Volume => {
            text.push_str(
                "    float4 value = source.sample(filter, float3(at * data[1].xy, data[1].z), level(0.0));\n",
            );
        }
        Source::Depth => {
            text.push_str("    float4 value = float4(source.sample(filter, at * data[1].xy, level(0.0)));\n");
        }
        Source::UInt => text.push_str("    uint4 value = source.read(uint2(at), 0u);\n"),
        Source::Int => text.push_str("    int4 value = source.read(uint2(at), 0u);\n"),
        Source::DepthSample => text.push_str("    float4 value = float4(source.read(uint2(at), 0u));\n"),
        Source::Samples(count) => {
            text.push_str("    float4 value = float4(0.0);\n");
            for sample in 0..count {
                let _ = writeln!(text, "    value += source.read(uint2(at), {sample}u);");
            }
            let _ = writeln!(text, "    value = value * {:?};", 1.0 / f32::from(count.max(1)));
        }
    }
}
