//! What packets do to registers, memory and those who draw.

use super::*;
use afterimage_gnm_types::{Opcode, markers, op, reg, value};

const READY: u64 = 1 << 63;

#[test]
fn draws_come_with_their_indices_and_instances() {
    let mut world = World::new();
    let mut buffer = CommandBuffer::new();
    buffer.packet(op::INDEX_TYPE, &[1]);
    buffer.packet(op::NUM_INSTANCES, &[4]);
    buffer.packet(op::DRAW_INDEX_2, &[100, 0x1000, 2, 30, 0]);
    buffer.packet(op::INDEX_BASE, &[0x8000, 3]);
    buffer.packet(op::DRAW_INDEX_OFFSET_2, &[50, 6, 9, 0]);
    buffer.packet(op::NUM_INSTANCES, &[0]);
    buffer.packet(op::DRAW_INDEX_AUTO, &[12, 2]);
    buffer.packet(op::DRAW_INDEX_AUTO, &[0, 2]);
    buffer.packet(op::DRAW_INDEX_AUTO, &[7, 2 | 1 << 6]);
    world.run_well(&buffer);
    let memory = |address, available| Indices::Memory { address, kind: IndexKind::U32, available };
    let draw = |indices, count, instances, opaque| Draw { indices, count, instances, number: 0, opaque };
    assert_eq!(
        world.draws(),
        [
            draw(memory(0x2_0000_1000, 100), 30, 4, false),
            draw(memory(0x3_0000_8018, 50), 9, 4, false),
            draw(Indices::Auto, 12, 1, false),
            draw(Indices::Auto, 0, 1, true),
        ]
    );
}

#[test]
fn indirect_draws_put_their_parts_into_user_data() {
    let mut world = World::new();
    world.set(0x40, &[6, 2, 1, 70, 80]);
    world.set(0x60, &[7, 3, 71, 81]);
    world.set(0x80, &[8, 1, 72, 82]);
    world.set(0xA0, &[2]);
    let [low, high] = halves(DATA);
    let vertex = (reg::SPI_SHADER_USER_DATA_VS_0 - 0xB000) / 4;
    let mut buffer = CommandBuffer::new();
    buffer.packet(op::SET_BASE, &[1, low, high]);
    buffer.packet(op::INDEX_BASE, &[0x100, 0]);
    buffer.packet(op::INDEX_BUFFER_SIZE, &[10]);
    buffer.packet(op::DRAW_INDEX_INDIRECT, &[0x40, vertex, vertex + 1, 0]);
    let control = (vertex + 2) | 3 << 30;
    let [count_low, count_high] = halves(DATA + 0xA0);
    buffer.packet(op::DRAW_INDIRECT_MULTI, &[0x60, vertex, vertex + 1, control, 5, count_low, count_high, 0x20, 2]);
    buffer.packet(op::DISPATCH_INDIRECT, &[0x40, 1]);
    world.run_well(&buffer);
    let draws = world.draws();
    let indices = Indices::Memory { address: 0x102, kind: IndexKind::U16, available: 9 };
    assert_eq!((draws[0].indices, draws[0].count, draws[0].instances), (indices, 6, 2));
    assert_eq!(
        draws[1..].iter().map(|draw| (draw.count, draw.instances, draw.number)).collect::<Vec<_>>(),
        [(7, 3, 0), (8, 1, 1)]
    );
    assert_eq!(world.log.user, [[70, 80, 0, 0], [71, 81, 0, 0], [72, 82, 1, 0]]);
    let dispatch = Dispatch { first: [0; 3], groups: [6, 2, 1], last: None, initiator: 1 };
    assert_eq!(world.log.asked.last(), Some(&Asked::Dispatch(Queue::Graphics, dispatch)));
}

#[test]
fn dispatches_of_threads_are_of_groups() {
    let mut world = World::new();
    let mut buffer = CommandBuffer::new();
    buffer.set(reg::COMPUTE_NUM_THREAD_X, &[64, 2, 1]);
    buffer.packet(op::DISPATCH_DIRECT, &[65, 4, 3, 1 | 1 << 5]);
    buffer.packet(op::DISPATCH_DIRECT, &[65, 4, 3, 0]);
    buffer.packet(op::DISPATCH_DIRECT, &[65, 0, 3, 1]);
    world.run_well(&buffer);
    let dispatch = Dispatch { first: [0; 3], groups: [2, 2, 3], last: None, initiator: 33 };
    assert_eq!(world.log.asked, [Asked::Dispatch(Queue::Graphics, dispatch)]);
}

