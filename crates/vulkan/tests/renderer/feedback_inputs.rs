//! Captures: whatever a vertex shader reads, it reads it natively and lowered alike. Vertices of every format, by vertex and by
//! instance, in buffers of every kind; constants; storage buffers; textures; and what was captured before.

use crate::common::code::{Code, bind_storage, bytes};
use crate::common::*;
use afterimage_ir::{
    BankDecl, BankSource, Dim, FeedbackDecl, InputAt, Kind, OutputAt, OutputDecl, Stage as In, TextureDecl,
};
use afterimage_ir::{Component, Type, Value};
use afterimage_stream::packets::*;
use afterimage_stream::{Format, ObjectId, ObjectKind, VertexFormat};

/// What buffers hold where nothing is captured.
const FILL: u32 = 0xdead_beef;

/// A vertex shader that captures registers, one behind the other, into buffer 0.
fn captures(mut code: Code, guest: &mut Guest, values: &[Value]) -> ObjectId {
    let stride = values.len() as u32 * 16;
    for (n, value) in (0..).zip(values) {
        let at = OutputAt::Location(n);
        let output = code.b.output(OutputDecl { name: String::new(), ty: code.b.ty(*value), at, semantic: None });
        code.b.store_output(output, *value);
        let (component, lanes, buffer, stream, offset) = (0, 4, 0, 0, 16 * u32::from(n));
        code.b.feedback(FeedbackDecl { output, component, lanes, buffer, stream, stride, offset });
    }
    let (place, size) = (code.b.f32x4([0.0, 0.0, 0.0, 1.0]), code.b.f32(1.0));
    code.output(OutputAt::Position, place);
    code.output(OutputAt::PointSize, size);
    code.create(guest)
}

/// Captures `draw` into a new buffer, of which so many words are wanted.
fn captured(guest: &mut Guest, words: usize, draw: impl FnOnce(&mut Guest)) -> Vec<u32> {
    let buffer = guest.words(&vec![FILL; words + 4]);
    capture_to(guest, (buffer, 0), draw);
    let found = guest.read_words(buffer, 0, words + 4);
    assert_eq!(found[words..], [FILL; 4], "behind what was captured");
    found[..words].to_vec()
}

fn capture_to(guest: &mut Guest, (buffer, offset): (ObjectId, u64), draw: impl FnOnce(&mut Guest)) {
    guest.encoder.push(&SetRaster { discard: 1, depth_clip: 1, ..SetRaster::default() });
    let bound = [FeedbackBuffer { buffer, pad: 0, offset, size: 0 }];
    guest.encoder.push_tail(&SetFeedbackBuffers { first: 0, count: 1 }, &bound);
    guest.encoder.push(&BeginFeedback::default());
    draw(guest);
    guest.encoder.push(&EndFeedback::default());
}

fn points(first: u32, count: u32, instances: u32, first_instance: u32) -> Draw {
    Draw { topology: Topology::PointList as u32, first, count, instances, first_instance, pad: 0 }
}

/// Checks that every guest comes to the same.
fn same(run: impl Fn(&mut Guest) -> Vec<u32>) -> Vec<u32> {
    same_within(0, run)
}

/// Checks that every guest comes to the same, the device's own captures up to so many units in the last place of floats.
fn same_within(units: u32, run: impl Fn(&mut Guest) -> Vec<u32>) -> Vec<u32> {
    let mut all: Vec<Vec<u32>> = Vec::new();
    let mut native = Vec::new();
    for mut guest in Guest::that_fetch() {
        native.push(guest.captures().native);
        all.push(run(&mut guest));
        guest.finish();
    }
    for (two, native) in all.windows(2).zip(&native[1..]) {
        let units = if *native { units } else { 0 };
        assert_eq!(two[0].len(), two[1].len());
        let differs = two[0].iter().zip(&two[1]).position(|(a, b)| a.abs_diff(*b) > units);
        assert!(differs.is_none(), "word {differs:?} differs: {:x?}", differs.map(|at| (two[0][at], two[1][at])));
    }
    all.swap_remove(0)
}

fn input_layout(guest: &mut Guest, attributes: &[VertexAttribute]) {
    let id = guest.id(ObjectKind::VertexInput);
    guest.encoder.push_tail(&CreateVertexInput { id, count: attributes.len() as u32 }, attributes);
    guest.encoder.push(&SetVertexInput { id, pad: 0 });
}

/// Words of which no float among them is none, and halves neither.
fn noise(count: usize) -> Vec<u32> {
    let mut state = 0x2545_f491_u32;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state & 0xbbff_bbff
    };
    (0..count).map(|_| next()).collect()
}

