//! Where the shaders come from: packages of Debian, whose files are looked through in a folder of the cache.
//!
//! Nothing of them is part of this tree.

use std::path::{Path, PathBuf};
use std::process::Command;

use xtask::setup::apt;
use xtask::step::{self, Context, Failure, Progress, Result};
use xtask::workspace::Workspace;

/// The release that has them.
const SUITE: &str = "bookworm";
/// Endings of shaders, in the order of the pipeline.
const STAGES: [&str; 6] = ["vert", "tesc", "tese", "geom", "frag", "comp"];
/// Of the shaders that a program wrote for one function each, every so many.
const GENERATED: usize = 8;
/// Folders of these.
const GENERATED_IN: &str = "generated_tests";

/// Where SPIRV-Cross keeps what it writes of its shaders.
const WRITTEN: &str = "reference";

/// A package.
struct Package {
    /// Debian's name, and ours for what comes from it.
    name: &'static str,
    /// Whether it is the source package.
    source: bool,
    /// SHA-256 of the file.
    sum: &'static str,
    /// What is unpacked of a source package: folders below its own.
    wanted: &'static [&'static str],
    /// The folder that shaders are looked for in.
    below: &'static str,
    /// Whether they are compute shaders in files of tests, and not files of their own.
    tests: bool,
}

const PACKAGES: [Package; 3] = [
    Package {
        name: "spirv-cross",
        source: true,
        sum: "be1267736db2960a44a89875f680e015062e6f172ff6996633a882b93a088cf3",
        wanted: &["*/shaders*"],
        below: "",
        tests: false,
    },
    Package {
        name: "glslang",
        source: true,
        sum: "7cb45842ec1d4b6ea775d624c3d2d8ba9450aa416b0482b0cc7e4fdd399c3d75",
        wanted: &["*/Test"],
        below: "Test",
        tests: false,
    },
    // Its tests are in the package that is installed.
    Package {
        name: "piglit",
        source: false,
        sum: "37dd651ae04419602b4287ea590fca1f5bcaabc0ea4bf32fe48ffe86b946c986",
        wanted: &[],
        below: "usr/lib/x86_64-linux-gnu/piglit",
        tests: true,
    },
];

/// What a shader is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Language {
    Glsl,
    /// The text form of SPIR-V.
    Assembly,
}

/// A shader of somebody else.
#[derive(Clone, Debug)]
pub(super) struct Foreign {
    /// The package and the path, with points between, then the stage.
    pub(super) name: String,
    /// The stage's ending.
    pub(super) stage: &'static str,
    pub(super) language: Language,
    /// The file that it is in, beside which it includes others.
    pub(super) file: PathBuf,
    /// Its text, where that is a part of the file.
    pub(super) text: Option<String>,
    /// What a test sets up for it and expects, where the file says that.
    pub(super) test: Option<String>,
}

