//! The release tree: everything at the place where it is looked for, whether the tree lies in somebody's home, in `/usr/local`, or,
//! by the Debian package, in `/usr`. `afterimage` finds `lib/afterimage` from where it lies itself.

use std::path::{Path, PathBuf};
use std::process::Command;

use xtask::build::{Profile, Tree, Width, Windows};
use xtask::samples::SAMPLES;
use xtask::step::{self, Context as _, Progress, Result};
use xtask::workspace::Workspace;

use crate::{changes, debug, files, licences, pages, selftest};

/// Where our own libraries lie. They are found by `afterimage`, by programs that are linked through pkg-config, and by nobody else.
pub(crate) const LIBRARIES: &str = "lib/afterimage";
/// Where documents lie.
pub(crate) const DOCUMENTS: &str = "share/doc/afterimage";

/// Programs and libraries: where the build has them, and where they go.
const BUILT: &[(&str, &str)] = &[
    ("bin/afterimage", "bin/afterimage"),
    ("bin/afterimage-viewer", "bin/afterimage-viewer"),
    ("libd3d9.so", "lib/afterimage/libd3d9.so"),
    ("libafterimage_feedback_c.so", "lib/afterimage/libafterimage_feedback_c.so"),
    ("libafterimage_gnm_c.so", "lib/afterimage/libafterimage_gnm_c.so"),
    ("libafterimage_layer.so", "lib/afterimage/libafterimage_layer.so"),
];
/// Files and folders of the source tree that every release has, and where they go.
pub(crate) const COMMON: &[(&str, &str)] = &[
    ("LICENSE-MIT", "LICENSE-MIT"),
    ("LICENSE-APACHE", "LICENSE-APACHE"),
    ("include", "include"),
    (changes::FILE, "share/doc/afterimage/CHANGELOG.md"),
    ("docs/afterimage.conf", "share/doc/afterimage/afterimage.conf"),
];
/// Those that this one has besides.
const SOURCES: &[(&str, &str)] = &[
    ("docs/release.md", "README.md"),
    ("packaging/afterimage.verb", "share/afterimage/afterimage.verb"),
    (
        "crates/layer/manifest/VkLayer_afterimage_transform_feedback.json",
        "share/vulkan/implicit_layer.d/VkLayer_afterimage_transform_feedback.json",
    ),
    ("crates/feedback-c/examples/embed.c", "share/doc/afterimage/examples/embed.c"),
    ("crates/layer/examples/capture/capture.c", "share/doc/afterimage/examples/capture/capture.c"),
    ("crates/layer/examples/capture/shaders.h", "share/doc/afterimage/examples/capture/shaders.h"),
    ("crates/gnm-c/examples/triangle.c", "share/doc/afterimage/examples/triangle.c"),
    ("crates/gnm-c/examples/player.cpp", "share/doc/afterimage/examples/player.cpp"),
];
/// Completions: the shell, and the file where it looks below a prefix, with the program's name for `NAME`.
const COMPLETIONS: &[(&str, &str)] = &[
    ("bash", "share/bash-completion/completions/NAME"),
    ("zsh", "share/zsh/site-functions/_NAME"),
    ("fish", "share/fish/vendor_completions.d/NAME.fish"),
];

/// A staged release.
pub(crate) struct Release {
    /// `afterimage-VERSION-x86_64-linux`.
    pub(crate) name: String,
    /// Its number, what it brought, and its day.
    pub(crate) versions: Vec<changes::Version>,
    /// How it was built.
    pub(crate) profile: Profile,
    /// What there is for Windows.
    pub(crate) windows: Windows,
    /// The folder of all of it.
    pub(crate) folder: PathBuf,
    /// The tree.
    pub(crate) tree: PathBuf,
    /// A tree of the same name and layout with what debuggers want.
    pub(crate) debug: PathBuf,
}

impl Release {
    /// One of a name, in the folder where releases of Macs are made; nothing is staged yet.
    pub(crate) fn of(ws: &Workspace, name: String, versions: Vec<changes::Version>, profile: Profile) -> Self {
        let folder = folder(ws, profile).with_file_name("packages-macos");
        let (tree, debug) = (folder.join(&name), folder.join("debug").join(&name));
        let windows = Windows::Impossible("it is built by itself".to_owned());
        Self { name, versions, profile, windows, folder, tree, debug }
    }