/// Vulkan leaves the rounding of normalised numbers to the device: an H100's differ from the nearest float in the last bit.
#[test]
fn attributes_of_every_format_are_read() {
    for formats in VertexFormat::ALL.chunks(8) {
        let found = same_within(1, |guest| {
            let mut code = Code::new(In::Vertex);
            let count = formats.len() as u8;
            // One input more than there are attributes, which reads (0, 0, 0, 1).
            let values: Vec<_> = (0..=count).map(|n| code.input(InputAt::Location(n), Type::F32X4)).collect();
            let vertex = captures(code, guest, &values);
            guest.encoder.push(&SetShaders { vertex, ..SetShaders::default() });
            // The first half in one buffer, interleaved, the other in one each.
            let (mut attributes, mut at) = (Vec::new(), 0);
            for (n, format) in (0..).zip(formats) {
                let slot = if n < count / 2 { 0 } else { n };
                attributes.push(VertexAttribute::per_vertex(n, slot, *format, if slot == 0 { at } else { 4 }));
                at += format.bytes() as u16;
            }
            input_layout(guest, &attributes);
            let source = guest.buffer(CreateBuffer::VERTEX, bytes(&noise(1024)));
            for n in 0..u32::from(count) {
                let stride = if n == 0 { 80 } else { 12 + formats[n as usize].bytes() };
                let binding = VertexBuffer { source, stride, offset: u64::from(8 * n), size: 0 };
                guest.encoder.push_tail(&SetVertexBuffers { first: n, count: 1 }, &[binding]);
            }
            captured(guest, 7 * values.len() * 4, |guest| guest.encoder.push(&points(3, 7, 1, 0)))
        });
        let registers: Vec<_> = found.chunks(4).collect();
        assert_eq!(registers[formats.len()], [0, 0, 0, 1f32.to_bits()], "no attribute");
        assert!(registers[..formats.len()].iter().all(|register| register[0] != FILL));
    }
}

/// Steps by instance, buffers that the CPU writes between draws, uploaded vertices, offsets, vertices cut off, and indices of all kinds.
#[test]
fn vertices_come_from_everywhere() {
    same(|guest| {
        let mut code = Code::new(In::Vertex);
        let values: Vec<_> = (0..4).map(|n| code.input(InputAt::Location(n), Type::F32X4)).collect();
        let vertex = captures(code, guest, &values);
        guest.encoder.push(&SetShaders { vertex, ..SetShaders::default() });
        let step = |location, divisor| VertexAttribute {
            per_instance: 1,
            divisor,
            ..VertexAttribute::per_vertex(location, location, VertexFormat::R32G32_SFLOAT, 0)
        };
        let each = VertexAttribute::per_vertex(0, 0, VertexFormat::R32G32B32_SFLOAT, 4);
        input_layout(guest, &[each, step(1, 1), step(2, 3), step(3, 0)]);
        let words = noise(256);
        let source = guest.buffer(CreateBuffer::VERTEX, bytes(&words));
        let dynamic = guest.buffer(CreateBuffer::VERTEX | CreateBuffer::DYNAMIC, bytes(&words));
        let bind = |guest: &mut Guest, first: u32, source: ObjectId, stride, offset, size| {
            let binding = VertexBuffer { source, stride, offset, size };
            guest.encoder.push_tail(&SetVertexBuffers { first, count: 1 }, &[binding]);
        };
        for slot in 1..4 {
            bind(guest, slot, source, 8, u64::from(slot) * 16, 0);
        }
        let mut all = Vec::new();
        // A buffer that changes between captured draws of one submission, in whole and in part.
        all.extend(captured(guest, 2 * 5 * 2 * 16, |guest| {
            for round in 0..2u32 {
                bind(guest, 0, dynamic, 16, 0, 0);
                guest.encoder.push(&points(1, 5, 2, 0));
                let data = guest.upload(bytes(&words[round as usize + 9..][..64]));
                let flags = if round == 0 { UpdateBuffer::DISCARD } else { 0 };
                guest.encoder.push(&UpdateBuffer { id: dynamic, flags, offset: 0, data });
            }
        }));
        // A stride of nothing; not every device has a first instance together with other steps than one.
        input_layout(guest, &[each, step(1, 1), step(2, 1), step(3, 1)]);
        bind(guest, 0, source, 0, 12, 0);
        all.extend(captured(guest, 3 * 16, |guest| guest.encoder.push(&points(7, 3, 1, 2))));
        // Uploaded vertices and indices.
        let data = guest.upload(bytes(&words[100..164]));
        bind(guest, 0, ObjectId::new(ObjectKind::Upload, data.slot), 16, data.offset, data.size.into());
        for (index_bytes, indices) in [(1u16, &[3u8, 1, 2, 1, 9][..]), (2, &[4, 0, 2, 0, 7, 0]), (4, &[1, 0, 0, 0])] {
            let data = guest.upload(indices);
            let (source, size) = (ObjectId::new(ObjectKind::Upload, data.slot), u64::from(data.size));
            guest.encoder.push(&SetIndexBuffer { source, index_bytes, restart: 0, offset: data.offset, size });
            let count = data.size / u32::from(index_bytes);
            all.extend(captured(guest, count as usize * 16, |guest| {
                let (topology, base_vertex) = (Topology::PointList as u32, 1);
                let body = DrawIndexed { topology, first: 0, count, instances: 1, base_vertex, first_instance: 0 };
                guest.encoder.push(&body);
            }));
        }
        all
    });
}

