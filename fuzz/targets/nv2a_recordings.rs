//! Recordings of NV2A work: the reader, and the player on a machine.
//!
//! The first byte chooses: a file as it is, records behind a good header, or records made out of the bytes.
#![no_main]

use afterimage_nv2a::kcap::{Event, Player, Reader};
use afterimage_nv2a::machine::{Graphics, Kelvin, Limits, Primitive};
use afterimage_nv2a::memory::GuestMemory;
use std::io::Cursor;

/// Draws nothing.
struct Nothing;

impl Graphics for Nothing {
    fn draw(&mut self, _kelvin: &mut Kelvin, _memory: &mut dyn GuestMemory, _primitive: &Primitive) {}

    fn clear(&mut self, _kelvin: &mut Kelvin, _memory: &mut dyn GuestMemory, _flags: u32) {}

    fn write_back(&mut self, _memory: &mut dyn GuestMemory, _address: u32, _size: u32) {}

    fn reset_pixel_count(&mut self) {}

    fn pixel_count(&mut self) -> u32 {
        0
    }

    fn flush(&mut self) {}
}

/// Records that are carried out at most.
const RECORDS: usize = 64;

fn records(mut bytes: &[u8]) -> Vec<u8> {
    let mut file = Vec::new();
    while let Some((&choice, rest)) = bytes.split_first() {
        let (payload, rest) = rest.split_at(rest.len().min(usize::from(choice >> 3)));
        bytes = rest;
        let word = |at: usize| {
            let byte = |i: usize| payload.get(at * 4 + i).copied().unwrap_or(0);
            u32::from_le_bytes([byte(0), byte(1), byte(2), byte(3)])
        };
        let (tag, words): (&[u8; 4], Vec<u32>) = match choice % 8 {
            0 | 1 => (b"MEM ", vec![word(0) & 0x3FF_FFFC, payload.len() as u32 & !3]),
            2 => (b"FILL", vec![word(0) & 0x3FF_0000, word(1) & 0xFFFC, word(2)]),
            3 => (b"REG ", vec![0x70_0000 | word(0) & 0xF_FFFC, word(1)]),
            4 => (b"REG ", vec![word(0) & 0xFF_FFFC, word(1)]),
            5 => (b"EXEC", vec![word(0) & 0x3FF_FFFC, word(1) & 0x3FF_FFFC]),
            6 => (b"SWI ", vec![word(0), word(1), word(2)]),
            _ => (b"FRME", vec![payload.len() as u32]),
        };
        file.extend(tag);
        file.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        match choice % 8 {
            0 | 1 => file.extend(&payload[..payload.len() & !3]),
            7 => {
                file.extend(payload);
                file.resize(file.len().next_multiple_of(4), 0);
            }
            _ => {}
        }
    }
    file.extend(b"END ");
    file
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((&mode, bytes)) = bytes.split_first() else { return };
    let header = [b"KELVCAP1".as_slice(), &0x0400_0000u32.to_le_bytes(), &[0; 4]].concat();
    let file = match mode % 3 {
        0 => bytes.to_vec(),
        1 => [&header[..], bytes].concat(),
        _ => [header, records(bytes)].concat(),
    };
    assert!(!Reader::knows(&file) || file.len() >= 8);
    let reader = match Reader::new(Cursor::new(file)) {
        Ok(reader) => reader,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    let mut player = Player::new(reader);
    player.machine.limits = Limits { words: 1 << 16, jumps: 64 };
    for _ in 0..RECORDS {
        match player.read() {
            Ok(Some(located)) => {
                if let Some(Event::Frame(frame)) = player.apply(located.record, &mut Nothing) {
                    assert_eq!(frame.path().components().count(), 2, "{frame:?}");
                    let _picture = frame.picture(&player.memory);
                }
            }
            Ok(None) => break,
            Err(error) => return assert!(!error.to_string().is_empty()),
        }
    }
});