    /// The version's number.
    pub(crate) fn version(&self) -> &str {
        &self.versions[0].number
    }

    /// The time that all files have: of the version's day, unless the usual variable says another.
    pub(crate) fn seconds(&self) -> i64 {
        let said = std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|seconds| seconds.parse().ok());
        said.unwrap_or_else(|| self.versions[0].seconds())
    }

    /// The archive of the tree.
    pub(crate) fn archive(&self) -> PathBuf {
        self.folder.join(format!("{}.tar.zst", self.name))
    }

    /// The archive of what debuggers want: of a folder of the same name, so that it may be unpacked over the other.
    pub(crate) fn debug_archive(&self) -> PathBuf {
        self.folder.join(format!("{}-debug.tar.zst", self.name))
    }

    /// The Debian package.
    pub(crate) fn deb(&self) -> PathBuf {
        self.folder.join(format!("afterimage_{}_amd64.deb", self.version()))
    }

    /// Whether a file of the tree is a program, by where it lies.
    pub(crate) fn is_program(file: &Path) -> bool {
        let text = file.to_string_lossy();
        text.starts_with("bin/") || text.contains("/samples/native/")
    }

    /// Prints what is in the tree, and what was made of it.
    pub(crate) fn list(&self) {
        let made = [self.archive(), self.debug_archive(), self.deb()];
        let inside = files::list(&self.tree).unwrap_or_default();
        let shown = inside.iter().map(|file| (file.clone(), self.tree.join(file)));
        for (name, path) in shown.chain(made.iter().map(|path| (path.clone(), path.clone()))) {
            println!("{:>10}  {}", files::size(&path), name.display());
        }
    }
}

/// Where releases are made.
pub(crate) fn folder(ws: &Workspace, profile: Profile) -> PathBuf {
    ws.target.join(if profile == Profile::Release { "packages" } else { "packages-dev" })
}

/// Stages a release of what was built, in a folder that is made anew.
///
/// # Errors
/// When something is not there, or a program of ours does not run.
pub(crate) fn stage(ws: &Workspace, built: &Tree, profile: Profile, folder: PathBuf) -> Result<Release> {
    let versions = changes::read(ws)?;
    let name = format!("afterimage-{}-x86_64-linux", versions[0].number);
    let (tree, debug) = (folder.join(&name), folder.join("debug").join(&name));
    let release = Release { name, versions, profile, windows: built.windows.clone(), folder, tree, debug };
    let progress = Progress::start(format!("staging {}", release.name));
    let result = fill(ws, built, &release);
    progress.finish(&result);
    result.map(|()| release)
}

fn fill(ws: &Workspace, built: &Tree, release: &Release) -> Result {
    files::fresh(&release.folder)?;
    let tree = &release.tree;
    programs(built, tree)?;
    for (from, to) in COMMON.iter().chain(SOURCES) {
        files::copy(&ws.root.join(from), &tree.join(to), &|_| true)?;
    }
    samples(ws, tree)?;
    files::copy(&built.root().join(selftest::FOLDER), &tree.join(selftest::FOLDER), &|_| true)?;
    for (file, text) in pkg_config("lib/pkgconfig", "${pcfiledir}/../..", release.version()) {
        files::write(&tree.join(file), text)?;
    }
    pages::write(ws, &tree.join(DOCUMENTS))?;
    command_lines(tree)?;
    files::write(&tree.join(DOCUMENTS).join("licences.txt"), licences::text(ws)?)?;
    debug::move_apart(tree, &release.debug, release.seconds())?;
    files::set_rights(tree, &Release::is_program)
}

/// Programs, libraries and built samples. Those that measure stay with the benchmarks.
fn programs(built: &Tree, tree: &Path) -> Result {
    for (from, to) in BUILT {
        files::copy(&built.root().join(from), &tree.join(to), &|_| true)?;
    }
    let place = |file: &Path| tree.join(LIBRARIES).join(file.strip_prefix(built.root()).unwrap_or(file));
    for sample in &SAMPLES {
        let native = sample.program(built);
        files::copy(&native, &place(&native), &|_| true)?;
    }
    if !matches!(built.windows, Windows::Built) {
        return Ok(());
    }
    for width in Width::ALL {
        let dll = built.root().join(width.folder()).join("d3d9.dll");
        let direct3d = SAMPLES.iter().filter(|sample| sample.guest == "Direct3D 9");
        let programs = direct3d.map(|sample| built.windows_sample(sample.name, width));
        for file in std::iter::once(dll).chain(programs) {
            files::copy(&file, &place(&file), &|_| true)?;
        }
    }
    Ok(())
}

