//! Hashes the sources of the compiler, so that a disk cache which another build wrote is not read.

use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::Xxh3;

const CRATES: [&str; 5] = ["ir", "passes", "spirv", "shader-d3d9", "shader"];

fn main() -> std::io::Result<()> {
    let mut files = Vec::new();
    for name in CRATES {
        let dir = Path::new("..").join(name).join("src");
        println!("cargo::rerun-if-changed={}", dir.display());
        collect(&dir, &mut files)?;
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
