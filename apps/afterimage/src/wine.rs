//! Wine: where it is and what it is told.

use crate::Failure;
use crate::program::{Width, in_path};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Wine that can run programs of this width.
pub(crate) fn find(width: Width) -> Result<PathBuf, Failure> {
    if let Some(wine) = std::env::var_os("WINE").filter(|wine| !wine.is_empty()) {
        return Ok(wine.into());
    }
    let names: &[&str] = match width {
        Width::W64 => &["wine", "wine64"],
        Width::W32 => &["wine"],
    };
    names.iter().find_map(|name| in_path(Path::new(name))).ok_or_else(|| {
        Failure::new(format!(
            "Wine is not installed: a {}-bit Windows program needs it. `cargo xtask setup` installs it on Debian \
             (apt-get install wine wine{}); another one can be named in WINE",
            width.bits(),
            width.bits()
        ))
    })
}

/// The server of a Wine, which lies beside it.
pub(crate) fn server(wine: &Path) -> Option<PathBuf> {
    let beside = wine.with_file_name("wineserver");
    if beside.is_file() { Some(beside) } else { in_path(Path::new("wineserver")) }
}

/// The user's overrides, and ours last, which counts.
pub(crate) fn overrides(users: Option<OsString>) -> OsString {
    let mut all = users.unwrap_or_default();
    if !all.is_empty() {
        all.push(";");
    }
    all.push("d3d9=n,b");
    all
}

/// Wine's folder of settings and system files.
fn prefix() -> Option<PathBuf> {
    let usual = || std::env::var_os("HOME").map(|home| Path::new(&home).join(".wine"));
    std::env::var_os("WINEPREFIX").filter(|path| !path.is_empty()).map(PathBuf::from).or_else(usual)
}

/// Whether Wine has what runs .NET programs: its Mono, for all users or in the prefix, or Microsoft's, which brings its own `mscorlib`.
pub(crate) fn has_mono() -> bool {
    let windows = prefix().unwrap_or_default().join("drive_c/windows");
    let in_prefix =
        ["mono", "Microsoft.NET/Framework/v4.0.30319/mscorlib.dll", "Microsoft.NET/Framework/v2.0.50727/mscorlib.dll"];
    let for_all = ["/usr/share/wine/mono", "/usr/local/share/wine/mono", "/opt/wine/mono"];
    in_prefix.iter().any(|path| windows.join(path).exists()) || for_all.iter().any(|path| Path::new(path).exists())
}

/// Makes Wine's folder of settings and system files if it is not there. Wine would do so by itself while it starts the
/// program, which then may find no desktop to open its window on (seen with Wine 8.0, 32 bit).
pub(crate) fn make_prefix(wine: &Path) {
    let Some(prefix) = prefix().filter(|prefix| !prefix.join("system.reg").is_file()) else { return };
    eprintln!("afterimage: making {} for Wine, which takes a moment", prefix.display());
    let run = |program: &Path, arguments: &[&str]| {
        let mut command = Command::new(program);
        // Its offers to download Mono and Gecko would wait for an answer.
        command.args(arguments).env("WINEDLLOVERRIDES", "mscoree,mshtml=").stdout(Stdio::null()).status()
    };
    // If this fails, starting the program says why.
    let _best_effort = run(wine, &["wineboot", "--init"]);
    if let Some(server) = server(wine) {
        let _best_effort = run(&server, &["-w"]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_override_comes_last() {
        assert_eq!(overrides(None), "d3d9=n,b");
        assert_eq!(overrides(Some("mscoree=".into())), "mscoree=;d3d9=n,b");
    }
}
