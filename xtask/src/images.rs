//! The pictures in docs/images: what makes them, and whether they are what is drawn today.

use std::path::PathBuf;

use crate::build::{self, Profile};
use crate::matrix::{self, Row, Way};
use crate::picture::Picture;
use crate::setup;
use crate::step::{Failure, Result};
use crate::wine::Wine;
use crate::workspace::Workspace;

/// A pixel is the same if no channel differs by more: drivers round and rasterise edges each in its own way.
const LEVELS: u8 = 8;
/// The part of a picture's pixels that must be the same.
const SAME: f64 = 0.99;

/// Where they lie.
fn folder(ws: &Workspace) -> PathBuf {
    ws.root.join("docs/images")
}

/// Runs the samples natively and writes their pictures.
///
/// # Errors
/// When something does not build or run.
pub(crate) fn bless(ws: &Workspace) -> Result {
    let machine = setup::ensure(ws, &setup::Args { native_only: true, check: false })?;
    let tree = build::tree(ws, &machine, Profile::Dev)?;
    let wine = Wine::start(ws, &machine, &tree)?;
    let rows = matrix::natively(ws, &tree, &wine, &ws.target.join("images"))?;
    for row in rows.iter().filter(|row| row.way == Way::Native) {
        let Some(poster) = row.poster() else {
            return Err(Failure::new("writing docs/images", format!("{} drew nothing", row.program)));
        };
        Picture::read(poster)?.write(&folder(ws).join(format!("{}.png", row.program)))?;
    }
    Ok(())
}

/// Whether each sample's picture in docs/images is what its native run drew.
///
/// # Errors
/// When one is not there, or is not.
pub(crate) fn check(ws: &Workspace, rows: &[Row]) -> Result {
    let mut wrong = Vec::new();
    let native = rows.iter().filter(|row| row.way == Way::Native);
    for (row, drawn) in native.filter_map(|row| Some((row, row.poster()?))) {
        let file = folder(ws).join(format!("{}.png", row.program));
        if !file.is_file() {
            wrong.push(format!("{} is not there", file.display()));
            continue;
        }
        match Picture::read(&file)?.compare(&Picture::read(drawn)?, LEVELS) {
            None => wrong.push(format!("{} has another size than {}", file.display(), drawn.display())),
            Some((_, same, _)) if same < SAME => wrong.push(format!(
                "{} is not {}: {:.2} % of its pixels are within {LEVELS} levels",
                file.display(),
                drawn.display(),
                same * 100.0
            )),
            Some(_) => {}
        }
    }
    if wrong.is_empty() {
        return Ok(());
    }
    Err(Failure::new("looking at the pictures in docs/images", wrong.join("\n"))
        .advise("`cargo xtask bless` writes them anew; look at them before you commit them"))
}

/// Names in the first column of a table like "| `NAME.png` | ... |".
#[cfg(test)]
fn listed(text: &str) -> std::collections::BTreeSet<String> {
    let name = |line: &str| Some(line.strip_prefix("| `")?.split_once("` |")?.0.to_owned());
    text.lines().filter_map(name).collect()
}

/// Files named in Markdown as `images/NAME.png`.
#[cfg(test)]
fn referred(text: &str) -> std::collections::BTreeSet<String> {
    let after = text.split("images/").skip(1);
    let name = |after: &str| Some(format!("{}.png", after.split_once(".png")?.0));
    after.filter_map(name).filter(|name| !name.contains(['/', ' ', '\n', ')'])).collect()
}

/// Pixels of a line of the sheet of the PlayStation 4's scenes.
#[cfg(test)]
const SHEET: usize = 1024;

#[cfg(test)]
mod tests {
    use super::{SHEET, folder, listed, referred};
    use crate::matrix::{Kind, PROGRAMS};
    use crate::picture::{self, Picture};
    use crate::workspace::Workspace;
    use std::collections::BTreeSet;
    use std::path::Path;

    fn read(path: &Path) -> String {
        std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// Every picture has a row that says who makes it, every row has a picture, and every picture is shown somewhere.
    #[test]
    fn every_picture_has_its_maker_and_its_place() {
        let ws = Workspace::find();
        let files: BTreeSet<String> = picture::in_folder(&folder(&ws))
            .iter()
            .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
            .collect();
        let listed = listed(&read(&folder(&ws).join("README.md")));
        assert_eq!(files, listed, "files in docs/images, and rows of its README.md");
        let programs = PROGRAMS.iter().filter(|program| !matches!(program.kind, Kind::WindowsOnly(_)));
        for program in programs {
            assert!(listed.contains(&format!("{}.png", program.name)), "{} has no picture", program.name);
        }
        let docs = std::fs::read_dir(ws.root.join("docs")).unwrap().map(|entry| entry.unwrap().path());
        let pages = docs.filter(|path| path.extension().is_some_and(|ext| ext == "md"));
        let shown: BTreeSet<String> =
            pages.chain([ws.root.join("README.md")]).flat_map(|page| referred(&read(&page))).collect();
        assert_eq!(shown, files, "what pages show, and files in docs/images");
    }

    /// `AFTERIMAGE_BLESS=1` writes it. That the golden pictures are what is drawn is for the tests of `afterimage-gnm`.
    #[test]
    fn the_sheet_of_scenes_is_made_of_their_golden_pictures() {
        let ws = Workspace::find();
        let goldens = picture::in_folder(&ws.root.join("crates/gnm/tests/scenes/pictures"));
        let mut goldens: Vec<Picture> = goldens.iter().map(|path| Picture::read(path).unwrap()).collect();
        // Lines of pictures that are as high as each other leave no holes.
        goldens.sort_by_key(|picture| std::cmp::Reverse(picture.size()));
        let sheet = Picture::sheet(&goldens, SHEET);
        let file = folder(&ws).join("gnm.png");
        if std::env::var_os("AFTERIMAGE_BLESS").is_some_and(|value| value == "1") {
            sheet.write(&file).unwrap();
        }
        let difference = Picture::read(&file).unwrap().difference(&sheet);
        assert!(difference.is_none(), "{}: {difference:?}; cargo xtask bless writes it", file.display());
    }

    #[test]
    fn rows_and_pictures_are_found() {
        let table = "| picture | shows |\n|---|---|\n| `a.png` | one |\n| `b.png` | two |\nno row\n";
        assert_eq!(listed(table).into_iter().collect::<Vec<_>>(), ["a.png", "b.png"]);
        let text = "![a](images/a.png) | ![b](docs/images/b.png) see images/README.md and (images/ x.png)";
        assert_eq!(referred(text).into_iter().collect::<Vec<_>>(), ["a.png", "b.png"]);
    }
}
