//! A bare Debian of this machine's release in a folder of the cache: a Vulkan driver, and nothing else that a minimal system does not
//! have. A release has to draw there, and its package has to leave nothing behind.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use xtask::chroot;
use xtask::step::{self, Context as _, Failure, Result};
use xtask::workspace::Workspace;

/// What is installed besides the smallest Debian: Mesa has lavapipe, which draws on the CPU.
const PACKAGES: &str = "libvulkan1,mesa-vulkan-drivers";
/// Folders that are this machine's inside, and where dpkg notes what it did.
const NOT_COMPARED: [&str; 7] = ["proc", "sys", "dev", "tmp", "var/lib/dpkg", "var/log", "var/cache"];

/// The bare Debian.
pub(crate) struct Bare {
    root: PathBuf,
    /// A folder of this machine that is at the same path inside.
    shared: PathBuf,
}

impl Bare {
    /// Makes it if it is not there, which takes a minute and half a gigabyte. `shared` will be at the same path inside.
    ///
    /// # Errors
    /// When this is not Debian, we are not root, or a package cannot be had.
    pub(crate) fn ensure(ws: &Workspace, shared: &Path) -> Result<Self> {
        let suite = suite()?;
        let root = ws.cache.join(format!("bare-{suite}"));
        let bare = Self { root, shared: shared.to_owned() };
        if bare.root.is_dir() {
            return Ok(bare);
        }
        let part = bare.root.with_extension("part");
        let _ = std::fs::remove_dir_all(&part);
        chroot::make(ws, &part, &suite, PACKAGES)?;
        std::fs::rename(&part, &bare.root).doing(format!("naming {}", bare.root.display()))?;
        Ok(bare)
    }

    /// What a command prints that runs inside, in the shared folder, with nothing of this machine's environment.
    ///
    /// # Errors
    /// When it fails.
    pub(crate) fn run(&self, words: &[&str]) -> Result<String> {
        let mut command = chroot::command(&self.root, &[&self.shared], "env");
        let home = format!("HOME={}", self.shared.join("home").display());
        command.args([
            "-i",
            "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
            "LC_ALL=C.UTF-8",
            "DEBIAN_FRONTEND=noninteractive",
            &home,
        ]);
        command.args(words).current_dir(&self.shared);
        step::output(&mut command, &format!("{} in a bare Debian", words.join(" ")))
    }

    /// All that is there: paths, and how large they are.
    ///
    /// # Errors
    /// When it cannot be listed.
    pub(crate) fn listed(&self) -> Result<BTreeMap<String, String>> {
        let mut find = Command::new("find");
        find.arg(&self.root).arg("-xdev");
        for folder in NOT_COMPARED {
            find.args(["-path"]).arg(self.root.join(folder)).args(["-prune", "-o"]);
        }
        // The time of a folder says that something was in it.
        find.args(["-type", "d", "-printf", "%P\tfolder %m\n", "-o", "-printf", "%P\t%s %m %l\n"]);
        let said = step::output(&mut find, "listing the bare Debian")?;
        let rows = said.lines().filter_map(|line| line.split_once('\t'));
        Ok(rows.map(|(path, what)| (path.to_owned(), what.to_owned())).collect())
    }
}

/// This machine's release, for whose libraries its programs are built.
fn suite() -> Result<String> {
    let text = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
    let debian = text.lines().any(|line| line == "ID=debian");
    let name = text.lines().find_map(|line| line.strip_prefix("VERSION_CODENAME="));
    name.filter(|_| debian).map(str::to_owned).ok_or_else(|| Failure::new("making a bare Debian", "this is not Debian"))
}
