//! Building the release tree: libraries, programs, headers and samples, each where a user would look for it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::SystemTime;

use crate::setup::Machine;
use crate::step::{self, Context, Failure, Result};
use crate::workspace::Workspace;

/// How the native half is built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    /// As `cargo test` builds, so that the tests build nothing twice.
    Dev,
    /// What users get.
    Release,
}

/// The width of a Windows program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Width {
    /// x86-64.
    W64,
    /// i686.
    W32,
}

impl Width {
    /// Both.
    pub const ALL: [Self; 2] = [Self::W64, Self::W32];

    /// The folder of this width in the release tree.
    pub fn folder(self) -> &'static str {
        match self {
            Self::W64 => "x86_64",
            Self::W32 => "i686",
        }
    }

    /// Bits of a pointer.
    pub fn bits(self) -> u32 {
        match self {
            Self::W64 => 64,
            Self::W32 => 32,
        }
    }

    fn target(self) -> String {
        format!("{}-win7-windows-gnu", self.folder())
    }

    /// The name of mingw's compiler of a language (`gcc`, `g++`).
    pub fn compiler(self, language: &str) -> String {
        format!("{}-w64-mingw32-{language}", self.folder())
    }
}

/// A sample program's source and what it is linked with on Windows.
struct Source {
    name: &'static str,
    windows_libraries: &'static [&'static str],
}

const SAMPLES: &[Source] = &[
    Source { name: "scene", windows_libraries: &[] },
    Source { name: "targets", windows_libraries: &[] },
    Source { name: "features", windows_libraries: &[] },
    Source { name: "teapot", windows_libraries: &["-ld3dx9_43"] },
    Source { name: "bench_d3d9", windows_libraries: &[] },
    Source { name: "soak", windows_libraries: &[] },
];

/// Samples that call a console's API: their name in the tree, the crate, and the example of it.
const CONSOLE_SAMPLES: [(&str, &str, &str); 2] =
    [("xbox", "afterimage-nv2a", "scene"), ("playstation", "afterimage-gnm", "water")];

/// The example of the command line's crate that writes the shaders of the self-test's material.
const CORPORA: &str = "shader_corpora";

/// The libraries for programs of others: transform feedback, the PlayStation 4's graphics, and the Vulkan layer.
const EMBEDDED: [&str; 3] = ["libafterimage_feedback_c.so", "libafterimage_gnm_c.so", "libafterimage_layer.so"];

/// The geometry of the samples is computed, and must come out the same to the last bit in every build.
const CXX_FLAGS: &[&str] = &["-std=c++17", "-O2", "-Wall", "-Wextra", "-ffp-contract=off"];

/// The Windows half of a tree.
#[derive(Debug, Clone)]
pub enum Windows {
    /// It is there.
    Built,
    /// The machine cannot build it, and why.
    Impossible(String),
    /// It does not build, and why.
    Broken(String),
}

/// A built tree.
#[derive(Debug, Clone)]
pub struct Tree {
    root: PathBuf,
    /// What there is for Windows.
    pub windows: Windows,
}

impl Tree {
    /// A tree that was built earlier.
    pub fn existing(root: &Path) -> Self {
        Self { root: std::path::absolute(root).unwrap_or_else(|_| root.to_owned()), windows: Windows::Built }
    }

    /// The tree's folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The command line program.
    pub fn afterimage(&self) -> PathBuf {
        self.root.join("bin/afterimage")
    }

    /// The viewer.
    pub fn viewer(&self) -> PathBuf {
        self.root.join("bin/afterimage-viewer")
    }

    /// A sample built for Linux.
    pub fn native_sample(&self, name: &str) -> PathBuf {
        self.root.join("samples/native").join(name)
    }

    /// A sample built for Windows.
    pub fn windows_sample(&self, name: &str, width: Width) -> PathBuf {
        self.root.join("samples").join(width.folder()).join(format!("{name}.exe"))
    }
}

