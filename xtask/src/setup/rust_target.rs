//! Rust's Windows targets.
//!
//! We build for `x86_64-win7-windows-gnu` and `i686-win7-windows-gnu`: the DLLs of the plain `pc-windows-gnu` targets
//! import `bcryptprimitives.dll`, which Debian 12's Wine 8.0 lacks. rustup has no ready library for the win7 targets, so
//! cargo builds it (`-Zbuild-std`) from the library source, which comes from Debian's package of the same version, or
//! from rustup.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::apt;
use crate::step::{self, Context, Failure, Progress, Result};
use crate::workspace::Workspace;

/// The Debian suites that have had a `rust-src`, newest releases first.
const SUITES: &str = "trixie-backports trixie";
/// 32-bit GNU targets are linked with two start objects that a library built from source lacks.
const START_OBJECTS: [&str; 2] = ["rsbegin", "rsend"];
const I686: &str = "i686-win7-windows-gnu";

/// Whether cargo can build the standard library for Windows.
pub fn done(_: &Workspace) -> bool {
    let Ok(sysroot) = sysroot() else { return false };
    library(&sysroot).join("Cargo.lock").is_file()
        && START_OBJECTS.iter().all(|name| start_object(&sysroot, name).is_file())
}

/// Gets the library source and makes the start objects.
///
/// # Errors
/// When neither Debian nor rustup has the source of this compiler's version, or the toolchain cannot be written to.
pub fn install(ws: &Workspace, progress: &Progress) -> Result {
    let sysroot = sysroot()?;
    if !library(&sysroot).join("Cargo.lock").is_file() {
        let from_debian = if apt::available() { from_debian(ws, &sysroot, progress) } else { Err(no_apt()) };
        if let Err(failure) = from_debian {
            let mut rustup = Command::new("rustup");
            rustup.args(["component", "add", "rust-src"]);
            let advice = format!("Debian's package did not help either ({})", failure.summary());
            step::run_in(ws, &mut rustup, "getting Rust's library source from rustup", &advice, progress)?;
        }
    }
    for name in START_OBJECTS {
        let object = start_object(&sysroot, name);
        if object.is_file() {
            continue;
        }
        let folder = object.parent().unwrap_or(&sysroot);
        std::fs::create_dir_all(folder).doing(format!("creating {}", folder.display()))?;
        let source = library(&sysroot).join("rtstartup").join(format!("{name}.rs"));
        let mut rustc = Command::new("rustc");
        rustc.env("RUSTC_BOOTSTRAP", "1").args(["--target", I686, "--crate-type=lib", "--emit=obj", "-o"]);
        step::output(rustc.arg(&object).arg(&source), "compiling a start object for 32-bit Windows")?;
    }
    Ok(())
}

fn no_apt() -> Failure {
    Failure::new("taking Rust's library source from Debian", "this machine has no apt")
}

/// Downloads Debian's `rust-src` of the compiler's version and links it into the toolchain.
fn from_debian(ws: &Workspace, sysroot: &Path, progress: &Progress) -> Result {
    let version = compiler_version()?;
    let unpacked = ws.cache.join(format!("rust-src-{version}"));
    let library = unpacked.join(format!("usr/src/rustc-{version}"));
    if !library.join("library/Cargo.lock").is_file() {
        let dir = ws.cache.join("apt-rust-src");
        let options = apt::private(&dir, "deb", SUITES, "amd64", false)?;
        let advice = "see that Debian's mirror can be reached";
        let mut update = Command::new("apt-get");
        step::run_in(ws, update.args(&options).arg("update"), "reading Debian's package lists", advice, progress)?;
        let listed = step::output(
            Command::new("apt-cache").args(&options).args(["madison", "rust-src"]),
            "looking for rust-src",
        )?;
        let package = matching(&listed, &version).ok_or_else(|| {
            Failure::new(
                "taking Rust's library source from Debian",
                format!("no rust-src {version} in {SUITES}; there is:\n{listed}"),
            )
        })?;
        let mut download = Command::new("apt-get");
        download.args(&options).arg("download").arg(format!("rust-src={package}")).current_dir(&dir);
        step::run_in(ws, &mut download, "downloading Rust's library source", advice, progress)?;
        let entries = std::fs::read_dir(&dir).doing(format!("reading {}", dir.display()))?;
        let deb =
            entries.flatten().map(|entry| entry.path()).find(|path| path.extension().is_some_and(|ext| ext == "deb"));
        let deb = deb.ok_or_else(|| Failure::new("downloading Rust's library source", "apt-get left no package"))?;
        progress.now("unpacking");
        apt::unpack(&deb, &unpacked)?;
        std::fs::remove_dir_all(&dir).doing(format!("removing {}", dir.display()))?;
    }
    let link = sysroot.join("lib/rustlib/src/rust");
    let folder = sysroot.join("lib/rustlib/src");
    std::fs::create_dir_all(&folder).doing(format!("creating {}", folder.display()))?;
    if link.is_symlink() {
        std::fs::remove_file(&link).doing(format!("removing the old link {}", link.display()))?;
    }
    std::os::unix::fs::symlink(&library, &link).doing(format!("linking {} into the toolchain", library.display()))
}

/// Debian's version string for a compiler version, from the lines of `apt-cache madison`.
fn matching<'a>(listed: &'a str, version: &str) -> Option<&'a str> {
    let versions = listed.lines().filter_map(|line| line.split('|').nth(1)).map(str::trim);
    versions.into_iter().find(|candidate| candidate.split(['+', '-']).next() == Some(version))
}

fn compiler_version() -> Result<String> {
    let text = step::output(Command::new("rustc").arg("--version"), "asking rustc for its version")?;
    let version = text.split_whitespace().nth(1).map(str::to_owned);
    version.ok_or_else(|| Failure::new("asking rustc for its version", format!("it said {text}")))
}

fn sysroot() -> Result<PathBuf> {
    // rustup's `rustc` takes a tenth of a second to answer; cargo has already told us by the environment.
    if let (Some(home), Some(toolchain)) = (std::env::var_os("RUSTUP_HOME"), std::env::var_os("RUSTUP_TOOLCHAIN")) {
        let dir = PathBuf::from(home).join("toolchains").join(toolchain);
        if dir.join("lib/rustlib").is_dir() {
            return Ok(dir);
        }
    }
    let text = step::output(Command::new("rustc").args(["--print", "sysroot"]), "asking rustc for its folder")?;
    Ok(PathBuf::from(text.trim()))
}

fn library(sysroot: &Path) -> PathBuf {
    sysroot.join("lib/rustlib/src/rust/library")
}

fn start_object(sysroot: &Path, name: &str) -> PathBuf {
    sysroot.join("lib/rustlib").join(I686).join("lib").join(format!("{name}.o"))
}

#[cfg(test)]
mod tests {
    use super::matching;

    #[test]
    fn debian_versions_match_the_compiler_exactly() {
        let listed = "rust-src | 1.96.1+dfsg1-2~bpo13+1 | http://m trixie-backports/main amd64 Packages\n\
                      rust-src | 1.95.0+dfsg1-2~bpo13+1 | http://m trixie-backports/main amd64 Packages\n";
        assert_eq!(matching(listed, "1.95.0"), Some("1.95.0+dfsg1-2~bpo13+1"));
        assert_eq!(matching(listed, "1.95"), None);
        assert_eq!(matching(listed, "1.94.0"), None);
    }
}
