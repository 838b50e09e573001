//! Lowered transform feedback against a plain model of it, in the interpreter.

mod formats;
mod hostile;
mod model;
mod rig;

use std::sync::OnceLock;

use afterimage_ir::{FeedbackDecl, Module, Output, parse, verify};
use afterimage_passes::feedback::block::{Counters, Draw, DrawKind, Request, VERTEX_BUFFERS, VertexBuffer};
use afterimage_passes::feedback::table::{Provoking, TABLE};
use afterimage_passes::feedback::{
    Attribute, Fetch, Form, Number, Options, Step, lower, plan, prepare, streams, strides,
};
use bytemuck::Zeroable;
use model::Capture;
use proptest::prelude::*;
use rig::{FILL, Memory, capture, capture_group, prepared};

/// Tells who it runs for, and what it reads; in ways that return early and late.
const SHADER: &str = "vertex \"witness\" {
  input in0 : i32 vertex_index smooth
  input in1 : i32 instance_index smooth
  input in2 \"pair\" : i32x2 location 3 smooth
  input in3 \"step\" : i32 location 5 smooth
  output out0 \"who\" : i32x4 location 0
  output out1 : f32x4 position
  v0: i32 = load_input in0
  v1: i32 = load_input in1
  v2: i32x2 = load_input in2
  v3: i32 = load_input in3
  v4: i32x4 = construct v0, v1, v2
  v5: i32 = const 1
  v6: i32 = iand v0, v5
  v7: bool = ieq v6, v5
  v8: i32x4 = construct v3, v3, v0, v3
  v9: f32x4 = bitcast v8
  store_output out1, v9
  if v7 {
    store_output out0, v4
    return
  } else {
    yield
  }
  v10: i32 = loop (v11: i32 = v6) {
    v12: bool = ult v5, v11
    if v12 {
      store_output out0, v4
      return
    } else {
      yield
    }
    v13: i32 = iadd v11, v5
    continue v13
  }
  unreachable
}";

/// What is captured: output, first component, components, buffer, stride, offset.
type Layout = &'static [(u32, u8, u8, u8, u32, u32)];
const LAYOUTS: [Layout; 3] = [
    &[(0, 0, 2, 0, 8, 0)],
    &[(0, 0, 3, 0, 20, 4), (0, 3, 1, 1, 4, 0), (1, 1, 2, 3, 12, 4)],
    &[(1, 3, 1, 2, 24, 20), (0, 0, 4, 2, 24, 0)],
];

fn shader(layout: Layout) -> Module {
    let mut module = parse(SHADER).unwrap();
    module.feedback = layout
        .iter()
        .map(|&(output, component, lanes, buffer, stride, offset)| FeedbackDecl {
            output: Output(output),
            component,
            lanes,
            buffer,
            stream: 0,
            stride,
            offset,
        })
        .collect();
    verify(&module).unwrap_or_else(|error| panic!("{error}\n{module}"));
    module
}

/// Vertices that the vertex buffer has.
const VERTICES: u32 = 24;
/// Bytes from pair to pair: they lie at every even address.
const PAIR_STRIDE: u32 = 6;
/// Instances per step.
const DIVISOR: u32 = 2;

fn attributes() -> Vec<Attribute> {
    let fetch = |count, bits| Fetch::new(Number::Uint, count, bits);
    vec![
        Attribute { location: 3, slot: 7, fetch: fetch(2, 16), offset: 2, step: Step::Vertex },
        Attribute { location: 5, slot: 31, fetch: fetch(1, 32), offset: 4, step: Step::Instance(DIVISOR) },
    ]
}

/// The lowered shaders of all layouts.
struct Shaders {
    prepare: Module,
    lowered: [[Module; 2]; 3],
}

const FORMS: [Form; 2] = [Form::Gather, Form::Scatter];

impl Shaders {
    /// Made once.
    fn get() -> &'static Self {
        static SHADERS: OnceLock<Shaders> = OnceLock::new();
        SHADERS.get_or_init(Self::new)
    }

    fn new() -> Self {
        let lowered = LAYOUTS.map(|layout| {
            FORMS.map(|form| lower(&shader(layout), &Options { form, attributes: attributes() }).unwrap())
        });
        Self { prepare: prepare(), lowered }
    }
}

#[derive(Clone, Debug)]
struct Case {
    topology: u32,
    provoking: Provoking,
    kind: DrawKind,
    first: u32,
    count: u32,
    instances: u32,
    first_instance: u32,
    /// Bytes of an index, and the indices of the whole buffer, of which some are beyond what their type holds: restarts.
    indices: Option<(u32, Vec<u32>)>,
    restart: bool,
    vertex_offset: u32,
    layout: usize,
    sizes: [u32; 4],
    /// Bytes that each buffer has at first.
    begun: [u32; 4],
    draws: u32,
    skew: usize,
}

