//! What a Wine prefix is, and where its system's libraries lie.

use crate::Failure;
use crate::program::Width;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Folders of libraries in `drive_c/windows`, for the records too: nothing else is ever touched there.
pub(super) const FOLDERS: [&str; 2] = ["system32", "syswow64"];

/// A prefix.
#[derive(Debug)]
pub(super) struct Prefix {
    root: PathBuf,
    /// The width that it was made for: of 64 bit it may have libraries of both.
    pub(super) width: Width,
}

/// A folder of libraries of one width.
#[derive(Debug)]
pub(super) struct Place {
    /// One of [`FOLDERS`].
    pub(super) name: &'static str,
    pub(super) path: PathBuf,
    pub(super) width: Width,
}

impl Prefix {
    /// Looks whether a folder is a prefix that can be installed into.
    pub(super) fn open(named: &Path) -> Result<Self, Failure> {
        let name = named.display();
        let no = |why: &str| Failure::new(format!("{name} is no Wine prefix: {why}"));
        let root = named.canonicalize().map_err(|error| no(&error.to_string()))?;
        if !root.is_dir() {
            return Err(no("it is no folder"));
        }
        if root.join("pfx/system.reg").is_file() || is_proton(&root) {
            return Err(Failure::new(format!(
                "{name} is a prefix of Steam's Proton, which writes its own d3d9.dll into it at each start: make a compatibility tool \
                 instead, see `afterimage install --help`, --proton"
            )));
        }
        let make = format!("`WINEPREFIX={} wineboot --init` makes one", root.display());
        let registry = root.join("system.reg");
        if !registry.is_file() {
            return Err(no(&format!("it has no system.reg; {make}")));
        }
        let windows = root.join("drive_c/windows");
        if !windows.join(FOLDERS[0]).is_dir() {
            return Err(no(&format!("it has no drive_c/windows/system32; {make}")));
        }
        let mut head = Vec::new();
        std::fs::File::open(&registry)
            .and_then(|file| file.take(4096).read_to_end(&mut head))
            .map_err(|error| Failure::file("reading", &registry, error))?;
        Ok(Self { root, width: width_of(&String::from_utf8_lossy(&head)) })
    }

    /// Its folder, without links in its path.
    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// A folder of libraries by its name, whether or not it is there.
    pub(super) fn folder(&self, name: &str) -> PathBuf {
        self.root.join("drive_c/windows").join(name)
    }

    /// The folders of libraries that are there.
    pub(super) fn places(&self) -> Vec<Place> {
        let widths: &[Width] = match self.width {
            Width::W64 => &[Width::W64, Width::W32],
            Width::W32 => &[Width::W32],
        };
        let places = FOLDERS.into_iter().zip(widths);
        let place = |(name, width): (&'static str, &Width)| Place { name, path: self.folder(name), width: *width };
        // One that was made without a 32-bit Wine has an empty syswow64.
        places
            .map(place)
            .filter(|place| place.width == self.width || place.path.join("kernel32.dll").exists())
            .collect()
    }
}

/// What Proton writes beside its prefix.
fn is_proton(root: &Path) -> bool {
    root.parent().is_some_and(|beside| beside.join("tracked_files").is_file() && beside.join("version").is_file())
}

/// The width by the head of `system.reg`. Wine takes a registry that does not say it for one of 32 bit.
fn width_of(head: &str) -> Width {
    let said = head.lines().find_map(|line| line.strip_prefix("#arch="));
    if said.is_some_and(|arch| arch.trim() == "win64") { Width::W64 } else { Width::W32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_registry_says_the_width() {
        let head = "WINE REGISTRY Version 2\n;; All keys relative to \\\\Machine\n\n";
        assert_eq!(width_of(&format!("{head}#arch=win64\n")), Width::W64);
        assert_eq!(width_of(&format!("{head}#arch=win32\n")), Width::W32);
        assert_eq!(width_of(head), Width::W32);
    }
}
