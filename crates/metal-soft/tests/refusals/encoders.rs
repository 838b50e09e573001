//! Render encoders and draws.

use afterimage_metal_calls::*;
use afterimage_metal_soft::*;

use crate::kit::*;
use crate::*;

/// A render encoder with a target of eight by eight and the pipeline [`fetched`], with all that it needs.
struct Encoder {
    kit: Kit,
    target: SoftTexture,
    vertices: SoftBuffer,
    indices: SoftBuffer,
    visibility: SoftBuffer,
    pipeline: SoftRenderPipeline,
}

impl Encoder {
    fn new(family: Family) -> Self {
        let kit = Kit::of(family);
        let (target, vertices) = (kit.target(FORMAT, [8, 8]), kit.empty(64));
        let (indices, visibility) = (kit.empty(16), kit.empty(64));
        let pipeline = kit.pipeline(&fetched());
        Self { kit, target, vertices, indices, visibility, pipeline }
    }

    /// What is said of an encoder in which something is done.
    fn wrong(&mut self, then: impl FnOnce(&mut SoftQueue, &Self)) -> String {
        let mut queue = self.kit.device.new_queue("encoder").unwrap();
        let at = Subresource { texture: &self.target, level: 0, slice: 0, depth_plane: 0 };
        let (load, store) = (LoadAction::Clear([0.0; 4]), StoreAction::Store);
        queue.begin_render(&RenderPass {
            label: "pass",
            colors: &[Some(ColorAttachment { target: at, resolve: None, load, store })],
            depth: None,
            stencil: None,
            layers: 0,
            without_attachments: None,
            visibility: Some(&self.visibility),
        });
        queue.set_render_pipeline(&self.pipeline);
        queue.set_buffer(Stage::Vertex, 0, &self.vertices, 0);
        queue.set_bytes(Stage::Vertex, 2, &[0; 16]);
        then(&mut queue, self);
        queue.end_encoding();
        queue.commit();
        queue.faults().iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    }
}

