//! Captures written, read, cut, and damaged.
#![allow(missing_docs)]

use afterimage_capture::{CaptureError, Info, MemoryArena, Reader, Writer, fuzz};
use afterimage_stream::packets::*;
use afterimage_stream::{Arena, Encoder, Format, ObjectId, ObjectKind, State, UploadRef, Validator};
use proptest::prelude::*;
use std::time::Duration;

fn id(kind: ObjectKind, serial: u32) -> ObjectId {
    ObjectId::new(kind, serial)
}

fn buffer(serial: u32) -> CreateBuffer {
    CreateBuffer { id: id(ObjectKind::Buffer, serial), usage: CreateBuffer::VERTEX, size: 1 << 20 }
}

fn target() -> PresentTarget {
    PresentTarget { id: id(ObjectKind::Target, 1), width: 4, height: 4, window_kind: 0, window: 0 }
}

fn texture() -> CreateTexture {
    CreateTexture {
        usage: CreateTexture::TARGET,
        ..CreateTexture::plain(id(ObjectKind::Texture, 1), Format::B8G8R8A8_UNORM, [4, 4])
    }
}

/// When a frame began.
fn at(frame: u64) -> Duration {
    Duration::from_micros(frame * 16_667)
}

/// A capture of `frames` frames that begins in the middle of a stream, its batches, and the data each one refers to.
struct Sample {
    file: Vec<u8>,
    batches: Vec<Vec<u64>>,
    data: Vec<Vec<u8>>,
}

fn sample(frames: u64) -> Sample {
    let mut file = Vec::new();
    let info = Info { program: "sample".into(), device: "none".into(), ..Info::default() };
    let mut writer = Writer::new(&mut file, &info).unwrap();
    let mut state = State::default();
    for serial in 1..=3 {
        state.apply(&Packet::CreateBuffer(&buffer(serial)));
    }
    state.apply(&Packet::CreateTexture(&texture()));
    state.apply(&Packet::PresentTarget(&target()));
    let (mut keyframe, mut arena) = (Encoder::new(), MemoryArena::default());
    state.write(&mut keyframe, |id, _, out| {
        if id.kind() == Some(ObjectKind::Buffer) {
            out.push(&UpdateBuffer { id, flags: 0, offset: 0, data: arena.push(&[7; 1000]) });
        }
    });
    writer.keyframe(keyframe.batch(), &arena).unwrap();

    let mut stream = Encoder::new();
    for _ in 0..1234 {
        stream.push(&SetScissor::default());
    }
    stream.batch().clear();
    let (mut batches, mut data) = (Vec::new(), Vec::new());
    for frame in 1..=frames {
        arena.clear();
        stream.push(&BeginFrame { frame });
        // The first is the same in every frame, the second is larger than a piece once.
        let size = if frame == 2 { (9 << 20) + 5 } else { 300 };
        for bytes in [vec![1; 500], (0..size).map(|at| (at as u64 * frame % 251) as u8).collect()] {
            let range = arena.push(&bytes);
            stream.push(&UpdateBuffer { id: id(ObjectKind::Buffer, 1), flags: 0, offset: 0, data: range });
            data.push(bytes);
        }
        let vertices = arena.push(&[frame as u8; 64]);
        stream.push_tail(
            &SetVertexBuffers { first: 0, count: 1 },
            &[VertexBuffer {
                source: id(ObjectKind::Upload, vertices.slot),
                stride: 16,
                offset: vertices.offset,
                size: 64,
            }],
        );
        stream.push(&Present {
            frame,
            target: id(ObjectKind::Target, 1),
            texture: id(ObjectKind::Texture, 1),
            src: Rect::default(),
            dst: Rect::default(),
            interval: 0,
            pad: 0,
        });
        writer.frame_at(at(frame));
        writer.batch(stream.batch(), &arena).unwrap();
        batches.push(stream.batch().clone());
        stream.batch().clear();
    }
    let summary = writer.finish().unwrap();
    assert_eq!((summary.frames, summary.missing), (frames, 0));
    assert_eq!(summary.file_bytes, file.len() as u64);
    assert!(summary.unique_bytes < summary.data_bytes);
    Sample { file, batches, data }
}

