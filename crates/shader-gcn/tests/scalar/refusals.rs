//! `docs/gnm.md` lists what has no translation, as the code says it.

use std::collections::BTreeSet;
use std::path::Path;

/// All Rust files of a folder and those in it, one behind the other.
fn sources(folder: &Path) -> String {
    let mut all = String::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all += &sources(&path);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            all += &std::fs::read_to_string(path).unwrap();
        }
    }
    all
}

/// Texts in quotation marks behind a name and its parenthesis.
fn said<'a>(code: &'a str, before: &str) -> BTreeSet<&'a str> {
    let rest = code.split(before).skip(1).map(str::trim_start);
    rest.filter_map(|rest| rest.strip_prefix('"')?.split('"').next()).collect()
}

/// The lines of a list between two comments.
fn listed<'a>(page: &'a str, name: &str) -> BTreeSet<&'a str> {
    let (_, list) =
        page.split_once(&format!("<!-- {name} -->")).unwrap_or_else(|| panic!("the page has no list `{name}`"));
    let (list, _) = list.split_once("<!-- end -->").unwrap();
    list.lines().filter_map(|line| line.strip_prefix("* ")).collect()
}

#[test]
fn the_documentation_lists_what_is_refused() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let code = sources(&here.join("src"));
    let page = std::fs::read_to_string(here.join("../../docs/gnm.md")).unwrap();
    for (list, before) in [("refused", "Unsupported("), ("left out", "warn(")] {
        let (said, listed) = (said(&code, before), listed(&page, list));
        assert!(said.len() > 5, "the code is written otherwise now: {said:?}");
        let missing: Vec<_> = said.difference(&listed).collect();
        let gone: Vec<_> = listed.difference(&said).collect();
        assert!(missing.is_empty() && gone.is_empty(), "`{list}` of docs/gnm.md lacks {missing:#?}, and has {gone:#?}");
    }
}
