//! Files of a cache directory: written whole, and pruned by use.
//!
//! A cache directory holds what can be made again, so trouble with it costs time and nothing else. Several processes may
//! use one at the same time: files appear by being renamed into their place, and one that vanishes is a miss.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// A file is marked as used at most this often: marking is a write.
const MARK_AFTER: Duration = Duration::from_secs(24 * 60 * 60);
/// A file being written that is older was left by a process that died.
const ABANDONED_AFTER: Duration = Duration::from_secs(60 * 60);
/// How files that are being written begin.
const BEING_WRITTEN: &str = ".new-";
/// How every file of a cache ends.
const EXTENSION: &str = "bin";

/// Writes a file whole: beside its place, then renamed into it.
///
/// # Errors
/// Where the directory cannot be made or written.
pub fn write(path: &Path, parts: &[&[u8]]) -> io::Result<()> {
    let dir = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(dir)?;
    let mut file = tempfile::Builder::new().prefix(BEING_WRITTEN).tempfile_in(dir)?;
    for part in parts {
        file.write_all(part)?;
    }
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Notes that a file was of use, for [`prune`].
pub fn mark_used(file: &std::fs::File) {
    let now = SystemTime::now();
    let old = file.metadata().and_then(|data| data.modified()).is_ok_and(|time| age(now, time) > MARK_AFTER);
    if old {
        // A file of somebody else's that may only be read cannot be marked, and its owner prunes it.
        let _marked = file.set_modified(now);
    }
}

/// What [`prune`] found and did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    /// Bytes of the files that stay.
    pub bytes: u64,
    /// Files that stay.
    pub files: u64,
    /// Files that were deleted.
    pub deleted: u64,
}

/// Brings the files of a cache directory and of `subdirectories` in it down to nine tenths of `limit` bytes if they are
/// more than that: those unused for longest go first. Only files named as caches name theirs are looked at.
pub fn prune(dir: &Path, subdirectories: &[&str], limit: u64) -> Pruned {
    let now = SystemTime::now();
    let mut found: Vec<(Duration, u64, PathBuf)> = Vec::new();
    let mut pruned = Pruned::default();
    let dirs = std::iter::once(dir.to_owned()).chain(subdirectories.iter().map(|name| dir.join(name)));
    for entry in dirs.filter_map(|dir| std::fs::read_dir(dir).ok()).flatten().flatten() {
        let path = entry.path();
        let Ok(data) = entry.metadata() else { continue };
        let unused = data.modified().map_or(Duration::ZERO, |time| age(now, time));
        if !data.is_file() {
            continue;
        }
        if entry.file_name().to_string_lossy().starts_with(BEING_WRITTEN) {
            if unused > ABANDONED_AFTER {
                pruned.deleted += u64::from(std::fs::remove_file(&path).is_ok());
            }
        } else if path.extension().is_some_and(|extension| extension == EXTENSION) {
            pruned.bytes += data.len();
            pruned.files += 1;
            found.push((unused, data.len(), path));
        }
    }
    if pruned.bytes <= limit {
        return pruned;
    }
    found.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.2.cmp(&b.2)));
    for (_, bytes, path) in found {
        if pruned.bytes <= limit / 10 * 9 {
            break;
        }
        // Another process may have been first; either way the file is gone.
        let _removed = std::fs::remove_file(&path);
        pruned.bytes -= bytes;
        pruned.files -= 1;
        pruned.deleted += 1;
    }
    pruned
}

/// Brings the files of a cache directory whose names begin with `prefix` down to `most`: those unused for longest go first.
pub fn prune_kind(dir: &Path, prefix: &str, most: usize) {
    let now = SystemTime::now();
    let mut found: Vec<(Duration, PathBuf)> = Vec::new();
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let (name, path) = (entry.file_name(), entry.path());
        let ours = name.to_string_lossy().starts_with(prefix) && path.extension().is_some_and(|e| e == EXTENSION);
        if let Some(data) = entry.metadata().ok().filter(|data| ours && data.is_file()) {
            found.push((data.modified().map_or(Duration::ZERO, |time| age(now, time)), path));
        }
    }
    found.sort();
    for (_, path) in found.get(most..).unwrap_or_default() {
        // Another process may have been first; either way the file is gone.
        let _removed = std::fs::remove_file(path);
    }
}

