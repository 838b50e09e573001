//! Wine: where it is and what it is told.

use crate::Failure;
use crate::program::{Width, in_path};
use afterimage_distribution::{Need, advice};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Where Wine is on a Mac beside `PATH`, which programs that are no terminal's have not. Source: the packages of Gcenx (Homebrew's casks)
/// and CrossOver's, as users report their paths.
const ON_MACS: [&str; 6] = [
    "/Applications/Wine Stable.app/Contents/Resources/wine/bin/wine",
    "/Applications/Wine Devel.app/Contents/Resources/wine/bin/wine",
    "/Applications/Wine Staging.app/Contents/Resources/wine/bin/wine",
    "/Applications/CrossOver.app/Contents/SharedSupport/CrossOver/bin/wine",
    "/opt/homebrew/bin/wine",
    "/usr/local/bin/wine",
];

/// Wine that can run programs of this width.
pub(crate) fn find(width: Width) -> Result<PathBuf, Failure> {
    if let Some(wine) = std::env::var_os("WINE").filter(|wine| !wine.is_empty()) {
        return Ok(wine.into());
    }
    let names: &[&str] = match width {
        Width::W64 => &["wine", "wine64"],
        Width::W32 => &["wine"],
    };
    let usual: &[&str] = if cfg!(target_os = "macos") { &ON_MACS } else { &[] };
    let usual = || usual.iter().map(PathBuf::from).find(|wine| wine.is_file());
    names.iter().find_map(|name| in_path(Path::new(name))).or_else(usual).ok_or_else(|| {
        let need = if width == Width::W32 { Need::Wine32 } else { Need::Wine };
        Failure::new(format!(
            "Wine is not installed: a {}-bit Windows program needs it. {}; another one can be named in WINE",
            width.bits(),
            advice(need)
        ))
    })
}

/// The library that every 32-bit program begins with, as Wine installs it; below a folder of libraries.
const OF_32_BIT: [&str; 2] = ["i386-linux-gnu/wine/i386-windows/ntdll.dll", "wine/i386-windows/ntdll.dll"];

/// The library that every 32-bit program begins with, of the Wine that is installed here.
pub(crate) fn of_32_bit() -> Option<PathBuf> {
    let wine = find(Width::W32).ok()?;
    let own = wine.canonicalize().ok().and_then(|wine| Some(wine.parent()?.parent()?.to_path_buf()));
    let roots = own.into_iter().chain(["/usr", "/usr/local"].map(PathBuf::from));
    let folders = roots.flat_map(|root| ["lib", "lib32", "lib64", "lib/x86_64-linux-gnu"].map(|lib| root.join(lib)));
    folders.flat_map(|folder| OF_32_BIT.map(|file| folder.join(file))).find(|path| path.is_file())
}

/// Whether Wine can run 32-bit programs. One that cannot ends them at once, with status 0 and without a word.
///
/// # Errors
/// It cannot: there is no 32-bit library, neither in the prefix, where Wine has put it if it has one, nor where Wine is installed.
pub(crate) fn check_32_bit() -> Result<(), Failure> {
    let windows = prefix().unwrap_or_default().join("drive_c/windows");
    // Of a prefix for 32-bit programs alone, `system32` is theirs.
    let alone = !windows.join("syswow64").is_dir();
    let in_prefix = windows.join(if alone { "system32/ntdll.dll" } else { "syswow64/ntdll.dll" }).is_file();
    if in_prefix || of_32_bit().is_some() {
        return Ok(());
    }
    Err(Failure::new(format!(
        "this Wine runs 64-bit programs only, and this is a 32-bit one: {}; another Wine can be named in WINE",
        advice(Need::Wine32)
    )))
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
