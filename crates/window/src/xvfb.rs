//! Tests of windows: an X server without a screen, and a hand that presses keys there.

use std::io::BufRead;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use x11rb::connection::Connection;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    AtomEnum, ChangeWindowAttributesAux, ClientMessageEvent, ConfigureWindowAux, ConnectionExt as _, EventMask,
    ImageFormat, InputFocus, KEY_PRESS_EVENT, KEY_RELEASE_EVENT,
};
use x11rb::protocol::xtest::ConnectionExt as _;
use x11rb::rust_connection::RustConnection;
use x11rb::wrapper::ConnectionExt as _;

/// Codes of keys, as XTEST takes them.
pub mod key {
    /// Esc.
    pub const ESCAPE: u8 = 9;
    /// N.
    pub const N: u8 = 57;
    /// Space.
    pub const SPACE: u8 = 65;
}

/// A picture of a window: its width and height, and red, green and blue of each pixel.
pub type Shot = (u32, u32, Vec<[u8; 3]>);

/// Whether a text stands in a picture somewhere, in the overlay's letters, a pixel for each of theirs.
#[must_use]
pub fn reads(&(width, height, ref pixels): &Shot, text: &str) -> bool {
    const LETTERS: [u8; 3] = [235, 235, 235];
    let font = include_str!("../../render/src/hud/font.txt");
    let mut set = Vec::new();
    for (cell, character) in text.chars().enumerate() {
        let line = font.lines().find(|line| line.starts_with(character)).unwrap_or_default();
        for (y, row) in line.get(character.len_utf8()..).unwrap_or_default().split_whitespace().enumerate() {
            let bits = row.bytes().enumerate().filter(|(_, bit)| *bit == b'#');
            set.extend(bits.map(|(x, _)| (6 * cell + x, y)));
        }
    }
    let (width, height) = (width as usize, height as usize);
    let stands = |left: usize, top: usize| {
        set.iter().all(|(x, y)| {
            let (x, y) = (left + x, top + y);
            x < width && y < height && pixels.get(y * width + x) == Some(&LETTERS)
        })
    };
    !set.is_empty() && (0..height).any(|top| (0..width).any(|left| stands(left, top)))
}

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Starts Xvfb with a screen such as `640x480x24`: its process, and what `DISPLAY` is to be. `None` where it is not installed or
/// does not start. When its last client leaves it does not begin anew, which would cut off whoever comes just then.
#[must_use]
pub fn server(screen: &str) -> Option<(Child, String)> {
    let mut server = Command::new("Xvfb")
        .args(["-displayfd", "1", "-screen", "0", screen, "-nolisten", "tcp", "-noreset"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let mut number = String::new();
    std::io::BufReader::new(server.stdout.take()?).read_line(&mut number).ok()?;
    Some((server, format!(":{}", number.trim())))
}

/// How long a window may take to answer on a machine that has other things to do.
const PATIENCE: Duration = Duration::from_secs(120);

/// Gives a window the keys, and waits until its program has heard of that: events are taken in their order, and programs answer
/// pings (`_NET_WM_PING`), which window managers send. Events that wait on the connection are lost.
///
/// # Errors
/// The server is gone, or the window says that it answers pings and does not.
pub fn focus(connection: &RustConnection, root: u32, window: u32) -> Result<()> {
    connection.set_input_focus(InputFocus::PARENT, window, x11rb::CURRENT_TIME)?;
    connection.sync()?;
    let [protocols, ping] = [&b"WM_PROTOCOLS"[..], b"_NET_WM_PING"].map(|name| connection.intern_atom(false, name));
    let (protocols, ping) = (protocols?.reply()?.atom, ping?.reply()?.atom);
    let known = connection.get_property(false, window, protocols, AtomEnum::ATOM, 0, 64)?.reply()?;
    if known.value32().is_none_or(|mut atoms| atoms.all(|atom| atom != ping)) {
        return Err("the window answers no pings".into());
    }
    let hear = |mask| connection.change_window_attributes(root, &ChangeWindowAttributesAux::new().event_mask(mask));
    hear(EventMask::SUBSTRUCTURE_NOTIFY)?;
    let message = ClientMessageEvent::new(32, window, protocols, [ping, x11rb::CURRENT_TIME, window, 0, 0]);
    connection.send_event(false, window, EventMask::NO_EVENT, message)?;
    connection.sync()?;
    let start = Instant::now();
    loop {
        match connection.poll_for_event()? {
            Some(Event::ClientMessage(answer)) if answer.window == root && answer.data.as_data32()[0] == ping => break,
            Some(_) => {}
            None if start.elapsed() > PATIENCE => return Err("the window does not answer a ping".into()),
            None => std::thread::sleep(Duration::from_millis(2)),
        }
    }
    hear(EventMask::NO_EVENT)?;
    Ok(connection.sync()?)
}

/// An X server that ends with this, and a connection to it.
#[derive(Debug)]
pub struct Xvfb {
    server: Child,
    display: String,
    connection: RustConnection,
    root: u32,
}

impl Xvfb {
    /// Starts one with a screen such as `640x480x24`; `None` where Xvfb is not installed or does not start.
    #[must_use]
    pub fn start(screen: &str) -> Option<Self> {
        let (server, display) = server(screen)?;
        let (connection, screen) = RustConnection::connect(Some(&display)).ok()?;
        let root = connection.setup().roots.get(screen)?.root;
        Some(Self { server, display, connection, root })
    }

    /// What `DISPLAY` is to be.
    #[must_use]
    pub fn display(&self) -> &str {
        &self.display
    }

    /// Windows and their titles.
    ///
    /// # Errors
    /// The server is gone.
    pub fn windows(&self) -> Result<Vec<(u32, String)>> {
        let windows = self.connection.query_tree(self.root)?.reply()?.children;
        let title = |window: u32| {
            let name = self.connection.get_property(false, window, AtomEnum::WM_NAME, AtomEnum::ANY, 0, 256).ok()?;
            Some((window, String::from_utf8(name.reply().ok()?.value).ok()?))
        };
        Ok(windows.into_iter().filter_map(title).filter(|(_, title)| !title.is_empty()).collect())
    }

    /// What a window shows.
    ///
    /// # Errors
    /// The window is gone.
    pub fn picture(&self, window: u32) -> Result<Shot> {
        let size = self.connection.get_geometry(window)?.reply()?;
        let image = self.connection.get_image(ImageFormat::Z_PIXMAP, window, 0, 0, size.width, size.height, !0)?;
        let data = image.reply()?.data;
        let pixels = data.chunks_exact(4).map(|pixel| [pixel[2], pixel[1], pixel[0]]).collect();
        Ok((size.width.into(), size.height.into(), pixels))
    }

    /// Gives a window another size.
    ///
    /// # Errors
    /// The server is gone.
    pub fn resize(&self, window: u32, width: u32, height: u32) -> Result<()> {
        self.connection.configure_window(window, &ConfigureWindowAux::new().width(width).height(height))?;
        Ok(self.connection.sync()?)
    }

    /// Presses a key in a window.
    ///
    /// # Errors
    /// The server is gone, or the window does not answer.
    pub fn press(&self, window: u32, key: u8) -> Result<()> {
        focus(&self.connection, self.root, window)?;
        for kind in [KEY_PRESS_EVENT, KEY_RELEASE_EVENT] {
            self.connection.xtest_fake_input(kind, key, x11rb::CURRENT_TIME, self.root, 0, 0, 0)?;
        }
        Ok(self.connection.sync()?)
    }
}

impl Drop for Xvfb {
    fn drop(&mut self) {
        // One that has ended already is as good.
        let _ended = self.server.kill().and_then(|()| self.server.wait());
    }
}
