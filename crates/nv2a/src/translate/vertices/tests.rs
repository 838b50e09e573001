use super::*;
use crate::machine::Kelvin;
use crate::memory::{DmaObject, Ram};
use afterimage_nv2a_types::method;

/// Two attributes side by side (position: three floats, diffuse: D3D bytes), and one alone with a stride of nothing.
fn scene() -> (Ram, Kelvin) {
    let mut ram = Ram::new(0x4000);
    for vertex in 0..8u32 {
        let position = [vertex as f32, 10.0 + vertex as f32, 0.5];
        let bytes: Vec<u8> = position.iter().flat_map(|f| f.to_le_bytes()).collect();
        ram.write(0x1000 + vertex * 16, &bytes).unwrap();
        ram.write(0x100C + vertex * 16, &[0, 0, vertex as u8 * 17, 255]).unwrap();
    }
    ram.write(0x2000, &2.5f32.to_le_bytes()).unwrap();
    let mut kelvin = Kelvin::default();
    kelvin.dma.vertex_a = DmaObject::from_words([0x3D, 0x3FFF, 0]);
    let mut array = |slot: u16, offset: u32, format: u32| {
        kelvin.registers.set(method::SET_VERTEX_DATA_ARRAY_OFFSET + 4 * slot, offset);
        kelvin.registers.set(method::SET_VERTEX_DATA_ARRAY_FORMAT + 4 * slot, format);
    };
    array(0, 0x1000, 16 << 8 | 3 << 4 | 2);
    array(3, 0x100C, 16 << 8 | 4 << 4);
    array(5, 0x2000, 1 << 4 | 2);
    kelvin.attributes[9] = [9.0; 4];
    (ram, kelvin)
}

fn collect(ram: &Ram, kelvin: &mut Kelvin, parts: &[Part], inputs: u16) -> Vec<Vec<[f32; 4]>> {
    let arrays = arrays(kelvin, |_| {});
    let varying = varying(&arrays, parts, inputs);
    let mut vertices = Vertices::default();
    let before = kelvin.attributes;
    vertices.collect(ram, &arrays, parts, varying, &mut kelvin.attributes);
    let value = |vertex, slot: u8| vertices.get(vertex, slot.into()).unwrap_or(before[usize::from(slot)]);
    (0..vertices.len()).map(|vertex| slots(inputs).map(|slot| value(vertex, slot)).collect()).collect()
}

/// What the vertices of the scene are.
fn expected(numbers: &[u32]) -> Vec<Vec<[f32; 4]>> {
    let vertex = |n: &u32| {
        let n = *n as f32;
        vec![[n, 10.0 + n, 0.5, 1.0], [n * 17.0 / 255.0, 0.0, 0.0, 1.0], [2.5, 0.0, 0.0, 1.0], [9.0; 4]]
    };
    numbers.iter().map(vertex).collect()
}

const INPUTS: u16 = 1 << 0 | 1 << 3 | 1 << 5 | 1 << 9;

#[test]
fn all_ways_to_the_same_vertices() {
    let (ram, kelvin) = scene();
    let inline = |numbers: &[u32]| {
        let words = |n: &u32| {
            let n = *n;
            [
                (n as f32).to_bits(),
                (10.0 + n as f32).to_bits(),
                0.5f32.to_bits(),
                0xFF00_0000 | (n * 17) << 16,
                2.5f32.to_bits(),
            ]
        };
        Part::Inline(numbers.iter().flat_map(words).collect())
    };
    let immediate = |numbers: &[u32]| {
        let vertex = |vertex: &Vec<[f32; 4]>| {
            let mut attributes = Attributes::default();
            slots(INPUTS).zip(vertex).for_each(|(slot, value)| attributes[usize::from(slot)] = *value);
            attributes
        };
        Part::Immediate(expected(numbers).iter().map(vertex).collect())
    };
    for (parts, numbers) in [
        (vec![Part::Arrays { first: 2, count: 3 }], vec![2, 3, 4]),
        (vec![Part::Arrays { first: 5, count: 2 }, Part::Arrays { first: 0, count: 1 }], vec![5, 6, 0]),
        (vec![Part::Elements(vec![3, 1, 1, 2])], vec![3, 1, 1, 2]),
        (vec![Part::Elements(vec![7, 0])], vec![7, 0]),
        (vec![inline(&[4, 1])], vec![4, 1]),
        (vec![immediate(&[6, 2])], vec![6, 2]),
        (
            vec![
                Part::Elements(vec![0, 1, 2]),
                Part::Arrays { first: 4, count: 2 },
                Part::Elements(vec![7]),
                inline(&[3]),
            ],
            vec![0, 1, 2, 4, 5, 7, 3],
        ),
        (vec![Part::Arrays { first: 1, count: 1 }, immediate(&[2])], vec![1, 2]),
    ] {
        let mut own = kelvin.clone();
        assert_eq!(collect(&ram, &mut own, &parts, INPUTS), expected(&numbers), "{parts:?}");
        if !matches!(parts.last(), Some(Part::Immediate(_))) {
            let last = &expected(&numbers[numbers.len() - 1..])[0];
            assert_eq!([own.attributes[0], own.attributes[3], own.attributes[5]], last[..3], "carried over: {parts:?}");
        }
    }
}

#[test]
fn only_what_the_shader_reads_is_stored_but_everything_is_carried_over() {
    let (ram, mut kelvin) = scene();
    let parts = [Part::Arrays { first: 0, count: 4 }];
    let vertices = collect(&ram, &mut kelvin, &parts, 1 << 9);
    assert_eq!(vertices, [[[9.0; 4]], [[9.0; 4]], [[9.0; 4]], [[9.0; 4]]]);
    assert_eq!(kelvin.attributes[0], [3.0, 13.0, 0.5, 1.0]);
    assert_eq!(kelvin.attributes[9], [9.0; 4]);
}

#[test]
fn words_beyond_the_last_whole_inline_vertex_are_dropped() {
    let (ram, mut kelvin) = scene();
    assert_eq!(collect(&ram, &mut kelvin, &[Part::Inline(vec![0; 14])], 1).len(), 2);
    assert_eq!(collect(&ram, &mut kelvin, &[Part::Inline(vec![0; 4])], 1).len(), 0);
}

#[test]
fn what_lies_beyond_window_or_memory_is_nothing() {
    let (ram, mut kelvin) = scene();
    kelvin.dma.vertex_a = DmaObject::from_words([0x3D, 0x1000 + 16 * 2 - 1, 0]);
    let nothing = [0.0, 0.0, 0.0, 1.0];
    let vertices = collect(&ram, &mut kelvin, &[Part::Arrays { first: 1, count: 3 }], 1);
    assert_eq!(vertices, [[[1.0, 11.0, 0.5, 1.0]], [nothing], [nothing]]);
    assert_eq!(kelvin.attributes[0], nothing);
    kelvin.dma.vertex_a = DmaObject::from_words([0x3D, 0xFFFF_FFFF, 0]);
    let wild = [Part::Arrays { first: 0x00FF_FFFF, count: 2 }, Part::Elements(vec![u32::MAX, 0])];
    assert_eq!(collect(&ram, &mut kelvin, &wild, 1)[..3], [[nothing], [nothing], [nothing]]);
    kelvin.dma.vertex_a = None;
    assert_eq!(collect(&ram, &mut kelvin, &[Part::Arrays { first: 0, count: 1 }], 1), [[nothing]]);
}
