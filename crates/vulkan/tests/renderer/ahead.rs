//! Pipelines made before a draw asks: from the last run, from the rest of the batch, specialised in the background. The
//! picture is the same whatever was foreseen.

use crate::common::*;
use afterimage_stream::Format;
use afterimage_stream::packets::*;
use afterimage_vulkan::{Options, Renderer};
use std::path::{Path, PathBuf};

const PASS: &str = "vs_2_0\ndcl_position v0\ndcl_color v1\nmov oPos, v0\nmov oD0, v1";
/// Shaders of the scene.
const COUNT: usize = 6;

fn options(dir: &Path) -> Options {
    Options { validate: true, cache_dir: Some(dir.to_owned()), ..Options::from_env() }
}

fn renderer(options: Options) -> Renderer {
    Renderer::on(gpu_of(&options), options).expect("a renderer")
}

fn guest(options: Options) -> Guest {
    Guest::over(renderer(options))
}

fn ops() -> SetPixelOps {
    SetPixelOps { alpha_compare: Compare::Always as u8, ..Default::default() }
}

/// Adds a colour of its own to red.
fn pixel(number: usize) -> String {
    let green = (number + 1) as f32 / 10.0;
    format!("ps_2_0\ndcl v0\ndef c0, 0.0, {green:.2}, 0.0, 0.0\nadd r0, v0, c0\nmov oC0, r0")
}

/// Bars side by side, each with a shader of its own; the third has alpha test, the fourth fog.
struct Scene {
    shaders: Vec<SetShaders>,
}

impl Scene {
    fn new(guest: &mut Guest, count: usize) -> Self {
        guest.target(Format::R8G8B8A8_UNORM, 16, 4);
        guest.layout();
        let vertex = guest.d3d9_shader(Stage::Vertex, PASS);
        let shader =
            |n| SetShaders { vertex, pixel: guest.d3d9_shader(Stage::Pixel, &pixel(n)), ..SetShaders::default() };
        Self { shaders: (0..count).map(shader).collect() }
    }

    fn draw(&self, guest: &mut Guest) -> Vec<[u8; 4]> {
        guest.clear(Clear::COLOR, BLACK, 1.0, 0);
        for (n, shaders) in self.shaders.iter().enumerate() {
            guest.encoder.push(shaders);
            let mut ops = SetPixelOps { fog_end: 1.0, fog_color: BLUE, alpha_ref: 0.5, ..ops() };
            match n {
                2 => ops.alpha_compare = Compare::Greater as u8,
                3 => ops.fog = FogMode::Linear as u8,
                _ => {}
            }
            guest.encoder.push(&ops);
            let left = n as f32 / 4.0 - 1.0;
            guest.draw_now(&quad([left, left + 0.25], [-1.0, 1.0], 0.5, [0.5, 0.0, 0.0, 0.9]));
        }
        guest.present(guest.pixels_target());
        let pixels = guest.pixels().pixels;
        guest.arena.rewind();
        pixels
    }
}

/// Figures: waited for, ready, known.
fn figures(guest: &Guest) -> [u32; 3] {
    ["pipelines_waited_for", "pipelines_ready", "pipelines_known"].map(|name| guest.figure(name) as u32)
}

/// A run that draws the scene twice, with time for the workers before and between.
fn run(dir: &Path) -> ([u32; 3], Vec<[u8; 4]>) {
    let mut guest = guest(options(dir));
    let scene = Scene::new(&mut guest, COUNT);
    guest.run();
    guest.renderer.finish_workers();
    let first = scene.draw(&mut guest);
    guest.renderer.finish_workers();
    assert!(scene.draw(&mut guest) == first, "other pixels with specialised pipelines");
    let figures = figures(&guest);
    guest.finish();
    (figures, first)
}

fn known_file(dir: &Path) -> PathBuf {
    let files = dir.read_dir().unwrap().map(|entry| entry.unwrap().path());
    files.into_iter().find(|path| path.to_string_lossy().contains("known-test-")).expect("the known pipelines")
}

#[test]
fn the_next_run_waits_for_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let ([_, _, known], pixels) = run(dir.path());
    assert_eq!(known, 0);
    let colors: std::collections::HashSet<_> = pixels.iter().collect();
    assert!(colors.len() > COUNT, "every bar has a colour: {colors:?}");

    let ([waited, ready, known], again) = run(dir.path());
    assert_eq!((waited, known), (0, ready));
    // One each, and those of alpha test and fog once more, specialised.
    assert!(ready as usize >= COUNT, "{ready}");
    assert!(again == pixels);

    // Without the translated shaders, what is known waits for the guest to create them.
    std::fs::remove_dir_all(dir.path().join("shaders")).unwrap();
    let ([waited, ready_now, known], again) = run(dir.path());
    assert_eq!((waited, ready_now, known), (0, ready, ready));
    assert!(again == pixels);
}

#[test]
fn damaged_known_pipelines_are_written_anew() {
    let dir = tempfile::tempdir().unwrap();
    let (_, pixels) = run(dir.path());
    let file = known_file(dir.path());
    let good = std::fs::read(&file).unwrap();
    let mut bad: Vec<Vec<u8>> = [0, 8, 16, 24, 40, 60, good.len() - 1]
        .map(|at| {
            let mut bad = good.clone();
            bad[at] ^= 0x41;
            bad
        })
        .to_vec();
    bad.extend([Vec::new(), good[..good.len() / 2].to_vec(), [&good[..], b"more"].concat()]);
    for bad in bad {
        std::fs::write(&file, &bad).unwrap();
        let ([_, _, known], again) = run(dir.path());
        assert_eq!(known, 0);
        assert!(again == pixels);
        assert!(std::fs::read(&file).unwrap() != bad, "it was not written anew");
    }
    assert_eq!(run(dir.path()).0[0], 0, "the last one is good again");
}

