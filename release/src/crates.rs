//! The crates that a release is made of, out of `cargo metadata`, and what their authors allow.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::Value;
use spdx::{Expression, LicenseReq, ParseMode};
use xtask::build;
use xtask::step::{self, Context as _, Failure, Result};
use xtask::workspace::Workspace;

use crate::files;

/// What a release is built for.
const TARGETS: [&str; 3] = ["x86_64-unknown-linux-gnu", "x86_64-pc-windows-gnu", "i686-pc-windows-gnu"];
/// Our packages in a release, and whether what is there of them is an example, which needs what tests need.
const SHIPPED: [(&str, bool); 8] = [
    ("afterimage", false),
    ("afterimage-viewer", false),
    ("afterimage-d3d9-com", false),
    ("afterimage-feedback-c", false),
    ("afterimage-gnm-c", false),
    ("afterimage-layer", false),
    ("afterimage-nv2a", true),
    ("afterimage-gnm", true),
];
/// How names of files begin, in capitals, that have terms in them.
const PAPERS: [&str; 8] = ["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE", "OFL", "UFL"];
/// Of several licences we take the first of these that is among them.
const PREFERRED: [&str; 2] = ["MIT", "Apache-2.0"];

/// A crate of others.
#[derive(Debug)]
pub(crate) struct Crate {
    /// Its name.
    pub(crate) name: String,
    /// Its version.
    pub(crate) version: String,
    /// What its authors allow.
    pub(crate) terms: Expression,
    /// Where it is developed.
    pub(crate) home: String,
    /// Who is said to have written it.
    authors: Vec<String>,
    /// Texts that it brings along: the file's name, and what is in it.
    pub(crate) papers: Vec<(String, String)>,
}

impl Crate {
    /// The lines of its papers that say whose it is; else who is said to have written it.
    pub(crate) fn holders(&self) -> Vec<String> {
        let lines = self.papers.iter().flat_map(|(_, text)| text.lines());
        let found: BTreeSet<String> = lines.filter_map(holder).collect();
        if !found.is_empty() {
            return found.into_iter().collect();
        }
        if self.authors.is_empty() { vec![format!("the authors of {}", self.name)] } else { self.authors.clone() }
    }
}

/// Whom a line such as `Copyright (c) 2020 Somebody` names. Templates and sentences about copyright are none.
fn holder(line: &str) -> Option<String> {
    let line = line.trim().trim_start_matches(['/', '*', '#']).trim_start();
    let rest =
        line.strip_prefix("Copyright").or_else(|| line.strip_prefix("COPYRIGHT"))?.trim_start_matches([' ', ':']);
    let rest = ["(c)", "(C)", "©"].iter().find_map(|sign| rest.strip_prefix(sign)).unwrap_or(rest).trim();
    let names =
        rest.chars().any(char::is_alphabetic) && rest.starts_with(|c: char| c.is_ascii_digit() || c.is_uppercase());
    // `<year>` and `[name]` are templates; `<me@here>` is an address.
    let template = rest.contains(['[', '{']) || (rest.contains('<') && !rest.contains('@'));
    (names && !template && rest.len() < 120).then(|| rest.trim_end_matches('.').to_owned())
}

/// What we choose of what its authors allow: the fewest licences that are enough, those that we prefer first.
pub(crate) fn chosen(terms: &Expression) -> Vec<LicenseReq> {
    let place = |of: &LicenseReq| PREFERRED.iter().position(|name| *name == of.to_string()).unwrap_or(PREFERRED.len());
    let mut all: Vec<LicenseReq> = terms.requirements().map(|one| one.req.clone()).collect();
    all.sort_by_key(place);
    all.dedup();
    let mut taken: Vec<LicenseReq> = Vec::new();
    for one in all {
        taken.push(one);
        if terms.evaluate(|wanted| taken.contains(wanted)) {
            break;
        }
    }
    for at in (0..taken.len()).rev() {
        let without: Vec<&LicenseReq> =
            taken.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, of)| of).collect();
        if terms.evaluate(|wanted| without.contains(&wanted)) {
            taken.remove(at);
        }
    }
    taken
}

