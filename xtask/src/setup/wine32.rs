//! 32-bit Wine, in a private tree.
//!
//! `apt-get install wine32:i386` needs every 32-bit library in exactly the version of its installed 64-bit sister, and an
//! i386 index for each suite: one stale index, and it cannot be installed at all, and every later `apt-get update` of the
//! machine fails. So where it is not there already, the 32-bit packages are unpacked beside the system, with a launcher
//! that sets the paths. The only thing outside the tree is the link `/lib/ld-linux.so.2`, which 32-bit programs name.
//!
//! The tree has the layout that Wine's loader expects of itself (`usr/lib/wine/wine`, `usr/lib/ARCH/wine`), with the
//! 64-bit half taken from the installed Wine, so that both widths share one prefix.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

use super::apt;
use crate::step::{self, Context, Failure, Progress, Result};
use crate::workspace::Workspace;

const SYSTEM_LOADER: &str = "/usr/lib/wine/wine";
const SYSTEM_WINE64: &str = "/usr/lib/wine/wine64";
/// What Wine loads at run time for display modes, cursors and windows, and recommends only.
pub(super) const WINDOW_PACKAGES: &[&str] = &["libxrandr2", "libxcursor1", "libxi6", "libxcomposite1", "libxinerama1"];
const DYNAMIC_LINKER: &str = "/lib/ld-linux.so.2";

/// Whether the machine's own Wine runs 32-bit programs.
pub fn system_has_it() -> bool {
    Path::new(SYSTEM_LOADER).is_file() && Path::new("/usr/lib/i386-linux-gnu/wine").is_dir()
}

/// Whether 32-bit Wine is there, the machine's own or ours.
pub fn done(ws: &Workspace) -> bool {
    system_has_it()
        || (ws.wine32().join("bin/wineserver").is_file()
            && ws.wine32().join("root/usr/lib/i386-linux-gnu/libXrandr.so.2").exists()
            && Path::new(DYNAMIC_LINKER).exists())
}

/// Unpacks the 32-bit packages of the release into the private tree.
///
/// # Errors
/// When the packages cannot be had, or the installed Wine is not Debian's.
pub fn install(ws: &Workspace, progress: &Progress) -> Result {
    if !Path::new(SYSTEM_WINE64).is_file() {
        return Err(Failure::new(
            "32-bit Wine",
            format!("{SYSTEM_WINE64} is missing: the installed Wine is not Debian's"),
        ));
    }
    let tree = ws.wine32();
    let root = tree.join("root");
    let dir = ws.cache.join("apt-wine32");
    let _ = std::fs::remove_dir_all(&tree);
    let options = apt::private(&dir, "deb", &release()?, "i386", false)?;
    let advice = "32-bit programs are skipped without it";
    let apt_get = || {
        let mut command = Command::new("apt-get");
        command.args(&options);
        command
    };
    step::run_in(ws, apt_get().arg("update"), "reading Debian's i386 package lists", advice, progress)?;
    let mut download = apt_get();
    download.args(["install", "--download-only", "-y", "--no-install-recommends", "wine32"]).args(WINDOW_PACKAGES);
    step::run_in(ws, &mut download, "downloading 32-bit Wine", advice, progress)?;
    std::fs::create_dir_all(&root).doing(format!("creating {}", root.display()))?;
    for package in apt::downloaded(&dir)? {
        progress.now(&format!("unpacking {}", package.file_name().unwrap_or_default().to_string_lossy()));
        apt::unpack(&package, &root)?;
    }
    arrange(&root)?;
    if !Path::new(DYNAMIC_LINKER).exists() {
        let _ = std::fs::remove_file(DYNAMIC_LINKER);
        symlink(root.join("lib/i386-linux-gnu/ld-linux.so.2"), DYNAMIC_LINKER)
            .doing(format!("linking {DYNAMIC_LINKER}"))?;
    }
    let bin = tree.join("bin");
    std::fs::create_dir_all(&bin).doing(format!("creating {}", bin.display()))?;
    for program in ["wine", "wineserver"] {
        let launcher = bin.join(program);
        std::fs::write(&launcher, launcher_text(&root, program)).doing(format!("writing {}", launcher.display()))?;
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&launcher, mode).doing("making the launcher executable")?;
    }
    std::fs::remove_dir_all(&dir).doing(format!("removing {}", dir.display()))
}

/// Adds the 64-bit half to the tree, so that Wine's loader finds both beside itself.
fn arrange(root: &Path) -> Result {
    let lib = root.join("usr/lib");
    let copies = [
        (SYSTEM_WINE64, "wine/wine64"),
        ("/usr/lib/wine/wineserver64", "wine/wineserver"),
        // Wine takes the folder of its libraries from the real path of ntdll.so, so a link would lead out of the tree.
        ("/usr/lib/x86_64-linux-gnu/wine/x86_64-unix", "x86_64-linux-gnu/wine/x86_64-unix"),
    ];
    for (from, to) in copies {
        let to = lib.join(to);
        let folder = to.parent().unwrap_or(&lib);
        std::fs::create_dir_all(folder).doing(format!("creating {}", folder.display()))?;
        let mut copy = Command::new("cp");
        copy.args(["-r", "--remove-destination", from]).arg(&to);
        step::output(&mut copy, "copying the 64-bit half of Wine")?;
    }
    let links = [
        ("/usr/lib/x86_64-linux-gnu/wine/x86_64-windows", lib.join("x86_64-linux-gnu/wine/x86_64-windows")),
        ("../../i386-linux-gnu/wine/i386-windows", lib.join("x86_64-linux-gnu/wine/i386-windows")),
        ("/usr/share/wine", root.join("usr/share/wine")),
    ];
    for (target, link) in links {
        if link.is_symlink() || !link.exists() {
            let _ = std::fs::remove_file(&link);
            symlink(target, &link).doing(format!("linking {}", link.display()))?;
        }
    }
    // Wine's user32.dll needs zlib1.dll; Debian makes it at installation, for both widths, marked as one of Wine's own.
    let zlib = "x86_64-linux-gnu/wine/i386-windows/zlib1.dll";
    let to = lib.join("i386-linux-gnu/wine/i386-windows/zlib1.dll");
    std::fs::copy(Path::new("/usr/lib").join(zlib), to).doing("copying zlib1.dll")?;
    Ok(())
}

fn launcher_text(root: &Path, program: &str) -> String {
    let root = root.display();
    format!(
        "#!/bin/sh\n\
         # Wine of both widths out of a private tree. Written by `cargo xtask setup` of Afterimage.\n\
         root='{root}'\n\
         LD_LIBRARY_PATH=\"$root/usr/lib/i386-linux-gnu:$root/lib/i386-linux-gnu${{LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}}\"\n\
         export LD_LIBRARY_PATH\n\
         exec \"$root/usr/lib/wine/{program}\" \"$@\"\n"
    )
}

/// The release whose packages fit the installed Wine.
fn release() -> Result<String> {
    let text = std::fs::read_to_string("/etc/os-release").doing("reading /etc/os-release")?;
    let name = text
        .lines()
        .find_map(|line| line.strip_prefix("VERSION_CODENAME="))
        .map(|name| name.trim_matches('"').to_owned());
    name.ok_or_else(|| Failure::new("finding the Debian release", "/etc/os-release has no VERSION_CODENAME"))
}
