//! The viewer as a process, with a program that clears its picture to another colour in each frame.
#![allow(missing_docs)]

use afterimage_ipc::ArenaConfig;
use afterimage_ipc::shared::{Options, SharedLink};
use afterimage_stream::packets::*;
use afterimage_stream::{Encoder, Format, Link, LinkError, ObjectId, ObjectKind, Reply};
use bytemuck::Zeroable;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use x11rb::connection::Connection;
use x11rb::protocol::xproto::{
    ConfigureWindowAux, ConnectionExt as _, CreateWindowAux, ImageFormat, InputFocus, KEY_PRESS_EVENT,
    KEY_RELEASE_EVENT, WindowClass,
};
use x11rb::protocol::xtest::ConnectionExt as _;
use x11rb::rust_connection::RustConnection;
use x11rb::wrapper::ConnectionExt as _;

const TEXTURE: ObjectId = ObjectId::new(ObjectKind::Texture, 1);
const TARGET: ObjectId = ObjectId::new(ObjectKind::Target, 1);

fn viewer(directory: &Path, pictures: &Path, more: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_afterimage-viewer"))
        .args(["--headless", "--once", "-o"])
        .arg(pictures)
        .args(more)
        .arg("--directory")
        .arg(directory)
        .env("AFTERIMAGE_CACHE_DIR", directory.join("cache"))
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

struct Program {
    link: SharedLink,
    stream: Encoder,
    epoch: u32,
    fresh: bool,
    target: PresentTarget,
}

impl Program {
    fn connect(directory: &Path) -> Self {
        let mut link = SharedLink::connect(&Options {
            directory: Some(directory.to_path_buf()),
            program: "colours".into(),
            wait: Duration::from_secs(60),
            arena: ArenaConfig::default(),
        })
        .unwrap();
        let epoch = link.epoch();
        let target = PresentTarget { id: TARGET, width: 8, height: 8, window_kind: 0, window: 0 };
        Self { link, stream: Encoder::new(), epoch, fresh: true, target }
    }

    /// Everything that a new viewer has to know.
    fn create(&mut self) {
        self.stream.restart();
        let name = b"colours";
        self.stream.push_tail(&Init { version: Init::VERSION, count: name.len() as u32, process: 1, guest: 1 }, name);
        self.stream.push(&self.target);
        self.stream.push(&CreateTexture {
            id: TEXTURE,
            format: Format::B8G8R8A8_UNORM as u32,
            width: 8,
            height: 8,
            depth: 1,
            levels: 1,
            layers: 1,
            samples: 1,
            usage: CreateTexture::TARGET,
            swizzle: CreateTexture::IDENTITY,
            ..CreateTexture::zeroed()
        });
        self.fresh = false;
    }

    fn frame(&mut self, frame: u64) -> Result<(), LinkError> {
        if self.fresh {
            self.create();
        }
        self.stream.push(&BeginFrame { frame });
        let mut targets = SetRenderTargets::default();
        targets.color[0].texture = TEXTURE;
        self.stream.push(&targets);
        let color = colour(frame).map(|byte| f32::from(byte) / 255.0);
        let color = [color[0], color[1], color[2], 1.0];
        self.stream.push_tail(
            &Clear { flags: Clear::COLOR, count: 0, color, depth: 1.0, stencil: 0, stencil_keep: 0, pad: [0; 2] },
            &[],
        );
        self.stream.push(&Present { frame, target: TARGET, texture: TEXTURE, ..Present::zeroed() });
        self.link.submit(self.stream.batch())?;
        self.link.end_frame(frame)?;
        while let Some(reply) = self.link.poll() {
            assert!(!matches!(reply, Reply::Error { .. }), "{reply:?}");
        }
        Ok(())
    }
}

fn colour(frame: u64) -> [u8; 3] {
    [frame as u8, 255 - frame as u8, (frame * 7) as u8]
}

/// The picture of a frame, and whether it is of its one colour.
fn check_picture(folder: &Path, frame: u64) {
    let path = folder.join(format!("frame-{frame:06}.png"));
    let file = std::fs::File::open(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut reader = png::Decoder::new(std::io::BufReader::new(file)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    assert_eq!((info.width, info.height, info.color_type), (8, 8, png::ColorType::Rgb));
    assert!(pixels[..8 * 8 * 3].chunks_exact(3).all(|pixel| pixel == colour(frame)), "frame {frame}: {pixels:?}");
}

#[test]
fn pictures_of_a_program_that_came_first() {
    let temp = tempfile::tempdir().unwrap();
    let (directory, pictures) = (temp.path().join("run"), temp.path().join("pictures"));
    let viewer = {
        let (directory, pictures) = (directory.clone(), pictures.clone());
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(300));
            viewer(&directory, &pictures, &["--frames", "2,5-6"]).wait().unwrap()
        })
    };
    let mut program = Program::connect(&directory);
    assert!(!program.link.device().name().is_empty());
    for frame in 1..=10 {
        program.frame(frame).unwrap();
    }
    drop(program);
    assert!(viewer.join().unwrap().success());
    [2, 5, 6].into_iter().for_each(|frame| check_picture(&pictures, frame));
    assert_eq!(std::fs::read_dir(&pictures).unwrap().count(), 3);
    assert!(
        std::fs::read_dir(&directory).unwrap().all(|entry| entry
            .unwrap()
            .path()
            .extension()
            .is_none_or(|e| e != "aft"))
    );
}