#[test]
fn batches_and_data_come_back_and_form_one_valid_stream() {
    let Sample { file, batches, data } = sample(5);
    let mut reader = Reader::new(&file[..]).unwrap();
    assert_eq!(reader.info().program, "sample");
    let (mut state, mut validator) = (State::default(), Validator::default());
    let (mut seen, mut found, mut keyframes) = (Vec::new(), Vec::new(), 0);
    while let Some(batch) = reader.next().unwrap() {
        for located in afterimage_stream::Reader::new(&batch.words) {
            let located = located.unwrap();
            if let Packet::UpdateBuffer(body) = located.packet {
                let mut bytes = vec![0; body.data.size as usize];
                assert!(reader.arena().copy_out(&body.data, 0, &mut bytes));
                if batch.keyframe {
                    assert_eq!(bytes, [7; 1000]);
                } else {
                    found.push(bytes);
                }
                if body.data.size > 1 << 20 {
                    // Larger than its buffer, which is what the validator is there to say.
                    validator.check(&state, &located, reader.arena()).unwrap_err();
                    continue;
                }
            }
            // Includes the sequence numbers: the keyframe leads up to the first batch.
            validator.check(&state, &located, reader.arena()).unwrap();
            state.apply(&located.packet);
        }
        assert_eq!(reader.time(), (!batch.keyframe).then(|| at(seen.len() as u64 + 1)));
        if batch.keyframe { keyframes += 1 } else { seen.push(batch.words) }
    }
    assert_eq!((seen, found, keyframes), (batches, data, 1));
    let frames: Vec<u64> = reader.index().frames.iter().map(|&(frame, _)| frame).collect();
    assert_eq!(frames, [1, 2, 3, 4, 5]);
}

#[test]
fn equal_data_is_stored_once() {
    let (short, long) = (sample(3).file.len(), sample(203).file.len());
    assert!((long - short) / 200 < 800, "{} bytes per frame", (long - short) / 200);
}

#[test]
fn a_capture_cut_short_reads_up_to_the_cut() {
    let Sample { file, batches, .. } = sample(5);
    let mut longest = 0;
    for cut in (0..file.len()).step_by(997).chain([file.len() - 1]) {
        let mut reader = match Reader::new(&file[..cut]) {
            Ok(reader) => reader,
            Err(error) => {
                assert!(matches!(error, CaptureError::Magic | CaptureError::Truncated { .. }), "{error}");
                continue;
            }
        };
        let mut seen = 0;
        let error = loop {
            match reader.next() {
                Ok(Some(batch)) if batch.keyframe => {}
                Ok(Some(batch)) => {
                    assert_eq!(batch.words, batches[seen]);
                    seen += 1;
                }
                Ok(None) => panic!("cut at {cut} not noticed"),
                Err(error) => break error,
            }
        };
        assert!(matches!(error, CaptureError::Truncated { .. }), "{error}");
        assert!(reader.next().unwrap().is_none(), "told once");
        longest = longest.max(seen);
    }
    assert_eq!(longest, 5);
}

#[test]
fn damage_names_chunk_offset_and_field() {
    let file = sample(2).file;
    let read = |file: &[u8]| {
        let mut reader = Reader::new(file)?;
        while reader.next()?.is_some() {}
        Ok::<_, CaptureError>(())
    };
    let mut bytes = file.clone();
    bytes[8] = 9;
    assert!(matches!(read(&bytes), Err(CaptureError::Header)), "another version has a check of its own");
    let check = xxhash_rust::xxh3::xxh3_64(&bytes[..16]).to_le_bytes();
    bytes[16..24].copy_from_slice(&check);
    assert!(matches!(read(&bytes), Err(CaptureError::Version { field: "container version", have: 9, .. })));
    let mut first = file.clone();
    first[8..24].copy_from_slice(&[1, 0, 0, 0, 0, 0, 0, 0, b'I', b'N', b'F', b'O', 1, 0, 0, 0]);
    assert!(matches!(read(&first), Err(CaptureError::Version { have: 1, .. })), "which had none");
    // The first chunk starts at byte 24; its length, then its content.
    for (at, field) in [(32, "header check"), (24 + 32, "check sum")] {
        let mut bytes = file.clone();
        bytes[at] ^= 1;
        let error = read(&bytes).unwrap_err();
        assert!(
            matches!(error, CaptureError::Chunk { chunk: 0, offset: 24, field: found, .. } if found == field),
            "{error}"
        );
    }
    let mut bytes = file.clone();
    let last = file.len() - 40;
    bytes[last] ^= 0x40;
    let error = read(&bytes).unwrap_err().to_string();
    assert!(error.contains("chunk ") && error.contains("field"), "{error}");
}

