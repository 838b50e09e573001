//! Captures: what vertex shaders say is captured comes into buffers as `afterimage_shader::feedback::table` says, natively and lowered.

use crate::common::code::{Code, bind_storage};
use crate::common::*;
use afterimage_ir::{
    FeedbackDecl, GeometryDecl, InputAt, InputDecl, InputPrimitive, Interp, OutputAt, OutputDecl, OutputPrimitive,
    Stage as In, Type, Value,
};
use afterimage_shader::feedback::table::{self, Provoking as Order, Row};
use afterimage_stream::packets::*;
use afterimage_stream::{FEEDBACK_BUFFERS, Format, ObjectId, ObjectKind, Reply};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// What buffers hold where nothing is captured.
const FILL: u32 = 0xdead_beef;
const TOPOLOGIES: [Topology; 10] = [
    Topology::PointList,
    Topology::LineList,
    Topology::LineStrip,
    Topology::TriangleList,
    Topology::TriangleStrip,
    Topology::TriangleFan,
    Topology::LineListAdjacency,
    Topology::LineStripAdjacency,
    Topology::TriangleListAdjacency,
    Topology::TriangleStripAdjacency,
];

/// Ends the process where a test takes twenty minutes, since nothing else ends one that waits for a GPU.
struct Watch(Option<Sender<()>>);

impl Watch {
    fn new() -> Self {
        let (alive, test): (Sender<()>, Receiver<()>) = channel();
        std::thread::spawn(move || {
            if test.recv_timeout(Duration::from_secs(1200)) == Err(RecvTimeoutError::Timeout) {
                eprintln!("a test of feedback hangs");
                std::process::abort();
            }
        });
        Self(Some(alive))
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.0.take();
    }
}

/// A vertex shader that captures its vertex and instance into `(buffer, offset, stride)`.
fn numbers(guest: &mut Guest, places: &[(u8, u32, u32)]) -> ObjectId {
    let mut code = Code::new(In::Vertex);
    let vertex = code.input(InputAt::VertexIndex, Type::I32);
    let instance = code.input(InputAt::InstanceIndex, Type::I32);
    let both = code.b.construct(&[vertex, instance]);
    let zero = code.b.f32x4([0.0, 0.0, 0.0, 1.0]);
    let one = code.b.f32(1.0);
    code.output(OutputAt::Position, zero);
    code.output(OutputAt::PointSize, one);
    capture(&mut code, both, 10, places);
    code.create(guest)
}

/// Writes a value to a location, and captures it.
fn capture(code: &mut Code, value: Value, location: u8, places: &[(u8, u32, u32)]) {
    for (at, (buffer, offset, stride)) in (location..).zip(places) {
        let ty = code.b.ty(value);
        let decl = OutputDecl { name: String::new(), ty, at: OutputAt::Location(at), semantic: None };
        let output = code.b.output(decl);
        code.b.store_output(output, value);
        let (buffer, offset, stride) = (*buffer, *offset, *stride);
        code.b.feedback(FeedbackDecl { output, component: 0, lanes: ty.lanes, buffer, stream: 0, stride, offset });
    }
}

fn row(topology: Topology) -> &'static Row {
    let number = TOPOLOGIES.iter().position(|other| *other == topology).expect("one of them");
    table::row(number as u32).expect("a row")
}

/// What a draw records: of each primitive vertices and instances.
fn primitives(
    topology: Topology,
    order: Order,
    runs: &[Vec<u32>],
    instances: std::ops::Range<u32>,
) -> Vec<Vec<[u32; 2]>> {
    let row = row(topology);
    let mut out = Vec::new();
    for instance in instances {
        for run in runs {
            for p in 0..row.primitives(run.len() as u32) {
                let vertices = row.positions(order, p).map(|at| [run[at as usize], instance]);
                out.push(vertices.collect());
            }
        }
    }
    out
}

/// What captures come to: words, bytes, and primitives needed and written.
#[derive(Default)]
struct Model {
    words: Vec<u32>,
    needed: u64,
    written: u64,
}

