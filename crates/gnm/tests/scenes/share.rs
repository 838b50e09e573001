//! The global data share, where dispatches begin and end, and what moves memory between them.

use crate::rig::{Encoding, Scene, records};
use crate::tables::halves;
use afterimage_gnm_types::{op, reg, value::*};

/// Runs a scene in both encodings; gives the words that memory has at an address from then on.
fn in_both(count: usize, build: impl Fn(&mut Scene) -> u64) -> [Vec<u32>; 2] {
    [Encoding::Standard, Encoding::Private].map(|encoding| {
        let mut scene = Scene::new(encoding);
        let address = build(&mut scene);
        let mut ran = scene.run();
        let bytes = ran.read(address, 4 * count);
        ran.finish();
        bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
    })
}

/// The same, of a scene that leaves the same words in whatever order its groups run.
fn words(count: usize, build: impl Fn(&mut Scene) -> u64) -> Vec<u32> {
    let [standard, private] = in_both(count, build);
    assert_eq!(standard, private, "the encodings differ");
    standard
}

/// Of a part of the share from byte 16 on, 64 bytes long: a word is counted up by each lane, a second goes up by what a third says, a
/// word outside is left, and a counter gives each lane a place in the buffer at s[0:3], for its number in the dispatch.
const COUNTS: &str = "
    s_mov_b32 m0, 0x00100040
    v_mov_b32 v1, 4
    v_mov_b32 v2, 1
    ds_add_u32 v1, v2 gds
    v_mov_b32 v3, 12
    ds_read_b32 v4, v3 gds
    s_waitcnt lgkmcnt(0)
    ds_add_u32 v1, v4 offset:16 gds
    v_mov_b32 v3, 64
    ds_write_b32 v3, v2 gds
    ds_append v5 offset:8 gds
    s_waitcnt lgkmcnt(0)
    v_mbcnt_lo_u32_b32 v6, -1, 0
    v_mbcnt_hi_u32_b32 v6, -1, v6
    v_add_i32 v5, vcc, v5, v6
    v_lshlrev_b32 v5, 2, v5
    s_lshl_b32 s20, s16, 6
    v_add_i32 v7, vcc, s20, v0
    buffer_store_dword v7, v5, s[0:3], 0 offen
    s_endpgm
";

#[test]
fn shaders_and_the_command_processor_have_one_global_share() {
    let all = in_both(256 + 64, |scene| {
        let out = scene.room(4 * (256 + 64));
        let [low, high] = halves(out);
        // Fields of DMA_DATA: from data or GDS, to GDS.
        let (to_gds, from_data, from_gds) = (1 << 20, 2 << 29, 1 << 29);
        scene.packet(op::DMA_DATA, &[from_data | to_gds, 0, 0, 0, 0, 256]);
        let start = scene.put(&[5u32, 1000, 0, 7]);
        let [from_low, from_high] = halves(start);
        scene.packet(op::DMA_DATA, &[to_gds, from_low, from_high, 16, 0, 16]);
        let program = scene.program(COUNTS);
        scene.dispatch(program, [64, 1, 1], &records(out, 0, 4 * 256, BUF_DATA_FORMAT_32).0, [2, 1, 1]);
        // What is between dispatches reads and writes what the first left.
        scene.packet(op::WRITE_DATA, &[3 << 8, 16 + 12, 0, 2]);
        scene.packet(op::COPY_DATA, &[3 | 5 << 8, 20, 0, low + 4 * 256, high]);
        scene.dispatch(program, [64, 1, 1], &records(out, 0, 4 * 256, BUF_DATA_FORMAT_32).0, [2, 1, 1]);
        scene.packet(op::DMA_DATA, &[from_gds, 0, 0, low + 4 * 257, high, 96]);
        let done = CS_DONE | 6 << 8;
        scene.packet(op::EVENT_WRITE_EOS, &[done, low + 4 * 288, high | 1 << 29, 5 | 2 << 16]);
        out
    });
    for seen in all {
        let (lanes, rest) = seen.split_at(256);
        let mut lanes = lanes.to_vec();
        // Places in the buffer follow the counter, which began at 0; each lane of either dispatch has one, in the order in which
        // groups come.
        lanes.sort_unstable();
        assert_eq!(lanes, (0..128).flat_map(|lane| [lane; 2]).collect::<Vec<_>>());
        assert_eq!(rest[0], 1128, "after the first dispatch");
        let mut gds = [0u32; 24];
        gds[4..8].copy_from_slice(&[5, 1256, 256, 2]);
        gds[9] = 128 * 7 + 128 * 2;
        assert_eq!(rest[1..25], gds);
        assert_eq!(rest[32..34], [1256, 256]);
    }
}

/// Writes one more than what is there for each lane's number, in groups of 64, into a buffer at s[0:3].
const MARKS: &str = "
    s_lshl_b32 s20, s16, 6
    v_add_i32 v4, vcc, s20, v0
    v_lshlrev_b32 v4, 2, v4
    buffer_load_dword v5, v4, s[0:3], 0 offen
    s_waitcnt vmcnt(0)
    v_add_i32 v5, vcc, 1, v5
    buffer_store_dword v5, v4, s[0:3], 0 offen
    s_endpgm
