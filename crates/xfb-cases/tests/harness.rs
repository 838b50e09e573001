//! Native, lowered, interpreted and modelled feedback is equal to the last byte: a selection of the harness's cases that is soon done.
//! `cargo xtask xfb-cases --all` runs them all.

use std::time::Duration;

use afterimage_xfb_cases::case::Case;
use afterimage_xfb_cases::generate;
use afterimage_xfb_cases::run::{Path, Runner, Settings, compare};

/// Every so many of the exhaustive cases are run with a device: a prime, so that all of their dimensions are gone through.
const STEP: usize = 13;
/// Random cases.
const RANDOM: usize = 800;

fn selection() -> Vec<Case> {
    let exhaustive = generate::exhaustive();
    let random = generate::random(2026, RANDOM);
    exhaustive.into_iter().step_by(STEP).chain(random).collect()
}

fn agree(paths: &[Path], cases: &[Case]) {
    let settings = Settings { batch: 128, limit: Duration::from_secs(1200), validate: true };
    let open = |path: &Path| Runner::open(*path, &settings).unwrap_or_else(|error| panic!("{error}"));
    let mut runners: Vec<Runner> = paths.iter().map(open).collect();
    match compare(&mut runners, cases, &mut |_| {}) {
        Ok(None) => {}
        Ok(Some(difference)) => panic!(
            "{}\nthe case, for `cargo xtask xfb-cases FILE --compare`:\n{}",
            difference.how,
            Case::file(&[difference.case])
        ),
        Err(error) => panic!("{error}"),
    }
    for runner in runners {
        runner.close().unwrap_or_else(|error| panic!("{error}"));
    }
}

/// Without any Vulkan.
#[test]
fn interpreted_captures_are_the_models() {
    agree(&[Path::Model, Path::Interp, Path::InterpScatter], &selection());
}

#[test]
fn native_captures_are_the_models() {
    agree(&[Path::Model, Path::Native], &selection());
}

#[test]
fn lowered_captures_are_the_models() {
    agree(&[Path::Model, Path::Lowered], &selection());
}

#[test]
fn scattered_captures_are_the_models() {
    agree(&[Path::Model, Path::LoweredScatter], &selection());
}
