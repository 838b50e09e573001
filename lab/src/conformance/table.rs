//! How many sub-tests of each file are clean, as cells of a table.

use super::outcome::State;
use super::run::Outcomes;
use super::suites::SuiteRow;

/// The columns; the first three say what was run, then there is one for each file.
pub(super) fn headings(row: &SuiteRow) -> Vec<&'static str> {
    let ends = ["clean", "strict", "every check", "failing", "crashed or timed out", "clean when run again"];
    ["what", "Wine", "bits"].into_iter().chain(row.files.iter().copied()).chain(ends).collect()
}

/// The cells behind the first three.
pub(super) fn cells(row: &SuiteRow, outcomes: &Outcomes) -> Vec<String> {
    let count = |file: Option<&str>, wanted: &dyn Fn(&super::outcome::Outcome) -> bool| {
        let of_file = outcomes.iter().filter(|(subtest, _)| file.is_none_or(|file| subtest.file == file));
        of_file.filter(|(_, outcome)| wanted(outcome)).count()
    };
    let clean = |outcome: &super::outcome::Outcome| outcome.state == State::Clean;
    let part = |file| match count(file, &|_| true) {
        0 => "–".to_owned(),
        all => format!("{}/{all}", count(file, &clean)),
    };
    let mut cells: Vec<String> = row.files.iter().map(|file| part(Some(file))).collect();
    cells.push(part(None));
    let ends = |states: &'static [State]| count(None, &|outcome| states.contains(&outcome.state)).to_string();
    cells.push(count(None, &super::outcome::Outcome::strictly_clean).to_string());
    cells.push(count(None, &|outcome| clean(outcome) && outcome.todo == 0).to_string());
    cells.push(ends(&[State::Failing, State::NotRun]));
    cells.push(ends(&[State::Crashed, State::TimedOut]));
    cells.push(count(None, &|outcome| clean(outcome) && outcome.before.is_some()).to_string());
    cells
}

/// Rows under the headings, aligned.
pub(super) fn text(row: &SuiteRow, rows: &[Vec<String>]) -> String {
    let headings = [headings(row).into_iter().map(str::to_owned).collect()];
    let all: Vec<&Vec<String>> = headings.iter().chain(rows).collect();
    let width = |column: usize| all.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..headings[0].len()).map(|column| width(column).unwrap_or(0)).collect();
    let mut text = String::new();
    for (index, row) in all.iter().enumerate() {
        let cells: Vec<String> = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        text.push_str(cells.join("  ").trim_end());
        text.push('\n');
        if index == 0 {
            text.push_str(&widths.iter().map(|width| "─".repeat(*width)).collect::<Vec<_>>().join("  "));
            text.push('\n');
        }
    }
    text
}
