//! Whether two names are of one file.

use std::path::Path;

/// What tells a file or folder that is there from all others, whatever it is called.
#[cfg(unix)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FileId(u64, u64);

/// What tells a file or folder that is there from all others, as far as names tell.
#[cfg(not(unix))]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FileId(std::path::PathBuf);

impl FileId {
    /// Of what a path leads to, also through links of both kinds; `None` if there is nothing.
    #[must_use]
    pub fn of(path: &Path) -> Option<Self> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            path.metadata().ok().map(|data| Self(data.dev(), data.ino()))
        }
        #[cfg(not(unix))]
        path.canonicalize().ok().map(Self)
    }
}

/// Whether two paths lead to the same file or folder that is there.
#[must_use]
pub fn same_file(a: &Path, b: &Path) -> bool {
    FileId::of(a).is_some_and(|a| Some(a) == FileId::of(b))
}

#[cfg(test)]
mod tests {
    use super::same_file;

    #[cfg(unix)]
    #[test]
    fn links_and_spellings_are_seen_through() {
        let temp = tempfile::tempdir().unwrap();
        let at = |name: &str| temp.path().join(name);
        std::fs::create_dir(at("d")).unwrap();
        for name in ["a", "other"] {
            std::fs::write(at(name), "the same bytes").unwrap();
        }
        std::fs::hard_link(at("a"), at("hard")).unwrap();
        std::os::unix::fs::symlink(at("a"), at("d/soft")).unwrap();
        for name in ["a", "./a", "d/../a", "hard", "d/soft"] {
            assert!(same_file(&at("a"), &at(name)), "{name}");
        }
        for name in ["other", "missing", "d"] {
            assert!(!same_file(&at("a"), &at(name)), "{name}");
        }
        assert!(!same_file(&at("missing"), &at("missing")));
    }
}
