//! Shaders of strangers: each declaration of the IR at its bound and past it, as IR text and as SPIR-V. What is accepted draws without
//! a message of the validation layer; what is not is a typed error by name, and the stream goes on. All of it comes by shared memory and
//! from captures as well.

mod common;

use afterimage_ir::{
    BankDecl, BankSource, Component, Dim, FeedbackDecl, GeometryDecl, IMAGE_SLOTS, ImageDecl, ImageFormat, InputAt,
    InputDecl, InputPrimitive, Interp, Kind, MAX_ARRAY, MAX_BANK, MAX_STORAGE, MAX_VARS, Module, OutputAt, OutputDecl,
    OutputPrimitive, SpecDecl, Stage as In, TextureDecl, Type, Value,
};
use afterimage_shader::{CompileError, Language, Profile, RuntimeInfo, Shader};
use afterimage_stream::packets::*;
use afterimage_stream::{Bank, Format, ObjectId};
use afterimage_vulkan::Without;
use common::code::Code;
use common::ways::Filed;
use common::*;

/// A shader that is being built, and a truth value that is false when it runs, which no compiler knows.
struct Strange {
    code: Code,
    stage: In,
    never: Value,
    result: Value,
}

impl Strange {
    fn new(stage: In) -> Self {
        let mut code = Code::new(stage);
        if stage == In::Geometry {
            let (input, output) = (InputPrimitive::Triangles, OutputPrimitive::TriangleStrip);
            code.b.geometry(GeometryDecl { input, output, vertices: 3, invocations: 1 });
        }
        let never = match stage {
            In::Vertex => less(&mut code, InputAt::VertexIndex, -1),
            In::Geometry => less(&mut code, InputAt::PrimitiveId, -1),
            In::Compute => less(&mut code, InputAt::LocalIndex, -1),
            In::Pixel => {
                let place = code.input(InputAt::FragCoord, Type::F32X4);
                let (x, low) = (code.b.extract(place, 0), code.b.f32(-1.0));
                code.b.flt(x, low)
            }
        };
        let result = code.b.f32x4(GREEN);
        Self { code, stage, never, result }
    }

    /// The shader's result depends on a value.
    fn uses(&mut self, value: Value) {
        let b = &mut self.code.b;
        let value = match b.ty(value).kind {
            Kind::Bool => {
                let (one, zero) = (b.f32(1.0), b.f32(0.0));
                let first = b.extract(value, 0);
                b.select(first, one, zero)
            }
            Kind::Int => b.i2f(value),
            Kind::Float => value,
            Kind::Bits => b.cast(value, Kind::Float),
        };
        let first = b.extract(value, 0);
        let value = b.construct(&[first, first, first, first]);
        self.result = b.select(self.never, value, self.result);
    }

    fn bank(&mut self, source: BankSource, id: u8, size: u32, dynamic: bool) -> &mut Self {
        let b = &mut self.code.b;
        let bank = b.bank(BankDecl { name: "strange".into(), source, id, size, defs: vec![] });
        let value = if dynamic {
            let (one, index) = (b.i32(i32::MAX), b.i32(size as i32 - 1));
            let index = b.select(self.never, one, index);
            b.load_const_dyn(bank, 0, index)
        } else {
            b.load_const(bank, size - 1)
        };
        self.uses(value);
        self
    }

    fn input(&mut self, at: InputAt, ty: Type, interp: Interp) -> &mut Self {
        let input = self.code.b.input(InputDecl { name: String::new(), ty, at, interp, semantic: None });
        let value = if self.stage == In::Geometry && at.is_of_vertex() {
            let zero = self.code.b.i32(0);
            self.code.b.load_vertex_input(input, zero)
        } else {
            self.code.b.load_input(input)
        };
        self.uses(value);
        self
    }

    /// Writes a constant.
    fn output(&mut self, at: OutputAt, ty: Type) -> &mut Self {
        let one = match at {
            // There is one of each.
            OutputAt::Layer | OutputAt::ViewportIndex => 0,
            _ if ty.kind == Kind::Float => 1f32.to_bits(),
            _ => 1,
        };
        let mut bits = [0; 4];
        bits[..usize::from(ty.lanes)].fill(one);
        let value = self.code.b.const_bits(ty, bits);
        let output = self.code.b.output(OutputDecl { name: String::new(), ty, at, semantic: None });
        if self.stage != In::Geometry {
            self.code.b.store_output(output, value);
        }
        self
    }

