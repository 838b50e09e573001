//! What is malformed or not covered is an error that says so, and nothing does harm.

use crate::shaders;
use afterimage_ir::Stage;
use afterimage_shader_spirv::{LiftErrorKind, Options, ParseErrorKind, Program, fuzz, lift, words_from_bytes};
use proptest::prelude::*;

fn words(name: &str) -> Vec<u32> {
    words_from_bytes(&shaders::shader(name)).unwrap()
}

/// Place of the first instruction with this opcode.
fn find(words: &[u32], opcode: u32) -> usize {
    find_where(words, |instruction| instruction[0] & 0xffff == opcode)
}

fn find_where(words: &[u32], wanted: impl Fn(&[u32]) -> bool) -> usize {
    let mut at = 5;
    while !wanted(&words[at..]) {
        at += (words[at] >> 16) as usize;
    }
    at
}

#[test]
fn what_is_not_covered_is_named() {
    let mut count = 0;
    for entry in std::fs::read_dir(shaders::folder().join("refused")).unwrap() {
        let source = entry.unwrap().path();
        if source.extension().is_some_and(|e| e == "spv") {
            continue;
        }
        let text = std::fs::read_to_string(&source).unwrap();
        let expected = text.lines().find_map(|line| line.strip_prefix("// refused: ")).expect("a refusal");
        let bytes = std::fs::read(source.with_added_extension("spv")).unwrap();
        let error = lift(&Program::from_bytes(&bytes).unwrap(), &Options::default()).expect_err("it is refused");
        assert!(error.kind.to_string().starts_with(expected), "{}: {error}", source.display());
        assert!(error.to_string().starts_with("word "), "{error}");
        count += 1;
    }
    assert!(count >= 16, "{count}");
}

#[test]
fn what_is_malformed_names_its_place() {
    let good = words("arithmetic.frag");
    let float = find(&good, 22);
    let damaged = |at: usize, word: u32| {
        let mut words = good.clone();
        words[at] = word;
        Program::parse(&words).expect_err("it is damaged")
    };
    for (at, word, expected) in [
        (0, 0x1234_5678, "word 0: the magic number is 0x12345678, but SPIR-V begins with 0x07230203".to_owned()),
        (
            1,
            0x0001_0700,
            "word 1: version word 0x00010700; SPIR-V 1.0 (0x00010000) to 1.6 (0x00010600) can be read".into(),
        ),
        (3, 0, "word 3: the bound on ids is 0; it must be 1 to 4194303".into()),
        (5, 17, "word 5 (OpCapability): an instruction of length 0".into()),
        (5, 0x0001_0011, "word 6 (OpCapability): operand 1 (capability) is missing".into()),
        (5, 0x0002_7777, "word 5: opcode 30583 is in no table".into()),
        (float + 1, 0, format!("word {} (OpTypeFloat): operand 1 (result): id 0 is not within 1 to", float + 1)),
        (float + 1, good[find(&good, 19) + 1], format!("word {float} (OpTypeFloat): id %")),
    ] {
        let error = damaged(at, word).to_string();
        assert!(error.starts_with(&expected), "{error}, not {expected}");
    }
    let cut = Program::parse(&good[..good.len() - 1]).unwrap();
    let error = lift(&cut, &Options::default()).unwrap_err();
    assert_eq!(error.kind, LiftErrorKind::Malformed("the function does not end"));
    let at = find(&good, 22);
    let error = Program::parse(&good[..at + 2]).unwrap_err();
    assert_eq!(error.kind, ParseErrorKind::Truncated { missing: 1 });
    let error = Program::from_bytes(&[3, 2, 0x23]).unwrap_err();
    assert_eq!(error.to_string(), "word 0: the module is 3 bytes long, which is no whole number of 32-bit words");
}

#[test]
fn both_byte_orders_are_the_same_module() {
    let bytes = shaders::shader("loops.frag");
    let turned: Vec<u8> = bytes.as_chunks::<4>().0.iter().flat_map(|&[a, b, c, d]| [d, c, b, a]).collect();
    let of = |bytes: &[u8]| lift(&Program::from_bytes(bytes).unwrap(), &Options::default()).unwrap().module.to_string();
    assert_eq!(of(&bytes), of(&turned));
}

