//! Kelvin methods: begin and end, memories of the vertex engine, reports, semaphores, flips, interrupts.

use crate::rig::{ALL, Call, PIXELS, Rig, warnings};
use afterimage_nv2a::machine::{Interrupt, Part, PrimitiveKind, Stop, register};
use afterimage_nv2a_types::Group;
use afterimage_nv2a_types::method::*;

fn vertex(x: f32) -> [u32; 3] {
    [x, 0.0, 0.0].map(f32::to_bits)
}

#[test]
fn a_begin_inside_of_a_primitive_changes_nothing() {
    let mut rig = Rig::new();
    rig.push(0, SET_BEGIN_END, &[5]);
    rig.push(0, SET_VERTEX3F, &vertex(1.0));
    rig.push(0, SET_BEGIN_END, &[8]);
    rig.push(0, SET_VERTEX3F, &vertex(2.0));
    rig.push(0, SET_BEGIN_END, &[0]);
    // An end alone, and one with nothing before it, draw nothing.
    rig.push(0, SET_BEGIN_END, &[0]);
    rig.push(0, SET_BEGIN_END, &[1]);
    rig.push(0, SET_BEGIN_END, &[0]);
    rig.finish();
    let draws = rig.draws();
    assert_eq!(draws.len(), 1);
    assert_eq!(draws[0].kind, PrimitiveKind::Triangles);
    let [Part::Immediate(vertices)] = &draws[0].parts[..] else { panic!("{draws:?}") };
    assert_eq!(vertices.iter().map(|vertex| vertex[0][0]).collect::<Vec<_>>(), [1.0, 2.0]);
}

#[test]
fn a_primitive_may_go_on_in_the_next_run() {
    let mut rig = Rig::new();
    rig.push(0, SET_BEGIN_END, &[4]);
    rig.push(0, DRAW_ARRAYS, &[0x0200_0000]);
    rig.finish();
    assert!(rig.draws().is_empty());
    rig.push(0, DRAW_ARRAYS, &[0x0000_0007]);
    rig.push(0, SET_BEGIN_END, &[0]);
    rig.finish();
    let parts = [Part::Arrays { first: 0, count: 3 }, Part::Arrays { first: 7, count: 1 }];
    assert_eq!(rig.draws()[0].parts, parts);
}

#[test]
fn vertices_outside_of_a_primitive_only_set_attributes() {
    let mut rig = Rig::new();
    rig.push(0, SET_VERTEX3F, &vertex(3.0));
    rig.push(0, DRAW_ARRAYS, &[0]);
    rig.push(0, INLINE_ARRAY, &[1]);
    rig.push(0, SET_BEGIN_END, &[99]);
    rig.push(0, SET_BEGIN_END, &[0]);
    rig.finish();
    assert!(rig.draws().is_empty());
    assert_eq!(rig.machine.kelvin().attributes[0], [3.0, 0.0, 0.0, 1.0]);
}

#[test]
fn every_vertex_has_the_attributes_of_its_time() {
    let mut rig = Rig::new();
    rig.push(0, SET_BEGIN_END, &[1]);
    for color in [0x0000_00FFu32, 0xFF00_0000] {
        rig.push(0, SET_DIFFUSE_COLOR4I, &[color]);
        rig.push(0, SET_VERTEX_DATA4F_M, &[0; 4]);
    }
    rig.push(0, SET_EDGE_FLAG, &[1]);
    rig.push(0, SET_EDGE_FLAG, &[1]);
    rig.push(0, ARRAY_ELEMENT16, &[0x0002_0001]);
    rig.push(0, SET_BEGIN_END, &[0]);
    rig.finish();
    let [Part::Immediate(vertices), Part::EdgeFlag(true), Part::Elements(elements)] = &rig.draws()[0].parts[..] else {
        panic!("{:?}", rig.draws())
    };
    assert_eq!([vertices[0][3], vertices[1][3]], [[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]]);
    assert_eq!(elements, &[1, 2]);
}

#[test]
fn programs_and_constants_go_on_behind_their_window() {
    let mut rig = Rig::new();
    rig.push(0, SET_TRANSFORM_PROGRAM_LOAD, &[134]);
    rig.push(0, SET_TRANSFORM_CONSTANT_LOAD, &[190]);
    let words: Vec<u32> = (0..32).collect();
    rig.push(0, SET_TRANSFORM_PROGRAM, &words);
    rig.push(0, SET_TRANSFORM_CONSTANT, &words[..8]);
    rig.push(0, SET_TRANSFORM_CONSTANT, &words[..8]);
    rig.finish();
    let registers = &rig.machine.kelvin().registers;
    assert_eq!((registers.program()[134], registers.program()[135]), ([0, 1, 2, 3], [4, 5, 6, 7]));
    assert_eq!((registers.constants()[190], registers.constants()[191]), ([0, 1, 2, 3], [4, 5, 6, 7]));
}

