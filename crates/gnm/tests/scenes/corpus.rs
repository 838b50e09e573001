//! Pipelines of the corpus with geometry, tessellation and stream-out: what the guest draws and captures by RADV's code is what the
//! device draws and captures by the original SPIR-V.

use crate::native::{self, Drawn, Job, UNTOUCHED};
use crate::pipeline::{Pipeline, Setup, tessellator};
use crate::rig::{Encoding, Scene};
use afterimage_gcn_corpus::Compiler;
use afterimage_gnm_types::{op, reg, value::*};
use ash::vk::PrimitiveTopology as Topology;

/// Side of the picture.
const SIDE: u32 = 64;
/// Bytes of each buffer of stream-out.
const ROOM: u32 = 256 << 10;
/// What one picture may have of pixels that are not the other's, of a thousand: positions are computed in another order.
const OTHERS: usize = 5;
/// The same where primitives come in another order, and so hide each other in another.
const HIDDEN: usize = 50;

/// A pipeline, and what its registers say beside its shaders.
#[derive(Clone, Copy)]
struct Case {
    name: &'static str,
    /// What is drawn, for the guest and for the device.
    primitive: (u32, Topology),
    instances: u32,
    layers: u32,
    /// `VGT_TF_PARAM` and `VGT_GS_OUT_PRIM_TYPE`.
    tessellator: u32,
    strips: u32,
    /// Stream, buffer and bytes of a vertex of what is captured.
    captures: &'static [(u32, u32, u32)],
    /// Vertices of what is captured that belong together, in any order of primitives and beginning with any; 0: all in order.
    corners: usize,
    vertices: fn() -> Vec<[f32; 4]>,
}

const TRIANGLES: (u32, Topology) = (DI_PT_TRILIST, Topology::TRIANGLE_LIST);
const PATCHES: (u32, Topology) = (DI_PT_PATCH, Topology::PATCH_LIST);

impl Case {
    const fn new(name: &'static str, primitive: (u32, Topology), vertices: fn() -> Vec<[f32; 4]>) -> Self {
        let (tessellator, strips, captures, corners) = (0, 0, &[], 0);
        Self { name, primitive, instances: 1, layers: 1, tessellator, strips, captures, corners, vertices }
    }
}

/// Triangles here and there, with w 1: about half of them turn the other way.
fn triangles() -> Vec<[f32; 4]> {
    let corner = |n: u32| {
        let (t, turn) =
            ((n / 3) as f32 * 0.37, (n % 3) as f32 * 2.1 * if (n / 3).is_multiple_of(2) { 1.0 } else { -1.0 });
        let [x, y] = [0.6 * (t * 2.9).sin(), 0.6 * (t * 1.7).cos()];
        [x + 0.3 * (turn + t).cos(), y + 0.3 * (turn + t).sin(), 0.1 + 0.05 * (n % 16) as f32, 1.0]
    };
    (0..150).map(corner).collect()
}

/// Triangles with a normal for each corner; the shader makes a tenth of their positions.
fn normals() -> Vec<[f32; 4]> {
    let normal = |[x, y, z, w]: [f32; 4]| [3.0 * x + z, 3.0 * y, z, w];
    let place = |[x, y, z, _]: [f32; 4]| [10.0 * x, 10.0 * y, z, 0.0];
    triangles().into_iter().flat_map(|corner| [place(corner), normal(corner)]).collect()
}

/// Four corners of each of some patches.
fn patches() -> Vec<[f32; 4]> {
    let corner = |n: u32| {
        let (patch, corner) = (n / 4, n % 4);
        let [x, y] = [(patch % 6) as f32, (patch / 6) as f32].map(|at| at / 3.0 - 0.95);
        let [right, up] = [corner == 1 || corner == 2, corner > 1].map(|far| if far { 0.28 } else { 0.0 });
        [x + right + 0.01 * (patch * 7 % 5) as f32, y + up, 0.1 + 0.02 * patch as f32, 1.0]
    };
    (0..36 * 4).map(corner).collect()
}

/// Some of them.
fn some_patches() -> Vec<[f32; 4]> {
    patches()[..48].to_vec()
}