#[test]
fn the_entry_point_is_chosen_by_name_and_stage() {
    let program = Program::from_bytes(&shaders::shader("loops.frag")).unwrap();
    let lifted = lift(&program, &Options { entry: Some("main"), stage: Some(Stage::Pixel) }).unwrap();
    assert_eq!((lifted.entry.as_str(), lifted.module.stage), ("main", Stage::Pixel));
    for options in [Options { entry: Some("other"), stage: None }, Options { entry: None, stage: Some(Stage::Vertex) }]
    {
        let error = lift(&program, &options).unwrap_err();
        assert_eq!(error.kind, LiftErrorKind::NoEntryPoint("main (Fragment)".into()));
    }
    // The same entry point twice.
    let mut words = words("loops.frag");
    let at = find(&words, 15);
    let copy = words[at..at + (words[at] >> 16) as usize].to_vec();
    words.splice(at..at, copy);
    let error = lift(&Program::parse(&words).unwrap(), &Options::default()).unwrap_err();
    assert_eq!(error.kind, LiftErrorKind::ManyEntryPoints("main (Fragment), main (Fragment)".into()));
}

#[test]
fn captures_that_cannot_be_are_named() {
    let good = words("captured.vert");
    let refused = |decoration: u32, value: u32| {
        let mut words = good.clone();
        let at = find_where(&words, |i| match i[0] & 0xffff {
            71 => i[2] == decoration,
            72 => i[3] == decoration,
            _ => false,
        });
        let last = at + (words[at] >> 16) as usize - 1;
        words[last] = value;
        lift(&Program::parse(&words).unwrap(), &Options::default()).unwrap_err().kind
    };
    let [buffer, stride, offset] = [36, 37, 35];
    for (decoration, value, why) in [
        (buffer, 4, "there are buffers 0 to 3"),
        (stride, 52, "a buffer has one stride (XfbStride)"),
        (offset, 40, "what is captured lies within the stride (XfbStride)"),
        (offset, 2, "strides are up to 2048, and they and offsets multiples of 4"),
    ] {
        assert_eq!(refused(decoration, value), LiftErrorKind::Capture(why));
    }
}

#[test]
fn a_function_that_calls_itself_is_refused() {
    let mut words = words("branches.frag");
    // The first call is in `main`; let it call `main`.
    let (main, call) = (words[find(&words, 15) + 2], find(&words, 57));
    words[call + 3] = main;
    words[call] = 4 << 16 | 57;
    let nop = words[call + 4..].iter().position(|&word| word & 0xffff == 62).unwrap();
    words.drain(call + 4..call + 4 + nop);
    let error = lift(&Program::parse(&words).unwrap(), &Options::default()).unwrap_err();
    assert_eq!(error.kind, LiftErrorKind::Recursion);
}

/// Writes a module word by word.
struct Words(Vec<u32>);

impl Words {
    fn new() -> Words {
        let mut words = Words(vec![0x0723_0203, 0x0001_0000, 0, 10_000, 0]);
        words.op(17, &[1]);
        words.op(14, &[0, 1]);
        // The entry point "main" is function 1, void is 2, the type of functions 3.
        words.op(15, &[4, 1, u32::from_le_bytes(*b"main"), 0]);
        words.op(16, &[1, 7]);
        words.op(19, &[2]);
        words.op(33, &[3, 2]);
        words
    }

    fn op(&mut self, opcode: u32, operands: &[u32]) {
        self.0.push((operands.len() as u32 + 1) << 16 | opcode);
        self.0.extend_from_slice(operands);
    }

    fn refusal(&self) -> LiftErrorKind {
        lift(&Program::parse(&self.0).unwrap(), &Options::default()).unwrap_err().kind
    }
}

