//! A recording of GNM work, made here.

use afterimage_gnm::driver::{Call, calls};
use afterimage_gnm::gcap::{Dump, Picture, Record, Submission, Writer};
use afterimage_gnm_types::packets::Header;
use afterimage_gnm_types::{op, reg};
use std::path::{Path, PathBuf};

/// Stores the square of its own number.
pub(crate) const SQUARES: &str = "
    s_lshl_b32 s20, s16, 6
    v_add_i32 v4, vcc, s20, v0
    v_mul_u32_u24 v5, v4, v4
    v_lshlrev_b32 v6, 2, v4
    buffer_store_dword v5, v6, s[0:3], 0 offen
    s_endpgm
";

const COMMANDS: u64 = 0x10_0000_0000;
const CODE: u64 = 0x10_0001_0000;
const STORED: u64 = 0x10_0002_0000;
const COLOR: u64 = 0x10_0003_0000;

pub(crate) fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn call<C: Call>(commands: &mut Vec<u32>, call: &C) {
    let start = commands.len();
    commands.resize(start + C::WORDS, 0);
    call.write(&mut commands[start..]).unwrap();
}

/// A dispatch that stores squares, a picture that the processor wrote, and command buffers at an address that is not mapped
/// where `fails`.
pub(crate) fn recording(folder: &Path, fails: bool) -> PathBuf {
    let mut commands = Vec::new();
    let regs = [(CODE >> 8) as u32, 0, 0xC0 << 12, 16 << 1 | 1 << 7, 64, 1, 1];
    call(&mut commands, &calls::SetCsShader { regs, modifier: 0 });
    commands.push(Header::packet(op::SET_SH_REG, 5));
    commands.push((reg::COMPUTE_USER_DATA_0 - 0xB000) / 4);
    commands.extend([STORED as u32, (STORED >> 32) as u32, 1024, 0x0002_7FAC]);
    call(&mut commands, &calls::DispatchDirect { groups: [4, 1, 1], flags: 0 });
    let code = afterimage_shader_gcn::assemble(SQUARES).unwrap();
    let pixels: Vec<u8> = (0..16 * 8 * 4).map(|at| at as u8).collect();
    let picture =
        Picture { address: COLOR, width: 14, height: 8, pitch: 16, format: 10, tiling: 31, name: "front".into() };
    let submit = |at: u64| Submission { queue: 0, draw: (at, 4 * commands.len() as u64), constant: (0, 0) };
    let mut records = vec![
        Record::Map { address: STORED, size: 4096 },
        Record::Memory { address: CODE, bytes: bytes(&code) },
        Record::Memory { address: COMMANDS, bytes: bytes(&commands) },
        Record::Memory { address: COLOR, bytes: pixels },
        Record::Submit(submit(COMMANDS)),
        Record::Flip(picture),
        Record::Dump(Dump { address: STORED, size: 1024, name: "squares".into() }),
    ];
    if fails {
        records.insert(4, Record::Submit(submit(0x20_0000_0000)));
    }
    let mut writer = Writer::new(Vec::new()).unwrap();
    records.iter().for_each(|record| writer.record(record).unwrap());
    let path = folder.join("work.gcap");
    std::fs::write(&path, writer.finish().unwrap()).unwrap();
    path
}
