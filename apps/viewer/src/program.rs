//! What the user interface has of a program, and what it is told of it.

use crate::control::Control;
use std::sync::{Arc, Mutex, PoisonError};

/// What the user interface is told.
pub(crate) enum Event {
    /// A program has connected.
    Connected(View),
    /// A program wants a window.
    Window {
        /// Number of the program.
        number: usize,
        /// Which of its windows.
        target: u32,
        /// Pixels.
        width: u32,
        /// Pixels.
        height: u32,
        /// Takes the X11 window's number, or why there is none.
        reply: Box<dyn FnOnce(Result<u32, String>) + Send>,
    },
    /// A program is gone, and nothing uses its windows any more.
    Left {
        /// Number of the program.
        number: usize,
        /// What was wrong, if it was not the program or the user that ended it.
        why: Option<String>,
    },
    /// Something of this program is to be shown anew.
    News,
    /// A program was not let in, and why.
    Refused(String),
    /// The server has ended.
    Ended,
}

type Tell = dyn Fn(Event) + Send;

/// Tells the user interface, if there is one.
#[derive(Clone, Default)]
pub(crate) struct Notify(Option<Arc<Mutex<Tell>>>);

impl Notify {
    /// Calls `tell`, from any thread.
    pub(crate) fn new(tell: impl Fn(Event) + Send + 'static) -> Self {
        Self(Some(Arc::new(Mutex::new(tell))))
    }

    pub(crate) fn tell(&self, event: Event) {
        if let Some(tell) = &self.0 {
            tell.lock().unwrap_or_else(PoisonError::into_inner)(event);
        }
    }

    /// Whether anybody listens.
    pub(crate) fn is_heard(&self) -> bool {
        self.0.is_some()
    }
}

/// What the user interface has of a program.
#[derive(Clone)]
pub(crate) struct View {
    /// Number of the program.
    pub(crate) number: usize,
    /// Its name.
    pub(crate) name: String,
    /// What is wanted of it, and how it is.
    pub(crate) control: Arc<Control>,
}
