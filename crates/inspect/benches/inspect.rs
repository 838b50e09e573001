//! What a long capture costs to open and to ask: 500 frames of 200 calls, 100 MB that do not compress.
#![forbid(unsafe_code)]

#[path = "../tests/common/mod.rs"]
mod common;

use afterimage_bench::Bench;
use afterimage_capture::{Info, MemoryArena, Reader, Writer};
use afterimage_inspect::{CallKind, Capture};
use afterimage_shader_d3d9::assemble;
use afterimage_stream::packets::*;
use afterimage_stream::{Encoder, ObjectId, ObjectKind};
use common::{LAYOUT, SAMPLER, SHOWN, TARGET, VERTEX_SHADER, VERTICES, objects, texture, vertices};
use std::time::Instant;

const FRAMES: u64 = 500;
/// With a clear and a present.
const CALLS: u32 = 200;
const SHADERS: u32 = 300;
const TEXTURES: u32 = 48;

/// Bytes that do not compress.
struct Noise(u64);

impl Noise {
    fn word(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 32) as u32
    }

    fn bytes(&mut self, words: usize) -> Vec<u8> {
        (0..words).flat_map(|_| self.word().to_le_bytes()).collect()
    }
}

fn pixel_shader(number: u32) -> Vec<u8> {
    let text = format!(
        "ps_2_0\ndef c0, {number}, 1, 2, 3\ndcl t0\ndcl_2d s3\ntexld r0, t0, s3\nmad r0, r0, c0, c1\nmov oC0, r0"
    );
    bytemuck::cast_slice(&assemble(&text).expect("the shader is right")).to_vec()
}

fn file() -> Vec<u8> {
    let mut noise = Noise(1);
    let mut file = Vec::new();
    let mut writer = Writer::new(&mut file, &Info::default()).expect("memory can be written to");
    let (mut out, mut arena) = (Encoder::new(), MemoryArena::default());
    objects(&mut out, &mut arena);
    let shader = |number| ObjectId::new(ObjectKind::Shader, 10 + number);
    for number in 0..SHADERS {
        let code = arena.push(&pixel_shader(number));
        out.push(&CreateShader { id: shader(number), stage: Stage::Pixel as u32, language: 1, pad: 0, code });
    }
    let skin = |number| ObjectId::new(ObjectKind::Texture, 10 + number);
    (0..TEXTURES).for_each(|number| out.push(&texture(skin(number), 0)));
    writer.keyframe(out.batch(), &arena).expect("memory can be written to");
    out.batch().clear();
    let mut targets = SetRenderTargets::default();
    targets.color[0].texture = SHOWN;
    let clear = Clear { flags: 1, count: 0, color: [0.0; 4], depth: 1.0, stencil: 0, stencil_keep: 0, pad: [0; 2] };
    for frame in 1..=FRAMES {
        let mut arena = MemoryArena::default();
        out.push(&BeginFrame { frame });
        out.push(&targets);
        out.push_tail(&clear, &[]);
        out.push(&SetVertexInput { id: LAYOUT, pad: 0 });
        for _ in 0..25 {
            out.push(&UpdateTexture {
                id: skin(noise.word() % TEXTURES),
                level: 0,
                layer: 0,
                x: 0,
                y: 0,
                z: 0,
                width: 64,
                height: 32,
                depth: 1,
                row_pitch: 256,
                slice_pitch: 8192,
                data: arena.push(&noise.bytes(2048)),
            });
        }
        for draw in 2..CALLS {
            let word = noise.word();
            let pixel = shader(word % SHADERS);
            out.push(&SetShaders { vertex: VERTEX_SHADER, pixel, ..SetShaders::default() });
            let bound = TextureBinding { texture: skin(word >> 8 & 31), sampler: SAMPLER };
            out.push_tail(&SetTextures { first: 3, count: 1 }, &[bound]);
            let registers = [[noise.word(); 4]; 8];
            out.push_tail(&SetConstants { bank: 0, first: (word >> 16 & 63) as u16, count: 8 }, &registers);
            out.push_tail(
                &SetBlend { enable: (word >> 30) as u8 & 1, write_masks: [15; 8], ..SetBlend::default() },
                &[],
            );
            let (source, offset, size) = if draw % 3 == 0 {
                let upload = arena.push(&vertices(draw as f32));
                (ObjectId::new(ObjectKind::Upload, 0), upload.offset, upload.size.into())
            } else {
                if draw % 3 == 1 {
                    let data = arena.push(&vertices(frame as f32 + draw as f32));
                    out.push(&UpdateBuffer { id: VERTICES, flags: 0, offset: (word >> 4 & 0x1F0).into(), data });
                }
                (VERTICES, 0, 0)
            };
            let binding = VertexBuffer { source, stride: 16, offset, size };
            out.push_tail(&SetVertexBuffers { first: 0, count: 1 }, &[binding]);
            out.push(&common::draw(6));
        }
        let (src, dst) = (Rect::default(), Rect::default());
        out.push(&Present { frame, target: TARGET, texture: SHOWN, src, dst, interval: 0, pad: 0 });
        writer.batch(out.batch(), &arena).expect("memory can be written to");
        out.batch().clear();
    }
    writer.finish().expect("memory can be written to");
    file
}