#[test]
fn sizes_are_those_of_the_file() {
    let file = sample(6).file;
    let mut reader = Reader::new(&file[..]).unwrap();
    let mut words = 0;
    while let Some(batch) = reader.next().unwrap() {
        words += batch.words.len();
    }
    let sizes = reader.sizes().clone();
    let chunks: Vec<_> = sizes.chunks().collect();
    let stored: u64 = chunks.iter().map(|(_, chunk)| chunk.stored).sum();
    assert_eq!(stored + 24, file.len() as u64, "all but the file's header");
    assert!(chunks.iter().all(|(_, chunk)| chunk.count > 0), "{chunks:?}");
    assert_eq!(chunks.iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["INFO", "KEYF", "FRAM", "INDX", "ENDS"]);
    assert_eq!(sizes.packet_bytes, 8 * words as u64);
    assert!(
        sizes.places > sizes.blobs && sizes.placed_bytes > sizes.blob_bytes,
        "what is equal is there once: {sizes:?}"
    );
}

#[test]
fn a_wild_range_is_counted_and_left_out() {
    let mut file = Vec::new();
    let mut writer = Writer::new(&mut file, &Info::default()).unwrap();
    let mut stream = Encoder::new();
    let data = UploadRef { slot: 0, size: u32::MAX, offset: 1 << 50 };
    stream.push(&UpdateBuffer { id: id(ObjectKind::Buffer, 1), flags: 0, offset: 0, data });
    writer.batch(stream.batch(), &MemoryArena::default()).unwrap();
    assert_eq!(writer.finish().unwrap().missing, 1);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damage_anywhere_never_panics(at in 0usize..20_000, value in any::<u8>(), cut in 0usize..20_000) {
        static SAMPLE: std::sync::OnceLock<Vec<u8>> = std::sync::OnceLock::new();
        let mut bytes = SAMPLE.get_or_init(|| sample(1).file).clone();
        let at = at % bytes.len();
        bytes[at] ^= value;
        bytes.truncate(bytes.len() - cut % bytes.len());
        fuzz(&bytes);
    }

    #[test]
    fn records_of_any_kind_and_length_never_panic(
        records in prop::collection::vec((0u32..7, prop::collection::vec(any::<u8>(), 0..40), 0u32..48), 0..20),
        places in prop::collection::vec((0u32..300, 0u32..40, any::<u64>(), 0u64..4), 0..20),
    ) {
        let mut bytes = Vec::new();
        for (kind, payload, length) in records {
            bytes.extend(kind.to_le_bytes());
            bytes.extend(length.min(payload.len() as u32 + 1).to_le_bytes());
            bytes.extend(payload);
            bytes.resize(bytes.len().next_multiple_of(8), 0);
        }
        fuzz(&bytes);
        let mut bytes = Vec::new();
        for size in 0u32..4 {
            bytes.extend([1, size].map(u32::to_le_bytes).concat());
            bytes.extend([size as u8; 8]);
        }
        for (slot, size, offset, blob) in places {
            bytes.extend([2, 24, slot, size].map(u32::to_le_bytes).concat());
            bytes.extend([offset, blob].map(u64::to_le_bytes).concat());
        }
        fuzz(&bytes);
    }
}
