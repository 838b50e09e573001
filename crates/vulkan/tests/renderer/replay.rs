//! Replays with somebody watching.

use crate::common::*;
use crate::step::{Pictures, record};
use std::sync::Arc;

#[test]
fn two_replays_are_equal_and_times_are_taken() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("test.aftercap");
    let live = record(&path, 2..=6, 5);
    let mut renderer = Guest::new().renderer;
    let pictures = Pictures::default();
    let sink = Arc::clone(&pictures);
    renderer.set_picture_sink(Some(Box::new(move |picture| {
        sink.lock().unwrap().push((picture.frame, picture.rgba.to_vec()));
    })));
    let mut times = Vec::new();
    for _ in 0..2 {
        renderer.restart(&mut |_| {}).unwrap();
        let mut reader = afterimage_capture::Reader::open(&path).unwrap();
        let mut ahead = |_: &afterimage_vulkan::Ahead| afterimage_vulkan::Go::On;
        let watch = afterimage_vulkan::Watch { ahead: &mut ahead, times: Some(&mut times), windows: false };
        let replayed = renderer.replay_watched(&mut reader, watch).unwrap();
        assert_eq!((replayed.frames, replayed.errors, replayed.stopped), (5, 0, false));
    }
    assert_eq!(times.iter().map(|time| time.frame).collect::<Vec<_>>(), [2, 3, 4, 5, 6, 2, 3, 4, 5, 6]);
    assert!(times.iter().all(|time| !time.cpu.is_zero() && !time.gpu.is_zero()), "{times:?}");
    let pictures = pictures.lock().unwrap().clone();
    assert!(pictures[..5] == live[1..] && pictures[5..] == live[1..]);
    assert_eq!(renderer.validation_messages(), 0);
}
