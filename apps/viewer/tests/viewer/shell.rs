//! The viewer's own window, driven by keys and looked at.

use crate::display::{Guarded, Keyboard, display_of, files, keep, viewer, viewer_on, wait_for};
use crate::drag::drop_file;
use crate::program::{BEHIND, Drawing, colour, inner};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use x11rb::connection::Connection;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{ChangeWindowAttributesAux, ConfigureWindowAux, ConnectionExt as _, EventMask};

/// Room for the viewer's window, full screen, and below it for those of programs.
const SCREEN: &str = "1360x1100x24";
/// What is wrong is said in this colour.
const RED: [u8; 3] = [255, 128, 128];
/// Headings of the help, and of nothing else.
const HEADING: [u8; 3] = [255, 215, 0];
/// The bars of calls' times.
const BAR: [u8; 3] = [150, 90, 30];
/// Pixels that a picture has at least.
const MANY: usize = 3000;

/// Which of these frames' colours fills much of a window.
fn shown(keyboard: &Keyboard, window: u32, last: u64, colour: fn(u64) -> [u8; 3]) -> Option<u64> {
    let (_, _, pixels) = keyboard.picture(window);
    let mut counts = std::collections::HashMap::new();
    pixels.iter().for_each(|pixel| *counts.entry(*pixel).or_insert(0) += 1);
    (1..=last).rev().find(|&frame| counts.get(&colour(frame)).is_some_and(|&count| count > MANY))
}

/// Waits for a program's window, and puts it below the viewer's.
fn window_of(keyboard: &Keyboard, program: &str, x: i32) -> u32 {
    let title = format!("{program} - Afterimage");
    let window = wait_for("the program's window", || keyboard.titled(&title));
    keyboard.move_to(window, x, 850);
    window
}

/// The number of the frame that a program is paused at, in the title of the viewer's window.
fn held_frame(title: &str) -> u64 {
    title.split_once("frame ").and_then(|(_, rest)| rest.split_once(',')?.0.parse().ok()).unwrap()
}

/// The session's folder, once there is one.
fn session(folder: &Path) -> Option<PathBuf> {
    let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    names.into_iter().find(|path| path.file_name().unwrap().to_string_lossy().starts_with("afterimage-session-"))
}

fn no_validation_messages(folder: &Path) {
    let stats = std::fs::read_to_string(folder.join("stats.json")).unwrap();
    assert!(stats.contains("\"validation_messages\": 0"), "{stats}");
}

