//! The model of a small capture, and of what is left of a damaged one.
#![allow(missing_docs)]

mod common;

use afterimage_capture::{Info, MemoryArena, Writer};
use afterimage_inspect::*;
use afterimage_stream::packets::*;
use afterimage_stream::{Encoder, Kind, ObjectId, ObjectKind};
use common::*;
use proptest::prelude::*;

fn capture() -> Capture {
    Capture::from_bytes(file()).unwrap()
}

fn value(fields: &[StateField], path: &str) -> String {
    fields.iter().find(|field| field.path == path).map_or_else(|| "missing".into(), |field| field.value.to_string())
}

#[test]
fn calls_are_numbered_through_the_capture_and_in_their_frames() {
    let capture = capture();
    assert_eq!((capture.damage(), capture.info().program.as_str()), (None, "teapot.exe"));
    assert_eq!(capture.guest(), Init::D3D9, "told by its shaders");
    let calls: Vec<_> =
        capture.calls().iter().map(|call| (call.number, call.frame, call.in_frame, call.packet)).collect();
    let expected = [
        (0, 7, 0, Kind::Clear),
        (1, 7, 1, Kind::Draw),
        (2, 7, 2, Kind::Present),
        (3, 8, 0, Kind::Clear),
        (4, 8, 1, Kind::DrawIndexed),
        (5, 8, 2, Kind::Blit),
        (6, 8, 3, Kind::Present),
    ];
    assert_eq!(calls, expected);
    let frames: Vec<_> = capture.frames().iter().map(|f| (f.number, f.calls.clone(), f.complete)).collect();
    assert_eq!(frames, [(7, 0..3, true), (8, 3..7, true)]);
    let kinds: Vec<_> = capture.packets_of(5).map(|(_, packet)| packet.kind()).collect();
    assert_eq!(kinds, [Kind::Blit]);
    let kinds: Vec<_> = capture.packets_of(6).map(|(_, packet)| packet.kind()).collect();
    assert_eq!(kinds, [Kind::Destroy, Kind::Present]);
    assert_eq!(capture.packets_of(0).last().map(|(_, packet)| packet.kind()), Some(Kind::Clear));
    assert_eq!(capture.packets_of(7).count(), 0);
    for call in capture.calls() {
        assert_eq!(capture.packet(call.place).unwrap().kind(), call.packet);
    }
}

#[test]
fn what_a_renderer_refuses_is_listed_and_changes_nothing() {
    let capture = capture();
    let [problem] = capture.problems() else { panic!("{:?}", capture.problems()) };
    assert_eq!((problem.frame, problem.call, capture.rejected()), (8, 4, 1));
    assert!(problem.text.contains("SetTextures") && problem.text.contains("Texture#9"), "{}", problem.text);
    assert_eq!(value(&state_fields(&capture.state_before(4)), "textures[0].texture"), "missing");
}

#[test]
fn the_state_before_a_call_and_what_changed() {
    let capture = capture();
    let state = state_fields(&capture.state_before(1));
    for (path, expected) in [
        ("render_targets.color[0].texture", "Texture#1"),
        ("render_targets.color[1].texture", "missing"),
        ("shaders.pixel", "Shader#2"),
        ("textures[3].texture", "Texture#2"),
        ("textures[3].sampler", "Sampler#1"),
        ("textures[3].sampler.mag", "Linear"),
        ("vertex_buffers[0].stride", "16"),
        ("vertex_input.attributes[1].format", "R16G16_SNORM"),
        ("raster.depth_clip", "true"),
        ("blend.src_color", "Zero"),
    ] {
        assert_eq!(value(&state, path), expected, "{path}");
    }
    assert_eq!(value(&constants(&capture.state_before(1)), "vertex float[4]"), "[1.5, 0, 0, -1]");
    assert!(constants(&capture.state_before(0)).is_empty());
    let changes: Vec<String> = capture.changes(4).iter().map(Change::to_string).collect();
    assert!(changes.contains(&"depth_stencil.depth_compare: Never -> LessEqual".to_owned()), "{changes:?}");
    assert!(changes.contains(&"vertex_buffers[0].source: Buffer#1 -> upload 0".to_owned()), "{changes:?}");
    assert!(!changes.iter().any(|change| change.contains("textures")), "{changes:?}");
    let first: Vec<String> = capture.changes(1).iter().map(Change::to_string).collect();
    assert!(first.contains(&"vertex float[4]: [0, 0, 0, 0] -> [1.5, 0, 0, -1]".to_owned()), "{first:?}");
    assert!(first.contains(&"textures[3].sampler.mag: nothing -> Linear".to_owned()), "{first:?}");
    assert!(capture.changes(5).is_empty());
    assert!(!capture.changes(0).is_empty(), "the target is set before the first call");
}

