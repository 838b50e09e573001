//! What a renderer process is given by the one that starts it; and commands that do their work in such a process.
//!
//! Such a command starts itself again, waits, and tells how that ended. Standard input, output and error are the child's as well, and a
//! signal of the terminal reaches both, so to a user it is one program.

use crate::ending::{DIED, Ending, HUNG};
use afterimage_ipc::Journal;
use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::{Handle, Signals};
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::sync::Arc;
use tempfile::TempDir;

/// The environment variable that says where the journal is: a path of an open file, of the parent's or of one that the child has, too.
const JOURNAL: &str = "AFTERIMAGE_JOURNAL";

/// What a renderer process is given, as the process that starts it has it.
#[derive(Debug)]
pub struct Given {
    /// Says what the process does, or did last.
    pub journal: Journal,
    /// Its temporary files; goes with this.
    _temporary: TempDir,
}

impl Given {
    /// Has a command find its journal and a folder for temporary files of its own.
    ///
    /// # Errors
    /// There is no memory, no descriptor or no place for temporary files.
    pub fn to(command: &mut Command) -> io::Result<Self> {
        let journal = Journal::create()?;
        let temporary = tempfile::Builder::new().prefix("afterimage-renderer-").tempdir()?;
        command.env(JOURNAL, system::place(&journal)?).env("TMPDIR", temporary.path());
        Ok(Self { journal, _temporary: temporary })
    }
}

/// The journal that this process was [`Given`]; `None` if it was started by somebody else. From now on it does not outlive the thread
/// that has started it.
///
/// # Errors
/// The journal that the environment names cannot be opened.
pub fn given() -> io::Result<Option<Arc<Journal>>> {
    let Some(path) = std::env::var_os(JOURNAL).map(PathBuf::from) else { return Ok(None) };
    system::end_with_parent()?;
    let file = File::options().read(true).write(true).open(path)?;
    Ok(Some(Arc::new(Journal::attach(OwnedFd::from(file))?)))
}

/// What the systems do differently.
#[cfg(target_os = "linux")]
mod system {
    use super::{AsRawFd, Journal, Signal, io};
    use rustix::process::set_parent_process_death_signal;

    /// A path that the child can open.
    pub(super) fn place(journal: &Journal) -> io::Result<String> {
        Ok(format!("/proc/{}/fd/{}", std::process::id(), journal.file().as_raw_fd()))
    }

    pub(super) fn end_with_parent() -> io::Result<()> {
        Ok(set_parent_process_death_signal(Some(Signal::KILL))?)
    }
}

/// Where a process sees nobody else's files, and the system ends nobody for another.
#[cfg(not(target_os = "linux"))]
mod system {
    use super::{AsRawFd, Journal, io};
    use rustix::io::{FdFlags, fcntl_setfd};
    use rustix::process::getppid;
    use std::time::Duration;

    /// How often a process looks whether its parent is there.
    const LOOK: Duration = Duration::from_millis(500);

    /// A path that the child can open: it gets the file itself.
    pub(super) fn place(journal: &Journal) -> io::Result<String> {
        fcntl_setfd(journal.file(), FdFlags::empty())?;
        Ok(format!("/dev/fd/{}", journal.file().as_raw_fd()))
    }

    pub(super) fn end_with_parent() -> io::Result<()> {
        let parent = getppid();
        let wait = move || {
            while getppid() == parent {
                std::thread::sleep(LOOK);
            }
            std::process::abort();
        };
        std::thread::Builder::new().name("parent".into()).spawn(wait).map(drop)
    }
}

/// Runs this program again with the same arguments, and waits for its end. `complain` is told what went wrong, if the child could not tell it.
///
/// # Errors
/// The process cannot be started.
pub fn supervise(complain: &dyn Fn(&str)) -> io::Result<ExitCode> {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    let mut command = Command::new(std::env::current_exe()?);
    if let Some((name, rest)) = arguments.split_first() {
        std::os::unix::process::CommandExt::arg0(&mut command, name);
        command.args(rest);
    }
    let given = Given::to(&mut command)?;
    let mut child = crate::socket::start(&mut command)?;
    let _passed_on = PassedOn::to(child.id());
    let status = child.wait()?;
    let ending = Ending::from(status);
    Ok(match ending {
        Ending::Exited(code) => ExitCode::from(u8::try_from(code).unwrap_or(1)),
        // The child has said what it was.
        Ending::Hung => ExitCode::from(HUNG),
        Ending::Killed(SIGTERM | SIGHUP | SIGINT) => ExitCode::from(DIED),
        Ending::Killed(_) => {
            complain(&format!("the renderer {ending} at {}", given.journal.read()));
            ExitCode::from(DIED)
        }
    })
}

/// Signals that end this process go to the child, and this process ends when the child has. SIGINT comes from a terminal, which sends it
/// to both.
struct PassedOn(Handle);

impl PassedOn {
    fn to(child: u32) -> io::Result<Self> {
        let child = i32::try_from(child).ok().and_then(Pid::from_raw);
        let mut signals = Signals::new([SIGTERM, SIGHUP, SIGINT])?;
        let handle = signals.handle();
        std::thread::Builder::new().name("signals".into()).spawn(move || {
            for signal in signals.forever().filter(|signal| *signal != SIGINT) {
                let signal = if signal == SIGHUP { Signal::HUP } else { Signal::TERM };
                // One that has ended needs none.
                let _ended = child.map(|child| kill_process(child, signal));
            }
        })?;
        Ok(Self(handle))
    }
}

impl Drop for PassedOn {
    fn drop(&mut self) {
        self.0.close();
    }
}
