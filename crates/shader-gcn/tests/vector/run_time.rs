//! Buffers whose descriptors come out of memory while the program runs: they do what the same descriptors do that are known before.

use crate::machine::{BASE, Machine, RAW};

/// Words of memory.
const WORDS: usize = 2048;
/// Byte at which the descriptors begin, sixteen bytes each, and at which what lanes find is stored, sixteen bytes each.
const TABLE: u32 = 0x400;
const FOUND: u32 = 0x1000;
/// Lanes.
const LANES: u32 = 8;

/// Loads descriptor `n` of the table, of which the program does not know what it is, into `s[8:11]`.
fn descriptor(n: u32) -> String {
    format!(
        "v_mov_b32_e32 v20, {:#x}
         v_readfirstlane_b32_e32 s12, v20
         s_mov_b32 s13, {BASE_HIGH:#x}
         s_mov_b32 s14, {BASE_LOW:#x}
         s_mov_b32 s15, s13
         s_load_dwordx4 s[8:11], s[14:15], s12
         s_waitcnt lgkmcnt(0)
",
        TABLE + 16 * n,
        BASE_HIGH = BASE >> 32,
        BASE_LOW = BASE as u32,
    )
}

/// Each lane stores `v[4:7]`.
fn store() -> String {
    format!(
        "v_lshlrev_b32_e32 v21, 4, v0
         v_add_i32_e32 v21, vcc, {FOUND:#x}, v21
         buffer_store_dwordx4 v[4:7], v21, s[0:3], 0 offen
         s_endpgm"
    )
}

/// A machine whose memory has numbers, and these descriptors.
fn machine(descriptors: &[[u32; 4]]) -> Machine {
    let mut memory: Vec<u32> = (0..WORDS as u32).map(|n| n.wrapping_mul(0x9e37_79b9) & 0xbf7f_ffff).collect();
    for (n, descriptor) in descriptors.iter().enumerate() {
        memory[TABLE as usize / 4 + 4 * n..][..4].copy_from_slice(descriptor);
    }
    Machine::new(LANES, memory)
}

fn found(memory: &[u32]) -> &[u32] {
    &memory[FOUND as usize / 4..][..4 * LANES as usize]
}

/// A descriptor of the memory behind a byte, with so much of a record in its place.
fn buffer(first: u32, stride: u32, records: u32, word3: u32) -> [u32; 4] {
    [BASE as u32 + first, (BASE >> 32) as u32 | stride << 16, records, word3]
}

#[test]
fn loads_and_stores_go_where_registers_say() {
    let machine = machine(&[buffer(0x100, 0, 64, RAW.word3), buffer(0x100, 24, 3, RAW.word3)]);
    let memory = &machine.memory;
    // Without records bytes are counted, of each word by itself.
    let code = "v_lshlrev_b32_e32 v1, 3, v0
        v_mov_b32_e32 v6, 0\nv_mov_b32_e32 v7, 0
        s_mov_b32 s16, 8
        buffer_load_dwordx2 v[4:5], v1, s[8:11], s16 offen offset:4
        buffer_load_ubyte v6, v1, s[8:11], 0 offen offset:3
        buffer_load_sshort v7, v1, s[8:11], 0 offen offset:2
";
    let left = machine.run(&(descriptor(0) + code + &store()));
    for lane in 0..LANES as usize {
        let word = |byte: usize| if byte + 4 <= 64 { memory[(0x100 + byte) / 4] } else { 0 };
        let bits = word(8 * lane);
        let wanted = [word(8 * lane + 12), word(8 * lane + 16), bits >> 24, ((bits as i32) >> 16) as u32];
        assert_eq!(found(&left)[4 * lane..][..4], wanted, "lane {lane}");
    }
    // With them it is they that are.
    let code = "buffer_load_dwordx4 v[4:7], v0, s[8:11], 0 idxen offset:8\n";
    let left = machine.run(&(descriptor(1) + code + &store()));
    for lane in 0..LANES as usize {
        let word = |n: usize| if lane < 3 { memory[(0x108 + 24 * lane) / 4 + n] } else { 0 };
        assert_eq!(found(&left)[4 * lane..][..4], [0, 1, 2, 3].map(word), "lane {lane}");
    }
    // Stores and atomic operations, past the end of which nothing happens.
    let code = "v_lshlrev_b32_e32 v1, 4, v0
        v_add_i32_e32 v4, vcc, 0x55, v0
        buffer_store_dword v4, v1, s[8:11], 0 offen offset:4
        v_mov_b32_e32 v5, 7
        buffer_atomic_add v5, v1, s[8:11], 0 offen offset:4 glc
        v_mov_b32_e32 v6, 0\nv_mov_b32_e32 v7, 0
        buffer_store_byte v4, v1, s[8:11], 0 offen offset:9
";
    let left = machine.run(&(descriptor(0) + code + &store()));
    let mut wanted = memory.clone();
    for lane in 0..LANES as usize {
        let inside = 16 * lane < 64;
        let value = 0x55 + lane as u32;
        if inside {
            wanted[0x104 / 4 + 4 * lane] = value + 7;
            let byte = &mut wanted[0x108 / 4 + 4 * lane];
            *byte = *byte & !0xff00 | value << 8;
        }
        wanted[FOUND as usize / 4 + 4 * lane..][..4].copy_from_slice(&[value, if inside { value } else { 0 }, 0, 0]);
    }
    assert_eq!(left, wanted);
}

#[test]
fn scalar_loads_go_where_registers_say() {
    let machine = machine(&[buffer(0x100, 0, 20, RAW.word3), [BASE as u32 + 0x200, (BASE >> 32) as u32, 0, 0]]);
    let moves = "v_mov_b32_e32 v4, s16\nv_mov_b32_e32 v5, s17\nv_mov_b32_e32 v6, s18\nv_mov_b32_e32 v7, s19\n";
    let word = |byte: usize| machine.memory[byte / 4];
    let left = machine.run(&(descriptor(0) + "s_buffer_load_dwordx4 s[16:19], s[8:11], 0x2\n" + moves + &store()));
    assert_eq!(found(&left)[..4], [word(0x108), word(0x10c), word(0x110), 0]);
    let left = machine.run(&(descriptor(1) + "s_load_dwordx4 s[16:19], s[8:9], 0x3\n" + moves + &store()));
    assert_eq!(found(&left)[..4], [0x20c, 0x210, 0x214, 0x218].map(word));
    // A lane's part of the address is added to it.
    let code = "v_lshlrev_b32_e32 v8, 4, v0\nv_mov_b32_e32 v9, 0
        buffer_load_dwordx4 v[4:7], v[8:9], s[8:11], 0 addr64 offset:4\n";
    let left = machine.run(&(descriptor(1) + code + &store()));
    assert_eq!(found(&left)[12..16], [0x234, 0x238, 0x23c, 0x240].map(word));
}

#[test]
fn elements_lie_side_by_side_where_registers_say_so() {
    // Elements of 4 bytes, 8 records a row, 8 bytes a record.
    let swizzled = RAW.word3 & !(0x1f << 19) | 1 << 19;
    let [low, high, records, word3] = buffer(0x100, 8, 6, swizzled);
    // The same, and the lane's number is added to the index.
    let machine = machine(&[[low, high | 1 << 31, records, word3], [low, high | 1 << 31, records, word3 | 1 << 23]]);
    let load = |lane: usize, element: usize| {
        if lane < 6 { machine.memory[0x100 / 4 + 8 * element + lane] } else { 0 }
    };
    for (n, address) in [(0, "v0, s[8:11], 0 idxen"), (1, "v1, s[8:11], 0 idxen")] {
        let code = format!(
            "v_mov_b32 v1, 0\nv_mov_b32 v6, 0\nv_mov_b32 v7, 0
            buffer_load_dword v4, {address}
            buffer_load_dword v5, {address} offset:4
            buffer_store_dword v0, {address} offset:4
"
        );
        let left = machine.run(&(descriptor(n) + &code + &store()));
        for lane in 0..LANES as usize {
            assert_eq!(found(&left)[4 * lane..][..2], [load(lane, 0), load(lane, 1)], "descriptor {n}, lane {lane}");
        }
        let stored: Vec<u32> = (0..6).collect();
        assert_eq!(left[0x100 / 4 + 8..][..6], stored, "descriptor {n}");
    }
}

/// Every format, by the instruction and by the descriptor, against the same descriptor that is known before.
#[test]
fn formats_are_those_of_the_descriptor() {
    const ONES: u32 = 4 | 5 << 3 | 6 << 6 | 1 << 9;
    const TURNED: u32 = 6 | 5 << 3 | 7 << 6 | 4 << 9;
    for data in 1..15 {
        for number in [0, 1, 2, 3, 4, 5, 6, 7] {
            let selects = [0xfac, ONES, TURNED][(data as usize + number as usize) % 3];
            let word3 = selects | number << 12 | data << 15;
            let mut machine = machine(&[buffer(0, 16, 6, word3)]);
            let typed = format!("buffer_load_format_xyzw v[4:7], v0, s[8:11], 0 idxen\n{}", store());
            // The machine's own descriptor is that of all memory.
            let seen = machine.run(&(descriptor(0) + &typed));
            (machine.buffer.word1, machine.buffer.word3, machine.records) = (16 << 16, word3, 6);
            let known = "s_mov_b32 s8, s0\ns_mov_b32 s9, s1\ns_mov_b32 s10, s2\ns_mov_b32 s11, s3\n";
            let whole = "s_mov_b32 s1, 1\ns_mov_b32 s2, 0x2000\ns_mov_b32 s3, 0x27fac\n";
            let (load, rest) = typed.split_once('\n').unwrap();
            let text = format!("{known}{load}\n{whole}{rest}");
            let wanted = machine.run_with(&text, &[machine.buffer, RAW]);
            assert_eq!(found(&seen), found(&wanted), "data format {data}, number format {number}");
            // The same the other way: floats and integers of either sign, in formats that are not all of a word.
            let values = "v_mov_b32 v4, 0x3f400000\nv_mov_b32 v5, 0xbe800000\nv_mov_b32 v6, 0x45\nv_mov_b32 v7, -3\n";
            let store = "buffer_store_format_xyzw v[4:7], v0, s[8:11], 0 idxen\ns_endpgm";
            let seen = machine.run(&(descriptor(0) + values + store));
            let wanted = machine.run_with(&format!("{known}{values}{store}"), &[machine.buffer]);
            assert_eq!(seen, wanted, "stores in data format {data}, number format {number}");
        }
    }
}

/// A descriptor that went through lanes of a vector register, and other scalars there, also those that no lane of a small host has.
#[test]
fn scalars_come_back_out_of_lanes() {
    let machine = machine(&[]);
    let code = "v_writelane_b32 v9, s0, 40
        v_writelane_b32 v9, s1, 41
        v_writelane_b32 v9, s2, 62
        v_writelane_b32 v9, s3, 63
        s_mov_b32 s16, 0x1234
        v_writelane_b32 v9, s16, 33
        s_mov_b32 s16, 0
        v_mov_b32_e32 v5, v0\nv_mov_b32_e32 v6, 0\nv_mov_b32_e32 v7, 0
        v_readlane_b32 s20, v9, 40
        v_readlane_b32 s21, v9, 41
        v_readlane_b32 s22, v9, 62
        v_readlane_b32 s23, v9, 63
        v_readlane_b32 s17, v9, 33
        v_mov_b32_e32 v4, s17
        v_lshlrev_b32_e32 v21, 4, v0
        v_add_i32_e32 v21, vcc, 0x1000, v21
        buffer_store_dwordx4 v[4:7], v21, s[20:23], 0 offen
        s_endpgm";
    let left = machine.run(code);
    for lane in 0..LANES {
        assert_eq!(found(&left)[4 * lane as usize..][..4], [0x1234, lane, 0, 0]);
    }
    // Nothing asks for lanes by number, so waves of any size do.
    let text = machine.text(code);
    assert!(!text.contains("lane_index") && !text.contains("read_lane") && !text.contains("guest_waves"), "{text}");
}
