//! The example in C draws what the example in Rust draws.

use crate::compile::{PACKAGE, opaque, ppm, program, succeeded};
use std::path::Path;
use std::process::Command;

#[allow(dead_code, reason = "it is a program")]
#[path = "../../../gnm/examples/gnm_embedder.rs"]
mod embedder;

#[test]
fn a_triangle_in_c_has_the_pixels_of_that_in_rust() {
    let scratch = tempfile::tempdir().expect("temporary directory");
    let Some(program) = program(scratch.path(), "examples/triangle.c") else { return };
    let picture = scratch.path().join("picture.ppm");
    succeeded(&Command::new(program).arg(&picture).output().expect("it runs"));
    let shown = embedder::shown(1).expect("the example in Rust");
    let (size, pixels) = ppm(&picture);
    assert_eq!(size, [shown.width, shown.height]);
    assert!(pixels == opaque(&shown.rgba), "the pictures differ");
    let middle = &pixels[(240 * 640 + 320) * 3..][..3];
    assert!(middle.iter().all(|channel| *channel > 30), "a triangle is there: {middle:?}");
}

#[test]
fn it_is_short_and_has_the_code_that_it_says() {
    let text = std::fs::read_to_string(Path::new(PACKAGE).join("examples/triangle.c")).expect("the example");
    assert!(text.lines().count() < 100);
    for (array, code) in [("vertex_code", embedder::VERTEX), ("pixel_code", embedder::PIXEL)] {
        let (_, rest) = text.split_once(&format!("{array}[] = {{")).expect("the array");
        let (words, _) = rest.split_once("};").expect("its end");
        let word = |word: &str| u32::from_str_radix(word.trim().trim_start_matches("0x"), 16).expect("a word");
        let words: Vec<u32> = words.split(',').map(word).collect();
        assert_eq!(words, afterimage_gnm::assemble(code).expect("it assembles"), "{array}");
    }
}
