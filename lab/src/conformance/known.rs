//! `docs/SUITE-conformance.md`: how many sub-tests are clean, here and elsewhere, and the cause of each that is not.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use xtask::step::{Context, Result};

use super::run::Config;
use super::suites::SuiteRow;

/// The Wine that the tests are of.
const TESTED: &str = "10.0";
/// The cause of a sub-test that nobody has looked into.
const UNKNOWN: &str = "not known yet";
/// Of a row that holds everywhere.
const EVERYWHERE: &str = "everywhere";
/// In a row of a sub-test that is clean now and then.
const SOMETIMES: &str = "sometimes";

/// A row: where a sub-test is not clean, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Row {
    /// Lists of words, separated by commas; each list's words must all fit.
    places: String,
    cause: String,
}

impl Row {
    fn covers(&self, config: &Config) -> bool {
        let words = config.words();
        let fits = |word: &str| word == EVERYWHERE || word == SOMETIMES || words.iter().any(|own| own == word);
        self.places.split(',').any(|list| list.split_whitespace().all(fits))
    }

    fn sometimes(&self) -> bool {
        self.places.split([',', ' ']).any(|word| word == SOMETIMES)
    }
}

/// The rows of both tables.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Known {
    rows: BTreeMap<String, Row>,
    /// What an implementation reaches, by its columns `what`, `Wine`, `bits`; then the other cells.
    figures: BTreeMap<[String; 3], Vec<String>>,
}

/// Sub-tests that were run with a configuration, and whether each was clean.
pub(super) type Cleanness = BTreeMap<String, bool>;

impl Known {
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