fn age(now: SystemTime, time: SystemTime) -> Duration {
    now.duration_since(time).unwrap_or(Duration::ZERO)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(path: &Path, bytes: usize, hours_ago: u64) {
        write(path, &[&vec![7; bytes]]).expect("write");
        let file = std::fs::File::options().write(true).open(path).expect("open");
        file.set_modified(SystemTime::now() - Duration::from_secs(hours_ago * 60 * 60)).expect("time");
    }

    #[test]
    fn what_was_unused_for_longest_goes() {
        let dir = tempfile::tempdir().expect("temporary directory");
        let file = |name: &str| dir.path().join(name);
        put(&file("shaders/old.bin"), 100, 300);
        put(&file("new.bin"), 100, 1);
        put(&file("shaders/older.bin"), 100, 400);
        put(&file("middle.bin"), 100, 200);
        put(&file(".new-left"), 10, 2);
        put(&file("letter.txt"), 1000, 1000);
        let all = prune(dir.path(), &["shaders"], 400);
        assert_eq!(all, Pruned { bytes: 400, files: 4, deleted: 1 }, "only what a dead process left");
        // Looking at a file makes it new.
        mark_used(&std::fs::File::open(file("shaders/older.bin")).expect("open"));
        let pruned = prune(dir.path(), &["shaders"], 230);
        assert_eq!(pruned, Pruned { bytes: 200, files: 2, deleted: 2 });
        let left = ["shaders/older.bin", "new.bin", "letter.txt"].map(|name| file(name).exists());
        assert_eq!(left, [true; 3]);
    }

    #[test]
    fn of_one_kind_there_is_no_more_than_wanted() {
        let dir = tempfile::tempdir().expect("temporary directory");
        let file = |name: &str| dir.path().join(name);
        put(&file("pipelines-a.bin"), 1, 900);
        put(&file("known-letter.txt"), 1, 900);
        for (name, hours) in [("known-c.bin", 3), ("known-a.bin", 800), ("known-d.bin", 0), ("known-b.bin", 40)] {
            put(&file(name), 1, hours);
        }
        let names = || {
            let entries = std::fs::read_dir(dir.path()).expect("directory").flatten();
            let mut names: Vec<_> = entries.map(|entry| entry.file_name().into_string().expect("text")).collect();
            names.sort();
            names
        };
        prune_kind(dir.path(), "known-", 4);
        assert_eq!(names().len(), 6);
        prune_kind(dir.path(), "known-", 2);
        assert_eq!(names(), ["known-c.bin", "known-d.bin", "known-letter.txt", "pipelines-a.bin"]);
        prune_kind(&file("nowhere"), "known-", 2);
    }

    #[test]
    fn writers_at_the_same_time_leave_one_whole_file() {
        let dir = tempfile::tempdir().expect("temporary directory");
        let path = dir.path().join("a.bin");
        std::thread::scope(|scope| {
            for value in 0..8u8 {
                let path = &path;
                scope.spawn(move || {
                    for _ in 0..20 {
                        write(path, &[&[value; 1000], &[value; 1000]]).expect("write");
                        prune(path.parent().expect("parent"), &[], 1 << 20);
                        let read = std::fs::read(path).expect("read");
                        assert_eq!(read.len(), 2000);
                        assert!(read.iter().all(|byte| *byte == read[0]), "parts of two files");
                    }
                });
            }
        });
        assert_eq!(std::fs::read_dir(dir.path()).expect("directory").count(), 1);
    }
}
