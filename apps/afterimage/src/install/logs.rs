//! Logs of programs of a prefix, which lie beside them (`afterimage-PROGRAM.log`, and the one of the run before).

use super::prefix::Prefix;
use crate::Failure;
use std::path::{Path, PathBuf};

/// Folders below one another that are looked into.
const DEPTH: usize = 32;

/// All of them on the prefix's drive C:. Links are not followed: what is behind them is not the prefix's.
pub(super) fn of(prefix: &Prefix) -> Vec<PathBuf> {
    let mut found = Vec::new();
    look(&prefix.root().join("drive_c"), DEPTH, &mut found);
    found.sort();
    found
}

fn look(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && depth > 0 => look(&path, depth - 1, found),
            Ok(kind) if kind.is_file() && is_log(&path) => found.push(path),
            _ => {}
        }
    }
}

/// Whether a file is the log of a program that lies beside it.
fn is_log(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let program =
        name.strip_suffix(".1").unwrap_or(&name).strip_prefix("afterimage-").and_then(|n| n.strip_suffix(".log"));
    program.is_some_and(|program| path.with_file_name(program).is_file())
}

/// Removes them; answers what was removed.
pub(super) fn remove(prefix: &Prefix) -> Result<Vec<PathBuf>, Failure> {
    let all = of(prefix);
    for path in &all {
        std::fs::remove_file(path).map_err(|error| Failure::file("removing", path, error))?;
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logs_lie_beside_their_programs() {
        let temp = tempfile::tempdir().unwrap();
        let outside = tempfile::tempdir().unwrap();
        for folder in [temp.path().join("Games/One"), outside.path().to_path_buf()] {
            std::fs::create_dir_all(&folder).unwrap();
            for name in ["game.exe", "afterimage-game.exe.log", "afterimage-game.exe.log.1", "afterimage-other.exe.log"]
            {
                std::fs::write(folder.join(name), "x").unwrap();
            }
        }
        std::os::unix::fs::symlink(outside.path(), temp.path().join("Games/link")).unwrap();
        let mut found = Vec::new();
        look(temp.path(), DEPTH, &mut found);
        found.sort();
        let wanted = ["afterimage-game.exe.log", "afterimage-game.exe.log.1"];
        assert_eq!(found, wanted.map(|name| temp.path().join("Games/One").join(name)));
    }
}
