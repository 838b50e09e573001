//! Streams that are right, for targets that change them: one of every kind of packet, and what a program's Direct3D 9 calls come to.

use afterimage_d3d9::{Device, Result, Surface, Window};
use afterimage_d3d9_types::*;
use afterimage_shader_gcn::io::{BufferSpec, HwStage, Registers, Source, TableSpec, tables};
use afterimage_stream::packets::*;
use afterimage_stream::{
    Arena, DeviceFeatures, DeviceInfo, Encoder, FEEDBACK_BUFFERS, FIRST_TABLE, Format, ObjectId, ObjectKind, Packet,
    Reader, UploadRef, VertexFormat, recorder,
};
use bytemuck::Zeroable;

/// A stream by its packets, and what they upload.
#[derive(Clone, Debug, Default)]
pub struct Scene {
    /// Each packet with its header.
    pub packets: Vec<Vec<u64>>,
    /// Slot 0 of the arena.
    pub uploads: Vec<u8>,
}

/// Every scene, for a device.
pub fn all(info: &DeviceInfo) -> Vec<Scene> {
    let tables = (info.features & DeviceFeatures::TABLES != 0).then(in_tables);
    [every_packet(), program(*info).expect("the device takes these calls")].into_iter().chain(tables).collect()
}

impl Scene {
    /// The code of its shaders.
    pub fn shaders(&self) -> Vec<Vec<u8>> {
        let code = |packet: &Vec<u64>| match Reader::new(packet).next()?.ok()?.packet {
            Packet::CreateShader(body) => {
                let start = usize::try_from(body.code.offset).ok()?;
                Some(self.uploads.get(start..)?.get(..body.code.size as usize)?.to_vec())
            }
            _ => None,
        };
        self.packets.iter().filter_map(code).collect()
    }

    /// The packets of batches.
    fn add(&mut self, batch: &[u64]) {
        for located in Reader::new(batch) {
            let located = located.expect("whole packets");
            self.packets.push(batch[located.at..][..usize::from(located.header.units)].to_vec());
        }
    }
}

/// Packets that are being made.
#[derive(Default)]
struct Making {
    out: Encoder,
    uploads: Vec<u8>,
    serials: [u32; 9],
}

const VERTEX: &str = "vertex \"v\" {
  input in0 \"position\" : f32x4 location 0 smooth
  input in1 \"color\" : f32x4 location 1 smooth
  input in2 \"texcoord\" : f32x4 location 2 smooth
  output out0 : f32x4 position
  output out1 : f32x4 location 0
  output out2 : f32x4 location 2
  v0: f32x4 = load_input in0
  v1: f32x4 = load_input in1
  v2: f32x4 = load_input in2
  store_output out0, v0
  store_output out1, v1
  store_output out2, v2
  return
}
";

const TEXTURE: &str = "pixel \"p\" {
  input in0 : f32x4 location 2 smooth
  output out0 : f32x4 location 0
  bank c0 \"c\" stage 3 [8]
  texture t0 slot 0 2d
  v0: f32x4 = load_input in0
  v1: f32x2 = swizzle v0.xy
  v2: f32x4 = sample t0, v1
  v3: f32x4 = load_const c0[1]
  v4: f32x4 = fadd v2, v3
  store_output out0, v4
  return
}
";

const CAPTURING: &str = "vertex \"c\" {
  input in0 \"position\" : f32x4 location 0 smooth
  output out0 : f32x4 position
  feedback out0.xyzw buffer 0 stream 0 stride 16 offset 0
  v0: f32x4 = load_input in0
  store_output out0, v0
  return
}
";

const STORING: &str = "compute \"s\" {
  group 4, 4, 1
  input in0 : i32x3 local_id smooth
  image i0 slot 0 2d float any
  v0: i32x3 = load_input in0
  v1: i32x2 = swizzle v0.xy
  v2: f32x4 = image_load i0, v1
  v3: f32x4 = fadd v2, v2
  image_store i0, v1, v3
  return
}
";

impl Making {
    fn id(&mut self, kind: ObjectKind) -> ObjectId {
        self.serials[kind as usize] += 1;
        ObjectId::new(kind, self.serials[kind as usize])
    }

