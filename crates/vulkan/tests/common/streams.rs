//! Random streams of states, objects, commands and draws, for tests that what is tracked is what is computed.

use super::code::{Code, bind_storage};
use super::*;
use afterimage_ir::{
    Component, Dim, FeedbackDecl, GeometryDecl, ImageDecl, ImageFormat, InputAt, InputDecl, InputPrimitive, Interp,
    OutputAt, OutputDecl, OutputPrimitive, Stage as In, TextureDecl, Type,
};
use afterimage_stream::packets::*;
use afterimage_stream::{Format, ObjectId, ObjectKind, VertexFormat};
use bytemuck::Zeroable;
use proptest::prelude::*;
use std::cell::Cell;

/// A thing that a stream does: what, and to which values.
#[derive(Clone, Copy, Debug)]
pub struct Op(pub u8, pub u8, pub u8);

/// How many there are.
pub const OPS: u8 = 34;

/// Objects of the streams.
pub struct Scene {
    targets: [ObjectId; 3],
    depths: [ObjectId; 3],
    textures: [ObjectId; 5],
    descs: [CreateTexture; 5],
    samplers: [ObjectId; 3],
    vertex: [ObjectId; 5],
    geometry: ObjectId,
    pixel: [ObjectId; 8],
    inputs: [ObjectId; 2],
    buffers: [ObjectId; 2],
    indices: ObjectId,
    words: [ObjectId; 2],
    images: [ObjectId; 2],
    compute: [ObjectId; 2],
    query: ObjectId,
    /// Whether the bound shader writes the size of points.
    points: Cell<bool>,
}

const WITH_CONSTANTS: &str = r#"vertex "moved" {
  input in0 "position" : f32x4 location 0 smooth
  input in1 "color" : f32x4 location 1 smooth
  output out0 : f32x4 position
  output out1 : f32x4 location 0
  output out2 : f32x4 location 2
  bank c0 "c" stage 0 [256]
  v0: f32x4 = load_input in0
  v1: f32x4 = load_input in1
  v2: f32x4 = load_const c0[0]
  v3: f32x4 = fadd v0, v2
  store_output out0, v3
  store_output out1, v1
  store_output out2, v1
  return
}"#;
const CUBE: &str = r#"pixel "cube" {
  input in0 : f32x4 location 2 smooth
  output out0 : f32x4 location 0
  texture t0 slot 1 cube
  v0: f32x4 = load_input in0
  v1: f32x3 = swizzle v0.xyy
  v2: f32x4 = sample t0, v1
  store_output out0, v2
  return
}"#;
/// Of Direct3D 9: alpha test, fog, clip planes, point sizes.
const OLD_VERTEX: &str = "vs_2_0\ndcl_position v0\ndcl_color v1\nmov oPos, v0\nmov oD0, v1\nmov oT0, v1";
const OLD_PIXEL: &str = "ps_2_0\ndcl v0\nmov oC0, v0";
const OLD_TEXTURE: &str = "ps_2_0\ndcl t0\ndcl_2d s0\ntexld r0, t0, s0\nmov oC0, r0";

/// `buffer 0[number] += 1`, and a colour.
fn storing(guest: &mut Guest) -> ObjectId {
    let mut code = Code::new(In::Pixel);
    let (zero, one) = (code.b.i32(0), code.b.i32(1));
    let at = code.word(0, zero);
    code.b.atomic_global(afterimage_ir::AtomicOp::Add, at, &[one]);
    let place = code.input(InputAt::FragCoord, Type::F32X4);
    let (x, y) = (code.b.extract(place, 0), code.b.extract(place, 1));
    let (x, y) = (code.b.f2i(x), code.b.f2i(y));
    let image = ImageDecl { slot: 2, dim: Dim::D2, component: Component::Float, format: ImageFormat::Any };
    let image = code.b.image(image);
    let place = code.b.construct(&[x, y]);
    let texel = code.b.f32x4(GREEN);
    code.b.image_store(image, place, None, texel);
    code.output(OutputAt::Location(0), texel);
    code.create(guest)
}