#[test]
fn what_calls_read_and_write() {
    let capture = capture();
    let roles = |list: Vec<Access>| list.iter().map(|a| format!("{} {}", a.id, a.role)).collect::<Vec<_>>();
    assert_eq!(roles(capture.writes(0)), ["Texture#1 color 0"]);
    assert_eq!(roles(capture.writes(1)), ["Texture#1 color 0"]);
    assert_eq!(
        roles(capture.reads(1)),
        ["Buffer#1 vertices 0", "Texture#2 texture 3"],
        "texture 2 is bound, but the shader does not look it up"
    );
    assert_eq!(roles(capture.reads(4)), ["Texture#2 texture 3"], "uploads are no objects");
    assert_eq!(
        (roles(capture.reads(5)), roles(capture.writes(5))),
        (vec!["Texture#1 source".to_owned()], vec!["Texture#2 destination".to_owned()])
    );
    assert_eq!(roles(capture.reads(6)), ["Texture#1 picture"]);
    assert!(capture.writes(7).is_empty());
}

#[test]
fn resources_have_names_and_lives() {
    let capture = capture();
    let find = |id: ObjectId| capture.resources().iter().find(|resource| resource.id == id).unwrap();
    let skin = find(SKIN);
    assert_eq!((skin.name.as_deref(), skin.kind), (Some("skin"), ObjectKind::Texture));
    assert_eq!(skin.description, "B8G8R8A8_UNORM 64 x 32, 2 levels");
    assert_eq!(skin.bytes, 4 * (64 * 32 + 32 * 16));
    assert_eq!((skin.created, skin.destroyed), (Moment::Keyframe, None));
    assert_eq!((skin.reads, skin.writes), (Uses { count: 2, first: 1, last: 4 }, Uses { count: 1, first: 5, last: 5 }));
    assert_eq!(find(SHOWN).description, "B8G8R8A8_UNORM 64 x 32, 2 levels, TARGET");
    assert_eq!(find(UNUSED).destroyed, Some(Moment::Before(6)));
    assert!(capture.resource(UNUSED, 5).is_some() && capture.resource(UNUSED, 6).is_none());
    assert_eq!(find(VERTICES).updates, 2);
    assert_eq!(find(VERTICES).description, "1024 bytes, VERTEX");
}

#[test]
fn shaders_in_every_language() {
    let capture = capture();
    let pixel = capture.shader(PIXEL_SHADER, 1).unwrap();
    assert_eq!((pixel.stage, pixel.language_name()), (Stage::Pixel, "d3d9"));
    assert_eq!(pixel.hash, Some(shader_hash(&pixel_code())));
    assert_eq!(pixel.hash_text().len(), 32);
    for (form, expected) in [
        (Form::Guest, "texld r0, t0, s3"),
        (Form::Ir, "pixel"),
        (Form::IrOptimized, "pixel"),
        (Form::Spirv, "OpEntryPoint Fragment"),
        (Form::Msl, "fragment"),
    ] {
        let text = pixel.text(form).unwrap();
        assert!(text.contains(expected), "{form:?}: {text}");
    }
    assert_eq!(pixel.reflection().unwrap().textures.len(), 1);
    assert!(capture.shader(PIXEL_SHADER, 0).is_some() && capture.shader(SKIN, 1).is_none());
}

