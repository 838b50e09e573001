//! Lists of pictures that do not match, each with the cause: `docs/nv2a-misses.md` and others.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use xtask::step::{Context, Result};

/// The cause of a miss that nobody has looked into.
const UNKNOWN: &str = "not known yet";

/// Pictures that do not match, with the causes.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Misses {
    causes: BTreeMap<String, String>,
}

impl Misses {
    /// Reads the list; a file that is not there is an empty one.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn read(file: &Path) -> Result<Self> {
        if !file.is_file() {
            return Ok(Self::default());
        }
        Ok(Self::parse(&std::fs::read_to_string(file).doing(format!("reading {}", file.display()))?))
    }

    /// The rows of a table: "| `SUITE/NAME` | cause |".
    fn parse(text: &str) -> Self {
        let row = |line: &str| {
            let (name, cause) = line.strip_prefix("| `")?.split_once("` | ")?;
            Some((name.to_owned(), cause.strip_suffix(" |")?.to_owned()))
        };
        Self { causes: text.lines().filter_map(row).collect() }
    }

    /// Whether a picture is listed.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.causes.contains_key(name)
    }

    /// What the list has wrong about these pictures, a line each.
    pub(crate) fn wrong(&self, goldens: &BTreeSet<String>, misses: &BTreeSet<String>) -> Vec<String> {
        let new = misses.iter().filter(|name| !self.causes.contains_key(*name));
        let mut wrong: Vec<String> = new.map(|name| format!("{name} does not match, and is not listed")).collect();
        let here = || self.causes.iter().filter(|(name, _)| goldens.contains(*name));
        wrong.extend(
            here()
                .filter(|(name, _)| !misses.contains(*name))
                .map(|(name, _)| format!("{name} matches, and is listed")),
        );
        wrong
    }

    /// The list after a comparison; pictures that were not compared stay.
    pub(crate) fn updated(&self, goldens: &BTreeSet<String>, misses: &BTreeSet<String>) -> Self {
        let elsewhere = self.causes.iter().filter(|(name, _)| !goldens.contains(*name));
        let mut causes: BTreeMap<_, _> = elsewhere.map(|(name, cause)| (name.clone(), cause.clone())).collect();
        causes.extend(
            misses
                .iter()
                .map(|name| (name.clone(), self.causes.get(name).cloned().unwrap_or_else(|| UNKNOWN.to_owned()))),
        );
        Self { causes }
    }

    /// The file: what is said before, and the table.
    pub(crate) fn text(&self, head: &str, summary: &str) -> String {
        let mut text = format!("{head}\n```\n{summary}```\n\n| picture | cause |\n|---|---|\n");
        for (name, cause) in &self.causes {
            let _ = writeln!(text, "| `{name}` | {cause} |");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::{Misses, UNKNOWN};
    use std::collections::BTreeSet;

    fn names(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn a_list_is_compared_kept_and_read_again() {
        let text =
            "| picture | cause |\n|---|---|\n| `A/old` | mended since |\n| `A/x` | rounding |\n| `B/y` | not here |\n";
        let list = Misses::parse(text);
        let (goldens, misses) = (names(&["A/old", "A/x", "A/new"]), names(&["A/x", "A/new"]));
        assert_eq!(
            list.wrong(&goldens, &misses),
            ["A/new does not match, and is not listed", "A/old matches, and is listed"]
        );
        let new = list.updated(&goldens, &misses);
        assert!(new.wrong(&goldens, &misses).is_empty());
        assert_eq!(new.causes["A/x"], "rounding");
        assert_eq!(new.causes["A/new"], UNKNOWN);
        assert_eq!(new.causes["B/y"], "not here");
        assert_eq!(Misses::parse(&new.text("# What does not match\n", "1 of 3 match\n")), new);
    }
}
