//! What `docs/adding.md` adds, held against the tree where the compiler does not: passes without a filetest, options that nobody reads.

use std::collections::{BTreeMap, BTreeSet};

use crate::citations::files;
use xtask::workspace::Workspace;

/// The passes of `docs/ir.md#passes`.
fn passes(page: &str) -> BTreeSet<&str> {
    let section = page.split("\n## ").find(|section| section.starts_with("Passes\n")).expect("a section on passes");
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `"));
    rows.filter_map(|row| row.split('`').next()).collect()
}

/// The fields of the options' values: the first word of each row of the table, which has the option's name behind it.
fn options(table: &str) -> BTreeSet<&str> {
    let rows = table.split("\noptions! {").nth(1).expect("the table of options");
    rows.lines()
        .filter_map(|line| line.trim_start().split_once(" \""))
        .filter(|(field, rest)| {
            field.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_') && rest.contains("\": ")
        })
        .map(|(field, _)| field)
        .collect()
}

#[test]
fn every_pass_has_a_filetest() {
    let root = &Workspace::find().root;
    let page = std::fs::read_to_string(root.join("docs/ir.md")).expect("docs/ir.md");
    let tests = files(root, &["air"]);
    let named: BTreeSet<String> = tests
        .iter()
        .filter(|(path, _)| path.starts_with("crates/passes/tests/filetests/"))
        .filter_map(|(_, text)| text.lines().next()?.strip_prefix("; test: ").map(str::to_owned))
        .flat_map(|line| line.split(", ").map(str::to_owned).collect::<Vec<_>>())
        .collect();
    // A pass may have forms, which are named by what follows its own name.
    let tested = |pass: &str| named.iter().any(|name| name == pass || name.starts_with(&format!("{pass}_")));
    let passes = passes(&page);
    assert!(passes.len() >= 10 && named.len() >= 10, "{passes:?} {named:?}");
    let missing: Vec<_> = passes.into_iter().filter(|pass| !tested(pass)).collect();
    assert!(missing.is_empty(), "passes without a file in crates/passes/tests/filetests: {missing:?}");
}

#[test]
fn every_option_is_read_by_somebody() {
    let root = &Workspace::find().root;
    let sources: BTreeMap<String, String> = files(root, &["rs"]);
    let options = options(&sources["crates/config/src/table.rs"]);
    assert!(options.len() > 30, "{options:?}");
    let read = |option: &str| {
        let field = format!(".{option}");
        sources.iter().filter(|(path, _)| !path.starts_with("crates/config/") && !path.contains("/tests/")).any(
            |(_, text)| {
                text.match_indices(&field).any(|(at, _)| {
                    let next = text[at + field.len()..].chars().next();
                    next.is_none_or(|c| !c.is_alphanumeric() && c != '_' && c != '(')
                })
            },
        )
    };
    let unread: Vec<_> = options.into_iter().filter(|option| !read(option)).collect();
    assert!(unread.is_empty(), "options of crates/config/src/table.rs that no code reads: {unread:?}");
}
