//! A program that makes shaders for as long as it runs: what is kept of them has an end.

use crate::common::*;
use afterimage_stream::Format;
use afterimage_stream::packets::*;
use afterimage_vulkan::{Options, Renderer};

const PASS: &str = "vs_2_0\ndcl_position v0\ndcl_color v1\nmov oPos, v0\nmov oD0, v1";
/// Frames that are drawn.
const FRAMES: u32 = 1600;
/// Frames from one to the next that draws with a shader that no other has.
const EVERY: u32 = 10;
/// Such shaders.
const SHADERS: u32 = FRAMES / EVERY;

/// A colour of its own for each number.
fn color(number: u32) -> [f32; 4] {
    let part = |shift: u32| (number >> shift & 15) as f32 / 15.0;
    [part(0), part(4), part(8), 1.0]
}

fn pixel(number: u32) -> String {
    let [red, green, blue, _] = color(number);
    format!("ps_2_0\ndef c0, {red:.4}, {green:.4}, {blue:.4}, 1.0\nmov oC0, c0")
}

#[test]
fn pipelines_that_nothing_draws_with_any_more_go() {
    let quick = Options { validate: false, validate_if_there: false, cache_dir: None, ..Options::from_env() };
    let options = Options { idle_pipelines: Some(32), ..quick };
    let mut guest = Guest::over(Renderer::new(options).expect("a Vulkan device: run `cargo xtask setup`"));
    let screen = guest.target(Format::R8G8B8A8_UNORM, 4, 4);
    guest.layout();
    let vertex = guest.d3d9_shader(Stage::Vertex, PASS);
    let (first, mut most) = (guest.d3d9_shader(Stage::Pixel, &pixel(0)), 0.0f64);
    for frame in 1..=FRAMES {
        // The first is drawn with again and again, but not in every frame.
        if frame % 100 == 1 {
            guest.encoder.push(&SetShaders { vertex, pixel: first, ..SetShaders::default() });
            guest.draw_now(&full(0.5, RED));
        }
        if frame % EVERY == 0 {
            let number = frame / EVERY;
            let pixel = guest.d3d9_shader(Stage::Pixel, &pixel(number));
            guest.encoder.push(&SetShaders { vertex, pixel, ..SetShaders::default() });
            guest.draw_now(&full(0.5, RED));
            if number.is_multiple_of(20) {
                assert_eq!(guest.pixels().at(1, 1), rgba(color(number)), "shader {number}");
            }
            guest.encoder.push(&Destroy { id: pixel, pad: 0 });
        }
        guest.present(screen);
        guest.run();
        guest.arena.rewind();
        most = most.max(guest.figure("pipelines_there"));
    }
    guest.renderer.finish_workers();
    assert_eq!(guest.figure("pipelines"), f64::from(SHADERS + 1), "none was made twice");
    // Those of the last 600 frames, what comes until the next look 64 frames on, and the first.
    assert!((60.0..=70.0).contains(&most), "{most} pipelines at once");
    // With those that workers came late with.
    assert!(guest.figure("shaders") <= 80.0, "{} shaders", guest.figure("shaders"));
    // What went is made again.
    let again = guest.d3d9_shader(Stage::Pixel, &pixel(5));
    guest.encoder.push(&SetShaders { vertex, pixel: again, ..SetShaders::default() });
    guest.draw_now(&full(0.5, RED));
    assert_eq!(guest.pixels().at(2, 2), rgba(color(5)));
    guest.finish();
}