#[test]
fn dispatches_begin_and_end_where_registers_say() {
    let mut world = World::new();
    let mut buffer = CommandBuffer::new();
    buffer.set(reg::COMPUTE_START_X, &[2, 0, 1]);
    buffer.set(reg::COMPUTE_NUM_THREAD_X, &[64 | 16 << 16, 2, 1]);
    buffer.packet(op::DISPATCH_DIRECT, &[5, 4, 3, 1]);
    buffer.packet(op::DISPATCH_DIRECT, &[5, 4, 3, 1 | 2]);
    buffer.packet(op::DISPATCH_DIRECT, &[5, 4, 3, 1 | 4]);
    buffer.packet(op::DISPATCH_DIRECT, &[65 * 64 + 1, 5, 3, 1 | 2 | 32]);
    // Behind the end.
    buffer.packet(op::DISPATCH_DIRECT, &[2, 4, 3, 1]);
    world.run_well(&buffer);
    let asked =
        |first, groups, last, initiator| Asked::Dispatch(Queue::Graphics, Dispatch { first, groups, last, initiator });
    assert_eq!(
        world.log.asked,
        [
            asked([2, 0, 1], [3, 4, 2], None, 1),
            asked([2, 0, 1], [3, 4, 2], Some([16, 2, 1]), 3),
            asked([0; 3], [5, 4, 3], None, 5),
            asked([2, 0, 1], [64, 3, 2], Some([1, 1, 1]), 35),
        ]
    );
}

#[test]
fn registers_are_set_loaded_modified_and_cleared() {
    let mut world = World::new();
    world.set(4 * 0x105, &[0x3F80_0000, 2, 3, 4]);
    let [low, high] = halves(DATA);
    let mut buffer = CommandBuffer::new();
    buffer.packet(op::LOAD_CONTEXT_REG, &[low, high, 0x105, 3, 0x108, 1]);
    world.set(4 * 0x242, &[4]);
    buffer.packet(op::LOAD_UCONFIG_REG, &[low, high, 0x242, 1]);
    buffer.packet(op::CONTEXT_REG_RMW, &[0x200, 0xF0, 0x35]);
    buffer.packet(op::REG_RMW, &[reg::SPI_SHADER_USER_DATA_VS_0 / 4 + 2, 0xFFFF_FFF0, 2]);
    // Type 0, of two registers, and a filler.
    buffer.reserve(4).copy_from_slice(&[0x0001_2C4C, 8, 9, 0x8000_0000]);
    world.run_well(&buffer);
    let registers = world.machine.registers();
    assert_eq!(registers.array::<4>(reg::CB_BLEND_RED), [0x3F80_0000, 2, 3, 4]);
    assert_eq!(registers.get(reg::DB_DEPTH_CONTROL), 0x30);
    assert_eq!(registers.get(reg::VGT_PRIMITIVE_TYPE), 4);
    assert_eq!(registers.array::<3>(reg::SPI_SHADER_USER_DATA_VS_0), [8, 9, 2]);
    let mut buffer = CommandBuffer::new();
    buffer.packet(op::CLEAR_STATE, &[0]);
    world.run_well(&buffer);
    let registers = world.machine.registers();
    assert_eq!((registers.get(reg::CB_BLEND_RED), registers.get(reg::CB_TARGET_MASK)), (0, u32::MAX));
    assert_eq!(registers.get(reg::SPI_SHADER_USER_DATA_VS_0), 8, "shader registers stay");
}

