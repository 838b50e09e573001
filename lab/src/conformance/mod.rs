//! `cargo xtask conformance`: other people's tests of what we implement.
//!
//! They are Wine's own suites (`suites.rs`). What is not clean is listed in `docs/SUITE-conformance.md` with its cause; a sub-test
//! that starts or stops to be clean, and is not so listed, is a failure.

mod known;
mod outcome;
mod report;
mod run;
mod sources;
mod suites;
mod table;

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::ValueEnum;
use xtask::build::{self, Profile, Tree, Width, Windows};
use xtask::setup::{self, Machine};
use xtask::step::{Context, Failure, Result};
use xtask::workspace::Workspace;

use crate::wine::place::{Layer, Place, Release};
use known::{Cleanness, Known};
use outcome::State;
use run::{Config, Outcomes, Runner};
use sources::{Subtest, Suite};
use suites::{Name, SuiteRow};

/// Arguments of `conformance`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Which tests.
    #[arg(value_enum)]
    suite: Name,
    /// Only these sub-tests: FILE, FILE.NAME, or a pattern with `*`; several with commas [default: all].
    #[arg(long, value_delimiter = ',', value_name = "PATTERN")]
    only: Vec<String>,
    /// How Direct3D is implemented [default: in-process and viewer].
    #[arg(long = "way", value_enum, value_delimiter = ',')]
    ways: Vec<Layer>,
    /// Run WineD3D and Debian's DXVK as well.
    #[arg(long)]
    peers: bool,
    /// Only programs of this width [default: both].
    #[arg(long, value_name = "BITS", value_parser = ["64", "32"])]
    width: Option<String>,
    /// Which Wine; `trixie` makes a Debian trixie in the cache folder, as root [default: trixie's where it was made already,
    /// else this machine's].
    #[arg(long, value_enum)]
    wine: Option<Release>,
    /// Sub-tests at a time [default: one for each two cores, at least two].
    #[arg(long, short)]
    jobs: Option<usize>,
    /// Seconds for a sub-test.
    #[arg(long, default_value_t = 120, value_name = "SECONDS")]
    limit: u32,
    /// Expect what Windows does: checks that Wine marks as failing count too. Nothing is compared with the list then.
    #[arg(long)]
    windows: bool,
    /// A tree as `cargo xtask dist` makes, instead of building one.
    #[arg(long, value_name = "FOLDER")]
    tree: Option<PathBuf>,
    /// Write docs/SUITE-conformance.md anew; causes that it gives are kept.
    #[arg(long, conflicts_with = "windows")]
    bless: bool,
}

/// The command itself.
///
/// # Errors
/// When the tests cannot be built or run, or the list of what is not clean is not right.
pub(crate) fn main(ws: &Workspace, args: &Args) -> Result {
    let row = args.suite.row();
    let machine = setup::ensure(ws, &setup::Args::default())?;
    if let Some(why) = machine.no_windows() {
        return Err(Failure::new("conformance", why).advise("see `cargo xtask setup --check`"));
    }
    let widths: Vec<Width> = Width::ALL
        .into_iter()
        .filter(|width| args.width.as_ref().is_none_or(|bits| *bits == width.bits().to_string()))
        .collect();
    let place = Place::prepare(ws, args.wine.unwrap_or_else(|| Place::best(ws)))?;
    let suite = Suite::fetch(ws, row)?.prepare(ws, &widths)?;
    let wanted = select(&suite, &args.only)?;
    let tree = match &args.tree {
        Some(folder) => Tree::existing(folder),
        None => built(build::tree(ws, &machine, Profile::Release)?)?,
    };
    let out = ws.target.join("conformance").join(row.name);
    let runner = Runner {
        ws,
        tree: &tree,
        place: &place,
        suite: &suite,
        jobs: args.jobs.unwrap_or_else(default_jobs).max(1),
        limit: args.limit,
        windows: args.windows,
        out: &out,
        captures: None,
    };
    let mut layers = if args.ways.is_empty() { Layer::OURS.to_vec() } else { args.ways.clone() };
    if args.peers {
        layers.extend(Layer::PEERS);
    }
    let list = list(ws, row);
    let mut known = Known::read(&list)?;
    let runs = run_all(&runner, &layers, &widths, &wanted)?;
    if args.bless {
        let ours: Vec<(Config, Cleanness)> =
            ours(&runs).map(|(config, run)| (config.clone(), cleanness(run))).collect();
        known.update(&ours);
        if wanted.len() == suite.subtests.len() {
            for (config, outcomes) in &runs {
                known.set_figures(config.layer.name(), config, &table::cells(row, outcomes));
            }
        }
        std::fs::write(&list, known.text(row)).doing(format!("writing {}", list.display()))?;
    }
    show(&runner, &runs, &known)?;
    if args.windows { Ok(()) } else { judge(row, &known, &runs) }
}

/// What came of the quick sub-tests in `cargo xtask test`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Tested {
    /// They cannot be run here, and why.
    Absent(String),
    /// All is as the list says.
    Done,
}

