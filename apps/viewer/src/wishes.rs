//! What the user interface and a program's thread tell each other.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// A picture of a program.
pub(crate) struct Live {
    /// Number of its frame.
    pub(crate) frame: u64,
    /// Pixels.
    pub(crate) size: [u32; 2],
    /// Rows from the top, four bytes a pixel.
    pub(crate) rgba: Vec<u8>,
    /// When it came.
    pub(crate) taken: Instant,
}

/// The frame that a program is paused at.
pub(crate) struct Held {
    /// Its number.
    pub(crate) frame: u64,
    /// A capture of it.
    pub(crate) bytes: Arc<[u8]>,
}

/// How a program is.
#[derive(Default)]
pub(crate) struct Status {
    /// Its last picture.
    pub(crate) live: Option<Arc<Live>>,
    /// What it is paused at.
    pub(crate) held: Option<Arc<Held>>,
    /// Frames it has presented.
    pub(crate) frames: u64,
    /// Draws it has asked for.
    pub(crate) draws: u64,
    /// What happened last, for the user.
    pub(crate) said: String,
    /// That the program has ended though it is paused, in words.
    pub(crate) ended: Option<&'static str>,
}

/// What the user wants of a program's thread, and how the program is.
#[derive(Default)]
pub(crate) struct Wishes {
    pub(crate) stop: AtomicBool,
    pub(crate) capture: AtomicBool,
    pub(crate) picture: AtomicBool,
    pub(crate) paused: AtomicBool,
    /// Frames to go on for while paused.
    pub(crate) steps: AtomicU32,
    pub(crate) dump: AtomicBool,
    /// The user interface shows the program's pictures.
    pub(crate) watched: AtomicBool,
    /// The user interface goes on showing what the program is paused at when it ends.
    pub(crate) kept: AtomicBool,
    /// Whether pictures are being read back.
    pub(crate) reading: AtomicBool,
    hud: AtomicBool,
    hud_new: AtomicBool,
    status: Mutex<Status>,
}

impl Wishes {
    /// How the program is.
    pub(crate) fn status(&self) -> MutexGuard<'_, Status> {
        self.status.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells the user something, here and on standard error.
    pub(crate) fn say(&self, text: String) {
        eprintln!("{text}");
        self.status().said = text;
    }

    /// Disconnects the program.
    pub(crate) fn stop(&self) {
        self.stop.store(true, Ordering::SeqCst);
    }

    /// Captures the next frame, or keeps the capture of the one that the program is paused at.
    pub(crate) fn capture(&self) {
        self.capture.store(true, Ordering::SeqCst);
    }

    /// Saves the picture of the next frame, or of the one that the program is paused at.
    pub(crate) fn save_picture(&self) {
        self.picture.store(true, Ordering::SeqCst);
    }

    /// Writes everything of the next frame, or of the one that the program is paused at, into the session's folder.
    pub(crate) fn dump(&self) {
        self.dump.store(true, Ordering::SeqCst);
    }

    /// Pauses behind the next frame, or goes on.
    pub(crate) fn pause_or_go_on(&self) {
        self.paused.fetch_xor(true, Ordering::SeqCst);
    }

    /// Pauses, or goes on for one frame.
    pub(crate) fn step(&self) {
        if self.paused.swap(true, Ordering::SeqCst) {
            self.steps.fetch_add(1, Ordering::SeqCst);
        }
    }

    /// Whether the program is paused, or about to be.
    pub(crate) fn is_paused(&self) -> bool {
        self.paused.load(Ordering::SeqCst)
    }

    /// Shows or hides the figures in the program's window.
    pub(crate) fn switch_hud(&self) {
        self.hud.fetch_xor(true, Ordering::SeqCst);
        self.hud_new.store(true, Ordering::SeqCst);
    }

    /// Whether figures are wanted, if that is news.
    pub(crate) fn hud(&self) -> Option<bool> {
        self.hud_new.swap(false, Ordering::SeqCst).then(|| self.hud.load(Ordering::SeqCst))
    }
}