#[test]
fn a_state_program_writes_constants_only() {
    let mut rig = Rig::new();
    rig.push(0, SET_TRANSFORM_PROGRAM_CXT_WRITE_EN, &[1, 5]);
    // mov c[3], v0, and end: output bank 0 is constants.
    rig.push(0, SET_TRANSFORM_PROGRAM, &[0, 1 << 21 | 0x1B, 2 << 26, 0xF << 12 | 3 << 3 | 1]);
    rig.push(0, SET_TRANSFORM_DATA, &[1.0f32, 2.0, 3.0, 4.0].map(f32::to_bits));
    rig.push(0, LAUNCH_TRANSFORM_PROGRAM, &[5]);
    rig.finish();
    assert_eq!(rig.machine.kelvin().registers.constant(3), [1.0, 2.0, 3.0, 4.0]);
    // A slot beyond memory is no program.
    rig.push(0, LAUNCH_TRANSFORM_PROGRAM, &[u32::MAX]);
    rig.finish();
}

#[test]
fn reports_and_semaphores_are_in_memory() {
    let mut rig = Rig::new();
    rig.dma(7, 0x2010, 0x1F);
    rig.machine.set_time(0x1_0000_0002);
    rig.push(0, SET_CONTEXT_DMA_SEMAPHORE, &[7, 7]);
    rig.push(0, CLEAR_REPORT_VALUE, &[1]);
    rig.push(0, GET_REPORT, &[0x0100_0010]);
    rig.push(0, SET_SEMAPHORE_OFFSET, &[4]);
    rig.push(0, BACK_END_WRITE_SEMAPHORE_RELEASE, &[0xABCD]);
    // Beyond the limit nothing is written.
    rig.push(0, GET_REPORT, &[0x0100_0014]);
    rig.push(0, SET_SEMAPHORE_OFFSET, &[0x1D]);
    rig.push(0, BACK_END_WRITE_SEMAPHORE_RELEASE, &[u32::MAX]);
    rig.finish();
    assert_eq!([0x2020, 0x2024, 0x2028, 0x202C, 0x2030].map(|at| rig.word(at)), [2, 1, PIXELS, 0, 0]);
    assert_eq!(rig.word(0x2014), 0xABCD);
    assert!(rig.log.0.contains(&Call::ResetPixelCount) && rig.log.0.contains(&Call::PixelCount));
}

#[test]
fn a_binding_keeps_the_object_of_its_time_and_marks_groups_of_another() {
    let mut rig = Rig::new();
    rig.push(0, SET_CONTEXT_DMA_A, &[ALL]);
    rig.push(0, SET_CONTEXT_DMA_COLOR, &[ALL]);
    rig.finish();
    rig.machine.kelvin_mut().registers.tracker.take();
    rig.push(0, SET_CONTEXT_DMA_A, &[ALL]);
    rig.finish();
    assert!(rig.machine.kelvin().registers.tracker.is_clean());
    rig.register(register::PRAMIN + 0x12004, 0xFF);
    assert_eq!(rig.machine.kelvin().dma.a.unwrap().limit, 0xF_FFFF);
    rig.push(0, SET_CONTEXT_DMA_A, &[ALL]);
    rig.push(0, SET_CONTEXT_DMA_COLOR, &[0x77]);
    rig.finish();
    let kelvin = rig.machine.kelvin();
    assert_eq!((kelvin.dma.a.unwrap().limit, kelvin.dma.color), (0xFF, None));
    assert!(kelvin.registers.tracker.dirty().contains(Group::Textures));
}

