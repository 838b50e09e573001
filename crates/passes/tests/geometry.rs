//! Lowered geometry shaders against a plain model, in the interpreter.

mod primitives;

use std::cell::RefCell;
use std::collections::HashMap;

use afterimage_interp::{Environment, Group, Interpreter, SampleArgs};
use afterimage_ir::{
    BankDecl, BankSource, Builder, FeedbackDecl, GeometryDecl, InputAt, InputDecl, InputPrimitive, Module, OutputAt,
    OutputDecl, OutputPrimitive, Stage, TextureDecl, Type,
};
use afterimage_passes::feedback::block::{Counters, Draw, Request, VertexBuffer};
use afterimage_passes::feedback::table::{Provoking, TABLE};
use afterimage_passes::feedback::{
    Drawing, Drawn, FeedbackError, draw_geometry, lower_geometry, plan, prepare, strides, takes,
};
use primitives::{
    Captured, Case, FILL, all_vertices, attribute, attributes, case, each_primitive, expected, strips, vertex,
};

/// Device memory by words, and the system values of what runs.
#[derive(Default)]
struct Memory {
    words: RefCell<HashMap<u64, u32>>,
    system: u64,
    /// The vertex that a vertex shader runs for.
    vertex: u32,
}

impl Memory {
    fn put(&self, address: u64, words: &[u32]) {
        let mut all = self.words.borrow_mut();
        all.extend(words.iter().zip(0u64..).map(|(&word, n)| (address + 4 * n, word)));
    }

    fn get(&self, address: u64, count: usize) -> Vec<u32> {
        (0..count as u64).map(|n| self.load(address + 4 * n)).collect()
    }

    fn block<T: bytemuck::Pod>(&self, address: u64) -> T {
        bytemuck::pod_read_unaligned(bytemuck::cast_slice(&self.get(address, size_of::<T>() / 4)))
    }
}

impl Environment for Memory {
    fn input(&self, decl: &InputDecl, _: usize) -> [u32; 4] {
        match decl.at {
            InputAt::VertexIndex => [self.vertex, 0, 0, 0],
            at => panic!("{at} is read"),
        }
    }

    fn constant(&self, bank: &BankDecl, index: u32) -> [u32; 4] {
        match bank.source {
            BankSource::Feedback => self.block(self.system + 16 * u64::from(index)),
            _ => [index, bank.id.into(), 7, 9],
        }
    }

    fn sample(&self, _: &TextureDecl, _: &SampleArgs) -> [f32; 4] {
        [0.0; 4]
    }

    fn load(&self, address: u64) -> u32 {
        *self.words.borrow().get(&address).unwrap_or_else(|| panic!("nothing is at {address:#x}"))
    }

    fn store(&self, address: u64, word: u32) {
        self.load(address);
        self.words.borrow_mut().insert(address, word);
    }
}

/// Where the system values of a draw are, and the counters.
const DRAW: u64 = 0x1_0000_0000;
const COUNTERS: u64 = 0x1_0000_3000;

/// Where the buffers are that are captured into.
fn buffer_at(n: u64) -> u64 {
    0x1_ffff_fff0 + 0x10_0000 * n
}

/// Runs a kernel.
fn run(memory: &mut Memory, module: &Module, system: u64, groups: [u32; 3]) {
    memory.system = system;
    for x in 0..groups[0] {
        let group = Group { id: [x, 0, 0], count: groups, wave: 32 };
        let interpreter = Interpreter::new(module).unwrap().step_limit(1 << 24).whole_barriers();
        interpreter.run_group(memory, group).unwrap();
    }
}

