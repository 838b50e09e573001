//! Files of a crate that import each other in a circle: no more than three of them, so that what they are for can be
//! read one after the other.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crate::imports::{Crate, Imports};
use xtask::workspace::Workspace;

/// As many files may be in a circle.
const MOST: usize = 3;

/// The files that a file leads to by imports.
fn reached<'a>(imports: &'a Imports, from: &'a str) -> BTreeSet<&'a str> {
    let (mut found, mut next) = (BTreeSet::new(), vec![from]);
    while let Some(file) = next.pop() {
        let targets = imports.get(file).into_iter().flat_map(BTreeMap::keys);
        next.extend(targets.map(String::as_str).filter(|target| found.insert(*target)));
    }
    found
}

/// Files that lead to each other, those of each circle together.
fn circles(imports: &Imports) -> BTreeSet<BTreeSet<&str>> {
    let reach: BTreeMap<&str, BTreeSet<&str>> =
        imports.keys().map(|file| (file.as_str(), reached(imports, file))).collect();
    let back = |from: &str, to: &str| reach.get(to).is_some_and(|reached| reached.contains(from));
    let circle = |from: &str| reach[from].iter().copied().filter(|to| back(from, to)).collect();
    reach.keys().map(|from| circle(from)).collect()
}

/// A circle in words: who imports what of whom.
fn describe(name: &str, circle: &BTreeSet<&str>, imports: &Imports) -> String {
    let mut text = format!("{name}: {} files import each other\n", circle.len());
    for (file, targets) in imports.iter().filter(|(file, _)| circle.contains(file.as_str())) {
        for (target, names) in targets.iter().filter(|(target, _)| circle.contains(target.as_str())) {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            writeln!(text, "    {file} imports {target}: {}", names.join(", ")).expect("a string");
        }
    }
    text
}

/// The crates' folders.
fn folders() -> Vec<String> {
    let ws = Workspace::find();
    let inside = |group: &str| {
        let entries = std::fs::read_dir(ws.root.join(group)).expect("a folder of crates").flatten();
        let names = entries.map(|entry| format!("{group}/{}", entry.file_name().to_string_lossy()));
        names.collect::<Vec<String>>()
    };
    let mut found = [inside("crates"), inside("apps"), vec!["xtask".into(), "lab".into(), "release".into()]].concat();
    found.sort();
    found
}

#[test]
fn no_more_than_three_files_import_each_other() {
    let ws = Workspace::find();
    let mut wrong = Vec::new();
    for folder in folders() {
        let imports = Crate::read(&ws.root.join(&folder).join("src")).imports();
        let large = circles(&imports).into_iter().filter(|circle| circle.len() > MOST);
        wrong.extend(large.map(|circle| describe(&folder, &circle, &imports)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn circles_are_found() {
    let mut imports = Imports::new();
    for (from, to) in ["ab", "bc", "ca", "cd", "de", "ed", "ef"].map(|edge| edge.split_at(1)) {
        imports.entry(from.into()).or_default().entry(to.into()).or_default().insert("X".into());
    }
    let found = circles(&imports);
    assert!(
        found.contains(&BTreeSet::from(["a", "b", "c"])) && found.contains(&BTreeSet::from(["d", "e"])),
        "{found:?}"
    );
    assert!(describe("x", &BTreeSet::from(["d", "e"]), &imports).ends_with("    e imports d: X\n"));
}
