//! `licences.txt`: every crate in a release, what its authors allow, and the texts that they want handed on, each once.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use xtask::step::{Context as _, Result};
use xtask::workspace::Workspace;

use crate::crates::{self, Crate};

/// What is linked into a release besides crates.
pub(crate) struct Runtime {
    name: &'static str,
    /// A name for a folder of it.
    pub(crate) folder: &'static str,
    /// Whose it is.
    pub(crate) authors: &'static str,
    /// Where it is in.
    place: &'static str,
    /// What they allow.
    pub(crate) terms: &'static str,
    /// A list of its terms, on the machine that builds.
    paper: Option<&'static str>,
}

/// All of it.
pub(crate) const RUNTIMES: &[Runtime] = &[
    Runtime {
        name: "the standard library of Rust",
        folder: "rust-std",
        authors: "The Rust Project Developers",
        place: "all programs and libraries but the samples in C++",
        terms: "MIT OR Apache-2.0",
        paper: None,
    },
    Runtime {
        name: "the runtime of mingw-w64",
        folder: "mingw-w64",
        authors: "2009-2016 the mingw-w64 project",
        place: "DLLs and samples for Windows",
        terms: "ZPL-2.1 AND BSD-3-Clause",
        paper: Some("/usr/share/doc/mingw-w64-common/copyright"),
    },
    Runtime {
        name: "the runtimes of GCC",
        folder: "gcc",
        authors: "Free Software Foundation, Inc",
        place: "DLLs and samples for Windows",
        terms: "GPL-3.0-or-later WITH GCC-exception-3.1",
        paper: None,
    },
];

/// The file's text.
///
/// # Errors
/// When a crate does not say what its authors allow.
pub(crate) fn text(ws: &Workspace) -> Result<String> {
    let mut own = Vec::new();
    for file in ["LICENSE-MIT", "LICENSE-APACHE"] {
        own.push((file, std::fs::read_to_string(ws.root.join(file)).doing(format!("reading {file}"))?));
    }
    render(&own, &crates::shipped(ws)?)
}

/// Texts, each with a number from 1 on.
#[derive(Default)]
struct Texts {
    numbers: BTreeMap<String, usize>,
    order: Vec<(String, String)>,
}

impl Texts {
    /// The number of a text. Blanks at the ends of lines make no other text.
    fn number(&mut self, title: &str, text: &str) -> usize {
        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        let text = lines.join("\n").trim_matches('\n').to_owned();
        let next = self.order.len() + 1;
        let number = *self.numbers.entry(text.clone()).or_insert(next);
        if number == next {
            self.order.push((title.to_owned(), text));
        }
        number
    }
}

fn render(own: &[(&str, String)], all: &[Crate]) -> Result<String> {
    let mut texts = Texts::default();
    let mut list = String::new();
    for (file, text) in own {
        texts.number(&format!("Afterimage: {file}"), text);
    }
    let mut line = |name: &str, place: &str, terms: &str, numbers: &[usize]| {
        let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
        let _ = writeln!(list, "{name}\n    {terms}\n    {place}\n    texts: {}", numbers.join(", "));
    };
    for one in all {
        let title = format!("{} {}", one.name, one.version);
        let mut numbers: Vec<usize> =
            one.papers.iter().map(|(file, text)| texts.number(&format!("{title}: {file}"), text)).collect();
        let mut place = one.home.clone();
        if numbers.is_empty() {
            for licence in crates::chosen(&one.terms) {
                numbers.push(texts.number(&format!("{licence}, as SPDX has it"), &crates::text(&licence)?));
            }
            let _ = write!(place, " (brings no text along; by {})", one.holders().join(", "));
        }
        line(&title, &place, one.terms.as_ref(), &numbers);
    }
    for one in RUNTIMES {
        let licences = crates::chosen(&crates::terms(one.terms)?);
        let mut numbers = Vec::new();
        for licence in licences {
            numbers.push(texts.number(&format!("{licence}, as SPDX has it"), &crates::text(&licence)?));
        }
        if let Some(paper) = one.paper.filter(|paper| Path::new(paper).is_file()) {
            let text = std::fs::read_to_string(paper).doing(format!("reading {paper}"))?;
            numbers.push(texts.number(&format!("{}, as Debian has it", one.name), &text));
        }
        line(one.name, &format!("in {}", one.place), one.terms, &numbers);
    }
    let mut out = format!(
        "What this release of Afterimage contains besides itself, what the authors allow, and their texts below.\n\
         Afterimage itself is licensed under either of MIT or Apache 2.0, texts 1 and 2.\n\n{list}"
    );
    for (at, (title, text)) in texts.order.iter().enumerate() {
        let _ = write!(out, "\n{}\n{}: {title}\n{}\n\n{text}\n", "=".repeat(80), at + 1, "=".repeat(80));
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::render;
    use crate::crates;
    use xtask::workspace::Workspace;

    /// Of the crates that we are built of, as they are today.
    #[test]
    fn every_crate_of_a_release_has_a_text() {
        let all = crates::shipped(&Workspace::find()).unwrap();
        let has = |name: &str| all.iter().any(|one| one.name == name);
        // What the programs, the DLLs, and macros bring in; and what only our tests need.
        for name in ["ash", "ddsfile", "egui", "winit", "windows-sys", "pastey", "clap_mangen"] {
            assert!(has(name), "{name}");
        }
        assert!(!has("windows-metadata"), "what only tests need");
        let text = render(&[("OURS", "As you like.\n".to_owned())], &all).unwrap();
        let lists = text.lines().filter_map(|line| line.strip_prefix("    texts:"));
        assert!(lists.clone().count() > 100 && lists.clone().all(|list| !list.trim().is_empty()));
        assert!(text.contains("1: Afterimage: OURS"));
        // Font licences lie in a folder of the crate.
        assert!(text.contains("SIL OPEN FONT LICENSE") && text.contains("UBUNTU FONT LICENCE"));
        assert!(text.contains("GCC RUNTIME LIBRARY EXCEPTION"));
    }
}