/// What an earlier [`tree`] built.
pub fn built(ws: &Workspace, machine: &Machine, profile: Profile) -> Tree {
    let windows = machine.no_windows_build().map_or(Windows::Built, Windows::Impossible);
    Tree { root: folder(ws, profile), windows }
}

/// Where a tree goes.
pub fn folder(ws: &Workspace, profile: Profile) -> PathBuf {
    match profile {
        Profile::Release => ws.dist(),
        Profile::Dev => ws.target.join("dist-dev"),
    }
}

/// Builds the native half, and the Windows half where the machine can.
///
/// # Errors
/// When the native half does not build. What becomes of the other is in [`Tree::windows`].
pub fn tree(ws: &Workspace, machine: &Machine, profile: Profile) -> Result<Tree> {
    let mut tree = native(ws, profile)?;
    windows(ws, machine, &mut tree, profile);
    Ok(tree)
}

/// Builds the native half.
///
/// # Errors
/// When it does not build.
pub fn native(ws: &Workspace, profile: Profile) -> Result<Tree> {
    let tree = Tree { root: folder(ws, profile), windows: Windows::Impossible("it was not asked for".to_owned()) };
    native_libraries(ws, &tree, profile)?;
    headers(ws, &tree)?;
    native_samples(ws, &tree)?;
    Ok(tree)
}

/// Adds the Windows half to a tree, where the machine can build it.
pub fn windows(ws: &Workspace, machine: &Machine, tree: &mut Tree, profile: Profile) {
    tree.windows = match machine.no_windows_build() {
        Some(why) => Windows::Impossible(why),
        None => match windows_libraries(ws, tree, profile).and_then(|()| windows_samples(ws, tree)) {
            Ok(()) => Windows::Built,
            Err(failure) => {
                eprintln!("{failure}  going on with the native half");
                Windows::Broken(failure.summary())
            }
        },
    };
}

/// Builds the DLLs that the tests take, before they are needed, where the machine can.
///
/// # Errors
/// When they do not build.
pub fn windows_ahead(ws: &Workspace, machine: &Machine) -> Result {
    if machine.no_windows_build().is_some() {
        return Ok(());
    }
    windows_libraries(ws, &built(ws, machine, Profile::Dev), Profile::Dev)
}

/// What cargo is told for the library alone. The packages beside it, and a program that needs what tests need, are named so that features
/// are chosen as for [`PROGRAMS`]. (A test of the laboratory compares.)
pub const FIRST: &[&str] = &[
    "build",
    "--lib",
    "-p",
    "afterimage-d3d9-com",
    "-p",
    "afterimage",
    "-p",
    "afterimage-ir",
    "-p",
    "afterimage-shader-d3d9",
    "-p",
    "afterimage-shader-gcn",
    "-p",
    "afterimage-shader-nv2a",
    "-p",
    "afterimage-ipc",
    "--example",
    "guest",
];

/// What cargo is told for everything that a tree has, as the tests build it: with the same choice of features as `cargo test --workspace`
/// makes, so that nothing is built twice; with the one test program that others have recordings written by.
pub const PROGRAMS: &[&str] = &[
    "build",
    "--workspace",
    "--lib",
    "--bin",
    "afterimage",
    "--bin",
    "afterimage-viewer",
    "--example",
    CONSOLE_SAMPLES[0].2,
    "--example",
    CONSOLE_SAMPLES[1].2,
    "--example",
    "guest",
    "--example",
    CORPORA,
    "--test",
    "scenes",
];

/// Only the library as the tests build it: what is built first, and needs nothing that set-up installs.
///
/// # Errors
/// When it does not build.
pub fn first_library(ws: &Workspace) -> Result {
    let mut cargo = cargo(ws);
    cargo.args(FIRST);
    step::run(ws, &mut cargo, "building libd3d9.so", "").map(drop)
}

