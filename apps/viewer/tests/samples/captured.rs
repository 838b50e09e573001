//! Where a capture begins, and who draws, changes no pixel.

use crate::program::{Guarded, Pictures, command, compile, replay, shaders_of, told, written};
use afterimage_stream::packets::Init;
use std::path::Path;
use std::process::Stdio;

const SAMPLE: &str = "targets";
/// Frames that are compared.
const LAST: &str = "500-502";
const FRAMES: &str = "502";

/// Runs the sample with a capture of these frames, drawn by `renderer`: the live pictures of the last ones.
fn run(program: &Path, folder: &Path, renderer: &str, capture: &Path, frames: &str) -> Pictures {
    let pictures = folder.join("pictures");
    let _ = std::fs::remove_dir_all(&pictures);
    let link = folder.join("link");
    // Who draws takes pictures and captures.
    let wishes = |command: &mut std::process::Command| {
        command.env("AFTERIMAGE_SCREENSHOTS", &pictures).env("AFTERIMAGE_SCREENSHOT_FRAMES", LAST);
        command.env("AFTERIMAGE_CAPTURE_FILE", capture).env("AFTERIMAGE_CAPTURE_FRAMES", frames);
    };
    let mut sample = command(program, folder);
    sample.args(["--frames", FRAMES, "--width", "96", "--height", "64"]);
    sample.env("AFTERIMAGE_RENDERER", renderer).env("AFTERIMAGE_DIR", &link);
    if renderer == "viewer" {
        let mut viewer = command(Path::new(env!("CARGO_BIN_EXE_afterimage-viewer")), folder);
        viewer.args(["--headless", "--once", "--directory"]).arg(&link).stdin(Stdio::null());
        wishes(&mut viewer);
        let mut viewer = Guarded(viewer.spawn().expect("the viewer starts"));
        assert!(sample.status().expect("the sample starts").success());
        assert!(viewer.0.wait().expect("the viewer ends").success());
    } else {
        wishes(&mut sample);
        assert!(sample.status().expect("the sample starts").success());
    }
    written(&pictures)
}

#[test]
fn where_a_capture_begins_and_who_draws_changes_no_pixel() {
    let temp = tempfile::tempdir().expect("a folder");
    let Some(program) = compile(SAMPLE, temp.path()) else { return };
    let mut first: Option<Pictures> = None;
    let shaders = shaders_of(SAMPLE);
    assert!(shaders.len() > 4, "{} shaders", shaders.len());
    for renderer in ["in-process", "viewer"] {
        for from in [1, 500] {
            let what = format!("{renderer}, from {from}");
            let capture = temp.path().join(format!("{renderer}-{from}.aftercap"));
            let live = run(&program, temp.path(), renderer, &capture, &format!("{from}-502"));
            assert_eq!(live.iter().map(|(frame, _)| *frame).collect::<Vec<_>>(), [500, 501, 502], "{what}");
            assert!(live[0].1 != live[1].1 && live[1].1 != live[2].1, "{what}: there is something to see");
            assert!(replay(&capture, 3) == live, "{what}: other pixels than live");
            assert!(*first.get_or_insert_with(|| live.clone()) == live, "{what}: other pixels than in the other runs");

            let told = told(&capture);
            assert_eq!(told.guest, Some((Init::D3D9, SAMPLE.to_owned())), "{what}");
            for (name, code) in &shaders {
                assert!(told.code.contains(code), "{what}: the code of {name}");
            }
            assert!(told.names.iter().any(|name| name.contains("cube texture")), "{what}: {:?}", told.names);
        }
    }
}
