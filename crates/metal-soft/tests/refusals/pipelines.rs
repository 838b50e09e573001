//! Functions and pipelines.

use afterimage_metal_calls::*;
use afterimage_metal_soft::*;

use crate::kit::*;
use crate::*;

#[test]
fn pipelines() {
    if !there_is_clang() {
        return;
    }
    let kit = Kit::new();
    let make = |change: fn(&mut PipelineOf<'static>)| {
        let mut of = fetched();
        change(&mut of);
        faults(kit.try_pipeline(&of))
    };
    rows(
        make,
        &[
            (|_| {}, ""),
            (|p| p.input.layouts[0].stride = 12, "beyond the stride"),
            (|p| p.input.layouts[0].stride = 0, "stride of buffer 0 is 0"),
            (|p| p.input.layouts[0].stride = 17, ""),
            (|p| p.input.layouts.clear(), "no layout for buffer 0"),
            (
                |p| p.input.layouts.push(Layout { buffer: 9, stride: 16, step: StepFunction::PerVertex }),
                "None of the attributes set bufferIndex to 9",
            ),
            (|p| p.input.layouts[0].step = StepFunction::PerInstance(0), "stepRate of buffer 0 is 0"),
            (|p| p.input.layouts[0].step = StepFunction::PerInstance(1), ""),
            (|p| p.input.attributes[1].offset = 2, "no multiple of 4"),
            (|p| p.input.attributes[1].location = 2, "vertex attribute 1 (`id`) is missing"),
            (|p| p.input.attributes[1].format = VertexFormat::Float, "cannot be read as `id`"),
            (|p| p.input.attributes[1].format = VertexFormat::Short2, "cannot be read as `id`"),
            (|p| p.input.attributes[0].format = VertexFormat::Short2, ""),
            (
                |p| {
                    p.input.attributes.iter_mut().for_each(|a| a.buffer = 2);
                    p.input.layouts[0].buffer = 2;
                },
                "has a layout, and is an argument",
            ),
            (|p| p.fragment = Some("missing"), "fragment input `b` is not an output of the vertex function"),
            (|p| p.fragment = Some("other"), "another type"),
            (|p| p.vertex = "kernel_of_8", "is no vertex function"),
            (|p| p.fragment = Some("kernel_of_8"), "is no fragment function"),
            (|p| p.fragment = Some("integers"), "colour output 0 does not fit RGBA8Unorm"),
            (|p| (p.fragment, p.colors) = (Some("integers"), vec![Some(plain_target(PixelFormat::RGBA8Uint))]), ""),
            (|p| p.colors = vec![Some(plain_target(PixelFormat::BC1_RGBA))], "not color renderable"),
            (|p| p.colors = vec![Some(plain_target(PixelFormat::Depth32Float))], "not color renderable"),
            (|p| p.colors = vec![None; 9], "more than 8"),
            (|p| (p.colors, p.depth) = (vec![], Some(PixelFormat::Depth32Float)), "colour output 0 has no attachment"),
            (|p| (p.colors, p.depth, p.alpha_to_coverage) = (vec![], Some(PixelFormat::Depth32Float), true), ""),
            (
                |p| {
                    p.fragment = Some("integers");
                    p.colors =
                        vec![Some(ColorTarget { blending: Some([OVER; 2]), ..plain_target(PixelFormat::RGBA8Uint) })];
                },
                "not blendable",
            ),
            (|p| p.colors = vec![Some(ColorTarget { blending: Some([OVER; 2]), ..plain_target(FORMAT) })], ""),
            (
                |p| {
                    let rule = Blending { source: BlendFactor::Source1Color, ..OVER };
                    p.colors = vec![Some(ColorTarget { blending: Some([rule; 2]), ..plain_target(FORMAT) })];
                },
                "second source",
            ),
            (
                |p| {
                    p.colors = vec![Some(ColorTarget {
                        write: [true, false, true, true],
                        ..plain_target(PixelFormat::RGB9E5Float)
                    })];
                },
                "cannot be masked",
            ),
            (|p| (p.colors, p.fragment) = (vec![], None), "No valid pixelFormats set"),
            (|p| (p.colors, p.fragment, p.depth) = (vec![], None, Some(PixelFormat::Depth32Float)), ""),
            (|p| (p.colors, p.fragment, p.rasterization) = (vec![], None, false), ""),
            (|p| p.depth = Some(PixelFormat::Stencil8), "depthAttachmentPixelFormat Stencil8"),
            (|p| p.stencil = Some(PixelFormat::Depth32Float), "stencilAttachmentPixelFormat Depth32Float"),
            (
                |p| (p.vertex, p.fragment, p.input) = ("plain", Some("deep"), VertexDescriptor::default()),
                "writes depth",
            ),
            (|p| p.samples = 3, "rasterSampleCount (3)"),
            (|p| p.samples = 4, ""),
            (
                |p| {
                    (p.vertex, p.fragment, p.input, p.topology) =
                        ("sized", Some("one"), VertexDescriptor::default(), TopologyClass::Triangle);
                },
                "[[point_size]]",
            ),
            (
                |p| {
                    (p.vertex, p.fragment, p.input, p.topology) =
                        ("sized", Some("one"), VertexDescriptor::default(), TopologyClass::Point);
                },
                "",
            ),
            (
                |p| (p.vertex, p.fragment, p.input) = ("layered", Some("one"), VertexDescriptor::default()),
                "inputPrimitiveTopology",
            ),
            (
                |p| (p.vertex, p.fragment, p.input) = ("nothing", Some("one"), VertexDescriptor::default()),
                "returns no position",
            ),
            (
                |p| {
                    (p.vertex, p.fragment, p.input, p.rasterization) =
                        ("nothing", None, VertexDescriptor::default(), false);
                },
                "",
            ),
        ],
    );
    let intel = Kit::of(Family::Mac2);
    let make = |change: fn(&mut PipelineOf<'static>)| {
        let mut of = fetched();
        change(&mut of);
        faults(intel.try_pipeline(&of))
    };
    rows(
        make,
        &[
            (|p| p.input.layouts[0].stride = 18, "no multiple of 4"),
            (|p| p.input.layouts[0].stride = 4100, "up to 4096"),
        ],
    );
    let compute = |name| faults(kit.device.new_compute_pipeline(&kit.function(SHADERS, name), name));
    assert_eq!(compute("kernel_of_8"), "");
    assert!(compute("plain").contains("is no kernel"));
    assert!(compute("too_many").contains("not 1 to 1024"));
}

