//! Every budget of the table: what is at the limit is taken, what is past it is refused by name, and what is released can be taken again.

use crate::common::*;
use afterimage_stream::budgets::Span;
use afterimage_stream::packets::*;
use afterimage_stream::*;
use bytemuck::Zeroable;

/// An arena in which everything is.
struct Endless;

impl Arena for Endless {
    fn slot_size(&self, slot: u32) -> Option<u64> {
        (slot == 0).then_some(u64::MAX)
    }

    fn copy_out(&self, _: &UploadRef, _: u32, _: &mut [u8]) -> bool {
        true
    }

    fn copy_in(&self, _: &UploadRef, _: u32, _: &[u8]) -> bool {
        true
    }
}

/// What the packets of a batch are refused for.
fn refusals(batch: &[u64], budgets: Budgets) -> (State, Vec<Cause>) {
    let (mut state, mut validator) = (State::default(), Validator::new(budgets));
    let mut causes = Vec::new();
    for located in Reader::new(batch) {
        let located = located.unwrap();
        match validator.check(&state, &located, &Endless) {
            Ok(()) => state.apply(&located.packet),
            Err(error) => causes.push(error.cause),
        }
    }
    (state, causes)
}

/// An id of its own for each number.
fn id(kind: ObjectKind, number: u32) -> ObjectId {
    ObjectId::new(kind, number.wrapping_add(100))
}

fn square(edge: u32) -> CreateTexture {
    CreateTexture::plain(id(ObjectKind::Texture, 1), Format::R8G8B8A8_UNORM, [edge, edge])
}

fn code(size: u64) -> UploadRef {
    UploadRef { slot: 0, size: size as u32, offset: 0 }
}

/// Asks for `amount` of a budget by the object with this number. False where packets alone do not take it: whoever executes counts.
fn ask(budget: Budget, number: u32, amount: u64, out: &mut Encoder) -> bool {
    let shader =
        |size| CreateShader { id: id(ObjectKind::Shader, number), stage: 0, language: 1, pad: 0, code: code(size) };
    let buffer = id(ObjectKind::Buffer, number);
    match budget {
        Budget::ShaderBytes | Budget::ShaderCode => out.push(&shader(amount)),
        Budget::Shaders => out.push(&shader(4)),
        Budget::TextureEdge => {
            let window_kind = WindowKind::Headless as u32;
            let target = id(ObjectKind::Target, number);
            out.push(&PresentTarget { id: target, width: amount as u32, height: 1, window_kind, window: 0 });
        }
        Budget::TextureBytes | Budget::TextureMemory => {
            let texture = id(ObjectKind::Texture, number);
            out.push(&CreateTexture { id: texture, width: (amount / 4) as u32, height: 1, ..square(1) });
        }
        Budget::Textures => out.push(&CreateTexture { id: id(ObjectKind::Texture, number), ..square(1) }),
        Budget::BufferBytes | Budget::BufferMemory => out.push(&CreateBuffer { id: buffer, usage: 1, size: amount }),
        Budget::Buffers => out.push(&CreateBuffer { id: buffer, usage: 1, size: 4 }),
        Budget::Samplers => {
            out.push(&CreateSampler { id: id(ObjectKind::Sampler, number), ..CreateSampler::zeroed() });
        }
        Budget::VertexInputs => {
            out.push_tail(&CreateVertexInput { id: id(ObjectKind::VertexInput, number), count: 0 }, &[]);
        }
        Budget::Queries => out.push(&CreateQuery { id: id(ObjectKind::Query, number), kind: 0 }),
        Budget::Targets => {
            let target = id(ObjectKind::Target, number);
            out.push(&PresentTarget { id: target, width: 1, height: 1, window_kind: 0, window: 0 });
        }
        Budget::Tables => out.push(&CreateTable { id: id(ObjectKind::Table, number), entries: 1 }),
        Budget::TableEntries => out.push(&CreateTable { id: id(ObjectKind::Table, number), entries: amount as u32 }),
        Budget::Draws => out.push(&draw(0)),
        Budget::Groups => out.push(&Dispatch { shader: VERTEX_SHADER, groups: [amount as u32, 1, 1] }),
        Budget::Transfer => {
            out.push(&UpdateBuffer { id: BUFFER, flags: 0, offset: 0, data: code(amount) });
        }
        Budget::ShaderInstructions | Budget::Translated | Budget::Pipelines | Budget::Uploads => return false,
    }
    true
}

