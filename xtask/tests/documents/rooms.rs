//! Imports between the rooms of the renderer go one way: a room imports only what stands before it in the list at the head of `lib.rs`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The rooms and the files beside them, in the order of the list: what comes first imports nothing of what follows.
fn rooms(lib: &str) -> Vec<String> {
    let rows = lib.lines().filter_map(|line| line.strip_prefix("//! * "));
    rows.flat_map(|row| row.split(':').next().unwrap_or_default().split(", "))
        .map(|name| name.trim_matches(['`', ' ']).to_owned())
        .collect()
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// What a file imports of its crate by `crate::`, as rooms, outside of comments and of its own tests.
fn imports(text: &str) -> Vec<String> {
    let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    let lines = code.lines().map(|line| line.split("//").next().unwrap_or_default());
    let joined: String = lines.collect::<Vec<_>>().join(" ");
    let after = |at: usize| {
        let rest = &joined[at + "crate::".len()..];
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        // What `lib.rs` hands on is known by its room where it matters.
        if &rest[..end] == "Renderer" { "renderer".to_owned() } else { rest[..end].to_owned() }
    };
    joined
        .match_indices("crate::")
        .map(|(at, _)| after(at))
        .filter(|name| name.starts_with(|c: char| c.is_ascii_lowercase()))
        .collect()
}

#[test]
fn imports_go_one_way() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let order = rooms(&fs::read_to_string(src.join("lib.rs")).unwrap());
    let place: BTreeMap<&str, usize> = order.iter().enumerate().map(|(at, name)| (name.as_str(), at)).collect();
    let mut files = Vec::new();
    sources(&src, &mut files);
    let mut wrong = Vec::new();
    for file in &files {
        let path = file.strip_prefix(&src).unwrap();
        let room = path.iter().next().unwrap().to_str().unwrap().trim_end_matches(".rs");
        if ["lib", "apply_tests"].contains(&room) {
            continue;
        }
        let Some(here) = place.get(room) else {
            wrong.push(format!("{}: the room {room} is not in the list of lib.rs", path.display()));
            continue;
        };
        for import in imports(&fs::read_to_string(file).unwrap()) {
            match place.get(import.as_str()) {
                Some(there) if there <= here => {}
                Some(_) => wrong.push(format!("{}: {room} imports {import}, which comes after it", path.display())),
                None => wrong.push(format!("{}: {import} is no room of lib.rs", path.display())),
            }
        }
    }
    assert!(files.len() > 80, "the sources were not found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
