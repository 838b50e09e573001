//! What following a push buffer costs: arguments with state tracking against a loop that only decodes and stores, vertices in
//! immediate mode against copying them, and recordings from their start to their end. 1000 / ns is millions a second.

use afterimage_bench::Bench;
use afterimage_nv2a::kcap::{Player, Reader};
use afterimage_nv2a::machine::{Graphics, Header, Kelvin, Machine, Primitive, Word, register};
use afterimage_nv2a::memory::{GuestMemory, Ram};
use afterimage_nv2a_types::method::*;
use std::path::{Path, PathBuf};

/// Draws nothing.
struct Nothing;

impl Graphics for Nothing {
    fn draw(&mut self, _kelvin: &mut Kelvin, _memory: &mut dyn GuestMemory, primitive: &Primitive) {
        std::hint::black_box(primitive);
    }

    fn clear(&mut self, _kelvin: &mut Kelvin, _memory: &mut dyn GuestMemory, _flags: u32) {}

    fn write_back(&mut self, _memory: &mut dyn GuestMemory, _address: u32, _size: u32) {}

    fn reset_pixel_count(&mut self) {}

    fn pixel_count(&mut self) -> u32 {
        0
    }

    fn flush(&mut self) {}
}

/// Words of a push buffer, and how many are arguments.
#[derive(Default)]
struct Push {
    words: Vec<u32>,
    arguments: usize,
}

impl Push {
    fn method(&mut self, method: u16, arguments: impl IntoIterator<Item = u32>) {
        let at = self.words.len();
        self.words.push(0);
        self.words.extend(arguments);
        let count = self.words.len() - at - 1;
        self.words[at] = Header { method, subchannel: 0, count: count as u16, increasing: true }.encode();
        self.arguments += count;
    }
}

const ARGUMENTS: usize = 1 << 18;

/// State in runs of so many arguments, each another value than before.
fn state(run: u16) -> Push {
    let mut push = Push::default();
    let mut value = 0u32;
    // Combiner factors and outputs: 32 words without a gap.
    while push.arguments < ARGUMENTS {
        for first in (0..32).step_by(run.into()) {
            value = value.wrapping_add(1);
            push.method(SET_COMBINER_FACTOR0 + 4 * first, (0..u32::from(run)).map(|i| value + i));
        }
    }
    push
}

/// What a game's draw sets: constants, a combiner, textures, blending.
fn mixed() -> Push {
    let mut push = Push::default();
    let mut value = 0u32;
    while push.arguments < ARGUMENTS {
        value = value.wrapping_add(1);
        push.method(SET_TRANSFORM_CONSTANT_LOAD, [96]);
        push.method(SET_TRANSFORM_CONSTANT, (0..16).map(|i| value + i));
        push.method(SET_COMBINER_FACTOR0, [value; 8]);
        push.method(SET_TEXTURE_OFFSET, [value & !0xFF, 0x0001_1229, 0x0003_0303, 0x4003_FFC0]);
        push.method(SET_ALPHA_TEST_ENABLE, [value & 1]);
        push.method(SET_BLEND_ENABLE, [value & 1]);
        push.method(SET_BLEND_FUNC_SFACTOR, [0x302, 0x303]);
        push.method(SET_COMPOSITE_MATRIX, [value; 16]);
    }
    push
}

/// Triangles of colour and position.
fn immediate(vertices: usize) -> Push {
    let mut push = Push::default();
    push.method(SET_BEGIN_END, [5]);
    for vertex in 0..vertices as u32 {
        push.method(SET_DIFFUSE_COLOR4F, [vertex; 4]);
        push.method(SET_VERTEX4F, [vertex; 4]);
    }
    push.method(SET_BEGIN_END, [0]);
    push
}

/// A machine that has the push buffer in its memory, from 0 on.
fn machine(push: &Push) -> (Machine, Ram) {
    let mut memory = Ram::new(Ram::XBOX);
    let bytes: Vec<u8> = push.words.iter().flat_map(|word| word.to_le_bytes()).collect();
    memory.write(0, &bytes).expect("inside of memory");
    let mut machine = Machine::new();
    // A Kelvin object with handle 1, on subchannel 0.
    let end = Ram::XBOX - 8;
    for (offset, value) in [
        (register::PFIFO_RAMHT, 0x0300_0100),
        (register::PRAMIN + 0x10000, 1),
        (register::PRAMIN + 0x10004, 0x8001_1200),
        (register::PRAMIN + 0x12000, 0x97),
    ] {
        machine.write_register(&mut memory, &mut Nothing, offset, value);
    }
    let bind = [Header { method: 0, subchannel: 0, count: 1, increasing: true }.encode(), 1];
    memory.write(end, &bind.map(u32::to_le_bytes).concat()).expect("inside of memory");
    machine.set_pusher(end, Ram::XBOX);
    machine.run(&mut memory, &mut Nothing).expect("a push buffer without errors");
    (machine, memory)
}

fn run(machine: &mut Machine, memory: &mut Ram, push: &Push) {
    machine.set_pusher(0, 4 * push.words.len() as u32);
    machine.run(memory, &mut Nothing).expect("a push buffer without errors");
}

/// Decodes headers and stores arguments, and nothing else.
fn bare(words: &[u32], registers: &mut [u32; 0x800]) {
    let mut at = 0;
    while at < words.len() {
        let Word::Method(Header { method, count, .. }) = Word::decode(words[at]) else { return };
        let (first, count) = (usize::from(method / 4), usize::from(count));
        let arguments = &words[at + 1..at + 1 + count];
        registers[first..first + count].copy_from_slice(arguments);
        at += 1 + count;
    }
}

fn recordings() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/captures/nv2a");
    let suites = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let files = suites.filter_map(|suite| std::fs::read_dir(suite.path()).ok()).flatten().flatten();
    files.map(|file| file.path()).filter(|path| path.extension() == Some("gz".as_ref())).take(20).collect()
}

fn main() -> std::io::Result<()> {
    let mut bench = Bench::new("nv2a");
    for (name, push) in [
        ("32 arguments a header", state(32)),
        ("8 arguments a header", state(8)),
        ("1 argument a header", state(1)),
        ("what a draw sets", mixed()),
    ] {
        let mut registers = Box::new([0; 0x800]);
        let (mut machine, mut memory) = machine(&push);
        bench
            .new_baseline()
            .case(&format!("baseline: decode and store, {name}"), push.arguments, || bare(&push.words, &mut registers))
            .case(&format!("run with state tracking, {name}"), push.arguments, || {
                run(&mut machine, &mut memory, &push);
            });
    }
    const VERTICES: usize = 30_000;
    let push = immediate(VERTICES);
    let (mut machine, mut memory) = machine(&push);
    let vertex = [[0f32; 4]; 16];
    let mut vertices = Vec::with_capacity(VERTICES);
    bench
        .new_baseline()
        .case("baseline: store a vertex of 16 attributes", VERTICES, || {
            vertices.clear();
            vertices.extend((0..VERTICES).map(|_| std::hint::black_box(vertex)));
        })
        .case("immediate vertex, colour and position", VERTICES, || run(&mut machine, &mut memory, &push));
    let files = recordings();
    if !files.is_empty() {
        bench.new_baseline().case("recording, read and run without drawing", files.len(), || {
            for file in &files {
                let mut player = Player::new(Reader::open(file).expect("a recording"));
                while player.step(&mut Nothing).expect("a recording").is_some() {}
            }
        });
    }
    bench.finish()
}
