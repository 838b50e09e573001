//! The hostile files that others made (`../shared/attack`, no part of this tree): each command that draws ends on them by itself, with a
//! code that says how, in less than a GiB. Files of our own that do the same are in the tests of `bounds`, `flood` and `own_process`.
#![cfg(target_os = "linux")]

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Exit codes: it went; something was refused, or differs; there was nothing to do it with; something hung.
const CODES: [i32; 4] = [0, 1, 2, 124];
/// KiB of memory of a command's processes.
const MEMORY: u64 = 1 << 20;
/// Bytes of a log.
const LOG: u64 = 1 << 20;

/// The files, or none where they are not.
fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/attack");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "aftercap"))
        .collect();
    files.sort();
    files
}

/// The most memory that a process has had, in KiB; 0 of one that has ended.
fn peak(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

/// Waits for a command; its code and the most that it and its renderer had, in KiB.
fn wait(mut child: Child) -> (Option<i32>, u64) {
    let children = format!("/proc/{0}/task/{0}/children", child.id());
    let (mut own, mut renderers) = (0, 0);
    loop {
        own = peak(child.id()).max(own);
        let others = std::fs::read_to_string(&children).unwrap_or_default();
        let others: u64 = others.split_whitespace().filter_map(|id| id.parse().ok()).map(peak).sum();
        renderers = others.max(renderers);
        if let Some(status) = child.try_wait().unwrap() {
            return (status.code(), own + renderers);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn the_files_that_did_harm_end_by_themselves() {
    let files = files();
    if files.is_empty() {
        println!("skipped: there is no ../shared/attack");
        return;
    }
    let temp = tempfile::tempdir().unwrap();
    for file in files {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        let file = file.to_str().unwrap();
        let commands: [&[&str]; 5] = [
            &["info", file],
            &["replay", file, "-o", "pictures"],
            &["report", file, "-o", "report.html"],
            &["diff", file, file],
            &["trim", file, "-o", "part.aftercap", "--frames", "1"],
        ];
        for arguments in commands {
            let log = temp.path().join("log");
            let mut command = Command::new(env!("CARGO_BIN_EXE_afterimage"));
            let child = command
                .args(arguments)
                .current_dir(temp.path())
                .env("AFTERIMAGE_CACHE_DIR", crate::drivers::shared(temp.path().join("cache")))
                .env("AFTERIMAGE_GPU_TIMEOUT_S", "3")
                .stdout(Stdio::null())
                .stderr(std::fs::File::create(&log).unwrap())
                .spawn()
                .unwrap();
            let (code, memory) = wait(child);
            let bytes = log.metadata().unwrap().len();
            println!("{name}: {} ends with {code:?}, {} MiB, {bytes} bytes of log", arguments[0], memory >> 10);
            let text = std::fs::read(&log).unwrap();
            let text = String::from_utf8_lossy(&text[..text.len().min(4000)]);
            assert!(code.is_some_and(|code| CODES.contains(&code)), "{arguments:?}: {code:?}: {text}");
            assert!(!text.contains("panicked"), "{arguments:?}: {text}");
            assert!(memory < MEMORY, "{arguments:?}: {memory} KiB");
            assert!(bytes < LOG, "{arguments:?}: {bytes} bytes of log: {text}");
        }
    }
}
