//! A capture of two frames: a draw of vertices, a clear, an indexed draw of uploaded vertices, a copy.
#![allow(dead_code, unreachable_pub, reason = "each test file uses a part of it")]

use afterimage_capture::{Info, MemoryArena, Writer};
use afterimage_shader_d3d9::assemble;
use afterimage_stream::packets::*;
use afterimage_stream::*;

pub const VERTICES: ObjectId = ObjectId::new(ObjectKind::Buffer, 1);
pub const SHOWN: ObjectId = ObjectId::new(ObjectKind::Texture, 1);
pub const SKIN: ObjectId = ObjectId::new(ObjectKind::Texture, 2);
pub const UNUSED: ObjectId = ObjectId::new(ObjectKind::Texture, 3);
pub const SAMPLER: ObjectId = ObjectId::new(ObjectKind::Sampler, 1);
pub const VERTEX_SHADER: ObjectId = ObjectId::new(ObjectKind::Shader, 1);
pub const PIXEL_SHADER: ObjectId = ObjectId::new(ObjectKind::Shader, 2);
pub const LAYOUT: ObjectId = ObjectId::new(ObjectKind::VertexInput, 1);
pub const TARGET: ObjectId = ObjectId::new(ObjectKind::Target, 1);

pub fn vertex_code() -> Vec<u8> {
    let text = "vs_2_0\ndcl_position v0\ndcl_texcoord1 v3\nmov oPos, v0\nmov oT0, v3";
    bytemuck::cast_slice(&assemble(text).unwrap()).to_vec()
}

pub fn pixel_code() -> Vec<u8> {
    let text = "ps_2_0\ndcl t0\ndcl_2d s3\ntexld r0, t0, s3\nmov oC0, r0";
    bytemuck::cast_slice(&assemble(text).unwrap()).to_vec()
}

pub fn texture(id: ObjectId, usage: u8) -> CreateTexture {
    CreateTexture { levels: 2, usage, ..CreateTexture::plain(id, Format::B8G8R8A8_UNORM, [64, 32]) }
}

/// What is before the first frame.
pub fn objects(out: &mut Encoder, arena: &mut MemoryArena) {
    for (id, usage) in [(SHOWN, CreateTexture::TARGET), (SKIN, 0), (UNUSED, 0)] {
        out.push(&texture(id, usage));
    }
    let mut sampler: CreateSampler = bytemuck::Zeroable::zeroed();
    (sampler.id, sampler.mag, sampler.max_lod) = (SAMPLER, Filter::Linear as u8, CreateSampler::EVERY_LEVEL);
    out.push(&sampler);
    out.push(&CreateBuffer { id: VERTICES, usage: CreateBuffer::VERTEX, size: 1024 });
    for (id, stage, code) in [(VERTEX_SHADER, Stage::Vertex, vertex_code()), (PIXEL_SHADER, Stage::Pixel, pixel_code())]
    {
        out.push(&CreateShader { id, stage: stage as u32, language: 1, pad: 0, code: arena.push(&code) });
    }
    let attribute = |location, format, offset| VertexAttribute::per_vertex(location, 0, format, offset);
    let attributes = [attribute(0, VertexFormat::R32G32B32_SFLOAT, 0), attribute(3, VertexFormat::R16G16_SNORM, 12)];
    out.push_tail(&CreateVertexInput { id: LAYOUT, count: 2 }, &attributes);
    out.push(&PresentTarget { id: TARGET, width: 64, height: 32, window_kind: 0, window: 0 });
    out.push_tail(&Name { id: SKIN, count: 4 }, b"skin");
}

pub fn vertices(add: f32) -> Vec<u8> {
    let mut bytes = Vec::new();
    for at in 0..6u8 {
        for component in 0..3u8 {
            bytes.extend((f32::from(at) + f32::from(component) / 10.0 + add).to_le_bytes());
        }
        bytes.extend([0xFF, 0x7F, 0x01, 0x80]);
    }
    bytes
}

pub fn draw(count: u32) -> Draw {
    Draw { topology: Topology::TriangleList as u32, first: 0, count, instances: 1, first_instance: 0, pad: 0 }
}

/// Binds what draws vertices out of a buffer into the picture.
pub fn bind(out: &mut Encoder, source: ObjectId) {
    let mut targets = SetRenderTargets::default();
    targets.color[0].texture = SHOWN;
    out.push(&targets);
    out.push(&SetShaders { vertex: VERTEX_SHADER, pixel: PIXEL_SHADER, ..SetShaders::default() });
    out.push(&SetVertexInput { id: LAYOUT, pad: 0 });
    let binding = VertexBuffer { source, stride: 16, offset: 0, size: 0 };
    out.push_tail(&SetVertexBuffers { first: 0, count: 1 }, &[binding]);
}

