//! `cargo xtask gnm corpus`: other people's shaders through RADV, then through all of ours, as recordings that are played.

mod compile;
mod known;
mod sources;
mod worker;

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use afterimage_gcn_corpus::Compiler;
use xtask::build;
use xtask::step::{self, Context, Failure, Progress, Result};
use xtask::workspace::Workspace;
use xxhash_rust::xxh3::xxh3_64;

use compile::Folder;
use known::{Known, List, Row};

/// Nothing is heard of a compiler for so long: LLVM does not end on what it cannot do now and then.
const COMPILING: Duration = Duration::from_secs(60);
/// Seconds, the same of a shader that is played: lavapipe compiles some for long.
const PLAYING: u64 = 120;
/// What a worker says it begins when it runs the original.
const ORIGINAL: &str = "original";
/// Programs that a worker gets at a time.
const CHUNK: usize = 40;
/// Of `--sample`: every so many programs.
const SAMPLE: usize = 40;
/// What makes programs of shaders: if it changes, all are made again.
const MAKERS: [&str; 6] = [
    include_str!("compile.rs"),
    include_str!("sources.rs"),
    include_str!("../../../../crates/gcn-corpus/src/expected.rs"),
    include_str!("../../../../crates/gcn-corpus/src/foreign.rs"),
    include_str!("../../../../crates/gcn-corpus/src/reflect.rs"),
    include_str!("../../../../crates/gcn-corpus/examples/radv/entry.rs"),
];

/// Arguments of `gnm corpus`.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Args {
    /// Only programs whose names have one of these in them, such as `glslang.spv.` or `piglit`.
    #[arg(long, value_name = "TEXT", value_delimiter = ',')]
    only: Vec<String>,
    /// Only some of them, about half a minute's.
    #[arg(long)]
    sample: bool,
    /// How many work at a time; as many as there are cores if nothing is said.
    #[arg(long, short)]
    jobs: Option<usize>,
    /// Write the list of what fails anew, keeping the causes that it has.
    #[arg(long)]
    bless: bool,
    /// Only make the programs and their code, and do not play them.
    #[arg(long)]
    prepare: bool,
    /// Play what another machine has prepared, with what it has built: on one with a GPU and without Rust.
    #[arg(long, conflicts_with_all = ["prepare", "bless"])]
    prepared: bool,
    /// Write a line for each shader into this file.
    #[arg(long, value_name = "FILE")]
    rows: Option<PathBuf>,
    /// Built in release mode: quicker for all of it.
    #[arg(long)]
    release: bool,
    /// Seconds after which a program that is played does not end; lavapipe compiles some for long.
    #[arg(long, value_name = "SECONDS", default_value_t = PLAYING)]
    patience: u64,
}

/// What became of the sample in the tests.
pub(crate) enum Tested {
    /// What it needs is not there.
    Absent(String),
    /// It is as the list says.
    Done,
}

/// The sample, if its packages can be had and this machine's RADV is one that we can read.
///
/// # Errors
/// When what fails is not what the list says.
pub(crate) fn test(ws: &Workspace) -> Result<Tested> {
    if !super::shaders::Radv::is_here() {
        return Ok(Tested::Absent("this machine has no RADV of Mesa 25.0.7".to_owned()));
    }
    if let Err(failure) = sources::shaders(ws) {
        return Ok(Tested::Absent(failure.summary()));
    }
    let args = Args { sample: true, patience: PLAYING, ..Args::default() };
    main(ws, &args).map(|()| Tested::Done)
}

/// How many shaders there are of each kind of end, and which reasons.
type Counts = BTreeMap<String, usize>;

/// The command itself.
///
/// # Errors
/// When a package or a tool is missing, or what fails is not what the list says.
pub(crate) fn main(ws: &Workspace, args: &Args) -> Result {
    let jobs = args.jobs.unwrap_or_else(step::cores).max(1);
    let folder = Folder(ws.target.join(if args.sample { "gnm/corpus-sample" } else { "gnm/corpus" }));
    let names = if args.prepared { prepared(args, &folder)? } else { prepare(ws, args, &folder, jobs)? };
    if args.prepare {
        println!("{}", folder.0.display());
        return Ok(());
    }
    let device = device(ws, args, &folder)?;
    let list = List::of(&device);
    let known = Known::read(ws, list)?;
    let (endless, names): (Vec<String>, _) = names.into_iter().partition(|name| known.is_endless(name));
    if !endless.is_empty() {
        println!("{} programs that do not end are not played", endless.len());
    }
    let mut rows = play(ws, args, &folder, &names, &known, jobs)?;
    known.mark(&mut rows);
    table(&rows);
    if let Some(file) = &args.rows {
        let text: String = rows.iter().map(|row| format!("{row}\n")).collect();
        std::fs::write(file, text).doing(format!("writing {}", file.display()))?;
    }
    match list {
        None => println!("{device}: there is no list of what fails there"),
        Some(list) if args.bless => return known.bless(ws, list, &rows),
        Some(list) => return known.check(list.file, &rows),
    }
    Ok(())
}

