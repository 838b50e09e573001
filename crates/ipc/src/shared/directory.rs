//! The private directory that shared files lie in, and their names.

use afterimage_config::{home, host_path};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::path::{Path, PathBuf};

/// Environment variable that names the directory.
pub const DIRECTORY_VARIABLE: &str = "AFTERIMAGE_DIR";

/// Ending of shared files.
pub(super) const ENDING: &str = "aft";

/// The directory both sides use: option `dir` (`$AFTERIMAGE_DIR`), else `$XDG_RUNTIME_DIR/afterimage`, else
/// `$HOME/.local/state/afterimage/run`. `None` if nothing says where. Under Wine variables hold Unix paths; the answer is a
/// path that Windows' functions take.
#[must_use]
pub fn directory() -> Option<PathBuf> {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    if let Some(path) = &afterimage_config::settings().dir {
        return Some(path.clone());
    }
    if let Some(path) = variable("XDG_RUNTIME_DIR") {
        return Some(host_path(&path).join("afterimage"));
    }
    Some(home(&variable)?.join(".local").join("state").join("afterimage").join("run"))
}

/// Makes the directory if it is not there and makes sure that it is ours alone.
///
/// # Errors
/// It cannot be made, or (on Unix) it belongs to somebody else or is no directory: then nothing in it can be trusted.
pub fn prepare(path: &Path) -> io::Result<()> {
    make(path)?;
    let about = std::fs::symlink_metadata(path)?;
    if !about.is_dir() {
        return Err(io::Error::new(io::ErrorKind::NotADirectory, format!("{} is not a directory", path.display())));
    }
    own(path, &about)
}

#[cfg(unix)]
fn make(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path)
}

#[cfg(unix)]
fn own(path: &Path, about: &std::fs::Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    // SAFETY: the function has no preconditions.
    let user = unsafe { libc::geteuid() };
    if about.uid() != user {
        return Err(io::Error::new(
            io::ErrorKind::PermissionDenied,
            format!("{} belongs to user {}, not to {user}: set {DIRECTORY_VARIABLE}", path.display(), about.uid()),
        ));
    }
    if about.mode() & 0o077 != 0 {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o700))?;
    }
    Ok(())
}

/// Under Wine the mode comes from the umask; `afterimage run` and the viewer, which see modes, tighten it.
#[cfg(not(unix))]
fn make(path: &Path) -> io::Result<()> {
    std::fs::create_dir_all(path)
}

#[cfg(not(unix))]
fn own(_: &Path, _: &std::fs::Metadata) -> io::Result<()> {
    Ok(())
}

/// A name that nobody can guess, starting with the program's.
pub(super) fn file_name(program: &str) -> String {
    let clean: String = program.chars().filter(|c| c.is_ascii_alphanumeric() || "._-".contains(*c)).take(64).collect();
    // Each state is keyed by the system's random numbers.
    let random = || RandomState::new().build_hasher().finish();
    format!("{clean}-{:016x}{:016x}.{ENDING}", random(), random())
}

/// Makes the file, readable by its owner alone where modes exist.
pub(super) fn create(path: &Path) -> io::Result<std::fs::File> {
    let mut options = std::fs::OpenOptions::new();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_differ_and_keep_nothing_harmful() {
        let name = file_name("../my game.exe");
        assert!(name.starts_with("..mygame.exe-") && name.ends_with(".aft"), "{name}");
        assert!(!name.contains('/'));
        assert_ne!(name, file_name("../my game.exe"));
    }

    #[cfg(unix)]
    #[test]
    fn an_open_directory_is_closed_and_a_link_refused() {
        use std::os::unix::fs::PermissionsExt;
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("a/b");
        prepare(&path).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        prepare(&path).unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o700);
        let link = temp.path().join("link");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        assert!(prepare(&link).is_err());
    }
}