#[test]
fn functions() {
    if !there_is_clang() {
        return;
    }
    let device = SoftDevice::new(Family::Apple7);
    let compile =
        |source: &str| match device.new_function(&FunctionDescriptor { source, name: "f", constants: &[], label: "f" })
        {
            Ok(_) => String::new(),
            Err(Error::Source { text, .. }) => text,
            Err(other) => format!("{other:?}"),
        };
    let head = "#include <metal_stdlib>\nusing namespace metal;\n";
    for (text, wrong) in [
        ("kernel void f(device uint* a [[buffer(30)]]) { a[0] = 1; }", ""),
        ("kernel void f(device uint* a [[buffer(31)]]) { a[0] = 1; }", "not less than 31"),
        ("kernel void f(device uint* a [[buffer(3)]], device uint* b [[buffer(3)]]) { a[0] = b[0]; }", "used twice"),
        ("kernel void f(sampler s [[sampler(16)]]) {}", "not less than 16"),
        ("kernel void f(texture2d<float> t [[texture(128)]]) {}", "not less than 128"),
        ("kernel void f() { undeclared = 1; }", "program_source:3"),
        ("kernel void g() {}", "there is no function `f`"),
        ("struct O { float4 p; }; vertex O f() { return {}; }", "no position"),
    ] {
        let found = compile(&format!("{head}{text}"));
        assert!(found.contains(wrong) && found.is_empty() == wrong.is_empty(), "{text}: {found}");
    }
}

#[test]
fn functions_that_families_have_no_room_for() {
    if !there_is_clang() {
        return;
    }
    let compile = |family: Family, source: &str| {
        let descriptor = FunctionDescriptor { source, name: "f", constants: &[], label: "f" };
        match SoftDevice::new(family).new_function(&descriptor) {
            Ok(_) => String::new(),
            Err(error) => error.to_string(),
        }
    };
    let head = "#include <metal_stdlib>\nusing namespace metal;\n";
    let fetch = format!("{head}fragment float4 f(float4 before [[color(0)]]) {{ return before; }}");
    assert_eq!(compile(Family::Apple7, &fetch), "");
    assert!(compile(Family::Mac2, &fetch).contains("on Apple's GPUs only"));
    let clip = |count: u32| {
        format!(
            "{head}struct O {{ float4 p [[position]]; float c [[clip_distance]] [{count}]; }};\nvertex O f() {{ return {{}}; }}"
        )
    };
    assert_eq!(compile(Family::Apple7, &clip(8)), "");
    assert!(compile(Family::Apple7, &clip(9)).contains("more than 8"));
}
