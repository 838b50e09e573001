//! Lowered transform feedback as Metal source: both forms, and the shader that prepares a draw, leave the memory behind that the
//! interpreter leaves, and that a plain model of feedback says.

mod geometry;
#[path = "../judge/mod.rs"]
mod judge;
#[path = "../../../passes/tests/feedback/model.rs"]
mod model;

use std::cell::{Cell, RefCell};

use afterimage_interp::{Environment, SampleArgs};
use afterimage_ir::{
    BankDecl, BankSource, FeedbackDecl, InputAt, InputDecl, Module, Output, TextureDecl, parse, verify,
};
use afterimage_msl::{Artifact, Attribute, Options, Source, emit};
use afterimage_passes::feedback::block::{DRAW, Request};
use afterimage_passes::feedback::table::{Provoking, TABLE};
use afterimage_passes::feedback::{self, Fetch, Form, Number, Step, lower, prepare, strides};
use bytemuck::Pod;
use judge::{Judge, Memory};
use model::Capture;

/// Tells who it runs for and what it read, some vertices by another way than others.
const SHADER: &str = "vertex \"witness\" {
  input in0 : i32 vertex_index smooth
  input in1 : i32 instance_index smooth
  input in2 \"pair\" : i32x2 location 3 smooth
  output out0 \"who\" : i32x4 location 0
  output out1 : f32x4 position
  v0: i32 = load_input in0
  v1: i32 = load_input in1
  v2: i32x2 = load_input in2
  v3: i32x4 = construct v0, v1, v2
  v4: i32x4 = swizzle v3.wzyx
  v5: f32x4 = bitcast v4
  store_output out1, v5
  v6: i32 = const 1
  v7: i32 = iand v0, v6
  v8: bool = ieq v7, v6
  if v8 {
    store_output out0, v3
    return
  } else {
    yield
  }
  store_output out0, v3
  return
}";

/// What is captured: output, first component, components, buffer, stride, offset.
type Layout = &'static [(u32, u8, u8, u8, u32, u32)];
const LAYOUTS: [Layout; 2] = [&[(0, 0, 4, 0, 16, 0)], &[(0, 0, 3, 0, 20, 4), (1, 1, 2, 3, 12, 4)]];
const FORMS: [Form; 2] = [Form::Gather, Form::Scatter];

/// Memory: pages before a place where the low half of addresses wraps.
const BASE: u64 = 0x1_ffff_e000;
const FILL: u32 = 0xdead_beef;
// What is in it.
const COUNTERS: u64 = BASE;
const GROUPS: u64 = BASE + 0x100;
const DRAW_AT: u64 = BASE + 0x200;
const PAIRS: u64 = BASE + 0x600;
const INDICES: u64 = BASE + 0x802;
const LIST: u64 = BASE + 0xa00;
const BUFFERS: [u64; 2] = [BASE + 0x1ff0, BASE + 0x4000];
const BYTES: usize = 0x6000;

/// Bytes from pair to pair of 16 bits each.
const PAIR_STRIDE: u32 = 6;
const VERTICES: u32 = 16;

fn shader(layout: Layout) -> Module {
    let mut module = parse(SHADER).unwrap();
    let capture = |&(output, component, lanes, buffer, stride, offset): &(u32, u8, u8, u8, u32, u32)| FeedbackDecl {
        output: Output(output),
        component,
        lanes,
        buffer,
        stream: 0,
        stride,
        offset,
    };
    module.feedback = layout.iter().map(capture).collect();
    verify(&module).unwrap();
    module
}

fn lowered(layout: Layout, form: Form) -> (Module, Artifact) {
    let fetch = Fetch::new(Number::Uint, 2, 16);
    let attributes = vec![feedback::Attribute { location: 3, slot: 7, fetch, offset: 2, step: Step::Vertex }];
    let module = lower(&shader(layout), &feedback::Options { form, attributes }).unwrap();
    let artifact = emit(&module, &Options::default()).unwrap_or_else(|e| panic!("{e}\n{module}"));
    (module, artifact)
}

/// What a run reads: system values, and which vertices of which instance its lanes are.
struct Run {
    system: RefCell<Vec<u32>>,
    vertices: Cell<[u32; 4]>,
    instance: Cell<u32>,
}

impl Environment for Run {
    fn input(&self, decl: &InputDecl, lane: usize) -> [u32; 4] {
        match decl.at {
            InputAt::VertexIndex => [self.vertices.get()[lane], 0, 0, 0],
            InputAt::InstanceIndex => [self.instance.get(), 0, 0, 0],
            // Those of threadgroups are the runner's own.
            _ => [0; 4],
        }
    }