#[test]
fn data_moves_between_memory_registers_and_gds() {
    let mut world = World::new();
    let at = |offset: u64| halves(DATA + offset);
    world.set(0, &[1, 2, 3, 4]);
    let mut buffer = CommandBuffer::new();
    let dma = |buffer: &mut CommandBuffer, selects: u32, from: [u32; 2], to: [u32; 2], command: u32| {
        buffer.packet(op::DMA_DATA, &[selects, from[0], from[1], to[0], to[1], command]);
    };
    dma(&mut buffer, 0, at(0), at(0x100), 16);
    dma(&mut buffer, 2 << 29, [0xABCD_1234, 0], at(0x200), 10);
    dma(&mut buffer, 1 << 20, at(0), [8, 0], 8);
    dma(&mut buffer, 1 << 29, [8, 0], at(0x300), 8);
    // Into registers, and as those warm caches who copy to a register that takes nothing.
    dma(&mut buffer, 0, at(0), [reg::CB_BLEND_RED, 0], 16 | 1 << 27);
    dma(&mut buffer, 0, at(0), [reg::CP_DMA_READ_TAGS, 0], 16 | 1 << 27 | 1 << 29);
    dma(&mut buffer, 0, [reg::CB_BLEND_GREEN, 0], at(0x500), 8 | 1 << 26);
    let [low, high] = at(0x400);
    buffer.packet(op::COPY_DATA, &[5 << 8 | 5, 77, 0, low, high]);
    buffer.packet(op::COPY_DATA, &[5 << 8, reg::CB_BLEND_GREEN / 4, 0, low + 4, high]);
    buffer.packet(op::COPY_DATA, &[5 << 8 | 1 << 16 | 9, 0, 0, low + 8, high]);
    buffer.packet(op::COPY_DATA, &[3, 12, 0, reg::CB_BLEND_ALPHA / 4, 0]);
    buffer.packet(op::WRITE_DATA, &[5 << 8 | 1 << 16, low + 16, high, 5, 6]);
    world.machine.set_time(0x1_0000_0002);
    world.run_well(&buffer);
    assert_eq!([0x100, 0x10C].map(|offset| world.word(offset)), [1, 4]);
    assert_eq!([0x200, 0x208, 0x20C].map(|offset| world.word(offset)), [0xABCD_1234, 0x1234, 0]);
    assert_eq!([0x300, 0x304].map(|offset| world.word(offset)), [1, 2]);
    assert_eq!([0x400, 0x404, 0x408, 0x40C, 0x410, 0x414].map(|offset| world.word(offset)), [77, 2, 2, 1, 6, 0]);
    assert_eq!([0x500, 0x504].map(|offset| world.word(offset)), [2, 3]);
    let registers = world.machine.registers();
    assert_eq!(registers.array::<4>(reg::CB_BLEND_RED), [1, 2, 3, 2]);
    assert_eq!((registers.get(reg::CP_DMA_READ_TAGS), registers.get(reg::CP_DMA_READ_TAGS + 4)), (4, 0));
    let mut buffer = CommandBuffer::new();
    dma(&mut buffer, 1 << 20, at(0), [0xFFFC, 0], 8);
    dma(&mut buffer, 0, [0x123, 0], at(0), 8);
    world.run(&buffer);
    let faults = world.faults();
    assert!(
        faults[0].contains("the offset in GDS is 0xfffc") && faults[1].contains("0x8 bytes at guest address 0x123")
    );
}

#[test]
fn atomics_change_memory_and_remember_what_was_there() {
    let mut world = World::new();
    let [low, high] = halves(DATA);
    let atomic = |world: &mut World, operation: u32, start: u64, data: u64, compare: u64| {
        world.set(0, &halves(start));
        let ([data, data_high], [cmp, cmp_high]) = (halves(data), halves(compare));
        let mut buffer = CommandBuffer::new();
        buffer.packet(op::ATOMIC, &[operation, low, high, data, data_high, cmp, cmp_high, 0]);
        buffer.packet(op::COPY_DATA, &[5 << 8 | 1 << 16 | 6, 0, 0, low + 8, high]);
        world.run_well(&buffer);
        let old = u64::from(world.word(8)) | u64::from(world.word(12)) << 32;
        (u64::from(world.word(0)) | u64::from(world.word(4)) << 32, old)
    };
    assert_eq!(atomic(&mut world, 64 + 15, 0xFFFF_FFFF, 2, 0), (1, 0xFFFF_FFFF));
    assert_eq!(atomic(&mut world, 47, 0xFFFF_FFFF, 2, 0), (0x1_0000_0001, 0xFFFF_FFFF));
    assert_eq!(atomic(&mut world, 17, 5, 0xFFFF_FFFF, 0), (0xFFFF_FFFF, 5), "minus one is less");
    assert_eq!(atomic(&mut world, 18, 5, 0xFFFF_FFFF, 0), (5, 5));
    assert_eq!(atomic(&mut world, 8, 5, 9, 5), (9, 5));
    assert_eq!(atomic(&mut world, 8, 6, 9, 5), (6, 6));
    assert_eq!(atomic(&mut world, 24, 9, 9, 0), (0, 9));
    assert_eq!(atomic(&mut world, 25, 0, 9, 0), (9, 0));
}