/// A draw that is ready for the lowered shader.
fn ready(preparing: &Module, strides: [u32; 4], case: &Case) -> Memory {
    let row = &TABLE[case.topology as usize];
    let (draw_at, request_at, other_at) = (DRAW, 0x1_0000_1000, 0x1_0000_2000);
    let (counters_at, scratch_at, groups_at) = (COUNTERS, 0x1_0000_4000, 0x1_0000_5000);
    let (indices_at, list_at, vertices_at) = (0x1_0001_0000, 0x1_0002_0000, 0x1_0003_0000);
    let mut memory = Memory::default();
    let mut indices: Vec<u32> = Vec::new();
    for (n, run) in case.runs.iter().enumerate() {
        if n > 0 {
            indices.push(!0);
        }
        indices.extend(run);
    }
    memory.put(indices_at, &indices);
    memory.put(list_at, &vec![FILL; 2 * indices.len()]);
    for vertex in 0..200 {
        memory.put(vertices_at + 12 * vertex, &[7, attribute(vertex as u32)[0], attribute(vertex as u32)[1]]);
    }
    for n in 0..4 {
        memory.put(buffer_at(n), &vec![FILL; case.sizes[n as usize] as usize / 4]);
    }
    let mut request =
        Request { row: row.words(case.provoking), counters: scratch_at, draw: draw_at, ..Request::default() };
    (request.groups, request.instances, request.first_instance) = (groups_at, case.instances, case.first_instance);
    (request.list, request.list_room, request.indices) = (list_at, indices.len() as u32, indices_at);
    if case.indexed {
        (request.count, request.index_size) = (indices.len() as u32, 4 * indices.len() as u32);
        (request.index_bytes, request.restart) = (4, 1);
    } else {
        (request.first, request.count) = (case.runs[0].first().copied().unwrap_or(0), case.runs[0].len() as u32);
    }
    let mut draw = Draw { request: other_at, ..Draw::default() };
    draw.vertex_buffers[3] = VertexBuffer { address: vertices_at, stride: 12, bytes: 2400 };
    memory.put(draw_at, bytemuck::cast_slice(bytemuck::bytes_of(&draw)));
    memory.put(request_at, bytemuck::cast_slice(bytemuck::bytes_of(&request)));
    memory.put(scratch_at, &[0; size_of::<Counters>() / 4]);
    memory.put(groups_at, &[0; 3]);
    let counters = Counters { bytes: case.used, ..Counters::default() };
    memory.put(counters_at, bytemuck::cast_slice(bytemuck::bytes_of(&counters)));
    let mut other = Request { counters: counters_at, sizes: case.sizes, strides, ..Request::default() };
    other.buffers = [0, 1, 2, 3].map(buffer_at);
    memory.put(other_at, bytemuck::cast_slice(bytemuck::bytes_of(&other)));

    if case.indexed {
        run(&mut memory, preparing, request_at, [1; 3]);
    } else {
        let planned = plan(&request, &Counters::default()).unwrap().draw;
        let draw = Draw { request: other_at, vertex_buffers: draw.vertex_buffers, ..planned };
        memory.put(draw_at, bytemuck::cast_slice(bytemuck::bytes_of(&draw)));
    }
    memory
}

/// The lowered shader on the same draw.
fn lowered(module: &Module, preparing: &Module, strides: [u32; 4], case: &Case) -> Captured {
    let mut memory = ready(preparing, strides, case);
    run(&mut memory, module, DRAW, [1; 3]);
    let counters: Counters = memory.block(COUNTERS);
    let buffers = [0, 1, 2, 3].map(|n| memory.get(buffer_at(n), case.sizes[n as usize] as usize / 4));
    Captured { buffers, bytes: counters.bytes, needed: counters.needed, written: counters.written }
}

