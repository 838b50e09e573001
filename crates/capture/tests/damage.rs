//! Every capture that is cut somewhere, or has a wrong byte somewhere, opens, says what is wrong, and gives what is intact.
#![allow(missing_docs)]

use afterimage_capture::{CaptureError, Info, MemoryArena, Reader, Writer};
use afterimage_stream::packets::*;
use afterimage_stream::{Arena, Encoder, ObjectId, ObjectKind};

const FRAMES: u64 = 4;

fn texel(frame: u64, at: u64) -> u8 {
    (frame * 31 + at * at * 7) as u8
}

/// Packets of a frame, or of the keyframe as frame 0, and their data.
fn frame(frame: u64) -> (Vec<u64>, MemoryArena) {
    let (mut stream, mut arena) = (Encoder::new(), MemoryArena::default());
    if frame > 0 {
        stream.push(&BeginFrame { frame });
    }
    // Of its own, and the same in every frame.
    let own: Vec<u8> = (0..200).map(|at| texel(frame, at)).collect();
    for bytes in [&own[..], &[5; 300]] {
        let data = arena.push(bytes);
        let id = ObjectId::new(ObjectKind::Buffer, 1);
        stream.push(&UpdateBuffer { id, flags: 0, offset: 0, data });
    }
    if frame > 0 {
        let target = ObjectId::new(ObjectKind::Target, 1);
        let texture = ObjectId::new(ObjectKind::Texture, 1);
        let (src, dst) = (Rect::default(), Rect::default());
        stream.push(&Present { frame, target, texture, src, dst, interval: 0, pad: 0 });
    }
    (stream.batch().clone(), arena)
}

fn capture() -> Vec<u8> {
    let mut file = Vec::new();
    let mut writer = Writer::new(&mut file, &Info { program: "small".into(), ..Info::default() }).unwrap();
    let (words, arena) = frame(0);
    writer.keyframe(&words, &arena).unwrap();
    for number in 1..=FRAMES {
        let (words, arena) = frame(number);
        writer.batch(&words, &arena).unwrap();
    }
    writer.finish().unwrap();
    file
}

/// What a reader makes of a file.
#[derive(Debug, Default, PartialEq)]
struct Found {
    keyframe: bool,
    frames: Vec<u64>,
    /// Ranges whose data is not there any more.
    lost: usize,
    damage: Vec<String>,
}

/// Reads all that there is, and holds it against what was written: none of it may be other than that.
fn read(file: &[u8]) -> Result<Found, CaptureError> {
    let mut reader = Reader::new(file)?;
    let mut found = Found::default();
    loop {
        let batch = match reader.next() {
            Ok(Some(batch)) => batch,
            Ok(None) => return Ok(found),
            Err(error) => {
                found.damage.push(error.to_string());
                assert!(found.damage.len() <= 3, "{:?}", found.damage);
                continue;
            }
        };
        let mut number = 0;
        let mut updates = 0;
        for located in afterimage_stream::Reader::new(&batch.words) {
            match located.unwrap().packet {
                Packet::BeginFrame(body) => number = body.frame,
                Packet::UpdateBuffer(body) => {
                    let mut bytes = vec![0; body.data.size as usize];
                    let expected: Vec<u8> = match updates {
                        0 => (0..200).map(|at| texel(number, at)).collect(),
                        _ => vec![5; 300],
                    };
                    updates += 1;
                    if reader.arena().copy_out(&body.data, 0, &mut bytes) {
                        assert_eq!(bytes, expected, "other data");
                    } else {
                        found.lost += 1;
                    }
                }
                _ => {}
            }
        }
        if batch.keyframe {
            found.keyframe = true;
        } else {
            assert_eq!(batch.words, frame(number).0, "other packets");
            found.frames.push(number);
        }
    }
}

fn every() -> Vec<u64> {
    (1..=FRAMES).collect()
}

#[test]
fn a_whole_one_is_whole() {
    let found = read(&capture()).unwrap();
    assert_eq!(found, Found { keyframe: true, frames: every(), lost: 0, damage: vec![] });
}

#[test]
fn cut_at_any_byte_it_shows_what_is_before_the_cut() {
    let file = capture();
    let mut most = 0;
    for cut in 0..file.len() {
        let found = match read(&file[..cut]) {
            Ok(found) => found,
            Err(error) => {
                assert!(cut < 100, "byte {cut}: {error}");
                assert!(error.to_string().contains("the file ends"), "byte {cut}: {error}");
                continue;
            }
        };
        assert_eq!((found.lost, found.damage.len()), (0, 1), "byte {cut}: {:?}", found.damage);
        assert!(found.damage[0].contains("the file ends"), "byte {cut}: {:?}", found.damage);
        assert!(found.frames.len() >= most && found.frames == every()[..found.frames.len()], "byte {cut}");
        assert!(found.keyframe || found.frames.is_empty());
        most = found.frames.len();
    }
    assert_eq!(most, 4);
}

#[test]
fn with_any_byte_wrong_it_shows_all_but_the_chunk_that_the_byte_is_in() {
    let file = capture();
    let (mut alone, mut keyframes) = (0, 0);
    for at in 0..file.len() {
        for wrong in [1, 0x80, 0xFF] {
            let mut bytes = file.clone();
            bytes[at] ^= wrong;
            let found = read(&bytes).unwrap_or_else(|error| panic!("byte {at} does not open: {error}"));
            assert!(!found.damage.is_empty(), "byte {at}: not noticed");
            assert!(found.damage[0].contains("damaged"), "byte {at}: {:?}", found.damage);
            let missing = every().len() - found.frames.len();
            assert!(missing <= 1 && (found.keyframe || missing == 0), "byte {at}: {found:?}");
            // What every frame has is in the keyframe, where it was first.
            assert!(found.keyframe && found.lost == 0 || !found.keyframe && found.lost == every().len(), "{found:?}");
            alone += missing;
            keyframes += usize::from(!found.keyframe);
        }
    }
    assert!(alone > 100 && keyframes > 100);
}

#[test]
fn bytes_that_are_missing_or_too_many_cost_no_more() {
    let file = capture();
    let middle = file.len() / 2;
    for (what, bytes) in [
        ("taken out", [&file[..middle], &file[middle + 7..]].concat()),
        ("put in", [&file[..middle], &[0xA5; 70_000], &file[middle..]].concat()),
    ] {
        let found = read(&bytes).unwrap();
        assert!(found.frames.len() >= 2 && found.keyframe, "{what}: {found:?}");
        assert!(!found.damage.is_empty());
    }
}

#[test]
fn something_else_is_no_capture() {
    for bytes in [&b"PNG"[..], &[0; 4096], b"AFTRCAPX and then some more text, more than a header"] {
        let error = Reader::new(bytes).unwrap_err();
        assert!(matches!(error, CaptureError::Magic), "{error}");
    }
    assert!(matches!(Reader::new(&b""[..]).unwrap_err(), CaptureError::Truncated { .. }));
}