impl Case {
    /// The vertices of an instance, by runs.
    fn runs(&self) -> Vec<Vec<u32>> {
        let Some((bytes, indices)) = &self.indices else {
            return vec![(0..self.count).map(|n| self.first.wrapping_add(n)).collect()];
        };
        let all = u32::MAX >> (32 - 8 * bytes);
        let drawn = indices.iter().map(|&index| index.min(all)).skip(self.first as usize).take(self.count as usize);
        let mut runs = vec![Vec::new()];
        for index in drawn {
            if index == all && self.restart {
                runs.push(Vec::new());
            } else {
                runs.last_mut().unwrap().push(index.wrapping_add(self.vertex_offset));
            }
        }
        runs
    }

    fn check(&self) {
        let shaders = Shaders::get();
        let row = &TABLE[self.topology as usize];
        let layout = LAYOUTS[self.layout];
        let pairs: Vec<u8> = (0..VERTICES * PAIR_STRIDE).map(|n| (n * 37 + 11) as u8).collect();
        let steps: Vec<u8> = (0..64).map(|n| n * 3 + 1).collect();
        let store = |vertex: u32, instance: u32| {
            let at = u64::from(vertex) * u64::from(PAIR_STRIDE) + 2;
            let half = |at: u64| u32::from(u16::from_le_bytes([pairs[at as usize], pairs[at as usize + 1]]));
            let inside = at + 4 <= pairs.len() as u64;
            let pair = if inside { [half(at), half(at + 2)] } else { [0; 2] };
            let step = (self.first_instance + (instance - self.first_instance) / DIVISOR) as usize * 8 + 4;
            let word = steps.get(step..step + 4).map_or(0, |bytes| u32::from_le_bytes(bytes.try_into().unwrap()));
            let outputs = [[vertex, instance, pair[0], pair[1]], [word, word, vertex, word]];
            let mut words = Vec::new();
            for &(output, component, lanes, buffer, _, offset) in layout {
                for n in 0..lanes {
                    let value = outputs[output as usize][(component + n) as usize];
                    words.push((buffer as usize, offset as usize / 4 + n as usize, value));
                }
            }
            words
        };
        let strides = strides(&shader(layout));
        let mut model = Capture {
            buffers: self.sizes.map(|size| vec![FILL; size.div_ceil(4) as usize]),
            strides,
            sizes: self.sizes,
            bytes: self.begun,
            needed: 7,
            written: 0,
        };
        let instances = self.first_instance..self.first_instance + self.instances;
        for _ in 0..self.draws {
            model.draw(self.topology, self.provoking, &self.runs(), instances.clone(), &store);
        }

        for (form, lowered) in FORMS.into_iter().zip(&shaders.lowered[self.layout]) {
            let mut memory = Memory::default();
            let mut counters = Counters { bytes: self.begun, ..Counters::zeroed() };
            counters.needed[0] = 7;
            let index_bytes = self.indices.as_ref().map_or(0, |(bytes, _)| *bytes);
            let mut raw = Vec::new();
            for &index in self.indices.iter().flat_map(|(_, indices)| indices) {
                let all = u32::MAX >> (32 - 8 * index_bytes);
                raw.extend_from_slice(&index.min(all).to_le_bytes()[..index_bytes as usize]);
            }
            let index_count = self.indices.as_ref().map_or(0, |(_, indices)| indices.len());
            let mut request = Request {
                row: row.words(self.provoking),
                kind: self.kind as u32,
                first: self.first,
                count: self.count,
                vertex_offset: self.vertex_offset,
                instances: self.instances,
                first_instance: self.first_instance,
                indices: memory.bytes(&raw, self.skew * index_bytes as usize % 4),
                index_size: raw.len() as u32,
                index_bytes,
                restart: self.restart.into(),
                list_room: index_count as u32,
                list: memory.room(2 * index_count, true),
                counters: memory.block(&counters),
                draw: memory.block(&Draw::zeroed()),
                groups: memory.block(&[0u32; 3]),
                buffers: self.sizes.map(|size| memory.room(size.div_ceil(4) as usize, true)),
                sizes: self.sizes,
                strides,
                ..Request::zeroed()
            };
            let hidden = [0xffff_fff0; 4];
            match self.kind {
                DrawKind::Direct => {}
                DrawKind::Indirect if index_bytes == 0 => {
                    request.arguments = memory.block(&[self.count, self.instances, self.first, self.first_instance]);
                    [request.count, request.instances, request.first, request.first_instance] = hidden;
                }
                DrawKind::Indirect => {
                    let (first, offset) = (self.first, self.vertex_offset);
                    request.arguments = memory.block(&[self.count, self.instances, first, offset, self.first_instance]);
                    [request.count, request.instances, request.first, request.first_instance] = hidden;
                    request.vertex_offset = 99;
                }
                DrawKind::ByteCount => {
                    (request.counter_offset, request.counter_stride) = (12, 20);
                    request.arguments = memory.block(&(12 + 20 * self.count + 19));
                    request.count = hidden[0];
                }
            }
            let mut vertex_buffers = [VertexBuffer::zeroed(); VERTEX_BUFFERS];
            vertex_buffers[7] = VertexBuffer {
                address: memory.bytes(&pairs, 2 * self.skew),
                stride: PAIR_STRIDE,
                bytes: pairs.len() as u32,
            };
            vertex_buffers[31] = VertexBuffer { address: memory.bytes(&steps, 0), stride: 8, bytes: 64 };
            let at = memory.block(&request);
            for _ in 0..self.draws {
                let before = memory.get(request.counters);
                let ready = prepared(&shaders.prepare, &memory, at);
                if self.kind == DrawKind::Direct && !(self.restart && index_bytes != 0) {
                    assert_eq!(plan(&request, &before), Some(ready), "{self:?}");
                } else {
                    assert_eq!(plan(&request, &before), None);
                }
                memory.put(request.draw, &Draw { vertex_buffers, ..ready.draw });
                capture(lowered, form, &memory, request.draw, ready.groups, self.instances);
            }
            let counters: Counters = memory.get(request.counters);
            for buffer in 0..4 {
                assert_eq!(memory.words(request.buffers[buffer]), model.buffers[buffer], "{form:?} {buffer} {self:?}");
            }
            assert_eq!(counters.bytes, model.bytes, "{form:?} {self:?}");
            assert_eq!((counters.needed[0], counters.written[0]), (model.needed, model.written), "{self:?}");
        }
    }
}

