//! Imports between the rooms of the renderer go one way: a room imports only what stands before it in the list at the head of `lib.rs`.

use std::collections::BTreeMap;

use crate::imports::Crate;
use xtask::workspace::Workspace;

/// The rooms and the files beside them, in the order of the list: what comes first imports nothing of what follows.
fn rooms(lib: &str) -> Vec<String> {
    let rows = lib.lines().filter_map(|line| line.strip_prefix("//! * "));
    rows.flat_map(|row| row.split(':').next().unwrap_or_default().split(", "))
        .map(|name| name.trim_matches(['`', ' ']).to_owned())
        .collect()
}

/// The room that a file is in.
fn room(file: &str) -> &str {
    file.split('/').next().unwrap_or_default().trim_end_matches(".rs")
}

#[test]
fn imports_go_one_way() {
    let src = Workspace::find().root.join("crates/vulkan/src");
    let order = rooms(&std::fs::read_to_string(src.join("lib.rs")).expect("the list of rooms"));
    let place: BTreeMap<&str, usize> = order.iter().enumerate().map(|(at, name)| (name.as_str(), at)).collect();
    let renderer = Crate::read(&src);
    let mut wrong = Vec::new();
    for name in renderer.files().map(room).filter(|name| *name != "lib" && !place.contains_key(name)) {
        wrong.push(format!("the room {name} is not in the list of lib.rs"));
    }
    for (file, targets) in renderer.imports().iter().filter(|(file, _)| *file != "lib.rs") {
        for (target, names) in targets.iter().filter(|(target, _)| place.get(room(target)) > place.get(room(file))) {
            wrong.push(format!("{file} imports {names:?} of {target}, which comes after it"));
        }
    }
    assert!(renderer.files().count() > 80, "the sources were not found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
