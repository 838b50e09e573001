//! Which Wine a Windows program runs under, and which implementation of Direct3D 9 it finds beside itself.

use std::path::{Path, PathBuf};
use std::process::Command;

use xtask::build::{self, Tree, Width};
use xtask::setup::{self, apt};
use xtask::step::{self, Failure, Progress, Result};
use xtask::workspace::Workspace;

use super::root;
use crate::on_metal::OnMetal;

/// Where Wine comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Release {
    /// This machine's own (8.0 on Debian 12).
    Host,
    /// Debian trixie's 10.0, in a folder of the cache; needs root.
    Trixie,
}

/// A Wine that is there.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    ws: Workspace,
    root: Option<PathBuf>,
    /// As Wine says it itself: `8.0`.
    pub(crate) version: String,
}

impl Place {
    /// Finds a Wine, or makes it.
    ///
    /// # Errors
    /// When it cannot be made, or does not say its version.
    pub(crate) fn prepare(ws: &Workspace, release: Release) -> Result<Self> {
        let root = match release {
            Release::Host => None,
            Release::Trixie => Some(root::ensure(ws)?),
        };
        let mut place = Self { ws: ws.clone(), root, version: String::new() };
        let text = step::output(place.command("wine").arg("--version").env("HOME", &ws.cache), "asking Wine's version")
            .map_err(|failure| failure.advise("see `cargo xtask setup --check`"))?;
        place.version = version_of(&text).to_owned();
        Ok(place)
    }

    /// This machine's own, whatever its version.
    pub(crate) fn here(ws: &Workspace) -> Self {
        Self { ws: ws.clone(), root: None, version: String::new() }
    }

    /// The Wine that is there without making one: trixie's where its folder is, else this machine's.
    pub(crate) fn best(ws: &Workspace) -> Release {
        if root::folder(ws).is_dir() && apt::is_root() { Release::Trixie } else { Release::Host }
    }

    /// What file names call it.
    pub(crate) fn name(&self) -> &'static str {
        if self.root.is_some() { root::SUITE } else { "host" }
    }

    /// A command in this place.
    pub(crate) fn command(&self, program: &str) -> Command {
        match &self.root {
            None => Command::new(program),
            Some(root) => root::command(root, &[&self.ws.cache, &self.ws.root, &self.ws.target], program),
        }
    }

    /// What `PATH` has to be for Wine of a width, if not what it is.
    pub(crate) fn path(&self, width: Width) -> Option<std::ffi::OsString> {
        if self.root.is_some() || width == Width::W64 || setup::wine32::system_has_it() {
            return None;
        }
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = std::iter::once(self.ws.wine32().join("bin")).chain(std::env::split_paths(&path));
        std::env::join_paths(folders).ok()
    }

    /// Why programs of this width cannot be run, if so.
    pub(crate) fn lacks(&self, width: Width) -> Option<String> {
        let there = self.root.is_some() || width == Width::W64 || setup::wine32::done(&self.ws);
        (!there).then(|| "no 32-bit Wine (cargo xtask setup)".to_owned())
    }

    /// Why programs of this width have no driver's library of this name in their own process, if so.
    fn lacks_library(&self, width: Width, name: &str) -> Option<String> {
        if width == Width::W64 {
            return None;
        }
        let root = match &self.root {
            Some(root) => root.clone(),
            None if setup::wine32::system_has_it() => PathBuf::from("/"),
            None => self.ws.wine32().join("root"),
        };
        let there = root.join("usr/lib/i386-linux-gnu").join(name).exists();
        (!there).then(|| format!("no 32-bit {name} beside this Wine; --wine trixie has it"))
    }

    /// lavapipe's manifest here.
    pub(crate) fn software_driver(&self) -> Option<PathBuf> {
        let folder = Path::new("/usr/share/vulkan/icd.d");
        let root = self.root.as_deref().unwrap_or(Path::new("/"));
        let names = ["lvp_icd.x86_64.json", "lvp_icd.json"];
        let there = |name: &&str| root.join("usr/share/vulkan/icd.d").join(name).exists();
        names.into_iter().find(there).map(|name| folder.join(name))
    }

    /// Debian's DXVK: a winelib module, which Wine loads as `d3d9.dll` beside a program.
    ///
    /// # Errors
    /// When it is not there for this width and cannot be downloaded.
    fn dxvk(&self, width: Width) -> Result<PathBuf> {
        let inside = format!("usr/lib/dxvk/wine{}/d3d9.dll.so", width.bits());
        let root = self.root.clone().unwrap_or_else(|| self.ws.cache.join("dxvk"));
        let file = root.join(&inside);
        if file.is_file() {
            return Ok(file);
        }
        if self.root.is_some() || width == Width::W32 {
            return Err(Failure::new("DXVK", format!("there is none for {} bit", width.bits())));
        }
        let progress = Progress::start("downloading Debian trixie's DXVK");
        let result = download_dxvk(&self.ws, &root, &progress);
        progress.finish(&result);
        result.map(|()| file)
    }

    /// Lays an implementation beside the programs in `folder`.
    ///
    /// # Errors
    /// When it is not there.
    pub(crate) fn lay(&self, layer: Layer, tree: &Tree, width: Width, folder: &Path) -> Result {
        let dll = folder.join("d3d9.dll");
        match layer {
            Layer::InProcess | Layer::Viewer | Layer::MoltenVk | Layer::KosmicKrisp => {
                build::copy(&tree.root().join(width.folder()).join("d3d9.dll"), &dll)
            }
            Layer::Dxvk => build::copy(&self.dxvk(width)?, &dll),
            Layer::WineD3d => {
                let _ = std::fs::remove_file(dll);
                Ok(())
            }
        }
    }
}

