//! What was done to a prefix, as a file in it that people can read, too. A program of the prefix can write it: its paths are names that we
//! know, or it is refused.

use super::files::NAME;
use super::prefix::FOLDERS;
use crate::Failure;
use serde::{Deserialize, Serialize};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

/// What this file is called, in the prefix's folder.
const FILE: &str = "afterimage-install.json";
/// Version of the record.
const VERSION: u32 = 1;
/// A record is small.
const MOST: u64 = 1 << 20;

/// What was done.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Record {
    /// For whoever finds it.
    about: String,
    version: u32,
    /// Who wrote it last.
    written_by: String,
    /// Each library.
    pub(super) files: Vec<File>,
    /// The override.
    pub(super) registry: Override,
    /// Users who had a cache of ours before.
    pub(super) caches: Vec<String>,
}

/// A library's place.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    /// `system32` or `syswow64`.
    pub(super) folder: String,
    /// `d3d9.dll`, in whatever case.
    pub(super) name: String,
    /// What was there.
    pub(super) before: Found,
    /// Hashes of what was put there, the newest last.
    pub(super) ours: Vec<String>,
}

/// What is at a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub(super) enum Found {
    /// Nothing.
    Nothing,
    /// A file.
    File {
        /// Of its bytes: XXH3, 128 bit.
        hash: String,
    },
    /// A link.
    Link {
        /// What it leads to.
        to: String,
    },
}

/// The DLL override as it was.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Override {
    /// Whether there was a key for overrides.
    pub(super) key: bool,
    /// Its value for d3d9, if there was one.
    pub(super) value: Option<String>,
}

impl Default for Record {
    fn default() -> Self {
        Self {
            about: "Afterimage's d3d9.dll is installed in this Wine prefix. `afterimage uninstall` needs this file to take it out.".into(),
            version: VERSION,
            written_by: String::new(),
            files: Vec::new(),
            registry: Override::default(),
            caches: Vec::new(),
        }
    }
}

impl Record {
    /// Where a prefix has it.
    pub(super) fn place(prefix: &Path) -> PathBuf {
        prefix.join(FILE)
    }

    /// The record of a prefix, if it has one.
    pub(super) fn read(prefix: &Path) -> Result<Option<Self>, Failure> {
        let path = Self::place(prefix);
        let mut text = Vec::new();
        match std::fs::File::open(&path).and_then(|file| file.take(MOST).read_to_end(&mut text)) {
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Failure::file("reading", &path, error)),
        }
        let bad = |why: String| Failure::new(format!("{} is no record of an installation: {why}", path.display()));
        let value: serde_json::Value = serde_json::from_slice(&text).map_err(|error| bad(error.to_string()))?;
        match value.get("version").and_then(serde_json::Value::as_u64) {
            Some(version) if version > u64::from(VERSION) => {
                return Err(Failure::new(format!(
                    "{}: field version is {version}, and this Afterimage reads up to {VERSION}: use the one that installed it",
                    path.display()
                )));
            }
            Some(1..) => {}
            _ => return Err(bad("field version is missing".into())),
        }
        let record: Self = serde_json::from_value(value).map_err(|error| bad(error.to_string()))?;
        for (at, file) in record.files.iter().enumerate() {
            if !FOLDERS.contains(&&*file.folder) || record.files[..at].iter().any(|other| other.folder == file.folder) {
                return Err(bad(format!("files[{at}].folder is {:?}", file.folder)));
            }
            if !file.name.eq_ignore_ascii_case(NAME) {
                return Err(bad(format!("files[{at}].name is {:?}", file.name)));
            }
        }
        Ok(Some(record))
    }

    /// Writes it.
    pub(super) fn write(&mut self, prefix: &Path) -> Result<(), Failure> {
        self.written_by = format!("afterimage {}", env!("CARGO_PKG_VERSION"));
        // Of strings, lists and numbers.
        let text = serde_json::to_string_pretty(self).map_err(|error| Failure::new(error.to_string()))?;
        crate::outputs::write(&Self::place(prefix), &(text + "\n"))
    }

    /// Removes it.
    pub(super) fn remove(prefix: &Path) -> Result<(), Failure> {
        let path = Self::place(prefix);
        std::fs::remove_file(&path).map_err(|error| Failure::file("removing", &path, error))
    }
}
