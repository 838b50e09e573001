//! Command buffers, waits, conditions, rings, the constant engine.

use super::*;
use afterimage_gnm_types::op;

fn write(buffer: &mut CommandBuffer, offset: u64, value: u32) {
    let [low, high] = halves(DATA + offset);
    buffer.packet(op::WRITE_DATA, &[0x500, low, high, value]);
}

fn wait(buffer: &mut CommandBuffer, offset: u64, value: u32) {
    let [low, high] = halves(DATA + offset);
    buffer.packet(op::WAIT_REG_MEM, &[0x13, low, high, value, u32::MAX, 10]);
}

#[test]
fn command_buffers_are_entered_and_come_back_from() {
    let mut world = World::new();
    let mut inner = CommandBuffer::new();
    write(&mut inner, 0, 1);
    let inner = world.put(1, &inner);
    let mut last = CommandBuffer::new();
    write(&mut last, 8, 3);
    let last = world.put(2, &last);
    let mut outer = CommandBuffer::new();
    outer.packet(op::INDIRECT_BUFFER, &enter(inner, false));
    write(&mut outer, 4, 2);
    outer.packet(op::INDIRECT_BUFFER, &enter(last, true));
    write(&mut outer, 12, 4);
    world.run_well(&outer);
    // Nothing comes behind a chain.
    assert_eq!([0, 4, 8, 12].map(|offset| world.word(offset)), [1, 2, 3, 0]);
}

#[test]
fn a_buffer_that_jumps_into_itself_ends_with_an_error() {
    let mut world = World::new();
    let mut buffer = CommandBuffer::new();
    buffer.packet(op::INDIRECT_BUFFER, &enter((World::at(0), 16), true));
    world.run(&buffer);
    assert_eq!(
        world.faults(),
        [
            "graphics ring, INDIRECT_BUFFER at 0x1000000000: 16384 command buffers were entered and the next is at 0x1000000000; \
          does it jump into itself?"
        ]
    );
    let mut buffer = CommandBuffer::new();
    buffer.packet(op::INDIRECT_BUFFER, &enter((World::at(0), 20), false));
    buffer.packet(op::NUM_INSTANCES, &[3]);
    world.run(&buffer);
    let faults = world.faults();
    assert!(
        faults[0]
            .ends_with("the command buffer at 0x1000000000 would be the 9th inside of another; does it call itself?")
    );
    assert_eq!(world.machine.registers().get(afterimage_gnm_types::reg::VGT_NUM_INSTANCES), 3, "the rest went on");
}

#[test]
fn what_is_not_mapped_and_what_is_cut_ends_a_buffer_with_its_address() {
    let mut world = World::new();
    world.machine.submit((0x4000, 64), None).unwrap();
    world.machine.run(&mut world.memory, &mut world.log);
    assert_eq!(
        world.faults(),
        ["graphics ring, packet at 0x4000: 0x40 bytes at guest address 0x4000 are not all mapped"]
    );
    let mut buffer = CommandBuffer::new();
    write(&mut buffer, 0, 7);
    buffer.reserve(2).copy_from_slice(&[0xC004_2700, 0]);
    world.run(&buffer);
    let faults = world.faults();
    assert_eq!(faults, ["graphics ring, packet at 0x1000000014: it has 6 words, and 2 are left of the command buffer"]);
    assert_eq!(world.word(0), 7);
}

#[test]
fn words_that_a_buffer_writes_into_itself_are_followed() {
    let mut world = World::new();
    let mut buffer = CommandBuffer::new();
    let [low, high] = halves(World::at(0) + 4 * 7);
    buffer.packet(op::WRITE_DATA, &[0x500, low, high, 9]);
    buffer.packet(op::NUM_INSTANCES, &[1]);
    buffer.packet(op::INDEX_BUFFER_SIZE, &[1]);
    // The word of the NOP's place is that of NUM_INSTANCES.
    assert_eq!(buffer.words()[5], 0xC000_2F00);
    let at = World::at(0) + 4 * 6;
    let mut buffer = CommandBuffer::new();
    let [low, high] = halves(at);
    buffer.packet(op::WRITE_DATA, &[0x500, low, high, 9]);
    buffer.packet(op::NUM_INSTANCES, &[1]);
    world.run_well(&buffer);
    assert_eq!(world.machine.registers().get(afterimage_gnm_types::reg::VGT_NUM_INSTANCES), 9);
}

