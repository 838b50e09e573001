//! `cargo xtask metal`: captures of every kind, drawn by the renderer on Metal, on a software Metal, and compared with what the renderer on
//! Vulkan draws of them on lavapipe.
//!
//! What does not agree is listed in `docs/metal-pictures.md`, with its cause; one that starts or stops to agree, and is not so listed, is a
//! failure.

pub(crate) mod drawn;
mod material;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::ValueEnum as _;
use xtask::build::{self, Profile, Tree};
use xtask::setup::{self, Machine};
use xtask::step::{self, Context, Failure, Progress, Result};
use xtask::workspace::Workspace;

use crate::misses::Misses;
use drawn::Drawn;
use material::{Kind, Material, Source};

/// What lists begin with.
const HEAD: &str = "# Captures whose pictures are others on Metal

`cargo xtask metal` draws captures with the renderer on Metal, on a software Metal (`crates/metal-soft`), and with the renderer on Vulkan, on
lavapipe without its shortcuts (`GALLIVM_PERF=no_aos_sampling,no_quad_lod`). Pictures that are shown or read back agree if 99.9 % of their
pixels are within one level of 255 in red, green and blue. The command fails when a capture does not agree that is not listed here, or one
agrees that is; `cargo xtask metal --bless` writes the list, and keeps the causes that are given. [metal.md](metal.md) has what is proved where.
";
/// Threads beside each other: a replay is one.
const BUSY: usize = 2;

/// Arguments of `metal`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Which captures; all if none is named.
    #[arg(value_enum)]
    kinds: Vec<Kind>,
    /// Only those whose name has this in it.
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Only what `cargo xtask test` draws.
    #[arg(long)]
    quick: bool,
    /// Do not make captures anew that lie there from an earlier call, nor draw those again that the same program drew.
    #[arg(long)]
    again: bool,
    /// Begin no capture after so many minutes; `--again` goes on with what is left.
    #[arg(long, value_name = "NUMBER")]
    minutes: Option<u64>,
    /// Draw with programs as the tests build them, and not a release.
    #[arg(long)]
    dev: bool,
    /// A tree as `cargo xtask dist` makes, instead of building one.
    #[arg(long, value_name = "FOLDER")]
    tree: Option<PathBuf>,
    /// Write docs/metal-pictures.md anew; causes that it gives are kept.
    #[arg(long)]
    bless: bool,
}

/// The command itself.
///
/// # Errors
/// When captures cannot be made or drawn, or the list is not right.
pub(crate) fn main(ws: &Workspace, args: &Args) -> Result {
    let profile = if args.dev { Profile::Dev } else { Profile::Release };
    let (machine, tree) = match &args.tree {
        Some(folder) => (setup::found(ws), Tree::existing(folder)),
        None => {
            let machine = setup::ensure(ws, &setup::Args::default())?;
            let tree = build::tree(ws, &machine, profile)?;
            (machine, tree)
        }
    };
    let out = ws.target.join("metal");
    let source = Source { ws, machine: &machine, tree: &tree, profile, quick: args.quick, out: &out };
    let until = args.minutes.map(|minutes| Instant::now() + Duration::from_secs(60 * minutes));
    let drawing = Drawing { ws, tree: &tree, out: &out, keeps: args.again, until };
    let kinds = if args.kinds.is_empty() { Kind::value_variants() } else { &args.kinds };
    let (mut results, mut left) = (Vec::new(), 0);
    for &kind in kinds {
        let list = out.join(format!("{}.txt", kind.name()));
        let material = match args.again && list.is_file() {
            true => read(&list)?,
            false => {
                let material = source.captures(kind)?;
                write(&list, &material)?;
                material
            }
        };
        let wanted: Vec<Material> = material
            .into_iter()
            .filter(|material| args.only.as_ref().is_none_or(|text| material.name.contains(text)))
            .collect();
        let (drawn, not_yet) = drawing.draw(kind, &wanted)?;
        results.push((kind, drawn));
        left += not_yet;
    }
    if left > 0 {
        print!("{}", summary(&results));
        return Err(Failure::new("drawing everything in time", format!("{left} captures are left"))
            .advise("the same with --again goes on with them"));
    }
    let file = file(ws);
    let listed = Misses::read(&file)?;
    let (all, misses) = names(&results);
    print!("{}", summary(&results));
    if args.bless {
        let before = std::fs::read_to_string(&file).unwrap_or_default();
        let text = listed.updated(&all, &misses).text(HEAD, &completed(&summary(&results), &before));
        std::fs::write(&file, text).doing(format!("writing {}", file.display()))?;
        println!("written: {}", file.display());
        return Ok(());
    }
    judge(&listed, &all, &misses)
}

