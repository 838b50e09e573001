//! What a draw costs the renderer, without what Metal does: a device that does nothing answers. The draws are those of `afterimage-vulkan`'s
//! benchmark of the same cases.

#[path = "../tests/common/mod.rs"]
mod common;

use afterimage_bench::Bench;
use afterimage_metal_calls::Family;
use afterimage_stream::packets::*;
use afterimage_stream::{Executor, Format, ObjectKind, Reply};
use common::recorder::Recorder;
use common::*;

const DRAWS: u32 = 2000;

type Listed = GuestOn<Recorder>;

/// Runs a frame that is already encoded.
fn frame(guest: &mut Listed, words: &[u64]) {
    let mut lost = false;
    let mut replies = |reply| lost |= matches!(reply, Reply::Error { .. });
    guest.renderer.execute(words, &guest.arena, &mut replies).unwrap();
    guest.renderer.finish(&mut replies).unwrap();
    assert!(!lost, "a packet failed: see the log");
}

/// Numbers the packets of a batch anew, so that it can be executed again.
fn renumber(words: &mut [u64], next: &mut u32) {
    let starts: Vec<usize> = afterimage_stream::Reader::new(words).map(|located| located.unwrap().at).collect();
    for at in starts {
        let mut header: Header = bytemuck::cast(words[at]);
        *next = next.wrapping_add(1);
        header.sequence = *next;
        words[at] = bytemuck::cast(header);
    }
}

fn main() {
    let mut guest = Listed::on(Recorder::silent(Family::Apple7));
    let screen = guest.target(Format::B8G8R8A8_UNORM, 64, 64);
    let depth = guest.texture(Format::D24_UNORM_S8_UINT, 64, 64, 1, CreateTexture::TARGET);
    guest.bind(screen, depth);
    guest.shaders(VERTEX, TEXTURE);
    guest.layout();
    guest.vertices(&[vertex(2.0, 2.0, 0.5, RED), vertex(3.0, 2.0, 0.5, RED), vertex(2.0, 3.0, 0.5, RED)]);
    let sampler = guest.sampler(sampling(Filter::Linear));
    let textures: Vec<_> = (0..16)
        .map(|i| {
            let texture = guest.texture(Format::R8G8B8A8_UNORM, 4, 4, 1, 0);
            guest.update_texture(texture, 0, 0, [4, 4], 16, &[i; 64]);
            texture
        })
        .collect();
    guest.bind_texture(0, textures[0], sampler);
    let uniform = VERTEX.replace(
        "  v0: f32x4 = load_input in0\n",
        "  bank c0 \"c\" stage 0 [256]\n  v9: f32x4 = load_input in0\n  v8: f32x4 = load_const c0[0]\n  v7: f32x4 = load_const c0[7]\n  \
         v6: f32x4 = fadd v8, v7\n  v0: f32x4 = fadd v9, v6\n",
    );
    let plain = guest.shader(Stage::Vertex, VERTEX);
    let uniform = guest.shader(Stage::Vertex, &uniform);
    let pixel = guest.shader(Stage::Pixel, TEXTURE);
    let dynamic = guest.id(ObjectKind::Buffer);
    let bytes = 3 * size_of::<Vertex>() as u64;
    guest.encoder.push(&CreateBuffer { id: dynamic, usage: CreateBuffer::VERTEX | CreateBuffer::DYNAMIC, size: bytes });
    let vertices = guest.upload(&vec![0; bytes as usize]);
    let shaders =
        |guest: &mut Listed, vertex| guest.encoder.push(&SetShaders { vertex, pixel, ..SetShaders::default() });
    shaders(&mut guest, plain);
    let last = afterimage_stream::Reader::new(guest.encoder.batch()).last();
    let mut sequence = last.map_or(0, |located| located.unwrap().header.sequence);
    guest.run();

    let constants = |guest: &mut Listed, i: u32, count: u32| {
        let registers = vec![[i; 4]; count as usize];
        guest.encoder.push_tail(&SetConstants { bank: 0, first: 0, count }, &registers);
    };
    let states = |guest: &mut Listed, i: u32| {
        let on = (i & 1) as u8;
        let plain = SetRaster { depth_clip: 1, sample_mask: u32::MAX, point_size: 1.0, ..SetRaster::default() };
        guest.encoder.push(&SetRaster { cull: on, ..plain });
        guest.encoder.push(&SetDepthStencil { depth_test: 1, depth_write: on, depth_compare: 3, ..Default::default() });
        let blend = SetBlend { enable: on, src_color: 1 + on, write_masks: [15; 8], ..SetBlend::default() };
        guest.encoder.push_tail(&blend, &[]);
    };
    let mut bench = Bench::new("metal");
    type Step<'a> = &'a dyn Fn(&mut Listed, u32);
    let cases: [(&str, bool, Step<'_>); 7] = [
        ("same state", false, &|_, _| {}),
        ("a vertex constant per draw", true, &|guest, i| constants(guest, i, 1)),
        ("8 vertex constants per draw", true, &|guest, i| constants(guest, i, 8)),
        ("a texture per draw", false, &|guest, i| guest.bind_texture(0, textures[i as usize % 16], sampler)),
        ("cull, depth and blend state per draw", false, &|guest, i| states(guest, i)),
        ("texture, 8 constants and states per draw", true, &|guest, i| {
            guest.bind_texture(0, textures[i as usize % 16], sampler);
            constants(guest, i, 8);
            states(guest, i);
        }),
        ("dynamic buffer discard per draw", false, &|guest, _| {
            let flags = UpdateBuffer::DISCARD;
            guest.encoder.push(&UpdateBuffer { id: dynamic, flags, offset: 0, data: vertices });
            guest.bind_vertices(dynamic, 0, 0);
        }),
    ];
    for (name, constants, step) in cases {
        shaders(&mut guest, if constants { uniform } else { plain });
        guest.clear(Clear::COLOR | Clear::DEPTH | Clear::STENCIL, BLACK, 1.0, 0);
        for i in 0..DRAWS {
            step(&mut guest, i);
            guest.draw(Topology::TriangleList, 0, 3);
        }
        let mut words = std::mem::take(guest.encoder.batch());
        bench.case(name, DRAWS as usize, || {
            renumber(&mut words, &mut sequence);
            frame(&mut guest, &words);
        });
    }
    assert_eq!(guest.renderer.skipped_draws(), 0, "every draw must be drawn");
    bench.finish().expect("the file for the figures");
}