impl Model {
    /// Adds a draw to a buffer with room for so many bytes.
    fn draw(&mut self, primitives: &[Vec<[u32; 2]>], room: usize) {
        for primitive in primitives {
            self.needed += 1;
            if (self.words.len() + 2 * primitive.len()) * 4 <= room {
                self.written += 1;
                self.words.extend(primitive.iter().flatten());
            }
        }
    }
}

fn bind_feedback(guest: &mut Guest, buffers: &[(ObjectId, u64, u64)]) {
    let all: Vec<_> =
        buffers.iter().map(|&(buffer, offset, size)| FeedbackBuffer { buffer, pad: 0, offset, size }).collect();
    guest.encoder.push_tail(&SetFeedbackBuffers { first: 0, count: all.len() as u32 }, &all);
}

fn counter(buffer: ObjectId, offset: u64) -> [CounterRef; FEEDBACK_BUFFERS] {
    let mut counters = [CounterRef::default(); FEEDBACK_BUFFERS];
    counters[0] = CounterRef { buffer, pad: 0, offset };
    counters
}

fn filled(guest: &mut Guest, count: usize) -> ObjectId {
    guest.words(&vec![FILL; count])
}

/// Queries of needed and written primitives.
fn queries(guest: &mut Guest) -> [ObjectId; 2] {
    [QueryKind::Needed0, QueryKind::Written0].map(|kind| {
        let id = guest.id(ObjectKind::Query);
        guest.encoder.push(&CreateQuery { id, kind: kind as u32 });
        id
    })
}

fn begin(guest: &mut Guest, queries: [ObjectId; 2]) {
    queries.iter().for_each(|&id| guest.encoder.push(&BeginQuery { id, pad: 0 }));
}

/// The queries' answers.
fn end(guest: &mut Guest, queries: [ObjectId; 2]) -> [u64; 2] {
    guest.replies.clear();
    queries.iter().for_each(|&id| guest.encoder.push(&EndQuery { id, pad: 0, token: id.0.into() }));
    guest.run();
    let replies = &mut guest.replies;
    guest.renderer.finish(&mut |reply| replies.push(reply)).expect("a device");
    queries.map(|wanted| {
        let found = guest.replies.iter().find_map(|reply| match reply {
            Reply::Query { id, value, .. } if *id == wanted => Some(*value),
            _ => None,
        });
        found.expect("an answer")
    })
}

fn discard(guest: &mut Guest, order: Order) {
    let provoking = if order == Order::Last { Provoking::Last } else { Provoking::First } as u8;
    guest.encoder.push(&SetRaster { discard: 1, depth_clip: 1, provoking, ..SetRaster::default() });
}

/// The orders of vertices that the device has.
fn orders(guest: &Guest) -> Vec<Order> {
    match guest.captures().last {
        true => vec![Order::First, Order::Last],
        false => vec![Order::First],
    }
}

fn draw(topology: Topology, first: u32, count: u32, instances: u32, first_instance: u32) -> Draw {
    Draw { topology: topology as u32, first, count, instances, first_instance, pad: 0 }
}

/// The words captured so far, and that what comes behind them is untouched.
fn captured(guest: &mut Guest, buffer: ObjectId, offset: u64, model: &Model) {
    let words = guest.read_words(buffer, offset, model.words.len() + 8);
    assert_eq!(words[..model.words.len()], model.words);
    assert_eq!(words[model.words.len()..], [FILL; 8], "behind what was captured");
}

