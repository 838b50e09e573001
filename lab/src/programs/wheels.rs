//! Engines from PyPI, for Windows: each in one version whose sum is known, downloaded by pip and unpacked in the cache.

use std::path::{Path, PathBuf};

use xtask::build::Width;
use xtask::setup::apt;
use xtask::step::{Context, Failure, Progress, Result};
use xtask::wheel;
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
    let of_width: Vec<_> = wheels
        .iter()
        .map(|wheel| {
            let (version, sum) = wheel.versions[usize::from(width == Width::W32)];
            wheel::Wheel { name: wheel.name, version, sum }
        })
        .collect();
    let (first, bits) = (of_width[0], width.bits());
    let folder = format!("{}-{}-{bits}", first.name, first.version);
    let platform = if width == Width::W64 { "win_amd64" } else { "win32" };
    let options = ["--implementation", "cp", "--python-version", PYTHON, "--platform", platform];
    wheel::unpacked(ws, &folder, &of_width, &options, &format!("{} {} ({bits} bit)", first.name, first.version))
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
