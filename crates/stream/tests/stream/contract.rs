//! The contract of the command stream, point by point as the architecture of dx9mt lists it (`docs/sources/README.md`).

use crate::common;
use crate::common::*;
use afterimage_stream::packets::*;
use afterimage_stream::*;

#[test]
fn a_valid_stream_is_accepted() {
    let run = run(frame(3).batch());
    assert_eq!(run.errors, []);
    assert_eq!((run.draws, run.presents), (3, 1));
}

#[test]
fn a_truncated_packet_is_rejected_and_what_came_before_it_stays() {
    let mut out = frame(3);
    let batch = out.batch();
    for cut in 1..8 {
        let run = run(&batch[..batch.len() - cut]);
        assert!(matches!(
            run.errors[..],
            [StreamError { kind: Some(Kind::Present), cause: Cause::Truncated { .. }, .. }]
        ));
        assert_eq!((run.draws, run.presents), (3, 0));
    }
}

#[test]
fn a_wrong_size_is_rejected_and_the_next_packet_is_read() {
    let mut out = frame(1);
    let batch = out.batch();
    let present = batch.len() - 8;
    // The draw before the present claims one word less; its last word then stands where a header should be.
    let mut header: Header = bytemuck::cast(batch[present - 4]);
    assert_eq!(header.kind, Kind::Draw as u16);
    header.units = 3;
    batch[present - 4] = bytemuck::cast(header);
    let run = run(batch);
    assert!(matches!(run.errors[0].cause, Cause::WrongSize { wanted: 3, have: 2 }), "{:?}", run.errors);
    assert_eq!(run.errors[0].kind, Some(Kind::Draw));
    header.units = 0;
    let mut batch = batch.clone();
    batch[present - 4] = bytemuck::cast(header);
    assert!(matches!(common::run(&batch).errors[..], [StreamError { cause: Cause::WrongSize { .. }, .. }]));
}

#[test]
fn a_sequence_that_does_not_follow_is_rejected() {
    let mut out = frame(3);
    let batch = out.batch();
    let second_draw = batch.len() - 8 - 8;
    let mut header: Header = bytemuck::cast(batch[second_draw]);
    let good = header.sequence;
    header.sequence = good - 1;
    batch[second_draw] = bytemuck::cast(header);
    let run = run(batch);
    assert_eq!(run.errors[0].cause, Cause::Sequence { last: good - 1 });
    // The gap that the rejected packet leaves is the second message; the stream then goes on.
    assert_eq!((run.errors.len(), run.draws, run.presents), (2, 1, 1));
}

#[test]
fn a_missing_object_is_rejected() {
    let ghost = ObjectId::new(ObjectKind::Texture, 9);
    let error = error_of(|out| {
        let mut targets = SetRenderTargets::default();
        targets.color[0].texture = ghost;
        out.push(&targets);
    });
    assert_eq!(error.cause, Cause::Missing { field: "color", id: ghost });
    let text = error.to_string();
    assert!(text.contains("SetRenderTargets") && text.contains("Texture#9") && text.contains("field color"), "{text}");

    let error = error_of(|out| {
        out.push(&SetShaders { vertex: PIXEL_SHADER, pixel: PIXEL_SHADER, ..SetShaders::default() });
    });
    assert_eq!(error.cause, Cause::WrongKind { field: "vertex", id: PIXEL_SHADER });

    let error = error_of(|out| {
        out.push(&SetShaders::default());
        out.push(&draw(0));
    });
    assert_eq!(error.cause, Cause::Missing { field: "vertex shader", id: ObjectId::NONE });

    let error = error_of(|out| {
        out.push(&Destroy { id: BUFFER, pad: 0 });
        out.push(&Destroy { id: BUFFER, pad: 0 });
    });
    assert_eq!(error.cause, Cause::Missing { field: "id", id: BUFFER });
}

#[test]
fn a_present_without_target_metadata_is_rejected() {
    let other = ObjectId::new(ObjectKind::Target, 2);
    let error = error_of(|out| out.push(&Present { target: other, ..present(1) }));
    assert_eq!(error.cause, Cause::Missing { field: "target", id: other });
    let error = error_of(|out| out.push(&Present { target: ObjectId::NONE, ..present(1) }));
    assert_eq!(error.cause, Cause::Missing { field: "target", id: ObjectId::NONE });
}

#[test]
fn a_frame_id_that_does_not_match_is_rejected() {
    let error = error_of(|out| out.push(&present(2)));
    assert_eq!(error.cause, Cause::FrameMismatch { frame: 2, open: Some(1) });
    let error = error_of(|out| {
        out.push(&present(1));
        out.push(&present(1));
    });
    assert_eq!(error.cause, Cause::FrameMismatch { frame: 1, open: None });
}

