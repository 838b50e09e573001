//! What a renderer process may reach: files by Landlock, system calls by seccomp.
//!
//! * `paths`: the table of files and folders; `files`: that table as rules of Landlock.
//! * `calls`: the table of system calls; `filter`: that table as filters of seccomp.
//! * `page`: docs/sandbox.md, which is both tables.
//!
//! Nothing here ends a process: what is not permitted fails with an error, since drivers try things out and go on without.

#[cfg(target_os = "linux")]
pub mod calls;
#[cfg(target_os = "linux")]
mod files;
#[cfg(target_os = "linux")]
mod filter;
#[cfg(target_os = "linux")]
mod page;
#[cfg(target_os = "linux")]
pub mod paths;

#[cfg(target_os = "linux")]
pub use page::markdown;

use std::fmt;
use std::path::PathBuf;

/// What a renderer process may reach, besides what drivers need.
#[derive(Clone, Debug, Default)]
pub struct Access {
    /// Files, and folders with all that is in them, to read.
    pub read: Vec<PathBuf>,
    /// The same to read, write, make, rename and remove. What is not there when the process is confined stays out of reach.
    pub write: Vec<PathBuf>,
    /// The folder of our caches; it is made if need be. Drivers get folders of their own in it, so that nothing that is made in here is read
    /// by other programs of the user's, which are not confined.
    pub cache: Option<PathBuf>,
    /// Whether it shows pictures in windows: may it connect to sockets of this computer, of which the display's is one?
    pub display: bool,
}

/// What came of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All of it holds.
    Confined,
    /// Some of it does not, in words.
    Partly(String),
    /// Nothing of it does, in words.
    Impossible(String),
}

impl Outcome {
    /// Says in the log what does not hold.
    pub fn log(&self) {
        match self {
            Self::Confined => {}
            Self::Partly(what) => tracing::info!("the sandbox of the renderer is not whole: {what}"),
            Self::Impossible(why) => tracing::warn!("the renderer has no sandbox: {why}"),
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Confined => f.write_str("confined"),
            Self::Partly(why) => write!(f, "confined in part: {why}"),
            Self::Impossible(why) => write!(f, "not confined: {why}"),
        }
    }
}

/// Where drivers keep what they compile, as they are told by variables: the variable, and the folder in that of our caches.
pub const DRIVER_CACHES: &[(&str, &str)] =
    &[("MESA_SHADER_CACHE_DIR", "drivers/mesa"), ("__GL_SHADER_DISK_CACHE_PATH", "drivers/nvidia")];

/// Step 1, before the process has a second thread and before it loads Vulkan: which files it may open, by Landlock, which binds a thread and
/// those that it starts later.
#[cfg(target_os = "linux")]
#[must_use]
pub fn confine_paths(access: &Access) -> Outcome {
    let threads = threads();
    if let Some(cache) = &access.cache {
        for (variable, folder) in DRIVER_CACHES {
            let folder = cache.join(folder);
            // Without it drivers go without a cache.
            let made = std::fs::create_dir_all(&folder).is_ok();
            if made && threads == 1 {
                // SAFETY: no other thread is there to read the environment.
                unsafe { std::env::set_var(variable, &folder) };
            }
        }
    }
    files::confine(access, threads)
}

/// Step 2, when the device is open: which system calls all of its threads may make, by seccomp.
#[cfg(target_os = "linux")]
#[must_use]
pub fn confine_calls(access: &Access) -> Outcome {
    if !cfg!(any(target_arch = "x86_64", target_arch = "aarch64")) {
        return Outcome::Impossible(format!("there is no table of system calls for {}", std::env::consts::ARCH));
    }
    match filter::install(access.display) {
        Ok(()) => Outcome::Confined,
        Err(why) => Outcome::Impossible(format!("seccomp: {why}")),
    }
}

/// How many threads this process has. Where that cannot be seen, more than one.
#[cfg(target_os = "linux")]
fn threads() -> usize {
    std::fs::read_dir("/proc/self/task").map_or(usize::MAX, Iterator::count)
}

/// The version of Landlock that this kernel has; 0 where it has none, or where that is switched off. With [`WHOLE`] or more nothing is
/// missing of [`confine_paths`].
#[cfg(target_os = "linux")]
#[must_use]
pub fn landlock_version() -> i64 {
    const VERSION: u32 = 1;
    // SAFETY: asked for its version the call takes no memory.
    let version = unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, std::ptr::null::<u8>(), 0usize, VERSION) };
    version.max(0)
}

/// The version of Landlock (Linux 6.12) that has all that a renderer process gives up.
pub const WHOLE: i64 = 6;

/// Step 1 elsewhere.
#[cfg(not(target_os = "linux"))]
#[must_use]
pub fn confine_paths(_: &Access) -> Outcome {
    Outcome::Impossible("there is a sandbox on Linux only".into())
}

/// Step 2 elsewhere.
#[cfg(not(target_os = "linux"))]
#[must_use]
pub fn confine_calls(_: &Access) -> Outcome {
    Outcome::Impossible("there is a sandbox on Linux only".into())
}