/// What `wine --version` prints, without the name and the packager's additions.
fn version_of(text: &str) -> &str {
    let text = text.trim().trim_start_matches("wine-");
    text.split_whitespace().next().unwrap_or(text)
}

fn download_dxvk(ws: &Workspace, into: &Path, progress: &Progress) -> Result {
    let packages = apt::download(ws, &ws.cache.join("apt-dxvk"), root::SUITE, &["dxvk-wine64"], progress)?;
    packages.iter().try_for_each(|package| apt::unpack(package, into))
}

/// An implementation of Direct3D 9.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub(crate) enum Layer {
    /// Ours, rendering in the program's process.
    InProcess,
    /// Ours, rendering in the viewer.
    Viewer,
    /// Ours in the program's process, on a device that is held to what MoltenVK offers.
    #[value(name = "moltenvk")]
    MoltenVk,
    /// The same with KosmicKrisp.
    #[value(name = "kosmickrisp")]
    KosmicKrisp,
    /// Wine's own.
    #[value(name = "wined3d")]
    WineD3d,
    /// Debian's package `dxvk`.
    Dxvk,
}

impl Layer {
    /// Ours, as it is used.
    pub(crate) const OURS: [Self; 2] = [Self::InProcess, Self::Viewer];
    /// What ours is compared with.
    pub(crate) const PEERS: [Self; 2] = [Self::WineD3d, Self::Dxvk];

    /// Whether it is ours.
    pub(crate) fn is_ours(self) -> bool {
        !Self::PEERS.contains(&self)
    }

    /// What its device is held to.
    pub(crate) fn held_to(self) -> Option<OnMetal> {
        match self {
            Self::MoltenVk => Some(OnMetal::MoltenVk),
            Self::KosmicKrisp => Some(OnMetal::KosmicKrisp),
            Self::InProcess | Self::Viewer | Self::WineD3d | Self::Dxvk => None,
        }
    }

    /// For tables and file names.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::InProcess => "in-process",
            Self::Viewer => "viewer",
            Self::MoltenVk => "moltenvk",
            Self::KosmicKrisp => "kosmickrisp",
            Self::WineD3d => "wined3d",
            Self::Dxvk => "dxvk",
        }
    }

    /// Why it cannot run in this place, if so.
    pub(crate) fn lacks(self, place: &Place, width: Width) -> Option<String> {
        place.lacks(width).or_else(|| match self {
            Self::InProcess | Self::MoltenVk | Self::KosmicKrisp | Self::Dxvk => {
                place.lacks_library(width, "libvulkan.so.1")
            }
            Self::WineD3d => place.lacks_library(width, "libGL.so.1"),
            Self::Viewer => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::version_of;

    #[test]
    fn the_version_is_what_stands_behind_the_name() {
        assert_eq!(version_of("wine-8.0 (Debian 8.0~repack-4)\n"), "8.0");
        assert_eq!(version_of("wine-10.0\n"), "10.0");
    }
}