#[test]
fn atomics_of_the_global_data_share_remember_what_was_there() {
    let mut world = World::new();
    let [low, high] = halves(DATA);
    let mut buffer = CommandBuffer::new();
    buffer.packet(op::WRITE_DATA, &[3 << 8, 0x120, 0, 5, 1]);
    let atomic = |buffer: &mut CommandBuffer, operation: u32, first: u64, second: u64| {
        let ([a, b], [c, d]) = (halves(first), halves(second));
        // A part of 0x30 bytes from 0x100 on; the offset's low and high byte.
        buffer.packet(op::ATOMIC_GDS, &[operation, 0, 0x100, 0x30, 0x20, 0, a, b, c, d]);
    };
    // 6 - 5, then 1 with the bits of 3 replaced by 2, then 2 compared with 2 and 9 put in its place.
    atomic(&mut buffer, 2, 6, 0);
    atomic(&mut buffer, 32 + 12, 3, 2);
    atomic(&mut buffer, 16, 2, 9);
    buffer.packet(op::COPY_DATA, &[5 << 8 | 7, 0, 0, low, high]);
    buffer.packet(op::COPY_DATA, &[5 << 8 | 1 << 16 | 3, 0x120, 0, low + 8, high]);
    // All 64 bits.
    atomic(&mut buffer, 64, 0xFFFF_FFFF_FFFF_FFFF, 0);
    buffer.packet(op::COPY_DATA, &[5 << 8 | 1 << 16 | 7, 0, 0, low + 16, high]);
    buffer.packet(op::COPY_DATA, &[5 << 8 | 1 << 16 | 3, 0x120, 0, low + 24, high]);
    world.run_well(&buffer);
    assert_eq!([0, 8, 12, 16, 20, 24, 28].map(|offset| world.word(offset)), [2, 9, 1, 9, 1, 8, 1]);
    let mut buffer = CommandBuffer::new();
    buffer.packet(op::ATOMIC_GDS, &[0, 0, 0x100, 0x20, 0x1E, 0, 1, 0, 0, 0]);
    buffer.packet(op::ATOMIC_GDS, &[14, 0, 0x100, 0x20, 0, 0, 1, 0, 0, 0]);
    world.run(&buffer);
    let faults = world.faults();
    assert!(faults[0].contains("the offset in the atomic's part of GDS is 0x1e"), "{faults:?}");
    assert!(faults[1].contains("atomOp is 0xe"), "{faults:?}");
}

#[test]
fn nothing_is_written_into_registers_of_another_space() {
    let mut world = World::new();
    // From shader registers to VGT_NUM_INSTANCES, and from context registers there.
    let (shader, context) = ((reg::VGT_NUM_INDICES - 0xB000) / 4, (reg::VGT_NUM_INDICES - 0x28000) / 4);
    let blend = (reg::CB_BLEND_RED - 0xB000) / 4;
    world.set(0x40, &[6, 2, 70, 80]);
    world.set(4 * u64::from(context), &[77]);
    let [low, high] = halves(DATA);
    let mut buffer = CommandBuffer::new();
    buffer.packet(op::LOAD_CONTEXT_REG, &[low, high, context, 1]);
    buffer.packet(op::CONTEXT_REG_RMW, &[context, u32::MAX, 77]);
    buffer.packet(op::SET_BASE, &[1, low, high]);
    buffer.packet(op::SET_SH_REG_OFFSET, &[shader, 4, 0]);
    buffer.packet(op::DRAW_INDIRECT, &[0x40, blend, shader, 2]);
    world.run_well(&buffer);
    let registers = world.machine.registers();
    assert_eq!((registers.get(reg::CB_BLEND_RED), registers.get(reg::VGT_NUM_INDICES)), (0, 6));
    assert_eq!(registers.get(reg::VGT_NUM_INDICES + 4), 2, "the instances");
    assert_eq!(world.draws().len(), 1);
}

