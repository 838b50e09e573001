//! The C example, compiled against the header and the shared library, and run.
#![cfg(unix)]

use afterimage_feedback::{AttributeSource, Lowering};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const PLACE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../feedback/tests/shaders/place.vert.spv");

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

/// The program in `scratch`, or none where there is no C compiler.
fn program(scratch: &Path) -> Option<PathBuf> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    // Cargo puts the library beside the tests.
    let libraries = std::env::current_exe().expect("this program").parent().expect("its folder").to_owned();
    let program = scratch.join("embed");
    let mut cc = Command::new("cc");
    cc.args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic"]).arg(package.join("examples/embed.c"));
    cc.arg("-I").arg(package.join("../../include")).arg("-o").arg(&program);
    cc.arg("-L").arg(&libraries).arg("-lafterimage_feedback_c");
    cc.arg(format!("-Wl,-rpath,{}", libraries.display()));
    match cc.output() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            eprintln!("not tested: there is no C compiler `cc`");
            None
        }
        output => {
            let output = output.expect("cc runs");
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            Some(program)
        }
    }
}

fn run(program: &Path, scratch: &Path, input: &Path) -> Output {
    let mut command = Command::new(program);
    command.arg(input).args([scratch.join("out.spv"), scratch.join("prepare.spv")]);
    command.output().expect("the program runs")
}

#[test]
fn a_program_in_c_does_what_rust_does() {
    let scratch = tempfile::tempdir().expect("temporary directory");
    let scratch = scratch.path();
    let Some(program) = program(scratch) else { return };
    let output = run(&program, scratch, Path::new(PLACE));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let said = String::from_utf8_lossy(&output.stdout).replace("\r\n", "\n");
    let expected = "stage 0x20, address at byte 0, strides 16 0 0 0\n\
                    location 0: format 78 in slot 0 at byte 0\n\
                    groups 1 1 1: 7 primitives captured of 8\n\
                    bytes 336, slot 0 at 0x20000\n";
    assert_eq!(said, expected);

    let source = words(&std::fs::read(PLACE).expect("the shader"));
    let attribute: AttributeSource = "0=R16G16_SNORM".parse().expect("an attribute");
    let lowered = Lowering::new(&source).and_then(|l| l.attribute(attribute).lower()).expect("it can be lowered");
    let file = |name: &str| words(&std::fs::read(scratch.join(name)).expect("written"));
    assert_eq!(file("out.spv"), lowered.words);
    assert_eq!(file("prepare.spv"), afterimage_feedback::prepare());

    // What fails says why.
    let garbage = scratch.join("garbage.spv");
    std::fs::write(&garbage, [0; 64]).expect("written");
    let output = run(&program, scratch, &garbage);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1));
    assert!(said.contains("garbage.spv: ") && said.contains("magic"), "{said}");
}
