//! What a program can do wrong is told, and the log names what is not there.

use crate::compile::{program, succeeded};
use std::process::Command;

#[test]
fn every_mistake_has_a_code_and_a_message() {
    let scratch = tempfile::tempdir().expect("temporary directory");
    let Some(program) = program(scratch.path(), "tests/c/misuse.c") else { return };
    let output = Command::new(program).env("AFTERIMAGE_LOG", "off").output().expect("it runs");
    let said = succeeded(&output);
    assert!(said.ends_with(", 0 failed\n"), "{said}");
}