/// The name of the device that plays.
fn device(ws: &Workspace, args: &Args, folder: &Folder) -> Result<String> {
    let mut command = Command::new(example(ws, args.release, "corpus"));
    step::output(command.arg(&folder.0).arg(folder.recordings()), "asking for the device")
        .map(|name| name.trim().to_owned())
}

/// Whether a program is one of those that are asked for.
fn is_wanted(args: &Args, name: &str) -> bool {
    args.only.is_empty() || args.only.iter().any(|text| name.contains(text.as_str()))
}

/// The programs whose code a folder has.
fn prepared(args: &Args, folder: &Folder) -> Result<Vec<String>> {
    let programs = afterimage_gcn_corpus::programs_in(&folder.0).doing("looking for what was prepared")?;
    let names: Vec<String> = programs.into_iter().map(|program| program.name).collect();
    let has_code = |name: &String| Compiler::ALL.into_iter().any(|compiler| folder.code(name, compiler).is_file());
    let names: Vec<String> = names.into_iter().filter(|name| is_wanted(args, name) && has_code(name)).collect();
    if names.is_empty() {
        return Err(Failure::new("looking for what was prepared", format!("no code in {}", folder.0.display())));
    }
    std::fs::create_dir_all(folder.recordings()).doing("creating a folder for recordings")?;
    Ok(names)
}

/// Makes the programs and their code, and what plays them.
fn prepare(ws: &Workspace, args: &Args, folder: &Folder, jobs: usize) -> Result<Vec<String>> {
    let mut shaders = sources::shaders(ws)?;
    let total = shaders.len();
    if args.sample {
        shaders = shaders.into_iter().step_by(SAMPLE).collect();
        // lavapipe takes minutes for these.
        shaders.retain(|shader| !["subgroup", "Ballot"].iter().any(|name| shader.name.contains(name)));
    }
    shaders.retain(|shader| is_wanted(args, &shader.name));
    if shaders.is_empty() {
        return Err(Failure::new("looking for shaders", format!("none of {total} is so named")));
    }
    build(ws, args.release)?;
    ready(folder)?;
    let unusable = programs(&shaders, folder, jobs)?;
    let names: Vec<String> =
        shaders.iter().map(|shader| shader.name.clone()).filter(|name| !unusable.contains_key(name)).collect();
    println!("{} shaders, {} of which are programs for Vulkan", shaders.len(), names.len());
    print("not used", unusable.values().cloned());
    let mut uncompiled = BTreeMap::new();
    for compiler in Compiler::ALL {
        let radv = example(ws, args.release, "radv");
        uncompiled.extend(to_gcn(ws, folder, compiler, &radv, &names, jobs)?);
    }
    print("not compiled by RADV", uncompiled.into_values());
    Ok(names)
}

/// Builds what talks to RADV, and what plays.
fn build(ws: &Workspace, release: bool) -> Result {
    let mut cargo = build::cargo(ws);
    cargo.args(["build", "--quiet", "--example", "radv", "--example", "corpus"]);
    // The tests have built these with the features that the whole workspace asks for; with those of two packages all is built anew.
    match release {
        true => cargo.args(["--release", "-p", "afterimage-gcn-corpus", "-p", "afterimage-gnm"]),
        false => cargo.arg("--workspace"),
    };
    step::run(ws, &mut cargo, "building what talks to RADV, and what plays recordings", "").map(drop)
}

fn example(ws: &Workspace, release: bool, name: &str) -> PathBuf {
    ws.target.join(if release { "release" } else { "debug" }).join("examples").join(name)
}

