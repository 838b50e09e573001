//! The stream's validator, state, snapshot and replay hash, on packets whose headers are mostly good.
//!
//! The first byte chooses: even, the rest is taken as it is; odd, it is cut into packets with right sizes and sequence
//! numbers behind a good beginning, so that the checks behind the header are reached.
#![no_main]

use afterimage_stream::packets::{BeginFrame, CreateBuffer, Init};
use afterimage_stream::{
    Arena, Encoder, Header, Kind, ObjectId, ObjectKind, Reader, ReplayHash, State, UploadRef, Validator,
};

struct TwoSlots;

impl Arena for TwoSlots {
    fn slot_size(&self, slot: u32) -> Option<u64> {
        (slot < 2).then_some(65_536)
    }

    fn copy_out(&self, range: &UploadRef, at: u32, out: &mut [u8]) -> bool {
        out.fill(0x5a);
        inside(range, at, out.len())
    }

    fn copy_in(&self, range: &UploadRef, at: u32, bytes: &[u8]) -> bool {
        inside(range, at, bytes.len())
    }
}

fn inside(range: &UploadRef, at: u32, length: usize) -> bool {
    range.slot < 2 && range.offset + u64::from(at) + length as u64 <= 65_536
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((&mode, bytes)) = bytes.split_first() else { return };
    let batch = if mode % 2 == 0 { words(bytes) } else { packets(bytes) };
    let mut state = State::default();
    let mut validator = Validator::default();
    let mut hash = ReplayHash::default();
    for located in Reader::new(&batch) {
        match located.and_then(|located| validator.check(&state, &located, &TwoSlots).map(|()| located)) {
            Ok(located) => {
                state.apply(&located.packet);
                hash.packet(&located, &batch, &TwoSlots);
            }
            Err(error) => assert!(!error.to_string().is_empty(), "an error says something"),
        }
    }
    hash.finish();
    let mut snapshot = Encoder::new();
    state.write(&mut snapshot, |_, _, _| {});
    for located in Reader::new(snapshot.batch()) {
        assert!(located.is_ok(), "a snapshot consists of whole packets");
    }
});

fn words(bytes: &[u8]) -> Vec<u64> {
    bytes.chunks(8).map(|chunk| chunk.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte))).collect()
}

/// Every packet: a byte for its kind, a byte for the words of its tail, then as many bytes as it needs.
fn packets(mut bytes: &[u8]) -> Vec<u64> {
    let mut out = Encoder::new();
    out.push_tail(&Init { version: Init::VERSION, count: 4, process: 1, guest: 1 }, b"fuzz");
    out.push(&CreateBuffer { id: ObjectId::new(ObjectKind::Buffer, 1), usage: CreateBuffer::VERTEX, size: 4096 });
    out.push(&BeginFrame { frame: 1 });
    let mut batch = std::mem::take(out.batch());
    let mut sequence = 4;
    while let [kind, tail, rest @ ..] = bytes {
        let kind = Kind::ALL[usize::from(*kind) % Kind::ALL.len()];
        let units = 1 + kind.body_bytes() / 8 + usize::from(*tail % 16);
        batch.push(bytemuck::cast(Header { kind: kind as u16, units: units as u16, sequence }));
        let (body, rest) = rest.split_at(rest.len().min((units - 1) * 8));
        let start = batch.len();
        batch.extend(words(body));
        batch.resize(start + units - 1, 0);
        bytes = rest;
        sequence += 1;
    }
    batch
}
