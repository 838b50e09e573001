//! Captures as they come, and captures of a small program with packets of the fuzzer's behind it: whatever is asked of the model.
#![no_main]

#[path = "../../crates/inspect/tests/common/mod.rs"]
mod common;

use afterimage_capture::{Info, MemoryArena, Writer};
use afterimage_fuzz::Input;
use afterimage_inspect::terms::{changed, terms_of_dispatch, terms_with_code};
use afterimage_inspect::{Accesses, CallSet, Capture, Form, Limits, constants, fields, fields_json, state_fields};
use afterimage_stream::packets::Header;
use afterimage_stream::{Cause, Kind, Reader};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let limits = Limits { packets: 1 << 20, data: 1 << 20, snapshots: 4 << 20 };
    if let Ok(text) = std::str::from_utf8(bytes)
        && !text.contains('@')
        && let Ok(set) = CallSet::parse(text)
    {
        assert_eq!(CallSet::parse(&set.to_string()), Ok(set), "the text of a set is the set");
    }
    if let Ok(capture) = Capture::from_bytes_with(bytes, &limits) {
        ask(&capture);
    }
    let capture = Capture::from_bytes(common::file()).expect("our own capture opens");
    let mut file = Vec::new();
    let mut writer = Writer::new(&mut file, &Info::default()).expect("memory can be written to");
    let mut sequence = 0;
    for batch in capture.batches() {
        for located in Reader::new(&batch.words).flatten() {
            sequence = located.header.sequence;
        }
        writer.batch(&batch.words, &MemoryArena::default()).expect("memory can be written to");
    }
    let mut words = Vec::new();
    let mut input = Input(bytes);
    while !input.0.is_empty() && words.len() < 4096 {
        let kind = Kind::ALL[usize::from(input.byte()) % Kind::ALL.len()];
        sequence = sequence.wrapping_add(1);
        words.extend(packet(kind, sequence, &mut input));
    }
    writer.batch(&words, &MemoryArena::default()).expect("memory can be written to");
    writer.finish().expect("memory can be written to");
    ask(&Capture::from_bytes_with(file, &limits).expect("what was written can be read"));
});

/// A packet whose size is what its body says.
fn packet(kind: Kind, sequence: u32, input: &mut Input<'_>) -> Vec<u64> {
    let mut words = vec![0];
    words.extend((0..kind.body_bytes() / 8).map(|_| input.value::<u64>()));
    loop {
        words[0] = bytemuck::cast(Header { kind: kind as u16, units: words.len() as u16, sequence });
        match Reader::new(&words).next() {
            Some(Err(error)) => match error.cause {
                Cause::WrongSize { wanted, have } if have < wanted && wanted <= 256 => {
                    words.extend((have..wanted).map(|_| input.value::<u64>()));
                }
                _ => return words,
            },
            _ => return words,
        }
    }
}

fn ask(capture: &Capture) {
    let mut walk = capture.walk();
    let mut last = Vec::new();
    for _ in 0..64 {
        if walk.next().is_none() {
            break;
        }
        let _told = (walk.changes(), walk.accesses(), walk.vertices(16));
        let _shown = (state_fields(walk.state()), constants(walk.state()));
        let terms = walk.terms();
        let _words = changed(&last, &terms).iter().map(ToString::to_string).collect::<Vec<_>>();
        last = terms;
    }
    // From the end back, and by jumps: the same is told.
    for call in capture.calls().iter().take(64).rev().step_by(7) {
        let number = call.number;
        walk.to(number);
        let state = capture.state_before(number);
        assert_eq!(walk.changes(), capture.changes(number), "call {number}");
        let (reads, writes) = (capture.reads(number), capture.writes(number));
        assert_eq!(walk.accesses(), Accesses { reads, writes }, "call {number}");
        let (told, asked) = (walk.vertices(16), capture.vertices(number, 16));
        assert_eq!(format!("{told:?}"), format!("{asked:?}"), "call {number}");
        let code = |id| capture.shader(id, number)?.code.as_deref();
        for guest in 0..4 {
            let _terms = terms_with_code(guest, &state, &code);
            for shader in capture.shaders().iter().take(4) {
                let _terms = terms_of_dispatch(guest, &state, shader.id, &code);
            }
        }
    }
    for (_, packet) in capture.packets(Default::default()) {
        let _text = fields_json(&fields(&packet)).to_string();
    }
    let _resources = capture.resources();
    let _sizes = capture.sizes().chunks().count();
    for shader in capture.shaders().iter().take(8) {
        let _reflection = shader.reflection();
        for (form, _) in Form::ALL {
            let _text = shader.text(form);
        }
    }
}