#[test]
fn software_methods_stop_until_they_are_acknowledged() {
    let mut rig = Rig::new();
    rig.push(0, SET_ZSTENCIL_CLEAR_VALUE, &[11, 22]);
    rig.push(0, NO_OPERATION, &[0]);
    rig.push(0, NO_OPERATION, &[0xB2A]);
    rig.push(0, CLEAR_SURFACE, &[3]);
    let stop = Stop::Interrupt(Interrupt::Software { subchannel: 0, code: 0xB2A, parameters: [11, 22] });
    assert_eq!(rig.run(), Ok(stop));
    assert_eq!(rig.go_on(), Ok(stop), "nothing goes on before it is acknowledged");
    assert!(rig.log.0.is_empty());
    assert_eq!(rig.machine.read_register(register::PGRAPH_INTR), 1 << 20);
    assert_eq!(rig.machine.read_register(register::PGRAPH_TRAPPED_ADDR), 0x100);
    assert_eq!(rig.machine.read_register(register::PGRAPH_TRAPPED_DATA_LOW), 0xB2A);
    assert_eq!(rig.machine.read_register(register::PGRAPH_ZSTENCILCLEARVALUE), 11);
    assert_eq!(rig.machine.read_register(register::PMC_INTR_0), 0);
    rig.register(register::PGRAPH_INTR_EN, u32::MAX);
    assert_eq!(rig.machine.read_register(register::PMC_INTR_0), 1 << 12);
    rig.register(register::PGRAPH_INTR, !(1 << 20));
    assert_eq!(rig.go_on(), Ok(stop), "those are other interrupts");
    rig.register(register::PGRAPH_INTR, 1 << 20);
    assert_eq!(rig.go_on(), Ok(Stop::Idle));
    assert_eq!(rig.log.0, [Call::Clear(3)]);
}

#[test]
fn a_notify_writes_and_may_interrupt() {
    let mut rig = Rig::new();
    rig.write(0, &[9; 4]);
    rig.machine.set_time(5);
    rig.push(0, SET_CONTEXT_DMA_NOTIFIES, &[ALL]);
    rig.push(0, NOTIFY, &[0]);
    rig.finish();
    assert_eq!([0, 4, 8, 12].map(|at| rig.word(at)), [5, 0, 0, 0]);
    rig.push(0, NOTIFY, &[1]);
    assert_eq!(rig.run(), Ok(Stop::Interrupt(Interrupt::Notify { subchannel: 0 })));
    rig.machine.acknowledge();
    assert_eq!(rig.go_on(), Ok(Stop::Idle));
}

#[test]
fn a_flip_waits_for_the_display() {
    let mut rig = Rig::new();
    rig.push(0, SET_FLIP_READ, &[0, 1, 2]);
    // Two pictures, 0 is shown and 1 was drawn: the next would be 0.
    rig.push(0, FLIP_INCREMENT_WRITE, &[0, 0]);
    assert_eq!(rig.run(), Ok(Stop::FlipStall));
    assert_eq!(rig.go_on(), Ok(Stop::FlipStall));
    rig.machine.vertical_blank();
    assert_eq!(rig.go_on(), Ok(Stop::Idle));
    assert_eq!(rig.log.0, [Call::Flush]);
    rig.push(0, SET_FLIP_READ, &[u32::MAX]);
    rig.finish();
    rig.machine.vertical_blank();
    // Without pictures nothing waits.
    rig.push(0, SET_FLIP_MODULO, &[0, 0, 0]);
    rig.finish();
}

#[test]
fn state_that_changes_inside_of_a_primitive_is_said() {
    let mut rig = Rig::new();
    rig.push(0, SET_BEGIN_END, &[1]);
    rig.push(0, SET_BLEND_COLOR, &[7]);
    rig.push(0, SET_VERTEX3F, &vertex(1.0));
    rig.push(0, SET_BLEND_COLOR, &[7]);
    rig.push(0, SET_VERTEX3F, &vertex(2.0));
    rig.push(0, SET_BEGIN_END, &[0]);
    rig.push(0, SET_BLEND_COLOR, &[8]);
    assert_eq!(warnings(|| rig.finish()), "");
    rig.machine.kelvin_mut().registers.tracker.take();
    rig.push(0, SET_COMBINER_FACTOR0, &[1]);
    rig.push(0, SET_BEGIN_END, &[1]);
    rig.push(0, SET_VERTEX3F, &vertex(1.0));
    rig.push(0, SET_BLEND_COLOR, &[9]);
    let said = warnings(|| rig.finish());
    assert!(said.contains("SET_BLEND_COLOR 0x034c: 0x00000009 between begin and end"), "{said}");
    let dirty = rig.machine.kelvin().registers.tracker.dirty();
    assert!(dirty.contains(Group::Blend) && dirty.contains(Group::PixelConstants));
}

#[test]
fn what_is_not_known_does_nothing() {
    let mut rig = Rig::new();
    rig.push(0, 0x1FF0, &[1, 2, 3, 4, 5, 6]);
    rig.push(5, 0x200, &[1, 2]);
    rig.push(6, 0, &[0x1234]);
    rig.push(0, SET_BLEND_COLOR, &[7]);
    rig.finish();
    assert_eq!(rig.get(SET_BLEND_COLOR), 7);
}