    fn texture(&mut self, decl: TextureDecl) -> &mut Self {
        let b = &mut self.code.b;
        let texture = b.texture(decl);
        let value = if decl.dim.is_multisampled() {
            let (place, zero) = (b.const_bits(Type::new(Kind::Int, decl.dim.texel_coords()), [0; 4]), b.i32(0));
            b.fetch(texture, place, zero, Default::default())
        } else {
            let place = b.const_bits(Type::new(Kind::Float, decl.dim.coords()), [0; 4]);
            let (level, zero) = (b.f32(0.0), b.f32(0.0));
            b.sample_lod(texture, place, level, decl.shadow.then_some(zero))
        };
        self.uses(value);
        self
    }

    /// An image that is read, and written with what it held.
    fn image(&mut self, decl: ImageDecl) -> &mut Self {
        let b = &mut self.code.b;
        let image = b.image(decl);
        let place = b.const_bits(Type::new(Kind::Int, decl.dim.texel_coords()), [0; 4]);
        let sample = decl.dim.is_multisampled().then(|| b.i32(0));
        let value = b.image_load(image, place, sample);
        b.image_store(image, place, sample, value);
        self.uses(value);
        self
    }

    fn module(mut self) -> Module {
        match self.stage {
            In::Vertex => everywhere(&mut self.code, self.never, self.result),
            In::Pixel => self.code.output(OutputAt::Location(0), self.result),
            In::Compute => {
                let format = ImageFormat::R32;
                let image = ImageDecl { slot: 0, dim: Dim::D2, component: Component::Float, format };
                let known = self.code.b.module().images.iter().position(|other| other.slot == 0);
                let image = match known {
                    Some(known) => afterimage_ir::Image::new(known),
                    None => self.code.b.image(image),
                };
                let place = self.code.b.const_bits(Type::new(Kind::Int, 2), [0; 4]);
                if known.is_none() {
                    self.code.b.image_store(image, place, None, self.result);
                }
            }
            In::Geometry => {
                let at = InputDecl {
                    name: String::new(),
                    ty: Type::F32X4,
                    at: InputAt::Position,
                    interp: Interp::Smooth,
                    semantic: None,
                };
                let b = &mut self.code.b;
                let input = b.input(at);
                let decl = |at| OutputDecl { name: String::new(), ty: Type::F32X4, at, semantic: None };
                let position = b.output(decl(OutputAt::Position));
                let corners = b.module().geometry.map_or(0, |geometry| geometry.input.corners()).min(3);
                for corner in 0..corners {
                    let corner = b.i32(corner as i32);
                    let place = b.load_vertex_input(input, corner);
                    let place = b.select(self.never, self.result, place);
                    b.store_output(position, place);
                    b.emit_vertex(0);
                }
            }
        }
        self.code.b.return_();
        self.code.b.finish().expect("a module")
    }
}

fn less(code: &mut Code, at: InputAt, than: i32) -> Value {
    let number = code.input(at, Type::I32);
    let than = code.b.i32(than);
    code.b.ilt(number, than)
}

/// A triangle over everything by the number of the vertex.
fn everywhere(code: &mut Code, never: Value, other: Value) {
    let position = code.everywhere();
    let position = code.b.select(never, other, position);
    code.output(OutputAt::Position, position);
}

/// What became of a shader.
#[derive(Debug, PartialEq)]
enum Fate {
    /// It drew its picture.
    Drew,
    /// It was refused when it was created.
    Refused(String),
    /// It was not drawn with, which the log says.
    Skipped,
}

/// What a shader of a stage is drawn with.
#[derive(Default)]
struct Around {
    /// Written by the vertex shader for others to read.
    outputs: Vec<(OutputAt, Type)>,
    /// What is bound as the target, where it is no plain one.
    format: Option<Format>,
}

/// A stranger's guest.
struct Host {
    guest: Guest,
    vertex: ObjectId,
    pixel: ObjectId,
    /// A target of one 32-bit float that dispatches store to.
    stored: ObjectId,
}

impl Host {
    fn new(mut guest: Guest) -> Self {
        let vertex = text(&mut guest, &Strange::new(In::Vertex).module());
        let pixel = text(&mut guest, &Strange::new(In::Pixel).module());
        let usage = CreateTexture::STORAGE;
        let stored = guest.texture_with(CreateTexture { usage, ..plain(Format::R32_SFLOAT, 1, 1, 1) });
        let image = StorageImage { view: View { texture: stored, level: 0, layer: 0 } };
        guest.encoder.push_tail(&SetStorageImages { stage: Stage::Compute as u32, first: 0, count: 1 }, &[image]);
        guest.target(Format::R8G8B8A8_UNORM, 4, 4);
        let mut host = Self { guest, vertex, pixel, stored };
        host.goes_on();
        host
    }

