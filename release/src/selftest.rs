//! The material of `afterimage selftest`: short captures of our samples, and what Mesa's driver for CPUs draws of them; and the shaders of
//! our corpora, to be compiled. It is made anew of
//! every build, and lies in no repository.

use std::path::Path;
use std::process::Command;

use xtask::build::{self, Profile, Tree};
use xtask::samples::{SAMPLES, Sample};
use xtask::step::{self, Context as _, Failure, Progress, Result};
use xtask::workspace::Workspace;

use crate::files;

/// Where it lies, in built trees, in releases and in the application for Macs: `afterimage` looks for it from where it lies itself.
pub(crate) const FOLDER: &str = "share/afterimage/selftest";
/// What says what should be there.
pub(crate) const INDEX: &str = "index.json";
/// The frames that are captured. The first ones: later captures begin with pictures of earlier frames, which do not compress.
const FRAMES: &str = "1-2";
/// Frames that a sample draws for that.
const DRAWN: u64 = 4;
/// A part of the name of the device that all of it is drawn with.
const DEVICE: &str = "llvmpipe";
/// Bytes that all of it may have.
const MOST: u64 = 6_000_000;

/// Makes it of a built tree, in a folder that is empty or not there. How large it is.
///
/// # Errors
/// When a sample does not run, a capture cannot be drawn, it is too large, or the folder has something in it.
pub(crate) fn make(ws: &Workspace, built: &Tree, folder: &Path) -> Result<u64> {
    let progress = Progress::start("the self-test's material");
    let result = fill(ws, built, folder, &progress);
    progress.finish(&result);
    result
}

/// Puts it where a built tree has it, in place of what was there. How large it is.
///
/// # Errors
/// Those of [`make`].
pub(crate) fn add(ws: &Workspace, built: &Tree) -> Result<u64> {
    let folder = built.root().join(FOLDER);
    files::fresh(&folder)?;
    make(ws, built, &folder)
}

/// Copies what a build of this profile has; what the tests build makes it where there is none.
///
/// # Errors
/// When it is not there and cannot be made.
pub(crate) fn copy(ws: &Workspace, profile: Profile, to: &Path) -> Result {
    let there = build::folder(ws, profile).join(FOLDER);
    if there.join(INDEX).is_file() {
        return files::copy(&there, to, &|_| true);
    }
    let built = build::native(ws, Profile::Dev)?;
    add(ws, &built)?;
    files::copy(&built.root().join(FOLDER), to, &|_| true)
}

fn fill(ws: &Workspace, built: &Tree, folder: &Path, progress: &Progress) -> Result<u64> {
    if folder.is_dir() && !files::list(folder)?.is_empty() {
        return Err(Failure::new("the self-test's material", format!("{} is not empty", folder.display())));
    }
    let temporary = tempfile::tempdir().doing("making a folder for captures")?;
    let mut words = vec!["selftest".into(), "--device".into(), DEVICE.into(), "--make".into(), folder.into()];
    for sample in &SAMPLES {
        let (whole, part) = (temporary.path().join("whole.aftercap"), temporary.path().join(sample.name));
        let part = part.with_extension("aftercap");
        progress.now(sample.name);
        capture(ws, built, sample, &whole, progress)?;
        let mut trim = with_device(&built.afterimage());
        trim.arg("trim").arg(&whole).arg("-o").arg(&part).args(["--frames", FRAMES]);
        step::output(&mut trim, &format!("trimming a capture of {sample}"))?;
        words.push(part.into_os_string());
    }
    progress.now("shaders");
    let shaders = temporary.path().join("shaders");
    std::fs::create_dir_all(&shaders).doing(format!("creating {}", shaders.display()))?;
    step::output(Command::new(build::shader_corpora(ws)?).arg(&shaders), "writing the shaders of our corpora")?;
    for file in files::list(&shaders)? {
        words.extend(["--shaders".into(), shaders.join(file).into_os_string()]);
    }
    step::output(with_device(&built.afterimage()).args(words), "drawing captures of the samples")?;
    let bytes = files::list(folder)?.iter().map(|file| files::size(&folder.join(file))).sum();
    if bytes > MOST {
        return Err(Failure::new("the self-test's material", format!("it has {bytes} bytes, and may have {MOST}")));
    }
    Ok(bytes)
}

fn capture(ws: &Workspace, built: &Tree, sample: &Sample, to: &Path, progress: &Progress) -> Result {
    let mut command = with_device(&sample.program(built));
    let pictures = to.with_file_name("pictures");
    std::fs::create_dir_all(&pictures).doing(format!("creating {}", pictures.display()))?;
    sample.arguments(&mut command, DRAWN, &pictures);
    command.env("AFTERIMAGE_RENDERER", "in-process");
    command.env("AFTERIMAGE_CAPTURE_FRAMES", FRAMES).env("AFTERIMAGE_CAPTURE_FILE", to);
    step::run_in(ws, &mut command, &format!("capturing {sample}"), "", progress).map(drop)
}

/// A program that draws with our device, whatever the configuration of who builds says.
fn with_device(program: &Path) -> Command {
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("AFTERIMAGE_")) {
        command.env_remove(name);
    }
    command.env("AFTERIMAGE_CONF", "/dev/null").env("AFTERIMAGE_DEVICE", DEVICE).env("AFTERIMAGE_VALIDATE", "off");
    command
}