";

#[test]
fn dispatches_begin_and_end_where_their_registers_say() {
    // Enabled; partial groups; groups from 0 on; numbers of lanes.
    let (on, partial, from_0, in_lanes) = (1, 2, 4, 32);
    let cases: [(u32, u32, u32, u32, std::ops::Range<u32>); 7] = [
        (0, 0, on, 3, 0..192),
        (1, 0, on, 3, 64..192),
        (1, 0, on | from_0, 3, 0..192),
        (1, 10, on | partial, 3, 64..138),
        (0, 10, on, 2, 0..128),
        (0, 0, on | in_lanes, 100, 0..128),
        (1, 36, on | in_lanes | partial, 100, 64..100),
    ];
    for (start, last, initiator, end, marked) in cases {
        let seen = words(256, |scene| {
            let out = scene.room(1024);
            let program = scene.program(MARKS);
            let user = records(out, 0, 1024, BUF_DATA_FORMAT_32).0;
            scene.dispatch(program, [64, 1, 1], &user, [0; 3]);
            scene.set(reg::COMPUTE_START_X, &[start, 0, 0]);
            scene.set(reg::COMPUTE_NUM_THREAD_X, &[64 | last << 16, 1, 1]);
            scene.packet(op::DISPATCH_DIRECT, &[end, 1, 1, initiator]);
            out
        });
        let expected: Vec<u32> = (0..256).map(|lane| marked.contains(&lane).into()).collect();
        assert_eq!(seen, expected, "from {start} to {end}, {last} lanes at the end, {initiator:#x}");
    }
}

/// Counts the group's lanes, over barriers, and stores the count for each; groups of 8 x 8.
const COUNT_LANES: &str = "
    v_lshlrev_b32 v2, 3, v1
    v_add_i32 v2, vcc, v2, v0
    v_mov_b32 v3, 0
    v_mov_b32 v4, 1
    s_mov_b32 m0, -1
    ds_write_b32 v3, v3
    s_waitcnt lgkmcnt(0)
    s_barrier
    ds_add_u32 v3, v4
    s_waitcnt lgkmcnt(0)
    s_barrier
    ds_read_b32 v5, v3
    s_waitcnt lgkmcnt(0)
    v_lshlrev_b32 v6, 2, v2
    s_lshl_b32 s20, s17, 1
    s_add_u32 s20, s20, s16
    s_lshl_b32 s20, s20, 8
    buffer_store_dword v5, v6, s[0:3], s20 offen
    s_endpgm
";

#[test]
fn lanes_that_are_not_there_do_nothing_and_hold_nobody_up() {
    let seen = words(256, |scene| {
        let out = scene.room(1024);
        let program = scene.program(COUNT_LANES);
        let user = records(out, 0, 1024, BUF_DATA_FORMAT_32).0;
        scene.dispatch(program, [8, 8, 1], &user, [0; 3]);
        // Memory of the group.
        scene.set(reg::COMPUTE_PGM_RSRC2, &[16 << 1 | 7 << 7 | 2 << 11 | 1 << 15]);
        scene.set(reg::COMPUTE_NUM_THREAD_X, &[8 | 5 << 16, 8 | 3 << 16, 1]);
        scene.packet(op::DISPATCH_DIRECT, &[2, 2, 1, 3]);
        out
    });
    for group in 0..4usize {
        let (columns, rows) = ([8, 5][group % 2], [8, 3][group / 2]);
        for lane in 0..64usize {
            let there = lane % 8 < columns && lane / 8 < rows;
            let expected = if there { (columns * rows) as u32 } else { 0 };
            assert_eq!(seen[64 * group + lane], expected, "group {group}, lane {lane}");
        }
    }
}

/// Stores the groups of a dispatch, 3 x 1 x 1, at s[0:3].
const GROUPS: &str = "
    v_mov_b32 v4, 3
    v_mov_b32 v5, 1
    v_mov_b32 v6, 1
    buffer_store_dwordx3 v[4:6], off, s[0:3], 0
    s_endpgm
";

#[test]
fn a_dispatch_has_the_groups_that_another_stored() {
    let seen = words(256, |scene| {
        let (out, arguments) = (scene.room(1024), scene.room(16));
        let (first, second) = (scene.program(GROUPS), scene.program(MARKS));
        scene.dispatch(first, [1, 1, 1], &records(arguments, 0, 16, BUF_DATA_FORMAT_32).0, [1, 1, 1]);
        scene.dispatch(second, [64, 1, 1], &records(out, 0, 1024, BUF_DATA_FORMAT_32).0, [0; 3]);
        let [low, high] = halves(arguments);
        scene.packet(op::SET_BASE, &[1, low, high]);
        scene.call(&afterimage_gnm::driver::calls::DispatchIndirect { data_offset: 0, flags: 0 });
        out
    });
    assert_eq!(seen, (0..256).map(|lane| u32::from(lane < 192)).collect::<Vec<_>>());
}