const BOTH: [Provoking; 2] = [Provoking::First, Provoking::Last];

#[test]
fn every_topology_with_every_few_vertices() {
    for topology in 0..10 {
        for provoking in BOTH {
            for count in 0..34 {
                for instances in [1, 3] {
                    Case {
                        topology,
                        provoking,
                        kind: DrawKind::Direct,
                        first: 2,
                        count,
                        instances,
                        first_instance: 1,
                        indices: None,
                        restart: false,
                        vertex_offset: 5,
                        layout: 0,
                        sizes: [3 * 8 * 3 * 34, 0, 0, 0],
                        begun: [0; 4],
                        draws: 1,
                        skew: 0,
                    }
                    .check();
                }
            }
        }
    }
}

/// More indices than a round of `prepare` has, and a lane of it.
#[test]
fn long_runs_and_many() {
    for (topology, every) in [(1, 7), (4, 33), (5, 2500), (9, 64), (3, 1), (4, 4000)] {
        let indices = (0..4200u32).map(|n| if n % every == every - 1 { u32::MAX } else { n % 251 }).collect();
        Case {
            topology,
            provoking: Provoking::First,
            kind: DrawKind::Direct,
            first: 3,
            count: 4150,
            instances: 2,
            first_instance: 0,
            indices: Some((1, indices)),
            restart: true,
            vertex_offset: 1,
            layout: 0,
            sizes: [8 * 12_000, 0, 0, 0],
            begun: [8, 0, 0, 0],
            draws: 1,
            skew: 1,
        }
        .check();
    }
}