#[test]
fn calls_that_double_end() {
    let mut words = Words::new();
    // Function 1 is `main`; each calls the next one twice.
    let function = |level: u32| if level == 0 { 1 } else { 3000 + level };
    for level in 0..40 {
        words.op(54, &[2, function(level), 0, 3]);
        words.op(248, &[1000 + level]);
        for call in 0..if level < 39 { 2 } else { 0 } {
            words.op(57, &[2, 2000 + level * 2 + call, function(level + 1)]);
        }
        words.op(253, &[]);
        words.op(56, &[]);
    }
    assert_eq!(words.refusal(), LiftErrorKind::TooMany("parts of composites and inlined blocks"));
}

#[test]
fn types_that_grow_without_end_are_refused() {
    // An empty struct, then arrays of 4096 of the one before; the last is an input.
    for (levels, refusal) in [
        (12, LiftErrorKind::TooMany("scalars and vectors in an input or output")),
        (40, LiftErrorKind::Type("arrays and structs nested deeper than 16".into())),
    ] {
        let mut words = Words::new();
        // Variable 500 is in the entry point's interface.
        let at = find(&words.0, 15);
        words.0[at] += 1 << 16;
        words.0.insert(at + 5, 500);
        words.op(21, &[4, 32, 0]);
        words.op(43, &[4, 5, 4096]);
        words.op(30, &[10]);
        for level in 0..levels {
            words.op(28, &[11 + level, 10 + level, 5]);
        }
        words.op(32, &[400, 1, 10 + levels]);
        words.op(59, &[400, 500, 1]);
        words.op(54, &[2, 1, 0, 3]);
        words.op(248, &[1000]);
        words.op(253, &[]);
        words.op(56, &[]);
        assert_eq!(words.refusal(), refusal);
    }
}

#[test]
fn nesting_is_bounded() {
    // Selections, each inside the one before.
    let mut words = Words::new();
    words.op(20, &[4]);
    words.op(41, &[4, 5]);
    words.op(54, &[2, 1, 0, 3]);
    for level in 0..2000 {
        words.op(248, &[1000 + level]);
        words.op(247, &[5000 + level, 0]);
        words.op(250, &[5, 1001 + level, 5000 + level]);
    }
    words.op(248, &[3000]);
    words.op(249, &[5000 + 1999]);
    for level in (0..2000).rev() {
        words.op(248, &[5000 + level]);
        if level > 0 {
            words.op(249, &[5000 + level - 1]);
        } else {
            words.op(253, &[]);
        }
    }
    words.op(56, &[]);
    assert_eq!(words.refusal(), LiftErrorKind::TooDeep);
}

/// Cases that fall from each to the one before took time by the cube of their number.
#[test]
fn long_switches_end() {
    const CASES: u32 = 4000;
    let mut words = Words::new();
    words.op(21, &[4, 32, 0]);
    words.op(43, &[4, 5, 7]);
    words.op(54, &[2, 1, 0, 3]);
    words.op(248, &[100]);
    words.op(247, &[101, 0]);
    let cases = (0..CASES).flat_map(|case| [case, 1000 + case]);
    words.op(251, &[5, 101].into_iter().chain(cases).collect::<Vec<u32>>());
    for case in 0..CASES {
        words.op(248, &[1000 + case]);
        words.op(249, &[if case == 0 { 101 } else { 1000 + case - 1 }]);
    }
    words.op(248, &[101]);
    words.op(253, &[]);
    words.op(56, &[]);
    let lifted = lift(&Program::parse(&words.0).unwrap(), &Options::default()).unwrap();
    assert!(lifted.module.vars.len() as u32 >= CASES - 1, "each case but the last is fallen into");
}

/// An operation on specialisation constants by a number beyond all opcodes, of which the low half is one, in our own ABI.
#[test]
fn operations_that_do_not_exist_are_refused() {
    let mut words = Words::new();
    let model = find(&words.0, 14);
    words.0[model + 1] = 5348;
    words.op(72, &[7, 0, 35, 32]);
    words.op(21, &[4, 32, 0]);
    words.op(43, &[4, 5, 20]);
    words.op(28, &[6, 4, 5]);
    words.op(30, &[7, 6]);
    words.op(32, &[8, 9, 7]);
    words.op(59, &[8, 9, 9]);
    words.op(52, &[4, 10, 1 << 16 | 199]);
    words.op(54, &[2, 1, 0, 3]);
    words.op(248, &[100]);
    words.op(253, &[]);
    words.op(56, &[]);
    assert_eq!(words.refusal(), LiftErrorKind::Instruction("OpSpecConstantOp"));
}

