//! Debian packages: from the machine's own mirror, newer ones from backports where they exist.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::step::{self, Context, Failure, Progress, Result};
use crate::workspace::Workspace;

/// The key ring that signs Debian's own suites.
pub const KEYRING: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";
const BACKPORTS_FILE: &str = "/etc/apt/sources.list.d/afterimage-backports.sources";
const DEFAULT_MIRROR: &str = "http://deb.debian.org/debian";

/// Whether this machine has apt.
pub fn available() -> bool {
    step::on_path("apt-get")
}

/// Whether we may install packages.
pub fn is_root() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let uid = status.lines().find_map(|line| line.strip_prefix("Uid:"));
    uid.and_then(|ids| ids.split_whitespace().nth(1)) == Some("0")
}

/// Installs packages: from backports first where `backports` is set and the release has them, from there last where they
/// do not go together with what came from there before.
///
/// # Errors
/// When apt-get fails in both ways.
pub fn install(ws: &Workspace, names: &[&str], backports: bool, progress: &Progress) -> Result {
    update_once(ws, progress)?;
    let newer = if backports { enable_backports(ws, progress) } else { enabled_backports() };
    let mut suites = vec![None, newer];
    suites.dedup();
    if backports {
        suites.reverse();
    }
    let mut result = Ok(());
    for suite in suites {
        result = install_from(ws, names, suite.as_deref(), progress);
        if result.is_ok() {
            break;
        }
    }
    result
}

/// How much apt would download for packages that are not there, and how much room that takes, in apt's words.
///
/// # Errors
/// When apt does not know one of them.
pub fn size(ws: &Workspace, names: &[&str], progress: &Progress) -> Result<String> {
    update_once(ws, progress)?;
    let mut command = apt_get();
    // With no package installed, the answer "no" is an exit status other than 0.
    command.args(["install", "--assume-no", "--no-install-recommends"]).args(names);
    let done = step::run_to_end(ws, &mut command, "asking apt for sizes", progress)?;
    let said = std::fs::read_to_string(&done.log).doing("reading what apt said")?;
    size_of(&said).ok_or_else(|| Failure::new("asking apt for sizes", done.tail.join("\n")))
}

/// The two sizes in what `apt-get install` says.
fn size_of(said: &str) -> Option<String> {
    let after = |words: &str| said.lines().find_map(|line| line.strip_prefix(words));
    let get = after("Need to get ")?.split(" of archives").next()?;
    let room = after("After this operation, ").and_then(|rest| rest.split(" of additional").next());
    Some(format!("{get} to download, {} on the disk", room.unwrap_or("nothing")))
}

/// What to add to a command line by hand to install from backports.
pub fn backports_option() -> String {
    backports_suite().map_or_else(String::new, |suite| format!("-t {suite} "))
}

/// The mirror of the machine's own apt configuration.
pub fn mirror() -> String {
    sources().iter().find_map(|text| mirror_of(text)).unwrap_or_else(|| DEFAULT_MIRROR.to_owned())
}

fn mirror_of(sources: &str) -> Option<String> {
    let words = sources.lines().filter(|line| !line.trim_start().starts_with('#')).flat_map(str::split_whitespace);
    let mut urls = words.filter(|word| word.contains("://"));
    urls.find(|url| url.trim_end_matches('/').ends_with("/debian")).map(str::to_owned)
}

/// The options that make apt use a state of its own: one sources file of `types`
/// (`deb`, `deb-src`), its own lists and cache, another architecture.
/// The machine's own apt is neither read nor changed.
///
/// # Errors
/// When the folders cannot be made.
pub fn private(dir: &Path, types: &str, suites: &str, arch: &str, know_installed: bool) -> Result<Vec<String>> {
    for folder in ["lists/partial", "cache/archives/partial"] {
        std::fs::create_dir_all(dir.join(folder)).doing(format!("creating {}", dir.join(folder).display()))?;
    }
    let sources = dir.join("debian.sources");
    let text =
        format!("Types: {types}\nURIs: {}\nSuites: {suites}\nComponents: main\nSigned-By: {KEYRING}\n", mirror());
    std::fs::write(&sources, text).doing(format!("writing {}", sources.display()))?;
    let at = |name: &str| dir.join(name).display().to_string();
    let mut options = vec![
        format!("-oDir::Etc::sourcelist={}", sources.display()),
        "-oDir::Etc::sourceparts=-".to_owned(),
        "-oDir::Etc::preferencesparts=-".to_owned(),
        format!("-oDir::State::Lists={}", at("lists")),
        format!("-oDir::Cache={}", at("cache")),
        format!("-oAPT::Architecture={arch}"),
        format!("-oAPT::Architectures={arch}"),
        "-oDebug::NoLocking=1".to_owned(),
        "-oAPT::Sandbox::User=root".to_owned(),
        // Debian's container images drop the downloaded packages at once.
        "-oAPT::Keep-Downloaded-Packages=1".to_owned(),
        "-oDPkg::Post-Invoke=".to_owned(),
        "-oAPT::Update::Post-Invoke=".to_owned(),
    ];
    if !know_installed {
        std::fs::write(dir.join("status"), "").doing("writing an empty package state")?;
        options.push(format!("-oDir::State::status={}", at("status")));
    }
    Ok(options)
}