/// What came of the quick captures in `cargo xtask test`: how many were drawn.
///
/// # Errors
/// As [`main`].
pub(crate) fn test(ws: &Workspace, machine: &Machine) -> Result<usize> {
    let tree = build::tree(ws, machine, Profile::Dev)?;
    let out = ws.target.join("test-metal");
    let source = Source { ws, machine, tree: &tree, profile: Profile::Dev, quick: true, out: &out };
    let drawing = Drawing { ws, tree: &tree, out: &out, keeps: false, until: None };
    let mut results = Vec::new();
    // The samples are drawn by the part that runs them.
    for kind in [Kind::Nv2a, Kind::Gnm, Kind::Wine] {
        let material = source.captures(kind)?;
        results.push((kind, drawing.draw(kind, &material)?.0));
    }
    let (all, misses) = names(&results);
    print!("{}", summary(&results));
    judge(&Misses::read(&file(ws))?, &all, &misses)?;
    Ok(all.len())
}

/// Why the capture of a sample need not agree, if so.
///
/// # Errors
/// When the list cannot be read.
pub(crate) fn is_listed(ws: &Workspace, name: &str) -> Result<bool> {
    Ok(Misses::read(&file(ws))?.has(name))
}

fn file(ws: &Workspace) -> PathBuf {
    ws.root.join("docs/metal-pictures.md")
}

type Results = Vec<(Material, Drawn)>;

/// How captures are drawn.
struct Drawing<'a> {
    ws: &'a Workspace,
    tree: &'a Tree,
    out: &'a Path,
    /// What the same program drew in an earlier call is not drawn again.
    keeps: bool,
    /// When no other is begun.
    until: Option<Instant>,
}

impl Drawing<'_> {
    /// What came of those that have something to compare, and how many are left.
    fn draw(&self, kind: Kind, material: &[Material]) -> Result<(Results, usize)> {
        let progress =
            Progress::start(format!("drawing {} captures with both renderers: {}", material.len(), kind.name()));
        let one = |material: &Material| {
            let drawn = self.one(material)?;
            if let Some((drawn, false)) = &drawn {
                let said = drawn.why.as_deref().unwrap_or("ok");
                progress.now(&format!("{}: {said} ({:.1} s)", material.name, drawn.seconds));
            }
            Ok(drawn.map(|(drawn, _)| (material.clone(), drawn)))
        };
        let results: Result<Vec<Option<(Material, Drawn)>>> = step::at_once(BUSY, material, one).into_iter().collect();
        progress.finish(&results);
        let results = results?;
        let left = results.iter().filter(|result| result.is_none()).count();
        let something = |(_, drawn): &(Material, Drawn)| drawn.pictures > 0 || drawn.why.is_some();
        let results: Results = results.into_iter().flatten().filter(something).collect();
        for (material, drawn) in &results {
            if let Some(why) = &drawn.why {
                println!("{}: {why}", material.name);
            }
        }
        Ok((results, left))
    }

    /// What came of a capture, and whether that was known; nothing if there is no time left for it.
    fn one(&self, material: &Material) -> Result<Option<(Drawn, bool)>> {
        let folder = self.out.join("drawn").join(&material.name);
        let program = self.tree.afterimage();
        let key = drawn::key(&[&program, &material.capture])?;
        if let Some(known) = drawn::kept(&folder, key).filter(|_| self.keeps) {
            return Ok(Some((known, true)));
        }
        if self.until.is_some_and(|until| Instant::now() >= until) {
            return Ok(None);
        }
        let drawn = drawn::both(self.ws, &program, &material.capture, &folder)?;
        drawn::keep(&folder, key, &drawn)?;
        Ok(Some((drawn, false)))
    }
}

