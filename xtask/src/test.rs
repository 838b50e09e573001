//! `cargo xtask test`: everything that must hold before a change goes in.

use std::path::Path;
use std::time::Instant;

use crate::build::{self, Profile};
use crate::conformance;
use crate::deny;
use crate::endings;
use crate::fuzz;
use crate::images;
use crate::keys;
use crate::killed;
use crate::matrix::{self, End};
use crate::nv2a;
use crate::report;
use crate::setup;
use crate::soak;
use crate::step::{self, Failure, Progress, Result};
use crate::wine::Wine;
use crate::workspace::Workspace;

/// Arguments of `test`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Only these parts; all if none is named.
    #[arg(value_enum)]
    parts: Vec<Part>,
    /// Seconds for each fuzz target.
    #[arg(long, default_value_t = 10)]
    fuzz_seconds: u32,
}

/// What the test command does, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    /// Formatting.
    Fmt,
    /// Clippy, without a warning.
    Clippy,
    /// Licences, versions and sources of dependencies.
    Deny,
    /// The tests of all crates.
    Crates,
    /// The sample programs in every way, compared pixel by pixel, and with their viewer killed.
    Samples,
    /// Keys pressed in the windows of Windows programs.
    Keys,
    /// Recordings of an Xbox's push buffers against the console's pictures, if they are there.
    Nv2a,
    /// Some of Wine's Direct3D 9 tests, if Wine is there.
    Conformance,
    /// The fuzz targets.
    Fuzz,
}

/// How many lines of what a failed test printed are shown.
const FAILED_LINES: usize = 40;

/// What has passed and failed so far.
#[derive(Debug, Default)]
struct Score {
    passed: usize,
    failed: usize,
    skipped: usize,
}

impl Score {
    fn add(&mut self, result: Result) {
        match result {
            Ok(()) => self.passed += 1,
            Err(failure) => {
                eprintln!("{failure}");
                self.failed += 1;
            }
        }
    }

    fn end(&mut self, end: &End) {
        match end {
            End::Good => self.passed += 1,
            End::Skipped(_) => self.skipped += 1,
            End::Bad(_) => self.failed += 1,
        }
    }
}

/// The command itself. Goes on after a failure, so that one run shows all.
///
/// # Errors
/// When anything fails.
pub(crate) fn main(ws: &Workspace, args: &Args) -> Result {
    let start = Instant::now();
    let machine = setup::ensure(ws, &setup::Args::default())?;
    let mut score = Score::default();
    let wanted = |part| args.parts.is_empty() || args.parts.contains(&part);
    if wanted(Part::Fmt) {
        score.add(checked(ws, &["fmt", "--all", "--check"], "formatting", "run `cargo fmt --all`"));
    }
    if wanted(Part::Clippy) {
        let clippy = ["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"];
        score.add(checked(ws, &clippy, "clippy", "run `cargo clippy --workspace --all-targets`"));
    }
    if wanted(Part::Deny) {
        match deny::check(ws) {
            Ok(deny::Checked::Well { advisories }) => {
                println!("{}", deny::said(advisories));
                score.passed += 1;
            }
            Ok(deny::Checked::Absent(why)) => {
                println!("skipped: licences of dependencies: {why}");
                score.skipped += 1;
            }
            Err(failure) => score.add(Err(failure)),
        }
    }
    if wanted(Part::Crates) {
        unit_tests(ws, &mut score)?;
    }
    if wanted(Part::Samples) {
        samples(ws, &machine, &mut score);
    }
    if wanted(Part::Keys)
        && let Err(failure) = press_keys(ws, &machine, &mut score)
    {
        score.add(Err(failure));
    }
    if wanted(Part::Nv2a) {
        match nv2a::test(ws) {
            Ok(nv2a::Tested::Absent) => score.skipped += 1,
            Ok(nv2a::Tested::Done) => score.passed += 1,
            Err(failure) => score.add(Err(failure)),
        }
    }
    if wanted(Part::Conformance) {
        match conformance::test(ws, &machine) {
            Ok(conformance::Tested::Absent(why)) => {
                println!("skipped: Wine's tests: {why}");
                score.skipped += 1;
            }
            Ok(conformance::Tested::Done) => score.passed += 1,
            Err(failure) => score.add(Err(failure)),
        }
    }
    if wanted(Part::Fuzz) {
        match fuzz::run(ws, &[], args.fuzz_seconds, fuzz::Seed::Same, fuzz::Watch::Plain) {
            Ok((good, bad)) => {
                score.passed += good;
                score.failed += bad;
            }
            Err(failure) => score.add(Err(failure)),
        }
    }
    let minutes = start.elapsed().as_secs_f32() / 60.0;
    println!("{} passed, {} failed, {} skipped ({minutes:.1} min)", score.passed, score.failed, score.skipped);
    if score.failed == 0 { Ok(()) } else { Err(Failure::new("the tests", format!("{} failed", score.failed))) }
}

