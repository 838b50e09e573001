//! `cargo xtask nv2a`: recordings of an Xbox's push buffers, drawn and compared with the pictures that the console made.
//!
//! The recordings are no part of this tree: they lie beside it. What does not match is listed in `docs/nv2a-misses.md`, with
//! its cause; a picture that starts to miss or to match, and is not so listed, is a failure.

pub(crate) mod bench;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use xtask::build;
use xtask::setup;
use xtask::step::{self, Context, Failure, Result};
use xtask::workspace::Workspace;

use crate::misses::Misses;
use crate::on_metal::OnMetal;

/// Arguments of `nv2a`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Folder of the recordings (SUITE/NAME.kcap.gz) and golden pictures (SUITE/NAME.png) [default: shared/captures/nv2a
    /// beside the source tree].
    folder: Option<PathBuf>,
    /// Write docs/nv2a-misses.md anew; causes that it gives are kept.
    #[arg(long)]
    bless: bool,
    /// On a device that is held to what a driver for Macs offers; docs/nv2a-misses-DRIVER.md has what misses besides.
    #[arg(long, value_enum, value_name = "DRIVER")]
    held_to: Option<OnMetal>,
}

/// What came of the recordings in `cargo xtask test`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tested {
    /// They are not there.
    Absent,
    /// All is as the list says.
    Done,
}

/// The command itself.
///
/// # Errors
/// When there are no recordings, one cannot be drawn, or the list of misses is not right.
pub(crate) fn main(ws: &Workspace, args: &Args) -> Result {
    let folder = args.folder.clone().unwrap_or_else(|| beside(ws));
    let recordings = recordings(&folder);
    if recordings.is_empty() {
        return Err(absent(&folder));
    }
    setup::ensure(ws, &setup::Args::native())?;
    let program = build::afterimage(ws)?;
    let mut compared = compare(ws, &program, &folder, &recordings, args.held_to)?;
    let file = list(ws, args.held_to);
    let listed = Misses::read(&file)?;
    if args.held_to.is_some() {
        let everywhere = Misses::read(&list(ws, None))?;
        let besides: BTreeSet<String> = compared.misses.iter().filter(|name| !everywhere.has(name)).cloned().collect();
        println!("{} of {} misses are not those of any device", besides.len(), compared.misses.len());
        compared.misses = besides;
    }
    print!("{}", compared.summary());
    println!("golden, picture, difference: {}", compared.page.display());
    if args.bless {
        let new = listed.updated(&compared.goldens, &compared.misses);
        std::fs::write(&file, new.text(&head(args.held_to), &compared.summary()))
            .doing(format!("writing {}", file.display()))?;
        println!("written: {}", file.display());
        return Ok(());
    }
    judge(&listed, &compared, &file)
}

/// The part of `cargo xtask test`: with the tests' own build of the program.
///
/// # Errors
/// As [`main`], without its complaint that there are none.
pub(crate) fn test(ws: &Workspace) -> Result<Tested> {
    let folder = beside(ws);
    let recordings = recordings(&folder);
    if recordings.is_empty() {
        println!("skipped: {}", absent(&folder).summary());
        return Ok(Tested::Absent);
    }
    let mut cargo = build::cargo(ws);
    cargo.args(["build", "--workspace", "--lib", "--bins", "--tests", "--examples"]);
    step::run(ws, &mut cargo, "building afterimage", "")?;
    let compared = compare(ws, &ws.target.join("debug/afterimage"), &folder, &recordings, None)?;
    print!("{}", compared.summary());
    let list = list(ws, None);
    judge(&Misses::read(&list)?, &compared, &list).map(|()| Tested::Done)
}

pub(crate) fn beside(ws: &Workspace) -> PathBuf {
    ws.root.join("../shared/captures/nv2a")
}

fn list(ws: &Workspace, held_to: Option<OnMetal>) -> PathBuf {
    ws.root.join(match held_to {
        None => "docs/nv2a-misses.md".to_owned(),
        Some(driver) => format!("docs/nv2a-misses-{}.md", driver.word()),
    })
}

/// What a list begins with.
fn head(held_to: Option<OnMetal>) -> String {
    let (title, words) = match held_to {
        None => (String::new(), String::new()),
        Some(driver) => (
            format!(" on a device that is held to what {} offers", driver.name()),
            format!(
                "`--held-to {}` draws on such a device, and looks for what misses there that is not in [nv2a-misses.md](nv2a-misses.md).\n\n",
                driver.word()
            ),
        ),
    };
    format!(
        "# What does not match the console's pictures{title}\n\n{words}\
         `cargo xtask nv2a` draws the recordings and compares. A picture matches if 99.9 % of its pixels are within 3 levels of \
         the\nconsole's in red, green and blue. The command fails when a picture misses that is not listed here, or one \
         matches that is;\n`cargo xtask nv2a --bless` writes the list, and keeps the causes that are given.\n"
    )
}