/// The outputs of the vertices that are drawn, three, two or one for each primitive.
fn drawn(made: &Drawn, preparing: &Module, case: &Case) -> Vec<Vec<[u32; 4]>> {
    let (block_at, vertices_at, indices_at) = (0x1_0000_6000, 0x2_ffff_fff0, 0x4_0000_0000);
    let mut memory = ready(preparing, [0; 4], case);
    let draw: Draw = memory.block(DRAW);
    let (mut first, mut out) = (0, Vec::new());
    // Several dispatches, of more than a group.
    while first < draw.captured {
        let count = (draw.captured - first).min(100);
        let block = Drawing { draw, vertices: vertices_at, indices: indices_at, first, count, pad: [0; 2] };
        memory.put(block_at, bytemuck::cast_slice(bytemuck::bytes_of(&block)));
        memory.put(vertices_at, &vec![FILL; made.emits.vertex_bytes(count) as usize / 4]);
        memory.put(indices_at, &vec![FILL; made.emits.indices(count) as usize]);
        run(&mut memory, &made.kernel, block_at, made.emits.groups(count));
        // What the vertex shader is told is the kernel's second block.
        memory.system = block_at + size_of::<Draw>() as u64;
        let indices = memory.get(indices_at, made.emits.indices(count) as usize);
        for primitive in indices.chunks(made.emits.geometry.output.corners() as usize) {
            if primitive.contains(&0) {
                assert!(primitive.iter().all(|index| *index == 0), "{primitive:?}");
                continue;
            }
            for index in primitive {
                memory.vertex = *index;
                let outcome = Interpreter::new(&made.vertex).unwrap().run(&memory).unwrap();
                out.push(outcome.outputs.iter().map(|lanes| lanes[0]).collect());
            }
        }
        memory.vertex = 0;
        let nowhere = Interpreter::new(&made.vertex).unwrap().run(&memory).unwrap();
        if let Some(at) = made.vertex.outputs.iter().position(|decl| decl.at == OutputAt::Position) {
            assert_eq!(nowhere.outputs[at][0].map(f32::from_bits), [0.0, 0.0, 0.0, -1.0]);
        }
        first += count;
    }
    out
}

/// What is drawn: the first vertex of a primitive provokes.
fn expected_drawn(vertex: &Module, geometry: &Module, case: &Case) -> Vec<Vec<[u32; 4]>> {
    let mut out = Vec::new();
    each_primitive(vertex, geometry, case, |stream, mut primitive| {
        if stream == 0 {
            primitive.rotate_right(usize::from(case.provoking == Provoking::Last));
            out.extend(primitive.into_iter().map(|outputs| {
                let of = |(at, bits): (usize, &[u32; 4])| {
                    let lanes = usize::from(geometry.outputs[at].ty.lanes);
                    std::array::from_fn(|lane| if lane < lanes { bits[lane] } else { 0 })
                };
                outputs.iter().enumerate().map(of).collect()
            }));
        }
    });
    out
}

fn check(geometry: &Module, cases: &[Case]) {
    let (vertex, preparing) = (vertex(), prepare());
    for provoking in [Provoking::First, Provoking::Last] {
        let module = lower_geometry(&vertex, geometry, &attributes(), provoking).unwrap();
        let made = draw_geometry(&vertex, geometry, &attributes(), provoking).unwrap();
        for case in cases.iter().filter(|case| case.provoking == provoking) {
            let wanted = expected(&vertex, geometry, case);
            assert_eq!(lowered(&module, &preparing, strides(geometry), case), wanted, "{case:?}");
            let wanted = expected_drawn(&vertex, geometry, case);
            assert_eq!(drawn(&made, &preparing, case), wanted, "{case:?}");
        }
    }
}

#[test]
fn every_topology_gives_its_vertices() {
    let shaders = [
        (all_vertices("points", 1), &[0][..]),
        (all_vertices("lines", 2), &[1, 2]),
        (all_vertices("triangles", 3), &[3, 4, 5]),
        (all_vertices("lines_adjacency", 4), &[6, 7]),
        (all_vertices("triangles_adjacency", 6), &[8, 9]),
    ];
    for (geometry, topologies) in &shaders {
        let mut cases = Vec::new();
        for &topology in *topologies {
            for provoking in [Provoking::First, Provoking::Last] {
                cases.extend((0..16).map(|n| case(topology, provoking, n)));
                let more = case(topology, provoking, 40);
                cases.push(Case { instances: 3, first_instance: 5, ..more.clone() });
                // Runs between restarts, some of them too short.
                let runs = [7, 2, 0, 13, 1, 6, 8].map(|n| (0..n).map(|v| v * 5 % 23 + n).collect()).to_vec();
                cases.push(Case { runs, indexed: true, instances: 2, ..more });
            }
        }
        check(geometry, &cases);
    }
}