#[test]
fn every_topology_is_captured_as_the_table_says() {
    let _watch = Watch::new();
    for mut guest in Guest::that_capture() {
        let vertex = numbers(&mut guest, &[(0, 0, 8)]);
        guest.encoder.push(&SetShaders { vertex, ..SetShaders::default() });
        let (queries, counters) = (queries(&mut guest), filled(&mut guest, 4));
        for order in orders(&guest) {
            discard(&mut guest, order);
            for topology in TOPOLOGIES {
                let buffer = filled(&mut guest, 4096);
                bind_feedback(&mut guest, &[(buffer, 16, 0)]);
                begin(&mut guest, queries);
                guest.encoder.push(&BeginFeedback::default());
                let mut model = Model::default();
                for count in 0..=13 {
                    for (instances, first_instance) in [(1, 0), (3, 2)] {
                        guest.encoder.push(&draw(topology, 5, count, instances, first_instance));
                        let run = (5..5 + count).collect();
                        let all = first_instance..first_instance + instances;
                        model.draw(&primitives(topology, order, &[run], all), usize::MAX);
                    }
                }
                guest.encoder.push(&EndFeedback { counters: counter(counters, 4) });
                assert_eq!(end(&mut guest, queries), [model.needed, model.written], "{topology:?}, {order:?}");
                captured(&mut guest, buffer, 16, &model);
                assert_eq!(guest.read_words(buffer, 0, 4), [FILL; 4]);
                assert_eq!(guest.read_words(counters, 0, 3), [FILL, model.words.len() as u32 * 4, FILL]);
            }
        }
        guest.finish();
    }
}

#[test]
fn indices_of_every_size_begin_runs_anew() {
    let _watch = Watch::new();
    for mut guest in Guest::that_capture() {
        let vertex = numbers(&mut guest, &[(0, 0, 8)]);
        guest.encoder.push(&SetShaders { vertex, ..SetShaders::default() });
        discard(&mut guest, Order::First);
        let lists = guest.captures().lists_restart;
        // Runs of 0 to 5, with a base of 100 and a gap before the first index.
        let runs: [&[u32]; 5] = [&[], &[3, 1, 2], &[9, 8, 7, 6, 5, 4], &[0], &[2, 2, 2, 4, 1]];
        for bytes in [1u16, 2, 4] {
            let none = [0xff, 0xffff, 0, u32::MAX][usize::from(bytes) - 1];
            let mut list = vec![7];
            for run in runs {
                list.extend(run);
                list.push(none);
            }
            list.pop();
            let data: Vec<u8> = list.iter().flat_map(|i| i.to_le_bytes()[..usize::from(bytes)].to_vec()).collect();
            let source = guest.buffer(CreateBuffer::INDEX, &data);
            for topology in TOPOLOGIES {
                for restart in [0, 1] {
                    let strip = row(topology).step < row(topology).least && topology != Topology::LineListAdjacency;
                    if restart == 1 && !strip && !lists {
                        continue;
                    }
                    guest.encoder.push(&SetIndexBuffer { source, index_bytes: bytes, restart, offset: 0, size: 0 });
                    let buffer = filled(&mut guest, 1024);
                    bind_feedback(&mut guest, &[(buffer, 0, 0)]);
                    guest.encoder.push(&BeginFeedback::default());
                    let count = list.len() as u32 - 1;
                    guest.encoder.push(&DrawIndexed {
                        topology: topology as u32,
                        first: 1,
                        count: count + 50,
                        instances: 2,
                        base_vertex: 100,
                        first_instance: 1,
                    });
                    guest.encoder.push(&EndFeedback::default());
                    let add = |indices: &[u32]| indices.iter().map(|i| i.wrapping_add(100)).collect::<Vec<_>>();
                    let wanted = if restart == 1 { runs.map(add).to_vec() } else { vec![add(&list[1..])] };
                    let mut model = Model::default();
                    model.draw(&primitives(topology, Order::First, &wanted, 1..3), usize::MAX);
                    captured(&mut guest, buffer, 0, &model);
                }
            }
        }
        guest.finish();
    }
}