#[test]
fn runs_at_the_same_time_add_up() {
    let dir = tempfile::tempdir().unwrap();
    let mut guests = [guest(options(dir.path())), guest(options(dir.path()))];
    for (guest, count) in guests.iter_mut().zip([2, 1]) {
        let scene = Scene::new(guest, count);
        scene.draw(guest);
        guest.renderer.finish_workers();
    }
    guests.into_iter().for_each(Guest::finish);
    let mut guest = guest(options(dir.path()));
    let scene = Scene::new(&mut guest, 2);
    guest.run();
    guest.renderer.finish_workers();
    scene.draw(&mut guest);
    assert_eq!(figures(&guest), [0, 2, 2]);
    guest.finish();
}

#[test]
fn a_small_limit_prunes_and_does_no_harm() {
    let dir = tempfile::tempdir().unwrap();
    let (_, pixels) = run(dir.path());
    let bytes = |dir: &Path| dir.read_dir().unwrap().map(|entry| entry.unwrap().metadata().unwrap().len()).sum::<u64>();
    assert!(bytes(&dir.path().join("shaders")) > 4096);
    let renderer = renderer(Options { cache_bytes: 4096, ..options(dir.path()) });
    renderer.finish_workers();
    assert!(bytes(&dir.path().join("shaders")) <= 4096);
    let mut guest = Guest::over(renderer);
    let scene = Scene::new(&mut guest, COUNT);
    assert!(scene.draw(&mut guest) == pixels);
    guest.finish();
}

#[test]
fn the_rest_of_a_batch_is_foreseen() {
    let dir = tempfile::tempdir().unwrap();
    let mut guest = guest(options(dir.path()));
    // Shaders are created and drawn with in one batch.
    let scene = Scene::new(&mut guest, COUNT);
    let pixels = scene.draw(&mut guest);
    let [waited, ready, known] = figures(&guest);
    assert_eq!((waited + ready, known), (COUNT as u32, 0));
    assert!(waited >= 1, "the first had to wait");
    guest.finish();
    assert!(run(dir.path()).1 == pixels);
}

#[test]
fn every_alpha_test_and_fog_is_the_same_specialised() {
    let dir = tempfile::tempdir().unwrap();
    let mut guest = guest(options(dir.path()));
    guest.target(Format::R8G8B8A8_UNORM, 16, 16);
    guest.layout();
    let vertex = guest.d3d9_shader(Stage::Vertex, PASS);
    let pixel = guest.d3d9_shader(Stage::Pixel, "ps_2_0\ndcl v0\nmov oC0, v0");
    guest.encoder.push(&SetShaders { vertex, pixel, ..SetShaders::default() });
    let mut slope = full(0.5, RED);
    for vertex in &mut slope {
        vertex.color[3] = if vertex.position[0] < 0.0 { 0.0 } else { 1.0 };
    }
    let pictures = |guest: &mut Guest| {
        let mut pictures = Vec::new();
        for alpha_compare in 0..Compare::ALL.len() as u8 {
            for fog in [FogMode::None, FogMode::Exp, FogMode::Exp2, FogMode::Linear] {
                guest.clear(Clear::COLOR, GREEN, 1.0, 0);
                let (alpha_ref, fog) = (0.5, fog as u8);
                guest.encoder.push(&SetPixelOps {
                    alpha_compare,
                    alpha_ref,
                    fog,
                    fog_start: 0.3,
                    fog_end: 0.9,
                    fog_color: BLUE,
                    ..ops()
                });
                guest.draw_now(&slope);
                pictures.push(guest.pixels().pixels);
                guest.arena.rewind();
            }
        }
        pictures
    };
    let dynamic = pictures(&mut guest);
    let distinct: std::collections::HashSet<_> = dynamic.iter().collect();
    // Nothing, the left half, the right half and all of it; the latter three in four fogs.
    assert_eq!(distinct.len(), 13);
    guest.renderer.finish_workers();
    let [_, before, _] = figures(&guest);
    let special = pictures(&mut guest);
    let [_, after, _] = figures(&guest);
    // Of 32 combinations, one has neither.
    assert!(after - before <= 31 && after >= 31, "{before} and {after} were ready");
    for (n, (dynamic, special)) in dynamic.iter().zip(&special).enumerate() {
        let near = |a: &[u8; 4], b: &[u8; 4]| a.iter().zip(b).all(|(a, b)| a.abs_diff(*b) <= 1);
        assert!(dynamic.iter().zip(special).all(|(a, b)| near(a, b)), "combination {n}");
    }
    guest.finish();
}

#[test]
fn skipped_draws_come_later() {
    let dir = tempfile::tempdir().unwrap();
    let (_, pixels) = run(dir.path());
    let empty = tempfile::tempdir().unwrap();
    let mut guest = guest(Options { skip_unready: true, ..options(empty.path()) });
    let scene = Scene::new(&mut guest, COUNT);
    scene.draw(&mut guest);
    // First the shaders, then the pipelines.
    for _ in 0..3 {
        guest.renderer.finish_workers();
        scene.draw(&mut guest);
    }
    assert_eq!(guest.figure("pipelines_waited_for"), 0.0);
    assert!(scene.draw(&mut guest) == pixels);
    guest.finish();
}