/// What comes out at the guest's end.
fn guest(case: &Case, compiler: Compiler, encoding: Encoding) -> Drawn {
    let pipeline = Pipeline::new(case.name, compiler);
    let mut scene = Scene::new(encoding);
    let target = scene.target(SIDE, SIDE * case.layers);
    scene.color(0, &crate::rig::Target { height: SIDE, ..target });
    scene.set(reg::CB_COLOR0_VIEW, &[reg::CB_COLOR0_VIEW::SLICE_MAX.bits(case.layers - 1)]);
    scene.screen(SIDE, SIDE, 15);
    let half = SIDE as f32 / 2.0;
    // Vulkan's: y points down.
    scene.set_floats(reg::PA_CL_VPORT_XSCALE, &[half, half, half, half, 1.0, 0.0]);
    let buffers: Vec<(u64, u32)> = (0..4).map(|_| (scene.put(&vec![UNTOUCHED; ROOM as usize / 4]), ROOM)).collect();
    let vertices: Vec<u32> = (case.vertices)().as_flattened().iter().map(|value| value.to_bits()).collect();
    let setup = Setup { tessellator: case.tessellator, strips: case.strips, vertices: &vertices, captures: &buffers };
    pipeline.bind(&mut scene, &setup);
    let (mut streams, mut enabled) = (0, 0);
    for &(stream, buffer, bytes) in case.captures {
        streams |= 1 << stream;
        enabled |= 1 << (4 * stream + buffer);
        scene.set(reg::VGT_STRMOUT_BUFFER_SIZE_0 + 16 * buffer, &[ROOM / 4, bytes / 4]);
        // From the beginning on.
        scene.packet(op::STRMOUT_BUFFER_UPDATE, &[buffer << 8, 0, 0, 0, 0]);
    }
    scene.set(reg::VGT_STRMOUT_CONFIG, &[streams]);
    scene.set(reg::VGT_STRMOUT_BUFFER_CONFIG, &[enabled]);
    scene.packet(op::NUM_INSTANCES, &[case.instances]);
    scene.draw(case.primitive.0, vertices.len() as u32 * 4 / pipeline.stride());
    let filled = scene.room(16);
    for &(_, buffer, _) in case.captures {
        let at = filled + 4 * u64::from(buffer);
        let body = [1 | 3 << 1 | 1 << 7 | buffer << 8, at as u32, (at >> 32) as u32, 0, 0];
        scene.packet(op::STRMOUT_BUFFER_UPDATE, &body);
    }
    let mut ran = scene.run();
    let words = |bytes: Vec<u8>| bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
    let pixels = ran.read(target.address, (SIDE * SIDE * case.layers * 4) as usize);
    let captured = buffers.iter().map(|(address, bytes)| words(ran.read(*address, *bytes as usize))).collect();
    let filled = words(ran.read(filled, 16));
    ran.finish();
    Drawn { pixels, captured, filled }
}

fn is_near(a: u32, b: u32) -> bool {
    let [x, y] = [a, b].map(f32::from_bits);
    a == b || (x - y).abs() <= 1e-5 * x.abs().max(y.abs()).max(1.0)
}

/// Primitives of each side that the other has not, in any order, each beginning with any of its vertices.
fn other_primitives(corners: usize, words: usize, wanted: &[u32], got: &[u32]) -> [Vec<Vec<f32>>; 2] {
    let size = corners * words;
    let mut left: Vec<&[u32]> = got.chunks(size).collect();
    let mut missing = Vec::new();
    for primitive in wanted.chunks(size) {
        let turned = |n: usize| primitive[n * words..].iter().chain(&primitive[..n * words]);
        let same = |other: &&[u32]| (0..corners).any(|n| turned(n).zip(other.iter()).all(|(a, b)| is_near(*a, *b)));
        match left.iter().position(same) {
            Some(at) => drop(left.swap_remove(at)),
            None => missing.push(primitive),
        }
    }
    [missing, left]
        .map(|all| all.iter().map(|primitive| primitive.iter().map(|word| f32::from_bits(*word)).collect()).collect())
}

