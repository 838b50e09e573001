//! Placing `d3d9.dll` for one run without touching the program's folder.
//!
//! Windows' loader, and Wine's, take a library from the program's folder first and from the system's folder second. The
//! search path (`WINEPATH`) comes after the system's folder, where Wine's own d3d9.dll lies, and Wine looks for nothing
//! further once it has found that (tried with Wine 8.0: with `d3d9=n` the program does not start, with `d3d9=n,b` it
//! gets Wine's). So the program is started from a folder of its own in which everything of its real folder appears as a
//! link, and `d3d9.dll` beside it. What the program creates there is moved to the real folder afterwards.

use afterimage_output::Output;
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// The folder of a run. Dropping it moves new files to the program's folder and removes the rest.
#[derive(Debug)]
pub(crate) struct Stage {
    folder: tempfile::TempDir,
    real: PathBuf,
    program: OsString,
    dll: OsString,
    ended: bool,
}

impl Stage {
    /// Makes the folder for `program`, with `dll` in place of any file of its name.
    pub(crate) fn new(program: &Path, dll: &Path) -> io::Result<Self> {
        let program = program.canonicalize()?;
        let name = |path: &Path| path.file_name().unwrap_or_default().to_os_string();
        let real = program.parent().unwrap_or(Path::new("/")).to_path_buf();
        let folder = tempfile::Builder::new().prefix("afterimage-run-").tempdir()?;
        let stage = Self { folder, real, program: name(&program), dll: name(dll), ended: false };
        for entry in std::fs::read_dir(&stage.real)? {
            let entry = entry?;
            // Windows' file names do not know case.
            if !entry.file_name().eq_ignore_ascii_case(&stage.dll) {
                symlink(entry.path(), stage.folder.path().join(entry.file_name()))?;
            }
        }
        symlink(dll, stage.folder.path().join(&stage.dll))?;
        Ok(stage)
    }

    /// The program as it is to be started.
    pub(crate) fn program(&self) -> PathBuf {
        self.folder.path().join(&self.program)
    }

    /// Moves what the program created to its real folder; answers what could not be moved.
    fn bring_home(&self) -> Vec<String> {
        let mut stuck = Vec::new();
        for entry in std::fs::read_dir(self.folder.path()).into_iter().flatten().flatten() {
            let (from, to) = (entry.path(), self.real.join(entry.file_name()));
            if entry.file_type().is_ok_and(|kind| kind.is_symlink()) {
                continue;
            }
            // Another file system takes a copy. Folders would need a walk; programs rarely make any beside themselves.
            let moved = std::fs::rename(&from, &to).or_else(|_| copy(&from, &to));
            if let Err(error) = moved {
                stuck.push(format!("{} to {}: {error}", from.display(), to.display()));
            }
        }
        stuck
    }
}

impl Stage {
    /// Ends the run: whether everything that the program made is in its folder now. What is not stays where it is, and it is said so.
    pub(crate) fn end(mut self) -> bool {
        self.ended = true;
        self.clear()
    }

    fn clear(&mut self) -> bool {
        let stuck = self.bring_home();
        if !stuck.is_empty() {
            eprintln!("afterimage: files that the program made could not be moved to its folder: {}", stuck.join("; "));
            self.folder.disable_cleanup(true);
        }
        stuck.is_empty()
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        if !self.ended {
            self.clear();
        }
    }
}

/// Copies a file, whole or not at all.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let mut out = Output::create(to)?;
    io::copy(&mut File::open(from)?, &mut out)?;
    out.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn links_ours_in_and_brings_new_files_home() {
        let temp = tempfile::tempdir().unwrap();
        let game = temp.path().join("game");
        fs::create_dir_all(game.join("data")).unwrap();
        for (name, text) in [("game.exe", "exe"), ("D3D9.DLL", "theirs"), ("data/level", "1"), ("save", "old")] {
            fs::write(game.join(name), text).unwrap();
        }
        let dll = temp.path().join("d3d9.dll");
        fs::write(&dll, "ours").unwrap();
        let stage = Stage::new(&game.join("game.exe"), &dll).unwrap();
        let folder = stage.program().parent().unwrap().to_path_buf();
        assert_eq!(fs::read_to_string(stage.program()).unwrap(), "exe");
        assert_eq!(fs::read_to_string(folder.join("d3d9.dll")).unwrap(), "ours");
        assert!(!folder.join("D3D9.DLL").exists());
        assert_eq!(fs::read_to_string(folder.join("data/level")).unwrap(), "1");
        fs::write(folder.join("save"), "new").unwrap();
        fs::write(folder.join("settings"), "made").unwrap();
        assert!(stage.end());
        assert!(!folder.exists());
        assert_eq!(fs::read_to_string(game.join("save")).unwrap(), "new");
        assert_eq!(fs::read_to_string(game.join("settings")).unwrap(), "made");
        assert_eq!(fs::read_to_string(game.join("D3D9.DLL")).unwrap(), "theirs");
        assert!(!game.join("d3d9.dll").exists());
    }
}
