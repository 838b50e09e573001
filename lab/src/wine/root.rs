//! Debian trixie in a folder of the cache, with Wine 10.0 of both widths, DXVK and lavapipe: what Debian 12 does not have.
//!
//! A command runs there in a mount name space of its own, so nothing stays mounted; the folders that it is to share with this
//! machine lie at the same paths inside.

use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) use xtask::chroot::command;
use xtask::setup::apt;
use xtask::step::{self, Context, Failure, Progress, Result};
use xtask::workspace::Workspace;

/// The release.
pub(crate) const SUITE: &str = "trixie";

/// What is installed, `:i386` too where that is given.
const PACKAGES: &[&str] =
    &["wine", "wine64", "wine32:i386", "fonts-wine", "dxvk-wine64", "dxvk-wine32:i386", "vulkan-validationlayers"];
/// What is installed in both widths: drivers, and what Wine loads for display modes, cursors and windows.
const BOTH_WIDTHS: &[&str] = &[
    "mesa-vulkan-drivers",
    "libvulkan1",
    "libgl1",
    "libgl1-mesa-dri",
    "libglx-mesa0",
    "libxrandr2",
    "libxcursor1",
    "libxi6",
    "libxcomposite1",
    "libxinerama1",
];
/// Where a root says what was installed there.
const INSTALLED: &str = "etc/afterimage-packages";

/// Where the root lies.
pub(super) fn folder(ws: &Workspace) -> PathBuf {
    ws.cache.join(SUITE)
}

/// Makes the root if it is not there, which takes some five minutes and four gigabytes; installs what an older one lacks.
///
/// # Errors
/// When this is not Debian, we are not root, or a package cannot be had.
pub(crate) fn ensure(ws: &Workspace) -> Result<PathBuf> {
    let root = folder(ws);
    let whole = std::fs::read_to_string(root.join(INSTALLED)).is_ok_and(|names| names == packages().join("\n"));
    if root.is_dir() && (whole || !apt::is_root()) {
        return Ok(root);
    }
    let what = "making a Debian trixie with Wine 10.0";
    if !apt::available() || !apt::is_root() {
        let advice = "run this as root on Debian, or leave out `--wine trixie`";
        return Err(Failure::new(what, "it needs apt, debootstrap and chroot").advise(advice));
    }
    let progress = Progress::start(format!("{what} in {} (4 GB, some minutes)", root.display()));
    let result = if root.is_dir() { install(ws, &root, &progress) } else { make(ws, &root, &progress) };
    progress.finish(&result);
    result.map(|()| root)
}

fn make(ws: &Workspace, root: &Path, progress: &Progress) -> Result {
    if !step::on_path("debootstrap") {
        apt::install(ws, &["debootstrap"], false, progress)?;
    }
    // Under its own name only when it is whole.
    let part = root.with_extension("part");
    let _ = std::fs::remove_dir_all(&part);
    std::fs::create_dir_all(&part).doing(format!("creating {}", part.display()))?;
    let mirror = apt::mirror();
    let advice = "see that the mirror can be reached";
    let mut debootstrap = Command::new("debootstrap");
    debootstrap.args(["--variant=minbase", "--include=ca-certificates", SUITE]).arg(&part).arg(&mirror);
    step::run_in(ws, &mut debootstrap, "debootstrap", advice, progress)?;
    let sources = part.join("etc/apt/sources.list");
    std::fs::write(&sources, format!("deb {mirror} {SUITE} main\n")).doing(format!("writing {}", sources.display()))?;
    std::fs::copy("/etc/resolv.conf", part.join("etc/resolv.conf")).doing("copying /etc/resolv.conf")?;
    inside(ws, &part, "adding i386", &["dpkg", "--add-architecture", "i386"], progress)?;
    install(ws, &part, progress)?;
    std::fs::rename(&part, root).doing(format!("naming {}", root.display()))
}

/// What is installed, by the names that apt-get takes.
fn packages() -> Vec<String> {
    let both = BOTH_WIDTHS.iter().flat_map(|name| [(*name).to_owned(), format!("{name}:i386")]);
    PACKAGES.iter().map(|name| (*name).to_owned()).chain(both).collect()
}

fn install(ws: &Workspace, root: &Path, progress: &Progress) -> Result {
    let packages = packages();
    inside(ws, root, "reading trixie's package lists", &["apt-get", "update"], progress)?;
    let mut install = vec!["apt-get", "install", "-y", "--no-install-recommends"];
    install.extend(packages.iter().map(String::as_str));
    inside(ws, root, "installing Wine in trixie", &install, progress)?;
    inside(ws, root, "dropping the downloaded packages", &["apt-get", "clean"], progress)?;
    let list = root.join(INSTALLED);
    std::fs::write(&list, packages.join("\n")).doing(format!("writing {}", list.display()))
}

fn inside(ws: &Workspace, root: &Path, what: &str, words: &[&str], progress: &Progress) -> Result {
    let mut command = command(root, &[], "env");
    command.args(["-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C.UTF-8"]);
    command.args(words).current_dir("/");
    step::run_in(ws, &mut command, what, "see that the mirror can be reached", progress).map(drop)
}
