//! Commands of this program in processes of their own, with a limit of time: whatever a driver does there, this one goes on.

use super::private::Private;
use afterimage_process::ending::{DIED, Ending, LOST};
use rustix::process::{Pid, Signal, kill_process};
use std::collections::HashMap;
use std::ffi::OsStr;
use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How often a process is looked at.
const LOOK: Duration = Duration::from_millis(20);
/// How long a process that is asked to end may take.
const GRACE: Duration = Duration::from_secs(5);
/// Bytes of what a process says that are kept.
const KEPT: usize = 4 << 20;
/// Different lines of a kind that are kept.
const LINES: usize = 200;
/// What of the environment is for the renderers that are tested, and not for other work of theirs.
pub(super) const SETTINGS: [&str; 5] = [
    "AFTERIMAGE_DEVICE",
    "AFTERIMAGE_WITHOUT",
    "AFTERIMAGE_GPU_TIMEOUT_S",
    "AFTERIMAGE_SANDBOX",
    "AFTERIMAGE_FLOAT_RULES",
];

/// A text, and how often it came.
pub(super) type Counted = (String, u64);

/// How a process ended, and what it said.
#[derive(Debug, Default)]
pub(super) struct Ended {
    /// Why it is not well; `None` if it is.
    pub(super) bad: Option<String>,
    /// Whether it said itself that something cannot be done, and neither crashed nor hung.
    pub(super) refused: bool,
    /// Standard output.
    pub(super) out: String,
    /// Warnings and errors of its log.
    pub(super) log: Vec<Counted>,
    /// What the driver wrote on standard error.
    pub(super) driver: Vec<Counted>,
    /// How long it ran.
    pub(super) took: Duration,
}

/// This program, to be run with these words by itself: without the configuration of who runs it, which is not what is tested.
pub(super) fn afterimage<S: AsRef<OsStr>>(words: impl IntoIterator<Item = S>) -> std::io::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    for (name, _) in std::env::vars_os() {
        let ours = name.to_string_lossy().starts_with("AFTERIMAGE_");
        if ours && !SETTINGS.iter().any(|kept| name == *kept) {
            command.env_remove(name);
        }
    }
    command.args(words).env("AFTERIMAGE_CONF", "/dev/null").env("NO_COLOR", "1");
    // The first frame is to be a first one: Mesa and NVIDIA's driver keep no compiled shaders.
    command.env("MESA_SHADER_CACHE_DISABLE", "true").env("__GL_SHADER_DISK_CACHE", "0");
    Ok(command)
}

/// Runs a command to its end, or to that of the time.
pub(super) fn run(command: std::io::Result<Command>, limit: Duration, private: &Private) -> Ended {
    let since = Instant::now();
    let started = command
        .and_then(|mut command| command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn());
    let mut child = match started {
        Ok(child) => child,
        Err(error) => return Ended { bad: Some(format!("it cannot be started: {error}")), ..Ended::default() },
    };
    let (out, err) = (child.stdout.take(), child.stderr.take());
    let (status, out, err) = std::thread::scope(|scope| {
        let out = scope.spawn(|| out.map_or_else(Vec::new, kept));
        let err = scope.spawn(|| err.map_or_else(Vec::new, kept));
        let status = ended(&mut child, limit);
        (status, out.join().unwrap_or_default(), err.join().unwrap_or_default())
    });
    let text = |bytes: &[u8]| private.hidden(&String::from_utf8_lossy(bytes));
    let mut said = Said::default();
    text(&err).lines().for_each(|line| said.line(line));
    let [last, why] = [said.complaints.last(), said.complaints.first()].map(|said| said.map(String::as_str));
    let mut refused = false;
    let bad = match status {
        Err(error) => Some(format!("its end could not be waited for: {error}")),
        Ok(None) => Some(format!("it had not ended after {} s and was ended", limit.as_secs())),
        Ok(Some(Ending::Exited(0))) => None,
        Ok(Some(Ending::Hung)) => Some(with("the GPU did not end (a hang)", why)),
        Ok(Some(Ending::Exited(code))) if code == i32::from(DIED) => Some(with("it crashed", last)),
        Ok(Some(Ending::Exited(code))) if code == i32::from(LOST) => Some(with("the device was lost", last)),
        Ok(Some(Ending::Exited(code))) => {
            refused = true;
            Some(last.map_or_else(|| format!("it ended with code {code}"), str::to_owned))
        }
        Ok(Some(ending)) => Some(with(&format!("it {ending}"), last)),
    };
    Ended { bad, refused, out: text(&out), log: said.log.lines, driver: said.driver.lines, took: since.elapsed() }
}

