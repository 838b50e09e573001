//! A release where it is to be used: on a system that has a Vulkan driver and nothing of what built it.

use std::path::Path;
use std::process::Command;

use xtask::samples::{SAMPLES, Sample};
use xtask::step::{self, Failure, Result};

use super::{Checked, Found, wrong};
use crate::bare::Bare;
use crate::files;
use crate::stage::{DOCUMENTS, LIBRARIES};

/// The frame that the pictures of the documentation show.
const FRAME: &str = "30";
/// What is compared, in levels, and the part of pixels that must be so near. The pictures were drawn by a newer Mesa than Debian 12 has,
/// which filters textures otherwise: 98.4 % of `scene` are so near, and at least 99.2 % of the others.
const SAME: [&str; 4] = ["--tolerance", "8", "--bar", "98"];

/// Debian's checker of packages accepts ours.
pub(super) fn lintian(checked: &Checked<'_>) -> Result<Found> {
    if !step::on_path("lintian") {
        return Ok(Found::Skipped("it is not installed: apt-get install lintian".to_owned()));
    }
    let mut lintian = Command::new("lintian");
    lintian.args(["--fail-on", "error", "--allow-root", "--no-cfg"]).arg(checked.release.deb());
    let said = step::output(&mut lintian, "lintian")?;
    let warnings = said.lines().filter(|line| line.starts_with("W:")).count();
    said.lines().for_each(|line| println!("  {line}"));
    Ok(Found::Well(format!("no errors, {warnings} warnings")))
}

/// The bare Debian, or why there is none. That it cannot be made here is no fault of the release.
fn bare(checked: &Checked<'_>) -> std::result::Result<Bare, Found> {
    let home = checked.release.folder.join("home");
    let made = files::fresh(&home).and_then(|()| Bare::ensure(checked.ws, &checked.release.folder));
    made.map_err(|failure| Found::Skipped(failure.summary()))
}

/// Draws a sample of a release at `prefix` as its documents say, and compares its picture with the one in them.
fn draw(bare: &Bare, prefix: &Path, sample: &Sample, pictures: &Path) -> Result {
    let at = |path: &str| prefix.join(path).display().to_string();
    let afterimage = at("bin/afterimage");
    let program = at(&format!("{LIBRARIES}/samples/native/{}", sample.name));
    let folder = pictures.join(sample.name).display().to_string();
    if sample.guest == "Direct3D 9" {
        bare.run(&[&afterimage, "run", "--headless", "-o", &folder, "--frames", FRAME, &program, "--frames", FRAME])?;
    } else {
        bare.run(&[&program, "--frames", FRAME, "--shots", FRAME, &folder])?;
    }
    let golden = at(&format!("{DOCUMENTS}/html/images/{}.png", sample.name));
    let drawn = format!("{folder}/frame-{FRAME:0>6}.png");
    let compare = [&[afterimage.as_str(), "diff", &golden, &drawn], &SAME[..]].concat();
    bare.run(&compare).map(drop)
}

/// Unpacked, every sample draws what the documents show.
pub(super) fn archive(checked: &Checked<'_>) -> Result<Found> {
    let bare = match bare(checked) {
        Ok(bare) => bare,
        Err(found) => return Ok(found),
    };
    if bare.run(&["sh", "-c", "command -v cargo cc wine"]).is_ok() {
        return Err(Failure::new("drawing in a bare Debian", "it is not bare: it has cargo, a compiler or Wine"));
    }
    let pictures = checked.release.folder.join("pictures");
    files::fresh(&pictures)?;
    SAMPLES.iter().try_for_each(|sample| draw(&bare, &checked.unpacked, sample, &pictures))?;
    Ok(Found::Well(format!("the pictures of all {} samples are those of the documents", SAMPLES.len())))
}

/// Installed by dpkg, it works; removed, nothing of it is left.
pub(super) fn package(checked: &Checked<'_>) -> Result<Found> {
    let bare = match bare(checked) {
        Ok(bare) => bare,
        Err(found) => return Ok(found),
    };
    // What a run that was cut short left behind, and the folder that is shared.
    bare.run(&["sh", "-c", "dpkg -s afterimage >/dev/null 2>&1 && dpkg --purge afterimage || true"])?;
    let before = bare.listed()?;
    bare.run(&["dpkg", "--install", &checked.release.deb().display().to_string()])?;
    let used = installed(checked, &bare);
    let count = bare.run(&["dpkg", "-L", "afterimage"]).map_or(0, |list| list.lines().count());
    bare.run(&["dpkg", "--purge", "afterimage"])?;
    let after = bare.listed()?;
    used?;
    let rows = before.iter().chain(&after);
    let differ = rows.filter(|(path, _)| before.get(*path) != after.get(*path));
    let mut left: Vec<String> = differ.map(|(path, what)| format!("{path}: {what}")).collect();
    left.dedup();
    wrong("removing the package: what is not as it was", &left)?;
    Ok(Found::Well(format!("{count} files and folders came and went")))
}

fn installed(checked: &Checked<'_>, bare: &Bare) -> Result {
    let version = bare.run(&["afterimage", "--version"])?;
    if version.trim() != format!("afterimage {}", checked.release.version()) {
        return Err(Failure::new("afterimage --version", version));
    }
    let said = bare.run(&["afterimage", "info"])?;
    if !said.contains("llvmpipe") || !said.contains("/usr/lib/afterimage/libd3d9.so") {
        return Err(Failure::new("afterimage info: a device and libd3d9.so", said));
    }
    let pictures = checked.release.folder.join("pictures-of-package");
    files::fresh(&pictures)?;
    draw(bare, Path::new("/usr"), &SAMPLES[0], &pictures)
}