/// A vertex shader that reads a buffer, and captures what it reads.
fn reading(guest: &mut Guest, captures: bool) -> ObjectId {
    let mut code = Code::new(In::Vertex);
    let number = code.input(InputAt::VertexIndex, Type::I32);
    let at = code.word(0, number);
    let word = code.b.load_global(at, 1);
    let (x, half, w) = (code.b.i2f(word), code.b.f32(0.5), code.b.f32(1.0));
    let position = code.b.construct(&[x, half, half, w]);
    for at in [OutputAt::Position, OutputAt::Location(0), OutputAt::Location(2)] {
        code.output(at, position);
    }
    if captures {
        let decl = OutputDecl { name: String::new(), ty: Type::F32X4, at: OutputAt::Location(3), semantic: None };
        let output = code.b.output(decl);
        code.b.store_output(output, position);
        let (component, lanes, buffer, stream, stride, offset) = (1, 2, 0, 0, 12, 4);
        code.b.feedback(FeedbackDecl { output, component, lanes, buffer, stream, stride, offset });
    }
    code.create(guest)
}

/// A geometry shader that passes triangles on, and captures what they have.
fn passing(guest: &mut Guest) -> ObjectId {
    let mut code = Code::new(In::Geometry);
    let (input, output) = (InputPrimitive::Triangles, OutputPrimitive::TriangleStrip);
    code.b.geometry(GeometryDecl { input, output, vertices: 3, invocations: 1 });
    let ty = Type::F32X4;
    let places = [(InputAt::Position, OutputAt::Position), (InputAt::Location(0), OutputAt::Location(0))];
    let places = places.map(|(from, to)| {
        let from = code.b.input(InputDecl { name: String::new(), ty, at: from, interp: Interp::Flat, semantic: None });
        (from, code.b.output(OutputDecl { name: String::new(), ty, at: to, semantic: None }))
    });
    let (component, lanes, buffer, stream, stride, offset) = (0, 4, 0, 0, 16, 0);
    code.b.feedback(FeedbackDecl { output: places[1].1, component, lanes, buffer, stream, stride, offset });
    for corner in 0..3 {
        let corner = code.b.i32(corner);
        for (from, to) in places {
            let value = code.b.load_vertex_input(from, corner);
            code.b.store_output(to, value);
        }
        code.b.emit_vertex(0);
    }
    code.b.end_primitive(0);
    code.create(guest)
}

/// Copies what a texture has to a buffer, or to an image.
fn computing(guest: &mut Guest, to_image: bool) -> ObjectId {
    let mut code = Code::compute(1);
    let texture = TextureDecl { slot: 20, dim: Dim::D2, shadow: false, component: Component::Float };
    let texture = code.b.texture(texture);
    let zero = code.b.i32(0);
    let place = code.b.construct(&[zero, zero]);
    let texel = code.b.fetch(texture, place, zero, afterimage_ir::Offset::default());
    if to_image {
        let image = ImageDecl { slot: 0, dim: Dim::D2, component: Component::Float, format: ImageFormat::Any };
        let image = code.b.image(image);
        code.b.image_store(image, place, None, texel);
    } else {
        let at = code.word(0, zero);
        code.b.store_global(at, texel);
    }
    code.create(guest)
}