/// Downloads packages of a suite for x86-64 with a state of its own in `dir`, without what they depend on.
///
/// # Errors
/// When they cannot be had.
pub fn download(ws: &Workspace, dir: &Path, suite: &str, names: &[&str], progress: &Progress) -> Result<Vec<PathBuf>> {
    let options = private(dir, "deb", suite, "amd64", false)?;
    let advice = "see that Debian's mirror can be reached";
    let mut update = apt_get();
    step::run_in(ws, update.args(&options).arg("update"), "reading package lists", advice, progress)?;
    let mut download = apt_get();
    download.args(&options).arg("download").args(names).current_dir(dir.join("cache/archives"));
    step::run_in(ws, &mut download, &format!("downloading {}", names.join(" ")), advice, progress)?;
    downloaded(dir)
}

/// Unpacks a package without installing it.
///
/// # Errors
/// When dpkg-deb fails.
pub fn unpack(package: &Path, into: &Path) -> Result {
    step::output(Command::new("dpkg-deb").arg("-x").arg(package).arg(into), "unpacking a package").map(drop)
}

/// The packages in a private state's cache.
///
/// # Errors
/// When the folder cannot be read.
pub fn downloaded(dir: &Path) -> Result<Vec<PathBuf>> {
    let folder = dir.join("cache/archives");
    let entries = std::fs::read_dir(&folder).doing(format!("reading {}", folder.display()))?;
    let mut files: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|ext| ext == "deb"));
    files.sort();
    Ok(files)
}

fn apt_get() -> Command {
    let mut command = Command::new("apt-get");
    command.env("DEBIAN_FRONTEND", "noninteractive").env("LC_ALL", "C.UTF-8");
    command
}

fn install_from(ws: &Workspace, names: &[&str], suite: Option<&str>, progress: &Progress) -> Result {
    let mut command = apt_get();
    command.args(["install", "-y", "--no-install-recommends", "-oDPkg::Lock::Timeout=120"]);
    if let Some(suite) = suite {
        command.args(["-t", suite]);
    }
    command.args(names);
    let what = format!("installing {}", names.join(" "));
    step::run_in(
        ws,
        &mut command,
        &what,
        "try the command by hand; `apt-get update` helps with stale lists",
        progress,
    )?;
    Ok(())
}

/// Reads the package lists once per run; an error does not matter while the lists have what we want.
fn update_once(ws: &Workspace, progress: &Progress) -> Result {
    static DONE: OnceLock<()> = OnceLock::new();
    if DONE.set(()).is_ok() {
        update(ws, progress)?;
    }
    Ok(())
}

fn update(ws: &Workspace, progress: &Progress) -> Result<bool> {
    let done = step::run_to_end(ws, apt_get().args(["update", "-oAcquire::Retries=2"]), "apt-get update", progress)?;
    Ok(done.status.success())
}

/// The backports suite of this machine's release, if we use one: Debian 12's own lavapipe is three years older.
fn backports_suite() -> Option<String> {
    let release = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
    let codename = release.lines().find_map(|line| line.strip_prefix("VERSION_CODENAME="))?;
    (codename.trim_matches('"') == "bookworm").then(|| "bookworm-backports".to_owned())
}

/// The backports suite, where apt knows it.
fn enabled_backports() -> Option<String> {
    backports_suite().filter(|suite| sources().iter().any(|text| text.contains(suite)))
}

/// Makes the backports suite known to apt; `None` where there is none or it cannot be reached.
fn enable_backports(ws: &Workspace, progress: &Progress) -> Option<String> {
    static RESULT: OnceLock<Option<String>> = OnceLock::new();
    let enable = || {
        if let Some(suite) = enabled_backports() {
            return Some(suite);
        }
        let suite = backports_suite()?;
        let mut text = String::from("# Written by `cargo xtask setup` of Afterimage; may be removed.\n");
        let _ =
            write!(text, "Types: deb\nURIs: {}\nSuites: {suite}\nComponents: main\nSigned-By: {KEYRING}\n", mirror());
        std::fs::write(BACKPORTS_FILE, text).ok()?;
        if update(ws, progress).unwrap_or(false) {
            return Some(suite);
        }
        // A suite that cannot be read would make every later `apt-get update` fail.
        let _ = std::fs::remove_file(BACKPORTS_FILE);
        None
    };
    RESULT.get_or_init(enable).clone()
}

/// The texts of the machine's apt sources.
fn sources() -> Vec<String> {
    let parts = std::fs::read_dir("/etc/apt/sources.list.d").into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<_> = parts.collect();
    files.retain(|path| path.extension().is_some_and(|ext| ext == "list" || ext == "sources"));
    files.sort();
    files.insert(0, "/etc/apt/sources.list".into());
    files.iter().filter_map(|path| std::fs::read_to_string(path).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::{mirror_of, size_of};

    #[test]
    fn sizes_are_found_in_what_apt_says() {
        let said = "The following NEW packages will be installed:\n  wine\n0 upgraded, 1 newly installed.\n\
                    Need to get 0 B/95.3 kB of archives.\nAfter this operation, 161 kB of additional disk space will be used.\n";
        assert_eq!(size_of(said).as_deref(), Some("0 B/95.3 kB to download, 161 kB on the disk"));
        assert_eq!(size_of("E: Unable to locate package wine\n"), None);
    }

    #[test]
    fn mirror_is_found_in_both_formats() {
        let deb822 = "Types: deb\n# http://snapshot.debian.org/archive/debian\nURIs: http://mirror.example/debian\nSuites: bookworm\n";
        assert_eq!(mirror_of(deb822).as_deref(), Some("http://mirror.example/debian"));
        let lines = "# deb http://old.example/debian x\ndeb [signed-by=/k] https://m.example/debian/ bookworm main\n";
        assert_eq!(mirror_of(lines).as_deref(), Some("https://m.example/debian/"));
        assert_eq!(mirror_of("deb https://m.example/debian-security bookworm-security main\n"), None);
    }
}
