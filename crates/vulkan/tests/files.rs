//! What a renderer leaves on disk: pictures, figures, caches.

mod common;

use afterimage_stream::Format;
use afterimage_stream::packets::*;
use afterimage_vulkan::{FrameSet, Options, Renderer};
use common::*;
use std::path::Path;

fn options(dir: &Path) -> Options {
    Options {
        validate: true,
        cache_dir: Some(dir.join("cache")),
        screenshots: Some(dir.join("pictures")),
        screenshot_frames: FrameSet::parse("2-3"),
        stats: Some(dir.join("stats.json")),
        ..Options::from_env()
    }
}

/// Draws four frames, each of another colour.
fn run(dir: &Path) {
    let mut guest = Guest::over(Renderer::new(options(dir)).unwrap());
    let screen = guest.target(Format::B8G8R8A8_UNORM, 8, 4);
    guest.shaders(VERTEX, COLOR);
    guest.layout();
    for color in [RED, GREEN, BLUE, BLACK] {
        guest.clear(Clear::COLOR, BLACK, 1.0, 0);
        guest.draw_now(&quad([-1.0, 0.0], [-1.0, 1.0], 0.5, [color[0], color[1], color[2], 0.0]));
        guest.present(screen);
        guest.run();
    }
    guest.finish();
}

fn picture(path: &Path) -> (u32, u32, Vec<u8>) {
    let file = std::io::BufReader::new(std::fs::File::open(path).unwrap());
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    assert_eq!(info.color_type, png::ColorType::Rgb);
    (info.width, info.height, pixels)
}

#[test]
fn pictures_of_the_frames_asked_for_and_figures() {
    let dir = tempfile::tempdir().unwrap();
    run(dir.path());
    let mut names: Vec<_> = dir
        .path()
        .join("pictures")
        .read_dir()
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["frame-000002.png", "frame-000003.png"]);
    let (width, height, pixels) = picture(&dir.path().join("pictures/frame-000002.png"));
    assert_eq!((width, height), (8, 4));
    assert_eq!(pixels[..3], [0, 255, 0]);
    assert_eq!(pixels[7 * 3..8 * 3], [0, 0, 0]);
    let stats = std::fs::read_to_string(dir.path().join("stats.json")).unwrap();
    for part in
        ["\"program\": \"test\"", "\"frames\": 4", "\"draws\": 4", "\"skipped_draws\": 0", "\"validation_messages\": 0"]
    {
        assert!(stats.contains(part), "{part} is not in {stats}");
    }
}

#[test]
fn a_damaged_pipeline_cache_is_written_anew() {
    let dir = tempfile::tempdir().unwrap();
    run(dir.path());
    let cache = dir.path().join("cache");
    let file = cache
        .read_dir()
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.file_name().unwrap().to_string_lossy().starts_with("pipelines-"))
        .expect("the cache of pipelines");
    let good = std::fs::read(&file).unwrap();
    for bad in [b"garbage".to_vec(), good[..good.len() / 2].to_vec()] {
        std::fs::write(&file, &bad).unwrap();
        run(dir.path());
        assert!(std::fs::read(&file).unwrap().len() > bad.len(), "the file was not written anew");
    }
}
