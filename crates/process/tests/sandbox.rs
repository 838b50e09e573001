//! What a confined process can and cannot do, each thing in a process of its own: this program, started again.
//!
//! It has no harness, since that starts a thread for each test, and a process is confined before it has a second one.
#![allow(missing_docs)]

#[cfg(target_os = "linux")]
#[path = "sandbox/cases.rs"]
mod cases;
#[cfg(target_os = "linux")]
#[path = "sandbox/harness.rs"]
mod harness;

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    harness::main(cases::CASES)
}

#[cfg(not(target_os = "linux"))]
fn main() {}
