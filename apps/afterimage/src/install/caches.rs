//! Caches of shaders and pipelines, which programs of a prefix that draw in their own process make in their user's folder of it.

use super::prefix::Prefix;
use crate::Failure;
use std::path::{Path, PathBuf};

/// The way to it from a user's folder; nothing of it may be a link.
const WAY: [&str; 3] = ["AppData", "Local", "afterimage"];

fn is_folder(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|about| about.is_dir())
}

/// Users who have one, with its folder.
pub(super) fn of(prefix: &Prefix) -> Vec<(String, PathBuf)> {
    let users = prefix.root().join("drive_c/users");
    let entries = std::fs::read_dir(users).into_iter().flatten().flatten();
    let cache = |user: PathBuf| {
        let mut path = user;
        for part in WAY {
            if !is_folder(&path) {
                return None;
            }
            path.push(part);
        }
        is_folder(&path).then_some(path)
    };
    entries.filter_map(|entry| Some((entry.file_name().into_string().ok()?, cache(entry.path())?))).collect()
}

/// Removes those of users who had none before; answers what was removed.
pub(super) fn remove(prefix: &Prefix, before: &[String]) -> Result<Vec<PathBuf>, Failure> {
    let new: Vec<PathBuf> =
        of(prefix).into_iter().filter(|(user, _)| !before.contains(user)).map(|(_, path)| path).collect();
    for path in &new {
        std::fs::remove_dir_all(path).map_err(|error| Failure::file("removing", path, error))?;
    }
    Ok(new)
}