    /// Draws with good shaders.
    fn goes_on(&mut self) {
        let (vertex, pixel) = (self.vertex, self.pixel);
        let guest = &mut self.guest;
        guest.clear(Clear::COLOR, RED, 1.0, 0);
        guest.encoder.push(&SetShaders { vertex, pixel, ..SetShaders::default() });
        guest.draw(Topology::TriangleList, 0, 3);
        assert_eq!(guest.pixels().count(rgba(GREEN)), 16, "the stream goes on");
    }

    /// Creates the shader and draws with it.
    fn try_code(&mut self, stage: In, language: u32, code: &[u8], around: &Around) -> Fate {
        let (vertex, pixel) = (self.vertex, self.pixel);
        let refused = self.guest.figure("shader_failures");
        let skipped = self.guest.renderer.skipped_draws();
        let id = self.guest.shader_in(stage, language, code);
        self.guest.run();
        self.guest.renderer.finish_workers();
        let mut fate = Fate::Skipped;
        if self.guest.figure("shader_failures") > refused {
            let (which, error) = self.guest.renderer.refused_shader().expect("it was refused");
            assert_eq!(which, id);
            fate = Fate::Refused(error.to_string());
        }
        let picture = self.guest.pixels_target();
        if let Some(format) = around.format {
            let other = self.guest.texture(format, 4, 4, 1, CreateTexture::TARGET);
            self.guest.bind(other, ObjectId::NONE);
        }
        let vertex = if around.outputs.is_empty() {
            vertex
        } else {
            let mut strange = Strange::new(In::Vertex);
            for &(at, ty) in &around.outputs {
                strange.output(at, ty);
            }
            text(&mut self.guest, &strange.module())
        };
        let guest = &mut self.guest;
        guest.clear(Clear::COLOR, RED, 1.0, 0);
        if stage == In::Compute {
            guest.update_texture(self.stored, 0, 0, [1, 1], 4, &7f32.to_le_bytes());
            guest.dispatch(id, [1, 1, 1]);
            let found = guest.read(self.stored, Format::R32_SFLOAT, 0, 0, [1, 1]);
            // The first component of green, or the image was written with what it held.
            let drew = found == 0f32.to_le_bytes() || guest.renderer.skipped_draws() == skipped;
            fate = if drew { Fate::Drew } else { fate };
        } else {
            let shaders = match stage {
                In::Vertex => SetShaders { vertex: id, pixel, ..SetShaders::default() },
                In::Pixel => SetShaders { vertex, pixel: id, ..SetShaders::default() },
                In::Geometry => SetShaders { vertex, pixel, geometry: id, ..SetShaders::default() },
                In::Compute => SetShaders::default(),
            };
            guest.encoder.push(&shaders);
            guest.draw(Topology::TriangleList, 0, 3);
            guest.run();
            let drew = guest.renderer.skipped_draws() == skipped;
            if drew && around.format.is_none() {
                let code = String::from_utf8_lossy(code);
                assert_eq!(guest.pixels().count(rgba(GREEN)), 16, "what is drawn with draws: {code}");
            }
            fate = if drew { Fate::Drew } else { fate };
        }
        guest.bind(picture, ObjectId::NONE);
        guest.encoder.push(&Destroy { id, pad: 0 });
        self.goes_on();
        fate
    }

    fn tried(&mut self, module: &Module) -> Fate {
        self.tried_in(module, &Around::default())
    }

    /// Tries a module as IR text, and as SPIR-V where that can say the same.
    fn tried_in(&mut self, module: &Module, around: &Around) -> Fate {
        let code = module.to_string();
        let fate = self.try_code(module.stage, Language::Ir as u32, code.as_bytes(), around);
        if matches!(module.stage, In::Vertex | In::Pixel)
            && let Ok(shader) = Shader::new(Language::Ir, code.as_bytes())
            && let Ok(artifact) = shader.compile(&Profile::default(), &RuntimeInfo::default())
        {
            let words: &[u8] = bytemuck::cast_slice(&artifact.words);
            let other = self.try_code(module.stage, Language::Spirv as u32, words, around);
            // What our own back end writes has the declarations that its stage has; what no SPIR-V of a guest may have is refused by
            // its reader, by name.
            let fine = fate != Fate::Drew
                || matches!(other, Fate::Drew | Fate::Refused(_))
                // The reader of SPIR-V does not keep which integers are signed.
                || module.signed_outputs != 0;
            assert!(fine, "as IR {fate:?}, as SPIR-V {other:?}:\n{code}");
        }
        fate
    }

    fn draws(&mut self, name: &str, module: &Module) {
        assert_eq!(self.tried(module), Fate::Drew, "{name}:\n{module}");
    }

    /// It is refused when it is created, in such words.
    fn refuses(&mut self, name: &str, module: &Module, words: &str) {
        match self.tried(module) {
            Fate::Refused(error) if error.contains(words) => {}
            other => panic!("{name}: {other:?} instead of {words:?}\n{module}"),
        }
    }

