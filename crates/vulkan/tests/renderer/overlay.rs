//! What happens to a picture on its way out: gamma, and figures over it.

use crate::common::*;
use afterimage_stream::packets::*;
use afterimage_stream::{Format, ObjectId, ObjectKind};
use std::sync::{Arc, Mutex};

/// A picture as the sink gets it: width, height, pixels.
type Shown = (u32, u32, Vec<[u8; 4]>);
type Sink = Arc<Mutex<Vec<Shown>>>;

/// A guest whose presented pictures are kept.
fn watched() -> (Guest, Sink) {
    let mut guest = Guest::new();
    let sink = Sink::default();
    let kept = Arc::clone(&sink);
    guest.renderer.set_picture_sink(Some(Box::new(move |picture| {
        let pixels = picture.rgba.chunks_exact(4).map(|p| [p[0], p[1], p[2], p[3]]).collect();
        kept.lock().unwrap().push((picture.width, picture.height, pixels));
    })));
    (guest, sink)
}

/// Shows the guest's picture, which is `width` by `height` of one colour.
fn shown(guest: &mut Guest, sink: &Sink, texture: ObjectId) -> Shown {
    guest.present(texture);
    guest.run();
    guest.renderer.finish(&mut |_| {}).unwrap();
    sink.lock().unwrap().pop().expect("a picture")
}

fn target_of(_: &Guest) -> ObjectId {
    ObjectId::new(ObjectKind::Target, 1)
}

#[test]
fn gamma_changes_what_is_shown_and_not_what_was_drawn() {
    let (mut guest, sink) = watched();
    let texture = guest.target(Format::R8G8B8A8_UNORM, 33, 17);
    let drawn = [10, 100, 250, 255];
    guest.clear(Clear::COLOR, drawn.map(|c| f32::from(c) / 255.0), 1.0, 0);
    assert_eq!(shown(&mut guest, &sink, texture).2, vec![drawn; 33 * 17]);
    // Red as it is, green turned round, blue a third.
    let full = |step: u16| step * 257;
    let steps: Vec<u16> =
        (0..256).map(full).chain((0..256).map(|step| full(255 - step))).chain((0..256).map(|s| full(s / 3))).collect();
    let id = target_of(&guest);
    guest.encoder.push_tail(&SetGamma { id, count: SetGamma::STEPS as u32 }, &steps);
    for _ in 0..2 {
        let (width, height, pixels) = shown(&mut guest, &sink, texture);
        assert_eq!((width, height, pixels), (33, 17, vec![[10, 155, 83, 255]; 33 * 17]));
    }
    assert_eq!(guest.pixels().count(drawn), 33 * 17);
    guest.encoder.push_tail(&SetGamma { id, count: 0 }, &[]);
    assert_eq!(shown(&mut guest, &sink, texture).2, vec![drawn; 33 * 17]);
    guest.finish();
}

/// The pixels of a text by the font's table, row by row.
fn written(text: &str) -> Vec<Vec<bool>> {
    let font = include_str!("../../../render/src/hud/font.txt");
    let mut rows = vec![Vec::new(); 8];
    for character in text.chars() {
        let line = font.lines().find(|line| line.starts_with(character)).unwrap();
        for (row, pixels) in rows.iter_mut().zip(line[1..].split_whitespace()) {
            row.extend(pixels.bytes().map(|pixel| pixel == b'#'));
            row.push(false);
        }
    }
    rows
}

#[test]
fn figures_are_drawn_over_the_picture_where_they_are_asked_for() {
    let (mut guest, sink) = watched();
    let texture = guest.target(Format::R8G8B8A8_UNORM, 160, 40);
    guest.clear(Clear::COLOR, BLUE, 1.0, 0);
    // In windows only.
    guest.encoder.push(&Overlay { items: Overlay::VERSION, scale: 1.0, ..Overlay::default() });
    assert_eq!(shown(&mut guest, &sink, texture).2, vec![rgba(BLUE); 160 * 40]);
    // In pictures too.
    for (corner, scale) in [(Corner::TopLeft, 1), (Corner::BottomRight, 1), (Corner::TopLeft, 1)] {
        let items = Overlay::VERSION | Overlay::PICTURES;
        guest.encoder.push(&Overlay { items, scale: scale as f32, corner: corner as u8, ..Overlay::default() });
        let (width, height, pixels) = shown(&mut guest, &sink, texture);
        let text = format!("Afterimage {}", env!("CARGO_PKG_VERSION"));
        let rows = written(&text);
        let panel = [rows[0].len() as u32 + 4, 8 + 1 + 4];
        let origin = if corner == Corner::TopLeft { [2, 2] } else { [width - panel[0] - 2, height - panel[1] - 2] };
        for y in 0..height {
            for x in 0..width {
                let pixel = pixels[(y * width + x) as usize];
                let inside = |at: u32, axis: usize| at >= origin[axis] && at < origin[axis] + panel[axis];
                let letter = rows
                    .get((y.wrapping_sub(origin[1] + 2)) as usize)
                    .and_then(|row| row.get(x.wrapping_sub(origin[0] + 2) as usize))
                    .copied()
                    .unwrap_or(false);
                if letter {
                    assert_eq!(pixel, [235, 235, 235, 255], "{x} {y}");
                } else if inside(x, 0) && inside(y, 1) {
                    // Black with 150 of 255 over blue.
                    assert!((103..=107).contains(&pixel[2]) && pixel[..2] == [0, 0], "{x} {y}: {pixel:?}");
                } else {
                    assert_eq!(pixel, rgba(BLUE), "{x} {y}");
                }
            }
        }
    }
    // What was drawn is as it was; and off is off.
    assert_eq!(guest.pixels().count(rgba(BLUE)), 160 * 40);
    guest.encoder.push(&Overlay { items: Overlay::PICTURES, ..Overlay::default() });
    assert_eq!(shown(&mut guest, &sink, texture).2, vec![rgba(BLUE); 160 * 40]);
    guest.finish();
}

#[test]
fn every_figure_finds_its_place_over_gamma() {
    let (mut guest, sink) = watched();
    let texture = guest.target(Format::B8G8R8A8_UNORM, 320, 240);
    guest.clear(Clear::COLOR, BLACK, 1.0, 0);
    let steps = vec![65_535; SetGamma::STEPS];
    let id = target_of(&guest);
    guest.encoder.push_tail(&SetGamma { id, count: SetGamma::STEPS as u32 }, &steps);
    guest.encoder.push(&Overlay { items: Overlay::ALL, ..Overlay::default() });
    let mut last = None;
    for _ in 0..3 {
        last = Some(shown(&mut guest, &sink, texture));
    }
    let (.., pixels) = last.unwrap();
    let count = |color: [u8; 4]| pixels.iter().filter(|pixel| **pixel == color).count();
    // Around the panel, everything is what gamma makes of black.
    assert!(count([255; 4]) > 10_000, "{}", count([255; 4]));
    // Letters, and columns of the graph in their three colours.
    assert!(count([235, 235, 235, 255]) > 500);
    let columns = [[90, 200, 110, 255], [255, 190, 60, 255], [255, 90, 80, 255]];
    assert!(columns.into_iter().map(count).sum::<usize>() > 2);
    guest.finish();
}