impl Scene {
    pub fn new(guest: &mut Guest) -> Self {
        guest.target(Format::R8G8B8A8_UNORM, 16, 16);
        let target = CreateTexture::TARGET;
        let targets = [
            guest.pixels_target(),
            guest.texture(Format::B8G8R8A8_UNORM, 8, 8, 1, target),
            guest.texture(Format::A2B10G10R10_UNORM, 16, 16, 1, target),
        ];
        let depths = [
            ObjectId::NONE,
            guest.texture(Format::D24_UNORM_S8_UINT, 16, 16, 1, target),
            guest.texture(Format::D16_UNORM, 4, 4, 1, target),
        ];
        let cube =
            CreateTexture { dimension: Dimension::Cube as u8, layers: 6, ..plain(Format::R8G8B8A8_UNORM, 4, 4, 1) };
        let mut descs = [
            plain(Format::R8G8B8A8_UNORM, 4, 4, 1),
            plain(Format::R8G8B8A8_UNORM, 8, 8, 2),
            cube,
            plain(Format::R8G8B8A8_UINT, 4, 4, 1),
            CreateTexture { usage: target, ..plain(Format::R8G8B8A8_UNORM, 16, 16, 1) },
        ];
        let textures = std::array::from_fn(|n| {
            descs[n].id = guest.texture_with(descs[n]);
            descs[n].id
        });
        let samplers = [
            guest.sampler(sampling(Filter::Linear)),
            guest.sampler(CreateSampler { srgb: 1, ..sampling(Filter::Nearest) }),
            guest.sampler(CreateSampler { gather: 1, ..sampling(Filter::Nearest) }),
        ];
        let vertex = [
            guest.shader(Stage::Vertex, VERTEX),
            guest.shader(Stage::Vertex, WITH_CONSTANTS),
            guest.d3d9_shader(Stage::Vertex, OLD_VERTEX),
            reading(guest, false),
            reading(guest, true),
        ];
        let geometry = passing(guest);
        let pixel = [
            guest.shader(Stage::Pixel, COLOR),
            guest.shader(Stage::Pixel, CONSTANT),
            guest.shader(Stage::Pixel, TEXTURE),
            guest.shader(Stage::Pixel, CUBE),
            guest.d3d9_shader(Stage::Pixel, OLD_PIXEL),
            guest.d3d9_shader(Stage::Pixel, OLD_TEXTURE),
            storing(guest),
            ObjectId::NONE,
        ];
        guest.layout();
        let inputs = [guest.id(ObjectKind::VertexInput), guest.id(ObjectKind::VertexInput)];
        let scene = Self {
            targets,
            depths,
            textures,
            descs,
            samplers,
            vertex,
            geometry,
            pixel,
            inputs,
            buffers: [guest.vertices(&full(0.5, RED)), guest.id(ObjectKind::Buffer)],
            indices: guest.buffer(CreateBuffer::INDEX, bytemuck::cast_slice(&[0u16, 1, 2, 3, 4, 5, 0, 2, 4])),
            words: [guest.words(&[3; 64]), guest.words(&[4; 32])],
            images: [0, 1].map(|_| {
                guest.texture_with(CreateTexture {
                    usage: CreateTexture::STORAGE,
                    ..plain(Format::R8G8B8A8_UNORM, 16, 16, 1)
                })
            }),
            compute: [computing(guest, false), computing(guest, true)],
            query: guest.id(ObjectKind::Query),
            points: Cell::new(false),
        };
        for n in 0..2 {
            scene.create_input(guest, n);
        }
        let size = size_of_val(&full(0.5, RED)) as u64;
        let usage = CreateBuffer::VERTEX | CreateBuffer::DYNAMIC;
        guest.encoder.push(&CreateBuffer { id: scene.buffers[1], usage, size });
        guest.encoder.push(&CreateQuery { id: scene.query, kind: QueryKind::Occlusion as u32 });
        let captured = guest.words(&[0; 64]);
        let captured = FeedbackBuffer { buffer: captured, ..FeedbackBuffer::default() };
        guest.encoder.push_tail(&SetFeedbackBuffers { first: 0, count: 1 }, &[captured]);
        // Shaders do not ask whether there is a buffer.
        for stage in Stage::WITH_BINDINGS {
            bind_storage(guest, stage, &[scene.words[0]]);
        }
        guest.bind_texture(0, textures[0], samplers[0]);
        guest.encoder.push(&SetShaders { vertex: vertex[0], pixel: pixel[0], ..SetShaders::default() });
        guest.run();
        scene
    }

