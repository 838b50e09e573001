//! Hashes the sources of the compiler, so that a disk cache which another build wrote is not read.

use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

fn main() -> std::io::Result<()> {
    // Outside of the workspace the version says it: packages of one version have one content, and go together.
    if !Path::new("../shader/Cargo.toml").is_file() {
        println!("cargo::rerun-if-changed=build.rs");
        println!("cargo::rustc-env=AFTERIMAGE_COMPILER_HASH={}", xxh3_64(env!("CARGO_PKG_VERSION").as_bytes()));
        return Ok(());
    }
    // This crate and every crate of ours that it is made from.
    let mut names = vec!["shader".to_owned()];
    let mut files = Vec::new();
    let mut next = 0;
    while let Some(name) = names.get(next) {
        let dir = Path::new("..").join(name);
        next += 1;
        println!("cargo::rerun-if-changed={}", dir.join("src").display());
        println!("cargo::rerun-if-changed={}", dir.join("Cargo.toml").display());
        collect(&dir.join("src"), &mut files)?;
        for name in dependencies(&std::fs::read_to_string(dir.join("Cargo.toml"))?) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    files.sort();
    let mut hash = Xxh3::new();
    for file in files {
        hash.update(file.to_string_lossy().as_bytes());
        hash.update(&std::fs::read(&file)?);
    }
    println!("cargo::rustc-env=AFTERIMAGE_COMPILER_HASH={}", hash.digest());
    Ok(())
}

/// Our own crates in the `[dependencies]` of a manifest, without the prefix that all have.
fn dependencies(manifest: &str) -> Vec<String> {
    let lines = manifest.lines().skip_while(|line| line.trim() != "[dependencies]").skip(1);
    let lines = lines.take_while(|line| !line.starts_with('['));
    let names = lines.filter_map(|line| line.strip_prefix("afterimage-")?.split(['.', ' ', '=']).next());
    names.map(str::to_owned).collect()
}

fn collect(dir: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(dir)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    Ok(())
}