/// The part of `cargo xtask test`: quick sub-tests of every suite, in process, and through the viewer in both widths.
///
/// # Errors
/// When a suite does not compile, or a sub-test is not as its list says.
pub(crate) fn test(ws: &Workspace, machine: &Machine) -> Result<Tested> {
    if let Some(why) = machine.no_windows() {
        return Ok(Tested::Absent(why));
    }
    let place = Place::prepare(ws, Release::Host)?;
    let tree = built(build::tree(ws, machine, Profile::Dev)?)?;
    for row in Name::value_variants().iter().map(|name| name.row()) {
        let suite = match Suite::fetch(ws, row) {
            Ok(suite) => suite.prepare(ws, &Width::ALL)?,
            Err(failure) => return Ok(Tested::Absent(failure.summary())),
        };
        let wanted = select(&suite, &row.quick.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>())?;
        let out = ws.target.join("test-conformance").join(row.name);
        let runner = Runner {
            ws,
            tree: &tree,
            place: &place,
            suite: &suite,
            jobs: default_jobs(),
            limit: 180,
            windows: false,
            out: &out,
            captures: None,
        };
        let mut runs = run_all(&runner, &Layer::OURS, &[Width::W64], &wanted)?;
        runs.extend(run_all(&runner, &[Layer::Viewer], &[Width::W32], &wanted)?);
        let known = Known::read(&list(ws, row))?;
        show(&runner, &runs, &known)?;
        judge(row, &known, &runs)?;
    }
    Ok(Tested::Done)
}

/// Has sub-tests of Direct3D 9 that patterns name (all of `visual` if there are none) write captures into a folder, as FILE.NAME.aftercap:
/// in process, 64 bit. One that draws nothing writes none. `None`, with the reason printed, where they cannot be run.
///
/// # Errors
/// When the suite does not compile, or a process cannot be started.
pub(crate) fn captured(
    ws: &Workspace,
    machine: &Machine,
    tree: &Tree,
    patterns: &[&str],
    folder: &std::path::Path,
) -> Result<Option<usize>> {
    let absent = |why: String| {
        println!("skipped: captures of Wine's tests: {why}");
        Ok(None)
    };
    if let Some(why) = machine.no_windows() {
        return absent(why);
    }
    if let Windows::Impossible(why) | Windows::Broken(why) = &tree.windows {
        return Err(Failure::new("building the Windows half", why));
    }
    let place = Place::prepare(ws, Release::Host)?;
    let suite = match Suite::fetch(ws, Name::D3d9.row()) {
        Ok(suite) => suite.prepare(ws, &[Width::W64])?,
        Err(failure) => return absent(failure.summary()),
    };
    let patterns = if patterns.is_empty() { &["visual"] } else { patterns };
    let wanted = select(&suite, &patterns.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>())?;
    std::fs::create_dir_all(folder).doing(format!("creating {}", folder.display()))?;
    let out = folder.join("texts");
    let runner = Runner {
        ws,
        tree,
        place: &place,
        suite: &suite,
        jobs: default_jobs(),
        limit: 180,
        windows: false,
        out: &out,
        captures: Some(folder),
    };
    let outcomes = runner.run(Layer::InProcess, Width::W64, &runner.seats(Width::W64)?, &wanted)?;
    Ok(Some(outcomes.len()))
}

/// The tree if its Windows half was built: an older one that still lies there is not to be tested.
fn built(tree: Tree) -> Result<Tree> {
    match &tree.windows {
        Windows::Built => Ok(tree),
        Windows::Impossible(why) | Windows::Broken(why) => Err(Failure::new("building the Windows half", why)),
    }
}

fn list(ws: &Workspace, row: &SuiteRow) -> PathBuf {
    ws.root.join(format!("docs/{}-conformance.md", row.name))
}

fn default_jobs() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from).div_ceil(2).max(2)
}

/// The sub-tests that patterns name; all if there are none.
fn select(suite: &Suite, patterns: &[String]) -> Result<Vec<Subtest>> {
    let fits = |pattern: &str, subtest: &Subtest| {
        let name = subtest.full_name();
        subtest.file == pattern || matches(pattern, &name) || matches(pattern, &subtest.name)
    };
    if let Some(none) = patterns.iter().find(|pattern| !suite.subtests.iter().any(|subtest| fits(pattern, subtest))) {
        let files = suite.row.files.join(", ");
        let advice = format!("name a file ({files}), FILE.NAME, or a pattern: --only '*cursor*'");
        return Err(Failure::new("choosing sub-tests", format!("none is called `{none}`")).advise(advice));
    }
    let wanted = |subtest: &&Subtest| patterns.is_empty() || patterns.iter().any(|pattern| fits(pattern, subtest));
    Ok(suite.subtests.iter().filter(wanted).cloned().collect())
}