/// The sources of the samples, as examples.
fn samples(ws: &Workspace, tree: &Path) -> Result {
    let wanted = |file: &Path| {
        let source = file.extension().is_some_and(|extension| extension == "cpp" || extension == "h");
        source && !file.starts_with("programs")
    };
    files::copy(&ws.root.join("samples"), &tree.join(DOCUMENTS).join("examples"), &wanted)
}

/// What pkg-config reads about the libraries that programs are linked with, for a tree at `prefix`: files and texts.
pub(crate) fn pkg_config(folder: &str, prefix: &str, version: &str) -> [(String, String); 3] {
    let file = |name: &str, description: &str, include: &str, library: &str| {
        let text = format!(
            "prefix={prefix}\nlibdir=${{prefix}}/{LIBRARIES}\nincludedir=${{prefix}}/{include}\n\n\
             Name: {name}\nDescription: {description}\nVersion: {version}\n\
             Cflags: -I${{includedir}}\nLibs: -L${{libdir}} -l{library} -Wl,-rpath,${{libdir}}\n"
        );
        (format!("{folder}/{name}.pc"), text)
    };
    let feedback = "Transform feedback for Vulkan devices that have none";
    [
        file("afterimage-d3d9", "Direct3D 9 for native programs, on Vulkan", "include/afterimage", "d3d9"),
        file("afterimage-feedback", feedback, "include", "afterimage_feedback_c"),
        file("afterimage-gnm", "The PlayStation 4's graphics for emulators, on Vulkan", "include", "afterimage_gnm_c"),
    ]
}

/// Manual pages and completions, which the programs print themselves.
fn command_lines(tree: &Path) -> Result {
    let manual = tree.join("share/man/man1");
    std::fs::create_dir_all(&manual).doing(format!("creating {}", manual.display()))?;
    let run = |program: &str, arguments: &[&str]| {
        let mut command = Command::new(tree.join("bin").join(program));
        step::output(command.args(arguments), &format!("{program} {}", arguments.join(" ")))
    };
    run("afterimage", &["manual", &manual.to_string_lossy()])?;
    files::write(&manual.join("afterimage-viewer.1"), run("afterimage-viewer", &["--manual"])?)?;
    for (shell, file) in COMPLETIONS {
        let place = |name: &str| tree.join(file.replace("NAME", name));
        files::write(&place("afterimage"), run("afterimage", &["completions", shell])?)?;
        files::write(&place("afterimage-viewer"), run("afterimage-viewer", &["--completions", shell])?)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{BUILT, SOURCES, pkg_config};
    use std::path::{Component, Path, PathBuf};

    #[test]
    fn pkg_config_files_lead_from_where_they_lie() {
        let [(file, text), ..] = pkg_config("lib/pkgconfig", "${pcfiledir}/../..", "1.2");
        assert_eq!(file, "lib/pkgconfig/afterimage-d3d9.pc");
        assert!(text.contains("prefix=${pcfiledir}/../..\nlibdir=${prefix}/lib/afterimage\n"), "{text}");
        assert!(text.contains("Version: 1.2\n") && text.contains("-L${libdir} -ld3d9 "), "{text}");
    }

    #[test]
    fn the_layers_manifest_leads_to_its_library() {
        let find = |table: &[(&str, &'static str)], file: &str| {
            table.iter().find(|(from, _)| from.ends_with(file)).map(|(_, to)| *to).expect(file)
        };
        let manifest = find(SOURCES, "/VkLayer_afterimage_transform_feedback.json");
        let text = include_str!("../../crates/layer/manifest/VkLayer_afterimage_transform_feedback.json");
        let said =
            text.split_once("\"library_path\": \"").and_then(|(_, rest)| rest.split('"').next()).expect("a path");
        // The loader looks from the folder of the manifest.
        let mut place = PathBuf::new();
        for part in Path::new(manifest).with_file_name(said).components() {
            match part {
                Component::ParentDir => assert!(place.pop(), "{said} leads out of the tree"),
                part => place.push(part),
            }
        }
        assert_eq!(place, Path::new(find(BUILT, "libafterimage_layer.so")));
    }
}