#[test]
fn what_does_not_fit_into_one_buffer_is_written_to_none() {
    let _watch = Watch::new();
    for mut guest in Guest::that_capture() {
        // The second buffer has vertices of 20 bytes of which 8 are captured.
        let vertex = numbers(&mut guest, &[(0, 0, 8), (2, 4, 20)]);
        guest.encoder.push(&SetShaders { vertex, ..SetShaders::default() });
        discard(&mut guest, Order::First);
        let queries = queries(&mut guest);
        for room in [0u64, 7, 59, 60, 61, 100, 119, 120, 200] {
            let (first, second) = (filled(&mut guest, 64), filled(&mut guest, 64));
            // No size is the rest.
            let sizes = [(first, 0, 256), (ObjectId::NONE, 0, 0), (second, 8, room.max(1))];
            bind_feedback(&mut guest, &sizes);
            begin(&mut guest, queries);
            guest.encoder.push(&BeginFeedback::default());
            guest.encoder.push(&draw(Topology::TriangleStrip, 0, 4, 1, 0));
            guest.encoder.push(&draw(Topology::PointList, 9, 1, 1, 0));
            guest.encoder.push(&EndFeedback::default());
            let mut all = primitives(Topology::TriangleStrip, Order::First, &[(0..4).collect()], 0..1);
            all.push(vec![[9, 0]]);
            let (mut model, mut vertices) = (Model::default(), 0);
            for primitive in &all {
                let fits = (vertices + primitive.len()) * 20 <= room as usize;
                vertices += if fits { primitive.len() } else { 0 };
                model.draw(std::slice::from_ref(primitive), if fits { usize::MAX } else { 0 });
            }
            assert_eq!(end(&mut guest, queries), [model.needed, model.written], "{room} bytes");
            captured(&mut guest, first, 0, &model);
            let mut wanted = vec![FILL; 60];
            for (at, vertex) in model.words.chunks(2).enumerate() {
                wanted[2 + at * 5 + 1..][..2].copy_from_slice(vertex);
            }
            assert_eq!(guest.read_words(second, 0, 60), wanted, "{room} bytes");
        }
        guest.finish();
    }
}

#[test]
fn captures_go_on_where_their_counters_say() {
    let _watch = Watch::new();
    for mut guest in Guest::that_capture() {
        let vertex = numbers(&mut guest, &[(0, 0, 8)]);
        guest.encoder.push(&SetShaders { vertex, ..SetShaders::default() });
        discard(&mut guest, Order::First);
        let (queries, counters) = (queries(&mut guest), guest.words(&[16, 0, 0, 0]));
        let room = 16 + 8 * 13;
        let buffer = filled(&mut guest, 128);
        bind_feedback(&mut guest, &[(buffer, 4, room)]);
        let mut model = Model { words: vec![FILL; 4], ..Model::default() };
        begin(&mut guest, queries);
        for (n, topology) in (0..).zip([Topology::LineStrip, Topology::TriangleFan, Topology::PointList]) {
            guest.encoder.push(&BeginFeedback { counters: counter(counters, 0) });
            guest.encoder.push(&draw(topology, n, 4, 1, 0));
            guest.encoder.push(&EndFeedback { counters: counter(counters, 0) });
            let run = (n..n + 4).collect();
            model.draw(&primitives(topology, Order::First, &[run], 0..1), room as usize);
            // What the guest's frame is cut by does not matter.
            let frame = guest.frame;
            guest.encoder.push(&Present::nothing(frame));
            guest.begin_frame();
            guest.run();
        }
        assert_eq!(end(&mut guest, queries), [model.needed, model.written]);
        assert!(model.written < model.needed, "the last do not fit");
        captured(&mut guest, buffer, 4, &model);
        assert_eq!(guest.read_words(counters, 0, 1), [model.words.len() as u32 * 4]);
        guest.finish();
    }
}