    /// What asks for as much as there is draws; what asks for more, or far more, is refused.
    fn bound(&mut self, name: &str, bound: u32, far: u32, make: impl Fn(u32) -> Module) {
        if bound > 0 {
            self.draws(&format!("{name}: {bound}"), &make(bound));
        }
        for past in [bound + 1, far] {
            match self.tried(&make(past)) {
                Fate::Refused(_) => {}
                other => panic!("{name}: {other:?} with {past}, where {bound} are there"),
            }
        }
    }
}

/// What a test tries comes by the memory that a program and the viewer share; and then from memory, of which a capture is made that is
/// replayed.
fn each_way(test: impl Fn(&mut Host)) {
    in_shared_memory(&test);
    let mut guest = Guest::strange(Without::default());
    guest.filed = Some(Filed::new());
    let mut host = Host::new(guest);
    test(&mut host);
    let filed = host.guest.filed.take().expect("it was there");
    host.guest.finish();
    filed.replays(Guest::strange(Without::default()));
}

/// The first of these ways alone, where lavapipe compiles for a minute.
fn in_shared_memory(test: impl Fn(&mut Host)) {
    let mut host = Host::new(Guest::strange_in_shared_memory());
    test(&mut host);
    host.guest.finish();
}

fn text(guest: &mut Guest, module: &Module) -> ObjectId {
    guest.shader(module.stage, &module.to_string())
}

/// A module that declares one thing.
fn with(stage: In, declare: impl FnOnce(&mut Strange)) -> Module {
    let mut strange = Strange::new(stage);
    declare(&mut strange);
    strange.module()
}

/// The stages that a device has.
fn stages(host: &Host) -> Vec<In> {
    let geometry = host.guest.renderer.gpu().profile.adjacency.then_some(In::Geometry);
    [In::Vertex, In::Pixel, In::Compute].into_iter().chain(geometry).collect()
}

#[test]
fn points_without_a_size_are_a_pixel() {
    each_way(|host| {
        let mut code = Code::new(In::Vertex);
        let middle = code.b.f32x4([0.0, 0.0, 0.5, 1.0]);
        code.output(OutputAt::Position, middle);
        code.b.return_();
        let module = code.b.finish().expect("a module");
        let artifact = Shader::new(Language::Ir, module.to_string().as_bytes())
            .and_then(|shader| shader.compile(&Profile::default(), &RuntimeInfo::default()))
            .expect("it is translated");
        let mut points = with(In::Geometry, |_| {});
        points.geometry.as_mut().expect("it is one").output = OutputPrimitive::Points;
        let (guest, pixel) = (&mut host.guest, host.pixel);
        let spirv = guest.shader_in(Stage::Vertex, Language::Spirv as u32, bytemuck::cast_slice(&artifact.words));
        let ir = text(guest, &module);
        let mut cases = vec![
            (SetShaders { vertex: ir, pixel, ..SetShaders::default() }, Topology::PointList),
            (SetShaders { vertex: spirv, pixel, ..SetShaders::default() }, Topology::PointList),
        ];
        if guest.renderer.gpu().profile.adjacency {
            let geometry = text(guest, &points);
            cases.push((SetShaders { vertex: ir, geometry, pixel, ..SetShaders::default() }, Topology::TriangleList));
        }
        for (shaders, topology) in cases {
            guest.clear(Clear::COLOR, RED, 1.0, 0);
            guest.viewport(3, 3);
            guest.encoder.push(&shaders);
            guest.draw(topology, 0, 3);
            let pixels = guest.pixels();
            let green: Vec<_> =
                (0..16).map(|n| (n % 4, n / 4)).filter(|&(x, y)| pixels.at(x, y) == rgba(GREEN)).collect();
            assert_eq!(green, [(1, 1)], "{shaders:?}");
        }
        guest.viewport(4, 4);
        host.goes_on();
    });
}

#[test]
fn banks_of_the_renderer_end_where_its_blocks_do() {
    each_way(|host| {
        for stage in stages(host) {
            let system = if matches!(stage, In::Vertex | In::Pixel) { 30 } else { 0 };
            for dynamic in [false, true] {
                host.bound("system", system, MAX_BANK, |n| {
                    with(stage, |s| _ = s.bank(BankSource::System, 0, n, dynamic))
                });
            }
            if matches!(stage, In::Vertex | In::Compute) {
                host.bound("feedback", 0, MAX_BANK, |n| with(stage, |s| _ = s.bank(BankSource::Feedback, 0, n, false)));
                host.bound("feedback", 0, 16, |n| with(stage, |s| _ = s.bank(BankSource::Feedback, 0, n, true)));
            }
            host.bound("storage", 0, MAX_STORAGE, |n| with(stage, |s| _ = s.bank(BankSource::Storage, 0, n, false)));
        }
    });
}

