//! Renderer processes: started, told what to do, listened to, and buried.

use crate::protocol::{self, Order, Report, Task};
use crate::session;
use afterimage_process::ending::Ending;
use afterimage_process::socket::{Socket, start};
use afterimage_process::supervise::Given;
use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Write};
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::PathBuf;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

/// A renderer process. When this goes, so does the process.
#[derive(Debug)]
pub(crate) struct Renderer {
    socket: Arc<Socket>,
    given: Given,
    child: Mutex<Child>,
    /// Passes on what it says on standard error.
    log: Mutex<Option<JoinHandle<()>>>,
}

/// What a renderer process is started with.
#[derive(Clone, Debug, Default)]
pub(crate) struct Start {
    /// Arguments that say how to draw.
    arguments: Vec<OsString>,
}

impl Start {
    /// With these arguments of the viewer's own.
    pub(crate) fn new(arguments: Vec<OsString>) -> Self {
        Self { arguments }
    }

    /// Starts a process. Its device may not be open yet: the first report is [`Report::Ready`] or [`Report::Failed`]. What it says on
    /// standard error appears on ours and in the session's log.
    ///
    /// # Errors
    /// The system has no room for it.
    pub(crate) fn renderer(
        &self,
        task: Task,
        (read, write): (Vec<PathBuf>, Vec<PathBuf>),
        bytes: Option<&[u8]>,
    ) -> io::Result<Renderer> {
        let (ours, theirs) = Socket::pair()?;
        let mut command = Command::new(std::env::current_exe()?);
        let given = Given::to(&mut command)?;
        command
            .arg("--renderer")
            .args(&self.arguments)
            .stdin(OwnedFd::from(theirs))
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        let mut child = start(&mut command)?;
        // It has the other end as well: as long as that is open here, nobody hears that the process has died.
        drop(command);
        let errors = child.stderr.take();
        let log = std::thread::Builder::new().name("log".into()).spawn(move || errors.into_iter().for_each(pass_on))?;
        let (socket, child, log) = (Arc::new(ours), Mutex::new(child), Mutex::new(Some(log)));
        let renderer = Renderer { socket, given, child, log };
        let order = Order::Begin { task, read, write };
        // One that has died already is found dead when its reports end.
        let _died = match bytes {
            Some(bytes) => protocol::send_bytes(&renderer.socket, &order, bytes),
            None => renderer.tell(&order, None),
        };
        Ok(renderer)
    }
}

/// What a process says on standard error goes to ours and into the session's log.
fn pass_on(errors: ChildStderr) {
    let mut lines = BufReader::new(errors);
    let mut line = Vec::new();
    while lines.read_until(b'\n', &mut line).is_ok_and(|bytes| bytes > 0) {
        let _unread = io::stderr().write_all(&line);
        let _unkept = session::Log.write_all(&line);
        line.clear();
    }
}

impl Renderer {
    /// Tells the process something.
    ///
    /// # Errors
    /// It has died.
    pub(crate) fn tell(&self, order: &Order, file: Option<BorrowedFd<'_>>) -> io::Result<()> {
        protocol::send(&self.socket, order, file)
    }

    /// Waits for the next report; `None` at the process's end.
    pub(crate) fn hear(&self) -> Option<(Report, Option<OwnedFd>)> {
        match protocol::receive(&self.socket) {
            Ok(report) => report,
            Err(error) => {
                tracing::error!("a renderer process sends what cannot be read, and is ended: {error}");
                self.kill();
                None
            }
        }
    }

    /// What it does, or did last.
    pub(crate) fn does(&self) -> String {
        self.given.journal.read().to_string()
    }

    /// Ends the process whatever it does.
    pub(crate) fn kill(&self) {
        let _died = self.child().kill();
    }

    /// How the process has ended, after its last report: waits for that, and until all that it said has been passed on.
    pub(crate) fn ending(&self) -> Ending {
        // Its end of the socket is closed: it is ending, or it will never be heard of again.
        self.socket.close();
        let ending = self.child().wait().map_or(Ending::Exited(-1), Ending::from);
        let log = self.log.lock().unwrap_or_else(PoisonError::into_inner).take();
        let _told = log.map(JoinHandle::join);
        ending
    }

    /// How the process has ended, and what it did last, in words.
    pub(crate) fn ended(&self) -> String {
        format!("the renderer {} at {}", self.ending(), self.does())
    }

    fn child(&self) -> std::sync::MutexGuard<'_, Child> {
        self.child.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Renderer {
    fn drop(&mut self) {
        self.kill();
        let _ending = self.ending();
    }
}