#[test]
fn draws_that_buffers_describe_are_captured() {
    let _watch = Watch::new();
    for mut guest in Guest::that_capture() {
        let vertex = numbers(&mut guest, &[(0, 0, 8)]);
        guest.encoder.push(&SetShaders { vertex, ..SetShaders::default() });
        discard(&mut guest, Order::First);
        let instanced = guest.captures().first_instance;
        let at = if instanced { 3 } else { 0 };
        // Three draws, and what is between them.
        let draws = [5, 2, 1, at, FILL, 3, 1, 9, 0, FILL, 0, 7, 1, 0];
        let plain = guest.words(&draws);
        // Wild numbers are limited: indices behind the buffer, and none at all.
        let indices: Vec<u16> = (0..20).map(|i| 40 - i).collect();
        let source = guest.buffer(CreateBuffer::INDEX, bytemuck::cast_slice(&indices));
        let indexed = guest.words(&[4, 1, 2, 7, 0, u32::MAX, 1, 14, !0, at, u32::MAX, u32::MAX, u32::MAX, 0, 0]);
        guest.encoder.push(&SetIndexBuffer { source, index_bytes: 2, restart: 0, offset: 0, size: 0 });
        let bytes = guest.words(&[70, 8, 3]);
        for topology in [Topology::PointList, Topology::TriangleStrip, Topology::LineStripAdjacency] {
            let (buffer, counters) = (filled(&mut guest, 512), filled(&mut guest, 1));
            let queries = queries(&mut guest);
            bind_feedback(&mut guest, &[(buffer, 0, 0)]);
            begin(&mut guest, queries);
            guest.encoder.push(&BeginFeedback::default());
            let body = DrawIndirect {
                topology: topology as u32,
                indexed: 0,
                buffer: plain,
                count: 3,
                offset: 0,
                stride: 20,
                pad: 0,
            };
            guest.encoder.push(&body);
            guest.encoder.push(&DrawIndirect { indexed: 1, buffer: indexed, ..body });
            let mut count = |offset, counter_offset, stride, first_instance| {
                guest.encoder.push(&DrawByteCount {
                    topology: topology as u32,
                    instances: 2,
                    first_instance,
                    counter: bytes,
                    offset,
                    counter_offset,
                    stride,
                });
            };
            count(0, 8, 8, at);
            // Fewer bytes than there must be.
            count(4, 9, 4, 0);
            count(8, u32::MAX, 1, 0);
            count(8, 0, 4, 0);
            guest.encoder.push(&EndFeedback { counters: counter(counters, 0) });
            let mut model = Model::default();
            let mut add = |run: Vec<u32>, instances| {
                model.draw(&primitives(topology, Order::First, &[run], instances), usize::MAX);
            };
            add((1..6).collect(), at..at + 2);
            add((9..12).collect(), 0..1);
            add((2..6).map(|i| 47 - i).collect(), 0..1);
            add((14..20).map(|i| 39 - i).collect(), at..at + 1);
            add((0..7).collect(), at..at + 2);
            assert_eq!(end(&mut guest, queries), [model.needed, model.written], "{topology:?}");
            captured(&mut guest, buffer, 0, &model);
            assert_eq!(guest.read_words(counters, 0, 1), [model.words.len() as u32 * 4]);
        }
        guest.finish();
    }
}

/// Captures the place of a vertex from a storage buffer, and draws it.
fn places(guest: &mut Guest, captures: bool) -> ObjectId {
    let mut code = Code::new(In::Vertex);
    let number = code.input(InputAt::VertexIndex, Type::I32);
    let two = code.b.i32(2);
    let first = code.b.ishl(number, two);
    let place = code.word(0, first);
    let position = code.b.load_global(place, 4);
    let position = code.b.cast(position, afterimage_ir::Kind::Float);
    code.output(OutputAt::Position, position);
    if captures {
        capture(&mut code, position, 10, &[(1, 0, 16)]);
    }
    code.create(guest)
}

