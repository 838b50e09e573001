//! A capture drawn by both renderers, and how their pictures compare.

use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

use xtask::step::{Context, Result};
use xtask::workspace::Workspace;

use crate::picture::{self, Picture};
use crate::wine::place::Place;

/// A pixel is the same if no channel differs by more.
pub(crate) const LEVELS: u8 = 1;
/// The part of a picture's pixels that must be the same.
pub(crate) const SAME: f64 = 0.999;
/// Seconds after which a replay is ended.
const LIMIT: &str = "900";
/// lavapipe without its shortcuts, which Metal's devices do not take either: filters of eight bits, and one level of detail for the four
/// pixels of a quad where a shader gives each its own.
pub(crate) const EXACT: (&str, &str) = ("GALLIVM_PERF", "no_aos_sampling,no_quad_lod");

/// In which file of its folder what came of a capture is written down.
const RESULT: &str = "result.txt";
/// How `afterimage replay` ends where a capture has nothing to draw.
const NOTHING: &str = "holds no whole frame and no draw";

/// What came of a capture.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Drawn {
    /// Pictures that both have. Without any there is nothing to be said of it, unless a renderer failed.
    pub(crate) pictures: usize,
    /// The least part of a picture's pixels that are the same, and in which.
    pub(crate) worst: Option<(f64, String)>,
    /// Why it does not agree, if so.
    pub(crate) why: Option<String>,
    /// Seconds that the renderer on Metal took.
    pub(crate) seconds: f64,
}

/// What an earlier call with the same program drew of the same capture, if it wrote it down.
pub(crate) fn kept(folder: &Path, key: u64) -> Option<Drawn> {
    let text = std::fs::read_to_string(folder.join(RESULT)).ok()?;
    let (first, rest) = text.split_once('\n')?;
    if first != format!("{key:016x}") {
        return None;
    }
    let mut fields = rest.trim_end_matches('\n').splitn(5, '\t');
    let mut next = || fields.next();
    let (pictures, seconds) = (next()?.parse().ok()?, next()?.parse().ok()?);
    let (part, name) = (next()?, next()?);
    let worst = if name.is_empty() { None } else { Some((part.parse().ok()?, name.to_owned())) };
    let why = next().filter(|why| !why.is_empty()).map(str::to_owned);
    Some(Drawn { pictures, worst, why, seconds })
}

/// Writes down what came of a capture, for [`kept`].
///
/// # Errors
/// When the file cannot be written.
pub(crate) fn keep(folder: &Path, key: u64, drawn: &Drawn) -> Result {
    let (part, name) = drawn.worst.clone().unwrap_or_default();
    let why = drawn.why.as_deref().unwrap_or_default().replace(['\n', '\t'], " ");
    let text = format!("{key:016x}\n{}\t{}\t{part}\t{name}\t{why}\n", drawn.pictures, drawn.seconds);
    let file = folder.join(RESULT);
    std::fs::write(&file, text).doing(format!("writing {}", file.display()))
}

/// What a drawing depends on: the program, the capture, and how they are compared.
///
/// # Errors
/// When a file cannot be read.
pub(crate) fn key(files: &[&Path]) -> Result<u64> {
    let mut hasher = std::hash::DefaultHasher::new();
    (LEVELS, SAME.to_bits(), EXACT).hash(&mut hasher);
    for file in files {
        std::fs::read(file).doing(format!("reading {}", file.display()))?.hash(&mut hasher);
    }
    Ok(hasher.finish())
}

/// Draws a capture with both, into `vulkan` and `metal` of a folder, and compares.
///
/// # Errors
/// When a program cannot be started, or a picture not read.
pub(crate) fn both(ws: &Workspace, afterimage: &Path, capture: &Path, folder: &Path) -> Result<Drawn> {
    let _ = std::fs::remove_dir_all(folder);
    std::fs::create_dir_all(folder).doing(format!("creating {}", folder.display()))?;
    let mut drawn = Drawn { pictures: 0, worst: None, why: None, seconds: 0.0 };
    let [vulkan, metal] = ["vulkan", "metal"].map(|name| folder.join(name));
    let replay = |out: &PathBuf| {
        let mut command = Command::new("timeout");
        command.args(["-k", "5", LIMIT]).arg(afterimage).arg("replay").arg(capture).arg("-o").arg(out);
        command.arg("--read-backs").env("AFTERIMAGE_VALIDATE", "0");
        command
    };
    let mut reference = replay(&vulkan);
    reference.env(EXACT.0, EXACT.1);
    if let Some(driver) = Place::here(ws).software_driver() {
        reference.env("VK_ICD_FILENAMES", driver);
    }
    let log = folder.join("vulkan.log");
    if let Some(why) = failed(&mut reference, &log)? {
        if std::fs::read_to_string(&log).is_ok_and(|said| said.contains(NOTHING)) {
            return Ok(drawn);
        }
        drawn.why = Some(format!("the renderer on Vulkan: {why}"));
        return Ok(drawn);
    }
    let begun = std::time::Instant::now();
    let failed = failed(replay(&metal).args(["--renderer", "metal-soft"]), &folder.join("metal.log"))?;
    drawn.seconds = begun.elapsed().as_secs_f64();
    compare(&mut drawn, [&vulkan, &metal])?;
    if let Some(why) = failed {
        drawn.why = Some(why);
    }
    Ok(drawn)
}

/// Why a command failed, in its last words, if it did.
fn failed(command: &mut Command, log: &Path) -> Result<Option<String>> {
    let output = command.output().doing("starting a replay")?;
    std::fs::write(log, &output.stderr).doing(format!("writing {}", log.display()))?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let last = said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("no word");
    Ok((!output.status.success()).then(|| format!("{}: {last}", output.status)))
}

fn compare(drawn: &mut Drawn, [vulkan, metal]: [&Path; 2]) -> Result {
    let names = |folder: &Path| -> Vec<String> {
        let files = picture::in_folder(folder);
        files.iter().filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned())).collect()
    };
    let (wanted, there) = (names(vulkan), names(metal));
    for name in &wanted {
        if !there.contains(name) {
            drawn.why = Some(format!("{name} is missing"));
            continue;
        }
        drawn.pictures += 1;
        let compared = Picture::read(&vulkan.join(name))?.compare(&Picture::read(&metal.join(name))?, LEVELS);
        let part = compared.map_or(0.0, |(_, part, _)| part);
        if drawn.worst.as_ref().is_none_or(|(worst, _)| part < *worst) {
            drawn.worst = Some((part, name.clone()));
        }
    }
    if let Some((part, name)) = drawn.worst.as_ref().filter(|(part, _)| *part < SAME) {
        let part = 100.0 * part;
        drawn.why = Some(format!("{part:.2} % of the pixels of {name} are within {LEVELS} level"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_drawn_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let worst = Some((0.5, "a.png".to_owned()));
        for drawn in [
            Drawn { pictures: 3, worst: worst.clone(), why: Some("50 %\nof it".to_owned()), seconds: 1.5 },
            Drawn { pictures: 3, worst, why: None, seconds: 1.5 },
            Drawn { pictures: 0, worst: None, why: None, seconds: 0.0 },
        ] {
            keep(folder.path(), 7, &drawn).unwrap();
            let one_line = Drawn { why: drawn.why.as_ref().map(|why| why.replace('\n', " ")), ..drawn };
            assert_eq!(kept(folder.path(), 7), Some(one_line));
            assert_eq!(kept(folder.path(), 8), None);
        }
    }
}
