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
    pub(crate) loaded: Arc<Loaded>,
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

/// A compiler.
struct Clang {
    name: &'static str,
    /// Of what it says of itself, its arguments and the headers.
    hash: u128,
}

static CLANG: LazyLock<Result<Clang, String>> = LazyLock::new(|| {
    let version = |name: &'static str| {
        let output = Command::new(name).arg("--version").output().ok().filter(|output| output.status.success())?;
        let mut hasher = xxhash_rust::xxh3::Xxh3::new();
        hasher.update(&output.stdout);
        ARGUMENTS.iter().for_each(|argument| hasher.update(argument.as_bytes()));
        HEADERS.iter().for_each(|(_, text)| hasher.update(text.as_bytes()));
        Some(Clang { name, hash: hasher.digest128() })
    };
    let clang = ["clang++-14", "clang++"].into_iter().find_map(version);
    clang.ok_or_else(|| "no clang++-14 or clang++: run `cargo xtask setup`".to_owned())
});

/// By the hash of the whole program. Attributes are not in it, so that two functions with other interfaces may be one there.
static CACHE: LazyLock<Mutex<HashMap<u128, Arc<Loaded>>>> = LazyLock::new(Mutex::default);

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

/// Compiles a function, or finds it, also in a folder with what was compiled before.
pub(crate) fn compile(
    descriptor: &FunctionDescriptor<'_>,
    language: u32,
    folder: Option<&Path>,
) -> Result<Arc<Compiled>, Error> {
    let fail = |text: String| source(descriptor.label, text);
    let program = parse(descriptor.source);
    let (interface, function) = Interface::of(&program, descriptor.name).map_err(fail)?;
    let text = wrap(&program, &interface, function, descriptor.constants).map_err(fail)?;
    let text = format!("#define __METAL_VERSION__ {language}\n{text}");
    let hash = xxhash_rust::xxh3::xxh3_128(text.as_bytes());
    if let Some(found) = CACHE.lock().unwrap_or_else(PoisonError::into_inner).get(&hash) {
        return Ok(Arc::new(Compiled { interface, loaded: Arc::clone(found), hash }));
    }
    let clang = CLANG.as_ref().map_err(|text| fail(text.clone()))?;
    let kept = folder.map(|folder| folder.join(format!("{:032x}.so", hash ^ clang.hash)));
    let loaded = match &kept {
        // What cannot be loaded is made anew.
        Some(kept) if kept.is_file() => load(kept, interface.buffers.len()).ok(),
        _ => None,
    };
    let loaded = match loaded {
        Some(loaded) => loaded,
        None => {
            // The folder goes when the library is loaded. In it nobody sees what is not whole.
            let made = |parent: &Path| tempfile::Builder::new().prefix("metal-soft-").tempdir_in(parent);
            let parent = folder.map_or_else(std::env::temp_dir, Path::to_owned);
            let room =
                std::fs::create_dir_all(&parent).and_then(|()| made(&parent)).map_err(|e| fail(e.to_string()))?;
            let library = build(clang.name, room.path(), &text).map_err(fail)?;
            if let Some(kept) = &kept {
                std::fs::rename(&library, kept).map_err(|e| fail(e.to_string()))?;
            }
            load(kept.as_ref().unwrap_or(&library), interface.buffers.len()).map_err(fail)?
        }
    };
    let loaded = Arc::new(loaded);
    CACHE.lock().unwrap_or_else(PoisonError::into_inner).insert(hash, Arc::clone(&loaded));
    Ok(Arc::new(Compiled { interface, loaded, hash }))
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