    fn parse(text: &str) -> Self {
        let mut known = Self::default();
        for line in text.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |")) {
            let cells: Vec<&str> = line.split(" | ").map(str::trim).collect();
            match cells.as_slice() {
                [name, places, cause @ ..] if name.starts_with('`') && !cause.is_empty() => {
                    let row = Row { places: (*places).to_owned(), cause: cause.join(" | ") };
                    known.rows.insert(name.trim_matches('`').to_owned(), row);
                }
                [what, wine, bits, rest @ ..] if bits.parse::<u32>().is_ok() => {
                    let key = [what, wine, bits].map(|cell| (*cell).to_owned());
                    known.figures.insert(key, rest.iter().map(|cell| (*cell).to_owned()).collect());
                }
                _ => {}
            }
        }
        known
    }

    /// What the file says an implementation reaches that was not run now, as cells.
    pub(super) fn figures(&self) -> impl Iterator<Item = (&[String; 3], &[String])> {
        self.figures.iter().map(|(key, cells)| (key, cells.as_slice()))
    }

    /// Keeps what an implementation reaches.
    pub(super) fn set_figures(&mut self, what: &str, config: &Config, cells: &[String]) {
        let key = [what.to_owned(), config.wine.clone(), config.bits.to_string()];
        self.figures.insert(key, cells.to_vec());
    }

    /// The cause given for a sub-test in a configuration.
    pub(super) fn cause(&self, name: &str, config: &Config) -> Option<&str> {
        self.rows.get(name).filter(|row| row.covers(config)).map(|row| row.cause.as_str())
    }

    /// What the list has wrong about a run, a line each.
    pub(super) fn wrong(&self, config: &Config, run: &Cleanness) -> Vec<String> {
        let row = |name: &String| self.rows.get(name).filter(|row| row.covers(config));
        let mut wrong = Vec::new();
        for (name, clean) in run {
            match row(name) {
                None if !clean => wrong.push(format!("{name} is not clean, and is not listed ({config})")),
                Some(row) if *clean && !row.sometimes() => {
                    wrong.push(format!("{name} is clean, and is listed ({config})"));
                }
                _ => {}
            }
        }
        wrong
    }

    /// Brings the list up to date with runs; what was not run stays, and causes do.
    pub(super) fn update(&mut self, runs: &[(Config, Cleanness)]) {
        let names: BTreeSet<&String> = runs.iter().flat_map(|(_, run)| run.keys()).collect();
        for name in names {
            let here: Vec<(&Config, bool)> =
                runs.iter().filter_map(|(config, run)| Some((config, *run.get(name)?))).collect();
            let right = here.iter().all(|(config, clean)| {
                let row = self.rows.get(name).filter(|row| row.covers(config));
                row.map_or(*clean, |row| !*clean || row.sometimes())
            });
            if right {
                continue;
            }
            let old = self.rows.remove(name);
            // Rows of what was not run now.
            let elsewhere: Vec<String> = old
                .iter()
                .flat_map(|row| row.places.split(','))
                .map(|list| list.trim().to_owned())
                .filter(|list| {
                    let alone = Row { places: list.clone(), cause: String::new() };
                    !here.iter().any(|(config, _)| alone.covers(config))
                })
                .collect();
            let bad: Vec<&Config> = here.iter().filter(|(_, clean)| !clean).map(|(config, _)| *config).collect();
            let mut places = elsewhere;
            if bad.len() == here.len() {
                places = vec![EVERYWHERE.to_owned()];
            } else {
                places.extend(shortest(&bad, &here));
            }
            if !places.is_empty() {
                let cause = old.map_or_else(|| UNKNOWN.to_owned(), |row| row.cause);
                self.rows.insert(name.clone(), Row { places: places.join(", "), cause });
            }
        }
    }

    /// The file.
    pub(super) fn text(&self, suite: &SuiteRow) -> String {
        let SuiteRow { name, title, about, .. } = suite;
        let mut text = format!(
            "# {title}\n\n\
             `cargo xtask conformance {name}` builds Wine 10.0's own tests out of Debian's source package and runs each sub-test in a\n\
             process of its own. `cargo xtask conformance {name} --peers --bless` writes this file anew from a run, and keeps the causes\n\
             that are given.\n\n{about}",
        );
        text.push_str(
            "* *Clean* is a sub-test in which no check fails but those that Wine marks as its own failures (`todo_wine`), and whose\n\
             \x20 process ends well. This is what counts.\n\
             * *Strict* are the clean ones in which no marked check passes either. The difference is no fault: the checks say what\n\
             \x20 Windows does, Wine marks those where it does something else, and where we do what Windows does, a marked check passes.\n\
             * *Every check* counts the clean ones in which no marked check fails either: all is as Windows does it. In the others\n\
             \x20 what fails is what Wine marks; `--windows` shows it as failing.\n\
             * A sub-test that is not clean runs once more alone, since some wait for so many seconds at most; the last column says\n\
             \x20 how many were clean then.\n\
             * moltenvk and kosmickrisp are ours in the program's process, on a device that is held to what these drivers for Macs offer\n\
             \x20 (`--way moltenvk,kosmickrisp`).\n\
             * Peers with – were run outside of this command: WineD3D on llvmpipe, DXVK 2.6 on lavapipe, both of Mesa 25.0.7.\n\n\
             ## How many are clean\n\n",
        );
        let headings = super::table::headings(suite);
        let _ = writeln!(text, "| {} |", headings.join(" | "));
        let _ = writeln!(text, "|{}", "---|".repeat(headings.len()));
        for (key, cells) in &self.figures {
            let _ = writeln!(text, "| {} | {} |", key.join(" | "), cells.join(" | "));
        }
        text.push_str(
            "\n## What is not\n\n\
             The command fails when a sub-test is not clean that is not listed here, or one is clean that is. *Where* names Wine's\n\
             version, the width, and how we render; `sometimes` stands where a listed one may be clean too.\n\n\
             | sub-test | where | cause |\n|---|---|---|\n",
        );
        for (name, row) in &self.rows {
            let _ = writeln!(text, "| `{name}` | {} | {} |", row.places, row.cause);
        }
        if let Some(marked) = suite.marked {
            let _ = write!(
                text,
                "\n## Marked checks that fail\n\n\
                 In every other sub-test all is as Windows does it, with Wine {TESTED}. The command fails when one is missing here, or\n\
                 has no such check any more.\n\n| sub-test | cause |\n|---|---|\n"
            );
            for (name, cause) in marked {
                let _ = writeln!(text, "| `{name}` | {cause} |");
            }
        }
        text
    }
}

/// What a suite's list of marked checks that fail has wrong about a run, a line each: how many fail in each clean sub-test. With
/// another Wine than the tests' own others fail.
pub(super) fn wrong_marks(suite: &SuiteRow, config: &Config, marks: &BTreeMap<String, u64>) -> Vec<String> {
    let Some(marked) = suite.marked.filter(|_| config.wine == TESTED) else { return Vec::new() };
    let listed = |name: &str| marked.iter().any(|(other, _)| *other == name);
    let wrong = |(name, count): (&String, &u64)| match (*count, listed(name)) {
        (0, true) => Some(format!("{name} fails no marked check, and is listed ({config})")),
        (1.., false) => Some(format!("{name} fails {count} marked checks, and is not listed ({config})")),
        _ => None,
    };
    marks.iter().filter_map(wrong).collect()
}

