//! F10 and F12 in a window that a program opened itself, whoever draws; what is said there then; and Shift+F12, which shows figures.

use crate::program::{Guarded, command, compile, pixels, replay, told};
use afterimage_capture::Reader;
use afterimage_stream::packets::Init;
use afterimage_window::xvfb::{focus, reads};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};
use x11rb::connection::Connection;
use x11rb::protocol::xproto::{ConnectionExt as _, ImageFormat, KEY_PRESS_EVENT, KEY_RELEASE_EVENT, MapState};
use x11rb::protocol::xtest::ConnectionExt as _;
use x11rb::rust_connection::RustConnection;
use x11rb::wrapper::ConnectionExt as _;

const SAMPLE: &str = "scene";
const SIZE: (u16, u16) = (160, 120);
/// Keys on every keyboard that Xvfb has.
const F10: u8 = 76;
const F12: u8 = 96;
const SHIFT: u8 = 50;

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

/// A key goes down, or comes up.
fn send(connection: &RustConnection, root: u32, kinds: &[u8], key: u8) {
    for &kind in kinds {
        connection.xtest_fake_input(kind, key, x11rb::CURRENT_TIME, root, 0, 0, 0).expect("sent");
    }
    connection.sync().expect("answered");
}

/// Presses a key in the window that has the focus: nothing lies between down and up, or the server may repeat it.
pub(crate) fn press(connection: &RustConnection, root: u32, key: u8) {
    send(connection, root, &[KEY_PRESS_EVENT, KEY_RELEASE_EVENT], key);
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

/// Files in a folder with this ending.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|path| path.to_string_lossy().ends_with(ending));
    files.sort();
    files
}

/// The sample in a window of its own, and who draws it, both in a folder; they put every picture into `shots` there.
fn start(program: &Path, folder: &Path, display: &str, renderer: &str) -> (Guarded, Option<Guarded>) {
    let link = folder.join("link");
    let mut sample = command(program, folder);
    sample.args(["--frames", "100000", "--window", "--width", &SIZE.0.to_string(), "--height", &SIZE.1.to_string()]);
    sample.env("DISPLAY", display).env("SDL_VIDEODRIVER", "x11").env("AFTERIMAGE_RENDERER", renderer);
    sample.env("AFTERIMAGE_DIR", &link).env("AFTERIMAGE_VIEWER_WAIT_MS", "60000");
    // A tap lies between two of its frames.
    sample.env("AFTERIMAGE_FPS_LIMIT", "10").env("AFTERIMAGE_SCREENSHOTS", folder.join("shots"));
    let viewer = (renderer == "viewer").then(|| {
        let mut viewer = command(Path::new(env!("CARGO_BIN_EXE_afterimage-viewer")), folder);
        viewer.args(["--headless", "--once", "--directory"]).arg(&link).stdin(Stdio::null());
        viewer.env("AFTERIMAGE_SCREENSHOTS", folder.join("shots"));
        Guarded(viewer.spawn().expect("the viewer starts"))
    });
    (Guarded(sample.spawn().expect("the sample starts")), viewer)
}

