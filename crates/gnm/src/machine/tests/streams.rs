//! Streams that somebody thought up: both encodings of the library's calls come to the same, and no words are too wild.

use super::*;
use crate::driver::{self, Call, Driver, Encoding, calls::CALLS};
use afterimage_gnm_types::packets::{Header, PACKETS};
use afterimage_gnm_types::{Opcode, op};
use proptest::prelude::*;

/// A call of the library, with parameters that it mostly takes.
fn call(driver: &Driver, buffer: &mut CommandBuffer, which: usize, p: [u32; 12]) {
    let [a, b, c, d, ..] = p;
    let seven = || [a, 0, b, c, d, p[4], p[5]];
    let four = || [a, 0, b, c];
    let (_, words, _) = CALLS[which % CALLS.len()];
    let mut cmd = vec![0; words];
    let cmd = &mut cmd[..];
    let stage = driver::Stage::ALL[a as usize % 7];
    let written = match CALLS[which % CALLS.len()].0 {
        1 => driver.draw_index(cmd, a % 100, u64::from(b & !1) << 4 | 2, 0, 0),
        2 => driver.draw_index_auto(cmd, a % 100, b & 0xE000_0001),
        3 => driver.draw_index_offset(cmd, a % 100, b % 100, c),
        4 => driver.draw_index_indirect(cmd, 16 * (b % 64), stage, c % 17, d % 16, p[4]),
        5 => driver.draw_indirect(cmd, 16 * (b % 64), stage, c % 16, d % 16, p[4]),
        6 => driver.dispatch_direct(cmd, a % 9, b % 9, c % 9, d),
        7 => driver.dispatch_indirect(cmd, 16 * (a % 64), b),
        8 => driver.set_vs_shader(cmd, seven(), d & 0x0300_03C0),
        9 => driver.update_vs_shader(cmd, seven(), 0),
        10 => driver.set_ps_shader(cmd, Some([a, 0, b, c, d, p[4], p[5], p[6], p[7], p[8], p[9], p[10]])),
        11 => driver.update_ps_shader(cmd, [a, b & 1, b, c, d, p[4], p[5], p[6], p[7], p[8], p[9], p[10]]),
        12 => driver.set_ps_shader(cmd, None),
        13 => driver.set_cs_shader(cmd, seven(), d & 0x3C0),
        14 => driver.set_es_shader(cmd, four(), d & 0x0300_03C0),
        15 => driver.set_gs_shader(cmd, seven()),
        16 => driver.update_gs_shader(cmd, seven()),
        17 => driver.set_hs_shader(cmd, seven(), d),
        18 => driver.update_hs_shader(cmd, seven(), d),
        19 => driver.set_ls_shader(cmd, four(), d & 0x0300_03C0),
        20 => driver.set_embedded_vs_shader(cmd, a % 2, 0),
        21 => driver.set_embedded_ps_shader(cmd, a % 3, 0),
        22 => driver.insert_wait_flip_done(cmd, 1, a % 4),
        23 => driver.set_vgt_control(cmd, a % 257, b & 1 != 0, c & 1 != 0),
        24 => driver.reset_vgt_control(cmd),
        25 => driver.draw_init_default_hardware_state(cmd),
        26 => driver.dispatch_init_default_hardware_state(cmd),
        other => panic!("call {other} has no place here"),
    };
    // What is refused is refused in either encoding.
    if written.is_ok() {
        buffer.reserve(words).copy_from_slice(cmd);
    }
}

/// What a stream of calls comes to.
fn outcome(encoding: Encoding, stream: &[(usize, [u32; 12])]) -> (Vec<Asked>, Vec<[u32; 4]>, Vec<u32>, Vec<FaultKind>) {
    let mut world = World::new();
    let mut driver = Driver::new(encoding);
    driver.register_output(1, DATA + 0x8000);
    let words: Vec<u32> = (0..1024).map(|word| word % 7).collect();
    world.set(0, &words);
    let mut buffer = CommandBuffer::new();
    let [low, high] = halves(DATA);
    buffer.packet(op::SET_BASE, &[1, low, high]);
    stream.iter().for_each(|(which, parameters)| call(&driver, &mut buffer, *which, *parameters));
    assert_eq!(world.run(&buffer), Stop::Idle);
    let spaces = [(0x28000u32, 0x400), (0xB000, 0x400), (0x30000, 0x1000)];
    let registers = spaces.iter().flat_map(|&(base, count)| (0..count).map(move |i| base + 4 * i));
    let registers = registers.map(|register| world.machine.registers().get(register)).collect();
    let faults = world.machine.take_faults().into_iter().map(|fault| fault.kind).collect();
    (world.log.asked, world.log.user, registers, faults)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn both_encodings_come_to_the_same(stream in prop::collection::vec((0usize..26, any::<[u32; 12]>()), 1..24)) {
        prop_assert_eq!(outcome(Encoding::Pm4, &stream), outcome(Encoding::Private, &stream));
    }

    #[test]
    fn every_stream_ends(stream in prop::collection::vec((any::<u8>(), any::<u8>(), prop::collection::vec(any::<u32>(), 1..12)), 1..64)) {
        let mut world = World::new();
        world.machine.set_limits(Limits { words: 1 << 16, jumps: 64, depth: 4 });
        let mut buffer = CommandBuffer::new();
        for (which, kind, mut body) in stream {
            let opcode = if kind & 7 == 0 { Opcode(which) } else { PACKETS[usize::from(which) % PACKETS.len()].opcode };
            body.resize(body.len().max(opcode.row().map_or(1, |row| row.least as usize)), 0x40);
            // Addresses that mostly lead somewhere.
            if kind & 8 != 0 {
                for pair in body.chunks_mut(2) {
                    let base = if kind & 16 == 0 { DATA } else { BUFFERS };
                    let [low, high] = halves(base + u64::from(pair[0] & 0xFFF));
                    pair[0] = low;
                    if let Some(word) = pair.get_mut(1) { *word = high }
                }
            }
            let at = buffer.words().len();
            buffer.packet(opcode, &body);
            prop_assert!(Header::decode(buffer.words()[at]).count() as usize == body.len());
        }
        let mut turns = 0;
        let mut stop = world.run(&buffer);
        while stop != Stop::Idle {
            world.machine.skip_waits();
            stop = world.machine.run(&mut world.memory, &mut world.log);
            turns += 1;
            prop_assert!(turns < 100_000);
        }
        prop_assert!(world.machine.is_idle());
    }
}

#[test]
fn every_call_is_tried() {
    // The numbers that `call` knows are those of the table.
    let numbers: Vec<u8> = CALLS.iter().map(|(number, ..)| *number).collect();
    assert_eq!(numbers, (1..=26).collect::<Vec<u8>>());
    assert!(driver::DrawIndex::WORDS == 10 && CALLS[0].2 == driver::DrawIndex::NAME);
}
