//! F10 in a window that a program opened itself, and that its own process draws into.

use crate::program::{Guarded, command, compile, replay, told};
use afterimage_capture::Reader;
use afterimage_stream::packets::Init;
use std::path::Path;
use std::time::{Duration, Instant};
use x11rb::connection::Connection;
use x11rb::protocol::xproto::{
    ConnectionExt as _, ImageFormat, InputFocus, KEY_PRESS_EVENT, KEY_RELEASE_EVENT, MapState,
};
use x11rb::protocol::xtest::ConnectionExt as _;
use x11rb::rust_connection::RustConnection;
use x11rb::wrapper::ConnectionExt as _;

const SAMPLE: &str = "scene";
const SIZE: (u16, u16) = (160, 120);
/// F10 on every keyboard that Xvfb has.
const F10: u8 = 76;

/// An X server with a screen of this size that nobody sees; `None` where Xvfb is not installed.
pub(crate) fn display(screen: &str) -> Option<(Guarded, String)> {
    afterimage_window::xvfb::server(screen).map(|(server, display)| (Guarded(server), display))
}

pub(crate) fn wait_for<T>(what: &str, look: impl Fn() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        match look() {
            Some(seen) => return seen,
            None if start.elapsed() > Duration::from_secs(120) => panic!("waited two minutes for {what}"),
            None => std::thread::sleep(Duration::from_millis(20)),
        }
    }
}

/// The window of this size, once it is on the screen.
pub(crate) fn window_of(connection: &RustConnection, root: u32, wanted: (u16, u16)) -> u32 {
    wait_for("the window", || {
        let windows = connection.query_tree(root).ok()?.reply().ok()?.children;
        let size = |window: u32| connection.get_geometry(window).ok()?.reply().map(|g| (g.width, g.height)).ok();
        let state = |window: u32| connection.get_window_attributes(window).ok()?.reply().map(|a| a.map_state).ok();
        windows.into_iter().find(|&window| size(window) == Some(wanted) && state(window) == Some(MapState::VIEWABLE))
    })
}

/// What a window shows: blue, green, red and something else of each pixel.
pub(crate) fn look(connection: &RustConnection, window: u32, (width, height): (u16, u16)) -> Vec<u8> {
    let image = connection.get_image(ImageFormat::Z_PIXMAP, window, 0, 0, width, height, !0).expect("sent");
    image.reply().expect("the window").data
}

/// Gives a window the keys.
pub(crate) fn focus(connection: &RustConnection, window: u32) {
    connection.set_input_focus(InputFocus::PARENT, window, x11rb::CURRENT_TIME).expect("sent");
    connection.sync().expect("answered");
    // It has to hear of that before it takes keys.
    std::thread::sleep(Duration::from_millis(400));
}

/// A key goes down, or comes up.
fn send(connection: &RustConnection, root: u32, kind: u8, key: u8) {
    connection.xtest_fake_input(kind, key, x11rb::CURRENT_TIME, root, 0, 0, 0).expect("sent");
    connection.sync().expect("answered");
}

/// Presses a key in the window that has the focus.
pub(crate) fn press(connection: &RustConnection, root: u32, key: u8) {
    [KEY_PRESS_EVENT, KEY_RELEASE_EVENT].into_iter().for_each(|kind| send(connection, root, kind, key));
}

/// Whether a capture is there, and written to its end.
fn is_whole(capture: &Path) -> bool {
    let Ok(mut reader) = Reader::open(capture) else { return false };
    loop {
        match reader.next() {
            Ok(Some(_)) => {}
            Ok(None) => return true,
            Err(_) => return false,
        }
    }
}

#[test]
fn f10_captures_the_next_frame_of_a_program_that_draws_itself() {
    let temp = tempfile::tempdir().expect("a folder");
    let Some(program) = compile(SAMPLE, temp.path()) else { return };
    let Some((server, display)) = display("640x480x24") else {
        return eprintln!("Xvfb is not installed: F10 is not tested");
    };
    let mut sample = command(&program, temp.path());
    sample.args(["--frames", "100000", "--window", "--width", &SIZE.0.to_string(), "--height", &SIZE.1.to_string()]);
    sample.env("DISPLAY", &display).env("SDL_VIDEODRIVER", "x11").env("AFTERIMAGE_RENDERER", "in-process");
    let sample = Guarded(sample.spawn().expect("the sample starts"));
    let (connection, screen) = RustConnection::connect(Some(&display)).expect("a display");
    let root = connection.setup().roots[screen].root;
    let window = window_of(&connection, root, SIZE);
    focus(&connection, window);
    let captures = ["scene-1.aftercap", "scene-2.aftercap"].map(|name| temp.path().join(name));
    for capture in &captures {
        // A program looks at keys once in a frame, which may take long.
        send(&connection, root, KEY_PRESS_EVENT, F10);
        wait_for("the capture", || is_whole(capture).then_some(()));
        send(&connection, root, KEY_RELEASE_EVENT, F10);
        for _ in 0..4 {
            let before = look(&connection, window, SIZE);
            wait_for("another frame", || (look(&connection, window, SIZE) != before).then_some(()));
        }
    }
    assert!(!temp.path().join("scene-3.aftercap").exists(), "a key that stays down is one wish");
    drop(sample);
    let mut shown = Vec::new();
    for capture in &captures {
        let told = told(capture);
        assert_eq!(told.guest, Some((Init::D3D9, SAMPLE.to_owned())));
        assert!(!told.code.is_empty());
        let pictures = replay(capture, 2);
        assert_eq!(pictures.len(), 1, "one frame");
        let colours: std::collections::BTreeSet<_> = pictures[0].1.chunks_exact(3).collect();
        assert!(colours.len() > 100, "{} colours", colours.len());
        shown.extend(pictures);
    }
    assert!(shown[0] < shown[1] && shown[0].1 != shown[1].1, "two frames, in their order");
    drop(server);
}
