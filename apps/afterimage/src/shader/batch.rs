//! One input or many: which there are, where their outputs go, and the threads that translate them.

use super::error::{Code, Why};
use super::io::{self, Content};
use super::kind::{From, To};
use super::translate::{Args, Translated, translate};
use crate::outputs::{TRANSLATED, fill, may_be_written};
use crate::pool;
use afterimage_output::FileId;
use std::any::Any;
use std::collections::HashMap;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::AtomicUsize;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// Bytes of a worker's stack: as much as the main thread has.
const STACK: usize = 8 << 20;

/// An input and where its output goes.
#[derive(Debug)]
struct Job {
    input: PathBuf,
    to: To,
    place: Place,
}

#[derive(Debug, PartialEq, Eq)]
enum Place {
    File(PathBuf),
    Stdout,
    /// The input is only checked.
    Nowhere,
}

/// Everything to do.
#[derive(Debug)]
struct Plan {
    jobs: Vec<Job>,
    /// Where all outputs go, if they are files in a folder.
    folder: Option<PathBuf>,
    /// Whether a person expects progress and a summary.
    batch: bool,
}

/// Runs the command and says on standard error what went wrong.
pub(super) fn run(args: &Args) -> ExitCode {
    let made = |plan: &Plan| {
        let made = plan.folder.as_deref().map_or(Ok(()), |folder| fill(folder, args.quiet));
        made.map_err(|error| Why::Write { path: plan.folder.clone().unwrap_or_default(), error })
    };
    match args.check().and_then(|()| plan(args)).and_then(|plan| made(&plan).map(|()| plan)) {
        Ok(plan) => work(args, &plan).into(),
        Err(why) => {
            crate::complain(&why.to_string());
            why.code().into()
        }
    }
}

fn usage<T>(text: impl Into<String>) -> Result<T, Why> {
    Err(Why::Usage(text.into()))
}

fn plan(args: &Args) -> Result<Plan, Why> {
    if args.inputs.iter().filter(|input| io::is_stdio(input)).count() > 1 {
        return usage("standard input can be read only once");
    }
    // Each input with its place inside of the output folder.
    let mut inputs = Vec::new();
    for input in &args.inputs {
        if input.is_dir() {
            let before = inputs.len();
            find(input, Path::new(""), &mut inputs)?;
            if inputs.len() == before {
                return usage(format!("{} has no shaders: {}", input.display(), From::extensions()));
            }
        } else {
            let name = if io::is_stdio(input) { "stdin".as_ref() } else { input.file_name().unwrap_or_default() };
            inputs.push((input.clone(), PathBuf::from(name)));
        }
    }
    let batch = inputs.len() > 1 || args.inputs[0].is_dir();
    let folder = args.output.as_deref().filter(|output| {
        !io::is_stdio(output) && (batch || output.is_dir() || output.to_string_lossy().ends_with('/'))
    });
    let to = match (args.to, &args.output, &args.emit_after) {
        (_, _, Some(_)) => To::Ir,
        (Some(to), _, _) => to,
        (None, Some(output), _) if folder.is_none() => To::of_path(output).unwrap_or_default(),
        _ => To::default(),
    };
    if let Some(file) = args.output.as_deref().filter(|output| folder.is_none() && !io::is_stdio(output)) {
        let said = args.to.is_some() || args.emit_after.is_some();
        may_be_written(file, "--output", if said { &[] } else { TRANSLATED })?;
    }
    if args.validate && !matches!(to, To::Spirv | To::SpirvAsm) {
        return usage("--validate checks SPIR-V; --verify-each checks the IR");
    }
    if args.reflect.is_some() && (to == To::Disasm || args.emit_after.is_some()) {
        return usage("--reflect tells what a translated shader uses, and this does not translate it to the end");
    }
    let named = args.to.is_some() || args.emit_after.is_some();
    if batch && to.is_binary() && folder.is_none() && (named || args.output.is_some()) {
        return usage("many binary outputs need a folder: give -o FOLDER, or pick a text with --to");
    }
    let only_checked = !named && (batch || args.validate || args.reflect.is_some());
    let read: HashMap<FileId, PathBuf> =
        inputs.iter().filter_map(|(input, _)| Some((FileId::of(input)?, input.clone()))).collect();
    let mut taken: HashMap<PathBuf, PathBuf> = HashMap::new();
    let mut jobs = Vec::with_capacity(inputs.len());
    for (input, place) in inputs {
        let place = match (folder, &args.output) {
            (Some(folder), _) => Place::File(folder.join(place).with_extension(to.extension())),
            (None, Some(output)) if !io::is_stdio(output) => Place::File(output.clone()),
            (None, None) if only_checked => Place::Nowhere,
            _ => Place::Stdout,
        };
        if let Place::File(output) = &place {
            if let Some(read) = FileId::of(output).and_then(|id| read.get(&id)) {
                return usage(format!("{} would be written over while it is read: give another -o", read.display()));
            }
            if let Some(other) = taken.insert(output.clone(), input.clone()) {
                let [other, input, output] = [&other, &input, output].map(|path| path.display());
                return usage(format!("{other} and {input} would both become {output}: translate them apart"));
            }
        }
        jobs.push(Job { input, to, place });
    }
    Ok(Plan { jobs, folder: folder.map(Path::to_owned), batch })
}