/// Constants of a draw, system constants, words of storage buffers, and texels of a slot of the vertex stage.
#[test]
fn what_shaders_look_up_is_there() {
    let found = same(|guest| {
        let mut code = Code::new(In::Vertex);
        let number = code.input(InputAt::VertexIndex, Type::I32);
        let bank = BankDecl { name: "c".into(), source: BankSource::Stage, id: 0, size: 256, defs: vec![] };
        let bank = code.b.bank(bank);
        let (fixed, chosen) = (code.b.load_const(bank, 9), code.b.load_const_dyn(bank, 0, number));
        let two = code.b.i32(2);
        let at = code.b.ishl(number, two);
        let place = code.word(0, at);
        let stored = code.b.load_global(place, 4);
        let stored = code.b.cast(stored, Kind::Float);
        let texture =
            code.b.texture(TextureDecl { slot: 17, dim: Dim::D2, shadow: false, component: Component::Float });
        let (half, level) = (code.b.f32(0.5), code.b.f32(0.0));
        let half = code.b.construct(&[half, half]);
        let texel = code.b.sample_lod(texture, half, level, None);
        let vertex = captures(code, guest, &[fixed, chosen, stored, texel]);
        guest.encoder.push(&SetShaders { vertex, ..SetShaders::default() });
        let storage = guest.words(&noise(64));
        bind_storage(guest, Stage::Vertex, &[storage]);
        let sampler = guest.sampler(sampling(Filter::Nearest));
        let mut all = Vec::new();
        for round in 0..3u8 {
            let constants: Vec<[u32; 4]> =
                (0..12).map(|n| [n, 1, 2, u32::from(round)].map(|n| (n as f32).to_bits())).collect();
            guest.encoder.push_tail(&SetConstants { bank: 0, first: 0, count: 12 }, &constants);
            let picture = guest.texture(Format::R8G8B8A8_UNORM, 1, 1, 1, 0);
            guest.update_texture(picture, 0, 0, [1, 1], 4, &[255, 255 * (round & 1), 0, 255]);
            guest.bind_texture(17, picture, sampler);
            all.extend(captured(guest, 4 * 16, |guest| guest.encoder.push(&points(2, 4, 1, 0))));
        }
        all
    });
    let vertex: Vec<f32> = found[2 * 64..][..16].iter().map(|word| f32::from_bits(*word)).collect();
    assert_eq!((&vertex[..4], &vertex[4..8]), (&[9.0, 1.0, 2.0, 2.0][..], &[2.0, 1.0, 2.0, 2.0][..]));
    assert_eq!(found[2 * 64 + 8..][..4], noise(64)[8..12]);
    assert_eq!(vertex[12..], [1.0, 0.0, 0.0, 1.0]);
}