/// That library, and the samples that are linked with it: what is there soonest.
///
/// # Errors
/// When anything does not build.
pub fn first(ws: &Workspace) -> Result<Tree> {
    let why = "it is built last".to_owned();
    let tree = Tree { root: folder(ws, Profile::Dev), windows: Windows::Impossible(why) };
    first_library(ws)?;
    copy(&ws.target.join("debug/libd3d9.so"), &tree.root.join("libd3d9.so"))?;
    headers(ws, &tree)?;
    native_samples(ws, &tree)?;
    Ok(tree)
}

/// The release build of the command line program.
///
/// # Errors
/// When it does not build.
pub fn afterimage(ws: &Workspace) -> Result<PathBuf> {
    let mut cargo = cargo(ws);
    cargo.args(["build", "--release", "-p", "afterimage"]);
    without_paths(ws, &mut cargo)?;
    step::run(ws, &mut cargo, "building afterimage (release)", "")?;
    Ok(ws.target.join("release/afterimage"))
}

/// The program that writes captures of our corpora's shaders: it was built with the trees, last of them with this one.
///
/// # Errors
/// No tree was built.
pub fn shader_corpora(ws: &Workspace) -> Result<PathBuf> {
    let built = ["debug", "release"].map(|folder| ws.target.join(folder).join("examples").join(CORPORA));
    let age = |path: &PathBuf| std::fs::metadata(path).and_then(|file| file.modified()).ok();
    built.into_iter().filter(|path| age(path).is_some()).max_by_key(age).ok_or_else(|| {
        Failure::new("the shaders of the self-test", format!("{CORPORA} was not built: `cargo xtask build` builds it"))
    })
}

/// Only the release library, and the samples that are linked with it.
///
/// # Errors
/// When anything does not build.
pub fn library(ws: &Workspace) -> Result<Tree> {
    let tree = Tree { root: ws.dist(), windows: Windows::Impossible("not asked for".to_owned()) };
    let mut cargo = cargo(ws);
    cargo.args(["build", "--release", "-p", "afterimage-d3d9-com"]);
    without_paths(ws, &mut cargo)?;
    step::run(ws, &mut cargo, "building libd3d9.so (release)", "")?;
    copy(&ws.target.join("release/libd3d9.so"), &tree.root.join("libd3d9.so"))?;
    native_samples(ws, &tree)?;
    Ok(tree)
}

fn native_libraries(ws: &Workspace, tree: &Tree, profile: Profile) -> Result {
    let mut cargo = cargo(ws);
    let folder = match profile {
        Profile::Release => {
            cargo.args([
                "build",
                "--release",
                "-p",
                "afterimage-d3d9-com",
                "-p",
                "afterimage",
                "-p",
                "afterimage-viewer",
                "-p",
                "afterimage-feedback-c",
                "-p",
                "afterimage-gnm-c",
                "-p",
                "afterimage-layer",
            ]);
            without_paths(ws, &mut cargo)?;
            "release"
        }
        Profile::Dev => {
            cargo.args(PROGRAMS);
            "debug"
        }
    };
    step::run(ws, &mut cargo, &format!("building libd3d9.so and the programs ({folder})"), "")?;
    if profile == Profile::Release {
        let mut cargo = self::cargo(ws);
        cargo.args(["build", "--release"]);
        without_paths(ws, &mut cargo)?;
        CONSOLE_SAMPLES.iter().for_each(|(_, package, example)| {
            cargo.args(["-p", package, "--example", example]);
        });
        cargo.args(["-p", "afterimage", "--example", CORPORA]);
        step::run(ws, &mut cargo, "building the consoles' samples (release)", "")?;
    }
    let from = ws.target.join(folder);
    for (name, _, example) in CONSOLE_SAMPLES {
        copy(&from.join("examples").join(example), &tree.native_sample(name))?;
    }
    for library in ["libd3d9.so"].into_iter().chain(EMBEDDED) {
        copy(&from.join(library), &tree.root.join(library))?;
    }
    copy(&from.join("afterimage"), &tree.afterimage())?;
    copy(&from.join("afterimage-viewer"), &tree.viewer())
}