#[test]
fn a_killed_viewer_costs_no_more_than_its_frames() {
    let temp = tempfile::tempdir().unwrap();
    let (directory, pictures) = (temp.path().join("run"), temp.path().join("pictures"));
    let mut first = viewer(&directory, &pictures, &[]);
    let mut program = Program::connect(&directory);
    for frame in 1..=5 {
        program.frame(frame).unwrap();
    }
    first.kill().unwrap();
    first.wait().unwrap();
    let mut lost = 6;
    while program.frame(lost) == Ok(()) {
        lost += 1;
        assert!(lost < 50, "the viewer's death was not noticed");
    }
    let mut second = viewer(&directory, &pictures, &[]);
    while program.link.epoch() == program.epoch {
        std::thread::sleep(Duration::from_millis(1));
    }
    program.fresh = true;
    for frame in 100..=105 {
        program.frame(frame).unwrap();
    }
    drop(program);
    assert!(second.wait().unwrap().success());
    (100..=105).for_each(|frame| check_picture(&pictures, frame));
}

#[test]
fn two_programs_do_not_overwrite_each_other_s_pictures() {
    let temp = tempfile::tempdir().unwrap();
    let (directory, pictures) = (temp.path().join("run"), temp.path().join("pictures"));
    let mut viewer = viewer(&directory, &pictures, &[]);
    let mut one = Program::connect(&directory);
    one.frame(1).unwrap();
    let mut two = Program::connect(&directory);
    two.frame(201).unwrap();
    one.frame(2).unwrap();
    drop(one);
    two.frame(202).unwrap();
    drop(two);
    assert!(viewer.wait().unwrap().success());
    check_picture(&pictures, 2);
    check_picture(&pictures.join("program-2"), 202);
}

