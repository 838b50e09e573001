//! Packets of feedback and of draws that buffers describe: what the validator takes and refuses, and that the state has it.

use crate::common::*;
use afterimage_stream::packets::*;
use afterimage_stream::*;

const STORAGE: ObjectId = ObjectId::new(ObjectKind::Buffer, 2);
const GEOMETRY: ObjectId = ObjectId::new(ObjectKind::Shader, 3);

fn counters(offset: u64) -> [CounterRef; FEEDBACK_BUFFERS] {
    let mut counters = [CounterRef::default(); FEEDBACK_BUFFERS];
    counters[2] = CounterRef { buffer: STORAGE, pad: 0, offset };
    counters
}

fn captured() -> FeedbackBuffer {
    FeedbackBuffer { buffer: STORAGE, pad: 0, offset: 128, size: 128 }
}

fn indirect() -> DrawIndirect {
    DrawIndirect { topology: 10, indexed: 0, buffer: STORAGE, count: 2, offset: 4, stride: 20, pad: 0 }
}

fn byte_count() -> DrawByteCount {
    DrawByteCount {
        topology: 7,
        instances: 1,
        first_instance: 3,
        counter: STORAGE,
        offset: 8,
        counter_offset: 3,
        stride: 8,
    }
}

/// Objects, and one good packet of each kind; feedback runs at the end.
fn everything(out: &mut Encoder) {
    let code = UploadRef { slot: 0, size: 64, offset: 0 };
    out.push(&CreateBuffer { id: STORAGE, usage: CreateBuffer::STORAGE, size: 256 });
    out.push(&CreateShader { id: GEOMETRY, stage: Stage::Geometry as u32, language: 1, pad: 0, code });
    out.push(&SetShaders { vertex: VERTEX_SHADER, pixel: PIXEL_SHADER, geometry: GEOMETRY, pad: 0 });
    out.push(&SetIndexBuffer { source: STORAGE, index_bytes: 1, restart: 1, offset: 3, size: 0 });
    out.push(&SetRaster { discard: 1, ..SetRaster::default() });
    out.push_tail(&SetFeedbackBuffers { first: 2, count: 1 }, &[captured()]);
    out.push(&BeginFeedback::default());
    out.push(&indirect());
    out.push(&EndFeedback { counters: counters(0) });
    out.push(&DrawIndirect { indexed: 1, ..indirect() });
    out.push(&byte_count());
    out.push(&BeginFeedback { counters: counters(252) });
}

/// The one error of what comes behind [`everything`].
fn refused(rest: impl FnOnce(&mut Encoder)) -> Cause {
    error_of(|out| {
        everything(out);
        rest(out);
    })
    .cause
}

/// The field of which that error is.
fn field(rest: impl FnOnce(&mut Encoder)) -> &'static str {
    field_of(refused(rest))
}

#[test]
fn the_snapshot_has_capture_buffers() {
    let mut out = Encoder::new();
    prologue(&mut out);
    everything(&mut out);
    let first = run(out.batch());
    assert_eq!(first.errors, []);
    let state = first.state;
    assert_eq!(state.feedback_buffers[2], captured());
    assert_eq!((state.shaders.geometry, state.index_buffer.restart, state.raster.discard), (GEOMETRY, 1, 1));
    assert_eq!(format!("{:?}", rebuilt(&state)), format!("{state:?}"));
}

#[test]
fn captures_follow_each_other_and_end_with_the_frame() {
    let running = refused(|out| out.push(&BeginFeedback::default()));
    assert_eq!(running, Cause::Feedback { running: true });
    let set = |out: &mut Encoder| out.push_tail(&SetFeedbackBuffers { first: 0, count: 1 }, &[captured()]);
    assert_eq!(refused(set), Cause::Feedback { running: true });
    let destroyed = refused(|out| out.push(&Destroy { id: STORAGE, pad: 0 }));
    assert_eq!(destroyed, Cause::WrittenByFeedback { field: "id", id: STORAGE });
    let ended = refused(|out| {
        out.push(&EndFeedback::default());
        out.push(&EndFeedback::default());
    });
    assert_eq!(ended, Cause::Feedback { running: false });
    let next_frame = refused(|out| {
        out.push(&present(1));
        out.push(&BeginFrame { frame: 2 });
        out.push(&EndFeedback::default());
    });
    assert_eq!(next_frame, Cause::Feedback { running: false });
    // A buffer that is gone, or is another one now, is not captured into.
    let gone = refused(|out| {
        out.push(&EndFeedback::default());
        out.push(&Destroy { id: STORAGE, pad: 0 });
        out.push(&BeginFeedback::default());
    });
    assert_eq!(gone, Cause::Missing { field: "feedback buffer", id: STORAGE });
    let smaller = field(|out| {
        out.push(&EndFeedback::default());
        out.push(&Destroy { id: STORAGE, pad: 0 });
        out.push(&CreateBuffer { id: STORAGE, usage: CreateBuffer::STORAGE, size: 200 });
        out.push(&BeginFeedback::default());
    });
    assert_eq!(smaller, "feedback buffer");
}

