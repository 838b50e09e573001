//! Buffers: addresses, ranges, formats, atomic operations, private memory.

use afterimage_shader_gcn::io::BufferSpec;

use crate::machine::{Machine, RAW};

/// Runs code on a buffer with one lane.
fn one(memory: Vec<u32>, buffer: BufferSpec, records: u32, code: &str) -> Vec<u32> {
    let mut machine = Machine::new(1, memory);
    (machine.buffer, machine.records) = (buffer, records);
    machine.run(&format!("{code}\ns_endpgm"))
}

fn raw(memory: Vec<u32>, code: &str) -> Vec<u32> {
    let records = memory.len() as u32 * 4;
    one(memory, RAW, records, code)
}

#[test]
fn words_out_of_range_are_zero_and_are_not_written() {
    // The last two words of four are beyond the end.
    let code = "v_mov_b32_e32 v1, 8
        buffer_load_dwordx4 v[4:7], v1, s[0:3], 0 offen offset:8
        buffer_store_dwordx2 v[4:5], off, s[0:3], 0
        buffer_store_dwordx2 v[6:7], off, s[0:3], 0 offset:8";
    assert_eq!(raw(vec![1, 2, 3, 4, 5, 6], code), [5, 6, 0, 0, 5, 6]);
    let code = "v_mov_b32_e32 v1, 99
        buffer_store_dword v1, off, s[0:3], 0 offset:24
        s_mov_b32 s8, -4
        buffer_store_dword v1, off, s[0:3], s8";
    assert_eq!(raw(vec![1, 2, 3, 4, 5, 6], code), [1, 2, 3, 4, 5, 6]);
}

#[test]
fn bytes_and_halves_are_read_and_written() {
    let code = "buffer_load_ubyte v1, off, s[0:3], 0 offset:1
        buffer_load_sbyte v2, off, s[0:3], 0 offset:3
        buffer_load_ushort v3, off, s[0:3], 0 offset:2
        buffer_load_sshort v4, off, s[0:3], 0 offset:2
        buffer_store_dwordx4 v[1:4], off, s[0:3], 0 offset:8
        buffer_store_byte v1, off, s[0:3], 0 offset:7
        buffer_store_short v3, off, s[0:3], 0 offset:4";
    assert_eq!(
        raw(vec![0x8182_8384, 0xffff_ffff, 0, 0, 0, 0], code),
        [0x8182_8384, 0x83ff_8182, 0x83, 0xffff_ff81, 0x8182, 0xffff_8182]
    );
}

#[test]
fn records_have_a_stride_and_an_end() {
    // Records of 8 bytes, three of them; of the fourth nothing is read or written.
    let buffer = BufferSpec { word1: 8 << 16, ..RAW };
    let code = "v_mov_b32_e32 v1, 2
        buffer_load_dword v4, v1, s[0:3], 0 idxen offset:4
        v_mov_b32_e32 v2, 3
        buffer_load_dword v5, v2, s[0:3], 0 idxen
        v_mov_b32_e32 v3, 4
        buffer_load_dword v6, v[2:3], s[0:3], 0 idxen offen
        v_mov_b32_e32 v2, 1
        buffer_load_dword v7, v[2:3], s[0:3], 0 idxen offen
        v_mov_b32_e32 v2, 0
        buffer_store_dwordx2 v[4:5], v2, s[0:3], 0 idxen
        v_mov_b32_e32 v2, 1
        buffer_store_dwordx2 v[6:7], v2, s[0:3], 0 idxen";
    assert_eq!(one((10..18).collect(), buffer, 3, code), [15, 0, 0, 13, 14, 15, 16, 17]);
}

