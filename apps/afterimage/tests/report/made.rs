//! A capture of a small Direct3D 9 scene, made here: two frames, each a clear and two draws.

use afterimage_capture::{Info, MemoryArena, Writer};
use afterimage_stream::packets::*;
use afterimage_stream::{Encoder, Format, ObjectId, ObjectKind, VertexFormat};
use bytemuck::Zeroable;
use std::path::Path;

/// Size of the pictures.
pub(crate) const SIZE: [u32; 2] = [64, 48];

const VERTEX: &str = "vs_2_0\ndcl_position v0\ndcl_texcoord v1\nmov oPos, v0\nmov oT0, v1\n";
const CONSTANT: &str = "ps_2_0\nmov oC0, c0\n";
const TEXTURED: &str = "ps_2_0\ndcl t0\ndcl_2d s0\ntexld r0, t0, s0\nmov oC0, r0\n";

/// Number of Direct3D 9's tokens among shader languages.
const D3D9: u32 = 1;

fn id(kind: ObjectKind, serial: u32) -> ObjectId {
    ObjectId::new(kind, serial)
}

fn texture(id: ObjectId, [width, height]: [u32; 2], levels: u32, usage: u8) -> CreateTexture {
    CreateTexture { levels, usage, ..CreateTexture::plain(id, Format::B8G8R8A8_UNORM, [width, height]) }
}

/// Writes it. `frames` are numbered from 7 on; `noise` is how many bytes of data that does not compress each frame uploads.
pub(crate) fn capture(path: &Path, frames: u64, noise: usize) {
    write(path, frames, noise, None);
}

/// Writes one whose frames are all others: each draws on noise. The frame of a number has a packet that is rejected.
pub(crate) fn snowy(path: &Path, frames: u64, wrong: u64) {
    write(path, frames, 0, Some(wrong));
}

/// Bytes that do not compress.
fn random(seed: u64, count: usize) -> Vec<u8> {
    let mut word = seed | 1;
    let bytes = std::iter::repeat_with(|| {
        word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (word >> 56) as u8
    });
    bytes.take(count).collect()
}

