//! Captures: what an embedder asks for replays to the same pixels, and has the program's own code.

use crate::draws::{INPUT, POSITION_COLOR, triangle};
use crate::rig::{Encoding, Scene, replaying};
use afterimage_capture::Reader;
use afterimage_stream::Arena;
use afterimage_stream::packets::{Init, Packet};
use std::sync::{Arc, Mutex};

const GCN: u32 = afterimage_stream::packets::Language::Gcn as u32;

#[test]
fn any_frame_replays_to_the_pixels_that_were_shown() {
    let folder = tempfile::tempdir().unwrap();
    let mut scene = Scene::new(Encoding::Standard);
    let target = scene.target(128, 96);
    triangle(&mut scene, &target);
    let mut ran = scene.run();
    let display = target.display();
    ran.gpu.flip(&display);
    // The second frame and one much later, of a scene that does not change.
    let paths = ["second", "later"].map(|name| folder.path().join(name));
    assert!(ran.gpu.capture_frames(&paths[0], 1));
    for frame in 0..30 {
        if frame == 20 {
            assert!(ran.gpu.capture_frames(&paths[1], 2));
        }
        ran.again();
        ran.gpu.flip(&display);
    }
    let live = ran.picture(&target);
    ran.finish();

    for (path, frames) in [(&paths[0], 1), (&paths[1], 2)] {
        let pictures = Arc::<Mutex<Vec<Vec<u8>>>>::default();
        let mut renderer = replaying();
        let sink = Arc::clone(&pictures);
        renderer.set_picture_sink(Some(Box::new(move |picture| sink.lock().unwrap().push(picture.rgba.to_vec()))));
        let replayed = renderer.replay(&mut Reader::open(path).unwrap()).unwrap();
        assert_eq!((replayed.frames, replayed.errors), (frames, 0));
        drop(renderer);
        let pictures = pictures.lock().unwrap();
        assert_eq!(pictures.len(), frames as usize);
        for picture in pictures.iter() {
            let pixels = picture.chunks_exact(4).zip(live.chunks_exact(4));
            assert_eq!(pixels.filter(|(a, b)| a[..3] != b[..3]).count(), 0, "other pixels");
        }
        assert!(live.chunks_exact(4).any(|pixel| pixel[0] > 200), "there is something to see");
        // The program's code, as it was in memory.
        let mut found = Vec::new();
        let mut guest = None;
        let mut reader = Reader::open(path).unwrap();
        while let Some(batch) = reader.next().unwrap() {
            for located in afterimage_stream::Reader::new(&batch.words) {
                let located = located.unwrap();
                if let Packet::Init(body, name) = located.packet {
                    guest = Some((body.guest, name.to_vec()));
                }
                if let Packet::CreateShader(body) = located.packet
                    && body.language == GCN
                {
                    let mut code = vec![0; body.code.size as usize];
                    assert!(reader.arena().copy_out(&body.code, 0, &mut code));
                    found.push(code);
                }
            }
        }
        assert_eq!(guest, Some((Init::GNM, b"scene".to_vec())), "whose capture it is");
        for program in [POSITION_COLOR, INPUT] {
            let words = afterimage_shader_gcn::assemble(program).unwrap();
            let code: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            assert!(
                found.iter().any(|found| found.windows(code.len()).any(|part| part == code)),
                "the code of {program}"
            );
        }
    }
}