#[test]
fn swizzled_buffers_lay_elements_of_records_side_by_side() {
    // Elements of 4 bytes (code 1), 8 records a row (code 0), 8 bytes a record: element e of record i is word (8 e) + i of its row.
    let buffer = BufferSpec { word1: 8 << 16 | 1 << 31, word3: RAW.word3 & !(0xf << 19) | 1 << 19 };
    let load = |index: u32, offset: u32| {
        let code = format!(
            "v_mov_b32_e32 v1, {index}
            buffer_load_dword v4, v1, s[0:3], 0 idxen offset:{offset}
            v_mov_b32_e32 v1, 0
            buffer_store_dword v4, v1, s[0:3], 0 idxen"
        );
        one((100..132).collect(), buffer, 16, &code)[0]
    };
    assert_eq!(load(3, 0), 103);
    assert_eq!(load(3, 4), 111);
    assert_eq!(load(9, 0), 117);
    assert_eq!(load(9, 4), 125);
}

/// Data format, number format, memory, and the four components.
const FORMATS: &[(u32, u32, [u32; 4], [f32; 4])] = &[
    (1, 0, [0xff, 0, 0, 0], [1.0, 0.0, 0.0, 1.0]),
    (1, 1, [0x81, 0, 0, 0], [-1.0, 0.0, 0.0, 1.0]),
    (1, 1, [0x80, 0, 0, 0], [-1.0, 0.0, 0.0, 1.0]),
    (1, 2, [0x80, 0, 0, 0], [128.0, 0.0, 0.0, 1.0]),
    (1, 3, [0x80, 0, 0, 0], [-128.0, 0.0, 0.0, 1.0]),
    (1, 6, [0x80, 0, 0, 0], [-1.0, 0.0, 0.0, 1.0]),
    (2, 0, [0xffff, 0, 0, 0], [1.0, 0.0, 0.0, 1.0]),
    (2, 7, [0xc000, 0, 0, 0], [-2.0, 0.0, 0.0, 1.0]),
    (3, 0, [0x00ff, 0, 0, 0], [1.0, 0.0, 0.0, 1.0]),
    (3, 2, [0x0703, 0, 0, 0], [3.0, 7.0, 0.0, 1.0]),
    (4, 7, [0x3fc0_0000, 0, 0, 0], [1.5, 0.0, 0.0, 1.0]),
    (5, 1, [0x8001_7fff, 0, 0, 0], [1.0, -1.0, 0.0, 1.0]),
    (5, 7, [0x3800_c000, 0, 0, 0], [-2.0, 0.5, 0.0, 1.0]),
    // 11 bits of 1.0, 11 of 2.0, 10 of 0.5, the first component lowest.
    (6, 7, [0x3c0 | 0x400 << 11 | 0x1c0 << 22, 0, 0, 0], [1.0, 2.0, 0.5, 1.0]),
    (7, 7, [0x1e0 | 0x400 << 10 | 0x380 << 21, 0, 0, 0], [1.0, 2.0, 0.5, 1.0]),
    (8, 0, [3 | 1023 << 2, 0, 0, 0], [1.0, 1.0, 0.0, 0.0]),
    (9, 0, [1023 << 10 | 3 << 30, 0, 0, 0], [0.0, 1.0, 0.0, 1.0]),
    (9, 2, [1 | 2 << 10 | 3 << 20 | 1 << 30, 0, 0, 0], [1.0, 2.0, 3.0, 1.0]),
    (9, 3, [0x3ff | 2 << 10 | 0x200 << 20 | 3 << 30, 0, 0, 0], [-1.0, 2.0, -512.0, -1.0]),
    (10, 0, [0xff00_ff00, 0, 0, 0], [0.0, 1.0, 0.0, 1.0]),
    (10, 2, [0x0403_0201, 0, 0, 0], [1.0, 2.0, 3.0, 4.0]),
    (11, 7, [0x3f80_0000, 0x4000_0000, 0, 0], [1.0, 2.0, 0.0, 1.0]),
    (12, 7, [0x4000_3c00, 0x4400_4200, 0, 0], [1.0, 2.0, 3.0, 4.0]),
    (12, 2, [0x0002_0001, 0x0004_0003, 0, 0], [1.0, 2.0, 3.0, 4.0]),
    (13, 7, [0x3f80_0000, 0x4000_0000, 0x4040_0000, 0], [1.0, 2.0, 3.0, 1.0]),
    (14, 7, [0x3f80_0000, 0x4000_0000, 0x4040_0000, 0x4080_0000], [1.0, 2.0, 3.0, 4.0]),
];

