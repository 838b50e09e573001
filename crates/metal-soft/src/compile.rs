//! Compiles text with clang and loads it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use afterimage_metal_calls::{Error, FunctionDescriptor};

use crate::call::{Loaded, load};
use crate::text::{Interface, parse, wrap};

/// A function that can be called, and what it takes and gives.
#[derive(Debug)]
pub(crate) struct Compiled {
    pub(crate) interface: Interface,
    pub(crate) loaded: Loaded,
    /// The hash of all that it was compiled of.
    pub(crate) hash: u128,
}

/// The headers, by name.
const HEADERS: [(&str, &str); 4] = [
    ("metal_stdlib", include_str!("../cpp/metal_stdlib")),
    ("metal_texture", include_str!("../cpp/metal_texture")),
    ("metal_core", include_str!("../../msl/tests/judge/metal_stdlib")),
    ("run.h", include_str!("../cpp/run.h")),
];

const ARGUMENTS: [&str; 40] = [
    "-std=c++17",
    "-O1",
    "-fPIC",
    "-shared",
    "-nostdinc",
    "-nostdlib",
    "-fvisibility=hidden",
    "-ffp-contract=off",
    "-fno-fast-math",
    "-fno-builtin",
    "-fno-strict-aliasing",
    "-fwrapv",
    // Lanes that parted come together again at the first place in the code: it must be in the order of the text.
    "-mllvm",
    "-disable-block-placement",
    // What lanes tell each other in both branches are two exchanges: one behind them would be of other lanes.
    "-mllvm",
    "-simplifycfg-sink-common=false",
    "-mllvm",
    "-simplifycfg-hoist-common=false",
    "-mllvm",
    "-enable-tail-merge=false",
    // Loops without an end are ended here.
    "-fno-finite-loops",
    "-fno-lax-vector-conversions",
    "-fno-exceptions",
    "-fno-rtti",
    "-Wno-everything",
    "-ferror-limit=5",
    // Calls at each access to memory and in each block, which `run.h` has.
    "-fsanitize=kernel-address",
    "-mllvm",
    "-asan-instrumentation-with-call-threshold=0",
    "-mllvm",
    "-asan-stack=0",
    "-mllvm",
    "-asan-opt-same-temp=0",
    "-mllvm",
    "-asan-globals=0",
    "-fsanitize-coverage=no-prune,trace-pc",
    "-Xclang",
    "-fallow-half-arguments-and-returns",
    // Literals without an `f` are floats in Metal.
    "-Xclang",
    "-cl-single-precision-constant",
];

static CLANG: LazyLock<Result<String, String>> = LazyLock::new(|| {
    let works = |name: &&str| Command::new(name).arg("--version").output().is_ok_and(|o| o.status.success());
    let clang = ["clang++-14", "clang++"].into_iter().find(works).map(str::to_owned);
    clang.ok_or_else(|| "no clang++-14 or clang++: run `cargo xtask setup`".to_owned())
});

/// By the hash of the whole program.
static CACHE: LazyLock<Mutex<HashMap<u128, Arc<Compiled>>>> = LazyLock::new(Mutex::default);

/// Whether there is a compiler; or why not.
///
/// # Errors
/// What is missing.
pub fn compiler() -> Result<(), String> {
    CLANG.as_ref().map(|_| ()).map_err(Clone::clone)
}

fn source(label: &str, text: impl Into<String>) -> Error {
    Error::Source { what: label.to_owned(), text: text.into() }
}

/// Compiles a function, or finds it.
pub(crate) fn compile(descriptor: &FunctionDescriptor<'_>) -> Result<Arc<Compiled>, Error> {
    let fail = |text: String| source(descriptor.label, text);
    let program = parse(descriptor.source);
    let (interface, function) = Interface::of(&program, descriptor.name).map_err(fail)?;
    let text = wrap(&program, &interface, function, descriptor.constants).map_err(fail)?;
    let hash = xxhash_rust::xxh3::xxh3_128(text.as_bytes());
    if let Some(found) = CACHE.lock().unwrap_or_else(PoisonError::into_inner).get(&hash) {
        return Ok(Arc::clone(found));
    }
    let clang = CLANG.as_ref().map_err(|text| fail(text.clone()))?;
    // The folder goes when the library is loaded.
    let folder = tempfile::Builder::new().prefix("metal-soft-").tempdir().map_err(|e| fail(e.to_string()))?;
    let library = build(clang, folder.path(), &text).map_err(fail)?;
    let loaded = load(&library, interface.buffers.len()).map_err(fail)?;
    let compiled = Arc::new(Compiled { interface, loaded, hash });
    CACHE.lock().unwrap_or_else(PoisonError::into_inner).insert(hash, Arc::clone(&compiled));
    Ok(compiled)
}

fn build(clang: &str, folder: &Path, text: &str) -> Result<PathBuf, String> {
    for (name, text) in HEADERS {
        std::fs::write(folder.join(name), text).map_err(|e| e.to_string())?;
    }
    let (from, to) = (folder.join("function.cpp"), folder.join("function.so"));
    std::fs::write(&from, text).map_err(|e| e.to_string())?;
    let output = Command::new(clang)
        .args(ARGUMENTS)
        .arg("-I")
        .arg(folder)
        .arg(&from)
        .arg("-o")
        .arg(&to)
        .arg("-lm")
        .output()
        .map_err(|e| e.to_string())?;
    if output.status.success() { Ok(to) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) }
}
