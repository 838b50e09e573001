//! Each `programs/*.vsh` is a program with what it computes and the IR of it, without the epilogue, behind it as comments. The text
//! must be what the disassembler writes, but for comments. `AFTERIMAGE_BLESS=1` writes what is expected anew.

use crate::{differences, interpret, scenery};
use afterimage_shader_nv2a::tables::Output;
use afterimage_shader_nv2a::{assemble, lift, output_registers, run};
use std::fmt::Write;
use std::path::Path;

const OUTPUTS: &str = "; --- outputs\n";
const IR: &str = "; --- IR\n";

#[test]
fn programs() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/microcode/programs");
    let bless = std::env::var_os("AFTERIMAGE_BLESS").is_some_and(|value| value != "0");
    let mut wrong = Vec::new();
    let mut count = 0;
    for entry in std::fs::read_dir(&folder).expect("folder") {
        let path = entry.expect("entry").path();
        if path.extension().is_none_or(|extension| extension != "vsh") {
            continue;
        }
        count += 1;
        let text = std::fs::read_to_string(&path).expect("readable");
        let source = text.split(OUTPUTS).next().expect("split gives one").trim_end();
        let name = path.display();
        let program = assemble(source).unwrap_or_else(|error| panic!("{name}: {error}"));
        let code: String =
            source.lines().filter(|line| !line.starts_with(';')).map(|line| format!("{line}\n")).collect();
        assert_eq!(program.to_string(), code, "{name}");

        let (inputs, mut constants) = scenery();
        let translated = interpret(&program, &inputs, &constants);
        let outputs = run(&program, &inputs, &mut constants, false);
        assert_eq!(differences(&translated, &outputs), [], "{name}");
        let whole = lift(&program).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(afterimage_ir::verify(&whole), Ok(()), "{name}");

        let mut expected = format!("{source}\n\n{OUTPUTS}");
        let written: Vec<_> = Output::ALL.iter().copied().filter(|output| program.writes(*output)).collect();
        for output in &written {
            let _ = writeln!(expected, "; {} {:?}", output.name(), outputs.get(*output));
        }
        expected.push_str(IR);
        for line in output_registers(&program, written).expect("builds").to_string().lines() {
            let _ = writeln!(expected, "; {line}");
        }
        if text != expected {
            match bless {
                true => std::fs::write(&path, expected).expect("writable"),
                false => wrong.push(name.to_string()),
            }
        }
    }
    assert!(count >= 4, "{} has lost its files", folder.display());
    assert!(wrong.is_empty(), "what is expected differs (AFTERIMAGE_BLESS=1 accepts it): {wrong:#?}");
}