fn with_format(data: u32, number: u32) -> BufferSpec {
    BufferSpec { word1: 0, word3: 0xfac | number << 12 | data << 15 }
}

#[test]
fn formats_are_read_and_written() {
    for &(data, number, memory, components) in FORMATS {
        let mut words = memory.to_vec();
        words.resize(12, 0);
        let code = "buffer_load_format_xyzw v[4:7], off, s[0:3], 0
            buffer_store_format_xyzw v[4:7], off, s[0:3], 0 offset:32
            buffer_store_dwordx4 v[4:7], off, s[0:3], 0 offset:16";
        let got = one(words, with_format(data, number), 48, code);
        let read: Vec<f32> = got[4..8].iter().map(|&word| f32::from_bits(word)).collect();
        assert_eq!(read, components, "data format {data}, number format {number}");
        // What was read comes back, but for the second pattern of the least number.
        if (data, number, memory[0]) != (1, 1, 0x80) {
            assert_eq!(got[8..12], memory, "data format {data}, number format {number}");
        }
    }
}

#[test]
fn integers_keep_their_bits_and_lack_a_one_in_alpha() {
    let code = "buffer_load_format_xyzw v[4:7], off, s[0:3], 0\nbuffer_store_dwordx4 v[4:7], off, s[0:3], 0 offset:16";
    let got = one(vec![0x8001_0002, 0, 0, 0, 0, 0, 0, 0], with_format(5, 4), 32, code);
    assert_eq!(got[4..8], [2, 0x8001, 0, 1]);
    let got = one(vec![0x8001_0002, 0, 0, 0, 0, 0, 0, 0], with_format(5, 5), 32, code);
    assert_eq!(got[4..8], [2, 0xffff_8001, 0, 1]);
}

#[test]
fn components_are_selected_and_what_is_out_of_range_has_no_one() {
    let load = |offset: u32| {
        // w, 1, 0, x.
        let buffer = BufferSpec { word1: 0, word3: 7 | 1 << 3 | 4 << 9 | 2 << 12 | 10 << 15 };
        let code = format!(
            "buffer_load_format_xyzw v[4:7], off, s[0:3], 0 offset:{offset}
            buffer_store_dwordx4 v[4:7], off, s[0:3], 0 offset:16"
        );
        one(vec![0x0403_0201, 0, 0, 0, 9, 9, 9, 9], buffer, 32, &code)[4..8].to_vec()
    };
    assert_eq!(load(0), [4f32, 1.0, 0.0, 1.0].map(f32::to_bits));
    assert_eq!(load(32), [0; 4]);
}

#[test]
fn the_instruction_has_the_format_of_typed_accesses() {
    let code = "tbuffer_load_format_xyz v[4:6], off, s[0:3], 0 format:[BUF_DATA_FORMAT_8_8_8_8,BUF_NUM_FORMAT_USCALED]
        tbuffer_store_format_xyz v[4:6], off, s[0:3], 0 format:[BUF_DATA_FORMAT_32_32_32,BUF_NUM_FORMAT_FLOAT] offset:4";
    assert_eq!(raw(vec![0x0403_0201, 0, 0, 0], code)[1..], [1f32, 2.0, 3.0].map(f32::to_bits));
}

#[test]
fn vertices_between_words_are_read_whole() {
    // 16-bit components in records of six bytes.
    let buffer = BufferSpec { word1: 6 << 16, word3: 0xfac | 2 << 12 | 12 << 15 };
    let code = "v_mov_b32_e32 v1, 1
        buffer_load_format_xyz v[4:6], v1, s[0:3], 0 idxen
        v_mov_b32_e32 v1, 0
        buffer_store_dwordx3 v[4:6], v1, s[0:3], 0 idxen";
    let got = one(vec![0x0002_0001, 0x0004_0003, 0x0006_0005, 0x0008_0007], buffer, 3, code);
    // The store is of the first record, whose two words and a half are followed by the rest of the third.
    assert_eq!(got[..3], [4f32, 5.0, 6.0].map(f32::to_bits));
}

