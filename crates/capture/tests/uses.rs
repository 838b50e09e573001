//! What a reader keeps that knows what comes again.
#![allow(missing_docs)]

use afterimage_capture::{Info, MemoryArena, Reader, Uses, Writer};
use afterimage_stream::packets::*;
use afterimage_stream::{Arena, Encoder, ObjectId, ObjectKind};
use std::sync::Arc;

/// Bytes of an update.
const SIZE: usize = 4096;

/// Each frame has data of its own, and every tenth what the first had, too.
fn file(frames: u64) -> Vec<u8> {
    let id = ObjectId::new(ObjectKind::Buffer, 1);
    let mut file = Vec::new();
    let mut writer = Writer::new(&mut file, &Info::default()).unwrap();
    let (mut stream, mut arena) = (Encoder::new(), MemoryArena::default());
    stream.push(&CreateBuffer { id, usage: CreateBuffer::VERTEX, size: 1 << 20 });
    for frame in 1..=frames {
        stream.push(&BeginFrame { frame });
        let of_each = frame.is_multiple_of(10).then_some(0).into_iter().chain([frame]);
        for number in of_each {
            let data = arena.push(&number.to_le_bytes().repeat(SIZE / 8));
            stream.push(&UpdateBuffer { id, flags: 0, offset: 0, data });
        }
        writer.batch(stream.batch(), &arena).unwrap();
        stream.batch().clear();
        arena.clear();
    }
    assert_eq!(writer.finish().unwrap().missing, 0);
    file
}

/// The first number of each update, or that its data is lost; damage, as it is told; the most that was kept.
fn read(file: &[u8], uses: Option<Uses>) -> (Vec<Option<u64>>, Vec<String>, usize) {
    let mut reader = Reader::new(file).unwrap();
    if let Some(uses) = uses {
        reader = reader.with_uses(Arc::new(uses));
    }
    let (mut found, mut damages, mut most) = (Vec::new(), Vec::new(), 0);
    loop {
        let batch = match reader.next() {
            Ok(None) => return (found, damages, most),
            Ok(Some(batch)) => batch,
            Err(error) => {
                damages.push(error.to_string());
                continue;
            }
        };
        most = most.max(reader.kept());
        for located in afterimage_stream::Reader::new(&batch.words) {
            if let Packet::UpdateBuffer(body) = located.unwrap().packet {
                let mut bytes = [0; SIZE];
                let there = reader.arena().copy_out(&body.data, 0, &mut bytes);
                found.push(there.then(|| u64::from_le_bytes(*bytes.first_chunk().unwrap())));
            }
        }
    }
}

#[test]
fn only_what_comes_again_is_kept() {
    let file = file(1000);
    let (all, _, most) = read(&file, None);
    assert!(most > 900 * SIZE, "{most} bytes: everything is within reach");
    let (found, damages, least) = read(&file, Some(Uses::of(&file[..]).unwrap()));
    assert_eq!(found, all);
    assert!(damages.is_empty() && found.iter().all(Option::is_some), "{damages:?}");
    assert!(least <= 4 * SIZE, "{least} bytes");
}

#[test]
fn of_a_damaged_file_the_same_is_there() {
    let whole = file(300);
    for at in (24..whole.len()).step_by(whole.len() / 40) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x40;
        let Ok(uses) = Uses::of(&bytes[..]) else { continue };
        let (all, told, _) = read(&bytes, None);
        let (found, also, _) = read(&bytes, Some(uses));
        assert_eq!((found, also), (all, told), "byte {at}");
    }
}