#[test]
fn banks_of_the_stream_end_where_its_table_says() {
    each_way(|host| {
        let stages = [
            (In::Vertex, [0, 1, 2, 6, 9, 10, 11, 13, 15].as_slice()),
            (In::Pixel, &[3, 4, 5, 7, 12, 16, 18]),
            (In::Compute, &[19, 21]),
        ];
        for (stage, own) in stages {
            for (number, bank) in (0..).zip(Bank::ALL) {
                let registers = if own.contains(&number) { bank.registers().into() } else { 0 };
                for dynamic in [false, true] {
                    host.bound(bank.name(), registers, MAX_BANK, |n| {
                        with(stage, |s| _ = s.bank(BankSource::Stage, number, n, dynamic))
                    });
                }
            }
            for number in [Bank::COUNT as u8, 255] {
                host.bound("no bank", 0, 16, |n| with(stage, |s| _ = s.bank(BankSource::Stage, number, n, false)));
            }
        }
    });
}

#[test]
fn addresses_of_buffers_are_no_constants() {
    each_way(|host| {
        for (stage, number) in [(In::Vertex, 14), (In::Pixel, 17), (In::Compute, 20)] {
            let module = with(stage, |s| _ = s.bank(BankSource::Stage, number, 1, false));
            host.refuses(
                "buffers",
                &module,
                &format!("stage bank c0 (number {number}): 1 registers asked for, 0 are there"),
            );
        }
        let mut code = Code::compute(1);
        let zero = code.b.i32(0);
        let at = code.b.construct(&[zero, zero]);
        code.b.store_global(at, zero);
        code.b.return_();
        let module = code.b.finish().expect("a module");
        host.refuses("memory", &module, &CompileError::RawAddresses.to_string());
    });
}

#[test]
fn locations_end_where_attributes_varyings_and_targets_do() {
    each_way(|host| {
        let profile = host.guest.renderer.gpu().profile.clone();
        let location = |n: u32| (n - 1) as u8;
        let attributes = profile.limits.max_vertex_input_attributes.min(32);
        host.bound("attributes", attributes, 64, |n| {
            with(In::Vertex, |s| _ = s.input(InputAt::Location(location(n)), Type::F32X4, Interp::Smooth))
        });
        for lanes in 1..=4 {
            let float =
                with(In::Vertex, |s| _ = s.input(InputAt::Location(3), Type::new(Kind::Float, lanes), Interp::Smooth));
            host.draws("an attribute", &float);
            let int =
                with(In::Vertex, |s| _ = s.input(InputAt::Location(3), Type::new(Kind::Int, lanes), Interp::Smooth));
            host.refuses("an attribute of integers", &int, "attributes of integers");
        }
        let limits = &profile.limits;
        let geometry = limits.max_geometry_input_components.min(limits.max_geometry_output_components);
        let most = if profile.adjacency {
            geometry.min(limits.max_vertex_output_components)
        } else {
            limits.max_vertex_output_components
        };
        let most = most / 4 - 1;
        host.bound("varyings", most, 64, |n| {
            with(In::Vertex, |s| _ = s.output(OutputAt::Location(location(n)), Type::F32X4))
        });
        let targets = profile.limits.max_color_attachments.min(8);
        host.bound("targets", targets, 64, |n| {
            with(In::Pixel, |s| {
                if n > 1 {
                    s.output(OutputAt::Location(location(n)), Type::F32X4);
                }
            })
        });
    });
}

#[test]
fn what_a_stage_reads_the_one_before_it_writes() {
    each_way(|host| {
        let kinds = [Kind::Float, Kind::Int];
        for (read, read_lanes) in kinds.into_iter().flat_map(|kind| [(kind, 1), (kind, 4)]) {
            for (given, given_lanes) in kinds.into_iter().flat_map(|kind| [(kind, 1), (kind, 4)]) {
                for interp in [Interp::Smooth, Interp::Flat, Interp::Centroid, Interp::Linear] {
                    let pixel = with(In::Pixel, |s| {
                        s.input(InputAt::Location(5), Type::new(read, read_lanes), interp);
                    });
                    let around =
                        Around { outputs: vec![(OutputAt::Location(5), Type::new(given, given_lanes))], format: None };
                    let fits = read == given && read_lanes <= given_lanes;
                    let wanted = if fits { Fate::Drew } else { Fate::Skipped };
                    assert_eq!(
                        host.tried_in(&pixel, &around),
                        wanted,
                        "{read:?} x {read_lanes} of {given:?} x {given_lanes}"
                    );
                }
            }
        }
        let unfed = with(In::Pixel, |s| _ = s.input(InputAt::Location(0), Type::F32X4, Interp::Smooth));
        assert_eq!(host.tried(&unfed), Fate::Skipped);
        if host.guest.renderer.gpu().profile.adjacency {
            let geometry = with(In::Geometry, |s| _ = s.input(InputAt::Location(2), Type::F32X4, Interp::Smooth));
            assert_eq!(host.tried(&geometry), Fate::Skipped);
            let around = Around { outputs: vec![(OutputAt::Location(2), Type::F32X4)], format: None };
            assert_eq!(host.tried_in(&geometry, &around), Fate::Drew);
        }
    });
}

