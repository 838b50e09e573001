//! What a renderer leaves on disk: pictures, figures, caches.

use crate::common::*;
use afterimage_stream::Format;
use afterimage_stream::packets::*;
use afterimage_vulkan::{FrameSet, Options, Renderer, Wishes};
use std::path::Path;

fn options(dir: &Path) -> Options {
    Options {
        validate: true,
        cache_dir: Some(dir.join("cache")),
        wishes: Wishes {
            screenshots: Some(dir.join("pictures")),
            screenshot_frames: FrameSet::parse("2-3"),
            stats: Some(dir.join("stats.json")),
            hud_log: Some(dir.join("figures.csv")),
            ..Wishes::default()
        },
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

/// As `mangoplot` reads it: two lines, names of columns, and a line for each frame but the first.
#[test]
fn each_frame_has_a_line_in_a_log_of_figures() {
    let dir = tempfile::tempdir().unwrap();
    run(dir.path());
    let text = std::fs::read_to_string(dir.path().join("figures.csv")).unwrap();
    let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(lines.len(), 3 + 3, "{text}");
    let device = Renderer::new(Options::from_env()).unwrap().gpu().profile.name.replace(',', " ");
    let about = |name: &str| lines[1][lines[0].iter().position(|known| *known == name).expect(name)];
    assert_eq!(about("gpu"), device);
    assert!(about("ram").parse::<u64>().unwrap() > 0 && !about("driver").is_empty(), "{text}");
    let mut elapsed = 0;
    for line in &lines[3..] {
        assert_eq!(line.len(), lines[2].len());
        let value = |name: &str| -> f64 {
            line[lines[2].iter().position(|known| *known == name).expect(name)].parse().expect(name)
        };
        assert!((value("fps") * value("frametime") - 1000.0).abs() < 1.0, "{text}");
        assert!((0.0..=100.0).contains(&value("gpu_load")) && value("process_rss") > 0.0, "{text}");
        assert!(std::mem::replace(&mut elapsed, value("elapsed") as u64) < value("elapsed") as u64, "{text}");
    }
}

/// What the overlay and the log say of the GPU: it worked, and not longer than there was time.
#[test]
fn the_gpu_s_time_is_measured_where_it_is_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    let options = Options { wishes: Wishes::default(), ..options(dir.path()) };
    let mut guest = Guest::over(Renderer::new(options).unwrap());
    let begun = std::time::Instant::now();
    let screen = guest.target(Format::B8G8R8A8_UNORM, 256, 256);
    let frame = |guest: &mut Guest| {
        guest.clear(Clear::COLOR, GREEN, 1.0, 0);
        guest.present(screen);
        guest.run();
        guest.renderer.finish(&mut |_| {}).unwrap();
        guest.renderer.gpu_busy()
    };
    assert_eq!(frame(&mut guest), None, "nobody asks");
    guest.encoder.push(&Overlay { items: Overlay::GPU, ..Overlay::default() });
    let first = frame(&mut guest);
    if guest.renderer.gpu().profile.timestamp_bits == 0 {
        return assert_eq!(first, None);
    }
    // From the submission on that comes next.
    let busy = (0..70).map(|_| frame(&mut guest).unwrap()).collect::<Vec<_>>();
    assert!(busy.is_sorted() && busy[69] > busy[0], "{busy:?}");
    assert!(busy[69] < begun.elapsed(), "{busy:?}");
    guest.finish();
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
