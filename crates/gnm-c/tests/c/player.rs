//! The example in C++ plays recordings to the pixels that Rust draws: a scene of compute, depth, tiles, and pictures in pictures.

use crate::compile::{opaque, ppm, program, succeeded};
use crate::console::Console;
use crate::scene::Scene;
use afterimage_gnm::gcap::Writer;
use std::process::Command;

#[test]
fn a_scene_in_cpp_has_the_pixels_of_that_in_rust() {
    let scratch = tempfile::tempdir().expect("temporary directory");
    let Some(program) = program(scratch.path(), "examples/player.cpp") else { return };
    let mut console = Console::new().expect("a console");
    let scene = Scene::new(&mut console).expect("the scene");
    let mut pictures = Vec::new();
    for frame in 1..=3 {
        scene.draw(&mut console, frame).expect("drawn");
        let display = scene.display(frame);
        console.flip(&display, &format!("frame-{frame}"));
        pictures.push(console.gpu.picture(&display).expect("a picture"));
    }
    assert!(pictures[1].rgba != pictures[2].rgba, "it moves");
    let recording = scratch.path().join("water.gcap");
    let mut writer = Writer::new(std::fs::File::create(&recording).expect("created")).expect("begun");
    for record in console.records() {
        writer.record(&record).expect("written");
    }
    writer.finish().expect("ended");
    succeeded(&Command::new(&program).arg(&recording).arg(scratch.path()).output().expect("it runs"));
    for (frame, picture) in (1..).zip(&pictures) {
        let (size, pixels) = ppm(&scratch.path().join(format!("frame-{frame}.ppm")));
        assert_eq!(size, [picture.width, picture.height]);
        assert!(pixels == opaque(&picture.rgba), "frame {frame} differs");
    }
    // What it cannot play it says.
    std::fs::write(&recording, b"GNMCAP01SUBM\x04\0\0\0\0\0\0\0").expect("written");
    let output = Command::new(&program).arg(&recording).arg(scratch.path()).output().expect("it runs");
    assert!(!output.status.success() && String::from_utf8_lossy(&output.stderr).contains("too short"));
}
