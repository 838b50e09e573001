//! `docs/nv2a-misses.md`: the pictures that do not match, each with the cause.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use xtask::step::{Context, Result};

/// The cause of a miss that nobody has looked into.
const UNKNOWN: &str = "not known yet";

/// Pictures that do not match, with the causes.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Misses {
    causes: BTreeMap<String, String>,
    /// The driver for Macs that the device was held to: what misses beyond that.
    pub(super) held_to: Option<&'static str>,
}

impl Misses {
    /// Reads the list; a file that is not there is an empty one.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(super) fn read(file: &Path) -> Result<Self> {
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
        Self { causes: text.lines().filter_map(row).collect(), held_to: None }
    }

    /// Whether a picture is listed.
    pub(super) fn has(&self, name: &str) -> bool {
        self.causes.contains_key(name)
    }

    /// What the list has wrong about these pictures, a line each.
    pub(super) fn wrong(&self, goldens: &BTreeSet<String>, misses: &BTreeSet<String>) -> Vec<String> {
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
    pub(super) fn updated(&self, goldens: &BTreeSet<String>, misses: &BTreeSet<String>) -> Self {
        let elsewhere = self.causes.iter().filter(|(name, _)| !goldens.contains(*name));
        let mut causes: BTreeMap<_, _> = elsewhere.map(|(name, cause)| (name.clone(), cause.clone())).collect();
        causes.extend(
            misses
                .iter()
                .map(|name| (name.clone(), self.causes.get(name).cloned().unwrap_or_else(|| UNKNOWN.to_owned()))),
        );
        Self { causes, held_to: self.held_to }
    }

    /// The file.
    pub(super) fn text(&self, summary: &str) -> String {
        let (title, words) = match self.held_to {
            None => (String::new(), String::new()),
            Some(driver) => (
                format!(" on a device that is held to what {driver} offers"),
                format!(
                    "`--held-to {}` draws on such a device, and looks for what misses there that is not in [nv2a-misses.md](nv2a-misses.md).\n\n",
                    driver.to_lowercase()
                ),
            ),
        };
        let mut text = format!(
            "# What does not match the console's pictures{title}\n\n{words}\
             `cargo xtask nv2a` draws the recordings and compares. A picture matches if 99.9 % of its pixels are within 3 levels of \
             the\nconsole's in red, green and blue. The command fails when a picture misses that is not listed here, or one \
             matches that is;\n`cargo xtask nv2a --bless` writes the list, and keeps the causes that are given.\n\n\
             ```\n{summary}```\n\n| picture | cause |\n|---|---|\n"
        );
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
        assert_eq!(Misses::parse(&new.text("1 of 3 match\n")), new);
    }
}
