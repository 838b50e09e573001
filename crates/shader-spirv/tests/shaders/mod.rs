//! The GLSL shaders beside the tests, and what `spirv-opt` makes of them.
#![allow(dead_code, reason = "not every test wants each of these")]

use std::path::{Path, PathBuf};
use std::process::Command;

/// A compiled shader.
pub(crate) struct Version {
    /// The file's name, and the optimiser's flag.
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
}

/// Where they are.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/glsl")
}

/// One by its file name, without `.spv`.
pub(crate) fn shader(name: &str) -> Vec<u8> {
    std::fs::read(folder().join(format!("{name}.spv"))).expect("compile.sh makes it")
}

/// All of them, in order.
pub(crate) fn all() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder()).expect("the folder is there");
    let mut all: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    all.retain(|path| path.extension().is_some_and(|e| e == "spv"));
    all.sort();
    assert!(all.len() >= 30);
    all
}

/// Those like the shaders of real programs, and all others.
pub(crate) fn everything() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder().join("../programs")).expect("the folder is there");
    let mut all: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    all.retain(|path| path.extension().is_some_and(|e| e == "spv"));
    all.sort();
    all.extend(self::all());
    all
}

/// Whether a tool of SPIRV-Tools is there. Without it a test says less, which is an error where everything must be there.
pub(crate) fn has(tool: &str) -> bool {
    let there = Command::new(tool).arg("--version").output().is_ok();
    assert!(there || std::env::var_os("CI").is_none(), "{tool} is missing: run `cargo xtask setup`");
    if !there {
        eprintln!("{tool} is missing, so this test checks less: run `cargo xtask setup`");
    }
    there
}

/// The shader as it is, and with what `spirv-opt` makes of it.
pub(crate) fn versions(path: &Path) -> Vec<Version> {
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    let mut all = vec![Version { name: name.clone(), bytes: std::fs::read(path).unwrap() }];
    if has("spirv-opt") {
        for flag in ["-O", "-Os"] {
            let out = tempfile::NamedTempFile::new().unwrap();
            let status = Command::new("spirv-opt").arg(flag).arg(path).arg("-o").arg(out.path()).status().unwrap();
            assert!(status.success(), "spirv-opt {flag} {name}");
            all.push(Version { name: format!("{name} {flag}"), bytes: std::fs::read(out.path()).unwrap() });
        }
    }
    all
}
