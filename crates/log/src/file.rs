//! A log's file: what the last run wrote is kept beside it, and it does not grow without end.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Most bytes of a file: of what a log is made of by default there is much less, but `log = trace` has no end.
const MOST: u64 = 16 << 20;

/// A file that lines are written to.
#[derive(Debug)]
pub struct LogFile {
    file: File,
    room: u64,
}

/// Where what was in a log's file is kept.
#[must_use]
pub fn kept(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(".1");
    name.into()
}

impl LogFile {
    /// Makes the file anew. What was in it is under [`kept`] then; what was there goes.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn create(path: &Path) -> io::Result<Self> {
        // A device or a pipe stays what it is.
        if path.symlink_metadata().is_ok_and(|about| about.is_file() && about.len() > 0) {
            // Where the folder does not let us, the old one is written over.
            let _lost = std::fs::rename(path, kept(path));
        }
        Ok(Self { file: File::create(path)?, room: MOST })
    }
}

impl Write for LogFile {
    /// Whole or not at all: behind the last that has room stands that it is the last.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.room == 0 {
            return Ok(bytes.len());
        }
        match self.room.checked_sub(bytes.len() as u64).filter(|room| *room > 0) {
            Some(room) => {
                self.file.write_all(bytes)?;
                self.room = room;
            }
            None => {
                self.room = 0;
                writeln!(self.file, " WARN log: the file has {} MiB; nothing more is written to it", MOST >> 20)?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_run_s_log_is_kept_and_the_one_before_goes() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("game.log");
        for run in ["one", "two", "three"] {
            LogFile::create(&path).unwrap().write_all(run.as_bytes()).unwrap();
        }
        let read = |path: &Path| std::fs::read_to_string(path).unwrap();
        assert_eq!((read(&path).as_str(), read(&kept(&path)).as_str()), ("three", "two"));
        // A run that said nothing takes nothing away.
        LogFile::create(&path).unwrap();
        LogFile::create(&path).unwrap();
        assert_eq!((read(&path).as_str(), read(&kept(&path)).as_str()), ("", "three"));
        assert_eq!(std::fs::read_dir(temp.path()).unwrap().count(), 2);
    }

    #[test]
    fn a_file_has_an_end() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("game.log");
        let mut file = LogFile::create(&path).unwrap();
        let line = [b'x'; 1 << 16];
        for _ in 0..1000 {
            assert_eq!(file.write(&line).unwrap(), line.len(), "nobody is told");
        }
        let text = std::fs::read(&path).unwrap();
        assert!(text.len() as u64 <= MOST + 100, "{}", text.len());
        assert!(text.ends_with(b"nothing more is written to it\n"));
    }

    #[test]
    #[cfg(unix)]
    fn what_is_no_file_is_not_renamed() {
        LogFile::create(Path::new("/dev/null")).unwrap().write_all(b"x").unwrap();
        assert!(!kept(Path::new("/dev/null")).exists());
    }
}
