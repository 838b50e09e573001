//! Running commands: progress while they work, and an error that says what to do when they fail.

use std::collections::VecDeque;
use std::fmt;
use std::io::{BufRead, BufReader, IsTerminal, Write};
use std::path::PathBuf;
use std::process::{Command, ExitCode, ExitStatus};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

use crate::workspace::Workspace;

/// How often a running command is looked at.
const POLL: Duration = Duration::from_millis(50);
/// Looks without a line after which nothing is on its way any more from a command that has ended.
const QUIET: usize = 5;
/// How often a log, where there is no terminal, hears of a step that takes long.
const HEARTBEAT: Duration = Duration::from_secs(30);
/// How many of a failed command's last lines an error shows.
const TAIL_LINES: usize = 15;

/// A step that failed: what, which command, its last lines, and the way out.
#[derive(Debug)]
pub struct Failure {
    /// What was being done, in words.
    pub what: String,
    /// The command line, if a command failed.
    pub command: Option<String>,
    /// The command's last lines, or the cause.
    pub tail: Vec<String>,
    /// The file with all of the command's output.
    pub log: Option<PathBuf>,
    /// What the reader can do about it.
    pub advice: Option<String>,
}

impl Failure {
    /// A failure without a command.
    pub fn new(what: impl Into<String>, cause: impl fmt::Display) -> Self {
        let tail = cause.to_string().lines().map(str::to_owned).collect();
        Self { what: what.into(), command: None, tail, log: None, advice: None }
    }

    /// Adds what the reader can do about it.
    pub fn advise(mut self, advice: impl Into<String>) -> Self {
        self.advice = Some(advice.into());
        self
    }

