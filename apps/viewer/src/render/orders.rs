//! What the user wants of a program, as the program's thread finds it.

use crate::protocol::Request;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

/// Set by the thread that receives orders, taken by the program's.
#[derive(Debug, Default)]
pub(super) struct Orders {
    stop: AtomicBool,
    capture: AtomicBool,
    picture: AtomicBool,
    dump: AtomicBool,
    paused: AtomicBool,
    /// Frames to go on for while paused.
    steps: AtomicU32,
    watched: AtomicBool,
    kept: AtomicBool,
    hud: Mutex<Option<bool>>,
    notices: Mutex<Vec<String>>,
}

impl Orders {
    /// Notes a request.
    pub(super) fn note(&self, request: Request) {
        let set = |flag: &AtomicBool, to| flag.store(to, Ordering::SeqCst);
        match request {
            Request::Stop => set(&self.stop, true),
            Request::Capture => set(&self.capture, true),
            Request::Picture => set(&self.picture, true),
            Request::Dump => set(&self.dump, true),
            Request::Paused(paused) => set(&self.paused, paused),
            Request::Step => drop(self.steps.fetch_add(1, Ordering::SeqCst)),
            Request::Hud(on) => *self.hud.lock().unwrap_or_else(PoisonError::into_inner) = Some(on),
            Request::Notice(text) => self.notices.lock().unwrap_or_else(PoisonError::into_inner).push(text),
            Request::Watched(watched) => set(&self.watched, watched),
            Request::Kept(kept) => set(&self.kept, kept),
        }
    }

    /// The program is to be disconnected.
    pub(super) fn stops(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }

    /// It is paused, or is to be.
    pub(super) fn is_paused(&self) -> bool {
        self.paused.load(Ordering::SeqCst)
    }

    /// It goes on, whatever was wanted.
    pub(super) fn go_on(&self) {
        self.paused.store(false, Ordering::SeqCst);
        self.steps.store(0, Ordering::SeqCst);
    }

    /// Takes one step of those that are wanted.
    pub(super) fn take_step(&self) -> bool {
        self.steps.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |steps| steps.checked_sub(1)).is_ok()
    }

    /// Whether the next frame is to be dumped, and to be kept: once for each request.
    pub(super) fn take_dump_and_capture(&self) -> (bool, bool) {
        (self.dump.swap(false, Ordering::SeqCst), self.capture.swap(false, Ordering::SeqCst))
    }

    /// Whether the next frame is to be dumped or kept.
    pub(super) fn wants_frame(&self) -> bool {
        self.dump.load(Ordering::SeqCst) || self.capture.load(Ordering::SeqCst)
    }

    /// Whether a picture is to be kept.
    pub(super) fn wants_picture(&self) -> bool {
        self.picture.load(Ordering::SeqCst)
    }

    /// The same, once for each request.
    pub(super) fn take_picture(&self) -> bool {
        self.picture.swap(false, Ordering::SeqCst)
    }

    /// Whether figures are wanted, if that is news.
    pub(super) fn take_hud(&self) -> Option<bool> {
        self.hud.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// What is to be said on its picture.
    pub(super) fn take_notices(&self) -> Vec<String> {
        std::mem::take(&mut self.notices.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether its pictures are shown.
    pub(super) fn is_watched(&self) -> bool {
        self.watched.load(Ordering::SeqCst)
    }

    /// Whether it stays when it has ended while it is paused.
    pub(super) fn is_kept(&self) -> bool {
        self.kept.load(Ordering::SeqCst)
    }
}
