//! A picture of the viewer's window, on a display without a screen.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use x11rb::connection::Connection;
use x11rb::protocol::xproto::{
    AtomEnum, ConnectionExt as _, ImageFormat, InputFocus, KEY_PRESS_EVENT, KEY_RELEASE_EVENT, MapState, Window,
};
use x11rb::protocol::xtest::ConnectionExt as _;
use x11rb::rust_connection::RustConnection;
use x11rb::wrapper::ConnectionExt as _;
use xtask::step::{Context, Failure, Result};

use crate::display::Display;
use crate::picture::Picture;

/// A key of the viewer that is pressed, by its X11 symbol.
#[derive(Debug, Clone, Copy)]
pub(super) enum Key {
    /// Ten calls on.
    PageDown = 0xff56,
    /// One call on.
    Down = 0xff54,
}

/// How long the window may take to show something.
const LIMIT: Duration = Duration::from_secs(60);
/// How often it is looked at, and how often it has to look the same.
const POLL: Duration = Duration::from_millis(250);
const STILL: usize = 4;
/// How long a key is waited for.
const BETWEEN_KEYS: Duration = Duration::from_millis(40);
/// A window that shows something has this many colours.
const COLOURS: usize = 40;

/// The viewer, which ends when this goes.
struct Viewer(Child);

impl Drop for Viewer {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Opens a capture with the viewer, presses keys, and writes what the window shows. `scratch` is a folder for the viewer.
///
/// # Errors
/// When there is no display, the viewer ends, or its window stays empty.
pub(super) fn photograph(viewer: &Path, capture: &Path, keys: &[Key], scratch: &Path, picture: &Path) -> Result {
    const WHAT: &str = "taking a picture of the viewer";
    let display = Display::start()?;
    let mut command = Command::new(viewer);
    command.arg(capture).arg("--directory").arg(scratch).env("DISPLAY", display.name()).env_remove("WAYLAND_DISPLAY");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut viewer = Viewer(command.spawn().doing("starting the viewer")?);
    let (connection, screen) = RustConnection::connect(Some(display.name())).doing(WHAT)?;
    let root = connection.setup().roots.get(screen).map(|screen| screen.root).unwrap_or_default();
    let start = Instant::now();
    let mut last: Option<Picture> = None;
    let (mut still, mut pressed) = (0, false);
    while start.elapsed() < LIMIT {
        std::thread::sleep(POLL);
        if let Some(status) = viewer.0.try_wait().doing(WHAT)? {
            return Err(Failure::new(WHAT, format!("it ended: {status}")).advise("start it by hand with the capture"));
        }
        let Some(window) = shown(&connection, root) else { continue };
        let Some(now) = look(&connection, window).filter(|now| now.colours(COLOURS) >= COLOURS) else { continue };
        still = if last.as_ref() == Some(&now) { still + 1 } else { 0 };
        if still >= STILL {
            if pressed {
                return now.write(picture);
            }
            for key in keys {
                press(&connection, window, *key).doing(WHAT)?;
                std::thread::sleep(BETWEEN_KEYS);
            }
            (still, pressed) = (0, true);
        }
        last = Some(now);
    }
    Err(Failure::new(WHAT, format!("nothing was to be seen for {} s", LIMIT.as_secs())))
}

/// The viewer's window, when it is there.
fn shown(connection: &RustConnection, root: Window) -> Option<Window> {
    let windows = connection.query_tree(root).ok()?.reply().ok()?.children;
    windows.into_iter().find(|window| {
        let named = || {
            let name = connection.get_property(false, *window, AtomEnum::WM_NAME, AtomEnum::ANY, 0, 64).ok()?;
            Some(!name.reply().ok()?.value.is_empty())
        };
        let mapped = || {
            let state = connection.get_window_attributes(*window).ok()?.reply().ok()?.map_state;
            Some(state == MapState::VIEWABLE)
        };
        named() == Some(true) && mapped() == Some(true)
    })
}

/// What a window shows.
fn look(connection: &RustConnection, window: Window) -> Option<Picture> {
    let size = connection.get_geometry(window).ok()?.reply().ok()?;
    let image = connection.get_image(ImageFormat::Z_PIXMAP, window, 0, 0, size.width, size.height, !0);
    let image = image.ok()?.reply().ok()?;
    let rgb = image.data.chunks_exact(4).flat_map(|pixel| [pixel[2], pixel[1], pixel[0]]).collect();
    Picture::new(size.width.into(), size.height.into(), rgb)
}

/// Presses a key and lets it go.
fn press(connection: &RustConnection, window: Window, key: Key) -> std::result::Result<(), Box<dyn std::error::Error>> {
    let (first, last) = (connection.setup().min_keycode, connection.setup().max_keycode);
    let map = connection.get_keyboard_mapping(first, last - first + 1)?.reply()?;
    let symbols = map.keysyms.chunks_exact(usize::from(map.keysyms_per_keycode).max(1));
    let place = symbols.enumerate().find(|(_, symbols)| symbols.contains(&(key as u32)));
    let code = place.map(|(at, _)| first + at as u8).ok_or("the keyboard has no such key")?;
    connection.set_input_focus(InputFocus::PARENT, window, x11rb::CURRENT_TIME)?;
    for event in [KEY_PRESS_EVENT, KEY_RELEASE_EVENT] {
        connection.xtest_fake_input(event, code, x11rb::CURRENT_TIME, x11rb::NONE, 0, 0, 0)?;
    }
    connection.sync()?;
    Ok(())
}