/// All captures, and those that do not agree.
fn names(results: &[(Kind, Results)]) -> (BTreeSet<String>, BTreeSet<String>) {
    let all = || results.iter().flat_map(|(_, results)| results);
    let name = |(material, _): &(Material, Drawn)| material.name.clone();
    (all().map(name).collect(), all().filter(|(_, drawn)| drawn.why.is_some()).map(name).collect())
}

fn summary(results: &[(Kind, Results)]) -> String {
    let line = |(kind, results): &(Kind, Results)| {
        let good = results.iter().filter(|(_, drawn)| drawn.why.is_none()).count();
        let pictures: usize = results.iter().map(|(_, drawn)| drawn.pictures).sum();
        format!("{}: {good} of {} captures agree, with {pictures} pictures\n", kind.name(), results.len())
    };
    results.iter().map(line).collect()
}

/// A summary with the lines that a list has of the kinds that were not drawn this time.
fn completed(summary: &str, before: &str) -> String {
    let line = |text: &str, kind: &Kind| {
        let begin = format!("{}: ", kind.name());
        text.lines().find(|line| line.starts_with(&begin)).map(|line| format!("{line}\n"))
    };
    let kinds = Kind::value_variants().iter();
    kinds.filter_map(|kind| line(summary, kind).or_else(|| line(before, kind))).collect()
}

fn judge(listed: &Misses, all: &BTreeSet<String>, misses: &BTreeSet<String>) -> Result {
    let wrong = listed.wrong(all, misses);
    if wrong.is_empty() {
        return Ok(());
    }
    Err(Failure::new("comparing with docs/metal-pictures.md", wrong.join("\n"))
        .advise("mend it, or write the list anew (cargo xtask metal --bless) and give each new row its cause"))
}

/// Captures that were made before.
fn read(list: &Path) -> Result<Vec<Material>> {
    let text = std::fs::read_to_string(list).doing(format!("reading {}", list.display()))?;
    let row = |line: &str| {
        let (name, capture) = line.split_once('\t')?;
        Some(Material { name: name.to_owned(), capture: capture.into() })
    };
    Ok(text.lines().filter_map(row).collect())
}

fn write(list: &Path, material: &[Material]) -> Result {
    let row = |material: &Material| format!("{}\t{}\n", material.name, material.capture.display());
    let text: String = material.iter().map(row).collect();
    std::fs::write(list, text).doing(format!("writing {}", list.display()))
}

#[cfg(test)]
mod tests {
    use super::completed;
    use std::path::Path;

    /// What the documents say of how many captures agree is what the list says.
    #[test]
    fn documents_say_what_the_list_says() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let read = |name: &str| std::fs::read_to_string(root.join(name)).unwrap();
        let (list, documents) = (read("docs/metal-pictures.md"), ["README.md", "docs/metal.md"].map(read));
        let counts: Vec<&str> = list
            .lines()
            .filter_map(|line| line.split_once(": ")?.1.split_once(" captures agree"))
            .map(|(count, _)| count)
            .collect();
        assert_eq!(counts.len(), 4, "{counts:?}");
        for count in counts {
            assert!(documents.iter().all(|text| text.contains(count)), "{count}");
        }
    }

    #[test]
    fn kinds_that_were_not_drawn_keep_their_line() {
        let before = "# A list\n```\nnv2a: 1 of 2\nwine: 3 of 4\n```\n| `wine/x` | wine: of course |\n";
        assert_eq!(completed("gnm: 5 of 6\nnv2a: 2 of 2\n", before), "nv2a: 2 of 2\ngnm: 5 of 6\nwine: 3 of 4\n");
    }
}
