//! Streams with words that are others: whatever they hold, nothing panics, memory is not read beyond its end (the list of calls has the
//! bytes of buffers, and panics there), and the next stream is drawn as if it were the first.

mod common;

use afterimage_metal_calls::Family;
use afterimage_stream::packets::*;
use afterimage_stream::{Executor, Format, ObjectId, ObjectKind, Reader};
use bytemuck::Zeroable;
use common::recorder::Recorder;
use common::*;

/// How many streams are tried.
const STREAMS: u64 = 20_000;

/// Numbers that follow each other as if by chance: Marsaglia's xorshift.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

/// A stream with something of nearly everything.
fn stream() -> GuestOn<Recorder> {
    let mut guest = GuestOn::on(Recorder::silent(Family::Apple7));
    let color = guest.target(Format::B8G8R8A8_UNORM, 16, 16);
    let depth = guest.texture(Format::D24_UNORM_S8_UINT, 16, 16, 1, CreateTexture::TARGET);
    guest.bind(color, depth);
    guest.clear(Clear::COLOR | Clear::DEPTH | Clear::STENCIL, RED, 1.0, 3);
    guest.clear_rects(Clear::RED | Clear::DEPTH, GREEN, 0.5, &[Rect { x: 1, y: 2, width: 3, height: 4 }]);
    guest.shaders(VERTEX, TEXTURE);
    guest.layout();
    guest.vertices(&full(0.5, BLUE));
    let texture = guest.texture(Format::R8G8B8A8_UNORM, 8, 8, 4, 0);
    guest.update_texture(texture, 1, 0, [4, 4], 16, &[9; 64]);
    let sampler = guest.sampler(sampling(Filter::Linear));
    guest.bind_texture(0, texture, sampler);
    guest.draw(Topology::TriangleList, 0, 6);
    guest.encoder.push(&SetRaster { depth_clip: 1, sample_mask: u32::MAX, ..SetRaster::default() });
    guest.encoder.push(&SetDepthStencil { depth_test: 1, depth_write: 1, depth_compare: 3, ..Default::default() });
    let blend = SetBlend { enable: 1, src_color: 1, write_masks: [15; 8], ..SetBlend::default() };
    guest.encoder.push_tail(&blend, &[]);
    guest.draw_indices(Topology::TriangleFan, &[0, 1, 2, 3, 5], 2, 1);
    guest.draw_indices(Topology::TriangleStrip, &[0, 1, 2, 3, 5], 1, 0);
    guest.draw_now(&full(0.25, RED));
    let query = guest.id(ObjectKind::Query);
    guest.encoder.push(&CreateQuery { id: query, kind: QueryKind::Occlusion as u32 });
    guest.encoder.push(&BeginQuery { id: query, pad: 0 });
    guest.pixel_constant(0, GREEN);
    guest.draw(Topology::PointList, 0, 6);
    guest.encoder.push(&EndQuery { id: query, pad: 0, token: 7 });
    guest.encoder.push(&GenerateMips { id: texture, filter: Filter::Linear as u32 });
    let view = |texture| View { texture, level: 0, layer: 0 };
    let whole = Rect { x: 0, y: 0, width: 8, height: 8 };
    let half = Rect { x: 4, y: 4, width: 4, height: 4 };
    let filter = Filter::Linear as u32;
    guest.encoder.push(&Blit { src: view(texture), dst: view(color), src_rect: whole, dst_rect: half, filter, pad: 0 });
    let (one, two) = (guest.words(&[1; 64]), guest.words(&[2; 64]));
    guest.encoder.push(&CopyBuffer { src: one, dst: two, src_offset: 0, dst_offset: 64, size: 128 });
    guest.encoder.push(&FillBuffer { id: one, value: 0x01020304, offset: 16, size: 64 });
    let copy = TextureCopy { texture, buffer: one, width: 2, height: 2, depth: 1, row_pitch: 8, ..Zeroable::zeroed() };
    guest.encoder.push(&CopyToTexture { copy });
    guest.encoder.push(&CopyFromTexture { copy });
    let indirect = guest.words(&[6, 1, 0, 0, 3, 1, 0, 0]);
    let (topology, buffer) = (Topology::TriangleList as u32, indirect);
    guest.encoder.push(&DrawIndirect { topology, indexed: 0, buffer, count: 2, offset: 0, stride: 16, pad: 0 });
    let cube = CreateTexture { dimension: Dimension::Cube as u8, layers: 6, ..plain(Format::BC1_RGBA_UNORM, 8, 8, 2) };
    let cube = guest.texture_with(cube);
    guest.bind_texture(1, cube, sampler);
    let data = guest.upload(&[0; 1024]);
    let rect = Rect { x: 0, y: 0, width: 16, height: 16 };
    guest.encoder.push(&ReadBack { src: view(color), rect, row_pitch: 64, pad: 0, token: 1, data });
    guest.encoder.push(&Destroy { id: texture, pad: 0 });
    guest.draw(Topology::LineStrip, 0, 6);
    guest.present(color);
    guest.present(ObjectId::NONE);
    guest
}

#[test]
fn words_that_are_others_cost_only_their_packets() {
    let mut guest = stream();
    let words = std::mem::take(guest.encoder.batch());
    let headers: Vec<usize> = Reader::new(&words).map(|located| located.unwrap().at).collect();
    guest.renderer.execute(&words, &guest.arena, &mut |_| {}).expect("the stream is right");
    let drawn = guest.renderer.draws();
    assert_eq!(guest.renderer.skipped_draws(), 0);
    let mut chance = Chance(0x9e37_79b9_7f4a_7c15);
    for number in 0..STREAMS {
        guest.renderer.restart(&mut |_| {}).expect("the device is there");
        let mut changed = words.clone();
        for _ in 0..1 + chance.next() % 6 {
            let at = chance.next() as usize % changed.len();
            if headers.contains(&at) {
                continue;
            }
            let old = changed[at];
            let shift = 8 * (chance.next() % 8);
            changed[at] = match chance.next() % 5 {
                0 => old ^ 1 << (chance.next() % 64),
                1 => old & !(0xff << shift) | (chance.next() & 0xff) << shift,
                2 => old & !0xffff_ffff | u64::from(ObjectId::new(ObjectKind::Texture, chance.next() as u32 & 7).0),
                3 => old.wrapping_add(chance.next() & 15),
                _ => chance.next(),
            };
        }
        drop(guest.renderer.execute(&changed, &guest.arena, &mut |_| {}));
        assert!(guest.renderer.lost().is_none(), "stream {number}");
    }
    guest.renderer.restart(&mut |_| {}).expect("the device is there");
    let (draws, skipped) = (guest.renderer.draws(), guest.renderer.skipped_draws());
    guest.renderer.execute(&words, &guest.arena, &mut |_| {}).expect("the stream is right");
    assert_eq!((guest.renderer.draws() - draws, guest.renderer.skipped_draws() - skipped), (drawn, 0));
}
