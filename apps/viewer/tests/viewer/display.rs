//! An X server without a screen, what its windows show, and a person's keys.

use crate::program::{TARGET, colour};
use afterimage_stream::packets::{PresentTarget, WindowKind};
use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use x11rb::connection::Connection;
use x11rb::protocol::xproto::{
    ConfigureWindowAux, ConnectionExt as _, CreateWindowAux, ImageFormat, KEY_PRESS_EVENT, KEY_RELEASE_EVENT, MapState,
    WindowClass,
};
use x11rb::protocol::xtest::ConnectionExt as _;
use x11rb::rust_connection::RustConnection;
use x11rb::wrapper::ConnectionExt as _;

/// How long anything may take on a machine that has other things to do.
const PATIENCE: Duration = Duration::from_secs(120);

/// A process that does not outlive its test.
pub(crate) struct Guarded(pub(crate) Child);

impl Deref for Guarded {
    type Target = Child;

    fn deref(&self) -> &Child {
        &self.0
    }
}

impl DerefMut for Guarded {
    fn deref_mut(&mut self) -> &mut Child {
        &mut self.0
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// An X server without a screen; `None` where Xvfb is not installed.
pub(crate) fn display() -> Option<(Guarded, String)> {
    display_of("640x480x24")
}

/// One with a screen of this size.
pub(crate) fn display_of(screen: &str) -> Option<(Guarded, String)> {
    afterimage_window::xvfb::server(screen).map(|(server, display)| (Guarded(server), display))
}

/// Presses keys in a window, as a person would.
pub(crate) struct Keyboard {
    pub(crate) connection: RustConnection,
    pub(crate) root: u32,
}

impl Keyboard {
    pub(crate) const ESCAPE: u8 = 9;
    pub(crate) const HOME: u8 = 110;
    pub(crate) const END: u8 = 115;
    pub(crate) const TAB: u8 = 23;
    pub(crate) const Q: u8 = 24;
    pub(crate) const W: u8 = 25;
    pub(crate) const R: u8 = 27;
    pub(crate) const O: u8 = 32;
    pub(crate) const CONTROL: u8 = 37;
    pub(crate) const A: u8 = 38;
    pub(crate) const SLASH: u8 = 61;
    pub(crate) const F11: u8 = 95;
    pub(crate) const UP: u8 = 111;
    pub(crate) const D: u8 = 40;
    pub(crate) const N: u8 = 57;
    pub(crate) const SPACE: u8 = 65;
    pub(crate) const DOWN: u8 = 116;
    pub(crate) const F1: u8 = 67;
    pub(crate) const F10: u8 = 76;
    pub(crate) const F12: u8 = 96;

    pub(crate) fn connect(display: &str) -> Self {
        let (connection, screen) = RustConnection::connect(Some(display)).unwrap();
        let root = connection.setup().roots[screen].root;
        Self { connection, root }
    }

    /// The windows that are on the screen: others have neither pixels nor the focus.
    fn windows(&self) -> impl Iterator<Item = u32> {
        let windows = self.connection.query_tree(self.root).unwrap().reply().unwrap().children;
        let state = |window: u32| self.connection.get_window_attributes(window).unwrap().reply().map(|a| a.map_state);
        windows.into_iter().filter(move |&window| state(window).ok() == Some(MapState::VIEWABLE))
    }

    /// The viewer's window, which has this size.
    pub(crate) fn window(&self, width: u16, height: u16) -> u32 {
        let size = |window: u32| self.connection.get_geometry(window).unwrap().reply().map(|g| (g.width, g.height));
        let fits = |window: &u32| size(*window).ok() == Some((width, height));
        wait_for("a window of that size", || self.windows().find(fits))
    }

    /// What a window is called.
    pub(crate) fn title(&self, window: u32) -> String {
        use x11rb::protocol::xproto::AtomEnum;
        let name = self.connection.get_property(false, window, AtomEnum::WM_NAME, AtomEnum::ANY, 0, 256).unwrap();
        name.reply().map_or_else(|_| String::new(), |name| String::from_utf8_lossy(&name.value).into_owned())
    }

    /// The window whose title begins so.
    pub(crate) fn titled(&self, title: &str) -> Option<u32> {
        self.windows().find(|&window| self.title(window).starts_with(title))
    }

    /// Waits until a window's title has these words.
    pub(crate) fn wait_for_title(&self, window: u32, words: &str) {
        let start = Instant::now();
        loop {
            let title = self.title(window);
            if title.contains(words) {
                return;
            }
            assert!(start.elapsed() < PATIENCE, "no `{words}` in the title for two minutes: {title}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Moves a window to where it hides no other one.
    pub(crate) fn move_to(&self, window: u32, x: i32, y: i32) {
        self.connection.configure_window(window, &ConfigureWindowAux::new().x(x).y(y)).unwrap();
        self.connection.sync().unwrap();
    }

    /// How many pixels of a window are of a colour, give or take what smoothing does to text.
    pub(crate) fn count(&self, window: u32, color: [u8; 3]) -> usize {
        let (_, _, pixels) = self.picture(window);
        pixels.iter().filter(|pixel| pixel.iter().zip(color).all(|(a, b)| a.abs_diff(b) <= 2)).count()
    }

    /// What a window shows: its size, and red, green and blue of each pixel.
    pub(crate) fn picture(&self, window: u32) -> (u32, u32, Vec<[u8; 3]>) {
        let size = self.connection.get_geometry(window).unwrap().reply().unwrap();
        let image = self.connection.get_image(ImageFormat::Z_PIXMAP, window, 0, 0, size.width, size.height, !0);
        let data = image.unwrap().reply().unwrap().data;
        let pixels = data.chunks_exact(4).map(|pixel| [pixel[2], pixel[1], pixel[0]]).collect();
        (size.width.into(), size.height.into(), pixels)
    }

    fn focus(&self, window: u32) {
        if self.connection.get_input_focus().unwrap().reply().unwrap().focus == window {
            return;
        }
        afterimage_window::xvfb::focus(&self.connection, self.root, window).unwrap();
    }

    /// Keys go down and come up together: one that the server saw down for long, on a slow machine, it would repeat.
    fn send(&self, keys: &[(u8, u8)]) {
        for &(kind, key) in keys {
            self.connection.xtest_fake_input(kind, key, x11rb::CURRENT_TIME, self.root, 0, 0, 0).unwrap();
        }
        self.connection.sync().unwrap();
    }

    pub(crate) fn press(&self, window: u32, key: u8) {
        self.focus(window);
        self.send(&[(KEY_PRESS_EVENT, key), (KEY_RELEASE_EVENT, key)]);
    }

    /// Presses a key while the control key is down.
    pub(crate) fn press_with_control(&self, window: u32, key: u8) {
        self.focus(window);
        let [down, up] = [KEY_PRESS_EVENT, KEY_RELEASE_EVENT];
        self.send(&[(down, Self::CONTROL), (down, key), (up, key), (up, Self::CONTROL)]);
    }
}

pub(crate) fn files(folder: &Path, ending: &str) -> Vec<String> {
    let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.ends_with(ending)).collect()
}

/// A viewer on a display, with its files in this folder, that ends with its last program.
pub(crate) fn viewer_on(display: &str, folder: &Path, more: &[&str]) -> Guarded {
    Guarded(viewer(display, folder).arg("--once").args(more).spawn().unwrap())
}

/// A viewer on a display, with its files in this folder, to be started.
pub(crate) fn viewer(display: &str, folder: &Path) -> Command {
    let mut viewer = Command::new(env!("CARGO_BIN_EXE_afterimage-viewer"));
    viewer.arg("--directory").arg(folder.join("run")).current_dir(folder);
    viewer.env("DISPLAY", display).env_remove("WAYLAND_DISPLAY").env_remove("AFTERIMAGE_OWN_WINDOWS");
    viewer
        .env("AFTERIMAGE_STATS", folder.join("stats.json"))
        .env("AFTERIMAGE_CACHE_DIR", crate::drivers::shared(folder.join("cache")));
    viewer.stdout(Stdio::null());
    viewer
}

/// A window that the program has opened itself, as Wine does.
pub(crate) struct OwnWindow {
    pub(crate) connection: RustConnection,
    root: u32,
    pub(crate) id: u32,
}

impl OwnWindow {
    pub(crate) fn open(display: &str, width: u16, height: u16) -> Self {
        let (connection, screen) = RustConnection::connect(Some(display)).unwrap();
        let (root, black) = (connection.setup().roots[screen].root, connection.setup().roots[screen].black_pixel);
        let id = connection.generate_id().unwrap();
        let look = CreateWindowAux::new().background_pixel(black);
        let (depth, visual) = (x11rb::COPY_DEPTH_FROM_PARENT, x11rb::COPY_FROM_PARENT);
        connection
            .create_window(depth, id, root, 0, 0, width, height, 0, WindowClass::INPUT_OUTPUT, visual, &look)
            .unwrap();
        connection.map_window(id).unwrap();
        connection.sync().unwrap();
        Self { connection, root, id }
    }

    pub(crate) fn target(&self, width: u32, height: u32) -> PresentTarget {
        let window_kind = WindowKind::X11 as u32;
        PresentTarget { id: TARGET, width, height, window_kind, window: self.id.into() }
    }

    /// Whether the whole window is of a frame's colour.
    pub(crate) fn shows(&self, frame: u64) -> bool {
        let size = self.connection.get_geometry(self.id).unwrap().reply().unwrap();
        let all = (self.id, 0, 0, size.width, size.height, !0);
        let image = self.connection.get_image(ImageFormat::Z_PIXMAP, all.0, all.1, all.2, all.3, all.4, all.5);
        let image = image.unwrap().reply().unwrap();
        let [red, green, blue] = colour(frame);
        assert_eq!(image.data.len(), usize::from(size.width) * usize::from(size.height) * 4);
        image.data.chunks_exact(4).all(|pixel| pixel[..3] == [blue, green, red])
    }

    /// Titles of the display's windows.
    pub(crate) fn titles(&self) -> Vec<String> {
        use x11rb::protocol::xproto::AtomEnum;
        let windows = self.connection.query_tree(self.root).unwrap().reply().unwrap().children;
        let title = |window: u32| {
            let name = self.connection.get_property(false, window, AtomEnum::WM_NAME, AtomEnum::ANY, 0, 64).ok()?;
            String::from_utf8(name.reply().ok()?.value).ok().filter(|name| !name.is_empty())
        };
        windows.into_iter().filter_map(title).collect()
    }
}

/// Waits until something is there.
pub(crate) fn wait_for<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(start.elapsed() < PATIENCE, "{what}: not in two minutes");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Keeps a picture of a window where `AFTERIMAGE_TEST_PICTURES` says, for people and for the documentation.
pub(crate) fn keep(name: &str, (width, height, pixels): (u32, u32, Vec<[u8; 3]>)) {
    let Some(folder) = std::env::var_os("AFTERIMAGE_TEST_PICTURES") else { return };
    let file = std::fs::File::create(Path::new(&folder).join(format!("viewer-{name}.png"))).unwrap();
    let mut encoder = png::Encoder::new(std::io::BufWriter::new(file), width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.write_header().unwrap().write_image_data(pixels.as_flattened()).unwrap();
}