/// Has what is built name its sources without the folders of this machine: in messages of panics, and for debuggers.
fn without_paths(ws: &Workspace, cargo: &mut Command) -> Result {
    let flags: Vec<String> = path_flags(ws)?.iter().map(|flag| format!("{flag:?}")).collect();
    cargo.arg("--config").arg(format!("build.rustflags=[{}]", flags.join(",")));
    Ok(())
}

/// What tells the compiler so.
pub(crate) fn path_flags(ws: &Workspace) -> Result<Vec<String>> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let sysroot = step::output(Command::new(rustc).args(["--print", "sysroot"]), "asking the compiler for its folder")?;
    let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    let packages = std::env::var_os("CARGO_HOME").map_or_else(|| home.join(".cargo"), PathBuf::from);
    // Where several fit, the last one is taken.
    let named: [(&Path, &str); 5] = [
        (&ws.cache, "cache"),
        (&packages.join("registry/src"), "packages"),
        (&Path::new(sysroot.trim()).join("lib/rustlib/src/rust"), "rust"),
        (&ws.root, "afterimage"),
        (&ws.target, "afterimage/target"),
    ];
    Ok(named.iter().map(|(folder, name)| format!("--remap-path-prefix={}=/{name}", folder.display())).collect())
}

fn headers(ws: &Workspace, tree: &Tree) -> Result {
    let from = ws.root.join("include/afterimage");
    let entries = std::fs::read_dir(&from).doing(format!("reading {}", from.display()))?;
    for entry in entries.flatten() {
        copy(&entry.path(), &tree.root.join("include/afterimage").join(entry.file_name()))?;
    }
    Ok(())
}

/// The DLLs have a target folder of their own: they are built with another standard library and another environment,
/// and do not wait for the lock of other builds. Tests take those that are built sooner, with as little optimised as in
/// the native half.
fn windows_libraries(ws: &Workspace, tree: &Tree, profile: Profile) -> Result {
    // Nobody has tried what link-time optimisation over crates makes of a standard library that is built along.
    let (folder, level, lto) = match profile {
        Profile::Dev => ("win-dev", "1", "\"off\""),
        Profile::Release => ("win", "3", "false"),
    };
    let target_dir = ws.target.join(folder);
    let mut cargo = cargo(ws);
    cargo.args(["build", "--release", "--lib", "-p", "afterimage-d3d9-com", "-Zbuild-std=std,panic_abort"]);
    cargo
        .args(["--config", "profile.release.panic=\"abort\"", "--config", "profile.release.debug=false"])
        .args(["--config", &format!("profile.release.opt-level={level}")])
        .arg("--target-dir")
        .arg(&target_dir);
    cargo.args(["--config", &format!("profile.release.lto={lto}"), "--config", "profile.release.codegen-units=16"]);
    if profile == Profile::Release {
        without_paths(ws, &mut cargo)?;
    }
    cargo.env("RUSTC_BOOTSTRAP", "1");
    for width in Width::ALL {
        cargo.args(["--target", &width.target()]);
        let variable = width.target().to_uppercase().replace('-', "_");
        cargo.env(format!("CARGO_TARGET_{variable}_LINKER"), width.compiler("gcc"));
    }
    let advice = "see `cargo xtask setup --check`; the native half works without";
    step::run(ws, &mut cargo, "building d3d9.dll for 64 and 32 bit, with its standard library", advice)?;
    for width in Width::ALL {
        let dll = target_dir.join(width.target()).join("release/d3d9.dll");
        copy(&dll, &tree.root.join(width.folder()).join("d3d9.dll"))?;
    }
    Ok(())
}

