//! What an embedder does, from the first step to the last, with nothing of Afterimage's renderer: a shader that GLSL's compiler made is
//! lowered, and runs with raw Vulkan next to the original under VK_EXT_transform_feedback. Bytes, counters and queries are equal.

#[path = "../../../spirv/tests/gpu/device.rs"]
mod device;
mod rig;

use afterimage_feedback::block::{Counters, Draw, Request, VertexBuffer};
use afterimage_feedback::table::{Provoking, row};
use afterimage_feedback::{AttributeSource, Form, Lowered, Lowering, plan, prepare};
use rig::{Case, Indices, Rig, Shaders};

/// Topologies of a vertex shader.
const TOPOLOGIES: u32 = 10;

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

/// Blocks, push constants, attributes of vertices and of instances, two buffers with gaps.
fn waves() -> Vec<u32> {
    words(include_bytes!("../../../feedback/tests/shaders/waves.vert.spv"))
}

/// One attribute and one capture, and nothing else.
fn place() -> Vec<u32> {
    words(include_bytes!("../../../feedback/tests/shaders/place.vert.spv"))
}

/// The attributes as the rig has them in its buffers.
fn lowered(words: &[u32], form: Form, attributes: &[&str]) -> Lowered {
    let mut lowering = Lowering::new(words).expect("SPIR-V").form(form);
    for attribute in attributes {
        lowering = lowering.attribute(attribute.parse::<AttributeSource>().expect("an attribute"));
    }
    lowering.lower().unwrap_or_else(|error| panic!("{error}"))
}

/// Every topology with few and many vertices, room for all and for less, indices with and without restarts, indirect draws, appends.
fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for topology in 0..TOPOLOGIES {
        let plain = Case { topology, count: 11, ..Case::default() };
        let indices = |bytes, list: &[u32]| Some(Indices { bytes, list: list.to_vec() });
        cases.push(plain.clone());
        cases.push(Case { count: 2, ..plain.clone() });
        cases.push(Case { first: 3, first_instance: 2, instances: 3, ..plain.clone() });
        cases.push(Case { instances: 3, sizes: [48 * 7 + 5, 28 * 64], ..plain.clone() });
        cases.push(Case { instances: 2, sizes: [48 * 64, 28 * 5], draws: 3, ..plain.clone() });
        cases.push(Case { indirect: true, instances: 2, ..plain.clone() });
        let list = [4, 2, 9, 0xffff, 1, 1, 3, 8, 0, 7, 0xffff, 0xffff, 5, 6, 10, 11, 2, 0];
        cases.push(Case { indices: indices(2, &list), restart: true, count: 18, ..plain.clone() });
        let list = [7, 7, 0, 3, 5, 2, 1, 9, 8];
        cases.push(Case {
            indices: indices(2, &list),
            first: 1,
            count: 8,
            instances: 2,
            vertex_offset: 2,
            ..plain.clone()
        });
        cases.push(Case { indices: indices(4, &list), count: 9, indirect: true, ..plain.clone() });
    }
    // Restarts in lists are for devices with an extension of their own.
    cases.retain(|case| !case.restart || !matches!(case.topology, 0 | 1 | 3 | 6 | 8));
    cases
}

/// What the lowered path is told of a draw; addresses of its own blocks are the rig's to fill in.
fn request(case: &Case, strides: [u32; 4]) -> Request {
    let row = row(case.topology).expect("a topology of vertices");
    Request {
        row: row.words(Provoking::First),
        kind: case.indirect.into(),
        first: case.first,
        count: case.count,
        vertex_offset: case.vertex_offset,
        instances: case.instances,
        first_instance: case.first_instance,
        index_bytes: case.indices.as_ref().map_or(0, |indices| indices.bytes),
        restart: case.restart.into(),
        strides,
        ..Request::default()
    }
}

/// Runs every case natively and lowered.
fn compare(original: &[u32], attributes: &[&str], push: u32) {
    let [gather, scatter] = [Form::Gather, Form::Scatter].map(|form| lowered(original, form, attributes));
    assert_eq!([gather.uses.push, scatter.uses.push], [push; 2]);
    let prepare = prepare();
    let shaders = Shaders {
        original,
        geometry: None,
        gather: &gather.words,
        scatter: Some(&scatter.words),
        prepare: &prepare,
        push,
    };
    let Some(rig) = Rig::new(&shaders) else {
        eprintln!("not tested: the device has no VK_EXT_transform_feedback to compare with");
        return;
    };
    let mut words = 0;
    for case in cases() {
        let native = rig.native(&case).expect("a device that works");
        words += native.words();
        let request = request(&case, gather.uses.strides);
        let prepared = rig.prepared(&case, &request).expect("a device that works");
        assert_eq!(prepared.difference(&native, rig.units()), None, "prepare, {case:?}");
        if !case.indirect && !case.restart {
            for form in [Form::Gather, Form::Scatter] {
                let planned = rig.planned(&case, &request, form).expect("a device that works");
                assert_eq!(planned.difference(&native, rig.units()), None, "plan, {form:?}, {case:?}");
            }
        }
    }
    assert!(words > 5_000, "{words} words were captured");
}

#[test]
fn the_smallest_shader_captures_what_the_extension_does() {
    compare(&place(), &["0=R32G32_SFLOAT@0"], 0);
}

#[test]
fn a_real_shader_captures_what_the_extension_does() {
    let attributes =
        ["0=R32G32B32_SFLOAT@0", "1=R8G8B8A8_UNORM@0+12", "2=R32G32_SFLOAT@1/instance", "4=R16G16_UINT@0+16"];
    compare(&waves(), &attributes, 16);
}

#[test]
fn a_geometry_shader_captures_what_the_extension_does() {
    let vertex = words(include_bytes!("../../../feedback/tests/shaders/plain.vert.spv"));
    let geometry = words(include_bytes!("../../../feedback/tests/shaders/fins.geom.spv"));
    let lowering = Lowering::new(&vertex).and_then(|lowering| lowering.geometry(&geometry)).expect("SPIR-V");
    let lowering = ["0=R32G32B32_SFLOAT@0", "1=R8G8B8A8_UNORM@0+12"]
        .iter()
        .fold(lowering, |lowering, attribute| lowering.attribute(attribute.parse().expect("an attribute")));
    let lowered = lowering.lower().unwrap_or_else(|error| panic!("{error}"));
    assert!(lowered.uses.geometry);
    assert_eq!((lowered.uses.strides, lowered.uses.push), ([24, 0, 0, 0], 0));
    let (gather, prepare) = (&lowered.words, &prepare());
    let shaders = Shaders { original: &vertex, geometry: Some(&geometry), gather, scatter: None, prepare, push: 0 };
    let Some(rig) = Rig::new(&shaders) else {
        eprintln!("not tested: the device has no VK_EXT_transform_feedback to compare with");
        return;
    };
    let mut words = 0;
    // Lines.
    for case in cases().into_iter().filter(|case| matches!(case.topology, 1 | 2) && !case.indirect && !case.restart) {
        let native = rig.native(&case).expect("a device that works");
        words += native.words();
        let lowered = rig.geometry(&case, &request(&case, lowered.uses.strides)).expect("a device that works");
        assert_eq!(lowered.difference(&native, rig.units()), None, "{case:?}");
    }
    assert!(words > 1_000, "{words} words were captured");
}
