//! Captures: what an embedder asks for replays to the same pixels, and has the program's own microcode.

use crate::console::Console;
use crate::{renderer, scene};
use afterimage_capture::Reader;
use afterimage_stream::Arena;
use afterimage_stream::packets::{Init, Language, Packet};
use std::path::Path;
use std::sync::{Arc, Mutex};

type Pictures = Arc<Mutex<Vec<Vec<u8>>>>;

fn watched() -> (afterimage_vulkan::Renderer, Pictures) {
    let (mut renderer, pictures) = (renderer(), Pictures::default());
    let sink = Arc::clone(&pictures);
    renderer.set_picture_sink(Some(Box::new(move |picture| sink.lock().unwrap().push(picture.rgba.to_vec()))));
    (renderer, pictures)
}

/// Languages of the shaders that a capture has, each with its code's bytes. The capture says whose it is, and what its objects are called.
fn shaders(path: &Path) -> Vec<(u32, usize)> {
    let mut reader = Reader::open(path).unwrap();
    let mut found = Vec::new();
    let (mut guest, mut named) = (None, false);
    while let Some(batch) = reader.next().unwrap() {
        for located in afterimage_stream::Reader::new(&batch.words) {
            match located.unwrap().packet {
                Packet::CreateShader(body) => {
                    let mut code = vec![0; body.code.size as usize];
                    assert!(reader.arena().copy_out(&body.code, 0, &mut code));
                    found.push((body.language, code.iter().filter(|byte| **byte != 0).count()));
                }
                Packet::Init(body, name) => guest = Some((body.guest, name.to_vec())),
                Packet::Name(_, name) => named |= String::from_utf8_lossy(name).contains("surface at 0x"),
                _ => {}
            }
        }
    }
    assert_eq!(guest, Some((Init::NV2A, b"captured".to_vec())));
    assert!(named, "{}: no surface has a name", path.display());
    found
}

#[test]
fn the_same_frame_of_captures_from_several_frames_on_is_the_same() {
    let folder = tempfile::tempdir().unwrap();
    // Two captures that begin at different frames, both of which have the last ones.
    let mut last = Vec::new();
    for (name, from) in [("early", 1), ("late", 9)] {
        let path = folder.path().join(name);
        let (renderer, live) = watched();
        let mut console = Console::new(renderer, "captured");
        let mut device = console.device().unwrap();
        let mut scene = scene::Scene::new(&mut console, &mut device).unwrap();
        for frame in 1..=12 {
            if frame == from {
                assert!(console.nv2a.capture_frames(&path, 100));
            }
            scene.draw(&mut console, &mut device, frame).unwrap();
            console.picture(scene.buffer(frame), scene::SIZE, scene::PITCH).unwrap();
        }
        console.finish().unwrap();
        let (mut renderer, replayed) = watched();
        let summary = renderer.replay(&mut Reader::open(&path).unwrap()).unwrap();
        assert_eq!(summary.errors, 0);
        drop(renderer);
        let (live, replayed) = (live.lock().unwrap().clone(), replayed.lock().unwrap().clone());
        assert!(replayed.len() >= 3, "{} pictures", replayed.len());
        assert!(live.ends_with(&replayed), "{name}: other pixels than live ({} and {})", replayed.len(), live.len());
        last.push(replayed[replayed.len() - 3..].to_vec());
        let shaders = shaders(&path);
        for language in [Language::Nv2aProgram as u32, Language::Nv2aPixel as u32] {
            assert!(
                shaders.iter().any(|&(have, bytes)| have == language && bytes > 0),
                "language {language}: {shaders:?}"
            );
        }
    }
    assert!(last[0] == last[1], "where a capture begins changes its pictures");
}
