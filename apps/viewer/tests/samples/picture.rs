//! The documentation's picture of the viewer: the teapot's last draw. `AFTERIMAGE_BLESS=1` writes it.

use crate::key::{self, display, press, wait_for, window_of};
use crate::metal::has_clang;
use crate::program::{Guarded, command, compile};
use afterimage_window::xvfb::focus;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};
use x11rb::connection::Connection;
use x11rb::protocol::xproto::{AtomEnum, ConnectionExt as _};
use x11rb::rust_connection::RustConnection;

/// Of the viewer's window.
const SIZE: (u16, u16) = (1280, 800);
/// The keys that go to the last call, and from there to the one before.
const END: u8 = 115;
const UP: u8 = 111;

/// How long the window may take until it is as it should be, on a machine that has other things to do.
const PATIENCE: Duration = Duration::from_secs(60);

/// Red, green and blue of each pixel.
type Pixels = Vec<u8>;

fn look(connection: &RustConnection, window: u32) -> Pixels {
    let data = key::look(connection, window, SIZE);
    data.chunks_exact(4).flat_map(|pixel| [pixel[2], pixel[1], pixel[0]]).collect()
}

fn read(file: &Path) -> Pixels {
    let open = std::fs::File::open(file);
    let open = open.unwrap_or_else(|error| panic!("{}: {error}: AFTERIMAGE_BLESS=1 writes it", file.display()));
    let mut reader = png::Decoder::new(std::io::BufReader::new(open)).read_info().expect("a picture");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
    let info = reader.next_frame(&mut pixels).expect("pixels");
    assert_eq!((info.width, info.height, info.color_type), (SIZE.0.into(), SIZE.1.into(), png::ColorType::Rgb));
    pixels
}

fn write(file: &Path, pixels: &[u8]) {
    let out = std::io::BufWriter::new(std::fs::File::create(file).expect("a file"));
    let mut encoder = png::Encoder::new(out, SIZE.0.into(), SIZE.1.into());
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_compression(png::Compression::High);
    encoder.write_header().and_then(|mut writer| writer.write_image_data(pixels)).expect("a picture");
}

#[test]
fn the_documentation_shows_the_viewer_as_it_is() {
    shows("vulkan");
}

/// Whatever the renderer is that steps through the capture.
#[test]
fn the_viewer_looks_the_same_with_metal() {
    if has_clang() {
        shows("metal-soft");
    }
}

fn shows(graphics: &str) {
    let temp = tempfile::tempdir().expect("a folder");
    let Some(program) = compile("teapot", temp.path()) else { return };
    let Some((_server, display)) = display("1280x800x24") else {
        return eprintln!("Xvfb is not installed: the picture of the viewer is not tested");
    };
    let capture = temp.path().join("teapot.aftercap");
    let mut sample = command(&program, temp.path());
    sample.args(["--frames", "32", "--width", "480", "--height", "360"]).env("AFTERIMAGE_RENDERER", "in-process");
    sample.env("AFTERIMAGE_CAPTURE_FILE", &capture).env("AFTERIMAGE_CAPTURE_FRAMES", "30");
    assert!(sample.status().expect("the sample starts").success());
    let mut viewer = command(Path::new(env!("CARGO_BIN_EXE_afterimage-viewer")), temp.path());
    viewer.arg("teapot.aftercap").arg("--directory").arg(temp.path().join("link"));
    viewer.env("AFTERIMAGE_GRAPHICS", graphics).env("DISPLAY", &display);
    let _viewer = Guarded(viewer.stdin(Stdio::null()).spawn().expect("the viewer starts"));
    let (connection, screen) = RustConnection::connect(Some(&display)).expect("a display");
    let root = connection.setup().roots[screen].root;
    let window = window_of(&connection, root, SIZE);
    let titled = |words: &str| {
        let name = connection.get_property(false, window, AtomEnum::WM_NAME, AtomEnum::ANY, 0, 256).expect("sent");
        String::from_utf8_lossy(&name.reply().expect("the window").value).contains(words)
    };
    // The picture lies between the panels; nothing else there has as many colours.
    let drawn = || {
        let pixels = look(&connection, window);
        let rows = pixels.chunks_exact(usize::from(SIZE.0) * 3).flat_map(|row| row[310 * 3..790 * 3].chunks_exact(3));
        let colours: std::collections::BTreeSet<_> = rows.collect();
        (colours.len() > 500).then_some(())
    };
    wait_for("the first draw", || titled(": Draw").then_some(()));
    focus(&connection, root, window).expect("the window answers");
    press(&connection, root, END);
    wait_for("the end of the frame", || titled(": Present").then_some(()));
    press(&connection, root, UP);
    wait_for("the last draw", || titled(": Draw").then_some(()));
    wait_for("the teapot", drawn);
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/images/viewer.png");
    if graphics == "vulkan" && std::env::var_os("AFTERIMAGE_BLESS").is_some_and(|value| value == "1") {
        // Nothing comes any more: neither pictures nor times. That is no event, so the window is to stay as it is for a while.
        let pixels = wait_for("the end of all changes", || {
            let before = look(&connection, window);
            std::thread::sleep(Duration::from_secs(2));
            (look(&connection, window) == before).then_some(before)
        });
        write(&place, &pixels);
    }
    // Pictures and times come one by one, and nothing says which is the last: a machine that is busy may leave the window as it
    // is for seconds in between. Times are others on each machine, and with them the length of bars.
    let blessed = read(&place);
    let far = |(a, b): &(&u8, &u8)| a.abs_diff(**b) > 48;
    let different = |pixels: &Pixels| pixels.iter().zip(&blessed).filter(far).count();
    let start = Instant::now();
    let mut pixels = look(&connection, window);
    while different(&pixels) * 15 >= pixels.len() && start.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_millis(100));
        pixels = look(&connection, window);
    }
    let different = different(&pixels);
    if different * 15 >= pixels.len() {
        let seen = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("viewer-{graphics}.png"));
        write(&seen, &pixels);
        let (all, seen) = (pixels.len(), seen.display());
        panic!("{different} of {all} values are others, {seen}: AFTERIMAGE_BLESS=1 writes {} anew", place.display());
    }
}
