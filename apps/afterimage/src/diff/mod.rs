//! `afterimage diff`: pictures against golden ones, captures against each other.

mod captures;
mod compare;
mod find;
mod first;
mod pairing;
pub(crate) mod picture;
mod report;
mod side;
mod table;

use crate::inspect::is_capture;
use crate::{Failure, pool};
use clap::Parser;
use compare::{Comparison, Settings};
use find::Pair;
use picture::Picture;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::AtomicUsize;

/// Compare pictures with golden ones, or captures.
///
/// Of two captures, or of one that is drawn in two ways, the pictures of every frame are compared. In
/// the first frame that does not match, the first call is looked for behind which pictures differ: it
/// is named with what differs in the state that it is done in, in its shaders and in what it reads.
/// --device, --without and --options say how the sides are drawn: told once for the second, told
/// twice for the first and then the second. What is said above the table's end tells which frames
/// were paired, and which only one capture has: those before and behind the frames of both are not
/// compared.
///
/// A picture matches if enough of its pixels (--bar) are within a tolerance (--tolerance) of the
/// golden one's in red, green and blue. Of two folders, every PNG file of the golden folder is
/// compared with the one at the same place in the other; one that is missing, cannot be read, or
/// has another size does not match.
///
/// The columns from "box" on look only at what is drawn: the smallest rectangle around all pixels
/// of the golden picture whose colour is not the background's, which is the colour that most
/// pixels of the outermost rows and columns have. White pixels of alpha 0, as pbkit's text has
/// them, do not count as drawn.
///
/// Exit status: 0 all match, 1 some do not, 2 they could not be compared.
///
/// Examples:
///   afterimage diff goldens pictures                  a table, and how many match
///   afterimage diff goldens pictures --misses         only what does not match
///   afterimage diff goldens pictures -o report        report/index.html: golden, picture, difference
///   afterimage diff a.png b.png --tolerance 0
///   afterimage diff before.aftercap after.aftercap -o report
///   afterimage diff scene.aftercap --device llvmpipe --device nvidia
///   afterimage diff scene.aftercap --without bindless
///   afterimage diff scene.aftercap --options "float_rules=strict async=off"
#[derive(Debug, Parser)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// A golden picture, a folder of them, or a capture.
    golden: PathBuf,
    /// The picture, the folder with a picture for each golden one, or another capture; not needed where one capture is drawn in two ways.
    picture: Option<PathBuf>,
    /// Draw a capture on this device: part of its name, or its number in `afterimage info`.
    #[arg(long, value_name = "NAME")]
    device: Vec<String>,
    /// Draw a capture without these abilities, as AFTERIMAGE_WITHOUT has them: bindless,dynamic_state3.
    #[arg(long, value_name = "WORDS")]
    without: Vec<String>,
    /// Draw a capture with these options of the configuration, with spaces between.
    #[arg(long, value_name = "OPTION=VALUE")]
    options: Vec<String>,
    /// Which frames of two captures belong together. [default: those of the same number, which counts pictures since the program began;
    /// where there are none, as picture does]
    #[arg(long, value_name = "WAY")]
    pair: Option<pairing::By>,
    /// Write a page with golden, picture and difference side by side into this folder, as index.html.
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// By how much red, green and blue may differ, in levels of 0 to 255.
    #[arg(long, value_name = "LEVELS", default_value_t = 3)]
    tolerance: u8,
    /// How many pixels, in percent, have to be within the tolerance.
    #[arg(long, value_name = "PERCENT", default_value_t = 99.9, value_parser = percent)]
    bar: f64,
    /// How much brighter differences are shown on the page.
    #[arg(long, value_name = "FACTOR", default_value_t = 16)]
    amplify: u8,
    /// List only pictures that do not match.
    #[arg(long)]
    misses: bool,
    /// Print JSON instead of a table.
    #[arg(long)]
    json: bool,
    /// Pictures compared at a time. [default: one per core]
    #[arg(short, long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    jobs: usize,
    /// Show no progress.
    #[arg(short, long)]
    quiet: bool,
}

fn percent(text: &str) -> Result<f64, String> {
    let value = text.parse().ok().filter(|value| (0.0..=100.0).contains(value));
    value.ok_or_else(|| "expected a number from 0 to 100".into())
}

/// What came of one golden picture.
#[derive(Debug)]
struct Row {
    /// Its place in the golden folder, without the extension and with `/`.
    name: String,
    outcome: Outcome,
}

/// What came of a comparison.
#[derive(Debug)]
enum Outcome {
    /// The pictures could be compared.
    Compared(Comparison),
    /// There is no picture.
    Missing,
    /// The picture cannot be compared with the golden one, and why.
    Unfit(String),
}

/// How a row is judged; in the order from good to bad.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum State {
    Exact,
    Match,
    /// 99 % are within the tolerance, but the bar is higher.
    Near,
    Differs,
    Unfit,
    Missing,
}

impl State {
    const fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Match => "match",
            Self::Near => "near",
            Self::Differs => "differs",
            Self::Unfit => "unfit",
            Self::Missing => "missing",
        }
    }

    const fn matches(self) -> bool {
        matches!(self, Self::Exact | Self::Match)
    }
}

