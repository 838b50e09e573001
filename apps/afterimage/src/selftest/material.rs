//! The material: captures, pictures of what they draw, and an index that says what should be there.

use crate::diff::picture::Picture;
use crate::{Failure, files};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::Xxh3;

/// The index.
pub(super) const INDEX: &str = "index.json";
/// What an index of this kind has as its version.
pub(super) const VERSION: u32 = 1;
/// Bytes of an index at most.
const MOST: u64 = 4 << 20;

/// What is in a folder of material.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct Index {
    pub(super) version: u32,
    /// The program that drew the pictures.
    pub(super) made_by: String,
    /// On which device.
    pub(super) device: String,
    pub(super) captures: Vec<Entry>,
    /// Shaders that are compiled, and not run.
    #[serde(default)]
    pub(super) shaders: Vec<Corpus>,
}

/// A capture that draws nothing with many shaders.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct Corpus {
    pub(super) name: String,
    /// Whose shaders they are.
    pub(super) guest: String,
    #[serde(flatten)]
    pub(super) stored: Stored,
}

/// A capture.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct Entry {
    pub(super) name: String,
    /// Whose API it calls.
    pub(super) guest: String,
    #[serde(flatten)]
    pub(super) stored: Stored,
    pub(super) pictures: Vec<Shot>,
}

/// A picture of a frame.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct Shot {
    pub(super) frame: u64,
    #[serde(flatten)]
    pub(super) stored: Stored,
}

/// A file.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(super) struct Stored {
    pub(super) file: String,
    pub(super) bytes: u64,
    /// Its hash, as sixteen hexadecimal digits. Source: XXH3, 64 bits.
    pub(super) xxh3: String,
}

impl Stored {
    /// That of a file that is there.
    pub(super) fn of(folder: &Path, file: String) -> Result<Self, String> {
        let (bytes, xxh3) = digest(&folder.join(&file)).map_err(|error| format!("{file}: {error}"))?;
        Ok(Self { file, bytes, xxh3 })
    }

    /// The file, if it is what it was when the material was made.
    pub(super) fn check(&self, folder: &Path) -> Result<PathBuf, String> {
        let name = &self.file;
        let plain = Path::new(name).file_name().is_some_and(|last| last.to_str() == Some(name));
        if !plain {
            return Err(format!("{INDEX} names {name:?}, which is no name of a file"));
        }
        let path = folder.join(name);
        let (bytes, hash) = match path.metadata() {
            Ok(about) if about.len() != self.bytes => (about.len(), String::new()),
            _ => digest(&path).map_err(|error| format!("{name}: {error}"))?,
        };
        match (bytes == self.bytes, hash == self.xxh3) {
            (true, true) => Ok(path),
            (false, _) => Err(format!("{name} has {bytes} bytes instead of {}", self.bytes)),
            (true, false) => Err(format!("{name} is not what it was when it was made (its hash is {hash})")),
        }
    }
}

/// Bytes and hash of a file.
fn digest(path: &Path) -> std::io::Result<(u64, String)> {
    let (mut file, mut hasher, mut part, mut bytes) = (File::open(path)?, Xxh3::new(), vec![0; 1 << 16], 0);
    loop {
        match file.read(&mut part)? {
            0 => return Ok((bytes, format!("{:016x}", hasher.digest()))),
            count => {
                bytes += count as u64;
                hasher.update(&part[..count]);
            }
        }
    }
}

impl Shot {
    /// The picture.
    pub(super) fn read(&self, folder: &Path) -> Result<Picture, String> {
        Picture::read(&self.stored.check(folder)?)
    }
}

/// The folder of the material, and its index.
pub(super) fn open(named: Option<&Path>) -> Result<(PathBuf, Index), Failure> {
    let folder = match named {
        Some(folder) => folder.to_owned(),
        None => files::shared("selftest").map_err(|looked| {
            Failure::new(format!(
                "no material for the self-test in any of {}; releases have it in share/afterimage/selftest, `cargo xtask selftest` \
                 makes it, and --material FOLDER says where it is",
                looked.join(", ")
            ))
        })?,
    };
    let path = folder.join(INDEX);
    let unreadable = |why: String| {
        let advice =
            "--material names a folder that a release has in share/afterimage/selftest, or that --make has made";
        Failure::new(format!("the material cannot be read: {}: {why}; {advice}", path.display()))
    };
    let mut text = String::new();
    let opened = File::open(&path).and_then(|file| file.take(MOST).read_to_string(&mut text));
    opened.map_err(|error| unreadable(error.to_string()))?;
    let index: Index = serde_json::from_str(&text).map_err(|error| unreadable(format!("it is damaged: {error}")))?;
    if index.version != VERSION {
        return Err(unreadable(format!("it has version {}, and this program reads {VERSION}", index.version)));
    }
    if index.captures.is_empty() {
        return Err(unreadable("it names no capture".into()));
    }
    Ok((folder, index))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_what_they_were() {
        let temp = tempfile::tempdir().unwrap();
        let at = temp.path().join("a.png");
        std::fs::write(&at, "picture").unwrap();
        let stored = Stored::of(temp.path(), "a.png".into()).unwrap();
        assert_eq!(stored.check(temp.path()), Ok(at.clone()));
        std::fs::write(&at, "Picture").unwrap();
        assert!(stored.check(temp.path()).unwrap_err().contains("a.png is not what it was"));
        std::fs::write(&at, "pictures").unwrap();
        assert_eq!(stored.check(temp.path()).unwrap_err(), "a.png has 8 bytes instead of 7");
        std::fs::remove_file(&at).unwrap();
        assert!(stored.check(temp.path()).unwrap_err().starts_with("a.png: "));
        for file in ["../a.png", "/etc/passwd", "", "..", "a/b"] {
            let outside = Stored { file: file.into(), ..stored.clone() };
            assert!(outside.check(temp.path()).unwrap_err().contains("no name of a file"), "{file}");
        }
    }

    #[test]
    fn an_index_that_is_none_is_told_with_its_place() {
        let temp = tempfile::tempdir().unwrap();
        let said = |text: &str| {
            std::fs::write(temp.path().join(INDEX), text).unwrap();
            open(Some(temp.path())).map(drop).unwrap_err().to_string()
        };
        assert!(open(Some(temp.path())).unwrap_err().to_string().contains(&temp.path().display().to_string()));
        assert!(said("{").contains("damaged"));
        assert!(said(r#"{"version":2,"made_by":"","device":"","captures":[]}"#).contains("version 2"));
        assert!(said(r#"{"version":1,"made_by":"","device":"","captures":[]}"#).contains("no capture"));
    }
}
