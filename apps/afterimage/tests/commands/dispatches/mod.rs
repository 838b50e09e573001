//! A capture of a frame with work of compute shaders, made here. Calls: 0 stores what no call reads; 1 stores texels into MADE, with what
//! it looks up in CHECKS; 2 stores what call 5 draws by; 3 copies that into another buffer; 4 clears the screen; 5 draws MADE upon it as
//! the buffer says; 6 presents.

use afterimage_capture::{Info, MemoryArena, Writer};
use afterimage_stream::packets::*;
use afterimage_stream::{Encoder, Format, ObjectId, ObjectKind, VertexFormat};
use bytemuck::Zeroable;
use std::path::Path;

/// The textures.
pub(crate) const SCREEN: ObjectId = ObjectId::new(ObjectKind::Texture, 1);
pub(crate) const CHECKS: ObjectId = ObjectId::new(ObjectKind::Texture, 2);
pub(crate) const MADE: ObjectId = ObjectId::new(ObjectKind::Texture, 3);
pub(crate) const UNREAD: ObjectId = ObjectId::new(ObjectKind::Texture, 4);

/// Edge of every texture.
const EDGE: u32 = 32;

/// Stores the texels of texture 1 of the stage, with red for green, into image 0.
const TURN: &str = r#"compute "turn" {
  group 8, 8, 1
  input in0 : i32x3 local_id smooth
  input in1 : i32x3 workgroup_id smooth
  texture t0 slot 21 2d
  image i0 slot 0 2d float any
  v0: i32x3 = load_input in0
  v1: i32x3 = load_input in1
  v2: i32x3 = const 8, 8, 1
  v3: i32x3 = imul v1, v2
  v4: i32x3 = iadd v3, v0
  v5: i32x2 = swizzle v4.xy
  v6: i32 = const 0
  v7: f32x4 = fetch t0, v5, v6
  v8: f32x4 = swizzle v7.yxzw
  image_store i0, v5, v8
  return
}"#;

/// Stores what a draw of six vertices is into buffer 0 of the stage.
const COUNTS: &str = r#"compute "counts" {
  group 1, 1, 1
  bank c0 stage 20 [64]
  v0: b32x4 = load_const c0[0]
  v1: i32x4 = bitcast v0
  v2: i32x2 = swizzle v1.xy
  v3: i32x4 = const 6, 1, 0, 0
  store_global v2, v3
  return
}"#;

const VERTEX: &str = include_str!("../../../../../crates/vulkan/tests/common/shaders/plain.air");
const PIXEL: &str = include_str!("../../../../../crates/vulkan/tests/common/shaders/texture.air");

fn id(kind: ObjectKind, serial: u32) -> ObjectId {
    ObjectId::new(kind, serial)
}

fn texture(id: ObjectId, usage: u8) -> CreateTexture {
    CreateTexture { usage, ..CreateTexture::plain(id, Format::R8G8B8A8_UNORM, [EDGE, EDGE]) }
}