/// What has to be there before.
fn before(budget: Budget, out: &mut Encoder) {
    let stage = if budget == Budget::Groups { Stage::Compute } else { Stage::Vertex } as u32;
    out.push(&CreateShader { id: VERTEX_SHADER, stage, language: 1, pad: 0, code: code(4) });
    out.push(&CreateBuffer { id: BUFFER, usage: 1, size: 1 << 20 });
    if budget == Budget::Draws {
        out.push(&SetShaders { vertex: VERTEX_SHADER, ..SetShaders::default() });
    }
}

/// The kind whose objects take of a budget for as long as they live.
fn kind_of(budget: Budget) -> ObjectKind {
    match budget {
        Budget::ShaderCode | Budget::Shaders => ObjectKind::Shader,
        Budget::TextureMemory | Budget::Textures => ObjectKind::Texture,
        Budget::BufferMemory | Budget::Buffers => ObjectKind::Buffer,
        Budget::Samplers => ObjectKind::Sampler,
        Budget::VertexInputs => ObjectKind::VertexInput,
        Budget::Queries => ObjectKind::Query,
        Budget::Targets => ObjectKind::Target,
        Budget::Tables | Budget::TableEntries => ObjectKind::Table,
        other => panic!("{other:?} is not of what lives"),
    }
}

#[test]
fn each_budget_is_held() {
    for &budget in Budget::ALL {
        let mut out = Encoder::new();
        before(budget, &mut out);
        // What is there already counts; ids begin at 100.
        let (there, each, limit) = match budget {
            Budget::ShaderCode => (1024, 2048, 1024 + 4 * 2048),
            Budget::BufferMemory => (1 << 20, 512, (1 << 20) + 4 * 512),
            Budget::BufferBytes => (0, 1 << 21, 1 << 21),
            Budget::TextureMemory => (0, 64, 4 * 64),
            Budget::TableEntries => (0, 16, 4 * 16),
            Budget::Shaders | Budget::Buffers => (1, 1, 200),
            _ if budget.row().span == Span::Each => (0, 4096, 4096),
            _ => (0, 1, 200),
        };
        let budgets = Budgets::default().with(budget, limit);
        let times = match budget.row().span {
            Span::Each => 3,
            Span::Living | Span::Frame => ((limit - there) / each) as u32,
        };
        // Ids of objects are no higher than there may be objects.
        let first = if limit == 200 && budget != Budget::Draws { 0u32.wrapping_sub(99) } else { 0 };
        let known = (0..times).all(|number| ask(budget, first.wrapping_add(number), each, &mut out));
        if !known {
            continue;
        }
        let (_, causes) = refusals(&std::mem::take(out.batch()), budgets);
        let own = |causes: &[Cause]| causes.iter().filter(|cause| matches!(cause, Cause::Budget { .. })).count();
        let taken = if matches!(budget, Budget::Shaders | Budget::Buffers) {
            // Number 1 is that which is there.
            causes.iter().filter(|cause| !matches!(cause, Cause::Exists { .. })).count()
        } else {
            own(&causes)
        };
        assert_eq!(taken, 0, "{budget:?} at its limit: {causes:?}");
    }
}

