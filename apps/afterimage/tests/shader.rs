//! `afterimage shader` as a user calls it.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn afterimage(args: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_afterimage"))
        .arg("shader")
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // The program may end without reading all of it.
    let _ = child.stdin.take().expect("piped").write_all(input);
    child.wait_with_output().expect("the program ends")
}

fn succeeds(args: &[&str], input: &[u8]) -> Vec<u8> {
    let output = afterimage(args, input);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

fn fails(args: &[&str], input: &[u8]) -> String {
    let output = afterimage(args, input);
    assert_eq!(output.status.code(), Some(1), "{args:?}");
    String::from_utf8(output.stderr).expect("messages are text")
}

fn example() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../crates/shader-d3d9/tests/filetests/ps_3_0_mrt.asm")
}

#[test]
fn text_tokens_and_back() {
    let file = example();
    let tokens = succeeds(&["asm", file.to_str().expect("UTF-8 path")], b"");
    assert_eq!(tokens[..4], [0, 3, 0xFF, 0xFF]);
    let text = succeeds(&["disasm", "-"], &tokens);
    assert!(text.starts_with(b"ps_3_0\n"));
    assert_eq!(succeeds(&["asm", "-"], &text), tokens);
    assert_eq!(succeeds(&["translate", "-", "--to", "disasm"], &tokens), text);
}

#[test]
fn every_input_translates_to_the_same() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let place = |name: &str| dir.path().join(name).to_str().expect("UTF-8 path").to_owned();
    let file = example();
    let file = file.to_str().expect("UTF-8 path");
    let (spirv, air, tokens) = (place("a.spv"), place("a.air"), place("a.cso"));
    succeeds(&["translate", file, "-o", &spirv], b"");
    succeeds(&["translate", file, "-o", &air, "--emit-after", "lift"], b"");
    succeeds(&["asm", file, "-o", &tokens], b"");
    let direct = std::fs::read(&spirv).expect("written");
    assert_eq!(direct[..4], [0x03, 0x02, 0x23, 0x07]);
    assert_eq!(succeeds(&["translate", &tokens], b""), direct);
    assert_eq!(succeeds(&["translate", &air], b""), direct);

    let reflection = String::from_utf8(succeeds(&["translate", file, "--reflect"], b"")).expect("text");
    assert!(reflection.contains("texture   slot 2 2d") && reflection.contains("frag_depth"), "{reflection}");
    assert!(fails(&["translate", &spirv], b"").contains("SPIR-V, which can only be an output"));
}

#[test]
fn errors_name_the_file_and_the_place() {
    let error = fails(&["translate", "-"], b"ps_2_0\nmov oC0, r0\nmul r0, r99, r1\n");
    assert!(error.contains("standard input: line 3: token 6 (mul): source 0"), "{error}");
    let error = fails(&["translate", "no/such.asm"], b"");
    assert!(error.contains("no/such.asm"), "{error}");
    let error = fails(&["translate", "-", "--emit-after", "nothing"], b"vs_1_1\nnop");
    assert!(error.contains("lift, ") && error.contains("ssa"), "{error}");
    let error = fails(&["disasm", "-"], &[0xFF; 9]);
    assert!(error.contains("standard input"), "{error}");
}