    /// One line for a table cell.
    pub fn summary(&self) -> String {
        let cause = self.tail.iter().rev().find(|line| !line.trim().is_empty()).map_or("", |line| line.trim());
        if cause.is_empty() { self.what.clone() } else { format!("{}: {cause}", self.what) }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} failed", self.what)?;
        if let Some(command) = &self.command {
            writeln!(f, "  command: {command}")?;
        }
        for line in &self.tail {
            writeln!(f, "  | {line}")?;
        }
        if let Some(log) = &self.log {
            writeln!(f, "  whole output: {}", log.display())?;
        }
        if let Some(advice) = &self.advice {
            writeln!(f, "  what to do: {advice}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Failure {}

/// Everything in xtask fails with a [`Failure`].
pub type Result<T = ()> = std::result::Result<T, Failure>;

/// Adds "what was being done" to an error.
pub trait Context<T> {
    /// Turns an error into a [`Failure`] of `what`.
    fn doing(self, what: impl Into<String>) -> Result<T>;
}

impl<T, E: fmt::Display> Context<T> for std::result::Result<T, E> {
    fn doing(self, what: impl Into<String>) -> Result<T> {
        self.map_err(|error| Failure::new(what, error))
    }
}

/// Lines on the terminal, of what goes on at the same time.
static LINES: LazyLock<MultiProgress> = LazyLock::new(MultiProgress::new);

/// A line of progress: a spinner on a terminal, plain lines in a log.
pub struct Progress {
    what: String,
    bar: ProgressBar,
    plain: bool,
    start: Instant,
    /// When a log last heard of this step.
    heard: Mutex<Instant>,
}

impl Progress {
    /// Starts the line.
    pub fn start(what: impl Into<String>) -> Self {
        let what = what.into();
        let plain = !std::io::stderr().is_terminal();
        let bar = if plain { ProgressBar::hidden() } else { LINES.add(ProgressBar::new_spinner()) };
        if plain {
            eprintln!("   … {what}");
        } else if let Ok(style) =
            ProgressStyle::with_template("{spinner:.cyan} {prefix} {elapsed:.dim} {wide_msg:.dim}")
        {
            bar.set_style(style);
            bar.set_prefix(what.clone());
            bar.enable_steady_tick(Duration::from_millis(120));
        }
        Self { what, bar, plain, start: Instant::now(), heard: Mutex::new(Instant::now()) }
    }

    /// Shows what the step does at the moment; in a log, only now and then.
    pub fn now(&self, message: &str) {
        let message: String = message.trim().chars().take(160).collect();
        if !self.plain {
            self.bar.set_message(message);
        } else if let Ok(mut heard) = self.heard.lock()
            && heard.elapsed() > HEARTBEAT
        {
            *heard = Instant::now();
            eprintln!("     {:.0} s, {message}", self.start.elapsed().as_secs_f32());
        }
    }

    /// Ends the line with a mark and the time taken.
    pub fn end(self, mark: &str, note: &str) {
        self.bar.finish_and_clear();
        let seconds = self.start.elapsed().as_secs_f32();
        let note = if note.is_empty() { String::new() } else { format!(": {note}") };
        LINES.suspend(|| {
            eprintln!("  {mark}{} {}{note} ({seconds:.1} s)", if self.plain { "" } else { " " }, self.what);
        });
    }

    /// Ends the line well or badly, as `result` says.
    pub fn finish<T>(self, result: &Result<T>) {
        match result {
            Ok(_) => self.end("✓", ""),
            Err(_) => self.end("✗", "failed"),
        }
    }
}

/// What is done at the same time, where there are as many cores: much of it waits for others.
const AT_ONCE: usize = 2;

/// Cores of this machine.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Has what this thread starts from now on work only while nothing else wants to: on Linux niceness is a thread's, and inherited.
pub fn give_way() {
    #[cfg(target_os = "linux")]
    let _faster_for_others_if_it_may_be = rustix::process::nice(19);
}

/// Does something with each item, two at a time. Results are in the order of the items.
pub fn side_by_side<T: Sync, R: Send>(items: &[T], each: impl Fn(&T) -> R + Sync) -> Vec<R> {
    at_once(AT_ONCE.min(cores()), items, each)
}

/// The same, so many at a time.
pub fn at_once<T: Sync, R: Send>(count: usize, items: &[T], each: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::with_capacity(items.len())));
    let take = || {
        let number = next.fetch_add(1, Ordering::Relaxed);
        Some((number, items.get(number)?))
    };
    let work = || {
        while let Some((number, item)) = take() {
            let result = each(item);
            done.lock().unwrap_or_else(PoisonError::into_inner).push((number, result));
        }
    };
    std::thread::scope(|scope| (0..count).for_each(|_| drop(scope.spawn(work))));
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(number, _)| *number);
    done.into_iter().map(|(_, result)| result).collect()
}

/// What a command that ran to its end left behind.
pub struct Finished {
    /// How it ended.
    pub status: ExitStatus,
    /// Its last lines.
    pub tail: Vec<String>,
    /// All that it printed.
    pub log: PathBuf,
}

/// Runs a command to its end, with progress; the output goes to a log file. An exit status other than 0 is not an error
/// here.
///
/// # Errors
/// When the command cannot be started or its log cannot be written.
pub fn run_to_end(ws: &Workspace, command: &mut Command, what: &str, progress: &Progress) -> Result<Finished> {
    let name: String = what.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let log = ws.logs().join(format!("{name}.log"));
    std::fs::create_dir_all(ws.logs()).doing("creating the log folder")?;
    let mut file = std::fs::File::create(&log).doing(format!("creating {}", log.display()))?;
    let _ = writeln!(file, "$ {}", line_of(command));
    let (reader, writer) = std::io::pipe().doing("opening a pipe")?;
    let second = writer.try_clone().doing("opening a pipe")?;
    let mut child = command
        .stdin(std::process::Stdio::null())
        .stdout(writer)
        .stderr(second)
        .spawn()
        .map_err(|error| not_started(command, what, &error))?;
    // The command holds the writing ends too, and the pipe only ends when they are all closed.
    command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
    // Wine's servers inherit the pipe and outlive the program, so the end of the pipe is not waited for.
    let (lines, received) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for line in BufReader::new(reader).split(b'\n').map_while(std::result::Result::ok) {
            if lines.send(line).is_err() {
                break;
            }
        }
    });
    let mut tail = VecDeque::with_capacity(TAIL_LINES);
    let (mut ended, mut quiet) = (false, 0);
    loop {
        match received.recv_timeout(POLL) {
            Ok(line) => {
                quiet = 0;
                let line = String::from_utf8_lossy(&line);
                let line = line.trim_end_matches('\r');
                let _ = writeln!(file, "{line}");
                progress.now(line);
                if tail.len() == TAIL_LINES {
                    tail.pop_front();
                }
                tail.push_back(line.to_owned());
            }
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) if ended => {
                quiet += 1;
                if quiet == QUIET {
                    break;
                }
            }
            Err(RecvTimeoutError::Timeout) => ended = child.try_wait().doing(format!("waiting for {what}"))?.is_some(),
        }
    }
    let status = child.wait().doing(format!("waiting for {what}"))?;
    Ok(Finished { status, tail: tail.into(), log })
}

