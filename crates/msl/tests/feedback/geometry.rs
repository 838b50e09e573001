//! Geometry shaders with the vertex shader in front of them: one threadgroup that goes over the draw in rounds.

#[path = "../../../passes/tests/primitives/mod.rs"]
mod primitives;

use std::cell::Cell;

use afterimage_ir::Module;
use afterimage_msl::{Options, emit};
use afterimage_passes::feedback::block::{Counters, Draw, Request, VertexBuffer};
use afterimage_passes::feedback::table::{Provoking, TABLE};
use afterimage_passes::feedback::{lower_geometry, prepare, strides};
use bytemuck::Zeroable;
use primitives::{Case, all_vertices, attribute, attributes, case, expected, strips, vertex};

use super::judge::{Judge, Memory};
use super::{BASE, COUNTERS, DRAW_AT, FILL, GROUPS, Run, Words, get, put};

const CAPTURE: u64 = BASE + 0x500;
const CAPTURED: u64 = BASE + 0x600;
const INDICES: u64 = BASE + 0x800;
const LIST: u64 = BASE + 0xa00;
const VERTICES: u64 = BASE + 0xe00;
const BUFFERS: u64 = BASE + 0x1ff0;
const BYTES: usize = 0xb000;

fn check(judge: &mut Judge, name: &str, geometry: &Module, case: &Case) {
    let mut memory = Memory { base: BASE, words: vec![FILL; BYTES / 4] };
    let mut indices: Vec<u32> = Vec::new();
    for (n, run) in case.runs.iter().enumerate() {
        indices.extend((n > 0).then_some(u32::MAX));
        indices.extend(run);
    }
    put(&mut memory, INDICES, &indices);
    let vertices: Vec<u32> = (0..60).flat_map(|n| [7, attribute(n)[0], attribute(n)[1]]).collect();
    put(&mut memory, VERTICES, &vertices);
    put(&mut memory, COUNTERS, &Counters::zeroed().words());
    put(&mut memory, CAPTURED, &Counters { bytes: case.used, ..Counters::zeroed() }.words());
    let capture = Request {
        counters: CAPTURED,
        buffers: [0, 1, 2, 3].map(|n| BUFFERS + 0x2000 * n),
        sizes: case.sizes,
        strides: strides(geometry),
        ..Request::zeroed()
    };
    put(&mut memory, CAPTURE, &capture.words());
    let request = Request {
        row: TABLE[case.topology as usize].words(case.provoking),
        count: indices.len() as u32,
        instances: case.instances,
        first_instance: case.first_instance,
        indices: INDICES,
        index_size: 4 * indices.len() as u32,
        index_bytes: 4,
        restart: 1,
        list_room: indices.len() as u32,
        list: LIST,
        counters: COUNTERS,
        draw: DRAW_AT,
        groups: GROUPS,
        ..Request::zeroed()
    };
    let run = Run { system: request.words().into(), vertices: Cell::default(), instance: Cell::default() };
    let mut kernel = |module: &Module, name: &str, run: &Run, memory: &mut Memory| {
        let artifact = emit(module, &Options::default()).unwrap_or_else(|e| panic!("{e}\n{module}"));
        judge.add_on(name, module, &artifact, run, memory, [1; 3]);
    };
    kernel(&prepare(), "prepare", &run, &mut memory);
    let mut draw: Draw =
        bytemuck::pod_read_unaligned(bytemuck::cast_slice(get(&memory, DRAW_AT, size_of::<Draw>() / 4)));
    draw.request = CAPTURE;
    draw.vertex_buffers[3] = VertexBuffer { address: VERTICES, stride: 12, bytes: 4 * vertices.len() as u32 };
    *run.system.borrow_mut() = draw.words();
    let lowered = lower_geometry(&vertex(), geometry, &attributes(), case.provoking).unwrap();
    kernel(&lowered, name, &run, &mut memory);

    let expected = expected(&vertex(), geometry, case);
    for (at, buffer) in capture.buffers.into_iter().zip(&expected.buffers) {
        assert_eq!(get(&memory, at, buffer.len()), buffer, "{case:?}");
    }
    assert_eq!(get(&memory, CAPTURED, 4), expected.bytes, "{case:?}");
    assert!(expected.written[0] > 0, "{name} captures nothing");
}

#[test]
fn geometry_shaders_are_captured() {
    let mut judge = Judge::new();
    let shaders = [
        ("triangles", all_vertices("triangles", 3), &[3, 4, 5][..]),
        ("strips", strips("points", "triangle_strip", 7, 2), &[0]),
        ("lines", strips("lines", "line_strip", 5, 1), &[1, 2]),
    ];
    for (name, geometry, topologies) in &shaders {
        for &topology in *topologies {
            for provoking in [Provoking::First, Provoking::Last] {
                let sizes = [0x1f00, 0x1f00, 0, 0x1f00];
                let runs = [7, 2, 0, 11, 1, 6].map(|n| (0..n).map(|v| v * 5 % 23 + n).collect()).to_vec();
                let whole = Case { runs, sizes, indexed: true, instances: 2, ..case(topology, provoking, 0) };
                check(&mut judge, name, geometry, &whole);
                // Behind what is there, and room for some of it.
                check(&mut judge, name, geometry, &Case { used: [48, 24, 0, 36], sizes: [400, 320, 0, 300], ..whole });
            }
        }
    }
    judge.run().assert();
}