/// What was captured is captured from again and again, as particles are, within one submission: between two buffers, and between two
/// places of one.
#[test]
fn captures_feed_captures() {
    let found = same(|guest| {
        let mut code = Code::new(In::Vertex);
        let (before, step) = (code.input(InputAt::Location(0), Type::F32X4), code.b.f32x4([1.0, 2.0, 0.5, 0.25]));
        let after = code.b.fadd(before, step);
        let vertex = captures(code, guest, &[after]);
        guest.encoder.push(&SetShaders { vertex, ..SetShaders::default() });
        input_layout(guest, &[VertexAttribute::per_vertex(0, 0, VertexFormat::R32G32B32A32_SFLOAT, 0)]);
        let count = 200u32;
        let start: Vec<f32> = (0..count * 4).map(|n| n as f32).collect();
        let mut places =
            [0; 2].map(|_| (guest.buffer(CreateBuffer::STORAGE | CreateBuffer::VERTEX, &vec![0; 3200]), 0));
        let both = guest.buffer(CreateBuffer::STORAGE | CreateBuffer::VERTEX, &vec![0; 6400]);
        let mut all = Vec::new();
        for _ in 0..2 {
            let data = guest.upload(bytemuck::cast_slice(&start));
            guest.encoder.push(&UpdateBuffer { id: places[0].0, flags: 0, offset: places[0].1, data });
            for _ in 0..8 {
                let [(source, offset), to] = places;
                let binding = VertexBuffer { source, stride: 16, offset, size: 3200 };
                guest.encoder.push_tail(&SetVertexBuffers { first: 0, count: 1 }, &[binding]);
                // In two draws, of which the second continues behind the first.
                capture_to(guest, to, |guest| {
                    guest.encoder.push(&points(0, 77, 1, 0));
                    guest.encoder.push(&points(77, count - 77, 1, 0));
                });
                places.swap(0, 1);
            }
            let (buffer, offset) = places[0];
            all.extend(guest.read_words(buffer, offset, count as usize * 4));
            places = [(both, 0), (both, 3200)];
        }
        all
    });
    let step = [8.0, 16.0, 4.0, 2.0];
    let wanted: Vec<f32> = (0..2).flat_map(|_| (0..800).map(|n| n as f32 + step[n % 4])).collect();
    assert_eq!(bytemuck::cast_slice::<u32, f32>(&found), wanted);
}

/// Queries that begin and end between captures, in their middle, and across frames; some of what they count only the device knows.
#[test]
fn queries_count_what_lies_between() {
    let found = same(|guest| {
        let mut code = Code::new(In::Vertex);
        let value = code.b.f32x4([1.0; 4]);
        let vertex = captures(code, guest, &[value]);
        guest.encoder.push(&SetShaders { vertex, ..SetShaders::default() });
        guest.encoder.push(&SetRaster { discard: 1, depth_clip: 1, ..SetRaster::default() });
        let buffer = guest.words(&[FILL; 4 * 10]);
        let arguments = guest.words(&[3, 1, 0, 0]);
        let bound = [FeedbackBuffer { buffer, pad: 0, offset: 0, size: 0 }];
        guest.encoder.push_tail(&SetFeedbackBuffers { first: 0, count: 1 }, &bound);
        let queries: Vec<ObjectId> = (0..8)
            .map(|n| {
                let id = guest.id(ObjectKind::Query);
                let kind = if n % 2 == 0 { QueryKind::Needed0 } else { QueryKind::Written0 };
                guest.encoder.push(&CreateQuery { id, kind: kind as u32 });
                id
            })
            .collect();
        let begin = |guest: &mut Guest, n: usize| {
            queries[2 * n..2 * n + 2].iter().for_each(|&id| guest.encoder.push(&BeginQuery { id, pad: 0 }));
        };
        let end = |guest: &mut Guest, n: usize| {
            let ends = queries[2 * n..2 * n + 2].iter();
            ends.for_each(|&id| guest.encoder.push(&EndQuery { id, pad: 0, token: id.0.into() }));
        };
        let indirect = |guest: &mut Guest| {
            let topology = Topology::PointList as u32;
            let body = DrawIndirect { topology, indexed: 0, buffer: arguments, count: 1, offset: 0, stride: 0, pad: 0 };
            guest.encoder.push(&body);
        };
        begin(guest, 0);
        guest.encoder.push(&BeginFeedback::default());
        guest.encoder.push(&points(0, 4, 1, 0));
        begin(guest, 1);
        guest.encoder.push(&points(0, 2, 1, 0));
        indirect(guest);
        end(guest, 1);
        begin(guest, 2);
        guest.encoder.push(&points(0, 5, 1, 0));
        guest.encoder.push(&EndFeedback::default());
        guest.encoder.push(&points(0, 100, 1, 0));
        end(guest, 2);
        let frame = guest.frame;
        guest.encoder.push(&Present::nothing(frame));
        guest.begin_frame();
        guest.run();
        begin(guest, 3);
        guest.encoder.push(&BeginFeedback::default());
        guest.encoder.push(&points(0, 6, 2, 0));
        guest.encoder.push(&EndFeedback::default());
        end(guest, 3);
        end(guest, 0);
        guest.run();
        let replies = &mut guest.replies;
        guest.renderer.finish(&mut |reply| replies.push(reply)).expect("a device");
        let answer = |id: &ObjectId| {
            let mut replies = guest.replies.iter();
            replies.find_map(|reply| match reply {
                afterimage_stream::Reply::Query { id: of, value, .. } if of == id => Some(*value as u32),
                _ => None,
            })
        };
        queries.iter().map(|id| answer(id).expect("an answer")).collect()
    });
    // Ten vertices have room.
    assert_eq!(found, [4 + 2 + 3 + 5 + 12, 20, 5, 5, 5, 1, 12, 10]);
}
