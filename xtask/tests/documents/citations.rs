//! What pages and comments name is there: files of this tree, sections of pages, and nothing outside of it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use xtask::workspace::Workspace;

/// Files of the tree that people write, by their paths in it.
pub(crate) fn files(root: &Path, extensions: &[&str]) -> BTreeMap<String, String> {
    fn walk(folder: &Path, extensions: &[&str], found: &mut Vec<PathBuf>) {
        for path in std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() {
                if name != "target" && !name.starts_with('.') && !path.is_symlink() {
                    walk(&path, extensions, found);
                }
            } else if path.extension().is_some_and(|extension| extensions.iter().any(|wanted| extension == *wanted)) {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    walk(root, extensions, &mut found);
    let name = |path: &Path| path.strip_prefix(root).unwrap_or(path).to_string_lossy().replace('\\', "/");
    found.iter().filter_map(|path| Some((name(path), std::fs::read_to_string(path).ok()?))).collect()
}

/// Sections of a page as links name them: the heading in small letters, with hyphens for spaces, without punctuation.
fn sections(page: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut code = false;
    for line in page.lines() {
        code ^= line.trim_start().starts_with("```");
        let title = line.trim_start_matches('#');
        if code || title.len() == line.len() || !title.starts_with(' ') {
            continue;
        }
        let kept = title.trim().chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        let slug: String = kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect();
        let again = (1..).map(|n| format!("{slug}-{n}")).find(|name| !found.contains(name));
        found.insert(if found.contains(&slug) { again.unwrap_or_default() } else { slug });
    }
    found
}

/// Whether a path stands for many: `NAME.rs`, `{a,b}.rs`, `*.air`.
fn is_pattern(path: &str) -> bool {
    let word = |part: &str| part.len() > 2 && part != "README" && part != "CONTRIBUTING" && part != "LICENSE";
    let parts = path.split(['/', '.', '-', '_', '#']);
    path.contains(['{', '*', '$', '<'])
        || parts.filter(|part| word(part)).any(|part| part.chars().all(|c| c.is_ascii_uppercase()))
}

/// Folders of the tree that paths in text begin with.
const ROOTS: &[&str] =
    &["apps/", "crates/", "docs/", "fuzz/", "include/", "lab/", "packaging/", "release/", "samples/", "xtask/"];

/// Paths in text that begin with a folder of the tree: `docs/PAGE.md`, `docs/PAGE.md#SECTION`, `crates/NAME/src/lib.rs`.
fn cited<'a>(text: &'a str, roots: &[&str]) -> Vec<&'a str> {
    let mut found = Vec::new();
    for root in roots {
        for (at, _) in text.match_indices(root) {
            let before = text[..at].trim_end_matches("../");
            if before.ends_with(|c: char| c.is_alphanumeric() || "_-/.".contains(c)) {
                continue;
            }
            let rest = &text[at..];
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && !"_-./#{}*,$<>".contains(c));
            let path = rest[..end.unwrap_or(rest.len())].trim_end_matches(['.', ',', '/', '#']);
            found.push(path);
        }
    }
    found
}

/// Targets of links in a page, without those that lead elsewhere.
fn links(page: &str) -> Vec<&str> {
    let after = page.split("](").skip(1);
    let targets = after.filter_map(|after| Some(after.split_once(')')?.0));
    targets.filter(|target| !target.contains("://") && !target.contains(char::is_whitespace)).collect()
}

/// What is wrong with a path that is named, if anything is.
fn wrong(root: &Path, pages: &BTreeMap<String, String>, folder: &str, target: &str) -> Option<&'static str> {
    let (file, section) = target.split_once('#').map_or((target, None), |(file, section)| (file, Some(section)));
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in file.split('/') {
        match part {
            ".." => drop(parts.pop()),
            "." | "" => {}
            part => parts.push(part),
        }
    }
    let path = parts.join("/");
    if !root.join(&path).exists() {
        return Some("there is no such file");
    }
    let section = section?;
    let page = pages.get(&path)?;
    // `#L12` is a line.
    let line = section.strip_prefix('L').is_some_and(|number| number.parse::<u32>().is_ok());
    (!line && !sections(page).contains(section)).then_some("the page has no such section")
}