#[test]
fn outputs_meet_targets_of_every_kind() {
    each_way(|host| {
        for format in [Format::R8G8B8A8_UNORM, Format::R32_UINT, Format::R8G8B8A8_SINT, Format::R32_SFLOAT] {
            for kind in [Kind::Float, Kind::Int] {
                for signed in [false, true] {
                    let mut code = Code::new(In::Pixel);
                    let value = code.b.const_bits(Type::new(kind, 4), [1; 4]);
                    code.output(OutputAt::Location(0), value);
                    if signed {
                        code.b.signed_output(0);
                    }
                    code.b.return_();
                    let module = code.b.finish().expect("a module");
                    let around = Around { outputs: vec![], format: Some(format) };
                    let fits = match format {
                        Format::R32_UINT => kind == Kind::Int && !signed,
                        Format::R8G8B8A8_SINT => kind == Kind::Int && signed,
                        _ => kind == Kind::Float,
                    };
                    let wanted = if fits { Fate::Drew } else { Fate::Skipped };
                    assert_eq!(host.tried_in(&module, &around), wanted, "{kind:?} to {format:?}");
                }
            }
        }
    });
}

#[test]
fn builtins_are_there_or_refused() {
    each_way(|host| {
        for stage in stages(host) {
            for &(at, name, stages, ty) in InputAt::BUILTINS.iter().filter(|row| row.2.contains(&stage)) {
                let known = [InputAt::VertexIndex, InputAt::FragCoord, InputAt::PrimitiveId, InputAt::LocalIndex];
                if known.contains(&at) && stages.len() == 1 || at == InputAt::Position {
                    continue;
                }
                if stage == In::Geometry && at == InputAt::PrimitiveId {
                    continue;
                }
                let module = with(stage, |s| _ = s.input(at, ty, Interp::Smooth));
                let fate = host.tried(&module);
                assert!(matches!(fate, Fate::Drew | Fate::Refused(_)), "{name}: {fate:?}");
            }
            for &(at, name, _, ty) in OutputAt::BUILTINS.iter().filter(|row| row.2.contains(&stage)) {
                if at == OutputAt::Position {
                    continue;
                }
                let module = with(stage, |s| _ = s.output(at, ty));
                let fate = host.tried(&module);
                assert!(matches!(fate, Fate::Drew | Fate::Refused(_)), "{name}: {fate:?}");
            }
        }
    });
}

#[test]
fn distances_end_where_the_devices_do() {
    each_way(|host| {
        let profile = host.guest.renderer.gpu().profile.clone();
        let (limits, shaders) = (&profile.limits, &profile.shaders);
        let clip = if profile.clip_distance { limits.max_clip_distances } else { 0 };
        let cull = if shaders.cull_distance { limits.max_cull_distances } else { 0 };
        let lanes = |n: u32| Type::new(Kind::Float, n as u8);
        for (count, at) in
            [(clip, OutputAt::ClipDistance as fn(u8) -> OutputAt), (cull, OutputAt::CullDistance as fn(u8) -> OutputAt)]
        {
            for n in 1..=8u32 {
                let module = with(In::Vertex, |s| {
                    s.output(at(0), lanes(n.min(4)));
                    if n > 4 {
                        s.output(at(4), lanes(n - 4));
                    }
                });
                let fate = host.tried(&module);
                assert_eq!(fate == Fate::Drew, n <= count, "{n} distances: {fate:?}");
            }
        }
        let both = with(In::Vertex, |s| {
            for at in [OutputAt::ClipDistance(0), OutputAt::ClipDistance(4), OutputAt::CullDistance(0)] {
                s.output(at, lanes(4));
            }
        });
        if limits.max_combined_clip_and_cull_distances < 12 {
            host.refuses("both", &both, "distances");
        }
    });
}

