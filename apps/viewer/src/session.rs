//! The session's folder, for what the user wants kept of a run, and the log that goes there.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// Bytes of the log that are kept until there is a folder.
const KEPT: usize = 4 << 20;

struct Session {
    folder: Option<PathBuf>,
    /// What was logged before there was a folder.
    early: Vec<u8>,
    log: Option<File>,
}

static SESSION: Mutex<Session> = Mutex::new(Session { folder: None, early: Vec::new(), log: None });

fn session() -> MutexGuard<'static, Session> {
    SESSION.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The session's folder, made now if this is the first time: `afterimage-session-SECONDS-PROCESS` where the viewer runs, with
/// `runtime.log` in it.
pub(crate) fn folder() -> io::Result<PathBuf> {
    let mut session = session();
    if let Some(folder) = &session.folder {
        return Ok(folder.clone());
    }
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let folder = std::env::current_dir()?.join(format!("afterimage-session-{seconds}-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let mut log = File::create(folder.join("runtime.log"))?;
    log.write_all(&std::mem::take(&mut session.early))?;
    session.log = Some(log);
    session.folder = Some(folder.clone());
    Ok(folder)
}

/// The session's folder, if there is one.
pub(crate) fn place() -> Option<PathBuf> {
    session().folder.clone()
}

/// Logs go here, besides where they go else.
#[derive(Clone, Copy)]
pub(crate) struct Log;

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let session = &mut *session();
        match &mut session.log {
            Some(log) => log.write_all(bytes)?,
            None if session.early.len() + bytes.len() <= KEPT => session.early.extend_from_slice(bytes),
            None => {}
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes a file of the session, whole or not at all.
pub(crate) fn write(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut out = afterimage_output::Output::create(path)?;
    write(&mut out)?;
    out.finish()
}
