//! Where things lie: the source tree, what is built from it, and what is downloaded once per user.

use std::path::{Path, PathBuf};

/// The folders that the commands work in.
#[derive(Debug, Clone)]
pub struct Workspace {
    /// The root of the source tree.
    pub root: PathBuf,
    /// cargo's target folder.
    pub target: PathBuf,
    /// Downloads that outlive the source tree: Rust's library source, 32-bit Wine, the Wine prefixes.
    pub cache: PathBuf,
}

impl Workspace {
    /// Finds the folders: the source tree from cargo, the target folder from `CARGO_TARGET_DIR`, the cache from
    /// `AFTERIMAGE_CACHE_DIR`, `XDG_CACHE_HOME` or `HOME`.
    pub fn find() -> Self {
        let manifest =
            std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| env!("CARGO_MANIFEST_DIR").into(), PathBuf::from);
        let root = manifest.parent().map_or_else(|| PathBuf::from("."), Path::to_path_buf);
        let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), |dir| root.join(dir));
        let home = std::env::var_os("HOME").map_or_else(std::env::temp_dir, PathBuf::from);
        let cache = std::env::var_os("AFTERIMAGE_CACHE_DIR")
            .map(PathBuf::from)
            .or_else(|| std::env::var_os("XDG_CACHE_HOME").map(|dir| PathBuf::from(dir).join("afterimage")))
            .unwrap_or_else(|| home.join(".cache/afterimage"));
        Self { root, target, cache }
    }

    /// The release tree: libraries, programs, headers, samples.
    pub fn dist(&self) -> PathBuf {
        self.target.join("dist")
    }

    /// Logs of the commands that were run, one file per step.
    pub fn logs(&self) -> PathBuf {
        self.target.join("xtask-logs")
    }

    /// The private tree of the 32-bit Wine, see [`crate::setup::wine32`].
    pub fn wine32(&self) -> PathBuf {
        self.cache.join("wine32")
    }
}
