//! What encoders have at each draw is what a renderer sets that takes nothing for granted: in streams of everything that changes between
//! draws, and in random ones.

use crate::common::recorder::Recorder;
use crate::on_paper::streams::{Op, Scene, ops, walk};
use afterimage_metal_calls::Family;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use std::collections::BTreeMap;

/// What encoders had at each draw of a stream, and whether each of its draws was drawn.
fn run(ops: &[Op], everything: bool) -> (Vec<BTreeMap<String, String>>, Vec<bool>) {
    let device = Recorder::watching(Family::Apple7, everything);
    let mut guest = crate::on_paper::Guest::on(device.clone());
    guest.renderer.apply_everything(everything);
    let scene = Scene::new(&mut guest);
    let mut drawn = Vec::new();
    for op in ops {
        let draws = scene.encode(&mut guest, *op);
        let skipped = guest.renderer.skipped_draws();
        let refused = guest.try_run().is_err();
        if draws {
            drawn.push(!refused && guest.renderer.skipped_draws() == skipped);
        }
    }
    let watched = device.watched.as_ref().unwrap();
    (std::mem::take(&mut watched.lock().unwrap().draws), drawn)
}

/// Runs a stream both ways; how many draws were encoded.
fn check(ops: &[Op]) -> Result<usize, TestCaseError> {
    let ((tracked, drawn), (all, all_drawn)) = (run(ops, false), run(ops, true));
    proptest::prop_assert_eq!(drawn, all_drawn);
    proptest::prop_assert_eq!(tracked.len(), all.len());
    for (number, (tracked, all)) in tracked.iter().zip(&all).enumerate() {
        for (what, value) in all {
            proptest::prop_assert_eq!(tracked.get(what), Some(value), "draw {}: {}", number, what);
        }
    }
    Ok(all.len())
}

#[test]
fn every_draw_has_what_it_needs() {
    let draws = check(&walk()).unwrap();
    assert!(draws > 500, "{draws}");
}

#[test]
fn every_draw_of_random_streams_has_what_it_needs() {
    let mut runner = TestRunner::new(Config { cases: 200, failure_persistence: None, ..Config::default() });
    runner.run(&ops(), |ops| check(&ops).map(drop)).unwrap_or_else(|error| panic!("{error}"));
}