fn checked(ws: &Workspace, arguments: &[&str], what: &str, advice: &str) -> Result {
    step::run(ws, build::cargo(ws).args(arguments), what, advice).map(drop)
}

/// All of the workspace's tests, with the validation layers where a test opens a device. The random ones draw the same inputs each
/// time, so that who changes nothing breaks nothing; `cargo test` draws others.
fn unit_tests(ws: &Workspace, score: &mut Score) -> Result {
    let progress = Progress::start("tests of the crates");
    let mut cargo = build::cargo(ws);
    cargo.args(["test", "--workspace", "--no-fail-fast"]).env("AFTERIMAGE_VALIDATE", "1").env("PROPTEST_RNG_SEED", "1");
    let done = step::run_to_end(ws, &mut cargo, "cargo test", &progress)?;
    let (passed, failed) = count(&done.log);
    score.passed += passed;
    score.failed += failed;
    let result = if done.status.success() {
        Ok(())
    } else {
        // A crate that does not compile has no tests to count.
        score.failed += usize::from(failed == 0);
        let text = std::fs::read_to_string(&done.log).unwrap_or_default();
        let said = [said_by_failed(&text), done.tail].concat();
        Err(Failure {
            command: Some(step::line_of(&cargo)),
            log: Some(done.log),
            ..Failure::new("tests", said.join("\n"))
        })
    };
    progress.end(if result.is_ok() { "✓" } else { "✗" }, &format!("{passed} passed, {failed} failed"));
    if let Err(failure) = result {
        eprintln!("{failure}");
    }
    Ok(())
}

/// Adds up the lines `test result: ok. 3 passed; 0 failed; ...`.
fn count(log: &Path) -> (usize, usize) {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    sum_results(&text)
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

/// The sample programs in every way, under the validation layers.
fn samples(ws: &Workspace, machine: &setup::Machine, score: &mut Score) {
    if let Err(failure) = try_samples(ws, machine, score) {
        score.add(Err(failure));
    }
}

fn try_samples(ws: &Workspace, machine: &setup::Machine, score: &mut Score) -> Result {
    let tree = build::tree(ws, machine, Profile::Dev)?;
    let wine = Wine::start(ws, machine, &tree)?;
    let rows = matrix::run(ws, &tree, &wine, &ws.target.join("test-samples"), true)?;
    score.add(images::check(ws, &rows));
    let killed = killed::run(ws, &tree, &wine);
    let ended = endings::run(ws, &tree, &wine);
    let soaked = soak::test(ws, &tree, &wine);
    let ends = rows.iter().map(|row| &row.end).chain(killed.iter().map(|row| &row.end));
    let ends = ends.chain(ended.iter().map(|row| &row.end));
    let ends = ends.chain(soaked.iter().map(|(_, end)| end));
    ends.for_each(|end| score.end(end));
    report::print(&rows, &ws.root);
    for row in killed {
        let (word, how) = match row.end {
            End::Good => ("ok", "the program went on, and a new viewer shows whole frames".to_owned()),
            End::Skipped(why) => ("skipped", why),
            End::Bad(why) => ("FAILED", why),
        };
        println!("{word} viewer killed under {}: {how}", row.program);
    }
    for row in ended {
        let what = format!("programs that end without releasing a device, {} bit", row.width.bits());
        match row.end {
            End::Good => println!("ok {what}: told from those that are killed"),
            End::Skipped(why) => println!("skipped {what}: {why}"),
            End::Bad(why) => println!("FAILED {what}: {why}"),
        }
    }
    for (what, end) in soaked {
        match end {
            End::Good => println!("ok {what}: memory stays where it was"),
            End::Skipped(why) => println!("skipped {what}: {why}"),
            End::Bad(why) => println!("FAILED {what}: {why}"),
        }
    }
    Ok(())
}

/// Keys in the windows of Windows programs, whoever renders them.
fn press_keys(ws: &Workspace, machine: &setup::Machine, score: &mut Score) -> Result {
    let tree = build::tree(ws, machine, Profile::Dev)?;
    let wine = Wine::start(ws, machine, &tree)?;
    for row in keys::run(ws, &tree, &wine) {
        score.end(&row.end);
        match row.end {
            End::Good => println!("ok keys in a program's window, {}: what was shown is kept", row.way),
            End::Skipped(why) => println!("skipped keys in a program's window, {}: {why}", row.way),
            End::Bad(why) => println!("FAILED keys in a program's window, {}: {why}", row.way),
        }
    }
    Ok(())
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