/// Damages that once did harm.
#[test]
fn found_by_fuzzing() {
    let refused = |words: &[u32]| lift(&Program::parse(words).unwrap(), &Options::default()).unwrap_err().kind;
    // A continue construct that goes to itself, which was repeated within itself without end.
    let mut looping = words("loops.frag");
    let next = looping[find(&looping, 246) + 2];
    let label = find_where(&looping, |i| i[0] & 0xffff == 248 && i[1] == next);
    let branch = label + find(&[&[0; 5], &looping[label..]].concat(), 249) - 5;
    looping[branch + 1] = next;
    assert_eq!(refused(&looping), LiftErrorKind::Unstructured);
    // A component far beyond the location.
    let mut far = words("merged.frag");
    let component = find_where(&far, |i| i[0] & 0xffff == 71 && i[2] == 31);
    far[component + 3] = u32::MAX;
    assert_eq!(refused(&far), LiftErrorKind::Malformed("an input or output goes beyond its location"));
    // Clip distances that are vectors.
    let mut clip = words("varyings.vert");
    let location = find_where(&clip, |i| i[0] & 0xffff == 71 && i[2] == 30 && i[3] == 2);
    (clip[location + 2], clip[location + 3]) = (11, 3);
    assert!(matches!(refused(&clip), LiftErrorKind::Malformed(_)));
}

fn damage() -> impl Strategy<Value = (prop::sample::Index, Vec<(prop::sample::Index, u32, bool)>)> {
    (
        any::<prop::sample::Index>(),
        prop::collection::vec((any::<prop::sample::Index>(), any::<u32>(), any::<bool>()), 1..6),
    )
}

/// What `fuzz` does, and what is made of a shader that survives: a module for the driver, and one that captures.
fn survive(words: &[u32]) {
    fuzz(bytemuck::cast_slice(words));
    let Ok(program) = Program::parse(words) else { return };
    for stage in [Stage::Vertex, Stage::Geometry, Stage::Pixel] {
        let Ok(lifted) = lift(&program, &Options { entry: None, stage: Some(stage) }) else { continue };
        let options = afterimage_spirv::Options {
            bindless: false,
            preserve: false,
            debug_names: false,
            features: afterimage_spirv::Features::ALL,
        };
        let bound = afterimage_spirv::Bound { bindings: &lifted.bindings, feedback: None };
        let written = afterimage_spirv::emit_bound(&lifted.module, &options, &bound);
        if let Ok(artifact) = written {
            Program::parse(&artifact.words).expect("what we write can be read");
        }
        if stage == Stage::Vertex {
            let lowered = afterimage_passes::feedback::lower(&lifted.module, &Default::default());
            if let Ok(lowered) = lowered {
                afterimage_ir::verify(&lowered).expect("what is lowered is valid");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Words that are turned into others, mostly into numbers that occur in the module.
    #[test]
    fn damaged_modules_do_no_harm((file, damages) in damage()) {
        let files = shaders::everything();
        let mut words = words_from_bytes(&std::fs::read(file.get(&files)).unwrap()).unwrap();
        for (place, word, near) in damages {
            let at = place.index(words.len());
            words[at] = if near { words[at].wrapping_add(word % 9).wrapping_sub(4) } else { words[word as usize % words.len()] };
        }
        survive(&words);
    }

    /// Modules that end early, or have a piece of another one inside.
    #[test]
    fn cut_modules_do_no_harm((file, damages) in damage()) {
        let files = shaders::everything();
        let mut words = words_from_bytes(&std::fs::read(file.get(&files)).unwrap()).unwrap();
        for (place, word, cut) in damages {
            let at = place.index(words.len());
            let length = (word as usize % 40).min(words.len() - at);
            if cut {
                words.drain(at..at + length);
            } else {
                let piece = words[at..at + length].to_vec();
                words.splice(at..at, piece);
            }
            if words.is_empty() {
                return Ok(());
            }
        }
        survive(&words);
    }
}
