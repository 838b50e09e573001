//! Reports about crashes, of processes that this one starts: the same test program, told to crash.

use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, ExitStatus};

use super::*;

/// What a child is told to do.
const CHILD: &str = "AFTERIMAGE_TEST_CRASH";

/// Does nothing but in a process that [`report_of`] has started.
#[test]
fn child() {
    let Some(how) = std::env::var_os(CHILD) else { return };
    let device = device(false, 0);
    assert_eq!(call!(device, base.BeginScene()), D3D_OK);
    let (none, color) = (no_input(), 0xff00_ff00);
    assert_eq!(call!(device, base.Clear(0, none, D3DCLEAR_TARGET, color, 1.0, 0)), D3D_OK);
    match how.to_str() {
        Some("segv") => {
            // SAFETY: none: this is what the test is about.
            unsafe { core::ptr::without_provenance_mut::<u32>(0x30).write_volatile(1) }
        }
        Some("abort") => std::process::abort(),
        Some("panic") => {
            let caught = macros::guard("a method", 5, || panic!("on purpose"));
            assert_eq!(caught, 5);
        }
        other => panic!("{other:?}"),
    }
}

/// Runs a child; how it ended, and the report if it wrote one.
fn report_of(how: &str, wanted: &str) -> (ExitStatus, Option<String>) {
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "tests::crash::child"])
        .env(CHILD, how)
        .env("AFTERIMAGE_CRASH_REPORT", wanted)
        .env("AFTERIMAGE_CRASH_DIR", folder.path())
        .env("AFTERIMAGE_VRAM_MB", "321")
        .output()
        .unwrap();
    let files: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(files.len() <= 1, "{files:?}");
    let report = files.first().map(|file| {
        let name = file.file_name().unwrap().to_str().unwrap();
        assert!(name.starts_with("afterimage-crash-d3d9-") && name.ends_with(".txt"), "{name}");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains(name), "who started it is told where the report is: {said}");
        std::fs::read_to_string(file).unwrap()
    });
    (output.status, report)
}

fn has(report: &str, parts: &[&str]) {
    for part in parts {
        assert!(report.contains(part), "no {part:?} in\n{report}");
    }
}

#[test]
fn a_crash_is_reported_and_stays_one() {
    let (status, report) = report_of("segv", "on");
    assert_eq!(status.signal(), Some(libc::SIGSEGV));
    let report = report.unwrap();
    has(
        &report,
        &[
            "SIGSEGV at address 0x30",
            "vram_mb = 321 (AFTERIMAGE_VRAM_MB)",
            "device   none (0000:0000, 1024 MiB)",
            "frame 1: the last packets",
            "Clear { flags: 1",
            "\nmodules\n",
            "libc.so.6",
        ],
    );
    #[cfg(target_arch = "x86_64")]
    has(&report, &["rip 0"]);
    // Where it happened is in this program, and so are the callers on the stack.
    let at = report.lines().find(|line| line.starts_with("at ")).unwrap();
    assert!(at.contains(" d3d9-") && at.contains("+0x"), "{at}");
    let stack = report.split("stack: ").nth(1).unwrap().split("\n\n").next().unwrap();
    assert!(stack.matches(" d3d9-").count() > 3, "{stack}");
}

#[test]
fn an_abort_is_reported() {
    let (status, report) = report_of("abort", "on");
    assert_eq!(status.signal(), Some(libc::SIGABRT));
    has(&report.unwrap(), &["SIGABRT", "frame 1"]);
}

#[test]
fn a_panic_of_ours_is_reported_and_survived() {
    let (status, report) = report_of("panic", "on");
    assert!(status.success());
    let report = report.unwrap();
    has(&report, &["panicked at", "on purpose", "Clear {"]);
    assert_eq!(report.matches("Afterimage ").count(), 1, "once");
}

#[test]
fn nobody_is_watched_who_did_not_ask() {
    let (status, report) = report_of("segv", "auto");
    assert_eq!((status.signal(), report), (Some(libc::SIGSEGV), None));
}