/// Bytes of this process's memory.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|kilobytes| kilobytes.parse::<u64>().ok()).unwrap_or(0) >> 10
}

fn main() -> std::io::Result<()> {
    let file: std::sync::Arc<[u8]> = file().into();
    let calls = (FRAMES * u64::from(CALLS)) as usize;
    println!("{} MB, {calls} calls; {} MiB resident", file.len() / 1_000_000, resident());
    let read = || {
        let mut reader = Reader::new(std::io::Cursor::new(std::sync::Arc::clone(&file))).expect("a capture");
        while let Ok(Some(batch)) = reader.next() {
            std::hint::black_box(batch.words.len());
        }
    };
    let open = || Capture::from_bytes(std::sync::Arc::clone(&file)).expect("a capture");
    let capture = open();
    assert_eq!((capture.calls().len(), capture.rejected()), (calls, 0), "{:?}", capture.problems().first());
    println!("opened: {} MiB resident", resident());
    let start = Instant::now();
    println!("{} resources in {:?}", capture.resources().len(), start.elapsed());
    let mut bench = Bench::new("inspect");
    bench
        .case("baseline: read the batches; a call of it", calls, read)
        .case("open, with the state checked; a call of it", calls, open)
        .case("list; a call", calls, || capture.calls().iter().filter(|call| call.kind == CallKind::Draw).count())
        .case("state before call 50,000", 1, || capture.state_before(50_000))
        .case("changes of call 50,000", 1, || capture.changes(50_000))
        .case("vertices of call 50,002", 1, || capture.vertices(50_002, 100))
        .case("resources of a capture just opened; a call, with open", calls, || open().resources().len())
        .case("walk: state; a call", calls, || {
            let mut walk = capture.walk();
            let mut sum = 0;
            while walk.next().is_some() {
                sum += u64::from(walk.state().blend.enable);
            }
            sum
        })
        .case("walk: changes; a call", calls, || {
            let mut walk = capture.walk();
            let mut sum = 0;
            while walk.next().is_some() {
                sum += walk.changes().len();
            }
            sum
        })
        .case("walk: reads and writes; a call", calls, || {
            let mut walk = capture.walk();
            let mut sum = 0;
            while walk.next().is_some() {
                sum += walk.accesses().reads.len();
            }
            sum
        })
        .case("walk: 6 vertices; a call", calls, || {
            let mut walk = capture.walk();
            let mut sum = 0;
            while walk.next().is_some() {
                sum += walk.vertices(100).map_or(0, |table| table.rows.len());
            }
            sum
        });
    println!("at the end: {} MiB resident", resident());
    let start = Instant::now();
    let texts = capture.shaders().iter().filter(|shader| shader.text(afterimage_inspect::Form::Msl).is_ok()).count();
    println!("{texts} shaders as MSL in {:?}", start.elapsed());
    bench.finish()
}