/// An X server without a screen; `None` where Xvfb is not installed.
fn display() -> Option<(Child, String)> {
    use std::io::BufRead;
    let mut server = Command::new("Xvfb")
        .args(["-displayfd", "1", "-screen", "0", "640x480x24", "-nolisten", "tcp"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let mut number = String::new();
    std::io::BufReader::new(server.stdout.take()?).read_line(&mut number).ok()?;
    Some((server, format!(":{}", number.trim())))
}

/// Presses keys in a window, as a person would.
struct Keyboard {
    connection: RustConnection,
    root: u32,
}

impl Keyboard {
    const ESCAPE: u8 = 9;
    const F10: u8 = 76;
    const F12: u8 = 96;

    fn connect(display: &str) -> Self {
        let (connection, screen) = RustConnection::connect(Some(display)).unwrap();
        let root = connection.setup().roots[screen].root;
        Self { connection, root }
    }

    /// The viewer's window, which has this size.
    fn window(&self, width: u16, height: u16) -> u32 {
        let windows = self.connection.query_tree(self.root).unwrap().reply().unwrap().children;
        let size = |window: u32| self.connection.get_geometry(window).unwrap().reply().map(|g| (g.width, g.height));
        windows.into_iter().find(|&window| size(window).ok() == Some((width, height))).expect("a window of that size")
    }

    fn press(&self, window: u32, key: u8) {
        self.connection.set_input_focus(InputFocus::PARENT, window, x11rb::CURRENT_TIME).unwrap();
        self.connection.sync().unwrap();
        // The window has to hear of the focus before it takes keys.
        std::thread::sleep(Duration::from_millis(200));
        for kind in [KEY_PRESS_EVENT, KEY_RELEASE_EVENT] {
            self.connection.xtest_fake_input(kind, key, x11rb::CURRENT_TIME, self.root, 0, 0, 0).unwrap();
        }
        self.connection.sync().unwrap();
    }
}

fn files(folder: &Path, ending: &str) -> Vec<String> {
    let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.ends_with(ending)).collect()
}

/// A viewer on a display, with its files in this folder.
fn viewer_on(display: &str, folder: &Path, more: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_afterimage-viewer"))
        .args(["--once", "--directory"])
        .arg(folder.join("run"))
        .args(more)
        .current_dir(folder)
        .env("DISPLAY", display)
        .env_remove("WAYLAND_DISPLAY")
        .env_remove("AFTERIMAGE_OWN_WINDOWS")
        .env("AFTERIMAGE_STATS", folder.join("stats.json"))
        .env("AFTERIMAGE_CACHE_DIR", folder.join("cache"))
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

/// A window that the program has opened itself, as Wine does.
struct OwnWindow {
    connection: RustConnection,
    root: u32,
    id: u32,
}

impl OwnWindow {
    fn open(display: &str, width: u16, height: u16) -> Self {
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

    fn target(&self, width: u32, height: u32) -> PresentTarget {
        let window_kind = WindowKind::X11 as u32;
        PresentTarget { id: TARGET, width, height, window_kind, window: self.id.into() }
    }

    /// Whether the whole window is of a frame's colour.
    fn shows(&self, frame: u64) -> bool {
        let size = self.connection.get_geometry(self.id).unwrap().reply().unwrap();
        let all = (self.id, 0, 0, size.width, size.height, !0);
        let image = self.connection.get_image(ImageFormat::Z_PIXMAP, all.0, all.1, all.2, all.3, all.4, all.5);
        let image = image.unwrap().reply().unwrap();
        let [red, green, blue] = colour(frame);
        assert_eq!(image.data.len(), usize::from(size.width) * usize::from(size.height) * 4);
        image.data.chunks_exact(4).all(|pixel| pixel[..3] == [blue, green, red])
    }

    /// Titles of the display's windows.
    fn titles(&self) -> Vec<String> {
        use x11rb::protocol::xproto::AtomEnum;
        let windows = self.connection.query_tree(self.root).unwrap().reply().unwrap().children;
        let title = |window: u32| {
            let name = self.connection.get_property(false, window, AtomEnum::WM_NAME, AtomEnum::ANY, 0, 64).ok()?;
            String::from_utf8(name.reply().ok()?.value).ok().filter(|name| !name.is_empty())
        };
        windows.into_iter().filter_map(title).collect()
    }
}

/// Draws a frame until it is seen.
fn draw_until(program: &mut Program, frame: &mut u64, seen: impl Fn(u64) -> bool) {
    for _ in 0..500 {
        *frame += 1;
        program.frame(*frame).unwrap();
        for _ in 0..10 {
            if seen(*frame) {
                return;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }
    panic!("nothing happened in 500 frames");
}

/// The viewer's title for its window of this file's program.
const TITLE: &str = "colours - Afterimage";

#[test]
fn a_program_s_own_window_is_drawn_into() {
    let Some((mut server, display)) = display() else {
        eprintln!("Xvfb is not installed: windows are not tested");
        return;
    };
    let temp = tempfile::tempdir().unwrap();
    let mut viewer = viewer_on(&display, temp.path(), &[]);
    let window = OwnWindow::open(&display, 64, 48);
    let mut program = Program::connect(&temp.path().join("run"));
    program.target = window.target(64, 48);
    let mut frame = 0;
    draw_until(&mut program, &mut frame, |frame| window.shows(frame));
    assert!(!window.titles().contains(&TITLE.to_owned()), "{:?}", window.titles());
    window.connection.configure_window(window.id, &ConfigureWindowAux::new().width(100).height(30)).unwrap();
    draw_until(&mut program, &mut frame, |frame| window.shows(frame));
    // The program goes on without its window.
    window.connection.destroy_window(window.id).unwrap();
    window.connection.sync().unwrap();
    for _ in 0..20 {
        frame += 1;
        program.frame(frame).unwrap();
    }
    // And with another one.
    let another = OwnWindow::open(&display, 40, 40);
    program.target = another.target(40, 40);
    program.stream.push(&program.target);
    draw_until(&mut program, &mut frame, |frame| another.shows(frame));
    drop(program);
    assert!(viewer.wait().unwrap().success());
    server.kill().unwrap();
    server.wait().unwrap();
    let stats = std::fs::read_to_string(temp.path().join("stats.json")).unwrap();
    assert!(stats.contains("\"validation_messages\": 0"), "{stats}");
}

#[test]
fn the_viewer_s_window_is_there_when_the_program_s_will_not_do() {
    let Some((mut server, display)) = display() else {
        eprintln!("Xvfb is not installed: windows are not tested");
        return;
    };
    let window = OwnWindow::open(&display, 64, 48);
    let good = window.target(64, 48);
    let missing = PresentTarget { window: u64::from(window.id) + 1000, ..good };
    let no_id = PresentTarget { window: 0, ..good };
    let framed = PresentTarget { height: 40, ..good };
    for (target, more) in [(missing, &[][..]), (no_id, &[][..]), (framed, &[][..]), (good, &["--own-windows"][..])] {
        let temp = tempfile::tempdir().unwrap();
        let mut viewer = viewer_on(&display, temp.path(), more);
        let mut program = Program::connect(&temp.path().join("run"));
        program.target = target;
        draw_until(&mut program, &mut 0, |frame| {
            assert!(!window.shows(frame), "drawn into the program's window: {target:?}, {more:?}");
            window.titles().contains(&TITLE.to_owned())
        });
        drop(program);
        assert!(viewer.wait().unwrap().success());
    }
    server.kill().unwrap();
    server.wait().unwrap();
}

#[test]
fn a_window_shows_frames_and_takes_keys() {
    let Some((mut server, display)) = display() else {
        eprintln!("Xvfb is not installed: windows are not tested");
        return;
    };
    let temp = tempfile::tempdir().unwrap();
    let stats = temp.path().join("stats.json");
    let mut viewer = viewer_on(&display, temp.path(), &[]);
    let mut program = Program::connect(&temp.path().join("run"));
    let mut frame = 0;
    let mut draw = |program: &mut Program, until: &mut dyn FnMut() -> bool| {
        for _ in 0..1000 {
            frame += 1;
            let result = program.frame(frame);
            if until() {
                return result;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        panic!("nothing happened in 1000 frames");
    };
    let mut count = 0;
    draw(&mut program, &mut || {
        count += 1;
        count == 10
    })
    .unwrap();
    let keyboard = Keyboard::connect(&display);
    let window = keyboard.window(8, 8);
    keyboard.press(window, Keyboard::F12);
    draw(&mut program, &mut || files(temp.path(), ".png") != [""; 0]).unwrap();
    keyboard.press(window, Keyboard::F10);
    draw(&mut program, &mut || files(temp.path(), ".aftercap") != [""; 0]).unwrap();
    draw(&mut program, &mut || {
        // Complete once the next frame has been presented.
        std::fs::metadata(temp.path().join("colours-1.aftercap")).is_ok_and(|file| file.len() > 100)
    })
    .unwrap();
    keyboard.press(window, Keyboard::ESCAPE);
    let mut closed = false;
    while !closed {
        frame += 1;
        closed = program.frame(frame) == Err(LinkError::Lost);
    }
    drop(program);
    assert!(viewer.wait().unwrap().success());
    server.kill().unwrap();
    server.wait().unwrap();
    assert_eq!(files(temp.path(), ".png").len(), 1);
    assert_eq!(files(temp.path(), ".aftercap"), ["colours-1.aftercap"]);
    let stats = std::fs::read_to_string(stats).unwrap();
    assert!(stats.contains("\"validation_messages\": 0"), "{stats}");
}

#[test]
fn without_a_display_it_says_what_to_do() {
    let temp = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_afterimage-viewer"))
        .arg("--directory")
        .arg(temp.path())
        .env_remove("DISPLAY")
        .env_remove("WAYLAND_DISPLAY")
        .output()
        .unwrap();
    assert!(!output.status.success());
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("--headless"), "{text}");
}
