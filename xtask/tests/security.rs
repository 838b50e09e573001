//! docs/security.md: the tests that it names are there.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use xtask::workspace::Workspace;

/// Names of tests in a page: words between backquotes that look like nothing else.
fn named(page: &str) -> BTreeSet<&str> {
    let quoted = page.split('`').skip(1).step_by(2);
    quoted
        .filter(|text| text.matches('_').count() > 2 && text.chars().all(|c| c == '_' || c.is_ascii_alphanumeric()))
        .collect()
}

/// The source files in a folder.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for path in std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn every_test_that_the_page_names_is_there() {
    let ws = Workspace::find();
    let page = std::fs::read_to_string(ws.root.join("docs/security.md")).unwrap();
    let mut named = named(&page);
    assert!(named.len() > 20, "{named:?}");
    let mut files = Vec::new();
    ["apps", "crates", "lab", "xtask"].iter().for_each(|folder| sources(&ws.root.join(folder), &mut files));
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        // The sandbox's tests have a harness of their own: functions, or names in a table.
        if file.display().to_string().contains("/tests/sandbox") {
            named.retain(|name| !text.contains(&format!("fn {name}(")) && !text.contains(&format!("\"{name}\"")));
        }
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        for at in 1..lines.len() {
            let Some(name) = lines[at].strip_prefix("fn ").and_then(|rest| rest.split('(').next()) else { continue };
            // The attribute may have others below it.
            let above = lines[..at].iter().rev().take_while(|line| line.starts_with("#["));
            if above.into_iter().any(|line| line.starts_with("#[test]")) {
                named.remove(name);
            }
        }
    }
    assert_eq!(named, BTreeSet::new(), "docs/security.md names them, and there are no such tests");
}

#[test]
fn names_of_tests_are_told_from_other_code() {
    let page = "`a_b_c_d`, `cargo xtask deny`, `deny.toml`, `gpu_timeout_s`, `x(a_b_c_d)` and `it_is_a_test`";
    assert_eq!(named(page), BTreeSet::from(["a_b_c_d", "it_is_a_test"]));
}
