//! What `bench d3d9 --floor` runs: the floor, and what stands in for SDL 2 where there is no window.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use xtask::build;
use xtask::step::{self, Context, Failure, Progress, Result};
use xtask::workspace::Workspace;

/// The benchmark in `crates/vulkan/benches` that is the floor.
const FLOOR: &str = "floor";
/// What stands in for SDL 2, in the folder of the parts: a library that looks SDL up finds it there by its name.
const STAND_IN: &str = "without-window/libSDL2-2.0.so.0";

/// Programs and libraries that lie beside each other.
#[derive(Debug)]
pub(super) struct Parts {
    /// The floor.
    pub(super) floor: PathBuf,
    /// The folder with what stands in for SDL 2.
    pub(super) without_window: PathBuf,
}

impl Parts {
    /// Those that were built elsewhere.
    ///
    /// # Errors
    /// When they are not there.
    pub(super) fn existing(floor: &Path) -> Result<Self> {
        let floor = std::path::absolute(floor).doing(format!("finding {}", floor.display()))?;
        let parts = Self::beside(floor);
        let missing = [parts.floor.clone(), parts.stand_in()].into_iter().find(|file| !file.is_file());
        let advice = "`cargo xtask bench d3d9 --floor` makes both in target/bench/parts: copy the folder";
        missing.map_or(Ok(parts), |file| {
            Err(Failure::new("the floor", format!("{} is not there", file.display())).advise(advice))
        })
    }

    /// Builds them in `target/bench/parts`.
    ///
    /// # Errors
    /// When one does not build.
    pub(super) fn build(ws: &Workspace, out: &Path) -> Result<Self> {
        let parts = Self::beside(out.join("parts").join(FLOOR));
        let progress = Progress::start("building the floor (release)");
        let built = built_floor(ws);
        progress.finish(&built);
        build::copy(&built?, &parts.floor)?;
        let (source, library) = (ws.root.join("samples/without_window.cpp"), parts.stand_in());
        std::fs::create_dir_all(&parts.without_window).doing(format!("creating {}", parts.without_window.display()))?;
        let mut compiler = Command::new("g++");
        compiler.args(["-std=c++17", "-O2", "-Wall", "-Wextra", "-shared", "-fPIC"]).arg(source).arg("-o").arg(library);
        step::run(ws, &mut compiler, "compiling what stands in for SDL 2", "")?;
        Ok(parts)
    }

    fn beside(floor: PathBuf) -> Self {
        let without_window = floor.with_file_name(STAND_IN).parent().map_or_else(PathBuf::new, Path::to_path_buf);
        Self { floor, without_window }
    }

    fn stand_in(&self) -> PathBuf {
        self.floor.with_file_name(STAND_IN)
    }
}

/// Builds the floor, and says where cargo has put it.
fn built_floor(ws: &Workspace) -> Result<PathBuf> {
    let mut cargo = build::cargo(ws);
    cargo.args(["build", "--release", "-p", "afterimage-vulkan", "--bench", FLOOR, "--message-format", "json"]);
    let messages = step::output(&mut cargo, "building the floor")?;
    executable(&messages).ok_or_else(|| Failure::new("building the floor", "cargo does not say where it is"))
}

/// Where the floor is, in cargo's messages.
fn executable(messages: &str) -> Option<PathBuf> {
    let messages = messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut made = messages.filter(|message| message["target"]["name"] == FLOOR);
    made.find_map(|message| message["executable"].as_str().map(PathBuf::from))
}

#[cfg(test)]
mod tests {
    use super::{Parts, executable};
    use std::path::{Path, PathBuf};

    #[test]
    fn cargo_says_where_the_floor_is() {
        let messages = "   Compiling floor\n\
            {\"reason\":\"compiler-artifact\",\"target\":{\"name\":\"libc\"},\"executable\":null}\n\
            {\"reason\":\"compiler-artifact\",\"target\":{\"name\":\"floor\"},\"executable\":\"/t/deps/floor-1\"}\n\
            {\"reason\":\"build-finished\",\"success\":true}\n";
        assert_eq!(executable(messages), Some(PathBuf::from("/t/deps/floor-1")));
        assert_eq!(executable("{\"target\":{\"name\":\"other\"}}"), None);
    }

    #[test]
    fn parts_that_are_not_there_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let floor = folder.path().join("floor");
        std::fs::write(&floor, "").unwrap();
        let failure = Parts::existing(&floor).unwrap_err().to_string();
        assert!(failure.contains("without-window/libSDL2-2.0.so.0 is not there"), "{failure}");
        let parts = Parts::beside(Path::new("/parts/floor").to_owned());
        assert_eq!(parts.without_window, Path::new("/parts/without-window"));
    }
}
