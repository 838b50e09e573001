//! Memory that begins, ends and has gaps anywhere, as recordings have it that say just what a program wrote; and constants beside code.

use crate::play::{Job, Played, dump, memory, play};
use crate::rig::records;
use afterimage_gnm::gcap::Record;
use afterimage_gnm_types::descriptors::buffer;
use afterimage_gnm_types::value::*;

const COMMANDS: u64 = 0x8_0000_0000;
const CODE: u64 = 0x9_0000_0000;
const TABLE: u64 = 0xA_0000_0000;
const FROM: u64 = 0xB_0000_0000;
const TO: u64 = 0xC_0000_0000;

/// Places in a page, and whether they are in its last bytes.
const PLACES: [u64; 14] = [1, 2, 3, 4, 5, 63, 127, 255, 1021, 2048, 3001, 4091, 4094, 4095];

fn assembled(text: &str) -> Vec<u32> {
    afterimage_shader_gcn::assemble(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn bytes_at(address: u64, bytes: &[u8]) -> Record {
    Record::Memory { address, bytes: bytes.to_vec() }
}

fn some_bytes(count: usize) -> Vec<u8> {
    (0..count).map(|at| (at * 73 + 41) as u8 | 1).collect()
}

/// The user data that point to a table.
fn pointer(table: u64) -> [u32; 2] {
    [table as u32, (table >> 32) as u32]
}

/// Without what the test is not about.
fn played(records: &[Record]) -> Played {
    let played = play(records);
    assert_eq!(played.faults, []);
    played
}

/// Copies what is at the number of the lane from the V# at s[0:1] to the next.
fn copy(load: &str, store: &str, shift: u32) -> Vec<u32> {
    assembled(&format!(
        "s_load_dwordx4 s[4:7], s[0:1], 0x0
         s_load_dwordx4 s[8:11], s[0:1], 0x4
         s_lshl_b32 s12, s16, 6
         v_add_i32 v4, vcc, s12, v0
         v_lshlrev_b32 v4, {shift}, v4
         s_waitcnt lgkmcnt(0)
         {load} v5, v4, s[4:7], 0 offen
         s_waitcnt vmcnt(0)
         {store} v5, v4, s[8:11], 0 offen
         s_endpgm"
    ))
}

/// What a copy of `count` bytes, `1 << shift` at a time, leaves: `from` and `to` are places in pages.
fn copied(code: &[u32], shift: u32, [from, to]: [u64; 2], count: usize) -> Vec<u8> {
    let (from, to) = (FROM + from, TO + to);
    // Of a page that others have the rest of.
    let source = some_bytes(count);
    let descriptors = [from, to].map(|at| records(at, 0, count as u32, BUF_DATA_FORMAT_32).0).concat();
    let table = TABLE + (from + 7 * to) % 4096 / 4 * 4;
    let mut records = vec![
        memory(CODE, code),
        memory(table, &descriptors),
        bytes_at(from, &source),
        bytes_at(to, &vec![0xEE; count]),
    ];
    let user = pointer(table);
    let job = Job::new(CODE, 64, &user, (count as u32 >> shift).div_ceil(64));
    records.extend(job.submit(0, COMMANDS + (from + to) % 1024 * 4));
    records.push(dump(to, count as u64));
    let Played { dumps, log, .. } = played(&records);
    assert_eq!(log, "");
    dumps[0].clone()
}

#[test]
fn bytes_are_where_they_are() {
    let code = copy("buffer_load_ubyte", "buffer_store_byte", 0);
    for (n, place) in PLACES.into_iter().enumerate() {
        let to = PLACES[(n + 5) % PLACES.len()];
        assert_eq!(copied(&code, 0, [place, to], 5000), some_bytes(5000), "from {place} to {to}");
    }
}

#[test]
fn words_begin_and_end_inside_of_pages() {
    let code = copy("buffer_load_dword", "buffer_store_dword", 2);
    for place in PLACES.into_iter().map(|place| place / 4 * 4) {
        assert_eq!(copied(&code, 2, [place, (place * 5 + 4) % 4096], 4100), some_bytes(4100), "at {place}");
    }
}

#[test]
fn texels_begin_at_any_byte() {
    // Three bytes a record: a texel of two of them.
    let code = assembled(
        "s_load_dwordx4 s[4:7], s[0:1], 0x0
         s_load_dwordx4 s[8:11], s[0:1], 0x4
         s_waitcnt lgkmcnt(0)
         buffer_load_format_xy v[4:5], v0, s[4:7], 0 idxen
         s_waitcnt vmcnt(0)
         buffer_store_format_xy v[4:5], v0, s[8:11], 0 idxen
         s_endpgm",
    );
    for place in PLACES {
        let (from, to) = (FROM + place, TO + (place * 3 + 1) % 4096);
        let texels = |at| {
            let texels = records(at, 3, 64, BUF_DATA_FORMAT_8_8);
            texels.with(buffer::NUM_FORMAT, BUF_NUM_FORMAT_UINT).0
        };
        let mut records = vec![
            memory(CODE, &code),
            memory(TABLE + 8, &[texels(from), texels(to)].concat()),
            bytes_at(from, &some_bytes(192)),
            bytes_at(to, &[0xEE; 192]),
        ];
        records.extend(Job::new(CODE, 64, &pointer(TABLE + 8), 1).submit(0, COMMANDS));
        records.push(dump(to, 192));
        let Played { dumps, log, .. } = played(&records);
        assert_eq!(log, "");
        let mut wanted = some_bytes(192);
        wanted.iter_mut().skip(2).step_by(3).for_each(|byte| *byte = 0xEE);
        assert_eq!(dumps[0], wanted, "at {place}");
    }
}

#[test]
fn what_lies_behind_a_gap_is_read_and_written_and_the_gap_is_named() {
    // Of 1024 words at both ends three parts are mapped.
    let parts = [0..1001, 1500..2003, 3996..4096];
    let code = copy("buffer_load_dword", "buffer_store_dword", 2);
    let (from, to) = (FROM + 3300, TO + 40);
    let descriptors = [from, to].map(|at| records(at, 0, 4096, BUF_DATA_FORMAT_32).0).concat();
    let mut source = some_bytes(4096);
    let mut records = vec![memory(CODE, &code), memory(TABLE, &descriptors)];
    for part in &parts {
        records.push(bytes_at(from + part.start as u64, &source[part.clone()]));
        records.push(Record::Map { address: to + part.start as u64, size: part.len() as u64 });
    }
    records.extend(Job::new(CODE, 64, &pointer(TABLE), 16).submit(0, COMMANDS));
    records.push(dump(to, 4096));
    let Played { dumps, log, .. } = played(&records);
    (0..4096).filter(|at| parts.iter().all(|part| !part.contains(at))).for_each(|at| source[at] = 0);
    assert!(dumps[0] == source);
    let gaps: Vec<&str> = log.lines().filter(|line| line.contains("of the 4096 bytes of its buffer")).collect();
    assert_eq!(gaps.len(), 2, "{log}");
    assert!(gaps[0].contains("cs program at 0x900000000") && gaps[0].contains("2492 are not mapped"), "{log}");
}

#[test]
fn what_is_stored_where_nothing_is_mapped_is_told() {
    let code = copy("buffer_load_dword", "buffer_store_dword", 2);
    let descriptors = [FROM, TO].map(|at| records(at, 0, 256, BUF_DATA_FORMAT_32).0).concat();
    let mut records = vec![
        memory(CODE, &code),
        memory(TABLE, &descriptors),
        bytes_at(FROM, &some_bytes(256)),
        Record::Map { address: TO, size: 100 },
        Record::Map { address: TO + 200, size: 56 },
    ];
    records.extend(Job::new(CODE, 64, &pointer(TABLE), 1).submit(0, COMMANDS));
    records.push(dump(TO, 256));
    let Played { dumps, log, .. } = played(&records);
    let source = some_bytes(256);
    assert!(dumps[0][..100] == source[..100] && dumps[0][200..] == source[200..]);
    let lost = format!("0x64 bytes at guest address {:#x} are not all mapped", TO + 100);
    assert!(log.contains(&lost), "{log}");
}

#[test]
fn memory_that_is_written_again_is_seen_in_a_page_that_begins_with_nothing() {
    let code = copy("buffer_load_dword", "buffer_store_dword", 2);
    let (from, to) = (FROM + 0x404, TO + 0x808);
    let descriptors = [from, to].map(|at| records(at, 0, 256, BUF_DATA_FORMAT_32).0).concat();
    let mut source = some_bytes(256);
    let mut records = vec![
        memory(CODE, &code),
        memory(TABLE, &descriptors),
        bytes_at(from, &source),
        Record::Map { address: to, size: 256 },
    ];
    let user = pointer(TABLE);
    let job = Job::new(CODE, 64, &user, 1);
    records.extend(job.submit(0, COMMANDS));
    source[9] = 99;
    records.push(bytes_at(from + 9, &[99]));
    records.extend(job.submit(0, COMMANDS));
    records.push(dump(to, 256));
    assert!(played(&records).dumps[0] == source);
}

#[test]
fn numbers_of_groups_lie_at_the_end_of_a_range() {
    let code = copy("buffer_load_dword", "buffer_store_dword", 2);
    let (from, to) = (FROM + 4, TO + 4092);
    let descriptors = [from, to].map(|at| records(at, 0, 1024, BUF_DATA_FORMAT_32).0).concat();
    for place in [4, 1020, 4084, 4088] {
        let arguments = 0xD_0000_0000 + place;
        let mut records = vec![
            memory(CODE, &code),
            memory(TABLE, &descriptors),
            memory(arguments, &[3, 1, 1]),
            bytes_at(from, &some_bytes(1024)),
            Record::Map { address: to, size: 1024 },
        ];
        records.extend(Job::new(CODE, 64, &pointer(TABLE), 0).submit_indirect(COMMANDS, arguments));
        records.push(dump(to, 1024));
        let Played { dumps, .. } = played(&records);
        assert!(dumps[0][..768] == some_bytes(768) && dumps[0][768..].iter().all(|byte| *byte == 0));
    }
}

/// Stores v5 at the number of the lane through the V# at s[0:3].
const STORE: &str = "
    v_lshlrev_b32 v4, 2, v0
    buffer_store_dword v5, v4, s[0:3], 0 offen
    s_endpgm";

/// What a program stores that has 64 words behind its code, which it finds by its own address; `body` has that of the first in
/// s[20:21], and leaves a word in v5.
fn beside_code(body: &str, code: u64, twice: bool) -> Vec<u32> {
    let text = |distance: usize| {
        let nothing = "s_nop 0\n".repeat(20);
        let address = format!("s_getpc_b64 s[20:21]\n s_add_u32 s20, s20, {distance:#x}\n s_addc_u32 s21, s21, 0");
        format!("{address}\n {nothing} {body}\n {STORE}")
    };
    // The distance is too large for anything but a word of its own.
    let length = assembled(&text(0x1234)).len();
    let mut words = assembled(&text(4 * (length - 1)));
    assert_eq!(words.len(), length);
    words.extend((0..64).map(|n| 1000 + n * n));
    let to = TO + 36;
    let mut records = vec![memory(code, &words), Record::Map { address: to, size: 256 }];
    let user = records_of(to);
    let job = Job::new(code, 64, &user, 1);
    records.extend(job.submit(0, COMMANDS));
    if twice {
        // The same code elsewhere has other constants.
        let there = code + 0x7_0000_0100;
        words[length..].iter_mut().for_each(|word| *word += 7);
        records.push(memory(there, &words));
        records.extend(Job { code: there, ..job }.submit(0, COMMANDS));
    }
    records.push(dump(to, 256));
    let Played { dumps, log, .. } = played(&records);
    assert_eq!(log, "");
    dumps[0].as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

fn records_of(to: u64) -> [u32; 4] {
    records(to, 0, 256, BUF_DATA_FORMAT_32).0
}

#[test]
fn constants_beside_the_code_are_read_where_the_code_is() {
    let squares = |add: u32| (0..64).map(|n| 1000 + n * n + add).collect::<Vec<u32>>();
    // One that is known, at an offset.
    let known = "s_load_dword s8, s[20:21], 0x5\n s_waitcnt lgkmcnt(0)\n v_mov_b32 v5, s8";
    // One that the loop's counter says.
    let counted = "
        s_mov_b32 s8, 0
        s_mov_b32 s9, 0
    again:
        s_lshl_b32 s10, s8, 2
        s_load_dword s11, s[20:21], s10
        s_waitcnt lgkmcnt(0)
        s_add_i32 s9, s9, s11
        s_add_i32 s8, s8, 1
        s_cmp_lt_u32 s8, 64
        s_cbranch_scc1 again
        v_mov_b32 v5, s9";
    // Each lane's, through a V# of the code's own.
    let buffer = "
        s_mov_b32 s22, 0x100
        s_mov_b32 s23, 0x00027fac
        v_lshlrev_b32 v4, 2, v0
        buffer_load_dword v5, v4, s[20:23], 0 offen
        s_waitcnt vmcnt(0)";
    // The same through a scalar load of a buffer.
    let scalar = "
        s_mov_b32 s22, 0x100
        s_mov_b32 s23, 0x00027fac
        s_buffer_load_dword s8, s[20:23], 0x9
        s_waitcnt lgkmcnt(0)
        v_mov_b32 v5, s8";
    for code in [0x100, CODE + 0xF00, 0xFF_FFFF_FF00] {
        assert_eq!(beside_code(known, code, false), [1025; 64]);
        assert_eq!(beside_code(counted, code, false), [squares(0).iter().sum::<u32>(); 64]);
        assert_eq!(beside_code(buffer, code, false), squares(0));
        assert_eq!(beside_code(scalar, code, false), [1081; 64]);
    }
    assert_eq!(beside_code(known, CODE, true), [1032; 64]);
    assert_eq!(beside_code(buffer, CODE, true), squares(7));
}

#[test]
fn programs_that_name_addresses_see_more_ranges_than_there_are_windows() {
    // Adds one to the word at the address in s[0:1] and the number of the lane times the word behind that.
    let code = assembled(
        "v_mov_b32 v4, s2
         v_mul_lo_u32 v4, v4, v0
         v_add_i32 v4, vcc, s0, v4
         v_mov_b32 v5, s1
         v_addc_u32 v5, vcc, 0, v5, vcc
         flat_load_dword v6, v[4:5]
         s_waitcnt vmcnt(0) lgkmcnt(0)
         v_add_i32 v6, vcc, 1, v6
         flat_store_dword v[4:5], v6
         s_endpgm",
    );
    // 64 words, most of them in pages of their own, some two to a page.
    for step in [0x404u32, 0x1_0404] {
        let place = |lane: u64| FROM + 0xFFC + lane * u64::from(step);
        let mut records = vec![memory(CODE, &code)];
        records.extend((0..64u32).map(|lane| memory(place(lane.into()), &[100 * lane])));
        let user = [place(0) as u32, (place(0) >> 32) as u32, step];
        records.extend(Job::new(CODE, 64, &user, 1).submit(0, COMMANDS));
        records.extend((0..64).map(|lane| dump(place(lane), 4)));
        let Played { dumps, .. } = played(&records);
        let words: Vec<u32> =
            dumps.iter().map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect();
        assert_eq!(words, (0..64).map(|lane| 100 * lane + 1).collect::<Vec<_>>());
    }
}