#[test]
fn memory_that_is_not_mapped_is_asked_about_by_nobody() {
    let mut world = World::new();
    let mut buffer = CommandBuffer::new();
    let far = !7;
    buffer.packet(op::WRITE_DATA, &[0x500, far, u32::MAX, 1, 2, 3]);
    buffer.packet(op::COPY_DATA, &[5 << 8 | 1 << 16 | 1, far, u32::MAX, 0, 0]);
    buffer.packet(op::ATOMIC, &[47, far, u32::MAX, 0, 0, 0, 0, 0]);
    buffer.packet(op::DMA_DATA, &[0, 0x10, 0, 0x20, 0, 0x1F_FFFF]);
    buffer.packet(op::DMA_DATA, &[2 << 29, 0x10, 0, 0x20, 0, 0x1F_FFFF]);
    buffer.packet(op::OCCLUSION_QUERY, &[0, 0, 0, 0]);
    world.run(&buffer);
    assert!(world.machine.take_faults().iter().all(|fault| matches!(fault.kind, FaultKind::Unmapped(_))));
    assert_eq!(world.log.read, [], "before_cpu_reads is about mapped memory");
}

#[test]
fn events_write_labels_and_counts() {
    let mut world = World::new();
    let at = |offset: u64| halves(DATA + offset);
    let mut buffer = CommandBuffer::new();
    let [low, high] = at(0);
    buffer.packet(op::EVENT_WRITE, &[21 | 1 << 8, low, high]);
    buffer.packet(op::DRAW_INDEX_AUTO, &[3, 2]);
    buffer.packet(op::EVENT_WRITE, &[21 | 1 << 8, low + 8, high]);
    let [low, high] = at(0x100);
    buffer.packet(op::EVENT_WRITE_EOP, &[4 | 5 << 8, low, high | 2 << 24 | 2 << 29, 5, 6]);
    buffer.packet(op::EVENT_WRITE_EOP, &[40 | 5 << 8, low + 8, high | 3 << 29, 0, 0]);
    buffer.packet(op::EVENT_WRITE_EOS, &[47 | 6 << 8, low + 16, high | 2 << 29, 9]);
    world.machine.set_time(123);
    world.run_well(&buffer);
    let long = |world: &World, offset| u64::from(world.word(offset)) | u64::from(world.word(offset + 4)) << 32;
    assert_eq!((long(&world, 0), long(&world, 8), long(&world, 24)), (READY, READY | 10, READY));
    assert_eq!((long(&world, 0x100), long(&world, 0x108), world.word(0x110)), (6 << 32 | 5, 123, 9));
    assert!(world.log.asked.contains(&Asked::Flush) && world.log.asked.contains(&Asked::Interrupt(Queue::Graphics)));
    // Predication by the counts: something was visible. The sum is added to what is there.
    let [low, high] = at(0);
    world.set(0x204, &[7, 1]);
    let mut buffer = CommandBuffer::new();
    let [sum, _] = at(0x204);
    buffer.packet(op::OCCLUSION_QUERY, &[low, high, sum, high]);
    buffer.packet(op::SET_PREDICATION, &[low, high | 1 << 8 | 1 << 16]);
    buffer.reserve(3).copy_from_slice(&[0xC001_2D01, 33, 2]);
    buffer.packet(op::SET_PREDICATION, &[low, high | 1 << 16]);
    buffer.reserve(3).copy_from_slice(&[0xC001_2D01, 34, 2]);
    world.run_well(&buffer);
    assert_eq!(world.draws().last().unwrap().count, 33);
    assert_eq!(long(&world, 0x204), 1 << 32 | 17);
}

#[test]
fn statistics_count_what_draws_and_dispatches_are_made_of() {
    let mut world = World::new();
    let [low, high] = halves(DATA);
    let mut buffer = CommandBuffer::new();
    buffer.set(reg::VGT_PRIMITIVE_TYPE, &[value::DI_PT_TRISTRIP]);
    buffer.set(reg::COMPUTE_NUM_THREAD_X, &[64, 2 | 1 << 16, 1]);
    buffer.packet(op::DRAW_INDEX_AUTO, &[30, 2]);
    buffer.packet(op::EVENT_WRITE, &[value::PIPELINESTAT_START]);
    buffer.packet(op::NUM_INSTANCES, &[3]);
    buffer.packet(op::DRAW_INDEX_AUTO, &[5, 2]);
    buffer.packet(op::DISPATCH_DIRECT, &[2, 3, 1, 3]);
    buffer.packet(op::EVENT_WRITE, &[value::PIPELINESTAT_STOP]);
    buffer.packet(op::DRAW_INDEX_AUTO, &[30, 2]);
    buffer.packet(op::EVENT_WRITE, &[value::SAMPLE_PIPELINESTAT | 2 << 8, low, high]);
    world.run_well(&buffer);
    let counts: Vec<u32> = (0..12).map(|n| world.word(8 * n)).collect();
    assert_eq!(counts, [0, 0, 9, 15, 0, 0, 9, 15, 0, 0, 2 * 64 * 5, 0]);
}

