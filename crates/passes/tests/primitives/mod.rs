//! What geometry shaders give and what feedback of it leaves, written down plainly: the shaders run in the interpreter, one primitive after
//! the other.

// Each test uses a part.
#![allow(dead_code, reason = "each test uses a part")]

use afterimage_interp::{Emitted, Environment, Interpreter, SampleArgs};
use afterimage_ir::{BankDecl, GeometryDecl, InputAt, InputDecl, Module, OutputAt, TextureDecl, parse, verify};
use afterimage_passes::feedback::table::Provoking;
use afterimage_passes::feedback::{Attribute, Fetch, Number, Step, streams, strides};

/// What untouched words hold.
pub(crate) const FILL: u32 = 0xdead_beef;

/// A draw, whose vertices have the indices that the runs have.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) topology: u32,
    pub(crate) provoking: Provoking,
    /// Between restarts.
    pub(crate) runs: Vec<Vec<u32>>,
    pub(crate) indexed: bool,
    pub(crate) instances: u32,
    pub(crate) first_instance: u32,
    /// Bytes of each buffer's range, and those that are used already.
    pub(crate) sizes: [u32; 4],
    pub(crate) used: [u32; 4],
}

/// Vertices of a primitive of a run, in the order in which a geometry shader has them: by the specification, without the table.
pub(crate) fn primitives(topology: u32, provoking: Provoking, n: u32) -> Vec<Vec<u32>> {
    let last = provoking == Provoking::Last;
    let adjacent = (n.max(4) - 4) / 2;
    let count = [n, n / 2, n.max(1) - 1, n / 3, n.max(2) - 2, n.max(2) - 2, n / 4, n.max(3) - 3, n / 6, adjacent];
    let of = |p: u32| match (topology, p % 2, last) {
        (0, ..) => vec![p],
        (1, ..) => vec![2 * p, 2 * p + 1],
        (2, ..) => vec![p, p + 1],
        (3, ..) => vec![3 * p, 3 * p + 1, 3 * p + 2],
        (4, 0, _) => vec![p, p + 1, p + 2],
        (4, _, false) => vec![p, p + 2, p + 1],
        (4, _, true) => vec![p + 1, p, p + 2],
        (5, _, false) => vec![p + 1, p + 2, 0],
        (5, _, true) => vec![0, p + 1, p + 2],
        (6, ..) => (4 * p..4 * p + 4).collect(),
        (7, ..) => (p..p + 4).collect(),
        (8, ..) => (6 * p..6 * p + 6).collect(),
        // The triangle's corners, and the vertices across from each: what is opposite of an edge belongs to the triangle before,
        // the next one, or lies outside of the strip.
        (_, odd, _) => {
            let i = 2 * p;
            let before = if p == 0 { 1 } else { i - 2 };
            let after = if p + 1 == adjacent { i + 5 } else { i + 6 };
            match (odd, last) {
                (0, _) => vec![i, before, i + 2, after, i + 4, i + 3],
                (_, true) => vec![i + 2, before, i, i + 3, i + 4, after],
                (_, false) => vec![i, i + 3, i + 4, after, i + 2, before],
            }
        }
    };
    (0..count[topology as usize]).map(of).collect()
}

/// The vertex or geometry shader on its own.
struct Stage<'a> {
    vertex: [u32; 2],
    /// The vertex shader's outputs at each corner, and the numbers of the primitive and the invocation.
    corners: &'a [Vec<(OutputAt, [u32; 4])>],
    numbers: [u32; 2],
}

impl Environment for Stage<'_> {
    fn input(&self, decl: &InputDecl, _: usize) -> [u32; 4] {
        match decl.at {
            InputAt::VertexIndex => [self.vertex[0], 0, 0, 0],
            InputAt::InstanceIndex => [self.vertex[1], 0, 0, 0],
            InputAt::Location(_) => attribute(self.vertex[0]),
            InputAt::PrimitiveId => [self.numbers[0], 0, 0, 0],
            InputAt::InvocationId => [self.numbers[1], 0, 0, 0],
            at => panic!("{at} is read"),
        }
    }

    fn vertex_input(&self, decl: &InputDecl, vertex: u32) -> [u32; 4] {
        let feeds = |at: OutputAt| match (decl.at, at) {
            (InputAt::Location(a), OutputAt::Location(b)) => a == b,
            (InputAt::Position, OutputAt::Position) => true,
            (InputAt::ClipDistance(a), OutputAt::ClipDistance(b)) => a == b,
            _ => false,
        };
        self.corners[vertex as usize].iter().find(|(at, _)| feeds(*at)).map_or([0; 4], |found| found.1)
    }

    fn constant(&self, bank: &BankDecl, index: u32) -> [u32; 4] {
        [index, bank.id.into(), 7, 9]
    }

    fn sample(&self, _: &TextureDecl, _: &SampleArgs) -> [f32; 4] {
        [0.0; 4]
    }
}