    fn create_input(&self, guest: &mut Guest, number: usize) {
        let attribute = |location, slot, offset| VertexAttribute {
            location,
            slot,
            format: VertexFormat::R32G32B32A32_SFLOAT as u8,
            per_instance: 0,
            offset,
            divisor: 0,
        };
        let attributes = [attribute(0, 0, 0), attribute(1, number as u8, 16)];
        guest.encoder.push_tail(&CreateVertexInput { id: self.inputs[number], count: 2 }, &attributes);
    }

    /// Encodes a thing; true if it draws.
    pub fn encode(&self, guest: &mut Guest, Op(what, a, b): Op) -> bool {
        let pick = |objects: &[ObjectId], n: u8| objects[usize::from(n) % objects.len()];
        let view = |texture| View { texture, level: 0, layer: 0 };
        let flag = |bit: u8| b >> bit & 1;
        let topology = match a % 6 {
            0 if !self.points.get() => Topology::TriangleList,
            topology => Topology::of(topology),
        };
        match what {
            0 => {
                let mut targets = SetRenderTargets { depth: view(pick(&self.depths, b)), ..Default::default() };
                targets.srgb = u32::from(b >> 4 & 1);
                targets.color[0] = view(pick(&self.targets, a));
                guest.encoder.push(&targets);
            }
            1 => {
                let size = [16.0, 8.0, 0.0, 4.0][usize::from(a) % 4];
                let v = SetViewport { x: 0.0, y: 0.0, width: size, height: 16.0, min_depth: 0.0, max_depth: 1.0 };
                guest.encoder.push(&v);
            }
            2 => guest
                .encoder
                .push(&SetScissor { rect: Rect { x: (a % 3).into(), y: 0, width: (b % 40).into(), height: 30 } }),
            3 => guest.encoder.push(&SetRaster {
                cull: a % 3,
                front_ccw: flag(0),
                fill: a / 3 % 2,
                fill_back: flag(1),
                depth_clip: flag(2),
                bias_enable: flag(3),
                depth_bias: f32::from(a % 2) * 0.1,
                line_mode: a / 6 % 2 * LineMode::Quad as u8,
                line_width: 1.0,
                point_size: f32::from(1 + a % 4),
                sample_mask: u32::MAX,
                discard: flag(5) & flag(1),
                ..Default::default()
            }),
            4 | 5 => guest.encoder.push(&SetDepthStencil {
                depth_test: flag(0),
                depth_write: flag(1),
                depth_compare: a % 8,
                stencil_test: flag(2),
                front: StencilFace { compare: a % 8, pass: flag(3), ..Default::default() },
                reference: a,
                read_mask: a,
                write_mask: b,
                own_back: StencilBack { enable: flag(4), reference: b, read_mask: b, write_mask: a, pad: [0; 4] },
                ..Default::default()
            }),
            6 | 7 => {
                let target = BlendTarget {
                    enable: flag(0),
                    src_color: a % 6,
                    dst_color: 1,
                    write_mask: b >> 4,
                    ..Default::default()
                };
                let targets = [target; 2];
                let targets = &targets[..if flag(2) != 0 { usize::from(a) % 3 } else { 0 }];
                let all = SetBlend {
                    enable: flag(0),
                    src_color: a % 6,
                    dst_color: a / 6 % 6,
                    color_op: if flag(1) != 0 { BlendOp::SignedAdd as u8 } else { a % 3 },
                    alpha_op: if flag(1) != 0 { BlendOp::SignedAdd as u8 } else { 0 },
                    src_alpha: 1,
                    logic_op: if a == 255 { LogicOp::Xor as u8 } else { 0 },
                    constant: [f32::from(a % 3), 0.0, 1.0, 0.0],
                    write_masks: [b >> 4; 8],
                    count: targets.len() as u32,
                    ..Default::default()
                };
                guest.encoder.push_tail(&all, targets);
            }
            8 => guest.encoder.push(&SetPixelOps {
                alpha_compare: a % 8,
                fog: b % 4,
                flat: flag(2),
                point_sprite: flag(3),
                clip_planes: flag(4),
                alpha_ref: f32::from(a % 4) * 0.25,
                fog_end: f32::from(b % 3),
                ..Default::default()
            }),
            9 => guest.encoder.push(&SetVertexInput { id: pick(&self.inputs, a), pad: 0 }),
            10 => {
                let source = [self.buffers[0], self.buffers[1], ObjectId::NONE][usize::from(a) % 3];
                let stride = [size_of::<Vertex>() as u32, 0, 44][usize::from(b) % 3];
                let binding = VertexBuffer { source, stride, offset: 40 * u64::from(b / 3 % 2), size: 0 };
                guest.encoder.push_tail(&SetVertexBuffers { first: (a / 3 % 2).into(), count: 1 }, &[binding]);
            }
            11 => {
                let source = if a % 3 == 0 { ObjectId::NONE } else { self.indices };
                let (offset, restart) = (2 * u64::from(b % 3), u16::from(b / 3 % 2));
                guest.encoder.push(&SetIndexBuffer { source, index_bytes: 2, restart, offset, size: 0 });
            }
            12 => {
                let (vertex, pixel) = (pick(&self.vertex, a), pick(&self.pixel, b));
                self.points.set(vertex == self.vertex[2]);
                guest.encoder.push(&SetShaders { vertex, pixel, ..SetShaders::default() });
            }
            13 | 14 => {
                let texture = if a % 6 == 5 { ObjectId::NONE } else { pick(&self.textures, a % 6) };
                let slot = if what == 13 { u32::from(a / 6 % 2) } else { 20 };
                guest.bind_texture(slot, texture, pick(&self.samplers, b));
            }
            15 => {
                let value = [f32::from(b % 4) * 0.25; 4].map(f32::to_bits);
                let bank = [0, 3, 8][usize::from(a) % 3];
                let first = if bank == 8 { 8 } else { 0 };
                guest.encoder.push_tail(&SetConstants { bank, first, count: 1 }, &[value]);
            }
            16 => bind_storage(guest, Stage::of(a % 3), &[pick(&self.words, b)]),
            17 => {
                let image = [StorageImage { view: view(pick(&self.images, b)) }; 3];
                guest.encoder.push_tail(&SetStorageImages { stage: (a % 3).into(), first: 0, count: 3 }, &image);
            }
            18 => {
                let n = usize::from(a) % self.textures.len();
                guest.encoder.push(&Destroy { id: self.textures[n], pad: 0 });
                if flag(0) != 0 {
                    guest.draw(Topology::TriangleList, 0, 3);
                }
                guest.encoder.push(&self.descs[n]);
            }
            19 => {
                let n = usize::from(a) % 2;
                guest.encoder.push(&Destroy { id: self.inputs[n], pad: 0 });
                self.create_input(guest, n);
            }
            20 => {
                let data = guest.upload(bytemuck::cast_slice(&full(f32::from(a % 3) * 0.4, BLUE)));
                let flags = UpdateBuffer::DISCARD;
                guest.encoder.push(&UpdateBuffer { id: self.buffers[1], flags, offset: 0, data });
            }
            21 => guest.clear(u32::from(1 + a % 7), GREEN, 0.5, b),
            22 => guest.encoder.push_tail(
                &Clear { flags: Clear::RED << (a % 4) | Clear::STENCIL, stencil_keep: b, ..Clear::zeroed() },
                &[],
            ),
            23 => guest.encoder.push(&BeginQuery { id: self.query, pad: 0 }),
            24 => guest.encoder.push(&EndQuery { id: self.query, pad: 0, token: 0 }),
            25 => guest.dispatch(pick(&self.compute, a), [1, 1, 1]),
            26 => guest.present(self.targets[0]),
            // Begins inside of another, and ends of none, are refused in both ways alike.
            29 => guest.encoder.push(&BeginFeedback::default()),
            30 => guest.encoder.push(&EndFeedback::default()),
            31 => {
                let geometry = if flag(0) != 0 { self.geometry } else { ObjectId::NONE };
                self.points.set(false);
                guest.encoder.push(&SetShaders { vertex: self.vertex[0], pixel: self.pixel[0], geometry, pad: 0 });
            }
            32 => {
                let viewport = SetViewport { x: 4.0, width: 8.0, height: 12.0, max_depth: 1.0, ..Default::default() };
                let scissor = Rect { x: 1, y: (b % 3).into(), width: 20, height: 9 };
                let further = vec![FurtherViewport { viewport, scissor }; usize::from(a) % 4];
                guest.encoder.push_tail(&SetViewports { count: further.len() as u32, pad: 0 }, &further);
            }
            33 => {
                let (min, max) = (f32::from(a % 4) / 8.0, f32::from(b % 4) / 4.0);
                guest.encoder.push(&SetDepthBounds { enable: flag(0).into(), min, max, pad: 0 });
            }
            27 => {
                guest.encoder.push(&DrawIndexed {
                    topology: topology as u32,
                    first: 0,
                    count: 6,
                    base_vertex: 0,
                    instances: 1,
                    ..Zeroable::zeroed()
                });
                return true;
            }
            _ => {
                if flag(7) != 0 {
                    guest.draw_now(&quad([-0.5, 0.7], [-0.9, 0.2], 0.3, BLUE));
                } else {
                    guest.draw(topology, 0, 6);
                }
                return true;
            }
        }
        false
    }
}