#[test]
fn strips_and_streams_are_captured() {
    let shaders = [
        strips("points", "points", 14, 1),
        strips("points", "points", 6, 1),
        strips("points", "line_strip", 6, 3),
        strips("points", "triangle_strip", 7, 2),
        strips("points", "triangle_strip", 5, 32),
    ];
    for geometry in &shaders {
        let mut cases = Vec::new();
        for provoking in [Provoking::First, Provoking::Last] {
            cases.extend([0, 1, 5, 70, 150].map(|n| case(0, provoking, n)));
            let more = case(0, provoking, 33);
            // Room for some of them, in one buffer or another.
            for sizes in [[0, 0, 0, 0], [160, 640, 0, 4096], [4096, 4096, 0, 124], [1600, 8, 0, 1600]] {
                cases.push(Case { sizes, instances: 2, ..more.clone() });
                cases.push(Case { sizes, used: [48, 24, 0, 36], ..more.clone() });
            }
        }
        check(geometry, &cases);
    }
}

#[test]
fn triangles_in_strips_go_on_as_strips() {
    let geometry = strips("triangles", "triangle_strip", 7, 2);
    let mut cases = Vec::new();
    for provoking in [Provoking::First, Provoking::Last] {
        for topology in 3..6 {
            cases.extend([3, 4, 20].map(|n| Case { instances: 2, ..case(topology, provoking, n) }));
        }
    }
    check(&geometry, &cases);
}

/// A draw of a topology that the shader does not take captures nothing.
#[test]
fn other_topologies_are_not_captured() {
    let (vertex, geometry) = (vertex(), all_vertices("triangles_adjacency", 6));
    let module = lower_geometry(&vertex, &geometry, &attributes(), Provoking::First).unwrap();
    for topology in [0, 1, 3, 4, 6, 7] {
        assert!(!takes(InputPrimitive::TrianglesAdjacency, &TABLE[topology as usize]));
        let case = case(topology, Provoking::First, 20);
        assert_eq!(lowered(&module, &prepare(), strides(&geometry), &case), Captured::new(&case));
    }
}

#[test]
fn what_cannot_be_lowered_is_named() {
    let (vertex, geometry) = (vertex(), all_vertices("points", 1));
    let lower = |vertex: &Module, geometry: &Module| lower_geometry(vertex, geometry, &attributes(), Provoking::First);
    assert!(matches!(lower(&geometry, &geometry), Err(FeedbackError::Stage("geometry"))));
    let mut plain = geometry.clone();
    plain.feedback.clear();
    assert!(matches!(lower(&vertex, &plain), Err(FeedbackError::NoFeedback)));
    assert!(matches!(
        lower_geometry(&vertex, &geometry, &[], Provoking::First),
        Err(FeedbackError::MissingAttribute(5))
    ));
    let mut other = strips("points", "points", 4, 1);
    other.banks[0].name = "d".into();
    assert!(lower(&vertex, &other).unwrap_err().to_string().contains("stage bank 4 is another one"));
    assert!(takes(InputPrimitive::TrianglesAdjacency, &TABLE[9]));
    let draw = |vertex: &Module, geometry: &Module| draw_geometry(vertex, geometry, &attributes(), Provoking::First);
    assert!(matches!(draw(&geometry, &geometry), Err(FeedbackError::Stage("geometry"))));
    assert_eq!(draw(&vertex, &plain).unwrap().emits.stride, 16, "nothing need be captured");
    assert!(draw(&vertex, &endless()).unwrap_err().to_string().contains("more than"));
    assert!(lower(&vertex, &endless()).unwrap_err().to_string().contains("more than"));
}

/// Emits so much that its stores are more code than there may be.
fn endless() -> Module {
    let mut b = Builder::new(Stage::Geometry);
    let (input, output) = (InputPrimitive::Points, OutputPrimitive::TriangleStrip);
    b.geometry(GeometryDecl { input, output, vertices: 256, invocations: 1 });
    for n in 0..32u8 {
        let at = OutputAt::Location(n);
        let output = b.output(OutputDecl { name: String::new(), ty: Type::F32X4, at, semantic: None });
        let (stride, offset) = (512, 16 * u32::from(n));
        b.feedback(FeedbackDecl { output, component: 0, lanes: 4, buffer: 0, stream: 0, stride, offset });
    }
    (0..100_000).for_each(|_| b.emit_vertex(0));
    b.finish().unwrap()
}
