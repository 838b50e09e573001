//! The pictures in docs/images: what makes them, and whether they are what is drawn today.

use std::path::PathBuf;

use xtask::build::{self, Profile};
use xtask::setup;
use xtask::step::{Failure, Result};
use xtask::workspace::Workspace;

use crate::matrix::{self, Row, Way};
use crate::picture::Picture;
use crate::wine::Wine;

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
    let machine = setup::ensure(ws, &setup::Args::native())?;
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

/// Pixels of a line of the sheet of the PlayStation 4's scenes.
#[cfg(test)]
const SHEET: usize = 1024;

#[cfg(test)]
mod tests {
    use super::{SHEET, folder};
    use crate::picture::{self, Picture};
    use xtask::workspace::Workspace;

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
}
