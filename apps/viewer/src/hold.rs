//! Pausing a program: its frames are captured one by one, and nothing is taken from it behind the one that is looked at.

use crate::dump;
use crate::program::{Event, Notify};
use crate::wishes::{Held, Wishes};
use afterimage_capture::Reader;
use afterimage_stream::Packet;
use afterimage_vulkan::{Options, Renderer};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A frame that is being captured into a file.
struct Catch {
    file: PathBuf,
    /// The program is to be paused behind it.
    pause: bool,
    /// It is to be written out in words.
    dump: bool,
    /// Since when it has been there; its file may still be being written.
    since: Option<Instant>,
}

enum At {
    /// The program runs.
    Free,
    /// It runs to the end of a frame.
    Catching(Catch),
    /// Nothing is taken from the program.
    Held(Arc<Held>),
}

/// How long a capture may take to be written.
const WRITING: Duration = Duration::from_secs(20);

/// Where a program is held.
pub(crate) struct Hold {
    program: String,
    options: Options,
    notify: Notify,
    at: At,
    /// Where captures go, once there is one.
    folder: Option<TempDir>,
    caught: u64,
}

impl Hold {
    /// A program of this name, as part of a file's, that runs.
    pub(crate) fn new(program: String, options: Options, notify: Notify) -> Self {
        Self { program, options, notify, at: At::Free, folder: None, caught: 0 }
    }

    /// Whether nothing is to be taken from the program.
    pub(crate) fn holds(&self) -> bool {
        match &self.at {
            At::Free => false,
            At::Catching(catch) => catch.pause && catch.since.is_some(),
            At::Held(_) => true,
        }
    }

    /// Whether the program is held, or about to be.
    pub(crate) fn is_busy(&self) -> bool {
        !matches!(self.at, At::Free)
    }

    /// Does what the user wants, after each batch; whether there is something new to see.
    pub(crate) fn step(&mut self, renderer: &mut Renderer, wishes: &Arc<Wishes>) -> bool {
        let paused = wishes.is_paused();
        {
            let mut status = wishes.status();
            (status.frames, status.draws) = (renderer.presented(), renderer.draws());
        }
        match &mut self.at {
            At::Free => {
                let dump = wishes.dump.load(Ordering::SeqCst);
                if (paused || dump) && !renderer.is_capturing() {
                    wishes.dump.store(false, Ordering::SeqCst);
                    self.catch(renderer, wishes, paused, dump);
                }
                false
            }
            At::Catching(_) => self.look(renderer, wishes),
            At::Held(held) => {
                if wishes.dump.swap(false, Ordering::SeqCst) {
                    let held = Arc::clone(held);
                    self.dump(&held, wishes);
                }
                if !paused {
                    wishes.steps.store(0, Ordering::SeqCst);
                    wishes.status().held = None;
                    self.at = At::Free;
                    return true;
                }
                let more = wishes.steps.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |steps| steps.checked_sub(1));
                if more.is_ok() {
                    self.catch(renderer, wishes, true, false);
                }
                false
            }
        }
    }

    /// Looks whether the frame is there; whether it is, or never will be.
    fn look(&mut self, renderer: &Renderer, wishes: &Arc<Wishes>) -> bool {
        let At::Catching(catch) = &mut self.at else { return false };
        // Made when the frame begins.
        if catch.since.is_none() && (renderer.is_capturing() || !catch.file.exists()) {
            return false;
        }
        let since = *catch.since.get_or_insert_with(Instant::now);
        let held = match read(&catch.file) {
            Ok(held) => Arc::new(held),
            Err(_) if since.elapsed() < WRITING => return false,
            Err(why) => {
                self.give_up(wishes, &format!("the frame cannot be read back: {why}"));
                return true;
            }
        };
        let _left_behind = std::fs::remove_file(&catch.file);
        let (dump, pause) = (catch.dump, catch.pause);
        if dump {
            self.dump(&held, wishes);
        }
        if pause {
            wishes.status().held = Some(Arc::clone(&held));
            self.at = At::Held(held);
        } else {
            self.at = At::Free;
        }
        true
    }

    /// Starts to capture the next frame.
    fn catch(&mut self, renderer: &mut Renderer, wishes: &Arc<Wishes>, pause: bool, dump: bool) {
        let folder = match self.folder.take().map_or_else(TempDir::new, Ok) {
            Ok(folder) => self.folder.insert(folder),
            Err(error) => return self.give_up(wishes, &format!("no folder for the frame: {error}")),
        };
        self.caught += 1;
        let file = folder.path().join(format!("{}.aftercap", self.caught));
        renderer.capture_next_frames(&file, 1);
        self.at = At::Catching(Catch { file, pause, dump, since: None });
    }

    fn dump(&self, held: &Arc<Held>, wishes: &Arc<Wishes>) {
        let (wishes, notify) = (Arc::clone(wishes), self.notify.clone());
        dump::start(dump::Frame::held(&self.program, held), &self.options, move |said| {
            wishes.say(said);
            notify.tell(Event::News);
        });
    }

    fn give_up(&mut self, wishes: &Arc<Wishes>, why: &str) {
        tracing::error!("{}: {why}", self.program);
        wishes.paused.store(false, Ordering::SeqCst);
        let mut status = wishes.status();
        status.held = None;
        status.said = why.to_owned();
        self.at = At::Free;
    }
}

/// A capture of one frame, if it is complete.
fn read(file: &Path) -> Result<Held, String> {
    let bytes = std::fs::read(file).map_err(|error| error.to_string())?;
    let mut reader = Reader::new(&bytes[..]).map_err(|error| error.to_string())?;
    let mut frame = 0;
    while let Some(batch) = reader.next().map_err(|error| error.to_string())? {
        for located in afterimage_stream::Reader::new(&batch.words).flatten() {
            if let Packet::BeginFrame(body) = located.packet {
                frame = body.frame;
            }
        }
    }
    Ok(Held { frame, bytes: bytes.into() })
}
