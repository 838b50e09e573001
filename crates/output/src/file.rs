//! A file on its way to its name.

use std::ffi::OsString;
use std::fs::{File, Permissions};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use tempfile::TempPath;

/// A file that is being written. It gets its name with [`Output::finish`]; dropped before, it is gone.
#[derive(Debug)]
pub struct Output {
    out: BufWriter<File>,
    part: Part,
    target: PathBuf,
    /// Of the file that is replaced.
    permissions: Option<Permissions>,
}

/// What the file is called until it is whole.
#[derive(Debug)]
enum Part {
    /// What it will be called: it is a pipe or a device, which nothing can be put in place of.
    Whole,
    /// Nothing.
    #[cfg(target_os = "linux")]
    Unnamed,
    /// A name of its own.
    Named(TempPath),
    /// The name of [`part_of`], which stays if it does not become whole.
    Kept(PathBuf),
}

/// What a file is called that is kept in part until it is whole, see [`Output::create_kept`].
#[must_use]
pub fn part_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".part");
    name.into()
}

/// The folder that a file is in, by its name alone.
#[must_use]
pub fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Writes a file, whole or not at all.
///
/// # Errors
/// It cannot be written; what was there before is as it was.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut out = Output::create(path)?;
    out.write_all(bytes)?;
    out.finish()
}

impl Output {
    /// Starts to write a file. One that is there stays as it is until the new one is whole; of a link, what it leads to is replaced.
    ///
    /// # Errors
    /// Nothing can be written at that place.
    pub fn create(path: &Path) -> io::Result<Self> {
        Self::start(path, |folder, name| {
            #[cfg(target_os = "linux")]
            if let Some(file) = unnamed(folder) {
                return Ok((file, Part::Unnamed));
            }
            let (file, part) = named(folder, name)?;
            Ok((file, Part::Named(part)))
        })
    }

    /// The same for a file that is worth something in part, too: until it is whole, it is called [`part_of`] its name, and under that
    /// it stays if it is not finished, or if its process is killed.
    ///
    /// # Errors
    /// As [`Output::create`].
    pub fn create_kept(path: &Path) -> io::Result<Self> {
        Self::start(path, |folder, name| {
            let part = folder.join(part_of(name.as_ref()));
            Ok((File::create(&part)?, Part::Kept(part)))
        })
    }

    fn start(path: &Path, make: impl FnOnce(&Path, &OsString) -> io::Result<(File, Part)>) -> io::Result<Self> {
        // What a link leads to; of one that leads nowhere yet, the link's own target is what the system would make.
        let target = match path.canonicalize() {
            Ok(target) => target,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                std::fs::read_link(path).map_or_else(|_| path.to_owned(), |to| path.with_file_name(to))
            }
            Err(error) => return Err(error),
        };
        let mut permissions = None;
        if let Ok(there) = target.metadata() {
            // Says, too, whether it may be written at all: to put another in its place takes only the folder's permission.
            let file = File::options().write(true).open(&target)?;
            if !there.is_file() {
                return Ok(Self { out: BufWriter::new(file), part: Part::Whole, target, permissions });
            }
            permissions = Some(there.permissions());
        }
        let name = target.file_name().ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
        let folder = folder_of(&target);
        let (file, part) = make(folder, &name.to_owned())?;
        Ok(Self { out: BufWriter::new(file), part, target, permissions })
    }

    /// Everything has been written: the file gets its name.
    ///
    /// # Errors
    /// Something could not be written; what was there before is as it was.
    pub fn finish(mut self) -> io::Result<()> {
        self.out.flush()?;
        let file = self.out.get_ref();
        if matches!(self.part, Part::Whole) {
            return Ok(());
        }
        if let Some(permissions) = self.permissions.take() {
            file.set_permissions(permissions)?;
        }
        // Some systems say only here that there is no room.
        file.sync_data()?;
        match self.part {
            Part::Whole => Ok(()),
            #[cfg(target_os = "linux")]
            Part::Unnamed => link(file, &self.target),
            Part::Named(part) => Ok(part.persist(&self.target)?),
            Part::Kept(part) => std::fs::rename(part, &self.target),
        }
    }

    /// Nothing comes of the file: what was kept of it goes, too.
    pub fn discard(self) {
        if let Part::Kept(part) = &self.part {
            // It may be gone already.
            let _gone = std::fs::remove_file(part);
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Seek for Output {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.out.seek(to)
    }
}

/// A file beside the target with a name that nobody has.
fn named(folder: &Path, name: &OsString) -> io::Result<(File, TempPath)> {
    let mut prefix = OsString::from(".");
    prefix.push(name);
    prefix.push(".");
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).suffix(".part");
    // As any file that is made: what the user's mask leaves of it.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    Ok(builder.tempfile_in(folder)?.into_parts())
}

/// Where a file without a name can be found to be given one.
#[cfg(target_os = "linux")]
const OPEN_FILES: &str = "/proc/self/fd";

