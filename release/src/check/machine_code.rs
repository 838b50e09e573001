//! Programs and libraries of a release: nothing in them leads back to the machine that built them.

use std::path::Path;
use std::process::Command;

use xtask::build::Profile;
use xtask::step::{self, Context as _, Failure, Result};

use super::{Checked, Found, wrong};
use crate::{debug, files};

/// No file, of whatever kind, names a folder of this machine. Builds of the tests name those of cargo's packages in messages of
/// panics; releases do not.
pub(super) fn names(checked: &Checked<'_>) -> Result<Found> {
    let ws = checked.ws;
    let mut folders = vec![ws.root.clone(), ws.target.clone()];
    if checked.release.profile == Profile::Release {
        folders.push(ws.cache.clone());
        folders.extend(["HOME", "CARGO_HOME", "RUSTUP_HOME"].iter().filter_map(std::env::var_os).map(Into::into));
    }
    // As folders, so that `/root` is not found in `/rooted`; one such as `/` would be in everything.
    let mut folders: Vec<String> = folders.iter().map(|folder| format!("{}/", folder.display())).collect();
    folders.retain(|folder| folder.len() > 2);
    let mut found = Vec::new();
    let inside = files::list(&checked.unpacked)?;
    for file in &inside {
        let path = checked.unpacked.join(file);
        let bytes = std::fs::read(&path).doing(format!("reading {}", path.display()))?;
        for folder in &folders {
            if let Some(at) = named(&bytes, folder) {
                let end = (at + 120).min(bytes.len());
                let text: String =
                    String::from_utf8_lossy(&bytes[at..end]).chars().take_while(|c| !c.is_control()).collect();
                found.push(format!("{}: {text}", file.display()));
            }
        }
    }
    wrong("looking for folders of this machine", &found)?;
    Ok(Found::Well(format!("{} in none of {} files", folders.join(", "), inside.len())))
}

/// Where bytes have a folder's path: not behind Steam's folder, which has one `root`, as root's home is called.
fn named(bytes: &[u8], folder: &str) -> Option<usize> {
    let mut places = (0..bytes.len()).filter(|&at| bytes[at..].starts_with(folder.as_bytes()));
    places.find(|&at| !bytes[..at].ends_with(b"/.steam"))
}

/// Symbols are in files of their own, and libraries of ours are looked for from where a program lies.
pub(super) fn stripped(checked: &Checked<'_>) -> Result<Found> {
    let (mut found, mut bytes) = (Vec::new(), 0);
    let all = debug::machine_code(&checked.unpacked)?;
    // Debuggers look beside the program, where this archive's file comes to lie if it is unpacked over the other.
    let mut tar = Command::new("tar");
    let apart =
        step::output(tar.arg("--list").arg("--file").arg(checked.release.debug_archive()), "listing debug files")?;
    for file in &all {
        let path = checked.unpacked.join(file);
        let place = debug::place(file);
        bytes += files::size(&checked.release.debug.join(&place));
        let packed = format!("{}/{}", checked.release.name, place.display());
        if !apart.lines().any(|line| line == packed) {
            found.push(format!("{}: no debug file", file.display()));
        }
        let sections = step::output(Command::new("objdump").arg("--section-headers").arg(&path), "objdump")?;
        if sections.contains(".debug_info") || !sections.contains(".gnu_debuglink") {
            found.push(format!("{}: not stripped, or without the link to its debug file", file.display()));
        }
        if is_elf(&path)? {
            found.extend(wrong_path(file, &step::output(Command::new("readelf").arg("-d").arg(&path), "readelf")?));
        }
    }
    if all.is_empty() {
        return Err(Failure::new("looking for machine code", "there is none"));
    }
    wrong("looking at programs and libraries", &found)?;
    Ok(Found::Well(format!("{} files, whose {:.0} MB of symbols lie apart", all.len(), bytes as f64 / 1e6)))
}

fn is_elf(path: &Path) -> Result<bool> {
    let mut magic = [0; 4];
    let file = std::fs::File::open(path).doing(format!("opening {}", path.display()))?;
    Ok(std::io::Read::read_exact(&mut &file, &mut magic).is_ok() && magic == *b"\x7fELF")
}

/// What is wrong with where a file looks for libraries, as `readelf -d` tells it.
fn wrong_path(file: &Path, dynamic: &str) -> Option<String> {
    let looked = dynamic.lines().filter(|line| line.contains("(RPATH)") || line.contains("(RUNPATH)"));
    let folders =
        looked.filter_map(|line| line.split_once('[')?.1.split_once(']')).flat_map(|(folders, _)| folders.split(':'));
    let wrong: Vec<&str> = folders.filter(|folder| !folder.starts_with("$ORIGIN")).collect();
    (!wrong.is_empty()).then(|| format!("{}: looks for libraries in {}", file.display(), wrong.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::{named, wrong_path};
    use std::path::Path;

    #[test]
    fn folders_are_found_wherever_they_are_named() {
        assert_eq!(named(b"see ~/.steam/root/tools", "/root/"), None);
        assert_eq!(named(b"see ~/.steam/root/tools or/root/.cargo", "/root/"), Some(26));
        assert_eq!(named(b"panicked at/root/.cargo/x.rs", "/root/"), Some(11));
    }

    #[test]
    fn libraries_are_looked_for_from_the_program() {
        let said = |folders: &str| format!(" 0x0000000f (RPATH)              Library rpath: [{folders}]\n");
        assert_eq!(wrong_path(Path::new("a"), &said("$ORIGIN/../..")), None);
        assert_eq!(wrong_path(Path::new("a"), "no such line"), None);
        let wrong = wrong_path(Path::new("a"), &said("$ORIGIN:/work/target"));
        assert_eq!(wrong.as_deref(), Some("a: looks for libraries in /work/target"));
    }
}