impl Row {
    fn state(&self, bar: f64) -> State {
        match &self.outcome {
            Outcome::Compared(comparison) if comparison.all.is_exact() => State::Exact,
            Outcome::Compared(comparison) if comparison.all.reaches(bar) => State::Match,
            Outcome::Compared(comparison) if comparison.all.reaches(99.0) => State::Near,
            Outcome::Compared(_) => State::Differs,
            Outcome::Unfit(_) => State::Unfit,
            Outcome::Missing => State::Missing,
        }
    }
}

/// Compares, and says what was found.
pub(crate) fn run(args: &Args) -> ExitCode {
    match compare_all(args) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(failure) => {
            crate::complain(&failure.to_string());
            ExitCode::from(2)
        }
    }
}

/// Whether all match.
fn compare_all(args: &Args) -> Result<bool, Failure> {
    let sides = [&args.device, &args.without, &args.options].into_iter().any(|told| !told.is_empty());
    let picture = match (is_capture(&args.golden), &args.picture) {
        (true, None) if sides => return captures::compare(args),
        (true, None) => {
            return Err(Failure::new(
                "one capture is compared with another, or drawn in two ways: say --device, --without or --options",
            ));
        }
        (true, Some(other)) if is_capture(other) => return captures::compare(args),
        (_, Some(other)) if is_capture(&args.golden) != is_capture(other) => {
            let (capture, none) = if is_capture(other) { (other, &args.golden) } else { (&args.golden, other) };
            let what = match none.metadata() {
                Err(_) => "does not exist",
                Ok(data) if data.is_dir() => "is a folder",
                Ok(_) => "is none",
            };
            return Err(Failure::new(format!("{} is a capture, and {} {what}", capture.display(), none.display())));
        }
        (false, _) if sides => {
            return Err(Failure::new("--device, --without and --options are for captures, and these are pictures"));
        }
        (_, None) => return Err(Failure::new("say which pictures to compare with the golden ones")),
        (false, Some(picture)) | (true, Some(picture)) => picture,
    };
    let found = find::pairs(&args.golden, picture)?;
    let settings = Settings { tolerance: args.tolerance, amplify: args.amplify };
    if let Some(folder) = &args.output {
        report::prepare(folder)?;
    }
    let rows = work(args, &found.pairs, settings)?;
    let listing = table::Listing { rows: &rows, bar: args.bar, tolerance: args.tolerance, extra: found.extra };
    if let Some(folder) = &args.output {
        report::write(folder, &listing, &report::Note::default())?;
    }
    if args.json {
        crate::say(&format!("{:#}\n", listing.value()));
    } else {
        listing.print(args.misses);
    }
    if let Some(folder) = args.output.as_ref().filter(|_| !args.json) {
        crate::say(&format!("report: {}\n", folder.join(report::PAGE).display()));
    }
    Ok(rows.iter().all(|row| row.state(args.bar).matches()))
}

/// Compares all pairs, several at a time; rows are in the order of the pairs.
fn work(args: &Args, pairs: &[Pair], settings: Settings) -> Result<Vec<Row>, Failure> {
    let workers = pool::workers(args.jobs, pairs.len());
    let bar = pool::bar(pairs.len(), !args.quiet && pairs.len() > 1);
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut done = Vec::new();
        while let Some((index, pair)) = pool::take(&next, pairs) {
            bar.set_message(pair.name.clone());
            done.push((index, one(pair, settings, args.output.as_deref())?));
            bar.inc(1);
        }
        Ok(done)
    };
    let results: Vec<Result<_, Failure>> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(worker)).collect();
        let lost = || Failure::new("a worker ended early");
        workers.into_iter().map(|worker| worker.join().unwrap_or_else(|_| Err(lost()))).collect()
    });
    bar.finish_and_clear();
    let mut rows: Vec<(usize, Row)> = Vec::with_capacity(pairs.len());
    for result in results {
        rows.extend(result?);
    }
    rows.sort_by_key(|(index, _)| *index);
    Ok(rows.into_iter().map(|(_, row)| row).collect())
}

/// Compares one pair, and puts its pictures into the report.
fn one(pair: &Pair, settings: Settings, report: Option<&std::path::Path>) -> Result<Row, Failure> {
    let golden = Picture::read(&pair.golden).map_err(Failure::new)?;
    let picture = if pair.picture.is_file() { Some(Picture::read(&pair.picture)) } else { None };
    let outcome = match &picture {
        None => Outcome::Missing,
        Some(Err(why)) => Outcome::Unfit(why.clone()),
        Some(Ok(picture)) => match compare::compare(&golden, picture, settings) {
            Ok(comparison) => Outcome::Compared(comparison),
            Err(why) => Outcome::Unfit(why),
        },
    };
    if let Some(folder) = report {
        let picture = picture.as_ref().and_then(|picture| picture.as_ref().ok());
        report::pictures(folder, &pair.name, &golden, picture, settings)?;
    }
    Ok(Row { name: pair.name.clone(), outcome })
}