#[test]
fn what_is_drawn_is_captured_and_what_is_captured_is_drawn() {
    let _watch = Watch::new();
    for mut guest in Guest::that_capture() {
        guest.target(Format::R8G8B8A8_UNORM, 8, 8);
        guest.clear(Clear::COLOR, BLACK, 1.0, 0);
        let raster = SetRaster { depth_clip: 1, sample_mask: u32::MAX, ..SetRaster::default() };
        guest.encoder.push(&raster);
        let (first, second) = (places(&mut guest, true), places(&mut guest, false));
        let pixel = guest.shader(Stage::Pixel, CONSTANT);
        let corners: Vec<f32> = [[-1.0, -1.0], [0.0, -1.0], [-1.0, 1.0], [0.0, 1.0], [0.0, -1.0], [1.0, -1.0]]
            .iter()
            .chain(&[[0.0, 1.0], [1.0, 1.0]])
            .flat_map(|[x, y]| [*x, *y, 0.5, 1.0])
            .collect();
        let source = guest.words(bytemuck::cast_slice(&corners));
        let (buffer, counters) = (filled(&mut guest, 256), filled(&mut guest, 4));
        bind_storage(&mut guest, Stage::Vertex, &[source]);
        bind_feedback(&mut guest, &[(ObjectId::NONE, 0, 0), (buffer, 0, 0)]);
        let both = SetShaders { vertex: first, pixel, ..SetShaders::default() };
        guest.encoder.push(&both);
        guest.pixel_constant(0, RED);
        guest.encoder.push(&BeginFeedback::default());
        guest.draw(Topology::TriangleStrip, 0, 4);
        // Other state, other pipelines, and a clear of a part, in the middle of the feedback.
        guest.pixel_constant(0, GREEN);
        guest.encoder.push(&SetShaders { vertex: second, ..both });
        guest.draw(Topology::TriangleStrip, 0, 4);
        guest.clear(Clear::GREEN, BLACK, 1.0, 0);
        guest.encoder.push(&both);
        guest.pixel_constant(0, BLUE);
        guest.draw(Topology::TriangleStrip, 4, 4);
        let mut at = [CounterRef::default(); FEEDBACK_BUFFERS];
        at[1] = CounterRef { buffer: counters, pad: 0, offset: 8 };
        guest.encoder.push(&EndFeedback { counters: at });
        let picture = guest.pixels();
        assert_eq!((picture.count(rgba(BLUE)), picture.at(0, 0)), (32, [0, 0, 0, 255]));
        assert_eq!(guest.read_words(counters, 2, 1).len(), 1);
        assert_eq!(guest.read_words(counters, 8, 1), [4 * 3 * 16]);
        let wanted: Vec<f32> =
            [0, 1, 2, 1, 3, 2, 4, 5, 6, 5, 7, 6].iter().flat_map(|&at| corners[at * 4..][..4].to_vec()).collect();
        let found = guest.read_words(buffer, 0, 12 * 4);
        assert_eq!(bytemuck::cast_slice::<u32, f32>(&found), wanted);

        // As many as were captured, from where they were captured to.
        guest.clear(Clear::COLOR, BLACK, 1.0, 0);
        bind_storage(&mut guest, Stage::Vertex, &[buffer]);
        guest.encoder.push(&SetShaders { vertex: second, ..both });
        guest.encoder.push(&DrawByteCount {
            topology: Topology::TriangleList as u32,
            instances: 1,
            first_instance: 0,
            counter: counters,
            offset: 8,
            counter_offset: 0,
            stride: 16,
        });
        assert_eq!(guest.pixels().count(rgba(BLUE)), 64);
        guest.finish();
    }
}

