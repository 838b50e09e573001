//! The list of what fails: a line for each shader, with the end that it comes to and the cause.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

use xtask::step::{Context, Failure, Result};
use xtask::workspace::Workspace;

/// The list.
pub(super) const FILE: &str = "crates/gcn-corpus/known.txt";
/// The first lines of the list.
const HEAD: &str = "# Shaders of others that are not what they should be, as `cargo xtask gnm corpus` finds it: name, compiler, hardware\n\
                    # stage, end: cause. Written by `cargo xtask gnm corpus --bless`, which keeps causes that are there. `NAME races: cause` is\n\
                    # written by hand: what the original leaves is not always the same, so it is not compared.\n";
/// What a line says of a program whose memory is not compared.
const RACES: &str = " races";
/// Characters of a reason that are kept.
const REASON: usize = 140;

/// The ends that a shader comes to, and what they are called in the table.
pub(super) const ENDS: [(&str, &str); 10] = [
    ("equal", "left the memory that their originals leave"),
    ("translated", "of graphics, which are not compared"),
    ("uncompared", "translated, the originals of which do not run here or leave another memory each time"),
    ("unsent", "that the draw does not need: they write nothing"),
    ("differs", "left other memory"),
    ("refused", "refused"),
    ("invalid", "invalid SPIR-V"),
    ("unplayed", "no recording"),
    ("unread", "code that is not read"),
    ("died", "did not end, or took the program with them"),
];

/// What became of a shader.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Row {
    pub(super) name: String,
    pub(super) compiler: String,
    pub(super) stage: String,
    pub(super) end: String,
    pub(super) why: String,
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, compiler, stage, end, why } = self;
        write!(f, "{name}\t{compiler}\t{stage}\t{end}\t{why}")
    }
}

impl Row {
    /// Reads a line between whose cells are tabs.
    pub(super) fn parse(line: &str) -> Option<Self> {
        let cells: Vec<&str> = line.splitn(5, '\t').collect();
        let [name, compiler, stage, end, why] = cells[..] else { return None };
        let [name, compiler, stage, end, why] = [name, compiler, stage, end, why].map(str::to_owned);
        Some(Self { name, compiler, stage, end, why })
    }

    fn key(&self) -> String {
        let Self { name, compiler, stage, end, .. } = self;
        format!("{name}.{compiler} {stage} {end}")
    }

    /// The reason without numbers, so that equal ones are counted together.
    pub(super) fn kind(&self) -> String {
        let mut out = String::new();
        for word in self.why.split_whitespace() {
            let is_number = word.chars().any(|c| c.is_ascii_digit());
            out.push_str(if is_number { "#" } else { word });
            out.push(' ');
        }
        out.chars().take(REASON).collect()
    }
}

/// Whether a row belongs on the list.
pub(super) fn is_failure(row: &Row) -> bool {
    !matches!(row.end.as_str(), "equal" | "translated" | "uncompared" | "unsent")
}

/// Whether the program of a line was run.
fn ran(rows: &[Row], key: &str) -> bool {
    let compilers = ["aco ", "llvm ", "original "];
    let own =
        |rest: &str| rest.strip_prefix('.').is_some_and(|rest| compilers.iter().any(|name| rest.starts_with(name)));
    rows.iter().any(|row| key.strip_prefix(&row.name).is_some_and(own))
}

/// The list.
#[derive(Debug, Default)]
pub(super) struct Known(BTreeMap<String, String>);

impl Known {
    /// Reads it; a file that is not there is an empty list.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(super) fn read(ws: &Workspace) -> Result<Self> {
        let path = ws.root.join(FILE);
        if !path.is_file() {
            return Ok(Self::default());
        }
        let text = std::fs::read_to_string(&path).doing(format!("reading {FILE}"))?;
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let rows = lines.filter_map(|line| line.split_once(": "));
        Ok(Self(rows.map(|(key, why)| (key.to_owned(), why.to_owned())).collect()))
    }

    /// Rows of programs that race are not compared.
    pub(super) fn mark(&self, rows: &mut [Row]) {
        for row in rows.iter_mut().filter(|row| matches!(row.end.as_str(), "equal" | "differs")) {
            if let Some(why) = self.0.get(&format!("{}{RACES}", row.name)) {
                (row.end, row.why) = ("uncompared".to_owned(), format!("it races: {why}"));
            }
        }
    }

    /// Writes it anew; what it says of programs that were not run stays.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(super) fn bless(&self, ws: &Workspace, rows: &[Row]) -> Result {
        let mut list: BTreeMap<String, String> =
            self.0.iter().filter(|(key, _)| !ran(rows, key)).map(|(key, why)| (key.clone(), why.clone())).collect();
        for row in rows.iter().filter(|row| is_failure(row)) {
            let new = || row.why.chars().take(REASON).collect();
            list.insert(row.key(), self.0.get(&row.key()).cloned().unwrap_or_else(new));
        }
        let mut text = HEAD.to_owned();
        for (key, why) in list {
            let _ = writeln!(text, "{key}: {why}");
        }
        std::fs::write(ws.root.join(FILE), text).doing(format!("writing {FILE}"))
    }

    /// Compares it with what was found, of the programs that were run.
    ///
    /// # Errors
    /// With what fails and is not listed, and what is listed and does not fail so.
    pub(super) fn check(&self, rows: &[Row]) -> Result {
        let failures: BTreeMap<String, &Row> =
            rows.iter().filter(|row| is_failure(row)).map(|row| (row.key(), row)).collect();
        let new = failures.iter().filter(|(key, _)| !self.0.contains_key(*key));
        let mended = self.0.keys().filter(|key| !failures.contains_key(*key) && ran(rows, key));
        let mut text: Vec<String> =
            new.map(|(key, row)| format!("fails and is not listed: {key}: {}", row.why)).collect();
        text.extend(mended.map(|key| format!("is listed and does not fail so: {key}")));
        if text.is_empty() {
            println!("{FILE}: all that fails is listed, and nothing else");
            return Ok(());
        }
        let advice = "see what is wrong; `--bless` writes the list anew";
        Err(Failure::new(format!("comparing with {FILE}"), text.join("\n")).advise(advice))
    }
}

#[cfg(test)]
mod tests {
    use super::{Known, Row};

    fn row(name: &str, end: &str) -> Row {
        Row::parse(&format!("{name}\taco\tcs\t{end}\tword 3 is 0x5")).expect("five cells")
    }

    #[test]
    fn the_list_is_held_in_both_directions() {
        let list = Known([("a.aco cs differs".to_owned(), "why".to_owned())].into());
        assert!(list.check(&[row("a", "differs"), row("b", "equal")]).is_ok());
        assert!(list.check(&[row("a", "equal")]).is_err(), "it does not fail any more");
        assert!(list.check(&[row("a", "differs"), row("b", "refused")]).is_err(), "another fails");
        assert!(list.check(&[row("b", "equal")]).is_ok(), "it was not run");
        let race = Known([("a races".to_owned(), "why".to_owned())].into());
        let mut rows = [row("a", "differs"), row("b", "equal")];
        race.mark(&mut rows);
        assert_eq!(rows.each_ref().map(|row| row.end.as_str()), ["uncompared", "equal"]);
        assert!(race.check(&rows).is_ok());
        assert_eq!(row("a", "differs").kind(), "word # is # ");
    }
}
