//! Each `cases/*.txt` is a list of register writes, `METHOD value` or `METHOD[instance].word value` with the value in hex or, with a
//! point, as a float; behind it are the text of the key and the IR after the passes, as comments. `AFTERIMAGE_BLESS=1` writes those anew.

use afterimage_nv2a_types::{Registers, methods::METHODS};
use afterimage_passes::{FloatRules, Options};
use afterimage_shader_nv2a::pixel::{self, Drawn, Key};
use std::path::Path;

const MARK: &str = "; --- key\n";

/// The offset of `NAME`, `NAME[instance]` or `NAME[instance].word`.
fn offset(name: &str) -> u16 {
    let (name, word) = name.split_once('.').map_or((name, 0), |(name, word)| (name, word.parse().expect("a number")));
    let (name, instance) = name
        .split_once('[')
        .map_or((name, 0), |(name, instance)| (name, instance.trim_end_matches(']').parse::<u16>().expect("a number")));
    let row = METHODS.iter().find(|row| row.name == name).unwrap_or_else(|| panic!("{name} is no method"));
    row.offset + instance * row.stride + 4 * word
}

fn value(text: &str) -> u32 {
    if text.contains('.') {
        return text.parse::<f32>().expect("a float").to_bits();
    }
    u32::from_str_radix(text, 16).expect("hex digits")
}

#[test]
fn cases() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pixel/cases");
    let bless = std::env::var_os("AFTERIMAGE_BLESS").is_some_and(|value| value != "0");
    let (mut wrong, mut count) = (Vec::new(), 0);
    for entry in std::fs::read_dir(&folder).expect("folder") {
        let path = entry.expect("entry").path();
        let text = std::fs::read_to_string(&path).expect("readable");
        let source = text.split(MARK).next().expect("split gives one");
        count += 1;
        let mut registers = Registers::new();
        let mut drawn = Drawn::Triangles;
        for line in source.lines().map(|line| line.split(';').next().unwrap_or_default().trim()) {
            match line.split_once(' ') {
                Some((name, text)) => registers.set(offset(name), value(text.trim())),
                None if line == "points" => drawn = Drawn::Points,
                None => assert!(line.is_empty(), "{}: {line}", path.display()),
            }
        }
        let key = Key::of(&registers, drawn);
        let mut module = pixel::lift(&key).expect("every key lifts");
        assert_eq!(afterimage_ir::verify(&module), Ok(()), "{}", path.display());
        afterimage_passes::optimize(&mut module, &Options { float_rules: FloatRules::Strict });
        let lines = pixel::disasm(&key) + "--- IR\n" + &module.to_string();
        let lines: String = lines.lines().map(|line| format!("; {line}\n")).collect();
        let expected = format!("{}\n\n{MARK}{lines}", source.trim_end());
        if text != expected {
            match bless {
                true => std::fs::write(&path, expected).expect("writable"),
                false => wrong.push(path.display().to_string()),
            }
        }
    }
    assert!(count >= 12, "{} has lost its files", folder.display());
    assert!(wrong.is_empty(), "these differ (AFTERIMAGE_BLESS=1 accepts it): {wrong:#?}");
}