fn compare(case: &Case, wanted: &Drawn, got: &Drawn) {
    let name = case.name;
    for &(_, buffer, bytes) in case.captures {
        let (at, words) = (buffer as usize, bytes as usize / 4);
        assert!((1..ROOM - 96).contains(&wanted.filled[at]), "{name}: buffer {buffer} has {}", wanted.filled[at]);
        assert_eq!(got.filled[at], wanted.filled[at], "{name}: bytes of buffer {buffer}");
        let [wanted, got] = [&wanted.captured[at], &got.captured[at]];
        if case.corners > 0 {
            let written = got.len().min(wanted.len()) / (words * case.corners) * words * case.corners;
            let others = other_primitives(case.corners, words, &wanted[..written], &got[..written]);
            assert_eq!(others[0], others[1], "{name}: primitives in buffer {buffer}");
            continue;
        }
        for (n, (wanted, got)) in wanted.iter().zip(got).enumerate() {
            let [a, b] = [*wanted, *got].map(f32::from_bits);
            assert!(is_near(*wanted, *got), "{name}: word {n} of buffer {buffer} is {b} ({got:#x}), not {a}");
        }
    }
    let pixels = || wanted.pixels.as_chunks::<4>().0.iter().zip(got.pixels.as_chunks::<4>().0);
    let background = wanted.pixels.as_chunks::<4>().0.iter().filter(|pixel| **pixel == [0; 4]).count();
    let all = pixels().count();
    assert!(all - background > all / 50, "{name}: the device draws next to nothing");
    let differs = |(a, b): &(&[u8; 4], &[u8; 4])| a.iter().zip(*b).any(|(a, b)| a.abs_diff(*b) > 1);
    let others = pixels().filter(differs).count();
    let most = if case.corners > 0 { HIDDEN } else { OTHERS };
    assert!(others * 1000 <= all * most, "{name}: {others} of {all} pixels are others");
}

/// Draws a case at both ends, with both compilers and in both encodings.
fn check(case: &Case) {
    let pipeline = Pipeline::new(case.name, Compiler::Aco);
    let vertices: Vec<u32> = (case.vertices)().as_flattened().iter().map(|value| value.to_bits()).collect();
    let wanted = native::draw(&Job {
        program: pipeline.program,
        topology: case.primitive.1,
        vertices: &vertices,
        instances: case.instances,
        size: [SIDE; 2],
        layers: case.layers,
        room: ROOM,
        captures: !case.captures.is_empty(),
    });
    for compiler in Compiler::ALL {
        let [standard, private] =
            [Encoding::Standard, Encoding::Private].map(|encoding| guest(case, compiler, encoding));
        compare(case, &wanted, &standard);
        assert!(standard.pixels == private.pixels && standard.captured == private.captured, "the encodings differ");
    }
}

#[test]
fn points_lines_and_normals() {
    check(&Case { strips: 2, ..Case::new("geom_points", (DI_PT_POINTLIST, Topology::POINT_LIST), triangles) });
    check(&Case { strips: 1, ..Case::new("geom_lines", (DI_PT_LINELIST, Topology::LINE_LIST), triangles) });
    check(&Case { strips: 1, ..Case::new("geom_normals", TRIANGLES, normals) });
}

#[test]
fn edges_with_neighbours() {
    let adjacent = (DI_PT_TRILIST_ADJ, Topology::TRIANGLE_LIST_WITH_ADJACENCY);
    check(&Case { strips: 1, ..Case::new("geom_adjacency", adjacent, triangles) });
}

#[test]
fn instances_of_a_geometry_shader_draw_a_layer_each() {
    check(&Case { strips: 2, layers: 6, ..Case::new("geom_layers", TRIANGLES, triangles) });
}

#[test]
fn a_vertex_shader_captures_with_gaps() {
    let captures = &[(0, 0, 32), (0, 1, 8)];
    check(&Case { captures, ..Case::new("vertex_stream", TRIANGLES, triangles) });
}

#[test]
fn a_geometry_shader_captures_what_it_puts_out() {
    check(&Case { strips: 2, captures: &[(0, 0, 16)], ..Case::new("geom_stream", TRIANGLES, triangles) });
}

#[test]
fn streams_are_captured_each_to_its_buffer() {
    let captures = &[(0, 0, 16), (1, 1, 20), (3, 2, 8)];
    check(&Case { captures, ..Case::new("geom_streams", TRIANGLES, triangles) });
}

#[test]
fn a_domain_shader_captures() {
    let tessellator = tessellator(2, 0, 3);
    let captures = &[(0, 0, 16), (0, 2, 12)];
    check(&Case { tessellator, captures, instances: 2, corners: 3, ..Case::new("tess_stream", PATCHES, patches) });
}

#[test]
fn a_geometry_shader_behind_tessellation() {
    let tessellator = tessellator(1, 0, 2);
    check(&Case { tessellator, strips: 2, ..Case::new("tess_geom", PATCHES, triangles) });
}

#[test]
fn a_geometry_shader_behind_tessellation_captures() {
    let tessellator = tessellator(2, 2, 2);
    let case = Case::new("tess_geom_stream", PATCHES, some_patches);
    check(&Case { tessellator, strips: 1, captures: &[(0, 1, 16)], corners: 2, ..case });
}
