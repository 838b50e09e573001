//! Which of Metal's calls come of a stream, by a device that lists them.

use crate::common::recorder::Recorder;
use crate::common::*;
use afterimage_metal_calls::Family;
use afterimage_stream::packets::*;
use afterimage_stream::{Format, ObjectId};

/// A guest with a colour and a depth target of a list of calls.
fn guest() -> (GuestOn<Recorder>, Recorder) {
    let device = Recorder::new(Family::Apple7);
    let mut guest = GuestOn::on(device.clone());
    let color = guest.target(Format::B8G8R8A8_UNORM, 16, 8);
    let depth = guest.texture(Format::D24_UNORM_S8_UINT, 16, 8, 1, CreateTexture::TARGET);
    guest.bind(color, depth);
    (guest, device)
}

/// The lines that begin with one of these.
fn lines(device: &Recorder, names: &[&str]) -> Vec<String> {
    let lines = device.take();
    lines.into_iter().filter(|line| names.iter().any(|name| line.trim_start().starts_with(name))).collect()
}

#[test]
fn clears_at_the_start_of_a_pass_are_its_load_actions() {
    let (mut guest, device) = guest();
    guest.clear(Clear::COLOR, RED, 1.0, 0);
    guest.clear(Clear::DEPTH | Clear::STENCIL, BLACK, 0.5, 7);
    guest.shaders(VERTEX, COLOR);
    guest.layout();
    guest.vertices(&full(0.5, GREEN));
    guest.draw(Topology::TriangleList, 0, 6);
    guest.draw(Topology::TriangleList, 0, 3);
    guest.run();
    guest.present(ObjectId::NONE);
    let mut expected = vec![
        "begin_render draws",
        "    color 0: texture(Texture#1), Clear([1.0, 0.0, 0.0, 1.0]), Store",
        "    depth: texture(Texture#2), Clear(0.5), Store",
        "    stencil: texture(Texture#2), Clear(7), Store",
        "draw Triangle, DrawCount { first: 0, count: 6, instances: 1, base_instance: 0 }",
        "draw Triangle, DrawCount { first: 0, count: 3, instances: 1, base_instance: 0 }",
    ];
    assert_eq!(lines(&device, &["begin_render", "color", "depth:", "stencil:", "draw"]), expected);

    // All of it goes: what was drawn is not loaded again. A part is drawn.
    guest.clear(Clear::COLOR | Clear::DEPTH | Clear::STENCIL, BLUE, 1.0, 0);
    guest.draw(Topology::TriangleList, 0, 6);
    guest.clear(Clear::DEPTH, BLUE, 1.0, 0);
    guest.run();
    expected = vec![
        "begin_render draws",
        "    color 0: texture(Texture#1), Clear([0.0, 0.0, 1.0, 1.0]), Store",
        "    depth: texture(Texture#2), Clear(1.0), Store",
        "    stencil: texture(Texture#2), Clear(0), Store",
        "draw Triangle, DrawCount { first: 0, count: 6, instances: 1, base_instance: 0 }",
        "draw Triangle, DrawCount { first: 0, count: 3, instances: 1, base_instance: 0 }",
    ];
    assert_eq!(lines(&device, &["begin_render", "color", "depth:", "stencil:", "draw"]), expected);
    guest.finish();
}

#[test]
fn a_draw_sets_what_the_encoder_does_not_have() {
    let (mut guest, device) = guest();
    guest.clear(Clear::COLOR, BLACK, 1.0, 0);
    guest.shaders(VERTEX, CONSTANT);
    guest.layout();
    guest.vertices(&full(0.5, GREEN));
    guest.draw(Topology::TriangleList, 0, 6);
    guest.run();
    device.take();
    guest.pixel_constant(0, GREEN);
    guest.draw(Topology::TriangleList, 0, 6);
    guest.run();
    let drawn = "draw Triangle, DrawCount { first: 0, count: 6, instances: 1, base_instance: 0 }";
    assert_eq!(device.take(), ["set_bytes Fragment, 0, 16 bytes", drawn]);
    guest.draw(Topology::TriangleList, 0, 6);
    guest.run();
    assert_eq!(device.take(), [drawn]);
    guest.finish();
}
