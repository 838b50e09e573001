//! Files that ask for more than they have: small ones that unpack to much, and many pieces of nothing.
#![allow(missing_docs)]

use afterimage_capture::{CaptureError, Info, Limits, MemoryArena, Reader, Uses, Writer};
use afterimage_stream::packets::*;
use afterimage_stream::{Arena, Encoder, ObjectId, ObjectKind};
use std::sync::Arc;

const ID: ObjectId = ObjectId::new(ObjectKind::Buffer, 1);

/// A first frame with so many updates of so many bytes, each zeros behind a number of its own, and then a frame with the same ones.
fn file(updates: u64, bytes: usize) -> Vec<u8> {
    let mut file = Vec::new();
    let mut writer = Writer::new(&mut file, &Info::default()).unwrap();
    for frame in 1..=2 {
        let (mut stream, mut arena) = (Encoder::new(), MemoryArena::default());
        stream.push(&BeginFrame { frame });
        for number in 0..updates {
            let mut data = vec![0; bytes];
            data[..8].copy_from_slice(&number.to_le_bytes());
            let data = arena.push(&data);
            stream.push(&UpdateBuffer { id: ID, flags: 0, offset: 0, data });
        }
        writer.batch(stream.batch(), &arena).unwrap();
    }
    writer.finish().unwrap();
    file
}

/// What a file's reader finds: whether the data of each update is there and right, what it says, and the most that it held.
fn read(file: &[u8], limits: Limits, uses: bool) -> (Vec<bool>, Vec<CaptureError>, u64) {
    let mut reader = Reader::new(file).unwrap().with_limits(limits);
    if uses {
        reader = reader.with_uses(Arc::new(Uses::of(file).unwrap()));
    }
    let (mut found, mut errors, mut most) = (Vec::new(), Vec::new(), 0);
    loop {
        let batch = match reader.next() {
            Ok(None) => return (found, errors, most),
            Ok(Some(batch)) => batch,
            Err(error) => {
                errors.push(error);
                assert!(errors.len() < 100, "it ends");
                continue;
            }
        };
        most = most.max(reader.held());
        let mut number = 0u64;
        for located in afterimage_stream::Reader::new(&batch.words) {
            if let Packet::UpdateBuffer(body) = located.unwrap().packet {
                let mut bytes = vec![1; body.data.size as usize];
                let there = reader.arena().copy_out(&body.data, 0, &mut bytes);
                found.push(there && bytes[..8] == number.to_le_bytes() && bytes[8..].iter().all(|byte| *byte == 0));
                number += 1;
            }
        }
    }
}

const SMALL: Limits = Limits { held: 1 << 20, ..Limits::DEFAULT };

#[test]
fn data_beyond_what_is_held_takes_no_more_than_the_file() {
    for bytes in [100_000, 1_500_000] {
        let file = file(64, bytes);
        assert!(file.len() < 50_000, "{} bytes", file.len());
        for uses in [false, true] {
            let (found, errors, most) = read(&file, SMALL, uses);
            assert!(errors.is_empty(), "{errors:?}");
            assert_eq!(found, [true; 128]);
            assert!(most <= SMALL.held + file.len() as u64, "{most} bytes for a file of {}", file.len());
            assert!(most > if bytes < 1 << 20 { SMALL.held / 2 } else { 0 }, "{most} bytes");
        }
        // What there is room for is held as it is.
        let (found, errors, most) = read(&file, Limits::DEFAULT, true);
        assert!(errors.is_empty() && found == [true; 128], "{errors:?}");
        assert!(most >= 64 * bytes as u64);
    }
}

fn told(errors: &[CaptureError]) -> String {
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

#[test]
fn what_is_past_a_limit_is_said_and_left_out() {
    let file = file(64, 100_000);
    type Case = (&'static str, Limits, u64);
    let cases: [Case; 4] = [
        ("bytes unpacked", Limits { unpacked: 3 << 20, ratio: 1, ..Limits::DEFAULT }, 3 << 20),
        ("bytes of compressed data", Limits { held: 1000, packed: 500, ..Limits::DEFAULT }, 500),
        ("pieces of data to be placed again", Limits { blobs: 10, ..Limits::DEFAULT }, 10),
        ("pieces of data in a frame", Limits { pieces: 10, ..Limits::DEFAULT }, 10),
    ];
    for (what, limits, most) in cases {
        let (found, errors, held) = read(&file, limits, true);
        let told = told(&errors);
        assert!(told.contains(&format!("more than {most} {what}: ")), "{what}: {told}");
        assert!(matches!(errors[0], CaptureError::Limit { chunk: 1.., offset: 25.., .. }), "{what}: {told}");
        assert!(found.iter().filter(|there| **there).count() < 128, "{what}");
        assert!(held <= limits.held.saturating_add(limits.packed), "{what}: {held} bytes");
    }
    let (_, errors, _) = read(&file, Limits { frames: 1, ..Limits::DEFAULT }, true);
    assert!(told(&errors).contains("more than 1 frames of the index: "), "{}", told(&errors));
    // Past the limit of all nothing is unpacked any more, however much follows.
    let (_, errors, _) = read(&file, Limits { unpacked: 100, ratio: 0, ..Limits::DEFAULT }, true);
    assert_eq!(errors.len(), 1, "{}", told(&errors));
}

#[test]
fn a_large_file_may_have_more() {
    let file = file(64, 100_000);
    let ratio = 64 * 100_000 / 24;
    let (found, errors, _) = read(&file, Limits { unpacked: 200_000, ratio, ..Limits::DEFAULT }, true);
    assert!(errors.is_empty() && found == [true; 128], "{errors:?}");
}