    fn upload(&mut self, bytes: &[u8]) -> UploadRef {
        let offset = self.uploads.len().next_multiple_of(16);
        self.uploads.resize(offset, 0);
        self.uploads.extend_from_slice(bytes);
        UploadRef { slot: 0, size: bytes.len() as u32, offset: offset as u64 }
    }

    fn shader(&mut self, stage: Stage, language: u32, code: &[u8]) -> ObjectId {
        let (id, code) = (self.id(ObjectKind::Shader), self.upload(code));
        self.out.push(&CreateShader { id, stage: stage as u32, language, pad: 0, code });
        id
    }

    fn texture(&mut self, format: Format, edge: u32, with: impl FnOnce(&mut CreateTexture)) -> ObjectId {
        let id = self.id(ObjectKind::Texture);
        let mut body = CreateTexture::plain(id, format, [edge, edge]);
        with(&mut body);
        self.out.push(&body);
        id
    }

    fn buffer(&mut self, usage: u32, size: u64) -> ObjectId {
        let id = self.id(ObjectKind::Buffer);
        self.out.push(&CreateBuffer { id, usage, size });
        id
    }

    fn draw(&mut self, topology: Topology, count: u32) {
        let topology = topology as u32;
        self.out.push(&Draw { topology, first: 0, count, instances: 1, first_instance: 0, pad: 0 });
    }
}