/// Sets everything to something else, one by one, with a draw behind each, under every shader.
pub fn walk() -> Vec<Op> {
    let mut ops = vec![Op(28, 3, 0)];
    for (vertex, pixel) in [(0, 0), (1, 1), (0, 2), (0, 3), (2, 4), (2, 5), (3, 6), (4, 0), (1, 0)] {
        ops.extend([Op(12, vertex, pixel), Op(16, 0, 0), Op(16, 1, 0), Op(17, 1, 0), Op(28, 3, 0)]);
        for what in (0..OPS).filter(|what| ![12, 27, 28].contains(what)) {
            for (a, b) in [(1, 0x13), (0, 0xf2), (4, 0xf1)] {
                ops.extend([Op(what, a, b), Op(28, 3, 0), Op(27, 3, 0)]);
            }
        }
        ops.push(Op(12, vertex, pixel));
        // Lines made of triangles, and draws in two parts.
        ops.extend([
            Op(3, 6, 4),
            Op(28, 1, 0),
            Op(1, 0, 0),
            Op(28, 1, 0),
            Op(6, 1, 0xf3),
            Op(28, 3, 0),
            Op(6, 1, 0xf0),
        ]);
        // Captures in the middle of lines made of triangles, of faces that are filled in different ways, of nothing to draw to, of
        // draws in two parts.
        for state in [Op(3, 6, 4), Op(3, 3, 4), Op(1, 2, 0), Op(6, 1, 0xf3)] {
            let draw = Op(28, if state.1 == 6 { 1 } else { 3 }, 0);
            ops.extend([state, draw, Op(29, 0, 0), draw, Op(30, 0, 0), draw, Op(1, 0, 0)]);
        }
        ops.extend([Op(6, 1, 0xf0), Op(3, 0, 4)]);
        // Faces that are filled in different ways, recorded when the state is another already.
        ops.extend([Op(3, 3, 4), Op(28, 3, 0), Op(3, 0, 6), Op(0, 1, 0), Op(21, 0, 0)]);
        // Back to what can be drawn.
        ops.extend([Op(1, 0, 0), Op(2, 0, 39), Op(0, 0, 1), Op(28, 0, 0), Op(28, 1, 0x80), Op(28, 3, 0)]);
    }
    ops
}

/// A random one.
pub fn ops() -> impl Strategy<Value = Vec<Op>> {
    let op = prop_oneof![
        3 => (0..OPS, any::<u8>(), any::<u8>()).prop_map(|(what, a, b)| Op(what, a, b)),
        2 => (any::<u8>(), any::<u8>()).prop_map(|(a, b)| Op(28, a, b)),
    ];
    proptest::collection::vec(op, 1..50)
}