#[test]
fn frames_begin_through_the_stream() {
    let mut out = frame(1);
    out.push(&BeginFrame { frame: 2 });
    out.push(&draw(0));
    out.push(&present(2));
    let run = run(out.batch());
    assert_eq!(run.errors, []);
    assert_eq!((run.state.frame, run.presents), (2, 2));
}

#[test]
fn eight_thousand_and_more_draws_are_all_there() {
    let run = run(frame(8256).batch());
    assert_eq!((run.errors.len(), run.draws, run.presents), (0, 8256, 1));
}

#[test]
fn a_hard_cap_answers_with_an_error_and_never_loses_the_frame() {
    let limits = Budgets::default().with(Budget::Draws, 100);
    let run = run_with(frame(103).batch(), limits);
    assert_eq!((run.draws, run.presents), (100, 1));
    assert_eq!(run.errors.len(), 3);
    let causes: Vec<_> = run.errors.iter().map(|error| error.cause.clone()).collect();
    let cause = |asked| Cause::Budget { budget: Budget::Draws, id: ObjectId::NONE, asked, limit: 100 };
    assert_eq!(causes, [101, 102, 103].map(cause));
}

#[test]
fn the_replay_hash_sees_every_word_of_a_draw() {
    let base = run(frame(3).batch()).hash;
    assert_eq!(base, run(frame(3).batch()).hash, "equal frames hash equal");
    for word in 0..2 {
        for bit in 0..64 {
            let mut out = frame(3);
            let batch = out.batch();
            let body = batch.len() - 8 - 3 + 1 + word;
            batch[body] ^= 1 << bit;
            let changed = run(batch);
            assert!(changed.hash != base, "word {word} bit {bit}");
        }
    }
    // Where the data lay is no part of the picture.
    let update = |offset| {
        let mut out = Encoder::new();
        prologue(&mut out);
        let data = UploadRef { slot: 0, size: 16, offset };
        out.push(&UpdateBuffer { id: BUFFER, flags: 0, offset: 0, data });
        run(out.batch()).hash
    };
    assert_eq!(update(0), update(256), "the same bytes elsewhere");
    assert_ne!(update(0), update(1), "other bytes");
    let vertices = |offset, stride| {
        let mut out = Encoder::new();
        prologue(&mut out);
        let binding = VertexBuffer { source: ObjectId::new(ObjectKind::Upload, 0), stride, offset, size: 64 };
        out.push_tail(&SetVertexBuffers { first: 0, count: 1 }, &[binding]);
        run(out.batch()).hash
    };
    assert_eq!(vertices(0, 16), vertices(256, 16));
    assert_ne!(vertices(0, 16), vertices(0, 20));
}

#[test]
fn upload_references_out_of_range_are_rejected() {
    let update = |data| UpdateBuffer { id: BUFFER, flags: 0, offset: 0, data };
    for (slot, offset, size) in [(1, 0, 16), (0, 4090, 16), (0, u64::MAX, 16), (0, 4096, 1)] {
        let error = error_of(|out| out.push(&update(UploadRef { slot, size, offset })));
        assert_eq!(error.cause, Cause::UploadRange { field: "data", slot, size: size.into(), offset });
    }
    // Inside of the arena, but past the end of the buffer.
    let error = error_of(|out| out.push(&update(UploadRef { slot: 0, size: 257, offset: 0 })));
    assert_eq!(error.cause, Cause::Range { field: "offset", value: 257, limit: 256 });
    let error = error_of(|out| {
        let source = ObjectId::new(ObjectKind::Upload, 0);
        let binding = VertexBuffer { source, stride: 16, offset: 4000, size: 200 };
        out.push_tail(&SetVertexBuffers { first: 0, count: 1 }, &[binding]);
    });
    assert!(matches!(error.cause, Cause::UploadRange { field: "source", .. }));
}

