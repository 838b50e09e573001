//! `afterimage trim` as a user meets it.

use crate::dispatches;
use crate::scene::{self, A, B, SCREEN, TIMES, UNUSED, Variant};
use afterimage_capture::Reader;
use afterimage_inspect::{CallKind, Capture};
use afterimage_stream::ObjectId;
use afterimage_stream::packets::View;
use afterimage_vulkan::{Options, Renderer, Stepper};
use std::path::Path;
use std::process::{Command, Output};
use std::time::Duration;

fn afterimage(arguments: &[&str], folder: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_afterimage"));
    command.current_dir(folder).args(arguments).env("NO_COLOR", "1").output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Trims the scene, and says what is told.
fn trimmed(arguments: &[&str]) -> (tempfile::TempDir, String, Capture) {
    let temp = tempfile::tempdir().unwrap();
    scene::capture(&temp.path().join("whole.aftercap"), Variant::Plain);
    let all = [&["trim", "whole.aftercap", "-o", "part.aftercap"], arguments].concat();
    let output = afterimage(&all, temp.path());
    assert!(output.status.success(), "{}", text(&output.stderr));
    let capture = Capture::open(&temp.path().join("part.aftercap")).unwrap();
    assert_eq!((capture.damage(), capture.rejected()), (None, 0), "{:?}", capture.problems());
    (temp, text(&output.stdout), capture)
}

fn kinds(capture: &Capture) -> String {
    let letter = |kind| match kind {
        CallKind::Draw => 'd',
        CallKind::Clear => 'c',
        CallKind::Present => 'p',
        CallKind::Dispatch => 'x',
        CallKind::Copy => 'b',
        _ => '?',
    };
    capture.calls().iter().map(|call| letter(call.kind)).collect()
}

/// When the frames of a capture began.
fn times(file: &Path) -> Vec<Duration> {
    let mut reader = Reader::open(file).unwrap();
    let mut times = Vec::new();
    while reader.next().unwrap().is_some() {
        times.extend(reader.time());
    }
    times.dedup();
    times
}

/// What a texture holds behind a call.
fn texels(file: &Path, call: u64, texture: ObjectId) -> Vec<u8> {
    let mut stepper = Stepper::open(Renderer::new(Options::from_env()).unwrap(), file).unwrap();
    stepper.run_to(call).unwrap();
    assert_eq!(stepper.errors(), 0);
    stepper.picture(View { texture, level: 0, layer: 0 }).unwrap().unwrap().rgba()
}

/// What the screen holds behind a call.
fn screen(file: &Path, call: u64) -> Vec<u8> {
    texels(file, call, SCREEN)
}

fn same_pictures(folder: &Path, frame: &str) {
    for name in ["whole", "part"] {
        let output = afterimage(&["replay", &format!("{name}.aftercap"), "-o", name], folder);
        assert!(output.status.success(), "{}", text(&output.stderr));
    }
    let name = format!("frame-{frame}.png");
    let read = |side: &str| std::fs::read(folder.join(side).join(&name)).unwrap();
    assert!(read("whole") == read("part"), "{name}");
}

#[test]
fn a_draw_keeps_what_it_needs_and_draws_the_same() {
    let (temp, said, part) = trimmed(&["--calls", "8"]);
    assert!(said.contains("1 calls asked for, and 3 that they need, of 11"), "{said}");
    // A's clear and draw; the screen's clear, and the draw itself. Frames end without a picture.
    assert_eq!(kinds(&part), "cdpcdp");
    let there = |id| part.resources().iter().any(|resource| resource.id == id);
    assert!(there(A) && there(SCREEN) && !there(B) && !there(UNUSED), "{:?}", part.resources());
    let [whole, part] = ["whole", "part"].map(|name| temp.path().join(format!("{name}.aftercap")));
    assert!(screen(&whole, 8) == screen(&part, 4));
    assert!(part.metadata().unwrap().len() * 2 < whole.metadata().unwrap().len(), "{said}");
}

#[test]
fn what_is_drawn_upon_is_needed_too_and_a_present_that_is_named_shows_it() {
    let (temp, said, part) = trimmed(&["--calls", "9,10"]);
    assert!(said.contains("2 calls asked for, and 6 that they need"), "{said}");
    assert_eq!(times(&temp.path().join("part.aftercap")), TIMES);
    // A's and B's, then the screen's: not those that draw the screen of the frame before, which a clear replaces.
    assert_eq!(kinds(&part), "cdcdpcddp");
    let [whole, part] = ["whole", "part"].map(|name| temp.path().join(format!("{name}.aftercap")));
    assert!(screen(&whole, 9) == screen(&part, 7));
    same_pictures(temp.path(), "000002");
}

#[test]
fn frames_that_need_nothing_drawn_before_are_kept_without_drawing() {
    let (temp, said, part) = trimmed(&["--frames", "1"]);
    assert!(said.contains("7 calls asked for"), "{said}");
    assert_eq!(kinds(&part), "cdcdcdp");
    assert!(!part.resources().iter().any(|resource| resource.id == UNUSED));
    same_pictures(temp.path(), "000001");
}

#[test]
fn frames_that_need_earlier_pictures_get_them_from_a_replay() {
    let (temp, said, part) = trimmed(&["--frames", "2-9"]);
    assert!(said.contains("read back from the GPU"), "{said}");
    assert_eq!(kinds(&part), "cddp");
    assert_eq!(part.frames().len(), 1);
    assert_eq!(times(&temp.path().join("part.aftercap")), [TIMES[1]], "those of the whole capture");
    same_pictures(temp.path(), "000002");
}

#[test]
fn what_cannot_be_trimmed_is_told() {
    let temp = tempfile::tempdir().unwrap();
    scene::capture(&temp.path().join("whole.aftercap"), Variant::Plain);
    for (arguments, told) in [
        (&["whole.aftercap", "-o", "p", "--calls", "99"][..], "it has 11"),
        (&["whole.aftercap", "-o", "p", "--frames", "7"], "it has 1 to 2"),
        (&["whole.aftercap", "-o", "p", "--frames", "1,7"], "such as 120 or 120-125"),
        (&["whole.aftercap", "-o", "whole.aftercap", "--frames", "1"], "written over"),
        (&["whole.aftercap", "-o", "p"], "--calls"),
        (&["none.aftercap", "-o", "p", "--calls", "1"], "none.aftercap"),
    ] {
        let output = afterimage(&[&["trim"], arguments].concat(), temp.path());
        assert!(!output.status.success());
        let said = text(&output.stderr);
        assert!(said.contains(told), "{arguments:?}: {said}");
        assert!(!temp.path().join("p").exists());
    }
}

#[test]
fn what_compute_shaders_stored_is_needed_and_what_they_read() {
    let temp = tempfile::tempdir().unwrap();
    let [whole, part] = ["whole.aftercap", "part.aftercap"].map(|name| temp.path().join(name));
    dispatches::capture(&whole);
    let model = Capture::open(&whole).unwrap();
    assert!(model.reads(1).iter().any(|access| access.id == dispatches::CHECKS), "{:?}", model.reads(1));
    let drawn = screen(&whole, 5);
    assert!(drawn.chunks_exact(4).any(|texel| texel[1] >= 29 * 8), "red has become green");
    for (call, kinds_left, last, texture) in
        [("5", "xxbcdp", 4, SCREEN), ("1", "xp", 0, dispatches::MADE), ("0", "xp", 0, dispatches::UNREAD)]
    {
        let output = afterimage(&["trim", "whole.aftercap", "-o", "part.aftercap", "--calls", call], temp.path());
        assert!(output.status.success(), "{}", text(&output.stderr));
        let trimmed = Capture::open(&part).unwrap();
        assert_eq!(trimmed.rejected(), 0, "{:?}", trimmed.problems());
        assert_eq!(kinds(&trimmed), kinds_left, "of call {call}");
        assert!(texels(&part, last, texture) == texels(&whole, call.parse().unwrap(), texture), "call {call}");
    }
}