#[test]
fn a_program_is_paused_stepped_and_dumped() {
    let Some((_server, display)) = display_of(SCREEN) else {
        eprintln!("Xvfb is not installed: windows are not tested");
        return;
    };
    let temp = tempfile::tempdir().unwrap();
    let mut viewer = viewer_on(&display, temp.path(), &["--shell"]);
    let program = Drawing::start(&temp.path().join("run"));
    let keyboard = Keyboard::connect(&display);
    let shell = wait_for("the viewer's window", || keyboard.titled("Afterimage"));
    wait_for("frames", || (program.frame() > 20).then_some(()));
    window_of(&keyboard, "colours", 0);
    let shown = |last: u64| shown(&keyboard, shell, last, colour);
    let live = wait_for("a live picture", || shown(program.frame()));
    wait_for("a newer live picture", || shown(program.frame()).filter(|&frame| frame > live));
    keyboard.press(shell, Keyboard::SPACE);
    keyboard.wait_for_title(shell, "call 2 of 5: Draw");
    let held = held_frame(&keyboard.title(shell));
    wait_for("the paused frame", || shown(held).filter(|&frame| frame == held));
    wait_for("the times of calls", || (keyboard.count(shell, BAR) > 100).then_some(()));
    keyboard.press(shell, Keyboard::N);
    let next = held + 1;
    wait_for("the next frame", || shown(next + 2).filter(|&frame| frame == next));
    keyboard.wait_for_title(shell, &format!("colours, frame {next}, call 2 of 5: Draw"));

    // A dump: every draw's state in words, and what the draws read, uploaded or rendered.
    keyboard.press(shell, Keyboard::D);
    let session = wait_for("the session's folder", || session(temp.path()));
    let name = format!("colours_frame_dump_{next:04}");
    let text = wait_for("the dump", || std::fs::read_to_string(session.join(format!("{name}.txt"))).ok());
    for part in ["(draw 0): Draw", "(draw 1): Draw", "TriangleList", "R8G8B8A8_UNORM", "raster.", "Present"] {
        assert!(text.contains(part), "no {part} in:\n{text}");
    }
    let texels = |size: &str, [red, green, blue]: [u8; 3], count: usize| {
        let files: Vec<String> = files(&session, ".raw").into_iter().filter(|file| file.contains(size)).collect();
        assert_eq!(files.len(), 1, "{files:?}");
        assert_eq!(std::fs::read(session.join(&files[0])).unwrap(), [red, green, blue, 255].repeat(count));
        let picture = files[0].replace(".raw", ".png");
        assert!(text.contains(&files[0]) && text.contains(&picture), "no {picture} in:\n{text}");
        assert_eq!(png(&session.join(picture)), (count, [red, green, blue]));
    };
    texels("_2x2_", colour(next), 4);
    texels("_4x4_", inner(next), 16);
    assert!(text.contains(&format!("{name}_shown_at_call_4.png")), "{text}");
    assert!(session.join("runtime.log").exists());

    // Calls and their pictures.
    keyboard.press(shell, Keyboard::UP);
    keyboard.wait_for_title(shell, "call 1 of 5: Clear");
    wait_for("what the clear has done", || (keyboard.count(shell, BEHIND) > MANY).then_some(()));
    assert_eq!(shown(next), None, "the draw has not been done there");
    keyboard.press(shell, Keyboard::END);
    keyboard.wait_for_title(shell, "call 4 of 5: Present");
    wait_for("what is presented", || shown(next));
    wait_for("the corner", || (keyboard.count(shell, inner(next)) > 500).then_some(()));
    // What is looked for is typed, and does nothing else: D would dump, W close.
    keyboard.press(shell, Keyboard::SLASH);
    [Keyboard::D, Keyboard::R, Keyboard::A, Keyboard::W].into_iter().for_each(|key| keyboard.press(shell, key));
    keyboard.press(shell, Keyboard::UP);
    keyboard.wait_for_title(shell, "call 3 of 5: Draw");
    keyboard.press(shell, Keyboard::UP);
    keyboard.wait_for_title(shell, "call 2 of 5: Draw");
    keyboard.press(shell, Keyboard::UP);
    keyboard.press(shell, Keyboard::ESCAPE);
    keyboard.press(shell, Keyboard::F12);
    wait_for("the picture", || (!files(temp.path(), ".png").is_empty()).then_some(()));
    keyboard.wait_for_title(shell, "call 2 of 5: Draw");
    assert_eq!(files(&session, ".txt").len(), 1);
    assert_eq!(files(temp.path(), ".png"), [format!("colours-frame-{next:06}.png")]);
    keyboard.press(shell, Keyboard::F10);
    wait_for("the capture", || (!files(temp.path(), ".aftercap").is_empty()).then_some(()));
    keep("paused", keyboard.picture(shell));

    // The help lies over it, and goes. It is known by its headings: what is said of the capture moves all else, whenever that comes.
    assert_eq!(keyboard.count(shell, HEADING), 0);
    keyboard.press(shell, Keyboard::F1);
    wait_for("the help", || (keyboard.count(shell, HEADING) > 50).then_some(()));
    keep("help", keyboard.picture(shell));
    keyboard.press(shell, Keyboard::F1);
    wait_for("the help to go", || (keyboard.count(shell, HEADING) == 0).then_some(()));
    keyboard.press(shell, Keyboard::SPACE);
    wait_for("the program to go on", || (program.frame() > next + 20).then_some(()));
    program.end();
    assert!(viewer.wait().unwrap().success());
    no_validation_messages(temp.path());
}

/// How many pixels a picture has, and the colour of the first.
fn png(path: &Path) -> (usize, [u8; 3]) {
    let file = std::io::BufReader::new(std::fs::File::open(path).unwrap());
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    assert_eq!(info.color_type, png::ColorType::Rgba);
    ((info.width * info.height) as usize, [pixels[0], pixels[1], pixels[2]])
}