#[test]
fn textures_are_of_their_stages_slots_and_one_shape() {
    each_way(|host| {
        let slots = [(In::Pixel, 0..16), (In::Vertex, 16..20), (In::Compute, 20..40)];
        for (stage, own) in slots {
            for slot in [0, 15, 16, 19, 20, 39, 40, 255] {
                let decl = TextureDecl { slot, dim: Dim::D2, shadow: false, component: Component::Float };
                let module = with(stage, |s| _ = s.texture(decl));
                let fate = host.tried(&module);
                assert_eq!(fate == Fate::Drew, own.contains(&slot), "slot {slot} of {stage:?}: {fate:?}");
                assert!(matches!(fate, Fate::Drew | Fate::Refused(_)));
            }
            for &dim in Dim::ALL {
                for &component in Component::ALL {
                    for shadow in [false, true] {
                        let decl = TextureDecl { slot: own.start, dim, shadow, component };
                        let fate = host.tried(&with(stage, |s| _ = s.texture(decl)));
                        assert!(matches!(fate, Fate::Drew | Fate::Refused(_)), "{decl:?}: {fate:?}");
                        // Another shape in the same slot.
                        let other = TextureDecl { dim: if dim == Dim::D2 { Dim::D3 } else { Dim::D2 }, ..decl };
                        let two = with(stage, |s| _ = s.texture(decl).texture(other));
                        let fate = host.tried(&two);
                        assert!(matches!(fate, Fate::Refused(_)), "{decl:?} and {other:?}: {fate:?}");
                    }
                }
            }
        }
    });
}

#[test]
fn images_are_in_slots_that_are_there() {
    each_way(|host| {
        let most =
            host.guest.renderer.gpu().profile.limits.max_per_stage_descriptor_storage_images.min(IMAGE_SLOTS.into());
        let has_samples = host.guest.renderer.device_info().storage_sample_counts > 1;
        let has_long = host.guest.renderer.gpu().profile.shaders.image_int64_atomics;
        for stage in [In::Vertex, In::Pixel, In::Compute] {
            let decl = |slot| ImageDecl { slot, dim: Dim::D2, component: Component::Uint, format: ImageFormat::R32 };
            host.bound("images", most, 256, |n| with(stage, |s| _ = s.image(decl((n - 1) as u8))));
            for &dim in Dim::ALL {
                for &component in Component::ALL {
                    for &format in ImageFormat::ALL {
                        let decl = ImageDecl { slot: 1, dim, component, format };
                        let fate = host.tried(&with(stage, |s| _ = s.image(decl)));
                        assert!(matches!(fate, Fate::Drew | Fate::Refused(_)), "{decl:?}: {fate:?}");
                        let is_long = format == ImageFormat::R64;
                        let is_refused = dim.is_multisampled() && !has_samples
                            || is_long && !(has_long && component == Component::Uint);
                        assert_eq!(matches!(fate, Fate::Refused(_)), is_refused, "{decl:?}: {fate:?}");
                        if is_long && !dim.is_multisampled() && component == Component::Uint && !has_long {
                            let why = "image i0 (slot 1): 1 texels of 64 bits asked for, 0 are there";
                            assert!(matches!(&fate, Fate::Refused(error) if error.contains(why)), "{fate:?}");
                        }
                    }
                }
            }
        }
    });
}

#[test]
fn work_groups_end_where_the_devices_do() {
    each_way(|host| {
        let limits = host.guest.renderer.gpu().profile.limits;
        let lanes = limits.max_compute_work_group_invocations.min(1024);
        for axis in 0..3 {
            let most = limits.max_compute_work_group_size[axis].min(lanes);
            host.bound("lanes", most, u32::MAX, |n| {
                with(In::Compute, |s| {
                    let mut group = [1; 3];
                    group[axis] = n;
                    s.code.b.work_group(group, 0);
                })
            });
        }
        let words = limits.max_compute_shared_memory_size / 4 - 1;
        host.bound("shared", words, u32::MAX / 4, |n| {
            with(In::Compute, |s| {
                s.code.b.work_group([1; 3], n * 4);
                let last = s.code.b.i32((n as i32 - 1).wrapping_mul(4));
                let value = s.code.b.load_shared(last, 1);
                s.uses(value);
            })
        });
    });
}