#[test]
fn components_between_words_are_written_without_their_neighbours() {
    let buffer = BufferSpec { word1: 6 << 16, word3: 0xfac | 4 << 12 | 12 << 15 };
    let code = "v_mov_b32_e32 v1, 1
        v_mov_b32_e32 v4, 1
        v_mov_b32_e32 v5, 2
        v_mov_b32_e32 v6, 3
        v_mov_b32_e32 v7, 4
        buffer_store_format_xyzw v[4:7], v1, s[0:3], 0 idxen";
    assert_eq!(one(vec![u32::MAX; 5], buffer, 3, code), [u32::MAX, 0x0001_ffff, 0x0003_0002, 0xffff_0004, u32::MAX]);
}

/// Instruction, memory, data, and what is there then.
const ATOMICS: &[(&str, u32, u32, u32)] = &[
    ("swap", 5, 9, 9),
    ("add", 5, 9, 14),
    ("sub", 5, 9, 5u32.wrapping_sub(9)),
    ("smin", 5, -3i32 as u32, -3i32 as u32),
    ("umin", 5, -3i32 as u32, 5),
    ("smax", 5, -3i32 as u32, 5),
    ("umax", 5, -3i32 as u32, -3i32 as u32),
    ("and", 12, 10, 8),
    ("or", 12, 10, 14),
    ("xor", 12, 10, 6),
    ("inc", 5, 9, 6),
    ("inc", 9, 9, 0),
    ("dec", 5, 9, 4),
    ("dec", 0, 9, 9),
    ("dec", 11, 9, 9),
    ("fmin", 0x3f80_0000, 0xc000_0000, 0xc000_0000),
    ("fmax", 0x3f80_0000, 0xc000_0000, 0x3f80_0000),
];