#[test]
fn a_program_killed_while_paused_stays_to_be_looked_at() {
    let Some((_server, display)) = display_of(SCREEN) else {
        eprintln!("Xvfb is not installed: windows are not tested");
        return;
    };
    let temp = tempfile::tempdir().unwrap();
    let mut viewer = Guarded(viewer(&display, temp.path()).spawn().unwrap());
    let mut program = Guarded(Drawing::process(&temp.path().join("run")));
    let keyboard = Keyboard::connect(&display);
    let shell = wait_for("the viewer's window", || keyboard.titled("Afterimage"));
    keyboard.wait_for_title(shell, "Afterimage: colours");
    window_of(&keyboard, "colours", 0);
    wait_for("a live picture", || shown(&keyboard, shell, 255, colour));
    keyboard.press(shell, Keyboard::SPACE);
    keyboard.wait_for_title(shell, "call 2 of 5: Draw");
    let held = held_frame(&keyboard.title(shell));
    let sees_it = || (keyboard.count(shell, colour(held)) > MANY).then_some(());
    wait_for("the paused frame", sees_it);
    wait_for("nothing wrong", || (keyboard.count(shell, RED) == 0).then_some(()));
    program.kill().unwrap();
    program.wait().unwrap();
    // Nobody has pressed a key.
    keyboard.wait_for_title(shell, "colours, ended while paused");
    wait_for("words about it", || (keyboard.count(shell, RED) > 50).then_some(()));
    wait_for("its picture, which stays", sees_it);
    keyboard.press(shell, Keyboard::UP);
    wait_for("the call before", || (keyboard.count(shell, BEHIND) > MANY).then_some(()));
    keyboard.press(shell, Keyboard::F10);
    wait_for("the capture", || (!files(temp.path(), ".aftercap").is_empty()).then_some(()));
    keep("died", keyboard.picture(shell));
    // Let go, it leaves its page, until that is closed.
    keyboard.press(shell, Keyboard::SPACE);
    keyboard.wait_for_title(shell, "colours (ended)");
    wait_for("its last picture", || shown(&keyboard, shell, 255, colour));
    keyboard.press(shell, Keyboard::W);
    wait_for("the page to close", || (keyboard.title(shell) == "Afterimage").then_some(()));
    wait_for("nothing wrong", || (keyboard.count(shell, RED) == 0).then_some(()));
    keep("empty", keyboard.picture(shell));
    keyboard.press_with_control(shell, Keyboard::Q);
    assert!(viewer.wait().unwrap().success());
    no_validation_messages(temp.path());
}

/// A capture of the frames 5 to 8 of a program.
fn capture(folder: &Path) -> PathBuf {
    let file = folder.join("good.aftercap");
    let mut viewer = viewer("", folder);
    viewer.args(["--headless", "--once"]);
    viewer.env("AFTERIMAGE_CAPTURE_FRAMES", "5-8").env("AFTERIMAGE_CAPTURE_FILE", &file);
    let mut viewer = Guarded(viewer.spawn().unwrap());
    let program = Drawing::start(&folder.join("run"));
    wait_for("frames", || (program.frame() > 10).then_some(()));
    program.end();
    assert!(viewer.wait().unwrap().success());
    file
}