/// The text of a licence as SPDX has it, with that of the exception to it.
///
/// # Errors
/// When SPDX has none.
pub(crate) fn text(of: &LicenseReq) -> Result<String> {
    let unknown = || Failure::new(format!("the text of {of}"), "SPDX has none");
    let mut text = of.license.id().ok_or_else(unknown)?.text().trim_end().to_owned();
    if let Some(addition) = &of.addition {
        text = format!("{text}\n\n{}", addition.id().ok_or_else(unknown)?.text().trim_end());
    }
    Ok(text)
}

/// Reads an expression such as `MIT OR Apache-2.0`, also as crates wrote it once: `MIT/Apache-2.0`.
///
/// # Errors
/// When it is none.
pub(crate) fn terms(text: &str) -> Result<Expression> {
    Expression::parse_mode(text, ParseMode::LAX).doing(format!("reading the licence {text}"))
}

/// All crates of others that are in a release, by name and version.
///
/// # Errors
/// When cargo cannot tell, or one does not say what its authors allow.
pub(crate) fn shipped(ws: &Workspace) -> Result<Vec<Crate>> {
    let mut found = BTreeMap::new();
    for target in TARGETS {
        let mut cargo = build::cargo(ws);
        cargo.args(["metadata", "--format-version=1", "--filter-platform", target]);
        let what = format!("cargo metadata for {target}");
        let metadata: Value = serde_json::from_str(&step::output(&mut cargo, &what)?).doing(&what)?;
        let packages = metadata["packages"].as_array().map_or(&[][..], Vec::as_slice);
        let wanted = reached(&metadata);
        for package in packages.iter().filter(|package| wanted.contains(word(&package["id"]))) {
            if !package["source"].is_null() {
                let key = (word(&package["name"]).to_owned(), word(&package["version"]).to_owned());
                found.insert(key, package.clone());
            }
        }
    }
    found.values().map(read).collect()
}