fn write(path: &Path, frames: u64, noise: usize, snowy: Option<u64>) {
    let (target, picture, checks) = (id(ObjectKind::Target, 1), id(ObjectKind::Texture, 1), id(ObjectKind::Texture, 2));
    let (buffer, layout, sampler) =
        (id(ObjectKind::Buffer, 1), id(ObjectKind::VertexInput, 1), id(ObjectKind::Sampler, 1));
    let shader = |serial| id(ObjectKind::Shader, serial);
    let (mut stream, mut arena) = (Encoder::new(), MemoryArena::default());
    stream.push_tail(&Init { version: Init::VERSION, count: 4, process: 1, guest: Init::D3D9 }, b"made");
    stream.push(&PresentTarget { id: target, width: SIZE[0], height: SIZE[1], window_kind: 0, window: 0 });
    stream.push(&texture(picture, SIZE, 1, CreateTexture::TARGET));
    stream.push(&texture(checks, [4, 4], 2, 0));
    for (level, size) in [(0, 4u32), (1, 2)] {
        let texels: Vec<u8> = (0..size * size).flat_map(|at| [0, 255, 64 * (at % 4) as u8, 255]).collect();
        let data = arena.push(&texels);
        stream.push(&UpdateTexture {
            id: checks,
            level,
            width: size,
            height: size,
            depth: 1,
            row_pitch: size * 4,
            data,
            ..UpdateTexture::zeroed()
        });
    }
    stream.push(&CreateSampler { id: sampler, ..CreateSampler::zeroed() });
    for (serial, stage, text) in [(1, Stage::Vertex, VERTEX), (2, Stage::Pixel, CONSTANT), (3, Stage::Pixel, TEXTURED)]
    {
        let tokens = afterimage_shader_d3d9::assemble(text).unwrap();
        let code = arena.push(bytemuck::cast_slice(&tokens));
        stream.push(&CreateShader { id: shader(serial), stage: stage as u32, language: D3D9, pad: 0, code });
    }
    // A triangle on the left, then one on the right: position and texture coordinate.
    let left: [[f32; 3]; 3] = [[-1.0, -1.0, 0.25], [-1.0, 1.0, 0.25], [0.0, 1.0, 0.25]];
    let right: [[f32; 3]; 3] = [[0.0, -1.0, 0.5], [1.0, 1.0, 0.5], [1.0, -1.0, 0.5]];
    let vertices: Vec<[f32; 5]> =
        left.iter().chain(&right).map(|&[x, y, z]| [x, y, z, x.abs(), 0.5 - y * 0.5]).collect();
    let bytes: &[u8] = bytemuck::cast_slice(&vertices);
    stream.push(&CreateBuffer { id: buffer, usage: CreateBuffer::VERTEX, size: bytes.len() as u64 });
    stream.push(&UpdateBuffer { id: buffer, flags: 0, offset: 0, data: arena.push(bytes) });
    let attribute = |location, format, offset| VertexAttribute::per_vertex(location, 0, format, offset);
    // Usage 0 is a position, 5 a texture coordinate.
    let attributes = [attribute(0, VertexFormat::R32G32B32_SFLOAT, 0), attribute(1, VertexFormat::R32G32_SFLOAT, 12)];
    stream.push_tail(&CreateVertexInput { id: layout, count: 2 }, &attributes);

    let info = Info { program: "made.exe".into(), device: "a test".into(), ..Info::default() };
    let mut writer = Writer::create(path, &info).unwrap();
    writer.keyframe(stream.batch(), &arena).unwrap();
    for frame in 7..7 + frames {
        stream.batch().clear();
        let mut arena = MemoryArena::default();
        stream.push(&BeginFrame { frame });
        if noise > 0 {
            let bytes = random(frame, noise);
            let id = id(ObjectKind::Buffer, 1 + frame as u32);
            stream.push(&CreateBuffer { id, usage: CreateBuffer::VERTEX, size: noise as u64 });
            stream.push(&UpdateBuffer { id, flags: 0, offset: 0, data: arena.push(&bytes) });
        }
        let mut targets = SetRenderTargets::default();
        targets.color[0].texture = picture;
        stream.push(&targets);
        let [width, height] = SIZE.map(|size| size as f32);
        stream.push(&SetViewport { x: 0.0, y: 0.0, width, height, min_depth: 0.0, max_depth: 1.0 });
        let color = [if frame % 2 == 1 { 0.0 } else { 0.4 }, 0.0, 0.2, 1.0];
        stream.push_tail(
            &Clear { flags: Clear::COLOR, count: 0, color, depth: 1.0, stencil: 0, stencil_keep: 0, pad: [0; 2] },
            &[],
        );
        if let Some(wrong) = snowy {
            let mut texels = random(2 * frame, (SIZE[0] * SIZE[1] * 4) as usize);
            texels.chunks_mut(4).for_each(|texel| texel[3] = 255);
            let data = arena.push(&texels);
            let [width, height] = SIZE;
            let row_pitch = width * 4;
            stream.push(&UpdateTexture {
                id: picture,
                width,
                height,
                depth: 1,
                row_pitch,
                data,
                ..UpdateTexture::zeroed()
            });
            if frame == wrong {
                let data = arena.push(&[0; 4]);
                stream.push(&UpdateBuffer { id: id(ObjectKind::Buffer, 77), flags: 0, offset: 0, data });
            }
        }
        stream.push(&SetVertexInput { id: layout, pad: 0 });
        stream.push_tail(
            &SetVertexBuffers { first: 0, count: 1 },
            &[VertexBuffer { source: buffer, offset: 0, stride: 20, ..VertexBuffer::zeroed() }],
        );
        stream.push_tail(&SetConstants { bank: 3, first: 0, count: 1 }, &[[1.0f32, 0.6, 0.0, 1.0].map(f32::to_bits)]);
        let topology = Topology::TriangleList as u32;
        for (pixel, first) in [(2, 0), (3, 3)] {
            stream.push(&SetShaders { vertex: shader(1), pixel: shader(pixel), ..SetShaders::default() });
            if pixel == 3 {
                stream.push_tail(&SetTextures { first: 0, count: 1 }, &[TextureBinding { texture: checks, sampler }]);
                let raster = SetRaster {
                    cull: Cull::None as u8,
                    depth_clip: 1,
                    point_size: 1.0,
                    line_width: 1.0,
                    sample_mask: u32::MAX,
                    ..SetRaster::default()
                };
                stream.push(&raster);
            }
            stream.push(&Draw { topology, first, count: 3, instances: 1, first_instance: 0, ..Draw::zeroed() });
        }
        stream.push(&Present { frame, target, texture: picture, ..Present::zeroed() });
        writer.batch(stream.batch(), &arena).unwrap();
    }
    writer.finish().unwrap();
}