/// One packet of each kind, or more, in an order that is right.
fn every_packet() -> Scene {
    let mut m = Making::default();
    m.out.push_tail(&Init { version: Init::VERSION, count: 4, process: 1, guest: Init::D3D9 }, b"fuzz");
    let target = m.id(ObjectKind::Target);
    m.out.push(&PresentTarget { id: target, width: 32, height: 32, window_kind: 0, window: 0 });
    m.out.push(&Overlay { items: 1, scale: 1.0, corner: 0, ..Overlay::zeroed() });
    m.out.push_tail(&SetGamma { id: target, count: SetGamma::STEPS as u32 }, &[0x1234; SetGamma::STEPS]);
    m.out.push(&BeginFrame { frame: 1 });
    m.out.push(&StateFigures::zeroed());
    m.out.push_tail(&Marker { action: Marker::BEGIN, count: 2, ..Marker::zeroed() }, b"go");
    let screen = m.texture(Format::R8G8B8A8_UNORM, 32, |t| t.usage = CreateTexture::TARGET);
    let depth = m.texture(Format::D24_UNORM_S8_UINT, 32, |t| t.usage = CreateTexture::TARGET);
    let samples = m.texture(Format::R8G8B8A8_UNORM, 32, |t| (t.samples, t.usage) = (4, CreateTexture::TARGET));
    let texture = m.texture(Format::R8G8B8A8_UNORM, 16, |t| (t.levels, t.usage) = (5, CreateTexture::VIEWS));
    let packed = m.texture(Format::BC1_RGBA_UNORM, 16, |t| t.levels = 3);
    let cube = m.texture(Format::R16G16B16A16_SFLOAT, 8, |t| (t.dimension, t.layers) = (Dimension::Cube as u8, 6));
    let volume = m.texture(Format::R8_UNORM, 8, |t| (t.dimension, t.depth) = (Dimension::D3 as u8, 8));
    let stored = m.texture(Format::R32_SFLOAT, 8, |t| t.usage = CreateTexture::STORAGE);
    m.out.push_tail(&Name { id: texture, count: 4 }, b"name");
    let view = m.id(ObjectKind::Texture);
    m.out.push(&CreateView {
        id: view,
        source: texture,
        format: Format::B8G8R8A8_UNORM as u32,
        level: 1,
        levels: 2,
        layers: 1,
        swizzle: CreateTexture::IDENTITY,
        ..CreateView::zeroed()
    });
    let data = m.upload(&[0x7f; 16 * 16 * 4]);
    let box_of = |id, edge: u32, bytes: u32| UpdateTexture {
        id,
        width: edge,
        height: edge,
        depth: 1,
        row_pitch: edge * bytes,
        data,
        ..UpdateTexture::zeroed()
    };
    m.out.push(&box_of(texture, 16, 4));
    m.out.push(&UpdateTexture { row_pitch: 32, ..box_of(packed, 16, 0) });
    m.out.push(&UpdateTexture { layer: 3, ..box_of(cube, 8, 8) });
    m.out.push(&UpdateTexture { depth: 8, slice_pitch: 64, ..box_of(volume, 8, 1) });
    m.out.push(&GenerateMips { id: texture, filter: Filter::Linear as u32 });
    let sampler = m.id(ObjectKind::Sampler);
    let max_lod = CreateSampler::EVERY_LEVEL;
    m.out.push(&CreateSampler { id: sampler, mipmapped: 1, max_lod, max_anisotropy: 1.0, ..CreateSampler::zeroed() });
    let vertex = m.shader(Stage::Vertex, 4, VERTEX.as_bytes());
    let pixel = m.shader(Stage::Pixel, 4, TEXTURE.as_bytes());
    let capturing = m.shader(Stage::Vertex, 4, CAPTURING.as_bytes());
    let storing = m.shader(Stage::Compute, 4, STORING.as_bytes());
    let input = m.id(ObjectKind::VertexInput);
    let attribute = |location, format, offset| VertexAttribute::per_vertex(location, 0, format, offset);
    let attributes = [
        attribute(0, VertexFormat::R32G32B32A32_SFLOAT, 0),
        attribute(1, VertexFormat::R32G32B32A32_SFLOAT, 16),
        attribute(2, VertexFormat::R32G32_SFLOAT, 32),
    ];
    m.out.push_tail(&CreateVertexInput { id: input, count: 3 }, &attributes);
    let corners = [[-1.0f32, -1.0], [-1.0, 1.0], [1.0, 1.0], [-1.0, -1.0], [1.0, 1.0], [1.0, -1.0]];
    let vertices: Vec<f32> =
        corners.iter().flat_map(|[x, y]| [*x, *y, 0.5, 1.0, 1.0, 0.5, 0.25, 1.0, *x, *y]).collect();
    let bytes: &[u8] = bytemuck::cast_slice(&vertices);
    let vertices = m.buffer(CreateBuffer::VERTEX | CreateBuffer::DYNAMIC, bytes.len() as u64);
    let data = m.upload(bytes);
    m.out.push(&UpdateBuffer { id: vertices, flags: UpdateBuffer::DISCARD, offset: 0, data });
    let indices = m.buffer(CreateBuffer::INDEX, 12);
    let numbers = m.upload(bytemuck::cast_slice(&[0u16, 1, 2, 3, 4, 5]));
    m.out.push(&UpdateBuffer { id: indices, flags: 0, offset: 0, data: numbers });
    let storage = m.buffer(CreateBuffer::STORAGE, 4096);
    let other = m.buffer(CreateBuffer::STORAGE | CreateBuffer::INDEX, 4096);
    m.out.push(&FillBuffer { id: storage, value: 1, offset: 0, size: 4096 });
    m.out.push(&CopyBuffer { src: storage, dst: other, src_offset: 0, dst_offset: 256, size: 512 });

    let mut targets = SetRenderTargets::default();
    targets.color[0].texture = screen;
    targets.depth.texture = depth;
    m.out.push(&targets);
    m.out.push(&SetViewport { x: 0.0, y: 0.0, width: 32.0, height: 32.0, min_depth: 0.0, max_depth: 1.0 });
    m.out.push(&SetScissor { rect: Rect { x: 0, y: 0, width: 30, height: 40 } });
    let both = Clear::COLOR | Clear::DEPTH | Clear::STENCIL;
    m.out.push_tail(&Clear { flags: both, depth: 1.0, ..Clear::zeroed() }, &[]);
    let part = [Rect { x: 1, y: 2, width: 3, height: 4 }];
    m.out.push_tail(&Clear { flags: Clear::RED, count: 1, color: [0.5; 4], ..Clear::zeroed() }, &part);
    let raster = SetRaster { depth_clip: 1, point_size: 1.0, line_width: 1.0, sample_mask: !0, ..Default::default() };
    m.out.push(&raster);
    let compare = Compare::LessEqual as u8;
    let state = SetDepthStencil { depth_test: 1, depth_write: 1, depth_compare: compare, ..Default::default() };
    let own_back = StencilBack { enable: 1, reference: 3, read_mask: 255, write_mask: 255, ..Default::default() };
    m.out.push(&SetDepthStencil { stencil_test: 1, read_mask: 255, write_mask: 255, own_back, ..state });
    let blend = BlendTarget { enable: 1, src_color: 1, dst_color: 1, write_mask: 15, ..Default::default() };
    let all = SetBlend { enable: 1, src_color: 1, src_alpha: 1, write_masks: [15; 8], count: 1, ..Default::default() };
    m.out.push_tail(&all, &[blend]);
    m.out.push(&SetPixelOps { alpha_compare: Compare::Always as u8, ..Default::default() });
    m.out.push(&SetVertexInput { id: input, pad: 0 });
    let bound = VertexBuffer { source: vertices, stride: 40, offset: 0, size: 0 };
    m.out.push_tail(&SetVertexBuffers { first: 0, count: 1 }, &[bound]);
    m.out.push(&SetIndexBuffer { source: indices, index_bytes: 2, restart: 0, offset: 0, size: 0 });
    m.out.push(&SetShaders { vertex, pixel, ..Default::default() });
    m.out.push_tail(&SetTextures { first: 0, count: 1 }, &[TextureBinding { texture, sampler }]);
    m.out.push_tail(&SetConstants { bank: 3, first: 0, count: 2 }, &[[0; 4], [0x3e80_0000; 4]]);
    let query = m.id(ObjectKind::Query);
    m.out.push(&CreateQuery { id: query, kind: QueryKind::Occlusion as u32 });
    m.out.push(&BeginQuery { id: query, pad: 0 });
    m.draw(Topology::TriangleList, 6);
    let topology = Topology::TriangleList as u32;
    let indexed = DrawIndexed { topology, first: 0, count: 6, instances: 1, base_vertex: 0, first_instance: 0 };
    m.out.push(&indexed);
    m.out.push(&EndQuery { id: query, pad: 0, token: 7 });
    m.out.push_tail(&SetTextures { first: 0, count: 1 }, &[TextureBinding { texture: view, sampler }]);
    let line = SetRaster { fill: Fill::Line as u8, cull: Cull::Back as u8, line_mode: LineMode::Quad as u8, ..raster };
    m.out.push(&line);
    m.draw(Topology::TriangleFan, 6);
    m.out.push(&raster);
    let uploaded = VertexBuffer {
        source: ObjectId::new(ObjectKind::Upload, data.slot),
        stride: 40,
        offset: data.offset,
        size: data.size.into(),
    };
    m.out.push_tail(&SetVertexBuffers { first: 0, count: 1 }, &[uploaded]);
    m.draw(Topology::TriangleStrip, 4);
    let arguments = DrawIndirect { topology, indexed: 0, buffer: storage, count: 2, offset: 0, stride: 16, pad: 0 };
    m.out.push(&arguments);

    // What vertices come to is captured, and as many are drawn.
    let whole = FeedbackBuffer { buffer: other, ..Default::default() };
    let none = [FeedbackBuffer::default(); FEEDBACK_BUFFERS];
    m.out.push_tail(&SetFeedbackBuffers { first: 0, count: 1 }, &[whole]);
    m.out.push(&SetShaders { vertex: capturing, ..Default::default() });
    m.out.push(&SetRaster { discard: 1, ..raster });
    m.out.push(&BeginFeedback::default());
    m.draw(Topology::TriangleList, 6);
    let mut end = EndFeedback::default();
    end.counters[0] = CounterRef { buffer: storage, pad: 0, offset: 64 };
    m.out.push(&end);
    m.out.push_tail(&SetFeedbackBuffers { first: 0, count: FEEDBACK_BUFFERS as u32 }, &none);
    m.out.push(&SetShaders { vertex, pixel, ..Default::default() });
    m.out.push(&raster);
    let counted =
        DrawByteCount { counter: storage, offset: 64, stride: 16, topology, instances: 1, ..Zeroable::zeroed() };
    m.out.push(&counted);

    let image = StorageImage { view: View { texture: stored, level: 0, layer: 0 } };
    let compute = Stage::Compute as u32;
    m.out.push_tail(&SetStorageImages { stage: compute, first: 0, count: 1 }, &[image]);
    let binding = StorageBinding { buffer: storage, ..Default::default() };
    m.out.push_tail(&SetStorage { stage: compute, first: 0, count: 1 }, &[binding]);
    m.out.push(&Dispatch { shader: storing, groups: [2, 2, 1] });
    let copy =
        TextureCopy { texture, buffer: other, width: 8, height: 8, depth: 1, row_pitch: 32, ..Zeroable::zeroed() };
    m.out.push(&CopyFromTexture { copy });
    m.out.push(&CopyToTexture { copy });
    let rect = |edge| Rect { x: 0, y: 0, width: edge, height: edge };
    let all_of = |texture| View { texture, level: 0, layer: 0 };
    let blit = |src, dst, from, to| Blit {
        src: all_of(src),
        dst: all_of(dst),
        src_rect: rect(from),
        dst_rect: rect(to),
        filter: Filter::Linear as u32,
        pad: 0,
    };
    m.out.push(&blit(texture, screen, 16, 24));
    m.out.push(&blit(samples, screen, 32, 32));
    let room = m.upload(&[0; 32 * 32 * 4]);
    m.out.push(&ReadBuffer { id: other, pad: 0, offset: 0, token: 8, data: UploadRef { size: 256, ..room } });
    m.out.push(&ReadBack { src: all_of(screen), rect: rect(32), row_pitch: 128, pad: 0, token: 9, data: room });
    m.out.push_tail(&Marker { action: Marker::END, ..Marker::zeroed() }, &[]);
    let (src, dst) = (Rect::default(), Rect::default());
    m.out.push(&Present { frame: 1, target, texture: screen, src, dst, interval: 0, pad: 0 });
    m.out.push(&BeginFrame { frame: 2 });
    m.draw(Topology::PointList, 3);
    for id in [view, query, storage, packed, sampler, pixel] {
        m.out.push(&Destroy { id, pad: 0 });
    }
    m.draw(Topology::LineList, 4);
    m.out.push(&Present { frame: 2, target, texture: screen, src, dst, interval: 0, pad: 0 });
    let mut scene = Scene { uploads: m.uploads, ..Scene::default() };
    scene.add(m.out.batch());
    scene
}