/// Whether a pattern, in which `*` stands for anything, fits a name.
fn matches(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((start, rest)) => name
            .strip_prefix(start)
            .is_some_and(|name| (0..=name.len()).any(|at| name.get(at..).is_some_and(|name| matches(rest, name)))),
    }
}

fn run_all(
    runner: &Runner<'_>,
    layers: &[Layer],
    widths: &[Width],
    wanted: &[Subtest],
) -> Result<Vec<(Config, Outcomes)>> {
    let mut runs = Vec::new();
    for &width in widths {
        let possible = |layer: &&Layer| match layer.lacks(runner.place, width) {
            None => true,
            Some(why) => {
                println!("skipped: {}, {} bit: {why}", layer.name(), width.bits());
                false
            }
        };
        let layers: Vec<Layer> = layers.iter().filter(possible).copied().collect();
        if layers.is_empty() {
            continue;
        }
        let seats = runner.seats(width)?;
        for layer in layers {
            match runner.run(layer, width, &seats, wanted) {
                Ok(outcomes) => {
                    let config = Config { layer, bits: width.bits(), wine: runner.place.version.clone() };
                    runs.push((config, outcomes));
                }
                Err(failure) if Layer::PEERS.contains(&layer) => {
                    println!("left out: {}, {} bit: {}", layer.name(), width.bits(), failure.summary());
                }
                Err(failure) => return Err(failure),
            }
        }
    }
    Ok(runs)
}

fn ours(runs: &[(Config, Outcomes)]) -> impl Iterator<Item = &(Config, Outcomes)> {
    runs.iter().filter(|(config, _)| config.layer.is_ours())
}

fn cleanness(outcomes: &Outcomes) -> Cleanness {
    outcomes.iter().map(|(subtest, outcome)| (subtest.full_name(), outcome.state == State::Clean)).collect()
}

/// How many marked checks fail in each clean sub-test.
fn marks(outcomes: &Outcomes) -> BTreeMap<String, u64> {
    let clean = outcomes.iter().filter(|(_, outcome)| outcome.state == State::Clean);
    clean.map(|(subtest, outcome)| (subtest.full_name(), outcome.todo)).collect()
}

/// Prints what is not clean and the table, and writes the page.
fn show(runner: &Runner<'_>, runs: &[(Config, Outcomes)], known: &Known) -> Result {
    for (config, outcomes) in ours(runs) {
        let notable = |outcome: &outcome::Outcome| outcome.state != State::Clean || outcome.before.is_some();
        let bad = outcomes.iter().filter(|(_, outcome)| notable(outcome));
        for (index, (subtest, outcome)) in bad.enumerate() {
            if index == 0 {
                println!("\n{config}: {}", runner.folder_of(config).display());
            }
            let name = subtest.full_name();
            let unlisted = if outcome.state == State::Clean { "not listed" } else { "NOT LISTED" };
            println!("  {name}: {}; {}", outcome.summary(), known.cause(&name, config).unwrap_or(unlisted));
        }
    }
    let suite = runner.suite.row;
    let key = |config: &Config| vec![config.layer.name().to_owned(), config.wine.clone(), config.bits.to_string()];
    let mut rows: Vec<Vec<String>> =
        runs.iter().map(|(config, outcomes)| [key(config), table::cells(suite, outcomes)].concat()).collect();
    let here: Vec<Vec<String>> = runs.iter().map(|(config, _)| key(config)).collect();
    let ours = |what: &str| Layer::OURS.iter().any(|layer| layer.name() == what);
    for (key, cells) in known.figures().filter(|(key, _)| !here.contains(&key.to_vec()) && !ours(&key[0])) {
        let mut row = [key.as_slice(), cells].concat();
        row[0].push_str(" (earlier)");
        rows.push(row);
    }
    println!("\n{}", table::text(suite, &rows));
    let page = runner.out.join("index.html");
    report::write(&page, suite, &rows, runs, known)?;
    println!("what each prints: {}", page.display());
    Ok(())
}

/// Whether the list is right about our own runs.
fn judge(row: &SuiteRow, known: &Known, runs: &[(Config, Outcomes)]) -> Result {
    let mut wrong: Vec<String> = ours(runs).flat_map(|(config, run)| known.wrong(config, &cleanness(run))).collect();
    wrong.extend(ours(runs).flat_map(|(config, run)| known::wrong_marks(row, config, &marks(run))));
    if wrong.is_empty() {
        return Ok(());
    }
    let what = format!("comparing with docs/{}-conformance.md", row.name);
    Err(Failure::new(what, wrong.join("\n")).advise(format!(
        "mend it, or write the list anew (cargo xtask conformance {} --bless) and give each new row its cause",
        row.name
    )))
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn a_star_stands_for_anything() {
        assert!(matches("device.test_reset", "device.test_reset"));
        assert!(matches("*reset*", "device.test_reset_ex"));
        assert!(matches("device.*_ex", "device.test_reset_ex"));
        assert!(!matches("device.*_ex", "device.test_reset"));
        assert!(!matches("reset", "device.test_reset"));
    }
}