/// One word that stands for just these configurations, or all of their words.
fn shortest(bad: &[&Config], here: &[(&Config, bool)]) -> Vec<String> {
    let words: BTreeSet<String> = bad.iter().flat_map(|config| config.words()).collect();
    let exact =
        words.into_iter().find(|word| here.iter().all(|(config, clean)| config.words().contains(word) != *clean));
    exact.map_or_else(|| bad.iter().map(|config| config.words().join(" ")).collect(), |word| vec![word])
}

#[cfg(test)]
mod tests {
    use super::super::run::Config;
    use super::super::suites::Name;
    use super::{Cleanness, Known, wrong_marks};
    use crate::wine::place::Layer;
    use clap::ValueEnum as _;
    use std::collections::BTreeMap;

    fn config(layer: Layer, bits: u32) -> Config {
        Config { layer, bits, wine: "10.0".to_owned() }
    }

    fn run(clean: &[(&str, bool)]) -> Cleanness {
        clean.iter().map(|(name, clean)| ((*name).to_owned(), *clean)).collect()
    }

    #[test]
    fn a_list_is_judged_brought_up_to_date_and_read_again() {
        let text = "| `a.old` | everywhere | mended since |\n| `a.viewer` | 32 viewer | why |\n| `a.far` | 8.0 | a bug of it |\n\
                    | `a.odd` | sometimes | a race | of two |\n| DXVK 2.6 | 10.0 | 64 | 1/1 | 0 |\n";
        let mut known = Known::parse(text);
        let (one, two) = (config(Layer::InProcess, 64), config(Layer::Viewer, 32));
        let first = run(&[("a.old", true), ("a.viewer", true), ("a.far", true), ("a.odd", true), ("a.new", false)]);
        let second = run(&[("a.old", true), ("a.viewer", false), ("a.far", true), ("a.odd", false), ("a.new", true)]);
        assert_eq!(
            known.wrong(&one, &first),
            [
                "a.new is not clean, and is not listed (in-process, 64 bit, Wine 10.0)",
                "a.old is clean, and is listed (in-process, 64 bit, Wine 10.0)"
            ]
        );
        assert_eq!(known.wrong(&two, &second), ["a.old is clean, and is listed (viewer, 32 bit, Wine 10.0)"]);
        assert_eq!(known.cause("a.viewer", &two), Some("why"));
        assert_eq!(known.cause("a.viewer", &one), None);
        known.update(&[(one.clone(), first.clone()), (two.clone(), second.clone())]);
        assert!(known.wrong(&one, &first).is_empty());
        assert!(known.wrong(&two, &second).is_empty());
        assert_eq!(known.rows["a.new"].places, "64");
        assert_eq!(known.rows["a.far"].places, "8.0", "what was not run stays");
        assert_eq!(known.rows["a.odd"].cause, "a race | of two");
        known.set_figures("ours", &one, &["2/2".to_owned(), "0".to_owned()]);
        assert_eq!(Known::parse(&known.text(Name::D3d9.row())), known);
        assert_eq!(known.figures().count(), 2);
    }

    #[test]
    fn the_lists_are_as_they_are_written() {
        let docs = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
        for suite in Name::value_variants().iter().map(|name| name.row()) {
            let file = docs.join(format!("{}-conformance.md", suite.name));
            let text = std::fs::read_to_string(&file).unwrap();
            assert_eq!(text, Known::parse(&text).text(suite), "{}", file.display());
        }
    }

    #[test]
    fn marked_checks_that_fail_are_listed() {
        let suite = Name::D3d9.row();
        let (here, older) =
            (config(Layer::InProcess, 64), Config { wine: "8.0".to_owned(), ..config(Layer::Viewer, 64) });
        let mut marks: BTreeMap<String, u64> =
            suite.marked.unwrap().iter().map(|(name, _)| ((*name).to_owned(), 1)).collect();
        marks.insert("visual.test_sanity".to_owned(), 0);
        assert!(wrong_marks(suite, &here, &marks).is_empty());
        marks.insert("visual.test_sanity".to_owned(), 2);
        marks.insert("device.test_window_style".to_owned(), 0);
        assert_eq!(
            wrong_marks(suite, &here, &marks),
            [
                "device.test_window_style fails no marked check, and is listed (in-process, 64 bit, Wine 10.0)",
                "visual.test_sanity fails 2 marked checks, and is not listed (in-process, 64 bit, Wine 10.0)"
            ]
        );
        assert!(wrong_marks(suite, &older, &marks).is_empty(), "another Wine than the tests' own");
        assert!(wrong_marks(Name::Hlsl.row(), &here, &marks).is_empty(), "a suite without a list");
        let text = Known::default().text(suite);
        assert!(text.contains("| `device.test_window_style` | a full-screen window"), "{text}");
        assert_eq!(Known::parse(&text), Known::default(), "no rows of the list of what is not clean");
    }
}