#[test]
fn rings_take_turns_while_one_waits() {
    let mut world = World::new();
    let mut compute = CommandBuffer::new();
    wait(&mut compute, 0, 1);
    write(&mut compute, 4, 2);
    let [low, high] = halves(DATA + 0x100);
    compute.packet(op::RELEASE_MEM, &[0x28, 2 << 24 | 1 << 29, low, high, 5, 0]);
    let (ring, bytes) = world.put(1, &compute);
    world.machine.map_queue(2, 3, ring, 64, DATA + 0x200).unwrap();
    world.machine.set_write_pointer(2, 3, (bytes / 4) as u32).unwrap();
    let mut draw = CommandBuffer::new();
    write(&mut draw, 0, 1);
    wait(&mut draw, 4, 2);
    write(&mut draw, 8, 3);
    world.run_well(&draw);
    assert_eq!([0, 4, 8, 0x100].map(|offset| world.word(offset)), [1, 2, 3, 5]);
    assert_eq!(u64::from(world.word(0x200)), bytes, "the read pointer");
    assert_eq!(world.log.asked.last(), Some(&Asked::Interrupt(Queue::Compute { pipe: 2, queue: 3 })));
    assert!(world.machine.map_queue(2, 3, ring, 64, 0).is_err());
    world.machine.unmap_queue(2, 3).unwrap();
    assert_eq!(world.machine.set_write_pointer(2, 3, 1), Err(QueueError::NotMapped { pipe: 2, queue: 3 }));
}

#[test]
fn a_wait_stops_until_the_processor_writes_or_gives_up() {
    let mut world = World::new();
    let mut buffer = CommandBuffer::new();
    wait(&mut buffer, 0, 1);
    write(&mut buffer, 4, 1);
    wait(&mut buffer, 8, 1);
    write(&mut buffer, 12, 1);
    let Stop::Waiting(waits) = world.run(&buffer) else { panic!("it waits") };
    assert_eq!((waits[0].queue, waits[0].address), (Queue::Graphics, World::at(0)));
    assert_eq!(waits[0].reason, "it waits until the word at 0x2000000000 == 0x1");
    world.set(0, &[1]);
    assert!(matches!(world.machine.run(&mut world.memory, &mut world.log), Stop::Waiting(_)));
    assert_eq!((world.word(4), world.word(12)), (1, 0));
    world.machine.skip_waits();
    assert_eq!(world.machine.run(&mut world.memory, &mut world.log), Stop::Idle);
    assert_eq!(world.word(12), 1);
    let faults = world.faults();
    assert!(faults[0].ends_with("== 0x1, and nothing is left that could change it"), "{faults:?}");
}

#[test]
fn what_only_the_machine_could_change_is_not_waited_for() {
    let mut world = World::new();
    let mut buffer = CommandBuffer::new();
    buffer.packet(op::WAIT_ON_CE_COUNTER, &[1]);
    buffer.packet(op::WAIT_REG_MEM, &[3, 0xA200, 0, 1, 1, 10]);
    write(&mut buffer, 0, 1);
    assert_eq!(world.run(&buffer), Stop::Idle);
    assert_eq!((world.word(0), world.faults().len()), (1, 2));
}

#[test]
fn the_constant_engine_goes_ahead_as_far_as_the_counters_let_it() {
    let mut world = World::new();
    let [low, high] = halves(DATA);
    let (mut constants, mut draw) = (CommandBuffer::new(), CommandBuffer::new());
    let [copy_low, copy_high] = halves(DATA + 0x100);
    for frame in 0..3u32 {
        constants.packet(op::WAIT_ON_DE_COUNTER_DIFF, &[1]);
        constants.packet(op::WRITE_CONST_RAM, &[16, 10 + frame, 20 + frame]);
        constants.packet(op::DUMP_CONST_RAM, &[16, 2, low, high]);
        constants.packet(op::INCREMENT_CE_COUNTER, &[1]);
        draw.packet(op::WAIT_ON_CE_COUNTER, &[1]);
        // Each sees the values of its own frame.
        let wide = 1 << 16 | 1 | 5 << 8;
        draw.packet(op::COPY_DATA, &[wide, low, high, copy_low + 8 * frame, copy_high]);
        draw.packet(op::INCREMENT_DE_COUNTER, &[0]);
    }
    let (draw, constant) = (world.put(0, &draw), world.put(1, &constants));
    for _ in 0..2 {
        world.machine.submit(draw, Some(constant)).unwrap();
        assert_eq!(world.machine.run(&mut world.memory, &mut world.log), Stop::Idle);
        assert_eq!(world.faults(), [""; 0]);
        let seen: Vec<u32> = (0..6).map(|word| world.word(0x100 + 4 * word)).collect();
        assert_eq!(seen, [10, 20, 11, 21, 12, 22]);
    }
    let mut buffer = CommandBuffer::new();
    buffer.packet(op::WRITE_CONST_RAM, &[0xC000 - 4, 1, 2]);
    world.run(&buffer);
    assert!(world.faults()[0].contains("the end in constant RAM is 0xc004"));
}

