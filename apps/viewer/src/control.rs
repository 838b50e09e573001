//! What the user interface knows of a program, and what it wants of it.

use crate::dump;
use crate::keep::{self, Held, Live};
use crate::program::{Event, Notify};
use crate::protocol::{Order, Purpose, Request};
use crate::renderer::{Renderer, Start};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

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
    pub(crate) ended: Option<String>,
}

/// What fits on a picture: of a path that the text ends with its last part.
fn on_picture(text: &str) -> String {
    match (text.find(" /"), text.rfind('/')) {
        (Some(before), Some(slash)) => format!("{}{}", &text[..=before], &text[slash + 1..]),
        _ => text.to_owned(),
    }
}

/// What the user wants of a program, and how the program is.
pub(crate) struct Control {
    number: usize,
    program: String,
    start: Start,
    notify: Notify,
    /// Who draws it now.
    renderer: Mutex<Option<Arc<Renderer>>>,
    stopped: AtomicBool,
    paused: AtomicBool,
    watched: AtomicBool,
    kept: AtomicBool,
    hud: AtomicBool,
    status: Mutex<Status>,
}

impl Control {
    /// Of a program with this number and name, that nobody draws yet.
    pub(crate) fn new(number: usize, program: &str, start: Start, notify: Notify) -> Self {
        Self {
            number,
            program: program.to_owned(),
            start,
            notify,
            renderer: Mutex::default(),
            stopped: AtomicBool::default(),
            paused: AtomicBool::default(),
            watched: AtomicBool::default(),
            kept: AtomicBool::default(),
            hud: AtomicBool::default(),
            status: Mutex::default(),
        }
    }

    /// How the program is.
    pub(crate) fn status(&self) -> MutexGuard<'_, Status> {
        self.status.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells the user something, here, on standard error and on the program's picture.
    pub(crate) fn say(&self, text: String) {
        eprintln!("{text}");
        self.want(Request::Notice(on_picture(&text)));
        self.status().said = text;
        self.notify.tell(Event::News);
    }

    fn renderer(&self) -> MutexGuard<'_, Option<Arc<Renderer>>> {
        self.renderer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn want(&self, request: Request) {
        if let Some(renderer) = &*self.renderer() {
            // One that has died gets a successor, which is told anew.
            let _died = renderer.tell(&Order::Request { number: self.number, request }, None);
        }
    }

    /// Nobody draws the program any more.
    pub(crate) fn let_go(&self) {
        *self.renderer() = None;
    }

    /// A process draws the program from now on, perhaps after another one.
    pub(crate) fn drawn_by(&self, renderer: Arc<Renderer>) {
        *self.renderer() = Some(renderer);
        // What it was paused at is gone with the process that knew it.
        let held = self.status().held.take().is_some();
        let paused = self.paused.load(Ordering::SeqCst) && !held;
        self.paused.store(paused, Ordering::SeqCst);
        for (request, on) in [
            (Request::Paused(true), paused),
            (Request::Watched(true), self.watched.load(Ordering::SeqCst)),
            (Request::Kept(true), self.kept.load(Ordering::SeqCst)),
            (Request::Hud(true), self.hud.load(Ordering::SeqCst)),
            (Request::Stop, self.stopped.load(Ordering::SeqCst)),
        ] {
            if on {
                self.want(request);
            }
        }
    }

    /// Disconnects the program.
    pub(crate) fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
        self.want(Request::Stop);
    }

    /// Whether it is to be disconnected.
    pub(crate) fn stops(&self) -> bool {
        self.stopped.load(Ordering::SeqCst)
    }

    /// Captures the next frame, or keeps the capture of the one that the program is paused at.
    pub(crate) fn capture(&self) {
        let held = self.status().held.clone();
        match held {
            Some(held) => self.say(keep::held(&self.program, &held)),
            None => self.want(Request::Capture),
        }
    }

    /// Saves the picture of the next frame, or of the one that the program is paused at.
    pub(crate) fn save_picture(&self) {
        let status = self.status();
        let live = status.held.is_some().then(|| status.live.clone()).flatten();
        drop(status);
        match live {
            Some(live) => self.say(keep::picture(&self.program, &live)),
            None => self.want(Request::Picture),
        }
    }

    /// Writes everything of the next frame, or of the one that the program is paused at, into the session's folder.
    pub(crate) fn dump(self: &Arc<Self>) {
        let held = self.status().held.clone();
        match held {
            Some(held) => self.dump_held(&held),
            None => self.want(Request::Dump),
        }
    }

    /// Writes everything of a frame into the session's folder.
    pub(crate) fn dump_held(self: &Arc<Self>, held: &Held) {
        let control = Arc::clone(self);
        dump::start(dump::Frame::held(&keep::file_name(&self.program), held), &self.start, move |said| {
            control.say(said);
        });
    }

    /// Pauses behind the next frame, or goes on.
    pub(crate) fn pause_or_go_on(&self) {
        let paused = !self.paused.fetch_xor(true, Ordering::SeqCst);
        self.want(Request::Paused(paused));
    }

    /// Pauses, or goes on for one frame.
    pub(crate) fn step(&self) {
        let paused = self.paused.swap(true, Ordering::SeqCst);
        self.want(if paused { Request::Step } else { Request::Paused(true) });
    }

    /// Whether the program is paused, or about to be.
    pub(crate) fn is_paused(&self) -> bool {
        self.paused.load(Ordering::SeqCst)
    }

    /// Shows or hides the figures in the program's window.
    pub(crate) fn switch_hud(&self) {
        let on = !self.hud.fetch_xor(true, Ordering::SeqCst);
        self.want(Request::Hud(on));
    }

    /// Whether the program's pictures are looked at.
    pub(crate) fn watch(&self, watched: bool) {
        if self.watched.swap(watched, Ordering::SeqCst) != watched {
            self.want(Request::Watched(watched));
        }
    }

    /// Whether they are.
    #[cfg(test)]
    pub(crate) fn is_watched(&self) -> bool {
        self.watched.load(Ordering::SeqCst)
    }

    /// Whether the user interface goes on showing what the program is paused at when it ends.
    pub(crate) fn keep(&self, kept: bool) {
        if self.kept.swap(kept, Ordering::SeqCst) != kept {
            self.want(Request::Kept(kept));
        }
    }

    /// A frame has been captured.
    pub(crate) fn captured(self: &Arc<Self>, held: Held, purpose: Purpose) {
        let held = Arc::new(held);
        if purpose.keep {
            self.say(keep::held(&self.program, &held));
        }
        if purpose.dump {
            self.dump_held(&held);
        }
        if purpose.pause {
            self.status().held = Some(held);
        }
    }

    /// A picture has come.
    pub(crate) fn picture(&self, live: Live, keep: bool) {
        let live = Arc::new(live);
        self.status().live = Some(Arc::clone(&live));
        if keep {
            self.say(keep::picture(&self.program, &live));
        }
    }

    /// The program goes on that was paused; and why, if the user did not want that.
    pub(crate) fn goes_on(&self, why: Option<String>) {
        self.status().held = None;
        if let Some(why) = why {
            tracing::error!("{}: {why}", self.program);
            self.paused.store(false, Ordering::SeqCst);
            self.status().said = why;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::on_picture;

    #[test]
    fn paths_on_pictures_are_names() {
        assert_eq!(on_picture("frame 7: saved /home/u/my games/game-1.aftercap"), "frame 7: saved game-1.aftercap");
        assert_eq!(on_picture("saved game-frame-000007.png"), "saved game-frame-000007.png");
    }
}