#[test]
fn every_packet_of_the_table_is_carried_out_or_says_why_not() {
    for row in afterimage_gnm_types::packets::PACKETS {
        let mut world = World::new();
        let mut buffer = CommandBuffer::new();
        buffer.packet(row.opcode, &vec![0; row.least.max(1) as usize]);
        world.run(&buffer);
        assert_eq!(world.machine.shared.reports.skipped(row.opcode), row.skipped.is_some(), "{}", row.name);
    }
}

#[test]
fn stream_out_offsets_are_set_and_stored() {
    let mut world = World::new();
    world.set(0x20, &[7]);
    let [low, high] = halves(DATA);
    let mut buffer = CommandBuffer::new();
    buffer.packet(op::STRMOUT_BUFFER_UPDATE, &[2 << 8, 0, 0, 5, 0]);
    buffer.packet(op::STRMOUT_BUFFER_UPDATE, &[1 | 3 << 1 | 1 << 8, low, high, 0, 0]);
    buffer.packet(op::STRMOUT_BUFFER_UPDATE, &[2 << 1 | 1 << 7 | 3 << 8, 0, 0, low + 0x20, high]);
    world.run_well(&buffer);
    assert_eq!(world.log.asked, [Asked::StreamOut(2, 20), Asked::StreamOut(3, 7)]);
    assert_eq!(world.word(0), 0x80, "in words");
}

#[test]
fn unknown_things_are_skipped() {
    let mut world = World::new();
    let mut buffer = CommandBuffer::new();
    buffer.packet(Opcode(0xEE), &[1, 2, 3]);
    buffer.packet(op::GET_LOD_STATS, &[1]);
    buffer.set(0x28FFC, &[1]);
    // Not a user configuration register.
    buffer.packet(op::SET_CONTEXT_REG, &[(reg::VGT_NUM_INDICES - 0x28000) / 4, 77]);
    buffer.packet(op::NUM_INSTANCES, &[2]);
    world.run_well(&buffer);
    let registers = world.machine.registers();
    assert_eq!((registers.get(reg::VGT_NUM_INSTANCES), registers.get(reg::VGT_NUM_INDICES)), (2, 0));
    let mut buffer = CommandBuffer::new();
    buffer.packet(op::DRAW_INDEX_2, &[1]);
    buffer.packet(afterimage_gnm_types::packets::PRIVATE, &[1, 2, 3]);
    buffer.packet(op::INDEX_TYPE, &[3]);
    buffer.packet(op::DRAW_INDEX_2, &[1, 2, 3, 4, 0]);
    buffer.reserve(1)[0] = 0x4000_0000;
    buffer.packet(op::NUM_INSTANCES, &[5]);
    world.run(&buffer);
    let faults = world.faults();
    assert!(faults[0].ends_with("it has 1 words behind the header, and its fields need 5"), "{faults:?}");
    assert!(faults[1].ends_with("there is no private packet 0x00 of 3 words"), "{faults:?}");
    assert!(faults[2].ends_with("VGT_INDEX_TYPE is 0x3, which it does not take"), "{faults:?}");
    assert!(faults[3].ends_with("is of type 1, which there is not"), "{faults:?}");
    assert_eq!(world.machine.registers().get(reg::VGT_NUM_INSTANCES), 2, "the buffer was left");
}

#[test]
fn markers_and_flips_are_handed_on() {
    let mut world = World::new();
    world.set(8, &[1, 1]);
    let [low, high] = halves(DATA + 8);
    let mut buffer = CommandBuffer::new();
    buffer.packet(op::NOP, &[markers::PUSH_MARKER, u32::from_le_bytes(*b"over"), 0]);
    buffer.packet(op::NOP, &[markers::POP_MARKER]);
    buffer.packet(op::NOP, &[markers::PATCHED_FLIP, 4, 1, 2, 9, 0, low, high]);
    world.run_well(&buffer);
    assert_eq!(
        world.log.asked,
        [
            Asked::Marker(Marker::Push("over".into())),
            Asked::Marker(Marker::Pop),
            Asked::Flip(Flip { handle: 4, buffer: 1, mode: 2, argument: 9 }),
        ]
    );
    assert_eq!(world.word(8), 0, "the label");
}