pub(crate) fn absent(folder: &Path) -> Failure {
    Failure::new("looking for recordings", format!("there is no SUITE/NAME.kcap.gz in {}", folder.display()))
        .advise("name their folder: cargo xtask nv2a FOLDER")
}

/// The recordings in the folders of a folder.
pub(crate) fn recordings(folder: &Path) -> Vec<PathBuf> {
    let entries = |folder: &Path| std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let named = |path: &PathBuf| {
        path.file_name().is_some_and(|name| {
            let name = name.to_string_lossy();
            name.ends_with(".kcap") || name.ends_with(".kcap.gz")
        })
    };
    let mut files: Vec<PathBuf> =
        entries(folder).flat_map(|suite| entries(&suite).collect::<Vec<_>>()).filter(named).collect();
    files.sort();
    files
}

/// How the pictures compare.
struct Compared {
    /// What `afterimage diff` says.
    report: Value,
    /// Names of all golden pictures.
    goldens: BTreeSet<String>,
    /// Names of those that do not match.
    misses: BTreeSet<String>,
    /// The page of `afterimage diff`.
    page: PathBuf,
}

impl Compared {
    fn new(report: Value, page: PathBuf) -> Self {
        let pictures = report["pictures"].as_array().map(Vec::as_slice).unwrap_or_default();
        let names = |wanted: &dyn Fn(&Value) -> bool| {
            let wanted = pictures.iter().filter(|picture| wanted(picture));
            wanted.filter_map(|picture| Some(picture["name"].as_str()?.to_owned())).collect()
        };
        let goldens = names(&|_| true);
        let misses = names(&|picture| !matches!(picture["state"].as_str(), Some("exact" | "match")));
        Self { goldens, misses, report, page }
    }

    fn summary(&self) -> String {
        let line = |title: &str, part: &str| {
            let count = |what: &str| self.report[part][what].as_u64().unwrap_or(0);
            let (bar, near, exact) = (count("bar"), count("99"), count("exact"));
            let all = self.goldens.len();
            format!(
                "{title}: {bar} of {all} pictures match at 99.9 % of their pixels, {near} at 99 %, {exact} are exact\n"
            )
        };
        line("whole pictures", "match") + &line("inside of what is drawn", "match_in_boxes")
    }
}

/// Draws all recordings and compares what they save.
fn compare(
    ws: &Workspace,
    program: &Path,
    folder: &Path,
    recordings: &[PathBuf],
    held_to: Option<OnMetal>,
) -> Result<Compared> {
    let out = ws.target.join(held_to.map_or("nv2a".to_owned(), |driver| format!("nv2a-{}", driver.word())));
    let (pictures, report) = (out.join("pictures"), out.join("report"));
    for old in [&pictures, &report] {
        let _ = std::fs::remove_dir_all(old);
    }
    let mut replay = Command::new(program);
    replay.arg("replay").args(recordings).arg("-o").arg(&pictures);
    // Thousands of states: the layers watch the tests of the crates and the samples.
    replay.env("AFTERIMAGE_VALIDATE", "0");
    if let Some(driver) = held_to {
        replay.env("AFTERIMAGE_WITHOUT", driver.without());
    }
    step::run(ws, &mut replay, &format!("drawing {} recordings", recordings.len()), "")?;
    let mut diff = Command::new(program);
    diff.args(["diff", "--json", "--quiet"]).args([folder, &pictures]).arg("-o").arg(&report);
    let output = diff.output().doing(format!("starting {}", step::line_of(&diff)))?;
    // 1 says that some pictures do not match.
    if !matches!(output.status.code(), Some(0 | 1)) {
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(Failure { command: Some(step::line_of(&diff)), ..Failure::new("comparing the pictures", text) });
    }
    let said = serde_json::from_slice(&output.stdout).doing("reading what `afterimage diff` says")?;
    Ok(Compared::new(said, report.join("index.html")))
}

/// Whether the list is right.
fn judge(listed: &Misses, compared: &Compared, file: &Path) -> Result {
    let wrong = listed.wrong(&compared.goldens, &compared.misses);
    if wrong.is_empty() {
        return Ok(());
    }
    Err(Failure::new(format!("comparing with {}", file.display()), wrong.join("\n"))
        .advise("mend it, or write the list anew (cargo xtask nv2a --bless) and give each new miss its cause"))
}

#[cfg(test)]
mod tests {
    use super::{Compared, PathBuf};

    #[test]
    fn what_diff_says_is_counted() {
        let report = serde_json::json!({
            "match": { "bar": 1, "99": 2, "exact": 0 }, "match_in_boxes": { "bar": 0, "99": 1, "exact": 0 },
            "pictures": [{ "name": "A/b", "state": "match" }, { "name": "A/c", "state": "near" }],
        });
        let compared = Compared::new(report, PathBuf::new());
        assert_eq!(compared.misses.iter().collect::<Vec<_>>(), ["A/c"]);
        assert!(compared.summary().starts_with("whole pictures: 1 of 2 pictures match at 99.9 %"));
    }
}