/// Gives the edges of triangles as lines, with the numbers of their vertices captured.
fn edges(guest: &mut Guest) -> [ObjectId; 2] {
    let mut code = Code::new(In::Vertex);
    let vertex = code.input(InputAt::VertexIndex, Type::I32);
    let zero = code.b.f32x4([0.0, 0.0, 0.0, 1.0]);
    code.output(OutputAt::Position, zero);
    code.output(OutputAt::Location(0), vertex);
    let vertex = code.create(guest);
    let mut code = Code::new(In::Geometry);
    let (input, output) = (InputPrimitive::Triangles, OutputPrimitive::LineStrip);
    code.b.geometry(GeometryDecl { input, output, vertices: 4, invocations: 1 });
    let ty = Type::I32;
    let number = InputAt::Location(0);
    let number = code.b.input(InputDecl { name: String::new(), ty, at: number, interp: Interp::Flat, semantic: None });
    let output = |at, ty| OutputDecl { name: String::new(), ty, at, semantic: None };
    let position = code.b.output(output(OutputAt::Position, Type::F32X4));
    let captured = code.b.output(output(OutputAt::Location(1), ty));
    let (component, lanes, buffer, stream, stride, offset) = (0, 1, 0, 0, 4, 0);
    code.b.feedback(FeedbackDecl { output: captured, component, lanes, buffer, stream, stride, offset });
    for corner in [0, 1, 2, 0] {
        let corner = code.b.i32(corner);
        let value = code.b.load_vertex_input(number, corner);
        let place = code.b.f32x4([0.0, 0.0, 0.0, 1.0]);
        code.b.store_output(position, place);
        code.b.store_output(captured, value);
        code.b.emit_vertex(0);
    }
    code.b.end_primitive(0);
    [vertex, code.create(guest)]
}

#[test]
fn geometry_shaders_are_captured_from() {
    let _watch = Watch::new();
    for mut guest in Guest::that_capture_geometry() {
        let [vertex, geometry] = edges(&mut guest);
        guest.encoder.push(&SetShaders { vertex, geometry, ..SetShaders::default() });
        discard(&mut guest, Order::First);
        let (queries, counters, buffer) = (queries(&mut guest), filled(&mut guest, 1), filled(&mut guest, 128));
        // Room for seven lines and a half.
        bind_feedback(&mut guest, &[(buffer, 0, 15 * 4)]);
        begin(&mut guest, queries);
        guest.encoder.push(&BeginFeedback::default());
        guest.encoder.push(&draw(Topology::TriangleList, 3, 7, 1, 0));
        // Those it does not take.
        guest.encoder.push(&draw(Topology::LineList, 3, 7, 1, 0));
        guest.encoder.push(&draw(Topology::TriangleFan, 20, 3, 2, 0));
        guest.encoder.push(&EndFeedback { counters: counter(counters, 0) });
        assert_eq!(end(&mut guest, queries), [12, 7]);
        let words = guest.read_words(buffer, 0, 15);
        assert_eq!(words[..12], [3, 4, 4, 5, 5, 3, 6, 7, 7, 8, 8, 6]);
        // Vulkan leaves open with which corner a fan's triangle begins in geometry shaders.
        assert!(words[12..14].iter().all(|vertex| (20..23).contains(vertex)), "{words:?}");
        assert_eq!(words[14], FILL);
        assert_eq!(guest.read_words(counters, 0, 1), [14 * 4]);
        guest.finish();
    }
}

#[test]
fn a_capture_ends_with_its_frame() {
    let _watch = Watch::new();
    for mut guest in Guest::that_capture() {
        let vertex = numbers(&mut guest, &[(0, 0, 8)]);
        guest.encoder.push(&SetShaders { vertex, ..SetShaders::default() });
        discard(&mut guest, Order::First);
        let buffer = filled(&mut guest, 64);
        bind_feedback(&mut guest, &[(buffer, 0, 0)]);
        guest.encoder.push(&BeginFeedback::default());
        guest.encoder.push(&draw(Topology::PointList, 3, 2, 1, 0));
        let frame = guest.frame;
        guest.encoder.push(&Present::nothing(frame));
        guest.begin_frame();
        guest.encoder.push(&draw(Topology::PointList, 7, 2, 1, 0));
        guest.run();
        assert_eq!(guest.read_words(buffer, 0, 5), [3, 0, 4, 0, FILL]);
        // The buffers are still set, and the next capture begins anew.
        guest.encoder.push(&BeginFeedback::default());
        guest.encoder.push(&draw(Topology::PointList, 9, 1, 1, 0));
        guest.encoder.push(&EndFeedback::default());
        assert_eq!(guest.read_words(buffer, 0, 5), [9, 0, 4, 0, FILL]);
        guest.finish();
    }
}