/// Stores a texel of the image whose descriptor lies at s[0:1], where exactly is not known before, at the buffer of s[4:7].
const LOOKING: &str = "
    v_lshrrev_b32 v1, 30, v0
    v_readfirstlane_b32 s8, v1
    s_add_u32 s8, s0, s8
    s_mov_b32 s9, s1
    s_load_dwordx8 s[16:23], s[8:9], 0x0
    v_mov_b32 v4, 0
    v_mov_b32 v5, 0
    s_waitcnt lgkmcnt(0)
    image_load v[4:7], v[4:5], s[16:23] dmask:0xf unorm
    s_waitcnt vmcnt(0)
    buffer_store_dwordx4 v[4:7], off, s[4:7], 0
    s_endpgm
";

/// Tables of textures, with a shader that looks into them.
fn in_tables() -> Scene {
    let mut m = Making::default();
    m.out.push_tail(&Init { version: Init::VERSION, count: 4, process: 1, guest: Init::D3D9 }, b"fuzz");
    m.out.push(&BeginFrame { frame: 1 });
    let storage = m.buffer(CreateBuffer::STORAGE, 4096);
    m.out.push(&FillBuffer { id: storage, value: 3, offset: 0, size: 4096 });
    let textures = [4, 8].map(|edge| m.texture(Format::R8G8B8A8_UNORM, edge, |t| t.usage = CreateTexture::TARGET));
    let other = m.texture(Format::R8_UINT, 8, |_| ());
    let sampler = m.id(ObjectKind::Sampler);
    m.out.push(&CreateSampler { id: sampler, max_anisotropy: 1.0, ..CreateSampler::zeroed() });
    let code = afterimage_shader_gcn::assemble(LOOKING).expect("a right program");
    let registers =
        Registers { rsrc1: 0xC0 << 12, rsrc2: 8 << 1, num_thread: [64, 1, 1], tables: 1, ..Registers::default() };
    let (buffers, images, tables) = (Vec::new(), Vec::new(), Vec::new());
    let mut source = Source { stage: HwStage::Cs, code, fetch: Vec::new(), registers, buffers, images, tables };
    let found = afterimage_shader_gcn::resources(&source).expect("a program that is understood");
    source.buffers = vec![BufferSpec::default(); found.buffers.len()];
    source.tables = vec![TableSpec { floats: 1 << 9, uints: 1 << 9, ..TableSpec::default() }; found.tables.len()];
    let shader = m.shader(Stage::Compute, Language::Gcn as u32, &source.to_bytes());
    let table = m.id(ObjectKind::Table);
    m.out.push(&CreateTable { id: table, entries: 4 });
    let entry = |texture| TableEntry {
        tag: tables::tag(&[3; 8]),
        texture,
        sampler,
        value: tables::image_value(9, 0),
        ..TableEntry::default()
    };
    let stage = Stage::Compute as u32;
    let buffer = StorageBinding { buffer: storage, word: 4096, ..Default::default() };
    m.out.push_tail(&SetStorage { stage, first: 0, count: 2 }, &[buffer; 2]);
    let binding = StorageBinding { buffer: table, word: tables::table_word(1, 0), ..Default::default() };
    m.out.push_tail(&SetStorage { stage, first: FIRST_TABLE as u16, count: 1 }, &[binding]);
    for first in [textures[0], other, textures[1]] {
        let entries = [entry(first), entry(textures[1]), entry(ObjectId::NONE)];
        m.out.push_tail(&UpdateTable { id: table, first: 0, count: 3, pad: 0 }, &entries);
        m.out.push(&Dispatch { shader, groups: [2, 1, 1] });
    }
    let mut targets = SetRenderTargets::default();
    targets.color[0].texture = textures[0];
    m.out.push(&targets);
    m.out.push_tail(&Clear { flags: Clear::COLOR, color: [0.5; 4], ..Clear::zeroed() }, &[]);
    m.out.push(&Dispatch { shader, groups: [1, 1, 1] });
    // What makes indices for geometry shaders, of a log that says something else, as registers that may say anything have it.
    m.out.push_tail(&SetStorage { stage, first: 0, count: 6 }, &[buffer; 6]);
    let said =
        [[2, 0, 100, 4], [1 << 16 | 1 << 8 | 3, 0x01_0101, 0x02_0100, 0x01_0200], [64, 16, 0, 16], [64, 8, 2, 1]];
    let bank = afterimage_stream::Bank::gcn(Stage::Compute, afterimage_stream::GcnBank::Draw) as u16;
    m.out.push_tail(&SetConstants { bank, first: 0, count: 4 }, &said);
    for (step, on_chip) in [(0, 0), (1, 0), (2, 0), (0, 1), (2, 1), (3, 0)] {
        let key = afterimage_shader_gcn::emitted::Key { step, on_chip };
        let shader = m.shader(Stage::Compute, Language::GcnEmitted as u32, bytemuck::bytes_of(&key));
        m.out.push(&Dispatch { shader, groups: [2, 1, 1] });
    }
    for id in [textures[1], sampler, table] {
        m.out.push(&Destroy { id, pad: 0 });
        m.out.push(&Dispatch { shader, groups: [1, 1, 1] });
    }
    let mut scene = Scene { uploads: m.uploads, ..Scene::default() };
    scene.add(m.out.batch());
    scene
}