fn native_samples(ws: &Workspace, tree: &Tree) -> Result {
    let compiled = step::side_by_side(SAMPLES, |source| {
        let out = tree.native_sample(source.name);
        let mut compiler = Command::new("g++");
        compiler
            .args(CXX_FLAGS)
            .arg(file_names(ws))
            .arg("-I")
            .arg(ws.root.join("include/afterimage"))
            .arg(source_of(ws, source));
        compiler.arg("-o").arg(&out).arg("-L").arg(&tree.root).args(["-ld3d9", "-ldl"]);
        // Before LD_LIBRARY_PATH, in which `cargo run` has the folder of what it built itself, of another profile and day.
        compiler.args(["-Wl,-rpath,$ORIGIN/../..", "-Wl,--disable-new-dtags"]);
        compile(ws, compiler, source, &out, "native")
    });
    compiled.into_iter().collect()
}

fn windows_samples(ws: &Workspace, tree: &Tree) -> Result {
    let samples = |width| SAMPLES.iter().map(move |source| (width, source));
    let samples: Vec<(Width, &Source)> = Width::ALL.into_iter().flat_map(samples).collect();
    let compiled = step::side_by_side(&samples, |&(width, source)| {
        let out = tree.windows_sample(source.name, width);
        let mut compiler = Command::new(width.compiler("g++"));
        compiler
            .args(CXX_FLAGS)
            .arg(file_names(ws))
            .args(["-msse2", "-mfpmath=sse", "-static"])
            .arg(source_of(ws, source));
        compiler.arg("-o").arg(&out).arg("-ld3d9").args(source.windows_libraries).args(["-luser32", "-lgdi32"]);
        compile(ws, compiler, source, &out, &format!("{} bit", width.bits()))
    });
    compiled.into_iter().collect()
}

/// Has a sample name its sources by their paths in this tree, wherever it lies.
fn file_names(ws: &Workspace) -> String {
    format!("-ffile-prefix-map={}/=", ws.root.display())
}

fn source_of(ws: &Workspace, source: &Source) -> PathBuf {
    ws.root.join("samples").join(format!("{}.cpp", source.name))
}

/// Compiles a sample if anything that it may include is newer.
fn compile(ws: &Workspace, mut compiler: Command, source: &Source, out: &Path, kind: &str) -> Result {
    let samples = ws.root.join("samples");
    let inputs = [&samples, &samples.join("shaders"), &ws.root.join("include/afterimage")];
    let newest = inputs
        .iter()
        .filter_map(|dir| std::fs::read_dir(dir).ok())
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        // The flags.
        .chain([ws.root.join("xtask/src/build.rs")])
        .filter_map(|path| modified(&path))
        .max();
    if modified(out).is_some_and(|built| newest.is_some_and(|newest| newest < built)) {
        return Ok(());
    }
    let folder = out.parent().unwrap_or(out);
    std::fs::create_dir_all(folder).doing(format!("creating {}", folder.display()))?;
    step::run(ws, &mut compiler, &format!("compiling sample {} ({kind})", source.name), "").map(drop)
}

fn modified(path: &Path) -> Option<SystemTime> {
    std::fs::metadata(path).and_then(|meta| meta.modified()).ok()
}

/// cargo as it was called, in the root, without colours in its output.
pub fn cargo(ws: &Workspace) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(&ws.root).env("CARGO_TERM_COLOR", "never");
    command
}

/// Copies a file, making its folder. Under the name there is always a whole one, for who reads it meanwhile; the old one may be a program that is
/// running.
pub fn copy(from: &Path, to: &Path) -> Result {
    static COPIES: AtomicUsize = AtomicUsize::new(0);
    let folder = to.parent().unwrap_or(to);
    std::fs::create_dir_all(folder).doing(format!("creating {}", folder.display()))?;
    let part = format!(".copy-{}-{}", std::process::id(), COPIES.fetch_add(1, Ordering::Relaxed));
    let part = folder.join(part);
    std::fs::copy(from, &part)
        .and_then(|_| std::fs::rename(&part, to))
        .map_err(|error| Failure::new(format!("copying {} to {}", from.display(), to.display()), error))
}