fn cases() -> impl Strategy<Value = Case> {
    let index = prop_oneof![4 => 0..VERTICES + 4, 1 => Just(u32::MAX), 1 => Just(0xffu32)];
    let indices = prop::option::of((prop::sample::select(vec![1u32, 2, 4]), prop::collection::vec(index, 0..80)));
    let draw = (0..10u32, prop::sample::select(BOTH.to_vec()), 0..3usize, 0..6u32, 0..70u32, 0..4u32, 0..3u32);
    let sizes = prop::array::uniform4(prop_oneof![3 => 0..700u32, 1 => Just(4000)]);
    let rest = (any::<bool>(), 0..6u32, 0..3usize, sizes, prop::array::uniform4(0..4u32), 1..4u32, 0..4usize);
    (draw, indices, rest).prop_map(|(draw, indices, rest)| {
        let (topology, provoking, kind, first, count, instances, first_instance) = draw;
        let (restart, vertex_offset, layout, sizes, begun, draws, skew) = rest;
        let kind = match kind {
            2 if indices.is_none() => DrawKind::ByteCount,
            0 => DrawKind::Direct,
            _ => DrawKind::Indirect,
        };
        let strides = strides(&shader(LAYOUTS[layout]));
        let begun = std::array::from_fn(|n| begun[n] * strides[n]);
        let vertex_offset = vertex_offset.wrapping_sub(2);
        let case = Case {
            topology,
            provoking,
            kind,
            first,
            count,
            instances,
            first_instance,
            indices,
            restart,
            vertex_offset,
            layout,
            sizes,
            begun,
            draws,
            skew,
        };
        // What was captured before had room.
        let sizes = std::array::from_fn(|n| case.sizes[n].max(case.begun[n]));
        Case { sizes, ..case }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_capture_is_the_models(seeds in prop::collection::vec(cases(), 4)) {
            for case in seeds {
            case.check();
        }
    }
}

#[test]
fn wide_draws_go_in_rows() {
    let row = TABLE[0].words(Provoking::First);
    let request = |count, sizes| Request {
        row,
        count,
        instances: 1,
        buffers: [64, 0, 0, 0],
        sizes: [sizes, 0, 0, 0],
        strides: [4, 0, 0, 0],
        ..Request::zeroed()
    };
    let groups = |count| plan(&request(count, u32::MAX), &Counters::zeroed()).unwrap().groups;
    assert_eq!(groups(0), [0, 1, 1]);
    assert_eq!(groups(65), [2, 1, 1]);
    assert_eq!(groups(65_535 * 64), [65_535, 1, 1]);
    assert_eq!(groups(65_535 * 64 + 1), [32_768, 2, 1]);
    // As many as a buffer of four gigabytes has room for.
    assert_eq!(groups(u32::MAX), [32_768, (1 << 30) / 64 / 32_768, 1]);
    // A buffer that is not bound has no room.
    let unbound = Request { buffers: [0; 4], ..request(9, 100) };
    let planned = plan(&unbound, &Counters::zeroed()).unwrap();
    assert_eq!((planned.counters.needed[0], planned.counters.written[0], planned.groups[0]), (9, 0, 0));
    let shader = shader(LAYOUTS[1]);
    assert_eq!((strides(&shader), streams(&shader)), ([20, 4, 0, 12], [0; 4]));
}

/// The same numbers on the device, where products do not fit 32 bits.
#[test]
fn huge_draws_are_counted() {
    let shader = prepare();
    for (count, instances, size) in
        [(u32::MAX, u32::MAX, 0), (u32::MAX, 1, u32::MAX), (70_000 * 64, 1, u32::MAX), (9, u32::MAX, 12 << 20)]
    {
        for topology in [0, 4] {
            let mut memory = Memory::default();
            let mut counters = Counters::zeroed();
            counters.needed[0] = u64::from(u32::MAX);
            let mut request = Request {
                row: TABLE[topology].words(Provoking::Last),
                count,
                instances,
                counters: memory.block(&counters),
                draw: memory.block(&Draw::zeroed()),
                groups: memory.block(&[0u32; 3]),
                buffers: [0, 0, 0xffff_fff0, 0],
                sizes: [0, 0, size, 0],
                strides: [0, 0, 12, 0],
                ..Request::zeroed()
            };
            let at = memory.block(&request);
            assert_eq!(plan(&request, &counters), Some(prepared(&shader, &memory, at)));
            request.sizes[2] = 11;
            memory.put(at, &request);
            let counters = memory.get(request.counters);
            assert_eq!(plan(&request, &counters), Some(prepared(&shader, &memory, at)));
        }
    }
}

/// The list, the indices and the captured vertices are more than 4 GiB behind where they begin.
#[test]
fn products_of_64_bits() {
    const GROUP: u32 = 1 << 23;
    let (first, position) = (u64::from(GROUP) * 64, 1u32 << 30);
    let mut memory = Memory::default();
    let mut draw = Draw::new(&TABLE[0], Provoking::First);
    (draw.primitives, draw.captured, draw.index_bytes) = (u32::MAX, u32::MAX, 4);
    (draw.list, draw.indices, draw.targets[0].address) = (0x3_8000_0000, 0xa_fffe_0000, 0x10_e000_0010);
    let at = memory.block(&draw);
    let list = memory.room_at(draw.list + 8 * first, 128, true);
    let indices = memory.room_at(draw.indices + 4 * u64::from(position), 64, true);
    let target = memory.room_at(draw.targets[0].address + 8 * first, 128, true);
    for n in 0..64u32 {
        memory.put(list + 8 * u64::from(n), &[position + n, 0]);
        memory.put(indices + 4 * u64::from(n), &(1000 + n));
    }
    let groups = [32_768, 1 << 11, 1];
    capture_group(&Shaders::get().lowered[0][0], &memory, at, [GROUP % 32_768, GROUP / 32_768, 0], groups);
    let words: Vec<u32> = (0..64).flat_map(|n| [1000 + n, 0]).collect();
    assert_eq!(memory.words(target), words);
}