#[test]
fn captures_are_opened_by_argument_and_by_dropping_them() {
    let Some((_server, display)) = display_of(SCREEN) else {
        eprintln!("Xvfb is not installed: windows are not tested");
        return;
    };
    let temp = tempfile::tempdir().unwrap();
    let good = capture(temp.path());
    // One with a hole in its third frame, and one that is none.
    let mut bytes = std::fs::read(&good).unwrap();
    let frames: Vec<usize> = (0..bytes.len() - 4).filter(|&at| bytes[at..].starts_with(b"FRAM")).collect();
    assert_eq!(frames.len(), 4, "a chunk a frame");
    bytes[frames[2] + 40] ^= 0x55;
    std::fs::write(temp.path().join("damaged.aftercap"), bytes).unwrap();
    std::fs::write(temp.path().join("wrong.aftercap"), "a text that somebody renamed").unwrap();
    let mut viewer =
        Guarded(viewer(&display, temp.path()).args(["damaged.aftercap", "wrong.aftercap"]).spawn().unwrap());
    let keyboard = Keyboard::connect(&display);
    let shell = wait_for("the viewer's window", || keyboard.titled("Afterimage"));
    keyboard.wait_for_title(shell, "Afterimage: wrong.aftercap");
    wait_for("what is wrong", || (keyboard.count(shell, RED) > 20).then_some(()));
    keep("wrong", keyboard.picture(shell));
    keyboard.press(shell, Keyboard::W);
    keyboard.press(shell, Keyboard::TAB);
    keyboard.wait_for_title(shell, "Afterimage: damaged.aftercap, call 2 of 15: Draw");
    wait_for("what is damaged", || (keyboard.count(shell, RED) > 20).then_some(()));
    wait_for("what is intact before", || (keyboard.count(shell, colour(5)) > MANY).then_some(()));
    keyboard.press(shell, Keyboard::END);
    wait_for("what is intact behind", || (keyboard.count(shell, colour(8)) > MANY).then_some(()));
    keep("damaged", keyboard.picture(shell));
    keyboard.press(shell, Keyboard::W);

    drop_file(&display, shell, &good);
    keyboard.wait_for_title(shell, "Afterimage: good.aftercap, call 2 of 20: Draw");
    wait_for("its draw", || (keyboard.count(shell, colour(5)) > MANY).then_some(()));
    wait_for("nothing wrong", || (keyboard.count(shell, RED) == 0).then_some(()));
    keyboard.press(shell, Keyboard::HOME);
    wait_for("the texture that is cleared", || (keyboard.count(shell, inner(5)) > 900).then_some(()));
    // Its picture and its frame are kept as a program's are, though it is yet to be drawn.
    keyboard.press(shell, Keyboard::DOWN);
    keyboard.press(shell, Keyboard::F12);
    wait_for("the picture", || (files(temp.path(), ".png") == ["good.aftercap-call-000001.png"]).then_some(()));
    wait_for("the picture that is cleared", || (keyboard.count(shell, BEHIND) > MANY).then_some(()));
    keyboard.press(shell, Keyboard::D);
    let session = wait_for("the session's folder", || session(temp.path()));
    wait_for("the dump", || (files(&session, ".txt") == ["good.aftercap_frame_dump_0005.txt"]).then_some(()));
    assert_eq!(files(&session, ".raw").len(), 2);
    keep("capture", keyboard.picture(shell));
    keyboard.press_with_control(shell, Keyboard::Q);
    assert!(viewer.wait().unwrap().success());
}

/// Replays have threads of their own, and drivers crash that `exit` takes down while they draw.
#[test]
fn the_viewer_ends_while_it_replays() {
    let Some((_server, display)) = display_of(SCREEN) else {
        eprintln!("Xvfb is not installed: windows are not tested");
        return;
    };
    let temp = tempfile::tempdir().unwrap();
    capture(temp.path());
    let keyboard = Keyboard::connect(&display);
    for times in 0..5 {
        let mut viewer = Guarded(viewer(&display, temp.path()).arg("good.aftercap").spawn().unwrap());
        let shell = wait_for("the viewer's window", || keyboard.titled("Afterimage"));
        keyboard.press_with_control(shell, Keyboard::Q);
        let status = viewer.wait().unwrap();
        assert!(status.success(), "{status}, after {times} times");
    }
}

/// A program that was made with another version of the shared file waits in the directory: its thread, which ends when it is told so.
fn old_program(directory: &Path) -> std::thread::JoinHandle<bool> {
    let link = afterimage_ipc::shared::Options {
        directory: Some(directory.to_owned()),
        program: "old game".into(),
        wait: Duration::from_secs(120),
        arena: afterimage_ipc::ArenaConfig::default(),
    };
    let waits = std::thread::spawn(move || afterimage_ipc::shared::SharedLink::connect(&link).is_err());
    let file = wait_for("the program's file", || {
        let entries = std::fs::read_dir(directory).ok()?;
        let path =
            entries.map(|entry| entry.unwrap().path()).find(|path| path.extension().is_some_and(|e| e == "aft"))?;
        std::fs::read(&path).ok().filter(|bytes| bytes.len() > 300 && bytes[..8] != [0; 8]).map(|_| path)
    });
    let file = std::fs::File::options().write(true).open(file).unwrap();
    // The version is behind the magic.
    std::os::unix::fs::FileExt::write_all_at(&file, &99u32.to_le_bytes(), 8).unwrap();
    waits
}

/// The colours of another program.
fn other(frame: u64) -> [u8; 3] {
    let [a, b, c] = colour(frame);
    [c, a, b]
}

