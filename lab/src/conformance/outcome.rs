//! What became of a sub-test, from what it printed.

use std::fmt;

/// How it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// No check failed that Wine does not mark.
    Clean,
    /// Some did.
    Failing,
    /// It did not get to its end, or its process ended badly after it.
    Crashed,
    /// It was ended.
    TimedOut,
    /// The file's set-up left before it.
    NotRun,
}

impl State {
    /// Whether another run may end otherwise.
    pub(super) fn may_be_chance(self) -> bool {
        matches!(self, Self::Failing | Self::Crashed | Self::TimedOut)
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Clean => "clean",
            Self::Failing => "failing",
            Self::Crashed => "CRASHED",
            Self::TimedOut => "TIMED OUT",
            Self::NotRun => "not run",
        })
    }
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Exit {
    /// By itself.
    Status(i32),
    /// By a signal.
    Signal,
    /// By us, as its time was up.
    Limit,
}

/// Numbers of checks, and the lines that say which.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Outcome {
    pub(super) state: State,
    /// How it ended before, beside others, if this is of a second run.
    pub(super) before: Option<State>,
    pub(super) passed: u64,
    /// Checks that failed outside of `todo_wine`.
    pub(super) failed: u64,
    /// Checks that Wine marks as failing, and that fail.
    pub(super) todo: u64,
    /// Checks that Wine marks as failing, and that pass.
    pub(super) todo_passed: u64,
    /// Parts that were skipped.
    pub(super) skipped: u64,
    /// What it printed about failing, unexpectedly passing and skipped checks.
    pub(super) lines: Vec<String>,
}

/// What marks a line worth showing.
const MARKS: &[&str] =
    &["Test failed: ", "Test succeeded inside todo block: ", "Tests skipped: ", "unhandled exception", "panicked at"];
/// Lines kept of a sub-test.
const MAX_LINES: usize = 400;

impl Outcome {
    /// Reads what a sub-test printed.
    pub(super) fn read(name: &str, output: &str, exit: Exit) -> Self {
        let prefix = format!("afterimage-subtest {name} ");
        let summary = output.lines().find_map(|line| line.trim_end().strip_prefix(&prefix));
        let count = |what: &str| {
            let word = summary?.split(' ').find_map(|word| word.strip_prefix(what)?.strip_prefix('='));
            word?.parse::<u64>().ok()
        };
        let marked = |line: &&str| MARKS.iter().any(|mark| line.contains(mark));
        let mut lines: Vec<String> = output.lines().filter(marked).map(|line| line.trim_end().to_owned()).collect();
        if lines.len() > MAX_LINES {
            let more = lines.len() - MAX_LINES;
            lines.truncate(MAX_LINES);
            lines.push(format!("and {more} more"));
        }
        let (failed, todo_passed) = (count("failed").unwrap_or(0), count("todo_passed").unwrap_or(0));
        let state = match (exit, summary) {
            (Exit::Limit, _) => State::TimedOut,
            (Exit::Status(0), None) => State::NotRun,
            (_, None) | (Exit::Signal, _) => State::Crashed,
            // The tests' own status is the number of surprises, in a byte.
            (Exit::Status(status), Some(_)) if status != 0 && !is_count(status, failed + todo_passed) => State::Crashed,
            _ if failed > 0 => State::Failing,
            _ => State::Clean,
        };
        Self {
            state,
            before: None,
            passed: count("passed").unwrap_or(0),
            failed,
            todo: count("todo").unwrap_or(0),
            todo_passed,
            skipped: count("skipped").unwrap_or(0),
            lines,
        }
    }

    /// Whether no check was a surprise in either direction.
    pub(super) fn strictly_clean(&self) -> bool {
        self.state == State::Clean && self.todo_passed == 0
    }

    /// `failing: 3 of 66 checks`.
    pub(super) fn summary(&self) -> String {
        let mut text = match self.state {
            State::Failing => format!("failing: {} of {} checks", self.failed, self.failed + self.passed),
            State::Clean if self.todo_passed > 0 => format!("clean, {} checks marked todo pass", self.todo_passed),
            state => state.to_string(),
        };
        if let Some(before) = self.before.filter(|before| *before != self.state) {
            text.push_str(&format!(" when run once more alone, {before} before"));
        }
        text
    }
}

/// Whether a status says no more than how many surprises there were: below 128 some may be counted otherwise.
fn is_count(status: i32, surprises: u64) -> bool {
    surprises > 0 && (status < 128 || u64::from(status.unsigned_abs()) == surprises % 256)
}

#[cfg(test)]
mod tests {
    use super::{Exit, Outcome, State};

    const LINE: &str = "afterimage-subtest test_a passed=9 failed=0 todo=1 todo_passed=0 skipped=0\r\n";

    fn state(output: &str, exit: Exit) -> State {
        Outcome::read("test_a", output, exit).state
    }

    #[test]
    fn the_summary_and_the_exit_status_decide() {
        assert_eq!(state(LINE, Exit::Status(0)), State::Clean);
        assert_eq!(state(&LINE.replace("failed=0", "failed=2"), Exit::Status(2)), State::Failing);
        assert_eq!(state(&LINE.replace("todo_passed=0", "todo_passed=2"), Exit::Status(2)), State::Clean);
        assert_eq!(state("", Exit::Status(5)), State::Crashed);
        assert_eq!(state("", Exit::Status(0)), State::NotRun);
        assert_eq!(state(LINE, Exit::Status(5)), State::Crashed, "it crashed after its end");
        assert_eq!(state(LINE, Exit::Signal), State::Crashed);
        let many = LINE.replace("failed=0", "failed=240");
        assert_eq!(state(&many, Exit::Status(240)), State::Failing);
        assert_eq!(state(&many, Exit::Status(139)), State::Crashed, "it crashed after its end");
        assert_eq!(state(LINE, Exit::Limit), State::TimedOut, "it hung after its end");
    }

    #[test]
    fn counts_and_lines_are_kept() {
        let text = format!("a.c:1: Test failed: Got 3.\na.c:2: trace\n\n{}", LINE.replace("failed=0", "failed=1"));
        let outcome = Outcome::read("test_a", &text, Exit::Status(1));
        assert_eq!((outcome.passed, outcome.failed, outcome.todo), (9, 1, 1));
        assert_eq!(outcome.lines, ["a.c:1: Test failed: Got 3."]);
        assert_eq!(outcome.summary(), "failing: 1 of 10 checks");
        assert!(!outcome.strictly_clean());
        let mut again = Outcome::read("test_a", LINE, Exit::Status(0));
        again.before = Some(outcome.state);
        assert_eq!(again.summary(), "clean when run once more alone, failing before");
    }
}
