//! A capture of two frames, made here. Calls: 0 and 1 clear and draw the texture A, 2 and 3 the texture B; 4 clears the screen, 5
//! draws A upon it, 6 presents; 7 clears the screen, 8 draws A on its left half, 9 draws B on its right half, 10 presents.

use afterimage_capture::{Info, MemoryArena, Writer};
use afterimage_stream::packets::*;
use afterimage_stream::{Encoder, Format, ObjectId, ObjectKind, VertexFormat};
use bytemuck::Zeroable;
use std::path::Path;
use std::time::Duration;

/// The textures.
pub(crate) const SCREEN: ObjectId = ObjectId::new(ObjectKind::Texture, 1);
pub(crate) const A: ObjectId = ObjectId::new(ObjectKind::Texture, 2);
pub(crate) const B: ObjectId = ObjectId::new(ObjectKind::Texture, 3);
const CHECKS: ObjectId = ObjectId::new(ObjectKind::Texture, 4);
pub(crate) const UNUSED: ObjectId = ObjectId::new(ObjectKind::Texture, 5);

/// When the frames began.
pub(crate) const TIMES: [Duration; 2] = [Duration::from_millis(500), Duration::from_millis(900)];

/// Edge of every texture.
pub(crate) const EDGE: u32 = 32;

const VERTEX: &str = r#"vertex "scene" {
  input in0 "position" : f32x4 location 0 smooth
  input in1 "texcoord" : f32x4 location 2 smooth
  output out0 : f32x4 position
  output out1 : f32x4 location 2
  v0: f32x4 = load_input in0
  v1: f32x4 = load_input in1
  store_output out0, v0
  store_output out1, v1
  return
}"#;

const CONSTANT: &str = include_str!("../../../../crates/vulkan/tests/common/shaders/constant.air");
/// Loops in loops: some drivers leave a loop after 65,536 rounds.
const ENDLESS: &str = include_str!("../../../../crates/vulkan/tests/common/shaders/endless.air");
const TEXTURE: &str = include_str!("../../../../crates/vulkan/tests/common/shaders/texture.air");

/// What is another in a variant of the scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Variant {
    Plain,
    /// The scissor of call 8 leaves out rows at the top.
    Scissor,
    /// B is of another colour.
    Color,
    /// Call 8 is not there.
    Shorter,
    /// The shader of call 3 does not end.
    Endless,
}

fn id(kind: ObjectKind, serial: u32) -> ObjectId {
    ObjectId::new(kind, serial)
}

/// Bytes that do not compress.
pub(crate) fn noise(count: usize) -> Vec<u8> {
    let mut word = 7u64;
    std::iter::repeat_with(|| {
        word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (word >> 56) as u8
    })
    .take(count)
    .collect()
}

struct Scene {
    stream: Encoder,
    arena: MemoryArena,
}

impl Scene {
    fn texture(&mut self, id: ObjectId, usage: u8, texels: &[u8]) {
        self.stream.push(&CreateTexture { usage, ..CreateTexture::plain(id, Format::R8G8B8A8_UNORM, [EDGE, EDGE]) });
        if !texels.is_empty() {
            let data = self.arena.push(texels);
            let (width, height, row_pitch) = (EDGE, EDGE, EDGE * 4);
            self.stream.push(&UpdateTexture {
                id,
                width,
                height,
                depth: 1,
                row_pitch,
                data,
                ..UpdateTexture::zeroed()
            });
        }
    }

    fn bind(&mut self, target: ObjectId) {
        let mut targets = SetRenderTargets::default();
        targets.color[0].texture = target;
        self.stream.push(&targets);
    }

    fn clear(&mut self, color: [f32; 4]) {
        self.stream.push_tail(&Clear { flags: Clear::COLOR, color, depth: 1.0, ..Clear::zeroed() }, &[]);
    }

    /// Draws a texture, or the colour that is set, upon all that the viewport has.
    fn draw(&mut self, texture: Option<ObjectId>) {
        let pixel = id(ObjectKind::Shader, if texture.is_some() { 3 } else { 2 });
        self.stream.push(&SetShaders { vertex: id(ObjectKind::Shader, 1), pixel, ..SetShaders::default() });
        if let Some(texture) = texture {
            let binding = TextureBinding { texture, sampler: id(ObjectKind::Sampler, 1) };
            self.stream.push_tail(&SetTextures { first: 0, count: 1 }, &[binding]);
        }
        let topology = Topology::TriangleList as u32;
        self.stream.push(&Draw { topology, count: 6, instances: 1, ..Draw::zeroed() });
    }

    fn viewport(&mut self, x: f32, width: f32) {
        self.stream.push(&SetViewport { x, y: 0.0, width, height: EDGE as f32, min_depth: 0.0, max_depth: 1.0 });
    }

    fn scissor(&mut self, y: i32) {
        self.stream.push(&SetScissor { rect: Rect { x: 0, y, width: EDGE, height: EDGE } });
    }
}