#[test]
fn past_each_budget_is_a_typed_error() {
    for &budget in Budget::ALL {
        let limit = match budget {
            Budget::ShaderCode => 1024 + 2 * 2048,
            Budget::BufferMemory => (1 << 20) + 2 * 512,
            Budget::BufferBytes => 1 << 20,
            Budget::TextureMemory => 2 * 64,
            Budget::TableEntries => 2 * 16,
            Budget::ShaderBytes | Budget::TextureEdge | Budget::TextureBytes | Budget::Groups | Budget::Transfer => {
                4096
            }
            Budget::Draws => 2,
            // Two more than there are, and ids up to there.
            _ => 200,
        };
        let budgets = Budgets::default().with(budget, limit);
        let mut out = Encoder::new();
        before(budget, &mut out);
        let (numbers, each): (Vec<u32>, u64) = match budget {
            Budget::ShaderCode => (vec![0, 1, 2], 2048),
            Budget::BufferMemory => (vec![0, 1, 2], 512),
            Budget::TextureMemory => (vec![0, 1, 2], 64),
            Budget::TableEntries => (vec![0, 1, 2], 16),
            Budget::Draws => (vec![0, 1, 2], 1),
            Budget::BufferBytes => (vec![0], (1 << 20) + 1),
            _ if budget.row().span == Span::Each => (vec![0], 4100),
            // A serial past what there may be.
            _ => (vec![101], 1),
        };
        let last = *numbers.last().unwrap();
        if !numbers.into_iter().all(|number| ask(budget, number, each, &mut out)) {
            continue;
        }
        if budget.row().span == Span::Living {
            // What is released can be taken again, and what was refused took nothing.
            let kind = kind_of(budget);
            let first = if last == 101 { 5 } else { 0 };
            if first == 5 {
                ask(budget, first, each, &mut out);
            }
            out.push(&Destroy { id: id(kind, first), pad: 0 });
            ask(budget, first + 20, each, &mut out);
        }
        // The stream goes on.
        out.push(&BeginFrame { frame: 7 });
        let (state, causes) = refusals(&std::mem::take(out.batch()), budgets);
        assert_eq!(state.frame, 7);
        assert_eq!(causes.len(), 1, "{budget:?}: {causes:?}");
        let Cause::Budget { budget: named, limit: told, asked, .. } = causes[0] else { panic!("{causes:?}") };
        assert_eq!((named, told), (budget, limit));
        assert!(asked > limit);
        let text = causes[0].to_string();
        assert!(text.contains(budget.row().name) && text.contains(&limit.to_string()), "{text}");
    }
}

#[test]
fn objects_are_counted_one_by_one() {
    for budget in [Budget::Samplers, Budget::Queries, Budget::Targets, Budget::VertexInputs, Budget::Textures] {
        let budgets = Budgets::default().with(budget, 150);
        let mut out = Encoder::new();
        // Serials 1 to 150, in any order, and one again.
        for serial in (1..=150u32).rev() {
            assert!(ask(budget, serial.wrapping_sub(100), 1, &mut out));
        }
        out.push(&Destroy { id: ObjectId::new(kind_of(budget), 77), pad: 0 });
        ask(budget, 77u32.wrapping_sub(100), 1, &mut out);
        ask(budget, 51, 1, &mut out);
        let (state, causes) = refusals(&std::mem::take(out.batch()), budgets);
        assert_eq!(state.objects.iter(kind_of(budget)).count(), 150);
        assert_eq!(causes.len(), 1, "{budget:?}: {causes:?}");
        assert!(matches!(causes[0], Cause::Budget { budget: named, .. } if named == budget), "{causes:?}");
    }
}

/// A target that is declared anew takes no more.
#[test]
fn what_is_replaced_is_counted_once() {
    let mut out = Encoder::new();
    for _ in 0..10 {
        ask(Budget::Targets, 0, 1, &mut out);
    }
    let (_, causes) = refusals(&std::mem::take(out.batch()), Budgets::default().with(Budget::Targets, 100));
    assert_eq!(causes, []);
}