/// A row of a table of encoders.
type Then = (fn(&mut SoftQueue, &Encoder), &'static str);

fn encoders(encoder: &mut Encoder, rows: &[Then]) {
    for (n, (then, text)) in rows.iter().enumerate() {
        let found = encoder.wrong(then);
        assert!(found.contains(text) && found.is_empty() == text.is_empty(), "row {n}: `{text}`, found `{found}`");
    }
}

#[test]
fn render_encoders() {
    if !there_is_clang() {
        return;
    }
    let mut encoder = Encoder::new(Family::Apple7);
    fn look(width: f64, x: f64, far: f64) -> Viewport {
        Viewport { origin: [x, 0.0], size: [width, 8.0], depth: [0.0, far] }
    }
    encoders(
        &mut encoder,
        &[
            (|q, _| q.draw(PrimitiveType::Triangle, DRAW), ""),
            (|q, _| q.draw(PrimitiveType::Triangle, DrawCount { count: 0, ..DRAW }), "vertexCount is 0"),
            (|q, _| q.draw(PrimitiveType::Triangle, DrawCount { instances: 0, ..DRAW }), "instanceCount is 0"),
            (|q, _| q.draw(PrimitiveType::Triangle, DrawCount { first: -1, ..DRAW }), "is negative"),
            (|q, _| q.draw(PrimitiveType::Point, DRAW), "no [[point_size]]"),
            (|q, _| q.draw(PrimitiveType::Triangle, DrawCount { count: 9, ..DRAW }), "vertex attribute 0 of vertex 4"),
            (
                |q, e| {
                    q.draw_indexed(
                        PrimitiveType::Triangle,
                        DRAW,
                        Indices { buffer: &e.indices, offset: 0, ty: IndexType::UInt16 },
                    );
                },
                "",
            ),
            (
                |q, e| {
                    q.draw_indexed(
                        PrimitiveType::Triangle,
                        DRAW,
                        Indices { buffer: &e.indices, offset: 1, ty: IndexType::UInt16 },
                    );
                },
                "no multiple of 2",
            ),
            (
                |q, e| {
                    q.draw_indexed(
                        PrimitiveType::Triangle,
                        DRAW,
                        Indices { buffer: &e.indices, offset: 2, ty: IndexType::UInt32 },
                    );
                },
                "no multiple of 4",
            ),
            (
                |q, e| {
                    q.draw_indexed(
                        PrimitiveType::Triangle,
                        DRAW,
                        Indices { buffer: &e.indices, offset: 8, ty: IndexType::UInt32 },
                    );
                },
                "beyond the buffer",
            ),
            (
                |q, e| {
                    q.draw_indexed(
                        PrimitiveType::Triangle,
                        DrawCount { count: 0, ..DRAW },
                        Indices { buffer: &e.indices, offset: 0, ty: IndexType::UInt32 },
                    );
                },
                "indexCount is 0",
            ),
            (|q, e| q.draw_indirect(PrimitiveType::Triangle, &e.indices, 0), ""),
            (|q, e| q.draw_indirect(PrimitiveType::Triangle, &e.indices, 2), "no multiple of 4"),
            (|q, e| q.draw_indirect(PrimitiveType::Triangle, &e.indices, 4), "beyond the buffer"),
            (|q, _| q.set_scissor(ScissorRect { origin: [4, 4], size: [4, 4] }), ""),
            (|q, _| q.set_scissor(ScissorRect { origin: [4, 4], size: [5, 4] }), "must be <= render pass"),
            (|q, _| q.set_scissor(ScissorRect { origin: [u32::MAX, 0], size: [1, 1] }), "must be <= render pass"),
            (|q, _| q.set_scissor(ScissorRect { origin: [0, 0], size: [0, 4] }), "not empty"),
            (|q, _| q.set_viewport(look(8.0, -4.0, 1.0)), ""),
            (|q, _| q.set_viewport(look(f64::NAN, 0.0, 1.0)), "not finite"),
            (|q, _| q.set_viewport(look(-8.0, 0.0, 1.0)), "negative size"),
            (|q, _| q.set_viewport(look(8.0, 1e9, 1.0)), "beyond 65536"),
            (|q, _| q.set_viewport(look(8.0, 0.0, 2.0)), "depth beyond 0 to 1"),
            (|q, _| q.set_viewports(&[look(8.0, 0.0, 1.0); 1]), ""),
            (|q, _| q.set_viewports(&[look(8.0, 0.0, 1.0); 17]), "count (17) is not 1 to 16"),
            (|q, _| q.set_viewports(&[]), "count (0) is not 1 to 16"),
            (|q, _| q.set_viewports(&[look(8.0, 0.0, 1.0), look(8.0, 0.0, 2.0)]), "depth beyond 0 to 1"),
            (|q, _| q.set_scissors(&[]), "count (0) is not 1 to 16"),
            (|q, _| q.set_scissors(&[ScissorRect { origin: [0; 2], size: [8; 2] }; 17]), "count (17) is not 1 to 16"),
            (|q, _| q.set_scissors(&[ScissorRect { origin: [4, 4], size: [5, 4] }; 2]), "must be <= render pass"),
            (
                |q, _| {
                    q.set_viewports(&[look(8.0, 0.0, 1.0); 2]);
                    q.draw(PrimitiveType::Triangle, DRAW);
                },
                "1 scissor rectangles for 2 viewports",
            ),
            (|q, _| q.set_depth_bounds([0.25, 0.5]), "no depth bounds"),
            (|q, e| q.set_buffer(Stage::Vertex, 31, &e.vertices, 0), "must be < 31"),
            (|q, e| q.set_buffer(Stage::Vertex, 0, &e.vertices, 64), "must be < 64"),
            (|q, e| q.set_buffer(Stage::Kernel, 0, &e.vertices, 0), "no encoder with a Kernel stage"),
            (|q, _| q.set_buffer_offset(Stage::Vertex, 0, 16), ""),
            (|q, _| q.set_buffer_offset(Stage::Vertex, 7, 16), "no buffer is set at index 7"),
            (|q, _| q.set_buffer_offset(Stage::Vertex, 0, 99), "must be < 64"),
            (|q, _| q.set_bytes(Stage::Vertex, 3, &[]), "length (0)"),
            (|q, _| q.set_bytes(Stage::Vertex, 3, &[0; 4096]), ""),
            (|q, _| q.set_bytes(Stage::Vertex, 3, &[0; 4097]), "length (4097)"),
            (|q, e| q.set_texture(Stage::Fragment, 128, &e.target), "must be < 128"),
            (|q, _| q.set_visibility(VisibilityMode::Counting, 56), ""),
            (|q, _| q.set_visibility(VisibilityMode::Counting, 4), "no multiple of 8"),
            (|q, _| q.set_visibility(VisibilityMode::Counting, 64), "beyond the buffer's 64 bytes"),
            (
                |q, _| {
                    q.set_visibility(VisibilityMode::Counting, 0);
                    q.set_visibility(VisibilityMode::Counting, 8);
                    q.set_visibility(VisibilityMode::Counting, 0);
                },
                "offset (0) was used before",
            ),
            (|q, _| q.dispatch([1; 3], [1; 3]), "no compute encoder is open"),
            (|q, e| q.copy_buffer(&e.vertices, 0, &e.indices, 0, 4), "no blit encoder is open"),
            (|q, _| q.push_debug_group("a"), "1 debug groups are not popped"),
            (
                |q, _| {
                    q.push_debug_group("a");
                    q.pop_debug_group();
                },
                "",
            ),
            (|q, _| q.pop_debug_group(), "no debug group is open"),
            (|q, _| q.begin_blit("another"), "another encoder is open"),
        ],
    );
}

#[test]
fn what_draws_need() {
    if !there_is_clang() {
        return;
    }
    let kit = Kit::new();
    let mut of = PipelineOf::new(SHADERS, "plain", "bound", FORMAT);
    let bound = kit.pipeline(&of);
    (of.fragment, of.samples) = (Some("one"), 4);
    let samples = kit.pipeline(&of);
    (of.samples, of.colors) = (1, vec![Some(plain_target(PixelFormat::BGRA8Unorm))]);
    let other_format = kit.pipeline(&of);
    (of.colors, of.depth) = (vec![Some(plain_target(FORMAT))], Some(PixelFormat::Depth32Float));
    let with_depth = kit.pipeline(&of);
    (of.depth, of.topology) = (None, TopologyClass::Line);
    let lines = kit.pipeline(&of);
    let writes = kit.pipeline(&PipelineOf::new(SHADERS, "plain", "writes", FORMAT));
    let image = kit.target(FORMAT, [4, 4]);
    let volume = kit.texture(FORMAT, [4, 4], |d| d.ty = TextureType::D3);
    let not_read = kit.texture(FORMAT, [4, 4], |d| d.usage.read = false);
    let integers = kit.target(PixelFormat::R32Uint, [4, 4]);
    let (values, more) = (kit.empty(64), kit.empty(64));
    let sampler = SamplerDescriptor {
        min: Filter::Nearest,
        mag: Filter::Nearest,
        mip: MipFilter::NotMipmapped,
        address: [AddressMode::Repeat; 3],
        border: BorderColor::OpaqueBlack,
        anisotropy: 1,
        lod: [0, 0],
        compare: None,
    };
    let sampler = kit.device.new_sampler(&sampler).unwrap();
    let tests = kit
        .device
        .new_depth_stencil(&DepthStencilDescriptor {
            compare: CompareFunction::Less,
            write: true,
            front: None,
            back: None,
        })
        .unwrap();
    let mut encoder = Encoder::new(Family::Apple7);
    let mut check = |then: &dyn Fn(&mut SoftQueue), text: &str| {
        let found = encoder.wrong(|queue, _| then(queue));
        assert!(found.contains(text) && found.is_empty() == text.is_empty(), "`{text}`, found `{found}`");
    };
    // All that the function needs, but for what is left out or changed.
    let mut all = |without: &str, then: &dyn Fn(&mut SoftQueue), text: &str| {
        let draw = |q: &mut SoftQueue| {
            q.set_render_pipeline(&bound);
            for name in ["values", "more", "image", "integers", "s"].into_iter().filter(|name| *name != without) {
                match name {
                    "values" => q.set_buffer(Stage::Fragment, 3, &values, 0),
                    "more" => q.set_buffer(Stage::Fragment, 4, &more, 0),
                    "image" => q.set_texture(Stage::Fragment, 0, &image),
                    "integers" => q.set_texture(Stage::Fragment, 1, &integers),
                    _ => q.set_sampler(Stage::Fragment, 2, &sampler),
                }
            }
            then(q);
            q.draw(PrimitiveType::Triangle, DRAW);
        };
        check(&draw, text);
    };
    all("", &|_| {}, "");
    all("values", &|_| {}, "missing Buffer binding at index 3 for values[0]");
    all("more", &|_| {}, "missing Buffer binding at index 4 for more[0]");
    all("image", &|_| {}, "missing Texture binding at index 0 for image[0]");
    all("s", &|_| {}, "missing Sampler binding at index 2 for s[0]");
    all(
        "",
        &|q| q.set_buffer(Stage::Fragment, 3, &values, 32),
        "has space for 32 bytes, but argument has a length(48)",
    );
    all("", &|q| q.set_buffer(Stage::Fragment, 3, &values, 2), "offset 2 is no multiple of 4");
    all("", &|q| q.set_buffer(Stage::Fragment, 3, &values, 4), "");
    all("", &|q| q.set_buffer(Stage::Fragment, 4, &more, 8), "offset 8 is no multiple of 16");
    all("", &|q| q.set_texture(Stage::Fragment, 0, &volume), "incorrect type of texture (MTLTextureTypeD3)");
    all("", &|q| q.set_texture(Stage::Fragment, 0, &not_read), "doesn't specify MTLTextureUsageShaderRead");
    all("", &|q| q.set_texture(Stage::Fragment, 1, &image), "does not have components of UInt");
    check(&|q| q.set_render_pipeline(&samples), "rasterSampleCount is 4");
    check(&|q| q.set_render_pipeline(&other_format), "does not match the render pipeline's pixelFormat (BGRA8Unorm)");
    check(
        &|q| q.set_render_pipeline(&with_depth),
        "For depth attachment, the texture's pixelFormat (MTLPixelFormatInvalid)",
    );
    check(
        &|q| {
            q.set_render_pipeline(&lines);
            q.draw(PrimitiveType::Triangle, DRAW);
        },
        "with a pipeline of topology Line",
    );
    check(
        &|q| {
            q.set_render_pipeline(&writes);
            q.set_texture(Stage::Fragment, 0, &image);
            q.draw(PrimitiveType::Triangle, DRAW);
        },
        "doesn't specify MTLTextureUsageShaderWrite",
    );
    check(
        &|q| {
            q.set_depth_stencil(&tests);
            q.draw(PrimitiveType::Triangle, DRAW);
        },
        "nil depthAttachment",
    );
    check(&|q| q.set_depth_stencil(&tests), "");
}

#[test]
fn constant_offsets_of_intel() {
    if !there_is_clang() {
        return;
    }
    let mut encoder = Encoder::new(Family::Mac2);
    let offsets = encoder.kit.empty(256);
    for (offset, text) in [(16, "offset 16 is no multiple of 32"), (32, "")] {
        let found = encoder.wrong(|queue, _| {
            queue.set_buffer(Stage::Vertex, 2, &offsets, offset);
            queue.draw(PrimitiveType::Triangle, DRAW);
        });
        assert!(found.contains(text) && found.is_empty() == text.is_empty(), "{found}");
    }
}

#[test]
fn a_new_encoder_has_no_state() {
    if !there_is_clang() {
        return;
    }
    let mut encoder = Encoder::new(Family::Apple7);
    assert_eq!(encoder.wrong(|_, _| {}), "");
    let mut kit = Kit::new();
    let target = kit.target(FORMAT, [8, 8]);
    kit.begin(&target);
    kit.draw(PrimitiveType::Triangle, 3);
    kit.end();
    assert!(kit.wrong().contains("no render pipeline is set"));
    kit.queue.end_encoding();
    assert!(kit.wrong().contains("no encoder is open"));
    kit.begin(&target);
    kit.queue.commit();
    assert!(kit.wrong().contains("endEncoding first"));
}
