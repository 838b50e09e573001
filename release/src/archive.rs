//! Archives that are the same wherever and whenever they are made: sorted, with one time, and root's files.

use std::path::Path;
use std::process::Command;

use xtask::build::Profile;
use xtask::step::{self, Failure, Result};
use xtask::workspace::Workspace;

use crate::stage::Release;

/// Packs one of a release's trees into a file.
///
/// # Errors
/// When tar or zstd is not there or fails.
pub(crate) fn pack(ws: &Workspace, release: &Release, tree: &Path, to: &Path) -> Result {
    let name = to.file_name().unwrap_or_default().to_string_lossy().into_owned();
    step::run(ws, &mut command(release, tree, to)?, &format!("packing {name}"), "").map(drop)
}

/// What packs a tree into a file, so that it unpacks into a folder of the tree's name.
///
/// # Errors
/// When zstd is not there.
pub(crate) fn command(release: &Release, tree: &Path, to: &Path) -> Result<Command> {
    if !step::on_path("zstd") {
        return Err(Failure::new("packing", "zstd is not installed").advise("apt-get install zstd"));
    }
    // One worker always makes the same of the same. What tests pack has to be quick.
    let zstd = match release.profile {
        Profile::Release => "zstd -19 --long=27 -T1 -q",
        Profile::Dev => "zstd -9 --long=27 -T1 -q",
    };
    let mut tar = Command::new("tar");
    tar.args(["--create", "--format=gnu", "--sort=name", "--owner=0", "--group=0", "--numeric-owner"]);
    tar.args(["--mode=u+rwX,go+rX,go-w", &format!("--mtime=@{}", release.seconds()), "-I", zstd]);
    tar.arg("--file").arg(to).arg("--directory").arg(tree.parent().unwrap_or(tree));
    tar.arg(tree.file_name().unwrap_or_default()).env("LC_ALL", "C.UTF-8");
    Ok(tar)
}