#[test]
fn a_constant_buffer_that_ends_with_a_wait_leaves_its_place_to_the_next() {
    let mut world = World::new();
    let (mut first, mut second, mut draw) = (CommandBuffer::new(), CommandBuffer::new(), CommandBuffer::new());
    wait(&mut first, 0, 1);
    write(&mut second, 4, 1);
    draw.packet(op::NUM_INSTANCES, &[1]);
    let (first, second, draw) = (world.put(1, &first), world.put(2, &second), world.put(0, &draw));
    world.machine.submit(draw, Some(first)).unwrap();
    world.machine.submit(draw, Some(second)).unwrap();
    assert!(matches!(world.machine.run(&mut world.memory, &mut world.log), Stop::Waiting(_)));
    world.machine.skip_waits();
    assert_eq!(world.machine.run(&mut world.memory, &mut world.log), Stop::Idle);
    assert!(world.machine.is_idle());
    assert_eq!((world.word(4), world.faults().len()), (1, 1));
}

#[test]
fn conditions_skip_words_and_predication_packets() {
    let mut world = World::new();
    let [low, high] = halves(DATA + 0x20);
    let mut buffer = CommandBuffer::new();
    buffer.packet(op::COND_EXEC, &[low, high, 0, 5]);
    write(&mut buffer, 0, 1);
    write(&mut buffer, 4, 1);
    // Predication by a number of 64 bits.
    buffer.packet(op::SET_PREDICATION, &[low, high | 1 << 8 | 3 << 16]);
    buffer.reserve(3).copy_from_slice(&[0xC001_2D01, 3, 2]);
    buffer.packet(op::SET_PREDICATION, &[low, high | 3 << 16]);
    buffer.reserve(3).copy_from_slice(&[0xC001_2D01, 6, 2]);
    buffer.packet(op::SET_PREDICATION, &[0, 0]);
    buffer.reserve(3).copy_from_slice(&[0xC001_2D01, 9, 2]);
    world.run_well(&buffer);
    assert_eq!((world.word(0), world.word(4)), (0, 1));
    assert_eq!(world.draws().iter().map(|draw| draw.count).collect::<Vec<_>>(), [6, 9]);
    world.set(0x20, &[1]);
    world.run_well(&buffer);
    assert_eq!(world.word(0), 1);
    assert_eq!(world.draws().iter().map(|draw| draw.count).collect::<Vec<_>>(), [6, 9, 3, 9]);
}

#[test]
fn semaphores_and_rewinds_are_waited_for() {
    let mut world = World::new();
    let [low, high] = halves(DATA);
    let mut compute = CommandBuffer::new();
    compute.packet(op::MEM_SEMAPHORE, &[low, high | 7 << 29]);
    write(&mut compute, 16, 1);
    let compute = world.put(1, &compute);
    world.machine.submit_compute(0, 0, compute).unwrap();
    let mut draw = CommandBuffer::new();
    draw.packet(op::MEM_SEMAPHORE, &[low, high | 6 << 29]);
    draw.packet(op::REWIND, &[0]);
    write(&mut draw, 20, 1);
    assert!(matches!(world.run(&draw), Stop::Waiting(_)));
    assert_eq!([0, 16, 20].map(|offset| world.word(offset)), [0, 1, 0]);
    world.memory.write(World::at(0) + 16, &0x8000_0000u32.to_le_bytes()).unwrap();
    assert_eq!(world.machine.run(&mut world.memory, &mut world.log), Stop::Idle);
    assert_eq!(world.word(20), 1);
}
