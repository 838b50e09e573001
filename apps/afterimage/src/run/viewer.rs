//! The viewer of a run.

use super::signals::Signals;
use crate::{Failure, files};
use afterimage_ipc::shared;
use std::ffi::OsString;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

/// A viewer of this run's own. It ends when its input is closed and no program is connected.
pub(super) struct Viewer {
    pub(super) directory: PathBuf,
    /// The directory, if it was made for this run.
    temporary: Option<TempDir>,
    command: Box<dyn Fn() -> Command>,
    child: Child,
    input: Option<ChildStdin>,
    restarts: u32,
}

/// How often a viewer that crashes is started anew: one that crashes again and again has a reason.
const RESTARTS: u32 = 5;

impl Viewer {
    /// Starts a viewer, or answers `None` if one runs that will do.
    pub(super) fn for_run(headless: bool, own: bool, settings: &[(String, OsString)]) -> Result<Option<Self>, Failure> {
        let usual = shared::directory().ok_or_else(|| {
            Failure::new(format!("set {} or HOME: no place for shared files", shared::DIRECTORY_VARIABLE))
        })?;
        let running = shared::running(&usual);
        if let Some(process) = running.filter(|_| !own && !headless) {
            eprintln!("afterimage: using the viewer that runs already (process {process})");
            return Ok(None);
        }
        // A viewer with settings of this run must not be found by other programs, unless the user named the place.
        let named = std::env::var_os(shared::DIRECTORY_VARIABLE).is_some_and(|value| !value.is_empty());
        let (directory, temporary) = if running.is_some() || (own && !named) {
            let made = own_directory(&usual)
                .map_err(|error| Failure::new(format!("making a directory for this run: {error}")))?;
            (made.path().to_path_buf(), Some(made))
        } else {
            (usual, None)
        };
        let program = files::viewer().ok_or_else(|| {
            Failure::new(
                "afterimage-viewer is neither beside this program nor in PATH: build it with `cargo xtask dist`",
            )
        })?;
        let settings = settings.to_vec();
        let place = directory.clone();
        let command = move || {
            let mut command = Command::new(&program);
            command
                .arg("--until-input-closes")
                .stdin(Stdio::piped())
                .stdout(Stdio::null())
                .env(shared::DIRECTORY_VARIABLE, &place);
            command.envs(settings.iter().map(|(name, value)| (name, value)));
            if headless {
                command.arg("--headless");
            }
            // Standard output is the program's. Ctrl-C is for the program; the viewer ends after it.
            command.process_group(0);
            command
        };
        let mut child = command().spawn().map_err(|error| Failure::new(format!("starting the viewer: {error}")))?;
        let input = child.stdin.take();
        Ok(Some(Self { directory, temporary, command: Box::new(command), child, input, restarts: 0 }))
    }

    /// Starts the viewer anew if it has crashed: the program sends it everything again.
    pub(super) fn keep_alive(&mut self) {
        let Ok(Some(status)) = self.child.try_wait() else { return };
        // A viewer that ends by itself has said why; so has one that was started in vain too often.
        if status.signal().is_none() || self.restarts >= RESTARTS {
            return;
        }
        self.restarts += 1;
        eprintln!("afterimage: the viewer was killed ({status}); starting another one");
        match (self.command)().spawn() {
            Ok(mut child) => {
                self.input = child.stdin.take();
                self.child = child;
            }
            Err(error) => eprintln!("afterimage: starting the viewer: {error}"),
        }
    }

    /// Lets the viewer end after its last program, or at once at a signal. Whether it could write all that was asked for.
    pub(super) fn finish(mut self, signals: &Signals) -> bool {
        drop(self.input.take());
        let mut interrupted = false;
        let status = loop {
            match self.child.try_wait() {
                Ok(None) => {}
                ended => break ended.ok().flatten(),
            }
            if signals.take().is_some() {
                if interrupted {
                    let _gone_already = self.child.kill();
                }
                interrupted = true;
                eprintln!("afterimage: waiting for the viewer to finish; once more to end it");
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        drop(self.temporary);
        status.is_some_and(|status| status.success() || interrupted)
    }
}

/// Start of the name of a run's own directory; the process id follows.
const OWN: &str = "afterimage-run-";

/// Makes a directory for one run: in memory rather than on a disk, which would be written to all the time.
fn own_directory(usual: &Path) -> std::io::Result<TempDir> {
    let memory = Path::new("/dev/shm");
    // The usual directory is in memory already where the session has a runtime directory.
    let session = std::env::var_os("XDG_RUNTIME_DIR").is_some_and(|value| !value.is_empty());
    let parent = if session || !memory.is_dir() { usual } else { memory };
    shared::prepare(usual)?;
    remove_leftovers(parent);
    tempfile::Builder::new().prefix(&format!("{OWN}{}-", std::process::id())).tempdir_in(parent)
}

/// Removes directories of runs that were killed.
fn remove_leftovers(parent: &Path) {
    for entry in std::fs::read_dir(parent).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let process = name.to_str().and_then(|name| name.strip_prefix(OWN)?.split_once('-')?.0.parse::<u32>().ok());
        // Those of other users stay, since they cannot be removed.
        if process.is_some_and(|id| !Path::new("/proc").join(id.to_string()).exists()) {
            let _best_effort = std::fs::remove_dir_all(entry.path());
        }
    }
}