#[test]
fn every_page_and_section_that_is_cited_is_there() {
    let ws = Workspace::find();
    let files = files(&ws.root, &["rs", "md", "toml"]);
    let mut missing = Vec::new();
    let mut count = 0;
    for (name, text) in &files {
        // This file's own examples lead nowhere.
        if name.ends_with("documents/citations.rs") {
            continue;
        }
        // Code also names pictures and files that it makes.
        let is_page = |path: &str| path.split('#').next().is_some_and(|file| file.ends_with(".md"));
        for path in cited(text, &["docs/"]).into_iter().filter(|path| is_page(path) && !is_pattern(path)) {
            count += 1;
            missing.extend(wrong(&ws.root, &files, "", path).map(|why| format!("{name}: {path}: {why}")));
        }
    }
    assert!(count > 100, "{count}");
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn every_link_of_a_page_leads_somewhere() {
    let ws = Workspace::find();
    let pages = files(&ws.root, &["md"]);
    let mut missing = Vec::new();
    for (name, page) in &pages {
        let (folder, file) = name.rsplit_once('/').unwrap_or(("", name));
        for link in links(page) {
            let (folder, target) =
                if link.starts_with('#') { (folder, format!("{file}{link}")) } else { (folder, link.into()) };
            missing.extend(wrong(&ws.root, &pages, folder, &target).map(|why| format!("{name}: {link}: {why}")));
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

/// When code moves, the pages that say where it is move with it.
#[test]
fn every_file_that_a_page_names_is_there() {
    let ws = Workspace::find();
    let pages = files(&ws.root, &["md"]);
    let code = files(&ws.root, &["rs"]);
    let mut missing = Vec::new();
    for (name, page) in &pages {
        // `draw.rs`, `machine/exec.rs`: some file of that name.
        let short = page.split('`').skip(1).step_by(2).filter(|quoted| {
            let is_path = quoted.chars().all(|c| c.is_ascii_alphanumeric() || "_-/.".contains(c));
            is_path && quoted.ends_with(".rs") && !is_pattern(quoted)
        });
        for file in short.filter(|file| !ROOTS.iter().any(|root| file.starts_with(root))) {
            if !code.keys().any(|path| path.ends_with(&format!("/{}", file.trim_start_matches("../")))) {
                missing.push(format!("{name}: {file}: there is no such file"));
            }
        }
        let quoted = page.split('`').skip(1).step_by(2).flat_map(|code| cited(code, ROOTS));
        for path in quoted.filter(|path| !is_pattern(path)) {
            missing.extend(wrong(&ws.root, &pages, "", path).map(|why| format!("{name}: {path}: {why}")));
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

/// Names in two tables of docs/architecture.md, which say where to begin: something of that name is declared.
#[test]
fn every_name_that_the_architecture_begins_with_is_there() {
    let ws = Workspace::find();
    let code: String = files(&ws.root, &["rs"]).into_values().collect::<Vec<_>>().join("\n");
    let page = std::fs::read_to_string(ws.root.join("docs/architecture.md")).expect("the page");
    let section = |title: &str| {
        let rest = page.split_once(title).unwrap_or_else(|| panic!("no section {title}")).1;
        rest.split("\n## ").next().unwrap_or(rest).to_owned()
    };
    let tables = section("\n## Start reading here\n") + &section("\n## Entry points, and what always holds\n");
    let rows = tables.lines().filter(|line| line.starts_with('|'));
    // The first column has questions, and crates.
    let cells = rows.filter_map(|row| row.splitn(3, '|').nth(2));
    let quoted = cells.flat_map(|row| row.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>());
    let declared: BTreeSet<&str> = {
        let heads =
            ["fn", "struct", "enum", "trait", "mod", "macro_rules!", "const", "static", "type", "table", "crate"];
        let mut names = BTreeSet::new();
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        for line in code.lines().map(str::trim_start) {
            let mut words = line.split(' ').peekable();
            // A variant, or a row of a table: its name begins the line.
            names.insert(line.split(|c| !is_name(c)).next().unwrap_or_default());
            while let Some(word) = words.next() {
                if heads.contains(&word) {
                    names.extend(words.peek().and_then(|next| next.split(|c| !is_name(c)).next()));
                }
            }
        }
        names
    };
    let mut missing = Vec::new();
    for name in quoted.filter(|name| !name.contains(['.', '/', '-'])) {
        let last =
            name.trim_start_matches("trait ").trim_end_matches(['(', ')', '!']).rsplit("::").next().unwrap_or_default();
        if !declared.contains(last) && last != "_" {
            missing.push(name);
        }
    }
    assert!(missing.is_empty(), "docs/architecture.md begins with {missing:?}");
}

/// Tests that docs/adding.md says will name what was forgotten, and what else it has of that look.
#[test]
fn every_function_that_the_page_on_adding_names_is_there() {
    let ws = Workspace::find();
    let code = files(&ws.root, &["rs"]);
    let page = std::fs::read_to_string(ws.root.join("docs/adding.md")).expect("the page");
    let look = |name: &&str| name.matches('_').count() > 2 && name.chars().all(|c| c == '_' || c.is_ascii_lowercase());
    let named: BTreeSet<&str> = page.split('`').skip(1).step_by(2).filter(look).collect();
    assert!(named.len() > 5, "{named:?}");
    let is_there = |name: &str| code.values().any(|text| text.contains(&format!("fn {name}(")));
    let missing: Vec<_> = named.into_iter().filter(|name| !is_there(name)).collect();
    assert!(missing.is_empty(), "docs/adding.md names {missing:?}");
}

/// Notes outside of the tree are no source: docs/sources has what the code rests on.
#[test]
fn nothing_outside_of_the_tree_is_cited() {
    let ws = Workspace::find();
    let mut found = Vec::new();
    for (name, text) in files(&ws.root, &["rs", "md", "toml"]) {
        for folder in ["facts", "seeds"] {
            for (at, _) in text.match_indices(&format!("{folder}/")) {
                let (before, after) = (&text[..at], &text[at + folder.len() + 1..]);
                let inside = before.ends_with("fuzz/") || before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
                if !inside && after.starts_with(|c: char| c.is_ascii_alphanumeric()) {
                    let line = before.lines().count();
                    found.push(format!("{name}:{line}: {folder}/{}", after.split_whitespace().next().unwrap_or("")));
                }
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn paths_and_sections_are_found_in_text() {
    let text =
        "see `docs/a.md`, ../../docs/b.md#some-part. https://x.org/docs/c.md docs/NAME-x.md doc/x (docs/images/y.png)";
    assert_eq!(cited(text, &["docs/"]), ["docs/a.md", "docs/b.md#some-part", "docs/NAME-x.md", "docs/images/y.png"]);
    assert!(is_pattern("docs/NAME-x.md") && is_pattern("a/{b,c}.rs") && !is_pattern("docs/sources/README.md"));
    let page = "# A page\n## What it *is*, and `code` (1)\n```\n# none\n```\n## Twice\n## Twice\n";
    let wanted = ["a-page", "what-it-is-and-code-1", "twice", "twice-1"].map(String::from);
    assert_eq!(sections(page), BTreeSet::from(wanted));
    assert_eq!(links("[a](b.md#c) ![d](e.png) [f](https://g) [h] (i)"), ["b.md#c", "e.png"]);
}