/// Makes the folders, empty if what is in them was made otherwise than it would be now.
fn ready(folder: &Folder) -> Result {
    let mark = folder.0.join("made-by");
    let now = format!("{:016x}", MAKERS.iter().fold(0, |sum, text| xxh3_64(text.as_bytes()).rotate_left(9) ^ sum));
    if std::fs::read_to_string(&mark).is_ok_and(|text| text == now) {
        return Ok(());
    }
    let _ = std::fs::remove_dir_all(&folder.0);
    for part in ["spirv", "gcn", "recordings"] {
        let part = folder.0.join(part);
        std::fs::create_dir_all(&part).doing(format!("creating {}", part.display()))?;
    }
    std::fs::write(&mark, now).doing(format!("writing {}", mark.display()))
}

/// Makes programs of shaders, if they are not there; says of the others why they are none.
fn programs(shaders: &[sources::Foreign], folder: &Folder, jobs: usize) -> Result<BTreeMap<String, String>> {
    let progress = Progress::start(format!("compiling {} shaders to SPIR-V", shaders.len()));
    let done = AtomicUsize::new(0);
    let each = |shader: &sources::Foreign| -> Result<Option<(String, String)>> {
        let number = done.fetch_add(1, Ordering::Relaxed);
        progress.now(&format!("{number} of {}: {}", shaders.len(), shader.name));
        let why_not = folder.0.join("spirv").join(format!("{}.why", shader.name));
        if folder.source(&shader.name, shader.stage).is_file() {
            return Ok(None);
        }
        if let Ok(why) = std::fs::read_to_string(&why_not) {
            return Ok(Some((shader.name.clone(), why)));
        }
        let Err(why) = compile::program(shader, folder)? else { return Ok(None) };
        std::fs::write(&why_not, &why).doing(format!("writing {}", why_not.display()))?;
        // Companions of a program that there is not are none either.
        for stage in ["vert", "tesc", "tese", "geom", "frag", "comp"] {
            let _ = std::fs::remove_file(folder.source(&shader.name, stage));
        }
        Ok(Some((shader.name.clone(), why)))
    };
    let result: Result<Vec<_>> = step::at_once(jobs, shaders, each).into_iter().collect();
    progress.finish(&result);
    Ok(result?.into_iter().flatten().collect())
}

/// Compiles every program with one of RADV's compilers, if that was not tried; says of the others why there is no code.
fn to_gcn(
    ws: &Workspace,
    folder: &Folder,
    compiler: Compiler,
    program: &Path,
    names: &[String],
    jobs: usize,
) -> Result<BTreeMap<String, String>> {
    let why_not = |name: &str| folder.code(name, compiler).with_extension("why");
    let missing: Vec<String> = names
        .iter()
        .filter(|name| !folder.code(name, compiler).is_file() && !why_not(name).is_file())
        .cloned()
        .collect();
    let progress = Progress::start(format!("compiling {} programs to gfx7 code with {compiler}", missing.len()));
    let done = AtomicUsize::new(0);
    let radv = super::shaders::Radv::find(ws)?;
    let each = |chunk: &Vec<String>| -> Result {
        let command = || {
            let mut command = radv.command(ws, compiler, program);
            command.arg(&folder.0).arg(folder.0.join("gcn")).arg("--unlisted");
            command
        };
        let bad = worker::run(command, chunk, COMPILING, |line| {
            let number = done.fetch_add(1, Ordering::Relaxed);
            progress.now(&format!("{number} of {}: {line}", missing.len()));
            chunk.iter().find(|name| *name == line).map(|name| (name.clone(), String::new()))
        })?;
        for name in chunk.iter().filter(|name| !folder.code(name, compiler).is_file()) {
            let why = bad.get(name).map_or_else(|| "RADV refuses it".to_owned(), |(_, bad)| bad.text());
            std::fs::write(why_not(name), why).doing("writing down what has no code")?;
        }
        Ok(())
    };
    let chunks: Vec<Vec<String>> = missing.chunks(CHUNK).map(<[String]>::to_vec).collect();
    let result: Result<Vec<_>> = step::at_once(jobs, &chunks, each).into_iter().collect();
    progress.finish(&result);
    result?;
    let uncompiled = names.iter().filter_map(|name| {
        let why = std::fs::read_to_string(why_not(name)).ok()?;
        Some((format!("{name}.{compiler}"), format!("{compiler}: {why}")))
    });
    Ok(uncompiled.collect())
}