/// A file of one batch.
pub fn file_of(batch: &[u64], arena: &MemoryArena) -> Vec<u8> {
    let mut file = Vec::new();
    let mut writer = Writer::new(&mut file, &Info::default()).unwrap();
    writer.batch(batch, arena).unwrap();
    writer.finish().unwrap();
    file
}

/// The file. Frames 7 and 8; calls 0 clear, 1 draw, 2 present, 3 clear, 4 indexed draw, 5 blit, 6 present.
pub fn file() -> Vec<u8> {
    let mut file = Vec::new();
    let info = Info { program: "teapot.exe".into(), ..Info::default() };
    let mut writer = Writer::new(&mut file, &info).unwrap();
    let (mut keyframe, mut arena) = (Encoder::new(), MemoryArena::default());
    objects(&mut keyframe, &mut arena);
    writer.keyframe(keyframe.batch(), &arena).unwrap();
    let mut out = Encoder::new();
    // Captures do not begin at the stream's first packet.
    (0..100).for_each(|_| out.push(&SetScissor::default()));
    out.batch().clear();
    let clear =
        Clear { flags: Clear::COLOR, count: 0, color: [0.0; 4], depth: 1.0, stencil: 0, stencil_keep: 0, pad: [0; 2] };
    let present = |frame| Present {
        frame,
        target: TARGET,
        texture: SHOWN,
        src: Rect::default(),
        dst: Rect::default(),
        interval: 0,
        pad: 0,
    };
    let buffer = |source, offset, size| VertexBuffer { source, stride: 16, offset, size };

    out.push(&BeginFrame { frame: 7 });
    let mut targets = SetRenderTargets::default();
    targets.color[0].texture = SHOWN;
    out.push(&targets);
    out.push_tail(&clear, &[]);
    out.push(&SetShaders { vertex: VERTEX_SHADER, pixel: PIXEL_SHADER, ..SetShaders::default() });
    out.push(&SetVertexInput { id: LAYOUT, pad: 0 });
    out.push(&UpdateBuffer { id: VERTICES, flags: 0, offset: 0, data: arena.push(&vertices(0.0)) });
    out.push_tail(&SetVertexBuffers { first: 0, count: 1 }, &[buffer(VERTICES, 0, 0)]);
    let bound = |texture| TextureBinding { texture, sampler: SAMPLER };
    out.push_tail(&SetTextures { first: 2, count: 2 }, &[bound(UNUSED), bound(SKIN)]);
    out.push_tail(&SetConstants { bank: 0, first: 4, count: 1 }, &[[1.5f32, 0.0, 0.0, -1.0].map(f32::to_bits)]);
    out.push(&draw(6));
    // Of what comes behind the draw, it reads nothing.
    out.push(&UpdateBuffer { id: VERTICES, flags: 0, offset: 0, data: arena.push(&vertices(100.0)) });
    out.push(&present(7));
    writer.batch(out.batch(), &arena).unwrap();
    out.batch().clear();

    out.push(&BeginFrame { frame: 8 });
    out.push_tail(&clear, &[]);
    out.push(&SetDepthStencil { depth_compare: Compare::LessEqual as u8, ..SetDepthStencil::default() });
    let upload = arena.push(&vertices(10.0));
    let indices: Vec<u8> = [2u16, 1, 0, 5, 4, 3].iter().flat_map(|index| index.to_le_bytes()).collect();
    let indices = arena.push(&indices);
    let slot = ObjectId::new(ObjectKind::Upload, 0);
    out.push_tail(&SetVertexBuffers { first: 0, count: 1 }, &[buffer(slot, upload.offset, upload.size.into())]);
    out.push(&SetIndexBuffer {
        source: slot,
        index_bytes: 2,
        restart: 0,
        offset: indices.offset,
        size: indices.size.into(),
    });
    // It is refused: there is no such texture.
    out.push_tail(
        &SetTextures { first: 0, count: 1 },
        &[TextureBinding { texture: ObjectId::new(ObjectKind::Texture, 9), sampler: SAMPLER }],
    );
    out.push(&DrawIndexed {
        topology: Topology::TriangleList as u32,
        first: 1,
        count: 5,
        instances: 1,
        base_vertex: 0,
        first_instance: 0,
    });
    let view = |texture| View { texture, level: 0, layer: 0 };
    let rect = Rect { x: 0, y: 0, width: 64, height: 32 };
    out.push(&Blit { src: view(SHOWN), dst: view(SKIN), src_rect: rect, dst_rect: rect, filter: 0, pad: 0 });
    out.push(&Destroy { id: UNUSED, pad: 0 });
    out.push(&present(8));
    writer.batch(out.batch(), &arena).unwrap();
    writer.finish().unwrap();
    file
}
