//! The arrow rule between crates: each depends only on those that stand below it in the list of docs/architecture.md.

use std::collections::BTreeMap;

use crate::citations;
use xtask::workspace::Workspace;

/// Dependencies of tests and benchmarks that point up the list. A row goes when it is not needed any more.
const UPWARDS: &[(&str, &str)] = &[
    // The renderer's tests draw into windows.
    ("vulkan", "window"),
];

/// A crate, and those of ours that it depends on.
#[derive(Debug, Default)]
struct Crate {
    normal: Vec<String>,
    dev: Vec<String>,
}

/// The name that the list has for a package.
fn short(package: &str) -> String {
    package.strip_prefix("afterimage-").unwrap_or(package).to_owned()
}

/// What a manifest says: the package, and its dependencies on crates of ours.
fn read(manifest: &str) -> Option<(String, Crate)> {
    let (mut section, mut name, mut found) = ("", None, Crate::default());
    for line in manifest.lines().map(str::trim) {
        if let Some(title) = line.strip_prefix('[') {
            section = title.trim_end_matches(']');
            continue;
        }
        let Some((key, value)) = line.split_once('=') else { continue };
        let key = key.trim();
        if section == "package" && key == "name" {
            name = Some(short(value.trim().trim_matches('"')));
        }
        let package = key.split('.').next().unwrap_or_default();
        if !package.starts_with("afterimage") {
            continue;
        }
        if section.ends_with("dev-dependencies") {
            found.dev.push(short(package));
        } else if section.ends_with("dependencies") {
            found.normal.push(short(package));
        }
    }
    Some((name?, found))
}

/// The crates of the list, from the top down: names between backquotes in the first column.
fn listed(page: &str) -> Vec<String> {
    let (_, rest) = page.split_once("\n## Crates\n").expect("the list of crates");
    let list = rest.split("\n## ").next().unwrap_or(rest);
    let rows = list.lines().filter_map(|line| line.strip_prefix("| `"));
    let names = rows.flat_map(|row| row.split(" |").next().unwrap_or_default().split(", "));
    names.map(|name| short(name.trim_matches('`').trim_start_matches("apps/"))).collect()
}

/// The packages of the workspace, by the names that the list has.
fn crates() -> BTreeMap<String, Crate> {
    let ws = Workspace::find();
    let manifests = citations::files(&ws.root, &["toml"]);
    let ours = |path: &str| path.ends_with("/Cargo.toml") && !path.starts_with("fuzz/");
    manifests.iter().filter(|(path, _)| ours(path)).filter_map(|(_, text)| read(text)).collect()
}

fn page(name: &str) -> String {
    let path = Workspace::find().root.join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn dependencies_point_down_the_list_of_crates() {
    let list = listed(&page("docs/architecture.md"));
    let crates = crates();
    let place = |name: &str| list.iter().position(|listed| listed == name);
    let mut wrong = Vec::new();
    for name in &list {
        if !crates.contains_key(name) {
            wrong.push(format!("docs/architecture.md lists {name}, which is no crate"));
        }
    }
    let mut upwards = UPWARDS.to_vec();
    for (name, found) in &crates {
        let Some(own) = place(name) else {
            wrong.push(format!("docs/architecture.md does not list {name}"));
            continue;
        };
        let below = |other: &String| other == name || place(other).is_none_or(|place| place > own);
        for other in found.normal.iter().filter(|other| !below(other)) {
            wrong.push(format!("{name} depends on {other}, which stands above it in docs/architecture.md"));
        }
        for other in found.dev.iter().filter(|other| !below(other)) {
            let known = upwards.iter().position(|row| *row == (name.as_str(), other.as_str()));
            match known {
                Some(row) => drop(upwards.remove(row)),
                None => wrong.push(format!("tests of {name} depend on {other}, which stands above it")),
            }
        }
    }
    wrong.extend(
        upwards.iter().map(|(name, other)| format!("tests of {name} do not depend on {other}: a row too many")),
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_workspace_lists_crates_in_the_order_of_the_documentation() {
    let list = listed(&page("docs/architecture.md"));
    let manifest = page("Cargo.toml");
    let lines = manifest.lines().filter(|line| line.starts_with("afterimage") && line.contains("path ="));
    let dependencies: Vec<String> = lines.filter_map(|line| Some(short(line.split_once(" =")?.0))).collect();
    let wanted: Vec<&String> = list.iter().filter(|name| dependencies.contains(name)).collect();
    assert_eq!(dependencies.iter().collect::<Vec<_>>(), wanted, "Cargo.toml, and docs/architecture.md");
}

#[test]
fn unsafe_code_is_where_the_documentation_says() {
    let ws = Workspace::find();
    let page = page("docs/architecture.md");
    let sentence = page.lines().find_map(|line| line.strip_prefix("`unsafe` is allowed in ")).expect("the sentence");
    let mut named: Vec<&str> = sentence.split('`').skip(1).step_by(2).collect();
    let manifests = citations::files(&ws.root, &["toml"]);
    let mut allowed = Vec::new();
    for (path, manifest) in manifests.iter().filter(|(path, _)| path.ends_with("/Cargo.toml")) {
        let library = ws.root.join(path).with_file_name("src/lib.rs");
        // Of the programs the sentence speaks by itself.
        let Ok(code) = std::fs::read_to_string(library) else { continue };
        if !path.starts_with("fuzz/") && !code.contains("#![forbid(unsafe_code)]") {
            allowed.extend(read(manifest).map(|(name, _)| name));
        }
    }
    named.sort_unstable();
    allowed.sort_unstable();
    assert_eq!(named, allowed, "docs/architecture.md, and crates without `forbid(unsafe_code)`");
}

#[test]
fn manifests_and_lists_are_read() {
    let manifest = "[package]\nname = \"afterimage-a\"\n[dependencies]\nafterimage-b.workspace = true\nlibc = \"1\"\n\
                    [target.'cfg(unix)'.dependencies]\nafterimage-c = { path = \"x\" }\n[dev-dependencies]\nafterimage-d.workspace = true\n";
    let (name, found) = read(manifest).expect("a manifest");
    assert_eq!((name.as_str(), found.normal, found.dev), ("a", vec!["b".to_owned(), "c".into()], vec!["d".to_owned()]));
    let page = "# A\n\n## Crates\n\n| crate | one line |\n|---|---|\n| `apps/x`, `xtask` | one |\n| `a` | two |\n\n## B\n| `c` | no |\n";
    assert_eq!(listed(page), ["x", "xtask", "a"]);
}