#[test]
fn geometry_keeps_to_the_devices_most() {
    each_way(|host| {
        let profile = host.guest.renderer.gpu().profile.clone();
        if !profile.adjacency {
            return;
        }
        let limits = &profile.limits;
        let geometry = |decl: GeometryDecl| with(In::Geometry, |s| s.code.b.geometry(decl));
        let (input, output) = (InputPrimitive::Triangles, OutputPrimitive::TriangleStrip);
        let most = limits.max_geometry_output_vertices.min(limits.max_geometry_total_output_components / 4).min(256);
        host.bound("vertices", most, u32::MAX, |vertices| {
            geometry(GeometryDecl { input, output, vertices, invocations: 1 })
        });
        let most = limits.max_geometry_shader_invocations.min(32);
        host.bound("invocations", most, u32::MAX, |invocations| {
            geometry(GeometryDecl { input, output, vertices: 3, invocations })
        });
        // Primitives that the draw does not have.
        for &input in InputPrimitive::ALL {
            let module = geometry(GeometryDecl { input, output, vertices: 3, invocations: 1 });
            let wanted = if input == InputPrimitive::Triangles { Fate::Drew } else { Fate::Skipped };
            assert_eq!(host.tried(&module), wanted, "{input:?}");
        }
    });
}

#[test]
fn captures_keep_to_the_devices_most() {
    each_way(|host| {
        let feedback = host.guest.renderer.gpu().profile.transform_feedback;
        let most = feedback.map_or(2048, |feedback| feedback.vertex_bytes[0]).min(2048);
        host.bound("stride", most / 4, u32::MAX / 4, |words| {
            with(In::Vertex, |s| {
                s.output(OutputAt::Location(1), Type::F32X4);
                let output = afterimage_ir::Output::new(0);
                let (stride, offset) = (words * 4, (words * 4).wrapping_sub(16));
                s.code.b.feedback(FeedbackDecl {
                    output,
                    component: 0,
                    lanes: 4,
                    buffer: 0,
                    stream: 0,
                    stride,
                    offset,
                });
            })
        });
    });
}

#[test]
fn private_memory_ends_where_the_irs_limits_do() {
    in_shared_memory(|host| {
        for stage in [In::Vertex, In::Pixel, In::Compute] {
            host.bound("an array", MAX_ARRAY, u32::MAX, |n| {
                with(stage, |s| {
                    let b = &mut s.code.b;
                    let array = b.var_array("a", Type::F32X4, n);
                    let (far, near) = (b.i32(i32::MAX), b.i32(n.wrapping_sub(1) as i32));
                    let index = b.select(s.never, far, near);
                    let value = b.f32x4(BLUE);
                    b.store_elem(array, index, afterimage_ir::Mask::first(4), value);
                    let other = b.i32(-1);
                    let other = b.select(s.never, other, index);
                    let value = b.load_elem(array, other);
                    s.uses(value);
                })
            });
            host.bound("variables", MAX_VARS as u32, MAX_VARS as u32 * 2, |n| {
                with(stage, |s| {
                    let mut first = None;
                    for _ in 0..n {
                        first = Some(s.code.b.var("v", Type::F32X4));
                    }
                    if let Some(var) = first {
                        let value = s.code.b.f32x4(BLUE);
                        s.code.b.store(var, value);
                        let value = s.code.b.load(var);
                        s.uses(value);
                    }
                })
            });
        }
    });
}

#[test]
fn specialisation_constants_of_ours_are_integers() {
    each_way(|host| {
        for id in [0, 1, 2, 31, 32, u32::MAX] {
            for kind in [Kind::Int, Kind::Float, Kind::Bool] {
                let module = with(In::Pixel, |s| {
                    let spec = s.code.b.spec(SpecDecl { name: String::new(), id, kind, default: 0 });
                    let value = s.code.b.load_spec(spec);
                    s.uses(value);
                });
                let fate = host.tried(&module);
                let good = id > 1 || kind == Kind::Int;
                assert_eq!(fate == Fate::Drew, good, "constant {id} of {kind:?}: {fate:?}");
            }
        }
    });
}

#[test]
fn stages_do_not_share_a_slot_of_images_in_different_ways() {
    each_way(|host| {
        let shaders = host.guest.renderer.gpu().profile.shaders;
        if !shaders.vertex_stores || !shaders.pixel_stores {
            return;
        }
        let of = |stage, dim, component| {
            let decl = ImageDecl { slot: 3, dim, component, format: ImageFormat::R32 };
            with(stage, |s| _ = s.image(decl))
        };
        for (dim, component, good) in
            [(Dim::D2, Component::Uint, true), (Dim::D3, Component::Uint, false), (Dim::D2, Component::Float, false)]
        {
            let vertex = text(&mut host.guest, &of(In::Vertex, Dim::D2, Component::Uint));
            let pixel = text(&mut host.guest, &of(In::Pixel, dim, component));
            host.guest.run();
            let before = host.guest.renderer.skipped_draws();
            host.guest.encoder.push(&SetShaders { vertex, pixel, ..SetShaders::default() });
            host.guest.draw(Topology::TriangleList, 0, 3);
            host.guest.run();
            assert_eq!(host.guest.renderer.skipped_draws() == before, good, "{dim:?} {component:?}");
            host.goes_on();
        }
    });
}