#[test]
fn state_out_of_range_is_rejected_by_the_name_of_its_field() {
    let field = |push: &dyn Fn(&mut Encoder)| field_of(error_of(push).cause);
    let raster = SetRaster::default();
    assert_eq!(field(&|out| out.push(&SetRaster { fill_back: 3, ..raster })), "fill_back");
    assert_eq!(field(&|out| out.push(&SetRaster { line_mode: 5, ..raster })), "line_mode");
    assert_eq!(field(&|out| out.push(&SetRaster { provoking: 2, ..raster })), "provoking");
    for line_width in [-1.0, f32::NAN, f32::INFINITY] {
        assert_eq!(field(&|out| out.push(&SetRaster { line_width, ..raster })), "line_width");
    }
    assert_eq!(field(&|out| out.push(&SetRaster { alpha_to_coverage: 2, ..raster })), "alpha_to_coverage");
    let overlay = Overlay::default();
    assert_eq!(field(&|out| out.push(&Overlay { items: Overlay::ALL + 1, ..overlay })), "items");
    assert_eq!(field(&|out| out.push(&Overlay { corner: 4, ..overlay })), "corner");
    for scale in [-1.0, f32::NAN, 17.0] {
        assert_eq!(field(&|out| out.push(&Overlay { scale, ..overlay })), "scale");
    }
    let gamma = SetGamma { id: ObjectId::new(ObjectKind::Target, 1), count: 256 };
    assert_eq!(field(&|out| out.push_tail(&gamma, &[0; 256])), "count");
    let marker = Marker { action: 3, count: 0, color: 0, pad: 0 };
    assert_eq!(field(&|out| out.push_tail(&marker, b"")), "action");
    let texture = texture(ObjectId::new(ObjectKind::Texture, 9));
    assert_eq!(field(&|out| out.push(&CreateTexture { usage: 64, shared: 1, ..texture })), "usage");
    assert_eq!(field(&|out| out.push(&CreateTexture { usage: CreateTexture::SHARED_OLD, ..texture })), "usage");
    let blend = SetBlend::default();
    assert_eq!(field(&|out| out.push_tail(&SetBlend { logic_op: 17, ..blend }, &[])), "logic_op");
    assert_eq!(field(&|out| out.push_tail(&SetBlend { color_op: 7, ..blend }, &[])), "color_op");
    // A signed equation is of colour and alpha alike.
    assert_eq!(field(&|out| out.push_tail(&SetBlend { color_op: 5, alpha_op: 0, ..blend }, &[])), "alpha_op");
    assert_eq!(field(&|out| out.push_tail(&SetBlend { color_op: 5, alpha_op: 6, ..blend }, &[])), "alpha_op");
    let clear: Clear = bytemuck::Zeroable::zeroed();
    assert_eq!(field(&|out| out.push_tail(&Clear { flags: 0x80, ..clear }, &[])), "flags");
    let sampler = CreateSampler { id: ObjectId::new(ObjectKind::Sampler, 1), ..bytemuck::Zeroable::zeroed() };
    assert_eq!(field(&|out| out.push(&CreateSampler { max_lod: f32::NAN, ..sampler })), "lod_bias");
    let registers = u32::from(Bank::Nv2aPixel.registers());
    let constants = SetConstants { bank: Bank::Nv2aPixel as u16, first: 0, count: registers + 1 };
    assert_eq!(field(&|out| out.push_tail(&constants, &vec![[0; 4]; registers as usize + 1])), "count");
}

#[test]
fn the_channels_of_a_clear() {
    let clear = |flags| Clear { flags, ..bytemuck::Zeroable::zeroed() };
    assert_eq!(clear(Clear::COLOR | Clear::RED).channels(), 15);
    assert_eq!(clear(Clear::RED | Clear::BLUE | Clear::DEPTH).channels(), 0b0101);
    assert_eq!(clear(Clear::GREEN | Clear::ALPHA | Clear::STENCIL).channels(), 0b1010);
    assert_eq!(clear(Clear::DEPTH | Clear::STENCIL).channels(), 0);
}

#[test]
fn another_version_is_named() {
    let mut out = Encoder::new();
    out.push_tail(&Init { version: 99, count: 0, process: 1, guest: 1 }, &[]);
    let error = run(out.batch()).errors.remove(0);
    assert!(error.to_string().contains("stream version 99"), "{error}");
}

#[test]
fn the_snapshot_builds_the_same_state() {
    let mut out = frame(1);
    out.push_tail(&SetConstants { bank: 3, first: 7, count: 2 }, &[[1, 2, 3, 4], [5, 6, 7, 8]]);
    let last = Bank::COUNT as u16 - 1;
    let end = Bank::ALL[usize::from(last)].registers() - 1;
    out.push_tail(&SetConstants { bank: last, first: end, count: 1 }, &[[9; 4]]);
    out.push(&SetRaster { fill_back: 1, line_mode: 2, provoking: 1, line_width: 14.5, ..SetRaster::default() });
    out.push_tail(&SetBlend { logic_op: LogicOp::Set as u8, ..SetBlend::default() }, &[]);
    let steps: Vec<u16> = (0..SetGamma::STEPS as u16).collect();
    let gamma = SetGamma { id: ObjectId::new(ObjectKind::Target, 1), count: steps.len() as u32 };
    out.push_tail(&gamma, &steps);
    let name = Name { id: gamma.id, count: 5 };
    out.push_tail(&name, b"shown");
    let state = run(out.batch()).state;
    assert_eq!(state.gammas[&gamma.id][..], steps);
    assert_eq!(state.objects.name(gamma.id), Some("shown"));
    let copy = rebuilt(&state);
    assert_eq!(copy.bank(3)[7..9], [[1, 2, 3, 4], [5, 6, 7, 8]]);
    assert_eq!(copy.bank(last.into())[usize::from(end)], [9; 4]);
    assert_eq!((copy.raster, copy.blend), (state.raster, state.blend));
    assert_eq!(copy.objects.name(gamma.id), Some("shown"));
    assert_eq!(format!("{copy:?}"), format!("{state:?}"));
}
