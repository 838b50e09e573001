//! A viewer that draws with Metal, as on a Mac: pictures, captures, what is kept by key, and the inspector, with the software Metal.

use crate::program::{Guarded, Pictures, command, compile, replay, told, written};
use afterimage_capture::Reader;
use afterimage_stream::packets::Init;
use std::path::Path;
use std::process::Stdio;

const SAMPLE: &str = "targets";
/// Frames that are drawn, and the last ones of them, which are captured.
const FRAMES: &str = "4";
const LAST: &str = "3-4";
const SIZE: [&str; 4] = ["--width", "96", "--height", "64"];

/// Whether there is a compiler for the software Metal.
pub(crate) fn has_clang() -> bool {
    let found = afterimage_metal_soft::compiler();
    if let Err(why) = &found {
        eprintln!("not tested: the software Metal needs clang: {why}");
    }
    found.is_ok()
}

/// How many levels lavapipe's weights of eight bits may put a filtered colour beside the software Metal's, whose weights are floats.
const LEVELS: u8 = 2;

/// How many pixels are further than [`LEVELS`] from those of others, of a thousand.
fn far(these: &Pictures, others: &Pictures) -> usize {
    assert_eq!(
        these.iter().map(|(frame, _)| *frame).collect::<Vec<_>>(),
        others.iter().map(|(n, _)| *n).collect::<Vec<_>>()
    );
    let pixels = |pictures: &Pictures| pictures.iter().flat_map(|(_, rgb)| rgb.as_chunks::<3>().0.to_vec()).collect();
    let (one, two): (Vec<[u8; 3]>, Vec<[u8; 3]>) = (pixels(these), pixels(others));
    assert_eq!(one.len(), two.len());
    let differs = |(a, b): &(&[u8; 3], &[u8; 3])| a.iter().zip(*b).any(|(x, y)| x.abs_diff(*y) > LEVELS);
    one.iter().zip(&two).filter(differs).count() * 1000 / one.len()
}

#[test]
fn a_viewer_that_draws_with_metal_writes_pictures_captures_and_figures() {
    let temp = tempfile::tempdir().expect("a folder");
    let folder = temp.path();
    let Some(program) = compile(SAMPLE, folder).filter(|_| has_clang()) else { return };
    let (link, shots, capture) = (folder.join("link"), folder.join("pictures"), folder.join("scene.aftercap"));
    let mut viewer = command(Path::new(env!("CARGO_BIN_EXE_afterimage-viewer")), folder);
    viewer.args(["--headless", "--once", "--frames", LAST, "-o"]).arg(&shots).arg("--directory").arg(&link);
    viewer.env("AFTERIMAGE_GRAPHICS", "metal-soft").env("AFTERIMAGE_STATS", folder.join("stats.json"));
    viewer.env("AFTERIMAGE_CAPTURE_FILE", &capture).env("AFTERIMAGE_CAPTURE_FRAMES", LAST);
    viewer.env("AFTERIMAGE_HUD_LOG", folder.join("figures.csv")).stdin(Stdio::null());
    let mut viewer = Guarded(viewer.spawn().expect("the viewer starts"));
    let mut sample = command(&program, folder);
    sample.args(["--frames", FRAMES]).args(SIZE).env("AFTERIMAGE_RENDERER", "viewer").env("AFTERIMAGE_DIR", &link);
    assert!(sample.status().expect("the sample starts").success());
    assert!(viewer.0.wait().expect("the viewer ends").success());

    let live = written(&shots);
    assert_eq!(live.iter().map(|(frame, _)| *frame).collect::<Vec<_>>(), [3, 4]);
    assert!(live[0].1 != live[1].1, "there is something to see");
    let stats: serde_json::Value =
        serde_json::from_slice(&std::fs::read(folder.join("stats.json")).expect("figures")).expect("JSON");
    assert!(stats["device"].as_str().is_some_and(|name| name.contains("Metal")), "{stats}");
    assert_eq!((&stats["frames"], &stats["skipped_draws"], &stats["faults"]), (&4.into(), &0.into(), &0.into()));
    let figures = std::fs::read_to_string(folder.join("figures.csv")).expect("figures");
    assert_eq!(figures.lines().count(), 3 + 3, "{figures}");

    // What it captured is whole, and is drawn by Vulkan as it was by Metal.
    let said = told(&capture);
    assert_eq!(said.guest, Some((Init::D3D9, SAMPLE.to_owned())));
    assert!(!said.code.is_empty() && Reader::open(&capture).expect("a capture").info().device.contains("Metal"));
    let far = far(&replay(&capture, 2), &live);
    assert!(far <= 1, "{far} of a thousand pixels are others");
}