/// Adds the shaders of a folder and of those in it, by name. Links to folders are not followed, so this ends.
fn find(folder: &Path, inside: &Path, found: &mut Vec<(PathBuf, PathBuf)>) -> Result<(), Why> {
    let unreadable = |error| Why::Folder { path: folder.to_owned(), error };
    let mut entries = fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>).map_err(unreadable)?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let (path, inside) = (entry.path(), inside.join(entry.file_name()));
        if entry.file_type().map_err(unreadable)?.is_dir() {
            find(&path, &inside, found)?;
        } else if From::is_shader(&path) {
            found.push((path, inside));
        }
    }
    Ok(())
}

/// What is left to say of a job when its worker is done with it.
type Outcome = Result<Finished, Why>;

struct Finished {
    /// What goes to standard output, in the order of the inputs.
    print: Option<Content>,
    reflection: Option<String>,
    bytes: usize,
    time: Duration,
}

fn work(args: &Args, plan: &Plan) -> Code {
    let start = Instant::now();
    let jobs = &plan.jobs;
    let workers = pool::workers(args.jobs, jobs.len());
    let show = plan.batch && !args.quiet;
    let bar = pool::bar(jobs.len(), show);
    let next = AtomicUsize::new(0);
    let mut score = Score::default();
    thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        for _ in 0..workers {
            let (sender, next) = (sender.clone(), &next);
            let worker = move || {
                while let Some((index, job)) = pool::take(next, jobs) {
                    if sender.send((index, perform(args, job, plan.folder.is_some()))).is_err() {
                        break;
                    }
                }
            };
            if let Err(error) = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, worker) {
                crate::complain(&format!("no thread: {error}"));
                score.code = Code::File;
            }
        }
        drop(sender);
        // In the order of the inputs, whatever the order in which they are done.
        let mut waiting: HashMap<usize, Outcome> = HashMap::new();
        let mut index = 0;
        for (done, outcome) in receiver {
            bar.inc(1);
            waiting.insert(done, outcome);
            while let Some(outcome) = waiting.remove(&index) {
                bar.suspend(|| report(&jobs[index], plan.batch, outcome, &mut score));
                index += 1;
            }
            bar.set_message(score.failures());
        }
    });
    bar.finish_and_clear();
    if show {
        score.summary(jobs, start.elapsed(), !args.validate);
    }
    score.code
}

/// One job, whatever happens in it. Inside of the folder of the outputs are folders as those of the inputs are.
fn perform(args: &Args, job: &Job, inside: bool) -> Outcome {
    let translated = catch_unwind(AssertUnwindSafe(|| translate(args, job.to, &job.input)));
    let Translated { content, reflection, time } =
        translated.unwrap_or_else(|panic| Err(Why::Panic(message(panic.as_ref()))))?;
    let bytes = content.bytes().len();
    let print = match &job.place {
        Place::File(path) => {
            if inside && let Some(folder) = path.parent() {
                fs::create_dir_all(folder).map_err(|error| Why::Write { path: path.clone(), error })?;
            }
            io::write(path, &content).map(|()| None)?
        }
        Place::Stdout => Some(content),
        Place::Nowhere => None,
    };
    Ok(Finished { print, reflection, bytes, time })
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref().copied()).unwrap_or("no message").to_owned()
}

/// Prints what a job gave.
fn report(job: &Job, batch: bool, outcome: Outcome, score: &mut Score) {
    let printed = outcome.and_then(|finished| {
        if let Some(content) = &finished.print {
            if batch {
                io::print(&Content::Text(format!("{} {}\n", job.to.comment(), io::name(&job.input))))?;
            }
            io::print(content)?;
        }
        match &finished.reflection {
            // Standard output is the shader's.
            Some(text) if finished.print.is_some() => eprint!("{text}"),
            Some(text) => crate::say(text),
            None => {}
        }
        Ok(finished)
    });
    match printed {
        Ok(finished) => {
            score.good += 1;
            score.bytes += finished.bytes;
            score.time += finished.time;
        }
        Err(why) => {
            score.bad += 1;
            score.code = score.code.max(why.code());
            crate::complain(&format!("{}: {why}", io::name(&job.input)));
        }
    }
}

/// How it went so far.
struct Score {
    good: usize,
    bad: usize,
    bytes: usize,
    /// Of all threads together.
    time: Duration,
    code: Code,
}

impl Default for Score {
    fn default() -> Self {
        Self { good: 0, bad: 0, bytes: 0, time: Duration::ZERO, code: Code::Done }
    }
}

impl Score {
    fn failures(&self) -> String {
        if self.bad == 0 { String::new() } else { format!("{} failed", self.bad) }
    }

    /// The last line. Where a tool checked the results, their time would be the tool's.
    fn summary(&self, jobs: &[Job], elapsed: Duration, timed: bool) {
        let title = jobs.first().map_or("", |job| job.to.title());
        let failed = if self.bad == 0 { String::new() } else { format!(", {} failed", self.bad) };
        let each = if timed {
            format!(", {} us each", self.time.as_micros() / self.good.max(1) as u128)
        } else {
            String::new()
        };
        let (good, kib, seconds) = (self.good, self.bytes / 1024, elapsed.as_secs_f32());
        eprintln!("{good} of {} to {title}{failed}; {kib} KiB in {seconds:.2} s{each}", jobs.len());
    }
}