/// A position and texture coordinates, and the same lit.
const VS: &str = "vs_3_0\ndcl_position v0\ndcl_texcoord v1\ndcl_position o0\ndcl_texcoord o1\ndefi i0, 3, 0, 1, 0
mov r0, c4\nrep i0\nadd r0, r0, c5\nendrep\nm4x4 r1, v0, c0\nadd o0, r1, r0\nmov o1, v1";
const PS: &str = "ps_2_0\ndcl t0\ndcl_2d s0\ntexld r0, t0, s0\nmul r0, r0, c0\nmov oC0, r0";

/// Two frames of a program: the fixed function with light and fog, then shaders, with textures, a target of its own and a query.
fn program(info: DeviceInfo) -> Result<Scene> {
    let (link, recording) = recorder(info);
    let mut parameters = D3DPRESENT_PARAMETERS {
        SwapEffect: D3DSWAPEFFECT_DISCARD,
        Windowed: TRUE,
        EnableAutoDepthStencil: TRUE,
        AutoDepthStencilFormat: D3DFMT_D24S8,
        ..D3DPRESENT_PARAMETERS::default()
    };
    let creation = D3DDEVICE_CREATION_PARAMETERS {
        DeviceType: D3DDEVTYPE_HAL,
        BehaviorFlags: D3DCREATE_HARDWARE_VERTEXPROCESSING,
        ..D3DDEVICE_CREATION_PARAMETERS::default()
    };
    let window = Window { kind: WindowKind::Headless, handle: 0, width: 32, height: 32 };
    let mut d = Device::new(link, creation, &mut parameters, window, false, "fuzz")?;
    let assemble = |text: &str| afterimage_shader_d3d9::assemble(text).expect("a right shader");
    let (vs, ps) = (d.create_vertex_shader(&assemble(VS))?, d.create_pixel_shader(&assemble(PS))?);
    let texture = d.create_texture(16, 16, 0, 0, D3DFMT_A8R8G8B8, D3DPOOL_MANAGED)?;
    d.lock_surface(Surface::of(texture), None, 0)?;
    d.unlock_surface(Surface::of(texture))?;
    let target = d.create_texture(16, 16, 1, D3DUSAGE_RENDERTARGET, D3DFMT_A8R8G8B8, D3DPOOL_DEFAULT)?;
    let buffer = d.create_vertex_buffer(1024, D3DUSAGE_DYNAMIC, 0, D3DPOOL_DEFAULT)?;
    d.lock_buffer(buffer, 0, 0, D3DLOCK_DISCARD)?;
    d.unlock_buffer(buffer)?;
    let chain = d.swap_chain(0)?;
    let screen = d.back_buffer(chain, 0)?;
    let query = d.create_query(D3DQUERYTYPE_OCCLUSION)?;
    let white = 0xffff_ffff;
    let vertices: Vec<f32> = (0..12u8).map(|n| f32::from(n % 5) - 2.0).collect();
    let bytes: Vec<u8> = vertices.iter().cycle().take(64).flat_map(|value| value.to_le_bytes()).collect();

    d.clear(&[], D3DCLEAR_TARGET | D3DCLEAR_ZBUFFER, 0x20_40_60, 1.0, 0)?;
    d.begin_scene()?;
    d.set_fvf(D3DFVF_XYZ | D3DFVF_NORMAL | D3DFVF_DIFFUSE | D3DFVF_TEX1)?;
    d.set_texture(0, Some(texture))?;
    d.set_render_state(D3DRS_LIGHTING, 1)?;
    d.set_render_state(D3DRS_FOGENABLE, 1)?;
    d.set_render_state(D3DRS_AMBIENT, white)?;
    d.set_light(0, &D3DLIGHT9 { Type: 3, ..D3DLIGHT9::default() })?;
    d.enable_light(0, true)?;
    d.draw_primitive_up(D3DPT_TRIANGLELIST, 1, &bytes, 36)?;
    d.set_render_state(D3DRS_ALPHATESTENABLE, 1)?;
    d.set_render_state(D3DRS_ALPHAFUNC, 5)?;
    d.draw_primitive_up(D3DPT_TRIANGLESTRIP, 2, &bytes, 36)?;
    d.present(chain, None, None, None, 0)?;

    d.set_render_target(0, Some(Surface::of(target)))?;
    d.set_fvf(D3DFVF_XYZ | D3DFVF_TEX1)?;
    d.set_stream_source(0, Some(buffer), 0, 20)?;
    d.set_vertex_shader(Some(vs))?;
    d.set_pixel_shader(Some(ps))?;
    d.set_vertex_shader_constant_f(0, &[[1.0, 0.5, 0.25, 0.0]; 6])?;
    d.set_pixel_shader_constant_f(0, &[[1.0; 4]])?;
    d.set_sampler_state(0, D3DSAMP_MINFILTER, 2)?;
    d.set_render_state(D3DRS_ALPHABLENDENABLE, 1)?;
    d.set_render_state(D3DRS_CULLMODE, 1)?;
    d.issue_query(query, D3DISSUE_BEGIN)?;
    d.draw_primitive(D3DPT_TRIANGLELIST, 0, 4)?;
    d.issue_query(query, D3DISSUE_END)?;
    d.set_render_target(0, Some(screen))?;
    d.set_texture(0, Some(target))?;
    d.draw_primitive(D3DPT_LINELIST, 0, 4)?;
    d.stretch_rect(Surface::of(target), None, screen, None, 2)?;
    d.end_scene()?;
    d.release(texture);
    d.present(chain, None, None, None, 0)?;
    d.flush();
    drop(d);
    let mut recording = recording.lock().expect("nobody panicked");
    let mut scene = Scene::default();
    for batch in std::mem::take(&mut recording.batches) {
        scene.add(&batch);
    }
    let size = recording.slot_size(0).unwrap_or(0) as u32;
    scene.uploads = recording.upload(&UploadRef { slot: 0, size, offset: 0 }).map(<[u8]>::to_vec).unwrap_or_default();
    Ok(scene)
}