#[test]
fn two_programs_figures_full_screen_and_another_version() {
    let Some((_server, display)) = display_of(SCREEN) else {
        eprintln!("Xvfb is not installed: windows are not tested");
        return;
    };
    let temp = tempfile::tempdir().unwrap();
    let directory = temp.path().join("run");
    let old = old_program(&directory);
    let log = temp.path().join("log");
    let log_file = std::fs::File::create(&log).unwrap();
    let mut viewer = viewer(&display, temp.path());
    viewer.args(["--once", "--shell", "--own-windows"]).stderr(Stdio::from(log_file));
    let mut viewer = Guarded(viewer.spawn().unwrap());
    let keyboard = Keyboard::connect(&display);
    let shell = wait_for("the viewer's window", || keyboard.titled("Afterimage"));

    // It says in words what is wrong with the old one, until that is closed.
    assert!(old.join().unwrap(), "the program is told");
    wait_for("what is wrong", || (keyboard.count(shell, RED) > 20).then_some(()));
    keep("version", keyboard.picture(shell));
    let said = std::fs::read_to_string(&log).unwrap();
    assert!(said.contains("old game was started with layout version 99"), "{said}");
    keyboard.press(shell, Keyboard::ESCAPE);
    wait_for("the message to go", || (keyboard.count(shell, RED) == 0).then_some(()));

    // Two programs, each on its page and both on one.
    let one = Drawing::start(&directory);
    keyboard.wait_for_title(shell, "Afterimage: colours");
    let window = window_of(&keyboard, "colours", 0);
    let two = Drawing::named(&directory, "others", other);
    window_of(&keyboard, "others", 400);
    let frames = || one.frame().max(two.frame());
    let sees = |colour| shown(&keyboard, shell, frames(), colour).is_some();
    wait_for("the first", || (sees(colour) && !sees(other)).then_some(()));
    keyboard.press(shell, Keyboard::TAB);
    keyboard.wait_for_title(shell, "Afterimage: others");
    wait_for("the second", || (sees(other) && !sees(colour)).then_some(()));
    keyboard.press(shell, Keyboard::TAB);
    wait_for("both", || (sees(colour) && sees(other)).then_some(()));
    keep("two", keyboard.picture(shell));

    // Figures in the program's window: there are none, there are, there are none.
    keyboard.press(shell, Keyboard::TAB);
    keyboard.wait_for_title(shell, "Afterimage: colours");
    // They begin at the upper left, as the square in another colour does, and are longer than it is high.
    let figures = || {
        let (width, _, pixels) = keyboard.picture(window);
        let below = || pixels.chunks_exact(width as usize).skip(75).flatten();
        let first = below().next()?;
        (*first != [0; 3]).then(|| below().filter(|pixel| *pixel != first).count() > 100)
    };
    wait_for("no figures", || figures().filter(|there| !there));
    keyboard.press(shell, Keyboard::O);
    wait_for("figures", || figures().filter(|there| *there));
    keep("figures", keyboard.picture(window));
    keyboard.press(shell, Keyboard::O);
    wait_for("no figures any more", || figures().filter(|there| !there));

    full_screen(&keyboard, shell);
    wait_for("a picture in all of the window", || {
        let (width, height, pixels) = keyboard.picture(shell);
        let corner = *pixels.last()?;
        ((width, height) == (1360, 840) && corner != [0; 3]).then_some(())
    });
    wait_for("the program in it", || sees(colour).then_some(()));
    one.end();
    two.end();
    assert!(viewer.wait().unwrap().success());
    no_validation_messages(temp.path());
}

/// Presses F11, and does what a window manager does then.
fn full_screen(keyboard: &Keyboard, shell: u32) {
    let connection = &keyboard.connection;
    let atom = |name: &str| connection.intern_atom(false, name.as_bytes()).unwrap().reply().unwrap().atom;
    let (state, full) = (atom("_NET_WM_STATE"), atom("_NET_WM_STATE_FULLSCREEN"));
    let events = ChangeWindowAttributesAux::new().event_mask(EventMask::SUBSTRUCTURE_NOTIFY);
    connection.change_window_attributes(keyboard.root, &events).unwrap();
    keyboard.press(shell, Keyboard::F11);
    wait_for("the wish for the full screen", || match connection.poll_for_event().unwrap() {
        Some(Event::ClientMessage(message)) => {
            let data = message.data.as_data32();
            (message.window == shell && message.type_ == state && data[0] == 1 && data[1] == full).then_some(())
        }
        _ => None,
    });
    let size = ConfigureWindowAux::new().x(0).y(0).width(1360).height(840);
    connection.configure_window(shell, &size).unwrap();
    connection.flush().unwrap();
}
