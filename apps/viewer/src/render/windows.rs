//! Windows to draw into: a program's own, or one that the viewer opens when it is asked.

use super::foreign::Display;
use crate::protocol::{self, Report};
use afterimage_process::socket::Socket;
use afterimage_stream::packets::{PresentTarget, WindowKind};
use afterimage_vulkan::{Instance, ash::vk};
use std::collections::HashMap;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How long the viewer may take to open a window.
const WINDOW: Duration = Duration::from_secs(10);

/// Who waits for an answer, by program and target.
type Waiting = HashMap<(usize, u32), Sender<Result<u32, String>>>;

/// What is known of windows, for all programs of the process.
pub(super) struct Windows {
    socket: Arc<Socket>,
    display: Option<Display>,
    /// Programs have windows of their own, not the viewer's.
    own: bool,
    /// They can be drawn into.
    foreign: bool,
    /// The viewer opens windows.
    asked: bool,
    waiting: Mutex<Waiting>,
}

impl Windows {
    pub(super) fn new(socket: &Arc<Socket>, display: Option<Display>, foreign: bool, asked: bool) -> Arc<Self> {
        let (socket, waiting) = (Arc::clone(socket), Mutex::default());
        Arc::new(Self { socket, display, own: foreign, foreign: foreign && display.is_some(), asked, waiting })
    }

    /// Whether there are any to draw into.
    pub(super) fn are_there(&self) -> bool {
        self.foreign || self.asked
    }

    /// The viewer has opened a window, or cannot.
    pub(super) fn opened(&self, number: usize, target: u32, window: Result<u32, String>) {
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner).remove(&(number, target));
        // Whoever asked may have stopped waiting.
        let _late = waiting.map(|waiting| waiting.send(window));
    }

    /// A surface for a target of a program: of the program's own window where that can be, and else of one of the viewer's. `None`
    /// where nothing is shown. Why the program's window is not drawn into is said once.
    pub(super) fn surface(
        &self,
        number: usize,
        target: &PresentTarget,
        instance: &Instance,
        refused: &mut dyn FnMut(String),
    ) -> Option<Result<vk::SurfaceKHR, String>> {
        if let Some(display) = self.display.filter(|_| self.foreign)
            && target.window_kind == WindowKind::X11 as u32
        {
            match display.surface_of_program(target, instance) {
                Ok(surface) => return Some(Ok(surface)),
                Err(error) => refused(error),
            }
        }
        // The program draws into it itself, wherever that is, unless every program is to be in a window of the viewer's.
        if self.own && target.window_kind == WindowKind::Blit as u32 {
            return None;
        }
        self.asked.then(|| {
            let display = self.display.ok_or("there is no connection to the display")?;
            display.surface(self.ask(number, target)?, instance)
        })
    }

    /// Has the viewer open a window.
    fn ask(&self, number: usize, target: &PresentTarget) -> Result<u32, String> {
        let (reply, answer) = channel();
        let id = target.id.0;
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).insert((number, id), reply);
        let (width, height) = (target.width, target.height);
        let report = Report::Window { number, target: id, width, height };
        protocol::send(&self.socket, &report, None).map_err(|error| error.to_string())?;
        answer.recv_timeout(WINDOW).map_err(|_| "the user interface does not answer".to_owned())?
    }
}