#[test]
fn vertices_are_those_that_the_draw_reads() {
    let capture = capture();
    let table = capture.vertices(1, 4).unwrap();
    let columns: Vec<_> = table.columns.iter().map(|column| (column.name.as_str(), column.components)).collect();
    assert_eq!(columns, [("POSITION", 3), ("TEXCOORD1", 2)]);
    assert_eq!((table.total, table.rows.len(), table.indexed), (6, 4, false));
    assert_eq!(table.rows[2].vertex, Some(2));
    assert_eq!(table.rows[2].values, [Some([2.0, 2.1, 2.2, 1.0]), Some([1.0, -1.0, 0.0, 1.0])]);
    assert!(table.notes.is_empty(), "{:?}", table.notes);

    let table = capture.vertices(4, 100).unwrap();
    let numbers: Vec<_> = table.rows.iter().map(|row| row.vertex).collect();
    assert_eq!(numbers, [Some(1), Some(0), Some(5), Some(4), Some(3)]);
    assert_eq!(table.rows[0].values[0], Some([11.0, 11.1, 11.2, 1.0]));
    assert_eq!(capture.vertices(0, 4), Err(NoVertices::NoDraw(0)));
    assert_eq!(capture.vertices(99, 4), Err(NoVertices::NoDraw(99)));
}

/// Keyframes draw into multisampled targets what they held.
#[test]
fn what_the_keyframe_draws_is_no_call() {
    let (mut keyframe, mut arena) = (Encoder::new(), MemoryArena::default());
    objects(&mut keyframe, &mut arena);
    bind(&mut keyframe, VERTICES);
    keyframe.push(&draw(3));
    let mut file = Vec::new();
    let mut writer = Writer::new(&mut file, &Info::default()).unwrap();
    writer.keyframe(keyframe.batch(), &arena).unwrap();
    keyframe.batch().clear();
    keyframe.push(&BeginFrame { frame: 5 });
    keyframe.push(&draw(6));
    writer.batch(keyframe.batch(), &arena).unwrap();
    writer.finish().unwrap();
    let capture = Capture::from_bytes(file).unwrap();
    assert_eq!(capture.rejected(), 0, "{:?}", capture.problems());
    let calls: Vec<_> = capture.calls().iter().map(|call| (call.number, call.frame, call.in_frame)).collect();
    assert_eq!(calls, [(0, 5, 0)]);
    assert_eq!(capture.vertices(0, 1).unwrap().total, 6);
    assert_eq!(capture.resource(SHOWN, 0).unwrap().writes, Uses { count: 1, first: 0, last: 0 });
}

/// Many draws, each with another viewport.
fn long(draws: u32) -> Vec<u8> {
    let mut out = Encoder::new();
    out.push(&PresentTarget { id: TARGET, width: 64, height: 32, window_kind: 0, window: 0 });
    out.push(&texture(SHOWN, CreateTexture::TARGET));
    out.push(&BeginFrame { frame: 1 });
    let clear = Clear { flags: 1, count: 0, color: [0.0; 4], depth: 1.0, stencil: 0, stencil_keep: 0, pad: [0; 2] };
    for at in 0..draws {
        out.push(&SetViewport { x: at as f32, width: 1.0, height: 1.0, max_depth: 1.0, ..SetViewport::default() });
        out.push_tail(&clear, &[]);
    }
    file_of(out.batch(), &MemoryArena::default())
}

#[test]
fn any_call_is_found_with_few_snapshots_and_with_many() {
    let file = long(1500);
    for snapshots in [0, 3 << 20, 256 << 20] {
        let capture = Capture::from_bytes_with(file.clone(), &Limits { snapshots, ..Limits::default() }).unwrap();
        assert_eq!(capture.calls().len(), 1500);
        for call in [0, 1, 63, 64, 65, 700, 1499] {
            assert_eq!(capture.state_before(call).viewport.x, call as f32, "{snapshots}");
        }
        assert_eq!(capture.state_before(5000).viewport.x, 1499.0, "behind the last call");
        let mut seen = Vec::new();
        capture.states(130..133, |call, state| seen.push((call.number, state.viewport.x)));
        assert_eq!(seen, [(130, 130.0), (131, 131.0), (132, 132.0)]);
    }
}