pub(crate) fn attribute(vertex: u32) -> [u32; 4] {
    [vertex * 3 + 1000, vertex ^ 0x55, 0, 1]
}

/// What feedback of a draw leaves: the words of the buffers, and the counters.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Captured {
    pub(crate) buffers: [Vec<u32>; 4],
    pub(crate) bytes: [u32; 4],
    pub(crate) needed: [u64; 4],
    pub(crate) written: [u64; 4],
}

impl Captured {
    /// Before anything is drawn.
    pub(crate) fn new(case: &Case) -> Self {
        let buffers = case.sizes.map(|size| vec![FILL; size as usize / 4]);
        Self { buffers, bytes: case.used, needed: [0; 4], written: [0; 4] }
    }
}

/// The model of what is emitted: every primitive of a stream, as the outputs of its vertices.
pub(crate) fn each_primitive(
    vertex: &Module,
    geometry: &Module,
    case: &Case,
    mut found: impl FnMut(usize, Vec<&Vec<[u32; 4]>>),
) {
    let decl = geometry.geometry.unwrap();
    let (run_vertex, run_geometry) = (Interpreter::new(vertex).unwrap(), Interpreter::new(geometry).unwrap());
    for instance in case.first_instance..case.first_instance + case.instances {
        let all = case.runs.iter().flat_map(|run| {
            let of = primitives(case.topology, case.provoking, run.len() as u32);
            of.into_iter().map(|at| at.into_iter().map(|at| run[at as usize]).collect::<Vec<u32>>())
        });
        for (number, indices) in (0u32..).zip(all) {
            let corners: Vec<Vec<(OutputAt, [u32; 4])>> = indices
                .iter()
                .map(|&index| {
                    let stage = Stage { vertex: [index, instance], corners: &[], numbers: [0; 2] };
                    let outputs = run_vertex.run(&stage).unwrap().outputs;
                    vertex.outputs.iter().map(|decl| decl.at).zip(outputs.iter().map(|lanes| lanes[0])).collect()
                })
                .collect();
            for invocation in 0..decl.invocations {
                let stage = Stage { vertex: [0; 2], corners: &corners, numbers: [number, invocation] };
                let emitted = run_geometry.run_primitive(&stage).unwrap();
                for stream in 0..4 {
                    let all = decompose(&emitted, decl, stream, case.provoking);
                    all.into_iter().for_each(|primitive| found(stream, primitive));
                }
            }
        }
    }
}

/// The model of what feedback leaves.
pub(crate) fn expected(vertex: &Module, geometry: &Module, case: &Case) -> Captured {
    let mut out = Captured::new(case);
    let (strides, streams) = (strides(geometry), streams(geometry));
    each_primitive(vertex, geometry, case, |stream, primitive| {
        out.needed[stream] += 1;
        let mine: Vec<usize> = (0..4).filter(|&n| strides[n] != 0 && usize::from(streams[n]) == stream).collect();
        let bytes = |n: usize| primitive.len() as u32 * strides[n];
        if mine.iter().any(|&n| bytes(n) > case.sizes[n].saturating_sub(out.bytes[n])) {
            return;
        }
        out.written[stream] += 1;
        for outputs in primitive {
            for c in geometry.feedback.iter().filter(|c| mine.contains(&usize::from(c.buffer))) {
                let n = usize::from(c.buffer);
                let first = (out.bytes[n] + c.offset) as usize / 4;
                let from = usize::from(c.component)..usize::from(c.component + c.lanes);
                let words = &outputs[c.output.index()][from];
                out.buffers[n][first..first + words.len()].copy_from_slice(words);
            }
            mine.iter().for_each(|&n| out.bytes[n] += strides[n]);
        }
    });
    out
}

fn decompose(emitted: &Emitted, decl: GeometryDecl, stream: usize, provoking: Provoking) -> Vec<Vec<&Vec<[u32; 4]>>> {
    if provoking == Provoking::First {
        return emitted.primitives(decl.output, stream);
    }
    let mut found = Vec::new();
    for strip in &emitted.strips[stream] {
        for (at, window) in strip.windows(decl.output.corners() as usize).enumerate() {
            let mut primitive: Vec<&Vec<[u32; 4]>> = window.iter().collect();
            if primitive.len() == 3 && at % 2 == 1 {
                primitive.swap(0, 1);
            }
            found.push(primitive);
        }
    }
    found
}

