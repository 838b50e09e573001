//! A hand at the keyboard of a display without a screen, and what of a window manager goes with it.

use x11rb::connection::Connection;
use x11rb::protocol::xproto::{
    Atom, ClientMessageEvent, ConnectionExt as _, EventMask, InputFocus, KEY_PRESS_EVENT, KEY_RELEASE_EVENT, MapState,
    Window,
};
use x11rb::protocol::xtest::ConnectionExt as _;
use x11rb::rust_connection::RustConnection;
use x11rb::wrapper::ConnectionExt as _;
use xtask::step::{Context, Result};

const WHAT: &str = "pressing keys on a display without a screen";

/// A key, by its code on every keyboard that Xvfb has.
#[derive(Debug, Clone, Copy)]
pub(super) enum Key {
    F10 = 76,
    F12 = 96,
}

/// A connection to the display.
pub(super) struct Hand {
    connection: RustConnection,
    root: Window,
    protocols: Atom,
    take_focus: Atom,
    delete: Atom,
}

impl Hand {
    /// Connects.
    ///
    /// # Errors
    /// When there is no such display.
    pub(super) fn connect(display: &str) -> Result<Self> {
        let (connection, screen) = RustConnection::connect(Some(display)).doing(WHAT)?;
        let root = connection.setup().roots.get(screen).map(|screen| screen.root).unwrap_or_default();
        let atom = |name: &str| -> Result<Atom> {
            let atom = connection.intern_atom(false, name.as_bytes()).doing(WHAT)?;
            Ok(atom.reply().doing(WHAT)?.atom)
        };
        let (protocols, take_focus) = (atom("WM_PROTOCOLS")?, atom("WM_TAKE_FOCUS")?);
        let delete = atom("WM_DELETE_WINDOW")?;
        Ok(Self { connection, root, protocols, take_focus, delete })
    }

    /// The window of this size that is on the screen, if there is one.
    pub(super) fn window(&self, wanted: (u16, u16)) -> Option<Window> {
        let windows = self.connection.query_tree(self.root).ok()?.reply().ok()?.children;
        windows.into_iter().find(|&window| {
            let size = self.connection.get_geometry(window).ok().and_then(|size| size.reply().ok());
            let about = self.connection.get_window_attributes(window).ok().and_then(|about| about.reply().ok());
            size.is_some_and(|size| (size.width, size.height) == wanted)
                && about.is_some_and(|about| about.map_state == MapState::VIEWABLE)
        })
    }

    /// Gives a window the focus, and tells it so, as window managers do. It hears of that before any key.
    pub(super) fn focus(&self, window: Window) -> Result {
        self.say(window, self.take_focus)?;
        self.connection.set_input_focus(InputFocus::PARENT, window, x11rb::CURRENT_TIME).doing(WHAT)?;
        self.connection.sync().doing(WHAT)
    }

    /// Asks a window to close, as window managers do.
    pub(super) fn close(&self, window: Window) -> Result {
        self.say(window, self.delete)
    }

    fn say(&self, window: Window, what: Atom) -> Result {
        let message = ClientMessageEvent::new(32, window, self.protocols, [what, x11rb::CURRENT_TIME, 0, 0, 0]);
        self.connection.send_event(false, window, EventMask::NO_EVENT, message).doing(WHAT)?;
        self.connection.sync().doing(WHAT)
    }

    /// Puts a key down, or lets it come up.
    pub(super) fn put(&self, key: Key, down: bool) -> Result {
        let kind = if down { KEY_PRESS_EVENT } else { KEY_RELEASE_EVENT };
        self.connection.xtest_fake_input(kind, key as u8, x11rb::CURRENT_TIME, self.root, 0, 0, 0).doing(WHAT)?;
        self.connection.sync().doing(WHAT)
    }

    /// As short a tap as there is: nothing between down and up.
    pub(super) fn tap(&self, key: Key) -> Result {
        for kind in [KEY_PRESS_EVENT, KEY_RELEASE_EVENT] {
            self.connection.xtest_fake_input(kind, key as u8, x11rb::CURRENT_TIME, self.root, 0, 0, 0).doing(WHAT)?;
        }
        self.connection.sync().doing(WHAT)
    }
}
