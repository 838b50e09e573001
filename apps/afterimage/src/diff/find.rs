//! Which picture belongs to which golden one.

use crate::Failure;
use std::fs;
use std::path::{Path, PathBuf};

/// A golden picture and where its counterpart should be.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Pair {
    /// The golden picture's place in its folder, without the extension and with `/`.
    pub(super) name: String,
    pub(super) golden: PathBuf,
    pub(super) picture: PathBuf,
}

/// What there is to compare.
#[derive(Debug)]
pub(super) struct Found {
    /// By name.
    pub(super) pairs: Vec<Pair>,
    /// Pictures without a golden one.
    pub(super) extra: usize,
}

/// The pairs of two files, of two folders, or of a file and the folder that its counterpart is in.
pub(super) fn pairs(golden: &Path, picture: &Path) -> Result<Found, Failure> {
    if golden.is_dir() {
        if !picture.is_dir() {
            let what = if picture.exists() { "is no folder" } else { "does not exist" };
            return Err(Failure::new(format!("{} is a folder, but {} {what}", golden.display(), picture.display())));
        }
        let goldens = pictures_in(golden)?;
        if goldens.is_empty() {
            return Err(Failure::new(format!("{} holds no PNG files", golden.display())));
        }
        let extra = pictures_in(picture)?.iter().filter(|place| goldens.binary_search(place).is_err()).count();
        let pairs = goldens.iter().map(|place| pair(place, golden.join(place), picture.join(place))).collect();
        return Ok(Found { pairs, extra });
    }
    if !golden.exists() {
        return Err(Failure::new(format!("{} does not exist", golden.display())));
    }
    let place = Path::new(golden.file_name().unwrap_or_default());
    let picture = if picture.is_dir() { picture.join(place) } else { picture.to_owned() };
    Ok(Found { pairs: vec![pair(place, golden.to_owned(), picture)], extra: 0 })
}

fn pair(place: &Path, golden: PathBuf, picture: PathBuf) -> Pair {
    let place = place.with_extension("");
    let parts: Vec<_> = place.components().map(|part| part.as_os_str().to_string_lossy()).collect();
    Pair { name: parts.join("/"), golden, picture }
}

/// The places of all PNG files in a folder and those in it, sorted. Links to folders are not followed, so this ends.
fn pictures_in(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(inside) = folders.pop() {
        let path = folder.join(&inside);
        let unreadable = |error| Failure::file("cannot read", &path, error);
        for entry in fs::read_dir(&path).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            let place = inside.join(entry.file_name());
            if entry.file_type().map_err(unreadable)?.is_dir() {
                folders.push(place);
            } else if place.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("png")) {
                found.push(place);
            }
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::pairs;
    use std::fs;
    use std::path::Path;

    fn touch(folder: &Path, places: &[&str]) {
        for place in places {
            let path = folder.join(place);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, "").expect("a file");
        }
    }

    #[test]
    fn folders_are_paired_by_place() {
        let temp = tempfile::tempdir().expect("a folder");
        let (golden, picture) = (temp.path().join("golden"), temp.path().join("picture"));
        touch(&golden, &["B/x_1.5.png", "A/y.png", "index.json", "A/deep/z.PNG"]);
        touch(&picture, &["A/y.png", "A/more.png", "notes.txt"]);
        let found = pairs(&golden, &picture).expect("two folders");
        let names: Vec<_> = found.pairs.iter().map(|pair| pair.name.as_str()).collect();
        assert_eq!(names, ["A/deep/z", "A/y", "B/x_1.5"]);
        assert_eq!(found.pairs[1].picture, picture.join("A/y.png"));
        assert_eq!(found.extra, 1);
    }

    #[test]
    fn a_file_is_paired_with_a_file_or_looked_for_in_a_folder() {
        let temp = tempfile::tempdir().expect("a folder");
        touch(temp.path(), &["g.png", "in/g.png"]);
        let golden = temp.path().join("g.png");
        let to = |place: &str| pairs(&golden, &temp.path().join(place)).expect("a file").pairs.remove(0).picture;
        assert_eq!(to("other.png"), temp.path().join("other.png"));
        assert_eq!(to("in"), temp.path().join("in/g.png"));
    }

    #[test]
    fn what_cannot_be_paired_says_so() {
        let temp = tempfile::tempdir().expect("a folder");
        touch(temp.path(), &["empty/no.txt", "file.png"]);
        let error = |golden: &str, picture: &str| {
            pairs(&temp.path().join(golden), &temp.path().join(picture)).expect_err("nothing to compare").to_string()
        };
        assert!(error("nowhere", "empty").ends_with("nowhere does not exist"));
        assert!(error("empty", "empty").ends_with("empty holds no PNG files"));
        assert!(error("empty", "file.png").ends_with("file.png is no folder"));
        assert!(error("empty", "nowhere").ends_with("nowhere does not exist"));
    }
}