    fn constant(&self, bank: &BankDecl, index: u32) -> [u32; 4] {
        match bank.source {
            BankSource::Feedback => self.system.borrow()[4 * index as usize..][..4].try_into().unwrap(),
            _ => [index, bank.id.into(), 7, 9],
        }
    }

    fn sample(&self, texture: &TextureDecl, _: &SampleArgs) -> [f32; 4] {
        panic!("a texture in slot {}", texture.slot)
    }
}

fn put(memory: &mut Memory, address: u64, words: &[u32]) {
    memory.words[(address - BASE) as usize / 4..][..words.len()].copy_from_slice(words);
}

fn get(memory: &Memory, address: u64, words: usize) -> &[u32] {
    &memory.words[(address - BASE) as usize / 4..][..words]
}

fn low_high(address: u64) -> [u32; 2] {
    [address as u32, (address >> 32) as u32]
}

/// The words of a block.
trait Words {
    fn words(&self) -> Vec<u32>;
}

impl<T: Pod> Words for T {
    fn words(&self) -> Vec<u32> {
        bytemuck::cast_slice(std::slice::from_ref(self)).to_vec()
    }
}

struct Case {
    topology: u32,
    provoking: Provoking,
    count: u32,
    instances: u32,
    /// Of 16 bits; the greatest begins a new run.
    indices: Option<Vec<u16>>,
    layout: Layout,
    /// Bytes of each buffer.
    size: u32,
}

impl Case {
    fn runs(&self) -> Vec<Vec<u32>> {
        match &self.indices {
            None => vec![(0..self.count).collect()],
            Some(indices) => {
                let runs = indices.split(|&index| index == u16::MAX);
                runs.map(|run| run.iter().map(|&index| index.into()).collect()).collect()
            }
        }
    }

    fn request(&self, strides: [u32; 4]) -> Request {
        let index_count = self.indices.as_ref().map_or(0, |indices| indices.len() as u32);
        let bound = strides.map(|stride| stride != 0);
        Request {
            row: TABLE[self.topology as usize].words(self.provoking),
            count: self.count,
            instances: self.instances,
            indices: INDICES,
            index_size: 2 * index_count,
            index_bytes: if self.indices.is_some() { 2 } else { 0 },
            restart: self.indices.is_some().into(),
            list_room: index_count,
            list: LIST,
            counters: COUNTERS,
            draw: DRAW_AT,
            groups: GROUPS,
            buffers: std::array::from_fn(|n| if bound[n] { BUFFERS[n / 3] } else { 0 }),
            sizes: bound.map(|bound| if bound { self.size } else { 0 }),
            strides,
            ..Request::default()
        }
    }

    fn check(&self, judge: &mut Judge, name: &str, form: Form) {
        let pairs: Vec<u8> = (0..VERTICES * PAIR_STRIDE).map(|n| (n * 37 + 11) as u8).collect();
        let strides = strides(&shader(self.layout));
        let mut memory = Memory { base: BASE, words: vec![FILL; BYTES / 4] };
        put(&mut memory, COUNTERS, &[0; 20]);
        let words: Vec<u32> = pairs.chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect();
        put(&mut memory, PAIRS, &words);
        for (n, &index) in self.indices.iter().flatten().enumerate() {
            let at = (INDICES - BASE) as usize / 2 + n;
            let word = &mut memory.words[at / 2];
            *word = if at.is_multiple_of(2) {
                *word & 0xffff_0000 | u32::from(index)
            } else {
                *word & 0xffff | u32::from(index) << 16
            };
        }

        // The draw is prepared by a kernel, too.
        let run =
            Run { system: self.request(strides).words().into(), vertices: Cell::default(), instance: Cell::default() };
        let module = prepare();
        let artifact = emit(&module, &Options::default()).unwrap_or_else(|e| panic!("{e}\n{module}"));
        judge.add_on("prepare", &module, &artifact, &run, &mut memory, [1; 3]);
        let slot = DRAW_AT + DRAW.fields.iter().find(|f| f.name == "vertex_buffers").unwrap().offset as u64 + 7 * 16;
        let [low, high] = low_high(PAIRS);
        put(&mut memory, slot, &[low, high, PAIR_STRIDE, pairs.len() as u32]);
        *run.system.borrow_mut() = get(&memory, DRAW_AT, DRAW.size / 4).to_vec();

        let (module, artifact) = lowered(self.layout, form);
        match form {
            Form::Gather => {
                let groups = get(&memory, GROUPS, 3).try_into().unwrap();
                judge.add_on(name, &module, &artifact, &run, &mut memory, groups);
            }
            Form::Scatter => {
                for instance in 0..self.instances {
                    run.instance.set(instance);
                    for first in (0..self.count).step_by(4) {
                        run.vertices.set([0, 1, 2, 3].map(|n| (first + n).min(self.count - 1)));
                        judge.add_on(name, &module, &artifact, &run, &mut memory, [1; 3]);
                    }
                }
            }
        }

        // What the model says of it.
        let sizes = strides.map(|stride| if stride != 0 { self.size } else { 0 });
        let buffers = sizes.map(|size| vec![FILL; size as usize / 4]);
        let mut model = Capture { buffers, strides, sizes, bytes: [0; 4], needed: 0, written: 0 };
        let store = |vertex: u32, instance: u32| {
            let half = |at: usize| u32::from(u16::from_le_bytes([pairs[at], pairs[at + 1]]));
            let at = (vertex * PAIR_STRIDE) as usize + 2;
            let who = [vertex, instance, half(at), half(at + 2)];
            let outputs = [who, [who[3], who[2], who[1], who[0]]];
            let mut words = Vec::new();
            for &(output, component, lanes, buffer, _, offset) in self.layout {
                for n in 0..lanes {
                    let value = outputs[output as usize][(component + n) as usize];
                    words.push((buffer as usize, offset as usize / 4 + n as usize, value));
                }
            }
            words
        };
        model.draw(self.topology, self.provoking, &self.runs(), 0..self.instances, &store);
        for n in [0, 3] {
            let found = get(&memory, BUFFERS[n / 3], model.buffers[n].len());
            assert_eq!(found, model.buffers[n], "{name}, {form:?}, buffer {n}");
        }
        assert_eq!(get(&memory, COUNTERS, 4), model.bytes, "{name}");
        assert!(model.written > 0 || self.count < 6, "{name} captures nothing");
    }
}

