//! Each `tests/filetests/*.state` is a list of methods with their arguments, and behind it, as comments, the IR of the fixed-function
//! shader that they mean, after the passes. `AFTERIMAGE_BLESS=1` writes the IR anew.

use afterimage_nv2a_types::{Registers, methods};
use afterimage_shader_nv2a::fixed;
use std::path::Path;

const MARK: &str = "; --- IR\n";

/// `NAME[instance] argument...`, arguments in hexadecimal.
fn registers(source: &str) -> Registers {
    let mut registers = Registers::new();
    for line in source.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with(';')) {
        let mut words = line.split_whitespace();
        let name = words.next().expect("not empty");
        let (name, instance) = match name.split_once('[') {
            Some((name, instance)) => (name, instance.trim_end_matches(']').parse().expect("a number")),
            None => (name, 0),
        };
        let row = methods::METHODS.iter().find(|row| row.name == name).unwrap_or_else(|| panic!("no method {name}"));
        for (i, word) in words.enumerate() {
            let argument = u32::from_str_radix(word, 16).unwrap_or_else(|error| panic!("{line}: {error}"));
            registers.set(row.offset + instance * row.stride + 4 * i as u16, argument);
        }
    }
    registers
}

#[test]
fn states_have_the_expected_ir() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/filetests");
    let bless = std::env::var_os("AFTERIMAGE_BLESS").is_some_and(|value| value != "0");
    let (mut count, mut wrong) = (0, Vec::new());
    for entry in std::fs::read_dir(&folder).expect("folder") {
        let path = entry.expect("entry").path();
        if path.extension().is_none_or(|extension| extension != "state") {
            continue;
        }
        count += 1;
        let text = std::fs::read_to_string(&path).expect("readable");
        let source = text.split(MARK).next().expect("split gives one");
        let key = fixed::Key::of(&registers(source), false);
        let mut module = fixed::lift(&key).expect("every key is a shader");
        let options = afterimage_passes::Options { float_rules: afterimage_passes::FloatRules::Relaxed };
        afterimage_passes::optimize(&mut module, &options);
        let ir: String = module.to_string().lines().map(|line| format!("; {line}\n")).collect();
        let expected = format!("{}\n\n{MARK}{ir}", source.trim_end());
        if text != expected {
            match bless {
                true => std::fs::write(&path, expected).expect("writable"),
                false => wrong.push(path.display().to_string()),
            }
        }
    }
    assert!(count >= 4, "{} has lost its files", folder.display());
    assert!(wrong.is_empty(), "the IR differs (AFTERIMAGE_BLESS=1 accepts it): {wrong:#?}");
}
