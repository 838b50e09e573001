//! What the tests of the contract share: an arena, a small valid frame, and a run of the validator.
#![allow(dead_code, unreachable_pub, reason = "each test file uses a part of it")]

use afterimage_stream::packets::*;
use afterimage_stream::*;

/// An arena of one slot with 4,096 bytes: 0 to 255, again and again.
pub struct OneSlot;

impl Arena for OneSlot {
    fn slot_size(&self, slot: u32) -> Option<u64> {
        (slot == 0).then_some(4096)
    }

    fn copy_out(&self, range: &UploadRef, at: u32, out: &mut [u8]) -> bool {
        let start = range.offset + u64::from(at);
        (start..).zip(&mut *out).for_each(|(place, byte)| *byte = place as u8);
        range.slot == 0 && start + out.len() as u64 <= 4096
    }

    fn copy_in(&self, _: &UploadRef, _: u32, _: &[u8]) -> bool {
        false
    }
}

pub const VERTEX_SHADER: ObjectId = ObjectId::new(ObjectKind::Shader, 1);
pub const PIXEL_SHADER: ObjectId = ObjectId::new(ObjectKind::Shader, 2);
pub const TEXTURE: ObjectId = ObjectId::new(ObjectKind::Texture, 1);
pub const TARGET: ObjectId = ObjectId::new(ObjectKind::Target, 1);
pub const BUFFER: ObjectId = ObjectId::new(ObjectKind::Buffer, 1);

pub fn texture(id: ObjectId) -> CreateTexture {
    CreateTexture { usage: CreateTexture::TARGET, ..CreateTexture::plain(id, Format::B8G8R8A8_UNORM, [64, 64]) }
}

/// Objects, state and an open frame 1.
pub fn prologue(out: &mut Encoder) {
    out.push_tail(&Init { version: Init::VERSION, count: 4, process: 1, guest: 1 }, b"test");
    out.push(&texture(TEXTURE));
    let code = UploadRef { slot: 0, size: 64, offset: 0 };
    out.push(&CreateShader { id: VERTEX_SHADER, stage: Stage::Vertex as u32, language: 1, pad: 0, code });
    out.push(&CreateShader { id: PIXEL_SHADER, stage: Stage::Pixel as u32, language: 1, pad: 0, code });
    out.push(&CreateBuffer { id: BUFFER, usage: CreateBuffer::VERTEX, size: 256 });
    let (window_kind, window) = (WindowKind::Headless as u32, 0);
    out.push(&PresentTarget { id: TARGET, width: 64, height: 64, window_kind, window });
    out.push(&BeginFrame { frame: 1 });
    let mut targets = SetRenderTargets::default();
    targets.color[0].texture = TEXTURE;
    out.push(&targets);
    out.push(&SetShaders { vertex: VERTEX_SHADER, pixel: PIXEL_SHADER, ..SetShaders::default() });
}

pub fn draw(first: u32) -> Draw {
    Draw { topology: Topology::TriangleList as u32, first, count: 3, instances: 1, first_instance: 0, pad: 0 }
}

pub fn present(frame: u64) -> Present {
    let (src, dst) = (Rect::default(), Rect::default());
    Present { frame, target: TARGET, texture: TEXTURE, src, dst, interval: 0, pad: 0 }
}

/// A whole valid frame with `draws` draws.
pub fn frame(draws: u32) -> Encoder {
    let mut out = Encoder::new();
    prologue(&mut out);
    for first in 0..draws {
        out.push(&draw(first));
    }
    out.push(&present(1));
    out
}

/// What a run over a batch saw.
#[derive(Default)]
pub struct Run {
    pub state: State,
    pub errors: Vec<StreamError>,
    pub draws: u32,
    pub presents: u32,
    pub hash: u64,
}

pub fn run_with(batch: &[u64], budgets: Budgets) -> Run {
    let mut run = Run::default();
    let mut validator = Validator::new(budgets);
    let mut hash = ReplayHash::default();
    for located in Reader::new(batch) {
        match located.and_then(|located| validator.check(&run.state, &located, &OneSlot).map(|()| located)) {
            Ok(located) => {
                run.state.apply(&located.packet);
                hash.packet(&located, batch, &OneSlot);
                run.draws += u32::from(matches!(located.packet, Packet::Draw(_)));
                run.presents += u32::from(matches!(located.packet, Packet::Present(_)));
            }
            Err(error) => run.errors.push(*error),
        }
    }
    run.hash = hash.finish();
    run
}

pub fn run(batch: &[u64]) -> Run {
    run_with(batch, Budgets::default())
}

/// Runs the prologue and `rest`, and returns the one error that must have come out of it.
pub fn error_of(rest: impl FnOnce(&mut Encoder)) -> StreamError {
    let mut out = Encoder::new();
    prologue(&mut out);
    rest(&mut out);
    let run = run(out.batch());
    assert_eq!(run.errors.len(), 1, "{:?}", run.errors);
    run.errors[0].clone()
}

/// The state that the packets of a state build, which nothing refuses.
pub fn rebuilt(state: &State) -> State {
    let mut out = Encoder::new();
    state.write(&mut out, |_, created, out| {
        if let Created::Shader(shader) = created {
            out.push(shader.as_ref());
        }
    });
    let mut copy = run(out.batch());
    assert_eq!(copy.errors, []);
    // The frame number comes with the next BeginFrame, and a new state has everything dirty.
    copy.state.frame = state.frame;
    copy.state.tracker = state.tracker.clone();
    copy.state
}

/// The field of an error about a number out of range.
pub fn field_of(cause: Cause) -> &'static str {
    match cause {
        Cause::Range { field, .. } => field,
        other => panic!("{other:?}"),
    }
}
