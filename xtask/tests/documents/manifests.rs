//! Crates that can be published: what their manifests and packages have, as cargo understands them.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use xtask::workspace::Workspace;

/// Those that others were promised, whatever else may be published with them.
const PROMISED: [&str; 14] = [
    "ir",
    "spirv",
    "msl",
    "shader",
    "shader-d3d9",
    "shader-nv2a",
    "shader-gcn",
    "shader-spirv",
    "texture",
    "feedback",
    "state",
    "nv2a",
    "gnm",
    "capture",
];
/// Names of crates.io's categories that we use.
const CATEGORIES: [&str; 13] = [
    "compilers",
    "concurrency",
    "config",
    "data-structures",
    "emulators",
    "encoding",
    "filesystem",
    "graphics",
    "os::linux-apis",
    "parser-implementations",
    "rendering",
    "rendering::engine",
    "simulation",
];

fn cargo() -> Command {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(&Workspace::find().root).arg("--offline");
    cargo
}

/// The packages of the workspace, by name.
fn packages() -> BTreeMap<String, Value> {
    let output = cargo().args(["metadata", "--no-deps", "--format-version", "1"]).output().expect("cargo metadata");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let packages = metadata["packages"].as_array().expect("packages").iter();
    packages.map(|package| (text(&package["name"]), package.clone())).collect()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn words(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().map(text).collect()
}

/// `publish = false` is an empty list of registries.
fn is_published(package: &Value) -> bool {
    package["publish"].is_null()
}

/// What is wrong with a crate that is to be published.
fn faults(package: &Value, all: &BTreeMap<String, Value>) -> Vec<String> {
    let mut wrong = Vec::new();
    let name = text(&package["name"]);
    let mut ask = |holds: bool, what: &str| {
        if !holds {
            wrong.push(format!("{name}: {what}"));
        }
    };
    let description = text(&package["description"]);
    ask((20..=200).contains(&description.len()), "a description of a sentence or two");
    ask(text(&package["license"]) == "MIT OR Apache-2.0", "license.workspace");
    ask(!package["rust_version"].is_null(), "rust-version.workspace");
    let keywords = words(&package["keywords"]);
    let plain = |word: &String| {
        word.len() <= 20 && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
    };
    ask(
        (3..=5).contains(&keywords.len()) && keywords.iter().all(plain),
        "three to five keywords of at most 20 small letters",
    );
    let categories = words(&package["categories"]);
    ask((1..=5).contains(&categories.len()), "one to five categories");
    ask(categories.iter().all(|one| CATEGORIES.contains(&one.as_str())), "categories that crates.io has");
    let root = text(&package["manifest_path"]);
    let root = Path::new(&root).parent().expect("a folder");
    let page = std::fs::read_to_string(root.join(text(&package["readme"]))).unwrap_or_default();
    ask(
        text(&package["readme"]) == "README.md" && page.starts_with(&format!("# {name}\n")),
        "a README.md that has its name on top",
    );
    // Who reads it on crates.io has no tree around it.
    ask(!page.contains("](../") && !page.contains("](docs/"), "a README.md without links into the tree");
    for dependency in package["dependencies"].as_array().into_iter().flatten() {
        let other = text(&dependency["name"]);
        let Some(ours) = all.get(&other) else { continue };
        let (for_tests, requirement) = (text(&dependency["kind"]) == "dev", text(&dependency["req"]));
        // Its own tests may want another feature of it.
        if other == name && for_tests && requirement == "*" {
            continue;
        }
        if is_published(ours) {
            let wanted = format!("={}", text(&ours["version"]));
            ask(requirement == wanted, &format!("{other} by version {wanted}, and not {requirement}"));
        } else {
            ask(for_tests, &format!("depends on {other}, which is not published"));
            // Cargo leaves out of packages what tests need, if it has no version.
            ask(requirement == "*", &format!("{other} is not published, and has a version"));
        }
    }
    wrong
}

#[test]
fn manifests_have_what_users_and_cargo_need() {
    let all = packages();
    let mut wrong: Vec<String> =
        all.values().filter(|package| is_published(package)).flat_map(|package| faults(package, &all)).collect();
    for name in PROMISED.map(|name| format!("afterimage-{name}")) {
        if !all.get(&name).is_some_and(is_published) {
            wrong.push(format!("{name} is not published"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn packages_hold_sources_and_pages_and_nothing_else() {
    let all = packages();
    let names: Vec<&String> = all.iter().filter(|(_, package)| is_published(package)).map(|(name, _)| name).collect();
    assert!(names.len() >= PROMISED.len());
    for name in names {
        let output = cargo().args(["package", "--list", "--allow-dirty", "-p", name]).output().expect("cargo package");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{name}: {said}");
        let files = String::from_utf8_lossy(&output.stdout).into_owned();
        // Cargo's own, and what a user reads.
        let known = ["Cargo.toml", "Cargo.toml.orig", "Cargo.lock", ".cargo_vcs_info.json", "README.md", "build.rs"];
        for file in files.lines().map(|file| file.replace('\\', "/")) {
            let source = file.starts_with("src/") || file.starts_with("examples/");
            assert!(source || known.contains(&file.as_str()), "{name}: {file} is in its package");
        }
        assert!(files.lines().any(|file| file == "README.md"), "{name}: {files}");
    }
}

#[test]
fn faults_are_found() {
    let json = |text: &str| serde_json::from_str::<Value>(text).expect("JSON");
    let good = r#"{"name": "afterimage-ir", "version": "1.0.0", "publish": null}"#;
    let kept = r#"{"name": "afterimage-bench", "version": "1.0.0", "publish": []}"#;
    let all: BTreeMap<String, Value> = [good, kept].map(json).into_iter().map(|p| (text(&p["name"]), p)).collect();
    let bad = json(
        r#"{"name": "afterimage-x", "description": "short", "license": "MIT", "rust_version": null, "readme": null,
            "manifest_path": "/none/Cargo.toml", "keywords": ["A b"], "categories": ["nonsense"], "dependencies": [
            {"name": "afterimage-ir", "kind": null, "req": "*"}, {"name": "afterimage-bench", "kind": null, "req": "*"},
            {"name": "afterimage-bench", "kind": "dev", "req": "^1"}, {"name": "libc", "kind": null, "req": "^0.2"}]}"#,
    );
    let found = faults(&bad, &all).join("\n");
    let wanted = [
        "a description",
        "license.workspace",
        "rust-version",
        "keywords",
        "categories that",
        "README.md that",
        "afterimage-ir by version =1.0.0, and not *",
        "depends on afterimage-bench",
        "afterimage-bench is not published, and has a version",
    ];
    for part in wanted {
        assert!(found.contains(part), "{part}\n{found}");
    }
    assert_eq!(found.lines().count(), wanted.len(), "{found}");
    assert!(is_published(&all["afterimage-ir"]) && !is_published(&all["afterimage-bench"]));
}
