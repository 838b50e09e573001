//! The tests of all crates, as `cargo xtask test` runs them: all, or without those that `--quick` leaves out ([`quick`]).

use std::path::Path;

use xtask::build;
use xtask::score::Score;
use xtask::step::{self, Context as _, Failure, Progress, Result};
use xtask::workspace::Workspace;

use crate::quick;
use crate::runner;
use crate::test::UNOPTIMISED;

/// How many lines of what a failed test printed are shown.
const FAILED_LINES: usize = 40;

/// What each cargo tests, and the arguments that say so: documentation, which its compiler takes long for, and test programs that no other has
/// begun. Two are at work at a time, so that neither is left alone with the last.
const CARGOS: [(&str, &[&str]); 3] = [
    ("documentation of the crates", &["--doc"]),
    ("tests of the crates, part 1", PROGRAMS),
    ("tests of the crates, part 2", PROGRAMS),
];
const PROGRAMS: &[&str] = &["--lib", "--bins", "--tests", "--examples"];

/// How much is tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// All.
    All,
    /// Without what [`quick`] names.
    Quick,
}

impl Extent {
    /// Its name on a command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Quick => "quick",
        }
    }
}

/// The workspace's tests, with the validation layers where a test opens a device.
///
/// # Errors
/// When cargo cannot be started. What fails is in the score.
pub(crate) fn test(ws: &Workspace, extent: Extent, score: &mut Score) -> Result {
    // Before it is built anew with everything else, when the system calls the file of this process deleted.
    let this = std::env::current_exe().doing("looking for this program")?;
    let build = ["test", "--workspace", "--no-run"];
    if let Err(failure) = step::run(ws, build::cargo(ws).args(build), "building the tests of the crates", "") {
        score.add(Err(failure));
        return Ok(());
    }
    let begun = ws.target.join("tests-begun");
    let _ = std::fs::remove_dir_all(&begun);
    std::fs::create_dir_all(&begun).doing(format!("creating {}", begun.display()))?;
    // Many a program has one long test, or waits for others.
    let runs = step::side_by_side(&CARGOS, |(what, arguments)| run(ws, &this, extent, &begun, what, arguments));
    let mut left_out = String::new();
    for run in runs {
        let run = run?;
        score.passed += run.passed;
        score.failed += run.failed;
        if let Some(failure) = run.failure {
            eprintln!("{failure}");
        }
        left_out += &run.text;
    }
    if extent == Extent::Quick {
        score.skipped += quick::report(&left_out);
    }
    Ok(())
}

/// What one cargo ran.
struct Run {
    passed: usize,
    failed: usize,
    failure: Option<Failure>,
    /// All that it printed.
    text: String,
}

/// Has a cargo run what no other has begun.
fn run(ws: &Workspace, this: &Path, extent: Extent, begun: &Path, what: &str, arguments: &[&str]) -> Result<Run> {
    let progress = Progress::start(what);
    let mut cargo = build::cargo(ws);
    cargo.args(["test", "--workspace", "--no-fail-fast"]).args(arguments).env("AFTERIMAGE_VALIDATE", "1");
    cargo.env(UNOPTIMISED.0, UNOPTIMISED.1);
    runner::watch(&mut cargo, this, extent, begun)?;
    let done = step::run_to_end(ws, &mut cargo, what, &progress)?;
    let text = std::fs::read_to_string(&done.log).unwrap_or_default();
    let (passed, mut failed) = sum_results(&text);
    let mut failure = None;
    if !done.status.success() {
        // A program that ended before it said so has failed, too.
        failed = failed.max(1);
        let said = [said_by_failed(&text), done.tail].concat();
        let command = Some(step::line_of(&cargo));
        failure = Some(Failure { command, log: Some(done.log), ..Failure::new("tests", said.join("\n")) });
    }
    progress.end(if failure.is_none() { "✓" } else { "✗" }, &format!("{passed} passed, {failed} failed"));
    Ok(Run { passed, failed, failure, text })
}

/// What the tests that failed printed, each from its `---- NAME stdout ----` on; the first lines of it, if it is long.
fn said_by_failed(text: &str) -> Vec<String> {
    let mut said = Vec::new();
    let mut left = 0;
    for line in text.lines() {
        if line.starts_with("---- ") && line.ends_with(" ----") {
            left = FAILED_LINES;
        } else if line == "failures:" || line.starts_with("test result: ") {
            left = 0;
        }
        // How a test program ended that could not say which test it was: `(signal: 11, SIGSEGV: ...)`.
        if line.contains("process didn't exit successfully") {
            said.push(line.to_owned());
        } else if left > 0 {
            left -= 1;
            said.push(line.to_owned());
        }
    }
    said
}

/// Adds up the lines `test result: ok. 3 passed; 0 failed; ...`.
fn sum_results(text: &str) -> (usize, usize) {
    let mut sums = (0, 0);
    for line in text.lines().filter(|line| line.starts_with("test result: ")) {
        let number = |what: &str| {
            let words: Vec<&str> = line.split([' ', ';']).collect();
            let at = words.iter().position(|word| *word == what)?;
            words[..at].last()?.parse::<usize>().ok()
        };
        sums.0 += number("passed").unwrap_or(0);
        sums.1 += number("failed").unwrap_or(0);
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::{FAILED_LINES, said_by_failed, sum_results};

    #[test]
    fn results_of_all_test_programs_are_added_up() {
        let text = "running 3 tests\ntest result: ok. 3 passed; 0 failed; 0 ignored; 0 measured\n\
                    test result: FAILED. 2 passed; 1 failed; 0 ignored; finished in 0.1s\n";
        assert_eq!(sum_results(text), (5, 1));
    }

    #[test]
    fn what_failed_tests_printed_is_found() {
        let text = "test a ... FAILED\nfailures:\n\n---- a stdout ----\nthread panicked\nleft: 1\n\nfailures:\n    a\n\n\
                    test result: FAILED. 2 passed; 1 failed\nmore\n";
        assert_eq!(said_by_failed(text), ["---- a stdout ----", "thread panicked", "left: 1", ""]);
        let died =
            "test a ... ok\n  process didn't exit successfully: `b` (signal: 11, SIGSEGV: invalid memory reference)\n";
        assert_eq!(said_by_failed(died).len(), 1);
        let long = format!("---- a stdout ----\n{}", "line\n".repeat(1000));
        assert_eq!(said_by_failed(&long).len(), FAILED_LINES);
    }
}