/// Whatever way a walk goes, it tells what is told of each call alone.
#[test]
fn a_walk_tells_what_is_told_of_each_call() {
    for (file, snapshots) in [(file(), 0), (long(700), 0), (long(700), 256 << 20)] {
        let capture = Capture::from_bytes_with(file, &Limits { snapshots, ..Limits::default() }).unwrap();
        let count = capture.calls().len() as u64;
        let mut walk = capture.walk();
        let told = |call: Option<&Call>, walk: &mut Walk<'_>| {
            let number = call.unwrap().number;
            let state = capture.state_before(number);
            let before = number.checked_sub(1).map_or_else(Default::default, |before| capture.state_before(before));
            assert_eq!(walk.changes(), changes_between(&before, &state), "call {number}");
            assert_eq!(walk.changes(), capture.changes(number), "call {number}");
            assert_eq!(state_fields(walk.state()), state_fields(&state), "call {number}");
            let Accesses { reads, writes } = walk.accesses();
            assert_eq!((reads, writes), (capture.reads(number), capture.writes(number)), "call {number}");
            assert_eq!(walk.vertices(9), capture.vertices(number, 9), "call {number}");
            number
        };
        let mut seen = Vec::new();
        while let Some(call) = walk.next() {
            seen.push(told(Some(call), &mut walk));
        }
        assert_eq!(seen, (0..count).collect::<Vec<_>>());
        for number in (0..count).rev().step_by(5).chain([1, 1, 3, count - 1, 0, count / 2]) {
            let call = walk.to(number);
            assert_eq!(told(call, &mut walk), number);
        }
        assert_eq!(walk.next().map(|call| call.number), Some(count / 2 + 1));
        assert_eq!((walk.to(count), walk.packet().is_some(), walk.changes()), (None, false, Vec::new()));
        assert_eq!(state_fields(walk.state()), state_fields(&capture.state_before(count)));
    }
}

#[test]
fn vertices_are_of_the_last_write_to_each_byte() {
    let mut out = Encoder::new();
    let mut arena = MemoryArena::default();
    objects(&mut out, &mut arena);
    out.push(&BeginFrame { frame: 1 });
    bind(&mut out, VERTICES);
    let mut memory = vec![None; 1024];
    // Pieces that lie beside, in, over and across each other.
    let writes =
        [(0, 96), (16, 16), (24, 40), (8, 4), (0, 20), (60, 60), (200, 24), (190, 50), (0, 240), (100, 1), (96, 96)];
    for (number, (offset, size)) in (1u8..).zip(writes) {
        let bytes: Vec<u8> = (0..size).map(|at| number.wrapping_mul(17).wrapping_add(at)).collect();
        memory[offset..].iter_mut().zip(&bytes).for_each(|(byte, new)| *byte = Some(*new));
        out.push(&UpdateBuffer { id: VERTICES, flags: 0, offset: offset as u64, data: arena.push(&bytes) });
        out.push(&draw(20));
    }
    let capture = Capture::from_bytes(file_of(out.batch(), &arena)).unwrap();
    assert_eq!((capture.rejected(), capture.calls().len()), (0, writes.len()), "{:?}", capture.problems());
    let table = capture.vertices(writes.len() as u64 - 1, 20).unwrap();
    for (at, row) in table.rows.iter().enumerate() {
        let float = |byte: usize| {
            let bytes: Option<Vec<u8>> = memory[byte..byte + 4].iter().copied().collect();
            Some(f32::from_le_bytes(bytes?.try_into().ok()?))
        };
        let position = [float(at * 16), float(at * 16 + 4), float(at * 16 + 8)];
        let position = position.iter().copied().collect::<Option<Vec<_>>>();
        let shown = row.values[0].map(|value| value[..3].to_vec());
        assert_eq!(
            shown.map(|v| v.iter().map(|f| f.to_bits()).collect::<Vec<_>>()),
            position.map(|v| v.iter().map(|f| f.to_bits()).collect()),
            "vertex {at}"
        );
    }
    let mut walk = capture.walk();
    for number in (0..writes.len() as u64).chain((0..writes.len() as u64).rev()) {
        walk.to(number);
        assert_eq!(format!("{:?}", walk.vertices(20)), format!("{:?}", capture.vertices(number, 20)), "call {number}");
    }
}

