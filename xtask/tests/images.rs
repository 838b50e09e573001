//! docs/images: each picture has a row that says what makes it, and a page that shows it. Whether they are what is drawn is for
//! `lab/src/images.rs`.

use std::collections::BTreeSet;
use std::path::Path;

use xtask::samples::SAMPLES;
use xtask::workspace::Workspace;

/// Names in the first column of a table like "| `NAME.png` | ... |".
fn listed(text: &str) -> BTreeSet<String> {
    let name = |line: &str| Some(line.strip_prefix("| `")?.split_once("` |")?.0.to_owned());
    text.lines().filter_map(name).collect()
}

/// Files named in Markdown as `images/NAME.png`.
fn referred(text: &str) -> BTreeSet<String> {
    let after = text.split("images/").skip(1);
    let name = |after: &str| Some(format!("{}.png", after.split_once(".png")?.0));
    after.filter_map(name).filter(|name| !name.contains(['/', ' ', '\n', ')'])).collect()
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Every picture has a row that says who makes it, every row has a picture, and every picture is shown somewhere.
#[test]
fn every_picture_has_its_maker_and_its_place() {
    let ws = Workspace::find();
    let folder = ws.root.join("docs/images");
    let names = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let files: BTreeSet<String> = names.filter(|name| name.ends_with(".png")).collect();
    let listed = listed(&read(&folder.join("README.md")));
    assert_eq!(files, listed, "files in docs/images, and rows of its README.md");
    for sample in SAMPLES {
        assert!(listed.contains(&format!("{}.png", sample.name)), "{sample} has no picture");
    }
    let docs = std::fs::read_dir(ws.root.join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let pages = docs.filter(|path| path.extension().is_some_and(|ext| ext == "md"));
    let shown: BTreeSet<String> =
        pages.chain([ws.root.join("README.md")]).flat_map(|page| referred(&read(&page))).collect();
    assert_eq!(shown, files, "what pages show, and files in docs/images");
}

#[test]
fn rows_and_pictures_are_found() {
    let table = "| picture | shows |\n|---|---|\n| `a.png` | one |\n| `b.png` | two |\nno row\n";
    assert_eq!(listed(table).into_iter().collect::<Vec<_>>(), ["a.png", "b.png"]);
    let text = "![a](images/a.png) | ![b](docs/images/b.png) see images/README.md and (images/ x.png)";
    assert_eq!(referred(text).into_iter().collect::<Vec<_>>(), ["a.png", "b.png"]);
}