fn word(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// The ids of what is linked into what we ship, from packages to what they depend on.
fn reached(metadata: &Value) -> BTreeSet<&str> {
    let list = |value: &'_ Value| value.as_array().cloned().unwrap_or_default();
    let packages = metadata["packages"].as_array().map_or(&[][..], Vec::as_slice);
    let nodes = metadata["resolve"]["nodes"].as_array().map_or(&[][..], Vec::as_slice);
    let nodes: BTreeMap<&str, &Value> = nodes.iter().map(|node| (word(&node["id"]), node)).collect();
    let ours = |package: &&Value| package["source"].is_null();
    let mut todo: Vec<(&str, bool)> = Vec::new();
    for (name, example) in SHIPPED {
        let package = packages.iter().filter(ours).find(|package| word(&package["name"]) == name);
        todo.extend(package.map(|package| (word(&package["id"]), example)));
    }
    let mut found: BTreeSet<&str> = BTreeSet::new();
    let mut examples: BTreeSet<&str> = BTreeSet::new();
    while let Some((id, example)) = todo.pop() {
        let fresh = if example { examples.insert(id) | found.insert(id) } else { found.insert(id) };
        let Some(node) = nodes.get(id).filter(|_| fresh) else { continue };
        for dependency in node["deps"].as_array().map_or(&[][..], Vec::as_slice) {
            let linked = |kind: &Value| kind["kind"].is_null() || (example && word(&kind["kind"]) == "dev");
            if list(&dependency["dep_kinds"]).iter().any(linked) {
                todo.push((word(&dependency["pkg"]), false));
            }
        }
    }
    found
}

fn read(package: &Value) -> Result<Crate> {
    let (name, version) = (word(&package["name"]).to_owned(), word(&package["version"]).to_owned());
    let what = format!("looking for the licence of {name} {version}");
    let folder = Path::new(word(&package["manifest_path"])).parent().unwrap_or(Path::new("")).to_path_buf();
    let mut papers = papers(&folder)?;
    if let Some(named) = package["license_file"].as_str() {
        let file = PathBuf::from(named);
        if !papers.contains(&file) {
            papers.push(file);
        }
    }
    let said = package["license"].as_str().ok_or_else(|| {
        Failure::new(&what, "its Cargo.toml has no `license`").advise("add what it allows by hand, or do without it")
    })?;
    let read = |file: &PathBuf| {
        let bytes = std::fs::read(folder.join(file)).doing(&what)?;
        Ok((file.display().to_string(), String::from_utf8_lossy(&bytes).replace("\r\n", "\n")))
    };
    let authors = package["authors"].as_array().map_or(&[][..], Vec::as_slice);
    Ok(Crate {
        terms: terms(said)?,
        home: word(&package["repository"]).to_owned(),
        authors: authors.iter().map(|author| word(author).to_owned()).collect(),
        papers: papers.iter().map(read).collect::<Result<_>>()?,
        name,
        version,
    })
}

/// Files with terms in a crate's folder, and in folders of it where they belong to something of others, such as fonts.
fn papers(folder: &Path) -> Result<Vec<PathBuf>> {
    const CODE: [&str; 4] = ["rs", "toml", "html", "json"];
    let mut found = files::list(folder)?;
    found.retain(|file| {
        let name = file.file_name().unwrap_or_default().to_string_lossy().to_uppercase();
        let begins = PAPERS.iter().any(|paper| name.starts_with(paper)) || name.contains("LICENSE");
        let code = file.extension().is_some_and(|of| CODE.iter().any(|code| of == *code));
        begins && !code && file.components().count() <= 2
    });
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::{chosen, holder, terms, text};

    #[test]
    fn of_what_is_allowed_the_least_is_chosen() {
        for (said, expected) in [
            ("MIT OR Apache-2.0", "MIT"),
            ("Apache-2.0/MIT", "MIT"),
            ("Zlib OR Apache-2.0", "Apache-2.0"),
            ("Apache-2.0 WITH LLVM-exception OR Apache-2.0 OR MIT", "MIT"),
            ("(MIT OR Apache-2.0) AND OFL-1.1 AND Ubuntu-font-1.0", "MIT, OFL-1.1, Ubuntu-font-1.0"),
            ("BSD-3-Clause", "BSD-3-Clause"),
        ] {
            let names: Vec<String> = chosen(&terms(said).unwrap()).iter().map(ToString::to_string).collect();
            assert_eq!(names.join(", "), expected, "{said}");
        }
        assert!(terms("as you like").is_err());
    }

    #[test]
    fn licences_and_exceptions_have_texts() {
        let one = |said: &str| text(&chosen(&terms(said).unwrap())[0]).unwrap();
        assert!(one("MIT").contains("Permission is hereby granted"));
        let both = one("GPL-3.0-or-later WITH GCC-exception-3.1");
        assert!(both.contains("GNU GENERAL PUBLIC LICENSE") && both.contains("GCC RUNTIME LIBRARY EXCEPTION"));
    }

    #[test]
    fn holders_are_told_from_sentences() {
        assert_eq!(holder("Copyright (c) 2014 Alex Crichton").as_deref(), Some("2014 Alex Crichton"));
        assert_eq!(
            holder("  Copyright 2019 The X Project Developers.").as_deref(),
            Some("2019 The X Project Developers")
        );
        assert_eq!(holder("   Copyright [yyyy] [name of copyright owner]"), None);
        assert_eq!(holder("copyright notice that is included in or attached to the work"), None);
        assert_eq!(holder("Copyright (c) <year> <owner>"), None);
    }
}