/// As [`run_to_end`], and an exit status other than 0 is an error. `advice` says what the reader can do then.
///
/// # Errors
/// When the command cannot be started, or fails.
pub fn run_in(
    ws: &Workspace,
    command: &mut Command,
    what: &str,
    advice: &str,
    progress: &Progress,
) -> Result<Finished> {
    let done = run_to_end(ws, command, what, progress)?;
    if done.status.success() {
        return Ok(done);
    }
    let advice = (!advice.is_empty()).then(|| advice.to_owned());
    let silent = done.tail.iter().all(|line| line.trim().is_empty());
    Err(Failure {
        what: what.to_owned(),
        command: Some(line_of(command)),
        tail: if silent { vec![format!("it printed nothing: {}", done.status)] } else { done.tail },
        log: Some(done.log),
        advice,
    })
}

/// A whole step of one command: progress line, log, error.
///
/// # Errors
/// When the command cannot be started, or fails.
pub fn run(ws: &Workspace, command: &mut Command, what: &str, advice: &str) -> Result<Finished> {
    let progress = Progress::start(what);
    let result = run_in(ws, command, what, advice, &progress);
    progress.finish(&result);
    result
}

/// The standard output of a command that is quick and quiet.
///
/// # Errors
/// When the command cannot be started, or fails.
pub fn output(command: &mut Command, what: &str) -> Result<String> {
    let out = command.output().map_err(|error| not_started(command, what, &error))?;
    if out.status.success() {
        return Ok(String::from_utf8_lossy(&out.stdout).into_owned());
    }
    let text = String::from_utf8_lossy(&out.stderr);
    Err(Failure { command: Some(line_of(command)), ..Failure::new(what, text) })
}

/// Whether a program of this name is on the search path.
pub fn on_path(program: &str) -> bool {
    std::env::var_os("PATH").is_some_and(|path| std::env::split_paths(&path).any(|dir| dir.join(program).is_file()))
}

/// A command as one would type it, without its environment.
pub fn line_of(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let quoted = words.map(|word| {
        let word = word.to_string_lossy();
        if word.contains([' ', '"', '$', ';', '*']) { format!("'{word}'") } else { word.into_owned() }
    });
    quoted.collect::<Vec<_>>().join(" ")
}

/// Does a command in place of this process, so that its exit status, and what ends it, are the command's.
///
/// # Errors
/// When it cannot be started.
pub fn replace(command: &mut Command, what: &str) -> Result<ExitCode> {
    #[cfg(unix)]
    let error = std::os::unix::process::CommandExt::exec(command);
    #[cfg(not(unix))]
    let error = match command.status() {
        Ok(status) => return Ok(u8::try_from(status.code().unwrap_or(1)).map_or(ExitCode::FAILURE, ExitCode::from)),
        Err(error) => error,
    };
    Err(not_started(command, what, &error))
}

fn not_started(command: &Command, what: &str, error: &std::io::Error) -> Failure {
    let program = command.get_program().to_string_lossy().into_owned();
    Failure { command: Some(line_of(command)), ..Failure::new(what, error) }
        .advise(format!("see that `{program}` is installed and on the search path"))
}
