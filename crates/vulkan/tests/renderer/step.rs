//! Captures call by call: a stepper stands behind any call, whichever way it came there, and sees what was drawn.

use crate::common::*;
use afterimage_render::step::Target;
use afterimage_render::texels::Texels;
use afterimage_stream::packets::*;
use afterimage_stream::{Format, ObjectId, ObjectKind};
use std::path::Path;
use std::sync::{Arc, Mutex};

const SIZE: u32 = 16;

struct Scene {
    color: ObjectId,
    depth: ObjectId,
    many: ObjectId,
    /// Multisampled depth and stencil, cleared once.
    deep: ObjectId,
}

fn set_up(guest: &mut Guest) -> Scene {
    let color = guest.target(Format::R8G8B8A8_UNORM, SIZE, SIZE);
    let depth = guest.texture(Format::D24_UNORM_S8_UINT, SIZE, SIZE, 1, CreateTexture::TARGET);
    let many = guest.texture_with(CreateTexture {
        usage: CreateTexture::TARGET,
        samples: 4,
        ..plain(Format::R8G8B8A8_UNORM, SIZE, SIZE, 1)
    });
    guest.shaders(VERTEX, CONSTANT);
    guest.layout();
    guest.bind(color, depth);
    guest.clear(Clear::COLOR | Clear::DEPTH | Clear::STENCIL, BLACK, 1.0, 3);
    guest.bind(many, ObjectId::NONE);
    guest.clear(Clear::COLOR, BLUE, 1.0, 0);
    let deep = guest.texture_with(CreateTexture {
        usage: CreateTexture::TARGET,
        samples: 4,
        ..plain(Format::D24_UNORM_S8_UINT, SIZE, SIZE, 1)
    });
    guest.bind(ObjectId::NONE, deep);
    guest.clear(Clear::DEPTH | Clear::STENCIL, BLACK, 0.25, 7);
    guest.bind(color, depth);
    Scene { color, depth, many, deep }
}

/// A frame that adds a column to what the frames before have left: three draws and a present.
fn frame(guest: &mut Guest, scene: &Scene, n: u32) {
    let left = n as f32 / 8.0 - 1.0;
    let shade = n as f32 / 255.0;
    guest.pixel_constant(0, [shade, 1.0, 0.0, 1.0]);
    guest.draw_now(&quad([left, left + 0.125], [-1.0, 1.0], 0.5, RED));
    // The multisampled target keeps what was drawn in frames before, too.
    guest.bind(scene.many, ObjectId::NONE);
    guest.pixel_constant(0, [0.0, shade, 1.0, 1.0]);
    guest.draw_now(&quad([left, left + 0.125], [-1.0, 0.25], 0.5, RED));
    guest.bind(scene.color, scene.depth);
    guest.pixel_constant(0, [1.0, shade, 0.0, 1.0]);
    guest.draw_now(&quad([left, left + 0.125], [0.0, 1.0], 0.25, RED));
    guest.present(scene.color);
}

/// Calls of a frame.
const CALLS: u64 = 4;

pub(crate) type Pictures = Arc<Mutex<Vec<(u64, Vec<u8>)>>>;

/// The multisampled depth of the scene.
const DEEP: View = View { texture: ObjectId::new(ObjectKind::Texture, 4), level: 0, layer: 0 };

/// Draws frames and captures these; the pictures of all.
pub(crate) fn record(path: &Path, frames: std::ops::RangeInclusive<u64>, count: u32) -> Vec<(u64, Vec<u8>)> {
    let mut guest = Guest::new();
    let pictures = Pictures::default();
    let sink = Arc::clone(&pictures);
    guest.renderer.set_picture_sink(Some(Box::new(move |picture| {
        sink.lock().unwrap().push((picture.frame, picture.rgba.to_vec()));
    })));
    guest.renderer.start_capture(path, frames);
    let scene = set_up(&mut guest);
    assert_eq!(scene.deep, DEEP.texture);
    // The first frame of the guest is the one that it is set up in.
    guest.present(scene.color);
    for n in 1..=count {
        frame(&mut guest, &scene, n);
        if n % 3 == 0 {
            guest.run();
        }
    }
    guest.run();
    guest.renderer.finish(&mut |_| {}).unwrap();
    guest.finish();
    std::mem::take(&mut *pictures.lock().unwrap())
}

fn stepper(path: &Path) -> Stepper {
    let mut renderer = Guest::new().renderer;
    renderer.restart(&mut |_| {}).unwrap();
    Stepper::open(renderer, path).unwrap()
}

#[test]
fn every_call_is_reached_from_everywhere() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("test.aftercap");
    let live = record(&path, 2..=9, 8);
    let mut stepper = stepper(&path);
    stepper.keep_every(2);
    assert_eq!((stepper.calls(), stepper.next_call(), stepper.damage()), (8 * CALLS, 0, None));
    // Forward once, all of it.
    let mut seen: Vec<(u64, Texels)> = Vec::new();
    stepper.pictures(0..8 * CALLS, |call, look| seen.push((call, look.clone()))).unwrap();
    assert_eq!(seen.len() as u64, 8 * CALLS);
    for (call, look) in seen.iter().filter(|(call, _)| call % CALLS == CALLS - 1) {
        let (frame, picture) = &live[(call / CALLS) as usize + 1];
        assert!(look.rgba() == *picture, "frame {frame}");
    }
    let column = |call: u64| &seen[call as usize].1;
    assert_eq!(column(0).format, Format::R8G8B8A8_UNORM);
    assert!(column(0).rgba() != column(2).rgba(), "the third call draws over the first");
    assert!(column(2).rgba() == column(3).rgba(), "presenting draws nothing");
    // Then in any order.
    let mut at = 5;
    for _ in 0..20 {
        at = (at * 7 + 3) % (8 * CALLS);
        stepper.run_to(at).unwrap();
        assert_eq!(stepper.next_call(), at + 1);
        let view = stepper.shown().unwrap();
        let look = stepper.picture(view).unwrap().unwrap();
        assert!(look == seen[at as usize].1, "call {at}");
    }
    assert_eq!(stepper.errors(), 0);
    let error = stepper.run_to(8 * CALLS).unwrap_err().to_string();
    assert_eq!(error, "there is no call 32: the capture has 32");
}

