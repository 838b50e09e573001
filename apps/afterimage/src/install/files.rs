//! A library in its place in a prefix, and what was there before, which is kept beside it: a name changes, so the file stays what it is,
//! to its time and its owner.

use super::prefix::{Place, Prefix};
use super::record::{File, Found, Record};
use crate::Failure;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::Xxh3;

/// The library's name.
pub(super) const NAME: &str = "d3d9.dll";
/// What is added to the name of what was there.
const KEPT: &str = ".before-afterimage";

/// A library's place.
#[derive(Debug)]
pub(super) struct Slot {
    /// One of `FOLDERS`.
    folder: String,
    name: String,
    path: PathBuf,
    kept: PathBuf,
}

/// What is at a place, against the record.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// What we put there.
    Ours,
    /// What was there before us.
    Before,
    /// Something else, in words.
    Changed(String),
}

impl Slot {
    /// In a folder of a prefix.
    pub(super) fn find(place: &Place) -> Result<Self, Failure> {
        Ok(Self::at(place.name, &place.path, &name_in(&place.path)?))
    }

    /// Of a record.
    pub(super) fn of(prefix: &Prefix, file: &File) -> Self {
        Self::at(&file.folder, &prefix.folder(&file.folder), &file.name)
    }

    fn at(folder: &str, path: &Path, name: &str) -> Self {
        let kept = path.join(format!("{name}{KEPT}"));
        Self { folder: folder.into(), name: name.into(), path: path.join(name), kept }
    }

    /// Its path, for a person.
    pub(super) fn said(&self) -> impl std::fmt::Display {
        self.path.display()
    }

    /// Notes what is there, if nobody did, and what will be put there; answers what somebody else has changed since.
    pub(super) fn enlist(&mut self, record: &mut Record, dll: &Path) -> Result<Option<String>, Failure> {
        let new = hash(dll).map_err(|error| Failure::file("reading", dll, error))?;
        let Some(file) = record.files.iter_mut().find(|file| file.folder == self.folder) else {
            if is_there(&self.kept) {
                return Err(Failure::new(format!(
                    "{} is left of an installation whose record is gone: put it back as {}, or move it away",
                    self.kept.display(),
                    self.name
                )));
            }
            let (folder, name) = (self.folder.clone(), self.name.clone());
            record.files.push(File { folder, name, before: self.look()?, ours: vec![new] });
            return Ok(None);
        };
        let folder = self.path.parent().unwrap_or(Path::new("/")).to_owned();
        *self = Self::at(&file.folder, &folder, &file.name);
        let standing = self.standing(file)?;
        file.ours.retain(|old| *old != new);
        file.ours.push(new);
        Ok(if let Standing::Changed(why) = standing { Some(why) } else { None })
    }

    /// What is there now.
    fn look(&self) -> Result<Found, Failure> {
        look(&self.path).map_err(|error| Failure::file("looking at", &self.path, error))
    }

    /// What is there, against what should be.
    pub(super) fn standing(&self, file: &File) -> Result<Standing, Failure> {
        let now = self.look()?;
        let lost = file.before != Found::Nothing && !is_there(&self.kept);
        let path = self.path.display();
        Ok(match &now {
            now if *now == file.before => Standing::Before,
            Found::File { hash } if file.ours.contains(hash) && lost => Standing::Changed(format!(
                "{path} is Afterimage's, but {}, which was there before it, is gone",
                self.kept.display()
            )),
            Found::File { hash } if file.ours.contains(hash) => Standing::Ours,
            Found::Nothing => Standing::Changed(format!("{path} is gone")),
            Found::File { .. } => Standing::Changed(format!("{path} is another file")),
            Found::Link { to } => Standing::Changed(format!("{path} is a link to {to}")),
        })
    }

    /// Puts a library there. What was there before us is kept.
    pub(super) fn put(&self, record: &Record, dll: &Path) -> Result<(), Failure> {
        let failed = |error| Failure::file("installing", &self.path, error);
        let bytes = std::fs::read(dll).map_err(|error| Failure::file("reading", dll, error))?;
        let before = record.files.iter().find(|file| file.folder == self.folder).map(|file| &file.before);
        if before.is_some_and(|before| *before != Found::Nothing)
            && !is_there(&self.kept)
            && Some(&self.look()?) == before
        {
            std::fs::rename(&self.path, &self.kept).map_err(failed)?;
        }
        // What a link leads to would be replaced in its place.
        if self.path.is_symlink() {
            std::fs::remove_file(&self.path).map_err(failed)?;
        }
        afterimage_output::write(&self.path, &bytes).map_err(failed)
    }

    /// What [`Slot::restore`] would do, for a person.
    pub(super) fn plan(&self, file: &File) -> String {
        match file.before {
            Found::Nothing => format!("remove {}", self.path.display()),
            _ => format!("put {} back as {}", self.kept.display(), self.name),
        }
    }

    /// Has there again what was there before us; answers what was done.
    pub(super) fn restore(&self, file: &File, standing: &Standing) -> Result<&'static str, Failure> {
        let failed = |error| Failure::file("restoring", &self.path, error);
        let ours = || self.look().map(|now| matches!(now, Found::File { hash } if file.ours.contains(&hash)));
        if file.before == Found::Nothing {
            if is_there(&self.path) {
                std::fs::remove_file(&self.path).map_err(failed)?;
            }
            return Ok("removed, as nothing was there before");
        }
        if is_there(&self.kept) {
            std::fs::rename(&self.kept, &self.path).map_err(failed)?;
            return Ok("what was there before is back");
        }
        if *standing == Standing::Before {
            return Ok("is what was there before");
        }
        if ours()? {
            std::fs::remove_file(&self.path).map_err(failed)?;
            return Ok("removed; what was there before is gone (`wineboot -u` puts Wine's own there)");
        }
        Ok("left as it is; what was there before is gone")
    }
}

/// The library's name in a folder, in whatever case it is there.
fn name_in(folder: &Path) -> Result<String, Failure> {
    if is_there(&folder.join(NAME)) {
        return Ok(NAME.into());
    }
    let entries = std::fs::read_dir(folder).map_err(|error| Failure::file("reading", folder, error))?;
    let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    Ok(names.into_iter().find(|name| name.eq_ignore_ascii_case(NAME)).unwrap_or_else(|| NAME.into()))
}

fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

fn look(path: &Path) -> io::Result<Found> {
    let about = match path.symlink_metadata() {
        Ok(about) => about,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Found::Nothing),
        Err(error) => return Err(error),
    };
    if about.is_symlink() {
        return Ok(Found::Link { to: std::fs::read_link(path)?.to_string_lossy().into_owned() });
    }
    if !about.is_file() {
        return Err(io::Error::other("it is neither a file nor a link"));
    }
    Ok(Found::File { hash: hash(path)? })
}

fn hash(path: &Path) -> io::Result<String> {
    let mut file = std::fs::File::open(path)?;
    let (mut hasher, mut buffer) = (Xxh3::new(), vec![0; 1 << 16]);
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(format!("{:032x}", hasher.digest128())),
            read => hasher.update(&buffer[..read]),
        }
    }
}
