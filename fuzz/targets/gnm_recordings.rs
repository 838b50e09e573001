//! Recordings of GNM work: any bytes, records that are mostly well-formed, and what the player does with them.
#![no_main]

use afterimage_gnm::gcap::{Event, Player, Reader, Record, Writer};
use afterimage_gnm::machine::{Limits, NoGraphics};
use std::io::Cursor;

/// Records that are looked at.
const RECORDS: usize = 64;

/// Records with tags that there are.
fn records(mut bytes: &[u8]) -> Vec<u8> {
    let mut file = Vec::new();
    while let Some((&choice, rest)) = bytes.split_first() {
        let (payload, rest) = rest.split_at(rest.len().min(2 + usize::from(choice >> 3)));
        bytes = rest;
        let tag = [b"MEM ", b"MEM ", b"MAP ", b"SUBM", b"SUBM", b"FLIP", b"DUMP", b"END "][usize::from(choice % 8)];
        let mut payload = payload.to_vec();
        // Addresses that may be the same, and fields that are there.
        let least = [8, 8, 16, 40, 40, 32, 20, 0][usize::from(choice % 8)];
        payload.resize(payload.len().max(least), 0);
        for at in (4..least).step_by(8) {
            payload[at..(at + 4).min(least)].fill(0);
        }
        if tag == b"END " {
            payload.clear();
        }
        file.extend(tag);
        file.extend((payload.len() as u32).to_le_bytes());
        file.extend(&payload);
        file.resize(file.len().next_multiple_of(4), 0);
    }
    file.extend(b"END \0\0\0\0");
    file
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((&mode, bytes)) = bytes.split_first() else { return };
    let file = match mode % 3 {
        0 => bytes.to_vec(),
        1 => [b"GNMCAP01", bytes].concat(),
        _ => [b"GNMCAP01".to_vec(), records(bytes)].concat(),
    };
    assert!(!Reader::knows(&file) || file.len() >= 8);
    let reader = match Reader::new(Cursor::new(file)) {
        Ok(reader) => reader,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    let mut player = Player::new(reader);
    player.machine.set_limits(Limits { words: 1 << 14, jumps: 64, depth: 4 });
    for _ in 0..RECORDS {
        match player.read() {
            Ok(Some(located)) => {
                again(&located.record);
                match player.apply(located.record, &mut NoGraphics) {
                    Some(Event::Flip(picture)) => assert!(!picture.file_name().contains('/')),
                    Some(Event::Dump(dump)) => assert!(!dump.file_name().contains('/')),
                    _ => {}
                }
            }
            Ok(None) => break,
            Err(error) => return assert!(!error.to_string().is_empty()),
        }
    }
});

/// A record that was read is written and read as the same.
fn again(record: &Record) {
    let mut writer = Writer::new(Vec::new()).expect("memory takes bytes");
    writer.record(record).expect("what was read can be written");
    let file = writer.finish().expect("memory takes bytes");
    let mut reader = Reader::new(Cursor::new(file)).expect("a recording");
    let read = reader.next_record().expect("a recording").expect("a record");
    assert_eq!(&read.record, record);
}