/// Plays every program, with its original or without; a row for each shader.
fn play(
    ws: &Workspace,
    args: &Args,
    folder: &Folder,
    names: &[String],
    known: &Known,
    jobs: usize,
) -> Result<Vec<Row>> {
    let names: Vec<String> = names
        .iter()
        .filter(|name| Compiler::ALL.into_iter().any(|compiler| folder.code(name, compiler).is_file()))
        .cloned()
        .collect();
    let progress = Progress::start(format!("playing {} programs", names.len()));
    let (done, rows) = (AtomicUsize::new(0), Mutex::new(Vec::<Row>::new()));
    let program = example(ws, args.release, "corpus");
    // As they come, for who does not wait for the last.
    let file = args.rows.as_ref().map(|file| std::fs::File::create(file).doing(format!("creating {}", file.display())));
    let file = file.transpose()?;
    let put = |row: Row| {
        let mut rows = rows.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(mut file) = file.as_ref() {
            let _ = writeln!(file, "{row}");
        }
        rows.push(row);
    };
    let each = |chunk: &Vec<String>| -> Result {
        let (mut alone, mut left): (Vec<_>, Vec<_>) = chunk.iter().cloned().partition(|name| known.has_faults(name));
        for flags in [None, Some("--alone")] {
            let command = || {
                let mut command = Command::new(&program);
                command.arg(&folder.0).arg(folder.recordings()).args(flags);
                command
            };
            let bad = worker::run(command, &left, Duration::from_secs(args.patience), |line| {
                let mut cells = line.split('\t');
                if let (Some("begin"), Some(name), Some(step)) = (cells.next(), cells.next(), cells.next()) {
                    if step == ORIGINAL && flags.is_none() {
                        let number = done.fetch_add(1, Ordering::Relaxed);
                        progress.now(&format!("{number} of {}: {name}", names.len()));
                    }
                    return Some((name.to_owned(), step.to_owned()));
                }
                if let Some(row) = Row::parse(line) {
                    put(row);
                }
                None
            })?;
            // Where it was the original that did not come to an end, ours goes without it.
            let (without, dead): (Vec<_>, Vec<_>) =
                bad.into_iter().partition(|(_, (step, _))| step == ORIGINAL && flags.is_none());
            for (name, (step, bad)) in dead {
                put(Row { name, compiler: step, stage: "-".into(), end: "died".into(), why: bad.text() });
            }
            left = without.into_iter().map(|(name, _)| name).chain(alone.drain(..)).collect();
        }
        Ok(())
    };
    // Small enough that all have something to do to the end.
    let chunk = (names.len() / (4 * jobs)).clamp(1, CHUNK);
    let chunks: Vec<Vec<String>> = names.chunks(chunk).map(<[String]>::to_vec).collect();
    let result: Result<Vec<_>> = step::at_once(jobs, &chunks, each).into_iter().collect();
    progress.finish(&result);
    result?;
    let mut rows = rows.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    rows.sort();
    Ok(rows)
}

/// Prints reasons, those first that there are most of.
fn print(title: &str, reasons: impl Iterator<Item = String>) {
    let mut counts = Counts::new();
    reasons.for_each(|reason| *counts.entry(reason).or_default() += 1);
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    for (reason, count) in counts {
        println!("{count:6} {title}: {reason}");
    }
}

/// Prints how many came how far, and the reasons of those that did not come to the end.
fn table(rows: &[Row]) {
    let count = |ends: &[&str]| rows.iter().filter(|row| ends.contains(&row.end.as_str())).count();
    let shaders = rows.iter().filter(|row| row.stage != "-" && row.end != "unsent").count();
    let translated = count(&["translated", "equal", "differs", "uncompared"]);
    println!("\n{shaders} shaders");
    println!("{translated:6} translated and valid ({:.2} %)", percent(translated, shaders));
    for (end, what) in known::ENDS {
        println!("{:6} {what}", count(&[end]));
    }
    let compared = count(&["equal", "differs", "died"]);
    println!("{compared:6} runs compared, {:.2} % left the right memory", percent(count(&["equal"]), compared));
    let bad = rows.iter().filter(|row| known::is_failure(row));
    print("fail", bad.map(|row| format!("{}: {}", row.end, row.kind())));
}

fn percent(part: usize, all: usize) -> f64 {
    100.0 * part as f64 / all.max(1) as f64
}