fn with(what: &str, why: Option<&str>) -> String {
    why.map_or_else(|| what.to_owned(), |why| format!("{what}: {why}"))
}

/// Waits for the end; `None` if it was too late.
fn ended(child: &mut Child, limit: Duration) -> std::io::Result<Option<Ending>> {
    if let Some(ending) = within(child, limit)? {
        return Ok(Some(ending));
    }
    // It passes this on to the process that it draws in; one that is killed takes that with it.
    if let Some(id) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        let _ended = kill_process(id, Signal::TERM);
    }
    if within(child, GRACE)?.is_none() {
        let _ended = child.kill();
        child.wait()?;
    }
    Ok(None)
}

fn within(child: &mut Child, limit: Duration) -> std::io::Result<Option<Ending>> {
    let since = Instant::now();
    loop {
        match child.try_wait()? {
            Some(status) => return Ok(Some(Ending::from(status))),
            None if since.elapsed() >= limit => return Ok(None),
            None => std::thread::sleep(LOOK),
        }
    }
}

/// The beginning of what is read; the rest is read, too, so that nobody waits.
fn kept(mut from: impl Read) -> Vec<u8> {
    let (mut kept, mut part) = (Vec::new(), vec![0; 1 << 16]);
    while let Ok(count @ 1..) = from.read(&mut part) {
        let room = KEPT.saturating_sub(kept.len()).min(count);
        kept.extend_from_slice(&part[..room]);
    }
    kept
}

/// Different lines, and how often each came.
#[derive(Debug, Default)]
struct Lines {
    lines: Vec<Counted>,
    places: HashMap<String, usize>,
}

impl Lines {
    fn add(&mut self, line: &str) {
        match self.places.get(line) {
            Some(place) => self.lines[*place].1 += 1,
            None if self.lines.len() < LINES => {
                self.places.insert(line.to_owned(), self.lines.len());
                self.lines.push((line.to_owned(), 1));
            }
            None => {}
        }
    }
}

/// What stood on standard error, by who said it.
#[derive(Debug, Default)]
struct Said {
    log: Lines,
    complaints: Vec<String>,
    driver: Lines,
}

impl Said {
    fn line(&mut self, line: &str) {
        let level = line.trim_start();
        if level.starts_with("WARN ") || level.starts_with("ERROR ") {
            self.log.add(level);
        } else if let Some(text) = line.strip_prefix("afterimage: ") {
            if self.complaints.len() < LINES {
                self.complaints.push(text.to_owned());
            }
        } else if !line.trim().is_empty() {
            self.driver.add(line.trim_end());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sh(script: &str, limit: u64) -> Ended {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        run(Ok(command), Duration::from_secs(limit), &Private::default())
    }

    #[test]
    fn what_is_said_is_told_apart() {
        let ended = sh(
            "echo figures; echo ' WARN x: y' >&2; echo ' WARN x: y' >&2; echo '[mvk-info] hello' >&2; \
             echo 'afterimage: no device' >&2; exit 1",
            60,
        );
        assert_eq!((ended.out.as_str(), ended.bad.as_deref(), ended.refused), ("figures\n", Some("no device"), true));
        assert_eq!(ended.log, [("WARN x: y".to_owned(), 2)]);
        assert_eq!(ended.driver, [("[mvk-info] hello".to_owned(), 1)]);
    }

    #[test]
    fn ends_are_told_apart() {
        assert_eq!(sh("true", 60).bad, None);
        let bad = |script: &str, limit| sh(script, limit).bad.unwrap_or_default();
        assert!(bad("kill -SEGV $$", 60).contains("SIGSEGV"));
        assert!(bad("echo 'afterimage: a draw' >&2; exit 124", 60).ends_with("(a hang): a draw"));
        assert_eq!(bad("exit 125", 60), "it crashed");
        assert_eq!(bad("exit 123", 60), "the device was lost");
        assert_eq!(bad("exit 7", 60), "it ended with code 7");
        assert_eq!(bad("exec sleep 600", 0), "it had not ended after 0 s and was ended");
        assert!(run(Ok(Command::new("/no/such")), Duration::ZERO, &Private::default()).bad.is_some());
    }

    #[test]
    fn a_flood_is_read_and_not_kept() {
        let ended = sh("head -c 9000000 /dev/zero; seq 1000 >&2", 60);
        assert_eq!((ended.out.len(), ended.driver.len(), ended.bad), (KEPT, LINES, None));
    }
}