/// Writes the capture.
pub(crate) fn capture(path: &Path) {
    let (mut stream, mut arena) = (Encoder::new(), MemoryArena::default());
    let target = id(ObjectKind::Target, 1);
    stream.push_tail(&Init { version: Init::VERSION, count: 4, process: 1, guest: Init::GNM }, b"work");
    stream.push(&PresentTarget { id: target, width: EDGE, height: EDGE, window_kind: 0, window: 0 });
    stream.push(&texture(SCREEN, CreateTexture::TARGET));
    stream.push(&texture(CHECKS, 0));
    stream.push(&texture(MADE, CreateTexture::STORAGE));
    stream.push(&texture(UNREAD, CreateTexture::STORAGE));
    let texels: Vec<u8> = (0..EDGE * EDGE).flat_map(|at| [(at % EDGE * 8) as u8, (at / EDGE) as u8, 99, 255]).collect();
    let data = arena.push(&texels);
    let (width, height, row_pitch) = (EDGE, EDGE, EDGE * 4);
    stream.push(&UpdateTexture { id: CHECKS, width, height, depth: 1, row_pitch, data, ..UpdateTexture::zeroed() });
    let sampler = id(ObjectKind::Sampler, 1);
    stream.push(&CreateSampler { id: sampler, ..CreateSampler::zeroed() });
    let shader = |serial| id(ObjectKind::Shader, serial);
    let codes = [(Stage::Compute, TURN), (Stage::Compute, COUNTS), (Stage::Vertex, VERTEX), (Stage::Pixel, PIXEL)];
    for (serial, (stage, text)) in (1..).zip(codes) {
        let code = arena.push(text.as_bytes());
        stream.push(&CreateShader {
            id: shader(serial),
            stage: stage as u32,
            language: Language::Ir as u32,
            pad: 0,
            code,
        });
    }
    let [counts, copied, vertices] = [1, 2, 3].map(|serial| id(ObjectKind::Buffer, serial));
    for buffer in [counts, copied] {
        stream.push(&CreateBuffer { id: buffer, usage: CreateBuffer::STORAGE, size: 64 });
    }
    let corners = [[0.0f32, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 0.0], [1.0, 1.0], [1.0, 0.0]];
    let data = arena.push(bytemuck::cast_slice(&corners));
    stream.push(&CreateBuffer { id: vertices, usage: CreateBuffer::VERTEX, size: data.size.into() });
    stream.push(&UpdateBuffer { id: vertices, flags: 0, offset: 0, data });
    let (layout, attribute) =
        (id(ObjectKind::VertexInput, 1), VertexAttribute::per_vertex(0, 0, VertexFormat::R32G32_SFLOAT, 0));
    stream.push_tail(&CreateVertexInput { id: layout, count: 1 }, &[attribute]);
    let mut writer = Writer::create(path, &Info { program: "work".into(), ..Info::default() }).unwrap();
    writer.keyframe(stream.batch(), &arena).unwrap();
    stream.batch().clear();

    stream.push(&BeginFrame { frame: 1 });
    let compute = Stage::Compute as u32;
    stream.push_tail(&SetTextures { first: 21, count: 1 }, &[TextureBinding { texture: CHECKS, sampler }]);
    for stored in [UNREAD, MADE] {
        let image = StorageImage { view: View { texture: stored, level: 0, layer: 0 } };
        stream.push_tail(&SetStorageImages { stage: compute, first: 0, count: 1 }, &[image]);
        stream.push(&Dispatch { shader: shader(1), groups: [EDGE / 8, EDGE / 8, 1] });
    }
    let binding = StorageBinding { buffer: counts, ..StorageBinding::default() };
    stream.push_tail(&SetStorage { stage: compute, first: 0, count: 1 }, &[binding]);
    stream.push(&Dispatch { shader: shader(2), groups: [1; 3] });
    stream.push(&CopyBuffer { src: counts, dst: copied, size: 16, dst_offset: 16, ..CopyBuffer::zeroed() });
    let mut targets = SetRenderTargets::default();
    targets.color[0].texture = SCREEN;
    stream.push(&targets);
    stream.push_tail(&Clear { flags: Clear::COLOR, color: [1.0; 4], depth: 1.0, ..Clear::zeroed() }, &[]);
    stream.push(&SetViewport { x: 0.0, y: 0.0, width: 32.0, height: 32.0, min_depth: 0.0, max_depth: 1.0 });
    stream.push(&SetShaders { vertex: shader(3), pixel: shader(4), ..SetShaders::default() });
    stream.push(&SetVertexInput { id: layout, pad: 0 });
    let binding = VertexBuffer { source: vertices, stride: 8, offset: 0, size: 0 };
    stream.push_tail(&SetVertexBuffers { first: 0, count: 1 }, &[binding]);
    stream.push_tail(&SetTextures { first: 0, count: 1 }, &[TextureBinding { texture: MADE, sampler }]);
    let topology = Topology::TriangleList as u32;
    stream.push(&DrawIndirect { topology, buffer: copied, count: 1, offset: 16, ..DrawIndirect::zeroed() });
    stream.push(&Present { frame: 1, target, texture: SCREEN, ..Present::zeroed() });
    writer.batch(stream.batch(), &arena).unwrap();
    writer.finish().unwrap();
}
