//! Files of a tree: listed in order, copied, and given the rights that they have in every release.

use std::path::{Path, PathBuf};

use xtask::build;
use xtask::step::{Context as _, Result};

/// All files of a folder by their paths in it, in order.
///
/// # Errors
/// When a folder cannot be read.
pub(crate) fn list(folder: &Path) -> Result<Vec<PathBuf>> {
    fn walk(folder: &Path, root: &Path, found: &mut Vec<PathBuf>) -> Result {
        for entry in std::fs::read_dir(folder).doing(format!("reading {}", folder.display()))? {
            let path = entry.doing(format!("reading {}", folder.display()))?.path();
            if path.is_dir() && !path.is_symlink() {
                walk(&path, root, found)?;
            } else {
                found.push(path.strip_prefix(root).unwrap_or(&path).to_owned());
            }
        }
        Ok(())
    }
    let mut found = Vec::new();
    walk(folder, folder, &mut found)?;
    found.sort();
    Ok(found)
}

/// Copies a file, or all files of a folder that `wanted` takes.
///
/// # Errors
/// When something cannot be read or written.
pub(crate) fn copy(from: &Path, to: &Path, wanted: &dyn Fn(&Path) -> bool) -> Result {
    if from.is_file() {
        return build::copy(from, to);
    }
    let files = list(from)?;
    files.iter().filter(|file| wanted(file)).try_for_each(|file| build::copy(&from.join(file), &to.join(file)))
}

/// Writes a file, making its folder.
///
/// # Errors
/// When it cannot be written.
pub(crate) fn write(path: &Path, text: impl AsRef<[u8]>) -> Result {
    let folder = path.parent().unwrap_or(path);
    std::fs::create_dir_all(folder).doing(format!("creating {}", folder.display()))?;
    std::fs::write(path, text).doing(format!("writing {}", path.display()))
}

/// An empty folder in place of what was there.
///
/// # Errors
/// When it cannot be made.
pub(crate) fn fresh(folder: &Path) -> Result {
    if folder.exists() {
        std::fs::remove_dir_all(folder).doing(format!("removing {}", folder.display()))?;
    }
    std::fs::create_dir_all(folder).doing(format!("creating {}", folder.display()))
}

/// Gives every file of a folder the rights of its kind, whatever they were where it came from: programs may be run, libraries and
/// all else not, as Debian has it.
///
/// # Errors
/// When the rights of something cannot be changed.
pub(crate) fn set_rights(folder: &Path, program: &dyn Fn(&Path) -> bool) -> Result {
    for file in list(folder)? {
        let path = folder.join(&file);
        for parent in path.ancestors().skip(1).take_while(|parent| parent.starts_with(folder)) {
            rights(parent, 0o755)?;
        }
        rights(&path, if program(&file) { 0o755 } else { 0o644 })?;
    }
    Ok(())
}

#[cfg(unix)]
fn rights(path: &Path, mode: u32) -> Result {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode))
        .doing(format!("setting the rights of {}", path.display()))
}

#[cfg(not(unix))]
fn rights(_: &Path, _: u32) -> Result {
    Ok(())
}

/// Bytes of a file.
pub(crate) fn size(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |meta| meta.len())
}