/// All shaders, by name; downloads what is not there.
///
/// # Errors
/// When a package cannot be had.
pub(super) fn shaders(ws: &Workspace) -> Result<Vec<Foreign>> {
    let mut all = Vec::new();
    for package in &PACKAGES {
        let folder = ws.cache.join("gnm-corpus").join(package.name);
        if !folder.is_dir() {
            let progress = Progress::start(format!("downloading the shaders of {}", package.name));
            let result = download(ws, package, &folder, &progress);
            progress.finish(&result);
            result?;
        }
        let root = folder.join(package.below);
        let mut files = Vec::new();
        walk(&root, &mut files)?;
        files.retain(|file| !file.starts_with(root.join(WRITTEN)));
        files.sort();
        let mut generated = 0..;
        files.retain(|file| {
            !file.to_string_lossy().contains(GENERATED_IN)
                || generated.next().is_some_and(|at: usize| at.is_multiple_of(GENERATED))
        });
        all.extend(files.iter().filter_map(|file| shader(package, &root, file)));
    }
    all.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(all)
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) -> Result {
    for entry in std::fs::read_dir(folder).doing(format!("reading {}", folder.display()))?.flatten() {
        let path = entry.path();
        if path.is_dir() {
            walk(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}

/// The shader in a file, if one is.
fn shader(package: &Package, root: &Path, file: &Path) -> Option<Foreign> {
    let extension = file.extension().and_then(|extension| extension.to_str())?;
    let relative = file.strip_prefix(root).unwrap_or(file).with_extension("");
    let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '.' };
    let name: String = relative.to_string_lossy().chars().map(plain).collect();
    let named = |stage| format!("{}.{name}-{stage}", package.name);
    let file = file.to_owned();
    if package.tests {
        let text = if extension == "shader_test" { std::fs::read(&file).ok() } else { None };
        let text = text.and_then(|text| {
            let text = String::from_utf8_lossy(&text);
            Some((compute_section(&text)?, text.find("\n[test]").map(|at| text[at..].to_owned())))
        });
        let (name, language) = (named("comp"), Language::Glsl);
        return text.map(|(text, test)| Foreign { name, stage: "comp", language, file, text: Some(text), test });
    }
    if let Some(stage) = STAGES.into_iter().find(|stage| *stage == extension) {
        let language = if name.contains(".asm") { Language::Assembly } else { Language::Glsl };
        return Some(Foreign { name: named(stage), stage, language, file, text: None, test: None });
    }
    None
}

/// The version of tests of piglit's: the newest, since Vulkan's GLSL has none before 4.30 for compute shaders.
const VERSION: u32 = 460;

/// The compute shader of a test of piglit's, in that version.
fn compute_section(test: &str) -> Option<String> {
    let (_, rest) = test.split_once("[compute shader]\n")?;
    let body = rest.split("\n[").next()?;
    let body = match body.split_once("#version") {
        Some((_, rest)) => rest.split_once('\n').map_or("", |(_, body)| body),
        None => body,
    };
    Some(format!("#version {VERSION}\n{body}\n"))
}

fn download(ws: &Workspace, package: &Package, folder: &Path, progress: &Progress) -> Result {
    let what = format!("downloading {}", package.name);
    if !apt::available() {
        return Err(Failure::new(what, "there is no apt-get here")
            .advise(format!("unpack Debian's package below {}", folder.display())));
    }
    let advice = "see that Debian's mirror can be reached";
    let state = folder.with_extension("apt");
    let _ = std::fs::remove_dir_all(&state);
    let part = folder.with_extension("part");
    let _ = std::fs::remove_dir_all(&part);
    std::fs::create_dir_all(&part).doing(format!("creating {}", part.display()))?;
    let archive = if package.source {
        let options = apt::private(&state, "deb-src", SUITE, "amd64", false)?;
        let mut update = Command::new("apt-get");
        step::run_in(ws, update.args(&options).arg("update"), "reading the list of sources", advice, progress)?;
        let mut source = Command::new("apt-get");
        source.args(&options).args(["source", "--download-only", package.name]).current_dir(&state);
        step::run_in(ws, &mut source, &what, advice, progress)?;
        let entries = std::fs::read_dir(&state).doing(format!("reading {}", state.display()))?;
        entries.flatten().map(|entry| entry.path()).find(|path| path.to_string_lossy().contains(".orig.tar."))
    } else {
        apt::download(ws, &state, SUITE, &[package.name], progress)?.into_iter().next()
    };
    let archive = archive.ok_or_else(|| Failure::new(&what, "nothing was downloaded"))?;
    let sum = step::output(Command::new("sha256sum").arg(&archive), "adding up what was downloaded")?;
    if !sum.starts_with(package.sum) {
        let why = format!("{} has another sum than the one we know: {sum}", archive.display());
        return Err(Failure::new(what, why).advise("see what is new in it, and write its sum into sources.rs"));
    }
    if package.source {
        let mut tar = Command::new("tar");
        tar.arg("-xf").arg(&archive).arg("-C").arg(&part).args(["--strip-components=1", "--wildcards"]);
        step::run_in(ws, tar.args(package.wanted), "unpacking shaders", "tar needs xz-utils", progress)?;
    } else {
        apt::unpack(&archive, &part)?;
    }
    std::fs::rename(&part, folder).doing(format!("naming {}", folder.display()))?;
    std::fs::remove_dir_all(&state).doing(format!("removing {}", state.display()))
}

#[cfg(test)]
mod tests {
    use super::compute_section;

    #[test]
    fn the_compute_shader_of_a_test_has_its_version() {
        let test = "[require]\nGLSL >= 4.50\n\n[compute shader]\nvoid main() {}\n\n[test]\ncompute 1 1 1\n";
        let text = "#version 460\nvoid main() {}\n\n";
        assert_eq!(compute_section(test).as_deref(), Some(text));
        let test = "[compute shader]\n/* */\n#version 330\nvoid main() {}\n\n[test]\ncompute 1 1 1\n";
        assert_eq!(compute_section(test).as_deref(), Some(text));
        assert_eq!(compute_section("[vertex shader]\nvoid main() {}\n"), None);
    }
}