#[test]
fn what_is_out_of_range_is_refused_by_the_name_of_its_field() {
    let set = |first, buffer: FeedbackBuffer| {
        move |out: &mut Encoder| {
            out.push(&EndFeedback::default());
            out.push_tail(&SetFeedbackBuffers { first, count: 1 }, &[buffer]);
        }
    };
    assert_eq!(field(set(4, captured())), "count");
    assert_eq!(field(set(0, FeedbackBuffer { offset: 130, ..captured() })), "offset");
    assert_eq!(field(set(0, FeedbackBuffer { size: 132, ..captured() })), "buffer");
    assert_eq!(field(set(0, FeedbackBuffer { size: 0, offset: 256, ..captured() })), "buffer");
    assert_eq!(field(set(0, FeedbackBuffer { size: 1 << 32, ..captured() })), "size");
    let other = refused(set(0, FeedbackBuffer { buffer: BUFFER, ..captured() }));
    assert_eq!(other, Cause::WrongKind { field: "buffer", id: BUFFER });
    let end = |offset| move |out: &mut Encoder| out.push(&EndFeedback { counters: counters(offset) });
    assert_eq!(field(end(2)), "offset");
    assert_eq!(field(end(256)), "counter");
    assert_eq!(field(end(u64::MAX - 3)), "counter");
    let draw = |body: DrawIndirect| move |out: &mut Encoder| out.push(&body);
    assert_eq!(field(draw(DrawIndirect { topology: 11, ..indirect() })), "topology");
    assert_eq!(field(draw(DrawIndirect { indexed: 2, ..indirect() })), "indexed");
    assert_eq!(field(draw(DrawIndirect { count: 0, ..indirect() })), "count");
    assert_eq!(field(draw(DrawIndirect { count: DrawIndirect::MOST + 1, ..indirect() })), "count");
    assert_eq!(field(draw(DrawIndirect { offset: 2, ..indirect() })), "offset");
    assert_eq!(field(draw(DrawIndirect { stride: 18, ..indirect() })), "stride");
    assert_eq!(field(draw(DrawIndirect { stride: 240, ..indirect() })), "buffer");
    assert_eq!(field(draw(DrawIndirect { indexed: 1, stride: 236, ..indirect() })), "buffer");
    assert_eq!(field(draw(DrawIndirect { count: 4096, stride: !3, ..indirect() })), "buffer");
    let no_indices = refused(|out| {
        out.push(&SetIndexBuffer::default());
        out.push(&DrawIndirect { indexed: 1, ..indirect() });
    });
    assert!(matches!(no_indices, Cause::Missing { field: "index_buffer", .. }));
    let draw = |body: DrawByteCount| move |out: &mut Encoder| out.push(&body);
    assert_eq!(field(draw(DrawByteCount { topology: 11, ..byte_count() })), "topology");
    assert_eq!(field(draw(DrawByteCount { stride: 0, ..byte_count() })), "stride");
    assert_eq!(field(draw(DrawByteCount { offset: 6, ..byte_count() })), "offset");
    assert_eq!(field(draw(DrawByteCount { offset: 256, ..byte_count() })), "counter");
    let index = |body: SetIndexBuffer| move |out: &mut Encoder| out.push(&body);
    let indices = SetIndexBuffer { source: STORAGE, index_bytes: 1, ..SetIndexBuffer::default() };
    assert_eq!(field(index(SetIndexBuffer { index_bytes: 3, ..indices })), "index_bytes");
    assert_eq!(field(index(SetIndexBuffer { restart: 2, ..indices })), "restart");
    assert_eq!(field(|out| out.push(&SetRaster { discard: 2, ..SetRaster::default() })), "discard");
    let shaders = refused(|out| out.push(&SetShaders { geometry: PIXEL_SHADER, ..SetShaders::default() }));
    assert_eq!(shaders, Cause::WrongKind { field: "geometry", id: PIXEL_SHADER });
    let storage = SetStorage { stage: Stage::Geometry as u32, first: 0, count: 1 };
    assert_eq!(field(|out| out.push_tail(&storage, &[StorageBinding::default()])), "stage");
}

#[test]
fn query_kinds_name_their_stream() {
    let all = QueryKind::ALL.iter().filter_map(|kind| kind.captured()).collect::<Vec<_>>();
    let streams = [0, 1, 2, 3];
    assert_eq!(all, [streams.map(|stream| (stream, false)), streams.map(|stream| (stream, true))].concat());
}