fn shader(text: &str) -> Module {
    let module = parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    verify(&module).unwrap_or_else(|e| panic!("{e}\n{text}"));
    module
}

pub(crate) fn vertex() -> Module {
    shader(
        "vertex {
          input in0 : i32 vertex_index smooth
          input in1 : i32 instance_index smooth
          input in2 : i32x2 location 5 smooth
          output out0 : i32x4 location 1
          output out1 : f32x4 position
          bank c0 \"c\" stage 4 [8]
          v0: i32 = load_input in0
          v1: i32 = load_input in1
          v2: i32x2 = load_input in2
          v3: i32x4 = construct v0, v1, v2
          store_output out0, v3
          v4: f32x4 = u2f v3
          v5: f32x4 = load_const c0[3]
          v6: f32x4 = fadd v4, v5
          store_output out1, v6
          return
        }",
    )
}

/// Gives every vertex of its primitive.
pub(crate) fn all_vertices(input: &str, corners: u32) -> Module {
    shader(&format!(
        "geometry {{
          geometry {input} points vertices 16 invocations 1
          input in0 : i32x3 location 1 smooth
          input in1 : i32 primitive_id smooth
          output out0 : i32x4 location 0
          feedback out0.xyzw buffer 0 stream 0 stride 20 offset 4
          v0: i32 = load_input in1
          v1: i32 = const 0
          v2: i32 = const 1
          v3: i32 = const {corners}
          loop (v4: i32 = v1) {{
            v5: bool = ule v3, v4
            if v5 {{
              break
            }} else {{
              yield
            }}
            v6: i32x3 = load_vertex_input in0, v4
            v7: i32x4 = construct v6, v0
            store_output out0, v7
            emit_vertex 0
            v8: i32 = iadd v4, v2
            continue v8
          }}
          return
        }}"
    ))
}

/// Strips of lengths that depend on the vertices, into two streams, by several invocations.
pub(crate) fn strips(input: &str, output: &str, vertices: u32, invocations: u32) -> Module {
    shader(&format!(
        "geometry {{
          geometry {input} {output} vertices {vertices} invocations {invocations}
          input in0 : i32x4 location 1 smooth
          input in1 : i32 primitive_id smooth
          input in2 : i32 invocation_id smooth
          input in3 : f32x4 position smooth
          output out0 : i32x4 location 0
          output out1 : i32x2 location 1
          output out2 : f32x4 position
          feedback out0.xyz buffer 0 stream 0 stride 16 offset 4
          feedback out2.zw buffer 3 stream 0 stride 12 offset 0
          feedback out1.xy buffer 1 stream 2 stride 8 offset 0
          bank c0 \"c\" stage 4 [12]
          v0: i32 = load_input in1
          v1: i32 = load_input in2
          v2: i32 = const 0
          v3: i32 = const 1
          v4: i32 = const 3
          v5: i32x4 = load_vertex_input in0, v1
          v6: i32 = swizzle v5.x
          v7: i32 = iadd v6, v0
          v8: i32 = const 7
          v9: i32 = iand v7, v8
          v20: i32x4 = load_const c0[9]
          v21: i32 = swizzle v20.x
          loop (v10: i32 = v2) {{
            v11: bool = ule v9, v10
            if v11 {{
              break
            }} else {{
              yield
            }}
            v12: i32x4 = construct v10, v6, v0, v1
            store_output out0, v12
            v13: i32x2 = construct v21, v10
            store_output out1, v13
            v14: f32x4 = load_vertex_input in3, v10
            store_output out2, v14
            emit_vertex 0
            v15: i32 = iand v10, v4
            v16: bool = ieq v15, v4
            if v16 {{
              end_primitive 0
              yield
            }} else {{
              store_output out1, v13
              emit_vertex 2
              yield
            }}
            v17: i32 = iadd v10, v3
            v18: bool = ieq v17, v8
            if v18 {{
              return
            }} else {{
              yield
            }}
            continue v17
          }}
          end_primitive 2
          v19: i32x2 = construct v0, v1
          store_output out1, v19
          emit_vertex 2
          return
        }}"
    ))
}

pub(crate) fn attributes() -> Vec<Attribute> {
    let fetch = Fetch::new(Number::Uint, 2, 32);
    vec![Attribute { location: 5, slot: 3, fetch, offset: 4, step: Step::Vertex }]
}

pub(crate) fn case(topology: u32, provoking: Provoking, n: u32) -> Case {
    Case {
        topology,
        provoking,
        runs: vec![(10..10 + n).collect()],
        indexed: false,
        instances: 1,
        first_instance: 0,
        sizes: [1 << 16, 1 << 16, 0, 1 << 16],
        used: [0; 4],
    }
}