#[test]
fn memory_that_shaders_stored_is_copied_and_filled_as_if_it_were_memory() {
    let seen = words(1024, |scene| {
        let out = scene.alloc(4096, 4096);
        let program = scene.program(MARKS);
        let before: Vec<u32> = (0..1024).map(|word| word << 8).collect();
        scene.memory_at(out, &before);
        let mark = |scene: &mut Scene, word: u64| {
            let user = records(out + 4 * word, 0, 4 * 128, BUF_DATA_FORMAT_32).0;
            scene.dispatch(program, [64, 1, 1], &user, [2, 1, 1]);
        };
        let copy = |scene: &mut Scene, from: u64, to: u64, bytes: u32| {
            let ([from_low, from_high], [to_low, to_high]) = (halves(out + from), halves(out + to));
            scene.packet(op::DMA_DATA, &[0, from_low, from_high, to_low, to_high, bytes]);
        };
        let fill = |scene: &mut Scene, to: u64, bytes: u32, word: u32| {
            let [low, high] = halves(out + to);
            scene.packet(op::DMA_DATA, &[2 << 29, word, 0, low, high, bytes]);
        };
        mark(scene, 0);
        // From what is newer; bytes; over each other; to what is newer; then again by a shader.
        copy(scene, 0, 4 * 256, 512);
        copy(scene, 3, 4 * 400 + 1, 21);
        copy(scene, 4 * 100, 4 * 102, 64);
        copy(scene, 4 * 600, 4 * 8, 16);
        fill(scene, 4 * 260, 32, 0xAABB_CCDD);
        fill(scene, 4 * 500, 32, 0x1122_3344);
        fill(scene, 4 * 20 + 1, 5, 0x5566_7788);
        mark(scene, 256);
        out
    });
    let mut memory: Vec<u8> = (0..1024u32).flat_map(|word| (word << 8).to_le_bytes()).collect();
    let mark = |memory: &mut [u8], word: usize| {
        for word in memory[4 * word..4 * (word + 128)].as_chunks_mut::<4>().0 {
            *word = (u32::from_le_bytes(*word) + 1).to_le_bytes();
        }
    };
    let fill = |memory: &mut [u8], to: usize, bytes: usize, word: u32| {
        for (byte, value) in memory[to..to + bytes].iter_mut().zip(word.to_le_bytes().into_iter().cycle()) {
            *byte = value;
        }
    };
    mark(&mut memory, 0);
    for (from, to, bytes) in [(0, 1024, 512), (3, 1601, 21), (400, 408, 64), (2400, 32, 16)] {
        memory.copy_within(from..from + bytes, to);
    }
    fill(&mut memory, 1040, 32, 0xAABB_CCDD);
    fill(&mut memory, 2000, 32, 0x1122_3344);
    fill(&mut memory, 81, 5, 0x5566_7788);
    mark(&mut memory, 256);
    let expected: Vec<u32> = memory.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
    assert_eq!(seen, expected);
}

/// Each lane follows a pointer out of its part of a table at s[0:1] to what lies elsewhere, and leaves the sum of both values in a table
/// at s[2:3], behind which all of them are added together.
const POINTERS: &str = "
    v_lshlrev_b32 v1, 4, v0
    v_mov_b32 v6, 0
    v_add_i32 v2, vcc, s0, v1
    v_mov_b32 v3, s1
    v_addc_u32 v3, vcc, v6, v3, vcc
    flat_load_dwordx4 v[8:11], v[2:3]
    s_waitcnt vmcnt(0) lgkmcnt(0)
    flat_load_dword v12, v[8:9]
    s_waitcnt vmcnt(0) lgkmcnt(0)
    v_add_i32 v10, vcc, v10, v12
    v_lshlrev_b32 v1, 2, v0
    v_add_i32 v2, vcc, s2, v1
    v_mov_b32 v3, s3
    v_addc_u32 v3, vcc, v6, v3, vcc
    flat_store_dword v[2:3], v10
    s_add_u32 s4, s2, 256
    v_mov_b32 v4, s4
    v_mov_b32 v5, s3
    flat_atomic_add v[4:5], v10
    s_endpgm
";

#[test]
fn lanes_follow_pointers_through_memory() {
    let seen = words(65, |scene| {
        let values: Vec<u32> = (0..64).map(|n| 1000 * n).collect();
        let values = scene.put(&values);
        // One of the pointers leads to nothing.
        let of = |n: u64| if n == 5 { 0x10 } else { values + 4 * (n * 7 % 64) };
        let nodes: Vec<u32> = (0..64).flat_map(|n| [of(n) as u32, (of(n) >> 32) as u32, n as u32, 0]).collect();
        let table = halves(scene.put(&nodes));
        let out = scene.alloc(4 * 65, 4096);
        let program = scene.program(POINTERS);
        scene.dispatch(program, [64, 1, 1], &[table, halves(out)].concat(), [1, 1, 1]);
        out
    });
    let wanted: Vec<u32> = (0..64).map(|n| n + if n == 5 { 0 } else { n * 7 % 64 * 1000 }).collect();
    assert_eq!(seen[..64], wanted);
    assert_eq!(seen[64], wanted.iter().sum::<u32>());
}
