//! What the desk says, read from what egui would draw.

use super::*;
use crate::control::Control;
use crate::keep::{Held, Live};
use std::sync::Arc;
use std::time::{Duration, Instant};

fn desk() -> Desk {
    Desk::new(Start::default(), Notify::default(), "/run/somewhere".into())
}

fn view(number: usize, name: &str) -> View {
    View {
        number,
        name: name.into(),
        control: Arc::new(Control::new(number, name, Start::default(), Notify::default())),
    }
}

/// Every text that is shown.
fn texts(desk: &mut Desk) -> String {
    fn add(shape: &egui::Shape, out: &mut String) {
        match shape {
            egui::Shape::Text(text) => {
                out.push_str(text.galley.text());
                out.push('\n');
            }
            egui::Shape::Vec(shapes) => shapes.iter().for_each(|shape| add(shape, out)),
            _ => {}
        }
    }
    let rect = egui::Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(1280.0, 800.0));
    let mut out = String::new();
    // Panels find their sizes in the first pass.
    for _ in 0..2 {
        out.clear();
        let raw = egui::RawInput { screen_rect: Some(rect), ..egui::RawInput::default() };
        let ctx = desk.ctx.clone();
        desk.take_news();
        let mut output = ctx.run_ui(raw, |ui| desk.show(ui));
        output.textures_delta.clear();
        output.shapes.iter().for_each(|clipped| add(&clipped.shape, &mut out));
    }
    out
}

fn picture(frame: u64) -> Arc<Live> {
    Arc::new(Live { frame, size: [2, 2], rgba: vec![255; 16] })
}

/// Shows the desk until it says something.
fn wait_for(desk: &mut Desk, words: &str) -> String {
    let since = Instant::now();
    loop {
        let text = texts(desk);
        if text.contains(words) {
            return text;
        }
        assert!(since.elapsed() < Duration::from_secs(120), "no {words} in:\n{text}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn without_programs_it_says_how_to_start_one() {
    let text = texts(&mut desk());
    for part in ["No program is connected", "afterimage run --renderer viewer", "/run/somewhere", "FILE.aftercap"] {
        assert!(text.contains(part), "no {part} in:\n{text}");
    }
}

#[test]
fn the_help_has_every_key_once() {
    let mut desk = desk();
    assert!(!texts(&mut desk).contains("full screen"));
    assert_eq!(desk.key(Key::F1.into()), Act::Done);
    // It stays while the key is held.
    assert_eq!(desk.key(Press { again: true, ..Key::F1.into() }), Act::Other);
    let text = texts(&mut desk);
    KEYS.iter().for_each(|(key, what)| assert!(text.contains(key) && text.contains(what), "no {key} in:\n{text}"));
    let mut keys: Vec<&str> = KEYS.iter().map(|(key, _)| *key).collect();
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), KEYS.len());
    assert_eq!(desk.key(Key::Escape.into()), Act::Done);
    assert!(!texts(&mut desk).contains("full screen"));
    assert_eq!(desk.key(Key::Escape.into()), Act::NormalSize);
}

#[test]
fn tab_goes_through_the_programs_and_only_what_is_seen_is_watched() {
    let mut desk = desk();
    let (one, two) = (view(0, "one"), view(1, "two"));
    desk.add(one.clone());
    desk.add(two.clone());
    let watched = |desk: &Desk| {
        desk.watch(true);
        [&one, &two].map(|view| view.control.is_watched())
    };
    assert_eq!((desk.title(), watched(&desk)), ("Afterimage: one".into(), [true, false]));
    desk.key(Key::Tab.into());
    assert_eq!((desk.title(), watched(&desk)), ("Afterimage: two".into(), [false, true]));
    desk.key(Key::Tab.into());
    assert_eq!((desk.title(), watched(&desk)), ("Afterimage".into(), [true, true]));
    desk.key(Press { shift: true, ..Key::Tab.into() });
    assert_eq!(desk.title(), "Afterimage: two");
    desk.key(Key::Space.into());
    assert_eq!((one.control.is_paused(), two.control.is_paused()), (false, true));
    desk.watch(false);
    assert!(!two.control.is_watched());
}

#[test]
fn a_program_that_crashed_stays_to_be_looked_at_and_one_that_ended_goes() {
    let mut desk = desk();
    let (one, two) = (view(0, "one"), view(1, "two"));
    desk.add(one.clone());
    desk.add(two);
    one.control.status().live = Some(picture(41));
    texts(&mut desk);
    desk.remove(1, None);
    desk.remove(0, Some("the program has died".into()));
    let text = texts(&mut desk);
    assert!(text.contains("one (ended)") && !text.contains("two"), "{text}");
    assert!(text.contains("the program has died. This is frame 41"), "{text}");
    // Keys that ask it for something say why nothing happens.
    desk.key(Key::Space.into());
    assert!(texts(&mut desk).contains("; the program has ended"));
    assert!(!one.control.is_paused());
    desk.key(Key::W.into());
    assert!(texts(&mut desk).contains("No program is connected"));
}

#[test]
fn a_paused_program_stays_when_it_ends_and_one_that_was_let_go_does_not_though_nothing_was_drawn_since() {
    let mut desk = desk();
    for (number, goes_on) in [(0, true), (1, false)] {
        let one = view(number, "one");
        desk.add(one.clone());
        desk.key(Key::Space.into());
        one.control.status().held = Some(Arc::new(Held { frame: 7, bytes: Arc::new([]) }));
        assert!(texts(&mut desk).contains("Paused at frame 7"));
        if goes_on {
            desk.key(Key::Space.into());
            one.control.status().held = None;
        }
        desk.remove(number, None);
        let text = texts(&mut desk);
        assert_eq!(text.contains("No program is connected"), goes_on, "{text}");
        assert_eq!(text.contains("This is frame 7"), !goes_on, "{text}");
    }
}

#[test]
fn a_capture_that_cannot_be_read_says_why() {
    let temp = tempfile::tempdir().unwrap();
    let mut desk = desk();
    let wrong = temp.path().join("wrong.aftercap");
    std::fs::write(&wrong, b"this is no capture at all, but a text").unwrap();
    desk.open_capture(&wrong);
    let text = wait_for(&mut desk, "wrong.aftercap cannot be shown");
    assert!(text.contains("not a capture") || text.contains("no capture"), "{text}");
    desk.open_capture(&temp.path().join("missing.aftercap"));
    let text = wait_for(&mut desk, "missing.aftercap cannot be shown");
    assert!(text.contains("No such file"), "{text}");
    // The pages close from the last one on.
    desk.key(Key::W.into());
    assert!(!texts(&mut desk).contains("missing.aftercap"));
}

#[test]
fn messages_stay_until_they_are_closed() {
    let mut desk = desk();
    desk.say("program game.exe is of another version".into());
    desk.say("program game.exe is of another version".into());
    assert_eq!(texts(&mut desk).matches("another version").count(), 1);
    desk.key(Key::Escape.into());
    assert!(!texts(&mut desk).contains("another version"));
}