const BOTH: [Provoking; 2] = [Provoking::First, Provoking::Last];

#[test]
fn every_topology_is_captured() {
    let mut judge = Judge::new();
    for topology in 0..TABLE.len() as u32 {
        for (n, provoking) in BOTH.into_iter().enumerate() {
            for form in FORMS {
                for (count, size) in [(1, 2000), (9, 2000), (14, 300)] {
                    let (instances, layout) = (1 + count % 2, LAYOUTS[n]);
                    let case = Case { topology, provoking, count, instances, indices: None, layout, size };
                    case.check(&mut judge, &format!("{form:?} {n}"), form);
                }
            }
        }
    }
    let report = judge.run();
    report.assert();
    assert!(report.shaders == 0 || report.shaders == 2 * BOTH.len() + 1, "{} shaders", report.shaders);
}

/// Lists, strips and fans of indices, with restarts among them.
#[test]
fn indices_and_restarts_are_captured() {
    let mut judge = Judge::new();
    let indices: Vec<u16> = vec![3, 1, 4, 1, 5, u16::MAX, 9, 2, u16::MAX, u16::MAX, 6, 5, 3, 5, 8, 9, 7, u16::MAX, 9];
    for topology in [1, 3, 4, 5, 9] {
        for form in FORMS {
            for provoking in BOTH {
                let (count, indices, layout) = (indices.len() as u32, Some(indices.clone()), LAYOUTS[1]);
                let case = Case { topology, provoking, count, instances: 3, indices, layout, size: 4000 };
                case.check(&mut judge, &format!("{form:?}"), form);
            }
        }
    }
    judge.run().assert();
}

/// What a host has to bind, and how it is run.
#[test]
fn system_values_are_a_buffer() {
    for (form, stage) in [(Form::Gather, "kernel void main0("), (Form::Scatter, "vertex void main0(")] {
        let (_, artifact) = lowered(LAYOUTS[0], form);
        assert!(artifact.source.contains(stage), "{}", artifact.source);
        let buffers: Vec<_> =
            artifact.bindings.iter().filter(|b| matches!(b.attribute, Attribute::Buffer(_))).collect();
        assert_eq!(buffers.len(), 1);
        assert_eq!((buffers[0].attribute, buffers[0].source), (Attribute::Buffer(2), Source::Feedback));
        let lanes = if form == Form::Gather { [feedback::block::GROUP, 1, 1] } else { [1; 3] };
        assert_eq!(artifact.reflection.group, lanes);
        assert!(artifact.reflection.stores && artifact.reflection.feedback);
    }
}

/// What comes out, to be read. `cargo xtask bless` writes it anew.
#[test]
fn the_text_is_as_expected() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/feedback");
    for (form, name) in [(Form::Gather, "gather.metal"), (Form::Scatter, "scatter.metal")] {
        let (path, (_, artifact)) = (folder.join(name), lowered(LAYOUTS[0], form));
        if std::env::var_os("AFTERIMAGE_BLESS").is_some_and(|v| v == "1") {
            std::fs::write(&path, &artifact.source).unwrap();
        }
        let expected = std::fs::read_to_string(&path).unwrap();
        assert_eq!(artifact.source, expected, "{name}: `cargo xtask bless afterimage-msl` accepts what was found");
    }
}