#[test]
fn targets_of_every_kind_are_looked_at() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("test.aftercap");
    record(&path, 2..=2, 1);
    let mut stepper = stepper(&path);
    let targets = stepper.targets_after(2).unwrap();
    assert_eq!(targets.iter().map(|(target, _)| *target).collect::<Vec<_>>(), [Target::Color(0), Target::Depth]);
    let depth = stepper.picture(targets[1].1).unwrap().unwrap();
    // Depth is not tested, so it stays as it was cleared.
    assert!(depth.texels().iter().all(|texel| texel[..2] == [1.0, 3.0]), "{:?}", depth.texels()[0]);
    assert_eq!(depth.stencil_rgba().unwrap()[..4], [48, 48, 48, 255]);
    stepper.run_to(1).unwrap();
    let view = stepper.shown().unwrap();
    let many = stepper.picture(view).unwrap().unwrap();
    assert_eq!(many.rgba()[..4], [0, 0, 255, 255], "the multisampled target, outside of the draw");
    let none = View { texture: ObjectId::new(ObjectKind::Texture, 999), level: 0, layer: 0 };
    assert!(stepper.picture(none).unwrap().is_none());
    let beyond = View { level: 9, ..view };
    assert!(stepper.picture(beyond).unwrap().is_none());
}

/// What a capture begins with is what the frames before have left.
#[test]
fn captures_from_any_frame_give_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let (early, late) = (dir.path().join("early.aftercap"), dir.path().join("late.aftercap"));
    record(&early, 2..=12, 11);
    record(&late, 11..=12, 11);
    let (mut early, mut late) = (stepper(&early), stepper(&late));
    for call in 0..2 * CALLS {
        early.run_to(9 * CALLS + call).unwrap();
        late.run_to(call).unwrap();
        let (from_early, from_late) = (early.shown().unwrap(), late.shown().unwrap());
        assert_eq!(from_early, from_late);
        let (a, b) = (early.picture(from_early).unwrap().unwrap(), late.picture(from_late).unwrap().unwrap());
        assert!(a == b, "call {call} of the last frames: {:?}", a.format);
    }
    for stepper in [&mut early, &mut late] {
        let deep = stepper.picture(DEEP).unwrap().unwrap();
        assert!(deep.texels().iter().all(|t| (t[0] - 0.25).abs() < 1e-6 && t[1] == 7.0), "{:?}", deep.texels()[0]);
        assert_eq!((stepper.errors(), messages(stepper.renderer())), (0, 0));
    }
}

/// Draws have times, and what waits for an answer has none. (How long they are says nothing on a busy machine.)
#[test]
fn calls_have_times() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("times.aftercap");
    let mut guest = Guest::new();
    guest.renderer.start_capture(&path, 2..=4);
    let size = MUCH;
    let color = guest.target(Format::R8G8B8A8_UNORM, size, size);
    guest.shaders(VERTEX, CONSTANT);
    guest.layout();
    guest.present(color);
    for _ in 2..=4 {
        guest.pixel_constant(0, RED);
        guest.draw_now(&quad([-1.0, -0.99], [-1.0, -0.99], 0.5, RED));
        let everything: Vec<Vertex> = (0..64).flat_map(|_| quad([-1.0, 1.0], [-1.0, 1.0], 0.5, RED)).collect();
        guest.draw_now(&everything);
        guest.present(color);
    }
    guest.run();
    guest.finish();
    let mut stepper = stepper(&path);
    stepper.keep_every(1);
    let of = |times: &[(u64, Option<std::time::Duration>)], call: u64| {
        times.iter().find(|(number, _)| *number == call).map(|(_, time)| *time)
    };
    let all = stepper.times([5, 8, 7, 6, 3, 4, 0, 1, 2, 2]).unwrap();
    assert_eq!(all.iter().map(|(call, _)| *call).collect::<Vec<_>>(), (0..9).collect::<Vec<_>>());
    for frame in 0..3 {
        let much = of(&all, 3 * frame + 1).unwrap();
        assert!(of(&all, 3 * frame).unwrap().is_some(), "frame {frame}: {all:?}");
        assert!(
            much.is_some_and(|time| !time.is_zero()),
            "frame {frame}: {much:?} for 64 times {size} by {size} pixels"
        );
        assert_eq!(of(&all, 3 * frame + 2), Some(None), "a present");
    }
    // In the middle, with gaps, from behind it, and with nothing.
    let some = stepper.times([1, 7]).unwrap();
    assert!(some.iter().all(|(_, time)| time.is_some()), "{some:?}");
    assert_eq!(stepper.next_call(), 8);
    assert_eq!(stepper.times([]).unwrap(), []);
    assert!(stepper.times([9]).is_err());
    // Pictures are what they are without.
    let view = stepper.shown().unwrap();
    assert_eq!(stepper.picture(view).unwrap().unwrap().rgba()[..4], rgba(RED));
    assert_eq!((stepper.errors(), messages(stepper.renderer())), (0, 0));
}
