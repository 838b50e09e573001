//! Programs' windows: their own ones, and those that the viewer opens.

use crate::display::{Keyboard, OwnWindow, display, files, viewer_on};
use crate::program::Program;
use afterimage_stream::LinkError;
use afterimage_stream::packets::PresentTarget;
use std::time::{Duration, Instant};
use x11rb::protocol::xproto::{ConfigureWindowAux, ConnectionExt as _};
use x11rb::wrapper::ConnectionExt as _;

/// Draws a frame until it is seen: each is looked at for longer than the one before, and so for as long as this machine takes.
fn draw_until(program: &mut Program, frame: &mut u64, seen: impl Fn(u64) -> bool) {
    for looks in (10..=1000).step_by(10) {
        *frame += 1;
        program.frame(*frame).unwrap();
        for _ in 0..looks {
            if seen(*frame) {
                return;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }
    panic!("nothing happened in 100 frames");
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
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(120) {
            frame += 1;
            let result = program.frame(frame);
            if until() {
                return result;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        panic!("nothing happened in two minutes");
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
