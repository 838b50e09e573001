//! Commands that draw do it in a process of their own: what hangs or crashes there ends the command with a message and a code.

use crate::at_work::wait_until_drawing;
use crate::scene::{self, Variant};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Exit codes, of what hangs and of what crashes.
const HUNG: i32 = 124;
const DIED: i32 = 125;

fn afterimage(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_afterimage"));
    command
        .current_dir(folder)
        .env("AFTERIMAGE_CACHE_DIR", crate::drivers::shared(folder.join("cache")))
        .env("AFTERIMAGE_GPU_TIMEOUT_S", "3");
    command
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Names of what is in a folder.
fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn what_does_not_end_is_named_by_every_command() {
    let temp = tempfile::tempdir().unwrap();
    scene::capture(&temp.path().join("endless.aftercap"), Variant::Endless);
    scene::capture(&temp.path().join("plain.aftercap"), Variant::Plain);
    for arguments in [
        &["replay", "endless.aftercap", "-o", "pictures"][..],
        &["replay", "endless.aftercap", "--calls", "3"],
        &["report", "endless.aftercap", "-o", "report.html"],
        &["diff", "plain.aftercap", "endless.aftercap"],
    ] {
        let output = afterimage(temp.path()).args(arguments).output().unwrap();
        let text = text(&output);
        assert_eq!(output.status.code(), Some(HUNG), "{arguments:?}: {text}");
        for part in ["frame 1", "draw", "pixel shader", "4 loops"] {
            assert!(text.contains(part), "{arguments:?}: no {part} in: {text}");
        }
    }
    assert_eq!(names(temp.path()), ["cache", "endless.aftercap", "plain.aftercap"], "nothing half is left");
}

#[test]
fn a_crash_is_told_with_what_was_being_done() {
    let temp = tempfile::tempdir().unwrap();
    scene::capture(&temp.path().join("endless.aftercap"), Variant::Endless);
    let mut command = afterimage(temp.path());
    let command = command.args(["replay", "endless.aftercap"]).env("AFTERIMAGE_GPU_TIMEOUT_S", "60");
    let parent = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let since = Instant::now();
    let children = format!("/proc/{0}/task/{0}/children", parent.id());
    let child = loop {
        let child = std::fs::read_to_string(&children).unwrap_or_default();
        match child.split_whitespace().next() {
            Some(child) => break child.to_owned(),
            None => assert!(since.elapsed() < Duration::from_secs(60), "no child"),
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    wait_until_drawing(&child);
    assert!(Command::new("kill").args(["-ILL", &child]).status().unwrap().success());
    let output = parent.wait_with_output().unwrap();
    let text = text(&output);
    assert_eq!(output.status.code(), Some(DIED), "{text}");
    assert!(text.contains("SIGILL") && text.contains("frame 1"), "{text}");
}

#[test]
fn folders_that_were_made_for_nothing_go_again_and_others_stay() {
    let temp = tempfile::tempdir().unwrap();
    let output = afterimage(temp.path()).args(["replay", "missing.aftercap", "-o", "a/b"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    assert!(!temp.path().join("a").exists());
    scene::capture(&temp.path().join("plain.aftercap"), Variant::Plain);
    let output = afterimage(temp.path()).args(["replay", "plain.aftercap", "-o", "a/b"]).output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
    assert_eq!(names(&temp.path().join("a/b")), ["frame-000001.png", "frame-000002.png"]);
}