/// A file without a name, where the system and the folder's file system have such.
#[cfg(target_os = "linux")]
fn unnamed(folder: &Path) -> Option<File> {
    use rustix::fs::{Mode, OFlags, open};
    if !Path::new(OPEN_FILES).is_dir() {
        return None;
    }
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    Some(File::from(open(folder, flags, Mode::from_raw_mode(0o666)).ok()?))
}

/// Gives a file without a name that of the target, by way of another if there is a file there already.
#[cfg(target_os = "linux")]
fn link(file: &File, target: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    use std::os::fd::AsRawFd;
    use std::sync::atomic::{AtomicU32, Ordering};
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let from = format!("{OPEN_FILES}/{}", file.as_raw_fd());
    let named = |name: &Path| linkat(CWD, from.as_str(), CWD, name, AtFlags::SYMLINK_FOLLOW);
    match named(target) {
        Err(rustix::io::Errno::EXIST) => {}
        result => return Ok(result?),
    }
    let name = target.file_name().unwrap_or_default();
    let mut part = OsString::from(".");
    part.push(name);
    part.push(format!(".{}-{}.part", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed)));
    let part = target.with_file_name(part);
    match named(&part) {
        // Left by a process of the same number that was killed at this very place.
        Err(rustix::io::Errno::EXIST) => {
            std::fs::remove_file(&part)?;
            named(&part)?;
        }
        result => result?,
    }
    let part = TempPath::try_from_path(part)?;
    Ok(part.persist(target)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> =
            std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_there_when_it_is_whole() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("a.txt");
        for text in ["new", "put in the place of the new one"] {
            let before = std::fs::read(&path).ok();
            let mut out = Output::create(&path).unwrap();
            out.write_all(text.as_bytes()).unwrap();
            out.flush().unwrap();
            assert_eq!(std::fs::read(&path).ok(), before);
            out.finish().unwrap();
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
        let mut out = Output::create(&path).unwrap();
        out.write_all(b"nothing comes of this").unwrap();
        drop(out);
        assert_eq!((names(temp.path()), std::fs::read(&path).unwrap().len()), (vec!["a.txt".to_owned()], 31));
    }

    #[test]
    fn names_of_their_own_work_where_files_without_names_do_not() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("a");
        std::fs::write(&path, "old").unwrap();
        let make =
            || Output::start(&path, |folder, name| named(folder, name).map(|(file, part)| (file, Part::Named(part))));
        let mut out = make().unwrap();
        out.write_all(b"new").unwrap();
        assert_eq!(names(temp.path()).len(), 2);
        out.finish().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"new");
        drop(make().unwrap());
        assert_eq!(names(temp.path()), ["a"]);
    }

    #[test]
    fn what_is_worth_something_in_part_is_kept() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("a.aftercap");
        let make = || {
            let mut out = Output::create_kept(&path).unwrap();
            out.write_all(b"part").unwrap();
            out
        };
        drop(make());
        assert_eq!(names(temp.path()), ["a.aftercap.part"]);
        assert_eq!(std::fs::read(part_of(&path)).unwrap(), b"part");
        make().finish().unwrap();
        assert_eq!(names(temp.path()), ["a.aftercap"]);
        make().discard();
        assert_eq!(names(temp.path()), ["a.aftercap"]);
    }

    #[cfg(unix)]
    #[test]
    fn links_stay_and_so_do_permissions() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let temp = tempfile::tempdir().unwrap();
        let [folder, real, link, dangling] = ["d", "d/real", "link", "dangling"].map(|name| temp.path().join(name));
        std::fs::create_dir(folder).unwrap();
        std::fs::write(&real, "old").unwrap();
        std::fs::set_permissions(&real, Permissions::from_mode(0o640)).unwrap();
        symlink("d/real", &link).unwrap();
        symlink("d/made", &dangling).unwrap();
        write(&link, b"new").unwrap();
        write(&dangling, b"made").unwrap();
        assert!(link.is_symlink() && dangling.is_symlink());
        assert_eq!(std::fs::read(&real).unwrap(), b"new");
        assert_eq!(std::fs::read(temp.path().join("d/made")).unwrap(), b"made");
        assert_eq!(real.metadata().unwrap().permissions().mode() & 0o777, 0o640);
        // A new one is as any that is made here.
        let plain = temp.path().join("plain");
        File::create(&plain).unwrap();
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode();
        assert_eq!(mode(&temp.path().join("d/made")), mode(&plain));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_device_is_written_to_and_says_when_it_is_full() {
        write(Path::new("/dev/null"), b"text").unwrap();
        let full = write(Path::new("/dev/full"), b"text").unwrap_err();
        assert_eq!(full.kind(), io::ErrorKind::StorageFull);
    }

    #[test]
    fn where_nothing_can_be_written_it_is_said_at_once() {
        let temp = tempfile::tempdir().unwrap();
        assert!(Output::create(&temp.path().join("no such folder/file")).is_err());
        assert!(Output::create(temp.path()).is_err(), "it is a folder");
        assert!(Output::create(Path::new("/")).is_err());
    }
}