/// Writes the capture.
pub(crate) fn capture(path: &Path, variant: Variant) {
    let target = id(ObjectKind::Target, 1);
    let mut scene = Scene { stream: Encoder::new(), arena: MemoryArena::default() };
    scene.stream.push_tail(&Init { version: Init::VERSION, count: 5, process: 1, guest: Init::D3D9 }, b"scene");
    scene.stream.push(&PresentTarget { id: target, width: EDGE, height: EDGE, window_kind: 0, window: 0 });
    for texture in [SCREEN, A, B] {
        scene.texture(texture, CreateTexture::TARGET, &[]);
    }
    let texels =
        |count: u32| (0..count).flat_map(|at| [(at % EDGE * 8) as u8, (at / EDGE * 8) as u8, 0, 255]).collect();
    let checks: Vec<u8> = texels(EDGE * EDGE);
    scene.texture(CHECKS, 0, &checks);
    scene.texture(UNUSED, 0, &noise((EDGE * EDGE * 4) as usize));
    scene.stream.push(&CreateSampler { id: id(ObjectKind::Sampler, 1), ..CreateSampler::zeroed() });
    let constant = if variant == Variant::Endless { ENDLESS } else { CONSTANT };
    for (serial, stage, text) in [(1, Stage::Vertex, VERTEX), (2, Stage::Pixel, constant), (3, Stage::Pixel, TEXTURE)] {
        let code = scene.arena.push(text.as_bytes());
        let id = id(ObjectKind::Shader, serial);
        scene.stream.push(&CreateShader { id, stage: stage as u32, language: Language::Ir as u32, pad: 0, code });
    }
    let corners = [[-1.0f32, -1.0], [-1.0, 1.0], [1.0, 1.0], [-1.0, -1.0], [1.0, 1.0], [1.0, -1.0]];
    let vertices: Vec<[f32; 6]> =
        corners.iter().map(|&[x, y]| [x, y, 0.5, 1.0, x * 0.5 + 0.5, 0.5 - y * 0.5]).collect();
    let bytes: &[u8] = bytemuck::cast_slice(&vertices);
    let buffer = id(ObjectKind::Buffer, 1);
    scene.stream.push(&CreateBuffer { id: buffer, usage: CreateBuffer::VERTEX, size: bytes.len() as u64 });
    let data = scene.arena.push(bytes);
    scene.stream.push(&UpdateBuffer { id: buffer, flags: 0, offset: 0, data });
    let attribute = |location, format, offset| VertexAttribute::per_vertex(location, 0, format, offset);
    let attributes =
        [attribute(0, VertexFormat::R32G32B32A32_SFLOAT, 0), attribute(2, VertexFormat::R32G32_SFLOAT, 16)];
    let layout = id(ObjectKind::VertexInput, 1);
    scene.stream.push_tail(&CreateVertexInput { id: layout, count: 2 }, &attributes);
    let mut writer = Writer::create(path, &Info { program: "scene".into(), ..Info::default() }).unwrap();
    writer.keyframe(scene.stream.batch(), &scene.arena).unwrap();
    scene.stream.batch().clear();

    scene.stream.push(&BeginFrame { frame: 1 });
    scene.stream.push(&SetVertexInput { id: layout, pad: 0 });
    let binding = VertexBuffer { source: buffer, stride: 24, offset: 0, size: 0 };
    scene.stream.push_tail(&SetVertexBuffers { first: 0, count: 1 }, &[binding]);
    scene.viewport(0.0, EDGE as f32);
    scene.bind(A);
    scene.clear([1.0; 4]);
    scene.draw(Some(CHECKS));
    scene.bind(B);
    scene.clear([0.0; 4]);
    let blue = if variant == Variant::Color { 1.0 } else { 0.5 };
    scene
        .stream
        .push_tail(&SetConstants { bank: 3, first: 0, count: 1 }, &[[0.0f32, 0.0, blue, 1.0].map(f32::to_bits)]);
    scene.draw(None);
    scene.bind(SCREEN);
    scene.clear([0.0, 0.0, 0.0, 1.0]);
    scene.draw(Some(A));
    scene.stream.push(&Present { frame: 1, target, texture: SCREEN, ..Present::zeroed() });
    writer.frame_at(TIMES[0]);
    writer.batch(scene.stream.batch(), &scene.arena).unwrap();
    scene.stream.batch().clear();

    scene.stream.push(&BeginFrame { frame: 2 });
    scene.clear([1.0, 0.0, 0.0, 1.0]);
    scene.viewport(0.0, EDGE as f32 / 2.0);
    if variant == Variant::Scissor {
        scene.scissor(EDGE as i32 / 4);
    }
    if variant != Variant::Shorter {
        scene.draw(Some(A));
    }
    if variant == Variant::Scissor {
        scene.scissor(0);
    }
    scene.viewport(EDGE as f32 / 2.0, EDGE as f32 / 2.0);
    scene.draw(Some(B));
    scene.stream.push(&Present { frame: 2, target, texture: SCREEN, ..Present::zeroed() });
    writer.frame_at(TIMES[1]);
    writer.batch(scene.stream.batch(), &scene.arena).unwrap();
    writer.finish().unwrap();
}
