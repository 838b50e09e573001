//! A hand at the keyboard of a display without a screen, and what of a window manager goes with it.

use x11rb::connection::Connection;
use x11rb::protocol::xproto::{
    Atom, AtomEnum, ClientMessageEvent, ConnectionExt as _, EventMask, ImageFormat, InputFocus, KEY_PRESS_EVENT,
    KEY_RELEASE_EVENT, MapState, Window,
};
use x11rb::protocol::xtest::ConnectionExt as _;
use x11rb::rust_connection::RustConnection;
use x11rb::wrapper::ConnectionExt as _;
use xtask::step::{Context, Result};

use crate::picture::Picture;

const WHAT: &str = "pressing keys on a display without a screen";

/// A key, by its code on every keyboard that Xvfb has.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Key {
    Escape = 9,
    Shift = 50,
    F10 = 76,
    F12 = 96,
}

/// A connection to the display.
pub(crate) struct Hand {
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
    pub(crate) fn connect(display: &str) -> Result<Self> {
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
    pub(crate) fn window(&self, wanted: (u16, u16)) -> Option<Window> {
        let windows = self.connection.query_tree(self.root).ok()?.reply().ok()?.children;
        windows.into_iter().find(|&window| {
            let size = self.connection.get_geometry(window).ok().and_then(|size| size.reply().ok());
            let about = self.connection.get_window_attributes(window).ok().and_then(|about| about.reply().ok());
            size.is_some_and(|size| (size.width, size.height) == wanted)
                && about.is_some_and(|about| about.map_state == MapState::VIEWABLE)
        })
    }

    /// The window with this title that is on the screen, if there is one.
    pub(crate) fn titled(&self, title: &str) -> Option<Window> {
        let windows = self.connection.query_tree(self.root).ok()?.reply().ok()?.children;
        windows.into_iter().find(|&window| {
            let named = self.connection.get_property(false, window, AtomEnum::WM_NAME, AtomEnum::ANY, 0, 64);
            let named =
                named.ok().and_then(|name| name.reply().ok()).is_some_and(|name| name.value == title.as_bytes());
            let about = self.connection.get_window_attributes(window).ok().and_then(|about| about.reply().ok());
            named && about.is_some_and(|about| about.map_state == MapState::VIEWABLE)
        })
    }

    /// Gives a window the focus, and tells it so, as window managers do. It hears of that before any key.
    pub(crate) fn focus(&self, window: Window) -> Result {
        self.say(window, self.take_focus)?;
        self.connection.set_input_focus(InputFocus::PARENT, window, x11rb::CURRENT_TIME).doing(WHAT)?;
        self.connection.sync().doing(WHAT)
    }

    /// Asks a window to close, as window managers do.
    pub(crate) fn close(&self, window: Window) -> Result {
        self.say(window, self.delete)
    }

    fn say(&self, window: Window, what: Atom) -> Result {
        let message = ClientMessageEvent::new(32, window, self.protocols, [what, x11rb::CURRENT_TIME, 0, 0, 0]);
        self.connection.send_event(false, window, EventMask::NO_EVENT, message).doing(WHAT)?;
        self.connection.sync().doing(WHAT)
    }

    /// Whether a text stands in a window somewhere, in the overlay's letters, a pixel for each of theirs.
    pub(crate) fn reads(&self, window: Window, text: &str) -> bool {
        self.picture(window).is_some_and(|picture| stands_in(&picture, text))
    }

    /// What a window shows.
    pub(crate) fn shown(&self, window: Window) -> Option<Picture> {
        let (width, pixels) = self.picture(window)?;
        let rgb: Vec<u8> = pixels.chunks_exact(4).flat_map(|p| [p[2], p[1], p[0]]).collect();
        let height = rgb.len() / 3 / width.max(1);
        Picture::new(width as u32, height as u32, rgb)
    }

    /// What a window shows: its width, and blue, green, red and something else of each pixel.
    fn picture(&self, window: Window) -> Option<(usize, Vec<u8>)> {
        let size = self.connection.get_geometry(window).ok()?.reply().ok()?;
        let image = self.connection.get_image(ImageFormat::Z_PIXMAP, window, 0, 0, size.width, size.height, !0);
        Some((usize::from(size.width), image.ok()?.reply().ok()?.data))
    }

    /// Puts a key down, or lets it come up.
    pub(crate) fn put(&self, key: Key, down: bool) -> Result {
        let kind = if down { KEY_PRESS_EVENT } else { KEY_RELEASE_EVENT };
        self.connection.xtest_fake_input(kind, key as u8, x11rb::CURRENT_TIME, self.root, 0, 0, 0).doing(WHAT)?;
        self.connection.sync().doing(WHAT)
    }

    /// As short a tap as there is: nothing between down and up.
    pub(crate) fn tap(&self, key: Key) -> Result {
        for kind in [KEY_PRESS_EVENT, KEY_RELEASE_EVENT] {
            self.connection.xtest_fake_input(kind, key as u8, x11rb::CURRENT_TIME, self.root, 0, 0, 0).doing(WHAT)?;
        }
        self.connection.sync().doing(WHAT)
    }
}

/// See [`Hand::reads`].
fn stands_in((width, pixels): &(usize, Vec<u8>), text: &str) -> bool {
    const LETTERS: [u8; 3] = [235, 235, 235];
    let font = include_str!("../../../crates/render/src/hud/font.txt");
    let mut set = Vec::new();
    for (cell, character) in text.chars().enumerate() {
        let line = font.lines().find(|line| line.starts_with(character)).unwrap_or_default();
        for (y, row) in line.get(character.len_utf8()..).unwrap_or_default().split_whitespace().enumerate() {
            let bits = row.bytes().enumerate().filter(|(_, bit)| *bit == b'#');
            set.extend(bits.map(|(x, _)| (6 * cell + x, y)));
        }
    }
    let is_letter =
        |x: usize, y: usize| x < *width && pixels.get(4 * (y * width + x)..).is_some_and(|p| p.starts_with(&LETTERS));
    let height = pixels.len() / 4 / width.max(&1);
    let stands = |left: usize, top: usize| set.iter().all(|(x, y)| is_letter(left + x, top + y));
    !set.is_empty() && (0..height).any(|top| (0..*width).any(|left| stands(left, top)))
}