#[test]
fn atomic_operations_change_memory_and_give_what_was_there() {
    for &(name, memory, data, wanted) in ATOMICS {
        let code = format!(
            "v_mov_b32_e32 v4, {data:#x}
            buffer_atomic_{name} v4, off, s[0:3], 0 offset:4 glc
            buffer_store_dword v4, off, s[0:3], 0 offset:8
            v_mov_b32_e32 v4, {data:#x}
            buffer_atomic_{name} v4, off, s[0:3], 0 offset:12
            buffer_store_dword v4, off, s[0:3], 0"
        );
        let got = raw(vec![0, memory, 0, memory], &code);
        assert_eq!(got, [data, wanted, memory, wanted], "{name}");
    }
    let swap = "v_mov_b32_e32 v4, 7
        v_mov_b32_e32 v5, 3
        buffer_atomic_cmpswap v[4:5], off, s[0:3], 0 glc
        buffer_store_dword v4, off, s[0:3], 0 offset:4";
    assert_eq!(raw(vec![3, 0], swap), [7, 3]);
    assert_eq!(raw(vec![4, 0], swap), [4, 4]);
    let wide = "v_mov_b32_e32 v4, 1
        v_mov_b32_e32 v5, 2
        buffer_atomic_add_x2 v[4:5], off, s[0:3], 0 glc
        buffer_store_dwordx2 v[4:5], off, s[0:3], 0 offset:8";
    assert_eq!(raw(vec![u32::MAX, 4, 0, 0], wide), [0, 7, u32::MAX, 4]);
    // Beyond the end nothing happens and nothing was there.
    let beyond = "v_mov_b32_e32 v4, 1
        buffer_atomic_add v4, off, s[0:3], 0 offset:64 glc
        buffer_store_dword v4, off, s[0:3], 0";
    assert_eq!(raw(vec![9, 9], beyond), [0, 9]);
}

#[test]
fn each_lane_has_private_memory() {
    // The V# adds the lane's number and swizzles; it is made by the program, as RADV does.
    let text = "s_mov_b32 s4, s0
        s_or_b32 s5, s1, 0x80000000
        s_mov_b32 s6, -1
        s_mov_b32 s7, 0x00e80fac
        v_lshlrev_b32_e32 v1, 2, v0
        buffer_store_dword v0, v1, s[4:7], 0 offen
        v_mov_b32_e32 v2, 0x80
        buffer_store_byte v2, v1, s[4:7], 0 offen offset:1
        buffer_load_dword v3, v1, s[4:7], 0 offen
        buffer_load_sbyte v4, v1, s[4:7], 0 offen offset:1
        v_lshlrev_b32_e32 v1, 3, v0
        buffer_store_dwordx2 v[3:4], v1, s[0:3], 0 offen
        s_endpgm";
    let mut machine = Machine::new(8, vec![0; 16]);
    machine.scratch = true;
    let wanted: Vec<u32> = (0..8).flat_map(|lane| [lane | 0x8000, 0xffff_ff80]).collect();
    assert_eq!(machine.run(text), wanted);
}

#[test]
fn private_memory_is_as_large_as_the_program_says() {
    let text = "v_mov_b32_e32 v1, 5
        s_mov_b32 s8, 2400
        buffer_store_dword v1, off, s[0:3], s8
        buffer_load_dword v2, off, s[0:3], s8
        s_endpgm";
    let words = |scratch| {
        let mut machine = Machine::new(1, vec![0; 16]);
        (machine.registers.scratch, machine.scratch) = (scratch, true);
        machine.text(text)
    };
    assert!(words(0).contains("\"scratch\" : i32 [1024]"), "{}", words(0));
    assert!(words(640).contains("\"scratch\" : i32 [640]"));
    assert!(words(1 << 20).contains("\"scratch\" : i32 [3840]"));
}

#[test]
fn memory_is_found_by_its_address() {
    // What is mapped begins at 0x1_0000_0000 and has 64 words; each lane reads the word that its number doubled is of, and there is
    // none for the upper half of them, nor in front.
    let code = "v_lshlrev_b32_e32 v2, 3, v0
        v_mov_b32_e32 v3, 1
        v_mov_b32_e32 v5, 77
        v_mov_b32_e32 v6, -4
        v_mov_b32_e32 v7, 0
        flat_load_dword v4, v[2:3]
        flat_load_dword v5, v[6:7]
        v_add_i32_e32 v4, vcc, v4, v5
        v_lshlrev_b32_e32 v0, 2, v0
        v_mov_b32_e32 v1, 1
        s_barrier
        flat_store_dword v[0:1], v4
        flat_store_dword v[6:7], v4
        s_endpgm";
    let memory: Vec<u32> = (0..64).map(|n| n * n).collect();
    let wanted: Vec<u32> = (0..64).map(|n: u32| if n < 32 { 4 * n * n } else { 0 }).collect();
    assert_eq!(Machine::new(64, memory).run(code), wanted);
}

#[test]
fn a_descriptor_can_be_moved_by_addresses_of_lanes() {
    // The descriptor of the whole, 8 bytes on by the instruction and 4 by a register, less 4 by the lane.
    let code = "v_mov_b32_e32 v0, -4
        v_mov_b32_e32 v1, -1
        s_mov_b32 s8, 4
        buffer_load_dword v2, v[0:1], s[0:3], s8 addr64 offset:8
        v_mov_b32_e32 v0, 0
        v_mov_b32_e32 v1, 0
        buffer_store_dword v2, v[0:1], s[0:3], 0 addr64
        s_endpgm";
    assert_eq!(Machine::new(1, vec![1, 2, 3, 4]).run(code), [3, 2, 3, 4]);
}

/// A loop of loads past caches waits for another work group: they are not taken out of it.
#[test]
fn what_another_group_stores_is_read_again() {
    let wait = |glc: &str| {
        let code = format!(
            "v_lshlrev_b32_e32 v0, 2, v0
            wait:
            buffer_load_dword v2, v0, s[0:3], 0 offen {glc}
            v_cmp_eq_u32_e32 vcc, 0, v2
            s_cbranch_vccnz wait
            s_endpgm"
        );
        Machine::new(64, vec![1; 64]).text(&code)
    };
    let [plain, shared] = ["", "glc"].map(wait);
    assert!(!plain.contains("memory_barrier"), "{plain}");
    assert!(shared.contains("memory_barrier"), "{shared}");
}
