//! The viewer as a process, with a program that clears its picture to another colour in each frame.
#![allow(missing_docs)]

#[path = "../../../../crates/vulkan/tests/common/at_work.rs"]
mod at_work;
mod display;
mod drag;
#[path = "../../../afterimage/tests/drivers/mod.rs"]
mod drivers;
mod flood;
mod hostile;
mod program;
mod shell;
mod windows;

use afterimage_stream::Link;
use program::{Program, colour};
use std::path::Path;
use std::process::{Child, Command, Stdio};

fn viewer(directory: &Path, pictures: &Path, more: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_afterimage-viewer"))
        .args(["--headless", "--once", "-o"])
        .arg(pictures)
        .args(more)
        .arg("--directory")
        .arg(directory)
        .env("AFTERIMAGE_CACHE_DIR", drivers::shared(directory.join("cache")))
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
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
            display::wait_for("the program's shared file", || hostile::shared_file(&directory, "colours"));
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

/// As every process does: the line is left out, the rest holds, and it is said once, however little is logged.
#[test]
fn a_wrong_line_of_the_configuration_is_said_and_left_out() {
    let temp = tempfile::tempdir().unwrap();
    let (file, directory) = (temp.path().join("mine.conf"), temp.path().join("run"));
    std::fs::write(&file, format!("vram = 5\ndir = {}\nlog = loud\n", directory.display())).unwrap();
    for level in ["", "off"] {
        let mut viewer = Command::new(env!("CARGO_BIN_EXE_afterimage-viewer"));
        viewer.args(["--headless", "--until-input-closes"]).stdin(Stdio::null()).env_remove("AFTERIMAGE_DIR");
        let output = viewer.env("AFTERIMAGE_CONF", &file).env("AFTERIMAGE_LOG", level).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        for wrong in ["mine.conf:1: vram: there is no such option", "mine.conf:3: log = loud: expected one of off"] {
            assert_eq!(said.matches(wrong).count(), 1, "{said}");
        }
        let told = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && told.contains(&directory.display().to_string()), "{said}{told}");
    }
}

/// Without a driver it ends at once and says what is missing.
#[test]
fn a_viewer_without_a_driver_says_so() {
    let temp = tempfile::tempdir().unwrap();
    let mut viewer = Command::new(env!("CARGO_BIN_EXE_afterimage-viewer"));
    viewer
        .args(["--headless", "--once", "--directory"])
        .arg(temp.path().join("run"))
        .env("VK_DRIVER_FILES", "/none.json");
    let output = viewer.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("there is no Vulkan driver"), "{said}");
    assert!(said.contains("VK_DRIVER_FILES=/none.json names the only one"), "{said}");
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
    display::wait_for("another viewer", || (program.link.epoch() != program.epoch).then_some(()));
    program.fresh = true;
    for frame in 100..=105 {
        program.frame(frame).unwrap();
    }
    drop(program);
    assert!(second.wait().unwrap().success());
    (100..=105).for_each(|frame| check_picture(&pictures, frame));
}

#[test]
fn a_program_that_just_ends_is_told_from_one_that_crashes_or_is_killed() {
    for (end, died) in [("exit", false), ("return", false), ("abort", true), ("fault", true), ("kill", true)] {
        let temp = tempfile::tempdir().unwrap();
        let mut viewer = Command::new(env!("CARGO_BIN_EXE_afterimage-viewer"));
        viewer.args(["--headless", "--once", "--directory"]).arg(temp.path());
        viewer
            .env("AFTERIMAGE_CACHE_DIR", drivers::shared(temp.path().join("cache")))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let viewer = viewer.spawn().unwrap();
        program::ending(temp.path(), end).wait().unwrap();
        let output = viewer.wait_with_output().unwrap();
        let [said, warned] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        assert_eq!(said.contains("colours disconnected"), !died, "{end}: {said}{warned}");
        assert_eq!(warned.contains("the program has died"), died, "{end}: {said}{warned}");
    }
}

#[test]
fn a_program_that_makes_device_after_device_has_each_drawn() {
    let temp = tempfile::tempdir().unwrap();
    let mut viewer = Command::new(env!("CARGO_BIN_EXE_afterimage-viewer"));
    viewer.args(["--headless", "--until-input-closes", "--directory"]).arg(temp.path().join("run"));
    viewer.env("AFTERIMAGE_CACHE_DIR", drivers::shared(temp.path().join("cache"))).stdin(Stdio::piped());
    let viewer = viewer.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    for _ in 0..12 {
        // The next one comes while the process of the last one is being ended.
        let mut program = Program::connect(&temp.path().join("run"));
        (1..=3).for_each(|frame| program.frame(frame).unwrap());
    }
    let output = viewer.wait_with_output().unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && !text.contains("renderer"), "{text}");
}

#[test]
fn one_that_was_started_by_need_serves_until_its_last_program_ends_also_without_a_display() {
    let temp = tempfile::tempdir().unwrap();
    let (directory, pictures) = (temp.path().join("run"), temp.path().join("pictures"));
    let mut viewer = Command::new(env!("CARGO_BIN_EXE_afterimage-viewer"));
    viewer.args(["--on-demand", "-o"]).arg(&pictures).arg("--directory").arg(&directory).stdin(Stdio::null());
    viewer
        .env("AFTERIMAGE_CACHE_DIR", drivers::shared(temp.path().join("cache")))
        .env_remove("DISPLAY")
        .env_remove("WAYLAND_DISPLAY");
    let viewer = viewer.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut first = Program::connect(&directory);
    let mut second = Program::connect(&directory);
    first.frame(1).unwrap();
    drop(first);
    (1..=3).for_each(|frame| second.frame(frame).unwrap());
    drop(second);
    let output = viewer.wait_with_output().unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && text.contains("going on without"), "{text}");
    check_picture(&pictures, 1);
    check_picture(&pictures.join("program-2"), 3);
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

#[test]
fn without_the_libraries_of_windows_it_draws_all_the_same() {
    let Some((_server, display)) = display::display() else {
        eprintln!("Xvfb is not installed: windows are not tested");
        return;
    };
    for (library, package) in [
        ("libXcursor.so.1 libXcursor.so", "libxcursor1"),
        ("libXi.so.6 libXi.so", "libxi6"),
        ("libxkbcommon-x11.so.0 libxkbcommon-x11.so", "libxkbcommon-x11-0"),
    ] {
        let temp = tempfile::tempdir().unwrap();
        let (directory, pictures, broken) =
            (temp.path().join("run"), temp.path().join("pictures"), temp.path().join("broken"));
        std::fs::create_dir(&broken).unwrap();
        library.split(' ').for_each(|name| std::fs::write(broken.join(name), "no library").unwrap());
        let mut viewer = Command::new(env!("CARGO_BIN_EXE_afterimage-viewer"));
        viewer.args(["--once", "-o"]).arg(&pictures).arg("--directory").arg(&directory);
        viewer.env("LD_LIBRARY_PATH", &broken).env("DISPLAY", &display).env_remove("WAYLAND_DISPLAY");
        viewer
            .env("AFTERIMAGE_CACHE_DIR", drivers::shared(temp.path().join("cache")))
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        let viewer = viewer.spawn().unwrap();
        let mut program = Program::connect(&directory);
        (1..=3).for_each(|frame| program.frame(frame).unwrap());
        drop(program);
        let output = viewer.wait_with_output().unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{text}");
        check_picture(&pictures, 3);
        let warnings: Vec<&str> = text.lines().filter(|line| line.contains("WARN")).collect();
        assert!(warnings.len() == 1 && warnings[0].contains(package), "{text}");
    }
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