/// What was uploaded before must not be shown for it.
#[test]
fn what_the_gpu_writes_is_not_known() {
    let mut out = Encoder::new();
    let mut arena = MemoryArena::default();
    objects(&mut out, &mut arena);
    let id = ObjectId::new(ObjectKind::Buffer, 2);
    out.push(&CreateBuffer { id, usage: CreateBuffer::VERTEX | CreateBuffer::STORAGE, size: 256 });
    out.push(&BeginFrame { frame: 1 });
    bind(&mut out, id);
    out.push(&UpdateBuffer { id, flags: 0, offset: 0, data: arena.push(&vertices(1.0)) });
    out.push(&draw(6));
    out.push(&FillBuffer { id, value: 0, offset: 16, size: 32 });
    out.push(&draw(6));
    let capture = Capture::from_bytes(file_of(out.batch(), &arena)).unwrap();
    assert_eq!(capture.rejected(), 0, "{:?}", capture.problems());
    let draws: Vec<u64> = CallSet::parse("draw").unwrap().among(capture.calls()).map(|call| call.number).collect();
    let known = |draw| {
        let table = capture.vertices(draw, 6).unwrap();
        assert!(table.notes[0].contains("may be written by shaders"), "{:?}", table.notes);
        table.rows.iter().map(|row| row.values[0].is_some()).collect::<Vec<_>>()
    };
    assert_eq!(known(draws[0]), [true; 6]);
    assert_eq!(known(draws[1]), [true, false, false, true, true, true]);
}

#[test]
fn packets_beyond_the_limit_are_left_out_and_it_is_said() {
    let limits = Limits { packets: 0, ..Limits::default() };
    let capture = Capture::from_bytes_with(file(), &limits).unwrap();
    assert!(capture.calls().is_empty() && capture.damage().unwrap().contains("left out"));
    let capture = Capture::from_bytes_with(file(), &Limits { data: 0, ..Limits::default() }).unwrap();
    assert_eq!(capture.calls().len(), 7);
    assert!(capture.vertices(1, 4).unwrap().rows.iter().all(|row| row.values.iter().all(Option::is_none)));
    let error = capture.shaders()[0].text(Form::Guest).unwrap_err();
    assert!(error.contains("does not have its"), "{error}");
}

/// Asks for everything that a capture can tell.
fn ask(capture: &Capture) {
    let mut walk = capture.walk();
    while let Some(call) = walk.next() {
        let _ = (walk.changes(), walk.accesses(), walk.vertices(8), walk.terms());
        let _ = (capture.changes(call.number), capture.writes(call.number), capture.vertices(call.number, 8));
        capture.packets_of(call.number).for_each(|(_, packet)| {
            let _ = fields_json(&fields(&packet)).to_string();
        });
    }
    let _ = capture.resources();
    for shader in capture.shaders() {
        let _ = shader.text(Form::Guest);
    }
}

#[test]
fn a_capture_cut_anywhere_says_so_and_shows_what_is_there() {
    let file = file();
    for end in (0..file.len()).step_by(7) {
        match Capture::from_bytes(&file[..end]) {
            Ok(capture) => {
                assert!(capture.damage().is_some(), "cut at {end}");
                ask(&capture);
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_flipped_byte_is_survived(at: prop::sample::Index, flip in 1u8..) {
        let mut file = file();
        let at = at.index(file.len());
        file[at] ^= flip;
        if let Ok(capture) = Capture::from_bytes(file) {
            ask(&capture);
        }
    }

    /// Words that are damaged behind the check sums, as a hostile writer makes them.
    #[test]
    fn hostile_packets_are_survived(damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u64>()), 1..5)) {
        let capture = capture();
        let mut file = Vec::new();
        let mut writer = Writer::new(&mut file, &Info::default()).unwrap();
        for (number, batch) in capture.batches().iter().enumerate() {
            let mut words = batch.words.clone();
            for (at, word) in &damage {
                if number > 0 {
                    let at = at.index(words.len());
                    words[at] = *word;
                }
            }
            writer.batch(&words, &MemoryArena::default()).unwrap();
        }
        writer.finish().unwrap();
        ask(&Capture::from_bytes(file).unwrap());
    }
}
