//! The text form: what is read prints the same, mistakes have their place, damage does no harm.

use afterimage_ir::{parse, verify};
use proptest::prelude::*;

/// Every construct of the text form, printed as `Display` prints it.
const EVERYTHING: &str = include_str!("everything.air");
/// What is in the compute stage alone, and what goes with it.
const COMPUTE: &str = include_str!("compute.air");
/// What only one back end knows of the pixel stage.
const PIXEL: &str = include_str!("pixel.air");
/// What transform feedback records, and its system values.
const VERTEX: &str = include_str!("vertex.air");
/// What is in the geometry stage alone.
const GEOMETRY: &str = include_str!("geometry.air");

#[test]
fn everything_round_trips() {
    for text in [EVERYTHING, COMPUTE, PIXEL, VERTEX, GEOMETRY] {
        let module = parse(text).unwrap();
        verify(&module).unwrap();
        assert_eq!(module.to_string(), text);
    }
}

#[test]
fn every_special_opcode_is_in_the_sample() {
    use afterimage_ir::{Meaning, OPCODES};
    for row in OPCODES.iter().filter(|row| matches!(row.meaning, Meaning::Special)) {
        let samples = [EVERYTHING, COMPUTE, PIXEL, GEOMETRY];
        let found = samples.iter().any(|text| text.split_ascii_whitespace().any(|word| word == row.name));
        assert!(found, "the samples lack {}", row.name);
    }
}

#[test]
fn mistakes_have_line_and_column() {
    let cases = [
        ("vortex {", "1:1: expected a stage (vertex, pixel, compute, geometry), found `vortex`"),
        ("pixel {\n  v0: f32 = fadd v1, v2\n}", "2:18: expected a value defined before, found `v1`"),
        ("pixel {\n  v0: f33 = const 1\n}", "2:7: expected a type, found `f33`"),
        ("pixel {\n  v0: f32 = const 1.0\n  v0: f32 = const 1.0\n}", "3:3: v0 is defined twice"),
        ("pixel {\n  v0: f32x2 = const 1.0\n}", "3:1: expected `,`, found `}`"),
        ("pixel {\n  input in1 : f32", "2:9: expected `in0`, found `in1`"),
        ("pixel {\n  §\n}", "2:3: unexpected '§'"),
        ("pixel \"x", "1:7: unfinished or wrong quoted name"),
        ("pixel { return } pixel", "1:18: expected the end of the text, found `pixel`"),
        ("pixel { store r0.x, v0 }", "1:15: expected a declared variable, found `r0`"),
    ];
    for (text, message) in cases {
        assert_eq!(parse(text).unwrap_err().to_string(), message, "{text}");
    }
}

#[test]
fn nesting_is_limited() {
    let open = "v0: bool = const true ".to_owned() + &"if v0 { ".repeat(10_000);
    let error = parse(&format!("pixel {{ {open}")).unwrap_err();
    assert!(error.message.contains("nested"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Cut, doubled and overwritten pieces of the sample neither panic nor print unreadable text.
    #[test]
    fn damage_does_no_harm(
        at in 0..EVERYTHING.len(), len in 0usize..60, from in 0..EVERYTHING.len(), number in 0u32..60,
        letter in proptest::sample::select(b"v.,:={}()[]0x9-r\"".to_vec()), how in 0..4,
    ) {
        let bytes = EVERYTHING.as_bytes();
        let end = (at + len).min(bytes.len());
        let piece: Vec<u8> = match how {
            0 => Vec::new(),
            1 => bytes[from..(from + len).min(bytes.len())].to_vec(),
            2 => number.to_string().into_bytes(),
            _ => vec![letter],
        };
        afterimage_ir::fuzz(&[&bytes[..at], &piece, &bytes[end..]].concat());
    }

    /// The same for damage by whole lines, which often still parses and so reaches the verifier.
    #[test]
    fn shuffled_lines_do_no_harm(at in 0usize..200, to in 0usize..200, remove in any::<bool>()) {
        let mut lines: Vec<&str> = EVERYTHING.lines().collect();
        let (at, to) = (at % lines.len(), to % lines.len());
        let line = lines[at];
        if remove {
            lines.remove(at);
        }
        lines.insert(to.min(lines.len()), line);
        afterimage_ir::fuzz(lines.join("\n").as_bytes());
    }
}