/// F10 and F12 are tapped, as shortly as can be, and held.
fn keys_in_a_program_s_own_window(renderer: &str) {
    let temp = tempfile::tempdir().expect("a folder");
    let folder = temp.path();
    let Some(program) = compile(SAMPLE, folder) else { return };
    let Some((_server, display)) = display("640x480x24") else {
        return eprintln!("Xvfb is not installed: keys are not tested");
    };
    let mut probe = command(&program, folder);
    probe.args(["--frames", "1", "--window"]).env("DISPLAY", &display).env("SDL_VIDEODRIVER", "x11");
    let said = probe.env("AFTERIMAGE_RENDERER", "in-process").output().expect("the sample starts").stderr;
    if String::from_utf8_lossy(&said).contains("needs SDL2") {
        return eprintln!("SDL2 is not installed: keys are not tested");
    }
    let (sample, viewer) = start(&program, folder, &display, renderer);
    let (connection, screen) = RustConnection::connect(Some(&display)).expect("a display");
    let root = connection.setup().roots[screen].root;
    let window = window_of(&connection, root, SIZE);
    let frames = |more: usize| {
        let shown = || files(&folder.join("shots"), ".png").len();
        let wanted = shown() + more;
        wait_for("frames", || (shown() >= wanted).then_some(()));
    };
    // Keys are heeded from the first frame on.
    frames(2);
    focus(&connection, root, window).expect("the window answers");
    let captures =
        ["scene-1.aftercap", "scene-2.aftercap", "scene-3.aftercap", "scene-4.aftercap"].map(|name| folder.join(name));
    for (pictures, capture) in captures[..2].iter().enumerate() {
        press(&connection, root, F10);
        wait_for("the capture", || is_whole(capture).then_some(()));
        press(&connection, root, F12);
        wait_for("the picture", || (files(folder, ".png").len() > pictures).then_some(()));
    }
    // The viewer draws no native program's window.
    if renderer == "in-process" {
        let says = |text: &str| {
            let pixels = look(&connection, window, SIZE).chunks_exact(4).map(|p| [p[2], p[1], p[0]]).collect();
            reads(&(SIZE.0.into(), SIZE.1.into(), pixels), text)
        };
        let appears = |text: &str| wait_for(&format!("{text:?} on the picture"), || says(text).then_some(()));
        let goes = |text: &str| wait_for(&format!("{text:?} to go"), || (!says(text)).then_some(()));
        appears("saved scene-frame");
        goes("saved");
        press(&connection, root, F10);
        appears("saved scene-3.aftercap");
        let version = concat!("Afterimage ", env!("CARGO_PKG_VERSION"));
        for show in [true, false] {
            send(&connection, root, &[KEY_PRESS_EVENT], SHIFT);
            press(&connection, root, F12);
            send(&connection, root, &[KEY_RELEASE_EVENT], SHIFT);
            if show { appears(version) } else { goes(version) }
        }
    } else {
        press(&connection, root, F10);
        wait_for("the capture", || is_whole(&captures[2]).then_some(()));
    }
    send(&connection, root, &[KEY_PRESS_EVENT], F10);
    wait_for("the capture", || is_whole(&captures[3]).then_some(()));
    frames(4);
    send(&connection, root, &[KEY_RELEASE_EVENT], F10);
    frames(4);
    drop(sample);
    if let Some(mut viewer) = viewer {
        assert!(viewer.0.wait().expect("the viewer ends").success());
    }
    assert_eq!(files(folder, ".aftercap"), captures, "one for each time, however long");
    let kept = files(folder, ".png");
    assert_eq!(kept.len(), 2, "{kept:?}");
    for picture in kept {
        let name = picture.file_name().expect("a name").to_string_lossy().into_owned();
        let shot = folder.join("shots").join(name.strip_prefix("scene-").expect("the program's name"));
        assert!(pixels(&picture) == pixels(&shot), "{name} is not what was shown");
    }
    let mut last = 0;
    for capture in &captures {
        let told = told(capture);
        assert_eq!(told.guest, Some((Init::D3D9, SAMPLE.to_owned())));
        assert!(!told.code.is_empty());
        let pictures = replay(capture, 2);
        let [(frame, shown)] = &pictures[..] else { panic!("{} frames", pictures.len()) };
        let colours: std::collections::BTreeSet<_> = shown.chunks_exact(3).collect();
        assert!(colours.len() > 100, "{} colours", colours.len());
        let shot = folder.join("shots").join(format!("frame-{frame:06}.png"));
        assert!(*shown == pixels(&shot), "frame {frame} is not what was shown");
        assert!(std::mem::replace(&mut last, *frame) < *frame, "frames in their order");
    }
}

#[test]
fn keys_in_the_window_of_a_program_that_draws_itself() {
    keys_in_a_program_s_own_window("in-process");
}

#[test]
fn keys_in_the_window_of_a_program_that_the_viewer_draws() {
    keys_in_a_program_s_own_window("viewer");
}
